//! Typed resources to and from YAML; their fields stand in alphabetical order, as Carvel's tools write them.

use crate::diagnostic::Report;
use crate::modules::json;
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

/// JSON that is nested deeper than this is none of ours.
const MOST_DEPTH: usize = 100;

/// A JSON text as a typed value. What reads templates' JSON reads this too, since another reader would weigh as much as all
/// else that reads bundles in a browser.
///
/// # Errors
/// It is no JSON, in Go's words; or not what is expected.
pub(super) fn from_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    let value = json::value(text, MOST_DEPTH).ok_or_else(|| {
        let reason = json::syntax_error(text);
        reason.unwrap_or_else(|| format!("it is nested more than {MOST_DEPTH} levels deep"))
    })?;
    let decoded = decode::<Option<T>>(&value, &Position::unknown());
    match (decoded.faults.first(), decoded.value) {
        (None, Some(value)) => Ok(value),
        (Some(fault), _) if !fault.path.is_empty() => {
            Err(format!("{}: {}", fault.path, fault.message))
        }
        (Some(fault), _) => Err(fault.message.clone()),
        (None, None) => Err("expected a value, found null".into()),
    }
}

/// The largest integer that a number of JSON holds exactly.
const MOST: f64 = 9_007_199_254_740_991.0;

/// A whole number, which JSON has as any other one.
pub(super) fn whole<'de, D: Deserializer<'de>, T: TryFrom<u64>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let number = f64::deserialize(deserializer)?;
    let is_whole = number.fract() == 0.0 && (0.0..=MOST).contains(&number);
    let whole = is_whole.then_some(number as u64);
    let whole = whole.and_then(|number| T::try_from(number).ok());
    whole.ok_or_else(|| serde::de::Error::custom("expected a whole number"))
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
