//! What holds of every document: what is printed reads back the same, printing what was read changes nothing, and a
//! render depends on its inputs alone.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use haulout::files::File;
use haulout::position::Source;
use haulout::render::{Request, render};
use haulout::yaml::{
    Array, ArrayItem, Document, DocumentSet, Map, MapItem, ParseOptions, Value, parse, print,
};
use proptest::prelude::*;
use proptest::test_runner::Config;
use std::rc::Rc;

/// Texts that could be taken for something else, and any others.
fn text() -> impl Strategy<Value = String> {
    let tricky = [
        "",
        " ",
        "~",
        "null",
        "yes",
        "No",
        "on",
        "true",
        "0",
        "-0",
        "0x1F",
        "0o7",
        "017",
        "1_000",
        "1e3",
        ".5",
        ".inf",
        "-.inf",
        ".nan",
        "1:30",
        "2020-01-01",
        "2020-01-01T00:00:00Z",
        "- a",
        "-",
        "? a",
        "a: b",
        "a #b",
        "#a",
        "{a}",
        "[a]",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a",
        "|",
        ">",
        "\"a\"",
        "'a'",
        "a\nb",
        "a\n",
        "\na",
        " a",
        "a ",
        "a\tb",
        "\t",
        "---",
        "...",
        "<<",
        "=",
        "a\r\nb",
        "\u{feff}a",
        "\u{85}",
        "\u{2028}",
        "é",
        "日本",
        "😀",
        "\u{0}",
        "\u{7f}",
        "a:",
        ":a",
        "a,b",
        "a\n\nb",
        "a\n  b\n",
        "\n",
        "#@ a",
        "#! a",
    ];
    prop_oneof![
        2 => proptest::sample::select(tricky.to_vec()).prop_map(String::from),
        2 => "[a-z]{1,8}",
        1 => "[ -~]{0,20}",
        1 => any::<String>(),
    ]
}

/// Floats that are written as floats: one without a fraction is written as an integer is.
fn float() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("a fraction", |float| float.fract() != 0.0),
        (-1000_i32..1000).prop_map(|n| f64::from(n) + 0.25),
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => any::<i64>().prop_map(Value::Int),
        1 => (i64::MAX as u64 + 1..).prop_map(Value::Uint),
        1 => float().prop_map(Value::Float),
        6 => text().prop_map(Value::str),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 40, 5, |inner| {
        let array = proptest::collection::vec(inner.clone(), 0..5).prop_map(|values| {
            let items = values
                .into_iter()
                .map(|value| ArrayItem {
                    value,
                    ..ArrayItem::default()
                })
                .collect();
            Value::Array(Rc::new(Array {
                items,
                ..Array::default()
            }))
        });
        // The key `<<` is written as ytt writes it, and then means a merge.
        let key = text().prop_filter("no merge", |text| text != "<<");
        let map = proptest::collection::btree_map(key, inner, 0..5).prop_map(|entries| {
            let items = entries
                .into_iter()
                .map(|(key, value)| MapItem {
                    key: Value::str(key),
                    value,
                    ..MapItem::default()
                })
                .collect();
            Value::Map(Rc::new(Map {
                items,
                ..Map::default()
            }))
        });
        prop_oneof![array, map]
    })
}

fn documents() -> impl Strategy<Value = DocumentSet> {
    // Documents without content are not printed.
    let document = tree().prop_map(|value| Document {
        value,
        ..Document::default()
    });
    let content = document.prop_filter("content", |document| !document.is_empty());
    proptest::collection::vec(content, 1..4).prop_map(|items| DocumentSet {
        items,
        ..DocumentSet::default()
    })
}

/// The values alone, without positions and comments.
fn shape(value: &Value) -> String {
    match value {
        Value::Map(map) => {
            let items: Vec<String> = map
                .items
                .iter()
                .map(|item| format!("{}: {}", shape(&item.key), shape(&item.value)))
                .collect();
            format!("{{{}}}", items.join(", "))
        }
        Value::Array(array) => {
            let items: Vec<String> = array.items.iter().map(|item| shape(&item.value)).collect();
            format!("[{}]", items.join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn shapes(documents: &DocumentSet) -> Vec<String> {
    let told = documents.items.iter().filter(|document| !document.injected);
    told.map(|document| shape(&document.value)).collect()
}

fn read(bytes: &[u8]) -> DocumentSet {
    parse(&Source::file("p.yml", bytes), ParseOptions::default())
        .expect("what was printed can be read")
}

/// A template that goes over what data values hold, in all the ways that have an order.
const TEMPLATE: &str = r##"#@ load("@ytt:data", "data")
#@ load("@ytt:json", "json")
#@ load("@ytt:yaml", "yaml")
#@ def named(name, value):
name: #@ name
value: #@ value
#@ end
---
values: #@ data.values
text: (@= json.encode(data.values) @)
set: #@ list(set([str(len(str(key))) for key in ["a", "b", yaml.encode(data.values)]]))
names:
#@ for name in dir(data.values):
- #@ named(name, getattr(data.values, name))
#@ end
"##;

proptest! {
    #![proptest_config(Config { cases: 600, failure_persistence: None, ..Config::default() })]

    #[test]
    fn what_is_printed_reads_back_the_same(documents in documents()) {
        let printed = print(&documents);
        prop_assert_eq!(
            shapes(&read(&printed)),
            shapes(&documents),
            "{}",
            String::from_utf8_lossy(&printed)
        );
    }

    #[test]
    fn printing_what_was_read_changes_nothing(documents in documents()) {
        let printed = print(&documents);
        let again = print(&read(&printed));
        prop_assert_eq!(String::from_utf8_lossy(&printed), String::from_utf8_lossy(&again));
    }
}

proptest! {
    #![proptest_config(Config { cases: 150, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_render_depends_on_its_inputs_alone(value in tree(), others in documents()) {
        let values = print(&DocumentSet {
            items: vec![Document { value, ..Document::default() }],
            ..DocumentSet::default()
        });
        let mut data = b"#@data/values\n---\nv:\n".to_vec();
        for line in String::from_utf8_lossy(&values).lines() {
            data.extend_from_slice(format!("  {line}\n").as_bytes());
        }
        let request = || Request {
            files: vec![
                File::new("values.yml", "file 'values.yml'", data.clone()),
                File::new("template.yml", "file 'template.yml'", TEMPLATE),
                File::new("plain.yml", "file 'plain.yml'", print(&others)),
            ],
            ..Request::default()
        };
        let text = || match render(&request()) {
            Ok(output) => print(&output.documents),
            Err(report) => report.text().as_bytes().to_vec(),
        };
        let (first, second) = (text(), text());
        prop_assert_eq!(String::from_utf8_lossy(&first), String::from_utf8_lossy(&second));
    }
}
