//! What adding packages to a repository changes in it, and what taking them out does.

use super::bundle::IMAGES_LOCK;
use super::images::{ID, ImagesLock, LockedImage, ORIGINS};
use super::model::{Package, Resource};
use super::reference::Reference;
use super::repository::{Found, PACKAGES, Repository, SOURCES};
use super::verify::{difference, stands_for};
use crate::diagnostic::Report;
use crate::files::File;
use crate::position::Position;
use crate::yaml::{Value, print_value};
use std::collections::{BTreeMap, BTreeSet};

/// What is to be written and deleted, by path in the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files by path, with their content.
    pub written: BTreeMap<String, Vec<u8>>,
    /// Files that go.
    pub deleted: BTreeSet<String>,
}

impl Changes {
    /// Adds later changes.
    pub fn then(&mut self, later: Changes) {
        for path in later.written.keys() {
            self.deleted.remove(path);
        }
        for path in &later.deleted {
            self.written.remove(path);
        }
        self.written.extend(later.written);
        self.deleted.extend(later.deleted);
    }

    /// The files of a repository as they become.
    pub fn applied(&self, files: &[File]) -> Vec<File> {
        let stays = |file: &&File| {
            !self.deleted.contains(file.path()) && !self.written.contains_key(file.path())
        };
        let mut all: Vec<File> = files.iter().filter(stays).cloned().collect();
        all.extend(self.written.iter().map(|(path, bytes)| {
            File::new(path.as_str(), format!("file '{path}'"), bytes.as_slice())
        }));
        all.sort_by(|a, b| a.path().cmp(b.path()));
        all
    }
}

/// A repository as it is: its resources, and the paths of all its files.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// Its resources.
    pub repository: Repository,
    /// The paths of its files, those of the sources among them.
    pub paths: BTreeSet<String>,
}

/// What is to be added: what `haulout package build` makes, or any files of resources.
#[derive(Clone, Debug, Default)]
pub struct Addition {
    /// Packages, and what is said of them.
    pub repository: Repository,
    /// What the bundle of the one package was made of, by path in it; nothing if that is not at hand.
    pub sources: Vec<File>,
}

/// Adds packages. What is there already, and is identical, is left as it is.
///
/// # Errors
/// A package is not valid; it is there already and differs, unless it is to be replaced; its bundle has no digest;
/// sources are there, but not one package.
pub fn add(content: &Content, addition: &Addition, replace: bool) -> Result<Changes, Report> {
    let mut edit = Edit::new(content);
    let added = &addition.repository;
    if added.packages.is_empty() && added.metadata.is_empty() {
        return Err(Report::new("expected a Package, found none"));
    }
    for found in &added.packages {
        let package = &found.resource;
        if let Some(error) = package.check().first() {
            return Err(Report::new(format!("{}: {error}", found.position)));
        }
        let (ref_name, version) = (&package.spec.ref_name, &package.spec.version);
        let existing = content.repository.package(ref_name, version);
        if let Some(existing) = existing {
            let reason = difference(&existing.resource.document(), &package.document());
            match reason {
                None => continue,
                Some(reason) if !replace => {
                    return Err(Report::new(format!(
                        "Package/{} is already present but not identical ({reason}): \
                         give it another version, or replace it by --replace",
                        package.metadata.name
                    )));
                }
                Some(_) => edit.take_out(&existing.document, existing.position.file()),
            }
        }
        edit.put(
            format!("{PACKAGES}/{ref_name}/{version}.yml"),
            &found.document,
        );
    }
    for found in &added.metadata {
        let metadata = &found.resource;
        if let Some(error) = metadata.check().first() {
            return Err(Report::new(format!("{}: {error}", found.position)));
        }
        let name = &metadata.metadata.name;
        // It has no version of its own: what is said last holds.
        for existing in content
            .repository
            .metadata
            .iter()
            .filter(|existing| existing.resource.metadata.name == *name)
        {
            edit.take_out(&existing.document, existing.position.file());
        }
        edit.put(format!("{PACKAGES}/{name}/metadata.yml"), &found.document);
    }
    edit.sources(addition)?;
    edit.finish(added.lock.as_ref())
}

/// Takes a version of a package out, with its sources; with the last one goes what is said of the package.
///
/// # Errors
/// It is not there.
pub fn remove(content: &Content, ref_name: &str, version: &str) -> Result<Changes, Report> {
    let versions = content.repository.versions();
    let known = versions.iter().find(|(name, _)| *name == ref_name);
    let Some((_, versions)) = known else {
        let names: Vec<&str> = versions.iter().map(|(name, _)| *name).collect();
        return Err(Report::new(format!(
            "no package '{ref_name}' in the repository, which has: {}",
            names.join(", ")
        )));
    };
    if !versions.contains(&version) {
        return Err(Report::new(format!(
            "no version '{version}' of '{ref_name}' in the repository, which has: {}",
            versions.join(", ")
        )));
    }
    let mut edit = Edit::new(content);
    for found in &content.repository.packages {
        let spec = &found.resource.spec;
        if spec.ref_name == ref_name && spec.version == version {
            edit.take_out(&found.document, found.position.file());
        }
    }
    if versions.len() == 1 {
        let said = content.repository.metadata.iter();
        for found in said.filter(|found| found.resource.metadata.name == ref_name) {
            edit.take_out(&found.document, found.position.file());
        }
    }
    let sources = format!("{SOURCES}/{ref_name}/{version}/");
    let gone = content
        .paths
        .iter()
        .filter(|path| path.starts_with(&sources));
    edit.changes.deleted.extend(gone.cloned());
    edit.finish(None)
}

