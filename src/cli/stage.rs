//! Changes to a folder: everything is written beside its place first, and only then put there, so that no file is ever
//! half there, and none is touched if one of them cannot be written.

use super::interrupt::{self, Writing};
use super::output::waiting;
use super::paths::{join, reason};
use crate::diagnostic::Report;
use crate::package::edit::Changes;
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Makes changes, except for those that change nothing; the answer are the paths of the files that were written, then
/// of those that were deleted.
///
/// # Errors
/// The disk refuses; what was written beside the files is gone again then.
pub fn apply(folder: &str, changes: &Changes) -> Result<(Vec<String>, Vec<String>), Report> {
    let mut stage = Stage::default();
    let _writing = Writing::begin();
    let staged = changes
        .written
        .iter()
        .filter(|(path, bytes)| fs::read(join(folder, path)).ok().as_ref() != Some(bytes))
        .try_for_each(|(path, bytes)| stage.write(join(folder, path), bytes));
    if let Err(report) = staged
        .and_then(|()| interrupt::check())
        .and_then(|()| stage.commit())
    {
        stage.undo();
        return Err(report);
    }
    let mut deleted = Vec::new();
    for path in &changes.deleted {
        let place = join(folder, path);
        match fs::remove_file(&place) {
            Ok(()) => deleted.push(path.clone()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(refused("remove", &place, &error)),
        }
        remove_empty(Path::new(folder), Path::new(path));
    }
    let written = changes
        .written
        .keys()
        .filter(|path| stage.places.contains(&join(folder, path)));
    Ok((written.cloned().collect(), deleted))
}

/// Removes the folders that a file leaves empty, but for the outermost one.
fn remove_empty(root: &Path, path: &Path) {
    for above in path.ancestors().skip(1) {
        // One that is not empty stays, as do those above it.
        if above.components().count() < 2 || fs::remove_dir(root.join(above)).is_err() {
            break;
        }
    }
}

#[derive(Default)]
struct Stage {
    /// Places, and what waits beside them.
    waiting: Vec<(String, String)>,
    places: BTreeSet<String>,
    folders: Vec<PathBuf>,
}

impl Stage {
    fn write(&mut self, place: String, bytes: &[u8]) -> Result<(), Report> {
        interrupt::check()?;
        if fs::metadata(&place).is_ok_and(|meta| meta.is_dir()) {
            return Err(Report::new(format!("open {place}: is a directory")));
        }
        let path = Path::new(&place);
        let above = path.parent().unwrap_or(Path::new(""));
        self.make_folder(above)?;
        let new = waiting(&place);
        self.waiting.push((place.clone(), new.clone()));
        let mut options = OpenOptions::new();
        let written = options
            .write(true)
            .create_new(true)
            .open(&new)
            .and_then(|mut file| file.write_all(bytes));
        written.map_err(|error| refused("open", &place, &error))
    }

    fn make_folder(&mut self, folder: &Path) -> Result<(), Report> {
        let missing = folder
            .ancestors()
            .filter(|above| !above.as_os_str().is_empty());
        let missing: Vec<&Path> = missing.take_while(|above| !above.exists()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder)
                .map_err(|error| refused("mkdir", &folder.to_string_lossy(), &error))?;
            self.folders.push(folder.to_path_buf());
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), Report> {
        while let Some((place, new)) = self.waiting.first() {
            fs::rename(new, place).map_err(|error| refused("rename", place, &error))?;
            let (place, _) = self.waiting.remove(0);
            self.places.insert(place);
        }
        Ok(())
    }

    /// What failed to be put in place is of no use; that it may not be removable either is no further news.
    fn undo(&self) {
        for (_, new) in &self.waiting {
            let _ = fs::remove_file(new);
        }
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

fn refused(what: &str, path: &str, error: &io::Error) -> Report {
    Report::new(format!("{what} {path}: {}", reason(error)))
}
