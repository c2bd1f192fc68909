//! Octree of the solid cell against the faces of moving bodies (Noborio, Fukuda and Arimoto).
//!
//! Standing bodies are divided into cubes once: white where there is nothing, black inside a solid,
//! mixed where there is a surface. A moving body stays a mesh of faces. At an instant these go down
//! the cubes, each to those of the eight children that it meets. White children end the search at
//! once. So only the part of the body that is near the cell costs anything, and the part of the
//! cell that is far from the body costs nothing.
//!
//! Of two moving bodies one may be divided too, in the frame of the joint that carries it
//! ([`Divided::All`], the source's moving solid against a moving solid); else they are compared by
//! the exact distance of their sphere trees. Open meshes are surfaces, as everywhere: the report
//! says so whatever the shape.
//!
//! Every body that moves goes down the cubes by itself: they do so at the same time, on as many
//! threads as there are.

use std::collections::BTreeMap;
use std::sync::Arc;

use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{BodyId, JointId};
use clearance_proof::report::Work;
use rayon::prelude::*;

use crate::backends::{Backend, BackendKind, DistanceRange, Prebuilt, Touch};

mod build;
mod check;
mod clip;
mod cube;
mod cubes;
mod group;
mod nearest;
mod table;
#[cfg(test)]
mod tests;
mod walk;

pub use build::CubeFineness;
pub use cube::Cube;
pub use cubes::{CubeNode, Cubes, PlacedSolid};
pub use table::{Colour, CubeAnswer, CubeState, answer};

use group::{CubeGroup, Looked};

/// How a pair is looked at.
#[derive(Debug, Clone, Copy)]
enum PairMethod {
    /// A moving body among the cubes of standing ones.
    Cubes {
        group: usize,
        mover: usize,
        slot: usize,
    },
    /// By exact distance.
    Bodies,
}

/// Which bodies are divided into cubes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Divided {
    /// Those that stand still.
    #[default]
    Standing,
    /// And of two that move the one with more triangles.
    All,
}

/// Bodies that share an octree, because they are carried by the same joint (or stand still) and
/// have the same partners at the same thresholds.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingSolids {
    /// The bodies.
    pub bodies: Vec<BodyId>,
    /// The joint that carries them; `None`: they stand still.
    pub joint: Option<JointId>,
    partners: Vec<Partner>,
}

/// A body that moves among standing bodies.
#[derive(Debug, Clone, PartialEq)]
struct Partner {
    mover: BodyId,
    /// Threshold against each of them, metres.
    clearance: f64,
    /// The pair with each of them.
    pairs: Vec<usize>,
}

impl StandingSolids {
    /// Their shapes, at their places in the world or in the frame of their joint.
    pub fn solids(&self, scene: &Scene) -> Vec<PlacedSolid> {
        group::standing(scene, &self.bodies)
    }
}

/// Who shares an octree in a scene.
pub fn standing(scene: &Scene) -> Vec<StandingSolids> {
    grouped(scene, Divided::Standing)
}

fn grouped(scene: &Scene, divided: Divided) -> Vec<StandingSolids> {
    let triangles = |body: BodyId| -> usize {
        let parts = scene.parts.iter().filter(|part| part.body == body);
        parts.map(|part| part.tree.triangles.len()).sum()
    };
    let joint = |body: BodyId| scene.cell.bodies[body].joint;
    let mut partners: BTreeMap<BodyId, Vec<(BodyId, u64, usize)>> = BTreeMap::new();
    for (pair, what) in scene.pairs.iter().enumerate() {
        let standing = [what.a, what.b].map(|b| scene.cell.bodies[b].joint.is_none());
        let (mover, stands) = match standing {
            [true, false] => (what.b, what.a),
            [false, true] => (what.a, what.b),
            _ if divided == Divided::Standing => continue,
            _ if triangles(what.a) > triangles(what.b) => (what.b, what.a),
            _ => (what.a, what.b),
        };
        let partner = (mover, what.clearance.to_bits(), pair);
        partners.entry(stands).or_default().push(partner);
    }
    type Key = (Option<JointId>, Vec<(BodyId, u64)>);
    let mut alike: BTreeMap<Key, Vec<BodyId>> = BTreeMap::new();
    for (&body, partners) in &mut partners {
        partners.sort_unstable();
        let key = partners.iter().map(|&(mover, d, _)| (mover, d)).collect();
        alike.entry((joint(body), key)).or_default().push(body);
    }
    let groups = alike.into_iter().map(|((joint, key), bodies)| {
        let partner = |(k, &(mover, clearance)): (usize, &(BodyId, u64))| Partner {
            mover,
            clearance: f64::from_bits(clearance),
            pairs: bodies.iter().map(|body| partners[body][k].2).collect(),
        };
        let partners = key.iter().enumerate().map(partner).collect();
        StandingSolids {
            bodies,
            joint,
            partners,
        }
    });
    groups.collect()
}

/// The cell as octrees: one for all standing bodies that have the same partners at the same
/// thresholds, so that a cube says the same to everyone who asks.
#[derive(Debug)]
pub struct Octree<'s> {
    scene: &'s Scene<'s>,
    groups: Vec<CubeGroup>,
    methods: Vec<PairMethod>,
    cubes_seen: u64,
}

impl<'s> Octree<'s> {
    /// Divides what stands still in a scene, unless it is prebuilt.
    pub fn new(scene: &'s Scene<'s>, fineness: &CubeFineness, prebuilt: &Prebuilt) -> Self {
        Self::of(scene, fineness, Divided::Standing, prebuilt)
    }

