//! YAML templates: documents with code in their comments, made a program that builds documents.

use super::annotation::{Directive, NodeRef, Role, open_node_block};
use super::program::{Argument, Code, Fault, Operation, Place, Shape, Tag, Template};
use super::text::Output;
use crate::position::Position;
use crate::yaml::node::{Comment, DocumentSet, Meta, Value};
use std::rc::Rc;

/// An annotation of a node and below it that its strings are text templates.
pub const TEXT_TEMPLATED_STRINGS: &str = "yaml/text-templated-strings";

/// Compiles the documents of a file. With `lenient`, comments that are neither `#@` nor `#!` are left alone.
///
/// # Errors
/// A comment is not understood, code stands where a node must, a node has two values, or a text template is broken.
pub fn compile(name: &str, documents: &DocumentSet, lenient: bool) -> Result<Template, Fault> {
    let mut compiler = Compiler {
        output: Output::default(),
        lenient,
    };
    compiler.set_dialect();
    compiler
        .output
        .add_line(Operation::Start.call("\"yaml\""), None);
    // A stack of work instead of recursion: documents may be deep.
    let mut work = vec![Work::Visit {
        node: NodeRef::Documents(documents),
        parent: None,
        text_strings: false,
    }];
    let mut children = Vec::new();
    while let Some(next) = work.pop() {
        let (node, parent, text_strings) = match next {
            Work::Visit {
                node,
                parent,
                text_strings,
            } => (node, parent, text_strings),
            Work::CloseBlock => {
                compiler.output.add_line("end".to_owned(), None);
                continue;
            }
        };
        let (Some(meta), tag) = (node.meta(), parent.unwrap_or_default()) else {
            continue;
        };
        let visited = compiler.visit(node, meta, parent, text_strings)?;
        debug_assert!(visited.tag > tag);
        if visited.needs_end {
            work.push(Work::CloseBlock);
        }
        if visited.has_value {
            continue;
        }
        node.push_children(&mut children);
        match children.as_slice() {
            [NodeRef::Scalar(value)] => {
                let value = *value;
                children.clear();
                compiler.set_scalar(node, meta, visited.tag, value, visited.text_strings)?;
            }
            _ => work.extend(children.drain(..).map(|node| Work::Visit {
                node,
                parent: Some(visited.tag),
                text_strings: visited.text_strings,
            })),
        }
    }
    compiler.output.add_line(Operation::End.call("None"), None);
    Ok(Template::new(
        name,
        compiler.output.lines,
        compiler.output.prototypes,
    ))
}

enum Work<'a> {
    Visit {
        node: NodeRef<'a>,
        parent: Option<Tag>,
        text_strings: bool,
    },
    CloseBlock,
}

struct Visited {
    tag: Tag,
    /// Strings below are text templates.
    text_strings: bool,
    /// Its block is to be closed after its children.
    needs_end: bool,
    /// Its value is computed.
    has_value: bool,
}

struct Compiler {
    output: Output,
    lenient: bool,
}

