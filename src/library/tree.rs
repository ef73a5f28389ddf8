//! Files in their folders, as templates find them; `_ytt_lib` folders hold private libraries.

use super::Options;
use crate::diagnostic::{Diagnostic, Report};
use crate::files::{File, Kind};
use crate::position::Position;
use crate::template::{NodeRef, Template, compile, has_templating, text};
use crate::yaml::{self, DocumentSet, ParseOptions};
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// The folder in which private libraries stand.
const PRIVATE: &str = "_ytt_lib";

/// A folder: of the input as a whole, of a library, or within them.
#[derive(Debug, Default)]
pub struct Folder {
    name: String,
    folders: Vec<Rc<Folder>>,
    files: Vec<Rc<Input>>,
}

/// A file of a render, with what was made of it so far.
#[derive(Debug)]
pub struct Input {
    file: File,
    /// Its place in the order in which the user named files.
    pub order: usize,
    /// Whether its result belongs to the output; data values and schemas do not.
    pub for_output: Cell<bool>,
    parsed: [OnceCell<Result<Rc<DocumentSet>, Report>>; 2],
    compiled: [OnceCell<Result<Rc<Template>, Report>>; 4],
}

/// A file as found from a folder.
#[derive(Clone, Debug)]
pub struct Found {
    /// The file.
    pub input: Rc<Input>,
    /// The folder that it is in.
    pub folder: Rc<Folder>,
    /// Its path from the folder where the search began.
    pub path: String,
}

impl Folder {
    /// All the input.
    pub fn root(files: &[File]) -> Rc<Folder> {
        #[derive(Default)]
        struct Draft {
            name: String,
            folders: Vec<Draft>,
            files: Vec<Rc<Input>>,
        }
        // Paths are of bounded depth: they come from file names.
        fn finish(draft: Draft) -> Rc<Folder> {
            Rc::new(Folder {
                name: draft.name,
                folders: draft.folders.into_iter().map(finish).collect(),
                files: draft.files,
            })
        }
        let mut root = Draft::default();
        for (order, file) in files.iter().enumerate() {
            let (folders, _) = split_path(file.path());
            let mut here = &mut root;
            for name in folders {
                let index = match here.folders.iter().position(|folder| folder.name == name) {
                    Some(index) => index,
                    None => {
                        here.folders.push(Draft {
                            name: name.to_owned(),
                            ..Draft::default()
                        });
                        here.folders.len() - 1
                    }
                };
                here = match here.folders.get_mut(index) {
                    Some(folder) => folder,
                    None => return finish(root),
                };
            }
            here.files.push(Rc::new(Input::new(file.clone(), order)));
        }
        finish(root)
    }

    /// Forgets what a render found out about its files, other than what they hold.
    pub fn begin_anew(&self) {
        for input in &self.files {
            input.for_output.set(input.file.is_for_output());
        }
        self.folders.iter().for_each(|folder| folder.begin_anew());
    }

    /// A private library by its path.
    ///
    /// # Errors
    /// There is no `_ytt_lib` here, or no such library in it, or the path leads into another `_ytt_lib`.
    pub fn private_library(&self, path: &str) -> Result<Rc<Folder>, String> {
        let Some(private) = self.folders.iter().find(|folder| folder.is_private()) else {
            return Err(format!(
                "Could not find private library (directory '{PRIVATE}' missing?)"
            ));
        };
        let mut here = private.clone();
        let pieces: Vec<&str> = path.split('/').collect();
        for (index, name) in pieces.iter().enumerate() {
            let before = || pieces.get(..index).unwrap_or_default().join("/");
            let Some(folder) = here.folder(name) else {
                return Err(format!(
                    "Expected to find library '{path}', but did not find '{}'",
                    before()
                ));
            };
            if folder.is_private() {
                return Err(format!("Could not load private library '{}'", before()));
            }
            here = folder.clone();
        }
        Ok(here)
    }

