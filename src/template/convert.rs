//! Values of the language as YAML, and YAML as values of the language.

use super::fragment::{Fragment, Size};
use crate::bytestring::Str;
use crate::position::{Position, Source};
use crate::script::{self, Error, HostValue, Result, Struct};
use crate::yaml::MAX_DEPTH;
use crate::yaml::node::{Array, ArrayItem, DocumentSet, Map, MapItem, Meta, Value};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::any::Any;
use std::borrow::Cow;
use std::rc::Rc;

/// What `template.replace` returns: no value at all, the place has been filled already.
pub struct Noop;

impl HostValue for Noop {
    fn type_name(&self) -> Cow<'static, str> {
        "noop".into()
    }

    fn repr(&self) -> String {
        "noop".to_owned()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn truth(&self) -> bool {
        false
    }
}

/// A value of the language as YAML: dicts and structs are maps; lists, tuples, sets and ranges are arrays; fragments are
/// what they hold, shared.
///
/// # Errors
/// The value has no YAML form (functions, modules), an integer does not fit 64 bits, or it is nested too deep.
pub fn to_yaml(value: &script::Value) -> Result<Value> {
    ToYaml::default().whole(value).map(|(value, _)| value)
}

/// The same, with how large it is: of the depth a bound.
pub fn to_yaml_with_size(value: &script::Value) -> Result<(Value, Size)> {
    let conversion = ToYaml {
        measures: true,
        ..ToYaml::default()
    };
    conversion.whole(value)
}

/// How many nodes one value may become: values share parts, nodes do not.
pub(super) const MOST_NODES: usize = 2_000_000;

#[derive(Default)]
struct ToYaml {
    /// The meta of what this conversion makes; one for all.
    meta: Option<Meta>,
    deepest: usize,
    nodes: usize,
    /// Nodes of fragments count too: to count them is to walk them.
    measures: bool,
}

impl ToYaml {
    fn whole(mut self, value: &script::Value) -> Result<(Value, Size)> {
        let value = self.convert(value, 0)?;
        if self.deepest > MAX_DEPTH {
            return Err(too_deep());
        }
        let size = Size {
            depth: self.deepest,
            nodes: self.nodes,
        };
        Ok((value, size))
    }

    /// More nodes.
    fn count(&mut self, nodes: usize) -> Result<()> {
        self.nodes += nodes;
        if self.nodes > MOST_NODES {
            return Err(Error::fatal(format!(
                "evaluation stopped: a value of more than {MOST_NODES} nodes"
            )));
        }
        Ok(())
    }

    fn convert(&mut self, value: &script::Value, depth: usize) -> Result<Value> {
        self.deepest = self.deepest.max(depth);
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        self.count(1)?;
        Ok(match value {
            script::Value::None => Value::Null,
            script::Value::Bool(value) => Value::Bool(*value),
            script::Value::Int(value) => Value::Int(*value),
            script::Value::BigInt(value) => big(value)?,
            script::Value::Float(value) => Value::Float(*value),
            script::Value::Str(value) => Value::Str(value.clone()),
            script::Value::List(list) => self.array(&list.to_vec(), depth)?,
            script::Value::Tuple(elements) => self.array(elements, depth)?,
            script::Value::Set(set) => self.array(&set.to_vec(), depth)?,
            script::Value::Range(_) => match value.iterate() {
                Ok(elements) => self.array(&elements, depth)?,
                Err(_) => return Err(unconvertible(value)),
            },
            script::Value::Dict(dict) => self.map(dict.items(), depth)?,
            script::Value::Host(_) => {
                if let Some(fragment) = value.downcast::<Fragment>() {
                    if depth > 0 && matches!(fragment.value(), Value::Documents(_)) {
                        return Err(Error::new(
                            "documents can only contain arrays, maps, or scalars; this is a document set",
                        ));
                    }
                    self.deepest = self.deepest.max(depth + fragment.depth());
                    if self.measures {
                        self.count(fragment.nodes())?;
                    }
                    fragment.value().clone()
                } else if let Some(found) = value.downcast::<Struct>() {
                    let items = found
                        .entries()
                        .iter()
                        .map(|(name, value)| (script::Value::Str(name.clone()), value.clone()));
                    self.map(items.collect(), depth)?
                } else {
                    return Err(unconvertible(value));
                }
            }
            script::Value::Function(_) | script::Value::Builtin(_) => {
                return Err(unconvertible(value));
            }
        })
    }

