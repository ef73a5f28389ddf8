//! The syntax tree of a program, as the parser builds it and the resolver completes it.
//!
//! Positions stand on the tokens that ytt reports: `(`, `.`, `[`, the operator, `=`, `for`, `if`.

use crate::bytestring::Str;
use num_bigint::BigInt;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A line and a column, both from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pos {
    /// Line in the program's text.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
}

/// A whole file.
#[derive(Debug)]
pub struct File {
    /// The top-level statements.
    pub body: Vec<Stmt>,
    /// Names of global variables by slot; filled by the resolver.
    pub globals: RefCell<Vec<Rc<str>>>,
    /// Local variables of top-level comprehensions, by slot; filled by the resolver.
    pub locals: RefCell<Vec<Local>>,
}

/// A statement.
#[derive(Debug)]
pub enum Stmt {
    /// An expression for its effect.
    Expr(Expr),
    /// `target = value` or `target op= value`; `op` is the operator of an augmented assignment.
    Assign {
        target: Expr,
        op: Option<BinaryOp>,
        op_pos: Pos,
        value: Expr,
    },
    /// `break` or `continue`.
    Break(Pos),
    /// `continue`.
    Continue(Pos),
    /// `def`.
    Def {
        name: Ident,
        function: Rc<FunctionDef>,
    },
    /// `for`.
    For {
        pos: Pos,
        target: Expr,
        iterable: Expr,
        body: Vec<Stmt>,
    },
    /// `while`.
    While {
        pos: Pos,
        condition: Expr,
        body: Vec<Stmt>,
    },
    /// `if`, its `elif`s, and `else`.
    If {
        branches: Vec<Branch>,
        otherwise: Vec<Stmt>,
    },
    /// `load("module", "name", local="name")`.
    Load {
        pos: Pos,
        module: Str,
        bindings: Vec<LoadBinding>,
    },
    /// `return`.
    Return { pos: Pos, value: Option<Expr> },
    /// A call of the node builder that is a line of its own.
    Node { pos: Pos, operation: u16, tag: u32 },
}

/// `if` or `elif`.
#[derive(Debug)]
pub struct Branch {
    /// Where the word stands.
    pub pos: Pos,
    /// The condition.
    pub condition: Expr,
    /// What is run if it is true.
    pub body: Vec<Stmt>,
}

/// One name that a `load` brings.
#[derive(Debug)]
pub struct LoadBinding {
    /// The name in this file.
    pub local: Ident,
    /// The name in the loaded module.
    pub name: Rc<str>,
    /// Where that name stands.
    pub name_pos: Pos,
}

/// A name in use.
#[derive(Debug)]
pub struct Ident {
    /// The name.
    pub name: Rc<str>,
    /// Where it stands.
    pub pos: Pos,
    /// What it means; filled by the resolver.
    pub binding: Cell<Binding>,
}

/// What a name means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binding {
    /// Not resolved yet.
    #[default]
    Undefined,
    /// A local variable of the function (or of the file: comprehensions), by slot.
    Local(u16),
    /// A local variable that an inner function captures, by slot of the same numbering.
    Cell(u16),
    /// A captured variable of an enclosing function, by index into `FunctionDef::captures`.
    Free(u16),
    /// A global of the file, by slot.
    Global(u16),
    /// A builtin of the language, by index into `builtins::NAMES`.
    Universal(u16),
    /// An operation of the node builder, by index into the names given to the parser.
    Builder(u16),
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name, for messages.
    pub name: Rc<str>,
    /// True if an inner function captures it.
    pub is_cell: bool,
}

/// A `def` or a `lambda` (whose body is one `return`).
#[derive(Debug)]
pub struct FunctionDef {
    /// The name; `lambda` for lambdas.
    pub name: Rc<str>,
    /// Position of `def` or `lambda`.
    pub pos: Pos,
    /// The parameters in order.
    pub params: Vec<Param>,
    /// The body.
    pub body: Vec<Stmt>,
    /// True if the body calls the node builder: the function returns the nodes it built. Set by the parser.
    pub builds: Cell<bool>,
    /// All locals by slot, parameters first in their order (without a bare `*`); filled by the resolver.
    pub locals: RefCell<Vec<Local>>,
    /// For each captured variable, what it is in the enclosing function (`Cell` or `Free`); filled by the resolver.
    pub captures: RefCell<Vec<(Rc<str>, Binding)>>,
}

/// A parameter.
#[derive(Debug)]
pub enum Param {
    /// `x`
    Plain(Ident),
    /// `x=default`
    Default(Ident, Expr),
    /// `*`
    Star(Pos),
    /// `*args`
    Args(Ident),
    /// `**kwargs`
    Kwargs(Ident),
}

