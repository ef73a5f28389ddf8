//! YAML as a value of the language: what functions that hold nodes return.

use super::convert::{self, MOST_NODES, to_fragment};
use crate::script::{self, Error, HostValue, Result};
use crate::yaml::KeyIndex;
use crate::yaml::node::Value;
use std::any::Any;
use std::borrow::Cow;
use std::cell::OnceCell;

/// The word that `type()` gives.
const TYPE: &str = "yamlfragment";

/// Maps of fewer items are searched.
const INDEXED_FROM: usize = 16;

/// A map, an array, documents or nothing. Read-only.
#[derive(Debug)]
pub struct Fragment {
    value: Value,
    depth: OnceCell<usize>,
    nodes: OnceCell<usize>,
    keys: OnceCell<KeyIndex>,
}

impl Fragment {
    /// A fragment of this value: a map, an array, documents, or null.
    pub fn new(value: Value) -> Fragment {
        Fragment {
            value,
            depth: OnceCell::new(),
            nodes: OnceCell::new(),
            keys: OnceCell::new(),
        }
    }

    /// The same where it is known how many collections stand one within the other at most.
    pub(super) fn with_depth(value: Value, depth: usize) -> Fragment {
        Fragment {
            value,
            depth: OnceCell::from(depth),
            nodes: OnceCell::new(),
            keys: OnceCell::new(),
        }
    }

    /// The same where both measures are known.
    pub(super) fn measured(value: Value, size: Size) -> Fragment {
        let fragment = Fragment::with_depth(value, size.depth);
        let _ = fragment.nodes.set(size.nodes);
        fragment
    }

    /// What it holds.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// How many collections stand one within the other at most.
    pub(super) fn depth(&self) -> usize {
        *self.depth.get_or_init(|| measure(&self.value).depth)
    }

    /// How many nodes it is, or more than [`MOST_NODES`].
    pub(super) fn nodes(&self) -> usize {
        *self.nodes.get_or_init(|| measure(&self.value).nodes)
    }

    fn child(&self, value: &Value) -> script::Value {
        match (value, self.depth.get()) {
            (Value::Map(_) | Value::Array(_), Some(depth)) if !is_native(value) => {
                script::Value::host(Fragment::with_depth(value.clone(), depth.saturating_sub(1)))
            }
            _ => to_fragment(value),
        }
    }

    fn get(&self, key: &script::Value) -> Result<Option<script::Value>> {
        let key = convert::to_yaml(key)?;
        let index = |what: &str| match &key {
            Value::Int(index) => Ok(usize::try_from(*index).ok()),
            // Where it is documents, ytt's message begins with the key.
            Value::Str(key) if what.starts_with("doc") => Err(Error::new(format!(
                "{}.Get: Expected {what} index to be an int64, but was string",
                key.to_text()
            ))),
            other => Err(Error::new(format!(
                "{TYPE}.Get: Expected {what} index to be an int64, but was {}",
                convert::go_type(other)
            ))),
        };
        let found = match &self.value {
            // Integer keys of a text and integers of the language are of different types in ytt.
            Value::Map(_) if matches!(key, Value::Int(_)) => None,
            Value::Map(map) if map.items.len() < INDEXED_FROM => map
                .items
                .iter()
                .find(|item| item.key == key)
                .map(|item| &item.value),
            Value::Map(map) => {
                let keys = self.keys.get_or_init(|| {
                    let mut keys = KeyIndex::default();
                    for (index, item) in map.items.iter().enumerate().rev() {
                        keys.insert(&item.key, index);
                    }
                    keys
                });
                keys.get(&key)
                    .and_then(|index| map.items.get(index))
                    .map(|item| &item.value)
            }
            Value::Array(array) => index("array")?
                .and_then(|index| array.items.get(index))
                .map(|item| &item.value),
            Value::Documents(documents) => index("document set")?
                .and_then(|index| documents.items.get(index))
                .map(|document| &document.value),
            _ => None,
        };
        Ok(found.map(|value| self.child(value)))
    }
}

fn is_native(value: &Value) -> bool {
    match value {
        Value::Map(map) => map.meta.is_native(),
        Value::Array(array) => array.meta.is_native(),
        _ => false,
    }
}

/// How large a value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// How many collections stand one within the other at most.
    pub depth: usize,
    /// How many nodes there are, those that stand in several places counted at each.
    pub nodes: usize,
}

/// Walks a value; not further than one node more than [`MOST_NODES`], since what is shared can be more than can be walked.
fn measure(value: &Value) -> Size {
    let mut size = Size::default();
    let mut stack = vec![(value, 0)];
    while let Some((value, depth)) = stack.pop() {
        size.depth = size.depth.max(depth);
        size.nodes += 1;
        if size.nodes + stack.len() > MOST_NODES {
            size.nodes = MOST_NODES + 1;
            break;
        }
        match value {
            Value::Map(map) => stack.extend(map.items.iter().map(|item| (&item.value, depth + 1))),
            Value::Array(array) => {
                stack.extend(array.items.iter().map(|item| (&item.value, depth + 1)))
            }
            Value::Documents(documents) => {
                stack.extend(documents.items.iter().map(|item| (&item.value, depth + 1)))
            }
            _ => {}
        }
    }
    size
}

impl HostValue for Fragment {
    fn type_name(&self) -> Cow<'static, str> {
        TYPE.into()
    }

    fn repr(&self) -> String {
        format!("{TYPE}({})", convert::go_type(&self.value))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn truth(&self) -> bool {
        self.length() != Some(0)
    }

    fn length(&self) -> Option<usize> {
        Some(match &self.value {
            Value::Map(map) => map.items.len(),
            Value::Array(array) => array.items.len(),
            Value::Documents(documents) => documents.items.len(),
            _ => 0,
        })
    }

    fn index(&self, key: &script::Value) -> Option<Result<Option<script::Value>>> {
        Some(self.get(key))
    }

    fn contains(&self, key: &script::Value) -> Option<Result<bool>> {
        // A key of a wrong type is not there.
        Some(Ok(matches!(self.get(key), Ok(Some(_)))))
    }

    fn iterate(&self) -> Option<Vec<script::Value>> {
        Some(match &self.value {
            Value::Map(map) => map
                .items
                .iter()
                .map(|item| to_fragment(&item.key))
                .collect(),
            Value::Array(array) => array
                .items
                .iter()
                .map(|item| self.child(&item.value))
                .collect(),
            Value::Documents(documents) => documents
                .items
                .iter()
                .map(|item| self.child(&item.value))
                .collect(),
            _ => Vec::new(),
        })
    }

    fn items(&self) -> Option<Vec<(script::Value, script::Value)>> {
        match &self.value {
            Value::Map(map) => Some(
                map.items
                    .iter()
                    .map(|item| (to_fragment(&item.key), self.child(&item.value)))
                    .collect(),
            ),
            Value::Null => Some(Vec::new()),
            _ => None,
        }
    }

    fn equals(&self, other: &script::Value) -> Option<Result<bool>> {
        Some(match other.downcast::<Fragment>() {
            Some(_) => Err(Error::new(format!(
                "{TYPE}.CompareSameType: Not implemented"
            ))),
            None => Ok(false),
        })
    }
}
