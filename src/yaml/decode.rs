//! Nodes as typed values, by serde: every fault with its path and its place, not only the first.
//!
//! `null` counts as absent, as it does in Go's types: an empty text, `false`, no list.

use super::node::{ArrayItem, Map, MapItem, Value};
use crate::order;
use crate::position::Position;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Expected, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use std::cell::{Cell, RefCell};
use std::fmt;

/// Deeper values are refused, since a typed value is built by recursion.
const MAX_DEPTH: usize = 128;

/// More faults than this are not looked for.
const MAX_FAULTS: usize = 100;

/// Nor are any once so many values were read, since the whole is read again after each fault.
const MAX_VALUES: usize = 2_000_000;

/// A typed value, and what did not fit into it.
#[derive(Debug)]
pub struct Decoded<T> {
    /// The value; what is at fault is left out of it.
    pub value: T,
    /// Values of the wrong type, in the order of the text.
    pub faults: Vec<Fault>,
    /// Keys that the type does not have, in the order of the text.
    pub unknown: Vec<Fault>,
}

/// A value that does not fit.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Where it stands among the values: `spec.template.spec.fetch[0].git`; empty for the whole.
    pub path: String,
    /// Where it stands in the text.
    pub position: Position,
    /// What is wrong: `expected a string, found map`.
    pub message: String,
}

/// Reads a value as a type whose fields all have defaults; `position` is where the value stands.
pub fn decode<T: DeserializeOwned + Default>(value: &Value, position: &Position) -> Decoded<T> {
    let log = Log::default();
    let root = Reader {
        value,
        position,
        path: String::new(),
        depth: 0,
        log: &log,
    };
    let mut faults = Vec::new();
    let decoded = loop {
        log.unknown.borrow_mut().clear();
        let error = match T::deserialize(root.clone()) {
            Ok(decoded) => break decoded,
            Err(error) => error,
        };
        let blamed = log.blamed.borrow_mut().take();
        let found = blamed.is_some();
        let (node, mut fault) = blamed.unwrap_or((std::ptr::null(), root.fault()));
        fault.message = error.0;
        faults.push(fault);
        // Without the value at fault the next one is found.
        log.left_out.borrow_mut().push(node);
        if !found {
            break T::default();
        }
        if faults.len() >= MAX_FAULTS || log.values.get() >= MAX_VALUES {
            let message = "there may be more that does not fit".into();
            faults.push(Fault {
                message,
                ..root.fault()
            });
            break T::default();
        }
    };
    order::sort_by(&mut faults, |a, b| {
        a.position.line().cmp(&b.position.line())
    });
    Decoded {
        value: decoded,
        faults,
        unknown: log.unknown.into_inner(),
    }
}

#[derive(Default)]
struct Log {
    left_out: RefCell<Vec<*const Value>>,
    blamed: RefCell<Option<(*const Value, Fault)>>,
    unknown: RefCell<Vec<Fault>>,
    values: Cell<usize>,
}

impl Log {
    /// Keeps what is to blame, unless something within it is.
    #[inline(never)]
    fn settle(&self, blame: Option<(*const Value, Fault)>) {
        if let Some(blame) = blame {
            self.blamed.borrow_mut().get_or_insert(blame);
        }
    }
}

/// A value with its place.
#[derive(Clone)]
struct Reader<'a> {
    value: &'a Value,
    position: &'a Position,
    path: String,
    depth: usize,
    log: &'a Log,
}

impl<'a> Reader<'a> {
    #[inline(never)]
    fn below(&self, value: &'a Value, position: &'a Position, step: &str) -> Reader<'a> {
        Reader {
            value,
            position,
            path: format!("{}{step}", self.path)
                .trim_start_matches('.')
                .to_string(),
            depth: self.depth + 1,
            log: self.log,
        }
    }

    #[inline(never)]
    fn fault(&self) -> Fault {
        Fault {
            path: self.path.clone(),
            position: self.position.clone(),
            message: String::new(),
        }
    }

    fn is_left_out(&self, value: &Value) -> bool {
        let left_out = self.log.left_out.borrow();
        left_out.iter().any(|node| std::ptr::eq(*node, value))
    }

    /// Reads the value; if it does not fit, the innermost that does not is to blame.
    fn read<'de, S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        self.enter()?;
        let (log, blame) = (self.log, (std::ptr::from_ref(self.value), self.fault()));
        let read = seed.deserialize(self);
        log.settle(read.is_err().then_some(blame));
        read
    }

    /// Counts the value; what is too deep is to blame.
    fn enter(&self) -> Result<(), Error> {
        self.log.values.update(|count| count + 1);
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let blame = (std::ptr::from_ref(self.value), self.fault());
        self.log.settle(Some(blame));
        Err(Error(format!("nested more than {MAX_DEPTH} levels deep")))
    }

    #[inline(never)]
    fn unexpected(&self, expected: &dyn Expected) -> Error {
        Error(format!("expected {expected}, found {}", self.value.kind()))
    }
}

