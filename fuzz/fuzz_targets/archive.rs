//! Archives: an image's layer that is read is a tree without a way out, and is written as an archive that reads the same.
#![no_main]

use haulout::package::archive::{read, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(tree) = read(input) else { return };
    for (path, _) in tree.nodes() {
        assert!(
            !path.starts_with('/') && !path.split('/').any(|part| part == ".."),
            "{path}"
        );
    }
    assert_eq!(
        read(&write(&tree)).expect("what is written can be read"),
        tree
    );
});
