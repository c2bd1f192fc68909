//! Ways to look at shape, beside the sphere trees of the default check: each answers questions
//! about one instant.
//!
//! The callers are [`super::sampling`], at instants along the motion, and [`super::halving`], which
//! proves the time between two instants from the distances at both.

pub mod balls;
pub mod grid;
pub mod octree;
mod prebuilt;
pub mod ranked;
pub mod raw;
#[cfg(test)]
mod tests;
mod trees;

pub use prebuilt::Prebuilt;

use std::fmt;
use std::time::Instant as Clock;

use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::{PartPair, Scene};
use clearance_proof::report::{CollidingSpheres, Work};
use nalgebra::Point3;

use crate::MethodError;
use crate::ranked::CoverRanks;

/// Which way to look at shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BackendKind {
    /// Compact sphere trees over exact triangles.
    #[default]
    SphereTree,
    /// Greedy sphere trees, large triangles tiled.
    Greedy,
    /// Ranked covers of the surfaces by spheres.
    Ranked,
    /// Uniform grid over triangles.
    Grid,
    /// Octree of what stands still against the faces of what moves.
    Octree,
    /// Every triangle against every other.
    Raw,
}

impl BackendKind {
    /// All of them.
    pub const ALL: [BackendKind; 6] = [
        BackendKind::SphereTree,
        BackendKind::Greedy,
        BackendKind::Ranked,
        BackendKind::Grid,
        BackendKind::Octree,
        BackendKind::Raw,
    ];

    /// As users write it.
    pub fn as_str(self) -> &'static str {
        match self {
            BackendKind::SphereTree => "sphere-tree",
            BackendKind::Greedy => "greedy",
            BackendKind::Ranked => "ranked",
            BackendKind::Grid => "grid",
            BackendKind::Octree => "octree",
            BackendKind::Raw => "raw",
        }
    }

    /// Whether its contacts are those of the exact triangles; else it may call contact what is a
    /// little farther apart.
    pub fn is_exact(self) -> bool {
        self != BackendKind::Ranked
    }

    /// Whether it has smallest parts, whose radius `--leaf-radius` sets: leaf spheres, tiles, or
    /// the spheres around cubes.
    pub fn has_leaf_radius(self) -> bool {
        matches!(
            self,
            BackendKind::Greedy | BackendKind::Ranked | BackendKind::Octree
        )
    }

    /// Whether it knows distances; else it only knows what touches.
    pub fn knows_distances(self) -> bool {
        self != BackendKind::Grid
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How exactly a distance query has to answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceRange {
    /// Below this it may stop: any value from 0 to the true distance will do, metres.
    pub min: f64,
    /// Above this likewise: any value from `max` to the true distance will do, metres.
    pub max: f64,
    /// The α of compact sphere trees, 0 … 1 (not 1 itself): by this share of itself every value may
    /// be smaller than it had to be otherwise.
    pub tolerance: f64,
}

/// Two bodies found within their threshold at an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Index into [`Scene::pairs`].
    pub pair: usize,
    /// Distance as this shape knows it, metres (0 where the bodies cross).
    pub distance: f64,
}

/// How fine a shape is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ShapeFineness {
    /// Radius of its smallest parts, metres; `None`: see [`build`].
    pub leaf_radius: Option<f64>,
    /// The ranks of ranked covers.
    pub ranks: CoverRanks,
    /// Which bodies octrees divide.
    pub divided: octree::Divided,
}

/// One way to look at shape, made ready for a scene.
pub trait Backend {
    /// Which one it is.
    fn kind(&self) -> BackendKind;

    /// Bodies that it calls in contact may be this much farther apart than their threshold, metres;
    /// 0 where triangles are exact.
    fn coarseness(&self) -> f64 {
        0.0
    }

    /// Size of what was built for it, bytes.
    fn memory_bytes(&self) -> usize;

    /// Whether a tolerance spares it work; else it answers as if there were none.
    fn uses_tolerance(&self) -> bool {
        false
    }

