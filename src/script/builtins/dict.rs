//! Methods of dicts and sets, and what `dict(...)` shares with `update`.

use super::super::error::{Error, Result};
use super::super::value::{Args, Dict, Set, Value};
use super::super::vm::Interp;
use super::{Method, Unpacked};
use std::rc::Rc;

pub(super) const METHODS: &[(&str, Method)] = &[
    ("clear", clear),
    ("get", get),
    ("items", items),
    ("keys", keys),
    ("pop", pop),
    ("popitem", popitem),
    ("setdefault", setdefault),
    ("update", update_method),
    ("values", values),
];

pub(super) const SET_METHODS: &[(&str, Method)] = &[("union", union)];

fn receiver(value: &Value) -> Result<&Dict> {
    match value {
        Value::Dict(dict) => Ok(dict),
        _ => Err(Error::new("not a dict")),
    }
}

fn clear(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    Unpacked::positional(name, args, 0, 0)?;
    receiver(this)?.clear()?;
    Ok(Value::None)
}

fn get(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 2)?;
    let found = receiver(this)?
        .get(&args.value(0))
        .map_err(|error| error.in_function(name))?;
    Ok(found.unwrap_or_else(|| args.value(1)))
}

fn items(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    Unpacked::positional(name, args, 0, 0)?;
    let items = receiver(this)?.items();
    interp.charge(items.len() as u64)?;
    Ok(Value::list(
        items
            .into_iter()
            .map(|(key, value)| Value::tuple(vec![key, value]))
            .collect(),
    ))
}

fn keys(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    Unpacked::positional(name, args, 0, 0)?;
    let keys = receiver(this)?.keys();
    interp.charge(keys.len() as u64)?;
    Ok(Value::list(keys))
}

fn values(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    Unpacked::positional(name, args, 0, 0)?;
    let items = receiver(this)?.items();
    interp.charge(items.len() as u64)?;
    Ok(Value::list(
        items.into_iter().map(|(_, value)| value).collect(),
    ))
}

fn pop(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 2)?;
    let removed = receiver(this)?
        .remove(&args.value(0))
        .map_err(|error| error.in_function(name))?;
    removed
        .or_else(|| args.take(1))
        .ok_or_else(|| Error::new("missing key").in_function(name))
}

fn popitem(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    Unpacked::positional(name, args, 0, 0)?;
    let dict = receiver(this)?;
    let key = dict
        .key_at(0)
        .ok_or_else(|| Error::new("empty dict").in_function(name))?;
    let value = dict.remove(&key).map_err(|error| error.in_function(name))?;
    Ok(Value::tuple(vec![key, value.unwrap_or_default()]))
}

fn setdefault(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 2)?;
    let (key, default) = (args.value(0), args.value(1));
    let dict = receiver(this)?;
    if let Some(value) = dict.get(&key).map_err(|error| error.in_function(name))? {
        return Ok(value);
    }
    interp.charge(1)?;
    dict.insert(key, default.clone())
        .map_err(|error| error.in_function(name))?;
    Ok(default)
}

fn update_method(
    interp: &mut Interp,
    this: &Value,
    name: &'static str,
    args: Args,
) -> Result<Value> {
    update(interp, receiver(this)?, name, args)?;
    Ok(Value::None)
}

/// Adds what `dict(...)` or `update(...)` was given.
pub(super) fn update(interp: &mut Interp, dict: &Dict, name: &str, args: Args) -> Result<()> {
    let given = args.positional.len();
    if given > 1 {
        return Err(Error::new(format!(
            "{name}: got {given} arguments, want at most 1"
        )));
    }
    if let Some(updates) = args.positional.first() {
        add_all(interp, dict, updates).map_err(|error| error.in_function(name))?;
    }
    for (key, value) in args.named {
        dict.insert(Value::Str(key), value)
            .map_err(|error| error.in_function(name))?;
    }
    Ok(())
}

fn add_all(interp: &mut Interp, dict: &Dict, updates: &Value) -> Result<()> {
    if let Some(items) = updates.mapping_items() {
        interp.charge(items.len() as u64)?;
        for (key, value) in items {
            dict.insert(key, value)?;
        }
        return Ok(());
    }
    let fail = |message: String| Err(Error::new(message));
    let Some(pairs) = updates.try_iterate() else {
        return fail(format!("got {}, want iterable", updates.type_name()));
    };
    interp.charge(pairs.len() as u64)?;
    for (index, pair) in pairs.iter().enumerate() {
        let kind = pair.type_name();
        let Some(mut elements) = pair.try_iterate() else {
            return fail(format!(
                "dictionary update sequence element #{index} is not iterable ({kind})"
            ));
        };
        let Some(len) = pair.length() else {
            return fail(format!(
                "dictionary update sequence element #{index} has unknown length ({kind})"
            ));
        };
        match (elements.pop(), elements.pop(), len) {
            (Some(value), Some(key), 2) => dict.insert(key, value)?,
            _ => {
                return fail(format!(
                    "dictionary update sequence element #{index} has length {len}, want 2"
                ));
            }
        };
    }
    Ok(())
}

fn union(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 0, 1)?;
    let union = Set::default();
    for element in this
        .iterate()?
        .into_iter()
        .chain(args.iterable(0)?.unwrap_or_default())
    {
        union
            .insert(element)
            .map_err(|error| error.in_function(name))?;
    }
    Ok(Value::Set(Rc::new(union)))
}
