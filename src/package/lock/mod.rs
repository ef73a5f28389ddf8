//! Images to digests, as kbld does it: images are found in resources, replaced, and locked.
//!
//! Without a registry images with digests, overrides and locks are resolved; what needs one is asked of a [`Resolver`],
//! and one that has none refuses.

pub mod config;
pub mod job;
pub mod search;

use super::digest::Digest;
use super::images::{ID, ImagesLock, LockedImage, ORIGINS};
use super::reference::{Reference, Repository};
use super::select::{self, Candidate, Request};
use crate::diagnostic::Report;
use crate::yaml::encode::encode;
use crate::yaml::{Array, ArrayItem, Map, MapItem, Value, print_value};
use config::{Config, KBLD_VERSION, Override};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The annotation that tells which images a resource had resolved.
pub const IMAGES_ANNOTATION: &str = "kbld.k14s.io/images";

/// How an image came to its digest; `preresolved: {url}`, `resolved: {tag, url}` and others that kbld writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Origin(BTreeMap<String, BTreeMap<String, Value>>);

impl Origin {
    fn new(kind: &str, fields: &[(&str, &str)]) -> Origin {
        let fields = fields
            .iter()
            .map(|(key, value)| (key.to_string(), Value::str(*value)));
        Origin(BTreeMap::from([(kind.to_string(), fields.collect())]))
    }

    fn is(&self, kind: &str, url: &str) -> bool {
        let field = self.0.get(kind).and_then(|fields| fields.get("url"));
        field.and_then(Value::as_str) == Some(url)
    }

    /// Those that a lock's annotation holds; none if it cannot be understood.
    fn parse_all(text: &str) -> Vec<Origin> {
        super::document::parse(text.as_bytes()).unwrap_or_default()
    }
}

/// What an image became.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// Its final name.
    pub url: String,
    /// How that was found; empty if it was final from the start.
    pub origins: Vec<Origin>,
}

/// Images by the text that stands in the resources.
pub type Images = BTreeMap<String, Resolved>;

/// Who knows what a tag names.
pub trait Resolver {
    /// The digest of what a tag names.
    ///
    /// # Errors
    /// There is no such tag, or it cannot be found out.
    fn digest(&self, image: &Reference) -> Result<Digest, Report>;

    /// The tags of a repository.
    ///
    /// # Errors
    /// They cannot be found out.
    fn tags(&self, repository: &Repository) -> Result<Vec<String>, Report>;
}

/// Knows no registry.
pub struct Offline;

impl Resolver for Offline {
    fn digest(&self, image: &Reference) -> Result<Digest, Report> {
        Err(Report::new(format!(
            "Expected a digest or an override, since '{image}' has neither and no registry may be asked"
        )))
    }

    fn tags(&self, repository: &Repository) -> Result<Vec<String>, Report> {
        Err(Report::new(format!(
            "Expected no selection of tags, since no registry may be asked for those of '{repository}'"
        )))
    }
}

/// The resources of a text; the items of a list are resources of their own.
///
/// # Errors
/// The text, which messages call `name`, is not YAML, or a document in it is no map.
pub fn resources(text: &[u8], name: &str) -> Result<Vec<Value>, Report> {
    let parsed = search::parse(text, name)
        .map_err(|error| Report::new(format!("Parsing {name}: {}", error.message)))?;
    let mut out = Vec::new();
    for (number, document) in parsed.into_iter().enumerate() {
        let wrong = |what: &str, value: &Value| {
            Report::new(format!(
                "Parsing {name} doc {}: Expected {what} to be a map, but was {}",
                number + 1,
                value.kind()
            ))
        };
        let Value::Map(map) = &document else {
            return Err(wrong("a resource", &document));
        };
        match map.get("items").map(|item| &item.value) {
            Some(Value::Array(items)) => {
                for item in &items.items {
                    if item.value.as_map().is_none() {
                        return Err(wrong("an item of a list", &item.value));
                    }
                    out.push(item.value.clone());
                }
            }
            _ if map.items.is_empty() => {}
            _ => out.push(document),
        }
    }
    Ok(out)
}

/// The images in resources, each once.
pub fn find(resources: &[Value], config: &Config) -> BTreeSet<String> {
    let rules = config.rules();
    let mut images = BTreeSet::new();
    for resource in resources {
        search::visit(resource, &rules, &mut |image| {
            images.insert(image.to_string());
            None
        });
    }
    images
}

