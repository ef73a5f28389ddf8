//! ytt's flags, with ytt's meaning and its words for what is wrong with them.

use crate::diagnostic::Report;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, Args, CommandFactory, Parser};

/// What a flag without a value means.
const TRUE: &str = "true";

/// All flags of a render.
#[derive(Args, Debug, Default, Clone)]
pub struct RenderFlags {
    /// File to process: a path, a folder, '-' for standard input, or NAME=PATH (repeatable)
    #[arg(short = 'f', long = "file", value_name = "FILE", action = ArgAction::Append, allow_hyphen_values = true)]
    pub files: Vec<String>,
    /// Change how a file is taken: PATH:KEY=VALUE (repeatable)
    #[arg(long, value_name = "MARK", action = ArgAction::Append, allow_hyphen_values = true)]
    pub file_mark: Vec<String>,
    /// Print the paths of the files that would be processed
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = TRUE, value_name = "BOOL")]
    pub files_inspect: Option<String>,
    /// Output format: yaml, json or pos; or openapi-v3 of a schema (repeatable)
    #[arg(short = 'o', long = "output", value_name = "FORMAT", action = ArgAction::Append, value_delimiter = ',')]
    pub output: Vec<String>,
    /// Write output files into this folder
    #[arg(long, value_name = "FOLDER")]
    pub output_files: Option<String>,
    /// Delete this folder, then write output files into it
    #[arg(long, value_name = "FOLDER")]
    pub dangerous_emptied_output_directory: Option<String>,
    /// Accept a strict subset of YAML only
    #[arg(short = 's', long, num_args = 0..=1, require_equals = true, default_missing_value = TRUE, value_name = "BOOL")]
    pub strict: Option<String>,
    /// Leave comments alone that start with neither '#@' nor '#!'
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = TRUE, value_name = "BOOL")]
    pub ignore_unknown_comments: Option<String>,
    /// Let later keys of a map replace earlier ones
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = TRUE, value_name = "BOOL")]
    pub implicit_map_key_overrides: Option<String>,
    /// Accepted, as ytt has it
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = TRUE, value_name = "BOOL")]
    pub debug: Option<String>,
    /// Files as JSON: {"files":[{"name":"…","data":"…"}]}
    #[arg(long, value_name = "JSON")]
    pub bulk_in: Option<String>,
    /// Print the result as JSON: {"files":[…],"errors":"…"}
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = TRUE, value_name = "BOOL")]
    pub bulk_out: Option<String>,
    /// Set a data value to a string: KEY=VALUE (repeatable)
    #[arg(short = 'v', long, value_name = "KEY=VALUE", action = ArgAction::Append, allow_hyphen_values = true)]
    pub data_value: Vec<String>,
    /// Set a data value to what the YAML means: KEY=YAML (repeatable)
    #[arg(long, value_name = "KEY=YAML", action = ArgAction::Append, allow_hyphen_values = true)]
    pub data_value_yaml: Vec<String>,
    /// Set a data value to a file's content: KEY=PATH (repeatable)
    #[arg(long, value_name = "KEY=PATH", action = ArgAction::Append, allow_hyphen_values = true)]
    pub data_value_file: Vec<String>,
    /// Set data values from variables PREFIX_key__key, as strings (repeatable)
    #[arg(long, value_name = "PREFIX", action = ArgAction::Append, allow_hyphen_values = true)]
    pub data_values_env: Vec<String>,
    /// Set data values from variables PREFIX_key__key, as YAML (repeatable)
    #[arg(long, value_name = "PREFIX", action = ArgAction::Append, allow_hyphen_values = true)]
    pub data_values_env_yaml: Vec<String>,
    /// Set data values from a plain YAML file, a folder or '-' (repeatable)
    #[arg(long, value_name = "PATH", action = ArgAction::Append, allow_hyphen_values = true)]
    pub data_values_file: Vec<String>,
    /// Print the final data values
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = TRUE, value_name = "BOOL")]
    pub data_values_inspect: Option<String>,
    /// Print the schema of data values; with -o openapi-v3
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = TRUE, value_name = "BOOL")]
    pub data_values_schema_inspect: Option<String>,
    /// Do not run validation rules of data values
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = TRUE, value_name = "BOOL")]
    pub dangerous_data_values_disable_validation: Option<String>,
    /// Allow symbolic links that lead to this path (repeatable)
    #[arg(long, value_name = "PATH", action = ArgAction::Append, value_delimiter = ',')]
    pub allow_symlink_destination: Vec<String>,
    /// Allow all symbolic links
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = TRUE, value_name = "BOOL")]
    pub dangerous_allow_all_symlink_destinations: Option<String>,
}

/// A command line of flags, and words that are none.
#[derive(Parser, Debug)]
#[command(
    name = "haulout",
    disable_version_flag = true,
    disable_help_flag = true,
    args_override_self = true
)]
pub struct CommandLine {
    #[command(flatten)]
    pub render: RenderFlags,
    /// Print this
    #[arg(short = 'h', long, action = ArgAction::SetTrue)]
    pub help: bool,
    /// Print the version
    #[arg(long, action = ArgAction::SetTrue)]
    pub version: bool,
    #[arg(hide = true)]
    pub words: Vec<String>,
}

/// Reads flags.
///
/// # Errors
/// A flag is unknown, or has no value.
pub fn parse(words: &[String]) -> Result<CommandLine, Report> {
    let words = std::iter::once("haulout").chain(words.iter().map(String::as_str));
    CommandLine::try_parse_from(words).map_err(|error| Report::new(explain(&error)))
}

/// The list of flags.
pub fn help() -> String {
    CommandLine::command()
        .help_template("Flags:\n{options}")
        .render_long_help()
        .to_string()
}

/// ytt's words for what is wrong.
fn explain(error: &clap::Error) -> String {
    let arg = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(arg)) => arg.as_str(),
        _ => "",
    };
    let flag = arg.split([' ', '=', '[']).next().unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument if flag.starts_with("--") => format!("unknown flag: {flag}"),
        ErrorKind::UnknownArgument => {
            let letter = flag
                .trim_start_matches('-')
                .chars()
                .next()
                .unwrap_or_default();
            format!("unknown shorthand flag: '{letter}' in {flag}")
        }
        ErrorKind::InvalidValue
        | ErrorKind::TooFewValues
        | ErrorKind::WrongNumberOfValues
        | ErrorKind::NoEquals => {
            format!("flag needs an argument: {flag}")
        }
        _ => error
            .to_string()
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_string(),
    }
}

/// A flag that may stand without a value.
///
/// # Errors
/// The value is neither true nor false, as Go reads them.
pub fn boolean(name: &str, value: Option<&str>) -> Result<bool, Report> {
    match value {
        None | Some("0" | "f" | "F" | "false" | "FALSE" | "False") => Ok(false),
        Some("1" | "t" | "T" | "true" | "TRUE" | "True") => Ok(true),
        Some(other) => Err(Report::new(format!(
            "invalid argument \"{other}\" for \"--{name}\" flag: strconv.ParseBool: parsing \"{other}\": invalid syntax"
        ))),
    }
}
