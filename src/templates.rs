//! The templates that the program carries.
//!
//! The command line holds them within it. In WebAssembly they are a file of their own, which is loaded by whoever needs
//! it: most pages show their own author's templates.

use crate::diagnostic::Report;
use crate::files::File;
use crate::order;
use serde::Serialize;

/// Goes through the files of all packages: `FAMILY/VERSION/NAME/PATH` and what they hold.
#[cfg(not(target_arch = "wasm32"))]
fn visit(mut see: impl FnMut(&str, &[u8])) {
    use include_dir::{Dir, include_dir};
    static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");

    let mut folders = vec![&TEMPLATES];
    while let Some(folder) = folders.pop() {
        folders.extend(folder.dirs());
        for file in folder.files() {
            let path = file.path().to_string_lossy().replace('\\', "/");
            see(&path, file.contents());
        }
    }
}

#[cfg(target_arch = "wasm32")]
thread_local! {
    static LOADED: std::cell::RefCell<Vec<(String, Vec<u8>)>> = const { std::cell::RefCell::new(Vec::new()) };
}

#[cfg(target_arch = "wasm32")]
fn visit(mut see: impl FnMut(&str, &[u8])) {
    LOADED.with_borrow(|files| {
        for (path, bytes) in files {
            see(path, bytes);
        }
    });
}

/// Holds these files from now on: `FAMILY/VERSION/NAME/PATH` and what they hold.
#[cfg(target_arch = "wasm32")]
pub fn load(files: Vec<(String, Vec<u8>)>) {
    LOADED.set(files);
}

/// A package among them, in one version.
#[derive(Clone, Debug, Serialize)]
pub struct Package {
    /// The name by which it is asked for: `pinniped/supervisor` for the newest, `pinniped/supervisor@0.25.0` for another.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// Its version.
    pub version: String,
    /// Where its files are: `FAMILY/VERSION/NAME/`.
    #[serde(skip)]
    folder: String,
}

impl Package {
    /// The name without a version.
    fn bare(&self) -> &str {
        parts(&self.name).0
    }

    /// Its files, sorted by path.
    pub fn files(&self) -> Vec<File> {
        let mut files = Vec::new();
        visit(|path, bytes| {
            if let Some(path) = path.strip_prefix(&self.folder) {
                files.push(File::new(path, format!("file '{path}'"), bytes));
            }
        });
        order::sort_by(&mut files, |a, b| a.path().cmp(b.path()));
        files
    }
}

/// All packages: by family and name, the newest version of each first.
pub fn packages() -> Vec<Package> {
    let mut packages: Vec<Package> = Vec::new();
    visit(|path, _| {
        let mut folders = path.splitn(4, '/');
        let (Some(family), Some(version), Some(name), Some(_)) = (
            folders.next(),
            folders.next(),
            folders.next(),
            folders.next(),
        ) else {
            return;
        };
        let folder = format!("{family}/{version}/{name}/");
        if packages.iter().all(|package| package.folder != folder) {
            packages.push(Package {
                name: format!("{family}/{name}"),
                title: format!("{} {}", capital(family), capital(name)),
                version: version.to_string(),
                folder,
            });
        }
    });
    order::sort_by(&mut packages, |a, b| {
        b.name
            .cmp(&a.name)
            .then_with(|| order(&b.version).cmp(&order(&a.version)))
    });
    let mut newest = String::new();
    for package in &mut packages {
        if package.name == newest {
            package.name = format!("{newest}@{}", package.version);
        } else {
            newest.clone_from(&package.name);
        }
    }
    packages
}

/// The files of a package, sorted by path: `pinniped/supervisor` is the newest, `pinniped/supervisor@0.25.0` a given one.
///
/// # Errors
/// There is no such package, or not in this version.
pub fn files(name: &str) -> Result<Vec<File>, Report> {
    Ok(find(name)?.files())
}

/// The package of this name.
///
/// # Errors
/// There is no such package, or not in this version.
pub fn find(name: &str) -> Result<Package, Report> {
    let (wanted, version) = parts(name);
    let (same, others): (Vec<_>, Vec<_>) = packages()
        .into_iter()
        .partition(|package| package.bare() == wanted);
    let (missing, mut known): (_, Vec<_>) = match version {
        Some(version) if !same.is_empty() => (
            format!("version '{version}' of package '{wanted}'"),
            same.iter().map(|package| package.version.clone()).collect(),
        ),
        _ => (
            format!("package '{wanted}'"),
            others.iter().map(|package| package.bare().into()).collect(),
        ),
    };
    known.dedup();
    let known = match known.as_slice() {
        [] => "none is loaded".to_string(),
        known => format!("there is {}", known.join(", ")),
    };
    same.into_iter()
        .find(|package| version.is_none_or(|version| package.version == version))
        .ok_or_else(|| Report::new(format!("there is no {missing} (hint: {known})")))
}

/// `pinniped/supervisor@0.25.0` as name and version.
fn parts(name: &str) -> (&str, Option<&str>) {
    match name.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (name, None),
    }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_meant_unless_another_is_named() {
        let names: Vec<_> = packages()
            .into_iter()
            .map(|package| format!("{} {} ({})", package.title, package.version, package.name))
            .collect();
        assert_eq!(
            names,
            [
                "Pinniped Supervisor 0.39.0 (pinniped/supervisor)",
                "Pinniped Supervisor 0.25.0 (pinniped/supervisor@0.25.0)",
                "Pinniped Concierge 0.39.0 (pinniped/concierge)",
                "Pinniped Concierge 0.25.0 (pinniped/concierge@0.25.0)",
            ]
        );
        let texts = |name: &str| {
            let files = files(name).unwrap().into_iter();
            files
                .map(|file| (file.path().to_string(), file.source().unwrap().text.clone()))
                .collect::<Vec<_>>()
        };
        let newest = texts("pinniped/supervisor");
        assert_eq!(newest, texts("pinniped/supervisor@0.39.0"));
        assert_ne!(newest, texts("pinniped/supervisor@0.25.0"));
    }

    #[test]
    fn what_is_not_there_is_told_with_what_is() {
        let text = |name: &str| files(name).unwrap_err().text().to_string();
        assert_eq!(
            text("pinniped/supervisor@0.25"),
            "there is no version '0.25' of package 'pinniped/supervisor' (hint: there is 0.39.0, 0.25.0)"
        );
        assert_eq!(
            text("pinniped/walrus@0.25.0"),
            "there is no package 'pinniped/walrus' (hint: there is pinniped/supervisor, pinniped/concierge)"
        );
    }
}
