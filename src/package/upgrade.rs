//! What an upgrade of a package changes: its objects, the values that it takes, and the permissions that it needs.

use super::object::{Change, Identity, Object, at, changes, pairs, shown};
use super::rbac::{Grants, Rule, Target, grants, rules};
use super::source::Rendered;
use crate::schema::{Field, Shape};
use crate::yaml::Value;
use serde::Serialize;

/// What changes from one version to another.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Upgrade {
    /// The package.
    pub ref_name: String,
    /// The version before.
    pub from: String,
    /// The version after.
    pub to: String,
    /// The objects.
    pub objects: Objects,
    /// The values.
    pub values: Vec<ValueChange>,
    /// What is to be known of how the values were compared.
    pub notes: Vec<String>,
    /// The permissions.
    pub permissions: Permissions,
}

/// What happens to objects.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Objects {
    /// Those that come.
    pub added: Vec<Identity>,
    /// Those that go.
    pub removed: Vec<Identity>,
    /// Those that become different.
    pub changed: Vec<ObjectChange>,
}

/// What happens to an object.
#[derive(Clone, Debug, Serialize)]
pub struct ObjectChange {
    /// The object, as it was.
    pub object: Identity,
    /// Its fields.
    pub fields: Vec<FieldChange>,
    /// For a definition of resources: what happens to their versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
}

/// What happens to a field.
#[derive(Clone, Debug, Serialize)]
pub struct FieldChange {
    /// Where, what was, what is.
    #[serde(flatten)]
    pub change: Change,
    /// Whether Kubernetes refuses the change, so that the object must be made anew.
    pub immutable: bool,
}

/// What happens to a data value.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "change", rename_all = "lowercase")]
pub enum ValueChange {
    /// It can be given now.
    Added {
        /// `a.b`; `a[].b` in each item of an array.
        key: String,
        /// Its type.
        r#type: String,
        /// Its default, as JSON.
        default: String,
    },
    /// It cannot be given any more.
    Removed {
        /// As above.
        key: String,
        /// The type that it had.
        r#type: String,
    },
    /// It has another type.
    Retyped {
        /// As above.
        key: String,
        /// The type that it had.
        from: String,
        /// The type that it has.
        to: String,
    },
    /// It has another default.
    Default {
        /// As above.
        key: String,
        /// The default that it had, as JSON.
        from: String,
        /// The default that it has, as JSON.
        to: String,
    },
}

/// What happens to permissions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Permissions {
    /// Those that are needed now.
    pub added: Vec<Rule>,
    /// Those that are not needed any more.
    pub removed: Vec<Rule>,
}

impl Upgrade {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        let objects = &self.objects;
        objects.added.is_empty()
            && objects.removed.is_empty()
            && objects.changed.is_empty()
            && self.values.is_empty()
            && self.permissions.added.is_empty()
            && self.permissions.removed.is_empty()
    }
}

/// Compares two versions of a package, rendered for a namespace.
pub fn upgrade(from: &Rendered, to: &Rendered, namespace: &str) -> Upgrade {
    let (old, new) = (from.objects(), to.objects());
    let spec = &from.package.spec;
    let mut notes = Vec::new();
    for side in [from, to] {
        notes.extend(side.notes.iter().cloned());
        if !side.schema.is_declared() {
            notes.push(format!(
                "{} has no schema: the types of its values are those of its defaults",
                side.package.spec.version
            ));
        }
    }
    Upgrade {
        ref_name: spec.ref_name.clone(),
        from: spec.version.clone(),
        to: to.package.spec.version.clone(),
        objects: compare_objects(&old, &new),
        values: compare_values(&keys(from), &keys(to)),
        notes,
        permissions: compare_permissions(
            &grants(&old, &Target::of(&from.package, namespace)),
            &grants(&new, &Target::of(&to.package, namespace)),
        ),
    }
}

fn compare_objects(old: &[Object<'_>], new: &[Object<'_>]) -> Objects {
    let mut objects = Objects::default();
    for pair in pairs(old, new) {
        match pair {
            (Some(old), Some(new)) => {
                let fields = changes(&old.document.value, &new.document.value);
                if fields.is_empty() {
                    continue;
                }
                let immutable =
                    |change: &Change| is_immutable(&old.identity, change, &old.document.value);
                objects.changed.push(ObjectChange {
                    object: old.identity.clone(),
                    versions: compare_versions(old, new),
                    fields: fields
                        .into_iter()
                        .map(|change| FieldChange {
                            immutable: immutable(&change),
                            change,
                        })
                        .collect(),
                });
            }
            (Some(old), None) => objects.removed.push(old.identity.clone()),
            (None, new) => objects.added.extend(new.map(|new| new.identity.clone())),
        }
    }
    objects
}

