//! `%XX`: which bytes of which part of a URL stand for themselves (RFC 3986, with the licence that Go takes).

use crate::script::format::quote;

/// A part of a URL.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A path with its slashes.
    Path,
    /// One segment of a path.
    PathSegment,
    /// Host and port.
    Host,
    /// The zone of an IPv6 host.
    Zone,
    /// A name or a password.
    User,
    /// A key or a value of the query: a space is `+`.
    Query,
    /// What follows `#`.
    Fragment,
}

impl Part {
    /// Whether a byte stands for itself.
    pub fn allows(self, byte: u8) -> bool {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => true,
            _ => self.also().contains(&byte),
        }
    }

    /// What stands for itself here besides letters, digits and marks.
    fn also(self) -> &'static [u8] {
        match self {
            Part::Path => b"$&+,/:;=@",
            Part::PathSegment => b"$&+:=@",
            Part::Host | Part::Zone => b"!$&'()*+,;=:[]<>\"",
            Part::User => b"$&+,;=",
            Part::Query => b"",
            Part::Fragment => b"$&+,/:;=?@!()*",
        }
    }
}

/// The text with what does not stand for itself as `%XX`.
pub fn escape(text: &[u8], part: Part) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(text.len());
    for &byte in text {
        if part.allows(byte) {
            escaped.push(byte);
        } else if byte == b' ' && part == Part::Query {
            escaped.push(b'+');
        } else {
            escaped.extend(format!("%{byte:02X}").bytes());
        }
    }
    escaped
}

/// The text that `%XX` (and `+`, in a query) stand for.
///
/// # Errors
/// In Go's words: a `%` without two digits, or what a host must not have.
pub fn unescape(text: &[u8], part: Part) -> Result<Vec<u8>, String> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b'%' => {
                let escape = rest.get(..rest.len().min(3)).unwrap_or_default();
                let byte = hexadecimal(escape).ok_or_else(|| invalid_escape(escape))?;
                // In hosts only what is not ASCII is escaped, and the `%` before a zone;
                // in zones what could stand for itself in a host.
                let refused = match part {
                    Part::Host => byte < 0x80,
                    Part::Zone => byte != b' ' && !Part::Host.allows(byte),
                    _ => false,
                };
                if refused && byte != b'%' {
                    return Err(invalid_escape(escape));
                }
                plain.push(byte);
                rest = rest.get(3..).unwrap_or_default();
                continue;
            }
            b'+' if part == Part::Query => plain.push(b' '),
            _ if matches!(part, Part::Host | Part::Zone) && byte < 0x80 && !part.allows(byte) => {
                return Err(format!(
                    "invalid character {} in host name",
                    quoted(&[byte])
                ));
            }
            _ => plain.push(byte),
        }
        rest = after;
    }
    Ok(plain)
}

fn hexadecimal(escape: &[u8]) -> Option<u8> {
    let [b'%', high, low] = escape else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()
}

fn invalid_escape(escape: &[u8]) -> String {
    format!("invalid URL escape {}", quoted(escape))
}

/// The text in quotes, as messages show it.
pub fn quoted(text: &[u8]) -> String {
    let mut quoted = String::new();
    quote(text, &mut quoted);
    quoted
}
