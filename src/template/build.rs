//! The builder behind a running template: opens nodes, fills them, and puts each into the one around it.

use super::convert::{self, Noop};
use super::fragment::Fragment;
use super::program::{Operation, Shape, Tag, Template};
use crate::bytestring::Str;
use crate::script::{self, Args, Builder, Error, Interp, Result};
use crate::yaml::node::{
    Annotation, Array, ArrayItem, Document, DocumentSet, Map, MapItem, Meta, Value,
};
use crate::yaml::{KeyIndex, MAX_DEPTH};
use std::cell::RefCell;
use std::rc::Rc;

/// An annotation of a map item by which it may replace an earlier one of the same key.
pub const MAP_KEY_OVERRIDE: &str = "yaml/map-key-override";

/// Builds the nodes of one evaluation of a template; functions that the template defined keep it alive.
pub struct NodeBuilder {
    template: Rc<Template>,
    implicit_overrides: bool,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    /// Builds under way: that of the file, and those of the functions called.
    contexts: Vec<Context>,
    /// How many were under way when each function now running was called.
    calls: Vec<usize>,
    /// What the file itself came to.
    result: Option<Root>,
}

/// What was built.
#[derive(Clone, Debug, Default)]
pub enum Root {
    /// No node was opened.
    #[default]
    Nothing,
    /// Documents, a map or an array, and how deep they are at most.
    Value(Value, usize),
    /// A text.
    Text(Str),
}

#[derive(Default)]
struct Context {
    annotations: Vec<(Tag, Vec<Annotation>)>,
    keys: Vec<(Tag, Value)>,
    open: Vec<(Tag, Open)>,
    /// Depth of the deepest value set so far, counted from the root.
    depth: usize,
    result: Root,
}

/// A node under construction.
enum Open {
    Documents(DocumentSet),
    Document(Document, Option<Vec<Document>>),
    Map { map: Map, keys: Keys },
    MapItem(MapItem, Option<Vec<MapItem>>),
    Array(Array),
    ArrayItem(ArrayItem, Option<Vec<ArrayItem>>),
    Text(Vec<u8>),
    Piece(Vec<u8>),
}

impl NodeBuilder {
    /// A builder of this template's nodes.
    pub fn new(template: Rc<Template>, implicit_overrides: bool) -> NodeBuilder {
        NodeBuilder {
            template,
            implicit_overrides,
            state: RefCell::default(),
        }
    }

    /// What the file came to, once it has run.
    pub fn take_result(&self) -> Root {
        self.state.borrow_mut().result.take().unwrap_or_default()
    }

    /// `template.replace(value)`: puts the items of `value` where the node stands whose value is being computed.
    ///
    /// # Errors
    /// No such node is open, or the value is not of the kind that its place wants.
    pub fn replace(&self, args: &Args) -> Result<script::Value> {
        let [value] = args.positional.as_slice() else {
            return Err(Error::new("expected exactly one argument"));
        };
        let value = convert::to_yaml(value)?;
        let mut state = self.state.borrow_mut();
        let Some(context) = state.contexts.last_mut() else {
            return Err(Error::new(
                "expected to be called where the value of a document, a map item or an array item is computed",
            ));
        };
        context.replace(value, self.implicit_overrides)?;
        Ok(script::Value::host(Noop))
    }

    fn start_node(&self, state: &mut State, tag: Tag) -> Result<()> {
        let context = state.contexts.last_mut().ok_or_else(no_context)?;
        let prototype = self.template.prototype(tag).ok_or_else(|| no_node(tag))?;
        if context.open.is_empty()
            && let Some(parent) = prototype.parent
            && matches!(
                prototype.shape,
                Shape::Document(..) | Shape::MapItem(..) | Shape::ArrayItem(..) | Shape::Piece(_)
            )
        {
            // A function that begins with an item gives the collection of items.
            let parent_prototype = self
                .template
                .prototype(parent)
                .ok_or_else(|| no_node(parent))?;
            let opened = context.open(parent, &parent_prototype.shape);
            context.open.push((parent, opened));
        }
        let node = context.open(tag, &prototype.shape);
        if !context.open.is_empty() {
            self.unwind(context, tag)?;
            context.announce(&node, self.implicit_overrides)?;
        }
        context.open.push((tag, node));
        context.depth = context.depth.max(context.level());
        Ok(())
    }

