//! Which pairs of a cell can never meet while every joint stays within its limits.

use clearance_proof::check::scene::Scene;

use super::Prepared;

/// For every checked pair of bodies a distance below which it cannot come while all joints stay
/// within their limits (or rest where the cell says), metres; `None` where it may come within its
/// threshold, as far as is known. `clearance` is the threshold of pairs that have none of their
/// own, metres.
///
/// A program may leave the limits: no check relies on this. It tells a reader which pairs cannot
/// matter.
pub fn least_possible(prepared: &Prepared, clearance: f64) -> Vec<Option<f64>> {
    let cell = &prepared.loaded.cell;
    Scene::new(cell, &prepared.trees, &prepared.pairs, clearance).least_possible()
}

#[cfg(test)]
mod tests;
