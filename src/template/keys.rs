//! Keys of a map, found in constant time.

use crate::bytestring::Str;
use crate::yaml::node::Value;
use std::collections::HashMap;

/// Positions of keys in a map. Only asked, never iterated.
#[derive(Debug, Default)]
pub struct KeyIndex(HashMap<Key, usize>);

#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(u64),
    Str(Str),
}

impl Key {
    fn new(value: &Value) -> Option<Key> {
        Some(match value {
            Value::Null => Key::Null,
            Value::Bool(value) => Key::Bool(*value),
            Value::Int(value) => Key::Int(*value),
            Value::Uint(value) => Key::Uint(*value),
            Value::Float(value) => Key::Float(value.to_bits()),
            Value::Str(value) => Key::Str(value.clone()),
            // A collection as a key is like no other.
            Value::Map(_) | Value::Array(_) | Value::Documents(_) => return None,
        })
    }
}

impl KeyIndex {
    /// The place of a key.
    pub fn get(&self, key: &Value) -> Option<usize> {
        self.0.get(&Key::new(key)?).copied()
    }

    /// Sets the place of a key.
    pub fn insert(&mut self, key: &Value, index: usize) {
        if let Some(key) = Key::new(key) {
            self.0.insert(key, index);
        }
    }

    /// Forgets a key and gives its place.
    pub fn remove(&mut self, key: &Value) -> Option<usize> {
        self.0.remove(&Key::new(key)?)
    }
}
