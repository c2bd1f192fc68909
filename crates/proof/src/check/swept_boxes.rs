//! Where bodies get to: boxes that hold everything a body sweeps during a program, and boxes around
//! what stands still, its inside too where that is solid: what is within it touches no surface.
//!
//! A body is covered by a few boxes of its sphere tree. Over an interval every point of such a box
//! stays within its chord bound of the chord between its two end positions, and that chord lies in
//! the world box around both end positions of the box. Intervals are halved for those parts whose
//! boxes reach farther than their bodies were seen so far; where they are not halved the world
//! boxes are only larger. Most intervals lie amidst what was seen at their ends, so that few are
//! halved often.

use std::sync::{Mutex, PoisonError};

use nalgebra::{Matrix3, Point3, Vector3};

use crate::bvh::{Node, SphereTree};
use crate::check::Snapshot;
use crate::check::errors::{ErrorBounds, Levers};
use crate::check::scene::{Part, Scene};
use crate::geometry::aabb::Aabb;
use crate::geometry::pose::Pose;
use crate::model::{BodyId, Segment, Trajectory, Tubes};
use crate::motion::{AxisDistances, ChainInterval, ChordBound, JointBounds};
use crate::numeric::POSITION_ROUNDING;

/// Boxes per shape.
const BOXES: usize = 8;
/// A box that reaches no farther than this beyond where its body was seen is good enough, metres.
const FINE_M: f64 = 0.01;
/// An interval is halved at most this many times; its boxes are then good enough.
const DEEPEST: usize = 8;

impl Scene<'_> {
    /// Bodies with geometry that move with some joint, in the cell's order.
    pub fn moving_bodies(&self) -> Vec<BodyId> {
        bodies(self, true)
    }

    /// Bodies with geometry that are fixed to the world, in the cell's order.
    pub fn standing_bodies(&self) -> Vec<BodyId> {
        bodies(self, false)
    }
}

fn bodies(scene: &Scene, moves: bool) -> Vec<BodyId> {
    let bodies = scene.cell.bodies.iter().enumerate();
    bodies
        .filter(|(_, b)| !b.shapes.is_empty() && b.joint.is_some() == moves)
        .map(|(id, _)| id)
        .collect()
}

/// Boxes that cover the parts of a scene before any motion. Made once, used for every program.
#[derive(Debug)]
pub struct PartCovers<'s> {
    scene: &'s Scene<'s>,
    /// Boxes of every part.
    covers: Vec<Vec<NodeBox>>,
    /// Distance of the farthest point of them from the part's origin.
    radii: Vec<f64>,
    /// The parts that move.
    moving: Vec<usize>,
    /// Buffers of trajectories that are done. Their memory is used again, never their contents.
    spare: Mutex<Vec<Vec<PartBoxes>>>,
}

/// Segments whose ends are kept from the first look to the second.
const KEPT: usize = 1024;
/// Buffers that are kept from one trajectory to the next.
const SPARE: usize = 64;

impl<'s> PartCovers<'s> {
    /// Covers the parts of a scene.
    pub fn new(scene: &'s Scene<'s>) -> Self {
        let covers: Vec<Vec<NodeBox>> = scene.parts.iter().map(cover).collect();
        let radius = |cover: &Vec<NodeBox>| {
            let radii = cover.iter().map(NodeBox::bounding_radius);
            radii.fold(0.0, f64::max)
        };
        let parts = 0..scene.parts.len();
        PartCovers {
            scene,
            radii: covers.iter().map(radius).collect(),
            covers,
            moving: parts.filter(|&p| scene.parts[p].joint.is_some()).collect(),
            spare: Mutex::default(),
        }
    }

