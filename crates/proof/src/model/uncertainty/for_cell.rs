//! Budgets of error for a cell: none, the usual ones, and what they come to at a place.

use nalgebra::Isometry3;

use super::{RigidError, Uncertainty};
use crate::model::{BodyId, Cell, JointId, JointKind, Role};
use crate::numeric::ROUND_UP_FAR;

impl Uncertainty {
    /// No error at all, for a cell.
    pub fn none(cell: &Cell) -> Self {
        Uncertainty {
            base: vec![RigidError::default(); cell.robots.len()],
            tool: vec![RigidError::default(); cell.bodies.len()],
            joint: vec![0.0; cell.joints.len()],
            model: vec![RigidError::default(); cell.joints.len()],
            obstacle: vec![RigidError::default(); cell.bodies.len()],
            mesh: vec![0.0; cell.bodies.len()],
        }
    }

    /// The budget that is asked about where nobody states one: 1 mm and 0.1° for every base, tool
    /// and obstacle, and 0.05° for every turning, 0.5 mm for every sliding joint.
    pub fn usual(cell: &Cell) -> Self {
        let rigid = RigidError {
            shift_m: 1e-3,
            turn_rad: 0.1_f64.to_radians(),
        };
        let mut usual = Uncertainty::none(cell);
        usual.base.fill(rigid);
        for (id, body) in cell.bodies.iter().enumerate() {
            match body.role {
                Role::Attached => usual.tool[id] = rigid,
                Role::Obstacle => usual.obstacle[id] = rigid,
                Role::Link { .. } => {}
            }
        }
        for (id, joint) in cell.joints.iter().enumerate() {
            usual.joint[id] = match joint.kind {
                JointKind::Prismatic => 5e-4,
                JointKind::Revolute | JointKind::Continuous => 0.05_f64.to_radians(),
            };
        }
        usual.set_mimic_errors(cell);
        usual
    }

    /// How far the place of a body in the world may be off while the joints stand so (see
    /// [`Cell::forward`]): its origin, and its turn. What is put down or taken keeps the error of
    /// its place from then on.
    pub fn error_of_body_pose(
        &self,
        cell: &Cell,
        world_from_joint: &[Isometry3<f64>],
        body: BodyId,
    ) -> RigidError {
        let origin = cell.body_pose(world_from_joint, body).translation.vector;
        let mut sum = RigidError::default();
        let mut add_error = |error: RigidError, lever: f64| {
            // See `motion/deviation.rs`: the origin is a point like any other.
            let arm = error.turn_rad * lever;
            sum.shift_m = (sum.shift_m + error.shift_m + arm) * ROUND_UP_FAR;
            sum.turn_rad = (sum.turn_rad + error.turn_rad) * ROUND_UP_FAR;
        };
        let mut at = body;
        while cell.bodies[at].role == Role::Attached {
            let frame = cell.body_pose(world_from_joint, at).translation.vector;
            add_error(self.tool[at], (origin - frame).norm());
            match cell.bodies[at].parent {
                Some(parent) => at = parent,
                None => break,
            }
        }
        let parent = |&joint: &JointId| cell.joints[joint].parent;
        if let Some(joint) = cell.bodies[body].joint {
            let frame = world_from_joint[joint].translation.vector;
            add_error(self.model[joint], (origin - frame).norm());
        }
        for joint in std::iter::successors(cell.bodies[body].joint, parent) {
            let pose = &world_from_joint[joint];
            let axis = pose.rotation * cell.joints[joint].axis.into_inner();
            let from_axis = (origin - pose.translation.vector).cross(&axis).norm();
            let error = self.joint[joint];
            let error = match cell.joints[joint].kind {
                JointKind::Prismatic => RigidError {
                    shift_m: error,
                    turn_rad: 0.0,
                },
                JointKind::Revolute | JointKind::Continuous => RigidError {
                    shift_m: 0.0,
                    turn_rad: error,
                },
            };
            add_error(error, from_axis);
        }
        match cell.bodies[at].role {
            Role::Link { robot } => {
                let base = cell.robots[robot].world_from_base.translation.vector;
                add_error(self.base[robot], (origin - base).norm());
            }
            Role::Obstacle => {
                let frame = cell.bodies[at].joint_from_body.translation.vector;
                add_error(self.obstacle[at], (origin - frame).norm());
            }
            Role::Attached => {}
        }
        sum
    }

    /// A joint that follows another one is off by what that one is, times its factor, beside any
    /// error of its own gear.
    fn set_mimic_errors(&mut self, cell: &Cell) {
        let leader = |id: JointId| cell.joints[id].mimic;
        for id in 0..self.joint.len() {
            if let Some(mimic) = leader(id) {
                self.joint[id] = mimic.multiplier.abs() * self.joint[mimic.source];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Vector3};

    use super::*;
    use crate::model::{Joint, Mimic};

    #[test]
    fn a_follower_is_off_by_its_factor_times_its_leader() {
        let mut cell = Cell::with_one_robot();
        let lead = Joint::revolute("lead", None, Isometry3::identity(), Vector3::z_axis());
        let follow = Joint {
            mimic: Some(Mimic {
                source: 0,
                multiplier: -3.0,
                offset: 1.0,
            }),
            ..Joint::prismatic("follow", Some(0), Isometry3::identity(), Vector3::x_axis())
        };
        cell.add_joint(lead);
        cell.add_joint(follow);
        let mut uncertainty = Uncertainty::none(&cell);
        assert!(uncertainty.is_none());
        uncertainty.joint[0] = 0.01;
        uncertainty.set_mimic_errors(&cell);
        assert_eq!(uncertainty.joint, [0.01, 0.03]);
        assert!(!uncertainty.is_none());
    }
}
