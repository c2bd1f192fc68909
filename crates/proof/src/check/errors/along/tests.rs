//! What is said of errors along a direction, beside arms that are really off.

use nalgebra::{Translation3, Vector3};

use super::AlongErrors;
use crate::check::Snapshot;
use crate::check::errors::ErrorBounds;
use crate::check::fixture::{Fixture, JOINTS, cube, two_links};
use crate::geometry::random::Random;
use crate::model::{JointKind, Role, Segment, SegmentErrors, Tubes};
use crate::motion::JointBounds;

/// Instants that are looked at.
const INSTANTS: usize = 24;

/// Nothing moves.
fn still() -> Segment {
    Segment {
        start: 0.0,
        end: 1.0,
        joints: (0..2 * JOINTS).map(|_| [0.0; 6]).collect(),
        errors: SegmentErrors::new(vec![0.0; 2 * JOINTS], Vec::new()),
    }
}

/// Catches a joint that is left out, a wrong axis or a wrong point of it, what the half edges add,
/// any of the terms of the second order, and of what moves in the interval.
#[test]
fn no_arm_is_farther_off_along_a_direction() {
    let mut r = Random(91);
    let (mut closely, mut tried) = (0, 0);
    for case in 0..4000 {
        let mut fixture = two_links(&mut r, 4, |_| cube(0.3));
        let mut budget = fixture.no_errors();
        let wide = [0.02, 0.2, 0.8][r.below(3)];
        budget.joint.fill_with(|| r.spread(0.002, wide));
        fixture.cell.uncertainty = Some(budget.clone());
        let scene = fixture.scene(0.0);
        let errors = ErrorBounds::new(&scene, scene.cell.allowed_errors());
        let (pair, tubes) = (&scene.part_pairs[0], Tubes::default());
        let reach = [0.0, 0.3, 1.5][r.below(3)];
        let joints = (0..2 * JOINTS).map(|_| {
            let to = reach * r.signed();
            [2.0 * r.signed(), to, 0.0, 0.0, 0.0, 0.0]
        });
        let segment = Segment {
            start: 0.0,
            end: 1.0,
            joints: joints.collect(),
            errors: SegmentErrors::new(vec![0.0; 2 * JOINTS], Vec::new()),
        };
        let at = |segment: &Segment, s: f64| {
            let mut snapshot = Snapshot::default();
            snapshot.set(&scene, segment, s);
            let poses = pair.in_common_frame(&scene, &mut snapshot);
            (snapshot, poses)
        };
        let (middle, poses) = at(&segment, 0.5);
        let mut bounds = JointBounds::default();
        bounds.set(&segment, 0.0, 1.0);
        let side = r.below(2);
        let part = [pair.a, pair.b][side];
        let pose = (side, &poses[side]);
        let along = AlongErrors::new(&errors, pair, pose, (&middle, &bounds), &tubes);
        let along = along.expect("only joints are off");
        let n = r.vector().normalize();
        let (center, half) = (r.vector() * 0.3, r.vector().abs() * 0.2);
        let far = center.norm() + half.norm();
        let most = along.most(&n, (&center, &half), far);
        let chain = scene.chains.of(scene.parts[part].joint);
        let chain = chain.get(pair.shared..).unwrap_or_default();
        let mut greatest = 0.0_f64;
        for instant in 0..=INSTANTS {
            let s = instant as f64 / INSTANTS as f64;
            let ideal = at(&segment, s).1;
            let corner = half.component_mul(&Vector3::from_fn(|_, _| [1.0, -1.0][r.below(2)]));
            let point = center + corner * [1.0, r.unit()][r.below(2)];
            // All joints to one side along the direction, or any.
            let towards = r.signed().signum();
            let all = r.one_in(2);
            let mut real = segment.clone();
            for &joint in chain {
                let along_n = |by: f64| {
                    let mut real = segment.clone();
                    real.joints.change(|joints| joints[joint][0] += by);
                    n.dot(&(at(&real, s).1[side].apply(&point) - ideal[side].apply(&point)))
                };
                let by = if all {
                    towards * along_n(1e-6).signum()
                } else {
                    [1.0, -1.0, r.signed()][r.below(3)]
                };
                real.joints
                    .change(|joints| joints[joint][0] += by * budget.joint[joint]);
            }
            let real = at(&real, s).1;
            let deviation = n.dot(&(real[side].apply(&point) - ideal[side].apply(&point)));
            assert!(
                deviation.abs() <= most + 1e-12,
                "case {case}: {deviation} of {most}"
            );
            greatest = greatest.max(deviation.abs());
        }
        if !chain.is_empty() {
            tried += 1;
            closely += usize::from(greatest > 0.8 * most);
        }
    }
    assert!(5 * closely > tried, "{closely} of {tried}");
}

