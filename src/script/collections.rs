//! Lists, tuples, dicts and sets: shared, growable, locked while something iterates over them.

use super::error::{Error, Result};
use super::operations::key_eq;
use super::value::Value;
use crate::memory::{Counted, Held};
use indexmap::{Equivalent, IndexMap};
use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

/// Bytes of a value in a list or tuple.
pub(super) const ELEMENT: usize = size_of::<Value>();

/// Bytes of an item of a dict, its share of the index counted.
pub(super) const ITEM: usize = 2 * ELEMENT + 24;

/// Bytes of a collection beside its elements.
const OVERHEAD: usize = 96;

/// Bytes of a pair in a list.
pub(super) const PAIR: usize = OVERHEAD + 3 * ELEMENT;

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
pub struct List {
    items: RefCell<Vec<Value>>,
    pub(super) lock: Lock,
    held: Held,
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> List {
        List {
            held: Held::new(OVERHEAD + items.capacity() * ELEMENT),
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

    /// How many elements there can be before the list must move.
    pub(super) fn capacity(&self) -> usize {
        self.items.borrow().capacity()
    }

    /// The element at this index.
    pub fn get(&self, index: usize) -> Option<Value> {
        self.items.borrow().get(index).cloned()
    }

    /// A copy of the elements.
    pub fn to_vec(&self) -> Vec<Value> {
        self.items.borrow().clone()
    }

    /// The elements as they stand; nothing may change them meanwhile.
    pub(super) fn borrow(&self) -> Ref<'_, Vec<Value>> {
        self.items.borrow()
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
        let items = &mut *self.items.borrow_mut();
        let result = change(items);
        self.held.set(OVERHEAD + items.capacity() * ELEMENT);
        Ok(result)
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
pub struct Tuple {
    items: Vec<Value>,
    key: OnceCell<Key>,
    frozen: Cell<bool>,
    _held: Held,
}

impl Default for Tuple {
    fn default() -> Tuple {
        Tuple::from(Vec::new())
    }
}

impl From<Vec<Value>> for Tuple {
    fn from(items: Vec<Value>) -> Tuple {
        Tuple {
            _held: Held::new(OVERHEAD + items.capacity() * ELEMENT),
            items,
            key: OnceCell::new(),
            frozen: Cell::new(false),
        }
    }
}

impl Tuple {
    /// The elements.
    pub fn as_slice(&self) -> &[Value] {
        &self.items
    }

    /// Remembers what is known of the tuple as a key: tuples that share parts are not searched again and again.
    ///
    /// # Errors
    /// `find` failed.
    pub(super) fn key(&self, find: impl FnOnce() -> Result<Key>) -> Result<Key> {
        if let Some(key) = self.key.get() {
            return Ok(*key);
        }
        let key = find()?;
        Ok(*self.key.get_or_init(|| key))
    }

    /// Says that the elements are being frozen; true if they were not before.
    pub(super) fn freeze(&self) -> bool {
        !self.frozen.replace(true)
    }
}

impl Deref for Tuple {
    type Target = [Value];
    fn deref(&self) -> &[Value] {
        &self.items
    }
}

impl Drop for Tuple {
    fn drop(&mut self) {
        dismantle(self.items.drain(..));
    }
}

/// What is known of a value as a key.
#[derive(Clone, Copy, Default)]
pub(super) struct Key {
    /// Equal values have equal hashes.
    pub hash: u64,
    /// How much work it is to compare it with an equal one.
    pub size: u32,
    /// How deep it nests.
    pub depth: u32,
}

/// A value in a table, with the hash that was found for it.
struct Entry(Value, u64);

impl Hash for Entry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.1);
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.1 == other.1 && key_eq(&self.0, &other.0)
    }
}

impl Eq for Entry {}

/// A value that is looked for in a table.
struct Wanted<'a>(&'a Value, u64);

impl Hash for Wanted<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.1);
    }
}

impl Equivalent<Entry> for Wanted<'_> {
    fn equivalent(&self, entry: &Entry) -> bool {
        self.1 == entry.1 && key_eq(self.0, &entry.0)
    }
}

/// Passes on the hash that [`Value::key`] found.
#[derive(Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = crate::hash::of(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

