//! Lists, tuples, dicts and sets: shared, growable, locked while something iterates over them.

use super::error::{Error, Result};
use super::operations::{Hashing, key_eq};
use super::value::Value;
use indexmap::IndexMap;
use std::cell::{Cell, RefCell};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

/// Whether a collection may change.
#[derive(Default)]
pub(super) struct Lock {
    frozen: Cell<bool>,
    iterators: Cell<u32>,
}

impl Lock {
    /// Freezes; true if it was not frozen before.
    fn freeze(&self) -> bool {
        !self.frozen.replace(true)
    }

    pub(super) fn begin(&self) {
        self.iterators.set(self.iterators.get() + 1);
    }

    pub(super) fn end(&self) {
        self.iterators.set(self.iterators.get().saturating_sub(1));
    }
}

/// A list.
#[derive(Default)]
pub struct List {
    items: RefCell<Vec<Value>>,
    pub(super) lock: Lock,
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> List {
        List {
            items: RefCell::new(items),
            lock: Lock::default(),
        }
    }
}

impl List {
    /// How many elements.
    pub fn len(&self) -> usize {
        self.items.borrow().len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at this index.
    pub fn get(&self, index: usize) -> Option<Value> {
        self.items.borrow().get(index).cloned()
    }

    /// A copy of the elements.
    pub fn to_vec(&self) -> Vec<Value> {
        self.items.borrow().clone()
    }

    /// Appends an element.
    ///
    /// # Errors
    /// The list is frozen or being iterated over.
    pub fn push(&self, value: Value) -> Result<()> {
        self.change("append to", |items| items.push(value))
    }

    /// Changes the elements; `verb` is for the message if they must not change now.
    ///
    /// # Errors
    /// The list is frozen or being iterated over.
    pub fn change<T>(&self, verb: &str, change: impl FnOnce(&mut Vec<Value>) -> T) -> Result<T> {
        if self.lock.frozen.get() {
            return Err(Error::new(format!("cannot {verb} frozen list")));
        }
        if self.lock.iterators.get() > 0 {
            return Err(Error::new(format!("cannot {verb} list during iteration")));
        }
        Ok(change(&mut self.items.borrow_mut()))
    }

    /// Makes the list unchangeable; true if it was not before.
    pub(super) fn freeze(&self) -> bool {
        self.lock.freeze()
    }
}

impl Drop for List {
    fn drop(&mut self) {
        dismantle(self.items.get_mut().drain(..));
    }
}

/// A tuple.
#[derive(Default)]
pub struct Tuple(Vec<Value>);

impl From<Vec<Value>> for Tuple {
    fn from(items: Vec<Value>) -> Tuple {
        Tuple(items)
    }
}

impl Tuple {
    /// The elements.
    pub fn as_slice(&self) -> &[Value] {
        &self.0
    }
}

impl Deref for Tuple {
    type Target = [Value];
    fn deref(&self) -> &[Value] {
        &self.0
    }
}

impl Drop for Tuple {
    fn drop(&mut self) {
        dismantle(self.0.drain(..));
    }
}

/// A hashable value as a key.
#[derive(Clone)]
struct Key(Value);

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash_key().unwrap_or(0));
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        key_eq(&self.0, &other.0)
    }
}

impl Eq for Key {}

/// Passes on the hash that [`Value::hash_key`] made.
#[derive(Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = Hashing::bytes(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

type Table = IndexMap<Key, Value, BuildHasherDefault<Ready>>;

/// A dict; keeps the order of insertion.
#[derive(Default)]
pub struct Dict {
    table: RefCell<Table>,
    pub(super) lock: Lock,
}

