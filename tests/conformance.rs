//! Runs folders of recorded cases against the program: our own under `tests/cases/`, and ytt's where they are at hand
//! (`../shared/conformance`, or the folder that `HAULOUT_CONFORMANCE` names).
//!
//! A case is a folder: `cmd` (one argument a line), `in/` (the working folder), optionally `stdin`, `env` (`KEY=VALUE` a
//! line) and `uses` (`NAME=FOLDER` a line: a folder of `fixtures/` that stands in `in/` as `NAME`), and what must come of
//! it: `rc`, `stdout`, `stderr`, and `created/` (files that appear under `in/`, or change; an empty `DELETED NAME` for one
//! that goes).
//!
//! Of our own cases every byte counts. Of ytt's, blanks at line ends, the program's name and the names that ytt makes up
//! for functions of templates do not. `tests/deviations.txt` names the cases of ytt in which haulout differs on purpose
//! (`CASE  REASON`); each must be there, must differ, and must have a case of ours that says what haulout does instead.
//! `RECORD=1` writes down what our own cases give; read the difference before you commit it.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Longer than any case needs; one that runs on is a failure, not a hang.
const PATIENCE: Duration = Duration::from_secs(60);

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    rc: Option<i32>,
    stdout: String,
    stderr: String,
    created: BTreeMap<String, Vec<u8>>,
}

/// Bytes as text, those that are not UTF-8 in an escaped form, so that nothing is lost in a comparison.
fn text(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_default()
}

fn lines(path: &Path) -> Vec<String> {
    let text = String::from_utf8(read(path)).unwrap();
    text.split('\n')
        .filter(|line| !line.is_empty())
        .map(str::to_string)
        .collect()
}

/// Files under a folder by their path in it.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, out: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.is_symlink() {
                walk(root, &path, out);
            } else if path.is_file() {
                let name = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                out.insert(name, read(&path));
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(folder, folder, &mut out);
    out
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            copy(&source, &target);
        } else if kind.is_symlink() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(fs::read_link(&source).unwrap(), &target).unwrap();
        } else {
            fs::copy(&source, &target).unwrap();
        }
    }
}

/// Runs a case in a copy of its folder.
fn run(case: &Path, fixtures: &Path, place: &Path) -> Outcome {
    let _ = fs::remove_dir_all(place);
    let work = place.join("in");
    fs::create_dir_all(&work).unwrap();
    if case.join("in").is_dir() {
        copy(&case.join("in"), &work);
    }
    for line in lines(&case.join("uses")) {
        let (name, folder) = line.split_once('=').unwrap();
        copy(&fixtures.join(folder), &work.join(name));
    }
    let before = tree(&work);
    let (out, err) = (place.join("stdout"), place.join("stderr"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_haulout"))
        .args(lines(&case.join("cmd")))
        .current_dir(&work)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", place)
        .env("LANG", "C.UTF-8")
        .envs(
            lines(&case.join("env"))
                .iter()
                .filter_map(|line| line.split_once('=')),
        )
        .stdin(Stdio::piped())
        .stdout(fs::File::create(&out).unwrap())
        .stderr(fs::File::create(&err).unwrap())
        .spawn()
        .unwrap();
    // The program may end without reading what it was given.
    let _ = child
        .stdin
        .take()
        .unwrap()
        .write_all(&read(&case.join("stdin")));
    let began = Instant::now();
    let rc = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if began.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let after = tree(&work);
    let mut created: BTreeMap<String, Vec<u8>> = after
        .iter()
        .filter(|(name, bytes)| before.get(*name) != Some(bytes))
        .map(|(name, bytes)| (name.clone(), bytes.clone()))
        .collect();
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        created.insert(format!("DELETED {name}"), Vec::new());
    }
    let outcome = Outcome {
        rc,
        stdout: text(&read(&out)),
        stderr: text(&read(&err)),
        created,
    };
    let _ = fs::remove_dir_all(place);
    outcome
}

fn expected(case: &Path) -> Outcome {
    Outcome {
        rc: Some(text(&read(&case.join("rc"))).trim().parse().unwrap_or(0)),
        stdout: text(&read(&case.join("stdout"))),
        stderr: text(&read(&case.join("stderr"))),
        created: tree(&case.join("created")),
    }
}

fn record(case: &Path, outcome: &Outcome) {
    let write = |name: &str, text: &str| {
        if text.is_empty() {
            let _ = fs::remove_file(case.join(name));
        } else {
            fs::write(case.join(name), text).unwrap();
        }
    };
    write(
        "rc",
        &format!("{}\n", outcome.rc.expect("the program ends")),
    );
    write("stdout", &outcome.stdout);
    write("stderr", &outcome.stderr);
    let _ = fs::remove_dir_all(case.join("created"));
    for (name, bytes) in &outcome.created {
        let path = case.join("created").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// What does not count in a comparison with ytt: blanks at line ends, who speaks, the names of generated functions.
fn tidy(stderr: &str) -> String {
    let stderr = match stderr.split_once(": Error:") {
        Some((name, rest)) if !name.contains(char::is_whitespace) => format!("ytt: Error:{rest}"),
        _ => stderr.to_string(),
    };
    let mut out = String::new();
    for line in stderr.trim().lines() {
        let mut rest = line.trim_end();
        while let Some(start) = rest.find("__ytt_tpl") {
            let (before, name) = rest.split_at(start);
            let end = name
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(name.len());
            out.push_str(before);
            rest = name[end..].strip_prefix(": ").unwrap_or(&name[end..]);
        }
        out.push_str(rest.trim_end());
        out.push('\n');
    }
    out
}

/// Cases under a folder, by name.
fn cases(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut out: Vec<(String, PathBuf)> = tree(folder)
        .into_keys()
        .filter_map(|path| path.strip_suffix("/cmd").map(str::to_string))
        .filter(|name| !name.contains("/in/"))
        .map(|name| (name.clone(), folder.join(name)))
        .collect();
    out.sort();
    out
}

/// Calls `each` for every case and its outcome, on the cores that are there.
fn run_all(folder: &Path, fixtures: &Path, each: impl Fn(&str, &Path, Outcome) + Send + Sync) {
    let cases = cases(folder);
    let scratch = std::env::temp_dir().join(format!("haulout-cases-{}", std::process::id()));
    // Both tests run at once, and both folders are called `cases`.
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let scratch = scratch.join(RUNS.fetch_add(1, Ordering::Relaxed).to_string());
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (cases, next, each, place) =
                (&cases, &next, &each, scratch.join(worker.to_string()));
            scope.spawn(move || {
                while let Some((name, case)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    each(name, case, run(case, fixtures, &place));
                }
            });
        }
    });
    let _ = fs::remove_dir_all(&scratch);
}

