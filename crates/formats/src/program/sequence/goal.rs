//! Where an item of a sequence ends: its goal constraints.

use clearance_proof::model::moves::{Branch, Frame, Move, Target};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::super::goal_scene::says_nothing;
use super::super::node::{NodeKind, ProgramNode};
use super::super::ros::{at, finite, list, syntax};
use super::{Reader, Stopped, keys};
use crate::ImportError;

/// How far a quaternion's length may be from 1.
const UNIT: f64 = 1e-3;
/// A point at an offset leaves a line by less than 1e-12 of the offset when the tool turns by this.
const NO_TURN_RAD: f64 = 1e-6;
/// No place is farther away, metres.
const FARTHEST_M: f64 = 1e6;

/// Where an item ends.
pub(super) enum ItemGoal {
    /// Joint values in the order of the program's joints.
    Joints(Vec<f64>),
    /// A pose.
    Pose(Box<PoseGoal>),
}

/// A pose of a link.
pub(super) struct PoseGoal {
    /// In what it is stated.
    pub frame: Frame,
    /// The pose of `tool`.
    pub pose: Isometry3<f64>,
    /// The link.
    pub tool: Frame,
    /// The point of the link that comes to the stated place, in the link.
    pub offset: Vector3<f64>,
}

impl PoseGoal {
    /// As the target of a move of the tool.
    pub fn target(&self) -> Target {
        Target::Pose {
            frame: self.frame.clone(),
            frame_from_tool: self.pose,
            branch: Branch::Continued,
        }
    }

    /// Where the link is when the point at the offset comes to this place, turned as in the goal.
    pub fn place_of_link(&self, place: &Vector3<f64>) -> Vector3<f64> {
        place - self.pose.rotation * self.offset
    }

    /// Whether it is certain which point of the link follows the line or the arc from there. In
    /// earlier versions of the planner the link's origin does, in later ones the point at the
    /// offset. Where the tool does not turn, both are the same motion.
    pub fn has_one_path(&self, from: Option<&Move>) -> bool {
        let same_link = from.filter(|before| before.tool == self.tool);
        self.offset == Vector3::zeros()
            || same_link.is_some_and(|before| is_turned_alike(&before.target, &self.target()))
    }
}

/// Whether the tool certainly does not turn on a move to a pose.
pub(super) fn stays_turned(before: Option<&Move>, step: &Move) -> bool {
    before.is_some_and(|before| {
        before.tool == step.tool && is_turned_alike(&before.target, &step.target)
    })
}

/// Whether two targets are poses of one frame, turned alike.
fn is_turned_alike(a: &Target, b: &Target) -> bool {
    let turned = |target: &Target| match target {
        Target::Pose {
            frame,
            frame_from_tool,
            ..
        } => Some((frame.clone(), frame_from_tool.rotation)),
        Target::Joints(_) => None,
    };
    match (turned(a), turned(b)) {
        (Some((frame, a)), Some((other, b))) => frame == other && a.angle_to(&b) < NO_TURN_RAD,
        _ => false,
    }
}

