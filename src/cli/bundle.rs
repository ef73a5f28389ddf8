//! `bundle`: imgpkg's bundles, pushed, pulled, copied and looked at.

use super::flags::{
    BundleCommand, BundleCopyFlags, BundleFlags, BundleFromTarFlags, BundleInspectFlags,
    BundlePullFlags, BundlePushFlags, BundleSourceFlags, BundleToTarFlags,
};
use super::output;
use super::paths::reason;
use super::registry::Client;
use super::relocate::{self, Cargo};
use super::{Printed, shell, tree};
use crate::diagnostic::Report;
use crate::package::archive::Tree;
use crate::package::bundle::{self, Image};
use crate::package::images::LockedBundle;
use crate::package::reference::{Reference, Repository};
use crate::package::shipment::{self, Shipment};
use std::collections::BTreeMap;
use std::fs;

/// Does what the command says.
///
/// # Errors
/// A flag is missing or wrong, a registry or the disk refuses, or a bundle is not what it should be.
pub fn bundle(name: &'static str, flags: &BundleFlags) -> Result<Printed, Report> {
    match &flags.command {
        None => Ok(shell::help(name, &["bundle"])),
        Some(BundleCommand::Push(flags)) => push(flags),
        Some(BundleCommand::Pull(flags)) => pull(flags),
        Some(BundleCommand::Copy(flags)) => copy(flags),
        Some(BundleCommand::Inspect(flags)) => inspect(flags),
        Some(BundleCommand::ToTar(flags)) => to_tar(flags),
        Some(BundleCommand::FromTar(flags)) => from_tar(flags),
    }
}

fn push(flags: &BundlePushFlags) -> Result<Printed, Report> {
    let name = name_without_digest(&flags.bundle)?;
    let image = Image::bundle(&files(&flags.source)?, labels(&flags.source)?)?;
    let pushed = relocate::push(&Client::new(), &name, &image)?;
    write_lock(&flags.lock_output, &pushed, name.tag())?;
    Ok(Printed::out(format!("{pushed}\n")))
}

fn pull(flags: &BundlePullFlags) -> Result<Printed, Report> {
    let name = source(&flags.bundle, &flags.lock)?;
    let folder = required("-o, --output", &flags.output)?;
    let client = Client::new();
    let (digest, mut tree) = relocate::fetch(&client, &name)?;
    let lock = bundle::lock_of(&tree)?;
    if !lock.images.is_empty()
        && let Some(lock) = relocate::relocated(&client, &name, &lock)?
    {
        tree.replace(bundle::IMAGES_LOCK, lock.print())?;
    }
    tree::write_tree(folder, &tree)?;
    Ok(Printed::out(format!("{}\n", name.repository.at(digest))))
}

fn copy(flags: &BundleCopyFlags) -> Result<Printed, Report> {
    let repository: Option<Repository> = match (flags.to_repo.as_str(), flags.to_tar.as_str()) {
        ("", archive) if !archive.is_empty() => None,
        (repository, "") if !repository.is_empty() => {
            Some(repository.parse().map_err(Report::new)?)
        }
        _ => return Err(one_of("--to-repo or --to-tar")),
    };
    let client = Client::new();
    let cargo = match (
        flags.tar.as_str(),
        flags.bundle.as_str(),
        flags.lock.as_str(),
    ) {
        ("", bundle, lock) => Cargo::from_registry(&client, &source(bundle, lock)?)?,
        (tar, "", "") => Cargo::from_archive(&client, tar)?,
        _ => return Err(one_of("-b, --lock or --tar")),
    };
    let Some(repository) = repository else {
        cargo.to_archive(&flags.to_tar)?;
        return Ok(Printed::out(format!("{}\n", cargo.root()?.original())));
    };
    let copied = cargo.to_repository(&repository)?;
    write_lock(&flags.lock_output, &copied, cargo.tag())?;
    Ok(Printed::out(format!("{copied}\n")))
}

