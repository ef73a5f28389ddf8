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
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

const PAUSE: Duration = Duration::from_millis(200);

/// Folders deeper than this are not looked into; links can make any depth.
const MAX_DEPTH: usize = 64;

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
        return render::render(flags, packages);
    }
    let inputs = inputs(flags)?;
    let mut seen = look(&inputs);
    loop {
        let done = render::render(flags, packages);
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
    for argument in &flags.files {
        inputs.push(argument.rsplit('=').next().unwrap_or(argument));
    }
    for argument in &flags.data_values_file {
        inputs.push(split_library(argument)?.1);
    }
    for argument in &flags.data_value_file {
        inputs.push(split_file_value(argument)?.1);
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
    for input in inputs {
        look_into(input, MAX_DEPTH, &mut seen);
    }
    seen
}

fn look_into(path: &Path, depth: usize, seen: &mut Seen) {
    // What is gone, or cannot be read, is a state like any other: the render tells.
    let Ok(meta) = fs::metadata(path) else {
        return;
    };
    if meta.is_dir() {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            look_into(&entry.path(), depth, seen);
        }
        return;
    }
    seen.insert(path.into(), (meta.modified().ok(), meta.len()));
}
