//! `@ytt:toml`
//!
//! Both ways are written here, not taken from a library: the text and the errors are those of Go's BurntSushi/toml,
//! which no Rust library has, and a parser that has other words for errors would only add to the download.

mod decode;
mod encode;
mod lex;

use super::{bytes_argument, function, indent_argument, one};
use crate::script::{Args, Error, Module, Result, Value};
use crate::template::convert::to_yaml;

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
    let spaces = match indent_argument(args.named.first().map(|(_, value)| value))? {
        0 => 2,
        spaces => spaces,
    };
    encode::encode(&value, spaces)
        .map(Value::str)
        .map_err(Error::new)
}

/// Keys come sorted, as Go has them.
fn decode(args: &Args) -> Result<Value> {
    decode::decode(bytes_argument(one(args)?)?).map_err(Error::new)
}
