//! Finding on the left what an item on the right is about.

use super::annotation::{MATCH, keywords, unknown_keyword};
use super::compare::{LOOK, leaves_equal, subset};
use super::documents::Documents;
use super::expects::Expects;
use super::items::Items;
use super::left::Left;
use super::tables::{Place, Wanted};
use crate::modules::{bool_argument, function, go_type, named_error};
use crate::position::Position;
use crate::script::{self, Args, Error, Interp, Result};
use crate::template::convert::{go_type_name, to_fragment, to_yaml};
use crate::yaml::node::{ArrayItem, Document, DocumentSet, MapItem, Meta, Value};

/// What `@overlay/match` says.
struct Matcher {
    by: Option<script::Value>,
    expects: Expects,
}

impl Matcher {
    fn of(meta: &Meta, defaults: &Expects) -> Result<Matcher> {
        let mut matcher = Matcher {
            by: None,
            expects: Expects::default(),
        };
        for (keyword, value) in keywords(meta, MATCH) {
            if keyword == "by" {
                matcher.by = Some(value.clone());
            } else if !matcher.expects.set(&keyword, value) {
                return Err(unknown_keyword(MATCH, &keyword));
            }
        }
        matcher.expects = matcher.expects.or(defaults);
        Ok(matcher)
    }

    /// What is asked about each candidate.
    fn by(&self, allowed: &str) -> Result<Option<By>> {
        match &self.by {
            None => Ok(None),
            Some(script::Value::Str(key)) if allowed.contains("string") => {
                Ok(Some(By::Key(key.to_text().into_owned())))
            }
            Some(by) if by.is_callable() => {
                let mut subsets = Vec::new();
                Ok(Some(match find_subsets(by, &mut subsets) {
                    Some(()) => By::Subsets(subsets),
                    None => By::Function(by.clone()),
                }))
            }
            Some(other) => Err(Error::new(format!(
                "Expected '{MATCH}' annotation keyword argument 'by' to be {allowed}, but was {}",
                go_type(other)
            ))),
        }
    }

    /// The places, or nothing if `when=` says that there is nothing to do.
    fn decide<T>(&self, interp: &mut Interp, found: Vec<(T, Position)>) -> Result<Option<Vec<T>>> {
        let (places, positions): (Vec<T>, Vec<Position>) = found.into_iter().unzip();
        Ok(self.expects.check(interp, &positions)?.then_some(places))
    }
}

/// The name of the function that `overlay.subset` gives; it holds what it looks for.
pub const SUBSET_MATCHER: &str = "overlay.subset_matcher";

/// The name of the function that `overlay.and_op` gives; it holds the matchers that all have to match.
pub const AND_MATCHER: &str = "overlay.and_op";

/// The name of the function that `overlay.map_key` gives.
const MAP_KEY_MATCHER: &str = "overlay.map_key_matcher";

/// What decides whether a candidate is meant.
enum By {
    /// A function, asked about each.
    Function(script::Value),
    /// It is a map, and its value of this key is that on the right.
    Key(String),
    /// It holds all of these. The same as the function, without a call for each candidate.
    Subsets(Vec<Value>),
}

impl By {
    /// What all that are meant say, if that is known; the value on the right.
    fn wanted<'a>(&'a self, right: &'a Value) -> Option<Wanted<'a>> {
        match self {
            By::Function(_) => None,
            By::Key(key) => Some(Wanted::same_key(right, key)),
            By::Subsets(wanted) => Some(Wanted::strings_of(wanted)),
        }
    }

    /// Whether a candidate is meant: its index or key, its value, the value on the right.
    fn means(
        &self,
        interp: &mut Interp,
        index: impl FnOnce() -> script::Value,
        left: &Value,
        right: &Value,
    ) -> Result<bool> {
        match self {
            By::Function(by) => {
                let args = vec![index(), to_fragment(left), to_fragment(right)];
                bool_argument(&interp.call(by, Args::positional(args))?)
            }
            By::Key(key) => {
                interp.work(LOOK)?;
                same_key(left, right, key).map_err(|error| named_error(MAP_KEY_MATCHER, &error))
            }
            By::Subsets(wanted) => {
                interp.work(LOOK)?;
                Ok(wanted.iter().all(|wanted| subset(left, wanted).is_ok()))
            }
        }
    }
}

/// What a matcher asks to be held, if it asks for nothing else.
fn find_subsets(matcher: &script::Value, subsets: &mut Vec<Value>) -> Option<()> {
    if let Some(held) = matcher.held_by(SUBSET_MATCHER) {
        subsets.push(to_yaml(held.first()?).ok()?);
        return Some(());
    }
    let matchers = matcher.held_by(AND_MATCHER)?;
    matchers
        .iter()
        .try_for_each(|matcher| find_subsets(matcher, subsets))
}

fn needs_keyword() -> Error {
    Error::new(format!(
        "Expected '{MATCH}' annotation to have at least one keyword argument (by=..., expects=...)"
    ))
}

