//! The permissions that an install gives are the least that work.
//!
//! An authorizer with Kubernetes' rules holds the roles of an install and is asked what kapp asks for each object: to
//! create it, find, change and delete it; and what Kubernetes asks of whoever makes roles and bindings. All of it is
//! allowed; without any one rule something is not. It knows nothing of how haulout computes the roles.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

use haulout::package::install::{Plan, install};
use haulout::package::model::VersionSelection;
use haulout::package::source::{Inputs, Rendered, Source};
use haulout::position::Source as Text;
use haulout::templates;
use haulout::values::flags::ValuesFile;
use haulout::yaml::{ParseOptions, Value, json_value, parse};
use serde_json::Value as Json;
use std::collections::BTreeSet;

const INSTALLS: &str = "installs";

/// A question: whether a verb is allowed on a resource. Creating and listing name no object; a name in `bind` is that of
/// the role.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Question {
    /// None for what is in no namespace, and for all namespaces at once.
    namespace: Option<String>,
    group: String,
    resource: String,
    name: String,
    verb: String,
    /// A URL that is no resource; the rest but for the verb is empty then.
    url: String,
}

/// A rule of a role that is bound: everywhere, or in one namespace.
#[derive(Clone, Debug)]
struct Held {
    namespace: Option<String>,
    rule: Json,
}

fn list(rule: &Json, key: &str) -> Vec<String> {
    let items = rule[key].as_array().cloned().unwrap_or_default();
    items
        .iter()
        .map(|item| item.as_str().unwrap().to_string())
        .collect()
}

fn allows(held: &[Held], question: &Question) -> bool {
    let has =
        |items: Vec<String>, wanted: &str| items.iter().any(|item| item == "*" || item == wanted);
    held.iter().any(|held| {
        let reaches = held.namespace.is_none() || held.namespace == question.namespace;
        let verb = has(list(&held.rule, "verbs"), &question.verb);
        if !question.url.is_empty() {
            return reaches && verb && has(list(&held.rule, "nonResourceURLs"), &question.url);
        }
        let names = list(&held.rule, "resourceNames");
        reaches
            && verb
            && has(list(&held.rule, "apiGroups"), &question.group)
            && has(list(&held.rule, "resources"), &question.resource)
            && (names.is_empty() || (!question.name.is_empty() && names.contains(&question.name)))
    })
}

/// The plural and whether there are namespaces, for all kinds that Pinniped has.
fn kind(object: &Json, all: &[Json]) -> (String, bool) {
    let kind = object["kind"].as_str().unwrap();
    let group = group(object);
    let known = match kind {
        "Namespace" => Some(("namespaces", false)),
        "ServiceAccount" => Some(("serviceaccounts", true)),
        "ConfigMap" => Some(("configmaps", true)),
        "Secret" => Some(("secrets", true)),
        "Service" => Some(("services", true)),
        "Deployment" => Some(("deployments", true)),
        "CustomResourceDefinition" => Some(("customresourcedefinitions", false)),
        "APIService" => Some(("apiservices", false)),
        "Role" => Some(("roles", true)),
        "RoleBinding" => Some(("rolebindings", true)),
        "ClusterRole" => Some(("clusterroles", false)),
        "ClusterRoleBinding" => Some(("clusterrolebindings", false)),
        _ => None,
    };
    if let Some((plural, namespaced)) = known {
        return (plural.into(), namespaced);
    }
    let definition = all
        .iter()
        .find(|other| {
            let spec = &other["spec"];
            other["kind"] == "CustomResourceDefinition"
                && spec["group"] == group
                && spec["names"]["kind"] == kind
        })
        .unwrap_or_else(|| panic!("{kind}"));
    let spec = &definition["spec"];
    (
        spec["names"]["plural"].as_str().unwrap().into(),
        spec["scope"] == "Namespaced",
    )
}

fn group(object: &Json) -> String {
    let version = object["apiVersion"].as_str().unwrap();
    version
        .split_once('/')
        .map_or(String::new(), |(group, _)| group.into())
}

