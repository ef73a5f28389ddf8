//! `@ytt:json`

mod decode;

use super::{bool_argument, bytes_argument, function, indent_argument, one};
use crate::script::{Args, Error, Module, Result, Value};
use crate::template::convert::to_yaml;
use crate::yaml::{self, json_value};

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
    let indent = indent_argument(named("indent"))?;
    let escape_html = named("escape_html").map_or(Ok(true), bool_argument)?;
    json_value(&node, indent, escape_html)
        .map(Value::str)
        .map_err(Error::new)
}

fn decode(args: &Args) -> Result<Value> {
    decode::decode(bytes_argument(one(args)?)?).map_err(Error::new)
}

/// What Go says of a text that is no JSON.
pub fn syntax_error(text: &[u8]) -> Option<String> {
    decode::decode(text).err()
}

/// What a JSON text means, if it is one, and nested no deeper than this.
pub fn value(text: &[u8], most_depth: usize) -> Option<yaml::Value> {
    let mut depth = 0_usize;
    for byte in text {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > most_depth {
            return None;
        }
    }
    to_yaml(&decode::decode(text).ok()?).ok()
}
