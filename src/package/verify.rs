//! All that is wrong with a repository, at once: what kapp-controller would refuse, and what it would take for
//! something else than was meant.

use super::app::{AppSpec, Fetch, Template};
use super::bundle::IMAGES_LOCK;
use super::draft::inside;
use super::images::{ID, LockedImage};
use super::model::{Package, Resource};
use super::names::FieldError;
use super::reference::Reference;
use super::repository::{Found, Repository};
use super::source::{altered, folder};
use crate::diagnostic::{Diagnostic, Severity};
use crate::files::File;
use crate::position::{Position, Source};
use crate::yaml::{Value, json_value};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What is wrong with the files of a repository, their paths below it; sorted by place. Errors are what makes it
/// unusable, warnings what may not be meant. What its bundles were made of is looked at if it is among the files.
pub fn verify(files: &[File]) -> Vec<Diagnostic> {
    let (repository, mut told) = Repository::read(files);
    for found in &repository.packages {
        check_names(found, &found.resource.check(), &mut told);
        check_schema(found, &mut told);
        check_app(found, &mut told);
        check_source(found, files, &mut told);
    }
    for found in &repository.metadata {
        check_names(found, &found.resource.check(), &mut told);
    }
    check_conflicts(&repository.packages, &mut told);
    check_conflicts(&repository.metadata, &mut told);
    // A lock that cannot be read has been told already.
    let is_there = files.iter().any(|file| file.path() == IMAGES_LOCK);
    if repository.lock.is_some() || !is_there {
        check_images(&repository, &mut told);
    }
    told.sort_by(|a, b| {
        let key = |diagnostic: &Diagnostic| {
            (
                diagnostic.origin.file().to_string(),
                diagnostic.origin.line(),
            )
        };
        key(a).cmp(&key(b))
    });
    told
}

fn fault(place: Position, message: impl ToString) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(message.to_string());
    diagnostic.origin = place;
    diagnostic
}

fn warning(place: Position, message: impl ToString) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        ..fault(place, message)
    }
}

/// What the API has against a resource, except where a value is of a wrong type and so is not known.
fn check_names<T>(found: &Found<T>, errors: &[FieldError], told: &mut Vec<Diagnostic>) {
    let is_name_known = found.is_known("spec.refName") && found.is_known("spec.version");
    let certain = |error: &&FieldError| {
        found.is_known(&error.path) && (is_name_known || error.path != "metadata.name")
    };
    let faults = errors.iter().filter(certain);
    told.extend(faults.map(|error| fault(found.place(&error.path), error)));
}

/// The fields that no type tells enough of.
fn check_schema(found: &Found<Package>, told: &mut Vec<Diagnostic>) {
    let spec = &found.resource.spec;
    if let Some(schema) = &spec.values_schema
        && !matches!(schema.open_api_v3, Value::Null | Value::Map(_))
    {
        let path = "spec.valuesSchema.openAPIv3";
        let kind = schema.open_api_v3.kind();
        told.push(fault(
            found.place(path),
            format!("{path}: expected a map, found {kind}"),
        ));
    }
    if let Some(time) = &spec.released_at
        && !is_time(time)
    {
        let path = "spec.releasedAt";
        let message =
            format!("{path}: expected a time such as 2024-05-01T12:00:00Z, found '{time}'");
        told.push(fault(found.place(path), message));
    }
}

/// Whether a text is a time as RFC 3339 has it, in Go's reading.
fn is_time(text: &str) -> bool {
    let number = |range: std::ops::Range<usize>, least: u32, most: u32| {
        text.get(range)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .is_some_and(|number: u32| (least..=most).contains(&number))
    };
    let marks = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")];
    let date = marks
        .iter()
        .all(|(at, mark)| text.get(*at..at + 1) == Some(mark))
        && number(0..4, 0, 9999)
        && number(5..7, 1, 12)
        && number(8..10, 1, 31)
        && number(11..13, 0, 23)
        && number(14..16, 0, 59)
        && number(17..19, 0, 59);
    let rest = text.get(19..).unwrap_or_default();
    let fraction = rest
        .strip_prefix('.')
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let zone = fraction.unwrap_or(rest);
    let start = text.len() - zone.len();
    let shift = zone.len() == 6
        && zone.starts_with(['+', '-'])
        && zone.get(3..4) == Some(":")
        && number(start + 1..start + 3, 0, 23)
        && number(start + 4..start + 6, 0, 59);
    date && !rest.starts_with(".Z") && (zone == "Z" || shift)
}

