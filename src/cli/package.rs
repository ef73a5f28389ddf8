//! `package`: Carvel packages from templates.

use super::Printed;
use super::flags::{BuildPackageFlags, PackageCommand, PackageFlags};
use super::paths::reason;
use super::tree;
use crate::diagnostic::Report;
use crate::package::archive::Tree;
use crate::package::build::{BUNDLE, Built, Released, Source, build, titled};
use crate::package::model::{PackageMetadata, Resource};
use crate::package::reference::Repository;
use crate::package::repository::PACKAGES;
use crate::position::Position;
use crate::templates;
use crate::yaml::{self, ParseOptions};
use std::fs;
use std::io::ErrorKind;

/// Does what is asked.
///
/// # Errors
/// A flag is missing or wrong, or the package cannot be built or written.
pub fn package(flags: &PackageFlags) -> Result<Printed, Report> {
    match &flags.command {
        None => Err(Report::new("expected a command: build")),
        Some(PackageCommand::Build(flags)) => build_package(flags),
    }
}

fn build_package(flags: &BuildPackageFlags) -> Result<Printed, Report> {
    let required = [
        ("--source", &flags.source),
        ("--ref-name", &flags.ref_name),
        ("--version", &flags.package_version),
        ("--bundle-repo", &flags.bundle_repo),
        ("--out", &flags.out),
    ];
    if let Some((flag, _)) = required.iter().find(|(_, value)| value.is_empty()) {
        return Err(Report::new(format!("expected {flag}")));
    }
    check_out(&flags.out)?;
    let built = built(&Wanted {
        source: &flags.source,
        ref_name: &flags.ref_name,
        version: &flags.package_version,
        bundle_repo: ("--bundle-repo", &flags.bundle_repo),
        images: ("--image", &flags.images),
        release_notes: &flags.release_notes,
        metadata: &flags.metadata,
        allow_unlocked: flags.allow_unlocked,
    })?;
    tree::write_tree(&flags.out, &built.tree()?)?;
    let warnings = built.warnings.iter();
    let warnings = warnings.map(|warning| format!("warning: {warning}\n"));
    Ok(Printed {
        out: format!("{}\n", built.reference).into_bytes(),
        err: warnings.collect::<String>().into_bytes(),
        status: 0,
    })
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
pub fn built(wanted: &Wanted) -> Result<Built, Report> {
    let (templates, title) = templates(wanted.source)?;
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
            path => text(path)?,
        },
        metadata: match wanted.metadata {
            "" => titled(title.as_deref().unwrap_or_default()),
            path => metadata(path)?,
        },
        allow_unlocked: wanted.allow_unlocked,
    })
}

/// A repository of a registry that a flag or a key names.
///
/// # Errors
/// It is none.
pub fn repository(what: &str, text: &str) -> Result<Repository, Report> {
    text.parse()
        .map_err(|reason| Report::new(format!("{what}: {reason}")))
}

/// What is replaced must have been made here: a folder that holds anything else was not meant.
fn check_out(folder: &str) -> Result<(), Report> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries
            .map_err(|error| Report::new(format!("Reading '{folder}': {}", reason(&error))))?,
    };
    for entry in entries {
        let entry = entry
            .map_err(|error| Report::new(format!("Reading '{folder}': {}", reason(&error))))?;
        let name = entry.file_name();
        if name != BUNDLE && name != PACKAGES {
            return Err(Report::new(format!(
                "Expected '{folder}' to hold nothing but what 'haulout package build' made, found '{}'",
                name.to_string_lossy()
            )));
        }
    }
    Ok(())
}

/// The templates of a folder, or those of a package that the program carries, and its name for people.
///
/// # Errors
/// There is neither.
fn templates(source: &str) -> Result<(Tree, Option<String>), Report> {
    let is_path = fs::exists(source).unwrap_or(true) || source.starts_with(['.', '/']);
    if is_path {
        let tree = tree::read_tree(&[source.to_string()], &[".git".into()])?;
        return Ok((tree, None));
    }
    let files = templates::files(source).map_err(|report| {
        Report::new(format!(
            "Expected a folder or a package of the program, but {}",
            report.text()
        ))
    })?;
    let mut tree = Tree::default();
    for file in files {
        tree.add(file.path(), file.source()?.text.clone(), false)?;
    }
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

/// A text in a file.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub fn text(path: &str) -> Result<String, Report> {
    let bytes = fs::read(path)
        .map_err(|error| Report::new(format!("Reading '{path}': {}", reason(&error))))?;
    String::from_utf8(bytes).map_err(|_| Report::new(format!("Reading '{path}': it is not UTF-8")))
}

/// The PackageMetadata in a file.
///
/// # Errors
/// It cannot be read, or holds something else.
fn metadata(path: &str) -> Result<PackageMetadata, Report> {
    let text = text(path)?;
    let source = crate::position::Source::file(path, text);
    let documents = yaml::parse(&source, ParseOptions::default())
        .map_err(|error| Report::new(format!("Parsing '{path}': {}", error.message)))?;
    let mut documents = documents
        .items
        .iter()
        .filter(|document| !document.is_empty());
    let (Some(document), None) = (documents.next(), documents.next()) else {
        return Err(Report::new(format!(
            "Expected one document in '{path}', a PackageMetadata"
        )));
    };
    if !PackageMetadata::is(&document.value) {
        return Err(Report::new(format!(
            "Expected a PackageMetadata of {} in '{path}'",
            PackageMetadata::API_VERSION
        )));
    }
    let decoded = PackageMetadata::read(&document.value, &Position::in_source(&source));
    match decoded.faults.iter().chain(&decoded.unknown).next() {
        None => Ok(decoded.value),
        Some(fault) => Err(Report::new(format!(
            "{}: {}: {}",
            fault.position, fault.path, fault.message
        ))),
    }
}
