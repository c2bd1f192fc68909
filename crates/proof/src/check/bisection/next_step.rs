//! What the search does next with a pair of nodes.

/// What the search does next with a pair of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum NextStep {
    /// Nothing: proved apart during the whole interval.
    Separated,
    /// Look at the children.
    SplitSpace,
    /// Look at the two halves of the interval.
    SplitTime,
}

/// When to split time rather than space: r_a + r_b < κ₁·chord bound + κ₂·half the chord.
pub const KAPPA_CHORD_BOUND: f32 = 48.0;
pub const KAPPA_CHORD: f32 = 4.0;

/// Whether two balls with this sum of radii gain more from a shorter interval than from their
/// children.
pub fn splits_time(radii: f64, chord_bound: f64, chord: f64) -> bool {
    radii < f64::from(KAPPA_CHORD_BOUND) * chord_bound + f64::from(KAPPA_CHORD) * 0.5 * chord
}
