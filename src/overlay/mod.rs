//! Overlays: changes to nodes, written as nodes with `@overlay/` annotations.
//!
//! The right side says what to find on the left and what to do with it. Without annotations a map item goes with the
//! item of the same key, which must be there, and an array item is appended.

mod annotation;
mod apply;
mod compare;
mod documents;
mod expects;
mod items;
mod left;
mod matcher;
mod tables;

pub use compare::{leaves_equal, subset};
pub use matcher::{AND_MATCHER, SUBSET_MATCHER, map_key_matcher};

use crate::bytestring::Str;
use crate::diagnostic::{Diagnostic, Report};
use crate::position::Position;
use crate::script::{self, Interp, Result};
use crate::template::convert::place_nodes;
use crate::yaml::node::{Annotation, Document, DocumentSet, Meta, Value};
use annotation::NAMESPACE;
use std::rc::Rc;

/// What holds for a whole application.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults {
    /// The one document on the right goes with the one on the left, whatever they hold: data values are merged so.
    pub exact: bool,
}

/// Applies the right side to the left one: both are documents, or both are maps, or both are arrays.
///
/// Overlay annotations do not stay on the result.
///
/// # Errors
/// Something is not found as often as expected, the sides are of other kinds, an annotation is wrong, or a function
/// that one names fails. The text tells the way to the place on the right.
pub fn apply(
    interp: &mut Interp,
    mut left: Value,
    right: &Value,
    defaults: Defaults,
) -> Result<Value> {
    place_nodes(&mut left, &Position::unknown());
    let mut right = right.clone();
    place_nodes(&mut right, &Position::unknown());
    let mut overlay = apply::Overlay {
        interp,
        exact: defaults.exact,
    };
    match (&mut left, &right) {
        (Value::Documents(documents), Value::Documents(right)) => {
            let mut sets = [std::mem::take(Rc::make_mut(documents))];
            let result = overlay.documents(&mut sets, right);
            let [set] = sets;
            left = Value::Documents(Rc::new(set));
            result?;
        }
        _ => {
            overlay.value(&mut left, &right, &expects::Expects::default())?;
        }
    }
    Ok(without_annotations(&left).unwrap_or(left))
}

/// Applies overlays, in order, to the documents of several files; each document stays with its file.
///
/// # Errors
/// As [`apply`].
pub fn apply_documents(
    interp: &mut Interp,
    mut left: Vec<DocumentSet>,
    overlays: Vec<Document>,
) -> Result<Vec<DocumentSet>> {
    if overlays.is_empty() {
        return Ok(left);
    }
    let mut right = DocumentSet {
        items: overlays,
        meta: Meta::default(),
    };
    let documents = left.iter_mut().flat_map(|set| &mut set.items);
    for document in documents.chain(&mut right.items) {
        place_nodes(&mut document.value, &Position::unknown());
    }
    apply::Overlay {
        interp,
        exact: false,
    }
    .documents(&mut left, &right)?;
    for set in &mut left {
        for document in &mut set.items {
            clear(&mut document.meta);
            if let Some(value) = without_annotations(&document.value) {
                document.value = value;
            }
        }
    }
    Ok(left)
}

/// The report of an overlay that cannot be applied.
pub fn report(error: &script::Error) -> Report {
    let mut diagnostic = Diagnostic::error(error.message());
    diagnostic.hints.extend(error.hint().map(str::to_owned));
    Report::with_diagnostics(error.message(), vec![diagnostic])
}

/// Annotates plain values so that they replace what they meet and are added where there is nothing: the meaning of
/// data values files and flags.
pub fn annotate_plain_merge(document: &mut Document) {
    annotate(&mut document.value, &mut document.meta);
}

fn annotate(value: &mut Value, meta: &mut Meta) {
    let flag = |name: &str, keyword: &str| Annotation {
        name: name.into(),
        args: Vec::new(),
        named: vec![(Str::from(keyword), script::Value::Bool(true))],
        position: Position::unknown(),
    };
    let mut annotations = vec![flag(annotation::MATCH, "missing_ok")];
    if let Value::Map(map) = value {
        for item in &mut Rc::make_mut(map).items {
            annotate(&mut item.value, &mut item.meta);
        }
    } else {
        annotations.push(flag(annotation::REPLACE, "or_add"));
    }
    meta.set_annotations(annotations);
}

fn clear(meta: &mut Meta) {
    if meta
        .annotations()
        .iter()
        .any(|annotation| annotation.name.starts_with(NAMESPACE))
    {
        let kept = meta
            .annotations()
            .iter()
            .filter(|annotation| !annotation.name.starts_with(NAMESPACE));
        meta.set_annotations(kept.cloned().collect());
    }
}

fn is_annotated(meta: &Meta) -> bool {
    meta.annotations()
        .iter()
        .any(|annotation| annotation.name.starts_with(NAMESPACE))
}

/// The same value without overlay annotations; nothing if it has none, so that what is shared stays shared.
fn without_annotations(value: &Value) -> Option<Value> {
    /// Calls `set` with the index and the new meta and value of each item that changes.
    fn changes<'a>(
        items: impl Iterator<Item = (&'a Meta, &'a Value)>,
        mut set: impl FnMut(usize, bool, Option<Value>),
    ) {
        for (index, (meta, value)) in items.enumerate() {
            let annotated = is_annotated(meta);
            let changed = without_annotations(value);
            if annotated || changed.is_some() {
                set(index, annotated, changed);
            }
        }
    }
    macro_rules! rebuilt {
        ($shared:expr, $kind:path) => {{
            let mut copy = None;
            changes(
                $shared.items.iter().map(|item| (&item.meta, &item.value)),
                |index, annotated, value| {
                    let copy = copy.get_or_insert_with(|| $shared.clone());
                    if let Some(item) = Rc::make_mut(copy).items.get_mut(index) {
                        if annotated {
                            clear(&mut item.meta);
                        }
                        if let Some(value) = value {
                            item.value = value;
                        }
                    }
                },
            );
            copy.map($kind)
        }};
    }
    match value {
        Value::Map(map) => rebuilt!(map, Value::Map),
        Value::Array(array) => rebuilt!(array, Value::Array),
        Value::Documents(documents) => rebuilt!(documents, Value::Documents),
        _ => None,
    }
}
