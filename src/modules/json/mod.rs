//! `@ytt:json`

mod decode;

use super::{bool_argument, function, one};
use crate::script::{Args, Error, Module, Result, Value};
use crate::template::convert::to_yaml;
use crate::yaml::json_value;

/// How far a level may be indented.
const MOST_INDENT: i64 = 8;

/// The module.
pub fn module() -> Value {
    Module::new(
        "json",
        vec![
            ("encode", function("json.encode", |_, args| encode(&args))),
            ("decode", function("json.decode", |_, args| decode(&args))),
        ],
    )
}

fn encode(args: &Args) -> Result<Value> {
    let value = one(args)?;
    let known = |name: &str| matches!(name, "indent" | "escape_html");
    if let Some((name, _)) = args.named.iter().find(|(name, _)| !known(&name.to_text())) {
        return Err(Error::new(format!(
            "invalid argument name: {}",
            name.to_text()
        )));
    }
    let node = to_yaml(value)?;
    let named = |wanted: &str| {
        let found = args.named.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| value)
    };
    let indent = match named("indent") {
        None => 0,
        Some(Value::Int(levels)) => *levels,
        Some(Value::BigInt(_)) => return Err(Error::new("expected int64 value")),
        Some(_) => return Err(Error::new("expected starlark.Int")),
    };
    if !(0..=MOST_INDENT).contains(&indent) {
        return Err(Error::new("indent value must be between 0 and 8"));
    }
    let escape_html = named("escape_html").map_or(Ok(true), bool_argument)?;
    json_value(&node, indent as usize, escape_html)
        .map(Value::str)
        .map_err(Error::new)
}

fn decode(args: &Args) -> Result<Value> {
    match one(args)? {
        Value::Str(text) => decode::decode(text).map_err(Error::new),
        other => Err(Error::new(format!(
            "expected a string, but was {}",
            other.type_name()
        ))),
    }
}

/// What Go says of a text that is no JSON.
pub fn syntax_error(text: &[u8]) -> Option<String> {
    decode::decode(text).err()
}
