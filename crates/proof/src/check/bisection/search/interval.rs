//! The objects of the search: an interval, and in it the leaves of one pair of parts.

use nalgebra::Vector3;

use crate::check::bisection::leaf::DirectionInParts;
use crate::check::bisection::view::View;
use crate::check::snapshot::TOUCH_MARGINS;
use crate::geometry::pose::Pose;
use crate::model::Segment;

/// The result of testing an interval.
pub enum Answer {
    /// All pairs are proved apart in it, or touch all along.
    Proved,
    /// Some pairs are not. `middle` is the index of the snapshot of its middle, if there is one.
    Unresolved { middle: Option<usize> },
    /// It lies after a known contact: nothing needs to be proved.
    TooLate,
    /// Nothing was tested: the time limit is spent, or there are too many intervals.
    GivenUp,
}

/// An interval of a segment.
#[derive(Clone, Copy)]
pub struct Interval<'p> {
    /// Index of its segment.
    pub index: usize,
    /// Its segment.
    pub segment: &'p Segment,
    /// Snapshots at both ends and, once somebody needs it, in the middle.
    pub ends: [usize; 2],
    /// Shares of the segment between which it lies.
    pub s: [f64; 2],
    /// An interval that is no longer than this is not halved.
    pub shortest: f64,
    /// How often the segment was halved to get it: the index of its front among `fronts`.
    pub depth: usize,
    /// Number of snapshots that must be kept while it is tested.
    pub snapshots_in_use: usize,
}

impl Interval<'_> {
    /// Whether it is too short to be halved: near s = 0 halving would go on for a thousand levels.
    pub fn is_last(&self) -> bool {
        self.s[1] - self.s[0] <= self.shortest
    }

    /// The share of the segment in its middle.
    pub fn middle(&self) -> f64 {
        0.5 * (self.s[0] + self.s[1])
    }

    /// Trajectory time at a share of the segment.
    pub fn time(&self, s: f64) -> f64 {
        self.segment.start + s * (self.segment.end - self.segment.start)
    }
}

/// A leaf pair is final when its bodies can move by less than this share of the resolution in its
/// interval.
pub const FINAL_SHARE: f64 = 0.125;

/// The core distance up to which a pair counts as touching, for cores that are to stay
/// `required_gap` apart, metres. Where rounding is no longer small beside the resolution it says
/// nothing of contact: what it leaves unresolved then stays unresolved.
pub fn contact_distance(required_gap: f64, margin: f64, resolution: f64) -> f64 {
    required_gap + TOUCH_MARGINS * margin.min(FINAL_SHARE * resolution)
}

/// The data that the leaves of one group share.
pub struct Leaves<'v> {
    pub interval: Interval<'v>,
    pub part_pair: usize,
    /// Core distance that must be exceeded, metres.
    pub required_gap: f64,
    /// Core distance up to which the pair counts as touching, metres.
    pub contact_distance: f64,
    /// Whether errors are allowed for.
    pub has_errors: bool,
    pub view: &'v View,
    pub at_middle: Option<[Pose; 2]>,
    /// Direction that separated the last pair of triangles: it often separates their neighbours
    /// too.
    pub recent: Option<Vector3<f64>>,
    /// `recent`, turned into the frames of both parts; `None` until asked for.
    pub direction_in_parts: Option<DirectionInParts>,
    /// Whether the pair touches at both ends of the interval; `None` until asked for.
    pub ends_touch: Option<bool>,
}
