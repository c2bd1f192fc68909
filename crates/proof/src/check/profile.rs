//! The distance of a pair over time: exact at instants, with a proved lower bound between each two
//! of them.
//!
//! Between two instants the check itself is asked whether the pair stays farther apart than a
//! little less than the smaller of the two distances. If so, that is the bound. If not, it names an
//! instant at which the pair is nearer; the distance there is looked at too, and both halves are
//! asked again. So instants gather where the curve dips.
//!
//! Most steps are so short that no search is needed: neither part moves far enough to come that
//! much nearer and be back in time (`travel.rs`).
//!
//! Distances are those of the motion without errors; the bounds hold for every error that the cell
//! allows and that straight moves of a tool bring along. So no more is asked of a bound than what
//! errors leave of the distance at the two instants: no instant in between would bring it closer.

use nalgebra::{Point3, Vector3};

use crate::check::Snapshot;
use crate::check::bisection::prove;
use crate::check::errors::ErrorBounds;
use crate::check::nearest::margin;
use crate::check::scene::{BodyPair, PartPair, Scene};
use crate::check::travel::Travels;
use crate::geometry::pose::Pose;
use crate::geometry::triangle::Closest;
use crate::model::{MotionInstant, Segment, SegmentErrors, Trajectory};
use crate::numeric::max_or_nan;
use crate::numeric::polynomial::restricted;

/// How far a bound may lie below the smaller of the two distances, errors subtracted, metres …
const SLACK_M: f64 = 5e-4;
/// … or as a share of that distance, whichever is more.
const SLACK_SHARE: f64 = 0.04;
/// Most instants that are looked at, however loose the bounds still are.
const MOST_SAMPLES: usize = 480;

fn slack(distance: f64) -> f64 {
    SLACK_M.max(SLACK_SHARE * distance)
}

/// The pair at one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Where on the trajectory.
    pub instant: MotionInstant,
    /// When (seconds, or waypoint number).
    pub time: f64,
    /// Distance, metres; 0 where the bodies cross or one is inside the other's solid.
    pub distance: f64,
    /// Closest points on the first and on the second body, world frame, metres; `None` where one is
    /// inside the other.
    pub points: Option<[Point3<f64>; 2]>,
}

/// One pair over the whole trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct PairProfile {
    /// Index into [`Scene::pairs`].
    pub pair: usize,
    /// By time, from the first instant of the trajectory to the last.
    pub samples: Vec<Sample>,
    /// Between each sample and the next the distance is proved never to be less than this, metres.
    pub bounds: Vec<f64>,
}

impl PairProfile {
    /// The sample with the least distance; the earliest one of several.
    pub fn least(&self) -> Option<&Sample> {
        let samples = self.samples.iter();
        samples.min_by(|x, y| x.distance.total_cmp(&y.distance))
    }

    /// Proved: the distance is never less, metres.
    pub fn bound(&self) -> f64 {
        let bounds = self.bounds.iter().copied();
        let least = self.least().map_or(0.0, |s| s.distance);
        bounds.fold(least, f64::min)
    }

    /// Forgets inner samples that do not pass a test; what was proved on both sides of them holds
    /// for the two together.
    pub fn retain(&mut self, keep: impl Fn(&Sample) -> bool) {
        let mut k = 1;
        while k + 1 < self.samples.len() {
            if keep(&self.samples[k]) {
                k += 1;
            } else {
                self.samples.remove(k);
                let after = self.bounds.remove(k);
                self.bounds[k - 1] = self.bounds[k - 1].min(after);
            }
        }
    }
}

/// More than the rounding between distances along restricted polynomials and distances along the
/// trajectory itself, for joint values up to a thousand turns and cells up to a kilometre, metres.
const ROUNDING_M: f64 = 1e-9;

