//! Two kinds of host value that are ready to use: modules and structs.

use super::collections::dismantle;
use super::error::{Error, Result};
use super::value::{HostValue, Value};
use crate::bytestring::Str;
use crate::hash;
use crate::memory::Held;
use std::any::Any;
use std::borrow::Cow;

/// What `load("@ytt:json", "json")` gives: a name and its members.
pub struct Module {
    name: String,
    members: Vec<(String, Value)>,
}

impl Module {
    /// A module as a value.
    #[allow(clippy::new_ret_no_self)]
    pub fn new<N: Into<String>>(name: &str, members: Vec<(N, Value)>) -> Value {
        let members = members
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect();
        Value::host(Module {
            name: name.to_string(),
            members,
        })
    }

    /// The member of this name.
    pub fn member(&self, name: &str) -> Option<&Value> {
        self.members
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }
}

impl HostValue for Module {
    fn type_name(&self) -> Cow<'static, str> {
        "module".into()
    }

    fn repr(&self) -> String {
        format!("<module {:?}>", self.name)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn attr(&self, name: &str) -> Result<Option<Value>> {
        Ok(self.member(name).cloned())
    }

    fn attr_names(&self) -> Option<Vec<String>> {
        Some(self.members.iter().map(|(name, _)| name.clone()).collect())
    }
}

/// How many entries a struct may have before it looks names up by hash.
const FEW: usize = 12;

/// ytt's struct, also the form of `data.values`: attributes in order, read by name or by index.
pub struct Struct {
    entries: Vec<(Str, Value)>,
    by_name: hash::Map<Str, usize>,
    _held: Held,
}

/// Bytes of an entry, its share of the index counted.
const ENTRY: usize = 64;

impl Struct {
    /// A struct as a value; of a repeated name the first place and the last value stay.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(entries: Vec<(Str, Value)>) -> Value {
        Value::host(Struct::from(entries))
    }

    /// Names and values in order.
    pub fn entries(&self) -> &[(Str, Value)] {
        &self.entries
    }

    /// The value of this name.
    pub fn get(&self, name: &[u8]) -> Option<&Value> {
        if self.by_name.is_empty() {
            return self
                .entries
                .iter()
                .find(|(key, _)| key.as_bytes() == name)
                .map(|(_, value)| value);
        }
        let index = *self.by_name.get(name)?;
        self.entries.get(index).map(|(_, value)| value)
    }
}

impl From<Vec<(Str, Value)>> for Struct {
    fn from(given: Vec<(Str, Value)>) -> Struct {
        let mut entries: Vec<(Str, Value)> = Vec::with_capacity(given.len());
        let mut by_name: hash::Map<Str, usize> =
            hash::Map::with_capacity_and_hasher(given.len(), Default::default());
        for (name, value) in given {
            match by_name.get(&name).and_then(|&index| entries.get_mut(index)) {
                Some(entry) => entry.1 = value,
                None => {
                    by_name.insert(name.clone(), entries.len());
                    entries.push((name, value));
                }
            }
        }
        if entries.len() <= FEW {
            by_name = hash::Map::default();
        }
        Struct {
            _held: Held::new(entries.len() * ENTRY),
            entries,
            by_name,
        }
    }
}

impl Drop for Struct {
    fn drop(&mut self) {
        dismantle(self.take_held().into_iter());
    }
}

impl HostValue for Struct {
    fn type_name(&self) -> Cow<'static, str> {
        "struct".into()
    }

    fn repr(&self) -> String {
        "struct(...)".into()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn truth(&self) -> bool {
        !self.entries.is_empty()
    }

    fn length(&self) -> Option<usize> {
        Some(self.entries.len())
    }

    fn attr(&self, name: &str) -> Result<Option<Value>> {
        Ok(self.get(name.as_bytes()).cloned())
    }

    fn attr_names(&self) -> Option<Vec<String>> {
        Some(
            self.entries
                .iter()
                .map(|(name, _)| name.to_text().into_owned())
                .collect(),
        )
    }

    fn index(&self, key: &Value) -> Option<Result<Option<Value>>> {
        Some(match key.as_bytes() {
            Some(name) => Ok(self.get(name).cloned()),
            None => Err(Error::new(format!(
                "expected a string, but was {}",
                key.type_name()
            ))),
        })
    }

    fn iterate(&self) -> Option<Vec<Value>> {
        Some(
            self.entries
                .iter()
                .map(|(name, _)| Value::Str(name.clone()))
                .collect(),
        )
    }

    fn take_held(&mut self) -> Vec<Value> {
        self.entries.drain(..).map(|(_, value)| value).collect()
    }

    fn items(&self) -> Option<Vec<(Value, Value)>> {
        Some(
            self.entries
                .iter()
                .map(|(name, value)| (Value::Str(name.clone()), value.clone()))
                .collect(),
        )
    }
}
