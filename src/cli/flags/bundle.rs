//! Flags of `bundle` and `lock`: images, registries, archives.

use clap::{Args, Subcommand, ValueHint};

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
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub imgpkg_lock_output: String,
    /// Write a configuration of overrides to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lock_output: String,
    /// Replace images by this JSON map
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
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
    #[arg(short = 'b', long, value_name = "IMAGE")]
    pub bundle: String,
    #[command(flatten)]
    pub source: BundleSourceFlags,
    /// Write a BundleLock to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lock_output: String,
}

/// Flags of `bundle pull`.
#[derive(Args, Debug)]
pub struct BundlePullFlags {
    /// The bundle: HOST/NAME:TAG or HOST/NAME@DIGEST
    #[arg(short = 'b', long, value_name = "IMAGE")]
    pub bundle: String,
    /// The bundle, by a BundleLock
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lock: String,
    /// The folder that is to hold the files; what is in it is replaced
    #[arg(short = 'o', long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: String,
}

/// Flags of `bundle copy`.
#[derive(Args, Debug)]
pub struct BundleCopyFlags {
    /// The bundle: HOST/NAME:TAG or HOST/NAME@DIGEST
    #[arg(short = 'b', long, value_name = "IMAGE")]
    pub bundle: String,
    /// The bundle, by a BundleLock
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lock: String,
    /// The bundle, by an archive that holds it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub tar: String,
    /// The repository to copy to: HOST/NAME
    #[arg(long, value_name = "REPOSITORY")]
    pub to_repo: String,
    /// The archive to copy to
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub to_tar: String,
    /// Write a BundleLock of the copy to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub lock_output: String,
}

/// Flags of `bundle inspect`.
#[derive(Args, Debug)]
pub struct BundleInspectFlags {
    /// A bundle in a registry: HOST/NAME:TAG or HOST/NAME@DIGEST
    #[arg(short = 'b', long, value_name = "IMAGE")]
    pub bundle: String,
    /// A bundle in an archive
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub tar: String,
    #[command(flatten)]
    pub source: BundleSourceFlags,
}

/// Flags of `bundle to-tar`.
#[derive(Args, Debug)]
pub struct BundleToTarFlags {
    /// The name that it is to have: HOST/NAME:TAG
    #[arg(short = 'b', long, value_name = "IMAGE")]
    pub bundle: String,
    #[command(flatten)]
    pub source: BundleSourceFlags,
    /// The archive
    #[arg(short = 'o', long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: String,
}

/// Flags of `bundle from-tar`.
#[derive(Args, Debug)]
pub struct BundleFromTarFlags {
    /// The archive
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub tar: String,
    /// The folder that is to hold the files; what is in it is replaced
    #[arg(short = 'o', long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: String,
}