    /// A folder by its path from this one.
    ///
    /// # Errors
    /// There is none, or it is private.
    pub fn find_folder(self: &Rc<Folder>, path: &str) -> Result<Rc<Folder>, String> {
        let mut here = self.clone();
        let pieces: Vec<&str> = path.split('/').collect();
        for (index, name) in pieces.iter().enumerate() {
            let Some(folder) = here.folder(name) else {
                return Err(format!(
                    "Did not find '{}'",
                    pieces.get(..index).unwrap_or_default().join("/")
                ));
            };
            if folder.is_private() {
                return Err(format!("Encountered private library '{PRIVATE}'"));
            }
            here = folder.clone();
        }
        Ok(here)
    }

    /// A file by its path from this folder.
    ///
    /// # Errors
    /// There is none.
    pub fn find_file(self: &Rc<Folder>, path: &str) -> Result<Found, String> {
        let (folders, name) = split_path(path);
        let folder = match folders.is_empty() {
            true => self.clone(),
            false => self
                .find_folder(&folders.join("/"))
                .map_err(|error| format!("Expected to find file '{path}', but did not: {error}"))?,
        };
        match folder.files.iter().find(|input| input.file.name() == name) {
            Some(input) => Ok(Found {
                input: input.clone(),
                folder: folder.clone(),
                path: path.to_owned(),
            }),
            None => Err(format!(
                "Expected to find file '{path}' (hint: only files included via -f flag are available)"
            )),
        }
    }

    /// All files here and below, private libraries apart: the files of a folder before those of the folders in it.
    pub fn accessible_files(self: &Rc<Folder>) -> Vec<Found> {
        let mut found = Vec::new();
        let mut stack = vec![(self.clone(), String::new())];
        while let Some((folder, prefix)) = stack.pop() {
            found.extend(folder.files.iter().map(|input| Found {
                input: input.clone(),
                folder: folder.clone(),
                path: format!("{prefix}{}", input.file.name()),
            }));
            let below = folder
                .folders
                .iter()
                .rev()
                .filter(|folder| !folder.is_private());
            stack.extend(below.map(|below| (below.clone(), format!("{prefix}{}/", below.name))));
        }
        found
    }

    fn folder(&self, name: &str) -> Option<&Rc<Folder>> {
        self.folders.iter().find(|folder| folder.name == name)
    }

    fn is_private(&self) -> bool {
        self.name == PRIVATE
    }
}

/// The folders of a path and its last name.
fn split_path(path: &str) -> (Vec<&str>, &str) {
    let mut pieces: Vec<&str> = path.split('/').collect();
    let name = pieces.pop().unwrap_or_default();
    (pieces, name)
}