/// Makes the lock of a repository anew, for one that was put together by hand.
///
/// # Errors
/// A bundle has no digest.
pub fn relock(content: &Content) -> Result<Changes, Report> {
    Edit::new(content).finish(None)
}

/// Documents by file, as they become.
struct Edit<'a> {
    content: &'a Content,
    documents: BTreeMap<String, Vec<Value>>,
    touched: BTreeSet<String>,
    changes: Changes,
}

impl<'a> Edit<'a> {
    fn new(content: &'a Content) -> Edit<'a> {
        let mut documents: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (file, document) in content.repository.documents() {
            documents
                .entry(file.to_string())
                .or_default()
                .push(document.clone());
        }
        Edit {
            content,
            documents,
            touched: BTreeSet::new(),
            changes: Changes::default(),
        }
    }

    /// Takes a document out of its file; others in it stay.
    fn take_out(&mut self, document: &Value, file: &str) {
        if let Some(documents) = self.documents.get_mut(file)
            && let Some(index) = documents.iter().position(|other| other == document)
        {
            documents.remove(index);
            self.touched.insert(file.to_string());
        }
    }

    /// Puts a document into a file, after those that stand in it.
    fn put(&mut self, path: String, document: &Value) {
        let documents = self.documents.entry(path.clone()).or_default();
        documents.push(document.clone());
        self.touched.insert(path);
    }

    fn sources(&mut self, addition: &Addition) -> Result<(), Report> {
        if addition.sources.is_empty() {
            return Ok(());
        }
        let [found] = addition.repository.packages.as_slice() else {
            let count = addition.repository.packages.len();
            return Err(Report::new(format!(
                "expected one Package beside the sources of its bundle, found {count}"
            )));
        };
        let spec = &found.resource.spec;
        let folder = format!("{SOURCES}/{}/{}/", spec.ref_name, spec.version);
        let old = self
            .content
            .paths
            .iter()
            .filter(|path| path.starts_with(&folder));
        self.changes.deleted.extend(old.cloned());
        for file in &addition.sources {
            let path = format!("{folder}{}", file.path());
            self.changes.deleted.remove(&path);
            self.changes
                .written
                .insert(path, file.source()?.text.clone());
        }
        Ok(())
    }

    /// The changes, with a lock for the packages as they become.
    fn finish(mut self, added: Option<&Found<ImagesLock>>) -> Result<Changes, Report> {
        let mut known: Vec<&LockedImage> = Vec::new();
        for lock in [added, self.content.repository.lock.as_ref()]
            .into_iter()
            .flatten()
        {
            known.extend(&lock.resource.images);
        }
        let lock = lock(self.documents.values().flatten(), &known)?;
        self.changes
            .written
            .insert(IMAGES_LOCK.into(), lock.print());
        for path in self.touched {
            let documents = self.documents.get(&path).map_or(&[][..], Vec::as_slice);
            if documents.is_empty() {
                self.changes.deleted.insert(path);
                continue;
            }
            let texts: Vec<Vec<u8>> = documents.iter().map(print_value).collect();
            self.changes.written.insert(path, texts.join(&b"---\n"[..]));
        }
        Ok(self.changes)
    }
}

/// The lock of all bundles that packages refer to: those named by digest stand for themselves, others must be known.
///
/// # Errors
/// One has no digest, and none is known for it.
fn lock<'a>(
    documents: impl Iterator<Item = &'a Value>,
    known: &[&LockedImage],
) -> Result<ImagesLock, Report> {
    let mut images: BTreeMap<String, LockedImage> = BTreeMap::new();
    for document in documents {
        let package = Package::read(document, &Position::unknown()).value;
        for (path, name) in package.bundles() {
            let wrong = |reason: String| {
                Report::new(format!(
                    "Package/{}: {path}: {reason}",
                    package.metadata.name
                ))
            };
            let image = match known.iter().find(|image| stands_for(image, name)) {
                Some(image) => (*image).clone(),
                None => preresolved(name).map_err(wrong)?,
            };
            images.insert(name.to_string(), image);
        }
    }
    Ok(ImagesLock {
        images: images.into_values().collect(),
    })
}

/// An image that is named by digest, as kbld locks it.
fn preresolved(name: &str) -> Result<LockedImage, String> {
    let reference: Reference = name.parse()?;
    if reference.digest.is_none() {
        return Err(format!(
            "'{name}' is named by a tag, and nothing says which digest it has"
        ));
    }
    let mut image = LockedImage::new(reference.to_string(), name);
    image.annotations.insert(ID.into(), name.into());
    image
        .annotations
        .insert(ORIGINS.into(), format!("- preresolved:\n    url: {name}\n"));
    Ok(image)
}
