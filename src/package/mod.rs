//! Carvel packages: their resources, which version an install would get, repositories of them.
//!
//! kapp-controller's rules and words, since what is made here is read there; no cluster and no registry is asked.
//! The rules were measured on kapp-controller 0.53.0.

pub mod app;
pub mod constraint;
pub mod explain;
pub mod model;
pub mod names;
pub mod repository;
pub mod select;
pub mod version;

/// A text in quotes, as Go's `%q` writes it.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    crate::script::format::quote(text.as_bytes(), &mut out);
    out
}
