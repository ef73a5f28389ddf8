//! `@ytt:yaml`

use super::{function, one, string_argument};
use crate::position::Source;
use crate::script::{Args, Error, Module, Result, Value};
use crate::template::convert::{to_plain, to_yaml};
use crate::yaml::{self, DocumentSet, ParseOptions, Value as Node};

/// The module.
pub fn module() -> Value {
    Module::new(
        "yaml",
        vec![
            ("encode", function("yaml.encode", |_, args| encode(&args))),
            ("decode", function("yaml.decode", |_, args| decode(&args))),
        ],
    )
}

fn encode(args: &Args) -> Result<Value> {
    text_of(one(args)?).map(Value::str)
}

/// A value as YAML: nothing for null, as of a document that holds it.
pub fn text_of(value: &Value) -> Result<Vec<u8>> {
    Ok(match to_yaml(value)? {
        Node::Documents(documents) => yaml::print(&documents),
        value => yaml::print(&DocumentSet::from(value)),
    })
}

fn decode(args: &Args) -> Result<Value> {
    let text = string_argument(one(args)?)?;
    let source = Source::file("", text);
    let options = ParseOptions {
        without_comments: true,
        ..ParseOptions::default()
    };
    let mut documents =
        yaml::parse(&source, options).map_err(|error| Error::new(error.to_string()))?;
    documents.override_map_keys();
    match documents.items.as_slice() {
        [document] => to_plain(&document.value),
        _ => Err(Error::new("Expected to find exactly one YAML document")),
    }
}
