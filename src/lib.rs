#![doc = include_str!("../README.md")]

pub mod bytestring;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod diagnostic;
pub mod files;
mod hash;
pub mod library;
pub mod memory;
pub mod modules;
mod order;
pub mod overlay;
pub mod package;
mod paths;
pub mod position;
pub mod render;
pub mod schema;
pub mod script;
pub mod template;
pub mod templates;
pub mod values;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
pub mod yaml;
