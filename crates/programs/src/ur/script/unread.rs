//! Variables that nobody reads: counters that a program counts up for those who look at the pendant.
//! Nothing that the arm does depends on them, so a loop comes back to where it was though they are
//! others in every round.
//!
//! They are found by name, in the text of the whole program. At first all names count as unread to
//! which values are assigned. A statement does not matter as long as it only assigns to these, or asks
//! for something and does nothing else whatever the answer is. Each name that stands in a statement
//! which matters is taken out, and so on until none is left to take out. What a message, an output or
//! a socket is handed does not count: nobody knows what the controller answers to it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use clearance_proof::report::Location;

use super::builtin::{FunctionKind, effect};
use super::syntax::{ScriptAction, ScriptExpression, ScriptOperator, ScriptStatement};
use crate::value::Value;

/// So often names are taken out.
const MOST_TURNS: usize = 200;

type Names = BTreeSet<Arc<str>>;

/// The names of variables that nobody reads.
#[derive(Debug)]
pub(crate) struct UnreadNames {
    names: Names,
    value: Value,
}

impl UnreadNames {
    /// Of a program with all its functions.
    pub(crate) fn of(path: &Path, program: &[ScriptStatement]) -> Self {
        let mut names = Names::new();
        let mut others = Names::new();
        each(program, &mut |statement| match &statement.what {
            ScriptAction::Assign { name, .. } => _ = names.insert(name.clone()),
            // Whether a name is that of a parameter or of a variable of the program depends on where
            // it stands.
            ScriptAction::Define(function) => {
                others.extend(function.parameters.iter().map(|p| p.name.clone()));
                others.insert(function.name.clone());
            }
            ScriptAction::Times { counter, .. } => others.extend(counter.clone()),
            _ => {}
        });
        names.retain(|name| !others.contains(name));
        let mut turns = 0;
        loop {
            let mut read = Names::new();
            reads(program, &names, &mut read);
            if names.is_disjoint(&read) {
                break;
            }
            names.retain(|name| turns < MOST_TURNS && !read.contains(name));
            turns += 1;
        }
        let value = Value::unknown(&Location::file(path), "nothing reads it");
        Self { names, value }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The value that they have, whatever is assigned to them.
    pub(crate) fn value(&self) -> Value {
        self.value.clone()
    }
}

/// All statements, those of functions too.
fn each<'s>(body: &'s [ScriptStatement], take: &mut impl FnMut(&'s ScriptStatement)) {
    let mut left = Vec::new();
    body.iter()
        .for_each(|statement| statement.within(&mut left));
    while let Some(statement) = left.pop() {
        take(statement);
        if let ScriptAction::Define(function) = &statement.what {
            function.body.iter().for_each(|s| s.within(&mut left));
        }
    }
}

/// Takes in the names that stand in statements that matter.
fn reads(body: &[ScriptStatement], unread: &Names, found: &mut Names) {
    for statement in body.iter().filter(|statement| !is_idle(statement, unread)) {
        for value in statement.expressions() {
            reads_value(value, found);
        }
        match &statement.what {
            ScriptAction::If { arms, otherwise } => {
                arms.iter().for_each(|arm| reads(&arm.body, unread, found));
                reads(otherwise, unread, found);
            }
            ScriptAction::While(_, body)
            | ScriptAction::Times { body, .. }
            | ScriptAction::Block(body) => reads(body, unread, found),
            ScriptAction::Define(function) => {
                let defaults = function
                    .parameters
                    .iter()
                    .filter_map(|p| p.default.as_ref());
                defaults.for_each(|value| reads_value(value, found));
                reads(&function.body, unread, found);
            }
            _ => {}
        }
    }
}

/// Takes in the names that stand in an expression, but for those that only the world outside is told.
fn reads_value(of: &ScriptExpression, found: &mut Names) {
    match of {
        ScriptExpression::Call(call) if effect(call) == Some(FunctionKind::Beside) => {
            let told = call.arguments.iter().map(|a| &a.value);
            told.filter(|value| !is_plain(value))
                .for_each(|value| reads_value(value, found));
        }
        ScriptExpression::Name(name) => _ = found.insert(name.clone()),
        _ => of.parts().for_each(|part| reads_value(part, found)),
    }
}

/// Whether a statement does nothing that matters.
fn is_idle(statement: &ScriptStatement, unread: &Names) -> bool {
    let all = |body: &[ScriptStatement]| body.iter().all(|s| is_idle(s, unread));
    match &statement.what {
        ScriptAction::Assign {
            name, at, value, ..
        } => {
            let is_number = |at: &ScriptExpression| matches!(at, ScriptExpression::Number(_));
            unread.contains(name) && at.iter().all(is_number) && is_plain(value)
        }
        ScriptAction::If { arms, otherwise } => {
            let mut arms = arms.iter();
            arms.all(|arm| is_plain(&arm.condition) && all(&arm.body)) && all(otherwise)
        }
        ScriptAction::Block(body) => all(body),
        ScriptAction::Do(ScriptExpression::Call(call)) => {
            effect(call) == Some(FunctionKind::Beside)
                && call.arguments.iter().all(|a| is_plain(&a.value))
        }
        ScriptAction::Pass(_) => true,
        _ => false,
    }
}

/// Whether no controller stops where it computes this, and nothing else comes of it.
fn is_plain(of: &ScriptExpression) -> bool {
    match of {
        ScriptExpression::Call(call) => {
            effect(call) == Some(FunctionKind::Beside)
                && call.arguments.iter().all(|a| is_plain(&a.value))
        }
        ScriptExpression::Binary(
            ScriptOperator::Divide | ScriptOperator::DivideFraction | ScriptOperator::Modulo,
            a,
            b,
        ) => is_plain(a) && matches!(**b, ScriptExpression::Number(by) if by != 0.0),
        ScriptExpression::Index(list, at) => {
            is_plain(list) && matches!(**at, ScriptExpression::Number(_))
        }
        ScriptExpression::Binary(..)
        | ScriptExpression::Negative(_)
        | ScriptExpression::Not(_)
        | ScriptExpression::List(_) => of.parts().all(is_plain),
        ScriptExpression::Number(_)
        | ScriptExpression::Boolean(_)
        | ScriptExpression::Text(_)
        | ScriptExpression::Name(_) => true,
        _ => false,
    }
}
