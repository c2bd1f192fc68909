//! Expressions of Python: from text to a tree.

use std::rc::Rc;

use super::syntax::{Binary, Compare, Expression, Unary};
use super::tokens::{KEYWORDS, Token, shown, tokens};
use super::value::{Failure, Value};

/// How deep an expression may nest.
const MOST_NESTED: usize = 40;

/// The tree of an expression.
pub(super) fn parse(text: &str) -> Result<Expression, Failure> {
    let mut parser = Parser {
        tokens: tokens(text.trim())?,
        at: 0,
        nested: 0,
    };
    let whole = parser.tuple_or_one()?;
    match parser.peek() {
        Token::End => Ok(whole),
        other => Err(format!("{} is not expected here", shown(other))),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    nested: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(s) if *s == sign);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(w) if **w == *word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), Failure> {
        if self.sign(sign) {
            return Ok(());
        }
        Err(format!("expected `{sign}`, found {}", shown(self.peek())))
    }

    fn name(&mut self) -> Result<Rc<str>, Failure> {
        match self.next() {
            Token::Word(word) if !KEYWORDS.contains(&&*word) => Ok(word),
            other => Err(format!("expected a name, found {}", shown(&other))),
        }
    }

    /// `a, b` without parentheses is a tuple too.
    fn tuple_or_one(&mut self) -> Result<Expression, Failure> {
        let first = self.expression()?;
        if !matches!(self.peek(), Token::Sign(",")) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.sign(",") {
            if matches!(self.peek(), Token::End | Token::Sign(")")) {
                break;
            }
            items.push(self.expression()?);
        }
        Ok(Expression::Tuple(items))
    }

    fn expression(&mut self) -> Result<Expression, Failure> {
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err(format!("an expression nested more than {MOST_NESTED} deep"));
        }
        let value = self.or()?;
        let value = if self.word("if") {
            let test = self.or()?;
            if !self.word("else") {
                return Err("`if` without `else`".to_owned());
            }
            Expression::Choice {
                test: Box::new(test),
                then: Box::new(value),
                otherwise: Box::new(self.expression()?),
            }
        } else {
            value
        };
        self.nested -= 1;
        Ok(value)
    }

    fn or(&mut self) -> Result<Expression, Failure> {
        let mut left = self.and()?;
        while self.word("or") {
            left = Expression::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expression, Failure> {
        let mut left = self.not()?;
        while self.word("and") {
            left = Expression::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expression, Failure> {
        let mut times = 0;
        while self.word("not") {
            times += 1;
        }
        let mut value = self.comparison()?;
        for _ in 0..times.min(MOST_NESTED) {
            value = Expression::Unary(Unary::Not, Box::new(value));
        }
        match times > MOST_NESTED {
            true => Err("too many `not`".to_owned()),
            false => Ok(value),
        }
    }

    fn comparison(&mut self) -> Result<Expression, Failure> {
        let first = self.sum()?;
        let mut rest = Vec::new();
        loop {
            let how = match self.peek() {
                Token::Sign("==") => Compare::Equal,
                Token::Sign("!=") => Compare::Unequal,
                Token::Sign("<") => Compare::Less,
                Token::Sign("<=") => Compare::AtMost,
                Token::Sign(">") => Compare::Greater,
                Token::Sign(">=") => Compare::AtLeast,
                Token::Word(w) if &**w == "in" => Compare::In,
                Token::Word(w) if &**w == "not" => Compare::NotIn,
                Token::Word(w) if &**w == "is" => Compare::Is,
                _ => break,
            };
            self.at += 1;
            let how = match how {
                Compare::NotIn if !self.word("in") => return Err("`not` without `in`".to_owned()),
                Compare::Is if self.word("not") => Compare::IsNot,
                how => how,
            };
            rest.push((how, self.sum()?));
        }
        match rest.is_empty() {
            true => Ok(first),
            false => Ok(Expression::Compare(Box::new(first), rest)),
        }
    }

    fn sum(&mut self) -> Result<Expression, Failure> {
        let mut left = self.product()?;
        loop {
            let how = match self.peek() {
                Token::Sign("+") => Binary::Add,
                Token::Sign("-") => Binary::Subtract,
                Token::Sign(s @ ("|" | "&")) => return Err(format!("the operator `{s}`")),
                _ => return Ok(left),
            };
            self.at += 1;
            left = Expression::Binary(how, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expression, Failure> {
        let mut left = self.signed()?;
        loop {
            let how = match self.peek() {
                Token::Sign("*") => Binary::Multiply,
                Token::Sign("/") => Binary::Divide,
                Token::Sign("//") => Binary::FloorDivide,
                Token::Sign("%") => Binary::Remainder,
                _ => return Ok(left),
            };
            self.at += 1;
            left = Expression::Binary(how, Box::new(left), Box::new(self.signed()?));
        }
    }

    /// Signs bind less than powers: -2**2 is -4.
    fn signed(&mut self) -> Result<Expression, Failure> {
        let how = match self.peek() {
            Token::Sign("+") => Unary::Plus,
            Token::Sign("-") => Unary::Minus,
            _ => return self.power(),
        };
        self.at += 1;
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err("too many signs".to_owned());
        }
        let value = self.signed()?;
        self.nested -= 1;
        Ok(Expression::Unary(how, Box::new(value)))
    }

    fn power(&mut self) -> Result<Expression, Failure> {
        let base = self.postfix()?;
        if !self.sign("**") {
            return Ok(base);
        }
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err("too many powers".to_owned());
        }
        let exponent = self.signed()?;
        self.nested -= 1;
        Ok(Expression::Binary(
            Binary::Power,
            Box::new(base),
            Box::new(exponent),
        ))
    }

    fn postfix(&mut self) -> Result<Expression, Failure> {
        let mut value = self.atom()?;
        for _ in 0..MOST_NESTED {
            if self.sign("(") {
                value = self.call(value)?;
            } else if self.sign("[") {
                value = self.index(value)?;
            } else if self.sign(".") {
                value = Expression::Attribute(Box::new(value), self.name()?);
            } else {
                return Ok(value);
            }
        }
        Err("too many calls and indices in a row".to_owned())
    }

    fn call(&mut self, function: Expression) -> Result<Expression, Failure> {
        let (mut arguments, mut named) = (Vec::new(), Vec::new());
        while !self.sign(")") {
            let is_named = matches!(self.tokens.get(self.at + 1), Some(Token::Sign("=")));
            if is_named {
                let name = self.name()?;
                self.expect("=")?;
                named.push((name, self.expression()?));
            } else if !named.is_empty() {
                return Err("an argument without a name behind one with a name".to_owned());
            } else {
                let item = self.expression()?;
                arguments.push(match self.word("for") {
                    true => self.each(item)?,
                    false => item,
                });
            }
            if !self.sign(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(Expression::Call {
            function: Box::new(function),
            arguments,
            named,
        })
    }

    fn index(&mut self, value: Expression) -> Result<Expression, Failure> {
        let value = Box::new(value);
        let first = match self.peek() {
            Token::Sign(":") => None,
            _ => Some(Box::new(self.tuple_or_one()?)),
        };
        if !self.sign(":") {
            self.expect("]")?;
            return match first {
                Some(first) => Ok(Expression::Index(value, first)),
                None => Err("an index is missing".to_owned()),
            };
        }
        let last = match self.peek() {
            Token::Sign("]") => None,
            _ => Some(Box::new(self.expression()?)),
        };
        self.expect("]")?;
        Ok(Expression::Slice(value, [first, last]))
    }

    /// Behind `item for`.
    fn each(&mut self, item: Expression) -> Result<Expression, Failure> {
        let mut names = vec![self.name()?];
        while self.sign(",") {
            names.push(self.name()?);
        }
        if !self.word("in") {
            return Err("`for` without `in`".to_owned());
        }
        let source = Box::new(self.or()?);
        let mut conditions = Vec::new();
        while self.word("if") {
            conditions.push(self.or()?);
        }
        if self.word("for") {
            return Err("two `for` in one list".to_owned());
        }
        Ok(Expression::Each {
            item: Box::new(item),
            names,
            source,
            conditions,
        })
    }

    fn atom(&mut self) -> Result<Expression, Failure> {
        match self.next() {
            Token::Int(i) => Ok(Expression::Value(Value::Int(i))),
            Token::Float(x) => Ok(Expression::Value(Value::Float(x))),
            Token::Text(text) => Ok(Expression::Value(Value::Text(text))),
            Token::Word(word) => match &*word {
                "True" => Ok(Expression::Value(Value::Bool(true))),
                "False" => Ok(Expression::Value(Value::Bool(false))),
                "None" => Ok(Expression::Value(Value::None)),
                w if KEYWORDS.contains(&w) => Err(format!("`{word}` is not known here")),
                w if w.starts_with("__") => Err(format!("the name `{word}`")),
                _ => Ok(Expression::Name(word)),
            },
            Token::Sign("(") => {
                if self.sign(")") {
                    return Ok(Expression::Tuple(Vec::new()));
                }
                let inner = self.tuple_or_one()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Sign("[") => self.list(),
            Token::Sign("{") => self.dict(),
            Token::End => Err("something is missing at the end".to_owned()),
            other => Err(format!("{} is not expected here", shown(&other))),
        }
    }

    fn list(&mut self) -> Result<Expression, Failure> {
        let mut items = Vec::new();
        while !self.sign("]") {
            let item = self.expression()?;
            if items.is_empty() && self.word("for") {
                let each = self.each(item)?;
                self.expect("]")?;
                return Ok(each);
            }
            items.push(item);
            if !self.sign(",") {
                self.expect("]")?;
                break;
            }
        }
        Ok(Expression::List(items))
    }

    fn dict(&mut self) -> Result<Expression, Failure> {
        let mut entries = Vec::new();
        while !self.sign("}") {
            let key = self.expression()?;
            self.expect(":")?;
            entries.push((key, self.expression()?));
            if !self.sign(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Expression::Dict(entries))
    }
}