/// What kbld prints of images that are not resolved yet.
pub fn print_found(images: &BTreeSet<String>) -> Vec<u8> {
    let item = |image: &String| map([("image", Value::str(image.as_str()))]);
    print_value(&array(images.iter().map(item)))
}

/// What the images are to become.
///
/// # Errors
/// All that cannot be resolved, each with its reason.
pub fn resolve(
    images: &BTreeSet<String>,
    config: &Config,
    resolver: &dyn Resolver,
) -> Result<Images, Report> {
    let mut resolved = Images::new();
    let mut errors = String::new();
    for image in images {
        match resolve_one(image, config, resolver) {
            Ok(found) => drop(resolved.insert(image.clone(), found)),
            Err(report) => {
                errors.push_str(&format!("\n- Resolving image '{image}': {}", report.text()))
            }
        }
    }
    match errors.as_str() {
        "" => Ok(resolved),
        errors => Err(Report::new(errors)),
    }
}

fn resolve_one(image: &str, config: &Config, resolver: &dyn Resolver) -> Result<Resolved, Report> {
    let replacement = config.replacement(image);
    let name = replacement.map_or(image, |replacement| &replacement.new_image);
    match replacement {
        Some(replacement) if replacement.preresolved => {
            return Ok(preresolved(name, &replacement.origins));
        }
        Some(replacement) if replacement.platform_selection.is_some() => {
            return Err(Report::new(
                "Expected no selection of platforms, which haulout does not make",
            ));
        }
        Some(Override {
            tag_selection: Some(selection),
            ..
        }) => {
            let repository: Repository = name.parse().map_err(Report::new)?;
            let Some(versions) = &selection.semver else {
                return Err(Report::new("Unknown tag selection strategy"));
            };
            let candidates = resolver
                .tags(&repository)?
                .into_iter()
                .map(|version| Candidate {
                    version,
                    ..Candidate::default()
                });
            let candidates: Vec<Candidate> = candidates.collect();
            let request = Request {
                selection: versions.clone(),
                ..Request::default()
            };
            let chosen = select::select(&candidates, &request).result;
            let tag = chosen.map_err(|error| Report::new(error.to_string()))?;
            return tagged(&format!("{name}:{tag}"), resolver);
        }
        _ => {}
    }
    if config.is_built(name) {
        return Err(Report::new(format!(
            "Building of images is disallowed (tried to build '{name}' because a source was configured for it)"
        )));
    }
    if name.contains('@') {
        let whole: Reference = name.parse().map_err(|reason| {
            Report::new(format!(
                "Expected valid digest reference, but found '{name}', reason: {reason}"
            ))
        })?;
        return Ok(Resolved {
            url: whole.to_string(),
            origins: Vec::new(),
        });
    }
    tagged(name, resolver)
}

fn preresolved(url: &str, origins: &[Origin]) -> Resolved {
    let mut origins = origins.to_vec();
    if !origins.iter().any(|origin| origin.is("preresolved", url)) {
        origins.push(Origin::new("preresolved", &[("url", url)]));
    }
    Resolved {
        url: url.to_string(),
        origins,
    }
}

fn tagged(name: &str, resolver: &dyn Resolver) -> Result<Resolved, Report> {
    let reference: Reference = name.parse().map_err(Report::new)?;
    let digest = resolver.digest(&reference)?;
    Ok(Resolved {
        url: reference.repository.at(digest).to_string(),
        origins: vec![Origin::new(
            "resolved",
            &[("url", name), ("tag", reference.tag())],
        )],
    })
}

/// A resource with its images replaced by what they became; `annotate` adds the annotation that tells of them.
pub fn apply(resource: &Value, config: &Config, images: &Images, annotate: bool) -> Value {
    let mut replaced: Vec<&Resolved> = Vec::new();
    let value = search::visit(resource, &config.rules(), &mut |image| {
        let resolved = images.get(image)?;
        // What had its digest from the start has nothing to tell.
        if !resolved.origins.is_empty() && !replaced.contains(&resolved) {
            replaced.push(resolved);
        }
        Some(resolved.url.clone())
    });
    if !annotate || replaced.is_empty() {
        return value;
    }
    replaced.sort_by(|a, b| a.url.cmp(&b.url));
    let told = replaced.iter().map(|resolved| {
        map([
            ("origins", origins(&resolved.origins)),
            ("url", Value::str(resolved.url.as_str())),
        ])
    });
    let told = print_value(&array(told));
    annotated(value, &String::from_utf8_lossy(&told))
}

