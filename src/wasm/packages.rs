//! Packages as they are installed: which version, by what resources, and what an upgrade changes.

use super::session::Session;
use super::thrown;
use super::value::{InputFile, give, read};
use crate::diagnostic::Report;
use crate::files::File;
use crate::package::draft::{self, certain};
use crate::package::explain::{Explanation, explain};
use crate::package::install::{self, Install, Plan};
use crate::package::model::{Prereleases, VersionSelection};
use crate::package::offer::Offer;
use crate::package::reference::Reference;
use crate::package::report::{self, Style};
use crate::package::repository::Repository;
use crate::package::select::{self, Candidate, Request};
use crate::package::source::{Inputs, Rendered, Source};
use crate::package::upgrade::{Upgrade, upgrade};
use crate::package::version::Version;
use crate::package::wanted;
use crate::templates;
use crate::values::flags::ValuesFile;
use crate::yaml::Value;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `SelectOptions` of the types.
    #[wasm_bindgen(typescript_type = "SelectOptions")]
    pub type JsSelectOptions;
    /// `Selected` of the types.
    #[wasm_bindgen(typescript_type = "Selected")]
    pub type JsSelected;
    /// `InstallOptions` of the types.
    #[wasm_bindgen(typescript_type = "InstallOptions")]
    pub type JsInstallOptions;
    /// `RepositoryInstallOptions` of the types.
    #[wasm_bindgen(typescript_type = "RepositoryInstallOptions")]
    pub type JsRepositoryInstallOptions;
    /// `InstallSet` of the types.
    #[wasm_bindgen(typescript_type = "InstallSet")]
    pub type JsInstallSet;
    /// `UpgradeOptions` of the types.
    #[wasm_bindgen(typescript_type = "UpgradeOptions")]
    pub type JsUpgradeOptions;
    /// `UpgradeReport` of the types.
    #[wasm_bindgen(typescript_type = "UpgradeReport")]
    pub type JsUpgradeReport;
}

/// Does something with options, and gives its result.
pub(super) fn answer<O, T>(
    options: &JsValue,
    act: impl FnOnce(O) -> Result<T, Report>,
) -> Result<JsValue, JsError>
where
    O: serde::de::DeserializeOwned + Default,
    T: Serialize,
{
    let result = read(options).and_then(act);
    result
        .map(|result| give(&result))
        .map_err(|report| thrown(&report))
}

/// Files as they crossed.
pub(super) fn files(files: Vec<InputFile>) -> Vec<File> {
    files.into_iter().map(File::from).collect()
}

/// A file of a result.
#[derive(Serialize)]
pub(super) struct OutputFile {
    path: String,
    text: Value,
}

pub(super) fn output((path, bytes): (String, Vec<u8>)) -> OutputFile {
    let text = Value::str(bytes);
    OutputFile { path, text }
}

/// Which versions are accepted: part of several options.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a map")]
struct SelectOptions {
    available: Vec<String>,
    repository: Vec<InputFile>,
    folder: String,
    ref_name: String,
    constraints: String,
    prereleases: Value,
    installed: Option<String>,
    downgradable: bool,
    kubernetes_version: String,
    kapp_controller_version: String,
}

/// `true`, or a list of identifiers, at least one of which a pre-release must have.
fn selection(constraints: &str, prereleases: &Value) -> Result<VersionSelection, Report> {
    let wrong = || Report::new("prereleases: expected a boolean or a list of strings");
    let identifiers = match prereleases {
        Value::Null | Value::Bool(false) => None,
        Value::Bool(true) => Some(Vec::new()),
        Value::Array(items) => {
            let words = items.items.iter();
            let words: Option<Vec<String>> = words
                .map(|item| item.value.as_str().map(str::to_string))
                .collect();
            Some(words.ok_or_else(wrong)?).filter(|words| !words.is_empty())
        }
        _ => return Err(wrong()),
    };
    Ok(VersionSelection {
        constraints: constraints.to_string(),
        prereleases: identifiers.map(|identifiers| Prereleases { identifiers }),
    })
}

fn explained(options: SelectOptions) -> Result<Explanation, Report> {
    let reported = |flag: &str, text: &str| Version::reported_by(flag, text);
    let request = Request {
        ref_name: options.ref_name.clone(),
        selection: selection(&options.constraints, &options.prereleases)?,
        installed: options.installed.filter(|version| !version.is_empty()),
        downgradable: options.downgradable,
        kubernetes: reported("kubernetes-version", &options.kubernetes_version)?,
        kapp_controller: reported("kapp-controller-version", &options.kapp_controller_version)?,
    };
    let candidates = match options.repository.is_empty() {
        true => Candidate::of_versions(&options.ref_name, &options.available),
        false => repository(&options.folder, &files(options.repository))?.candidates(),
    };
    Ok(explain(&candidates, &request))
}

