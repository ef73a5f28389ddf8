//! `@ytt:json`

use super::{bool_argument, function, one, string_argument};
use crate::script::{Args, Error, Module, Result, Value};
use crate::template::convert::to_yaml;
use crate::yaml::json_value;

/// How far a level may be indented.
const MOST_INDENT: i64 = 8;

/// The module.
pub fn module() -> Value {
    Module::new(
        "json",
        vec![
            ("encode", function("json.encode", |_, args| encode(&args))),
            ("decode", function("json.decode", |_, args| decode(&args))),
        ],
    )
}

fn encode(args: &Args) -> Result<Value> {
    let value = one(args)?;
    let (mut indent, mut escape_html) = (0, true);
    for (name, value) in &args.named {
        match (&*name.to_text(), value) {
            ("indent", Value::Int(levels)) => indent = *levels,
            ("indent", Value::BigInt(_)) => return Err(Error::new("expected int64 value")),
            ("indent", _) => return Err(Error::new("expected starlark.Int")),
            ("escape_html", value) => escape_html = bool_argument(value)?,
            (other, _) => return Err(Error::new(format!("invalid argument name: {other}"))),
        }
    }
    if !(0..=MOST_INDENT).contains(&indent) {
        return Err(Error::new("indent value must be between 0 and 8"));
    }
    json_value(&to_yaml(value)?, indent as usize, escape_html)
        .map(Value::str)
        .map_err(Error::new)
}

/// Keys come sorted and numbers are floats, as Go has them.
fn decode(args: &Args) -> Result<Value> {
    let value = one(args)?;
    let text = string_argument(value)?;
    let decoded: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| Error::new(go_error(&text, &error)))?;
    from_json(decoded)
}

fn from_json(value: serde_json::Value) -> Result<Value> {
    Ok(match value {
        serde_json::Value::Null => Value::None,
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => {
            match number.as_f64().filter(|value| value.is_finite()) {
                Some(value) => Value::Float(value),
                None => {
                    return Err(Error::new(format!(
                        "json: cannot unmarshal number {number} into Go value of type float64"
                    )));
                }
            }
        }
        serde_json::Value::String(text) => Value::str(text),
        serde_json::Value::Array(items) => {
            Value::list(items.into_iter().map(from_json).collect::<Result<_>>()?)
        }
        serde_json::Value::Object(items) => {
            let mut items: Vec<_> = items.into_iter().collect();
            items.sort_by(|(a, _), (b, _)| a.cmp(b));
            let pair = |(key, value): (String, _)| Ok((Value::str(key), from_json(value)?));
            Value::dict(items.into_iter().map(pair).collect::<Result<Vec<_>>>()?)?
        }
    })
}

/// What Go says of text that is no JSON: the character and what was going on there.
pub fn go_error(text: &str, error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "unexpected end of JSON input".to_string();
    }
    let line = text
        .split('\n')
        .nth(error.line().saturating_sub(1))
        .unwrap_or_default();
    let found = line
        .as_bytes()
        .get(error.column().saturating_sub(1))
        .map(|byte| char::from(*byte));
    let found = match found {
        Some('\'') => r"'\''".to_string(),
        Some(character) => format!("{character:?}"),
        None => "end of line".to_string(),
    };
    let message = error.to_string();
    let what = if message.contains("trailing characters") {
        "after top-level value"
    } else if message.contains("key must be a string") {
        "looking for beginning of object key string"
    } else if message.contains("expected `:`") {
        "after object key"
    } else if message.contains("expected `,` or `}`") {
        "after object key:value pair"
    } else if message.contains("expected `,` or `]`") {
        "after array element"
    } else if message.contains("control character") {
        "in string literal"
    } else {
        "looking for beginning of value"
    };
    format!("invalid character {found} {what}")
}
