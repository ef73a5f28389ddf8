//! Validation rules: what `@schema/validation` and `@assert/validate` say, and where they are kept on values.

use crate::bytestring::Str;
use crate::diagnostic::Report;
use crate::modules::assert::{self, is_sequence, to_integer};
use crate::position::Position;
use crate::script::{Interp, Value};
use crate::template::annotation::NodeRef;
use crate::yaml::{Annotation, Array, Document, Map, Meta, Rules, Value as Node};
use std::rc::Rc;

pub use super::validate::validate;

const ASSERT: &str = "assert/validate";

/// The rules that one annotation gives a value.
#[derive(Debug)]
pub struct Validation {
    /// The rules in the order in which they stand.
    pub rules: Vec<Rule>,
    /// What the named arguments say, for forms and exports.
    pub keywords: Keywords,
    /// Where the annotation stands.
    pub position: Position,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What a valid value is: `length >= 1`.
    pub message: Str,
    /// Called with the value: `True` if it is valid.
    pub check: Value,
    /// Comes before all others, which are not asked if it does not hold.
    pub critical: bool,
}

/// The named arguments of a validation.
#[derive(Clone, Debug, Default)]
pub struct Keywords {
    /// `when=`: asked with the value, or with the value and a context, whether the rules count.
    pub when: Option<Value>,
    /// `min_len=`: an integer.
    pub min_len: Option<Value>,
    /// `max_len=`: an integer.
    pub max_len: Option<Value>,
    /// `min=`
    pub min: Option<Value>,
    /// `max=`
    pub max: Option<Value>,
    /// `not_null=`
    pub not_null: bool,
    /// `one_not_null=`
    pub one_not_null: Option<OneNotNull>,
    /// `one_of=`: a sequence.
    pub one_of: Option<Value>,
}

/// Of which items exactly one must not be null.
#[derive(Clone, Debug)]
pub enum OneNotNull {
    /// All of the map.
    All,
    /// Those with these keys, a sequence.
    Keys(Value),
}

impl Validation {
    /// The rules of an annotation.
    ///
    /// # Errors
    /// Its arguments are not as they should be; the text lacks the annotation's name.
    pub fn from_annotation(
        interp: &mut Interp,
        annotation: &Annotation,
    ) -> Result<Validation, String> {
        let at = &annotation.position;
        if annotation.args.is_empty() && annotation.named.is_empty() {
            return Err(format!(
                "expected annotation to have 2-tuple as argument(s), but found no arguments (by {at})"
            ));
        }
        let mut rules = Vec::new();
        for argument in &annotation.args {
            rules.push(custom_rule(argument, at)?);
        }
        let keywords = Keywords::new(&annotation.named, at)?;
        let failed = |error: crate::script::Error| format!("{error} (at {at})");
        rules.extend(keywords.rules(interp).map_err(failed)?);
        Ok(Validation {
            rules,
            keywords,
            position: at.clone(),
        })
    }
}

fn custom_rule(argument: &Value, at: &Position) -> Result<Rule, String> {
    let Value::Tuple(tuple) = argument else {
        return Err(format!(
            "expected annotation to have 2-tuple as argument(s), but found: {} (by {at})",
            argument.repr()
        ));
    };
    let [message, check] = tuple.as_slice() else {
        return Err(format!(
            "expected 2-tuple, but found tuple with length {} (by {at})",
            tuple.len()
        ));
    };
    let Value::Str(message) = message else {
        return Err(format!(
            "expected first item in the 2-tuple to be a string describing a valid value, but was {} (at {at})",
            message.type_name()
        ));
    };
    Ok(Rule {
        message: message.clone(),
        check: check_function(check).map_err(|message| format!("{message} (at {at})"))?,
        critical: false,
    })
}

/// The function itself, or the `check` of an assertion.
fn check_function(value: &Value) -> Result<Value, String> {
    if value.is_callable() {
        return Ok(value.clone());
    }
    let kind = value.type_name();
    let has_attributes = match value {
        Value::Str(_) | Value::List(_) | Value::Dict(_) | Value::Set(_) => true,
        Value::Host(host) => host.0.attr_names().is_some(),
        _ => false,
    };
    if !has_attributes {
        return Err(format!(
            "expected second item in the 2-tuple to be an assertion function, but was {kind}"
        ));
    }
    match value.attr("check") {
        Ok(Some(check)) if check.is_callable() => Ok(check),
        Ok(Some(check)) => Err(format!(
            "expected struct with attribute check(), but was {}",
            check.type_name()
        )),
        Ok(None) | Err(_) => Err(format!(
            "expected second item in tuple to be an assertion function or assertion object, but was a {kind}"
        )),
    }
}

