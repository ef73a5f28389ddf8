//! Programs, their globals and functions, and the doors to what is around them.

use super::super::code::Code;
use super::super::collections::dismantle;
use super::super::compile;
use super::super::error::{Result, SyntaxError};
use super::super::scan::NodeCall;
use super::super::value::{Args, Value};
use super::super::{builtins, parse, resolve};
use super::Interp;
use crate::hash;
use crate::memory::Held;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Bytes of a function beside what it captures, and of a captured variable.
const FUNCTION: usize = size_of::<Function>() + 64;
const CAPTURED: usize = 64;

/// A compiled program; cheap to clone.
#[derive(Clone)]
pub struct Program(pub(super) Rc<ProgramRepr>);

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Program({})", self.0.name)
    }
}

pub(super) struct ProgramRepr {
    pub name: Rc<str>,
    main: Rc<Code>,
    pub globals: Vec<Rc<str>>,
}

impl Program {
    /// Scans, parses, resolves and compiles a text in which `end` closes blocks.
    ///
    /// `name` is what frames of errors call the file. `builders` are the identifiers that are operations of the
    /// node builder, see [`Builder`]; `calls` are lines of the text, in order.
    ///
    /// # Errors
    /// One error of the parser, or all those of the resolver in order.
    pub fn compile(
        name: &str,
        text: &[u8],
        calls: &[NodeCall],
        builders: &[&str],
    ) -> Result<Program, Vec<SyntaxError>> {
        let file = parse::parse(text, calls, builders).map_err(|error| vec![error])?;
        resolve::resolve(&file, builders, builtins::NAMES)?;
        let main = compile::compile(&file).map_err(|error| vec![error])?;
        let globals = file.globals.borrow().clone();
        Ok(Program(Rc::new(ProgramRepr {
            name: name.into(),
            main: Rc::new(main),
            globals,
        })))
    }

    /// Runs the top level and gives all globals, frozen, in the order of their slots.
    ///
    /// # Errors
    /// The program failed, or reached a limit.
    pub fn run(
        &self,
        interp: &mut Interp,
        builder: Option<Rc<dyn Builder>>,
        loader: Rc<dyn Loader>,
    ) -> Result<Globals> {
        let env = Rc::new(Env {
            program: self.clone(),
            globals: RefCell::new(vec![None; self.0.globals.len()]),
            builder,
            loader,
        });
        interp.environments.push(env.clone());
        let main = Rc::new(Function::new(
            self.0.main.clone(),
            env.clone(),
            Vec::new(),
            Vec::new(),
        ));
        interp.nested(|interp| {
            let floor = interp.frames.len();
            interp.begin(main, interp.locals.len())?;
            interp.ready();
            interp.execute(floor)
        })?;
        let mut globals = Globals::new();
        for (name, value) in self.0.globals.iter().zip(env.globals.borrow().iter()) {
            if let Some(value) = value {
                value.freeze();
                globals.0.insert(name.clone(), value.clone());
            }
        }
        Ok(globals)
    }
}

/// Operations by which a program builds nodes. Calls may nest and interleave with other files' programs.
pub trait Builder {
    /// The program text calls the operation with this index among the names given to [`Program::compile`].
    ///
    /// # Errors
    /// The operation failed.
    fn build(&self, interp: &mut Interp, operation: u16, args: Args) -> Result<Value>;

    /// The same for a [`NodeCall`].
    ///
    /// # Errors
    /// The operation failed.
    fn node(&self, interp: &mut Interp, operation: u16, tag: u32) -> Result<()>;

    /// A function is entered whose body builds nodes.
    ///
    /// # Errors
    /// It cannot be.
    fn enter(&self) -> Result<()>;

    /// The function is left by its end, or by a `return` with or without a value; the answer is what it gives.
    ///
    /// # Errors
    /// The nodes do not fit together.
    fn leave(&self, returned: Option<Value>) -> Result<Value>;

    /// The function is left by an error.
    fn abandon(&self);
}

/// Finds what `load` asks for.
pub trait Loader {
    /// The globals of a module.
    ///
    /// # Errors
    /// There is no such module, or it failed.
    fn load(&self, interp: &mut Interp, module: &str) -> Result<Rc<Globals>>;
}

/// Names and values of a file's top level, in order.
#[derive(Clone, Default)]
pub struct Globals(hash::OrderedMap<Rc<str>, Value>);

impl Globals {
    /// No names.
    pub fn new() -> Globals {
        Globals::default()
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Sets a name.
    pub fn insert(&mut self, name: &str, value: Value) {
        self.0.insert(name.into(), value);
    }

    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|name| &**name)
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Removes names that start with `_`: they are a file's own.
    pub fn remove_private(&mut self) {
        self.0.retain(|name, _| !name.starts_with('_'));
    }
}

/// What the functions of one run of a program share.
pub(super) struct Env {
    pub program: Program,
    pub globals: RefCell<Vec<Option<Value>>>,
    pub builder: Option<Rc<dyn Builder>>,
    pub loader: Rc<dyn Loader>,
}

pub(super) type CellBox = Rc<RefCell<Option<Value>>>;

/// A function written in the language, with what it captured.
pub struct Function {
    pub(super) code: Rc<Code>,
    pub(super) env: Rc<Env>,
    /// By parameter; absent where there is no default.
    pub(super) defaults: Vec<Option<Value>>,
    pub(super) captures: Vec<CellBox>,
    frozen: Cell<bool>,
    _held: Held,
}

impl Function {
    /// An instance of a function.
    pub(super) fn new(
        code: Rc<Code>,
        env: Rc<Env>,
        defaults: Vec<Option<Value>>,
        captures: Vec<CellBox>,
    ) -> Function {
        Function {
            _held: Held::new(FUNCTION + (captures.len() + defaults.len()) * CAPTURED),
            code,
            env,
            defaults,
            captures,
            frozen: Cell::new(false),
        }
    }

    /// Its name; `lambda` for lambdas.
    pub fn name(&self) -> &str {
        &self.code.name
    }

    /// How many positional arguments it takes, least and most (`None`: any number).
    pub fn arity(&self) -> (usize, Option<usize>) {
        let positional = self
            .code
            .parameters
            .iter()
            .filter(|parameter| !parameter.keyword_only);
        let least = positional
            .clone()
            .filter(|parameter| !parameter.has_default)
            .count();
        (least, self.code.args.is_none().then(|| positional.count()))
    }

    /// What the function holds, taken out; cells that others share stay.
    pub(in super::super) fn take_held(&mut self) -> Vec<Value> {
        let mut held: Vec<Value> = self.defaults.drain(..).flatten().collect();
        held.extend(
            self.captures
                .drain(..)
                .filter_map(|cell| Rc::try_unwrap(cell).ok()?.into_inner()),
        );
        held
    }

    /// What must be frozen with the function; nothing if that was done before.
    pub(in super::super) fn freeze(&self) -> Vec<Value> {
        if self.frozen.replace(true) {
            return Vec::new();
        }
        let captured = self.captures.iter().map(|cell| cell.borrow().clone());
        self.defaults
            .iter()
            .cloned()
            .chain(captured)
            .flatten()
            .collect()
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        dismantle(self.take_held().into_iter());
    }
}
