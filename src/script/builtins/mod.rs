//! What the language brings along: functions that every program sees, and the methods of its types.

mod arguments;
mod dict;
mod functions;
mod list;
mod string;

use arguments::Unpacked;

use super::error::Result;
use super::value::{Args, Body, Builtin, Value};
use super::vm::Interp;

/// The names that every program sees, in the order of their slots.
pub(super) const NAMES: &[&str] = &[
    "None",
    "True",
    "False",
    "any",
    "all",
    "bool",
    "chr",
    "dict",
    "dir",
    "enumerate",
    "fail",
    "float",
    "getattr",
    "hasattr",
    "hash",
    "int",
    "len",
    "list",
    "max",
    "min",
    "ord",
    "print",
    "range",
    "repr",
    "reversed",
    "set",
    "sorted",
    "str",
    "tuple",
    "type",
    "zip",
];

/// A method: the interpreter, the receiver, the method's own name, the arguments.
pub(super) type Method = fn(&mut Interp, &Value, &'static str, Args) -> Result<Value>;

/// A function that every program sees: the interpreter, its own name, the arguments.
pub(super) type Universal = fn(&mut Interp, &'static str, Args) -> Result<Value>;

/// The values of [`NAMES`].
pub(super) fn universe() -> Vec<Value> {
    NAMES
        .iter()
        .map(|&name| match name {
            "None" => Value::None,
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            _ => match functions::find(name) {
                Some(function) => Value::builtin(Builtin {
                    name: name.into(),
                    receiver: None,
                    held: Vec::new(),
                    body: Body::Universal(name, function),
                }),
                None => Value::None,
            },
        })
        .collect()
}

fn table(value: &Value) -> &'static [(&'static str, Method)] {
    match value {
        Value::Str(_) => string::METHODS,
        Value::List(_) => list::METHODS,
        Value::Dict(_) => dict::METHODS,
        Value::Set(_) => dict::SET_METHODS,
        _ => &[],
    }
}

/// Where the type's method of this name stands among its methods; they are in the order of their names.
pub(super) fn find_method(value: &Value, name: &str) -> Option<usize> {
    table(value)
        .binary_search_by(|(key, _)| (*key).cmp(name))
        .ok()
}

/// That method's own name and body, for a call that needs no bound method.
pub(super) fn method_at(value: &Value, index: usize) -> Option<(&'static str, Method)> {
    table(value).get(index).copied()
}

/// A method of a built-in type, bound to its receiver.
pub(super) fn method(value: &Value, name: &str) -> Option<Value> {
    let (name, method) = method_at(value, find_method(value, name)?)?;
    Some(Value::builtin(Builtin {
        name: name.into(),
        receiver: Some(value.clone()),
        held: Vec::new(),
        body: Body::Method(name, method),
    }))
}

/// The names of a built-in type's methods.
pub(super) fn method_names(value: &Value) -> Vec<&'static str> {
    table(value).iter().map(|(name, _)| *name).collect()
}

/// Whether a text holds another.
pub(super) fn holds(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}
