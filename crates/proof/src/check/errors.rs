//! The errors that count for a pair: those of the elements between its two bodies and the frame
//! that both share.
//!
//! A body hangs on a row of elements: its own surface (the facets of its mesh), whatever carries it
//! without a joint (tools, each about its own frame), the frame that its last joint moves against
//! the model of the arm (about that frame's origin), the joints of its chain, and in the end the
//! base of its robot, or its own place in the world if it stands there. What two bodies have in
//! common moves both alike and cancels: joints before the shared frame, the frame itself where one
//! joint moves both, and the base of one robot (or the place of one standing thing) also where no
//! joint is shared, as for a base link and an arm.

mod along;
mod elements;
mod limiting;
mod points;
pub(crate) use along::AlongErrors;
use elements::body_elements;
pub(crate) use limiting::LimitingPoints;
pub(crate) use points::PointErrors;

use std::ops::RangeInclusive;
use std::sync::Arc;

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::Snapshot;
use super::scene::{PartPair, Scene};
use crate::geometry::enclosing_ball::Ball;
use crate::model::{BodyId, JointId, MotionInstant, RigidError, Trajectory, Tubes, Uncertainty};
use crate::motion::{AxisDistances, ChordBound, ElementError};
use crate::report::{ErrorKind, ErrorShares};

/// Halvings of the multiple that an instant allows.
const HALVINGS: usize = 40;

/// The end of a row of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorRoot {
    Robot(usize),
    Standing(BodyId),
    Nothing,
}

/// The elements of a body that no joint moves against it, and where its row ends.
#[derive(Debug, Clone)]
struct BodyElements {
    mesh: f64,
    /// From the outermost one inwards: what it is off, and its origin in the moving frame of the
    /// body's joint (or the world).
    tools: SmallVec<[(RigidError, Vector3<f64>); 2]>,
    /// The error of the frame of its joint against the model of the arm, about that frame's origin.
    model: RigidError,
    root: ErrorRoot,
    root_error: RigidError,
    /// Origin of the root, world frame, metres.
    root_origin: Vector3<f64>,
}

/// Which elements of a row count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CountedElements {
    /// Joints of the chain count from this index on.
    pub from_joint: usize,
    /// Whether the error of the frame of the last joint counts.
    model: bool,
    /// Whether the error of the root counts.
    root: bool,
}

/// The effect of errors on a pair at an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ErrorEffect {
    /// Distance of two points of its surfaces without errors, where these leave the least, metres.
    pub distance: f64,
    /// Those points: on the first body and on the second one, world, metres.
    pub points: [Vector3<f64>; 2],
    /// How far each kind of error can bring them together.
    pub shares: ErrorShares,
}

/// Budgets of error, ready to be asked for the pairs of a scene.
#[derive(Debug, Clone)]
pub(crate) struct ErrorBounds<'s> {
    scene: &'s Scene<'s>,
    /// Budget per joint, radians or metres. Empty: joints have no budget, only the tubes of
    /// segments.
    joint: &'s [f64],
    /// Per body: the elements that carry it.
    elements: Arc<[BodyElements]>,
    /// The factor by which all of the budget is multiplied.
    pub scale: f64,
}

/// The error of a tool as a whole, in place of those of the joints that move it.
struct ToolStep {
    /// Places of these joints in the chain.
    joints: RangeInclusive<usize>,
    error: ElementError,
}

/// Where the reference point of a body is in relation to its elements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Levers<'l> {
    /// Bounds on its distances from the axes of its chain, metres.
    pub axis_distances: &'l [f64],
    /// Bound on its distance from the origin of the root, metres.
    pub root: f64,
    /// How far computed places can be off, metres.
    pub rounding: f64,
    /// Bound on its distance from the point of the tool that the body is or hangs on
    /// ([`Tubes::tool_on`]), metres.
    pub tool: f64,
    /// How far joints and tools may be off by what their segment says.
    pub tubes: &'l Tubes,
}

impl<'s> ErrorBounds<'s> {
    /// Bounds for a budget. `None`: only the tubes of segments count.
    pub fn new(scene: &'s Scene<'s>, uncertainty: Option<&'s Uncertainty>) -> Self {
        let bodies = 0..scene.cell.bodies.len();
        ErrorBounds {
            scene,
            joint: uncertainty.map_or(&[], |u| &u.joint),
            elements: bodies
                .map(|b| body_elements(scene, uncertainty, b))
                .collect(),
            scale: 1.0,
        }
    }

