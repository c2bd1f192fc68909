//! Expressions, variables and arguments.

use super::Parser;
use crate::block::Does;
use crate::block::cursor::Read;
use crate::block::lex::TokenKind;
use crate::block::syntax::{Argument, Call, Expression, Name, Operator, PathPart, VariablePath};
use crate::rapid::builtin::function_does;

/// No condition behind `NOT … AND` has more parts.
const MOST_NEGATED: usize = 500;

/// The characters of a text: `\\\\` is one backslash, and a backslash with two hexadecimal digits the
/// character of that number.
fn characters(text: &str) -> Name {
    let mut read = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        read.push_str(before);
        let code = after.get(..2).map(|digits| u8::from_str_radix(digits, 16));
        (read, rest) = match code {
            _ if after.starts_with('\\') => (read + "\\", &after[1..]),
            Some(Ok(code)) => (read + &char::from(code).to_string(), &after[2..]),
            _ => (read + "\\", after),
        };
    }
    (read + rest).into()
}

/// A quotient or remainder behind a sign. Functions in it run all the same: where one may do
/// something, the expression is not read.
fn two_ways(joined: Expression) -> Expression {
    let calls = |part: &&Expression| {
        part.as_call()
            .is_some_and(|call| function_does(&call.name) == Does::Moves)
    };
    if joined.parts().iter().any(calls) {
        let reason = "a sign before `DIV` or `MOD` is not read: write parentheses";
        Expression::Unread(reason.into())
    } else {
        Expression::Variable(VariablePath::whole(&"a sign before div or mod".into()))
    }
}

