//! The texts `str` and `repr` give.

use crate::bytestring::Str;
use crate::hash::Set;
use crate::script::error::{Error, Result};
use crate::script::format;
use crate::script::value::{Range, Value};
use std::rc::Rc;

/// How deep a value may nest in `repr`; deeper parts print as `...`.
const REPR_DEPTH: usize = 200;

/// How many bytes the text of a value that is no string may have.
const MOST_TEXT: usize = 1 << 24;

/// The addresses of the collections that are being written: lists and dicts can hold themselves.
type Path = Set<*const ()>;

impl Value {
    /// What `str(x)` gives: a string itself, else its `repr`.
    ///
    /// # Errors
    /// The text is too long.
    pub fn to_str(&self) -> Result<Str> {
        Ok(match self {
            Value::Str(text) => text.clone(),
            other => other.to_repr()?.into(),
        })
    }

    /// What `repr(x)` gives.
    ///
    /// # Errors
    /// The text is too long.
    pub fn to_repr(&self) -> Result<String> {
        let mut out = String::new();
        if self.write_repr(&mut out, &mut Path::default()) {
            Ok(out)
        } else {
            Err(Error::fatal(format!(
                "evaluation stopped: the text of a value has more than {MOST_TEXT} bytes"
            )))
        }
    }

    /// What `repr(x)` gives, for messages: a text that is too long is cut.
    pub fn repr(&self) -> String {
        let mut out = String::new();
        if !self.write_repr(&mut out, &mut Path::default()) {
            out.push_str("...");
        }
        out
    }

    /// Writes until the text is too long; true if all was written.
    fn write_repr(&self, out: &mut String, path: &mut Path) -> bool {
        match self {
            Value::None => out.push_str("None"),
            Value::Bool(true) => out.push_str("True"),
            Value::Bool(false) => out.push_str("False"),
            Value::Int(value) => out.push_str(&value.to_string()),
            Value::BigInt(value) => out.push_str(&value.to_string()),
            Value::Float(value) => out.push_str(&format::general(*value, 6)),
            Value::Str(text) => format::quote(text, out),
            Value::List(list) => {
                let address = Rc::as_ptr(list).cast();
                return write_elements(out, path, address, ["[", "]"], &list.borrow());
            }
            Value::Tuple(tuple) => {
                let end = if tuple.len() == 1 { ",)" } else { ")" };
                return write_elements(out, path, Rc::as_ptr(tuple).cast(), ["(", end], tuple);
            }
            Value::Set(set) => {
                let (address, elements) = (Rc::as_ptr(set).cast(), set.to_vec());
                return write_elements(out, path, address, ["set([", "])"], &elements);
            }
            Value::Dict(dict) => {
                let address = Rc::as_ptr(dict).cast();
                return within(out, path, address, ["{", "}"], |out, path| {
                    dict.items()
                        .iter()
                        .enumerate()
                        .all(|(index, (key, value))| {
                            out.push_str(if index > 0 { ", " } else { "" });
                            key.write_repr(out, path) && {
                                out.push_str(": ");
                                value.write_repr(out, path)
                            }
                        })
                });
            }
            Value::Range(range) => {
                let Range { start, stop, step } = ***range;
                out.push_str(&match (start, step) {
                    (0, 1) => format!("range({stop})"),
                    (_, 1) => format!("range({start}, {stop})"),
                    _ => format!("range({start}, {stop}, {step})"),
                });
            }
            Value::Function(function) => out.push_str(&format!("<function {}>", function.name())),
            Value::Builtin(builtin) => out.push_str(&match &builtin.receiver {
                Some(receiver) => {
                    format!(
                        "<built-in method {} of {} value>",
                        builtin.name,
                        receiver.type_name()
                    )
                }
                None => format!("<built-in function {}>", builtin.name),
            }),
            Value::Host(host) => out.push_str(&host.0.repr()),
        }
        out.len() <= MOST_TEXT
    }
}

/// Writes a collection between its brackets; `...` stands for one that holds itself or nests too deep.
fn within(
    out: &mut String,
    path: &mut Path,
    address: *const (),
    [begin, end]: [&str; 2],
    write: impl FnOnce(&mut String, &mut Path) -> bool,
) -> bool {
    out.push_str(begin);
    let mut complete = true;
    if path.len() >= REPR_DEPTH || !path.insert(address) {
        out.push_str("...");
    } else {
        complete = write(out, path);
        path.remove(&address);
    }
    out.push_str(end);
    complete && out.len() <= MOST_TEXT
}

fn write_elements(
    out: &mut String,
    path: &mut Path,
    address: *const (),
    brackets: [&str; 2],
    elements: &[Value],
) -> bool {
    within(out, path, address, brackets, |out, path| {
        elements.iter().enumerate().all(|(index, element)| {
            out.push_str(if index > 0 { ", " } else { "" });
            element.write_repr(out, path)
        })
    })
}
