//! The command line: a drop-in for ytt's, and what haulout adds.
//!
//! The one place that reads files, the environment and standard input, and that prints. What a command gives is
//! collected whole before any of it is written.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod blob;
mod bulk;
mod bundle;
mod credentials;
mod diff;
mod failure;
mod flags;
mod fmt;
mod grammar;
mod growing;
mod input;
mod install;
mod interrupt;
mod links;
mod lock;
mod output;
mod package;
mod page;
mod paths;
mod registry;
mod release;
mod relocate;
mod render;
mod repository;
mod select;
mod serve;
mod shell;
mod site;
mod stage;
mod tree;
mod values;
mod watch;

use crate::diagnostic::{Diagnostic, Report};
use crate::script::format::nearest;
use clap::FromArgMatches;
use clap::error::ContextKind;
use flags::{Command, CommandLine, ErrorFormat};
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, IsTerminal, Write};
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
    let mut root = flags::definitions();
    let (sides, words) = diff::split(&root, words);
    let (line, result) = grammar::read(&root, &words);
    let parsed = parse(&mut root, name, &line);
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
    let words: Vec<&str> = line.words.iter().map(String::as_str).collect();
    if let (Some(word), false) = (words.first(), takes_words(parsed.command.as_ref())) {
        return Err(fail(extra(&root, name, &path, word), 1));
    }
    let printed = match parsed.command {
        None if line.flags.is_empty() && std::io::stderr().is_terminal() => Ok(shell::hint(name)),
        None => watch::render(name, &parsed.render, &[], format),
        Some(Command::Template(flags)) => watch::render(name, &flags, &[], format),
        Some(Command::Render(flags)) => match words.len() {
            1 => watch::render(name, &flags, &line.words, format),
            found => Err(Report::new(format!(
                "expected one package, found {found} (hint: {name} render pinniped/supervisor)"
            ))),
        },
        Some(Command::Diff(_)) => {
            return diff::diff(&root, &sides).map_err(|report| fail(report, 2));
        }
        Some(Command::Fmt(flags)) => fmt::fmt(&flags),
        Some(Command::Serve(flags)) => serve::serve(&flags),
        Some(Command::Site(flags)) => site::site(flags.command.as_ref()),
        Some(Command::Package(flags)) => package::package(&flags),
        Some(Command::Release(flags)) => release::release(&flags),
        Some(Command::Repository(flags)) => repository::repository(flags.command.as_ref(), &words),
        Some(Command::Select(flags)) => select::select(&flags, format),
        Some(Command::Install(flags)) => install::install(&flags),
        Some(Command::Upgrade(flags)) => install::upgrade(&flags),
        Some(Command::Lock(flags)) => lock::lock(&flags),
        Some(Command::Bundle(flags)) => bundle::bundle(name, &flags),
        Some(Command::Version) => Ok(version(name)),
        Some(Command::Completion) => shell::completion(name, &words),
        Some(Command::Man) => shell::man(name),
        Some(Command::Help) => Ok(shell::help(name, &words)),
    };
    printed.map_err(|report| fail(report, 1))
}

/// The flags of a line that the grammar has read.
fn parse(
    root: &mut clap::Command,
    name: &str,
    line: &grammar::Line,
) -> Result<CommandLine, Report> {
    let words = line.command.iter().chain(&line.flags);
    let argv = [name].into_iter().chain(words.map(String::as_str));
    root.try_get_matches_from_mut(argv)
        .and_then(|matches| CommandLine::from_arg_matches(&matches))
        .map_err(|error| explain(root, &error))
}

fn takes_words(command: Option<&Command>) -> bool {
    use Command::{Completion, Diff, Help, Render, Repository};
    use flags::RepositoryCommand::{Add, Build};
    match command {
        Some(Render(_) | Diff(_) | Completion | Help) => true,
        Some(Repository(flags)) => matches!(flags.command, Some(Add(_) | Build(_))),
        _ => false,
    }
}

/// A word too many; perhaps it was meant to be a command.
fn extra(root: &clap::Command, name: &str, path: &[&str], word: &str) -> Report {
    let command = [&[name], path].concat().join(" ");
    let text = format!("command '{command}' does not accept extra arguments '{word}'");
    let mut diagnostic = Diagnostic::error(text.clone());
    let commands = root.get_subcommands().map(clap::Command::get_name);
    if let (true, Some(near)) = (path.is_empty(), nearest(word, commands)) {
        diagnostic
            .hints
            .push(format!("did you mean '{name} {near}'?"));
    }
    Report::with_diagnostics(text, vec![diagnostic])
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
            let reason = match (context(ContextKind::ValidValue), error.source()) {
                (None, Some(reason)) => reason.to_string(),
                (valid, _) => format!("expected one of: {}", valid.unwrap_or_default()),
            };
            grammar::invalid(argument, &value, &reason)
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
