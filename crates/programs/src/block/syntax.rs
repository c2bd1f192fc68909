//! Programs as they are followed. Names are in lower case: neither language tells capitals apart.

mod expression;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use clearance_proof::report::Location;

pub(crate) use expression::{
    Argument, Call, Expression, LEFT_OUT, Operator, PathPart, PathStep, VariablePath,
};

/// A name in lower case.
pub(crate) type Name = Arc<str>;

/// All that has been read of a program.
#[derive(Debug, Default)]
pub(crate) struct BlockProgram {
    /// Modules: their data by name.
    pub(crate) modules: Vec<Module>,
    /// Record types: their fields with types.
    pub(crate) records: BTreeMap<Name, Vec<(Name, Name)>>,
    /// Other names of types.
    pub(crate) aliases: BTreeMap<Name, Name>,
    /// Variables of the controller itself that lists state without declaring them.
    pub(crate) stated: Vec<SystemValue>,
    /// Routines.
    pub(crate) routines: Vec<Rc<Routine>>,
    /// Names as the program writes them first.
    pub(crate) written: BTreeMap<Name, Name>,
}

impl BlockProgram {
    /// A name as the program writes it first.
    pub(crate) fn as_written<'n>(&'n self, name: &'n Name) -> &'n Name {
        self.written.get(name).unwrap_or(name)
    }

    /// The routines of these names and all that they may call, in whatever module.
    pub(crate) fn reached(&self, from: impl IntoIterator<Item = Name>) -> Vec<&Rc<Routine>> {
        let mut left: Vec<Name> = from.into_iter().collect();
        let mut names: BTreeSet<Name> = left.iter().cloned().collect();
        let mut reached = Vec::new();
        while let Some(name) = left.pop() {
            for routine in self.routines.iter().filter(|r| r.name == name) {
                reached.push(routine);
                let called = routine.calls().into_iter().map(|call| call.name.clone());
                left.extend(called.filter(|name| names.insert(name.clone())));
            }
        }
        reached
    }
}

/// A module, or a data list together with its program.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// Its name.
    pub(crate) name: Name,
    /// Its data, in order.
    pub(crate) data: Vec<Declaration>,
}

/// The value of a variable of the controller itself, as a list states it.
#[derive(Debug)]
pub(crate) struct SystemValue {
    pub(crate) place: Location,
    pub(crate) name: Name,
    pub(crate) value: Expression,
}

/// A variable as it is declared.
#[derive(Debug, Clone)]
pub(crate) struct Declaration {
    pub(crate) place: Location,
    pub(crate) name: Name,
    /// Its type.
    pub(crate) kind: Name,
    /// Lengths of an array, outermost first; 0 where none is written.
    pub(crate) lengths: Vec<Expression>,
    /// Its first value.
    pub(crate) first: Option<Expression>,
    /// Values of single elements, as data lists write them.
    pub(crate) elements: Vec<DeclaredElement>,
    /// Seen in its own module only.
    pub(crate) local: bool,
    /// Never assigned.
    pub(crate) constant: bool,
    /// Lives in the controller: without a first value, nobody knows what it is.
    pub(crate) persistent: bool,
    /// The controller keeps its value until the next start, and other tasks may change it.
    pub(crate) kept: bool,
}

/// The value of an element, as a data list writes it.
#[derive(Debug, Clone)]
pub(crate) struct DeclaredElement {
    pub(crate) place: Location,
    /// Which element, outermost first.
    pub(crate) indices: Vec<Expression>,
    pub(crate) value: Expression,
}

impl Declaration {
    /// All that it asks for: every expression and its parts.
    pub(crate) fn parts(&self) -> Vec<&Expression> {
        let elements = self.elements.iter();
        let elements = elements.flat_map(|it| it.indices.iter().chain([&it.value]));
        let all = self.lengths.iter().chain(&self.first).chain(elements);
        all.flat_map(Expression::parts).collect()
    }
}

/// A routine.
#[derive(Debug)]
pub(crate) struct Routine {
    pub(crate) place: Location,
    pub(crate) name: Name,
    /// As the program writes it.
    pub(crate) written: Name,
    /// Place in the modules.
    pub(crate) module: usize,
    /// Seen in its own module only.
    pub(crate) local: bool,
    /// Its caller.
    pub(crate) sort: RoutineKind,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) data: Vec<Declaration>,
    pub(crate) body: Vec<Statement>,
    /// Statements that run after an error.
    pub(crate) handlers: Vec<Statement>,
}

impl Routine {
    /// All its statements, and those that run after an error.
    pub(crate) fn statements(&self) -> Vec<&Statement> {
        Statement::within(self.body.iter().chain(&self.handlers))
    }

    /// Whether a name means a variable or parameter of its own.
    pub(crate) fn declares(&self, name: &Name) -> bool {
        let mut parameters = self.parameters.iter();
        parameters.any(|p| p.name == *name) || self.data.iter().any(|d| d.name == *name)
    }

    /// The expressions in it, and their parts.
    pub(crate) fn parts(&self) -> Vec<&Expression> {
        let declared = self.data.iter().flat_map(Declaration::parts);
        let statements = self.statements().into_iter().flat_map(Statement::parts);
        declared.chain(statements).collect()
    }

    /// The calls in it.
    pub(crate) fn calls(&self) -> Vec<&Call> {
        let asked = self.parts().into_iter().filter_map(Expression::as_call);
        let run = self.statements().into_iter().filter_map(Statement::as_call);
        asked.chain(run).collect()
    }
}

