//! What the targets share: an input is a text of several files, rendered under limits far below the usual ones.

use haulout::diagnostic::Report;
use haulout::files::File;
use haulout::render::{Output, Request, render};
use haulout::script::Limits;
use haulout::yaml;

/// Small enough that whatever an input asks for ends within a second, also when it is instrumented.
pub fn limits() -> Limits {
    Limits {
        steps: 200_000,
        call_depth: 500,
        native_depth: 50,
        memory: 16 << 20,
        nodes: 50_000,
        output: 4 << 20,
        ..Limits::page()
    }
}

/// The files of an input: a line `-- NAME --` begins one. What stands before the first such line is a file `first`.
pub fn files(input: &[u8], first: &str) -> Vec<File> {
    let mut files = Vec::new();
    let mut name = first.to_owned();
    let mut content = Vec::new();
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        match header(line) {
            None => content.extend_from_slice(line),
            Some(next) => {
                if !content.is_empty() || !files.is_empty() {
                    files.push(file(&name, std::mem::take(&mut content)));
                }
                name = next;
            }
        }
    }
    files.push(file(&name, content));
    files
}

fn header(line: &[u8]) -> Option<String> {
    let name = line.strip_prefix(b"-- ")?.strip_suffix(b" --\n")?;
    let name = std::str::from_utf8(name).ok()?;
    (!name.is_empty()).then(|| name.to_owned())
}

fn file(name: &str, content: Vec<u8>) -> File {
    File::new(name, format!("file '{name}'"), content)
}

/// Renders, and prints the result in each format.
pub fn run(files: Vec<File>) -> Result<Output, Report> {
    let request = Request {
        files,
        limits: limits(),
        ..Request::default()
    };
    let output = render(&request)?;
    let _ = yaml::print(&output.documents);
    let _ = yaml::print_json(&output.documents);
    let _ = yaml::print_positions(&output.documents);
    Ok(output)
}
