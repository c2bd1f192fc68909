//! Space and time in one search.
//!
//! An interval starts with a front of unresolved node pairs. Each is proved apart, or split in
//! space, or handed to the two halves of the interval, first half first. A contact found at some
//! instant cuts everything later. What can be split no further at the resolution stays unresolved;
//! it is never taken for clear.

mod interval;
mod leaves;
mod lower;
mod middle;
mod nodes;
mod pair;
mod samples;
mod separation;
mod standing;

use std::ops::Range;

use nalgebra::Vector3;

use interval::{Answer, Interval};
use lower::Lowered;

use super::front::{Front, FrontEntry};
use super::goal::{Goal, Hit};
use super::leaf::SweptTriangle;
use super::least::LeastDistances;
use super::next_step::NextStep;
use super::plane::PlaneHistory;
use super::sweep::Sweeps;
use crate::check::Snapshot;
use crate::check::errors::ErrorBounds;
use crate::check::options::CheckOptions;
use crate::check::scene::Scene;
use crate::check::unresolved::UnresolvedInterval;
use crate::model::{MotionInstant, Segment, Trajectory, Tubes};
use crate::report::Statistics;

/// Joints may change by at most this many resolutions in a segment that is halved down to the
/// resolution: doubles allow no more halvings. Beyond it, intervals end at the length below, and
/// what is open there stays unresolved.
const MOST_RESOLUTIONS: f64 = (1u64 << 44) as f64;
const SHORTEST_INTERVAL: f64 = 1.0 / 256.0;

/// A search that begins within a segment does so at a multiple of one over this.
const STARTS_PER_SEGMENT: f64 = 64.0;

/// Intervals of one segment; what is left then stays unresolved.
const MOST_INTERVALS: u64 = 1 << 22;

/// The state of a search over a trajectory.
pub struct IntervalSearch<'s> {
    scene: &'s Scene<'s>,
    trajectory: &'s Trajectory,
    goal: Goal,
    resolution: f64,
    /// With [`Goal::All`]: a pair that touches at both ends of an interval and within it is taken
    /// to touch all along, once its bodies move by less than this in it, metres. The ends of its
    /// intervals are searched at the resolution all the same.
    pub lasting: f64,
    /// The place before which all is proved apart already.
    pub from: MotionInstant,
    /// Errors that are allowed for: what is looked for then is not contact, but the earliest
    /// instant at which a pair is not proved apart for all of them.
    errors: Option<ErrorBounds<'s>>,
    /// The tubes that the searched segment states for its joints, see
    /// [`Levers::tubes`](crate::check::errors::Levers).
    tubes: Tubes,
    /// The result of lowering the errors until all is proved; `None`: they are not lowered.
    lowered: Option<Lowered>,
    /// Whether joints are taken to be where their polynomials put them, whatever segments say.
    ideal: bool,
    /// Whether the search goes on without a budget of errors from the first interval that is not
    /// proved with it.
    pub falls_back: bool,
    /// Where it did so.
    pub fell_back: Option<MotionInstant>,
    /// Bounds without a budget: only the tubes of segments count.
    no_errors: Option<ErrorBounds<'s>>,
    /// Earliest contact so far.
    pub hit: Option<Hit>,
    /// Intervals that stayed unresolved, in time order within a segment.
    pub unresolved: Vec<UnresolvedInterval>,
    /// With [`Goal::Minimum`]: least distances.
    pub least: Option<LeastDistances>,
    /// Work done.
    pub statistics: Statistics,
    /// With [`Goal::All`]: the last interval of each pair that is known to touch, as segment and
    /// share; nothing more needs to be known about the pair inside it.
    touching: Vec<Option<(usize, [f64; 2])>>,
    snapshots: Vec<Snapshot>,
    snapshots_in_use: usize,
    /// The instant that was looked at last.
    sampled: Snapshot,
    /// Intervals to be tested, the next one last.
    pending: Vec<Interval<'s>>,
    /// Entries that are unresolved in intervals, by their depth: both halves of one share theirs.
    fronts: Vec<Front>,
    /// Number of intervals that were tested before the current segment.
    begun: u64,
    sweeps: Sweeps,
    /// Per pair of parts: the direction that separated their boxes last, in the frame of a first
    /// look at them.
    separating: Vec<Vector3<f64>>,
    /// Per pair of parts: the direction that separated triangles last, in their common frame.
    recent: Vec<Option<Vector3<f64>>>,
    /// Per pair of parts: planes that were tried between the whole parts.
    planes: Vec<PlaneHistory>,
    /// Per joint: whether it stands still in the current segment and stood still in the one before.
    still: Vec<bool>,
    /// Per part: how many joints of its chain there are up to the last one that does not.
    moving: Vec<usize>,
    work: Vec<[u32; 2]>,
    next_work: Vec<[u32; 2]>,
    answers: Vec<NextStep>,
    sides: [Vec<(u32, SweptTriangle)>; 2],
}

