//! Going over the elements of a value; what is gone over must not change meanwhile.

use super::collections::{Dict, List, Tuple};
use super::error::{Error, Result};
use super::value::Value;
use super::vm::Interp;
use std::rc::Rc;

/// An iteration under way; its end unlocks what it goes over.
pub(super) enum Iteration {
    List(Rc<List>, usize),
    Tuple(Rc<Tuple>, usize),
    Dict(Rc<Dict>, usize),
    Range { next: i64, step: i64, left: usize },
    Fixed(std::vec::IntoIter<Value>),
}

impl Iteration {
    /// Begins an iteration, if the value has elements.
    ///
    /// # Errors
    /// There is no room for the elements.
    pub fn begin(interp: &mut Interp, value: &Value) -> Result<Option<Iteration>> {
        Ok(Some(match value {
            Value::List(list) => {
                list.lock.begin();
                Iteration::List(list.clone(), 0)
            }
            Value::Tuple(tuple) => Iteration::Tuple(tuple.clone(), 0),
            Value::Dict(dict) => {
                dict.lock.begin();
                Iteration::Dict(dict.clone(), 0)
            }
            Value::Range(range) => Iteration::Range {
                next: range.start,
                step: range.step,
                left: range.len(),
            },
            other => match interp.elements(other)? {
                Some(elements) => Iteration::Fixed(elements.into_iter()),
                None => return Ok(None),
            },
        }))
    }

    /// Begins an iteration.
    ///
    /// # Errors
    /// The value has no elements, or there is no room for them.
    pub fn over(interp: &mut Interp, value: &Value) -> Result<Iteration> {
        Iteration::begin(interp, value)?
            .ok_or_else(|| Error::new(format!("{} value is not iterable", value.type_name())))
    }
}

impl Iterator for Iteration {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        match self {
            Iteration::List(list, index) => {
                *index += 1;
                list.get(*index - 1)
            }
            Iteration::Tuple(tuple, index) => {
                *index += 1;
                tuple.get(*index - 1).cloned()
            }
            Iteration::Dict(dict, index) => {
                *index += 1;
                dict.key_at(*index - 1)
            }
            Iteration::Range { next, step, left } => {
                *left = left.checked_sub(1)?;
                let value = *next;
                *next = next.wrapping_add(*step);
                Some(Value::Int(value))
            }
            Iteration::Fixed(values) => values.next(),
        }
    }
}

impl Drop for Iteration {
    fn drop(&mut self) {
        match self {
            Iteration::List(list, _) => list.lock.end(),
            Iteration::Dict(dict, _) => dict.lock.end(),
            Iteration::Tuple(..) | Iteration::Range { .. } | Iteration::Fixed(_) => {}
        }
    }
}
