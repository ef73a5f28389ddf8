//! Values of the language, and the door through which the layers above add their own.

use super::builtins::{Method, Universal};
use super::error::{Error, Result};
use super::vm::Interp;
use crate::bytestring::Str;
use crate::memory::Counted;
use num_bigint::BigInt;
use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

pub use super::collections::{Dict, List, Set, Tuple};
pub use super::vm::Function;

/// Bytes of a shared value beside its content.
const OVERHEAD: usize = 64;

/// A value.
#[derive(Clone, Default)]
pub enum Value {
    /// `None`
    #[default]
    None,
    /// `True`, `False`
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// An integer that does not fit 64 signed bits.
    BigInt(Rc<Counted<BigInt>>),
    /// A float.
    Float(f64),
    /// A byte string.
    Str(Str),
    /// A list.
    List(Rc<List>),
    /// A tuple.
    Tuple(Rc<Tuple>),
    /// A dict; keeps insertion order.
    Dict(Rc<Dict>),
    /// A set; keeps insertion order.
    Set(Rc<Set>),
    /// `range(...)`.
    Range(Rc<Counted<Range>>),
    /// A function written in the language.
    Function(Rc<Function>),
    /// A function written in Rust.
    Builtin(Rc<Counted<Builtin>>),
    /// A value that a layer above defines.
    Host(Host),
}

/// A `range`: `start`, `start + step`, … below (or above) `stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First element.
    pub start: i64,
    /// Bound, not included.
    pub stop: i64,
    /// Difference of neighbours; never 0.
    pub step: i64,
}

/// Arguments of a call.
#[derive(Clone, Default)]
pub struct Args {
    /// Positional arguments.
    pub positional: Vec<Value>,
    /// Named arguments, in order, no name twice.
    pub named: Vec<(Str, Value)>,
}

/// The body of a function written in Rust: it gets the values that the function holds.
pub type Native = Rc<dyn Fn(&mut Interp, &[Value], Args) -> Result<Value>>;

