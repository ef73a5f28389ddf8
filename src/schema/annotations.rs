//! The `@schema/...` annotations of one node.

use super::fault::{Fault, Problem, report};
use super::types::{Documentation, Example, Type};
use crate::bytestring::Str;
use crate::diagnostic::Report;
use crate::modules::go_type;
use crate::position::Position;
use crate::script;
use crate::template::annotation::NodeRef;
use crate::template::convert::{place_nodes, to_yaml};
use crate::yaml::{Annotation, Meta, Value};

const TYPE: &str = "schema/type";
const NULLABLE: &str = "schema/nullable";
const DEFAULT: &str = "schema/default";
const TITLE: &str = "schema/title";
const DESCRIPTION: &str = "schema/desc";
const EXAMPLES: &str = "schema/examples";
const DEPRECATED: &str = "schema/deprecated";
pub(super) const VALIDATION: &str = "schema/validation";

/// What every fault of a schema document is under.
pub(super) const INVALID: &str = "Invalid schema";

/// What an annotated node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Document,
    MapItem,
    ArrayItem,
}

/// A node that can be annotated.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    pub kind: Kind,
    pub value: &'a Value,
    pub meta: &'a Meta,
}

/// What a node's annotations say of its type.
pub(super) struct TypeAnnotations {
    pub any: bool,
    pub nullable: bool,
}

