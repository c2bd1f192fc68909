//! A body that is handed over while a joint may be off begins where that has brought it.

use clearance_proof::model::{Event, EventChange, Schedule, Timeline, Uncertainty};
use clearance_recheck::statement::statement;

use super::events::{SceneWithEvents, lines, made, words};
use super::*;
use crate::Maker;

/// How far the joint may be off.
const OFF: f64 = 1e-4;
const CLEARANCE: f64 = 0.02;

/// An arm turns past a ball, 0.5 m from its axis, and takes it on towards a shelf. At the end the
/// ball is `gap` beyond the clearance. The joint may be off by its motion, or by a budget.
fn taken(gap: f64, by_motion: bool) -> SceneWithEvents {
    let mut cell = Cell::with_one_robot();
    let still = Isometry3::identity();
    let turn = cell.add_joint(Joint::revolute("turn", None, still, Vector3::z_axis()));
    let form = |x: f64, y: f64, z: f64| Form::Box {
        size: Vector3::new(x, y, z),
    };
    let at = Isometry3::translation(0.3, 0.0, 0.0);
    let link = cell.add_body(Body::link("hand", form(0.1, 0.1, 0.1), turn, at, None));
    let ball = Form::Sphere { radius: 0.02 };
    let at = Isometry3::translation(0.5, 0.0, 0.0);
    let part = cell.add_body(Body::obstacle("part", ball, at));
    let y = 0.5 * 0.3f64.sin() + 0.02 + CLEARANCE + gap + 0.05;
    let at = Isometry3::translation(0.0, y, 0.0);
    cell.add_body(Body::obstacle("shelf", form(2.0, 0.1, 1.0), at));
    if !by_motion {
        let mut budget = Uncertainty::none(&cell);
        budget.joint[turn] = OFF;
        cell.uncertainty = Some(budget);
    }
    let stops = [(0.0, vec![-0.3]), (1.0, vec![0.0]), (2.0, vec![0.3])];
    let mut trajectory = Trajectory::linear(&cell, &stops).unwrap();
    for segment in trajectory.segments.iter_mut().filter(|_| by_motion) {
        *segment.taken_over_of(turn) = OFF;
    }
    let take = Event {
        time: 1.0,
        change: EventChange::Attach {
            bodies: vec![part],
            link,
            link_from_body: None,
            touch: Vec::new(),
        },
        file: "events.toml".into(),
        line: 1,
        program: None,
    };
    let mut timeline = Timeline::default();
    timeline.events.push(take);
    let phases = Schedule::new(&cell, &trajectory, &timeline).unwrap().phases;
    SceneWithEvents {
        cell,
        phases,
        clearance: CLEARANCE,
    }
}

/// The checker's answer to a geometry file, with a proof that the maker finds for it in any case.
fn proved(bytes: &[u8], certificate: &Certificate) -> Result<(), clearance_recheck::Invalid> {
    let file = Geometry::read(bytes).unwrap();
    let (proof, _) = (Maker::new(file.clone()).proof(&certificate.segments, u64::MAX))
        .unwrap_or_else(|no| panic!("{}", no.error));
    let certificate = Certificate {
        proof,
        ..certificate.clone()
    };
    valid(&file, &certificate)
}

/// Without the frame that the ball hangs on, its distance at the end leaves out where the joint was
/// off as the ball was taken.
#[test]
fn handover_errors_stay_in_the_distance() {
    for by_motion in [true, false] {
        let scene = taken(8.0 * 0.5 * OFF, by_motion);
        assert_eq!(scene.answer().verdict, Verdict::Clear);
        let (bytes, certified) = made(&scene, None);
        let file = Geometry::read(&bytes).unwrap();
        let certificate = whole(&certified.unwrap(), &file);
        proved(&bytes, &certificate).unwrap();
        let said = statement(&file, &certificate);
        for words in [
            "  frame \"place of part\"; MAY BE OFF by up to ",
            "; begins where it was, within two nanometres and what MAY BE OFF\n",
        ] {
            assert!(said.contains(words), "{words}: {said}");
        }
        // The joint may be off at the grasp by as much as at the end: the ball comes nearer by twice
        // that, and 1.5 times is all that this gap has.
        let near = taken(1.5 * 0.5 * OFF, by_motion);
        assert_ne!(near.answer().verdict, Verdict::Clear);
        for scene in [scene, near] {
            let (bytes, _) = made(&scene, None);
            // Joint 0 is the arm's.
            let frame = |line: &Vec<u8>| words(line)[0] == "off" && words(line)[1] != "0";
            let less = lines(&bytes).into_iter().filter(|line| !frame(line));
            let less: Vec<u8> = less.flatten().collect();
            assert!(less.len() < bytes.len());
            let said = proved(&less, &certificate).unwrap_err().to_string();
            assert!(
                said.contains("is handed over as segment 1 begins"),
                "{said}"
            );
            let trajectory = crate::trajectory_of_phases(&scene.phases).unwrap();
            let made = crate::certificate(&less, "geometry", &trajectory, None, &[]);
            let refused =
                matches!(&made, Err(CertifyError::NotCovered(why)) if why.contains("handed over"));
            assert!(refused, "{made:?}");
        }
    }
}

