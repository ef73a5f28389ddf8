//! `@ytt:struct`: values with attributes.

use super::{function, function_holding, one};
use crate::script::{Args, Error, Interp, Module, Result, Struct, Value};
use crate::template::{to_plain, to_struct, to_yaml};

/// The module.
pub fn module() -> Value {
    Module::new(
        "struct",
        vec![
            ("make", function("struct.make", |_, args| make(args))),
            (
                "make_and_bind",
                function("struct.make_and_bind", |_, args| make_and_bind(args)),
            ),
            (
                "bind",
                function("struct.bind", |_, args| bind(args.positional)),
            ),
            (
                "encode",
                function("struct.encode", |_, args| to_struct(&to_yaml(one(&args)?)?)),
            ),
            (
                "decode",
                function("struct.decode", |_, args| to_plain(&to_yaml(one(&args)?)?)),
            ),
        ],
    )
}

fn make(args: Args) -> Result<Value> {
    if !args.positional.is_empty() {
        return Err(Error::new(
            "unexpected positional arguments (structs are made from keyword arguments only)",
        ));
    }
    Ok(Struct::new(args.named))
}

fn make_and_bind(args: Args) -> Result<Value> {
    let [object] = args.positional.as_slice() else {
        return Err(Error::new("expected at exactly one argument"));
    };
    let members = args
        .named
        .into_iter()
        .map(|(name, member)| match member.is_callable() {
            true => Ok((name, bind(vec![member, object.clone()])?)),
            false => Ok((name, member)),
        });
    Ok(Struct::new(members.collect::<Result<_>>()?))
}

/// A function that passes some arguments before those that it is called with.
fn bind(values: Vec<Value>) -> Result<Value> {
    if values.len() < 2 {
        return Err(Error::new("expected at least two arguments"));
    }
    let call = |interp: &mut Interp, held: &[Value], args: Args| {
        let [target, bound @ ..] = held else {
            return Ok(Value::None);
        };
        let Args { positional, named } = args;
        let positional = bound.iter().cloned().chain(positional).collect();
        interp.call(target, Args { positional, named })
    };
    Ok(function_holding("struct.bind_result", values, call))
}
