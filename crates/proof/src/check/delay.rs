//! Programs whose starts may be delayed against each other: every choice of instants within the
//! delay of one another is cleared, not a list of sampled delays.
//!
//! Let u, v, … be the times of two or more programs on the common clock. Every delay up to S makes
//! the strip in which no two of them are farther apart than S; a program waits before its start and
//! after its end. The strip is searched as boxes of these times: at a point of the box the distance
//! of two parts is exact, and from there to anywhere in the box neither can move by more than its
//! travel. A pair is proved apart in the box when the distance is more than D and all travels;
//! otherwise the box is halved along the program that contributes most. Boxes are looked at in the
//! order of max(u, v, …): the instant at which the configuration is reached when only the latest
//! program has not been delayed.
//!
//! **Travel.** Joints are moved one after the other from their values at the point to any other
//! values in the box, outermost first. Joint k turns by at most δ_k and carries a point along an
//! arc of at most δ_k times its distance from the axis, which is that at the point plus what the
//! joints beyond have moved it: T ← T + δ_k (ρ_k + T); a sliding joint adds δ_k.
//!
//! **Stages.** Events of a program happen at its own times, so they cut its axis. A `DelayStage` is
//! a box of the strip between the cuts of its programs, with the cell as it is there. These boxes
//! are closed: at the instant of an event both cells are looked at, whatever the other programs do
//! then. Together they cover the strip.
//!
//! **Hulls.** A pair that range-of-motion hulls keep apart for all values that the joints take in a
//! stage is left out of it: the hulls hold for every choice of instants at once.
//!
//! **Inside.** Whether a body is wholly inside another one is asked at the first point of every
//! stage. Within a stage poses depend continuously on u, v, …, and its part of the strip is convex:
//! while surfaces stay apart nothing gets in or out.

mod answers;
mod programs;
mod question;
mod search;

use std::collections::BTreeMap;

use crate::model::{BodyId, Cell, Track};
use crate::motion::JointRange;
use crate::pairs::range_of_motion::SweptBallsByJoint;
use crate::report::{MinimumClearance, Statistics, Verdict};
pub use programs::{DelayableProgram, DelayedPrograms, OverDelays, Unpaired, WholeCell};
pub use question::DelayOptions;
pub(crate) use question::{Clocks, DelayContact, DelayStage};
use question::{DelaySearchQuestion, values};
use search::{DelaySearch, LeastOverDelays};

/// The result of the search over delays.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DelayResult {
    /// Answer for all pairs of bodies that depend on several programs.
    pub verdict: Verdict,
    /// Earliest contact; without one the earliest box that stayed undecided.
    pub first: Option<DelayContact>,
    /// With `all`, for every pair that is not clear its earliest contact (or undecided box), by
    /// time.
    pub contacts: Vec<DelayContact>,
    /// With `minimum`: whether the search ended before the least distances were known to the
    /// resolution.
    pub minimum_given_up: bool,
    /// Work done.
    pub statistics: Statistics,
}

/// A search over delays, stage by stage.
#[derive(Debug)]
pub(crate) struct Delays<'t> {
    question: DelaySearchQuestion<'t>,
    found: BTreeMap<(BodyId, BodyId), PairAnswer>,
    least: AttainedDistances,
    statistics: Statistics,
}

/// The least distances that pairs of bodies are known to attain, metres.
#[derive(Debug)]
struct AttainedDistances {
    of: BTreeMap<(BodyId, BodyId), f64>,
    /// Of all pairs, metres.
    nearest: f64,
    given_up: bool,
}

/// Facts about one pair of bodies.
#[derive(Debug, Default)]
struct PairAnswer {
    hit: Option<DelayContact>,
    /// The earliest box that stayed undecided; `free_until` is where it begins.
    unresolved: Option<DelayContact>,
}

