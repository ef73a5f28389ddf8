//! Tokens to nodes.
//!
//! The grammar is libyaml's. Open collections wait on a stack of their own, not on the program's, so nesting is
//! bounded by a number and not by the machine. Values are built as they are read; what go-yaml would find out only
//! after it has read the whole document (an alias inside its own anchor, a tag that does not fit) is remembered and
//! reported at the document's end, so that errors come in ytt's order.

mod collections;

use super::comments;
use super::node::{ArrayItem, Comment, Document, DocumentSet, MapItem, Meta, Value};
use super::scanner::{Content, Fault, Kind, Phase, Scanner};
use super::tag::Tag;
use super::words::Words;
use super::{MAX_ALIASED_NODES, MAX_DEPTH, MAX_NODES, ParseOptions, scalar};
use crate::hash;
use crate::position::{Position, Source};
use std::borrow::Cow;
use std::rc::Rc;

type Result<T> = std::result::Result<T, Fault>;

/// ytt gives the code to the alias and leaves the anchor without it.
const COMPUTED_ANCHOR: &str =
    "an alias cannot repeat what '#@' computes or annotates (hint: use a variable or a function)";

/// A value just read.
struct Node {
    value: Value,
    /// The line that its first token stands on, counted from 0.
    line: u32,
    /// True for `<<` as a key.
    merges: bool,
    extent: Extent,
}

/// How large a value is.
#[derive(Clone, Copy, Default)]
struct Extent {
    nodes: usize,
    height: usize,
}

/// What an anchor names.
#[derive(Clone)]
enum Anchored {
    /// A collection that is still being read.
    Open,
    Value(Value, Extent),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    BlockSequence,
    /// Entries at the column of the key that holds them.
    IndentlessSequence,
    BlockMapping,
    FlowSequence,
    FlowMapping,
    /// `[a: 1]`
    FlowPair,
}

enum Items {
    Map(Vec<MapItem>),
    Array(Vec<ArrayItem>),
}

struct PendingKey {
    key: Value,
    line: u32,
    merges: bool,
    /// True if it stands in a flow map without a `:`.
    bare: bool,
}

/// A collection that is being read.
struct Frame {
    shape: Shape,
    items: Items,
    /// The line that its first token stands on.
    line: u32,
    /// The line of the item that holds it.
    holder: u32,
    anchor: Option<usize>,
    /// True before its first item.
    fresh: bool,
    /// The line of the indicator before the current entry.
    entry_line: u32,
    key: Option<PendingKey>,
    bare: bool,
    extent: Extent,
}

enum Step {
    /// Read a node.
    Node { block: bool, indentless: bool },
    /// A node is complete.
    Done(Node),
    /// Go on with the innermost collection.
    Advance,
}

const FLOW_NODE: Step = Step::Node {
    block: false,
    indentless: false,
};
const BLOCK_NODE: Step = Step::Node {
    block: true,
    indentless: false,
};
const BLOCK_OR_INDENTLESS: Step = Step::Node {
    block: true,
    indentless: true,
};

/// Builds the documents of a text.
pub(super) struct Composer<'a> {
    scanner: Scanner<'a>,
    source: &'a Rc<Source>,
    options: ParseOptions,
    /// What to add to a line counted from 0.
    shift: u32,
    tags: Vec<(&'a [u8], Cow<'a, [u8]>)>,
    anchors: hash::Map<&'a [u8], usize>,
    anchored: Vec<Anchored>,
    frames: Vec<Frame>,
    /// Anchors that name an empty value, by number, with their line.
    blank_anchors: hash::Map<usize, u32>,
    /// Lines of those among them that an alias repeats.
    aliased_blanks: Vec<u32>,
    /// The first fault that go-yaml would report only after the document.
    postponed: Option<Fault>,
    aliased_nodes: usize,
    nodes: usize,
    words: Words,
}

impl<'a> Composer<'a> {
    /// Reads `text`, the content of `source`; `implied` if a document marker is to be read before it.
    pub(super) fn new(
        source: &'a Rc<Source>,
        text: &'a [u8],
        implied: bool,
        options: ParseOptions,
    ) -> Self {
        Composer {
            scanner: Scanner::new(text, implied),
            source,
            options,
            shift: u32::from(!implied),
            tags: Vec::new(),
            anchors: hash::Map::default(),
            anchored: Vec::new(),
            frames: Vec::new(),
            blank_anchors: hash::Map::default(),
            aliased_blanks: Vec::new(),
            postponed: None,
            aliased_nodes: 0,
            nodes: 0,
            words: Words::default(),
        }
    }

