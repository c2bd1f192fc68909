//! A search over the segments of a motion.

use super::pair_filter::{PairFilter, Visitor};
use super::record::Goal;
use super::search::IntervalSearch;
use crate::check::scene::Scene;
use crate::model::Path;

/// Searches the segments in order, for the pairs of bodies that are `wanted`. Pairs that cannot
/// come within their thresholds over an interval are left out there.
pub(super) fn run(
    search: &mut IntervalSearch,
    scene: &Scene,
    path: &Path,
    wanted: &dyn Fn(usize) -> bool,
    progress: &dyn Fn(f64),
) {
    let errors = search.errors().cloned();
    let all: Vec<usize> = (0..scene.part_pairs.len()).collect();
    let count = path.segments.len();
    let mut segments = Segments {
        search,
        scene,
        count,
        wanted,
        progress,
    };
    if !scene.hulls {
        (0..count).all(|index| segments.visit(index, &all));
        return;
    }
    let mut pair_filter = PairFilter::new(scene, errors.as_ref());
    pair_filter.visit(path, &mut segments);
    search.statistics.unreachable = pair_filter.unreachable;
}

/// Searches one segment after the other.
struct Segments<'r, 's> {
    search: &'r mut IntervalSearch<'s>,
    scene: &'r Scene<'r>,
    count: usize,
    wanted: &'r dyn Fn(usize) -> bool,
    progress: &'r dyn Fn(f64),
}

impl Visitor for Segments<'_, '_> {
    fn visit(&mut self, index: usize, pairs: &[usize]) -> bool {
        let (scene, wanted) = (self.scene, self.wanted);
        let pairs = pairs.iter().copied();
        let pairs = pairs.filter(|&p| wanted(scene.part_pairs[p].pair));
        self.search.segment(index, pairs);
        (self.progress)((index + 1) as f64 / self.count as f64);
        if scene.budget.is_spent() {
            give_up_after(self.search, index, scene, wanted);
            return false;
        }
        self.search.hit.is_none() || self.search.goal() != Goal::First
    }

    fn threshold(&self, pair: usize) -> f64 {
        // Of a pair of which nothing is to be proved any more no more is wanted.
        let threshold = self.search.threshold(pair);
        threshold.unwrap_or(f64::NEG_INFINITY)
    }
}

/// No time is left after a segment. What the search is for must not look as if all had been
/// searched.
fn give_up_after(
    search: &mut IntervalSearch,
    index: usize,
    scene: &Scene,
    wanted: &dyn Fn(usize) -> bool,
) {
    let mut pairs = (0..scene.pairs.len()).filter(|&pair| wanted(pair));
    match search.goal() {
        // One says it, and after a contact or an unresolved interval nothing more needs to be
        // known.
        Goal::First if search.hit.is_none() && search.unresolved.is_empty() => {
            search.give_up_from(index + 1, pairs.by_ref().take(1));
        }
        Goal::First => {}
        // Only what was looked at is listed.
        Goal::All => search
            .unresolved
            .retain(|unresolved| unresolved.distance.is_finite()),
        Goal::Minimum => search.give_up_from(index + 1, pairs),
    }
}
