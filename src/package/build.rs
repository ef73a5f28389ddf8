//! Packages from templates: the bundle, its lock, the Package and what is said of it, with no registry and no cluster.
//!
//! The image of a release becomes the default of the values `image_repo` and `image_digest`, if the source has them, so
//! that what is locked is what is deployed. Images in strings, such as a program's configuration in a ConfigMap, are
//! found by rules of kbld's, which go into the bundle, so that they follow the bundle to another registry. The bundle's
//! digest is that of haulout's own archive: whoever pushes the bundle by haulout gets it.

use super::app::{
    AppSpec, AppTemplate, Deploy, Fetch, ImgpkgBundleFetch, KappDeploy, KbldTemplate, Template,
    YttTemplate,
};
use super::archive::{Node, Tree};
use super::bundle::{IMAGES_LOCK, Image};
use super::images::{API_VERSION, ImagesLock};
use super::lock::config::Config;
use super::lock::{self, Offline, search};
use super::model::{Metadata, Package, PackageMetadata, Resource, ValuesSchema, print};
use super::names::{FieldError, check_ref_name, refusal};
use super::reference::{Reference, Repository};
use super::repository::PACKAGES;
use crate::diagnostic::Report;
use crate::files::File;
use crate::render::{self, Inspect, render};
use crate::schema::export::openapi;
use crate::yaml::{self, Map, MapItem, Value, print_value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Where a build keeps what the bundle is made of.
pub const BUNDLE: &str = "bundle";

/// Where a bundle keeps its templates.
const CONFIG: &str = "config";

/// Where a bundle keeps the rules that find its images, if kbld's own do not suffice.
const RULES: &str = "kbld.yml";

/// The file that makes the released image the default. It sorts last: of two documents with values the later one counts.
const RELEASED: &str = "config/zz-released-image.yml";

/// The values that say which image is deployed.
const IMAGE_REPO: &str = "image_repo";
pub(super) const IMAGE_DIGEST: &str = "image_digest";
pub(super) const IMAGE_TAG: &str = "image_tag";

const GROUP: &str = "data.packaging.carvel.dev";

/// What a package is built from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The templates, in ytt style, by their path in the folder that is rendered.
    pub templates: Tree,
    /// The package's name: `supervisor.pinniped.dev`.
    pub ref_name: String,
    /// The version: a full one, without `v`.
    pub version: String,
    /// Where the bundle will be.
    pub bundle_repo: Repository,
    /// The images that are released.
    pub images: Vec<Released>,
    /// What is new, in words.
    pub release_notes: String,
    /// What is said of the package; its name may be left out.
    pub metadata: PackageMetadata,
    /// Whether images without a digest are let pass.
    pub allow_unlocked: bool,
}

/// An image that is released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released {
    /// The text in the resources that it takes the place of; without one it is the image of the values `image_repo` and
    /// `image_digest`, or of every text that names its repository.
    pub name: Option<String>,
    /// The image.
    pub image: Reference,
}

impl std::str::FromStr for Released {
    type Err = String;

    /// Reads `REF@sha256:…` or `NAME=REF@sha256:…`.
    fn from_str(text: &str) -> Result<Released, String> {
        let (name, image) = match text.split_once('=') {
            Some((name, image)) => (Some(name.to_string()), image),
            None => (None, text),
        };
        let image = image.parse()?;
        Ok(Released { name, image })
    }
}

/// A package that was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// What the bundle is made of.
    pub bundle: Tree,
    /// The bundle as it is pushed.
    pub image: Image,
    /// The bundle's name, with its digest.
    pub reference: Reference,
    /// The version.
    pub package: Package,
    /// What is said of it.
    pub metadata: PackageMetadata,
    /// What should be known, a line each.
    pub warnings: Vec<String>,
}

impl Built {
    /// The resources by their path in a repository.
    pub fn resources(&self) -> [(String, Vec<u8>); 2] {
        let spec = &self.package.spec;
        let folder = format!("{PACKAGES}/{}", spec.ref_name);
        [
            (
                format!("{folder}/{}.yml", spec.version),
                print(&[self.package.document()]),
            ),
            (
                format!("{folder}/metadata.yml"),
                print(&[self.metadata.document()]),
            ),
        ]
    }

