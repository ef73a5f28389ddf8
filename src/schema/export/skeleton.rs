//! A schema as a file of data values to start from: every value with its default, and what is said of it as comments.
//!
//! As it stands the file changes nothing. Those who have a schema take it with `--data-values-file`.

use super::{Words, one_line};
use crate::schema::types::{Field, MapType, Schema, Shape};
use crate::yaml::{Value, print_value};
use std::fmt::Write;

/// Widest a comment's text gets, in characters.
const WIDTH: usize = 100;

/// The file, as YAML.
pub fn text(schema: &Schema) -> String {
    let root = schema.root();
    let mut out = String::new();
    comments(&mut out, root);
    match &root.value_type.shape {
        Shape::Map(fields) => {
            if !out.is_empty() {
                out.push('\n');
            }
            items(&mut out, fields);
        }
        _ if root.default.is_null() => {}
        _ => out.push_str(&yaml(&root.default)),
    }
    out
}

/// The items of a map.
fn items(out: &mut String, fields: &MapType) {
    for field in fields.items() {
        let Some(key) = &field.key else { continue };
        let before = out.len();
        comments(out, field);
        let said = out.len() > before;
        if said && before > 0 && !out[..before].ends_with("\n\n") {
            // What is said of an item sets it apart.
            out.insert(before, '\n');
        }
        let value = |value: &Value| yaml(&Value::map([(key.clone(), value.clone())]));
        match &field.value_type.shape {
            Shape::Map(fields) if !fields.items().is_empty() => {
                let line = value(&Value::Null);
                out.push_str(line.trim_end().strip_suffix(" null").unwrap_or(&line));
                out.push('\n');
                let mut inner = String::new();
                items(&mut inner, fields);
                indent(out, &inner, "  ");
            }
            Shape::Nullable(inner) => {
                if let Shape::Map(fields) = &inner.shape {
                    hint(out, "If it is set, it has:", |out| items(out, fields));
                }
                out.push_str(&value(&field.default));
            }
            Shape::Array(item) => {
                if let Shape::Map(fields) = &item.value_type.inner().shape {
                    hint(out, "Each item has:", |out| items(out, fields));
                }
                out.push_str(&value(&field.default));
            }
            _ => out.push_str(&value(&field.default)),
        }
    }
}

/// A commented piece of YAML.
fn hint(out: &mut String, line: &str, write: impl FnOnce(&mut String)) {
    let mut inner = String::new();
    write(&mut inner);
    let _ = writeln!(out, "# {line}");
    indent(out, &inner, "#   ");
}

fn indent(out: &mut String, text: &str, by: &str) {
    for line in text.lines() {
        let line = match line {
            "" => by.trim_end().to_owned(),
            line => format!("{by}{line}"),
        };
        out.push_str(&line);
        out.push('\n');
    }
}

fn yaml(value: &Value) -> String {
    String::from_utf8_lossy(&print_value(value)).into_owned()
}

/// What is said of a field.
fn comments(out: &mut String, field: &Field) {
    let words = Words::of(field);
    if let Some(notice) = &words.deprecated {
        match notice.as_str() {
            "" => comment(out, "Deprecated."),
            notice => comment(out, &format!("Deprecated: {notice}")),
        }
    }
    for text in [&words.title, &words.description].into_iter().flatten() {
        comment(out, text);
    }
    let condition = words.condition();
    for rule in words.other_rules() {
        comment(out, &format!("Must be{condition}: {rule}"));
    }
    if let Some(choices) = &words.choices {
        let choices: Vec<String> = choices.iter().map(one_line).collect();
        comment(out, &format!("One of{condition}: {}", choices.join(", ")));
    }
    for (description, value) in &words.examples {
        let value = one_line(value);
        comment(
            out,
            &match description.as_str() {
                "" => format!("Example: {value}"),
                description => format!("Example ({description}): {value}"),
            },
        );
    }
}

/// A comment, its lines broken between words.
fn comment(out: &mut String, text: &str) {
    for line in text.lines() {
        let mut width = 0;
        for word in line.split_whitespace() {
            let length = word.chars().count();
            if width > 0 && width + 1 + length > WIDTH {
                out.push('\n');
                width = 0;
            }
            out.push_str(if width == 0 { "# " } else { " " });
            out.push_str(word);
            width += length + 1;
        }
        out.push_str(if width == 0 { "#\n" } else { "\n" });
    }
}
