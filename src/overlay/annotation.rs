//! The annotations of an overlay, read.

use crate::modules::{bool_argument, go_type};
use crate::script::{self, Args, Error, Interp, Result};
use crate::template::convert::{to_fragment, to_yaml};
use crate::yaml::node::{Meta, Value};

/// What the names of all overlay annotations begin with.
pub const NAMESPACE: &str = "overlay/";
pub const MATCH: &str = "overlay/match";
pub const MATCH_CHILD_DEFAULTS: &str = "overlay/match-child-defaults";
pub const REPLACE: &str = "overlay/replace";
const MERGE: &str = "overlay/merge";
const REMOVE: &str = "overlay/remove";
const INSERT: &str = "overlay/insert";
const APPEND: &str = "overlay/append";
const ASSERT: &str = "overlay/assert";

/// What an item on the right does to what it finds on the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Merge,
    Remove,
    Replace,
    Insert,
    Append,
    Assert,
}

impl Operation {
    /// The one that a node's annotations name; merging if none does.
    pub fn of(meta: &Meta) -> Result<Operation> {
        let mut found = None;
        for annotation in meta.annotations() {
            let operation = match &*annotation.name {
                MERGE => Operation::Merge,
                REMOVE => Operation::Remove,
                REPLACE => Operation::Replace,
                INSERT => Operation::Insert,
                APPEND => Operation::Append,
                ASSERT => Operation::Assert,
                _ => continue,
            };
            if found.replace(operation).is_some() {
                return Err(Error::new("Expected to find only one overlay operation"));
            }
        }
        Ok(found.unwrap_or(Operation::Merge))
    }

    /// The annotation that names it.
    pub fn annotation(self) -> &'static str {
        match self {
            Operation::Merge => MERGE,
            Operation::Remove => REMOVE,
            Operation::Replace => REPLACE,
            Operation::Insert => INSERT,
            Operation::Append => APPEND,
            Operation::Assert => ASSERT,
        }
    }
}

/// The named arguments of an annotation, each as text and value.
pub fn keywords<'a>(
    meta: &'a Meta,
    annotation: &str,
) -> impl Iterator<Item = (String, &'a script::Value)> {
    let found = meta
        .annotation(annotation)
        .map(|annotation| annotation.named.as_slice())
        .unwrap_or_default();
    found
        .iter()
        .map(|(name, value)| (name.to_text().into_owned(), value))
}

pub fn unknown_keyword(annotation: &str, keyword: &str) -> Error {
    Error::new(format!(
        "Unknown '{annotation}' annotation keyword argument '{keyword}'"
    ))
}

fn function(annotation: &str, keyword: &str, value: &script::Value) -> Result<script::Value> {
    if value.is_callable() {
        return Ok(value.clone());
    }
    Err(Error::new(format!(
        "Expected '{annotation}' annotation keyword argument '{keyword}' to be function, but was {}",
        go_type(value)
    )))
}

/// `via(left, right)`, or the right value as it stands.
fn via(
    interp: &mut Interp,
    via: Option<&script::Value>,
    left: &Value,
    right: &Value,
) -> Result<Value> {
    match via {
        None => Ok(right.clone()),
        Some(via) => {
            let args = Args::positional(vec![to_fragment(left), to_fragment(right)]);
            to_yaml(&interp.call(via, args)?)
        }
    }
}

/// `@overlay/replace via=, or_add=`
#[derive(Default)]
pub struct Replace {
    via: Option<script::Value>,
    pub or_add: bool,
}

impl Replace {
    pub fn of(meta: &Meta) -> Result<Replace> {
        let mut replace = Replace::default();
        for (keyword, value) in keywords(meta, REPLACE) {
            match keyword.as_str() {
                "via" => replace.via = Some(function(REPLACE, &keyword, value)?),
                "or_add" => replace.or_add = bool_argument(value)?,
                _ => return Err(unknown_keyword(REPLACE, &keyword)),
            }
        }
        Ok(replace)
    }

    /// What takes the place of `left`.
    pub fn value(&self, interp: &mut Interp, left: &Value, right: &Value) -> Result<Value> {
        via(interp, self.via.as_ref(), left, right)
    }
}

/// `@overlay/insert before=, after=, via=`
#[derive(Default)]
pub struct Insert {
    pub before: bool,
    pub after: bool,
    via: Option<script::Value>,
}

impl Insert {
    pub fn of(meta: &Meta) -> Result<Insert> {
        if meta
            .annotation(INSERT)
            .is_none_or(|annotation| annotation.named.is_empty())
        {
            return Err(Error::new(format!(
                "Expected '{INSERT}' annotation to have at least one keyword argument (before=..., after=...)"
            )));
        }
        let mut insert = Insert::default();
        for (keyword, value) in keywords(meta, INSERT) {
            match keyword.as_str() {
                "before" => insert.before = bool_argument(value)?,
                "after" => insert.after = bool_argument(value)?,
                "via" => insert.via = Some(function(INSERT, &keyword, value)?),
                _ => return Err(unknown_keyword(INSERT, &keyword)),
            }
        }
        Ok(insert)
    }

    /// What is put beside `left`.
    pub fn value(&self, interp: &mut Interp, left: &Value, right: &Value) -> Result<Value> {
        via(interp, self.via.as_ref(), left, right)
    }
}

/// `@overlay/assert via=`
#[derive(Default)]
pub struct Assert {
    via: Option<script::Value>,
}

impl Assert {
    pub fn of(meta: &Meta) -> Result<Assert> {
        let mut assert = Assert { via: None };
        for (keyword, value) in keywords(meta, ASSERT) {
            match keyword.as_str() {
                "via" => assert.via = Some(value.clone()),
                _ => return Err(unknown_keyword(ASSERT, &keyword)),
            }
        }
        Ok(assert)
    }

    /// Fails unless the sides are as asserted.
    pub fn check(&self, interp: &mut Interp, left: &Value, right: &Value) -> Result<()> {
        let Some(via) = &self.via else {
            return super::subset(left, right).map_err(|why| {
                Error::new(format!("Expected objects to equal, but did not: {why}"))
            });
        };
        if !via.is_callable() {
            return Err(Error::new(format!(
                "Expected '{ASSERT}' annotation keyword argument 'via' to be function, but was {}",
                go_type(via)
            )));
        }
        match interp.call(
            via,
            Args::positional(vec![to_fragment(left), to_fragment(right)]),
        )? {
            script::Value::None | script::Value::Bool(true) => Ok(()),
            script::Value::Bool(false) => Err(Error::new(
                "Expected via invocation to return true, but was false",
            )),
            other => match other.try_iterate().as_deref() {
                Some([script::Value::Bool(true), script::Value::Str(_)]) => Ok(()),
                Some([script::Value::Bool(false), script::Value::Str(message)]) => {
                    Err(Error::new(format!(
                        "Expected via invocation to return true, but was false with message: {}",
                        message.to_text()
                    )))
                }
                _ => Err(Error::new(
                    "Expected via invocation to return NoneType, Bool or Tuple(Bool,String), but returned neither of those",
                )),
            },
        }
    }
}
