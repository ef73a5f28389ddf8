//! The resources of packaging, as kapp-controller has them.
//!
//! They are read from nodes by [`Resource::read`], which tells every value of a wrong type with its place, and written
//! by [`print`]. Optional fields are left out of what is written; all have defaults, so that a literal needs to name
//! only what it sets. Notes of the fields' meaning are Carvel's, shortened; `spec.template` is in [`app`](super::app).

use super::app::{AppTemplate, Cluster, Fetch};
use crate::position::Position;
use crate::yaml::decode::{Decoded, Fault, decode};
use crate::yaml::encode::encode;
use crate::yaml::{Map, MapItem, Value, print_value};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Structs with the names of Kubernetes' fields, every one of which may be left out.
macro_rules! records {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase", default, expecting = "a map")]
        pub struct $name {
            $($(#[$field_meta])* #[serde(skip_serializing_if = "crate::package::model::is_absent")] pub $field: $type,)*
        }
    )*};
}
pub(super) use records;

/// True for what is not written.
pub(super) fn is_absent<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A kind of resource.
pub trait Resource: Serialize + DeserializeOwned + Default {
    /// `data.packaging.carvel.dev/v1alpha1` and the like.
    const API_VERSION: &'static str;
    /// `Package` and the like.
    const KIND: &'static str;

    /// Whether a document is of this kind.
    fn is(document: &Value) -> bool {
        let text = |key| {
            document
                .as_map()
                .and_then(|map| map.get(key)?.value.as_str())
        };
        text("apiVersion") == Some(Self::API_VERSION) && text("kind") == Some(Self::KIND)
    }

    /// The resource that a document holds, with every value of a wrong type and every key that it does not have.
    fn read(document: &Value, position: &Position) -> Decoded<Self> {
        let mut decoded: Decoded<Self> = decode(document, position);
        decoded.unknown.retain(|fault| !is_common(fault));
        decoded
    }

    /// The document, its outermost keys sorted, as Kubernetes' tools write them.
    fn document(&self) -> Value {
        // The types here are plain, so that each has a form.
        let content = encode(self).unwrap_or_default();
        let mut items = content
            .as_map()
            .map(|map| map.items.clone())
            .unwrap_or_default();
        items.push(item("apiVersion", Value::str(Self::API_VERSION)));
        items.push(item("kind", Value::str(Self::KIND)));
        items.sort_by(|a, b| a.key.as_str().cmp(&b.key.as_str()));
        Value::Map(
            Map {
                items,
                ..Map::default()
            }
            .into(),
        )
    }
}

fn item(key: &str, value: Value) -> MapItem {
    MapItem {
        key: Value::str(key),
        value,
        ..MapItem::default()
    }
}

/// What every resource may have, though no type here does.
fn is_common(fault: &Fault) -> bool {
    let path = fault.path.as_str();
    matches!(path, "apiVersion" | "kind" | "status") || path.starts_with("metadata.")
}

/// Resources as a text of YAML documents, `---` before each.
pub fn print(documents: &[Value]) -> Vec<u8> {
    let mut text = Vec::new();
    for document in documents {
        text.extend_from_slice(b"---\n");
        text.extend_from_slice(&print_value(document));
    }
    text
}

macro_rules! resources {
    ($($name:ident: $api_version:literal,)*) => {$(
        impl Resource for $name {
            const API_VERSION: &'static str = $api_version;
            const KIND: &'static str = stringify!($name);
        }
    )*};
}

resources! {
    Package: "data.packaging.carvel.dev/v1alpha1",
    PackageMetadata: "data.packaging.carvel.dev/v1alpha1",
    PackageInstall: "packaging.carvel.dev/v1alpha1",
    PackageRepository: "packaging.carvel.dev/v1alpha1",
    Secret: "v1",
    Namespace: "v1",
    ServiceAccount: "v1",
}

