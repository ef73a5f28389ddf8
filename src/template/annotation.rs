//! What a comment of a template says: code, a value, an annotation, or nothing.

use super::program::Fault;
use crate::position::Position;
use crate::yaml::node::{
    Array, ArrayItem, Comment, Document, DocumentSet, Map, MapItem, Meta, Value,
};
use std::borrow::Cow;

/// The parsed text of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive<'a> {
    /// What it is.
    pub role: Role<'a>,
    /// The code, the expression or the arguments.
    pub content: Cow<'a, str>,
}

/// What a comment is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role<'a> {
    /// For people: `#! text`.
    Remark,
    /// A line of code: `#@ code` above a node.
    Code,
    /// The value of its node: `#@ expression` on the node's line.
    Value,
    /// `#@name arguments`
    Annotation(Cow<'a, str>),
}

/// Words that open a block for the one node below them.
const NODE_BLOCKS: [(&str, &str); 5] = [
    ("if/end", "if"),
    ("else/end", "else"),
    ("elif/end", "elif"),
    ("for/end", "for"),
    ("def/end", "def"),
];

impl<'a> Directive<'a> {
    /// Reads a comment on a node that stands at `node`. With `lenient`, a comment that is neither `#@` nor `#!` is a remark.
    ///
    /// # Errors
    /// `Failed to parse line ...` for such a comment otherwise.
    pub fn parse(
        comment: &'a Comment,
        node: &Position,
        lenient: bool,
    ) -> Result<Directive<'a>, Fault> {
        match comment.text.to_text() {
            Cow::Borrowed(text) => Directive::read(text, comment, node, lenient),
            // Of what is no UTF-8 there is only a copy.
            Cow::Owned(text) => {
                let directive = Directive::read(&text, comment, node, lenient)?;
                let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
                Ok(Directive {
                    role: match directive.role {
                        Role::Remark => Role::Remark,
                        Role::Code => Role::Code,
                        Role::Value => Role::Value,
                        Role::Annotation(name) => Role::Annotation(owned(name)),
                    },
                    content: owned(directive.content),
                })
            }
        }
    }

    fn read<'t>(
        text: &'t str,
        comment: &Comment,
        node: &Position,
        lenient: bool,
    ) -> Result<Directive<'t>, Fault> {
        let Some(rest) = text.strip_prefix('@') else {
            return match text.strip_prefix('!') {
                Some(remark) => Ok(Directive {
                    role: Role::Remark,
                    content: remark.into(),
                }),
                None if lenient => Ok(Directive {
                    role: Role::Remark,
                    content: text.into(),
                }),
                None => Err(Fault {
                    message: format!(
                        "Failed to parse line {}: '#{text}': Expected ytt-formatted string \
                         (use '#@' for annotations or code, '#!' for comments)",
                        line_number(&comment.position)
                    ),
                    position: comment.position.clone(),
                }),
            };
        };
        let (name, content) = rest.split_once(' ').unwrap_or((rest, ""));
        let role = match name {
            "" if node.line().is_some() && node.line() == comment.position.line() => Role::Value,
            "" | "template/code" => Role::Code,
            "template/value" => Role::Value,
            "comment" => Role::Remark,
            _ => Role::Annotation(name.into()),
        };
        Ok(Directive {
            role,
            content: content.into(),
        })
    }

    /// True for the annotation of this name.
    pub fn is_annotation(&self, wanted: &str) -> bool {
        matches!(&self.role, Role::Annotation(name) if name == wanted)
    }
}

/// The code with `if/end` and the like made `if`, and whether it was one of them.
pub fn open_node_block(code: &str) -> (Cow<'_, str>, bool) {
    let trimmed = code.trim_start();
    // What is only white space has no words.
    let (space, trimmed) = if trimmed.is_empty() {
        ("", code)
    } else {
        code.split_at(code.len() - trimmed.len())
    };
    for (word, keyword) in NODE_BLOCKS {
        if let Some(rest) = trimmed.strip_prefix(word) {
            return (format!("{space}{keyword}{rest}").into(), true);
        }
    }
    (code.into(), false)
}

fn line_number(position: &Position) -> String {
    position
        .line()
        .map_or_else(|| "?".to_owned(), |line| line.to_string())
}

