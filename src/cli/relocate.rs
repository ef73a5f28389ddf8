//! Bundles with the images that they refer to, from where they are to where they are needed: registries and archives.

use super::blob::{Checked, broken};
use super::growing::Growing;
use super::paths::reason;
use super::registry::{Client, Fault, persist};
use crate::diagnostic::Report;
use crate::package::archive::{self, Tree};
use crate::package::bundle::{self, Descriptor};
use crate::package::digest::Digest;
use crate::package::images::{ImageLocations, ImagesLock};
use crate::package::reference::{Reference, Repository};
use crate::package::shipment::{Content, LONGEST_DESCRIPTION, MAX_DEPTH, Shipment};
use crate::package::transport::{self, Found, Image, Item, Purpose};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Images and where their layers are.
pub struct Cargo<'a> {
    /// The images; the last one is the bundle for whose sake the others are there.
    pub items: Vec<Item>,
    client: &'a Client,
    /// Layers that are at hand.
    held: BTreeMap<Digest, Vec<u8>>,
    /// The archive that the images are in, if they are in one.
    archive: Option<Archive>,
}

struct Archive {
    path: String,
    /// Where each layer begins, and how long it is.
    places: BTreeMap<Digest, (u64, u64)>,
}

impl Shipment for Cargo<'_> {
    fn items(&self) -> &[Item] {
        &self.items
    }

    fn layer(&self, image: &Image, layer: &Descriptor) -> Result<Vec<u8>, Report> {
        persist(|| {
            let mut bytes = Vec::new();
            let read = self.open(image, layer)?.read_to_end(&mut bytes);
            read.map_err(|error| broken(&format!("Reading layer {}", layer.digest), &error))?;
            Ok(bytes)
        })
    }
}

impl<'a> Cargo<'a> {
    /// A bundle in a registry and all that its lock names; what stands in the bundle's own repository is taken from there.
    ///
    /// # Errors
    /// Something cannot be had, or is not what it should be.
    pub fn from_registry(client: &'a Client, bundle: &Reference) -> Result<Cargo<'a>, Report> {
        let mut cargo = Cargo::new(client);
        let item = cargo.describe(bundle, &|place| Purpose {
            tag: bundle.tag.clone().unwrap_or_default(),
            original: place.to_string(),
            root: true,
        })?;
        let Some(image) = item.image() else {
            return Err(Report::new(format!(
                "'{bundle}' is a list of images, and no bundle"
            )));
        };
        cargo.gather(image, &image.place()?.repository, 0)?;
        cargo.items.push(item);
        Ok(cargo)
    }

    /// A bundle that was made here and all that its lock names.
    ///
    /// # Errors
    /// An image cannot be had.
    pub fn from_tree(
        client: &'a Client,
        image: bundle::Image,
        lock: &ImagesLock,
        name: &Reference,
    ) -> Result<Cargo<'a>, Report> {
        let mut cargo = Cargo::new(client);
        let purpose = Purpose {
            tag: name.tag().to_string(),
            original: name.repository.at(image.digest()).to_string(),
            root: true,
        };
        let item = Item::of(&image, name, &purpose)?;
        cargo.gather_lock(lock, &name.repository, 0)?;
        cargo.held.insert(Digest::of(&image.layer), image.layer);
        cargo.items.push(item);
        Ok(cargo)
    }