records! {
    /// What names a resource.
    Metadata {
        /// Its name.
        name: String,
        /// Its namespace; empty for none, or whichever it is put into.
        namespace: String,
        /// Its labels.
        labels: BTreeMap<String, String>,
        /// Its annotations.
        annotations: BTreeMap<String, String>,
    }

    /// A version of a package.
    Package {
        /// The name is `REFNAME.VERSION`.
        metadata: Metadata,
        /// The rest.
        spec: PackageSpec,
    }

    /// A version of a package.
    PackageSpec {
        /// The package's name: a domain of three segments or more.
        ref_name: String,
        /// The version: a full one.
        version: String,
        /// Its licenses.
        licenses: Vec<String>,
        /// When it was released, as RFC 3339 has it.
        released_at: Option<String>,
        /// What it needs of a cluster, in words.
        capacity_requirements_description: String,
        /// What is new, in words.
        release_notes: String,
        /// The software in it.
        included_software: Vec<IncludedSoftware>,
        /// The versions of kapp-controller that it suits.
        kapp_controller_version_selection: Option<Constraint>,
        /// The versions of Kubernetes that it suits.
        kubernetes_version_selection: Option<Constraint>,
        /// The values that it takes.
        values_schema: Option<ValuesSchema>,
        /// How it is fetched, rendered and deployed.
        template: Option<AppTemplate>,
    }

    /// A piece of software in a package.
    IncludedSoftware {
        /// Its name.
        display_name: String,
        /// Its version.
        version: String,
        /// What it is.
        description: String,
    }

    /// Versions that are accepted; the text may not be empty.
    Constraint {
        /// As [`Constraints`](super::constraint::Constraints) reads them.
        constraints: String,
    }

    /// A schema of values.
    ValuesSchema {
        /// An OpenAPI schema, its properties in their order.
        #[serde(rename = "openAPIv3")]
        open_api_v3: Value,
    }

    /// What is said of a package, whatever the version.
    PackageMetadata {
        /// The name is the package's.
        metadata: Metadata,
        /// The rest.
        spec: PackageMetadataSpec,
    }

    /// What is said of a package.
    PackageMetadataSpec {
        /// Its name for people.
        display_name: String,
        /// One sentence.
        short_description: String,
        /// More.
        long_description: String,
        /// An icon.
        #[serde(rename = "iconSVGBase64")]
        icon_svg_base64: String,
        /// Who provides it.
        provider_name: String,
        /// Who maintains it.
        maintainers: Vec<Maintainer>,
        /// What it is about.
        categories: Vec<String>,
        /// Where help is found.
        support_description: String,
    }

    /// A person.
    Maintainer {
        /// The name.
        name: String,
    }

    /// A package to be installed.
    PackageInstall {
        /// Its name and namespace.
        metadata: Metadata,
        /// The rest.
        spec: PackageInstallSpec,
    }

    /// A package to be installed.
    PackageInstallSpec {
        /// The service account that deploys it, in the same namespace.
        service_account_name: String,
        /// Another cluster, in place of a service account.
        cluster: Option<Cluster>,
        /// Which package.
        package_ref: Option<PackageRef>,
        /// The values, later ones over earlier ones.
        values: Vec<PackageInstallValues>,
        /// Whether nothing is to be done for now.
        paused: bool,
        /// Whether what is under way is to stop.
        canceled: bool,
        /// How often to look again: `10m`.
        sync_period: String,
        /// Whether its resources stay when it goes.
        noop_delete: bool,
        /// The namespace of resources that name none.
        default_namespace: String,
    }

    /// Which package, and which versions of it.
    PackageRef {
        /// The package's name.
        ref_name: String,
        /// The versions.
        version_selection: Option<VersionSelection>,
    }

    /// Which versions of a package an install accepts.
    VersionSelection {
        /// Constraints, such as `>=0.25.0 <0.40.0`; empty for any version.
        constraints: String,
        /// Which pre-releases are accepted; none if absent.
        prereleases: Option<Prereleases>,
    }

    /// Which pre-releases are accepted.
    Prereleases {
        /// One of these must be among the version's identifiers (`rc` of `1.0.0-rc.1`); all are accepted if there are
        /// none.
        identifiers: Vec<String>,
    }

    /// Where values come from.
    PackageInstallValues {
        /// A Secret each key of which is a file of values.
        secret_ref: Option<SecretRef>,
    }

    /// A Secret in the same namespace.
    SecretRef {
        /// Its name.
        name: String,
        /// Accepted, and ignored by kapp-controller: all keys count.
        key: String,
    }

    /// Where packages come from.
    PackageRepository {
        /// Its name and namespace.
        metadata: Metadata,
        /// The rest.
        spec: PackageRepositorySpec,
    }

    /// Where packages come from.
    PackageRepositorySpec {
        /// Whether nothing is to be done for now.
        paused: bool,
        /// How often to look again: `10m`.
        sync_period: String,
        /// Where it is.
        fetch: Option<Fetch>,
    }

    /// Data that is not for everyone.
    Secret {
        /// Its name and namespace.
        metadata: Metadata,
        /// `Opaque` if absent.
        r#type: String,
        /// Texts by key.
        string_data: BTreeMap<String, String>,
        /// Bytes in base64 by key.
        data: BTreeMap<String, String>,
    }

    /// A namespace.
    Namespace {
        /// Its name.
        metadata: Metadata,
    }

    /// Who acts in a cluster.
    ServiceAccount {
        /// Its name and namespace.
        metadata: Metadata,
    }
}

