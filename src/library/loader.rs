//! Evaluates one file: finds its template, gives it what it loads, collects what it built.

use super::tree::{Folder, Found, Input};
use super::{Options, Place, Session, instance};
use crate::diagnostic::Report;
use crate::files::Kind;
use crate::hash;
use crate::modules::{self, ModuleContext};
use crate::script::{Args, Error, Globals, Interp, Loader, Result, Value};
use crate::template::convert::StructTemplate;
use crate::template::{self, Evaluated, NodeBuilder, Root, Template};
use crate::values::{Envelope, SchemaEnvelope};
use crate::yaml;
use crate::yaml::node::DocumentSet;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Files may load one another so deep.
const MAX_LOADS: usize = 100;

/// What the files of one library see while they are evaluated.
pub struct Evaluator {
    pub(super) session: Rc<Session>,
    pub(super) options: Options,
    pub(super) skip_validation: bool,
    /// Data values, and what they are for templates.
    values: yaml::Value,
    structs: OnceCell<Result<StructTemplate>>,
    /// Data values and schemas meant for libraries within.
    pub(super) library_values: Vec<Rc<Envelope>>,
    pub(super) library_schemas: Vec<Rc<SchemaEnvelope>>,
    /// Templates that ran, by the names that errors know them by.
    templates: RefCell<hash::Map<String, Rc<Template>>>,
}

impl Evaluator {
    /// An evaluator with these data values.
    pub fn new(
        session: Rc<Session>,
        options: Options,
        skip_validation: bool,
        values: yaml::Value,
        library_values: Vec<Rc<Envelope>>,
        library_schemas: Vec<Rc<SchemaEnvelope>>,
    ) -> Evaluator {
        Evaluator {
            session,
            options,
            skip_validation,
            values,
            structs: OnceCell::new(),
            library_values,
            library_schemas,
            templates: RefCell::default(),
        }
    }

    /// Evaluates a YAML file.
    ///
    /// # Errors
    /// It cannot be read as a template, or that fails.
    pub fn yaml(
        self: &Rc<Self>,
        interp: &mut Interp,
        place: Place,
        input: &Rc<Input>,
    ) -> Result<(Globals, DocumentSet), Report> {
        let Some(template) = input.yaml_template(self.options)? else {
            let mut documents = (*input.documents(self.options.strict)?).clone();
            documents.override_map_keys();
            return Ok((Globals::new(), documents));
        };
        let evaluated = self.run(interp, place, input, template)?;
        let documents = match evaluated.root {
            Root::Value(yaml::Value::Documents(documents), _) => Rc::unwrap_or_clone(documents),
            _ => DocumentSet::default(),
        };
        Ok((evaluated.globals, documents))
    }

    /// Evaluates a text file.
    ///
    /// # Errors
    /// It cannot be read as a template, or that fails.
    pub fn text(
        self: &Rc<Self>,
        interp: &mut Interp,
        place: Place,
        input: &Rc<Input>,
    ) -> Result<(Globals, Vec<u8>), Report> {
        let Some(template) = input.text_template()? else {
            return Ok((Globals::new(), input.file().source()?.text.clone()));
        };
        let evaluated = self
            .run(interp, place, input, template)
            .map_err(|report| report.context("Evaluating text template"))?;
        let text = match evaluated.root {
            Root::Text(text) => text.to_vec(),
            _ => Vec::new(),
        };
        Ok((evaluated.globals, text))
    }

    /// Evaluates a file of the language.
    ///
    /// # Errors
    /// It is no program, or it fails.
    pub fn starlark(
        self: &Rc<Self>,
        interp: &mut Interp,
        place: Place,
        input: &Rc<Input>,
    ) -> Result<Globals, Report> {
        let template = input.starlark_template()?;
        let evaluated = self
            .run(interp, place, input, template)
            .map_err(|report| report.context("Evaluating starlark template"))?;
        Ok(evaluated.globals)
    }

    fn run(
        self: &Rc<Self>,
        interp: &mut Interp,
        place: Place,
        input: &Rc<Input>,
        template: Rc<Template>,
    ) -> Result<Evaluated, Report> {
        self.templates
            .borrow_mut()
            .insert(input.path().to_owned(), template.clone());
        let builder = Rc::new(NodeBuilder::new(
            template.clone(),
            self.options.implicit_map_key_overrides,
        ));
        let loader = Rc::new(FileLoader {
            evaluator: self.clone(),
            place,
            builder: builder.clone(),
            values: OnceCell::new(),
        });
        self.session.loading.borrow_mut().push(input.clone());
        let find = |name: &str| self.templates.borrow().get(name).cloned();
        let evaluated = template::evaluate(interp, &template, &builder, loader, &find);
        self.session.loading.borrow_mut().pop();
        evaluated.map_err(|report| self.session.with_cause(report))
    }

    fn values(&self) -> Result<Value> {
        let structs = self
            .structs
            .get_or_init(|| StructTemplate::new(&self.values));
        structs.clone().map(|structs| structs.instantiate())
    }
}

/// What one file loads.
struct FileLoader {
    evaluator: Rc<Evaluator>,
    place: Place,
    builder: Rc<NodeBuilder>,
    values: OnceCell<Value>,
}

