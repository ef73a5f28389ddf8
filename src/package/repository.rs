//! A repository of packages: a folder with many versions side by side.
//!
//! `packages/REFNAME/VERSION.yml` and `packages/REFNAME/metadata.yml` hold the resources (file names have no meaning to
//! kapp-controller), `.imgpkg/images.yml` the bundles that they refer to, by digest. Beside them, and never pushed with
//! them, `bundles/REFNAME/VERSION/` holds what the bundles were made of.

use super::app::{Fetch, ImgpkgBundleFetch};
use super::bundle::IMAGES_LOCK;
use super::images::ImagesLock;
use super::model::{
    Metadata, Package, PackageMetadata, PackageRepository, PackageRepositorySpec, Resource,
};
use super::reference::Reference;
use super::select::Candidate;
use super::version::Version;
use crate::diagnostic::{Diagnostic, Severity};
use crate::files::{File, Kind};
use crate::position::{Position, Source};
use crate::yaml::decode::Fault;
use crate::yaml::{self, Comment, Document, DocumentSet, Meta, ParseOptions, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The folder of the resources.
pub const PACKAGES: &str = "packages";

/// The folder of what bundles were made of, which is not pushed.
pub const SOURCES: &str = "bundles";

/// What is known of the packages of a repository.
#[derive(Clone, Debug, Default)]
pub struct Repository {
    /// The versions, in the order of files and documents.
    pub packages: Vec<Found<Package>>,
    /// What is said of packages, in the same order.
    pub metadata: Vec<Found<PackageMetadata>>,
    /// The bundles of the packages, by digest.
    pub lock: Option<Found<ImagesLock>>,
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
    /// The paths of the values of a wrong type.
    pub faults: Vec<String>,
}

impl<T> Found<T> {
    /// Whether nothing at a path, above or below it is of a wrong type.
    pub fn is_known(&self, path: &str) -> bool {
        let touches = |fault: &String| fault.starts_with(path) || path.starts_with(fault.as_str());
        !self.faults.iter().any(touches)
    }

    /// Where a field stands (`spec.template.spec.fetch[0].path`); what is nearest to it, if it is not there.
    pub fn place(&self, path: &str) -> Position {
        let mut place = &self.position;
        let mut value = &self.document;
        for step in path.split(['.', '[']) {
            let index = step
                .strip_suffix(']')
                .and_then(|digits| digits.parse::<usize>().ok());
            let below = match (value, index) {
                (Value::Array(array), Some(index)) => array
                    .items
                    .get(index)
                    .map(|item| (&item.meta.position, &item.value)),
                _ => value
                    .as_map()
                    .and_then(|map| map.get(step))
                    .map(|item| (&item.meta.position, &item.value)),
            };
            let Some(below) = below else {
                break;
            };
            (place, value) = below;
        }
        place.clone()
    }
}

impl Repository {
    /// Reads the files of a repository, their paths below it; files that do not belong to its packages are passed
    /// over. What cannot be read as it stands is told: errors where kapp-controller would refuse the repository, or
    /// take it for something else, and warnings where it would leave something out.
    pub fn read(files: &[File]) -> (Repository, Vec<Diagnostic>) {
        let is_below = |file: &&File| {
            let below = file.path().strip_prefix(PACKAGES);
            below.is_some_and(|rest| rest.starts_with('/'))
        };
        let (mut repository, mut told) = Repository::of(files.iter().filter(is_below));
        if let Some(file) = files.iter().find(|file| file.path() == IMAGES_LOCK) {
            match parse(file) {
                Ok((source, documents)) => {
                    repository.lock = read_lock(source, &documents, &mut told);
                }
                Err(faults) => told.extend(faults),
            }
        }
        (repository, told)
    }

    /// Reads files of resources, wherever they are; no lock is looked for. As [`Repository::read`] otherwise.
    pub fn of<'a>(files: impl IntoIterator<Item = &'a File>) -> (Repository, Vec<Diagnostic>) {
        let mut repository = Repository::default();
        let mut told = Vec::new();
        for file in files.into_iter().filter(|file| file.kind() == Kind::Yaml) {
            if file.is_library() {
                let mut diagnostic =
                    Diagnostic::error("a library by its name, so kapp-controller leaves it out");
                diagnostic.severity = Severity::Warning;
                diagnostic.origin = Position::in_source(&Source::file(file.path(), ""));
                told.push(diagnostic);
                continue;
            }
            match parse(file) {
                Ok((source, documents)) => {
                    repository.read_resources(source, &documents, &mut told);
                }
                Err(faults) => told.extend(faults),
            }
        }
        (repository, told)
    }

    fn read_resources(
        &mut self,
        source: &Rc<Source>,
        documents: &DocumentSet,
        told: &mut Vec<Diagnostic>,
    ) {
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

    /// All resources with the paths of their files.
    pub fn documents(&self) -> impl Iterator<Item = (&str, &Value)> {
        let packages = self
            .packages
            .iter()
            .map(|found| (found.position.file(), &found.document));
        let metadata = self
            .metadata
            .iter()
            .map(|found| (found.position.file(), &found.document));
        packages.chain(metadata)
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
    pub fn versions<'a>(&'a self) -> Vec<(&'a str, Vec<&'a str>)> {
        let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for found in &self.packages {
            let spec = &found.resource.spec;
            all.entry(&spec.ref_name).or_default().insert(&spec.version);
        }
        let ascending = |versions: BTreeSet<&'a str>| {
            let mut versions: Vec<&str> = versions.into_iter().collect();
            versions.sort_by_cached_key(|version| Version::parse_relaxed(version).ok());
            versions
        };
        let names = all.into_iter();
        names
            .map(|(name, versions)| (name, ascending(versions)))
            .collect()
    }
}

