//! The parts of which shapes are built, made once for all motions in a cell.

use std::collections::HashMap;
use std::sync::Arc;

use clearance_proof::bvh::SphereTree;

use super::octree::{Cubes, PlacedSolid};
use crate::balls::BallTree;
use crate::ranked::RankedCover;

/// Trees, covers or octrees of a scene. Motions only read them, from as many threads as there are;
/// a scene that has other shapes, or the same at other places, builds what is not prebuilt for
/// itself.
#[derive(Debug, Default)]
pub struct Prebuilt {
    pub(super) balls: KeptShapes<BallTree>,
    pub(super) covers: KeptShapes<RankedCover>,
    pub(super) octrees: Vec<Arc<Cubes>>,
    /// Seconds that it took to build.
    pub seconds: f64,
}

impl Prebuilt {
    /// The octree of these shapes at these places.
    pub(super) fn octree(&self, solids: &[PlacedSolid]) -> Option<Arc<Cubes>> {
        let found = self.octrees.iter().find(|cubes| cubes.solids == solids);
        found.cloned()
    }
}

/// The parts that were built over sphere trees, found by the tree itself (not by its contents).
#[derive(Debug)]
pub(super) struct KeptShapes<T>(HashMap<usize, (Arc<SphereTree>, Arc<T>)>);

impl<T> KeptShapes<T> {
    /// The part that was built over this very tree.
    pub fn get(&self, tree: &Arc<SphereTree>) -> Option<&Arc<T>> {
        self.0.get(&address(tree)).map(|(_, built)| built)
    }
}

impl<T> Default for KeptShapes<T> {
    fn default() -> Self {
        KeptShapes(HashMap::new())
    }
}

impl<'t, T> FromIterator<(&'t Arc<SphereTree>, Arc<T>)> for KeptShapes<T> {
    fn from_iter<I: IntoIterator<Item = (&'t Arc<SphereTree>, Arc<T>)>>(built: I) -> Self {
        // With the tree itself, so that nothing else can take its place in memory.
        let entry =
            |(tree, built): (&Arc<SphereTree>, Arc<T>)| (address(tree), (tree.clone(), built));
        KeptShapes(built.into_iter().map(entry).collect())
    }
}

fn address(tree: &Arc<SphereTree>) -> usize {
    Arc::as_ptr(tree).addr()
}