impl Package {
    /// A package of this version, and nothing more.
    pub fn new(ref_name: &str, version: &str) -> Package {
        Package {
            metadata: Metadata::named(format!("{ref_name}.{version}")),
            spec: PackageSpec {
                ref_name: ref_name.into(),
                version: version.into(),
                ..PackageSpec::default()
            },
        }
    }
}

impl Package {
    /// All that it fetches.
    pub fn fetches(&self) -> impl Iterator<Item = &Fetch> {
        self.spec
            .template
            .iter()
            .flat_map(|template| &template.spec.fetch)
    }

    /// The bundles that it fetches by name, each with the path of its field; those whose tag is selected when the package
    /// is installed are left out.
    pub fn bundles(&self) -> impl Iterator<Item = (String, &str)> {
        self.fetches().enumerate().filter_map(|(index, fetch)| {
            let bundle = fetch.imgpkg_bundle.as_ref()?;
            let path = format!("spec.template.spec.fetch[{index}].imgpkgBundle.image");
            bundle
                .tag_selection
                .is_none()
                .then_some((path, bundle.image.as_str()))
        })
    }
}

impl Metadata {
    /// That of a resource of this name.
    pub fn named(name: impl Into<String>) -> Metadata {
        Metadata {
            name: name.into(),
            ..Metadata::default()
        }
    }

    /// The same in a namespace.
    #[must_use]
    pub fn within(mut self, namespace: impl Into<String>) -> Metadata {
        self.namespace = namespace.into();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_as_text() {
        let install = PackageInstall {
            metadata: Metadata::named("supervisor").within("login"),
            spec: PackageInstallSpec {
                service_account_name: "installer".into(),
                package_ref: Some(PackageRef {
                    ref_name: "supervisor.pinniped.dev".into(),
                    version_selection: Some(VersionSelection {
                        constraints: ">=0.25.0".into(),
                        prereleases: Some(Prereleases::default()),
                    }),
                }),
                values: vec![PackageInstallValues {
                    secret_ref: Some(SecretRef {
                        name: "values".into(),
                        ..SecretRef::default()
                    }),
                }],
                ..PackageInstallSpec::default()
            },
        };
        let secret = Secret {
            metadata: Metadata::named("values").within("login"),
            string_data: BTreeMap::from([("values.yaml".into(), "replicas: 2\n".into())]),
            ..Secret::default()
        };
        let text = "---
apiVersion: packaging.carvel.dev/v1alpha1
kind: PackageInstall
metadata:
  name: supervisor
  namespace: login
spec:
  serviceAccountName: installer
  packageRef:
    refName: supervisor.pinniped.dev
    versionSelection:
      constraints: '>=0.25.0'
      prereleases: {}
  values:
  - secretRef:
      name: values
---
apiVersion: v1
kind: Secret
metadata:
  name: values
  namespace: login
stringData:
  values.yaml: |
    replicas: 2
";
        let documents = [install.document(), secret.document()];
        assert_eq!(String::from_utf8(print(&documents)).unwrap(), text);
        assert!(PackageInstall::is(&documents[0]) && !PackageInstall::is(&documents[1]));
        let read = PackageInstall::read(&documents[0], &Position::unknown());
        assert_eq!(read.value, install);
        assert!(read.faults.is_empty() && read.unknown.is_empty());
    }
}
