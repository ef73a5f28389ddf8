//! A repository of packages: a folder with many versions side by side.
//!
//! `packages/REFNAME/VERSION.yml` and `packages/REFNAME/metadata.yml` hold the resources (file names have no meaning to
//! kapp-controller), `.imgpkg/images.yml` the bundles that they refer to, by digest. Beside them, and never pushed with
//! them, `bundles/REFNAME/VERSION/` holds what the bundles were made of.

use super::model::{Package, PackageMetadata, Resource};
use super::select::Candidate;
use super::version::Version;
use crate::diagnostic::{Diagnostic, Severity};
use crate::files::{File, Kind};
use crate::position::{Position, Source};
use crate::yaml::decode::Fault;
use crate::yaml::{self, Comment, Document, Meta, ParseOptions, Value};
use std::rc::Rc;

/// The folder of the resources.
pub const PACKAGES: &str = "packages";

/// What is known of the packages of a repository.
#[derive(Clone, Debug, Default)]
pub struct Repository {
    /// The versions, in the order of files and documents.
    pub packages: Vec<Found<Package>>,
    /// What is said of packages, in the same order.
    pub metadata: Vec<Found<PackageMetadata>>,
}

/// A resource, and where it was found.
#[derive(Clone, Debug)]
pub struct Found<T> {
    /// The resource; values of a wrong type are left out.
    pub resource: T,
    /// The whole document.
    pub document: Value,
    /// Where the document begins.
    pub position: Position,
}

impl<T> Found<T> {
    /// Where a field stands (`spec.refName`); what is nearest to it, if it is not there.
    pub fn place(&self, path: &str) -> Position {
        let mut place = self.position.clone();
        let mut value = &self.document;
        for key in path.split('.') {
            let Some(item) = value.as_map().and_then(|map| map.get(key)) else {
                break;
            };
            place = item.meta.position.clone();
            value = &item.value;
        }
        place
    }
}

impl Repository {
    /// Reads the files of a repository, their paths below it; files that do not belong to its packages are passed
    /// over. What cannot be read as it stands is told: errors where kapp-controller would refuse the repository, or
    /// take it for something else, and warnings where it would leave something out.
    pub fn read(files: &[File]) -> (Repository, Vec<Diagnostic>) {
        let mut repository = Repository::default();
        let mut told = Vec::new();
        for file in files {
            let within = file.path().strip_prefix(PACKAGES);
            if !within.is_some_and(|rest| rest.starts_with('/')) || file.kind() != Kind::Yaml {
                continue;
            }
            match file.source() {
                Ok(source) => repository.read_text(source, &mut told),
                Err(report) => told.extend_from_slice(report.diagnostics()),
            }
        }
        (repository, told)
    }

    /// Reads one text.
    fn read_text(&mut self, source: &Rc<Source>, told: &mut Vec<Diagnostic>) {
        let documents = match yaml::parse(source, ParseOptions::default()) {
            Ok(documents) => documents,
            Err(error) => {
                let mut diagnostic = Diagnostic::error(error.message);
                diagnostic.origin = error.line.map_or_else(
                    || Position::in_source(source),
                    |line| Position::new(source, line),
                );
                told.push(diagnostic);
                return;
            }
        };
        for comment in template_comments(&documents.items) {
            let message =
                "a template comment: kapp-controller runs ytt over this file, and code in it";
            let mut diagnostic = Diagnostic::error(message);
            diagnostic.origin = comment.position.clone();
            diagnostic.found = Some(format!("#{}", comment.text.to_text()));
            diagnostic.hints.push("render the file first".into());
            told.push(diagnostic);
        }
        for document in documents
            .items
            .iter()
            .filter(|document| !document.is_empty())
        {
            self.read_document(document, source, told);
        }
    }

