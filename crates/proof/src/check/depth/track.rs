//! How deep two bodies get while they touch.

use std::collections::VecDeque;

use super::convex::Convex;
use super::{deepest_within, has_inside, penetration_depth};
use crate::check::Snapshot;
use crate::check::Travels;
use crate::check::scene::Scene;
use crate::model::{MotionInstant, Trajectory};
use crate::numeric::max_or_nan;

/// How far the bodies may move against each other from one look to the next, metres.
const STEP_M: f64 = 0.01;
/// After every so many instants that distance is doubled.
const INSTANTS_PER_STEP: usize = 8;
/// How often the surroundings of the deepest instant are narrowed.
const NARROWINGS: usize = 4;
/// At how many points of one part in another one the depth is computed at an instant, at most:
/// depths are found out for every contact that is told, so all of this must cost no more than
/// finding the contact did.
const MOST_POINTS: u64 = 16;
/// The same for all instants while a contact is followed, and then for the deepest one.
const MOST_POINTS_ALL: [u64; 2] = [160, 240];
/// The same for the way apart at the deepest one.
const MOST_POINTS_APART: u64 = 200;
/// Bodies that are farther apart than their threshold by more than this count as free, metres.
const FREE_M: f64 = 1e-7;

/// How deep a pair got.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackedDepth {
    /// Proved: at `time` the two would have to be moved apart by at least this much, metres.
    /// `None`: neither has an inside.
    pub depth: Option<f64>,
    /// Trajectory time.
    pub time: f64,
    /// The place of `time`.
    pub at: MotionInstant,
    /// The first instant looked at in which the two are farther apart than their threshold again;
    /// `None`: not up to the end.
    pub free: Option<f64>,
    /// Points at which the depth was computed.
    pub points: u64,
}

/// Looks at a pair from an instant of contact on: until `until`, or else until it is free again or
/// the motion is over.
pub fn track_depth(
    scene: &Scene,
    trajectory: &Trajectory,
    pair: usize,
    from: MotionInstant,
    until: Option<f64>,
) -> TrackedDepth {
    let mut tracker = DepthTracker::new(scene, trajectory, pair, from);
    let mut free = None;
    let mut instants = vec![from];
    let (mut step, mut count) = (STEP_M, 0);
    'trajectory: for (index, segment) in trajectory.segments.iter().enumerate().skip(from.segment) {
        let first = if index == from.segment {
            from.fraction
        } else {
            0.0
        };
        let last = match until {
            Some(until) if until < segment.start => break,
            Some(until) if until < segment.end && segment.duration() > 0.0 => {
                ((until - segment.start) / segment.duration()).clamp(first, 1.0)
            }
            _ => 1.0,
        };
        let travel = tracker.travel(index, first, last);
        let (mut passed, mut before) = (0.0, first);
        // Bodies that do not move against each other need one look.
        while before < last {
            passed += step;
            let here = if passed < travel {
                (first + (last - first) * passed / travel).min(last)
            } else {
                last
            };
            if here <= before {
                break;
            }
            if until.is_none() && tracker.is_free(MotionInstant::new(index, here)) {
                free = Some(segment.time(here));
                break 'trajectory;
            }
            instants.push(MotionInstant::new(index, here));
            before = here;
            count += 1;
            if count % INSTANTS_PER_STEP == 0 {
                step *= 2.0;
            }
        }
    }
    let deepest = tracker.all(&instants);
    tracker.most = MOST_POINTS_ALL[1];
    tracker.narrow(&instants, deepest);
    tracker.refine_by_displacements();
    TrackedDepth {
        depth: tracker.depth(),
        time: trajectory.time_at(tracker.best),
        at: tracker.best,
        free,
        points: tracker.points,
    }
}

struct DepthTracker<'s> {
    scene: &'s Scene<'s>,
    trajectory: &'s Trajectory,
    pair: usize,
    snapshot: Snapshot,
    convex: Convex<'s>,
    known: f64,
    /// Where the pair is deepest so far.
    best: MotionInstant,
    points: u64,
    /// More points are not looked at for now.
    most: u64,
}

impl<'s> DepthTracker<'s> {
    fn new(
        scene: &'s Scene<'s>,
        trajectory: &'s Trajectory,
        pair: usize,
        from: MotionInstant,
    ) -> Self {
        DepthTracker {
            scene,
            trajectory,
            pair,
            snapshot: Snapshot::default(),
            convex: Convex::of(scene, pair),
            known: 0.0,
            best: from,
            points: 0,
            most: MOST_POINTS_ALL[0],
        }
    }

