//! Literals: strings and numbers.

use super::raw::Raw;
use super::{Lexeme, Token};
use crate::script::ast::Pos;
use crate::script::error::SyntaxError;
use crate::script::number;
use crate::script::value::Value;
use std::rc::Rc;

impl<'a> Raw<'a> {
    /// A string literal; the scanner stands on its first quote.
    pub(super) fn string(&mut self, pos: Pos, start: usize) -> Result<Lexeme<'a>, SyntaxError> {
        let raw = self.at > start;
        let quote = self.peek();
        let triple = self.rest().starts_with(&[quote; 3]);
        self.at += if triple { 3 } else { 1 };
        let content = self.at;
        let mut quotes = 0;
        loop {
            if self.at >= self.text.len() {
                return self.fail(pos, "unexpected EOF in string");
            }
            let byte = self.peek();
            if byte == quote {
                self.at += 1;
                quotes += 1;
                if !triple || quotes == 3 {
                    break;
                }
                continue;
            }
            quotes = 0;
            if matches!(byte, b'\n' | b'\r') {
                if !triple {
                    return self.fail(pos, "unexpected newline in string");
                }
                self.line_end();
                continue;
            }
            self.at += 1;
            if byte == b'\\' {
                if self.at >= self.text.len() {
                    return self.fail(pos, "unexpected EOF in string");
                }
                if !self.line_end() {
                    self.at += 1;
                }
            }
        }
        let end = self.at - if triple { 3 } else { 1 };
        let content = self.text.get(content..end).unwrap_or_default();
        match unescape(content, raw, triple) {
            Ok(value) => self.token(Token::Str(value.into()), pos, start),
            Err(message) => self.fail(pos, message),
        }
    }

    fn digits(&mut self, is_digit: impl Fn(&u8) -> bool) -> usize {
        let count = self.rest().iter().take_while(|byte| is_digit(byte)).count();
        self.at += count;
        count
    }

    pub(super) fn number(&mut self, pos: Pos, start: usize) -> Result<Lexeme<'a>, SyntaxError> {
        if let [b'0', letter, ..] = self.rest() {
            let (radix, name) = match letter.to_ascii_lowercase() {
                b'x' => (16, "hex"),
                b'o' => (8, "octal"),
                b'b' => (2, "binary"),
                _ => (10, ""),
            };
            if radix != 10 {
                self.at += 2;
                let digits = self.at;
                let where_to = if radix == 16 { pos } else { self.pos() };
                if self.digits(|&byte| (byte as char).is_digit(radix)) == 0 {
                    return self.fail(where_to, format!("invalid {name} literal"));
                }
                let text = self.text.get(digits..self.at).unwrap_or_default();
                return self.integer(text, radix, pos, start);
            }
        }
        let whole = self.digits(u8::is_ascii_digit);
        let mut is_float = false;
        if self.peek() == b'.' {
            self.at += 1;
            if self.digits(u8::is_ascii_digit) == 0 && whole == 0 {
                return self.token(Token::Sign("."), pos, start);
            }
            is_float = true;
        }
        if matches!(self.peek(), b'e' | b'E') {
            is_float = true;
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
                if !self.peek().is_ascii_digit() {
                    return self.fail(self.pos(), "invalid float literal");
                }
            }
            self.digits(u8::is_ascii_digit);
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        if is_float {
            let value = std::str::from_utf8(text)
                .ok()
                .and_then(|text| text.parse::<f64>().ok());
            return match value.filter(|value| value.is_finite()) {
                Some(value) => self.token(Token::Float(value), pos, start),
                None => self.fail(self.pos(), "invalid float literal"),
            };
        }
        if text.len() > 1 && text.starts_with(b"0") && text.iter().any(|&digit| digit != b'0') {
            if text.iter().all(|&digit| digit <= b'7') {
                let digits =
                    String::from_utf8_lossy(text.get(1..).unwrap_or_default()).into_owned();
                return self.fail(
                    self.pos(),
                    format!("obsolete form of octal literal; use 0o{digits}"),
                );
            }
            return self.fail(pos, "invalid int literal");
        }
        self.integer(text, 10, pos, start)
    }

    fn integer(
        &self,
        digits: &[u8],
        radix: u32,
        pos: Pos,
        start: usize,
    ) -> Result<Lexeme<'a>, SyntaxError> {
        let text = std::str::from_utf8(digits).unwrap_or_default();
        if let Ok(small) = i64::from_str_radix(text, radix) {
            return self.token(Token::Int(small), pos, start);
        }
        // Octal and binary literals must fit 64 bits.
        match number::parse(digits, radix) {
            Some(Ok(Value::BigInt(large))) if radix > 8 => {
                self.token(Token::BigInt(Rc::new((**large).clone())), pos, start)
            }
            _ => self.fail(pos, "invalid int literal"),
        }
    }
}

/// The bytes that the content of a string literal means. With three quotes, `\r\n` is one line end after a backslash too.
fn unescape(content: &[u8], raw: bool, triple: bool) -> Result<Vec<u8>, String> {
    if !content
        .iter()
        .any(|&byte| byte == b'\r' || (byte == b'\\' && !raw))
    {
        return Ok(content.to_vec());
    }
    let mut out = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'\r' {
            out.push(b'\n');
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            continue;
        }
        if first != b'\\' || raw {
            out.push(first);
            continue;
        }
        let Some((&letter, after)) = rest.split_first() else {
            return Err("truncated escape sequence \\".into());
        };
        let plain = match letter {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'\'' | b'"' => letter,
            b'\n' => {
                rest = after;
                continue;
            }
            b'\r' if triple => {
                rest = after.strip_prefix(b"\n").unwrap_or(after);
                continue;
            }
            b'0'..=b'7' => {
                let count = rest
                    .iter()
                    .take(3)
                    .take_while(|digit| matches!(digit, b'0'..=b'7'))
                    .count();
                let (digits, after) = rest.split_at(count);
                let value = digits
                    .iter()
                    .fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
                rest = after;
                match u8::try_from(value) {
                    Ok(byte) => out.push(byte),
                    Err(_) => return Err(format!("invalid escape sequence \\{value:03o}")),
                }
                continue;
            }
            b'x' => {
                let Some(digits) = after.get(..2) else {
                    return Err(format!(
                        "truncated escape sequence \\{}",
                        String::from_utf8_lossy(rest)
                    ));
                };
                let hex = digits
                    .iter()
                    .all(u8::is_ascii_hexdigit)
                    .then(|| std::str::from_utf8(digits).ok())
                    .flatten();
                match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                    Some(byte) => out.push(byte),
                    None => {
                        let digits = String::from_utf8_lossy(digits);
                        return Err(format!("invalid escape sequence \\x{digits}"));
                    }
                }
                rest = after.get(2..).unwrap_or_default();
                continue;
            }
            _ => {
                // An escape that is not known stands for itself.
                out.extend([b'\\', letter]);
                rest = after;
                continue;
            }
        };
        out.push(plain);
        rest = after;
    }
    Ok(out)
}
