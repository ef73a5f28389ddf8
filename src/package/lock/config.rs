//! kbld's configuration: which keys hold images, and what takes an image's place.

use super::Origin;
use crate::diagnostic::Report;
use crate::package::images::{self, ImagesLock};
use crate::package::model::VersionSelection;
use crate::position::Position;
use crate::yaml::decode::decode;
use crate::yaml::encode::encode;
use crate::yaml::{Value, print_value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of kbld whose configuration this is.
pub const KBLD_VERSION: &str = "0.42.0";

const API_VERSION: &str = "kbld.k14s.io/v1alpha1";

/// Kinds of one and the same form.
const KINDS: [&str; 5] = [
    "Config",
    "Sources",
    "ImageOverrides",
    "ImageDestinations",
    "ImageKeys",
];

/// Some configurations together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Config {
    /// The kbld that it was written for; an older one must refuse it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub minimum_required_version: String,
    /// Further keys that hold images.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// What takes the place of which image; the first that fits counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<Override>,
    /// Where to look for images, before the rule that a key `image` holds one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub search_rules: Vec<SearchRule>,
    /// Images that kbld would build; here that is an error.
    #[serde(skip_serializing)]
    pub sources: Vec<Built>,
}

/// An image by its exact text, or by what stands before its tag and digest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Override {
    /// The exact text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    /// What stands before tag and digest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image_repo: String,
    /// What takes its place.
    pub new_image: String,
    /// Whether that is final.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub preresolved: bool,
    /// Which of the tags is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag_selection: Option<TagSelection>,
    /// Which platform is taken from a list of images.
    #[serde(skip_serializing)]
    pub platform_selection: Option<BTreeMap<String, Value>>,
    /// How it was found, as an ImagesLock tells.
    #[serde(skip)]
    pub origins: Vec<Origin>,
}

/// Which tag is taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TagSelection {
    /// By its version.
    pub semver: Option<VersionSelection>,
}

/// An image that kbld would build.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Built {
    image: String,
    image_repo: String,
    #[serde(alias = "Path")]
    path: String,
}

/// A rule that finds images.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SearchRule {
    /// Where the image stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_matcher: Option<KeyMatcher>,
    /// What stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_matcher: Option<ValueMatcher>,
    /// How it is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_strategy: Option<UpdateStrategy>,
}

/// A place: the name of a key, or the whole path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KeyMatcher {
    /// A key anywhere.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The path from the top.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<PathPart>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PathPart {
    /// A key of a map.
    Key(String),
    /// Items of an array.
    Items(Items),
}

/// Items of an array: one, or all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Items {
    /// The one with this number, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// All.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_indexes: Option<bool>,
}

/// A value: an image's exact text, or what stands before its tag and digest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValueMatcher {
    /// The exact text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    /// What stands before tag and digest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image_repo: String,
}

/// How an image is replaced; the first that is set counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UpdateStrategy {
    /// Not at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub none: Option<Empty>,
    /// The whole value is the image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entire_value: Option<Empty>,
    /// The value is JSON, in which is searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Inner>,
    /// The value is YAML, in which is searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yaml: Option<Inner>,
}

/// A map with nothing in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Empty {}

/// How a text within a text is searched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Inner {
    /// The rules for it.
    pub search_rules: Vec<SearchRule>,
}

impl Config {
    /// Takes the configurations and locks out of the resources, those of later ones after those of earlier ones; what is
    /// left are the resources to be searched.
    ///
    /// # Errors
    /// One is not what it says that it is; in kbld's words.
    pub fn split(resources: Vec<Value>) -> Result<(Vec<Value>, Config), Report> {
        let mut config = Config::default();
        let mut rest = Vec::new();
        for resource in resources {
            let kind = super::text_at(&resource, "kind");
            match super::text_at(&resource, "apiVersion") {
                API_VERSION if KINDS.contains(&kind) => config.add(Config::read(&resource)?),
                images::API_VERSION if kind == "ImagesLock" => {
                    config.add(Config::of_lock(&resource)?);
                }
                _ => rest.push(resource),
            }
        }
        Ok((rest, config))
    }

