//! Random motions with events against an oracle that knows nothing of phases: boxes that only
//! shift, whose distances follow from their places, at many instants.
//!
//! Planted errors and what catches each of them (tried by hand):
//!
//! | plant | caught by |
//! |---|---|
//! | a phase allows what the one before it allowed | a sample below the bound of the least distance
//! |
//! | a body is carried as in the phase before | a near instant in no near miss |
//! | near misses leave out what is wholly inside | a near instant in no near miss |
//! | containment is asked at the start of the motion only | an instant in no interval |
//! | a phase's segments are counted from 0 (`whole_instant`) | the time of a place |
//! | contacts, or near misses, are not joined at events | two intervals that meet |
//! | contacts of a pair are joined whatever lies between | an instant that is not near in an
//! interval |
//! | bounds of least distances are those of the last phase | a sample below the bound |
//! | the first contact is that of the last phase | its `free_until` |

use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};

use super::*;
use crate::check::bisection::CheckOptions;
use crate::check::scene::Scene;
use crate::geometry::random::Random;
use crate::model::{
    Body, Event, EventChange, Form, Joint, Merged, Schedule, Segment, Timeline, Track,
};

const D: f64 = 0.01;
const WARN: f64 = 0.05;
const RESOLUTION: f64 = 1e-3;
const END: f64 = 3.0;
const SAMPLES: usize = 240;

/// The bodies of the cell.
const HAND: usize = 0;
const PART: usize = 1;
const POST: usize = 2;
const BLOCK: usize = 3;
const NAMES: [&str; 4] = ["hand", "part", "post", "block"];
const HALVES: [f64; 4] = [0.05, 0.03, 0.04, 0.3];
const PAIRS: [[usize; 2]; 5] = [
    [HAND, PART],
    [HAND, POST],
    [HAND, BLOCK],
    [PART, POST],
    [PART, BLOCK],
];

/// A hand on two slides, a part that it takes and puts down, a post and a solid block.
struct World {
    cell: Cell,
    places: [Vector3<f64>; 4],
    whole: Trajectory,
    timeline: Timeline,
}

/// Where the part is in a phase.
#[derive(Clone, Copy)]
enum Held {
    Stands(Vector3<f64>),
    Carried(Vector3<f64>),
}

fn world(random: &mut Random) -> World {
    let mut cell = Cell::with_one_robot();
    let still = Isometry3::identity();
    let x = cell.add_joint(Joint::prismatic("x", None, still, Vector3::x_axis()));
    let y = cell.add_joint(Joint::prismatic("y", Some(x), still, Vector3::y_axis()));
    let mut flat = |far: f64| Vector3::new(far * random.signed(), far * random.signed(), 0.0);
    let places = [Vector3::zeros(), flat(0.6), flat(0.6), flat(0.8)];
    for (body, name) in NAMES.iter().enumerate() {
        let form = Form::Box {
            size: Vector3::repeat(2.0 * HALVES[body]),
        };
        let at = Isometry3::from(places[body]);
        cell.add_body(match body {
            HAND => Body::link(name, form, y, at, None),
            _ => Body::obstacle(name, form, at),
        });
    }
    let waypoints: Vec<(f64, Vec<f64>)> = (0..4)
        .map(|k| {
            (
                f64::from(k),
                vec![0.8 * random.signed(), 0.8 * random.signed()],
            )
        })
        .collect();
    let whole = Trajectory::linear(&cell, &waypoints).unwrap();
    let mut times: Vec<f64> = (0..4).map(|_| 0.1 + 2.8 * random.unit()).collect();
    times.sort_by(f64::total_cmp);
    let mut events = Vec::new();
    for (k, &time) in times.iter().enumerate() {
        let link_from_body = match random.below(2) {
            0 => None,
            // Far enough to be inside of the block while the hand is not.
            _ => Some(Isometry3::translation(
                0.4 * random.signed(),
                0.4 * random.signed(),
                0.0,
            )),
        };
        let change = match k % 3 {
            0 => EventChange::Attach {
                bodies: vec![PART],
                link: HAND,
                link_from_body,
                touch: Vec::new(),
            },
            1 => EventChange::Release { bodies: vec![PART] },
            _ => EventChange::Allow {
                a: "hand".into(),
                b: ["part", "post"][random.below(2)].into(),
                until: Some(time + 0.5 * (END - time) * random.unit()),
                reason: String::new(),
            },
        };
        events.push(Event {
            time,
            change,
            file: PathBuf::new(),
            line: k,
            program: None,
        });
    }
    World {
        cell,
        places,
        whole,
        timeline: Timeline { events },
    }
}