    /// A lower bound of a pair's distance at an instant, metres: never more than the true distance,
    /// rounding included; within `range` no more than [`Backend::coarseness`] (and rounding) less.
    /// 0 by shapes that know no distances.
    fn lower_bound(
        &mut self,
        pair: usize,
        snapshot: &mut Snapshot,
        range: DistanceRange,
        work: &mut Work,
    ) -> f64;

    /// Pairs within their threshold at an instant: all of them, or with `first` one of them.
    fn touching(&mut self, snapshot: &mut Snapshot, first: bool, work: &mut Work) -> Vec<Touch>;

    /// The spheres of two bodies by which they are in contact at an instant, of shapes that are
    /// nothing but spheres.
    fn colliding(&mut self, _: usize, _: &mut Snapshot, _: &mut Work) -> Option<CollidingSpheres> {
        None
    }
}

/// Makes a shape ready, with what is prebuilt of it. What it took is noted in `work`. Its smallest
/// parts have the radius `leaf_radius`, metres, where it has any: without one, ranked covers, whose
/// answers depend on it, go down to the resolution if that takes no more than a million spheres,
/// else to a radius that does; of the others, which answer by exact triangles whatever the radius,
/// each takes what costs least on the whole.
///
/// # Errors
/// When it cannot be built for this scene; the message says what would help.
pub fn build<'s>(
    kind: BackendKind,
    scene: &'s Scene<'s>,
    fineness: &ShapeFineness,
    resolution: f64,
    prebuilt: &Prebuilt,
    work: &mut Work,
) -> Result<Box<dyn Backend + 's>, MethodError> {
    let start = Clock::now();
    let leaf_radius = fineness.leaf_radius;
    let cubes = octree::CubeFineness::of(leaf_radius);
    let backend: Box<dyn Backend + 's> = match kind {
        BackendKind::SphereTree => Box::new(trees::TreeBackend::new(scene)),
        BackendKind::Greedy => Box::new(balls::Balls::greedy(scene, leaf_radius, prebuilt)?),
        BackendKind::Ranked => {
            Box::new(ranked::Ranked::fine(scene, fineness, resolution, prebuilt)?)
        }
        BackendKind::Grid => Box::new(grid::Grid::new(scene)),
        BackendKind::Octree => Box::new(octree::Octree::of(
            scene,
            &cubes,
            fineness.divided,
            prebuilt,
        )),
        BackendKind::Raw => Box::new(raw::Raw::new(scene)),
    };
    work.build_seconds += prebuilt.seconds + start.elapsed().as_secs_f64();
    work.memory_bytes = work.memory_bytes.max(backend.memory_bytes() as u64);
    Ok(backend)
}

impl Prebuilt {
    /// Builds what a shape needs in a scene; `fineness` and `resolution` as for [`build`].
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
                let octree = octree::Octree::of(scene, &cubes, fineness.divided, &prebuilt);
                prebuilt.octrees = octree.shared();
            }
            BackendKind::SphereTree | BackendKind::Grid | BackendKind::Raw => {}
        }
        prebuilt.seconds = start.elapsed().as_secs_f64();
        Ok(prebuilt)
    }
}

/// How far the computed distance of two parts can be off, metres.
fn margin(scene: &Scene, pair: &PartPair, snapshot: &mut Snapshot) -> f64 {
    snapshot.margin(scene, pair.a) + snapshot.margin(scene, pair.b)
}

/// The triangles of a part in the world, at an instant.
fn placed(scene: &Scene, part: usize, snapshot: &mut Snapshot, out: &mut Vec<[Point3<f64>; 3]>) {
    let pose = snapshot.part_pose(scene, part);
    let tree = &scene.parts[part].tree;
    out.clear();
    out.extend((0..tree.triangles.len()).map(|t| {
        tree.corners(t)
            .map(|corner| Point3::from(pose.apply(&(corner - tree.origin))))
    }));
}
