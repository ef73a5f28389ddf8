//! `@ytt:url`: parts of URLs escaped, and URLs taken apart.

mod address;
mod escape;

use super::object::Object;
use super::{function, no_arguments, one};
use crate::bytestring::Str;
use crate::script::{Args, Error, Module, Result, Value};
use crate::template::convert::to_yaml;
use crate::yaml::Value as Node;
use address::{Url, User};
use escape::{Part, escape, unescape};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The module.
pub fn module() -> Value {
    Module::new(
        "url",
        vec![
            (
                "path_segment_encode",
                encoder("url.path_segment_encode", Part::PathSegment),
            ),
            (
                "path_segment_decode",
                decoder("url.path_segment_decode", Part::PathSegment),
            ),
            (
                "query_param_value_encode",
                encoder("url.query_param_value_encode", Part::Query),
            ),
            (
                "query_param_value_decode",
                decoder("url.query_param_value_decode", Part::Query),
            ),
            (
                "query_params_encode",
                function("url.query_params_encode", |_, args| encode_params(&args)),
            ),
            (
                "query_params_decode",
                function("url.query_params_decode", |_, args| decode_params(&args)),
            ),
            ("parse", function("url.parse", |_, args| parse(&args))),
        ],
    )
}

/// The bytes of the one argument.
fn text(args: &Args) -> Result<&Str> {
    match one(args)? {
        Value::Str(text) => Ok(text),
        other => Err(Error::new(format!(
            "expected a string, but was {}",
            other.type_name()
        ))),
    }
}

fn encoder(name: &'static str, part: Part) -> Value {
    function(name, move |_, args| {
        Ok(Value::str(escape(text(&args)?, part)))
    })
}

fn decoder(name: &'static str, part: Part) -> Value {
    function(name, move |_, args| {
        unescape(text(&args)?, part)
            .map(Value::str)
            .map_err(Error::new)
    })
}

/// `key=value&...`, sorted by key, of a map of arrays of strings.
fn encode_params(args: &Args) -> Result<Value> {
    let node = match one(args)? {
        // Fragments are none of the maps that are meant here.
        value if &*value.type_name() == "yamlfragment" => Err(fragment_type(&to_yaml(value)?)),
        value => match to_yaml(value)? {
            Node::Map(map) => Ok(map),
            other => Err(node_type(&other)),
        },
    };
    let map = node
        .map_err(|found| Error::new(format!("expected argument to be a map, but was {found}")))?;
    let mut params: BTreeMap<&[u8], Vec<&Str>> = BTreeMap::new();
    for item in &map.items {
        let Node::Str(key) = &item.key else {
            return Err(Error::new(format!(
                "expected map key to be string, but was {}",
                node_type(&item.key)
            )));
        };
        let array = match &item.value {
            Node::Array(array) if array.meta.is_native() => array,
            other => {
                return Err(Error::new(format!(
                    "expected map value to be array, but was {}",
                    node_type(other)
                )));
            }
        };
        let values = params.entry(key.as_bytes()).or_default();
        for element in &array.items {
            let Node::Str(value) = &element.value else {
                return Err(Error::new(format!(
                    "expected array value to be string, but was {}",
                    node_type(&element.value)
                )));
            };
            values.push(value);
        }
    }
    let pairs: Vec<Vec<u8>> = params
        .iter()
        .flat_map(|(key, values)| values.iter().map(move |value| (key, value)))
        .map(|(key, value)| {
            let mut pair = escape(key, Part::Query);
            pair.push(b'=');
            pair.extend(escape(value, Part::Query));
            pair
        })
        .collect();
    Ok(Value::str(pairs.join(&b'&')))
}

/// What messages call the type of a fragment.
fn fragment_type(node: &Node) -> &'static str {
    match node {
        Node::Map(_) => "*yamlmeta.Map",
        Node::Array(_) => "*yamlmeta.Array",
        _ => "*yamlmeta.DocumentSet",
    }
}

/// What messages call the type of a value that came from the language.
fn node_type(node: &Node) -> &'static str {
    match node {
        Node::Null => "<nil>",
        Node::Bool(_) => "bool",
        Node::Int(_) => "int64",
        Node::Uint(_) => "uint64",
        Node::Float(_) => "float64",
        Node::Str(_) => "string",
        Node::Map(map) if map.meta.is_native() => "*orderedmap.Map",
        Node::Array(array) if array.meta.is_native() => "[]interface {}",
        other => fragment_type(other),
    }
}

/// The values of each key, keys sorted; `;` separates as `&` does.
fn decode_params(args: &Args) -> Result<Value> {
    let mut params: BTreeMap<Vec<u8>, Vec<Value>> = BTreeMap::new();
    let mut fault = None;
    for pair in text(args)?.split(|byte| matches!(byte, b'&' | b';')) {
        if pair.is_empty() {
            continue;
        }
        let (key, value) = cut(pair, b'=');
        match (unescape(key, Part::Query), unescape(value, Part::Query)) {
            (Ok(key), Ok(value)) => params.entry(key).or_default().push(Value::str(value)),
            (Err(error), _) | (_, Err(error)) => fault = fault.or(Some(error)),
        }
    }
    if let Some(fault) = fault {
        return Err(Error::new(fault));
    }
    Value::dict(
        params
            .into_iter()
            .map(|(key, values)| (Value::str(key), Value::list(values))),
    )
}

/// What is before and after the first `separator`; all and nothing if there is none.
fn cut(text: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let mut parts = text.splitn(2, |&byte| byte == separator);
    (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    )
}

fn parse(args: &Args) -> Result<Value> {
    Url::parse(text(args)?)
        .map(|url| url_value(Rc::new(url)))
        .map_err(Error::new)
}

fn url_value(url: Rc<Url>) -> Value {
    let user = url.user.as_ref().map_or(Value::None, user_value);
    let (bare, printed, host) = (url.clone(), url.clone(), url);
    let without_user = function("url.value.without_user", move |_, args| {
        no_arguments(&args)?;
        Ok(url_value(Rc::new(bare.without_user())))
    });
    let string = function("url.value.string", move |_, args| {
        no_arguments(&args)?;
        Ok(Value::str(printed.print()))
    });
    let hostname = function("url.value.hostname", move |_, args| {
        no_arguments(&args)?;
        Ok(Value::str(host.hostname()))
    });
    Object::new(
        "@ytt:url.value",
        vec![
            ("user", user),
            ("without_user", without_user),
            ("string", string),
            ("hostname", hostname),
        ],
    )
}

fn user_value(user: &User) -> Value {
    let printed = user.print();
    let string = function("string", move |_, args| {
        no_arguments(&args)?;
        Ok(Value::str(printed.as_slice()))
    });
    let password = match &user.password {
        Some(password) => Value::str(password.as_slice()),
        None => Value::None,
    };
    Object::new(
        "@ytt:url.user",
        vec![
            ("name", Value::str(user.name.as_slice())),
            ("password", password),
            ("string", string),
        ],
    )
}
