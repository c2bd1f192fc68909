//! The allowed collision matrix of a PlanningScene: which pairs MoveIt does not check.
//!
//! A pair may stand in the matrix itself, and each of its names may have a default. Where both say
//! something, versions of MoveIt differ in which counts (older ones ask the defaults first, newer
//! ones the matrix), and of the matrix only the half above the diagonal is read there; here the
//! pair is allowed only if all that is said of it allows it. In MoveIt the matrix of a message
//! takes the place of what the SRDF says; here, so that it does where it says that a pair is
//! checked.

use std::collections::HashMap;

/// The statements about names, each with the line where it stands.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    /// Names of rows and columns, and their lines.
    pub(super) entries: Vec<(String, usize)>,
    /// Row by row.
    pub(super) enabled: Vec<Vec<bool>>,
    /// Names, whether they may touch everything, and their lines.
    pub(super) defaults: Vec<(String, bool, usize)>,
}

/// The statement of the matrix about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PairRule {
    /// Nothing.
    Unsaid,
    /// It is checked.
    Checked,
    /// It is not; the line says so.
    Allowed(usize),
    /// Some of it says so, some does not.
    Both(usize),
}

impl Matrix {
    /// Answers about pairs, by names.
    pub(crate) fn asked(&self) -> AskedMatrix<'_> {
        let entries = self.entries.iter().map(|(name, _)| name.as_str());
        let defaults = self.defaults.iter();
        AskedMatrix {
            matrix: self,
            entries: entries.zip(0..).collect(),
            defaults: defaults
                .map(|(name, may, line)| (name.as_str(), (*may, *line)))
                .collect(),
        }
    }

    /// Where a name of it stands.
    pub(crate) fn line(&self, name: &str) -> usize {
        let entry = self.entries.iter().find(|(n, _)| n == name).map(|e| e.1);
        let default = || self.defaults.iter().find(|(n, ..)| n == name).map(|d| d.2);
        entry.or_else(default).unwrap_or(1).max(1)
    }

    /// Every name in it.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let entries = self.entries.iter().map(|(name, _)| name.as_str());
        entries.chain(self.defaults.iter().map(|(name, ..)| name.as_str()))
    }
}

/// A matrix with its names at hand.
pub(crate) struct AskedMatrix<'m> {
    matrix: &'m Matrix,
    entries: HashMap<&'m str, usize>,
    defaults: HashMap<&'m str, (bool, usize)>,
}

impl AskedMatrix<'_> {
    /// The statement about a pair of names.
    pub(crate) fn pair(&self, a: &str, b: &str) -> PairRule {
        let mut said: Vec<(bool, usize)> = Vec::new();
        if let (Some(&a), Some(&b)) = (self.entries.get(a), self.entries.get(b)) {
            let Matrix {
                enabled, entries, ..
            } = self.matrix;
            said.push((enabled[a][b], entries[a].1));
            said.push((enabled[b][a], entries[b].1));
        }
        // Of two defaults the stricter one counts, in every version.
        let defaults = [a, b].map(|name| self.defaults.get(name).copied());
        let default = match defaults {
            [Some(a), Some(b)] => Some(if a.0 { b } else { a }),
            [one, other] => one.or(other),
        };
        said.extend(default);
        let line = said
            .iter()
            .find(|(allowed, _)| *allowed)
            .map(|(_, line)| *line);
        match (line, said.iter().all(|(allowed, _)| *allowed)) {
            (None, _) if said.is_empty() => PairRule::Unsaid,
            (None, _) => PairRule::Checked,
            (Some(line), true) => PairRule::Allowed(line),
            (Some(line), false) => PairRule::Both(line),
        }
    }
}