fn annotated(resource: Value, text: &str) -> Value {
    let inner = |map: &Map, key| match map.get(key).map(|item| &item.value) {
        Some(Value::Map(map)) => Map::clone(map),
        _ => Map::default(),
    };
    let Value::Map(resource) = resource else {
        return resource;
    };
    let mut resource = Map::clone(&resource);
    let mut metadata = inner(&resource, "metadata");
    let mut annotations = inner(&metadata, "annotations");
    set(&mut annotations, IMAGES_ANNOTATION, Value::str(text));
    set(
        &mut metadata,
        "annotations",
        Value::Map(Rc::new(annotations)),
    );
    set(&mut resource, "metadata", Value::Map(Rc::new(metadata)));
    Value::Map(Rc::new(resource))
}

/// Sets a key of a map whose keys are sorted.
fn set(map: &mut Map, key: &str, value: Value) {
    map.items.retain(|item| item.key.as_str() != Some(key));
    let place = map
        .items
        .iter()
        .position(|item| item.key.as_str() > Some(key));
    let item = MapItem {
        key: Value::str(key),
        value,
        ..MapItem::default()
    };
    map.items.insert(place.unwrap_or(map.items.len()), item);
}

/// The lock of the images; `with_origins` adds how they were found.
pub fn images_lock(images: &Images, with_origins: bool) -> ImagesLock {
    let lock = |(id, resolved): (&String, &Resolved)| {
        let mut annotations = BTreeMap::from([(ID.to_string(), id.clone())]);
        if with_origins && !resolved.origins.is_empty() {
            let text = print_value(&origins(&resolved.origins));
            annotations.insert(ORIGINS.into(), String::from_utf8_lossy(&text).into_owned());
        }
        LockedImage {
            annotations,
            image: resolved.url.clone(),
        }
    };
    ImagesLock {
        images: images.iter().map(lock).collect(),
    }
}

/// The images as a configuration of kbld's, with the rules by which they were found.
pub fn config_lock(images: &Images, config: &Config) -> Vec<u8> {
    let overrides = images.iter().map(|(image, resolved)| Override {
        image: image.clone(),
        new_image: resolved.url.clone(),
        preresolved: true,
        ..Override::default()
    });
    let config = Config {
        minimum_required_version: KBLD_VERSION.into(),
        overrides: overrides.collect(),
        search_rules: config.own_rules(),
        ..Config::default()
    };
    config.print()
}

/// How messages call a resource: `deployment/web (apps/v1) namespace: default`.
pub fn description(resource: &Value) -> String {
    let metadata = resource.as_map().and_then(|map| map.get("metadata"));
    let named = |key| metadata.map_or("", |metadata| text_at(&metadata.value, key));
    let kind = text_at(resource, "kind").to_lowercase();
    let place = match named("namespace") {
        "" => " cluster".to_string(),
        namespace => format!(" namespace: {namespace}"),
    };
    let api_version = text_at(resource, "apiVersion");
    format!("{kind}/{} ({api_version}){place}", named("name"))
}

fn text_at<'v>(value: &'v Value, key: &str) -> &'v str {
    let item = value.as_map().and_then(|map| map.get(key));
    item.and_then(|item| item.value.as_str())
        .unwrap_or_default()
}

fn origins(origins: &[Origin]) -> Value {
    encode(origins).unwrap_or_default()
}

fn array(values: impl Iterator<Item = Value>) -> Value {
    let items = values.map(|value| ArrayItem {
        value,
        ..ArrayItem::default()
    });
    Value::Array(Rc::new(Array {
        items: items.collect(),
        ..Array::default()
    }))
}

fn map<const N: usize>(items: [(&str, Value); N]) -> Value {
    let items = items.into_iter().map(|(key, value)| MapItem {
        key: Value::str(key),
        value,
        ..MapItem::default()
    });
    Value::Map(Rc::new(Map {
        items: items.collect(),
        ..Map::default()
    }))
}
