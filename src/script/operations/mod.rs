//! What every value can do: type, truth, text, equality, order, hash, iteration, attributes, indexing.

mod compare;
mod key;
mod repr;

use compare::{equals, ordered};
use key::key;
pub(super) use key::key_eq;

use super::ast::BinaryOp;
use super::collections::{Key, List, Tuple};
use super::error::{Error, Result};
use super::format;
use super::value::{Range, Value};
use super::{builtins, number};
use crate::order;
use std::borrow::Cow;
use std::rc::Rc;

/// How deep two values may nest when they are compared; the language's own bound.
const COMPARE_DEPTH: u32 = 10;

/// How deep tuples may nest in a key.
const KEY_DEPTH: u32 = 50;

/// How many elements of a range may be made at once.
const MOST_ELEMENTS: usize = 1 << 22;

/// How many bytes are compared or hashed in the time that an element takes.
const BYTES_A_STEP: usize = 32;

impl Value {
    /// The word that `type()` gives.
    pub fn type_name(&self) -> Cow<'static, str> {
        match self {
            Value::None => "NoneType".into(),
            Value::Bool(_) => "bool".into(),
            Value::Int(_) | Value::BigInt(_) => "int".into(),
            Value::Float(_) => "float".into(),
            Value::Str(_) => "string".into(),
            Value::List(_) => "list".into(),
            Value::Tuple(_) => "tuple".into(),
            Value::Dict(_) => "dict".into(),
            Value::Set(_) => "set".into(),
            Value::Range(_) => "range".into(),
            Value::Function(_) => "function".into(),
            Value::Builtin(_) => "builtin_function_or_method".into(),
            Value::Host(host) => host.0.type_name(),
        }
    }

    /// Truth value.
    pub fn truth(&self) -> bool {
        match self {
            Value::None => false,
            Value::Bool(value) => *value,
            Value::Int(value) => *value != 0,
            Value::BigInt(_) | Value::Function(_) | Value::Builtin(_) => true,
            Value::Float(value) => *value != 0.0,
            Value::Str(text) => !text.is_empty(),
            Value::List(list) => !list.is_empty(),
            Value::Tuple(tuple) => !tuple.is_empty(),
            Value::Dict(dict) => !dict.is_empty(),
            Value::Set(set) => !set.is_empty(),
            Value::Range(range) => !range.is_empty(),
            Value::Host(host) => host.0.truth(),
        }
    }

    /// Length, if the value has one.
    pub fn length(&self) -> Option<usize> {
        match self {
            Value::Str(text) => Some(text.len()),
            Value::List(list) => Some(list.len()),
            Value::Tuple(tuple) => Some(tuple.len()),
            Value::Dict(dict) => Some(dict.len()),
            Value::Set(set) => Some(set.len()),
            Value::Range(range) => Some(range.len()),
            Value::Host(host) => host.0.length(),
            _ => None,
        }
    }

    /// `self == other`.
    ///
    /// # Errors
    /// The values nest too deeply, or are of a kind that cannot be compared.
    pub fn equals(&self, other: &Value) -> Result<bool> {
        equals(self, other, COMPARE_DEPTH, &mut 0)
    }

    /// Orders two values for `<`, `<=`, `>`, `>=`; `work` counts the elements that were looked at.
    ///
    /// # Errors
    /// The types have no order.
    pub(super) fn compare(
        op: BinaryOp,
        left: &Value,
        right: &Value,
        work: &mut u64,
    ) -> Result<bool> {
        match op {
            BinaryOp::Equal => equals(left, right, COMPARE_DEPTH, work),
            BinaryOp::NotEqual => equals(left, right, COMPARE_DEPTH, work).map(|equal| !equal),
            _ => ordered(op, left, right, COMPARE_DEPTH, work),
        }
    }

    /// What is known of the value as a key.
    ///
    /// # Errors
    /// The value cannot be a key.
    pub(super) fn key(&self) -> Result<Key> {
        key(self, KEY_DEPTH)
    }

    /// The elements: of a dict and a mapping its keys.
    ///
    /// # Errors
    /// `X value is not iterable`
    pub fn iterate(&self) -> Result<Vec<Value>> {
        self.try_iterate()
            .ok_or_else(|| Error::new(format!("{} value is not iterable", self.type_name())))
    }

    /// The elements, if there can be any. For code that accounts for them, see [`Interp::elements`].
    pub fn try_iterate(&self) -> Option<Vec<Value>> {
        match self {
            Value::List(list) => Some(list.to_vec()),
            Value::Tuple(tuple) => Some(tuple.to_vec()),
            Value::Dict(dict) => Some(dict.keys()),
            Value::Set(set) => Some(set.to_vec()),
            Value::Range(range) if range.len() <= MOST_ELEMENTS => Some(
                (0..range.len())
                    .map(|index| Value::Int(range.at(index)))
                    .collect(),
            ),
            Value::Host(host) => host.0.iterate(),
            _ => None,
        }
    }

    /// True for what `iterate` accepts.
    pub fn is_iterable(&self) -> bool {
        match self {
            Value::List(_) | Value::Tuple(_) | Value::Dict(_) | Value::Set(_) | Value::Range(_) => {
                true
            }
            Value::Host(host) => host.0.iterate().is_some(),
            _ => false,
        }
    }

    /// Keys and values, if this is a mapping.
    pub fn mapping_items(&self) -> Option<Vec<(Value, Value)>> {
        match self {
            Value::Dict(dict) => Some(dict.items()),
            Value::Host(host) => host.0.items(),
            _ => None,
        }
    }

    /// `self.name`; `None` if there is no such attribute.
    ///
    /// # Errors
    /// A host value says why it has none.
    pub fn attr(&self, name: &str) -> Result<Option<Value>> {
        match self {
            Value::Host(host) => host.0.attr(name),
            _ => Ok(builtins::method(self, name)),
        }
    }

    /// The names of the attributes, sorted.
    pub fn attr_names(&self) -> Vec<String> {
        let mut names = match self {
            Value::Host(host) => host.0.attr_names().unwrap_or_default(),
            _ => builtins::method_names(self)
                .iter()
                .map(ToString::to_string)
                .collect(),
        };
        order::sort(&mut names);
        names
    }

    /// `self.name` as code has it: an error with a hint if there is no such attribute.
    ///
    /// # Errors
    /// There is no such attribute.
    pub fn get_attr(&self, name: &str) -> Result<Value> {
        if let Some(value) = self.attr(name)? {
            return Ok(value);
        }
        let mut message = match self {
            Value::Host(host) => host.0.no_attr_message(name),
            _ => format!("{} has no .{name} field or method", self.type_name()),
        };
        let names = self.attr_names();
        if let Some(near) = format::nearest(name, names.iter().map(String::as_str)) {
            message.push_str(&format!(" (did you mean .{near}?)"));
        }
        Err(Error::new(message))
    }

    /// `self[key]`
    ///
    /// # Errors
    /// The key is not there, or the value cannot be indexed so.
    pub fn index(&self, key: &Value) -> Result<Value> {
        match self {
            Value::Dict(dict) => dict.get(key)?.ok_or_else(|| not_in(key, self)),
            Value::Str(text) => {
                let index = self.element_index(key, text.len())?;
                Ok(Value::Str(
                    text.get(index..index + 1).unwrap_or_default().into(),
                ))
            }
            Value::List(list) => {
                let index = self.element_index(key, list.len())?;
                Ok(list.get(index).unwrap_or_default())
            }
            Value::Tuple(tuple) => {
                let index = self.element_index(key, tuple.len())?;
                Ok(tuple.get(index).cloned().unwrap_or_default())
            }
            Value::Range(range) => Ok(Value::Int(range.at(self.element_index(key, range.len())?))),
            Value::Host(host) => match host.0.index(key) {
                Some(found) => found?.ok_or_else(|| not_in(key, self)),
                None => Err(self.not_indexable(key)),
            },
            _ => Err(self.not_indexable(key)),
        }
    }

    fn not_indexable(&self, key: &Value) -> Error {
        Error::new(format!(
            "unhandled index operation {}[{}]",
            self.type_name(),
            key.type_name()
        ))
    }

    fn element_index(&self, key: &Value, len: usize) -> Result<usize> {
        let index = number::to_small(key).map_err(|error| {
            Error::new(format!("{} index: {}", self.type_name(), error.message()))
        })?;
        resolve_index(index, len).ok_or_else(|| out_of_range(index, len, self))
    }

    /// `self[key] = value`
    ///
    /// # Errors
    /// The value takes no assignment, the key is not there, or it must not change now.
    pub fn set_index(&self, key: Value, value: Value) -> Result<()> {
        match self {
            Value::Dict(dict) => dict.insert(key, value).map(|_| ()),
            Value::List(list) => {
                let given = number::to_small(&key)?;
                let len = list.len();
                let index =
                    resolve_index(given, len).ok_or_else(|| out_of_range(given, len, self))?;
                list.change("assign to element of", |items| {
                    if let Some(slot) = items.get_mut(index) {
                        *slot = value;
                    }
                })
            }
            _ => Err(Error::new(format!(
                "{} value does not support item assignment",
                self.type_name()
            ))),
        }
    }

    /// Which elements `self[low:high:step]` takes: a range over their indices.
    ///
    /// # Errors
    /// The value cannot be sliced, or a bound is no integer.
    pub(super) fn picks(&self, low: &Value, high: &Value, step: &Value) -> Result<Range> {
        let len = match self {
            Value::Str(_) | Value::List(_) | Value::Tuple(_) | Value::Range(_) => {
                self.length().unwrap_or(0)
            }
            _ => {
                return Err(Error::new(format!(
                    "invalid slice operand {}",
                    self.type_name()
                )));
            }
        };
        let step = match step {
            Value::None => 1,
            _ => number::to_small(step).map_err(|_| {
                Error::new(format!("got {} for slice step, want int", step.type_name()))
            })?,
        };
        if step == 0 {
            return Err(Error::new("zero is not a valid slice step"));
        }
        let (start, stop) = if step > 0 {
            let (start, end) = indices(low, high, len)?;
            (start as i64, end.max(start) as i64)
        } else {
            let last = len as i64 - 1;
            let start = bound(low, len, last, "start")?.min(last);
            let end = bound(high, len, -1, "end")?.max(-1);
            (start.max(end), end)
        };
        Ok(Range { start, stop, step })
    }

    /// The elements with these indices, in a value of the same kind.
    pub(super) fn part(&self, picks: Range) -> Value {
        let Range { start, stop, step } = picks;
        let indices = (0..picks.len()).map(|at| picks.at(at) as usize);
        match self {
            Value::Str(text) if step == 1 => {
                Value::str(text.get(start as usize..stop as usize).unwrap_or_default())
            }
            Value::Str(text) => Value::str(
                indices
                    .filter_map(|index| text.get(index).copied())
                    .collect::<Vec<u8>>(),
            ),
            Value::List(list) => {
                let list = list.borrow();
                Value::list(
                    indices
                        .filter_map(|index| list.get(index).cloned())
                        .collect(),
                )
            }
            Value::Tuple(tuple) => Value::tuple(
                indices
                    .filter_map(|index| tuple.get(index).cloned())
                    .collect(),
            ),
            Value::Range(range) => Value::range(Range {
                start: range.start.saturating_add(range.step.saturating_mul(start)),
                stop: range.start.saturating_add(range.step.saturating_mul(stop)),
                step: range.step.saturating_mul(step),
            }),
            _ => Value::None,
        }
    }

    /// The number as a float, if this is a number.
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Value::Int(value) => Some(*value as f64),
            Value::BigInt(value) => Some(number::big_to_f64(value)),
            Value::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// Makes the value and all that it holds unchangeable.
    pub fn freeze(&self) {
        let mut pending = vec![self.clone()];
        while let Some(value) = pending.pop() {
            match &value {
                Value::List(list) if list.freeze() => {
                    pending.extend(list.to_vec().into_iter().filter(Value::holds_values));
                }
                Value::Dict(dict) if dict.freeze() => {
                    pending.extend(
                        dict.items()
                            .into_iter()
                            .flat_map(|(key, value)| [key, value])
                            .filter(Value::holds_values),
                    );
                }
                Value::Set(set) => {
                    set.dict().freeze();
                }
                Value::Tuple(tuple) if tuple.freeze() => {
                    pending.extend(tuple.iter().filter(|value| value.holds_values()).cloned());
                }
                Value::Function(function) => {
                    pending.extend(function.freeze().into_iter().filter(Value::holds_values));
                }
                Value::Builtin(builtin) => {
                    pending.extend(builtin.receiver.iter().chain(&builtin.held).cloned());
                }
                _ => {}
            }
        }
    }

    /// True for values that can hold others.
    pub(super) fn holds_values(&self) -> bool {
        matches!(
            self,
            Value::List(_)
                | Value::Tuple(_)
                | Value::Dict(_)
                | Value::Set(_)
                | Value::Function(_)
                | Value::Builtin(_)
                | Value::Host(_)
        )
    }
}

