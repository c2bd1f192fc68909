//! Standing bodies that share an octree, and the bodies that move among them.

use std::ops::Range as Indices;
use std::sync::Arc;

use clearance_proof::check::Snapshot;
use clearance_proof::check::scene::{Part, Scene};
use clearance_proof::geometry::aabb::Aabb;
use clearance_proof::geometry::pose::Pose;
use clearance_proof::model::{BodyId, JointId};
use clearance_proof::report::Work;
use nalgebra::Point3;
use rayon::prelude::*;

use super::cubes::{Cubes, PlacedSolid};
use super::nearest::{DistanceField, NearestCube, clear_of_all};
use super::walk::{BodyFaces, Walk, WalkOptions};
use crate::backends::{DistanceRange, Touch};

/// A moving body that is checked against all bodies of a group.
#[derive(Debug)]
pub(super) struct Mover {
    parts: Indices<usize>,
    /// Threshold D against each of them, metres.
    clearance: f64,
    /// The pair with each standing body.
    pairs: Vec<usize>,
    /// Scratch, one for each part.
    faces: Vec<BodyFaces>,
    /// The last result of the white cubes for each part.
    clear: Vec<Option<Clear>>,
}

/// The clearance of a part at a pose, as white cubes show it. Every pair of the same mover asks for
/// it.
#[derive(Debug, Clone, Copy)]
struct Clear {
    pose: Pose,
    /// Its surface is this far from everything, metres.
    shown: f64,
    /// They cannot show this much, metres.
    not_shown: f64,
}

impl Mover {
    /// A body at this threshold, metres; `pairs` in the order of the group's bodies.
    pub fn new(scene: &Scene, body: BodyId, clearance: f64, pairs: Vec<usize>) -> Self {
        let parts = parts_of(scene, body);
        Mover {
            clearance,
            pairs,
            faces: parts.clone().map(|_| BodyFaces::default()).collect(),
            clear: vec![None; parts.len()],
            parts,
        }
    }
}

/// A part of a mover in the frame of the cubes, and what rounding may amount to there, metres.
pub(super) type PlacedPart = (PlacedSolid, f64);

/// The result for a mover at an instant.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// Pairs within their thresholds.
    pub touches: Vec<Touch>,
    /// The work that it took.
    pub work: Work,
    /// Cubes that were looked into.
    pub cubes_seen: u64,
}

impl Mover {
    fn touching(&mut self, cubes: &Cubes, placed: &[PlacedPart], first: bool) -> Looked {
        let mut looked = Looked::default();
        let mut hits: Vec<Option<f64>> = vec![None; self.pairs.len()];
        for ((body, margin), faces) in placed.iter().zip(&mut self.faces) {
            let options = WalkOptions {
                within: self.clearance,
                margin: *margin,
                first,
            };
            looked.cubes_seen +=
                Walk::run(cubes, body, faces, options, &mut hits, &mut looked.work);
            if first && hits.iter().any(Option::is_some) {
                break;
            }
        }
        let found = hits.iter().zip(&self.pairs);
        let touches = found.filter_map(|(hit, &pair)| hit.map(|distance| Touch { pair, distance }));
        looked.touches = touches.collect();
        looked
    }
}

/// Bodies with the same partners at the same thresholds, that stand still or are carried by the
/// same joint.
#[derive(Debug)]
pub(super) struct CubeGroup {
    pub cubes: Arc<Cubes>,
    /// The joint that carries them: the cubes are in its frame. `None`: the world's frame.
    joint: Option<JointId>,
    /// Their parts.
    parts: Vec<usize>,
    field: DistanceField,
    /// The box around each body.
    around: Vec<Aabb>,
    /// One point of everything that hangs together, by body.
    components: Vec<Vec<Point3<f64>>>,
    pub movers: Vec<Mover>,
    /// Size of the numbers that the bodies' places were made from, metres: what rounding is
    /// relative to.
    size: f64,
    /// How far events may have put the bodies off their places, metres.
    handover_error: f64,
}

impl CubeGroup {
    /// Bodies that were divided into these cubes, and what moves among them.
    pub fn new(
        scene: &Scene,
        bodies: &[BodyId],
        joint: Option<JointId>,
        movers: Vec<Mover>,
        cubes: Arc<Cubes>,
    ) -> Self {
        let mut around: Vec<Option<Aabb>> = vec![None; bodies.len()];
        let mut components = vec![Vec::new(); bodies.len()];
        for placed in &cubes.solids {
            for triangle in 0..placed.tree.triangles.len() {
                let face = Aabb::of(placed.face(triangle)).grown(placed.tree.radius);
                let around = &mut around[placed.slot];
                *around = Some(around.map_or(face, |b| b.join(&face)));
            }
            components[placed.slot].extend(placed.components());
        }
        let parts = bodies
            .iter()
            .flat_map(|&b| &scene.parts[parts_of(scene, b)]);
        let size = |part: &Part| {
            part.joint_from_part.translation.norm() + part.offset + part.bounding_radius
        };
        let errors = parts.clone().map(|part| part.handover_error);
        CubeGroup {
            field: DistanceField::new(&cubes),
            cubes,
            around: around.into_iter().flatten().collect(),
            components,
            movers,
            size: parts.map(size).fold(0.0, f64::max),
            handover_error: errors.fold(0.0, f64::max),
            joint,
            parts: bodies.iter().flat_map(|&b| parts_of(scene, b)).collect(),
        }
    }

