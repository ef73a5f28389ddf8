//! The command line: a drop-in for ytt's, and what haulout adds.
//!
//! The one place that reads files, the environment and standard input, and that prints. What a command gives is
//! collected whole before any of it is written.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod bulk;
mod diff;
mod failure;
mod flags;
mod fmt;
mod grammar;
mod input;
mod links;
mod output;
mod paths;
mod render;
mod repository;
mod select;
mod serve;
mod shell;
mod values;
mod watch;

use crate::diagnostic::Report;
use clap::error::ContextKind;
use clap::{CommandFactory, Parser};
use flags::{Command, CommandLine, ErrorFormat};
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
    /// The exit status.
    status: u8,
}

impl Printed {
    fn out(bytes: impl Into<Vec<u8>>) -> Printed {
        Printed {
            out: bytes.into(),
            ..Printed::default()
        }
    }
}

/// A command that failed.
struct Failed {
    report: Report,
    format: ErrorFormat,
    status: u8,
}

/// Runs the program with these arguments, the first of them being its name.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args = args.into_iter();
    let name = args.next().map_or(NAMES[0], |path| program_name(&path));
    let words = args.map(|arg| {
        arg.into_string().map_err(|arg| {
            let shown = arg.to_string_lossy();
            Report::new(format!("argument '{shown}' is not UTF-8"))
        })
    });
    let done = match words.collect::<Result<Vec<_>, _>>() {
        Ok(words) => dispatch(name, &words),
        Err(report) => Err(Failed {
            report,
            format: ErrorFormat::Auto,
            status: 1,
        }),
    };
    match done.and_then(|printed| print(&printed)) {
        Ok(status) => status,
        Err(failed) => {
            failure::print(name, &failed.report, failed.format);
            failed.status.into()
        }
    }
}

/// What the program answers to.
const NAMES: [&str; 2] = ["haulout", "ytt"];

/// By which of its names the program was called: errors begin with it.
fn program_name(path: &OsStr) -> &'static str {
    let called = Path::new(path).file_stem().unwrap_or_default();
    let known = NAMES.into_iter().find(|name| called == *name);
    known.unwrap_or(NAMES[0])
}

fn dispatch(name: &'static str, words: &[String]) -> Result<Printed, Failed> {
    let root = CommandLine::command();
    let (sides, words) = diff::split(&root, words);
    let (line, result) = grammar::read(&root, &words);
    let argv = [name.to_string()]
        .into_iter()
        .chain(line.command.iter().cloned())
        .chain(line.flags.iter().cloned());
    let parsed = CommandLine::try_parse_from(argv).map_err(|error| explain(&root, &error));
    let format = parsed
        .as_ref()
        .map_or(ErrorFormat::Auto, |parsed| parsed.common.error_format);
    let fail = |report: Report, status: u8| Failed {
        report,
        format,
        status,
    };
    let parsed = match (parsed, result) {
        (Ok(parsed), Ok(())) => parsed,
        (Err(report), _) | (_, Err(report)) => return Err(fail(report, 1)),
    };
    let path: Vec<&str> = line.command.iter().map(String::as_str).collect();
    if parsed.common.help {
        return Ok(shell::help(name, &path));
    }
    if parsed.version {
        return Ok(version(name));
    }
    let none = || match line.words.first() {
        Some(word) => {
            let command = [&[name], path.as_slice()].concat().join(" ");
            let text = format!("command '{command}' does not accept extra arguments '{word}'");
            Err(fail(Report::new(text), 1))
        }
        None => Ok(()),
    };
    let printed = match parsed.command {
        None => {
            none()?;
            watch::render(name, &parsed.render, &[], format)
        }
        Some(Command::Template(flags)) => {
            none()?;
            watch::render(name, &flags, &[], format)
        }
        Some(Command::Render(flags)) => match line.words.as_slice() {
            [_] => watch::render(name, &flags, &line.words, format),
            words => {
                let found = words.len();
                Err(Report::new(format!(
                    "expected one package, found {found} (hint: {name} render pinniped/supervisor)"
                )))
            }
        },
        Some(Command::Diff(_)) => {
            return diff::diff(&root, &sides).map_err(|report| fail(report, 2));
        }
        Some(Command::Fmt(flags)) => {
            none()?;
            fmt::fmt(&flags)
        }
        Some(Command::Serve(flags)) => {
            none()?;
            serve::serve(&flags)
        }
        Some(Command::Select(flags)) => {
            none()?;
            select::select(&flags, format)
        }
        Some(Command::Version) => {
            none()?;
            Ok(version(name))
        }
        Some(Command::Completion) => shell::completion(name, &line.words),
        Some(Command::Man) => {
            none()?;
            shell::man(name)
        }
        Some(Command::Help) => Ok(shell::help(
            name,
            &line.words.iter().map(String::as_str).collect::<Vec<_>>(),
        )),
    };
    printed.map_err(|report| fail(report, 1))
}

/// What clap has against the plain form: a value that is none of those which a flag takes.
fn explain(root: &clap::Command, error: &clap::Error) -> Report {
    let context = |kind| error.get(kind).map(ToString::to_string);
    let named = context(ContextKind::InvalidArg).unwrap_or_default();
    let argument = root.get_arguments().find(|argument| {
        let long = argument.get_long().unwrap_or_default();
        named
            .strip_prefix("--")
            .is_some_and(|rest| rest.starts_with(long) && !long.is_empty())
    });
    match (argument, context(ContextKind::InvalidValue)) {
        (Some(argument), Some(value)) => {
            let valid = context(ContextKind::ValidValue).unwrap_or_default();
            grammar::invalid(argument, &value, &format!("expected one of: {valid}"))
        }
        _ => Report::new(error.to_string().trim_start_matches("error: ").trim()),
    }
}

/// Both versions, that of the name by which the program was called first, where scripts look for it.
fn version(name: &str) -> Printed {
    let ours = format!("haulout version {}", env!("CARGO_PKG_VERSION"));
    let theirs = format!("ytt version {}", crate::modules::version::YTT_VERSION);
    Printed::out(if name == NAMES[0] {
        format!("{ours}\n{theirs}\n")
    } else {
        format!("{theirs}\n{ours}\n")
    })
}

fn print(printed: &Printed) -> Result<ExitCode, Failed> {
    // Standard error may be closed; the result still counts.
    let _ = std::io::stderr().write_all(&printed.err);
    let mut out = std::io::stdout().lock();
    match out.write_all(&printed.out).and_then(|()| out.flush()) {
        Ok(()) => Ok(printed.status.into()),
        // Whoever was reading has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(printed.status.into()),
        Err(error) => Err(Failed {
            report: Report::new(format!("Writing output: {}", paths::reason(&error))),
            format: ErrorFormat::Auto,
            status: 1,
        }),
    }
}
