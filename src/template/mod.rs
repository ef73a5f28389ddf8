//! Templates: YAML and text with code in them become programs; running those gives documents and texts.
//!
//! ```text
//! documents -> annotation -> compile -> program -> (script) -> build -> documents
//! text      -> text       ----------------^
//! ```

pub mod annotation;
pub mod build;
pub mod compile;
pub mod convert;
pub mod error;
pub mod fragment;
pub mod program;
pub mod spelling;
pub mod text;

pub use annotation::{NOT_PLAIN, NodeRef, extract_documents, has_templating};
pub use build::{NodeBuilder, Root};
pub use convert::{to_fragment, to_plain, to_struct, to_yaml};
pub use fragment::Fragment;
pub use program::Template;

use crate::diagnostic::Report;
use crate::script::{Globals, Interp, Loader};
use error::{Find, runtime_report, syntax_report};
use std::rc::Rc;

/// What running a template gave.
pub struct Evaluated {
    /// What the file defined, without what starts with `_`.
    pub globals: Globals,
    /// What it built.
    pub root: Root,
}

/// Runs a template. `builder` must be one of this template; modules given out by `loader` may share it.
///
/// # Errors
/// The program is none, or it failed. `find` gives the templates in which errors can lie.
pub fn evaluate(
    interp: &mut Interp,
    template: &Rc<Template>,
    builder: &Rc<NodeBuilder>,
    loader: Rc<dyn Loader>,
    find: Find<'_>,
) -> Result<Evaluated, Report> {
    let program = template
        .program()
        .map_err(|errors| syntax_report(template, errors))?;
    let mut globals = program
        .run(interp, Some(builder.clone()), loader)
        .map_err(|error| runtime_report(&error, find))?;
    globals.remove_private();
    Ok(Evaluated {
        globals,
        root: builder.take_result(),
    })
}
