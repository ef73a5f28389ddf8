//! A schema as a form: what a page needs to ask a person for data values.
//!
//! The shape is JSON, a field at a time:
//!
//! ```text
//! { key, type: map|array|string|integer|float|boolean|any, nullable, title, description, deprecated,
//!   default, yaml (the default as YAML), examples: [{ description, value, yaml }],
//!   rules: [text], conditional, choices: [value], not_null, min, max, min_len, max_len,
//!   fields: [field] (of a map), item: field (of an array), file, line }
//! ```
//!
//! What does not apply is left out.

use super::{Keyed, Words, bound, length};
use crate::schema::types::{Field, Schema, Shape, scalar_text};
use crate::yaml::{Value, print_value};

/// The form of a schema.
pub fn of_schema(schema: &Schema) -> Value {
    field(schema.root())
}

/// A form for values that no schema describes: each is what its default looks like, and `null` may be anything.
pub fn of_values(values: &Value) -> Value {
    guessed(None, values)
}

fn field(field: &Field) -> Value {
    let words = Words::of(field);
    let value_type = &field.value_type;
    let keywords = field
        .validation
        .as_ref()
        .map(|validation| &validation.keywords);
    let mut properties = Keyed::default();
    let text = |text: &Option<String>| text.as_deref().map(Value::str);
    let key = field.key.as_ref().map(|key| Value::str(&*scalar_text(key)));
    properties.add("key", key);
    properties.add("type", Value::str(value_type.inner().name()));
    properties.flag("nullable", matches!(value_type.shape, Shape::Nullable(_)));
    properties.add("title", text(&words.title));
    properties.add("description", text(&words.description));
    properties.add("deprecated", text(&words.deprecated));
    properties.preset(&field.default);
    let examples = words.examples.iter().map(|(description, value)| {
        let mut example = Keyed::default();
        example.add("description", Value::str(description.as_str()));
        example.add("value", value.clone());
        example.add("yaml", yaml(value));
        example.into_value()
    });
    properties.list("examples", examples.collect());
    let rules = words.rules.iter().map(|rule| Value::str(rule.as_str()));
    properties.list("rules", rules.collect());
    properties.flag("conditional", words.conditional);
    if let Some(keywords) = keywords {
        properties.list("choices", words.choices.unwrap_or_default());
        properties.flag("not_null", keywords.not_null);
        properties.add("min", bound(&keywords.min));
        properties.add("max", bound(&keywords.max));
        properties.add("min_len", length(&keywords.min_len));
        properties.add("max_len", length(&keywords.max_len));
    }
    match &value_type.inner().shape {
        Shape::Map(fields) => {
            let fields = fields.items().iter().map(self::field);
            properties.add("fields", Value::array(fields));
        }
        Shape::Array(item) => properties.add("item", self::field(item)),
        _ => {}
    }
    if let Some(source) = field.position.source() {
        properties.add("file", Value::str(&*source.name));
        let line = field.position.line().map(|line| Value::Int(line.into()));
        properties.add("line", line);
    }
    properties.into_value()
}

fn guessed(key: Option<&Value>, value: &Value) -> Value {
    let mut properties = Keyed::default();
    properties.add("key", key.map(|key| Value::str(&*scalar_text(key))));
    let kind = match value {
        Value::Null | Value::Array(_) | Value::Documents(_) => "any",
        Value::Map(map) if map.items.is_empty() => "any",
        other => other.kind(),
    };
    properties.add("type", Value::str(kind));
    properties.preset(value);
    if let Value::Map(map) = value
        && !map.items.is_empty()
    {
        let fields = map
            .items
            .iter()
            .map(|item| guessed(Some(&item.key), &item.value));
        properties.add("fields", Value::array(fields));
    }
    properties.into_value()
}

/// The properties of a field.
impl Keyed {
    fn flag(&mut self, name: &'static str, set: bool) {
        self.add(name, set.then_some(Value::Bool(true)));
    }

    fn list(&mut self, name: &'static str, items: Vec<Value>) {
        self.add(name, (!items.is_empty()).then(|| Value::array(items)));
    }

    fn preset(&mut self, value: &Value) {
        self.add("default", value.clone());
        self.add("yaml", yaml(value));
    }
}

fn yaml(value: &Value) -> Value {
    Value::str(print_value(value))
}