impl Dict {
    /// How many items.
    pub fn len(&self) -> usize {
        self.table.borrow().len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key.
    ///
    /// # Errors
    /// The key cannot be hashed.
    pub fn get(&self, key: &Value) -> Result<Option<Value>> {
        key.hash_key()?;
        Ok(self.table.borrow().get(&Key(key.clone())).cloned())
    }

    /// Sets the value of a key; true if the key is new.
    ///
    /// # Errors
    /// The dict must not change now, or the key cannot be hashed.
    pub fn insert(&self, key: Value, value: Value) -> Result<bool> {
        key.hash_key()?;
        self.changeable("insert into")?;
        Ok(self.table.borrow_mut().insert(Key(key), value).is_none())
    }

    /// Removes a key and gives its value.
    ///
    /// # Errors
    /// The dict must not change now, or the key cannot be hashed.
    pub fn remove(&self, key: &Value) -> Result<Option<Value>> {
        key.hash_key()?;
        self.changeable("delete from")?;
        Ok(self.table.borrow_mut().shift_remove(&Key(key.clone())))
    }

    /// Removes everything.
    ///
    /// # Errors
    /// The dict must not change now.
    pub fn clear(&self) -> Result<()> {
        self.changeable("clear")?;
        let table = std::mem::take(&mut *self.table.borrow_mut());
        drop(table);
        Ok(())
    }

    /// A copy of the items, in order.
    pub fn items(&self) -> Vec<(Value, Value)> {
        self.table
            .borrow()
            .iter()
            .map(|(key, value)| (key.0.clone(), value.clone()))
            .collect()
    }

    /// A copy of the keys, in order.
    pub fn keys(&self) -> Vec<Value> {
        self.table
            .borrow()
            .keys()
            .map(|key| key.0.clone())
            .collect()
    }

    /// The key at this index.
    pub(super) fn key_at(&self, index: usize) -> Option<Value> {
        self.table
            .borrow()
            .get_index(index)
            .map(|(key, _)| key.0.clone())
    }

    /// Makes the dict unchangeable; true if it was not before.
    pub(super) fn freeze(&self) -> bool {
        self.lock.freeze()
    }

    fn changeable(&self, verb: &str) -> Result<()> {
        if self.lock.frozen.get() {
            return Err(Error::new(format!("cannot {verb} frozen hash table")));
        }
        if self.lock.iterators.get() > 0 {
            return Err(Error::new(format!(
                "cannot {verb} hash table during iteration"
            )));
        }
        Ok(())
    }
}

impl Drop for Dict {
    fn drop(&mut self) {
        dismantle(
            self.table
                .get_mut()
                .drain(..)
                .flat_map(|(key, value)| [key.0, value]),
        );
    }
}

/// A set; keeps the order of insertion.
#[derive(Default)]
pub struct Set(Dict);

impl Set {
    /// How many elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an element.
    ///
    /// # Errors
    /// The set must not change now, or the element cannot be hashed.
    pub fn insert(&self, element: Value) -> Result<()> {
        // An element that is there already keeps its first form: set([1, 1.0]) is set([1]).
        if self.contains(&element)? {
            return self.0.changeable("insert into");
        }
        self.0.insert(element, Value::None).map(|_| ())
    }

    /// Whether it holds this element.
    ///
    /// # Errors
    /// The element cannot be hashed.
    pub fn contains(&self, element: &Value) -> Result<bool> {
        Ok(self.0.get(element)?.is_some())
    }

    /// A copy of the elements, in order.
    pub fn to_vec(&self) -> Vec<Value> {
        self.0.keys()
    }

    pub(super) fn table(&self) -> &Dict {
        &self.0
    }
}

/// Drops values without recursion, however deep they nest: what they alone hold is taken out first.
pub(super) fn dismantle(values: impl Iterator<Item = Value>) {
    let mut pending: Vec<Value> = values.filter(Value::holds_values).collect();
    while let Some(value) = pending.pop() {
        match value {
            Value::List(list) => {
                if let Ok(mut list) = Rc::try_unwrap(list) {
                    pending.extend(list.items.get_mut().drain(..).filter(Value::holds_values));
                }
            }
            Value::Tuple(tuple) => {
                if let Ok(mut tuple) = Rc::try_unwrap(tuple) {
                    pending.extend(tuple.0.drain(..).filter(Value::holds_values));
                }
            }
            Value::Dict(dict) => {
                if let Ok(mut dict) = Rc::try_unwrap(dict) {
                    let items = dict
                        .table
                        .get_mut()
                        .drain(..)
                        .flat_map(|(key, value)| [key.0, value]);
                    pending.extend(items.filter(Value::holds_values));
                }
            }
            Value::Set(set) => {
                if let Ok(mut set) = Rc::try_unwrap(set) {
                    pending.extend(
                        set.0
                            .table
                            .get_mut()
                            .drain(..)
                            .map(|(key, _)| key.0)
                            .filter(Value::holds_values),
                    );
                }
            }
            Value::Function(function) => {
                if let Ok(mut function) = Rc::try_unwrap(function) {
                    pending.extend(function.take_held().into_iter().filter(Value::holds_values));
                }
            }
            Value::Builtin(builtin) => {
                if let Ok(mut builtin) = Rc::try_unwrap(builtin) {
                    pending.extend(builtin.receiver.take().filter(Value::holds_values));
                }
            }
            _ => {}
        }
    }
}
