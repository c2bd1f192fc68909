//! The sphere trees of the default check, asked about single instants.

use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::report::Work;

use super::{Backend, BackendKind, DistanceRange, Touch, margin};

/// Compact sphere trees with exact triangles.
pub struct TreeBackend<'s> {
    scene: &'s Scene<'s>,
}

impl<'s> TreeBackend<'s> {
    /// The trees are in the scene already.
    pub fn new(scene: &'s Scene<'s>) -> Self {
        Self { scene }
    }

    /// Exact distance of a pair if it is less than `below`, less what rounding may amount to.
    fn distance(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        below: f64,
        work: &mut Work,
    ) -> Option<f64> {
        let parts = &self.scene.part_pairs[self.scene.part_pairs_of(pair)];
        let margins = parts.iter().map(|p| margin(self.scene, p, snapshot));
        let margin = margins.fold(0.0, f64::max);
        let below = below + margin;
        let found = self
            .scene
            .pair_distance(pair, snapshot, below, &mut work.triangle_tests)?;
        Some((found.distance - margin).max(0.0))
    }
}

impl Backend for TreeBackend<'_> {
    fn kind(&self) -> BackendKind {
        BackendKind::SphereTree
    }

    fn memory_bytes(&self) -> usize {
        let mut trees: Vec<_> = self.scene.parts.iter().map(|p| &p.tree).collect();
        trees.sort_by_key(|tree| std::sync::Arc::as_ptr(tree));
        trees.dedup_by_key(|tree| std::sync::Arc::as_ptr(tree));
        trees.iter().map(|tree| tree.memory_bytes()).sum()
    }

    fn lower_bound(
        &mut self,
        pair: usize,
        snapshot: &mut Snapshot,
        range: DistanceRange,
        work: &mut Work,
    ) -> f64 {
        work.distance_queries += 1;
        let found = self.distance(pair, snapshot, range.max, work);
        found.unwrap_or(range.max)
    }

    fn touching(&mut self, snapshot: &mut Snapshot, first: bool, work: &mut Work) -> Vec<Touch> {
        let mut touches = Vec::new();
        for (pair, what) in self.scene.pairs.iter().enumerate() {
            work.interference_queries += 1;
            let below = what.clearance.next_up();
            let found = self.distance(pair, snapshot, below, work);
            touches.extend(found.map(|distance| Touch { pair, distance }));
            if first && !touches.is_empty() {
                break;
            }
        }
        touches
    }
}
