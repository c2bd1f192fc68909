//! The trajectory of a program in a cell: one polynomial per joint and segment, exactly what the
//! controller follows.
//!
//! With T the duration of a segment, s = (t − start)/T, p the positions, v and a the velocities and
//! accelerations at its two waypoints, d = p₁ − p₀, m = v·T and b = a·T²:
//!
//! | law | c₀ | c₁ | c₂ | c₃ | c₄ | c₅ |
//! |---|---|---|---|---|---|---|
//! | linear | p₀ | d | | | | |
//! | cubic | p₀ | m₀ | 3d − 2m₀ − m₁ | m₀ + m₁ − 2d | | |
//! | quintic | p₀ | m₀ | b₀/2 | 10d − 6m₀ − 4m₁ − (3b₀ − b₁)/2 | 7m₁ + 8m₀ − 15d + (3b₀ − 2b₁)/2 |
//! 6d − 3(m₀ + m₁) − (b₀ − b₁)/2 |

use std::cmp::Ordering;

use super::program::Interpolation;
use super::{Cell, JointId};
use crate::numeric::polynomial::{derivative, maximum, value};

mod clock;
mod columns;
mod followers;
mod for_cell;
mod measured;
mod polynomials;
mod tube;
mod usable;
pub(crate) use crate::numeric::polynomial::Polynomial;

pub use clock::{Merged, SegmentSpan, Track};
#[cfg(test)]
pub use for_cell::segment;
pub use for_cell::{CellTrajectory, JointFullTurn};
pub(crate) use polynomials::Polynomials;
pub(crate) use tube::{MOST_ROUNDING, ToolTube, Tubes};

/// The motion between two waypoints.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Time of the first waypoint.
    pub start: f64,
    /// Time of the second waypoint.
    pub end: f64,
    /// One polynomial per joint of the cell (mimic joints and resting joints included), radians or
    /// metres.
    pub(crate) joints: Polynomials,
    /// How far joints and tools can be off beside the rounding of the polynomials themselves; most
    /// segments have nothing of the kind.
    pub(crate) errors: Option<Box<SegmentErrors>>,
}

/// How far joints and tools can be off in a segment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SegmentErrors {
    /// Per joint, how far its values can be off by the rounding of other numbers, of which its
    /// polynomial was made (a longer segment, for instance), radians or metres. Empty: of none.
    pub taken_over: Vec<f64>,
    /// Bounds for tools whose joints are off by more than rounding. They hold in addition to
    /// `taken_over`.
    pub tool_tubes: Vec<ToolTube>,
}

impl SegmentErrors {
    /// The errors of a segment; `None` where there are none.
    pub fn new(taken_over: Vec<f64>, tool_tubes: Vec<ToolTube>) -> Option<Box<Self>> {
        let any = !taken_over.is_empty() || !tool_tubes.is_empty();
        any.then(|| {
            Box::new(Self {
                taken_over,
                tool_tubes,
            })
        })
    }
}

impl Segment {
    /// A segment whose joints follow these polynomials exactly.
    pub fn new(start: f64, end: f64, joints: impl IntoIterator<Item = Polynomial>) -> Self {
        Self {
            start,
            end,
            joints: joints.into_iter().collect(),
            errors: None,
        }
    }

    /// An instant at which the joints have these values, radians or metres: a segment without
    /// duration.
    pub fn instant(values: &[f64]) -> Self {
        Self::new(
            0.0,
            0.0,
            values.iter().map(|&q| [q, 0.0, 0.0, 0.0, 0.0, 0.0]),
        )
    }

    /// The polynomial of a joint.
    #[inline]
    pub fn joint(&self, joint: JointId) -> Polynomial {
        self.joints.of(joint)
    }