    /// For every body of [`Scene::moving_bodies`] a box that holds it at every instant of the
    /// trajectory, wherever errors put it.
    pub fn swept_boxes(&self, trajectory: &Trajectory) -> Vec<Aabb> {
        let scene = self.scene;
        let mut sweep = BoxSweep {
            known: self,
            seen: vec![Aabb::EMPTY; scene.cell.bodies.len()],
            held: vec![Aabb::EMPTY; scene.cell.bodies.len()],
            joint_bounds: JointBounds::default(),
            axis_distances: AxisDistances::new(),
            errors: errors(scene),
            spare: self.spare().pop().unwrap_or_default(),
        };
        // Any instants would do for a first look: what was seen only says what is worth halving.
        let mut starts: Vec<PartBoxes> = Vec::new();
        for segment in &trajectory.segments {
            let mut start = sweep.at(segment, 0.0);
            for &part in &self.moving {
                sweep.look(part, &mut start);
            }
            if starts.len() < KEPT {
                starts.push(start);
            } else {
                sweep.spare.push(start);
            }
        }
        if let Some(segment) = trajectory.segments.last() {
            let mut end = sweep.at(segment, 1.0);
            for &part in &self.moving {
                sweep.look(part, &mut end);
            }
            sweep.spare.push(end);
        }
        let mut starts = starts.into_iter();
        for segment in &trajectory.segments {
            let mut first = match starts.next() {
                Some(start) => start,
                None => sweep.at(segment, 0.0),
            };
            let mut last = sweep.at(segment, 1.0);
            sweep.interval(segment, [&mut first, &mut last], 0, &self.moving);
            sweep.spare.extend([first, last]);
        }
        sweep.spare.truncate(SPARE);
        self.spare().push(sweep.spare);
        let bodies = scene.moving_bodies().into_iter();
        bodies.map(|body| sweep.held[body]).collect()
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<Vec<PartBoxes>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scene<'_> {
    /// [`PartCovers::swept_boxes`] for one trajectory.
    pub fn swept_boxes(&self, trajectory: &Trajectory) -> Vec<Aabb> {
        PartCovers::new(self).swept_boxes(trajectory)
    }
}

/// The errors that a check in the scene allows for.
fn errors<'s>(scene: &'s Scene<'s>) -> Option<ErrorBounds<'s>> {
    let budget = scene.cell.allowed_errors();
    budget.map(|budget| ErrorBounds::new(scene, Some(budget)))
}

impl Scene<'_> {
    /// Boxes that hold a body which is fixed to the world, wherever errors put it.
    pub fn occupied_boxes(&self, body: BodyId) -> Vec<Aabb> {
        let mut boxes = Vec::new();
        let errors = errors(self);
        let parts = self.parts.iter().enumerate();
        for (index, part) in parts.filter(|(_, p)| p.body == body) {
            let pose = &part.joint_from_part;
            let rounding = POSITION_ROUNDING * (part.offset + part.bounding_radius);
            let slack = rounding + part.handover_error;
            let deviation = errors.as_ref().map_or_else(ChordBound::default, |errors| {
                let levers = Levers {
                    axis_distances: &[],
                    root: (pose.translation - errors.root_origin(index)).norm(),
                    rounding: slack,
                    tool: 0.0,
                    tubes: &Tubes::default(),
                };
                errors.deviation_in_world(index, &levers)
            });
            for piece in cover(part).into_iter().chain(inside_of(part)) {
                let grown = slack + deviation.at(piece.bounding_radius());
                boxes.push(piece.placed(pose, &pose.rotation.abs(), grown));
            }
        }
        boxes
    }
}

/// Nodes of a tree that together hold everything below its root: the largest is opened again and
/// again.
fn frontier(tree: &SphereTree, most: usize) -> Vec<Node> {
    let mut nodes = vec![tree.nodes[0]];
    while nodes.len() < most {
        let inner = nodes.iter().enumerate().filter(|(_, n)| !n.is_leaf());
        let Some((largest, _)) = inner.max_by(|(_, a), (_, b)| a.radius.total_cmp(&b.radius))
        else {
            break;
        };
        let first = nodes.swap_remove(largest).first as usize;
        nodes.extend([tree.nodes[first], tree.nodes[first + 1]]);
    }
    nodes
}

