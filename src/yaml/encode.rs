//! Typed values as nodes, by serde.

use super::node::{Array, ArrayItem, Map, MapItem, Value};
use serde::ser::{self, Impossible, Serialize, Serializer};
use std::fmt;

/// A typed value as a node, keys in the order of the type's fields.
///
/// # Errors
/// The value has a shape that YAML has no plain form for, such as a variant with several fields.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result {
    value.serialize(Writer)
}

/// Why a value is no node.
#[derive(Debug)]
pub struct EncodeError(String);

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EncodeError {}

impl ser::Error for EncodeError {
    fn custom<T: fmt::Display>(message: T) -> EncodeError {
        EncodeError(message.to_string())
    }
}

type Result<T = Value> = std::result::Result<T, EncodeError>;

fn no_form<T>(what: &str) -> Result<T> {
    Err(EncodeError(format!("{what} has no form in YAML")))
}

struct Writer;

impl Serializer for Writer {
    type Ok = Value;
    type Error = EncodeError;
    type SerializeSeq = Elements;
    type SerializeTuple = Elements;
    type SerializeTupleStruct = Elements;
    type SerializeTupleVariant = Impossible<Value, EncodeError>;
    type SerializeMap = Items;
    type SerializeStruct = Items;
    type SerializeStructVariant = Impossible<Value, EncodeError>;

    fn serialize_bool(self, value: bool) -> Result {
        Ok(Value::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Result {
        Ok(Value::Int(value.into()))
    }

    fn serialize_i16(self, value: i16) -> Result {
        Ok(Value::Int(value.into()))
    }

    fn serialize_i32(self, value: i32) -> Result {
        Ok(Value::Int(value.into()))
    }

    fn serialize_i64(self, value: i64) -> Result {
        Ok(Value::Int(value))
    }

    fn serialize_u8(self, value: u8) -> Result {
        Ok(Value::Int(value.into()))
    }

    fn serialize_u16(self, value: u16) -> Result {
        Ok(Value::Int(value.into()))
    }

    fn serialize_u32(self, value: u32) -> Result {
        Ok(Value::Int(value.into()))
    }

    fn serialize_u64(self, value: u64) -> Result {
        Ok(i64::try_from(value).map_or(Value::Uint(value), Value::Int))
    }

    fn serialize_f32(self, value: f32) -> Result {
        Ok(Value::Float(value.into()))
    }

    fn serialize_f64(self, value: f64) -> Result {
        Ok(Value::Float(value))
    }

    fn serialize_char(self, value: char) -> Result {
        Ok(Value::str(value.to_string()))
    }

    fn serialize_str(self, value: &str) -> Result {
        Ok(Value::str(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result {
        Ok(Value::str(value))
    }

    fn serialize_none(self) -> Result {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result {
        Ok(Value::str(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result {
        Ok(Value::map([(Value::str(variant), encode(value)?)]))
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Elements> {
        Ok(Elements::default())
    }

    fn serialize_tuple(self, _len: usize) -> Result<Elements> {
        Ok(Elements::default())
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<Elements> {
        Ok(Elements::default())
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        no_form(variant)
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Items> {
        Ok(Items::default())
    }

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<Items> {
        Ok(Items::default())
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStructVariant> {
        no_form(variant)
    }
}

#[derive(Default)]
struct Elements(Array);

impl Elements {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.0.items.push(ArrayItem {
            value: encode(value)?,
            ..ArrayItem::default()
        });
        Ok(())
    }
}

impl ser::SerializeSeq for Elements {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.push(value)
    }

    fn end(self) -> Result {
        Ok(Value::Array(self.0.into()))
    }
}

impl ser::SerializeTuple for Elements {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.push(value)
    }

    fn end(self) -> Result {
        Ok(Value::Array(self.0.into()))
    }
}

impl ser::SerializeTupleStruct for Elements {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.push(value)
    }

    fn end(self) -> Result {
        Ok(Value::Array(self.0.into()))
    }
}

#[derive(Default)]
struct Items {
    map: Map,
    key: Value,
}

impl Items {
    fn push<T: Serialize + ?Sized>(&mut self, key: Value, value: &T) -> Result<()> {
        self.map.items.push(MapItem {
            key,
            value: encode(value)?,
            ..MapItem::default()
        });
        Ok(())
    }
}

impl ser::SerializeMap for Items {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.key = encode(key)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let key = std::mem::take(&mut self.key);
        self.push(key, value)
    }

    fn end(self) -> Result {
        Ok(Value::Map(self.map.into()))
    }
}

impl ser::SerializeStruct for Items {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.push(Value::str(key), value)
    }

    fn end(self) -> Result {
        Ok(Value::Map(self.map.into()))
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => serializer.serialize_i64(*value),
            Value::Uint(value) => serializer.serialize_u64(*value),
            Value::Float(value) => serializer.serialize_f64(*value),
            Value::Str(text) => match text.as_str() {
                Some(text) => serializer.serialize_str(text),
                None => serializer.serialize_bytes(text),
            },
            Value::Map(map) => {
                serializer.collect_map(map.items.iter().map(|item| (&item.key, &item.value)))
            }
            Value::Array(array) => {
                serializer.collect_seq(array.items.iter().map(|item| &item.value))
            }
            Value::Documents(set) => {
                serializer.collect_seq(set.items.iter().map(|item| &item.value))
            }
        }
    }
}
