//! How a robot differs from its model: joint values and pose of the same point, held against it.

use nalgebra::Isometry3;

use clearance_formats::{ImportError, Problem};
use clearance_proof::model::moves::Frame;
use clearance_proof::model::{JointId, RigidError};
use clearance_proof::report::Location;

use super::{ControlledArm, JointUnit};

/// How far forward kinematics may be from a pose that a file states for the same point, metres and
/// radians. An arm of this size that was calibrated lies about a millimetre and a third of a degree
/// beside its nominal model; a wrong frame, sign or tool is off by far more.
pub const TOLERANCE_M: f64 = 0.005;
/// The same for angles, radians.
pub const TOLERANCE_RAD: f64 = 0.0175;

/// How far apart joint values and pose of the same point, as a file has them, are in the model.
#[derive(Debug, Clone, PartialEq)]
pub struct PointDifference {
    /// Where the file has them.
    pub place: Location,
    /// The point's name.
    pub label: String,
    /// Distance between the two positions, metres.
    pub distance_m: f64,
    /// Angle between the two orientations, radians.
    pub angle_rad: f64,
    /// The error of the frames that the arm moves: how far the last one, and the frames that hang
    /// on it, are from the model, each about its own origin.
    pub frames: RigidError,
}

impl PointDifference {
    /// The worse of two that may be meant by the same point.
    pub(crate) fn worse(self, other: Self) -> Self {
        let frames = self.frames.max(other.frames);
        let angle_rad = self.angle_rad.max(other.angle_rad);
        let farther = if other.distance_m > self.distance_m {
            other
        } else {
            self
        };
        Self {
            angle_rad,
            frames,
            ..farther
        }
    }

    /// Whether more than rounding is between them.
    pub fn differs(&self) -> bool {
        self.distance_m > ROUNDING_M || self.angle_rad > ROUNDING_RAD
    }
}

/// Less than this is what files round, metres.
const ROUNDING_M: f64 = 1e-5;
/// The same for angles, radians.
const ROUNDING_RAD: f64 = 1e-4;

/// The greatest error of the frames that these points show; none where all of them agree with the
/// model.
pub fn model_difference(points: &[PointDifference]) -> RigidError {
    let none = RigidError::default();
    if points.iter().any(PointDifference::differs) {
        points.iter().fold(none, |most, p| most.max(p.frames))
    } else {
        none
    }
}

impl ControlledArm<'_> {
    /// How far the frame that the last joint before the tool moves, and those that hang on it, are
    /// beside the model where the tool stands as stated: what the tool is off takes them along.
    fn frames_off(
        &self,
        joints: &[f64],
        tool: &Frame,
        frame: &Frame,
        stated: &Isometry3<f64>,
    ) -> Result<RigidError, String> {
        let world_from_joint = self.placed(joints);
        let [carrier, base] = [self.known_link(&tool.link)?, self.known_link(&frame.link)?];
        let place = |body| self.cell.body_pose(&world_from_joint, body);
        let real = place(base) * frame.link_from_frame * stated;
        let off = real * (place(carrier) * tool.link_from_frame).inverse();
        let mut error = RigidError {
            shift_m: 0.0,
            turn_rad: off.rotation.angle(),
        };
        let last = self.cell.bodies[carrier].joint;
        let parent = |&joint: &JointId| self.cell.joints[joint].parent;
        for (joint, pose) in world_from_joint.iter().enumerate() {
            if std::iter::successors(Some(joint), parent).any(|j| Some(j) == last) {
                let origin = pose.translation.vector;
                let shift = off.transform_point(&origin.into()).coords - origin;
                error.shift_m = error.shift_m.max(shift.norm());
            }
        }
        Ok(error)
    }

    /// Holds the points that were read at the controller against the robot's model. `base`: the
    /// link that is the controller's base where the cell says none.
    ///
    /// # Errors
    /// When one is too far from it, or the cell lacks what it takes.
    pub fn points(
        &self,
        counted: JointUnit,
        base: Option<&str>,
    ) -> Result<Vec<PointDifference>, ImportError> {
        let points = self
            .settings
            .into_iter()
            .flat_map(|settings| &settings.points);
        let differences = points.enumerate().map(|(k, point)| {
            let fail = |cause: String| ImportError {
                place: point.place.clone(),
                problem: Problem::Syntax {
                    cause,
                    remedy: "say it in the robot's `controller`".into(),
                },
            };
            let joints = self.to_urdf(&point.joints, counted).map_err(fail)?;
            let flange = self.flange(Some("tool0")).map_err(fail)?;
            let tool = Frame {
                link_from_frame: flange.link_from_frame * point.tool,
                link: flange.link,
            };
            let frame = match &point.frame {
                Some(frame) => frame.clone(),
                None => self.base(base).map_err(fail)?,
            };
            let label = format!("point {} of the controller", k + 1);
            let stated = &point.frame_from_tool;
            self.compare(&point.place, &label, &joints, &tool, &frame, stated)
        });
        differences.collect()
    }

    /// How far apart joint values and pose of the same point are in the robot's model.
    ///
    /// # Errors
    /// When they are farther apart than [`TOLERANCE_M`] or [`TOLERANCE_RAD`]: then frame, tool,
    /// signs or robot are not those of the program.
    pub fn compare(
        &self,
        place: &Location,
        label: &str,
        joints: &[f64],
        tool: &Frame,
        frame: &Frame,
        stated: &Isometry3<f64>,
    ) -> Result<PointDifference, ImportError> {
        let fail = |problem| ImportError {
            place: place.clone(),
            problem,
        };
        let no_link = |cause| {
            let remedy = "name links of the robot in its `controller`".into();
            fail(Problem::Syntax { cause, remedy })
        };
        let computed = self.pose(joints, tool, frame).map_err(no_link)?;
        let distance_m = (computed.translation.vector - stated.translation.vector).norm();
        let angle_rad = computed.rotation.angle_to(&stated.rotation);
        // Written so that what is not a number fails.
        if distance_m <= TOLERANCE_M && angle_rad <= TOLERANCE_RAD {
            return Ok(PointDifference {
                place: place.clone(),
                label: label.to_owned(),
                distance_m,
                angle_rad,
                frames: (self.frames_off(joints, tool, frame, stated)).map_err(no_link)?,
            });
        }
        Err(fail(Problem::Syntax {
            cause: format!(
                "joint values and pose of `{label}` are {:.2} mm and {:.2}° apart: the file says {}, and the robot's model has {} there",
                distance_m * 1e3,
                angle_rad.to_degrees(),
                shown(stated),
                shown(&computed)
            ),
            remedy: "check robot, frame, tool, and the signs of joints in the robot's `controller`"
                .into(),
        }))
    }
}

/// A pose for the eye: millimetres, and the rotation vector in degrees.
pub fn shown(pose: &Isometry3<f64>) -> String {
    let p = pose.translation.vector * 1e3;
    let r = pose.rotation.scaled_axis().map(f64::to_degrees);
    format!(
        "({:.2}, {:.2}, {:.2}) mm turned by the rotation vector ({:.3}, {:.3}, {:.3})°",
        p.x, p.y, p.z, r.x, r.y, r.z
    )
}
