//! Names and versions of packages, checked as kapp-controller's API checks them, in its words.

use super::constraint::Constraints;
use super::model::{Constraint, Package, PackageMetadata};
use super::quoted;
use super::version::Version;
use std::fmt;

/// A field that an API refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Where: `spec.refName`.
    pub path: String,
    /// The value, unless it is missing.
    pub value: Option<String>,
    /// What is wrong with it; may be empty if it is missing.
    pub detail: String,
}

impl FieldError {
    fn required(path: &str, detail: &str) -> FieldError {
        FieldError {
            path: path.into(),
            value: None,
            detail: detail.into(),
        }
    }

    fn invalid(path: &str, value: &str, detail: impl Into<String>) -> FieldError {
        FieldError {
            path: path.into(),
            value: Some(value.into()),
            detail: detail.into(),
        }
    }
}

/// As Kubernetes prints it.
impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldError { path, detail, .. } = self;
        match &self.value {
            Some(value) => write!(f, "{path}: Invalid value: {}: {detail}", quoted(value)),
            None if detail.is_empty() => write!(f, "{path}: Required value"),
            None => write!(f, "{path}: Required value: {detail}"),
        }
    }
}

/// What the API server answers to a resource with such fields: `Package.data.packaging.carvel.dev "x" is invalid: …`.
pub fn refusal(kind: &str, group: &str, name: &str, errors: &[FieldError]) -> String {
    let name = quoted(name);
    let texts: Vec<String> = errors.iter().map(FieldError::to_string).collect();
    match texts.as_slice() {
        [one] => format!("{kind}.{group} {name} is invalid: {one}"),
        _ => format!("{kind}.{group} {name} is invalid: [{}]", texts.join(", ")),
    }
}

const MOST_CHARACTERS: usize = 253;

const NOT_A_SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
     and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Checks the name of a package: a domain of three segments or more.
pub fn check_ref_name(path: &str, name: &str) -> Option<FieldError> {
    if name.is_empty() {
        return Some(FieldError::required(path, ""));
    }
    let mut details = Vec::new();
    if name.len() > MOST_CHARACTERS {
        details.push(format!("must be no more than {MOST_CHARACTERS} characters"));
    }
    if !name.split('.').all(is_label) {
        details.push(NOT_A_SUBDOMAIN.into());
    }
    if !details.is_empty() {
        return Some(FieldError::invalid(path, name, details.join(",")));
    }
    (name.split('.').count() < 3).then(|| {
        FieldError::invalid(
            path,
            name,
            "should be a domain with at least three segments separated by dots",
        )
    })
}

/// `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
fn is_label(text: &str) -> bool {
    let is_alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.first().is_some_and(is_alphanumeric)
        && bytes.last().is_some_and(is_alphanumeric)
        && bytes
            .iter()
            .all(|byte| is_alphanumeric(byte) || *byte == b'-')
}

/// Checks the version of a package: a full one.
pub fn check_version(path: &str, version: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if version.is_empty() {
        errors.push(FieldError::invalid(path, version, "cannot be empty"));
    }
    if let Err(reason) = Version::parse(version) {
        let detail = format!("must be valid semver: {reason}");
        errors.push(FieldError::invalid(path, version, detail));
    }
    errors
}

impl Package {
    /// What the API has against it; nothing if it is valid.
    pub fn check(&self) -> Vec<FieldError> {
        let (name, spec) = (&self.metadata.name, &self.spec);
        let mut errors = Vec::new();
        if spec.ref_name.is_empty() {
            errors.push(FieldError::required("spec.refName", "can not be empty"));
        }
        errors.extend(check_ref_name("spec.refName", &spec.ref_name));
        errors.extend(check_version("spec.version", &spec.version));
        if *name != format!("{}.{}", spec.ref_name, spec.version) {
            let detail = "must be <spec.refName> + '.' + <spec.version>";
            errors.push(FieldError::invalid("metadata.name", name, detail));
        }
        let demands = [
            (
                "kubernetesVersionSelection",
                &spec.kubernetes_version_selection,
            ),
            (
                "kappControllerVersionSelection",
                &spec.kapp_controller_version_selection,
            ),
        ];
        for (field, demand) in demands {
            let Some(Constraint { constraints }) = demand else {
                continue;
            };
            if let Err(reason) = Constraints::parse(constraints) {
                let path = format!("spec.{field}.constraints");
                errors.push(FieldError::invalid(&path, constraints, reason));
            }
        }
        errors
    }
}

impl PackageMetadata {
    /// What the API has against it; nothing if it is valid.
    pub fn check(&self) -> Vec<FieldError> {
        check_ref_name("metadata.name", &self.metadata.name)
            .into_iter()
            .collect()
    }
}
