//! YAML laid out for people, comments and all: what `fmt` prints.
//!
//! ytt's layout: two blanks a level, arrays further in than their key, an empty line around what has comments above it.

use super::block::{inline, is_simple};
use super::node::{DocumentSet, Meta, Value};
use super::scalar::format_float;

/// How documents are laid out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// Others stand before them, so that the first one needs its marker.
    pub continued: bool,
    /// For whoever reads strictly: the word `null` is not to be used.
    pub strict: bool,
}

/// Lays out documents.
pub(super) fn documents(set: &DocumentSet, layout: Layout) -> Vec<u8> {
    let mut printer = Printer {
        strict: layout.strict,
        ..Printer::default()
    };
    for (number, document) in set.items.iter().enumerate() {
        let above = printer.comments_above(&document.meta, 0, number == 0);
        let beside = comment_beside(&document.meta);
        let is_null = document.value.is_null();
        let starts = if printer.out.is_empty() {
            layout.continued && !is_null
        } else {
            number > 0
        };
        if starts || beside.is_some() {
            printer.begin(0);
            printer.text("---");
            printer.end(beside);
        }
        if !is_null {
            printer.block(&document.value, 0);
        }
        printer.gap |= above;
    }
    printer.out
}

#[derive(Default)]
struct Printer {
    out: Vec<u8>,
    /// An empty line is due before whatever comes next.
    gap: bool,
    /// The line has an indicator, and what comes next may stand behind it.
    open: bool,
    strict: bool,
}

impl Printer {
    /// A value on lines of its own from this column on.
    fn block(&mut self, value: &Value, column: usize) {
        match value {
            Value::Map(map) if !map.items.is_empty() => {
                for (number, item) in map.items.iter().enumerate() {
                    let above = self.comments_above(&item.meta, column, number == 0);
                    self.begin(column);
                    if is_simple(&item.key) {
                        leaf(&mut self.out, &item.key, column);
                        self.text(":");
                    } else {
                        self.text("?");
                        self.open = true;
                        self.block(&item.key, column + 2);
                        self.pad(column);
                        self.text(":");
                    }
                    self.held(&item.value, &item.meta, column, false);
                    self.gap |= above;
                }
            }
            Value::Array(array) if !array.items.is_empty() => {
                for (number, item) in array.items.iter().enumerate() {
                    let above = self.comments_above(&item.meta, column, number == 0);
                    self.begin(column);
                    self.text("-");
                    self.held(&item.value, &item.meta, column, true);
                    self.gap |= above;
                }
            }
            scalar => {
                self.begin(column);
                if !leaf(&mut self.out, scalar, column.saturating_sub(2)) {
                    self.text("\n");
                }
            }
        }
    }

    /// What an item holds, after its key or its `-`, and the comment beside it.
    fn held(&mut self, value: &Value, meta: &Meta, column: usize, behind_dash: bool) {
        let beside = comment_beside(meta);
        if is_collection(value) {
            if behind_dash && beside.is_none() {
                self.open = true;
            } else {
                self.end(beside);
            }
            self.block(value, column + 2);
            return;
        }
        // Code beside a key stands for the value.
        if value.is_null() && (beside.is_some() || self.strict) {
            self.end(beside);
            return;
        }
        let mut text = Vec::new();
        let ended = leaf(&mut text, value, column);
        if ended || text.contains(&b'\n') {
            // A comment behind the sign of a block would be no comment to ytt.
            match beside {
                Some(_) => {
                    self.end(beside);
                    self.pad(column + 2);
                }
                None => self.text(" "),
            }
            self.out.extend_from_slice(&text);
            if !ended {
                self.text("\n");
            }
        } else {
            self.text(" ");
            self.out.extend_from_slice(&text);
            self.end(beside);
        }
    }

    /// Prints the comments that stand above a node; tells if there are any.
    fn comments_above(&mut self, meta: &Meta, column: usize, first: bool) -> bool {
        let mut any = false;
        for comment in meta.comments() {
            if is_beside(meta, comment.position.line()) {
                continue;
            }
            self.gap |= !first && !any;
            any = true;
            if std::mem::take(&mut self.open) {
                self.text("\n");
            }
            self.begin(column);
            self.text("#");
            self.out.extend_from_slice(&comment.text);
            self.text("\n");
        }
        any
    }

