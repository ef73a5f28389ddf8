//! The node tree: what a YAML text means, with where each node stood and what was said about it.
//!
//! Collections are shared and copied on write (`Rc::make_mut`), so a copy of a whole tree costs one
//! counter, and no two users of a fragment ever see each other's changes.

use crate::bytestring::Str;
use crate::position::Position;
use crate::script;
use std::rc::Rc;

/// Any value that can stand in a YAML document.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer that fits 64 signed bits.
    Int(i64),
    /// An integer above `i64::MAX`.
    Uint(u64),
    /// A float, infinities and not-a-number among them.
    Float(f64),
    /// A string.
    Str(Str),
    /// A map.
    Map(Rc<Map>),
    /// An array.
    Array(Rc<Array>),
    /// Documents as a value: what a function returns whose body holds `---`; never inside a document.
    Documents(Rc<DocumentSet>),
}

/// Some documents: the content of a file.
#[derive(Clone, Debug, Default)]
pub struct DocumentSet {
    /// The documents in order.
    pub items: Vec<Document>,
    /// Position and comments.
    pub meta: Meta,
}

/// One document.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its content.
    pub value: Value,
    /// Position, comments and annotations.
    pub meta: Meta,
    /// True for a document that the text does not hold: added at its end to carry the comments that belong to no
    /// node. Never printed.
    pub injected: bool,
}

/// A map; keys in the order of the text. A parsed templated text can hold a key twice.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// The items in order.
    pub items: Vec<MapItem>,
    /// Position and comments.
    pub meta: Meta,
}

/// A key and its value.
#[derive(Clone, Debug, Default)]
pub struct MapItem {
    /// The key; seldom anything but a string.
    pub key: Value,
    /// The value.
    pub value: Value,
    /// Position, comments and annotations.
    pub meta: Meta,
}

/// An array.
#[derive(Clone, Debug, Default)]
pub struct Array {
    /// The items in order.
    pub items: Vec<ArrayItem>,
    /// Position and comments.
    pub meta: Meta,
}

/// One item of an array.
#[derive(Clone, Debug, Default)]
pub struct ArrayItem {
    /// The value.
    pub value: Value,
    /// Position, comments and annotations.
    pub meta: Meta,
}

/// What is known of a node beside its value.
#[derive(Clone, Debug, Default)]
pub struct Meta {
    /// Where the node stood.
    pub position: Position,
    extras: Option<Rc<Extras>>,
}

#[derive(Clone, Debug, Default)]
struct Extras {
    comments: Vec<Comment>,
    annotations: Vec<Annotation>,
    rules: Option<Rules>,
    native: bool,
}

/// A comment: everything after `#` to the end of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text after `#`.
    pub text: Str,
    /// Where it stood.
    pub position: Position,
}

/// An evaluated annotation: `#@overlay/match by="name"` has the name `overlay/match` and one named argument.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// The name without `@`.
    pub name: Rc<str>,
    /// Positional arguments.
    pub args: Vec<script::Value>,
    /// Named arguments in order.
    pub named: Vec<(Str, script::Value)>,
    /// Where the annotation stood.
    pub position: Position,
}

/// Validation rules that a schema or an annotation attached to a node; opaque to this layer.
#[derive(Clone)]
pub struct Rules(pub Rc<dyn std::any::Any>);

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rules")
    }
}

impl Meta {
    /// Nothing known but the position.
    pub fn at(position: Position) -> Meta {
        Meta {
            position,
            extras: None,
        }
    }

    /// That of a map or an array that a program's dict or list became: when the program meets it again within a
    /// fragment, it is a dict or a list again. All clones share one allocation.
    pub fn native() -> Meta {
        Meta {
            position: Position::unknown(),
            extras: Some(Rc::new(Extras {
                native: true,
                ..Extras::default()
            })),
        }
    }

