//! Near misses: when pairs come nearer than their warn distance. The same search as for contact
//! intervals, with the warn distances in place of the thresholds ([`Scene::at_warn_distances`]).

use super::goal::Goal;
use super::stretches::Stretches;
use crate::check::Snapshot;
use crate::check::insides::{MeetingInterval, merged, of_all_pairs};
use crate::check::nearest::margin;
use crate::check::scene::Scene;
use crate::check::unresolved::UnresolvedInterval;
use crate::model::{MotionInstant, Segment, Trajectory};
use crate::numeric::golden::inner_points;
use crate::report::{NearMiss, Statistics};

/// Most instants of an interval at which the distance is computed: in all, and in each of the
/// segments that it passes.
const SAMPLES: usize = 240;
const SAMPLES_PER_SEGMENT: usize = 12;
/// How many of the nearest of these instants are refined.
const REFINED: usize = 4;
/// Steps of the golden section around each of them: each leaves 0.62 of the interval.
const NARROWINGS: usize = 24;

impl Scene<'_> {
    /// Every interval in which a pair of the scene is not proved farther apart than its threshold
    /// (the warn distance), or one body of it is inside the other, by time. Outside of them it is
    /// proved. `progress` is told the share that is done, 0 … 1.
    pub fn near_misses(
        &self,
        trajectory: &Trajectory,
        resolution: f64,
        progress: &dyn Fn(f64),
    ) -> (Vec<NearMiss>, Statistics) {
        let mut start = Snapshot::default();
        start.set(self, &trajectory.segments[0], 0.0);
        // Bodies that keep their places relative to each other, such as the fingers of a gripper,
        // are looked at once.
        let still: Vec<bool> = (0..self.pairs.len())
            .map(|pair| is_still(self, trajectory, pair))
            .collect();
        let search = Stretches {
            wanted: &|pair| !still[pair],
            ..Stretches::new(self, trajectory, Goal::All, resolution)
        };
        let search = search.search(progress);
        let statistics = search.statistics;
        let contained = self.contained(&mut start);
        let mut unresolved = search.unresolved;
        let always = (0..self.pairs.len()).filter(|&pair| still[pair]);
        unresolved.extend(always.filter_map(|pair| {
            if self.time_limit.is_exceeded() {
                return None;
            }
            let warn = self.pairs[pair].clearance;
            let warn = warn + margin(self, pair, &mut start);
            // This is their distance all the time: nothing is left to be resolved.
            let seen = self.pair_distance(pair, &mut start, warn.next_up(), &mut 0)?;
            Some(UnresolvedInterval {
                pair,
                start: trajectory.segments[0].start,
                end: trajectory.segments[trajectory.segments.len() - 1].end,
                distance: seen.distance,
                at: MotionInstant::START,
                touches: true,
            })
        }));
        // Surfaces say nothing about a body that is wholly inside another one: that time belongs to
        // a near miss as well.
        let surfaces = UnresolvedInterval::joined(unresolved);
        let mut meetings = merged(of_all_pairs(self, trajectory, &contained, &surfaces));
        meetings.sort_by(|x, y| {
            let times = x.interval.start.total_cmp(&y.interval.start);
            times.then(x.interval.pair.cmp(&y.interval.pair))
        });
        let from_the_start = |o: &UnresolvedInterval| {
            o.start == trajectory.segments[0].start && contained.contains(&o.pair)
        };
        let least = |meeting: &MeetingInterval| {
            let o = &meeting.interval;
            if from_the_start(o) {
                return SampledMinimum {
                    distance: 0.0,
                    at: MotionInstant::START,
                };
            }
            if let Some(at) = meeting.inside {
                return SampledMinimum { distance: 0.0, at };
            }
            if still[o.pair] || self.time_limit.is_exceeded() {
                return SampledMinimum {
                    distance: o.distance,
                    at: o.at,
                };
            }
            sampled_minimum(self, trajectory, o)
        };
        let misses = meetings.iter().map(|meeting| {
            let seen = least(meeting);
            let o = &meeting.interval;
            let pair = &self.pairs[o.pair];
            NearMiss {
                a: self.cell.bodies[pair.a].name.clone(),
                b: self.cell.bodies[pair.b].name.clone(),
                warn: pair.clearance,
                entered: o.start,
                left: o.end,
                distance: seen.distance,
                time: trajectory.time_at(seen.at),
                segment: seen.at.segment,
                fraction: seen.at.fraction,
            }
        });
        (misses.collect(), statistics)
    }
}

