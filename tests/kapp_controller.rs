//! kapp-controller's rules against what it did itself (`selection.json` and `validation.txt` of the reference, where they
//! are at hand), against tables that stand without it, and in any order.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic
)]

use haulout::files::File;
use haulout::package::constraint::Constraints;
use haulout::package::explain::explain;
use haulout::package::model::{
    Constraint, Metadata, Package, PackageMetadata, PackageSpec, Prereleases, Resource,
    VersionSelection,
};
use haulout::package::names::{FieldError, check_ref_name, refusal};
use haulout::package::repository::Repository;
use haulout::package::select::{Candidate, Request, select};
use haulout::package::version::Version;
use haulout::yaml::json_value;
use serde_json::Value;
use std::path::PathBuf;

const NAME: &str = "supervisor.pinniped.dev";

fn reference(name: &str) -> Option<String> {
    let folder = std::env::var_os("HAULOUT_REFERENCE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/reference"),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(folder.join("packaging").join(name)).ok();
    if text.is_none() {
        println!("skipped: {name} of the reference is not at hand");
    }
    text
}

fn candidate(version: &str) -> Candidate {
    Candidate {
        ref_name: NAME.into(),
        version: version.into(),
        ..Candidate::default()
    }
}

fn request(constraints: &str, identifiers: Option<&[&str]>) -> Request {
    Request {
        ref_name: NAME.into(),
        selection: VersionSelection {
            constraints: constraints.into(),
            prereleases: identifiers.map(|identifiers| Prereleases {
                identifiers: identifiers.iter().map(|one| (*one).into()).collect(),
            }),
        },
        ..Request::default()
    }
}

fn outcome(candidates: &[Candidate], request: &Request) -> Result<String, String> {
    let selection = select(candidates, request);
    selection.result.map_err(|error| error.to_string())
}

