//! A selection for people: the way to it, and advice beside kapp-controller's own words.

use super::constraint::{Constraints, floor, pieces, split};
use super::model::{Prereleases, VersionSelection};
use super::select::{Candidate, Request, SelectError, Selection, Step, select};
use super::version::Version;
use serde::Serialize;

/// A selection with all that can be told about it.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// What each filter left, in order.
    #[serde(rename = "filters")]
    pub steps: Vec<Step>,
    /// The version; absent if there is an error.
    pub version: Option<String>,
    /// Why there is no version, in kapp-controller's words.
    pub error: Option<String>,
    /// Sentences that say what may not be meant; none if all is plain.
    #[serde(rename = "warnings")]
    pub advice: Vec<String>,
}

/// The version that a PackageInstall gets from these packages, as [`select`] finds it, and what to know about it.
pub fn explain(candidates: &[Candidate], request: &Request) -> Explanation {
    let selection = select(candidates, request);
    let advice = advice(candidates, request, &selection);
    let Selection { steps, result } = selection;
    let (version, error) = match result {
        Ok(version) => (Some(version), None),
        Err(error) => (None, Some(error.to_string())),
    };
    Explanation {
        steps,
        version,
        error,
        advice,
    }
}

fn advice(candidates: &[Candidate], request: &Request, selection: &Selection) -> Vec<String> {
    let constraints = request.selection.constraints.as_str();
    let mut advice = grammar(constraints);
    advice.extend(named_prerelease(request));
    advice.extend(selected_prerelease(constraints, selection));
    advice.extend(build_metadata(constraints, candidates, request));
    advice.extend(unread(candidates, request));
    advice.extend(unchecked(candidates, request));
    advice.extend(kctrl(candidates, request, selection));
    advice
}

/// What the grammar does to constraints that were written for another one.
fn grammar(constraints: &str) -> Vec<String> {
    let mut advice = Vec::new();
    let pieces = pieces(constraints);
    // A blank after an operator belongs to it.
    let is_lost = |piece: &&str| piece.len() == 1 && !matches!(*piece, ">" | "<" | "=");
    for lost in constraints.split(' ').filter(is_lost) {
        let rest = if pieces.is_empty() {
            "; leave the constraints empty for any version"
        } else {
            ""
        };
        advice.push(format!(
            "'{lost}' does not count, as nothing does that is one character between blanks{rest}"
        ));
    }
    for piece in pieces {
        let Ok((operator, version)) = split(&piece) else {
            continue;
        };
        advice.extend(piece_advice(&piece, operator, version));
    }
    advice
}

fn piece_advice(piece: &str, operator: &str, version: &str) -> Option<String> {
    let wildcard = version.ends_with(".x");
    let numbers = Version::parse(version).map(|version| version.numbers());
    if piece.contains("||") && piece != "||" {
        return Some("put blanks on both sides of '||'".into());
    }
    if piece.contains(',') {
        return Some("put blanks, not commas, between comparisons that must all hold".into());
    }
    if operator.ends_with('v') {
        let operator = operator.trim_end_matches('v');
        return Some(format!("leave the 'v' out: '{operator}{version}'"));
    }
    match (operator, wildcard, numbers) {
        ("^" | "~" | "~>", true, _) => Some(format!(
            "'{piece}' means exactly {}; for all that it covers write '{version}'",
            floor(version)
        )),
        ("^" | "~" | "~>", false, Ok([major, minor, _])) => {
            let next = match (operator, major) {
                ("^", 1..) => format!("{}.0.0", major.saturating_add(1)),
                _ => format!("{major}.{}.0", minor.saturating_add(1)),
            };
            Some(format!(
                "there is no '{operator}': write '>={version} <{next}'"
            ))
        }
        ("!" | "!=", true, _) => Some(format!(
            "'{piece}' asks for what is below and above '{version}' at once, which no version is: \
             write '<{} || >{version}'",
            floor(version)
        )),
        (_, true, _) if version.ends_with(".x.x") => Some(format!(
            "'{piece}' covers patches of minor version 0 alone: write '{}'",
            piece.replace(".x.x", ".x")
        )),
        (_, false, Err(_)) if is_short(version) => Some(format!(
            "'{version}' is no full version: write '{version}.x', or all three numbers"
        )),
        _ => None,
    }
}

