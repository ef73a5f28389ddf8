//! JavaScript's values as nodes and back: one conversion for every shape.
//!
//! What is no text, such as an archive, crosses as a `Uint8Array`.

use crate::diagnostic::Report;
use crate::files::File;
use crate::position::Position;
use crate::yaml::decode::{Fault, decode};
use crate::yaml::encode::encode;
use crate::yaml::{Array, ArrayItem, Map, MapItem, Value};
use serde::de::{DeserializeOwned, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// Deeper values are refused: they are built by recursion, and may hold themselves.
const MAX_DEPTH: usize = 64;

/// The largest integer that a number of JavaScript holds exactly.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// Options that a caller gave, all of whose faults are told.
///
/// # Errors
/// A value has a wrong type, or a key is none of the type's.
pub fn read<T: DeserializeOwned + Default>(options: &JsValue) -> Result<T, Report> {
    let value = node(options, 0)?;
    let decoded = decode::<T>(&value, &Position::unknown());
    let told = decoded.faults.iter().chain(&decoded.unknown);
    let lines: Vec<String> = told
        .map(|Fault { path, message, .. }| match path.as_str() {
            "" => message.clone(),
            path => format!("{path}: {message}"),
        })
        .collect();
    match lines.as_slice() {
        [] => Ok(decoded.value),
        lines => Err(Report::new(lines.join("\n"))),
    }
}

/// `InputFile` of the types.
#[derive(Default, Deserialize)]
#[serde(
    default,
    expecting = "a file: { path: string, data: string | Uint8Array }"
)]
pub struct InputFile {
    path: String,
    data: Bytes,
}

impl InputFile {
    /// Path and content.
    pub fn into_parts(self) -> (String, Vec<u8>) {
        (self.path, self.data.0)
    }
}

impl From<InputFile> for File {
    fn from(file: InputFile) -> File {
        let description = format!("file '{}'", file.path);
        File::new(file.path, description, file.data.0)
    }
}

/// A text or bytes.
#[derive(Default)]
pub struct Bytes(pub Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        deserializer.deserialize_string(BytesVisitor)
    }
}

struct BytesVisitor;

impl Visitor<'_> for BytesVisitor {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a Uint8Array")
    }

    fn visit_str<E>(self, text: &str) -> Result<Bytes, E> {
        Ok(Bytes(text.into()))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
        Ok(Bytes(bytes.into()))
    }
}

fn node(value: &JsValue, depth: usize) -> Result<Value, Report> {
    if depth > MAX_DEPTH {
        return Err(Report::new(format!(
            "expected values that are nested no more than {MAX_DEPTH} levels deep"
        )));
    }
    if value.is_undefined() || value.is_null() {
        return Ok(Value::Null);
    }
    if let Some(value) = value.as_bool() {
        return Ok(Value::Bool(value));
    }
    if let Some(number) = value.as_f64() {
        let is_integer = number.fract() == 0.0 && number.abs() <= MAX_SAFE;
        return Ok(match is_integer {
            true => Value::Int(number as i64),
            false => Value::Float(number),
        });
    }
    if let Some(text) = value.as_string() {
        return Ok(Value::str(text));
    }
    if let Some(bytes) = value.dyn_ref::<js_sys::Uint8Array>() {
        return Ok(Value::str(bytes.to_vec()));
    }
    if let Some(array) = value.dyn_ref::<js_sys::Array>() {
        let mut items = Array::default();
        for item in array.iter() {
            items.items.push(ArrayItem {
                value: node(&item, depth + 1)?,
                ..ArrayItem::default()
            });
        }
        return Ok(Value::Array(items.into()));
    }
    let Some(object) = value.dyn_ref::<js_sys::Object>() else {
        return Err(Report::new("expected data, found something else"));
    };
    let mut map = Map::default();
    for key in js_sys::Object::keys(object).iter() {
        let value = js_sys::Reflect::get(object, &key).unwrap_or_default();
        // As if it were not there, as in JSON.
        if value.is_undefined() {
            continue;
        }
        map.items.push(MapItem {
            key: Value::str(key.as_string().unwrap_or_default()),
            value: node(&value, depth + 1)?,
            ..MapItem::default()
        });
    }
    Ok(Value::Map(map.into()))
}

/// A result for the caller.
pub fn give(result: &impl Serialize) -> JsValue {
    // The types here are plain, so that each has a form.
    give_node(&encode(result).unwrap_or_default())
}

/// A node for the caller.
pub fn give_node(value: &Value) -> JsValue {
    match value {
        Value::Null => JsValue::NULL,
        Value::Bool(value) => (*value).into(),
        // Greater ones lose digits here, as they do in JSON.
        Value::Int(value) => (*value as f64).into(),
        Value::Uint(value) => (*value as f64).into(),
        Value::Float(value) => (*value).into(),
        Value::Str(text) => match text.as_str() {
            Some(text) => text.into(),
            None => js_sys::Uint8Array::from(&text[..]).into(),
        },
        Value::Map(map) => {
            let entries = js_sys::Array::new();
            for item in &map.items {
                entries.push(&js_sys::Array::of2(
                    &give_node(&item.key),
                    &give_node(&item.value),
                ));
            }
            // A list of pairs always makes an object, and no key has a meaning of its own there.
            js_sys::Object::from_entries(&entries).map_or(JsValue::UNDEFINED, Into::into)
        }
        Value::Array(array) => {
            let values = js_sys::Array::new();
            for item in &array.items {
                values.push(&give_node(&item.value));
            }
            values.into()
        }
        Value::Documents(set) => {
            let values = js_sys::Array::new();
            for item in &set.items {
                values.push(&give_node(&item.value));
            }
            values.into()
        }
    }
}