/// A box of a part, in the part's frame, metres.
#[derive(Debug)]
struct NodeBox {
    center: Vector3<f64>,
    half: Vector3<f64>,
    /// How far the surface can lie outside of the box.
    radius: f64,
}

impl NodeBox {
    fn new(node: &Node, tree: &SphereTree) -> Self {
        let [center, half] = node.aabb();
        NodeBox {
            center,
            half,
            radius: tree.radius,
        }
    }

    /// Distance of its farthest point from the part's origin.
    fn bounding_radius(&self) -> f64 {
        self.center.norm() + self.half.norm() + self.radius
    }

    /// A box in the world that holds it at this pose, `grown` by more on every side. `turn_abs` has
    /// the absolute values of the rotation.
    fn placed(&self, pose: &Pose, turn_abs: &Matrix3<f64>, grown: f64) -> Aabb {
        let half = turn_abs * self.half;
        let center = Point3::from(pose.apply(&self.center));
        Aabb::around(&center, &half.map(|h| h + (self.radius + grown)))
    }
}

/// The box in the world around all of these at this pose: that of [`NodeBox::placed`] for each of
/// them, joined. Most of the work on a trajectory is done here.
fn around(pieces: &[NodeBox], pose: &Pose) -> Aabb {
    let turn_abs = pose.rotation.abs();
    let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for piece in pieces {
        let center = pose.apply(&piece.center);
        let half = turn_abs * piece.half;
        for k in 0..3 {
            let half = half[k] + piece.radius;
            let (low, high) = (center[k] - half, center[k] + half);
            min[k] = if low < min[k] { low } else { min[k] };
            max[k] = if high > max[k] { high } else { max[k] };
        }
    }
    Aabb {
        min: min.into(),
        max: max.into(),
    }
}

/// Boxes that together hold a part.
fn cover(part: &Part) -> Vec<NodeBox> {
    let nodes = frontier(&part.tree, BOXES);
    nodes.iter().map(|n| NodeBox::new(n, &part.tree)).collect()
}

/// A box around all that lies inside of a part, if anything that does counts as contact. (What a
/// moving body sweeps is one box, which holds its inside.)
fn inside_of(part: &Part) -> Option<NodeBox> {
    if part.may_be_solid == Some(false) {
        return None;
    }
    let held = part.tree.inside_box()?;
    Some(NodeBox {
        center: held.center() - part.tree.origin,
        half: 0.5 * (held.max - held.min),
        radius: part.tree.radius,
    })
}

/// An instant, and the boxes of the parts that were asked for.
#[derive(Debug, Default)]
struct PartBoxes {
    at: Snapshot,
    boxes: Vec<Option<Aabb>>,
}

struct BoxSweep<'k> {
    known: &'k PartCovers<'k>,
    /// By body: around its boxes at all instants that were looked at.
    seen: Vec<Aabb>,
    /// By body: the answer as far as it is known.
    held: Vec<Aabb>,
    joint_bounds: JointBounds,
    axis_distances: AxisDistances,
    errors: Option<ErrorBounds<'k>>,
    /// Buffers that are free to be used again.
    spare: Vec<PartBoxes>,
}

