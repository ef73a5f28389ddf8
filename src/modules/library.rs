//! `@ytt:library`: private libraries, evaluated by templates.

use super::function;
use crate::script::{Args, Interp, Module, Result, Value};
use std::rc::Rc;

/// Where libraries come from.
pub trait Source {
    /// A library that can be given data values and evaluated.
    ///
    /// # Errors
    /// The arguments are wrong, or there is no such library.
    fn get(&self, interp: &mut Interp, args: Args) -> Result<Value>;
}

/// The module.
pub fn module(source: &Rc<dyn Source>) -> Value {
    let source = source.clone();
    Module::new(
        "library",
        vec![(
            "get",
            function("library.get", move |interp, args| source.get(interp, args)),
        )],
    )
}
