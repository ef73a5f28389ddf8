//! `lock`: images to digests, as kbld does it.

use super::Printed;
use super::flags::LockFlags;
use super::input::Reader;
use super::output;
use super::paths::reason;
use super::registry::Client;
use crate::diagnostic::Report;
use crate::files::Kind;
use crate::package::digest::Digest;
use crate::package::lock::config::Config;
use crate::package::lock::{self, Offline, Resolver, search};
use crate::package::reference::{Reference, Repository};
use std::collections::BTreeSet;
use std::fmt::Write as _;
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
    let mut resources = Vec::new();
    for file in Reader::default().files(&flags.files)? {
        // In a folder other files may stand, as kubectl has it.
        if file.kind() == Kind::Yaml || file.path().ends_with(".json") {
            resources.extend(lock::resources(&file.source()?.text, file.description())?);
        }
    }
    let (resources, mut config) = Config::split(resources)?;
    if !flags.image_map_file.is_empty() {
        config.add(image_map(&flags.image_map_file)?);
    }
    let found = lock::find(&resources, &config);
    if flags.unresolved_inspect {
        return Ok(Printed::out(lock::print_found(&found)));
    }
    let resolver: &dyn Resolver = if flags.offline {
        &Offline
    } else {
        &Client::new()
    };
    let images = lock::resolve(&found, &config, resolver)?;

    let mut printed = Printed::default();
    let mut told = String::new();
    for (image, resolved) in &images {
        // A string takes everything.
        let _ = writeln!(told, "resolve | final: {image} -> {}", resolved.url);
    }
    for resource in &resources {
        let hidden = search::hidden(resource, &config.rules()).into_iter();
        let hidden: BTreeSet<String> = hidden.map(|hidden| hidden.image).collect();
        for image in hidden {
            let _ = writeln!(
                told,
                "warning: {} holds image '{image}' in a string, which is not locked (hint: a search rule with \
                 'updateStrategy: yaml' finds it)",
                lock::description(resource)
            );
        }
        let resource = lock::apply(resource, &config, &images, flags.images_annotation);
        printed.out.extend_from_slice(b"---\n");
        printed.out.extend(crate::yaml::print_value(&resource));
    }
    printed.err = told.into_bytes();
    if !flags.imgpkg_lock_output.is_empty() {
        let lock = lock::images_lock(&images, flags.origins_annotation);
        output::put_file(&flags.imgpkg_lock_output, &lock.print())?;
    }
    if !flags.lock_output.is_empty() {
        output::put_file(&flags.lock_output, &lock::config_lock(&images, &config))?;
    }
    Ok(printed)
}

fn image_map(path: &str) -> Result<Config, Report> {
    let text = fs::read(path)
        .map_err(|error| Report::new(format!("Reading '{path}': {}", reason(&error))))?;
    let map = serde_json::from_slice(&text)
        .map_err(|error| Report::new(format!("Reading '{path}': {error}")))?;
    Ok(Config::of_map(map))
}
