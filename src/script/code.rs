//! The code of the machine in `vm`: instructions, and what a function has beside them.

use super::ast::{BinaryOp, UnaryOp};
use super::value::Value;
use crate::bytestring::Str;
use std::rc::Rc;

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
