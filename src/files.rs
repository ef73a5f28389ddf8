//! Input files: paths, kinds, marks, order. Their bytes come from a door; nothing here reads a disk.

use crate::diagnostic::Report;
use crate::position::Source;
use crate::yaml::{self, DocumentSet};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

/// What a file is taken for, by its name or by a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.yaml`, `.yml`
    Yaml,
    /// `.txt`
    Text,
    /// `.star`
    Starlark,
    /// Anything else: content that templates may read, and nothing more.
    Data,
}

/// One input file.
#[derive(Clone, Debug)]
pub struct File {
    path: Rc<str>,
    original_path: Rc<str>,
    description: Rc<str>,
    /// Read when it is needed: a folder may hold much that no template asks for.
    source: Rc<OnceCell<Result<Rc<Source>, Report>>>,
    load: Option<Loader>,
    marked_kind: Option<Kind>,
    marked_template: Option<bool>,
    marked_for_output: Option<bool>,
}

/// The door's way to a content.
#[derive(Clone)]
struct Loader(Rc<dyn Fn() -> Result<Vec<u8>, Report>>);

impl fmt::Debug for Loader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loader")
    }
}

/// A file of a result.
#[derive(Clone, Debug)]
pub struct OutputFile {
    /// Path below the output folder.
    pub path: String,
    /// Its content.
    pub content: Content,
}

/// What a file of a result holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// A text.
    Text(Vec<u8>),
    /// Documents; printed when they are asked for, since most results are wanted as one stream.
    Documents(DocumentSet),
}

impl OutputFile {
    /// The file as it is to be written.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match &self.content {
            Content::Text(bytes) => bytes.into(),
            Content::Documents(documents) => yaml::print(documents).into(),
        }
    }

    /// What its template was.
    pub fn kind(&self) -> Kind {
        match self.content {
            Content::Text(_) => Kind::Text,
            Content::Documents(_) => Kind::Yaml,
        }
    }
}

impl File {
    /// A file by its path (relative to what the user named, with `/` between folders), a description for messages
    /// (`file 'a/b.yml'`, `stdin.yml`) and its content. Files are rendered in the order in which they are given.
    pub fn new(
        path: impl Into<String>,
        description: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
    ) -> File {
        let path = path.into();
        let source = Source::file(path.as_str(), bytes);
        File {
            source: Rc::new(OnceCell::from(Ok(source))),
            ..File::unread(path, description, None)
        }
    }

    /// A file whose content the door gives when it is asked for, once. That it cannot is an error only then.
    pub fn lazy(
        path: impl Into<String>,
        description: impl Into<String>,
        load: impl Fn() -> Result<Vec<u8>, Report> + 'static,
    ) -> File {
        File::unread(path, description, Some(Loader(Rc::new(load))))
    }

    fn unread(
        path: impl Into<String>,
        description: impl Into<String>,
        load: Option<Loader>,
    ) -> File {
        let path: Rc<str> = path.into().into();
        File {
            original_path: path.clone(),
            path,
            description: description.into().into(),
            source: Rc::default(),
            load,
            marked_kind: None,
            marked_template: None,
            marked_for_output: None,
        }
    }

    /// The path by which other files know it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The path before any mark: what file marks match.
    pub fn original_path(&self) -> &str {
        &self.original_path
    }

    /// What messages call it.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Path and content, as positions refer to them.
    ///
    /// # Errors
    /// The content cannot be read.
    pub fn source(&self) -> Result<&Rc<Source>, Report> {
        let load = || {
            let bytes = match &self.load {
                Some(Loader(load)) => load()?,
                None => Vec::new(),
            };
            Ok(Source::file(&*self.path, bytes))
        };
        self.source.get_or_init(load).as_ref().map_err(Clone::clone)
    }

    /// The last part of its path.
    pub fn name(&self) -> &str {
        self.path().rsplit('/').next().unwrap_or_default()
    }

    /// What it is taken for.
    pub fn kind(&self) -> Kind {
        if let Some(kind) = self.marked_kind {
            return kind;
        }
        let ends = |ends: &[&str]| ends.iter().any(|end| self.name().ends_with(end));
        if ends(&[".yaml", ".yml"]) {
            Kind::Yaml
        } else if ends(&[".star"]) {
            Kind::Starlark
        } else if ends(&[".txt"]) {
            Kind::Text
        } else {
            Kind::Data
        }
    }

