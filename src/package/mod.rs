//! Carvel packaging: what kctrl, imgpkg and kbld make of files and resources, as functions of bytes.

pub mod archive;
pub mod bundle;
pub mod digest;
mod document;
pub mod images;
pub mod reference;
