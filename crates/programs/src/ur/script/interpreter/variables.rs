//! Variables: which one a name means, and what becomes of it when it or a part of it is set.

use std::collections::BTreeSet;
use std::sync::Arc;

use clearance_proof::report::Location;

use super::super::syntax::{
    ScriptAction, ScriptExpression, ScriptScope, ScriptStatement, assigned,
};
use super::ScriptInterpreter;
use crate::value::{Fault, Value};

impl ScriptInterpreter<'_> {
    /// The scope in which a variable is seen.
    pub(super) fn seen(&mut self, name: &str) -> Option<&mut Value> {
        self.scopes.iter_mut().rev().find_map(|s| s.get_mut(name))
    }

    /// Whether a name is a variable of a function around this one, and not of the program as a
    /// whole: a function within a function means the global one or its own.
    pub(super) fn is_between(&self, name: &str) -> bool {
        let last = self.scopes.len() - 1;
        let has = |k: usize| self.scopes[k].contains_key(name);
        !has(last) && (1..last).any(has)
    }

    pub(super) fn assign(
        &mut self,
        scope: ScriptScope,
        name: &Arc<str>,
        at: &[ScriptExpression],
        value: Value,
        place: &Location,
    ) -> Result<(), Fault> {
        self.fits(&value, place)?;
        let value = if self.unread.contains(name) {
            self.unread.value()
        } else {
            value
        };
        if at.is_empty() {
            let last = self.scopes.len() - 1;
            let open = last > 0 && self.globals.contains(name);
            match scope {
                ScriptScope::Global => _ = self.scopes[0].insert(name.clone(), value),
                ScriptScope::Local => _ = self.scopes[last].insert(name.clone(), value),
                ScriptScope::Seen if self.is_between(name) => {
                    return Err(Fault::new(place, around(name)));
                }
                // `local` stands elsewhere in the function, where the way has not been.
                ScriptScope::Seen
                    if self.locals.contains(name) && !self.scopes[last].contains_key(name) =>
                {
                    let reason = format!(
                        "whether `{name}` is that of the program here, or the `local` one of this function, is not told: write `global` or `local`"
                    );
                    return Err(Fault::new(place, reason));
                }
                ScriptScope::Seen => match self.seen(name) {
                    Some(slot) => *slot = value,
                    None if open => {
                        let reason = format!(
                            "whether `{name}` is a variable of this function or of the program, where it is set later, is not told: write `global` or `local`"
                        );
                        return Err(Fault::new(place, reason));
                    }
                    None => _ = self.scopes[last].insert(name.clone(), value),
                },
            }
            return Ok(());
        }
        if scope != ScriptScope::Seen {
            let reason = format!("a part of `{name}` is set with `global` or `local` before it");
            return Err(Fault::new(place, reason));
        }
        let mut path = Vec::with_capacity(at.len());
        for index in at {
            path.push(self.value(index, place)?);
        }
        if self.is_between(name) {
            return Err(Fault::new(place, around(name)));
        }
        let Some(mut slot) = self.seen(name) else {
            return Err(Fault::new(place, format!("`{name}` has no value yet")));
        };
        let mut value = value;
        for index in path {
            // A part of what is not known stays unknown with the rest of it.
            if let Value::Unknown(_) = slot {
                return Ok(());
            }
            if let Value::Unknown(why) = index {
                *slot = Value::Unknown(why);
                return Ok(());
            }
            if let (Value::Array(items), Value::Number(part)) = (&*slot, &value)
                && part.fract() != 0.0
                && items.iter().all(is_whole)
            {
                let reason = format!(
                    "whether `{name}`, a list of whole numbers, takes one with a fraction is not known; write its numbers with fractions (`0.001`), or the list anew"
                );
                value = Value::unknown(place, reason);
            }
            slot = match (slot, index) {
                (Value::Array(items) | Value::Pose(items), Value::Number(k)) => {
                    let length = items.len();
                    whole(k)
                        .and_then(|k| items.get_mut(k))
                        .ok_or_else(|| outside(k, length, place))?
                }
                (Value::Record(fields), Value::Text(field)) => fields
                    .get_mut(&field)
                    .ok_or_else(|| Fault::new(place, format!("there is no field `{field}`")))?,
                (slot, _) => {
                    let reason = format!("{} has no such part", slot.kind());
                    return Err(Fault::new(place, reason));
                }
            };
        }
        *slot = value;
        // A list that is put into a list makes it longer and deeper.
        let whole = self.seen(name).cloned();
        whole.map_or(Ok(()), |whole| self.fits(&whole, place))
    }

    /// A list or pose that is written out. It may be handed to a function that makes a larger one of
    /// it, and so on.
    pub(super) fn list(
        &mut self,
        made: fn(Vec<Value>) -> Value,
        items: &[ScriptExpression],
        place: &Location,
    ) -> Result<Value, Fault> {
        let list = made(self.values(items, place)?);
        self.fits(&list, place).map(|()| list)
    }

    /// Counts what a value takes, and sees to it that it can be held and copied.
    fn fits(&self, value: &Value, place: &Location) -> Result<(), Fault> {
        self.flow.count(value.size());
        value.fits(place)
    }
}

/// Variables that the program as a whole has: those that it sets outside of functions, and those
/// that functions set as `global`.
pub(super) fn globals(program: &[ScriptStatement]) -> BTreeSet<Arc<str>> {
    let mut found = assigned(program);
    let mut all = Vec::new();
    program.iter().for_each(|s| s.within(&mut all));
    while let Some(statement) = all.pop() {
        match &statement.what {
            ScriptAction::Define(function) => {
                function.body.iter().for_each(|s| s.within(&mut all));
            }
            ScriptAction::Assign { scope, name, .. } if *scope == ScriptScope::Global => {
                found.insert(name.clone());
            }
            _ => {}
        }
    }
    found
}

/// Variables that a function sets as `local`, wherever that stands in it.
pub(super) fn locals(body: &[ScriptStatement]) -> BTreeSet<Arc<str>> {
    let mut all = Vec::new();
    body.iter().for_each(|s| s.within(&mut all));
    let local = all.into_iter().filter_map(|s| match &s.what {
        ScriptAction::Assign { scope, name, .. } if *scope == ScriptScope::Local => {
            Some(name.clone())
        }
        _ => None,
    });
    local.collect()
}

fn is_whole(value: &Value) -> bool {
    matches!(value, Value::Number(x) if x.fract() == 0.0)
}

/// Why it is not known which variable is meant.
pub(super) fn around(name: &str) -> String {
    format!(
        "`{name}` is also a variable of the function around this one: write `global` or `local`"
    )
}

pub(super) fn whole(k: f64) -> Option<usize> {
    (k >= 0.0 && k.fract() == 0.0 && k < 1e9).then_some(k as usize)
}

pub(super) fn outside(k: f64, length: usize, place: &Location) -> Fault {
    Fault::new(
        place,
        format!("there is no element {k} in a list of {length}"),
    )
}
