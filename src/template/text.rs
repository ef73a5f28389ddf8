//! Text templates: `(@ code @)`, `(@= expression @)`, with `-` on either side to trim white space.

use super::program::{
    Argument, Code, Fault, Line, Operation, Place, Prototype, Shape, Tag, Template, code_lines,
};
use crate::position::{Position, Source};
use std::rc::Rc;

/// A piece of a text: literal or code.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Literal(&'a str),
    Code(&'a str),
}

/// A piece and the line on which it begins.
type Located<'a> = (Piece<'a>, u32);

/// Compiles a text file.
///
/// # Errors
/// A `(@` without `@)`, or the reverse.
pub fn compile(source: &Rc<Source>) -> Result<Template, Fault> {
    let text = String::from_utf8_lossy(&source.text);
    let mut output = Output::default();
    output.add_text(&text, &Position::new(source, 1))?;
    Ok(Template::new(&source.name, output.lines, output.prototypes))
}

/// Lines and nodes under construction; text templates can stand within YAML templates.
#[derive(Default)]
pub struct Output {
    /// The program so far.
    pub lines: Vec<Line>,
    /// The nodes so far.
    pub prototypes: Vec<Prototype>,
}

impl Output {
    /// Adds a node and gives its tag.
    pub fn add_node(&mut self, parent: Option<Tag>, shape: Shape) -> Tag {
        let depth = parent
            .and_then(|tag| self.prototypes.get(tag.wrapping_sub(1) as usize))
            .map_or(0, |node| node.depth + 1);
        self.prototypes.push(Prototype {
            parent,
            depth,
            shape,
            annotations: Vec::new(),
        });
        self.prototypes.len() as Tag
    }

    /// Adds a line of code.
    pub fn add_line(&mut self, code: String, place: Option<Place>) {
        self.add(Code::Text(code), place);
    }

    /// Adds a call of an operation with a node's tag and nothing more.
    pub fn add_call(&mut self, operation: Operation, tag: Tag, place: Option<Place>) {
        self.add(Code::Node(operation, tag, Argument::None), place);
    }

    /// Adds a line.
    pub fn add(&mut self, code: Code, place: Option<Place>) {
        self.lines.push(Line {
            code,
            place,
            continues: false,
        });
    }

    /// Adds the program of a text whose first line is at `start`. It leaves the text's value by its last line,
    /// [`Operation::End`].
    ///
    /// # Errors
    /// A `(@` without `@)`, or the reverse.
    pub fn add_text(&mut self, text: &str, start: &Position) -> Result<(), Fault> {
        let pieces = parse(text, start)?;
        let root = self.add_node(None, Shape::Text);
        self.add_line(Operation::SetDialect.call("\"text\""), None);
        self.add_line(Operation::Start.call("\"text\""), None);
        self.add_call(Operation::StartNode, root, None);
        let mut trim_next = false;
        let mut pieces = pieces.into_iter().peekable();
        while let Some((piece, line)) = pieces.next() {
            let position = start.at_line(line);
            let (content, is_code) = match piece {
                Piece::Literal(text) => (text, false),
                Piece::Code(text) => (text, true),
            };
            if is_code {
                trim_next = content.ends_with('-');
                let code = expression(content);
                if content.starts_with('=') || content.starts_with("-=") {
                    let tag = self.add_node(Some(root), Shape::Piece("".into()));
                    let place = Place {
                        position,
                        text: Some(content.to_owned()),
                        selection: None,
                    };
                    self.add_call(Operation::StartNode, tag, Some(place.clone()));
                    if !code.contains('\n') {
                        let value = Argument::Value(code.to_owned());
                        self.add(Code::Node(Operation::SetNode, tag, value), Some(place));
                        continue;
                    }
                    // The expression goes over lines: each line of the program has its place.
                    let call = Operation::SetNode.call(&format!("{tag}, ({code})"));
                    for (index, line) in call.split('\n').enumerate() {
                        self.add_line(line.to_owned(), Some(place.clone()));
                        if let Some(last) = self.lines.last_mut() {
                            last.continues = index > 0;
                        }
                    }
                } else {
                    self.lines.extend(code_lines(code.as_bytes(), &position));
                }
            } else {
                let text = if trim_next {
                    content.trim_start()
                } else {
                    content
                };
                trim_next = false;
                let place = Place {
                    position,
                    text: Some(text.to_owned()),
                    selection: None,
                };
                let before_trim =
                    matches!(pieces.peek(), Some((Piece::Code(code), _)) if code.starts_with('-'));
                let kept = if before_trim { text.trim_end() } else { text };
                let tag = self.add_node(Some(root), Shape::Piece(kept.into()));
                self.add_call(Operation::StartNode, tag, Some(place.clone()));
                self.add_call(Operation::SetNode, tag, Some(place));
            }
        }
        self.add_line(Operation::End.call(""), None);
        Ok(())
    }
}

