//! Variables: those of modules, and those of the routines that are being followed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use clearance_proof::report::Location;

use super::effects::KnownEffects;
use super::elsewhere::FunctionEffects;
use super::shared::SharedVariables;
use super::syntax::{Declaration, Name, PathStep, Routine};
use crate::value::Value;

/// A variable.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    /// Its type.
    pub(crate) kind: Name,
    pub(crate) holds: Holds,
    pub(crate) constant: bool,
}

/// The content of a variable.
#[derive(Debug, Clone)]
pub(crate) enum Holds {
    Value(Value),
    /// The content of its declaration, for which nobody has asked yet.
    Declared(Rc<Declaration>),
    /// Its declaration is being evaluated.
    Being,
    /// The value of another variable, or of a part of it.
    Same(VariablePlace),
    /// Nothing: a parameter that was left out.
    Absent,
}

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// A module.
    Module(usize),
    /// A routine that is being followed, by its depth.
    Routine(usize),
    /// The controller itself.
    Controller,
}

/// A variable, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VariablePlace {
    pub(crate) scope: Scope,
    pub(crate) name: Name,
    pub(crate) steps: Vec<PathStep>,
}

/// The same with its type.
#[derive(Debug, Clone)]
pub(crate) struct TypedPlace {
    pub(crate) spot: VariablePlace,
    pub(crate) kind: Name,
}

/// A routine while it is followed.
#[derive(Debug)]
pub(crate) struct RoutineFrame {
    pub(crate) routine: Rc<Routine>,
    /// The call that led to it, by its address in the program.
    pub(crate) call: usize,
    pub(crate) variables: BTreeMap<Name, Variable>,
}

/// The part of a value at these steps, or why there is none. The parts of what is unknown are
/// unknown.
pub(crate) fn part<'v>(value: &'v Value, steps: &[PathStep]) -> Result<&'v Value, String> {
    let Some((step, rest)) = steps.split_first() else {
        return Ok(value);
    };
    let inner = match (value, step) {
        (Value::Unknown(_), _) => return Ok(value),
        (Value::Array(items), PathStep::Index(k)) => items
            .get(*k)
            .ok_or_else(|| format!("element {} of a list of {}", k + 1, items.len()))?,
        (Value::Record(fields), PathStep::Field(name)) => fields
            .get(name)
            .ok_or_else(|| format!("nothing has been stated for `{name}`"))?,
        (other, PathStep::Field(name)) => {
            return Err(format!("{} has no component `{name}`", other.kind()));
        }
        (other, PathStep::Index(_)) => return Err(format!("{} has no elements", other.kind())),
    };
    part(inner, rest)
}

/// Changes the part of a value at these steps.
pub(crate) fn change(
    value: &mut Value,
    steps: &[PathStep],
    new: Value,
    place: &Location,
) -> Result<(), String> {
    let Some((step, rest)) = steps.split_first() else {
        *value = new;
        return Ok(());
    };
    match (value, step) {
        // The other parts stay unknown; this one could only be known if it were held apart.
        (Value::Unknown(_), _) => Ok(()),
        (Value::Array(items), PathStep::Index(k)) => {
            let length = items.len();
            let inner = (items.get_mut(*k))
                .ok_or_else(|| format!("element {} of a list of {length}", k + 1))?;
            change(inner, rest, new, place)
        }
        (Value::Record(fields), PathStep::Field(name)) => {
            let inner = fields.entry(name.clone());
            let inner = inner.or_insert_with(|| match rest {
                [PathStep::Field(_), ..] => Value::Record(BTreeMap::new()),
                _ => Value::unknown(place, format!("nothing has been stated for `{name}`")),
            });
            change(inner, rest, new, place)
        }
        (other, _) => Err(format!("{} has no such part", other.kind())),
    }
}

/// Variables that matter beyond the statement that sets them.
#[derive(Debug, Default, Clone)]
pub(crate) struct RelevantVariables {
    /// Those that are assigned somewhere and on which moves or the flow depend.
    pub(crate) names: BTreeSet<Name>,
    /// Those by which ways are compared.
    pub(crate) compared: BTreeSet<Name>,
    /// Those that something beside the program may set.
    pub(crate) shared: SharedVariables,
    /// Those of modules that may be read before they are set.
    pub(crate) read_first: BTreeSet<Name>,
    /// What functions do with variables that they do not declare.
    pub(crate) functions: FunctionEffects,
    pub(crate) effects: KnownEffects,
}
