//! Files from the disk and from standard input.

use super::flags::{RenderFlags, boolean};
use crate::diagnostic::Report;
use crate::files::File;
use crate::values::Flags;
use crate::values::flags::{
    EnvPrefix, FileValue, KeyValue, Kind, ValuesFile, split_file_value, split_library,
};
use std::fs::{self, Metadata};
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Reads what flags name; standard input once.
pub struct Reader {
    stdin_read: bool,
    allowed_links: Vec<String>,
    all_links: bool,
}

/// A file as it was found.
struct Found {
    /// Where it is.
    path: PathBuf,
    /// Path below the folder that was named, or the file's own name.
    relative: String,
}

impl Reader {
    /// A reader that follows links as the flags allow.
    ///
    /// # Errors
    /// A flag's value is wrong.
    pub fn new(flags: &RenderFlags) -> Result<Reader, Report> {
        Ok(Reader {
            stdin_read: false,
            allowed_links: flags.allow_symlink_destination.clone(),
            all_links: boolean(
                "dangerous-allow-all-symlink-destinations",
                flags.dangerous_allow_all_symlink_destinations.as_deref(),
            )?,
        })
    }

    /// The files that `-f` names, in order; those of a folder sorted by path.
    ///
    /// # Errors
    /// One is not there, cannot be read, or is a link that is not allowed.
    pub fn files(&mut self, arguments: &[String]) -> Result<Vec<File>, Report> {
        let mut files = Vec::new();
        for argument in arguments {
            let pieces: Vec<&str> = argument.split('=').collect();
            let (name, path) = match pieces.as_slice() {
                [path] => (None, *path),
                [name, path] => (Some(*name), *path),
                _ => {
                    return Err(Report::new(format!(
                        "Expected file '{argument}' to only have single '=' sign to for relative path assignment"
                    )));
                }
            };
            let mut group = self.group(path)?;
            if let (Some(name), [file]) = (name, group.as_mut_slice())
                && !name.is_empty()
                && !Path::new(path).is_dir()
            {
                file.set_path(name);
            }
            files.append(&mut group);
        }
        Ok(files)
    }

    fn group(&mut self, path: &str) -> Result<Vec<File>, Report> {
        if path == "-" {
            return Ok(vec![File::new("stdin.yml", "stdin.yml", self.stdin()?)]);
        }
        refuse_url(path)?;
        let mut group = Vec::new();
        for found in self.find(path)? {
            let description = format!("file '{}'", found.path.display());
            group.push(File::new(found.relative, description, read(&found.path)?));
        }
        Ok(group)
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
            .map_err(|error| Report::new(format!("Reading stdin: {}", reason(&error))))?;
        Ok(bytes)
    }

    /// The file of this path, or all those in the folder, sorted by their path below it.
    fn find(&self, path: &str) -> Result<Vec<Found>, Report> {
        let meta = fs::symlink_metadata(path).map_err(|error| {
            Report::new(format!(
                "Checking file '{path}': lstat {path}: {}",
                reason(&error)
            ))
        })?;
        if !meta.is_dir() {
            self.check(Path::new(path), &meta)?;
            let name = Path::new(path)
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            return Ok(vec![Found {
                path: path.into(),
                relative: name.unwrap_or_else(|| path.to_string()),
            }]);
        }
        let mut found = Vec::new();
        self.walk(&clean(path), &mut found)
            .map_err(|report| report.context(format!("Listing files '{path}'")))?;
        found.sort_by(|a, b| a.relative.cmp(&b.relative));
        Ok(found)
    }

