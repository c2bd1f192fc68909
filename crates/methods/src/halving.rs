//! Bisection as Shimada, Okano and Kawabe state it, over any shape that knows distances: a pair whose distances at both ends of an interval
//! sum up to more than the farthest that the two bodies can move against each other meets nowhere in it; else the interval is
//! halved, first half first.
//!
//! With d(ts), d(te) lower bounds of the distance and L a bound on the way of a point from where it is at ts to where it meets
//! the other body and on to where it is at te: d(ts) + d(te) > L + 2 D proves that the distance stays above D. (The sum is
//! sharper than the source's d(ts) > L, and L is, for short intervals, hardly more than the chord: `check/travel.rs` of the proof.)
//! Contact at the end of an interval says nothing about its inside, which is searched all the same.

use std::time::Instant as Clock;

use clearance_proof::check::Snapshot;
use clearance_proof::check::Travels;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::containment::contained;
use clearance_proof::check::insides::{intervals, met};
use clearance_proof::check::scene::Scene;
use clearance_proof::check::unresolved::{UnresolvedInterval, joined};
use clearance_proof::model::{Path, Segment};
use clearance_proof::report::{Contact, Statistics, Verdict, Work};

use crate::backends::{Backend, DistanceRange};

/// Share of the resolution below which a travel is not worth halving.
const FINE: f64 = 0.25;
/// Share by which distances far above the threshold may be told too small, by shapes that it spares work. Most of them are
/// far larger than the travel needs.
const TOLERANCE: f64 = 0.2;
/// Nearer to the threshold than it is large, so many times, distances are looked at exactly.
const NEAR: f64 = 4.0;
/// Intervals of one segment after which the check is given up.
const MOST_INTERVALS: u64 = 1 << 22;
/// Halvings after which numbers no longer change.
const DEEPEST: u32 = 48;

/// A pair whose distance is known at both ends of an interval.
#[derive(Debug, Clone, Copy)]
struct Held {
    pair: usize,
    ends: [f64; 2],
}

/// Checks a motion. Only `resolution` and `all` of the options have a say; `deadline` is when to give up, which leaves the
/// rest of the motion unresolved.
pub fn check(
    scene: &Scene,
    path: &Path,
    shape: &mut dyn Backend,
    options: &CheckOptions,
    deadline: Option<Clock>,
    progress: &dyn Fn(f64),
) -> CheckResult {
    let mut start = Snapshot::default();
    start.set(scene, &path.segments[0], 0.0);
    let hidden = contained(scene, &mut start);
    let coarseness = shape.coarseness();
    let mut search = Search {
        scene,
        shape,
        fine: FINE * options.resolution,
        all: options.all,
        deadline,
        late: false,
        work: Work::default(),
        intervals: 0,
        hit: None,
        unresolved: Vec::new(),
        segment: 0,
        begun: 0,
    };
    if hidden.is_empty() || options.all {
        for (index, segment) in path.segments.iter().enumerate() {
            if search.is_over() {
                break;
            }
            search.segment(index, segment);
            progress((index + 1) as f64 / path.segments.len() as f64);
        }
    }
    let first_unresolved = search
        .unresolved
        .iter()
        .min_by(|x, y| x.start.total_cmp(&y.start));
    let verdict = match (hidden.is_empty(), search.hit, first_unresolved) {
        (false, _, _) | (_, Some(_), _) => Verdict::Collision,
        _ if search.late => Verdict::Unverified,
        (_, None, Some(_)) => Verdict::Undecided,
        (_, None, None) => Verdict::Clear,
    };
    let at_once = hidden.first().map(|h| met(scene, path, h.pair, (0, 0.0)));
    let first_contact = at_once.or_else(|| match search.hit {
        Some((pair, segment, s)) => {
            let found = met(scene, path, pair, (segment, s));
            let free_until =
                first_unresolved.map_or(found.time, |unresolved| unresolved.start.min(found.time));
            Some(Contact {
                free_until,
                ..found
            })
        }
        None => first_unresolved.map(|unresolved| unresolved.contact(scene, path)),
    });
    let mut contacts = Vec::new();
    if options.all {
        contacts = intervals(scene, path, &hidden, &joined(search.unresolved));
    }
    CheckResult {
        verdict,
        first_contact,
        contacts,
        minimum: None,
        minimum_by_class: Vec::new(),
        pair_minimums: Vec::new(),
        others_farther_than: None,
        sampled: None,
        given_up: search.late,
        coarseness,
        statistics: Statistics {
            intervals: search.intervals,
            distance_tests: search.work.sphere_tests,
            triangle_tests: search.work.triangle_tests,
            pairs: scene.pairs.len() as u64,
            unreachable: 0,
            work: Some(search.work),
            check_seconds: 0.0,
        },
    }
}

struct Search<'s> {
    scene: &'s Scene<'s>,
    shape: &'s mut dyn Backend,
    /// Travel that is not halved further, metres.
    fine: f64,
    all: bool,
    deadline: Option<Clock>,
    late: bool,
    work: Work,
    intervals: u64,
    /// Earliest contact at an instant that was looked at: pair, segment, share.
    hit: Option<(usize, usize, f64)>,
    unresolved: Vec<UnresolvedInterval>,
    segment: usize,
    /// Intervals that were looked at before this segment.
    begun: u64,
}

