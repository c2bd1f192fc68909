//! Where a timeline is cut, and what hangs where in each phase.

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::*;
use crate::check::Snapshot;
use crate::check::scene::Scene;
use crate::model::{
    Allowance, AllowedBy, Body, BodyId, Interpolation, Joint, JointKind, Limits, Merged, Role,
};
use crate::pairs::PairTable;
use crate::report::Code;

mod put_together;

/// Two turning joints in a row, a link on each, a gripper attached to the second, and a part on the
/// floor.
fn cell() -> Cell {
    let joint = |name: &str, parent| Joint {
        name: name.into(),
        robot: 0,
        parent,
        parent_from_joint: Isometry3::translation(0.3, 0.1, 0.2),
        axis: Vector3::y_axis(),
        kind: JointKind::Revolute,
        limits: Limits::default(),
        mimic: None,
    };
    let body = |name: &str, role, joint, parent| Body {
        name: name.into(),
        role,
        joint,
        joint_from_body: Isometry3::translation(0.1, 0.0, 0.0),
        parent,
        shapes: vec![],
    };
    Cell {
        joints: vec![joint("a", None), joint("b", Some(0))],
        bodies: vec![
            body("inner", Role::Link { robot: 0 }, Some(0), None),
            body("outer", Role::Link { robot: 0 }, Some(1), Some(0)),
            body("gripper", Role::Attached, Some(1), Some(1)),
            body("part", Role::Obstacle, None, None),
        ],
        rest: vec![0.0, 0.0],
        allowed: vec![Allowance {
            a: "gripper".into(),
            b: "inner".into(),
            reason: String::new(),
            by: AllowedBy::Touch,
        }],
        ..Cell::default()
    }
}

const OUTER: BodyId = 1;
const GRIPPER: BodyId = 2;
const PART: BodyId = 3;

/// Both joints go from 0 to 1 rad, and back: 0 … 1 … 2 s, cut at the timeline's events.
fn trajectory(timeline: &Timeline) -> Trajectory {
    let segment = |start: f64, from: f64, to: f64| Segment {
        start,
        end: start + 1.0,
        joints: vec![[from, to - from, 0.0, 0.0, 0.0, 0.0]; 2].into(),
        errors: None,
    };
    let whole = Trajectory {
        segments: vec![segment(0.0, 0.0, 1.0), segment(1.0, 1.0, 0.0)],
        interpolation: Interpolation::Linear,
        timed: true,
    };
    let track = crate::model::Track {
        trajectory: &whole,
        joints: vec![0, 1],
        shift: 0.0,
    };
    Merged::on_one_clock(&cell(), &[track], &timeline.cuts()).trajectory
}

fn timeline(events: &[(f64, EventChange)]) -> Timeline {
    let events = events.iter().map(|(time, change)| Event {
        time: *time,
        change: change.clone(),
        file: "e.toml".into(),
        line: 1,
        program: None,
    });
    Timeline {
        events: events.collect(),
    }
}

fn attach(body: BodyId, link: BodyId) -> EventChange {
    EventChange::Attach {
        bodies: vec![body],
        link,
        link_from_body: None,
        touch: vec!["inner".into()],
    }
}

fn pose_of(phase: &Phase, body: BodyId, s: f64) -> Isometry3<f64> {
    let mut q = Vec::new();
    let last = phase.trajectory.segments.len() - 1;
    phase.trajectory.segments[if s < 1.0 { 0 } else { last }].configuration(s, &mut q);
    phase.cell.body_pose(&phase.cell.forward(&q), body)
}

