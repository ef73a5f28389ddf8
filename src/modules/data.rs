//! `@ytt:data`: data values, and files as they are.

use super::{function, one, string_argument};
use crate::script::{Error, Module, Result, Value};
use std::rc::Rc;

/// What the module shows.
pub trait Source {
    /// The data values.
    ///
    /// # Errors
    /// They have keys that are not strings.
    fn values(&self) -> Result<Value>;

    /// Paths of the files below a folder; below the file's own for an empty path.
    ///
    /// # Errors
    /// There is no such folder.
    fn list(&self, path: &str) -> Result<Vec<String>>;

    /// A file's content.
    ///
    /// # Errors
    /// There is no such file.
    fn read(&self, path: &str) -> Result<Vec<u8>>;
}

/// The module.
///
/// # Errors
/// The data values have keys that are not strings.
pub fn module(source: &Rc<dyn Source>) -> Result<Value> {
    let (lists, reads) = (source.clone(), source.clone());
    let list = function("data.list", move |_, args| {
        let path = match args.positional.as_slice() {
            [] => String::new(),
            [path] => string_argument(path)?,
            _ => return Err(Error::new("expected exactly zero or one argument")),
        };
        Ok(Value::list(
            lists.list(&path)?.into_iter().map(Value::from).collect(),
        ))
    });
    let read = function("data.read", move |_, args| {
        let path = one(&args)?;
        Ok(Value::str(reads.read(&string_argument(path)?)?))
    });
    Ok(Module::new(
        "data",
        vec![("list", list), ("read", read), ("values", source.values()?)],
    ))
}