/// The part of a program that calls a routine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RoutineKind {
    /// A statement.
    Procedure,
    /// An expression; type of its value.
    Function(Name),
    /// An interrupt.
    Trap,
}

/// A parameter of a routine.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) kind: Name,
    /// Whether what it is handed may change with it.
    pub(crate) by_reference: bool,
    /// Whether it may be left out.
    pub(crate) optional: bool,
}

/// A statement and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statement {
    pub(crate) place: Location,
    pub(crate) what: StatementKind,
}

/// The action of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StatementKind {
    Assign(VariablePath, Expression),
    /// Conditions with what follows from them, and what happens where none is true.
    If(Vec<(Expression, Vec<Statement>)>, Vec<Statement>),
    For(Box<For>),
    While(Expression, Vec<Statement>),
    /// Until the condition is true, at least once.
    Repeat(Vec<Statement>, Expression),
    Loop(Vec<Statement>),
    /// Leaves the innermost loop.
    Leave,
    /// A value, values it is compared with, and what happens where it is none of them.
    Switch(
        Expression,
        Vec<(Vec<Expression>, Vec<Statement>)>,
        Vec<Statement>,
    ),
    Label(Name),
    Goto(Name),
    Return(Option<Expression>),
    /// Ends the program.
    End,
    /// A routine or an instruction.
    Call(Call),
    /// Something that cannot move the arm, by its word.
    Pass(Name),
    /// Statements that run beside the program, at a time that is not known.
    Aside(Vec<Statement>),
    /// Something that is not understood, why, and the names in it that it may set.
    Unread(Name, Vec<Name>),
}

impl StatementKind {
    /// Something that is not understood.
    pub(crate) fn unread(reason: Name) -> Self {
        Self::Unread(reason, Vec::new())
    }
}

/// A loop that counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct For {
    pub(crate) name: Name,
    /// Whether the loop declares its variable.
    pub(crate) declares: bool,
    pub(crate) from: Expression,
    pub(crate) to: Expression,
    pub(crate) by: Option<Expression>,
    /// Whether it counts downwards by itself where the end is less than the start.
    pub(crate) turns: bool,
    pub(crate) body: Vec<Statement>,
}

impl Statement {
    /// These statements and all that stand in them, each before those in it.
    pub(crate) fn within<'s>(statements: impl IntoIterator<Item = &'s Self>) -> Vec<&'s Self> {
        let mut found = Vec::new();
        statements.into_iter().for_each(|s| s.collect(&mut found));
        found
    }

    fn collect<'s>(&'s self, found: &mut Vec<&'s Self>) {
        found.push(self);
        let mut all = |body: &'s [Self]| body.iter().for_each(|s| s.collect(found));
        match &self.what {
            StatementKind::If(arms, otherwise) => {
                arms.iter().for_each(|(_, body)| all(body));
                all(otherwise);
            }
            StatementKind::Switch(_, cases, otherwise) => {
                cases.iter().for_each(|(_, body)| all(body));
                all(otherwise);
            }
            StatementKind::For(counting) => all(&counting.body),
            StatementKind::While(_, body)
            | StatementKind::Repeat(body, _)
            | StatementKind::Loop(body)
            | StatementKind::Aside(body) => all(body),
            _ => {}
        }
    }

    /// The calls that stand in it directly: itself, and those in its expressions.
    pub(crate) fn calls(&self) -> Vec<&Call> {
        let asked = self.parts().into_iter().filter_map(Expression::as_call);
        asked.chain(self.as_call()).collect()
    }

    /// The routine or instruction that it calls.
    pub(crate) fn as_call(&self) -> Option<&Call> {
        match &self.what {
            StatementKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// What a wait or a loop asks for, again and again. Routines of the program whose names begin
    /// like those of waits count as such. How long a pause is, is asked for once.
    pub(crate) fn waits_for(&self) -> Vec<&Expression> {
        match &self.what {
            StatementKind::While(condition, _) | StatementKind::Repeat(_, condition) => {
                vec![condition]
            }
            StatementKind::Call(call) if call.waits() && *call.name != *"waittime" => {
                call.positional().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The expressions that stand in it directly, and their parts.
    pub(crate) fn parts(&self) -> Vec<&Expression> {
        let expressions = self.expressions().into_iter();
        expressions.flat_map(Expression::parts).collect()
    }

    /// The expressions that stand in it directly.
    pub(crate) fn expressions(&self) -> Vec<&Expression> {
        match &self.what {
            StatementKind::Assign(path, value) => path.indices().chain([value]).collect(),
            StatementKind::If(arms, _) => arms.iter().map(|(condition, _)| condition).collect(),
            StatementKind::For(counting) => [&counting.from, &counting.to]
                .into_iter()
                .chain(&counting.by)
                .collect(),
            StatementKind::While(condition, _) | StatementKind::Repeat(_, condition) => {
                vec![condition]
            }
            StatementKind::Switch(value, cases, _) => {
                let values = cases.iter().flat_map(|(values, _)| values);
                [value].into_iter().chain(values).collect()
            }
            StatementKind::Return(value) => value.iter().collect(),
            StatementKind::Call(call) => call.arguments.iter().flat_map(|a| &a.value).collect(),
            _ => Vec::new(),
        }
    }
}
