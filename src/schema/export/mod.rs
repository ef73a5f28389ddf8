//! A schema in the words of others: OpenAPI and JSON Schema for tools, a table and a skeleton of values for people.

pub mod form;
pub mod json_schema;
pub mod markdown;
pub mod openapi;
pub mod skeleton;

use super::rules::Keywords;
use super::types::{Field, Type};
use crate::bytestring::Str;
use crate::script;
use crate::template::to_yaml;
use crate::yaml::{Value, json_value};

/// A map with these keys.
fn object<const N: usize>(items: [(&'static str, Value); N]) -> Value {
    Value::map(
        items
            .into_iter()
            .map(|(key, value)| (Value::str(key), value)),
    )
}

/// A map that is made a key at a time; what is not there is left out.
#[derive(Default)]
struct Keyed(Vec<(Value, Value)>);

impl Keyed {
    fn add(&mut self, key: &'static str, value: impl Into<Option<Value>>) {
        if let Some(value) = value.into() {
            self.0.push((Value::str(key), value));
        }
    }

    fn into_value(self) -> Value {
        Value::map(self.0)
    }
}

/// `min=` or `max=` as a value, if it can be one.
fn bound(value: &Option<script::Value>) -> Option<Value> {
    to_yaml(value.as_ref()?).ok()
}

/// `min_len=` or `max_len=`, if it is of a size that a length can have.
fn length(value: &Option<script::Value>) -> Option<Value> {
    bound(value).filter(|value| matches!(value, Value::Int(_)))
}

/// The values of `one_of=`, if all of them can be values.
fn allowed(keywords: &Keywords) -> Option<Vec<Value>> {
    let elements = keywords.one_of.as_ref()?.iterate().ok()?;
    elements
        .iter()
        .map(|element| to_yaml(element).ok())
        .collect()
}

/// What is said for people of a field, its type's documentation looked at through `@schema/nullable`.
struct Words {
    title: Option<String>,
    description: Option<String>,
    deprecated: Option<String>,
    examples: Vec<(String, Value)>,
    /// What a valid value is: the texts of all rules.
    rules: Vec<String>,
    /// The values of `one_of=`.
    choices: Option<Vec<Value>>,
    /// The rules count on a condition only.
    conditional: bool,
}

impl Words {
    fn of(field: &Field) -> Words {
        let documentation = &field.value_type.documentation;
        let text = |text: &Option<Str>| {
            let text = text.as_ref()?.to_text().trim().to_owned();
            (!text.is_empty()).then_some(text)
        };
        let example = |example: &super::Example| {
            let description = example.description.to_text().trim().to_owned();
            (description, example.value.clone())
        };
        let rules = field.validation.as_ref().map(|validation| {
            let message = |rule: &super::Rule| rule.message.to_text().into_owned();
            validation.rules.iter().map(message).collect()
        });
        Words {
            title: text(&documentation.title),
            description: text(&documentation.description),
            deprecated: documentation
                .deprecated
                .as_ref()
                .map(|notice| notice.to_text().trim().to_owned()),
            examples: documentation.examples.iter().map(example).collect(),
            rules: rules.unwrap_or_default(),
            choices: field
                .validation
                .as_ref()
                .and_then(|validation| allowed(&validation.keywords)),
            conditional: field
                .validation
                .as_ref()
                .is_some_and(|validation| validation.keywords.when.is_some()),
        }
    }

    /// The rules, but for that which the choices say.
    fn other_rules(&self) -> impl Iterator<Item = &str> {
        let rules = self.rules.iter().map(String::as_str);
        rules.filter(|rule| self.choices.is_none() || !rule.starts_with("one of "))
    }

    /// What stands between "must be" and a rule.
    fn condition(&self) -> &'static str {
        match self.conditional {
            true => " on a condition",
            false => "",
        }
    }
}

/// The name of a type: `string`, `array of maps`, `integer or null`.
fn type_name(value_type: &Type) -> String {
    use super::Shape;
    match &value_type.shape {
        Shape::Array(items) => match &items.value_type.inner().shape {
            Shape::Any => "array of anything".to_owned(),
            Shape::Array(_) => format!("array of {}", type_name(&items.value_type)),
            _ => format!("array of {}s", items.value_type.inner().name()),
        },
        Shape::Any => "anything".to_owned(),
        Shape::Nullable(inner) => format!("{} or null", type_name(inner)),
        Shape::Map(_) | Shape::Scalar(_) => value_type.name().to_owned(),
    }
}

/// A value on one line: as JSON, or as nearly as can be said.
fn one_line(value: &Value) -> String {
    match json_value(value, 0, false) {
        Ok(text) => String::from_utf8_lossy(&text).into_owned(),
        Err(_) => super::scalar_text(value).into_owned(),
    }
}
