//! What controllers keep until the next start. A program that goes to a position and changes it
//! later finds it changed at its next start, and no listing shows as what: so what it may change is
//! known only behind the statement that changes it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use clearance_proof::report::Location;

/// Positions and frames that programs change, by kind and number; no number: whichever of the kind.
#[derive(Debug)]
pub(crate) struct KeptChanges<K>(BTreeMap<(K, Option<u32>), Location>);

impl<K: Copy + Ord> KeptChanges<K> {
    /// Takes in the statements of all these programs.
    pub(crate) fn new<'l, I: IntoIterator<Item = (K, Option<u32>)>>(
        lines: impl IntoIterator<Item = &'l super::SourceLine>,
        changed: impl Fn(&'l str) -> I,
    ) -> Self {
        let mut found = BTreeMap::new();
        for line in lines {
            for key in changed(&line.text) {
                found.entry(key).or_insert_with(|| line.place.clone());
            }
        }
        Self(found)
    }

    /// Why its value at the start of the program is not known, if a statement changes it.
    pub(crate) fn why(&self, kind: K, number: u32, name: &str) -> Option<String> {
        let place = self
            .0
            .get(&(kind, Some(number)))
            .or(self.0.get(&(kind, None)))?;
        let line = place.line.unwrap_or(1);
        let file = &place.file;
        Some(format!(
            "{name} is changed in line {line} of {file}: at the next start it is not what the lists say; set it before it is used"
        ))
    }
}

/// A program and all that it may call, as far as they can be read.
pub(crate) fn with_called<P>(
    first: &Rc<P>,
    calls: impl Fn(&P) -> Vec<String>,
    mut read: impl FnMut(&str) -> Option<P>,
) -> Vec<Rc<P>> {
    let mut names = BTreeSet::new();
    let mut found = vec![first.clone()];
    let mut next = 0;
    while let Some(program) = found.get(next).cloned() {
        next += 1;
        for name in calls(&program) {
            if !names.contains(&name) {
                found.extend(read(&name).map(Rc::new));
                names.insert(name);
            }
        }
    }
    found
}
