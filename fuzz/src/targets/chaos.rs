//! Whole checks of arbitrary scenes: robots, bodies and motions of any shape. Samples by the slow
//! oracle may not contradict the answer.

use clearance::findings::Verdict;
use clearance_proof::model::{BodyId, Form, Interpolation, JointKind};
use nalgebra::Vector3;

use super::super::common::oracle::{Oracle, Sample};
use super::super::common::{Polynomial, Scenario, form, shapes};
use super::source::Source;

/// Resolution, metres.
const EPSILON: f64 = 1e-2;

/// Samples of a segment, and one more.
const INSTANTS: u32 = 12;

fn any_form(s: &mut Source) -> Form {
    match s.below(6) {
        0 => Form::Box {
            size: Vector3::new(s.length(), s.length(), s.length()),
        },
        1 => Form::Sphere { radius: s.length() },
        2 => Form::Capsule {
            radius: s.length(),
            length: s.length(),
        },
        // The oracle takes the prism around it: thin ones only, from outside.
        3 => Form::Cylinder {
            radius: s.length().min(0.01),
            length: s.length(),
        },
        4 => form(shapes::block(Vector3::new(
            s.length(),
            s.length(),
            s.length(),
        ))),
        _ => {
            let count = 3 + s.below(6);
            let corners: Vec<[f64; 3]> = (0..count).map(|_| s.vector().into()).collect();
            let corner = |s: &mut Source| s.below(count) as u32;
            let faces: Vec<[u32; 3]> = (0..1 + s.below(5))
                .map(|_| [corner(s), corner(s), corner(s)])
                .collect();
            form(shapes::mesh(&corners, &faces))
        }
    }
}

fn scene(s: &mut Source) -> Scenario {
    let mut scenario = Scenario::new();
    let mut carrier = None;
    for k in 0..1 + s.below(4) {
        let parent = match s.below(4) {
            0 => None,
            1 => (k > 0).then_some(0),
            _ => k.checked_sub(1),
        };
        let kind = [
            JointKind::Revolute,
            JointKind::Prismatic,
            JointKind::Continuous,
        ][s.below(3)];
        let (at, axis) = (s.pose(), s.direction().into_inner());
        let joint = scenario.joint(parent, at, axis, kind);
        let count = s.below(3);
        let shapes = (0..count).map(|_| (s.pose(), any_form(s))).collect();
        let parent = carrier.filter(|_| s.flag());
        carrier = Some(scenario.body(Some(joint), parent, shapes));
    }
    for _ in 0..1 + s.below(2) {
        let shapes = vec![(s.pose(), any_form(s))];
        scenario.body(None, None, shapes);
    }
    let law = [
        Interpolation::Linear,
        Interpolation::Cubic,
        Interpolation::Quintic,
    ][s.below(3)];
    scenario.trajectory.interpolation = law;
    let mut here: Vec<f64> = scenario.cell.joints.iter().map(|_| s.number()).collect();
    for _ in 0..1 + s.below(2) {
        let pieces: Vec<Polynomial> = here
            .iter()
            .map(|&start| {
                let mut c = [start, 0.0, 0.0, 0.0, 0.0, 0.0];
                for x in &mut c[1..=law.degree()] {
                    *x = s.number().clamp(-3.0, 3.0);
                }
                c
            })
            .collect();
        scenario.segment(pieces);
        let last = scenario.trajectory.segments.last();
        last.expect("a segment").configuration(1.0, &mut here);
    }
    scenario
}

/// A pair at evenly spread instants.
fn samples(scenario: &Scenario, oracle: &Oracle, pair: (BodyId, BodyId)) -> Vec<Sample> {
    let mut all = Vec::new();
    for (segment, law) in scenario.trajectory.segments.iter().enumerate() {
        for i in 0..=INSTANTS {
            let s = f64::from(i) / f64::from(INSTANTS);
            all.push(Sample {
                segment,
                s,
                time: law.time(s),
                distance: oracle.distance(segment, s, pair),
            });
        }
    }
    all
}

/// A scene out of bytes, checked and sampled. Says whether there was anything to check.
pub fn chaos(data: &[u8]) -> bool {
    let s = &mut Source(data);
    let clearance = [0.0, 1e-3, 0.02, 0.5][s.below(4)];
    let extras = s.flag();
    let scenario = scene(s);
    let pairs: Vec<_> = scenario
        .table()
        .checked
        .iter()
        .map(|p| (p.a, p.b))
        .collect();
    if pairs.is_empty() {
        return false;
    }
    let result = scenario.check(clearance, EPSILON, extras);
    let oracle = Oracle::new(&scenario);
    let watched: Vec<Vec<Sample>> = pairs
        .iter()
        .map(|&pair| samples(&scenario, &oracle, pair))
        .collect();
    let touching = || watched.iter().flatten().filter(|x| x.distance <= clearance);
    match result.verdict {
        Verdict::Clear => assert!(
            touching().next().is_none(),
            "clear, but {:?}",
            touching().next()
        ),
        Verdict::Undecided => {
            let deep = touching().find(|x| x.distance < clearance - EPSILON / 8.0);
            assert!(deep.is_none(), "undecided, but {deep:?}");
        }
        Verdict::Collision => (),
        Verdict::Unverified | Verdict::Possible => panic!("{:?}", result.verdict),
    }
    if let Some(first) = &result.first_contact {
        assert!(first.free_until <= first.time);
        let early = touching().find(|x| x.time < first.free_until);
        assert!(
            early.is_none(),
            "free until {}, but {early:?}",
            first.free_until
        );
    }
    if extras {
        for (&(a, b), samples) in pairs.iter().zip(&watched) {
            let [a, b] = [a, b].map(|body| &scenario.cell.bodies[body].name);
            let least = result
                .pair_minimums
                .iter()
                .find(|m| &m.a == a && &m.b == b)
                .expect("a minimum of every pair");
            for x in samples {
                assert!(least.lower_bound <= x.distance, "{least:?}, but {x:?}");
                let covered = |c: &&clearance::findings::Contact| {
                    &c.a == a
                        && &c.b == b
                        && c.free_until <= x.time
                        && c.until.is_none_or(|until| x.time <= until)
                };
                let found = x.distance > clearance || result.contacts.iter().any(|c| covered(&c));
                assert!(found, "{a} and {b}: {x:?} in no interval");
            }
        }
    }
    true
}
