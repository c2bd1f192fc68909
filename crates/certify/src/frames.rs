//! Budgets of error as a geometry file has them: frames that stand, and may be off, between what
//! moves and what hangs on it.
//!
//! From the world outwards a body hangs on the base of its robot, the joints, the frame of its last
//! joint against the model of the arm, and the tools that carry it; or on its place in the world.
//! Frames that two bodies have in common are one frame of the file, so the checker leaves their
//! errors out. All frames are parallel to what they stand in: their errors have any direction.

use clearance_proof::model::{BodyId, Cell, JointId, RigidError, Role, Uncertainty};
use nalgebra::Vector3;

use crate::CertifyError;
use crate::integers::{length_up, point};

/// A joint of the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FileJoint {
    /// One of the cell.
    Moves {
        joint: JointId,
        /// The frame of its robot's base, if that may be off.
        base: Option<usize>,
    },
    /// A frame.
    Stands(UncertainFrame),
}

/// A frame that may be off.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UncertainFrame {
    pub(crate) name: String,
    /// The joint of the file that it stands in; `None`: the world.
    pub(crate) parent: Option<usize>,
    /// Its origin there, 2⁻⁴⁰ m.
    pub(crate) at: [i64; 3],
    pub(crate) error: RigidError,
}

/// The last frame that a body hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hang {
    /// Joint of the file.
    pub(crate) joint: Option<usize>,
    /// Its origin in the moving frame of the body's joint, or in the world; 2⁻⁴⁰ m.
    pub(crate) origin: [i64; 3],
}

/// All joints of a file.
#[derive(Debug, Default)]
pub(crate) struct FileJoints {
    pub(crate) all: Vec<FileJoint>,
    /// Which of them a joint of the cell is.
    of_joint: Vec<usize>,
    /// Which of them the base of a robot is.
    of_base: Vec<Option<usize>>,
}

impl FileJoints {
    /// Bases of robots that may be off, and the joints of a cell.
    pub(crate) fn new(cell: &Cell) -> Result<Self, CertifyError> {
        let mut joints = FileJoints::default();
        for (id, robot) in cell.robots.iter().enumerate() {
            let base = cell.allowed_errors().map(|u| u.base[id]);
            let base = base.filter(|error| !error.is_none());
            let base = base.map(|error| {
                let name = match robot.name.as_str() {
                    "" => "base".to_owned(),
                    name => format!("base of {name}"),
                };
                let at = point(&robot.world_from_base.translation.vector)?;
                Ok::<_, CertifyError>(joints.frame(name, None, at, error))
            });
            let base = base.transpose()?;
            joints.of_base.push(base);
        }
        for (joint, is) in cell.joints.iter().enumerate() {
            let base = match is.parent {
                None => joints.of_base.get(is.robot).copied().flatten(),
                Some(_) => None,
            };
            joints.of_joint.push(joints.all.len());
            joints.all.push(FileJoint::Moves { joint, base });
        }
        Ok(joints)
    }

    /// The joint of the file that a joint of the cell is.
    pub(crate) fn of(&self, joint: JointId) -> usize {
        self.of_joint[joint]
    }

    /// The origin of the base frame with this number, 2⁻⁴⁰ m.
    pub(crate) fn origin(&self, base: usize) -> [i64; 3] {
        match &self.all[base] {
            FileJoint::Stands(frame) => frame.at,
            FileJoint::Moves { .. } => [0; 3],
        }
    }

    /// Where a body of a cell hangs. `by_events`: what its place is off because joints, known within
    /// a tolerance only, were off as events handed it over.
    pub(crate) fn hang(
        &mut self,
        cell: &Cell,
        body: BodyId,
        by_events: RigidError,
    ) -> Result<Hang, CertifyError> {
        let joint = cell.bodies[body].joint;
        let mut hang = Hang {
            joint: joint.map(|joint| self.of(joint)),
            origin: [0; 3],
        };
        let Some(budget) = cell.allowed_errors() else {
            self.hang_on_body(&mut hang, cell, body, by_events)?;
            return Ok(hang);
        };
        // One frame takes in both: the checker asks one for what its body is off.
        let own = |of: BodyId, error: RigidError| {
            if of == body {
                error.and(by_events)
            } else {
                error
            }
        };
        let (root, tools) = carriers(cell, body);
        match (joint, cell.bodies[root].role) {
            (Some(joint), _) => {
                let name = format!("{} as it is built", cell.joint_label(joint));
                self.hang_on(&mut hang, name, &Vector3::zeros(), budget.model[joint])?;
            }
            (None, Role::Link { robot }) => {
                if let Some(base) = self.of_base.get(robot).copied().flatten() {
                    hang.joint = Some(base);
                    hang.origin = self.origin(base);
                }
            }
            (None, Role::Obstacle) => {
                self.hang_on_body(&mut hang, cell, root, own(root, budget.obstacle[root]))?
            }
            (None, Role::Attached) => (),
        }
        for tool in tools.into_iter().rev() {
            self.hang_on_body(&mut hang, cell, tool, own(tool, budget.tool[tool]))?;
        }
        Ok(hang)
    }

    fn hang_on_body(
        &mut self,
        hang: &mut Hang,
        cell: &Cell,
        body: BodyId,
        error: RigidError,
    ) -> Result<(), CertifyError> {
        let is = &cell.bodies[body];
        let name = format!("place of {}", is.name);
        self.hang_on(hang, name, &is.joint_from_body.translation.vector, error)
    }

    /// Puts a frame at the end of a row, unless it cannot be off.
    fn hang_on(
        &mut self,
        hang: &mut Hang,
        name: String,
        origin: &Vector3<f64>,
        error: RigidError,
    ) -> Result<(), CertifyError> {
        if error.is_none() {
            return Ok(());
        }
        let origin = point(origin)?;
        let at = [0, 1, 2].map(|k| origin[k] - hang.origin[k]);
        let joint = Some(self.frame(name, hang.joint, at, error));
        *hang = Hang { joint, origin };
        Ok(())
    }

    /// The number of a frame, which is there once.
    fn frame(
        &mut self,
        name: String,
        parent: Option<usize>,
        at: [i64; 3],
        error: RigidError,
    ) -> usize {
        let frame = FileJoint::Stands(UncertainFrame {
            name,
            parent,
            at,
            error,
        });
        let known = self.all.iter().position(|joint| *joint == frame);
        known.unwrap_or_else(|| {
            self.all.push(frame);
            self.all.len() - 1
        })
    }
}

/// What a body is carried by without a joint: the link or obstacle at the end, and the attached
/// bodies from the body inwards, itself included.
fn carriers(cell: &Cell, body: BodyId) -> (BodyId, Vec<BodyId>) {
    let (mut at, mut tools) = (body, Vec::new());
    while cell.bodies[at].role == Role::Attached && !tools.contains(&at) {
        tools.push(at);
        at = cell.bodies[at].parent.unwrap_or(at);
    }
    (at, tools)
}

/// An error as a line of the file has it: a shift and a turn.
pub(crate) fn error_line(error: &RigidError) -> Result<String, CertifyError> {
    // Angles are counted as lengths are, in 2⁻⁴⁰.
    let (shift, turn) = (length_up(error.shift_m)?, length_up(error.turn_rad)?);
    Ok(format!("{shift} {turn}"))
}

/// How much farther apart two bodies have to be because true surfaces lie outside of their
/// triangles, metres.
pub(crate) fn surfaces(budget: Option<&Uncertainty>, pair: [BodyId; 2]) -> f64 {
    let [a, b] = pair.map(|body| budget.map_or(0.0, |u| u.mesh[body]));
    a + b
}
