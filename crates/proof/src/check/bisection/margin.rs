//! How much larger the errors may be: the greatest multiple of a budget for which a motion is still
//! clear.
//!
//! One search, in which the multiple s only falls. At an instant where errors of s times the budget
//! use up all that a pair is apart, s falls to a little less than what that instant allows; where
//! an interval stays unproved at the resolution, to what is proved there. All that was proved
//! before was proved for a larger s, and what a point is off grows with s, so it holds on. The last
//! s is proved for the whole motion, and the instant that made it fall last allows hardly more.

use super::goal::Goal;
use super::run::run;
use super::search::IntervalSearch;
use crate::check::Snapshot;
use crate::check::errors::{ErrorBounds, ErrorEffect};
use crate::check::scene::Scene;
use crate::model::{MotionInstant, Trajectory, Tubes, Uncertainty};
use crate::report::Statistics;

/// At how many waypoints, evenly spread, the search looks first.
const SEEDS: usize = 8;

/// The result for some pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ErrorMargin {
    /// Multiple of the budget up to which the pairs are proved clear; [`Self::MOST_TIMES`] where
    /// nothing limits it.
    pub times: f64,
    /// The instant that limits the multiple; `None`: nothing does.
    pub limit: Option<LimitingInstant>,
    /// Work done.
    pub statistics: Statistics,
}

impl ErrorMargin {
    /// The search starts at this multiple. A cell with more room than this is not limited by
    /// errors.
    pub const MOST_TIMES: f64 = 100.0;
}

/// The instant that limits a margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LimitingInstant {
    /// Index into [`Scene::pairs`].
    pub pair: usize,
    /// Where on the trajectory.
    pub at: MotionInstant,
    /// The effect of errors of the budget itself there.
    pub effect: ErrorEffect,
}

/// The greatest multiple of a budget for which the pairs that are `wanted` stay clear. `None` where
/// none of them is.
pub(crate) fn error_margin(
    scene: &Scene,
    trajectory: &Trajectory,
    budget: &Uncertainty,
    resolution: f64,
    wanted: &dyn Fn(usize) -> bool,
    progress: &dyn Fn(f64),
) -> Option<ErrorMargin> {
    if !(0..scene.pairs.len()).any(wanted) {
        return None;
    }
    let errors = ErrorBounds::new(scene, Some(budget));
    let mut start = Snapshot::default();
    start.set(scene, &trajectory.segments[0], 0.0);
    let contained = scene.contained(&mut start);
    let contained = contained.iter().find(|&&pair| wanted(pair));
    let mut search = IntervalSearch::new(scene, trajectory, Goal::First, resolution);
    search.allow(errors.clone());
    search.lower_from(ErrorMargin::MOST_TIMES);
    match contained {
        Some(&pair) => search.lower_to(0.0, pair, MotionInstant::START),
        None => {
            let count = trajectory.segments.len();
            let seeds = (0..count).step_by(count.div_ceil(SEEDS));
            let seeds = seeds.map(|k| MotionInstant::new(k, 0.0));
            let mut tubes = Tubes::default();
            for instant in seeds.chain([MotionInstant::new(count - 1, 1.0)]) {
                tubes.set(trajectory.segment_at(instant));
                let mut snapshot = Snapshot::default();
                snapshot.set_at(scene, trajectory, instant);
                for pair in nearest_first(scene, &mut snapshot, wanted) {
                    search.lower_at_nearest(pair, instant, &mut snapshot, &tubes);
                }
            }
            run(&mut search, scene, trajectory, wanted, progress);
        }
    }
    let gave_up = scene.time_limit.was_exceeded()
        || search.unresolved.iter().any(|o| o.distance.is_infinite());
    let limit = search.lowered_at().and_then(|(pair, at)| {
        let effect = errors.effect(trajectory, pair, at)?;
        Some(LimitingInstant { pair, at, effect })
    });
    Some(ErrorMargin {
        times: if gave_up { 0.0 } else { search.times() },
        limit,
        statistics: search.statistics,
    })
}

/// Pairs by how near they can be at an instant, judged by the balls around their parts.
fn nearest_first(
    scene: &Scene,
    snapshot: &mut Snapshot,
    wanted: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    let wanted = (0..scene.pairs.len()).filter(|&pair| wanted(pair));
    let mut pairs: Vec<(f64, usize)> = wanted
        .map(|pair| {
            let parts = &scene.part_pairs[scene.part_pairs_of(pair)];
            let bounds = parts.iter().map(|parts| {
                let [a, b] = [parts.a, parts.b].map(|p| snapshot.part(scene, p).pose.translation);
                let [p, q] = [parts.a, parts.b].map(|p| scene.parts[p].bounding_radius);
                (a - b).norm() - (p + q)
            });
            (bounds.fold(f64::INFINITY, f64::min), pair)
        })
        .collect();
    pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
    pairs.into_iter().map(|(_, pair)| pair).collect()
}
