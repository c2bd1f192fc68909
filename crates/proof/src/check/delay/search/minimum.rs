//! The least distance in one stage: branch and bound over boxes of times, the one that promises
//! least first.
//!
//! In a box the distance of two parts is nowhere less than that at the point, less what both can
//! move from there, less the rounding of their positions. Where this bound is not below what the
//! pair attains somewhere (less a tolerance), the box is done; otherwise it is halved. Every part
//! of the stage ends up in a box that is done, or in one that was left when the search was given
//! up: the least of all their bounds is proved, whatever was attained.

use super::time_box::{OpenBox, TimeBox, latest};
use super::{DelaySearch, MOST_TRAVEL_SHARE};
use crate::check::delay::question::{DelaySearchQuestion, DelayStage};
use crate::check::distance::part_distance;
use crate::check::scene::PartPair;
use crate::numeric::{MinHeap, ROUND_UP};
use crate::report::{MinimumClearance, Statistics};

/// A proved least distance may lie below the attained one by this share of it: what is far apart is
/// not worth millions of boxes.
const RELATIVE_TOLERANCE: f64 = 0.01;
/// Or by this share of what the pair is farther apart than the nearest one.
const FARTHER_TOLERANCE: f64 = 0.25;

/// A pair of parts in a box.
#[derive(Debug, Clone, Copy)]
struct Entry {
    part_pair: usize,
    /// Proved: in the whole box the two are nowhere nearer, metres.
    bound: f64,
}

/// The least that any pair of the box may attain.
fn least_bound(open: &OpenBox<Entry>) -> f64 {
    let bounds = open.front.iter().map(|entry| entry.bound);
    bounds.fold(f64::INFINITY, f64::min)
}

/// Facts about a pair of bodies in the stage.
#[derive(Debug, Clone)]
struct LeastOfPair {
    /// Attained in this stage, metres.
    distance: f64,
    /// Where.
    at: Vec<f64>,
    /// The least bound of what is done, metres.
    proved: f64,
}

/// The least distances of a stage.
#[derive(Debug)]
pub(in crate::check::delay) struct StageMinimum {
    /// By pair of bodies.
    pub pairs: Vec<MinimumClearance>,
    /// Whether boxes were left, so that bounds may be far below what is attained.
    pub given_up: bool,
    pub statistics: Statistics,
}

/// The search for least distances.
pub(in crate::check::delay) struct LeastOverDelays<'s, 'c> {
    search: DelaySearch<'s, 'c>,
    /// By pair of bodies in the scene, for those of the stage.
    known: Vec<Option<LeastOfPair>>,
    /// By pair of bodies in the scene: attained anywhere, in this stage or before, metres.
    attained: Vec<f64>,
    /// The least of all pairs, metres.
    nearest: f64,
}

impl<'s, 'c> LeastOverDelays<'s, 'c> {
    /// `attained` holds for every pair of the scene what it is known to attain, `nearest` the least
    /// of all pairs.
    pub(in crate::check::delay) fn new(
        of: &'s DelaySearchQuestion,
        stage: &'s DelayStage<'s, 'c>,
        attained: Vec<f64>,
        nearest: f64,
    ) -> Self {
        LeastOverDelays {
            search: DelaySearch::new(of, stage, Vec::new()),
            known: vec![None; stage.scene.pairs.len()],
            attained,
            nearest,
        }
    }

    /// Searches the stage for all its pairs.
    pub(in crate::check::delay) fn run(mut self, progress: &dyn Fn(f64)) -> StageMinimum {
        let (stage, scene) = (self.search.stage, self.search.scene);
        let times = TimeBox::of_spans(stage.spans);
        let mut given_up = false;
        if self.search.is_reachable(&times) {
            self.begin(&times);
            let parts = stage.pairs.iter().flat_map(|&p| scene.part_pairs_of(p));
            let front = parts.map(|part_pair| Entry {
                part_pair,
                bound: 0.0,
            });
            let front = front.collect();
            given_up = self.descend(OpenBox { times, front }, progress);
        }
        StageMinimum {
            pairs: self.pairs_found(),
            given_up,
            statistics: self.search.statistics,
        }
    }

