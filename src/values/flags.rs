//! Data values from flags and the environment; a door has read all files and variables already.

use super::envelope::Envelope;
use crate::diagnostic::{Diagnostic, Report};
use crate::overlay;
use crate::position::{Position, Source};
use crate::script;
use crate::template::{NOT_PLAIN, NodeRef, has_templating};
use crate::yaml::{
    self, Annotation, Document, DocumentSet, Map, MapItem, Meta, ParseOptions, Value,
};
use std::rc::Rc;

/// What messages call standard input.
pub const STANDARD_INPUT: &str = "stdin.yml";

/// What a value's text is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string as it is.
    Text,
    /// YAML.
    Yaml,
}

/// All flags that give data values, each list in the order of the command line.
///
/// Keys and prefixes may have the address of a library before them: `@lib:`.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// `--data-values-file`; of a folder, each of its files.
    pub files: Vec<ValuesFile>,
    /// `--data-values-env`, `--data-values-env-yaml`
    pub env_prefixes: Vec<EnvPrefix>,
    /// The environment, sorted or not: names and values.
    pub environment: Vec<(String, String)>,
    /// `--data-value`, `--data-value-yaml`
    pub key_values: Vec<KeyValue>,
    /// `--data-value-file`
    pub file_values: Vec<FileValue>,
}

impl Flags {
    /// Adds prefixes of environment variables and `key=value`s whose values are read alike.
    pub fn add(&mut self, kind: Kind, env_prefixes: &[String], key_values: &[String]) {
        self.env_prefixes
            .extend(env_prefixes.iter().map(|prefix| EnvPrefix {
                kind,
                prefix: prefix.clone(),
            }));
        self.key_values
            .extend(key_values.iter().map(|argument| KeyValue {
                kind,
                argument: argument.clone(),
            }));
    }
}

/// A plain YAML file of data values.
#[derive(Clone, Debug)]
pub struct ValuesFile {
    /// The address of a library (`@lib`), or nothing; see [`split_library`].
    pub library: String,
    /// The path as the flag names it, without the address.
    pub argument: String,
    /// The file's path for messages: relative to the folder that was named, or its name.
    pub path: String,
    /// The content.
    pub bytes: Vec<u8>,
}

impl ValuesFile {
    /// What `--data-values-file -` names.
    pub fn standard_input(text: &str) -> ValuesFile {
        ValuesFile {
            library: String::new(),
            argument: "-".into(),
            path: STANDARD_INPUT.into(),
            bytes: text.into(),
        }
    }
}

/// A prefix of environment variables.
#[derive(Clone, Debug)]
pub struct EnvPrefix {
    /// How values are read.
    pub kind: Kind,
    /// `PREFIX` or `@lib:PREFIX`
    pub prefix: String,
}

/// `key=value`
#[derive(Clone, Debug)]
pub struct KeyValue {
    /// How the value is read.
    pub kind: Kind,
    /// The argument as it was given.
    pub argument: String,
}

/// A file whose content is one value.
#[derive(Clone, Debug)]
pub struct FileValue {
    /// The key as it was given; see [`split_file_value`].
    pub key: String,
    /// The path as it was given.
    pub path: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// What flags give: overlays for the values of what is rendered, and those addressed to libraries.
#[derive(Clone, Debug, Default)]
pub struct FlagDocuments {
    /// In order of precedence, the strongest last.
    pub root: Vec<Rc<Envelope>>,
    /// The same, for libraries.
    pub libraries: Vec<Rc<Envelope>>,
}

impl Flags {
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.env_prefixes.is_empty()
            && self.key_values.is_empty()
            && self.file_values.is_empty()
    }
}

/// The documents of all flags: files, then the environment, then single values, then files as values.
///
/// # Errors
/// `Extracting data value ...: ` and what is wrong with the first flag that is.
pub fn documents(flags: &Flags, strict: bool) -> Result<FlagDocuments, Report> {
    let mut all = Vec::new();
    for file in &flags.files {
        let found = file
            .documents(strict)
            .map_err(|report| report.context("Extracting data value from file"))?;
        all.extend(found);
    }
    for kind in [Kind::Text, Kind::Yaml] {
        for prefix in flags
            .env_prefixes
            .iter()
            .filter(|prefix| prefix.kind == kind)
        {
            let found = prefix
                .documents(&flags.environment, strict)
                .map_err(|report| {
                    let prefix = &prefix.prefix;
                    report.context(format!(
                        "Extracting data values from env under prefix '{prefix}'"
                    ))
                })?;
            all.extend(found);
        }
    }
    for kind in [Kind::Text, Kind::Yaml] {
        for value in flags.key_values.iter().filter(|value| value.kind == kind) {
            let found = value
                .document(strict)
                .map_err(|report| report.context("Extracting data value from KV"))?;
            all.push(found);
        }
    }
    for value in &flags.file_values {
        let found = value
            .document()
            .map_err(|report| report.context("Extracting data value from file"))?;
        all.push(found);
    }
    let (libraries, root) = all
        .into_iter()
        .map(Rc::new)
        .partition(|envelope| envelope.is_addressed());
    Ok(FlagDocuments { root, libraries })
}

