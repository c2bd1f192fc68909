//! What shapes are built of, made once for all motions in a cell.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant as Clock;

use clearance_proof::bvh::SphereTree;
use clearance_proof::check::scene::Scene;

use super::octree::{Cubes, Octree, PlacedSolid};
use super::{BackendKind, ShapeFineness, balls, octree, ranked};
use crate::MethodError;
use crate::balls::BallTree;
use crate::ranked::RankedCover;

/// Trees, covers or octrees of a scene. Motions only read them, from as many threads as there are; a scene that has other
/// shapes, or the same at other places, builds what is not in stock for itself.
#[derive(Debug, Default)]
pub struct Prebuilt {
    pub(super) balls: KeptShapes<BallTree>,
    pub(super) covers: KeptShapes<RankedCover>,
    octrees: Vec<Arc<Cubes>>,
    /// Seconds that it took to build.
    pub seconds: f64,
}

impl Prebuilt {
    /// Builds what a shape needs in a scene; `fineness` and `resolution` as for [`super::build`].
    ///
    /// # Errors
    /// When it cannot be built for this scene; the message says what would help.
    pub fn of(
        kind: BackendKind,
        scene: &Scene,
        fineness: &ShapeFineness,
        resolution: f64,
    ) -> Result<Self, MethodError> {
        let start = Clock::now();
        let leaf_radius = fineness.leaf_radius;
        let mut prebuilt = Prebuilt::default();
        let trees = || scene.parts.iter().map(|part| &part.tree);
        match kind {
            BackendKind::Greedy => {
                let built = balls::Balls::greedy(scene, leaf_radius, &prebuilt)?;
                prebuilt.balls = trees().zip(built.trees().iter().cloned()).collect();
            }
            BackendKind::Ranked => {
                let built = ranked::Ranked::fine(scene, fineness, resolution, &prebuilt)?;
                prebuilt.covers = trees().zip(built.covers().iter().cloned()).collect();
            }
            BackendKind::Octree => {
                let cubes = octree::CubeFineness::of(leaf_radius);
                let octree = Octree::of(scene, &cubes, fineness.divided, &prebuilt);
                prebuilt.octrees = octree.shared();
            }
            BackendKind::SphereTree | BackendKind::Grid | BackendKind::Raw => {}
        }
        prebuilt.seconds = start.elapsed().as_secs_f64();
        Ok(prebuilt)
    }

    /// The octree of these shapes at these places.
    pub(super) fn octree(&self, solids: &[PlacedSolid]) -> Option<Arc<Cubes>> {
        let found = self.octrees.iter().find(|cubes| cubes.solids == solids);
        found.cloned()
    }
}

/// What was built over sphere trees, by the tree that it was built over (not by its contents).
#[derive(Debug)]
pub(super) struct KeptShapes<T>(HashMap<usize, (Arc<SphereTree>, Arc<T>)>);

impl<T> KeptShapes<T> {
    /// What was built over this very tree.
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