    fn meta(&mut self) -> Meta {
        self.meta.get_or_insert_with(Meta::native).clone()
    }

    fn array(&mut self, elements: &[script::Value], depth: usize) -> Result<Value> {
        let mut items = Vec::with_capacity(elements.len());
        for element in elements {
            items.push(ArrayItem {
                value: self.convert(element, depth + 1)?,
                meta: Meta::default(),
            });
        }
        Ok(Value::Array(Rc::new(Array {
            items,
            meta: self.meta(),
        })))
    }

    fn map(&mut self, entries: Vec<(script::Value, script::Value)>, depth: usize) -> Result<Value> {
        let mut items = Vec::with_capacity(entries.len());
        for (key, value) in &entries {
            let key = self.convert(key, depth + 1)?;
            items.push(MapItem {
                key,
                value: self.convert(value, depth + 1)?,
                meta: Meta::default(),
            });
        }
        Ok(Value::Map(Rc::new(Map {
            items,
            meta: self.meta(),
        })))
    }
}

fn big(value: &BigInt) -> Result<Value> {
    match (value.to_i64(), value.to_u64()) {
        (Some(value), _) => Ok(Value::Int(value)),
        (None, Some(value)) => Ok(Value::Uint(value)),
        _ => Err(Error::new(format!(
            "integer {value} does not fit 64 bits (hint: use str(...) to convert to string)"
        ))),
    }
}

/// What is said of a value that YAML has no form for.
fn unconvertible(value: &script::Value) -> Error {
    let kind = value.type_name();
    if kind == "@ytt:assert.assertion" {
        return Error::new(format!(
            "Unable to convert value: {kind} does not encode (did you mean to call check()?)"
        ));
    }
    if kind.starts_with("@ytt:") {
        return Error::new(format!(
            "Unable to convert value: {kind} does not automatically encode (hint: use .string())"
        ));
    }
    let hint = match value {
        script::Value::Function(_) | script::Value::Builtin(_) => {
            " (hint: did you mean to call it?)"
        }
        _ => "",
    };
    Error::new(format!(
        "Unable to convert value: {} does not encode{hint}",
        value.repr()
    ))
}

/// What is said of values nested too deep (or within themselves).
pub fn too_deep() -> Error {
    Error::new(format!(
        "Unable to convert value: it is nested more than {MAX_DEPTH} levels deep"
    ))
}

/// A node as templates see it: maps, arrays and documents are fragments; what came from the language is as it was.
pub fn to_fragment(value: &Value) -> script::Value {
    match value {
        Value::Map(map) if map.meta.is_native() => {
            let items = map
                .items
                .iter()
                .map(|item| (to_fragment(&item.key), to_fragment(&item.value)));
            script::Value::dict(items).unwrap_or_default()
        }
        Value::Array(array) if array.meta.is_native() => script::Value::list(
            array
                .items
                .iter()
                .map(|item| to_fragment(&item.value))
                .collect(),
        ),
        Value::Map(_) | Value::Array(_) | Value::Documents(_) => {
            script::Value::host(Fragment::new(value.clone()))
        }
        scalar => to_scalar(scalar),
    }
}

/// A node with dicts and lists in place of maps and arrays.
///
/// # Errors
/// A key cannot be one of a dict.
pub fn to_plain(value: &Value) -> Result<script::Value> {
    Ok(match value {
        Value::Map(map) => {
            let mut items = Vec::with_capacity(map.items.len());
            for item in &map.items {
                items.push((to_plain(&item.key)?, to_plain(&item.value)?));
            }
            script::Value::dict(items)?
        }
        Value::Array(array) => list(array.items.iter().map(|item| to_plain(&item.value)))?,
        Value::Documents(documents) => list(
            documents
                .items
                .iter()
                .map(|document| to_plain(&document.value)),
        )?,
        scalar => to_scalar(scalar),
    })
}

