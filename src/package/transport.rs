//! Images on their way: the set that imgpkg keeps in one archive, described by its `manifest.json`.
//!
//! The archive is neither Docker's nor OCI's: `manifest.json`, then each layer once as `sha256-HEX.tar.gz`, sorted by name.
//! Every field has Go's name, since imgpkg reads them.

use super::bundle::{self, Config, Descriptor, Index, Manifest};
use super::digest::Digest;
use super::document::{from_json, or_default, whole};
use super::reference::Reference;
use crate::diagnostic::Report;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The entry that describes the others.
pub const MANIFEST_NAME: &str = "manifest.json";

/// The label of the bundle for whose sake the others are there.
pub const ROOT_LABEL: &str = "dev.carvel.imgpkg.copy.root-bundle";

/// Lists of manifests nest no deeper than this.
const MAX_DEPTH: usize = 8;

/// An image, or a list of images for several platforms.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Item {
    image_index: Option<List>,
    image: Option<Image>,
}

/// A list of images.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct List {
    #[serde(deserialize_with = "or_default")]
    refs: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    images: Vec<Image>,
    #[serde(deserialize_with = "or_default")]
    indexes: Vec<List>,
    media_type: String,
    digest: Digest,
    raw: String,
    tag: String,
    orig_ref: String,
    #[serde(default)]
    labels: Option<BTreeMap<String, String>>,
}

