//! The least distance over a motion by halving: the same test as [`super::halving`], with the least distance that was attained so
//! far in place of a threshold. Works over every shape that knows distances.
//!
//! With d(ts), d(te) and L as there, a pair is never nearer than (d(ts) + d(te) − L) / 2 between ts and te. An interval is halved
//! while that is below what was attained, less the resolution.

use std::time::Instant as Clock;

use clearance_proof::check::Snapshot;
use clearance_proof::check::Travels;
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::check::containment::contained;
use clearance_proof::check::distance::pair_distance;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{Path, Segment};
use clearance_proof::report::{MinimumClearance, Work};

use crate::backends::{Backend, DistanceRange};

/// Halvings after which numbers no longer change.
const DEEPEST: u32 = 48;

/// The least distance of all pairs and a proved bound below it; `None` where it was given up, or there is nothing to measure.
/// `deadline` is when to give up.
pub fn least(
    scene: &Scene,
    path: &Path,
    shape: &mut dyn Backend,
    options: &CheckOptions,
    deadline: Option<Clock>,
    work: &mut Work,
) -> Option<MinimumClearance> {
    let mut search = LeastSearch {
        scene,
        shape,
        resolution: options.resolution,
        deadline,
        late: false,
        work,
        attained: None,
        proved: f64::INFINITY,
    };
    let mut start = Snapshot::default();
    start.set(scene, &path.segments[0], 0.0);
    if let Some(hidden) = contained(scene, &mut start).first() {
        search.attain(hidden.pair, 0.0, path.segments[0].start);
    }
    for segment in &path.segments {
        search.segment(segment);
    }
    let attained = search.attained.filter(|_| !search.late)?;
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
struct Attained {
    pair: usize,
    distance: f64,
    time: f64,
}

/// A pair whose distance is bounded at both ends of an interval.
#[derive(Debug, Clone, Copy)]
struct Held {
    pair: usize,
    ends: [f64; 2],
}

struct LeastSearch<'s> {
    scene: &'s Scene<'s>,
    shape: &'s mut dyn Backend,
    resolution: f64,
    deadline: Option<Clock>,
    late: bool,
    work: &'s mut Work,
    attained: Option<Attained>,
    /// The least bound of all intervals that are done with, metres.
    proved: f64,
}

impl LeastSearch<'_> {
    fn best(&self) -> f64 {
        self.attained.map_or(f64::INFINITY, |a| a.distance)
    }

    fn attain(&mut self, pair: usize, distance: f64, time: f64) {
        if distance < self.best() {
            self.attained = Some(Attained {
                pair,
                distance,
                time,
            });
        }
    }

    /// Whether nothing is left to find: the time is spent, or nothing can be nearer.
    fn is_over(&mut self) -> bool {
        self.late = self.late || self.deadline.is_some_and(|end| Clock::now() > end);
        self.late || self.best() <= 0.0
    }

    fn travel(&self, pair: usize, travels: &mut Travels, ends: &mut [Snapshot; 2]) -> f64 {
        let parts = &self.scene.part_pairs[self.scene.part_pairs_of(pair)];
        let travel = parts
            .iter()
            .map(|p| travels.there_and_on(self.scene, p, ends));
        travel.fold(0.0, f64::max)
    }

    /// A lower bound of a pair's distance at an instant; beyond what matters for this travel any will do. Takes note of what
    /// is nearer than everything before.
    fn distance(
        &mut self,
        pair: usize,
        at: (&Segment, f64),
        snapshot: &mut Snapshot,
        travel: f64,
    ) -> f64 {
        let range = DistanceRange {
            min: 0.0,
            max: 2.0 * self.best() + travel,
            tolerance: 0.0,
        };
        let apart = self.shape.apart(pair, snapshot, range, self.work);
        // What the shape calls near is measured exactly: what is told as attained is.
        if apart < self.best() {
            let found = pair_distance(self.scene, pair, snapshot, self.best(), &mut 0);
            if let Some(nearest) = found {
                self.attain(pair, nearest.distance, at.0.time(at.1));
            }
        }
        apart
    }

    fn segment(&mut self, segment: &Segment) {
        let mut ends = [Snapshot::default(), Snapshot::default()];
        ends[0].set(self.scene, segment, 0.0);
        ends[1].set(self.scene, segment, 1.0);
        let mut travels = Travels::default();
        travels.set(self.scene, segment, 0.0, 1.0);
        let mut held = Vec::with_capacity(self.scene.pairs.len());
        for pair in 0..self.scene.pairs.len() {
            if self.is_over() {
                break;
            }
            let travel = self.travel(pair, &mut travels, &mut ends);
            let first = self.distance(pair, (segment, 0.0), &mut ends[0], travel);
            let last = self.distance(pair, (segment, 1.0), &mut ends[1], travel);
            held.push(Held {
                pair,
                ends: [first, last],
            });
        }
        self.interval(segment, ends, held, 0);
    }

    fn interval(
        &mut self,
        segment: &Segment,
        mut ends: [Snapshot; 2],
        held: Vec<Held>,
        depth: u32,
    ) {
        if self.is_over() {
            self.proved = 0.0;
            return;
        }
        let (s0, s1) = (ends[0].s(), ends[1].s());
        let mut travels = Travels::default();
        travels.set(self.scene, segment, s0, s1);
        let mut kept = Vec::with_capacity(held.len());
        for Held { pair, ends: d } in held {
            let travel = self.travel(pair, &mut travels, &mut ends);
            let never_nearer = 0.5 * ((d[0] + d[1]) * (1.0 - 1e-12) - travel);
            let fine = travel <= self.resolution || depth >= DEEPEST;
            if fine || never_nearer >= self.best() - self.resolution {
                self.proved = self.proved.min(never_nearer);
            } else {
                kept.push((pair, d, travel));
            }
        }
        if kept.is_empty() {
            return;
        }
        let s = 0.5 * (s0 + s1);
        let mut middle = Snapshot::default();
        middle.set(self.scene, segment, s);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (pair, d, travel) in kept {
            let here = self.distance(pair, (segment, s), &mut middle, travel);
            let half = |ends| Held { pair, ends };
            before.push(half([d[0], here]));
            after.push(half([here, d[1]]));
        }
        let [first, last] = ends;
        self.interval(segment, [first, middle.clone()], before, depth + 1);
        self.interval(segment, [middle, last], after, depth + 1);
    }
}

#[cfg(test)]
mod tests;