/// What is wrong with a value.
#[derive(Debug)]
struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Error {
        Error(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Error {
        Error(format!("expected {expected}, found {found}"))
    }
}

/// Each type is read by what it asks for alone: `deserialize_any` would make code for all that a value can be, for
/// each of some hundred types.
impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Int(value) => visitor.visit_i64(*value),
            Value::Uint(value) => visitor.visit_u64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Str(text) => match text.as_str() {
                Some(text) => visitor.visit_str(text),
                None => visitor.visit_bytes(text),
            },
            Value::Map(map) => visitor.visit_map(Items::new(self, &map.items)),
            Value::Array(array) => visitor.visit_seq(Elements::new(self, &array.items)),
            Value::Documents(_) => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_str(""),
            Value::Str(text) => match text.as_str() {
                Some(text) => visitor.visit_str(text),
                None => visitor.visit_bytes(text),
            },
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_bool(false),
            Value::Bool(value) => visitor.visit_bool(*value),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_i64(0),
            Value::Int(value) => visitor.visit_i64(*value),
            _ => Err(self.unexpected(&"an integer")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_seq(Elements::new(self, &[])),
            Value::Array(array) => visitor.visit_seq(Elements::new(self, &array.items)),
            _ => Err(self.unexpected(&"a list")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_map(Items::new(self, &[])),
            Value::Map(map) => visitor.visit_map(Items::new(self, &map.items)),
            _ => Err(self.unexpected(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    /// A word among several; variants with content are not read.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.value.as_str() {
            Some(word) => visitor.visit_enum(de::value::StrDeserializer::new(word)),
            None => Err(self.unexpected(&"a word")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut fault = self.fault();
        fault.message = "unknown key".into();
        self.log.unknown.borrow_mut().push(fault);
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct
        identifier
    }
}

struct Items<'a> {
    parent: Reader<'a>,
    rest: std::slice::Iter<'a, MapItem>,
    item: Option<&'a MapItem>,
}

impl<'a> Items<'a> {
    fn new(parent: Reader<'a>, items: &'a [MapItem]) -> Items<'a> {
        Items {
            parent,
            rest: items.iter(),
            item: None,
        }
    }
}

impl<'de> de::MapAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let parent = &self.parent;
        self.item = self.rest.find(|item| !parent.is_left_out(&item.value));
        let Some(item) = self.item else {
            return Ok(None);
        };
        let Some(key) = item.key.as_str() else {
            let kind = item.key.kind();
            let reader = parent.below(&item.value, &item.meta.position, "");
            let blamed = (std::ptr::from_ref(&item.value), reader.fault());
            parent.log.blamed.borrow_mut().get_or_insert(blamed);
            return Err(Error(format!("expected a string as key, found {kind}")));
        };
        seed.deserialize(de::value::StrDeserializer::new(key))
            .map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let Some(item) = self.item.take() else {
            return Err(Error("a value without a key".into()));
        };
        let step = format!(".{}", item.key.as_str().unwrap_or_default());
        self.parent
            .below(&item.value, &item.meta.position, &step)
            .read(seed)
    }
}

struct Elements<'a> {
    parent: Reader<'a>,
    rest: std::iter::Enumerate<std::slice::Iter<'a, ArrayItem>>,
}

impl<'a> Elements<'a> {
    fn new(parent: Reader<'a>, items: &'a [ArrayItem]) -> Elements<'a> {
        Elements {
            parent,
            rest: items.iter().enumerate(),
        }
    }
}

impl<'de> de::SeqAccess<'de> for Elements<'_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let parent = &self.parent;
        let Some((index, item)) = self.rest.find(|(_, item)| !parent.is_left_out(&item.value))
        else {
            return Ok(None);
        };
        let reader = parent.below(&item.value, &item.meta.position, &format!("[{index}]"));
        reader.read(seed).map(Some)
    }
}

