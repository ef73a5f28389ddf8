//! From text to tokens. Blocks are closed by `end`; how a line is indented does not count.

use super::ast::Pos;
use super::error::SyntaxError;
use super::value::Value;
use super::{format, number};
use crate::bytestring::Str;
use num_bigint::BigInt;
use std::collections::VecDeque;
use std::rc::Rc;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// Something that is no token of the language; `is`, `try` and other words that are kept free.
    Illegal,
    EndOfFile,
    Newline,
    /// Begins a block, after `:` and a line's end.
    Indent,
    /// Ends a block: `end`, or an `else` or `elif` that follows one.
    Outdent,
    Identifier,
    Int(i64),
    BigInt(BigInt),
    Float(f64),
    Str(Str),
    /// An operator or a bracket, as it is written.
    Sign(&'static str),
    /// A word of the language.
    Word(&'static str),
    /// A call that is known.
    Node(NodeCall),
}

impl Token {
    /// How messages call it.
    pub fn describe(&self) -> String {
        match self {
            Token::Illegal => "illegal token".into(),
            Token::EndOfFile => "end of file".into(),
            Token::Newline => "newline".into(),
            Token::Indent => "indent".into(),
            Token::Outdent => "outdent".into(),
            Token::Identifier | Token::Node(_) => "identifier".into(),
            Token::Int(_) | Token::BigInt(_) => "int literal".into(),
            Token::Float(_) => "float literal".into(),
            Token::Str(_) => "string literal".into(),
            Token::Sign(sign) => format!("'{sign}'"),
            Token::Word(word) => (*word).into(),
        }
    }

    /// True for this operator, bracket or word.
    pub fn is(&self, text: &str) -> bool {
        matches!(self, Token::Sign(sign) | Token::Word(sign) if *sign == text)
    }
}

/// The beginning of a line of a program that calls the node builder with the number of a node. Most lines of a template
/// are such; who writes them says where they stand, so that they need not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeCall {
    /// Index of the operation among the builder's names.
    pub operation: u16,
    /// The node's number.
    pub tag: u32,
    /// How much of the line this is.
    pub extent: Extent,
    /// Its first byte in the program's text, which begins the line, and the first after it.
    pub span: (usize, usize),
}

/// How much of a line a [`NodeCall`] is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it: `operation(tag)`.
    Whole,
    /// `operation(tag, `, more arguments follow.
    Open,
    /// `operation(tag, "name", other(`, the arguments of the other operation follow.
    Named(Rc<str>, u16),
}

/// Words of the language.
const WORDS: &[&str] = &[
    "and", "break", "continue", "def", "elif", "else", "for", "if", "in", "lambda", "load", "not",
    "or", "pass", "return", "while",
];

/// Words that are no names, for they are words of Python.
const RESERVED: &[&str] = &[
    "as", "class", "del", "except", "finally", "from", "global", "import", "is", "nonlocal",
    "raise", "try", "with", "yield",
];

/// Signs; of those with a common beginning the longest comes first.
const SIGNS: &[&str] = &[
    "**", "*=", "*", "//=", "//", "/=", "/", "<<=", "<<", "<=", "<", ">>=", ">>", ">=", ">", "==",
    "=", "!=", "+=", "+", "-=", "-", "%=", "%", "&=", "&", "|=", "|", "^=", "^", ":", ";", "~",
];

/// A token, where it begins, and its text.
#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub token: Token,
    pub pos: Pos,
    /// First and last byte (exclusive) in the text.
    pub span: (usize, usize),
}

/// Gives tokens one by one, blocks marked.
pub(super) struct Scanner<'a> {
    raw: Raw<'a>,
    /// Tokens that were read ahead; the flag says that the block before `else` or `elif` is closed already.
    ahead: VecDeque<(Lexeme, bool)>,
    /// Where the blocks begin that are open.
    open: Vec<Pos>,
    /// The last token was `:`.
    after_colon: bool,
    /// The last tokens were `:` and a newline: a block begins.
    begins_block: bool,
    last_pos: Pos,
}

