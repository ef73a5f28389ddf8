//! Pinniped as packages: equal to what its own scripts made where they were right, and without what they got wrong. The
//! recorded run and Pinniped's own `deploy` folders are used where they are at hand (`../shared`, or the folder that
//! `HAULOUT_SHARED` names).

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic
)]

use haulout::files::File;
use haulout::package::archive::{Node, Tree};
use haulout::package::build::{Built, Source, build, titled};
use haulout::package::bundle::{self, IMAGES_LOCK};
use haulout::package::images::{ID, ImagesLock};
use haulout::package::lock;
use haulout::package::lock::config::Config;
use haulout::package::model::{Package, PackageMetadata, Resource};
use haulout::package::repository::Repository;
use haulout::position;
use haulout::render::{Request, render};
use haulout::templates;
use haulout::yaml::{self, ParseOptions, Value, json_value};
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};

const DIGEST: &str = "sha256:8d0f95e51c4eadb201010041489461f87680054b5f1f6c8b79a483b36db39f2f";
const IMAGE: &str = "ghcr.io/vmware-tanzu/pinniped/pinniped-server";
const APPS: [&str; 2] = ["supervisor", "concierge"];

fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("HAULOUT_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let is_there = folder.join("reference/packaging/pinniped-run").is_dir();
    if !is_there {
        println!(
            "skipped: the recorded run ({} is not there)",
            folder.display()
        );
    }
    is_there.then_some(folder)
}

/// The files of a folder on the disk.
fn read(folder: &Path) -> Tree {
    fn walk(root: &Path, folder: &Path, tree: &mut Tree) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, tree);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy();
                tree.add(&name, fs::read(&path).unwrap(), false).unwrap();
            }
        }
    }
    let mut tree = Tree::default();
    walk(folder, folder, &mut tree);
    tree
}

fn embedded(name: &str) -> Tree {
    let mut tree = Tree::default();
    for file in templates::files(name).unwrap() {
        tree.add(file.path(), file.source().unwrap().text.clone(), false)
            .unwrap();
    }
    tree
}

fn source(app: &str, version: &str, templates: Tree) -> Source {
    Source {
        templates,
        ref_name: format!("{app}.pinniped.dev"),
        version: version.into(),
        bundle_repo: format!("registry.example.com/pinniped/{app}")
            .parse()
            .unwrap(),
        images: vec![format!("{IMAGE}@{DIGEST}").parse().unwrap()],
        release_notes: String::new(),
        metadata: titled("Pinniped"),
        allow_unlocked: false,
    }
}

/// Everything there is to build: what the program carries, and Pinniped's own folders.
fn sources() -> Vec<Source> {
    let mut all = Vec::new();
    for version in ["0.25.0", "0.39.0"] {
        for app in APPS {
            let name = format!("pinniped/{app}@{version}");
            all.push(source(app, version, embedded(&name)));
            if let Some(shared) = shared() {
                let folder = format!("conformance/fixtures/pinniped/v{version}/{app}");
                all.push(source(app, version, read(&shared.join(folder))));
            }
        }
    }
    all
}

fn documents(text: &[u8]) -> Vec<Value> {
    let source = position::Source::file("test", text);
    let documents = yaml::parse(&source, ParseOptions::default()).unwrap();
    let documents = documents
        .items
        .iter()
        .filter(|document| !document.is_empty());
    documents.map(|document| document.value.clone()).collect()
}

fn json(value: &Value) -> Json {
    serde_json::from_slice(&json_value(value, 0, false).unwrap()).unwrap()
}

/// What kapp-controller would deploy with no values: the bundle rendered, its images taken from the files of the kbld step.
fn deployed(built: &Built, lock: &ImagesLock) -> Vec<Value> {
    let spec = &built.package.spec.template.as_ref().unwrap().spec;
    let ytt = spec.template[0].ytt.as_ref().unwrap();
    let kbld = spec.template[1].kbld.as_ref().unwrap();
    let mut bundle = built.bundle.clone();
    bundle.replace(IMAGES_LOCK, lock.print()).unwrap();
    let files = bundle.nodes().filter_map(|(path, node)| match node {
        Node::File { bytes, .. } if path.starts_with(&ytt.paths[0]) => {
            Some(File::new(path.as_str(), path.as_str(), bytes.as_slice()))
        }
        _ => None,
    });
    let request = Request {
        files: files.collect(),
        ..Request::default()
    };
    let rendered = yaml::print(&render(&request).unwrap().documents);
    let mut resources = Vec::new();
    for path in &kbld.paths {
        let text = match path.as_str() {
            "-" => rendered.as_slice(),
            path => bundle.file(path).unwrap(),
        };
        resources.extend(lock::resources(text, path).unwrap());
    }
    let (resources, config) = Config::split(resources).unwrap();
    let found = lock::find(&resources, &config);
    let images = lock::resolve(&found, &config, &lock::Offline).unwrap();
    let apply = |resource| lock::apply(resource, &config, &images, false);
    resources.iter().map(apply).collect()
}

