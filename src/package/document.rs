//! Typed resources to and from YAML; their fields stand in alphabetical order, as Carvel's tools write them.

use crate::diagnostic::Report;
use crate::position::{Position, Source};
use crate::yaml::decode::decode;
use crate::yaml::encode::encode;
use crate::yaml::{self, Document, ParseOptions, Value};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

/// The one document of a file; `what` says what it should be, after a comma, or nothing.
///
/// # Errors
/// The text is not YAML, or holds no document or several.
pub(super) fn one(path: &str, text: &[u8], what: &str) -> Result<Document, Report> {
    let source = Source::file(path, text);
    let documents = yaml::parse(&source, ParseOptions::default())
        .map_err(|error| Report::new(format!("Parsing '{path}': {}", error.message)))?;
    let mut documents = documents
        .items
        .into_iter()
        .filter(|document| !document.is_empty());
    match (documents.next(), documents.next()) {
        (Some(document), None) => Ok(document),
        _ => Err(Report::new(format!(
            "Expected one document in '{path}'{what}"
        ))),
    }
}

/// The one document of a text.
///
/// # Errors
/// The text is not YAML, holds several documents, or not what is expected; as Go's YAML library begins it.
pub(super) fn parse<T: DeserializeOwned + Default>(text: &[u8]) -> Result<T, String> {
    let source = Source::file("", text);
    let options = ParseOptions {
        strict: false,
        without_comments: true,
    };
    let documents = yaml::parse(&source, options)
        .map_err(|error| format!("error converting YAML to JSON: {}", error.message))?;
    let mut values = documents
        .items
        .iter()
        .filter(|document| !document.injected && !document.is_empty());
    let value = values.next().map(|document| &document.value);
    if values.next().is_some() {
        return Err("expected one document, but found several".into());
    }
    let empty = Value::map([]);
    let decoded = decode::<T>(value.unwrap_or(&empty), &Position::in_source(&source));
    let Some(fault) = decoded.faults.first() else {
        return Ok(decoded.value);
    };
    let field = fault.message.strip_prefix("unknown field `");
    let reason = match field.and_then(|rest| rest.split('`').next()) {
        Some(field) => format!("unknown field {field:?}"),
        None if fault.path.is_empty() => fault.message.clone(),
        None => format!("{}: {}", fault.path, fault.message),
    };
    Err(format!(
        "error unmarshaling JSON: while decoding JSON: json: {reason}"
    ))
}

/// The resource as a document that begins with `---`.
pub(super) fn print(resource: &impl Serialize) -> Vec<u8> {
    // The types here are plain, so that each has a form.
    let value = encode(resource).unwrap_or_default();
    let mut out = b"---\n".to_vec();
    out.extend(yaml::print_value(&value));
    out
}

/// A field that is there but has no value is as good as one that is missing.
pub(super) fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