impl<'a> Node<'a> {
    pub fn position(&self) -> &'a Position {
        &self.meta.position
    }

    fn fault(&self, annotation: &Annotation, description: String) -> Fault {
        Fault {
            description,
            annotations: vec![annotation.position.clone()],
            position: self.position().clone(),
            ..Fault::default()
        }
    }

    /// `@schema/type` and `@schema/nullable`.
    pub fn type_annotations(&self) -> Result<TypeAnnotations, Problem> {
        let any = match self.meta.annotation(TYPE) {
            Some(annotation) => self.any(annotation)?,
            None => false,
        };
        let nullable = match self.meta.annotation(NULLABLE) {
            Some(annotation) if !annotation.named.is_empty() => {
                return Err(Problem::from(Fault {
                    expected: "starlark.Bool".to_owned(),
                    found: format!(
                        "keyword argument in @{NULLABLE} (by {})",
                        annotation.position
                    ),
                    hints: vec!["Supported kwargs are 'any'".to_owned()],
                    ..self.fault(
                        annotation,
                        format!(
                            "expected @{NULLABLE} annotation to not contain any keyword arguments"
                        ),
                    )
                }));
            }
            found => found.is_some(),
        };
        Ok(TypeAnnotations { any, nullable })
    }

    fn any(&self, annotation: &Annotation) -> Result<bool, Problem> {
        let by = &annotation.position;
        if annotation.named.is_empty() {
            return Err(Problem::from(Fault {
                expected: "valid keyword argument and value".to_owned(),
                found: format!("missing keyword argument and value (by {by})"),
                hints: vec!["Supported key-value pairs are 'any=True', 'any=False'".to_owned()],
                ..self.fault(
                    annotation,
                    format!("expected @{TYPE} annotation to have keyword argument and value"),
                )
            }));
        }
        let wrong = |expected: &str, found: &str| {
            Problem::from(Fault {
                expected: expected.to_owned(),
                found: format!("{found} (by {by})"),
                hints: vec!["Supported kwargs are 'any'".to_owned()],
                ..self.fault(
                    annotation,
                    format!("unknown @{TYPE} annotation keyword argument"),
                )
            })
        };
        let mut any = false;
        for (name, value) in &annotation.named {
            match value {
                _ if *name != "any" => return Err(wrong("A valid kwarg", &name.to_text())),
                script::Value::Bool(value) => any = *value,
                other => return Err(wrong("starlark.Bool", &go_type(other))),
            }
        }
        Ok(any)
    }

    /// `@schema/default`, converted but not yet checked, with its place.
    pub fn default(&self, value_type: &Type) -> Result<Option<(Value, Position)>, Problem> {
        let Some(annotation) = self.meta.annotation(DEFAULT) else {
            return Ok(None);
        };
        let by = &annotation.position;
        if self.kind == Kind::ArrayItem {
            let fault = Fault {
                hints: vec![
                    "do you mean to set a default value for the array?".to_owned(),
                    "set an array's default by annotating its parent.".to_owned(),
                ],
                ..self.fault(annotation, String::new())
            };
            let summary = format!("{INVALID} - @{DEFAULT} not supported on array item");
            return Err(Problem::Report(report(&summary, vec![fault.into()])));
        }
        let wrong = |found: String, hints: &[&str]| {
            Err(Problem::from(Fault {
                expected: format!("{} (by {})", value_type.name(), value_type.position),
                found,
                hints: hints.iter().map(|&hint| hint.to_owned()).collect(),
                rule: value_type.position.clone(),
                ..self.fault(annotation, format!("syntax error in @{DEFAULT} annotation"))
            }))
        };
        if !annotation.named.is_empty() {
            return wrong(
                format!("keyword argument in @{DEFAULT} (by {by})"),
                &[
                    "this annotation only accepts one argument: the default value.",
                    "value must be in Starlark format, e.g.: {'key': 'value'}, True.",
                ],
            );
        }
        match annotation.args.as_slice() {
            [] => wrong(format!("missing value in @{DEFAULT} (by {by})"), &[]),
            [value] => match self.convert(value) {
                Ok(value) => Ok(Some((value, by.clone()))),
                Err(error) => wrong(format!("{error} in @{DEFAULT} (by {by})"), &[]),
            },
            many => wrong(
                format!("{} values in @{DEFAULT} (by {by})", many.len()),
                &[],
            ),
        }
    }

    /// What is for people; examples are not yet checked.
    pub fn documentation(&self) -> Result<Documentation, Problem> {
        let description = self.text(DESCRIPTION)?;
        let title = self.text(TITLE)?;
        let examples = match self.meta.annotation(EXAMPLES) {
            Some(annotation) => self.examples(annotation)?,
            None => Vec::new(),
        };
        if let Some(annotation) = self.meta.annotation(DEPRECATED)
            && self.kind == Kind::Document
        {
            return Err(Problem::from(Fault {
                hints: vec![
                    "do you mean to deprecate the entire schema document?".to_owned(),
                    "use schema/deprecated on individual keys.".to_owned(),
                ],
                ..self.fault(
                    annotation,
                    format!("@{DEPRECATED} not supported on a document"),
                )
            }));
        }
        let deprecated = self.text(DEPRECATED)?;
        Ok(Documentation {
            title,
            description,
            deprecated,
            examples,
        })
    }

    /// Where the examples stand.
    pub fn examples_position(&self) -> Position {
        self.meta
            .annotation(EXAMPLES)
            .map_or_else(Position::unknown, |annotation| annotation.position.clone())
    }

    /// The one string of an annotation.
    fn text(&self, name: &str) -> Result<Option<Str>, Problem> {
        let Some(annotation) = self.meta.annotation(name) else {
            return Ok(None);
        };
        let by = &annotation.position;
        let (found, hint) = match (annotation.named.as_slice(), annotation.args.as_slice()) {
            ([_, ..], _) => (
                format!("keyword argument in @{name} (by {by})"),
                Some("this annotation only accepts one argument: a string."),
            ),
            ([], []) => (format!("missing value in @{name} (by {by})"), None),
            ([], [script::Value::Str(text)]) => return Ok(Some(text.clone())),
            ([], [_]) => (format!("Non-string value in @{name} (by {by})"), None),
            ([], many) => (format!("{} values in @{name} (by {by})", many.len()), None),
        };
        Err(Problem::from(Fault {
            expected: "string".to_owned(),
            found,
            hints: hint.map(str::to_owned).into_iter().collect(),
            ..self.fault(annotation, format!("syntax error in @{name} annotation"))
        }))
    }

    fn examples(&self, annotation: &Annotation) -> Result<Vec<Example>, Problem> {
        let by = &annotation.position;
        let wrong =
            |found: String| {
                Problem::from(Fault {
                expected:
                    "2-tuple containing description (string) and example value (of expected type)"
                        .to_owned(),
                found,
                ..self.fault(annotation, format!("syntax error in @{EXAMPLES} annotation"))
            })
            };
        if !annotation.named.is_empty() {
            return Err(wrong(format!("keyword argument in @{EXAMPLES} (by {by})")));
        }
        if annotation.args.is_empty() {
            return Err(wrong(format!("missing value in @{EXAMPLES} (by {by})")));
        }
        let mut examples = Vec::with_capacity(annotation.args.len());
        for argument in &annotation.args {
            let script::Value::Tuple(tuple) = argument else {
                let kind = argument.type_name();
                return Err(wrong(format!("{kind} for @{EXAMPLES} (at {by})")));
            };
            examples.push(match tuple.as_slice() {
                [script::Value::Str(description), value] => Example {
                    description: description.clone(),
                    value: self
                        .convert(value)
                        .map_err(|error| wrong(format!("{error} in @{EXAMPLES} (by {by})")))?,
                },
                [other, _] => {
                    let kind = other.type_name();
                    return Err(wrong(format!("{kind} value for @{EXAMPLES} (at {by})")));
                }
                [] | [_] => return Err(wrong(format!("empty tuple in @{EXAMPLES} (by {by})"))),
                many => {
                    let count = many.len();
                    return Err(wrong(format!(
                        "{count}-tuple argument in @{EXAMPLES} (by {by})"
                    )));
                }
            });
        }
        Ok(examples)
    }

    fn convert(&self, value: &script::Value) -> script::Result<Value> {
        let mut value = to_yaml(value)?;
        place_nodes(&mut value, self.position());
        Ok(value)
    }
}

