//! The permissions that installing a package needs: what kapp asks of the cluster for each object, and no more.
//!
//! kapp creates, gets, updates, patches and deletes each object by its name, and finds them again by listing their
//! kinds: in all namespaces at once or, where it may not, in each by itself. Creating and listing cannot be limited to
//! names. Kubernetes lets nobody grant what they do not have, so that whoever makes a role must have its permissions;
//! the verb `escalate` would do instead, but for new roles it cannot be limited to names and is worth all permissions.
//! A binding to a role that is not the package's needs the verb `bind` on it.

use super::app::KappDeploy;
use super::kinds::{Kind, kind};
use super::model::Package;
use super::object::{Identity, Object, at, texts};
use crate::yaml::{Value, print_value};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Where a permission holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// For all namespaces, and for what is in none.
    #[default]
    Cluster,
    /// In one namespace.
    Namespace(String),
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Cluster => f.write_str("the cluster"),
            Scope::Namespace(name) => write!(f, "namespace {name}"),
        }
    }
}

/// One permission: a verb on a resource, or on a URL that is no resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// Where it holds.
    pub scope: Scope,
    /// The URL, if it is about one; group and resource are empty then.
    pub url: String,
    /// The API group; `*` for all.
    pub group: String,
    /// The resource in plural, with a subresource if need be; `*` for all.
    pub resource: String,
    /// The name; empty for all.
    pub name: String,
    /// The verb; `*` for all.
    pub verb: String,
}

impl Grant {
    /// Whether whoever has this one has the other.
    pub fn covers(&self, other: &Grant) -> bool {
        let wild = |ours: &str, theirs: &str| ours == "*" || ours == theirs;
        let url = match self.url.strip_suffix('*') {
            Some(prefix) => !other.url.is_empty() && other.url.starts_with(prefix),
            None => self.url == other.url,
        };
        let resource = wild(&self.resource, &other.resource)
            || self.resource.strip_prefix("*/").is_some_and(|below| {
                let (_, sub) = other.resource.split_once('/').unwrap_or_default();
                sub == below
            });
        (self.scope == Scope::Cluster || self.scope == other.scope)
            && url
            && wild(&self.group, &other.group)
            && resource
            && (self.name.is_empty() || self.name == other.name)
            && wild(&self.verb, &other.verb)
    }
}

/// Why a permission is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reasons {
    /// The objects that need it, or what else does.
    pub objects: BTreeSet<String>,
    /// Why it reaches as far as it does.
    pub notes: BTreeSet<String>,
}

/// Permissions with their reasons; none of them covers another.
pub type Grants = BTreeMap<Grant, Reasons>;

/// Permissions that go together: a rule of a role.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Where it holds.
    pub scope: Scope,
    /// The API groups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    /// The resources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// The names; all if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
    /// URLs in place of resources.
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "Vec::is_empty")]
    pub urls: Vec<String>,
    /// The verbs.
    pub verbs: Vec<String>,
    /// What needs it.
    pub needed_by: Vec<String>,
    /// Why it reaches as far as it does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Where a package is installed, as far as it decides where its objects are.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The namespace of the PackageInstall.
    pub namespace: String,
    /// How kapp is told to deploy.
    pub deploy: KappDeploy,
}

impl Target {
    /// That of a package in a namespace.
    pub fn of(package: &Package, namespace: &str) -> Target {
        let template = package.spec.template.iter();
        let deploy = template
            .flat_map(|template| &template.spec.deploy)
            .find_map(|deploy| deploy.kapp.clone());
        Target {
            namespace: namespace.to_string(),
            deploy: deploy.unwrap_or_default(),
        }
    }

