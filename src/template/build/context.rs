//! Nodes under construction, one within the other, and how a finished one gets into the one around it.

use super::{MAP_KEY_OVERRIDE, Root, no_context};
use crate::script::{Error, Interp, Result};
use crate::template::convert;
use crate::template::fragment::Size;
use crate::template::program::{Shape, Tag};
use crate::yaml::node::{
    Annotation, Array, ArrayItem, Document, DocumentSet, Map, MapItem, Meta, Value,
};
use crate::yaml::{KeyIndex, MAX_DEPTH};
use std::rc::Rc;

#[derive(Default)]
pub(super) struct Context {
    pub(super) annotations: Vec<(Tag, Vec<Annotation>)>,
    pub(super) keys: Vec<(Tag, Value)>,
    pub(super) open: Vec<(Tag, Open)>,
    /// How large what is built is so far: depth counts from the root.
    pub(super) size: Size,
    pub(super) result: Root,
}

/// A node under construction.
pub(super) enum Open {
    Documents(DocumentSet),
    Document(Document, Option<Vec<Document>>),
    Map { map: Map, keys: Keys },
    MapItem(MapItem, Option<Vec<MapItem>>),
    Array(Array),
    ArrayItem(ArrayItem, Option<Vec<ArrayItem>>),
    Text(Vec<u8>),
    Piece(Vec<u8>),
}

impl Context {
    /// A node as it is when opened: with what was said of it beforehand.
    pub(super) fn open(&mut self, tag: Tag, shape: &Shape) -> Open {
        let annotations = match self.annotations.iter().position(|(other, _)| *other == tag) {
            Some(index) => self.annotations.swap_remove(index).1,
            None => Vec::new(),
        };
        let key = match self.keys.iter().position(|(other, _)| *other == tag) {
            Some(index) => Some(self.keys.swap_remove(index).1),
            None => None,
        };
        let annotated = |meta: &Meta| {
            let mut meta = meta.clone();
            meta.set_annotations(annotations);
            meta
        };
        match shape {
            Shape::Documents(meta) => Open::Documents(DocumentSet {
                items: Vec::new(),
                meta: annotated(meta),
            }),
            Shape::Document(meta, _, injected) => Open::Document(
                Document {
                    value: Value::Null,
                    meta: annotated(meta),
                    injected: *injected,
                },
                None,
            ),
            Shape::Map(meta) => Open::Map {
                map: Map {
                    items: Vec::new(),
                    meta: annotated(meta),
                },
                keys: Keys::default(),
            },
            Shape::MapItem(meta, own_key, _) => {
                let key = key.unwrap_or_else(|| own_key.clone());
                Open::MapItem(
                    MapItem {
                        key,
                        value: Value::Null,
                        meta: annotated(meta),
                    },
                    None,
                )
            }
            Shape::Array(meta) => Open::Array(Array {
                items: Vec::new(),
                meta: annotated(meta),
            }),
            Shape::ArrayItem(meta, _) => Open::ArrayItem(
                ArrayItem {
                    value: Value::Null,
                    meta: annotated(meta),
                },
                None,
            ),
            Shape::Text => Open::Text(Vec::new()),
            Shape::Piece(_) => Open::Piece(Vec::new()),
        }
    }

    /// Checks that `child` may stand in the node now open, and makes place for it.
    pub(super) fn announce(&mut self, child: &Open, implicit_overrides: bool) -> Result<()> {
        let Some((_, parent)) = self.open.last_mut() else {
            return Ok(());
        };
        match (&mut *parent, child) {
            (Open::Map { map, keys }, Open::MapItem(item, _)) => {
                let may_override =
                    implicit_overrides || item.meta.annotation(MAP_KEY_OVERRIDE).is_some();
                keys.take(map, &item.key, may_override)
            }
            (Open::Documents(_), Open::Document(..))
            | (
                Open::Document(..) | Open::MapItem(..) | Open::ArrayItem(..),
                Open::Map { .. } | Open::Array(_),
            )
            | (Open::Array(_), Open::ArrayItem(..))
            | (Open::Text(_), Open::Piece(_)) => Ok(()),
            (parent, child) => Err(Error::new(parent.refusal(child.kind()))),
        }
    }

    /// How many collections are open: items stand between them.
    pub(super) fn level(&self) -> usize {
        self.open.len().div_ceil(2)
    }

    /// Accounts for nodes that come from elsewhere.
    ///
    /// # Errors
    /// There are too many.
    pub(super) fn grow(&mut self, interp: &mut Interp, nodes: usize) -> Result<()> {
        self.size.nodes += nodes;
        let most = interp.limits().nodes;
        if self.size.nodes > most {
            return Err(Error::fatal(format!(
                "evaluation stopped: more than {most} nodes (hint: does a function repeat what it is given?)"
            )));
        }
        interp.work(nodes as u64)
    }

