//! Expressions, from what binds least to what binds most.

use clearance_formats::ImportError;

use super::super::lex::ScriptTokenKind;
use super::super::syntax::{ScriptArgument, ScriptCall, ScriptExpression, ScriptOperator};
use super::Parser;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<ScriptExpression, ImportError> {
        self.deeper(Self::logic)
    }

    /// Takes an operator. No statement ends with one: its line goes on in the next.
    fn operator(&mut self) {
        self.at += 1;
        self.ends_of_lines();
    }

    /// `and`, `or`, `xor`: which of them binds closer is not told, so a mixture needs brackets.
    fn logic(&mut self) -> Result<ScriptExpression, ImportError> {
        let mut left = self.comparison()?;
        let mut first = None;
        loop {
            let operator = match self.word() {
                Some("and") => ScriptOperator::And,
                Some("or") => ScriptOperator::Or,
                Some("xor") => ScriptOperator::Xor,
                _ => return Ok(left),
            };
            self.operator();
            self.join()?;
            let right = self.comparison()?;
            let mixed = *first.get_or_insert(operator) != operator;
            left = match (left, mixed) {
                (ScriptExpression::Doubtful(mut parts, why), _) => {
                    parts.push(right);
                    ScriptExpression::Doubtful(parts, why)
                }
                (left, true) => {
                    let why = "a mixture of `and`, `or` and `xor` without brackets can be read in two ways";
                    ScriptExpression::Doubtful(vec![left, right], why.into())
                }
                (left, false) => {
                    ScriptExpression::Binary(operator, Box::new(left), Box::new(right))
                }
            };
        }
    }

    fn comparison(&mut self) -> Result<ScriptExpression, ImportError> {
        let not = self.word() == Some("not");
        let left = self.sum()?;
        let operator = match self.peek() {
            Some(ScriptTokenKind::Sign("==")) => ScriptOperator::Equal,
            Some(ScriptTokenKind::Sign("!=")) => ScriptOperator::Unequal,
            Some(ScriptTokenKind::Sign("<")) => ScriptOperator::Less,
            Some(ScriptTokenKind::Sign("<=")) => ScriptOperator::LessOrEqual,
            Some(ScriptTokenKind::Sign(">")) => ScriptOperator::Greater,
            Some(ScriptTokenKind::Sign(">=")) => ScriptOperator::GreaterOrEqual,
            _ => return Ok(left),
        };
        self.operator();
        let right = self.sum()?;
        if let (true, ScriptExpression::Not(left)) = (not, &left) {
            let parts = vec![(**left).clone(), right];
            let why = "`not` before a comparison without brackets can be read in two ways";
            return Ok(ScriptExpression::Doubtful(parts, why.into()));
        }
        Ok(ScriptExpression::Binary(
            operator,
            Box::new(left),
            Box::new(right),
        ))
    }

    fn sum(&mut self) -> Result<ScriptExpression, ImportError> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some(ScriptTokenKind::Sign("+")) => ScriptOperator::Add,
                Some(ScriptTokenKind::Sign("-")) => ScriptOperator::Subtract,
                _ => return Ok(left),
            };
            self.operator();
            self.join()?;
            let right = self.product()?;
            left = ScriptExpression::Binary(operator, Box::new(left), Box::new(right));
        }
    }

    fn product(&mut self) -> Result<ScriptExpression, ImportError> {
        let first = self.at;
        let mut left = self.unary()?;
        loop {
            let operator = match self.peek() {
                Some(ScriptTokenKind::Sign("*")) => ScriptOperator::Multiply,
                Some(ScriptTokenKind::Sign("/")) => ScriptOperator::Divide,
                Some(ScriptTokenKind::Sign("%")) => ScriptOperator::Modulo,
                _ => return Ok(left),
            };
            self.operator();
            self.join()?;
            let second = self.at;
            let right = self.unary()?;
            let fraction = self.is_fraction(first, &left) || self.is_fraction(second, &right);
            let operator = match operator {
                ScriptOperator::Divide if fraction => ScriptOperator::DivideFraction,
                other => other,
            };
            left = ScriptExpression::Binary(operator, Box::new(left), Box::new(right));
        }
    }

    /// Whether an expression that starts at this token is a number written with a fraction.
    fn is_fraction(&self, at: usize, of: &ScriptExpression) -> bool {
        let token = self.tokens.get(at);
        matches!(of, ScriptExpression::Number(_)) && token.is_some_and(|t| t.fraction)
    }

    fn unary(&mut self) -> Result<ScriptExpression, ImportError> {
        self.deeper(|this| {
            if this.takes("-") {
                this.ends_of_lines();
                return Ok(ScriptExpression::Negative(Box::new(this.unary()?)));
            }
            // A sign that changes nothing; but only numbers have one.
            if this.takes("+") {
                this.ends_of_lines();
                let inner = this.unary()?;
                let twice = ScriptExpression::Negative(Box::new(inner));
                return Ok(ScriptExpression::Negative(Box::new(twice)));
            }
            if this.takes_word("not") {
                this.ends_of_lines();
                return Ok(ScriptExpression::Not(Box::new(this.unary()?)));
            }
            if this.takes_word("run") {
                let name = this.name()?;
                this.needs("(")?;
                let arguments = this.arguments()?;
                return Ok(ScriptExpression::Run(ScriptCall { name, arguments }));
            }
            let inner = this.primary()?;
            this.postfix(inner)
        })
    }

    fn postfix(&mut self, mut inner: ScriptExpression) -> Result<ScriptExpression, ImportError> {
        loop {
            if self.takes("[") {
                // `matrix[1, 0]` is `matrix[1][0]`.
                loop {
                    self.join()?;
                    let index = self.expression()?;
                    inner = ScriptExpression::Index(Box::new(inner), Box::new(index));
                    if !self.takes(",") {
                        break;
                    }
                }
                self.needs("]")?;
            } else if self.takes(".") {
                self.join()?;
                let name = self.name()?;
                inner = if self.takes("(") {
                    ScriptExpression::Method {
                        object: Box::new(inner),
                        name,
                        arguments: self.arguments()?,
                    }
                } else {
                    ScriptExpression::Field(Box::new(inner), name)
                };
            } else {
                return Ok(inner);
            }
        }
    }

    fn primary(&mut self) -> Result<ScriptExpression, ImportError> {
        let found = match self.peek() {
            Some(ScriptTokenKind::Number(number)) => ScriptExpression::Number(*number),
            Some(ScriptTokenKind::Text(text)) => ScriptExpression::Text(text.clone()),
            Some(ScriptTokenKind::Sign("[")) => {
                self.at += 1;
                return Ok(ScriptExpression::List(self.items()?));
            }
            Some(ScriptTokenKind::Sign("(")) => {
                self.at += 1;
                let inner = self.expression()?;
                self.needs(")")?;
                return Ok(inner);
            }
            Some(ScriptTokenKind::Name(name)) => match &**name {
                "True" => ScriptExpression::Boolean(true),
                "False" => ScriptExpression::Boolean(false),
                _ => return self.named(),
            },
            _ => return Err(self.error("a value is needed")),
        };
        self.at += 1;
        Ok(found)
    }

    fn named(&mut self) -> Result<ScriptExpression, ImportError> {
        let start = self.at;
        let name = self.name()?;
        let next_to = |this: &Self| {
            let (a, b) = (&this.tokens[start], this.tokens.get(this.at));
            b.is_some_and(|b| a.line == b.line && a.column + 1 == b.column)
        };
        if &*name == "p" && next_to(self) && self.takes("[") {
            return Ok(ScriptExpression::Pose(self.items()?));
        }
        if self.takes("(") {
            let arguments = self.arguments()?;
            return Ok(ScriptExpression::Call(ScriptCall { name, arguments }));
        }
        Ok(ScriptExpression::Name(name))
    }

    fn items(&mut self) -> Result<Vec<ScriptExpression>, ImportError> {
        let mut items = Vec::new();
        while !self.takes("]") {
            if !items.is_empty() {
                self.needs(",")?;
            }
            items.push(self.expression()?);
        }
        Ok(items)
    }

    pub(super) fn arguments(&mut self) -> Result<Vec<ScriptArgument>, ImportError> {
        let mut arguments: Vec<ScriptArgument> = Vec::new();
        while !self.takes(")") {
            if !arguments.is_empty() {
                self.needs(",")?;
            }
            let value = self.expression()?;
            let argument = match (value, self.takes("=")) {
                (ScriptExpression::Name(name), true) => ScriptArgument {
                    name: Some(name),
                    value: self.expression()?,
                },
                (_, true) => return Err(self.error("an argument is named by a word")),
                (value, false) => ScriptArgument { name: None, value },
            };
            arguments.push(argument);
        }
        Ok(arguments)
    }
}