/// Fields that cannot be changed, by group and kind; all below them is meant too.
const IMMUTABLE: [(&str, &str, &[&str]); 14] = [
    ("apps", "Deployment", &["spec.selector"]),
    ("apps", "DaemonSet", &["spec.selector"]),
    ("apps", "ReplicaSet", &["spec.selector"]),
    (
        "apps",
        "StatefulSet",
        &[
            "spec.selector",
            "spec.serviceName",
            "spec.podManagementPolicy",
            "spec.volumeClaimTemplates",
        ],
    ),
    (
        "batch",
        "Job",
        &[
            "spec.selector",
            "spec.template",
            "spec.completions",
            "spec.completionMode",
        ],
    ),
    ("", "Service", &["spec.clusterIP", "spec.clusterIPs"]),
    ("", "Secret", &["type"]),
    (
        "",
        "PersistentVolumeClaim",
        &[
            "spec.accessModes",
            "spec.selector",
            "spec.storageClassName",
            "spec.volumeMode",
            "spec.volumeName",
        ],
    ),
    ("rbac.authorization.k8s.io", "RoleBinding", &["roleRef"]),
    (
        "rbac.authorization.k8s.io",
        "ClusterRoleBinding",
        &["roleRef"],
    ),
    (
        "apiextensions.k8s.io",
        "CustomResourceDefinition",
        &[
            "spec.group",
            "spec.scope",
            "spec.names.kind",
            "spec.names.plural",
        ],
    ),
    (
        "storage.k8s.io",
        "StorageClass",
        &[
            "provisioner",
            "parameters",
            "reclaimPolicy",
            "volumeBindingMode",
        ],
    ),
    (
        "scheduling.k8s.io",
        "PriorityClass",
        &["value", "preemptionPolicy"],
    ),
    ("networking.k8s.io", "IngressClass", &["spec.controller"]),
];

fn is_immutable(identity: &Identity, change: &Change, old: &Value) -> bool {
    let below = |field: &str| {
        let rest = change.path.strip_prefix(field);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let is_frozen = at(old, &["immutable"]) == Some(&Value::Bool(true));
    if is_frozen
        && ["data", "stringData", "binaryData", "immutable"]
            .into_iter()
            .any(below)
    {
        return true;
    }
    IMMUTABLE.iter().any(|(group, kind, fields)| {
        *group == identity.group()
            && *kind == identity.kind
            && fields.iter().any(|field| below(field))
    })
}

/// A version of a definition: its name, whether it is served, whether it is the stored one.
struct CrdVersion<'a> {
    name: &'a str,
    served: bool,
    storage: bool,
}

fn crd_versions<'a>(object: &Object<'a>) -> Vec<CrdVersion<'a>> {
    let document: &'a Value = &object.document.value;
    let versions = at(document, &["spec", "versions"]).and_then(Value::as_array);
    let items = versions.into_iter().flat_map(|versions| &versions.items);
    items
        .filter_map(|item| {
            let is = |key| at(&item.value, &[key]) == Some(&Value::Bool(true));
            Some(CrdVersion {
                name: at(&item.value, &["name"])?.as_str()?,
                served: is("served"),
                storage: is("storage"),
            })
        })
        .collect()
}

/// What happens to the versions of a definition, in words.
fn compare_versions(old: &Object<'_>, new: &Object<'_>) -> Vec<String> {
    if old.identity.kind != "CustomResourceDefinition" {
        return Vec::new();
    }
    let (olds, news) = (crd_versions(old), crd_versions(new));
    let mut told = Vec::new();
    for version in &olds {
        let name = version.name;
        match news.iter().find(|other| other.name == name) {
            None => told.push(format!(
                "version {name} is gone: refused while status.storedVersions of the cluster's definition names it"
            )),
            Some(other) => {
                if version.served && !other.served {
                    told.push(format!("version {name} is not served any more"));
                }
                if !version.served && other.served {
                    told.push(format!("version {name} is served now"));
                }
                if !version.storage && other.storage {
                    told.push(format!("version {name} is the one that is stored now"));
                }
            }
        }
    }
    for version in news
        .iter()
        .filter(|new| !olds.iter().any(|old| old.name == new.name))
    {
        let stored = if version.storage {
            ", and is the one that is stored"
        } else {
            ""
        };
        told.push(format!("version {} is new{stored}", version.name));
    }
    told
}

/// A data value: its key, type and default.
type Key = (String, String, String);

