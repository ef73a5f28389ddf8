//! Flags of what works on packages: `package`, `release`, `repository`, `select`, `install`, `upgrade`.

use clap::{Args, Subcommand, ValueHint};

/// Flags of `select`.
#[derive(Args, Debug)]
pub struct SelectFlags {
    /// Repository to select from
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub repository: String,
    /// Version to select from, in place of a repository (repeatable)
    #[arg(long, value_name = "VERSION")]
    pub available: Vec<String>,
    /// Name of the package
    #[arg(long, value_name = "NAME")]
    pub ref_name: String,
    #[command(flatten)]
    pub selection: SelectionFlags,
    /// Version that is installed: no lower one is taken
    #[arg(long, value_name = "VERSION")]
    pub installed: String,
    /// Take a lower version than the installed one
    #[arg(long)]
    pub downgradable: bool,
    /// Version of the cluster, as 'kubectl version' prints it
    #[arg(long, value_name = "VERSION")]
    pub kubernetes_version: String,
    /// Version of kapp-controller
    #[arg(long, value_name = "VERSION")]
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
    #[arg(long, value_name = "FOLDER|PACKAGE", value_hint = ValueHint::DirPath)]
    pub source: String,
    /// Name of the package: a domain of three parts or more
    #[arg(long, value_name = "NAME")]
    pub ref_name: String,
    /// Version of the package
    #[arg(long = "version", value_name = "VERSION")]
    pub package_version: String,
    /// Where the bundle will be: a registry's host and the name there
    #[arg(long, value_name = "HOST/NAME")]
    pub bundle_repo: String,
    /// Image that is released, with its digest; NAME=IMAGE for one that stands in the resources as NAME (repeatable)
    #[arg(long = "image", value_name = "REF@DIGEST")]
    pub images: Vec<String>,
    /// File that tells what is new
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub release_notes: String,
    /// File with the PackageMetadata
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub metadata: String,
    /// Let images pass that have no digest
    #[arg(long)]
    pub allow_unlocked: bool,
    /// Folder that is to hold what is made; what was made there before is replaced
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub out: String,
}

/// Flags of `release`.
#[derive(Args, Debug)]
pub struct ReleaseFlags {
    /// File that says what is released
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
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
    #[arg(long = "repository", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: String,
}

/// Flags of `repository build`.
#[derive(Args, Debug)]
pub struct BuildRepositoryFlags {
    #[command(flatten)]
    pub add: AddToRepositoryFlags,
    /// Where its bundle will be: a registry's host and the name there
    #[arg(long, value_name = "HOST/NAME")]
    pub bundle_repo: String,
    /// Name of the PackageRepository; the last part of the bundle's name if absent
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// Namespace of the PackageRepository
    #[arg(long, value_name = "NAMESPACE")]
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
    #[arg(long, value_name = "NAME")]
    pub ref_name: String,
    /// Version of the package
    #[arg(long = "version", value_name = "VERSION")]
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
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub repository: String,
    /// Name of the package
    #[arg(long, value_name = "NAME")]
    pub ref_name: String,
    /// Data values, plain YAML; later ones win (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub values: Vec<String>,
}

/// Which versions of a package are accepted.
#[derive(Args, Debug)]
pub struct SelectionFlags {
    /// Versions to accept: '>=0.25.0 <0.40.0', '0.39.x', …; any if empty
    #[arg(long, value_name = "TEXT")]
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
    #[arg(long, value_name = "NAME")]
    pub namespace: String,
    /// Name of the install; the first part of the package's if not given
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// Name of its service account; NAME-installer if not given
    #[arg(long, value_name = "NAME")]
    pub service_account: String,
    /// What the service account may do: 'least' (as if not given) or 'cluster-admin'
    #[arg(long, value_name = "ROLE")]
    pub rbac: String,
    /// Overlay to be applied to what the package renders (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub overlay: Vec<String>,
    /// Where the repository's bundle is: HOST/NAME; without it there is no PackageRepository
    #[arg(long, value_name = "IMAGE")]
    pub bundle_repo: String,
    /// Folder to write to
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
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
    #[arg(long, value_name = "VERSION")]
    pub from: String,
    /// Data values of the version that is installed, if they are not those of --values (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub from_values: Vec<String>,
    /// Version to compare with, in place of --constraints
    #[arg(long, value_name = "VERSION")]
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
    #[arg(short = 'o', long, value_name = "FORMAT")]
    pub output: String,
}
