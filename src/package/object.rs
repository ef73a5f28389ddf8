//! Kubernetes objects in what a render gives: what each is known by, which of two renders is which, and what differs.

use crate::yaml::{self, Array, Document, Map, Value};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What an object is known by.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// Group and version: `apps/v1`, `v1`.
    pub api_version: String,
    /// `Deployment` and the like.
    pub kind: String,
    /// Its namespace; empty for none, or whichever it is put into.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Identity {
    /// That of an object.
    pub fn of(value: &Value) -> Option<Identity> {
        let map = value.as_map()?;
        let metadata = map.get("metadata")?.value.as_map()?;
        Some(Identity {
            api_version: word(map, "apiVersion")?,
            kind: word(map, "kind")?,
            namespace: word(metadata, "namespace").unwrap_or_default(),
            name: word(metadata, "name")?,
        })
    }

    /// The API group: nothing for the core's.
    pub fn group(&self) -> &str {
        self.api_version
            .split_once('/')
            .map_or("", |(group, _)| group)
    }

    /// Kind, namespace and name, for people.
    pub fn short(&self) -> String {
        format!("{} {}", self.kind, self.place())
    }

    fn place(&self) -> String {
        match self.namespace.as_str() {
            "" => self.name.clone(),
            namespace => format!("{namespace}/{}", self.name),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.api_version, self.kind, self.place())
    }
}

fn word(map: &Map, key: &str) -> Option<String> {
    Some(map.get(key)?.value.as_str()?.to_string())
}

/// The value at the end of a path of keys.
pub fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter()
        .try_fold(value, |value, key| Some(&value.as_map()?.get(key)?.value))
}

/// The texts of an array; what else is in it is passed over.
pub fn texts(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter();
    items
        .flat_map(|array| &array.items)
        .filter_map(|item| item.value.as_str().map(str::to_string))
        .collect()
}

/// An object of a render.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    /// What it is known by.
    pub identity: Identity,
    /// Which of several that have the same identity; 1 for the first.
    pub count: usize,
    /// The object.
    pub document: &'a Document,
}

impl Object<'_> {
    /// Whether the other is this one in another render: their API's version may differ.
    fn is_same(&self, other: &Object<'_>) -> bool {
        let (a, b) = (&self.identity, &other.identity);
        (a.group(), &a.kind, &a.namespace, &a.name, self.count)
            == (b.group(), &b.kind, &b.namespace, &b.name, other.count)
    }
}

/// The objects of a render in their order, if all its documents are objects.
pub fn objects(documents: &[Document]) -> Option<Vec<Object<'_>>> {
    let mut counts: BTreeMap<Identity, usize> = BTreeMap::new();
    documents
        .iter()
        .filter(|document| !document.is_empty())
        .map(|document| {
            let identity = Identity::of(&document.value)?;
            let count = counts.entry(identity.clone()).or_default();
            *count += 1;
            Some(Object {
                identity,
                count: *count,
                document,
            })
        })
        .collect()
}

/// An object in one render or both.
pub type Pair<'a, 'b> = (Option<&'b Object<'a>>, Option<&'b Object<'a>>);

/// The objects of two renders, each beside itself: those of the first in their order, then those that the second adds.
pub fn pairs<'a, 'b>(from: &'b [Object<'a>], to: &'b [Object<'a>]) -> Vec<Pair<'a, 'b>> {
    let olds = from.iter().map(|old| {
        let new = to.iter().find(|new| new.is_same(old));
        (Some(old), new)
    });
    let added = to
        .iter()
        .filter(|new| !from.iter().any(|old| old.is_same(new)));
    olds.chain(added.map(|new| (None, Some(new)))).collect()
}

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Where: `spec.template.spec.containers[name=server].image`.
    pub path: String,
    /// What stood there, as JSON; nothing if nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What stands there, as JSON; nothing if nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// What differs between two values, field by field, in the order of the old one and then of the new one; the order of
/// keys is none, and `null` is nothing. Items of arrays are matched by their `name` where each has one of its own, else
/// equal ones with each other, and what is left by its place.
pub fn changes(from: &Value, to: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(String::new(), Some(from), Some(to), &mut changes);
    changes
}

