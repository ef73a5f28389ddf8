//! The machine: runs compiled programs on stacks of its own, so that deep calls in the language need no native stack.

use super::builtins;
use super::collections::{Dict, ELEMENT, ITEM, List, dismantle};
use super::compile::{self, CallShape, Capture, Code, Op};
use super::error::{Error, Frame, Result, SyntaxError};
use super::format;
use super::iteration::Iteration;
use super::limits::Limits;
use super::operators::unary;
use super::value::{Args, Body, Value};
use super::{parse, resolve};
use crate::bytestring::Str;
use crate::memory::{self, Held};
use indexmap::IndexMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// How many calls an error remembers; the innermost are kept.
const MOST_FRAMES: usize = 100;

/// After how many steps the limits are looked at.
const PERIOD: u64 = 1024;

/// How many bytes are moved in the time that an instruction takes.
const BYTES_A_STEP: usize = 8;

/// Bytes of a function beside what it captures, and of a captured variable.
const FUNCTION: usize = size_of::<Function>() + 64;
const CAPTURED: usize = 64;

/// A compiled program; cheap to clone.
#[derive(Clone)]
pub struct Program(Rc<ProgramRepr>);

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Program({})", self.0.name)
    }
}

struct ProgramRepr {
    name: Rc<str>,
    main: Rc<Code>,
    globals: Vec<Rc<str>>,
}