/// Which version an install gets: `haulout select --explain`.
///
/// # Errors
/// There is none, in kapp-controller's words; the error has `filters` and `warnings` too.
#[wasm_bindgen]
pub fn select(options: &JsSelectOptions) -> Result<JsSelected, JsValue> {
    let told = read(options)
        .and_then(explained)
        .map_err(|report| JsValue::from(thrown(&report)))?;
    let result = give(&told);
    let Some(error) = &told.error else {
        return Ok(result.into());
    };
    // As it stands in the status of a PackageInstall, so that it can be compared.
    let error = js_sys::Error::new(error);
    for key in ["filters", "warnings"] {
        let key = JsValue::from(key);
        // An error takes every key.
        let _ = js_sys::Reflect::set(
            &error,
            &key,
            &js_sys::Reflect::get(&result, &key).unwrap_or_default(),
        );
    }
    Err(error.into())
}

/// What messages call a repository: its folder, if it has one.
pub(super) fn called(folder: &str) -> &str {
    match folder {
        "" => "repository",
        folder => folder,
    }
}

fn repository(folder: &str, files: &[File]) -> Result<Repository, Report> {
    certain(called(folder), Repository::read(files))
}

/// Data values: one text, or files with their names.
#[derive(Default)]
struct Values(Vec<ValuesFile>);

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Values, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let part = |item: &Value, key: &str| {
            let found = item.as_map()?.get(key)?;
            found.value.as_str().map(str::to_string)
        };
        let files = match &value {
            Value::Null => Some(Vec::new()),
            Value::Str(text) => text
                .as_str()
                .map(|text| vec![ValuesFile::standard_input(text)]),
            Value::Array(items) => {
                let files = items.items.iter().map(|item| {
                    let name = part(&item.value, "name")?;
                    Some(ValuesFile {
                        library: String::new(),
                        argument: name.clone(),
                        path: name,
                        bytes: part(&item.value, "data")?.into(),
                    })
                });
                files.collect()
            }
            _ => None,
        };
        files.map(Values).ok_or_else(|| {
            serde::de::Error::custom("expected a text, or a list of { name: string, data: string }")
        })
    }
}

/// How a package is to be installed.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a map")]
struct InstallOptions {
    /// The files of a repository; a session has its own.
    repository: Vec<InputFile>,
    folder: String,
    ref_name: String,
    version: String,
    constraints: String,
    prereleases: Value,
    values: Values,
    overlays: Vec<InputFile>,
    name: String,
    namespace: String,
    service_account: String,
    rbac: String,
    /// Where the repository's bundle will be, if its files are given.
    bundle_repo: String,
    /// The repository's bundle by digest, if they are not.
    repository_bundle: String,
}

impl InstallOptions {
    fn inputs(&mut self) -> Inputs {
        Inputs {
            values: std::mem::take(&mut self.values.0),
            overlays: files(std::mem::take(&mut self.overlays)),
        }
    }

    /// A version alone is a constraint that it alone meets.
    fn selection(&self) -> Result<VersionSelection, Report> {
        let constraints = match self.constraints.as_str() {
            "" => &self.version,
            constraints => constraints,
        };
        selection(constraints, &self.prereleases)
    }

    fn plan(&self, repository: Option<Reference>) -> Result<Plan, Report> {
        wanted::required("--namespace", &self.namespace)?;
        Ok(Plan {
            name: self.name.clone(),
            namespace: self.namespace.clone(),
            service_account: self.service_account.clone(),
            selection: self.selection()?,
            permissions: self.rbac.parse()?,
            repository,
        })
    }
}

/// The resources that install a package, and how.
#[derive(Serialize)]
struct InstallSet {
    version: String,
    files: Vec<OutputFile>,
    install: Vec<String>,
    uninstall: Vec<String>,
    warnings: Vec<String>,
}

fn install_set(plan: &Plan, rendered: &Rendered, inputs: &Inputs) -> Result<InstallSet, Report> {
    let Install {
        files,
        install,
        uninstall,
        warnings,
        ..
    } = install::install(plan, rendered, inputs)?;
    let files = files.into_iter();
    Ok(InstallSet {
        version: rendered.package.spec.version.clone(),
        files: files
            .map(|(path, text)| output((path, text.into_bytes())))
            .collect(),
        install,
        uninstall,
        warnings,
    })
}

/// The resources that install a package of a repository: `haulout install`.
///
/// # Errors
/// As the command line has them.
#[wasm_bindgen(js_name = "installSet")]
pub fn install_from(options: &JsRepositoryInstallOptions) -> Result<JsInstallSet, JsError> {
    let result = answer(options, |mut options: InstallOptions| {
        let files = files(std::mem::take(&mut options.repository));
        let repository = repository(&options.folder, &files)?;
        let sources = |folder: &str| Ok(draft::inside(&files, folder));
        let offer = Offer::new(&repository, &options.ref_name, &sources)?;
        let bundle = match options.bundle_repo.as_str() {
            "" => None,
            place => {
                let place = wanted::repository("--bundle-repo", place)?;
                let image = draft::image(&draft::pushed(&files))?;
                Some(place.at(image.digest()))
            }
        };
        let plan = options.plan(bundle)?;
        let version = offer.select(&plan.selection, None)?;
        let inputs = options.inputs();
        install_set(&plan, &offer.render(&version, &inputs)?, &inputs)
    });
    result.map(Into::into)
}