    /// The start of a line, or the place behind an indicator.
    fn begin(&mut self, column: usize) {
        if std::mem::take(&mut self.open) {
            self.text(" ");
            return;
        }
        if std::mem::take(&mut self.gap) && !self.out.is_empty() {
            self.text("\n");
        }
        self.pad(column);
    }

    /// The end of a line.
    fn end(&mut self, comment: Option<&[u8]>) {
        if let Some(comment) = comment {
            self.text(" #");
            self.out.extend_from_slice(comment);
        }
        self.text("\n");
    }

    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn pad(&mut self, column: usize) {
        self.out.resize(self.out.len() + column, b' ');
    }
}

/// A scalar or an empty collection, such that it is read as what it was; returns true if it ended its last line.
fn leaf(out: &mut Vec<u8>, value: &Value, column: usize) -> bool {
    match value {
        Value::Float(float) => {
            let text = format_float(*float);
            let is_whole = text
                .bytes()
                .all(|byte| byte == b'-' || byte.is_ascii_digit());
            out.extend_from_slice(text.as_bytes());
            out.extend_from_slice(if is_whole { b".0" } else { b"" });
            false
        }
        // Without quotes it would merge.
        Value::Str(text) if *text == "<<" => {
            out.extend_from_slice(b"\"<<\"");
            false
        }
        _ => inline(out, value, column),
    }
}

fn is_collection(value: &Value) -> bool {
    match value {
        Value::Map(map) => !map.items.is_empty(),
        Value::Array(array) => !array.items.is_empty(),
        _ => false,
    }
}

/// A comment on the node's own line.
fn comment_beside(meta: &Meta) -> Option<&[u8]> {
    let mut beside = meta
        .comments()
        .iter()
        .filter(|comment| is_beside(meta, comment.position.line()));
    beside.next_back().map(|comment| &*comment.text)
}

fn is_beside(meta: &Meta, line: Option<u32>) -> bool {
    line.is_some() && line == meta.position.line()
}

#[cfg(test)]
mod tests {
    use crate::position::Source;
    use crate::yaml::{Layout, ParseOptions, format, parse};

    fn formatted(text: &str) -> String {
        let documents = parse(&Source::file("x.yml", text), ParseOptions::default()).unwrap();
        String::from_utf8(format(&documents, Layout::default())).unwrap()
    }

    #[test]
    fn layouts() {
        let table = [
            ("---\na: 1\n---\nb: 2 #@ x\n", "a: 1\n---\nb: 2 #@ x\n"),
            (
                "a: {}\nb: [{}, []]\nc: [1, {d: x}]\n",
                "a: {}\nb:\n  - {}\n  - []\nc:\n  - 1\n  - d: x\n",
            ),
            (
                "#! top\na: 1\n#@ if x:\nb: 2\nc: 3\n#@ end\nd: 4\n",
                "#! top\na: 1\n\n#@ if x:\nb: 2\n\nc: 3\n\n#@ end\nd: 4\n",
            ),
            (
                "l:\n#! above\n- x: 1\n- #@ y\n- - 1\n",
                "l:\n  #! above\n  - x: 1\n\n  - #@ y\n  - - 1\n",
            ),
            ("-\n  #! in\n  a: 1\n", "-\n  #! in\n  a: 1\n"),
            (
                "a: \"l1\\nl2\\n\" #@ x\nb: |\n  l1\n  l2\n",
                "a: #@ x\n  |\n  l1\n  l2\nb: |\n  l1\n  l2\n",
            ),
            (
                "y: no\n'a: b': 1\n? \"l1\\nl2\"\n: 2\n",
                "true: false\n'a: b': 1\n? |-\n  l1\n  l2\n: 2\n",
            ),
            ("#@data/values\n---\na: 1\n", "#@data/values\n---\na: 1\n"),
            ("a:\n--- #@ x\n", "a: null\n--- #@ x\n"),
            ("---\n---\na: 1\n---\n", "a: 1\n---\n"),
            (
                "a: 1.0\nb: 2e9\nc: -0.0\nd: .inf\n\"<<\": x\n1.0: z\n",
                "a: 1.0\nb: 2e+09\nc: -0.0\nd: .inf\n\"<<\": x\n1.0: z\n",
            ),
            ("just text", "just text\n"),
            ("", ""),
        ];
        for (text, want) in table {
            let found = formatted(text);
            assert_eq!(found, want, "{text}");
            assert_eq!(formatted(&found), found, "a second time: {text}");
        }
    }
}