impl World {
    fn hand(&self, time: f64) -> Vector3<f64> {
        let segments = &self.whole.segments;
        let last = segments.len() - 1;
        let at = segments.partition_point(|s| s.end < time).min(last);
        let q = |joint: usize| {
            let Segment {
                start, end, joints, ..
            } = &segments[at];
            let c = joints.of(joint);
            c[0] + (time - start) / (end - start) * c[1]
        };
        Vector3::new(q(0), q(1), 0.0)
    }

    /// Intervals between the instants at which something changes.
    fn intervals(&self) -> Vec<[f64; 2]> {
        let mut cuts = vec![0.0, END];
        for event in &self.timeline.events {
            cuts.push(event.time);
            if let EventChange::Allow {
                until: Some(until), ..
            } = event.change
            {
                cuts.push(until);
            }
        }
        cuts.sort_by(f64::total_cmp);
        cuts.windows(2).map(|w| [w[0], w[1]]).collect()
    }

    /// Where the part is after all events up to an instant.
    fn held(&self, until: f64) -> Held {
        let mut held = Held::Stands(self.places[PART]);
        for event in self.timeline.events.iter().filter(|e| e.time <= until) {
            let hand = self.hand(event.time);
            let position = match held {
                Held::Stands(position) => position,
                Held::Carried(from_hand) => hand + from_hand,
            };
            held = match &event.change {
                EventChange::Attach { link_from_body, .. } => Held::Carried(
                    link_from_body.map_or(position - hand, |pose| pose.translation.vector),
                ),
                EventChange::Release { .. } => Held::Stands(position),
                _ => held,
            };
        }
        held
    }

    /// The distance of a pair at an instant of an interval; `None`: it is not checked then.
    fn distance(&self, [a, b]: [usize; 2], time: f64, [from, to]: [f64; 2]) -> Option<f64> {
        let held = self.held(from);
        let carried = matches!(held, Held::Carried(_));
        let checked = match (a, b) {
            (HAND, PART) => !carried,
            (PART, _) => carried,
            _ => true,
        };
        let allowed = self
            .timeline
            .events
            .iter()
            .any(|event| match &event.change {
                EventChange::Allow {
                    b: other, until, ..
                } => a == HAND && *other == NAMES[b] && event.time <= from && until.unwrap() >= to,
                _ => false,
            });
        let position = |body: usize| match (body, held) {
            (HAND, _) => self.hand(time),
            (PART, Held::Stands(position)) => position,
            (PART, Held::Carried(from_hand)) => self.hand(time) + from_hand,
            _ => self.places[body],
        };
        let between = (position(a) - position(b)).abs() - Vector3::repeat(HALVES[a] + HALVES[b]);
        (checked && !allowed).then(|| between.map(|x| x.max(0.0)).norm())
    }
}