    /// Closes open nodes until the nearest one that also surrounds `tag` is open.
    fn unwind(&self, context: &mut Context, tag: Tag) -> Result<()> {
        let depth_of = |tag: Tag| self.template.prototype(tag).map_or(0, |node| node.depth);
        let parent_of = |tag: Tag| self.template.prototype(tag).and_then(|node| node.parent);
        let Some(mut wanted) = parent_of(tag) else {
            return Err(no_common_parent(tag));
        };
        let mut current = context.open.last().map(|(tag, _)| *tag);
        // The common ancestor: climb from the deeper one, then from both.
        while let Some(here) = current
            && here != wanted
        {
            match depth_of(here).cmp(&depth_of(wanted)) {
                std::cmp::Ordering::Greater => current = parent_of(here),
                std::cmp::Ordering::Less => match parent_of(wanted) {
                    Some(parent) => wanted = parent,
                    None => current = None,
                },
                std::cmp::Ordering::Equal => {
                    current = parent_of(here);
                    match parent_of(wanted) {
                        Some(parent) => wanted = parent,
                        None => current = None,
                    }
                }
            }
        }
        if current.is_none() || !context.open.iter().rev().any(|(open, _)| *open == wanted) {
            return Err(no_common_parent(tag));
        }
        while context.open.last().is_some_and(|(open, _)| *open != wanted) {
            context.close();
        }
        Ok(())
    }

    fn set_node(&self, state: &mut State, tag: Tag, value: Option<&script::Value>) -> Result<()> {
        let context = state.contexts.last_mut().ok_or_else(no_context)?;
        let Some(value) = value else {
            let value = match &self
                .template
                .prototype(tag)
                .ok_or_else(|| no_node(tag))?
                .shape
            {
                Shape::Document(_, value, _)
                | Shape::MapItem(_, _, value)
                | Shape::ArrayItem(_, value) => value.clone(),
                Shape::Piece(text) => Value::Str(text.clone()),
                _ => return Ok(()),
            };
            return context.set(value, 0);
        };
        if value.downcast::<Noop>().is_some() {
            return Ok(());
        }
        let (value, depth) = convert::to_yaml_with_depth(value)?;
        context.set(value, depth)
    }

    fn annotate(
        &self,
        state: &mut State,
        tag: Tag,
        name: &str,
        arguments: &script::Value,
    ) -> Result<()> {
        let context = state.contexts.last_mut().ok_or_else(no_context)?;
        let prototype = self.template.prototype(tag).ok_or_else(|| no_node(tag))?;
        let Some((name, position)) = prototype
            .annotations
            .iter()
            .rev()
            .find(|(known, _)| &**known == name)
        else {
            return Err(Error::new(format!(
                "expected to find {name} on node node tag {tag}"
            )));
        };
        let script::Value::Tuple(packed) = arguments else {
            return Err(wrong_arguments());
        };
        let [script::Value::Tuple(args), named @ ..] = packed.as_slice() else {
            return Err(wrong_arguments());
        };
        let named = named.iter().filter_map(|pair| match pair {
            script::Value::Tuple(pair) => match pair.as_slice() {
                [script::Value::Str(name), value] => Some((name.clone(), value.clone())),
                _ => None,
            },
            _ => None,
        });
        let annotation = Annotation {
            name: name.clone(),
            args: args.to_vec(),
            named: named.collect(),
            position: position.clone(),
        };
        let pending = match context
            .annotations
            .iter_mut()
            .find(|(other, _)| *other == tag)
        {
            Some((_, pending)) => pending,
            None => {
                context.annotations.push((tag, Vec::new()));
                match context.annotations.last_mut() {
                    Some((_, pending)) => pending,
                    None => return Ok(()),
                }
            }
        };
        match pending
            .iter_mut()
            .find(|other| other.name == annotation.name)
        {
            Some(other) => *other = annotation,
            None => pending.push(annotation),
        }
        Ok(())
    }

    fn end(&self, state: &mut State, returned: Option<script::Value>) -> Result<script::Value> {
        let mut context = state.contexts.pop().ok_or_else(no_context)?;
        context.finish();
        if state.contexts.is_empty() && state.result.is_none() {
            state.result = Some(context.result.clone());
        }
        Ok(returned.unwrap_or_else(|| context.result.into_script()))
    }
}