fn compare(path: String, from: Option<&Value>, to: Option<&Value>, changes: &mut Vec<Change>) {
    let from = from.filter(|value| !value.is_null());
    let to = to.filter(|value| !value.is_null());
    if from == to {
        return;
    }
    match (from, to) {
        (Some(Value::Map(old)), Some(Value::Map(new))) => {
            compare_children(&path, &of_map(old), &of_map(new), changes);
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            let before = changes.len();
            match (by_name(old), by_name(new)) {
                (Some(old), Some(new)) => compare_children(&path, &old, &new, changes),
                _ => {
                    let (old, new) = unequal(old, new);
                    compare_children(&path, &old, &new, changes);
                }
            }
            if changes.len() == before {
                // The order alone.
                changes.push(change(path, from, to));
            }
        }
        _ => changes.push(change(path, from, to)),
    }
}

fn change(path: String, from: Option<&Value>, to: Option<&Value>) -> Change {
    Change {
        path,
        from: from.map(shown),
        to: to.map(shown),
    }
}

/// The values below one, each with its step.
type Children<'a> = Vec<(String, &'a Value)>;

fn compare_children(path: &str, old: &Children<'_>, new: &Children<'_>, changes: &mut Vec<Change>) {
    let index = |children: &Children<'_>| -> BTreeMap<String, usize> {
        let steps = children.iter().enumerate();
        steps
            .map(|(index, (step, _))| (step.clone(), index))
            .collect()
    };
    let (olds, news) = (index(old), index(new));
    for (step, value) in old {
        let other = news.get(step).and_then(|index| new.get(*index));
        let other = other.map(|(_, value)| *value);
        compare(joined(path, step), Some(value), other, changes);
    }
    for (step, value) in new.iter().filter(|(step, _)| !olds.contains_key(step)) {
        compare(joined(path, step), None, Some(value), changes);
    }
}

fn joined(path: &str, step: &str) -> String {
    if path.is_empty() || step.starts_with('[') {
        return format!("{path}{step}");
    }
    format!("{path}.{step}")
}

fn of_map(map: &Map) -> Children<'_> {
    let items = map.items.iter();
    items.map(|item| (step(&item.key), &item.value)).collect()
}

/// A key as a step of a path; one with dots in it stands in brackets.
fn step(key: &Value) -> String {
    let text = key.as_str().map_or_else(|| shown(key), str::to_string);
    if text.contains(['.', '[', ']']) {
        return format!("[{text}]");
    }
    text
}

/// The items by their names, if each has one of its own.
fn by_name(array: &Array) -> Option<Children<'_>> {
    let mut names = BTreeSet::new();
    let items = array.items.iter().map(|item| {
        let name = word(item.value.as_map()?, "name")?;
        let step = format!("[name={name}]");
        names.insert(name).then_some((step, &item.value))
    });
    items.collect()
}

/// The items by their places, without those that both arrays have.
fn unequal<'a>(old: &'a Array, new: &'a Array) -> (Children<'a>, Children<'a>) {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for item in &old.items {
        counts.entry(shown(&item.value)).or_default().0 += 1;
    }
    for item in &new.items {
        counts.entry(shown(&item.value)).or_default().1 += 1;
    }
    for (old, new) in counts.values_mut() {
        let both = (*old).min(*new);
        (*old, *new) = (both, both);
    }
    let mut left = |array: &'a Array, pick: fn(&mut (usize, usize)) -> &mut usize| {
        let mut children = Children::new();
        for (index, item) in array.items.iter().enumerate() {
            match counts.get_mut(&shown(&item.value)).map(pick) {
                Some(both) if *both > 0 => *both -= 1,
                _ => children.push((format!("[{index}]"), &item.value)),
            }
        }
        children
    };
    let old = left(old, |both| &mut both.0);
    let new = left(new, |both| &mut both.1);
    (old, new)
}

/// A value as JSON on one line.
pub fn shown(value: &Value) -> String {
    match yaml::json_value(value, 0, false) {
        Ok(json) => String::from_utf8_lossy(&json).into_owned(),
        Err(_) => String::from_utf8_lossy(&yaml::print_value(value)).into_owned(),
    }
}
