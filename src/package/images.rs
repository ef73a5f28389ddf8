//! The files in which Carvel's tools keep which images belong together: `ImagesLock`, `BundleLock`, `ImageLocations`.

use super::document::{self, or_default};
use super::reference::Reference;
use crate::diagnostic::Report;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of all three.
pub const API_VERSION: &str = "imgpkg.carvel.dev/v1alpha1";

/// The name that an image had before it was locked.
pub const ID: &str = "kbld.carvel.dev/id";

/// How kbld came from that name to the digest.
pub const ORIGINS: &str = "kbld.carvel.dev/origins";

/// The images that a bundle refers to, each by its digest: `.imgpkg/images.yml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImagesLock {
    /// In the order of the file.
    pub images: Vec<LockedImage>,
}

/// One image of a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedImage {
    /// What is known of it, [`ID`] above all.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "or_default"
    )]
    pub annotations: BTreeMap<String, String>,
    /// Its whole name, with a digest.
    pub image: String,
}

/// A bundle by its digest: what `--lock-output` leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedBundle {
    /// Its whole name, with a digest.
    pub image: String,
    /// The tag under which it was pushed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tag: String,
}

/// Who made a bundle: `.imgpkg/bundle.yml`, which imgpkg knows and no tool reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleInfo {
    /// Its name.
    pub name: String,
    /// Its authors.
    pub authors: Vec<Author>,
    /// Addresses of sites about it.
    pub websites: Vec<String>,
}

/// Somebody who made a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Author {
    /// Where to write to; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub email: String,
    /// What they are called.
    pub name: String,
}

/// Which images stand beside a relocated bundle, in its own repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageLocations {
    /// Sorted by name.
    pub images: Vec<ImageLocation>,
}

/// One image of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageLocation {
    /// The name that the bundle's lock has for it.
    pub image: String,
    /// Whether it is a bundle itself.
    #[serde(default)]
    pub is_bundle: bool,
}

/// They as files. Carvel's tools read the locks strictly, the locations not.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "a map")]
struct ImagesLockFile {
    #[serde(default)]
    api_version: String,
    #[serde(default, deserialize_with = "or_default")]
    images: Vec<LockedImage>,
    #[serde(default)]
    kind: String,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "a map")]
struct BundleLockFile {
    #[serde(default)]
    api_version: String,
    bundle: LockedBundle,
    #[serde(default)]
    kind: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BundleInfoFile {
    api_version: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    authors: Vec<Author>,
    kind: String,
    metadata: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    websites: Vec<BTreeMap<&'static str, String>>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ImageLocationsFile {
    #[serde(default)]
    api_version: String,
    #[serde(default, deserialize_with = "or_default")]
    images: Vec<ImageLocation>,
    #[serde(default)]
    kind: String,
}

/// Checks what a file says that it is.
fn check(what: &str, kind: &str, file_version: &str, file_kind: &str) -> Result<(), Report> {
    let wrong = |reason: &str| Err(Report::new(format!("Validating {what}: {reason}")));
    if file_version != API_VERSION {
        return wrong(&format!(
            "Validating apiVersion: Unknown version (known: {API_VERSION})"
        ));
    }
    if file_kind != kind {
        return wrong(&format!("Validating kind: Unknown kind (known: {kind})"));
    }
    Ok(())
}

fn digested(what: &str, image: &str) -> Result<Reference, Report> {
    let wrong = |reason: String| Report::new(format!("Validating {what}: {reason}"));
    let reference: Reference = image.parse().map_err(wrong)?;
    match reference.digest {
        Some(_) => Ok(reference),
        None => Err(wrong(format!(
            "Expected ref to be in digest form, got '{image}'"
        ))),
    }
}

impl ImagesLock {
    /// Reads a lock. Names of images come out whole: `nginx@…` as `index.docker.io/library/nginx@…`.
    ///
    /// # Errors
    /// It is no lock, has fields that no lock has, or names an image without a digest; in imgpkg's words.
    pub fn parse(text: &[u8]) -> Result<ImagesLock, Report> {
        let mut file: ImagesLockFile = document::parse(text)
            .map_err(|reason| Report::new(format!("Unmarshaling images lock: {reason}")))?;
        check("images lock", "ImagesLock", &file.api_version, &file.kind)?;
        for locked in &mut file.images {
            locked.image = digested("images lock", &locked.image)?.to_string();
        }
        Ok(ImagesLock {
            images: file.images,
        })
    }

