//! Versions and constraints: the first line is a constraint, each other a version. What matches does so again, and
//! versions have one order.
#![no_main]

use haulout::package::model::VersionSelection;
use haulout::package::select::{Candidate, Request, select};
use haulout::package::{constraint::Constraints, version::Version};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let mut lines = input.lines();
    let text = lines.next().unwrap_or_default();
    let candidates: Vec<Candidate> = lines
        .take(20)
        .map(|version| Candidate {
            ref_name: "a".into(),
            version: version.into(),
            kubernetes: text.into(),
            ..Candidate::default()
        })
        .collect();
    let of = |candidate: &Candidate| Version::parse(&candidate.version).ok();
    let versions: Vec<Version> = candidates.iter().filter_map(of).collect();
    if let Ok(constraints) = Constraints::parse(text) {
        for version in &versions {
            assert_eq!(
                constraints.matches(version).ok(),
                constraints.matches(version).ok()
            );
        }
    }
    for a in &versions {
        for b in &versions {
            assert_eq!(a.cmp(b), b.cmp(a).reverse());
        }
    }
    let request = Request {
        ref_name: "a".into(),
        selection: VersionSelection {
            constraints: text.into(),
            ..VersionSelection::default()
        },
        installed: candidates
            .first()
            .map(|candidate| candidate.version.clone()),
        kubernetes: Version::parse_reported(
            &candidates
                .last()
                .map_or_else(String::new, |last| last.version.clone()),
        )
        .ok(),
        ..Request::default()
    };
    let selection = select(&candidates, &request);
    if let Ok(version) = selection.result {
        assert!(
            candidates
                .iter()
                .any(|candidate| candidate.version == version)
        );
    }
});
