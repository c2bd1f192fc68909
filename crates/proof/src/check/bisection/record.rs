//! What a search takes note of.

/// What the search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The first contact of all pairs: a contact cuts everything later.
    First,
    /// All contact intervals of all pairs.
    All,
    /// The least distance of every pair.
    Minimum,
}

/// An instant at which a pair was found within its threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Body pair.
    pub pair: usize,
    /// Segment.
    pub segment: usize,
    /// Share of the segment.
    pub s: f64,
}

/// The least distance of a pair that was seen so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeastFound {
    /// Attained, metres.
    pub distance: f64,
    /// When.
    pub time: f64,
}

/// By how much a proved least distance may lie below the attained one, metres: the resolution, or 2 % of what the pair is
/// farther apart than the `nearest` one.
pub fn tolerance(resolution: f64, distance: f64, nearest: f64) -> f64 {
    let farther = distance - nearest;
    if farther.is_finite() {
        resolution.max(0.02 * farther)
    } else {
        resolution
    }
}
