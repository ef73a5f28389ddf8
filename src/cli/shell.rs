//! Help, the manual page, and completion, all from the flags' definitions.

use super::{Printed, flags};
use crate::diagnostic::Report;
use clap::{Command, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

/// The definitions under the name by which the program was called.
fn definitions(name: &'static str) -> Command {
    let mut command = flags::definitions().name(name).bin_name(name);
    command.build();
    command
}

/// Help about the program or one of its commands.
pub fn help(name: &'static str, path: &[&str]) -> Printed {
    let mut root = definitions(name);
    let found = path
        .iter()
        .try_fold(&mut root, |command, word| command.find_subcommand_mut(word));
    match found {
        Some(command) => {
            let help = command.render_long_help().to_string();
            // Usage that clap did not write itself has the program's first name.
            let usage = |before: &str| (format!("{before}haulout "), format!("{before}{name} "));
            let lines = [usage("Usage: "), usage("       ")];
            Printed::out(
                lines
                    .iter()
                    .fold(help, |help, (ours, named)| help.replace(ours, named)),
            )
        }
        None => {
            let topics: Vec<String> = path.iter().map(|word| format!("`{word}`")).collect();
            let help = root.render_long_help();
            Printed {
                err: format!("Unknown help topic [{}]\n{help}", topics.join(" ")).into_bytes(),
                ..Printed::default()
            }
        }
    }
}

/// What there is to do, for a person who gave nothing to do; without a terminal ytt's silence is kept.
pub fn hint(name: &str) -> Printed {
    Printed {
        err: format!(
            "{name}: nothing to render (hint: {name} -f FOLDER, {name} render pinniped/supervisor, {name} --help)\n"
        )
        .into_bytes(),
        ..Printed::default()
    }
}

/// The script with which a shell completes commands and flags.
///
/// # Errors
/// There is none for such a shell.
pub fn completion(name: &'static str, words: &[&str]) -> Result<Printed, Report> {
    let [word] = words else {
        return Ok(help(name, &["completion"]));
    };
    let shell = Shell::from_str(word, false).map_err(|_| {
        Report::new(format!(
            "unknown command {word:?} for \"{name} completion\""
        ))
    })?;
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut definitions(name), name, &mut out);
    Ok(Printed::out(out))
}

/// The manual page, in roff.
///
/// # Errors
/// It cannot be laid out.
pub fn man(name: &'static str) -> Result<Printed, Report> {
    let mut out = Vec::new();
    let page = definitions(name);
    let commands: Vec<Command> = page.get_subcommands().cloned().collect();
    Man::new(page)
        .render(&mut out)
        .map_err(|error| Report::new(error.to_string()))?;
    for command in commands {
        let title = format!(
            "\n.SH {} {}\n",
            name.to_uppercase(),
            command.get_name().to_uppercase()
        );
        out.extend_from_slice(title.as_bytes());
        let man = Man::new(command);
        man.render_description_section(&mut out)
            .and_then(|()| man.render_options_section(&mut out))
            .map_err(|error| Report::new(error.to_string()))?;
    }
    Ok(Printed::out(out))
}