    /// Adds what another configuration says.
    pub fn add(&mut self, other: Config) {
        self.keys.extend(other.keys);
        self.overrides.extend(other.overrides);
        self.search_rules.extend(other.search_rules);
        self.sources.extend(other.sources);
    }

    /// A configuration that replaces images by a map from the old to the final names.
    pub fn of_map(map: BTreeMap<String, String>) -> Config {
        let overrides = map.into_iter().map(|(image, new_image)| Override {
            image,
            new_image,
            preresolved: true,
            ..Override::default()
        });
        Config {
            overrides: overrides.collect(),
            ..Config::default()
        }
    }

    /// The configuration as a file.
    pub fn print(&self) -> Vec<u8> {
        let mut out = format!("apiVersion: {API_VERSION}\nkind: Config\n").into_bytes();
        out.extend(print_value(&encode(self).unwrap_or_default()));
        out
    }

    fn read(resource: &Value) -> Result<Config, Report> {
        let what = super::description(resource);
        let decoded = decode::<Config>(resource, &Position::unknown());
        if let Some(fault) = decoded.faults.first() {
            return Err(Report::new(format!(
                "Unmarshaling {what}: {}: {}",
                fault.path, fault.message
            )));
        }
        let validated = decoded.value.validate();
        validated.map_err(|reason| Report::new(format!("Validating {what}: {reason}")))?;
        Ok(decoded.value)
    }

    fn of_lock(resource: &Value) -> Result<Config, Report> {
        let what = super::description(resource);
        let lock = ImagesLock::parse(&print_value(resource))
            .map_err(|report| report.context(format!("Unmarshaling {what} as ImagesLock")))?;
        let overrides = lock.images.into_iter().map(|locked| {
            let origins = locked.annotations.get(images::ORIGINS);
            Override {
                image: locked
                    .annotations
                    .get(images::ID)
                    .cloned()
                    .unwrap_or_default(),
                new_image: locked.image,
                preresolved: true,
                // What nobody understands is a note that is lost, and nothing else.
                origins: origins.map_or_else(Vec::new, |text| Origin::parse_all(text)),
                ..Override::default()
            }
        });
        let config = Config {
            overrides: overrides.collect(),
            ..Config::default()
        };
        let validated = config.validate();
        validated.map_err(|reason| Report::new(format!("Validating {what}: {reason}")))?;
        Ok(config)
    }

    fn validate(&self) -> Result<(), String> {
        let wanted = self.minimum_required_version.as_str();
        if wanted.starts_with('v') {
            return Err(
                "Validating minimum version: Must not have prefix 'v' (e.g. '0.8.0')".into(),
            );
        }
        if !wanted.is_empty() {
            let number = |text: &str| -> Option<Vec<u64>> {
                text.split('.').map(|part| part.parse().ok()).collect()
            };
            let Some(wanted_numbers) = number(wanted) else {
                return Err(format!(
                    "Parsing minimum version constraint: Malformed constraint: >={wanted}"
                ));
            };
            if number(KBLD_VERSION).is_some_and(|ours| ours < wanted_numbers) {
                return Err(format!(
                    "kbld version '{KBLD_VERSION}' does not meet the minimum required version '{wanted}'"
                ));
            }
        }
        let named = |image: &str, repository: &str| match (image, repository) {
            ("", "") => Err("Expected Image or ImageRepo to be non-empty".to_string()),
            _ => Ok(()),
        };
        for (number, built) in self.sources.iter().enumerate() {
            let path = match built.path.as_str() {
                "" => Err("Expected Path to be non-empty".to_string()),
                _ => Ok(()),
            };
            named(&built.image, &built.image_repo)
                .and(path)
                .map_err(|reason| format!("Validating Sources[{number}]: {reason}"))?;
        }
        for (number, replaced) in self.overrides.iter().enumerate() {
            let new = match replaced.new_image.as_str() {
                "" => Err("Expected NewImage to be non-empty".to_string()),
                _ => Ok(()),
            };
            named(&replaced.image, &replaced.image_repo)
                .and(new)
                .map_err(|reason| format!("Validating Overrides[{number}]: {reason}"))?;
        }
        for (number, rule) in self.search_rules.iter().enumerate() {
            rule.validate()
                .map_err(|reason| format!("Validating SearchRules[{number}]: {reason}"))?;
        }
        Ok(())
    }