fn not_in(key: &Value, container: &Value) -> Error {
    Error::new(format!(
        "key {} not in {}",
        key.repr(),
        container.type_name()
    ))
}

/// An index counted from the front, or from the end if negative.
pub(super) fn resolve_index(index: i64, len: usize) -> Option<usize> {
    let len = len as i64;
    let index = if index < 0 {
        index.checked_add(len)?
    } else {
        index
    };
    (0..len).contains(&index).then_some(index as usize)
}

pub(super) fn out_of_range(index: i64, len: usize, value: &Value) -> Error {
    let name = value.type_name();
    if len == 0 {
        return Error::new(format!("index {index} out of range: empty {name}"));
    }
    Error::new(format!(
        "{name} index {index} out of range [{}:{}]",
        -(len as i64),
        len as i64 - 1
    ))
}

/// A slice bound: `default` where it is `None`; counted from the end if negative; not clamped.
fn bound(value: &Value, len: usize, default: i64, which: &str) -> Result<i64> {
    if value.is_none() {
        return Ok(default);
    }
    let index = number::to_small(value).map_err(|_| {
        let kind = value.type_name();
        Error::new(format!("invalid {which} index: got {kind}, want int"))
    })?;
    Ok(if index < 0 {
        index.saturating_add(len as i64)
    } else {
        index
    })
}

