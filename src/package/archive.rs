//! A tree of files and the archive of it that an image's layer is, the same bytes for the same files.
//!
//! The archive is imgpkg's: entries in the order of a walk, folders before what they hold, the owner's permissions only,
//! no owner, no time. Headers are laid out here, since the `tar` crate, which reads archives, has other ones: it pads the
//! checksum differently, drops the name `.`, and knows long names in GNU's form only.

use super::digest::Digest;
use super::gzip;
use crate::diagnostic::Report;
use crate::files::File;
use std::collections::BTreeMap;
use std::io::Read;

/// The unit of an archive, in bytes.
const BLOCK: usize = 512;

/// What a header has room for: a name, and what may stand before it.
const NAME: usize = 100;
const PREFIX: usize = 155;

/// Bundles hold configuration: one that unpacks to more bytes than this is refused before it fills memory.
pub const MAX_SIZE: u64 = 512 << 20;

/// An archive with more entries than this is refused.
const MAX_ENTRIES: usize = 100_000;

/// A path with more folders than this is refused.
const MAX_DEPTH: usize = 100;

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A folder.
    Folder,
    /// A file.
    File {
        /// Its content.
        bytes: Vec<u8>,
        /// Whether its owner may execute it.
        executable: bool,
    },
}

/// Files by their path, `/` between folders; whatever leads out of the tree is refused.
///
/// ```
/// use haulout::package::archive::Tree;
///
/// let mut tree = Tree::default();
/// tree.add("config/values.yml", "replicas: 2\n", false)?;
/// assert_eq!(tree.file("config/values.yml"), Some(b"replicas: 2\n".as_slice()));
/// assert!(tree.add("../values.yml", "", false).is_err());
/// # Ok::<(), haulout::diagnostic::Report>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Paths with NUL in place of `/`, so that their order is that of a walk.
    nodes: BTreeMap<String, Node>,
}

impl Tree {
    /// A tree of these files by their paths in it.
    ///
    /// # Errors
    /// As [`Tree::add`] has them.
    pub fn of<'f>(files: impl IntoIterator<Item = (&'f str, &'f File)>) -> Result<Tree, Report> {
        let mut tree = Tree::default();
        for (path, file) in files {
            tree.add(path, file.source()?.text.clone(), false)?;
        }
        Ok(tree)
    }

    /// Adds a file, and the folders above it.
    ///
    /// # Errors
    /// The path leads out of the tree, or is taken.
    pub fn add(
        &mut self,
        path: &str,
        bytes: impl Into<Vec<u8>>,
        executable: bool,
    ) -> Result<(), Report> {
        let key = self.reserve(path)?;
        if self.nodes.contains_key(&key) {
            return Err(Report::new(format!("Found duplicate path: {path}")));
        }
        let bytes = bytes.into();
        self.nodes.insert(key, Node::File { bytes, executable });
        Ok(())
    }

    /// Adds a folder, and those above it; it may be there already.
    ///
    /// # Errors
    /// The path leads out of the tree, or is a file's.
    pub fn add_folder(&mut self, path: &str) -> Result<(), Report> {
        let key = self.reserve(path)?;
        self.folder(path, &key)
    }

    /// Puts a file in place of the one that is there.
    ///
    /// # Errors
    /// The path leads out of the tree, or is a folder's.
    pub fn replace(&mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Result<(), Report> {
        let key = key(path)?;
        let executable = match self.nodes.get(&key) {
            Some(Node::File { executable, .. }) => *executable,
            _ => false,
        };
        if let Some(Node::File { .. }) = self.nodes.get(&key) {
            self.nodes.remove(&key);
        }
        self.add(path, bytes, executable)
    }

    /// The content of a file.
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        match self.nodes.get(&path.replace('/', "\0"))? {
            Node::File { bytes, .. } => Some(bytes),
            Node::Folder => None,
        }
    }

    /// Everything in the order of a walk.
    pub fn nodes(&self) -> impl Iterator<Item = (String, &Node)> {
        self.nodes
            .iter()
            .map(|(key, node)| (key.replace('\0', "/"), node))
    }

    /// Makes the folders above a path.
    fn reserve(&mut self, path: &str) -> Result<String, Report> {
        let key = key(path)?;
        let above: Vec<usize> = key.match_indices('\0').map(|(end, _)| end).collect();
        for end in above {
            let above = key.get(..end).unwrap_or_default().to_string();
            self.folder(path, &above)?;
        }
        Ok(key)
    }

    fn folder(&mut self, path: &str, key: &str) -> Result<(), Report> {
        match self.nodes.get(key) {
            Some(Node::Folder) => {}
            Some(Node::File { .. }) => {
                let file = key.replace('\0', "/");
                return Err(Report::new(format!(
                    "'{path}' cannot stand in or in place of '{file}', which is a file"
                )));
            }
            None => {
                self.nodes.insert(key.to_string(), Node::Folder);
            }
        }
        Ok(())
    }
}