    /// True if other files may `load` it: `x.lib.yml`, `x.star`.
    pub fn is_library(&self) -> bool {
        let parts: Vec<&str> = self.name().split('.').collect();
        (parts.len() > 2 && parts.get(parts.len() - 2) == Some(&"lib"))
            || self.kind() == Kind::Starlark
    }

    /// True if its templating is to be run.
    pub fn is_template(&self) -> bool {
        self.marked_template
            .unwrap_or_else(|| self.is_template_by_kind())
    }

    /// True if its result belongs to the output.
    pub fn is_for_output(&self) -> bool {
        self.marked_for_output
            .unwrap_or_else(|| self.marked_template == Some(true) || self.is_template_by_kind())
    }

    fn is_template_by_kind(&self) -> bool {
        !self.is_library() && matches!(self.kind(), Kind::Yaml | Kind::Text)
    }

    /// The same content under another path; messages and file marks still know the first one.
    pub fn set_path(&mut self, path: impl Into<String>) {
        self.path = path.into().into();
        let read = std::mem::take(&mut self.source);
        if let Some(Ok(source)) = read.get() {
            let source = Source::file(&*self.path, source.text.clone());
            self.source = Rc::new(OnceCell::from(Ok(source)));
        }
    }

    fn mark(&mut self, kind: Kind, template: bool) {
        self.marked_kind = Some(kind);
        self.marked_template = Some(template);
    }
}

/// Applies `PATH:KEY=VALUE` marks, one after the other.
///
/// # Errors
/// A mark is not of that form, or no file matches it.
pub fn apply_marks(mut files: Vec<File>, marks: &[String]) -> Result<Vec<File>, Report> {
    let mut exclusive: Vec<Rc<str>> = Vec::new();
    for mark in marks {
        let Some((pattern, rest)) = mark.split_once(':') else {
            return Err(Report::new(format!(
                "Expected file mark '{mark}' to be in format path:key=value"
            )));
        };
        let Some((key, value)) = rest.split_once('=') else {
            return Err(Report::new(format!(
                "Expected file mark '{mark}' key-value portion to be in format key=value"
            )));
        };
        let mut matched = false;
        let mut kept = Vec::with_capacity(files.len());
        for mut file in files {
            if !matches_pattern(pattern, file.original_path()) {
                kept.push(file);
                continue;
            }
            matched = true;
            let unknown_value = || Err(Report::new(format!("Unknown value in file mark '{mark}'")));
            match (key, value) {
                ("path", _) => file.set_path(value),
                ("exclude", "true") => continue,
                ("type", "yaml-template") => file.mark(Kind::Yaml, true),
                ("type", "yaml-plain") => file.mark(Kind::Yaml, false),
                ("type", "text-template") => file.mark(Kind::Text, true),
                ("type", "text-plain") => file.mark(Kind::Text, false),
                ("type", "starlark") => file.mark(Kind::Starlark, false),
                ("type", "data") => file.mark(Kind::Data, false),
                ("for-output", "true") => file.marked_for_output = Some(true),
                ("exclusive-for-output", "true") => exclusive.push(file.original_path.clone()),
                ("exclude" | "type" | "for-output" | "exclusive-for-output", _) => {
                    return unknown_value();
                }
                _ => return Err(Report::new(format!("Unknown key in file mark '{mark}'"))),
            }
            kept.push(file);
        }
        if !matched {
            return Err(Report::new(format!(
                "Expected file mark '{mark}' to match at least one file by path, but did not"
            )));
        }
        files = kept;
    }
    if !exclusive.is_empty() {
        for file in &mut files {
            // Marks match by the original path, so files that share it were marked together.
            file.marked_for_output = Some(exclusive.contains(&file.original_path));
        }
    }
    Ok(files)
}

