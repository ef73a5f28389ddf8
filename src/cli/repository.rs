//! `repository`: many versions of packages side by side.

use super::Printed;
use super::flags::{
    AddToRepositoryFlags, BuildRepositoryFlags, RemoveFromRepositoryFlags, RepositoryCommand,
    RepositoryFolder,
};
use super::input::Reader;
use super::paths::{base, join};
use super::stage;
use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::files::File;
use crate::package::archive::Tree;
use crate::package::bundle::{self, IMAGES_LOCK};
use crate::package::edit::{self, Addition, Changes, Content};
use crate::package::model::print;
use crate::package::reference;
use crate::package::repository::{PACKAGES, Repository, SOURCES, resource};
use crate::package::verify::{conflicts, verify};
use std::collections::BTreeSet;
use std::fs;

/// Does what is asked.
///
/// # Errors
/// The repository or what is to be added cannot be read, is at fault, or cannot be written.
pub fn repository(command: Option<&RepositoryCommand>, words: &[&str]) -> Result<Printed, Report> {
    let Some(command) = command else {
        return Err(Report::new(
            "expected a command: build, add, remove, list or verify",
        ));
    };
    let folder = match command {
        RepositoryCommand::Build(flags) => &flags.add.repository,
        RepositoryCommand::Add(flags) => &flags.repository,
        RepositoryCommand::Remove(flags) => &flags.repository,
        RepositoryCommand::List(flags) => &flags.repository,
        RepositoryCommand::Verify(flags) => &flags.repository,
    };
    let RepositoryFolder { folder } = folder;
    if folder.is_empty() {
        return Err(Report::new("expected --repository"));
    }
    match command {
        RepositoryCommand::Build(flags) => build(folder, flags, words),
        RepositoryCommand::Add(flags) => {
            if words.is_empty() {
                return Err(Report::new(
                    "expected something to add: a folder or a file with Packages",
                ));
            }
            let draft = add(folder, flags, words)?;
            Ok(Printed::out(apply(folder, &draft.changes)?))
        }
        RepositoryCommand::Remove(flags) => remove(folder, flags),
        RepositoryCommand::List(_) => list(folder),
        RepositoryCommand::Verify(flags) => check(folder, &files(folder)?, &flags.against),
    }
}

/// The packages of the repository in a folder.
///
/// # Errors
/// It is not there, or something in it cannot be read.
pub fn read(folder: &str) -> Result<Repository, Report> {
    certain(folder, Repository::read(&packages(folder)?))
}

/// What was read, unless there are errors.
fn certain(
    folder: &str,
    (repository, told): (Repository, Vec<Diagnostic>),
) -> Result<Repository, Report> {
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    let errors: Vec<Diagnostic> = told.into_iter().filter(is_error).collect();
    if errors.is_empty() {
        return Ok(repository);
    }
    Err(report(&format!("Reading packages in '{folder}':"), errors))
}

/// The files with the packages of a repository, by their path in it.
fn packages(folder: &str) -> Result<Vec<File>, Report> {
    if is_folder(&join(folder, PACKAGES)) {
        return below(folder, PACKAGES);
    }
    Err(Report::new(format!(
        "expected '{folder}' to be a repository, with a folder '{PACKAGES}' in it"
    )))
}

/// The files of a repository that are pushed, by their path in it.
fn files(folder: &str) -> Result<Vec<File>, Report> {
    let mut files = packages(folder)?;
    let lock = join(folder, IMAGES_LOCK);
    if fs::exists(&lock).unwrap_or(true) {
        let mut reader = Reader::default();
        for found in reader.find(&lock)? {
            files.push(file(IMAGES_LOCK, reader.read(&found)?));
        }
    }
    Ok(files)
}

/// The files below a folder of a folder, by their path in the outer one.
fn below(folder: &str, inner: &str) -> Result<Vec<File>, Report> {
    let mut reader = Reader::default();
    let mut files = Vec::new();
    for found in reader.find(&join(folder, inner))? {
        let bytes = reader.read(&found)?;
        files.push(file(&join(inner, &found.relative), bytes));
    }
    Ok(files)
}

fn file(path: &str, bytes: Vec<u8>) -> File {
    File::new(path, format!("file '{path}'"), bytes)
}

fn is_folder(path: &str) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// A repository that is to be changed; it need not be there yet.
pub struct Draft {
    files: Vec<File>,
    /// The paths of the sources.
    sources: BTreeSet<String>,
    /// What becomes of it.
    pub changes: Changes,
}