fn difference(expected: &Outcome, found: &Outcome) -> String {
    let mut out = String::new();
    if found.rc != expected.rc {
        out.push_str(&format!(
            "  exit code {:?}, expected {:?}\n",
            found.rc, expected.rc
        ));
    }
    for (what, expected, found) in [
        ("stdout", &expected.stdout, &found.stdout),
        ("stderr", &expected.stderr, &found.stderr),
    ] {
        if expected != found {
            out.push_str(&format!(
                "  {what}, expected:\n{expected}\n  {what}, found:\n{found}\n"
            ));
        }
    }
    let (expected, found) = (&expected.created, &found.created);
    for name in expected.keys().chain(found.keys()) {
        if expected.get(name) != found.get(name) {
            out.push_str(&format!(
                "  file {name} differs, or is there on one side only\n"
            ));
        }
    }
    out
}

#[test]
fn our_cases() {
    let folder = root().join("tests/cases");
    let recording = std::env::var_os("RECORD").is_some();
    let failures = Arc::new(Mutex::new(Vec::new()));
    let count = AtomicUsize::new(0);
    run_all(&folder, &folder, |name, case, found| {
        count.fetch_add(1, Ordering::Relaxed);
        let expected = expected(case);
        if found != expected {
            if recording {
                record(case, &found);
            }
            failures
                .lock()
                .unwrap()
                .push(format!("{name}\n{}", difference(&expected, &found)));
        }
    });
    let count = count.into_inner();
    println!("our own cases: {count}");
    assert!(count > 0, "no cases in {}", folder.display());
    let failures = failures.lock().unwrap();
    assert!(
        failures.is_empty(),
        "{} of {count} cases differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn recorded_cases_of_ytt() {
    let folder = std::env::var_os("HAULOUT_CONFORMANCE")
        .map_or_else(|| root().join("../shared/conformance"), PathBuf::from);
    if !folder.join("cases").is_dir() {
        println!(
            "skipped: ytt's recorded cases ({} is not there)",
            folder.display()
        );
        return;
    }
    let deviations: BTreeMap<String, String> = lines(&root().join("tests/deviations.txt"))
        .iter()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (name, reason) = line
                .split_once(char::is_whitespace)
                .expect("a reason stands after the case");
            (name.to_string(), reason.trim().to_string())
        })
        .collect();
    let failures = Arc::new(Mutex::new(Vec::new()));
    let differing = Mutex::new(Vec::new());
    let count = AtomicUsize::new(0);
    run_all(
        &folder.join("cases"),
        &folder.join("fixtures"),
        |name, case, mut found| {
            count.fetch_add(1, Ordering::Relaxed);
            let mut expected = expected(case);
            expected.stderr = tidy(&expected.stderr);
            found.stderr = tidy(&found.stderr);
            if expected.rc == Some(0) && found.rc == Some(0) {
                // Warnings are the program's own.
                found.stderr.clone_from(&expected.stderr);
            }
            if found == expected {
                return;
            }
            let ends_well = matches!(found.rc, Some(0 | 1));
            if deviations.contains_key(name) && ends_well {
                differing.lock().unwrap().push(name.to_string());
            } else {
                failures
                    .lock()
                    .unwrap()
                    .push(format!("{name}\n{}", difference(&expected, &found)));
            }
        },
    );
    let differing = differing.into_inner().unwrap();
    let mut failures = failures.lock().unwrap();
    for name in deviations.keys().filter(|name| !differing.contains(name)) {
        failures.push(format!(
            "{name} is in tests/deviations.txt and does not differ"
        ));
    }
    println!(
        "ytt's recorded cases: {count:?}, different on purpose: {}",
        differing.len()
    );
    assert!(
        failures.is_empty(),
        "{} cases differ:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
