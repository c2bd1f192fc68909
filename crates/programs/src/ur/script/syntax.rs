//! The parts of a URScript program. Node trees of PolyScope are turned into the same parts, as the
//! controller does.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use clearance_proof::report::Location;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ScriptExpression {
    /// A number.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// Text.
    Text(Arc<str>),
    /// A variable.
    Name(Arc<str>),
    /// `[…]`
    List(Vec<ScriptExpression>),
    /// `p[…]`
    Pose(Vec<ScriptExpression>),
    /// A function with arguments.
    Call(ScriptCall),
    /// A method of some object, which lives outside of the program.
    Method {
        /// The object.
        object: Box<ScriptExpression>,
        /// Name of the method.
        name: Arc<str>,
        /// Arguments.
        arguments: Vec<ScriptArgument>,
    },
    /// A field of a struct.
    Field(Box<ScriptExpression>, Arc<str>),
    /// `list[index]`
    Index(Box<ScriptExpression>, Box<ScriptExpression>),
    /// `-x`
    Negative(Box<ScriptExpression>),
    /// `not x`
    Not(Box<ScriptExpression>),
    /// Two operands.
    Binary(ScriptOperator, Box<ScriptExpression>, Box<ScriptExpression>),
    /// `run f()`
    Run(ScriptCall),
    /// An expression that can be read in two ways, and why; its parts are understood.
    Doubtful(Vec<ScriptExpression>, Arc<str>),
    /// A value that is not known, and why.
    Unknown(Arc<str>),
    /// An expression that is not understood, and why: it may call a function.
    Unread(Arc<str>),
}

/// A function and its arguments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptCall {
    /// Name of the function.
    pub(crate) name: Arc<str>,
    /// Arguments.
    pub(crate) arguments: Vec<ScriptArgument>,
}

/// An argument.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptArgument {
    /// Its name, where it is given by name.
    pub(crate) name: Option<Arc<str>>,
    /// Its value.
    pub(crate) value: ScriptExpression,
}

/// An operator with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScriptOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// `/` beside a number that is written with a fraction: nothing is rounded to a whole number.
    DivideFraction,
    Modulo,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
    Xor,
}

/// Which variable an assignment means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScriptScope {
    /// The one that is seen here, or a new one.
    Seen,
    /// `global`
    Global,
    /// `local`
    Local,
}

/// A statement and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptStatement {
    pub(crate) place: Location,
    pub(crate) what: ScriptAction,
}

/// The action of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ScriptAction {
    /// `name[index]… = value`
    Assign {
        /// Which variable.
        scope: ScriptScope,
        /// Its name.
        name: Arc<str>,
        /// Places inside of it.
        at: Vec<ScriptExpression>,
        /// New value.
        value: ScriptExpression,
    },
    /// A call.
    Do(ScriptExpression),
    /// `if … elif … else … end`
    If {
        /// Conditions and what follows from them.
        arms: Vec<ScriptBranch>,
        /// Statements that run where no condition is true.
        otherwise: Vec<ScriptStatement>,
    },
    /// `while … end`
    While(ScriptExpression, Vec<ScriptStatement>),
    /// Statements that are repeated a number of times: a counting loop of PolyScope.
    Times {
        /// The number of rounds.
        count: ScriptExpression,
        /// The variable that counts the rounds, if it has a name.
        counter: Option<Arc<str>>,
        /// What is repeated.
        body: Vec<ScriptStatement>,
    },
    /// `return`
    Return(Option<ScriptExpression>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `halt`
    Halt,
    /// A function or thread is defined.
    Define(Rc<Function>),
    /// Statements in a row.
    Block(Vec<ScriptStatement>),
    /// Something that cannot move the arm, by its word.
    Pass(Arc<str>),
    /// The same, with a condition that it asks for as often as it likes.
    Wait(Arc<str>, ScriptExpression),
    /// Something that a name stands for: passed over where the cell says that it keeps the arm
    /// still.
    Named(Arc<str>, Arc<str>),
    /// Something that is not understood, and why.
    Unread(Arc<str>),
}

/// A condition and what follows from it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptBranch {
    pub(crate) condition: ScriptExpression,
    pub(crate) body: Vec<ScriptStatement>,
}

/// A function or thread.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Function {
    pub(crate) name: Arc<str>,
    pub(crate) parameters: Vec<ScriptParameter>,
    pub(crate) body: Vec<ScriptStatement>,
    /// Whether it is a thread.
    pub(crate) thread: bool,
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScriptParameter {
    pub(crate) name: Arc<str>,
    pub(crate) default: Option<ScriptExpression>,
}