/// What kapp-controller would refuse once the package is installed.
fn check_app(found: &Found<Package>, told: &mut Vec<Diagnostic>) {
    let mut tell = |path: &str, message: String| {
        if found.is_known(path) {
            told.push(fault(found.place(path), format!("{path}: {message}")));
        }
    };
    let Some(template) = &found.resource.spec.template else {
        return tell(
            "spec.template",
            "nothing says how the package is fetched, rendered and deployed".into(),
        );
    };
    let AppSpec {
        fetch,
        template,
        deploy,
        ..
    } = &template.spec;
    if fetch.is_empty() {
        tell(
            "spec.template.spec.fetch",
            "Expected at least one fetch option".into(),
        );
    }
    for (index, fetch) in fetch.iter().enumerate() {
        let path = format!("spec.template.spec.fetch[{index}]");
        one_of(
            ways_to_fetch(fetch),
            "Unsupported way to fetch templates",
            |message| tell(&path, message),
        );
    }
    if template.is_empty() {
        tell(
            "spec.template.spec.template",
            "Expected at least one template option".into(),
        );
    }
    for (index, template) in template.iter().enumerate() {
        let path = format!("spec.template.spec.template[{index}]");
        one_of(
            ways_to_template(template),
            "Unsupported way to template",
            |message| tell(&path, message),
        );
    }
    let path = "spec.template.spec.deploy";
    match deploy.as_slice() {
        [deploy] if deploy.kapp.is_some() => {}
        [_] => tell(path, "Unsupported way to deploy".into()),
        _ => tell(path, "Expected exactly one deploy option".into()),
    }
}

/// Whether what stands beside the packages is still what their digests name.
fn check_source(found: &Found<Package>, files: &[File], told: &mut Vec<Diagnostic>) {
    let spec = &found.resource.spec;
    let source = inside(files, &folder(&spec.ref_name, &spec.version));
    if source.is_empty() {
        return;
    }
    if let Some((path, message)) = altered(&found.resource, &source) {
        told.push(warning(found.place(&path), message));
    }
}

fn one_of(ways: usize, none: &str, tell: impl FnOnce(String)) {
    match ways {
        0 => tell(none.into()),
        1 => {}
        several => tell(format!("expected one way, found {several}")),
    }
}

fn ways_to_fetch(fetch: &Fetch) -> usize {
    let ways = [
        fetch.inline.is_some(),
        fetch.image.is_some(),
        fetch.http.is_some(),
        fetch.git.is_some(),
        fetch.helm_chart.is_some(),
        fetch.imgpkg_bundle.is_some(),
    ];
    ways.iter().filter(|way| **way).count()
}

/// Kustomize and Jsonnet are declared, but not there.
fn ways_to_template(template: &Template) -> usize {
    let ways = [
        template.ytt.is_some(),
        template.kbld.is_some(),
        template.helm_template.is_some(),
        template.sops.is_some(),
        template.cue.is_some(),
    ];
    ways.iter().filter(|way| **way).count()
}

/// Two resources of one kind and name.
fn check_conflicts<T: Resource>(all: &[Found<T>], told: &mut Vec<Diagnostic>) {
    let mut known: BTreeMap<String, (&Found<T>, Value)> = BTreeMap::new();
    // What cannot be read at all has no name.
    for new in all.iter().filter(|found| found.is_known("metadata.name")) {
        let document = new.resource.document();
        let name = name(&document);
        let Some((existing, earlier)) = known.get(&name) else {
            known.insert(name, (new, document));
            continue;
        };
        let place = new.place("metadata.name");
        let other = existing.place("metadata.name");
        let resource = format!("{}/{name}", T::KIND);
        let mut diagnostic = match difference(earlier, &document) {
            Some(reason) => fault(
                place,
                format!(
                    "Conflicting resources: {resource} is already present but not identical ({reason}); see {other}"
                ),
            ),
            None => warning(place, format!("{resource} is already present; see {other}")),
        };
        diagnostic.rule = other;
        told.push(diagnostic);
    }
}

/// Packages that another repository, in a folder of this name, has too, and that differ; that one is there first. Which
/// of two counts is said by their revisions; without them both cannot be.
pub fn conflicts(new: &Repository, existing: &Repository, folder: &str) -> Vec<Diagnostic> {
    let mut told = Vec::new();
    check_against(&new.packages, &existing.packages, folder, &mut told);
    check_against(&new.metadata, &existing.metadata, folder, &mut told);
    told
}

fn check_against<T: Resource>(
    new: &[Found<T>],
    existing: &[Found<T>],
    folder: &str,
    told: &mut Vec<Diagnostic>,
) {
    let known: BTreeMap<String, (&Found<T>, Value)> = existing
        .iter()
        .map(|found| (found, found.resource.document()))
        .map(|(found, document)| (name(&document), (found, document)))
        .collect();
    for found in new {
        let document = found.resource.document();
        let name = name(&document);
        let Some((other, existing)) = known.get(&name) else {
            continue;
        };
        let Some(reason) = difference(existing, &document) else {
            continue;
        };
        let place = found.place("metadata.name");
        let resource = format!("{}/{name}", T::KIND);
        let see = format!("see {folder}/{}", other.place("metadata.name"));
        told.push(match revision(&document).cmp(&revision(existing)) {
            Ordering::Less => warning(
                place,
                format!("{resource} gives way to one of a higher revision; {see}"),
            ),
            Ordering::Greater => warning(
                place,
                format!("{resource} replaces one of a lower revision; {see}"),
            ),
            Ordering::Equal => fault(
                place,
                format!(
                    "Conflicting resources: {resource} is already present but not identical ({reason}); {see}"
                ),
            ),
        });
    }
}

