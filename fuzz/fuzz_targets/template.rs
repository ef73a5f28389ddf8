//! Templates, their libraries and modules: any files at all.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let _ = fuzz::run(fuzz::files(input, "a.yml"));
});
