//! Expressions of Python: from text to a tree.

use std::rc::Rc;

use super::value::{Failure, Value, float};

/// How deep an expression may nest.
const MOST_NESTED: usize = 40;

#[derive(Debug, Clone)]
pub(super) enum Expression {
    Value(Value),
    Name(Rc<str>),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    Compare(Box<Expression>, Vec<(Compare, Expression)>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Choice {
        test: Box<Expression>,
        then: Box<Expression>,
        otherwise: Box<Expression>,
    },
    Call {
        function: Box<Expression>,
        arguments: Vec<Expression>,
        named: Vec<(Rc<str>, Expression)>,
    },
    Index(Box<Expression>, Box<Expression>),
    /// From, to.
    Slice(Box<Expression>, [Option<Box<Expression>>; 2]),
    Attribute(Box<Expression>, Rc<str>),
    List(Vec<Expression>),
    Tuple(Vec<Expression>),
    Dict(Vec<(Expression, Expression)>),
    /// `[item for names in source if condition]`
    Each {
        item: Box<Expression>,
        names: Vec<Rc<str>>,
        source: Box<Expression>,
        conditions: Vec<Expression>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unary {
    Plus,
    Minus,
    Not,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Compare {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
    NotIn,
    Is,
    IsNot,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(Rc<str>),
    Int(i128),
    Float(f64),
    Text(Rc<str>),
    Sign(&'static str),
    End,
}

/// Longest first.
const SIGNS: [&str; 25] = [
    "**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "<", ">", "(", ")", "[", "]", "{",
    "}", ",", ":", ".", "=", "|", "&",
];
const KEYWORDS: [&str; 12] = [
    "and", "or", "not", "if", "else", "in", "is", "for", "lambda", "await", "yield", "async",
];

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

fn shown(token: &Token) -> String {
    match token {
        Token::Word(word) => format!("`{word}`"),
        Token::Int(i) => format!("`{i}`"),
        Token::Float(x) => format!("`{x}`"),
        Token::Text(text) => format!("the text '{text}'"),
        Token::Sign(sign) => format!("`{sign}`"),
        Token::End => "the end".to_owned(),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, Failure> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if c.is_alphabetic() || c == '_' {
            let end = text[at..]
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .map_or(text.len(), |n| at + n);
            // `r'…'`, `f'…'`: other rules than those of a plain text.
            if matches!(bytes.get(end), Some(b'\'' | b'"')) {
                return Err(format!("a text with the prefix `{}`", &text[at..end]));
            }
            tokens.push(Token::Word(text[at..end].into()));
            at = end;
        } else if c.is_ascii_digit()
            || c == '.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
        {
            let (token, length) = number(&text[at..])?;
            tokens.push(token);
            at += length;
        } else if c == '\'' || c == '"' {
            let (string, length) = quoted(&text[at..], c)?;
            // Python joins texts that stand side by side.
            match tokens.last_mut() {
                Some(Token::Text(before)) => *before = format!("{before}{string}").into(),
                _ => tokens.push(Token::Text(string.into())),
            }
            at += length;
        } else if let Some(sign) = SIGNS.iter().find(|s| text[at..].starts_with(**s)) {
            tokens.push(Token::Sign(sign));
            at += sign.len();
        } else {
            return Err(format!("`{c}` is not known here"));
        }
    }
    tokens.push(Token::End);
    Ok(tokens)
}

/// A number at the start of a text, and its length.
fn number(text: &str) -> Result<(Token, usize), Failure> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        from + bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut end = digits(0);
    let mut whole = true;
    if bytes.get(end) == Some(&b'.') {
        whole = false;
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let last = digits(end + 1 + sign);
        if last > end + 1 + sign {
            whole = false;
            end = last;
        }
    }
    let behind = text[end..].chars().next();
    if behind.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return Err(format!("`{text}` begins with a number of another form"));
    }
    let written = &text[..end];
    if !whole {
        let value = float(written).ok_or_else(|| format!("`{written}` is no number"))?;
        return Ok((Token::Float(value), end));
    }
    if written.len() > 1 && written.starts_with('0') && written.bytes().any(|b| b != b'0') {
        return Err(format!("`{written}` has zeros in front"));
    }
    let value = written.parse();
    let value = value.map_err(|_| format!("`{written}` is too large"))?;
    Ok((Token::Int(value), end))
}

/// A text in quotes at the start of a text, and the length with them.
fn quoted(text: &str, quote: char) -> Result<(String, usize), Failure> {
    let triple: String = [quote; 3].iter().collect();
    if text.starts_with(&triple) {
        return Err("a text in triple quotes".to_owned());
    }
    let mut out = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, e @ ('\\' | '\'' | '"'))) => out.push(e),
                Some((_, 'n')) => out.push('\n'),
                Some((_, 't')) => out.push('\t'),
                _ => return Err("an escape in a text other than \\\\, \\', \\\", \\n, \\t".into()),
            },
            c if c == quote => return Ok((out, at + c.len_utf8())),
            c => out.push(c),
        }
    }
    Err(format!("a text has no closing {quote}"))
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

/// Whether a property may have this name: no word of Python.
pub(super) fn is_name(name: &str) -> bool {
    const WORDS: [&str; 26] = [
        "True", "False", "None", "as", "assert", "break", "class", "continue", "def", "del",
        "elif", "except", "finally", "from", "global", "import", "nonlocal", "pass", "raise",
        "return", "try", "while", "with", "lambda", "await", "yield",
    ];
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with("__")
        && !KEYWORDS.contains(&name)
        && !WORDS.contains(&name)
}
