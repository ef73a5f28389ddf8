//! Code for expressions, which leave one value on the stack.

use super::Compiler;
use crate::script::ast::{Arg, BinaryOp, Binding, Clause, Expr, Operand, Pos};
use crate::script::code::{CallShape, Op};
use crate::script::error::SyntaxError;
use crate::script::value::Value;

impl Compiler {
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<(), SyntaxError> {
        self.nested(expr.pos(), |this| this.expression(expr))
    }

    pub(super) fn exprs(&mut self, exprs: &[Expr]) -> Result<(), SyntaxError> {
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

    pub(super) fn clauses(
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

    pub(super) fn call(
        &mut self,
        function: &Expr,
        pos: Pos,
        args: &[Arg],
    ) -> Result<(), SyntaxError> {
        let callee = match function {
            Expr::Ident(ident) if let Binding::Builder(operation) = ident.binding.get() => {
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
