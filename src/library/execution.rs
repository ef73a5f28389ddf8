//! Evaluates a library (or the input as a whole): schema, data values, templates, overlays.

use super::loader::Evaluator;
use super::tree::{Found, Input};
use super::{Options, Place, Session};
use crate::diagnostic::Report;
use crate::files::{Content, Kind, OutputFile};
use crate::order;
use crate::overlay;
use crate::schema::{self, Schema};
use crate::script::{Globals, Interp};
use crate::template::extract_documents;
use crate::values::{self, Envelope, SchemaEnvelope};
use crate::yaml;
use crate::yaml::node::{Document, DocumentSet, Map};
use memchr::memmem;
use std::rc::Rc;

/// An annotation of documents that are data values.
const DATA_VALUES: &str = "data/values";

/// An annotation of documents that are schemas of data values.
const DATA_VALUES_SCHEMA: &str = "data/values-schema";

/// An annotation of documents that are overlays.
const OVERLAY_MATCH: &str = "overlay/match";

/// A library about to be evaluated.
pub struct Execution {
    session: Rc<Session>,
    place: Place,
    options: Options,
    skip_validation: bool,
}

/// What a library came to.
pub struct Evaluation {
    /// All documents, in the order of files.
    pub documents: DocumentSet,
    /// Texts, then documents, by file.
    pub files: Vec<OutputFile>,
    /// What the files define that others may load.
    pub exports: Vec<Export>,
}

/// What one file defines.
pub struct Export {
    /// Its path in the library.
    pub path: String,
    /// Names and values.
    pub globals: Rc<Globals>,
}

impl Execution {
    /// An execution of the files at `place`.
    pub fn new(
        session: Rc<Session>,
        place: Place,
        options: Options,
        skip_validation: bool,
    ) -> Execution {
        Execution {
            session,
            place,
            options,
            skip_validation,
        }
    }

    /// The schema: that of the files, overlaid with `overlays`; and the schemas meant for libraries within.
    ///
    /// # Errors
    /// A file or a schema is wrong.
    pub fn schemas(
        &self,
        interp: &mut Interp,
        overlays: Vec<Rc<SchemaEnvelope>>,
    ) -> Result<(Schema, Vec<Rc<SchemaEnvelope>>), Report> {
        let files = self.files_with(DATA_VALUES_SCHEMA)?;
        let described = describe(
            &files,
            (!overlays.is_empty()).then_some("additional data value schema"),
        );
        let result = self
            .collect_schemas(interp, &files, overlays)
            .and_then(|all| values::merge_schema(interp, all));
        result.map_err(|report| {
            let text = format!("Overlaying data values schema (in following order: {described})");
            self.session.with_cause(report.context(text))
        })
    }

    fn collect_schemas(
        &self,
        interp: &mut Interp,
        files: &[Found],
        overlays: Vec<Rc<SchemaEnvelope>>,
    ) -> Result<Vec<Rc<SchemaEnvelope>>, Report> {
        let evaluator = self.evaluator_without_values();
        let mut all = Vec::new();
        for found in files {
            for document in
                self.annotated_documents(interp, &evaluator, found, DATA_VALUES_SCHEMA)?
            {
                all.push(Rc::new(SchemaEnvelope::new(interp, document)?));
            }
        }
        all.extend(overlays);
        Ok(all)
    }

    /// The data values: defaults of the schema, then those of the files, then `overlays`; validated. And the data values
    /// meant for libraries within.
    ///
    /// # Errors
    /// A file is wrong, or the data values do not fit the schema or its rules.
    pub fn values(
        &self,
        interp: &mut Interp,
        overlays: Vec<Rc<Envelope>>,
        schema: &Schema,
    ) -> Result<(Document, Vec<Rc<Envelope>>), Report> {
        let files = self.files_with(DATA_VALUES)?;
        let described = describe(
            &files,
            (!overlays.is_empty()).then_some("additional data values"),
        );
        let result = self
            .collect_values(interp, &files, overlays, schema)
            .and_then(|all| values::merge(interp, schema, all));
        let (mut document, inner) = result.map_err(|report| {
            let text = format!("Overlaying data values (in following order: {described})");
            self.session.with_cause(report.context(text))
        })?;
        if !self.skip_validation {
            schema::rules::attach_asserts(interp, &mut document)
                .and_then(|()| schema::rules::validate(interp, &document))
                .map_err(|report| {
                    report.map_text(|text| format!("Validating final data values:\n{text}"))
                })?;
        }
        Ok((document, inner))
    }

