//! `install`: the resources that install a package; `upgrade`: what another version of it would change.

use super::Printed;
use super::flags::{InstallFlags, PackageWithValuesFlags, UpgradeFlags};
use super::input::Reader;
use super::links::Allowed;
use super::paths::{base, join};
use super::{repository, stage, values};
use crate::diagnostic::Report;
use crate::files::File;
use crate::package::edit::Changes;
use crate::package::install::{self, Plan};
use crate::package::offer::Offer;
use crate::package::report::{self, Style};
use crate::package::source::Inputs;
use crate::package::wanted::required;

/// Writes the resources that install a package.
///
/// # Errors
/// Flags are missing, the repository cannot be read, there is no such version, its values are refused, or the disk
/// refuses.
pub fn install(flags: &InstallFlags) -> Result<Printed, Report> {
    with_offer(&flags.package, |offer| {
        required("--namespace", &flags.namespace)?;
        required("--out", &flags.out)?;
        let selection = flags.selection.selection();
        let version = offer.select(&selection, None)?;
        let inputs = inputs(&flags.package.values, &flags.overlay)?;
        let rendered = offer.render(&version, &inputs)?;
        let plan = Plan {
            name: flags.name.clone(),
            namespace: flags.namespace.clone(),
            service_account: flags.service_account.clone(),
            selection,
            permissions: flags.rbac.parse()?,
            repository: match flags.bundle_repo.as_str() {
                "" => None,
                place => Some(repository::image(&flags.package.repository, place)?),
            },
        };
        let made = install::install(&plan, &rendered, &inputs)?;
        let written = made.files.into_iter();
        let changes = Changes {
            written: written
                .map(|(path, text)| (path, text.into_bytes()))
                .collect(),
            deleted: made.stale.into_iter().collect(),
        };
        let (written, deleted) = stage::apply(&flags.out, &changes)?;
        let mut out = format!("{} {version}\n", offer.ref_name);
        for path in written {
            out += &format!("writing: {}\n", join(&flags.out, &path));
        }
        for path in deleted {
            out += &format!("deleting: {}\n", join(&flags.out, &path));
        }
        for step in made.install.iter().chain(&made.uninstall) {
            out += &format!(
                "{}\n",
                step.replace("FOLDER", flags.out.trim_end_matches('/'))
            );
        }
        let warnings = made
            .warnings
            .iter()
            .map(|warning| format!("warning: {warning}\n"));
        Ok(Printed {
            err: warnings.collect::<String>().into_bytes(),
            ..Printed::out(out)
        })
    })
}

/// Prints what another version of a package changes.
///
/// # Errors
/// As above.
pub fn upgrade(flags: &UpgradeFlags) -> Result<Printed, Report> {
    let upgrade = with_offer(&flags.package, |offer| {
        let version = offer.target(&flags.from, &flags.to, &flags.selection.selection())?;
        let new = inputs(&flags.package.values, &flags.overlay)?;
        let old = match flags.from_values.as_slice() {
            [] => new.clone(),
            given => inputs(given, &flags.overlay)?,
        };
        offer.upgrade((&flags.from, &old), (&version, &new), &flags.namespace)
    })?;
    let text = match flags.output.as_str() {
        "" | "text" => report::text(&upgrade, Style::Text),
        "markdown" => report::text(&upgrade, Style::Markdown),
        "json" => {
            let json = serde_json::to_string_pretty(&upgrade);
            json.map_err(|error| Report::new(format!("Printing the upgrade: {error}")))? + "\n"
        }
        other => {
            return Err(Report::new(format!(
                "invalid argument {other:?} for \"-o, --output\" flag: expected one of: text, json, markdown"
            )));
        }
    };
    Ok(Printed {
        status: if upgrade.is_empty() { 0 } else { 2 },
        ..Printed::out(text)
    })
}

/// The package that the flags name, for what is done with it.
fn with_offer<T>(
    flags: &PackageWithValuesFlags,
    used: impl FnOnce(&Offer<'_>) -> Result<T, Report>,
) -> Result<T, Report> {
    required("--repository", &flags.repository)?;
    required("--ref-name", &flags.ref_name)?;
    let repository = repository::read(&flags.repository)?;
    let sources = |folder: &str| repository::sources(&flags.repository, folder);
    used(&Offer::new(&repository, &flags.ref_name, &sources)?)
}

fn inputs(files: &[String], overlays: &[String]) -> Result<Inputs, Report> {
    let mut reader = Reader::new(Allowed::default());
    let mut inputs = Inputs::default();
    for argument in files {
        let found = values::files(&mut reader, argument);
        inputs
            .values
            .extend(found.map_err(|report| report.context("Extracting data value from file"))?);
    }
    for overlay in overlays {
        for found in reader.find(overlay)? {
            let bytes = reader.read(&found)?;
            let name = base(&found.relative).to_string();
            inputs
                .overlays
                .push(File::new(name.clone(), format!("file '{name}'"), bytes));
        }
    }
    Ok(inputs)
}