fn lock_of(built: &Built) -> ImagesLock {
    ImagesLock::parse(built.bundle.file(IMAGES_LOCK).unwrap()).unwrap()
}

#[test]
fn the_released_image_is_the_locked_one_and_the_deployed_one() {
    for source in sources() {
        let built = build(&source).unwrap();
        assert!(built.warnings.is_empty(), "{:?}", built.warnings);
        let lock = lock_of(&built);
        let image = format!("{IMAGE}@{DIGEST}");
        let images: Vec<_> = lock.images.iter().map(|locked| &locked.image).collect();
        assert_eq!(images, [&image], "{}", source.ref_name);
        assert_eq!(lock.images[0].annotations[ID], image);
        let text = yaml_text(&deployed(&built, &lock));
        assert!(text.contains(&format!("image: {image}")));
        assert!(!text.contains("pinniped-server:"), "{}", source.ref_name);
    }
}

fn yaml_text(resources: &[Value]) -> String {
    String::from_utf8(haulout::package::model::print(resources)).unwrap()
}

#[test]
fn images_in_strings_follow_the_bundle_to_another_registry() {
    for source in sources() {
        let built = build(&source).unwrap();
        let mut lock = lock_of(&built);
        lock.images[0].image = format!("air.gap:5000/pinniped@{DIGEST}");
        let text = yaml_text(&deployed(&built, &lock));
        let count = text.matches(&lock.images[0].image).count();
        let is_concierge = source.ref_name.starts_with("concierge");
        // The Concierge's own image, and that of the agents that it starts.
        assert_eq!(
            count,
            if is_concierge { 2 } else { 1 },
            "{}",
            source.ref_name
        );
        assert!(!text.contains(IMAGE), "{}", source.ref_name);
    }
}

#[test]
fn release_notes_stay_what_they_are_and_out_of_the_bundle() {
    let table = [
        "Dummy Release Notes for Supervisor\n- foo\n- bar\n",
        "Fixes: a\n- b",
        "* x\n* y\n",
        "1.0",
        "- a",
        "null",
        "true",
        "{a: 1}",
        "\"quoted\"",
        " leading\n  more",
        "trailing \n\n\n",
        "tab\tand\r\nreturn",
        "#@ data.values\n---\n# h\n(@= 1 @)",
        "0o17",
        "2001-01-01",
        "é…\u{1f9ad}\u{0}\u{85}",
        "\n",
    ];
    let mut source = source(
        "supervisor",
        "0.25.0",
        embedded("pinniped/supervisor@0.25.0"),
    );
    let without = build(&source).unwrap().reference;
    for notes in table {
        source.release_notes = notes.into();
        let built = build(&source).unwrap();
        assert_eq!(built.reference, without, "{notes}");
        let (_, text) = &built.resources()[0];
        // As kapp-controller does before it reads a Package.
        let request = Request {
            files: vec![File::new("a.yml", "a.yml", text.as_slice())],
            options: haulout::render::Options {
                ignore_unknown_comments: true,
                ..Default::default()
            },
            ..Request::default()
        };
        let rendered = yaml::print(&render(&request).unwrap().documents);
        let found = json(&documents(&rendered)[0]);
        assert_eq!(
            found["spec"]["releaseNotes"],
            Json::from(notes),
            "{notes:?}"
        );
    }
}

#[test]
fn nothing_but_templates_and_locks_is_in_the_bundle() {
    for source in sources() {
        let built = build(&source).unwrap();
        for (path, node) in built.bundle.nodes() {
            let known = [
                "config/",
                ".imgpkg/images.yml",
                ".imgpkg/bundle.yml",
                "kbld.yml",
            ];
            let is_known = known.iter().any(|start| path.starts_with(start));
            assert!(is_known || *node == Node::Folder, "{path}");
        }
        for (path, node) in source.templates.nodes() {
            if let Node::File { bytes, .. } = node {
                let packed = built.bundle.file(&format!("config/{path}"));
                assert_eq!(packed, Some(bytes.as_slice()), "{path}");
            }
        }
    }
}

#[test]
fn packages_name_their_bundle_by_its_digest_and_bear_their_names() {
    for source in sources() {
        let built = build(&source).unwrap();
        let digest = bundle::digest(&built.bundle).unwrap();
        let want = format!("{}@{digest}", source.bundle_repo);
        let bundles: Vec<_> = built.package.bundles().collect();
        assert_eq!(bundles.len(), 1);
        assert_eq!(bundles[0].1, want);
        assert_eq!(built.package.check(), []);
        assert!(
            ["supervisor.pinniped.dev", "concierge.pinniped.dev"]
                .contains(&built.metadata.metadata.name.as_str())
        );
        assert_eq!(built.package.spec.ref_name, built.metadata.metadata.name);
        assert_eq!(
            built.package.metadata.name,
            format!("{}.{}", source.ref_name, source.version)
        );
    }
}

