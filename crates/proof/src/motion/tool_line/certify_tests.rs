//! The parts of the test of one piece, against slow sums and against the map itself.

use nalgebra::Vector6;

use super::certify::{PieceTest, second_order};
use super::middle::{PieceMiddle, PieceToProve, PoseError, pose_error};
use super::residual::Derivatives;
use super::spread_tests::all_arms;
use super::tests::{arm, arms, between, configuration, curve};
use super::{SIX, reach};
use crate::geometry::random::Random;
use crate::model::Polynomial;
use crate::numeric::polynomial::value;

/// |1 − A·DF| by differences, anywhere in the box and on the piece, against its bound.
#[test]
fn the_derivative_of_the_map_is_bounded_all_over_the_box() {
    let mut random = Random(8);
    let (mut looked, mut most) = (0, 0.0_f64);
    for (name, cell) in arms() {
        let arm = arm(&cell);
        for case in 0..120 {
            let q0 = configuration(&mut random);
            let from = arm.at(&q0).tool;
            let curve = curve(&mut random, &from, 0.3, 0.3);
            let h = 0.125;
            let Some(q1) = reach(&arm, &curve.at(h), &q0, 20) else {
                continue;
            };
            // Sometimes the polynomials are beside the solution, so that the tool is turned against
            // what is demanded.
            let beside = Vector6::from_element([0.0, 0.15][case / 3 % 2]);
            let [q0, q1] = [q0 + beside, q1 + beside];
            let joints: [Polynomial; SIX] =
                std::array::from_fn(|k| [q0[k], q1[k] - q0[k], 0.0, 0.0, 0.0, 0.0]);
            let asked = PieceToProve {
                arm: &arm,
                curve: &curve,
                span: [0.0, h],
                joints: &joints,
                error: PoseError::default(),
            };
            let Some(test) = PieceTest::new(&asked, 4) else {
                continue;
            };
            let a = arm
                .jacobian(&arm.at(&(0.5 * (q0 + q1))))
                .try_inverse()
                .unwrap();
            // Sometimes the range counts, sometimes the box.
            let delta = [[1e-6, 0.02, 0.1][case % 3]; SIX];
            let Some(bound) = test.derivative_bound(&delta) else {
                continue;
            };
            if bound.max() > 30.0 {
                continue;
            }
            looked += 1;
            for n in 0..40 {
                let s = [0.0, 1.0, random.unit()][n % 3];
                let corner = Vector6::from_fn(|k, _| delta[k] * random.signed().signum());
                let q = Vector6::from_fn(|k, _| value(&joints[k], s)) + corner;
                let demanded = curve.at(h * s);
                let step = 1e-6;
                for j in 0..SIX {
                    let mut aside = [q, q];
                    aside[0][j] += step;
                    aside[1][j] -= step;
                    let [f, g] = aside.map(|q| pose_error(&arm.at(&q).tool, &demanded).0);
                    let mut column = a * (f - g) / (2.0 * step);
                    column[j] -= 1.0;
                    for k in 0..SIX {
                        let share = (column[k].abs() - 1e-7) / bound[(k, j)];
                        assert!(share <= 1.0, "{name}, entry {k} {j}: {share}");
                        most = most.max(share);
                    }
                }
            }
        }
    }
    assert!(looked > 100 && most > 0.6, "{looked}, {most}");
}

/// The fourth derivative of the error, by differences, against its bound: where one joint moves, or
/// two, the bound leaves little over.
#[test]
fn the_fourth_derivative_is_bounded_all_over_the_piece() {
    let mut random = Random(91);
    let mut most = [0.0_f64; 2];
    for (name, cell) in all_arms(&mut random) {
        let arm = arm(&cell);
        for case in 0..200 {
            let q0 = configuration(&mut random);
            let curve = curve(&mut random, &arm.at(&q0).tool, 0.3, [0.0, 1.0][case % 2]);
            let moving = random.below(64);
            let joints: [Polynomial; SIX] = std::array::from_fn(|k| {
                let mut c = [q0[k], 0.0, 0.0, 0.0, 0.0, 0.0];
                if moving >> k & 1 == 1 {
                    c[1] = between(&mut random, -0.6, 0.6);
                    c[2] = [0.0, between(&mut random, -0.2, 0.2)][case / 2 % 2];
                    c[3] = [0.0, between(&mut random, -0.1, 0.1)][case / 4 % 2];
                }
                c
            });
            let asked = PieceToProve {
                arm: &arm,
                curve: &curve,
                span: [0.25, 0.75],
                joints: &joints,
                error: PoseError::default(),
            };
            let Some(middle) = PieceMiddle::new(&arm, &joints) else {
                continue;
            };
            let bounds = Derivatives::new(&asked, &middle);
            let error = |s: f64| {
                let q = Vector6::from_fn(|k, _| value(&joints[k], s));
                pose_error(&arm.at(&q).tool, &curve.at(0.25 + 0.5 * s)).0
            };
            let step = 0.01;
            for n in 0..=10 {
                let s = 0.02 + 0.096 * f64::from(n);
                let [a, b, c, d, e] = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|k| error(s + k * step));
                let fourth = (a - 4.0 * b + 6.0 * c - 4.0 * d + e) / step.powi(4);
                let found = [
                    fourth.fixed_rows::<3>(0).norm(),
                    fourth.fixed_rows::<3>(3).norm(),
                ];
                for (k, bound) in [bounds.place, bounds.turn].into_iter().enumerate() {
                    // Rounding of the differences, and what they are off by themselves.
                    let share = (found[k] - 1e-6) / (bound * 1.01 + 1e-9);
                    assert!(share <= 1.0, "{name}, {case}, {k}: {share}");
                    most[k] = most[k].max(share);
                }
            }
        }
    }
    assert!(most[0] > 0.9 && most[1] > 0.5, "{most:?}");
}

#[test]
fn the_second_order_counts_every_pair_of_joints() {
    let mut random = Random(77);
    for case in 0..200 {
        let prismatic: [bool; SIX] = std::array::from_fn(|k| case >> k & 1 == 1);
        let d: [f64; SIX] = std::array::from_fn(|_| between(&mut random, 0.0, 0.3));
        let levers: [f64; SIX] = std::array::from_fn(|_| between(&mut random, 0.1, 2.0));
        let sums = second_order(&d, &levers, &prismatic);
        for (j, sum) in sums.into_iter().enumerate() {
            let mut expected = 0.0;
            for (i, l) in (0..SIX).flat_map(|i| (0..SIX).map(move |l| (i, l))) {
                let outer = i.max(l).max(j);
                let mut others = vec![i, l, j];
                others.remove(others.iter().position(|&k| k == outer).unwrap());
                if others.iter().all(|&k| !prismatic[k]) {
                    expected += d[i] * d[l] * levers[outer];
                }
            }
            assert!(
                (sum - expected).abs() < 1e-12 * (1.0 + expected),
                "{j}: {sum} {expected}"
            );
        }
    }
}
