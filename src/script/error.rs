//! Errors of a program: what is wrong and where, as data.

use super::ast::Pos;
use std::fmt;
use std::rc::Rc;

/// A fault found before a program runs: by the scanner, the parser or the resolver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where, in the program's text.
    pub pos: Pos,
    /// What, in ytt's words.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.pos.line, self.pos.column, self.message)
    }
}

/// A fault while a program runs.
#[derive(Clone, Debug)]
pub struct Error(Box<ErrorRepr>);

#[derive(Clone, Debug)]
struct ErrorRepr {
    message: String,
    frames: Vec<Frame>,
    fatal: bool,
    hint: Option<String>,
}

/// A call that was under way when an error happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function's name; `<toplevel>` for a file.
    pub function: Rc<str>,
    /// The program's name.
    pub file: Rc<str>,
    /// Line in the program's text, from 1.
    pub line: u32,
}

impl Error {
    /// An error with this message and no frames yet.
    pub fn new(message: impl Into<String>) -> Error {
        Error(Box::new(ErrorRepr {
            message: message.into(),
            frames: Vec::new(),
            fatal: false,
            hint: None,
        }))
    }

    /// A limit was reached; code cannot catch it (`assert.try_to`).
    pub fn fatal(message: impl Into<String>) -> Error {
        Error(Box::new(ErrorRepr {
            message: message.into(),
            frames: Vec::new(),
            fatal: true,
            hint: None,
        }))
    }

    /// What is wrong. May be of several lines.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What may help, beside what the message says, which is ytt's.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The same error with what may help.
    #[must_use]
    pub fn with_hint(mut self, hint: Option<String>) -> Error {
        self.0.hint = hint;
        self
    }

    /// The calls under way, innermost first.
    pub fn frames(&self) -> &[Frame] {
        &self.0.frames
    }

    /// True if code must not catch it.
    pub fn is_fatal(&self) -> bool {
        self.0.fatal
    }

    /// The same error under another message, without the calls that were under way.
    pub fn retold(&self, message: String) -> Error {
        Error(Box::new(ErrorRepr {
            message,
            frames: Vec::new(),
            ..(*self.0).clone()
        }))
    }

    /// Adds an outer call.
    pub fn push_frame(&mut self, frame: Frame) {
        self.0.frames.push(frame);
    }

    /// The same error with `name: ` before its message: how ytt's own functions report.
    pub fn in_function(mut self, name: &str) -> Error {
        self.0.message = format!("{name}: {}", self.0.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}

/// The result of running something.
pub type Result<T, E = Error> = std::result::Result<T, E>;