impl ScriptStatement {
    /// All statements in it, itself first; the bodies of functions that it defines are not part of
    /// it.
    pub(crate) fn within<'s>(&'s self, found: &mut Vec<&'s ScriptStatement>) {
        found.push(self);
        let mut all = |body: &'s [ScriptStatement]| body.iter().for_each(|s| s.within(found));
        match &self.what {
            ScriptAction::If { arms, otherwise } => {
                arms.iter().for_each(|arm| all(&arm.body));
                all(otherwise);
            }
            ScriptAction::While(_, body)
            | ScriptAction::Times { body, .. }
            | ScriptAction::Block(body) => all(body),
            _ => {}
        }
    }

    /// The expressions that stand in it directly.
    pub(crate) fn expressions(&self) -> Vec<&ScriptExpression> {
        match &self.what {
            ScriptAction::Assign { at, value, .. } => at.iter().chain([value]).collect(),
            ScriptAction::Do(value)
            | ScriptAction::Wait(_, value)
            | ScriptAction::While(value, _)
            | ScriptAction::Times { count: value, .. } => vec![value],
            ScriptAction::Return(value) => value.iter().collect(),
            ScriptAction::If { arms, .. } => arms.iter().map(|arm| &arm.condition).collect(),
            _ => Vec::new(),
        }
    }
}

impl ScriptExpression {
    /// This expression and its parts, itself first.
    pub(crate) fn within<'e>(&'e self, found: &mut Vec<&'e ScriptExpression>) {
        found.push(self);
        self.parts().for_each(|part| part.within(found));
    }

    /// The expressions that stand in it directly.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &ScriptExpression> {
        let (one, two, many, given): (Option<&Self>, Option<&Self>, &[Self], &[ScriptArgument]) =
            match self {
                Self::List(items) | Self::Pose(items) | Self::Doubtful(items, _) => {
                    (None, None, items, &[])
                }
                Self::Call(call) | Self::Run(call) => (None, None, &[], &call.arguments),
                Self::Method {
                    object, arguments, ..
                } => (Some(object), None, &[], arguments),
                Self::Field(inner, _) | Self::Negative(inner) | Self::Not(inner) => {
                    (Some(inner), None, &[], &[])
                }
                Self::Index(a, b) | Self::Binary(_, a, b) => (Some(a), Some(b), &[], &[]),
                Self::Number(_)
                | Self::Boolean(_)
                | Self::Text(_)
                | Self::Name(_)
                | Self::Unknown(_)
                | Self::Unread(_) => (None, None, &[], &[]),
            };
        let given = given.iter().map(|argument| &argument.value);
        one.into_iter().chain(two).chain(many).chain(given)
    }

    /// The variable of which it is a part, or all.
    pub(crate) fn root(&self) -> Option<&Arc<str>> {
        match self {
            Self::Name(name) => Some(name),
            Self::Index(inner, _) | Self::Field(inner, _) => inner.root(),
            _ => None,
        }
    }

    /// The first variable in it: what a move to it is called.
    pub(crate) fn first_name(&self) -> Option<&str> {
        let mut all = Vec::new();
        self.within(&mut all);
        all.into_iter().find_map(|e| match e {
            Self::Name(name) => Some(&**name),
            _ => None,
        })
    }

    /// As a short text, for reasons and the names of ways.
    pub(crate) fn as_text(&self) -> String {
        let list = |items: &[ScriptExpression]| {
            let items: Vec<_> = items.iter().map(ScriptExpression::as_text).collect();
            items.join(", ")
        };
        let call = |arguments: &[ScriptArgument]| {
            let told = arguments.iter().map(|a| a.value.as_text());
            told.collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Number(number) => number.to_string(),
            Self::Boolean(truth) => if *truth { "True" } else { "False" }.to_owned(),
            Self::Text(text) => format!("\"{text}\""),
            Self::Name(name) => name.to_string(),
            Self::List(items) => format!("[{}]", list(items)),
            Self::Pose(items) => format!("p[{}]", list(items)),
            Self::Call(c) => format!("{}({})", c.name, call(&c.arguments)),
            Self::Run(c) => format!("run {}({})", c.name, call(&c.arguments)),
            Self::Method {
                object,
                name,
                arguments,
            } => format!("{}.{name}({})", object.as_text(), call(arguments)),
            Self::Field(object, name) => format!("{}.{name}", object.as_text()),
            Self::Index(list, at) => format!("{}[{}]", list.as_text(), at.as_text()),
            Self::Negative(inner) => format!("-{}", inner.as_text()),
            Self::Not(inner) => format!("not {}", inner.as_text()),
            Self::Binary(operator, a, b) => {
                format!("({} {} {})", a.as_text(), operator.sign(), b.as_text())
            }
            Self::Doubtful(_, why) | Self::Unknown(why) | Self::Unread(why) => format!("<{why}>"),
        }
    }
}

impl ScriptOperator {
    fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide | Self::DivideFraction => "/",
            Self::Modulo => "%",
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
        }
    }
}

/// Names that statements assign to, without those of functions that they call.
pub(crate) fn assigned(body: &[ScriptStatement]) -> BTreeSet<Arc<str>> {
    let mut all = Vec::new();
    body.iter().for_each(|s| s.within(&mut all));
    all.into_iter()
        .filter_map(|s| match &s.what {
            ScriptAction::Assign { name, .. } => Some(name.clone()),
            ScriptAction::Times { counter, .. } => counter.clone(),
            _ => None,
        })
        .collect()
}
