//! `@ytt:base64`

use super::{bool_argument, function, one};
use crate::bytestring::Str;
use crate::script::{Args, Error, Module, Result, Value};
use base64::Engine;
use base64::alphabet::{self, Alphabet};
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

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

/// What `url=`, `raw=` and `strict=` ask for.
struct Encoding {
    alphabet: Alphabet,
    padded: bool,
    strict: bool,
}

/// The text, and how it is or becomes encoded.
fn arguments(args: &Args) -> Result<(&Str, Encoding)> {
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
    let alphabet = match url {
        true => alphabet::URL_SAFE,
        false => alphabet::STANDARD,
    };
    let encoding = Encoding {
        alphabet,
        padded: !raw,
        strict,
    };
    Ok((text, encoding))
}

fn encode(args: &Args) -> Result<Value> {
    let (text, encoding) = arguments(args)?;
    let config = GeneralPurposeConfig::new().with_encode_padding(encoding.padded);
    let engine = GeneralPurpose::new(&encoding.alphabet, config);
    Ok(Value::str(engine.encode(text.as_bytes())))
}

fn decode(args: &Args) -> Result<Value> {
    let (text, encoding) = arguments(args)?;
    encoding
        .decode(text)
        .map(Value::str)
        .map_err(|at| Error::new(format!("illegal base64 data at input byte {at}")))
}

impl Encoding {
    /// The bytes that a text means, line ends aside. Decoded here, since Go's count of where a text is wrong is told,
    /// which the library for encoding does not have.
    ///
    /// # Errors
    /// Where it is wrong.
    fn decode(&self, text: &[u8]) -> std::result::Result<Vec<u8>, usize> {
        let skip_line_ends = |from: usize| {
            let rest = text.get(from..).unwrap_or_default();
            from + rest
                .iter()
                .take_while(|byte| matches!(byte, b'\r' | b'\n'))
                .count()
        };
        let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
        let mut at = 0;
        loop {
            // Up to four digits of six bits each.
            let (mut bits, mut digits) = (0u32, 0);
            let mut last = false;
            while digits < 4 {
                at = skip_line_ends(at);
                let Some(&byte) = text.get(at) else {
                    match digits {
                        0 => return Ok(bytes),
                        1 => return Err(at - 1),
                        _ if self.padded => return Err(at - digits),
                        _ => {}
                    }
                    last = true;
                    break;
                };
                let alphabet = self.alphabet.as_str().as_bytes();
                if let Some(digit) = alphabet.iter().position(|&known| known == byte) {
                    bits = bits << 6 | u32::try_from(digit).unwrap_or_default();
                    digits += 1;
                    at += 1;
                    continue;
                }
                if byte != b'=' || !self.padded || digits < 2 {
                    return Err(at);
                }
                at += 1;
                if digits == 2 {
                    at = skip_line_ends(at);
                    match text.get(at) {
                        None => return Err(text.len()),
                        Some(b'=') => at += 1,
                        Some(_) => return Err(at - 1),
                    }
                }
                at = skip_line_ends(at);
                last = true;
                break;
            }
            let spare = match digits {
                2 => 4,
                3 => 2,
                _ => 0,
            };
            if self.strict && bits & ((1 << spare) - 1) != 0 {
                return Err(at - (4 - digits));
            }
            let whole = bits << (6 * (4 - digits));
            let [_, decoded @ ..] = whole.to_be_bytes();
            bytes.extend(decoded.iter().take(digits - 1));
            if last {
                return if at < text.len() { Err(at) } else { Ok(bytes) };
            }
        }
    }
}
