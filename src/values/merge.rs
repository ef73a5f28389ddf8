//! Schema and data values documents, each kind merged into one.

use super::envelope::{Envelope, SchemaEnvelope};
use crate::diagnostic::Report;
use crate::overlay;
use crate::schema::Schema;
use crate::script::Interp;
use crate::yaml::{Document, DocumentSet, Map, Meta, Value};
use std::rc::Rc;

/// What stays in place, and what goes on to libraries.
type Parted<T, E> = (T, Vec<Rc<E>>);

/// Merges schema documents, each over those before it; without any, the schema is the permissive one. Those addressed
/// to libraries are given back.
///
/// # Errors
/// An overlay does not apply, or the result is no schema.
pub fn merge_schema(
    interp: &mut Interp,
    envelopes: Vec<Rc<SchemaEnvelope>>,
) -> Result<Parted<Schema, SchemaEnvelope>, Report> {
    let (addressed, own): (Vec<_>, Vec<_>) = envelopes
        .into_iter()
        .partition(|envelope| envelope.is_addressed());
    let schema = match own.as_slice() {
        [] => Schema::permissive(),
        [only] => only.schema.clone(),
        [first, others @ ..] => {
            let mut merged = first.document.clone();
            for other in others {
                merged = overlay_documents(interp, merged, other.document.clone())?;
            }
            Schema::from_document(interp, &merged)?
        }
    };
    Ok((schema, addressed))
}

/// Merges data values documents, the defaults first, each over those before it; after each, defaults are filled in and
/// types checked. Those addressed to libraries are given back.
///
/// # Errors
/// An overlay does not apply, or the values do not fit the schema.
pub fn merge(
    interp: &mut Interp,
    schema: &Schema,
    envelopes: Vec<Rc<Envelope>>,
) -> Result<Parted<Document, Envelope>, Report> {
    let (addressed, own): (Vec<_>, Vec<_>) = envelopes
        .into_iter()
        .partition(|envelope| envelope.is_addressed());
    let mut merged: Option<Document> = None;
    for envelope in own {
        let document = envelope.document.clone();
        let mut document = match merged {
            None => document,
            Some(left) => overlay_documents(interp, left, document)?,
        };
        schema.apply(&mut document)?;
        merged = Some(document);
    }
    let nothing = || Document {
        value: Value::Map(Rc::new(Map::default())),
        ..Document::default()
    };
    Ok((merged.unwrap_or_else(nothing), addressed))
}

fn overlay_documents(
    interp: &mut Interp,
    left: Document,
    right: Document,
) -> Result<Document, Report> {
    let set = |document: Document| {
        Value::Documents(Rc::new(DocumentSet {
            items: vec![document],
            meta: Meta::default(),
        }))
    };
    let defaults = overlay::Defaults { exact: true };
    let merged = overlay::apply(interp, set(left), &set(right), defaults)
        .map_err(|error| overlay::report(&error))?;
    let first = match merged {
        Value::Documents(documents) => documents.items.first().cloned(),
        _ => None,
    };
    Ok(first.unwrap_or_default())
}
