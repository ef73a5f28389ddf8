//! From tokens to a syntax tree.

use super::ast::{
    Arg, BinaryOp, Branch, Clause, Expr, File, FunctionDef, Ident, LoadBinding, Operand, Param,
    Pos, Stmt, UnaryOp,
};
use super::error::SyntaxError;
use super::scan::{Extent, Lexeme, NodeCall, Scanner, Token};
use crate::bytestring::Str;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// How deep brackets, operators and blocks may nest.
const MOST_NESTING: usize = 150;

/// Of the builder's names the first so many build nodes: a function that uses one of them returns nodes.
const BUILDS: u16 = 2;

/// Level of comparisons among the binary operators.
const COMPARISON: u8 = 3;

/// Level of `not` among the operators.
const NOT: u8 = 2;

type Parsed<T> = Result<T, SyntaxError>;

/// Parses a file.
pub(super) fn parse(text: &[u8], calls: &[NodeCall], builders: &[&str]) -> Parsed<File> {
    let mut scanner = Scanner::new(text, calls);
    let current = scanner.next()?;
    let mut parser = Parser {
        scanner,
        current,
        builders,
        names: HashMap::new(),
        depth: 0,
        building: Vec::new(),
    };
    let mut body = Vec::new();
    while parser.current.token != Token::EndOfFile {
        if parser.current.token == Token::Newline {
            parser.advance()?;
        } else {
            parser.statement(&mut body)?;
        }
    }
    Ok(File {
        body,
        globals: RefCell::default(),
        locals: RefCell::default(),
    })
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    current: Lexeme,
    builders: &'a [&'a str],
    /// Each name once.
    names: HashMap<&'a str, Rc<str>>,
    depth: usize,
    /// For each `def` around: whether its body builds nodes.
    building: Vec<bool>,
}

impl<'a> Parser<'a> {
    /// Goes to the next token; the answer is where the one before it stood.
    fn advance(&mut self) -> Parsed<Pos> {
        let next = self.scanner.next()?;
        Ok(std::mem::replace(&mut self.current, next).pos)
    }

    fn at(&self, text: &str) -> bool {
        self.current.token.is(text)
    }

