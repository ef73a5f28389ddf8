//! Methods of dicts and sets, and what `dict(...)` shares with `update`.

use super::super::collections::{Dict, ELEMENT, ITEM, PAIR, Set};
use super::super::error::{Error, Result};
use super::super::iteration::Iteration;
use super::super::value::{Args, Value};
use super::super::vm::Interp;
use super::{Method, Unpacked};
use std::rc::Rc;

/// How many items move up in the time of a step, when one before them is removed.
const ITEMS_A_STEP: usize = 8;

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

fn get(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 2)?;
    let key = args.value(0);
    interp.weigh(&key)?;
    let found = receiver(this)?
        .get(&key)
        .map_err(|error| error.in_function(name))?;
    Ok(found.unwrap_or_else(|| args.value(1)))
}

fn items(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    Unpacked::positional(name, args, 0, 0)?;
    let dict = receiver(this)?;
    interp.charge(dict.len() * PAIR)?;
    Ok(Value::list(
        dict.items()
            .into_iter()
            .map(|(key, value)| Value::tuple(vec![key, value]))
            .collect(),
    ))
}

fn keys(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    Unpacked::positional(name, args, 0, 0)?;
    let dict = receiver(this)?;
    interp.charge(dict.len() * ELEMENT)?;
    Ok(Value::list(dict.keys()))
}

fn values(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    Unpacked::positional(name, args, 0, 0)?;
    let dict = receiver(this)?;
    interp.charge(dict.len() * ITEM)?;
    Ok(Value::list(
        dict.items().into_iter().map(|(_, value)| value).collect(),
    ))
}

fn pop(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 2)?;
    let removed =
        remove(interp, receiver(this)?, &args.value(0)).map_err(|error| error.in_function(name))?;
    removed
        .or_else(|| args.take(1))
        .ok_or_else(|| Error::new("missing key").in_function(name))
}

/// Removes an item; those after it move up.
fn remove(interp: &mut Interp, dict: &Dict, key: &Value) -> Result<Option<Value>> {
    interp.weigh(key)?;
    interp.work((dict.len() / ITEMS_A_STEP) as u64)?;
    dict.remove(key)
}

fn popitem(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    Unpacked::positional(name, args, 0, 0)?;
    let dict = receiver(this)?;
    let key = dict
        .key_at(0)
        .ok_or_else(|| Error::new("empty dict").in_function(name))?;
    let value = remove(interp, dict, &key).map_err(|error| error.in_function(name))?;
    Ok(Value::tuple(vec![key, value.unwrap_or_default()]))
}

fn setdefault(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 2)?;
    let (key, default) = (args.value(0), args.value(1));
    let dict = receiver(this)?;
    interp.insert(dict, &key)?;
    if let Some(value) = dict.get(&key).map_err(|error| error.in_function(name))? {
        return Ok(value);
    }
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
        for (key, value) in items {
            interp.insert(dict, &key)?;
            dict.insert(key, value)?;
        }
        return Ok(());
    }
    let fail = |message: String| Err(Error::new(message));
    let Some(pairs) = Iteration::begin(interp, updates)? else {
        return fail(format!("got {}, want iterable", updates.type_name()));
    };
    for (index, pair) in pairs.enumerate() {
        let kind = pair.type_name();
        let Some(elements) = Iteration::begin(interp, &pair)? else {
            return fail(format!(
                "dictionary update sequence element #{index} is not iterable ({kind})"
            ));
        };
        interp.work(1)?;
        let Some(len) = pair.length() else {
            return fail(format!(
                "dictionary update sequence element #{index} has unknown length ({kind})"
            ));
        };
        let mut elements = elements;
        match (elements.next(), elements.next(), len) {
            (Some(key), Some(value), 2) => {
                interp.insert(dict, &key)?;
                dict.insert(key, value)?;
            }
            _ => {
                return fail(format!(
                    "dictionary update sequence element #{index} has length {len}, want 2"
                ));
            }
        }
    }
    Ok(())
}

fn union(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 0, 1)?;
    let own = Iteration::over(interp, this)?;
    let more = args.iteration(0, interp)?;
    make_set(interp, own.chain(more.into_iter().flatten())).map_err(|error| error.in_function(name))
}

/// A set of these elements.
pub(super) fn make_set(
    interp: &mut Interp,
    elements: impl Iterator<Item = Value>,
) -> Result<Value> {
    let set = Set::default();
    for element in elements {
        interp.work(1)?;
        interp.insert(set.dict(), &element)?;
        set.insert(element)?;
    }
    Ok(Value::Set(Rc::new(set)))
}
