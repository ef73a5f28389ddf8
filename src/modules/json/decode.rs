//! JSON as a value. It is read here, not by a library, since what is wrong is told in the words of Go's
//! `encoding/json` (of Go 1.27); and without recursion, since a text decides how deep it is.

use crate::script::Value;
use crate::script::format::quote;
use std::collections::BTreeMap;

/// How many arrays and objects may stand one within the other: Go's bound.
const MOST_DEPTH: usize = 10_000;

const END: &str = "unexpected end of JSON input";

/// The value that a text means. Numbers are floats, keys come sorted, of a repeated key the last value counts.
///
/// # Errors
/// In Go's words; the first thing that is wrong with the text, or else a number that is too large.
pub fn decode(text: &[u8]) -> std::result::Result<Value, String> {
    let mut decoder = Decoder {
        text,
        at: 0,
        open: Vec::new(),
        too_large: None,
    };
    let value = decoder.document()?;
    match decoder.too_large {
        Some(fault) => Err(fault),
        None => Ok(value),
    }
}

/// What an array or an object has so far.
enum Open {
    Array(Vec<Value>),
    /// The key whose value is read is apart.
    Object(BTreeMap<Vec<u8>, Value>, Vec<u8>),
}

struct Decoder<'a> {
    text: &'a [u8],
    at: usize,
    open: Vec<Open>,
    /// What is said of the first number that no float can be.
    too_large: Option<String>,
}

type Decoded<T> = std::result::Result<T, String>;