impl<'a> Scanner<'a> {
    /// A scanner of this text; `calls` are lines in it, in order.
    pub fn new(text: &'a [u8], calls: &'a [NodeCall]) -> Scanner<'a> {
        Scanner {
            raw: Raw {
                text,
                calls,
                at: 0,
                line: 1,
                mark: (0, 1),
                depth: 0,
                at_line_start: true,
            },
            ahead: VecDeque::new(),
            open: Vec::new(),
            after_colon: false,
            begins_block: false,
            last_pos: Pos { line: 1, column: 1 },
        }
    }

    /// How far the scanner has read: where messages of the parser point.
    pub fn pos(&self) -> Pos {
        self.raw.pos()
    }

    /// The text of a token.
    pub fn text(&self, lexeme: &Lexeme) -> &'a str {
        let bytes = self
            .raw
            .text
            .get(lexeme.span.0..lexeme.span.1)
            .unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// The next token.
    pub fn next(&mut self) -> Result<Lexeme, SyntaxError> {
        let lexeme = self.find()?;
        self.begins_block = self.after_colon && lexeme.token == Token::Newline;
        self.after_colon = matches!(lexeme.token, Token::Sign(":"));
        self.last_pos = lexeme.pos;
        Ok(lexeme)
    }

    fn find(&mut self) -> Result<Lexeme, SyntaxError> {
        if self.begins_block {
            self.open.push(self.last_pos);
            return Ok(self.mark(Token::Indent));
        }
        let (lexeme, closed) = match self.ahead.pop_front() {
            Some(ready) => ready,
            None => (self.raw.next()?, false),
        };
        match &lexeme.token {
            Token::Word("else") if !closed => {
                // Without a colon it belongs to a conditional expression.
                let after = self.raw.next()?;
                let block = after.token.is(":");
                if block {
                    self.ahead.push_back((lexeme, true));
                    self.ahead.push_back((after, false));
                    return self.close();
                }
                self.ahead.push_back((after, false));
                Ok(lexeme)
            }
            Token::Word("elif") if !closed => {
                self.ahead.push_back((lexeme, true));
                self.close()
            }
            Token::Word("pass") => Err(SyntaxError {
                pos: self.pos(),
                message: "use of reserved keyword 'pass' is not allowed".into(),
            }),
            Token::Identifier if self.text(&lexeme) == "end" => {
                let after = self.raw.next()?;
                if after.token != Token::Newline {
                    self.ahead.push_back((after, false));
                }
                self.close()
            }
            Token::EndOfFile => match self.open.last() {
                Some(&pos) => Err(SyntaxError {
                    pos,
                    message:
                        "mismatched set of block openings (if/else/elif/for/def) and closing (end)"
                            .into(),
                }),
                None => Ok(lexeme),
            },
            _ => Ok(lexeme),
        }
    }

    fn close(&mut self) -> Result<Lexeme, SyntaxError> {
        match self.open.pop() {
            Some(_) => Ok(self.mark(Token::Outdent)),
            None => Err(SyntaxError {
                pos: self.pos(),
                message: "unexpected end".into(),
            }),
        }
    }

    fn mark(&self, token: Token) -> Lexeme {
        Lexeme {
            token,
            pos: self.last_pos,
            span: (0, 0),
        }
    }
}

/// Gives tokens as they are written.
struct Raw<'a> {
    text: &'a [u8],
    /// Those that are still ahead.
    calls: &'a [NodeCall],
    at: usize,
    line: u32,
    /// A place on this line that was passed, and its column: columns are characters, and are counted from here.
    mark: (usize, u32),
    /// How many brackets are open: within them lines do not end.
    depth: usize,
    at_line_start: bool,
}

impl<'a> Raw<'a> {
    fn pos(&self) -> Pos {
        let (from, column) = self.mark;
        let passed = self.text.get(from..self.at).unwrap_or_default();
        let characters = passed.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        Pos {
            line: self.line,
            column: column + characters as u32,
        }
    }

