//! Values as keys: what is known of one beforehand, and when two are the same.

use super::compare::equals;
use super::{BYTES_A_STEP, KEY_DEPTH};
use crate::script::collections::Key;
use crate::script::error::{Error, Result};
use crate::script::number;
use crate::script::value::Value;

/// How many elements a key may have, those of the tuples in it counted.
const KEY_SIZE: u32 = 1_000_000;

/// A small, fast hash; keys come from templates, whose work is bounded by steps.
pub(in crate::script) struct Hashing;

impl Hashing {
    pub(in crate::script) fn bytes(bytes: &[u8]) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let word = chunk
                .iter()
                .rev()
                .fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
            hash = Hashing::mix(hash, word);
        }
        let rest = chunks
            .remainder()
            .iter()
            .rev()
            .fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
        Hashing::mix(hash, rest)
    }

    fn mix(hash: u64, word: u64) -> u64 {
        let mixed = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 32)
    }
}

/// What is known of a value as a key, `depth` levels of tuples allowed.
pub(super) fn key(value: &Value, depth: u32) -> Result<Key> {
    let hash = match value {
        Value::None => 0x11,
        Value::Bool(value) => 0x22 + u64::from(*value),
        Value::Int(value) => Hashing::mix(0x33, *value as u64),
        Value::BigInt(value) => Hashing::bytes(&value.to_signed_bytes_le()),
        Value::Float(float) => match number::float_to_int(*float) {
            Some(integer) if integer.to_f64() == Some(*float) => return key(&integer, depth),
            _ => Hashing::mix(0x44, float.to_bits()),
        },
        Value::Str(text) => {
            return Ok(Key {
                hash: Hashing::bytes(text),
                size: (text.len() / BYTES_A_STEP) as u32,
                depth: 0,
            });
        }
        Value::Tuple(tuple) => return tuple.key(|| tuple_key(tuple, depth)),
        Value::Function(function) => Hashing::bytes(function.name().as_bytes()),
        Value::Builtin(builtin) => Hashing::bytes(builtin.name.as_bytes()),
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
        whole.hash = Hashing::mix(whole.hash, part.hash);
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
