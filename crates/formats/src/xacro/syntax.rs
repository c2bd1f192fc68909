//! Expressions of Python as trees.

use std::rc::Rc;

use super::value::Value;

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
