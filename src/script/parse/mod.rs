//! From tokens to a syntax tree.

mod expression;

use super::ast::{BinaryOp, Branch, File, FunctionDef, Ident, LoadBinding, Param, Pos, Stmt};
use super::error::SyntaxError;
use super::scan::{Extent, Lexeme, NodeCall, Scanner, Token};
use crate::bytestring::Str;
use crate::hash;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// How deep brackets, operators and blocks may nest.
const MOST_NESTING: usize = 150;

/// Of the builder's names the first so many build nodes: a function that uses one of them returns nodes.
const BUILDS: u16 = 2;

type Parsed<T> = Result<T, SyntaxError>;

/// Parses a file.
pub(super) fn parse(text: &[u8], calls: &[NodeCall], builders: &[&str]) -> Parsed<File> {
    let mut scanner = Scanner::new(text, calls);
    let current = scanner.next()?;
    let mut parser = Parser {
        scanner,
        current,
        builders,
        names: hash::Map::default(),
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
    current: Lexeme<'a>,
    builders: &'a [&'a str],
    /// Each name once.
    names: hash::Map<&'a str, Rc<str>>,
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
            Token::Node(&NodeCall {
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
