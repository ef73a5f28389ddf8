//! Methods of lists.

use super::super::error::{Error, Result};
use super::super::operations::{indices, out_of_range, resolve_index};
use super::super::value::{Args, List, Value};
use super::super::vm::Interp;
use super::{Method, Unpacked};

/// How many elements move in the time of a step.
const ELEMENTS_A_STEP: usize = 4;

pub(super) const METHODS: &[(&str, Method)] = &[
    ("append", append),
    ("clear", clear),
    ("extend", extend),
    ("index", index),
    ("insert", insert),
    ("pop", pop),
    ("remove", remove),
];

fn receiver(value: &Value) -> Result<&List> {
    match value {
        Value::List(list) => Ok(list),
        _ => Err(Error::new("not a list")),
    }
}

fn append(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 1)?;
    let list = receiver(this)?;
    interp.extend(list, 1)?;
    list.push(args.value(0))
        .map_err(|error| error.in_function(name))?;
    Ok(Value::None)
}

fn clear(_: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    Unpacked::positional(name, args, 0, 0)?;
    let old = receiver(this)?
        .change("clear", std::mem::take)
        .map_err(|error| error.in_function(name))?;
    super::super::collections::dismantle(old.into_iter());
    Ok(Value::None)
}

fn extend(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 1)?;
    let more = args.iterable(0, interp)?.unwrap_or_default();
    let list = receiver(this)?;
    interp.extend(list, more.len())?;
    list.change("extend", |items| items.extend(more))
        .map_err(|error| error.in_function(name))?;
    Ok(Value::None)
}

fn index(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 3)?;
    let wanted = args.value(0);
    let items = receiver(this)?.borrow();
    let (start, end) = indices(&args.value(1), &args.value(2), items.len())
        .map_err(|error| error.in_function(name))?;
    let found = interp
        .position(items.get(start..end).unwrap_or_default(), &wanted)
        .map_err(|error| error.in_function(name))?;
    match found {
        Some(at) => Ok(Value::Int((start + at) as i64)),
        None => Err(Error::new("value not in list").in_function(name)),
    }
}

/// Accounts for the elements that move when one before them comes or goes.
fn shift(interp: &mut Interp, list: &List) -> Result<()> {
    interp.work((list.len() / ELEMENTS_A_STEP) as u64)
}

fn insert(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 2, 2)?;
    let at = args.integer(0)?.unwrap_or(0);
    let value = args.value(1);
    let list = receiver(this)?;
    interp.extend(list, 1)?;
    shift(interp, list)?;
    list.change("insert into", |items| {
        let len = items.len() as i64;
        let at = if at < 0 {
            (at + len).max(0)
        } else {
            at.min(len)
        };
        items.insert(at as usize, value);
    })
    .map_err(|error| error.in_function(name))?;
    Ok(Value::None)
}

fn pop(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 0, 1)?;
    let list = receiver(this)?;
    let len = list.len();
    let given = args.integer(0)?.unwrap_or(len as i64 - 1);
    let index = resolve_index(given, len)
        .ok_or_else(|| out_of_range(given, len, this).in_function(name))?;
    interp.work(((len - index) / ELEMENTS_A_STEP) as u64)?;
    list.change("pop from", |items| items.remove(index))
        .map_err(|error| error.in_function(name))
}

fn remove(interp: &mut Interp, this: &Value, name: &'static str, args: Args) -> Result<Value> {
    let mut args = Unpacked::positional(name, args, 1, 1)?;
    let wanted = args.value(0);
    let list = receiver(this)?;
    list.change("remove from", |_| ())
        .map_err(|error| error.in_function(name))?;
    shift(interp, list)?;
    let found = interp
        .position(&list.borrow(), &wanted)
        .map_err(|error| error.in_function(name))?;
    match found {
        Some(at) => {
            list.change("remove from", |items| items.remove(at))?;
            Ok(Value::None)
        }
        None => Err(Error::new("element not found").in_function(name)),
    }
}
