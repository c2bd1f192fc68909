//! The curve that a move demands of the tool: a line or an arc, the orientation turning about one
//! fixed axis.

use nalgebra::{Matrix3, Vector3};

use crate::geometry::pose::Pose;
use crate::motion::joint_poses::rotation;

/// Beyond this the shorter way round is not certain: two orientations half a turn apart have no
/// shorter way.
const MOST_TURN: f64 = 175.0 * std::f64::consts::PI / 180.0;
/// By so much one of two ways round has to be nearer to what is stated, radians.
const SAME_WAY: f64 = 20.0 * std::f64::consts::PI / 180.0;
/// Farther beside an even turn no turn is followed, radians.
const MOST_BESIDE: f64 = 5.0 * std::f64::consts::PI / 180.0;
/// By so much orientations are rounded, radians.
const SAME_TURN: f64 = 1e-9;
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
    /// A line that bends as parts of two arcs do, each as seen from its own chord.
    Bent {
        from: Vector3<f64>,
        along: Vector3<f64>,
        bends: [Bend; 2],
    },
}

/// How an arc leaves its chord, from one of its points to another one, times a factor.
#[derive(Debug, Clone, Copy)]
pub struct Bend {
    arc: ArcFromTip,
    factor: f64,
    /// Shares of the arc between which it goes.
    from: f64,
    to: f64,
}

/// An arc, or a part of one, from one of its ends, where it is at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArcFromTip {
    /// From the centre to that end.
    out: Vector3<f64>,
    /// Across it, of the same length, in the direction of the arc.
    across: Vector3<f64>,
    /// The angle that it takes up, radians.
    pub angle: f64,
}

impl ArcFromTip {
    /// Nothing at all.
    pub fn none() -> Self {
        ArcFromTip {
            out: Vector3::zeros(),
            across: Vector3::zeros(),
            angle: 0.0,
        }
    }

    /// How far a point of it is from that end.
    fn away(&self, share: f64) -> Vector3<f64> {
        let (half_sin, sin) = ((0.5 * self.angle * share).sin(), (self.angle * share).sin());
        // Of a flat arc, whose centre is far away, the difference of two cosines is nothing.
        self.across * sin - self.out * (2.0 * half_sin * half_sin)
    }

    /// How far it is from its chord at a share of both.
    pub fn beside_chord(&self, share: f64) -> Vector3<f64> {
        self.away(share) - self.away(1.0) * share
    }

    /// Its length, metres.
    pub fn length(&self) -> f64 {
        self.out.norm() * self.angle
    }

    /// S: at the share a of both it is within 4 a (1 − a) S of its chord.
    pub fn sagitta(&self) -> f64 {
        0.125 * self.length() * self.angle * (1.0 + 1e-12)
    }
}

impl Bend {
    /// The factor times how the arc leaves its chord between these shares.
    pub fn new(arc: ArcFromTip, factor: f64, [from, to]: [f64; 2]) -> Self {
        Bend {
            arc,
            factor,
            from,
            to,
        }
    }

    fn share(&self, s: f64) -> f64 {
        self.from + (self.to - self.from) * s
    }

    fn at(&self, s: f64) -> Vector3<f64> {
        self.arc.beside_chord(self.share(s)) * self.factor
    }

    fn speed(&self, s: f64) -> Vector3<f64> {
        let ArcFromTip { out, across, angle } = self.arc;
        let (sin, cos) = (angle * self.share(s)).sin_cos();
        let along_arc = (across * cos - out * sin) * angle;
        (along_arc - self.arc.away(1.0)) * (self.factor * (self.to - self.from))
    }

    /// Bound on a derivative of the second order or a higher one.
    fn derivative(&self, order: usize) -> f64 {
        let angle = self.arc.angle * (self.to - self.from).abs();
        self.factor.abs() * self.arc.out.norm() * angle.powi(order as i32)
    }

    /// Bound on its length.
    fn length(&self) -> f64 {
        2.0 * self.factor.abs() * self.arc.length() * (self.to - self.from).abs()
    }
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