impl Input {
    fn new(file: File, order: usize) -> Input {
        let for_output = Cell::new(file.is_for_output());
        Input {
            file,
            order,
            for_output,
            parsed: Default::default(),
            compiled: Default::default(),
        }
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The path by which other files know it.
    pub fn path(&self) -> &str {
        self.file.path()
    }

    /// The documents of its text.
    ///
    /// # Errors
    /// It is not YAML.
    pub fn documents(&self, strict: bool) -> Result<Rc<DocumentSet>, Report> {
        let [lax_parse, strict_parse] = &self.parsed;
        let cell = if strict { strict_parse } else { lax_parse };
        let source = self.file.source()?;
        let parse = || {
            let without_comments = !self.file.is_template() && !self.file.is_library();
            yaml::parse(
                source,
                ParseOptions {
                    strict,
                    without_comments,
                },
            )
            .map(Rc::new)
            .map_err(|error| {
                let mut diagnostic = Diagnostic::error(error.message.clone());
                diagnostic.origin = Position::in_source(source);
                if let Some(line) = error.line {
                    diagnostic.origin = Position::new(source, line);
                }
                let text = format!(
                    "Unmarshaling YAML template '{}': {}",
                    self.path(),
                    error.message
                );
                Report::with_diagnostics(text, vec![diagnostic])
            })
        };
        cell.get_or_init(parse).clone()
    }

    /// The template in its YAML; `None` if nothing is templated.
    ///
    /// # Errors
    /// It is not YAML, or its comments are not understood.
    pub fn yaml_template(&self, options: Options) -> Result<Option<Rc<Template>>, Report> {
        let documents = self.documents(options.strict)?;
        if (!self.file.is_template() && !self.file.is_library())
            || !has_templating(NodeRef::Documents(&documents))
        {
            return Ok(None);
        }
        let compile = || {
            let template =
                compile::compile(self.path(), &documents, options.ignore_unknown_comments);
            template.map(Rc::new).map_err(|error| {
                error.report(&format!("Compiling YAML template '{}': ", self.path()))
            })
        };
        self.compiled_cell(options)
            .get_or_init(compile)
            .clone()
            .map(Some)
    }

    /// The template in its text; `None` if it is only text.
    ///
    /// # Errors
    /// Its brackets do not match.
    pub fn text_template(&self) -> Result<Option<Rc<Template>>, Report> {
        if !self.file.is_template() && !self.file.is_library() {
            return Ok(None);
        }
        let source = self.file.source()?;
        let compile = || {
            text::compile(source).map(Rc::new).map_err(|error| {
                error.report(&format!("Parsing text template '{}': ", self.path()))
            })
        };
        self.compiled_cell(Options::default())
            .get_or_init(compile)
            .clone()
            .map(Some)
    }

    /// The program that it is.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn starlark_template(&self) -> Result<Rc<Template>, Report> {
        let compile = || Ok(Rc::new(Template::from_code(self.file.source()?)));
        self.compiled_cell(Options::default())
            .get_or_init(compile)
            .clone()
    }

    /// True if its kind is `kind` and its templating is to be run.
    pub fn is_template_of(&self, kind: Kind) -> bool {
        self.file.kind() == kind && self.file.is_template()
    }

    fn compiled_cell(&self, options: Options) -> &OnceCell<Result<Rc<Template>, Report>> {
        let [none, lenient, strict, both] = &self.compiled;
        match (options.strict, options.ignore_unknown_comments) {
            (false, false) => none,
            (false, true) => lenient,
            (true, false) => strict,
            (true, true) => both,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_files() {
        let paths = [
            "b/c.yml",
            "a.yml",
            "_ytt_lib/l/x.yml",
            "_ytt_lib/l/_ytt_lib/m/y.yml",
            "b/_ytt_lib/z/z.yml",
        ];
        let files: Vec<File> = paths
            .iter()
            .map(|path| File::new(*path, *path, ""))
            .collect();
        let root = Folder::root(&files);
        let accessible: Vec<String> = root
            .accessible_files()
            .into_iter()
            .map(|found| found.path)
            .collect();
        assert_eq!(accessible, ["a.yml", "b/c.yml"]);
        assert_eq!(root.find_file("b/c.yml").unwrap().input.path(), "b/c.yml");
        assert!(
            root.find_file("c.yml")
                .unwrap_err()
                .contains("hint: only files")
        );
        assert_eq!(
            root.find_file("q/c.yml").unwrap_err(),
            "Expected to find file 'q/c.yml', but did not: Did not find ''"
        );
        assert!(
            root.find_file("_ytt_lib/l/x.yml")
                .unwrap_err()
                .ends_with("Encountered private library '_ytt_lib'")
        );
        let library = root.private_library("l").unwrap();
        assert_eq!(library.accessible_files().len(), 1);
        assert_eq!(
            root.private_library("l/_ytt_lib/m").unwrap_err(),
            "Could not load private library 'l'"
        );
        assert_eq!(
            root.private_library("l/q").unwrap_err(),
            "Expected to find library 'l/q', but did not find 'l'"
        );
    }
}
