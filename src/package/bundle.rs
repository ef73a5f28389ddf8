//! Bundles: a tree of files as an image in imgpkg's form, its digest known before any registry has seen it.
//!
//! The digest is that of the manifest, which names the compressed layer. Compressors differ from one program to the next,
//! imgpkg's own builds among them, so that the digest is haulout's; what all agree on is the layer's diffID.

use super::archive::{self, Tree};
use super::digest::Digest;
use super::document::{from_json, whole};
use super::gzip;
use super::images::ImagesLock;
use crate::diagnostic::Report;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The label that makes an image a bundle, whatever its value.
pub const BUNDLE_LABEL: &str = "dev.carvel.imgpkg.bundle";

/// Where a bundle keeps its lock.
pub const IMAGES_LOCK: &str = ".imgpkg/images.yml";

/// The file of a locations image.
pub const LOCATIONS: &str = "image-locations.yml";

/// Media types. imgpkg refuses to copy a bundle whose layer has OCI's.
pub const MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
/// A list of manifests, one a platform.
pub const MANIFEST_LIST: &str = "application/vnd.docker.distribution.manifest.list.v2+json";
/// OCI's manifest.
pub const OCI_MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// OCI's list of manifests.
pub const OCI_INDEX: &str = "application/vnd.oci.image.index.v1+json";
const CONFIG: &str = "application/vnd.docker.container.image.v1+json";
const LAYER: &str = "application/vnd.docker.image.rootfs.diff.tar.gzip";

/// An image of one layer, ready to be pushed.
#[derive(Clone, Debug)]
pub struct Image {
    /// The layer: a compressed archive.
    pub layer: Vec<u8>,
    /// The digest of the archive before it was compressed.
    pub diff_id: Digest,
    /// The configuration's bytes.
    pub config: Vec<u8>,
    /// The manifest's bytes.
    pub manifest: Vec<u8>,
}

impl Image {
    /// A plain image of a tree.
    pub fn new(tree: &Tree, labels: BTreeMap<String, String>) -> Image {
        let plain = archive::write(tree);
        let diff_id = Digest::of(&plain);
        let layer = gzip::compress(&plain);
        let config = json(&Config::new(diff_id, labels));
        let manifest = json(&Manifest {
            schema_version: 2,
            media_type: Some(MANIFEST.into()),
            config: Descriptor::of(CONFIG, &config),
            layers: vec![Descriptor::of(LAYER, &layer)],
        });
        Image {
            layer,
            diff_id,
            config,
            manifest,
        }
    }

    /// A bundle of a tree that holds `.imgpkg/images.yml`.
    ///
    /// # Errors
    /// There is none, there are several, it is no lock, or a label is the one that marks bundles.
    pub fn bundle(tree: &Tree, mut labels: BTreeMap<String, String>) -> Result<Image, Report> {
        lock_of(tree)?;
        if labels.insert(BUNDLE_LABEL.into(), "true".into()).is_some() {
            return Err(Report::new(format!(
                "label '{BUNDLE_LABEL}' is reserved and cannot be overriden. Please use a different key"
            )));
        }
        Ok(Image::new(tree, labels))
    }

    /// The digest by which the image is known.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.manifest)
    }
}

/// The digest that a tree has as a bundle: what stands in a Package before anything is pushed.
///
/// ```
/// use haulout::package::archive::Tree;
/// use haulout::package::images::ImagesLock;
///
/// let mut tree = Tree::default();
/// tree.add(".imgpkg/images.yml", ImagesLock::default().print(), false)?;
/// tree.add("config/values.yml", "replicas: 2\n", false)?;
/// let digest = haulout::package::bundle::digest(&tree)?;
/// println!("registry.example/supervisor@{digest}");
/// # Ok::<(), haulout::diagnostic::Report>(())
/// ```
///
/// # Errors
/// The tree is no bundle.
pub fn digest(tree: &Tree) -> Result<Digest, Report> {
    Ok(Image::bundle(tree, BTreeMap::new())?.digest())
}

