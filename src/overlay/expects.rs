//! How many nodes an overlay expects to find.

use super::annotation::{MATCH, MATCH_CHILD_DEFAULTS, keywords, unknown_keyword};
use crate::modules::go_type;
use crate::order;
use crate::position::Position;
use crate::script::{Args, Error, Interp, Result, Value};
use crate::yaml::node::Meta;

/// `expects=`, `missing_ok=` and `when=`, of which one may be given.
#[derive(Clone, Default)]
pub struct Expects {
    pub expects: Option<Value>,
    pub missing_ok: Option<Value>,
    pub when: Option<Value>,
}

/// Whether what was found is enough.
enum Verdict {
    Holds,
    /// The number is not the expected one; the text says so.
    Misses(String),
}

impl Expects {
    /// What an item's `@overlay/match-child-defaults` says, and where it is silent what held for the item itself.
    pub fn for_children(meta: &Meta, parents: &Expects) -> Result<Expects> {
        let mut expects = Expects::default();
        for (keyword, value) in keywords(meta, MATCH_CHILD_DEFAULTS) {
            if !expects.set(&keyword, value) {
                return Err(unknown_keyword(MATCH_CHILD_DEFAULTS, &keyword));
            }
        }
        Ok(expects.or(parents))
    }

    /// Takes a keyword argument in; false if it is none of these.
    pub fn set(&mut self, keyword: &str, value: &Value) -> bool {
        let slot = match keyword {
            "expects" => &mut self.expects,
            "missing_ok" => &mut self.missing_ok,
            "when" => &mut self.when,
            _ => return false,
        };
        *slot = Some(value.clone());
        true
    }

    /// The same, filled up with defaults.
    pub fn or(self, defaults: &Expects) -> Expects {
        Expects {
            expects: self.expects.or_else(|| defaults.expects.clone()),
            missing_ok: self.missing_ok.or_else(|| defaults.missing_ok.clone()),
            when: self.when.or_else(|| defaults.when.clone()),
        }
    }

    /// Whether to go on with what was found at these places; false if `when=` says that there is nothing to do.
    ///
    /// # Errors
    /// The number is not the expected one, or the arguments are wrong.
    pub fn check(&self, interp: &mut Interp, found: &[Position]) -> Result<bool> {
        let both = |one: &str, other: &str| {
            Err(Error::new(format!(
                "Expected only one of keyword arguments ('{one}', '{other}') specified"
            )))
        };
        let (keyword, value) = match self {
            Expects {
                missing_ok: Some(_),
                expects: Some(_),
                ..
            } => return both("missing_ok", "expects"),
            Expects {
                missing_ok: Some(_),
                when: Some(_),
                ..
            } => return both("missing_ok", "when"),
            Expects {
                when: Some(_),
                expects: Some(_),
                ..
            } => return both("when", "expects"),
            Expects {
                missing_ok: Some(Value::Bool(true)),
                ..
            } => (
                "missing_ok",
                Value::list(vec![Value::Int(0), Value::Int(1)]),
            ),
            Expects {
                missing_ok: Some(Value::Bool(false)),
                ..
            } => ("missing_ok", Value::Int(1)),
            Expects {
                missing_ok: Some(_),
                ..
            } => {
                return Err(Error::new(
                    "Expected keyword argument 'missing_ok' to be a boolean",
                ));
            }
            Expects {
                when: Some(value), ..
            } => ("when", value.clone()),
            Expects {
                expects: Some(value),
                ..
            } => ("expects", value.clone()),
            _ => ("", Value::Int(1)),
        };
        match judge(interp, &value, keyword, found)? {
            Verdict::Holds => Ok(true),
            Verdict::Misses(_) if self.when.is_some() => Ok(false),
            Verdict::Misses(text) => Err(Error::new(text)),
        }
    }
}

fn judge(
    interp: &mut Interp,
    expected: &Value,
    keyword: &str,
    found: &[Position],
) -> Result<Verdict> {
    let count = found.len();
    let misses = |bound: &str| {
        Ok(Verdict::Misses(format!(
            "Expected number of matched nodes to be {bound}, but was {count}{}",
            places(found)
        )))
    };
    match expected {
        Value::Int(_) | Value::BigInt(_) => {
            if matches!(expected, Value::Int(number) if usize::try_from(*number) == Ok(count)) {
                Ok(Verdict::Holds)
            } else {
                misses(&expected.repr())
            }
        }
        Value::Str(text) => {
            let text = text.to_text();
            match text
                .strip_suffix('+')
                .and_then(|least| least.parse::<i64>().ok())
            {
                Some(least) if count as i64 >= least => Ok(Verdict::Holds),
                Some(least) => misses(&format!(">= {least}")),
                None => Err(Error::new(format!(
                    "Expected '{text}' to be in format 'i+' where i is an integer"
                ))),
            }
        }
        Value::List(choices) => {
            let mut last = Ok(Verdict::Holds);
            for choice in choices.to_vec() {
                last = judge(interp, &choice, keyword, found);
                if matches!(last, Ok(Verdict::Holds)) {
                    break;
                }
            }
            last
        }
        function if function.is_callable() => {
            match interp.call(function, Args::positional(vec![Value::Int(count as i64)]))? {
                Value::Bool(true) => Ok(Verdict::Holds),
                Value::Bool(false) => Ok(Verdict::Misses(
                    "Expectation of number of matched nodes failed".into(),
                )),
                _ => Err(Error::new(format!(
                    "Expected keyword argument '{keyword}' to have a function that returns a boolean"
                ))),
            }
        }
        other => Err(Error::new(format!(
            "Expected '{MATCH}' annotation keyword argument '{keyword}' to be either int, string or function, but was {}",
            go_type(other)
        ))),
    }
}

fn places(found: &[Position]) -> String {
    if found.is_empty() {
        return String::new();
    }
    let mut lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    order::sort(&mut lines);
    format!(" (lines: {})", lines.join(", "))
}