/// The items of a map that go with an item on the right; by default those of the same key.
pub fn map_items(
    interp: &mut Interp,
    left: &Left,
    right: &MapItem,
    defaults: &Expects,
) -> Result<Option<Vec<usize>>> {
    let matcher = Matcher::of(&right.meta, defaults)?;
    let mut found = Vec::new();
    match matcher.by("either string (for map key) or function")? {
        None => {
            found = left.with_key(&right.key);
        }
        Some(by) => {
            for (index, item) in left.items() {
                let key = || to_fragment(&item.key);
                if by.means(interp, key, &item.value, &right.value)? {
                    found.push(index);
                }
            }
        }
    }
    let misses = found.is_empty() && matcher.by.is_none();
    let places = found
        .into_iter()
        .filter_map(|index| Some((index, left.position(index)?)));
    matcher.decide(interp, places.collect()).map_err(|error| {
        let near = misses.then(|| left.near(&right.key)).flatten();
        error.with_hint(near.map(|near| format!("did you mean '{near}'?")))
    })
}

/// The items of an array that go with an item on the right; without an annotation none.
pub fn array_items(
    interp: &mut Interp,
    left: &mut Items,
    right: &ArrayItem,
    defaults: &Expects,
) -> Result<Option<Vec<usize>>> {
    match right.meta.annotation(MATCH) {
        None => return Ok(Some(Vec::new())),
        Some(annotation) if annotation.named.is_empty() => return Err(needs_keyword()),
        Some(_) => {}
    }
    let matcher = Matcher::of(&right.meta, defaults)?;
    let Some(by) = matcher.by("either string (for map key) or function")? else {
        return Err(Error::new(format!(
            "Expected '{MATCH}' annotation keyword argument 'by' to be specified"
        )));
    };
    let candidates = match by.wanted(&right.value) {
        Some(wanted) => left.candidates(interp, &wanted)?,
        None => None,
    };
    let candidates = candidates.unwrap_or_else(|| (0..left.all().len()).collect());
    let mut found = Vec::new();
    for index in candidates {
        let Some(item) = left.all().get(index) else {
            continue;
        };
        let place = || script::Value::Int(index as i64);
        if by.means(interp, place, &item.value, &right.value)? {
            found.push((index, item.meta.position.clone()));
        }
    }
    matcher.decide(interp, found)
}

/// The documents that go with one on the right.
pub fn documents(
    interp: &mut Interp,
    left: &mut Documents,
    right: &Document,
    defaults: &Expects,
    exact: bool,
) -> Result<Option<Vec<Place>>> {
    if !exact
        && right
            .meta
            .annotation(MATCH)
            .is_none_or(|annotation| annotation.named.is_empty())
    {
        return Err(needs_keyword());
    }
    let matcher = Matcher::of(&right.meta, defaults)?;
    if exact {
        let [DocumentSet { items, .. }] = left.sets() else {
            return Err(one_document());
        };
        let [document] = items.as_slice() else {
            return Err(one_document());
        };
        return matcher.decide(interp, vec![((0, 0), document.meta.position.clone())]);
    }
    let Some(by) = matcher.by("function")? else {
        return Err(Error::new(format!(
            "Expected '{MATCH}' annotation keyword argument 'by'  to be specified"
        )));
    };
    let candidates = match by.wanted(&right.value) {
        Some(wanted) => left.candidates(interp, &wanted)?,
        None => None,
    };
    let candidates = candidates.unwrap_or_else(|| left.places().collect());
    let mut found = Vec::new();
    for (index, place) in candidates.into_iter().enumerate() {
        let Some(document) = left.get(place) else {
            continue;
        };
        // Asked for by functions only, which are asked about all documents.
        let place_of_all = || script::Value::Int(index as i64);
        if by.means(interp, place_of_all, &document.value, &right.value)? {
            found.push((place, document.meta.position.clone()));
        }
    }
    matcher.decide(interp, found)
}

fn one_document() -> Error {
    Error::new("Expected to find exactly one left document when merging exactly two documents")
}

/// The function that matches maps whose values of a key are equal: `by="name"`.
pub fn map_key_matcher(key: &str) -> script::Value {
    let key = key.to_owned();
    function(MAP_KEY_MATCHER, move |_, args| {
        let [_, left, right] = args.positional.as_slice() else {
            return Err(Error::new("expected exactly 3 arguments"));
        };
        let (left, right) = (to_yaml(left)?, to_yaml(right)?);
        same_key(&left, &right, &key).map(script::Value::Bool)
    })
}

fn same_key(left: &Value, right: &Value, key: &str) -> Result<bool> {
    Ok(leaves_equal(value_of(left, key)?, value_of(right, key)?))
}

fn value_of<'a>(value: &'a Value, key: &str) -> Result<&'a Value> {
    let Value::Map(map) = value else {
        return Err(Error::new(format!(
            "Expected value to be map, but was {}",
            go_type_name(value)
        )));
    };
    let found = map
        .items
        .iter()
        .find(|item| matches!(&item.key, Value::Str(text) if *text == key));
    match found {
        Some(item) => Ok(&item.value),
        None => Err(Error::new(format!(
            "Expected to find map item with key '{key}', but did not"
        ))),
    }
}
