//! Libraries as values of the language: given data values and schemas, evaluated, asked for what they export.

use super::execution::Execution;
use super::loader::Evaluator;
use super::{Evaluation, Options, Place, Session};
use crate::diagnostic::Report;
use crate::modules::{bool_argument, function, named_error, string_argument};
use crate::overlay;
use crate::position::Position;
use crate::schema::Schema;
use crate::script::{Args, Error, Interp, Module, Result, Value};
use crate::template::convert::{place_nodes, place_nodes_in_memory};
use crate::template::{Fragment, NOT_PLAIN, NodeRef, has_templating, to_struct, to_yaml};
use crate::values::{Envelope, LibraryRef, SchemaEnvelope};
use crate::yaml;
use crate::yaml::node::{Document, Meta};
use std::rc::Rc;

/// A library with what was given to it so far. Immutable: each gift makes another.
#[derive(Clone)]
struct Instance {
    name: LibraryRef,
    values: Vec<Rc<Envelope>>,
    schemas: Vec<Rc<SchemaEnvelope>>,
    place: Place,
    session: Rc<Session>,
    options: Options,
    skip_validation: bool,
}

/// `library.get(path, alias=, ...)` in a file at `place`.
///
/// # Errors
/// The arguments are wrong, or there is no such library.
pub fn get(evaluator: &Rc<Evaluator>, place: &Place, args: Args) -> Result<Value> {
    let [path] = args.positional.as_slice() else {
        return Err(Error::new("expected exactly one argument"));
    };
    let path = string_argument(path)?;
    let mut alias = String::new();
    let mut options = evaluator.options;
    let mut skip_validation = evaluator.skip_validation;
    for (name, value) in &args.named {
        match &*name.to_text() {
            "alias" => alias = string_argument(value)?,
            "ignore_unknown_comments" => options.ignore_unknown_comments = bool_argument(value)?,
            "implicit_map_key_overrides" => {
                options.implicit_map_key_overrides = bool_argument(value)?
            }
            "strict" => options.strict = bool_argument(value)?,
            "dangerous_data_values_disable_validation" => skip_validation |= bool_argument(value)?,
            name => return Err(Error::new(format!("Unexpected kwarg '{name}'"))),
        }
    }
    if path.starts_with('@') {
        return Err(Error::new(format!(
            "Expected library '{path}' to be specified without '@'"
        )));
    }
    let folder = place.current.private_library(&path).map_err(Error::new)?;
    let instance = Instance {
        name: LibraryRef { path, alias },
        values: evaluator.library_values.clone(),
        schemas: evaluator.library_schemas.clone(),
        place: Place {
            current: folder.clone(),
            root: folder,
        },
        session: evaluator.session.clone(),
        options,
        skip_validation,
    };
    Ok(instance.into_value())
}

impl Instance {
    fn into_value(self) -> Value {
        let evaluating = format!("Evaluating library '{}'", self.name);
        let exporting = format!("Exporting from library '{}'", self.name);
        let shared = Rc::new(self);
        let method =
            |name: &'static str,
             context: Option<String>,
             body: fn(&Instance, &mut Interp, Args) -> Result<Value>| {
                let instance = shared.clone();
                function(name, move |interp, args| {
                    let result = body(&instance, interp, args);
                    result.map_err(|error| match &context {
                        Some(context) => named_error(context, &error),
                        None => error,
                    })
                })
            };
        Module::new(
            "library",
            vec![
                (
                    "with_data_values",
                    method("library.with_data_values", None, Instance::with_data_values),
                ),
                (
                    "with_data_values_schema",
                    method(
                        "library.with_data_values_schema",
                        None,
                        Instance::with_data_values_schema,
                    ),
                ),
                (
                    "eval",
                    method("library.eval", Some(evaluating), Instance::eval),
                ),
                (
                    "export",
                    method("library.export", Some(exporting.clone()), Instance::export),
                ),
                (
                    "data_values",
                    method(
                        "library.data_values",
                        Some(exporting),
                        Instance::data_values,
                    ),
                ),
            ],
        )
    }

    fn with_data_values(&self, _interp: &mut Interp, args: Args) -> Result<Value> {
        let [value] = args.positional.as_slice() else {
            return Err(Error::new("expected exactly one argument"));
        };
        let mut value = to_yaml(value)?;
        let mut plain = false;
        if let Some((name, _)) = args.named.iter().find(|(name, _)| *name != "plain") {
            return Err(Error::new(format!(
                "invalid argument name: {}",
                name.to_text()
            )));
        }
        if let Some((_, value)) = args.named.first() {
            plain = bool_argument(value)?;
        }
        place_nodes_in_memory(&mut value);
        let mut document = Document {
            value,
            ..Document::default()
        };
        if plain {
            if has_templating(NodeRef::of(&document.value)) {
                return Err(Error::new(NOT_PLAIN));
            }
            overlay::annotate_plain_merge(&mut document);
        }
        let envelope = Envelope::new(document).map_err(|report| self.session.to_error(report))?;
        let mut with = self.clone();
        with.values.push(Rc::new(envelope));
        Ok(with.into_value())
    }

