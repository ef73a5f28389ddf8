//! Output files: each is written beside its place and then renamed, so that none is ever half there.

use super::input::reason;
use crate::diagnostic::Report;
use crate::files::OutputFile;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

/// Folders that nobody means to empty.
const SUSPICIOUS: [&str; 4] = ["/", ".", "./", ""];

/// Deletes a folder and writes the files into it; the answer is what to print.
///
/// # Errors
/// Two files have one path, the folder is one that nobody means to empty, or the disk refuses.
pub fn replace(folder: &str, files: &[OutputFile]) -> Result<String, Report> {
    let mut paths = HashSet::new();
    if let Some(twice) = files.iter().find(|file| !paths.insert(&file.path)) {
        return Err(Report::new(format!(
            "Multiple files have same output destination paths: {}",
            twice.path
        )));
    }
    if SUSPICIOUS.contains(&folder) {
        let folders = SUSPICIOUS.join("', '");
        return Err(Report::new(format!(
            "Expected output directory path to not be one of '{folders}'"
        )));
    }
    match fs::symlink_metadata(folder) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(folder),
        Ok(_) => fs::remove_file(folder),
        Err(_) => Ok(()),
    }
    .map_err(|error| refused("remove", Path::new(folder), &error))?;
    add(folder, files)
}

/// Writes files into a folder, beside what is there; the answer is what to print.
///
/// # Errors
/// A path leads out of the folder, or the disk refuses.
pub fn add(folder: &str, files: &[OutputFile]) -> Result<String, Report> {
    let mut printed = String::new();
    make_folder(Path::new(folder))?;
    for file in files {
        let path = below(folder, &file.path)?;
        printed.push_str(&format!("creating: {}\n", path.display()));
        if let Some(parent) = path.parent() {
            make_folder(parent)?;
        }
        write(&path, &file.bytes())?;
    }
    Ok(printed)
}

/// A path below a folder.
fn below(folder: &str, path: &str) -> Result<PathBuf, Report> {
    if Path::new(path)
        .components()
        .any(|part| part == Component::ParentDir)
    {
        return Err(Report::new(format!(
            "Expected output file '{path}' to be within the output directory"
        )));
    }
    let clean: PathBuf = Path::new(folder).components().collect();
    Ok(clean.join(path.trim_start_matches('/')))
}

fn make_folder(folder: &Path) -> Result<(), Report> {
    let result = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder);
    result.map_err(|error| refused("mkdir", folder, &error))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Report> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    let result = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o700)
        .open(&beside)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&beside, path));
    result.map_err(|error| {
        // What failed to be written is of no use; that it may not be removable either is no further news.
        let _ = fs::remove_file(&beside);
        refused("open", path, &error)
    })
}

fn refused(what: &str, path: &Path, error: &std::io::Error) -> Report {
    Report::new(format!("{what} {}: {}", path.display(), reason(error)))
}
