//! Calls: from Rust and from the language, and how arguments find their parameters.

use super::super::code::{self, CallShape, Capture, Code};
use super::super::collections::{Dict, ELEMENT};
use super::super::error::{Error, Frame, Result};
use super::super::format;
use super::super::value::{Args, Body, Value};
use super::{Activation, Flow, Function, Interp};
use crate::bytestring::Str;
use std::cell::RefCell;
use std::rc::Rc;

impl Interp {
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
                        // What such a function does is taken to be as much as it gets and gives.
                        let given: usize = args.positional.iter().map(Value::bytes).sum();
                        interp.work(given as u64)?;
                        let value = body(interp, &builtin.held, args)?;
                        interp.work(value.bytes() as u64)?;
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
    pub(super) fn nested<T>(&mut self, work: impl FnOnce(&mut Interp) -> Result<T>) -> Result<T> {
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

    /// Pushes a call of a function whose locals begin at `locals`; those that are not there yet have no value.
    pub(super) fn begin(&mut self, function: Rc<Function>, locals: usize) -> Result<()> {
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
    pub(super) fn ready(&mut self) {
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
    pub(super) fn bind(&mut self, function: &Rc<Function>, args: Args) -> Result<()> {
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

        self.begin(function.clone(), self.locals.len())?;
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
    pub(super) fn execute(&mut self, floor: usize) -> Result<Value> {
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

    /// Calls what stands at `at` with the `count` values above it.
    pub(super) fn call_on_stack(
        &mut self,
        at: usize,
        count: usize,
        next: &mut usize,
    ) -> Result<Flow> {
        if let Some(Value::Function(function)) = self.stack.get(at)
            && function.code.simple
            && function.code.parameters.len() == count
        {
            let function = function.clone();
            self.pause(*next);
            let locals = self.locals.len();
            self.locals.extend(self.stack.drain(at + 1..).map(Some));
            self.pop();
            self.begin(function, locals)?;
            self.ready();
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

    pub(super) fn call_value(
        &mut self,
        callee: &Value,
        args: Args,
        next: &mut usize,
    ) -> Result<Flow> {
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
    pub(super) fn collect(&mut self, shape: &CallShape) -> Result<Args> {
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

    pub(super) fn make_function(&mut self, code: &Rc<Code>, maker: &Rc<Function>) -> Value {
        let count = code
            .parameters
            .iter()
            .filter(|parameter| parameter.has_default)
            .count();
        let mut given = self.pop_many(count).into_iter();
        let defaults = if count == 0 {
            Vec::new()
        } else {
            let default = |parameter: &code::Parameter| {
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
        Value::Function(Rc::new(Function::new(
            code.clone(),
            maker.env.clone(),
            defaults,
            captures,
        )))
    }

    /// Pushes the elements of a sequence, the first one last.
    pub(super) fn unpack(&mut self, value: &Value, count: usize) -> Result<()> {
        let fits = |found: usize| {
            if found == count {
                return Ok(());
            }
            let which = if found > count { "many" } else { "few" };
            Err(Error::new(format!(
                "too {which} values to unpack (got {found}, want {count})"
            )))
        };
        match value {
            Value::Range(range) => fits(range.len())?,
            Value::Tuple(tuple) => {
                fits(tuple.len())?;
                self.stack.extend(tuple.iter().rev().cloned());
                return Ok(());
            }
            _ => {}
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

fn not_callable(value: &Value) -> Error {
    Error::new(format!(
        "invalid call of non-function ({})",
        value.type_name()
    ))
}