    /// All files: `bundle/…` and `packages/…`.
    ///
    /// # Errors
    /// There is none for what [`build`] gives.
    pub fn tree(&self) -> Result<Tree, Report> {
        let mut tree = Tree::default();
        for (path, bytes) in files(&self.bundle) {
            tree.add(&format!("{BUNDLE}/{path}"), bytes, false)?;
        }
        for (path, bytes) in self.resources() {
            tree.add(&path, bytes, false)?;
        }
        Ok(tree)
    }
}

/// Builds a package.
///
/// # Errors
/// A name or the version is none, in kapp-controller's words; the templates cannot be rendered with the values that they
/// have themselves; an image is not locked, or is in no resource.
pub fn build(source: &Source) -> Result<Built, Report> {
    let mut package = Package::new(&source.ref_name, &source.version);
    refuse("Package", &package.metadata.name, package.check())?;
    let metadata = metadata(source)?;

    let mut bundle = Tree::default();
    for (path, bytes) in files(&source.templates) {
        bundle.add(&format!("{CONFIG}/{path}"), bytes, false)?;
    }
    let defaults = defaults(source, &bundle)?;
    if !defaults.is_empty() {
        bundle.add(RELEASED, released_values(&defaults), false)?;
    }

    let images = Images::find(rendered(&bundle)?)?;
    let (lock, warnings) = images.lock(source)?;
    bundle.add(IMAGES_LOCK, lock.print(), false)?;
    bundle.add(".imgpkg/bundle.yml", description(&source.ref_name), false)?;
    let has_rules = !images.rules.search_rules.is_empty();
    if has_rules {
        bundle.add(RULES, images.rules.print(), false)?;
    }

    let image = Image::bundle(&bundle, BTreeMap::new())?;
    let reference = source.bundle_repo.at(image.digest());
    let schema = render::schema(&request(&bundle)?)?;
    let spec = &mut package.spec;
    spec.release_notes.clone_from(&source.release_notes);
    spec.values_schema = schema.is_declared().then(|| ValuesSchema {
        open_api_v3: with_defaults(openapi::data_values(&schema), &defaults),
    });
    spec.template = Some(template(&reference, has_rules));
    Ok(Built {
        bundle,
        image,
        reference,
        package,
        metadata,
        warnings,
    })
}

/// Refuses what kapp-controller would refuse, in its words.
pub(super) fn refuse(kind: &str, name: &str, errors: Vec<FieldError>) -> Result<(), Report> {
    match errors.as_slice() {
        [] => Ok(()),
        errors => Err(Report::new(refusal(kind, GROUP, name, errors))),
    }
}

fn metadata(source: &Source) -> Result<PackageMetadata, Report> {
    let mut metadata = source.metadata.clone();
    let name = &mut metadata.metadata.name;
    if name.is_empty() {
        name.clone_from(&source.ref_name);
    }
    if *name != source.ref_name {
        return Err(Report::new(format!(
            "Expected the PackageMetadata to be that of '{}', but its name is '{name}'",
            source.ref_name
        )));
    }
    let error = check_ref_name("metadata.name", name);
    refuse("PackageMetadata", name, error.into_iter().collect())?;
    // A repository's folder decides the namespace.
    metadata.metadata.namespace.clear();
    if metadata.spec == Default::default() {
        metadata.spec.display_name.clone_from(&source.ref_name);
    }
    Ok(metadata)
}

/// The files of a tree. That some may be executed is left out: nothing in a bundle is, and what a checkout says of it
/// would decide the digest.
fn files(tree: &Tree) -> impl Iterator<Item = (String, &[u8])> {
    tree.nodes().filter_map(|(path, node)| match node {
        Node::File { bytes, .. } => Some((path, bytes.as_slice())),
        Node::Folder => None,
    })
}

/// A render of a bundle's templates as kapp-controller makes it.
fn request(bundle: &Tree) -> Result<render::Request, Report> {
    let mut templates = Vec::new();
    for (path, bytes) in files(bundle) {
        if let Some(path) = path
            .strip_prefix(CONFIG)
            .and_then(|path| path.strip_prefix('/'))
        {
            templates.push(File::new(path, format!("file '{path}'"), bytes));
        }
    }
    templates.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(render::Request {
        files: templates,
        ..render::Request::default()
    })
}

/// The resources with the values that the templates have themselves.
fn rendered(bundle: &Tree) -> Result<Vec<Value>, Report> {
    let output = render(&request(bundle)?)
        .map_err(|report| report.context("Rendering with the package's own values"))?;
    let resources = lock::resources(&yaml::print(&output.documents), "rendered resources")?;
    match resources.is_empty() {
        true => Err(Report::new(
            "Expected the templates to render resources, but they render none",
        )),
        false => Ok(resources),
    }
}

