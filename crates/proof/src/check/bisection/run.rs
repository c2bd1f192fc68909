//! A search over the segments of a motion.

use std::ops::Range;

use super::goal::Goal;
use super::pair_filter::{PairFilter, SegmentVisitor};
use super::search::IntervalSearch;
use crate::check::scene::Scene;
use crate::model::Trajectory;

/// Segments to be searched, and what of them.
pub(super) struct Run<'r> {
    pub scene: &'r Scene<'r>,
    pub trajectory: &'r Trajectory,
    pub segments: Range<usize>,
    /// Pairs of bodies that matter.
    pub wanted: &'r dyn Fn(usize) -> bool,
    /// Is told the share that is done, 0 … 1.
    pub progress: &'r dyn Fn(f64),
    /// Whether the search may stop early, because the rest no longer matters.
    pub stop: &'r dyn Fn() -> bool,
}

/// Searches all segments in order, for the pairs of bodies that are `wanted`. Pairs that cannot
/// come within their thresholds over an interval are left out there.
pub(super) fn run(
    search: &mut IntervalSearch,
    scene: &Scene,
    trajectory: &Trajectory,
    wanted: &dyn Fn(usize) -> bool,
    progress: &dyn Fn(f64),
) {
    let run = Run {
        scene,
        trajectory,
        segments: 0..trajectory.segments.len(),
        wanted,
        progress,
        stop: &|| false,
    };
    let proved_separated = run.search(search);
    search.statistics.unreachable = proved_separated.len() as u64;
}

impl Run<'_> {
    /// Searches the segments in order. Pairs of bodies that the hulls tell apart over all of them
    /// are returned, in order.
    pub(super) fn search(&self, search: &mut IntervalSearch) -> Vec<usize> {
        let errors = search.errors().cloned();
        let mut segments = Segments { search, run: self };
        if !self.scene.hulls {
            let all: Vec<usize> = (0..self.scene.part_pairs.len()).collect();
            let mut every = self.segments.clone();
            every.all(|index| segments.visit(index, &all));
            return Vec::new();
        }
        let mut pair_filter = PairFilter::new(self.scene, errors.as_ref());
        let begins = self.segments.start == segments.search.from.segment;
        pair_filter.visit(
            self.trajectory,
            self.segments.clone(),
            begins,
            &mut segments,
        );
        pair_filter.proved_separated
    }
}

/// Searches one segment after the other.
struct Segments<'r, 'v, 's> {
    search: &'v mut IntervalSearch<'s>,
    run: &'v Run<'r>,
}

impl SegmentVisitor for Segments<'_, '_, '_> {
    fn visit(&mut self, index: usize, pairs: &[usize]) -> bool {
        let Run {
            scene,
            wanted,
            segments,
            ..
        } = self.run;
        let pairs = pairs.iter().copied();
        let pairs = pairs.filter(|&p| wanted(scene.part_pairs[p].pair));
        self.search.segment(index, pairs);
        (self.run.progress)((index + 1 - segments.start) as f64 / segments.len() as f64);
        if scene.time_limit.is_exceeded() {
            give_up_after(self.search, index, self.run);
            return false;
        }
        if (self.run.stop)() {
            return false;
        }
        self.search.hit.is_none() || self.search.goal() != Goal::First
    }

    fn threshold(&self, pair: usize) -> f64 {
        // Nothing more is to be proved of this pair: with this threshold it is always far enough
        // apart.
        let threshold = self.search.threshold(pair);
        threshold.unwrap_or(f64::NEG_INFINITY)
    }
}

/// The time limit was spent after a segment. The rest must not look as if it had been searched.
fn give_up_after(search: &mut IntervalSearch, index: usize, run: &Run) {
    let mut pairs = (0..run.scene.pairs.len()).filter(|&pair| (run.wanted)(pair));
    let rest = index + 1..run.segments.end;
    match search.goal() {
        // One unresolved interval is enough; where there is one already, or a contact, nothing is
        // added.
        Goal::First if search.hit.is_none() && search.unresolved.is_empty() => {
            search.give_up_over(rest, pairs.by_ref().take(1));
        }
        Goal::First => {}
        // Only what was looked at is listed.
        Goal::All => search
            .unresolved
            .retain(|unresolved| unresolved.distance.is_finite()),
        Goal::Minimum => search.give_up_over(rest, pairs),
    }
}
