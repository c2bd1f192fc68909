//! The slow twin: Newton's method finds the joint values of poses that are off, and the frames there
//! are no farther from where they are computed than is said.

use nalgebra::{Isometry3, Vector3, Vector6};

use super::frames::{FramesOff, Stretch};
use super::middle::PoseError;
use super::spread_tests::all_arms;
use super::tests::{between, configuration, curve};
use super::wide_tests::turned;
use super::{Arm, SIX, Stray, follow_curve, reach};
use crate::geometry::random::Random;
use crate::model::Cell;
use crate::model::moves::Frame;
use crate::numeric::polynomial::value;

const ERROR: PoseError = PoseError {
    position: 1e-3,
    turn: 5e-3,
};

/// The arm with the frame of its last joint as its tool.
fn arm(cell: &Cell) -> Arm {
    let flange = Frame {
        link: "flange".into(),
        link_from_frame: Isometry3::identity(),
    };
    Arm::new(cell, &[0, 1, 2, 3, 4, 5], &flange).unwrap()
}

/// Joint values, in every other case with a wrist that is nearly straight: a singularity of two of
/// the arms.
fn near_singularity(random: &mut Random, case: usize) -> Vector6<f64> {
    let mut q = configuration(random);
    if case % 2 == 1 {
        q[4] = between(random, 0.12, 0.25);
    }
    q
}

/// A shift and a rotation vector, mostly of full size.
fn error(random: &mut Random, of: PoseError) -> [Vector3<f64>; 2] {
    [of.position, of.turn].map(|size| {
        let size = size * between(random, 0.0, 3.0).min(1.0);
        random.direction().into_inner() * size
    })
}

/// The joint values to which a growing error of the pose leads.
fn led(arm: &Arm, start: &Vector6<f64>, [place, turn]: &[Vector3<f64>; 2]) -> Vector6<f64> {
    let pose = arm.at(start).tool;
    (0..=20).fold(*start, |q, k| {
        let share = f64::from(k) / 20.0;
        let mut there = turned(&pose, &(turn * share));
        there.translation += place * share;
        reach(arm, &there, &q, 20).expect("what is proved is reached")
    })
}

/// The greatest share of a bound that is used: of a shift, and of a turn.
#[derive(Default)]
struct Used([f64; 2]);

impl Used {
    fn look(&mut self, name: &str, cell: &Cell, q: [&Vector6<f64>; 2], bound: &FramesOff) {
        let [computed, real] = q.map(|q| cell.forward(q.as_slice()));
        for k in 0..SIX {
            let shift = real[k].translation.vector - computed[k].translation.vector;
            let turn = computed[k].rotation.angle_to(&real[k].rotation);
            let off = bound.frames[k];
            let sizes = [shift.norm() - 1e-9, turn - 1e-7];
            for (part, (is, ought)) in sizes
                .into_iter()
                .zip([off.shift_m, off.turn_rad])
                .enumerate()
            {
                assert!(is <= ought, "{name}, frame {k}: {is} of {ought}");
                self.0[part] = self.0[part].max(is / ought.max(1e-9));
            }
            let moved = (q[0][k] - q[1][k]).abs();
            assert!(moved <= bound.joints[k], "{name}, joint {k}");
        }
    }
}

#[test]
fn frames_are_no_farther_off_than_is_said_where_poses_are_driven_to() {
    let mut random = Random(41);
    let (mut proved, mut near, mut used) = (0, 0, Used::default());
    for case in 0..24 {
        for (name, cell) in all_arms(&mut random) {
            let arm = arm(&cell);
            let q0 = near_singularity(&mut random, case);
            let curve = curve(&mut random, &arm.at(&q0).tool, 0.1, 0.2);
            // In some cases the demanded poses are known within a tube only.
            let tube = PoseError {
                position: 0.0,
                turn: [0.0, 0.01][case / 2 % 2],
            };
            let Ok(pieces) = follow_curve(&arm, &curve, &q0, &[1e-12; SIX], tube) else {
                continue;
            };
            for piece in pieces {
                let stretch = Stretch {
                    joints: piece.joints,
                    off: piece.off,
                };
                let Some(bound) = stretch.driven_to_poses(&arm, ERROR) else {
                    continue;
                };
                proved += 1;
                let spread = bound.frames[3].shift_m.max(bound.frames[4].shift_m);
                near += usize::from(spread > 3.0 * ERROR.position);
                for n in 0..12 {
                    let u = [0.0, 1.0, random.unit()][n % 3];
                    let demanded = curve.at(piece.from + u * (piece.to - piece.from));
                    let on_cubics = Vector6::from_fn(|k, _| value(&piece.joints[k], u));
                    let exact = reach(&arm, &demanded, &on_cubics, 20).unwrap();
                    let computed = led(&arm, &exact, &error(&mut random, tube));
                    let real = led(&arm, &computed, &error(&mut random, ERROR));
                    used.look(&name, &cell, [&computed, &real], &bound);
                }
            }
        }
    }
    assert!(proved > 200 && near > 40, "{proved}, {near}");
    assert!(used.0.iter().all(|used| *used > 0.8), "{:?}", used.0);
}

#[test]
fn frames_are_no_farther_off_than_is_said_between_poses() {
    let mut random = Random(42);
    let (mut looked, mut used) = (0, Used::default());
    for case in 0..20 {
        for (name, cell) in all_arms(&mut random) {
            let arm = arm(&cell);
            let ends = [0, 1].map(|_| near_singularity(&mut random, case));
            let strays = ends.map(|q| Stray::at(&arm, &q, &[1e-12; SIX], ERROR));
            let [Some(first), Some(last)] = strays.map(|stray| stray.map(|stray| [stray])) else {
                continue;
            };
            looked += 1;
            let [q0, q1] = ends;
            let way = q1 - q0;
            let stretch = Stretch {
                joints: std::array::from_fn(|k| [q0[k], way[k], 0.0, 0.0, 0.0, 0.0]),
                off: [1e-12; SIX],
            };
            let along = stretch.between(&arm, |[from, to]| {
                vec![(1.0 - from, &first[..]), (to, &last[..])]
            });
            let both = [&first[..], &last[..]].concat();
            let mean = stretch.between(&arm, |_| vec![(1.0, &both[..])]);
            for n in 0..40 {
                let share = [0.0, 1.0, random.unit(), random.unit()][n % 4];
                let real = ends.map(|q| led(&arm, &q, &error(&mut random, ERROR)));
                let computed = q0 + way * share;
                let real = real[0] * (1.0 - share) + real[1] * share;
                used.look(&name, &cell, [&computed, &real], &along);
                used.look(&name, &cell, [&computed, &real], &mean);
            }
        }
    }
    assert!(looked > 40, "{looked}");
    assert!(used.0.iter().all(|used| *used > 0.6), "{:?}", used.0);
}