    /// The elements that count for a pair: all that its bodies do not have in common.
    pub fn counted_elements(&self, pair: &PartPair) -> CountedElements {
        let [a, b] = [pair.a, pair.b].map(|part| &self.scene.parts[part]);
        CountedElements {
            from_joint: pair.shared,
            model: a.joint != b.joint,
            root: self.elements[a.body].root != self.elements[b.body].root,
        }
    }

    /// The elements of [`Self::counted_elements`] for the first part of a pair, without the joints
    /// before `from_joint` and without the root. `None` where the root has an error: it cannot be
    /// left out then.
    pub fn counted_elements_from(
        &self,
        pair: &PartPair,
        from_joint: usize,
    ) -> Option<CountedElements> {
        let counts = self.counted_elements(pair);
        let row = &self.elements[self.scene.parts[pair.a].body];
        (!counts.root || row.root_error.is_none()).then_some(CountedElements {
            from_joint,
            root: false,
            ..counts
        })
    }

    /// Whether nothing but joints counts for a part of a pair.
    fn are_of_joints(&self, pair: &PartPair, part: usize) -> bool {
        let counts = self.counted_elements(pair);
        let row = &self.elements[self.scene.parts[part].body];
        row.mesh == 0.0
            && row.tools.is_empty()
            && (!counts.model || row.model.is_none())
            && (!counts.root || row.root_error.is_none())
    }

    /// How far a joint can be off, radians or metres.
    pub fn joint_error(&self, joint: JointId, tubes: &Tubes) -> f64 {
        self.scale * self.joint.get(joint).unwrap_or(&0.0) + tubes.of(joint)
    }

    /// Walks over the elements that count for a part of a pair, from the outermost inwards, with
    /// the levers of some point.
    fn walk(
        &self,
        part: usize,
        counts: CountedElements,
        levers: &Levers,
        tool_lever: impl Fn(&Vector3<f64>) -> f64,
        visit: impl FnMut(ErrorKind, ElementError),
    ) {
        let tool = self.tool_step_if_tighter(part, counts.from_joint, levers);
        self.walk_with(part, (counts, tool), levers, tool_lever, visit);
    }

    /// Like [`Self::walk`], with a given step for the tool. `None`: the joints that move it count
    /// one by one.
    fn walk_with(
        &self,
        part: usize,
        (counts, tool): (CountedElements, Option<ToolStep>),
        levers: &Levers,
        tool_lever: impl Fn(&Vector3<f64>) -> f64,
        mut visit: impl FnMut(ErrorKind, ElementError),
    ) {
        let what = &self.scene.parts[part];
        let row = &self.elements[what.body];
        let rigid = |error: &RigidError, lever: f64| ElementError {
            shift: self.scale * error.shift_m,
            turn: self.scale * error.turn_rad,
            lever,
        };
        if row.mesh != 0.0 {
            let shift = self.scale * row.mesh;
            visit(
                ErrorKind::Mesh,
                ElementError {
                    shift,
                    ..ElementError::default()
                },
            );
        }
        for (error, origin) in &row.tools {
            visit(
                ErrorKind::Tool,
                rigid(error, tool_lever(origin) + levers.rounding),
            );
        }
        if counts.model && !row.model.is_none() {
            let lever = tool_lever(&Vector3::zeros()) + levers.rounding;
            visit(ErrorKind::Model, rigid(&row.model, lever));
        }
        let chains = &self.scene.chains;
        let chain = chains.of(what.joint);
        for (k, &joint) in chain.iter().enumerate().skip(counts.from_joint).rev() {
            if let Some(ToolStep { joints, error }) = &tool
                && joints.contains(&k)
            {
                if k == *joints.end() {
                    visit(ErrorKind::Joint, *error);
                }
                continue;
            }
            let error = self.joint_error(joint, levers.tubes);
            if error == 0.0 {
                continue;
            }
            let step = if chains.is_prismatic(joint) {
                ElementError {
                    shift: error,
                    ..ElementError::default()
                }
            } else {
                ElementError {
                    shift: 0.0,
                    turn: error,
                    lever: levers.axis_distances[k] + levers.rounding,
                }
            };
            visit(ErrorKind::Joint, step);
        }
        if counts.root && !row.root_error.is_none() {
            let kind = match row.root {
                ErrorRoot::Standing(_) => ErrorKind::Obstacle,
                ErrorRoot::Robot(_) | ErrorRoot::Nothing => ErrorKind::Base,
            };
            visit(kind, rigid(&row.root_error, levers.root + levers.rounding));
        }
    }

