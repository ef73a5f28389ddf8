//! `repository`: many versions of packages side by side.

use super::Printed;
use super::flags::{
    AddToRepositoryFlags, BuildRepositoryFlags, RemoveFromRepositoryFlags, RepositoryCommand,
    RepositoryFolder,
};
use super::input::Reader;
use super::paths::join;
use super::stage;
use crate::diagnostic::Report;
use crate::files::File;
use crate::package::build::BUNDLE;
use crate::package::bundle::IMAGES_LOCK;
use crate::package::draft::{self, Draft, certain, file};
use crate::package::edit::{self, Addition, Changes};
use crate::package::model::print;
use crate::package::reference;
use crate::package::repository::{PACKAGES, Repository, SOURCES, resource};
use crate::package::wanted::{repository as place, required};
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
    required("--repository", folder)?;
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
        RepositoryCommand::Verify(flags) => verify(folder, &flags.against),
    }
}

/// The packages of the repository in a folder.
///
/// # Errors
/// It is not there, or something in it cannot be read.
pub fn read(folder: &str) -> Result<Repository, Report> {
    certain(folder, Repository::read(&packages(folder)?))
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

fn is_folder(path: &str) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// The repository in a folder, to be changed; it need not be there yet.
///
/// # Errors
/// Something in it cannot be read.
pub fn draft(folder: &str) -> Result<Draft, Report> {
    let is_there = fs::exists(join(folder, PACKAGES)).unwrap_or(true);
    let mut sources = BTreeSet::new();
    if is_folder(&join(folder, SOURCES)) {
        let found = Reader::default().find(&join(folder, SOURCES))?;
        sources.extend(found.iter().map(|found| join(SOURCES, &found.relative)));
    }
    let files = if is_there { files(folder)? } else { Vec::new() };
    Ok(Draft::new(folder, files, sources))
}

/// What a word on the command line adds: a folder with `packages` and perhaps `bundle` and a lock in it, as it is built
/// here; any other folder of resources; a file of them.
fn addition(word: &str) -> Result<Addition, Report> {
    if is_folder(&join(word, PACKAGES)) {
        let mut all = files(word)?;
        if is_folder(&join(word, BUNDLE)) {
            all.extend(below(word, BUNDLE)?);
        }
        return draft::addition(word, &all);
    }
    let mut reader = Reader::default();
    let mut all = Vec::new();
    for found in reader.find(word)? {
        let path = match word {
            "-" => found.relative.clone(),
            folder if is_folder(folder) => join(folder, &found.relative),
            file => file.to_string(),
        };
        all.push(file(&path, reader.read(&found)?));
    }
    draft::addition(word, &all)
}

fn add(folder: &str, flags: &AddToRepositoryFlags, words: &[&str]) -> Result<Draft, Report> {
    let mut draft = draft(folder)?;
    for word in words {
        draft
            .add(&addition(word)?, flags.replace)
            .map_err(|report| report.context(format!("Adding '{word}'")))?;
    }
    Ok(draft)
}

fn remove(folder: &str, flags: &RemoveFromRepositoryFlags) -> Result<Printed, Report> {
    if flags.ref_name.is_empty() || flags.package_version.is_empty() {
        return Err(Report::new("expected --ref-name and --version"));
    }
    let mut draft = draft(folder)?;
    draft.change(|content| edit::remove(content, &flags.ref_name, &flags.package_version))?;
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
    let place = place("--bundle-repo", &flags.bundle_repo)?;
    let mut draft = add(folder, &flags.add, words)?;
    let built = draft.build(&place)?;
    let name = match flags.name.as_str() {
        "" => place.base(),
        name => name,
    };
    let mut err: String = lines(&built.warnings);
    err += &apply(folder, &draft.changes)?;
    Ok(Printed {
        out: print(&[resource(
            name,
            &flags.namespace,
            &built.reference.to_string(),
        )]),
        err: err.into_bytes(),
        status: 0,
    })
}

fn lines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The bundle of the repository in a folder, as it is put into `bundle_repo`.
///
/// # Errors
/// That is no place, or the repository cannot be read or is no bundle.
pub fn image(folder: &str, bundle_repo: &str) -> Result<reference::Reference, Report> {
    let place = place("--bundle-repo", bundle_repo)?;
    files(folder)
        .and_then(|files| Ok(place.at(draft::image(&files)?.digest())))
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
fn verify(folder: &str, others: &[String]) -> Result<Printed, Report> {
    let read_other = |other: &String| Ok((other.clone(), read(other)?));
    let others: Result<Vec<_>, Report> = others.iter().map(read_other).collect();
    let mut all = files(folder)?;
    if is_folder(&join(folder, SOURCES)) {
        all.extend(below(folder, SOURCES)?);
    }
    let verdict = draft::check(folder, &all, &others?)?;
    Ok(Printed {
        err: lines(&verdict.warnings).into_bytes(),
        ..Printed::out(format!("{}\n", verdict.text))
    })
}
