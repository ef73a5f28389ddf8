//! Some files that are rendered again and again with other values.

use super::options::{Format, Inspected, RenderOptions};
use super::result::{Document, Origins, Rendering, ResultFile};
use super::value::{InputFile, give, give_node, read};
use super::{PROGRAM, thrown};
use crate::diagnostic::Report;
use crate::files::{File, Kind, OutputFile, apply_marks};
use crate::position::Source;
use crate::render::{self, Inspect, Options, Output, Ready, Request};
use crate::schema::export;
use crate::templates;
use crate::values::flags::STANDARD_INPUT;
use crate::yaml::{self, Value};
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `Rendering` of the types above.
    #[wasm_bindgen(typescript_type = "Rendering")]
    pub type JsRendering;
    /// `Package[]` of the types above.
    #[wasm_bindgen(typescript_type = "Package[]")]
    pub type JsPackages;
    /// `Reading` of the types above.
    #[wasm_bindgen(typescript_type = "Reading")]
    pub type JsReading;
    /// `Origins` of the types above.
    #[wasm_bindgen(typescript_type = "Origins")]
    pub type JsOrigins;
    /// `Rewriting` of the types above.
    #[wasm_bindgen(typescript_type = "Rewriting")]
    pub type JsRewriting;
    /// `InputFile[]` of the types above.
    #[wasm_bindgen(typescript_type = "InputFile[]")]
    pub type JsFiles;
    /// `RenderOptions` of the types above.
    #[wasm_bindgen(typescript_type = "RenderOptions")]
    pub type JsOptions;
    /// `Form` of the types above.
    #[wasm_bindgen(typescript_type = "Form")]
    pub type JsForm;
}

/// Some files that are rendered again and again with other values.
#[wasm_bindgen]
pub struct Session {
    pub(super) files: Vec<File>,
    ready: Ready,
    /// The version, for a package that the engine holds.
    pub(super) version: Option<String>,
}

impl Session {
    fn new(files: Vec<File>, version: Option<String>) -> Session {
        Session {
            ready: Ready::new(&files),
            files,
            version,
        }
    }
}

#[wasm_bindgen]
impl Session {
    /// Opens a package that the engine holds: `pinniped/supervisor`.
    ///
    /// # Errors
    /// There is no such package.
    pub fn open_package(name: &str) -> Result<Session, JsError> {
        let package = templates::find(name).map_err(|report| JsError::new(report.text()))?;
        Ok(Session::new(package.files(), Some(package.version)))
    }

    /// Opens files, an array of `{ path, data }`, in the order in which they are to be rendered.
    ///
    /// # Errors
    /// It is not such an array.
    pub fn open_files(files: JsFiles) -> Result<Session, JsError> {
        let files: Vec<InputFile> = read(&files).map_err(|report| thrown(&report))?;
        let files = files.into_iter().map(File::from).collect();
        Ok(Session::new(files, None))
    }

    /// Renders with these data values: plain YAML, as `--data-values-file -` takes it.
    pub fn render(&self, values: &str) -> JsRendering {
        self.rendering(RenderOptions::of_values(values))
    }

    /// Renders as the command line does with these flags.
    ///
    /// # Errors
    /// They are not such options; what is wrong with a render is in the rendering.
    pub fn render_with(&self, options: JsOptions) -> Result<JsRendering, JsError> {
        let options = read(&options).map_err(|report| thrown(&report))?;
        Ok(self.rendering(options))
    }

    /// Where each line of `render(values).text` came from; no lines if that fails. `stdin.yml` is the text of the values.
    pub fn origins(&self, values: &str) -> JsOrigins {
        let request = Request {
            values: RenderOptions::of_values(values).flags(),
            ..self.request()
        };
        let mut origins = Origins::default();
        if let Ok(output) = render::render(&request) {
            for position in yaml::line_positions(&output.documents) {
                origins.add(&position);
            }
        }
        give(&origins).into()
    }