#[test]
fn nothing_jumps_when_it_changes_hands() {
    let timeline = timeline(&[
        (0.25, attach(PART, GRIPPER)),
        (0.75, attach(GRIPPER, 0)),
        (
            1.5,
            EventChange::Release {
                bodies: vec![GRIPPER],
            },
        ),
        (2.0, EventChange::Release { bodies: vec![PART] }),
    ]);
    let Schedule {
        phases,
        moved: remarks,
    } = Schedule::new(&cell(), &trajectory(&timeline), &timeline).unwrap();
    assert_eq!(remarks, []);
    assert_eq!(phases.len(), 5);
    for pair in phases.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        let (last, first) = (
            before.trajectory.segments.last().unwrap(),
            &after.trajectory.segments[0],
        );
        assert_eq!(last.end, first.start);
        for body in 0..4 {
            let between = pose_of(before, body, 1.0).inverse() * pose_of(after, body, 0.0);
            assert!(
                between.translation.vector.norm() < 1e-14 && between.rotation.angle() < 1e-7,
                "{body}"
            );
        }
    }
    let parents: Vec<_> = phases
        .iter()
        .map(|p| (p.cell.bodies[GRIPPER].parent, p.cell.bodies[PART].parent))
        .collect();
    let on_gripper = Some(GRIPPER);
    assert_eq!(
        parents,
        [
            (Some(OUTER), None),
            (Some(OUTER), on_gripper),
            (Some(0), on_gripper),
            (None, on_gripper),
            (None, None)
        ]
    );
    // The part goes where its gripper goes, also when that one is handed over or put down.
    let joints: Vec<_> = phases.iter().map(|p| p.cell.bodies[PART].joint).collect();
    assert_eq!(joints, [None, Some(1), Some(0), None, None]);
    // Each time its place is computed anew, its rounding grows.
    let sizes: Vec<f64> = phases.iter().map(|p| p.taken_over_m[PART]).collect();
    assert!(
        sizes[0] == 0.0 && sizes.windows(2).all(|w| w[1] > w[0] + 1.0),
        "{sizes:?}"
    );
    // `touch` of the cell belonged to the place that the gripper has left, that of the event to its
    // own.
    let touching = |k: usize| {
        phases[k]
            .cell
            .allowed
            .iter()
            .filter(|a| a.a == "gripper")
            .map(|a| a.by.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(touching(1), [AllowedBy::Touch]);
    assert_eq!(touching(2), [AllowedBy::Event("e.toml".into(), 1)]);
    assert_eq!(touching(3), []);
    // The last one is an instant, at the end of the last segment.
    assert_eq!(phases[4].instant, Some(1.0));
    assert_eq!(
        (
            phases[4].trajectory.segments[0].start,
            phases[4].trajectory.segments[0].end
        ),
        (2.0, 2.0)
    );
}

#[test]
fn a_stated_pose_holds_to_the_last_digit() {
    let stated = Isometry3::from_parts(
        Translation3::new(0.1, 0.2, 0.3),
        UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3),
    );
    let change = EventChange::Attach {
        bodies: vec![PART],
        link: OUTER,
        link_from_body: Some(stated),
        touch: vec![],
    };
    let timeline = timeline(&[(0.5, change)]);
    let Schedule {
        phases,
        moved: remarks,
    } = Schedule::new(&cell(), &trajectory(&timeline), &timeline).unwrap();
    let outer = &phases[1].cell.bodies[OUTER];
    assert_eq!(
        phases[1].cell.bodies[PART].joint_from_body,
        outer.joint_from_body * stated
    );
    assert!(
        remarks.len() == 1 && remarks[0].subject == "part" && !remarks[0].is_open(),
        "{remarks:?}"
    );
}

/// Regression: a part that was put into a tank and released at one instant stood there, and bodies
/// that stand are not checked against each other.
#[test]
fn nothing_is_put_elsewhere_and_left_there_unseen() {
    let put_onto = |body, link| EventChange::Attach {
        bodies: vec![body],
        link,
        link_from_body: Some(Isometry3::identity()),
        touch: vec![],
    };
    let put = |body| put_onto(body, OUTER);
    let release = EventChange::Release { bodies: vec![PART] };
    let answer = |events: &[(f64, EventChange)]| {
        let timeline = timeline(events);
        let made = Schedule::new(&cell(), &trajectory(&timeline), &timeline);
        made.map(|_| ()).map_err(|why| why.to_string())
    };
    let later = [(0.5, put(PART)), (0.6, release.clone())];
    assert_eq!(answer(&later), Ok(()));
    // By itself, and with what it hangs on.
    for events in [
        vec![(0.5, put(PART)), (0.5, release.clone())],
        vec![
            (0.2, attach(PART, GRIPPER)),
            (0.5, put(GRIPPER)),
            (0.5, release),
        ],
        // Regression: what was put onto a tool that is released at that instant.
        vec![
            (0.2, attach(GRIPPER, OUTER)),
            (0.5, put_onto(PART, GRIPPER)),
            (
                0.5,
                EventChange::Release {
                    bodies: vec![GRIPPER],
                },
            ),
        ],
    ] {
        let refused = answer(&events).unwrap_err();
        assert!(
            refused.contains("`part` is put elsewhere and released"),
            "{refused}"
        );
    }
}

