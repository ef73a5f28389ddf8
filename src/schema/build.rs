//! From a schema document to types.

use super::annotations::{INVALID, Kind, Node, VALIDATION, blame, refuse_nested};
use super::assign::{check_against, with_defaults};
use super::fault::{Fault, Problem, report};
use super::rules::Validation;
use super::types::{Documentation, Field, MapType, Scalar, Schema, Shape, Type};
use crate::diagnostic::Report;
use crate::position::Position;
use crate::script::Interp;
use crate::yaml::{Array, Document, Map, Meta, Value};
use std::rc::Rc;

impl Schema {
    /// The schema that an evaluated document declares.
    ///
    /// # Errors
    /// It is not one: ytt's text, which begins with an empty line and the summary; or an invalid `@schema/validation`.
    pub fn from_document(interp: &mut Interp, document: &Document) -> Result<Schema, Report> {
        let node = Node {
            kind: Kind::Document,
            value: &document.value,
            meta: &document.meta,
        };
        let mut build = Build { interp, depth: 0 };
        Ok(Schema {
            root: Rc::new(build.field(node, None)?),
            declared: true,
        })
    }
}

/// Maps and arrays of a schema nest no deeper than this, so that whatever walks its types has an end in sight.
const MAX_DEPTH: usize = 200;

/// Turns nodes into fields; knows how deep it is.
struct Build<'a> {
    interp: &'a mut Interp,
    depth: usize,
}

/// A type, and what stands there if nothing is given.
type TypeAndDefault = (Type, Value);

/// Why a type cannot be told from a value.
enum Infer {
    /// The value is null.
    Null(Report),
    /// Something below it is wrong.
    Other(Report),
}

