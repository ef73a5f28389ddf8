//! The Pinniped templates that the program carries give the objects of Pinniped's own.
//!
//! For each set of values in `tests/pinniped/VERSION/PACKAGE/` both are rendered, ours and those of the release, and
//! compared object for object, descriptions in custom resource definitions aside; a set that the release refuses is
//! refused by ours for the same values. A set is a plain values file, or one that begins with `#@data/values`. Where the
//! release is not at hand, digests of its objects stand in for it (`RECORD=1` writes them anew).

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used
)]

use haulout::diagnostic::Report;
use haulout::files::File;
use haulout::render::{Request, render};
use haulout::templates;
use haulout::values::Flags;
use haulout::values::flags::ValuesFile;
use haulout::yaml::{Value, json_value};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

const VERSIONS: [&str; 2] = ["0.25.0", "0.39.0"];
const PACKAGES: [&str; 2] = ["supervisor", "concierge"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The release's own folder of a package, if it is at hand.
fn release(version: &str, package: &str) -> Option<PathBuf> {
    let folder = root()
        .join("../shared/conformance/fixtures/pinniped")
        .join(format!("v{version}"))
        .join(package);
    folder.is_dir().then_some(folder)
}

fn read_folder(folder: &Path) -> Vec<File> {
    let file = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        let bytes = fs::read(&path).unwrap();
        File::new(name.clone(), format!("file '{name}'"), bytes)
    };
    files_in(folder).into_iter().map(file).collect()
}

/// What a render gives: objects by what tells them apart, each as canonical JSON; or the values that are refused.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Objects(BTreeMap<String, String>),
    Refused(BTreeSet<String>),
}

impl Outcome {
    /// The names of the objects that differ from those of another outcome; all there is to say if one was refused.
    fn beside(&self, other: &Outcome) -> Vec<String> {
        match (self, other) {
            (Outcome::Objects(ours), Outcome::Objects(theirs)) => {
                let names: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
                names
                    .into_iter()
                    .filter(|name| ours.get(*name) != theirs.get(*name))
                    .map(|name| {
                        let side = |objects: &BTreeMap<String, String>| {
                            objects.get(name).cloned().unwrap_or_default()
                        };
                        format!("{name}\n- {}\n+ {}", side(theirs), side(ours))
                    })
                    .collect()
            }
            _ if self == other => Vec::new(),
            _ => vec![format!("- {other:?}\n+ {self:?}")],
        }
    }