impl BoxSweep<'_> {
    /// An instant at which nothing has been looked at.
    fn at(&mut self, segment: &Segment, s: f64) -> PartBoxes {
        let mut instant = self.spare.pop().unwrap_or_default();
        instant.at.set(self.known.scene, segment, s);
        instant.boxes.clear();
        instant.boxes.resize(self.known.scene.parts.len(), None);
        instant
    }

    /// The world box around a part's boxes at an instant, but for rounding.
    fn look(&mut self, part: usize, end: &mut PartBoxes) -> Aabb {
        if let Some(known) = end.boxes[part] {
            return known;
        }
        let PartCovers { scene, covers, .. } = self.known;
        let around = around(&covers[part], &end.at.part(scene, part).pose);
        end.boxes[part] = Some(around);
        let seen = &mut self.seen[scene.parts[part].body];
        *seen = seen.join(&around);
        around
    }

    /// Holds these parts along an interval.
    fn interval(
        &mut self,
        segment: &Segment,
        [first, last]: [&mut PartBoxes; 2],
        depth: usize,
        parts: &[usize],
    ) {
        let PartCovers { scene, radii, .. } = self.known;
        let (s0, s1) = (first.at.s(), last.at.s());
        self.joint_bounds.set(segment, s0, s1);
        let mut left = Vec::new();
        for &part in parts {
            let body = scene.parts[part].body;
            let bound = self.chord_bound(part, &mut first.at, &mut last.at);
            let swept = self.look(part, first).join(&self.look(part, last));
            let swept = swept.grown(bound.at(radii[part]));
            // Errors are left out of this test: halving reduces the chord bound, but not the
            // errors.
            if depth < DEEPEST && !inside(&swept, &self.seen[body].grown(FINE_M)) {
                left.push(part);
                continue;
            }
            // Both margins count: between the ends, a point is no farther from an axis than the sum
            // of its distances at the two ends, apart from the chord bound.
            let margins = [&mut *first, &mut *last].map(|end| end.at.margin(scene, part));
            let deviation = self.deviation(part, &mut first.at, &mut last.at);
            let uncertain = deviation.at(radii[part]) + margins[0] + margins[1];
            self.held[body] = self.held[body].join(&swept.grown(uncertain));
        }
        if !left.is_empty() {
            let mut middle = self.at(segment, 0.5 * (s0 + s1));
            self.interval(segment, [first, &mut middle], depth + 1, &left);
            self.interval(segment, [&mut middle, last], depth + 1, &left);
            self.spare.push(middle);
        }
    }

    /// How far points of a part can be off by errors in the interval of `joint_bounds`.
    fn deviation(&mut self, part: usize, first: &mut Snapshot, last: &mut Snapshot) -> ChordBound {
        if self.errors.is_none() {
            return ChordBound::default();
        }
        // Fills `self.axis_distances`, which is needed below.
        self.chord_bound(part, first, last);
        let Some(errors) = &self.errors else {
            return ChordBound::default();
        };
        let scene = self.known.scene;
        let interval = ChainInterval {
            chains: &scene.chains,
            chain: scene.chains.of(scene.parts[part].joint),
            joint_bounds: &self.joint_bounds,
        };
        let travel = interval.travel(0, &self.axis_distances, 0.0);
        let root = errors.root_origin(part);
        let ends = [first, last].map(|end| {
            let away = (end.part(scene, part).pose.translation - root).norm();
            (away, end.margin(scene, part))
        });
        let levers = Levers {
            axis_distances: &self.axis_distances,
            root: 0.5 * (ends[0].0 + ends[1].0 + travel),
            rounding: ends[0].1 + ends[1].1,
            tool: 0.0,
            tubes: &Tubes::default(),
        };
        errors.deviation_in_world(part, &levers)
    }

    /// How far points of a part leave their chords in the interval of `joint_bounds`.
    fn chord_bound(
        &mut self,
        part: usize,
        first: &mut Snapshot,
        last: &mut Snapshot,
    ) -> ChordBound {
        let scene = self.known.scene;
        let what = &scene.parts[part];
        let interval = ChainInterval {
            chains: &scene.chains,
            chain: scene.chains.of(what.joint),
            joint_bounds: &self.joint_bounds,
        };
        let at_ends = [
            &first.part(scene, part).axis_distances[..],
            &last.part(scene, part).axis_distances[..],
        ];
        interval.axis_distances(at_ends, &mut self.axis_distances);
        interval.chord_bound(0, &self.axis_distances, what.bounding_radius)
    }
}

/// Whether a box has no point outside of another one.
fn inside(small: &Aabb, large: &Aabb) -> bool {
    (0..3).all(|k| large.min[k] <= small.min[k] && small.max[k] <= large.max[k])
}

#[cfg(test)]
mod tests;