    /// The text of a file as templates and messages name it; nothing if there is no such file.
    pub fn source(&self, path: &str) -> Option<String> {
        let file = self.files.iter().find(|file| file.path() == path)?;
        let source = file.source().ok()?;
        Some(String::from_utf8_lossy(&source.text).into_owned())
    }

    /// What to ask a person for.
    ///
    /// # Errors
    /// The schema has a fault, or the default values.
    pub fn form(&self) -> Result<JsForm, JsError> {
        let failed = |report: Report| thrown(&report);
        let request = self.request();
        let schema = render::schema(&request).map_err(failed)?;
        let root = if schema.is_declared() {
            export::form::of_schema(&schema)
        } else {
            let values = render::render(&Request {
                inspect: Inspect::Values,
                ..request
            });
            let documents = values.map_err(failed)?.documents.items;
            let values = documents.into_iter().next().map(|document| document.value);
            export::form::of_values(&values.unwrap_or_default())
        };
        let declared = Value::Bool(schema.is_declared());
        let form = Value::map([
            (Value::str("declared"), declared),
            (Value::str("root"), root),
        ]);
        Ok(give_node(&form).into())
    }

    fn rendering(&self, options: RenderOptions) -> JsRendering {
        let printed = Rc::new(RefCell::new(String::new()));
        let mut rendering = match self.output(options, &printed) {
            Ok(rendering) => rendering,
            Err(report) => Rendering::from(&report),
        };
        rendering.printed = printed.take();
        give(&rendering).into()
    }

    fn output(
        &self,
        options: RenderOptions,
        printed: &Rc<RefCell<String>>,
    ) -> Result<Rendering, Report> {
        let sink = printed.clone();
        let request = Request {
            files: apply_marks(self.files.clone(), &options.file_marks)?,
            ready: options.file_marks.is_empty().then(|| self.ready.clone()),
            values: options.flags(),
            options: Options {
                strict: options.strict,
                ignore_unknown_comments: options.ignore_unknown_comments,
                implicit_map_key_overrides: options.implicit_map_key_overrides,
                skip_validation: options.skip_validation,
            },
            inspect: match options.inspect {
                Some(Inspected::Values) => Inspect::Values,
                _ => Inspect::None,
            },
            printer: Some(Rc::new(move |line: &str| {
                let mut sink = sink.borrow_mut();
                sink.push_str(line);
                sink.push('\n');
            })),
            ..self.request()
        };
        let schema = || render::schema(&request);
        let output = match options.inspect {
            None | Some(Inspected::Values) => render::render(&request)?,
            Some(Inspected::Files) => {
                let paths = render::file_paths(&request.files);
                Output::from(Value::array(paths.into_iter().map(Value::str)))
            }
            Some(Inspected::OpenApi) => Output::from(export::openapi::document(&schema()?)),
            Some(Inspected::JsonSchema) => Output::from(export::json_schema::document(&schema()?)),
            Some(Inspected::Markdown) => return Ok(export::markdown::text(&schema()?).into()),
            Some(Inspected::Skeleton) => return Ok(export::skeleton::text(&schema()?).into()),
        };
        let file = |file: &OutputFile| ResultFile {
            path: file.path.clone(),
            text: String::from_utf8_lossy(&file.bytes()).into_owned(),
        };
        let files: Vec<ResultFile> = output.files.iter().map(file).collect();
        let kinds = output.files.iter().map(OutputFile::kind);
        let printed = files
            .iter()
            .zip(kinds)
            .filter(|(file, kind)| *kind == Kind::Yaml && !file.text.is_empty());
        let printed: Vec<&str> = printed.map(|(file, _)| file.text.as_str()).collect();
        let text = match options.output {
            // All documents stand in files, if any do: they need not be printed twice.
            Format::Yaml if !printed.is_empty() => printed.join("---\n").into_bytes(),
            Format::Yaml => yaml::print(&output.documents),
            Format::Json => yaml::print_json(&output.documents).map_err(render::unprintable)?,
            Format::Pos => yaml::print_positions(&output.documents),
        };
        let documents = output.documents.items.iter();
        Ok(Rendering {
            text: String::from_utf8_lossy(&text).into_owned(),
            documents: documents
                .map(|document| Document::from(&document.value))
                .collect(),
            files,
            ..Rendering::default()
        })
    }

