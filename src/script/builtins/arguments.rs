//! Arguments of functions written in Rust: counted, named and typed, with the language's own messages.

use super::super::error::{Error, Result};
use super::super::iteration::Iteration;
use super::super::number;
use super::super::value::{Args, Value};
use super::super::vm::Interp;
use crate::bytestring::Str;

/// Arguments by position; those that were not given are absent.
pub(in super::super) struct Unpacked<'a> {
    function: &'a str,
    /// For messages: parameters are told by name if they may be given by name, else by number.
    names: Option<&'a [&'a str]>,
    /// How many were given by position; names of the others are told in quotes.
    given: usize,
    values: Vec<Option<Value>>,
}

impl<'a> Unpacked<'a> {
    /// Only positional arguments: at least `least`, at most `most`.
    pub fn positional(
        function: &'a str,
        args: Args,
        least: usize,
        most: usize,
    ) -> Result<Unpacked<'a>> {
        args.no_named(function)?;
        let given = args.positional.len();
        let complain = |bound: &str, count: usize| {
            Err(Error::new(format!(
                "{function}: got {given} arguments, want {bound}{count}"
            )))
        };
        if given < least {
            return complain(if least < most { "at least " } else { "" }, least);
        }
        if given > most {
            return complain(if most > least { "at most " } else { "" }, most);
        }
        let mut values: Vec<Option<Value>> = args.positional.into_iter().map(Some).collect();
        values.resize(most, None);
        Ok(Unpacked {
            function,
            names: None,
            given,
            values,
        })
    }

    /// Arguments by position or name; the first `required` of `names` must be given.
    pub fn named(
        function: &'a str,
        args: Args,
        names: &'a [&'a str],
        required: usize,
    ) -> Result<Unpacked<'a>> {
        let given = args.positional.len();
        if given > names.len() {
            return Err(Error::new(format!(
                "{function}: got {given} arguments, want at most {}",
                names.len()
            )));
        }
        let mut values: Vec<Option<Value>> = args.positional.into_iter().map(Some).collect();
        values.resize(names.len(), None);
        for (name, value) in args.named {
            let slot = names
                .iter()
                .position(|candidate| name == *candidate)
                .and_then(|index| values.get_mut(index));
            match slot {
                None => {
                    let mut quoted = String::new();
                    super::super::format::quote(&name, &mut quoted);
                    return Err(Error::new(format!(
                        "{function}: unexpected keyword argument {quoted}"
                    )));
                }
                Some(Some(_)) => {
                    let mut quoted = String::new();
                    super::super::format::quote(&name, &mut quoted);
                    return Err(Error::new(format!(
                        "{function}: got multiple values for keyword argument {quoted}"
                    )));
                }
                Some(slot) => *slot = Some(value),
            }
        }
        for (name, value) in names.iter().zip(&values).take(required) {
            if value.is_none() {
                return Err(Error::new(format!(
                    "{function}: missing argument for {name}"
                )));
            }
        }
        Ok(Unpacked {
            function,
            names: Some(names),
            given,
            values,
        })
    }

    /// The argument at this place, if given.
    pub fn take(&mut self, index: usize) -> Option<Value> {
        self.values.get_mut(index).and_then(Option::take)
    }

    /// The argument at this place, or `None` the value.
    pub fn value(&mut self, index: usize) -> Value {
        self.take(index).unwrap_or_default()
    }

    /// A string.
    pub fn string(&mut self, index: usize) -> Result<Option<Str>> {
        self.typed(index, "string", |value| match value {
            Value::Str(text) => Some(text),
            _ => None,
        })
    }

    /// A required string.
    pub fn required_string(&mut self, index: usize) -> Result<Str> {
        Ok(self.string(index)?.unwrap_or_default())
    }

    /// A truth value.
    pub fn boolean(&mut self, index: usize) -> Result<Option<bool>> {
        self.typed(index, "bool", |value| match value {
            Value::Bool(value) => Some(value),
            _ => None,
        })
    }

    /// An integer of 64 bits.
    pub fn integer(&mut self, index: usize) -> Result<Option<i64>> {
        let Some(value) = self.take(index) else {
            return Ok(None);
        };
        match number::to_small(&value) {
            Ok(number) => Ok(Some(number)),
            Err(error) => Err(self.wrong(index, error.message())),
        }
    }

    /// Something to call.
    pub fn callable(&mut self, index: usize) -> Result<Option<Value>> {
        self.typed(index, "callable", |value| {
            value.is_callable().then_some(value)
        })
    }

    /// The elements of something that can be iterated.
    pub fn iterable(&mut self, index: usize, interp: &mut Interp) -> Result<Option<Vec<Value>>> {
        let Some(value) = self.take(index) else {
            return Ok(None);
        };
        match interp.elements(&value)? {
            Some(elements) => Ok(Some(elements)),
            None => Err(self.not_iterable(index, &value)),
        }
    }

    /// An iteration over something.
    pub fn iteration(&mut self, index: usize, interp: &mut Interp) -> Result<Option<Iteration>> {
        let Some(value) = self.take(index) else {
            return Ok(None);
        };
        match Iteration::begin(interp, &value)? {
            Some(iteration) => Ok(Some(iteration)),
            None => Err(self.not_iterable(index, &value)),
        }
    }

    fn not_iterable(&self, index: usize, value: &Value) -> Error {
        self.wrong(index, &format!("got {}, want iterable", value.type_name()))
    }

    fn typed<T>(
        &mut self,
        index: usize,
        want: &str,
        convert: impl FnOnce(Value) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.take(index) else {
            return Ok(None);
        };
        let found = value.type_name();
        match convert(value) {
            Some(converted) => Ok(Some(converted)),
            None => Err(self.wrong(index, &format!("got {found}, want {want}"))),
        }
    }

    /// The error that an argument is not what it should be.
    pub fn wrong(&self, index: usize, message: &str) -> Error {
        let function = self.function;
        match self.names.and_then(|names| names.get(index)) {
            Some(name) if index < self.given => {
                Error::new(format!("{function}: for parameter {name}: {message}"))
            }
            Some(name) => Error::new(format!("{function}: for parameter \"{name}\": {message}")),
            None => Error::new(format!(
                "{function}: for parameter {}: {message}",
                index + 1
            )),
        }
    }
}
