//! The least clearance: of all pairs, of every class of pairs, and of pairs one by one where that
//! is asked for.

use super::goal::Goal;
use super::least::{LeastDistances, LeastKnown};
use super::search::IntervalSearch;
use super::stretches::Stretches;
use super::sum;
use crate::check::Snapshot;
use crate::check::bisection::CheckOptions;
use crate::check::scene::Scene;
use crate::model::Trajectory;
use crate::report::{ClassMinimum, MinimumClearance, Statistics};

/// The result of a search for least distances.
pub(super) struct LeastFound {
    /// Of all pairs.
    pub least: Option<MinimumClearance>,
    /// Of every class.
    pub by_class: Vec<ClassMinimum>,
    /// Of pairs one by one, nearest first.
    pub pairs: Vec<MinimumClearance>,
    /// All other pairs are proved farther apart than this, metres.
    pub others_farther_than: Option<f64>,
    /// Work done.
    pub statistics: Statistics,
}

/// Searches a motion. `contained`: the pairs of which one body is inside the other one at its
/// start.
pub(super) fn minimum(
    scene: &Scene,
    trajectory: &Trajectory,
    options: &CheckOptions,
    contained: &[usize],
    progress: &dyn Fn(f64),
) -> LeastFound {
    let question = Stretches::new(scene, trajectory, Goal::Minimum, options.resolution);
    in_stretches(question, options, contained, progress)
}

/// The same for a motion that is cut as `question` says.
fn in_stretches(
    question: Stretches,
    options: &CheckOptions,
    contained: &[usize],
    progress: &dyn Fn(f64),
) -> LeastFound {
    let (scene, trajectory) = (question.scene, question.trajectory);
    let mut search = IntervalSearch::for_minimum(scene, trajectory, options);
    let start = trajectory.segments[0].start;
    if let Some(least) = &mut search.least {
        for &pair in contained {
            least.record_distance(pair, 0.0, start);
        }
    }
    search.sample_motion();
    let samples = search.statistics;
    let search = Stretches {
        least: search.least,
        ..question
    };
    let search = search.search(progress);
    let mut found = LeastFound {
        least: None,
        by_class: Vec::new(),
        pairs: Vec::new(),
        others_farther_than: None,
        statistics: sum(&search.statistics, &samples),
    };
    let unresolved = search.unresolved;
    if let Some(mut known) = search.least {
        // Given up somewhere: nothing is proved about the pair.
        for unresolved in unresolved {
            known.record_bound(unresolved.pair, 0.0);
        }
        LeastReport {
            scene,
            trajectory,
            known,
        }
        .report(&mut found);
    }
    found
}

struct LeastReport<'r> {
    scene: &'r Scene<'r>,
    trajectory: &'r Trajectory,
    known: LeastDistances,
}

impl LeastReport<'_> {
    fn report(&self, found: &mut LeastFound) {
        let known = &self.known;
        for (index, class) in known.classes.iter().enumerate() {
            let least = self.reported(&class.known, known.of_class(index));
            // Of what there was no time to look at nothing can be said.
            if least.distance.is_finite() {
                if let Some(class) = class.class {
                    let least = least.clone();
                    found.by_class.push(ClassMinimum { class, least });
                }
                let nearest = |all: &MinimumClearance| all.distance <= least.distance;
                if !found.least.as_ref().is_some_and(nearest) {
                    found.least = Some(least);
                }
            }
        }
        found.by_class.sort_by_key(|found| found.class);
        if let Some(least) = &mut found.least {
            let bounds = (0..known.classes.len()).map(|class| known.of_class(class).max(0.0));
            least.lower_bound = bounds.fold(least.lower_bound, f64::min);
        }
        let Some(within) = known.within else { return };
        found.others_farther_than = Some(within);
        for (index, pair) in known.pairs.iter().enumerate() {
            let proved = known.of_pair(index);
            if proved >= within {
                continue;
            }
            if pair.distance.is_finite() {
                found.pairs.push(self.reported(pair, proved))
            } else {
                // There was no time to look at it, or it has no surface.
                found.others_farther_than = None
            }
        }
        let pairs = &mut found.pairs;
        pairs.sort_by(|x, y| x.distance.total_cmp(&y.distance));
    }

    fn reported(&self, known: &LeastKnown, proved: f64) -> MinimumClearance {
        let pair = self.scene.pairs[known.pair];
        let name = |body: usize| self.scene.cell.bodies[body].name.clone();
        let distance = self.distance(known);
        MinimumClearance {
            distance,
            lower_bound: proved.clamp(0.0, distance),
            time: known.time,
            a: name(pair.a),
            b: name(pair.b),
            delays: Vec::new(),
        }
    }

    /// Distance of a pair at the instant of the least one that was seen. That was of two triangles:
    /// others of the pair may be nearer at this instant.
    fn distance(&self, known: &LeastKnown) -> f64 {
        if self.scene.time_limit.was_exceeded() || !known.distance.is_finite() {
            return known.distance;
        }
        let mut snapshot = Snapshot::default();
        let instant = self.trajectory.locate(known.time);
        snapshot.set_at(self.scene, self.trajectory, instant);
        self.scene
            .pair_distance(known.pair, &mut snapshot, known.distance, &mut 0)
            .map_or(known.distance, |nearest| nearest.distance)
    }
}

#[cfg(test)]
mod tests;
