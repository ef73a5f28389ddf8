//! From a resolved syntax tree to code for the machine in `vm`.

mod expression;

use super::ast::{BinaryOp, Binding, Branch, Expr, File, FunctionDef, Ident, Param, Pos, Stmt};
use super::code::{Capture, Code, LoadShape, Op, Parameter};
use super::error::SyntaxError;
use super::value::Value;
use std::rc::Rc;

/// How deep expressions and statements may nest; the compiler calls itself for each level.
const MOST_NESTING: usize = 1000;

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
