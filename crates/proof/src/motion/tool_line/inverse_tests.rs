//! The slow twin of the closed forms: Newton's method from many starts finds nothing that they do not find.

use nalgebra::Vector6;

use super::choose::{Chosen, choose, has};
use super::inverse::{Arrangement, wrap};
use super::tests::{arms, tool};
use super::{Arm, reach};
use crate::geometry::random::Random;
use crate::model::moves::{Branch, Configuration, ConfigurationRange};

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
