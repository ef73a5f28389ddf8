//! The walk over a file's statements and expressions, which finds bindings and uses, and faults that need no names.

use super::{MOST_ARGUMENTS, Resolver};
use crate::hash;
use crate::script::ast::{Arg, Clause, Expr, FunctionDef, Ident, Param, Pos, Stmt};
use std::rc::Rc;

impl<'a> Resolver<'a> {
    pub(super) fn body(&mut self, body: &'a [Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Expr(expr) => self.expr(expr),
            Stmt::Node { .. } => {}
            Stmt::Break(pos) | Stmt::Continue(pos) => {
                if self.loops == 0 {
                    let word = if matches!(statement, Stmt::Break(_)) {
                        "break"
                    } else {
                        "continue"
                    };
                    self.fail(*pos, format!("{word} not in a loop"));
                }
            }
            Stmt::If {
                branches,
                otherwise,
            } => {
                for branch in branches {
                    self.expr(&branch.condition);
                    self.body(&branch.body);
                }
                self.body(otherwise);
            }
            Stmt::Assign {
                target, op, value, ..
            } => {
                self.expr(value);
                self.assign(target, op.is_some());
            }
            Stmt::Def { name, function } => {
                self.bind(name);
                self.function(function);
            }
            Stmt::For {
                target,
                iterable,
                body,
                ..
            } => {
                self.expr(iterable);
                self.assign(target, false);
                self.loops += 1;
                self.body(body);
                self.loops -= 1;
            }
            Stmt::While {
                condition, body, ..
            } => {
                self.expr(condition);
                self.loops += 1;
                self.body(body);
                self.loops -= 1;
            }
            Stmt::Return { pos, value } => {
                if !self.in_function() {
                    self.fail(*pos, "return statement not within a function");
                }
                if let Some(value) = value {
                    self.expr(value);
                }
            }
            Stmt::Load { pos, bindings, .. } => {
                if self.in_function() {
                    self.fail(*pos, "load statement within a function");
                }
                for binding in bindings {
                    if binding.name.is_empty() {
                        self.fail(binding.name_pos, "load: empty identifier");
                        continue;
                    }
                    if binding.name.starts_with('_') {
                        let name = &binding.name;
                        let message = format!(
                            "load: names with leading underscores are not exported: {name}"
                        );
                        self.fail(binding.name_pos, message);
                    }
                    self.bind_local(&binding.local);
                }
            }
        }
    }

    fn assign(&mut self, target: &'a Expr, augmented: bool) {
        match target {
            Expr::Ident(ident) => {
                self.bind(ident);
            }
            Expr::Index { object, index, .. } => {
                self.expr(object);
                self.expr(index);
            }
            Expr::Dot { object, .. } => self.expr(object),
            Expr::Paren(_, inner) => self.assign(inner, augmented),
            Expr::Tuple(_, targets) | Expr::List(_, targets) => {
                let (kind, empty) = if matches!(target, Expr::Tuple(..)) {
                    ("tuple", "()")
                } else {
                    ("list", "[]")
                };
                if targets.is_empty() {
                    self.fail(target.start(), format!("can't assign to {empty}"));
                }
                if augmented {
                    self.fail(
                        target.start(),
                        format!("can't use {kind} expression in augmented assignment"),
                    );
                }
                for target in targets {
                    self.assign(target, augmented);
                }
            }
            other => self.fail(other.start(), format!("can't assign to {}", kind(other))),
        }
    }

    fn exprs(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Ident(ident) => self.use_name(ident),
            Expr::Str(..) | Expr::Int(..) | Expr::BigInt(..) | Expr::Float(..) => {}
            Expr::Paren(_, inner) => self.expr(inner),
            Expr::Dot { object, .. } => self.expr(object),
            Expr::Index { object, index, .. } => self.exprs([&**object, &**index]),
            Expr::Slice {
                object,
                low,
                high,
                step,
                ..
            } => {
                self.expr(object);
                self.exprs(
                    [low, high, step]
                        .into_iter()
                        .flatten()
                        .map(|bound| &**bound),
                );
            }
            Expr::List(_, elements) | Expr::Tuple(_, elements) => self.exprs(elements),
            Expr::Dict(_, items) => {
                for (key, _, value) in items {
                    self.exprs([key, value]);
                }
            }
            Expr::Comprehension {
                key, body, clauses, ..
            } => {
                let mut clauses = clauses.iter();
                // What the first clause goes over is seen from outside: [x for x in x].
                if let Some(Clause::For {
                    target, iterable, ..
                }) = clauses.next()
                {
                    self.expr(iterable);
                    self.push(None);
                    self.assign(target, false);
                } else {
                    self.push(None);
                }
                for clause in clauses {
                    match clause {
                        Clause::If { condition, .. } => self.expr(condition),
                        Clause::For {
                            target, iterable, ..
                        } => {
                            self.assign(target, false);
                            self.expr(iterable);
                        }
                    }
                }
                if let Some((key, _)) = key {
                    self.expr(key);
                }
                self.expr(body);
                self.pop();
            }
            Expr::Conditional {
                condition,
                then,
                otherwise,
                ..
            } => {
                self.exprs([&**condition, &**then, &**otherwise]);
            }
            Expr::Lambda(function) => self.function(function),
            Expr::Unary { operand, .. } => self.expr(operand),
            Expr::Binary { first, rest } => {
                self.expr(first);
                self.exprs(rest.iter().map(|operand| &operand.right));
            }
            Expr::Build { pos, args, .. } => self.args(*pos, args),
            Expr::Call { function, args, .. } => {
                self.expr(function);
                self.args(expr.start(), args);
            }
        }
    }

    fn args(&mut self, start: Pos, args: &'a [Arg]) {
        let (mut star, mut star_star) = (false, false);
        let mut names: hash::Set<&str> = hash::Set::default();
        let (mut positional, mut named) = (0, 0);
        for arg in args {
            match arg {
                Arg::Kwargs(pos, value) => {
                    if star_star {
                        self.fail(*pos, "multiple **kwargs not allowed");
                    }
                    star_star = true;
                    self.expr(value);
                }
                Arg::Args(pos, value) => {
                    if star_star {
                        self.fail(*pos, "*args may not follow **kwargs");
                    } else if star {
                        self.fail(*pos, "multiple *args not allowed");
                    }
                    star = true;
                    self.expr(value);
                }
                Arg::Named(name, pos, value) => {
                    named += 1;
                    if star_star {
                        self.fail(*pos, "argument may not follow **kwargs");
                    }
                    if !names.insert(name) {
                        self.fail(*pos, format!("keyword argument {name} repeated"));
                    }
                    self.expr(value);
                }
                Arg::Positional(value) => {
                    positional += 1;
                    if star {
                        self.fail(value.start(), "argument may not follow *args");
                    } else if star_star {
                        self.fail(value.start(), "argument may not follow **kwargs");
                    } else if !names.is_empty() {
                        self.fail(value.start(), "positional argument may not follow named");
                    }
                    self.expr(value);
                }
            }
        }
        for (count, what) in [(positional, "positional"), (named, "keyword")] {
            if count > MOST_ARGUMENTS {
                self.fail(
                    start,
                    format!("{count} {what} arguments in call, limit is {MOST_ARGUMENTS}"),
                );
            }
        }
    }

    fn function(&mut self, function: &'a Rc<FunctionDef>) {
        for param in &function.params {
            if let Param::Default(_, default) = param {
                self.expr(default);
            }
        }
        let outer_loops = std::mem::take(&mut self.loops);
        let block = self.push(Some(function));
        self.params(&function.params);
        self.body(&function.body);
        self.decide_local_uses(block);
        self.pop();
        self.loops = outer_loops;
    }

    /// `*args` and `**kwargs` get their slots after all others.
    fn params(&mut self, params: &'a [Param]) {
        let (mut star, mut star_star): (Option<&Param>, Option<&Ident>) = (None, None);
        let (mut optional, mut keyword_only) = (false, 0);
        for param in params {
            match param {
                Param::Plain(ident) => {
                    if let Some(kwargs) = star_star {
                        self.fail(
                            ident.pos,
                            format!("required parameter may not follow **{}", kwargs.name),
                        );
                    } else if star.is_some() {
                        keyword_only += 1;
                    } else if optional {
                        self.fail(ident.pos, "required parameter may not follow optional");
                    }
                    self.bind_param(ident);
                }
                Param::Default(ident, _) => {
                    if let Some(kwargs) = star_star {
                        self.fail(
                            ident.pos,
                            format!("optional parameter may not follow **{}", kwargs.name),
                        );
                    } else if star.is_some() {
                        keyword_only += 1;
                    }
                    self.bind_param(ident);
                    optional = true;
                }
                Param::Star(pos) | Param::Args(Ident { pos, .. }) => {
                    if let Some(kwargs) = star_star {
                        self.fail(
                            *pos,
                            format!("* parameter may not follow **{}", kwargs.name),
                        );
                    } else if star.is_some() {
                        self.fail(*pos, "multiple * parameters not allowed");
                    } else {
                        star = Some(param);
                    }
                }
                Param::Kwargs(ident) => {
                    if star_star.is_some() {
                        self.fail(ident.pos, "multiple ** parameters not allowed");
                    }
                    star_star = Some(ident);
                }
            }
        }
        match star {
            Some(Param::Args(ident)) => self.bind_param(ident),
            Some(Param::Star(pos)) if keyword_only == 0 => {
                self.fail(*pos, "bare * must be followed by keyword-only parameters");
            }
            _ => {}
        }
        if let Some(ident) = star_star {
            self.bind_param(ident);
        }
    }

    fn bind_param(&mut self, ident: &'a Ident) {
        if self.bind(ident) {
            self.fail(ident.pos, format!("duplicate parameter: {}", ident.name));
        }
    }
}

/// What messages call an expression that cannot be assigned to.
fn kind(expr: &Expr) -> &'static str {
    match expr {
        Expr::Str(..) | Expr::Int(..) | Expr::BigInt(..) | Expr::Float(..) => "literal",
        Expr::Call { .. } | Expr::Build { .. } => "callexpr",
        Expr::Slice { .. } => "sliceexpr",
        Expr::Dict(..) => "dictexpr",
        Expr::Comprehension { .. } => "comprehension",
        Expr::Conditional { .. } => "condexpr",
        Expr::Lambda(..) => "lambdaexpr",
        Expr::Unary { .. } => "unaryexpr",
        Expr::Binary { .. } => "binaryexpr",
        _ => "expression",
    }
}
