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

/// A stretch that could not be proved free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Open {
    /// Body pair.
    pub pair: usize,
    /// Start and end, path time.
    pub start: f64,
    /// End, path time.
    pub end: f64,
    /// Least distance seen in it.
    pub distance: f64,
    /// Instant of that distance, or of the first contact: segment and share of it.
    pub at: (usize, f64),
    /// Whether contact was found in it.
    pub touches: bool,
}

impl Open {
    /// Whether another stretch of the same pair starts before this one is over.
    pub fn joins(&self, later: &Open) -> bool {
        self.pair == later.pair && self.start <= later.start && later.start <= self.end
    }

    /// Takes in a stretch that joins this one.
    pub fn join(&mut self, later: &Open) {
        self.end = self.end.max(later.end);
        if (later.touches && !self.touches)
            || (later.touches == self.touches && !self.touches && later.distance < self.distance)
        {
            self.at = later.at;
        }
        self.touches |= later.touches;
        self.distance = self.distance.min(later.distance);
    }
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
pub struct Least {
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