impl<'s> IntervalSearch<'s> {
    /// A search that has seen nothing yet.
    pub fn new(
        scene: &'s Scene<'s>,
        trajectory: &'s Trajectory,
        goal: Goal,
        resolution: f64,
    ) -> Self {
        IntervalSearch {
            scene,
            trajectory,
            goal,
            resolution,
            lasting: 0.0,
            from: MotionInstant::START,
            errors: None,
            tubes: Tubes::default(),
            ideal: false,
            falls_back: false,
            fell_back: None,
            no_errors: None,
            lowered: None,
            hit: None,
            unresolved: Vec::new(),
            least: None,
            statistics: Statistics::default(),
            touching: vec![None; scene.pairs.len()],
            snapshots: Vec::new(),
            snapshots_in_use: 0,
            sampled: Snapshot::default(),
            pending: Vec::new(),
            fronts: Vec::new(),
            begun: 0,
            sweeps: Sweeps::without_tubes(),
            separating: vec![Vector3::zeros(); scene.part_pairs.len()],
            recent: vec![None; scene.part_pairs.len()],
            planes: vec![PlaneHistory::default(); scene.part_pairs.len()],
            still: Vec::new(),
            moving: Vec::new(),
            work: Vec::new(),
            next_work: Vec::new(),
            answers: Vec::new(),
            sides: Default::default(),
        }
    }

    /// A search for least distances that has seen nothing yet.
    pub fn for_minimum(
        scene: &'s Scene<'s>,
        trajectory: &'s Trajectory,
        options: &CheckOptions,
    ) -> Self {
        IntervalSearch {
            least: Some(LeastDistances::new(scene, options)),
            ..Self::new(scene, trajectory, Goal::Minimum, options.resolution)
        }
    }

    /// Allows for errors from now on.
    pub fn allow(&mut self, errors: ErrorBounds<'s>) {
        self.errors = Some(errors);
    }

    /// Takes joints to be where their polynomials put them from now on: a contact that is found
    /// then is one of this curve, and nothing is proved of others.
    pub fn ignore_tubes(&mut self) {
        self.ideal = true;
    }

    /// Whether it allows for errors.
    pub fn allows(&self) -> bool {
        self.errors.is_some()
    }