/// Catches a certificate that claims nothing: an event has put the only pair on one joint.
#[test]
fn pairs_on_one_joint_alone_have_no_certificate() {
    let mut cell = Cell::with_one_robot();
    let still = Isometry3::identity();
    let turn = cell.add_joint(Joint::revolute("turn", None, still, Vector3::z_axis()));
    let cube = Form::Box {
        size: Vector3::repeat(0.1),
    };
    let out = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    let link = cell.add_body(Body::link("hand", cube.clone(), turn, out(0.3), None));
    cell.add_body(Body::link("finger", cube.clone(), turn, out(0.6), None));
    let part = cell.add_body(Body::obstacle("part", cube, out(2.0)));
    let trajectory = Trajectory::linear(&cell, &[(0.0, vec![0.0]), (1.0, vec![0.5])]).unwrap();
    let attach = |at: f64| Event {
        time: at,
        change: EventChange::Attach {
            bodies: vec![part],
            link,
            link_from_body: Some(out(0.15)),
            touch: Vec::new(),
        },
        file: "events.toml".into(),
        line: 1,
        program: None,
    };
    for (at, certified) in [(0.0, false), (0.5, true)] {
        let mut timeline = Timeline::default();
        timeline.events.push(attach(at));
        let scene = SceneWithEvents {
            phases: Schedule::new(&cell, &trajectory, &timeline).unwrap().phases,
            cell: cell.clone(),
            clearance: 0.01,
        };
        let (_, made) = made(&scene, None);
        match made {
            Err(CertifyError::NotCovered(why)) if !certified => {
                assert!(why.starts_with("no pair is left"), "{why}");
            }
            other => assert!(certified && other.is_ok(), "{at}: {other:?}"),
        }
    }
}

/// Regression: the certificate said that the two were apart, though an event had put one into the
/// other: about two on one joint it claims nothing.
#[test]
fn a_contact_that_an_event_makes_on_one_joint_has_no_certificate() {
    let mut cell = Cell::with_one_robot();
    let still = Isometry3::identity();
    let turn = cell.add_joint(Joint::revolute("turn", None, still, Vector3::z_axis()));
    let cube = Form::Box {
        size: Vector3::repeat(0.1),
    };
    let out = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    let link = cell.add_body(Body::link("hand", cube.clone(), turn, out(0.3), None));
    cell.add_body(Body::link("finger", cube.clone(), turn, out(0.6), None));
    let part = cell.add_body(Body::obstacle("part", cube, out(2.0)));
    let trajectory = Trajectory::linear(&cell, &[(0.0, vec![0.0]), (1.0, vec![0.5])]).unwrap();
    let mut timeline = Timeline::default();
    timeline.events.push(Event {
        time: 0.5,
        change: EventChange::Attach {
            bodies: vec![part],
            link,
            link_from_body: Some(out(0.25)),
            touch: vec!["hand".into()],
        },
        file: "events.toml".into(),
        line: 1,
        program: None,
    });
    let scene = SceneWithEvents {
        phases: Schedule::new(&cell, &trajectory, &timeline).unwrap().phases,
        cell,
        clearance: 0.01,
    };
    let answer = scene.answer();
    let reported = reported(&scene.cell, &answer.first_contact.unwrap());
    assert_eq!(reported.bodies, [1, 2]);
    let (_, made) = made(&scene, Some(&reported));
    let said = made.unwrap_err().to_string();
    assert!(
        said.contains("the two that meet hang on one joint"),
        "{said}"
    );
}
