//! Expressions of Python as trees.

use std::rc::Rc;

use super::value::PythonValue;

#[derive(Debug, Clone)]
pub(super) enum PythonExpression {
    Value(PythonValue),
    Name(Rc<str>),
    Unary(UnaryOperator, Box<PythonExpression>),
    Binary(
        ArithmeticOperator,
        Box<PythonExpression>,
        Box<PythonExpression>,
    ),
    Compare(
        Box<PythonExpression>,
        Vec<(ComparisonOperator, PythonExpression)>,
    ),
    And(Box<PythonExpression>, Box<PythonExpression>),
    Or(Box<PythonExpression>, Box<PythonExpression>),
    Choice {
        test: Box<PythonExpression>,
        then: Box<PythonExpression>,
        otherwise: Box<PythonExpression>,
    },
    Call {
        function: Box<PythonExpression>,
        arguments: Vec<PythonExpression>,
        named: Vec<(Rc<str>, PythonExpression)>,
    },
    Index(Box<PythonExpression>, Box<PythonExpression>),
    /// From, to.
    Slice(Box<PythonExpression>, [Option<Box<PythonExpression>>; 2]),
    Attribute(Box<PythonExpression>, Rc<str>),
    List(Vec<PythonExpression>),
    Tuple(Vec<PythonExpression>),
    Dict(Vec<(PythonExpression, PythonExpression)>),
    /// `[item for names in source if condition]`
    Each {
        item: Box<PythonExpression>,
        names: Vec<Rc<str>>,
        source: Box<PythonExpression>,
        conditions: Vec<PythonExpression>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum UnaryOperator {
    Plus,
    Minus,
    Not,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ArithmeticOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ComparisonOperator {
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
