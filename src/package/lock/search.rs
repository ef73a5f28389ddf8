//! Where images stand in resources: the strings that rules find, also within strings that hold YAML or JSON.

use super::config::{
    Inner, KeyMatcher, PathPart, SearchRule, UpdateStrategy, ValueMatcher, before_tag,
};

use crate::modules::json;
use crate::position::Source;
use crate::yaml::{self, ArrayItem, Map, MapItem, ParseOptions, Value};
use std::rc::Rc;

/// What a visitor makes of an image: another text, or nothing.
pub type Visitor<'a> = dyn FnMut(&str) -> Option<String> + 'a;

/// A step from a collection to what it holds.
enum Step<'a> {
    Key(&'a str),
    Item(usize),
}

/// The value with every image that the rules find replaced by what the visitor makes of it.
pub fn visit(value: &Value, rules: &[SearchRule], visitor: &mut Visitor) -> Value {
    below(value, &mut Vec::new(), rules, visitor)
}

fn below<'v>(
    value: &'v Value,
    path: &mut Vec<Step<'v>>,
    rules: &[SearchRule],
    visitor: &mut Visitor,
) -> Value {
    match value {
        Value::Map(old) => {
            let mut map = Map::clone(old);
            for (item, old) in map.items.iter_mut().zip(&old.items) {
                path.push(Step::Key(old.key.as_str().unwrap_or_default()));
                item.value = place(&old.value, path, rules, visitor);
                path.pop();
            }
            Value::Map(Rc::new(map))
        }
        Value::Array(old) => {
            let mut array = yaml::Array::clone(old);
            for (number, (item, old)) in array.items.iter_mut().zip(&old.items).enumerate() {
                path.push(Step::Item(number));
                item.value = place(&old.value, path, rules, visitor);
                path.pop();
            }
            Value::Array(Rc::new(array))
        }
        value => value.clone(),
    }
}

/// What is to stand at a place; the first rule that fits it decides.
fn place<'v>(
    value: &'v Value,
    path: &mut Vec<Step<'v>>,
    rules: &[SearchRule],
    visitor: &mut Visitor,
) -> Value {
    let rule = rules.iter().find(|rule| fits(rule, path, value));
    let replaced = rule.and_then(|rule| replace(value, rule.update_strategy.as_ref(), visitor));
    replaced.unwrap_or_else(|| below(value, path, rules, visitor))
}

fn fits(rule: &SearchRule, path: &[Step], value: &Value) -> bool {
    let key = rule
        .key_matcher
        .as_ref()
        .is_none_or(|matcher| matches_path(matcher, path));
    key && rule
        .value_matcher
        .as_ref()
        .is_none_or(|matcher| matches_value(matcher, value))
}

fn matches_path(matcher: &KeyMatcher, path: &[Step]) -> bool {
    if !matcher.name.is_empty() {
        return matches!(path.last(), Some(Step::Key(key)) if *key == matcher.name);
    }
    let step = |(part, step): (&PathPart, &Step)| match (part, step) {
        (PathPart::Key(wanted), Step::Key(key)) => wanted == key,
        (PathPart::Items(items), Step::Item(number)) => match items.index {
            Some(index) => index == *number,
            None => items.all_indexes.is_some(),
        },
        _ => false,
    };
    matcher.path.len() == path.len() && matcher.path.iter().zip(path).all(step)
}

fn matches_value(matcher: &ValueMatcher, value: &Value) -> bool {
    let Some(text) = value.as_str() else {
        return false;
    };
    match matcher.image.as_str() {
        "" => matcher.image_repo == before_tag(text),
        image => image == text,
    }
}

fn replace(
    value: &Value,
    strategy: Option<&UpdateStrategy>,
    visitor: &mut Visitor,
) -> Option<Value> {
    let text = value.as_str();
    match strategy {
        None => Some(Value::str(visitor(text?)?)),
        Some(strategy) if strategy.none.is_some() => None,
        Some(strategy) if strategy.entire_value.is_some() => Some(Value::str(visitor(text?)?)),
        Some(UpdateStrategy {
            json: Some(inner), ..
        }) => within_json(text?, &inner.search_rules, visitor),
        Some(UpdateStrategy {
            yaml: Some(inner), ..
        }) => {
            let (text, rules) = (text?, inner.search_rules.as_slice());
            within_json(text, rules, visitor).or_else(|| documents(text, rules, visitor))
        }
        Some(_) => None,
    }
}

/// JSON that is nested deeper is not looked into.
const MOST_DEPTH: usize = 128;

/// A string that is JSON.
fn within_json(text: &str, rules: &[SearchRule], visitor: &mut Visitor) -> Option<Value> {
    let parsed = json::value(text.as_bytes(), MOST_DEPTH)?;
    let value = visit(&parsed, rules, visitor);
    let bytes = yaml::json_value(&value, 0, true).ok()?;
    Some(Value::str(String::from_utf8(bytes).ok()?))
}

