//! Boxes of the times of programs, and places in them.

use crate::report::ContactKind;

/// A box of times of the programs.
#[derive(Debug, Clone)]
pub(super) struct TimeBox {
    pub low: Vec<f64>,
    pub high: Vec<f64>,
}

impl TimeBox {
    pub fn of_spans(spans: &[(f64, f64)]) -> Self {
        TimeBox {
            low: spans.iter().map(|span| span.0).collect(),
            high: spans.iter().map(|span| span.1).collect(),
        }
    }

    /// One point only.
    pub fn of_point(at: &[f64]) -> Self {
        TimeBox {
            low: at.to_vec(),
            high: at.to_vec(),
        }
    }

    /// When the configurations of the box can be reached first.
    pub fn first_reached(&self) -> f64 {
        latest(&self.low)
    }

    /// Its halves along the program that weighs most. `None` where there is no number between the
    /// two times of that one.
    pub fn halves(&self, weight: &[f64]) -> Option<[Self; 2]> {
        let heaviest = (0..weight.len()).max_by(|&x, &y| weight[x].total_cmp(&weight[y]));
        let axis = heaviest.unwrap_or(0);
        let middle = 0.5 * (self.low[axis] + self.high[axis]);
        if middle <= self.low[axis] || middle >= self.high[axis] {
            return None;
        }
        let (mut first, mut second) = (self.clone(), self.clone());
        first.high[axis] = middle;
        second.low[axis] = middle;
        Some([first, second])
    }
}

/// A box of times, and what is open there of the pairs of parts.
#[derive(Debug, Clone)]
pub(super) struct OpenBox<P> {
    pub times: TimeBox,
    pub front: Vec<P>,
}

/// The latest of some times.
pub(super) fn latest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The earliest of some times.
pub(super) fn earliest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// A box that could not be resolved, or a point in it at which a pair touches.
#[derive(Debug, Clone)]
pub(super) struct BoxFinding {
    pub pair: usize,
    pub kind: ContactKind,
    /// Time from which on it may touch: it says nothing about earlier times.
    pub from: f64,
    pub at: Vec<f64>,
    pub distance: f64,
}

impl BoxFinding {
    pub fn time(&self) -> f64 {
        latest(&self.at)
    }
}
