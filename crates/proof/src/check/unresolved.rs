//! Intervals of time that a search could not prove free, and how they are reported.

use super::contact::contact;
use super::scene::Scene;
use crate::model::{MotionInstant, Trajectory};
use crate::report::{Contact, ContactKind};

/// An interval that could not be proved free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnresolvedInterval {
    /// Body pair.
    pub pair: usize,
    /// Start, trajectory time.
    pub start: f64,
    /// End, trajectory time.
    pub end: f64,
    /// Least distance seen in it.
    pub distance: f64,
    /// Place of that distance, or of the first contact.
    pub at: MotionInstant,
    /// Whether contact was found in it.
    pub touches: bool,
}

impl UnresolvedInterval {
    /// Whether another interval of the same pair starts before this one is over.
    pub fn joins(&self, later: &UnresolvedInterval) -> bool {
        self.pair == later.pair && self.start <= later.start && later.start <= self.end
    }

    /// Takes in an interval that joins this one.
    pub fn join(&mut self, later: &UnresolvedInterval) {
        self.end = self.end.max(later.end);
        if (later.touches && !self.touches)
            || (later.touches == self.touches && !self.touches && later.distance < self.distance)
        {
            self.at = later.at;
        }
        self.touches |= later.touches;
        self.distance = self.distance.min(later.distance);
    }

    /// As a finding.
    pub fn contact(&self, scene: &Scene, trajectory: &Trajectory) -> Contact {
        let kind = if self.touches {
            ContactKind::Contact
        } else {
            ContactKind::Unresolved
        };
        Contact {
            free_until: self.start,
            until: Some(self.end),
            ..contact(scene, trajectory, self.pair, self.at, kind)
        }
    }
}

impl UnresolvedInterval {
    /// Joins intervals of each pair, earliest first.
    pub fn joined(mut unresolved: Vec<UnresolvedInterval>) -> Vec<UnresolvedInterval> {
        unresolved.sort_by(|x, y| x.pair.cmp(&y.pair).then(x.start.total_cmp(&y.start)));
        let mut joined: Vec<UnresolvedInterval> = Vec::new();
        for next in unresolved {
            match joined.last_mut() {
                Some(last) if last.joins(&next) => last.join(&next),
                _ => joined.push(next),
            }
        }
        joined.sort_by(|x, y| x.start.total_cmp(&y.start).then(x.pair.cmp(&y.pair)));
        joined
    }
}
