//! Overlays: the input is the base and the overlays; whether it applies does not depend on how often it is tried.
#![no_main]

use haulout::yaml;
use libfuzzer_sys::fuzz_target;

fn once(input: &[u8]) -> Result<Vec<u8>, String> {
    let output = fuzz::run(fuzz::files(input, "base.yml"));
    let printed = output.map(|output| yaml::print(&output.documents));
    printed.map_err(|report| report.text().to_string())
}

fuzz_target!(|input: &[u8]| {
    assert_eq!(once(input), once(input));
});
