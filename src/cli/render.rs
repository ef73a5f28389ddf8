//! Renders as the command line asks for them: files, or a package that the program carries.

use super::flags::RenderFlags;
use super::input::Reader;
use super::links::Allowed;
use super::{Printed, bulk, output, values};
use crate::diagnostic::Report;
use crate::files::{File, Kind, apply_marks};
use crate::render::{self, Inspect, Options, Output, Request};
use crate::yaml::{self, Array, ArrayItem, Document, DocumentSet, Value};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::rc::Rc;
use std::time::Instant;

const FORMATS: [&str; 3] = ["yaml", "json", "pos"];
const OPENAPI: &str = "openapi-v3";

/// `haulout -f …`, `haulout render PACKAGE …`
///
/// # Errors
/// Anything that is wrong, from the flags on.
pub fn render(flags: &RenderFlags, packages: &[String]) -> Result<Printed, Report> {
    let start = Instant::now();
    let mut printed = Printed::default();
    let mut reader = Reader::new(Allowed::by(flags));
    let files = files(flags, packages, &mut reader)?;
    if flags.bulk_out {
        let (files, errors) = match run(flags, &mut reader, files, &mut printed.err) {
            Ok(output) => (output.files, String::new()),
            Err(report) => (Vec::new(), report.text().to_string()),
        };
        printed.out = bulk::write(&files, &errors);
        return Ok(printed);
    }
    let result = run(flags, &mut reader, files, &mut printed.err)
        .and_then(|output| deliver(flags, &output, &mut printed));
    if flags.debug {
        let line = format!("### result\ntotal: {:?}\n", start.elapsed());
        printed.err.extend_from_slice(line.as_bytes());
    }
    if result.is_err() {
        // What was printed before the failure still shows.
        let _ = std::io::stderr().write_all(&printed.err);
    }
    result.map(|()| printed)
}

/// The documents of a render.
///
/// # Errors
/// Anything that is wrong, from the flags on.
pub fn documents(flags: &RenderFlags, packages: &[String]) -> Result<DocumentSet, Report> {
    let mut reader = Reader::new(Allowed::by(flags));
    let files = files(flags, packages, &mut reader)?;
    let mut lines = Vec::new();
    let output = run(flags, &mut reader, files, &mut lines);
    // What templates print is for whoever looks on.
    let _ = std::io::stderr().write_all(&lines);
    Ok(output?.documents)
}

fn files(
    flags: &RenderFlags,
    packages: &[String],
    reader: &mut Reader,
) -> Result<Vec<File>, Report> {
    if !flags.bulk_in.is_empty() {
        return bulk::read(&flags.bulk_in);
    }
    let mut files = Vec::new();
    for package in packages {
        files.extend(crate::templates::files(package)?);
    }
    files.extend(reader.files(&flags.files)?);
    Ok(files)
}

/// Puts the result where the flags want it.
fn deliver(flags: &RenderFlags, output: &Output, printed: &mut Printed) -> Result<(), Report> {
    if !flags.dangerous_emptied_output_directory.is_empty() {
        let folder = &flags.dangerous_emptied_output_directory;
        printed.out = output::replace(folder, &output.files)?.into_bytes();
    } else if !flags.output_files.is_empty() {
        printed.out = output::add(&flags.output_files, &output.files)?.into_bytes();
    } else {
        printed.out = text(flags, output)?;
        if output.files.iter().any(|file| file.kind() != Kind::Yaml) {
            printed.err.extend_from_slice(
                b"\nWarning: Found Non-YAML templates in input. Non-YAML templates are not rendered to standard output.\n\
                  If you want to include those results, use the --output-files or --dangerous-emptied-output-directory flag.\n",
            );
        }
    }
    Ok(())
}

