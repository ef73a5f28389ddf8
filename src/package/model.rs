//! The resources of packaging, as kapp-controller has them.

use serde::{Deserialize, Serialize};

/// Which versions of a package an install accepts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VersionSelection {
    /// Constraints, such as `>=0.25.0 <0.40.0`; empty for any version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub constraints: String,
    /// Which pre-releases are accepted; none if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prereleases: Option<Prereleases>,
}

/// Which pre-releases are accepted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Prereleases {
    /// One of these must be among the version's identifiers (`rc` of `1.0.0-rc.1`); all are accepted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub identifiers: Vec<String>,
}
