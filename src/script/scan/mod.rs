//! From text to tokens. Blocks are closed by `end`; how a line is indented does not count.

mod literal;
mod raw;

use self::raw::Raw;
use super::ast::Pos;
use super::error::SyntaxError;
use crate::bytestring::Str;
use num_bigint::BigInt;
use std::collections::VecDeque;
use std::rc::Rc;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
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
    BigInt(Rc<BigInt>),
    Float(f64),
    Str(Str),
    /// An operator or a bracket, as it is written.
    Sign(&'static str),
    /// A word of the language.
    Word(&'static str),
    /// A call that is known.
    Node(&'a NodeCall),
}

impl Token<'_> {
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

/// A token, where it begins, and its text.
#[derive(Clone, Debug)]
pub(super) struct Lexeme<'a> {
    pub token: Token<'a>,
    pub pos: Pos,
    /// First and last byte (exclusive) in the text.
    pub span: (usize, usize),
}

/// Gives tokens one by one, blocks marked.
pub(super) struct Scanner<'a> {
    raw: Raw<'a>,
    /// Tokens that were read ahead; the flag says that the block before `else` or `elif` is closed already.
    ahead: VecDeque<(Lexeme<'a>, bool)>,
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
            raw: Raw::new(text, calls),
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
    pub fn next(&mut self) -> Result<Lexeme<'a>, SyntaxError> {
        let lexeme = self.find()?;
        self.begins_block = self.after_colon && lexeme.token == Token::Newline;
        self.after_colon = matches!(lexeme.token, Token::Sign(":"));
        self.last_pos = lexeme.pos;
        Ok(lexeme)
    }

    fn find(&mut self) -> Result<Lexeme<'a>, SyntaxError> {
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

    fn close(&mut self) -> Result<Lexeme<'a>, SyntaxError> {
        match self.open.pop() {
            Some(_) => Ok(self.mark(Token::Outdent)),
            None => Err(SyntaxError {
                pos: self.pos(),
                message: "unexpected end".into(),
            }),
        }
    }

    fn mark(&self, token: Token<'a>) -> Lexeme<'a> {
        Lexeme {
            token,
            pos: self.last_pos,
            span: (0, 0),
        }
    }
}