    /// What is in an archive.
    ///
    /// # Errors
    /// It cannot be read, is damaged, or lacks something.
    pub fn from_archive(client: &'a Client, path: &str) -> Result<Cargo<'a>, Report> {
        let context =
            |error: io::Error| Report::new(format!("Reading '{path}': {}", reason(&error)));
        let file = File::open(path).map_err(context)?;
        let length = file.metadata().map_err(context)?.len();
        let content = Content::read(file, length, reason)
            .map_err(|report| report.context(format!("Reading '{path}'")))?;
        let cargo = Cargo {
            items: content.items,
            client,
            held: BTreeMap::new(),
            archive: Some(Archive {
                path: path.to_string(),
                places: content.places,
            }),
        };
        cargo.root()?;
        Ok(cargo)
    }

    fn new(client: &'a Client) -> Cargo<'a> {
        Cargo {
            items: Vec::new(),
            client,
            held: BTreeMap::new(),
            archive: None,
        }
    }

    /// The tag that the bundle is to have; may be empty.
    pub fn tag(&self) -> &str {
        self.items.last().map_or("", Item::tag)
    }

    fn describe(
        &self,
        image: &Reference,
        purpose: &dyn Fn(&Reference) -> Purpose,
    ) -> Result<Item, Report> {
        let fetched = self.client.manifest(image)?;
        let place = image.repository.at(fetched.digest());
        let purpose = purpose(&place);
        let found = Found {
            place,
            media_type: fetched.media_type,
            bytes: fetched.bytes,
        };
        Item::describe(&found, &purpose, &mut |from, wanted, is_manifest| {
            let repository = &from.place.repository;
            if is_manifest {
                let manifest = self.client.manifest(&repository.at(wanted.digest))?;
                Ok(manifest.bytes)
            } else {
                self.client
                    .small_blob(repository, wanted, LONGEST_DESCRIPTION)
            }
        })
    }

    /// Takes along what a bundle refers to.
    fn gather(&mut self, bundle: &Image, home: &Repository, depth: usize) -> Result<(), Report> {
        let layer = bundle.bundle_layer()?;
        let bytes = self.client.small_blob(home, &layer, archive::MAX_SIZE)?;
        let tree = archive::read(&bytes)?;
        self.held.insert(layer.digest, bytes);
        let lock = bundle::lock_of(&tree)?;
        self.gather_lock(&lock, home, depth)
            .map_err(|report| report.context("Reading Images from Bundle"))
    }

    fn gather_lock(
        &mut self,
        lock: &ImagesLock,
        home: &Repository,
        depth: usize,
    ) -> Result<(), Report> {
        if depth > MAX_DEPTH {
            return Err(Report::new("Bundles stand in bundles too many times"));
        }
        for (locked, original) in lock.images.iter().zip(lock.references()?) {
            if self
                .items
                .iter()
                .any(|item| item.digest() == original.digest)
            {
                continue;
            }
            let place = self.place(&original, home)?;
            let item = self.describe(&place, &|_| Purpose {
                original: locked.image.clone(),
                ..Purpose::default()
            })?;
            if let Some(image) = item.image().filter(|image| image.is_bundle()) {
                self.gather(image, &place.repository, depth + 1)?;
            }
            self.items.push(item);
        }
        Ok(())
    }

    /// Where an image is: beside its bundle if it has been relocated, else where its name says.
    fn place(&self, original: &Reference, home: &Repository) -> Result<Reference, Report> {
        let Some(digest) = original.digest else {
            return Ok(original.clone());
        };
        let beside = home.at(digest);
        let is_beside = original.repository != *home && self.client.has_image(&beside)?;
        Ok(if is_beside { beside } else { original.clone() })
    }

    /// Opens a layer.
    fn open(&self, image: &Image, layer: &Descriptor) -> Result<Box<dyn Read + '_>, Fault> {
        if let Some(bytes) = self.held.get(&layer.digest) {
            return Ok(Box::new(bytes.as_slice()));
        }
        let Some(archive) = &self.archive else {
            return self.client.blob(&image.place()?.repository, layer);
        };
        let (start, size) = archive
            .places
            .get(&layer.digest)
            .copied()
            .unwrap_or_default();
        let opened = File::open(&archive.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(start))?;
            Ok(file.take(size))
        });
        let file = opened.map_err(|error| {
            Report::new(format!("Reading '{}': {}", archive.path, reason(&error)))
        })?;
        Ok(Box::new(Checked::new(file, layer.clone())))
    }

    /// Puts everything into a repository, the bundle last, so that none is ever there without its images. The answer is
    /// the bundle's new name, with its digest.
    ///
    /// # Errors
    /// The registry cannot be reached or refuses; something cannot be read.
    pub fn to_repository(&self, repository: &Repository) -> Result<Reference, Report> {
        let locations = self.locations()?;
        let bar = progress("copy", self.size());
        for item in &self.items {
            for image in item.images() {
                self.push_blobs(image, repository, &bar)?;
                if item.image().is_none() {
                    let (media_type, text) = image.manifest();
                    let place = repository.at(image.digest());
                    self.client
                        .push_manifest(&place, media_type, text.as_bytes())?;
                }
            }
            for (media_type, digest, text) in item.inner_lists() {
                self.client
                    .push_manifest(&repository.at(digest), media_type, text.as_bytes())?;
            }
            let (media_type, text) = item.manifest();
            let Some(digest) = item.digest() else {
                continue;
            };
            if item.is_root() {
                for (bundle, locations) in &locations {
                    push_locations(self.client, repository, *bundle, locations)?;
                }
            }
            let tags = [
                Some(keeping_tag(digest)),
                Some(item.tag().to_string()).filter(|tag| !tag.is_empty()),
            ];
            for tag in tags.into_iter().flatten() {
                let place = repository.tagged(tag);
                self.client
                    .push_manifest(&place, media_type, text.as_bytes())?;
            }
        }
        bar.finish_and_clear();
        Ok(repository.at(self.root()?.digest()))
    }

    fn push_blobs(
        &self,
        image: &Image,
        repository: &Repository,
        bar: &ProgressBar,
    ) -> Result<(), Report> {
        let from = match self.archive {
            Some(_) => None,
            None => image.place().ok().map(|place| place.repository),
        };
        for layer in image.layers() {
            let open = || {
                let reader = self.open(image, &layer)?;
                Ok(Box::new(bar.wrap_read(reader)) as Box<dyn Read>)
            };
            let blob = (layer.digest, layer.size);
            if !self
                .client
                .push_blob(repository, blob, from.as_ref(), &open)?
            {
                bar.inc(layer.size);
            }
        }
        let (digest, text) = image.config();
        push_bytes(self.client, repository, digest, text.as_bytes())
    }

    fn size(&self) -> u64 {
        let layers = transport::layers(&self.items);
        layers.values().map(|(layer, _)| layer.size).sum()
    }

    /// Puts everything into an archive. It grows under another name until it is whole; one that an earlier run did not
    /// finish is gone on with.
    ///
    /// # Errors
    /// The disk refuses, or something cannot be had.
    pub fn to_archive(&self, path: &str) -> Result<(), Report> {
        self.locations()?;
        let layers = transport::layers(&self.items);
        let mut head = Vec::new();
        archive::write_entry(
            &mut head,
            transport::MANIFEST_NAME,
            0o644,
            Some(&transport::print(&self.items)),
        );
        let mut growing = Growing::open(path, &head, &layers)?;
        let bar = progress("copy", self.size());
        for (digest, (layer, image)) in layers.iter().skip(growing.whole) {
            let written = persist(|| {
                let reader = self.open(image, layer)?;
                growing.add(*digest, layer.size, &mut bar.wrap_read(reader))
            });
            if let Err(report) = written {
                growing.leave();
                return Err(report);
            }
        }
        bar.finish_and_clear();
        growing.finish()
    }
}

