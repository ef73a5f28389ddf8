//! `@ytt:assert`: failing, comparing, and assertions that validation rules are made of.

use crate::modules::object::Object;
use crate::modules::yaml::text_of;
use crate::modules::{function, go_type};
use crate::position::Source;
use crate::script::{self, Args, Error, Globals, Interp, Loader, Module, Program, Result, Value};
use crate::template::to_plain;
use crate::yaml::{self, ParseOptions};
use std::rc::Rc;

/// The module.
pub fn module() -> Value {
    Module::new(
        "assert",
        vec![
            ("equals", function("assert.equals", equals)),
            ("fail", function("assert.fail", fail)),
            ("try_to", function("assert.try_to", try_to)),
            ("min", function("assert.min", min_assertion)),
            ("min_len", function("assert.min_len", min_len_assertion)),
            ("max", function("assert.max", max_assertion)),
            ("max_len", function("assert.max_len", max_len_assertion)),
            ("not_null", function("assert.not_null", not_null_assertion)),
            (
                "one_not_null",
                function("assert.one_not_null", one_not_null_assertion),
            ),
            ("one_of", function("assert.one_of", one_of_assertion)),
        ],
    )
}

fn min_assertion(interp: &mut Interp, args: Args) -> Result<Value> {
    min(interp, one(&args)?).map(assertion)
}

fn min_len_assertion(interp: &mut Interp, args: Args) -> Result<Value> {
    min_len(interp, &length_bound(&args)?).map(assertion)
}

fn max_assertion(interp: &mut Interp, args: Args) -> Result<Value> {
    max(interp, one(&args)?).map(assertion)
}

fn max_len_assertion(interp: &mut Interp, args: Args) -> Result<Value> {
    max_len(interp, &length_bound(&args)?).map(assertion)
}

/// `not_null()` is an assertion, `not_null(value)` asks it at once.
fn not_null_assertion(interp: &mut Interp, args: Args) -> Result<Value> {
    let check = not_null(interp)?;
    match args.positional.len() {
        0 => Ok(assertion(check)),
        1 => interp.call(&check, Args::positional(args.positional)),
        count => Err(Error::new(format!("got {count} arguments, want at most 1"))),
    }
}

fn one_not_null_assertion(_: &mut Interp, args: Args) -> Result<Value> {
    let keys = match args.positional.as_slice() {
        [] | [Value::Bool(true)] => None,
        [Value::Bool(false)] => return Err(Error::new("one_not_null() cannot be False")),
        [keys] if is_sequence(keys) => Some(keys.clone()),
        [other] => {
            return Err(Error::new(format!(
                "expected a sequence of keys, but was a '{}'",
                other.type_name()
            )));
        }
        many => return Err(wrong_count(many.len(), 1)),
    };
    Ok(assertion(one_not_null(keys)))
}

/// `one_of(sequence)` or `one_of(a, b, ...)`
fn one_of_assertion(interp: &mut Interp, args: Args) -> Result<Value> {
    let allowed = match args.positional.as_slice() {
        [] => return Err(Error::new("got 0 arguments, want at least 1")),
        [one] => one.clone(),
        _ => Value::tuple(args.positional),
    };
    if !is_sequence(&allowed) {
        return Err(Error::new(format!(
            "expected a sequence, but was a '{}'",
            allowed.type_name()
        )));
    }
    one_of(interp, &allowed).map(assertion)
}

fn wrong_count(count: usize, wanted: usize) -> Error {
    Error::new(format!("got {count} arguments, want {wanted}"))
}

fn one(args: &Args) -> Result<&Value> {
    match args.positional.as_slice() {
        [only] => Ok(only),
        many => Err(wrong_count(many.len(), 1)),
    }
}

fn length_bound(args: &Args) -> Result<Value> {
    let bound = one(args)?;
    to_integer(bound).ok_or_else(|| {
        Error::new(format!(
            "expected value to be an number, but was {}",
            bound.type_name()
        ))
    })
}