    /// All files below a folder.
    fn walk(&self, root: &str, found: &mut Vec<Found>) -> Result<(), Report> {
        let at = |below: &str| match (root, below) {
            (_, "") => PathBuf::from(root),
            (".", _) => PathBuf::from(below),
            _ => Path::new(root).join(below),
        };
        let failed = |what: &str, path: &Path, error: &std::io::Error| {
            Report::new(format!("{what} {}: {}", path.display(), reason(error)))
        };
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let here = at(&folder);
            for entry in fs::read_dir(&here).map_err(|error| failed("open", &here, &error))? {
                let entry = entry.map_err(|error| failed("open", &here, &error))?;
                let name = entry.file_name();
                let Some(name) = name.to_str() else {
                    return Err(Report::new(format!(
                        "file name '{}' is not UTF-8",
                        entry.path().display()
                    )));
                };
                let relative = if folder.is_empty() {
                    name.to_string()
                } else {
                    format!("{folder}/{name}")
                };
                let path = at(&relative);
                let meta =
                    fs::symlink_metadata(&path).map_err(|error| failed("lstat", &path, &error))?;
                if meta.is_dir() {
                    folders.push(relative);
                } else {
                    self.check(&path, &meta)?;
                    found.push(Found { path, relative });
                }
            }
        }
        Ok(())
    }

    /// Regular files and pipes may be read, links where they are allowed.
    fn check(&self, path: &Path, meta: &Metadata) -> Result<(), Report> {
        let kind = meta.file_type();
        if kind.is_symlink() {
            return self.check_link(path);
        }
        if kind.is_file() || kind.is_fifo() {
            return Ok(());
        }
        let shown = path.display();
        Err(Report::new(format!(
            "Expected file '{shown}' to be a regular file, but was not"
        )))
    }

    fn check_link(&self, path: &Path) -> Result<(), Report> {
        if self.all_links {
            return Ok(());
        }
        let target = match fs::canonicalize(path) {
            Ok(target) => target,
            Err(error) => {
                let shown = path.display();
                return Err(Report::new(format!(
                    "Eval symlink: lstat {shown}: {}",
                    reason(&error)
                )));
            }
        };
        // A process substitution leads to a pipe, which has no path of its own.
        if fs::metadata(path).is_ok_and(|meta| meta.file_type().is_fifo()) {
            return Ok(());
        }
        let allows = |allowed: &String| {
            std::path::absolute(allowed).is_ok_and(|allowed| target.starts_with(allowed))
        };
        if self.allowed_links.iter().any(allows) {
            return Ok(());
        }
        let here = std::env::current_dir()
            .ok()
            .and_then(|here| here.canonicalize().ok());
        let shown = here
            .filter(|_| path.is_relative())
            .and_then(|here| target.strip_prefix(here).ok().map(Path::to_path_buf))
            .unwrap_or_else(|| target.clone());
        Err(Report::new(format!(
            "Expected symlink file '{}' -> '{}' to be allowed, but was not (hint: symlinks are disallowed as a \
             security feature, use '--allow-symlink-destination' flags to override)",
            path.display(),
            shown.display()
        )))
    }

    /// What the data value flags say, their files read.
    ///
    /// # Errors
    /// A file cannot be read, or an argument has not the form that it should have.
    pub fn values(&mut self, flags: &RenderFlags) -> Result<Flags, Report> {
        let mut values = Flags::default();
        for argument in &flags.data_values_file {
            self.values_files(argument, &mut values.files)
                .map_err(|report| report.context("Extracting data value from file"))?;
        }
        for (kind, prefixes) in [
            (Kind::Text, &flags.data_values_env),
            (Kind::Yaml, &flags.data_values_env_yaml),
        ] {
            values
                .env_prefixes
                .extend(prefixes.iter().map(|prefix| EnvPrefix {
                    kind,
                    prefix: prefix.clone(),
                }));
        }
        if !values.env_prefixes.is_empty() {
            let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
                Some((name.into_string().ok()?, value.into_string().ok()?))
            };
            values.environment = std::env::vars_os().filter_map(text).collect();
        }
        for (kind, arguments) in [
            (Kind::Text, &flags.data_value),
            (Kind::Yaml, &flags.data_value_yaml),
        ] {
            let value = |argument: &String| KeyValue {
                kind,
                argument: argument.clone(),
            };
            values.key_values.extend(arguments.iter().map(value));
        }
        for argument in &flags.data_value_file {
            let value = self
                .value_file(argument)
                .map_err(|report| report.context("Extracting data value from file"))?;
            values.file_values.push(value);
        }
        Ok(values)
    }

    fn values_files(&mut self, argument: &str, files: &mut Vec<ValuesFile>) -> Result<(), Report> {
        let (library, path) = split_library(argument)?;
        let mut add = |name: String, bytes: Vec<u8>| {
            files.push(ValuesFile {
                library: library.to_string(),
                argument: path.to_string(),
                path: name,
                bytes,
            });
        };
        if path == "-" {
            let bytes = self
                .stdin()
                .map_err(|report| report.context("Reading file 'stdin.yml'"))?;
            add("stdin.yml".into(), bytes);
            return Ok(());
        }
        refuse_url(path)?;
        let in_folder = Path::new(path).is_dir();
        let found = self
            .find(path)
            .map_err(|report| report.context(format!("Find files '{path}'")))?;
        for Found { path, relative } in found {
            // A folder may hold other files too.
            if in_folder && !(relative.ends_with(".yaml") || relative.ends_with(".yml")) {
                continue;
            }
            let bytes = read(&path)
                .map_err(|report| report.context(format!("Reading file '{relative}'")))?;
            add(relative, bytes);
        }
        Ok(())
    }

    fn value_file(&mut self, argument: &str) -> Result<FileValue, Report> {
        let (key, path) = split_file_value(argument)?;
        let bytes = if path == "-" {
            self.stdin()?
        } else {
            refuse_url(path)?;
            let found = self
                .find(path)
                .map_err(|report| report.context(format!("Finding file '{path}'")))?;
            match found.as_slice() {
                [found] => read(&found.path)
                    .map_err(|report| report.context(format!("Reading file '{path}'")))?,
                _ => {
                    return Err(Report::new(format!(
                        "Expected '{path}' to be a file, but is a directory"
                    )));
                }
            }
        };
        Ok(FileValue {
            key: key.to_string(),
            path: path.to_string(),
            bytes,
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Report> {
    fs::read(path)
        .map_err(|error| Report::new(format!("open {}: {}", path.display(), reason(&error))))
}

fn refuse_url(path: &str) -> Result<(), Report> {
    if path.starts_with("http://") || path.starts_with("https://") {
        return Err(Report::new(format!(
            "Requesting URL '{path}': this version of haulout reads no URLs"
        )));
    }
    Ok(())
}

/// A path without `.`, doubled slashes and a slash at its end.
fn clean(path: &str) -> String {
    let cleaned: PathBuf = Path::new(path).components().collect();
    let text = cleaned.to_string_lossy().into_owned();
    if text.is_empty() { ".".into() } else { text }
}

/// The system's word for what went wrong, as Go prints it.
pub fn reason(error: &std::io::Error) -> String {
    match error.raw_os_error() {
        Some(2) => "no such file or directory".into(),
        Some(13) => "permission denied".into(),
        Some(20) => "not a directory".into(),
        Some(21) => "is a directory".into(),
        _ => error.to_string(),
    }
}
