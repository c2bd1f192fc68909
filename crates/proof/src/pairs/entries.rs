//! Lists of pattern pairs (`[[allow]]`, `[[pair]]`, an SRDF), asked for the entry that counts for
//! two bodies.

use std::collections::HashMap;

use crate::model::{BodyId, Cell, matches};

/// Which side of an entry a body is named on.
const A: u8 = 1;
const B: u8 = 2;

/// Per body the entries that name it. A table of all pairs would have a hundred million fields for
/// ten thousand obstacles.
pub(super) struct Entries {
    /// Entries by number, ascending, with the sides that the body is named on.
    of: Vec<Vec<(u32, u8)>>,
}

impl Entries {
    pub(super) fn new<'a>(cell: &Cell, patterns: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let names = Names::new(cell);
        let mut of: Vec<Vec<(u32, u8)>> = vec![Vec::new(); cell.bodies.len()];
        for (k, (a, b)) in patterns.enumerate() {
            for (pattern, side) in [(a, A), (b, B)] {
                for body in names.matching(pattern) {
                    match of[body].last_mut() {
                        Some((last, sides)) if *last == k as u32 => *sides |= side,
                        _ => of[body].push((k as u32, side)),
                    }
                }
            }
        }
        Self { of }
    }

    /// The first entry that names both bodies, one on each side.
    pub(super) fn first(&self, a: BodyId, b: BodyId) -> Option<usize> {
        self.common(a, b).next()
    }

    /// The last entry that names both bodies, one on each side.
    pub(super) fn last(&self, a: BodyId, b: BodyId) -> Option<usize> {
        self.common(a, b).next_back()
    }

    fn common(&self, a: BodyId, b: BodyId) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let (x, y) = (&self.of[a], &self.of[b]);
        let (short, long) = if x.len() <= y.len() { (x, y) } else { (y, x) };
        short.iter().filter_map(move |&(k, sides)| {
            let at = long.binary_search_by_key(&k, |e| e.0).ok()?;
            let crossed =
                (sides & A != 0 && long[at].1 & B != 0) || (sides & B != 0 && long[at].1 & A != 0);
            crossed.then_some(k as usize)
        })
    }
}

/// Bodies by name.
pub(super) struct Names<'c> {
    cell: &'c Cell,
    by_name: HashMap<&'c str, BodyId>,
}

impl<'c> Names<'c> {
    pub(super) fn new(cell: &'c Cell) -> Self {
        let bodies = cell.bodies.iter().enumerate();
        Self {
            cell,
            by_name: bodies.map(|(id, body)| (body.name.as_str(), id)).collect(),
        }
    }

    /// Bodies that a pattern names, in the order of the cell.
    pub(super) fn matching(&self, pattern: &str) -> Vec<BodyId> {
        if !pattern.contains('*') {
            return self.by_name.get(pattern).copied().into_iter().collect();
        }
        let bodies = self.cell.bodies.iter().enumerate();
        let named = bodies.filter(|(_, body)| matches(pattern, &body.name));
        named.map(|(id, _)| id).collect()
    }
}
