//! A repository that is to be changed, and what is said of it then: files in, files and words out.

use super::archive::Tree;
use super::build::BUNDLE;
use super::bundle::{IMAGES_LOCK, Image};
use super::edit::{self, Addition, Changes, Content};
use super::reference::{Reference, Repository as Place};
use super::repository::{PACKAGES, Repository, SOURCES};
use super::verify::{conflicts, verify};
use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::files::File;
use crate::paths;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A repository that is to be changed; it need not be there yet.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// What messages call it: its folder.
    pub name: String,
    files: Vec<File>,
    /// The paths of the sources.
    sources: BTreeSet<String>,
    /// What becomes of it.
    pub changes: Changes,
}

/// A repository that was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its bundle.
    pub image: Image,
    /// The bundle's name, where it will be.
    pub reference: Reference,
    /// What is to be known, a line each.
    pub warnings: Vec<String>,
}

impl Draft {
    /// That of a repository: the files of its packages and its lock by their path in it, and the paths of its sources.
    pub fn new(name: &str, files: Vec<File>, sources: BTreeSet<String>) -> Draft {
        Draft {
            name: name.to_string(),
            files,
            sources,
            changes: Changes::default(),
        }
    }

    /// That of a repository all files of which are at hand; others than a repository's are passed over.
    pub fn of(name: &str, files: &[File]) -> Draft {
        let is_source = |file: &&File| below(file.path(), SOURCES).is_some();
        let sources = files.iter().filter(is_source);
        let sources = sources.map(|file| file.path().to_string()).collect();
        Draft::new(name, pushed(files), sources)
    }

    /// Changes it by what this makes of its content.
    ///
    /// # Errors
    /// Something in it cannot be read, or cannot be made.
    pub fn change(
        &mut self,
        edit: impl FnOnce(&Content) -> Result<Changes, Report>,
    ) -> Result<(), Report> {
        let files = self.files();
        let repository = certain(&self.name, Repository::read(&files))?;
        let paths = files.iter().map(|file| file.path().to_string());
        let content = Content {
            repository,
            paths: paths.chain(self.sources.iter().cloned()).collect(),
        };
        self.changes.then(edit(&content)?);
        Ok(())
    }

    /// Adds packages.
    ///
    /// # Errors
    /// As [`edit::add`] has them.
    pub fn add(&mut self, addition: &Addition, replace: bool) -> Result<(), Report> {
        self.change(|content| edit::add(content, addition, replace))
    }

    /// Makes the lock anew, and verifies everything.
    ///
    /// # Errors
    /// The repository is at fault; all of that is told.
    pub fn build(&mut self, place: &Place) -> Result<Built, Report> {
        let locked = self.change(edit::relock);
        let files = self.files();
        // This tells all that may have kept it from being locked, and more.
        let verdict = check(&self.name, &files, &[])?;
        locked?;
        let image = image(&files)?;
        Ok(Built {
            reference: place.at(image.digest()),
            image,
            warnings: verdict.warnings,
        })
    }

    /// The files that are pushed, as they become.
    pub fn files(&self) -> Vec<File> {
        let mut files = self.changes.applied(&self.files);
        files.retain(|file| below(file.path(), SOURCES).is_none());
        files
    }
}

/// A path below a folder.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Of the files of a repository those that are pushed.
pub fn pushed(files: &[File]) -> Vec<File> {
    let is_pushed =
        |file: &&File| below(file.path(), PACKAGES).is_some() || file.path() == IMAGES_LOCK;
    files.iter().filter(is_pushed).cloned().collect()
}

/// A file, which messages call by its path.
pub fn file(path: &str, bytes: impl Into<Vec<u8>>) -> File {
    File::new(path, format!("file '{path}'"), bytes.into())
}

/// The files of a folder among these, each with its path below it.
pub fn within<'f>(
    files: &'f [File],
    folder: &str,
) -> impl Iterator<Item = (&'f str, &'f File)> + use<'f> {
    let folder = paths::clean(folder);
    files.iter().filter_map(move |file| {
        let path = match folder.as_str() {
            "." => file.path(),
            folder => below(file.path(), folder)?,
        };
        Some((path, file))
    })
}