impl Draft {
    /// That of the repository in a folder.
    ///
    /// # Errors
    /// Something in it cannot be read.
    pub fn of(folder: &str) -> Result<Draft, Report> {
        let is_there = fs::exists(join(folder, PACKAGES)).unwrap_or(true);
        let mut sources = BTreeSet::new();
        if is_folder(&join(folder, SOURCES)) {
            let found = Reader::default().find(&join(folder, SOURCES))?;
            sources.extend(found.iter().map(|found| join(SOURCES, &found.relative)));
        }
        Ok(Draft {
            files: if is_there { files(folder)? } else { Vec::new() },
            sources,
            changes: Changes::default(),
        })
    }

    /// Changes it by what this makes of its content.
    ///
    /// # Errors
    /// Something in it cannot be read, or cannot be made.
    pub fn change(
        &mut self,
        folder: &str,
        edit: impl FnOnce(&Content) -> Result<Changes, Report>,
    ) -> Result<(), Report> {
        let files = self.files();
        let repository = certain(folder, Repository::read(&files))?;
        let paths = files.iter().map(|file| file.path().to_string());
        let content = Content {
            repository,
            paths: paths.chain(self.sources.iter().cloned()).collect(),
        };
        self.changes.then(edit(&content)?);
        Ok(())
    }

    /// The files that are pushed, as they become.
    pub fn files(&self) -> Vec<File> {
        let mut files = self.changes.applied(&self.files);
        files.retain(|file| !file.path().starts_with(SOURCES));
        files
    }
}

/// What a word on the command line adds: a folder with `packages` and perhaps `bundle` and a lock in it, as it is built
/// here; any other folder of resources; a file of them.
fn addition(word: &str) -> Result<Addition, Report> {
    let mut sources = Vec::new();
    let read = if is_folder(&join(word, PACKAGES)) {
        if is_folder(&join(word, BUNDLE)) {
            for mut file in below(word, BUNDLE)? {
                let path = file.path().strip_prefix(BUNDLE).unwrap_or_default();
                file.set_path(path.trim_start_matches('/').to_string());
                sources.push(file);
            }
        }
        Repository::read(&files(word)?)
    } else {
        let mut reader = Reader::default();
        let mut files = Vec::new();
        for found in reader.find(word)? {
            let path = match word {
                "-" => found.relative.clone(),
                folder if is_folder(folder) => join(folder, &found.relative),
                file => file.to_string(),
            };
            files.push(file(&path, reader.read(&found)?));
        }
        Repository::of(&files)
    };
    Ok(Addition {
        repository: certain(word, read)?,
        sources,
    })
}

/// Where `package build` puts what a bundle is made of.
const BUNDLE: &str = "bundle";

fn add(folder: &str, flags: &AddToRepositoryFlags, words: &[&str]) -> Result<Draft, Report> {
    let mut draft = Draft::of(folder)?;
    for word in words {
        let addition = addition(word)?;
        draft
            .change(folder, |content| {
                edit::add(content, &addition, flags.replace)
            })
            .map_err(|report| report.context(format!("Adding '{word}'")))?;
    }
    Ok(draft)
}

fn remove(folder: &str, flags: &RemoveFromRepositoryFlags) -> Result<Printed, Report> {
    if flags.ref_name.is_empty() || flags.package_version.is_empty() {
        return Err(Report::new("expected --ref-name and --version"));
    }
    let mut draft = Draft::of(folder)?;
    draft.change(folder, |content| {
        edit::remove(content, &flags.ref_name, &flags.package_version)
    })?;
    Ok(Printed::out(apply(folder, &draft.changes)?))
}

/// Makes changes; the answer tells them, sources by their folder.
///
/// # Errors
/// The disk refuses.
pub fn apply(folder: &str, changes: &Changes) -> Result<String, Report> {
    let (written, deleted) = stage::apply(folder, changes)?;
    let shown = |path: &String| match path.split('/').collect::<Vec<_>>().as_slice() {
        [first, name, version, _, ..] if *first == SOURCES => {
            join(folder, &format!("{SOURCES}/{name}/{version}"))
        }
        _ => join(folder, path),
    };
    let tell = |what: &str, paths: &[String]| {
        let paths: BTreeSet<String> = paths.iter().map(shown).collect();
        paths
            .iter()
            .map(|path| format!("{what}: {path}\n"))
            .collect::<String>()
    };
    Ok(tell("writing", &written) + &tell("deleting", &deleted))
}

