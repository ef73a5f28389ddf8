//! Other values in a text that a person wrote: its comments stay with what they stand at.

use super::node::{Array, ArrayItem, Comment, Map, Meta, Value};
use super::{Layout, ParseError, ParseOptions, format, parse};
use crate::position::Source;
use std::rc::Rc;

/// A text with other values.
pub struct Rewritten {
    /// The values laid out for people, with the comments of what is still there.
    pub text: Vec<u8>,
    /// How many comments have nothing to stand at any more.
    pub lost: usize,
}

/// Writes the values of one text with the comments of another.
///
/// A comment stays with its key; that of an array's item with the item that is the same, else with the one at its place.
///
/// # Errors
/// One of the texts is not YAML.
pub fn rewrite(commented: &Rc<Source>, values: &Rc<Source>) -> Result<Rewritten, ParseError> {
    let old = parse(commented, ParseOptions::default())?;
    let mut new = parse(values, ParseOptions::default())?;
    let mut kept = 0;
    // The comments that stand behind everything are a document's of their own.
    let (documents, rest): (Vec<_>, Vec<_>) = old
        .items
        .into_iter()
        .partition(|document| !document.injected);
    let total: usize = documents
        .iter()
        .map(|document| count(&document.meta, &document.value))
        .sum();
    new.items.retain(|document| !document.injected);
    for (old, new) in documents.iter().zip(&mut new.items) {
        keep(&mut kept, &old.meta, &mut new.meta);
        merge(&mut kept, &old.value, &mut new.value);
    }
    let mut text = format(&new, Layout::default());
    for comment in rest.iter().flat_map(|document| document.meta.comments()) {
        text.extend_from_slice(&line(comment));
    }
    Ok(Rewritten {
        text,
        lost: total.saturating_sub(kept),
    })
}

fn line(comment: &Comment) -> Vec<u8> {
    [b"#", comment.text.as_bytes(), b"\n"].concat()
}

fn keep(kept: &mut usize, old: &Meta, new: &mut Meta) {
    let comments = old.comments();
    if comments.is_empty() {
        return;
    }
    *kept += comments.len();
    // What stands beside its node stays there, wherever that is now.
    let moved = |comment: &Comment| {
        let is_beside = comment.position.line() == old.position.line();
        let line = new.position.line().unwrap_or(1) - u32::from(!is_beside);
        Comment {
            text: comment.text.clone(),
            position: new.position.at_line(line),
        }
    };
    let comments = comments.iter().map(moved).collect();
    new.set_comments(comments);
}

fn merge(kept: &mut usize, old: &Value, new: &mut Value) {
    match (old, new) {
        (Value::Map(old), Value::Map(new)) => maps(kept, old, Rc::make_mut(new)),
        (Value::Array(old), Value::Array(new)) => arrays(kept, old, Rc::make_mut(new)),
        _ => {}
    }
}

fn maps(kept: &mut usize, old: &Map, new: &mut Map) {
    for item in &mut new.items {
        if let Some(former) = old.items.iter().find(|former| former.key == item.key) {
            keep(kept, &former.meta, &mut item.meta);
            merge(kept, &former.value, &mut item.value);
        }
    }
}

fn arrays(kept: &mut usize, old: &Array, new: &mut Array) {
    let mut free: Vec<Option<&ArrayItem>> = old.items.iter().map(Some).collect();
    let mut same = |value: &Value| {
        let place = free
            .iter()
            .position(|former| former.is_some_and(|former| former.value == *value))?;
        free[place].take()
    };
    let mut homes: Vec<_> = new.items.iter().map(|item| same(&item.value)).collect();
    for (home, rest) in homes.iter_mut().zip(free) {
        *home = home.or(rest);
    }
    for (item, former) in new.items.iter_mut().zip(homes) {
        if let Some(former) = former {
            keep(kept, &former.meta, &mut item.meta);
            merge(kept, &former.value, &mut item.value);
        }
    }
}

/// How many comments a node has, with all that it holds.
fn count(meta: &Meta, value: &Value) -> usize {
    let held: usize = match value {
        Value::Map(map) => map
            .items
            .iter()
            .map(|item| count(&item.meta, &item.value))
            .sum(),
        Value::Array(array) => array
            .items
            .iter()
            .map(|item| count(&item.meta, &item.value))
            .sum(),
        _ => 0,
    };
    meta.comments().len() + held
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(commented: &str, values: &str) -> (String, usize) {
        let [commented, values] = [commented, values].map(|text| Source::file("stdin.yml", text));
        let Rewritten { text, lost } = rewrite(&commented, &values).unwrap();
        (String::from_utf8(text).unwrap(), lost)
    }

    #[test]
    fn comments_stay_with_their_keys_and_items() {
        let ours = "# ours\nreplicas: 4 # four\n\n# why\naudit:\n  # in\n  paths: on\nlist:\n- a # first\n- b\n# the end\n";
        let (text, lost) = rewritten(
            ours,
            "replicas: 5\naudit:\n  paths: wide\n  more: 1\nlist:\n- c\n- a\n",
        );
        assert_eq!(
            text,
            "# ours\nreplicas: 5 # four\n\n# why\naudit:\n  # in\n  paths: wide\n\n  more: 1\n\nlist:\n  - c\n  - a # first\n# the end\n"
        );
        assert_eq!(lost, 0);
    }

    #[test]
    fn comments_of_what_is_gone_are_counted() {
        let (text, lost) = rewritten("# one\na: 1\n# two\nb: 2 # three\n", "a: 1\n");
        assert_eq!((text.trim_end(), lost), ("# one\na: 1", 2));
        assert_eq!(rewritten("# one\na: 1\n", ""), (String::new(), 1));
        assert_eq!(rewritten("# one\n", "a: 1\n").0, "a: 1\n# one\n");
        assert!(rewrite(&Source::file("a", "a: ["), &Source::file("b", "")).is_err());
    }
}
