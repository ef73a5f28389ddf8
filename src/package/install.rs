//! What installs a package: the resources that are applied to a cluster, in order, and the order of taking them away.

use super::build::{IMAGE_DIGEST, IMAGE_TAG};
use super::model::{
    Metadata, Namespace, PackageInstall, PackageInstallSpec, PackageInstallValues, PackageRef,
    Resource, Secret, SecretRef, ServiceAccount, VersionSelection, print,
};
use super::rbac::{self, Account, Target, grants, rules};
use super::reference::Reference;
use super::repository::resource;
use super::source::{Inputs, Rendered};
use crate::diagnostic::Report;
use crate::yaml::Value;
use std::collections::BTreeMap;

/// What permissions the service account gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Permissions {
    /// Those that the package needs, as it is rendered.
    #[default]
    Least,
    /// All.
    ClusterAdmin,
}

impl std::str::FromStr for Permissions {
    type Err = Report;

    /// The words of the flag `--rbac`; nothing means the least.
    fn from_str(word: &str) -> Result<Permissions, Report> {
        match word {
            "" | "least" => Ok(Permissions::Least),
            "cluster-admin" => Ok(Permissions::ClusterAdmin),
            other => Err(Report::new(format!(
                "invalid argument {other:?} for \"--rbac\" flag: expected one of: least, cluster-admin"
            ))),
        }
    }
}

/// How a package is to be installed.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The name of the PackageInstall; empty for the first part of the package's.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// The service account; empty for one that is named after the install.
    pub service_account: String,
    /// Which versions it accepts, from now on.
    pub selection: VersionSelection,
    /// What the service account may do.
    pub permissions: Permissions,
    /// The repository's bundle, by digest; the repository is left out if that is not known.
    pub repository: Option<Reference>,
}

/// What is to be applied.
#[derive(Clone, Debug, Default)]
pub struct Install {
    /// Files by name, in the order in which they are applied, which is that of their names.
    pub files: Vec<(String, String)>,
    /// Names of files that another install may have left in the folder, and that would be applied with these.
    pub stale: Vec<String>,
    /// How to install, in words and commands; `FOLDER` stands for where the files are.
    pub install: Vec<String>,
    /// How to uninstall, likewise.
    pub uninstall: Vec<String>,
    /// What should be known.
    pub warnings: Vec<String>,
}

/// The annotation of a PackageInstall that adds the files of a Secret to what ytt reads.
const OVERLAYS: &str = "ext.packaging.carvel.dev/ytt-paths-from-secret-name.0";

/// Namespaces that are in every cluster, and that Kubernetes refuses to delete (its admission plugin `NamespaceLifecycle`).
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];

/// The resources that install a version of a package, which these inputs rendered, and later ones by constraint.
///
/// # Errors
/// A name is none, or a file is not UTF-8, so that no Secret can hold it as text.
pub fn install(plan: &Plan, rendered: &Rendered, inputs: &Inputs) -> Result<Install, Report> {
    let plan = &Plan {
        name: match plan.name.as_str() {
            "" => first_part(&rendered.package.spec.ref_name),
            name => name.to_string(),
        },
        ..plan.clone()
    };
    check_name("the install", &plan.name)?;
    check_name("the namespace", &plan.namespace)?;
    let account_name = match plan.service_account.as_str() {
        "" => format!("{}-installer", plan.name),
        given => given.to_string(),
    };
    check_name("the service account", &account_name)?;
    let named = |name: String| Metadata::named(name).within(plan.namespace.as_str());
    let (values_name, overlays_name) = (
        format!("{}-values", plan.name),
        format!("{}-overlays", plan.name),
    );
    let mut install = Install::default();
    let mut documents = Documents::default();

    if !IMMORTAL.contains(&plan.namespace.as_str()) {
        documents.add(
            "namespace",
            &[Namespace {
                metadata: Metadata::named(&plan.namespace),
            }
            .document()],
        );
    }
    if let Some(image) = &plan.repository {
        let name = image.repository.base();
        let resource = resource(name, &plan.namespace, &image.to_string());
        documents.add("repository", &[resource]);
    }
    let account = ServiceAccount {
        metadata: named(account_name.clone()),
    };
    documents.add("service-account", &[account.document()]);
    documents.text("permissions", permissions(plan, rendered, &account_name));
    let values = secret_of_values(inputs)?;
    if !values.is_empty() {
        documents.add(
            "values",
            &[secret(named(values_name.clone()), values.clone())],
        );
    }
    let overlays = secret_of_overlays(inputs)?;
    if !overlays.is_empty() {
        documents.add(
            "overlays",
            &[secret(named(overlays_name.clone()), overlays.clone())],
        );
    }
    let mut metadata = named(plan.name.clone());
    if !overlays.is_empty() {
        metadata.annotations.insert(OVERLAYS.into(), overlays_name);
    }
    let resource = PackageInstall {
        metadata,
        spec: PackageInstallSpec {
            service_account_name: account_name,
            package_ref: Some(PackageRef {
                ref_name: rendered.package.spec.ref_name.clone(),
                version_selection: Some(plan.selection.clone()),
            }),
            values: (!values.is_empty())
                .then(|| PackageInstallValues {
                    secret_ref: Some(SecretRef {
                        name: values_name,
                        ..SecretRef::default()
                    }),
                })
                .into_iter()
                .collect(),
            ..PackageInstallSpec::default()
        },
    };
    documents.add("install", &[resource.document()]);
    install.stale = documents.stale();
    install.files = documents.files;
    install.install = vec![
        "to install:".to_string(),
        "  kubectl apply -f FOLDER".to_string(),
    ];
    install.uninstall = uninstall(plan, &install.files);
    install.warnings = warnings(plan, rendered, inputs);
    Ok(install)
}

