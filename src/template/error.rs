//! Errors of programs as reports: ytt's layout, with hints and the lines that were running.

use super::program::{Line, Place, Template};
use crate::diagnostic::{Call, Diagnostic, Report};
use crate::position::{Position, Source};
use crate::script::{Error, Frame, SyntaxError};
use std::fmt::Write as _;
use std::rc::Rc;

/// From so many calls on an error tells only the innermost and the outermost of them, a function that calls itself
/// without end being what they mostly are.
const MOST_CALLS: usize = 100;

/// How many it tells of each then.
const END: usize = 5;

/// Finds templates by the file names that frames have.
pub type Find<'a> = &'a dyn Fn(&str) -> Option<Rc<Template>>;

/// The report of a program that is no program.
pub fn syntax_report(template: &Rc<Template>, errors: &[SyntaxError]) -> Report {
    let failures = errors.iter().map(|error| Failure {
        message: error.message.clone(),
        places: vec![FramePlace {
            function: None,
            line: error.pos.line,
            template: Origin::Known(template.clone()),
        }],
        left_out: 0,
        hint: None,
    });
    report(failures.collect())
}

/// The report of a program that failed.
pub fn runtime_report(error: &Error, find: Find<'_>) -> Report {
    let frames = error.frames();
    let left_out = match frames.len() {
        all @ MOST_CALLS.. => all - 2 * END,
        _ => 0,
    };
    let (inner, outer) = frames.split_at(frames.len().min(END));
    let told = inner.iter().chain(outer.iter().skip(left_out));
    report(vec![Failure {
        message: error.message().to_owned(),
        places: told.map(|frame| FramePlace::new(frame, find)).collect(),
        left_out,
        hint: error.hint().map(str::to_owned),
    }])
}

/// The report of what went wrong beside any program.
pub fn plain_report(message: &str) -> Report {
    report(vec![Failure {
        message: message.to_owned(),
        places: Vec::new(),
        left_out: 0,
        hint: None,
    }])
}

struct Failure {
    message: String,
    places: Vec<FramePlace>,
    /// How many calls are not told, after the first `END` of the places.
    left_out: usize,
    /// What may help, beside what ytt says.
    hint: Option<String>,
}

struct FramePlace {
    function: Option<Rc<str>>,
    line: u32,
    template: Origin,
}

enum Origin {
    Known(Rc<Template>),
    Unknown(Rc<str>),
}

impl FramePlace {
    fn new(frame: &Frame, find: Find<'_>) -> FramePlace {
        let template = match find(&frame.file) {
            Some(template) => Origin::Known(template),
            None => Origin::Unknown(frame.file.clone()),
        };
        FramePlace {
            function: Some(frame.function.clone()),
            line: frame.line,
            template,
        }
    }

    fn line(&self) -> Option<&Line> {
        match &self.template {
            Origin::Known(template) => template.line(self.line),
            Origin::Unknown(_) => None,
        }
    }

    fn position(&self) -> Option<Position> {
        match &self.template {
            Origin::Known(template) => {
                let placed = |line: &Line| line.place.as_ref().map(|place| place.position.clone());
                template.line(self.line).and_then(placed).or_else(|| {
                    template
                        .nearest_placed_line(self.line, false)
                        .and_then(placed)
                })
            }
            Origin::Unknown(_) => None,
        }
    }

    fn call(&self) -> Option<Call> {
        Some(Call {
            function: self.function.as_deref()?.to_owned(),
            origin: self.position()?,
        })
    }

