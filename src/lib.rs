//! haulout renders [ytt](https://carvel.dev/ytt/) configuration, natively and as WebAssembly, with the same bytes out.

pub mod bytestring;
pub mod diagnostic;
pub mod files;
pub mod modules;
pub mod position;
pub mod schema;
pub mod script;
pub mod template;
pub mod yaml;
