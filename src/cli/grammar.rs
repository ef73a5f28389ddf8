//! How flags are written: the grammar of pflag and cobra, on which ytt's command line is built, over clap's
//! definitions.
//!
//! It differs from clap's own in what a script may rely on: `-fx` and `-f=x` alike, booleans that take a value only
//! after `=`, flags before the command, and the words for what is wrong. What comes out is plain enough for both:
//! `--flag=value` once for each value, and the words that are no flags.

use crate::diagnostic::{Diagnostic, Report};
use crate::script::format::nearest;
use clap::{Arg, ArgAction};
use std::collections::HashMap;

/// A command line in its plain form.
#[derive(Debug, Default)]
pub struct Line {
    /// The command's names below the program's.
    pub command: Vec<String>,
    /// `--flag=value`, or `--flag` for a boolean that is true.
    pub flags: Vec<String>,
    /// What is no flag.
    pub words: Vec<String>,
}

/// Reads a command line as far as it can be read; with what is wrong at that point.
pub fn read(root: &clap::Command, words: &[String]) -> (Line, Result<(), Report>) {
    let mut reader = Reader {
        root,
        command: root,
        line: Line::default(),
        booleans: HashMap::new(),
    };
    let rest = reader.find_command(words.to_vec());
    let result = reader.flags(&rest);
    let mut line = reader.line;
    let mut set: Vec<_> = reader.booleans.into_iter().filter(|(_, on)| *on).collect();
    set.sort();
    line.flags
        .extend(set.into_iter().map(|(name, _)| format!("--{name}")));
    (line, result)
}

struct Reader<'a> {
    root: &'a clap::Command,
    command: &'a clap::Command,
    line: Line,
    /// The last value of each boolean.
    booleans: HashMap<&'a str, bool>,
}

impl<'a> Reader<'a> {
    /// Takes the command's names out of the words: the first words that are neither flags nor their values.
    fn find_command(&mut self, mut words: Vec<String>) -> Vec<String> {
        while let Some(index) = self.first_word(&words) {
            let name = words.get(index).map(String::as_str).unwrap_or_default();
            let Some(command) = self.command.find_subcommand(name) else {
                break;
            };
            self.command = command;
            self.line.command.push(command.get_name().to_string());
            words.remove(index);
        }
        words
    }

    fn first_word(&self, words: &[String]) -> Option<usize> {
        let mut index = 0;
        while let Some(word) = words.get(index) {
            let flag = match word.strip_prefix("--") {
                Some("") => return None,
                Some(long) => Some(self.long(long)),
                None if word.starts_with('-') && word.len() == 2 => {
                    Some(word.chars().nth(1).and_then(|letter| self.short(letter)))
                }
                None => None,
            };
            match flag {
                // A flag that is not known may well have a value.
                Some(flag) if !word.contains('=') && !flag.is_some_and(is_boolean) => index += 1,
                None if !word.is_empty() && !word.starts_with('-') => return Some(index),
                _ => {}
            }
            index += 1;
        }
        None
    }

    fn arguments(&self) -> impl Iterator<Item = &'a Arg> + use<'a> {
        let everywhere = self
            .root
            .get_arguments()
            .filter(|argument| argument.is_global_set());
        self.command.get_arguments().chain(everywhere)
    }