    fn collect_values(
        &self,
        interp: &mut Interp,
        files: &[Found],
        overlays: Vec<Rc<Envelope>>,
        schema: &Schema,
    ) -> Result<Vec<Rc<Envelope>>, Report> {
        let evaluator = self.evaluator_without_values();
        let mut all = Vec::new();
        if let Some(defaults) = schema.default_document() {
            all.push(Rc::new(Envelope::new(defaults)?));
        }
        for found in files {
            for document in self.annotated_documents(interp, &evaluator, found, DATA_VALUES)? {
                all.push(Rc::new(Envelope::new(document)?));
            }
        }
        all.extend(overlays);
        Ok(all)
    }

    /// Evaluates all templates with these data values, and applies the overlays among what they give.
    ///
    /// # Errors
    /// A template or an overlay fails, or something meant for a library within reached none.
    pub fn evaluate(
        &self,
        interp: &mut Interp,
        values: yaml::Value,
        library_values: Vec<Rc<Envelope>>,
        library_schemas: Vec<Rc<SchemaEnvelope>>,
    ) -> Result<Evaluation, Report> {
        let evaluator = Rc::new(Evaluator::new(
            self.session.clone(),
            self.options,
            self.skip_validation,
            values,
            library_values,
            library_schemas,
        ));
        let mut evaluation = Evaluation {
            documents: DocumentSet::default(),
            files: Vec::new(),
            exports: Vec::new(),
        };
        let mut rendered: Vec<(Found, DocumentSet)> = Vec::new();
        for found in self.place.current.accessible_files() {
            let input = &found.input;
            let kind = input.file().kind();
            if input.for_output.get() {
                match kind {
                    Kind::Yaml => {
                        let (_, documents) =
                            evaluator.yaml(interp, self.place_of(&found), input)?;
                        rendered.push((found, documents));
                    }
                    Kind::Text => {
                        let (_, bytes) = evaluator.text(interp, self.place_of(&found), input)?;
                        evaluation.files.push(OutputFile {
                            path: found.path,
                            content: Content::Text(bytes),
                        });
                    }
                    Kind::Starlark | Kind::Data => return Err(Report::new("Unknown file type")),
                }
            } else if input.file().is_library() {
                let place = self.place_of(&found);
                let globals = match kind {
                    Kind::Yaml => evaluator.yaml(interp, place, input)?.0,
                    Kind::Text => evaluator.text(interp, place, input)?.0,
                    Kind::Starlark => evaluator.starlark(interp, place, input)?,
                    Kind::Data => continue,
                };
                evaluation.exports.push(Export {
                    path: found.path,
                    globals: Rc::new(globals),
                });
            }
        }
        values::check_all_used(&evaluator.library_values, &evaluator.library_schemas)?;

        order::sort_by(&mut rendered, |(a, _), (b, _)| {
            a.input.order.cmp(&b.input.order)
        });
        for (found, documents) in self.apply_overlays(interp, rendered)? {
            evaluation
                .documents
                .items
                .extend(documents.items.iter().cloned());
            evaluation.files.push(OutputFile {
                path: found.path,
                content: Content::Documents(documents),
            });
        }
        Ok(evaluation)
    }

