//! Collections while they are being read: what goes into them, and what comes next in each shape.

use super::{
    BLOCK_NODE, BLOCK_OR_INDENTLESS, Composer, FLOW_NODE, Items, Node, PendingKey, Result, Shape,
    Step,
};
use crate::position::Position;
use crate::yaml::keys;
use crate::yaml::node::{Array, ArrayItem, Map, MapItem, Meta, Value};
use crate::yaml::scanner::Kind;
use std::rc::Rc;

impl Composer<'_> {
    /// Puts a node into the innermost collection.
    pub(super) fn accept(&mut self, node: Node) {
        let shift = self.shift;
        let source = self.source;
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        frame.extent.nodes += node.extent.nodes;
        frame.extent.height = frame.extent.height.max(node.extent.height + 1);
        let meta = |line: u32| Meta::at(Position::new(source, line + shift));
        match (&mut frame.items, frame.key.take()) {
            (Items::Array(items), _) => items.push(ArrayItem {
                value: node.value,
                meta: meta(frame.entry_line),
            }),
            (Items::Map(_), None) => {
                let bare = std::mem::take(&mut frame.bare);
                let key = keys::from_node(node.value, shift);
                frame.key = Some(PendingKey {
                    key,
                    line: node.line,
                    merges: node.merges,
                    bare,
                });
            }
            (Items::Map(items), Some(key)) if !key.merges => {
                items.push(MapItem {
                    key: key.key,
                    value: node.value,
                    meta: meta(key.line),
                });
            }
            (Items::Map(items), Some(_)) => match node.value {
                Value::Map(map) => items.extend(Rc::unwrap_or_clone(map).items),
                value => match keys::merged(&value) {
                    Some(merged) => items.extend(merged),
                    None => self.postpone(
                        node.line,
                        "map merge requires map or sequence of maps as the value".to_owned(),
                    ),
                },
            },
        }
    }

    /// Ends the innermost collection.
    fn close(&mut self) -> Step {
        let Some(frame) = self.frames.pop() else {
            return Step::Advance;
        };
        let meta = self.collection(frame.holder);
        let value = match frame.items {
            Items::Map(items) => Value::Map(Rc::new(Map { items, meta })),
            Items::Array(items) => Value::Array(Rc::new(Array { items, meta })),
        };
        self.close_anchor(frame.anchor, &value, frame.extent);
        Step::Done(Node {
            value,
            line: frame.line,
            merges: false,
            extent: frame.extent,
        })
    }

    /// Finds out what comes next in the innermost collection.
    pub(super) fn advance(&mut self) -> Result<Step> {
        let (kind, line) = self.scanner.peek()?;
        let Some(frame) = self.frames.last_mut() else {
            return Ok(Step::Advance);
        };
        let fresh = std::mem::replace(&mut frame.fresh, false);
        match frame.shape {
            Shape::BlockSequence | Shape::IndentlessSequence => {
                frame.entry_line = line;
                let indentless = frame.shape == Shape::IndentlessSequence;
                self.advance_block_sequence(kind, line, indentless)
            }
            Shape::BlockMapping => {
                let in_value = frame.key.is_some();
                self.advance_block_mapping(kind, line, in_value)
            }
            Shape::FlowSequence => self.advance_flow_sequence(kind, line, fresh),
            Shape::FlowPair => self.advance_flow_pair(kind, line, fresh),
            Shape::FlowMapping => self.advance_flow_mapping(kind, line, fresh),
        }
    }

    fn advance_block_sequence(&mut self, kind: Kind, line: u32, indentless: bool) -> Result<Step> {
        match kind {
            Kind::BlockEntry => {
                let (next, _) = self.scanner.next()?;
                let absent = matches!(next, Kind::BlockEntry | Kind::BlockEnd)
                    || indentless && matches!(next, Kind::Key | Kind::Value);
                Ok(if absent {
                    Step::Done(self.empty(line))
                } else {
                    BLOCK_NODE
                })
            }
            _ if indentless => Ok(self.close()),
            Kind::BlockEnd => {
                self.scanner.take();
                Ok(self.close())
            }
            _ => self.fault(line, "did not find expected '-' indicator"),
        }
    }

    fn advance_block_mapping(&mut self, kind: Kind, line: u32, in_value: bool) -> Result<Step> {
        match (kind, in_value) {
            (Kind::Key, false) | (Kind::Value, true) => {
                let (next, _) = self.scanner.next()?;
                let absent = matches!(next, Kind::Key | Kind::Value | Kind::BlockEnd);
                Ok(if absent {
                    Step::Done(self.empty(line))
                } else {
                    BLOCK_OR_INDENTLESS
                })
            }
            (_, true) => Ok(Step::Done(self.empty(line))),
            (Kind::BlockEnd, false) => {
                self.scanner.take();
                Ok(self.close())
            }
            (_, false) => self.fault(line, "did not find expected key"),
        }
    }

    fn advance_flow_sequence(&mut self, kind: Kind, line: u32, fresh: bool) -> Result<Step> {
        let (mut kind, mut line) = (kind, line);
        if kind != Kind::FlowSequenceEnd && !fresh {
            if kind != Kind::FlowEntry {
                return self.fault(line, "did not find expected ',' or ']'");
            }
            // As in ytt an item stands where the indicator before it stands.
            if let Some(frame) = self.frames.last_mut() {
                frame.entry_line = line;
            }
            (kind, line) = self.scanner.next()?;
        }
        match kind {
            Kind::FlowSequenceEnd => {
                self.scanner.take();
                Ok(self.close())
            }
            Kind::Key => {
                self.scanner.take();
                self.open(Shape::FlowPair, line, line, line, None)?;
                Ok(Step::Advance)
            }
            _ => Ok(FLOW_NODE),
        }
    }

    fn advance_flow_pair(&mut self, kind: Kind, line: u32, fresh: bool) -> Result<Step> {
        let Some(frame) = self.frames.last() else {
            return Ok(Step::Advance);
        };
        if fresh {
            if !matches!(kind, Kind::Value | Kind::FlowEntry | Kind::FlowSequenceEnd) {
                return Ok(FLOW_NODE);
            }
            // libyaml passes over the token after an absent key.
            self.scanner.take();
            return Ok(Step::Done(self.empty(line)));
        }
        if frame.key.is_none() {
            return Ok(self.close());
        }
        if kind == Kind::Value {
            let (next, _) = self.scanner.next()?;
            if !matches!(next, Kind::FlowEntry | Kind::FlowSequenceEnd) {
                return Ok(FLOW_NODE);
            }
        }
        Ok(Step::Done(self.empty(line)))
    }

    fn advance_flow_mapping(&mut self, kind: Kind, line: u32, fresh: bool) -> Result<Step> {
        let ends = |kind: Kind| matches!(kind, Kind::FlowEntry | Kind::FlowMappingEnd);
        if let Some(key) = self.frames.last().and_then(|frame| frame.key.as_ref()) {
            if kind == Kind::Value && !key.bare {
                let (next, _) = self.scanner.next()?;
                if !ends(next) {
                    return Ok(FLOW_NODE);
                }
            }
            return Ok(Step::Done(self.empty(line)));
        }
        let mut kind = kind;
        if kind != Kind::FlowMappingEnd && !fresh {
            if kind != Kind::FlowEntry {
                return self.fault(line, "did not find expected ',' or '}'");
            }
            (kind, _) = self.scanner.next()?;
        }
        match kind {
            Kind::FlowMappingEnd => {
                self.scanner.take();
                Ok(self.close())
            }
            Kind::Key => {
                let (next, line) = self.scanner.next()?;
                let absent = next == Kind::Value || ends(next);
                Ok(if absent {
                    Step::Done(self.empty(line))
                } else {
                    FLOW_NODE
                })
            }
            _ => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.bare = true;
                }
                Ok(FLOW_NODE)
            }
        }
    }
}