impl Program {
    /// Scans, parses, resolves and compiles a text in which `end` closes blocks.
    ///
    /// `name` is what frames of errors call the file. `builders` are the identifiers that are operations of the
    /// node builder, see [`Builder`].
    ///
    /// # Errors
    /// One error of the parser, or all those of the resolver in order.
    pub fn compile(
        name: &str,
        text: &[u8],
        builders: &[&str],
    ) -> Result<Program, Vec<SyntaxError>> {
        let file = parse::parse(text, builders).map_err(|error| vec![error])?;
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
        let main = Rc::new(Function {
            code: self.0.main.clone(),
            env: env.clone(),
            defaults: Vec::new(),
            captures: Vec::new(),
            frozen: Cell::new(false),
            _held: Held::new(FUNCTION),
        });
        interp.nested(|interp| {
            let floor = interp.frames.len();
            interp.begin(main)?;
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
pub struct Globals(IndexMap<Rc<str>, Value>);

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
struct Env {
    program: Program,
    globals: RefCell<Vec<Option<Value>>>,
    builder: Option<Rc<dyn Builder>>,
    loader: Rc<dyn Loader>,
}

type CellBox = Rc<RefCell<Option<Value>>>;

/// A function written in the language, with what it captured.
pub struct Function {
    code: Rc<Code>,
    env: Rc<Env>,
    /// By parameter; absent where there is no default.
    defaults: Vec<Option<Value>>,
    captures: Vec<CellBox>,
    frozen: Cell<bool>,
    _held: Held,
}

impl Function {
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
    pub(super) fn take_held(&mut self) -> Vec<Value> {
        let mut held: Vec<Value> = self.defaults.drain(..).flatten().collect();
        held.extend(
            self.captures
                .drain(..)
                .filter_map(|cell| Rc::try_unwrap(cell).ok()?.into_inner()),
        );
        held
    }

    /// What must be frozen with the function; nothing if that was done before.
    pub(super) fn freeze(&self) -> Vec<Value> {
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

/// A call of a function of the language that is under way.
struct Activation {
    function: Rc<Function>,
    /// The next instruction.
    next: usize,
    /// Where its local variables begin.
    locals: usize,
    /// How high the stacks were when it began.
    stack: usize,
    iterations: usize,
    cells: Vec<CellBox>,
}

/// Where the machine goes on after an instruction.
enum Flow {
    /// In the same function.
    On,
    /// In the function that was called, or in the caller of the one that ended.
    Switch,
}

/// Takes what a program prints, a line at a time.
pub type Printer = Rc<dyn Fn(&str)>;

/// A running evaluation: its limits, what it has used of them, its stacks. One serves a whole render.
pub struct Interp {
    limits: Limits,
    steps: u64,
    /// At how many steps the limits are looked at next.
    check_at: u64,
    /// Bytes that were held when the evaluation began.
    held_before: usize,
    /// Bytes of what does not count itself.
    kept: Held,
    depth: usize,
    printer: Option<Printer>,
    warnings: Vec<&'static str>,
    universe: Vec<Value>,
    environments: Vec<Rc<Env>>,
    frames: Vec<Activation>,
    stack: Vec<Value>,
    locals: Vec<Option<Value>>,
    iterations: Vec<Iteration>,
}

impl Drop for Interp {
    /// Globals hold functions, and functions their globals: the circle is cut here.
    fn drop(&mut self) {
        for env in self.environments.drain(..) {
            let globals = std::mem::take(&mut *env.globals.borrow_mut());
            dismantle(globals.into_iter().flatten());
        }
    }
}

impl Interp {
    /// A new evaluation.
    pub fn new(limits: Limits) -> Interp {
        Interp {
            limits,
            steps: 0,
            check_at: PERIOD,
            held_before: memory::held(),
            kept: Held::new(0),
            depth: 0,
            printer: None,
            warnings: Vec::new(),
            universe: builtins::universe(),
            environments: Vec::new(),
            frames: Vec::new(),
            stack: Vec::new(),
            locals: Vec::new(),
            iterations: Vec::new(),
        }
    }

    /// Says what becomes of the lines of `print`; without it they are dropped.
    pub fn set_printer(&mut self, printer: Printer) {
        self.printer = Some(printer);
    }

    /// Prints a line.
    ///
    /// # Errors
    /// There are too many.
    pub fn print(&mut self, line: &str) -> Result<()> {
        self.keep(line.len())?;
        if let Some(printer) = &self.printer {
            printer(line);
        }
        Ok(())
    }

    /// Prints a line once, however often it is asked for.
    pub fn warn(&mut self, line: &'static str) {
        if self.warnings.contains(&line) {
            return;
        }
        self.warnings.push(line);
        if let Some(printer) = &self.printer {
            printer(line);
        }
    }

    /// Accounts for work that takes as long as so many instructions.
    ///
    /// # Errors
    /// The evaluation has taken too many steps.
    pub fn work(&mut self, steps: u64) -> Result<()> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps >= self.check_at {
            self.check_limits()?;
        }
        Ok(())
    }

    /// Accounts for bytes about to be made or gone through: for the work, and whether there is room for them.
    ///
    /// # Errors
    /// There is not.
    pub fn charge(&mut self, bytes: usize) -> Result<()> {
        self.room(bytes)?;
        self.work((bytes / BYTES_A_STEP) as u64)
    }

    /// Whether there is room for so many bytes beside those that are held.
    ///
    /// # Errors
    /// There is not.
    pub fn room(&self, bytes: usize) -> Result<()> {
        let held = memory::held().saturating_sub(self.held_before);
        if held.saturating_add(bytes) > self.limits.memory {
            return Err(Error::fatal(format!(
                "evaluation stopped: its values need more than {} bytes",
                self.limits.memory
            )));
        }
        Ok(())
    }

    /// Accounts for bytes that do not count themselves and stay until the end.
    ///
    /// # Errors
    /// There is no room for them.
    pub fn keep(&mut self, bytes: usize) -> Result<()> {
        self.charge(bytes)?;
        self.kept.set(self.kept.bytes() + bytes);
        Ok(())
    }

    /// Accounts for elements about to be added to a list: when it is full it moves to a larger place.
    ///
    /// # Errors
    /// There is no room for them.
    pub(super) fn extend(&mut self, list: &List, more: usize) -> Result<()> {
        if list.len() + more > list.capacity() {
            self.charge((list.len() + more) * ELEMENT)?;
        }
        Ok(())
    }

    /// Accounts for an item about to be set in a dict, and for the use of its key.
    ///
    /// # Errors
    /// There is no room for it.
    pub(super) fn insert(&mut self, dict: &Dict, key: &Value) -> Result<()> {
        if dict.len() == dict.capacity() {
            self.charge((dict.len() + 1) * ITEM)?;
        }
        self.weigh(key)
    }

    /// Accounts for the use of a value as a key.
    ///
    /// # Errors
    /// The evaluation has taken too many steps.
    pub(super) fn weigh(&mut self, key: &Value) -> Result<()> {
        let size = match key {
            Value::Str(text) => text.len() / BYTES_A_STEP,
            Value::Tuple(_) => key.key().map_or(0, |key| key.size as usize),
            _ => return Ok(()),
        };
        self.work(size as u64)
    }

    /// The elements of a value, if it can have any.
    ///
    /// # Errors
    /// There is no room for them.
    pub fn elements(&mut self, value: &Value) -> Result<Option<Vec<Value>>> {
        let bytes = match value {
            Value::Host(host) => host.0.iterate_bytes(),
            Value::Str(_) => 0,
            _ => value.length().unwrap_or(0).saturating_mul(ELEMENT),
        };
        self.charge(bytes)?;
        Ok(value.try_iterate())
    }

    /// Appends a value's text to bytes: what `repr(x)` gives, or `str(x)`.
    ///
    /// # Errors
    /// The text is too long.
    pub(super) fn write(&mut self, value: &Value, as_repr: bool, out: &mut Vec<u8>) -> Result<()> {
        let made;
        let text = match value {
            Value::Str(text) if !as_repr => text.as_bytes(),
            _ => {
                made = value.to_repr()?;
                self.work(made.len() as u64)?;
                made.as_bytes()
            }
        };
        self.work((text.len() / BYTES_A_STEP) as u64)?;
        self.room(out.len() + text.len())?;
        out.extend_from_slice(text);
        Ok(())
    }

    /// Calls something from Rust.
    ///
    /// # Errors
    /// It cannot be called, or failed.
    pub fn call(&mut self, callee: &Value, args: Args) -> Result<Value> {
        match callee {
            Value::Function(function) => self.nested(|interp| {
                let floor = interp.frames.len();
                interp.bind(function, args)?;
                interp.execute(floor)
            }),
            Value::Builtin(builtin) => {
                let builtin = builtin.clone();
                self.nested(|interp| match &builtin.body {
                    Body::Closure(body) => {
                        let given = args.positional.iter().map(Value::bytes).sum();
                        interp.charge(given)?;
                        let value = body(interp, &builtin.held, args)?;
                        interp.charge(value.bytes())?;
                        Ok(value)
                    }
                    Body::Universal(name, body) => body(interp, name, args),
                    Body::Method(name, body) => body(
                        interp,
                        builtin.receiver.as_ref().unwrap_or(&Value::None),
                        name,
                        args,
                    ),
                })
            }
            Value::Host(host) => match host.0.call(self, args) {
                Some(result) => result,
                None => Err(not_callable(callee)),
            },
            _ => Err(not_callable(callee)),
        }
    }

    /// Runs work that uses the native stack, if there is enough of it left.
    fn nested<T>(&mut self, work: impl FnOnce(&mut Interp) -> Result<T>) -> Result<T> {
        if self.depth >= self.limits.native_depth {
            return Err(Error::fatal(format!(
                "evaluation stopped: functions, loads and callbacks nested more than {} deep",
                self.limits.native_depth
            )));
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// Pushes a call of a function whose arguments are yet to be put into its locals.
    fn begin(&mut self, function: Rc<Function>) -> Result<()> {
        let locals = self.locals.len();
        self.room((locals + function.code.locals.len()) * ELEMENT)?;
        if self.frames.len() >= self.limits.call_depth {
            return Err(Error::fatal(format!(
                "evaluation stopped: calls nested more than {} deep (hint: does a function call itself for ever?)",
                self.limits.call_depth
            )));
        }
        if function.code.builds
            && let Some(builder) = &function.env.builder
        {
            builder.enter()?;
        }
        self.locals
            .resize(locals + function.code.locals.len(), None);
        self.frames.push(Activation {
            function,
            next: 0,
            locals,
            stack: self.stack.len(),
            iterations: self.iterations.len(),
            cells: Vec::new(),
        });
        Ok(())
    }

    /// Moves captured parameters into cells; the last thing before a function's first instruction.
    fn ready(&mut self) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        if frame.function.code.cells.is_empty() {
            return;
        }
        let (locals, function) = (frame.locals, frame.function.clone());
        for &slot in &function.code.cells {
            let value = self
                .locals
                .get_mut(locals + usize::from(slot))
                .and_then(Option::take);
            frame.cells.push(Rc::new(RefCell::new(value)));
        }
    }

    /// Begins a call with these arguments, by the language's rules.
    fn bind(&mut self, function: &Rc<Function>, args: Args) -> Result<()> {
        let code = function.code.clone();
        let Args { positional, named } = args;
        let fail = |message: String| {
            let mut error = Error::new(format!("function {} {message}", code.name));
            // The call that could not begin is one of those under way.
            error.push_frame(Frame {
                function: code.name.clone(),
                file: function.env.program.0.name.clone(),
                line: code.lines.first().copied().unwrap_or(0),
            });
            Err(error)
        };
        let given = positional.len();
        if code.parameters.is_empty() && code.args.is_none() && code.kwargs.is_none() {
            let total = given + named.len();
            if total > 0 {
                return fail(format!("accepts no arguments ({total} given)"));
            }
        }
        let most = code
            .parameters
            .iter()
            .filter(|parameter| !parameter.keyword_only)
            .count();
        if given > most && code.args.is_none() {
            let optional = code
                .parameters
                .iter()
                .any(|parameter| parameter.has_default && !parameter.keyword_only);
            let at_most = if optional { "at most " } else { "" };
            let plural = if most == 1 { "" } else { "s" };
            return fail(format!(
                "accepts {at_most}{most} positional argument{plural} ({given} given)"
            ));
        }

        let mut values: Vec<Option<Value>> = vec![None; code.parameters.len()];
        let mut positional = positional.into_iter();
        let takes_position = code
            .parameters
            .iter()
            .map(|parameter| !parameter.keyword_only);
        for (value, takes) in values.iter_mut().zip(takes_position) {
            if takes {
                *value = positional.next();
            }
        }
        let rest: Vec<Value> = positional.collect();
        let extra = Dict::default();
        for (name, value) in named {
            let index = code
                .parameters
                .iter()
                .position(|parameter| name == *parameter.name);
            let quoted = || {
                let mut out = String::new();
                format::quote(&name, &mut out);
                out
            };
            match index.and_then(|index| values.get_mut(index)) {
                Some(Some(_)) => {
                    return fail(format!("got multiple values for parameter {}", quoted()));
                }
                Some(slot) => *slot = Some(value),
                None if code.kwargs.is_none() => {
                    return fail(format!("got an unexpected keyword argument {}", quoted()));
                }
                None => {
                    if !extra.insert(Value::Str(name.clone()), value)? {
                        return fail(format!("got multiple values for parameter {}", quoted()));
                    }
                }
            }
        }
        let mut missing = Vec::new();
        for (index, (value, parameter)) in values.iter_mut().zip(&code.parameters).enumerate() {
            if value.is_none() {
                *value = function.defaults.get(index).cloned().flatten();
            }
            if value.is_none() {
                missing.push(&*parameter.name);
            }
        }
        if !missing.is_empty() {
            let plural = if missing.len() > 1 { "s" } else { "" };
            return fail(format!(
                "missing {} argument{plural} ({})",
                missing.len(),
                missing.join(", ")
            ));
        }

        self.begin(function.clone())?;
        let locals = self.frames.last().map_or(0, |frame| frame.locals);
        let mut put = |slot: u16, value: Option<Value>| {
            if let Some(local) = self.locals.get_mut(locals + usize::from(slot)) {
                *local = value;
            }
        };
        for (value, parameter) in values.into_iter().zip(&code.parameters) {
            put(parameter.slot, value);
        }
        if let Some(slot) = code.args {
            put(slot, Some(Value::tuple(rest)));
        }
        if let Some(slot) = code.kwargs {
            put(slot, Some(Value::Dict(Rc::new(extra))));
        }
        self.ready();
        Ok(())
    }

    /// Runs until the frames above `floor` have ended; the value is that of the last of them.
    fn execute(&mut self, floor: usize) -> Result<Value> {
        while self.frames.len() > floor {
            if let Err(error) = self.run_frame() {
                return Err(self.unwind(error, floor));
            }
        }
        Ok(self.pop())
    }

    /// Ends all calls above `floor`; they become the frames of the error.
    fn unwind(&mut self, mut error: Error, floor: usize) -> Error {
        while self.frames.len() > floor {
            let Some(frame) = self.frames.pop() else {
                break;
            };
            let Function { code, env, .. } = &*frame.function;
            if error.frames().len() < MOST_FRAMES {
                let line = code
                    .lines
                    .get(frame.next.saturating_sub(1))
                    .copied()
                    .unwrap_or(0);
                error.push_frame(Frame {
                    function: code.name.clone(),
                    file: env.program.0.name.clone(),
                    line,
                });
            }
            if code.builds
                && let Some(builder) = &env.builder
            {
                builder.abandon();
            }
            self.stack.truncate(frame.stack);
            self.locals.truncate(frame.locals);
            self.iterations.truncate(frame.iterations);
        }
        error
    }

    /// Runs the top frame until another one is on top.
    fn run_frame(&mut self) -> Result<()> {
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        let function = frame.function.clone();
        let locals = frame.locals;
        let depth = self.frames.len();
        let mut next = frame.next;
        loop {
            let Some(&op) = function.code.ops.get(next) else {
                return Ok(());
            };
            next += 1;
            self.steps += 1;
            let flow = if self.steps >= self.check_at {
                self.check_limits()
            } else {
                Ok(())
            }
            .and_then(|()| self.step(op, &function, locals, &mut next));
            match flow {
                Ok(Flow::On) => {}
                Ok(Flow::Switch) => return Ok(()),
                Err(error) => {
                    // Where the error happened; a call that began and failed is on top of it.
                    if let Some(frame) = self.frames.get_mut(depth - 1) {
                        frame.next = next;
                    }
                    return Err(error);
                }
            }
        }
    }

    fn check_limits(&mut self) -> Result<()> {
        self.check_at = self.steps.saturating_add(PERIOD);
        self.room(0)?;
        let interrupted = self.limits.interrupted.as_ref();
        Err(Error::fatal(if self.steps > self.limits.steps {
            format!("evaluation stopped: more than {} steps", self.limits.steps)
        } else if interrupted.is_some_and(|interrupted| interrupted()) {
            "evaluation stopped: interrupted".to_string()
        } else {
            return Ok(());
        }))
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or_default()
    }

    /// The last `count` values, in the order of their pushing.
    fn pop_many(&mut self, count: usize) -> Vec<Value> {
        self.stack.split_off(self.stack.len().saturating_sub(count))
    }

    #[inline]
    fn step(
        &mut self,
        op: Op,
        function: &Rc<Function>,
        locals: usize,
        next: &mut usize,
    ) -> Result<Flow> {
        let code = &function.code;
        match op {
            Op::Constant(index) => {
                let value = code
                    .constants
                    .get(index as usize)
                    .cloned()
                    .unwrap_or_default();
                self.stack.push(value);
            }
            Op::Local(slot) => match self.locals.get(locals + usize::from(slot)) {
                Some(Some(value)) => self.stack.push(value.clone()),
                _ => return Err(unset("local", code.locals.get(usize::from(slot)))),
            },
            Op::SetLocal(slot) => {
                let value = self.pop();
                if let Some(local) = self.locals.get_mut(locals + usize::from(slot)) {
                    *local = Some(value);
                }
            }
            Op::Cell(index) => {
                let cell = self
                    .frames
                    .last()
                    .and_then(|frame| frame.cells.get(usize::from(index)));
                match cell.and_then(|cell| cell.borrow().clone()) {
                    Some(value) => self.stack.push(value),
                    None => {
                        let slot = code.cells.get(usize::from(index)).copied().unwrap_or(0);
                        return Err(unset("local", code.locals.get(usize::from(slot))));
                    }
                }
            }
            Op::SetCell(index) => {
                let value = self.pop();
                if let Some(cell) = self
                    .frames
                    .last()
                    .and_then(|frame| frame.cells.get(usize::from(index)))
                {
                    cell.replace(Some(value));
                }
            }
            Op::Free(index) => {
                match function
                    .captures
                    .get(usize::from(index))
                    .and_then(|cell| cell.borrow().clone())
                {
                    Some(value) => self.stack.push(value),
                    None => {
                        return Err(unset(
                            "local",
                            code.captures.get(usize::from(index)).map(|(name, _)| name),
                        ));
                    }
                }
            }
            Op::Global(slot) => {
                let value = function
                    .env
                    .globals
                    .borrow()
                    .get(usize::from(slot))
                    .cloned()
                    .flatten();
                match value {
                    Some(value) => self.stack.push(value),
                    None => {
                        return Err(unset(
                            "global",
                            function.env.program.0.globals.get(usize::from(slot)),
                        ));
                    }
                }
            }
            Op::SetGlobal(slot) => {
                let value = self.pop();
                let old = match function.env.globals.borrow_mut().get_mut(usize::from(slot)) {
                    Some(global) => global.replace(value),
                    None => None,
                };
                drop(old);
            }
            Op::Universal(index) => {
                let value = self
                    .universe
                    .get(usize::from(index))
                    .cloned()
                    .unwrap_or_default();
                self.stack.push(value);
            }
            Op::Pop => {
                self.pop();
            }
            Op::Duplicate => {
                let value = self.stack.last().cloned().unwrap_or_default();
                self.stack.push(value);
            }
            Op::DuplicateTwo => {
                let from = self.stack.len().saturating_sub(2);
                self.stack.extend_from_within(from..);
            }
            Op::Unary(op) => {
                let value = self.pop();
                self.stack.push(unary(op, &value)?);
            }
            Op::Binary(op) => {
                let right = self.pop();
                let left = self.pop();
                let value = self.binary(op, &left, &right)?;
                self.stack.push(value);
            }
            Op::InPlace(op) => {
                let right = self.pop();
                let left = self.pop();
                let value = self.in_place(op, left, &right)?;
                self.stack.push(value);
            }
            Op::Jump(target) => *next = target as usize,
            Op::JumpIfFalse(target) => {
                if !self.pop().truth() {
                    *next = target as usize;
                }
            }
            Op::JumpIfFalseOrPop(target) => {
                if self.stack.last().is_some_and(Value::truth) {
                    self.pop();
                } else {
                    *next = target as usize;
                }
            }
            Op::JumpIfTrueOrPop(target) => {
                if self.stack.last().is_some_and(Value::truth) {
                    *next = target as usize;
                } else {
                    self.pop();
                }
            }
            Op::Iterate => {
                let value = self.pop();
                let iteration = Iteration::over(self, &value)?;
                self.iterations.push(iteration);
            }
            Op::Next(target) => match self.iterations.last_mut().and_then(Iterator::next) {
                Some(value) => self.stack.push(value),
                None => {
                    self.iterations.pop();
                    *next = target as usize;
                }
            },
            Op::EndIteration => {
                self.iterations.pop();
            }
            Op::List(count) => {
                let elements = self.pop_many(count as usize);
                self.stack.push(Value::list(elements));
            }
            Op::Tuple(count) => {
                let elements = self.pop_many(count as usize);
                self.stack.push(Value::tuple(elements));
            }
            Op::Dict => self.stack.push(Value::Dict(Rc::new(Dict::default()))),
            Op::DictItem | Op::DictAdd => {
                let value = self.pop();
                let key = self.pop();
                if let Some(Value::Dict(dict)) = self.stack.last() {
                    let dict = dict.clone();
                    self.insert(&dict, &key)?;
                    let new = dict.insert(key.clone(), value)?;
                    if !new && matches!(op, Op::DictItem) {
                        return Err(Error::new(format!("duplicate key: {}", key.repr())));
                    }
                }
            }
            Op::ListAdd => {
                let value = self.pop();
                if let Some(Value::List(list)) = self.stack.last() {
                    let list = list.clone();
                    self.extend(&list, 1)?;
                    list.push(value)?;
                }
            }
            Op::Index => {
                let key = self.pop();
                let object = self.pop();
                self.weigh(&key)?;
                self.stack.push(object.index(&key)?);
            }
            Op::SetIndex => {
                let key = self.pop();
                let object = self.pop();
                let value = self.pop();
                match &object {
                    Value::Dict(dict) => self.insert(dict, &key)?,
                    _ => self.weigh(&key)?,
                }
                object.set_index(key, value)?;
            }
            Op::StoreIndex => {
                let value = self.pop();
                let key = self.pop();
                let object = self.pop();
                match &object {
                    Value::Dict(dict) => self.insert(dict, &key)?,
                    _ => self.weigh(&key)?,
                }
                object.set_index(key, value)?;
            }
            Op::Slice => {
                let step = self.pop();
                let high = self.pop();
                let low = self.pop();
                let object = self.pop();
                let value = self.slice(&object, &low, &high, &step)?;
                self.stack.push(value);
            }
            Op::Attr(name) => {
                let object = self.pop();
                let value = object.get_attr(name_of(code, name))?;
                self.stack.push(value);
            }
            Op::SetAttr(name) => {
                let object = self.pop();
                self.pop();
                return Err(no_attr_assignment(&object, name_of(code, name)));
            }
            Op::StoreAttr(name) => {
                self.pop();
                let object = self.pop();
                return Err(no_attr_assignment(&object, name_of(code, name)));
            }
            Op::Unpack(count) => {
                let value = self.pop();
                self.unpack(&value, count as usize)?;
            }
            Op::Function(index) => {
                if let Some(inner) = code.functions.get(index as usize) {
                    let made = self.make_function(inner, function);
                    self.stack.push(made);
                }
            }
            Op::Call(count) => {
                let at = self.stack.len().saturating_sub(count as usize + 1);
                return self.call_on_stack(at, count as usize, next);
            }
            Op::Method(name) => {
                let receiver = self.pop();
                let name = name_of(code, name);
                if builtins::find_method(&receiver, name).is_some() {
                    self.stack.push(Value::None);
                    self.stack.push(receiver);
                } else {
                    let callee = receiver.get_attr(name)?;
                    self.stack.push(Value::Bool(true));
                    self.stack.push(callee);
                }
            }
            Op::CallMethod { name, count } => {
                let count = usize::from(count);
                let at = self.stack.len().saturating_sub(count + 1);
                let marker = self
                    .stack
                    .get(at.saturating_sub(1))
                    .is_some_and(Value::is_none);
                if !marker {
                    // Close the gap that the marker leaves, so that the call looks like any other.
                    self.stack.remove(at.saturating_sub(1));
                    return self.call_on_stack(at.saturating_sub(1), count, next);
                }
                let args = self.pop_many(count);
                let receiver = self.pop();
                self.pop();
                if let Some((name, method)) = builtins::find_method(&receiver, name_of(code, name))
                {
                    let value = method(self, &receiver, name, Args::positional(args))?;
                    self.stack.push(value);
                }
            }
            Op::CallWith(index) => {
                if let Some(shape) = code.calls.get(index as usize) {
                    let args = self.collect(shape)?;
                    let callee = self.pop();
                    return self.call_value(&callee, args, next);
                }
            }
            Op::Build { operation, count } => {
                let args = Args::positional(self.pop_many(usize::from(count)));
                return self.build(function, operation, args);
            }
            Op::BuildWith { operation, call } => {
                if let Some(shape) = code.calls.get(call as usize) {
                    let args = self.collect(shape)?;
                    return self.build(function, operation, args);
                }
            }
            Op::Load(index) => {
                if let Some(load) = code.loads.get(index as usize) {
                    let module = load.module.to_text();
                    let loader = function.env.loader.clone();
                    let globals =
                        self.nested(|interp| loader.load(interp, &module))
                            .map_err(|error| {
                                let message = format!("cannot load {module}: {}", error.message());
                                if error.is_fatal() {
                                    Error::fatal(message)
                                } else {
                                    Error::new(message)
                                }
                            })?;
                    for name in &load.names {
                        match globals.get(name) {
                            Some(value) => self.stack.push(value.clone()),
                            None => return Err(not_exported(name, &module, &globals)),
                        }
                    }
                }
            }
            Op::Return => {
                let value = self.pop();
                return self.leave(function, Some(value));
            }
            Op::ReturnNone => return self.leave(function, None),
        }
        Ok(Flow::On)
    }

    /// Ends the top frame and pushes the value that its call gives.
    fn leave(&mut self, function: &Rc<Function>, returned: Option<Value>) -> Result<Flow> {
        let value = match &function.env.builder {
            Some(builder) if function.code.builds => builder.leave(returned)?,
            _ => returned.unwrap_or_default(),
        };
        if let Some(frame) = self.frames.pop() {
            self.stack.truncate(frame.stack);
            self.locals.truncate(frame.locals);
            self.iterations.truncate(frame.iterations);
        }
        self.stack.push(value);
        Ok(Flow::Switch)
    }

    fn build(&mut self, function: &Rc<Function>, operation: u16, args: Args) -> Result<Flow> {
        let value = match function.env.builder.clone() {
            Some(builder) => builder.build(self, operation, args)?,
            None => return Err(Error::new("nodes cannot be built here")),
        };
        self.stack.push(value);
        Ok(Flow::On)
    }

    /// Calls what stands at `at` with the `count` values above it.
    fn call_on_stack(&mut self, at: usize, count: usize, next: &mut usize) -> Result<Flow> {
        if let Some(Value::Function(function)) = self.stack.get(at)
            && function.code.simple
            && function.code.parameters.len() == count
        {
            let function = function.clone();
            let cells = !function.code.cells.is_empty();
            self.pause(*next);
            let args = self.stack.split_off(at + 1);
            self.pop();
            self.begin(function)?;
            let locals = self.frames.last().map_or(0, |frame| frame.locals);
            for (slot, value) in self.locals.iter_mut().skip(locals).zip(args) {
                *slot = Some(value);
            }
            if cells {
                self.ready();
            }
            return Ok(Flow::Switch);
        }
        let args = Args::positional(self.pop_many(count));
        let callee = self.pop();
        self.call_value(&callee, args, next)
    }

    /// Remembers where the top frame goes on after a call.
    fn pause(&mut self, next: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.next = next;
        }
    }

    fn call_value(&mut self, callee: &Value, args: Args, next: &mut usize) -> Result<Flow> {
        self.pause(*next);
        if let Value::Function(function) = callee {
            self.bind(function, args)?;
            return Ok(Flow::Switch);
        }
        let value = self.call(callee, args)?;
        self.stack.push(value);
        Ok(Flow::On)
    }

    /// The arguments of a call of this shape, taken off the stack.
    fn collect(&mut self, shape: &CallShape) -> Result<Args> {
        let star_star = shape.star_star.then(|| self.pop());
        let star = shape.star.then(|| self.pop());
        let values = self.pop_many(shape.names.len());
        let mut named: Vec<(Str, Value)> = shape.names.iter().cloned().zip(values).collect();
        if let Some(mapping) = star_star {
            let Some(items) = mapping.mapping_items() else {
                let kind = mapping.type_name();
                return Err(Error::new(format!(
                    "argument after ** must be a mapping, not {kind}"
                )));
            };
            for (key, value) in items {
                let Value::Str(name) = key else {
                    return Err(Error::new(format!(
                        "keywords must be strings, not {}",
                        key.type_name()
                    )));
                };
                named.push((name, value));
            }
        }
        let mut positional = self.pop_many(shape.positional);
        if let Some(sequence) = star {
            match self.elements(&sequence)? {
                Some(elements) => positional.extend(elements),
                None => {
                    let kind = sequence.type_name();
                    return Err(Error::new(format!(
                        "argument after * must be iterable, not {kind}"
                    )));
                }
            }
        }
        Ok(Args { positional, named })
    }

    fn make_function(&mut self, code: &Rc<Code>, maker: &Rc<Function>) -> Value {
        let count = code
            .parameters
            .iter()
            .filter(|parameter| parameter.has_default)
            .count();
        let mut given = self.pop_many(count).into_iter();
        let defaults = if count == 0 {
            Vec::new()
        } else {
            let default = |parameter: &compile::Parameter| {
                if parameter.has_default {
                    given.next()
                } else {
                    None
                }
            };
            code.parameters.iter().map(default).collect()
        };
        let cells = self
            .frames
            .last()
            .map(|frame| frame.cells.as_slice())
            .unwrap_or_default();
        let captured = |(_, capture): &(Rc<str>, Capture)| match capture {
            Capture::Cell(index) => cells.get(usize::from(*index)).cloned().unwrap_or_default(),
            Capture::Free(index) => maker
                .captures
                .get(usize::from(*index))
                .cloned()
                .unwrap_or_default(),
        };
        let captures = code.captures.iter().map(captured).collect();
        Value::Function(Rc::new(Function {
            code: code.clone(),
            env: maker.env.clone(),
            _held: Held::new(FUNCTION + (code.captures.len() + code.parameters.len()) * CAPTURED),
            defaults,
            captures,
            frozen: Cell::new(false),
        }))
    }

    /// Pushes the elements of a sequence, the first one last.
    fn unpack(&mut self, value: &Value, count: usize) -> Result<()> {
        let fits = |found: usize| {
            if found == count {
                return Ok(());
            }
            let which = if found > count { "many" } else { "few" };
            Err(Error::new(format!(
                "too {which} values to unpack (got {found}, want {count})"
            )))
        };
        if let Value::Range(range) = value {
            fits(range.len())?;
        }
        let Some(elements) = self.elements(value)? else {
            return Err(Error::new(format!(
                "got {} in sequence assignment",
                value.type_name()
            )));
        };
        fits(elements.len())?;
        self.stack.extend(elements.into_iter().rev());
        Ok(())
    }
}

fn name_of(code: &Code, index: u32) -> &str {
    code.names.get(index as usize).map_or("", |name| name)
}

fn unset(kind: &str, name: Option<&Rc<str>>) -> Error {
    let name = name.map_or("", |name| name);
    Error::new(format!(
        "{kind} variable {name} referenced before assignment"
    ))
}

fn not_callable(value: &Value) -> Error {
    Error::new(format!(
        "invalid call of non-function ({})",
        value.type_name()
    ))
}

fn no_attr_assignment(object: &Value, name: &str) -> Error {
    Error::new(format!(
        "can't assign to .{name} field of {}",
        object.type_name()
    ))
}

fn not_exported(name: &str, module: &str, globals: &Globals) -> Error {
    let hint = match format::nearest(name, globals.names()) {
        Some(near) => format!(" (did you mean {near}?)"),
        None => String::new(),
    };
    Error::new(format!(
        "load: name {name} not found in module {module}{hint}"
    ))
}