    /// The offset up to which the text has been read.
    pub(super) fn offset(&self) -> usize {
        self.scanner.pos
    }

    fn position(&self, line: u32) -> Position {
        Position::new(self.source, line + self.shift)
    }

    /// The position of a collection: that of the item or document that holds it.
    fn collection(&self, holder: u32) -> Meta {
        Meta::at(Position::new(self.source, (holder + self.shift).max(1)))
    }

    fn fault<T>(&self, line: u32, problem: impl Into<Cow<'static, str>>) -> Result<T> {
        Err(Fault {
            line,
            phase: Phase::Parse,
            problem: problem.into(),
        })
    }

    fn postpone(&mut self, line: u32, problem: String) {
        let fault = Fault {
            line,
            phase: Phase::Compose,
            problem: problem.into(),
        };
        self.postponed.get_or_insert(fault);
    }

    /// All documents.
    pub(super) fn documents(&mut self) -> Result<DocumentSet> {
        let mut set = DocumentSet::default();
        let mut unowned: Vec<Comment> = Vec::new();
        while let Some((value, line)) = self.document(set.items.is_empty())? {
            // The first document of a text without a marker has no line of its own while comments look for owners.
            let implied = set.items.is_empty() && line + self.shift == 0;
            let mut document = Document {
                value,
                meta: Meta::at(self.position(line)),
                ..Document::default()
            };
            document.meta.set_comments(std::mem::take(&mut unowned));
            let comments = self.scanner.take_comments();
            if !self.options.without_comments && !comments.is_empty() {
                let comments = comments.into_iter().map(|(line, text)| Comment {
                    text: text.into(),
                    position: self.position(line),
                });
                let blanks: Vec<Option<u32>> = self
                    .aliased_blanks
                    .iter()
                    .map(|line| self.position(*line).line())
                    .collect();
                let assigned = comments::assign(&mut document, comments.collect(), &blanks);
                unowned = assigned.map_err(|line| Fault {
                    line: line.saturating_sub(self.shift),
                    phase: Phase::Limit,
                    problem: COMPUTED_ANCHOR.into(),
                })?;
            }
            if implied {
                document.meta.position = Position::new(self.source, 1);
            }
            set.items.push(document);
        }
        if !unowned.is_empty() {
            let mut meta = Meta::default();
            meta.set_comments(unowned);
            set.items.push(Document {
                meta,
                injected: true,
                ..Document::default()
            });
        }
        Ok(set)
    }

    /// The next document's value and line, or nothing at the end of the text.
    fn document(&mut self, first: bool) -> Result<Option<(Value, u32)>> {
        self.scanner.take_comments();
        self.aliased_blanks.clear();
        let (mut kind, mut line) = self.scanner.peek()?;
        if !first {
            while kind == Kind::DocumentEnd {
                (kind, line) = self.scanner.next()?;
            }
        }
        if kind == Kind::StreamEnd {
            return Ok(None);
        }
        let start = line;
        let bare = first
            && !matches!(
                kind,
                Kind::VersionDirective | Kind::TagDirective | Kind::DocumentStart
            );
        self.directives()?;
        let node = if bare {
            self.node(start)?
        } else {
            (kind, line) = self.scanner.peek()?;
            if kind != Kind::DocumentStart {
                return self.fault(line, "did not find expected <document start>");
            }
            (kind, line) = self.scanner.next()?;
            match kind {
                Kind::VersionDirective
                | Kind::TagDirective
                | Kind::DocumentStart
                | Kind::DocumentEnd
                | Kind::StreamEnd => self.empty(line),
                _ => self.node(start)?,
            }
        };
        if self.scanner.peek()?.0 == Kind::DocumentEnd {
            self.scanner.take();
        }
        self.tags.clear();
        self.anchors.clear();
        self.anchored.clear();
        self.blank_anchors.clear();
        match self.postponed.take() {
            Some(fault) => Err(fault),
            None => Ok(Some((node.value, start))),
        }
    }

