//! The templates that the program carries.

use crate::diagnostic::Report;
use crate::files::File;
use include_dir::{Dir, include_dir};
use serde::Serialize;

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// A package among them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Package {
    /// The name by which it is asked for: `pinniped/supervisor`.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// Its version.
    pub version: String,
}

/// All packages: by family and name, the newest version of each first.
pub fn packages() -> Vec<Package> {
    let mut packages = Vec::new();
    for family in TEMPLATES.dirs() {
        for version in family.dirs() {
            for package in version.dirs() {
                let (family, name) = (last(family.path()), last(package.path()));
                packages.push(Package {
                    name: format!("{family}/{name}"),
                    title: format!("{} {}", capital(&family), capital(&name)),
                    version: last(version.path()),
                });
            }
        }
    }
    packages.sort_by(|a, b| {
        b.name
            .cmp(&a.name)
            .then_with(|| order(&b.version).cmp(&order(&a.version)))
    });
    packages
}

/// The files of a package, sorted by path: `pinniped/supervisor`, or `pinniped/supervisor@0.39.0`.
///
/// # Errors
/// There is no such package.
pub fn files(name: &str) -> Result<Vec<File>, Report> {
    let (wanted, version) = match name.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (name, None),
    };
    let packages = packages();
    let found = packages.iter().find(|package| {
        package.name == wanted && version.is_none_or(|version| package.version == version)
    });
    let folder = found.and_then(|package| {
        let (family, name) = package.name.split_once('/')?;
        TEMPLATES.get_dir(format!("{family}/{}/{name}", package.version))
    });
    let Some(folder) = folder else {
        let known: Vec<String> = packages
            .iter()
            .map(|package| format!("{}@{}", package.name, package.version))
            .collect();
        return Err(Report::new(format!(
            "there is no package '{name}' (hint: there is {})",
            known.join(", ")
        )));
    };
    let mut files = Vec::new();
    let mut folders = vec![folder];
    while let Some(inner) = folders.pop() {
        folders.extend(inner.dirs());
        for file in inner.files() {
            let path = file
                .path()
                .strip_prefix(folder.path())
                .unwrap_or(file.path());
            let path = path.to_string_lossy().replace('\\', "/");
            files.push(File::new(
                path.clone(),
                format!("file '{path}'"),
                file.contents(),
            ));
        }
    }
    files.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(files)
}

fn last(path: &std::path::Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

fn order(version: &str) -> Option<semver::Version> {
    semver::Version::parse(version).ok()
}
