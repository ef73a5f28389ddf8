//! haulout renders [ytt](https://carvel.dev/ytt/) configuration, natively and as WebAssembly, with the same bytes out.

pub mod bytestring;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod diagnostic;
pub mod files;
pub mod library;
pub mod memory;
pub mod modules;
pub mod overlay;
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
