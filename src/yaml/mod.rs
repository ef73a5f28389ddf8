//! YAML as go-yaml v2 has it: nodes with positions and comments, a parser, printers, scalar rules.

pub mod node;

pub use node::{Annotation, Array, ArrayItem, Comment, Document, DocumentSet, Map, MapItem, Meta, Rules, Value};
