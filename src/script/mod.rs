//! The language of templates: Starlark exactly as ytt has it.
//!
//! Pure: no input or output, no knowledge of YAML. A program is text; some names in it may be operations of a
//! node builder (see [`Builder`]), by which templates make YAML.
//!
//! ```text
//! scan -> parse -> resolve -> compile -> vm
//! ```

pub mod ast;
mod builtins;
mod collections;
mod compile;
mod error;
mod format;
mod host;
mod limits;
mod operations;
mod parse;
mod resolve;
mod scan;
mod value;
mod vm;

pub use collections::{Dict, List, Set};
pub use error::{Error, Frame, Result, SyntaxError};
pub use host::{Module, Struct};
pub use limits::Limits;
pub use value::{Args, Builtin, Host, HostValue, Native, Range, Value};
pub use vm::{Builder, Function, Globals, Interp, Loader, Program};
