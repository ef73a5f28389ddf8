//! The machine: runs compiled programs on stacks of its own, so that deep calls in the language need no native stack.

use super::ast::{BinaryOp, UnaryOp};
use super::builtins;
use super::collections::{Dict, List, Set, dismantle};
use super::compile::{self, CallShape, Capture, Code, Op};
use super::error::{Error, Frame, Result, SyntaxError};
use super::format;
use super::limits::Limits;
use super::number;
use super::value::{Args, Body, Value};
use super::{parse, resolve};
use crate::bytestring::Str;
use indexmap::IndexMap;
use std::cell::RefCell;
use std::rc::Rc;

/// How many calls an error remembers; the innermost are kept.
const MOST_FRAMES: usize = 100;

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

    /// What must be frozen with the function.
    pub(super) fn freeze(&self) -> Option<Vec<Value>> {
        if self.defaults.is_empty() && self.captures.is_empty() {
            return None;
        }
        // A function may capture itself: defaults only, and captured collections freeze once.
        let captured = self
            .captures
            .iter()
            .filter_map(|cell| cell.borrow().clone());
        let captured = captured.filter(|value| !matches!(value, Value::Function(_)));
        Some(
            self.defaults
                .iter()
                .flatten()
                .cloned()
                .chain(captured)
                .collect(),
        )
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

/// An iteration under way; its end unlocks what it goes over.
enum Iteration {
    List(Rc<List>, usize),
    Dict(Rc<Dict>, usize),
    Range { next: i64, step: i64, left: usize },
    Fixed(std::vec::IntoIter<Value>),
}

impl Iteration {
    fn over(value: &Value) -> Result<Iteration> {
        Ok(match value {
            Value::List(list) => {
                list.lock.begin();
                Iteration::List(list.clone(), 0)
            }
            Value::Dict(dict) => {
                dict.lock.begin();
                Iteration::Dict(dict.clone(), 0)
            }
            Value::Range(range) => Iteration::Range {
                next: range.start,
                step: range.step,
                left: range.len(),
            },
            other => Iteration::Fixed(other.iterate()?.into_iter()),
        })
    }

    fn next(&mut self) -> Option<Value> {
        match self {
            Iteration::List(list, index) => {
                *index += 1;
                list.get(*index - 1)
            }
            Iteration::Dict(dict, index) => {
                *index += 1;
                dict.key_at(*index - 1)
            }
            Iteration::Range { next, step, left } => {
                *left = left.checked_sub(1)?;
                let value = *next;
                *next = next.wrapping_add(*step);
                Some(Value::Int(value))
            }
            Iteration::Fixed(values) => values.next(),
        }
    }
}

impl Drop for Iteration {
    fn drop(&mut self) {
        match self {
            Iteration::List(list, _) => list.lock.end(),
            Iteration::Dict(dict, _) => dict.lock.end(),
            Iteration::Range { .. } | Iteration::Fixed(_) => {}
        }
    }
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
    allocated: u64,
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
            allocated: 0,
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
    pub fn print(&self, line: &str) {
        if let Some(printer) = &self.printer {
            printer(line);
        }
    }

    /// Prints a line once, however often it is asked for.
    pub fn warn(&mut self, line: &'static str) {
        if !self.warnings.contains(&line) {
            self.warnings.push(line);
            self.print(line);
        }
    }

    /// Accounts for work done outside of the language, in its steps.
    ///
    /// # Errors
    /// The steps are used up, or the evaluation was interrupted.
    pub fn work(&mut self, steps: u64) -> Result<()> {
        self.steps = self.steps.saturating_add(steps);
        match self.stopped() {
            Some(reason) => Err(Error::fatal(reason)),
            None => Ok(()),
        }
    }

    /// Accounts for memory about to be used: bytes, or elements.
    ///
    /// # Errors
    /// The budget is used up.
    pub fn charge(&mut self, amount: u64) -> Result<()> {
        self.allocated = self.allocated.saturating_add(amount);
        if self.allocated > self.limits.allocation {
            return Err(Error::fatal(format!(
                "evaluation stopped: it made more than {} bytes",
                self.limits.allocation
            )));
        }
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
                    Body::Closure(body) => body(interp, args),
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
        let locals = self.locals.len();
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
            if self.steps & 1023 == 0 {
                self.check_limits(depth, next)?;
            }
            match self.step(op, &function, locals, &mut next) {
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

    fn check_limits(&mut self, depth: usize, next: usize) -> Result<()> {
        let Some(reason) = self.stopped() else {
            return Ok(());
        };
        if let Some(frame) = self.frames.get_mut(depth - 1) {
            frame.next = next;
        }
        Err(Error::fatal(reason))
    }

    /// Why the evaluation must end, if it must.
    fn stopped(&self) -> Option<String> {
        if self.steps > self.limits.steps {
            return Some(format!(
                "evaluation stopped: more than {} steps",
                self.limits.steps
            ));
        }
        let interrupted = self.limits.interrupted.as_ref()?;
        interrupted().then(|| "evaluation stopped: interrupted".to_string())
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
                let iteration = Iteration::over(&value)?;
                self.iterations.push(iteration);
            }
            Op::Next(target) => match self.iterations.last_mut().and_then(Iteration::next) {
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
                self.charge(1)?;
                if let Some(Value::Dict(dict)) = self.stack.last() {
                    let new = dict.insert(key.clone(), value)?;
                    if !new && matches!(op, Op::DictItem) {
                        return Err(Error::new(format!("duplicate key: {}", key.repr())));
                    }
                }
            }
            Op::ListAdd => {
                let value = self.pop();
                self.charge(1)?;
                if let Some(Value::List(list)) = self.stack.last() {
                    list.push(value)?;
                }
            }
            Op::Index => {
                let key = self.pop();
                let object = self.pop();
                self.stack.push(object.index(&key)?);
            }
            Op::SetIndex => {
                let key = self.pop();
                let object = self.pop();
                let value = self.pop();
                self.charge(1)?;
                object.set_index(key, value)?;
            }
            Op::StoreIndex => {
                let value = self.pop();
                let key = self.pop();
                let object = self.pop();
                self.charge(1)?;
                object.set_index(key, value)?;
            }
            Op::Slice => {
                let step = self.pop();
                let high = self.pop();
                let low = self.pop();
                let object = self.pop();
                let value = object.slice(&low, &high, &step)?;
                self.charge(value.length().unwrap_or(0) as u64)?;
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
            match sequence.try_iterate() {
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
            defaults,
            captures,
        }))
    }

    /// Pushes the elements of a sequence, the first one last.
    fn unpack(&mut self, value: &Value, count: usize) -> Result<()> {
        let Some(elements) = value.try_iterate() else {
            return Err(Error::new(format!(
                "got {} in sequence assignment",
                value.type_name()
            )));
        };
        let found = elements.len();
        if found != count {
            let which = if found > count { "many" } else { "few" };
            return Err(Error::new(format!(
                "too {which} values to unpack (got {found}, want {count})"
            )));
        }
        self.stack.extend(elements.into_iter().rev());
        Ok(())
    }

    /// `left op right`, but a list takes `+=` in place.
    fn in_place(&mut self, op: BinaryOp, left: Value, right: &Value) -> Result<Value> {
        if op == BinaryOp::Add
            && let Value::List(list) = &left
            && let Some(more) = right.try_iterate()
        {
            self.charge(more.len() as u64)?;
            list.change("apply += to", |items| items.extend(more))?;
            return Ok(left);
        }
        self.binary(op, &left, right)
    }

    fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Result<Value> {
        let found = match op {
            BinaryOp::Add => match (left, right) {
                (Value::Int(a), Value::Int(b)) => match a.checked_add(*b) {
                    Some(sum) => return Ok(Value::Int(sum)),
                    None => number::add(left, right),
                },
                (Value::Str(a), Value::Str(b)) => {
                    self.charge((a.len() + b.len()) as u64)?;
                    Some(Value::str([a.as_bytes(), b.as_bytes()].concat()))
                }
                (Value::List(a), Value::List(b)) => {
                    self.charge((a.len() + b.len()) as u64)?;
                    let mut elements = a.to_vec();
                    elements.extend(b.to_vec());
                    Some(Value::list(elements))
                }
                (Value::Tuple(a), Value::Tuple(b)) => {
                    self.charge((a.len() + b.len()) as u64)?;
                    Some(Value::tuple([a.as_slice(), b.as_slice()].concat()))
                }
                _ => number::add(left, right),
            },
            BinaryOp::Sub => number::subtract(left, right),
            BinaryOp::Mul => match (left, right) {
                (
                    Value::Str(_) | Value::List(_) | Value::Tuple(_),
                    Value::Int(_) | Value::BigInt(_),
                ) => Some(self.repeat(left, right)?),
                (
                    Value::Int(_) | Value::BigInt(_),
                    Value::Str(_) | Value::List(_) | Value::Tuple(_),
                ) => Some(self.repeat(right, left)?),
                _ => number::multiply(left, right),
            },
            BinaryOp::Div => number::divide(left, right).transpose()?,
            BinaryOp::FloorDiv => number::floor_divide(left, right).transpose()?,
            BinaryOp::Mod => match left {
                Value::Str(text) => {
                    let made = format::interpolate(text, right)?;
                    self.charge(made.length().unwrap_or(0) as u64)?;
                    Some(made)
                }
                _ => number::modulo(left, right).transpose()?,
            },
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => match (left, right) {
                (Value::Set(a), Value::Set(b)) => Some(combine(op, a, b)?),
                _ => match op {
                    BinaryOp::BitAnd => number::bit_and(left, right),
                    BinaryOp::BitOr => number::bit_or(left, right),
                    _ => number::bit_xor(left, right),
                },
            },
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                number::shift(left, right, op == BinaryOp::ShiftLeft).transpose()?
            }
            BinaryOp::In => contains(left, right)?.map(Value::Bool),
            // Written out of `in`: an error names that operator.
            BinaryOp::NotIn => match contains(left, right)? {
                Some(found) => Some(Value::Bool(!found)),
                None => return Err(unknown_binary(BinaryOp::In, left, right)),
            },
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual => Some(Value::Bool(Value::compare(op, left, right)?)),
            BinaryOp::And | BinaryOp::Or => None,
        };
        found.ok_or_else(|| unknown_binary(op, left, right))
    }

    fn repeat(&mut self, value: &Value, count: &Value) -> Result<Value> {
        /// Larger results are refused at once.
        const MOST: u128 = 1 << 30;
        let len = value.length().unwrap_or(0);
        let times = match count {
            Value::Int(count) => usize::try_from(*count).unwrap_or(0),
            _ if len == 0 => 0,
            _ => {
                return Err(Error::new(format!(
                    "repeat count {} too large",
                    count.repr()
                )));
            }
        };
        let size = len as u128 * times as u128;
        if size >= MOST {
            return Err(Error::new(format!("excessive repeat ({size} elements)")));
        }
        self.charge(size as u64)?;
        Ok(match value {
            Value::Str(text) => format::repeat(text, times),
            Value::List(list) => Value::list(repeated(&list.to_vec(), times)),
            Value::Tuple(tuple) => Value::tuple(repeated(tuple, times)),
            _ => Value::None,
        })
    }
}

