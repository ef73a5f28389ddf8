//! The operators, as far as they are more than a number's: what they make is accounted for before it is made.

use super::ast::{BinaryOp, UnaryOp};
use super::builtins;
use super::collections::{ELEMENT, ITEM, Set};
use super::error::{Error, Result};
use super::value::Value;
use super::vm::Interp;
use super::{format, number};
use std::rc::Rc;

/// How many elements `*` may make at most; the language's own bound.
const MOST_REPEATED: u128 = 1 << 30;

impl Interp {
    /// `left op right`, but a list takes `+=` in place.
    pub(super) fn in_place(&mut self, op: BinaryOp, left: Value, right: &Value) -> Result<Value> {
        if op == BinaryOp::Add
            && let Value::List(list) = &left
            && let Some(more) = self.elements(right)?
        {
            self.extend(list, more.len())?;
            list.change("apply += to", |items| items.extend(more))?;
            return Ok(left);
        }
        self.binary(op, &left, right)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Result<Value> {
        if let (Value::Int(a), Value::Int(b)) = (left, right) {
            let small = match op {
                BinaryOp::Add => a.checked_add(*b).map(Value::Int),
                BinaryOp::Sub => a.checked_sub(*b).map(Value::Int),
                BinaryOp::Less => Some(Value::Bool(a < b)),
                BinaryOp::Equal => Some(Value::Bool(a == b)),
                _ => None,
            };
            if let Some(value) = small {
                return Ok(value);
            }
        }
        let found = match op {
            BinaryOp::Add => match (left, right) {
                (Value::Str(a), Value::Str(b)) => {
                    self.charge(a.len() + b.len())?;
                    Some(Value::str([a.as_bytes(), b.as_bytes()].concat()))
                }
                (Value::List(a), Value::List(b)) => {
                    self.charge((a.len() + b.len()) * ELEMENT)?;
                    Some(Value::list(
                        [a.borrow().as_slice(), b.borrow().as_slice()].concat(),
                    ))
                }
                (Value::Tuple(a), Value::Tuple(b)) => {
                    self.charge((a.len() + b.len()) * ELEMENT)?;
                    Some(Value::tuple([a.as_slice(), b.as_slice()].concat()))
                }
                _ => self.arithmetic(number::add, left, right)?,
            },
            BinaryOp::Sub => self.arithmetic(number::subtract, left, right)?,
            BinaryOp::Mul => match (left, right) {
                (
                    Value::Str(_) | Value::List(_) | Value::Tuple(_),
                    Value::Int(_) | Value::BigInt(_),
                ) => Some(self.repeat(left, right)?),
                (
                    Value::Int(_) | Value::BigInt(_),
                    Value::Str(_) | Value::List(_) | Value::Tuple(_),
                ) => Some(self.repeat(right, left)?),
                _ => self.arithmetic(number::multiply, left, right)?,
            },
            BinaryOp::Div => self.arithmetic(number::divide, left, right)?,
            BinaryOp::FloorDiv => self.arithmetic(number::floor_divide, left, right)?,
            BinaryOp::Mod => match left {
                Value::Str(text) => Some(format::interpolate(self, text, right)?),
                _ => self.arithmetic(number::modulo, left, right)?,
            },
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => match (left, right) {
                (Value::Set(a), Value::Set(b)) => {
                    self.charge((a.len() + b.len()) * ITEM)?;
                    Some(combine(op, a, b)?)
                }
                _ => match op {
                    BinaryOp::BitAnd => number::bit_and(left, right),
                    BinaryOp::BitOr => number::bit_or(left, right),
                    _ => number::bit_xor(left, right),
                },
            },
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                number::shift(left, right, op == BinaryOp::ShiftLeft).transpose()?
            }
            BinaryOp::In => self.contains(left, right)?.map(Value::Bool),
            // Written out of `in`: an error names that operator.
            BinaryOp::NotIn => match self.contains(left, right)? {
                Some(found) => Some(Value::Bool(!found)),
                None => return Err(unknown_binary(BinaryOp::In, left, right)),
            },
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual => Some(Value::Bool(self.compare(op, left, right)?)),
            BinaryOp::And | BinaryOp::Or => None,
        };
        found.ok_or_else(|| unknown_binary(op, left, right))
    }

    fn arithmetic(
        &mut self,
        operation: fn(&Value, &Value) -> Option<Result<Value>>,
        left: &Value,
        right: &Value,
    ) -> Result<Option<Value>> {
        self.work(number::work(left, right))?;
        operation(left, right).transpose()
    }