/// The code without its marks.
fn expression(content: &str) -> &str {
    let code = content.strip_prefix("-=").unwrap_or(content);
    let code = code.strip_prefix('=').unwrap_or(code);
    let code = code.strip_prefix('-').unwrap_or(code);
    code.strip_suffix('-').unwrap_or(code)
}

fn parse<'a>(text: &'a str, begin: &Position) -> Result<Vec<Located<'a>>, Fault> {
    let mut pieces = Vec::new();
    let first_line = begin.line().unwrap_or(1);
    let (mut start, mut start_line, mut in_code) = (0, first_line, false);
    let (mut line, mut column) = (first_line, 1);
    let mut last = '\0';
    let fault = |what: &str, line: u32, column: u32| {
        let message = format!("{what} at line {line} col {column}");
        Err(Fault {
            message,
            position: begin.at_line(line),
        })
    };
    for (index, character) in text.char_indices() {
        match (last, character, in_code) {
            ('(', '@', true) => return fault("Unexpected code opening '(@'", line, column),
            ('@', ')', false) => return fault("Unexpected code closing '@)'", line, column),
            ('(', '@', false) | ('@', ')', true) => {
                // `(@)` opens and closes with the same character: that is no code.
                let Some(content) = text.get(start..index - 1) else {
                    return fault("Unexpected code closing '@)'", line, column);
                };
                pieces.push((
                    if in_code {
                        Piece::Code(content)
                    } else {
                        Piece::Literal(content)
                    },
                    start_line,
                ));
                (start, start_line, in_code) = (index + 1, line, !in_code);
            }
            _ => {}
        }
        if character == '\n' {
            line += 1;
            column = 1;
        } else {
            column += 1;
        }
        last = character;
    }
    if in_code {
        return fault("Missing code closing '@)'", line, column);
    }
    pieces.push((
        Piece::Literal(text.get(start..).unwrap_or_default()),
        start_line,
    ));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces_of(text: &str) -> Result<Vec<Located<'_>>, String> {
        let start = Position::new(&Source::file("a.txt", ""), 1);
        parse(text, &start).map_err(|fault| fault.message)
    }

    #[test]
    fn pieces() {
        use Piece::{Code, Literal};
        assert_eq!(
            pieces_of("a\n(@= x @)b(@\n@)").unwrap(),
            [
                (Literal("a\n"), 1),
                (Code("= x "), 2),
                (Literal("b"), 2),
                (Code("\n"), 2),
                (Literal(""), 3)
            ]
        );
        assert_eq!(
            pieces_of("é(@ (@ @)").unwrap_err(),
            "Unexpected code opening '(@' at line 1 col 6"
        );
        assert_eq!(
            pieces_of("@)").unwrap_err(),
            "Unexpected code closing '@)' at line 1 col 2"
        );
        assert_eq!(
            pieces_of("(@\n").unwrap_err(),
            "Missing code closing '@)' at line 2 col 1"
        );
        assert!(pieces_of("(@)").is_err());
        assert_eq!(expression("-= x -"), " x ");
    }
}