    /// A line between two poses, bent as parts of two arcs are. It leads from the one pose to the
    /// other one only where the arcs are at their ends.
    ///
    /// # Errors
    /// As for [`PoseCurve::line`].
    pub fn bent_line(from: &Pose, to: &Pose, bends: [Bend; 2]) -> Result<Self, String> {
        let along = to.translation - from.translation;
        let from_place = from.translation;
        let position = Position::Bent {
            from: from_place,
            along,
            bends,
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

    /// How far an orientation is beside that of this arc, at most, if it turns evenly as seen from a
    /// frame that goes round with the arc, radians. The orientation of `via`, a pose on the arc, says
    /// which way round that is.
    ///
    /// # Errors
    /// When the way round is not certain, or it leads too far beside.
    pub fn beside_turn_along(&self, via: &Pose) -> Result<f64, String> {
        let Position::Arc {
            centre,
            out,
            across,
            angle,
        } = self.position
        else {
            return Ok(0.0);
        };
        let normal = out.cross(&across).normalize();
        let round = |turn: f64| rotation(&normal, turn);
        let own = rotation(&self.axis, self.turn);
        let (axis, short) = turn_between(&Matrix3::identity(), &(round(-angle) * own));
        let at = via.translation - centre;
        let at = at.dot(&across).atan2(at.dot(&out));
        let share = at.rem_euclid(std::f64::consts::TAU) / angle;
        let off = |turn: f64| {
            let there = round(angle * share) * rotation(&axis, turn * share) * self.start;
            turn_between(&there, &via.rotation).1
        };
        let long = short - std::f64::consts::TAU;
        let turn = match (off(short), off(long)) {
            (a, b) if a + SAME_WAY < b => short,
            (a, b) if b + SAME_WAY < a => long,
            _ => {
                return Err(
                    "which way round the tool turns on the arc is not certain by the orientation of its middle point: teach that one halfway, and turned accordingly"
                        .to_owned(),
                );
            }
        };
        // Two orientations part no faster than their speeds of turning differ, and they are the same
        // at both ends.
        let (along, still) = (axis.dot(&normal), self.axis.dot(&normal));
        let beside = |share: f64| (1.0 - share * share).max(0.0).sqrt();
        let about = angle + turn * along - self.turn * still;
        let other = turn.abs() * beside(along) + self.turn * beside(still);
        let off = 0.5 * about.hypot(other) + SAME_TURN;
        if off <= MOST_BESIDE {
            Ok(off)
        } else {
            Err(format!(
                "on this arc the tool turns along with it, by up to {:.1}° beside an even turn about one axis, and that is not followed: teach more points, or turn the tool about the axis of the arc only",
                off.to_degrees()
            ))
        }
    }

    /// The part of an arc from one of its ends that takes up this share of it; none: it is a line.
    pub fn arc_from_tip(&self, share: f64, backwards: bool) -> Option<ArcFromTip> {
        let Position::Arc {
            out, across, angle, ..
        } = self.position
        else {
            return None;
        };
        let (out, across) = if backwards {
            let (sin, cos) = angle.sin_cos();
            (out * cos + across * sin, out * sin - across * cos)
        } else {
            (out, across)
        };
        let angle = angle * share;
        Some(ArcFromTip { out, across, angle })
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
            Position::Bent { from, along, bends } => {
                from + along * s + bends[0].at(s) + bends[1].at(s)
            }
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
            Position::Bent { along, bends, .. } => along + bends[0].speed(s) + bends[1].speed(s),
        };
        (linear, self.axis * self.turn)
    }

    /// Bound on a derivative of the tool's point by s, metres; of the second order or a higher one.
    pub fn derivative(&self, order: usize) -> f64 {
        match self.position {
            Position::Line { .. } => 0.0,
            Position::Arc { out, angle, .. } => {
                out.norm() * angle.powi(order as i32) * (1.0 + 1e-12)
            }
            Position::Bent { bends, .. } => {
                (bends[0].derivative(order) + bends[1].derivative(order)) * (1.0 + 1e-12)
            }
        }
    }

    /// Length of the way of the tool's point, metres; of a bent line a bound.
    pub fn length(&self) -> f64 {
        match self.position {
            Position::Line { along, .. } => along.norm(),
            Position::Arc { out, angle, .. } => out.norm() * angle,
            Position::Bent { along, bends, .. } => {
                along.norm() + bends[0].length() + bends[1].length()
            }
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
