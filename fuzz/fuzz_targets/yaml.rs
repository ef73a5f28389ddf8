//! YAML: what is printed reads back, and is then printed the same; formatting reads back too.
#![no_main]

use haulout::position::Source;
use haulout::yaml::{DocumentSet, Layout, ParseError, ParseOptions, Value, format, parse, print};
use libfuzzer_sys::fuzz_target;

fn read(text: &[u8]) -> Result<DocumentSet, ParseError> {
    parse(&Source::file("a.yml", text), ParseOptions::default())
}

/// What reads back as something else, since it is written as ytt writes it: a key `<<`, which is then a merge, a key that
/// is a collection, whose items are written with their lines, and the float -0.0, which is written `-0` and is then the
/// integer 0.
fn changes(value: &Value) -> bool {
    match value {
        Value::Map(map) => map.items.iter().any(|item| {
            matches!(item.key, Value::Map(_) | Value::Array(_))
                || item.key == Value::str("<<")
                || changes(&item.key)
                || changes(&item.value)
        }),
        Value::Array(array) => array.items.iter().any(|item| changes(&item.value)),
        Value::Float(float) => *float == 0.0 && float.is_sign_negative(),
        _ => false,
    }
}

fuzz_target!(|text: &[u8]| {
    let Ok(documents) = read(text) else { return };
    let _ = format(&documents, Layout::default());
    if documents
        .items
        .iter()
        .any(|document| changes(&document.value))
    {
        return;
    }
    let printed = print(&documents);
    let again = read(&printed).expect("what is printed can be read");
    assert_eq!(
        String::from_utf8_lossy(&print(&again)),
        String::from_utf8_lossy(&printed)
    );
});
