//! Keeps `tests/inventory.txt` honest: what it names is there, and every case is named. Writes `docs/inventory.md` from it
//! with `RECORD=1`.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// One line of the inventory.
struct Fact {
    heading: String,
    what: String,
    proof: Proof,
}

enum Proof {
    Tests(Vec<String>),
    /// Not there on purpose.
    Reason(String),
}

fn facts(text: &str) -> Vec<Fact> {
    let mut out = Vec::new();
    let mut heading = String::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix("# ") {
            heading = title.to_string();
            continue;
        }
        let (what, proof) = line
            .split_once(" :: ")
            .unwrap_or_else(|| panic!("no ' :: ' in {line:?}"));
        let proof = match proof.strip_prefix("- ") {
            Some(reason) => Proof::Reason(reason.to_string()),
            None => Proof::Tests(proof.split(", ").map(str::to_string).collect()),
        };
        out.push(Fact {
            heading: heading.clone(),
            what: what.to_string(),
            proof,
        });
    }
    out
}

/// Folders with a `cmd`, by their path under `tests/cases/`.
fn cases() -> BTreeSet<String> {
    fn walk(folder: &Path, name: &str, out: &mut BTreeSet<String>) {
        if folder.join("cmd").is_file() {
            out.insert(name.to_string());
            return;
        }
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                let inner = entry.file_name().into_string().unwrap();
                let name = [name, &inner].join("/");
                walk(&entry.path(), name.trim_start_matches('/'), out);
            }
        }
    }
    let mut out = BTreeSet::new();
    walk(&root().join("tests/cases"), "", &mut out);
    out
}

/// Whether `name` is what `pattern` says, where one `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

fn has_test(file: &str, function: &str) -> bool {
    let text = fs::read_to_string(root().join(file)).unwrap_or_default();
    let mut lines = text.lines().map(str::trim);
    let start = format!("fn {function}()");
    let mut before = "";
    lines.any(|line| {
        let found = before == "#[test]" && line.starts_with(&start);
        before = line;
        found
    })
}

fn page(facts: &[Fact]) -> String {
    let mut sections: Vec<(&str, Vec<&Fact>)> = Vec::new();
    for fact in facts {
        match sections.last_mut() {
            Some((heading, facts)) if *heading == fact.heading => facts.push(fact),
            _ => sections.push((&fact.heading, vec![fact])),
        }
    }
    let mut out = String::from(
        "# What ytt can do, and which tests show that haulout can\n\n\
         Made from `tests/inventory.txt`; `RECORD=1 cargo test --test inventory` writes it. Names without a file are folders \
         under `tests/cases/`, where `*` stands for any text.\n",
    );
    for (heading, facts) in sections {
        write!(out, "\n## {heading}\n\n| what | tests |\n|---|---|\n").unwrap();
        for fact in facts {
            let proof = match &fact.proof {
                Proof::Reason(reason) => format!("not there: {reason}"),
                Proof::Tests(tests) => tests
                    .iter()
                    .map(|test| format!("`{test}`"))
                    .collect::<Vec<_>>()
                    .join(", "),
            };
            writeln!(out, "| {} | {proof} |", fact.what.replace('|', "\\|")).unwrap();
        }
    }
    out
}

#[test]
fn the_inventory_holds() {
    let text = fs::read_to_string(root().join("tests/inventory.txt")).unwrap();
    let comment = text.find("\n\n").expect("a comment, then headings");
    let facts = facts(&text[comment..]);
    let cases = cases();
    let mut named: BTreeMap<&str, bool> = cases.iter().map(|case| (&**case, false)).collect();
    let mut faults = Vec::new();
    for test in facts.iter().flat_map(|fact| match &fact.proof {
        Proof::Tests(tests) => tests.as_slice(),
        Proof::Reason(_) => &[],
    }) {
        if let Some((file, function)) = test.split_once("::") {
            if !has_test(file, function) {
                faults.push(format!("{test}: there is no such test"));
            }
            continue;
        }
        let mut any = false;
        for (case, seen) in &mut named {
            if matches(test, case) {
                any = true;
                *seen = true;
            }
        }
        if !any {
            faults.push(format!("{test}: there is no such case"));
        }
    }
    for (case, _) in named.iter().filter(|(_, seen)| !**seen) {
        faults.push(format!("{case}: no fact of the inventory names this case"));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));

    let (path, page) = (root().join("docs/inventory.md"), page(&facts));
    if std::env::var_os("RECORD").is_some() {
        fs::write(path, page).unwrap();
    } else {
        let written = fs::read_to_string(path).unwrap_or_default();
        assert_eq!(
            written, page,
            "docs/inventory.md is not current: RECORD=1 cargo test --test inventory"
        );
    }
}