impl Scene<'_> {
    /// Follows one pair along a trajectory. `instants` are looked at in any case; the first and
    /// the last one are where the bounds begin and end.
    pub fn pair_profile(
        &self,
        pair: usize,
        trajectory: &Trajectory,
        instants: &[MotionInstant],
    ) -> PairProfile {
        let mut follower = Follower::new(self, pair, trajectory);
        let mut profile = PairProfile {
            pair,
            samples: Vec::new(),
            bounds: Vec::new(),
        };
        let mut instants = instants.to_vec();
        instants.sort_by(MotionInstant::order);
        instants.dedup();
        let mut ahead: Vec<Look> = instants.iter().rev().map(|&p| follower.look(p)).collect();
        let Some(mut from) = ahead.pop() else {
            return profile;
        };
        profile.samples.push(from.sample);
        // The samples that lie ahead, nearest last; a step that cannot be bounded puts an instant
        // in between.
        while let Some(to) = ahead.last() {
            let spent = profile.samples.len() + ahead.len() >= MOST_SAMPLES;
            match follower.step(&from, to, spent) {
                BetweenSamples::Bound(bound) => {
                    profile.bounds.push(bound);
                    profile.samples.push(to.sample);
                    from = *to;
                    ahead.pop();
                }
                BetweenSamples::Look(instant) => {
                    let look = follower.look(instant);
                    ahead.push(look);
                }
            }
        }
        profile
    }

    /// Whether all these pairs are proved to stay farther apart than `clearance` (metres) on the
    /// whole trajectory; else the index of one that was not.
    pub fn farther_than(
        &self,
        pairs: &[usize],
        trajectory: &Trajectory,
        clearance: f64,
        resolution: f64,
    ) -> Result<(), usize> {
        let alone = alone(self, pairs, clearance);
        // The pairs of the scene are these, in this order.
        prove(&alone, trajectory, resolution).map_err(|hit| pairs[hit.pair])
    }
}

/// The scene with nothing but some of its pairs, all with the same threshold.
fn alone<'c>(scene: &Scene<'c>, pairs: &[usize], clearance: f64) -> Scene<'c> {
    let mut part_of = vec![None; scene.parts.len()];
    let mut few = Scene {
        cell: scene.cell,
        chains: scene.chains.clone(),
        parts: Vec::new(),
        pairs: Vec::new(),
        part_pairs: Vec::new(),
        // So few pairs are sooner looked at.
        hulls: false,
        lanes: scene.lanes,
        time_limit: scene.time_limit.clone(),
        threads: scene.threads.clone(),
    };
    for &pair in pairs {
        let number = few.pairs.len();
        few.pairs.push(BodyPair {
            clearance,
            ..scene.pairs[pair]
        });
        for part_pair in &scene.part_pairs[scene.part_pairs_of(pair)] {
            let mut part = |old: usize| {
                *part_of[old].get_or_insert_with(|| {
                    few.parts.push(scene.parts[old].clone());
                    few.parts.len() - 1
                })
            };
            let (a, b) = (part(part_pair.a), part(part_pair.b));
            few.part_pairs.push(PartPair {
                a,
                b,
                pair: number,
                ..*part_pair
            });
        }
    }
    few
}

enum BetweenSamples {
    /// Proved between the two.
    Bound(f64),
    /// No bound yet: look at this instant first.
    Look(MotionInstant),
}

/// A sample, and the most that a bound at its instant can be.
#[derive(Clone, Copy)]
struct Look {
    sample: Sample,
    /// The distance that errors leave, metres; negative where they can use up more.
    left: f64,
}

/// Follows one pair.
struct Follower<'f, 'c> {
    /// The pair alone.
    alone: Scene<'c>,
    /// Errors, where there are any beyond rounding, and the pair's index there.
    errors: Option<ErrorBounds<'f>>,
    pair: usize,
    trajectory: &'f Trajectory,
    snapshot: Snapshot,
    /// The closest points of the last sample, each in the frame of its body's joint: wherever they
    /// are now, the bodies are no farther apart.
    touched: Option<[Vector3<f64>; 2]>,
    /// How far computed distances can be off: the greatest value of all samples so far, metres.
    margin: f64,
    /// For the travel of a step: the instants at which it begins and ends.
    ends: [Snapshot; 2],
    travels: Travels,
}