    /// Takes the overlays out and applies them to the other documents; files that keep no document are dropped.
    fn apply_overlays(
        &self,
        interp: &mut Interp,
        rendered: Vec<(Found, DocumentSet)>,
    ) -> Result<Vec<(Found, DocumentSet)>, Report> {
        let mut overlays = Vec::new();
        let mut overlay_files: Vec<String> = Vec::new();
        let (mut files, mut targets) = (Vec::new(), Vec::new());
        for (found, mut documents) in rendered {
            let before = overlays.len();
            let mut kept = Vec::with_capacity(documents.items.len());
            for document in documents.items {
                if document.meta.annotation(OVERLAY_MATCH).is_some() {
                    overlays.push(document);
                } else if !document.is_empty() {
                    kept.push(document);
                }
            }
            if overlays.len() > before {
                overlay_files.push(found.input.path().to_owned());
            }
            if !kept.is_empty() {
                documents.items = kept;
                files.push(found);
                targets.push(documents);
            }
        }
        let targets = overlay::apply_documents(interp, targets, overlays).map_err(|error| {
            let text = format!(
                "Overlaying (in following order: {})",
                overlay_files.join(", ")
            );
            self.session
                .with_cause(overlay::report(&error).context(text))
        })?;
        Ok(files.into_iter().zip(targets).collect())
    }

    /// The documents of a file that bear this annotation; no others may stand beside them.
    fn annotated_documents(
        &self,
        interp: &mut Interp,
        evaluator: &Rc<Evaluator>,
        found: &Found,
        annotation: &str,
    ) -> Result<Vec<Document>, Report> {
        let path = found.input.path();
        let documents = evaluator
            .yaml(interp, self.place_of(found), &found.input)
            .and_then(|(_, documents)| {
                let (with, without) =
                    extract_documents(&documents, annotation).map_err(|fault| fault.report(""))?;
                if without.iter().any(|document| !document.is_empty()) {
                    return Err(Report::new(match annotation {
                        DATA_VALUES => format!(
                            "Expected data values file '{path}' to only have data values documents"
                        ),
                        _ => format!("Expected schema file '{path}' to only have schema documents"),
                    }));
                }
                Ok(with.into_iter().cloned().collect())
            });
        documents.map_err(|report| report.context(format!("Templating file '{path}'")))
    }

    /// The files with such documents, in the order in which the user named them. Their results are not for output.
    fn files_with(&self, annotation: &str) -> Result<Vec<Found>, Report> {
        let mut files = Vec::new();
        for found in self.place.current.accessible_files() {
            if !found.input.is_template_of(Kind::Yaml) {
                continue;
            }
            let documents = found.input.documents(self.options.strict)?;
            // A text that does not say the word has no such document.
            if memmem::find(&found.input.file().source()?.text, annotation.as_bytes()).is_none() {
                continue;
            }
            let (with, _) =
                extract_documents(&documents, annotation).map_err(|fault| fault.report(""))?;
            if !with.is_empty() {
                found.input.for_output.set(false);
                files.push(found);
            }
        }
        order::sort_by(&mut files, |a, b| a.input.order.cmp(&b.input.order));
        Ok(files)
    }

    fn place_of(&self, found: &Found) -> Place {
        Place {
            current: found.folder.clone(),
            root: self.place.root.clone(),
        }
    }

    /// Data values themselves see none.
    fn evaluator_without_values(&self) -> Rc<Evaluator> {
        let nothing = yaml::Value::Map(Rc::new(Map::default()));
        let session = self.session.clone();
        Rc::new(Evaluator::new(
            session,
            self.options,
            self.skip_validation,
            nothing,
            Vec::new(),
            Vec::new(),
        ))
    }
}

fn describe(files: &[Found], more: Option<&str>) -> String {
    let paths = files.iter().map(|found| found.input.path());
    paths.chain(more).collect::<Vec<&str>>().join(", ")
}

/// Paths of the files that a render would look at, in order.
pub fn accessible_paths(place: &Place) -> Vec<String> {
    let mut found: Vec<Rc<Input>> = place
        .current
        .accessible_files()
        .into_iter()
        .map(|found| found.input)
        .collect();
    order::sort_by(&mut found, |a, b| a.order.cmp(&b.order));
    found.iter().map(|input| input.path().to_owned()).collect()
}