/// Renders; adds to `lines` what templates print and what `--debug` tells.
fn run(
    flags: &RenderFlags,
    reader: &mut Reader,
    files: Vec<File>,
    lines: &mut Vec<u8>,
) -> Result<Output, Report> {
    let files = apply_marks(files, &flags.file_mark)?;
    if flags.debug {
        lines.extend_from_slice(told(&files).as_bytes());
    }
    if flags.files_inspect {
        return Ok(listing(&files));
    }
    let inspect = match (flags.data_values_schema_inspect, flags.data_values_inspect) {
        (true, _) => Inspect::Schema,
        (false, true) => Inspect::Values,
        (false, false) => Inspect::None,
    };
    let values = values::collect(reader, flags)?;
    check_output(flags, inspect)?;
    let sink = Rc::new(RefCell::new(Vec::new()));
    let taken = sink.clone();
    let request = Request {
        values,
        files,
        options: Options {
            strict: flags.strict,
            ignore_unknown_comments: flags.ignore_unknown_comments,
            implicit_map_key_overrides: flags.implicit_map_key_overrides,
            skip_validation: flags.dangerous_data_values_disable_validation,
        },
        inspect,
        printer: Some(Rc::new(move |line: &str| {
            let mut lines = taken.borrow_mut();
            lines.extend_from_slice(line.as_bytes());
            lines.push(b'\n');
        })),
        ..Request::default()
    };
    let result = render::render(&request);
    lines.append(&mut sink.borrow_mut());
    result
}

/// Which files there are and what each is taken for.
fn told(files: &[File]) -> String {
    let mut told = String::new();
    for file in files {
        let kind = match (file.kind(), file.is_template(), file.is_library()) {
            (Kind::Data, _, _) => "data",
            (_, _, true) => "library",
            (Kind::Yaml, true, _) => "yaml template",
            (Kind::Yaml, false, _) => "plain yaml",
            (Kind::Text, true, _) => "text template",
            (Kind::Text, false, _) => "plain text",
            (Kind::Starlark, _, _) => "code",
        };
        let output = if file.is_for_output() {
            ", for output"
        } else {
            ""
        };
        let _ = writeln!(
            told,
            "## file {} ({}): {kind}{output}",
            file.path(),
            file.description()
        );
    }
    told
}

/// The paths of the files that would be processed, as a document.
fn listing(files: &[File]) -> Output {
    let item = |path: String| ArrayItem {
        value: Value::str(path),
        ..ArrayItem::default()
    };
    let items = render::file_paths(files).into_iter().map(item).collect();
    let value = Value::Array(Rc::new(Array {
        items,
        ..Array::default()
    }));
    let document = Document {
        value,
        ..Document::default()
    };
    Output {
        documents: DocumentSet {
            items: vec![document],
            ..DocumentSet::default()
        },
        files: Vec::new(),
    }
}

/// Checks that `-o` and what is inspected go together.
fn check_output(flags: &RenderFlags, inspect: Inspect) -> Result<(), Report> {
    let schema = wants_schema(flags)?;
    match (inspect == Inspect::Schema, schema) {
        (true, false) => Err(Report::new(format!(
            "Data values schema export only supported in OpenAPI v3 format; specify format with --output={OPENAPI} flag"
        ))),
        (false, true) => Err(Report::new(
            "Output type currently only supported for data values schema (i.e. include --data-values-schema-inspect)",
        )),
        _ => Ok(()),
    }
}

/// Whether `-o` asks for a schema.
fn wants_schema(flags: &RenderFlags) -> Result<bool, Report> {
    let known = |format: &str| FORMATS.contains(&format) || format == OPENAPI;
    match flags.output.iter().find(|format| !known(format)) {
        Some(format) => Err(Report::new(format!("Unknown output type '{format}'"))),
        None => Ok(flags.output.iter().any(|format| format == OPENAPI)),
    }
}

fn text(flags: &RenderFlags, output: &Output) -> Result<Vec<u8>, Report> {
    wants_schema(flags)?;
    let format = flags
        .output
        .iter()
        .find(|format| FORMATS.contains(&format.as_str()));
    match format.map(String::as_str) {
        Some("json") => yaml::print_json(&output.documents)
            .map_err(|error| Report::new(format!("Marshaling combined template result: {error}"))),
        Some("pos") => Ok(yaml::print_positions(&output.documents)),
        _ => Ok(yaml::print(&output.documents)),
    }
}
