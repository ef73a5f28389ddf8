//! YAML as go-yaml v2 has it: nodes with positions and comments, a parser, printers, scalar rules.

pub mod node;
pub mod scalar;

use crate::position::Source;
pub use node::{Annotation, Array, ArrayItem, Comment, Document, DocumentSet, Map, MapItem, Meta, Rules, Value};
use std::fmt;
use std::rc::Rc;

/// How to read a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParseOptions {
    /// Refuse plain scalars that could be taken for more than one type.
    pub strict: bool,
    /// Leave all comments out, and with them the injected document that would carry unowned ones.
    pub without_comments: bool,
}

/// Why a text is not YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// ytt's words, such as `yaml: line 2: did not find expected key`; the line in them is ytt's, which is not
    /// always the true one.
    pub message: String,
    /// The line, counted from 1, where reading stopped.
    pub line: Option<u32>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

/// Collections nest no deeper than this in a parsed text; what builds values by other means should hold to it too.
pub const MAX_DEPTH: usize = 1_000;

/// The documents of a text. Keys that stand twice in a map are all kept.
pub fn parse(_source: &Rc<Source>, _options: ParseOptions) -> Result<DocumentSet, ParseError> {
    Ok(DocumentSet::default())
}

/// The documents as YAML, joined by `---`; those that are empty or injected are left out.
pub fn print(_documents: &DocumentSet) -> Vec<u8> {
    Vec::new()
}

/// A value as the YAML of one document.
pub fn print_value(_value: &Value) -> Vec<u8> {
    Vec::new()
}

/// The documents as JSON, one after the other with nothing between, keys sorted.
///
/// # Errors
/// A float that JSON has no word for; a key that is not a string.
pub fn print_json(_documents: &DocumentSet) -> Result<Vec<u8>, String> {
    Ok(Vec::new())
}

/// A value as JSON, keys sorted; `indent` blanks a level, or one line if 0.
///
/// # Errors
/// A float that JSON has no word for; a key that is not a string.
pub fn json_value(_value: &Value, _indent: usize, _escape_html: bool) -> Result<Vec<u8>, String> {
    Ok(Vec::new())
}

/// The documents with the place each item came from (`-o pos`).
pub fn print_positions(_documents: &DocumentSet) -> Vec<u8> {
    Vec::new()
}

impl DocumentSet {
    /// In each map, of the items with the same key the last value stays, at the place of the first.
    pub fn override_map_keys(&mut self) {}
}
