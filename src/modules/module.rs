//! `@ytt:module`: modules that templates make.

use super::function;
use crate::script::{Args, Error, Module, Result, Value};

/// The module.
pub fn module() -> Value {
    Module::new(
        "module",
        vec![("make", function("module.make", |_, args| make(args)))],
    )
}

fn make(args: Args) -> Result<Value> {
    let [name] = args.positional.as_slice() else {
        return Err(Error::new(format!(
            "module.make: got {} arguments, want 1",
            args.positional.len()
        )));
    };
    let Value::Str(name) = name else {
        return Err(Error::new(format!(
            "module.make: for parameter 1: got {}, want string",
            name.type_name()
        )));
    };
    let members = args
        .named
        .into_iter()
        .map(|(member, value)| (member.to_text().into_owned(), value));
    Ok(Module::new(&name.to_text(), members.collect()))
}