impl<'f, 'c> Follower<'f, 'c> {
    fn new(scene: &'f Scene<'c>, pair: usize, trajectory: &'f Trajectory) -> Self {
        let budget = scene.cell.allowed_errors();
        Follower {
            alone: alone(scene, &[pair], 0.0),
            errors: (budget.is_some() || trajectory.has_tubes())
                .then(|| ErrorBounds::new(scene, budget)),
            pair,
            trajectory,
            snapshot: Snapshot::default(),
            touched: None,
            margin: 0.0,
            ends: Default::default(),
            travels: Travels::default(),
        }
    }

    fn look(&mut self, instant: MotionInstant) -> Look {
        let sample = self.sample(instant);
        let left = match &self.errors {
            Some(errors) if sample.distance > 0.0 => {
                // Points of triangles are as near as that but for rounding.
                let distance = sample.distance + ROUNDING_M;
                errors.distance_left(self.trajectory, self.pair, instant, distance)
            }
            _ => None,
        };
        Look {
            sample,
            left: left.map_or(sample.distance, |left| left.min(sample.distance)),
        }
    }

    fn sample(&mut self, instant: MotionInstant) -> Sample {
        self.snapshot.set_at(&self.alone, self.trajectory, instant);
        self.margin = self
            .margin
            .max(2.0 * margin(&self.alone, 0, &mut self.snapshot));
        let nearest = if self.alone.contained(&mut self.snapshot).is_empty() {
            self.nearest()
        } else {
            None
        };
        Sample {
            instant,
            time: self.trajectory.time_at(instant),
            distance: nearest.map_or(0.0, |n| n.distance),
            points: nearest.map(|n| [n.point_a, n.point_b]),
        }
    }

    /// Closest points of the surfaces at the current instant.
    fn nearest(&mut self) -> Option<Closest> {
        let BodyPair { a, b, .. } = self.alone.pairs[0];
        let joint = |body: usize| self.alone.cell.bodies[body].joint;
        let frames = [a, b].map(|body| self.snapshot.instant().pose(joint(body)));
        let below = self.touched.map_or(f64::INFINITY, |points| {
            let [a, b] = [0, 1].map(|k| frames[k].apply(&points[k]));
            (a - b).norm() * (1.0 + 1e-9) + ROUNDING_M
        });
        let nearest = self
            .alone
            .pair_distance(0, &mut self.snapshot, below, &mut 0)?;
        let back = |k: usize, point: Point3<f64>| {
            let Pose {
                rotation,
                translation,
            } = &frames[k];
            rotation.tr_mul(&(point.coords - translation))
        };
        self.touched = Some([back(0, nearest.point_a), back(1, nearest.point_b)]);
        Some(nearest)
    }

    /// Whether the distance, errors subtracted, really falls to `distance` at an instant where it
    /// was not proved greater. Only then does another sample help: where bounds of errors are too
    /// loose it does not.
    fn falls_to(&self, distance: f64, instant: MotionInstant) -> bool {
        self.errors.as_ref().is_none_or(|errors| {
            let left = errors.distance_left(self.trajectory, self.pair, instant, distance);
            left.is_some_and(|left| left <= distance)
        })
    }

    /// A bound that was proved for computed positions, less their rounding.
    fn minus_rounding(&self, bound: f64) -> f64 {
        (bound - ROUNDING_M - self.margin).max(0.0)
    }

    /// A bound below which the distance cannot fall between two samples, from how far the parts can
    /// move meanwhile: to come nearer than the one sample says, and be as far as the other one says
    /// in the end, they have to go there and back.
    fn by_travel(&mut self, from: &Sample, to: &Sample) -> f64 {
        let mut travel: f64 = 0.0;
        for k in from.instant.segment..=to.instant.segment {
            let segment = &self.trajectory.segments[k];
            let (s0, s1) = shares(from.instant, to.instant, k);
            for (end, s) in self.ends.iter_mut().zip([s0, s1]) {
                end.set(&self.alone, segment, s);
            }
            self.travels.set(&self.alone, segment, s0, s1);
            let pairs = &self.alone.part_pairs;
            let ways = pairs
                .iter()
                .map(|pair| self.travels.there_and_on(&self.alone, pair, &mut self.ends));
            travel += ways.fold(0.0, max_or_nan);
            if travel > from.distance + to.distance {
                return 0.0;
            }
        }
        0.5 * (from.distance + to.distance - travel)
    }

