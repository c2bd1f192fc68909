//! Values that a program waits for (`WAIT R[5]<>0`, or a loop that asks and can go round though nothing moves): something
//! else sets them, and nobody knows when and to what. So they are not known on any way, whatever the
//! program itself sets them to.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use clearance_proof::report::Location;

use super::course::polled_in;
use super::known_by;
use super::unread::UsesValues;
use crate::value::Value;

/// What these programs wait for.
#[derive(Debug)]
pub(crate) struct WaitedValues<V> {
    /// Each value with the first statement that waits for it.
    values: BTreeMap<V, Location>,
    /// The lines that ask in a loop that waits, by what their programs are known by.
    polled: BTreeSet<(String, usize)>,
}

impl<V: Copy + Ord> WaitedValues<V> {
    /// Of all programs that may run.
    pub(crate) fn of<P: UsesValues<Value = V>>(programs: &[Rc<P>]) -> Self {
        let mut values = BTreeMap::new();
        let mut polled = BTreeSet::new();
        for (program, asks) in programs.iter().zip(polled_in(programs)) {
            for (at, line) in program.statements().enumerate() {
                let waited = P::waits_for(&line.text).into_iter();
                for value in waited.chain(asks.get(&at).cloned()).flatten() {
                    values.entry(value).or_insert_with(|| line.place.clone());
                }
            }
            let name = known_by(program.name());
            polled.extend(asks.into_keys().map(|at| (name.clone(), at)));
        }
        Self { values, polled }
    }

    pub(crate) fn contains(&self, value: V) -> bool {
        self.values.contains_key(&value)
    }

    /// Whether a line of this program asks in a loop that waits.
    pub(crate) fn asks_in_wait(&self, program: &str, line: usize) -> bool {
        !self.polled.is_empty() && self.polled.contains(&(known_by(program), line))
    }

    /// Why a value is not known, if the program waits for it.
    pub(crate) fn why(&self, value: V) -> Option<Value> {
        let place = self.values.get(&value)?;
        Some(Value::unknown(
            place,
            "something else sets it: the program waits for it",
        ))
    }
}

/// Why the other values are not known behind such a statement.
pub(crate) const MAY_SET_TOO: &str =
    "what sets the value that the program waits for may have set this one too";