impl PairAnswer {
    /// The pair's verdict and the contact for it.
    fn answer(&self) -> Option<(Verdict, DelayContact)> {
        match (&self.hit, &self.unresolved) {
            (Some(hit), unresolved) => {
                let mut hit = hit.clone();
                if let Some(unresolved) = unresolved {
                    let free_until = unresolved.contact.free_until;
                    hit.contact.free_until = hit.contact.free_until.min(free_until);
                }
                Some((Verdict::Collision, hit))
            }
            (None, Some(unresolved)) => Some((Verdict::Undecided, unresolved.clone())),
            (None, None) => None,
        }
    }
}

impl<'t> Delays<'t> {
    /// Nothing has been looked at yet.
    pub fn new(cell: &Cell, tracks: &'t [Track<'t>], options: DelayOptions) -> Self {
        Delays {
            question: DelaySearchQuestion {
                tracks,
                clocks: Clocks::new(cell, tracks),
                options,
            },
            found: BTreeMap::new(),
            least: AttainedDistances {
                of: BTreeMap::new(),
                nearest: f64::INFINITY,
                given_up: false,
            },
            statistics: Statistics::default(),
        }
    }

    /// Takes in a distance that a pair of bodies attains without delay, metres. What depends on one
    /// program only counts too: pairs that are much farther apart are not followed as closely.
    pub fn record_distance(&mut self, pair: (BodyId, BodyId), distance: f64) {
        let known = self.least.of.entry(pair).or_insert(f64::INFINITY);
        *known = known.min(distance);
        self.least.nearest = self.least.nearest.min(distance);
    }

    /// Which program moves what.
    pub fn clocks(&self) -> &Clocks {
        &self.question.clocks
    }

    /// Whether some delay within the bounds has all programs in these spans, before anything that
    /// is known to touch.
    pub fn needs_search(&self, spans: &[(f64, f64)]) -> bool {
        let spans = || spans.iter().map(|&span| self.question.within(span));
        let latest = spans().map(|span| span.0).fold(f64::NEG_INFINITY, f64::max);
        let earliest = spans().map(|span| span.1).fold(f64::INFINITY, f64::min);
        let reached =
            spans().all(|(from, to)| from <= to) && latest - earliest <= self.question.delay();
        reached
            && (self.question.options.all
                || self.question.options.minimum
                || latest < self.first_hit())
    }

    /// Searches a stage.
    pub fn stage(&mut self, stage: &DelayStage, progress: &dyn Fn(f64)) {
        if !self.needs_search(stage.spans) {
            return;
        }
        let spans = self.question.all_within(stage.spans);
        let stage = DelayStage {
            spans: &spans,
            ..*stage
        };
        let front = self.near(&stage);
        if front.is_empty() {
            return;
        }
        let scene = stage.scene;
        let until = if self.question.options.all {
            let bodies = scene.pairs.iter().map(|pair| (pair.a, pair.b));
            bodies
                .map(|pair| {
                    let hit = self.found.get(&pair).and_then(|f| f.hit.as_ref());
                    hit.map_or(f64::INFINITY, |hit| hit.contact.time)
                })
                .collect()
        } else {
            vec![self.first_hit(); scene.pairs.len()]
        };
        let mut search = DelaySearch::new(&self.question, &stage, until);
        search.run(front, progress);
        let [hits, unresolved] = search.found();
        self.statistics.add_work(&search.statistics);
        for (pair, hit) in hits {
            let known = &mut self.found.entry(pair).or_default().hit;
            if known
                .as_ref()
                .is_none_or(|k| hit.contact.time < k.contact.time)
            {
                *known = Some(hit);
            }
        }
        for (pair, unresolved) in unresolved {
            let known = &mut self.found.entry(pair).or_default().unresolved;
            if known
                .as_ref()
                .is_none_or(|k| unresolved.contact.free_until < k.contact.free_until)
            {
                *known = Some(unresolved);
            }
        }
    }

    /// The least distances of a stage: attained in it by some delay, and proved for all of them.
    pub fn minimum(&mut self, stage: &DelayStage, progress: &dyn Fn(f64)) -> Vec<MinimumClearance> {
        let spans = self.question.all_within(stage.spans);
        let stage = DelayStage {
            spans: &spans,
            ..*stage
        };
        let bodies = |pair: usize| (stage.scene.pairs[pair].a, stage.scene.pairs[pair].b);
        let known = |pair: usize| self.least.of.get(&bodies(pair)).copied();
        let attained =
            (0..stage.scene.pairs.len()).map(|pair| known(pair).unwrap_or(f64::INFINITY));
        let attained = attained.collect();
        let found = LeastOverDelays::new(&self.question, &stage, attained, self.least.nearest)
            .run(progress);
        self.statistics.add_work(&found.statistics);
        self.least.given_up |= found.given_up;
        for least in &found.pairs {
            let names = |body: BodyId| stage.scene.cell.bodies[body].name.as_str();
            let same = |pair: &(BodyId, BodyId)| {
                (names(pair.0), names(pair.1)) == (least.a.as_str(), least.b.as_str())
            };
            if let Some(pair) = stage.pairs.iter().map(|&p| bodies(p)).find(same) {
                self.record_distance(pair, least.distance);
            }
        }
        found.pairs
    }

    /// The result of all stages.
    pub fn result(self) -> DelayResult {
        let mut found: Vec<_> = self.found.values().filter_map(PairAnswer::answer).collect();
        found.sort_by(|(_, x), (_, y)| x.contact.time.total_cmp(&y.contact.time));
        let verdict = found.iter().map(|(verdict, _)| *verdict).max();
        let free_until = found.iter().map(|(_, c)| c.contact.free_until);
        let free_until = free_until.fold(f64::INFINITY, f64::min);
        let first = found.iter().find(|(v, _)| Some(*v) == verdict);
        let first = first.map(|(_, first)| {
            let mut first = first.clone();
            first.contact.free_until = first.contact.free_until.min(free_until);
            first
        });
        DelayResult {
            verdict: verdict.unwrap_or(Verdict::Clear),
            first,
            contacts: if self.question.options.all {
                found.into_iter().map(|(_, contact)| contact).collect()
            } else {
                Vec::new()
            },
            minimum_given_up: self.least.given_up,
            statistics: self.statistics,
        }
    }

    fn first_hit(&self) -> f64 {
        let hits = self.found.values().filter_map(|f| f.hit.as_ref());
        let known = if self.question.options.all {
            f64::INFINITY
        } else {
            self.question.options.until
        };
        hits.map(|hit| hit.contact.time).fold(known, f64::min)
    }

    /// The part pairs of a stage that range-of-motion hulls cannot tell apart.
    fn near(&self, stage: &DelayStage) -> Vec<usize> {
        let scene = stage.scene;
        let all = stage.pairs.iter().flat_map(|&p| scene.part_pairs_of(p));
        if !scene.hulls {
            return all.collect();
        }
        let ranges: Vec<JointRange> = (0..scene.chains.len())
            .map(|joint| match self.question.clocks.of_joint[joint] {
                None => JointRange {
                    low: scene.cell.rest[joint],
                    high: scene.cell.rest[joint],
                },
                Some(clock) => match stage.which.iter().position(|&w| w == clock) {
                    Some(k) => values(&self.question.tracks[clock], joint, stage.spans[k]),
                    // Another program moves this joint. Pairs of this stage do not depend on it:
                    // either both bodies move with it or neither does.
                    None => JointRange::ANY,
                },
            })
            .collect();
        let (shapes, candidates) = (scene.placed_shapes(), scene.candidates());
        let mut swept = SweptBallsByJoint::new(&scene.chains, &shapes);
        swept.set(&scene.chains, &ranges);
        all.filter(|&p| {
            let least = swept.least(&scene.chains, &shapes, &candidates[p]);
            // Not a number: nothing is known.
            let separated = least > candidates[p].threshold;
            !separated
        })
        .collect()
    }
}

#[cfg(test)]
mod tests;