/// Matches a path against a pattern in which the first `**/*` stands for anything and the first remaining `*` for
/// anything within a folder.
fn matches_pattern(pattern: &str, path: &str) -> bool {
    enum Part<'a> {
        Literal(&'a str),
        /// One character or more; with `false` none of them `/`.
        Some(bool),
    }
    fn split<'a>(text: &'a str, parts: &mut Vec<Part<'a>>, single: &mut bool) {
        match text.split_once('*').filter(|_| *single) {
            Some((before, after)) => {
                *single = false;
                parts.extend([
                    Part::Literal(before),
                    Part::Some(false),
                    Part::Literal(after),
                ]);
            }
            None => parts.push(Part::Literal(text)),
        }
    }
    fn fits(parts: &[Part<'_>], path: &str) -> bool {
        match parts {
            [] => path.is_empty(),
            [Part::Literal(text), rest @ ..] => {
                path.strip_prefix(text).is_some_and(|path| fits(rest, path))
            }
            [Part::Some(across), rest @ ..] => {
                for (index, character) in path.char_indices() {
                    if character == '\n' || (character == '/' && !across) {
                        return false;
                    }
                    if path
                        .get(index + character.len_utf8()..)
                        .is_some_and(|path| fits(rest, path))
                    {
                        return true;
                    }
                }
                false
            }
        }
    }
    let mut parts = Vec::new();
    let mut single = true;
    match pattern.split_once("**/*") {
        Some((before, after)) => {
            split(before, &mut parts, &mut single);
            parts.push(Part::Some(true));
            split(after, &mut parts, &mut single);
        }
        None => split(pattern, &mut parts, &mut single),
    }
    fits(&parts, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_kinds() {
        let table = [
            ("a.yml", Kind::Yaml, true, false),
            ("a.lib.yaml", Kind::Yaml, false, true),
            ("lib.yml", Kind::Yaml, true, false),
            ("d/a.txt", Kind::Text, true, false),
            ("a.lib.txt", Kind::Text, false, true),
            ("a.star", Kind::Starlark, false, true),
            ("a.json", Kind::Data, false, false),
            ("a.lib.json", Kind::Data, false, true),
        ];
        for (path, kind, template, library) in table {
            let file = File::new(path, path, "");
            assert_eq!(
                (
                    file.kind(),
                    file.is_template(),
                    file.is_for_output(),
                    file.is_library()
                ),
                (kind, template, template, library),
                "{path}"
            );
        }
    }

    #[test]
    fn patterns() {
        let table = [
            ("a.yml", "a.yml", true),
            ("a.yml", "b/a.yml", false),
            ("*.yml", "a.yml", true),
            ("*.yml", "d/a.yml", false),
            ("**/*.yml", "d/e/a.yml", true),
            ("**/*", "a", true),
            ("d/**/*", "d/e/f", true),
            ("d/*/*", "d/e/*", true),
            ("d/*/*", "d/e/f", false),
            ("a+.yml", "aa.yml", false),
        ];
        for (pattern, path, want) in table {
            assert_eq!(matches_pattern(pattern, path), want, "{pattern} {path}");
        }
    }

    #[test]
    fn marks() {
        let files = || vec![File::new("a.yml", "", "x"), File::new("d/b.json", "", "y")];
        let apply = |marks: &[&str]| {
            let marks: Vec<String> = marks.iter().map(|mark| (*mark).to_owned()).collect();
            apply_marks(files(), &marks).map_err(|report| report.text().to_owned())
        };
        let marked = apply(&[
            "**/*.json:type=yaml-plain",
            "a.yml:path=c.yml",
            "d/b.json:exclusive-for-output=true",
        ])
        .unwrap();
        assert_eq!(marked[0].path(), "c.yml");
        assert!(
            !marked[0].is_for_output() && marked[1].is_for_output() && !marked[1].is_template()
        );
        assert_eq!(apply(&["a.yml:exclude=true"]).unwrap().len(), 1);
        assert!(
            apply(&["z:path=q"])
                .unwrap_err()
                .contains("match at least one file")
        );
        assert!(
            apply(&["a.yml:for-output=no"])
                .unwrap_err()
                .contains("Unknown value")
        );
        assert!(
            apply(&["a.yml:color=no"])
                .unwrap_err()
                .contains("Unknown key")
        );
        assert!(apply(&["a.yml"]).unwrap_err().contains("path:key=value"));
    }
}