/// The lock of the bundle that a tree is.
///
/// # Errors
/// There is none, there are several, or it is no lock.
pub fn lock_of(tree: &Tree) -> Result<ImagesLock, Report> {
    let folders: Vec<String> = tree
        .nodes()
        .map(|(path, _)| path)
        .filter(|path| path.rsplit('/').next() == Some(".imgpkg"))
        .collect();
    match folders.as_slice() {
        [] => Err(Report::new(format!(
            "This directory is not a bundle. It is missing {IMAGES_LOCK}"
        ))),
        [folder] if folder == ".imgpkg" => match tree.file(IMAGES_LOCK) {
            Some(text) => ImagesLock::parse(text).map_err(|report| report.context(IMAGES_LOCK)),
            None => Err(Report::new(format!(
                "The bundle expected {IMAGES_LOCK} to exist, but it wasn't found"
            ))),
        },
        [folder] => Err(Report::new(format!(
            "Expected '.imgpkg' directory, to be a direct child of the bundle's directory; was {folder}"
        ))),
        several => Err(Report::new(format!(
            "This directory contains multiple bundle definitions. Only a single instance of {IMAGES_LOCK} can be \
             provided and instead these were provided {}",
            several.join(", ")
        ))),
    }
}

/// A reference by digest to a blob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// What it is.
    #[serde(default)]
    pub media_type: String,
    /// Its length in bytes.
    #[serde(deserialize_with = "whole")]
    pub size: u64,
    /// Its digest.
    pub digest: Digest,
}

impl Descriptor {
    fn of(media_type: &str, bytes: &[u8]) -> Descriptor {
        Descriptor {
            media_type: media_type.into(),
            size: bytes.len() as u64,
            digest: Digest::of(bytes),
        }
    }

    /// False for a layer that its maker allows nobody to hand on.
    pub fn is_distributable(&self) -> bool {
        !(self.media_type.contains(".foreign.") || self.media_type.contains(".nondistributable."))
    }
}

/// What an image is made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// 2.
    #[serde(deserialize_with = "whole")]
    pub schema_version: u32,
    /// Its own media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The configuration.
    pub config: Descriptor,
    /// The layers, the lowest first.
    pub layers: Vec<Descriptor>,
}

/// A list of manifests.
#[derive(Clone, Debug, Deserialize)]
pub struct Index {
    /// One for each platform.
    pub manifests: Vec<Descriptor>,
}

/// What a configuration tells that is asked for here.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    #[serde(default)]
    architecture: String,
    #[serde(default)]
    created: String,
    #[serde(default)]
    history: Vec<History>,
    #[serde(default)]
    os: String,
    #[serde(default)]
    rootfs: RootFilesystem,
    #[serde(default)]
    config: Execution,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct History {
    author: String,
    created: String,
    created_by: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct RootFilesystem {
    #[serde(rename = "type")]
    kind: String,
    diff_ids: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Execution {
    #[serde(rename = "Labels", skip_serializing_if = "Option::is_none")]
    labels: Option<BTreeMap<String, String>>,
}

impl Config {
    fn new(diff_id: Digest, labels: BTreeMap<String, String>) -> Config {
        let never = String::from("0001-01-01T00:00:00Z");
        Config {
            architecture: String::new(),
            created: never.clone(),
            history: vec![History {
                author: "imgpkg".into(),
                created: never,
                created_by: "imgpkg".into(),
            }],
            os: String::new(),
            rootfs: RootFilesystem {
                kind: "layers".into(),
                diff_ids: vec![diff_id.to_string()],
            },
            config: Execution {
                labels: (!labels.is_empty()).then_some(labels),
            },
        }
    }

    /// Reads a configuration.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(bytes: &[u8]) -> Result<Config, Report> {
        from_json(bytes)
            .map_err(|error| Report::new(format!("Reading image configuration: {error}")))
    }

    /// Whether the image is a bundle.
    pub fn is_bundle(&self) -> bool {
        let labels = self.config.labels.as_ref();
        labels.is_some_and(|labels| labels.contains_key(BUNDLE_LABEL))
    }

    /// The digests of the layers before they were compressed.
    pub fn diff_ids(&self) -> &[String] {
        &self.rootfs.diff_ids
    }
}

/// The one layer of a bundle.
///
/// # Errors
/// The image is no bundle, or no tool could copy it.
pub fn layer<'a>(manifest: &'a Manifest, config: &Config) -> Result<&'a Descriptor, Report> {
    if !config.is_bundle() {
        return Err(Report::new(
            "Expected bundle image but found plain image (hint: is it the image of a program?)",
        ));
    }
    match manifest.layers.as_slice() {
        [layer] => Ok(layer),
        layers => Err(Report::new(format!(
            "Expected bundle to only have a single layer, got {}",
            layers.len()
        ))),
    }
}