/// What is asked while these objects are created, changed, found and deleted.
fn questions(objects: &[Json]) -> BTreeSet<Question> {
    let mut all = BTreeSet::new();
    let ask = |namespace: &Option<String>, group: &str, resource: &str, name: &str, verb: &str| {
        Question {
            namespace: namespace.clone(),
            group: group.into(),
            resource: resource.into(),
            name: name.into(),
            verb: verb.into(),
            url: String::new(),
        }
    };
    // kapp's own records, and its look at what namespaces there are.
    let home = Some(INSTALLS.to_string());
    for verb in ["create", "list"] {
        all.insert(ask(&home, "", "configmaps", "", verb));
    }
    for name in ["walrus.app", "walrus.app-change-x7k2p"] {
        for verb in ["get", "update", "delete"] {
            all.insert(ask(&home, "", "configmaps", name, verb));
        }
    }
    all.insert(ask(&None, "", "namespaces", "", "list"));
    for object in objects {
        let (plural, namespaced) = kind(object, objects);
        let own = object["metadata"]["namespace"].as_str().unwrap_or(INSTALLS);
        let namespace = namespaced.then(|| own.to_string());
        let (group, name) = (group(object), object["metadata"]["name"].as_str().unwrap());
        for verb in ["create", "list"] {
            all.insert(ask(&namespace, &group, &plural, "", verb));
        }
        for verb in ["get", "update", "patch", "delete"] {
            all.insert(ask(&namespace, &group, &plural, name, verb));
        }
        let kind = object["kind"].as_str().unwrap();
        let rules = match kind {
            "Role" | "ClusterRole" => object["rules"].as_array().cloned().unwrap_or_default(),
            "RoleBinding" | "ClusterRoleBinding" => {
                let reference = &object["roleRef"];
                let role = objects.iter().find(|other| {
                    let is_beside = reference["kind"] == "ClusterRole"
                        || other["metadata"]["namespace"] == object["metadata"]["namespace"];
                    other["kind"] == reference["kind"]
                        && other["metadata"]["name"] == reference["name"]
                        && is_beside
                });
                let Some(role) = role else {
                    let plural = format!("{}s", reference["kind"].as_str().unwrap().to_lowercase());
                    let name = reference["name"].as_str().unwrap();
                    all.insert(ask(&namespace, &group, &plural, name, "bind"));
                    continue;
                };
                role["rules"].as_array().cloned().unwrap_or_default()
            }
            _ => continue,
        };
        // None may grant what they do not have.
        for rule in rules {
            for verb in list(&rule, "verbs") {
                for url in list(&rule, "nonResourceURLs") {
                    all.insert(Question {
                        url,
                        ..ask(&namespace, "", "", "", &verb)
                    });
                }
                for group in list(&rule, "apiGroups") {
                    for resource in list(&rule, "resources") {
                        let mut names = list(&rule, "resourceNames");
                        if names.is_empty() {
                            names.push(String::new());
                        }
                        for name in names {
                            all.insert(ask(&namespace, &group, &resource, &name, &verb));
                        }
                    }
                }
            }
        }
    }
    all
}

fn json(value: &Value) -> Json {
    serde_json::from_slice(&json_value(value, 0, false).unwrap()).unwrap()
}

fn documents(text: &str) -> Vec<Json> {
    let set = parse(
        &Text::file("x.yml", text),
        ParseOptions {
            without_comments: true,
            ..ParseOptions::default()
        },
    );
    let items = set.unwrap().items;
    let items = items.iter().filter(|document| !document.is_empty());
    items.map(|document| json(&document.value)).collect()
}

fn rendered(template: &templates::Package, values: &str) -> Rendered {
    let files = templates::files(&template.name).unwrap();
    Source::of_templates("walrus.pinniped.dev", &template.version, files)
        .unwrap()
        .with(&inputs(values))
        .render()
        .unwrap()
}

fn inputs(values: &str) -> Inputs {
    Inputs {
        values: vec![ValuesFile {
            library: String::new(),
            argument: "values.yaml".into(),
            path: "values.yaml".into(),
            bytes: values.into(),
        }],
        overlays: Vec::new(),
    }
}