    fn request(&self) -> Request {
        Request {
            files: self.files.clone(),
            ready: Some(self.ready.clone()),
            ..Request::default()
        }
    }
}

/// Holds the files of packages, `FAMILY/VERSION/NAME/PATH`: what `templates.json` beside the engine has.
///
/// # Errors
/// They are not an array of files.
#[wasm_bindgen(js_name = "loadTemplates")]
pub fn load_templates(files: JsFiles) -> Result<(), JsError> {
    let files: Vec<InputFile> = read(&files).map_err(|report| thrown(&report))?;
    templates::load(files.into_iter().map(InputFile::into_parts).collect());
    Ok(())
}

/// The packages that the engine holds.
#[wasm_bindgen]
pub fn packages() -> JsPackages {
    give(&templates::packages()).into()
}

fn reading(values: &str) -> Result<String, Report> {
    let read = render::render(&Request {
        values: RenderOptions::of_values(values).flags(),
        inspect: Inspect::Values,
        ..Request::default()
    })?;
    let document = read.documents.items.into_iter().next();
    let value = document.map_or_else(|| Value::map([]), |document| document.value);
    let mut json = String::new();
    write(&value, &mut json)?;
    Ok(json)
}

/// Reads data values, plain YAML as `--data-values-file -` takes it, for a form to show.
#[wasm_bindgen]
pub fn read_values(values: &str) -> JsReading {
    let reading = match reading(values) {
        Ok(json) => Reading {
            json: Some(json),
            error: String::new(),
        },
        Err(report) => Reading {
            json: None,
            error: report.layout(PROGRAM),
        },
    };
    give(&reading).into()
}

/// Writes data values with the comments that stand in another text of theirs; what is no YAML stays as it is.
#[wasm_bindgen]
pub fn rewrite_values(commented: &str, values: &str) -> JsRewriting {
    let source = |text: &str| Source::file(STANDARD_INPUT, text);
    let rewriting = match yaml::rewrite(&source(commented), &source(values)) {
        Ok(rewritten) => Rewriting {
            text: String::from_utf8_lossy(&rewritten.text).into_owned(),
            lost: rewritten.lost,
        },
        Err(_) => Rewriting {
            text: values.to_owned(),
            lost: 0,
        },
    };
    give(&rewriting).into()
}

#[derive(Serialize)]
struct Rewriting {
    text: String,
    lost: usize,
}

#[derive(Serialize)]
struct Reading {
    json: Option<String>,
    error: String,
}

/// A value as JSON as it is written: keys in their order, and floats with their point, which Go's JSON does not keep.
fn write(value: &Value, out: &mut String) -> Result<(), Report> {
    match value {
        Value::Map(map) => {
            out.push('{');
            for (index, item) in map.items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                if item.key.as_str().is_none() {
                    return Err(Report::new("a form's keys are text"));
                }
                write(&item.key, out)?;
                out.push(':');
                write(&item.value, out)?;
            }
            out.push('}');
        }
        Value::Array(array) => {
            out.push('[');
            for (index, item) in array.items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(&item.value, out)?;
            }
            out.push(']');
        }
        Value::Float(value) if value.is_finite() => out.push_str(&format!("{value:?}")),
        Value::Float(_) => return Err(Report::new("a form has no word for this number")),
        scalar => {
            let json = yaml::json_value(scalar, 0, false).map_err(Report::new)?;
            out.push_str(&String::from_utf8_lossy(&json));
        }
    }
    Ok(())
}
