//! `@ytt:overlay`: applying overlays in code, and matchers.

use super::{bool_argument, function, function_holding, one};
use crate::overlay::{self, AND_MATCHER, Defaults, SUBSET_MATCHER, map_key_matcher};
use crate::script::{Args, Error, Interp, Module, Result, Value};
use crate::template::convert::{to_fragment, to_yaml};
use crate::yaml::Value as Node;

/// The module.
pub fn module() -> Value {
    Module::new(
        "overlay",
        vec![
            ("apply", function("overlay.apply", apply)),
            ("index", function("overlay.index", |_, args| index(&args))),
            (
                "all",
                function("overlay.all", |_, args| {
                    three(&args).map(|_| Value::Bool(true))
                }),
            ),
            (
                "map_key",
                function("overlay.map_key", |_, args| map_key(&args)),
            ),
            ("subset", function("overlay.subset", |_, args| subset(args))),
            ("and_op", function("overlay.and_op", |_, args| all_of(args))),
            ("or_op", function("overlay.or_op", |_, args| any_of(args))),
            ("not_op", function("overlay.not_op", |_, args| not(args))),
        ],
    )
}

fn apply(interp: &mut Interp, args: Args) -> Result<Value> {
    let mut sides = args
        .positional
        .iter()
        .map(to_yaml)
        .collect::<Result<Vec<Node>>>()?
        .into_iter();
    let Some(mut left) = sides.next() else {
        return Err(Error::new("expected exactly at least argument"));
    };
    for right in sides {
        left = overlay::apply(interp, left, &right, Defaults::default())?;
    }
    Ok(to_fragment(&left))
}

/// The arguments of a matcher: index or key, left value, right value.
fn three(args: &Args) -> Result<&[Value; 3]> {
    args.positional
        .as_slice()
        .try_into()
        .map_err(|_| Error::new("expected exactly 3 arguments"))
}

fn integer(value: &Value) -> Result<i64> {
    match value {
        Value::Int(value) => Ok(*value),
        Value::BigInt(_) => Err(Error::new("expected int64 value")),
        _ => Err(Error::new("expected starlark.Int")),
    }
}

fn index(args: &Args) -> Result<Value> {
    let wanted = integer(one(args)?)?;
    Ok(function("overlay.index_matcher", move |_, args| {
        let [index, ..] = three(&args)?;
        Ok(Value::Bool(integer(index)? == wanted))
    }))
}

fn map_key(args: &Args) -> Result<Value> {
    match one(args)? {
        Value::Str(key) => Ok(map_key_matcher(&key.to_text())),
        other => Err(Error::new(format!(
            "expected a string, but was {}",
            other.type_name()
        ))),
    }
}

fn subset(args: Args) -> Result<Value> {
    one(&args)?;
    let body = |_: &mut Interp, held: &[Value], args: Args| {
        let [_, left, _] = three(&args)?;
        let (left, wanted) = (to_yaml(left)?, to_yaml(first(held))?);
        Ok(Value::Bool(overlay::subset(&left, &wanted).is_ok()))
    };
    Ok(function_holding(SUBSET_MATCHER, args.positional, body))
}

/// What a matcher of one value holds.
fn first(held: &[Value]) -> &Value {
    held.first().unwrap_or(&Value::None)
}

/// A matcher that asks others until one gives `decisive`.
fn combined(name: &'static str, matchers: Vec<Value>, decisive: bool) -> Result<Value> {
    if matchers.is_empty() {
        return Err(Error::new("expected at least one argument"));
    }
    let body = move |interp: &mut Interp, matchers: &[Value], args: Args| {
        three(&args)?;
        for matcher in matchers {
            if bool_argument(&interp.call(matcher, args.clone())?)? == decisive {
                return Ok(Value::Bool(decisive));
            }
        }
        Ok(Value::Bool(!decisive))
    };
    Ok(function_holding(name, matchers, body))
}

fn all_of(args: Args) -> Result<Value> {
    combined(AND_MATCHER, args.positional, false)
}

fn any_of(args: Args) -> Result<Value> {
    combined("overlay.or_op", args.positional, true)
}

fn not(args: Args) -> Result<Value> {
    one(&args)?;
    let body = |interp: &mut Interp, held: &[Value], args: Args| {
        three(&args)?;
        Ok(Value::Bool(!bool_argument(
            &interp.call(first(held), args)?,
        )?))
    };
    Ok(function_holding("overlay.or_op", args.positional, body))
}