    /// Those of all joints, in order.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = Polynomial> + DoubleEndedIterator {
        self.joints.iter()
    }

    /// Changes some of them.
    pub fn change_joints(&mut self, change: impl FnOnce(&mut Vec<Polynomial>)) {
        self.joints.change(change);
    }

    /// Per joint, how far its values can be off by rounding of the numbers that its polynomial was
    /// made from, radians or metres. Empty: all 0.
    pub fn taken_over(&self) -> &[f64] {
        self.errors
            .as_ref()
            .map_or(&[], |errors| &errors.taken_over)
    }

    /// The number of one joint in [`Self::taken_over`], to be changed.
    pub fn taken_over_of(&mut self, joint: usize) -> &mut f64 {
        let all = &mut self.errors.get_or_insert_default().taken_over;
        all.resize(self.joints.len(), 0.0);
        &mut all[joint]
    }

    /// As [`SegmentErrors::tool_tubes`] has them.
    pub(crate) fn tool_tubes(&self) -> &[ToolTube] {
        self.errors
            .as_ref()
            .map_or(&[], |errors| &errors.tool_tubes)
    }

    /// Time that it takes; zero for a program of one waypoint and where two trajectories are
    /// joined.
    pub fn duration(&self) -> f64 {
        self.end - self.start
    }

    /// Value of a joint at the share `s` ∈ [0, 1] of the segment, radians or metres.
    #[inline]
    pub fn position(&self, joint: usize, s: f64) -> f64 {
        value(&self.joints.of(joint), s)
    }

    /// The greatest (`sign` 1) or least (`sign` −1) value of a joint in the segment, and its time;
    /// or that of its speed (`order` 1) or acceleration (2), by seconds. It is enclosed to
    /// `tolerance`.
    pub fn extreme(&self, joint: JointId, order: usize, sign: f64, tolerance: f64) -> (f64, f64) {
        let mut c = self.joints.of(joint);
        for _ in 0..order {
            c = derivative(&c);
        }
        for _ in 0..order {
            c = c.map(|x| x / self.duration());
        }
        let found = maximum(&c.map(|x| sign * x), tolerance);
        (sign * found.attained, self.time(found.s))
    }

    /// Whether joints are off their polynomials by more than rounding.
    pub fn has_tube(&self) -> bool {
        (0..self.joints.len()).any(|joint| self.value_rounding(joint) > MOST_ROUNDING)
    }

    /// How far the value of a joint can be off from the law that the program states, by rounding,
    /// anywhere in the segment, radians or metres.
    ///
    /// With u = ε/2, one rounding, and c the coefficients:
    /// - A value in a file is rounded when it is read and when its unit is applied, the value of
    ///   the polynomial with each product and each sum: of c₀ fewer than 16 u.
    /// - Of the other coefficients: what the formulas of the trajectory add up (d, m, b) is at most
    ///   20 Σ|cₖ| each, because d = Σ cₖ, m₁ = Σ k cₖ, b₁ = Σ k (k − 1) cₖ. So no coefficient is
    ///   made from more than 81 Σ|cₖ|, all together from less than 190, by at most ten roundings:
    ///   fewer than 1,900 u, and fewer than 100 u for the values.
    pub fn value_rounding(&self, joint: usize) -> f64 {
        self.own_rounding(joint) + self.taken_over().get(joint).copied().unwrap_or(0.0)
    }

    /// The part of it that is the rounding of its own polynomial: how far computed values are off
    /// from those of the polynomial.
    pub(crate) fn own_rounding(&self, joint: usize) -> f64 {
        let [first, others @ ..] = self.joints.of(joint);
        let others: f64 = others.iter().map(|c| c.abs()).sum();
        f64::EPSILON * (8.0 * first.abs() + 1024.0 * others)
    }

    /// Takes over what the values of mimic joints can be off: what their sources are, and the
    /// rounding of their laws, in which large numbers may cancel each other.
    pub fn take_over_mimics(&mut self, cell: &Cell) {
        for (id, joint) in cell.joints.iter().enumerate() {
            let Some(mimic) = joint.mimic else { continue };
            let source = mimic.multiplier.abs() * self.value_rounding(mimic.source);
            *self.taken_over_of(id) = 2.0 * source + 8.0 * f64::EPSILON * mimic.offset.abs();
        }
    }

    /// Values of all joints at the share `s` ∈ [0, 1] of the segment; `out` is cleared first.
    pub fn configuration(&self, s: f64, out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.joints.len()).map(|joint| self.position(joint, s)));
    }

    /// Time at the share `s` ∈ [0, 1] of the segment.
    pub fn time(&self, s: f64) -> f64 {
        if s >= 1.0 {
            return self.end;
        }
        self.start + s * (self.end - self.start)
    }
}

/// An instant of a motion. Where segments have no duration, several instants have the same time.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct MotionInstant {
    /// Index of the segment.
    pub segment: usize,
    /// Fraction of the segment that has passed, 0 … 1.
    pub fraction: f64,
}

impl MotionInstant {
    /// Where every trajectory begins.
    pub const START: Self = Self::new(0, 0.0);

    /// At a fraction of a segment.
    pub const fn new(segment: usize, fraction: f64) -> Self {
        Self { segment, fraction }
    }

    /// The order in which a motion passes two instants.
    pub fn order(&self, other: &Self) -> Ordering {
        let segments = self.segment.cmp(&other.segment);
        segments.then(self.fraction.total_cmp(&other.fraction))
    }
}

/// The whole motion. A program of one waypoint has one segment of duration zero that stands still.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// Segments in order; each starts where the one before ended.
    pub segments: Vec<Segment>,
    /// How it was interpolated.
    pub interpolation: Interpolation,
    /// Whether times are seconds.
    pub timed: bool,
}

impl Trajectory {
    /// The segment of an instant.
    pub fn segment_at(&self, instant: MotionInstant) -> &Segment {
        &self.segments[instant.segment]
    }

    /// The time at which an instant is passed.
    pub fn time_at(&self, instant: MotionInstant) -> f64 {
        self.segment_at(instant).time(instant.fraction)
    }

    /// Last time minus first time (seconds, or waypoints).
    pub fn duration(&self) -> f64 {
        match (self.segments.first(), self.segments.last()) {
            (Some(first), Some(last)) => last.end - first.start,
            _ => 0.0,
        }
    }

    /// Whether joints are off their polynomials by more than rounding somewhere.
    pub fn has_tubes(&self) -> bool {
        self.segments.iter().any(Segment::has_tube)
    }

    /// The instant that is passed at `time`. A time on a waypoint belongs to the segment that starts
    /// there; times before the first or after the last waypoint give the first or the last segment.
    pub fn locate(&self, time: f64) -> MotionInstant {
        let after = self.segments.partition_point(|s| s.start <= time);
        let segment = after.saturating_sub(1);
        let Some(s) = self.segments.get(segment) else {
            return MotionInstant::START;
        };
        let fraction = if s.duration() > 0.0 {
            ((time - s.start) / s.duration()).clamp(0.0, 1.0)
        } else {
            0.0
        };
        MotionInstant { segment, fraction }
    }
}

#[cfg(test)]
mod tests;
