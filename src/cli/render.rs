//! Renders as the command line asks for them: files, or a package that the program carries.

use super::flags::{ErrorFormat, RenderFlags};
use super::input::Reader;
use super::links::Allowed;
use super::{Printed, bulk, failure, output, values};
use crate::diagnostic::{Diagnostic, Report};
use crate::files::{File, Kind, apply_marks};
use crate::render::{self, Inspect, Options, Output, Ready, Request};
use crate::schema::{Schema, export};
use crate::template::spelling;
use crate::yaml::{self, DocumentSet, Value};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::rc::Rc;
use std::time::Instant;

/// How documents are printed.
const FORMATS: [&str; 3] = ["yaml", "json", "pos"];

/// In what form a schema is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SchemaFormat {
    OpenApi,
    JsonSchema,
    Markdown,
    Values,
}

const SCHEMA_FORMATS: [(&str, SchemaFormat); 4] = [
    ("openapi-v3", SchemaFormat::OpenApi),
    ("json-schema", SchemaFormat::JsonSchema),
    ("markdown", SchemaFormat::Markdown),
    ("values", SchemaFormat::Values),
];

/// What there is to deliver.
enum Product {
    Output(Output),
    Text(String),
}

/// `haulout -f …`, `haulout render PACKAGE …`
///
/// # Errors
/// Anything that is wrong, from the flags on.
pub fn render(
    name: &str,
    flags: &RenderFlags,
    packages: &[String],
    format: ErrorFormat,
) -> Result<Printed, Report> {
    let start = Instant::now();
    let mut printed = Printed::default();
    let mut reader = Reader::new(Allowed::by(flags));
    let files = files(flags, packages, &mut reader)?;
    if flags.bulk_out {
        let (files, errors) = match run(flags, &mut reader, files, &mut printed.err, None) {
            Ok(Product::Output(output)) => (output.files, String::new()),
            Ok(Product::Text(_)) => (Vec::new(), String::new()),
            Err(report) => (Vec::new(), report.text().to_string()),
        };
        printed.out = bulk::write(&files, &errors);
        return Ok(printed);
    }
    let mut warnings = Vec::new();
    let told = failure::tells_more(format).then_some(&mut warnings);
    let result = run(flags, &mut reader, files, &mut printed.err, told).and_then(|product| {
        let delivered = deliver(flags, &product, &mut printed);
        leave(flags, product);
        delivered
    });
    if flags.debug {
        let line = format!("### result\ntotal: {:?}\n", start.elapsed());
        printed.err.extend_from_slice(line.as_bytes());
    }
    if result.is_err() {
        // What was printed before the failure still shows.
        let _ = std::io::stderr().write_all(&printed.err);
    }
    match result {
        Err(report) => Err(report.and(warnings)),
        Ok(()) => {
            if !warnings.is_empty() {
                let report = Report::with_diagnostics("", warnings);
                printed
                    .err
                    .extend(failure::text(name, &report, format).into_bytes());
            }
            Ok(printed)
        }
    }
}

/// Lets go of something large at the end. The system takes a process's memory back at once; to take it apart piece by
/// piece beforehand would be a good part of a render. A process that goes on must do so.
fn leave<T>(flags: &RenderFlags, large: T) {
    if !flags.watch {
        std::mem::forget(large);
    }
}

