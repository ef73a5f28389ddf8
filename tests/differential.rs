//! The same inputs, twice: with `YTT` naming a ytt binary, our program and ytt must say the same on inputs made at random,
//! and what differs is made as small as it will go (`make differential`). Without it the inputs show what holds of us
//! alone: no panic, the same bytes each time, a result that reads back, and JSON that says what the YAML says.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods
)]

#[path = "differential/inputs.rs"]
mod inputs;

use inputs::Inputs;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a program said.
#[derive(Debug, PartialEq)]
struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// A folder of files, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn of(inputs: &Inputs) -> Folder {
        let path =
            std::env::temp_dir().join(format!("haulout-differential-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        for (name, text) in &inputs.files {
            std::fs::write(path.join(name), text).unwrap();
        }
        Folder(path)
    }

    fn run(&self, program: &Path, flags: &[&str]) -> Said {
        let done = Command::new(program)
            .current_dir(&self.0)
            .args(["-f", "."])
            .args(flags)
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Said {
            code: done.status.code(),
            stdout: text(done.stdout),
            stderr: tidy(&text(done.stderr)),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A message without the program's name, and without the names that ytt makes up.
fn tidy(stderr: &str) -> String {
    let stderr = stderr
        .split_once(": Error:")
        .map_or(stderr, |(_, rest)| rest);
    let line = |line: &str| {
        let Some((before, rest)) = line.split_once("__ytt_tpl") else {
            return line.trim_end().to_owned();
        };
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        format!("{before}{}", rest.strip_prefix(": ").unwrap_or(rest))
            .trim_end()
            .to_owned()
    };
    stderr
        .lines()
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
        .trim()
        .to_owned()
}

fn ours() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_haulout"))
}

fn check(condition: bool, reason: impl FnOnce() -> String) -> Result<(), TestCaseError> {
    if condition {
        Ok(())
    } else {
        Err(TestCaseError::fail(reason()))
    }
}

/// What holds of our program alone.
fn holds(inputs: &Inputs) -> Result<(), TestCaseError> {
    let folder = Folder::of(inputs);
    let flags: Vec<&str> = inputs.flags.iter().map(String::as_str).collect();
    let said = folder.run(ours(), &flags);
    check(matches!(said.code, Some(0 | 1)), || {
        format!("it ended with {:?}: {}", said.code, said.stderr)
    })?;
    check(said == folder.run(ours(), &flags), || {
        "a second run gives something else".into()
    })?;
    let json = |stdin: &str| {
        std::fs::write(folder.0.join("printed.yaml"), stdin).unwrap();
        let again = Command::new(ours())
            .current_dir(&folder.0)
            .args(["-f", "printed.yaml", "-o", "json"])
            .output()
            .unwrap();
        (
            again.status.success(),
            String::from_utf8_lossy(&again.stdout).into_owned(),
        )
    };
    if said.code == Some(0)
        && !inputs
            .flags
            .iter()
            .any(|flag| flag == "-o" || flag.starts_with("--data-values"))
    {
        let (reads, from_yaml) = json(&said.stdout);
        std::fs::remove_file(folder.0.join("printed.yaml")).unwrap();
        check(reads, || {
            format!("the result does not read back:\n{}", said.stdout)
        })?;
        let direct = folder.run(ours(), &[&flags[..], &["-o", "json"]].concat());
        check(direct.code != Some(0) || direct.stdout == from_yaml, || {
            format!(
                "the JSON of the result is not the result's JSON:\n{}\n{from_yaml}",
                direct.stdout
            )
        })?;
    }
    Ok(())
}

/// How often ytt is asked again before what it says counts as another result.
const RUNS: usize = 12;

/// What ytt says of the same.
fn agrees(inputs: &Inputs, ytt: &Path) -> Result<(), TestCaseError> {
    // Releases of ytt differ in whether an OpenAPI schema tells what validations ask for.
    let has_rules = |(_, text): &(_, String)| text.contains("#@schema/validation");
    if inputs.flags.iter().any(|flag| flag == "openapi-v3") && inputs.files.iter().any(has_rules) {
        return Ok(());
    }
    let folder = Folder::of(inputs);
    let flags: Vec<&str> = inputs.flags.iter().map(String::as_str).collect();
    let ours = folder.run(ours(), &flags);
    let mut theirs = folder.run(ytt, &flags);
    // ytt takes files that overlays change in another order on each run: one of a few must be ours.
    for _ in 0..RUNS {
        if theirs == ours {
            break;
        }
        theirs = folder.run(ytt, &flags);
    }
    // A Go stack trace, and what it says instead, are told apart by COMPATIBILITY.md.
    let crashed = theirs.code == Some(2)
        || theirs.stderr.contains("goroutine ")
        || theirs.stderr.contains("(backtrace:");
    check(crashed || theirs == ours, || {
        format!(
            "ytt:\n{:?}\n{}\n{}\nhaulout:\n{:?}\n{}\n{}",
            theirs.code, theirs.stdout, theirs.stderr, ours.code, ours.stdout, ours.stderr
        )
    })
}

#[test]
fn random_inputs_do_as_they_should() {
    let ytt = std::env::var_os("YTT").map(PathBuf::from);
    let config = Config {
        // Each case starts programs; PROPTEST_CASES asks for more.
        cases: std::env::var("PROPTEST_CASES")
            .ok()
            .and_then(|cases| cases.parse().ok())
            .unwrap_or(100),
        failure_persistence: None,
        max_shrink_iters: 500,
        ..Config::default()
    };
    let test = |inputs: Inputs| match &ytt {
        Some(ytt) => agrees(&inputs, ytt),
        None => holds(&inputs),
    };
    if let Err(error) = TestRunner::new(config).run(&inputs::inputs(), test) {
        panic!("{error}");
    }
}
