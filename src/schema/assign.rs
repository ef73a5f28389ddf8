//! Values against a schema: defaults filled in, rules attached, types checked.

use super::fault::{Fault, Problem, report};
use super::rules;
use super::types::{Field, MapType, Scalar, Schema, Shape, Type, scalar_text};
use crate::diagnostic::Report;
use crate::order;
use crate::position::Position;
use crate::script::format::nearest;
use crate::yaml::{Document, Map, MapItem, Meta, Value};
use std::rc::Rc;

/// More keys than this are not listed in a message.
const FEW_KEYS: usize = 9;

impl Schema {
    /// Fills in defaults, attaches rules and checks types.
    ///
    /// # Errors
    /// `One or more data values were invalid`, with all of them.
    pub fn apply(&self, document: &mut Document) -> Result<(), Report> {
        let mut faults = self.assign(document);
        if faults.is_empty() {
            faults = self.check(document);
        }
        if faults.is_empty() {
            return Ok(());
        }
        let problems = faults.into_iter().map(Problem::from).collect();
        Err(report("One or more data values were invalid", problems))
    }

    /// Fills in defaults and attaches rules; gives where a map or an array stands and something else should.
    pub fn assign(&self, document: &mut Document) -> Vec<Fault> {
        let mut walk = Walk::default();
        walk.assign_field(&self.root, &mut document.value, &mut document.meta);
        walk.faults
    }

    /// Where a key is not declared, or a scalar is of another type, in values whose types were assigned.
    pub fn check(&self, document: &Document) -> Vec<Fault> {
        let mut walk = Walk::default();
        walk.check_value(
            &self.root.value_type,
            &document.value,
            &document.meta.position,
        );
        walk.faults
    }
}

/// The faults of a value, such as a default, against the type it should have; where it is a scalar it stands at `position`.
pub(super) fn check_against(value_type: &Type, value: &Value, position: &Position) -> Vec<Fault> {
    let mut walk = Walk::default();
    let mut value = value.clone();
    if is_collection(&value) {
        walk.assign_type(value_type, &mut value);
        if !walk.faults.is_empty() {
            return walk.faults;
        }
    }
    walk.check_value(value_type, &value, position);
    walk.faults
}

/// The value with all defaults filled in.
pub(super) fn with_defaults(value_type: &Type, value: &Value) -> Value {
    let mut value = value.clone();
    if is_collection(&value) {
        Walk::default().assign_type(value_type, &mut value);
    }
    value
}

fn is_collection(value: &Value) -> bool {
    matches!(value, Value::Map(_) | Value::Array(_) | Value::Documents(_))
}

fn position_of(value: &Value) -> Position {
    match value {
        Value::Map(map) => map.meta.position.clone(),
        Value::Array(array) => array.meta.position.clone(),
        Value::Documents(documents) => documents.meta.position.clone(),
        _ => Position::unknown(),
    }
}

#[derive(Default)]
struct Walk {
    faults: Vec<Fault>,
}

impl Walk {
    /// Goes a step down the path; a key is only turned to text if something is wrong there.
    fn within(&mut self, step: impl FnOnce() -> String, visit: impl FnOnce(&mut Walk)) {
        let before = self.faults.len();
        visit(self);
        if let Some(found @ [_, ..]) = self.faults.get_mut(before..) {
            let step = step();
            for fault in found {
                fault.path.insert(0, step.clone());
            }
        }
    }

    fn assign_field(&mut self, field: &Field, value: &mut Value, meta: &mut Meta) {
        if let Some(validation) = &field.validation {
            rules::set(meta, vec![validation.clone()]);
        }
        if is_collection(value) {
            self.assign_type(&field.value_type, value);
        }
    }

    fn assign_type(&mut self, value_type: &Type, value: &mut Value) {
        match (&value_type.shape, value) {
            (Shape::Any, _) => {}
            (Shape::Nullable(inner), value) => self.assign_type(inner, value),
            (Shape::Map(fields), Value::Map(map)) => self.assign_map(fields, Rc::make_mut(map)),
            (Shape::Array(field), Value::Array(array)) => {
                for (index, item) in Rc::make_mut(array).items.iter_mut().enumerate() {
                    self.within(
                        || index.to_string(),
                        |walk| walk.assign_field(field, &mut item.value, &mut item.meta),
                    );
                }
            }
            (Shape::Map(_) | Shape::Array(_) | Shape::Scalar(_), value) => {
                let position = position_of(value);
                let name = value_type.name();
                let fault = Fault::mismatch(name, &value_type.position, value, &position);
                self.faults.push(fault);
            }
        }
    }

    fn assign_map(&mut self, fields: &MapType, map: &mut Map) {
        let mut found = vec![false; fields.items().len()];
        for item in &mut map.items {
            let index = fields.position_of(&item.key);
            if let Some((seen, field)) =
                index.and_then(|index| found.get_mut(index).zip(fields.items().get(index)))
            {
                *seen = true;
                let key = &item.key;
                self.within(
                    || scalar_text(key).into_owned(),
                    |walk| walk.assign_field(field, &mut item.value, &mut item.meta),
                );
            }
        }
        if found.iter().all(|&found| found) {
            return;
        }
        for mut item in fields.default_items() {
            let index = fields.position_of(&item.key);
            if index.is_some_and(|index| found.get(index) == Some(&true)) {
                continue;
            }
            if let Some(field) = fields.get(&item.key) {
                self.assign_field(field, &mut item.value, &mut item.meta);
            }
            map.items.push(item);
        }
    }

