//! The builder behind a running template: opens nodes, fills them, and puts each into the one around it.

mod context;

use super::convert::{self, Noop};
use super::fragment::{Fragment, Size};
use super::program::{Operation, Shape, Tag, Template};
use crate::bytestring::Str;
use crate::script::{self, Args, Builder, Error, Interp, Result};
use crate::yaml::node::{Annotation, Value};
use context::Context;
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
    /// Documents, a map or an array, and how large they are at most.
    Value(Value, Size),
    /// A text.
    Text(Str),
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
    pub fn replace(&self, interp: &mut Interp, args: &Args) -> Result<script::Value> {
        let [value] = args.positional.as_slice() else {
            return Err(Error::new("expected exactly one argument"));
        };
        let (value, size) = convert::to_yaml_with_size(value)?;
        let mut state = self.state.borrow_mut();
        let Some(context) = state.contexts.last_mut() else {
            return Err(Error::new(
                "expected to be called where the value of a document, a map item or an array item is computed",
            ));
        };
        context.grow(interp, size.nodes)?;
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
        context.size.nodes += 1;
        context.size.depth = context.size.depth.max(context.level());
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

    fn set_node(
        &self,
        interp: &mut Interp,
        state: &mut State,
        tag: Tag,
        value: Option<&script::Value>,
    ) -> Result<()> {
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
        let (value, size) = convert::to_yaml_with_size(value)?;
        context.grow(interp, size.nodes)?;
        context.set(value, size.depth)
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
                self.set_node(interp, &mut state, tag_of(tag)?, Some(value))?
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
            Some(Operation::SetNode) => {
                self.set_node(interp, &mut self.state.borrow_mut(), tag, None)
            }
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
            Root::Value(value, size) => script::Value::host(Fragment::measured(value, size)),
            Root::Text(text) => script::Value::Str(text),
        }
    }
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
