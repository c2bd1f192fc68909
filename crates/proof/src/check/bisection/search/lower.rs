//! A search in which the errors that are allowed for become smaller until all is proved.

use super::IntervalSearch;
use super::interval::Leaves;
use crate::check::Snapshot;
use crate::check::bisection::front::FrontEntry;
use crate::check::bisection::goal::Hit;
use crate::check::bisection::leaf::SweptTriangle;
use crate::check::errors::{ErrorBounds, LimitingPoints, PointErrors, greatest_scale};
use crate::model::{MotionInstant, Tubes};

/// The search tries to prove this share of the multiple that an instant allows: with all of it, the
/// instants around would fail.
const LOWERING_FACTOR: f64 = 0.98;
/// A smaller multiple counts as nothing.
const LEAST_TIMES: f64 = 1e-3;

/// The result of a search that lowers its errors.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lowered {
    /// The pair that lowered the errors last, and the place.
    at: Option<(usize, MotionInstant)>,
}

impl IntervalSearch<'_> {
    /// Lowers the errors that are allowed for, from so many times the budget, until all is proved.
    pub fn lower_from(&mut self, times: f64) {
        if let Some(errors) = &mut self.errors {
            errors.scale = times;
            self.lowered = Some(Lowered::default());
        }
    }

    /// Whether this search lowers its errors.
    pub(super) fn lowers(&self) -> bool {
        self.lowered.is_some()
    }

    /// The multiple that is allowed for.
    pub fn times(&self) -> f64 {
        self.errors.as_ref().map_or(0.0, |errors| errors.scale)
    }

    /// Which pair has lowered it last, and where.
    pub fn lowered_at(&self) -> Option<(usize, MotionInstant)> {
        self.lowered.and_then(|lowered| lowered.at)
    }

    /// Lowers the multiple to a little less than this.
    pub fn lower_to(&mut self, times: f64, pair: usize, at: MotionInstant) {
        let times = LOWERING_FACTOR * times;
        let times = if times < LEAST_TIMES { 0.0 } else { times };
        if let (Some(errors), Some(lowered)) = (&mut self.errors, &mut self.lowered)
            && times < errors.scale
        {
            errors.scale = times;
            lowered.at = Some((pair, at));
            if times == 0.0 {
                // No multiple is left to be proved: a hit at the start ends the search.
                self.hit = Some(Hit {
                    pair,
                    at: MotionInstant::START,
                });
            }
        }
    }

    /// Looks at a pair at one instant, there where it is nearest. Elsewhere errors may leave less,
    /// which the search finds; a look all over would take many times as long.
    pub fn lower_at_nearest(
        &mut self,
        pair: usize,
        at: MotionInstant,
        snapshot: &mut Snapshot,
        tubes: &Tubes,
    ) {
        let Some(errors) = &self.errors else { return };
        if self.times() > 0.0 && !self.scene.time_limit.is_exceeded() {
            let required = self.scene.pairs[pair].clearance;
            let tests = &mut self.statistics.distance_tests;
            let found = errors.limiting_at_nearest(pair, snapshot, tubes, required, tests);
            if let Some(found) = found {
                self.lower_where(&found, pair, at, snapshot, tubes);
            }
        }
    }

    /// Lowers the multiple to what a place of a pair allows at an instant.
    fn lower_where(
        &mut self,
        found: &LimitingPoints,
        pair: usize,
        at: MotionInstant,
        snapshot: &mut Snapshot,
        tubes: &Tubes,
    ) {
        let Some(errors) = &self.errors else { return };
        let (scene, points) = (self.scene, found.points);
        let part_pair = &scene.part_pairs[found.part_pair];
        let mut scaled: ErrorBounds = errors.clone();
        for part in [part_pair.a, part_pair.b] {
            snapshot.part(scene, part);
        }
        let mut deviation = |times: f64| {
            scaled.scale = times;
            let errors = PointErrors::new(&scaled, part_pair, (snapshot, None), tubes);
            errors.at_world_point(0, &points[0]) + errors.at_world_point(1, &points[1])
        };
        let room = found.distance - scene.pairs[pair].clearance;
        let times = greatest_scale(self.times(), room, &mut deviation);
        self.lower_to(times, pair, at);
    }

    /// Lowers the multiple until two triangles are proved apart in an interval that is not halved
    /// further; `middle` is the snapshot of its middle.
    pub(super) fn lower_until_separated(
        &mut self,
        leaves: &Leaves,
        triangles: (&FrontEntry, [&SweptTriangle; 2]),
        middle: usize,
    ) {
        let pair = self.scene.part_pairs[leaves.part_pair].pair;
        let at = MotionInstant::new(leaves.interval.index, leaves.interval.middle());
        let Some(mut scaled) = self.errors.clone() else {
            return;
        };
        let mut times = self.times();
        while times >= LEAST_TIMES {
            scaled.scale = times;
            if self.are_separated_with_errors(&scaled, leaves, triangles, middle) {
                // This multiple itself is proved here: undo the factor that `lower_to` applies.
                return self.lower_to(times / LOWERING_FACTOR, pair, at);
            }
            times *= LOWERING_FACTOR;
        }
        self.lower_to(0.0, pair, at);
    }
}
