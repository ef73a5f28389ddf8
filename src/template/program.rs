//! A template as a program: its text, where each line of that comes from, and the nodes that the program builds.

use crate::bytestring::Str;
use crate::diagnostic::{Diagnostic, Report};
use crate::position::{Position, Source};
use crate::script::{Extent, NodeCall, Program, SyntaxError};
use crate::yaml::node::{Meta, Value};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

/// Names of the builder's operations in program text; the order is that of [`Operation`].
pub const OPERATIONS: [&str; 8] = [
    "__ytt_tpl1_start_node",
    "__ytt_tpl1_set_node",
    "__ytt_tpl1_set_map_item_key",
    "__ytt_tpl1_start_node_annotation",
    "__ytt_tpl1_collect_node_annotation",
    "__ytt_tpl1_set_ctx_type",
    "__ytt_tpl1_start_ctx",
    "__ytt_tpl1_end_ctx",
];

/// About how long a line of a program is.
const LINE: usize = 48;

/// What a program does to build nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `(tag)`: opens the node.
    StartNode,
    /// `(tag)` or `(tag, value)`: gives the open node its own or a computed value.
    SetNode,
    /// `(tag, value)`: the key that the node will have.
    SetKey,
    /// `(tag, name, arguments)`: an annotation that the node will have.
    Annotate,
    /// `(...)`: packs the arguments of an annotation.
    Arguments,
    /// `(dialect)`: the dialect of the functions that follow.
    SetDialect,
    /// `(dialect)`: begins to build.
    Start,
    /// `()` or `(value)`: ends it.
    End,
}

impl Operation {
    /// The operation of this index into [`OPERATIONS`].
    pub fn from_index(index: u16) -> Option<Operation> {
        use Operation::*;
        [
            StartNode, SetNode, SetKey, Annotate, Arguments, SetDialect, Start, End,
        ]
        .get(usize::from(index))
        .copied()
    }

    /// Its name in program text.
    pub fn name(self) -> &'static str {
        OPERATIONS.get(self as usize).copied().unwrap_or_default()
    }

    /// A call of it.
    pub fn call(self, arguments: &str) -> String {
        format!("{}({arguments})", self.name())
    }
}

/// Why a text is no template, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong, in ytt's words.
    pub message: String,
    /// Where it stands.
    pub position: Position,
}

impl Fault {
    /// The report that begins with `context`.
    pub fn report(self, context: &str) -> Report {
        let mut diagnostic = Diagnostic::error(self.message);
        diagnostic.origin = self.position;
        Report::with_diagnostics(format!("{context}{}", diagnostic.message), vec![diagnostic])
    }
}

/// Number of a node in its template, from 1; in the order of the text.
pub type Tag = u32;

/// What stands on a line of a program.
#[derive(Clone, Debug)]
pub enum Code {
    /// Code of the language.
    Text(String),
    /// A call of the operation with a node's tag and what follows it.
    Node(Operation, Tag, Argument),
}

/// What a call for a node is given beside its tag.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Nothing.
    None,
    /// `(value)`
    Value(String),
    /// An annotation's name and its arguments, packed.
    Annotation(Rc<str>, String),
}

/// A line of a program.
#[derive(Clone, Debug)]
pub struct Line {
    /// The code.
    pub code: Code,
    /// Where it comes from.
    pub place: Option<Place>,
    /// Part of what began on the line before: space before it means something.
    pub continues: bool,
}

/// Where a line comes from.
#[derive(Clone, Debug)]
pub struct Place {
    /// File and line.
    pub position: Position,
    /// What to show of it, if not the whole line.
    pub text: Option<String>,
    /// The piece of a text within it.
    pub selection: Option<String>,
}

impl Argument {
    /// Appends the call; gives how much of it needs not be read, and where that ends.
    fn write(&self, text: &mut String, operation: Operation, tag: Tag) -> (Extent, usize) {
        // Without the formatter, which takes longer than all the rest of a line.
        text.push_str(operation.name());
        text.push('(');
        push_number(text, tag);
        match self {
            Argument::None => {
                text.push(')');
                (Extent::Whole, text.len())
            }
            Argument::Value(value) => {
                text.push_str(", ");
                let end = text.len();
                for piece in ["(", value, "))"] {
                    text.push_str(piece);
                }
                (Extent::Open, end)
            }
            Argument::Annotation(name, arguments) => {
                for piece in [", \"", name, "\", ", Operation::Arguments.name(), "("] {
                    text.push_str(piece);
                }
                let end = text.len();
                text.push_str(arguments);
                text.push_str("))");
                (
                    Extent::Named(name.clone(), Operation::Arguments as u16),
                    end,
                )
            }
        }
    }
}

/// Appends a number's digits.
fn push_number(text: &mut String, number: Tag) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

impl Code {
    /// As it is written.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Code::Text(text) => text.into(),
            Code::Node(operation, tag, argument) => {
                let mut text = String::new();
                argument.write(&mut text, *operation, *tag);
                text.into()
            }
        }
    }
}

