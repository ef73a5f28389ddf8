//! The door to JavaScript: wraps and converts, nothing else.
//!
//! [`session`] renders, [`packages`], [`making`] and [`bundles`] are Carvel's packaging; the shapes that cross are in [`types`]
//! for TypeScript, and [`value`] converts them.

pub mod bundles;
pub mod making;
pub mod options;
pub mod packages;
pub mod result;
pub mod session;
pub mod types;
pub mod value;

use crate::diagnostic::Report;
use wasm_bindgen::JsError;

/// The name that errors begin with: the command line's.
const PROGRAM: &str = "haulout";

/// What is thrown, in the command line's words.
fn thrown(report: &Report) -> JsError {
    JsError::new(&report.layout(PROGRAM))
}
