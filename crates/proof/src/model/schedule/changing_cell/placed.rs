//! How well the place of a body is known that events hand over.

use nalgebra::Isometry3;

use super::ChangingCell;
use crate::model::{BodyId, Event, EventChange, JointId, RigidError, Role, Segment, ToolTube};
use crate::report::{Code, Diagnostic, Location, Severity};

/// The joints at an instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JointState {
    /// Their values, radians or metres.
    pub q: Vec<f64>,
    /// How far each of them can be off by rounding.
    pub value_roundings: Vec<f64>,
    /// Bounds for tools that hold in addition.
    pub(crate) tools: Vec<ToolTube>,
}

impl JointState {
    /// At a share of a segment.
    pub fn new(segment: &Segment, s: f64) -> Self {
        let mut q = Vec::new();
        segment.configuration(s, &mut q);
        let value_roundings = (0..q.len()).map(|j| segment.value_rounding(j)).collect();
        let tools = segment.tool_tubes().to_vec();
        JointState {
            q,
            value_roundings,
            tools,
        }
    }

    /// How far one of them can be off.
    fn value_rounding(&self, joint: JointId) -> f64 {
        self.value_roundings.get(joint).copied().unwrap_or(0.0)
    }
}

impl ChangingCell {
    /// Says that an event makes a body's place less certain: what is far from it may stay undecided
    /// then, and no distance says why.
    pub(super) fn warn_if_uncertain(&mut self, body: BodyId, before: RigidError, event: &Event) {
        let error = self.handover_errors[body];
        let shift = error.shift_m - before.shift_m;
        let turn = error.turn_rad - before.turn_rad;
        if shift < UNCERTAIN_M && turn < UNCERTAIN_RAD {
            return;
        }
        let pose = match event.change {
            EventChange::Attach { .. } => "state its `pose` on the link, ",
            _ => "",
        };
        self.remarks.push(Diagnostic {
            code: Code::ToolOrientation,
            severity: Severity::Notice,
            subject: self.cell.bodies[body].name.clone(),
            place: Some(Location::at(&event.file, event.line, None)),
            message: format!(
                "the joints are known loosely at this event, as the tool turns on the move that follows or on which it happens: from then on \
                 the place of the body is known to {:.1} mm and {:.1}° only, which may leave pairs undecided; {pose}move the event to \
                 a point behind which the tool does not turn, or state a narrower --orientation-tube",
                error.shift_m * 1e3,
                error.turn_rad.to_degrees()
            ),
        });
    }

    /// A body that is taken or put down stays where it really is: that place is off by what has
    /// brought it there, and from then on against the link that takes it also by what that one is
    /// off.
    pub(super) fn keep_errors(
        &mut self,
        body: BodyId,
        parent: Option<BodyId>,
        world_from_joint: &[Isometry3<f64>],
    ) {
        let Some(budget) = &self.cell.uncertainty else {
            return;
        };
        let error = budget.error_of_body_pose(&self.cell, world_from_joint, body);
        let Some(link) = parent else {
            if let Some(budget) = &mut self.cell.uncertainty {
                budget.obstacle[body] = error;
            }
            return;
        };
        // Of the link, where the body is: as if the body hung on it without an error of its own.
        let mut held = self.cell.clone();
        let joint = held.bodies[link].joint;
        let carrier = joint.map_or(Isometry3::identity(), |j| world_from_joint[j]);
        let pose = self.cell.body_pose(world_from_joint, body);
        held.bodies[body].joint_from_body = carrier.inverse() * pose;
        held.bodies[body].joint = joint;
        held.bodies[body].parent = Some(link);
        held.bodies[body].role = Role::Attached;
        if let Some(budget) = &mut held.uncertainty {
            budget.tool[body] = RigidError::default();
        }
        let of_link = held
            .uncertainty
            .as_ref()
            .map(|budget| budget.error_of_body_pose(&held, world_from_joint, body));
        if let Some(budget) = &mut self.cell.uncertainty {
            budget.tool[body] = error.and(of_link.unwrap_or_default());
        }
    }

    /// Adds what a body is off because joints are, as an event hands it over from one chain to
    /// another.
    pub(super) fn add_handover_errors(
        &mut self,
        body: BodyId,
        chains: [Option<JointId>; 2],
        joints: &JointState,
        at: &HandoverPose,
        put: Option<&PutOnLink>,
    ) {
        let [before, after] = chains.map(|j| self.error_by_joints(j, joints, at));
        let by_joints = &mut self.handover_errors_by_joints[body];
        *by_joints = by_joints.and(before.and(after));
        let own = self.handover_errors[body];
        self.handover_errors[body] = if let Some(put) = put {
            put.error_of(body, own, at.body)
        } else {
            let [before, after] = chains.map(|j| self.error_by_chain(j, joints, at));
            own.and(before.and(after))
        };
    }

