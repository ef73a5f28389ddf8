//! Which version of a package a PackageInstall gets: kapp-controller's filters, in its order and its words.

use super::constraint::{Constraints, EmptyAlternative};
use super::model::VersionSelection;
use super::quoted;
use super::version::Version;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A package that could be installed, as far as selection looks at it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Candidate {
    /// `spec.refName`
    pub ref_name: String,
    /// `spec.version`
    pub version: String,
    /// `spec.kubernetesVersionSelection.constraints`; empty for any.
    pub kubernetes: String,
    /// `spec.kappControllerVersionSelection.constraints`; empty for any.
    pub kapp_controller: String,
}

impl Candidate {
    /// Versions of one package that ask for nothing.
    pub fn of_versions(ref_name: &str, versions: &[String]) -> Vec<Candidate> {
        let candidate = |version: &String| Candidate {
            ref_name: ref_name.to_string(),
            version: version.clone(),
            ..Candidate::default()
        };
        versions.iter().map(candidate).collect()
    }
}

/// What is asked for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// The package's name.
    pub ref_name: String,
    /// The versions that the install accepts.
    pub selection: VersionSelection,
    /// The version that the install tried last, if any.
    pub installed: Option<String>,
    /// Whether a lower version than that is accepted (annotation `packaging.carvel.dev/downgradable`).
    pub downgradable: bool,
    /// The cluster's version; if absent, what candidates ask of it is taken to be met.
    #[serde(deserialize_with = "reported")]
    pub kubernetes: Option<Version>,
    /// kapp-controller's version; if absent, what candidates ask of it is taken to be met.
    #[serde(deserialize_with = "reported")]
    pub kapp_controller: Option<Version>,
}

/// A version as it is reported; an empty text is none.
fn reported<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Version>, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    let text = text.filter(|text| !text.is_empty());
    let version = text.map(|text| Version::parse_reported(&text));
    version.transpose().map_err(serde::de::Error::custom)
}

/// The way to a version, and where it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// What each filter left, in order; the first are all versions of the package that are versions at all.
    pub steps: Vec<Step>,
    /// The version as the package spells it.
    pub result: Result<String, SelectError>,
}

/// What one filter left.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// kapp-controller's name for it, such as `after-prereleases-filter`.
    #[serde(rename = "filter")]
    pub name: &'static str,
    /// The versions that are left, in the order of the candidates.
    #[serde(rename = "left")]
    pub versions: Vec<String>,
}

