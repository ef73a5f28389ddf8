//! Bundles for sites without a network: archives in, archives out. What asks a registry is the command line's alone.

use super::making::outputs;
use super::packages::{OutputFile, answer, files};
use super::value::InputFile;
use crate::diagnostic::Report;
use crate::package::archive::Tree;
use crate::package::bundle::{self, Image};
use crate::package::hold::Hold;
use crate::package::reference::Reference;
use crate::package::shipment::{self, Shipment};
use crate::yaml::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `BundleOptions` of the types.
    #[wasm_bindgen(typescript_type = "BundleOptions")]
    pub type JsBundleOptions;
    /// `BundleArchive` of the types.
    #[wasm_bindgen(typescript_type = "BundleArchive")]
    pub type JsBundleArchive;
    /// `BundleFiles` of the types.
    #[wasm_bindgen(typescript_type = "BundleFiles")]
    pub type JsBundleFiles;
    /// `BundleInspection` of the types.
    #[wasm_bindgen(typescript_type = "BundleInspection")]
    pub type JsBundleInspection;
}

/// A bundle: files that become one, or an archive that holds one.
#[derive(Default, Deserialize)]
#[serde(default, expecting = "a map")]
struct BundleOptions {
    /// The name that the files are to have, with a tag.
    bundle: String,
    files: Vec<InputFile>,
    labels: BTreeMap<String, String>,
    /// Archives that hold the images that the files' lock names.
    images: Vec<InputFile>,
    archive: Option<InputFile>,
}

/// An archive, which messages call by its path.
fn archive(file: InputFile) -> Result<Hold, Report> {
    let (path, bytes) = file.into_parts();
    Hold::of_archive(&path, &bytes)
}

impl BundleOptions {
    /// What the files make.
    fn image(&mut self) -> Result<(Tree, Image), Report> {
        let files = files(std::mem::take(&mut self.files));
        if files.is_empty() {
            return Err(Report::new("Expected files or an archive"));
        }
        let tree = Tree::of(files.iter().map(|file| (file.path(), file)))?;
        let image = Image::bundle(&tree, std::mem::take(&mut self.labels))?;
        Ok((tree, image))
    }

    fn hold(mut self) -> Result<Hold, Report> {
        if let Some(file) = self.archive {
            return archive(file);
        }
        let (tree, image) = self.image()?;
        let name: Reference = self.bundle.parse().map_err(Report::new)?;
        if name.digest.is_some() {
            return Err(Report::new(format!(
                "Expected a name with a tag and no digest, which its content decides: '{name}'"
            )));
        }
        let others: Result<Vec<Hold>, Report> = self.images.into_iter().map(archive).collect();
        Hold::of_bundle(&image, &bundle::lock_of(&tree)?, &name, &others?)
    }
}

#[derive(Serialize)]
struct BundleArchive {
    bundle: String,
    archive: Value,
}

/// An archive of a bundle with its images: `haulout bundle to-tar`, or of an archive `haulout bundle copy --to-tar`.
///
/// # Errors
/// As the command line has them; or an image is in none of the archives.
#[wasm_bindgen(js_name = "bundleToTar")]
pub fn to_tar(options: &JsBundleOptions) -> Result<JsBundleArchive, JsError> {
    let result = answer(options, |options: BundleOptions| {
        let hold = options.hold()?;
        Ok(BundleArchive {
            bundle: hold.root()?.original().to_string(),
            archive: Value::str(hold.to_archive()?),
        })
    });
    result.map(Into::into)
}

#[derive(Serialize)]
struct BundleFiles {
    bundle: String,
    files: Vec<OutputFile>,
}

/// The files of a bundle in an archive: `haulout bundle from-tar`.
///
/// # Errors
/// As the command line has them.
#[wasm_bindgen(js_name = "bundleFromTar")]
pub fn from_tar(options: &JsBundleOptions) -> Result<JsBundleFiles, JsError> {
    let result = answer(options, |options: BundleOptions| {
        let hold = options.hold()?;
        let root = hold.root()?;
        Ok(BundleFiles {
            bundle: root.original().to_string(),
            files: outputs(&hold.tree(root)?),
        })
    });
    result.map(Into::into)
}

#[derive(Serialize)]
struct BundleInspection {
    digest: String,
    text: String,
}

/// What is in a bundle: `haulout bundle inspect`.
///
/// # Errors
/// As the command line has them.
#[wasm_bindgen(js_name = "inspectBundle")]
pub fn inspect(options: &JsBundleOptions) -> Result<JsBundleInspection, JsError> {
    let result = answer(options, |mut options: BundleOptions| {
        let (digest, text) = if options.archive.is_some() {
            let hold = options.hold()?;
            let root = hold.root()?;
            let lock = bundle::lock_of(&hold.tree(root)?)?;
            let digest = root.digest();
            (digest, shipment::inspect(digest, &lock, Some(&hold))?)
        } else {
            let (tree, image) = options.image()?;
            let lock = bundle::lock_of(&tree)?;
            let digest = image.digest();
            (digest, shipment::inspect(digest, &lock, None)?)
        };
        Ok(BundleInspection {
            digest: digest.to_string(),
            text,
        })
    });
    result.map(Into::into)
}