/// A node with structs and lists in place of maps and arrays: how data values are seen.
///
/// # Errors
/// A key is not a string.
pub fn to_struct(value: &Value) -> Result<script::Value> {
    StructTemplate::new(value).map(|template| template.instantiate())
}

fn list(elements: impl Iterator<Item = Result<script::Value>>) -> Result<script::Value> {
    Ok(script::Value::list(elements.collect::<Result<_>>()?))
}

/// Data values made ready to be seen by many files: what has no list in it is immutable and shared; lists are made anew
/// for each file, since one file's changes to them are not to be seen by another.
#[derive(Clone, Debug)]
pub enum StructTemplate {
    /// Immutable.
    Shared(script::Value),
    /// A list.
    List(Vec<StructTemplate>),
    /// A struct with a list somewhere.
    Struct(Vec<(Str, StructTemplate)>),
}

impl StructTemplate {
    /// Converts a node once.
    ///
    /// # Errors
    /// A key is not a string.
    pub fn new(value: &Value) -> Result<StructTemplate> {
        Ok(match value {
            Value::Map(map) => {
                let mut entries = Vec::with_capacity(map.items.len());
                for item in &map.items {
                    let Value::Str(name) = &item.key else {
                        return Err(Error::new(format!(
                            "expected struct key {} to be string{}",
                            go_text(&item.key),
                            known(&item.meta.position)
                        )));
                    };
                    entries.push((name.clone(), StructTemplate::new(&item.value)?));
                }
                let is_shared =
                    |(_, entry): &(Str, StructTemplate)| matches!(entry, StructTemplate::Shared(_));
                match entries.iter().all(is_shared) {
                    true => StructTemplate::Shared(StructTemplate::Struct(entries).instantiate()),
                    false => StructTemplate::Struct(entries),
                }
            }
            Value::Array(array) => StructTemplate::List(
                array
                    .items
                    .iter()
                    .map(|item| StructTemplate::new(&item.value))
                    .collect::<Result<_>>()?,
            ),
            Value::Documents(_) => {
                return Err(Error::new("expected a value, but was a document set"));
            }
            scalar => StructTemplate::Shared(to_scalar(scalar)),
        })
    }

    /// A value for one user.
    pub fn instantiate(&self) -> script::Value {
        match self {
            StructTemplate::Shared(value) => value.clone(),
            StructTemplate::List(elements) => {
                script::Value::list(elements.iter().map(StructTemplate::instantiate).collect())
            }
            StructTemplate::Struct(entries) => Struct::new(
                entries
                    .iter()
                    .map(|(name, value)| (name.clone(), value.instantiate()))
                    .collect(),
            ),
        }
    }
}

fn known(position: &Position) -> String {
    position
        .line()
        .map_or_else(String::new, |_| format!(" (at {position})"))
}

fn to_scalar(value: &Value) -> script::Value {
    match value {
        Value::Bool(value) => script::Value::Bool(*value),
        Value::Int(value) => script::Value::Int(*value),
        Value::Uint(value) => match i64::try_from(*value) {
            Ok(value) => script::Value::Int(value),
            Err(_) => script::Value::from(BigInt::from(*value)),
        },
        Value::Float(value) => script::Value::Float(*value),
        Value::Str(value) => script::Value::Str(value.clone()),
        Value::Null | Value::Map(_) | Value::Array(_) | Value::Documents(_) => script::Value::None,
    }
}

/// True for what a program's dict or list became.
pub fn is_native(meta: &Meta) -> bool {
    meta.is_native()
}

/// Makes what came from the language nodes like any other, standing at `position`.
pub fn place_nodes(value: &mut Value, position: &Position) {
    if let Some(placed) = placed(value, position, &|_, _| position.clone()) {
        *value = placed;
    }
}

/// The same with positions that tell key and value: for values that stand in no file.
pub fn place_nodes_in_memory(value: &mut Value) {
    let position = |key: Option<&Value>, value: &Value| {
        let value = go_syntax(value);
        let text = match key {
            Some(key) => format!("{}: {value}", go_text(key)),
            None => format!("- {value}"),
        };
        Position::in_source(&Source::memory("", text))
    };
    if let Some(placed) = placed(value, &Position::unknown(), &position) {
        *value = placed;
    }
}