    /// One step in place of those of the joints that move a tool, where the tube of the tool gives
    /// the smaller bound.
    fn tool_step_if_tighter(
        &self,
        part: usize,
        shared: usize,
        levers: &Levers,
    ) -> Option<ToolStep> {
        let step = self.tool_step(part, shared, levers)?;
        let what = &self.scene.parts[part];
        let chains = &self.scene.chains;
        let chain = chains.of(what.joint);
        let radius = what.bounding_radius;
        let by_joints: f64 = (step.joints.clone())
            .map(|k| {
                let lever = if chains.is_prismatic(chain[k]) {
                    1.0
                } else {
                    levers.axis_distances[k] + radius
                };
                levers.tubes.of(chain[k]) * lever
            })
            .sum();
        let ElementError { shift, turn, lever } = step.error;
        (shift + turn * (lever + radius) < by_joints).then_some(step)
    }

    /// The step of the tool as a whole, whether or not it gives the smaller bound: its frame is off
    /// by a rigid motion like that of any other element. `None` where the segment states no tube
    /// for the tool, or where its joints have a budget of their own: their levers would be those of
    /// an arm that is off already.
    fn tool_step(&self, part: usize, shared: usize, levers: &Levers) -> Option<ToolStep> {
        let chain = self.scene.chains.of(self.scene.parts[part].joint);
        let (tool, first, last) = levers.tubes.tool_on(chain, shared)?;
        let own = |&joint: &JointId| self.scale * self.joint.get(joint).unwrap_or(&0.0);
        if chain[first..=last].iter().any(|joint| own(joint) != 0.0) {
            return None;
        }
        Some(ToolStep {
            joints: first..=last,
            error: ElementError {
                shift: tool.shift,
                turn: tool.turn,
                lever: levers.tool + levers.rounding,
            },
        })
    }

    /// How far the points of a part can be off by what counts for a pair, seen from the frame that
    /// the pair shares; `levers` are those of the part's origin. It depends on nothing else of the
    /// pair.
    pub fn deviation(&self, counts: CountedElements, part: usize, levers: &Levers) -> ChordBound {
        let position = self.scene.parts[part].joint_from_part.translation;
        let mut deviation = ChordBound::default();
        let tool_lever = |origin: &Vector3<f64>| (position - origin).norm();
        self.walk(part, counts, levers, tool_lever, |_, step| {
            deviation.add_error(step)
        });
        deviation
    }

    /// How far the points of a part can be off, seen from the world: all elements count.
    pub fn deviation_in_world(&self, part: usize, levers: &Levers) -> ChordBound {
        let position = self.scene.parts[part].joint_from_part.translation;
        let mut deviation = ChordBound::default();
        let tool_lever = |origin: &Vector3<f64>| (position - origin).norm();
        let all = CountedElements {
            from_joint: 0,
            model: true,
            root: true,
        };
        self.walk(part, all, levers, tool_lever, |_, step| {
            deviation.add_error(step)
        });
        deviation
    }

    /// Where the origin of a part's root is, in the world.
    pub fn root_origin(&self, part: usize) -> &Vector3<f64> {
        &self.elements[self.scene.parts[part].body].root_origin
    }

    /// Distance of a world point from the point of the tool that a part is or hangs on, of those
    /// that joints beyond the first `shared` move, metres; 0 where there is none.
    pub fn tool_distance(
        &self,
        (part, shared): (usize, usize),
        snapshot: &Snapshot,
        point: &Vector3<f64>,
        tubes: &Tubes,
    ) -> f64 {
        let chain = self.scene.chains.of(self.scene.parts[part].joint);
        let Some((tool, ..)) = tubes.tool_on(chain, shared) else {
            return 0.0;
        };
        let at = snapshot.instant().pose(Some(tool.last)).apply(&tool.point);
        (at - point).norm()
    }

    /// Like [`Self::deviation`], at one instant. `tubes` as in [`Levers`].
    pub fn deviation_at(
        &self,
        pair: &PartPair,
        part: usize,
        snapshot: &mut Snapshot,
        tubes: &Tubes,
    ) -> ChordBound {
        let what = &self.scene.parts[part];
        let position = snapshot.part(self.scene, part).pose.translation;
        let size = position.norm() + what.offset + what.bounding_radius;
        let rounding = snapshot.rounding(size) + what.handover_error;
        let counts = self.counted_elements(pair);
        let tool = self.tool_distance((part, counts.from_joint), snapshot, &position, tubes);
        let levers = Levers {
            axis_distances: &snapshot.part(self.scene, part).axis_distances,
            root: (position - self.root_origin(part)).norm(),
            rounding,
            tool,
            tubes,
        };
        self.deviation(counts, part, &levers)
    }

