//! The least distance over a motion by halving: the same test as [`super::halving`], with the least
//! distance that was attained so far in place of a threshold. Works over every shape that knows
//! distances.
//!
//! With d(ts), d(te) and L as there, a pair is never nearer than (d(ts) + d(te) − L) / 2 between ts
//! and te. An interval is halved while that is below what was attained, less the resolution.

use clearance_proof::check::Snapshot;
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{Segment, Trajectory};
use clearance_proof::report::{MinimumClearance, Work};

use crate::backends::{Backend, DistanceRange};
use crate::halves::{DEEPEST, OpenInterval};

/// The least distance of all pairs and a proved bound below it; `None` where it was given up, or
/// there is nothing to measure. The scene's limit of time counts.
pub fn least(
    scene: &Scene,
    trajectory: &Trajectory,
    backend: &mut dyn Backend,
    options: &CheckOptions,
    work: &mut Work,
) -> Option<MinimumClearance> {
    let mut search = LeastSearch {
        scene,
        backend,
        resolution: options.resolution,
        given_up: false,
        work,
        attained: None,
        proved: f64::INFINITY,
    };
    let mut start = Snapshot::default();
    start.set(scene, &trajectory.segments[0], 0.0);
    if let Some(&pair) = scene.contained(&mut start).first() {
        search.attain(pair, 0.0, trajectory.segments[0].start);
    }
    for segment in &trajectory.segments {
        search.segment(segment);
    }
    let attained = search.attained.filter(|_| !search.given_up)?;
    let name = |body: usize| scene.cell.bodies[body].name.clone();
    let pair = &scene.pairs[attained.pair];
    Some(MinimumClearance {
        distance: attained.distance,
        lower_bound: search.proved.clamp(0.0, attained.distance),
        time: attained.time,
        a: name(pair.a),
        b: name(pair.b),
        delays: Vec::new(),
    })
}

/// The nearest that was seen.
#[derive(Debug, Clone, Copy)]
struct LeastSoFar {
    pair: usize,
    distance: f64,
    time: f64,
}

struct LeastSearch<'s> {
    scene: &'s Scene<'s>,
    backend: &'s mut dyn Backend,
    resolution: f64,
    given_up: bool,
    work: &'s mut Work,
    attained: Option<LeastSoFar>,
    /// The least bound of all intervals that are done with, metres.
    proved: f64,
}

impl LeastSearch<'_> {
    fn best(&self) -> f64 {
        self.attained.map_or(f64::INFINITY, |a| a.distance)
    }

    fn attain(&mut self, pair: usize, distance: f64, time: f64) {
        if distance < self.best() {
            self.attained = Some(LeastSoFar {
                pair,
                distance,
                time,
            });
        }
    }

    /// Whether nothing is left to find: the time is spent, or nothing can be nearer.
    fn is_over(&mut self) -> bool {
        self.given_up = self.given_up || self.scene.time_limit.is_exceeded_now();
        self.given_up || self.best() <= 0.0
    }

    /// A lower bound of a pair's distance at an instant; beyond what matters for this travel any
    /// will do. Takes note of what is nearer than everything before.
    fn distance(
        &mut self,
        pair: usize,
        segment: &Segment,
        snapshot: &mut Snapshot,
        travel: f64,
    ) -> f64 {
        let range = DistanceRange {
            min: 0.0,
            max: 2.0 * self.best() + travel,
            tolerance: 0.0,
        };
        let bound = self.backend.lower_bound(pair, snapshot, range, self.work);
        // A pair that the shape calls nearer is measured exactly: a distance reported as attained
        // is attained.
        if bound < self.best() {
            let found = self
                .scene
                .pair_distance(pair, snapshot, self.best(), &mut 0);
            if let Some(nearest) = found {
                self.attain(pair, nearest.distance, segment.time(snapshot.s()));
            }
        }
        bound
    }

    fn segment(&mut self, segment: &Segment) {
        let whole = OpenInterval::whole(self.scene, segment, |pair, ends, travel| {
            let [first, last] = ends;
            (!self.is_over()).then(|| {
                let first = self.distance(pair, segment, first, travel);
                [first, self.distance(pair, segment, last, travel)]
            })
        });
        self.interval(whole);
    }

    fn interval(&mut self, mut interval: OpenInterval) {
        if self.is_over() {
            self.proved = 0.0;
            return;
        }
        let mut travels = interval.travels();
        let mut open = Vec::with_capacity(interval.pairs.len());
        for held in std::mem::take(&mut interval.pairs) {
            let travel = interval.travel(held.pair, &mut travels);
            let [first, last] = held.ends;
            let never_nearer = 0.5 * ((first + last) * (1.0 - 1e-12) - travel);
            let fine = travel <= self.resolution || interval.depth >= DEEPEST;
            if fine || never_nearer >= self.best() - self.resolution {
                self.proved = self.proved.min(never_nearer);
            } else {
                open.push((held, travel));
            }
        }
        if open.is_empty() {
            return;
        }
        let segment = interval.segment;
        let halves = interval.halved(open, |pair, middle, travel| {
            self.distance(pair, segment, middle, travel)
        });
        halves.into_iter().for_each(|half| self.interval(half));
    }
}

#[cfg(test)]
mod tests;