    /// The namespaces that a package makes, but for that of the install, which is there before, whoever else makes it.
    pub fn made(&self, objects: &[Object<'_>]) -> BTreeSet<String> {
        let identities = objects.iter().map(|object| &object.identity);
        identities
            .filter(|identity| identity.group().is_empty() && identity.kind == "Namespace")
            .map(|identity| identity.name.clone())
            .filter(|name| *name != self.namespace)
            .collect()
    }

    /// The namespace that an object is put into.
    fn namespace_of(&self, identity: &Identity) -> String {
        if !self.deploy.into_ns.is_empty() {
            return self.deploy.into_ns.clone();
        }
        let own = match identity.namespace.as_str() {
            "" => self.namespace.as_str(),
            own => own,
        };
        let mapped = self.deploy.map_ns.iter().find_map(|pair| {
            let (old, new) = pair.split_once('=')?;
            (old == own).then_some(new)
        });
        mapped.unwrap_or(own).to_string()
    }
}

/// The permissions that installing these objects, changing and deleting them needs.
pub fn grants(objects: &[Object<'_>], target: &Target) -> Grants {
    let mut needs = Needs::new(objects, target);
    needs.kapp();
    for object in objects {
        needs.object(object);
        needs.role(object);
        needs.binding(object);
    }
    least(needs.grants)
}

/// Without those that others cover, to whose reasons theirs are added.
fn least(all: Grants) -> Grants {
    // Of two that cover each other the first one stays.
    let coverer = |grant: &Grant| {
        all.keys().find(|other| {
            let is_first = *other < grant || !grant.covers(other);
            *other != grant && is_first && other.covers(grant)
        })
    };
    let mut kept = Grants::new();
    for (grant, reasons) in &all {
        let mut place = grant;
        while let Some(other) = coverer(place) {
            place = other;
        }
        let told = kept.entry(place.clone()).or_default();
        told.objects.extend(reasons.objects.iter().cloned());
        if place == grant {
            told.notes.extend(reasons.notes.iter().cloned());
        }
    }
    kept
}

struct Needs<'a> {
    objects: &'a [Object<'a>],
    target: &'a Target,
    /// The namespaces that the package makes.
    made: BTreeSet<String>,
    grants: Grants,
}

const RBAC: &str = "rbac.authorization.k8s.io";

impl<'a> Needs<'a> {
    fn new(objects: &'a [Object<'a>], target: &'a Target) -> Needs<'a> {
        Needs {
            objects,
            target,
            made: target.made(objects),
            grants: Grants::new(),
        }
    }

    fn need(&mut self, grant: Grant, object: &str, note: Option<&str>) {
        let reasons = self.grants.entry(grant).or_default();
        reasons.objects.insert(object.to_string());
        reasons.notes.extend(note.map(str::to_string));
    }

    /// What kapp needs whatever it installs.
    fn kapp(&mut self) {
        let scope = Scope::Namespace(self.target.namespace.clone());
        for verb in ["get", "list", "create", "update", "delete"] {
            let grant = Grant {
                scope: scope.clone(),
                resource: "configmaps".into(),
                verb: verb.into(),
                ..Grant::default()
            };
            let note = "kapp makes up the names of its records";
            self.need(grant, "kapp's records of what it installed", Some(note));
        }
        let grant = Grant {
            resource: "namespaces".into(),
            verb: "list".into(),
            ..Grant::default()
        };
        self.need(
            grant,
            "kapp, to look for its objects in each namespace",
            None,
        );
    }

    fn kind(&self, object: &Object<'_>) -> Kind {
        let beside = self.objects.iter().map(|object| &object.document.value);
        kind(&object.identity, beside)
    }

    /// Where an object is, and why its permissions must reach farther than that.
    fn place(&self, object: &Object<'_>, kind: &Kind) -> (Scope, Option<String>) {
        if !kind.namespaced {
            return (Scope::Cluster, None);
        }
        let namespace = self.target.namespace_of(&object.identity);
        if self.made.contains(&namespace) {
            let note = format!("in all namespaces, as '{namespace}' comes with the package");
            return (Scope::Cluster, Some(note));
        }
        (Scope::Namespace(namespace), None)
    }

    fn object(&mut self, object: &Object<'_>) {
        let kind = self.kind(object);
        let (scope, note) = self.place(object, &kind);
        let name = object.identity.short();
        let name = match kind.guessed {
            true => format!("{name} (its kind is not known here: the plural is a guess)"),
            false => name,
        };
        // Each version of a versioned object gets a name of its own.
        let annotations = at(&object.document.value, &["metadata", "annotations"]);
        let is_versioned = annotations.is_some_and(|annotations| {
            let all = annotations.as_map();
            all.is_some_and(|map| map.get("kapp.k14s.io/versioned").is_some())
        });
        for verb in ["create", "list", "get", "update", "patch", "delete"] {
            let is_named = !is_versioned && !matches!(verb, "create" | "list");
            let grant = Grant {
                scope: scope.clone(),
                group: object.identity.group().into(),
                resource: kind.plural.clone(),
                verb: verb.into(),
                name: match is_named {
                    true => object.identity.name.clone(),
                    false => String::new(),
                },
                ..Grant::default()
            };
            self.need(grant, &name, note.as_deref());
        }
    }

