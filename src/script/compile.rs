//! From a resolved syntax tree to code for the machine in `vm`.

use super::ast::{
    Arg, BinaryOp, Binding, Branch, Clause, Expr, File, FunctionDef, Ident, Operand, Param, Pos,
    Stmt, UnaryOp,
};
use super::error::SyntaxError;
use super::value::Value;
use crate::bytestring::Str;
use std::rc::Rc;

/// How deep expressions and statements may nest; the compiler calls itself for each level.
const MOST_NESTING: usize = 1000;

/// One instruction. Operands are on the stack; the last one pushed is the last one written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Constant(u32),
    Local(u16),
    SetLocal(u16),
    Cell(u16),
    SetCell(u16),
    Free(u16),
    Global(u16),
    SetGlobal(u16),
    Universal(u16),
    Pop,
    Duplicate,
    DuplicateTwo,
    Unary(UnaryOp),
    Binary(BinaryOp),
    /// `left op= right`: a list takes `+=` in place.
    InPlace(BinaryOp),
    Jump(u32),
    /// Takes the condition off.
    JumpIfFalse(u32),
    /// `and`: jumps and keeps a false value, else takes it off.
    JumpIfFalseOrPop(u32),
    /// `or`: jumps and keeps a true value, else takes it off.
    JumpIfTrueOrPop(u32),
    /// Starts iterating over the value.
    Iterate,
    /// Pushes the next element, or ends the iteration and jumps.
    Next(u32),
    /// Ends the innermost iteration early.
    EndIteration,
    List(u32),
    Tuple(u32),
    Dict,
    /// A dict display's item: the key must be new.
    DictItem,
    /// A dict comprehension's item.
    DictAdd,
    ListAdd,
    Index,
    /// The value, the object and the index are on the stack.
    SetIndex,
    /// The object, the index and the value are on the stack.
    StoreIndex,
    Slice,
    Attr(u32),
    /// The value and the object are on the stack.
    SetAttr(u32),
    /// The object and the value are on the stack.
    StoreAttr(u32),
    /// Takes a sequence apart into so many values, the first on top.
    Unpack(u32),
    /// Makes a function; the defaults are on the stack.
    Function(u32),
    /// Calls with positional arguments only.
    Call(u32),
    /// Calls with arguments of every kind.
    CallWith(u32),
    /// Looks up a method for the call that follows: a receiver becomes a built-in method's index and the receiver, or
    /// `None` and a callee.
    Method(u32),
    /// Calls what `Method` found, with positional arguments only.
    CallMethod(u32),
    /// Calls an operation of the node builder with positional arguments.
    Build {
        operation: u16,
        count: u16,
    },
    /// Calls an operation of the node builder with arguments of every kind.
    BuildWith {
        operation: u16,
        call: u32,
    },
    /// Calls an operation of the node builder for a node.
    Node {
        operation: u16,
        tag: u32,
    },
    Load(u32),
    Return,
    /// `return` without a value, and the end of a function.
    ReturnNone,
}

/// The shape of a call whose arguments are not all positional.
#[derive(Debug)]
pub(super) struct CallShape {
    pub positional: usize,
    pub names: Vec<Str>,
    pub star: bool,
    pub star_star: bool,
}

/// A `load`: what from where.
#[derive(Debug)]
pub(super) struct LoadShape {
    pub module: Str,
    pub names: Vec<Rc<str>>,
}

/// A parameter that takes a value of its own.
#[derive(Debug)]
pub(super) struct Parameter {
    pub name: Rc<str>,
    pub slot: u16,
    pub has_default: bool,
    pub keyword_only: bool,
}

/// A function's code.
pub(super) struct Code {
    pub name: Rc<str>,
    pub ops: Vec<Op>,
    /// For each instruction its line in the program's text.
    pub lines: Vec<u32>,
    pub constants: Vec<Value>,
    pub names: Vec<Rc<str>>,
    pub functions: Vec<Rc<Code>>,
    pub calls: Vec<CallShape>,
    pub loads: Vec<LoadShape>,
    /// Names of the local variables by slot.
    pub locals: Vec<Rc<str>>,
    /// Slots of the variables that inner functions capture.
    pub cells: Vec<u16>,
    /// What an instance captures from the function that makes it.
    pub captures: Vec<(Rc<str>, Capture)>,
    pub parameters: Vec<Parameter>,
    pub args: Option<u16>,
    pub kwargs: Option<u16>,
    /// True if positional arguments can be moved into the first slots as they stand.
    pub simple: bool,
    /// True if the function returns the nodes that its body builds.
    pub builds: bool,
}

