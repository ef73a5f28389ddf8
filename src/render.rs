//! The one pipeline behind every door: files and data values in, documents or a report out.

use crate::diagnostic::Report;
use crate::files::{Content, File, OutputFile};
use crate::library::execution::accessible_paths;
use crate::library::{Execution, Folder, Options as LibraryOptions, Place, Session};
use crate::schema::Schema;
use crate::script::{Interp, Limits, Printer};
use crate::values::{self, Flags};
use crate::yaml::{DocumentSet, Value};
use std::rc::Rc;

/// Everything that a render depends on.
#[derive(Clone, Default)]
pub struct Request {
    /// The files, in order.
    pub files: Vec<File>,
    /// The same files made ready, for renders that follow one another; they are made ready anew if this is absent.
    pub ready: Option<Ready>,
    /// Data values beside those in files.
    pub values: Flags,
    /// How templates are read.
    pub options: Options,
    /// What to give: the result, or something on the way to it.
    pub inspect: Inspect,
    /// Bounds of the evaluation.
    pub limits: Limits,
    /// Takes what templates `print`, a line at a time; it is dropped otherwise.
    pub printer: Option<Printer>,
}

/// Files of which each is parsed and compiled once, however often they are rendered.
#[derive(Clone)]
pub struct Ready(Rc<Folder>);

impl Ready {
    /// These files, in order. Nothing is read before a render asks for it.
    pub fn new(files: &[File]) -> Ready {
        Ready(Folder::root(files))
    }
}

/// How templates are read and data values checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Refuse plain scalars that could be taken for more than one type.
    pub strict: bool,
    /// Leave comments alone that are neither `#@` nor `#!`.
    pub ignore_unknown_comments: bool,
    /// Let later keys of a map replace earlier ones.
    pub implicit_map_key_overrides: bool,
    /// Do not run validation rules of data values.
    pub skip_validation: bool,
}

/// What a render gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inspect {
    /// The result of all templates.
    #[default]
    None,
    /// The final data values.
    Values,
}

/// The result of a render.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// All documents, in the order of files.
    pub documents: DocumentSet,
    /// The same by file, after the texts.
    pub files: Vec<OutputFile>,
}

impl Output {
    /// Fails if it comes to more than so many bytes: nodes that stand in many places are held once and printed often.
    fn check(&self, most: usize) -> Result<(), Report> {
        let texts = self.files.iter().map(|file| match &file.content {
            Content::Text(text) => text.len(),
            Content::Documents(_) => 0,
        });
        let left = most.checked_sub(texts.sum());
        match left.is_some_and(|left| !self.documents.is_longer(left)) {
            true => Ok(()),
            false => Err(Report::new(format!(
                "evaluation stopped: its results are longer than {most} bytes"
            ))),
        }
    }
}

impl From<Value> for Output {
    /// One document that code makes.
    fn from(value: Value) -> Output {
        Output {
            documents: DocumentSet::from(value),
            files: Vec::new(),
        }
    }
}

/// Why documents cannot be printed in a format.
pub fn unprintable(error: String) -> Report {
    Report::new(format!("Marshaling combined template result: {error}"))
}

/// Renders.
///
/// # Errors
/// The first thing that is wrong, with all that ytt says of it.
pub fn render(request: &Request) -> Result<Output, Report> {
    let flags = values::flags::documents(&request.values, request.options.strict)?;
    let (mut interp, execution) = start(request);
    let (schema, library_schemas) = execution.schemas(&mut interp, Vec::new())?;
    let (document, mut library_values) = execution.values(&mut interp, flags.root, &schema)?;
    if request.inspect == Inspect::Values {
        let documents = DocumentSet {
            items: vec![document],
            ..DocumentSet::default()
        };
        return Ok(Output {
            documents,
            files: Vec::new(),
        });
    }
    library_values.extend(flags.libraries);
    let evaluation =
        execution.evaluate(&mut interp, document.value, library_values, library_schemas)?;
    let output = Output {
        documents: evaluation.documents,
        files: evaluation.files,
    };
    output.check(request.limits.output)?;
    Ok(output)
}

/// The schema of the data values; a permissive one if none is declared.
///
/// # Errors
/// The schema is not one, or a flag does not say what a data value is.
pub fn schema(request: &Request) -> Result<Schema, Report> {
    values::flags::documents(&request.values, request.options.strict)?;
    let (mut interp, execution) = start(request);
    let (schema, _) = execution.schemas(&mut interp, Vec::new())?;
    Ok(schema)
}

