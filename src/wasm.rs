//! The door to JavaScript: wraps and converts, nothing else.
//!
//! Values cross as JSON, once each way, so that one conversion serves every shape.

use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::files::File;
use crate::position::Position;
use crate::render::{self, Request};
use crate::schema::export;
use crate::script::Limits;
use crate::templates;
use crate::values::Flags;
use crate::values::flags::ValuesFile;
use crate::yaml::{self, Value};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A package that the engine holds. */
export interface Package { name: string; title: string; version: string }
/** Where something stands: a file and a line from 1. */
export interface Place { file: string; line?: number }
/** One thing that is wrong, in the command line's words. */
export interface Diagnostic {
  severity: 'error' | 'warning';
  message: string;
  /** The data value it belongs to, outermost key first. */
  path: string[];
  origin?: Place;
  rule?: Place;
  found?: string;
  expected?: string;
  hints: string[];
}
/** One rendered document: its kind and name if it has them. */
export interface RenderedDocument { kind?: string; name?: string }
/** What a render gave: `text` is what the command line prints, `error` what it says if it fails. */
export interface Rendering { text: string; documents: RenderedDocument[]; error: string; diagnostics: Diagnostic[] }
/** A file for a session. */
export interface InputFile { path: string; data: string }
"#;

#[wasm_bindgen]
extern "C" {
    /// `Rendering` of the types above.
    #[wasm_bindgen(typescript_type = "Rendering")]
    pub type JsRendering;
    /// `Package[]` of the types above.
    #[wasm_bindgen(typescript_type = "Package[]")]
    pub type JsPackages;
    /// `InputFile[]` of the types above.
    #[wasm_bindgen(typescript_type = "InputFile[]")]
    pub type JsFiles;
}

/// A page's share of what the command line allows: a template must not freeze it.
fn limits() -> Limits {
    Limits {
        steps: 200_000_000,
        call_depth: 5_000,
        native_depth: 50,
        memory: 128 << 20,
        interrupted: None,
    }
}

/// Some files that are rendered again and again with other values.
#[wasm_bindgen]
pub struct Session {
    files: Vec<File>,
}

#[wasm_bindgen]
impl Session {
    /// Opens a package that the engine holds: `pinniped/supervisor`.
    ///
    /// # Errors
    /// There is no such package.
    pub fn open_package(name: &str) -> Result<Session, JsError> {
        let files = templates::files(name).map_err(|report| JsError::new(report.text()))?;
        Ok(Session { files })
    }

    /// Opens files, an array of `{ path, data }`, in the order in which they are to be rendered.
    ///
    /// # Errors
    /// It is not such an array.
    pub fn open_files(files: JsFiles) -> Result<Session, JsError> {
        #[derive(Deserialize)]
        struct Input {
            path: String,
            data: String,
        }
        let text = js_sys::JSON::stringify(&files)
            .map_err(|_| JsError::new("expected an array of files"))?;
        let inputs: Vec<Input> = serde_json::from_str(&String::from(text))
            .map_err(|error| JsError::new(&error.to_string()))?;
        let file = |Input { path, data }| {
            let description = format!("file '{path}'");
            File::new(path, description, data)
        };
        Ok(Session {
            files: inputs.into_iter().map(file).collect(),
        })
    }

    /// Renders with these data values: plain YAML, as `--data-values-file -` takes it.
    pub fn render(&self, values: &str) -> JsRendering {
        let file = ValuesFile {
            library: String::new(),
            argument: "-".into(),
            path: "stdin.yml".into(),
            bytes: values.into(),
        };
        let request = Request {
            values: Flags {
                files: vec![file],
                ..Flags::default()
            },
            ..self.request()
        };
        let rendering = match render::render(&request) {
            Ok(output) => Rendering {
                text: String::from_utf8_lossy(&yaml::print(&output.documents)).into_owned(),
                documents: output
                    .documents
                    .items
                    .iter()
                    .map(|document| Document::from(&document.value))
                    .collect(),
                ..Rendering::default()
            },
            Err(report) => Rendering::from(&report),
        };
        to_js(&rendering).into()
    }

    /// The schema of the data values, as `--data-values-schema-inspect -o openapi-v3` prints it.
    ///
    /// # Errors
    /// The schema has a fault.
    pub fn schema(&self) -> Result<String, JsError> {
        let schema = render::schema(&self.request())
            .map_err(|report| JsError::new(&report.layout(PROGRAM)))?;
        let document = yaml::print_value(&export::openapi::document(&schema));
        Ok(String::from_utf8_lossy(&document).into_owned())
    }

    fn request(&self) -> Request {
        Request {
            files: self.files.clone(),
            limits: limits(),
            ..Request::default()
        }
    }
}

/// The name that errors begin with: the command line's.
const PROGRAM: &str = "haulout";

/// The packages that the engine holds.
#[wasm_bindgen]
pub fn packages() -> JsPackages {
    to_js(&templates::packages()).into()
}

#[derive(Default, Serialize)]
struct Rendering {
    text: String,
    documents: Vec<Document>,
    error: String,
    diagnostics: Vec<Finding>,
}

impl From<&Report> for Rendering {
    fn from(report: &Report) -> Rendering {
        Rendering {
            error: report.layout(PROGRAM),
            diagnostics: report.diagnostics().iter().map(Finding::from).collect(),
            ..Rendering::default()
        }
    }
}

#[derive(Serialize)]
struct Document {
    kind: Option<String>,
    name: Option<String>,
}

impl From<&Value> for Document {
    fn from(value: &Value) -> Document {
        let word =
            |value: &Value, key: &str| Some(value.as_map()?.get(key)?.value.as_str()?.to_owned());
        let metadata = value.as_map().and_then(|map| map.get("metadata"));
        Document {
            kind: word(value, "kind"),
            name: metadata.and_then(|metadata| word(&metadata.value, "name")),
        }
    }
}

#[derive(Serialize)]
struct Finding {
    severity: &'static str,
    message: String,
    path: Vec<String>,
    origin: Option<Place>,
    rule: Option<Place>,
    found: Option<String>,
    expected: Option<String>,
    hints: Vec<String>,
}

impl From<&Diagnostic> for Finding {
    fn from(diagnostic: &Diagnostic) -> Finding {
        let diagnostic = diagnostic.clone();
        Finding {
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: diagnostic.message,
            path: diagnostic.path,
            origin: Place::of(&diagnostic.origin),
            rule: Place::of(&diagnostic.rule),
            found: diagnostic.found,
            expected: diagnostic.expected,
            hints: diagnostic.hints,
        }
    }
}

#[derive(Serialize)]
struct Place {
    file: String,
    line: Option<u32>,
}

impl Place {
    fn of(position: &Position) -> Option<Place> {
        let source = position.source()?;
        Some(Place {
            file: source.name.clone(),
            line: position.line(),
        })
    }
}

fn to_js(value: &impl Serialize) -> JsValue {
    let text = serde_json::to_string(value).ok();
    text.and_then(|text| js_sys::JSON::parse(&text).ok())
        .unwrap_or(JsValue::UNDEFINED)
}