impl Keywords {
    fn new(named: &[(Str, Value)], at: &Position) -> Result<Keywords, String> {
        let mut keywords = Keywords::default();
        for (name, value) in named {
            let kind = value.type_name();
            let name = name.to_text();
            let integer = || {
                to_integer(value).ok_or_else(|| {
                    format!("expected keyword argument \"{name}\" to be a number, but was {kind} (at {at})")
                })
            };
            match &*name {
                "when" if value.is_callable() => keywords.when = Some(value.clone()),
                "when" => {
                    return Err(format!(
                        "expected keyword argument \"when\" to be a function, but was {kind} (at {at})"
                    ));
                }
                "min_len" => keywords.min_len = Some(integer()?),
                "max_len" => keywords.max_len = Some(integer()?),
                "min" => keywords.min = Some(value.clone()),
                "max" => keywords.max = Some(value.clone()),
                "not_null" => match value {
                    Value::Bool(value) => keywords.not_null = *value,
                    _ => {
                        return Err(format!(
                            "expected keyword argument \"not_null\" to be a boolean, but was {kind} (at {at})"
                        ));
                    }
                },
                "one_not_null" => {
                    keywords.one_not_null = Some(match value {
                        Value::Bool(true) => OneNotNull::All,
                        Value::Bool(false) => {
                            return Err("one_not_null= cannot be False".to_owned());
                        }
                        _ if is_sequence(value) => OneNotNull::Keys(value.clone()),
                        _ => {
                            return Err(format!(
                                "expected True or a sequence of keys, but was a '{kind}'"
                            ));
                        }
                    });
                }
                "one_of" if is_sequence(value) => keywords.one_of = Some(value.clone()),
                "one_of" => {
                    return Err(format!(
                        "expected keyword argument one_of to be a sequence, but was {kind}"
                    ));
                }
                _ => return Err(format!("unknown keyword argument \"{name}\" (at {at})")),
            }
        }
        Ok(keywords)
    }

    fn rules(&self, interp: &mut Interp) -> crate::script::Result<Vec<Rule>> {
        let mut rules = Vec::new();
        let mut add = |message: String, check: Value| {
            rules.push(Rule {
                message: message.into(),
                check,
                critical: false,
            });
        };
        if let Some(bound) = &self.min_len {
            let check = assert::min_len(interp, bound)?;
            add(format!("length >= {}", bound.repr()), check);
        }
        if let Some(bound) = &self.max_len {
            let check = assert::max_len(interp, bound)?;
            add(format!("length <= {}", bound.repr()), check);
        }
        if let Some(bound) = &self.min {
            let check = assert::min(interp, bound)?;
            add(format!("a value >= {}", bound.repr()), check);
        }
        if let Some(bound) = &self.max {
            let check = assert::max(interp, bound)?;
            add(format!("a value <= {}", bound.repr()), check);
        }
        if let Some(wanted) = &self.one_not_null {
            let (keys, text) = match wanted {
                OneNotNull::All => (None, "all children".to_owned()),
                OneNotNull::Keys(keys) => (Some(keys.clone()), keys.repr()),
            };
            let message = format!("exactly one of {text} to be not null");
            add(message, assert::one_not_null(keys));
        }
        if let Some(allowed) = &self.one_of {
            let check = assert::one_of(interp, allowed)?;
            add(format!("one of {}", allowed.repr()), check);
        }
        if self.not_null {
            rules.push(Rule {
                message: "not null".into(),
                check: assert::not_null(interp)?,
                critical: true,
            });
        }
        Ok(rules)
    }
}

/// The rules kept on a node.
pub fn get(meta: &Meta) -> &[Rc<Validation>] {
    meta.rules()
        .and_then(|rules| rules.0.downcast_ref::<Vec<Rc<Validation>>>())
        .map_or(&[], Vec::as_slice)
}

/// Replaces the rules kept on a node.
pub fn set(meta: &mut Meta, rules: Vec<Rc<Validation>>) {
    meta.set_rules(Some(Rules(Rc::new(rules))));
}

/// Adds the rules of every `@assert/validate` to what the schema gave.
///
/// # Errors
/// An annotation is not as it should be, or stands on something that has no value.
pub fn attach_asserts(interp: &mut Interp, document: &mut Document) -> Result<(), Report> {
    if has_asserts(document) {
        attach(interp, &mut document.meta)
            .and_then(|()| attach_below(interp, &mut document.value))
            .map_err(Report::new)?;
    }
    Ok(())
}

/// Asked first, since changing a shared tree copies it.
fn has_asserts(document: &Document) -> bool {
    let mut stack = vec![NodeRef::Document(document)];
    while let Some(node) = stack.pop() {
        if node
            .meta()
            .is_some_and(|meta| meta.annotation(ASSERT).is_some())
        {
            return true;
        }
        node.push_children(&mut stack);
    }
    false
}

fn attach(interp: &mut Interp, meta: &mut Meta) -> Result<(), String> {
    let Some(annotation) = meta.annotation(ASSERT) else {
        return Ok(());
    };
    let validation = Validation::from_annotation(interp, annotation)
        .map_err(|message| format!("Invalid @{ASSERT} annotation - {message}"))?;
    let mut rules = get(meta).to_vec();
    rules.push(Rc::new(validation));
    set(meta, rules);
    Ok(())
}

fn attach_below(interp: &mut Interp, value: &mut Node) -> Result<(), String> {
    let refuse = |kind: &str, meta: &Meta| match meta.annotation(ASSERT) {
        Some(_) => Err(format!(
            "Invalid @{ASSERT} annotation - not supported on {kind} at {}",
            meta.position
        )),
        None => Ok(()),
    };
    match value {
        Node::Map(map) => {
            refuse("map", &map.meta)?;
            let Map { items, .. } = Rc::make_mut(map);
            for item in items {
                attach(interp, &mut item.meta)?;
                attach_below(interp, &mut item.value)?;
            }
        }
        Node::Array(array) => {
            refuse("array", &array.meta)?;
            let Array { items, .. } = Rc::make_mut(array);
            for item in items {
                attach(interp, &mut item.meta)?;
                attach_below(interp, &mut item.value)?;
            }
        }
        _ => {}
    }
    Ok(())
}