/// The annotation by which one of two packages of one name counts; what is no number counts as none.
fn revision(document: &Value) -> Vec<i64> {
    let annotations = field(document, "metadata").and_then(|meta| field(meta, "annotations"));
    let text = annotations.and_then(|all| field(all, "packaging.carvel.dev/revision")?.as_str());
    let number = |part: &str| part.parse().unwrap_or(-1);
    text.map_or(vec![-1], |text| text.split('.').map(number).collect())
}

fn name(document: &Value) -> String {
    let name = field(document, "metadata").and_then(|metadata| field(metadata, "name"));
    name.and_then(Value::as_str).unwrap_or_default().to_string()
}

fn field<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    Some(&value.as_map()?.get(key)?.value)
}

/// In what two resources of one name differ, in kapp-controller's words; keys that no type has do not count.
pub(super) fn difference(existing: &Value, new: &Value) -> Option<String> {
    let keys = |document: &Value| {
        let spec = field(document, "spec").and_then(Value::as_map);
        let items = spec.into_iter().flat_map(|spec| &spec.items);
        let keys = items.filter_map(|item| item.key.as_str().map(str::to_string));
        keys.collect::<BTreeSet<String>>()
    };
    let (old, now) = (keys(existing), keys(new));
    if let Some(key) = now.difference(&old).next() {
        return Some(format!("adding spec.{key}"));
    }
    let text = |document, part: &str, key: &str| {
        let value = field(document, part).and_then(|part| field(part, key));
        value.and_then(|value| json_value(value, 0, false).ok())
    };
    let differs = |part: &str, key: &str| text(existing, part, key) != text(new, part, key);
    for key in &old {
        if !now.contains(key) {
            return Some(format!("missing spec.{key}"));
        }
        if differs("spec", key) {
            return Some(format!("mismatch in spec.{key}"));
        }
    }
    let mut parts = ["labels", "annotations"].into_iter();
    parts
        .find(|part| differs("metadata", part))
        .map(|part| format!("mismatch in metadata.{part}"))
}

/// Bundles and images that are not named by digest, or are missing in the lock.
fn check_images(repository: &Repository, told: &mut Vec<Diagnostic>) {
    let lock = repository.lock.as_ref();
    if lock.is_none() {
        let place = Position::in_source(&Source::file(IMAGES_LOCK, ""));
        let message =
            "is missing, and no bundle is without it; 'haulout repository build' makes it";
        told.push(warning(place, message));
    }
    let locked = lock.map_or(&[][..], |found| &found.resource.images);
    let mut used = Vec::new();
    for found in &repository.packages {
        for (path, name) in found.resource.bundles() {
            used.push(name);
            let place = found.place(&path);
            match name.parse::<Reference>() {
                Err(reason) => told.push(fault(place, format!("{path}: {reason}"))),
                Ok(_) if locked.iter().any(|image| stands_for(image, name)) => {}
                Ok(reference) if reference.digest.is_none() => told.push(fault(
                    place,
                    format!("{path}: '{name}' {BY_TAG}, and {IMAGES_LOCK} does not lock it"),
                )),
                Ok(_) if lock.is_some() => told.push(warning(
                    place,
                    format!(
                        "{path}: '{name}' is not in {IMAGES_LOCK}, so that a copy of the repository leaves it behind"
                    ),
                )),
                Ok(_) => {}
            }
        }
        for (index, fetch) in found.resource.fetches().enumerate() {
            let image = fetch
                .image
                .as_ref()
                .filter(|image| image.tag_selection.is_none());
            let Some(name) = image.map(|image| &image.url) else {
                continue;
            };
            if name
                .parse::<Reference>()
                .is_ok_and(|reference| reference.digest.is_none())
            {
                let path = format!("spec.template.spec.fetch[{index}].image.url");
                let message =
                    format!("{path}: '{name}' {BY_TAG}, and no lock speaks of plain images");
                told.push(fault(found.place(&path), message));
            }
        }
    }
    for (index, image) in locked.iter().enumerate() {
        if !used.iter().any(|name| stands_for(image, name)) {
            let path = format!("images[{index}].image");
            let place = lock.map(|lock| lock.place(&path)).unwrap_or_default();
            told.push(warning(
                place,
                format!("no package refers to '{}'", image.image),
            ));
        }
    }
}

const BY_TAG: &str = "is named by a tag, which may come to mean another image";

/// Whether a locked image is the one that a package means by a name.
pub(super) fn stands_for(image: &LockedImage, name: &str) -> bool {
    let is_it = |reference: Reference| reference.to_string() == image.image;
    image.annotations.get(ID).is_some_and(|id| id == name) || name.parse().is_ok_and(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for text in ["2024-05-01T12:00:00Z", "2024-05-01T12:00:00.123+02:00"] {
            assert!(is_time(text), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "2024-05-01",
            "2024-13-01T12:00:00Z",
            "2024-05-01T12:00:00",
            "2024-05-01T12:00:00.Z",
            "2024-05-01T12:00:00+0200",
            "é024-05-01T12:00:00Z",
        ] {
            assert!(!is_time(text), "{text}");
        }
    }
}
