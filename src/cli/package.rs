//! `package`: Carvel packages from templates.

use super::Printed;
use super::flags::{BuildPackageFlags, PackageCommand, PackageFlags};
use super::paths::reason;
use super::{repository, tree};
use crate::diagnostic::Report;
use crate::package::archive::Tree;
use crate::package::build::BUNDLE;
use crate::package::draft::Draft;
use crate::package::repository::PACKAGES;
use crate::package::wanted::{Folder, Wanted, built, required};
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
    let flagged = [
        ("--source", &flags.source),
        ("--ref-name", &flags.ref_name),
        ("--version", &flags.package_version),
        ("--bundle-repo", &flags.bundle_repo),
        ("--out", &flags.out),
    ];
    for (flag, value) in flagged {
        required(flag, value)?;
    }
    check_out(&flags.out)?;
    let wanted = Wanted {
        source: &flags.source,
        ref_name: &flags.ref_name,
        version: &flags.package_version,
        bundle_repo: ("--bundle-repo", &flags.bundle_repo),
        images: ("--image", &flags.images),
        release_notes: &flags.release_notes,
        metadata: &flags.metadata,
        allow_unlocked: flags.allow_unlocked,
    };
    let built = built(&wanted, &Disk)?;
    tree::write_tree(&flags.out, &built.tree()?)?;
    let warnings = built.warnings.iter();
    let warnings = warnings.map(|warning| format!("warning: {warning}\n"));
    Ok(Printed {
        out: format!("{}\n", built.reference).into_bytes(),
        err: warnings.collect::<String>().into_bytes(),
        status: 0,
    })
}

/// The folder in which the program runs.
pub struct Disk;

impl Folder for Disk {
    fn has(&self, path: &str) -> bool {
        fs::exists(path).unwrap_or(true)
    }

    fn text(&self, path: &str) -> Result<String, Report> {
        let bytes = fs::read(path)
            .map_err(|error| Report::new(format!("Reading '{path}': {}", reason(&error))))?;
        String::from_utf8(bytes)
            .map_err(|_| Report::new(format!("Reading '{path}': it is not UTF-8")))
    }

    fn tree(&self, path: &str) -> Result<Tree, Report> {
        tree::read_tree(&[path.to_string()], &[".git".into()])
    }

    fn repository(&self, path: &str) -> Result<Draft, Report> {
        repository::draft(path)
    }
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
