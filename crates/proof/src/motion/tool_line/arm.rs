//! Six joints from the world to a tool, and what one configuration of them is.

use nalgebra::{Isometry3, Matrix6, Vector3, Vector6};

use super::piece::{CurvePiece, SIX};
use crate::geometry::pose::Pose;
use crate::model::moves::Frame;
use crate::model::{Cell, JointId, JointKind, ToolTube};
use crate::motion::joint_poses::rotation;
use crate::numeric::POSITION_ROUNDING;

/// The six joints that move a tool, prepared. Joints between them that the program does not move
/// stand where the cell says.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// The joints, from the world outwards.
    pub joints: [JointId; SIX],
    /// Where each stands among the joints of the program.
    pub columns: [usize; SIX],
    /// Names, for reasons.
    pub names: [String; SIX],
    /// Least and greatest value that the URDF allows.
    pub limits: [Option<(f64, f64)>; SIX],
    /// Whether a joint slides.
    pub prismatic: [bool; SIX],
    /// Takes points of the root link to the world.
    pub world_from_root: Isometry3<f64>,
    links: [Link; SIX],
    tip: Pose,
    /// Sizes of the numbers beyond joint frames: rounding is relative to them.
    tip_size: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Link {
    /// From the moving frame of the joint before (or the world) to this joint's frame at value 0.
    before: Pose,
    axis: Vector3<f64>,
}

/// The arm at one configuration; everything in the world.
#[derive(Debug, Clone, Copy)]
pub struct Posture {
    /// Where the tool is.
    pub tool: Pose,
    /// Axis directions.
    pub axis: [Vector3<f64>; SIX],
    /// A point of each axis.
    pub origin: [Vector3<f64>; SIX],
    /// Greatest distance of any of these points from the world's origin, metres.
    pub size: f64,
}

impl Arm {
    /// The arm that moves `tool`. `joints` are those of the program.
    ///
    /// # Errors
    /// The reason why there is none: a link that the cell lacks, another number of joints than six,
    /// joints that follow others.
    pub fn new(cell: &Cell, joints: &[JointId], tool: &Frame) -> Result<Self, String> {
        let body = link(cell, &tool.link, joints)?;
        let mut chain = Vec::new();
        let mut next = cell.bodies[body].joint;
        while let Some(joint) = next {
            chain.push(joint);
            next = cell.joints[joint].parent;
        }
        chain.reverse();
        if let Some(&follows) = chain.iter().find(|&&j| cell.joints[j].mimic.is_some()) {
            return Err(format!(
                "`{}` follows another joint; straight lines of the tool need six joints of their own",
                cell.joint_label(follows)
            ));
        }
        let (mut links, mut moving) = (Vec::new(), Vec::new());
        let mut before = Isometry3::identity();
        let mut sizes = 0.0;
        for &joint in &chain {
            let it = &cell.joints[joint];
            sizes += it.parent_from_joint.translation.vector.norm();
            before *= it.parent_from_joint;
            if let Some(column) = joints.iter().position(|&j| j == joint) {
                links.push(Link {
                    before: Pose::from(&before),
                    axis: it.axis.into_inner(),
                });
                moving.push((joint, column));
                before = Isometry3::identity();
            } else {
                before *= it.motion(cell.rest[joint]);
            }
        }
        let tip = before * cell.bodies[body].joint_from_body * tool.link_from_frame;
        let (Ok(links), Ok(moving)) = (
            <[Link; SIX]>::try_from(links),
            <[(JointId, usize); SIX]>::try_from(moving.clone()),
        ) else {
            return Err(format!(
                "{} of the program's joints move `{}`; a pose decides six, so give joint values for each point and joint \
                 moves between them",
                moving.len(),
                tool.link
            ));
        };
        let of = |k: usize| &cell.joints[moving[k].0];
        let robot = of(0).robot;
        let root = cell.bodies.iter().find(|b| {
            b.joint.is_none()
                && matches!(b.role, crate::model::Role::Link { robot: r } if r == robot)
        });
        Ok(Arm {
            joints: std::array::from_fn(|k| moving[k].0),
            columns: std::array::from_fn(|k| moving[k].1),
            names: std::array::from_fn(|k| cell.joint_label(moving[k].0)),
            limits: std::array::from_fn(|k| match of(k).kind {
                JointKind::Continuous => None,
                JointKind::Revolute | JointKind::Prismatic => of(k).limits.position,
            }),
            prismatic: std::array::from_fn(|k| of(k).kind == JointKind::Prismatic),
            world_from_root: root.map_or_else(Isometry3::identity, |b| b.joint_from_body),
            links,
            tip: Pose::from(&tip),
            tip_size: sizes + tip.translation.vector.norm(),
        })
    }