/// The roles of an install with their bindings, as the cluster has them.
fn held(rendered: &Rendered, values: &str) -> Vec<Held> {
    let plan = Plan {
        name: "walrus".into(),
        namespace: INSTALLS.into(),
        selection: VersionSelection::default(),
        ..Plan::default()
    };
    let made = install(&plan, rendered, &inputs(values)).unwrap();
    let (_, text) = made
        .files
        .iter()
        .find(|(file, _)| file.ends_with("-permissions.yml"))
        .unwrap();
    let all = documents(text);
    let mut held = Vec::new();
    for binding in all.iter().filter(|object| object["roleRef"].is_object()) {
        let subject = &binding["subjects"][0];
        assert_eq!(subject["name"], "walrus-installer");
        assert_eq!(subject["namespace"], INSTALLS);
        let namespace = binding["metadata"]["namespace"].as_str();
        let role = all.iter().find(|role| {
            role["kind"] == binding["roleRef"]["kind"]
                && role["metadata"]["namespace"] == binding["metadata"]["namespace"]
                && role["metadata"]["name"] == binding["roleRef"]["name"]
        });
        held.extend(
            role.unwrap()["rules"]
                .as_array()
                .unwrap()
                .iter()
                .map(|rule| Held {
                    namespace: namespace.map(str::to_string),
                    rule: rule.clone(),
                }),
        );
    }
    // A comment above each rule says what needs it.
    let rules =
        text.matches("\n- apiGroups:").count() + text.matches("\n- nonResourceURLs:").count();
    let told = text.lines().collect::<Vec<_>>();
    let commented = told
        .windows(2)
        .filter(|pair| pair[0].starts_with("# ") && pair[1].starts_with("- "));
    assert_eq!((rules, commented.count()), (held.len(), held.len()));
    held
}

const VALUES: [&str; 3] = [
    "{}\n",
    "into_namespace: sea\n",
    "log_level: debug\nrun_as_user: 1\nimage_pull_dockerconfigjson: eyJhdXRocyI6e319\n",
];

#[test]
fn every_rule_is_needed_and_no_more_are() {
    let packages = templates::packages();
    assert_eq!(packages.len(), 4);
    for package in &packages {
        for values in VALUES {
            let rendered = rendered(package, values);
            let objects: Vec<Json> = rendered
                .documents
                .iter()
                .map(|document| json(&document.value))
                .collect();
            assert!(objects.len() > 14, "{}", package.name);
            let (questions, held) = (questions(&objects), held(&rendered, values));
            for question in &questions {
                assert!(
                    allows(&held, question),
                    "{} {values}: {question:?}",
                    package.name
                );
            }
            // What a rule alone allows is what it is needed for.
            let allowed_by =
                |rule: &Held, question: &Question| allows(std::slice::from_ref(rule), question);
            let mut needed: Vec<Vec<&Question>> = vec![Vec::new(); held.len()];
            for question in &questions {
                let rules = held.iter().enumerate();
                let rules: Vec<usize> = rules
                    .filter(|(_, rule)| allowed_by(rule, question))
                    .map(|(index, _)| index)
                    .collect();
                if let [index] = rules.as_slice() {
                    needed[*index].push(question);
                }
            }
            for (rule, needed) in held.iter().zip(&needed) {
                assert!(
                    !needed.is_empty(),
                    "{} {values}: not needed: {rule:?}",
                    package.name
                );
                // Nor is any verb, name or resource in a rule there for nothing.
                for key in ["verbs", "resources", "resourceNames", "apiGroups"] {
                    let count = list(&rule.rule, key).len();
                    for item in 0..if count > 1 { count } else { 0 } {
                        let mut fewer = rule.clone();
                        fewer.rule[key].as_array_mut().unwrap().remove(item);
                        let all = needed.iter().all(|question| allowed_by(&fewer, question));
                        assert!(!all, "{} {values}: {key} {item} of {rule:?}", package.name);
                    }
                }
            }
        }
    }
}

#[test]
fn into_a_namespace_that_is_there_nothing_of_it_is_given_elsewhere() {
    for package in &templates::packages() {
        let values = VALUES[1];
        let rendered = rendered(package, values);
        let held = held(&rendered, values);
        let question = |namespace: &str, verb: &str| Question {
            namespace: Some(namespace.into()),
            group: String::new(),
            resource: "secrets".into(),
            name: String::new(),
            verb: verb.into(),
            url: String::new(),
        };
        assert!(allows(&held, &question("sea", "list")), "{}", package.name);
        assert!(
            !allows(&held, &question("kube-system", "list")),
            "{}",
            package.name
        );
    }
}
