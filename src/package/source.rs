//! What a version of a package renders: its bundle's files, rendered with an install's values as kapp-controller would.

use super::app::{AppSpec, AppTemplate, Fetch, InlineSource, Template, YttTemplate};
use super::archive::Tree;
use super::build::refuse;
use super::bundle;
use super::lock::config::Config;
use super::lock::{self, Offline};
use super::model::Package;
use super::object::{Object, objects};
use super::reference::Reference;
use super::repository::{Found, Repository, SOURCES};
use crate::diagnostic::Report;
use crate::files::{File, apply_marks};
use crate::paths;
use crate::position;
use crate::render::{self, Inspect, Options, Request};
use crate::schema::Schema;
use crate::values::Flags;
use crate::values::flags::ValuesFile;
use crate::yaml::{self, Document, ParseOptions, Value};

/// What an install gives to a package.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Files of data values, the strongest last.
    pub values: Vec<ValuesFile>,
    /// Files that ytt reads after the package's own, such as overlays.
    pub overlays: Vec<File>,
}

impl Inputs {
    /// Whether a file of values gives this one, at the top; what is no YAML gives none.
    pub fn gives(&self, key: &str) -> bool {
        let options = ParseOptions {
            strict: false,
            without_comments: true,
        };
        self.values.iter().any(|file| {
            let source = position::Source::file(&file.path, file.bytes.as_slice());
            let documents = yaml::parse(&source, options).unwrap_or_default();
            let mut maps = documents.items.iter().filter_map(|one| one.value.as_map());
            maps.any(|map| map.get(key).is_some())
        })
    }
}

/// A version of a package with what its bundle holds.
#[derive(Clone)]
pub struct Source {
    /// The package.
    pub package: Package,
    request: Request,
    /// What kbld's steps read beside what ytt renders.
    locks: Vec<Value>,
    notes: Vec<String>,
    inputs: Inputs,
}

/// A version of a package, rendered.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The package.
    pub package: Package,
    /// What it renders; objects all of them.
    pub documents: Vec<Document>,
    /// What values it takes.
    pub schema: Schema,
    /// The values that it takes if none are given.
    pub defaults: Value,
    /// What is to be known of what it is made of.
    pub notes: Vec<String>,
}

impl Rendered {
    /// The objects.
    pub fn objects(&self) -> Vec<Object<'_>> {
        objects(&self.documents).unwrap_or_default()
    }
}

/// The folder of a repository that holds what the bundle of a version was made of.
pub fn folder(ref_name: &str, version: &str) -> String {
    format!("{SOURCES}/{ref_name}/{version}")
}

/// What is to be known if the files that stand for a package's bundle are not those that its digest names: they were
/// changed since, or a program that compresses otherwise has packed them. The field comes first.
pub fn altered(package: &Package, files: &[File]) -> Option<(String, String)> {
    let mut bundles = package.bundles();
    let (Some((path, image)), None) = (bundles.next(), bundles.next()) else {
        return None;
    };
    let expected = image.parse::<Reference>().ok()?.digest?;
    let spec = &package.spec;
    let found = Tree::of(files.iter().map(|file| (file.path(), file)))
        .and_then(|tree| bundle::digest(&tree));
    let found = match found {
        Ok(digest) if digest == expected => return None,
        Ok(digest) => digest.to_string(),
        Err(report) => format!("no bundle ({})", report.text()),
    };
    let message = format!(
        "'{}' is not the bundle that the package names: expected {expected}, found {found} (hint: if it was changed, build \
         the package anew, or pull {image} into it; the digest also differs if another program than haulout pushed it)",
        folder(&spec.ref_name, &spec.version)
    );
    Some((path, message))
}

/// A version of a package in a repository.
///
/// # Errors
/// It is not there; the names or versions that are there are told.
pub fn find<'a>(
    repository: &'a Repository,
    ref_name: &str,
    version: &str,
) -> Result<&'a Found<Package>, Report> {
    if let Some(found) = repository.package(ref_name, version) {
        return Ok(found);
    }
    known(repository, ref_name)?;
    let versions = repository.versions();
    let versions = versions.iter().find(|(name, _)| *name == ref_name);
    let versions = versions.map(|(_, versions)| versions.join(", "));
    Err(Report::new(format!(
        "no version '{version}' of '{ref_name}' in the repository, which has: {}",
        versions.unwrap_or_default()
    )))
}