    /// What a role grants must be had by whoever makes it.
    fn role(&mut self, object: &Object<'_>) {
        if object.identity.group() != RBAC
            || !matches!(object.identity.kind.as_str(), "Role" | "ClusterRole")
        {
            return;
        }
        let (scope, note) = self.place(object, &self.kind(object));
        let name = format!("{}, which grants it", object.identity.short());
        let value = &object.document.value;
        if at(value, &["aggregationRule"]).is_some_and(|rule| !rule.is_null()) {
            let grant = Grant {
                scope: scope.clone(),
                group: RBAC.into(),
                resource: "clusterroles".into(),
                verb: "escalate".into(),
                ..Grant::default()
            };
            let note = "a role that gathers others cannot be made without";
            self.need(grant, &object.identity.short(), Some(note));
        }
        let rules = at(value, &["rules"]).and_then(Value::as_array);
        for rule in rules.into_iter().flat_map(|rules| &rules.items) {
            for grant in of_rule(&rule.value, &scope) {
                self.need(grant, &name, note.as_deref());
            }
        }
    }

    /// A role that comes with the package is had already; any other one needs the verb `bind`.
    fn binding(&mut self, object: &Object<'_>) {
        if object.identity.group() != RBAC
            || !matches!(
                object.identity.kind.as_str(),
                "RoleBinding" | "ClusterRoleBinding"
            )
        {
            return;
        }
        let text = |key| at(&object.document.value, &["roleRef", key])?.as_str();
        let (Some(kind), Some(name)) = (text("kind"), text("name")) else {
            return;
        };
        let ours = self.target.namespace_of(&object.identity);
        let is_there = self.objects.iter().any(|other| {
            let identity = &other.identity;
            let beside = kind == "ClusterRole" || self.target.namespace_of(identity) == ours;
            identity.group() == RBAC && identity.kind == kind && identity.name == name && beside
        });
        if is_there {
            return;
        }
        let (scope, note) = self.place(object, &self.kind(object));
        let grant = Grant {
            scope,
            group: RBAC.into(),
            resource: format!("{}s", kind.to_lowercase()),
            name: name.to_string(),
            verb: "bind".into(),
            ..Grant::default()
        };
        self.need(grant, &object.identity.short(), note.as_deref());
    }
}

/// The permissions of a role's rule.
fn of_rule(rule: &Value, scope: &Scope) -> Vec<Grant> {
    let list = |key: &str| texts(at(rule, &[key]));
    let (verbs, urls) = (list("verbs"), list("nonResourceURLs"));
    let mut names = list("resourceNames");
    if names.is_empty() {
        names.push(String::new());
    }
    let mut grants = Vec::new();
    for verb in &verbs {
        grants.extend(urls.iter().map(|url| Grant {
            scope: scope.clone(),
            url: url.clone(),
            verb: verb.clone(),
            ..Grant::default()
        }));
        for group in &list("apiGroups") {
            for resource in &list("resources") {
                grants.extend(names.iter().map(|name| Grant {
                    scope: scope.clone(),
                    group: group.clone(),
                    resource: resource.clone(),
                    name: name.clone(),
                    verb: verb.clone(),
                    ..Grant::default()
                }));
            }
        }
    }
    grants
}

/// What the permissions of a rule share: everything but names and verbs, whether there are names, and the verbs.
type Shape = (Grant, bool, Vec<String>);

/// Permissions as rules: one for each resource of a scope, and one more for those of its names that need other verbs.
pub fn rules(grants: &Grants) -> Vec<Rule> {
    let mut by_name: BTreeMap<Grant, (BTreeSet<String>, Reasons)> = BTreeMap::new();
    for (grant, reasons) in grants {
        let mut place = grant.clone();
        let verb = std::mem::take(&mut place.verb);
        let (verbs, all) = by_name.entry(place).or_default();
        verbs.insert(verb);
        all.objects.extend(reasons.objects.iter().cloned());
        all.notes.extend(reasons.notes.iter().cloned());
    }
    let mut by_verbs: BTreeMap<Shape, (Vec<String>, Reasons)> = BTreeMap::new();
    for (mut place, (verbs, reasons)) in by_name {
        let name = std::mem::take(&mut place.name);
        let mut verbs: Vec<String> = verbs.into_iter().collect();
        verbs.sort_by_key(|verb| VERBS.iter().position(|known| known == verb));
        let key = (place, !name.is_empty(), verbs);
        let (names, all) = by_verbs.entry(key).or_default();
        names.extend(Some(name).filter(|name| !name.is_empty()));
        all.objects.extend(reasons.objects);
        all.notes.extend(reasons.notes);
    }
    let one = |text: String, is_there: bool| if is_there { vec![text] } else { Vec::new() };
    by_verbs
        .into_iter()
        .map(|((place, _, verbs), (names, reasons))| {
            let is_resource = place.url.is_empty();
            Rule {
                api_groups: one(place.group, is_resource),
                resources: one(place.resource, is_resource),
                urls: one(place.url, !is_resource),
                scope: place.scope,
                resource_names: names,
                verbs,
                needed_by: reasons.objects.into_iter().collect(),
                notes: reasons.notes.into_iter().collect(),
            }
        })
        .collect()
}

