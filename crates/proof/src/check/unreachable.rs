//! Which pairs of a cell can never meet while every joint stays within its limits.

use rayon::prelude::*;

use super::scene::Scene;
use crate::pairs::range_of_motion::{Tables, closer, least_by_hulls, ranges_within_limits};

impl Scene<'_> {
    /// For every pair of bodies a distance below which it cannot come while all joints stay within
    /// their limits (or rest where the cell says), metres; `None` where it may come within its
    /// threshold, as far as is known.
    ///
    /// A program may leave the limits: no check relies on this. It tells a reader which pairs
    /// cannot matter.
    pub fn least_possible(&self) -> Vec<Option<f64>> {
        let (solids, candidates) = (self.solids(), self.candidates());
        let ranges = ranges_within_limits(self.cell);
        let mut least = least_by_hulls(&self.chains, &solids, &ranges, &candidates);
        least
            .par_iter_mut()
            .zip(&candidates)
            .for_each(|(least, pair)| {
                let joints = (self.cell, &self.chains);
                let closer = closer::least(joints, &solids, &ranges, pair, *least);
                *least = closer.unwrap_or(0.0);
            });
        let tables = Tables::new(&self.chains, &solids, &candidates, &least);
        let mut found: Vec<Option<f64>> = vec![Some(f64::INFINITY); self.pairs.len()];
        for (part_pair, &least) in self.part_pairs.iter().zip(&least) {
            let found = &mut found[part_pair.pair];
            *found = found.map(|known| known.min(least));
        }
        for part_pair in tables.search() {
            found[self.part_pairs[part_pair].pair] = None;
        }
        found
    }
}
