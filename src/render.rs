//! The one pipeline behind every door: files and data values in, documents or a report out.

use crate::diagnostic::Report;
use crate::files::{File, OutputFile};
use crate::library::execution::accessible_paths;
use crate::library::{Execution, Folder, Options as LibraryOptions, Place, Session};
use crate::schema;
use crate::script::{Interp, Limits};
use crate::values::{self, Flags};
use crate::yaml::DocumentSet;
use std::rc::Rc;

/// Everything that a render depends on.
#[derive(Clone, Default)]
pub struct Request {
    /// The files, in order.
    pub files: Vec<File>,
    /// Data values beside those in files.
    pub values: Flags,
    /// How templates are read.
    pub options: Options,
    /// What to give: the result, or something on the way to it.
    pub inspect: Inspect,
    /// Bounds of the evaluation.
    pub limits: Limits,
    /// Takes what templates `print`, a line at a time; it is dropped otherwise.
    pub printer: Option<Rc<dyn Fn(&str)>>,
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
    /// Their schema, as an OpenAPI document.
    Schema,
}

/// The result of a render.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// All documents, in the order of files.
    pub documents: DocumentSet,
    /// The same by file, after the texts.
    pub files: Vec<OutputFile>,
}

/// Renders.
///
/// # Errors
/// The first thing that is wrong, with all that ytt says of it.
pub fn render(request: &Request) -> Result<Output, Report> {
    let mut interp = Interp::new(request.limits.clone());
    if let Some(printer) = &request.printer {
        interp.set_printer(printer.clone());
    }
    let options = request.options;
    let flags = values::flags::documents(&request.values, options.strict)?;
    let root = Folder::root(&request.files);
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

    let (schema, library_schemas) = execution.schemas(&mut interp, Vec::new())?;
    if request.inspect == Inspect::Schema {
        return Ok(Output {
            documents: schema::openapi::document(&schema),
            files: Vec::new(),
        });
    }
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
    Ok(Output {
        documents: evaluation.documents,
        files: evaluation.files,
    })
}

/// Paths of the files that a render would look at, in order; files of private libraries are not among them.
pub fn file_paths(files: &[File]) -> Vec<String> {
    let root = Folder::root(files);
    accessible_paths(&Place {
        current: root.clone(),
        root,
    })
}
