//! Packages and repositories as they are made: files in, files out. What needs a registry is the command line's alone.

use super::packages::{OutputFile, answer, called, files, output};
use super::value::InputFile;
use crate::diagnostic::Report;
use crate::files::File;
use crate::package::archive::{Node, Tree};
use crate::package::bundle::Image;
use crate::package::draft::{self, Draft, addition, certain};
use crate::package::edit::Changes;
use crate::package::lock::job::Job;
use crate::package::lock::{self, Offline};
use crate::package::model::print;
use crate::package::reference::Reference;
use crate::package::release::prepare;
use crate::package::repository::{Repository, resource};
use crate::package::wanted::{self, Files, Wanted};
use crate::paths;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `PackageOptions` of the types.
    #[wasm_bindgen(typescript_type = "PackageOptions")]
    pub type JsPackageOptions;
    /// `BuiltPackage` of the types.
    #[wasm_bindgen(typescript_type = "BuiltPackage")]
    pub type JsBuiltPackage;
    /// `RepositoryOptions` of the types.
    #[wasm_bindgen(typescript_type = "RepositoryOptions")]
    pub type JsRepositoryOptions;
    /// `BuiltRepository` of the types.
    #[wasm_bindgen(typescript_type = "BuiltRepository")]
    pub type JsBuiltRepository;
    /// `VerifyOptions` of the types.
    #[wasm_bindgen(typescript_type = "VerifyOptions")]
    pub type JsVerifyOptions;
    /// `Verdict` of the types.
    #[wasm_bindgen(typescript_type = "Verdict")]
    pub type JsVerdict;
    /// `ReleaseOptions` of the types.
    #[wasm_bindgen(typescript_type = "ReleaseOptions")]
    pub type JsReleaseOptions;
    /// `LockOptions` of the types.
    #[wasm_bindgen(typescript_type = "LockOptions")]
    pub type JsLockOptions;
    /// `Locked` of the types.
    #[wasm_bindgen(typescript_type = "Locked")]
    pub type JsLocked;
    /// `Release` of the types.
    #[wasm_bindgen(typescript_type = "Release")]
    pub type JsRelease;
}

/// The files of a tree.
pub(super) fn outputs(tree: &Tree) -> Vec<OutputFile> {
    let file = |(path, node): (String, &Node)| match node {
        Node::File { bytes, .. } => Some(output((path, bytes.to_vec()))),
        Node::Folder => None,
    };
    tree.nodes().filter_map(file).collect()
}

/// What a package is built from.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a map")]
struct PackageOptions {
    /// A package that the engine holds, if there are no files.
    source: String,
    files: Vec<InputFile>,
    ref_name: String,
    version: String,
    bundle_repo: String,
    images: Vec<String>,
    release_notes: Option<String>,
    metadata: Option<InputFile>,
    allow_unlocked: bool,
}

#[derive(Serialize)]
struct BuiltPackage {
    files: Vec<OutputFile>,
    bundle: String,
    warnings: Vec<String>,
}

/// Where files stand while a package is built; `.` makes them no names of packages.
const SOURCE: &str = "./.haulout/source";
const NOTES: &str = "./.haulout/notes";

/// A bundle, its lock, a Package and a PackageMetadata: `haulout package build`.
///
/// # Errors
/// As the command line has them.
#[wasm_bindgen(js_name = "buildPackage")]
pub fn build_package(options: &JsPackageOptions) -> Result<JsBuiltPackage, JsError> {
    let result = answer(options, |options: PackageOptions| {
        let mut all = Vec::new();
        for mut file in files(options.files) {
            file.set_path(paths::join(SOURCE, file.path()));
            all.push(file);
        }
        let source = if all.is_empty() {
            &options.source
        } else {
            SOURCE
        };
        let notes = options.release_notes;
        let metadata = options.metadata.map(File::from);
        let wanted = Wanted {
            source,
            ref_name: &options.ref_name,
            version: &options.version,
            bundle_repo: ("--bundle-repo", &options.bundle_repo),
            images: ("--image", &options.images),
            release_notes: if notes.is_some() { NOTES } else { "" },
            metadata: metadata.as_ref().map_or("", File::path),
            allow_unlocked: options.allow_unlocked,
        };
        all.extend(notes.map(|notes| draft::file(&paths::clean(NOTES), notes)));
        all.extend(metadata.clone());
        let built = wanted::built(&wanted, &Files(&all))?;
        Ok(BuiltPackage {
            files: outputs(&built.tree()?),
            bundle: built.reference.to_string(),
            warnings: built.warnings,
        })
    });
    result.map(Into::into)
}