    fn long(&self, name: &str) -> Option<&'a Arg> {
        self.arguments()
            .find(|argument| argument.get_long() == Some(name))
    }

    fn short(&self, letter: char) -> Option<&'a Arg> {
        self.arguments()
            .find(|argument| argument.get_short() == Some(letter))
    }

    fn flags(&mut self, words: &[String]) -> Result<(), Report> {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match (word.strip_prefix("--"), word.strip_prefix('-')) {
                (Some(""), _) => {
                    self.line.words.extend(words.cloned());
                    break;
                }
                (Some(flag), _) => self.long_flag(flag, || words.next())?,
                (None, Some(letters)) if !letters.is_empty() => {
                    self.short_flags(letters, || words.next())?;
                }
                _ => self.line.words.push(word.clone()),
            }
        }
        Ok(())
    }

    fn long_flag<'w>(
        &mut self,
        flag: &str,
        next: impl FnOnce() -> Option<&'w String>,
    ) -> Result<(), Report> {
        if flag.starts_with(['-', '=']) {
            return Err(Report::new(format!("bad flag syntax: --{flag}")));
        }
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        };
        let Some(argument) = self.long(name) else {
            return Err(self.unknown(name));
        };
        match value {
            Some(value) => self.set(argument, value),
            None if is_boolean(argument) => self.set(argument, "true"),
            None => match next() {
                Some(value) => self.set(argument, value),
                None => Err(Report::new(format!("flag needs an argument: --{flag}"))),
            },
        }
    }

    fn short_flags<'w>(
        &mut self,
        letters: &str,
        next: impl FnOnce() -> Option<&'w String>,
    ) -> Result<(), Report> {
        let mut rest = letters;
        while let Some(letter) = rest.chars().next() {
            let after = rest.get(letter.len_utf8()..).unwrap_or_default();
            let Some(argument) = self.short(letter) else {
                let shown = if letter == '\'' {
                    r"'\''".to_string()
                } else {
                    format!("{letter:?}")
                };
                return Err(Report::new(format!(
                    "unknown shorthand flag: {shown} in -{rest}"
                )));
            };
            match after.strip_prefix('=') {
                Some(value) if !value.is_empty() => return self.set(argument, value),
                _ if is_boolean(argument) => self.set(argument, "true")?,
                _ if !after.is_empty() => return self.set(argument, after),
                _ => {
                    return match next() {
                        Some(value) => self.set(argument, value),
                        None => Err(Report::new(format!(
                            "flag needs an argument: '{letter}' in -{rest}"
                        ))),
                    };
                }
            }
            rest = after;
        }
        Ok(())
    }

    fn set(&mut self, argument: &'a Arg, value: &str) -> Result<(), Report> {
        let name = argument.get_long().unwrap_or_default();
        if is_boolean(argument) {
            let Some(on) = boolean(value) else {
                let reason = format!("strconv.ParseBool: parsing {value:?}: invalid syntax");
                return Err(invalid(argument, value, &reason));
            };
            self.booleans.insert(name, on);
        } else if is_list(argument) {
            let values = record(value).map_err(|reason| invalid(argument, value, &reason))?;
            self.line
                .flags
                .extend(values.iter().map(|value| format!("--{name}={value}")));
        } else {
            let before = format!("--{name}=");
            if !matches!(argument.get_action(), ArgAction::Append) {
                // Of a flag that takes one value the last counts.
                self.line.flags.retain(|flag| !flag.starts_with(&before));
            }
            self.line.flags.push(before + value);
        }
        Ok(())
    }

    fn unknown(&self, name: &str) -> Report {
        let text = format!("unknown flag: --{name}");
        let mut diagnostic = Diagnostic::error(text.clone());
        let known = self.arguments().filter_map(Arg::get_long);
        if let Some(near) = nearest(name, known) {
            diagnostic.hints.push(format!("did you mean '--{near}'?"));
        }
        Report::with_diagnostics(text, vec![diagnostic])
    }
}

/// A value that a flag does not take, in pflag's words.
pub fn invalid(argument: &Arg, value: &str, reason: &str) -> Report {
    let long = argument.get_long().unwrap_or_default();
    let flag = match argument.get_short() {
        Some(short) => format!("-{short}, --{long}"),
        None => format!("--{long}"),
    };
    Report::new(format!(
        "invalid argument {value:?} for \"{flag}\" flag: {reason}"
    ))
}

fn is_boolean(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::SetTrue)
}

/// A flag whose value is a list says so by its name in the help.
fn is_list(argument: &Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().any(|name| name.ends_with(",..."))
}

