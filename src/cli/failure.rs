//! How errors are printed: as ytt does; with the source line, for a person at a terminal; as JSON, for a program.

use super::flags::ErrorFormat;
use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::position::Position;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::ops::Range;

/// Longer lines are cut: whoever looks for the place has its number.
const WIDEST: usize = 200;

/// Prints a report on standard error.
pub fn print(name: &str, report: &Report, format: ErrorFormat) {
    let text = text(name, report, format);
    // Nobody is left to be told that nothing can be told.
    let _ = write!(std::io::stderr(), "{text}");
}

/// A report as it is printed.
pub fn text(name: &str, report: &Report, format: ErrorFormat) -> String {
    let at_terminal = std::io::stderr().is_terminal();
    let mut text = match format {
        ErrorFormat::Json => json(report),
        _ if tells_more(format) => full(name, report, Paint::new(at_terminal)),
        _ => report.layout(name),
    };
    text.push('\n');
    text
}

/// Whether a reader is told more than ytt says.
pub fn tells_more(format: ErrorFormat) -> bool {
    match format {
        ErrorFormat::Json | ErrorFormat::Full => true,
        ErrorFormat::Plain => false,
        ErrorFormat::Auto => std::io::stderr().is_terminal(),
    }
}

/// The report as one JSON object: `text`, what ytt prints, and `diagnostics`.
fn json(report: &Report) -> String {
    let place = |position: &Position| {
        position.source().map(|source| {
            json!({
                "file": source.name,
                "line": position.line(),
                "source": position.line_text(),
            })
        })
    };
    let diagnostic = |diagnostic: &Diagnostic| {
        json!({
            "severity": severity(diagnostic.severity),
            "message": diagnostic.message,
            "path": diagnostic.path,
            "origin": place(&diagnostic.origin),
            "rule": place(&diagnostic.rule),
            "found": diagnostic.found,
            "expected": diagnostic.expected,
            "hints": diagnostic.hints,
            "calls": diagnostic.calls.iter().map(|call| json!({
                "function": call.function,
                "origin": place(&call.origin),
            })).collect::<Vec<Value>>(),
        })
    };
    let diagnostics: Vec<Value> = report.diagnostics().iter().map(diagnostic).collect();
    json!({ "text": report.text(), "diagnostics": diagnostics }).to_string()
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Colours, or none.
struct Paint {
    red: &'static str,
    blue: &'static str,
    bold: &'static str,
    plain: &'static str,
}

impl Paint {
    /// Colours for a terminal, unless its user wants none (<https://no-color.org>) or it has none.
    fn new(at_terminal: bool) -> Paint {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if at_terminal && !unwanted {
            Paint {
                red: "\x1b[1;31m",
                blue: "\x1b[34m",
                bold: "\x1b[1m",
                plain: "\x1b[0m",
            }
        } else {
            Paint {
                red: "",
                blue: "",
                bold: "",
                plain: "",
            }
        }
    }
}

/// Each diagnostic with its place; the plain form where none has one.
fn full(name: &str, report: &Report, paint: Paint) -> String {
    let Paint {
        red, bold, plain, ..
    } = paint;
    let diagnostics = report.diagnostics();
    let placed = diagnostics
        .iter()
        .any(|diagnostic| diagnostic.origin.source().is_some());
    let mut out = String::new();
    if !placed {
        let text = report.layout(name);
        let text = text
            .strip_prefix(&format!("{name}: Error: "))
            .unwrap_or(&text);
        let _ = write!(
            out,
            "{red}{name}: Error:{plain} {bold}{}{plain}",
            clean(text)
        );
        for hint in diagnostics
            .iter()
            .flat_map(|diagnostic| diagnostic.hints.first())
        {
            let _ = write!(out, "\n  = hint: {}", clean(hint));
        }
        return out;
    }
    for (number, diagnostic) in diagnostics.iter().enumerate() {
        if number > 0 {
            out.push_str("\n\n");
        }
        let mut message = clean(&diagnostic.message);
        if !diagnostic.path.is_empty() {
            message = format!("{}: {message}", clean(&diagnostic.path.join(".")));
        }
        let kind = match diagnostic.severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
        };
        let _ = write!(out, "{red}{name}: {kind}:{plain} {bold}{message}{plain}");
        block(&mut out, diagnostic, &paint);
    }
    out
}