    fn digest(&self) -> String {
        let mut text = String::new();
        match self {
            Outcome::Objects(objects) => {
                for (name, object) in objects {
                    writeln!(text, "{name} {object}").unwrap();
                }
            }
            Outcome::Refused(values) => writeln!(text, "refused {values:?}").unwrap(),
        }
        Sha256::digest(text.as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

fn outcome(files: Vec<File>, values: &Path) -> Outcome {
    let name = values.file_name().unwrap().to_str().unwrap().to_string();
    let bytes = fs::read(values).unwrap();
    let mut request = Request {
        files,
        ..Request::default()
    };
    if bytes.starts_with(b"#@data/values") {
        let file = File::new(name.clone(), format!("file '{name}'"), bytes);
        request.files.push(file);
    } else {
        let file = ValuesFile {
            library: String::new(),
            argument: name.clone(),
            path: name.clone(),
            bytes,
        };
        request.values = Flags {
            files: vec![file],
            ..Flags::default()
        };
    }
    match render(&request) {
        Ok(output) => {
            let mut objects = BTreeMap::new();
            for document in &output.documents.items {
                let (name, object) = object(&document.value);
                assert!(
                    objects.insert(name.clone(), object).is_none(),
                    "{name} is there twice"
                );
            }
            Outcome::Objects(objects)
        }
        Err(report) => Outcome::Refused(refused(&report, &name)),
    }
}

/// The data values that a report is about; for faults of type the place in the values file, and for those that only
/// a template finds no more than that: where is the template's own affair.
fn refused(report: &Report, values: &str) -> BTreeSet<String> {
    let place = |diagnostic: &haulout::diagnostic::Diagnostic| {
        let origin = &diagnostic.origin;
        match (diagnostic.path.as_slice(), origin.line()) {
            ([], Some(line)) if origin.file() == values => format!("line {line}"),
            ([], _) => "in a template".to_string(),
            (path, _) => path.join("."),
        }
    };
    report.diagnostics().iter().map(place).collect()
}

fn object(value: &Value) -> (String, String) {
    let map = value.as_map().expect("an object is a map");
    let word = |map: &haulout::yaml::Map, key: &str| {
        map.get(key)
            .and_then(|item| item.value.as_str())
            .unwrap_or_default()
            .to_string()
    };
    let metadata = map
        .get("metadata")
        .and_then(|item| item.value.as_map())
        .expect("an object has metadata");
    let kind = word(map, "kind");
    let name = format!(
        "{} {kind} {}/{}",
        word(map, "apiVersion"),
        word(metadata, "namespace"),
        word(metadata, "name")
    );
    let mut value = value.clone();
    if kind == "CustomResourceDefinition" {
        drop_descriptions(&mut value);
    }
    (
        name,
        String::from_utf8(json_value(&value, 0, false).unwrap()).unwrap(),
    )
}

/// Prose is not part of a schema; a property that is called "description" is, and is no string.
fn drop_descriptions(value: &mut Value) {
    match value {
        Value::Map(map) => {
            let map = Rc::make_mut(map);
            map.items.retain(|item| {
                !(item.key.as_str() == Some("description") && matches!(item.value, Value::Str(_)))
            });
            map.items
                .iter_mut()
                .for_each(|item| drop_descriptions(&mut item.value));
        }
        Value::Array(array) => {
            Rc::make_mut(array)
                .items
                .iter_mut()
                .for_each(|item| drop_descriptions(&mut item.value));
        }
        _ => {}
    }
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn check(version: &str, package: &str) {
    let folder = root().join("tests/pinniped").join(version);
    let sets = files_in(&folder.join(package));
    assert!(sets.len() >= 15);
    let record = folder.join(format!("{package}.digests"));
    let mut digests = String::new();
    for set in &sets {
        let label = format!("{package}/{}", set.file_stem().unwrap().to_str().unwrap());
        let ours = outcome(
            templates::files(&format!("pinniped/{package}@{version}")).unwrap(),
            set,
        );
        match release(version, package) {
            Some(folder) => {
                let theirs = outcome(read_folder(&folder), set);
                let differences = ours.beside(&theirs);
                assert!(
                    differences.is_empty(),
                    "{version} {label}:\n{}",
                    differences.join("\n")
                );
            }
            None => println!(
                "skipped: {version} {label} beside the release itself; its digest is compared"
            ),
        }
        writeln!(digests, "{label} {}", ours.digest()).unwrap();
    }
    if std::env::var_os("RECORD").is_some() {
        fs::write(&record, &digests).unwrap();
    }
    assert_eq!(
        digests,
        fs::read_to_string(&record).unwrap_or_default(),
        "{}",
        record.display()
    );
}

#[test]
fn supervisor_0_25_has_the_objects_of_the_release() {
    check("0.25.0", "supervisor");
}

#[test]
fn concierge_0_25_has_the_objects_of_the_release() {
    check("0.25.0", "concierge");
}

#[test]
fn supervisor_0_39_has_the_objects_of_the_release() {
    check("0.39.0", "supervisor");
}

#[test]
fn concierge_0_39_has_the_objects_of_the_release() {
    check("0.39.0", "concierge");
}

/// Packages stand alone, so each has its copy of what they share. A copy costs the program nothing as long as it is one.
#[test]
fn shared_files_are_the_same_everywhere() {
    let copies = |name: &str, versions: &[&str], packages: &[&str]| {
        let mut copies = BTreeSet::new();
        for version in versions {
            for package in packages {
                let folder = root()
                    .join("templates/pinniped")
                    .join(version)
                    .join(package);
                copies.insert(fs::read_to_string(folder.join(name)).unwrap());
            }
        }
        assert_eq!(copies.len(), 1, "{name} in {versions:?}, {packages:?}");
    };
    for name in ["openapi.star", "kubernetes.star"] {
        copies(name, &VERSIONS, &PACKAGES);
    }
    for version in VERSIONS {
        copies("api.star", &[version], &PACKAGES);
    }
    for package in PACKAGES {
        copies("names.lib.yaml", &VERSIONS, &[package]);
    }
}

/// The templates are written for this project: nowhere do six lines in a row stand in the release's files too, names
/// and plain values aside.
#[test]
fn no_passage_is_the_release_s() {
    const PASSAGE: usize = 6;
    let telling = |line: &str| {
        let line = line.trim();
        let bare = |text: &str| {
            text.chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_./:[]{}, \"'".contains(c))
        };
        (!line.is_empty() && line != "---" && !bare(line)).then(|| line.to_string())
    };
    let lines = |text: &str| -> Vec<String> { text.lines().filter_map(telling).collect() };
    for (version, package) in VERSIONS
        .iter()
        .flat_map(|version| PACKAGES.map(|package| (version, package)))
    {
        let Some(folder) = release(version, package) else {
            println!("skipped: {package} {version}: the release is not at hand");
            continue;
        };
        let mut theirs = BTreeSet::new();
        for file in read_folder(&folder) {
            let lines = lines(&String::from_utf8_lossy(&file.source().unwrap().text));
            theirs.extend(lines.windows(PASSAGE).map(<[String]>::to_vec));
        }
        for file in templates::files(&format!("pinniped/{package}@{version}")).unwrap() {
            let lines = lines(&String::from_utf8_lossy(&file.source().unwrap().text));
            for passage in lines.windows(PASSAGE) {
                assert!(
                    !theirs.contains(passage),
                    "{package}/{} of {version}: {passage:#?}",
                    file.path()
                );
            }
        }
    }
}