/// The value with `position` of each item that came from the language, and `own` of what holds items; nothing if there
/// is none, so that what is shared stays shared.
fn placed(
    value: &Value,
    own: &Position,
    position: &dyn Fn(Option<&Value>, &Value) -> Position,
) -> Option<Value> {
    let placed = |value: &Value| placed(value, own, position);
    match value {
        Value::Map(map) if map.meta.is_native() => {
            let place = |item: &MapItem| MapItem {
                key: item.key.clone(),
                value: placed(&item.value).unwrap_or_else(|| item.value.clone()),
                meta: Meta::at(position(Some(&item.key), &item.value)),
            };
            let items = map.items.iter().map(place).collect();
            let meta = Meta::at(own.clone());
            Some(Value::Map(Rc::new(Map { items, meta })))
        }
        Value::Array(array) if array.meta.is_native() => {
            let place = |item: &ArrayItem| ArrayItem {
                value: placed(&item.value).unwrap_or_else(|| item.value.clone()),
                meta: Meta::at(position(None, &item.value)),
            };
            let items = array.items.iter().map(place).collect();
            let meta = Meta::at(own.clone());
            Some(Value::Array(Rc::new(Array { items, meta })))
        }
        Value::Map(map) => {
            let mut copy: Option<Rc<Map>> = None;
            for (index, item) in map.items.iter().enumerate() {
                if let Some(changed) = placed(&item.value)
                    && let Some(item) = Rc::make_mut(copy.get_or_insert_with(|| map.clone()))
                        .items
                        .get_mut(index)
                {
                    item.value = changed;
                }
            }
            copy.map(Value::Map)
        }
        Value::Array(array) => {
            let mut copy: Option<Rc<Array>> = None;
            for (index, item) in array.items.iter().enumerate() {
                if let Some(changed) = placed(&item.value)
                    && let Some(item) = Rc::make_mut(copy.get_or_insert_with(|| array.clone()))
                        .items
                        .get_mut(index)
                {
                    item.value = changed;
                }
            }
            copy.map(Value::Array)
        }
        Value::Documents(documents) => {
            let mut copy: Option<Rc<DocumentSet>> = None;
            for (index, document) in documents.items.iter().enumerate() {
                if let Some(changed) = placed(&document.value)
                    && let Some(document) =
                        Rc::make_mut(copy.get_or_insert_with(|| documents.clone()))
                            .items
                            .get_mut(index)
                {
                    document.value = changed;
                }
            }
            copy.map(Value::Documents)
        }
        _ => None,
    }
}

/// The name that messages give the type of a value where ytt names the types of its own implementation.
pub fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Uint(_) => "uint64",
        Value::Float(_) => "float64",
        Value::Str(_) => "string",
        Value::Map(map) if map.meta.is_native() => "*orderedmap.Map",
        Value::Array(array) if array.meta.is_native() => "[]interface {}",
        Value::Map(_) => "*yamlmeta.Map",
        Value::Array(_) => "*yamlmeta.Array",
        Value::Documents(_) => "*yamlmeta.DocumentSet",
    }
}

/// The word for the kind of a value where a value may also be one of the language.
pub fn go_type_name(value: &Value) -> &'static str {
    match value {
        Value::Map(map) if map.meta.is_native() => go_type(value),
        Value::Array(array) if array.meta.is_native() => go_type(value),
        _ => value.kind(),
    }
}

/// A scalar as plain text.
pub fn go_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Str(text) => text.to_text(),
        Value::Null => "<nil>".into(),
        Value::Bool(value) => value.to_string().into(),
        Value::Int(value) => value.to_string().into(),
        Value::Uint(value) => value.to_string().into(),
        Value::Float(value) => value.to_string().into(),
        Value::Map(_) | Value::Array(_) | Value::Documents(_) => value.kind().into(),
    }
}

fn go_syntax(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Str(text) => format!("{:?}", text.to_text()).into(),
        Value::Map(_) => "{...}".into(),
        Value::Array(_) => "[...]".into(),
        scalar => go_text(scalar),
    }
}
