//! Finding on the left what an item on the right is about.

use super::annotation::{MATCH, keywords, unknown_keyword};
use super::compare::leaves_equal;
use super::expects::Expects;
use super::left::Left;
use crate::modules::{bool_argument, function, go_type};
use crate::position::Position;
use crate::script::{self, Args, Error, Interp, Result};
use crate::template::convert::{go_type_name, to_fragment, to_yaml};
use crate::yaml::node::{ArrayItem, Document, DocumentSet, MapItem, Meta, Value};

/// What `@overlay/match` says.
struct Matcher {
    by: Option<script::Value>,
    expects: Expects,
}

impl Matcher {
    fn of(meta: &Meta, defaults: &Expects) -> Result<Matcher> {
        let mut matcher = Matcher {
            by: None,
            expects: Expects::default(),
        };
        for (keyword, value) in keywords(meta, MATCH) {
            if keyword == "by" {
                matcher.by = Some(value.clone());
            } else if !matcher.expects.set(&keyword, value) {
                return Err(unknown_keyword(MATCH, &keyword));
            }
        }
        matcher.expects = matcher.expects.or(defaults);
        Ok(matcher)
    }

    /// The matcher function: of a string the one that compares the values of that key.
    fn function(&self, allowed: &str) -> Result<Option<script::Value>> {
        match &self.by {
            None => Ok(None),
            Some(script::Value::Str(key)) if allowed.contains("string") => {
                Ok(Some(map_key_matcher(&key.to_text())))
            }
            Some(by) if by.is_callable() => Ok(Some(by.clone())),
            Some(other) => Err(Error::new(format!(
                "Expected '{MATCH}' annotation keyword argument 'by' to be {allowed}, but was {}",
                go_type(other)
            ))),
        }
    }

    /// The places, or nothing if `when=` says that there is nothing to do.
    fn decide<T>(&self, interp: &mut Interp, found: Vec<(T, Position)>) -> Result<Option<Vec<T>>> {
        let (places, positions): (Vec<T>, Vec<Position>) = found.into_iter().unzip();
        Ok(self.expects.check(interp, &positions)?.then_some(places))
    }
}

/// Asks a matcher function about one candidate: its index or key, its value, the value on the right.
fn answers(
    interp: &mut Interp,
    by: &script::Value,
    index: script::Value,
    left: &Value,
    right: &script::Value,
) -> Result<bool> {
    let args = Args::positional(vec![index, to_fragment(left), right.clone()]);
    bool_argument(&interp.call(by, args)?)
}

fn needs_keyword() -> Error {
    Error::new(format!(
        "Expected '{MATCH}' annotation to have at least one keyword argument (by=..., expects=...)"
    ))
}

/// The items of a map that go with an item on the right; by default those of the same key.
pub fn map_items(
    interp: &mut Interp,
    left: &Left,
    right: &MapItem,
    defaults: &Expects,
) -> Result<Option<Vec<usize>>> {
    let matcher = Matcher::of(&right.meta, defaults)?;
    let mut found = Vec::new();
    match matcher.function("either string (for map key) or function")? {
        None => {
            found = left.with_key(&right.key);
        }
        Some(by) => {
            let value = to_fragment(&right.value);
            for (index, item) in left.items() {
                if answers(interp, &by, to_fragment(&item.key), &item.value, &value)? {
                    found.push(index);
                }
            }
        }
    }
    let misses = found.is_empty() && matcher.by.is_none();
    let places = found
        .into_iter()
        .filter_map(|index| Some((index, left.position(index)?)));
    matcher.decide(interp, places.collect()).map_err(|error| {
        let near = misses.then(|| left.near(&right.key)).flatten();
        error.with_hint(near.map(|near| format!("did you mean '{near}'?")))
    })
}

/// The items of an array that go with an item on the right; without an annotation none.
pub fn array_items(
    interp: &mut Interp,
    left: &[ArrayItem],
    right: &ArrayItem,
    defaults: &Expects,
) -> Result<Option<Vec<usize>>> {
    match right.meta.annotation(MATCH) {
        None => return Ok(Some(Vec::new())),
        Some(annotation) if annotation.named.is_empty() => return Err(needs_keyword()),
        Some(_) => {}
    }
    let matcher = Matcher::of(&right.meta, defaults)?;
    let Some(by) = matcher.function("either string (for map key) or function")? else {
        return Err(Error::new(format!(
            "Expected '{MATCH}' annotation keyword argument 'by' to be specified"
        )));
    };
    let value = to_fragment(&right.value);
    let mut found = Vec::new();
    for (index, item) in left.iter().enumerate() {
        if answers(
            interp,
            &by,
            script::Value::Int(index as i64),
            &item.value,
            &value,
        )? {
            found.push((index, item.meta.position.clone()));
        }
    }
    matcher.decide(interp, found)
}

/// The documents that go with one on the right, each as the place of its set and its place there.
pub fn documents(
    interp: &mut Interp,
    left: &[DocumentSet],
    right: &Document,
    defaults: &Expects,
    exact: bool,
) -> Result<Option<Vec<(usize, usize)>>> {
    if !exact
        && right
            .meta
            .annotation(MATCH)
            .is_none_or(|annotation| annotation.named.is_empty())
    {
        return Err(needs_keyword());
    }
    let matcher = Matcher::of(&right.meta, defaults)?;
    if exact {
        let [DocumentSet { items, .. }] = left else {
            return Err(one_document());
        };
        let [document] = items.as_slice() else {
            return Err(one_document());
        };
        return matcher.decide(interp, vec![((0, 0), document.meta.position.clone())]);
    }
    let Some(by) = matcher.function("function")? else {
        return Err(Error::new(format!(
            "Expected '{MATCH}' annotation keyword argument 'by'  to be specified"
        )));
    };
    let value = to_fragment(&right.value);
    let mut found = Vec::new();
    let mut index = 0;
    for (set, documents) in left.iter().enumerate() {
        for (place, document) in documents.items.iter().enumerate() {
            if answers(
                interp,
                &by,
                script::Value::Int(index),
                &document.value,
                &value,
            )? {
                found.push(((set, place), document.meta.position.clone()));
            }
            index += 1;
        }
    }
    matcher.decide(interp, found)
}

fn one_document() -> Error {
    Error::new("Expected to find exactly one left document when merging exactly two documents")
}

/// The function that matches maps whose values of a key are equal: `by="name"`.
pub fn map_key_matcher(key: &str) -> script::Value {
    let key = key.to_owned();
    function("overlay.map_key_matcher", move |_, args| {
        let [_, left, right] = args.positional.as_slice() else {
            return Err(Error::new("expected exactly 3 arguments"));
        };
        let (left, right) = (to_yaml(left)?, to_yaml(right)?);
        Ok(script::Value::Bool(leaves_equal(
            &value_of(&left, &key)?,
            &value_of(&right, &key)?,
        )))
    })
}

fn value_of(value: &Value, key: &str) -> Result<Value> {
    let Value::Map(map) = value else {
        return Err(Error::new(format!(
            "Expected value to be map, but was {}",
            go_type_name(value)
        )));
    };
    let found = map
        .items
        .iter()
        .find(|item| matches!(&item.key, Value::Str(text) if *text == key));
    match found {
        Some(item) => Ok(item.value.clone()),
        None => Err(Error::new(format!(
            "Expected to find map item with key '{key}', but did not"
        ))),
    }
}
