//! `haulout site`: the page with somebody's own templates, as files for any static host.

use super::Printed;
use super::flags::{BuildSiteFlags, SiteCommand};
use super::input::Reader;
use super::interrupt;
use super::links::Allowed;
use super::output::put_in_place;
use super::page;
use super::paths::{base, clean, reason};
use crate::diagnostic::Report;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// What templates may hold together, in bytes: the page opens no more.
const LARGEST: usize = 20 << 20;
/// Where the page says whose templates it has.
const PLACE: (&str, &str) = ("index.html", "<html lang=\"en\"");

/// Files by their path in the site.
type Files = BTreeMap<String, Vec<u8>>;

/// Does what is asked.
///
/// # Errors
/// The page or the templates cannot be read, or the site cannot be written.
pub fn site(command: Option<&SiteCommand>) -> Result<Printed, Report> {
    match command {
        None => Err(Report::new("expected a command: build")),
        Some(SiteCommand::Build(flags)) => build(flags),
    }
}

fn build(flags: &BuildSiteFlags) -> Result<Printed, Report> {
    if flags.source.is_empty() {
        return Err(Report::new(
            "expected --source: a folder of templates, once for each package",
        ));
    }
    if flags.out.is_empty() {
        return Err(Report::new("expected --out: the folder to write"));
    }
    let mut files = page_files(&page::folder(flags.page.dir.as_deref())?)?;
    let mut folders: Vec<String> = Vec::new();
    for source in &flags.source {
        let folder = format!("sources/{}/", name_of(source)?);
        if folders.contains(&folder) {
            return Err(Report::new(format!(
                "two sources would be '{folder}': expected folders of different names"
            )));
        }
        files.extend(source_files(source, &folder)?);
        folders.push(folder);
    }
    let list: Vec<String> = folders.iter().map(|folder| url(folder)).collect();
    say_sources(&mut files, &list.join(" "))?;
    check_place(&flags.out)?;
    put_in_place(&flags.out, |new| write(new, &files))?;
    // A web server may be another user.
    open_to_all(Path::new(&flags.out)).map_err(|error| cannot("chmod", &flags.out, &error))?;
    let count = files.len();
    Ok(Printed::out(format!(
        "{}: {count} files, for any static host (to look at it: haulout serve --dir {})\n",
        flags.out, flags.out
    )))
}

/// The page: what a browser loads of it.
fn page_files(folder: &Path) -> Result<Files, Report> {
    let shown = folder.to_string_lossy();
    let mut reader = Reader::new(Allowed::default());
    let mut files = Files::new();
    for found in reader.find(&shown)? {
        let path = &found.relative;
        let is_hidden = path.split('/').any(|part| part.starts_with('.'));
        let kind = path.rsplit('.').next().unwrap_or_default();
        let is_page = ["html", "js", "css", "svg", "wasm", "json"].contains(&kind);
        if is_page && !is_hidden && !path.starts_with("sources/") {
            files.insert(path.clone(), reader.read(&found)?);
        }
    }
    if !files.contains_key("pkg/haulout_bg.wasm") {
        return Err(Report::new(format!(
            "the page in '{shown}' has no engine (hint: `make page` builds it)"
        )));
    }
    Ok(files)
}

/// The files of a folder of templates, and the list of them that the page reads.
fn source_files(source: &str, folder: &str) -> Result<Files, Report> {
    if !fs::metadata(source).is_ok_and(|meta| meta.is_dir()) {
        return Err(Report::new(format!(
            "--source '{source}': expected a folder of templates"
        )));
    }
    let mut reader = Reader::new(Allowed::default());
    let mut files = Files::new();
    let mut paths = Vec::new();
    let mut size = 0;
    for found in reader.find(source)? {
        if found.relative.split('/').any(|part| part.starts_with('.')) {
            continue;
        }
        let bytes = reader.read(&found)?;
        size += bytes.len();
        files.insert(format!("{folder}{}", found.relative), bytes);
        paths.push(found.relative);
    }
    if paths.is_empty() || size > LARGEST {
        let found = if size > LARGEST {
            "more than 20 MB"
        } else {
            "none"
        };
        return Err(Report::new(format!(
            "--source '{source}': expected templates, found {found}"
        )));
    }
    let list = format!("{folder}files.json");
    if files.contains_key(&list) {
        return Err(Report::new(format!(
            "--source '{source}': 'files.json' is the name of the site's own list of files"
        )));
    }
    let text = json!({ "title": name_of(source)?, "files": paths });
    files.insert(list, format!("{text:#}\n").into_bytes());
    Ok(files)
}

/// The name of a folder.
fn name_of(source: &str) -> Result<String, Report> {
    let whole = fs::canonicalize(source).map_err(|error| cannot("open", source, &error))?;
    Ok(base(&whole.to_string_lossy()).to_string())
}

/// Has the page say that these are its sources.
fn say_sources(files: &mut Files, sources: &str) -> Result<(), Report> {
    let (name, place) = PLACE;
    let text = files.get(name).map(|bytes| String::from_utf8_lossy(bytes));
    let text = text.filter(|text| text.contains(place)).ok_or_else(|| {
        Report::new(format!(
            "'{name}' of the page is of another version than this program: expected '{place}' in it"
        ))
    })?;
    let said = text.replacen(place, &format!("{place} data-src=\"{sources}\""), 1);
    files.insert(name.to_string(), said.into_bytes());
    // The page keeps what is of one build: another list of sources makes another of it.
    if let Some(keeper) = files.get_mut("sw.js") {
        keeper.extend_from_slice(format!("\n// {sources}\n").as_bytes());
    }
    Ok(())
}

/// A path as it stands in a URL.
fn url(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let letter = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    path.bytes().map(letter).collect()
}

/// A folder that is written is emptied first: only a former site, or none, may stand there.
fn check_place(out: &str) -> Result<(), Report> {
    let place = Path::new(out);
    let is_free = match fs::read_dir(place) {
        Ok(mut entries) => {
            entries.next().is_none()
                || place.join("pkg/haulout_bg.wasm").is_file() && place.join("sources").is_dir()
        }
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if is_free {
        return Ok(());
    }
    Err(Report::new(format!(
        "--out '{out}': expected a new folder or a former site, found something else"
    )))
}

fn write(folder: &str, files: &Files) -> Result<(), Report> {
    for (path, bytes) in files {
        interrupt::check()?;
        let place = Path::new(folder).join(clean(path));
        let above = place.parent().unwrap_or(Path::new(folder));
        fs::create_dir_all(above)
            .and_then(|()| fs::write(&place, bytes))
            .map_err(|error| cannot("write", &place.to_string_lossy(), &error))?;
    }
    Ok(())
}

fn open_to_all(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

fn cannot(what: &str, path: &str, error: &io::Error) -> Report {
    Report::new(format!("{what} {path}: {}", reason(error)))
}
