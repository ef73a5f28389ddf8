//! Programs that mean harm end within the limits, and their errors tell a file and a line.
//!
//! `tests/script_hostile/NAME.star` is a program whose first line says how it fails: `# line LINE: MESSAGE`, or only the
//! beginning of the message. `RECORD=1` writes these lines. All run under the limits of a page, small ones at that,
//! on a stack as small as a page's.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods)]

use haulout::files::File;
use haulout::render::{Request, render};
use haulout::script::Limits;
use std::path::{Path, PathBuf};
use std::thread;

/// WebAssembly's stack is 1 MiB; frames of a debug build are several times as large as its.
const STACK: usize = if cfg!(debug_assertions) {
    4 << 20
} else {
    1 << 20
};

/// The most memory that the process may have had, in KiB.
const MOST_MEMORY: u64 = 1 << 20;

/// What the programs can load: values that are frozen, some of them of more paths than can be walked.
const LIBRARY: &str = r#"frozen = [1]
frozen_dict = {"a": [1]}
def change(): return frozen.append(2)
wide = (1,)
for i in range(60):
  wide = (wide, wide)
end
wide_function = None
for i in range(60):
  wide_function = lambda a=wide_function, b=wide_function: a
end
"#;

fn limits() -> Limits {
    Limits {
        steps: 2_000_000,
        call_depth: 5_000,
        native_depth: 50,
        memory: 48 << 20,
        nodes: 200_000,
        output: 4 << 20,
        interrupted: None,
    }
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/script_hostile");
    let entries = std::fs::read_dir(folder).expect("the programs are there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// How a program fails: `# line LINE: MESSAGE`.
fn outcome(path: &Path, text: &str) -> String {
    let name = path.file_name().unwrap().to_str().unwrap();
    let request = Request {
        files: vec![
            File::new("lib.star", "file 'lib.star'", LIBRARY),
            File::new(name, format!("file '{name}'"), text),
        ],
        limits: limits(),
        ..Request::default()
    };
    let report = match render(&request) {
        Ok(_) => return "# it does not fail".into(),
        Err(report) => report.text().to_string(),
    };
    let mut message = "";
    let mut line = "none";
    for part in report.lines() {
        if let Some(found) = part.strip_prefix("- ").filter(|_| message.is_empty()) {
            message = found;
        }
        // `      2 | code`, innermost call first.
        if let Some((number, _)) = part.split_once(" | ").filter(|_| line == "none") {
            line = number.trim().rsplit(':').next().unwrap_or_default();
        }
    }
    let message: String = message.chars().take(100).collect();
    format!("# line {line}: {message}")
}

#[test]
fn hostile_programs_end_within_the_limits() {
    let record = std::env::var_os("RECORD").is_some();
    let mut wrong = Vec::new();
    for path in programs() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (first, program) = text.split_once('\n').unwrap();
        let expected = first.to_string();
        // The line that says how it fails stays, so that lines count as in the file.
        let (thread_path, thread_text) = (path.clone(), text.clone());
        let found = thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || outcome(&thread_path, &thread_text))
            .unwrap()
            .join()
            .unwrap_or_else(|_| "# it panicked".into());
        if record {
            std::fs::write(&path, format!("{found}\n{program}")).unwrap();
        } else if !found.starts_with(expected.as_str()) {
            wrong.push(format!(
                "{}\n  expected {expected}\n  found    {found}",
                path.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok())
            .unwrap();
        assert!(peak < MOST_MEMORY, "the process took {peak} KiB");
    }
}