type Table = IndexMap<Entry, Value, BuildHasherDefault<Ready>>;

/// A dict; keeps the order of insertion.
pub struct Dict {
    table: RefCell<Table>,
    pub(super) lock: Lock,
    held: Held,
}

impl Default for Dict {
    fn default() -> Dict {
        Dict {
            table: RefCell::default(),
            lock: Lock::default(),
            held: Held::new(OVERHEAD),
        }
    }
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

    /// How many items there can be before the dict must move.
    pub(super) fn capacity(&self) -> usize {
        self.table.borrow().capacity()
    }

    /// The value of a key.
    ///
    /// # Errors
    /// The key cannot be hashed.
    pub fn get(&self, key: &Value) -> Result<Option<Value>> {
        let hash = key.key()?.hash;
        Ok(self.table.borrow().get(&Wanted(key, hash)).cloned())
    }

    /// Sets the value of a key; true if the key is new.
    ///
    /// # Errors
    /// The dict must not change now, or the key cannot be hashed.
    pub fn insert(&self, key: Value, value: Value) -> Result<bool> {
        self.changeable("insert into")?;
        let hash = key.key()?.hash;
        let table = &mut *self.table.borrow_mut();
        let before = table.insert(Entry(key, hash), value);
        self.held.set(OVERHEAD + table.capacity() * ITEM);
        Ok(before.is_none())
    }

    /// Removes a key and gives its value.
    ///
    /// # Errors
    /// The dict must not change now, or the key cannot be hashed (which does not matter if the dict is empty).
    pub fn remove(&self, key: &Value) -> Result<Option<Value>> {
        self.changeable("delete from")?;
        if self.is_empty() {
            return Ok(None);
        }
        let hash = key.key()?.hash;
        Ok(self.table.borrow_mut().shift_remove(&Wanted(key, hash)))
    }

    /// Removes everything.
    ///
    /// # Errors
    /// The dict must not change now.
    pub fn clear(&self) -> Result<()> {
        self.changeable("clear")?;
        let mut table = std::mem::take(&mut *self.table.borrow_mut());
        self.held.set(OVERHEAD);
        dismantle(contents(&mut table));
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
        dismantle(contents(self.table.get_mut()));
    }
}

/// Keys and values, taken out.
fn contents(table: &mut Table) -> impl Iterator<Item = Value> {
    table.drain(..).flat_map(|(key, value)| [key.0, value])
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

    pub(super) fn dict(&self) -> &Dict {
        &self.0
    }
}

/// Drops values without recursion, however deep they nest: what they alone hold is taken out first.
pub(super) fn dismantle(values: impl Iterator<Item = Value>) {
    let mut pending: Vec<Value> = values.filter(Value::holds_values).collect();
    while let Some(value) = pending.pop() {
        let mut add = |values: &mut dyn Iterator<Item = Value>| {
            pending.extend(values.filter(Value::holds_values));
        };
        match value {
            Value::List(list) => {
                if let Ok(mut list) = Rc::try_unwrap(list) {
                    add(&mut list.items.get_mut().drain(..));
                }
            }
            Value::Tuple(tuple) => {
                if let Ok(mut tuple) = Rc::try_unwrap(tuple) {
                    add(&mut tuple.items.drain(..));
                }
            }
            Value::Dict(dict) => {
                if let Ok(mut dict) = Rc::try_unwrap(dict) {
                    add(&mut contents(dict.table.get_mut()));
                }
            }
            Value::Set(set) => {
                if let Ok(mut set) = Rc::try_unwrap(set) {
                    add(&mut contents(set.0.table.get_mut()));
                }
            }
            Value::Function(function) => {
                if let Ok(mut function) = Rc::try_unwrap(function) {
                    add(&mut function.take_held().into_iter());
                }
            }
            Value::Builtin(builtin) => {
                if let Ok(builtin) = Rc::try_unwrap(builtin).map(Counted::into_inner) {
                    add(&mut builtin.receiver.into_iter().chain(builtin.held));
                }
            }
            Value::Host(host) => {
                if let Ok(mut host) = Rc::try_unwrap(host.0).map(Counted::into_inner) {
                    add(&mut host.take_held().into_iter());
                }
            }
            _ => {}
        }
    }
}
