//! Running the rules that are kept on values.

use super::rules::{self, Validation};
use super::types::scalar_text;
use crate::diagnostic::{Diagnostic, Report};
use crate::position::Position;
use crate::script::{Args, Interp, Struct, Value};
use crate::template::to_fragment;
use crate::yaml::{Document, Meta, Value as Node};
use std::fmt::Write as _;

/// Asks all rules of all values.
///
/// # Errors
/// Every violation, laid out by value; or a rule's condition failed.
pub fn validate(interp: &mut Interp, document: &Document) -> Result<(), Report> {
    let mut run = Run {
        interp,
        root: None,
        document,
        path: String::new(),
        keys: Vec::new(),
        text: String::new(),
        diagnostics: Vec::new(),
    };
    run.visit(&document.meta, &document.value, None, "document")?;
    run.descend(&document.value)?;
    if run.diagnostics.is_empty() {
        return Ok(());
    }
    Err(Report::with_diagnostics(run.text, run.diagnostics))
}

struct Run<'a> {
    interp: &'a mut Interp,
    root: Option<Value>,
    document: &'a Document,
    /// The path as messages show it, and the same in pieces.
    path: String,
    keys: Vec<String>,
    text: String,
    diagnostics: Vec<Diagnostic>,
}

impl Run<'_> {
    fn descend(&mut self, value: &Node) -> Result<(), Report> {
        let length = self.path.len();
        match value {
            Node::Map(map) => {
                for item in &map.items {
                    let key = scalar_text(&item.key);
                    if !self.path.is_empty() {
                        self.path.push('.');
                    }
                    self.path.push_str(&key);
                    self.keys.push(key.into_owned());
                    self.visit(&item.meta, &item.value, Some(value), "map item")?;
                    self.descend(&item.value)?;
                    self.keys.pop();
                    self.path.truncate(length);
                }
            }
            Node::Array(array) => {
                for (index, item) in array.items.iter().enumerate() {
                    let _ = write!(self.path, "[{index}]");
                    self.keys.push(index.to_string());
                    self.visit(&item.meta, &item.value, Some(value), "array item")?;
                    self.descend(&item.value)?;
                    self.keys.pop();
                    self.path.truncate(length);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn visit(
        &mut self,
        meta: &Meta,
        value: &Node,
        parent: Option<&Node>,
        kind: &str,
    ) -> Result<(), Report> {
        for validation in rules::get(meta) {
            let shown = to_fragment(value);
            let asked = self
                .is_asked(validation, &shown, parent)
                .map_err(|message| Report::new(format!("Validating {}: {message}", self.path)))?;
            if asked {
                self.ask(validation, &shown, &meta.position, kind)?;
            }
        }
        Ok(())
    }

    /// Whether the rules count for this value.
    fn is_asked(
        &mut self,
        validation: &Validation,
        value: &Value,
        parent: Option<&Node>,
    ) -> Result<bool, String> {
        let keywords = &validation.keywords;
        if value.is_none() && !keywords.not_null {
            return Ok(false);
        }
        let Some(when) = &keywords.when else {
            return Ok(true);
        };
        let mut args = vec![value.clone()];
        match parameter_count(when) {
            1 => {}
            2 => {
                let document = self.document;
                let root = self
                    .root
                    .get_or_insert_with(|| to_fragment(&document.value))
                    .clone();
                args.push(Struct::new(vec![
                    ("parent".into(), parent.map_or(Value::None, to_fragment)),
                    ("root".into(), root),
                ]));
            }
            count => {
                return Err(format!(
                    "Failed to evaluate when=: function must accept 1 or 2 arguments ({count} given)"
                ));
            }
        }
        match self.interp.call(when, Args::positional(args)) {
            Ok(Value::Bool(asked)) => Ok(asked),
            Ok(other) => Err(format!("want when= to be bool, got {}", other.type_name())),
            Err(error) => Err(format!("Failure evaluating when=: {error}")),
        }
    }

    fn ask(
        &mut self,
        validation: &Validation,
        value: &Value,
        position: &Position,
        kind: &str,
    ) -> Result<(), Report> {
        let mut violations = Vec::new();
        let critical = validation.rules.iter().filter(|rule| rule.critical);
        let others = validation.rules.iter().filter(|rule| !rule.critical);
        for rule in critical.chain(others) {
            let args = Args::positional(vec![value.clone()]);
            let found = match self.interp.call(&rule.check, args) {
                Ok(Value::Bool(true)) => continue,
                Ok(_) => None,
                Err(error) if error.is_fatal() => {
                    return Err(Report::new(format!("Validating {}: {error}", self.path)));
                }
                Err(error) => {
                    let message = error.message();
                    let message = message.strip_prefix("fail: ").unwrap_or(message);
                    let message = message.strip_prefix("check: ").unwrap_or(message);
                    (!message.is_empty()).then(|| message.to_owned())
                }
            };
            violations.push((rule.message.to_text(), found));
            if rule.critical {
                break;
            }
        }
        if violations.is_empty() {
            return Ok(());
        }
        let by = &validation.position;
        let path = match self.path.as_str() {
            "" => format!("({kind})"),
            path => path.to_owned(),
        };
        let _ = write!(self.text, "  {path}\n    from: {position}\n");
        for (message, found) in violations {
            let _ = writeln!(self.text, "    - must be: {message} (by: {by})");
            if let Some(found) = &found {
                let _ = writeln!(self.text, "      found: {found}");
            }
            self.diagnostics.push(Diagnostic {
                path: self.keys.clone(),
                origin: position.clone(),
                rule: by.clone(),
                found,
                expected: Some(message.clone().into_owned()),
                ..Diagnostic::error(format!("must be: {message}"))
            });
        }
        self.text.push('\n');
        Ok(())
    }
}

/// How many parameters a function has; functions that are not written in the language take the value alone.
fn parameter_count(function: &Value) -> usize {
    match function {
        Value::Function(function) => match function.arity() {
            (_, Some(most)) => most,
            // The one that takes all others is counted as one.
            (least, None) => least + 1,
        },
        _ => 1,
    }
}
