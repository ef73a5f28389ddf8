//! What can be said on the command line. ytt's flags have ytt's names and meaning; how they are written is the affair
//! of [`grammar`](super::grammar), which reads these definitions.

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

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
                      haulout diff pinniped/supervisor --to --data-values-file values.yaml"
    )]
    Diff(Box<RenderFlags>),
    /// Format YAML templates
    Fmt(FormatFlags),
    /// Serve the page on this machine
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
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, default_value = "", hide_default_value = true)]
    pub output_files: String,
    /// Delete this folder, then write output files into it
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, default_value = "", hide_default_value = true)]
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
    #[arg(
        long,
        value_name = "JSON",
        default_value = "",
        hide_default_value = true
    )]
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

/// Flags of `lock`.
#[derive(Args, Debug)]
pub struct LockFlags {
    /// Resources, and kbld's configurations and locks among them: a path, a folder, a URL or '-' (repeatable)
    #[arg(short = 'f', long = "file", value_name = "FILE,...", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// Ask no registry; what cannot be resolved without is an error
    #[arg(long)]
    pub offline: bool,
    /// Write an ImagesLock to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub imgpkg_lock_output: String,
    /// Write a configuration of overrides to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub lock_output: String,
    /// Replace images by this JSON map
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub image_map_file: String,
    /// Tell in resources which images were resolved: true or false
    #[arg(long, value_name = "BOOL", default_value = "true", hide_default_value = true, action = clap::ArgAction::Set)]
    pub images_annotation: bool,
    /// Tell in locks how images were resolved: true or false
    #[arg(long, value_name = "BOOL", default_value = "true", hide_default_value = true, action = clap::ArgAction::Set)]
    pub origins_annotation: bool,
    /// Print the images that are found, and resolve none
    #[arg(long)]
    pub unresolved_inspect: bool,
}

/// `bundle` and its commands.
#[derive(Args, Debug)]
pub struct BundleFlags {
    #[command(subcommand)]
    pub command: Option<BundleCommand>,
}

/// What can be done with bundles, which are those of imgpkg.
#[derive(Subcommand, Debug)]
pub enum BundleCommand {
    /// Put files into a registry as a bundle; prints its name with its digest
    Push(BundlePushFlags),
    /// Fetch a bundle's files from a registry
    Pull(BundlePullFlags),
    /// Copy a bundle, with the images that it refers to, to another repository or into an archive
    Copy(BundleCopyFlags),
    /// Print a bundle's digest and the images that it refers to
    Inspect(BundleInspectFlags),
    /// Put files into an archive as a bundle, with the images that it refers to
    ToTar(BundleToTarFlags),
    /// Take a bundle's files out of an archive
    FromTar(BundleFromTarFlags),
}

/// What a bundle is made of.
#[derive(Args, Debug)]
pub struct BundleSourceFlags {
    /// Folder or file to take (repeatable)
    #[arg(short = 'f', long = "file", value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub files: Vec<String>,
    /// Leave out what has this path in the bundle (repeatable)
    #[arg(long, value_name = "PATH,...", default_value = ".git")]
    pub file_exclusion: Vec<String>,
    /// Set a label: KEY=VALUE (repeatable)
    #[arg(short = 'l', long, value_name = "KEY=VALUE,...")]
    pub labels: Vec<String>,
}

/// Flags of `bundle push`.
#[derive(Args, Debug)]
pub struct BundlePushFlags {
    /// Where to put it: HOST/NAME:TAG
    #[arg(
        short = 'b',
        long,
        value_name = "IMAGE",
        default_value = "",
        hide_default_value = true
    )]
    pub bundle: String,
    #[command(flatten)]
    pub source: BundleSourceFlags,
    /// Write a BundleLock to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub lock_output: String,
}

/// Flags of `bundle pull`.
#[derive(Args, Debug)]
pub struct BundlePullFlags {
    /// The bundle: HOST/NAME:TAG or HOST/NAME@DIGEST
    #[arg(
        short = 'b',
        long,
        value_name = "IMAGE",
        default_value = "",
        hide_default_value = true
    )]
    pub bundle: String,
    /// The bundle, by a BundleLock
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub lock: String,
    /// The folder that is to hold the files; what is in it is replaced
    #[arg(short = 'o', long, value_name = "FOLDER", value_hint = ValueHint::DirPath, default_value = "", hide_default_value = true)]
    pub output: String,
}