    fn directives(&mut self) -> Result<()> {
        let mut versioned = false;
        loop {
            let (kind, line) = self.scanner.peek()?;
            if !matches!(kind, Kind::VersionDirective | Kind::TagDirective) {
                break;
            }
            match self.scanner.take().map(|token| token.content) {
                Some(Content::Version(major, minor)) => {
                    if versioned {
                        return self.fault(line, "found duplicate %YAML directive");
                    }
                    if (major, minor) != (1, 1) {
                        return self.fault(line, "found incompatible YAML document");
                    }
                    versioned = true;
                }
                Some(Content::Tag { handle, suffix }) => {
                    if self.tags.iter().any(|(known, _)| *known == handle) {
                        return self.fault(line, "found duplicate %TAG directive");
                    }
                    self.tags.push((handle, suffix));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A node at the root of a document that starts on this line.
    fn node(&mut self, start: u32) -> Result<Node> {
        let mut step = BLOCK_NODE;
        loop {
            step = match step {
                Step::Node { block, indentless } => self.begin(start, block, indentless)?,
                Step::Advance => self.advance()?,
                Step::Done(node) if self.frames.is_empty() => return Ok(node),
                Step::Done(node) => {
                    self.count(node.line)?;
                    self.accept(node);
                    Step::Advance
                }
            };
        }
    }

    /// One more node.
    fn count(&mut self, line: u32) -> Result<()> {
        self.nodes += 1;
        if self.nodes <= MAX_NODES {
            return Ok(());
        }
        Err(Fault {
            line,
            phase: Phase::Limit,
            problem: format!("exceeded max nodes of {MAX_NODES}").into(),
        })
    }

    fn empty(&self, line: u32) -> Node {
        Node {
            value: Value::Null,
            line,
            merges: false,
            extent: Extent {
                nodes: 1,
                height: 0,
            },
        }
    }

    /// The start of a node: all of it, unless it is a collection.
    fn begin(&mut self, root: u32, block: bool, indentless: bool) -> Result<Step> {
        let (mut kind, line) = self.scanner.peek()?;
        if kind == Kind::Alias {
            return self.alias(root, line).map(Step::Done);
        }
        let mut anchor = None;
        let mut tag = None;
        let mut here = line;
        for _ in 0..2 {
            match kind {
                Kind::Anchor if anchor.is_none() => {
                    if let Some(Content::Name(name)) =
                        self.scanner.take().map(|token| token.content)
                    {
                        anchor = Some(self.open_anchor(name));
                    }
                }
                Kind::Tag if tag.is_none() => {
                    if let Some(Content::Tag { handle, suffix }) =
                        self.scanner.take().map(|token| token.content)
                    {
                        tag = Some((handle, suffix, here));
                    }
                }
                _ => break,
            }
            (kind, here) = self.scanner.peek()?;
        }
        let tag = match tag {
            Some((handle, suffix, at)) => self.resolve_tag(handle, suffix, at)?,
            None => Tag::None,
        };
        let shape = match kind {
            Kind::BlockEntry if indentless => Shape::IndentlessSequence,
            Kind::FlowSequenceStart => Shape::FlowSequence,
            Kind::FlowMappingStart => Shape::FlowMapping,
            Kind::BlockSequenceStart if block => Shape::BlockSequence,
            Kind::BlockMappingStart if block => Shape::BlockMapping,
            Kind::Scalar => {
                if let Some(Content::Scalar { text, plain }) =
                    self.scanner.take().map(|token| token.content)
                {
                    return Ok(Step::Done(self.scalar(&text, plain, &tag, anchor, line)));
                }
                return Ok(Step::Done(self.empty(line)));
            }
            _ if anchor.is_some() || tag != Tag::None => {
                if let Some(number) = anchor {
                    self.blank_anchors.insert(number, line);
                }
                return Ok(Step::Done(self.scalar(
                    b"",
                    tag == Tag::None,
                    &tag,
                    anchor,
                    line,
                )));
            }
            _ => return self.fault(here, "did not find expected node content"),
        };
        if shape != Shape::IndentlessSequence {
            self.scanner.take();
        }
        self.open(shape, root, line, here, anchor)?;
        Ok(Step::Advance)
    }

    fn open(
        &mut self,
        shape: Shape,
        root: u32,
        line: u32,
        entry_line: u32,
        anchor: Option<usize>,
    ) -> Result<()> {
        if self.frames.len() >= MAX_DEPTH {
            return self.too_deep(line);
        }
        let items = match shape {
            Shape::BlockSequence | Shape::IndentlessSequence | Shape::FlowSequence => {
                Items::Array(Vec::new())
            }
            Shape::BlockMapping | Shape::FlowMapping | Shape::FlowPair => Items::Map(Vec::new()),
        };
        let holder = self.holder(root, line);
        let extent = Extent {
            nodes: 1,
            height: 1,
        };
        self.frames.push(Frame {
            shape,
            items,
            line,
            holder,
            anchor,
            fresh: true,
            entry_line,
            key: None,
            bare: false,
            extent,
        });
        Ok(())
    }

    fn too_deep<T>(&self, line: u32) -> Result<T> {
        let problem = format!("exceeded max depth of {MAX_DEPTH}").into();
        Err(Fault {
            line,
            phase: Phase::Limit,
            problem,
        })
    }

    /// The line of the item that will hold a value that starts on `line`.
    fn holder(&self, root: u32, line: u32) -> u32 {
        match self.frames.last() {
            None => root,
            Some(Frame {
                items: Items::Array(_),
                entry_line,
                ..
            }) => *entry_line,
            Some(Frame { key: Some(key), .. }) => key.line,
            Some(_) => line,
        }
    }

    fn open_anchor(&mut self, name: &'a [u8]) -> usize {
        let number = self.anchored.len();
        self.anchored.push(Anchored::Open);
        self.anchors.insert(name, number);
        number
    }

    fn close_anchor(&mut self, anchor: Option<usize>, value: &Value, extent: Extent) {
        if let Some(slot) = anchor.and_then(|number| self.anchored.get_mut(number)) {
            *slot = Anchored::Value(value.clone(), extent);
        }
    }

    fn alias(&mut self, root: u32, line: u32) -> Result<Node> {
        let Some(Content::Name(name)) = self.scanner.take().map(|token| token.content) else {
            return Ok(self.empty(line));
        };
        let shown = String::from_utf8_lossy(name);
        let number = self.anchors.get(name).copied();
        let blank = number.and_then(|number| self.blank_anchors.get(&number));
        self.aliased_blanks.extend(blank);
        let Some(anchored) = number.and_then(|number| self.anchored.get(number)) else {
            let problem = format!("unknown anchor '{shown}' referenced").into();
            return Err(Fault {
                line,
                phase: Phase::Compose,
                problem,
            });
        };
        let Anchored::Value(value, extent) = anchored.clone() else {
            self.postpone(line, format!("anchor '{shown}' value contains itself"));
            return Ok(self.empty(line));
        };
        self.aliased_nodes += extent.nodes;
        if self.aliased_nodes > MAX_ALIASED_NODES {
            let problem = "document contains excessive aliasing".into();
            return Err(Fault {
                line,
                phase: Phase::Limit,
                problem,
            });
        }
        if self.frames.len() + extent.height > MAX_DEPTH {
            return self.too_deep(line);
        }
        let meta = self.collection(self.holder(root, line));
        let value = match value {
            Value::Map(mut map) => {
                Rc::make_mut(&mut map).meta = meta;
                Value::Map(map)
            }
            Value::Array(mut array) => {
                Rc::make_mut(&mut array).meta = meta;
                Value::Array(array)
            }
            other => other,
        };
        Ok(Node {
            value,
            line,
            merges: false,
            extent,
        })
    }

    fn resolve_tag(&mut self, handle: &'a [u8], suffix: Cow<'a, [u8]>, line: u32) -> Result<Tag> {
        if handle.is_empty() {
            return Ok(Tag::named(&suffix));
        }
        let declared = self
            .tags
            .iter()
            .find(|(known, _)| *known == handle)
            .map(|(_, prefix)| prefix.as_ref());
        let prefix = match (declared, handle) {
            (Some(prefix), _) => prefix,
            (None, b"!") => b"!",
            (None, b"!!") => b"tag:yaml.org,2002:",
            (None, _) => return self.fault(line, "found undefined tag handle"),
        };
        Ok(Tag::named(&[prefix, &suffix].concat()))
    }

    fn scalar(
        &mut self,
        text: &[u8],
        plain: bool,
        tag: &Tag,
        anchor: Option<usize>,
        line: u32,
    ) -> Node {
        let implicit = plain && *tag == Tag::None || *tag == Tag::NonSpecific;
        let merges = text == b"<<" && (implicit || *tag == Tag::Merge);
        let strict = self.options.strict && !merges;
        let is_word = *tag == Tag::None && !(plain && (strict || !scalar::is_string(text)));
        let value = if is_word {
            Value::Str(self.words.shared(text))
        } else {
            tag.value(text, plain, strict).unwrap_or_else(|problem| {
                self.postpone(line, problem);
                Value::Null
            })
        };
        let extent = Extent {
            nodes: 1,
            height: 0,
        };
        self.close_anchor(anchor, &value, extent);
        Node {
            value,
            line,
            merges,
            extent,
        }
    }
}
