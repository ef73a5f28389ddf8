//! The command line: a drop-in for ytt's, and what haulout adds.
//!
//! The one place that reads files, the environment and standard input, and that prints. What a command gives is
//! collected whole before any of it is written.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod bulk;
mod flags;
mod input;
mod output;
mod render;
mod serve;

use crate::diagnostic::Report;
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

/// What a command leaves to be printed.
#[derive(Default)]
struct Printed {
    /// For standard output.
    out: Vec<u8>,
    /// For standard error.
    err: Vec<u8>,
}

const COMMANDS: &str = "\
haulout renders ytt configuration.

Usage:
  haulout -f FILE [flags]            render files, as ytt does
  haulout render PACKAGE [flags]     render a package that the program carries
  haulout serve [flags]              serve the page on this machine
  haulout version                    print the version

Packages:
  pinniped/supervisor
  pinniped/concierge
";

/// Runs the program with these arguments, the first of them being its name.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter();
    let name = args
        .next()
        .map_or_else(|| "haulout".into(), |path| program_name(&path));
    let mut words = Vec::new();
    for arg in args {
        match arg.into_string() {
            Ok(word) => words.push(word),
            Err(arg) => {
                let shown = arg.to_string_lossy();
                return fail(
                    &name,
                    &Report::new(format!("argument '{shown}' is not UTF-8")),
                );
            }
        }
    }
    match dispatch(&name, &words) {
        Ok(printed) => print(&name, &printed),
        Err(report) => fail(&name, &report),
    }
}

/// By what name the program was called: errors begin with it.
fn program_name(path: &OsStr) -> String {
    let stem = Path::new(path)
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    stem.filter(|stem| !stem.is_empty())
        .unwrap_or_else(|| "haulout".into())
}

fn dispatch(name: &str, words: &[String]) -> Result<Printed, Report> {
    let (command, rest) = match words.split_first() {
        Some((command, rest)) if !command.starts_with('-') => (command.as_str(), rest),
        _ => ("", words),
    };
    match command {
        "" | "template" | "t" | "tpl" => render::files(name, rest),
        "render" => render::package(name, rest),
        "serve" => serve::serve(rest),
        "version" => Ok(version()),
        "help" => Ok(help()),
        other => Err(extra_arguments(name, other)),
    }
}

fn extra_arguments(name: &str, words: &str) -> Report {
    Report::new(format!(
        "command '{name}' does not accept extra arguments '{words}'"
    ))
}

fn version() -> Printed {
    let (ours, theirs) = (
        env!("CARGO_PKG_VERSION"),
        crate::modules::version::YTT_VERSION,
    );
    Printed {
        out: format!("haulout version {ours}\nytt version {theirs}\n").into_bytes(),
        err: Vec::new(),
    }
}

fn help() -> Printed {
    Printed {
        out: format!("{COMMANDS}\n{}", flags::help()).into_bytes(),
        err: Vec::new(),
    }
}

fn print(name: &str, printed: &Printed) -> ExitCode {
    // Standard error may be closed; the result still counts.
    let _ = std::io::stderr().write_all(&printed.err);
    let mut out = std::io::stdout().lock();
    match out.write_all(&printed.out).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever was reading has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(name, &Report::new(format!("Writing output: {error}"))),
    }
}

fn fail(name: &str, report: &Report) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{}", report.layout(name));
    ExitCode::FAILURE
}