/// Flags of `bundle copy`.
#[derive(Args, Debug)]
pub struct BundleCopyFlags {
    /// The bundle: HOST/NAME:TAG or HOST/NAME@DIGEST
    #[arg(
        short = 'b',
        long,
        value_name = "IMAGE",
        default_value = "",
        hide_default_value = true
    )]
    pub bundle: String,
    /// The bundle, by a BundleLock
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub lock: String,
    /// The bundle, by an archive that holds it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub tar: String,
    /// The repository to copy to: HOST/NAME
    #[arg(
        long,
        value_name = "REPOSITORY",
        default_value = "",
        hide_default_value = true
    )]
    pub to_repo: String,
    /// The archive to copy to
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub to_tar: String,
    /// Write a BundleLock of the copy to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub lock_output: String,
}

/// Flags of `bundle inspect`.
#[derive(Args, Debug)]
pub struct BundleInspectFlags {
    /// A bundle in a registry: HOST/NAME:TAG or HOST/NAME@DIGEST
    #[arg(
        short = 'b',
        long,
        value_name = "IMAGE",
        default_value = "",
        hide_default_value = true
    )]
    pub bundle: String,
    /// A bundle in an archive
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub tar: String,
    #[command(flatten)]
    pub source: BundleSourceFlags,
}

/// Flags of `bundle to-tar`.
#[derive(Args, Debug)]
pub struct BundleToTarFlags {
    /// The name that it is to have: HOST/NAME:TAG
    #[arg(
        short = 'b',
        long,
        value_name = "IMAGE",
        default_value = "",
        hide_default_value = true
    )]
    pub bundle: String,
    #[command(flatten)]
    pub source: BundleSourceFlags,
    /// The archive
    #[arg(short = 'o', long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub output: String,
}

/// Flags of `bundle from-tar`.
#[derive(Args, Debug)]
pub struct BundleFromTarFlags {
    /// The archive
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub tar: String,
    /// The folder that is to hold the files; what is in it is replaced
    #[arg(short = 'o', long, value_name = "FOLDER", value_hint = ValueHint::DirPath, default_value = "", hide_default_value = true)]
    pub output: String,
}

/// Flags of `serve`.
#[derive(Args, Debug)]
pub struct ServeFlags {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    pub listen_addr: String,
    #[command(flatten)]
    pub page: PageFlags,
}

/// Where the page is.
#[derive(Args, Debug)]
pub struct PageFlags {
    /// The page's folder; the one that came with the program, or 'www', if absent
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}

/// Flags of `site`.
#[derive(Args, Debug)]
pub struct SiteFlags {
    #[command(subcommand)]
    pub command: Option<SiteCommand>,
}

/// What can be done with a site.
#[derive(Subcommand, Debug)]
pub enum SiteCommand {
    /// Write the page with these templates into a folder, for any static host
    #[command(
        override_usage = "haulout site build --source FOLDER [--source FOLDER ...] --out FOLDER [FLAGS]"
    )]
    Build(BuildSiteFlags),
}

/// Flags of `site build`.
#[derive(Args, Debug)]
pub struct BuildSiteFlags {
    /// Folder of templates, a package of the page (can be repeated)
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub source: Vec<String>,
    /// Folder to write; a former site there is replaced
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, default_value = "", hide_default_value = true)]
    pub out: String,
    #[command(flatten)]
    pub page: PageFlags,
}

/// Flags of `select`.
#[derive(Args, Debug)]
pub struct SelectFlags {
    /// Repository to select from
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, default_value = "", hide_default_value = true)]
    pub repository: String,
    /// Version to select from, in place of a repository (repeatable)
    #[arg(long, value_name = "VERSION")]
    pub available: Vec<String>,
    /// Name of the package
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub ref_name: String,
    #[command(flatten)]
    pub selection: SelectionFlags,
    /// Version that is installed: no lower one is taken
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true
    )]
    pub installed: String,
    /// Take a lower version than the installed one
    #[arg(long)]
    pub downgradable: bool,
    /// Version of the cluster, as 'kubectl version' prints it
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true
    )]
    pub kubernetes_version: String,
    /// Version of kapp-controller
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true
    )]
    pub kapp_controller_version: String,
    /// Tell on standard error what each filter leaves, and what may not be meant
    #[arg(long)]
    pub explain: bool,
}

