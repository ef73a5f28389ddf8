//! Schemas of data values: what a schema document says, checking values against it, rules, and export.
//!
//! ```text
//! schema document --build--> Schema --apply--> types checked, defaults filled in, rules attached to values
//!                                   --export--> OpenAPI, JSON Schema, a table for docs, a file of values
//! values with rules --rules::validate--> nothing, or every violation at once
//! ```

mod annotations;
mod assign;
mod build;
pub mod export;
mod fault;
pub mod rules;
mod types;
mod validate;

pub use fault::{Fault, Problem, report};
pub use rules::{Keywords, OneNotNull, Rule, Validation};
pub use types::{Documentation, Example, Field, MapType, Scalar, Schema, Shape, Type, scalar_text};