/// The usual order of verbs; others stand before.
const VERBS: [&str; 9] = [
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
    "bind",
];

impl Rule {
    /// The rule as an item of a role's `rules`, under a comment that says what needs it.
    pub fn print(&self) -> String {
        let mut text = String::new();
        for line in self.needed_by.iter().chain(&self.notes) {
            text.push_str(&format!("# {}\n", line.replace(['\n', '\r'], " ")));
        }
        let lists = [
            ("apiGroups", &self.api_groups),
            ("resources", &self.resources),
            ("resourceNames", &self.resource_names),
            ("nonResourceURLs", &self.urls),
            ("verbs", &self.verbs),
        ];
        let lists = lists.into_iter().filter(|(_, items)| !items.is_empty());
        let fields = lists.map(|(key, items)| {
            let items = items.iter().map(|item| Value::str(item.as_str()));
            (Value::str(key), Value::array(items))
        });
        let item = Value::array([Value::map(fields)]);
        text.push_str(&String::from_utf8_lossy(&print_value(&item)));
        text
    }

    /// The rule on one line, for people.
    pub fn summary(&self) -> String {
        let what = self.resources.iter().chain(&self.urls);
        let what: Vec<String> = what
            .map(
                |resource| match self.api_groups.first().map(String::as_str) {
                    None | Some("") => resource.clone(),
                    Some(group) => format!("{resource}.{group}"),
                },
            )
            .collect();
        let names = match self.resource_names.as_slice() {
            [] => String::new(),
            names => format!(" {}", names.join(", ")),
        };
        format!(
            "{} {}{names} in {}",
            self.verbs.join(", "),
            what.join(", "),
            self.scope
        )
    }
}

/// The roles with these rules, and their bindings to a service account, as a text of YAML documents.
pub fn print(rules: &[Rule], name: &str, account: &Account<'_>) -> String {
    let mut scopes: Vec<&Scope> = rules.iter().map(|rule| &rule.scope).collect();
    scopes.dedup();
    let mut text = String::new();
    for scope in scopes {
        let (kind, namespace) = match scope {
            Scope::Cluster => ("ClusterRole", ""),
            Scope::Namespace(namespace) => ("Role", namespace.as_str()),
        };
        let role = object(kind, name, namespace, []);
        text.push_str("---\n");
        text.push_str(&String::from_utf8_lossy(&print_value(&role)));
        text.push_str("rules:\n");
        for rule in rules.iter().filter(|rule| rule.scope == *scope) {
            text.push_str(&rule.print());
        }
        text.push_str(&bound((kind, name), name, namespace, account));
    }
    text
}

/// The binding of a service account to the role that may do everything.
pub fn print_admin(name: &str, account: &Account<'_>) -> String {
    let binding = bound(("ClusterRole", "cluster-admin"), name, "", account);
    format!("# All permissions in the whole cluster.\n{binding}")
}

/// A service account.
#[derive(Clone, Copy, Debug)]
pub struct Account<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
}

fn bound((kind, role): (&str, &str), name: &str, namespace: &str, account: &Account<'_>) -> String {
    let text = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter();
        Value::map(pairs.map(|(key, value)| (Value::str(*key), Value::str(*value))))
    };
    let binding_kind = match namespace {
        "" => "ClusterRoleBinding",
        _ => "RoleBinding",
    };
    let reference = text(&[("apiGroup", RBAC), ("kind", kind), ("name", role)]);
    let subject = text(&[
        ("kind", "ServiceAccount"),
        ("name", account.name),
        ("namespace", account.namespace),
    ]);
    let fields = [
        (Value::str("roleRef"), reference),
        (Value::str("subjects"), Value::array([subject])),
    ];
    let binding = object(binding_kind, name, namespace, fields);
    format!("---\n{}", String::from_utf8_lossy(&print_value(&binding)))
}

fn object<const N: usize>(
    kind: &str,
    name: &str,
    namespace: &str,
    fields: [(Value, Value); N],
) -> Value {
    let text = |key: &str, value: &str| (Value::str(key), Value::str(value));
    let mut metadata = vec![text("name", name)];
    if !namespace.is_empty() {
        metadata.push(text("namespace", namespace));
    }
    let head = [
        text("apiVersion", &format!("{RBAC}/v1")),
        text("kind", kind),
        (Value::str("metadata"), Value::map(metadata)),
    ];
    Value::map(head.into_iter().chain(fields))
}
