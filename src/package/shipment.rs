//! Images with their layers, wherever these are: what is asked of them whether they are in a registry, in an archive or
//! made here; and imgpkg's archive of them.

use super::archive::{self, Tree};
use super::bundle::{self, Descriptor};
use super::digest::Digest;
use super::images::{ImageLocation, ImageLocations, ImagesLock, LockedImage};
use super::reference::Reference;
use super::transport::{self, Image, Item};
use crate::diagnostic::Report;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Seek};

/// Bundles nest no deeper than this.
pub const MAX_DEPTH: usize = 32;

/// A description longer than this is none.
pub const LONGEST_DESCRIPTION: u64 = 64 << 20;

/// Images whose layers can be had.
pub trait Shipment {
    /// The images; the last one may be a bundle for whose sake the others are there.
    fn items(&self) -> &[Item];

    /// The bytes of a layer.
    ///
    /// # Errors
    /// They cannot be had, or are not what their digest says.
    fn layer(&self, image: &Image, layer: &Descriptor) -> Result<Vec<u8>, Report>;

    /// The bundle for whose sake the others are there.
    ///
    /// # Errors
    /// There is none.
    fn root(&self) -> Result<&Image, Report> {
        let last = self.items().last().filter(|item| item.is_root());
        last.and_then(Item::image)
            .ok_or_else(|| Report::new("Expected a bundle, but the archive holds images only"))
    }

    /// The image with this digest.
    fn find(&self, digest: Digest) -> Option<&Item> {
        let mut items = self.items().iter();
        items.find(|item| item.digest() == Some(digest))
    }

    /// The files of a bundle.
    ///
    /// # Errors
    /// They cannot be had, or are not what they should be.
    fn tree(&self, bundle: &Image) -> Result<Tree, Report> {
        let layer = bundle.bundle_layer()?;
        if layer.size > archive::MAX_SIZE {
            return Err(Report::new(format!(
                "Bundle '{}' is too big",
                bundle.original()
            )));
        }
        archive::read(&self.layer(bundle, &layer)?)
    }

    /// The locations of the images of every bundle, by its digest; a bundle's image that is not here is an error.
    ///
    /// # Errors
    /// As above.
    fn locations(&self) -> Result<Vec<(Digest, ImageLocations)>, Report> {
        let images = self.items().iter().filter_map(Item::image);
        let mut out = Vec::new();
        for bundle in images.filter(|image| image.is_bundle()) {
            let lock = bundle::lock_of(&self.tree(bundle)?)?;
            let mut images = BTreeSet::new();
            for (locked, reference) in lock.images.iter().zip(lock.references()?) {
                let item = reference.digest.and_then(|digest| self.find(digest));
                let Some(item) = item else {
                    return Err(Report::new(format!(
                        "Image '{}', which bundle '{}' refers to, is missing",
                        locked.image,
                        bundle.original()
                    )));
                };
                images.insert(ImageLocation {
                    image: locked.image.clone(),
                    is_bundle: item.image().is_some_and(Image::is_bundle),
                });
            }
            let images = images.into_iter().collect();
            out.push((bundle.digest(), ImageLocations { images }));
        }
        Ok(out)
    }
}

/// What is in an archive: images, and where each layer begins and how long it is.
#[derive(Default)]
pub struct Content {
    /// The images, a bundle for whose sake the others are there last.
    pub items: Vec<Item>,
    /// The places of the layers.
    pub places: BTreeMap<Digest, (u64, u64)>,
}

