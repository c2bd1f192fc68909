//! Expressions of Python: from text to a tree.

use std::rc::Rc;

use super::EvaluationError;
use super::syntax::{ArithmeticOperator, ComparisonOperator, PythonExpression, UnaryOperator};
use super::tokens::{KEYWORDS, PythonToken, shown, tokens};
use super::value::PythonValue;

/// How deep an expression may nest.
const MOST_NESTED: usize = 40;

/// The tree of an expression.
pub(super) fn parse(text: &str) -> Result<PythonExpression, EvaluationError> {
    let mut parser = Parser {
        tokens: tokens(text.trim())?,
        at: 0,
        nested: 0,
    };
    let whole = parser.tuple_or_one()?;
    match parser.peek() {
        PythonToken::End => Ok(whole),
        other => Err(format!("{} is not expected here", shown(other))),
    }
}

struct Parser {
    tokens: Vec<PythonToken>,
    at: usize,
    nested: usize,
}

impl Parser {
    fn peek(&self) -> &PythonToken {
        self.tokens.get(self.at).unwrap_or(&PythonToken::End)
    }

    fn next(&mut self) -> PythonToken {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), PythonToken::Sign(s) if *s == sign);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), PythonToken::Word(w) if **w == *word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), EvaluationError> {
        if self.sign(sign) {
            return Ok(());
        }
        Err(format!("expected `{sign}`, found {}", shown(self.peek())))
    }

    fn name(&mut self) -> Result<Rc<str>, EvaluationError> {
        match self.next() {
            PythonToken::Word(word) if !KEYWORDS.contains(&&*word) => Ok(word),
            other => Err(format!("expected a name, found {}", shown(&other))),
        }
    }

    /// `a, b` without parentheses is a tuple too.
    fn tuple_or_one(&mut self) -> Result<PythonExpression, EvaluationError> {
        let first = self.expression()?;
        if !matches!(self.peek(), PythonToken::Sign(",")) {
            return Ok(first);
        }
        let mut items = vec![first];
        while self.sign(",") {
            if matches!(self.peek(), PythonToken::End | PythonToken::Sign(")")) {
                break;
            }
            items.push(self.expression()?);
        }
        Ok(PythonExpression::Tuple(items))
    }

    fn expression(&mut self) -> Result<PythonExpression, EvaluationError> {
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
            PythonExpression::Choice {
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

    fn or(&mut self) -> Result<PythonExpression, EvaluationError> {
        let mut left = self.and()?;
        while self.word("or") {
            left = PythonExpression::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<PythonExpression, EvaluationError> {
        let mut left = self.not()?;
        while self.word("and") {
            left = PythonExpression::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<PythonExpression, EvaluationError> {
        let mut times = 0;
        while self.word("not") {
            times += 1;
        }
        let mut value = self.comparison()?;
        for _ in 0..times.min(MOST_NESTED) {
            value = PythonExpression::Unary(UnaryOperator::Not, Box::new(value));
        }
        if times > MOST_NESTED {
            Err("too many `not`".to_owned())
        } else {
            Ok(value)
        }
    }

    fn comparison(&mut self) -> Result<PythonExpression, EvaluationError> {
        let first = self.sum()?;
        let mut rest = Vec::new();
        loop {
            let how = match self.peek() {
                PythonToken::Sign("==") => ComparisonOperator::Equal,
                PythonToken::Sign("!=") => ComparisonOperator::Unequal,
                PythonToken::Sign("<") => ComparisonOperator::Less,
                PythonToken::Sign("<=") => ComparisonOperator::AtMost,
                PythonToken::Sign(">") => ComparisonOperator::Greater,
                PythonToken::Sign(">=") => ComparisonOperator::AtLeast,
                PythonToken::Word(w) if &**w == "in" => ComparisonOperator::In,
                PythonToken::Word(w) if &**w == "not" => ComparisonOperator::NotIn,
                PythonToken::Word(w) if &**w == "is" => ComparisonOperator::Is,
                _ => break,
            };
            self.at += 1;
            let how = match how {
                ComparisonOperator::NotIn if !self.word("in") => {
                    return Err("`not` without `in`".to_owned());
                }
                ComparisonOperator::Is if self.word("not") => ComparisonOperator::IsNot,
                how => how,
            };
            rest.push((how, self.sum()?));
        }
        if rest.is_empty() {
            Ok(first)
        } else {
            Ok(PythonExpression::Compare(Box::new(first), rest))
        }
    }

    fn sum(&mut self) -> Result<PythonExpression, EvaluationError> {
        let mut left = self.product()?;
        loop {
            let how = match self.peek() {
                PythonToken::Sign("+") => ArithmeticOperator::Add,
                PythonToken::Sign("-") => ArithmeticOperator::Subtract,
                PythonToken::Sign(s @ ("|" | "&")) => return Err(format!("the operator `{s}`")),
                _ => return Ok(left),
            };
            self.at += 1;
            left = PythonExpression::Binary(how, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<PythonExpression, EvaluationError> {
        let mut left = self.signed()?;
        loop {
            let how = match self.peek() {
                PythonToken::Sign("*") => ArithmeticOperator::Multiply,
                PythonToken::Sign("/") => ArithmeticOperator::Divide,
                PythonToken::Sign("//") => ArithmeticOperator::FloorDivide,
                PythonToken::Sign("%") => ArithmeticOperator::Remainder,
                _ => return Ok(left),
            };
            self.at += 1;
            left = PythonExpression::Binary(how, Box::new(left), Box::new(self.signed()?));
        }
    }

    /// Signs bind less than powers: -2**2 is -4.
    fn signed(&mut self) -> Result<PythonExpression, EvaluationError> {
        let how = match self.peek() {
            PythonToken::Sign("+") => UnaryOperator::Plus,
            PythonToken::Sign("-") => UnaryOperator::Minus,
            _ => return self.power(),
        };
        self.at += 1;
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err("too many signs".to_owned());
        }
        let value = self.signed()?;
        self.nested -= 1;
        Ok(PythonExpression::Unary(how, Box::new(value)))
    }

    fn power(&mut self) -> Result<PythonExpression, EvaluationError> {
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
        Ok(PythonExpression::Binary(
            ArithmeticOperator::Power,
            Box::new(base),
            Box::new(exponent),
        ))
    }

    fn postfix(&mut self) -> Result<PythonExpression, EvaluationError> {
        let mut value = self.atom()?;
        for _ in 0..MOST_NESTED {
            if self.sign("(") {
                value = self.call(value)?;
            } else if self.sign("[") {
                value = self.index(value)?;
            } else if self.sign(".") {
                value = PythonExpression::Attribute(Box::new(value), self.name()?);
            } else {
                return Ok(value);
            }
        }
        Err("too many calls and indices in a row".to_owned())
    }

    fn call(&mut self, function: PythonExpression) -> Result<PythonExpression, EvaluationError> {
        let (mut arguments, mut named) = (Vec::new(), Vec::new());
        while !self.sign(")") {
            let is_named = matches!(self.tokens.get(self.at + 1), Some(PythonToken::Sign("=")));
            if is_named {
                let name = self.name()?;
                self.expect("=")?;
                named.push((name, self.expression()?));
            } else if !named.is_empty() {
                return Err("an argument without a name behind one with a name".to_owned());
            } else {
                let item = self.expression()?;
                arguments.push(if self.word("for") {
                    self.each(item)?
                } else {
                    item
                });
            }
            if !self.sign(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(PythonExpression::Call {
            function: Box::new(function),
            arguments,
            named,
        })
    }

    fn index(&mut self, value: PythonExpression) -> Result<PythonExpression, EvaluationError> {
        let value = Box::new(value);
        let first = match self.peek() {
            PythonToken::Sign(":") => None,
            _ => Some(Box::new(self.tuple_or_one()?)),
        };
        if !self.sign(":") {
            self.expect("]")?;
            return match first {
                Some(first) => Ok(PythonExpression::Index(value, first)),
                None => Err("an index is missing".to_owned()),
            };
        }
        let last = match self.peek() {
            PythonToken::Sign("]") => None,
            _ => Some(Box::new(self.expression()?)),
        };
        self.expect("]")?;
        Ok(PythonExpression::Slice(value, [first, last]))
    }

    /// Behind `item for`.
    fn each(&mut self, item: PythonExpression) -> Result<PythonExpression, EvaluationError> {
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
        Ok(PythonExpression::Each {
            item: Box::new(item),
            names,
            source,
            conditions,
        })
    }

    fn atom(&mut self) -> Result<PythonExpression, EvaluationError> {
        match self.next() {
            PythonToken::Int(i) => Ok(PythonExpression::Value(PythonValue::Int(i))),
            PythonToken::Float(x) => Ok(PythonExpression::Value(PythonValue::Float(x))),
            PythonToken::Text(text) => Ok(PythonExpression::Value(PythonValue::Text(text))),
            PythonToken::Word(word) => match &*word {
                "True" => Ok(PythonExpression::Value(PythonValue::Bool(true))),
                "False" => Ok(PythonExpression::Value(PythonValue::Bool(false))),
                "None" => Ok(PythonExpression::Value(PythonValue::None)),
                w if KEYWORDS.contains(&w) => Err(format!("`{word}` is not known here")),
                w if w.starts_with("__") => Err(format!("the name `{word}`")),
                _ => Ok(PythonExpression::Name(word)),
            },
            PythonToken::Sign("(") => {
                if self.sign(")") {
                    return Ok(PythonExpression::Tuple(Vec::new()));
                }
                let inner = self.tuple_or_one()?;
                self.expect(")")?;
                Ok(inner)
            }
            PythonToken::Sign("[") => self.list(),
            PythonToken::Sign("{") => self.dict(),
            PythonToken::End => Err("something is missing at the end".to_owned()),
            other => Err(format!("{} is not expected here", shown(&other))),
        }
    }

    fn list(&mut self) -> Result<PythonExpression, EvaluationError> {
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
        Ok(PythonExpression::List(items))
    }

    fn dict(&mut self) -> Result<PythonExpression, EvaluationError> {
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
        Ok(PythonExpression::Dict(entries))
    }
}
