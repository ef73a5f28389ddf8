//! `@ytt:toml`
//!
//! Both ways are written here, not taken from a library: the text and the errors are those of Go's BurntSushi/toml,
//! which no Rust library has, and a parser that has other words for errors would only add to the download.

mod decode;
mod encode;
mod lex;

use super::{function, one};
use crate::script::{Args, Error, Module, Result, Value};
use crate::template::convert::to_yaml;

/// How far a level may be indented.
const MOST_INDENT: i64 = 8;

/// The module.
pub fn module() -> Value {
    Module::new(
        "toml",
        vec![
            ("encode", function("toml.encode", |_, args| encode(&args))),
            ("decode", function("toml.decode", |_, args| decode(&args))),
        ],
    )
}

fn encode(args: &Args) -> Result<Value> {
    let value = one(args)?;
    if let Some((other, _)) = args.named.iter().find(|(name, _)| *name != "indent") {
        return Err(Error::new(format!(
            "invalid argument name: {}",
            other.to_text()
        )));
    }
    let value = to_yaml(value)?;
    let indent = match args.named.first().map(|(_, value)| value) {
        None => 0,
        Some(Value::Int(levels)) => *levels,
        Some(Value::BigInt(_)) => return Err(Error::new("expected int64 value")),
        Some(_) => return Err(Error::new("expected starlark.Int")),
    };
    let spaces = match indent {
        0 => 2,
        1..=MOST_INDENT => indent as usize,
        _ => return Err(Error::new("indent value must be between 0 and 8")),
    };
    encode::encode(&value, spaces)
        .map(Value::str)
        .map_err(Error::new)
}

/// Keys come sorted, as Go has them.
fn decode(args: &Args) -> Result<Value> {
    match one(args)? {
        Value::Str(text) => decode::decode(text).map_err(Error::new),
        other => Err(Error::new(format!(
            "expected a string, but was {}",
            other.type_name()
        ))),
    }
}