/// Regression: two programs hand a part over, and the order of their files, or how 0.1 s + 1.8 s is
/// rounded, decided whether it stayed in the second hand.
#[test]
fn no_program_lets_go_what_another_one_holds() {
    let of = |file: &str, time: f64, change: EventChange| Event {
        time,
        change,
        file: file.into(),
        line: 1,
        program: None,
    };
    let release = EventChange::Release { bodies: vec![PART] };
    // Two programs may be one file, and have one file of events.
    let of_program = |program: usize, time: f64, change: EventChange| Event {
        program: Some(program),
        ..of("a.toml", time, change)
    };
    let answer = |events: Vec<Event>| {
        let mut timeline = Timeline::default();
        for event in events {
            let events = vec![event];
            timeline.add(Timeline { events }, 0.0);
        }
        let made = Schedule::new(&cell(), &trajectory(&timeline), &timeline);
        made.map(|_| ()).map_err(|why| why.to_string())
    };
    let hand_over = |second: f64, third: f64| {
        answer(vec![
            of("a.toml", 0.2, attach(PART, OUTER)),
            of("a.toml", second, release.clone()),
            of("b.toml", third, attach(PART, 0)),
        ])
    };
    assert_eq!(hand_over(0.5, 0.6), Ok(()));
    let released_by = |program: usize| {
        answer(vec![
            of_program(1, 0.2, attach(PART, OUTER)),
            of_program(program, 0.5, release.clone()),
        ])
    };
    assert_eq!(released_by(1), Ok(()));
    let refused = released_by(0).unwrap_err();
    assert!(refused.contains("robot of another program"), "{refused}");
    for (second, third, why) in [
        (0.5, 0.5, "nothing says which comes first"),
        (0.5, 0.5 + 1e-12, "nothing says which comes first"),
        (0.5, 0.5 - 1e-12, "nothing says which comes first"),
        (0.6, 0.5, "carried by the robot of another program"),
    ] {
        let refused = hand_over(second, third).unwrap_err();
        assert!(refused.contains(why), "{second} {third}: {refused}");
    }
}

/// Regression: `waypoint = 2.5` was computed as a rounding later than `at = 0.15`, and what was
/// stated first came last.
#[test]
fn rounding_does_not_choose_the_order_of_events() {
    let mut sorted = Timeline::default();
    let release = EventChange::Release { bodies: vec![PART] };
    let stated = [(0.1 + 0.2, release.clone()), (0.3, attach(PART, OUTER))];
    sorted.add(timeline(&stated), 0.0);
    let [first, second] = &sorted.events[..] else {
        panic!("{sorted:?}")
    };
    assert_eq!(first.change, release);
    assert_eq!((first.time, second.time), (0.3, 0.3));
    let mut separate = Timeline::default();
    separate.add(
        timeline(&[(0.3, release), (0.2999, attach(PART, OUTER))]),
        0.0,
    );
    assert_eq!(separate.events[0].time, 0.2999);
}

#[test]
fn events_at_the_start_make_no_phase_and_nothing_carries_itself() {
    let start = timeline(&[(0.0, attach(PART, OUTER))]);
    let Schedule { phases, .. } = Schedule::new(&cell(), &trajectory(&start), &start).unwrap();
    assert_eq!(phases.len(), 1);
    assert_eq!(phases[0].cell.bodies[PART].joint, Some(1));

    let circle = timeline(&[(0.0, attach(PART, GRIPPER)), (1.0, attach(GRIPPER, PART))]);
    let error = Schedule::new(&cell(), &trajectory(&circle), &circle)
        .unwrap_err()
        .to_string();
    assert!(error.contains("`part` is carried by `gripper`"), "{error}");
}

/// A part is taken far away, where numbers are large, and brought near the origin, where they are
/// small: what its place has lost on the way stays in its margin.
#[test]
fn a_body_that_events_place_keeps_the_rounding_of_where_it_was_taken() {
    let mut cell = cell();
    let far = 1e6;
    cell.joints[0].parent_from_joint = Isometry3::identity();
    cell.joints[0].axis = Vector3::x_axis();
    cell.joints[0].kind = JointKind::Prismatic;
    cell.joints[1].parent_from_joint = Isometry3::identity();
    cell.joints[1].axis = Vector3::z_axis();
    cell.rest = vec![far, 0.7];
    let position = Vector3::new(far + 0.612_345_678_9, 0.234_567_891_2, 0.1);
    cell.bodies[PART].joint_from_body =
        Isometry3::from_parts(position.into(), UnitQuaternion::identity());
    let block = crate::model::Shape {
        name: String::new(),
        body_from_shape: Isometry3::identity(),
        form: crate::model::Form::Box {
            size: Vector3::repeat(0.1),
        },
        solid: None,
        scale: None,
    };
    for body in &mut cell.bodies {
        body.shapes = vec![block.clone()];
    }
    let mesh = crate::geometry::mesh::Mesh::cuboid(&Vector3::repeat(0.1));
    let tree = Arc::new(crate::bvh::SphereTree::new(&mesh, 0.0));
    let trees = vec![vec![tree]; cell.bodies.len()];
    let turned = [0.7, 0.0, 0.0, 0.0, 0.0, 0.0];
    let whole = Trajectory {
        segments: vec![Segment {
            start: 0.0,
            end: 1.0,
            joints: vec![[far, -far, 0.0, 0.0, 0.0, 0.0], turned].into(),
            errors: None,
        }],
        interpolation: Interpolation::Linear,
        timed: true,
    };
    let taken = EventChange::Attach {
        bodies: vec![PART],
        link: GRIPPER,
        link_from_body: None,
        touch: vec![],
    };
    let timeline = timeline(&[(0.0, taken)]);
    let Schedule { phases, .. } = Schedule::new(&cell, &whole, &timeline).unwrap();
    // Both turn by the same angle, so that the part goes straight back, by a number without
    // rounding.
    let expected = Vector3::new(position.x - far, position.y, position.z);
    let contact = Scene::of_phase(&phases[0], &trees, 0.0);
    let near = contact.at_warn_distances(&vec![Some(0.01); contact.pairs.len()]);
    for scene in [&contact, &near] {
        let part = scene.parts.iter().position(|p| p.body == PART).unwrap();
        let mut snapshot = Snapshot::default();
        snapshot.set(scene, &phases[0].trajectory.segments[0], 1.0);
        let error = (snapshot.part(scene, part).pose.translation - expected).norm();
        let margin = snapshot.margin(scene, part);
        assert!(error <= margin, "{error} {margin}");
        let plain = Scene::new(
            &phases[0].cell,
            &trees,
            &PairTable::new(&phases[0].cell),
            0.0,
        );
        let mut snapshot = Snapshot::default();
        snapshot.set(&plain, &phases[0].trajectory.segments[0], 1.0);
        let without = snapshot.margin(&plain, part);
        // The margin that the event adds covers the error by itself.
        assert!(
            error > 0.0 && error <= margin - without,
            "{error} {without}"
        );
    }
}