/// The documents of a render.
///
/// # Errors
/// Anything that is wrong, from the flags on.
pub fn documents(flags: &RenderFlags, packages: &[String]) -> Result<DocumentSet, Report> {
    let mut reader = Reader::new(Allowed::by(flags));
    let files = files(flags, packages, &mut reader)?;
    let mut lines = Vec::new();
    let output = run(flags, &mut reader, files, &mut lines, None);
    // What templates print is for whoever looks on.
    let _ = std::io::stderr().write_all(&lines);
    Ok(match output? {
        Product::Output(output) => output.documents,
        Product::Text(_) => DocumentSet::default(),
    })
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
fn deliver(flags: &RenderFlags, product: &Product, printed: &mut Printed) -> Result<(), Report> {
    let output = match product {
        Product::Output(output) => output,
        Product::Text(text) => {
            printed.out = text.clone().into_bytes();
            return Ok(());
        }
    };
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

/// Renders; adds to `lines` what templates print and what `--debug` tells, and to `warnings` what may not be meant.
fn run(
    flags: &RenderFlags,
    reader: &mut Reader,
    files: Vec<File>,
    lines: &mut Vec<u8>,
    warnings: Option<&mut Vec<Diagnostic>>,
) -> Result<Product, Report> {
    let files = apply_marks(files, &flags.file_mark)?;
    if let Some(warnings) = warnings {
        warnings.extend(spelling::warnings(&files));
    }
    if flags.debug {
        lines.extend_from_slice(told(&files).as_bytes());
    }
    if flags.files_inspect {
        return Ok(Product::Output(listing(&files)));
    }
    let values = values::collect(reader, flags)?;
    let sink = Rc::new(RefCell::new(Vec::new()));
    let taken = sink.clone();
    let request = Request {
        values,
        ready: Some(Ready::new(&files)),
        files,
        options: Options {
            strict: flags.strict,
            ignore_unknown_comments: flags.ignore_unknown_comments,
            implicit_map_key_overrides: flags.implicit_map_key_overrides,
            skip_validation: flags.dangerous_data_values_disable_validation,
        },
        inspect: match flags.data_values_inspect {
            true => Inspect::Values,
            false => Inspect::None,
        },
        limits: flags.bounds.limits(),
        printer: Some(Rc::new(move |line: &str| {
            let mut lines = taken.borrow_mut();
            lines.extend_from_slice(line.as_bytes());
            lines.push(b'\n');
        })),
    };
    let result = match schema_format(flags) {
        Ok(Some(format)) => {
            render::schema(&request).and_then(|schema| exported(flags, &schema, format))
        }
        Ok(None) => render::render(&request).map(Product::Output),
        // What is wrong with the schema is told first, as ytt does.
        Err(report) => render::schema(&request).and(Err(report)),
    };
    lines.append(&mut sink.borrow_mut());
    leave(flags, request);
    result
}

/// A schema in the form that is asked for.
fn exported(flags: &RenderFlags, schema: &Schema, format: SchemaFormat) -> Result<Product, Report> {
    let documents = |value: Value| Product::Output(Output::from(value));
    Ok(match format {
        SchemaFormat::OpenApi => documents(export::openapi::document(schema)),
        SchemaFormat::JsonSchema => {
            let value = export::json_schema::document(schema);
            if flags
                .output
                .iter()
                .any(|format| FORMATS.contains(&format.as_str()))
            {
                return Ok(documents(value));
            }
            // JSON is what editors take.
            let mut text = yaml::json_value(&value, 2, false)
                .map_err(|error| Report::new(format!("Printing the schema: {error}")))?;
            text.push(b'\n');
            Product::Text(String::from_utf8_lossy(&text).into_owned())
        }
        SchemaFormat::Markdown => Product::Text(export::markdown::text(schema)),
        SchemaFormat::Values => Product::Text(export::skeleton::text(schema)),
    })
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
    let paths = render::file_paths(files).into_iter().map(Value::str);
    Output::from(Value::array(paths))
}

/// In what form the schema is asked for, if it is.
///
/// # Errors
/// An unknown format; a schema without a format, or a format of schemas without one.
fn schema_format(flags: &RenderFlags) -> Result<Option<SchemaFormat>, Report> {
    check_formats(flags)?;
    let known = |name: &String| SCHEMA_FORMATS.iter().find(|(known, _)| known == name);
    let format = flags.output.iter().find_map(known);
    match (flags.data_values_schema_inspect, format) {
        (true, None) => Err(Report::new(
            "Data values schema export only supported in OpenAPI v3 format; specify format with --output=openapi-v3 flag",
        )),
        (false, Some(_)) => Err(Report::new(
            "Output type currently only supported for data values schema (i.e. include --data-values-schema-inspect)",
        )),
        (_, format) => Ok(format.map(|(_, format)| *format)),
    }
}

fn check_formats(flags: &RenderFlags) -> Result<(), Report> {
    let known = |name: &&String| {
        FORMATS.contains(&name.as_str()) || SCHEMA_FORMATS.iter().any(|(known, _)| known == name)
    };
    match flags.output.iter().find(|name| !known(name)) {
        Some(name) => Err(Report::new(format!("Unknown output type '{name}'"))),
        None => Ok(()),
    }
}

fn text(flags: &RenderFlags, output: &Output) -> Result<Vec<u8>, Report> {
    check_formats(flags)?;
    let format = flags
        .output
        .iter()
        .find(|format| FORMATS.contains(&format.as_str()));
    match format.map(String::as_str) {
        Some("json") => yaml::print_json(&output.documents).map_err(render::unprintable),
        Some("pos") => Ok(yaml::print_positions(&output.documents)),
        _ => Ok(yaml::print(&output.documents)),
    }
}
