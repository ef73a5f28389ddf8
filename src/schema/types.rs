//! The schema as a tree of types.

use super::rules::Validation;
use crate::bytestring::Str;
use crate::position::Position;
use crate::template::convert::go_text;
use crate::yaml::{Document, KeyIndex, MapItem, Meta, Value};
use std::borrow::Cow;
use std::rc::Rc;

/// What data values may be. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Schema {
    pub(super) root: Rc<Field>,
    pub(super) declared: bool,
}

/// A place for a value: the document, an item of a map, or what each item of an array is.
#[derive(Debug)]
pub struct Field {
    /// The key, for an item of a map; seldom anything but a string.
    pub key: Option<Value>,
    /// What may stand there.
    pub value_type: Type,
    /// What stands there if nothing is given.
    pub default: Value,
    /// Where the schema declares it.
    pub position: Position,
    /// The rules of `@schema/validation`.
    pub validation: Option<Rc<Validation>>,
}

/// A type with what is said about it.
#[derive(Debug)]
pub struct Type {
    /// What values have it.
    pub shape: Shape,
    /// Where the schema declares it.
    pub position: Position,
    /// For people.
    pub documentation: Documentation,
}

/// What values a type has.
#[derive(Debug)]
pub enum Shape {
    /// Maps with these keys and no others.
    Map(MapType),
    /// Arrays of any length whose items all have this type.
    Array(Box<Field>),
    /// Scalars of one kind.
    Scalar(Scalar),
    /// Anything (`@schema/type any=True`).
    Any,
    /// `null`, or what the inner type has (`@schema/nullable`).
    Nullable(Box<Type>),
}

/// The items of a map, in the order of the schema.
#[derive(Debug, Default)]
pub struct MapType {
    items: Vec<Field>,
    by_key: KeyIndex,
}

/// The kinds of scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A string.
    String,
    /// An integer.
    Integer,
    /// A float; integers are taken too.
    Float,
    /// `true`, `false`
    Boolean,
}

/// What a schema says of a type for people and tools.
#[derive(Clone, Debug, Default)]
pub struct Documentation {
    /// `@schema/title`
    pub title: Option<Str>,
    /// `@schema/desc`
    pub description: Option<Str>,
    /// `@schema/deprecated`: what to know or do instead; may be empty.
    pub deprecated: Option<Str>,
    /// `@schema/examples`
    pub examples: Vec<Example>,
}

/// An example.
#[derive(Clone, Debug)]
pub struct Example {
    /// What it shows.
    pub description: Str,
    /// A value of the type.
    pub value: Value,
}

impl Schema {
    /// The schema of those who have none: anything goes, and there are no defaults.
    pub fn permissive() -> Schema {
        let any = Type::new(Shape::Any, Position::unknown());
        Schema {
            root: Rc::new(Field {
                key: None,
                value_type: any,
                default: Value::Null,
                position: Position::unknown(),
                validation: None,
            }),
            declared: false,
        }
    }

    /// The document.
    pub fn root(&self) -> &Field {
        &self.root
    }

    /// False for the permissive schema.
    pub fn is_declared(&self) -> bool {
        self.declared
    }

    /// The data values if none are given; `None` if no schema was declared.
    pub fn default_document(&self) -> Option<Document> {
        self.declared.then(|| Document {
            value: self.root.default.clone(),
            meta: Meta::at(self.root.position.clone()),
            ..Document::default()
        })
    }
}

impl Type {
    /// A type without documentation.
    pub fn new(shape: Shape, position: Position) -> Type {
        Type {
            shape,
            position,
            documentation: Documentation::default(),
        }
    }

    /// The word that messages have for it.
    pub fn name(&self) -> &'static str {
        match &self.shape {
            Shape::Map(_) => "map",
            Shape::Array(_) => "array",
            Shape::Scalar(scalar) => scalar.name(),
            Shape::Any => "any",
            Shape::Nullable(_) => "null",
        }
    }

    /// The type without `null`.
    pub fn inner(&self) -> &Type {
        match &self.shape {
            Shape::Nullable(inner) => inner,
            _ => self,
        }
    }

    /// True if `null` has it.
    pub fn allows_null(&self) -> bool {
        matches!(self.shape, Shape::Nullable(_) | Shape::Any)
    }
}

impl Scalar {
    /// The kind of a scalar; `None` for null and collections.
    pub fn of(value: &Value) -> Option<Scalar> {
        Some(match value {
            Value::Str(_) => Scalar::String,
            Value::Int(_) | Value::Uint(_) => Scalar::Integer,
            Value::Float(_) => Scalar::Float,
            Value::Bool(_) => Scalar::Boolean,
            Value::Null | Value::Map(_) | Value::Array(_) | Value::Documents(_) => return None,
        })
    }

    /// The word that messages have for it.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::String => "string",
            Scalar::Integer => "integer",
            Scalar::Float => "float",
            Scalar::Boolean => "boolean",
        }
    }

    /// True if a scalar of the other kind may stand where this one is wanted.
    pub fn takes(self, other: Scalar) -> bool {
        self == other || (self == Scalar::Float && other == Scalar::Integer)
    }
}

impl MapType {
    /// A map of these items; of a key that stands twice the first item counts.
    pub fn new(items: Vec<Field>) -> MapType {
        let mut by_key = KeyIndex::default();
        for (index, item) in items.iter().enumerate().rev() {
            if let Some(key) = &item.key {
                by_key.insert(key, index);
            }
        }
        MapType { items, by_key }
    }

    /// The items in order.
    pub fn items(&self) -> &[Field] {
        &self.items
    }

    /// An item with its default for each key.
    pub fn default_items(&self) -> impl Iterator<Item = MapItem> {
        let items = self.items.iter().enumerate();
        items.filter_map(|(index, field)| match &field.key {
            Some(key) if self.position_of(key).is_none_or(|first| first == index) => {
                Some(MapItem {
                    key: key.clone(),
                    value: field.default.clone(),
                    meta: Meta::at(field.position.clone()),
                })
            }
            _ => None,
        })
    }

    /// The place of the item with this key.
    pub fn position_of(&self, key: &Value) -> Option<usize> {
        self.by_key.get(key)
    }

    /// The item with this key.
    pub fn get(&self, key: &Value) -> Option<&Field> {
        self.items.get(self.position_of(key)?)
    }
}

/// A key or scalar as plain text.
pub fn scalar_text(value: &Value) -> Cow<'_, str> {
    go_text(value)
}
