//! Expressions, variables and arguments.

use super::Parser;
use crate::block::Does;
use crate::block::Language;
use crate::block::cursor::Read;
use crate::block::lex::TokenKind;
use crate::block::syntax::{
    Argument, Call, Expression, LEFT_OUT, Name, Operator, PathPart, VariablePath,
};
use crate::krl::{Krl, builtin, order};

/// The answer of an expression whose order is not certain. Functions in it run all the same: where
/// one may do something, the expression is not read.
fn uncertain(what: &str, parts: [&Expression; 2]) -> Expression {
    if parts.into_iter().any(acts) {
        let reason = format!(
            "{what} calls a function, and when that runs is not certain: write parentheses"
        );
        Expression::Unread(reason.into())
    } else {
        Expression::Variable(VariablePath::whole(&what.into()))
    }
}

/// Whether functions in an expression may do something.
pub(super) fn acts(expression: &Expression) -> bool {
    let all = expression.parts();
    all.iter().any(|part| match part {
        Expression::Call(call) => builtin::function_does(&call.name) == Does::Moves,
        Expression::Unread(_) => true,
        _ => false,
    })
}

/// Parts beside each other, where a function may change what another part asks for.
fn in_any_order(joined: Expression) -> Expression {
    let mut beside: Vec<&Expression> = Vec::new();
    let mut at = &joined;
    match at {
        Expression::Record(_, fields) => beside.extend(fields.iter().map(|(_, value)| value)),
        Expression::Call(call) => beside.extend(call.positional()),
        _ => {
            while let Expression::Binary(_, left, right) = at {
                beside.push(right);
                at = left;
            }
            beside.push(at);
        }
    }
    let may_change = |part: &&Expression| {
        let all = part.parts();
        all.iter()
            .any(|p| matches!(p, Expression::Variable(_) | Expression::Call(_)))
    };
    if beside.iter().filter(|part| may_change(part)).count() > 1 && beside.iter().any(|e| acts(e)) {
        call(order::ANY, [joined])
    } else {
        joined
    }
}

/// A value that is assigned to an element: its indices stand beside it.
pub(super) fn beside_indices(value: Expression, path: &VariablePath) -> Expression {
    let indices: Vec<&Expression> = path.indices().collect();
    if indices.is_empty() || !acts(&value) && !indices.iter().any(|e| acts(e)) {
        return value;
    }
    call(
        order::ANY,
        [value].into_iter().chain(indices.into_iter().cloned()),
    )
}

fn call(name: &str, given: impl IntoIterator<Item = Expression>) -> Expression {
    let argument = |value| Argument::by_place(Some(value));
    Expression::Call(Call {
        name: name.into(),
        arguments: given.into_iter().map(argument).collect(),
    })
}

