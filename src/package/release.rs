//! What is released in one go: packages, and the repository that they are put into.

use crate::diagnostic::Report;
use crate::position::Source;
use crate::yaml::decode::{Fault, decode};
use crate::yaml::{self, ParseOptions};
use serde::Deserialize;

/// What is released.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a map")]
pub struct Release {
    /// Where the packages go.
    pub repository: Place,
    /// The packages.
    pub packages: Vec<Item>,
}

/// The repository that packages are put into.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a map")]
pub struct Place {
    /// Its folder, which need not be there yet.
    pub folder: String,
    /// Where its bundle will be: `HOST/NAME`.
    pub bundle_repo: String,
    /// The tag of its bundle; `latest` if empty.
    pub tag: String,
    /// The name of the PackageRepository; the last part of the bundle's name if empty.
    pub name: String,
    /// The namespace of the PackageRepository.
    pub namespace: String,
}

/// A package that is released.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a map")]
pub struct Item {
    /// A folder with templates, or a package that the program carries.
    pub source: String,
    /// The package's name.
    pub ref_name: String,
    /// The version.
    pub version: String,
    /// Where the bundle will be: `HOST/NAME`.
    pub bundle_repo: String,
    /// The images, as the flag `--image` has them.
    pub images: Vec<String>,
    /// A file that tells what is new; none if empty.
    pub release_notes: String,
    /// A file with the PackageMetadata; one is made if empty.
    pub metadata: String,
    /// Whether images without a digest are let pass.
    pub allow_unlocked: bool,
}

impl Release {
    /// Reads the file that says what is released.
    ///
    /// # Errors
    /// It is not YAML, has keys or values that it should not have, or something is missing; all of that at once.
    pub fn parse(text: &[u8], name: &str) -> Result<Release, Report> {
        let source = Source::file(name, text);
        let documents = yaml::parse(&source, ParseOptions::default())
            .map_err(|error| Report::new(format!("Parsing '{name}': {}", error.message)))?;
        let mut documents = documents
            .items
            .iter()
            .filter(|document| !document.is_empty());
        let (Some(document), None) = (documents.next(), documents.next()) else {
            return Err(Report::new(format!("Expected one document in '{name}'")));
        };
        let decoded = decode::<Release>(&document.value, &document.meta.position);
        let faults = decoded.faults.iter().chain(&decoded.unknown);
        let mut wrong: Vec<String> = faults
            .map(
                |Fault {
                     path,
                     position,
                     message,
                 }| format!("{position}: {path}: {message}"),
            )
            .collect();
        if wrong.is_empty() {
            wrong = decoded.value.missing();
        }
        match wrong.as_slice() {
            [] => Ok(decoded.value),
            [one] => Err(Report::new(format!("Reading '{name}': {one}"))),
            all => Err(Report::new(format!(
                "Reading '{name}':\n- {}",
                all.join("\n- ")
            ))),
        }
    }

    fn missing(&self) -> Vec<String> {
        let mut keys = vec![
            ("repository.folder".to_string(), &self.repository.folder),
            ("repository.bundleRepo".into(), &self.repository.bundle_repo),
        ];
        for (number, item) in self.packages.iter().enumerate() {
            let at = |key: &str| format!("packages[{number}].{key}");
            keys.push((at("source"), &item.source));
            keys.push((at("refName"), &item.ref_name));
            keys.push((at("version"), &item.version));
            keys.push((at("bundleRepo"), &item.bundle_repo));
        }
        let empty = keys.into_iter().filter(|(_, value)| value.is_empty());
        let mut missing: Vec<String> = empty.map(|(path, _)| format!("expected {path}")).collect();
        if self.packages.is_empty() {
            missing.push("expected packages".into());
        }
        missing
    }
}