/// A path as the tree keeps it.
fn key(path: &str) -> Result<String, Report> {
    let wrong = |reason: &str| Err(Report::new(format!("Path '{path}' {reason}")));
    if path.starts_with('/') {
        return wrong("is absolute, which no path of a bundle may be");
    }
    if path.contains('\0') || path.contains('\\') {
        return wrong("holds a character that no path of a bundle may hold");
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => return wrong("leads out of the bundle"),
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        return wrong("names no file");
    }
    if parts.len() > MAX_DEPTH {
        return wrong("has too many folders");
    }
    Ok(parts.join("\0"))
}

/// The archive of a tree, not compressed; its digest is the layer's diffID.
pub fn write(tree: &Tree) -> Vec<u8> {
    let mut out = Vec::new();
    write_entry(&mut out, ".", 0o700, None);
    for (path, node) in tree.nodes() {
        match node {
            Node::Folder => write_entry(&mut out, &path, 0o700, None),
            Node::File { bytes, executable } => {
                let mode = if *executable { 0o700 } else { 0o600 };
                write_entry(&mut out, &path, mode, Some(bytes));
            }
        }
    }
    end(&mut out);
    out
}

/// Appends what closes an archive.
pub fn end(out: &mut Vec<u8>) {
    out.resize(out.len() + 2 * BLOCK, 0);
}

/// Appends an entry: a folder, or a file with its content. Content must be shorter than 8 GiB.
pub fn write_entry(out: &mut Vec<u8>, path: &str, mode: u32, content: Option<&[u8]>) {
    write_header(out, path, mode, content.map(|bytes| bytes.len() as u64));
    out.extend_from_slice(content.unwrap_or_default());
    fill(out);
}

/// Appends the header of an entry: a folder, or a file of that many bytes, fewer than 8 Gi.
pub fn write_header(out: &mut Vec<u8>, path: &str, mode: u32, size: Option<u64>) {
    let kind = if size.is_some() { b'0' } else { b'5' };
    let size = size.unwrap_or_default();
    let ascii = path.is_ascii();
    if ascii && path.len() <= NAME {
        header(out, kind, "", path, mode, size);
    } else if let Some((prefix, name)) = split(path).filter(|_| ascii) {
        header(out, kind, prefix, name, mode, size);
    } else {
        let record = record("path", path);
        let (folder, base) = path.rsplit_once('/').unwrap_or(("", path));
        let beside = format!("{folder}/PaxHeaders.0/{base}");
        let beside = shortened(beside.trim_start_matches('/'));
        header(out, b'x', "", &beside, 0, record.len() as u64);
        out.extend_from_slice(record.as_bytes());
        fill(out);
        header(out, kind, "", &shortened(path), mode, size);
    }
}

/// Fills the last block.
pub fn fill(out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(BLOCK), 0);
}

/// A long path cut at the last `/` that lets both parts fit.
fn split(path: &str) -> Option<(&str, &str)> {
    let reach = path.get(..path.len().min(PREFIX + 1))?;
    let cut = reach.rfind('/').filter(|cut| *cut > 0)?;
    let (prefix, name) = (path.get(..cut)?, path.get(cut + 1..)?);
    (prefix.len() <= PREFIX && (1..=NAME).contains(&name.len())).then_some((prefix, name))
}

/// What readers that do not know extended headers get to see of a name.
fn shortened(path: &str) -> String {
    let ascii: String = path.chars().filter(char::is_ascii).take(NAME).collect();
    ascii.trim_end_matches('/').to_string()
}

/// A record of an extended header, which begins with its own length.
fn record(key: &str, value: &str) -> String {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len();
    loop {
        let whole = length.to_string().len() + rest.len();
        if whole == length {
            return format!("{length}{rest}");
        }
        length = whole;
    }
}

