//! The slow twin of the closed forms: Newton's method from many starts finds nothing that they do
//! not find.

use nalgebra::{Isometry3, Rotation3, UnitQuaternion, Vector6};
use rs_opw_kinematics::glam::{DQuat, DVec3};
use rs_opw_kinematics::kinematic_traits::{Kinematics, Pose as TheirPose};
use rs_opw_kinematics::kinematics_impl::OPWKinematics;
use rs_opw_kinematics::parameters::opw_kinematics::Parameters;

use super::choose::{ChosenSolution, choose_solution, has_configuration};
use super::inverse::{InverseKinematics, wrap};
use super::tests::{arms, cell, tool};
use super::{Arm, reach};
use crate::geometry::random::Random;
use crate::model::moves::{Branch, Configuration, ConfigurationRange, Frame};

fn near(p: &Vector6<f64>, q: &Vector6<f64>) -> bool {
    (p - q).iter().all(|d| wrap(*d).abs() < 1e-5)
}

#[test]
fn closed_forms_find_all_that_a_search_finds() {
    let mut random = Random(4);
    for (name, cell) in arms() {
        let arm = Arm::new(&cell, &[0, 1, 2, 3, 4, 5], &tool()).unwrap();
        let inverse = InverseKinematics::new(&arm);
        assert_eq!(inverse.has_closed_form(), name != "panda", "{name}");
        let mut found = 0;
        for _ in 0..25 {
            let q = Vector6::from_fn(|_, _| 3.0 * random.signed());
            let pose = arm.at(&q).tool;
            let all = inverse.solutions(&arm, &pose).all;
            found += all.len();
            assert!(all.iter().any(|s| near(s, &q)), "{name}: {q}");
            for s in &all {
                let there = arm.at(s).tool;
                assert!((there.translation - pose.translation).norm() < 1e-9);
                assert!((there.rotation - pose.rotation).norm() < 1e-9);
            }
            for _ in 0..60 {
                let start = Vector6::from_fn(|_, _| 3.0 * random.signed());
                if let Some(s) = reach(&arm, &pose, &start, 40) {
                    assert!(all.iter().any(|known| near(known, &s)), "{name}: {s}");
                }
            }
        }
        assert!(found > 80, "{name}: {found}");
    }
}

/// An arm with a spherical wrist as the other library describes it: upright at zero, axes z, y, y,
/// z, y, z, any offsets and signs.
fn their_arm(random: &mut Random) -> (OPWKinematics, Arm) {
    let mut length = |low: f64, high: f64| low + (high - low) * random.unit();
    let (a1, a2, b) = (length(-0.2, 0.3), length(-0.2, 0.2), length(-0.1, 0.1));
    let (c1, c2, c3) = (length(0.2, 0.6), length(0.3, 0.9), length(0.3, 0.9));
    let c4 = length(0.05, 0.3);
    let signs: [i8; 6] = [(); 6].map(|()| if random.below(2) == 0 { 1 } else { -1 });
    let theirs = OPWKinematics::new(Parameters {
        a1,
        a2,
        b,
        c1,
        c2,
        c3,
        c4,
        offsets: [0.0; 6],
        sign_corrections: signs,
        dof: 6,
    });
    let axis = |k: usize, axis: [f64; 3]| axis.map(|x| x * f64::from(signs[k]));
    let (y, z) = ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let none = [0.0; 3];
    let rows = [
        (none, none, axis(0, z)),
        ([a1, b, c1], none, axis(1, y)),
        ([0.0, 0.0, c2], none, axis(2, y)),
        ([a2, 0.0, c3], none, axis(3, z)),
        (none, none, axis(4, y)),
        (none, none, axis(5, z)),
    ];
    let flange = Frame {
        link: "flange".into(),
        link_from_frame: Isometry3::translation(0.0, 0.0, c4),
    };
    let ours = Arm::new(&cell(&rows), &[0, 1, 2, 3, 4, 5], &flange).unwrap();
    (theirs, ours)
}

/// Another library's inverse of spherical wrists finds the same branches, all of them and no
/// others.
#[test]
fn spherical_wrists_have_the_branches_that_another_library_finds() {
    let mut random = Random(12);
    let (mut compared, mut most) = (0, 0);
    for _ in 0..40 {
        let (theirs, arm) = their_arm(&mut random);
        let inverse = InverseKinematics::new(&arm);
        assert!(inverse.has_closed_form());
        for _ in 0..50 {
            let q = Vector6::from_fn(|_, _| 3.1 * random.signed());
            let pose = arm.at(&q).tool;
            // Both mean the same arm.
            let there = theirs.forward(&q.into());
            let translation = pose.translation;
            assert!((there.translation - DVec3::from_array(translation.into())).length() < 1e-9);
            let turn = Rotation3::from_matrix_unchecked(pose.rotation);
            let turn = UnitQuaternion::from_rotation_matrix(&turn);
            let turn = DQuat::from_xyzw(turn.i, turn.j, turn.k, turn.w);
            assert!(there.rotation.angle_between(turn) < 1e-6);
            let ours = inverse.solutions(&arm, &pose).all;
            let asked = TheirPose::from_parts(DVec3::from_array(translation.into()), turn);
            let found: Vec<Vector6<f64>> = (theirs.inverse(&asked).into_iter())
                .map(Vector6::from)
                .collect();
            // Where an arm is stretched, or axes 4 and 6 are one, two branches are as good as one.
            let jacobian = |q: &Vector6<f64>| arm.jacobian(&arm.at(q)).determinant().abs();
            if ours.iter().chain(&found).any(|s| jacobian(s) < 1e-4) {
                continue;
            }
            for s in &found {
                assert!(ours.iter().any(|known| near(known, s)), "only theirs: {s}");
            }
            for s in &ours {
                assert!(found.iter().any(|known| near(known, s)), "only ours: {s}");
            }
            most = most.max(ours.len());
            compared += 1;
        }
    }
    assert!(compared > 1500 && most == 8, "{compared}, {most}");
}