/// Values that take the place of the templates' own, if these say by values which image is deployed.
fn defaults(source: &Source, bundle: &Tree) -> Result<Vec<(&'static str, String)>, Report> {
    let Some(released) = source.images.iter().find(|image| image.name.is_none()) else {
        return Ok(Vec::new());
    };
    let request = render::Request {
        inspect: Inspect::Values,
        ..request(bundle)?
    };
    let values =
        render(&request).map_err(|report| report.context("Reading the package's own values"))?;
    let values = values
        .documents
        .items
        .first()
        .map(|document| &document.value);
    let has = |key: &str| {
        values
            .and_then(Value::as_map)
            .is_some_and(|map| map.get(key).is_some())
    };
    let image = &released.image;
    let (key, value) = match image.digest {
        Some(digest) => (IMAGE_DIGEST, digest.to_string()),
        None => (IMAGE_TAG, image.tag().to_string()),
    };
    if !has(IMAGE_REPO) || !has(key) {
        return Ok(Vec::new());
    }
    Ok(vec![
        (IMAGE_REPO, image.repository.to_string()),
        (key, value),
    ])
}

fn released_values(defaults: &[(&str, String)]) -> Vec<u8> {
    let items = defaults
        .iter()
        .map(|(key, value)| (Value::str(*key), Value::str(value.as_str())));
    let mut out = b"#! The image of this release.\n#@data/values\n---\n".to_vec();
    out.extend(print_value(&Value::map(items)));
    out
}

/// A schema with other defaults for some of its properties.
fn with_defaults(schema: Value, defaults: &[(&str, String)]) -> Value {
    let mut schema = schema;
    for (key, value) in defaults {
        schema = replaced(&schema, &["properties", key, "default"], value);
    }
    schema
}

/// The value with a text at a path, if something is there.
fn replaced(value: &Value, path: &[&str], text: &str) -> Value {
    let (Some((key, rest)), Value::Map(map)) = (path.split_first(), value) else {
        return match path {
            [] => Value::str(text),
            _ => value.clone(),
        };
    };
    let items = map.items.iter().map(|item| match item.key.as_str() {
        Some(name) if name == *key => MapItem {
            value: replaced(&item.value, rest, text),
            ..item.clone()
        },
        _ => item.clone(),
    });
    Value::Map(Rc::new(Map {
        items: items.collect(),
        ..Map::default()
    }))
}

/// The images of resources.
struct Images {
    /// What kbld is told by the resources themselves, and how images in strings are found.
    config: Config,
    /// The rules for images in strings alone.
    rules: Config,
    /// Images with the resources that they stand in.
    found: BTreeMap<String, BTreeSet<String>>,
    /// Images in strings that no rule can find, likewise.
    hidden: BTreeMap<String, BTreeSet<String>>,
}

impl Images {
    fn find(resources: Vec<Value>) -> Result<Images, Report> {
        let (resources, mut config) = Config::split(resources)?;
        let mut rules = Config::default();
        for resource in &resources {
            for hidden in search::hidden(resource, &config.rules()) {
                rules.search_rules.extend(hidden.rule());
            }
        }
        rules.search_rules = rules.own_rules();
        config.add(rules.clone());
        let mut images = Images {
            config,
            rules,
            found: BTreeMap::new(),
            hidden: BTreeMap::new(),
        };
        for resource in &resources {
            let place = lock::description(resource);
            for image in lock::find(std::slice::from_ref(resource), &images.config) {
                images.found.entry(image).or_default().insert(place.clone());
            }
            for hidden in search::hidden(resource, &images.config.rules()) {
                let places = images.hidden.entry(hidden.image).or_default();
                places.insert(place.clone());
            }
        }
        Ok(images)
    }