    /// Compares two values, for `==`, `<` and the like.
    ///
    /// # Errors
    /// The types have no order, or the values are too large.
    pub(super) fn compare(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Result<bool> {
        let mut work = 0;
        let answer = Value::compare(op, left, right, &mut work);
        self.work(work)?;
        answer
    }

    fn repeat(&mut self, value: &Value, count: &Value) -> Result<Value> {
        let len = value.length().unwrap_or(0);
        let times = if len == 0 {
            0
        } else {
            number::to_small(count)
                .map_err(|_| Error::new(format!("repeat count {} too large", count.repr())))?
        };
        let times = usize::try_from(times).unwrap_or(0);
        let size = len as u128 * times as u128;
        if size >= MOST_REPEATED {
            return Err(Error::new(format!("excessive repeat ({size} elements)")));
        }
        let bytes = if matches!(value, Value::Str(_)) {
            1
        } else {
            ELEMENT
        };
        self.charge(len * times * bytes)?;
        Ok(match value {
            Value::Str(text) => Value::str(text.repeat(times)),
            Value::List(list) => Value::list(repeated(&list.borrow(), times)),
            Value::Tuple(tuple) => Value::tuple(repeated(tuple, times)),
            _ => Value::None,
        })
    }

    /// `value[low:high:step]`
    ///
    /// # Errors
    /// The value cannot be sliced, or a bound is no integer, or there is no room for the part.
    pub(super) fn slice(
        &mut self,
        value: &Value,
        low: &Value,
        high: &Value,
        step: &Value,
    ) -> Result<Value> {
        let picks = value.picks(low, high, step)?;
        let bytes = match value {
            Value::Range(_) => 0,
            Value::Str(_) => 1,
            _ => ELEMENT,
        };
        self.charge(picks.len() * bytes)?;
        Ok(value.part(picks))
    }

    /// `element in container`; `None` if the container is none.
    fn contains(&mut self, element: &Value, container: &Value) -> Result<Option<bool>> {
        match container {
            Value::List(list) => self
                .position(&list.borrow(), element)
                .map(|at| Some(at.is_some())),
            Value::Tuple(tuple) => self.position(tuple, element).map(|at| Some(at.is_some())),
            // A key that cannot be hashed is not in a dict.
            Value::Dict(dict) => {
                self.weigh(element)?;
                Ok(Some(dict.get(element).is_ok_and(|found| found.is_some())))
            }
            Value::Set(set) => {
                self.weigh(element)?;
                set.contains(element).map(Some)
            }
            Value::Str(text) => match element {
                Value::Str(part) => {
                    self.charge(text.len())?;
                    Ok(Some(builtins::holds(text, part)))
                }
                other => {
                    let kind = other.type_name();
                    Err(Error::new(format!(
                        "'in <string>' requires string as left operand, not {kind}"
                    )))
                }
            },
            Value::Range(range) => match number::to_integer(element) {
                Ok(Value::Int(value)) => Ok(Some(range.contains(value))),
                Ok(_) => Ok(Some(false)),
                Err(_) => {
                    let kind = element.type_name();
                    Err(Error::new(format!(
                        "'in <range>' requires integer as left operand, not {kind}"
                    )))
                }
            },
            Value::Host(host) => Ok(host.0.contains(element).map(|found| found.unwrap_or(false))),
            _ => Ok(None),
        }
    }

    /// Where an equal element stands first.
    ///
    /// # Errors
    /// The values are too large or nest too deep to compare.
    pub(super) fn position(&mut self, elements: &[Value], wanted: &Value) -> Result<Option<usize>> {
        for (index, element) in elements.iter().enumerate() {
            if self.compare(BinaryOp::Equal, element, wanted)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }
}

fn repeated(elements: &[Value], times: usize) -> Vec<Value> {
    (0..times).flat_map(|_| elements.iter().cloned()).collect()
}

pub(super) fn unary(op: UnaryOp, value: &Value) -> Result<Value> {
    let (symbol, result) = match op {
        UnaryOp::Not => return Ok(Value::Bool(!value.truth())),
        UnaryOp::Minus => ("-", number::negate(value)),
        UnaryOp::Plus => ("+", value.to_f64().map(|_| value.clone())),
        UnaryOp::Invert => ("~", number::invert(value)),
    };
    result.ok_or_else(|| Error::new(format!("unknown unary op: {symbol} {}", value.type_name())))
}

/// `&`, `|` and `^` of two sets.
fn combine(op: BinaryOp, left: &Set, right: &Set) -> Result<Value> {
    let result = Set::default();
    let add = |from: &Set, keep: &dyn Fn(&Value) -> bool| -> Result<()> {
        from.to_vec()
            .into_iter()
            .filter(keep)
            .try_for_each(|element| result.insert(element))
    };
    let within = |set: &Set, element: &Value| set.contains(element).unwrap_or(false);
    match op {
        BinaryOp::BitAnd => {
            let (small, large) = if left.len() > right.len() {
                (right, left)
            } else {
                (left, right)
            };
            add(small, &|element| within(large, element))?;
        }
        BinaryOp::BitOr => {
            add(left, &|_| true)?;
            add(right, &|_| true)?;
        }
        _ => {
            add(left, &|element| !within(right, element))?;
            add(right, &|element| !within(left, element))?;
        }
    }
    Ok(Value::Set(Rc::new(result)))
}

fn unknown_binary(op: BinaryOp, left: &Value, right: &Value) -> Error {
    let (left, right) = (left.type_name(), right.type_name());
    Error::new(format!("unknown binary op: {left} {} {right}", op.symbol()))
}
