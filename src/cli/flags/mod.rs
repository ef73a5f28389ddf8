//! What can be said on the command line. ytt's flags have ytt's names and meaning; how they are written is the affair
//! of [`grammar`](super::grammar), which reads these definitions.

mod bounds;
mod bundle;
mod package;
mod page;

pub use bundle::*;
pub use package::*;
pub use page::*;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};

/// All commands with their flags. A flag of one text is empty if it is not given; the commands say which they cannot do
/// without.
pub fn definitions() -> clap::Command {
    optional(CommandLine::command())
}

fn optional(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|flag| match flag.is_required_set() {
        true => flag
            .required(false)
            .default_value("")
            .hide_default_value(true),
        false => flag,
    });
    command.mut_subcommands(optional)
}

/// haulout renders ytt configuration: files, or packages that the program carries.
#[derive(Parser, Debug)]
#[command(
    name = "haulout",
    version,
    disable_version_flag = true,
    disable_help_flag = true,
    disable_help_subcommand = true,
    subcommand_value_name = "COMMAND",
    override_usage = "haulout -f FILE [FLAGS]\n       haulout COMMAND [FLAGS]",
    after_help = "Packages that the program carries:\n  pinniped/supervisor\n  pinniped/concierge"
)]
pub struct CommandLine {
    #[command(flatten)]
    pub render: RenderFlags,
    /// Print the version
    #[arg(long)]
    pub version: bool,
    #[command(flatten)]
    pub common: CommonFlags,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What a command line asks for beside a render of files.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Render files (deprecated: leave the word 'template' out)
    #[command(aliases = ["t", "tpl"])]
    Template(Box<RenderFlags>),
    /// Render a package that the program carries
    #[command(override_usage = "haulout render PACKAGE [FLAGS]")]
    Render(Box<RenderFlags>),
    /// Show what changes from one render to another
    #[command(
        override_usage = "haulout diff [PACKAGE] [FLAGS] [--from FLAGS] [--to FLAGS]",
        after_help = "Flags before --from and --to hold for both renders. Kubernetes objects are compared one by one,\n\
                      whatever their order; other results line by line. The exit status is 1 if something changes,\n\
                      2 if a render fails.\n\n\
                      Examples:\n  \
                      haulout diff --from -f old --to -f new\n  \
                      haulout diff -f config --to -v replicas=3\n  \
                      haulout diff pinniped/supervisor --to --data-values-file values.yaml\n  \
                      haulout diff --from pinniped/supervisor@0.25.0 --to pinniped/supervisor@0.39.0"
    )]
    Diff(Box<RenderFlags>),
    /// Format YAML templates
    Fmt(FormatFlags),
    /// Serve the page on this machine
    #[command(alias = "website")]
    Serve(ServeFlags),
    /// Make a page for templates of one's own
    Site(SiteFlags),
    /// Make Carvel packages of templates
    Package(PackageFlags),
    /// Build packages, put them into a repository, and push all of it
    #[command(
        override_usage = "haulout release --config FILE [FLAGS]",
        after_help = "The file says what is released; docs/packaging.md has an example. Paths in it begin at its own folder. What is\n\
                      printed is the PackageRepository. With --dry-run everything is built and checked, and nothing is\n\
                      written or pushed."
    )]
    Release(ReleaseFlags),
    /// Keep many versions of packages in one repository
    Repository(RepositoryFlags),
    /// Tell which version of a package an install would get
    #[command(
        override_usage = "haulout select --repository FOLDER --ref-name NAME --constraints TEXT [FLAGS]",
        after_help = "The rules and the words are kapp-controller's. The exit status is 1 if there is no such version."
    )]
    Select(SelectFlags),
    /// Write the resources that install a package, with the permissions that it needs
    #[command(
        override_usage = "haulout install --repository FOLDER --ref-name NAME --constraints TEXT --namespace NAME --out FOLDER [FLAGS]",
        after_help = "The values are checked first, by the package's schema and rules. The permissions are the least that work for the\n\
                      version that the constraints select now, each with a comment that says what needs it."
    )]
    Install(Box<InstallFlags>),
    /// Tell what another version of a package would change
    #[command(
        override_usage = "haulout upgrade --repository FOLDER --ref-name NAME --from VERSION --to VERSION [FLAGS]",
        after_help = "Objects are told field by field, with the values and the permissions. The exit status is 2 if something changes."
    )]
    Upgrade(Box<UpgradeFlags>),
    /// Replace the images in resources by their digests, and lock them
    #[command(
        after_help = "The rules, files and words are kbld's; images are not built. A registry is asked only for images that have\n\
                      neither a digest nor a place in a lock or an override."
    )]
    Lock(LockFlags),
    /// Push, pull and copy bundles
    Bundle(Box<BundleFlags>),
    /// Print the version
    Version,
    /// Print a script that completes commands and flags
    #[command(override_usage = "haulout completion bash|zsh|fish|powershell")]
    Completion,
    /// Print the manual page
    Man,
    /// Print help about a command
    #[command(override_usage = "haulout help [COMMAND]")]
    Help,
}

/// Flags of every command.
#[derive(Args, Debug)]
pub struct CommonFlags {
    /// How errors are printed: 'plain' as ytt does, 'full' with the source line, 'json'; 'auto' is full on a terminal
    #[arg(
        long,
        global = true,
        value_name = "FORMAT",
        value_enum,
        default_value_t,
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub error_format: ErrorFormat,
    /// Print help
    #[arg(short = 'h', long, global = true)]
    pub help: bool,
}