    /// The lock as a file.
    pub fn print(&self) -> Vec<u8> {
        document::print(&ImagesLockFile {
            api_version: API_VERSION.into(),
            images: self.images.clone(),
            kind: "ImagesLock".into(),
        })
    }

    /// The images as names with digests, in order.
    ///
    /// # Errors
    /// One has no digest.
    pub fn references(&self) -> Result<Vec<Reference>, Report> {
        let names = self.images.iter().map(|locked| locked.image.as_str());
        names.map(|image| digested("images lock", image)).collect()
    }
}

impl LockedImage {
    /// An image under its name before it was locked, by kbld's annotation.
    pub fn new(image: impl Into<String>, id: impl Into<String>) -> LockedImage {
        LockedImage {
            annotations: BTreeMap::from([(ID.to_string(), id.into())]),
            image: image.into(),
        }
    }
}

impl LockedBundle {
    /// Reads a `BundleLock`.
    ///
    /// # Errors
    /// It is none, or names the bundle without a digest.
    pub fn parse(text: &[u8]) -> Result<LockedBundle, Report> {
        let file: BundleLockFile = document::parse(text)
            .map_err(|reason| Report::new(format!("Unmarshaling bundle lock: {reason}")))?;
        check("bundle lock", "BundleLock", &file.api_version, &file.kind)?;
        digested("bundle lock", &file.bundle.image)?;
        Ok(file.bundle)
    }

    /// The `BundleLock` as a file.
    pub fn print(&self) -> Vec<u8> {
        document::print(&BundleLockFile {
            api_version: API_VERSION.into(),
            bundle: self.clone(),
            kind: "BundleLock".into(),
        })
    }
}

impl BundleInfo {
    /// The information as a file.
    pub fn print(&self) -> Vec<u8> {
        let website = |url: &String| BTreeMap::from([("url", url.clone())]);
        document::print(&BundleInfoFile {
            api_version: API_VERSION.into(),
            authors: self.authors.clone(),
            kind: "Bundle".into(),
            metadata: BTreeMap::from([("name", self.name.clone())]),
            websites: self.websites.iter().map(website).collect(),
        })
    }
}

impl ImageLocations {
    /// Reads the file of a locations image.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &[u8]) -> Result<ImageLocations, Report> {
        let file: ImageLocationsFile = document::parse(text)
            .map_err(|reason| Report::new(format!("Unmarshaling image locations: {reason}")))?;
        check(
            "image locations",
            "ImageLocations",
            &file.api_version,
            &file.kind,
        )?;
        Ok(ImageLocations {
            images: file.images,
        })
    }

