//! Integers without bound, and their meeting with floats.

use super::error::{Error, Result};
use super::value::Value;
use crate::memory::Counted;
use num_bigint::BigInt;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::rc::Rc;

/// The integer that these digits mean.
///
/// # Errors
/// They are no digits of the base, or too many.
pub(super) fn parse(digits: &[u8], base: u32) -> Option<Result<Value>> {
    let significant = digits.iter().skip_while(|&&digit| digit == b'0').count() as u64;
    if significant * u64::from(base.ilog2()) > MOST_BITS {
        let known = digits.iter().all(|&digit| (digit as char).is_digit(base));
        return known.then(too_large);
    }
    BigInt::parse_bytes(digits, base).map(|value| bounded(Value::from(value)))
}

/// Shift counts from here on are refused.
const MOST_SHIFT: i64 = 512;

/// How many bits an integer may have: what takes longer than a line of text to write is no number of a template.
const MOST_BITS: u64 = 1 << 16;

impl From<BigInt> for Value {
    /// An integer in its smallest form.
    fn from(value: BigInt) -> Value {
        match value.to_i64() {
            Some(small) => Value::Int(small),
            None => {
                let bytes = value.bits() as usize / 8 + 64;
                Value::BigInt(Rc::new(Counted::new(value, bytes)))
            }
        }
    }
}

/// The integer, if it is not too large to go on with.
///
/// # Errors
/// It has too many bits.
fn bounded(value: Value) -> Result<Value> {
    match &value {
        Value::BigInt(big) if big.bits() > MOST_BITS => too_large(),
        _ => Ok(value),
    }
}

fn too_large() -> Result<Value> {
    Err(Error::fatal(format!(
        "evaluation stopped: an integer of more than {MOST_BITS} bits"
    )))
}

/// How long an operation on two numbers takes, in steps: none worth telling unless one is large.
pub(super) fn work(left: &Value, right: &Value) -> u64 {
    let words = |value: &Value| match value {
        Value::BigInt(value) => value.bits() / 64,
        _ => 1,
    };
    words(left).max(1) * words(right).max(1) / 16
}

/// The integer in its large form, if it is one.
pub(super) fn to_big(value: &Value) -> Option<BigInt> {
    match value {
        Value::Int(value) => Some(BigInt::from(*value)),
        Value::BigInt(value) => Some((***value).clone()),
        _ => None,
    }
}

/// An integer of 32 bits, as counts, indices and shifts are.
///
/// # Errors
/// `got X, want int`, or it is too large.
pub(super) fn to_small(value: &Value) -> Result<i64> {
    match value {
        Value::Int(value) if i32::try_from(*value).is_ok() => Ok(*value),
        Value::Int(_) | Value::BigInt(_) => {
            Err(Error::new(format!("{} out of range", value.repr())))
        }
        _ => Err(Error::new(format!("got {}, want int", value.type_name()))),
    }
}

/// A number as an integer: a float is cut towards zero.
///
/// # Errors
/// It is no number, or not a finite one.
pub fn to_integer(value: &Value) -> Result<Value> {
    match value {
        Value::Int(_) | Value::BigInt(_) => Ok(value.clone()),
        Value::Float(float) if float.is_nan() => {
            Err(Error::new("cannot convert float NaN to integer"))
        }
        Value::Float(float) => float_to_int(*float)
            .ok_or_else(|| Error::new("cannot convert float infinity to integer")),
        _ => Err(Error::new(format!(
            "cannot convert {} to int",
            value.type_name()
        ))),
    }
}

/// A finite float cut towards zero.
pub(super) fn float_to_int(float: f64) -> Option<Value> {
    BigInt::from_f64(float.trunc()).map(Value::from)
}

pub(super) fn big_to_f64(value: &BigInt) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

/// How two numbers compare; `None` if one is no number, `Some(None)` if one is not-a-number.
pub(super) fn order(left: &Value, right: &Value) -> Option<Option<Ordering>> {
    Some(match (left, right) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        // Unlike IEEE, the language orders not-a-number among floats nowhere: every comparison is false.
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Int(_) | Value::BigInt(_), Value::Int(_) | Value::BigInt(_)) => {
            Some(to_big(left)?.cmp(&to_big(right)?))
        }
        (Value::Int(_) | Value::BigInt(_), Value::Float(float)) => {
            order_with_float(&to_big(left)?, *float)
        }
        (Value::Float(float), Value::Int(_) | Value::BigInt(_)) => {
            let order = order_with_float(&to_big(right)?, *float);
            // As ytt has it: an infinity on the left of an integer is ordered as if it stood on the right.
            order.map(|order| {
                if float.is_infinite() {
                    order
                } else {
                    order.reverse()
                }
            })
        }
        _ => return None,
    })
}

fn order_with_float(integer: &BigInt, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    let Some(whole) = BigInt::from_f64(float.trunc()) else {
        return Some(if float > 0.0 {
            Ordering::Less
        } else {
            Ordering::Greater
        });
    };
    let fraction = float - float.trunc();
    Some(
        integer
            .cmp(&whole)
            .then_with(|| 0.0_f64.partial_cmp(&fraction).unwrap_or(Ordering::Equal)),
    )
}

/// `-x`
pub(super) fn negate(value: &Value) -> Option<Value> {
    match value {
        Value::Int(value) => Some(
            value
                .checked_neg()
                .map_or_else(|| Value::from(-BigInt::from(*value)), Value::Int),
        ),
        Value::BigInt(value) => Some(Value::from(-(***value).clone())),
        Value::Float(value) => Some(Value::Float(-value)),
        _ => None,
    }
}