fn equals(_: &mut Interp, args: Args) -> Result<Value> {
    let [expected, actual] = args.positional.as_slice() else {
        return Err(wrong_count(args.positional.len(), 2));
    };
    for value in [expected, actual] {
        if value.is_callable() {
            return Err(Error::new(format!(
                "expected argument not to be a function, but was {}",
                go_type(value)
            )));
        }
    }
    let expected_text = text_of(expected)?;
    let actual_text = text_of(actual)?;
    if expected_text == actual_text {
        return Ok(Value::None);
    }
    Err(Error::new(format!(
        "Not equal:\n(expected type: {})\n{}\n\n(was type: {})\n{}",
        expected.type_name(),
        String::from_utf8_lossy(&expected_text),
        actual.type_name(),
        String::from_utf8_lossy(&actual_text),
    )))
}

fn fail(_: &mut Interp, args: Args) -> Result<Value> {
    match one(&args)? {
        Value::Str(message) => Err(Error::new(format!("fail: {}", message.to_text()))),
        other => Err(Error::new(format!(
            "expected a string, but was {}",
            other.type_name()
        ))),
    }
}

fn try_to(interp: &mut Interp, args: Args) -> Result<Value> {
    let function = one(&args)?;
    if !function.is_callable() {
        return Err(Error::new(format!(
            "expected argument to be a function, but was {}",
            go_type(function)
        )));
    }
    match interp.call(function, Args::default()) {
        Ok(value) => Ok(Value::tuple(vec![value, Value::None])),
        Err(error) if error.is_fatal() => Err(error),
        Err(error) => Ok(Value::tuple(vec![Value::None, Value::str(error.message())])),
    }
}

/// What `assert.min(...)` and the like give: a rule that can be asked.
fn assertion(check: Value) -> Value {
    Object::new("@ytt:assert.assertion", vec![("check", check)])
}

/// Checks are functions of the language, since errors show them as such. `again` is a value as it is after
/// it went through YAML.
fn compile(interp: &mut Interp, name: &'static str, body: &str, bound: &Value) -> Result<Value> {
    struct NoModules;
    impl Loader for NoModules {
        fn load(&self, _: &mut Interp, module: &str) -> Result<Rc<Globals>> {
            Err(Error::new(format!("cannot load {module}")))
        }
    }
    let make = interp.once(name, |interp| {
        let text = format!("make = lambda bound, again: {body}\n");
        let program = Program::compile(&format!("assert.{name}"), text.as_bytes(), &[], &[])
            .map_err(|errors| {
                Error::new(errors.iter().map(ToString::to_string).collect::<String>())
            })?;
        let globals = program.run(interp, None, Rc::new(NoModules))?;
        Ok(globals.get("make").cloned().unwrap_or_default())
    })?;
    let again = Value::function("again", |_, args| again(one(&args)?));
    interp.call(&make, Args::positional(vec![bound.clone(), again]))
}

/// The check of `assert.min_len(bound)`; `bound` is an integer.
///
/// # Errors
/// A limit of the evaluation was reached.
pub fn min_len(interp: &mut Interp, bound: &Value) -> Result<Value> {
    let body = r#"lambda sequence: True if len(sequence) >= bound else fail("length = {}".format(len(sequence)))"#;
    compile(interp, "min_len", body, bound)
}

/// The check of `assert.max_len(bound)`; `bound` is an integer.
///
/// # Errors
/// A limit of the evaluation was reached.
pub fn max_len(interp: &mut Interp, bound: &Value) -> Result<Value> {
    let body = r#"lambda sequence: True if len(sequence) <= bound else fail("length = {}".format(len(sequence)))"#;
    compile(interp, "max_len", body, bound)
}

/// The check of `assert.min(bound)`.
///
/// # Errors
/// A limit of the evaluation was reached.
pub fn min(interp: &mut Interp, bound: &Value) -> Result<Value> {
    let body =
        r#"lambda val: again(val) >= again(bound) or fail("value < {}".format(again(bound)))"#;
    compile(interp, "min", body, bound)
}