/// Where more than joints is off nothing is said.
#[test]
fn only_errors_of_joints_are_told_along_a_direction() {
    let mut r = Random(92);
    let mut fixture = two_links(&mut r, 4, |_| cube(0.3));
    let mut budget = fixture.no_errors();
    budget.joint.fill(0.1);
    budget.mesh[0] = 0.001;
    fixture.cell.uncertainty = Some(budget);
    let scene = fixture.scene(0.0);
    let errors = ErrorBounds::new(&scene, scene.cell.allowed_errors());
    let pair = &scene.part_pairs[0];
    let mut middle = Snapshot::default();
    middle.set(&scene, &still(), 0.5);
    let poses = pair.in_common_frame(&scene, &mut middle);
    let mut bounds = JointBounds::default();
    bounds.set(&still(), 0.0, 1.0);
    let tells = [0, 1].map(|side| {
        let pose = (side, &poses[side]);
        let about = (&middle, &bounds);
        AlongErrors::new(&errors, pair, pose, about, &Tubes::default()).is_some()
    });
    let of_first_body = [pair.a, pair.b].map(|part| scene.parts[part].body == 0);
    assert_eq!(tells, of_first_body.map(|is| !is));
}

/// Two parallel axes and a point straight ahead of both in the middle of an interval: turns take it
/// back to the second order only, those of errors and of the motion alike, and each adds to the
/// other. Catches a product of two joints that is left out or counted for less.
#[test]
fn turns_one_upon_the_other_count_together() {
    let mut fixture = Fixture::new();
    for joint in &mut fixture.cell.joints {
        joint.parent_from_joint = Translation3::new(0.4, 0.0, 0.0).into();
        (joint.axis, joint.kind) = (Vector3::z_axis(), JointKind::Revolute);
    }
    for (robot, joint) in [(0, Some(JOINTS - 1)), (1, None)] {
        let body = fixture.body(true, &[(cube(0.3), 0.0)], None);
        let body = &mut fixture.cell.bodies[body];
        (body.role, body.joint) = (Role::Link { robot }, joint);
    }
    for (joint_errors, by) in [
        ([0.1, 0.1], [0.0, 0.0]),
        ([0.01, 0.01], [0.2, 0.2]),
        ([0.01, 0.0], [0.0, 0.2]),
        ([0.0, 0.01], [0.2, 0.0]),
        ([0.05, 0.05], [0.1, 0.2]),
    ] {
        let mut budget = fixture.no_errors();
        budget.joint[JOINTS - 2..JOINTS].copy_from_slice(&joint_errors);
        fixture.cell.uncertainty = Some(budget);
        let scene = fixture.scene(0.0);
        let errors = ErrorBounds::new(&scene, scene.cell.allowed_errors());
        let pair = &scene.part_pairs[0];
        let mut segment = still();
        segment.joints.change(|joints| {
            for (joint, by) in joints[JOINTS - 2..JOINTS].iter_mut().zip(by) {
                (joint[0], joint[1]) = (-0.5 * by, by);
            }
        });
        let mut middle = Snapshot::default();
        middle.set(&scene, &segment, 0.5);
        let poses = pair.in_common_frame(&scene, &mut middle);
        let mut bounds = JointBounds::default();
        bounds.set(&segment, 0.0, 1.0);
        let side = usize::from(scene.parts[pair.a].joint.is_none());
        let pose = (side, &poses[side]);
        let along = AlongErrors::new(&errors, pair, pose, (&middle, &bounds), &Tubes::default());
        let along = along.expect("only joints are off");
        let (point, at) = (Vector3::new(0.5, 0.0, 0.0), Vector3::zeros());
        let most = along.most(&poses[side].rotation.column(0).into(), (&point, &at), 0.5);
        let ahead = |joint_errors: [f64; 2]| {
            let inner = 0.5 * by[0] + joint_errors[0];
            0.4 * inner.cos() + 0.5 * (inner + 0.5 * by[1] + joint_errors[1]).cos()
        };
        let back = ahead([0.0; 2]) - ahead(joint_errors);
        assert!(back <= most && most < 1.02 * back, "{back} of {most}");
    }
}