/// An expression.
#[derive(Debug)]
pub enum Expr {
    /// A name.
    Ident(Ident),
    /// A string literal.
    Str(Pos, Str),
    /// An integer literal that fits 64 bits.
    Int(Pos, i64),
    /// A larger integer literal.
    BigInt(Pos, Rc<BigInt>),
    /// A float literal.
    Float(Pos, f64),
    /// `(x)`
    Paren(Pos, Box<Expr>),
    /// `f(...)`; `pos` is that of `(`.
    Call {
        function: Box<Expr>,
        pos: Pos,
        args: Vec<Arg>,
    },
    /// A call of an operation of the node builder, by its index; `pos` is that of the line.
    Build {
        operation: u16,
        pos: Pos,
        args: Vec<Arg>,
    },
    /// `x.name`; `pos` is that of `.`.
    Dot {
        object: Box<Expr>,
        pos: Pos,
        name: Rc<str>,
    },
    /// `x[y]`; `pos` is that of `[`.
    Index {
        object: Box<Expr>,
        pos: Pos,
        index: Box<Expr>,
    },
    /// `x[a:b:c]`; `pos` is that of `[`.
    Slice {
        object: Box<Expr>,
        pos: Pos,
        low: Option<Box<Expr>>,
        high: Option<Box<Expr>>,
        step: Option<Box<Expr>>,
    },
    /// `[a, b]`
    List(Pos, Vec<Expr>),
    /// `(a, b)` or `a, b`; `pos` is that of `(` or of the first element.
    Tuple(Pos, Vec<Expr>),
    /// `{k: v}`; the position of an entry is that of its `:`.
    Dict(Pos, Vec<(Expr, Pos, Expr)>),
    /// `[body for ...]` or `{key: body for ...}`.
    Comprehension {
        pos: Pos,
        key: Option<(Box<Expr>, Pos)>,
        body: Box<Expr>,
        clauses: Vec<Clause>,
    },
    /// `a if c else b`; `pos` is that of `if`.
    Conditional {
        pos: Pos,
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `lambda`
    Lambda(Rc<FunctionDef>),
    /// `-x`, `+x`, `~x`, `not x`
    Unary {
        op: UnaryOp,
        pos: Pos,
        operand: Box<Expr>,
    },
    /// `x op y op z`, each operator with all before it on its left: a long chain is not a deep tree.
    Binary {
        first: Box<Expr>,
        rest: Vec<Operand>,
    },
}

/// An operator and what stands on its right.
#[derive(Debug)]
pub struct Operand {
    /// The operator.
    pub op: BinaryOp,
    /// Where it stands.
    pub pos: Pos,
    /// The right side.
    pub right: Expr,
}

/// An argument of a call.
#[derive(Debug)]
pub enum Arg {
    /// `x`
    Positional(Expr),
    /// `name=x`
    Named(Rc<str>, Pos, Expr),
    /// `*x`
    Args(Pos, Expr),
    /// `**x`
    Kwargs(Pos, Expr),
}

/// A clause of a comprehension.
#[derive(Debug)]
pub enum Clause {
    /// `for target in iterable`
    For {
        pos: Pos,
        target: Expr,
        iterable: Expr,
    },
    /// `if condition`
    If { pos: Pos, condition: Expr },
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `~`
    Invert,
    /// `not`
    Not,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `//`
    FloorDiv,
    /// `%`
    Mod,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `and`
    And,
    /// `or`
    Or,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl BinaryOp {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::FloorDiv => "//",
            BinaryOp::Mod => "%",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::In => "in",
            BinaryOp::NotIn => "not in",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
        }
    }
}

impl Expr {
    /// Where the expression begins.
    pub fn start(&self) -> Pos {
        let mut expr = self;
        loop {
            expr = match expr {
                Expr::Call {
                    function: inner, ..
                }
                | Expr::Dot { object: inner, .. }
                | Expr::Index { object: inner, .. }
                | Expr::Slice { object: inner, .. }
                | Expr::Conditional { then: inner, .. }
                | Expr::Binary { first: inner, .. } => inner,
                _ => return expr.pos(),
            };
        }
    }

    /// The token that stands for the expression in messages.
    pub fn pos(&self) -> Pos {
        match self {
            Expr::Ident(ident) => ident.pos,
            Expr::Str(pos, _)
            | Expr::Int(pos, _)
            | Expr::BigInt(pos, _)
            | Expr::Float(pos, _)
            | Expr::Paren(pos, _)
            | Expr::List(pos, _)
            | Expr::Tuple(pos, _)
            | Expr::Dict(pos, _)
            | Expr::Call { pos, .. }
            | Expr::Build { pos, .. }
            | Expr::Dot { pos, .. }
            | Expr::Index { pos, .. }
            | Expr::Slice { pos, .. }
            | Expr::Comprehension { pos, .. }
            | Expr::Conditional { pos, .. }
            | Expr::Unary { pos, .. } => *pos,
            Expr::Binary { first, rest } => match rest.last() {
                Some(last) => last.pos,
                None => first.pos(),
            },
            Expr::Lambda(def) => def.pos,
        }
    }
}
