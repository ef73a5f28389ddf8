//! `lock`: images to digests, as kbld does it.

use super::Printed;
use super::flags::LockFlags;
use super::input::Reader;
use super::output;
use super::paths::reason;
use super::registry::Client;
use crate::diagnostic::Report;
use crate::package::digest::Digest;
use crate::package::lock::job::{Job, Locked};
use crate::package::lock::{self, Offline, Resolver};
use crate::package::reference::{Reference, Repository};
use std::collections::BTreeMap;
use std::fs;

impl Resolver for Client {
    fn digest(&self, image: &Reference) -> Result<Digest, Report> {
        Ok(self.manifest(image)?.digest())
    }

    fn tags(&self, repository: &Repository) -> Result<Vec<String>, Report> {
        Client::tags(self, repository)
    }
}

/// Prints the resources with their images resolved, and writes the locks that are asked for.
///
/// # Errors
/// A file cannot be read or written or is not what it should be, or an image cannot be resolved.
pub fn lock(flags: &LockFlags) -> Result<Printed, Report> {
    if !flags.lock_output.is_empty() && !flags.imgpkg_lock_output.is_empty() {
        return Err(Report::new(
            "Can only output one lockfile type, please provide only one of '--lock-output' or '--imgpkg-lock-output'",
        ));
    }
    let map = match flags.image_map_file.as_str() {
        "" => BTreeMap::new(),
        path => image_map(path)?,
    };
    let job = Job::new(&Reader::default().files(&flags.files)?, map)?;
    if flags.unresolved_inspect {
        return Ok(Printed::out(lock::print_found(&job.found)));
    }
    let resolver: &dyn Resolver = if flags.offline {
        &Offline
    } else {
        &Client::new()
    };
    let Locked { images, text, told } = job.run(resolver, flags.images_annotation)?;
    let told: String = told.iter().map(|line| format!("{line}\n")).collect();
    if !flags.imgpkg_lock_output.is_empty() {
        let lock = lock::images_lock(&images, flags.origins_annotation);
        output::put_file(&flags.imgpkg_lock_output, &lock.print())?;
    }
    if !flags.lock_output.is_empty() {
        output::put_file(&flags.lock_output, &lock::config_lock(&images, &job.config))?;
    }
    Ok(Printed {
        err: told.into_bytes(),
        ..Printed::out(text)
    })
}

fn image_map(path: &str) -> Result<BTreeMap<String, String>, Report> {
    let text = fs::read(path)
        .map_err(|error| Report::new(format!("Reading '{path}': {}", reason(&error))))?;
    serde_json::from_slice(&text).map_err(|error| Report::new(format!("Reading '{path}': {error}")))
}