    fn fail<T>(&self, pos: Pos, message: impl Into<String>) -> Result<T, SyntaxError> {
        Err(SyntaxError {
            pos,
            message: message.into(),
        })
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next byte; 0 at the end.
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// The next character; U+FFFD for what is none.
    fn peek_char(&self) -> char {
        let head = self.rest();
        let head = head.get(..head.len().min(4)).unwrap_or_default();
        String::from_utf8_lossy(head)
            .chars()
            .next()
            .unwrap_or_default()
    }

    /// Goes over a line end if there is one here: `\n`, `\r\n` or `\r`.
    fn line_end(&mut self) -> bool {
        let len = match self.rest() {
            [b'\r', b'\n', ..] => 2,
            [b'\n' | b'\r', ..] => 1,
            _ => return false,
        };
        self.at += len;
        self.line += 1;
        self.mark = (self.at, 1);
        true
    }

    fn token(&self, token: Token, pos: Pos, start: usize) -> Result<Lexeme, SyntaxError> {
        Ok(Lexeme {
            token,
            pos,
            span: (start, self.at),
        })
    }

    fn next(&mut self) -> Result<Lexeme, SyntaxError> {
        loop {
            while matches!(self.peek(), b' ' | b'\t') {
                self.at += 1;
            }
            let blank = std::mem::take(&mut self.at_line_start);
            if blank
                && self.depth == 0
                && let Some(call) = self.node_call()
            {
                let (pos, start) = (self.pos(), self.at);
                self.at = call.span.1;
                self.depth += match call.extent {
                    Extent::Whole => 0,
                    Extent::Open => 1,
                    Extent::Named(..) => 2,
                };
                return self.token(Token::Node(call), pos, start);
            }
            if self.peek() == b'#' {
                while self.at < self.text.len() && !matches!(self.peek(), b'\n' | b'\r') {
                    self.at += 1;
                }
            }
            let (pos, start) = (self.pos(), self.at);
            self.mark = (start, pos.column);
            if matches!(self.peek(), b'\n' | b'\r') {
                self.line_end();
                self.at_line_start = true;
                if blank || self.depth > 0 {
                    continue;
                }
                return self.token(Token::Newline, pos, start);
            }
            if self.at >= self.text.len() {
                return self.token(Token::EndOfFile, pos, start);
            }
            if self.peek() == b'\\' {
                self.at += 1;
                if !self.line_end() {
                    return self.fail(self.pos(), "stray backslash in program");
                }
                continue;
            }
            return self.visible(pos, start);
        }
    }

    /// The call that is the line which begins here.
    fn node_call(&mut self) -> Option<NodeCall> {
        while let [call, rest @ ..] = self.calls {
            if call.span.0 >= self.at {
                return (call.span.0 == self.at).then(|| call.clone());
            }
            self.calls = rest;
        }
        None
    }

    /// A token that is no white space.
    fn visible(&mut self, pos: Pos, start: usize) -> Result<Lexeme, SyntaxError> {
        match self.peek() {
            b',' => self.sign(",", pos, start),
            b'"' | b'\'' => self.string(pos, start),
            b'r' if matches!(self.text.get(self.at + 1), Some(b'"' | b'\'')) => {
                self.at += 1;
                self.string(pos, start)
            }
            b'[' => self.open("[", pos, start),
            b'(' => self.open("(", pos, start),
            b'{' => self.open("{", pos, start),
            b']' => self.close("]", pos, start),
            b')' => self.close(")", pos, start),
            b'}' => self.close("}", pos, start),
            b'0'..=b'9' | b'.' => self.number(pos, start),
            _ => {
                if self.word_length() > 0 {
                    return self.word(pos, start);
                }
                for &sign in SIGNS {
                    if self.rest().starts_with(sign.as_bytes()) {
                        return self.sign(sign, pos, start);
                    }
                }
                let mut character = String::new();
                format::quote(
                    self.peek_char().encode_utf8(&mut [0; 4]).as_bytes(),
                    &mut character,
                );
                let character = character.trim_matches('"');
                self.fail(pos, format!("unexpected input character '{character}'"))
            }
        }
    }

    fn sign(&mut self, sign: &'static str, pos: Pos, start: usize) -> Result<Lexeme, SyntaxError> {
        self.at += sign.len();
        self.token(Token::Sign(sign), pos, start)
    }

    fn open(&mut self, sign: &'static str, pos: Pos, start: usize) -> Result<Lexeme, SyntaxError> {
        self.depth += 1;
        self.sign(sign, pos, start)
    }

    fn close(&mut self, sign: &'static str, pos: Pos, start: usize) -> Result<Lexeme, SyntaxError> {
        if self.depth == 0 {
            return self.fail(pos, format!("unexpected '{sign}'"));
        }
        self.depth -= 1;
        self.sign(sign, pos, start)
    }

    /// How many bytes of a name stand here.
    fn word_length(&self) -> usize {
        let rest = self.rest();
        let ascii = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        if rest.first().is_some_and(u8::is_ascii_digit) {
            return 0;
        }
        if rest.get(ascii).is_none_or(u8::is_ascii) {
            return ascii;
        }
        let text = rest
            .utf8_chunks()
            .next()
            .map(|chunk| chunk.valid())
            .unwrap_or_default();
        let belongs = |character: char| {
            character == '_' || character.is_ascii_digit() || character.is_alphabetic()
        };
        text.chars()
            .take_while(|&character| belongs(character))
            .map(char::len_utf8)
            .sum()
    }

    fn word(&mut self, pos: Pos, start: usize) -> Result<Lexeme, SyntaxError> {
        let len = self.word_length();
        let text = self.text.get(start..start + len).unwrap_or_default();
        self.at += len;
        let token = match WORDS.iter().find(|word| word.as_bytes() == text) {
            Some(word) => Token::Word(word),
            None if RESERVED.iter().any(|word| word.as_bytes() == text) => Token::Illegal,
            None => Token::Identifier,
        };
        self.token(token, pos, start)
    }

    /// A string literal; the scanner stands on its first quote.
    fn string(&mut self, pos: Pos, start: usize) -> Result<Lexeme, SyntaxError> {
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

    fn number(&mut self, pos: Pos, start: usize) -> Result<Lexeme, SyntaxError> {
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
    ) -> Result<Lexeme, SyntaxError> {
        let text = std::str::from_utf8(digits).unwrap_or_default();
        if let Ok(small) = i64::from_str_radix(text, radix) {
            return self.token(Token::Int(small), pos, start);
        }
        // Octal and binary literals must fit 64 bits.
        match number::parse(digits, radix) {
            Some(Ok(Value::BigInt(large))) if radix > 8 => {
                self.token(Token::BigInt((**large).clone()), pos, start)
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