    /// An error where the scanner stands: after the token that was not wanted.
    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(SyntaxError {
            pos: self.scanner.pos(),
            message: message.into(),
        })
    }

    fn unwanted<T>(&self, wanted: &str) -> Parsed<T> {
        self.fail(format!(
            "got {}, want {wanted}",
            self.current.token.describe()
        ))
    }

    fn expect(&mut self, wanted: &Token) -> Parsed<Pos> {
        if self.current.token == *wanted {
            self.advance()
        } else {
            self.unwanted(&wanted.describe())
        }
    }

    fn expect_sign(&mut self, sign: &'static str) -> Parsed<Pos> {
        self.expect(&Token::Sign(sign))
    }

    fn nested<T>(&mut self, work: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MOST_NESTING {
            return self.fail("nested too deeply");
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    fn name(&mut self, text: &'a str) -> Rc<str> {
        self.names
            .entry(text)
            .or_insert_with(|| text.into())
            .clone()
    }

    fn ident(&mut self) -> Parsed<Ident> {
        let text = self.scanner.text(&self.current);
        match self.current.token {
            Token::Identifier => {
                let name = self.name(text);
                let pos = self.advance()?;
                Ok(Ident {
                    name,
                    pos,
                    binding: Cell::default(),
                })
            }
            Token::Word(_) | Token::Illegal => self.fail(format!(
                "use of reserved keyword '{text}' is not allowed (expected identifier)"
            )),
            _ => self.fail("not an identifier"),
        }
    }

    fn statement(&mut self, body: &mut Vec<Stmt>) -> Parsed<()> {
        match self.current.token {
            Token::Word("def") => body.push(self.nested(Self::def)?),
            Token::Word("if") => body.push(self.nested(Self::if_statement)?),
            Token::Word("for") => body.push(self.nested(Self::for_statement)?),
            Token::Word("while") => body.push(self.nested(Self::while_statement)?),
            _ => self.simple_statements(body)?,
        }
        Ok(())
    }

    fn def(&mut self) -> Parsed<Stmt> {
        let pos = self.advance()?;
        let name = self.ident()?;
        self.expect_sign("(")?;
        let params = self.params()?;
        self.expect_sign(")")?;
        self.expect_sign(":")?;
        self.building.push(false);
        let body = self.suite()?;
        let builds = self.building.pop().unwrap_or(false);
        let function = function(name.name.clone(), pos, params, body, builds);
        Ok(Stmt::Def { name, function })
    }

    fn if_statement(&mut self) -> Parsed<Stmt> {
        let mut branches = Vec::new();
        loop {
            let pos = self.advance()?;
            let condition = self.test()?;
            self.expect_sign(":")?;
            branches.push(Branch {
                pos,
                condition,
                body: self.suite()?,
            });
            if !self.at("elif") {
                break;
            }
        }
        let mut otherwise = Vec::new();
        if self.at("else") {
            self.advance()?;
            self.expect_sign(":")?;
            otherwise = self.suite()?;
        }
        Ok(Stmt::If {
            branches,
            otherwise,
        })
    }

    fn for_statement(&mut self) -> Parsed<Stmt> {
        let pos = self.advance()?;
        let target = self.loop_variables()?;
        self.expect(&Token::Word("in"))?;
        let iterable = self.expr(false)?;
        self.expect_sign(":")?;
        Ok(Stmt::For {
            pos,
            target,
            iterable,
            body: self.suite()?,
        })
    }

    fn while_statement(&mut self) -> Parsed<Stmt> {
        let pos = self.advance()?;
        let condition = self.test()?;
        self.expect_sign(":")?;
        Ok(Stmt::While {
            pos,
            condition,
            body: self.suite()?,
        })
    }

    /// What follows a colon: a block, or statements on the same line.
    fn suite(&mut self) -> Parsed<Vec<Stmt>> {
        let mut body = Vec::new();
        if self.current.token != Token::Newline {
            self.simple_statements(&mut body)?;
            return Ok(body);
        }
        self.advance()?;
        self.expect(&Token::Indent)?;
        while !matches!(self.current.token, Token::Outdent | Token::EndOfFile) {
            self.statement(&mut body)?;
        }
        self.expect(&Token::Outdent)?;
        Ok(body)
    }

    fn simple_statements(&mut self, body: &mut Vec<Stmt>) -> Parsed<()> {
        loop {
            body.push(self.small_statement()?);
            if !self.at(";") {
                break;
            }
            self.advance()?;
            if matches!(self.current.token, Token::Newline | Token::EndOfFile) {
                break;
            }
        }
        if self.current.token != Token::EndOfFile {
            self.expect(&Token::Newline)?;
        }
        Ok(())
    }

    fn small_statement(&mut self) -> Parsed<Stmt> {
        match self.current.token {
            Token::Node(NodeCall {
                operation,
                tag,
                extent: Extent::Whole,
                ..
            }) => {
                self.builds_nodes(operation);
                let pos = self.advance()?;
                return Ok(Stmt::Node {
                    pos,
                    operation,
                    tag,
                });
            }
            Token::Word("return") => {
                let pos = self.advance()?;
                let ends = matches!(
                    self.current.token,
                    Token::EndOfFile | Token::Newline | Token::Sign(";")
                );
                let value = if ends { None } else { Some(self.expr(false)?) };
                return Ok(Stmt::Return { pos, value });
            }
            Token::Word("break") => return Ok(Stmt::Break(self.advance()?)),
            Token::Word("continue") => return Ok(Stmt::Continue(self.advance()?)),
            Token::Word("load") => return self.load(),
            _ => {}
        }
        let target = self.expr(false)?;
        let op = match self.current.token {
            Token::Sign("=") => None,
            Token::Sign("+=") => Some(BinaryOp::Add),
            Token::Sign("-=") => Some(BinaryOp::Sub),
            Token::Sign("*=") => Some(BinaryOp::Mul),
            Token::Sign("/=") => Some(BinaryOp::Div),
            Token::Sign("//=") => Some(BinaryOp::FloorDiv),
            Token::Sign("%=") => Some(BinaryOp::Mod),
            Token::Sign("&=") => Some(BinaryOp::BitAnd),
            Token::Sign("|=") => Some(BinaryOp::BitOr),
            Token::Sign("^=") => Some(BinaryOp::BitXor),
            Token::Sign("<<=") => Some(BinaryOp::ShiftLeft),
            Token::Sign(">>=") => Some(BinaryOp::ShiftRight),
            _ => return Ok(Stmt::Expr(target)),
        };
        let op_pos = self.advance()?;
        let value = self.expr(false)?;
        Ok(Stmt::Assign {
            target,
            op,
            op_pos,
            value,
        })
    }

    /// The string literal that stands here.
    fn literal(&mut self) -> Parsed<Option<(Pos, Str)>> {
        let Token::Str(text) = &self.current.token else {
            return Ok(None);
        };
        let text = text.clone();
        Ok(Some((self.advance()?, text)))
    }

    fn load(&mut self) -> Parsed<Stmt> {
        let pos = self.advance()?;
        let paren = self.expect_sign("(")?;
        let Some((_, module)) = self.literal()? else {
            return self.fail("first operand of load statement must be a string literal");
        };
        let mut bindings = Vec::new();
        while !self.at(")") && self.current.token != Token::EndOfFile {
            self.expect_sign(",")?;
            if self.at(")") {
                break;
            }
            if let Some((pos, text)) = self.literal()? {
                let name: Rc<str> = text.to_text().into();
                let local = Ident {
                    name: name.clone(),
                    pos: inside(pos),
                    binding: Cell::default(),
                };
                bindings.push(LoadBinding {
                    local,
                    name,
                    name_pos: inside(pos),
                });
            } else if self.current.token == Token::Identifier {
                let local = self.ident()?;
                let name = local.name.clone();
                if !self.at("=") {
                    return self.fail(format!(
                        "load operand must be \"{name}\" or {name}=\"originalname\" (want '=' after {name})"
                    ));
                }
                self.advance()?;
                let Some((pos, text)) = self.literal()? else {
                    return self.fail(format!(
                        "original name of loaded symbol must be quoted: {name}=\"originalname\""
                    ));
                };
                bindings.push(LoadBinding {
                    local,
                    name: text.to_text().into(),
                    name_pos: inside(pos),
                });
            } else {
                let found = self.current.token.describe();
                return self.fail(format!(
                    "load operand must be \"name\" or localname=\"name\" (got {found})"
                ));
            }
        }
        self.expect_sign(")")?;
        if bindings.is_empty() {
            return Err(SyntaxError {
                pos: paren,
                message: "load statement must import at least 1 symbol".into(),
            });
        }
        Ok(Stmt::Load {
            pos,
            module,
            bindings,
        })
    }

    fn params(&mut self) -> Parsed<Vec<Param>> {
        let mut params = Vec::new();
        let mut stars = false;
        while !self.at(")") && !self.at(":") && self.current.token != Token::EndOfFile {
            if !params.is_empty() {
                self.expect_sign(",")?;
            }
            if self.at(")") {
                if stars {
                    return self.unwanted("parameter");
                }
                break;
            }
            if self.at("**") {
                stars = true;
                self.advance()?;
                params.push(Param::Kwargs(self.ident()?));
            } else if self.at("*") {
                stars = true;
                let pos = self.advance()?;
                let named = self.current.token == Token::Identifier;
                params.push(if named {
                    Param::Args(self.ident()?)
                } else {
                    Param::Star(pos)
                });
            } else {
                let name = self.ident()?;
                if self.at("=") {
                    self.advance()?;
                    params.push(Param::Default(name, self.test()?));
                } else {
                    params.push(Param::Plain(name));
                }
            }
        }
        Ok(params)
    }

    /// An expression, or several with commas between them: a tuple.
    fn expr(&mut self, in_parens: bool) -> Parsed<Expr> {
        let first = self.test()?;
        if !self.at(",") {
            return Ok(first);
        }
        let pos = first.start();
        Ok(Expr::Tuple(pos, self.exprs(first, in_parens)?))
    }

    /// More expressions after one, the parser standing on a comma.
    fn exprs(&mut self, first: Expr, trailing_comma: bool) -> Parsed<Vec<Expr>> {
        let mut exprs = vec![first];
        while self.at(",") {
            let pos = self.advance()?;
            if self.ends_exprs() {
                if !trailing_comma {
                    return Err(SyntaxError {
                        pos,
                        message: "unparenthesized tuple with trailing comma".into(),
                    });
                }
                break;
            }
            exprs.push(self.test()?);
        }
        Ok(exprs)
    }

    fn ends_exprs(&self) -> bool {
        matches!(
            self.current.token,
            Token::EndOfFile
                | Token::Newline
                | Token::Sign("=")
                | Token::Sign("}")
                | Token::Sign("]")
                | Token::Sign(")")
                | Token::Sign(";")
        )
    }

    fn test(&mut self) -> Parsed<Expr> {
        self.nested(|this| {
            if this.at("lambda") {
                return this.lambda(true);
            }
            let then = this.binary(0)?;
            if !this.at("if") {
                return Ok(then);
            }
            let pos = this.advance()?;
            let condition = this.binary(0)?;
            if !this.at("else") {
                return Err(SyntaxError {
                    pos,
                    message: "conditional expression without else clause".into(),
                });
            }
            this.advance()?;
            let otherwise = this.test()?;
            Ok(Expr::Conditional {
                pos,
                condition: Box::new(condition),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            })
        })
    }

    fn lambda(&mut self, conditional: bool) -> Parsed<Expr> {
        let pos = self.advance()?;
        let params = if self.at(":") {
            Vec::new()
        } else {
            self.params()?
        };
        self.expect_sign(":")?;
        let value = if conditional {
            self.test()?
        } else {
            self.test_without_condition()?
        };
        let body = vec![Stmt::Return {
            pos: value.start(),
            value: Some(value),
        }];
        Ok(Expr::Lambda(function(
            "lambda".into(),
            pos,
            params,
            body,
            false,
        )))
    }

    fn test_without_condition(&mut self) -> Parsed<Expr> {
        if self.at("lambda") {
            self.nested(|this| this.lambda(false))
        } else {
            self.binary(0)
        }
    }

    /// Operators of at least this level, by precedence climbing.
    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let first = if self.at("not") && least <= NOT {
            let pos = self.advance()?;
            let operand = self.nested(|this| this.binary(NOT))?;
            Expr::Unary {
                op: UnaryOp::Not,
                pos,
                operand: Box::new(operand),
            }
        } else {
            self.primary_with_suffix()?
        };
        let mut rest: Vec<Operand> = Vec::new();
        let mut compared: Option<BinaryOp> = None;
        loop {
            if self.at("not") {
                self.advance()?;
                if !self.at("in") {
                    return self.unwanted("in");
                }
                self.current.token = Token::Word("not in");
            }
            let Some((op, level)) =
                operator(&self.current.token).filter(|(_, level)| *level >= least)
            else {
                break;
            };
            if let Some(before) = compared.filter(|_| level == COMPARISON) {
                return self.fail(format!(
                    "{} does not associate with {} (use parens)",
                    before.symbol(),
                    op.symbol()
                ));
            }
            let pos = self.advance()?;
            let right = self.nested(|this| this.binary(level + 1))?;
            rest.push(Operand { op, pos, right });
            compared = (level == COMPARISON).then_some(op);
        }
        Ok(if rest.is_empty() {
            first
        } else {
            Expr::Binary {
                first: Box::new(first),
                rest,
            }
        })
    }

    fn primary_with_suffix(&mut self) -> Parsed<Expr> {
        let mut object = self.primary()?;
        let mut count = 0;
        loop {
            object = match self.current.token {
                Token::Sign(".") => {
                    let pos = self.advance()?;
                    let Ident { name, .. } = self.ident()?;
                    Expr::Dot {
                        object: Box::new(object),
                        pos,
                        name,
                    }
                }
                Token::Sign("[") => self.index(object)?,
                Token::Sign("(") => self.call(object)?,
                _ => return Ok(object),
            };
            count += 1;
            if count > MOST_NESTING {
                return self.fail("nested too deeply");
            }
        }
    }

    fn index(&mut self, object: Expr) -> Parsed<Expr> {
        let pos = self.advance()?;
        let object = Box::new(object);
        let (mut low, mut high, mut step) = (None, None, None);
        if !self.at(":") {
            let index = Box::new(self.expr(false)?);
            if self.at("]") {
                self.advance()?;
                return Ok(Expr::Index { object, pos, index });
            }
            low = Some(index);
        }
        if self.at(":") {
            self.advance()?;
            if !self.at(":") && !self.at("]") {
                high = Some(Box::new(self.test()?));
            }
        }
        if self.at(":") {
            self.advance()?;
            if !self.at("]") {
                step = Some(Box::new(self.test()?));
            }
        }
        self.expect_sign("]")?;
        Ok(Expr::Slice {
            object,
            pos,
            low,
            high,
            step,
        })
    }

    /// The function around calls this operation of the builder.
    fn builds_nodes(&mut self, operation: u16) {
        if operation < BUILDS
            && let Some(builds) = self.building.last_mut()
        {
            *builds = true;
        }
    }

    fn call(&mut self, function: Expr) -> Parsed<Expr> {
        if let Expr::Ident(ident) = &function
            && let Some((operation, _)) = (0..)
                .zip(self.builders)
                .find(|(_, name)| ***name == *ident.name)
        {
            self.builds_nodes(operation);
        }
        let pos = self.expect_sign("(")?;
        let args = self.args(Vec::new())?;
        self.expect_sign(")")?;
        Ok(Expr::Call {
            function: Box::new(function),
            pos,
            args,
        })
    }

    /// A call of the node builder whose beginning is known.
    fn node_call(&mut self, call: &NodeCall) -> Parsed<Expr> {
        self.builds_nodes(call.operation);
        let pos = self.advance()?;
        let mut args = vec![Arg::Positional(Expr::Int(pos, i64::from(call.tag)))];
        if let Extent::Named(name, operation) = &call.extent {
            let inner = self.args(Vec::new())?;
            self.expect_sign(")")?;
            args.push(Arg::Positional(Expr::Str(pos, (&**name).into())));
            args.push(Arg::Positional(Expr::Build {
                operation: *operation,
                pos,
                args: inner,
            }));
        } else {
            args.push(Arg::Positional(self.test()?));
        }
        let args = self.args(args)?;
        self.expect_sign(")")?;
        Ok(Expr::Build {
            operation: call.operation,
            pos,
            args,
        })
    }

    /// The arguments that follow those.
    fn args(&mut self, mut args: Vec<Arg>) -> Parsed<Vec<Arg>> {
        let mut stars = false;
        while !self.at(")") && self.current.token != Token::EndOfFile {
            if !args.is_empty() {
                self.expect_sign(",")?;
            }
            if self.at(")") {
                if stars {
                    return self.unwanted("argument");
                }
                break;
            }
            let star_star = self.at("**");
            if star_star || self.at("*") {
                stars = true;
                let pos = self.advance()?;
                let value = self.test()?;
                args.push(if star_star {
                    Arg::Kwargs(pos, value)
                } else {
                    Arg::Args(pos, value)
                });
                continue;
            }
            let value = self.test()?;
            if !self.at("=") {
                args.push(Arg::Positional(value));
                continue;
            }
            let Expr::Ident(Ident { name, pos, .. }) = value else {
                return self.fail("keyword argument must have form name=expr");
            };
            self.advance()?;
            args.push(Arg::Named(name, pos, self.test()?));
        }
        Ok(args)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        match &self.current.token {
            Token::Identifier => Ok(Expr::Ident(self.ident()?)),
            Token::Int(value) => {
                let value = *value;
                Ok(Expr::Int(self.advance()?, value))
            }
            Token::BigInt(value) => {
                let value = Rc::new(value.clone());
                Ok(Expr::BigInt(self.advance()?, value))
            }
            Token::Float(value) => {
                let value = *value;
                Ok(Expr::Float(self.advance()?, value))
            }
            Token::Str(text) => {
                let text = text.clone();
                Ok(Expr::Str(self.advance()?, text))
            }
            Token::Node(call) => {
                let call = call.clone();
                self.node_call(&call)
            }
            Token::Sign("[") => self.list(),
            Token::Sign("{") => self.dict(),
            Token::Sign("(") => {
                let pos = self.advance()?;
                if self.at(")") {
                    self.advance()?;
                    return Ok(Expr::Tuple(pos, Vec::new()));
                }
                let inner = self.expr(true)?;
                self.expect_sign(")")?;
                Ok(Expr::Paren(pos, Box::new(inner)))
            }
            Token::Sign(sign @ ("-" | "+" | "~")) => {
                let op = match *sign {
                    "-" => UnaryOp::Minus,
                    "+" => UnaryOp::Plus,
                    _ => UnaryOp::Invert,
                };
                let pos = self.advance()?;
                let operand = self.nested(Self::primary_with_suffix)?;
                Ok(Expr::Unary {
                    op,
                    pos,
                    operand: Box::new(operand),
                })
            }
            _ => self.unwanted("primary expression"),
        }
    }

    fn list(&mut self) -> Parsed<Expr> {
        let pos = self.advance()?;
        if self.at("]") {
            self.advance()?;
            return Ok(Expr::List(pos, Vec::new()));
        }
        let first = self.test()?;
        if self.at("for") {
            return self.comprehension(pos, None, first, "]");
        }
        let elements = self.exprs(first, true)?;
        self.expect_sign("]")?;
        Ok(Expr::List(pos, elements))
    }

    fn dict(&mut self) -> Parsed<Expr> {
        let pos = self.advance()?;
        if self.at("}") {
            self.advance()?;
            return Ok(Expr::Dict(pos, Vec::new()));
        }
        let (key, colon, value) = self.dict_item()?;
        if self.at("for") {
            return self.comprehension(pos, Some((Box::new(key), colon)), value, "}");
        }
        let mut items = vec![(key, colon, value)];
        while self.at(",") {
            self.advance()?;
            if self.at("}") {
                break;
            }
            items.push(self.dict_item()?);
        }
        self.expect_sign("}")?;
        Ok(Expr::Dict(pos, items))
    }

    fn dict_item(&mut self) -> Parsed<(Expr, Pos, Expr)> {
        let key = self.test()?;
        let colon = self.expect_sign(":")?;
        Ok((key, colon, self.test()?))
    }

    fn comprehension(
        &mut self,
        pos: Pos,
        key: Option<(Box<Expr>, Pos)>,
        body: Expr,
        end: &'static str,
    ) -> Parsed<Expr> {
        let mut clauses = Vec::new();
        while !self.at(end) {
            if clauses.len() > MOST_NESTING {
                return self.fail("nested too deeply");
            }
            if self.at("for") {
                let pos = self.advance()?;
                let target = self.loop_variables()?;
                self.expect(&Token::Word("in"))?;
                clauses.push(Clause::For {
                    pos,
                    target,
                    iterable: self.nested(|this| this.binary(0))?,
                });
            } else if self.at("if") {
                let pos = self.advance()?;
                clauses.push(Clause::If {
                    pos,
                    condition: self.nested(Self::test_without_condition)?,
                });
            } else {
                return self.unwanted(&format!("'{end}', for, or if"));
            }
        }
        self.advance()?;
        Ok(Expr::Comprehension {
            pos,
            key,
            body: Box::new(body),
            clauses,
        })
    }

    /// The targets of a `for`; not an expression, for that would take `in` with it.
    fn loop_variables(&mut self) -> Parsed<Expr> {
        let first = self.primary_with_suffix()?;
        if !self.at(",") {
            return Ok(first);
        }
        let pos = first.start();
        let mut targets = vec![first];
        while self.at(",") {
            self.advance()?;
            if self.ends_exprs() {
                break;
            }
            targets.push(self.primary_with_suffix()?);
        }
        Ok(Expr::Tuple(pos, targets))
    }
}

