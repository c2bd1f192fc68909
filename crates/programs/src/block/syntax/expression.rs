//! Expressions, the variables and calls in them, and what stands in them.

use super::Name;

/// A call of a routine or an instruction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: Name,
    pub(crate) arguments: Vec<Argument>,
}

/// An argument.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Argument {
    /// Its name, where it is given by name.
    pub(crate) name: Option<Name>,
    /// The name that stands before one that is given by place all the same (`Tool:=tool0`).
    pub(crate) label: Option<Name>,
    /// Its value; none: a switch.
    pub(crate) value: Option<Expression>,
    /// Whether it stands in parentheses of its own: then it may be a value, and no variable.
    pub(crate) in_brackets: bool,
}

/// A variable or a part of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VariablePath {
    pub(crate) name: Name,
    pub(crate) parts: Vec<PathPart>,
}

/// A part of a variable.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PathPart {
    Field(Name),
    /// Counted from 1.
    Index(Expression),
}

/// A part of a variable whose place is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathStep {
    Field(Name),
    /// Counted from 0.
    Index(usize),
}

/// What is said of an argument that is left out and cannot be: nothing is asked for it.
pub(crate) const LEFT_OUT: &str = "an argument that is left out is not read";

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    /// A number, and whether it is written as a whole one.
    Number(f64, bool),
    Boolean(bool),
    Text(Name),
    Variable(VariablePath),
    Call(Call),
    /// `[…]`
    List(Vec<Expression>),
    /// `{…}`: type, where it is written, and fields.
    Record(Option<Name>, Vec<(Name, Expression)>),
    Negative(Box<Expression>),
    Not(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// An expression that is not understood, and why.
    Unread(Name),
}

/// An operator with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// Whole quotient.
    Quotient,
    Remainder,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
    ExclusiveOr,
    /// One frame in another.
    Compose,
}

impl Argument {
    /// One that is given by place, without a name.
    pub(crate) fn by_place(value: Option<Expression>) -> Self {
        Self {
            name: None,
            label: None,
            value,
            in_brackets: false,
        }
    }
}

impl Call {
    /// Whether its name is that of an instruction of the controller that waits.
    pub(crate) fn waits(&self) -> bool {
        self.name.starts_with("wait")
    }

    /// The arguments that are given by place.
    pub(crate) fn positional(&self) -> impl Iterator<Item = &Expression> {
        let by_place = self.arguments.iter().filter(|a| a.name.is_none());
        by_place.filter_map(|a| a.value.as_ref())
    }

    /// The argument that is given by that name, if there is one: its value, or nothing for a
    /// switch.
    pub(crate) fn named(&self, name: &str) -> Option<Option<&Expression>> {
        let found = self.arguments.iter();
        let mut found = found.filter(|a| a.name.as_deref() == Some(name));
        found.next().map(|a| a.value.as_ref())
    }
}

impl VariablePath {
    /// A whole variable.
    pub(crate) fn whole(name: &Name) -> Self {
        Self {
            name: name.clone(),
            parts: Vec::new(),
        }
    }

    /// Expressions in it.
    pub(crate) fn indices(&self) -> impl Iterator<Item = &Expression> {
        self.parts.iter().filter_map(|part| match part {
            PathPart::Index(index) => Some(index),
            PathPart::Field(_) => None,
        })
    }

    /// As a program may write it.
    pub(crate) fn shown(&self) -> String {
        let mut shown = self.name.to_string();
        for part in &self.parts {
            match part {
                PathPart::Field(name) => shown += &format!(".{name}"),
                PathPart::Index(index) => shown += &format!("[{}]", index.shown()),
            }
        }
        shown
    }
}

impl Expression {
    /// Two values joined by an operator.
    pub(crate) fn binary(operator: Operator, left: Expression, right: Expression) -> Self {
        Self::Binary(operator, Box::new(left), Box::new(right))
    }

    /// The function that it calls.
    pub(crate) fn as_call(&self) -> Option<&Call> {
        match self {
            Self::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The variable that it is, or is a part of.
    pub(crate) fn as_variable(&self) -> Option<&Name> {
        match self {
            Self::Variable(path) => Some(&path.name),
            _ => None,
        }
    }

    /// This expression and its parts, itself first.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'e>(&'e self, found: &mut Vec<&'e Self>) {
        found.push(self);
        match self {
            Self::Variable(path) => path.indices().for_each(|e| e.collect(found)),
            Self::Call(call) => {
                let given = call.arguments.iter().flat_map(|a| &a.value);
                given.for_each(|e| e.collect(found));
            }
            Self::List(items) => items.iter().for_each(|e| e.collect(found)),
            Self::Record(_, fields) => fields.iter().for_each(|(_, e)| e.collect(found)),
            Self::Negative(inner) | Self::Not(inner) => inner.collect(found),
            Self::Binary(_, left, right) => {
                left.collect(found);
                right.collect(found);
            }
            Self::Number(..) | Self::Boolean(_) | Self::Text(_) | Self::Unread(_) => {}
        }
    }

    /// As a program may write it, short.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Number(number, _) => number.to_string(),
            Self::Boolean(truth) => truth.to_string(),
            Self::Text(text) => text.to_string(),
            Self::Variable(path) => path.shown(),
            Self::Call(call) => format!("{}(…)", call.name),
            Self::List(_) => "[…]".into(),
            Self::Record(..) => "{…}".into(),
            Self::Negative(inner) => format!("-{}", inner.shown()),
            Self::Not(inner) => format!("not {}", inner.shown()),
            Self::Binary(operator, left, right) => {
                format!("{} {} {}", left.shown(), operator.shown(), right.shown())
            }
            Self::Unread(_) => "…".into(),
        }
    }
}

impl Operator {
    /// As programs write it.
    pub(crate) fn shown(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Quotient => "div",
            Self::Remainder => "mod",
            Self::Equal => "=",
            Self::Unequal => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::And => "and",
            Self::Or => "or",
            Self::ExclusiveOr => "xor",
            Self::Compose => ":",
        }
    }
}