/// Fails if a repository has no such package at all.
///
/// # Errors
/// It has not; the names that it has are told.
pub fn known(repository: &Repository, ref_name: &str) -> Result<(), Report> {
    let versions = repository.versions();
    let names: Vec<&str> = versions.iter().map(|(name, _)| *name).collect();
    if names.contains(&ref_name) {
        return Ok(());
    }
    let known = match names.as_slice() {
        [] => "none".to_string(),
        names => names.join(", "),
    };
    Err(Report::new(format!(
        "no package '{ref_name}' in the repository, which has: {known}"
    )))
}

impl Source {
    /// The package with the files of its bundle, their paths in it.
    ///
    /// # Errors
    /// There are no files; or the package is not made of one ytt step, with kbld's after it if need be.
    pub fn new(package: &Package, bundle: Vec<File>) -> Result<Source, Report> {
        let spec = &package.spec;
        let name = format!("{} {}", spec.ref_name, spec.version);
        if bundle.is_empty() {
            let images: Vec<String> = package.bundles().map(|(_, image)| image.into()).collect();
            let folder = folder(&spec.ref_name, &spec.version);
            return Err(Report::new(match images.as_slice() {
                [] => format!("what {name} is made of is missing: there is nothing in '{folder}'"),
                images => format!(
                    "the bundle of {name} is missing: {} (hint: haulout bundle pull -b {} -o REPOSITORY/{folder})",
                    images.join(", "),
                    images.join(" "),
                ),
            }));
        }
        let step = step(package)
            .map_err(|reason| Report::new(format!("{name} cannot be rendered here: {reason}")))?;
        Ok(Source {
            package: package.clone(),
            locks: locks(package, &bundle)?,
            notes: altered(package, &bundle)
                .into_iter()
                .map(|(_, message)| message)
                .collect(),
            request: Request {
                files: files(step, bundle)?,
                options: Options {
                    ignore_unknown_comments: step.ignore_unknown_comments,
                    ..Options::default()
                },
                ..Request::default()
            },
            inputs: Inputs::default(),
        })
    }

    /// A package that is not built yet: these templates, rendered as they would be once they are.
    ///
    /// # Errors
    /// The name or the version is none, in kapp-controller's words; or there are no templates.
    pub fn of_templates(ref_name: &str, version: &str, files: Vec<File>) -> Result<Source, Report> {
        let mut package = Package::new(ref_name, version);
        refuse("Package", &package.metadata.name, package.check())?;
        package.spec.template = Some(AppTemplate {
            spec: AppSpec {
                fetch: vec![Fetch::default()],
                template: vec![Template {
                    ytt: Some(YttTemplate::default()),
                    ..Template::default()
                }],
                ..AppSpec::default()
            },
        });
        Source::new(&package, files)
    }

    /// The same with an install's values and overlays.
    #[must_use]
    pub fn with(mut self, inputs: &Inputs) -> Source {
        self.inputs = inputs.clone();
        self
    }

    /// Renders, the values checked first against the schema and its rules.
    ///
    /// # Errors
    /// What ytt says of the values, or of anything else; or what is rendered is no object.
    pub fn render(&self) -> Result<Rendered, Report> {
        let mut request = self.request.clone();
        let schema = render::schema(&request)?;
        request.inspect = Inspect::Values;
        request.options.skip_validation = true;
        let defaults = render::render(&request)?;
        request.options.skip_validation = false;
        request.inspect = Inspect::None;
        request.files.extend(self.inputs.overlays.iter().cloned());
        request.values = Flags {
            files: self.inputs.values.clone(),
            ..Flags::default()
        };
        let documents = render::render(&request)?.documents.items.into_iter();
        let documents = documents.filter(|document| !document.is_empty());
        let documents: Vec<Document> = self.locked(documents.collect())?;
        if objects(&documents).is_none() {
            let spec = &self.package.spec;
            return Err(Report::new(format!(
                "{} {} renders something that is no object: it has no apiVersion, kind or metadata.name",
                spec.ref_name, spec.version
            )));
        }
        let defaults = defaults.documents.items.into_iter().next();
        Ok(Rendered {
            package: self.package.clone(),
            documents,
            schema,
            defaults: defaults.map(|document| document.value).unwrap_or_default(),
            notes: self.notes.clone(),
        })
    }
}

