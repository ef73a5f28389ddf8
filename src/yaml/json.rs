//! JSON as Go's `encoding/json` writes it, keys sorted.

use super::node::Value;
use super::scalar;
use crate::order;

/// How to write.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// Blanks a level; 0 for one line.
    pub indent: usize,
    /// Whether `<`, `>` and `&` are written as escapes.
    pub escape_html: bool,
}

/// Writes a value.
///
/// # Errors
/// A float that JSON has no word for; a key that is not a string.
pub(super) fn write(
    out: &mut Vec<u8>,
    value: &Value,
    style: Style,
    depth: usize,
) -> Result<(), String> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Value::Int(value) => out.extend_from_slice(value.to_string().as_bytes()),
        Value::Uint(value) => out.extend_from_slice(value.to_string().as_bytes()),
        Value::Float(value) => match scalar::format_json_float(*value) {
            Some(digits) => out.extend_from_slice(digits.as_bytes()),
            None => {
                let shown = match value {
                    value if value.is_nan() => "NaN",
                    value if *value > 0.0 => "+Inf",
                    _ => "-Inf",
                };
                return Err(format!("json: unsupported value: {shown}"));
            }
        },
        Value::Str(text) => string(out, text, style.escape_html),
        Value::Map(map) => {
            let mut items = Vec::with_capacity(map.items.len());
            for item in &map.items {
                match &item.key {
                    Value::Str(key) => items.push((key, &item.value)),
                    other => {
                        return Err(format!(
                            "json: expected map key to be string, but was {}",
                            other.kind()
                        ));
                    }
                }
            }
            order::sort_by(&mut items, |(a, _), (b, _)| a.cmp(b));
            list(out, b"{}", items, style, depth, |out, (key, value)| {
                string(out, key, style.escape_html);
                out.extend_from_slice(if style.indent > 0 { b": " } else { b":" });
                write(out, value, style, depth + 1)
            })?;
        }
        Value::Array(array) => list(out, b"[]", &array.items, style, depth, |out, item| {
            write(out, &item.value, style, depth + 1)
        })?,
        Value::Documents(set) => list(out, b"[]", &set.items, style, depth, |out, document| {
            write(out, &document.value, style, depth + 1)
        })?,
    }
    Ok(())
}

fn list<T>(
    out: &mut Vec<u8>,
    brackets: &[u8; 2],
    items: impl IntoIterator<Item = T>,
    style: Style,
    depth: usize,
    mut write_item: impl FnMut(&mut Vec<u8>, T) -> Result<(), String>,
) -> Result<(), String> {
    let [open, close] = *brackets;
    let new_line = |out: &mut Vec<u8>, depth: usize| {
        if style.indent > 0 {
            out.push(b'\n');
            out.resize(out.len() + style.indent * depth, b' ');
        }
    };
    out.push(open);
    let mut first = true;
    for item in items {
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        new_line(out, depth + 1);
        write_item(out, item)?;
    }
    if !first {
        new_line(out, depth);
    }
    out.push(close);
    Ok(())
}

fn string(out: &mut Vec<u8>, text: &[u8], escape_html: bool) {
    out.push(b'"');
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        let mut done = 0;
        for (at, character) in valid.char_indices() {
            let short = match character {
                '"' | '\\' => Some(character),
                '\n' => Some('n'),
                '\r' => Some('r'),
                '\t' => Some('t'),
                '\u{8}' => Some('b'),
                '\u{c}' => Some('f'),
                '\0'..' ' | '\u{2028}' | '\u{2029}' => None,
                '<' | '>' | '&' if escape_html => None,
                _ => continue,
            };
            out.extend_from_slice(&valid.as_bytes()[done..at]);
            done = at + character.len_utf8();
            let escape = match short {
                Some(short) => format!("\\{short}"),
                None => format!("\\u{:04x}", u32::from(character)),
            };
            out.extend_from_slice(escape.as_bytes());
        }
        out.extend_from_slice(&valid.as_bytes()[done..]);
        // Go replaces each byte that is no part of a character.
        for _ in chunk.invalid() {
            out.extend_from_slice(b"\\ufffd");
        }
    }
    out.push(b'"');
}