/// What `package` is asked to do.
#[derive(Args, Debug)]
pub struct PackageFlags {
    #[command(subcommand)]
    pub command: Option<PackageCommand>,
}

/// What can be done with packages.
#[derive(Subcommand, Debug)]
pub enum PackageCommand {
    /// Make a bundle, its lock, a Package and a PackageMetadata; prints the bundle's name with its digest
    #[command(
        override_usage = "haulout package build --source FOLDER|PACKAGE --ref-name NAME --version VERSION\n                      \
                          --bundle-repo HOST/NAME --out FOLDER [FLAGS]",
        after_help = "The image becomes the default of the values image_repo and image_digest, if the templates have them.\n\
                      No registry is asked: 'haulout bundle push -f FOLDER/bundle' pushes what was made."
    )]
    Build(Box<BuildPackageFlags>),
}

/// Flags of `package build`.
#[derive(Args, Debug)]
pub struct BuildPackageFlags {
    /// Folder with templates, or a package that the program carries: pinniped/supervisor, pinniped/supervisor@0.25.0
    #[arg(long, value_name = "FOLDER|PACKAGE", value_hint = ValueHint::DirPath, default_value = "", hide_default_value = true)]
    pub source: String,
    /// Name of the package: a domain of three parts or more
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub ref_name: String,
    /// Version of the package
    #[arg(
        long = "version",
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true
    )]
    pub package_version: String,
    /// Where the bundle will be: a registry's host and the name there
    #[arg(
        long,
        value_name = "HOST/NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub bundle_repo: String,
    /// Image that is released, with its digest; NAME=IMAGE for one that stands in the resources as NAME (repeatable)
    #[arg(long = "image", value_name = "REF@DIGEST")]
    pub images: Vec<String>,
    /// File that tells what is new
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub release_notes: String,
    /// File with the PackageMetadata
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub metadata: String,
    /// Let images pass that have no digest
    #[arg(long)]
    pub allow_unlocked: bool,
    /// Folder that is to hold what is made; what was made there before is replaced
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, default_value = "", hide_default_value = true)]
    pub out: String,
}

/// Flags of `release`.
#[derive(Args, Debug)]
pub struct ReleaseFlags {
    /// File that says what is released
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "", hide_default_value = true)]
    pub config: String,
    /// Tell what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Replace versions that are there and differ
    #[arg(long)]
    pub replace: bool,
}

/// What `repository` is asked to do.
#[derive(Args, Debug)]
pub struct RepositoryFlags {
    #[command(subcommand)]
    pub command: Option<RepositoryCommand>,
}

/// What can be done with a repository of packages.
#[derive(Subcommand, Debug)]
pub enum RepositoryCommand {
    /// Add packages, verify all, and print the PackageRepository
    #[command(
        override_usage = "haulout repository build --repository FOLDER --bundle-repo HOST/NAME [SOURCE ...] [FLAGS]",
        after_help = "A SOURCE is a folder that 'haulout package build' made, or a file or folder of Packages. What is pushed\n\
                      is 'packages' and '.imgpkg'; 'bundles', the sources beside them, is not."
    )]
    Build(BuildRepositoryFlags),
    /// Add packages
    #[command(override_usage = "haulout repository add --repository FOLDER SOURCE ... [FLAGS]")]
    Add(AddToRepositoryFlags),
    /// Take a version of a package out, with its sources
    Remove(RemoveFromRepositoryFlags),
    /// List the versions
    List(ListRepositoryFlags),
    /// Tell all that is wrong
    Verify(VerifyRepositoryFlags),
}

/// Where a repository is.
#[derive(Args, Debug)]
pub struct RepositoryFolder {
    /// Folder of the repository
    #[arg(long = "repository", value_name = "FOLDER", value_hint = ValueHint::DirPath, default_value = "", hide_default_value = true)]
    pub folder: String,
}

/// Flags of `repository build`.
#[derive(Args, Debug)]
pub struct BuildRepositoryFlags {
    #[command(flatten)]
    pub add: AddToRepositoryFlags,
    /// Where its bundle will be: a registry's host and the name there
    #[arg(
        long,
        value_name = "HOST/NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub bundle_repo: String,
    /// Name of the PackageRepository; the last part of the bundle's name if absent
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub name: String,
    /// Namespace of the PackageRepository
    #[arg(
        long,
        value_name = "NAMESPACE",
        default_value = "",
        hide_default_value = true
    )]
    pub namespace: String,
}

