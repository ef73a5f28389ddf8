//! A schema as JSON Schema, draft 2020-12: what editors check a file of data values with.
//!
//! Such a file holds only what differs from the defaults, so nothing is required. A condition (`when=`) and a rule
//! of one's own are code, which JSON Schema cannot say: their texts are comments.

use super::{Keyed, Words, allowed, bound, length, object};
use crate::schema::rules::{Keywords, OneNotNull};
use crate::schema::types::{Field, MapType, Scalar, Schema, Shape, Type, scalar_text};
use crate::template::to_yaml;
use crate::yaml::Value;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The JSON Schema of data values.
pub fn document(schema: &Schema) -> Value {
    let mut words = Keyed::default();
    words.add("$schema", Value::str(DRAFT));
    words.add_field(schema.root());
    words.into_value()
}

/// The keywords of one schema, in the order in which they are to stand.
impl Keyed {
    fn of(field: &Field) -> Value {
        let mut words = Keyed::default();
        words.add_field(field);
        words.into_value()
    }

    fn add_field(&mut self, field: &Field) {
        let words = Words::of(field);
        let text = |text: &Option<String>| text.as_deref().map(Value::str);
        self.add("title", text(&words.title));
        self.add("description", text(&words.description));
        if words.deprecated.is_some() {
            self.add("deprecated", Value::Bool(true));
        }
        let keywords = field
            .validation
            .as_ref()
            .map(|validation| &validation.keywords)
            .filter(|keywords| keywords.when.is_none());
        let null = field.value_type.allows_null() && !keywords.is_some_and(|k| k.not_null);
        self.add_type(&field.value_type, null);
        // The default of a map is that of its items.
        if !matches!(field.value_type.shape, Shape::Map(_)) {
            self.add("default", field.default.clone());
        }
        if !words.examples.is_empty() {
            let examples = words.examples.iter().map(|(_, value)| value.clone());
            self.add("examples", Value::array(examples));
        }
        match (keywords, &field.validation) {
            (Some(keywords), Some(validation)) => {
                self.add_rules(keywords, &field.value_type, null);
                let own = validation.rules.len() - said(keywords).min(validation.rules.len());
                self.add("$comment", comment(words.rules.iter().take(own), ""));
            }
            (None, Some(_)) => {
                let condition = "(on a condition) ";
                self.add("$comment", comment(words.rules.iter(), condition));
            }
            _ => {}
        }
    }

    fn add_type(&mut self, value_type: &Type, null: bool) {
        let inner = value_type.inner();
        let name = match &inner.shape {
            Shape::Map(_) => "object",
            Shape::Array(_) => "array",
            Shape::Scalar(Scalar::String) => "string",
            Shape::Scalar(Scalar::Integer) => "integer",
            Shape::Scalar(Scalar::Float) => "number",
            Shape::Scalar(Scalar::Boolean) => "boolean",
            Shape::Any | Shape::Nullable(_) => {
                if !null {
                    self.add("not", object([("type", Value::str("null"))]));
                }
                return;
            }
        };
        let name = Value::str(name);
        self.add(
            "type",
            match null {
                true => Value::array([name, Value::str("null")]),
                false => name,
            },
        );
        match &inner.shape {
            Shape::Map(fields) => {
                let properties = fields.items().iter().map(|field| {
                    let key = field.key.as_ref().map(scalar_text).unwrap_or_default();
                    (Value::str(&*key), Keyed::of(field))
                });
                self.add("properties", Value::map(properties));
                self.add("additionalProperties", Value::Bool(false));
            }
            Shape::Array(items) => self.add("items", Keyed::of(items)),
            _ => {}
        }
    }

    /// The rules of a field; they do not count for `null`, which ytt does not ask about.
    fn add_rules(&mut self, keywords: &Keywords, value_type: &Type, null: bool) {
        let shape = &value_type.inner().shape;
        let any = matches!(shape, Shape::Any);
        let lengths = [
            (
                any || matches!(shape, Shape::Scalar(Scalar::String)),
                "minLength",
                "maxLength",
            ),
            (
                any || matches!(shape, Shape::Array(_)),
                "minItems",
                "maxItems",
            ),
            (any, "minProperties", "maxProperties"),
        ];
        for (counts, least, most) in lengths {
            if counts {
                self.add(least, length(&keywords.min_len));
                self.add(most, length(&keywords.max_len));
            }
        }
        let number = |value: Option<Value>| {
            value.filter(|value| matches!(value, Value::Int(_) | Value::Uint(_) | Value::Float(_)))
        };
        self.add("minimum", number(bound(&keywords.min)));
        self.add("maximum", number(bound(&keywords.max)));
        if let Some(mut values) = allowed(keywords) {
            if null && !values.contains(&Value::Null) {
                values.push(Value::Null);
            }
            self.add("enum", Value::array(values));
        }
        if let (Shape::Map(fields), Some(wanted)) = (shape, &keywords.one_not_null) {
            self.add("oneOf", one_not_null(fields, wanted));
        }
    }
}

/// Exactly one of some items is not null: can be said if none of them has a default of its own.
fn one_not_null(fields: &MapType, wanted: &OneNotNull) -> Option<Value> {
    let keys: Vec<Value> = match wanted {
        OneNotNull::All => fields
            .items()
            .iter()
            .filter_map(|field| field.key.clone())
            .collect(),
        OneNotNull::Keys(keys) => keys
            .iterate()
            .ok()?
            .iter()
            .map(|key| to_yaml(key).ok())
            .collect::<Option<_>>()?,
    };
    let unset = |key: &Value| fields.get(key).is_some_and(|field| field.default.is_null());
    if !keys.iter().all(unset) {
        return None;
    }
    let set = |key: &Value| {
        let key = Value::str(&*scalar_text(key));
        let not_null = object([("not", object([("type", Value::str("null"))]))]);
        object([
            ("required", Value::array([key.clone()])),
            ("properties", Value::map([(key, not_null)])),
        ])
    };
    Some(Value::array(keys.iter().map(set)))
}

/// How many rules the keywords make; they stand after those of one's own.
fn said(keywords: &Keywords) -> usize {
    let Keywords {
        when: _,
        min_len,
        max_len,
        min,
        max,
        not_null,
        one_not_null,
        one_of,
    } = keywords;
    let bounds = [min_len, max_len, min, max, one_of];
    bounds.iter().filter(|bound| bound.is_some()).count()
        + usize::from(one_not_null.is_some())
        + usize::from(*not_null)
}

fn comment<'a>(rules: impl Iterator<Item = &'a String>, condition: &str) -> Option<Value> {
    let rules: Vec<&str> = rules.map(String::as_str).collect();
    let text = rules.join("; ");
    (!rules.is_empty()).then(|| Value::str(format!("must be {condition}{text}")))
}