/// Catches what the table above lists: the answers joined from phases are those of the whole
/// motion.
#[test]
fn joined_answers_are_those_of_the_whole_motion() {
    let mut random = Random(77);
    let (mut over_events, mut insides, mut clear) = (0, 0, 0);
    for case in 0..120 {
        let world = world(&mut random);
        let track = Track {
            trajectory: &world.whole,
            joints: vec![0, 1],
            shift: 0.0,
        };
        let trajectory =
            Merged::on_one_clock(&world.cell, &[track], &world.timeline.cuts()).trajectory;
        let phases = Schedule::new(&world.cell, &trajectory, &world.timeline)
            .unwrap()
            .phases;
        let trees: Vec<_> = (world.cell.bodies.iter())
            .map(|body| vec![Arc::new(SphereTree::of(&body.shapes[0].form))])
            .collect();
        let options = CheckOptions {
            resolution: RESOLUTION,
            all: true,
            minimum: true,
            minimum_by_class: true,
            ..CheckOptions::default()
        };
        let asked = CheckResult::of_phases(
            &phases,
            false,
            &TimeLimit::default(),
            &|_| (),
            |phase, share| {
                let scene = Scene::of_phase(phase, &trees, D);
                let result = scene.check(&phase.trajectory, &options, share);
                let near = scene.at_warn_distances(&vec![Some(WARN); scene.pairs.len()]);
                let near = near.near_misses(&phase.trajectory, RESOLUTION, &|_| ()).0;
                Ok::<_, ()>((result, near))
            },
        );
        let (result, near) = asked.unwrap();

        let mut least = f64::INFINITY;
        let mut earliest = f64::INFINITY;
        for pair in PAIRS {
            let ours = |a: &str, b: &str| [a, b] == pair.map(|body| NAMES[body]);
            let contacts: Vec<&Contact> = (result.contacts.iter())
                .filter(|c| ours(&c.a, &c.b))
                .collect();
            let spans: Vec<[f64; 2]> = (contacts.iter())
                .map(|c| [c.free_until, c.until.unwrap()])
                .collect();
            let misses: Vec<[f64; 2]> = (near.iter())
                .filter(|miss| ours(&miss.a, &miss.b))
                .map(|miss| [miss.entered, miss.left])
                .collect();
            let within = |spans: &[[f64; 2]], t: f64| {
                spans.iter().any(|s| s[0] - 1e-9 <= t && t <= s[1] + 1e-9)
            };
            for interval in world.intervals() {
                for k in 0..=SAMPLES {
                    let share = k as f64 / SAMPLES as f64;
                    let t = interval[0] + share * (interval[1] - interval[0]);
                    let seen = world.distance(pair, t, interval);
                    let told = format!("case {case}: {pair:?} at {t} s: {seen:?}");
                    let deep_in = |s: &[f64; 2]| s[0] + 1e-6 < t && t < s[1] - 1e-6;
                    let inner = 0 < k && k < SAMPLES;
                    let Some(distance) = seen else {
                        assert!(!inner || !spans.iter().any(deep_in), "{told}, not checked");
                        continue;
                    };
                    least = least.min(distance);
                    if distance < D - 1e-9 {
                        earliest = earliest.min(t);
                        assert!(within(&spans, t), "{told}, in none of {spans:?}");
                    }
                    // Also what is wholly inside, where surfaces are far from each other.
                    if distance < WARN - 1e-9 {
                        assert!(within(&misses, t), "{told}, in none of {misses:?}");
                    }
                    if inner && spans.iter().any(deep_in) {
                        assert!(distance < D + 2.0 * RESOLUTION, "{told}, in {spans:?}");
                    }
                }
            }
            for two in contacts.windows(2) {
                let inside = |c: &Contact| c.kind == ContactKind::Inside;
                let separated = two[0].until.unwrap() < two[1].free_until;
                assert!(
                    separated || inside(two[0]) != inside(two[1]),
                    "case {case}: {two:?}"
                );
            }
            for two in misses.windows(2) {
                assert!(two[0][1] < two[1][0], "case {case}: {two:?}");
            }
            let cut =
                |s: &[f64; 2]| (phases.iter()).any(|p| s[0] < p.times()[0] && p.times()[0] < s[1]);
            over_events += spans.iter().filter(|s| cut(s)).count();
        }
        let time = |segment: usize, fraction: f64| trajectory.segments[segment].time(fraction);
        for contact in result.first_contact.iter().chain(&result.contacts) {
            let at = time(contact.segment, contact.fraction);
            assert!((at - contact.time).abs() < 1e-9, "case {case}: {contact:?}");
        }
        for miss in &near {
            let at = time(miss.segment, miss.fraction);
            assert!((at - miss.time).abs() < 1e-9, "case {case}: {miss:?}");
        }
        insides += usize::from(
            result
                .contacts
                .iter()
                .any(|c| c.kind == ContactKind::Inside),
        );
        clear += usize::from(result.verdict == Verdict::Clear);
        if earliest < END {
            assert_eq!(result.verdict, Verdict::Collision, "case {case}");
            let first = result.first_contact.as_ref().unwrap();
            assert!(
                first.free_until <= earliest + 1e-9,
                "case {case}: {first:?}"
            );
            assert!(
                first.time <= earliest + 0.05,
                "case {case}: {first:?} {earliest}"
            );
        }
        let known = result.minimum.as_ref().unwrap();
        assert!(
            known.lower_bound <= least + 1e-9,
            "case {case}: {known:?} {least}"
        );
        assert!(
            known.distance >= least - 0.01,
            "case {case}: {known:?} {least}"
        );
    }
    let counts = format!("{over_events} over events, {insides} inside, {clear} clear");
    assert!(over_events > 20 && insides > 10 && clear > 5, "{counts}");
}