    fn read_document(
        &mut self,
        document: &Document,
        source: &Rc<Source>,
        told: &mut Vec<Diagnostic>,
    ) {
        let value = &document.value;
        // A document that begins without `---` has its first line from its first key.
        let first = value.as_map().and_then(|map| map.items.first());
        let position = first
            .map(|item| &item.meta.position)
            .filter(|position| position.line().is_some())
            .unwrap_or(&document.meta.position);
        if Package::is(value) {
            self.packages.push(found(value, position, told));
        } else if PackageMetadata::is(value) {
            self.metadata.push(found(value, position, told));
        } else {
            let mut diagnostic = Diagnostic::error(
                "neither Package nor PackageMetadata, so kapp-controller leaves it out",
            );
            diagnostic.severity = Severity::Warning;
            diagnostic.origin = position.clone();
            if position.line().is_none() {
                diagnostic.origin = Position::in_source(source);
            }
            told.push(diagnostic);
        }
    }

    /// The packages as version selection sees them.
    pub fn candidates(&self) -> Vec<Candidate> {
        self.packages
            .iter()
            .map(|found| Candidate::from(&found.resource))
            .collect()
    }

    /// A version of a package; of two in one repository the later one.
    pub fn package(&self, ref_name: &str, version: &str) -> Option<&Found<Package>> {
        let is_it = |found: &&Found<Package>| {
            let spec = &found.resource.spec;
            spec.ref_name == ref_name && spec.version == version
        };
        self.packages.iter().rfind(is_it)
    }

    /// The names of packages, sorted, each with its versions from the lowest; those that are none stand first.
    pub fn versions(&self) -> Vec<(&str, Vec<&str>)> {
        let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
        for found in &self.packages {
            let (name, version) = (
                found.resource.spec.ref_name.as_str(),
                found.resource.spec.version.as_str(),
            );
            match all.iter_mut().find(|(known, _)| *known == name) {
                Some((_, versions)) if versions.contains(&version) => {}
                Some((_, versions)) => versions.push(version),
                None => all.push((name, vec![version])),
            }
        }
        all.sort();
        for (_, versions) in &mut all {
            versions.sort_by_key(|version| Version::parse_relaxed(version).ok());
        }
        all
    }
}

impl From<&Package> for Candidate {
    fn from(package: &Package) -> Candidate {
        let spec = &package.spec;
        let demand = |demand: &Option<super::model::Constraint>| {
            demand
                .as_ref()
                .map(|demand| demand.constraints.clone())
                .unwrap_or_default()
        };
        Candidate {
            ref_name: spec.ref_name.clone(),
            version: spec.version.clone(),
            kubernetes: demand(&spec.kubernetes_version_selection),
            kapp_controller: demand(&spec.kapp_controller_version_selection),
        }
    }
}

fn found<T: Resource>(
    document: &Value,
    position: &Position,
    told: &mut Vec<Diagnostic>,
) -> Found<T> {
    let decoded = T::read(document, position);
    let tell = |fault: Fault, severity: Severity, note: &str| {
        let mut diagnostic = Diagnostic::error(format!("{}: {}{note}", fault.path, fault.message));
        diagnostic.severity = severity;
        diagnostic.origin = fault.position;
        diagnostic
    };
    told.extend(
        decoded
            .faults
            .into_iter()
            .map(|fault| tell(fault, Severity::Error, "")),
    );
    let note = ", which kapp-controller leaves out";
    told.extend(
        decoded
            .unknown
            .into_iter()
            .map(|fault| tell(fault, Severity::Warning, note)),
    );
    Found {
        resource: decoded.value,
        document: document.clone(),
        position: position.clone(),
    }
}

/// The comments that are code.
fn template_comments(documents: &[Document]) -> Vec<Comment> {
    let mut comments = Vec::new();
    let mut pending: Vec<&Value> = Vec::new();
    let mut look = |meta: &Meta| {
        let code = meta
            .comments()
            .iter()
            .filter(|comment| comment.text.starts_with(b"@"));
        comments.extend(code.cloned());
    };
    for document in documents {
        look(&document.meta);
        pending.push(&document.value);
    }
    while let Some(value) = pending.pop() {
        match value {
            Value::Map(map) => {
                look(&map.meta);
                for item in &map.items {
                    look(&item.meta);
                    pending.push(&item.value);
                }
            }
            Value::Array(array) => {
                look(&array.meta);
                for item in &array.items {
                    look(&item.meta);
                    pending.push(&item.value);
                }
            }
            _ => {}
        }
    }
    comments.sort_by_key(|comment| comment.position.line());
    comments
}
