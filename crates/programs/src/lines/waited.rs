//! Values that a program waits for (`WAIT R[5]<>0`, or a loop that does nothing but ask): something
//! else sets them, and nobody knows when and to what. So they are not known on any way, whatever the
//! program itself sets them to.

use std::collections::BTreeMap;
use std::rc::Rc;

use clearance_proof::report::Location;

use super::unread::UsesValues;
use crate::value::Value;

/// The values that these programs wait for, each with the first statement that does.
#[derive(Debug)]
pub(crate) struct WaitedValues<V>(BTreeMap<V, Location>);

impl<V: Copy + Ord> WaitedValues<V> {
    /// Of all programs that may run.
    pub(crate) fn of<P: UsesValues<Value = V>>(programs: &[Rc<P>]) -> Self {
        let mut found = BTreeMap::new();
        for program in programs {
            for (at, line) in program.statements().enumerate() {
                let waited = P::waits_for(&line.text).into_iter();
                for value in waited.chain(program.polls(at)).flatten() {
                    found.entry(value).or_insert_with(|| line.place.clone());
                }
            }
        }
        Self(found)
    }

    pub(crate) fn contains(&self, value: V) -> bool {
        self.0.contains_key(&value)
    }

    /// Why a value is not known, if the program waits for it.
    pub(crate) fn why(&self, value: V) -> Option<Value> {
        let place = self.0.get(&value)?;
        Some(Value::unknown(
            place,
            "something else sets it: the program waits for it",
        ))
    }
}

/// Why the other values are not known behind such a statement.
pub(crate) const MAY_SET_TOO: &str =
    "what sets the value that the program waits for may have set this one too";