/// How a function is written in Rust.
pub(super) enum Body {
    /// By a layer above.
    Closure(Native),
    /// As a function that every program sees.
    Universal(&'static str, Universal),
    /// As a method of a built-in type.
    Method(&'static str, Method),
}

/// A function written in Rust.
pub struct Builtin {
    /// Its name, as `str()` and messages show it.
    pub name: Rc<str>,
    /// For a bound method, the type of its receiver: `str([].append)` is `<built-in method append of list value>`.
    pub receiver: Option<Value>,
    /// Values that its body needs. A closure that captured them could end only by recursion.
    pub(super) held: Vec<Value>,
    pub(super) body: Body,
}

/// A shared [`HostValue`].
#[derive(Clone)]
pub struct Host(pub Rc<Counted<Box<dyn HostValue>>>);

/// A kind of value that a layer above the language defines: a YAML fragment, a library, a URL.
///
/// Every method has the answer of a plain, opaque object as its default.
pub trait HostValue: Any {
    /// The word that `type()` and messages give.
    fn type_name(&self) -> Cow<'static, str>;

    /// What `repr()` and `str()` give.
    fn repr(&self) -> String;

    /// For downcasts.
    fn as_any(&self) -> &dyn Any;

    /// Truth value.
    fn truth(&self) -> bool {
        true
    }

    /// Length, if it has one.
    fn length(&self) -> Option<usize> {
        None
    }

    /// Attribute `object.name`; `Ok(None)` if there is none.
    fn attr(&self, _name: &str) -> Result<Option<Value>> {
        Ok(None)
    }

    /// Names for `dir()` and for hints; unsorted. `None` if the type has no attributes at all.
    fn attr_names(&self) -> Option<Vec<String>> {
        None
    }

    /// What is said of an attribute that is not there.
    fn no_attr_message(&self, name: &str) -> String {
        format!("{} has no .{name} field or method", self.type_name())
    }

    /// `object[key]`: `None` if the type cannot be indexed so; `Some(Ok(None))` if the key is not there.
    fn index(&self, _key: &Value) -> Option<Result<Option<Value>>> {
        None
    }

    /// `key in object`: `None` if the type does not answer. By default what `index` finds.
    fn contains(&self, key: &Value) -> Option<Result<bool>> {
        self.index(key)
            .map(|found| found.map(|value| value.is_some()))
    }

    /// The elements (for a mapping: the keys), if it can be iterated.
    fn iterate(&self) -> Option<Vec<Value>> {
        None
    }

    /// About how many bytes `iterate` will take, where `length` does not tell.
    fn iterate_bytes(&self) -> usize {
        self.length().unwrap_or(0) * size_of::<Value>()
    }

    /// The values that the object holds, taken out: what follows is its end.
    fn take_held(&mut self) -> Vec<Value> {
        Vec::new()
    }

    /// Keys and values for `**object` and `dict(object)`, if it is a mapping.
    fn items(&self) -> Option<Vec<(Value, Value)>> {
        None
    }

    /// Calls the object, if it can be called.
    fn call(&self, _interp: &mut Interp, _args: Args) -> Option<Result<Value>> {
        None
    }

    /// `left == right` with this object on the left: `None` means "by identity".
    fn equals(&self, _other: &Value) -> Option<Result<bool>> {
        None
    }
}

impl Value {
    /// A string.
    pub fn str(text: impl Into<Str>) -> Value {
        Value::Str(text.into())
    }

    /// A list.
    pub fn list(elements: Vec<Value>) -> Value {
        Value::List(Rc::new(List::from(elements)))
    }

    /// A tuple.
    pub fn tuple(elements: Vec<Value>) -> Value {
        Value::Tuple(Rc::new(Tuple::from(elements)))
    }

    /// A dict of these items, in order; of a repeated key the first place and the last value stay.
    ///
    /// # Errors
    /// A key cannot be hashed.
    pub fn dict(items: impl IntoIterator<Item = (Value, Value)>) -> Result<Value> {
        let dict = Dict::default();
        for (key, value) in items {
            dict.insert(key, value)?;
        }
        Ok(Value::Dict(Rc::new(dict)))
    }

    /// A value of a layer above.
    pub fn host(value: impl HostValue) -> Value {
        let bytes = size_of_val(&value) + OVERHEAD;
        Value::Host(Host(Rc::new(Counted::new(Box::new(value), bytes))))
    }

    /// A range.
    pub fn range(range: Range) -> Value {
        Value::Range(Rc::new(Counted::new(range, OVERHEAD)))
    }

    pub(super) fn builtin(builtin: Builtin) -> Value {
        let bytes = size_of_val(&builtin) + builtin.held.len() * size_of::<Value>() + OVERHEAD;
        Value::Builtin(Rc::new(Counted::new(builtin, bytes)))
    }

    /// A function written in Rust.
    pub fn function(
        name: &str,
        body: impl Fn(&mut Interp, Args) -> Result<Value> + 'static,
    ) -> Value {
        Value::function_holding(name, Vec::new(), move |interp, _, args| body(interp, args))
    }

    /// A function written in Rust that holds values.
    pub fn function_holding(
        name: &str,
        held: Vec<Value>,
        body: impl Fn(&mut Interp, &[Value], Args) -> Result<Value> + 'static,
    ) -> Value {
        Value::builtin(Builtin {
            name: name.into(),
            receiver: None,
            held,
            body: Body::Closure(Rc::new(body)),
        })
    }

    /// The values that a function written in Rust holds, if it has this name.
    pub fn held_by(&self, name: &str) -> Option<&[Value]> {
        match self {
            Value::Builtin(builtin) if *builtin.name == *name => Some(&builtin.held),
            _ => None,
        }
    }

    /// The host value of this type, if it is one.
    pub fn downcast<T: HostValue>(&self) -> Option<&T> {
        match self {
            Value::Host(host) => (***host.0).as_any().downcast_ref(),
            _ => None,
        }
    }

    /// About how many bytes the value has itself, what it holds not counted.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Value::Str(text) => text.len(),
            Value::Range(_) => 0,
            _ => self
                .length()
                .unwrap_or(0)
                .saturating_mul(size_of::<Value>()),
        }
    }

    /// True for `None`.
    pub fn is_none(&self) -> bool {
        matches!(self, Value::None)
    }

    /// True for what can be called.
    pub fn is_callable(&self) -> bool {
        matches!(self, Value::Function(_) | Value::Builtin(_))
    }

    /// The bytes of a string.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Str(text) => Some(text.as_bytes()),
            _ => None,
        }
    }

    /// The text of a string in UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => text.as_str(),
            _ => None,
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.repr())
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.repr())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::str(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::str(value)
    }
}

impl Args {
    /// Only positional arguments.
    pub fn positional(values: Vec<Value>) -> Args {
        Args {
            positional: values,
            named: Vec::new(),
        }
    }

    /// Takes a named argument out.
    pub fn take_named(&mut self, name: &str) -> Option<Value> {
        let index = self.named.iter().position(|(key, _)| *key == name)?;
        Some(self.named.remove(index).1)
    }

    /// Fails as the language's builtins do if there are named arguments.
    ///
    /// # Errors
    /// `NAME: unexpected keyword arguments`
    pub fn no_named(&self, function: &str) -> Result<()> {
        if self.named.is_empty() {
            Ok(())
        } else {
            Err(Error::new(format!(
                "{function}: unexpected keyword arguments"
            )))
        }
    }
}
