//! Joints that may be off, and a budget beside, against instants with joints that are off at
//! random.

use super::first;
use crate::check::Snapshot;
use crate::check::TimeLimit;
use crate::check::fixture::{Fixture, JOINTS, cube, moved, surface_distance};
use crate::check::scene::Scene;
use crate::geometry::random::Random;
use crate::model::{Interpolation, Segment, SegmentErrors, Trajectory};
use crate::report::{ContactKind, Verdict};

const RESOLUTION: f64 = 1e-3;
const CLEARANCE: f64 = 0.01;

/// Segments in which joints move to and fro, and in some of which they may be off by so much.
fn motion(r: &mut Random, tube: f64) -> Trajectory {
    let mut q: Vec<f64> = (0..2 * JOINTS).map(|_| r.signed()).collect();
    let segments = (0..4).map(|k| {
        let joints = q.iter_mut().map(|q| {
            let by = 0.3 * r.signed();
            let c = [*q, by, 0.0, 0.0, 0.0, 0.0];
            *q += by;
            c
        });
        Segment {
            start: f64::from(k),
            end: f64::from(k + 1),
            joints: joints.collect(),
            errors: (k != 1)
                .then(|| SegmentErrors::new(vec![tube; 2 * JOINTS], Vec::new()))
                .flatten(),
        }
    });
    Trajectory {
        segments: segments.collect(),
        interpolation: Interpolation::Linear,
        timed: true,
    }
}

/// The least distance of any pair at some instants before a time, with joints off as far as the
/// segment says, and by `budget` beside.
fn least_before(
    scene: &Scene,
    trajectory: &Trajectory,
    budget: f64,
    time: f64,
    r: &mut Random,
) -> f64 {
    let mut least = f64::INFINITY;
    let mut snapshot = Snapshot::default();
    for _ in 0..400 {
        let instant = trajectory.locate(time * r.unit());
        let mut segment = trajectory.segment_at(instant).clone();
        for joint in 0..segment.joints.len() {
            let error = budget + segment.taken_over().get(joint).copied().unwrap_or(0.0);
            let error = error * [1.0, -1.0, r.signed()][r.below(3)];
            segment.joints.change(|joints| joints[joint][0] += error);
        }
        snapshot.set(scene, &segment, instant.fraction);
        if segment.time(instant.fraction) < time {
            for pair in 0..scene.pairs.len() {
                least = least.min(surface_distance(scene, pair, &mut snapshot));
            }
        }
    }
    least
}