impl Build<'_> {
    fn field(&mut self, node: Node<'_>, key: Option<Value>) -> Result<Field, Report> {
        let (value_type, default) = self.value_type(node)?;
        let given = node.default(&value_type).map_err(invalid)?;
        let default = match given {
            Some((value, position)) => checked_default(&value_type, value, &position)?,
            None => default,
        };
        let validation = match node.meta.annotation(VALIDATION) {
            Some(annotation) => Some(
                Validation::from_annotation(self.interp, annotation).map_err(|message| {
                    Report::new(format!("Invalid @{VALIDATION} annotation - {message}"))
                })?,
            ),
            None => None,
        };
        Ok(Field {
            key,
            value_type,
            default,
            position: node.position().clone(),
            validation: validation.map(Rc::new),
        })
    }

    fn value_type(&mut self, node: Node<'_>) -> Result<TypeAndDefault, Report> {
        let annotations = node.type_annotations().map_err(invalid)?;
        let (mut value_type, default) = if annotations.any {
            refuse_nested(node.value)?;
            let default = match annotations.nullable {
                true => Value::Null,
                false => node.value.clone(),
            };
            (Type::new(Shape::Any, node.position().clone()), default)
        } else if annotations.nullable {
            let (inner, _) = self.infer(node).map_err(|error| match error {
                Infer::Null(report) => report,
                Infer::Other(report) => invalid(report.into()),
            })?;
            let shape = Shape::Nullable(Box::new(inner));
            (Type::new(shape, node.position().clone()), Value::Null)
        } else {
            self.infer(node)
                .map_err(|(Infer::Null(report) | Infer::Other(report))| report)?
        };
        let documentation = node.documentation().map_err(invalid)?;
        check_examples(&value_type, &documentation, &node.examples_position())?;
        value_type.documentation = documentation;
        Ok((value_type, default))
    }

    fn infer(&mut self, node: Node<'_>) -> Result<TypeAndDefault, Infer> {
        match node.value {
            Value::Map(_) | Value::Array(_) if self.depth >= MAX_DEPTH => {
                Err(Infer::Other(too_deep(node.position())))
            }
            Value::Map(map) => self.within(|build| build.map(map)),
            Value::Array(array) => self.within(|build| build.array(array)),
            Value::Documents(_) => Err(Infer::Other(Report::new(
                "Expected value to be a map, array, or scalar, but was document set",
            ))),
            scalar => match Scalar::of(scalar) {
                Some(kind) => {
                    let shape = Shape::Scalar(kind);
                    Ok((Type::new(shape, node.position().clone()), scalar.clone()))
                }
                None => {
                    let fault = Fault {
                        position: node.position().clone(),
                        expected: "non-null value".to_owned(),
                        found: "null value".to_owned(),
                        hints: vec![
                            "in YAML, omitting a value implies null.".to_owned(),
                            "to set the default value to null, annotate with @schema/nullable."
                                .to_owned(),
                            "to allow any value, annotate with @schema/type any=True.".to_owned(),
                        ],
                        ..Fault::default()
                    };
                    let summary = format!("{INVALID} - null value not allowed here");
                    Err(Infer::Null(report(&summary, vec![fault.into()])))
                }
            },
        }
    }

    fn map(&mut self, map: &Map) -> Result<TypeAndDefault, Report> {
        let mut fields = Vec::with_capacity(map.items.len());
        for item in &map.items {
            let node = Node {
                kind: Kind::MapItem,
                value: &item.value,
                meta: &item.meta,
            };
            fields.push(self.field(node, Some(item.key.clone()))?);
        }
        let position = &map.meta.position;
        let fields = MapType::new(fields);
        let default = Value::Map(Rc::new(Map {
            items: fields.default_items().collect(),
            meta: Meta::at(position.clone()),
        }));
        Ok((Type::new(Shape::Map(fields), position.clone()), default))
    }

    fn array(&mut self, array: &Array) -> Result<TypeAndDefault, Report> {
        let [item] = array.items.as_slice() else {
            let fault = Fault {
                position: array.meta.position.clone(),
                expected: "exactly 1 array item, of the desired type".to_owned(),
                found: format!("{} array items", array.items.len()),
                hints: vec![
                    "in schema, the one item of the array implies the type of its elements."
                        .to_owned(),
                    "in schema, the default value for an array is always an empty list.".to_owned(),
                    "default values can be overridden via a data values overlay.".to_owned(),
                ],
                ..Fault::default()
            };
            let summary = format!("{INVALID} - wrong number of items in array definition");
            return Err(report(&summary, vec![fault.into()]));
        };
        let node = Node {
            kind: Kind::ArrayItem,
            value: &item.value,
            meta: &item.meta,
        };
        let field = self.field(node, None)?;
        let position = &array.meta.position;
        let value_type = Type::new(Shape::Array(Box::new(field)), position.clone());
        let default = Value::Array(Rc::new(Array {
            items: Vec::new(),
            meta: Meta::at(position.clone()),
        }));
        Ok((value_type, default))
    }

    fn within(
        &mut self,
        build: impl FnOnce(&mut Self) -> Result<TypeAndDefault, Report>,
    ) -> Result<TypeAndDefault, Infer> {
        self.depth += 1;
        let built = build(self);
        self.depth -= 1;
        built.map_err(Infer::Other)
    }
}

fn invalid(problem: Problem) -> Report {
    report(INVALID, vec![problem])
}

fn too_deep(position: &Position) -> Report {
    let fault = Fault {
        position: position.clone(),
        expected: format!("at most {MAX_DEPTH} maps and arrays within each other"),
        found: "more".to_owned(),
        ..Fault::default()
    };
    report(&format!("{INVALID} - nested too deep"), vec![fault.into()])
}

fn checked_default(
    value_type: &Type,
    value: Value,
    annotation: &Position,
) -> Result<Value, Report> {
    let faults = check_against(value_type, &value, &value_type.position);
    if faults.is_empty() {
        return Ok(with_defaults(value_type, &value));
    }
    let summary = format!("{INVALID} - @schema/default is wrong type");
    Err(report(&summary, blame(faults, annotation, "at")))
}

fn check_examples(
    value_type: &Type,
    documentation: &Documentation,
    annotation: &Position,
) -> Result<(), Report> {
    let faults: Vec<Fault> = documentation
        .examples
        .iter()
        .flat_map(|example| check_against(value_type, &example.value, &value_type.position))
        .collect();
    if faults.is_empty() {
        return Ok(());
    }
    let summary = format!("{INVALID} - @schema/examples has wrong type");
    Err(report(&summary, blame(faults, annotation, "by")))
}
