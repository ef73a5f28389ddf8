//! What a render is asked for: the command line's flags.

use crate::values::Flags;
use crate::values::flags::{FileValue, Kind, ValuesFile, split_library};
use serde::Deserialize;
use std::collections::BTreeMap;

/// `RenderOptions` of the types above.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", expecting = "a map")]
pub(super) struct RenderOptions {
    pub values: Option<String>,
    pub data_values_files: Vec<NamedText>,
    pub data_values: Vec<String>,
    pub data_values_yaml: Vec<String>,
    pub data_value_files: Vec<KeyedText>,
    pub data_values_env: Vec<String>,
    pub data_values_env_yaml: Vec<String>,
    pub environment: BTreeMap<String, String>,
    pub file_marks: Vec<String>,
    pub strict: bool,
    pub ignore_unknown_comments: bool,
    pub implicit_map_key_overrides: bool,
    pub skip_validation: bool,
    pub inspect: Option<Inspected>,
    pub output: Format,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "a map")]
pub(super) struct NamedText {
    name: String,
    data: String,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "a map")]
pub(super) struct KeyedText {
    key: String,
    path: String,
    data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Inspected {
    Values,
    Files,
    #[serde(rename = "openapi-v3")]
    OpenApi,
    JsonSchema,
    Markdown,
    Skeleton,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    #[default]
    Yaml,
    Json,
    Pos,
}

impl RenderOptions {
    /// Those of a render with these data values.
    pub fn of_values(values: &str) -> RenderOptions {
        RenderOptions {
            values: Some(values.to_owned()),
            ..RenderOptions::default()
        }
    }

    /// The data values.
    pub fn flags(&self) -> Flags {
        let standard_input = self.values.as_deref().map(ValuesFile::standard_input);
        let files = self.data_values_files.iter().map(|file| {
            let (library, path) = split_library(&file.name).unwrap_or(("", &file.name));
            ValuesFile {
                library: library.to_owned(),
                argument: path.to_owned(),
                path: path.to_owned(),
                bytes: file.data.clone().into(),
            }
        });
        let file_values = self.data_value_files.iter().map(|file| FileValue {
            key: file.key.clone(),
            path: file.path.clone(),
            bytes: file.data.clone().into(),
        });
        let mut flags = Flags {
            files: files.chain(standard_input).collect(),
            environment: self.environment.clone().into_iter().collect(),
            file_values: file_values.collect(),
            ..Flags::default()
        };
        flags.add(Kind::Text, &self.data_values_env, &self.data_values);
        flags.add(
            Kind::Yaml,
            &self.data_values_env_yaml,
            &self.data_values_yaml,
        );
        flags
    }
}