    /// Looks at the first point: what every pair attains there, and which bodies are wholly inside
    /// others. Those stay so until their surfaces meet, and then the distance is 0 too.
    fn begin(&mut self, whole: &TimeBox) {
        let first = whole.first_reached() - self.search.delay_s;
        let at: Vec<f64> = whole.low.iter().map(|low| low.max(first)).collect();
        self.search.set_point(whole, &at);
        let scene = self.search.scene;
        for &pair in self.search.stage.pairs {
            self.known[pair] = Some(LeastOfPair {
                distance: f64::INFINITY,
                at: at.clone(),
                proved: f64::INFINITY,
            });
            let snapshot = &mut self.search.snapshot;
            if scene.is_contained(pair, snapshot) {
                self.record_distance(pair, 0.0, &at);
                self.record_bound(pair, 0.0);
                continue;
            }
            let tests = &mut self.search.statistics.triangle_tests;
            let found = scene.pair_distance(pair, snapshot, f64::INFINITY, tests);
            if let Some(nearest) = found {
                self.record_distance(pair, nearest.distance, &at);
            }
        }
    }

    /// Takes boxes apart until all are done. Whether it had to give up.
    fn descend(&mut self, whole: OpenBox<Entry>, progress: &dyn Fn(f64)) -> bool {
        let mut open = MinHeap::new();
        open.push([least_bound(&whole)], whole);
        let mut looked = 0;
        while let Some(next) = open.pop() {
            looked += 1;
            if looked > self.search.most_boxes || self.search.scene.time_limit.is_exceeded() {
                for left in std::iter::once(next).chain(open.into_items()) {
                    for entry in left.front {
                        self.record_bound(self.pair_of(entry), entry.bound);
                    }
                }
                return true;
            }
            if looked % 1024 == 0 {
                let share = least_bound(&next) / self.nearest.max(f64::MIN_POSITIVE);
                progress(share.clamp(0.0, 1.0));
            }
            for half in self.look(next).into_iter().flatten() {
                open.push([least_bound(&half)], half);
            }
        }
        false
    }

    fn pair_of(&self, entry: Entry) -> usize {
        self.search.scene.part_pairs[entry.part_pair].pair
    }

    /// Takes note of a distance that a pair attains.
    fn record_distance(&mut self, pair: usize, distance: f64, at: &[f64]) {
        if let Some(known) = &mut self.known[pair]
            && distance < known.distance
        {
            known.distance = distance;
            at.clone_into(&mut known.at);
        }
        self.attained[pair] = self.attained[pair].min(distance);
        self.nearest = self.nearest.min(distance);
    }

    /// Takes note of what is proved of a pair in a box that is not looked into any more.
    fn record_bound(&mut self, pair: usize, bound: f64) {
        if let Some(known) = &mut self.known[pair] {
            known.proved = known.proved.min(bound);
        }
    }

    /// A box in which the pair is proved to stay as far apart as this needs no closer look, metres.
    fn enough(&self, pair: usize) -> f64 {
        let attained = self.attained[pair];
        if !attained.is_finite() {
            return f64::INFINITY;
        }
        let farther = FARTHER_TOLERANCE * (attained - self.nearest);
        let tolerance = (RELATIVE_TOLERANCE * attained)
            .max(self.search.resolution)
            .max(farther);
        (attained - tolerance).max(0.0)
    }

    /// Looks at a box; what it leaves is in its two halves.
    fn look(&mut self, next: OpenBox<Entry>) -> [Option<OpenBox<Entry>>; 2] {
        let OpenBox { times, front } = next;
        self.search.statistics.intervals += 1;
        let point = self.search.point(&times);
        self.search.set_point(&times, &point);
        let mut left = Vec::new();
        let mut weight = vec![0.0_f64; point.len()];
        for entry in front {
            let pair = self.search.scene.part_pairs[entry.part_pair];
            match self.bound(&pair, entry.bound, &point) {
                Bound::Done(bound) => self.record_bound(pair.pair, bound),
                Bound::Unresolved(bound) => {
                    self.search.add_travel(&mut weight);
                    left.push(Entry { bound, ..entry });
                }
            }
        }
        if left.is_empty() {
            return [None, None];
        }
        self.halves(&times, left, &weight)
    }