    /// Size in memory, bytes.
    pub fn bytes(&self) -> usize {
        let faces = self.movers.iter().flat_map(|m| &m.faces);
        self.cubes.bytes() + self.field.bytes() + faces.map(BodyFaces::bytes).sum::<usize>()
    }

    /// The parts of a mover among the cubes, at an instant.
    pub fn placed(&self, scene: &Scene, mover: usize, snapshot: &mut Snapshot) -> Vec<PlacedPart> {
        let own = match self.joint {
            None => snapshot.rounding(self.size) + self.handover_error,
            // The cubes are where their joint is, as far as that is known.
            Some(_) => {
                let margins = self.parts.iter().map(|&part| snapshot.margin(scene, part));
                margins.fold(0.0, f64::max)
            }
        };
        let parts = self.movers[mover].parts.clone();
        let place = |part: usize| {
            let margin = snapshot.margin(scene, part) + own;
            (placed(scene, part, self.joint, snapshot), margin)
        };
        parts.map(place).collect()
    }

    /// Pairs of a mover within their thresholds.
    pub fn touching(&mut self, mover: usize, placed: &[PlacedPart], first: bool) -> Looked {
        self.movers[mover].touching(&self.cubes, placed, first)
    }

    /// Pairs of all movers within their thresholds, each mover for itself.
    pub fn all_touching<'g>(
        &'g mut self,
        placed: &'g [Vec<PlacedPart>],
    ) -> impl ParallelIterator<Item = Looked> + 'g {
        let cubes = &*self.cubes;
        let movers = self.movers.par_iter_mut().zip(placed);
        movers.map(move |(mover, placed)| mover.touching(cubes, placed, false))
    }

    /// Distance of a mover from one body (the slot), metres; a lower bound of it, no less than the
    /// range's upper end, if it is greater than that. By the range's tolerance either may be less.
    pub fn lower_bound(
        &mut self,
        scene: &Scene,
        mover: usize,
        slot: usize,
        snapshot: &mut Snapshot,
        range: DistanceRange,
        work: &mut Work,
    ) -> f64 {
        let mover = &mut self.movers[mover];
        let worthwhile = 1.0 - range.tolerance;
        let enough = range.max * worthwhile;
        let (mut nearest, mut beyond) = (range.max, f64::INFINITY);
        for (k, part) in mover.parts.clone().enumerate() {
            let body = placed(scene, part, self.joint, snapshot);
            // The body's surface does not find a component that lies inside the body, so this is
            // tested first.
            work.cell_tests += self.components[slot].len() as u64;
            if self.components[slot].iter().any(|p| body.contains(p)) {
                return 0.0;
            }
            let known = mover.clear[k].filter(|clear| clear.pose == body.pose);
            let mut clear = known.unwrap_or(Clear {
                pose: body.pose,
                shown: 0.0,
                not_shown: f64::INFINITY,
            });
            if clear.shown < enough && enough < clear.not_shown {
                match clear_of_all(&self.cubes, &mut self.field, &body, enough, work) {
                    Some(bound) => clear.shown = clear.shown.max(bound),
                    None => clear.not_shown = enough,
                }
                mover.clear[k] = Some(clear);
            }
            if clear.shown >= nearest * worthwhile {
                beyond = beyond.min(clear.shown);
                continue;
            }
            for point in body.components() {
                work.cell_tests += 1;
                let holding = self.cubes.holding(&point);
                let mut slots = holding.iter().map(|&s| self.cubes.solids[s as usize].slot);
                if slots.any(|s| s == slot) {
                    return 0.0;
                }
            }
            mover.faces[k].reset(body.tree.triangles.len());
            let mut search = NearestCube {
                cubes: &self.cubes,
                field: &mut self.field,
                body: &body,
                faces: &mut mover.faces[k],
                slot,
                around: self.around[slot],
                below: nearest,
                beyond,
                worthwhile,
                work,
            };
            search.search(0);
            (nearest, beyond) = (search.below, search.beyond);
        }
        beyond.max(0.0)
    }
}

/// The parts of standing bodies, at their places.
pub(super) fn standing(scene: &Scene, bodies: &[BodyId]) -> Vec<PlacedSolid> {
    let parts = bodies.iter().enumerate().flat_map(|(slot, &body)| {
        let parts = &scene.parts[parts_of(scene, body)];
        parts.iter().map(move |part| PlacedSolid {
            tree: part.tree.clone(),
            pose: part.joint_from_part,
            solid: part.may_be_solid,
            slot,
        })
    });
    parts.collect()
}

/// A moving part at an instant, in the frame of the cubes.
fn placed(
    scene: &Scene,
    part: usize,
    joint: Option<JointId>,
    snapshot: &mut Snapshot,
) -> PlacedSolid {
    let world_from_part = snapshot.part_pose(scene, part);
    PlacedSolid {
        tree: scene.parts[part].tree.clone(),
        pose: match joint {
            None => world_from_part,
            Some(_) => snapshot.joint_pose(joint).inverse_compose(&world_from_part),
        },
        solid: scene.parts[part].may_be_solid,
        slot: 0,
    }
}

/// The parts of a body; they stand side by side.
fn parts_of(scene: &Scene, body: BodyId) -> Indices<usize> {
    let start = scene.parts.partition_point(|p| p.body < body);
    let end = scene.parts.partition_point(|p| p.body <= body);
    start..end
}
