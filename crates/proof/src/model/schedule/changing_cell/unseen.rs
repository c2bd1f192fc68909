//! Pairs of bodies that nobody has seen where they are: an event has put one of the two elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::ChangingCell;
use crate::model::{Allowance, BodyId, Cell, matches};

/// Per body that an event has put elsewhere, those that it was not checked against since.
pub(super) type UnseenPairs = BTreeMap<BodyId, BTreeSet<BodyId>>;

impl ChangingCell {
    /// Nobody has seen bodies that were put elsewhere beside any other one.
    pub(super) fn meet(&mut self, put: &[BodyId]) {
        let others = 0..self.cell.bodies.len();
        let others: Vec<BodyId> = others.filter(|b| !put.contains(b)).collect();
        for &body in put {
            let unseen = self.unseen.entry(body).or_default();
            unseen.extend(others.iter().copied());
        }
    }

    /// Pairs that nobody has seen and that hang on one joint now are checked although they are
    /// joined, whichever of the two was hung there last.
    pub(super) fn join_unseen(&mut self) {
        let joint = |body: BodyId| self.cell.bodies[body].joint;
        let pairs =
            (self.unseen.iter()).flat_map(|(&b, others)| others.iter().map(move |&o| (b, o)));
        let joined = pairs.filter(|&(b, other)| joint(b).is_some() && joint(b) == joint(other));
        let joined: Vec<[BodyId; 2]> = joined.map(|(b, o)| [b.min(o), b.max(o)]).collect();
        self.cell.put_together.extend(joined);
    }

    /// Takes note of what is checked in a phase with this cell, which [`ChangingCell::between`] has
    /// given: these pairs have been seen where they are. Without this more is checked later.
    pub fn seen_in(&mut self, phase: &Cell) {
        let bodies = &phase.bodies;
        let mut unseen = std::mem::take(&mut self.unseen);
        unseen.retain(|&body, others| {
            let name = &bodies[body].name;
            let partners = phase.allowed.iter().flat_map(|Allowance { a, b, .. }| {
                let of = |own: &str, other| matches(own, name).then_some(other);
                [of(a, b), of(b, a)].into_iter().flatten()
            });
            let partners: Vec<&String> = partners.collect();
            others.retain(|&other| {
                let pair = [body.min(other), body.max(other)];
                let joined = bodies[body].joint == bodies[other].joint;
                (joined && !phase.put_together.contains(&pair))
                    // Some of these are neighbours, which are not checked.
                    || self.carries(body, other)
                    || self.carries(other, body)
                    || partners.iter().any(|p| matches(p, &bodies[other].name))
            });
            !others.is_empty()
        });
        self.unseen = unseen;
    }
}