/// How errors are printed.
#[derive(ValueEnum, Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ErrorFormat {
    /// Full on a terminal, else plain.
    #[default]
    Auto,
    /// As ytt prints them.
    Plain,
    /// With the source line.
    Full,
    /// One JSON object.
    Json,
}

/// All flags of a render.
#[derive(Args, Debug, Default)]
pub struct RenderFlags {
    /// File to process: a path, a folder, a URL, '-' for standard input; NAME=FILE gives it another name (repeatable)
    #[arg(short = 'f', long = "file", value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// Change how a file is taken: PATH:KEY=VALUE (repeatable)
    #[arg(long, value_name = "MARK")]
    pub file_mark: Vec<String>,
    /// Print the paths of the files that would be processed
    #[arg(long)]
    pub files_inspect: bool,
    /// Output format: yaml, json or pos; of a schema openapi-v3, json-schema, markdown or values (repeatable)
    #[arg(short = 'o', long, value_name = "FORMAT,...")]
    pub output: Vec<String>,
    /// Write output files into this folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output_files: String,
    /// Delete this folder, then write output files into it
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub dangerous_emptied_output_directory: String,
    /// Accept a strict subset of YAML only
    #[arg(short = 's', long)]
    pub strict: bool,
    /// Leave comments alone that start with neither '#@' nor '#!'
    #[arg(long)]
    pub ignore_unknown_comments: bool,
    /// Let later keys of a map replace earlier ones
    #[arg(long)]
    pub implicit_map_key_overrides: bool,
    /// Tell on standard error which files are read, for what they are taken, and how long it took
    #[arg(long)]
    pub debug: bool,
    /// Files as JSON: {"files":[{"name":"…","data":"…"}]}
    #[arg(long, value_name = "JSON")]
    pub bulk_in: String,
    /// Print the result as JSON: {"files":[…],"errors":"…"}
    #[arg(long)]
    pub bulk_out: bool,
    /// Set a data value to a string: KEY=VALUE (repeatable)
    #[arg(short = 'v', long, value_name = "KEY=VALUE")]
    pub data_value: Vec<String>,
    /// Set a data value to what the YAML means: KEY=YAML (repeatable)
    #[arg(long, value_name = "KEY=YAML")]
    pub data_value_yaml: Vec<String>,
    /// Set a data value to a file's content: KEY=FILE (repeatable)
    #[arg(long, value_name = "KEY=FILE")]
    pub data_value_file: Vec<String>,
    /// Set data values from variables PREFIX_key__key, as strings (repeatable)
    #[arg(long, value_name = "PREFIX")]
    pub data_values_env: Vec<String>,
    /// Set data values from variables PREFIX_key__key, as YAML (repeatable)
    #[arg(long, value_name = "PREFIX")]
    pub data_values_env_yaml: Vec<String>,
    /// Set data values from plain YAML: a path, a folder, a URL or '-' (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub data_values_file: Vec<String>,
    /// Print the final data values
    #[arg(long)]
    pub data_values_inspect: bool,
    /// Print the schema of data values; with -o openapi-v3, json-schema, markdown or values
    #[arg(long)]
    pub data_values_schema_inspect: bool,
    /// Do not run validation rules of data values
    #[arg(long)]
    pub dangerous_data_values_disable_validation: bool,
    /// Allow symbolic links that lead to this path (repeatable)
    #[arg(long, value_name = "PATH,...", value_hint = ValueHint::AnyPath)]
    pub allow_symlink_destination: Vec<String>,
    /// Allow all symbolic links
    #[arg(long)]
    pub dangerous_allow_all_symlink_destinations: bool,
    /// Render again whenever an input changes
    #[arg(long)]
    pub watch: bool,
    #[command(flatten)]
    pub bounds: BoundFlags,
}

/// Flags for how far an evaluation may go.
#[derive(Args, Debug, Default)]
pub struct BoundFlags {
    /// Stop an evaluation after so many steps, 400M if not said
    #[arg(long, value_name = "NUMBER", value_parser = bounds::number)]
    pub max_steps: Option<u64>,
    /// Stop an evaluation at calls nested deeper than this, 10k if not said
    #[arg(long, value_name = "NUMBER", value_parser = bounds::number)]
    pub max_depth: Option<u64>,
    /// Stop an evaluation that builds more nodes than this, 5M if not said
    #[arg(long, value_name = "NUMBER", value_parser = bounds::number)]
    pub max_nodes: Option<u64>,
    /// Stop an evaluation whose values hold more bytes than this, 256Mi if not said
    #[arg(long, value_name = "BYTES", value_parser = bounds::number)]
    pub max_memory: Option<u64>,
    /// Stop an evaluation whose results are longer than this, 1Gi if not said
    #[arg(long, value_name = "BYTES", value_parser = bounds::number)]
    pub max_output: Option<u64>,
}

/// Flags of `fmt`.
#[derive(Args, Debug)]
pub struct FormatFlags {
    /// File to format: a path, a folder, a URL or '-' (repeatable)
    #[arg(short = 'f', long = "file", value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// Accept a strict subset of YAML only
    #[arg(short = 's', long)]
    pub strict: bool,
    /// Tell on standard error which files are read, and how long it took
    #[arg(long)]
    pub debug: bool,
}
