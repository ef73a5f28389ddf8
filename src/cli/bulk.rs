//! Files in and out as JSON: the protocol of ytt's playground.

use crate::diagnostic::Report;
use crate::files::{File, OutputFile};
use serde::{Deserialize, Serialize};

#[derive(Default, Deserialize, Serialize)]
struct Bulk {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<BulkFile>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    errors: String,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct BulkFile {
    name: String,
    data: String,
}

/// The files of `--bulk-in`, sorted by name.
///
/// # Errors
/// The text is not of that form.
pub fn read(text: &str) -> Result<Vec<File>, Report> {
    let bulk: Bulk = serde_json::from_str(text).map_err(|error| Report::new(error.to_string()))?;
    let mut files = bulk.files;
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files
        .into_iter()
        .map(|file| File::new(file.name.clone(), file.name, file.data))
        .collect())
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
    // Go escapes what HTML would take for markup.
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .into_bytes()
}
