//! `@ytt:template`: `replace` puts items where a node stands.

use super::function;
use crate::script::{Module, Value};
use crate::template::NodeBuilder;
use std::rc::Rc;

/// The module for a file whose nodes `builder` builds.
pub fn module(builder: &Rc<NodeBuilder>) -> Value {
    let builder = builder.clone();
    let replace = function("template.replace", move |interp, args| {
        builder.replace(interp, &args)
    });
    Module::new("template", vec![("replace", replace)])
}
