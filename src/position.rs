//! Where something came from: a file and a line, or a flag.

use std::fmt;
use std::rc::Rc;

/// A text that nodes and code point into.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// The name that messages print: a path relative to its `-f`, or `(data-value arg)` and the like; may be empty.
    pub name: String,
    /// The whole text.
    pub text: Vec<u8>,
    /// True for what came from a flag or the environment and so has no lines.
    pub from_memory: bool,
}

impl Source {
    /// A file's text.
    pub fn file(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Rc<Source> {
        Rc::new(Source {
            name: name.into(),
            text: text.into(),
            from_memory: false,
        })
    }

    /// A text from a flag or the environment; `text` is what messages show in place of a line.
    pub fn memory(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Rc<Source> {
        Rc::new(Source {
            name: name.into(),
            text: text.into(),
            from_memory: true,
        })
    }

    /// The line with this number (from 1), without its line end; empty past the end.
    pub fn line(&self, number: u32) -> &[u8] {
        let index = (number as usize).saturating_sub(1);
        self.text
            .split(|&byte| byte == b'\n')
            .nth(index)
            .unwrap_or_default()
    }
}

/// A place in a [`Source`], or nowhere in particular.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Position {
    source: Option<Rc<Source>>,
    line: u32,
}

impl Position {
    /// Nowhere.
    pub fn unknown() -> Position {
        Position::default()
    }

    /// Somewhere in this source, no line known.
    pub fn in_source(source: &Rc<Source>) -> Position {
        Position {
            source: Some(source.clone()),
            line: 0,
        }
    }

    /// A line of a source, counted from 1.
    pub fn new(source: &Rc<Source>, line: u32) -> Position {
        Position {
            source: Some(source.clone()),
            line,
        }
    }

    /// The same source, another line.
    pub fn at_line(&self, line: u32) -> Position {
        Position {
            source: self.source.clone(),
            line,
        }
    }

    /// The line, counted from 1, if known.
    pub fn line(&self) -> Option<u32> {
        (self.line > 0).then_some(self.line)
    }

    /// The source, if known.
    pub fn source(&self) -> Option<&Rc<Source>> {
        self.source.as_ref()
    }

    /// The source's name; empty if there is none.
    pub fn file(&self) -> &str {
        self.source
            .as_ref()
            .map_or("", |source| source.name.as_str())
    }

    /// True if it came from a flag or the environment.
    pub fn from_memory(&self) -> bool {
        self.source
            .as_ref()
            .is_some_and(|source| source.from_memory)
    }

    /// The text of the line; for a flag the text that stands for it.
    pub fn line_text(&self) -> String {
        let Some(source) = &self.source else {
            return String::new();
        };
        let bytes = if source.from_memory {
            &source.text[..]
        } else {
            source.line(self.line)
        };
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// `FILE:LINE`, with `?` for an unknown line and without `FILE:` where there is no file.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file().is_empty() {
            write!(f, "{}:", self.file())?;
        }
        match self.line() {
            Some(line) => write!(f, "{line}"),
            None => write!(f, "?"),
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