/// One or two numbers where three belong.
fn is_short(version: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = version.split('.');
    parts.clone().count() < 3 && parts.all(is_number)
}

/// A comparison with a pre-release, while none is accepted.
fn named_prerelease(request: &Request) -> Option<String> {
    let selection = &request.selection;
    if selection.prereleases.is_some() || Version::parse(&selection.constraints).is_ok() {
        return None;
    }
    pieces(&selection.constraints).iter().find_map(|piece| {
        let (_, version) = split(piece).ok()?;
        Version::parse(version).ok().filter(Version::is_prerelease)?;
        Some(format!(
            "'{piece}' names a pre-release, and none is accepted without 'prereleases' (--prereleases)"
        ))
    })
}

/// A pre-release was taken of a version that the constraints leave out.
fn selected_prerelease(constraints: &str, selection: &Selection) -> Option<String> {
    let spelled = selection.result.as_ref().ok()?;
    let version = Version::parse_relaxed(spelled)
        .ok()
        .filter(Version::is_prerelease)?;
    let release = version.numbers_only();
    let parsed = Constraints::parse(constraints).ok()?;
    if parsed.matches(&release) != Ok(false) {
        return None;
    }
    Some(format!(
        "{spelled} is a pre-release of {release}, which '{constraints}' leaves out: \
         an upper bound keeps its pre-releases out if it ends in '-0', such as '<{release}-0'"
    ))
}

/// An exact version, while others differ from it in build metadata alone.
fn build_metadata(
    constraints: &str,
    candidates: &[Candidate],
    request: &Request,
) -> Option<String> {
    let exact = constraints.trim().trim_start_matches('=').trim();
    Version::parse(exact).ok()?;
    let other = candidates.iter().find(|candidate| {
        candidate.ref_name == request.ref_name
            && candidate
                .version
                .split_once('+')
                .is_some_and(|(version, _)| version == exact)
    })?;
    Some(format!(
        "{} is another version than {exact}: build metadata counts",
        other.version
    ))
}

/// Packages whose version is none.
fn unread(candidates: &[Candidate], request: &Request) -> Option<String> {
    let unread: Vec<&str> = candidates
        .iter()
        .filter(|candidate| candidate.ref_name == request.ref_name)
        .map(|candidate| candidate.version.as_str())
        .filter(|version| Version::parse_relaxed(version).is_err())
        .collect();
    (!unread.is_empty()).then(|| format!("no versions, so never taken: {}", unread.join(", ")))
}

/// Demands that nothing was known about.
fn unchecked(candidates: &[Candidate], request: &Request) -> Vec<String> {
    let asks = |demand: fn(&Candidate) -> bool| {
        candidates
            .iter()
            .any(|candidate| candidate.ref_name == request.ref_name && demand(candidate))
    };
    let mut advice = Vec::new();
    if request.kubernetes.is_none() && asks(|candidate| !candidate.kubernetes.is_empty()) {
        advice.push(
            "packages ask for versions of Kubernetes: not checked without --kubernetes-version"
                .into(),
        );
    }
    if request.kapp_controller.is_none() && asks(|candidate| !candidate.kapp_controller.is_empty())
    {
        advice.push(
            "packages ask for versions of kapp-controller: not checked without --kapp-controller-version".into(),
        );
    }
    advice
}

/// What `kctrl package install` would make of it without `--version`.
fn kctrl(candidates: &[Candidate], request: &Request, selection: &Selection) -> Option<String> {
    let theirs = Request {
        selection: VersionSelection {
            constraints: ">= 0.0.0".into(),
            prereleases: Some(Prereleases::default()),
        },
        ..request.clone()
    };
    let version = select(candidates, &theirs).result.ok()?;
    let differs = match &selection.result {
        Ok(ours) => *ours != version,
        Err(error) => matches!(error, SelectError::NoneLeft(_)),
    };
    let is_prerelease =
        Version::parse_relaxed(&version).is_ok_and(|version| version.is_prerelease());
    (differs && is_prerelease).then(|| {
        format!("kctrl accepts pre-releases unless told otherwise: without --version it would install {version}")
    })
}