    /// The file of a locations image.
    pub fn print(&self) -> Vec<u8> {
        let mut images = self.images.clone();
        images.sort();
        document::print(&ImageLocationsFile {
            api_version: API_VERSION.into(),
            images,
            kind: "ImageLocations".into(),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:8d0f95e51c4eadb201010041489461f87680054b5f1f6c8b79a483b36db39f2f";

    #[test]
    fn a_lock_there_and_back() {
        let text = format!(
            "---\napiVersion: imgpkg.carvel.dev/v1alpha1\nimages:\n- annotations:\n    kbld.carvel.dev/id: nginx\n  \
             image: index.docker.io/library/nginx@{DIGEST}\n- image: ghcr.io/a/b@{DIGEST}\nkind: ImagesLock\n"
        );
        let lock = ImagesLock::parse(text.as_bytes()).unwrap();
        assert_eq!(
            lock.images[0],
            LockedImage::new(format!("index.docker.io/library/nginx@{DIGEST}"), "nginx")
        );
        assert_eq!(String::from_utf8(lock.print()).unwrap(), text);
        let short = text.replace("index.docker.io/library/nginx@", "nginx@");
        assert_eq!(ImagesLock::parse(short.as_bytes()).unwrap(), lock);
    }

    #[test]
    fn empty_locks() {
        let empty = "---\napiVersion: imgpkg.carvel.dev/v1alpha1\nimages: []\nkind: ImagesLock\n";
        assert_eq!(
            String::from_utf8(ImagesLock::default().print()).unwrap(),
            empty
        );
        for text in [
            empty,
            &empty.replace("[]", ""),
            &empty.replace("images: []\n", ""),
        ] {
            assert_eq!(
                ImagesLock::parse(text.as_bytes()).unwrap(),
                ImagesLock::default()
            );
        }
    }

    #[test]
    fn what_is_no_lock() {
        let head = "apiVersion: imgpkg.carvel.dev/v1alpha1\nkind: ImagesLock\n";
        let table = [
            (
                format!("{head}images:\n- image: a\n  another-key: 1"),
                "Unmarshaling images lock: error unmarshaling JSON: while decoding JSON: json: unknown field \"another-key\"",
            ),
            (
                format!("{head}images: [{{image: 'nginx:v1'}}]"),
                "Validating images lock: Expected ref to be in digest form, got 'nginx:v1'",
            ),
            (
                "kind: ImagesLock".into(),
                "Validating images lock: Validating apiVersion: Unknown version (known: imgpkg.carvel.dev/v1alpha1)",
            ),
            (
                "apiVersion: imgpkg.carvel.dev/v1alpha1\nkind: BundleLock".into(),
                "Validating images lock: Validating kind: Unknown kind (known: ImagesLock)",
            ),
            (
                "".into(),
                "Validating images lock: Validating apiVersion: Unknown version (known: imgpkg.carvel.dev/v1alpha1)",
            ),
        ];
        for (text, want) in table {
            assert_eq!(ImagesLock::parse(text.as_bytes()).unwrap_err().text(), want);
        }
        for text in [
            "[",
            "- a",
            "1",
            "a: 1\n---\nb: 1",
            "images: {}",
            "images: [1]",
        ] {
            assert!(ImagesLock::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn who_made_it() {
        let info = BundleInfo {
            name: "supervisor".into(),
            authors: vec![Author {
                name: "Anna".into(),
                ..Author::default()
            }],
            websites: vec!["https://pinniped.dev".into()],
        };
        assert_eq!(
            String::from_utf8(info.print()).unwrap(),
            "---\napiVersion: imgpkg.carvel.dev/v1alpha1\nauthors:\n- name: Anna\nkind: Bundle\nmetadata:\n  name: \
             supervisor\nwebsites:\n- url: https://pinniped.dev\n"
        );
    }

    #[test]
    fn bundles_and_locations() {
        let bundle = format!(
            "---\napiVersion: imgpkg.carvel.dev/v1alpha1\nbundle:\n  image: 127.0.0.1:5005/pinniped/tiny@{DIGEST}\n  \
             tag: 0.39.0\nkind: BundleLock\n"
        );
        let parsed = LockedBundle::parse(bundle.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(parsed.print()).unwrap(), bundle);
        let locations = format!(
            "---\napiVersion: imgpkg.carvel.dev/v1alpha1\nimages:\n- image: 127.0.0.1:5005/apps/pinniped-server@{DIGEST}\n  \
             isBundle: false\nkind: ImageLocations\n"
        );
        let parsed = ImageLocations::parse(locations.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(parsed.print()).unwrap(), locations);
    }
}
