//! `release`: packages, their repository and their way into a registry in one go.

use super::flags::ReleaseFlags;
use super::package::{Wanted, built, repository as place, text};
use super::paths::{base, join};
use super::registry::Client;
use super::repository::{Draft, apply, check};
use super::{Printed, relocate};
use crate::diagnostic::Report;
use crate::files::File;
use crate::package::archive::{Node, Tree};
use crate::package::build::Built;
use crate::package::bundle::Image;
use crate::package::edit::{self, Addition};
use crate::package::model::print;
use crate::package::reference::Reference;
use crate::package::release::{Item, Release};
use crate::package::repository::{Repository, resource};
use std::collections::BTreeMap;
use std::fs;

/// Does what the file says. The packages' bundles are pushed first, then the folder is written, and the repository's
/// bundle comes last: whoever sees a version can get it.
///
/// # Errors
/// The file, a package or the repository is at fault; then nothing is written or pushed. The disk or a registry refuses.
pub fn release(flags: &ReleaseFlags) -> Result<Printed, Report> {
    if flags.config.is_empty() {
        return Err(Report::new("expected --config"));
    }
    let release = Release::parse(text(&flags.config)?.as_bytes(), &flags.config)?;
    let root = match flags.config.rsplit_once('/') {
        Some((root, _)) => format!("{root}/"),
        None => String::new(),
    };
    let folder = inside(&root, &release.repository.folder);
    let home = place("repository.bundleRepo", &release.repository.bundle_repo)?;

    let mut draft = Draft::of(&folder)?;
    let mut packages = Vec::new();
    let mut told = Vec::new();
    for item in &release.packages {
        let what = format!("{} {}", item.ref_name, item.version);
        let package = build_item(&root, item).map_err(|report| report.context(&what))?;
        draft
            .change(&folder, |content| {
                edit::add(content, &addition(&package)?, flags.replace)
            })
            .map_err(|report| report.context(&what))?;
        for warning in &package.warnings {
            told.push(format!("warning: {what}: {warning}"));
        }
        packages.push(package);
    }
    draft.change(&folder, edit::relock)?;
    let files = draft.files();
    let mut printed = check(&folder, &files, &[])?;
    let mut tree = Tree::default();
    for file in &files {
        tree.add(file.path(), file.source()?.text.clone(), false)?;
    }
    let image = Image::bundle(&tree, BTreeMap::new())?;
    let name = match release.repository.name.as_str() {
        "" => base(&home.name),
        name => name,
    };
    let bundle = home.at(image.digest()).to_string();
    printed.out = print(&[resource(name, &release.repository.namespace, &bundle)]);

    let tag = match release.repository.tag.as_str() {
        "" => "latest",
        tag => tag,
    };
    let bundles = packages.iter().map(|package| {
        // A tag has no '+'.
        let tag = package.package.spec.version.replace('+', "_");
        let name = package.reference.repository.tagged(tag);
        (name, &package.image)
    });
    let bundles: Vec<(Reference, &Image)> = bundles.collect();
    let repository = (home.tagged(tag), &image);
    let all = bundles.iter().chain([&repository]);
    if flags.dry_run {
        told.extend(planned(&folder, &draft));
        told.extend(all.map(|(name, image)| format!("would push: {name} ({})", image.digest())));
    } else {
        let client = Client::new();
        let mut push = |(name, image): &(Reference, &Image)| {
            relocate::push(&client, name, image)
                .map(|_| told.push(format!("pushed: {name} ({})", image.digest())))
        };
        bundles.iter().try_for_each(&mut push)?;
        let written = apply(&folder, &draft.changes)?;
        push(&repository)?;
        told.extend(written.lines().map(str::to_string));
    }
    for line in told {
        printed.err.extend(format!("{line}\n").into_bytes());
    }
    Ok(printed)
}

/// A path that begins at the folder of the file in which it stands.
fn inside(root: &str, path: &str) -> String {
    match path.starts_with('/') || root.is_empty() {
        true => path.to_string(),
        false => join(root, path),
    }
}

fn build_item(root: &str, item: &Item) -> Result<Built, Report> {
    let file = |path: &str| match path {
        "" => String::new(),
        path => inside(root, path),
    };
    // What is no folder here is a package that the program carries.
    let folder = inside(root, &item.source);
    let is_folder = fs::exists(&folder).unwrap_or(true) || item.source.starts_with(['.', '/']);
    built(&Wanted {
        source: if is_folder { &folder } else { &item.source },
        ref_name: &item.ref_name,
        version: &item.version,
        bundle_repo: ("bundleRepo", &item.bundle_repo),
        images: ("images", &item.images),
        release_notes: &file(&item.release_notes),
        metadata: &file(&item.metadata),
        allow_unlocked: item.allow_unlocked,
    })
}

fn addition(package: &Built) -> Result<Addition, Report> {
    let file = |path: &str, bytes: &[u8]| File::new(path, format!("file '{path}'"), bytes);
    let resources = package.resources();
    let resources: Vec<File> = resources
        .iter()
        .map(|(path, bytes)| file(path, bytes))
        .collect();
    let sources = package
        .bundle
        .nodes()
        .filter_map(|(path, node)| match node {
            Node::File { bytes, .. } => Some(file(&path, bytes)),
            Node::Folder => None,
        });
    Ok(Addition {
        repository: Repository::read(&resources).0,
        sources: sources.collect(),
    })
}

/// What would change in the folder.
fn planned(folder: &str, draft: &Draft) -> Vec<String> {
    let changes = &draft.changes;
    let differs = |(path, bytes): &(&String, &Vec<u8>)| {
        fs::read(join(folder, path)).ok().as_ref() != Some(*bytes)
    };
    let written = changes.written.iter().filter(differs);
    let written = written.map(|(path, _)| format!("would write: {}", join(folder, path)));
    let deleted = changes.deleted.iter();
    let deleted = deleted.filter(|path| fs::exists(join(folder, path)).unwrap_or(true));
    let deleted = deleted.map(|path| format!("would delete: {}", join(folder, path)));
    written.chain(deleted).collect()
}
