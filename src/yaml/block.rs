//! YAML as ytt prints it: block style, two blanks a level, arrays at the column of their key, no folding.

use super::node::{Document, Meta, Value};
use super::scalar::{self, Plain};

/// Where a node begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// At the start of a document.
    Document,
    /// After `key:`.
    Key,
    /// After `-`, `?`, or the `:` that belongs to a `?`: the first line of a collection stands on the same line.
    Indicator,
}

/// Prints documents, `---` between them. `begun` is told of each document and item as its line begins.
pub(super) fn documents<'a>(
    documents: impl Iterator<Item = &'a Document>,
    begun: &mut impl FnMut(&[u8], &Meta),
) -> Vec<u8> {
    let mut out = Vec::new();
    for document in documents {
        begun(&out, &document.meta);
        if !out.is_empty() {
            out.extend_from_slice(b"---\n");
        }
        node(&mut out, &document.value, 0, Start::Document, begun);
    }
    out
}

/// Prints a value as the body of a document.
pub(super) fn value(out: &mut Vec<u8>, value: &Value) {
    node(out, value, 0, Start::Document, &mut |_, _| {});
}

/// A node held by a collection at column `indent`, up to and with the end of its last line.
fn node(
    out: &mut Vec<u8>,
    value: &Value,
    indent: usize,
    start: Start,
    begun: &mut impl FnMut(&[u8], &Meta),
) {
    let inner = match start {
        Start::Document => 0,
        Start::Key | Start::Indicator => indent + 2,
    };
    match value {
        Value::Map(map) if !map.items.is_empty() => {
            for (number, item) in map.items.iter().enumerate() {
                begin_line(out, number == 0, inner, start);
                begun(out, &item.meta);
                if is_simple(&item.key) {
                    inline(out, &item.key, inner);
                    out.push(b':');
                    node(out, &item.value, inner, Start::Key, begun);
                } else {
                    out.push(b'?');
                    node(out, &item.key, inner, Start::Indicator, begun);
                    pad(out, inner);
                    out.push(b':');
                    node(out, &item.value, inner, Start::Indicator, begun);
                }
            }
        }
        Value::Array(array) if !array.items.is_empty() => {
            let inner = if start == Start::Key { indent } else { inner };
            for (number, item) in array.items.iter().enumerate() {
                begin_line(out, number == 0, inner, start);
                begun(out, &item.meta);
                out.push(b'-');
                node(out, &item.value, inner, Start::Indicator, begun);
            }
        }
        Value::Documents(set) => {
            for document in &set.items {
                node(out, &document.value, indent, start, begun);
            }
        }
        _ => {
            if start != Start::Document {
                out.push(b' ');
            }
            let ended = inline(out, value, indent);
            if !ended {
                out.push(b'\n');
            }
        }
    }
}

fn begin_line(out: &mut Vec<u8>, first: bool, indent: usize, start: Start) {
    match start {
        Start::Indicator if first => out.push(b' '),
        Start::Key if first => {
            out.push(b'\n');
            pad(out, indent);
        }
        _ => pad(out, indent),
    }
}

fn pad(out: &mut Vec<u8>, width: usize) {
    out.resize(out.len() + width, b' ');
}

/// Whether a key can stand before `:` on its line: short and without a line break.
pub(super) fn is_simple(key: &Value) -> bool {
    match key {
        Value::Str(text) => match text.as_str() {
            // The tag counts, as far as it is written.
            None => {
                "!!binary".len() + base64_length(text.len()) <= 128
                    && base64_length(text.len()) < BASE64_LINE
            }
            Some(valid) => {
                text.len() <= 128 && !valid.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
            }
        },
        Value::Map(map) => map.items.is_empty(),
        Value::Array(array) => array.items.is_empty(),
        _ => true,
    }
}

/// A scalar or an empty collection; returns true if it ended its last line, as a literal block may.
pub(super) fn inline(out: &mut Vec<u8>, value: &Value, indent: usize) -> bool {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Value::Int(value) => out.extend_from_slice(value.to_string().as_bytes()),
        Value::Uint(value) => out.extend_from_slice(value.to_string().as_bytes()),
        Value::Float(value) => out.extend_from_slice(scalar::format_float(*value).as_bytes()),
        Value::Map(_) => out.extend_from_slice(b"{}"),
        Value::Array(_) | Value::Documents(_) => out.extend_from_slice(b"[]"),
        Value::Str(text) => return string(out, text, indent),
    }
    false
}

