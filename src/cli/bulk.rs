//! Files in and out as JSON: the protocol of ytt's playground.

use crate::diagnostic::Report;
use crate::files::{File, OutputFile};
use crate::modules::json::syntax_error;
use serde::{Deserialize, Deserializer, Serialize};

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Bulk {
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "or_nothing")]
    files: Vec<BulkFile>,
    #[serde(
        skip_serializing_if = "String::is_empty",
        deserialize_with = "or_nothing"
    )]
    errors: String,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct BulkFile {
    #[serde(deserialize_with = "or_nothing")]
    name: String,
    #[serde(deserialize_with = "or_nothing")]
    data: String,
}

/// Go takes `null` for what is not there.
fn or_nothing<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// The files of `--bulk-in`, in their order.
///
/// # Errors
/// The text is not of that form.
pub fn read(text: &str) -> Result<Vec<File>, Report> {
    // An object first: an array would do for a struct.
    let bulk: Bulk = serde_json::from_str(text)
        .and_then(|object: serde_json::Map<_, _>| serde_json::from_value(object.into()))
        .map_err(|error| {
            let syntax = syntax_error(text.as_bytes());
            Report::new(syntax.unwrap_or_else(|| format!("json: {error}")))
        })?;
    let file = |file: BulkFile| File::new(file.name.clone(), file.name, file.data);
    Ok(bulk.files.into_iter().map(file).collect())
}

/// What `--bulk-out` prints.
pub fn write(files: &[OutputFile], errors: &str) -> Vec<u8> {
    let file = |file: &OutputFile| BulkFile {
        name: file.path.clone(),
        data: String::from_utf8_lossy(&file.bytes()).into_owned(),
    };
    let bulk = Bulk {
        files: files.iter().map(file).collect(),
        errors: errors.to_string(),
    };
    let text = serde_json::to_string(&bulk).unwrap_or_default();
    // Go escapes what HTML would take for markup, and what JavaScript once took for line ends.
    let escapes = [
        ('<', "\\u003c"),
        ('>', "\\u003e"),
        ('&', "\\u0026"),
        ('\u{2028}', "\\u2028"),
        ('\u{2029}', "\\u2029"),
    ];
    escapes
        .iter()
        .fold(text, |text, (character, escape)| {
            text.replace(*character, escape)
        })
        .into_bytes()
}