fn function(
    name: Rc<str>,
    pos: Pos,
    params: Vec<Param>,
    body: Vec<Stmt>,
    builds: bool,
) -> Rc<FunctionDef> {
    Rc::new(FunctionDef {
        name,
        pos,
        params,
        body,
        builds: Cell::new(builds),
        locals: RefCell::default(),
        captures: RefCell::default(),
    })
}

/// Where the text within a literal's quotes begins.
fn inside(pos: Pos) -> Pos {
    Pos {
        line: pos.line,
        column: pos.column + 1,
    }
}

/// A binary operator and its level: the higher the tighter.
fn operator(token: &Token) -> Option<(BinaryOp, u8)> {
    let (Token::Sign(text) | Token::Word(text)) = token else {
        return None;
    };
    Some(match *text {
        "or" => (BinaryOp::Or, 0),
        "and" => (BinaryOp::And, 1),
        "==" => (BinaryOp::Equal, COMPARISON),
        "!=" => (BinaryOp::NotEqual, COMPARISON),
        "<" => (BinaryOp::Less, COMPARISON),
        ">" => (BinaryOp::Greater, COMPARISON),
        "<=" => (BinaryOp::LessEqual, COMPARISON),
        ">=" => (BinaryOp::GreaterEqual, COMPARISON),
        "in" => (BinaryOp::In, COMPARISON),
        "not in" => (BinaryOp::NotIn, COMPARISON),
        "|" => (BinaryOp::BitOr, 4),
        "^" => (BinaryOp::BitXor, 5),
        "&" => (BinaryOp::BitAnd, 6),
        "<<" => (BinaryOp::ShiftLeft, 7),
        ">>" => (BinaryOp::ShiftRight, 7),
        "-" => (BinaryOp::Sub, 8),
        "+" => (BinaryOp::Add, 8),
        "*" => (BinaryOp::Mul, 9),
        "%" => (BinaryOp::Mod, 9),
        "/" => (BinaryOp::Div, 9),
        "//" => (BinaryOp::FloorDiv, 9),
        _ => return None,
    })
}