    fn with_data_values_schema(&self, interp: &mut Interp, args: Args) -> Result<Value> {
        let [value] = args.positional.as_slice() else {
            return Err(Error::new("expected exactly one argument"));
        };
        let mut value = to_yaml(value)?;
        place_nodes(&mut value, &Position::unknown());
        let document = Document {
            value,
            meta: Meta::default(),
            injected: false,
        };
        let envelope = SchemaEnvelope::new(interp, document)
            .map_err(|report| self.session.to_error(report))?;
        let mut with = self.clone();
        with.schemas.push(Rc::new(envelope));
        Ok(with.into_value())
    }

    fn eval(&self, interp: &mut Interp, args: Args) -> Result<Value> {
        if !args.positional.is_empty() {
            return Err(Error::new("expected no arguments"));
        }
        let evaluation = self
            .evaluate(interp)
            .map_err(|report| self.session.to_error(report))?;
        Ok(Value::host(Fragment::new(yaml::Value::Documents(Rc::new(
            evaluation.documents,
        )))))
    }

    fn data_values(&self, interp: &mut Interp, args: Args) -> Result<Value> {
        if !args.positional.is_empty() {
            return Err(Error::new("expected no arguments"));
        }
        let execution = self.execution();
        let to_error = |report| self.session.to_error(report);
        let (schema, _) = self.schemas(interp, &execution).map_err(to_error)?;
        let (document, _) = self.values(interp, &execution, &schema).map_err(to_error)?;
        to_struct(&document.value)
    }

    fn export(&self, interp: &mut Interp, args: Args) -> Result<Value> {
        let [name] = args.positional.as_slice() else {
            return Err(Error::new("expected exactly one argument"));
        };
        let name = string_argument(name)?;
        let mut path = String::new();
        for (key, value) in &args.named {
            match &*key.to_text() {
                "path" => path = string_argument(value)?,
                key => return Err(Error::new(format!("Unexpected keyword argument '{key}'"))),
            }
        }
        if name.starts_with('_') {
            return Err(Error::new(
                "Symbols starting with '_' are private, and cannot be exported",
            ));
        }
        let evaluation = self
            .evaluate(interp)
            .map_err(|report| self.session.to_error(report))?;
        let found = evaluation
            .exports
            .iter()
            .filter(|export| path.is_empty() || export.path == path);
        let found: Vec<(&str, &Value)> = found
            .filter_map(|export| Some((export.path.as_str(), export.globals.get(&name)?)))
            .collect();
        match found.as_slice() {
            [] => Err(Error::new(format!(
                "Expected to find exported symbol '{name}', but did not"
            ))),
            [(_, value)] => Ok((*value).clone()),
            several => {
                let paths: Vec<&str> = several.iter().map(|(path, _)| *path).collect();
                Err(Error::new(format!(
                    "Expected to find exactly one exported symbol '{name}', but found multiple across files: {}",
                    paths.join(", ")
                )))
            }
        }
    }

    fn execution(&self) -> Execution {
        Execution::new(
            self.session.clone(),
            self.place.clone(),
            self.options,
            self.skip_validation,
        )
    }

    fn evaluate(&self, interp: &mut Interp) -> Result<Evaluation, Report> {
        let execution = self.execution();
        let (schema, library_schemas) = self.schemas(interp, &execution)?;
        let (document, library_values) = self.values(interp, &execution, &schema)?;
        execution.evaluate(interp, document.value, library_values, library_schemas)
    }

    /// The library's schema, and those for the libraries within it.
    fn schemas(
        &self,
        interp: &mut Interp,
        execution: &Execution,
    ) -> Result<(Schema, Vec<Rc<SchemaEnvelope>>), Report> {
        let (mut own, mut inner) = (Vec::new(), Vec::new());
        for envelope in &self.schemas {
            if let Some(received) = envelope.receive(&self.name) {
                if received.is_addressed() {
                    inner.push(Rc::new(received))
                } else {
                    own.push(Rc::new(received))
                }
            }
        }
        let (schema, mut found) = execution.schemas(interp, own)?;
        found.extend(inner);
        Ok((schema, found))
    }

    /// The library's data values, and those for the libraries within it.
    fn values(
        &self,
        interp: &mut Interp,
        execution: &Execution,
        schema: &Schema,
    ) -> Result<(Document, Vec<Rc<Envelope>>), Report> {
        let (mut own, mut after, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        for envelope in &self.values {
            if let Some(received) = envelope.receive(&self.name) {
                let list = match (received.is_addressed(), received.after_library_module) {
                    (true, _) => &mut inner,
                    (false, true) => &mut after,
                    (false, false) => &mut own,
                };
                list.push(Rc::new(received));
            }
        }
        own.extend(after);
        let (document, mut found) = execution.values(interp, own, schema)?;
        // What the parent says stands above what the library itself says.
        found.extend(inner);
        Ok((document, found))
    }
}
