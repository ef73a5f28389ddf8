//! Text templates.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let _ = fuzz::run(fuzz::files(input, "a.txt"));
});