    /// The arm at these values.
    pub fn at(&self, q: &Vector6<f64>) -> Posture {
        let mut pose = Pose::identity();
        let mut axis = [Vector3::zeros(); SIX];
        let mut origin = axis;
        // The root is taken once, of the greatest square.
        let (mut slid, mut far) = (0.0, 0.0_f64);
        for (k, link) in self.links.iter().enumerate() {
            pose = pose.compose(&link.before);
            axis[k] = pose.rotation * link.axis;
            origin[k] = pose.translation;
            if self.prismatic[k] {
                pose.translation += axis[k] * q[k];
                slid += q[k].abs();
            } else {
                pose.rotation *= rotation(&link.axis, q[k]);
            }
            far = far.max(pose.translation.norm_squared());
        }
        let tool = pose.compose(&self.tip);
        Posture {
            tool,
            axis,
            origin,
            size: self
                .tip_size
                .max(far.max(tool.translation.norm_squared()).sqrt())
                + slid,
        }
    }

    /// The bound that a piece of a curve gives for the tool itself; `None` where its joint values
    /// already say as much.
    pub fn tool_tube(&self, piece: &CurvePiece) -> Option<ToolTube> {
        let [shift, turn] = piece.tool?;
        Some(ToolTube {
            first: self.joints[0],
            last: self.joints[SIX - 1],
            point: self.tip.translation,
            shift,
            turn,
        })
    }

    /// The Jacobian: how the tool moves with each joint, per radian or metre. Three rows of
    /// position, three of turning.
    pub fn jacobian(&self, at: &Posture) -> Matrix6<f64> {
        let mut j = Matrix6::zeros();
        for k in 0..SIX {
            let (linear, turning) = if self.prismatic[k] {
                (at.axis[k], Vector3::zeros())
            } else {
                (
                    at.axis[k].cross(&(at.tool.translation - at.origin[k])),
                    at.axis[k],
                )
            };
            j.fixed_view_mut::<3, 1>(0, k).copy_from(&linear);
            j.fixed_view_mut::<3, 1>(3, k).copy_from(&turning);
        }
        j
    }

    /// Length of what joint `k` moves the tool's point by, per radian or metre.
    pub fn lever(&self, at: &Posture, k: usize) -> f64 {
        if self.prismatic[k] {
            1.0
        } else {
            at.axis[k]
                .cross(&(at.tool.translation - at.origin[k]))
                .norm()
        }
    }

    /// Upper bound on that lever for a joint that turns, over all joint values between these two,
    /// metres.
    pub fn longest_lever(&self, k: usize, between: [&Vector6<f64>; 2]) -> f64 {
        let beyond = (k + 1..SIX).map(|m| {
            let slid = if self.prismatic[m] {
                between[0][m].abs().max(between[1][m].abs())
            } else {
                0.0
            };
            self.links[m].before.translation.norm() + slid
        });
        beyond.sum::<f64>() + self.tip.translation.norm()
    }

    /// How far a computed place of the tool can be off by rounding, metres; and its orientation,
    /// radians.
    ///
    /// Positions: [`POSITION_ROUNDING`] of the size of the numbers, which holds for chains of up to
    /// 95 joints. Orientations: six joints and the tip, each fewer than 40 roundings of numbers up
    /// to 1 (see there).
    pub fn rounding(at: &Posture) -> (f64, f64) {
        (2.0 * POSITION_ROUNDING * at.size, POSITION_ROUNDING)
    }
}

/// The body of a link: by its full name, or by its bare name on the robot whose joints these are.
pub(crate) fn link(cell: &Cell, name: &str, joints: &[JointId]) -> Result<usize, String> {
    let robot = joints.first().map(|&j| cell.joints[j].robot);
    let prefix = robot
        .and_then(|r| cell.robots.get(r))
        .map_or("", |r| r.name.as_str());
    cell.body(&format!("{prefix}/{name}"))
        .or_else(|| cell.body(name))
        .ok_or_else(|| format!("the cell has no link `{name}`"))
}