impl Parser<'_> {
    pub(super) fn arguments(&mut self, end: &str) -> Read<Vec<Argument>> {
        let mut arguments: Vec<Argument> = Vec::new();
        while !self.take(end) {
            if !arguments.is_empty() && !self.take(",") && !self.has("\\") {
                return self.fail(&format!("`,` or `{end}`"));
            }
            if !self.take("\\") {
                let label = if *self.after(1) == TokenKind::Symbol(":=") {
                    let label = self.name("the name of an argument")?;
                    self.step();
                    Some(label)
                } else {
                    None
                };
                let in_brackets = self.has("(");
                arguments.push(Argument {
                    label,
                    in_brackets,
                    ..Argument::by_place(Some(self.expression()?))
                });
                continue;
            }
            let name = self.name("the name of an argument")?;
            let is_stated = self.take(":=");
            let in_brackets = is_stated && self.has("(");
            let value = match () {
                () if is_stated => Some(self.expression()?),
                () if self.take("?") => {
                    let other = self.name("the name of an argument")?;
                    Some(Expression::Variable(VariablePath::whole(&other)))
                }
                () => None,
            };
            arguments.push(Argument {
                name: Some(name),
                in_brackets,
                ..Argument::by_place(value)
            });
        }
        Ok(arguments)
    }

    pub(super) fn path(&mut self) -> Read<VariablePath> {
        let name = self.name("a name")?;
        let mut parts = Vec::new();
        loop {
            self.join()?;
            if self.take("{") {
                loop {
                    parts.push(PathPart::Index(self.expression()?));
                    if self.take("}") {
                        break;
                    }
                    self.need(",")?;
                }
            } else if self.take(".") {
                let field = self.name("the name of a component")?;
                parts.push(PathPart::Field(field));
            } else {
                return Ok(VariablePath { name, parts });
            }
        }
    }

    pub(super) fn expression(&mut self) -> Read<Expression> {
        self.deeper(|p| {
            let mut left = p.all()?;
            loop {
                let operator = match () {
                    () if p.accept("or") => Operator::Or,
                    () if p.accept("xor") => Operator::ExclusiveOr,
                    () => return Ok(left),
                };
                p.join()?;
                left = Expression::binary(operator, left, p.all()?);
            }
        })
    }

    /// Conditions that all have to hold. What `NOT a AND b` negates, manuals do not agree upon:
    /// where both readings differ, the answer is not known.
    pub(super) fn all(&mut self) -> Read<Expression> {
        let negated = self.accept("not");
        let first = self.relation()?;
        let rest = if self.accept("and") {
            Some(self.deeper(Self::all)?)
        } else {
            None
        };
        let not = |e: Expression| Expression::Not(Box::new(e));
        let and = |a, b| Expression::binary(Operator::And, a, b);
        Ok(match (negated, rest) {
            (false, None) => first,
            (false, Some(rest)) => and(first, rest),
            (true, None) => not(first),
            (true, Some(rest)) => {
                // Each of them is written down four times.
                let parts = rest.parts();
                if parts.len() > MOST_NEGATED {
                    let reason = "so many `NOT` and `AND` without parentheses are not read: write `(NOT a) AND …`";
                    return Ok(Expression::Unread(reason.into()));
                }
                let wide = not(and(first.clone(), rest.clone()));
                let narrow = and(not(first), rest);
                let open = Expression::Variable(VariablePath::whole(&"not … and".into()));
                let either = Expression::binary(Operator::Or, wide.clone(), narrow.clone());
                Expression::binary(Operator::Or, and(wide, narrow), and(either, open))
            }
        })
    }

    fn relation(&mut self) -> Read<Expression> {
        let left = self.sum(Self::product)?;
        let operator = match &self.token().what {
            TokenKind::Symbol("=") => Operator::Equal,
            TokenKind::Symbol("<>") => Operator::Unequal,
            TokenKind::Symbol("<=") => Operator::LessOrEqual,
            TokenKind::Symbol(">=") => Operator::GreaterOrEqual,
            TokenKind::Symbol("<") if !self.before_placeholder() => Operator::Less,
            TokenKind::Symbol(">") => Operator::Greater,
            _ => return Ok(left),
        };
        self.step();
        Ok(Expression::binary(operator, left, self.sum(Self::product)?))
    }

    /// `IF TRUE <SMT>`: no comparison.
    fn before_placeholder(&self) -> bool {
        let word = |w: &Name| ["smt", "exp", "id"].contains(&&**w);
        matches!(self.after(1), TokenKind::Name(w, _) if word(w))
            && *self.after(2) == TokenKind::Symbol(">")
    }

    fn product(&mut self) -> Read<Expression> {
        let mut signed = self.has("-");
        let mut left = self.primary()?;
        loop {
            let operator = match () {
                () if self.take("*") => Operator::Multiply,
                () if self.take("/") => Operator::Divide,
                () if self.accept("div") => Operator::Quotient,
                () if self.accept("mod") => Operator::Remainder,
                () => return Ok(left),
            };
            self.join()?;
            let is_whole = matches!(operator, Operator::Quotient | Operator::Remainder);
            let is_open = signed && is_whole && !matches!(left, Expression::Number(..));
            signed |= self.has("-");
            left = Expression::binary(operator, left, self.primary()?);
            // Whether the sign or the operator comes first is not certain.
            if is_open {
                left = two_ways(left);
            }
        }
    }

    fn primary(&mut self) -> Read<Expression> {
        if let Some(signed) = self.signed(Self::primary)? {
            return Ok(signed);
        }
        if self.take("(") {
            let inner = self.expression()?;
            self.need(")")?;
            return Ok(inner);
        }
        if self.take("[") {
            let mut items = Vec::new();
            while !self.take("]") {
                if !items.is_empty() {
                    self.need(",")?;
                }
                items.push(self.expression()?);
            }
            return Ok(Expression::List(items));
        }
        if let TokenKind::Text(text) = &self.token().what {
            let text = characters(text);
            self.step();
            return Ok(Expression::Text(text));
        }
        if self.accept("true") {
            return Ok(Expression::Boolean(true));
        }
        if self.accept("false") {
            return Ok(Expression::Boolean(false));
        }
        if let Some(reason) = self.placeholder() {
            return Ok(Expression::Unread(reason));
        }
        if let Some(literal) = self.literal() {
            return Ok(literal);
        }
        match self.token().what.clone() {
            TokenKind::Name(name, written) if self.is_name(&name) => {
                let first = self.cursor.program.written.entry(name.clone());
                first.or_insert(written);
                if *self.after(1) == TokenKind::Symbol("(") {
                    self.step();
                    self.step();
                    let arguments = self.arguments(")")?;
                    return Ok(Expression::Call(Call { name, arguments }));
                }
                Ok(Expression::Variable(self.path()?))
            }
            _ => self.fail("a value"),
        }
    }
}
