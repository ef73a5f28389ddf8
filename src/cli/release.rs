//! `release`: packages, their repository and their way into a registry in one go.

use super::flags::ReleaseFlags;
use super::package::Disk;
use super::paths::join;
use super::registry::Client;
use super::repository::apply;
use super::{Printed, relocate};
use crate::diagnostic::Report;
use crate::package::bundle::Image;
use crate::package::draft::Draft;
use crate::package::reference::Reference;
use crate::package::release::prepare;
use crate::package::wanted::required;
use std::fs;

/// Does what the file says. The packages' bundles are pushed first, then the folder is written, and the repository's
/// bundle comes last: whoever sees a version can get it.
///
/// # Errors
/// The file, a package or the repository is at fault; then nothing is written or pushed. The disk or a registry refuses.
pub fn release(flags: &ReleaseFlags) -> Result<Printed, Report> {
    required("--config", &flags.config)?;
    let prepared = prepare(&flags.config, &Disk, flags.replace)?;
    let mut told = prepared.warnings.clone();
    if flags.dry_run {
        told.extend(planned(&prepared.draft));
        told.extend(prepared.pushes());
    } else {
        let client = Client::new();
        let mut push = |(name, image): &(Reference, Image)| {
            relocate::push(&client, name, image)
                .map(|_| told.push(format!("pushed: {name} ({})", image.digest())))
        };
        prepared.bundles.iter().try_for_each(&mut push)?;
        let written = apply(&prepared.draft.name, &prepared.draft.changes)?;
        push(&prepared.repository)?;
        told.extend(written.lines().map(str::to_string));
    }
    let err: String = told.iter().map(|line| format!("{line}\n")).collect();
    Ok(Printed {
        out: prepared.resource,
        err: err.into_bytes(),
        status: 0,
    })
}

/// What would change in the folder.
fn planned(draft: &Draft) -> Vec<String> {
    let (folder, changes) = (draft.name.as_str(), &draft.changes);
    let differs = |(path, bytes): &(&String, &Vec<u8>)| {
        fs::read(join(folder, path)).ok().as_ref() != Some(*bytes)
    };
    let written = changes.written.iter().filter(differs);
    let written = written.map(|(path, _)| format!("would write: {}", join(folder, path)));
    let deleted = changes.deleted.iter();
    let deleted = deleted.filter(|path| fs::exists(join(folder, path)).unwrap_or(true));
    let deleted = deleted.map(|path| format!("would delete: {}", join(folder, path)));
    written.chain(deleted).collect()
}