/// About how many bytes a node takes.
const NODE: usize = 100;

impl Builder for NodeBuilder {
    fn build(&self, interp: &mut Interp, op: u16, args: Args) -> Result<script::Value> {
        let Some(operation) = Operation::from_index(op) else {
            return Err(Error::new("no such operation"));
        };
        let mut state = self.state.borrow_mut();
        let arguments = args.positional.as_slice();
        match (operation, arguments) {
            (Operation::StartNode | Operation::SetNode, [tag]) => {
                drop(state);
                self.node(interp, op, tag_of(tag)?)?;
            }
            (Operation::SetNode, [tag, value]) => {
                self.set_node(&mut state, tag_of(tag)?, Some(value))?
            }
            (Operation::SetKey, [tag, key]) => {
                let key = convert::to_yaml(key)?;
                let context = state.contexts.last_mut().ok_or_else(no_context)?;
                context.keys.push((tag_of(tag)?, key));
            }
            (Operation::Annotate, [tag, name, arguments]) => {
                self.annotate(
                    &mut state,
                    tag_of(tag)?,
                    name.as_str().unwrap_or_default(),
                    arguments,
                )?;
            }
            (Operation::Arguments, _) => {
                let named = args.named.into_iter().map(|(name, value)| {
                    script::Value::tuple(vec![script::Value::Str(name), value])
                });
                let packed = std::iter::once(script::Value::tuple(args.positional)).chain(named);
                return Ok(script::Value::tuple(packed.collect()));
            }
            (Operation::SetDialect, _) => {}
            (Operation::Start, _) => state.contexts.push(Context::default()),
            (Operation::End, []) => return self.end(&mut state, None),
            (Operation::End, [returned]) => return self.end(&mut state, Some(returned.clone())),
            _ => return Err(wrong_arguments()),
        }
        Ok(script::Value::None)
    }

    fn node(&self, interp: &mut Interp, op: u16, tag: Tag) -> Result<()> {
        match Operation::from_index(op) {
            Some(Operation::StartNode) => {
                interp.keep(NODE)?;
                self.start_node(&mut self.state.borrow_mut(), tag)
            }
            Some(Operation::SetNode) => self.set_node(&mut self.state.borrow_mut(), tag, None),
            _ => Err(wrong_arguments()),
        }
    }

    fn enter(&self) -> Result<()> {
        let state = &mut *self.state.borrow_mut();
        state.calls.push(state.contexts.len());
        state.contexts.push(Context::default());
        Ok(())
    }

    fn leave(&self, returned: Option<script::Value>) -> Result<script::Value> {
        let state = &mut *self.state.borrow_mut();
        if let Some(outer) = state.calls.pop() {
            // A function can return out of a text.
            state.contexts.truncate(outer + 1);
        }
        self.end(state, returned)
    }

    fn abandon(&self) {
        let state = &mut *self.state.borrow_mut();
        if let Some(outer) = state.calls.pop() {
            state.contexts.truncate(outer);
        }
    }
}

impl Root {
    fn into_script(self) -> script::Value {
        match self {
            Root::Nothing => script::Value::host(Fragment::new(Value::Null)),
            Root::Value(value, depth) => script::Value::host(Fragment::with_depth(value, depth)),
            Root::Text(text) => script::Value::Str(text),
        }
    }
}