    fn write(&self, text: &mut String) {
        // Calls of functions that are not written in the language have no line.
        if self.line == 0 {
            return;
        }
        let pad = match &self.function {
            Some(function) => {
                let _ = write!(text, "\n    in {function}");
                "      "
            }
            None => "    ",
        };
        let template = match &self.template {
            Origin::Known(template) => template,
            Origin::Unknown(file) => {
                // Such as a function that another library exported.
                let position = Position::new(&Source::file(&**file, ""), self.line);
                let _ = write!(text, "\n{pad}{position} | (unavailable)");
                return;
            }
        };
        let Some(line) = template.line(self.line) else {
            return;
        };
        let mut show = |place: &Place, content: String| {
            let _ = write!(
                text,
                "\n{pad}{} | {content}",
                template.describe(&place.position)
            );
        };
        if let Some(place) = &line.place {
            show(place, place.selected_text());
            return;
        }
        // A line that is not the user's stands between those that are.
        let before = template.nearest_placed_line(self.line, false);
        if let Some(place) = before.and_then(|line| line.place.as_ref()) {
            show(place, place.text());
        }
        let _ = write!(
            text,
            "\n{pad}{}:? | {} (generated)",
            template.name(),
            line.code.text()
        );
        let after = template.nearest_placed_line(self.line, true);
        if let Some(place) = after.and_then(|line| line.place.as_ref()) {
            let _ = write!(
                text,
                "\n{pad}{} | {}",
                template.describe(&place.position),
                place.text()
            );
        }
    }
}

fn report(failures: Vec<Failure>) -> Report {
    let mut text = String::new();
    let mut diagnostics = Vec::with_capacity(failures.len());
    for failure in failures {
        let hint = hint(&failure);
        let (topic, rest) = match failure.message.split_once('\n') {
            Some((topic, rest)) => (topic, Some(rest)),
            None => (failure.message.as_str(), None),
        };
        let _ = write!(text, "\n- {topic}");
        if let Some(hint) = hint {
            let _ = write!(text, " (hint: {hint})");
        }
        for (index, place) in failure.places.iter().enumerate() {
            if index == END && failure.left_out > 0 {
                let _ = write!(text, "\n    in {} more calls", failure.left_out);
            }
            place.write(&mut text);
        }
        if let Some(rest) = rest {
            text.push_str("\n\n    reason:");
            for line in rest.split('\n') {
                let _ = write!(text, "\n     {line}");
            }
        }
        let mut diagnostic = Diagnostic::error(failure.message.trim());
        diagnostic.origin = failure
            .places
            .iter()
            .find_map(FramePlace::position)
            .unwrap_or_default();
        diagnostic.hints.extend(hint.map(str::to_owned));
        diagnostic.hints.extend(failure.hint.clone());
        diagnostic.calls = failure.places.iter().filter_map(FramePlace::call).collect();
        diagnostics.push(diagnostic);
    }
    Report::with_diagnostics(text, diagnostics)
}

/// What may help with some mistakes of those who come from other languages.
fn hint(failure: &Failure) -> Option<&'static str> {
    let message = failure.message.as_str();
    let code_has = |operator: &str| {
        failure.places.iter().any(|place| {
            place
                .line()
                .is_some_and(|line| line.code.text().contains(operator))
        })
    };
    let is_binary = |operator: &str| {
        let operands = message
            .strip_prefix("unknown binary op: ")
            .filter(|rest| !rest.contains('\n'));
        operands
            .and_then(|rest| rest.split_once(operator))
            .is_some_and(|(left, right)| !left.is_empty() && !right.is_empty())
    };
    Some(match message {
        "undefined: true" => "use 'True' instead of 'true' for boolean assignment",
        "undefined: false" => "use 'False' instead of 'false' for boolean assignment",
        "got newline, want ':'" => "missing colon at the end of 'if/for/def' statement?",
        "undefined: null" => "use 'None' instead of 'null' to indicate no value",
        "undefined: nil" => "use 'None' instead of 'nil' to indicate no value",
        "undefined: none" => "use 'None' instead of 'none' to indicate no value",
        "unhandled index operation struct[string]" => {
            "use getattr(...) to access struct field programmatically"
        }
        _ if is_binary(" | ") => "use 'or' instead of '|' for logical-or",
        _ if is_binary(" & ") => "use 'and' instead of '&' for logical-and",
        "got '&', want primary expression" if code_has("&&") => {
            "use 'and' instead of '&&' for logical-and"
        }
        "got '|', want primary expression" if code_has("||") => {
            "use 'or' instead of '||' for logical-or"
        }
        _ => return None,
    })
}
