//! Tags: what they make of a scalar. On collections they mean nothing here.

use super::node::Value;
use super::scalar::{self, Plain};
use super::strict;

/// A tag as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    None,
    /// `!` alone: a string.
    NonSpecific,
    Str,
    Bool,
    Int,
    Float,
    Null,
    Timestamp,
    Binary,
    Merge,
    /// Any other makes a string of a scalar.
    Other,
}

impl Tag {
    /// The tag with this full name.
    pub(super) fn named(name: &[u8]) -> Tag {
        if name == b"!" {
            return Tag::NonSpecific;
        }
        match name.strip_prefix(b"tag:yaml.org,2002:") {
            Some(b"str") => Tag::Str,
            Some(b"bool") => Tag::Bool,
            Some(b"int") => Tag::Int,
            Some(b"float") => Tag::Float,
            Some(b"null") => Tag::Null,
            Some(b"timestamp") => Tag::Timestamp,
            Some(b"binary") => Tag::Binary,
            Some(b"merge") => Tag::Merge,
            _ => Tag::Other,
        }
    }

    /// The short name of the types that scalars can resolve to.
    fn name(self) -> &'static str {
        match self {
            Tag::Bool => "!!bool",
            Tag::Int => "!!int",
            Tag::Float => "!!float",
            Tag::Null => "!!null",
            Tag::Timestamp => "!!timestamp",
            _ => "!!str",
        }
    }

    /// The value of a scalar with this tag.
    ///
    /// # Errors
    /// go-yaml's sentence if the scalar is not of the type, or not allowed in strict mode.
    pub(super) fn value(self, text: &[u8], plain: bool, strict: bool) -> Result<Value, String> {
        match self {
            Tag::None if plain => {
                if strict {
                    strict::check(text)?;
                }
                Ok(scalar::value(text))
            }
            Tag::None | Tag::NonSpecific | Tag::Str | Tag::Merge | Tag::Other => {
                Ok(Value::str(text))
            }
            Tag::Binary => match decode_base64(text) {
                Some(bytes) => Ok(Value::str(bytes)),
                None => Err("!!binary value contains invalid base64 data".to_owned()),
            },
            Tag::Bool | Tag::Int | Tag::Float | Tag::Null | Tag::Timestamp => self.typed(text),
        }
    }

    fn typed(self, text: &[u8]) -> Result<Value, String> {
        let mut resolved = scalar::plain(text);
        // With a tag only `!!timestamp` looks for times; any other sees a number or a string in one.
        if resolved == Plain::Timestamp && self != Tag::Timestamp {
            resolved = Plain::Str;
        }
        let (found, value) = match resolved {
            Plain::Null => (Tag::Null, Value::Null),
            Plain::Bool(value) => (Tag::Bool, Value::Bool(value)),
            Plain::Int(value) if self == Tag::Float => (Tag::Float, Value::Float(value as f64)),
            Plain::Int(value) => (Tag::Int, Value::Int(value)),
            Plain::Uint(value) => (Tag::Int, Value::Uint(value)),
            Plain::Float(value) => (Tag::Float, Value::Float(value)),
            Plain::Timestamp => (Tag::Timestamp, Value::str(text)),
            Plain::Str => (Tag::Str, Value::str(text)),
        };
        if found == self {
            return Ok(value);
        }
        let text = String::from_utf8_lossy(text);
        Err(format!(
            "cannot decode {} `{text}` as a {}",
            found.name(),
            self.name()
        ))
    }
}

/// Base64 with padding; line breaks do not count. `None` if it is anything else.
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut quantum: u32 = 0;
    let mut digits = 0;
    let mut padding = 0;
    for &byte in text {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'\r' | b'\n' => continue,
            b'=' if digits % 4 + padding >= 2 && digits % 4 + padding < 4 => {
                padding += 1;
                continue;
            }
            _ => return None,
        };
        if padding > 0 {
            return None;
        }
        quantum = quantum << 6 | u32::from(digit);
        digits += 1;
        if digits % 4 == 0 {
            bytes.extend_from_slice(&quantum.to_be_bytes()[1..]);
            quantum = 0;
        }
    }
    match (digits % 4, padding) {
        (0, 0) => {}
        (2, 2) => bytes.push((quantum >> 4) as u8),
        (3, 1) => bytes.extend_from_slice(&((quantum >> 2) as u16).to_be_bytes()),
        _ => return None,
    }
    Some(bytes)
}
