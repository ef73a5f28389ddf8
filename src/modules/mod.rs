//! What templates load by `@ytt:NAME`.

pub mod assert;
mod base64;
pub mod data;
mod hash;
mod ip;
pub mod json;
pub mod library;
mod math;
mod module;
mod object;
mod overlay;
mod regexp;
pub mod struct_;
pub mod template;
mod toml;
mod url;
pub mod version;
mod yaml;

use crate::bytestring::Str;
use crate::script::format::nearest;
use crate::script::{Args, Error, Globals, Interp, Result, Value};
use crate::template::NodeBuilder;
use std::rc::Rc;

/// What modules need of the file that loads them.
pub struct ModuleContext<'a> {
    /// The builder of the file's nodes.
    pub builder: &'a Rc<NodeBuilder>,
    /// Data values and files.
    pub data: &'a Rc<dyn data::Source>,
    /// Libraries.
    pub library: &'a Rc<dyn library::Source>,
}

/// The names of all modules.
const NAMES: [&str; 18] = [
    "assert", "base64", "data", "ip", "json", "library", "math", "md5", "module", "overlay",
    "regexp", "sha256", "struct", "template", "toml", "url", "version", "yaml",
];

/// The members of a module of this name.
///
/// # Errors
/// There is no such module, or the data values cannot be seen by templates.
pub fn find(name: &str, context: &ModuleContext<'_>) -> Result<Globals> {
    let module = match name {
        "assert" => assert::module(),
        "base64" => base64::module(),
        "data" => data::module(context.data)?,
        "ip" => ip::module(),
        "json" => json::module(),
        "library" => library::module(context.library),
        "math" => math::module(),
        "md5" => hash::module("md5", "md5.sum", hash::md5),
        "module" => module::module(),
        "overlay" => overlay::module(),
        "regexp" => regexp::module(),
        "sha256" => hash::module("sha256", "sha256.sum", hash::sha256),
        "struct" => struct_::module(),
        "template" => template::module(context.builder),
        "toml" => toml::module(),
        "url" => url::module(),
        "version" => version::module(),
        "yaml" => yaml::module(),
        _ => {
            let near = nearest(name, NAMES.into_iter());
            return Err(Error::new(format!(
                "builtin ytt library does not have module '{name}' (hint: is it available in newer version of ytt?)"
            ))
            .with_hint(near.map(|near| format!("did you mean '@ytt:{near}'?"))));
        }
    };
    let mut globals = Globals::new();
    globals.insert(name, module);
    Ok(globals)
}

/// A function of a module: its errors begin with its name, and tell where it was called, not what it called.
pub fn function(
    name: &'static str,
    body: impl Fn(&mut Interp, Args) -> Result<Value> + 'static,
) -> Value {
    function_holding(name, Vec::new(), move |interp, _, args| body(interp, args))
}

/// The same for a function that holds values.
pub fn function_holding(
    name: &'static str,
    held: Vec<Value>,
    body: impl Fn(&mut Interp, &[Value], Args) -> Result<Value> + 'static,
) -> Value {
    Value::function_holding(name, held, move |interp, held, args| {
        body(interp, held, args).map_err(|error| named_error(name, &error))
    })
}

/// `NAME: MESSAGE`, without the calls that were under way.
pub fn named_error(name: &str, error: &Error) -> Error {
    error.retold(format!("{name}: {}", error.message()))
}

/// The one argument of a function.
///
/// # Errors
/// There are none, or more.
pub fn one(args: &Args) -> Result<&Value> {
    match args.positional.as_slice() {
        [value] => Ok(value),
        _ => Err(Error::new("expected exactly one argument")),
    }
}

/// For a function that takes nothing.
///
/// # Errors
/// It was given something.
pub fn no_arguments(args: &Args) -> Result<()> {
    match args.positional.as_slice() {
        [] => Ok(()),
        _ => Err(Error::new("expected no argument")),
    }
}

/// The text of a string argument.
///
/// # Errors
/// It is none.
pub fn string_argument(value: &Value) -> Result<String> {
    Ok(bytes_argument(value)?.to_text().into_owned())
}

/// A string argument, which need not be UTF-8.
///
/// # Errors
/// It is no string.
pub fn bytes_argument(value: &Value) -> Result<&Str> {
    match value {
        Value::Str(text) => Ok(text),
        other => Err(Error::new(format!(
            "expected a string, but was {}",
            other.type_name()
        ))),
    }
}

/// `indent=`: blanks a level, at most 8; 0 if it is not given.
///
/// # Errors
/// It is no such number.
pub fn indent_argument(value: Option<&Value>) -> Result<usize> {
    match value {
        None => Ok(0),
        Some(Value::Int(blanks @ 0..=8)) => Ok(*blanks as usize),
        Some(Value::Int(_)) => Err(Error::new("indent value must be between 0 and 8")),
        Some(Value::BigInt(_)) => Err(Error::new("expected int64 value")),
        Some(_) => Err(Error::new("expected starlark.Int")),
    }
}

/// A boolean argument.
///
/// # Errors
/// It is none.
pub fn bool_argument(value: &Value) -> Result<bool> {
    match value {
        Value::Bool(value) => Ok(*value),
        other => Err(Error::new(format!(
            "expected starlark.Bool, but was {}",
            go_type(other)
        ))),
    }
}

/// The name that messages give the type of a value where ytt names the types of its own implementation.
pub fn go_type(value: &Value) -> String {
    match value {
        Value::None => "starlark.NoneType",
        Value::Bool(_) => "starlark.Bool",
        Value::Int(_) | Value::BigInt(_) => "starlark.Int",
        Value::Float(_) => "starlark.Float",
        Value::Str(_) => "starlark.String",
        Value::List(_) => "*starlark.List",
        Value::Tuple(_) => "starlark.Tuple",
        Value::Dict(_) => "*starlark.Dict",
        Value::Set(_) => "*starlark.Set",
        Value::Range(_) => "starlark.rangeValue",
        Value::Function(_) => "*starlark.Function",
        Value::Builtin(_) => "*starlark.Builtin",
        Value::Host(_) => match &*value.type_name() {
            "struct" => "*core.StarlarkStruct",
            "yamlfragment" => "*yamltemplate.StarlarkFragment",
            "module" => "*starlarkstruct.Module",
            other => return other.to_owned(),
        },
    }
    .to_owned()
}
