//! An upgrade for people: as text, or as Markdown for a merge request.

use super::object::{Change, Identity};
use super::rbac::Rule;
use super::upgrade::{FieldChange, ObjectChange, Upgrade, ValueChange};
use std::fmt::Write;

/// How it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// For a terminal.
    Text,
    /// For a page.
    Markdown,
}

/// More of a value than this does not help.
const WIDTH: usize = 80;

/// So much of what is equal stands before a difference.
const BEFORE: usize = 20;

/// What an upgrade changes, in sections; a section with nothing in it is left out.
pub fn text(upgrade: &Upgrade, style: Style) -> String {
    let mut page = Page {
        style,
        text: String::new(),
    };
    page.title(&format!(
        "{} {} -> {}",
        upgrade.ref_name, upgrade.from, upgrade.to
    ));
    if upgrade.is_empty() {
        page.line("nothing changes");
        return page.text;
    }
    let objects = &upgrade.objects;
    let identities = |all: &[Identity]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    page.section("objects added", &identities(&objects.added));
    page.section("objects removed", &identities(&objects.removed));
    page.heading("objects changed", objects.changed.len());
    for change in &objects.changed {
        page.object(change);
    }
    page.section(
        "values",
        &upgrade
            .values
            .iter()
            .map(|change| page.value(change))
            .collect::<Vec<_>>(),
    );
    for note in &upgrade.notes {
        page.item(1, &format!("note: {note}"));
    }
    let rules = |rules: &[Rule]| rules.iter().map(Rule::summary).collect::<Vec<_>>();
    page.section("permissions added", &rules(&upgrade.permissions.added));
    page.section("permissions removed", &rules(&upgrade.permissions.removed));
    page.text
}

struct Page {
    style: Style,
    text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        // A string takes everything.
        let _ = writeln!(self.text, "{line}");
    }

    fn title(&mut self, title: &str) {
        match self.style {
            Style::Text => self.line(title),
            Style::Markdown => self.line(&format!("# {title}")),
        }
    }

    fn heading(&mut self, heading: &str, count: usize) {
        if count == 0 {
            return;
        }
        match self.style {
            Style::Text => self.line(&format!("\n{heading} ({count}):")),
            Style::Markdown => self.line(&format!("\n## {heading} ({count})\n")),
        }
    }

    fn section(&mut self, heading: &str, items: &[String]) {
        self.heading(heading, items.len());
        for item in items {
            self.item(1, item);
        }
    }

    fn item(&mut self, depth: usize, item: &str) {
        let indent = "  ".repeat(depth);
        match self.style {
            Style::Text => self.line(&format!("{indent}{item}")),
            Style::Markdown => {
                let indent = indent.get(2..).unwrap_or_default();
                self.line(&format!("{indent}- {item}"));
            }
        }
    }

    /// A word as it stands.
    fn code(&self, word: &str) -> String {
        match self.style {
            Style::Text => word.to_string(),
            Style::Markdown => {
                // Longer than any run of them inside, as Markdown asks.
                let runs = word.split(|letter| letter != '`').map(str::len);
                let ticks = "`".repeat(runs.max().unwrap_or_default() + 1);
                let touches = word.starts_with('`') || word.ends_with('`');
                let space = if touches { " " } else { "" };
                format!("{ticks}{space}{word}{space}{ticks}")
            }
        }
    }

    /// A value, the middle of it if it is long.
    fn short(&self, value: &str, start: usize) -> String {
        let mut letters = value.chars().skip(start);
        let mut short = String::from(if start > 0 { "…" } else { "" });
        short.extend(letters.by_ref().take(WIDTH));
        if letters.next().is_some() {
            short.push('…');
        }
        self.code(&short)
    }

    /// Both values, from a little before where they differ.
    fn both(&self, from: &str, to: &str) -> String {
        let equal = from
            .chars()
            .zip(to.chars())
            .take_while(|(a, b)| a == b)
            .count();
        let longer = from.chars().count().max(to.chars().count());
        let start = if longer > WIDTH {
            equal.saturating_sub(BEFORE)
        } else {
            0
        };
        format!("{} -> {}", self.short(from, start), self.short(to, start))
    }

    fn object(&mut self, change: &ObjectChange) {
        self.item(1, &change.object.to_string());
        for version in &change.versions {
            self.item(2, &format!("CRD: {version}"));
        }
        for field in &change.fields {
            let line = self.field(field);
            self.item(2, &line);
        }
    }

    fn field(&self, field: &FieldChange) -> String {
        let Change { path, from, to } = &field.change;
        let path = self.code(path);
        let line = match (from, to) {
            (Some(from), Some(to)) => format!("{path}: {}", self.both(from, to)),
            (None, Some(to)) => format!("{path}: added {}", self.short(to, 0)),
            (Some(from), None) => format!("{path}: removed {}", self.short(from, 0)),
            (None, None) => path,
        };
        match field.immutable {
            true => format!("{line} (immutable: the object must be deleted and made anew)"),
            false => line,
        }
    }

    fn value(&self, change: &ValueChange) -> String {
        match change {
            ValueChange::Added {
                key,
                r#type,
                default,
            } => {
                format!(
                    "{}: added, {type}, default {}",
                    self.code(key),
                    self.short(default, 0)
                )
            }
            ValueChange::Removed { key, r#type } => {
                format!("{}: removed, was {type}", self.code(key))
            }
            ValueChange::Retyped { key, from, to } => {
                format!("{}: type {from} -> {to}", self.code(key))
            }
            ValueChange::Default { key, from, to } => {
                format!("{}: default {}", self.code(key), self.both(from, to))
            }
        }
    }
}