/// What a file sees of itself and its neighbours, for modules.
struct Neighbourhood {
    evaluator: Rc<Evaluator>,
    place: Place,
    values: Result<Value>,
}

impl Loader for FileLoader {
    fn load(&self, interp: &mut Interp, module: &str) -> Result<Rc<Globals>> {
        let mut place = self.place.clone();
        let mut path = module;
        if let Some(rest) = module.strip_prefix('@') {
            let Some((library, file)) = rest.split_once(':') else {
                return Err(Error::new(
                    "Expected library path to be in format '@name:path' \
                     e.g. '@github.com/vmware-tanzu/test:test.star' or '@ytt:base64'",
                ));
            };
            if library == "ytt" {
                return self.find_module(file).map(Rc::new);
            }
            let folder = place.current.private_library(library).map_err(Error::new)?;
            place = Place {
                current: folder.clone(),
                root: folder,
            };
            path = file;
        }
        let folder = match path.strip_prefix('/') {
            Some(rest) => {
                path = rest;
                &place.root
            }
            None => &place.current,
        };
        let found = folder.find_file(path).map_err(Error::new)?;
        self.load_file(interp, found, &place.root)
    }
}

impl FileLoader {
    fn find_module(&self, name: &str) -> Result<Globals> {
        let values = match (name, self.values.get()) {
            ("data", None) => {
                let values = self.evaluator.values()?;
                Ok(self.values.get_or_init(|| values).clone())
            }
            (_, Some(values)) => Ok(values.clone()),
            _ => Ok(Value::None),
        };
        let neighbourhood = Rc::new(Neighbourhood {
            evaluator: self.evaluator.clone(),
            place: self.place.clone(),
            values,
        });
        let data: Rc<dyn modules::data::Source> = neighbourhood.clone();
        let library: Rc<dyn modules::library::Source> = neighbourhood;
        modules::find(
            name,
            &ModuleContext {
                builder: &self.builder,
                data: &data,
                library: &library,
            },
        )
    }

    fn load_file(
        &self,
        interp: &mut Interp,
        found: Found,
        root: &Rc<Folder>,
    ) -> Result<Rc<Globals>> {
        let Found { input, folder, .. } = found;
        if !input.file().is_library() {
            return Err(Error::new(format!(
                "Expected file '{}' to be a library file, but was not (hint: library filename must end with \
                 '.lib.yml' or '.star'; use data.read(...) for loading non-templated file contents)",
                input.path()
            )));
        }
        self.check_cycle(&input)?;
        let place = Place {
            current: folder,
            root: root.clone(),
        };
        let evaluator = &self.evaluator;
        let globals = match input.file().kind() {
            Kind::Yaml => evaluator
                .yaml(interp, place, &input)
                .map(|(globals, _)| globals),
            Kind::Text => evaluator
                .text(interp, place, &input)
                .map(|(globals, _)| globals),
            Kind::Starlark => evaluator.starlark(interp, place, &input),
            Kind::Data => {
                return Err(Error::new(format!(
                    "File '{}' type is not a known",
                    input.path()
                )));
            }
        };
        globals
            .map(Rc::new)
            .map_err(|report| evaluator.session.to_error(report))
    }

    /// Files that load each other in a circle would do so for ever.
    fn check_cycle(&self, input: &Rc<Input>) -> Result<()> {
        let loading = self.evaluator.session.loading.borrow();
        if let Some(start) = loading.iter().position(|other| Rc::ptr_eq(other, input)) {
            let circle = loading
                .iter()
                .skip(start)
                .chain([input])
                .map(|input| input.path());
            let circle: Vec<&str> = circle.collect();
            return Err(Error::new(format!(
                "cycle of loads: {}",
                circle.join(" -> ")
            )));
        }
        if loading.len() > MAX_LOADS {
            return Err(Error::new(format!(
                "more than {MAX_LOADS} files load one another"
            )));
        }
        Ok(())
    }
}

impl modules::data::Source for Neighbourhood {
    fn values(&self) -> Result<Value> {
        self.values.clone()
    }

    fn list(&self, path: &str) -> Result<Vec<String>> {
        let (folder, path, from_root) = match path.strip_prefix('/') {
            Some(path) => (&self.place.root, path, true),
            None => (&self.place.current, path, false),
        };
        let folder = match path {
            "" => folder.clone(),
            path => folder.find_folder(path).map_err(Error::new)?,
        };
        let paths = folder
            .accessible_files()
            .into_iter()
            .map(|found| found.path);
        // Such that `read` finds them.
        Ok(paths
            .map(|path| if from_root { format!("/{path}") } else { path })
            .collect())
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        let (folder, path) = match path.strip_prefix('/') {
            Some(path) => (&self.place.root, path),
            None => (&self.place.current, path),
        };
        let found = folder.find_file(path).map_err(Error::new)?;
        let source = found.input.file().source();
        let source = source.map_err(|report| Error::new(report.text()))?;
        Ok(source.text.clone())
    }
}

impl modules::library::Source for Neighbourhood {
    fn get(&self, _interp: &mut Interp, args: Args) -> Result<Value> {
        instance::get(&self.evaluator, &self.place, args)
    }
}
