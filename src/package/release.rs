//! What is released in one go: packages, and the repository that they are put into.

use super::archive::Node;
use super::build::Built;
use super::bundle::Image;
use super::document;
use super::draft::{Draft, file};
use super::edit::Addition;
use super::model::print;
use super::reference::Reference;
use super::repository::{Repository, resource};
use super::wanted::{Folder, Wanted, built, repository};
use crate::diagnostic::Report;
use crate::files::File;
use crate::paths;
use crate::yaml::decode::{Fault, decode};
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
        let document = document::one(name, text, "")?;
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

/// A release that was made ready: nothing is written or pushed yet.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The folder of the repository, and what becomes of it.
    pub draft: Draft,
    /// The bundles of the packages, each with its name.
    pub bundles: Vec<(Reference, Image)>,
    /// The bundle of the repository, with its name.
    pub repository: (Reference, Image),
    /// The PackageRepository, as text.
    pub resource: Vec<u8>,
    /// What is to be known, a line each.
    pub warnings: Vec<String>,
}

impl Prepared {
    /// All bundles, in the order in which they are pushed.
    pub fn all(&self) -> impl Iterator<Item = &(Reference, Image)> {
        self.bundles.iter().chain([&self.repository])
    }

    /// What would be pushed, a line each.
    pub fn pushes(&self) -> Vec<String> {
        let line =
            |(name, image): &(Reference, Image)| format!("would push: {name} ({})", image.digest());
        self.all().map(line).collect()
    }
}

/// Makes ready what the file at a path says; other paths begin at its folder. `replace` allows that versions that are
/// there are replaced by others.
///
/// # Errors
/// The file, a package or the repository is at fault.
pub fn prepare(config: &str, folder: &dyn Folder, replace: bool) -> Result<Prepared, Report> {
    let release = Release::parse(folder.text(config)?.as_bytes(), config)?;
    let root = match config.rsplit_once('/') {
        Some((root, _)) => format!("{root}/"),
        None => String::new(),
    };
    let home = repository("repository.bundleRepo", &release.repository.bundle_repo)?;
    let mut draft = folder.repository(&inside(&root, &release.repository.folder))?;
    let mut packages = Vec::new();
    let mut warnings = Vec::new();
    for item in &release.packages {
        let what = format!("{} {}", item.ref_name, item.version);
        let package = item
            .build(&root, folder)
            .map_err(|report| report.context(&what))?;
        addition(&package)
            .and_then(|addition| draft.add(&addition, replace))
            .map_err(|report| report.context(&what))?;
        for warning in &package.warnings {
            warnings.push(format!("warning: {what}: {warning}"));
        }
        packages.push(package);
    }
    let built = draft.build(&home)?;
    warnings.splice(0..0, built.warnings);
    let or = |given: &str, else_: &str| match given {
        "" => else_.to_string(),
        given => given.to_string(),
    };
    let place = &release.repository;
    let name = or(&place.name, home.base());
    let bundles = packages.into_iter().map(|package| {
        // A tag has no '+'.
        let tag = package.package.spec.version.replace('+', "_");
        (package.reference.repository.tagged(tag), package.image)
    });
    Ok(Prepared {
        bundles: bundles.collect(),
        resource: print(&[resource(
            &name,
            &place.namespace,
            &built.reference.to_string(),
        )]),
        repository: (home.tagged(or(&place.tag, "latest")), built.image),
        warnings,
        draft,
    })
}

/// A path that begins at the folder of the file in which it stands.
fn inside(root: &str, path: &str) -> String {
    match path.starts_with('/') || root.is_empty() {
        true => path.to_string(),
        false => paths::join(root, path),
    }
}

impl Item {
    fn build(&self, root: &str, folder: &dyn Folder) -> Result<Built, Report> {
        let file = |path: &str| match path {
            "" => String::new(),
            path => inside(root, path),
        };
        // What is no folder here is a package that the program carries.
        let source = inside(root, &self.source);
        let is_folder = folder.has(&source) || self.source.starts_with(['.', '/']);
        let wanted = Wanted {
            source: if is_folder { &source } else { &self.source },
            ref_name: &self.ref_name,
            version: &self.version,
            bundle_repo: ("bundleRepo", &self.bundle_repo),
            images: ("images", &self.images),
            release_notes: &file(&self.release_notes),
            metadata: &file(&self.metadata),
            allow_unlocked: self.allow_unlocked,
        };
        built(&wanted, folder)
    }
}

fn addition(package: &Built) -> Result<Addition, Report> {
    let resources = package.resources();
    let resources: Vec<File> = resources
        .iter()
        .map(|(path, bytes)| file(path, bytes.as_slice()))
        .collect();
    let sources = package
        .bundle
        .nodes()
        .filter_map(|(path, node)| match node {
            Node::File { bytes, .. } => Some(file(&path, bytes.as_slice())),
            Node::Folder => None,
        });
    Ok(Addition {
        repository: Repository::read(&resources).0,
        sources: sources.collect(),
    })
}
