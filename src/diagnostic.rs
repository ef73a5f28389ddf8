//! Errors as data: what is wrong, where, what was expected and found, and what may help.
//!
//! The engine returns a [`Report`]. Its text is ytt's, word for word; the doors print that text, and the page and
//! `--error-format json` use the [`Diagnostic`]s.

use crate::position::Position;
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Nothing was rendered.
    Error,
    /// The result stands, but look at this.
    Warning,
}

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in ytt's words, without layout.
    pub message: String,
    /// The data value it belongs to, outermost key first; empty if it belongs to none.
    pub path: Vec<String>,
    /// Where the offending value or code stands.
    pub origin: Position,
    /// Where the rule stands that it breaks: a schema, an annotation.
    pub rule: Position,
    /// What was found.
    pub found: Option<String>,
    /// What was expected.
    pub expected: Option<String>,
    /// What may help.
    pub hints: Vec<String>,
    /// The calls that were under way, innermost first; only those whose place is known.
    pub calls: Vec<Call>,
}

/// A call of a function.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function's name.
    pub function: String,
    /// The line that was running in it.
    pub origin: Position,
}

impl Diagnostic {
    /// An error with this message and nothing else known.
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            path: Vec::new(),
            origin: Position::unknown(),
            rule: Position::unknown(),
            found: None,
            expected: None,
            hints: Vec::new(),
            calls: Vec::new(),
        }
    }
}

/// Why a render failed: the whole text that ytt prints after `Error: `, and the same as data.
#[derive(Clone, Debug)]
pub struct Report(Box<ReportRepr>);

#[derive(Clone, Debug)]
struct ReportRepr {
    text: String,
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// A report whose text is also its one diagnostic's message.
    pub fn new(text: impl Into<String>) -> Report {
        let text = text.into();
        let diagnostics = vec![Diagnostic::error(text.trim())];
        Report(Box::new(ReportRepr { text, diagnostics }))
    }

    /// A report of several diagnostics, with its whole text.
    pub fn with_diagnostics(text: impl Into<String>, diagnostics: Vec<Diagnostic>) -> Report {
        Report(Box::new(ReportRepr {
            text: text.into(),
            diagnostics,
        }))
    }

    /// The whole text, as ytt forms it before its layout of the first line.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The same as data.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.diagnostics
    }

    /// The same report with `PREFIX: ` before its text.
    #[must_use]
    pub fn context(mut self, prefix: impl fmt::Display) -> Report {
        self.0.text = format!("{prefix}: {}", self.0.text);
        self
    }

    /// The same report with more diagnostics, such as warnings that may explain it.
    #[must_use]
    pub fn and(mut self, diagnostics: Vec<Diagnostic>) -> Report {
        self.0.diagnostics.extend(diagnostics);
        self
    }

    /// The same diagnostics under another text.
    #[must_use]
    pub fn map_text(mut self, change: impl FnOnce(&str) -> String) -> Report {
        self.0.text = change(&self.0.text);
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for Report {}

impl Report {
    /// The text as a program of this name prints it: its first line broken at each `: ` before a capital letter, every
    /// piece two blanks further in than the one before; what stands in brackets or quotes of brackets is left whole.
    pub fn layout(&self, program: &str) -> String {
        let (first, rest) = match self.text().split_once('\n') {
            Some((first, rest)) => (first, Some(rest)),
            None => (self.text(), None),
        };
        let mut out = format!("{program}: Error: ");
        for (depth, piece) in pieces(first).into_iter().enumerate() {
            if depth > 0 {
                out.push('\n');
                out.push_str(&"  ".repeat(depth));
            }
            out.push_str(piece);
        }
        if let Some(rest) = rest {
            out.push('\n');
            out.push_str(rest);
        }
        out
    }
}

/// A line cut after each colon that is followed by a blank and a capital letter outside of brackets.
fn pieces(line: &str) -> Vec<&str> {
    let bytes = line.as_bytes();
    let mut pieces = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0
                && bytes.get(index + 1) == Some(&b' ')
                && bytes.get(index + 2).is_some_and(u8::is_ascii_uppercase) =>
            {
                pieces.push(line.get(start..=index).unwrap_or_default());
                start = index + 2;
            }
            _ => {}
        }
    }
    pieces.push(line.get(start..).unwrap_or_default());
    pieces
}