    /// Divides what is to be divided, unless it is prebuilt.
    pub fn of(
        scene: &'s Scene<'s>,
        fineness: &CubeFineness,
        divided: Divided,
        prebuilt: &Prebuilt,
    ) -> Self {
        let mut methods = vec![PairMethod::Bodies; scene.pairs.len()];
        let mut groups = Vec::new();
        for StandingSolids {
            bodies,
            joint,
            partners,
        } in grouped(scene, divided)
        {
            let movers = partners.iter().enumerate().map(|(mover, partner)| {
                for (slot, &pair) in partner.pairs.iter().enumerate() {
                    let group = groups.len();
                    methods[pair] = PairMethod::Cubes { group, mover, slot };
                }
                group::Mover::new(
                    scene,
                    partner.mover,
                    partner.clearance,
                    partner.pairs.clone(),
                )
            });
            let movers = movers.collect();
            let solids = group::standing(scene, &bodies);
            let kept = prebuilt.octree(&solids);
            let cubes = kept.unwrap_or_else(|| Arc::new(Cubes::new(solids, fineness)));
            groups.push(CubeGroup::new(scene, &bodies, joint, movers, cubes));
        }
        Octree {
            scene,
            groups,
            methods,
            cubes_seen: 0,
        }
    }

    /// The octrees, one for each group of standing bodies.
    pub fn cubes(&self) -> impl Iterator<Item = &Cubes> {
        self.groups.iter().map(|g| &*g.cubes)
    }

    /// The same, for others to use.
    pub fn shared(&self) -> Vec<Arc<Cubes>> {
        self.groups.iter().map(|g| g.cubes.clone()).collect()
    }

    /// Cubes looked into by [`Backend::touching`] so far.
    pub fn cubes_seen(&self) -> u64 {
        self.cubes_seen
    }

    /// Whether a pair is looked at through cubes.
    pub fn by_cubes(&self, pair: usize) -> bool {
        matches!(self.methods[pair], PairMethod::Cubes { .. })
    }

    /// How far computed distances of a pair can be off, metres.
    fn margin(&self, pair: usize, snapshot: &mut Snapshot) -> f64 {
        let parts = &self.scene.part_pairs[self.scene.part_pairs_of(pair)];
        parts
            .iter()
            .map(|p| snapshot.margin(self.scene, p.a) + snapshot.margin(self.scene, p.b))
            .fold(0.0, f64::max)
    }

    /// Exact distance of two bodies if it is less than `below` (0 if one is in the other), metres.
    fn bodies(
        &self,
        pair: usize,
        snapshot: &mut Snapshot,
        below: f64,
        work: &mut Work,
    ) -> Option<f64> {
        if self.scene.is_contained(pair, snapshot) {
            return Some(0.0);
        }
        let found = self
            .scene
            .pair_distance(pair, snapshot, below, &mut work.sphere_tests);
        found.map(|near| near.distance)
    }
}

impl Backend for Octree<'_> {
    fn kind(&self) -> BackendKind {
        BackendKind::Octree
    }

    fn uses_tolerance(&self) -> bool {
        true
    }

    fn memory_bytes(&self) -> usize {
        self.groups.iter().map(CubeGroup::bytes).sum()
    }

    fn lower_bound(
        &mut self,
        pair: usize,
        snapshot: &mut Snapshot,
        range: DistanceRange,
        work: &mut Work,
    ) -> f64 {
        work.distance_queries += 1;
        let margin = self.margin(pair, snapshot);
        let range = DistanceRange {
            max: range.max + margin,
            ..range
        };
        let distance = match self.methods[pair] {
            PairMethod::Cubes { group, mover, slot } => {
                self.groups[group].lower_bound(self.scene, mover, slot, snapshot, range, work)
            }
            PairMethod::Bodies => self
                .bodies(pair, snapshot, range.max, work)
                .unwrap_or(range.max),
        };
        (distance - margin).max(0.0)
    }

    fn touching(&mut self, snapshot: &mut Snapshot, first: bool, work: &mut Work) -> Vec<Touch> {
        work.interference_queries += self.scene.pairs.len() as u64;
        let mut found = Vec::new();
        if first {
            for group in &mut self.groups {
                for mover in 0..group.movers.len() {
                    let placed = group.placed(self.scene, mover, snapshot);
                    let looked = group.touching(mover, &placed, true);
                    self.cubes_seen += looked.cubes_seen;
                    work.add(&looked.work);
                    found.extend(looked.touches);
                    if !found.is_empty() {
                        break;
                    }
                }
                if !found.is_empty() {
                    break;
                }
            }
        } else {
            // Groups are independent of each other: they go down at the same time.
            let placed: Vec<Vec<_>> = self
                .groups
                .iter()
                .map(|group| {
                    let movers = 0..group.movers.len();
                    movers
                        .map(|mover| group.placed(self.scene, mover, snapshot))
                        .collect()
                })
                .collect();
            let looked: Vec<Looked> = self
                .groups
                .par_iter_mut()
                .zip(&placed)
                .flat_map(|(group, placed)| group.all_touching(placed))
                .collect();
            for looked in looked {
                self.cubes_seen += looked.cubes_seen;
                work.add(&looked.work);
                found.extend(looked.touches);
            }
        }
        for pair in 0..self.scene.pairs.len() {
            if first && !found.is_empty() {
                break;
            }
            if self.by_cubes(pair) {
                continue;
            }
            // Rounding errs towards contact.
            let threshold = self.scene.pairs[pair].clearance + self.margin(pair, snapshot);
            let near = self.bodies(pair, snapshot, threshold.next_up(), work);
            let near = near.filter(|&distance| distance <= threshold);
            found.extend(near.map(|distance| Touch { pair, distance }));
        }
        found.sort_by_key(|touch| touch.pair);
        found
    }
}