/// One image.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Image {
    #[serde(deserialize_with = "or_default")]
    refs: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    layers: Vec<Layer>,
    config: RawConfig,
    manifest: RawManifest,
    #[serde(default)]
    tag: String,
    #[serde(default)]
    orig_ref: String,
    #[serde(default)]
    labels: Option<BTreeMap<String, String>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Layer {
    media_type: String,
    digest: Digest,
    #[serde(rename = "DiffID")]
    diff_id: String,
    #[serde(deserialize_with = "whole")]
    size: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RawConfig {
    digest: Digest,
    raw: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RawManifest {
    media_type: String,
    digest: Digest,
    raw: String,
}

/// Why an image is there.
#[derive(Clone, Debug, Default)]
pub struct Purpose {
    /// The tag that it is to have.
    pub tag: String,
    /// The name that a lock has for it.
    pub original: String,
    /// Whether the others are there for its sake.
    pub root: bool,
}

/// A manifest and how it is found: what a description is made of.
pub struct Found {
    /// Where it is.
    pub place: Reference,
    /// What it is.
    pub media_type: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Gives the bytes of something that a manifest names: a configuration, or, which `true` tells, a manifest of a list.
pub type Fetch<'a> = dyn FnMut(&Found, &Descriptor, bool) -> Result<Vec<u8>, Report> + 'a;

impl Item {
    /// Describes what a manifest stands for.
    ///
    /// # Errors
    /// A manifest is none that is known, or cannot be fetched.
    pub fn describe(found: &Found, purpose: &Purpose, fetch: &mut Fetch) -> Result<Item, Report> {
        Ok(if found.is_list() {
            Item {
                image_index: Some(List::describe(found, purpose, fetch, 0)?),
                image: None,
            }
        } else {
            Item {
                image_index: None,
                image: Some(Image::describe(found, purpose, fetch)?),
            }
        })
    }

    /// Describes an image that was made here.
    pub fn of(image: &bundle::Image, place: &Reference, purpose: &Purpose) -> Result<Item, Report> {
        let found = Found {
            place: place.repository.at(image.digest()),
            media_type: bundle::MANIFEST.into(),
            bytes: image.manifest.clone(),
        };
        Item::describe(&found, purpose, &mut |_, _, _| Ok(image.config.clone()))
    }

    /// Its digest.
    pub fn digest(&self) -> Option<Digest> {
        match (&self.image, &self.image_index) {
            (Some(image), _) => Some(image.manifest.digest),
            (None, Some(list)) => Some(list.digest),
            (None, None) => None,
        }
    }

    /// The image, if it is one and not a list.
    pub fn image(&self) -> Option<&Image> {
        self.image.as_ref()
    }

    /// The same as another bundle's lock names it, for whose sake it is there.
    #[must_use]
    pub fn named(&self, original: &str) -> Item {
        let mut item = self.clone();
        if let Some(image) = &mut item.image {
            image.orig_ref = original.to_string();
            (image.tag, image.labels) = (String::new(), None);
        }
        if let Some(list) = &mut item.image_index {
            list.orig_ref = original.to_string();
            (list.tag, list.labels) = (String::new(), None);
        }
        item
    }

    /// Its manifest: kind and text.
    pub fn manifest(&self) -> (&str, &str) {
        match (&self.image, &self.image_index) {
            (Some(image), _) => image.manifest(),
            (None, Some(list)) => (&list.media_type, &list.raw),
            (None, None) => ("", ""),
        }
    }

    /// The tag that it is to have; may be empty.
    pub fn tag(&self) -> &str {
        match (&self.image, &self.image_index) {
            (Some(image), _) => &image.tag,
            (None, Some(list)) => &list.tag,
            (None, None) => "",
        }
    }

    /// Whether the others are there for its sake.
    pub fn is_root(&self) -> bool {
        let labels = match (&self.image, &self.image_index) {
            (Some(image), _) => image.labels.as_ref(),
            (None, Some(list)) => list.labels.as_ref(),
            (None, None) => None,
        };
        labels.is_some_and(|labels| labels.contains_key(ROOT_LABEL))
    }

    /// The images in it, one if it is an image itself.
    pub fn images(&self) -> Vec<&Image> {
        let mut out: Vec<&Image> = self.image.iter().collect();
        let mut lists: Vec<&List> = self.image_index.iter().collect();
        while let Some(list) = lists.pop() {
            out.extend(&list.images);
            lists.extend(&list.indexes);
        }
        out
    }

    /// The lists within a list, those that stand in others first: kind, digest and text.
    pub fn inner_lists(&self) -> Vec<(&str, Digest, &str)> {
        let mut out = Vec::new();
        let mut lists: Vec<&List> = self
            .image_index
            .iter()
            .flat_map(|list| &list.indexes)
            .collect();
        while let Some(list) = lists.pop() {
            out.push((list.media_type.as_str(), list.digest, list.raw.as_str()));
            lists.extend(&list.indexes);
        }
        out.reverse();
        out
    }

    fn sort_key(&self) -> String {
        match (&self.image, &self.image_index) {
            (Some(image), _) => format!("{}/{}", image.manifest.digest, image.config.digest),
            (None, Some(list)) => list.digest.to_string(),
            (None, None) => String::new(),
        }
    }
}

impl Found {
    fn is_list(&self) -> bool {
        matches!(
            self.media_type.as_str(),
            bundle::MANIFEST_LIST | bundle::OCI_INDEX
        )
    }

    fn text(&self) -> Result<String, Report> {
        let text = String::from_utf8(self.bytes.clone());
        text.map_err(|_| {
            Report::new(format!(
                "Reading manifest of '{}': it is not UTF-8",
                self.place
            ))
        })
    }

    fn read<T: serde::de::DeserializeOwned>(&self) -> Result<T, Report> {
        from_json(&self.bytes)
            .map_err(|error| Report::new(format!("Reading manifest of '{}': {error}", self.place)))
    }
}

impl Purpose {
    fn labels(&self) -> Option<BTreeMap<String, String>> {
        self.root
            .then(|| BTreeMap::from([(ROOT_LABEL.to_string(), String::new())]))
    }
}

impl List {
    fn describe(
        found: &Found,
        purpose: &Purpose,
        fetch: &mut Fetch,
        depth: usize,
    ) -> Result<List, Report> {
        if depth > MAX_DEPTH {
            let place = &found.place;
            return Err(Report::new(format!(
                "'{place}' is a list within too many lists"
            )));
        }
        let mut list = List {
            refs: vec![found.place.to_string()],
            images: Vec::new(),
            indexes: Vec::new(),
            media_type: found.media_type.clone(),
            digest: Digest::of(&found.bytes),
            raw: found.text()?,
            tag: purpose.tag.clone(),
            orig_ref: purpose.original.clone(),
            labels: purpose.labels(),
        };
        for child in found.read::<Index>()?.manifests {
            let child = Found {
                place: found.place.repository.at(child.digest),
                bytes: fetch(found, &child, true)?,
                media_type: child.media_type,
            };
            if child.is_list() {
                list.indexes
                    .push(List::describe(&child, purpose, fetch, depth + 1)?);
            } else {
                list.images.push(Image::describe(&child, purpose, fetch)?);
            }
        }
        Ok(list)
    }
}

impl Image {
    fn describe(found: &Found, purpose: &Purpose, fetch: &mut Fetch) -> Result<Image, Report> {
        let manifest: Manifest = found.read()?;
        let config = fetch(found, &manifest.config, false)?;
        let raw = String::from_utf8(config)
            .map_err(|_| Report::new(format!("Configuration of '{}' is not UTF-8", found.place)))?;
        // Other things than programs have configurations of other forms.
        let diff_ids = Config::parse(raw.as_bytes())
            .map_or_else(|_| Vec::new(), |config| config.diff_ids().to_vec());
        let layers = manifest.layers.iter().enumerate();
        Ok(Image {
            refs: vec![found.place.to_string()],
            layers: layers
                .map(|(number, layer)| Layer {
                    media_type: layer.media_type.clone(),
                    digest: layer.digest,
                    diff_id: diff_ids.get(number).cloned().unwrap_or_default(),
                    size: layer.size,
                })
                .collect(),
            config: RawConfig {
                digest: manifest.config.digest,
                raw,
            },
            manifest: RawManifest {
                media_type: found.media_type.clone(),
                digest: Digest::of(&found.bytes),
                raw: found.text()?,
            },
            tag: purpose.tag.clone(),
            orig_ref: purpose.original.clone(),
            labels: purpose.labels(),
        })
    }

    /// Where it was.
    ///
    /// # Errors
    /// The description does not say.
    pub fn place(&self) -> Result<Reference, Report> {
        let place = self.refs.first().map(String::as_str).unwrap_or_default();
        place.parse().map_err(Report::new)
    }

    /// The name that a lock has for it, or where it was.
    pub fn original(&self) -> &str {
        match self.orig_ref.as_str() {
            "" => self.refs.first().map(String::as_str).unwrap_or_default(),
            original => original,
        }
    }

    /// Its digest.
    pub fn digest(&self) -> Digest {
        self.manifest.digest
    }

    /// Its manifest: kind and text.
    pub fn manifest(&self) -> (&str, &str) {
        (&self.manifest.media_type, &self.manifest.raw)
    }

    /// Its configuration: digest and text.
    pub fn config(&self) -> (Digest, &str) {
        (self.config.digest, &self.config.raw)
    }

    /// Its layers that may be handed on.
    pub fn layers(&self) -> impl Iterator<Item = Descriptor> {
        self.layers
            .iter()
            .map(|layer| Descriptor {
                media_type: layer.media_type.clone(),
                size: layer.size,
                digest: layer.digest,
            })
            .filter(Descriptor::is_distributable)
    }

    /// Whether it is a bundle.
    pub fn is_bundle(&self) -> bool {
        Config::parse(self.config.raw.as_bytes()).is_ok_and(|config| config.is_bundle())
    }

    /// The layer of a bundle.
    ///
    /// # Errors
    /// It is no bundle, or one that no tool could copy.
    pub fn bundle_layer(&self) -> Result<Descriptor, Report> {
        let place = || format!("Reading '{}'", self.original());
        let read = |error: String| Report::new(format!("{}: {error}", place()));
        let manifest: Manifest = from_json(self.manifest.raw.as_bytes()).map_err(read)?;
        let config = Config::parse(self.config.raw.as_bytes())?;
        bundle::layer(&manifest, &config)
            .cloned()
            .map_err(|report| report.context(place()))
    }

    /// Checks that texts have the digests that are said, so that an archive cannot smuggle in others.
    fn check(&self) -> Result<(), Report> {
        let wrong = |what: &str| {
            Err(Report::new(format!(
                "Reading {MANIFEST_NAME}: the {what} of '{}' is not what its digest says",
                self.original()
            )))
        };
        if Digest::of(self.manifest.raw.as_bytes()) != self.manifest.digest {
            return wrong("manifest");
        }
        if Digest::of(self.config.raw.as_bytes()) != self.config.digest {
            return wrong("configuration");
        }
        let Ok(manifest) = from_json::<Manifest>(self.manifest.raw.as_bytes()) else {
            return wrong("manifest");
        };
        let layers = self.layers.iter().map(|layer| (layer.digest, layer.size));
        if manifest.config.digest != self.config.digest
            || !manifest
                .layers
                .iter()
                .map(|layer| (layer.digest, layer.size))
                .eq(layers)
        {
            return wrong("list of layers");
        }
        Ok(())
    }
}

/// Writes `manifest.json`, whatever the order of the items.
pub fn print(items: &[Item]) -> Vec<u8> {
    let mut items = items.to_vec();
    items.sort_by_key(Item::sort_key);
    // Strings and numbers always have a JSON form.
    serde_json::to_vec(&items).unwrap_or_default()
}

/// Reads `manifest.json`.
///
/// # Errors
/// It is none, or something in it does not have its digest.
pub fn parse(bytes: &[u8]) -> Result<Vec<Item>, Report> {
    let items: Vec<Item> = from_json(bytes)
        .map_err(|error| Report::new(format!("Reading {MANIFEST_NAME}: {error}")))?;
    for item in &items {
        for image in item.images() {
            image.check()?;
        }
        let (_, text) = item.manifest();
        let lists = item
            .inner_lists()
            .into_iter()
            .map(|(_, digest, text)| (digest, text));
        for (digest, text) in lists.chain(item.digest().map(|digest| (digest, text))) {
            if Digest::of(text.as_bytes()) != digest {
                return Err(Report::new(format!(
                    "Reading {MANIFEST_NAME}: a manifest does not have its digest {digest}"
                )));
            }
        }
    }
    Ok(items)
}

/// The layers that an archive of these items holds, each once, sorted by name, with an image that has it.
pub fn layers(items: &[Item]) -> BTreeMap<Digest, (Descriptor, &Image)> {
    let images = items.iter().flat_map(Item::images);
    images
        .flat_map(|image| {
            image
                .layers()
                .map(move |layer| (layer.digest, (layer, image)))
        })
        .collect()
}

/// The entry of a layer.
pub fn layer_name(digest: Digest) -> String {
    format!("{}.tar.gz", digest.name())
}

/// The layer that an entry of this name is.
pub fn layer_of(name: &str) -> Option<Digest> {
    let hex = name.strip_prefix("sha256-")?.strip_suffix(".tar.gz")?;
    format!("sha256:{hex}").parse().ok()
}