    /// The errors that it allows for.
    pub fn errors(&self) -> Option<&ErrorBounds<'s>> {
        self.errors.as_ref()
    }

    /// The goal of the search.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// Searches one segment for the given part pairs. Segments are searched in order.
    pub fn segment(&mut self, index: usize, part_pairs: impl Iterator<Item = usize>) {
        let segment = &self.trajectory.segments[index];
        let from = self.begins(index);
        let first = self.snapshot(segment, from);
        let last = self.snapshot(segment, 1.0);
        let (mut front, later) = self.take_fronts(0);
        front.clear();
        if !self.ideal {
            self.tubes.set(segment);
        }
        if !self.tubes.is_empty() && self.errors.is_none() && self.no_errors.is_none() {
            self.no_errors = Some(ErrorBounds::new(self.scene, None));
        }
        self.find_still_joints(index);
        // All that is wanted of a pair that stands still is known already, but for its intervals of
        // contact.
        let some_stand = self.still.contains(&true);
        let skips = self.goal != Goal::All && some_stand;
        for part_pair in part_pairs {
            let stands = some_stand && self.stands_still(part_pair);
            if stands && self.touched_before(part_pair, index) {
                continue;
            }
            if !(skips && stands) {
                front.push(part_pair, FrontEntry::nodes(0, 0));
            }
        }
        self.put_fronts(0, front, later);
        self.begun = self.statistics.intervals;
        self.sweeps.joint_bounds.set(segment, from, 1.0);
        // Also false for NaN: halving would not end then.
        let can_end = self.sweeps.joint_bounds.greatest() <= MOST_RESOLUTIONS * self.resolution;
        let interval = Interval {
            index,
            segment,
            ends: [first, last],
            s: [from, 1.0],
            shortest: if can_end {
                4.0 * f64::EPSILON
            } else {
                SHORTEST_INTERVAL
            },
            depth: 0,
            snapshots_in_use: self.snapshots_in_use,
        };
        self.run(interval);
        self.snapshots_in_use = first;
    }

    /// The share of a segment at which its search begins.
    fn begins(&self, index: usize) -> f64 {
        if index != self.from.segment {
            return 0.0;
        }
        // On a grid, so that intervals have short numbers for ends; some time is always left.
        let steps = (self.from.fraction * STARTS_PER_SEGMENT).floor();
        steps.clamp(0.0, STARTS_PER_SEGMENT - 1.0) / STARTS_PER_SEGMENT
    }

    /// Whether something was not proved for all errors, and nothing more of them is wanted.
    fn has_failed(&self) -> bool {
        self.falls_back && self.fell_back.is_none() && self.hit.is_some()
    }

    /// Whether it is to fall back, after the answer for an interval.
    fn is_to_fall_back(&self, answer: &Answer, interval: &Interval) -> bool {
        let ends = match answer {
            Answer::Proved | Answer::TooLate => false,
            Answer::Unresolved { .. } => interval.is_last(),
            Answer::GivenUp => !self.scene.time_limit.is_exceeded(),
        };
        self.has_failed() || (self.falls_back && self.fell_back.is_none() && ends)
    }

    /// Goes on without a budget of errors from an interval on, before which all is proved with it.
    fn fall_back(&mut self, interval: Interval<'s>) {
        self.fell_back = Some(MotionInstant::new(interval.index, interval.s[0]));
        let tubes = self.trajectory.has_tubes();
        self.errors = tubes.then(|| ErrorBounds::new(self.scene, None));
        self.hit = None;
        self.unresolved.clear();
        self.begun = self.statistics.intervals;
        self.pending.push(interval);
    }

    /// Places a new snapshot on the stack. Old ones are reused, so this allocates only at new
    /// depths.
    fn snapshot(&mut self, segment: &Segment, s: f64) -> usize {
        if self.snapshots.len() == self.snapshots_in_use {
            self.snapshots.push(Snapshot::default());
        }
        self.snapshots[self.snapshots_in_use].set(self.scene, segment, s);
        self.snapshots_in_use += 1;
        self.snapshots_in_use - 1
    }

    /// Threshold below which the pair must not come, metres; `None` when nothing about it matters
    /// any more.
    pub fn threshold(&self, pair: usize) -> Option<f64> {
        match &self.least {
            None => Some(self.scene.pairs[pair].clearance),
            Some(least) => Some(least.of_pair(pair)).filter(|&threshold| threshold > 0.0),
        }
    }

    /// Whether an instant comes at or after a contact that is known already.
    fn too_late(&self, interval: &Interval, s: f64) -> bool {
        self.goal == Goal::First
            && self
                .hit
                .is_some_and(|h| h.at <= MotionInstant::new(interval.index, s))
    }

    /// Whether the pair is known to touch during the whole interval already.
    fn is_touching(&self, pair: usize, interval: &Interval) -> bool {
        self.touching[pair].is_some_and(|(segment, s)| {
            segment == interval.index && s[0] <= interval.s[0] && interval.s[1] <= s[1]
        })
    }

    /// The core of the default check: pop an interval, test what is unresolved in it, and split
    /// what stays so, first half first.
    fn run(&mut self, whole: Interval<'s>) {
        self.pending.push(whole);
        while let Some(interval) = self.pending.pop() {
            // Snapshots that were placed for intervals before this one are not needed any more.
            self.snapshots_in_use = interval.snapshots_in_use;
            let answer = self.test(&interval);
            if self.is_to_fall_back(&answer, &interval) {
                self.fall_back(interval);
                continue;
            }
            match answer {
                Answer::Proved | Answer::TooLate => {}
                Answer::Unresolved { .. } if interval.is_last() => {
                    self.give_up(interval, interval.depth + 1);
                }
                Answer::Unresolved { middle } => self.split(interval, middle),
                Answer::GivenUp => self.give_up(interval, interval.depth),
            }
        }
    }

    /// Tests all that the interval before left unresolved: over this one it is proved apart, or
    /// left for its halves.
    fn test(&mut self, interval: &Interval<'s>) -> Answer {
        if self.too_late(interval, interval.s[0]) {
            return Answer::TooLate;
        }
        let too_many = self.statistics.intervals - self.begun >= MOST_INTERVALS;
        if too_many || self.scene.time_limit.is_exceeded() {
            return Answer::GivenUp;
        }
        self.statistics.intervals += 1;
        self.sweeps.clear(self.scene);
        let [from, to] = interval.s;
        self.sweeps.joint_bounds.set(interval.segment, from, to);
        let (front, mut later) = self.take_fronts(interval.depth);
        let mut middle = None;
        let without_errors = self.errors.is_none() && self.tubes.is_empty();
        for group in &front.groups {
            if self.has_failed() {
                break;
            }
            // Most pairs end here, so that it comes before all else.
            let looked = without_errors && front.is_root(group);
            if looked && self.balls_are_separated(interval, group.part_pair) {
                continue;
            }
            let entries = (group.part_pair, &front.entries[group.start..group.end]);
            self.test_part_pair(*interval, entries, looked, &mut middle, &mut later);
        }
        let answer = if later.is_empty() {
            Answer::Proved
        } else {
            Answer::Unresolved { middle }
        };
        self.put_fronts(interval.depth, front, later);
        answer
    }

    /// Pushes both halves of an interval, so that the first one is popped first.
    fn split(&mut self, interval: Interval<'s>, middle: Option<usize>) {
        let s = interval.middle();
        let middle = middle.unwrap_or_else(|| self.snapshot(interval.segment, s));
        let [start, end] = interval.ends;
        let half = |ends, s| Interval {
            ends,
            s,
            snapshots_in_use: middle + 1,
            depth: interval.depth + 1,
            ..interval
        };
        self.pending.push(half([middle, end], [s, interval.s[1]]));
        self.pending.push(half([start, middle], [interval.s[0], s]));
    }

    /// The front of intervals of a depth, and an empty one for their halves.
    fn take_fronts(&mut self, depth: usize) -> (Front, Front) {
        self.fronts
            .resize_with(self.fronts.len().max(depth + 2), Front::with_room);
        let front = std::mem::take(&mut self.fronts[depth]);
        let mut later = std::mem::take(&mut self.fronts[depth + 1]);
        later.clear();
        (front, later)
    }

    /// Puts both fronts back.
    fn put_fronts(&mut self, depth: usize, front: Front, later: Front) {
        self.fronts[depth] = front;
        self.fronts[depth + 1] = later;
    }

    /// The interval cannot be halved any more, or no time is left: what is unresolved in it stays
    /// unresolved.
    fn give_up(&mut self, interval: Interval, front: usize) {
        let groups = self.fronts[front].groups.iter();
        self.unresolved
            .extend(groups.map(|group| UnresolvedInterval {
                pair: self.scene.part_pairs[group.part_pair].pair,
                start: interval.time(interval.s[0]),
                end: interval.time(interval.s[1]),
                distance: f64::INFINITY,
                at: MotionInstant::new(interval.index, interval.s[0]),
                touches: false,
            }));
    }

    /// No time is left: nothing is known of any of these pairs over these segments.
    pub fn give_up_over(&mut self, segments: Range<usize>, pairs: impl Iterator<Item = usize>) {
        let at = MotionInstant::new(segments.start, 0.0);
        let (Some(next), Some(last)) = (
            self.trajectory.segments[segments.clone()].first(),
            self.trajectory.segments[segments].last(),
        ) else {
            return;
        };
        self.unresolved.extend(pairs.map(|pair| UnresolvedInterval {
            pair,
            start: next.start,
            end: last.end,
            distance: f64::INFINITY,
            at,
            touches: false,
        }));
    }
}

#[cfg(test)]
mod tests;
