//! Values as keys: what is known of one beforehand, and when two are the same.

use super::compare::equals;
use super::{BYTES_A_STEP, KEY_DEPTH};
use crate::hash;
use crate::script::collections::Key;
use crate::script::error::{Error, Result};
use crate::script::number;
use crate::script::value::Value;
use std::rc::Rc;

/// How many elements a key may have, those of the tuples in it counted.
const KEY_SIZE: u32 = 1_000_000;

/// What is known of a value as a key, `depth` levels of tuples allowed.
pub(super) fn key(value: &Value, depth: u32) -> Result<Key> {
    let hash = match value {
        Value::None => hash::of(&()),
        Value::Bool(value) => hash::of(value),
        Value::Int(value) => hash::of(value),
        Value::BigInt(value) => hash::of(&value.to_signed_bytes_le()[..]),
        Value::Float(float) => match number::float_to_int(*float) {
            Some(integer) if integer.to_f64() == Some(*float) => return key(&integer, depth),
            _ => hash::of(&float.to_bits()),
        },
        Value::Str(text) => {
            return Ok(Key {
                hash: hash::of(text.as_bytes()),
                size: (text.len() / BYTES_A_STEP) as u32,
                depth: 0,
            });
        }
        Value::Tuple(tuple) => return tuple.key(|| tuple_key(tuple, depth)),
        Value::Function(function) => hash::of(&Rc::as_ptr(function)),
        Value::Builtin(builtin) => hash::of(&*builtin.name),
        Value::Range(_) => return Err(Error::new("unhashable: range")),
        Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Host(_) => {
            return Err(Error::new(format!(
                "unhashable type: {}",
                value.type_name()
            )));
        }
    };
    Ok(Key {
        hash,
        size: 1,
        depth: 0,
    })
}

fn tuple_key(tuple: &[Value], depth: u32) -> Result<Key> {
    let too_deep = || Error::new("unhashable: tuples nested too deeply");
    let below = depth.checked_sub(1).ok_or_else(too_deep)?;
    let mut whole = Key {
        hash: 0x55,
        size: 1,
        depth: 1,
    };
    for element in tuple {
        let part = key(element, below)?;
        whole.hash = hash::of(&(whole.hash, part.hash));
        whole.size = whole.size.saturating_add(part.size);
        whole.depth = whole.depth.max(part.depth + 1);
    }
    if whole.depth > KEY_DEPTH {
        return Err(too_deep());
    }
    if whole.size > KEY_SIZE {
        return Err(Error::new(format!(
            "unhashable: a tuple with more than {KEY_SIZE} elements"
        )));
    }
    Ok(whole)
}

/// Equality of two keys, both of a bounded size.
pub(in crate::script) fn key_eq(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Str(a), Value::Str(b)) => a == b,
        _ => equals(left, right, KEY_DEPTH + 1, &mut 0).unwrap_or(false),
    }
}