/// Fails if anything below a node of any type is annotated as if it had one.
pub(super) fn refuse_nested(value: &Value) -> Result<(), Report> {
    let mut stack = vec![NodeRef::of(value)];
    while let Some(node) = stack.pop() {
        if let Some(meta) = node.meta() {
            let found: Vec<&Annotation> = [NULLABLE, TYPE, DEFAULT]
                .iter()
                .filter_map(|name| meta.annotation(name))
                .collect();
            if !found.is_empty() {
                let names: Vec<&str> = found.iter().map(|annotation| &*annotation.name).collect();
                let fault = Fault {
                    description: "Schema was specified within an \"any type\" fragment".to_owned(),
                    annotations: found
                        .iter()
                        .map(|annotation| annotation.position.clone())
                        .collect(),
                    position: meta.position.clone(),
                    expected:
                        "no '@schema/...' on nodes within a node annotated '@schema/type any=True'"
                            .to_owned(),
                    found: format!("@{} annotation(s)", names.join(", @")),
                    hints: vec![
                        "an \"any type\" fragment has no constraints; nested schema annotations conflict and are disallowed"
                            .to_owned(),
                    ],
                    ..Fault::default()
                };
                return Err(report(INVALID, vec![fault.into()]));
            }
        }
        node.push_children(&mut stack);
    }
    Ok(())
}

/// Says which annotation gave the values that are at fault.
pub(super) fn blame(faults: Vec<Fault>, annotation: &Position, by: &str) -> Vec<Problem> {
    faults
        .into_iter()
        .map(|mut fault| {
            fault.annotations = vec![annotation.clone()];
            fault.found = format!("{} ({by} {annotation})", fault.found);
            // It is the schema that is wrong, no data value.
            fault.path.clear();
            fault.into()
        })
        .collect()
}