/// Whether no joint between the two bodies moves, so that their distance stays what it is.
pub fn is_still(scene: &Scene, trajectory: &Trajectory, pair: usize) -> bool {
    let first = &trajectory.segments[0];
    let rests = |joint: usize| {
        let value = first.joints.of(joint)[0];
        trajectory.segments.iter().all(|s| {
            let c = s.joints.of(joint);
            c[0] == value && c[1..].iter().all(|&x| x == 0.0)
        })
    };
    scene.part_pairs[scene.part_pairs_of(pair)].iter().all(|p| {
        [p.a, p.b].iter().all(|&part| {
            let chain = scene.chains.of(scene.parts[part].joint);
            chain[p.shared..].iter().all(|&joint| rests(joint))
        })
    })
}

/// A distance that is attained, and where.
#[derive(Clone, Copy)]
pub(super) struct SampledMinimum {
    pub distance: f64,
    pub at: MotionInstant,
}

impl SampledMinimum {
    fn nearer(self, other: SampledMinimum) -> SampledMinimum {
        if other.distance < self.distance {
            other
        } else {
            self
        }
    }
}

/// The least distance that a close look at an interval shows. The search itself stops at the warn
/// distance.
pub(super) fn sampled_minimum(
    scene: &Scene,
    trajectory: &Trajectory,
    interval: &UnresolvedInterval,
) -> SampledMinimum {
    let mut snapshot = Snapshot::default();
    let mut sample = |at: MotionInstant| {
        snapshot.set_at(scene, trajectory, at);
        let found = scene.pair_distance(interval.pair, &mut snapshot, f64::INFINITY, &mut 0);
        SampledMinimum {
            distance: found.map_or(f64::INFINITY, |n| n.distance),
            at,
        }
    };
    let mut best = sample(interval.at);
    let shares: Vec<(usize, [f64; 2])> = trajectory
        .segments
        .iter()
        .enumerate()
        .filter_map(|(index, segment)| Some((index, share(segment, interval)?)))
        .collect();
    let samples = (SAMPLES / shares.len().max(1)).clamp(1, SAMPLES_PER_SEGMENT);
    // The least of every segment, with the surroundings in which a lesser one may lie.
    let mut least_of_segments = Vec::new();
    for (index, [from, to]) in shares {
        let step = (to - from) / samples as f64;
        let least = (0..=samples)
            .map(|k| sample(MotionInstant::new(index, (from + step * k as f64).min(to))))
            .min_by(|x, y| x.distance.total_cmp(&y.distance));
        if let Some(seen) = least {
            let s = seen.at.fraction;
            let around = [(s - step).max(from), (s + step).min(to)];
            least_of_segments.push((seen, around));
        }
    }
    least_of_segments.sort_by(|x, y| x.0.distance.total_cmp(&y.0.distance));
    for (seen, [mut low, mut high]) in least_of_segments.into_iter().take(REFINED) {
        best = best.nearer(seen);
        if best.distance <= 0.0 {
            break;
        }
        for _ in 0..NARROWINGS {
            let [left, right] =
                inner_points(low, high).map(|s| sample(MotionInstant::new(seen.at.segment, s)));
            if left.distance <= right.distance {
                high = right.at.fraction
            } else {
                low = left.at.fraction
            }
            best = best.nearer(left).nearer(right);
        }
    }
    best
}

/// The part of a segment that lies in an interval, as shares of the segment.
pub(super) fn share(segment: &Segment, interval: &UnresolvedInterval) -> Option<[f64; 2]> {
    let duration = segment.end - segment.start;
    if interval.end < segment.start || interval.start > segment.end {
        return None;
    }
    if duration <= 0.0 {
        return Some([0.0, 1.0]);
    }
    let share = |time: f64| ((time - segment.start) / duration).clamp(0.0, 1.0);
    Some([share(interval.start), share(interval.end)])
}
