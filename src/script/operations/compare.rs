//! Equality and order.

use super::BYTES_A_STEP;
use crate::script::ast::BinaryOp;
use crate::script::collections::{Dict, Set};
use crate::script::error::{Error, Result};
use crate::script::number;
use crate::script::value::Value;
use std::cmp::Ordering;
use std::rc::Rc;

/// How many elements two values may have that are compared.
const MOST_COMPARED: u64 = 1 << 24;

/// How many elements are compared in the time that the search of a key takes.
const SEARCH: usize = 16;

/// Fails if two values nest too deep, or have too many elements.
fn look(depth: u32, work: &mut u64) -> Result<()> {
    *work += 1;
    if depth == 0 {
        return Err(Error::new("comparison exceeded maximum recursion depth"));
    }
    if *work > MOST_COMPARED {
        return Err(Error::fatal(format!(
            "evaluation stopped: values with more than {MOST_COMPARED} elements were compared"
        )));
    }
    Ok(())
}

pub(super) fn equals(left: &Value, right: &Value, depth: u32, work: &mut u64) -> Result<bool> {
    look(depth, work)?;
    Ok(match (left, right) {
        (Value::None, Value::None) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Str(a), Value::Str(b)) => {
            if a.len() == b.len() {
                *work += (a.len() / BYTES_A_STEP) as u64;
            }
            a == b
        }
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::List(a), Value::List(b)) => {
            let (a, b) = (a.borrow(), b.borrow());
            a.len() == b.len() && all_equal(&a, &b, depth, work)?
        }
        (Value::Tuple(a), Value::Tuple(b)) => a.len() == b.len() && all_equal(a, b, depth, work)?,
        (Value::Dict(a), Value::Dict(b)) => dicts_equal(a, b, depth, work)?,
        (Value::Set(a), Value::Set(b)) => {
            *work += (a.len() * SEARCH) as u64;
            a.len() == b.len() && holds_all(a, b)?
        }
        (Value::Range(a), Value::Range(b)) => {
            let len = a.len();
            len == b.len() && (len == 0 || (a.start == b.start && (len == 1 || a.step == b.step)))
        }
        (Value::Function(a), Value::Function(b)) => Rc::ptr_eq(a, b),
        (Value::Builtin(a), Value::Builtin(b)) => Rc::ptr_eq(a, b),
        (Value::Host(a), _) => match a.0.equals(right) {
            Some(answer) => answer?,
            None => matches!(right, Value::Host(b) if Rc::ptr_eq(&a.0, &b.0)),
        },
        (_, Value::Host(b)) => match b.0.equals(left) {
            Some(answer) => answer?,
            None => false,
        },
        _ => number::order(left, right) == Some(Some(Ordering::Equal)),
    })
}

fn all_equal(left: &[Value], right: &[Value], depth: u32, work: &mut u64) -> Result<bool> {
    for (a, b) in left.iter().zip(right) {
        if !equals(a, b, depth - 1, work)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn dicts_equal(left: &Dict, right: &Dict, depth: u32, work: &mut u64) -> Result<bool> {
    if left.len() != right.len() {
        return Ok(false);
    }
    *work += (left.len() * SEARCH) as u64;
    for (key, value) in left.items() {
        match right.get(&key)? {
            Some(other) if equals(&value, &other, depth - 1, work)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn holds_all(left: &Set, right: &Set) -> Result<bool> {
    for element in left.to_vec() {
        if !right.contains(&element)? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) fn ordered(
    op: BinaryOp,
    left: &Value,
    right: &Value,
    depth: u32,
    work: &mut u64,
) -> Result<bool> {
    look(depth, work)?;
    let ordering = match (left, right) {
        (Value::None, Value::None) => Some(Ordering::Equal),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Str(a), Value::Str(b)) => {
            *work += (a.len().min(b.len()) / BYTES_A_STEP) as u64;
            Some(a.cmp(b))
        }
        (Value::List(a), Value::List(b)) => {
            return elements_ordered(op, &a.borrow(), &b.borrow(), depth, work);
        }
        (Value::Tuple(a), Value::Tuple(b)) => return elements_ordered(op, a, b, depth, work),
        _ => match number::order(left, right) {
            Some(ordering) => ordering,
            None => {
                // What cannot be compared at all says so.
                if let Value::Host(host) = left
                    && let Some(answer) = host.0.equals(right)
                {
                    answer?;
                }
                return Err(Error::new(format!(
                    "{} {} {} not implemented",
                    left.type_name(),
                    op.symbol(),
                    right.type_name()
                )));
            }
        },
    };
    Ok(ordering.is_some_and(|ordering| holds(op, ordering)))
}

/// The first pair that differs decides, else the lengths do.
fn elements_ordered(
    op: BinaryOp,
    left: &[Value],
    right: &[Value],
    depth: u32,
    work: &mut u64,
) -> Result<bool> {
    for (a, b) in left.iter().zip(right) {
        if !equals(a, b, depth - 1, work)? {
            return ordered(op, a, b, depth - 1, work);
        }
    }
    Ok(holds(op, left.len().cmp(&right.len())))
}

fn holds(op: BinaryOp, ordering: Ordering) -> bool {
    match op {
        BinaryOp::Less => ordering.is_lt(),
        BinaryOp::LessEqual => ordering.is_le(),
        BinaryOp::Greater => ordering.is_gt(),
        BinaryOp::GreaterEqual => ordering.is_ge(),
        BinaryOp::NotEqual => ordering.is_ne(),
        _ => ordering.is_eq(),
    }
}