/// The type of a value that is nothing, and has no schema.
const UNKNOWN: &str = "unknown";

/// The data values that a package takes, by its schema, or else by its defaults.
fn keys(rendered: &Rendered) -> Vec<Key> {
    let mut keys = Vec::new();
    if rendered.schema.is_declared() {
        of_field(
            "",
            rendered.schema.root(),
            Some(&rendered.defaults),
            &mut keys,
        );
    } else {
        of_value("", &rendered.defaults, &mut keys);
    }
    keys
}

/// `given` is what the package's own files of values say, if they say something.
fn of_field(path: &str, field: &Field, given: Option<&Value>, keys: &mut Vec<Key>) {
    let value_type = &field.value_type;
    let name = match &value_type.shape {
        Shape::Map(_) => "map".to_string(),
        Shape::Array(_) => "array".to_string(),
        Shape::Scalar(scalar) => scalar.name().to_string(),
        Shape::Any => "any".to_string(),
        Shape::Nullable(inner) => format!("{} or null", inner.name()),
    };
    let inner = value_type.inner();
    let is_map = matches!(value_type.shape, Shape::Map(_));
    if !path.is_empty() && !is_map {
        let default = given.unwrap_or(&field.default);
        keys.push((path.to_string(), name, shown(default)));
    }
    match &inner.shape {
        Shape::Map(map) => {
            for field in map.items() {
                let key = field.key.as_ref().map(key_text).unwrap_or_default();
                let given = given.and_then(|given| given.as_map()?.get(&key));
                of_field(
                    &below(path, &key),
                    field,
                    given.map(|item| &item.value),
                    keys,
                );
            }
        }
        Shape::Array(items) => {
            // What an item is tells more than its default.
            if matches!(items.value_type.shape, Shape::Map(_)) {
                of_field(&format!("{path}[]"), items, None, keys);
            }
        }
        _ => {}
    }
}

fn of_value(path: &str, value: &Value, keys: &mut Vec<Key>) {
    if let Value::Map(map) = value
        && !map.items.is_empty()
    {
        for item in &map.items {
            of_value(&below(path, &key_text(&item.key)), &item.value, keys);
        }
        return;
    }
    if !path.is_empty() {
        let name = match value {
            Value::Null => UNKNOWN,
            value => value.kind(),
        };
        keys.push((path.to_string(), name.to_string(), shown(value)));
    }
}

fn key_text(key: &Value) -> String {
    key.as_str().map_or_else(|| shown(key), str::to_string)
}

fn below(path: &str, key: &str) -> String {
    match path {
        "" => key.to_string(),
        path => format!("{path}.{key}"),
    }
}

fn compare_values(old: &[Key], new: &[Key]) -> Vec<ValueChange> {
    // What is below a value of any type is no key of its own.
    let is_within = |keys: &[Key], key: &str| {
        keys.iter().any(|(above, known, _)| {
            let rest = key.strip_prefix(above.as_str());
            known.starts_with("any") && rest.is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let mut all = Vec::new();
    for (key, old_type, old_default) in old {
        let key = key.clone();
        let Some((_, new_type, new_default)) = new.iter().find(|(other, _, _)| *other == key)
        else {
            if !is_within(new, &key) {
                let r#type = old_type.clone();
                all.push(ValueChange::Removed { key, r#type });
            }
            continue;
        };
        let is_known = old_type != UNKNOWN && new_type != UNKNOWN;
        if old_type != new_type && is_known {
            let (from, to) = (old_type.clone(), new_type.clone());
            let key = key.clone();
            all.push(ValueChange::Retyped { key, from, to });
        }
        if old_default != new_default {
            let (from, to) = (old_default.clone(), new_default.clone());
            all.push(ValueChange::Default { key, from, to });
        }
    }
    for (key, new_type, default) in new {
        let is_there = old.iter().any(|(other, _, _)| other == key);
        if !is_there && !is_within(old, key) {
            all.push(ValueChange::Added {
                key: key.clone(),
                r#type: new_type.clone(),
                default: default.clone(),
            });
        }
    }
    all
}

fn compare_permissions(old: &Grants, new: &Grants) -> Permissions {
    // What a wider permission covers is neither new nor gone.
    let without = |these: &Grants, others: &Grants| {
        let is_new = |grant: &&super::rbac::Grant| !others.keys().any(|other| other.covers(grant));
        let left = these.keys().filter(is_new);
        let left: Grants = left
            .filter_map(|grant| Some((grant.clone(), these.get(grant)?.clone())))
            .collect();
        rules(&left)
    };
    Permissions {
        added: without(new, old),
        removed: without(old, new),
    }
}