#[test]
fn as_recorded() {
    let Some(text) = reference("selection.json") else {
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut differences = Vec::new();
    for case in &cases {
        let text = |key: &str| case[key].as_str().map(str::to_string);
        let annotated = |name: &str| {
            case["ann"]
                .get(format!("packaging.carvel.dev/{name}"))
                .is_some()
        };
        let demand = |key: &str, version: &str| {
            let demand = case[key].get(version).and_then(Value::as_str);
            demand.unwrap_or_default().to_string()
        };
        let versions: Vec<&str> = case["versions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|version| version.as_str().unwrap())
            .collect();
        let candidates: Vec<Candidate> = versions
            .iter()
            .map(|version| Candidate {
                kubernetes: demand("k8s", version),
                kapp_controller: demand("kc", version),
                ..candidate(version)
            })
            .collect();
        let identifiers: Option<Vec<&str>> = case["prereleases"]
            .as_array()
            .map(|list| list.iter().map(|one| one.as_str().unwrap()).collect());
        // The stand-in for the cluster gave its version whole, pre-release and all.
        let version = |key: &str, ignored: &str| {
            text(key)
                .filter(|_| !annotated(ignored))
                .map(|text| Version::parse(&text).unwrap())
        };
        let request = Request {
            installed: text("lastAttempted"),
            downgradable: annotated("downgradable"),
            kubernetes: version("k8sVer", "ignore-kubernetes-version-selection"),
            kapp_controller: version("kcVer", "ignore-kapp-controller-version-selection"),
            ..request(&text("constraints").unwrap(), identifiers.as_deref())
        };
        let found = outcome(&candidates, &request);
        let useful = case["status"]["usefulErrorMessage"].as_str();
        let expected = match useful.map(str::to_string).or(text("error")) {
            Some(error) => Err(error),
            None => Ok(text("selected").unwrap()),
        };
        let same = if text("panic").is_some() {
            found
                .as_ref()
                .is_err_and(|error| error.contains("kapp-controller crashes"))
        } else {
            found == expected
        };
        if !same {
            differences.push(format!("{case}\n  found {found:?}"));
        }
    }
    println!("recorded selections: {}", cases.len());
    assert!(!cases.is_empty());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn by_the_rules() {
    let none: Option<&[&str]> = None;
    let any: Option<&[&str]> = Some(&[]);
    let broken = |constraints: &str, reason: &str| {
        Err(format!(
            "Selecting versions: Parsing version constraint '{constraints}': {reason}"
        ))
    };
    let plain = "1.8.0 1.9.0 1.10.0 2.0.0";
    let mixed = "1.9.0 2.0.0-beta.1 2.0.0-rc.1 2.0.0 3.0.0-rc.1";
    let ok = |version: &str| Ok(version.to_string());
    let table = [
        (plain, "", none, ok("2.0.0")),
        (plain, "<2.0.0", none, ok("1.10.0")),
        (plain, "<  1.10.0", none, ok("1.9.0")),
        (plain, ">=\t1.9.0 !=2.0.0", none, ok("1.10.0")),
        (plain, "1.x", none, ok("1.10.0")),
        (plain, "=1.x", none, ok("1.10.0")),
        (plain, "<1.10.x", none, ok("1.9.0")),
        (plain, "<=1.9.x", none, ok("1.9.0")),
        (plain, ">1.x", none, ok("2.0.0")),
        (plain, "1.8.0 || 1.9.0 || 7.0.0", none, ok("1.9.0")),
        (plain, "<1.9.0 || >2.0.0", none, ok("1.8.0")),
        (plain, "^1.9.x", none, ok("1.9.0")),
        (plain, "! 2.0.0", none, ok("2.0.0")),
        (plain, ">1.+8.x <1.10.0", none, ok("1.9.0")),
        ("2.0.0", "2.0.0 || || 1.0.0", none, ok("2.0.0")),
        (
            plain,
            "2.0.0 || || 1.0.0",
            none,
            broken(
                "2.0.0 || || 1.0.0",
                "Expected a version between '||' and '||' (kapp-controller crashes on this)",
            ),
        ),
        (
            plain,
            "2.0.0 || x || 1.0.0",
            none,
            broken(
                "2.0.0 || x || 1.0.0",
                "Expected a version between '||' and '||' (kapp-controller crashes on this)",
            ),
        ),
        (plain, "{}", none, broken("{}", "Could not get version from string: \"{}\"")),
        (
            plain,
            "{}1.0.0",
            none,
            broken(
                "{}1.0.0",
                "Could not parse Range \"{}1.0.0\": Could not parse comparator \"{}\" in \"{}1.0.0\"",
            ),
        ),
        (
            plain,
            "9223372036854775808.x",
            none,
            broken("9223372036854775808.x", "Could not get version from string: \"<\""),
        ),
        (
            plain,
            ">9223372036854775807.x",
            none,
            broken(
                ">9223372036854775807.x",
                "Could not parse Range \">=-9223372036854775808.0.0\": Could not parse comparator \">=-\" in \">=-9223372036854775808.0.0\"",
            ),
        ),
        (
            plain,
            ">é",
            none,
            broken(">é", "Could not get version from string: \">é\""),
        ),
        (plain, "> ", none, broken("> ", "Could not get version from string: \">\"")),
        (mixed, "", none, ok("2.0.0")),
        (mixed, "", any, ok("3.0.0-rc.1")),
        (mixed, "<3.0.0", any, ok("3.0.0-rc.1")),
        (mixed, "<3.0.0-0", any, ok("2.0.0")),
        (mixed, "<2.0.0", Some(&["beta"]), ok("2.0.0-beta.1")),
        (mixed, "2.0.0-beta.1", none, ok("2.0.0-beta.1")),
        (
            mixed,
            "=2.0.0-beta.1",
            none,
            Err("Expected to find at least one version, but did not (details: all=5 -> after-prereleases-filter=2 -> after-kapp-controller-version-check=2 -> after-constraints-filter=0)".into()),
        ),
        ("v1.0.0 0.9.0 vv2.0.0 3.0 x", "", none, ok("v1.0.0")),
        ("1.0.0+1 1.0.0+a 1.0.0", "<=1.0.0", none, ok("1.0.0")),
        ("1.0.0+1 v1.0.0+01", "", none, ok("v1.0.0+01")),
    ];
    for (available, constraints, identifiers, want) in table {
        let candidates: Vec<Candidate> = available.split(' ').map(candidate).collect();
        let found = outcome(&candidates, &request(constraints, identifiers));
        assert_eq!(found, want, "{constraints:?} of {available}");
    }
}

#[test]
fn what_packages_ask_for() {
    let demanding = |version: &str, kubernetes: &str, kapp_controller: &str| Candidate {
        kubernetes: kubernetes.into(),
        kapp_controller: kapp_controller.into(),
        ..candidate(version)
    };
    let candidates = [
        demanding("1.0.0", "", ""),
        demanding("2.0.0", ">=1.28.0", ""),
        demanding("3.0.0", ">=1.30.0", ">=0.50.0"),
    ];
    let table = [
        (None, None, Ok("3.0.0")),
        (Some("v1.30.0-gke.7"), Some("v0.53.0+dev"), Ok("3.0.0")),
        (Some("v1.30.0"), Some("0.49.0"), Ok("2.0.0")),
        (Some("1.29"), None, Ok("2.0.0")),
        (Some("1.27"), None, Ok("1.0.0")),
    ];
    let reported = |text: Option<&str>| text.map(|text| Version::parse_reported(text).unwrap());
    for (kubernetes, kapp_controller, want) in table {
        let request = Request {
            kubernetes: reported(kubernetes),
            kapp_controller: reported(kapp_controller),
            ..request("", None)
        };
        assert_eq!(
            outcome(&candidates, &request).as_deref(),
            want.map_err(|text: &str| text.to_string()).as_deref(),
            "{kubernetes:?} {kapp_controller:?}"
        );
    }
    // Nobody else's demands count, and one that cannot be read is named.
    let mut others = candidates.to_vec();
    others.push(demanding("4.0.0", "", "^1"));
    others.push(Candidate {
        ref_name: "other.pinniped.dev".into(),
        ..demanding("9.0.0", "^1", "")
    });
    let request = Request {
        kapp_controller: reported(Some("1.0")),
        kubernetes: reported(Some("1.30")),
        ..request("", None)
    };
    assert_eq!(
        outcome(&others, &request),
        Err("Package supervisor.pinniped.dev.4.0.0: spec.kappControllerVersionSelection.constraints: Invalid value: \"^1\": Could not parse Range \"^1\": Could not parse comparator \"^\" in \"^1\"".into()),
    );
}

#[test]
fn what_is_installed() {
    let candidates: Vec<Candidate> = ["1.0.0", "1.1.0", "1.2.0-rc.1"].map(candidate).to_vec();
    let stopped = |installed: &str| {
        Err(format!(
            "Stopped installing matched version '1.1.0' since last attempted version '{installed}' is higher.\n\
             hint: Add annotation packaging.carvel.dev/downgradable: \"\" to PackageInstall to proceed with downgrade"
        ))
    };
    let ok = Ok("1.1.0".to_string());
    let table = [
        (None, false, ok.clone()),
        (Some(""), false, ok.clone()),
        (Some("1.0.0"), false, ok.clone()),
        (Some("1.1.0-rc.9"), false, ok.clone()),
        (Some("1.1.0+1"), false, stopped("1.1.0+1")),
        (Some("1.2.0-rc.1"), false, stopped("1.2.0-rc.1")),
        (Some("7.0.0"), true, ok),
        (
            Some("one"),
            false,
            Err("Filtering by last attempted version 'one': Parsing version constraint '>=one': Could not get version from string: \">=one\"".into()),
        ),
    ];
    for (installed, downgradable, want) in table {
        let request = Request {
            installed: installed.map(str::to_string),
            downgradable,
            ..request("", None)
        };
        assert_eq!(outcome(&candidates, &request), want, "{installed:?}");
    }
}

/// Whatever the order of the packages, the same version is selected, or the same error told.
#[test]
fn in_any_order() {
    let mut state = 7_u64;
    let mut random = |below: usize| {
        // Knuth's constants; the upper bits are the good ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let suffixes = [
        "", "", "", "-rc.1", "-rc.2", "-alpha", "+1", "+b", "-rc.1+2",
    ];
    let constraints = [
        "",
        "0.x",
        "0.1.x",
        ">=0.1.0 <0.3.0",
        "!0.2.1 || 0.3.0",
        "0.1.0-rc.1",
        ">9.0.0",
        "^1.0.0",
    ];
    let identifiers: [Option<&[&str]>; 4] = [None, Some(&[]), Some(&["rc"]), Some(&["2", "alpha"])];
    for round in 0..2_000 {
        let mut candidates: Vec<Candidate> = Vec::new();
        for _ in 0..random(12) {
            let suffix = suffixes[random(suffixes.len())];
            let one = candidate(&format!("0.{}.{}{suffix}", random(4), random(2)));
            // Of two packages with one name a cluster has one.
            if !candidates.contains(&one) {
                candidates.push(one);
            }
        }
        let request = Request {
            installed: (random(3) == 0).then(|| format!("0.{}.0", random(4))),
            ..request(
                constraints[random(constraints.len())],
                identifiers[random(identifiers.len())],
            )
        };
        let first = outcome(&candidates, &request);
        for _ in 0..4 {
            for index in (1..candidates.len()).rev() {
                candidates.swap(index, random(index + 1));
            }
            assert_eq!(
                outcome(&candidates, &request),
                first,
                "round {round}: {request:?}"
            );
        }
    }
}

/// The cases of `validation.txt`: a line with the fields, then the errors of each field, then the API server's answer.
#[test]
fn validation_as_recorded() {
    let Some(text) = reference("validation.txt") else {
        return;
    };
    let mut lines = text.lines().peekable();
    let mut cases = 0;
    while let Some(line) = lines.next() {
        let field = |name: &str| {
            let start = line.find(&format!("{name}=\""))? + name.len() + 2;
            Some(line[start..].split('"').next().unwrap().to_string())
        };
        let mut expected = Vec::new();
        while let Some(error) = lines.next_if(|line| line.starts_with("   ")) {
            expected.push(error.trim_start().to_string());
        }
        let name = field("name").unwrap();
        let metadata = Metadata::named(&name);
        let errors = if line.starts_with("PackageMetadata") {
            PackageMetadata {
                metadata,
                ..PackageMetadata::default()
            }
            .check()
        } else {
            let demand = |name: &str| {
                field(name)
                    .filter(|text| text != "-")
                    .map(|constraints| Constraint { constraints })
            };
            Package {
                metadata,
                spec: PackageSpec {
                    ref_name: field("refName").unwrap(),
                    version: field("version").unwrap(),
                    kubernetes_version_selection: demand("k8s"),
                    kapp_controller_version_selection: demand("kc"),
                    ..PackageSpec::default()
                },
            }
            .check()
        };
        let mut found: Vec<String> = errors.iter().map(ToString::to_string).collect();
        if !found.is_empty() && !line.starts_with("PackageMetadata") {
            let answer = refusal("Package", "data.packaging.carvel.dev", &name, &errors);
            found.push(format!("APISERVER: {answer}"));
        }
        assert_eq!(found, expected, "{line}");
        cases += 1;
    }
    println!("recorded validations: {cases}");
    assert!(cases > 0);
}

/// Odd texts, generated, with what kapp-controller 0.53.0 itself says to them: a PackageInstall that is reconciled
/// (`select`), a Package and a PackageMetadata that are validated, and a cluster's version that is read (`tolerant`).
#[test]
fn odd_texts() {
    for line in include_str!("package/kapp-controller.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_string();
        let list = |key: &str| -> Vec<String> {
            let items = case[key].as_array().into_iter().flatten();
            items.map(|item| item.as_str().unwrap().into()).collect()
        };
        let told = |result: Result<String, String>| {
            vec![result.unwrap_or_else(|reason| format!("E {reason}"))]
        };
        let errors = |errors: &[FieldError]| errors.iter().map(ToString::to_string).collect();
        let found: Vec<String> = match text("kind").as_str() {
            "package" => {
                let demand = |key: &str| {
                    case[key].as_str().map(|constraints| Constraint {
                        constraints: constraints.into(),
                    })
                };
                let mut package = Package::new(&text("refName"), &text("version"));
                package.metadata.name = text("name");
                package.spec.kubernetes_version_selection = demand("k8s");
                package.spec.kapp_controller_version_selection = demand("kc");
                errors(&package.check())
            }
            "metadata" => {
                let metadata = Metadata::named(text("name"));
                errors(
                    &PackageMetadata {
                        metadata,
                        ..PackageMetadata::default()
                    }
                    .check(),
                )
            }
            "tolerant" => told(
                Version::parse_reported(&text("version"))
                    .map(|version| version.numbers_only().to_string()),
            ),
            _ => {
                let demand = |key: &str, version: &str| {
                    case[key][version].as_str().unwrap_or_default().to_string()
                };
                let candidate = |version: &String| Candidate {
                    kubernetes: demand("k8sOf", version),
                    kapp_controller: demand("kcOf", version),
                    ..candidate(version)
                };
                let candidates: Vec<Candidate> = list("versions").iter().map(candidate).collect();
                let identifiers = list("prereleases");
                let identifiers: Vec<&str> = identifiers.iter().map(String::as_str).collect();
                let version =
                    |key: &str| Some(Version::parse_reported(&text(key)).unwrap().numbers_only());
                let request = Request {
                    installed: Some(text("installed")),
                    downgradable: case["downgradable"].as_bool().unwrap_or_default(),
                    kubernetes: version("k8sVer"),
                    kapp_controller: version("kcVer"),
                    ..request(
                        &text("constraints"),
                        case["prereleases"].as_array().map(|_| &identifiers[..]),
                    )
                };
                let found = told(outcome(&candidates, &request));
                match found[0].contains("kapp-controller crashes") {
                    true => vec!["PANIC".into()],
                    false => found,
                }
            }
        };
        // Where it has no package at all, it names the one that was asked for.
        let wanted: Vec<String> = list("out")
            .iter()
            .map(|line| line.replace("Package a.b.c", &format!("Package {NAME}")))
            .collect();
        assert_eq!(found, wanted, "{line}");
    }
}

#[test]
fn names_of_packages() {
    let long = format!("{}.b.c", "a".repeat(250));
    let subdomain = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    let table = [
        ("a.b.c", None),
        ("0.1.2", None),
        ("a-b.c--d.e", None),
        ("", Some("spec.refName: Required value".to_string())),
        (
            "a.b",
            Some("spec.refName: Invalid value: \"a.b\": should be a domain with at least three segments separated by dots".into()),
        ),
        ("a.b.c-", Some(format!("spec.refName: Invalid value: \"a.b.c-\": {subdomain}"))),
        ("a.b.é\n", Some(format!("spec.refName: Invalid value: \"a.b.é\\n\": {subdomain}"))),
        (&long, Some(format!("spec.refName: Invalid value: \"{long}\": must be no more than 253 characters"))),
        (
            &format!("{long}_"),
            Some(format!("spec.refName: Invalid value: \"{long}_\": must be no more than 253 characters,{subdomain}")),
        ),
    ];
    for (name, want) in table {
        let found = check_ref_name("spec.refName", name).map(|error| error.to_string());
        assert_eq!(found, want, "{name}");
    }
    assert_eq!(Package::new("a.b.c", "1.0.0-rc.1").check(), []);
}

/// Every field of a package is read and written again, and the recorded packages of Pinniped come back as they are.
#[test]
fn packages_come_back() {
    let text = include_str!("package/every-field.yml");
    come_back(&[File::new("packages/a.yml", "a.yml", text)], 2);
    let Some(recorded) = reference(
        "pinniped-run/package_repository/packages/pinniped-supervisor.pinniped.dev/0.39.0.yml",
    ) else {
        return;
    };
    come_back(&[File::new("packages/a.yml", "a.yml", recorded)], 1);
}

fn come_back(files: &[File], count: usize) {
    let (repository, told) = Repository::read(files);
    assert!(told.is_empty(), "{told:?}");
    let packages = repository
        .packages
        .iter()
        .map(|found| (&found.document, found.resource.document()));
    let metadata = repository
        .metadata
        .iter()
        .map(|found| (&found.document, found.resource.document()));
    let all: Vec<_> = packages.chain(metadata).collect();
    assert_eq!(all.len(), count);
    for (before, after) in all {
        let text = |value| String::from_utf8(json_value(value, 1, false).unwrap()).unwrap();
        assert_eq!(text(&after), text(before));
    }
}

/// Whatever stands in a text, it is read or refused.
#[test]
fn no_text_is_too_much() {
    let mut state = 11_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let pieces = [
        "0",
        "1",
        "9",
        "1.0.0",
        ">=0.1.x",
        "1.x",
        "18446744073709551615",
        "9223372036854775807",
        ".",
        "x",
        ".x",
        "-",
        "+",
        "v",
        ">",
        "<",
        "=",
        "!",
        " ",
        "  ",
        "||",
        "é",
        "٣",
        "\t",
        "\u{85}",
        "rc",
        "^",
        "{}",
        "\"",
    ];
    let version = Version::parse("1.1.1-rc.1+x").unwrap();
    let (mut read, mut refused) = (0, 0);
    for _ in 0..30_000 {
        let text: String = (0..random(9))
            .map(|_| pieces[random(pieces.len())])
            .collect();
        match Constraints::parse(&text) {
            Ok(constraints) => {
                let _ = constraints.matches(&version);
                read += 1;
            }
            Err(reason) => {
                assert!(!reason.is_empty());
                refused += 1;
            }
        }
        if let Ok(version) = Version::parse(&text) {
            assert_eq!(version.to_string(), text);
        }
        let _ = Version::parse_reported(&text);
        let explained = explain(
            &[candidate("1.0.0"), candidate(&text)],
            &request(&text, None),
        );
        assert_ne!(explained.version.is_some(), explained.error.is_some());
        check_ref_name("x", &text);
    }
    assert!(
        read > 500 && refused > 500,
        "{read} read, {refused} refused"
    );
}