impl ValuesFile {
    fn documents(&self, strict: bool) -> Result<Vec<Envelope>, Report> {
        let source = Source::file(self.path.as_str(), self.bytes.as_slice());
        let options = ParseOptions {
            strict,
            ..ParseOptions::default()
        };
        let mut documents = yaml::parse(&source, options).map_err(|error| {
            let path = &self.path;
            let text = format!("Unmarshaling YAML data values file '{path}': {error}");
            let mut diagnostic = Diagnostic::error(text.as_str());
            if let Some(line) = error.line {
                diagnostic.origin = Position::new(&source, line);
            }
            Report::with_diagnostics(text, vec![diagnostic])
        })?;
        hide_implied_start(&mut documents, &source);
        // Of a document of nothing not even its annotations count.
        documents.items.retain(|document| !document.value.is_null());
        if has_templating(NodeRef::Documents(&documents)) {
            return Err(Report::new(format!(
                "Checking data values file '{}': {NOT_PLAIN}",
                self.argument
            )));
        }
        let mut envelopes = Vec::new();
        for mut document in documents.items {
            overlay::annotate_plain_merge(&mut document);
            envelopes.push(Envelope::addressed(document, &self.library)?);
        }
        Ok(envelopes)
    }
}

/// A first document that has no `---` stands on line 1, but that line is not its own: messages show none.
fn hide_implied_start(documents: &mut DocumentSet, source: &Rc<Source>) {
    let text = source.text.trim_ascii_start();
    let has_marker = text
        .strip_prefix(b"---")
        .is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_whitespace));
    let Some(document) = documents.items.first_mut().filter(|_| !has_marker) else {
        return;
    };
    let position = Position::new(&Source::file(source.name.as_str(), ""), 1);
    document.meta.position = position.clone();
    set_position(&mut document.value, position);
}

fn set_position(value: &mut Value, position: Position) {
    match value {
        Value::Map(map) => Rc::make_mut(map).meta.position = position,
        Value::Array(array) => Rc::make_mut(array).meta.position = position,
        _ => {}
    }
}

impl EnvPrefix {
    fn documents(
        &self,
        environment: &[(String, String)],
        strict: bool,
    ) -> Result<Vec<Envelope>, Report> {
        let (library, prefix) = split_key(&self.prefix)?;
        let flag = match self.kind {
            Kind::Text => "data-values-env",
            Kind::Yaml => "data-values-env-yaml",
        };
        let mut envelopes = Vec::new();
        for (name, text) in environment {
            let key = name.strip_prefix(prefix);
            let Some(key) = key.and_then(|rest| rest.strip_prefix('_')) else {
                continue;
            };
            let value = read(self.kind, text, strict).map_err(|report| {
                report.context(format!("Extracting data value from env variable '{name}'"))
            })?;
            let source = Source::memory(format!("({flag} arg) {prefix}"), format!("{name}={text}"));
            let document = overlay_document(&split(key, "__"), value, &source);
            envelopes.push(Envelope::addressed(document, library)?);
        }
        Ok(envelopes)
    }
}

impl KeyValue {
    fn document(&self, strict: bool) -> Result<Envelope, Report> {
        let Some((key, text)) = self.argument.split_once('=') else {
            return Err(Report::new("Expected format key=value"));
        };
        let value = read(self.kind, text, strict)
            .map_err(|report| report.context(format!("Deserializing value for key '{key}'")))?;
        let (library, key) = split_key(key)?;
        let name = match self.kind {
            Kind::Text => "(data-value arg)",
            Kind::Yaml => "(data-value-yaml arg)",
        };
        let source = Source::memory(name, self.argument.as_str());
        Envelope::addressed(overlay_document(&split(key, "."), value, &source), library)
    }
}

impl FileValue {
    fn document(&self) -> Result<Envelope, Report> {
        let (library, key) = split_key(&self.key)?;
        let name = format!("(data-value-file arg) {key}={}", self.path);
        let source = Source::memory(name, self.bytes.as_slice());
        let value = Value::str(self.bytes.as_slice());
        Envelope::addressed(overlay_document(&split(key, "."), value, &source), library)
    }
}

