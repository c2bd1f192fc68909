//! Which of all joint values that reach a pose are taken: against all whole turns of all joints.

use nalgebra::Vector6;

use super::Arm;
use super::choose::choose_solution;
use super::inverse::InverseKinematics;
use super::tests::{arms, tool};
use crate::geometry::random::Random;
use crate::model::moves::{Branch, Configuration, ConfigurationRange};

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

/// Whether joint values may be nearer than others, or as near: by the greatest turn, by the sum of
/// all, or by the root of their squares.
fn rivals(near: &Vector6<f64>, q: &Vector6<f64>, other: &Vector6<f64>) -> bool {
    let [own, other] = [q, other].map(|q| (q - near).abs());
    let limit = |own: f64| own * 1.05 + 1e-6;
    other.max() < limit(own.max())
        || other.sum() < limit(own.sum())
        || other.norm() < limit(own.norm())
}

/// Whether joint values beyond some limit reach a pose and may be nearer to these than `q`.
fn is_beyond(arm: &Arm, solutions: &[Vector6<f64>], near: &Vector6<f64>, q: &Vector6<f64>) -> bool {
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
    all.iter()
        .filter(beyond)
        .any(|other| rivals(near, q, other))
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
        let inverse = InverseKinematics::new(&arm);
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
            let found = inverse.solutions(&arm, &pose).all;
            let mut all = all_turns(&arm, &found, &[]);
            all.sort_by(|a, b| (a - near).norm().total_cmp(&(b - near).norm()));
            let expected = match &all[..] {
                [] => None,
                [first, others @ ..] if others.iter().any(|q| rivals(&near, first, q)) => None,
                [first, ..] => Some(*first),
            };
            let branch = Branch::NearestTo(near.iter().copied().collect());
            let got = choose_solution(&arm, &inverse, &pose, &branch, None);
            let is_beyond = expected.is_some_and(|q| is_beyond(&arm, &found, &near, &q));
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
        chosen > 50 && tied > 50 && refused > 20,
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
        let inverse = InverseKinematics::new(&arm);
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
                in_front: inverse.in_front(&arm, &q),
                elbow_up: inverse.elbow_up(&arm, &q),
                ranges: vec![range(0, -3.15, 6.3), fifth, range(3, -3.15, 6.3), sixth],
            };
            let sided = inverse.solutions(&arm, &pose).all.into_iter();
            let sided: Vec<_> = sided
                .filter(|s| {
                    inverse.in_front(&arm, s) == wanted.in_front
                        && inverse.elbow_up(&arm, s) == wanted.elbow_up
                })
                .collect();
            let expected = all_turns(&arm, &sided, &wanted.ranges);
            let got = choose_solution(&arm, &inverse, &pose, &Branch::Configuration(wanted), None);
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
    let inverse = InverseKinematics::new(&arm);
    let q = Vector6::new(0.3, 0.4, -0.5, 0.2, 0.7, 0.2);
    let half_turn = |joint| ConfigurationRange {
        joint,
        from: -3.15,
        to: 3.15,
    };
    let configured = |more: Option<ConfigurationRange>| {
        let wanted = Configuration {
            in_front: inverse.in_front(&arm, &q),
            elbow_up: inverse.elbow_up(&arm, &q),
            ranges: [0, 3, 5].map(half_turn).into_iter().chain(more).collect(),
        };
        let branch = Branch::Configuration(wanted);
        choose_solution(&arm, &inverse, &arm.at(&q).tool, &branch, None).map(|chosen| chosen.q)
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
    let inverse = InverseKinematics::new(&arm);
    let at = |last| Vector6::new(0.3, 0.4, -0.5, 0.6, 0.7, last);
    let configured = |last: f64, from: f64, to: f64| {
        let q = at(last);
        let side = |joint, from, to| ConfigurationRange { joint, from, to };
        let wanted = Configuration {
            in_front: inverse.in_front(&arm, &q),
            elbow_up: inverse.elbow_up(&arm, &q),
            ranges: vec![side(4, 0.0, 600.0), side(5, from, to)],
        };
        let branch = Branch::Configuration(wanted);
        choose_solution(&arm, &inverse, &arm.at(&q).tool, &branch, None).map(|chosen| chosen.q[5])
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

/// A wrist that turns two axes far, and one that flips: the one is nearer by the root of the squares,
/// the other by the greatest turn. Catches a choice by one measure alone.
#[test]
fn what_is_nearest_by_one_measure_only_is_not_known() {
    let arm = limited(Some((-6.3, 6.3)), Some((-6.3, 6.3)))
        .next()
        .unwrap();
    let inverse = InverseKinematics::new(&arm);
    let mut random = Random(34);
    let (mut open, mut known) = (0, 0);
    for _ in 0..400 {
        let q = Vector6::from_fn(|_, _| 1.5 * random.signed());
        let mut near = q;
        for k in 3..6 {
            near[k] += 2.0 * random.signed();
        }
        let pose = arm.at(&q).tool;
        let all = all_turns(&arm, &inverse.solutions(&arm, &pose).all, &[]);
        let least = |measure: fn(&Vector6<f64>) -> f64| {
            let by = |q: &&Vector6<f64>| measure(&(*q - near).abs());
            *all.iter().min_by(|a, b| by(a).total_cmp(&by(b))).unwrap()
        };
        let firsts = [least(|q| q.norm()), least(|q| q.max()), least(|q| q.sum())];
        let agree = firsts.iter().all(|q| (q - firsts[0]).amax() < 1e-9);
        let branch = Branch::NearestTo(near.iter().copied().collect());
        let got = choose_solution(&arm, &inverse, &pose, &branch, None);
        if agree {
            known += usize::from(got.is_ok());
        } else {
            assert!(got.is_err(), "{near} {got:?}");
            open += 1;
        }
    }
    assert!(open > 10 && known > 100, "{open} {known}");
}
