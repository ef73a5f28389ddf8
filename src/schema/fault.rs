//! What is wrong with a schema or with values against it, and ytt's layout of it.

use crate::diagnostic::{Diagnostic, Report};
use crate::order;
use crate::position::Position;
use crate::yaml::Value;
use std::fmt::Write as _;

/// One thing that is wrong, at one place.
#[derive(Clone, Debug, Default)]
pub struct Fault {
    /// What is wrong; may be empty where found and expected say all.
    pub description: String,
    /// Where the annotations stand that have to do with it.
    pub annotations: Vec<Position>,
    /// Where the node stands.
    pub position: Position,
    /// The data value it is about, outermost key first; empty if it is about a schema.
    pub path: Vec<String>,
    /// Where the schema says what is expected.
    pub rule: Position,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
    /// What may help.
    pub hints: Vec<String>,
}

/// A fault, or the report of some that were found deeper.
#[derive(Clone, Debug)]
pub enum Problem {
    /// A fault.
    Fault(Box<Fault>),
    /// A report, set below all faults.
    Report(Report),
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Problem {
        Problem::Fault(Box::new(fault))
    }
}

impl From<Report> for Problem {
    fn from(report: Report) -> Problem {
        Problem::Report(report)
    }
}

/// Lays out problems under a summary.
pub fn report(summary: &str, problems: Vec<Problem>) -> Report {
    let mut text = format!("\n{summary}\n{}\n", "=".repeat(summary.len()));
    let mut rest = String::new();
    let mut diagnostics = Vec::new();
    let width = problems
        .iter()
        .filter_map(|problem| match problem {
            Problem::Fault(fault) => Some(line_number(&fault.position).len()),
            Problem::Report(_) => None,
        })
        .max()
        .unwrap_or_default();
    for problem in problems {
        match problem {
            Problem::Fault(fault) => {
                fault.write(&mut text, width);
                diagnostics.push(fault.into_diagnostic(summary));
            }
            Problem::Report(report) => {
                let _ = writeln!(rest, "{} ", report.text());
                diagnostics.extend_from_slice(report.diagnostics());
            }
        }
    }
    text.push_str(&rest);
    text.push('\n');
    Report::with_diagnostics(text, diagnostics)
}

fn line_number(position: &Position) -> String {
    position
        .line()
        .map_or_else(|| "?".to_owned(), |line| line.to_string())
}

impl Fault {
    /// A value is not of the type that is declared at `rule`.
    pub fn mismatch(expected: &str, rule: &Position, found: &Value, position: &Position) -> Fault {
        // A type that stands in no file was given by code, and has no name.
        let expected = if rule.line().is_some() { expected } else { "" };
        Fault {
            position: position.clone(),
            rule: rule.clone(),
            expected: format!("{expected} (by {rule})"),
            found: found.kind().to_owned(),
            ..Fault::default()
        }
    }

    fn write(&self, text: &mut String, width: usize) {
        let pad = |number: &str, sign: &str| format!("\n  {number:>width$} {sign}");
        if !self.description.is_empty() {
            let _ = write!(text, "\n{}", self.description);
        }
        // What code calculated stands in no file; what came from a flag has a line of its own.
        if self.position.from_memory() && self.position.line().is_none() {
            let margin = pad("", "#");
            let source = self.position.line_text();
            let _ = write!(
                text,
                "\nData value calculated:{margin}{margin} {source}{margin}"
            );
        } else {
            let _ = write!(text, "\n{}:{}", self.position.file(), pad("", "|"));
            let mut annotations = self.annotations.clone();
            order::sort_by(&mut annotations, |a, b| a.line().cmp(&b.line()));
            let mut previous: Option<&Position> = None;
            for position in annotations.iter().chain([&self.position]) {
                if previous.is_some_and(|previous| !are_neighbours(previous, position)) {
                    let _ = write!(text, "{} ...", pad("", "|"));
                }
                let margin = pad(&line_number(position), "|");
                let _ = write!(text, "{margin} {}", position.line_text());
                previous = Some(position);
            }
            text.push_str(&pad("", "|"));
        }
        text.push_str("\n\n");
        let entry = |name: &str, content: &str| {
            let margin = pad("", "=");
            format!(
                "{} {name}: {content}",
                margin.strip_prefix('\n').unwrap_or(&margin)
            )
        };
        if !self.found.is_empty() {
            text.push_str(&entry("found", &self.found));
        }
        text.push('\n');
        if !self.expected.is_empty() {
            text.push_str(&entry("expected", &self.expected));
        }
        for hint in &self.hints {
            text.push('\n');
            text.push_str(&entry("hint", hint));
        }
        text.push('\n');
    }

    fn into_diagnostic(self, summary: &str) -> Diagnostic {
        let some = |text: String| (!text.is_empty()).then_some(text);
        Diagnostic {
            path: self.path,
            origin: self.position,
            rule: self.annotations.into_iter().next().unwrap_or(self.rule),
            found: some(self.found),
            expected: some(self.expected),
            hints: self.hints,
            ..Diagnostic::error(some(self.description).unwrap_or_else(|| summary.to_owned()))
        }
    }
}

fn are_neighbours(a: &Position, b: &Position) -> bool {
    match (a.line(), b.line()) {
        (Some(first), Some(second)) => a.file() == b.file() && first.abs_diff(second) <= 1,
        _ => false,
    }
}