impl Search<'_> {
    fn is_over(&mut self) -> bool {
        self.late() || (self.hit.is_some() && !self.all)
    }

    /// Whether the time is spent.
    fn late(&mut self) -> bool {
        self.late = self.late || self.deadline.is_some_and(|end| Clock::now() > end);
        self.late
    }

    fn segment(&mut self, index: usize, segment: &Segment) {
        self.segment = index;
        self.begun = self.intervals;
        let mut ends = [Snapshot::default(), Snapshot::default()];
        ends[0].set(self.scene, segment, 0.0);
        ends[1].set(self.scene, segment, 1.0);
        let mut travels = Travels::default();
        travels.set(self.scene, segment, 0.0, 1.0);
        let mut held = Vec::with_capacity(self.scene.pairs.len());
        for pair in 0..self.scene.pairs.len() {
            if self.late() {
                return;
            }
            // Nothing beyond the travel matters.
            let most = self.travel(pair, &mut travels, &mut ends);
            let first = self.distance(pair, &mut ends[0], 0.0, most);
            let last = self.distance(pair, &mut ends[1], 1.0, most);
            held.push(Held {
                pair,
                ends: [first, last],
            });
        }
        self.interval(segment, ends, held, 0);
    }

    /// The farthest that any part of the one body can move against any of the other.
    fn travel(&self, pair: usize, travels: &mut Travels, ends: &mut [Snapshot; 2]) -> f64 {
        let parts = &self.scene.part_pairs[self.scene.part_pairs_of(pair)];
        let travel = parts
            .iter()
            .map(|p| travels.there_and_on(self.scene, p, ends));
        travel.fold(0.0, f64::max)
    }

    /// Distance of a pair at an instant, as exact as the travel needs; takes note of contact.
    fn distance(&mut self, pair: usize, snapshot: &mut Snapshot, s: f64, travel: f64) -> f64 {
        let clearance = self.scene.pairs[pair].clearance;
        let needed = travel + 2.0 * clearance + self.fine;
        let tolerance = match self.shape.uses_tolerance() {
            true => TOLERANCE,
            false => 0.0,
        };
        let range = DistanceRange {
            min: clearance,
            max: needed / (1.0 - tolerance),
            tolerance,
        };
        let mut apart = self.shape.apart(pair, snapshot, range, &mut self.work);
        // Near the threshold a share of the distance would be most of what is left above it.
        let near = NEAR * clearance + self.fine;
        if tolerance > 0.0 && apart <= near && apart < needed {
            let exact = DistanceRange {
                max: 2.0 * near,
                tolerance: 0.0,
                ..range
            };
            apart = self.shape.apart(pair, snapshot, exact, &mut self.work);
        }
        if apart <= clearance
            && self
                .hit
                .is_none_or(|(_, segment, at)| (self.segment, s) < (segment, at))
        {
            self.hit = Some((pair, self.segment, s));
        }
        apart
    }

    fn interval(
        &mut self,
        segment: &Segment,
        mut ends: [Snapshot; 2],
        mut held: Vec<Held>,
        depth: u32,
    ) {
        let (s0, s1) = (ends[0].s(), ends[1].s());
        // A contact that was found at or before the start cuts everything later.
        let here = (self.segment, s0);
        let found = |(_, segment, at)| (segment, at) <= here;
        if self.late() || (!self.all && self.hit.is_some_and(found)) {
            return;
        }
        if self.intervals - self.begun >= MOST_INTERVALS {
            self.late = true;
            return;
        }
        self.intervals += 1;
        let mut travels = Travels::default();
        travels.set(self.scene, segment, s0, s1);
        let mut longest: f64 = 0.0;
        let mut kept = Vec::with_capacity(held.len());
        for Held { pair, ends: d } in held.drain(..) {
            let travel = self.travel(pair, &mut travels, &mut ends);
            let clearance = self.scene.pairs[pair].clearance;
            if (d[0] + d[1]) * (1.0 - 1e-12) > travel + 2.0 * clearance {
                continue;
            }
            if travel <= self.fine || depth >= DEEPEST {
                let nearer = usize::from(d[1] < d[0] && d[0] > clearance);
                self.unresolved.push(UnresolvedInterval {
                    pair,
                    start: segment.time(s0),
                    end: segment.time(s1),
                    distance: d[0].min(d[1]),
                    at: (self.segment, [s0, s1][nearer]),
                    touches: d.iter().any(|&d| d <= clearance),
                });
                continue;
            }
            longest = longest.max(travel);
            kept.push((Held { pair, ends: d }, travel));
        }
        if kept.is_empty() {
            return;
        }
        let s = 0.5 * (s0 + s1);
        let mut middle = Snapshot::default();
        middle.set(self.scene, segment, s);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (Held { pair, ends: d }, travel) in kept {
            let here = self.distance(pair, &mut middle, s, travel);
            before.push(Held {
                pair,
                ends: [d[0], here],
            });
            after.push(Held {
                pair,
                ends: [here, d[1]],
            });
        }
        let [first, last] = ends;
        self.interval(segment, [first, middle.clone()], before, depth + 1);
        self.interval(segment, [middle, last], after, depth + 1);
    }
}