/// The same, as files that have that path.
pub fn inside(files: &[File], folder: &str) -> Vec<File> {
    let moved = |(path, file): (&str, &File)| {
        let mut file = file.clone();
        file.set_path(path.to_string());
        file
    };
    within(files, folder).map(moved).collect()
}

/// What files add to a repository: those that `haulout package build` made, with what the bundle is made of, or any files
/// of resources. `name` is what messages call them.
///
/// # Errors
/// They cannot be read as they stand.
pub fn addition(name: &str, files: &[File]) -> Result<Addition, Report> {
    let is_built = files
        .iter()
        .any(|file| below(file.path(), PACKAGES).is_some());
    let (read, sources) = if is_built {
        (Repository::read(&pushed(files)), inside(files, BUNDLE))
    } else {
        (Repository::of(files), Vec::new())
    };
    Ok(Addition {
        repository: certain(name, read)?,
        sources,
    })
}

/// What was read, unless there are errors.
///
/// # Errors
/// There are.
pub fn certain(
    name: &str,
    (repository, told): (Repository, Vec<Diagnostic>),
) -> Result<Repository, Report> {
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    let errors: Vec<Diagnostic> = told.into_iter().filter(is_error).collect();
    if errors.is_empty() {
        return Ok(repository);
    }
    Err(report(&format!("Reading packages in '{name}':"), errors))
}

/// The bundle that the files of a repository make.
///
/// # Errors
/// They are no bundle.
pub fn image(files: &[File]) -> Result<Image, Report> {
    let files = files.iter().map(|file| (file.path(), file));
    Image::bundle(&Tree::of(files)?, BTreeMap::new())
}

/// What is said of a repository that is in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// How much is in it, in a line.
    pub text: String,
    /// What kapp-controller would leave out, a line each.
    pub warnings: Vec<String>,
}

/// Verifies a repository, and what its bundles were made of if that is among the files; `others` are in the same cluster, each with its name.
///
/// # Errors
/// It is at fault; all of that is told.
pub fn check(
    name: &str,
    files: &[File],
    others: &[(String, Repository)],
) -> Result<Verdict, Report> {
    let (repository, _) = Repository::read(files);
    let mut told = verify(files);
    for (other, theirs) in others {
        told.extend(conflicts(&repository, theirs, other));
    }
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    let (errors, warnings): (Vec<_>, Vec<_>) = told.into_iter().partition(is_error);
    if !errors.is_empty() {
        let mut all = errors;
        all.extend(warnings);
        return Err(report(&format!("Verifying repository '{name}':"), all));
    }
    let versions = repository.versions();
    let count: usize = versions.iter().map(|(_, versions)| versions.len()).sum();
    Ok(Verdict {
        text: format!(
            "{name}: {} of {} in order",
            counted(count, "version"),
            counted(versions.len(), "package")
        ),
        warnings: warnings.iter().map(line).collect(),
    })
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// All that is wrong, a line each, each with its place.
fn report(heading: &str, diagnostics: Vec<Diagnostic>) -> Report {
    let lines = diagnostics
        .iter()
        .map(|diagnostic| format!("\n- {}", line(diagnostic)));
    Report::with_diagnostics(
        format!("{heading}{}", lines.collect::<String>()),
        diagnostics,
    )
}

fn line(diagnostic: &Diagnostic) -> String {
    let warning = match diagnostic.severity {
        Severity::Error => "",
        Severity::Warning => "warning: ",
    };
    let origin = &diagnostic.origin;
    let place = match origin.line() {
        Some(_) => origin.to_string(),
        None => origin.file().to_string(),
    };
    format!("{place}: {warning}{}", diagnostic.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_a_folder() {
        let files = ["repo/a.yml", "repo/b/c.yml", "repository/d.yml"].map(|path| file(path, ""));
        let table = [
            ("repo", vec!["a.yml", "b/c.yml"]),
            ("./repo/", vec!["a.yml", "b/c.yml"]),
            ("repo/b", vec!["c.yml"]),
            (".", vec!["repo/a.yml", "repo/b/c.yml", "repository/d.yml"]),
            ("rep", vec![]),
        ];
        for (folder, want) in table {
            let found = inside(&files, folder);
            let found: Vec<&str> = found.iter().map(File::path).collect();
            assert_eq!(found, want, "{folder}");
        }
    }
}