impl Context {
    /// A node as it is when opened: with what was said of it beforehand.
    fn open(&mut self, tag: Tag, shape: &Shape) -> Open {
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
    fn announce(&mut self, child: &Open, implicit_overrides: bool) -> Result<()> {
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
    fn level(&self) -> usize {
        self.open.len().div_ceil(2)
    }

    /// Sets the value of the node now open.
    fn set(&mut self, value: Value, depth: usize) -> Result<()> {
        let depth = self.level() + depth;
        if depth > MAX_DEPTH {
            return Err(convert::too_deep());
        }
        self.depth = self.depth.max(depth);
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

    fn replace(&mut self, value: Value, implicit_overrides: bool) -> Result<()> {
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
    fn close(&mut self) {
        let Some((_, node)) = self.open.pop() else {
            return;
        };
        let Some((_, parent)) = self.open.last_mut() else {
            self.result = match node {
                Open::Documents(documents) => {
                    Root::Value(Value::Documents(Rc::new(documents)), self.depth)
                }
                Open::Text(text) => Root::Text(text.into()),
                Open::Piece(text) => Root::Text(text.into()),
                node => match node.into_value() {
                    Some(value) => Root::Value(value, self.depth),
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

    fn finish(&mut self) {
        while !self.open.is_empty() {
            self.close();
        }
    }
}

impl Open {
    fn kind(&self) -> &'static str {
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
    fn refusal(&self, other: &str) -> String {
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
struct Keys(Option<KeyIndex>);

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

fn tag_of(value: &script::Value) -> Result<Tag> {
    match value {
        script::Value::Int(tag) => Tag::try_from(*tag).map_err(|_| wrong_arguments()),
        _ => Err(Error::new("expected starlark.Int")),
    }
}

fn no_context() -> Error {
    Error::new("expected to be called while nodes are built")
}

fn no_node(tag: Tag) -> Error {
    Error::new(format!("expected to find node tag {tag}"))
}

fn no_common_parent(tag: Tag) -> Error {
    Error::new(format!(
        "expected to find the node around node tag {tag} among those that are being built"
    ))
}

fn wrong_arguments() -> Error {
    Error::new("unexpected arguments")
}

#[cfg(test)]
mod tests {
    use super::super::compile::compile;
    use super::*;
    use crate::position::Source;
    use crate::script::Limits;
    use crate::yaml::{self, ParseOptions};

    /// Runs operations `(operation, tag, value)` on the nodes of a text; tags count documents, maps and items.
    fn build(text: &str, steps: &[(Operation, i64, Option<&str>)]) -> Result<String> {
        let documents = yaml::parse(&Source::file("a.yml", text), ParseOptions::default()).unwrap();
        let template = Rc::new(compile("a.yml", &documents, true).unwrap());
        let builder = NodeBuilder::new(template, false);
        let mut interp = Interp::new(Limits::default());
        builder.build(&mut interp, Operation::Start as u16, Args::default())?;
        for (operation, tag, value) in steps {
            let mut args = vec![script::Value::Int(*tag)];
            args.extend(value.map(script::Value::from));
            builder.build(&mut interp, *operation as u16, Args::positional(args))?;
        }
        builder.build(
            &mut interp,
            Operation::End as u16,
            Args::positional(vec![script::Value::None]),
        )?;
        match builder.take_result() {
            Root::Value(Value::Documents(documents), _) => {
                Ok(String::from_utf8(yaml::print(&documents)).unwrap())
            }
            Root::Value(value, _) => Ok(String::from_utf8(yaml::print_value(&value)).unwrap()),
            Root::Text(text) => Ok(text.to_text().into_owned()),
            Root::Nothing => Ok("nothing".to_owned()),
        }
    }

    #[test]
    fn nodes_find_their_places() {
        use Operation::{SetKey, SetNode, StartNode};
        // 1 documents, 2 document, 3 map, 4 a, 5 map in a, 6 b, 7 c
        let text = "a:\n  b: 1\nc: 2\n";
        let start = |tag| (StartNode, tag, None);
        let set = |tag| (SetNode, tag, None);
        let whole = [
            start(1),
            start(2),
            start(3),
            start(4),
            start(5),
            start(6),
            set(6),
            start(7),
            set(7),
        ];
        assert_eq!(build(text, &whole).unwrap(), text);
        // An item twice, with another key the second time; a function that begins with an item gives a map.
        let looped = [
            (SetKey, 6, Some("x")),
            start(6),
            set(6),
            start(6),
            (SetNode, 6, Some("y")),
        ];
        assert_eq!(build(text, &looped).unwrap(), "x: 1\nb: \"y\"\n");
        let twice = [start(7), set(7), start(7), set(7)];
        assert!(
            build(text, &twice)
                .unwrap_err()
                .message()
                .starts_with("expected key 'c' to not be specified again")
        );
        // Where nothing around the new node is open.
        assert!(build(text, &[start(5), start(7)]).is_err());
        assert!(
            build(text, &[start(1), start(2), start(7)])
                .unwrap_err()
                .message()
                .ends_with("this is a map item")
        );
        assert!(build(text, &[(SetNode, 4, None)]).is_err());
        assert!(build(text, &[start(99)]).is_err());
        assert_eq!(build(text, &[]).unwrap(), "nothing");
    }
}