impl Place {
    /// What to show of it.
    pub fn text(&self) -> String {
        self.text
            .clone()
            .unwrap_or_else(|| self.position.line_text())
    }

    /// The piece that is meant.
    pub fn selected_text(&self) -> String {
        self.selection.clone().unwrap_or_else(|| self.text())
    }
}

/// What the program makes when it opens a node.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// The node around it; none at the top.
    pub parent: Option<Tag>,
    /// Number of nodes around it.
    pub depth: usize,
    /// The node itself.
    pub shape: Shape,
    /// Where its annotations stand.
    pub annotations: Vec<(Rc<str>, Position)>,
}

/// A node without children.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Documents.
    Documents(Meta),
    /// A document and the scalar in it.
    Document(Meta, Value, bool),
    /// A map.
    Map(Meta),
    /// A key and the scalar that belongs to it.
    MapItem(Meta, Value, Value),
    /// An array.
    Array(Meta),
    /// An item of an array and its scalar.
    ArrayItem(Meta, Value),
    /// The whole of a text.
    Text,
    /// A piece of a text.
    Piece(Str),
}

/// A compiled template.
#[derive(Debug)]
pub struct Template {
    name: Rc<str>,
    /// Messages give the name with each line.
    names_lines: bool,
    lines: Vec<Line>,
    prototypes: Vec<Prototype>,
    program: OnceCell<Result<Program, Vec<SyntaxError>>>,
}

impl Template {
    /// A template of these lines.
    pub fn new(name: &str, lines: Vec<Line>, prototypes: Vec<Prototype>) -> Template {
        Template {
            name: name.into(),
            names_lines: true,
            lines,
            prototypes,
            program: OnceCell::new(),
        }
    }

    /// A program of the language alone: `.star`. Messages give its lines without its name, as ytt's do.
    pub fn from_code(source: &Rc<Source>) -> Template {
        let lines = code_lines(&source.text, &Position::new(source, 1));
        Template {
            names_lines: false,
            ..Template::new(&source.name, lines, Vec::new())
        }
    }

    /// The file's name, as frames have it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A place in it, for messages.
    pub fn describe(&self, position: &Position) -> String {
        match position.line() {
            Some(line) if !self.names_lines => line.to_string(),
            _ => position.to_string(),
        }
    }

    /// The line with this number, from 1.
    pub fn line(&self, number: u32) -> Option<&Line> {
        self.lines.get((number as usize).checked_sub(1)?)
    }

    /// The nearest line before (or with `forward` after) this one that comes from somewhere.
    pub fn nearest_placed_line(&self, number: u32, forward: bool) -> Option<&Line> {
        let index = number as usize;
        if forward {
            self.lines
                .iter()
                .skip(index)
                .find(|line| line.place.is_some())
        } else {
            self.lines
                .iter()
                .take(index.saturating_sub(1))
                .rev()
                .find(|line| line.place.is_some())
        }
    }

    /// The node with this tag.
    pub fn prototype(&self, tag: Tag) -> Option<&Prototype> {
        self.prototypes.get(tag.checked_sub(1)? as usize)
    }

    /// The program, compiled once.
    ///
    /// # Errors
    /// What is wrong with its text.
    pub fn program(&self) -> Result<&Program, &[SyntaxError]> {
        self.program
            .get_or_init(|| {
                let (text, calls) = self.text();
                Program::compile(&self.name, text.as_bytes(), &calls, &OPERATIONS)
            })
            .as_ref()
            .map_err(Vec::as_slice)
    }

    /// The text that is compiled, and the lines in it that need not be read: blocks are closed by words, so space
    /// before a line means nothing and is dropped, but not within a line that a backslash continues.
    fn text(&self) -> (String, Vec<NodeCall>) {
        let mut text = String::with_capacity(self.lines.len() * LINE);
        let mut calls = Vec::new();
        let mut continued = false;
        for (index, line) in self.lines.iter().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            match &line.code {
                Code::Text(code) => {
                    let code = if continued || line.continues {
                        code.as_str()
                    } else {
                        code.trim_start()
                    };
                    continued = code.ends_with('\\');
                    text.push_str(code);
                }
                Code::Node(operation, tag, argument) => {
                    let start = text.len();
                    let (extent, end) = argument.write(&mut text, *operation, *tag);
                    continued = false;
                    calls.push(NodeCall {
                        operation: *operation as u16,
                        tag: *tag,
                        extent,
                        span: (start, end),
                    });
                }
            }
        }
        (text, calls)
    }
}

/// The lines of a piece of code that starts at a position.
pub fn code_lines(code: &[u8], start: &Position) -> Vec<Line> {
    let text = String::from_utf8_lossy(code);
    let first = start.line().unwrap_or(1);
    text.split('\n')
        .zip(first..)
        .map(|(line, number)| Line {
            code: Code::Text(line.to_owned()),
            continues: false,
            place: Some(Place {
                position: start.at_line(number),
                text: Some(line.to_owned()),
                selection: None,
            }),
        })
        .collect()
}
