//! Parts of an expression that stand beside each other. In which order a controller works them out
//! is not certain: that counts where a function sets what another part asks for.

use std::collections::BTreeSet;
use std::rc::Rc;

use clearance_proof::report::Location;

use super::Krl;
use crate::block::Does;
use crate::block::interpreter::BlockInterpreter;
use crate::block::syntax::{
    Call, Expression, Name, Routine, Statement, StatementKind, VariablePath,
};
use crate::value::{Fault, Value};

/// The name, which no program can write, of a call that stands for an expression with such parts.
/// Further arguments stand beside the expression.
pub(crate) const ANY: &str = "an expression with functions";

/// The expression that a program writes.
pub(crate) fn bare(expression: &Expression) -> &Expression {
    match expression {
        Expression::Call(call) if &*call.name == ANY => {
            call.positional().next().unwrap_or(expression)
        }
        _ => expression,
    }
}

/// The value of an expression with such parts.
pub(crate) fn value(
    interpreter: &mut BlockInterpreter<Krl>,
    call: &Call,
    place: &Location,
) -> Result<Value, Fault> {
    let mut given = call.positional();
    let Some(expression) = given.next() else {
        return Err(Fault::new(place, "nothing stands where a value is needed"));
    };
    let mut order = Order {
        interpreter,
        place,
        uncertain: None,
    };
    let mut touched = order.look(expression)?;
    for beside in given {
        // Another element would be set.
        let other = order.look(beside)?;
        if let Some(name) = touched.meets(&other) {
            return Err(Fault::new(place, reason(&name)));
        }
        touched.add(other);
    }
    let uncertain = order.uncertain;
    // Functions run once in any order.
    let value = interpreter.value(expression, place)?;
    Ok(match uncertain {
        Some(name) => Value::unknown(place, reason(&name)),
        None => value,
    })
}

fn reason(name: &Name) -> String {
    format!(
        "a function sets `{name}`, on which something beside it depends, and which of them comes first is not certain: write a statement for each"
    )
}

/// What a part of an expression does with variables, by their names.
#[derive(Default)]
struct Touched {
    reads: BTreeSet<Name>,
    sets: BTreeSet<Name>,
    /// Whether functions run in it that may do something.
    acts: bool,
    moves: bool,
}

impl Touched {
    /// A variable that one of them sets, and that counts for the other one.
    fn meets(&self, other: &Self) -> Option<Name> {
        let counts =
            |name: &&Name, with: &Self| with.reads.contains(*name) || with.sets.contains(*name);
        let own = self.sets.iter().find(|name| counts(name, other));
        let found = own.or_else(|| other.sets.iter().find(|name| counts(name, self)));
        found.cloned()
    }

    fn add(&mut self, other: Self) {
        self.reads.extend(other.reads);
        self.sets.extend(other.sets);
        self.acts |= other.acts;
        self.moves |= other.moves;
    }
}

struct Order<'o, 'm> {
    interpreter: &'o mut BlockInterpreter<'m, Krl>,
    place: &'o Location,
    /// A variable whose value in this expression is not certain.
    uncertain: Option<Name>,
}

impl Order<'_, '_> {
    fn look(&mut self, expression: &Expression) -> Result<Touched, Fault> {
        match expression {
            Expression::Number(..)
            | Expression::Boolean(_)
            | Expression::Text(_)
            | Expression::Unread(_) => Ok(Touched::default()),
            Expression::Variable(path) => {
                let indices: Vec<&Expression> = path.indices().collect();
                let mut touched = self.beside(&indices, false)?;
                touched.reads.insert(self.root(&path.name)?);
                Ok(touched)
            }
            Expression::Negative(inner) | Expression::Not(inner) => self.look(inner),
            Expression::List(items) => self.beside(&items.iter().collect::<Vec<_>>(), false),
            Expression::Record(_, fields) => {
                let values: Vec<_> = fields.iter().map(|(_, value)| value).collect();
                self.beside(&values, false)
            }
            Expression::Binary(..) => {
                // Values in a row are as deep as the row is long.
                let (mut parts, mut at) = (Vec::new(), expression);
                while let Expression::Binary(_, left, right) = at {
                    parts.push(&**right);
                    at = left;
                }
                parts.push(at);
                self.beside(&parts, false)
            }
            Expression::Call(call) => self.call(call),
        }
    }