fn build(folder: &str, flags: &BuildRepositoryFlags, words: &[&str]) -> Result<Printed, Report> {
    let place = place(&flags.bundle_repo)?;
    let mut draft = add(folder, &flags.add, words)?;
    let locked = draft.change(folder, edit::relock);
    let files = draft.files();
    // This tells all that may have kept it from being locked, and more.
    let mut printed = check(folder, &files, &[])?;
    locked?;
    let image = at(&place, &files)?.to_string();
    let name = match flags.name.as_str() {
        "" => base(&place.name),
        name => name,
    };
    printed
        .err
        .extend_from_slice(apply(folder, &draft.changes)?.as_bytes());
    printed.out = print(&[resource(name, &flags.namespace, &image)]);
    Ok(printed)
}

fn place(text: &str) -> Result<reference::Repository, Report> {
    text.parse()
        .map_err(|reason: String| Report::new(format!("--bundle-repo: {reason}")))
}

/// The bundle that the files of a repository make, where it will be.
fn at(place: &reference::Repository, files: &[File]) -> Result<reference::Reference, Report> {
    let mut tree = Tree::default();
    for file in files {
        tree.add(file.path(), file.source()?.text.clone(), false)?;
    }
    Ok(place.at(bundle::digest(&tree)?))
}

/// The bundle of the repository in a folder, as it is put into `bundle_repo`.
///
/// # Errors
/// That is no place, or the repository cannot be read or is no bundle.
pub fn image(folder: &str, bundle_repo: &str) -> Result<reference::Reference, Report> {
    at(&place(bundle_repo)?, &files(folder)?)
        .map_err(|report| report.context(format!("Making the bundle of '{folder}'")))
}

/// The files of a folder in a repository, by their path in it; none if it is not there.
///
/// # Errors
/// It cannot be read.
pub fn sources(folder: &str, inner: &str) -> Result<Vec<File>, Report> {
    if !is_folder(&join(folder, inner)) {
        return Ok(Vec::new());
    }
    let mut files = below(folder, inner)?;
    for file in &mut files {
        let path = file.path().strip_prefix(inner).unwrap_or(file.path());
        let path = path.trim_start_matches('/').to_string();
        file.set_path(path);
    }
    Ok(files)
}

fn list(folder: &str) -> Result<Printed, Report> {
    let repository = read(folder)?;
    let versions = repository.versions();
    let widest =
        |texts: &mut dyn Iterator<Item = &str>| texts.map(str::len).max().unwrap_or_default();
    let name_width = widest(&mut versions.iter().map(|(name, _)| *name));
    let version_width = widest(
        &mut versions
            .iter()
            .flat_map(|(_, versions)| versions.iter().copied()),
    );
    let mut text = String::new();
    for (name, versions) in &versions {
        for version in versions {
            let found = repository.package(name, version);
            let bundles = found.into_iter().flat_map(|found| found.resource.bundles());
            let bundles: Vec<&str> = bundles.map(|(_, name)| name).collect();
            let line = format!(
                "{name:name_width$}  {version:version_width$}  {}",
                bundles.join(" ")
            );
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    Ok(Printed::out(text))
}

/// Warnings are printed, errors make it fail.
///
/// # Errors
/// The repository is at fault, or another one cannot be read.
pub fn check(folder: &str, files: &[File], others: &[String]) -> Result<Printed, Report> {
    let (repository, _) = Repository::read(files);
    let mut told = verify(files);
    for other in others {
        told.extend(conflicts(&repository, &read(other)?, other));
    }
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    let (errors, warnings): (Vec<_>, Vec<_>) = told.into_iter().partition(is_error);
    if !errors.is_empty() {
        let mut all = errors;
        all.extend(warnings);
        return Err(report(&format!("Verifying repository '{folder}':"), all));
    }
    let versions = repository.versions();
    let count: usize = versions.iter().map(|(_, versions)| versions.len()).sum();
    let mut printed = Printed::out(format!(
        "{folder}: {} of {} in order\n",
        counted(count, "version"),
        counted(versions.len(), "package")
    ));
    for warning in &warnings {
        printed
            .err
            .extend_from_slice(format!("{}\n", line(warning)).as_bytes());
    }
    Ok(printed)
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