    /// The rules by which images are found, the default one last.
    pub fn rules(&self) -> Vec<SearchRule> {
        let mut rules = self.own_rules();
        let default = SearchRule::key("image");
        if !rules.contains(&default) {
            rules.push(default);
        }
        rules
    }

    /// The rules without the default one, each once.
    pub fn own_rules(&self) -> Vec<SearchRule> {
        let keys = self.keys.iter().map(|key| SearchRule::key(key));
        let mut rules = Vec::new();
        for rule in keys.chain(self.search_rules.iter().cloned()) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        rules
    }

    /// What takes the place of an image.
    pub fn replacement(&self, image: &str) -> Option<&Override> {
        let fits = |replaced: &&Override| is_named(image, &replaced.image, &replaced.image_repo);
        self.overrides.iter().find(fits)
    }

    /// Whether kbld would build the image.
    pub fn is_built(&self, image: &str) -> bool {
        let fits = |built: &Built| is_named(image, &built.image, &built.image_repo);
        self.sources.iter().any(fits)
    }
}

impl SearchRule {
    /// The rule that a key of this name holds an image, wherever it stands.
    pub fn key(name: &str) -> SearchRule {
        SearchRule {
            key_matcher: Some(KeyMatcher {
                name: name.into(),
                path: Vec::new(),
            }),
            ..SearchRule::default()
        }
    }

    fn validate(&self) -> Result<(), String> {
        match (&self.key_matcher, &self.value_matcher) {
            (None, None) => Err("Expected KeyMatcher or ValueMatcher to be non-empty".into()),
            (Some(key), _) if key.name.is_empty() && key.path.is_empty() => {
                Err("Expected KeyMatcher.Name or KeyMatcher.Path to be non-empty".into())
            }
            (_, Some(value)) if value.image.is_empty() && value.image_repo.is_empty() => {
                Err("Expected ValueMatcher.Image or ValueMatcher.ImageRepo to be non-empty".into())
            }
            _ => Ok(()),
        }
    }
}

fn is_named(text: &str, image: &str, repository: &str) -> bool {
    match image {
        "" => repository == before_tag(text),
        image => image == text,
    }
}

/// What stands before the tag and the digest of an image, by its text alone: nothing is made whole.
pub fn before_tag(image: &str) -> &str {
    let named = match image.split_once('@') {
        Some((named, digest)) if digest.contains(':') => named,
        _ => image,
    };
    let is_tag = |tag: &str| {
        !tag.is_empty()
            && tag
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter))
    };
    match named.rsplit_once(':') {
        Some((repository, tag)) if is_tag(tag) && !repository.is_empty() => repository,
        _ => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_the_tag() {
        let table = [
            ("nginx", "nginx"),
            ("nginx:1.0", "nginx"),
            ("a.b:5000/nginx", "a.b:5000/nginx"),
            ("a.b:5000/nginx:t@sha256:00", "a.b:5000/nginx"),
            ("a@sha256:00", "a"),
            ("some text", "some text"),
            (":1", ":1"),
            ("", ""),
        ];
        for (image, want) in table {
            assert_eq!(before_tag(image), want, "{image}");
        }
    }
}