fn first_part(ref_name: &str) -> String {
    ref_name.split('.').next().unwrap_or_default().to_string()
}

/// A name of one segment, as Kubernetes has it.
fn check_name(what: &str, name: &str) -> Result<(), Report> {
    let inner = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let bytes = name.as_bytes();
    let is_name = bytes.iter().all(|letter| inner(*letter) || *letter == b'-')
        && bytes.first().copied().is_some_and(inner)
        && bytes.last().copied().is_some_and(inner)
        && bytes.len() <= 63;
    if is_name {
        return Ok(());
    }
    Err(Report::new(format!(
        "'{name}' cannot be the name of {what}: expected up to 63 lower case letters, digits and '-', the first and the last no '-'"
    )))
}

/// The files, in order; some are not always there.
const FILES: [&str; 7] = [
    "namespace",
    "repository",
    "service-account",
    "permissions",
    "values",
    "overlays",
    "install",
];

#[derive(Default)]
struct Documents {
    files: Vec<(String, String)>,
}

impl Documents {
    fn add(&mut self, name: &str, documents: &[Value]) {
        self.text(
            name,
            String::from_utf8_lossy(&print(documents)).into_owned(),
        );
    }

    fn text(&mut self, name: &str, text: String) {
        let number = self.files.len() + 1;
        self.files.push((format!("{number}-{name}.yml"), text));
    }

    /// The names that files could have had, had there been more or fewer of them.
    fn stale(&self) -> Vec<String> {
        let numbers = 1..=FILES.len();
        let names = numbers.flat_map(|number| FILES.map(|name| format!("{number}-{name}.yml")));
        names
            .filter(|name| !self.files.iter().any(|(file, _)| file == name))
            .collect()
    }
}

fn permissions(plan: &Plan, rendered: &Rendered, account: &str) -> String {
    let account = Account {
        namespace: &plan.namespace,
        name: account,
    };
    // Names of cluster roles are for the whole cluster.
    let name = format!("{}-{}-installer", plan.namespace, plan.name);
    if plan.permissions == Permissions::ClusterAdmin {
        return rbac::print_admin(&name, &account);
    }
    let spec = &rendered.package.spec;
    let target = Target::of(&rendered.package, &plan.namespace);
    let rules = rules(&grants(&rendered.objects(), &target));
    let head = format!(
        "# What installing {} {} with these values needs, and no more; above each rule, what needs it.\n",
        spec.ref_name, spec.version
    );
    let reach = target.made(&rendered.objects()).into_iter().map(|made| {
        format!(
            "# The package makes the namespace '{made}' itself, where no Role can be before: what is needed there is\n\
             # given in all namespaces. A package that can be put into a namespace that is there\n\
             # already needs it in that one alone.\n"
        )
    });
    let reach: String = reach.collect();
    format!("{head}{reach}{}", rbac::print(&rules, &name, &account))
}