    /// True for what a program's dict or list became.
    pub fn is_native(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.native)
    }

    /// The comments, in order.
    pub fn comments(&self) -> &[Comment] {
        self.extras.as_ref().map_or(&[], |extras| &extras.comments)
    }

    /// The evaluated annotations, in order, each name once.
    pub fn annotations(&self) -> &[Annotation] {
        self.extras
            .as_ref()
            .map_or(&[], |extras| &extras.annotations)
    }

    /// The annotation of this name.
    pub fn annotation(&self, name: &str) -> Option<&Annotation> {
        self.annotations()
            .iter()
            .find(|annotation| &*annotation.name == name)
    }

    /// Attached validation rules.
    pub fn rules(&self) -> Option<&Rules> {
        self.extras
            .as_ref()
            .and_then(|extras| extras.rules.as_ref())
    }

    /// Adds a comment.
    pub fn add_comment(&mut self, comment: Comment) {
        self.extras_mut().comments.push(comment);
    }

    /// Replaces the comments.
    pub fn set_comments(&mut self, comments: Vec<Comment>) {
        if !comments.is_empty() || self.extras.is_some() {
            self.extras_mut().comments = comments;
        }
    }

    /// Sets an annotation; one of the same name is replaced in its place.
    pub fn set_annotation(&mut self, annotation: Annotation) {
        let annotations = &mut self.extras_mut().annotations;
        match annotations
            .iter_mut()
            .find(|old| old.name == annotation.name)
        {
            Some(old) => *old = annotation,
            None => annotations.push(annotation),
        }
    }

    /// Replaces all annotations.
    pub fn set_annotations(&mut self, annotations: Vec<Annotation>) {
        if !annotations.is_empty() || self.extras.is_some() {
            self.extras_mut().annotations = annotations;
        }
    }

    /// Removes the annotation of this name.
    pub fn remove_annotation(&mut self, name: &str) {
        if self.annotation(name).is_some() {
            self.extras_mut()
                .annotations
                .retain(|annotation| &*annotation.name != name);
        }
    }

    /// Attaches validation rules, or takes them off.
    pub fn set_rules(&mut self, rules: Option<Rules>) {
        if rules.is_some() || self.extras.is_some() {
            self.extras_mut().rules = rules;
        }
    }

    fn extras_mut(&mut self) -> &mut Extras {
        Rc::make_mut(self.extras.get_or_insert_with(Default::default))
    }
}

impl Value {
    /// A string value.
    pub fn str(text: impl Into<Str>) -> Value {
        Value::Str(text.into())
    }

    /// A map that code makes: of these keys and values.
    pub fn map(items: impl IntoIterator<Item = (Value, Value)>) -> Value {
        let items = items.into_iter().map(|(key, value)| MapItem {
            key,
            value,
            ..MapItem::default()
        });
        Value::Map(Rc::new(Map {
            items: items.collect(),
            ..Map::default()
        }))
    }

    /// An array that code makes.
    pub fn array(items: impl IntoIterator<Item = Value>) -> Value {
        let items = items.into_iter().map(|value| ArrayItem {
            value,
            ..ArrayItem::default()
        });
        Value::Array(Rc::new(Array {
            items: items.collect(),
            ..Array::default()
        }))
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The text, if this is a string in UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => text.as_str(),
            _ => None,
        }
    }

    /// The bytes, if this is a string.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Str(text) => Some(text.as_bytes()),
            _ => None,
        }
    }

    /// The map, if this is one.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The array, if this is one.
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The word that ytt's messages use for the kind of value.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Int(_) | Value::Uint(_) => "integer",
            Value::Float(_) => "float",
            Value::Str(_) => "string",
            Value::Map(_) => "map",
            Value::Array(_) => "array",
            Value::Documents(_) => "document set",
        }
    }
}

/// Equality of content: types, keys in order and values; positions, comments and annotations do not count.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Uint(a), Value::Uint(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Map(a), Value::Map(b)) => {
                a.items.len() == b.items.len()
                    && a.items
                        .iter()
                        .zip(&b.items)
                        .all(|(a, b)| a.key == b.key && a.value == b.value)
            }
            (Value::Array(a), Value::Array(b)) => {
                a.items.len() == b.items.len()
                    && a.items
                        .iter()
                        .zip(&b.items)
                        .all(|(a, b)| a.value == b.value)
            }
            (Value::Documents(a), Value::Documents(b)) => {
                a.items.len() == b.items.len()
                    && a.items
                        .iter()
                        .zip(&b.items)
                        .all(|(a, b)| a.value == b.value)
            }
            _ => false,
        }
    }
}

impl From<Value> for DocumentSet {
    /// One document that code makes.
    fn from(value: Value) -> DocumentSet {
        DocumentSet {
            items: vec![Document {
                value,
                ..Document::default()
            }],
            ..DocumentSet::default()
        }
    }
}

impl Document {
    /// True if the document does not print: `null`, or an empty map or array, but not an empty dict or list that code
    /// gave (`--- #@ []`).
    pub fn is_empty(&self) -> bool {
        match &self.value {
            Value::Null => true,
            Value::Map(map) => map.items.is_empty() && !map.meta.is_native(),
            Value::Array(array) => array.items.is_empty() && !array.meta.is_native(),
            _ => false,
        }
    }
}

impl Map {
    /// The item with this key: the last one, should there be several.
    pub fn get(&self, key: &str) -> Option<&MapItem> {
        self.items
            .iter()
            .rev()
            .find(|item| matches!(&item.key, Value::Str(text) if *text == key))
    }
}
