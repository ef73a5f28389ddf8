//! Whose comment it is: the last node that begins on its line, else the first (outermost) node on the next line below
//! on which any begins.

use super::node::{Comment, Document, Value};
use crate::hash;
use crate::order;
use std::iter::Peekable;
use std::rc::Rc;
use std::vec::IntoIter;

/// Nodes in the order of a walk, outer before inner, each with the number of the first node after all that it holds.
#[derive(Default)]
struct Census {
    lines: Vec<(u32, usize)>,
    ends: Vec<usize>,
}

/// Gives each comment to its node of the document; returns those that belong to none.
///
/// `blanks` are the lines of anchors that name an empty value and are repeated by aliases.
///
/// # Errors
/// The line of a comment of ytt's that an alias takes from its node: a comment belongs to one node, and so cannot be
/// repeated.
pub(super) fn assign(
    document: &mut Document,
    comments: Vec<Comment>,
    blanks: &[Option<u32>],
) -> Result<Vec<Comment>, u32> {
    let mut census = Census::default();
    census.enter(document.meta.position.line());
    census.count(&document.value);
    // Only aliases bring nodes from elsewhere; all others come in the order of the text.
    let repeated = census.repeated();
    if !repeated.is_empty() {
        order::sort(&mut census.lines);
    }
    let mut owned = Vec::with_capacity(comments.len());
    let mut unowned = Vec::new();
    for comment in comments {
        let line = comment.position.line().unwrap_or_default();
        let first = census.lines.partition_point(|(other, _)| *other < line);
        let same = census.lines[first..].partition_point(|(other, _)| *other == line);
        let owner = if same > 0 { first + same - 1 } else { first };
        match census.lines.get(owner) {
            Some((owner, node)) => {
                let blank = *owner == line && blanks.contains(&Some(line));
                if comment.text.as_bytes().starts_with(b"@") && (blank || repeated.contains(node)) {
                    return Err(line);
                }
                owned.push((*node, comment));
            }
            None => unowned.push(comment),
        }
    }
    order::sort_by(&mut owned, |(a, _), (b, _)| a.cmp(b));
    let mut hand_out = HandOut {
        next: 1,
        ends: census.ends,
        owned: owned.into_iter().peekable(),
    };
    while let Some((_, comment)) = hand_out.owned.next_if(|(node, _)| *node == 0) {
        document.meta.add_comment(comment);
    }
    hand_out.give(&mut document.value);
    Ok(unowned)
}

impl Census {
    /// The nodes that aliases repeat: those that stand on a line above one that came before.
    fn repeated(&self) -> hash::Set<usize> {
        let mut furthest = 0;
        let behind = |(line, node): &(u32, usize)| {
            furthest = furthest.max(*line);
            (*line < furthest).then_some(*node)
        };
        self.lines.iter().filter_map(behind).collect()
    }

    fn enter(&mut self, line: Option<u32>) -> usize {
        let node = self.ends.len();
        self.ends.push(node + 1);
        if let Some(line) = line {
            self.lines.push((line, node));
        }
        node
    }

    fn count(&mut self, value: &Value) {
        match value {
            Value::Map(map) => {
                for item in &map.items {
                    let node = self.enter(item.meta.position.line());
                    self.count(&item.value);
                    self.ends[node] = self.ends.len();
                }
            }
            Value::Array(array) => {
                for item in &array.items {
                    let node = self.enter(item.meta.position.line());
                    self.count(&item.value);
                    self.ends[node] = self.ends.len();
                }
            }
            _ => {}
        }
    }
}

/// The same walk again, which changes only what gets a comment, so that aliased values stay shared elsewhere.
struct HandOut {
    next: usize,
    ends: Vec<usize>,
    owned: Peekable<IntoIter<(usize, Comment)>>,
}

impl HandOut {
    fn give(&mut self, value: &mut Value) {
        match value {
            Value::Map(map) => {
                for item in &mut Rc::make_mut(map).items {
                    let end = self.enter(|comment| item.meta.add_comment(comment));
                    self.descend(&mut item.value, end);
                }
            }
            Value::Array(array) => {
                for item in &mut Rc::make_mut(array).items {
                    let end = self.enter(|comment| item.meta.add_comment(comment));
                    self.descend(&mut item.value, end);
                }
            }
            _ => {}
        }
    }

    /// Gives the next node its comments; returns where what it holds ends.
    fn enter(&mut self, mut add: impl FnMut(Comment)) -> usize {
        let node = self.next;
        self.next += 1;
        while let Some((_, comment)) = self.owned.next_if(|(owner, _)| *owner == node) {
            add(comment);
        }
        self.ends.get(node).copied().unwrap_or(self.next)
    }

    fn descend(&mut self, value: &mut Value, end: usize) {
        if self.owned.peek().is_some_and(|(owner, _)| *owner < end) {
            self.give(value);
        }
        self.next = end;
    }
}
