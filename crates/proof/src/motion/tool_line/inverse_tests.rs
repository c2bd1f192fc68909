//! The slow twin of the closed forms: Newton's method from many starts finds nothing that they do
//! not find.

use nalgebra::{Isometry3, Rotation3, UnitQuaternion, Vector6};
use rs_opw_kinematics::glam::{DQuat, DVec3};
use rs_opw_kinematics::kinematic_traits::{Kinematics, Pose as TheirPose};
use rs_opw_kinematics::kinematics_impl::OPWKinematics;
use rs_opw_kinematics::parameters::opw_kinematics::Parameters;

use super::choose::{Chosen, choose, has};
use super::inverse::{Arrangement, wrap};
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
        let arrangement = Arrangement::new(&arm);
        assert_eq!(arrangement.is_closed(), name != "panda", "{name}");
        let mut found = 0;
        for _ in 0..25 {
            let q = Vector6::from_fn(|_, _| 3.0 * random.signed());
            let pose = arm.at(&q).tool;
            let all = arrangement.solutions(&arm, &pose).all;
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
        let arrangement = Arrangement::new(&arm);
        assert!(arrangement.is_closed());
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
            let ours = arrangement.solutions(&arm, &pose).all;
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
        let arrangement = Arrangement::new(&arm);
        let mut decided = 0;
        for _ in 0..40 {
            let q = Vector6::from_fn(|_, _| 3.0 * random.signed());
            let pose = arm.at(&q).tool;
            let mut wanted = Configuration {
                in_front: arrangement.in_front(&arm, &q),
                elbow_up: arrangement.elbow_up(&arm, &q),
                ranges: vec![ConfigurationRange {
                    joint: 4,
                    from: if q[4] > 0.0 { 0.0 } else { -4.0 },
                    to: if q[4] > 0.0 { 4.0 } else { 0.0 },
                }],
            };
            assert!(has(&arm, &arrangement, &q, &wanted));
            let branch = Branch::Configuration(wanted.clone());
            if let Ok(Chosen { q: chosen, .. }) = choose(&arm, &arrangement, &pose, &branch, None) {
                assert!((chosen - q).amax() < 1e-6, "{name}");
                decided += 1;
            }
            wanted.ranges.clear();
            wanted.elbow_up = None;
            let branch = Branch::Configuration(wanted);
            // A wrist has two ways at least, unless limits allow one only.
            if let Ok(one) = choose(&arm, &arrangement, &pose, &branch, None) {
                assert!((one.q - q).amax() < 1e-6, "{name}");
            }
            let branch = Branch::NearestTo(q.iter().map(|x| x + 0.01).collect());
            let chosen = choose(&arm, &arrangement, &pose, &branch, None);
            if let Ok(chosen) = chosen {
                assert!((chosen.q - q).amax() < 1e-6, "{name}");
            }
            assert!(choose(&arm, &arrangement, &pose, &Branch::NearestToStart, None).is_err());
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
    let (one, other) = (Arrangement::new(&a), Arrangement::new(&b));
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

/// The arms that have a closed form, with these limits of joints 1 and 6, and half a turn and a
/// little for the others.
fn limited(first: Option<(f64, f64)>, last: Option<(f64, f64)>) -> impl Iterator<Item = Arm> {
    arms().into_iter().take(2).map(move |(_, mut cell)| {
        for (k, joint) in cell.joints.iter_mut().enumerate() {
            joint.limits.position = match k {
                0 => first,
                5 => last,
                _ => Some((-3.2, 3.2)),
            };
        }
        Arm::new(&cell, &[0, 1, 2, 3, 4, 5], &tool()).unwrap()
    })
}

/// All joint values that reach a pose within the limits and these ranges; a joint without limits
/// turns up to forty times.
fn all_turns(
    arm: &Arm,
    solutions: &[Vector6<f64>],
    ranges: &[ConfigurationRange],
) -> Vec<Vector6<f64>> {
    let mut all = solutions.to_vec();
    for k in 0..6 {
        let turned = |q: &Vector6<f64>| {
            let value = q[k];
            let stated = ranges.iter().filter(move |r| r.joint == k);
            let stated = stated.map(|r| (r.from, r.to));
            let bounds: Vec<_> = stated.chain(arm.limits[k]).collect();
            (-40..=40)
                .map(|n| value + f64::from(n) * std::f64::consts::TAU)
                .filter(|v| {
                    bounds
                        .iter()
                        .all(|(low, high)| low - 1e-6 <= *v && *v <= high + 1e-6)
                })
                .map(|v| {
                    let mut q = *q;
                    q[k] = v;
                    q
                })
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(turned).collect();
    }
    all
}

/// How near joint values that reach a pose come to these, beyond some limit.
fn nearest_beyond(arm: &Arm, solutions: &[Vector6<f64>], near: &Vector6<f64>) -> f64 {
    let mut all = solutions.to_vec();
    for k in 0..6 {
        let turned = |q: &Vector6<f64>| {
            let q = *q;
            let turns = ((near[k] - q[k]) / std::f64::consts::TAU).round();
            [-1.0, 0.0, 1.0].map(|n| {
                let mut q = q;
                q[k] += (turns + n) * std::f64::consts::TAU;
                q
            })
        };
        all = all.iter().flat_map(turned).collect();
    }
    let beyond = |q: &&Vector6<f64>| {
        let limits = (0..6).filter_map(|k| Some((q[k], arm.limits[k]?)));
        let mut outside = limits.filter(|(v, (low, high))| *v < low - 1e-6 || *v > high + 1e-6);
        outside.next().is_some()
    };
    let distances = all.iter().filter(beyond).map(|q| (q - near).norm());
    distances.fold(f64::INFINITY, f64::min)
}

/// The slow twin of the nearest configuration: all whole turns of all joints, ordered by distance.
/// Half a turn of one joint is a tie, and joints may turn often. Regression: joint values beyond a
/// limit did not count, so a far configuration was taken where the controller's limits are wider.
#[test]
fn of_all_whole_turns_the_nearest_is_chosen() {
    let mut random = Random(31);
    let (mut chosen, mut tied) = (0, 0);
    let limits = [
        (Some((-97.0, 97.0)), Some((-6.3, 6.3))),
        (Some((-3.0, 80.0)), Some((-3.2, 3.2))),
        (Some((-6.3, 6.3)), None),
    ];
    let mut refused = 0;
    for (arm, case) in limits
        .into_iter()
        .flat_map(|(first, last)| limited(first, last))
        .zip(0..)
    {
        let arrangement = Arrangement::new(&arm);
        for round in 0..60 {
            let q = Vector6::from_fn(|_, _| 3.0 * random.signed());
            let pose = arm.at(&q).tool;
            let mut near = q.map(|x| x + 0.3 * random.signed());
            near[0] += 30.0 * random.signed();
            if round % 2 == 0 {
                let little = [1e-12, 0.05, 0.5][random.below(3)] * random.signed();
                near = q;
                near[5] += std::f64::consts::PI + little;
            }
            let found = arrangement.solutions(&arm, &pose).all;
            let mut all = all_turns(&arm, &found, &[]);
            all.sort_by(|a, b| (a - near).norm().total_cmp(&(b - near).norm()));
            let expected = match &all[..] {
                [] => None,
                [_, second, ..]
                    if (second - near).norm() < (all[0] - near).norm() * 1.05 + 1e-6 =>
                {
                    None
                }
                [first, ..] => Some(*first),
            };
            let branch = Branch::NearestTo(near.iter().copied().collect());
            let got = choose(&arm, &arrangement, &pose, &branch, None);
            let is_beyond = expected.is_some_and(|q: Vector6<f64>| {
                nearest_beyond(&arm, &found, &near) < (q - near).norm() * 1.05 + 1e-6
            });
            match (&got, expected.filter(|_| !is_beyond)) {
                (Err(reason), None) if is_beyond => {
                    assert!(reason.contains("beyond its limits"), "{reason}");
                    refused += 1;
                }
                (Ok(got), Some(expected)) => {
                    assert!(
                        (got.q - expected).amax() < 1e-9,
                        "{case}: {near} {expected}"
                    );
                    chosen += 1;
                }
                (Err(_), None) => tied += 1,
                // Whether joint values are certain is another question.
                (Err(reason), Some(_)) if reason.contains("singularity") => {}
                _ => panic!("{case}: {near}, {got:?}, {expected:?}"),
            }
        }
    }
    assert!(
        chosen > 100 && tied > 50 && refused > 20,
        "{chosen}, {tied}, {refused}"
    );
}

/// The same of configurations: the one of all whole turns that lies in the stated ranges.
#[test]
fn of_all_whole_turns_the_configured_one_is_found() {
    let mut random = Random(32);
    let (mut found, mut open) = (0, 0);
    let limits = [
        (Some((-400.0, 400.0)), Some((-150.0, 150.0))),
        (Some((-3.2, 200.0)), None),
    ];
    for arm in limits
        .into_iter()
        .flat_map(|(first, last)| limited(first, last))
    {
        let arrangement = Arrangement::new(&arm);
        for _ in 0..60 {
            let q = Vector6::from_fn(|_, _| 3.0 * random.signed());
            let pose = arm.at(&q).tool;
            let range = |joint: usize, from: f64, wide: f64| ConfigurationRange {
                joint,
                from,
                to: from + wide,
            };
            let sixth = range(
                5,
                130.0 * random.signed(),
                [2.0, 6.0, 7.0, 12.0][random.below(4)],
            );
            let fifth = if q[4] > 0.0 {
                range(4, 0.0, 9.0)
            } else {
                range(4, -9.0, 9.0)
            };
            let wanted = Configuration {
                in_front: arrangement.in_front(&arm, &q),
                elbow_up: arrangement.elbow_up(&arm, &q),
                ranges: vec![range(0, -3.15, 6.3), fifth, range(3, -3.15, 6.3), sixth],
            };
            let sided = arrangement.solutions(&arm, &pose).all.into_iter();
            let sided: Vec<_> = sided
                .filter(|s| {
                    arrangement.in_front(&arm, s) == wanted.in_front
                        && arrangement.elbow_up(&arm, s) == wanted.elbow_up
                })
                .collect();
            let expected = all_turns(&arm, &sided, &wanted.ranges);
            let got = choose(
                &arm,
                &arrangement,
                &pose,
                &Branch::Configuration(wanted),
                None,
            );
            match (&got, &expected[..]) {
                (Ok(got), [one]) => {
                    assert!((got.q - one).amax() < 1e-9, "{one}");
                    found += 1;
                }
                (Err(reason), [one]) => assert!(reason.contains("singularity"), "{reason} {one}"),
                (Err(reason), []) => assert!(reason.contains("limits"), "{reason}"),
                (Err(reason), many) => {
                    let told = format!("leaves {} sets", many.len());
                    assert!(reason.contains(&told), "{told}: {reason}");
                    open += 1;
                }
                (Ok(_), _) => panic!("{got:?} of {expected:?}"),
            }
        }
    }
    assert!(found > 60 && open > 20, "{found}, {open}");
}

/// Regression: limits of the cell's files decided between two postures of the wrist, of which the
/// controller may reach both.
#[test]
fn limits_do_not_choose_between_postures() {
    let mut arm = limited(Some((-3.2, 3.2)), Some((-3.2, 3.2)))
        .next()
        .unwrap();
    arm.limits[3] = Some((-2.8, 2.8));
    let arrangement = Arrangement::new(&arm);
    let q = Vector6::new(0.3, 0.4, -0.5, 0.2, 0.7, 0.2);
    let half_turn = |joint| ConfigurationRange {
        joint,
        from: -3.15,
        to: 3.15,
    };
    let configured = |more: Option<ConfigurationRange>| {
        let wanted = Configuration {
            in_front: arrangement.in_front(&arm, &q),
            elbow_up: arrangement.elbow_up(&arm, &q),
            ranges: [0, 3, 5].map(half_turn).into_iter().chain(more).collect(),
        };
        let branch = Branch::Configuration(wanted);
        choose(&arm, &arrangement, &arm.at(&q).tool, &branch, None).map(|chosen| chosen.q)
    };
    let told = configured(None).unwrap_err();
    assert!(told.contains("leaves 2 postures"), "{told}");
    // The sign of the fifth joint decides.
    let fifth = ConfigurationRange {
        joint: 4,
        from: 0.0,
        to: 9.0,
    };
    let chosen = configured(Some(fifth)).unwrap();
    assert!((chosen - q).amax() < 1e-9, "{chosen}");
}

/// A side of zero is all that a range of many turns says: a joint without limits is then within a
/// turn of zero. Beside zero, on the other side, it may stay there or make a whole turn.
#[test]
fn a_joint_without_limits_is_within_a_turn_where_only_its_side_is_stated() {
    let arm = limited(Some((-3.2, 3.2)), None).next().unwrap();
    let arrangement = Arrangement::new(&arm);
    let at = |last| Vector6::new(0.3, 0.4, -0.5, 0.6, 0.7, last);
    let configured = |last: f64, from: f64, to: f64| {
        let q = at(last);
        let side = |joint, from, to| ConfigurationRange { joint, from, to };
        let wanted = Configuration {
            in_front: arrangement.in_front(&arm, &q),
            elbow_up: arrangement.elbow_up(&arm, &q),
            ranges: vec![side(4, 0.0, 600.0), side(5, from, to)],
        };
        let branch = Branch::Configuration(wanted);
        choose(&arm, &arrangement, &arm.at(&q).tool, &branch, None).map(|chosen| chosen.q[5])
    };
    let chosen = |from, to| configured(1.0, from, to);
    assert!((chosen(0.0, 600.0).unwrap() - 1.0).abs() < 1e-9);
    assert!((chosen(-600.0, 0.0).unwrap() - 1.0 + std::f64::consts::TAU).abs() < 1e-9);
    assert!((chosen(13.0, 14.0).unwrap() - 1.0 - 2.0 * std::f64::consts::TAU).abs() < 1e-9);
    assert!((configured(0.02, 0.0, 600.0).unwrap() - 0.02).abs() < 1e-9);
    for (beside, from, to) in [(0.02, -600.0, 0.0), (-0.02, 0.0, 600.0)] {
        let told = configured(beside, from, to).unwrap_err();
        assert!(told.contains("nearly a whole turn"), "{told}");
    }
}