    /// Parts beside each other; `binds` says that a function is handed them.
    fn beside(&mut self, parts: &[&Expression], binds: bool) -> Result<Touched, Fault> {
        let mut all = Touched::default();
        for part in parts {
            let one = self.look(part)?;
            if let Some(name) = all.meets(&one) {
                // What functions do would depend on it, not only a value.
                if binds || all.acts && one.acts {
                    return Err(Fault::new(self.place, reason(&name)));
                }
                self.uncertain.get_or_insert(name);
            }
            if all.moves && one.moves {
                let reason = "functions beside each other move the arm or change how it moves, and which of them comes first is not certain: write a statement for each";
                return Err(Fault::new(self.place, reason));
            }
            all.add(one);
        }
        Ok(all)
    }

    /// The variable behind a name: a parameter may stand for another one.
    fn root(&mut self, name: &Name) -> Result<Name, Fault> {
        let spot = self
            .interpreter
            .spot(&VariablePath::whole(name), self.place)?;
        Ok(match spot {
            Some(Ok(found)) => found.spot.name,
            _ => name.clone(),
        })
    }

    fn call(&mut self, call: &Call) -> Result<Touched, Fault> {
        let routines = named(self.interpreter, &call.name);
        let does = self.interpreter.function_does(call);
        let acts = !routines.is_empty() || does != Does::Nothing;
        let given: Vec<&Expression> = call.positional().collect();
        let mut touched = self.beside(&given, acts)?;
        if !acts {
            return Ok(touched);
        }
        touched.acts = true;
        let statement = Statement {
            place: self.place.clone(),
            what: StatementKind::Return(Some(Expression::Call(call.clone()))),
        };
        touched.moves |= self.interpreter.effects(&[&statement]).moves;
        // The whole of what it may reach.
        let mut reached = routines.clone();
        let mut k = 0;
        while let Some(routine) = reached.get(k).cloned() {
            k += 1;
            for called in routine.calls() {
                for other in named(self.interpreter, &called.name) {
                    if !reached.iter().any(|r| Rc::ptr_eq(r, &other)) {
                        reached.push(other);
                    }
                }
            }
        }
        for routine in &reached {
            let (reads, sets) = (read(routine), set(self.interpreter, routine));
            let foreign = |name: &Name| {
                let parameter = routine.parameters.iter().any(|p| p.name == *name);
                !parameter && !routine.data.iter().any(|d| d.name == *name)
            };
            touched.reads.extend(reads.into_iter().filter(foreign));
            touched.sets.extend(sets.into_iter().filter(foreign));
        }
        for (k, value) in given.iter().enumerate() {
            let Expression::Variable(path) = value else {
                continue;
            };
            let is_set = |routine: &Rc<Routine>| {
                let parameter = routine.parameters.get(k);
                parameter.is_some_and(|p| {
                    p.by_reference && set(self.interpreter, routine).contains(&p.name)
                })
            };
            if routines.iter().any(is_set) || routines.is_empty() {
                let root = self.root(&path.name)?;
                touched.sets.insert(root);
            }
        }
        Ok(touched)
    }
}

/// All routines of a name, whoever sees them.
fn named(interpreter: &BlockInterpreter<Krl>, name: &Name) -> Vec<Rc<Routine>> {
    let all = interpreter.program.routines.iter();
    all.filter(|r| r.name == *name).cloned().collect()
}

/// The names of the variables that a routine asks for.
fn read(routine: &Routine) -> BTreeSet<Name> {
    let all = routine.parts().into_iter();
    let named = all.filter_map(|part| match part {
        Expression::Variable(path) => Some(path.name.clone()),
        _ => None,
    });
    named.collect()
}

/// The names of the variables that a routine sets, or hands to what may set them.
fn set(interpreter: &BlockInterpreter<Krl>, routine: &Routine) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    for statement in routine.statements() {
        match &statement.what {
            StatementKind::Assign(path, _) => _ = found.insert(path.name.clone()),
            StatementKind::For(counting) => _ = found.insert(counting.name.clone()),
            _ => {}
        }
    }
    for call in routine.calls() {
        if &*call.name == "bas" {
            found.extend(["$tool", "$base", "$vel", "$apo"].map(Name::from));
        }
        let callees = named(interpreter, &call.name);
        let answers = matches!(interpreter.does(call), Does::Answers | Does::Computes)
            || interpreter.function_does(call) == Does::Answers;
        for (k, value) in call.positional().enumerate() {
            let Expression::Variable(path) = value else {
                continue;
            };
            let lends = |r: &Rc<Routine>| r.parameters.get(k).is_none_or(|p| p.by_reference);
            if callees.iter().any(lends) || callees.is_empty() && answers {
                found.insert(path.name.clone());
            }
        }
    }
    found
}