fn secret(metadata: Metadata, texts: BTreeMap<String, String>) -> Value {
    let secret = Secret {
        metadata,
        string_data: texts,
        ..Secret::default()
    };
    secret.document()
}

/// Values by key; kapp-controller takes the keys in the order of the alphabet, and later files win.
fn secret_of_values(inputs: &Inputs) -> Result<BTreeMap<String, String>, Report> {
    let width = inputs.values.len().to_string().len();
    let files = inputs.values.iter().enumerate();
    files
        .map(|(index, file)| {
            let key = match inputs.values.len() {
                1 => "values.yaml".to_string(),
                _ => format!("values-{:0width$}.yaml", index + 1),
            };
            Ok((key, text(&file.argument, &file.bytes)?))
        })
        .collect()
}

/// Overlays by key, which is what ytt takes for the file's name.
fn secret_of_overlays(inputs: &Inputs) -> Result<BTreeMap<String, String>, Report> {
    let mut texts = BTreeMap::new();
    for file in &inputs.overlays {
        let is_key = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let key = file.name();
        if key.is_empty() || !key.chars().all(is_key) {
            return Err(Report::new(format!(
                "'{key}' cannot be a key of a Secret: expected letters, digits, '-', '_' and '.'"
            )));
        }
        let content = text(file.path(), &file.source()?.text)?;
        if texts.insert(key.to_string(), content).is_some() {
            return Err(Report::new(format!(
                "expected one overlay of the name '{key}', found two"
            )));
        }
    }
    Ok(texts)
}

fn text(path: &str, bytes: &[u8]) -> Result<String, Report> {
    let text = std::str::from_utf8(bytes);
    text.map(str::to_string)
        .map_err(|_| Report::new(format!("'{path}' is not UTF-8")))
}

fn uninstall(plan: &Plan, files: &[(String, String)]) -> Vec<String> {
    let Plan {
        name, namespace, ..
    } = plan;
    let mut steps = vec![
        "to uninstall, in this order, as the package goes by the permissions that it came with:"
            .to_string(),
        format!("  kubectl delete packageinstall {name} --namespace {namespace} --wait"),
    ];
    let rest = files
        .iter()
        .rev()
        .filter(|(file, _)| !file.ends_with("-install.yml"));
    for (file, _) in rest {
        let once = match file.as_str() {
            file if file.ends_with("-repository.yml") => {
                "  # once nothing else is installed from it"
            }
            file if file.ends_with("-namespace.yml") => "  # once nothing else is in it",
            _ => "",
        };
        steps.push(format!("  kubectl delete -f FOLDER/{file}{once}"));
    }
    steps
}

fn warnings(plan: &Plan, rendered: &Rendered, inputs: &Inputs) -> Vec<String> {
    let mut warnings = rendered.notes.clone();
    let objects = rendered.objects();
    let makes_ours = objects.iter().any(|object| {
        object.identity.kind == "Namespace" && object.identity.name == plan.namespace
    });
    if makes_ours {
        warnings.push(format!(
            "the package makes the namespace '{0}' too, and takes it away with itself, its service account and its \
             permissions in it: install it from another namespace",
            plan.namespace
        ));
    }
    if let Some(digest) = text_at(&rendered.defaults, IMAGE_DIGEST)
        && inputs.gives(IMAGE_TAG)
        && !inputs.gives(IMAGE_DIGEST)
    {
        warnings.push(format!(
            "the value '{IMAGE_TAG}' has no effect: the package's own '{IMAGE_DIGEST}' ({digest}) counts (hint: give \
             '{IMAGE_DIGEST}' of the image that is wanted, or make it empty)"
        ));
    }
    if plan.repository.is_none() {
        warnings.push(
            "the PackageRepository is left out: --bundle-repo says where its bundle is".into(),
        );
    }
    warnings
}

/// A text that is a value and not empty.
fn text_at<'v>(values: &'v Value, key: &str) -> Option<&'v str> {
    let text = values.as_map()?.get(key)?.value.as_str()?;
    (!text.is_empty()).then_some(text)
}