    /// How near two parts can come in the box that was placed; `known` is proved already.
    fn bound(&mut self, pair: &PartPair, known: f64, point: &[f64]) -> Bound {
        let enough = self.enough(pair.pair);
        if known >= enough {
            return Bound::Done(known);
        }
        let search = &mut self.search;
        let scene = search.scene;
        let margin = search.margin(pair.a) + search.margin(pair.b);
        let bounding_radii =
            scene.parts[pair.a].bounding_radius + scene.parts[pair.b].bounding_radius;
        let known = known.max(search.between_balls(pair, bounding_radii) - margin);
        if known >= enough {
            return Bound::Done(known);
        }
        let travel = search.travels(pair, true);
        let sum = travel.all * ROUND_UP;
        // Not a number: as far as can be.
        let little = travel.by_box() <= (MOST_TRAVEL_SHARE * bounding_radii).max(search.resolution);
        if !little {
            return Bound::Unresolved(known);
        }
        let below = (enough + sum + margin) * ROUND_UP;
        let tests = &mut search.statistics.triangle_tests;
        let found = part_distance(scene, pair, &mut search.snapshot, below, tests);
        let resolution = search.resolution;
        let Some(nearest) = found else {
            return Bound::Done(known.max(enough));
        };
        self.record_distance(pair.pair, nearest.distance, point);
        // Not a number: nothing is known.
        let known = known.max(nearest.distance - sum - margin);
        if known >= self.enough(pair.pair) || travel.by_box() <= resolution / 4.0 {
            Bound::Done(known)
        } else {
            Bound::Unresolved(known)
        }
    }

    fn halves(
        &mut self,
        times: &TimeBox,
        left: Vec<Entry>,
        weight: &[f64],
    ) -> [Option<OpenBox<Entry>>; 2] {
        let Some(halves) = times.halves(weight) else {
            for entry in left {
                self.record_bound(self.pair_of(entry), entry.bound);
            }
            return [None, None];
        };
        halves.map(|times| {
            let front = left.clone();
            let reached = self.search.is_reachable(&times);
            reached.then_some(OpenBox { times, front })
        })
    }

    /// The pairs that were found, with their exact distance where they are nearest: the distance
    /// that was noted is that of two parts.
    fn pairs_found(&mut self) -> Vec<MinimumClearance> {
        let (scene, cell) = (self.search.scene, self.search.scene.cell);
        let known = std::mem::take(&mut self.known);
        let mut found = Vec::new();
        for (pair, known) in known.into_iter().enumerate() {
            let Some(known) = known.filter(|k| k.distance.is_finite()) else {
                continue;
            };
            self.search
                .set_point(&TimeBox::of_point(&known.at), &known.at);
            let snapshot = &mut self.search.snapshot;
            let exact = scene.pair_distance(pair, snapshot, known.distance, &mut 0);
            let distance = exact.map_or(known.distance, |n| n.distance);
            let times = self.search.times(&known.at);
            let time = latest(&known.at);
            let bodies = scene.pairs[pair];
            found.push(MinimumClearance {
                distance,
                lower_bound: known.proved.min(distance),
                time,
                a: cell.bodies[bodies.a].name.clone(),
                b: cell.bodies[bodies.b].name.clone(),
                delays: times.iter().map(|t| time - t).collect(),
            });
        }
        found
    }
}

/// How near two parts can come in a box, metres.
enum Bound {
    /// Good enough, or as good as it gets.
    Done(f64),
    /// Worth a closer look.
    Unresolved(f64),
}

impl DelaySearch<'_, '_> {
    /// A lower bound in the whole box, without margins, by the balls around two parts;
    /// `bounding_radii` are both radii, metres.
    fn between_balls(&mut self, pair: &PartPair, bounding_radii: f64) -> f64 {
        self.statistics.distance_tests += 1;
        let travel = self.travels(pair, false).all;
        let a = self.snapshot.part(self.scene, pair.a).pose.translation;
        let b = self.snapshot.part(self.scene, pair.b).pose.translation;
        (a - b).norm() / ROUND_UP - (bounding_radii + travel) * ROUND_UP
    }
}