/// Splits the argument of `--data-value-file` into its key and its path.
///
/// # Errors
/// It has no `=`.
pub fn split_file_value(argument: &str) -> Result<(&str, &str), Report> {
    argument
        .split_once('=')
        .ok_or_else(|| Report::new("Expected format key=/file/path"))
}

/// Splits an argument of `--data-values-file` into the address of a library, which may be empty, and the rest.
///
/// # Errors
/// The address is `@` alone.
pub fn split_library(argument: &str) -> Result<(&str, &str), Report> {
    match argument.split_once(':') {
        Some(("@", _)) => Err(Report::new("Expected library ref to not be empty")),
        Some((library, rest)) if library.starts_with('@') => Ok((library, rest)),
        _ => Ok(("", argument)),
    }
}

fn split_key(argument: &str) -> Result<(&str, &str), Report> {
    let (library, key) = split_library(argument)?;
    if key.contains(':') {
        return Err(Report::new(format!(
            "Expected at most one library-key separator ':' in '{key}'"
        )));
    }
    Ok((library, key))
}

fn read(kind: Kind, text: &str, strict: bool) -> Result<Value, Report> {
    if kind == Kind::Text {
        return Ok(Value::str(text));
    }
    let source = Source::file("", text);
    let options = ParseOptions {
        strict,
        without_comments: true,
    };
    let mut documents = yaml::parse(&source, options)
        .map_err(|error| Report::new(format!("Deserializing YAML value: {error}")))?;
    documents.override_map_keys();
    hide_implied_start(&mut documents, &source);
    let first = documents.items.into_iter().next();
    Ok(first.map(|document| document.value).unwrap_or_default())
}

fn split<'a>(key: &'a str, separator: &str) -> Vec<&'a str> {
    key.split(separator).collect()
}

/// An overlay that sets one value, which replaces what stands there.
fn overlay_document(keys: &[&str], value: Value, source: &Rc<Source>) -> Document {
    let position = Position::new(source, 1);
    let annotation = |name: &str, argument: &str| Annotation {
        name: name.into(),
        args: Vec::new(),
        named: vec![(argument.into(), script::Value::Bool(true))],
        position: position.clone(),
    };
    let mut value = value;
    for (index, key) in keys.iter().rev().enumerate() {
        let mut meta = Meta::at(position.clone());
        meta.set_annotation(annotation("overlay/match", "missing_ok"));
        if index == 0 {
            meta.set_annotation(annotation("overlay/replace", "or_add"));
        }
        let item = MapItem {
            key: Value::str(*key),
            value,
            meta,
        };
        value = Value::Map(Rc::new(Map {
            items: vec![item],
            meta: Meta::at(position.clone()),
        }));
    }
    Document {
        value,
        meta: Meta::at(position),
        ..Document::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(flags: &Flags) -> String {
        match documents(flags, false) {
            Ok(documents) => documents
                .root
                .iter()
                .chain(&documents.libraries)
                .map(|envelope| envelope.document.meta.position.to_string())
                .collect::<Vec<_>>()
                .join(" "),
            Err(report) => report.text().to_owned(),
        }
    }

    #[test]
    fn order_and_errors() {
        let value = |argument: &str| KeyValue {
            kind: Kind::Text,
            argument: argument.to_owned(),
        };
        let of = |arguments: &[&str]| Flags {
            key_values: arguments.iter().map(|argument| value(argument)).collect(),
            ..Flags::default()
        };
        let table = [
            (vec!["a.b=1"], "(data-value arg):1"),
            (
                vec!["a"],
                "Extracting data value from KV: Expected format key=value",
            ),
            (
                vec!["@:a=1"],
                "Extracting data value from KV: Expected library ref to not be empty",
            ),
            (
                vec!["@l:a:b=1"],
                "Extracting data value from KV: Expected at most one library-key separator ':' in 'a:b'",
            ),
            (
                vec!["@l~:a=1"],
                "Extracting data value from KV: Expected library alias to not be empty",
            ),
        ];
        for (arguments, want) in table {
            assert_eq!(messages(&of(&arguments)), want, "{arguments:?}");
        }
        let mut flags = of(&["@l:a=1", "b=1"]);
        flags.env_prefixes.push(EnvPrefix {
            kind: Kind::Text,
            prefix: "P".to_owned(),
        });
        flags.environment = vec![
            ("P_a__b".to_owned(), "1".to_owned()),
            ("Px".to_owned(), "2".to_owned()),
        ];
        assert_eq!(
            messages(&flags),
            "(data-values-env arg) P:1 (data-value arg):1 (data-value arg):1"
        );
    }
}
