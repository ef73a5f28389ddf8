//! `@ytt:base64`

use super::{bool_argument, function, one};
use crate::bytestring::Str;
use crate::script::{Args, Error, Module, Result, Value};
use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The module.
pub fn module() -> Value {
    Module::new(
        "base64",
        vec![
            ("encode", function("base64.encode", |_, args| encode(&args))),
            ("decode", function("base64.decode", |_, args| decode(&args))),
        ],
    )
}

/// The text, and the encoding that `url=`, `raw=` and `strict=` name.
fn arguments(args: &Args) -> Result<(&Str, GeneralPurpose)> {
    let value = one(args)?;
    let Value::Str(text) = value else {
        return Err(Error::new(format!(
            "expected a string, but was {}",
            value.type_name()
        )));
    };
    let flag = |wanted: &str| match args.named.iter().find(|(name, _)| *name == wanted) {
        Some((_, value)) => bool_argument(value),
        None => Ok(false),
    };
    let (url, raw, strict) = (flag("url")?, flag("raw")?, flag("strict")?);
    let alphabet = if url {
        alphabet::URL_SAFE
    } else {
        alphabet::STANDARD
    };
    let padding = if raw {
        DecodePaddingMode::RequireNone
    } else {
        DecodePaddingMode::RequireCanonical
    };
    let config = GeneralPurposeConfig::new()
        .with_encode_padding(!raw)
        .with_decode_padding_mode(padding)
        .with_decode_allow_trailing_bits(!strict);
    Ok((text, GeneralPurpose::new(&alphabet, config)))
}

fn encode(args: &Args) -> Result<Value> {
    let (text, encoding) = arguments(args)?;
    Ok(Value::str(encoding.encode(text.as_bytes())))
}

fn decode(args: &Args) -> Result<Value> {
    let (text, encoding) = arguments(args)?;
    // Line ends do not count; positions in messages are those of the text with them.
    let kept: Vec<(usize, u8)> = text
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'))
        .collect();
    let bytes: Vec<u8> = kept.iter().map(|(_, byte)| *byte).collect();
    encoding.decode(&bytes).map(Value::str).map_err(|error| {
        let at = match error {
            base64::DecodeError::InvalidByte(at, _)
            | base64::DecodeError::InvalidLastSymbol(at, _) => at,
            base64::DecodeError::InvalidLength(len) => len - len % 4,
            base64::DecodeError::InvalidPadding => bytes.len(),
        };
        let at = kept.get(at).map_or(text.len(), |(at, _)| *at);
        Error::new(format!("illegal base64 data at input byte {at}"))
    })
}
