//! Which pairs of a cell can never meet while every joint stays within its limits.

use rayon::prelude::*;

use super::Snapshot;
use super::scene::Scene;
use crate::model::Segment;
use crate::motion::JointRange;
use crate::pairs::range_of_motion::{
    Tables, closer, least_by_hulls, ranges_of, ranges_within_limits,
};

impl Scene<'_> {
    /// For every pair of bodies a distance below which it cannot come while all joints stay within
    /// their limits (or rest where the cell says), metres; `None` where it may come within its
    /// threshold, as far as is known.
    ///
    /// A program may leave the limits: no check relies on this. It tells a reader which pairs
    /// cannot matter.
    pub fn least_possible(&self) -> Vec<Option<f64>> {
        let (shapes, candidates) = (self.placed_shapes(), self.candidates());
        let ranges = ranges_within_limits(self.cell);
        let mut least = least_by_hulls(&self.chains, &shapes, &ranges, &candidates);
        least
            .par_iter_mut()
            .zip(&candidates)
            .for_each(|(least, pair)| {
                let (cell, chains) = (self.cell, &self.chains);
                let closer = closer::least(cell, chains, &shapes, &ranges, pair, *least);
                *least = closer.unwrap_or(0.0);
            });
        let tables = Tables::new(&self.chains, &shapes, &candidates, &least);
        let mut found: Vec<Option<f64>> = vec![Some(f64::INFINITY); self.pairs.len()];
        for (part_pair, &least) in self.part_pairs.iter().zip(&least) {
            let found = &mut found[part_pair.pair];
            *found = found.map(|known| known.min(least));
        }
        for part_pair in tables.search() {
            found[self.part_pairs[part_pair].pair] = None;
        }
        for pair in self.contained_within(&ranges) {
            found[pair] = None;
        }
        found
    }

    /// Whether what [`Scene::least_possible`] says holds in a segment: no joint leaves the ranges
    /// that it was found for, a follower neither.
    pub fn least_possible_holds(&self, segment: &Segment) -> bool {
        let ranges = ranges_within_limits(self.cell);
        let mut both = ranges.iter().zip(ranges_of(segment));
        both.all(|(range, own)| range.holds(&own))
    }

    /// Pairs of bodies of which one is inside the other one's solid at some values of the joints in
    /// these ranges. While surfaces stay apart nothing gets in or out, and joints get from any
    /// values in their ranges to any others: so of pairs whose surfaces never meet in them, one
    /// configuration tells it of all.
    fn contained_within(&self, ranges: &[JointRange]) -> Vec<usize> {
        let mut q: Vec<f64> = ranges.iter().map(JointRange::middle).collect();
        self.cell.resolve_mimic(&mut q);
        let mut snapshot = Snapshot::default();
        snapshot.set(self, &Segment::instant(&q), 0.0);
        self.contained(&mut snapshot)
    }
}
