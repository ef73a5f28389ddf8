//! The door to JavaScript: wraps and converts, nothing else.
//!
//! Values cross as JSON, once each way, so that one conversion serves every shape.

use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::files::{File, OutputFile, apply_marks};
use crate::position::{Position, Source};
use crate::render::{self, Inspect, Options, Output, Request};
use crate::schema::export;
use crate::script::Limits;
use crate::templates;
use crate::values::Flags;
use crate::values::flags::{EnvPrefix, FileValue, KeyValue, Kind, ValuesFile, split_library};
use crate::yaml::{self, Value};
use serde::ser::{Error as _, SerializeMap};
use serde::{Deserialize, Serialize, Serializer};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsCast;
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
export interface Rendering {
  text: string;
  documents: RenderedDocument[];
  /** What `--output-files` would write. */
  files: OutputFile[];
  /** What templates print. */
  printed: string;
  error: string;
  diagnostics: Diagnostic[];
}
/** Where each line of a rendering's text came from: an index of `files` and a line from 1; `[-1, 0]` is nowhere. */
export interface Origins { files: string[]; lines: [file: number, line: number][] }
/** Data values as they were read: as JSON, keys in their order and floats with their point, or what is wrong. */
export interface Reading { json?: string; error: string }
/** Data values with the comments of another text; `lost` comments have nothing to stand at any more. */
export interface Rewriting { text: string; lost: number }
/** A file for a session. */
export interface InputFile { path: string; data: string | Uint8Array }
/** A file of a result. */
export interface OutputFile { path: string; text: string }
/** What to render and how: the command line's flags. */
export interface RenderOptions {
  /** Plain YAML of data values, as `--data-values-file -` takes it. */
  values?: string;
  /** `--data-values-file`; a name is what messages call the file. */
  dataValuesFiles?: { name: string; data: string }[];
  /** `--data-value`, each `key=text`. */
  dataValues?: string[];
  /** `--data-value-yaml`, each `key=YAML`. */
  dataValuesYaml?: string[];
  /** `--data-value-file` with the content in place of the path. */
  dataValueFiles?: { key: string; path: string; data: string }[];
  /** `--data-values-env`: prefixes of `environment`. */
  dataValuesEnv?: string[];
  /** `--data-values-env-yaml` */
  dataValuesEnvYaml?: string[];
  /** Variables that the two above are looked up in. */
  environment?: Record<string, string>;
  /** `--file-mark` */
  fileMarks?: string[];
  strict?: boolean;
  ignoreUnknownComments?: boolean;
  implicitMapKeyOverrides?: boolean;
  /** `--dangerous-data-values-disable-validation` */
  skipValidation?: boolean;
  /** The final data values (`--data-values-inspect`), their schema in a form, or the paths of the files (`--files-inspect`), in place of the documents. */
  inspect?: 'values' | 'files' | 'openapi-v3' | 'json-schema' | 'markdown' | 'skeleton';
  /** `-o` */
  output?: 'yaml' | 'json' | 'pos';
}
/** A field of a form: what `Session.form` gives. See `src/schema/export/form.rs`. */
export interface FormField {
  key?: string;
  type: 'map' | 'array' | 'string' | 'integer' | 'float' | 'boolean' | 'any';
  nullable?: boolean;
  title?: string;
  description?: string;
  deprecated?: string;
  default: unknown;
  yaml: string;
  examples?: { description: string; value: unknown; yaml: string }[];
  rules?: string[];
  conditional?: boolean;
  choices?: unknown[];
  not_null?: boolean;
  min?: unknown;
  max?: unknown;
  min_len?: number;
  max_len?: number;
  fields?: FormField[];
  item?: FormField;
  file?: string;
  line?: number;
}
/** The form of a session's data values: `declared` is false if it is guessed from the defaults, for want of a schema. */
export interface Form { declared: boolean; root: FormField }
"#;

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
    /// `Rewriting` of the types above.
    #[wasm_bindgen(typescript_type = "Rewriting")]
    pub type JsRewriting;
    /// `Origins` of the types above.
    #[wasm_bindgen(typescript_type = "Origins")]
    pub type JsOrigins;
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
        let wrong = || {
            JsError::new("expected an array of files: { path: string, data: string | Uint8Array }")
        };
        let items: JsValue = files.into();
        let items = items.dyn_into::<js_sys::Array>().map_err(|_| wrong())?;
        let mut files = Vec::new();
        for item in items.iter() {
            let get = |name: &str| js_sys::Reflect::get(&item, &name.into()).map_err(|_| wrong());
            let path = get("path")?.as_string().ok_or_else(wrong)?;
            let data = get("data")?;
            let bytes = match (data.as_string(), data.dyn_into::<js_sys::Uint8Array>()) {
                (Some(text), _) => text.into_bytes(),
                (None, Ok(bytes)) => bytes.to_vec(),
                (None, Err(_)) => return Err(wrong()),
            };
            let description = format!("file '{path}'");
            files.push(File::new(path, description, bytes));
        }
        Ok(Session { files })
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
        let text =
            js_sys::JSON::stringify(&options).map_err(|_| JsError::new("expected options"))?;
        let options = serde_json::from_str(&String::from(text))
            .map_err(|error| JsError::new(&error.to_string()))?;
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
        to_js(&origins).into()
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
        let failed = |report: Report| JsError::new(&report.layout(PROGRAM));
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
        let text = yaml::json_value(&form, 0, false).map_err(|error| JsError::new(&error))?;
        let text = String::from_utf8_lossy(&text);
        let form = js_sys::JSON::parse(&text).map_err(|_| JsError::new("the form is no JSON"))?;
        Ok(form.into())
    }

    fn rendering(&self, options: RenderOptions) -> JsRendering {
        let printed = Rc::new(RefCell::new(String::new()));
        let mut rendering = match self.output(options, &printed) {
            Ok(rendering) => rendering,
            Err(report) => Rendering::from(&report),
        };
        rendering.printed = printed.take();
        to_js(&rendering).into()
    }

    fn output(
        &self,
        options: RenderOptions,
        printed: &Rc<RefCell<String>>,
    ) -> Result<Rendering, Report> {
        let sink = printed.clone();
        let request = Request {
            files: apply_marks(self.files.clone(), &options.file_marks)?,
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
        let text = match options.output {
            Format::Yaml => yaml::print(&output.documents),
            Format::Json => yaml::print_json(&output.documents).map_err(render::unprintable)?,
            Format::Pos => yaml::print_positions(&output.documents),
        };
        let documents = output.documents.items.iter();
        let file = |file: &OutputFile| ResultFile {
            path: file.path.clone(),
            text: String::from_utf8_lossy(&file.bytes()).into_owned(),
        };
        Ok(Rendering {
            text: String::from_utf8_lossy(&text).into_owned(),
            documents: documents
                .map(|document| Document::from(&document.value))
                .collect(),
            files: output.files.iter().map(file).collect(),
            ..Rendering::default()
        })
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

fn reading(values: &str) -> Result<String, Report> {
    let read = render::render(&Request {
        values: RenderOptions::of_values(values).flags(),
        inspect: Inspect::Values,
        limits: limits(),
        ..Request::default()
    })?;
    let document = read.documents.items.into_iter().next();
    let value = document.map_or_else(|| Value::map([]), |document| document.value);
    serde_json::to_string(&Written(&value)).map_err(|error| Report::new(error.to_string()))
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
    to_js(&reading).into()
}

/// Writes data values with the comments that stand in another text of theirs; what is no YAML stays as it is.
#[wasm_bindgen]
pub fn rewrite_values(commented: &str, values: &str) -> JsRewriting {
    let source = |text: &str| Source::file("stdin.yml", text);
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
    to_js(&rewriting).into()
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

/// A value as it is written, keys in their order: what Go's JSON does not keep.
struct Written<'a>(&'a Value);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => serializer.serialize_i64(*value),
            Value::Uint(value) => serializer.serialize_u64(*value),
            Value::Float(value) if value.is_finite() => serializer.serialize_f64(*value),
            Value::Float(_) => Err(S::Error::custom("a form has no word for this number")),
            Value::Str(text) => serializer.serialize_str(&String::from_utf8_lossy(text)),
            Value::Map(map) => {
                let mut entries = serializer.serialize_map(Some(map.items.len()))?;
                for item in &map.items {
                    let key = item.key.as_str();
                    let key = key.ok_or_else(|| S::Error::custom("a form's keys are text"))?;
                    entries.serialize_entry(&key, &Written(&item.value))?;
                }
                entries.end()
            }
            Value::Array(array) => {
                serializer.collect_seq(array.items.iter().map(|item| Written(&item.value)))
            }
            Value::Documents(set) => {
                serializer.collect_seq(set.items.iter().map(|item| Written(&item.value)))
            }
        }
    }
}

