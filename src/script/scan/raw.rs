//! Tokens as they are written, blocks not yet marked.

use super::{Extent, Lexeme, NodeCall, Token};
use crate::script::ast::Pos;
use crate::script::error::SyntaxError;
use crate::script::format;

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

/// Gives tokens as they are written.
pub(super) struct Raw<'a> {
    pub(super) text: &'a [u8],
    /// Those that are still ahead.
    calls: &'a [NodeCall],
    pub(super) at: usize,
    line: u32,
    /// A place on this line that was passed, and its column: columns are characters, and are counted from here.
    mark: (usize, u32),
    /// How many brackets are open: within them lines do not end.
    depth: usize,
    at_line_start: bool,
}

impl<'a> Raw<'a> {
    /// At the start of this text; `calls` are lines in it, in order.
    pub(super) fn new(text: &'a [u8], calls: &'a [NodeCall]) -> Raw<'a> {
        Raw {
            text,
            calls,
            at: 0,
            line: 1,
            mark: (0, 1),
            depth: 0,
            at_line_start: true,
        }
    }

    pub(super) fn pos(&self) -> Pos {
        let (from, column) = self.mark;
        let passed = self.text.get(from..self.at).unwrap_or_default();
        let characters = passed.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        Pos {
            line: self.line,
            column: column + characters as u32,
        }
    }

    pub(super) fn fail<T>(&self, pos: Pos, message: impl Into<String>) -> Result<T, SyntaxError> {
        Err(SyntaxError {
            pos,
            message: message.into(),
        })
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next byte; 0 at the end.
    pub(super) fn peek(&self) -> u8 {
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
    pub(super) fn line_end(&mut self) -> bool {
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

    pub(super) fn token(
        &self,
        token: Token<'a>,
        pos: Pos,
        start: usize,
    ) -> Result<Lexeme<'a>, SyntaxError> {
        Ok(Lexeme {
            token,
            pos,
            span: (start, self.at),
        })
    }

    pub(super) fn next(&mut self) -> Result<Lexeme<'a>, SyntaxError> {
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
    fn node_call(&mut self) -> Option<&'a NodeCall> {
        while let [call, rest @ ..] = self.calls {
            if call.span.0 >= self.at {
                return (call.span.0 == self.at).then_some(call);
            }
            self.calls = rest;
        }
        None
    }

    /// A token that is no white space.
    fn visible(&mut self, pos: Pos, start: usize) -> Result<Lexeme<'a>, SyntaxError> {
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

    fn sign(
        &mut self,
        sign: &'static str,
        pos: Pos,
        start: usize,
    ) -> Result<Lexeme<'a>, SyntaxError> {
        self.at += sign.len();
        self.token(Token::Sign(sign), pos, start)
    }

    fn open(
        &mut self,
        sign: &'static str,
        pos: Pos,
        start: usize,
    ) -> Result<Lexeme<'a>, SyntaxError> {
        self.depth += 1;
        self.sign(sign, pos, start)
    }

    fn close(
        &mut self,
        sign: &'static str,
        pos: Pos,
        start: usize,
    ) -> Result<Lexeme<'a>, SyntaxError> {
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

    fn word(&mut self, pos: Pos, start: usize) -> Result<Lexeme<'a>, SyntaxError> {
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
}
