//! Values of turning joints that can only be meant as degrees, where radians are read.

use super::{Joint, JointKind, Program};

/// A joint this far beyond its limits is looked at as possible degrees, radians.
const FULL_TURN_RAD: f64 = std::f64::consts::TAU;
/// Whoever teaches in degrees may round a limit by half a degree, radians.
const ROUNDED_RAD: f64 = 0.01;

impl Joint {
    /// Whether a value without a unit may be meant in degrees: it is many turns from zero, or more
    /// than a full turn beyond the limits. It is not told from radians where it does not fit when
    /// it is taken as degrees ([`Joint::fits_as_degrees`]).
    pub fn may_be_degrees(&self, q: f64) -> bool {
        self.range_in_radians(false).is_left_by(q)
    }

    /// Beyond this a value may be meant in degrees. With a stated unit only the limits count.
    pub(super) fn range_in_radians(&self, stated: bool) -> RadianRange {
        let (low, high) = match self.limits_of_turning() {
            Some((low, high)) => (low - FULL_TURN_RAD, high + FULL_TURN_RAD),
            None => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let many = if stated || !self.turns() {
            f64::INFINITY
        } else {
            Program::MANY_TURNS_RAD
        };
        RadianRange {
            low: low.max(-many),
            high: high.min(many),
        }
    }

    /// Whether a value taken as degrees is within the limits.
    pub fn fits_as_degrees(&self, q: f64) -> bool {
        let limits = self.limits_of_turning();
        limits.is_none_or(|(low, high)| {
            (low - ROUNDED_RAD..=high + ROUNDED_RAD).contains(&q.to_radians())
        })
    }

    fn turns(&self) -> bool {
        self.kind != JointKind::Prismatic
    }

    /// A joint that turns without end has none, whatever its URDF states.
    fn limits_of_turning(&self) -> Option<(f64, f64)> {
        match self.kind {
            JointKind::Revolute => self.limits.position,
            JointKind::Continuous | JointKind::Prismatic => None,
        }
    }
}

/// The values of a joint from one to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct RadianRange {
    low: f64,
    high: f64,
}

impl RadianRange {
    pub(super) fn is_left_by(self, q: f64) -> bool {
        q < self.low || q > self.high
    }
}