/// `RenderOptions` of the types above.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct RenderOptions {
    values: Option<String>,
    data_values_files: Vec<NamedText>,
    data_values: Vec<String>,
    data_values_yaml: Vec<String>,
    data_value_files: Vec<KeyedText>,
    data_values_env: Vec<String>,
    data_values_env_yaml: Vec<String>,
    environment: BTreeMap<String, String>,
    file_marks: Vec<String>,
    strict: bool,
    ignore_unknown_comments: bool,
    implicit_map_key_overrides: bool,
    skip_validation: bool,
    inspect: Option<Inspected>,
    output: Format,
}

#[derive(Deserialize)]
struct NamedText {
    name: String,
    data: String,
}

#[derive(Deserialize)]
struct KeyedText {
    key: String,
    path: String,
    data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Inspected {
    Values,
    Files,
    #[serde(rename = "openapi-v3")]
    OpenApi,
    JsonSchema,
    Markdown,
    Skeleton,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Yaml,
    Json,
    Pos,
}

impl RenderOptions {
    fn of_values(values: &str) -> RenderOptions {
        RenderOptions {
            values: Some(values.to_owned()),
            ..RenderOptions::default()
        }
    }

    fn flags(&self) -> Flags {
        let standard_input = self.values.as_ref().map(|text| ValuesFile {
            library: String::new(),
            argument: "-".into(),
            path: "stdin.yml".into(),
            bytes: text.clone().into(),
        });
        let files = self.data_values_files.iter().map(|file| {
            let (library, path) = split_library(&file.name).unwrap_or(("", &file.name));
            ValuesFile {
                library: library.to_owned(),
                argument: path.to_owned(),
                path: path.to_owned(),
                bytes: file.data.clone().into(),
            }
        });
        let prefixes = |kind: Kind, prefixes: &[String]| -> Vec<EnvPrefix> {
            let prefix = |prefix: &String| EnvPrefix {
                kind,
                prefix: prefix.clone(),
            };
            prefixes.iter().map(prefix).collect()
        };
        let values = |kind: Kind, arguments: &[String]| -> Vec<KeyValue> {
            let value = |argument: &String| KeyValue {
                kind,
                argument: argument.clone(),
            };
            arguments.iter().map(value).collect()
        };
        let file_values = self.data_value_files.iter().map(|file| FileValue {
            key: file.key.clone(),
            path: file.path.clone(),
            bytes: file.data.clone().into(),
        });
        Flags {
            files: files.chain(standard_input).collect(),
            env_prefixes: [
                prefixes(Kind::Text, &self.data_values_env),
                prefixes(Kind::Yaml, &self.data_values_env_yaml),
            ]
            .concat(),
            environment: self.environment.clone().into_iter().collect(),
            key_values: [
                values(Kind::Text, &self.data_values),
                values(Kind::Yaml, &self.data_values_yaml),
            ]
            .concat(),
            file_values: file_values.collect(),
        }
    }
}

#[derive(Default, Serialize)]
struct Rendering {
    text: String,
    documents: Vec<Document>,
    files: Vec<ResultFile>,
    printed: String,
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

impl From<String> for Rendering {
    fn from(text: String) -> Rendering {
        Rendering {
            text,
            ..Rendering::default()
        }
    }
}

#[derive(Default, Serialize)]
struct Origins {
    files: Vec<String>,
    lines: Vec<(i32, u32)>,
}

impl Origins {
    fn add(&mut self, position: &Position) {
        let Some(line) = position.line() else {
            return self.lines.push((-1, 0));
        };
        let file = position.file();
        let known = self.files.iter().position(|name| name == file);
        let index = known.unwrap_or_else(|| {
            self.files.push(file.to_owned());
            self.files.len() - 1
        });
        self.lines.push((index as i32, line));
    }
}

#[derive(Serialize)]
struct ResultFile {
    path: String,
    text: String,
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