/// What the comments of a node come to.
#[derive(Default)]
struct Directives<'a> {
    code: Vec<(String, &'a Position)>,
    values: Vec<(String, &'a Position)>,
    annotations: Vec<(String, String, &'a Comment)>,
    needs_end: bool,
}

impl Compiler {
    /// Emits a node up to its children: code, annotations, key, start, computed value.
    fn visit(
        &mut self,
        node: NodeRef<'_>,
        meta: &Meta,
        parent: Option<Tag>,
        text_strings: bool,
    ) -> Result<Visited, Fault> {
        let directives = self.directives(node, meta)?;
        let kept: Vec<Comment> = directives
            .annotations
            .iter()
            .map(|(_, _, comment)| (*comment).clone())
            .collect();
        let mut plain = Meta::at(meta.position.clone());
        plain.set_comments(kept);
        let shape = match node {
            NodeRef::Documents(_) => Shape::Documents(plain),
            NodeRef::Document(document) => {
                Shape::Document(plain, scalar(&document.value), document.injected)
            }
            NodeRef::Map(_) => Shape::Map(plain),
            NodeRef::MapItem(item) => Shape::MapItem(plain, item.key.clone(), scalar(&item.value)),
            NodeRef::Array(_) => Shape::Array(plain),
            NodeRef::ArrayItem(item) => Shape::ArrayItem(plain, scalar(&item.value)),
            NodeRef::Scalar(value) => Shape::ArrayItem(plain, value.clone()),
        };
        let tag = self.output.add_node(parent, shape);
        let text_strings = text_strings
            || directives
                .annotations
                .iter()
                .any(|(name, _, _)| name == TEXT_TEMPLATED_STRINGS);

        for (code, position) in directives.code {
            self.output.add_line(code, place(position));
        }
        for (name, arguments, comment) in directives.annotations {
            let name: Rc<str> = name.into();
            let arguments = Argument::Annotation(name.clone(), arguments);
            self.add_call(Operation::Annotate, tag, arguments, &comment.position, node);
            if let Some(prototype) = self.output.prototypes.last_mut() {
                prototype.annotations.push((name, comment.position.clone()));
            }
        }
        if let (NodeRef::MapItem(item), true) = (node, text_strings)
            && let Value::Str(key) = &item.key
        {
            let key = key.to_text();
            self.add_text(&key, node, meta, tag, Operation::SetKey)?;
        }
        self.add_call(
            Operation::StartNode,
            tag,
            Argument::None,
            &meta.position,
            node,
        );
        let has_value = !directives.values.is_empty();
        for (value, position) in directives.values {
            self.add_call(
                Operation::SetNode,
                tag,
                Argument::Value(value),
                position,
                node,
            );
        }
        Ok(Visited {
            tag,
            text_strings,
            needs_end: directives.needs_end,
            has_value,
        })
    }

    fn directives<'a>(&self, node: NodeRef<'_>, meta: &'a Meta) -> Result<Directives<'a>, Fault> {
        let mut found = Directives::default();
        for comment in meta.comments() {
            let position = &comment.position;
            let directive = Directive::parse(comment, &meta.position, self.lenient)?;
            let content = directive.content.into_owned();
            match directive.role {
                Role::Remark => {}
                Role::Value if node.has_content() => {
                    return fault(
                        position,
                        format!(
                            "Expected YAML node at line {position} to have either computed or YAML value, but found both"
                        ),
                    );
                }
                Role::Value => found.values.push((content, position)),
                Role::Code if found.needs_end => {
                    return fault(
                        position,
                        format!(
                            "Unexpected code at line {position} after use of '*/end', expected YAML node"
                        ),
                    );
                }
                Role::Code => {
                    let (code, is_block) = open_node_block(&content);
                    found.needs_end |= is_block;
                    found.code.push((code.into_owned(), position));
                }
                Role::Annotation(name) => {
                    found
                        .annotations
                        .push((name.into_owned(), content, comment))
                }
            }
        }
        Ok(found)
    }

    fn set_scalar(
        &mut self,
        node: NodeRef<'_>,
        meta: &Meta,
        tag: Tag,
        value: &Value,
        text_strings: bool,
    ) -> Result<(), Fault> {
        match value {
            Value::Str(text) if text_strings => {
                self.add_text(&text.to_text(), node, meta, tag, Operation::SetNode)
            }
            _ => {
                self.add_call(
                    Operation::SetNode,
                    tag,
                    Argument::None,
                    &meta.position,
                    node,
                );
                Ok(())
            }
        }
    }

    /// A text template whose result is given to `operation`.
    fn add_text(
        &mut self,
        text: &str,
        node: NodeRef<'_>,
        meta: &Meta,
        tag: Tag,
        operation: Operation,
    ) -> Result<(), Fault> {
        let first = self.output.lines.len();
        self.output.add_text(text, &meta.position)?;
        for place in self
            .output
            .lines
            .iter_mut()
            .skip(first)
            .filter_map(|line| line.place.as_mut())
        {
            place.selection = place.text.take();
        }
        // The last line leaves the text's value.
        if let Some(last) = self.output.lines.pop() {
            let value = Argument::Value(last.code.text().into_owned());
            self.add_call(operation, tag, value, &meta.position, node);
        }
        self.set_dialect();
        Ok(())
    }

    fn set_dialect(&mut self) {
        self.output
            .add_line(Operation::SetDialect.call("\"yaml\""), None);
    }

    /// A call for a node. Where no place is known, messages show the line itself with a note on the node.
    fn add_call(
        &mut self,
        operation: Operation,
        tag: Tag,
        argument: Argument,
        position: &Position,
        node: NodeRef<'_>,
    ) {
        let place = place(position);
        // A name that is no plain text is read as the program has it.
        let is_plain =
            !matches!(&argument, Argument::Annotation(name, _) if name.contains(['"', '\\', '\r']));
        let mut code = Code::Node(operation, tag, argument);
        if place.is_none() {
            let (kind, details) = match node {
                NodeRef::Documents(_) => ("DocumentSet", String::new()),
                NodeRef::Document(_) => ("Document", String::new()),
                NodeRef::Map(_) => ("Map", String::new()),
                NodeRef::MapItem(item) => ("MapItem", format!(" key={}", key_text(&item.key))),
                NodeRef::Array(_) => ("Array", String::new()),
                NodeRef::ArrayItem(_) | NodeRef::Scalar(_) => ("ArrayItem", " idx=?".to_owned()),
            };
            code = Code::Text(format!("{} # *yamlmeta.{kind}{details}", code.text()));
        } else if !is_plain {
            code = Code::Text(code.text().into_owned());
        }
        self.output.add(code, place);
    }
}

fn fault<T>(position: &Position, message: String) -> Result<T, Fault> {
    Err(Fault {
        message,
        position: position.clone(),
    })
}

fn key_text(key: &Value) -> String {
    match key {
        Value::Str(text) => text.to_text().replace('\n', " "),
        _ => String::new(),
    }
}

fn scalar(value: &Value) -> Value {
    match value {
        Value::Map(_) | Value::Array(_) | Value::Documents(_) => Value::Null,
        scalar => scalar.clone(),
    }
}

fn place(position: &Position) -> Option<Place> {
    position.line().map(|_| Place {
        position: position.clone(),
        text: None,
        selection: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Source;
    use crate::yaml::{ParseOptions, parse};

    fn program(text: &str) -> Result<Vec<String>, Fault> {
        let source = Source::file("a.yml", text);
        let documents = parse(&source, ParseOptions::default()).unwrap();
        let template = compile("a.yml", &documents, false)?;
        let lines = (1..).map_while(|number| template.line(number));
        Ok(lines
            .map(|line| line.code.text().replace("__ytt_tpl1_", ""))
            .collect())
    }

    #[test]
    fn documents_become_programs() {
        let text = "#@ if/end x:\na: #@ y\n#@z 1\nb:\n- 2\n";
        let lines = program(text).unwrap();
        let expected = "set_ctx_type(\"yaml\")\nstart_ctx(\"yaml\")\nstart_node(1) # *yamlmeta.DocumentSet\nstart_node(2)\n\
            start_node(3)\nif x:\nstart_node(4)\nset_node(4, (y))\nend\n\
            start_node_annotation(5, \"z\", collect_node_annotation(1))\nstart_node(5)\nstart_node(6)\nstart_node(7)\n\
            set_node(7)\nend_ctx(None)";
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn strings_become_texts() {
        let lines = program("#@yaml/text-templated-strings\na: x(@= y @)\n")
            .unwrap()
            .join("\n");
        assert!(
            lines.contains(
                "set_map_item_key(4, (end_ctx()))\nset_ctx_type(\"yaml\")\nstart_node(4)\n"
            ),
            "{lines}"
        );
        assert!(lines.contains("set_node(9, ( y ))"), "{lines}");
    }

    #[test]
    fn faults() {
        let table = [
            ("# x\na: 1\n", "Failed to parse line 1: '# x'"),
            (
                "a: 1 #@ 2\n",
                "Expected YAML node at line a.yml:1 to have either computed or YAML value, but found both",
            ),
            (
                "#@ if/end x:\n#@ y\na: 1\n",
                "Unexpected code at line a.yml:2 after use of '*/end', expected YAML node",
            ),
            (
                "#@yaml/text-templated-strings\na: (@\n",
                "Missing code closing '@)' at line 2 col 3",
            ),
        ];
        for (text, message) in table {
            assert!(
                program(text).unwrap_err().message.starts_with(message),
                "{text}"
            );
        }
    }
}