/// The tag that keeps a registry from throwing an image away.
fn keeping_tag(digest: Digest) -> String {
    format!("{}.imgpkg", digest.name())
}

/// The tag of a bundle's locations image.
fn locations_tag(bundle: Digest) -> String {
    format!("{}.image-locations.imgpkg", bundle.name())
}

fn push_bytes(
    client: &Client,
    repository: &Repository,
    digest: Digest,
    bytes: &[u8],
) -> Result<(), Report> {
    let source = || Ok(Box::new(bytes) as Box<dyn Read>);
    client.push_blob(repository, (digest, bytes.len() as u64), None, &source)?;
    Ok(())
}

/// Puts an image that was made here into a repository, under these tags.
///
/// # Errors
/// The registry cannot be reached or refuses.
fn push_image(
    client: &Client,
    repository: &Repository,
    image: &bundle::Image,
    tags: &[String],
    bar: &ProgressBar,
) -> Result<(), Report> {
    push_bytes(client, repository, Digest::of(&image.config), &image.config)?;
    let digest = Digest::of(&image.layer);
    let source = || Ok(Box::new(bar.wrap_read(image.layer.as_slice())) as Box<dyn Read>);
    client.push_blob(
        repository,
        (digest, image.layer.len() as u64),
        None,
        &source,
    )?;
    for tag in tags {
        client.push_manifest(&repository.tagged(tag), bundle::MANIFEST, &image.manifest)?;
    }
    Ok(())
}

/// Puts a bundle into a repository under its tag, and under the one that keeps it. The answer is its name with its digest.
///
/// # Errors
/// The registry cannot be reached or refuses.
pub fn push(client: &Client, name: &Reference, image: &bundle::Image) -> Result<Reference, Report> {
    let digest = image.digest();
    let tags = [name.tag().to_string(), keeping_tag(digest)];
    let bar = progress("push", image.layer.len() as u64);
    push_image(client, &name.repository, image, &tags, &bar)?;
    bar.finish_and_clear();
    Ok(name.repository.at(digest))
}

fn push_locations(
    client: &Client,
    repository: &Repository,
    bundle: Digest,
    locations: &ImageLocations,
) -> Result<(), Report> {
    let mut tree = Tree::default();
    tree.add(bundle::LOCATIONS, locations.print(), false)?;
    let image = bundle::Image::new(&tree, BTreeMap::new());
    push_image(
        client,
        repository,
        &image,
        &[locations_tag(bundle)],
        &ProgressBar::hidden(),
    )
}

/// The lock of a bundle with every image where the bundle is, if they are all there.
///
/// # Errors
/// The registry cannot be reached or refuses.
pub fn relocated(
    client: &Client,
    bundle: &Reference,
    lock: &ImagesLock,
) -> Result<Option<ImagesLock>, Report> {
    let home = &bundle.repository;
    let mut relocated = lock.clone();
    for (locked, original) in relocated.images.iter_mut().zip(lock.references()?) {
        let Some(digest) = original.digest else {
            return Ok(None);
        };
        let beside = home.at(digest);
        if original.repository != *home && !client.has_image(&beside)? {
            return Ok(None);
        }
        locked.image = beside.to_string();
    }
    Ok(Some(relocated))
}

/// How far a transfer is; shown on a terminal only.
fn progress(what: &'static str, bytes: u64) -> ProgressBar {
    let form = "{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec}";
    let bar = ProgressBar::new(bytes).with_message(what);
    match ProgressStyle::with_template(form) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// A bundle's digest and its files.
///
/// # Errors
/// There is none of that name, or it cannot be had, or is not what it should be.
pub fn fetch(client: &Client, name: &Reference) -> Result<(Digest, Tree), Report> {
    let cargo = Cargo::new(client);
    let item = cargo.describe(name, &|place| Purpose {
        original: place.to_string(),
        ..Purpose::default()
    })?;
    let Some(image) = item.image() else {
        return Err(Report::new(format!(
            "'{name}' is a list of images, and no bundle"
        )));
    };
    Ok((image.digest(), cargo.tree(image)?))
}
