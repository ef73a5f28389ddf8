//! Trees of files, from the disk and to it.

use super::interrupt;
use super::output;
use super::paths::{base, reason};
use crate::diagnostic::Report;
use crate::package::archive::{self, Node, Tree};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::SystemTime;

/// The files below some paths, as imgpkg takes them: a folder's content, or a file under its own name.
///
/// # Errors
/// A path cannot be read, is neither file nor folder, or two files have one place.
pub fn read_tree(paths: &[String], excluded: &[String]) -> Result<Tree, Report> {
    let mut tree = Tree::default();
    let mut left = archive::MAX_SIZE;
    for path in paths {
        let meta = fs::metadata(path).map_err(|error| refused(path, &error))?;
        let mut below = Vec::new();
        if meta.is_dir() {
            below.push(String::new());
        } else {
            read_file(&mut tree, path, base(path), &mut left)?;
        }
        while let Some(folder) = below.pop() {
            let place = Path::new(path).join(&folder);
            let shown = place.to_string_lossy();
            for entry in fs::read_dir(&place).map_err(|error| refused(&shown, &error))? {
                let entry = entry.map_err(|error| refused(&shown, &error))?;
                let full = entry.path();
                let shown = full.to_string_lossy();
                let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                    return Err(Report::new(format!(
                        "'{shown}' has a name that is not UTF-8"
                    )));
                };
                let inside = match folder.as_str() {
                    "" => name,
                    folder => format!("{folder}/{name}"),
                };
                if excluded.contains(&inside) {
                    continue;
                }
                let kind = entry.file_type().map_err(|error| refused(&shown, &error))?;
                if kind.is_dir() {
                    tree.add_folder(&inside)?;
                    below.push(inside);
                } else if kind.is_file() {
                    read_file(&mut tree, &shown, &inside, &mut left)?;
                } else {
                    return Err(Report::new(format!(
                        "Adding file '{path}' to tar: Expected file '{shown}' to be a regular file"
                    )));
                }
            }
        }
    }
    Ok(tree)
}

fn read_file(tree: &mut Tree, path: &str, inside: &str, left: &mut u64) -> Result<(), Report> {
    let meta = fs::metadata(path).map_err(|error| refused(path, &error))?;
    *left = left.checked_sub(meta.len()).ok_or_else(|| {
        Report::new(format!(
            "Expected no more than {} MiB in a bundle",
            archive::MAX_SIZE >> 20
        ))
    })?;
    let bytes = fs::read(path).map_err(|error| refused(path, &error))?;
    tree.add(inside, bytes, meta.permissions().mode() & 0o100 != 0)
}

fn refused(path: &str, error: &io::Error) -> Report {
    Report::new(format!("Reading '{path}': {}", reason(error)))
}

/// Puts files in place of a folder, all or none. Group and others may do with them what their owner may, and their time
/// is always the same, as with imgpkg.
///
/// # Errors
/// The disk refuses.
pub fn write_tree(folder: &str, tree: &Tree) -> Result<(), Report> {
    output::put_in_place(folder, |new| {
        // Anew, as far open to others as the user has it.
        fs::remove_dir(new)
            .and_then(|()| fs::create_dir(new))
            .map_err(|error| Report::new(format!("Writing '{folder}': {}", reason(&error))))?;
        for (path, node) in tree.nodes() {
            interrupt::check()?;
            let place = format!("{new}/{path}");
            let failed = |error: io::Error| {
                Report::new(format!("Writing '{folder}/{path}': {}", reason(&error)))
            };
            match node {
                Node::Folder => fs::create_dir(&place).map_err(failed)?,
                Node::File { bytes, executable } => {
                    let mode = if *executable { 0o777 } else { 0o666 };
                    let mut file = OpenOptions::new()
                        .write(true)
                        .create_new(true)
                        .mode(mode)
                        .open(&place)
                        .map_err(failed)?;
                    file.write_all(bytes).map_err(failed)?;
                    file.set_modified(SystemTime::UNIX_EPOCH).map_err(failed)?;
                }
            }
        }
        Ok(())
    })
}
