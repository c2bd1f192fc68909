//! Which pairs are checked, and for every other one the reason why not.

mod allowed;
pub mod reach;

use std::fmt;

pub use allowed::{Idle, allowed, why_idle};

use crate::model::{Allowance, AllowedBy, BodyId, Cell, Remark, Role, matches};

/// Two bodies that are checked against each other; `a` stands earlier in the cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckedPair {
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// Threshold D of its own, metres; `None`: that of the run.
    pub clearance: Option<f64>,
    /// Warn distance of its own, metres; `None`: that of the run.
    pub warn: Option<f64>,
}

/// Two bodies that are not checked; `a` stands earlier in the cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcludedPair {
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// Why not.
    pub reason: Reason,
}

/// Why a pair is not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Neither ever moves.
    FixedToWorld,
    /// Both move with the same joint and keep their places relative to each other.
    Rigid,
    /// Neighbours in the kinematic tree: they are joined by a joint, or one carries the other.
    Adjacent,
    /// Somebody says that they may touch.
    Allowed(Allowance),
}

impl Reason {
    /// One word per kind, for machines.
    pub fn word(&self) -> &'static str {
        match self {
            Reason::FixedToWorld => "fixed-to-world",
            Reason::Rigid => "rigidly-joined",
            Reason::Adjacent => "adjacent",
            Reason::Allowed(_) => "allowed",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let allowance = match self {
            Reason::FixedToWorld => return f.write_str("both fixed to the world"),
            Reason::Rigid => return f.write_str("rigidly joined"),
            Reason::Adjacent => return f.write_str("adjacent"),
            Reason::Allowed(allowance) => allowance,
        };
        match &allowance.by {
            AllowedBy::Srdf(file) => write!(f, "allowed by {}", file.display())?,
            AllowedBy::Cell => f.write_str("allowed by [[allow]]")?,
            AllowedBy::Touch => f.write_str("allowed by touch of the attachment")?,
            AllowedBy::Event(file, line) => write!(f, "allowed by {}:{line}", file.display())?,
        }
        if !allowance.reason.is_empty() {
            write!(f, ": {}", allowance.reason)?;
        }
        Ok(())
    }
}

/// Every pair of bodies that have shapes: checked, or excluded with a reason.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PairTable {
    /// Pairs that are checked, in the order of the cell's bodies.
    pub checked: Vec<CheckedPair>,
    /// Pairs that are not, in the same order.
    pub excluded: Vec<ExcludedPair>,
    /// Indices into [`Cell::allowed`] of allowances that take no pair out of the check: stale, or said elsewhere already.
    pub idle: Vec<usize>,
    /// What a reader must know about `[[pair]]` entries that do nothing.
    pub notes: Vec<Remark>,
}

/// Sorts all pairs of bodies of a cell.
pub fn table(cell: &Cell) -> PairTable {
    let n = cell.bodies.len();
    let allowances = cell.allowed.iter().map(|x| (x.a.as_str(), x.b.as_str()));
    let allowed_by = Grid::first(cell, allowances);
    let thresholds = cell.thresholds.iter().map(|x| (x.a.as_str(), x.b.as_str()));
    let threshold_of = Grid::last(cell, thresholds);
    let neighbour: Vec<Option<BodyId>> = (0..n).map(|b| carrier(cell, b)).collect();

    let mut result = PairTable::default();
    let mut allowance_used = vec![false; cell.allowed.len()];
    let solid: Vec<BodyId> = (0..n)
        .filter(|&b| !cell.bodies[b].shapes.is_empty())
        .collect();
    for (i, &a) in solid.iter().enumerate() {
        for &b in &solid[i + 1..] {
            let reason = match (cell.bodies[a].joint, cell.bodies[b].joint) {
                (None, None) => Some(Reason::FixedToWorld),
                (x, y) if x == y => Some(Reason::Rigid),
                _ if neighbour[a] == Some(b) || neighbour[b] == Some(a) => Some(Reason::Adjacent),
                _ => allowed_by.get(a, b).map(|k| {
                    allowance_used[k] = true;
                    Reason::Allowed(cell.allowed[k].clone())
                }),
            };
            match reason {
                Some(reason) => result.excluded.push(ExcludedPair { a, b, reason }),
                None => {
                    let own = threshold_of.get(a, b).map(|k| &cell.thresholds[k]);
                    result.checked.push(CheckedPair {
                        a,
                        b,
                        clearance: own.map(|t| t.clearance),
                        warn: own.and_then(|t| t.warn),
                    });
                }
            }
        }
    }
    result.idle = (0..allowance_used.len())
        .filter(|&k| !allowance_used[k])
        .collect();
    result.notes = threshold_notes(cell, &result);
    result
}