impl Parser<'_> {
    pub(super) fn arguments(&mut self) -> Read<Vec<Argument>> {
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.need(",")?;
            }
            let left_out = self.has(",") || self.has(")") && !arguments.is_empty();
            let in_brackets = self.has("(");
            let value = if left_out {
                Expression::Unread(LEFT_OUT.into())
            } else {
                self.expression()?
            };
            arguments.push(Argument {
                in_brackets,
                ..Argument::by_place(Some(value))
            });
        }
        Ok(arguments)
    }

    pub(super) fn path(&mut self) -> Read<VariablePath> {
        let name = self.name("a name")?;
        let mut parts = Vec::new();
        loop {
            self.join()?;
            if self.take("[") {
                while !self.take("]") {
                    if !self.take(",") {
                        parts.push(PathPart::Index(self.expression()?));
                    }
                    if self.ends() {
                        return self.fail("`]`");
                    }
                }
            } else if self.take(".") {
                parts.push(PathPart::Field(self.name("the name of a component")?));
            } else {
                return Ok(VariablePath { name, parts });
            }
        }
    }

    /// A comparison of what is joined by AND and OR: comparing comes last. Who writes both without
    /// parentheses mostly means it the other way round, so then the answer is not known.
    pub(super) fn expression(&mut self) -> Read<Expression> {
        self.deeper(|p| {
            let (mut left, mut joined) = p.joined()?;
            loop {
                let operator = match &p.token().what {
                    TokenKind::Symbol("==") => Operator::Equal,
                    TokenKind::Symbol("<>") => Operator::Unequal,
                    TokenKind::Symbol("<=") => Operator::LessOrEqual,
                    TokenKind::Symbol(">=") => Operator::GreaterOrEqual,
                    TokenKind::Symbol("<") => Operator::Less,
                    TokenKind::Symbol(">") => Operator::Greater,
                    _ => return Ok(in_any_order(left)),
                };
                p.step();
                p.join()?;
                let (right, also) = p.joined()?;
                joined |= also;
                left = if joined {
                    uncertain("a comparison beside AND or OR", [&left, &right])
                } else {
                    Expression::binary(operator, left, right)
                };
            }
        })
    }

    fn joined(&mut self) -> Read<(Expression, bool)> {
        let mut left = self.sum(Self::product)?;
        let mut joined = false;
        let mut loosest = 0;
        let mut bits: Option<&str> = None;
        loop {
            let of_bits = builtin::BITS.into_iter().find(|word| *word == self.word());
            let (operator, level) = match self.word() {
                "and" => (Some(Operator::And), 1),
                "exor" => (Some(Operator::ExclusiveOr), 2),
                "or" => (Some(Operator::Or), 3),
                _ if of_bits.is_some() => (None, 4),
                _ => return Ok((left, joined)),
            };
            self.step();
            self.join()?;
            let right = self.sum(Self::product)?;
            // Tighter ones after looser ones need another order than from left to right.
            let ordered = loosest <= level;
            loosest = loosest.max(level);
            let alone = !joined || of_bits.is_some() && bits == of_bits;
            (joined, bits) = (true, of_bits);
            left = match (operator, of_bits) {
                (Some(operator), _) if ordered => Expression::binary(operator, left, right),
                (None, Some(name)) if alone => in_any_order(call(name, [left, right])),
                (Some(_), _) => uncertain("a mixture of AND and OR", [&left, &right]),
                _ => uncertain("a mixture of B_AND, B_OR and B_EXOR", [&left, &right]),
            };
        }
    }

    fn product(&mut self) -> Read<Expression> {
        let mut left = self.composed()?;
        loop {
            let operator = match () {
                () if self.take("*") => Operator::Multiply,
                () if self.take("/") => Operator::Divide,
                () => return Ok(left),
            };
            self.join()?;
            left = Expression::binary(operator, left, self.composed()?);
        }
    }

    fn composed(&mut self) -> Read<Expression> {
        let mut left = self.primary()?;
        while self.take(":") {
            self.join()?;
            left = Expression::binary(Operator::Compose, left, self.primary()?);
        }
        Ok(left)
    }

    fn primary(&mut self) -> Read<Expression> {
        if let Some(signed) = self.signed(Self::primary)? {
            return Ok(signed);
        }
        if self.accept("not") {
            let inner = self.deeper(Self::primary)?;
            return Ok(Expression::Not(Box::new(inner)));
        }
        if self.accept(builtin::NOT) {
            let inner = self.deeper(Self::primary)?;
            return Ok(call(builtin::NOT, [inner]));
        }
        if self.take("(") {
            let inner = self.expression()?;
            self.need(")")?;
            return Ok(inner);
        }
        if self.take("{") {
            return self.deeper(Self::record);
        }
        if let Some(literal) = self.literal() {
            // Whether a controller takes `'HFFFFFFFF'` for -1 is not certain.
            let is_beyond = matches!(&literal, Expression::Number(x, true) if *x > Krl::MOST_WHOLE);
            return Ok(if is_beyond {
                Expression::Variable(VariablePath::whole(&"a whole number beyond 32 bits".into()))
            } else {
                literal
            });
        }
        match self.token().what.clone() {
            TokenKind::Name(name, _) if &*name == "true" || &*name == "false" => {
                self.step();
                Ok(Expression::Boolean(&*name == "true"))
            }
            TokenKind::Name(name, _) if name.starts_with('#') => {
                self.step();
                Ok(Expression::Text(name))
            }
            TokenKind::Name(..) => {
                if *self.after(1) == TokenKind::Symbol("(") {
                    let name = self.name("a function")?;
                    self.step();
                    let arguments = self.arguments()?;
                    return Ok(in_any_order(Expression::Call(Call { name, arguments })));
                }
                Ok(Expression::Variable(self.path()?))
            }
            _ => self.fail("a value"),
        }
    }

    fn record(&mut self) -> Read<Expression> {
        let mut kind = None;
        if *self.after(1) == TokenKind::Symbol(":") {
            kind = Some(self.name("a type")?);
            self.step();
        }
        let mut fields: Vec<(Name, Expression)> = Vec::new();
        while !self.take("}") {
            if !fields.is_empty() {
                self.need(",")?;
            }
            let name = self.name("the name of a component")?;
            if self.take("[") {
                self.need("]")?;
            }
            if fields.iter().any(|(other, _)| *other == name) {
                return self.fail(&format!("another component than `{name}`"));
            }
            fields.push((name, self.expression()?));
        }
        Ok(Expression::Record(kind, fields))
    }
}
