//! Bisection as Shimada, Okano and Kawabe state it, over any shape that knows distances: a pair
//! whose distances at both ends of an interval sum up to more than the farthest that the two bodies
//! can move against each other meets nowhere in it; else the interval is halved, first half first.
//!
//! With d(ts), d(te) lower bounds of the distance and L a bound on the way of a point from where it
//! is at ts to where it meets the other body and on to where it is at te: d(ts) + d(te) > L + 2 D
//! proves that the distance stays above D. (The sum is sharper than the source's d(ts) > L, and L
//! is, for short intervals, hardly more than the chord: `check/travel.rs` of the proof.) Contact at
//! the end of an interval says nothing about its inside, which is searched all the same.

use clearance_proof::check::Snapshot;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::scene::Scene;
use clearance_proof::check::unresolved::UnresolvedInterval;
use clearance_proof::model::{MotionInstant, Segment, Trajectory};
use clearance_proof::report::{Contact, Statistics, Verdict, Work};

use crate::backends::{Backend, DistanceRange};
use crate::halves::{DEEPEST, EndDistances, OpenInterval};

/// Share of the resolution below which a travel is not worth halving.
const FINE: f64 = 0.25;
/// Share by which distances far above the threshold may be told too small, by shapes that it spares
/// work. Most of them are far larger than the travel needs.
const TOLERANCE: f64 = 0.2;
/// Nearer to the threshold than it is large, so many times, distances are looked at exactly.
const NEAR: f64 = 4.0;
/// Intervals of one segment after which the check is given up.
const MOST_INTERVALS: u64 = 1 << 22;

/// Checks a motion. Only `resolution` and `all` of the options count. Once the scene's limit
/// of time is spent, the rest of the motion is left unresolved.
pub fn check(
    scene: &Scene,
    trajectory: &Trajectory,
    backend: &mut dyn Backend,
    options: &CheckOptions,
    progress: &dyn Fn(f64),
) -> CheckResult {
    check_within(
        scene,
        trajectory,
        backend,
        options,
        progress,
        MOST_INTERVALS,
    )
}

/// The same, where a segment is given up after so many intervals.
fn check_within(
    scene: &Scene,
    trajectory: &Trajectory,
    backend: &mut dyn Backend,
    options: &CheckOptions,
    progress: &dyn Fn(f64),
    most_intervals: u64,
) -> CheckResult {
    let mut start = Snapshot::default();
    start.set(scene, &trajectory.segments[0], 0.0);
    let contained = scene.contained(&mut start);
    let coarseness = backend.coarseness();
    let mut search = Search {
        scene,
        backend,
        fine: FINE * options.resolution,
        all: options.all,
        given_up: false,
        work: Work::default(),
        intervals: 0,
        hit: None,
        unresolved: Vec::new(),
        segment: 0,
        begun: 0,
        most_intervals,
        left_from: f64::INFINITY,
    };
    if contained.is_empty() || options.all {
        for (index, segment) in trajectory.segments.iter().enumerate() {
            if search.is_over() {
                break;
            }
            search.segment(index, segment);
            progress((index + 1) as f64 / trajectory.segments.len() as f64);
        }
    }
    let first_unresolved = search
        .unresolved
        .iter()
        .min_by(|x, y| x.start.total_cmp(&y.start));
    let verdict = match (contained.is_empty(), search.hit, first_unresolved) {
        (false, _, _) | (_, Some(_), _) => Verdict::Collision,
        _ if search.given_up => Verdict::Unverified,
        (_, None, Some(_)) => Verdict::Undecided,
        (_, None, None) => Verdict::Clear,
    };
    let at_once = contained
        .first()
        .map(|&pair| scene.met(trajectory, pair, MotionInstant::START));
    let first_contact = at_once.or_else(|| match search.hit {
        Some((pair, place)) => {
            let found = scene.met(trajectory, pair, place);
            let free_until =
                first_unresolved.map_or(found.time, |unresolved| unresolved.start.min(found.time));
            let free_until = free_until.min(search.left_from);
            Some(Contact {
                free_until,
                ..found
            })
        }
        None => first_unresolved.map(|unresolved| unresolved.contact(scene, trajectory)),
    });
    let mut contacts = Vec::new();
    if options.all {
        contacts = scene.contact_intervals(
            trajectory,
            &contained,
            &UnresolvedInterval::joined(search.unresolved),
        );
    }
    CheckResult {
        first_contact,
        contacts,
        given_up: search.given_up,
        coarseness,
        statistics: Statistics::of_work(search.work, search.intervals, scene.pairs.len()),
        ..CheckResult::new(verdict)
    }
}

struct Search<'s> {
    scene: &'s Scene<'s>,
    backend: &'s mut dyn Backend,
    /// Travel that is not halved further, metres.
    fine: f64,
    all: bool,
    given_up: bool,
    work: Work,
    intervals: u64,
    /// Earliest contact at an instant that was looked at: the pair, and where.
    hit: Option<(usize, MotionInstant)>,
    unresolved: Vec<UnresolvedInterval>,
    segment: usize,
    /// Intervals that were looked at before this segment.
    begun: u64,
    /// How many of a segment are looked at.
    most_intervals: u64,
    /// From when on something was left out, because the search was given up.
    left_from: f64,
}