/// The place with its line, and what is known beside.
fn block(out: &mut String, diagnostic: &Diagnostic, paint: &Paint) {
    let Paint {
        red, blue, plain, ..
    } = paint;
    let origin = &diagnostic.origin;
    let number = origin
        .line()
        .map(|line| line.to_string())
        .unwrap_or_default();
    let pad = " ".repeat(number.len().max(1));
    if origin.source().is_some() {
        let _ = write!(
            out,
            "\n{pad}{blue}-->{plain} {}",
            clean(&origin.to_string())
        );
        let line = origin.line_text();
        if origin.line().is_some() && !line.trim().is_empty() {
            let (line, marked) = (clean(&line), span(&clean(&line), diagnostic));
            let shown: String = line.chars().take(WIDEST).collect();
            let (blanks, carets) = (" ".repeat(marked.start), "^".repeat(marked.len()));
            let _ = write!(
                out,
                "\n{pad} {blue}|{plain}\n{blue}{number} |{plain} {shown}"
            );
            if marked.end <= WIDEST {
                let _ = write!(out, "\n{pad} {blue}|{plain} {blanks}{red}{carets}{plain}");
            }
        }
    }
    let mut tell = |what: &str, text: &str| {
        let text = clean(text).replace('\n', &format!("\n{pad}   "));
        let _ = write!(out, "\n{pad} {blue}={plain} {what}: {text}");
    };
    if let Some(found) = &diagnostic.found {
        tell("found", found);
    }
    if let Some(expected) = &diagnostic.expected {
        tell("expected", expected);
    }
    let rule = diagnostic.rule.to_string();
    if diagnostic.rule.line().is_some()
        && !diagnostic
            .expected
            .as_ref()
            .is_some_and(|expected| expected.contains(&rule))
    {
        tell("by", &rule);
    }
    for call in diagnostic
        .calls
        .iter()
        .filter(|call| call.origin != *origin)
    {
        tell(
            "called from",
            &format!("{} ({})", call.origin, call.function),
        );
    }
    if let Some(hint) = diagnostic.hints.first() {
        tell("hint", hint);
    }
}

/// What a message speaks of, within its line, in characters: a word that it quotes, the last key of the path, or all
/// of the line.
fn span(line: &str, diagnostic: &Diagnostic) -> Range<usize> {
    let message = &diagnostic.message;
    let mut wanted: Vec<&str> = Vec::new();
    if let Some((_, name)) = message.split_once("undefined: ") {
        wanted.extend(name.split_whitespace().next());
    }
    wanted.extend(
        message
            .split_whitespace()
            .filter(|word| word.starts_with('.') && word.len() > 1),
    );
    wanted.extend(message.split(['\'', '"']).skip(1).step_by(2));
    wanted.extend(diagnostic.path.last().map(String::as_str));
    let characters = |end: usize| line.get(..end).map_or(0, |before| before.chars().count());
    for word in wanted.into_iter().filter(|word| !word.is_empty()) {
        if let Some(start) = find_word(line, word) {
            return characters(start)..characters(start + word.len());
        }
    }
    let start = line.len() - line.trim_start().len();
    characters(start)..characters(line.trim_end().len())
}

/// The last place where a word stands by itself.
fn find_word(line: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (starts, ends) = (word.starts_with(is_part), word.ends_with(is_part));
    line.rmatch_indices(word)
        .map(|(start, _)| start)
        .find(|start| {
            let before = line
                .get(..*start)
                .and_then(|before| before.chars().next_back());
            let after = line
                .get(start + word.len()..)
                .and_then(|after| after.chars().next());
            !(starts && before.is_some_and(is_part) || ends && after.is_some_and(is_part))
        })
}

/// A text that a terminal shows and does not obey.
fn clean(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\t' => ' ',
            '\n' => '\n',
            _ if character.is_control() => '\u{FFFD}',
            _ => character,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Source;

    #[test]
    fn what_is_marked() {
        let table = [
            ("undefined: x", "ax: #@ x + ax", 7..8),
            (
                "struct has no .prot field or method",
                "p: #@ data.values.prot",
                17..22,
            ),
            ("key 'é' is bad", "  é: 1", 2..3),
            ("no word of it", "  a: b ", 2..6),
        ];
        for (message, line, want) in table {
            assert_eq!(span(line, &Diagnostic::error(message)), want, "{message}");
        }
    }

    #[test]
    fn the_full_form() {
        let source = Source::file("a.yml", "b: 1\n\x1b[2Ja:\t#@ xs\n");
        let mut diagnostic = Diagnostic::error("undefined: xs");
        diagnostic.origin = Position::new(&source, 2);
        diagnostic.hints = vec!["first".into(), "second".into()];
        let report = Report::with_diagnostics("\n- undefined: xs", vec![diagnostic]);
        let plain = Paint {
            red: "",
            blue: "",
            bold: "",
            plain: "",
        };
        assert_eq!(
            full("haulout", &report, plain),
            "haulout: Error: undefined: xs\n --> a.yml:2\n  |\n2 | \u{FFFD}[2Ja: #@ xs\n  |           ^^\n  = hint: first"
        );
    }
}