/// Flags of `repository add`.
#[derive(Args, Debug)]
pub struct AddToRepositoryFlags {
    #[command(flatten)]
    pub repository: RepositoryFolder,
    /// Replace versions that are there and differ
    #[arg(long)]
    pub replace: bool,
}

/// Flags of `repository remove`.
#[derive(Args, Debug)]
pub struct RemoveFromRepositoryFlags {
    #[command(flatten)]
    pub repository: RepositoryFolder,
    /// Name of the package
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub ref_name: String,
    /// Version of the package
    #[arg(
        long = "version",
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true
    )]
    pub package_version: String,
}

/// Flags of `repository list`.
#[derive(Args, Debug)]
pub struct ListRepositoryFlags {
    #[command(flatten)]
    pub repository: RepositoryFolder,
}

/// Flags of `repository verify`.
#[derive(Args, Debug)]
pub struct VerifyRepositoryFlags {
    #[command(flatten)]
    pub repository: RepositoryFolder,
    /// Another repository in the same cluster, with which it must not conflict (repeatable)
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub against: Vec<String>,
}

/// A package in a repository, with values.
#[derive(Args, Debug)]
pub struct PackageWithValuesFlags {
    /// Repository with the package, and with what it is made of
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, default_value = "", hide_default_value = true)]
    pub repository: String,
    /// Name of the package
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub ref_name: String,
    /// Data values, plain YAML; later ones win (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub values: Vec<String>,
}

/// Which versions of a package are accepted.
#[derive(Args, Debug)]
pub struct SelectionFlags {
    /// Versions to accept: '>=0.25.0 <0.40.0', '0.39.x', …; any if empty
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub constraints: String,
    /// Accept pre-releases
    #[arg(long)]
    pub prereleases: bool,
    /// Accept pre-releases that have this identifier, such as 'rc' (repeatable)
    #[arg(long, value_name = "IDENTIFIER")]
    pub prerelease_identifier: Vec<String>,
}

/// Flags of `install`.
#[derive(Args, Debug)]
pub struct InstallFlags {
    #[command(flatten)]
    pub package: PackageWithValuesFlags,
    #[command(flatten)]
    pub selection: SelectionFlags,
    /// Namespace of the install; a package mostly makes another one for itself
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub namespace: String,
    /// Name of the install; the first part of the package's if not given
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub name: String,
    /// Name of its service account; NAME-installer if not given
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    pub service_account: String,
    /// What the service account may do: 'least' (as if not given) or 'cluster-admin'
    #[arg(
        long,
        value_name = "ROLE",
        default_value = "",
        hide_default_value = true
    )]
    pub rbac: String,
    /// Overlay to be applied to what the package renders (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub overlay: Vec<String>,
    /// Where the repository's bundle is: HOST/NAME; without it there is no PackageRepository
    #[arg(
        long,
        value_name = "IMAGE",
        default_value = "",
        hide_default_value = true
    )]
    pub bundle_repo: String,
    /// Folder to write to
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, default_value = "", hide_default_value = true)]
    pub out: String,
}

/// Flags of `upgrade`.
#[derive(Args, Debug)]
pub struct UpgradeFlags {
    #[command(flatten)]
    pub package: PackageWithValuesFlags,
    #[command(flatten)]
    pub selection: SelectionFlags,
    /// Version that is installed
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true
    )]
    pub from: String,
    /// Data values of the version that is installed, if they are not those of --values (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub from_values: Vec<String>,
    /// Version to compare with, in place of --constraints
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true
    )]
    pub to: String,
    /// Namespace of the install
    #[arg(
        long,
        value_name = "NAME",
        default_value = "default",
        hide_default_value = true
    )]
    pub namespace: String,
    /// Overlay that the install applies (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub overlay: Vec<String>,
    /// Output format: 'text' (as if not given), 'json' or 'markdown'
    #[arg(
        short = 'o',
        long,
        value_name = "FORMAT",
        default_value = "",
        hide_default_value = true
    )]
    pub output: String,
}