/// A string that is YAML. It is written anew, without its comments, as kbld does.
fn documents(text: &str, rules: &[SearchRule], visitor: &mut Visitor) -> Option<Value> {
    let mut out = Vec::new();
    for value in parse(text.as_bytes(), "").ok()? {
        out.extend_from_slice(b"---\n");
        out.extend(yaml::print_value(&visit(&value, rules, visitor)));
    }
    Some(Value::str(String::from_utf8(out).ok()?))
}

/// The values of a text's documents as Kubernetes' tools read them: no comments, keys strings, each once and sorted,
/// whole numbers whole. Documents with nothing in them are left out.
pub fn parse(text: &[u8], name: &str) -> Result<Vec<Value>, yaml::ParseError> {
    let options = ParseOptions {
        strict: false,
        without_comments: true,
    };
    let documents = yaml::parse(&Source::file(name, text), options)?;
    let values = documents.items.iter().filter(|document| !document.injected);
    Ok(values
        .map(|document| sorted(&document.value))
        .filter(|value| !value.is_null())
        .collect())
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Map(map) => {
            let mut items: Vec<MapItem> = Vec::with_capacity(map.items.len());
            for item in &map.items {
                let mut key = yaml::print_value(&item.key);
                let key = match &item.key {
                    Value::Str(text) => Value::Str(text.clone()),
                    _ => {
                        key.truncate(key.trim_ascii_end().len());
                        Value::str(key.as_slice())
                    }
                };
                items.push(MapItem {
                    key,
                    value: sorted(&item.value),
                    ..MapItem::default()
                });
            }
            // The sort is stable: of equal keys the last one in the text comes last, and stays.
            items.sort_by(|a, b| text_of(&a.key).cmp(text_of(&b.key)));
            items.reverse();
            items.dedup_by(|later, kept| later.key == kept.key);
            items.reverse();
            Value::Map(Rc::new(Map {
                items,
                ..Map::default()
            }))
        }
        Value::Array(array) => Value::Array(Rc::new(yaml::Array {
            items: array
                .items
                .iter()
                .map(|item| ArrayItem {
                    value: sorted(&item.value),
                    ..ArrayItem::default()
                })
                .collect(),
            ..yaml::Array::default()
        })),
        // JSON, through which Kubernetes' tools read YAML, does not tell 1.0 from 1.
        #[allow(clippy::cast_possible_truncation)]
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            Value::Int(*number as i64)
        }
        value => value.clone(),
    }
}

fn text_of(key: &Value) -> &[u8] {
    match key {
        Value::Str(text) => text,
        _ => &[],
    }
}

/// An image in a string that no rule opens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hidden {
    /// Its text.
    pub image: String,
    /// The key that holds the string; none for an item of an array.
    pub key: Option<String>,
}

impl Hidden {
    /// The rule that finds it.
    pub fn rule(&self) -> Option<SearchRule> {
        let inner = Inner {
            search_rules: vec![SearchRule::key("image")],
        };
        Some(SearchRule {
            update_strategy: Some(UpdateStrategy {
                yaml: Some(inner),
                ..UpdateStrategy::default()
            }),
            ..SearchRule::key(self.key.as_ref()?)
        })
    }
}

/// Images in strings of the resource that no rule opens: texts that are YAML, in which a key `image` holds a string. They
/// are not locked, which their user should know.
pub fn hidden(resource: &Value, rules: &[SearchRule]) -> Vec<Hidden> {
    let mut out = Vec::new();
    collect_hidden(resource, &mut Vec::new(), rules, &mut out);
    out.sort();
    out.dedup();
    out
}

fn collect_hidden<'v>(
    value: &'v Value,
    path: &mut Vec<Step<'v>>,
    rules: &[SearchRule],
    out: &mut Vec<Hidden>,
) {
    match value {
        Value::Map(map) => {
            for item in &map.items {
                path.push(Step::Key(item.key.as_str().unwrap_or_default()));
                collect_hidden(&item.value, path, rules, out);
                path.pop();
            }
        }
        Value::Array(array) => {
            for (number, item) in array.items.iter().enumerate() {
                path.push(Step::Item(number));
                collect_hidden(&item.value, path, rules, out);
                path.pop();
            }
        }
        Value::Str(text) if !is_opened(value, path, rules) => {
            for document in parse(text, "").unwrap_or_default() {
                visit(&document, &[SearchRule::key("image")], &mut |image| {
                    out.push(Hidden {
                        image: image.to_string(),
                        key: match path.last() {
                            Some(Step::Key(key)) => Some((*key).to_string()),
                            _ => None,
                        },
                    });
                    None
                });
            }
        }
        _ => {}
    }
}

/// Whether a rule looks into a string, or takes it as it is.
fn is_opened(value: &Value, path: &[Step], rules: &[SearchRule]) -> bool {
    let Some(rule) = rules.iter().find(|rule| fits(rule, path, value)) else {
        return false;
    };
    match &rule.update_strategy {
        Some(strategy) if strategy.json.is_some() || strategy.yaml.is_some() => {
            replace(value, Some(strategy), &mut |_| None).is_some()
        }
        _ => true,
    }
}