    /// How far a body is off that stands in the world, as seen from a joint whose chain is off, or
    /// that hangs on that joint, as seen from the world: by the sum of what the joints are off. Its
    /// origin is no farther from an axis than `sizes`, and the turn is no greater than the sum.
    pub(super) fn error_by_joints(
        &self,
        joint: Option<JointId>,
        joints: &JointState,
        at: &HandoverPose,
    ) -> RigidError {
        at.error_of_sum(self.chain(joint).map(|j| joints.value_rounding(j)).sum())
    }

    /// The same, or what the tool on this chain is off, if that is less.
    ///
    /// The frames of a chain are taken into account one by one, the others being where they are
    /// computed: what one frame is off moves the body by no more than it does there, for all that
    /// comes after is rigid. So the joints beside the tool's own count as before, and the tool as a
    /// whole: its point is off by `shift`, and the body, at a distance r from it, by r times the
    /// turn more. Seen from the tool or from the world, that is the same.
    pub(super) fn error_by_chain(
        &self,
        joint: Option<JointId>,
        joints: &JointState,
        at: &HandoverPose,
    ) -> RigidError {
        let by_joints = self.error_by_joints(joint, joints, at);
        let chain: Vec<JointId> = self.chain(joint).collect();
        // From the outermost joint inwards.
        let of_tool = |tool: &ToolTube| {
            let index = |joint: JointId| chain.iter().position(|&j| j == joint);
            let (last, first) = (index(tool.last)?, index(tool.first)?);
            let beside = chain.iter().enumerate();
            let beside = beside.filter(|(k, _)| !(last..=first).contains(k));
            let sum = beside.map(|(_, &j)| joints.value_rounding(j)).sum();
            let point = at.world_from_joint[tool.last] * nalgebra::Point3::from(tool.point);
            let distance = (point.coords - at.body.translation.vector).norm();
            Some(at.error_of_sum(sum).and(RigidError {
                shift_m: tool.shift + tool.turn * distance,
                turn_rad: tool.turn,
            }))
        };
        let least = |a: RigidError, b: RigidError| RigidError {
            shift_m: a.shift_m.min(b.shift_m),
            turn_rad: a.turn_rad.min(b.turn_rad),
        };
        joints
            .tools
            .iter()
            .filter_map(of_tool)
            .fold(by_joints, least)
    }

    /// A joint and those that carry it, from it inwards.
    fn chain(&self, joint: Option<JointId>) -> impl Iterator<Item = JointId> {
        std::iter::successors(joint, |&j| self.cell.joints[j].parent)
    }
}

/// Where a body is that an event hands over.
pub(super) struct HandoverPose<'p> {
    pub(super) world_from_joint: &'p [Isometry3<f64>],
    /// In the world.
    pub(super) body: &'p Isometry3<f64>,
    /// Bound on the distance of its origin from the axes of all chains, metres.
    pub(super) sizes: f64,
}

/// A body that an event puts elsewhere, where it is stated to be on a link.
pub(super) struct PutOnLink {
    pub(super) body: BodyId,
    /// In the world, as that of the link.
    pub(super) pose: Isometry3<f64>,
    /// Its handover error until then.
    pub(super) error: RigidError,
    pub(super) link: Option<Isometry3<f64>>,
    pub(super) link_error: RigidError,
}

impl PutOnLink {
    /// The handover error of the body or of one that hangs on it, there in the world, whose own
    /// was `before`: the body is where it is stated to be on the link, wherever that one is, and
    /// what hangs on it keeps its place beside it.
    pub(super) fn error_of(
        &self,
        body: BodyId,
        before: RigidError,
        pose: &Isometry3<f64>,
    ) -> RigidError {
        let from =
            |other: &Isometry3<f64>| (pose.translation.vector - other.translation.vector).norm();
        let by_link = self
            .link_error
            .at_distance(self.link.as_ref().map_or(0.0, from));
        if body == self.body {
            by_link
        } else {
            before
                .and(self.error.at_distance(from(&self.pose)))
                .and(by_link)
        }
    }
}

impl HandoverPose<'_> {
    /// By joints that are off by so much together.
    fn error_of_sum(&self, sum: f64) -> RigidError {
        let error = sum * (1.0 + self.sizes);
        RigidError {
            shift_m: error,
            turn_rad: error,
        }
    }
}

/// Where an event makes a place less certain by so much, it is told, metres and radians.
const UNCERTAIN_M: f64 = 1e-3;
const UNCERTAIN_RAD: f64 = 1e-2;
