//! Keys of maps: which are the same, and what merging makes of them.

use super::node::{ArrayItem, DocumentSet, Map, MapItem, Meta, Value};
use crate::bytestring::Str;
use crate::hash;
use std::rc::Rc;

/// Maps with no more items than this are searched without a table.
const SMALL: usize = 16;

/// What makes two keys the same: type and content. `1`, `1.0` and `"1"` are three keys.
#[derive(Debug, PartialEq, Eq, Hash)]
pub enum KeyIdentity {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer above `i64::MAX`.
    Uint(u64),
    /// The bits of a float.
    Float(u64),
    /// A string.
    Str(Str),
    /// A collection, told apart by its JSON-like rendering.
    Complex(String),
}

impl KeyIdentity {
    /// That of a key.
    pub fn of(key: &Value) -> KeyIdentity {
        match key {
            Value::Null => KeyIdentity::Null,
            Value::Bool(value) => KeyIdentity::Bool(*value),
            Value::Int(value) => KeyIdentity::Int(*value),
            Value::Uint(value) => KeyIdentity::Uint(*value),
            // The two zeros are equal.
            Value::Float(value) => KeyIdentity::Float((value + 0.0).to_bits()),
            Value::Str(text) => KeyIdentity::Str(text.clone()),
            Value::Map(_) | Value::Array(_) | Value::Documents(_) => {
                KeyIdentity::Complex(String::from_utf8_lossy(&super::print_value(key)).into_owned())
            }
        }
    }
}

/// Places of keys in a map. Only asked, never iterated.
#[derive(Debug, Default)]
pub struct KeyIndex(hash::Map<KeyIdentity, usize>);

impl KeyIndex {
    /// The place of a key.
    pub fn get(&self, key: &Value) -> Option<usize> {
        self.0.get(&KeyIdentity::of(key)).copied()
    }

    /// Sets the place of a key.
    pub fn insert(&mut self, key: &Value, place: usize) {
        self.0.insert(KeyIdentity::of(key), place);
    }

    /// Forgets a key and gives its place.
    pub fn remove(&mut self, key: &Value) -> Option<usize> {
        self.0.remove(&KeyIdentity::of(key))
    }
}

/// A node as the key of a map.
///
/// ytt's keys that hold arrays are its own bookkeeping laid open, each item a map of its `value` and its `line`, counted
/// from 0 with the document marker that it puts before a text without one; `shift` is what its lines fall short of
/// ours. Texts that have such keys come out that way.
pub(super) fn from_node(value: Value, shift: u32) -> Value {
    match value {
        Value::Array(mut array) => {
            for ArrayItem { value, meta } in &mut Rc::make_mut(&mut array).items {
                let line = meta
                    .position
                    .line()
                    .unwrap_or_default()
                    .saturating_sub(shift);
                let inner = from_node(std::mem::take(value), shift);
                let item = |key: &str, value| MapItem {
                    key: Value::str(key),
                    value,
                    meta: Meta::default(),
                };
                let items = vec![
                    item("value", inner),
                    item("line", Value::Int(i64::from(line))),
                ];
                *value = Value::Map(Rc::new(Map {
                    items,
                    meta: Meta::default(),
                }));
            }
            Value::Array(array)
        }
        Value::Map(mut map) => {
            for item in &mut Rc::make_mut(&mut map).items {
                item.value = from_node(std::mem::take(&mut item.value), shift);
            }
            Value::Map(map)
        }
        other => other,
    }
}

/// The items of an array of maps as `<<` takes them in: of those with one key the first map's. Nothing if the value
/// is anything else.
pub(super) fn merged(value: &Value) -> Option<Vec<MapItem>> {
    let Value::Array(array) = value else {
        return None;
    };
    let mut seen = hash::Set::default();
    let mut merged: Vec<MapItem> = Vec::new();
    for item in &array.items {
        let map = item.value.as_map()?;
        let start = merged.len();
        merged.extend(
            map.items
                .iter()
                .filter(|item| !seen.contains(&KeyIdentity::of(&item.key)))
                .cloned(),
        );
        // Within one map keys may repeat: that is for the same rules to sort out as anywhere else.
        seen.extend(
            merged[start..]
                .iter()
                .map(|item| KeyIdentity::of(&item.key)),
        );
    }
    Some(merged)
}

impl DocumentSet {
    /// In each map, of the items with the same key the last one stays, at the place of the first.
    pub fn override_map_keys(&mut self) {
        for document in &mut self.items {
            // Most texts repeat no key, and are left alone with all that they share.
            if repeats_keys(&document.value) {
                override_in(&mut document.value);
            }
        }
    }
}

fn repeats_keys(value: &Value) -> bool {
    match value {
        Value::Map(map) => {
            has_repeated(&map.items) || map.items.iter().any(|item| repeats_keys(&item.value))
        }
        Value::Array(array) => array.items.iter().any(|item| repeats_keys(&item.value)),
        _ => false,
    }
}

fn has_repeated(items: &[MapItem]) -> bool {
    if items.len() <= SMALL {
        return items
            .iter()
            .enumerate()
            .any(|(at, item)| items[..at].iter().any(|other| other.key == item.key));
    }
    let mut seen = hash::Set::with_capacity_and_hasher(items.len(), Default::default());
    !items
        .iter()
        .all(|item| seen.insert(KeyIdentity::of(&item.key)))
}

fn override_in(value: &mut Value) {
    match value {
        Value::Map(map) => {
            let items = &mut Rc::make_mut(map).items;
            if has_repeated(items) {
                let mut places: hash::Map<KeyIdentity, usize> = hash::Map::default();
                let mut kept: Vec<MapItem> = Vec::new();
                for item in std::mem::take(items) {
                    let place = *places
                        .entry(KeyIdentity::of(&item.key))
                        .or_insert(kept.len());
                    match kept.get_mut(place) {
                        Some(earlier) => *earlier = item,
                        None => kept.push(item),
                    }
                }
                *items = kept;
            }
            items
                .iter_mut()
                .for_each(|item| override_in(&mut item.value));
        }
        Value::Array(array) => {
            Rc::make_mut(array)
                .items
                .iter_mut()
                .for_each(|item| override_in(&mut item.value));
        }
        _ => {}
    }
}