impl Source {
    /// The documents as kbld's steps leave them: each image that a lock of the bundle names becomes what it names. Others
    /// are left alone, since kbld would ask a registry, and so is what tells of images in annotations.
    fn locked(&self, mut documents: Vec<Document>) -> Result<Vec<Document>, Report> {
        if self.locks.is_empty() {
            return Ok(documents);
        }
        let (_, config) = Config::split(self.locks.clone())?;
        for document in &mut documents {
            let mut images = lock::Images::new();
            for image in lock::find(std::slice::from_ref(&document.value), &config) {
                // What it cannot find out stays as it is.
                images
                    .extend(lock::resolve(&[image].into(), &config, &Offline).unwrap_or_default());
            }
            document.value = lock::apply(&document.value, &config, &images, false);
        }
        Ok(documents)
    }
}

/// The documents of the files that kbld's steps read.
fn locks(package: &Package, bundle: &[File]) -> Result<Vec<Value>, Report> {
    let template = package.spec.template.iter();
    let steps = template.flat_map(|template| &template.spec.template);
    let kbld = steps.filter_map(|step| step.kbld.as_ref());
    let paths: Vec<String> = kbld
        .flat_map(|kbld| kbld.paths.iter().map(|path| paths::clean(path)))
        .collect();
    let mut locks = Vec::new();
    for file in bundle {
        if paths.iter().any(|path| path == file.path()) {
            locks.extend(lock::resources(&file.source()?.text, file.description())?);
        }
    }
    Ok(locks)
}

/// The ytt step of a package.
fn step(package: &Package) -> Result<&YttTemplate, String> {
    let spec = package
        .spec
        .template
        .as_ref()
        .map(|template| &template.spec);
    let spec = spec.ok_or("it has no template")?;
    if spec.fetch.len() != 1 {
        return Err(format!("it fetches {} things, not one", spec.fetch.len()));
    }
    let is_kbld = |template: &Template| template.kbld.is_some();
    match spec.template.as_slice() {
        [Template { ytt: Some(ytt), .. }, rest @ ..] if rest.iter().all(is_kbld) => Ok(ytt),
        _ => Err("its steps are not one of ytt and then those of kbld".into()),
    }
}

/// The files that the step reads: those below each of its paths, by their path there; then those that stand in it.
fn files(step: &YttTemplate, bundle: Vec<File>) -> Result<Vec<File>, Report> {
    let everything = vec![String::from(".")];
    let paths = if step.paths.is_empty() {
        &everything
    } else {
        &step.paths
    };
    let mut files = Vec::new();
    for path in paths {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let before = files.len();
        for file in &bundle {
            let below = match path {
                "." | "" => Some(file.path()),
                path => file.path().strip_prefix(path).and_then(|rest| match rest {
                    "" => Some(file.name()),
                    rest => rest.strip_prefix('/'),
                }),
            };
            if let Some(below) = below {
                let below = below.to_string();
                let mut file = file.clone();
                file.set_path(below);
                files.push(file);
            }
        }
        if files.len() == before {
            return Err(Report::new(format!(
                "the package renders '{path}', which its bundle does not have"
            )));
        }
    }
    let inline = step.inline.iter();
    for (path, text) in inline.clone().flat_map(|inline| &inline.paths) {
        files.push(File::new(
            path.clone(),
            format!("file '{path}'"),
            text.clone(),
        ));
    }
    if let Some(source) = inline.flat_map(|inline| &inline.paths_from).next() {
        let InlineSource {
            secret_ref,
            config_map_ref,
        } = source;
        let name = secret_ref.as_ref().or(config_map_ref.as_ref());
        let name = name.map(|reference| reference.name.as_str());
        return Err(Report::new(format!(
            "the package takes files from '{}', which is in the cluster alone",
            name.unwrap_or_default()
        )));
    }
    apply_marks(files, &step.file_marks)
}
