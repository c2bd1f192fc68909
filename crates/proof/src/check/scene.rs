//! The input of an engine: parts (shapes ready to be checked), and the pairs of parts that are
//! checked.

use std::sync::Arc;

use nalgebra::Translation3;

use super::{SpareThreads, TimeLimit};
use crate::bvh::SphereTree;
use crate::geometry::pose::Pose;
use crate::model::{BodyId, Cell, JointId, Phase, RigidError};
use crate::motion::Chains;
use crate::numeric::POSITION_ROUNDING;
use crate::pairs::PairTable;
use crate::pairs::range_of_motion::{Candidate, PlacedShape};

/// One rigid shape with its tree. Its frame has the axes of the shape and its origin in the tree's
/// origin.
#[derive(Debug, Clone)]
pub struct Part {
    /// Body that it belongs to.
    pub body: BodyId,
    /// Joint that it moves with.
    pub joint: Option<JointId>,
    /// Pose in that joint's moving frame (or the world).
    pub joint_from_part: Pose,
    /// Its surface.
    pub tree: Arc<SphereTree>,
    /// Distance of its farthest surface point from its origin, metres, rounded up.
    pub bounding_radius: f64,
    /// Size of the numbers that its pose was made from, metres: what rounding is relative to.
    pub offset: f64,
    /// How far its points may be off their places because joints were as events handed its body
    /// over, metres.
    pub handover_error: f64,
    /// Whether the cell says that its inside is solid; `None`: decided from the mesh.
    pub may_be_solid: Option<bool>,
}

impl Part {
    /// The part as hulls are made of it.
    pub(crate) fn placed_shape(&self) -> PlacedShape<'_> {
        PlacedShape {
            joint: self.joint,
            joint_from_part: self.joint_from_part,
            tree: &self.tree,
            slack: POSITION_ROUNDING * (self.offset + self.bounding_radius) + self.handover_error,
        }
    }
}

/// Two bodies that are checked against each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyPair {
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// Threshold D, metres.
    pub clearance: f64,
}

/// Two parts of such a pair.
///
/// Their motion is looked at from the frame that the last joint they share carries; joints before
/// it cancel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartPair {
    /// Part that moves in the shared frame (if any does).
    pub a: usize,
    /// Other part.
    pub b: usize,
    /// Index into [`Scene::pairs`].
    pub pair: usize,
    /// Number of joints that both chains share.
    pub shared: usize,
    /// Whether `b` is fixed in the shared frame: everything can then be computed in its own frame.
    pub one_sided: bool,
    /// Sum of the two trees' radii, metres.
    pub radii: f64,
}

/// A cell prepared for checking.
#[derive(Debug, Clone)]
pub struct Scene<'c> {
    /// The cell.
    pub cell: &'c Cell,
    /// Its joints, prepared.
    pub(crate) chains: Chains,
    /// Shapes of all bodies that stand in a checked pair.
    pub parts: Vec<Part>,
    /// Pairs of bodies.
    pub pairs: Vec<BodyPair>,
    /// Pairs of parts, grouped by body pair.
    pub part_pairs: Vec<PartPair>,
    /// Whether pairs that range-of-motion hulls tell apart are left out of searches. Answers do not
    /// depend on it.
    pub hulls: bool,
    /// How many node pairs are tested at a time, at most. Answers do not depend on it.
    pub lanes: usize,
    /// How long searches in it may take.
    pub time_limit: TimeLimit,
    /// Who may help to search a long motion. Answers do not depend on it.
    pub threads: SpareThreads,
}

impl<'c> Scene<'c> {
    /// No machine tests more node pairs at a time.
    pub const MOST_LANES: usize = 16;

    /// Prepares a cell. `trees` holds one tree per shape of every body; `clearance` is the
    /// threshold D of pairs that have none of their own, metres.
    pub fn new(
        cell: &'c Cell,
        trees: &[Vec<Arc<SphereTree>>],
        table: &PairTable,
        clearance: f64,
    ) -> Self {
        let chains = Chains::new(cell);
        let mut parts = Vec::new();
        let mut of_body = vec![0..0; cell.bodies.len()];
        for (body, (what, trees)) in cell.bodies.iter().zip(trees).enumerate() {
            let first = parts.len();
            for (shape, tree) in what.shapes.iter().zip(trees) {
                let placed = what.joint_from_body
                    * shape.body_from_shape
                    * Translation3::from(tree.origin.coords);
                let root = &tree.nodes[0];
                let center = root.ball_center();
                parts.push(Part {
                    may_be_solid: shape.solid,
                    body,
                    joint: what.joint,
                    joint_from_part: Pose::from(&placed),
                    bounding_radius: (center.norm() + f64::from(root.radius)) * (1.0 + 1e-12)
                        + tree.radius,
                    offset: what.joint_from_body.translation.vector.norm()
                        + shape.body_from_shape.translation.vector.norm()
                        + tree.origin.coords.norm(),
                    handover_error: 0.0,
                    tree: tree.clone(),
                });
            }
            of_body[body] = first..parts.len();
        }
        let mut scene = Scene {
            cell,
            chains,
            parts,
            pairs: Vec::new(),
            part_pairs: Vec::new(),
            hulls: true,
            lanes: Self::MOST_LANES,
            time_limit: TimeLimit::default(),
            threads: SpareThreads::default(),
        };
        for checked in &table.checked {
            let pair = scene.pairs.len();
            scene.pairs.push(BodyPair {
                a: checked.a,
                b: checked.b,
                clearance: checked.clearance.unwrap_or(clearance),
            });
            for a in of_body[checked.a].clone() {
                for b in of_body[checked.b].clone() {
                    let part_pair = scene.part_pair(a, b, pair);
                    scene.part_pairs.push(part_pair);
                }
            }
        }
        scene
    }