/// Where a captured variable is found when a function is made.
#[derive(Clone, Copy, Debug)]
pub(super) enum Capture {
    /// Index into the maker's cells.
    Cell(u16),
    /// Index into the maker's own captures.
    Free(u16),
}

/// Compiles a file's top level.
pub(super) fn compile(file: &File) -> Result<Code, SyntaxError> {
    let locals = file.locals.borrow();
    let mut compiler = Compiler::new("<toplevel>".into(), &locals, Vec::new(), false);
    compiler.body(&file.body)?;
    Ok(compiler.finish(Vec::new(), None, None))
}

struct Loop {
    start: u32,
    breaks: Vec<usize>,
    /// True for `for`: leaving early ends an iteration.
    iterates: bool,
}

struct Compiler {
    code: Code,
    loops: Vec<Loop>,
    line: u32,
    depth: usize,
}

impl Compiler {
    fn new(
        name: Rc<str>,
        locals: &[super::ast::Local],
        captures: Vec<(Rc<str>, Capture)>,
        builds: bool,
    ) -> Compiler {
        let cells = (0_u16..)
            .zip(locals)
            .filter(|(_, local)| local.is_cell)
            .map(|(slot, _)| slot)
            .collect();
        let code = Code {
            name,
            ops: Vec::new(),
            lines: Vec::new(),
            constants: Vec::new(),
            names: Vec::new(),
            functions: Vec::new(),
            calls: Vec::new(),
            loads: Vec::new(),
            locals: locals.iter().map(|local| local.name.clone()).collect(),
            cells,
            captures,
            parameters: Vec::new(),
            args: None,
            kwargs: None,
            simple: false,
            builds,
        };
        Compiler {
            code,
            loops: Vec::new(),
            line: 1,
            depth: 0,
        }
    }

    fn finish(
        mut self,
        parameters: Vec<Parameter>,
        args: Option<u16>,
        kwargs: Option<u16>,
    ) -> Code {
        self.emit(Op::ReturnNone);
        let in_order = (0_u16..)
            .zip(&parameters)
            .all(|(slot, parameter)| parameter.slot == slot);
        let plain = parameters.iter().all(|parameter| !parameter.keyword_only);
        self.code.simple = in_order && plain && args.is_none() && kwargs.is_none();
        self.code.parameters = parameters;
        self.code.args = args;
        self.code.kwargs = kwargs;
        self.code
    }

    fn emit(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.lines.push(self.line);
        self.code.ops.len() - 1
    }

    fn emit_at(&mut self, pos: Pos, op: Op) -> usize {
        self.line = pos.line;
        self.emit(op)
    }

    fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    /// Lets a jump that was emitted without a target lead here.
    fn land(&mut self, at: usize) {
        let target = self.here();
        if let Some(
            Op::Jump(to)
            | Op::JumpIfFalse(to)
            | Op::JumpIfFalseOrPop(to)
            | Op::JumpIfTrueOrPop(to)
            | Op::Next(to),
        ) = self.code.ops.get_mut(at)
        {
            *to = target;
        }
    }

    fn constant(&mut self, value: Value) -> Op {
        self.code.constants.push(value);
        Op::Constant((self.code.constants.len() - 1) as u32)
    }