#[test]
fn a_schema_where_there_is_one_with_the_released_image_as_default() {
    for source in sources() {
        let package = build(&source).unwrap().package;
        let Some(schema) = package.spec.values_schema else {
            assert_eq!(source.version, "0.25.0");
            continue;
        };
        assert_eq!(source.version, "0.39.0");
        let properties = &json(&schema.open_api_v3)["properties"];
        assert_eq!(properties["image_repo"]["default"], IMAGE);
        assert_eq!(properties["image_digest"]["default"], DIGEST);
    }
}

#[test]
fn several_versions_stand_side_by_side() {
    let mut files = Vec::new();
    for source in sources() {
        for (path, text) in build(&source).unwrap().resources() {
            files.push(File::new(path.as_str(), path.as_str(), text));
        }
    }
    let (repository, told) = Repository::read(&files);
    assert!(told.is_empty());
    let versions = vec!["0.25.0", "0.39.0"];
    let both = ["concierge.pinniped.dev", "supervisor.pinniped.dev"];
    let want: Vec<_> = both.map(|name| (name, versions.clone())).into();
    assert_eq!(repository.versions(), want);
}

/// The paths at which two values differ.
fn differences(path: &str, a: &Json, b: &Json, out: &mut Vec<String>) {
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => {
            let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let (a, b) = (a.get(key), b.get(key));
                let path = format!("{path}.{key}");
                match (a, b) {
                    (Some(a), Some(b)) => differences(&path, a, b, out),
                    _ => out.push(path),
                }
            }
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            for (number, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{path}[{number}]"), a, b, out);
            }
        }
        _ if a == b => {}
        _ => out.push(path.to_string()),
    }
}

/// The scripts ran on Pinniped's own folders, with another image and another tag as defaults.
#[test]
fn as_pinniped_s_scripts_made_it_where_they_were_right() {
    let Some(shared) = shared() else { return };
    for app in APPS {
        let run = shared.join("reference/packaging/pinniped-run");
        let packages = run.join(format!(
            "package_repository/packages/pinniped-{app}.pinniped.dev"
        ));
        let folder = format!("conformance/fixtures/pinniped/v0.39.0/{app}");
        let mut source = source(app, "0.39.0", read(&shared.join(folder)));
        source.images = vec![
            format!("127.0.0.1:5005/apps/pinniped-server@{DIGEST}")
                .parse()
                .unwrap(),
        ];
        let notes = run.join(format!("pinniped-{app}/release_notes.txt"));
        source.release_notes = fs::read_to_string(notes).unwrap();
        let metadata = documents(&fs::read(packages.join("metadata.yml")).unwrap());
        let unknown = haulout::position::Position::unknown();
        source.metadata = PackageMetadata::read(&metadata[0], &unknown).value;
        let name = source.ref_name.clone();
        source.metadata.metadata.name.clone_from(&name);
        let built = build(&source).unwrap();

        let recorded = documents(&fs::read(packages.join("0.39.0.yml")).unwrap());
        let decoded = Package::read(&recorded[0], &unknown);
        assert!(decoded.faults.is_empty());
        let mut found = Vec::new();
        differences(
            "",
            &json(&recorded[0]),
            &json(&built.package.document()),
            &mut found,
        );
        // The ytt of that run did not export validations yet.
        let rule = |path: &String| path.ends_with(".minLength") || path.ends_with(".enum");
        assert!(found.iter().any(rule));
        found.retain(|path| !rule(path));
        let kbld = ".spec.template.spec.template[1].kbld.paths";
        let mut want = vec![
            ".metadata.name",
            ".spec.refName",
            // It was folded into one line.
            ".spec.releaseNotes",
            // A tag.
            ".spec.template.spec.fetch[0].imgpkgBundle.image",
            // The rules for the image of the Concierge's agents.
            kbld,
            // What was released was not the default.
            ".spec.valuesSchema.openAPIv3.properties.image_digest.default",
            // The tag was written into the sources of that run.
            ".spec.valuesSchema.openAPIv3.properties.image_tag.default",
        ];
        want.retain(|path| app == "concierge" || *path != kbld);
        assert_eq!(found, want, "{app}");

        let mut found = Vec::new();
        let ours = json(&built.metadata.document());
        differences("", &json(&metadata[0]), &ours, &mut found);
        assert_eq!(found, [".metadata.name"], "{app}");
    }
}
