//! Which pairs of a cell can never meet while every joint stays within its limits.

use clearance_proof::check::scene::Scene;
use clearance_proof::pairs::range_of_motion::{
    Tables, closer, least_by_hulls, ranges_within_limits,
};
use rayon::prelude::*;

use super::Prepared;

/// For every checked pair of bodies a distance below which it cannot come while all joints stay within their limits (or rest
/// where the cell says), metres; `None` where it may come within its threshold, as far as is known. `clearance` is the
/// threshold of pairs that have none of their own, metres.
///
/// A program may leave the limits: no check relies on this. It tells a reader which pairs cannot matter.
pub fn least_possible(prepared: &Prepared, clearance: f64) -> Vec<Option<f64>> {
    let cell = &prepared.cell;
    let scene = Scene::new(cell, &prepared.trees, &prepared.pairs, clearance);
    let (solids, candidates, chains) = (scene.solids(), scene.candidates(), &scene.chains);
    let ranges = ranges_within_limits(cell);
    let mut least = least_by_hulls(chains, &solids, &ranges, &candidates);
    least
        .par_iter_mut()
        .zip(&candidates)
        .for_each(|(least, pair)| {
            let closer = closer::least((cell, chains), &solids, &ranges, pair, *least);
            *least = closer.unwrap_or(0.0);
        });
    let tables = Tables::new(chains, &solids, &candidates, &least);
    let mut found: Vec<Option<f64>> = vec![Some(f64::INFINITY); scene.pairs.len()];
    for (part_pair, &least) in scene.part_pairs.iter().zip(&least) {
        let found = &mut found[part_pair.pair];
        *found = found.map(|known| known.min(least));
    }
    for part_pair in tables.search() {
        found[scene.part_pairs[part_pair].pair] = None;
    }
    found
}

#[cfg(test)]
mod tests;