/// Any node, borrowed.
#[derive(Clone, Copy, Debug)]
pub enum NodeRef<'a> {
    /// Documents.
    Documents(&'a DocumentSet),
    /// A document.
    Document(&'a Document),
    /// A map.
    Map(&'a Map),
    /// An item of a map.
    MapItem(&'a MapItem),
    /// An array.
    Array(&'a Array),
    /// An item of an array.
    ArrayItem(&'a ArrayItem),
    /// What has no items: a scalar, or null.
    Scalar(&'a Value),
}

impl<'a> NodeRef<'a> {
    /// The value as a node.
    pub fn of(value: &'a Value) -> NodeRef<'a> {
        match value {
            Value::Map(map) => NodeRef::Map(map),
            Value::Array(array) => NodeRef::Array(array),
            Value::Documents(documents) => NodeRef::Documents(documents),
            _ => NodeRef::Scalar(value),
        }
    }

    /// Position, comments and annotations, if it is more than a scalar.
    pub fn meta(self) -> Option<&'a Meta> {
        match self {
            NodeRef::Documents(node) => Some(&node.meta),
            NodeRef::Document(node) => Some(&node.meta),
            NodeRef::Map(node) => Some(&node.meta),
            NodeRef::MapItem(node) => Some(&node.meta),
            NodeRef::Array(node) => Some(&node.meta),
            NodeRef::ArrayItem(node) => Some(&node.meta),
            NodeRef::Scalar(_) => None,
        }
    }

    /// Appends its children in reverse order: what a stack of work wants.
    pub fn push_children(self, stack: &mut Vec<NodeRef<'a>>) {
        match self {
            NodeRef::Documents(node) => {
                stack.extend(node.items.iter().rev().map(NodeRef::Document))
            }
            NodeRef::Document(node) => stack.push(NodeRef::of(&node.value)),
            NodeRef::Map(node) => stack.extend(node.items.iter().rev().map(NodeRef::MapItem)),
            NodeRef::MapItem(node) => stack.push(NodeRef::of(&node.value)),
            NodeRef::Array(node) => stack.extend(node.items.iter().rev().map(NodeRef::ArrayItem)),
            NodeRef::ArrayItem(node) => stack.push(NodeRef::of(&node.value)),
            NodeRef::Scalar(_) => {}
        }
    }

    /// True if it holds something: a value that is not null, or any item.
    pub fn has_content(self) -> bool {
        match self {
            NodeRef::Documents(node) => !node.items.is_empty(),
            NodeRef::Document(node) => !node.value.is_null(),
            NodeRef::Map(node) => !node.items.is_empty(),
            NodeRef::MapItem(node) => !node.value.is_null(),
            NodeRef::Array(node) => !node.items.is_empty(),
            NodeRef::ArrayItem(node) => !node.value.is_null(),
            NodeRef::Scalar(_) => false,
        }
    }

    /// The word that messages use.
    pub fn kind(self) -> &'static str {
        match self {
            NodeRef::Documents(_) => "document set",
            NodeRef::Document(_) => "document",
            NodeRef::Map(_) => "map",
            NodeRef::MapItem(_) => "map item",
            NodeRef::Array(_) => "array",
            NodeRef::ArrayItem(_) => "array item",
            NodeRef::Scalar(value) => value.kind(),
        }
    }
}

/// True if anything in this node is code, a value or an annotation.
pub fn has_templating(node: NodeRef<'_>) -> bool {
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        let templated = |comment: &Comment| {
            comment.text.starts_with(b"@")
                && !matches!(
                    comment.text.strip_prefix(b"@comment"),
                    Some([] | [b' ', ..])
                )
        };
        if node
            .meta()
            .is_some_and(|meta| meta.comments().iter().any(templated))
        {
            return true;
        }
        node.push_children(&mut stack);
    }
    false
}

/// What is said where values that must be plain are templates.
pub const NOT_PLAIN: &str =
    "Expected to be plain YAML, having no annotations (hint: remove comments starting with `#@`)";

/// Splits documents into those that bear this annotation and the others, by their comments.
///
/// # Errors
/// The annotation stands on something else than a document, or twice on one.
pub fn extract_documents<'a>(
    documents: &'a DocumentSet,
    annotation: &str,
) -> Result<(Vec<&'a Document>, Vec<&'a Document>), Fault> {
    let count = |node: NodeRef<'_>| -> usize {
        let Some(meta) = node.meta() else { return 0 };
        let is_wanted = |comment: &&Comment| {
            comment.text.starts_with(b"@")
                && Directive::parse(comment, &meta.position, true)
                    .is_ok_and(|directive| directive.is_annotation(annotation))
        };
        meta.comments().iter().filter(is_wanted).count()
    };
    let mut stack = vec![NodeRef::Documents(documents)];
    while let Some(node) = stack.pop() {
        if !matches!(node, NodeRef::Document(_)) && count(node) > 0 {
            let position = node
                .meta()
                .map(|meta| meta.position.clone())
                .unwrap_or_default();
            let kind = node.kind();
            let message = format!(
                "Found @{annotation} on {kind} ({position}); only documents (---) can be annotated with @{annotation}"
            );
            return Err(Fault { message, position });
        }
        node.push_children(&mut stack);
    }
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for document in &documents.items {
        match count(NodeRef::Document(document)) {
            0 => without.push(document),
            1 => with.push(document),
            _ => {
                return Err(Fault {
                    message: format!("{annotation} annotation may only be used once per document"),
                    position: document.meta.position.clone(),
                });
            }
        }
    }
    Ok((with, without))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Source;

    #[test]
    fn comments_say() {
        let source = Source::file("a.yml", "");
        let node = Position::new(&source, 3);
        let table = [
            ("@ x = 1", 2, "Code", " x = 1".trim_start()),
            ("@ x", 3, "Value", "x"),
            ("@overlay/match by=1", 2, "overlay/match", "by=1"),
            ("@x", 2, "x", ""),
            ("! hi", 2, "Remark", " hi"),
            ("@template/code x", 3, "Code", "x"),
            ("@comment x", 3, "Remark", "x"),
        ];
        for (text, line, role, content) in table {
            let comment = Comment {
                text: text.into(),
                position: Position::new(&source, line),
            };
            let directive = Directive::parse(&comment, &node, false).unwrap();
            let found = match &directive.role {
                Role::Annotation(name) => name.to_string(),
                role => format!("{role:?}"),
            };
            assert_eq!(
                (found.as_str(), &*directive.content),
                (role, content),
                "{text}"
            );
        }
        let plain = Comment {
            text: " hi".into(),
            position: Position::new(&source, 2),
        };
        assert!(Directive::parse(&plain, &node, true).is_ok());
        assert!(
            Directive::parse(&plain, &node, false)
                .unwrap_err()
                .message
                .starts_with("Failed to parse line 2: '# hi'")
        );
    }

    #[test]
    fn node_blocks() {
        assert_eq!(open_node_block("  if/end x:"), ("  if x:".into(), true));
        assert_eq!(open_node_block("if x:"), ("if x:".into(), false));
        assert_eq!(open_node_block("   "), ("   ".into(), false));
    }
}