fn start(request: &Request) -> (Interp, Execution) {
    let mut interp = Interp::new(request.limits.clone());
    if let Some(printer) = &request.printer {
        interp.set_printer(printer.clone());
    }
    let options = request.options;
    let root = match &request.ready {
        Some(Ready(root)) => {
            root.begin_anew();
            root.clone()
        }
        None => Folder::root(&request.files),
    };
    let execution = Execution::new(
        Rc::new(Session::default()),
        Place {
            current: root.clone(),
            root,
        },
        LibraryOptions {
            strict: options.strict,
            ignore_unknown_comments: options.ignore_unknown_comments,
            implicit_map_key_overrides: options.implicit_map_key_overrides,
        },
        options.skip_validation,
    );
    (interp, execution)
}

/// Paths of the files that a render would look at, in order; files of private libraries are not among them.
pub fn file_paths(files: &[File]) -> Vec<String> {
    let root = Folder::root(files);
    accessible_paths(&Place {
        current: root.clone(),
        root,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn request(files: &[(&str, &str)]) -> Request {
        let files = files
            .iter()
            .map(|(path, text)| File::new(*path, *path, *text));
        Request {
            files: files.collect(),
            ..Request::default()
        }
    }

    type Files<'a> = &'a [(&'a str, &'a str)];

    /// The text of the first error and the place of its first diagnostic.
    fn failure(files: Files) -> (String, String) {
        let report = render(&request(files)).unwrap_err();
        let origin = report.diagnostics()[0].origin.to_string();
        (report.text().to_owned(), origin)
    }

    #[test]
    fn errors_tell_the_innermost_place() {
        let load = ("a.yml", "#@ load(\"l.star\", \"x\")\na: #@ x\n");
        let table: &[(Files, &str, &str)] = &[
            (&[("a.yml", "a: #@ x\n")], "undefined: x", "a.yml:1"),
            (
                &[("a.yml", "b: 1\n# x\na: #@ 1\n")],
                "Failed to parse line 2",
                "a.yml:2",
            ),
            (
                &[("a.yml", "b: 1\na: 2 #@ 1\n")],
                "computed or YAML",
                "a.yml:2",
            ),
            (&[("a.yml", "a: 1\nb: @x\n")], "Unmarshaling", "a.yml:2"),
            (&[("a.txt", "\n(@= x @)")], "undefined: x", "a.txt:2"),
            (&[("a.txt", "\n(@= x")], "Missing code closing", "a.txt:2"),
            (
                &[load, ("l.star", "\nx = 1 + \"\"")],
                "cannot load l.star",
                "l.star:2",
            ),
            (
                &[load, ("l.star", "load(\"l.star\", \"x\")")],
                "cycle of loads: l.star -> l.star",
                "l.star:1",
            ),
            (
                &[("a.yml", "#@ def f():\nb: #@ 1 // 0\n#@ end\na: #@ f()\n")],
                "division by zero",
                "a.yml:2",
            ),
            (
                &[("v.yml", "a:\n  #@data/values\n  b: 1\n")],
                "Found @data/values on map item",
                "v.yml:3",
            ),
            (
                &[
                    (
                        "a.yml",
                        "#@ load(\"@ytt:library\", \"library\")\na: #@ library.get(\"l\").eval()\n",
                    ),
                    ("_ytt_lib/l/b.yml", "x: 1\ny: #@ z\n"),
                ],
                "Evaluating library 'l'",
                "_ytt_lib/l/b.yml:2",
            ),
        ];
        for (files, text, origin) in table {
            let found = failure(files);
            assert!(found.0.contains(text), "{text}: {}", found.0);
            assert_eq!(found.1, *origin, "{}", found.0);
        }
    }

    #[test]
    fn what_templates_print_and_files_of_results() {
        let printed = Rc::new(RefCell::new(String::new()));
        let sink = printed.clone();
        let files = [
            ("b.yml", "#@ print(\"hi\")\nb: 1\n"),
            ("t.txt", "(@= \"t\" @)"),
            ("empty.yml", "#@ x = 1\n"),
            (
                "a.yml",
                "#@overlay/match by=lambda i,l,r: True\n---\nb: 2\n",
            ),
        ];
        let output = render(&Request {
            printer: Some(Rc::new(move |line: &str| sink.borrow_mut().push_str(line))),
            ..request(&files)
        })
        .unwrap();
        assert_eq!(*printed.borrow(), "hi");
        let files: Vec<(&str, String)> = output
            .files
            .iter()
            .map(|file| {
                (
                    file.path.as_str(),
                    String::from_utf8_lossy(&file.bytes()).into_owned(),
                )
            })
            .collect();
        assert_eq!(
            files,
            [("t.txt", "t".to_owned()), ("b.yml", "b: 2\n".to_owned())]
        );
    }
}
