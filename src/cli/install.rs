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
use crate::package::explain::explain;
use crate::package::install::{self, Permissions, Plan};
use crate::package::model::VersionSelection;
use crate::package::report::{self, Style};
use crate::package::repository::Repository;
use crate::package::select::Request;
use crate::package::source::{self, Inputs, Rendered, Source};
use crate::package::upgrade;

/// Writes the resources that install a package.
///
/// # Errors
/// Flags are missing, the repository cannot be read, there is no such version, its values are refused, or the disk
/// refuses.
pub fn install(flags: &InstallFlags) -> Result<Printed, Report> {
    let package = Package::read(&flags.package)?;
    required("--namespace", &flags.namespace)?;
    required("--out", &flags.out)?;
    let selection = flags.selection.selection();
    let version = package.select(&selection, None)?;
    let inputs = inputs(&flags.package.values, &flags.overlay)?;
    let rendered = package.render(&version, &inputs)?;
    let plan = Plan {
        name: match flags.name.as_str() {
            "" => package
                .ref_name
                .split('.')
                .next()
                .unwrap_or_default()
                .to_string(),
            name => name.to_string(),
        },
        namespace: flags.namespace.clone(),
        service_account: flags.service_account.clone(),
        selection,
        permissions: match flags.rbac.as_str() {
            "" | "least" => Permissions::Least,
            "cluster-admin" => Permissions::ClusterAdmin,
            other => {
                return Err(Report::new(format!(
                    "invalid argument {other:?} for \"--rbac\" flag: expected one of: least, cluster-admin"
                )));
            }
        },
        repository: match flags.bundle_repo.as_str() {
            "" => None,
            place => {
                let image = repository::image(&package.folder, place)?;
                Some((base(&image.repository.name).to_string(), image.to_string()))
            }
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
    let mut out = format!("{} {version}\n", package.ref_name);
    for path in written {
        out += &format!("writing: {}\n", join(&flags.out, &path));
    }
    for path in deleted {
        out += &format!("deleting: {}\n", join(&flags.out, &path));
    }
    for step in made.steps {
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
}

/// Prints what another version of a package changes.
///
/// # Errors
/// As above.
pub fn upgrade(flags: &UpgradeFlags) -> Result<Printed, Report> {
    let package = Package::read(&flags.package)?;
    required("--from", &flags.from)?;
    let version = match (flags.to.as_str(), flags.selection.constraints.as_str()) {
        ("", "") => return Err(Report::new("expected --to or --constraints")),
        (to, "") => to.to_string(),
        ("", _) => package.select(&flags.selection.selection(), Some(&flags.from))?,
        _ => {
            return Err(Report::new(
                "expected either --to or --constraints, found both",
            ));
        }
    };
    let new = &flags.package.values;
    let old = match flags.from_values.as_slice() {
        [] => new,
        given => given,
    };
    let render = |side: &str, version: &str, values: &[String]| {
        let rendered = package.render(version, &inputs(values, &flags.overlay)?);
        rendered.map_err(|report| report.context(format!("{side} {version}")))
    };
    let from = render("from", &flags.from, old)?;
    let to = render("to", &version, new)?;
    let upgrade = upgrade::upgrade(&from, &to, &flags.namespace);
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

/// A package of a repository on the disk.
struct Package {
    folder: String,
    repository: Repository,
    ref_name: String,
}

impl Package {
    fn read(flags: &PackageWithValuesFlags) -> Result<Package, Report> {
        required("--repository", &flags.repository)?;
        required("--ref-name", &flags.ref_name)?;
        let repository = repository::read(&flags.repository)?;
        source::known(&repository, &flags.ref_name)?;
        Ok(Package {
            folder: flags.repository.clone(),
            repository,
            ref_name: flags.ref_name.clone(),
        })
    }

    fn select(
        &self,
        selection: &VersionSelection,
        installed: Option<&str>,
    ) -> Result<String, Report> {
        let request = Request {
            ref_name: self.ref_name.clone(),
            selection: selection.clone(),
            installed: installed.map(str::to_string),
            ..Request::default()
        };
        let explained = explain(&self.repository.candidates(), &request);
        explained
            .version
            .ok_or_else(|| Report::new(explained.error.unwrap_or_default()))
    }

    fn render(&self, version: &str, inputs: &Inputs) -> Result<Rendered, Report> {
        let found = source::find(&self.repository, &self.ref_name, version)?;
        let files = repository::sources(&self.folder, &source::folder(&self.ref_name, version))?;
        Source::new(&found.resource, files)?.with(inputs).render()
    }
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

fn required(flag: &str, value: &str) -> Result<(), Report> {
    match value {
        "" => Err(Report::new(format!("expected {flag}"))),
        _ => Ok(()),
    }
}
