//! Boxes of the times of programs, and places in them.

use std::cmp::Ordering;

use crate::report::ContactKind;

/// Times of the programs, and the part pairs that may come within their thresholds there.
#[derive(Debug, Clone)]
pub(super) struct Region {
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub front: Vec<usize>,
}

impl Region {
    /// When the configurations of the box can be reached first.
    pub fn key(&self) -> f64 {
        latest(&self.low)
    }
}

/// The latest of some times.
pub(super) fn latest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The earliest of some times.
pub(super) fn earliest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

impl PartialEq for Region {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Region {}
impl PartialOrd for Region {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Region {
    /// `BinaryHeap` pops the greatest element: the earliest box comes first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().total_cmp(&self.key())
    }
}

/// A box that could not be resolved, or a point in it at which a pair touches.
#[derive(Debug, Clone)]
pub(super) struct PlaceInBox {
    pub pair: usize,
    pub kind: ContactKind,
    /// Time from which on it may touch: it says nothing about earlier times.
    pub from: f64,
    pub at: Vec<f64>,
    pub distance: f64,
}

impl PlaceInBox {
    pub fn time(&self) -> f64 {
        latest(&self.at)
    }
}
