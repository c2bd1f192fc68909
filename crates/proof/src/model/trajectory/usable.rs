//! Motions that numbers can be computed with, and whose proof comes to an end.

use super::{Segment, Trajectory};
use crate::model::{Cell, JointKind};

/// The longest way of a joint from one waypoint to the next, radians or metres: 160,000 turns. The
/// work of a proof grows with the way.
const LONGEST_WAY: f64 = 1e6;
/// The shortest step of time, seconds. Speeds and accelerations are taken by it, and its square.
const SHORTEST_S: f64 = 1e-12;

impl Trajectory {
    /// The farthest position of a turning joint, radians. Beyond it neighbouring numbers are more
    /// than 0.1 mrad apart.
    pub const FARTHEST_RAD: f64 = 1e12;
    /// The farthest position of a sliding joint, metres: as far as a cell reaches.
    pub const FARTHEST_M: f64 = 1e7;
    /// The latest time, seconds: 3,000 years. Larger numbers are not seconds but a finer unit.
    pub const LATEST_S: f64 = 1e11;
}

/// Whether a size is within a limit; false for NaN.
fn fits(size: f64, most: f64) -> bool {
    size.is_finite() && size <= most
}

impl Segment {
    /// The problem and the remedy of a segment that cannot be computed with; `None`: it can be.
    pub fn unusable(&self, cell: &Cell, timed: bool) -> Option<(String, String)> {
        let refuse = |problem: String, remedy: &str| Some((problem, remedy.to_owned()));
        if timed {
            let latest = self.start.abs().max(self.end.abs());
            if !fits(latest, Trajectory::LATEST_S) {
                return refuse(
                    format!(
                        "a time of {latest:e} s is beyond {:e} s",
                        Trajectory::LATEST_S
                    ),
                    "times are in seconds: state another unit in the header, as in `time[ms]`",
                );
            }
            let step = self.duration();
            if step != 0.0 && step < SHORTEST_S {
                return refuse(
                    format!(
                        "the step of time to this waypoint is {step:e} s, below {SHORTEST_S:e} s"
                    ),
                    "keep one of the two waypoints, or check the unit of the times",
                );
            }
        }
        for (id, (coefficients, joint)) in self.joints.iter().zip(&cell.joints).enumerate() {
            let (farthest, unit) = match joint.kind {
                JointKind::Prismatic => (Trajectory::FARTHEST_M, "m"),
                JointKind::Revolute | JointKind::Continuous => (Trajectory::FARTHEST_RAD, "rad"),
            };
            // Bounds: the polynomial goes no farther from its start than this.
            let way: f64 = coefficients[1..].iter().map(|c| c.abs()).sum();
            if !fits(coefficients[0].abs() + way, farthest) {
                return refuse(
                    format!(
                        "joint `{}` gets beyond {farthest:e} {unit} on the way to this waypoint",
                        cell.joint_label(id)
                    ),
                    "check its positions and velocities, their units, and the times",
                );
            }
            if way > LONGEST_WAY {
                return refuse(
                    format!(
                        "joint `{}` goes through {way:e} {unit} on the way to this waypoint, beyond {LONGEST_WAY:e} {unit}",
                        cell.joint_label(id)
                    ),
                    "check its positions and velocities, their units, and the times",
                );
            }
        }
        None
    }
}
