//! `haulout diff`: what changes from one render to another.

use super::flags::{Command, CommandLine};
use super::{Printed, explain, grammar, render};
use crate::diagnostic::Report;
use crate::yaml::{self, Document, DocumentSet};
use clap::Parser;
use similar::TextDiff;
use std::collections::BTreeMap;

/// Flags of the two renders.
#[derive(Default)]
pub struct Sides {
    from: Vec<String>,
    to: Vec<String>,
}

/// Takes `--from …` and `--to …` out of a command line that is a diff's; what is left holds for both renders.
pub fn split(root: &clap::Command, words: &[String]) -> (Sides, Vec<String>) {
    let marks = |word: &&String| *word == "--from" || *word == "--to";
    let common: Vec<String> = words
        .iter()
        .take_while(|word| !marks(word))
        .cloned()
        .collect();
    let (line, _) = grammar::read(root, &common);
    if line.command.first().map(String::as_str) != Some("diff") {
        return (Sides::default(), words.to_vec());
    }
    let mut sides = Sides {
        from: common.clone(),
        to: common.clone(),
    };
    let mut side = None;
    for word in words.iter().skip(common.len()) {
        match (word.as_str(), side.as_mut()) {
            ("--from", _) => side = Some(false),
            ("--to", _) => side = Some(true),
            (_, Some(true)) => sides.to.push(word.clone()),
            _ => sides.from.push(word.clone()),
        }
    }
    (sides, common)
}

/// Renders both sides and compares.
///
/// # Errors
/// A flag is wrong, or a render fails.
pub fn diff(root: &clap::Command, sides: &Sides) -> Result<Printed, Report> {
    let from = documents(root, &sides.from).map_err(|report| report.context("from"))?;
    let to = documents(root, &sides.to).map_err(|report| report.context("to"))?;
    let text = match (objects(&from), objects(&to)) {
        (Some(from), Some(to)) => by_object(&from, &to),
        _ => compare("from", &text(&from.items), "to", &text(&to.items)),
    };
    Ok(Printed {
        status: u8::from(!text.is_empty()),
        ..Printed::out(text)
    })
}

fn documents(root: &clap::Command, words: &[String]) -> Result<DocumentSet, Report> {
    let (line, result) = grammar::read(root, words);
    result?;
    let argv = ["haulout".to_string()]
        .into_iter()
        .chain(line.command)
        .chain(line.flags);
    let parsed = CommandLine::try_parse_from(argv).map_err(|error| explain(root, &error))?;
    match parsed.command {
        Some(Command::Diff(flags)) => render::documents(&flags, &line.words),
        _ => Ok(DocumentSet::default()),
    }
}

/// What an object is known by: its API, kind, namespace and name; and a number, should there be several.
type Identity = (String, usize);

/// The objects by identity and in order, if all documents are Kubernetes objects.
fn objects(set: &DocumentSet) -> Option<Vec<(Identity, &Document)>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut objects = Vec::new();
    for document in set.items.iter().filter(|document| !document.is_empty()) {
        let map = document.value.as_map()?;
        let word = |map: &yaml::Map, key: &str| Some(map.get(key)?.value.as_str()?.to_string());
        let metadata = map.get("metadata")?.value.as_map()?;
        let name = match word(metadata, "namespace") {
            Some(namespace) => format!("{namespace}/{}", word(metadata, "name")?),
            None => word(metadata, "name")?,
        };
        let identity = format!("{} {} {name}", word(map, "apiVersion")?, word(map, "kind")?);
        let count = counts.entry(identity.clone()).or_default();
        *count += 1;
        objects.push(((identity, *count), document));
    }
    Some(objects)
}

fn by_object(from: &[(Identity, &Document)], to: &[(Identity, &Document)]) -> String {
    let nothing = "/dev/null";
    let shown = |(identity, count): &Identity| match count {
        1 => identity.clone(),
        _ => format!("{identity} ({count})"),
    };
    let find = |side: &[(Identity, &Document)], wanted: &Identity| {
        let found = side.iter().find(|(identity, _)| identity == wanted);
        found.map(|(_, document)| body(document))
    };
    let mut out = String::new();
    for (identity, document) in from {
        let name = shown(identity);
        out += &match find(to, identity) {
            Some(new) => compare(&name, &body(document), &name, &new),
            None => compare(&name, &body(document), nothing, ""),
        };
    }
    for (identity, document) in to {
        if find(from, identity).is_none() {
            out += &compare(nothing, "", &shown(identity), &body(document));
        }
    }
    out
}

fn body(document: &Document) -> String {
    text(std::slice::from_ref(document))
}

fn text(documents: &[Document]) -> String {
    let set = DocumentSet {
        items: documents.to_vec(),
        ..DocumentSet::default()
    };
    String::from_utf8_lossy(&yaml::print(&set)).into_owned()
}

/// A unified diff; empty if there is no difference.
fn compare(old_name: &str, old: &str, new_name: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(3)
        .header(old_name, new_name)
        .to_string()
}