impl Decoder<'_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// The fault that the character here is.
    fn fault<T>(&self, context: &str) -> Decoded<T> {
        match self.rest() {
            [] => Err(END.to_owned()),
            rest => Err(format!(
                "invalid character {} {context}",
                first_quoted(rest)
            )),
        }
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn accept(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn document(&mut self) -> Decoded<Value> {
        loop {
            self.skip_blanks();
            let mut value = match self.peek() {
                Some(b'[') => {
                    self.enter(Open::Array(Vec::new()))?;
                    if !self.accept(b']') {
                        continue;
                    }
                    self.leave()
                }
                Some(b'{') => {
                    self.enter(Open::Object(BTreeMap::new(), Vec::new()))?;
                    if !self.accept(b'}') {
                        self.key()?;
                        continue;
                    }
                    self.leave()
                }
                _ => self.scalar()?,
            };
            // A value ends, and perhaps what it is in.
            loop {
                self.skip_blanks();
                let Some(open) = self.open.last_mut() else {
                    return match self.peek() {
                        None => Ok(value),
                        Some(_) => self.fault("after top-level value"),
                    };
                };
                let (end, context) = match open {
                    Open::Array(items) => {
                        items.push(value);
                        (b']', "after array element")
                    }
                    Open::Object(items, key) => {
                        items.insert(std::mem::take(key), value);
                        (b'}', "after object key:value pair")
                    }
                };
                if self.accept(b',') {
                    if end == b'}' {
                        self.key()?;
                    }
                    break;
                }
                if !self.accept(end) {
                    return self.fault(context);
                }
                value = self.leave();
            }
        }
    }

    /// Begins an array or an object.
    fn enter(&mut self, open: Open) -> Decoded<()> {
        if self.open.len() >= MOST_DEPTH {
            return Err("exceeded max depth".to_owned());
        }
        self.at += 1;
        self.open.push(open);
        self.skip_blanks();
        Ok(())
    }

    /// Ends an array or an object.
    fn leave(&mut self) -> Value {
        match self.open.pop() {
            Some(Open::Array(items)) => Value::list(items),
            Some(Open::Object(items, _)) => {
                let items = items
                    .into_iter()
                    .map(|(key, value)| (Value::str(key), value));
                // Strings can be keys.
                Value::dict(items).unwrap_or_default()
            }
            None => Value::None,
        }
    }

    /// A key and the colon after it.
    fn key(&mut self) -> Decoded<()> {
        self.skip_blanks();
        if self.peek() != Some(b'"') {
            return self.fault("looking for beginning of object key string");
        }
        let name = self.string()?;
        if let Some(Open::Object(_, key)) = self.open.last_mut() {
            *key = name;
        }
        self.skip_blanks();
        match self.accept(b':') {
            true => Ok(()),
            false => self.fault("after object key"),
        }
    }

    fn scalar(&mut self) -> Decoded<Value> {
        match self.peek() {
            Some(b'"') => self.string().map(Value::str),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::None),
            _ => self.fault("looking for beginning of value"),
        }
    }

    fn literal(&mut self, word: &str, value: Value) -> Decoded<Value> {
        for letter in word.bytes() {
            if !self.accept(letter) {
                let expected = char::from(letter);
                return self.fault(&format!("in literal {word} (expecting '{expected}')"));
            }
        }
        Ok(value)
    }

    fn number(&mut self) -> Decoded<Value> {
        let start = self.at;
        self.accept(b'-');
        if !self.accept(b'0') {
            self.digits()?;
        }
        if self.accept(b'.') {
            self.digits()?;
        }
        if self.accept(b'e') || self.accept(b'E') {
            let _ = self.accept(b'+') || self.accept(b'-');
            self.digits()?;
        }
        let digits = self.text.get(start..self.at).unwrap_or_default();
        let digits = String::from_utf8_lossy(digits).into_owned();
        let number: f64 = digits.parse().unwrap_or(f64::INFINITY);
        if !number.is_finite() && self.too_large.is_none() {
            let step = |open: &Open| match open {
                Open::Array(items) => format!(".{}", items.len()),
                Open::Object(_, key) => format!(".{}", String::from_utf8_lossy(key)),
            };
            let place = match self.open.as_slice() {
                [] => "Go value".to_owned(),
                open => open.iter().map(step).collect(),
            };
            self.too_large = Some(format!(
                "json: cannot unmarshal number {digits} into {place} of type float64"
            ));
        }
        Ok(Value::Float(number))
    }

    /// One digit or more.
    fn digits(&mut self) -> Decoded<()> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return self.fault("in numeric literal");
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    /// A string with its quotes. Bytes that are no characters, and halves of surrogate pairs, are U+FFFD.
    fn string(&mut self) -> Decoded<Vec<u8>> {
        self.at += 1;
        let mut text = Vec::new();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut text)?;
                }
                Some(0x20..) => {
                    let rest = self.text.get(self.at..).unwrap_or_default();
                    let plain =
                        |byte: &u8| matches!(byte, 0x20.. if *byte != b'"' && *byte != b'\\');
                    let end = rest.iter().position(|byte| !plain(byte));
                    let (rest, _) = rest.split_at(end.unwrap_or(rest.len()));
                    self.at += rest.len();
                    for chunk in rest.utf8_chunks() {
                        text.extend(chunk.valid().bytes());
                        for _ in chunk.invalid() {
                            push(&mut text, char::REPLACEMENT_CHARACTER);
                        }
                    }
                }
                _ => return self.fault("in string"),
            }
        }
    }

    fn escape(&mut self, text: &mut Vec<u8>) -> Decoded<()> {
        let plain = match self.peek() {
            Some(b'b') => b'\x08',
            Some(b'f') => b'\x0c',
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'u') => {
                self.at += 1;
                let code = self.hexadecimal()?;
                let rest = self.text.get(self.at..).unwrap_or_default();
                let mut character = char::from_u32(code);
                if (0xD800..0xDC00).contains(&code) && rest.starts_with(b"\\u") {
                    let back = self.at;
                    self.at += 2;
                    let low = self.hexadecimal()?;
                    match low.checked_sub(0xDC00).filter(|low| *low < 0x400) {
                        Some(low) => {
                            character = char::from_u32(0x1_0000 + ((code - 0xD800) << 10) + low);
                        }
                        None => self.at = back,
                    }
                }
                push(text, character.unwrap_or(char::REPLACEMENT_CHARACTER));
                return Ok(());
            }
            Some(_) => return Err(self.bad_escape(2)),
            None => return Err(END.to_owned()),
        };
        self.at += 1;
        text.push(plain);
        Ok(())
    }

    /// Four digits.
    fn hexadecimal(&mut self) -> Decoded<u32> {
        let digits = self.rest();
        let digits = digits.get(..4).unwrap_or(digits);
        let value = |byte: &u8| char::from(*byte).to_digit(16);
        match digits.iter().map(value).collect::<Option<Vec<u32>>>() {
            None => Err(self.bad_escape(6)),
            Some(digits) if digits.len() < 4 => Err(END.to_owned()),
            Some(digits) => {
                self.at += 4;
                Ok(digits.iter().fold(0, |code, digit| code * 16 + digit))
            }
        }
    }

    /// The fault that an escape of so many bytes is, of which the decoder stands behind the backslash, or behind its
    /// letter if digits follow.
    fn bad_escape(&self, length: usize) -> String {
        let start = self.at.saturating_sub(if length > 2 { 2 } else { 1 });
        let escape = self.text.get(start..).unwrap_or_default();
        let escape = escape.get(..length).unwrap_or(escape);
        let shows = |text: &str| {
            let hidden = |character: char| {
                matches!(character, '`' | char::REPLACEMENT_CHARACTER)
                    || character.is_whitespace()
                    || character.is_control()
            };
            !text.chars().any(hidden)
        };
        let quoted = match std::str::from_utf8(escape) {
            Ok(text) if shows(text) => format!("`{text}`"),
            _ => {
                let mut quoted = String::new();
                quote(escape, &mut quoted);
                quoted
            }
        };
        format!("invalid escape sequence {quoted} in string")
    }
}

fn push(text: &mut Vec<u8>, character: char) {
    text.extend(character.encode_utf8(&mut [0; 4]).bytes());
}

/// The first character of a text in quotes, or its first byte if it begins with none.
fn first_quoted(text: &[u8]) -> String {
    let first = text.utf8_chunks().next().map(|chunk| {
        let character = chunk.valid().chars().next();
        character.map_or(1, char::len_utf8)
    });
    let first = text.get(..first.unwrap_or_default()).unwrap_or_default();
    match first {
        b"'" => r"'\''".to_owned(),
        b"\"" => "'\"'".to_owned(),
        first => {
            let mut quoted = String::new();
            quote(first, &mut quoted);
            format!("'{}'", quoted.trim_matches('"'))
        }
    }
}
