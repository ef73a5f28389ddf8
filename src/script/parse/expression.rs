//! Expressions, by precedence climbing.

use super::{BUILDS, MOST_NESTING, Parsed, Parser, function};
use crate::script::ast::{Arg, BinaryOp, Clause, Expr, Ident, Operand, Pos, Stmt, UnaryOp};
use crate::script::error::SyntaxError;
use crate::script::scan::{Extent, NodeCall, Token};

/// Level of comparisons among the binary operators.
const COMPARISON: u8 = 3;

/// Level of `not` among the operators.
const NOT: u8 = 2;

impl Parser<'_> {
    /// An expression, or several with commas between them: a tuple.
    pub(super) fn expr(&mut self, in_parens: bool) -> Parsed<Expr> {
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

    pub(super) fn test(&mut self) -> Parsed<Expr> {
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
    pub(super) fn builds_nodes(&mut self, operation: u16) {
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
                let value = value.clone();
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
            Token::Node(call) => self.node_call(call),
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
    pub(super) fn loop_variables(&mut self) -> Parsed<Expr> {
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