/// `~x`
pub(super) fn invert(value: &Value) -> Option<Value> {
    match value {
        Value::Int(value) => Some(Value::Int(!value)),
        Value::BigInt(value) => Some(Value::from(-(***value).clone() - 1)),
        _ => None,
    }
}

/// An operation on two integers: quick where both and the result are small.
fn integers(
    left: &Value,
    right: &Value,
    quick: impl FnOnce(i64, i64) -> Option<i64>,
    exact: impl FnOnce(BigInt, BigInt) -> BigInt,
) -> Option<Value> {
    if let (Value::Int(a), Value::Int(b)) = (left, right)
        && let Some(result) = quick(*a, *b)
    {
        return Some(Value::Int(result));
    }
    Some(Value::from(exact(to_big(left)?, to_big(right)?)))
}

fn is_integer(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::BigInt(_))
}

/// Both as floats, if both are numbers and one is a float.
fn floats(left: &Value, right: &Value) -> Option<(f64, f64)> {
    if matches!(left, Value::Float(_)) || matches!(right, Value::Float(_)) {
        return Some((left.to_f64()?, right.to_f64()?));
    }
    None
}

pub(super) fn add(left: &Value, right: &Value) -> Option<Result<Value>> {
    match floats(left, right) {
        Some((a, b)) => Some(Ok(Value::Float(a + b))),
        None => integers(left, right, i64::checked_add, |a, b| a + b).map(bounded),
    }
}

pub(super) fn subtract(left: &Value, right: &Value) -> Option<Result<Value>> {
    match floats(left, right) {
        Some((a, b)) => Some(Ok(Value::Float(a - b))),
        None => integers(left, right, i64::checked_sub, |a, b| a - b).map(bounded),
    }
}

pub(super) fn multiply(left: &Value, right: &Value) -> Option<Result<Value>> {
    match floats(left, right) {
        Some((a, b)) => Some(Ok(Value::Float(a * b))),
        None => integers(left, right, i64::checked_mul, |a, b| a * b).map(bounded),
    }
}

pub(super) fn divide(left: &Value, right: &Value) -> Option<Result<Value>> {
    let (a, b) = (left.to_f64()?, right.to_f64()?);
    Some(if b == 0.0 {
        Err(Error::new("real division by zero"))
    } else {
        Ok(Value::Float(a / b))
    })
}

pub(super) fn floor_divide(left: &Value, right: &Value) -> Option<Result<Value>> {
    let zero = || Err(Error::new("floored division by zero"));
    if let Some((a, b)) = floats(left, right) {
        return Some(if b == 0.0 {
            zero()
        } else {
            Ok(Value::Float((a / b).floor()))
        });
    }
    if is_integer(right) && !right.truth() {
        return is_integer(left).then(zero);
    }
    let quick = |a: i64, b: i64| {
        let quotient = a.checked_div(b)?;
        Some(if a % b != 0 && (a < 0) != (b < 0) {
            quotient - 1
        } else {
            quotient
        })
    };
    integers(left, right, quick, |a, b| {
        let (quotient, rest) = (&a / &b, &a % &b);
        if !rest.is_zero() && a.is_negative() != b.is_negative() {
            quotient - 1
        } else {
            quotient
        }
    })
    .map(Ok)
}

pub(super) fn modulo(left: &Value, right: &Value) -> Option<Result<Value>> {
    if let Some((a, b)) = floats(left, right) {
        return Some(if b == 0.0 {
            Err(Error::new("float modulo by zero"))
        } else {
            Ok(Value::Float(a % b))
        });
    }
    if is_integer(right) && !right.truth() {
        return is_integer(left).then(|| Err(Error::new("integer modulo by zero")));
    }
    let quick = |a: i64, b: i64| {
        let rest = a.checked_rem(b)?;
        Some(if rest != 0 && (rest < 0) != (b < 0) {
            rest + b
        } else {
            rest
        })
    };
    integers(left, right, quick, |a, b| {
        let rest = &a % &b;
        if !rest.is_zero() && rest.is_negative() != b.is_negative() {
            rest + b
        } else {
            rest
        }
    })
    .map(Ok)
}

pub(super) fn bit_and(left: &Value, right: &Value) -> Option<Value> {
    integers(left, right, |a, b| Some(a & b), |a, b| a & b)
}

pub(super) fn bit_or(left: &Value, right: &Value) -> Option<Value> {
    integers(left, right, |a, b| Some(a | b), |a, b| a | b)
}

pub(super) fn bit_xor(left: &Value, right: &Value) -> Option<Value> {
    integers(left, right, |a, b| Some(a ^ b), |a, b| a ^ b)
}

/// `left << right`, or `left >> right`.
pub(super) fn shift(left: &Value, right: &Value, to_left: bool) -> Option<Result<Value>> {
    let number = to_big(left)?;
    Some(to_small(right).and_then(|count| {
        if count < 0 {
            return Err(Error::new(format!("negative shift count: {count}")));
        }
        if !to_left {
            return Ok(Value::from(
                number >> usize::try_from(count).unwrap_or(usize::MAX),
            ));
        }
        if count >= MOST_SHIFT {
            return Err(Error::new(format!("shift count too large: {count}")));
        }
        bounded(Value::from(number << usize::try_from(count).unwrap_or(0)))
    }))
}
