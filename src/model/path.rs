//! A program laid onto a cell: one polynomial per joint and segment, exactly what the controller follows.

use super::program::Interpolation;

/// Coefficients of a polynomial of degree ≤ 5 in s ∈ [0, 1]: c[0] + c[1]·s + … + c[5]·s⁵.
pub type Polynomial = [f64; 6];

/// The motion between two waypoints.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Time of the first waypoint.
    pub start: f64,
    /// Time of the second waypoint.
    pub end: f64,
    /// One polynomial per joint of the cell (mimic joints and resting joints included), radians or metres.
    pub joints: Vec<Polynomial>,
}

/// The whole motion. A program of one waypoint has one segment of duration zero that stands still.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Segments in order; each starts where the one before ended.
    pub segments: Vec<Segment>,
    /// How it was interpolated.
    pub interpolation: Interpolation,
    /// Whether times are seconds.
    pub timed: bool,
}