impl Search<'_> {
    fn is_over(&mut self) -> bool {
        self.gives_up() || (self.hit.is_some() && !self.all)
    }

    /// Whether the time is spent.
    fn gives_up(&mut self) -> bool {
        self.given_up = self.given_up || self.scene.time_limit.is_exceeded_now();
        self.given_up
    }

    fn segment(&mut self, index: usize, segment: &Segment) {
        self.segment = index;
        self.begun = self.intervals;
        let whole = OpenInterval::whole(self.scene, segment, |pair, ends, travel| {
            let [first, last] = ends;
            (!self.gives_up()).then(|| {
                // Nothing beyond the travel matters.
                let first = self.distance(pair, first, travel);
                [first, self.distance(pair, last, travel)]
            })
        });
        if self.given_up {
            self.left_from = self.left_from.min(segment.start);
        }
        self.interval(whole);
    }

    /// Distance of a pair at an instant, as exact as the travel needs; takes note of contact.
    fn distance(&mut self, pair: usize, snapshot: &mut Snapshot, travel: f64) -> f64 {
        let s = snapshot.s();
        let clearance = self.scene.pairs[pair].clearance;
        let needed = travel + 2.0 * clearance + self.fine;
        let tolerance = if self.backend.uses_tolerance() {
            TOLERANCE
        } else {
            0.0
        };
        let range = DistanceRange {
            min: clearance,
            max: needed / (1.0 - tolerance),
            tolerance,
        };
        let mut bound = self
            .backend
            .lower_bound(pair, snapshot, range, &mut self.work);
        // Near the threshold a share of the distance would be most of what is left above it.
        let near = NEAR * clearance + self.fine;
        if tolerance > 0.0 && bound <= near && bound < needed {
            let exact = DistanceRange {
                max: 2.0 * near,
                tolerance: 0.0,
                ..range
            };
            bound = self
                .backend
                .lower_bound(pair, snapshot, exact, &mut self.work);
        }
        if bound <= clearance
            && self
                .hit
                .is_none_or(|(_, hit)| MotionInstant::new(self.segment, s) < hit)
        {
            self.hit = Some((pair, MotionInstant::new(self.segment, s)));
        }
        bound
    }

    fn interval(&mut self, mut interval: OpenInterval) {
        let [s0, s1] = interval.shares();
        // A contact that was found at or before the start cuts everything later.
        let here = MotionInstant::new(self.segment, s0);
        let found = |(_, hit)| hit <= here;
        let is_settled = !self.all && self.hit.is_some_and(found);
        let many = self.intervals - self.begun >= self.most_intervals;
        self.given_up |= many && !is_settled;
        if self.gives_up() {
            self.left_from = self.left_from.min(interval.segment.time(s0));
        }
        if self.given_up || is_settled {
            return;
        }
        self.intervals += 1;
        let segment = interval.segment;
        let mut travels = interval.travels();
        let mut open = Vec::with_capacity(interval.pairs.len());
        for held in std::mem::take(&mut interval.pairs) {
            let EndDistances { pair, ends: d } = held;
            let travel = interval.travel(pair, &mut travels);
            let clearance = self.scene.pairs[pair].clearance;
            if (d[0] + d[1]) * (1.0 - 1e-12) > travel + 2.0 * clearance {
                continue;
            }
            if travel <= self.fine || interval.depth >= DEEPEST {
                let nearer = usize::from(d[1] < d[0] && d[0] > clearance);
                self.unresolved.push(UnresolvedInterval {
                    pair,
                    start: segment.time(s0),
                    end: segment.time(s1),
                    distance: d[0].min(d[1]),
                    at: MotionInstant::new(self.segment, [s0, s1][nearer]),
                    touches: d.iter().any(|&d| d <= clearance),
                });
                continue;
            }
            open.push((held, travel));
        }
        if open.is_empty() {
            return;
        }
        let halves = interval.halved(open, |pair, middle, travel| {
            self.distance(pair, middle, travel)
        });
        halves.into_iter().for_each(|half| self.interval(half));
    }
}

#[cfg(test)]
mod tests {
    use clearance_proof::check::fixture::{Fixture, JOINTS, cube, moved};
    use clearance_proof::model::Interpolation;
    use nalgebra::Vector3;

    use super::*;
    use crate::backends::raw::Raw;

    /// Regression: a contact at the end of a segment whose inside was given up had all before it proved
    /// free, though the cube had gone through another one there.
    #[test]
    fn what_is_given_up_is_not_free() {
        let mut fixture = Fixture::new();
        fixture.carried(Some(0), &[(cube(0.2), 0.0)], None);
        for x in [1.0, 2.0] {
            let there = Vector3::new(x, 0.0, 0.0);
            fixture.body(false, &[(moved(cube(0.2), there), 0.0)], None);
        }
        let mut joints = vec![[0.0; 6]; 2 * JOINTS];
        joints[0][1] = 2.0;
        let trajectory = Trajectory {
            segments: vec![Segment::new(0.0, 2.0, joints)],
            interpolation: Interpolation::Linear,
            timed: true,
        };
        let scene = fixture.scene(0.0);
        let (mut given_up, mut whole) = (0, 0);
        for most in 0..60 {
            let mut backend = Raw::new(&scene);
            let options = CheckOptions::default();
            let found = check_within(&scene, &trajectory, &mut backend, &options, &|_| (), most);
            let contact = found.first_contact.expect("it ends in the other cube");
            // From 0.8 s on it is in the first one.
            assert!(contact.free_until <= 0.8 + 1e-9, "{most}: {contact:?}");
            *if found.given_up {
                &mut given_up
            } else {
                &mut whole
            } += 1;
        }
        assert!(
            given_up > 5 && whole > 5,
            "{given_up} given up, {whole} whole"
        );
    }
}
