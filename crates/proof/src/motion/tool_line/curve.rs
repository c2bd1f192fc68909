//! The curve that a move demands of the tool: a line or an arc, the orientation turning about one
//! fixed axis.

use nalgebra::{Matrix3, Vector3};

use crate::geometry::pose::Pose;
use crate::motion::joint_poses::rotation;

/// Beyond this the shorter way round is not certain: two orientations half a turn apart have no
/// shorter way.
const MOST_TURN: f64 = 175.0 * std::f64::consts::PI / 180.0;
/// Points nearer than this are one, metres.
const SAME_M: f64 = 1e-9;

/// Place and orientation over s from 0 to 1.
#[derive(Debug, Clone, Copy)]
pub struct PoseCurve {
    position: Position,
    start: Matrix3<f64>,
    /// Axis about which the tool turns, in the world.
    axis: Vector3<f64>,
    /// Angle from start to end, radians.
    pub turn: f64,
}

#[derive(Debug, Clone, Copy)]
enum Position {
    Line {
        from: Vector3<f64>,
        along: Vector3<f64>,
    },
    Arc {
        centre: Vector3<f64>,
        /// From the centre to the start.
        out: Vector3<f64>,
        /// Across it, of the same length, in the direction of motion.
        across: Vector3<f64>,
        angle: f64,
    },
}

impl PoseCurve {
    /// The straight line from one pose to another.
    ///
    /// # Errors
    /// When the tool turns by so much that the direction is not certain.
    pub fn line(from: &Pose, to: &Pose) -> Result<Self, String> {
        let along = to.translation - from.translation;
        let position = Position::Line {
            from: from.translation,
            along,
        };
        Self::turning(position, from, to)
    }

    /// The arc from one pose to another through a point.
    ///
    /// # Errors
    /// When the points do not lie on one circle of a sensible size, or as for [`PoseCurve::line`].
    pub fn arc(from: &Pose, via: &Vector3<f64>, to: &Pose) -> Result<Self, String> {
        let a = via - from.translation;
        let b = to.translation - from.translation;
        let normal = a.cross(&b);
        let straight = normal.norm() <= 1e-6 * a.norm() * b.norm();
        if straight || a.norm() < SAME_M || b.norm() < SAME_M || (a - b).norm() < SAME_M {
            return Err(
                "start, middle and end of the arc do not lie on one circle: two of them are the same, or all on a line"
                    .to_owned(),
            );
        }
        let to_centre = (b * a.norm_squared() - a * b.norm_squared()).cross(&normal)
            / (2.0 * normal.norm_squared());
        let centre = from.translation + to_centre;
        let out = -to_centre;
        let across = normal.normalize().cross(&out);
        let end = to.translation - centre;
        let angle = end.dot(&across).atan2(end.dot(&out));
        let angle = if angle > 0.0 {
            angle
        } else {
            angle + std::f64::consts::TAU
        };
        Self::turning(
            Position::Arc {
                centre,
                out,
                across,
                angle,
            },
            from,
            to,
        )
    }

    fn turning(position: Position, from: &Pose, to: &Pose) -> Result<Self, String> {
        let (axis, turn) = turn_between(&from.rotation, &to.rotation);
        if turn.is_nan() || turn > MOST_TURN {
            return Err(format!(
                "the tool turns by {:.1}° in one move: the direction of a turn of nearly 180° is not certain; teach a point \
                 between",
                turn.to_degrees()
            ));
        }
        Ok(PoseCurve {
            position,
            start: from.rotation,
            axis,
            turn,
        })
    }

    /// The same places, with all orientations turned by a rotation vector in the world.
    pub fn turned(&self, by: &Vector3<f64>) -> Self {
        let angle = by.norm();
        let turn = match by.try_normalize(1e-15) {
            Some(axis) => rotation(&axis, angle),
            None => Matrix3::identity(),
        };
        PoseCurve {
            start: turn * self.start,
            axis: turn * self.axis,
            ..*self
        }
    }

    /// The demanded pose.
    pub fn at(&self, s: f64) -> Pose {
        let translation = match self.position {
            Position::Line { from, along } => from + along * s,
            Position::Arc {
                centre,
                out,
                across,
                angle,
            } => centre + out * (angle * s).cos() + across * (angle * s).sin(),
        };
        Pose {
            rotation: rotation(&self.axis, self.turn * s) * self.start,
            translation,
        }
    }

    /// Velocity of the tool's point and its turning, per unit of s.
    pub fn twist(&self, s: f64) -> (Vector3<f64>, Vector3<f64>) {
        let linear = match self.position {
            Position::Line { along, .. } => along,
            Position::Arc {
                out, across, angle, ..
            } => (across * (angle * s).cos() - out * (angle * s).sin()) * angle,
        };
        (linear, self.axis * self.turn)
    }

    /// Bound on the second derivative of the tool's point by s, metres.
    pub fn acceleration(&self) -> f64 {
        match self.position {
            Position::Line { .. } => 0.0,
            Position::Arc { out, angle, .. } => out.norm() * angle * angle * (1.0 + 1e-12),
        }
    }

    /// Length of the way of the tool's point, metres.
    pub fn length(&self) -> f64 {
        match self.position {
            Position::Line { along, .. } => along.norm(),
            Position::Arc { out, angle, .. } => out.norm() * angle,
        }
    }
}

/// Axis (in the frame of both) and angle (0 to half a turn) of the rotation that takes one
/// orientation to the other.
pub fn turn_between(from: &Matrix3<f64>, to: &Matrix3<f64>) -> (Vector3<f64>, f64) {
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(to * from.transpose());
    let turn = nalgebra::UnitQuaternion::from_rotation_matrix(&rotation);
    match turn.axis_angle() {
        Some((axis, angle)) if angle > 1e-12 => (axis.into_inner(), angle),
        _ => (Vector3::z(), 0.0),
    }
}
