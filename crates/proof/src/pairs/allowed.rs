//! The pairs that somebody allows, as pairs that are checked; and allowances that take no pair out
//! of the check.

use super::{CheckedPair, Entries, NamedPairs, Names, PairTable, Reason};
use crate::model::Cell;

/// Why an allowance takes no pair out of the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Idle {
    /// These names or patterns stand for nothing in the cell.
    Stale(Vec<String>),
    /// Its pairs are not checked for another reason, or have nothing that could touch.
    Needless(String),
}

impl PairTable {
    /// A table in which exactly those pairs are checked that this one leaves out because they are
    /// allowed. With each of them goes the index into [`Cell::allowed`] of the allowance that
    /// counts.
    pub fn of_allowed(&self, cell: &Cell) -> (PairTable, Vec<usize>) {
        let allowances = cell.allowed.iter().map(|x| (x.a.as_str(), x.b.as_str()));
        let allowed_by = Entries::new(cell, allowances);
        let thresholds = cell.thresholds.iter().map(|x| (x.a.as_str(), x.b.as_str()));
        let threshold_of = Entries::new(cell, thresholds);
        let pairs = self.excluded.iter();
        let (checked, by) = pairs
            .filter(|pair| matches!(pair.reason, Reason::Allowed(_)))
            .filter_map(|pair| {
                let own = threshold_of.last(pair.a, pair.b);
                let own = own.map(|k| &cell.thresholds[k]);
                let checked = CheckedPair {
                    a: pair.a,
                    b: pair.b,
                    clearance: own.map(|t| t.clearance),
                    warn: own.and_then(|t| t.warn),
                };
                Some((checked, allowed_by.first(pair.a, pair.b)?))
            })
            .unzip();
        let table = PairTable {
            checked,
            ..PairTable::default()
        };
        (table, by)
    }
}

impl PairTable {
    /// Why an allowance of [`PairTable::idle`] takes no pair out of the check.
    pub fn why_idle(&self, cell: &Cell, allowance: usize) -> Idle {
        let allowance = &cell.allowed[allowance];
        let names = Names::new(cell);
        let of = [&allowance.a, &allowance.b].map(|pattern| (pattern, names.matching(pattern)));
        let missing = of.iter().filter(|(_, bodies)| bodies.is_empty());
        let missing: Vec<String> = missing.map(|(pattern, _)| (*pattern).clone()).collect();
        if !missing.is_empty() {
            return Idle::Stale(missing);
        }
        for (pattern, bodies) in &of {
            if bodies.iter().all(|&b| cell.bodies[b].shapes.is_empty()) {
                return Idle::Needless(format!("`{pattern}` has no geometry"));
            }
        }
        let meant = NamedPairs::new(cell, &names, &allowance.a, &allowance.b);
        let mut pairs = self.excluded.iter();
        let first = pairs.find(|p| meant.pair(p.a, p.b)).map(|p| &p.reason);
        let standing = meant.count(&self.standing) > 0;
        Idle::Needless(match first.or(standing.then_some(&Reason::FixedToWorld)) {
            None => "it names no two bodies with geometry".to_owned(),
            Some(Reason::Allowed(_)) => "another allowance says so already".to_owned(),
            Some(reason) => format!("not checked in any case: {reason}"),
        })
    }
}