fn repeated(elements: &[Value], times: usize) -> Vec<Value> {
    (0..times).flat_map(|_| elements.iter().cloned()).collect()
}

fn unary(op: UnaryOp, value: &Value) -> Result<Value> {
    let (symbol, result) = match op {
        UnaryOp::Not => return Ok(Value::Bool(!value.truth())),
        UnaryOp::Minus => ("-", number::negate(value)),
        UnaryOp::Plus => ("+", value.to_f64().map(|_| value.clone())),
        UnaryOp::Invert => ("~", number::invert(value)),
    };
    result.ok_or_else(|| Error::new(format!("unknown unary op: {symbol} {}", value.type_name())))
}

/// `element in container`; `None` if the container is none.
fn contains(element: &Value, container: &Value) -> Result<Option<bool>> {
    let any = |elements: &[Value]| -> Result<Option<bool>> {
        for candidate in elements {
            if candidate.equals(element)? {
                return Ok(Some(true));
            }
        }
        Ok(Some(false))
    };
    match container {
        Value::List(list) => any(&list.to_vec()),
        Value::Tuple(tuple) => any(tuple),
        // A key that cannot be hashed is not in a dict.
        Value::Dict(dict) => Ok(Some(dict.get(element).is_ok_and(|found| found.is_some()))),
        Value::Set(set) => set.contains(element).map(Some),
        Value::Str(text) => match element {
            Value::Str(part) => Ok(Some(builtins::holds(text, part))),
            other => {
                let kind = other.type_name();
                Err(Error::new(format!(
                    "'in <string>' requires string as left operand, not {kind}"
                )))
            }
        },
        Value::Range(range) => match number::to_integer(element) {
            Ok(Value::Int(value)) => Ok(Some(range.contains(value))),
            Ok(_) => Ok(Some(false)),
            Err(_) => {
                let kind = element.type_name();
                Err(Error::new(format!(
                    "'in <range>' requires integer as left operand, not {kind}"
                )))
            }
        },
        Value::Host(host) => Ok(host.0.contains(element).map(|found| found.unwrap_or(false))),
        _ => Ok(None),
    }
}

/// `&`, `|` and `^` of two sets.
fn combine(op: BinaryOp, left: &Set, right: &Set) -> Result<Value> {
    let result = Set::default();
    let add = |from: &Set, keep: &dyn Fn(&Value) -> bool| -> Result<()> {
        from.to_vec()
            .into_iter()
            .filter(keep)
            .try_for_each(|element| result.insert(element))
    };
    let within = |set: &Set, element: &Value| set.contains(element).unwrap_or(false);
    match op {
        BinaryOp::BitAnd => {
            let (small, large) = if left.len() > right.len() {
                (right, left)
            } else {
                (left, right)
            };
            add(small, &|element| within(large, element))?;
        }
        BinaryOp::BitOr => {
            add(left, &|_| true)?;
            add(right, &|_| true)?;
        }
        _ => {
            add(left, &|element| !within(right, element))?;
            add(right, &|element| !within(left, element))?;
        }
    }
    Ok(Value::Set(Rc::new(result)))
}

fn unknown_binary(op: BinaryOp, left: &Value, right: &Value) -> Error {
    let (left, right) = (left.type_name(), right.type_name());
    Error::new(format!("unknown binary op: {left} {} {right}", op.symbol()))
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
