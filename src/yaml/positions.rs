//! What `-o pos` prints: each item with the file and the line it came from.

use super::block;
use super::node::{Document, Value};
use crate::position::Position;

/// A column of places, right-aligned, which grows for those that do not fit.
#[derive(Default)]
pub(super) struct Printer {
    out: Vec<u8>,
    width: usize,
}

impl Printer {
    /// Prints documents.
    pub(super) fn documents<'a>(
        mut self,
        documents: impl Iterator<Item = &'a Document>,
    ) -> Vec<u8> {
        for document in documents {
            self.line(&document.meta.position, "[doc]", 0, b"");
            self.value(&document.value, 1);
        }
        self.out
    }

    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Map(map) => {
                for item in &map.items {
                    let key = String::from_utf8_lossy(&leaf(&item.key)).into_owned();
                    let key = item.key.as_str().map_or(key, str::to_owned);
                    self.item(&item.meta.position, &format!("{key}:"), &item.value, depth);
                }
            }
            Value::Array(array) => {
                for (number, item) in array.items.iter().enumerate() {
                    self.item(
                        &item.meta.position,
                        &format!("[{number}]"),
                        &item.value,
                        depth,
                    );
                }
            }
            _ => {
                self.pad("");
                self.text("", depth, &leaf(value));
            }
        }
    }

    fn item(&mut self, position: &Position, name: &str, value: &Value, depth: usize) {
        let leaf = match value {
            Value::Map(_) | Value::Array(_) | Value::Documents(_) => None,
            _ => Some(leaf(value)).filter(|leaf| !leaf.contains(&b'\n')),
        };
        match leaf {
            Some(leaf) => self.line(position, &format!("{name} "), depth, &leaf),
            None => {
                self.line(position, name, depth, b"");
                self.value(value, depth + 1);
            }
        }
    }

    fn line(&mut self, position: &Position, name: &str, depth: usize, rest: &[u8]) {
        if position.line().is_some() {
            self.pad(&position.to_string());
        }
        self.text(name, depth, rest);
    }

    fn text(&mut self, name: &str, depth: usize, rest: &[u8]) {
        self.out.resize(self.out.len() + 2 * depth, b' ');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(rest);
        self.out.push(b'\n');
    }

    fn pad(&mut self, place: &str) {
        if place.len() > self.width {
            self.width = place.len() + 10;
        }
        self.out
            .extend_from_slice(format!("{place:>width$} | ", width = self.width).as_bytes());
    }
}

/// A scalar as YAML, without its last line end.
fn leaf(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    block::value(&mut out, value);
    out.pop();
    out
}