fn string(out: &mut Vec<u8>, text: &[u8], indent: usize) -> bool {
    if is_harmless(text) {
        out.extend_from_slice(text);
        return false;
    }
    if std::str::from_utf8(text).is_err() {
        out.extend_from_slice(b"!!binary ");
        let encoded = base64(text);
        return if encoded.contains(&b'\n') {
            literal(out, &encoded, indent)
        } else {
            plain(out, &encoded)
        };
    }
    let allowed = Allowed::by(text);
    if text.contains(&b'\n') {
        return if allowed.literal {
            literal(out, text, indent)
        } else {
            double_quoted(out, text)
        };
    }
    let reads_as_string =
        matches!(scalar::plain(text), Plain::Str) && !scalar::is_sexagesimal(text);
    match () {
        () if !reads_as_string => double_quoted(out, text),
        () if allowed.plain => plain(out, text),
        () if allowed.single_quoted => single_quoted(out, text, indent),
        () => double_quoted(out, text),
    }
}

/// Strings that are certain to need no quotes; most are. Others may turn out not to need any either.
fn is_harmless(text: &[u8]) -> bool {
    let begins_well = match text {
        // `y`, `no`, `FALSE` and so on; none is longer.
        [
            b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O',
            ..,
        ] => text.len() > 5,
        [b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'_' | b'$' | b'(', ..] => true,
        _ => false,
    };
    begins_well
        && text
            .iter()
            .all(|byte| matches!(byte, b'!'..=b'~') && !matches!(byte, b':' | b'#'))
}

fn plain(out: &mut Vec<u8>, text: &[u8]) -> bool {
    out.extend_from_slice(text);
    false
}

/// The styles that can hold a string.
struct Allowed {
    plain: bool,
    single_quoted: bool,
    literal: bool,
}

impl Allowed {
    fn by(text: &[u8]) -> Allowed {
        let mut allowed = Allowed {
            plain: true,
            single_quoted: true,
            literal: true,
        };
        let (Some(first), Some(last)) = (text.first(), text.last()) else {
            return allowed;
        };
        if matches!(text, [b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..])
            || *first == b' '
            || *last == b' '
            || break_width(text) > 0
        {
            allowed.plain = false;
        }
        if *last == b' ' {
            allowed.literal = false;
        }
        let mut at = 0;
        let mut after_blank = true;
        let (mut after_space, mut after_break) = (false, false);
        while let Some(&byte) = text.get(at) {
            let rest = &text[at..];
            let (width, printable) = character(rest);
            let before_blank = matches!(text.get(at + width), None | Some(b' ' | b'\t'));
            let indicator = match byte {
                b',' | b'[' | b']' | b'{' | b'}' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\''
                | b'"' | b'%' | b'@' | b'`' => at == 0,
                b'#' => after_blank,
                b':' => before_blank,
                b'?' | b'-' => at == 0 && before_blank,
                _ => false,
            };
            let breaks = break_width(rest) > 0;
            if indicator || breaks {
                allowed.plain = false;
            }
            // A space after a break would be lost in quotes; one before a break anywhere but in double quotes.
            if after_break && byte == b' ' {
                allowed.plain = false;
                allowed.single_quoted = false;
            }
            if !printable || (after_space && breaks) {
                return Allowed {
                    plain: false,
                    single_quoted: false,
                    literal: false,
                };
            }
            after_space = byte == b' ';
            after_break = breaks;
            after_blank = after_space || byte == b'\t' || breaks;
            at += width;
        }
        allowed
    }
}

