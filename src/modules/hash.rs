//! `@ytt:sha256` and `@ytt:md5`: digests in hexadecimal.

use super::{function, one};
use crate::script::{Args, Error, Module, Result, Value};

/// A module with the one function `sum`; `name` is the function's, `MODULE.sum`.
pub fn module(module: &str, name: &'static str, digest: fn(&[u8]) -> Vec<u8>) -> Value {
    Module::new(
        module,
        vec![("sum", function(name, move |_, args| sum(&args, digest)))],
    )
}

fn sum(args: &Args, digest: fn(&[u8]) -> Vec<u8>) -> Result<Value> {
    let value = one(args)?;
    let Value::Str(text) = value else {
        return Err(Error::new(format!(
            "expected a string, but was {}",
            value.type_name()
        )));
    };
    Ok(Value::str(
        digest(text)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>(),
    ))
}

/// SHA-256.
pub fn sha256(bytes: &[u8]) -> Vec<u8> {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).to_vec()
}

/// MD5.
pub fn md5(bytes: &[u8]) -> Vec<u8> {
    use md5::Digest;
    md5::Md5::digest(bytes).to_vec()
}