    /// Sets the value of the node now open.
    pub(super) fn set(&mut self, value: Value, depth: usize) -> Result<()> {
        let depth = self.level() + depth;
        if depth > MAX_DEPTH {
            return Err(convert::too_deep());
        }
        self.size.depth = self.size.depth.max(depth);
        let Some((_, node)) = self.open.last_mut() else {
            return Err(no_context());
        };
        if matches!(value, Value::Documents(_)) && node.is_item() {
            return Err(Error::new(node.refusal("document set")));
        }
        match node {
            Open::Document(document, _) => document.value = value,
            Open::MapItem(item, _) => item.value = value,
            Open::ArrayItem(item, _) => item.value = value,
            Open::Piece(text) => match value {
                Value::Str(value) => *text = value.to_vec(),
                other => {
                    return Err(Error::new(format!(
                        "cannot set non-string value ({}), consider using str(...) to convert to string",
                        convert::go_type(&other)
                    )));
                }
            },
            Open::Array(_) => return Err(Error::new("cannot set value on an array")),
            Open::Text(_) => return Err(Error::new("cannot set value on a noderoot")),
            Open::Map { .. } | Open::Documents(_) => {
                return Err(Error::new(format!("cannot set value on a {}", node.kind())));
            }
        }
        Ok(())
    }

    pub(super) fn replace(&mut self, value: Value, implicit_overrides: bool) -> Result<()> {
        let wanted_but = |what: &str, value: &Value| {
            Err(Error::new(format!(
                "expected value to be {what}, but was {}",
                convert::go_type_name(value)
            )))
        };
        let missing = |what: &str, place: &str| {
            Err(Error::new(format!(
                "expected to find placeholder {what} in {place}"
            )))
        };
        let (rest, last) = match self.open.as_mut_slice() {
            [rest @ .., last] => (rest, &mut last.1),
            [] => {
                return Err(Error::new(
                    "expected to replace document value, map item or array item, but found null",
                ));
            }
        };
        let parent = rest.last_mut().map(|(_, parent)| parent);
        match last {
            Open::Document(document, replacement) => {
                let items = match value {
                    Value::Documents(documents) => Rc::unwrap_or_clone(documents).items,
                    Value::Array(array) if convert::is_native(&array.meta) => {
                        let items = Rc::unwrap_or_clone(array).items.into_iter();
                        items
                            .map(|item| Document {
                                value: item.value,
                                ..Document::default()
                            })
                            .collect()
                    }
                    other => return wanted_but("document set", &other),
                };
                if !matches!(parent, Some(Open::Documents(_))) || replacement.is_some() {
                    return missing("document", "document set");
                }
                document.value = Value::Null;
                *replacement = Some(items);
            }
            Open::MapItem(item, replacement) => {
                let (items, carries_meta) = match value {
                    Value::Map(map) => {
                        let native = convert::is_native(&map.meta);
                        let mut items = Rc::unwrap_or_clone(map).items;
                        if native {
                            for new in &mut items {
                                convert::place_nodes(&mut new.value, &item.meta.position);
                                new.meta = Meta::at(item.meta.position.clone());
                            }
                        }
                        (items, !native)
                    }
                    other => return wanted_but("map", &other),
                };
                let Some(Open::Map { map, keys }) = parent else {
                    return missing("map item", "map");
                };
                if replacement.is_some() {
                    return missing("map item", "map");
                }
                let own = map.items.len();
                let keys = keys.index(map);
                keys.insert(&item.key, own);
                for new in &items {
                    let may_override = implicit_overrides
                        || !carries_meta
                        || new.meta.annotation(MAP_KEY_OVERRIDE).is_some();
                    match keys.get(&new.key) {
                        None => {}
                        Some(_) if !may_override => return Err(key_taken(&new.key)),
                        Some(index) if index == own => return missing("map item", "map"),
                        Some(index) => {
                            keys.remove(&new.key);
                            remove_item(map, index);
                        }
                    }
                }
                // The new items take their places after what is there; the placeholder's own key is free again.
                keys.remove(&item.key);
                for (offset, new) in items.iter().enumerate() {
                    keys.insert(&new.key, own + offset);
                }
                *replacement = Some(items);
            }
            Open::ArrayItem(item, replacement) => {
                let items = match value {
                    Value::Array(array) => {
                        let native = convert::is_native(&array.meta);
                        let mut items = Rc::unwrap_or_clone(array).items;
                        if native {
                            for new in &mut items {
                                convert::place_nodes(&mut new.value, &item.meta.position);
                                new.meta = Meta::at(item.meta.position.clone());
                            }
                        }
                        items
                    }
                    other => return wanted_but("array", &other),
                };
                if !matches!(parent, Some(Open::Array(_))) || replacement.is_some() {
                    return missing("array item", "array");
                }
                *replacement = Some(items);
            }
            other => {
                return Err(Error::new(format!(
                    "expected to replace document value, map item or array item, but found {}",
                    other.kind()
                )));
            }
        }
        Ok(())
    }