/// Start and end of a part of something with `len` elements, both clamped to it.
pub(super) fn indices(start: &Value, end: &Value, len: usize) -> Result<(usize, usize)> {
    let clamp = |index: i64| index.clamp(0, len as i64) as usize;
    Ok((
        clamp(bound(start, len, 0, "start")?),
        clamp(bound(end, len, len as i64, "end")?),
    ))
}

impl Range {
    /// How many elements.
    pub fn len(&self) -> usize {
        let (low, high) = if self.step > 0 {
            (self.start, self.stop)
        } else {
            (self.stop, self.start)
        };
        if low >= high {
            return 0;
        }
        let span = (i128::from(high) - i128::from(low) - 1)
            / i128::from(self.step.unsigned_abs().max(1))
            + 1;
        usize::try_from(span).unwrap_or(usize::MAX)
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at this index.
    pub fn at(&self, index: usize) -> i64 {
        self.start
            .wrapping_add(self.step.wrapping_mul(index as i64))
    }

    /// Whether this number is an element.
    pub fn contains(&self, value: i64) -> bool {
        let delta = i128::from(value) - i128::from(self.start);
        let step = i128::from(self.step);
        delta % step == 0 && (0..self.len() as i128).contains(&(delta / step))
    }
}

impl From<Vec<Value>> for Value {
    fn from(elements: Vec<Value>) -> Value {
        Value::List(Rc::new(List::from(elements)))
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Float(value)
    }
}

impl From<Tuple> for Value {
    fn from(tuple: Tuple) -> Value {
        Value::Tuple(Rc::new(tuple))
    }
}
