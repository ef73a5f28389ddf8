//! `haulout diff`: what changes from one render to another.

use super::flags::Command;
use super::{Printed, grammar, parse, render};
use crate::diagnostic::Report;
use crate::package::object::{Object, objects, pairs};
use crate::yaml::{self, Document, DocumentSet};
use similar::TextDiff;

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
    let text = match (objects(&from.items), objects(&to.items)) {
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
    if let [one, other, ..] = line.words.as_slice() {
        let found = line.words.len();
        return Err(Report::new(format!(
            "expected one package, found {found} (hint: haulout diff --from {one} --to {other})"
        )));
    }
    match parse(&mut root.clone(), "haulout", &line)?.command {
        Some(Command::Diff(flags)) => render::documents(&flags, &line.words),
        _ => Ok(DocumentSet::default()),
    }
}

fn by_object(from: &[Object<'_>], to: &[Object<'_>]) -> String {
    let side = |object: Option<&Object<'_>>| match object {
        Some(object) => {
            let name = match object.count {
                1 => object.identity.to_string(),
                count => format!("{} ({count})", object.identity),
            };
            (name, body(object.document))
        }
        None => ("/dev/null".to_string(), String::new()),
    };
    let mut out = String::new();
    for (old, new) in pairs(from, to) {
        let ((old_name, old), (new_name, new)) = (side(old), side(new));
        out += &compare(&old_name, &old, &new_name, &new);
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