impl Reader<'_> {
    pub(super) fn goal(&mut self, node: &ProgramNode) -> Result<ItemGoal, Stopped> {
        self.keys(node, "goal_constraints", &keys::CONSTRAINTS)?;
        let part = |key: &str| -> Result<&[ProgramNode], ImportError> {
            match node.get(key) {
                Some(_) => list(self.path, node, key),
                None => Ok(&[]),
            }
        };
        let (joints, positions, orientations) = (
            part("joint_constraints")?,
            part("position_constraints")?,
            part("orientation_constraints")?,
        );
        if !part("visibility_constraints")?.is_empty() {
            return self.unknown(node, "a goal with visibility constraints is not read");
        }
        match (joints, positions, orientations) {
            ([_, ..], [], []) => self.joint_goal(node, joints).map(ItemGoal::Joints),
            ([], [position], [orientation]) => self.pose_goal(position, orientation),
            _ => self.unknown(
                node,
                "a goal is joint values, or one position and one orientation",
            ),
        }
    }

    fn joint_goal(
        &mut self,
        node: &ProgramNode,
        joints: &[ProgramNode],
    ) -> Result<Vec<f64>, Stopped> {
        let mut stated: Vec<(String, f64)> = Vec::with_capacity(joints.len());
        for joint in joints {
            self.keys(joint, "joint_constraints", &keys::JOINT)?;
            let name = match joint.get("joint_name") {
                Some(name) => self.text(name)?,
                None => {
                    let problem = syntax("a joint without a name", "give `joint_name`");
                    return Err(at(self.path, joint, problem).into());
                }
            };
            let Some(position) = joint.get("position") else {
                let problem = syntax(format!("`{name}` has no position"), "give `position`");
                return Err(at(self.path, joint, problem).into());
            };
            let value = finite(self.path, position, &format!("`{name}`"))?;
            if stated.iter().any(|(known, _)| *known == name) {
                return self.unknown(joint, format!("`{name}` is stated twice"));
            }
            stated.push((name, value));
        }
        let names = || stated.iter().map(|(name, _)| name.clone()).collect();
        if self.joints.is_empty() {
            self.joints = names();
        }
        let is_known = |(name, _): &&(String, f64)| self.joints.contains(name);
        if let Some((name, _)) = stated.iter().find(|joint| !is_known(joint)) {
            let known = self.joints.join(", ");
            return self.unknown(
                node,
                format!("a goal for other joints than {known}: `{name}` has no value before it"),
            );
        }
        if self.moved.is_empty() {
            self.moved = names();
        }
        let of = |name: &String| {
            stated
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, value)| *value)
        };
        // A start names all joints of the robot, a goal those of its planning group: the others stay.
        let stays = |k: usize| self.start.as_ref().map(|start| start[k]);
        let values = self.joints.iter().enumerate();
        let values: Option<Vec<f64>> = values
            .map(|(k, name)| of(name).or_else(|| stays(k)))
            .collect();
        let same =
            stated.len() == self.moved.len() && self.moved.iter().all(|name| of(name).is_some());
        match values {
            Some(values) if same => Ok(values),
            _ => self.unknown(
                node,
                format!(
                    "a goal for other joints than {}: state a value for each of them",
                    self.moved.join(", ")
                ),
            ),
        }
    }

    fn pose_goal(
        &self,
        position: &ProgramNode,
        orientation: &ProgramNode,
    ) -> Result<ItemGoal, Stopped> {
        self.keys(orientation, "orientation_constraints", &keys::ORIENTATION)?;
        let (frame, place) = self.position(position)?;
        let link = self.link(position)?;
        if self.link(orientation)? != link || self.frame(orientation)? != frame {
            return self.unknown(
                orientation,
                "position and orientation of a goal are those of two links or in two frames",
            );
        }
        let Some(node) = orientation.get("orientation") else {
            let problem = syntax("an orientation without its numbers", "give `orientation`");
            return Err(at(self.path, orientation, problem).into());
        };
        self.keys(node, "orientation", &keys::QUATERNION)?;
        let part = |key: &str| match node.get(key) {
            Some(value) => finite(self.path, value, &format!("`{key}` of the orientation")),
            None => Ok(0.0),
        };
        let q = Quaternion::new(part("w")?, part("x")?, part("y")?, part("z")?);
        let is_unit = (q.norm() - 1.0).abs() < UNIT;
        if !is_unit {
            let problem = syntax("the quaternion is not of length 1", "look at its numbers");
            return Err(at(self.path, node, problem).into());
        }
        let offset = match position.get("target_point_offset") {
            Some(node) => self.vector(node)?,
            None => Vector3::zeros(),
        };
        let on = |link: String, place: Vector3<f64>| Frame {
            link,
            link_from_frame: Isometry3::translation(place.x, place.y, place.z),
        };
        Ok(ItemGoal::Pose(Box::new(PoseGoal {
            frame: on(frame, Vector3::zeros()),
            pose: Isometry3::from_parts(
                Translation3::from(place),
                UnitQuaternion::from_quaternion(q),
            ) * Translation3::from(-offset),
            tool: on(link, Vector3::zeros()),
            offset,
        })))
    }

    /// The frame of a position constraint, and its position.
    pub(super) fn position(&self, node: &ProgramNode) -> Result<(String, Vector3<f64>), Stopped> {
        self.keys(node, "position_constraints", &keys::POSITION)?;
        let region = node.get("constraint_region");
        if let Some(region) = region {
            self.keys(region, "constraint_region", &keys::REGION)?;
        }
        let poses = match region {
            Some(region) if region.get("primitive_poses").is_some() => {
                list(self.path, region, "primitive_poses")?
            }
            _ => &[],
        };
        let [pose] = poses else {
            return self.unknown(
                node,
                format!("a position with {} places, and not one", poses.len()),
            );
        };
        let meshes = region.and_then(|r| r.get("meshes"));
        if meshes.is_some_and(|m| !says_nothing(m)) {
            return self.unknown(node, "a position within a mesh is not read");
        }
        self.keys(pose, "primitive_poses", &keys::POSE)?;
        let Some(place) = pose.get("position") else {
            let problem = syntax("a place without its numbers", "give `position`");
            return Err(at(self.path, pose, problem).into());
        };
        Ok((self.frame(node)?, self.vector(place)?))
    }

    fn vector(&self, node: &ProgramNode) -> Result<Vector3<f64>, ImportError> {
        super::super::ros::keys(self.path, node, "a place", &["x", "y", "z"])?;
        let part = |key: &str| match node.get(key) {
            Some(value) => finite(self.path, value, &format!("`{key}` of the position")),
            None => Ok(0.0),
        };
        let place = Vector3::new(part("x")?, part("y")?, part("z")?);
        if place.amax() > FARTHEST_M {
            let problem = syntax("the place has a number that makes no sense", "give metres");
            return Err(at(self.path, node, problem));
        }
        Ok(place)
    }

    fn frame(&self, node: &ProgramNode) -> Result<String, Stopped> {
        let header = node.get("header");
        if let Some(header) = header {
            self.keys(header, "header", &keys::HEADER)?;
        }
        let frame = header.and_then(|header| header.get("frame_id"));
        match frame.map(|frame| (frame, &frame.kind)) {
            Some((_, NodeKind::Text(name))) if !name.is_empty() => Ok(name.clone()),
            other => self.unknown(
                other.map_or(node, |(frame, _)| frame),
                "a place whose frame is not stated: write a link into `header.frame_id`",
            ),
        }
    }

    fn link(&self, node: &ProgramNode) -> Result<String, Stopped> {
        match node.get("link_name").map(|name| &name.kind) {
            Some(NodeKind::Text(name)) if !name.is_empty() => Ok(name.clone()),
            _ => self.unknown(
                node,
                "a place of a link that is not named: write `link_name`",
            ),
        }
    }
}