/// Any value, in the order of the text.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or(Value::Uint(value), Value::Int))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::str(text))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Value, E> {
        Ok(Value::str(bytes))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::default();
        while let Some((key, value)) = access.next_entry::<String, Value>()? {
            map.items.push(MapItem {
                key: Value::str(key),
                value,
                ..MapItem::default()
            });
        }
        Ok(Value::Map(map.into()))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut array = super::Array::default();
        while let Some(value) = access.next_element()? {
            array.items.push(ArrayItem {
                value,
                ..ArrayItem::default()
            });
        }
        Ok(Value::Array(array.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Source;
    use crate::yaml::encode::encode;
    use crate::yaml::{ParseOptions, json_value, parse, print_value};
    use serde::Serialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default, expecting = "a map")]
    struct Ship {
        name: String,
        masts: i64,
        afloat: bool,
        home: Option<String>,
        crew: Vec<Ship>,
        flags: BTreeMap<String, String>,
        cargo: Value,
    }

    fn read(text: &str) -> Decoded<Ship> {
        let source = Source::file("ship.yml", text);
        let documents = parse(&source, ParseOptions::default()).unwrap();
        let document = &documents.items[0];
        decode(&document.value, &document.meta.position)
    }

    fn told(faults: &[Fault]) -> Vec<String> {
        let line = |fault: &Fault| format!("{} {}: {}", fault.position, fault.path, fault.message);
        faults.iter().map(line).collect()
    }

    #[test]
    fn what_fits_comes_back() {
        let text = "name: Endurance\nmasts: 3\nafloat: true\nhome: null\ncrew:\n- name: boat\n  flags:\n    mast: red\n\
                    cargo:\n  z: [1, 2.5, ~, 'x']\n  a: {b: 18446744073709551615}\n";
        let decoded = read(text);
        assert_eq!(told(&decoded.faults), Vec::<String>::new());
        assert_eq!(told(&decoded.unknown), Vec::<String>::new());
        assert_eq!(decoded.value.crew[0].flags["mast"], "red");
        let cargo = String::from_utf8(print_value(&decoded.value.cargo)).unwrap();
        assert_eq!(
            cargo,
            "z:\n- 1\n- 2.5\n- null\n- x\na:\n  b: 18446744073709551615\n"
        );
        let again: Decoded<Ship> = decode(&encode(&decoded.value).unwrap(), &Position::unknown());
        assert_eq!(again.value, decoded.value);
        // Another serde format sees the same.
        let json = serde_json::to_string(&decoded.value.cargo).unwrap();
        let ours = json_value(&decoded.value.cargo, 0, false).unwrap();
        assert_eq!(
            json,
            r#"{"z":[1,2.5,null,"x"],"a":{"b":18446744073709551615}}"#
        );
        assert_eq!(ours.len(), json.len());
    }

    #[test]
    fn null_is_absent() {
        let decoded = read("name:\nmasts:\nafloat:\nhome:\ncrew:\nflags:\n  a:\ncargo:\n");
        assert_eq!(told(&decoded.faults), Vec::<String>::new());
        let want = Ship {
            flags: BTreeMap::from([("a".into(), String::new())]),
            ..Ship::default()
        };
        assert_eq!(decoded.value, want);
    }

    #[test]
    fn every_fault_is_told() {
        let text = "name: [a]\nmasts: 1.5\nafloat: 'yes'\nhome: 7\ncrew:\n- name: 1\n- name: dinghy\n  crew: {}\n- 5\n\
                    flags:\n  a: true\n  1: b\ncaptain: me\n";
        let decoded = read(text);
        let want = [
            "ship.yml:1 name: expected a string, found array",
            "ship.yml:2 masts: expected an integer, found float",
            "ship.yml:3 afloat: expected a boolean, found string",
            "ship.yml:4 home: expected a string, found integer",
            "ship.yml:6 crew[0].name: expected a string, found integer",
            "ship.yml:8 crew[1].crew: expected a list, found map",
            "ship.yml:9 crew[2]: expected a map, found integer",
            "ship.yml:11 flags.a: expected a string, found boolean",
            "ship.yml:12 flags: expected a string as key, found integer",
        ];
        assert_eq!(told(&decoded.faults), want);
        assert_eq!(told(&decoded.unknown), ["ship.yml:13 captain: unknown key"]);
        assert_eq!(decoded.value.crew.len(), 2);
        assert_eq!(decoded.value.crew[1].name, "dinghy");
    }

    #[test]
    fn what_cannot_be_read_at_all() {
        assert_eq!(
            told(&read("- a\n").faults),
            ["ship.yml:1 : expected a map, found array"]
        );
        let deep = format!("cargo: {}{}\n", "[".repeat(500), "]".repeat(500));
        let faults = read(&deep).faults;
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].message, "nested more than 128 levels deep");
        let many: String = (0..500).map(|index| format!("- {index}\n")).collect();
        let faults = read(&format!("crew:\n{many}")).faults;
        assert_eq!(faults.len(), MAX_FAULTS + 1);
        assert!(faults.iter().any(|fault| fault.path.is_empty()));
    }
}