/// Why there is no version; its text is kapp-controller's.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectError {
    /// There is no package at all.
    NoPackages {
        /// The package that was asked for.
        ref_name: String,
    },
    /// The constraints are none.
    Constraints {
        /// The text.
        constraints: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No version is left; the number that each filter left.
    NoneLeft(Vec<(&'static str, usize)>),
    /// The best version is lower than the one that was tried last.
    Downgrade {
        /// The best version.
        version: String,
        /// The one tried last.
        installed: String,
    },
    /// The version that was tried last is none.
    Installed {
        /// Its text.
        installed: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A package's own demands cannot be read. No such package gets into a cluster.
    Package {
        /// The package's name.
        name: String,
        /// The field.
        field: &'static str,
        /// Its text.
        constraints: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl std::error::Error for SelectError {}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelectError::NoPackages { ref_name } => write!(f, "Package {ref_name} not found"),
            SelectError::Constraints {
                constraints,
                reason,
            } => write!(
                f,
                "Selecting versions: Parsing version constraint '{constraints}': {reason}"
            ),
            SelectError::NoneLeft(counts) => {
                f.write_str("Expected to find at least one version, but did not (details: ")?;
                for (index, (name, count)) in counts.iter().enumerate() {
                    let arrow = if index == 0 { "" } else { " -> " };
                    write!(f, "{arrow}{name}={count}")?;
                }
                f.write_str(")")
            }
            SelectError::Downgrade { version, installed } => write!(
                f,
                "Stopped installing matched version '{version}' since last attempted version '{installed}' is higher.\n\
                 hint: Add annotation packaging.carvel.dev/downgradable: \"\" to PackageInstall to proceed with downgrade"
            ),
            SelectError::Installed { installed, reason } => write!(
                f,
                "Filtering by last attempted version '{installed}': \
                 Parsing version constraint '>={installed}': {reason}"
            ),
            SelectError::Package {
                name,
                field,
                constraints,
                reason,
            } => write!(
                f,
                "Package {name}: spec.{field}.constraints: Invalid value: {}: {reason}",
                quoted(constraints)
            ),
        }
    }
}

/// The version that a PackageInstall gets from these packages: the highest that passes all filters, unless it is lower
/// than the one that is installed. Of versions that are equal but for how they are written the last counts.
pub fn select(candidates: &[Candidate], request: &Request) -> Selection {
    let mut steps = Vec::new();
    let result = highest(candidates, request, &mut steps).and_then(|version| {
        keep_installed(&version, request)?;
        Ok(version)
    });
    Selection { steps, result }
}

/// A version with its package.
#[derive(Clone)]
struct Entry<'a> {
    version: Version,
    candidate: &'a Candidate,
}

fn highest(
    candidates: &[Candidate],
    request: &Request,
    steps: &mut Vec<Step>,
) -> Result<String, SelectError> {
    if candidates.is_empty() {
        let ref_name = request.ref_name.clone();
        return Err(SelectError::NoPackages { ref_name });
    }
    let ours: Vec<&Candidate> = candidates
        .iter()
        .filter(|candidate| candidate.ref_name == request.ref_name)
        .collect();
    // Of two packages with one version the last one counts.
    let by_version: BTreeMap<&str, &Candidate> = ours
        .iter()
        .map(|candidate| (candidate.version.as_str(), *candidate))
        .collect();
    // What is no version is no error: it is not there.
    let mut entries: Vec<Entry<'_>> = ours
        .iter()
        .filter_map(|candidate| {
            Some(Entry {
                version: Version::parse_relaxed(&candidate.version).ok()?,
                candidate: by_version.get(candidate.version.as_str())?,
            })
        })
        .collect();
    let mut note = |name, entries: &[Entry<'_>]| {
        let spelled = |entry: &Entry<'_>| entry.candidate.version.clone();
        steps.push(Step {
            name,
            versions: entries.iter().map(spelled).collect(),
        });
    };
    note("all", &entries);

    entries.retain(|entry| accepts_prerelease(&request.selection, &entry.version));
    note("after-prereleases-filter", &entries);

    if ours
        .iter()
        .any(|candidate| !candidate.kubernetes.is_empty())
    {
        let version = request.kubernetes.as_ref();
        keep_suited(&mut entries, version, KUBERNETES)?;
        note("after-kubernetes-version-check", &entries);
    }

    let version = request.kapp_controller.as_ref().map(Version::numbers_only);
    keep_suited(&mut entries, version.as_ref(), KAPP_CONTROLLER)?;
    note("after-kapp-controller-version-check", &entries);

    let constraints = &request.selection.constraints;
    if !constraints.is_empty() {
        let fault = |reason: String| SelectError::Constraints {
            constraints: constraints.clone(),
            reason,
        };
        let parsed = Constraints::parse(constraints).map_err(fault)?;
        let matched = keep(&mut entries, |entry| parsed.matches(&entry.version));
        matched.map_err(|empty| fault(empty.to_string()))?;
        note("after-constraints-filter", &entries);
    }

    let highest = entries.iter().max_by(|a, b| a.version.cmp(&b.version));
    highest
        .map(|entry| entry.candidate.version.clone())
        .ok_or_else(|| {
            let counts = steps.iter().map(|step| (step.name, step.versions.len()));
            SelectError::NoneLeft(counts.collect())
        })
}

/// Whether pre-releases are accepted, or this one; a constraint that is one full version accepts itself.
fn accepts_prerelease(selection: &VersionSelection, version: &Version) -> bool {
    if !version.is_prerelease() {
        return true;
    }
    match &selection.prereleases {
        Some(accepted) => {
            let known = |identifier: &str| accepted.identifiers.iter().any(|one| one == identifier);
            accepted.identifiers.is_empty() || version.identifiers().any(known)
        }
        None => Version::parse(&selection.constraints).is_ok_and(|named| named.is_prerelease()),
    }
}

/// What packages ask of where they are installed: the field, and how to get its constraints.
type Demand = (&'static str, fn(&Candidate) -> &str);

const KUBERNETES: Demand = ("kubernetesVersionSelection", |candidate| {
    &candidate.kubernetes
});
const KAPP_CONTROLLER: Demand = ("kappControllerVersionSelection", |candidate| {
    &candidate.kapp_controller
});

/// Keeps the candidates whose demand this version meets.
fn keep_suited(
    entries: &mut Vec<Entry<'_>>,
    version: Option<&Version>,
    (field, demand): Demand,
) -> Result<(), SelectError> {
    let Some(version) = version else {
        return Ok(());
    };
    keep(entries, |entry| {
        let constraints = demand(entry.candidate);
        if constraints.is_empty() {
            return Ok(true);
        }
        let parsed = Constraints::parse(constraints);
        let matched = parsed.and_then(|parsed| {
            let empty = |empty: EmptyAlternative| empty.to_string();
            parsed.matches(version).map_err(empty)
        });
        matched.map_err(|reason| SelectError::Package {
            name: format!("{}.{}", entry.candidate.ref_name, entry.candidate.version),
            field,
            constraints: constraints.to_string(),
            reason,
        })
    })
}

fn keep<T: Clone, E>(
    items: &mut Vec<T>,
    mut wanted: impl FnMut(&T) -> Result<bool, E>,
) -> Result<(), E> {
    let mut kept = Vec::with_capacity(items.len());
    for item in items.iter() {
        if wanted(item)? {
            kept.push(item.clone());
        }
    }
    *items = kept;
    Ok(())
}

/// Refuses a version that is lower than the installed one.
fn keep_installed(version: &str, request: &Request) -> Result<(), SelectError> {
    let Some(installed) = request.installed.as_ref().filter(|text| !text.is_empty()) else {
        return Ok(());
    };
    if request.downgradable {
        return Ok(());
    }
    let fault = |reason: String| SelectError::Installed {
        installed: installed.clone(),
        reason,
    };
    let floor = Constraints::parse(&format!(">={installed}")).map_err(fault)?;
    // It was read before.
    let selected = Version::parse_relaxed(version).map_err(fault)?;
    if floor
        .matches(&selected)
        .map_err(|empty| fault(empty.to_string()))?
    {
        return Ok(());
    }
    Err(SelectError::Downgrade {
        version: version.to_string(),
        installed: installed.clone(),
    })
}