#[wasm_bindgen]
impl Session {
    /// The resources that install this session's package: what `haulout install` writes once it is in a repository.
    ///
    /// # Errors
    /// As the command line has them.
    #[wasm_bindgen(js_name = "installSet")]
    pub fn install_set(&self, options: &JsInstallOptions) -> Result<JsInstallSet, JsError> {
        let result = answer(options, |mut options: InstallOptions| {
            let version = match (&options.version, &self.version) {
                (version, _) if !version.is_empty() => version.clone(),
                (_, Some(version)) => version.clone(),
                _ => return Err(Report::new("expected version")),
            };
            let bundle = match options.repository_bundle.as_str() {
                "" => None,
                name => {
                    let bundle: Reference = name
                        .parse()
                        .map_err(|reason| Report::new(format!("repositoryBundle: {reason}")))?;
                    if bundle.digest.is_none() {
                        return Err(Report::new(format!(
                            "repositoryBundle: expected a name with a digest, found '{name}'"
                        )));
                    }
                    Some(bundle)
                }
            };
            options.version.clone_from(&version);
            let plan = options.plan(bundle)?;
            let inputs = options.inputs();
            let source = Source::of_templates(&options.ref_name, &version, self.files.clone())?;
            let candidates =
                Candidate::of_versions(&options.ref_name, std::slice::from_ref(&version));
            let request = Request {
                ref_name: options.ref_name.clone(),
                selection: plan.selection.clone(),
                ..Request::default()
            };
            let selected = select::select(&candidates, &request);
            selected
                .result
                .map_err(|error| Report::new(error.to_string()))?;
            install_set(&plan, &source.with(&inputs).render()?, &inputs)
        });
        result.map(Into::into)
    }
}

/// What an upgrade is asked for.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "a map")]
struct UpgradeOptions {
    /// The files of a repository.
    repository: Vec<InputFile>,
    folder: String,
    /// In place of a repository, a package that the engine holds.
    package: String,
    /// In place of both, the templates before.
    from_files: Vec<InputFile>,
    /// And after.
    to_files: Vec<InputFile>,
    ref_name: String,
    from: String,
    to: String,
    constraints: String,
    prereleases: Value,
    values: Values,
    from_values: Option<Values>,
    overlays: Vec<InputFile>,
    namespace: String,
}

/// What an upgrade changes, in all forms.
#[derive(Serialize)]
struct UpgradeReport {
    upgrade: Upgrade,
    changes: bool,
    text: String,
    markdown: String,
}

/// What another version of a package changes: `haulout upgrade`.
///
/// # Errors
/// As the command line has them.
#[wasm_bindgen(js_name = "upgrade")]
pub fn upgrade_report(options: &JsUpgradeOptions) -> Result<JsUpgradeReport, JsError> {
    let result = answer(options, |options: UpgradeOptions| {
        let overlays = files(options.overlays);
        let inputs = |values: Values| Inputs {
            values: values.0,
            overlays: overlays.clone(),
        };
        let new = inputs(options.values);
        let old = options.from_values.map_or_else(|| new.clone(), inputs);
        let selection = selection(&options.constraints, &options.prereleases)?;
        let (name, from, to) = (&options.ref_name, &options.from, &options.to);
        let upgrade = if options.repository.is_empty() {
            let side = |side: &str, version: &str, files: Vec<InputFile>, inputs: &Inputs| {
                let files = match options.package.as_str() {
                    "" => self::files(files),
                    package => templates::files(&format!("{package}@{version}"))?,
                };
                let source = Source::of_templates(name, version, files)?;
                let rendered = source.with(inputs).render();
                rendered.map_err(|report| report.context(format!("{side} {version}")))
            };
            upgrade(
                &side("from", from, options.from_files, &old)?,
                &side("to", to, options.to_files, &new)?,
                &options.namespace,
            )
        } else {
            let files = files(options.repository);
            let repository = repository(&options.folder, &files)?;
            let sources = |folder: &str| Ok(draft::inside(&files, folder));
            let offer = Offer::new(&repository, name, &sources)?;
            let to = offer.target(from, to, &selection)?;
            offer.upgrade((from, &old), (&to, &new), &options.namespace)?
        };
        Ok(UpgradeReport {
            changes: !upgrade.is_empty(),
            text: report::text(&upgrade, Style::Text),
            markdown: report::text(&upgrade, Style::Markdown),
            upgrade,
        })
    });
    result.map(Into::into)
}
