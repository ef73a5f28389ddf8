//! A package in the words of a user: texts, and paths of files in a folder, whoever holds it.

use super::archive::Tree;
use super::build::{Built, Released, Source, build, titled};
use super::document;
use super::draft::{Draft, inside, within};
use super::model::{PackageMetadata, Resource};
use super::reference::Repository;
use crate::diagnostic::Report;
use crate::files::File;
use crate::paths;
use crate::templates;

/// Where the files are that a user names.
pub trait Folder {
    /// Whether something of this path is there, or nobody can say so.
    fn has(&self, path: &str) -> bool;

    /// A text in a file.
    ///
    /// # Errors
    /// It cannot be read, or is not UTF-8.
    fn text(&self, path: &str) -> Result<String, Report>;

    /// All files below a path.
    ///
    /// # Errors
    /// They cannot be read.
    fn tree(&self, path: &str) -> Result<Tree, Report>;

    /// The repository at a path, which need not be there.
    ///
    /// # Errors
    /// It is there, and cannot be read.
    fn repository(&self, path: &str) -> Result<Draft, Report>;
}

/// Files that are at hand.
pub struct Files<'a>(pub &'a [File]);

impl Folder for Files<'_> {
    fn has(&self, path: &str) -> bool {
        within(self.0, path).next().is_some()
            || self.0.iter().any(|file| file.path() == paths::clean(path))
    }

    fn text(&self, path: &str) -> Result<String, Report> {
        let found = self.0.iter().find(|file| file.path() == paths::clean(path));
        let file = found
            .ok_or_else(|| Report::new(format!("Reading '{path}': no such file or directory")))?;
        String::from_utf8(file.source()?.text.to_vec())
            .map_err(|_| Report::new(format!("Reading '{path}': it is not UTF-8")))
    }

    fn tree(&self, path: &str) -> Result<Tree, Report> {
        let tree = Tree::of(within(self.0, path))?;
        if tree.nodes().next().is_none() {
            return Err(Report::new(format!(
                "Reading '{path}': no such file or directory"
            )));
        }
        Ok(tree)
    }

    fn repository(&self, path: &str) -> Result<Draft, Report> {
        Ok(Draft::of(path, &inside(self.0, path)))
    }
}

/// A package in the words of a user: texts, and paths of files. Where two stand together, the first says what messages
/// call the second.
pub struct Wanted<'a> {
    /// A folder with templates, or a package that the program carries.
    pub source: &'a str,
    /// The package's name.
    pub ref_name: &'a str,
    /// The version.
    pub version: &'a str,
    /// Where the bundle will be.
    pub bundle_repo: (&'a str, &'a str),
    /// The images that are released.
    pub images: (&'a str, &'a [String]),
    /// A file; none if empty.
    pub release_notes: &'a str,
    /// A file; none if empty.
    pub metadata: &'a str,
    /// Whether images without a digest are let pass.
    pub allow_unlocked: bool,
}

/// The package that is wanted.
///
/// # Errors
/// A file cannot be read, a text is not what it should be, or the package cannot be built.
pub fn built(wanted: &Wanted, folder: &dyn Folder) -> Result<Built, Report> {
    let (templates, title) = templates(wanted.source, folder)?;
    let (what, images) = wanted.images;
    let images = images.iter().map(|image| {
        let parsed = image.parse::<Released>();
        parsed.map_err(|reason| Report::new(format!("{what}: {reason}")))
    });
    let (what, bundle_repo) = wanted.bundle_repo;
    build(&Source {
        templates,
        ref_name: wanted.ref_name.into(),
        version: wanted.version.into(),
        bundle_repo: repository(what, bundle_repo)?,
        images: images.collect::<Result<_, _>>()?,
        release_notes: match wanted.release_notes {
            "" => String::new(),
            path => folder.text(path)?,
        },
        metadata: match wanted.metadata {
            "" => titled(title.as_deref().unwrap_or_default()),
            path => metadata(path, &folder.text(path)?)?,
        },
        allow_unlocked: wanted.allow_unlocked,
    })
}

/// Refuses what is not given.
///
/// # Errors
/// It is not.
pub fn required(flag: &str, value: &str) -> Result<(), Report> {
    match value {
        "" => Err(Report::new(format!("expected {flag}"))),
        _ => Ok(()),
    }
}

/// A repository of a registry that a flag or a key names.
///
/// # Errors
/// It is none.
pub fn repository(what: &str, text: &str) -> Result<Repository, Report> {
    text.parse()
        .map_err(|reason| Report::new(format!("{what}: {reason}")))
}

/// The templates of a folder, or those of a package that the program carries, and its name for people.
///
/// # Errors
/// There is neither.
fn templates(source: &str, folder: &dyn Folder) -> Result<(Tree, Option<String>), Report> {
    let is_path = source.starts_with(['.', '/']) || folder.has(source);
    if is_path {
        return Ok((folder.tree(source)?, None));
    }
    let files = templates::files(source).map_err(|report| {
        Report::new(format!(
            "Expected a folder or a package of the program, but {}",
            report.text()
        ))
    })?;
    let tree = Tree::of(files.iter().map(|file| (file.path(), file)))?;
    let named = |package: &templates::Package| {
        package.name == source || format!("{}@{}", package.name, package.version) == source
    };
    let packages = templates::packages();
    let title = packages
        .into_iter()
        .find(named)
        .map(|package| package.title);
    Ok((tree, title))
}

/// The PackageMetadata in a text.
///
/// # Errors
/// It holds something else.
fn metadata(path: &str, text: &str) -> Result<PackageMetadata, Report> {
    let document = document::one(path, text.as_bytes(), ", a PackageMetadata")?;
    if !PackageMetadata::is(&document.value) {
        return Err(Report::new(format!(
            "Expected a PackageMetadata of {} in '{path}'",
            PackageMetadata::API_VERSION
        )));
    }
    let decoded = PackageMetadata::read(&document.value, &document.meta.position);
    match decoded.faults.iter().chain(&decoded.unknown).next() {
        None => Ok(decoded.value),
        Some(fault) => Err(Report::new(format!(
            "{}: {}: {}",
            fault.position, fault.path, fault.message
        ))),
    }
}