    /// `position` is that of the item that holds the value.
    fn check_value(&mut self, value_type: &Type, value: &Value, position: &Position) {
        match (&value_type.shape, value) {
            (Shape::Any, _) | (Shape::Nullable(_), Value::Null) => {}
            (Shape::Nullable(inner), value) => self.check_value(inner, value, position),
            (Shape::Map(fields), Value::Map(map)) => {
                for item in &map.items {
                    if fields.position_of(&item.key).is_none() {
                        self.faults
                            .push(undeclared(item, fields, &value_type.position));
                    }
                }
                for item in &map.items {
                    if let Some(field) = fields.get(&item.key) {
                        self.within(
                            || scalar_text(&item.key).into_owned(),
                            |walk| {
                                walk.check_value(
                                    &field.value_type,
                                    &item.value,
                                    &item.meta.position,
                                );
                            },
                        );
                    }
                }
            }
            (Shape::Array(field), Value::Array(array)) => {
                for (index, item) in array.items.iter().enumerate() {
                    self.within(
                        || index.to_string(),
                        |walk| {
                            walk.check_value(&field.value_type, &item.value, &item.meta.position);
                        },
                    );
                }
            }
            (Shape::Scalar(wanted), value)
                if Scalar::of(value).is_some_and(|found| wanted.takes(found)) => {}
            (Shape::Map(_) | Shape::Array(_) | Shape::Scalar(_), value) => {
                let name = value_type.name();
                let fault = Fault::mismatch(name, &value_type.position, value, position);
                self.faults.push(fault);
            }
        }
    }
}

fn undeclared(item: &MapItem, fields: &MapType, definition: &Position) -> Fault {
    let key = scalar_text(&item.key);
    let names: Vec<_> = fields
        .items()
        .iter()
        .filter_map(|field| field.key.as_ref().map(scalar_text))
        .collect();
    let mut names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    order::sort(&mut names);
    let expected = match names.as_slice() {
        [only] => format!("a map item with the key named \"{only}\" (from {definition})"),
        [_, ..] if names.len() <= FEW_KEYS => {
            format!("one of {{ {} }} (from {definition})", names.join(", "))
        }
        _ => format!("a key declared in map (from {definition})"),
    };
    let hint = nearest(&key, names.iter().copied()).map(|name| format!("did you mean \"{name}\"?"));
    Fault {
        description: "Given data value is not declared in schema".to_owned(),
        position: item.meta.position.clone(),
        path: vec![key.clone().into_owned()],
        rule: definition.clone(),
        expected,
        found: key.into_owned(),
        hints: hint.into_iter().collect(),
        ..Fault::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Source;
    use crate::script::{Interp, Limits};
    use crate::yaml::{ParseOptions, parse, print_value};

    fn document(name: &str, text: &str) -> Document {
        let source = Source::file(name, text);
        let documents = parse(&source, ParseOptions::default()).unwrap();
        documents.items.into_iter().next().unwrap()
    }

    fn apply(schema: &str, values: &str) -> String {
        let mut interp = Interp::new(Limits::default());
        let schema = document("schema.yml", schema);
        let schema = match Schema::from_document(&mut interp, &schema) {
            Ok(schema) => schema,
            Err(report) => return report.text().to_owned(),
        };
        let mut values = document("values.yml", values);
        match schema.apply(&mut values) {
            Ok(()) => String::from_utf8(print_value(&values.value)).unwrap(),
            Err(report) => {
                let paths = report.diagnostics().iter();
                let paths: Vec<String> = paths.map(|found| found.path.join("/")).collect();
                format!("{}{}", paths.join(" "), report.text())
            }
        }
    }

    #[test]
    fn fills_in_defaults() {
        let schema = "---\na: 1\nb:\n  c: x\n  d: 0.5\nl:\n- k: 1\n  s: ''\n";
        let table = [
            ("--- {}", "a: 1\nb:\n  c: x\n  d: 0.5\nl: []\n"),
            (
                "---\nl:\n- s: v\nb: {d: 2}\n",
                "l:\n- s: v\n  k: 1\nb:\n  d: 2\n  c: x\na: 1\n",
            ),
        ];
        for (values, want) in table {
            assert_eq!(apply(schema, values), want);
        }
    }

    #[test]
    fn tells_all_that_is_wrong() {
        let summary =
            "\nOne or more data values were invalid\n====================================\n";
        let found = apply("---\nl:\n- 1\nm:\n  k: 1\n", "---\nl: {a: 1}\nm: [1]\n");
        let want = format!(
            "l m{summary}\nvalues.yml:\n    |\n  2 | l: {{a: 1}}\n    |\n\n    = found: map\n    = expected: array (by schema.yml:2)\n\nvalues.yml:\n    |\n  3 | m: [1]\n    |\n\n    = found: array\n    = expected: map (by schema.yml:4)\n\n"
        );
        assert_eq!(found, want);
        let found = apply("---\na: 1\nl:\n- 1\n", "---\nl: [1, x]\nb: 1\n");
        let want = format!(
            "b l/1{summary}\nGiven data value is not declared in schema\nvalues.yml:\n    |\n  3 | b: 1\n    |\n\n    = found: b\n    = expected: one of {{ a, l }} (from schema.yml:1)\n\nvalues.yml:\n    |\n  2 | l: [1, x]\n    |\n\n    = found: string\n    = expected: integer (by schema.yml:4)\n\n"
        );
        assert_eq!(found, want);
        assert!(apply("---\na: []\n", "---\n").contains("= found: 0 array items\n"));
    }
}
