//! What carries the tools of moves, and how the frames of a cell hang on the joints of its arm.

use crate::model::moves::Frame;
use crate::model::{Cell, JointId, JointKind, RigidError, Trajectory};
use crate::motion::tool_line::{Arm, FramesOff, link};

/// What carries the tool of some moves.
pub(super) struct Carrier {
    pub(super) link: String,
    /// The joint whose frame the tool hangs on.
    pub(super) joint: JointId,
    /// The arm with that frame as its tool.
    pub(super) arm: Arm,
}

/// What the frames of an arm may be off.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Worst {
    /// While poses are driven to.
    pub(super) to_poses: FramesOff,
    /// While joints are.
    pub(super) to_joints: FramesOff,
}

impl Worst {
    pub(super) fn max(self, other: &Worst) -> Self {
        Worst {
            to_poses: self.to_poses.max(&other.to_poses),
            to_joints: self.to_joints.max(&other.to_joints),
        }
    }
}

impl Carrier {
    pub(super) fn new(cell: &Cell, columns: &[JointId], link_name: &str) -> Option<Self> {
        let body = link(cell, link_name, columns).ok()?;
        let carrier = Frame {
            link: link_name.to_owned(),
            link_from_frame: cell.bodies[body].joint_from_body.inverse(),
        };
        Some(Carrier {
            link: link_name.to_owned(),
            joint: cell.bodies[body].joint?,
            arm: Arm::new(cell, columns, &carrier).ok()?,
        })
    }

    /// The joints from this one inwards, each with the distance of its frame from that of this one,
    /// metres, at most.
    fn chain<'c>(
        &self,
        cell: &'c Cell,
        joint: JointId,
    ) -> impl Iterator<Item = (JointId, f64)> + use<'c> {
        let parent = |&(at, distance): &(JointId, f64)| {
            let it = &cell.joints[at];
            let length = it.parent_from_joint.translation.vector.norm() + slide(cell, at);
            Some((it.parent?, (distance + length) * (1.0 + 1e-9)))
        };
        std::iter::successors(Some((joint, 0.0)), parent)
    }

    /// Which of the arm's joints this one is.
    fn place(&self, joint: JointId) -> Option<usize> {
        self.arm.joints.iter().position(|&own| own == joint)
    }

    /// How far the frame of a joint of the cell may be off.
    pub(super) fn off_of(&self, cell: &Cell, joint: JointId, worst: &Worst) -> RigidError {
        let mut hangs_on_tool = false;
        let mut followed = RigidError::default();
        for (at, distance) in self.chain(cell, joint) {
            hangs_on_tool |= at == self.joint;
            let off = if hangs_on_tool {
                worst.to_joints
            } else {
                worst.to_joints.max(&worst.to_poses)
            };
            if let Some(k) = self.place(at) {
                return off.frames[k].at_distance(distance).and(followed);
            }
            let it = &cell.joints[at];
            let mimic = it.mimic.map(|m| (m.multiplier.abs(), self.place(m.source)));
            if let Some((factor, Some(k))) = mimic {
                let by = factor * off.joints[k];
                followed = followed.and(match it.kind {
                    JointKind::Prismatic => RigidError {
                        shift_m: by,
                        turn_rad: 0.0,
                    },
                    JointKind::Revolute | JointKind::Continuous => RigidError {
                        shift_m: by * distance,
                        turn_rad: by,
                    },
                });
            }
        }
        followed
    }

    /// The same where nothing is known of the joints: no frame gets farther from the root of its
    /// chain than that is long.
    pub(super) fn reach_of(&self, cell: &Cell, joint: JointId) -> RigidError {
        let moved = |at: JointId| {
            let source = cell.joints[at].mimic.map_or(at, |mimic| mimic.source);
            self.place(source).is_some()
        };
        if !self.chain(cell, joint).any(|(at, _)| moved(at)) {
            return RigidError::default();
        }
        let last = self.chain(cell, joint).last();
        let length = last.map_or(0.0, |(root, distance)| distance + slide(cell, root));
        RigidError {
            shift_m: 2.0 * length,
            turn_rad: std::f64::consts::PI,
        }
    }
}

/// How far a joint slides from where its value is 0, metres, at most.
fn slide(cell: &Cell, joint: JointId) -> f64 {
    let it = &cell.joints[joint];
    if it.kind != JointKind::Prismatic {
        return 0.0;
    }
    let own = |joint: JointId| {
        let limits = cell.joints[joint].limits.position;
        limits.map_or(Trajectory::FARTHEST_M, |(least, greatest)| {
            least.abs().max(greatest.abs()).max(cell.rest[joint].abs())
        })
    };
    match it.mimic {
        Some(m) => m.multiplier.abs() * own(m.source) + m.offset.abs(),
        None => own(joint),
    }
}