/// The width of the line break at the start of a text; 0 if there is none.
fn break_width(text: &[u8]) -> usize {
    match text {
        [b'\n' | b'\r', ..] => 1,
        [0xC2, 0x85, ..] => 2,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

/// The width of the first character and whether it is printed as it is: all but control characters, the byte order
/// mark and whatever lies beyond 16 bits.
fn character(text: &[u8]) -> (usize, bool) {
    match text {
        [b'\n' | b' '..=b'~', ..] => (1, true),
        [0..0x80, ..] => (1, false),
        [0xC2, second, ..] => (2, *second >= 0xA0),
        [0xC0..0xE0, ..] => (2, true),
        [0xEF, 0xBB, 0xBF, ..] | [0xEF, 0xBF, 0xBE | 0xBF, ..] => (3, false),
        [0xE0..0xF0, ..] => (3, true),
        _ => (4, false),
    }
}

fn single_quoted(out: &mut Vec<u8>, text: &[u8], indent: usize) -> bool {
    out.push(b'\'');
    let mut at = 0;
    let mut new_line = false;
    while let Some(&byte) = text.get(at) {
        let width = break_width(&text[at..]);
        if width > 0 {
            out.extend_from_slice(&text[at..at + width]);
            at += width;
            new_line = true;
            continue;
        }
        if std::mem::take(&mut new_line) {
            pad(out, indent + 2);
        }
        if byte == b'\'' {
            out.push(b'\'');
        }
        out.push(byte);
        at += 1;
    }
    out.push(b'\'');
    false
}

fn double_quoted(out: &mut Vec<u8>, text: &[u8]) -> bool {
    // ytt looks for the mark at the start of the string whatever character it is about to write.
    let marked = text.starts_with("\u{FEFF}".as_bytes());
    out.push(b'"');
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let (width, printable) = character(rest);
        let shown = rest.get(..width).unwrap_or(rest);
        at += shown.len();
        if printable && !marked && break_width(rest) == 0 && !matches!(rest[0], b'"' | b'\\') {
            out.extend_from_slice(shown);
            continue;
        }
        let code = std::str::from_utf8(shown)
            .ok()
            .and_then(|text| text.chars().next())
            .map_or(0, u32::from);
        escape(out, code);
    }
    out.push(b'"');
    false
}

fn escape(out: &mut Vec<u8>, code: u32) {
    let short = match code {
        0x00 => b'0',
        0x07 => b'a',
        0x08 => b'b',
        0x09 => b't',
        0x0A => b'n',
        0x0B => b'v',
        0x0C => b'f',
        0x0D => b'r',
        0x1B => b'e',
        0x22 => b'"',
        0x5C => b'\\',
        0x85 => b'N',
        0xA0 => b'_',
        0x2028 => b'L',
        0x2029 => b'P',
        _ => {
            let long = match code {
                0..=0xFF => format!("\\x{code:02X}"),
                0x100..=0xFFFF => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            };
            out.extend_from_slice(long.as_bytes());
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// A `|` block, indented two blanks more than the collection that holds it.
fn literal(out: &mut Vec<u8>, text: &[u8], indent: usize) -> bool {
    out.push(b'|');
    if text.first() == Some(&b' ') || break_width(text) > 0 {
        out.push(b'2');
    }
    let kept = trailing_breaks(text);
    match kept {
        0 => out.push(b'-'),
        1 if trailing_break_width(text) < text.len() => {}
        _ => out.push(b'+'),
    }
    out.push(b'\n');
    let mut at = 0;
    let mut new_line = true;
    while at < text.len() {
        let width = break_width(&text[at..]);
        if width > 0 {
            out.extend_from_slice(&text[at..at + width]);
            at += width;
            new_line = true;
            continue;
        }
        if std::mem::take(&mut new_line) {
            pad(out, indent + 2);
        }
        out.push(text[at]);
        at += 1;
    }
    new_line
}

/// The width of the line break at the end of a text; 0 if there is none.
fn trailing_break_width(text: &[u8]) -> usize {
    match text {
        [.., 0xE2, 0x80, 0xA8 | 0xA9] => 3,
        [.., 0xC2, 0x85] => 2,
        [.., b'\n' | b'\r'] => 1,
        _ => 0,
    }
}

/// How many line breaks, up to two, end a text.
fn trailing_breaks(text: &[u8]) -> usize {
    match trailing_break_width(text) {
        0 => 0,
        width => 1 + usize::from(trailing_break_width(&text[..text.len() - width]) > 0),
    }
}

const BASE64_LINE: usize = 70;

fn base64_length(length: usize) -> usize {
    length.div_ceil(3) * 4
}

/// Base64 with padding; what fills a line is broken into lines, each with its break.
fn base64(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut digits = Vec::with_capacity(base64_length(bytes.len()));
    for chunk in bytes.chunks(3) {
        let quantum = chunk
            .iter()
            .fold(0, |quantum, byte| quantum << 8 | usize::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            digits.push(if place <= chunk.len() {
                DIGITS[quantum >> (18 - 6 * place) & 63]
            } else {
                b'='
            });
        }
    }
    if digits.len() < BASE64_LINE {
        return digits;
    }
    digits
        .chunks(BASE64_LINE)
        .flat_map(|line| line.iter().copied().chain([b'\n']))
        .collect()
}
