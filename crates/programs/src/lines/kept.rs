//! What controllers keep until the next start. A program that goes to a position and changes it
//! later finds it changed at its next start, and no listing shows as what: so what it may change is
//! known only behind the statement that changes it.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use clearance_formats::ImportError;
use clearance_proof::report::Location;

use super::SourceLine;

/// Positions and frames that programs change, by kind and number; no number: whichever of the kind.
#[derive(Debug)]
pub(crate) struct KeptChanges<K>(BTreeMap<(K, Option<u32>), Location>);

impl<K: Copy + Ord> KeptChanges<K> {
    /// Takes in the statements of all these programs.
    fn new<'l, I: Iterator<Item = (K, Option<u32>)>>(
        lines: impl Iterator<Item = &'l SourceLine>,
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

/// A program as its controller stores it, in a file of its own.
pub(crate) trait StoredProgram: Sized {
    /// Kinds of what a controller keeps.
    type Kept: Copy + Ord;
    /// Extension of its files.
    const EXTENSION: &str;
    /// What messages call it.
    const WHAT: &str;

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, ImportError>;

    /// Its statements.
    fn statements(&self) -> impl Iterator<Item = &SourceLine>;

    /// The programs that a statement calls or jumps to.
    fn called(text: &str) -> impl Iterator<Item = &str>;

    /// What a statement changes; no number: only the controller knows which one.
    fn changed(text: &str) -> impl Iterator<Item = (Self::Kept, Option<u32>)>;
}

/// What these programs change.
pub(crate) fn kept_changes<P: StoredProgram>(programs: &[Rc<P>]) -> KeptChanges<P::Kept> {
    KeptChanges::new(programs.iter().flat_map(|p| p.statements()), P::changed)
}
