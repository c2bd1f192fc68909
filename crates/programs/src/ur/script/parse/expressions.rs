//! Expressions, from what binds least to what binds most.

use clearance_formats::ImportError;

use super::super::lex::Token;
use super::super::syntax::{Argument, Call, Expression, Operator};
use super::Parser;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expression, ImportError> {
        self.deeper(Self::logic)
    }

    /// `and`, `or`, `xor`: which of them binds closer is not told, so a mixture needs brackets.
    fn logic(&mut self) -> Result<Expression, ImportError> {
        let mut left = self.comparison()?;
        let mut first = None;
        loop {
            let operator = match self.word() {
                Some("and") => Operator::And,
                Some("or") => Operator::Or,
                Some("xor") => Operator::Xor,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.comparison()?;
            let mixed = *first.get_or_insert(operator) != operator;
            left = match (left, mixed) {
                (Expression::Doubtful(mut parts, why), _) => {
                    parts.push(right);
                    Expression::Doubtful(parts, why)
                }
                (left, true) => {
                    let why = "a mixture of `and`, `or` and `xor` without brackets can be read in two ways";
                    Expression::Doubtful(vec![left, right], why.into())
                }
                (left, false) => Expression::Binary(operator, Box::new(left), Box::new(right)),
            };
        }
    }

    fn comparison(&mut self) -> Result<Expression, ImportError> {
        let not = self.word() == Some("not");
        let left = self.sum()?;
        let operator = match self.peek() {
            Some(Token::Sign("==")) => Operator::Equal,
            Some(Token::Sign("!=")) => Operator::Unequal,
            Some(Token::Sign("<")) => Operator::Less,
            Some(Token::Sign("<=")) => Operator::LessOrEqual,
            Some(Token::Sign(">")) => Operator::Greater,
            Some(Token::Sign(">=")) => Operator::GreaterOrEqual,
            _ => return Ok(left),
        };
        self.at += 1;
        let right = self.sum()?;
        if let (true, Expression::Not(left)) = (not, &left) {
            let parts = vec![(**left).clone(), right];
            let why = "`not` before a comparison without brackets can be read in two ways";
            return Ok(Expression::Doubtful(parts, why.into()));
        }
        Ok(Expression::Binary(
            operator,
            Box::new(left),
            Box::new(right),
        ))
    }

    fn sum(&mut self) -> Result<Expression, ImportError> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some(Token::Sign("+")) => Operator::Add,
                Some(Token::Sign("-")) => Operator::Subtract,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.product()?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
    }

    fn product(&mut self) -> Result<Expression, ImportError> {
        let mut left = self.unary()?;
        loop {
            let operator = match self.peek() {
                Some(Token::Sign("*")) => Operator::Multiply,
                Some(Token::Sign("/")) => Operator::Divide,
                Some(Token::Sign("%")) => Operator::Modulo,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.unary()?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Result<Expression, ImportError> {
        self.deeper(|this| {
            if this.takes("-") {
                return Ok(Expression::Negative(Box::new(this.unary()?)));
            }
            if this.takes_word("not") {
                return Ok(Expression::Not(Box::new(this.unary()?)));
            }
            if this.takes_word("run") {
                let name = this.name()?;
                this.needs("(")?;
                let arguments = this.arguments()?;
                return Ok(Expression::Run(Call { name, arguments }));
            }
            let inner = this.primary()?;
            this.postfix(inner)
        })
    }

    fn postfix(&mut self, mut inner: Expression) -> Result<Expression, ImportError> {
        loop {
            if self.takes("[") {
                let index = self.expression()?;
                self.needs("]")?;
                inner = Expression::Index(Box::new(inner), Box::new(index));
            } else if self.takes(".") {
                let name = self.name()?;
                inner = match self.takes("(") {
                    true => Expression::Method {
                        object: Box::new(inner),
                        name,
                        arguments: self.arguments()?,
                    },
                    false => Expression::Field(Box::new(inner), name),
                };
            } else {
                return Ok(inner);
            }
        }
    }

    fn primary(&mut self) -> Result<Expression, ImportError> {
        let found = match self.peek() {
            Some(Token::Number(number)) => Expression::Number(*number),
            Some(Token::Text(text)) => Expression::Text(text.clone()),
            Some(Token::Sign("[")) => {
                self.at += 1;
                return Ok(Expression::List(self.items()?));
            }
            Some(Token::Sign("(")) => {
                self.at += 1;
                let inner = self.expression()?;
                self.needs(")")?;
                return Ok(inner);
            }
            Some(Token::Name(name)) => match &**name {
                "True" => Expression::Boolean(true),
                "False" => Expression::Boolean(false),
                _ => return self.named(),
            },
            _ => return Err(self.error("a value is needed")),
        };
        self.at += 1;
        Ok(found)
    }

    fn named(&mut self) -> Result<Expression, ImportError> {
        let start = self.at;
        let name = self.name()?;
        let next_to = |this: &Self| {
            let (a, b) = (&this.tokens[start], this.tokens.get(this.at));
            b.is_some_and(|b| a.line == b.line && a.column + 1 == b.column)
        };
        if &*name == "p" && next_to(self) && self.takes("[") {
            return Ok(Expression::Pose(self.items()?));
        }
        if self.takes("(") {
            let arguments = self.arguments()?;
            return Ok(Expression::Call(Call { name, arguments }));
        }
        Ok(Expression::Name(name))
    }

    fn items(&mut self) -> Result<Vec<Expression>, ImportError> {
        let mut items = Vec::new();
        while !self.takes("]") {
            if !items.is_empty() {
                self.needs(",")?;
            }
            items.push(self.expression()?);
        }
        Ok(items)
    }

    pub(super) fn arguments(&mut self) -> Result<Vec<Argument>, ImportError> {
        let mut arguments: Vec<Argument> = Vec::new();
        while !self.takes(")") {
            if !arguments.is_empty() {
                self.needs(",")?;
            }
            let value = self.expression()?;
            let argument = match (value, self.takes("=")) {
                (Expression::Name(name), true) => Argument {
                    name: Some(name),
                    value: self.expression()?,
                },
                (_, true) => return Err(self.error("an argument is named by a word")),
                (value, false) => Argument { name: None, value },
            };
            arguments.push(argument);
        }
        Ok(arguments)
    }
}
