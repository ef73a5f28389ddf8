//! The commands of `README.md` and of the pages in `docs/` do what the pages say.
//!
//! A block marked `console` is run: `$ ` begins a command, `> ` goes on with it, and what follows is what it prints, on
//! standard output and standard error together; a last line `[2]` is its exit status if that is not 0. `…` stands for any
//! text within a line, and on a line of its own for any lines. The blocks of a page run one after the other in one folder,
//! empty at first, with `haulout` in the path. What is not run has no `$ `.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

struct Step {
    line: usize,
    command: String,
    output: Vec<String>,
    status: i32,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut in_block = false;
    for (number, line) in page.lines().enumerate() {
        if line.starts_with("```") {
            in_block = !in_block && line == "```console";
        } else if !in_block {
            let number = number + 1;
            assert!(!line.starts_with("$ "), "line {number}: nothing runs this");
        } else {
            if let Some(command) = line.strip_prefix("$ ") {
                steps.push(Step {
                    line: number + 1,
                    command: command.into(),
                    output: Vec::new(),
                    status: 0,
                });
                continue;
            }
            let step = steps
                .last_mut()
                .unwrap_or_else(|| panic!("line {}: a block begins with a command", number + 1));
            match line
                .strip_prefix('>')
                .map(|rest| rest.strip_prefix(' ').unwrap_or(rest))
            {
                Some(more) if step.output.is_empty() => {
                    step.command.push('\n');
                    step.command.push_str(more);
                }
                _ => step.output.push(line.into()),
            }
        }
    }
    for step in &mut steps {
        let status = step
            .output
            .last()
            .and_then(|line| line.strip_prefix('[')?.strip_suffix(']')?.parse().ok());
        if let Some(status) = status {
            step.status = status;
            step.output.pop();
        }
    }
    steps
}

/// Whether a line is what a pattern says.
fn is_line(pattern: &str, line: &str) -> bool {
    match pattern.split_once('…') {
        None => pattern == line,
        Some((start, rest)) => line.strip_prefix(start).is_some_and(|line| {
            let ends = line.char_indices().map(|(end, _)| end).chain([line.len()]);
            ends.into_iter().any(|end| is_line(rest, &line[end..]))
        }),
    }
}

fn are_lines(patterns: &[String], lines: &[&str]) -> bool {
    match patterns.split_first() {
        None => lines.is_empty(),
        Some((pattern, rest)) if pattern == "…" => {
            (0..=lines.len()).any(|skipped| are_lines(rest, &lines[skipped..]))
        }
        Some((pattern, rest)) => lines
            .split_first()
            .is_some_and(|(line, lines)| is_line(pattern, line) && are_lines(rest, lines)),
    }
}

fn run(step: &Step, folder: &Path) -> Result<(), String> {
    let program = Path::new(env!("CARGO_BIN_EXE_haulout"));
    let places = std::env::var_os("PATH").unwrap_or_default();
    let places = [program.parent().unwrap().to_path_buf()]
        .into_iter()
        .chain(std::env::split_paths(&places));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{}", step.command)])
        .current_dir(folder)
        .env("PATH", std::env::join_paths(places).unwrap())
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    if output.status.code() == Some(step.status) && are_lines(&step.output, &lines) {
        return Ok(());
    }
    Err(format!(
        "line {}: {}\nexit status {:?}, expected {}; printed:\n{text}\nexpected:\n{}\n",
        step.line,
        step.command,
        output.status.code(),
        step.status,
        step.output.join("\n")
    ))
}

#[test]
fn pages_say_what_happens() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(home.join("docs")).unwrap();
    let docs = docs.map(|page| page.unwrap().path());
    let mut count = 0;
    let mut failures = Vec::new();
    for page in [home.join("README.md")].into_iter().chain(docs) {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let folder =
            std::env::temp_dir().join(format!("haulout-docs-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for step in steps(&fs::read_to_string(&page).unwrap()) {
            count += 1;
            if let Err(failure) = run(&step, &folder) {
                failures.push(format!("{name}, {failure}"));
            }
        }
        let _ = fs::remove_dir_all(&folder);
    }
    assert!(count > 0);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn lines_that_are_cut() {
    let table = [
        ("a…", "a", true),
        ("a…", "abc", true),
        ("a…c", "abc", true),
        ("a…c", "abcd", false),
        ("…b…", "abc", true),
        ("a", "ab", false),
        ("é…é", "éé", true),
    ];
    for (pattern, line, want) in table {
        assert_eq!(is_line(pattern, line), want, "{pattern} {line}");
    }
    let patterns = ["a".to_string(), "…".into(), "d".into()];
    assert!(are_lines(&patterns, &["a", "d"]));
    assert!(are_lines(&patterns, &["a", "b", "c", "d"]));
    assert!(!are_lines(&patterns, &["a", "b", "c"]));
}