    fn name(&mut self, name: &Rc<str>) -> u32 {
        let names = &mut self.code.names;
        let index = names
            .iter()
            .position(|known| known == name)
            .unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            });
        index as u32
    }

    fn cell(&self, slot: u16) -> u16 {
        self.code
            .cells
            .iter()
            .position(|&cell| cell == slot)
            .unwrap_or(0) as u16
    }

    fn nested<T>(
        &mut self,
        pos: Pos,
        work: impl FnOnce(&mut Self) -> Result<T, SyntaxError>,
    ) -> Result<T, SyntaxError> {
        if self.depth >= MOST_NESTING {
            return Err(SyntaxError {
                pos,
                message: "nested too deeply".into(),
            });
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    fn body(&mut self, body: &[Stmt]) -> Result<(), SyntaxError> {
        body.iter()
            .try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Stmt) -> Result<(), SyntaxError> {
        match statement {
            Stmt::Expr(expr) => {
                self.expr(expr)?;
                self.emit(Op::Pop);
            }
            Stmt::Assign {
                target,
                op: None,
                op_pos,
                value,
            } => {
                self.expr(value)?;
                self.assign(*op_pos, target)?;
            }
            Stmt::Assign {
                target,
                op: Some(op),
                op_pos,
                value,
            } => self.augmented(target, *op, *op_pos, value)?,
            Stmt::Break(pos) => {
                self.line = pos.line;
                if self.loops.last().is_some_and(|inner| inner.iterates) {
                    self.emit(Op::EndIteration);
                }
                let jump = self.emit(Op::Jump(0));
                if let Some(inner) = self.loops.last_mut() {
                    inner.breaks.push(jump);
                }
            }
            Stmt::Continue(pos) => {
                let start = self.loops.last().map_or(0, |inner| inner.start);
                self.emit_at(*pos, Op::Jump(start));
            }
            Stmt::Def { name, function } => {
                self.function(function)?;
                self.set(name);
            }
            Stmt::For {
                pos,
                target,
                iterable,
                body,
            } => {
                self.nested(*pos, |this| this.for_loop(*pos, target, iterable, body))?;
            }
            Stmt::While {
                pos,
                condition,
                body,
            } => self.nested(*pos, |this| {
                let start = this.here();
                this.expr(condition)?;
                let exit = this.emit_at(*pos, Op::JumpIfFalse(0));
                this.loops.push(Loop {
                    start,
                    breaks: Vec::new(),
                    iterates: false,
                });
                this.body(body)?;
                this.emit(Op::Jump(start));
                this.land(exit);
                this.end_loop();
                Ok(())
            })?,
            Stmt::If {
                branches,
                otherwise,
            } => {
                let pos = branches
                    .first()
                    .map_or_else(Pos::default, |first| first.pos);
                self.nested(pos, |this| this.if_chain(branches, otherwise))?;
            }
            Stmt::Load {
                pos,
                module,
                bindings,
                ..
            } => {
                let names = bindings
                    .iter()
                    .map(|binding| binding.name.clone())
                    .collect();
                self.code.loads.push(LoadShape {
                    module: module.clone(),
                    names,
                });
                self.emit_at(*pos, Op::Load((self.code.loads.len() - 1) as u32));
                for binding in bindings.iter().rev() {
                    self.set(&binding.local);
                }
            }
            Stmt::Node {
                pos,
                operation,
                tag,
            } => {
                self.emit_at(
                    *pos,
                    Op::Node {
                        operation: *operation,
                        tag: *tag,
                    },
                );
            }
            Stmt::Return { pos, value } => match value {
                Some(value) => {
                    self.expr(value)?;
                    self.emit_at(*pos, Op::Return);
                }
                None => {
                    self.emit_at(*pos, Op::ReturnNone);
                }
            },
        }
        Ok(())
    }

    fn for_loop(
        &mut self,
        pos: Pos,
        target: &Expr,
        iterable: &Expr,
        body: &[Stmt],
    ) -> Result<(), SyntaxError> {
        self.expr(iterable)?;
        self.emit_at(pos, Op::Iterate);
        let start = self.here();
        let exit = self.emit_at(pos, Op::Next(0));
        self.assign(pos, target)?;
        self.loops.push(Loop {
            start,
            breaks: Vec::new(),
            iterates: true,
        });
        self.body(body)?;
        self.emit(Op::Jump(start));
        self.land(exit);
        self.end_loop();
        Ok(())
    }

    fn end_loop(&mut self) {
        for jump in self
            .loops
            .pop()
            .map(|inner| inner.breaks)
            .unwrap_or_default()
        {
            self.land(jump);
        }
    }

    fn if_chain(&mut self, branches: &[Branch], otherwise: &[Stmt]) -> Result<(), SyntaxError> {
        let mut ends = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            self.expr(&branch.condition)?;
            let skip = self.emit_at(branch.pos, Op::JumpIfFalse(0));
            self.body(&branch.body)?;
            if index + 1 < branches.len() || !otherwise.is_empty() {
                ends.push(self.emit(Op::Jump(0)));
            }
            self.land(skip);
        }
        self.body(otherwise)?;
        ends.into_iter().for_each(|end| self.land(end));
        Ok(())
    }

    /// Stores the value on the stack under a name.
    fn set(&mut self, ident: &Ident) {
        match ident.binding.get() {
            Binding::Local(slot) => self.emit(Op::SetLocal(slot)),
            Binding::Cell(slot) => self.emit(Op::SetCell(self.cell(slot))),
            Binding::Global(slot) => self.emit(Op::SetGlobal(slot)),
            // The resolver lets nothing else be assigned.
            _ => self.emit(Op::Pop),
        };
    }

    fn assign(&mut self, pos: Pos, target: &Expr) -> Result<(), SyntaxError> {
        match target {
            Expr::Paren(_, inner) => self.nested(pos, |this| this.assign(pos, inner))?,
            Expr::Ident(ident) => self.set(ident),
            Expr::Tuple(_, targets) | Expr::List(_, targets) => {
                self.emit_at(pos, Op::Unpack(targets.len() as u32));
                for target in targets {
                    self.nested(pos, |this| this.assign(pos, target))?;
                }
            }
            Expr::Index { object, pos, index } => {
                self.expr(object)?;
                self.expr(index)?;
                // The value was computed first and lies below.
                self.emit_at(*pos, Op::SetIndex);
            }
            Expr::Dot {
                object, pos, name, ..
            } => {
                self.expr(object)?;
                let name = self.name(name);
                self.emit_at(*pos, Op::SetAttr(name));
            }
            _ => {
                self.emit(Op::Pop);
            }
        }
        Ok(())
    }

    fn augmented(
        &mut self,
        target: &Expr,
        op: BinaryOp,
        op_pos: Pos,
        value: &Expr,
    ) -> Result<(), SyntaxError> {
        match target {
            Expr::Paren(_, inner) => {
                self.nested(op_pos, |this| this.augmented(inner, op, op_pos, value))
            }
            Expr::Index { object, pos, index } => {
                self.expr(object)?;
                self.expr(index)?;
                self.emit_at(*pos, Op::DuplicateTwo);
                self.emit(Op::Index);
                self.expr(value)?;
                self.emit_at(op_pos, Op::InPlace(op));
                self.emit_at(*pos, Op::StoreIndex);
                Ok(())
            }
            Expr::Dot {
                object, pos, name, ..
            } => {
                self.expr(object)?;
                let name = self.name(name);
                self.emit_at(*pos, Op::Duplicate);
                self.emit(Op::Attr(name));
                self.expr(value)?;
                self.emit_at(op_pos, Op::InPlace(op));
                self.emit_at(*pos, Op::StoreAttr(name));
                Ok(())
            }
            _ => {
                self.expr(target)?;
                self.expr(value)?;
                self.emit_at(op_pos, Op::InPlace(op));
                self.assign(op_pos, target)
            }
        }
    }

    fn function(&mut self, def: &Rc<FunctionDef>) -> Result<(), SyntaxError> {
        let mut parameters = Vec::new();
        let (mut args, mut kwargs, mut keyword_only) = (None, None, false);
        for param in &def.params {
            match param {
                Param::Plain(ident) => parameters.push(parameter(ident, false, keyword_only)),
                Param::Default(ident, default) => {
                    self.expr(default)?;
                    parameters.push(parameter(ident, true, keyword_only));
                }
                Param::Star(_) => keyword_only = true,
                Param::Args(ident) => (args, keyword_only) = (Some(slot(ident)), true),
                Param::Kwargs(ident) => kwargs = Some(slot(ident)),
            }
        }
        let captures = def
            .captures
            .borrow()
            .iter()
            .map(|(name, binding)| {
                let capture = match binding {
                    Binding::Free(index) => Capture::Free(*index),
                    Binding::Cell(slot) | Binding::Local(slot) => Capture::Cell(self.cell(*slot)),
                    _ => Capture::Cell(0),
                };
                (name.clone(), capture)
            })
            .collect();
        let mut inner = Compiler::new(
            def.name.clone(),
            &def.locals.borrow(),
            captures,
            def.builds.get(),
        );
        inner.line = def.pos.line;
        inner.depth = self.depth;
        inner.nested(def.pos, |inner| inner.body(&def.body))?;
        self.code
            .functions
            .push(Rc::new(inner.finish(parameters, args, kwargs)));
        self.emit_at(
            def.pos,
            Op::Function((self.code.functions.len() - 1) as u32),
        );
        Ok(())
    }

    fn expr(&mut self, expr: &Expr) -> Result<(), SyntaxError> {
        self.nested(expr.pos(), |this| this.expression(expr))
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Result<(), SyntaxError> {
        exprs.iter().try_for_each(|expr| self.expr(expr))
    }

    fn expression(&mut self, expr: &Expr) -> Result<(), SyntaxError> {
        match expr {
            Expr::Ident(ident) => {
                let op = match ident.binding.get() {
                    Binding::Local(slot) => Op::Local(slot),
                    Binding::Cell(slot) => Op::Cell(self.cell(slot)),
                    Binding::Free(index) => Op::Free(index),
                    Binding::Global(slot) => Op::Global(slot),
                    Binding::Universal(index) => Op::Universal(index),
                    Binding::Builder(_) | Binding::Undefined => self.constant(Value::None),
                };
                self.emit_at(ident.pos, op);
            }
            Expr::Str(pos, text) => self.literal(*pos, Value::Str(text.clone())),
            Expr::Int(pos, value) => self.literal(*pos, Value::Int(*value)),
            Expr::BigInt(pos, value) => self.literal(*pos, Value::from((**value).clone())),
            Expr::Float(pos, value) => self.literal(*pos, Value::Float(*value)),
            Expr::Paren(_, inner) => self.expr(inner)?,
            Expr::Call {
                function,
                pos,
                args,
            } => self.call(function, *pos, args)?,
            Expr::Build {
                operation,
                pos,
                args,
            } => self.arguments(Callee::Builder(*operation), *pos, args)?,
            Expr::Dot {
                object, pos, name, ..
            } => {
                self.expr(object)?;
                let name = self.name(name);
                self.emit_at(*pos, Op::Attr(name));
            }
            Expr::Index { object, pos, index } => {
                self.expr(object)?;
                self.expr(index)?;
                self.emit_at(*pos, Op::Index);
            }
            Expr::Slice {
                object,
                pos,
                low,
                high,
                step,
            } => {
                self.expr(object)?;
                for bound in [low, high, step] {
                    match bound {
                        Some(bound) => self.expr(bound)?,
                        None => {
                            let none = self.constant(Value::None);
                            self.emit(none);
                        }
                    }
                }
                self.emit_at(*pos, Op::Slice);
            }
            Expr::List(pos, elements) => {
                self.exprs(elements)?;
                self.emit_at(*pos, Op::List(elements.len() as u32));
            }
            Expr::Tuple(pos, elements) => {
                self.exprs(elements)?;
                self.emit_at(*pos, Op::Tuple(elements.len() as u32));
            }
            Expr::Dict(pos, items) => {
                self.emit_at(*pos, Op::Dict);
                for (key, colon, value) in items {
                    self.expr(key)?;
                    self.expr(value)?;
                    self.emit_at(*colon, Op::DictItem);
                }
            }
            Expr::Comprehension {
                pos,
                key,
                body,
                clauses,
            } => {
                let start = if key.is_some() { Op::Dict } else { Op::List(0) };
                self.emit_at(*pos, start);
                self.clauses(clauses, key.as_ref(), body)?;
            }
            Expr::Conditional {
                pos,
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition)?;
                let skip = self.emit_at(*pos, Op::JumpIfFalse(0));
                self.expr(then)?;
                let end = self.emit(Op::Jump(0));
                self.land(skip);
                self.expr(otherwise)?;
                self.land(end);
            }
            Expr::Lambda(def) => self.function(def)?,
            Expr::Unary { op, pos, operand } => {
                self.expr(operand)?;
                self.emit_at(*pos, Op::Unary(*op));
            }
            Expr::Binary { first, rest } => self.operators(first, rest)?,
        }
        Ok(())
    }

    fn literal(&mut self, pos: Pos, value: Value) {
        let op = self.constant(value);
        self.emit_at(pos, op);
    }

    fn operators(&mut self, first: &Expr, rest: &[Operand]) -> Result<(), SyntaxError> {
        self.expr(first)?;
        for Operand { op, pos, right } in rest {
            let (op, pos) = (*op, *pos);
            let jump = match op {
                BinaryOp::And => Some(Op::JumpIfFalseOrPop(0)),
                BinaryOp::Or => Some(Op::JumpIfTrueOrPop(0)),
                _ => None,
            };
            if let Some(jump) = jump {
                let end = self.emit_at(pos, jump);
                self.expr(right)?;
                self.land(end);
            } else {
                self.expr(right)?;
                self.emit_at(pos, Op::Binary(op));
            }
        }
        Ok(())
    }

    fn clauses(
        &mut self,
        clauses: &[Clause],
        key: Option<&(Box<Expr>, Pos)>,
        body: &Expr,
    ) -> Result<(), SyntaxError> {
        let Some((clause, rest)) = clauses.split_first() else {
            if let Some((key, colon)) = key {
                self.expr(key)?;
                self.expr(body)?;
                self.emit_at(*colon, Op::DictAdd);
            } else {
                self.expr(body)?;
                self.emit(Op::ListAdd);
            }
            return Ok(());
        };
        match clause {
            Clause::For {
                pos,
                target,
                iterable,
            } => {
                self.expr(iterable)?;
                self.emit_at(*pos, Op::Iterate);
                let start = self.here();
                let exit = self.emit_at(*pos, Op::Next(0));
                self.assign(*pos, target)?;
                self.nested(*pos, |this| this.clauses(rest, key, body))?;
                self.emit(Op::Jump(start));
                self.land(exit);
            }
            Clause::If { pos, condition } => {
                self.expr(condition)?;
                let skip = self.emit_at(*pos, Op::JumpIfFalse(0));
                self.nested(*pos, |this| this.clauses(rest, key, body))?;
                self.land(skip);
            }
        }
        Ok(())
    }

    fn call(&mut self, function: &Expr, pos: Pos, args: &[Arg]) -> Result<(), SyntaxError> {
        let callee = match function {
            Expr::Ident(Ident { binding, .. })
                if let Binding::Builder(operation) = binding.get() =>
            {
                Callee::Builder(operation)
            }
            Expr::Dot {
                object, pos, name, ..
            } if is_plain(args) => {
                self.expr(object)?;
                let name = self.name(name);
                self.emit_at(*pos, Op::Method(name));
                Callee::Method
            }
            _ => {
                self.expr(function)?;
                Callee::Value
            }
        };
        self.arguments(callee, pos, args)
    }

    /// The arguments of a call, and the call.
    fn arguments(&mut self, callee: Callee, pos: Pos, args: &[Arg]) -> Result<(), SyntaxError> {
        let mut shape = CallShape {
            positional: 0,
            names: Vec::new(),
            star: false,
            star_star: false,
        };
        for arg in args {
            match arg {
                Arg::Positional(value) => {
                    self.expr(value)?;
                    shape.positional += 1;
                }
                Arg::Named(name, _, value) => {
                    self.expr(value)?;
                    shape.names.push((&**name).into());
                }
                Arg::Args(..) | Arg::Kwargs(..) => {}
            }
        }
        for arg in args {
            if let Arg::Args(_, value) = arg {
                self.expr(value)?;
                shape.star = true;
            }
        }
        for arg in args {
            if let Arg::Kwargs(_, value) = arg {
                self.expr(value)?;
                shape.star_star = true;
            }
        }
        let count = shape.positional;
        let op = match (callee, is_plain(args)) {
            (Callee::Method, _) => Op::CallMethod(count as u32),
            (Callee::Builder(operation), true) if count <= usize::from(u16::MAX) => Op::Build {
                operation,
                count: count as u16,
            },
            (Callee::Value, true) => Op::Call(count as u32),
            _ => {
                self.code.calls.push(shape);
                let call = (self.code.calls.len() - 1) as u32;
                match callee {
                    Callee::Builder(operation) => Op::BuildWith { operation, call },
                    _ => Op::CallWith(call),
                }
            }
        };
        self.emit_at(pos, op);
        Ok(())
    }
}

/// What is called.
#[derive(Clone, Copy)]
enum Callee {
    /// A value on the stack.
    Value,
    /// What `Op::Method` leaves there.
    Method,
    /// An operation of the node builder.
    Builder(u16),
}

fn is_plain(args: &[Arg]) -> bool {
    args.iter().all(|arg| matches!(arg, Arg::Positional(_)))
}

fn slot(ident: &Ident) -> u16 {
    match ident.binding.get() {
        Binding::Local(slot) | Binding::Cell(slot) => slot,
        _ => 0,
    }
}

fn parameter(ident: &Ident, has_default: bool, keyword_only: bool) -> Parameter {
    Parameter {
        name: ident.name.clone(),
        slot: slot(ident),
        has_default,
        keyword_only,
    }
}
