//! The machine: runs compiled programs on stacks of its own, so that deep calls in the language need no native stack.

mod account;
mod call;
mod program;

use super::builtins;
use super::code::{Code, Op};
use super::collections::{Dict, dismantle};
use super::error::{Error, Result};
use super::format;
use super::iteration::Iteration;
use super::limits::Limits;
use super::operators::unary;
use super::value::{Args, Value};
use crate::memory::{self, Held};
use account::PERIOD;
pub use program::{Builder, Function, Globals, Loader, Program};
use program::{CellBox, Env};
use std::rc::Rc;

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
    /// Values that are made once.
    made: Vec<(&'static str, Value)>,
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
            made: Vec::new(),
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

    /// A value that an evaluation needs again and again, made when it is first asked for.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn once(
        &mut self,
        name: &'static str,
        make: impl FnOnce(&mut Interp) -> Result<Value>,
    ) -> Result<Value> {
        if let Some((_, value)) = self.made.iter().find(|(known, _)| *known == name) {
            return Ok(value.clone());
        }
        let value = make(self)?;
        self.made.push((name, value.clone()));
        Ok(value)
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
                let (marker, callee) = match builtins::find_method(&receiver, name) {
                    Some(index) => (Value::Int(index as i64), receiver),
                    None => (Value::None, receiver.get_attr(name)?),
                };
                self.stack.push(marker);
                self.stack.push(callee);
            }
            Op::CallMethod(count) => {
                let count = count as usize;
                let marker = self.stack.len().saturating_sub(count + 2);
                let Some(&Value::Int(index)) = self.stack.get(marker) else {
                    // Close the gap that the marker leaves, so that the call looks like any other.
                    self.stack.remove(marker);
                    return self.call_on_stack(marker, count, next);
                };
                let args = self.pop_many(count);
                let receiver = self.pop();
                self.pop();
                if let Some((name, method)) = builtins::method_at(&receiver, index as usize) {
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
            Op::Node { operation, tag } => match &function.env.builder {
                Some(builder) => builder.node(self, operation, tag)?,
                None => return Err(no_builder()),
            },
            Op::Load(index) => {
                if let Some(load) = code.loads.get(index as usize) {
                    let module = load.module.to_text();
                    let loader = function.env.loader.clone();
                    let globals =
                        self.nested(|interp| loader.load(interp, &module))
                            .map_err(|error| {
                                error.retold(format!("cannot load {module}: {}", error.message()))
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
            None => return Err(no_builder()),
        };
        self.stack.push(value);
        Ok(Flow::On)
    }
}

fn name_of(code: &Code, index: u32) -> &str {
    code.names.get(index as usize).map_or("", |name| name)
}

fn no_builder() -> Error {
    Error::new("nodes cannot be built here")
}

fn unset(kind: &str, name: Option<&Rc<str>>) -> Error {
    let name = name.map_or("", |name| name);
    Error::new(format!(
        "{kind} variable {name} referenced before assignment"
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
