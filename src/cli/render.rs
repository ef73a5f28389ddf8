//! The commands that render: files, or a package that the program carries.

use super::flags::{self, RenderFlags, boolean};
use super::input::Reader;
use super::{Printed, bulk, extra_arguments, help, output, version};
use crate::diagnostic::Report;
use crate::files::{File, Kind, apply_marks};
use crate::render::{self, Inspect, Options, Output, Request};
use crate::yaml::{self, Array, ArrayItem, Document, DocumentSet, Value};
use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

const FORMATS: [&str; 3] = ["yaml", "json", "pos"];
const OPENAPI: &str = "openapi-v3";

/// `haulout -f …`
pub fn files(name: &str, words: &[String]) -> Result<Printed, Report> {
    let line = flags::parse(words)?;
    if line.help {
        return Ok(help());
    }
    if line.version {
        return Ok(version());
    }
    if !line.words.is_empty() {
        return Err(extra_arguments(name, &line.words.join(", ")));
    }
    let mut reader = Reader::new(&line.render)?;
    let files = match &line.render.bulk_in {
        Some(text) if !text.is_empty() => bulk::read(text)?,
        _ => reader.files(&line.render.files)?,
    };
    finish(&line.render, &mut reader, files)
}

/// `haulout render PACKAGE …`
pub fn package(name: &str, words: &[String]) -> Result<Printed, Report> {
    let line = flags::parse(words)?;
    if line.help {
        return Ok(help());
    }
    let [package] = line.words.as_slice() else {
        let found = line.words.len();
        return Err(Report::new(format!(
            "expected one package, found {found} (hint: {name} render pinniped/supervisor)"
        )));
    };
    let mut files = crate::templates::files(package)?;
    let mut reader = Reader::new(&line.render)?;
    files.extend(reader.files(&line.render.files)?);
    finish(&line.render, &mut reader, files)
}

fn finish(flags: &RenderFlags, reader: &mut Reader, files: Vec<File>) -> Result<Printed, Report> {
    if boolean("bulk-out", flags.bulk_out.as_deref())? {
        let (files, errors) = match run(flags, reader, files) {
            Ok((output, _)) => (output.files, String::new()),
            Err(report) => (Vec::new(), report.text().to_string()),
        };
        return Ok(Printed {
            out: bulk::write(&files, &errors),
            err: Vec::new(),
        });
    }
    let (output, lines) = run(flags, reader, files)?;
    let mut printed = Printed {
        out: Vec::new(),
        err: lines,
    };
    let named = |folder: &Option<String>| folder.clone().filter(|folder| !folder.is_empty());
    if let Some(folder) = named(&flags.dangerous_emptied_output_directory) {
        printed.out = output::replace(&folder, &output.files)?.into_bytes();
    } else if let Some(folder) = named(&flags.output_files) {
        printed.out = output::add(&folder, &output.files)?.into_bytes();
    } else {
        printed.out = text(flags, &output)?;
        if output.files.iter().any(|file| file.kind() != Kind::Yaml) {
            printed.err.extend_from_slice(
                b"\nWarning: Found Non-YAML templates in input. Non-YAML templates are not rendered to standard output.\n\
                  If you want to include those results, use the --output-files or --dangerous-emptied-output-directory flag.\n",
            );
        }
    }
    Ok(printed)
}

/// Renders; with the lines that templates printed.
fn run(
    flags: &RenderFlags,
    reader: &mut Reader,
    files: Vec<File>,
) -> Result<(Output, Vec<u8>), Report> {
    let is = |name: &str, value: &Option<String>| boolean(name, value.as_deref());
    let files = apply_marks(files, &flags.file_mark)?;
    if is("files-inspect", &flags.files_inspect)? {
        return Ok((listing(&files), Vec::new()));
    }
    let inspect = if is(
        "data-values-schema-inspect",
        &flags.data_values_schema_inspect,
    )? {
        Inspect::Schema
    } else if is("data-values-inspect", &flags.data_values_inspect)? {
        Inspect::Values
    } else {
        Inspect::None
    };
    let lines = Rc::new(RefCell::new(Vec::new()));
    let sink = lines.clone();
    let request = Request {
        values: reader.values(flags)?,
        files,
        options: Options {
            strict: is("strict", &flags.strict)?,
            ignore_unknown_comments: is("ignore-unknown-comments", &flags.ignore_unknown_comments)?,
            implicit_map_key_overrides: is(
                "implicit-map-key-overrides",
                &flags.implicit_map_key_overrides,
            )?,
            skip_validation: is(
                "dangerous-data-values-disable-validation",
                &flags.dangerous_data_values_disable_validation,
            )?,
        },
        inspect,
        printer: Some(Rc::new(move |line: &str| {
            let mut lines = sink.borrow_mut();
            lines.extend_from_slice(line.as_bytes());
            lines.push(b'\n');
        })),
        ..Request::default()
    };
    let result = render::render(&request);
    let lines = lines.take();
    match result {
        Ok(output) => match (inspect, wants_schema(flags)?) {
            (Inspect::Schema, false) => Err(Report::new(format!(
                "Data values schema export only supported in OpenAPI v3 format; specify format with --output={OPENAPI} flag"
            ))),
            (Inspect::None | Inspect::Values, true) => Err(Report::new(
                "Output type currently only supported for data values schema (i.e. include --data-values-schema-inspect)",
            )),
            _ => Ok((output, lines)),
        },
        Err(report) => {
            // What was printed before the failure still shows.
            let _ = std::io::stderr().write_all(&lines);
            Err(report)
        }
    }
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