    /// Closes the innermost open node: puts it into the one around it, or makes it the result.
    pub(super) fn close(&mut self) {
        let Some((_, node)) = self.open.pop() else {
            return;
        };
        let Some((_, parent)) = self.open.last_mut() else {
            self.result = match node {
                Open::Documents(documents) => {
                    Root::Value(Value::Documents(Rc::new(documents)), self.size)
                }
                Open::Text(text) => Root::Text(text.into()),
                Open::Piece(text) => Root::Text(text.into()),
                node => match node.into_value() {
                    Some(value) => Root::Value(value, self.size),
                    None => Root::Nothing,
                },
            };
            return;
        };
        match (parent, node) {
            (Open::Documents(parent), Open::Document(document, replacement)) => match replacement {
                Some(items) => parent.items.extend(items),
                None => parent.items.push(document),
            },
            (Open::Map { map, .. }, Open::MapItem(item, replacement)) => match replacement {
                Some(items) => map.items.extend(items),
                None => map.items.push(item),
            },
            (Open::Array(parent), Open::ArrayItem(item, replacement)) => match replacement {
                Some(items) => parent.items.extend(items),
                None => parent.items.push(item),
            },
            (Open::Document(parent, _), node) => {
                parent.value = node.into_value().unwrap_or_default()
            }
            (Open::MapItem(parent, _), node) => {
                parent.value = node.into_value().unwrap_or_default()
            }
            (Open::ArrayItem(parent, _), node) => {
                parent.value = node.into_value().unwrap_or_default()
            }
            (Open::Text(parent), Open::Piece(text)) => parent.extend(text),
            _ => {}
        }
    }

    pub(super) fn finish(&mut self) {
        while !self.open.is_empty() {
            self.close();
        }
    }
}

impl Open {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Open::Documents(_) => "document set",
            Open::Document(..) => "document",
            Open::Map { .. } => "map",
            Open::MapItem(..) => "map item",
            Open::Array(_) => "array",
            Open::ArrayItem(..) => "array item",
            Open::Text(_) | Open::Piece(_) => "text",
        }
    }

    fn is_item(&self) -> bool {
        matches!(
            self,
            Open::Document(..) | Open::MapItem(..) | Open::ArrayItem(..)
        )
    }

    /// What is said when something stands where it may not.
    pub(super) fn refusal(&self, other: &str) -> String {
        let rule = match self {
            Open::Documents(_) => "document sets can only contain documents",
            Open::Document(..) => "documents can only contain arrays, maps, or scalars",
            Open::Map { .. } => "maps can only contain map items",
            Open::MapItem(..) => "map items can only contain arrays, maps, or scalars",
            Open::Array(_) => "arrays can only contain array items",
            Open::ArrayItem(..) => "array items can only contain maps, arrays, or scalars",
            Open::Text(_) | Open::Piece(_) => "texts can only contain strings",
        };
        format!("{rule}; this is a {other}")
    }

    fn into_value(self) -> Option<Value> {
        match self {
            Open::Map { mut map, .. } => {
                // Overridden items left holes.
                map.items.retain(|item| !is_hole(item));
                Some(Value::Map(Rc::new(map)))
            }
            Open::Array(array) => Some(Value::Array(Rc::new(array))),
            _ => None,
        }
    }
}

/// Maps of fewer items are searched for a key.
const INDEXED_FROM: usize = 16;

/// The keys of a map under construction.
#[derive(Default)]
pub(super) struct Keys(Option<KeyIndex>);

impl Keys {
    /// Gives `key` to the item that comes next.
    fn take(&mut self, map: &mut Map, key: &Value, may_override: bool) -> Result<()> {
        let earlier = if self.0.is_none() && map.items.len() < INDEXED_FROM {
            map.items.iter().position(|item| item.key == *key)
        } else {
            self.index(map).get(key)
        };
        if let Some(earlier) = earlier {
            if !may_override {
                return Err(key_taken(key));
            }
            remove_item(map, earlier);
        }
        if let Some(index) = &mut self.0 {
            index.insert(key, map.items.len());
        }
        Ok(())
    }

    /// All keys of the map so far.
    fn index(&mut self, map: &Map) -> &mut KeyIndex {
        self.0.get_or_insert_with(|| {
            let mut index = KeyIndex::default();
            for (place, item) in map.items.iter().enumerate() {
                if !is_hole(item) {
                    index.insert(&item.key, place);
                }
            }
            index
        })
    }
}

/// Takes an item away without moving the others: it becomes a hole, dropped when the map is closed.
fn remove_item(map: &mut Map, index: usize) {
    if let Some(item) = map.items.get_mut(index) {
        *item = MapItem {
            key: Value::Documents(Rc::default()),
            ..MapItem::default()
        };
    }
}

fn is_hole(item: &MapItem) -> bool {
    matches!(item.key, Value::Documents(_))
}

fn key_taken(key: &Value) -> Error {
    Error::new(format!(
        "expected key '{}' to not be specified again (unless '{MAP_KEY_OVERRIDE}' annotation is added)",
        convert::go_text(key)
    ))
}
