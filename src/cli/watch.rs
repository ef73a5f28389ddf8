//! `--watch`: a render whenever an input changes.
//!
//! Inputs are looked at a few times a second, which also holds for disks that tell nobody of changes, and for files
//! that an editor replaces.

use super::flags::{ErrorFormat, RenderFlags};
use super::input::is_url;
use super::{Printed, failure, print, render};
use crate::diagnostic::Report;
use crate::values::flags::{split_file_value, split_library};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

const PAUSE: Duration = Duration::from_millis(200);

/// When each input changed last, and how long it is.
type Seen = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

/// Renders once, or again and again.
///
/// # Errors
/// The one render failed; or there is nothing to watch. A render that fails under watch is told, and no error.
pub fn render(
    name: &str,
    flags: &RenderFlags,
    packages: &[String],
    format: ErrorFormat,
) -> Result<Printed, Report> {
    if !flags.watch {
        return render::render(name, flags, packages, format);
    }
    let inputs = inputs(flags)?;
    let mut seen = look(&inputs);
    loop {
        let done = render::render(name, flags, packages, format);
        match done.and_then(|printed| print(&printed).map_err(|failed| failed.report)) {
            Ok(_) => {}
            Err(report) => failure::print(name, &report, format),
        }
        let _ = writeln!(std::io::stderr(), "{name}: watching {} files", seen.len());
        loop {
            sleep(PAUSE);
            let now = look(&inputs);
            if now != seen {
                seen = now;
                break;
            }
        }
    }
}

/// The paths that flags name.
fn inputs(flags: &RenderFlags) -> Result<Vec<PathBuf>, Report> {
    let mut inputs = Vec::new();
    inputs.extend(flags.files.iter().map(String::as_str));
    for argument in &flags.data_values_file {
        inputs.push(split_library(argument)?.1);
    }
    for argument in &flags.data_value_file {
        inputs.push(split_file_value(argument)?.1);
    }
    for input in &mut inputs {
        *input = input.rsplit('=').next().unwrap_or(input);
    }
    inputs.retain(|path| !is_url(path));
    if inputs.contains(&"-") {
        return Err(Report::new(
            "--watch needs files; standard input is read once",
        ));
    }
    if inputs.is_empty() {
        return Err(Report::new("--watch needs files (hint: -f FILE)"));
    }
    Ok(inputs.into_iter().map(PathBuf::from).collect())
}

fn look(inputs: &[PathBuf]) -> Seen {
    let mut seen = Seen::new();
    let mut pending = inputs.to_vec();
    while let Some(path) = pending.pop() {
        // What is gone, or cannot be read, is a state like any other: the render tells.
        let Ok(meta) = fs::metadata(&path) else {
            continue;
        };
        if meta.is_file() {
            seen.insert(path, (meta.modified().ok(), meta.len()));
        } else if meta.is_dir() && (!path.is_symlink() || inputs.contains(&path)) {
            // No render follows links to folders, which may lead in circles.
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            pending.extend(entries.map(|entry| entry.path()));
        }
    }
    seen
}
