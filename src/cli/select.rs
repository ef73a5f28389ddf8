//! `select`: which version of a package an install would get.

use super::Printed;
use super::flags::{ErrorFormat, SelectFlags, SelectionFlags};
use super::repository;
use crate::diagnostic::{Diagnostic, Report};
use crate::package::explain::{Explanation, explain};
use crate::package::model::{Prereleases, VersionSelection};
use crate::package::select::{Candidate, Request};
use crate::package::version::Version;
use crate::package::wanted::required;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Prints the version; what kapp-controller says if there is none.
///
/// # Errors
/// Flags are missing or of no use, or the repository cannot be read.
pub fn select(flags: &SelectFlags, format: ErrorFormat) -> Result<Printed, Report> {
    let request = Request {
        ref_name: flags.ref_name.clone(),
        selection: flags.selection.selection(),
        installed: (!flags.installed.is_empty()).then(|| flags.installed.clone()),
        downgradable: flags.downgradable,
        kubernetes: Version::reported_by("kubernetes-version", &flags.kubernetes_version)?,
        kapp_controller: Version::reported_by(
            "kapp-controller-version",
            &flags.kapp_controller_version,
        )?,
    };
    let candidates = candidates(flags)?;
    let explained = explain(&candidates, &request);
    let mut printed = Printed::default();
    if flags.explain {
        printed.err = text(&explained).into_bytes();
    }
    match (explained.version, explained.error) {
        (Some(version), _) => printed.out = format!("{version}\n").into_bytes(),
        (None, error) => {
            let error = error.unwrap_or_default();
            if format == ErrorFormat::Json {
                let mut diagnostic = Diagnostic::error(error.clone());
                diagnostic.hints = explained.advice;
                return Err(Report::with_diagnostics(error, vec![diagnostic]));
            }
            // As it stands in the status of a PackageInstall, so that it can be compared.
            printed
                .err
                .extend_from_slice(format!("{error}\n").as_bytes());
            printed.status = 1;
        }
    }
    Ok(printed)
}

impl SelectionFlags {
    /// The selection, as a PackageInstall has it.
    pub fn selection(&self) -> VersionSelection {
        let identifiers = self.prerelease_identifier.clone();
        let accepts = self.prereleases || !identifiers.is_empty();
        VersionSelection {
            constraints: self.constraints.clone(),
            prereleases: accepts.then_some(Prereleases { identifiers }),
        }
    }
}

fn candidates(flags: &SelectFlags) -> Result<Vec<Candidate>, Report> {
    match (flags.repository.as_str(), flags.available.is_empty()) {
        ("", false) => Ok(Candidate::of_versions(&flags.ref_name, &flags.available)),
        ("", true) => Err(Report::new("expected --repository or --available")),
        (_, false) => Err(Report::new(
            "expected either --repository or --available, found both",
        )),
        (folder, true) => {
            required("--ref-name", &flags.ref_name)?;
            Ok(repository::read(folder)?.candidates())
        }
    }
}

/// What each filter left, a line each; then the advice.
fn text(explained: &Explanation) -> String {
    let width = explained.steps.iter().map(|step| step.name.len()).max();
    let mut text = String::new();
    let mut before: Option<&[String]> = None;
    for step in &explained.steps {
        let (name, count) = (step.name, step.versions.len());
        let _ = write!(
            text,
            "{name:width$}  {count:>3}",
            width = width.unwrap_or_default()
        );
        match before {
            None if count > 0 => {
                let _ = write!(text, "  {}", step.versions.join(", "));
            }
            Some(before) if before.len() > count => {
                let left: BTreeSet<&String> = step.versions.iter().collect();
                let lost = before.iter().filter(|version| !left.contains(version));
                let lost: Vec<&str> = lost.map(String::as_str).collect();
                let _ = write!(text, "  without {}", lost.join(", "));
            }
            _ => {}
        }
        text.push('\n');
        before = Some(&step.versions);
    }
    for sentence in &explained.advice {
        let _ = writeln!(text, "warning: {sentence}");
    }
    text
}