    /// A cell as it is between two events, with all pairs that are checked then.
    pub fn of_phase(phase: &'c Phase, trees: &[Vec<Arc<SphereTree>>], clearance: f64) -> Self {
        let scene = Scene::new(&phase.cell, trees, &PairTable::new(&phase.cell), clearance);
        scene.placed_by_events(&phase.taken_over_m, &phase.handover_errors)
    }

    /// The same scene with the errors of places that events made. Per body, `taken_over_m` holds
    /// the sizes of the numbers that its place was computed from (metres; rounding is relative to
    /// them), and `handover_errors` how far joints were off when an event put it there.
    pub fn placed_by_events(
        mut self,
        taken_over_m: &[f64],
        handover_errors: &[RigidError],
    ) -> Self {
        for part in &mut self.parts {
            part.offset += taken_over_m[part.body] * (1.0 + part.bounding_radius);
            let error = handover_errors[part.body];
            // The body turns about its own origin.
            let body = &self.cell.bodies[part.body].joint_from_body.translation;
            let distance = (part.joint_from_part.translation - body.vector).norm();
            part.handover_error +=
                error.shift_m + error.turn_rad * (distance + part.bounding_radius);
        }
        self
    }

    /// The same scene with a pair's warn distance in place of its threshold; pairs without one are
    /// left out. `warn` holds a value in metres, or none, for every pair.
    pub fn at_warn_distances(&self, warn: &[Option<f64>]) -> Self {
        let mut scene = Scene {
            pairs: Vec::new(),
            part_pairs: Vec::new(),
            ..self.clone()
        };
        for (index, (pair, warn)) in self.pairs.iter().zip(warn).enumerate() {
            let Some(clearance) = *warn else { continue };
            let pair_there = scene.pairs.len();
            scene.pairs.push(BodyPair { clearance, ..*pair });
            let of_pair = &self.part_pairs[self.part_pairs_of(index)];
            scene.part_pairs.extend(of_pair.iter().map(|p| PartPair {
                pair: pair_there,
                ..*p
            }));
        }
        scene
    }

    /// The same scene with some of its pairs only, in the same order.
    pub fn only(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut scene = Scene {
            pairs: Vec::new(),
            part_pairs: Vec::new(),
            ..self.clone()
        };
        for index in (0..self.pairs.len()).filter(|&index| keep(index)) {
            let pair = scene.pairs.len();
            scene.pairs.push(self.pairs[index]);
            let of_pair = &self.part_pairs[self.part_pairs_of(index)];
            let renumbered = of_pair.iter().map(|p| PartPair { pair, ..*p });
            scene.part_pairs.extend(renumbered);
        }
        scene
    }

    /// All parts, as hulls are made of them.
    pub(crate) fn placed_shapes(&self) -> Vec<PlacedShape<'_>> {
        self.parts.iter().map(Part::placed_shape).collect()
    }

    /// All pairs of parts, with the thresholds of their bodies.
    pub(crate) fn candidates(&self) -> Vec<Candidate> {
        let pairs = self.part_pairs.iter();
        pairs
            .map(|p| Candidate {
                a: p.a,
                b: p.b,
                shared: p.shared,
                threshold: self.pairs[p.pair].clearance,
            })
            .collect()
    }

    /// The part pairs of a body pair.
    pub fn part_pairs_of(&self, pair: usize) -> std::ops::Range<usize> {
        let start = self.part_pairs.partition_point(|p| p.pair < pair);
        let end = self.part_pairs.partition_point(|p| p.pair <= pair);
        start..end
    }

    fn part_pair(&self, a: usize, b: usize, pair: usize) -> PartPair {
        let chain = |p: usize| self.chains.of(self.parts[p].joint);
        let shared = chain(a)
            .iter()
            .zip(chain(b))
            .take_while(|(x, y)| x == y)
            .count();
        let fixed = |p: usize| chain(p).len() == shared;
        // The part that is fixed in the shared frame goes second, so that there is one case rather
        // than two.
        let (a, b) = if fixed(a) && !fixed(b) {
            (b, a)
        } else {
            (a, b)
        };
        PartPair {
            a,
            b,
            pair,
            shared,
            one_sided: fixed(b),
            radii: self.parts[a].tree.radius + self.parts[b].tree.radius,
        }
    }

    /// Joint whose moving frame the two parts share; `None`: the world.
    pub fn shared_joint(&self, pair: &PartPair) -> Option<JointId> {
        let chain = self.chains.of(self.parts[pair.a].joint);
        pair.shared.checked_sub(1).map(|k| chain[k])
    }
}

#[cfg(any(test, feature = "testing"))]
impl<'c> Scene<'c> {
    /// Parts that need not be those of bodies of the cell, without pairs.
    pub fn of_parts(cell: &'c Cell, parts: Vec<Part>) -> Self {
        Scene {
            cell,
            chains: Chains::new(cell),
            parts,
            pairs: Vec::new(),
            part_pairs: Vec::new(),
            hulls: true,
            lanes: Self::MOST_LANES,
            time_limit: TimeLimit::default(),
            threads: SpareThreads::default(),
        }
    }
}