fn to_tar(flags: &BundleToTarFlags) -> Result<Printed, Report> {
    let name = name_without_digest(&flags.bundle)?;
    let archive = required("-o, --output", &flags.output)?;
    let tree = files(&flags.source)?;
    let image = Image::bundle(&tree, labels(&flags.source)?)?;
    let bundle = name.repository.at(image.digest());
    let client = Client::new();
    let lock = bundle::lock_of(&tree)?;
    Cargo::from_tree(&client, image, &lock, &name)?.to_archive(archive)?;
    Ok(Printed::out(format!("{bundle}\n")))
}

fn from_tar(flags: &BundleFromTarFlags) -> Result<Printed, Report> {
    let archive = required("--tar", &flags.tar)?;
    let folder = required("-o, --output", &flags.output)?;
    let client = Client::new();
    let cargo = Cargo::from_archive(&client, archive)?;
    let root = cargo.root()?;
    tree::write_tree(folder, &cargo.tree(root)?)?;
    Ok(Printed::out(format!("{}\n", root.original())))
}

fn inspect(flags: &BundleInspectFlags) -> Result<Printed, Report> {
    let client = Client::new();
    let sources = flags.source.files.as_slice();
    let cargo = match (flags.bundle.as_str(), flags.tar.as_str(), sources) {
        (bundle, "", []) if !bundle.is_empty() => {
            Cargo::from_registry(&client, &bundle.parse().map_err(Report::new)?)?
        }
        ("", tar, []) if !tar.is_empty() => Cargo::from_archive(&client, tar)?,
        ("", "", [_, ..]) => {
            let tree = files(&flags.source)?;
            let digest = Image::bundle(&tree, labels(&flags.source)?)?.digest();
            let lock = bundle::lock_of(&tree)?;
            return Ok(Printed::out(shipment::inspect(digest, &lock, None)?));
        }
        _ => return Err(one_of("-b, --tar or -f")),
    };
    let root = cargo.root()?;
    let lock = bundle::lock_of(&cargo.tree(root)?)?;
    let text = shipment::inspect(root.digest(), &lock, Some(&cargo))?;
    Ok(Printed::out(text))
}

fn one_of(flags: &str) -> Report {
    Report::new(format!("Expected exactly one of {flags}"))
}

fn required<'a>(flag: &str, value: &'a str) -> Result<&'a str, Report> {
    match value {
        "" => Err(Report::new(format!("Expected {flag} to be given"))),
        value => Ok(value),
    }
}

fn name_without_digest(name: &str) -> Result<Reference, Report> {
    let name: Reference = required("-b, --bundle", name)?
        .parse()
        .map_err(Report::new)?;
    match name.digest {
        None => Ok(name),
        Some(_) => Err(Report::new(format!(
            "Expected a name with a tag and no digest, which its content decides: '{name}'"
        ))),
    }
}

/// The bundle that the flags name.
fn source(name: &str, lock: &str) -> Result<Reference, Report> {
    let name = match (name, lock) {
        (name, "") if !name.is_empty() => name.to_string(),
        ("", lock) if !lock.is_empty() => {
            let text = fs::read(lock)
                .map_err(|error| Report::new(format!("Reading '{lock}': {}", reason(&error))))?;
            let locked = LockedBundle::parse(&text)?;
            let reference: Reference = locked.image.parse().map_err(Report::new)?;
            return Ok(Reference {
                tag: Some(locked.tag).filter(|tag| !tag.is_empty()),
                ..reference
            });
        }
        _ => return Err(one_of("-b or --lock")),
    };
    name.parse().map_err(Report::new)
}

fn files(flags: &BundleSourceFlags) -> Result<Tree, Report> {
    if flags.files.is_empty() {
        return Err(Report::new("Expected -f, --file to be given"));
    }
    tree::read_tree(&flags.files, &flags.file_exclusion)
}

fn labels(flags: &BundleSourceFlags) -> Result<BTreeMap<String, String>, Report> {
    let pair = |label: &String| match label.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_string(), value.to_string())),
        _ => Err(Report::new(format!(
            "Expected a label to be KEY=VALUE, but was '{label}'"
        ))),
    };
    flags.labels.iter().map(pair).collect()
}

fn write_lock(path: &str, bundle: &Reference, tag: &str) -> Result<(), Report> {
    if path.is_empty() {
        return Ok(());
    }
    let lock = LockedBundle {
        image: bundle.to_string(),
        tag: tag.to_string(),
    };
    output::put_file(path, &lock.print())
}
