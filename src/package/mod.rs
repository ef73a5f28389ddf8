//! Carvel packages: their resources, the version that an install would get, repositories and bundles of them.
//!
//! What kapp-controller, kctrl, imgpkg and kbld make of files and resources, in their words, as functions of bytes; no
//! cluster is asked. The rules of versions and names were measured on kapp-controller 0.53.0.

pub mod app;
pub mod archive;
pub mod build;
pub mod bundle;
pub mod constraint;
pub mod digest;
mod document;
pub mod draft;
pub mod edit;
pub mod explain;
pub mod gzip;
pub mod hold;
pub mod images;
pub mod install;
pub mod kinds;
pub mod lock;
pub mod model;
pub mod names;
pub mod object;
pub mod offer;
pub mod rbac;
pub mod reference;
pub mod release;
pub mod report;
pub mod repository;
pub mod select;
pub mod shipment;
pub mod source;
pub mod transport;
pub mod upgrade;
pub mod verify;
pub mod version;
pub mod wanted;

/// A text in quotes, as Go's `%q` writes it.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    crate::script::format::quote(text.as_bytes(), &mut out);
    out
}