/// The PackageRepository that leads to a repository: `image` is its bundle, by digest; `namespace` may be empty.
pub fn resource(name: &str, namespace: &str, image: &str) -> Value {
    let fetch = Fetch {
        imgpkg_bundle: Some(ImgpkgBundleFetch {
            image: image.into(),
            ..ImgpkgBundleFetch::default()
        }),
        ..Fetch::default()
    };
    let resource = PackageRepository {
        metadata: Metadata::named(name).within(namespace),
        spec: PackageRepositorySpec {
            fetch: Some(fetch),
            ..PackageRepositorySpec::default()
        },
    };
    resource.document()
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

fn parse(file: &File) -> Result<(&Rc<Source>, DocumentSet), Vec<Diagnostic>> {
    let source = file
        .source()
        .map_err(|report| report.diagnostics().to_vec())?;
    let documents = yaml::parse(source, ParseOptions::default()).map_err(|error| {
        let mut fault = Diagnostic::error(error.message);
        fault.origin = match error.line {
            Some(line) => Position::new(source, line),
            None => Position::in_source(source),
        };
        vec![fault]
    })?;
    Ok((source, documents))
}

/// Reads a lock; every image in it without a digest is told.
fn read_lock(
    source: &Rc<Source>,
    documents: &DocumentSet,
    told: &mut Vec<Diagnostic>,
) -> Option<Found<ImagesLock>> {
    let document = documents.items.iter().find(|document| !document.is_empty());
    let mut found = Found {
        resource: ImagesLock::default(),
        document: document
            .map(|document| document.value.clone())
            .unwrap_or_default(),
        position: Position::new(source, 1),
        faults: Vec::new(),
    };
    let before = told.len();
    let images = found
        .document
        .as_map()
        .and_then(|map| map.get("images")?.value.as_array());
    for item in images.into_iter().flat_map(|images| &images.items) {
        let Some(image) = item.value.as_map().and_then(|map| map.get("image")) else {
            continue;
        };
        let name = image.value.as_str().unwrap_or_default();
        let reason = match name.parse::<Reference>() {
            Ok(reference) if reference.digest.is_some() => continue,
            Ok(_) => format!("Expected ref to be in digest form, got '{name}'"),
            Err(reason) => reason,
        };
        let mut fault = Diagnostic::error(reason);
        fault.origin = image.meta.position.clone();
        told.push(fault);
    }
    match ImagesLock::parse(&source.text) {
        Ok(lock) => found.resource = lock,
        Err(report) if told.len() == before => {
            let mut fault = Diagnostic::error(report.text());
            fault.origin = found.position;
            told.push(fault);
            return None;
        }
        Err(_) => return None,
    }
    Some(found)
}

fn found<T: Resource>(
    document: &Value,
    position: &Position,
    told: &mut Vec<Diagnostic>,
) -> Found<T> {
    let decoded = T::read(document, position);
    let tell = |fault: Fault, severity: Severity, note: &str| {
        let path = match fault.path.as_str() {
            "" => String::new(),
            path => format!("{path}: "),
        };
        let mut diagnostic = Diagnostic::error(format!("{path}{}{note}", fault.message));
        diagnostic.severity = severity;
        diagnostic.origin = fault.position;
        diagnostic
    };
    let faults = decoded
        .faults
        .iter()
        .map(|fault| fault.path.clone())
        .collect();
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
        faults,
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
