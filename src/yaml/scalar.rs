//! What a plain scalar means, and how floats are written.

use super::node::Value;

/// The value of an unquoted scalar.
pub fn resolve(text: &str) -> Value {
    Value::str(text)
}

/// A float as YAML has it here.
pub fn format_float(value: f64) -> String {
    value.to_string()
}
