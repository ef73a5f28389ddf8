//! Symbolic links: followed only to where the user allows, and the pipes of a process substitution.

use super::flags::RenderFlags;
use super::paths::{base, clean, join, reason};
use crate::diagnostic::Report;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// More links than this lead nowhere.
const MAX_LINKS: usize = 255;

/// Where links may lead.
#[derive(Default)]
pub struct Allowed {
    /// Anywhere.
    everywhere: bool,
    /// To these paths, and below them.
    paths: Vec<String>,
}

impl Allowed {
    /// What the flags allow.
    pub fn by(flags: &RenderFlags) -> Allowed {
        Allowed {
            everywhere: flags.dangerous_allow_all_symlink_destinations,
            paths: flags.allow_symlink_destination.clone(),
        }
    }

    /// Checks a link.
    ///
    /// # Errors
    /// It leads to where no link may, or nowhere.
    pub fn check(&self, path: &str) -> Result<(), Report> {
        if self.everywhere {
            return Ok(());
        }
        let target = match follow(path) {
            Ok(target) => target,
            Err(_) if is_held_pipe(path) => return Ok(()),
            Err(report) => return Err(report.context("Eval symlink")),
        };
        let full = absolute(&target)?;
        for allowed in &self.paths {
            if Path::new(&full).starts_with(absolute(allowed)?) {
                return Ok(());
            }
        }
        Err(Report::new(format!(
            "Expected symlink file '{path}' -> '{target}' to be allowed, but was not (hint: symlinks are disallowed as a \
             security feature, use '--allow-symlink-destination' flags to override)"
        )))
    }
}

/// A process substitution, `/dev/fd/63`: a pipe that the program holds already. What its link says (`pipe:[7]`) is no
/// path, so it cannot have led astray.
fn is_held_pipe(path: &str) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.file_type().is_fifo())
}

fn absolute(path: &str) -> Result<String, Report> {
    if path.starts_with('/') {
        return Ok(clean(path));
    }
    let here = std::env::current_dir()
        .map_err(|error| Report::new(format!("Abs path '{path}': {}", reason(&error))))?;
    Ok(join(&here.to_string_lossy(), path))
}

/// Where a path leads when every link in it is followed; relative if the path and its links are.
fn follow(path: &str) -> Result<String, Report> {
    let mut done = if path.starts_with('/') {
        String::from("/")
    } else {
        String::new()
    };
    let mut rest: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let mut links = 0;
    while let Some(part) = rest.pop() {
        match part.as_str() {
            "" | "." => continue,
            // No link is left in what is done, so that its text alone tells what stands above it.
            ".." => {
                done = match base(&done) {
                    ".." | "" if !done.starts_with('/') => format!("{done}{}..", separator(&done)),
                    _ => match done.rsplit_once('/') {
                        Some(("", _)) => "/".into(),
                        Some((above, _)) => above.into(),
                        None => String::new(),
                    },
                };
                continue;
            }
            _ => {}
        }
        let here = format!("{done}{}{part}", separator(&done));
        let failed = |what: &str, error: &std::io::Error| {
            Report::new(format!("{what} {here}: {}", reason(error)))
        };
        let meta = fs::symlink_metadata(&here).map_err(|error| failed("lstat", &error))?;
        if !meta.is_symlink() {
            done = here;
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(Report::new("EvalSymlinks: too many links"));
        }
        let target = fs::read_link(&here).map_err(|error| failed("readlink", &error))?;
        let target = target.to_string_lossy();
        if target.starts_with('/') {
            done = "/".into();
        }
        rest.extend(target.split('/').rev().map(str::to_owned));
    }
    Ok(clean(&done))
}

fn separator(done: &str) -> &'static str {
    if done.is_empty() || done.ends_with('/') {
        ""
    } else {
        "/"
    }
}
