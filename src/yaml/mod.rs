//! YAML as go-yaml v2 has it: nodes with positions and comments, a parser, printers, scalar rules.
//!
//! Own code, since no crate gives what ytt's results rest on: a position and the comments of every node by ytt's rules,
//! YAML 1.1 scalars, keys kept twice, and libyaml's errors line for line. Looked at: `saphyr-parser` and `yaml-rust2`
//! (YAML 1.2, no comments), `granit-parser` with `serde-saphyr` (YAML 1.2; comments as events, to be attached by the
//! caller; other errors), `libyaml-safer` and `unsafe-libyaml` (the right grammar, but comments are dropped and the
//! writer folds lines; `unsafe`, or a port without ytt's additions).

mod block;
mod comments;
mod compose;
pub mod decode;
pub mod encode;
mod format;
mod json;
mod keys;
pub mod node;
mod positions;
mod rewrite;
pub mod scalar;
mod scanner;
mod scanner_names;
mod scanner_scalars;
mod strict;
mod tag;
mod text;
mod words;

use crate::position::{Position, Source};
pub use format::Layout;
pub use keys::{KeyIdentity, KeyIndex};
pub use node::{
    Annotation, Array, ArrayItem, Comment, Document, DocumentSet, Map, MapItem, Meta, Rules, Value,
};
pub use rewrite::{Rewritten, rewrite};
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

/// A text has no more nodes than this, those not counted that aliases stand for.
pub const MAX_NODES: usize = 3_000_000;

/// All aliases of a text together stand for no more nodes than this.
pub const MAX_ALIASED_NODES: usize = 1_000_000;

/// go-yaml checks characters as it reads a text, in pieces of this size.
const PIECE: usize = 512;

/// The documents of a text. Keys that stand twice in a map are all kept.
///
/// # Errors
/// What is not YAML, in ytt's words; nesting beyond [`MAX_DEPTH`], nodes beyond [`MAX_NODES`], aliases beyond
/// [`MAX_ALIASED_NODES`].
pub fn parse(source: &Rc<Source>, options: ParseOptions) -> Result<DocumentSet, ParseError> {
    let text = source
        .text
        .strip_prefix("\u{FEFF}".as_bytes())
        .unwrap_or(&source.text);
    let implied = !starts_with_marker(text);
    let mut composer = compose::Composer::new(source, text, implied, options);
    let documents = composer.documents();
    if let Some(forbidden) = text::forbidden(text) {
        let piece = |offset: usize| (offset + if implied { "---\n".len() } else { 0 }) / PIECE;
        if documents.is_ok() || piece(composer.offset()) >= piece(forbidden.at) {
            let line = text[..forbidden.at]
                .iter()
                .filter(|&&byte| byte == b'\n')
                .count()
                + 1;
            let message = format!("yaml: {}", forbidden.problem);
            return Err(ParseError {
                message,
                line: u32::try_from(line).ok(),
            });
        }
    }
    documents.map_err(|fault| fault.into_error(implied))
}

/// Whether a text begins, after white space, with `---` and white space. To all others ytt adds such a line.
fn starts_with_marker(text: &[u8]) -> bool {
    let is_space = |byte: &u8| matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ');
    let start = text
        .iter()
        .position(|byte| !is_space(byte))
        .unwrap_or(text.len());
    matches!(&text[start..], [b'-', b'-', b'-', after, ..] if is_space(after))
}

/// The documents as YAML, joined by `---`; those that are empty or injected are left out.
pub fn print(documents: &DocumentSet) -> Vec<u8> {
    block::documents(documents.printed(), &mut |_, _| {})
}

/// Where each line of what [`print`] gives came from: the innermost item that begins on it. A line on which none begins
/// belongs to the one before, and so does an item that code made.
pub fn line_positions(documents: &DocumentSet) -> Vec<Position> {
    let mut positions: Vec<Position> = Vec::new();
    let (mut line, mut seen) = (0, 0);
    let mut last = Position::unknown();
    let text = block::documents(documents.printed(), &mut |out, meta| {
        line += line_breaks(&out[seen..]);
        seen = out.len();
        positions.resize(line, last.clone());
        if meta.position.line().is_some() {
            last = meta.position.clone();
        }
    });
    positions.resize(line + line_breaks(&text[seen..]), last);
    positions
}

fn line_breaks(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}

/// The documents laid out for people, with their comments.
pub fn format(documents: &DocumentSet, layout: Layout) -> Vec<u8> {
    format::documents(documents, layout)
}

/// A value as the YAML of one document.
pub fn print_value(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    block::value(&mut out, value);
    out
}

/// The documents as JSON, one after the other with nothing between, keys sorted; those that are empty or injected are
/// left out.
///
/// # Errors
/// A float that JSON has no word for; a key that is not a string.
pub fn print_json(documents: &DocumentSet) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    for document in documents.printed() {
        json::write(
            &mut out,
            &document.value,
            json::Style {
                indent: 0,
                escape_html: true,
            },
            0,
        )?;
    }
    Ok(out)
}

/// A value as JSON, keys sorted; `indent` blanks a level, or one line if 0.
///
/// # Errors
/// A float that JSON has no word for; a key that is not a string.
pub fn json_value(value: &Value, indent: usize, escape_html: bool) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    json::write(
        &mut out,
        value,
        json::Style {
            indent,
            escape_html,
        },
        0,
    )?;
    Ok(out)
}

/// The documents with the place each item came from (`-o pos`); those that are empty or injected are left out.
pub fn print_positions(documents: &DocumentSet) -> Vec<u8> {
    positions::Printer::default().documents(documents.printed())
}

impl DocumentSet {
    /// Whether their text has more bytes than this; quotes and escapes are not counted.
    pub fn is_longer(&self, most: usize) -> bool {
        let mut left = most;
        let mut stack: Vec<(&Value, usize)> =
            self.items.iter().map(|item| (&item.value, 0)).collect();
        while let Some((value, indent)) = stack.pop() {
            let own = match value {
                Value::Str(text) => text.len(),
                Value::Map(map) => {
                    let inner = indent + 2;
                    stack.extend(map.items.iter().map(|item| (&item.value, inner)));
                    let key = |key: &Value| key.as_bytes().map_or(1, <[u8]>::len);
                    map.items
                        .iter()
                        .map(|item| indent + key(&item.key) + 2)
                        .sum()
                }
                Value::Array(array) => {
                    let inner = indent + 2;
                    stack.extend(array.items.iter().map(|item| (&item.value, inner)));
                    array.items.len() * (indent + 2)
                }
                _ => 1,
            };
            match left.checked_sub(own) {
                Some(rest) if rest >= stack.len() => left = rest,
                _ => return true,
            }
        }
        false
    }

    fn printed(&self) -> impl Iterator<Item = &Document> {
        self.items
            .iter()
            .filter(|document| !document.injected && !document.is_empty())
    }
}
