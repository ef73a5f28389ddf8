//! Strict mode: a plain scalar must read the same under the usual rules and under a few unmistakable ones.

use super::scalar::{self, Plain};

/// Whether a plain scalar is allowed.
///
/// # Errors
/// ytt's sentence that says what the scalar could be taken for.
pub(super) fn check(text: &[u8]) -> Result<(), String> {
    let usual = type_of(scalar::plain(text));
    let shown = String::from_utf8_lossy(text);
    let conservative = match text {
        b"" => "!!null",
        b"true" | b"false" => "!!bool",
        _ if is_integer(text) => {
            // Digits that do not fit 64 bits are a float by the usual rules, and no integer here.
            if usual != "!!int" {
                let reason = if text.starts_with(b"-") {
                    "invalid syntax"
                } else {
                    "value out of range"
                };
                return Err(format!(
                    "Strict parsing: Parsing int '{shown}': strconv.ParseUint: parsing \"{shown}\": {reason}"
                ));
            }
            "!!int"
        }
        _ if is_float(text) => {
            if usual != "!!float" {
                return Err(format!(
                    "Strict parsing: Parsing float '{shown}': strconv.ParseFloat: parsing \"{shown}\": value out of range"
                ));
            }
            "!!float"
        }
        _ => {
            let must_quote = if shown.contains(char::is_whitespace) {
                Some("whitespace")
            } else if shown.contains(':') {
                Some("colon")
            } else if shown.contains("---") {
                Some("triple-dash")
            } else {
                None
            };
            if let Some(what) = must_quote {
                return Err(format!(
                    "Strict parsing: Strings with {what} must be explicitly quoted: '{shown}'"
                ));
            }
            "!!str"
        }
    };
    if conservative == usual {
        return Ok(());
    }
    Err(format!(
        "Strict parsing: Found '{shown}' ambigious (could be {conservative} or {usual})"
    ))
}

fn type_of(plain: Plain) -> &'static str {
    match plain {
        Plain::Null => "!!null",
        Plain::Bool(_) => "!!bool",
        Plain::Int(_) | Plain::Uint(_) => "!!int",
        Plain::Float(_) => "!!float",
        Plain::Timestamp => "!!timestamp",
        Plain::Str => "!!str",
    }
}

/// `-?(0|[1-9][0-9]*)`
fn is_integer(text: &[u8]) -> bool {
    whole(text).is_some_and(<[u8]>::is_empty)
}

/// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?`
fn is_float(text: &[u8]) -> bool {
    let Some(mut rest) = whole(text) else {
        return false;
    };
    if let [b'.', after @ ..] = rest {
        let Some(after) = digits(after) else {
            return false;
        };
        rest = after;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let after = after
            .strip_prefix(b"-")
            .or(after.strip_prefix(b"+"))
            .unwrap_or(after);
        let Some(after) = digits(after) else {
            return false;
        };
        rest = after;
    }
    rest.is_empty()
}

/// What follows a decimal integer without needless zeros.
fn whole(text: &[u8]) -> Option<&[u8]> {
    match text.strip_prefix(b"-").unwrap_or(text) {
        [b'0', rest @ ..] => Some(rest),
        text => digits(text),
    }
}

/// What follows one or more digits.
fn digits(text: &[u8]) -> Option<&[u8]> {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then(|| &text[count..])
}