    /// Tries to bound the distance between two samples. When the instants are `spent`, some bound
    /// is given in any case.
    fn step(&mut self, from: &Look, to: &Look, spent: bool) -> BetweenSamples {
        let most = from.left.min(to.left);
        let (from, to) = (&from.sample, &to.sample);
        let mut slack = slack(from.distance.min(to.distance));
        let mut clearance = most - slack;
        // Most steps are short: neither part moves far enough to come much nearer.
        let by_travel = match &self.errors {
            None => self.by_travel(from, to),
            Some(_) => 0.0,
        };
        while clearance > 0.0 {
            if clearance <= by_travel {
                return BetweenSamples::Bound(self.minus_rounding(clearance));
            }
            self.alone.pairs[0].clearance = clearance;
            let part = interval(self.trajectory, from.instant, to.instant);
            let proof = prove(&self.alone, &part, slack / 4.0);
            let Err(hit) = proof else {
                return BetweenSamples::Bound(self.minus_rounding(clearance));
            };
            let k = from.instant.segment + hit.at.segment;
            let (s0, s1) = shares(from.instant, to.instant, k);
            let instant = MotionInstant::new(k, s0 + hit.at.fraction * (s1 - s0));
            if !spent
                && self.falls_to(clearance + slack / 2.0, instant)
                && let Some(instant) = between(from.instant, to.instant, instant)
            {
                return BetweenSamples::Look(instant);
            }
            slack *= 2.0;
            clearance = most - slack;
        }
        BetweenSamples::Bound(0.0)
    }
}

/// An instant well between two others: the hinted one if it is, else the middle; `None` when they
/// are too close.
fn between(from: MotionInstant, to: MotionInstant, hint: MotionInstant) -> Option<MotionInstant> {
    // Where waypoints lie in time does not matter here.
    let along = |p: MotionInstant| p.segment as f64 + p.fraction;
    let (u0, u1) = (along(from), along(to));
    let near_end = 0.1 * (u1 - u0);
    if near_end < 1e-7 {
        return None;
    }
    if along(hint) > u0 + near_end && along(hint) < u1 - near_end {
        return Some(hint);
    }
    let middle = 0.5 * (u0 + u1);
    Some(MotionInstant::new(middle.floor() as usize, middle.fract()))
}

/// The shares of segment `k` between which it belongs to an interval.
fn shares(from: MotionInstant, to: MotionInstant, k: usize) -> (f64, f64) {
    let start = if k == from.segment {
        from.fraction
    } else {
        0.0
    };
    let end = if k == to.segment { to.fraction } else { 1.0 };
    (start, end)
}

/// The trajectory from one instant to another.
fn interval(trajectory: &Trajectory, from: MotionInstant, to: MotionInstant) -> Trajectory {
    let segments = (from.segment..=to.segment).map(|k| {
        let segment = &trajectory.segments[k];
        let (s0, s1) = shares(from, to, k);
        if (s0, s1) == (0.0, 1.0) {
            return segment.clone();
        }
        Segment {
            start: segment.time(s0),
            end: segment.time(s1),
            joints: segment
                .joints
                .iter()
                .map(|c| restricted(&c, s0, s1))
                .collect(),
            errors: SegmentErrors::new(
                (0..segment.joints.len())
                    .map(|j| 2.0 * segment.value_rounding(j))
                    .collect(),
                segment.tool_tubes().to_vec(),
            ),
        }
    });
    Trajectory {
        segments: segments.collect(),
        interpolation: trajectory.interpolation,
        timed: trajectory.timed,
    }
}

#[cfg(test)]
mod tests;