fn json(value: &impl Serialize) -> Vec<u8> {
    // Structs of strings and numbers always have a JSON form.
    serde_json::to_vec(value).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::package::archive::Node;

    /// A tree with what archives find hard, as imgpkg has packed it.
    fn tiny() -> Tree {
        let mut tree = Tree::default();
        let lock = "---\napiVersion: imgpkg.carvel.dev/v1alpha1\nimages:\n- annotations:\n    kbld.carvel.dev/id: \
                    127.0.0.1:5005/apps/pinniped-server:0.39.0\n  image: 127.0.0.1:5005/apps/pinniped-server@sha256:\
                    8d0f95e51c4eadb201010041489461f87680054b5f1f6c8b79a483b36db39f2f\nkind: ImagesLock\n";
        let deep = format!("{0}/{0}/long.txt", "d".repeat(60));
        let files = [
            ("run.sh", "#!/bin/sh\n"),
            (".imgpkg/images.yml", lock),
            ("config/é.yml", "é\n"),
            ("config/.git/HEAD", "x\n"),
            ("config/sub/b.yml", "b: 2\n"),
            ("config/a.yml", "a: 1\n"),
            (&deep, "long\n"),
        ];
        for (path, text) in files {
            tree.add(path, text, path == "run.sh").unwrap();
        }
        tree.add_folder("empty").unwrap();
        tree
    }

    #[test]
    fn the_same_archive_and_configuration_as_imgpkg() {
        let image = Image::bundle(&tiny(), BTreeMap::new()).unwrap();
        assert_eq!(
            image.diff_id.to_string(),
            "sha256:aa99238c0672704b3d1122ddb402826b914a4782f18a70fb52cf59b0c9785a77"
        );
        assert_eq!(
            Digest::of(&image.config).to_string(),
            "sha256:c1ad11bfeeb43b92cd0521de2a32585904ebe08c393c0ba918e027609e7d9fa6"
        );
        let manifest: Manifest = serde_json::from_slice(&image.manifest).unwrap();
        assert_eq!(manifest.layers, [Descriptor::of(LAYER, &image.layer)]);
        assert_eq!(manifest.config, Descriptor::of(CONFIG, &image.config));
    }

    #[test]
    fn a_locations_image_as_imgpkg_has_it() {
        let mut tree = Tree::default();
        let text = "---\napiVersion: imgpkg.carvel.dev/v1alpha1\nimages:\n- image: 127.0.0.1:5005/apps/pinniped-server@\
                    sha256:8d0f95e51c4eadb201010041489461f87680054b5f1f6c8b79a483b36db39f2f\n  isBundle: false\nkind: \
                    ImageLocations\n";
        tree.add(LOCATIONS, text, false).unwrap();
        let image = Image::new(&tree, BTreeMap::new());
        assert_eq!(
            Digest::of(&image.config).to_string(),
            "sha256:fb986803b32c8a6b49feede4c48db4b17dc4fbc2a913f00d34e3aa784fa5873b"
        );
    }

    /// Digests stand in Packages that are already out: if this one changes, a compressor has changed, and the release
    /// notes must say so.
    #[test]
    fn the_digest_does_not_change() {
        assert_eq!(
            digest(&tiny()).unwrap().to_string(),
            "sha256:eb5035bf905280d708d1b6c525da8aaf8ba7dad9b46a235765bf3fce7615654b"
        );
    }

    #[test]
    fn there_and_back() {
        let tree = tiny();
        let image = Image::bundle(&tree, BTreeMap::new()).unwrap();
        assert_eq!(archive::read(&image.layer).unwrap(), tree);
        assert_eq!(archive::read(&archive::write(&tree)).unwrap(), tree);
    }

    #[test]
    fn names_of_every_length() {
        for unit in ["d", "é", "d/"] {
            for count in [
                1, 49, 50, 51, 99, 100, 101, 150, 155, 156, 157, 190, 254, 256, 257, 300,
            ] {
                let path = format!("{}f", unit.repeat(count));
                let mut tree = Tree::default();
                if tree.add(&path, "x", false).is_err() {
                    assert!(count >= 100 && unit == "d/", "{path}");
                    continue;
                }
                let packed = archive::write(&tree);
                assert_eq!(packed.len() % 512, 0);
                assert_eq!(archive::read(&packed).unwrap(), tree, "{path}");
            }
        }
    }

    #[test]
    fn what_is_no_bundle() {
        let table = [
            (
                vec!["a"],
                "This directory is not a bundle. It is missing .imgpkg/images.yml",
            ),
            (
                vec![".imgpkg/bundle.yml"],
                "The bundle expected .imgpkg/images.yml to exist, but it wasn't found",
            ),
            (
                vec!["x/.imgpkg/images.yml"],
                "Expected '.imgpkg' directory, to be a direct child of the bundle's directory; was x/.imgpkg",
            ),
            (
                vec![".imgpkg/images.yml", "x/.imgpkg/images.yml"],
                "This directory contains multiple bundle definitions. Only a single instance of .imgpkg/images.yml can \
                 be provided and instead these were provided .imgpkg, x/.imgpkg",
            ),
        ];
        for (paths, want) in table {
            let mut tree = Tree::default();
            for path in paths {
                tree.add(path, "", false).unwrap();
            }
            assert_eq!(digest(&tree).unwrap_err().text(), want);
        }
        let labels = BTreeMap::from([(BUNDLE_LABEL.to_string(), String::new())]);
        let text = Image::bundle(&tiny(), labels)
            .unwrap_err()
            .text()
            .to_string();
        assert!(text.contains("is reserved"), "{text}");
    }

    /// An archive that other programs could have written.
    fn foreign(kind: tar::EntryType, path: &str, link: &str) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        let name = &mut header.as_old_mut().name;
        name[..path.len()].copy_from_slice(path.as_bytes());
        header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_size(0);
        header.set_cksum();
        builder.append(&header, std::io::empty()).unwrap();
        builder.into_inner().unwrap()
    }

    #[test]
    fn what_no_archive_may_hold() {
        use tar::EntryType::{Char, Directory, Fifo, Link, Regular, Symlink};
        let table = [
            (Regular, "../a", "", "Path '../a' leads out of the bundle"),
            (
                Regular,
                "a/../../b",
                "",
                "Path 'a/../../b' leads out of the bundle",
            ),
            (Directory, "a/..", "", "Path 'a/..' leads out of the bundle"),
            (
                Regular,
                "/etc/a",
                "",
                "Path '/etc/a' is absolute, which no path of a bundle may be",
            ),
            (
                Directory,
                "/",
                "",
                "Path '/' is absolute, which no path of a bundle may be",
            ),
            (
                Regular,
                "..\\a",
                "",
                "Path '..\\a' holds a character that no path of a bundle may hold",
            ),
            (
                Symlink,
                "a",
                "/etc",
                "Archive entry 'a' is a link, which no bundle may hold",
            ),
            (
                Link,
                "a",
                "b",
                "Archive entry 'a' is a link, which no bundle may hold",
            ),
            (
                Char,
                "a",
                "",
                "Archive entry 'a' is neither a file nor a folder",
            ),
            (
                Fifo,
                "a",
                "",
                "Archive entry 'a' is neither a file nor a folder",
            ),
            (Regular, ".", "", "Path '.' names no file"),
        ];
        for (kind, path, link, want) in table {
            let result = archive::read(&foreign(kind, path, link));
            assert_eq!(result.unwrap_err().text(), want);
        }
        let mut twice = archive::write(&tiny());
        twice.truncate(twice.len() - 1024);
        let whole = archive::write(&tiny());
        assert!(archive::read(&[twice, whole].concat()).is_err());
    }

    #[test]
    fn archives_cut_anywhere_are_refused() {
        let plain = archive::write(&tiny());
        // Of the two blocks of zeros at the end, one is enough.
        for end in (0..plain.len() - 512).step_by(128) {
            assert!(archive::read(&plain[..end]).is_err(), "{end}");
        }
        let packed = gzip::compress(&plain);
        for end in 0..packed.len() {
            assert!(archive::read(&packed[..end]).is_err(), "{end}");
        }
        let mut damaged = packed.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        assert!(archive::read(&damaged).is_err());
    }

    #[test]
    fn a_bomb_is_refused() {
        let mut out = Vec::new();
        archive::write_header(&mut out, "a", 0o600, Some(archive::MAX_SIZE + 1));
        let text = archive::read(&out).unwrap_err().text().to_string();
        assert_eq!(text, "The archive unpacks to more than 512 MiB");
    }

    #[test]
    fn files_and_folders_do_not_mix() {
        let mut tree = Tree::default();
        tree.add("a", "1", false).unwrap();
        assert!(tree.add("a", "2", false).is_err());
        assert!(tree.add("a/b", "2", false).is_err());
        assert!(tree.add_folder("a").is_err());
        tree.replace("a", "3").unwrap();
        assert_eq!(tree.file("a"), Some(b"3".as_slice()));
        let nodes: Vec<_> = tree.nodes().collect();
        let file = Node::File {
            bytes: b"3".to_vec(),
            executable: false,
        };
        assert_eq!(nodes, [("a".to_string(), &file)]);
    }
}
