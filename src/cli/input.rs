//! Files from the disk, from URLs and from standard input.

use super::links::Allowed;
use super::paths::{base, join, reason};
use crate::diagnostic::Report;
use crate::files::File;
use crate::values::flags::STANDARD_INPUT;
use std::fs::{self, Metadata};
use std::io::Read;
use std::os::unix::fs::FileTypeExt;

/// Reads what flags name; standard input once.
#[derive(Default)]
pub struct Reader {
    stdin_read: bool,
    links: Allowed,
}

/// Something that can be read.
pub struct Found {
    /// Where it is.
    place: Place,
    /// Path below the folder that was named, or the file's own name.
    pub relative: String,
    /// The path that it is given by `NAME=PATH`.
    name: Option<String>,
}

enum Place {
    Stdin,
    Url(String),
    Disk(String),
}

impl Reader {
    /// A reader that follows links to where it is allowed.
    pub fn new(links: Allowed) -> Reader {
        Reader {
            links,
            ..Reader::default()
        }
    }

    /// The files that `-f` names, in order; those of a folder sorted by path.
    ///
    /// # Errors
    /// One is not there, or is a link that is not allowed.
    pub fn files(&mut self, arguments: &[String]) -> Result<Vec<File>, Report> {
        let mut files = Vec::new();
        for argument in arguments {
            let mut group = Vec::new();
            for found in self.find_named(argument)? {
                let description = found.description();
                let relative = found.relative;
                let mut file = match found.place {
                    Place::Stdin => File::new(relative, description, self.stdin()?),
                    Place::Url(url) => File::lazy(relative, description, move || fetch(&url)),
                    Place::Disk(path) => File::lazy(relative, description, move || read(&path)),
                };
                if let Some(name) = found.name {
                    file.set_path(name);
                }
                group.push(file);
            }
            group.sort_by(|a, b| a.path().cmp(b.path()));
            files.append(&mut group);
        }
        Ok(files)
    }

    /// What `PATH` or `NAME=PATH` names; a folder's files keep their own names.
    ///
    /// # Errors
    /// There are two `=`, or what is meant is not there or may not be read.
    pub fn find_named(&self, argument: &str) -> Result<Vec<Found>, Report> {
        let (name, path) = argument.split_once('=').unwrap_or(("", argument));
        if path.contains('=') {
            return Err(Report::new(format!(
                "Expected file '{argument}' to only have single '=' sign to for relative path assignment"
            )));
        }
        let mut found = self.find(path)?;
        if !name.is_empty() && !is_folder(path) {
            for found in &mut found {
                found.name = Some(name.to_string());
            }
        }
        Ok(found)
    }

    /// What this names: standard input, a URL, a file, or all files in a folder, sorted by their path below it.
    ///
    /// # Errors
    /// It is not there, or is nothing that may be read.
    pub fn find(&self, path: &str) -> Result<Vec<Found>, Report> {
        if path == "-" {
            return Ok(vec![Found {
                place: Place::Stdin,
                relative: STANDARD_INPUT.into(),
                name: None,
            }]);
        }
        if is_url(path) {
            return Ok(vec![Found {
                relative: base(path).to_string(),
                place: Place::Url(path.into()),
                name: None,
            }]);
        }
        let meta = fs::symlink_metadata(path).map_err(|error| {
            Report::new(format!(
                "Checking file '{path}': lstat {path}: {}",
                reason(&error)
            ))
        })?;
        if !meta.is_dir() {
            self.check(path, &meta)?;
            return Ok(vec![Found {
                relative: base(path).to_string(),
                place: Place::Disk(path.into()),
                name: None,
            }]);
        }
        let mut found = Vec::new();
        self.walk(path, &mut found)
            .map_err(|report| report.context(format!("Listing files '{path}'")))?;
        found.sort_by(|a, b| a.relative.cmp(&b.relative));
        Ok(found)
    }