#[test]
fn a_configuration_with_ranges_decides_and_without_it_nothing_is_guessed() {
    let mut random = Random(5);
    for (name, mut cell) in arms().into_iter().take(2) {
        for joint in &mut cell.joints {
            joint.limits.position = Some((-3.1, 3.1));
        }
        let arm = Arm::new(&cell, &[0, 1, 2, 3, 4, 5], &tool()).unwrap();
        let inverse = InverseKinematics::new(&arm);
        let mut decided = 0;
        for _ in 0..40 {
            let q = Vector6::from_fn(|_, _| 3.0 * random.signed());
            let pose = arm.at(&q).tool;
            let mut wanted = Configuration {
                in_front: inverse.in_front(&arm, &q),
                elbow_up: inverse.elbow_up(&arm, &q),
                ranges: vec![ConfigurationRange {
                    joint: 4,
                    from: if q[4] > 0.0 { 0.0 } else { -4.0 },
                    to: if q[4] > 0.0 { 4.0 } else { 0.0 },
                }],
            };
            assert!(has_configuration(&arm, &inverse, &q, &wanted));
            let branch = Branch::Configuration(wanted.clone());
            if let Ok(ChosenSolution { q: chosen, .. }) =
                choose_solution(&arm, &inverse, &pose, &branch, None)
            {
                assert!((chosen - q).amax() < 1e-6, "{name}");
                decided += 1;
            }
            wanted.ranges.clear();
            wanted.elbow_up = None;
            let branch = Branch::Configuration(wanted);
            // A wrist has two ways at least, unless limits allow one only.
            if let Ok(one) = choose_solution(&arm, &inverse, &pose, &branch, None) {
                assert!((one.q - q).amax() < 1e-6, "{name}");
            }
            let branch = Branch::NearestTo(q.iter().map(|x| x + 0.01).collect());
            let chosen = choose_solution(&arm, &inverse, &pose, &branch, None);
            if let Ok(chosen) = chosen {
                assert!((chosen.q - q).amax() < 1e-6, "{name}");
            }
            assert!(choose_solution(&arm, &inverse, &pose, &Branch::NearestToStart, None).is_err());
        }
        assert!(decided > 30, "{name}: {decided}");
    }
}

/// Sides are seen from the arm's own shape: other signs of its joints do not change them.
#[test]
fn front_and_elbow_do_not_depend_on_the_signs_of_joints() {
    let (_, cell) = arms().remove(0);
    let mut turned = cell.clone();
    for k in [0, 1, 2, 4] {
        turned.joints[k].axis = -turned.joints[k].axis;
    }
    let arm = |cell| Arm::new(cell, &[0, 1, 2, 3, 4, 5], &tool()).unwrap();
    let (a, b) = (arm(&cell), arm(&turned));
    let (one, other) = (InverseKinematics::new(&a), InverseKinematics::new(&b));
    let mut random = Random(6);
    for _ in 0..100 {
        let q = Vector6::from_fn(|_, _| 3.0 * random.signed());
        let mut p = q;
        for k in [0, 1, 2, 4] {
            p[k] = -p[k];
        }
        assert_eq!(one.in_front(&a, &q), other.in_front(&b, &p));
        assert_eq!(one.elbow_up(&a, &q), other.elbow_up(&b, &p));
    }
    // Upright with the forearm forward; then over its own back, with the same elbow.
    let ready = Vector6::new(0.4, 0.3, 0.2, 0.0, 0.5, 0.0);
    assert_eq!(
        (one.in_front(&a, &ready), one.elbow_up(&a, &ready)),
        (Some(true), Some(true))
    );
    let back = Vector6::new(0.4, -1.2, 0.2, 0.0, 0.5, 0.0);
    assert_eq!(
        (one.in_front(&a, &back), one.elbow_up(&a, &back)),
        (Some(false), Some(true))
    );
    // The elbow hangs below the line from shoulder to wrist: joint 3 turns the forearm up.
    let low = Vector6::new(0.4, 1.5, 2.0, 0.0, 0.5, 0.0);
    assert_eq!(one.elbow_up(&a, &low), Some(false));
}