/// What is added to a repository.
#[derive(Default, Deserialize)]
#[serde(default, expecting = "a map")]
struct NamedFiles {
    name: String,
    files: Vec<InputFile>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a map")]
struct RepositoryOptions {
    repository: Vec<InputFile>,
    folder: String,
    add: Vec<NamedFiles>,
    replace: bool,
    bundle_repo: String,
    name: String,
    namespace: String,
}

#[derive(Serialize)]
struct BuiltRepository {
    files: Vec<OutputFile>,
    bundle: String,
    resource: String,
    warnings: Vec<String>,
}

/// All files of a repository after its changes, what its bundles are made of among them.
fn changed(before: &[File], changes: &Changes) -> Result<Vec<OutputFile>, Report> {
    let files = changes.applied(before);
    let file = |file: &File| {
        let bytes = file.source()?.text.to_vec();
        Ok(output((file.path().to_string(), bytes)))
    };
    files.iter().map(file).collect()
}

/// A repository with more packages, and the PackageRepository: `haulout repository build`.
///
/// # Errors
/// As the command line has them.
#[wasm_bindgen(js_name = "buildRepository")]
pub fn build_repository(options: &JsRepositoryOptions) -> Result<JsBuiltRepository, JsError> {
    let result = answer(options, |options: RepositoryOptions| {
        let place = wanted::repository("--bundle-repo", &options.bundle_repo)?;
        let before = files(options.repository);
        let mut draft = Draft::of(called(&options.folder), &before);
        for added in options.add {
            let name = added.name;
            addition(&name, &files(added.files))
                .and_then(|addition| draft.add(&addition, options.replace))
                .map_err(|report| report.context(format!("Adding '{name}'")))?;
        }
        let built = draft.build(&place)?;
        let name = match options.name.as_str() {
            "" => place.base(),
            name => name,
        };
        let bundle = built.reference.to_string();
        let resource = print(&[resource(name, &options.namespace, &bundle)]);
        Ok(BuiltRepository {
            files: changed(&before, &draft.changes)?,
            resource: String::from_utf8_lossy(&resource).into_owned(),
            bundle,
            warnings: built.warnings,
        })
    });
    result.map(Into::into)
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a map")]
struct VerifyOptions {
    repository: Vec<InputFile>,
    folder: String,
    against: Vec<NamedFiles>,
}

/// Whether a repository is in order: `haulout repository verify`.
///
/// # Errors
/// It is not, in the command line's words.
#[wasm_bindgen(js_name = "verifyRepository")]
pub fn verify_repository(options: &JsVerifyOptions) -> Result<JsVerdict, JsError> {
    let result = answer(options, |options: VerifyOptions| {
        let others = options.against.into_iter().map(|other| {
            let read = Repository::read(&files(other.files));
            Ok((other.name.clone(), certain(&other.name, read)?))
        });
        let others: Result<Vec<_>, Report> = others.collect();
        let files = files(options.repository);
        draft::check(called(&options.folder), &files, &others?)
    });
    result.map(Into::into)
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a map")]
struct ReleaseOptions {
    config: String,
    files: Vec<InputFile>,
    replace: bool,
}

#[derive(Serialize)]
struct Push {
    name: String,
    digest: String,
}

#[derive(Serialize)]
struct Release {
    files: Vec<OutputFile>,
    resource: String,
    pushes: Vec<Push>,
    warnings: Vec<String>,
}

/// What `haulout release --dry-run` tells, with the files that it would write.
///
/// # Errors
/// As the command line has them.
#[wasm_bindgen]
pub fn release(options: &JsReleaseOptions) -> Result<JsRelease, JsError> {
    let result = answer(options, |options: ReleaseOptions| {
        let before = files(options.files);
        let prepared = prepare(&options.config, &Files(&before), options.replace)?;
        let folder = &prepared.draft.name;
        let push = |(name, image): &(Reference, Image)| Push {
            name: name.to_string(),
            digest: image.digest().to_string(),
        };
        Ok(Release {
            files: changed(&draft::inside(&before, folder), &prepared.draft.changes)?,
            resource: String::from_utf8_lossy(&prepared.resource).into_owned(),
            pushes: prepared.all().map(push).collect(),
            warnings: prepared.warnings,
        })
    });
    result.map(Into::into)
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a map")]
struct LockOptions {
    files: Vec<InputFile>,
    image_map: BTreeMap<String, String>,
    without_annotations: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Locked {
    text: String,
    told: Vec<String>,
    images_lock: String,
    config: String,
}

/// Resources with their images by digest, as far as that needs no registry: `haulout lock --offline`.
///
/// # Errors
/// As the command line has them.
#[wasm_bindgen]
pub fn lock(options: &JsLockOptions) -> Result<JsLocked, JsError> {
    let result = answer(options, |options: LockOptions| {
        let job = Job::new(&files(options.files), options.image_map)?;
        let locked = job.run(&Offline, !options.without_annotations)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Locked {
            images_lock: text(&lock::images_lock(&locked.images, true).print()),
            config: text(&lock::config_lock(&locked.images, &job.config)),
            text: text(&locked.text),
            told: locked.told,
        })
    });
    result.map(Into::into)
}