/// The nearest body with shapes on the way to the root of the kinematic tree.
///
/// Links without geometry (bare frames) are looked through: a hand whose `<link>` hangs on an empty flange is the
/// neighbour of the last link that one can touch.
fn carrier(cell: &Cell, body: BodyId) -> Option<BodyId> {
    if cell.bodies[body].role == Role::Obstacle {
        return None;
    }
    let mut at = cell.bodies[body].parent;
    while let Some(parent) = at {
        if !cell.bodies[parent].shapes.is_empty() {
            return Some(parent);
        }
        at = cell.bodies[parent].parent;
    }
    None
}

/// For every pair of bodies the entry of a list of pattern pairs that counts.
struct Grid {
    n: usize,
    /// Index + 1 of the entry, 0 for none: half the memory of an `Option<usize>`.
    entries: Vec<u32>,
}

impl Grid {
    /// The first entry that matches counts.
    fn first<'a>(
        cell: &Cell,
        patterns: impl DoubleEndedIterator<Item = (&'a str, &'a str)> + ExactSizeIterator,
    ) -> Self {
        Self::fill(cell, patterns.enumerate().rev())
    }

    /// The last entry that matches counts.
    fn last<'a>(cell: &Cell, patterns: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        Self::fill(cell, patterns.enumerate())
    }

    fn fill<'a>(cell: &Cell, patterns: impl Iterator<Item = (usize, (&'a str, &'a str))>) -> Self {
        let n = cell.bodies.len();
        let mut grid = Grid {
            n,
            entries: vec![0; n * n],
        };
        for (k, (a, b)) in patterns {
            let of_b = named(cell, b);
            for x in named(cell, a) {
                for &y in &of_b {
                    grid.entries[x.min(y) * n + x.max(y)] = k as u32 + 1;
                }
            }
        }
        grid
    }

    fn get(&self, a: BodyId, b: BodyId) -> Option<usize> {
        let entry = self.entries[a.min(b) * self.n + a.max(b)];
        entry.checked_sub(1).map(|k| k as usize)
    }
}

/// Bodies that a pattern names.
fn named(cell: &Cell, pattern: &str) -> Vec<BodyId> {
    let bodies = cell.bodies.iter().enumerate();
    bodies
        .filter(|(_, body)| matches(pattern, &body.name))
        .map(|(id, _)| id)
        .collect()
}

/// Thresholds that were stated for pairs that are not checked. A pattern speaks of many pairs and may well name some that
/// are excluded; it is worth a note only when it reaches none that is checked.
fn threshold_notes(cell: &Cell, table: &PairTable) -> Vec<Remark> {
    let mut notes = Vec::new();
    for stated in &cell.thresholds {
        let fits = |a: BodyId, b: BodyId| {
            let (a, b) = (&cell.bodies[a].name, &cell.bodies[b].name);
            (matches(&stated.a, a) && matches(&stated.b, b))
                || (matches(&stated.a, b) && matches(&stated.b, a))
        };
        if table.checked.iter().any(|p| fits(p.a, p.b)) {
            continue;
        }
        let mut excluded = table.excluded.iter().filter(|p| fits(p.a, p.b));
        let why = match (excluded.next(), excluded.count()) {
            (None, _) => "[[pair]] matches no two bodies with geometry".to_owned(),
            (Some(only), 0) => format!(
                "[[pair]] has no effect, the pair is not checked: {}",
                only.reason
            ),
            (Some(first), more) => format!(
                "[[pair]] has no effect, none of its {} pairs is checked; the first: {}",
                more + 1,
                first.reason
            ),
        };
        notes.push(Remark {
            what: format!("{} – {}", stated.a, stated.b),
            why,
            open: false,
        });
    }
    notes
}

#[cfg(test)]
mod tests;