    /// All files below a folder, folder by folder in the order of their names.
    fn walk(&self, root: &str, found: &mut Vec<Found>) -> Result<(), Report> {
        let mut pending = vec![String::new()];
        while let Some(relative) = pending.pop() {
            let path = if relative.is_empty() {
                root.to_string()
            } else {
                join(root, &relative)
            };
            let failed = |what: &str, error: &std::io::Error| {
                Report::new(format!("{what} {path}: {}", reason(error)))
            };
            if !relative.is_empty() {
                let meta = fs::symlink_metadata(&path).map_err(|error| failed("lstat", &error))?;
                if !meta.is_dir() {
                    self.check(&path, &meta)?;
                    let place = Place::Disk(path);
                    found.push(Found {
                        place,
                        relative,
                        name: None,
                    });
                    continue;
                }
            }
            let mut names = Vec::new();
            for entry in fs::read_dir(&path).map_err(|error| failed("open", &error))? {
                let name = entry
                    .map_err(|error| failed("readdirent", &error))?
                    .file_name();
                let name = name.into_string().map_err(|name| {
                    let name = name.to_string_lossy();
                    Report::new(format!("file name '{path}/{name}' is not UTF-8"))
                })?;
                names.push(name);
            }
            names.sort_by(|a, b| b.cmp(a));
            pending.extend(names.iter().map(|name| join(&relative, name)));
        }
        Ok(())
    }

    /// Regular files and pipes may be read, links where they are allowed.
    fn check(&self, path: &str, meta: &Metadata) -> Result<(), Report> {
        let kind = meta.file_type();
        if kind.is_symlink() {
            return self
                .links
                .check(path)
                .map_err(|report| report.context(format!("Checking symlink file '{path}'")));
        }
        if kind.is_file() || kind.is_fifo() {
            return Ok(());
        }
        Err(Report::new(format!(
            "Expected file '{path}' to be a regular file, but was not"
        )))
    }

    /// The content.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&mut self, found: &Found) -> Result<Vec<u8>, Report> {
        match &found.place {
            Place::Stdin => self.stdin(),
            Place::Url(url) => fetch(url),
            Place::Disk(path) => read(path),
        }
    }

    fn stdin(&mut self) -> Result<Vec<u8>, Report> {
        if std::mem::replace(&mut self.stdin_read, true) {
            return Err(Report::new(
                "Standard input has already been read, has the '-' argument been used in more than one flag?",
            ));
        }
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| Report::new(format!("read /dev/stdin: {}", reason(&error))))?;
        Ok(bytes)
    }
}

impl Found {
    /// The path that messages and `load` know it by.
    pub fn path(&self) -> &str {
        self.name.as_ref().unwrap_or(&self.relative)
    }

    /// What messages call it.
    fn description(&self) -> String {
        match &self.place {
            Place::Stdin => self.relative.clone(),
            Place::Url(url) => format!("HTTP URL '{url}'"),
            Place::Disk(path) => format!("file '{path}'"),
        }
    }
}

fn read(path: &str) -> Result<Vec<u8>, Report> {
    fs::read(path).map_err(|error| {
        let what = match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => "read",
            _ => "open",
        };
        Report::new(format!("{what} {path}: {}", reason(&error)))
    })
}

/// True for what is fetched rather than read.
pub fn is_url(path: &str) -> bool {
    path.starts_with("http://") || path.starts_with("https://")
}

fn is_folder(path: &str) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

fn fetch(url: &str) -> Result<Vec<u8>, Report> {
    let failed = |what: &str, error: ureq::Error| {
        let reason = match error {
            ureq::Error::Io(error) => reason(&error),
            error => error.to_string(),
        };
        Report::new(format!("{what} URL '{url}': {reason}"))
    };
    let agent = ureq::Agent::new_with_config(
        ureq::Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("haulout/", env!("CARGO_PKG_VERSION")))
            .tls_config(
                ureq::tls::TlsConfig::builder()
                    .root_certs(ureq::tls::RootCerts::PlatformVerifier)
                    .build(),
            )
            .build(),
    );
    let mut response = agent
        .get(url)
        .call()
        .map_err(|error| failed("Requesting", error))?;
    let status = response.status();
    if !status.is_success() {
        let text = status.canonical_reason().unwrap_or_default();
        let code = status.as_u16();
        return Err(Report::new(format!(
            "Requesting URL '{url}': {code} {text}"
        )));
    }
    response
        .body_mut()
        .with_config()
        .limit(u64::MAX)
        .read_to_vec()
        .map_err(|error| failed("Reading", error))
}