/// Catches joints that are taken to be where their polynomials put them, a budget that is left out
/// where segments say something of their joints, a contact of the curve that is not looked for or
/// looked for from too late on, and what is free before it told without what joints may be off.
#[test]
fn errors_of_joints_are_in_every_answer() {
    let mut r = Random(23);
    // With tubes, with a budget, with both.
    let (mut clear, mut undecided, mut collision) = ([0; 3], [0; 3], [0; 3]);
    let (mut possible, mut work) = ([0; 3], 0);
    for case in 0..600 {
        let sort = case % 3;
        let [tube, budget] = match sort {
            0 => [0.1, 0.0],
            1 => [0.0, 0.1],
            _ => [0.05, 0.1],
        }
        .map(|most| most * r.unit() * r.unit());
        let mut fixture = Fixture::new();
        for chain in [Some(0), Some(1), None] {
            let shape = (moved(cube(0.1 + 0.2 * r.unit()), r.vector() * 0.5), 0.0);
            fixture.carried(chain, &[shape], None);
        }
        if budget > 0.0 {
            let mut uncertainty = fixture.no_errors();
            uncertainty.joint.fill(budget);
            fixture.cell.uncertainty = Some(uncertainty);
        }
        let scene = fixture.scene(CLEARANCE);
        let trajectory = motion(&mut r, tube);
        let end = trajectory.duration();
        let found = first(&scene, &trajectory, RESOLUTION, &|_| ());
        match (found.verdict, found.contact) {
            (Verdict::Clear, None) => {
                let least = least_before(&scene, &trajectory, budget, end, &mut r);
                assert!(least > CLEARANCE, "case {case}: {least}");
                clear[sort] += 1;
            }
            (Verdict::Possible, Some(contact)) => {
                assert_eq!(contact.kind, ContactKind::Possible, "case {case}");
                let least = least_before(&scene, &trajectory, budget, contact.free_until, &mut r);
                assert!(least > CLEARANCE, "case {case}: {least} {contact:?}");
                // Without the budget nothing is left open.
                let least = least_before(&scene, &trajectory, 0.0, end, &mut r);
                assert!(least > CLEARANCE, "case {case}: {least} {contact:?}");
                possible[sort] += 1;
            }
            (verdict, Some(contact)) => {
                let least = least_before(&scene, &trajectory, 0.0, contact.free_until, &mut r);
                assert!(least > CLEARANCE, "case {case}: {least} {contact:?}");
                if verdict == Verdict::Collision {
                    assert!(
                        contact.distance <= CLEARANCE + 1e-9,
                        "case {case}: {contact:?}"
                    );
                    collision[sort] += 1;
                } else {
                    let kind = contact.kind;
                    assert_eq!(
                        (verdict, kind),
                        (Verdict::Undecided, ContactKind::Unresolved)
                    );
                    undecided[sort] += 1;
                    work = work.max(found.statistics.intervals);
                }
            }
            other => panic!("case {case}: {other:?}"),
        }
    }
    let enough = |found: [usize; 3], kinds: [usize; 3]| (0..3).all(|k| found[k] >= kinds[k]);
    assert!(
        enough(clear, [10; 3]) && enough(collision, [10; 3]),
        "{clear:?} {collision:?}"
    );
    assert!(
        enough(undecided, [10, 0, 5]) && enough(possible, [0, 10, 10]),
        "{undecided:?} {possible:?}"
    );
    assert!(undecided[1] == 0 && possible[0] == 0);
    // No program is searched to the finest interval for what errors hide.
    assert!(work < 400, "{work} intervals");
}

/// Catches `possible` where the time was spent before anything was found.
#[test]
fn what_errors_do_is_undecided_when_no_time_is_left_to_find_it() {
    let mut r = Random(24);
    let (mut in_time, mut late) = (0, 0);
    for case in 0..200 {
        let mut fixture = Fixture::new();
        for chain in [Some(0), Some(1), None] {
            let shape = (moved(cube(0.1 + 0.2 * r.unit()), r.vector() * 0.5), 0.0);
            fixture.carried(chain, &[shape], None);
        }
        let mut uncertainty = fixture.no_errors();
        uncertainty.joint.fill(0.1 * r.unit());
        fixture.cell.uncertainty = Some(uncertainty);
        let mut scene = fixture.scene(CLEARANCE);
        let trajectory = motion(&mut r, 0.0);
        let whole = first(&scene, &trajectory, RESOLUTION, &|_| ());
        if whole.verdict != Verdict::Possible {
            continue;
        }
        for most in 0..200 {
            scene.time_limit = TimeLimit::of_questions(most);
            let found = first(&scene, &trajectory, RESOLUTION, &|_| ());
            let spent = scene.time_limit.was_exceeded();
            match found.verdict {
                Verdict::Possible => {
                    let contact = found.contact.expect("possible says where");
                    let errors = contact.errors.expect("possible says why").sum();
                    assert!(
                        contact.distance <= CLEARANCE + errors + RESOLUTION,
                        "case {case}, {most}: {contact:?}"
                    );
                    in_time += usize::from(!spent);
                }
                Verdict::Undecided => {
                    assert!(spent, "case {case}, {most}");
                    let kind = found.contact.map(|contact| contact.kind);
                    assert_eq!(kind, Some(ContactKind::Unresolved), "case {case}, {most}");
                    late += 1;
                }
                other => panic!("case {case}, {most}: {other:?}"),
            }
            if !spent {
                break;
            }
        }
    }
    assert!(in_time > 5 && late > 50, "{in_time} {late}");
}
