//! Output files: all of them are written beside their places, and only then put there, so that none is ever half there.

use super::interrupt::{self, Writing};
use super::paths::{clean, join, reason};
use crate::diagnostic::Report;
use crate::files::OutputFile;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Folders that nobody means to empty.
const SUSPICIOUS: [&str; 4] = ["/", ".", "./", ""];

/// Deletes a folder and puts the files in its place; the answer is what to print.
///
/// # Errors
/// Two files have one path, the folder is one that nobody means to empty, or the disk refuses.
pub fn replace(folder: &str, files: &[OutputFile]) -> Result<String, Report> {
    let paths = places(folder, files)?;
    put_in_place(folder, |new| {
        for (place, file) in places(new, files)?.iter().zip(files) {
            make_folder(parent(place))?;
            write(place, place, &file.bytes())?;
        }
        Ok(())
    })?;
    Ok(listing(&paths))
}

/// Fills a new folder, and puts it in place of the old one only when it is whole.
///
/// # Errors
/// The folder is one that nobody means to empty, it cannot be filled, or the disk refuses.
pub fn put_in_place(
    folder: &str,
    fill: impl FnOnce(&str) -> Result<(), Report>,
) -> Result<(), Report> {
    if SUSPICIOUS.contains(&folder) || holds_working_folder(folder) {
        let folders = SUSPICIOUS.join("', '");
        return Err(Report::new(format!(
            "Expected output directory path to not be one of '{folders}'"
        )));
    }
    let folder = clean(folder);
    let (new, old) = (waiting(&folder), beside(&folder, "old"));
    let _writing = Writing::begin();
    let filled = make_folder(&new).and_then(|()| fill(&new));
    let filled = filled.and_then(|()| interrupt::check());
    // The user knows the folder by its own name alone.
    let filled = filled.map_err(|report| match report.text().contains(&new) {
        true => Report::new(report.text().replace(&new, &folder)),
        false => report,
    });
    let swapped = filled.and_then(|()| {
        let set_aside = match fs::rename(&folder, &old) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(refused("remove", &folder, &error)),
        };
        fs::rename(&new, &folder).map_err(|error| {
            if set_aside {
                // The old folder is better than none.
                let _ = fs::rename(&old, &folder);
            }
            refused("rename", &folder, &error)
        })?;
        if set_aside {
            remove(&old).map_err(|error| refused("remove", &old, &error))?;
        }
        Ok(())
    });
    if swapped.is_err() {
        // What failed to be put in place is of no use; that it may not be removable either is no further news.
        let _ = fs::remove_dir_all(&new);
    }
    swapped
}

/// Writes one file, and puts it in place of the old one only when it is whole.
///
/// # Errors
/// The disk refuses.
pub fn put_file(path: &str, bytes: &[u8]) -> Result<(), Report> {
    let new = waiting(path);
    let _writing = Writing::begin();
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&new)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&new, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&new);
        refused("open", path, &error)
    })
}

/// Writes files into a folder, beside what is there; the answer is what to print.
///
/// # Errors
/// Two files have one path, a path leads out of the folder, or the disk refuses.
pub fn add(folder: &str, files: &[OutputFile]) -> Result<String, Report> {
    let paths = places(folder, files)?;
    let _writing = Writing::begin();
    make_folder(&clean(folder))?;
    let mut staged = Vec::new();
    let done = paths.iter().zip(files).try_for_each(|(path, file)| {
        make_folder(parent(path))?;
        if fs::metadata(path).is_ok_and(|meta| meta.is_dir()) {
            return Err(Report::new(format!("open {path}: is a directory")));
        }
        let new = waiting(path);
        staged.push((path, new.clone()));
        write(&new, path, &file.bytes())
    });
    let done = done.and_then(|()| interrupt::check()).and_then(|()| {
        staged.iter().try_for_each(|(path, new)| {
            // Who could read the old file can read the new one.
            if let Ok(meta) = fs::symlink_metadata(path)
                && meta.is_file()
            {
                let _ =
                    fs::set_permissions(new, fs::Permissions::from_mode(meta.permissions().mode()));
            }
            fs::rename(new, path).map_err(|error| refused("open", path, &error))
        })
    });
    if done.is_err() {
        for (_, new) in &staged {
            // What failed to be put in place is of no use; that it may not be removable either is no further news.
            let _ = fs::remove_file(new);
        }
    }
    done.map(|()| listing(&paths))
}

/// Where the files belong.
fn places(folder: &str, files: &[OutputFile]) -> Result<Vec<String>, Report> {
    let mut taken = HashSet::new();
    let mut places = Vec::with_capacity(files.len());
    for file in files {
        let below = clean(&file.path);
        if below == ".." || below.starts_with("../") {
            return Err(Report::new(format!(
                "Expected output file '{}' to be within the output directory",
                file.path
            )));
        }
        let place = join(folder, &file.path);
        if !taken.insert(place.clone()) {
            return Err(Report::new(format!(
                "Multiple files have same output destination paths: {}",
                file.path
            )));
        }
        places.push(place);
    }
    Ok(places)
}

fn listing(places: &[String]) -> String {
    let line = |place: &String| format!("creating: {place}\n");
    places.iter().map(line).collect()
}

/// Whether emptying the folder would empty the one that the program runs in.
fn holds_working_folder(folder: &str) -> bool {
    let here = std::env::current_dir().and_then(fs::canonicalize);
    match (here, fs::canonicalize(folder)) {
        (Ok(here), Ok(folder)) => here.starts_with(folder),
        _ => false,
    }
}

/// A name that nobody else uses, on the same disk.
fn beside(path: &str, what: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let above = path.strip_suffix(name).unwrap_or_default();
    format!("{above}.{name}.{}.{what}", std::process::id())
}

/// Where what is new waits. What a program left there that was killed, and had the number that ours has now (in a
/// container it always has the same), goes.
pub fn waiting(path: &str) -> String {
    let new = beside(path, "new");
    // That nothing is there is as it should be; that it cannot be removed will be said when it is written.
    let _ = remove(&new);
    new
}

/// The folder that holds a path.
pub fn parent(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((above, _)) => above,
        None => ".",
    }
}

/// Makes a folder and those above it.
///
/// # Errors
/// The disk refuses, or a file stands in the way.
pub fn make_folder(folder: &str) -> Result<(), Report> {
    let result = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder);
    result.map_err(|error| {
        // What stands in the way is said by its name.
        let in_the_way = Path::new(folder)
            .ancestors()
            .find(|above| fs::metadata(above).is_ok_and(|meta| !meta.is_dir()));
        match in_the_way.and_then(Path::to_str) {
            Some(path) => Report::new(format!("mkdir {path}: not a directory")),
            None => refused("mkdir", folder, &error),
        }
    })
}

fn write(path: &str, shown: &str, bytes: &[u8]) -> Result<(), Report> {
    interrupt::check()?;
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o700)
        .open(path)
        .and_then(|mut file| file.write_all(bytes))
        .map_err(|error| refused("open", shown, &error))
}

fn remove(path: &str) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

fn refused(what: &str, path: &str, error: &io::Error) -> Report {
    Report::new(format!("{what} {path}: {}", reason(error)))
}
