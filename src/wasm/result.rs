//! What a render gave.

use super::PROGRAM;
use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::position::Position;
use crate::yaml::Value;
use serde::Serialize;

#[derive(Default, Serialize)]
pub(super) struct Rendering {
    pub text: String,
    pub documents: Vec<Document>,
    pub files: Vec<ResultFile>,
    pub printed: String,
    pub error: String,
    pub diagnostics: Vec<Finding>,
}

impl From<&Report> for Rendering {
    fn from(report: &Report) -> Rendering {
        Rendering {
            error: report.layout(PROGRAM),
            diagnostics: report.diagnostics().iter().map(Finding::from).collect(),
            ..Rendering::default()
        }
    }
}

impl From<String> for Rendering {
    fn from(text: String) -> Rendering {
        Rendering {
            text,
            ..Rendering::default()
        }
    }
}

/// Where lines came from; `(-1, 0)` is nowhere.
#[derive(Default, Serialize)]
pub(super) struct Origins {
    files: Vec<String>,
    lines: Vec<(i32, u32)>,
}

impl Origins {
    pub fn add(&mut self, position: &Position) {
        let Some(line) = position.line() else {
            return self.lines.push((-1, 0));
        };
        let file = position.file();
        let known = self.files.iter().position(|name| name == file);
        let index = known.unwrap_or_else(|| {
            self.files.push(file.to_owned());
            self.files.len() - 1
        });
        self.lines.push((index as i32, line));
    }
}

#[derive(Serialize)]
pub(super) struct ResultFile {
    pub path: String,
    pub text: String,
}

#[derive(Serialize)]
pub(super) struct Document {
    kind: Option<String>,
    name: Option<String>,
}

impl From<&Value> for Document {
    fn from(value: &Value) -> Document {
        let word =
            |value: &Value, key: &str| Some(value.as_map()?.get(key)?.value.as_str()?.to_owned());
        let metadata = value.as_map().and_then(|map| map.get("metadata"));
        Document {
            kind: word(value, "kind"),
            name: metadata.and_then(|metadata| word(&metadata.value, "name")),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Finding {
    severity: &'static str,
    message: String,
    path: Vec<String>,
    origin: Option<Place>,
    rule: Option<Place>,
    found: Option<String>,
    expected: Option<String>,
    hints: Vec<String>,
}

impl From<&Diagnostic> for Finding {
    fn from(diagnostic: &Diagnostic) -> Finding {
        let diagnostic = diagnostic.clone();
        Finding {
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: diagnostic.message,
            path: diagnostic.path,
            origin: Place::of(&diagnostic.origin),
            rule: Place::of(&diagnostic.rule),
            found: diagnostic.found,
            expected: diagnostic.expected,
            hints: diagnostic.hints,
        }
    }
}

#[derive(Serialize)]
pub(super) struct Place {
    file: String,
    line: Option<u32>,
}

impl Place {
    fn of(position: &Position) -> Option<Place> {
        let source = position.source()?;
        Some(Place {
            file: source.name.clone(),
            line: position.line(),
        })
    }
}