/// What Go takes for a boolean.
fn boolean(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// The fields of one line of CSV, as Go reads it.
fn record(text: &str) -> Result<Vec<String>, String> {
    let fault =
        |column: usize, what: &str| Err(format!("parse error on line 1, column {column}: {what}"));
    let mut fields = Vec::new();
    if text.is_empty() {
        return Ok(fields);
    }
    let mut rest = text;
    loop {
        let column = |rest: &str| text.len() - rest.len() + 1;
        let Some(mut quoted) = rest.strip_prefix('"') else {
            let (field, after) = match rest.split_once(',') {
                Some((field, after)) => (field, Some(after)),
                None => (rest, None),
            };
            if let Some(index) = field.find('"') {
                return fault(column(rest) + index, "bare \" in non-quoted-field");
            }
            fields.push(field.to_string());
            match after {
                Some(after) => rest = after,
                None => return Ok(fields),
            }
            continue;
        };
        let mut field = String::new();
        loop {
            let Some((before, after)) = quoted.split_once('"') else {
                return fault(text.len() + 1, "extraneous or missing \" in quoted-field");
            };
            field.push_str(before);
            if let Some(after) = after.strip_prefix('"') {
                field.push('"');
                quoted = after;
                continue;
            }
            fields.push(field);
            match after.strip_prefix(',') {
                Some(after) => rest = after,
                None if after.is_empty() => return Ok(fields),
                None => {
                    let column = column(after) - 1;
                    return fault(column, "extraneous or missing \" in quoted-field");
                }
            }
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::flags::definitions;
    use super::*;

    fn parse(words: &str) -> Result<String, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let (line, result) = read(&definitions(), &words);
        result.map_err(|report| report.text().to_owned())?;
        let mut parts = line.command;
        parts.extend(line.flags);
        parts.extend(line.words.iter().map(|word| format!("<{word}>")));
        Ok(parts.join(" "))
    }

    #[test]
    fn what_is_read() {
        let table = [
            ("-fx -f=y -f z", "--file=x --file=y --file=z"),
            ("-f= -f -s", "--file== --file=-s"),
            ("--file=a=b --file c", "--file=a=b --file=c"),
            ("--file=", "--file="),
            ("-sfx", "--file=x --strict"),
            ("-s -s=false", ""),
            ("-s=0 --strict=T", "--strict"),
            ("-s false", "--strict <false>"),
            ("-f a x -- -f y", "--file=a <x> <-f> <y>"),
            (
                "-o json,pos -o \"a,b\",c",
                "--output=json --output=pos --output=a,b --output=c",
            ),
            ("-f template template", "template --file=template"),
            ("-f a t -f b", "template --file=a --file=b"),
            ("-s tpl", "template --strict"),
            ("- -f -", "--file=- <->"),
            ("fmt fmt", "fmt <fmt>"),
            ("-- fmt", "<fmt>"),
            ("fmt -h", "fmt --help"),
        ];
        for (words, want) in table {
            assert_eq!(parse(words).as_deref(), Ok(want), "{words}");
        }
    }

    #[test]
    fn what_is_refused() {
        let table = [
            ("--nope=1", "unknown flag: --nope"),
            ("-x", "unknown shorthand flag: 'x' in -x"),
            ("-sxf", "unknown shorthand flag: 'x' in -xf"),
            ("-f", "flag needs an argument: 'f' in -f"),
            ("-sf", "flag needs an argument: 'f' in -f"),
            ("--file", "flag needs an argument: --file"),
            ("--=x", "bad flag syntax: --=x"),
            ("---x", "bad flag syntax: ---x"),
            (
                "--debug=",
                "invalid argument \"\" for \"--debug\" flag: strconv.ParseBool: parsing \"\": invalid syntax",
            ),
            (
                "-s=no",
                "invalid argument \"no\" for \"-s, --strict\" flag: strconv.ParseBool: parsing \"no\": invalid syntax",
            ),
            (
                "-o a\"b",
                "invalid argument \"a\\\"b\" for \"-o, --output\" flag: parse error on line 1, column 2: bare \" in non-quoted-field",
            ),
            ("fmt -o x", "unknown shorthand flag: 'o' in -o"),
            ("fmt --version", "unknown flag: --version"),
        ];
        for (words, want) in table {
            assert_eq!(parse(words), Err(want.to_owned()), "{words}");
        }
    }
}
