//! Flags of the commands around the page.

use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

/// Where the page is.
#[derive(Args, Debug)]
pub struct PageFolder {
    /// The page's folder; the one that came with the program, or 'www', if absent
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}

/// Flags of `serve`.
#[derive(Args, Debug)]
pub struct ServeFlags {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    pub listen_addr: String,
    #[command(flatten)]
    pub page: PageFolder,
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
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub out: String,
    #[command(flatten)]
    pub page: PageFolder,
}
