//! Where the page's files are.
//!
//! They stand beside the program, not in it: its engine is built after the program's own code, would double the program's size, and a folder is
//! what a package of either kind holds anyway.

use crate::diagnostic::Report;
use std::fs;
use std::path::{Path, PathBuf};

/// The page's folder: the one that is named, or the one that came with the program, or `www` here.
///
/// # Errors
/// There is no page.
pub fn folder(named: Option<&Path>) -> Result<PathBuf, Report> {
    let program = std::env::current_exe().and_then(fs::canonicalize).ok();
    let home = program.as_deref().and_then(Path::parent);
    let places = match (named, home) {
        (Some(named), _) => vec![named.to_path_buf()],
        (None, Some(home)) => vec![
            home.join("www"),
            home.join("../share/haulout/www"),
            "www".into(),
        ],
        (None, None) => vec!["www".into()],
    };
    let mut folders = places
        .iter()
        .filter_map(|place| fs::canonicalize(place).ok());
    let found = folders.find(|folder| folder.join("index.html").is_file());
    found.ok_or_else(|| {
        let shown = named.unwrap_or(Path::new("www")).display();
        Report::new(format!(
            "there is no page in '{shown}' (hint: --dir FOLDER, the one with index.html)"
        ))
    })
}