/// Catches angles that are taken for lengths, and errors that are lost as a body is handed over.
#[test]
fn a_body_that_events_place_keeps_the_errors_of_joints() {
    let timeline = timeline(&[(1.0, attach(PART, GRIPPER)), (2.0, attach(PART, 0))]);
    let joints = JointState {
        q: vec![0.5; 2],
        value_roundings: vec![1e-4, 2e-4],
        tools: Vec::new(),
    };
    let mut now = ChangingCell::new(&cell());
    let away = {
        let world_from_joint = now.cell.forward(&joints.q);
        let part = now.cell.body_pose(&world_from_joint, PART).translation;
        let away = |joint: &Isometry3<f64>| (joint.translation.vector - part.vector).norm();
        [away(&world_from_joint[0]), away(&world_from_joint[1])]
    };
    for (time, least, most) in [(1.0, [1e-4, 2e-4], 1.0), (2.0, [3e-4, 4e-4], 2.0)] {
        now.change(&timeline, time, &joints).unwrap();
        let error = now.handover_errors[PART];
        let shift = least[0] * away[0] + least[1] * away[1];
        assert!(
            error.shift_m >= shift && error.shift_m < 0.01 * most,
            "{error:?}"
        );
        assert!(error.turn_rad >= least[0] + least[1], "{error:?}");
        assert!(now.taken_over_m[PART] < 10.0 * most);
    }
    assert_eq!(now.handover_errors[0], RigidError::default());
}

/// Where its place on the link is stated, it does not matter how well the joints are known.
#[test]
fn a_body_whose_place_on_the_link_is_stated_is_there() {
    let stated = EventChange::Attach {
        bodies: vec![PART],
        link: GRIPPER,
        link_from_body: Some(Isometry3::translation(0.0, 0.2, 0.0)),
        touch: Vec::new(),
    };
    let joints = JointState {
        q: vec![0.5; 2],
        value_roundings: vec![0.02; 2],
        tools: Vec::new(),
    };
    let loose = |now: &ChangingCell| {
        let mut said = now.remarks.iter();
        said.any(|said| said.code == Code::ToolOrientation)
    };
    let mut now = ChangingCell::new(&cell());
    now.change(&timeline(&[(1.0, stated.clone())]), 1.0, &joints)
        .unwrap();
    assert_eq!(now.handover_errors[PART], RigidError::default());
    assert!(now.handover_errors_by_joints[PART].turn_rad >= 0.04);
    assert!(!loose(&now));
    // The gripper itself may hang loosely on the arm, and the part is as loose then.
    let both = timeline(&[(1.0, attach(GRIPPER, OUTER)), (2.0, stated)]);
    let mut now = ChangingCell::new(&cell());
    now.change(&both, 1.0, &joints).unwrap();
    let gripper = now.handover_errors[GRIPPER];
    assert!(gripper.turn_rad >= 0.04 && loose(&now));
    now.change(&both, 2.0, &joints).unwrap();
    let part = now.handover_errors[PART];
    assert_eq!(part.turn_rad, gripper.turn_rad);
    assert!((part.shift_m - gripper.shift_m - 0.2 * gripper.turn_rad).abs() < 1e-9);
}
