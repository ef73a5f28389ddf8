//! `repository`: many versions of packages side by side.

use super::input::Reader;
use super::paths::join;
use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::files::File;
use crate::package::repository::{PACKAGES, Repository};

/// The repository in a folder.
///
/// # Errors
/// It is not there, or something in it cannot be read.
pub fn read(folder: &str) -> Result<Repository, Report> {
    let (repository, told) = Repository::read(&files(folder)?);
    let errors: Vec<Diagnostic> = told
        .into_iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    if errors.is_empty() {
        return Ok(repository);
    }
    Err(report(&format!("Reading repository '{folder}':"), errors))
}

/// The files of a repository that count, by their path in it.
fn files(folder: &str) -> Result<Vec<File>, Report> {
    let packages = join(folder, PACKAGES);
    if !std::fs::metadata(&packages).is_ok_and(|meta| meta.is_dir()) {
        return Err(Report::new(format!(
            "expected '{folder}' to be a repository, with a folder '{PACKAGES}' in it"
        )));
    }
    let mut reader = Reader::default();
    let mut files = Vec::new();
    for found in reader.find(&packages)? {
        let path = join(PACKAGES, &found.relative);
        let bytes = reader.read(&found)?;
        files.push(File::new(path.clone(), format!("file '{path}'"), bytes));
    }
    Ok(files)
}

/// All that is wrong, a line each, each with its place.
fn report(heading: &str, diagnostics: Vec<Diagnostic>) -> Report {
    let lines = diagnostics
        .iter()
        .map(|diagnostic| format!("\n- {}", line(diagnostic)));
    Report::with_diagnostics(
        format!("{heading}{}", lines.collect::<String>()),
        diagnostics,
    )
}

fn line(diagnostic: &Diagnostic) -> String {
    format!("{}: {}", diagnostic.origin, diagnostic.message)
}
