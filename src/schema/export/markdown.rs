//! A schema as a table for docs: a row for each value that can be set.

use super::{Words, one_line, type_name};
use crate::schema::types::{Field, Schema, Shape, scalar_text};
use std::fmt::Write;

const HEAD: &str = "| Value | Type | Default | Description |\n|---|---|---|---|\n";

/// The table, as Markdown.
pub fn text(schema: &Schema) -> String {
    let mut out = String::from(HEAD);
    below(&mut out, schema.root(), "");
    out
}

/// Rows of what is in a field.
fn below(out: &mut String, field: &Field, path: &str) {
    match &field.value_type.inner().shape {
        Shape::Map(fields) => {
            for field in fields.items() {
                let key = field.key.as_ref().map(scalar_text).unwrap_or_default();
                let path = match path {
                    "" => key.into_owned(),
                    _ => format!("{path}.{key}"),
                };
                row(out, field, &path);
                below(out, field, &path);
            }
        }
        Shape::Array(items) => {
            let path = format!("{path}[]");
            if !matches!(items.value_type.inner().shape, Shape::Scalar(_)) || has_words(items) {
                row(out, items, &path);
            }
            below(out, items, &path);
        }
        _ => {}
    }
}

fn has_words(field: &Field) -> bool {
    let words = Words::of(field);
    words.title.is_some() || words.description.is_some() || !words.rules.is_empty()
}

fn row(out: &mut String, field: &Field, path: &str) {
    let words = Words::of(field);
    let plain_map = matches!(field.value_type.shape, Shape::Map(_));
    if plain_map && !has_words(field) {
        // Its items speak for it.
        return;
    }
    let default = match plain_map {
        true => String::new(),
        false => code(&one_line(&field.default)),
    };
    let mut said: Vec<String> = Vec::new();
    if let Some(notice) = &words.deprecated {
        said.push(match notice.as_str() {
            "" => "**Deprecated.**".to_owned(),
            notice => format!("**Deprecated**: {}", cell(notice)),
        });
    }
    said.extend(
        words
            .title
            .as_deref()
            .map(|title| format!("**{}**", cell(title))),
    );
    said.extend(words.description.as_deref().map(cell));
    let condition = words.condition();
    let rules: Vec<String> = words.other_rules().map(cell).collect();
    if let Some(choices) = &words.choices {
        let choices: Vec<String> = choices
            .iter()
            .map(|choice| code(&one_line(choice)))
            .collect();
        said.push(format!("One of{condition}: {}", choices.join(", ")));
    }
    if !rules.is_empty() {
        said.push(format!("Must be{condition}: {}", rules.join("; ")));
    }
    for (description, value) in &words.examples {
        let value = code(&one_line(value));
        said.push(match description.as_str() {
            "" => format!("Example: {value}"),
            description => format!("Example ({}): {value}", cell(description)),
        });
    }
    let _ = writeln!(
        out,
        "| {} | {} | {default} | {} |",
        code(path),
        type_name(&field.value_type),
        said.join("<br>")
    );
}

/// Text in a cell: a bar would end it, a new line the table.
fn cell(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines
        .join(" ")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('|', "\\|")
}

/// Code in a cell, between enough backticks.
fn code(text: &str) -> String {
    let text = text.replace('\n', " ").replace('|', "\\|");
    let runs = text.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}