    /// Looks at these instants, the middle of them first: bodies are likely to be deepest there.
    /// Which one was deepest.
    fn all(&mut self, instants: &[MotionInstant]) -> usize {
        let mut deepest = 0;
        let mut open = VecDeque::new();
        open.push_back(0..instants.len());
        while let Some(range) = open.pop_front() {
            if range.is_empty() {
                continue;
            }
            let middle = range.start + range.len() / 2;
            if self.at(instants[middle]) {
                deepest = middle;
            }
            open.extend([range.start..middle, middle + 1..range.end]);
        }
        deepest
    }

    /// Looks at an instant; whether it is the deepest so far.
    fn at(&mut self, at: MotionInstant) -> bool {
        self.snapshot.set_at(self.scene, self.trajectory, at);
        let snapshot = &mut self.snapshot;
        let deeper = if self.points < self.most {
            let question = (self.known, MOST_POINTS);
            deepest_within(self.scene, self.pair, snapshot, question, &mut self.points)
                .map(|d| d.depth)
        } else {
            None
        };
        let known = deeper.unwrap_or(self.known);
        let deeper = (self.convex.penetration_depth(self.scene, snapshot, known)).or(deeper);
        if let Some(depth) = deeper {
            (self.known, self.best) = (depth, at);
        }
        deeper.is_some()
    }

    /// Whether the two are apart at an instant.
    fn is_free(&mut self, at: MotionInstant) -> bool {
        self.snapshot.set_at(self.scene, self.trajectory, at);
        let below = self.scene.pairs[self.pair].clearance + FREE_M;
        let near = self
            .scene
            .pair_distance(self.pair, &mut self.snapshot, below, &mut 0);
        near.is_none() && !self.scene.is_contained(self.pair, &mut self.snapshot)
    }

    /// Looks more closely around the deepest of the instants, as far as the next ones in its
    /// segment.
    fn narrow(&mut self, instants: &[MotionInstant], deepest: usize) {
        if self.known <= 0.0 {
            return;
        }
        let MotionInstant {
            segment,
            fraction: deepest_fraction,
        } = self.best;
        let beside = |k: Option<usize>| {
            let at = k.and_then(|k| instants.get(k));
            let at = at.filter(|at| at.segment == segment);
            at.map_or(deepest_fraction, |at| at.fraction)
        };
        let [low, high] = [deepest.checked_sub(1), Some(deepest + 1)].map(beside);
        let mut step = [deepest_fraction - low, high - deepest_fraction];
        for _ in 0..NARROWINGS {
            step = step.map(|s| 0.5 * s);
            let middle = self.best.fraction;
            let [before, after] = [(middle - step[0]).max(low), (middle + step[1]).min(high)];
            let _ = before < middle && self.at(MotionInstant::new(segment, before))
                || after > middle && self.at(MotionInstant::new(segment, after));
        }
    }

    /// Proves more at the deepest instant.
    fn refine_by_displacements(&mut self) {
        if self.known <= 0.0 {
            return;
        }
        let (scene, pair, at) = (self.scene, self.pair, self.best);
        self.snapshot.set_at(scene, self.trajectory, at);
        let question = (0.0, MOST_POINTS);
        let snapshot = &mut self.snapshot;
        if let Some(deep) = deepest_within(scene, pair, snapshot, question, &mut self.points) {
            let known = [deep.depth, self.known];
            let depth = penetration_depth(
                scene,
                pair,
                snapshot,
                known,
                MOST_POINTS_APART,
                &mut self.points,
            );
            self.known = self.known.max(depth);
        }
    }

    fn depth(&self) -> Option<f64> {
        (self.known > 0.0 || has_inside(self.scene, self.pair)).then_some(self.known)
    }

    /// How far the two can move against each other in a part of a segment, metres.
    fn travel(&self, index: usize, from: f64, to: f64) -> f64 {
        let segment = &self.trajectory.segments[index];
        let mut ends = [Snapshot::default(), Snapshot::default()];
        ends[0].set(self.scene, segment, from);
        ends[1].set(self.scene, segment, to);
        let mut travels = Travels::default();
        travels.set(self.scene, segment, from, to);
        let parts = &self.scene.part_pairs[self.scene.part_pairs_of(self.pair)];
        let travel = parts.iter().map(|p| travels.pair(self.scene, p, &mut ends));
        travel.fold(0.0, max_or_nan)
    }
}