impl Content {
    /// Reads what is in an archive of this length, but for the layers. `told` are the words for what a source refuses.
    ///
    /// # Errors
    /// It cannot be read, is damaged, or lacks something.
    pub fn read(
        source: impl Read + Seek,
        length: u64,
        told: impl Fn(&io::Error) -> String,
    ) -> Result<Content, Report> {
        let context = |error: io::Error| Report::new(told(&error));
        let mut places = BTreeMap::new();
        let mut description = None;
        let mut archive = tar::Archive::new(source);
        for entry in archive.entries_with_seek().map_err(context)? {
            let mut entry = entry.map_err(context)?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            if name == transport::MANIFEST_NAME {
                if entry.size() > LONGEST_DESCRIPTION {
                    return Err(Report::new(format!("{name} is too long")));
                }
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).map_err(context)?;
                description = Some(bytes);
            } else if let Some(digest) = transport::layer_of(&name) {
                let place = (entry.raw_file_position(), entry.size());
                if place.0.saturating_add(place.1) > length {
                    return Err(Report::new(format!("It is cut short, within {name}")));
                }
                places.insert(digest, place);
            }
        }
        let Some(description) = description else {
            return Err(Report::new(format!(
                "It holds no {}, so that it is no archive of imgpkg's",
                transport::MANIFEST_NAME
            )));
        };
        let mut items = transport::parse(&description)?;
        items.sort_by_key(Item::is_root);
        for (layer, image) in transport::layers(&items).values() {
            if places.get(&layer.digest).map(|(_, size)| *size) != Some(layer.size) {
                return Err(Report::new(format!(
                    "It is cut short, or lacks layer {} of '{}'",
                    layer.digest,
                    image.original()
                )));
            }
        }
        Ok(Content { items, places })
    }
}

/// The images of a bundle, as imgpkg describes them; without a shipment no more is known of them than their lock tells.
///
/// # Errors
/// A bundle in it cannot be had, or is not what it should be.
pub fn inspect(
    digest: Digest,
    lock: &ImagesLock,
    shipment: Option<&dyn Shipment>,
) -> Result<String, Report> {
    let mut out = format!("Bundle SHA: {digest}\n");
    describe(&mut out, lock, shipment, "")?;
    Ok(out)
}

fn describe(
    out: &mut String,
    lock: &ImagesLock,
    shipment: Option<&dyn Shipment>,
    indent: &str,
) -> Result<(), Report> {
    if lock.images.is_empty() {
        return Ok(());
    }
    if indent.is_empty() {
        out.push('\n');
    }
    line(out, indent, "Images:");
    let mut images: Vec<(&LockedImage, Reference)> =
        lock.images.iter().zip(lock.references()?).collect();
    images.sort_by_key(|(locked, _)| &locked.image);
    for (locked, reference) in images {
        let item = shipment.and_then(|shipment| shipment.find(reference.digest?));
        let places = item.map_or_else(Vec::new, Item::images);
        let known = item.and_then(Item::image);
        let place = match (places.first(), item.and_then(Item::digest)) {
            (Some(image), Some(digest)) => image.place()?.repository.at(digest).to_string(),
            _ => locked.image.clone(),
        };
        line(out, indent, &format!("  - Image: {place}"));
        if item.is_some() {
            let is_bundle = known.is_some_and(|image| image.is_bundle());
            let kind = if is_bundle { "Bundle" } else { "Image" };
            line(out, indent, &format!("    Type: {kind}"));
            line(out, indent, &format!("    Origin: {}", locked.image));
        }
        let layers: Vec<_> = known.iter().flat_map(|image| image.layers()).collect();
        if !layers.is_empty() {
            line(out, indent, "    Layers:");
        }
        for layer in layers {
            line(out, indent, &format!("      - Digest: {}", layer.digest));
        }
        if !locked.annotations.is_empty() {
            line(out, indent, "    Annotations:");
        }
        for (key, value) in &locked.annotations {
            let value = value
                .trim_end()
                .replace('\n', &format!("\n{indent}        "));
            line(out, indent, &format!("      {key}: {value}"));
        }
        let inner = known.filter(|image| image.is_bundle());
        if let (Some(shipment), Some(image)) = (shipment, inner) {
            let lock = bundle::lock_of(&shipment.tree(image)?)?;
            describe(out, &lock, Some(shipment), &format!("{indent}    "))?;
        }
    }
    Ok(())
}

fn line(out: &mut String, indent: &str, text: &str) {
    out.push_str(indent);
    out.push_str(text);
    out.push('\n');
}