    /// Where everything is at an instant of the trajectory, and what its segment says of errors.
    fn snapshot_at(&self, trajectory: &Trajectory, instant: MotionInstant) -> (Snapshot, Tubes) {
        let (mut snapshot, mut tubes) = (Snapshot::default(), Tubes::default());
        snapshot.set_at(self.scene, trajectory, instant);
        tubes.set(trajectory.segment_at(instant));
        (snapshot, tubes)
    }

    /// The distance that errors leave a pair at an instant of the trajectory, where its bodies
    /// are nearest, metres; negative where errors can use up more than there is. `None`: it is more
    /// than `distance`.
    pub fn distance_left(
        &self,
        trajectory: &Trajectory,
        pair: usize,
        instant: MotionInstant,
        distance: f64,
    ) -> Option<f64> {
        let (mut snapshot, tubes) = self.snapshot_at(trajectory, instant);
        let nearest = self.limiting_at_nearest(pair, &mut snapshot, &tubes, distance, &mut 0)?;
        Some(nearest.distance_left())
    }

    /// The effect of errors on a pair at an instant of the trajectory: where they leave the least,
    /// and how far each kind of error can bring the two points there together.
    pub fn effect(
        &self,
        trajectory: &Trajectory,
        pair: usize,
        instant: MotionInstant,
    ) -> Option<ErrorEffect> {
        let (mut snapshot, tubes) = self.snapshot_at(trajectory, instant);
        // What errors leave where the two are nearest is soon found, and bounds the look at the
        // rest.
        let nearest =
            self.limiting_at_nearest(pair, &mut snapshot, &tubes, f64::INFINITY, &mut 0)?;
        let limiting = self.limiting(pair, &mut snapshot, &tubes, nearest.distance_left());
        let limiting = limiting.unwrap_or(nearest);
        let part_pair = &self.scene.part_pairs[limiting.part_pair];
        let mut shares = ErrorShares::default();
        let points = PointErrors::new(self, part_pair, (&snapshot, None), &tubes);
        for (side, point) in limiting.points.iter().enumerate() {
            let mut deviation = ChordBound::default();
            points.walk(side, point, |kind, step| {
                let before = deviation.base;
                deviation.add_error(step);
                *shares.of_mut(kind) += deviation.base - before;
            });
        }
        let is_first = self.scene.parts[part_pair.a].body == self.scene.pairs[pair].a;
        let [a, b] = limiting.points;
        let n = (a - b).try_normalize(0.0).unwrap_or_default();
        let radius = |part: usize| self.scene.parts[part].tree.radius;
        let (a, b) = (a - n * radius(part_pair.a), b + n * radius(part_pair.b));
        Some(ErrorEffect {
            distance: limiting.distance,
            points: if is_first { [a, b] } else { [b, a] },
            shares,
        })
    }

    /// A bound on how far any point of a part can be off, by what counts for a pair, while it stays
    /// in these balls: `held[k]` lies in the moving frame of the k-th joint of its chain, counted
    /// from 1; `held[0]` in the world.
    pub fn deviation_within(&self, counts: CountedElements, part: usize, held: &[Ball]) -> f64 {
        let what = &self.scene.parts[part];
        let chain = self.scene.chains.of(what.joint);
        let farthest = |k: usize, joint: JointId| {
            let ball = &held[k + 1];
            let axis = self.scene.chains.axis(joint);
            ball.center.coords.cross(&axis).norm() + ball.radius
        };
        let axis_distances: AxisDistances = (chain.iter().enumerate())
            .map(|(k, &joint)| farthest(k, joint))
            .collect();
        let levers = Levers {
            axis_distances: &axis_distances,
            root: (held[0].center.coords - self.root_origin(part)).norm() + held[0].radius,
            rounding: 1e-9 * (1.0 + what.offset + what.bounding_radius) + what.handover_error,
            tool: 0.0,
            tubes: &Tubes::default(),
        };
        let position = what.joint_from_part.translation;
        let tool_lever = |origin: &Vector3<f64>| (position - origin).norm() + what.bounding_radius;
        let mut deviation = ChordBound::default();
        self.walk(part, counts, &levers, tool_lever, |_, step| {
            deviation.add_error(step)
        });
        deviation.base
    }
}

/// The greatest multiple up to `most` at which no more than `room` metres are used up.
pub fn greatest_scale(most: f64, room: f64, deviation: &mut dyn FnMut(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, most);
    // NaN does not fit: the comparison is false.
    let fits = |deviation: f64| deviation < room;
    if fits(deviation(high)) {
        return high;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if fits(deviation(middle)) {
            low = middle
        } else {
            high = middle
        }
    }
    low
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tool_tests;
