//! The language of templates: Starlark exactly as ytt has it.
//!
//! Pure: no input or output, no knowledge of YAML. A program is text; some names in it may be operations of a
//! node builder (see [`Builder`]), by which templates make YAML.
//!
//! ```text
//! scan -> parse -> resolve -> compile -> vm
//! ```

mod ast;
mod builtins;
mod code;
mod collections;
mod compile;
mod error;
pub mod format;
mod host;
mod iteration;
mod limits;
mod number;
mod operations;
mod operators;
mod parse;
mod resolve;
mod scan;
mod value;
mod vm;

pub use ast::Pos;
pub use collections::{Dict, List, Set, Tuple};
pub use error::{Error, Frame, Result, SyntaxError};
pub use host::{Module, Struct};
pub use limits::Limits;
pub use number::to_integer;
pub use scan::{Extent, NodeCall};
pub use value::{Args, Builtin, Host, HostValue, Native, Range, Value};
pub use vm::{Builder, Function, Globals, Interp, Loader, Printer, Program};

#[cfg(test)]
mod tests;