    /// The lock, and what is to be said of images that are not in it.
    fn lock(&self, source: &Source) -> Result<(ImagesLock, Vec<String>), Report> {
        let mut config = self.config.clone();
        config.add(Config::of_map(self.replacements(source)?));
        let mut resolved = lock::Images::new();
        let mut unlocked = Vec::new();
        let mut warnings = Vec::new();
        let line = |image: &str, places: &BTreeSet<String>| {
            let places: Vec<&str> = places.iter().map(String::as_str).collect();
            format!("'{image}' in {}", places.join(", "))
        };
        for (image, places) in &self.found {
            match lock::resolve(&BTreeSet::from([image.clone()]), &config, &Offline) {
                Ok(images) => resolved.extend(images),
                Err(_) => unlocked.push(line(image, places)),
            }
        }
        for (image, places) in &self.hidden {
            let line = line(image, places) + ", where no rule of kbld's finds it";
            match image.parse::<Reference>() {
                Ok(Reference {
                    digest: Some(_), ..
                }) => warnings.push(format!("not locked: {line}")),
                _ => unlocked.push(line),
            }
        }
        if !unlocked.is_empty() && !source.allow_unlocked {
            return Err(Report::new(format!(
                "Expected images to have a digest, which these have not:\n- {}\n\
                 (hint: say which image is released: REF@sha256:…, or NAME=REF@sha256:… for an image \
                 that stands in the resources as NAME; or allow images that are not locked)",
                unlocked.join("\n- ")
            )));
        }
        warnings.extend(
            unlocked
                .into_iter()
                .map(|line| format!("not locked: {line}")),
        );
        Ok((lock::images_lock(&resolved, true), warnings))
    }

    /// What the released images take the place of.
    fn replacements(&self, source: &Source) -> Result<BTreeMap<String, String>, Report> {
        let mut map = BTreeMap::new();
        for released in &source.images {
            let image = &released.image;
            if image.digest.is_none() && !source.allow_unlocked {
                return Err(Report::new(format!(
                    "Expected the released image to have a digest, which '{image}' has not (hint: or allow images that are not \
                     locked)"
                )));
            }
            let is_meant = |text: &str| match &released.name {
                Some(name) => name == text,
                None => text
                    .parse::<Reference>()
                    .is_ok_and(|reference| reference.repository == image.repository),
            };
            let mut is_used = false;
            for text in self.found.keys().filter(|text| is_meant(text)) {
                let stands = text
                    .parse::<Reference>()
                    .ok()
                    .and_then(|found| found.digest);
                is_used |= match (&released.name, stands, image.digest) {
                    (None, Some(found), Some(digest)) => found == digest,
                    _ => true,
                };
                let has_place = released.name.is_some() || stands.is_none();
                if has_place && image.digest.is_some() {
                    map.insert(text.clone(), image.to_string());
                }
            }
            if !is_used {
                let found: Vec<&str> = self.found.keys().map(String::as_str).collect();
                let found = match found.as_slice() {
                    [] => "none".into(),
                    found => found.join(", "),
                };
                return Err(Report::new(format!(
                    "Expected the image '{image}' in the rendered resources, which have {found}"
                )));
            }
        }
        Ok(map)
    }
}

/// What imgpkg's documentation asks of a bundle beside its lock.
fn description(name: &str) -> Vec<u8> {
    let name = Value::map([(Value::str("name"), Value::str(name))]);
    print(&[Value::map([
        (Value::str("apiVersion"), Value::str(API_VERSION)),
        (Value::str("kind"), Value::str("Bundle")),
        (Value::str("metadata"), name),
    ])])
}

/// The bundle is fetched, rendered by ytt, its images taken from the lock, and all deployed by kapp.
fn template(bundle: &Reference, has_rules: bool) -> AppTemplate {
    let mut locks = vec![IMAGES_LOCK.to_string()];
    if has_rules {
        locks.push(RULES.into());
    }
    locks.push("-".into());
    let ytt = YttTemplate {
        paths: vec![format!("{CONFIG}/")],
        ..YttTemplate::default()
    };
    AppTemplate {
        spec: AppSpec {
            fetch: vec![Fetch {
                imgpkg_bundle: Some(ImgpkgBundleFetch {
                    image: bundle.to_string(),
                    ..ImgpkgBundleFetch::default()
                }),
                ..Fetch::default()
            }],
            template: vec![
                Template {
                    ytt: Some(ytt),
                    ..Template::default()
                },
                Template {
                    kbld: Some(KbldTemplate { paths: locks }),
                    ..Template::default()
                },
            ],
            deploy: vec![Deploy {
                kapp: Some(KappDeploy::default()),
            }],
            ..AppSpec::default()
        },
    }
}

/// What is said of a package of which nothing is known but a name for people.
pub fn titled(name: &str) -> PackageMetadata {
    let mut metadata = PackageMetadata {
        metadata: Metadata::default(),
        ..PackageMetadata::default()
    };
    metadata.spec.display_name = name.to_string();
    metadata
}