/// The check of `assert.max(bound)`.
///
/// # Errors
/// A limit of the evaluation was reached.
pub fn max(interp: &mut Interp, bound: &Value) -> Result<Value> {
    let body =
        r#"lambda val: again(val) <= again(bound) or fail("value > {}".format(again(bound)))"#;
    compile(interp, "max", body, bound)
}

/// The check of `assert.not_null()`.
///
/// # Errors
/// A limit of the evaluation was reached.
pub fn not_null(interp: &mut Interp) -> Result<Value> {
    let body = r#"lambda value: value != None or fail("value is null")"#;
    compile(interp, "not_null", body, &Value::None)
}

/// The check of `assert.one_of(allowed)`; `allowed` is a sequence.
///
/// # Errors
/// A limit of the evaluation was reached.
pub fn one_of(interp: &mut Interp, allowed: &Value) -> Result<Value> {
    let body = r#"lambda val: again(val) in again(bound) or fail("not one of allowed values")"#;
    compile(interp, "one_of", body, allowed)
}

/// The check of `assert.one_not_null(keys)`: of these keys, or of all without, exactly one is there and not null.
pub fn one_not_null(keys: Option<Value>) -> Value {
    Value::function("assert.one_not_null", move |_, args| {
        let [value] = args.positional.as_slice() else {
            let count = args.positional.len();
            return Err(Error::new(format!("check: got {count} arguments, want 1")));
        };
        let value = again(value)?;
        let Value::Dict(dict) = &value else {
            return Err(Error::new(format!(
                "check: value must be a map or dict, but was '{}'",
                value.type_name()
            )));
        };
        let keys = match &keys {
            Some(keys) => keys
                .iterate()?
                .iter()
                .map(again)
                .collect::<Result<Vec<_>>>()?,
            None => dict.keys(),
        };
        let mut found = Vec::new();
        for key in keys {
            // A key that is not there is for the schema to find.
            let value = dict.get(&key).map_err(|_| {
                Error::new(format!(
                    "check: unexpected error while looking up key {} in dict {}",
                    key.repr(),
                    value.repr()
                ))
            })?;
            if value.is_some_and(|value| !value.is_none()) {
                found.push(key);
            }
        }
        match found.len() {
            0 if dict.is_empty() => Err(Error::new("check: value is empty")),
            0 => Err(Error::new("check: all values are null")),
            1 => Ok(Value::Bool(true)),
            _ => Err(Error::new(format!(
                "check: {} are not null",
                Value::list(found).repr()
            ))),
        }
    })
}

/// A value as it is after it went through YAML: fragments are dicts and lists, `1.0` is `1`, and what a document would
/// not print, an empty fragment, is `None`.
fn again(value: &Value) -> Result<Value> {
    if matches!(
        value,
        Value::None | Value::Bool(_) | Value::Int(_) | Value::Str(_)
    ) {
        return Ok(value.clone());
    }
    let text = text_of(value).map_err(|error| error.in_function("yaml.encode"))?;
    let documents = yaml::parse(&Source::file("", text), ParseOptions::default())
        .map_err(|error| Error::new(format!("yaml.decode: {error}")))?;
    match documents.items.first() {
        Some(document) => to_plain(&document.value),
        None => Ok(Value::None),
    }
}

/// An integer; floats are cut off.
pub(crate) fn to_integer(value: &Value) -> Option<Value> {
    script::to_integer(value).ok()
}

/// True for what has a length and elements.
pub(crate) fn is_sequence(value: &Value) -> bool {
    match value {
        Value::List(_) | Value::Tuple(_) | Value::Dict(_) | Value::Set(_) | Value::Range(_) => true,
        Value::Host(host) => host.0.length().is_some() && host.0.iterate().is_some(),
        _ => false,
    }
}
