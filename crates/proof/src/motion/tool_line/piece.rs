//! A piece of a curve of the tool as joint polynomials.

use crate::model::Polynomial;

/// Number of joints that a pose of the tool decides.
pub const SIX: usize = 6;

/// A piece of the curve, and the joint values over it: within `off` of these cubics.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePiece {
    /// Share of the curve at its start.
    pub from: f64,
    /// Share of the curve at its end.
    pub to: f64,
    /// Of each of the arm's joints, over [0, 1].
    pub joints: [Polynomial; SIX],
    /// How far the true value of each joint can be off, radians or metres.
    pub off: [f64; SIX],
    /// How far the tool's point and its orientation can be from where the cubics put them, metres
    /// and radians, where that is more than `off` is good for.
    pub tool: Option<[f64; 2]>,
}