fn header(out: &mut Vec<u8>, kind: u8, prefix: &str, name: &str, mode: u32, size: u64) {
    // An extended header has no device numbers, not even zeros.
    let device = if kind == b'x' { "" } else { "0000000" };
    let fields: [(usize, &str); 13] = [
        (NAME, name),
        (8, &format!("{mode:07o}")),
        (8, "0000000"),
        (8, "0000000"),
        (12, &format!("{size:011o}")),
        (12, "00000000000"),
        // The checksum counts itself as blanks.
        (8, "        "),
        (1, &char::from(kind).to_string()),
        (NAME, ""),
        (8, "ustar\x0000"),
        (64, ""),
        (16, &format!("{device:\0<8}{device}")),
        (PREFIX, prefix),
    ];
    let start = out.len();
    for (width, text) in fields {
        let end = out.len() + width;
        out.extend(text.bytes().take(width));
        out.resize(end, 0);
    }
    fill(out);
    let sum: u32 = out.iter().skip(start).map(|byte| u32::from(*byte)).sum();
    let sum = format!("{sum:06o}\0 ");
    for (place, byte) in out.iter_mut().skip(start + 148).zip(sum.bytes()) {
        *place = byte;
    }
}

/// The tree that an archive holds, compressed by gzip or not. Nothing of an archive is taken if any of it is wrong.
///
/// # Errors
/// It is cut short or damaged, is bigger than [`MAX_SIZE`], or has entries that no bundle may have: links, devices,
/// paths that lead out of the tree.
pub fn read(archive: &[u8]) -> Result<Tree, Report> {
    if archive.starts_with(&gzip::MAGIC) {
        read_plain(gzip::Reader::new(archive).map_err(damaged)?)
    } else {
        read_plain(archive)
    }
}

fn damaged(error: std::io::Error) -> Report {
    Report::new(format!(
        "Reading archive: it is cut short or damaged ({error})"
    ))
}

fn read_plain(source: impl Read) -> Result<Tree, Report> {
    let mut left = MAX_SIZE;
    let mut end = 0;
    // Headers come on top of the content.
    let source = source.take(MAX_SIZE + MAX_SIZE / 4);
    let mut archive = tar::Archive::new(Counted { source, count: 0 });
    let mut tree = Tree::default();
    for (number, entry) in archive.entries().map_err(damaged)?.enumerate() {
        let mut entry = entry.map_err(damaged)?;
        let raw = entry.path_bytes().into_owned();
        let path = String::from_utf8_lossy(&raw).into_owned();
        let wrong = |reason: &str| Report::new(format!("Archive entry '{path}' {reason}"));
        if std::str::from_utf8(&raw).is_err() {
            return Err(wrong("has a name that is not UTF-8"));
        }
        if number >= MAX_ENTRIES {
            return Err(Report::new(format!(
                "The archive has more than {MAX_ENTRIES} entries"
            )));
        }
        let blocks = entry.size().checked_next_multiple_of(BLOCK as u64);
        end = entry
            .raw_file_position()
            .saturating_add(blocks.unwrap_or(u64::MAX));
        match entry.header().entry_type() {
            tar::EntryType::Directory => {
                if !path.split('/').all(|part| matches!(part, "" | ".")) || path.starts_with('/') {
                    tree.add_folder(&path)?;
                }
            }
            tar::EntryType::Regular | tar::EntryType::Continuous => {
                let size = entry.size();
                if size > left {
                    return Err(Report::new(format!(
                        "The archive unpacks to more than {} MiB",
                        MAX_SIZE >> 20
                    )));
                }
                left -= size;
                let executable = entry.header().mode().map_err(damaged)? & 0o100 != 0;
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).map_err(damaged)?;
                if bytes.len() as u64 != size {
                    return Err(damaged(std::io::ErrorKind::UnexpectedEof.into()));
                }
                tree.add(&path, bytes, executable)?;
            }
            tar::EntryType::XGlobalHeader => {}
            tar::EntryType::Symlink | tar::EntryType::Link => {
                return Err(wrong("is a link, which no bundle may hold"));
            }
            _ => return Err(wrong("is neither a file nor a folder")),
        }
    }
    // A compressed stream is checked at its end.
    let mut rest = archive.into_inner();
    std::io::copy(&mut rest, &mut std::io::sink()).map_err(damaged)?;
    if rest.count < end.saturating_add(BLOCK as u64) {
        return Err(damaged(std::io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(tree)
}

/// Passes an archive on and counts its bytes: the `tar` crate takes one that is cut between two entries for a whole one.
struct Counted<R> {
    source: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.count += read as u64;
        Ok(read)
    }
}

/// The digest of the archive of a tree, which every tool agrees on.
pub fn diff_id(tree: &Tree) -> Digest {
    Digest::of(&write(tree))
}
