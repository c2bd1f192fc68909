//! Pairs of bodies that nobody has seen where they are: an event has put one of the two elsewhere.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::ChangingCell;
use crate::model::{Allowance, Body, BodyId, Cell, Role, matches};

/// Per body that an event has put elsewhere, those that it was not checked against since.
pub(super) type UnseenPairs = BTreeMap<BodyId, BTreeSet<BodyId>>;

impl ChangingCell {
    /// Nobody has seen bodies that were put elsewhere beside any other one.
    pub(super) fn mark_unseen(&mut self, put: &[BodyId]) {
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
    pub fn mark_seen(&mut self, phase: &Cell) {
        if self.unseen.is_empty() {
            return;
        }
        let bodies = &phase.bodies;
        let named = Named::new(phase);
        let mut unseen = std::mem::take(&mut self.unseen);
        unseen.retain(|&body, others| {
            let allowed = named.allowed_with(body);
            others.retain(|&other| {
                let pair = [body.min(other), body.max(other)];
                let joined = bodies[body].joint == bodies[other].joint;
                (joined && !phase.put_together.contains(&pair))
                    // What is carried may stand inside its carrier.
                    || self.carrier(body) == Some(other)
                    || self.carrier(other) == Some(body)
                    || allowed[other]
            });
            !others.is_empty()
        });
        self.unseen = unseen;
    }

    /// The body that carries an attached one, or the nearest one with shapes below that.
    fn carrier(&self, body: BodyId) -> Option<BodyId> {
        let Body { role, parent, .. } = self.cell.bodies[body];
        let parent = parent.filter(|_| role == Role::Attached)?;
        self.carrier_with_shapes(parent)
    }
}

/// Which bodies the patterns of allowances name. Each pattern is compared with all names once.
struct Named<'c> {
    cell: &'c Cell,
    by_pattern: HashMap<&'c str, Vec<bool>>,
}

impl<'c> Named<'c> {
    fn new(cell: &'c Cell) -> Self {
        let names = |pattern: &str| {
            cell.bodies
                .iter()
                .map(|b| matches(pattern, &b.name))
                .collect()
        };
        let patterns = cell
            .allowed
            .iter()
            .flat_map(|x| [x.a.as_str(), x.b.as_str()]);
        let mut by_pattern: HashMap<&str, Vec<bool>> = HashMap::new();
        for pattern in patterns {
            by_pattern.entry(pattern).or_insert_with(|| names(pattern));
        }
        Named { cell, by_pattern }
    }

    /// Per body, whether it is allowed to touch this one.
    fn allowed_with(&self, body: BodyId) -> Vec<bool> {
        let mut allowed = vec![false; self.cell.bodies.len()];
        for Allowance { a, b, .. } in &self.cell.allowed {
            for [own, partner] in [[a, b], [b, a]] {
                if self.by_pattern[own.as_str()][body] {
                    let partners = &self.by_pattern[partner.as_str()];
                    allowed
                        .iter_mut()
                        .zip(partners)
                        .for_each(|(to, also)| *to |= also);
                }
            }
        }
        allowed
    }
}
