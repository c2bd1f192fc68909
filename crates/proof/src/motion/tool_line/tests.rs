//! The slow twin: Newton's method at many instants finds the true joint values, and they lie in the
//! tubes.

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3, Vector6};

use super::certify::PieceTest;
use super::cubics::cubics;
use super::middle::{PieceToProve, pose_error};
use super::point::NewtonPoint;
use super::*;
use crate::geometry::pose::Pose;
use crate::geometry::random::Random;
use crate::model::moves::Frame;
use crate::model::{Body, Cell, Form, Joint, Limits, Polynomial, Role};
use crate::numeric::polynomial::value;

/// A joint: place of its frame in the frame before, turn of that frame (roll, pitch, yaw), axis.
pub(super) type Row = ([f64; 3], [f64; 3], [f64; 3]);

/// Arms of three arrangements: (name, joints, tool).
pub(crate) fn arms() -> Vec<(&'static str, Cell)> {
    const P: f64 = std::f64::consts::FRAC_PI_2;
    let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let none = [0.0; 3];
    // A spherical wrist: axes 4 to 6 meet in a point. One axis points the other way.
    let wrist: [Row; 6] = [
        ([0.0, 0.0, 0.4], none, z),
        ([0.15, 0.0, 0.2], none, y),
        ([0.0, 0.0, 0.6], none, [0.0, -1.0, 0.0]),
        ([0.3, 0.0, 0.1], none, x),
        ([0.4, 0.0, 0.0], none, y),
        ([0.1, 0.0, 0.0], none, x),
    ];
    // Like a UR10e: three parallel axes, and no three that meet.
    let ur: [Row; 6] = [
        ([0.0, 0.0, 0.1807], none, z),
        (none, [P, 0.0, 0.0], z),
        ([-0.6127, 0.0, 0.0], none, z),
        ([-0.571_55, 0.0, 0.174_15], none, z),
        ([0.0, -0.119_85, 0.0], [P, 0.0, 0.0], z),
        ([0.0, 0.116_55, 0.0], [-P, 0.0, 0.0], z),
    ];
    // Six of a Panda's seven joints, the third one fixed at 0.3 rad: offsets everywhere.
    let panda: [Row; 6] = [
        ([0.0, 0.0, 0.333], none, z),
        (none, [-P, 0.0, 0.0], z),
        ([0.08, -0.316, 0.02], [P, 0.0, 0.3], z),
        ([-0.0825, 0.384, 0.0], [-P, 0.0, 0.0], z),
        (none, [P, 0.0, 0.0], z),
        ([0.088, 0.0, 0.0], [P, 0.0, 0.0], z),
    ];
    [("wrist", wrist), ("ur", ur), ("panda", panda)]
        .map(|(name, rows)| (name, cell(&rows)))
        .into()
}

pub(super) fn cell(rows: &[Row; 6]) -> Cell {
    let mut cell = Cell::with_one_robot();
    let ball = Form::Sphere { radius: 0.01 };
    let mut base = Body::obstacle("base", ball.clone(), Isometry3::identity());
    base.role = Role::Link { robot: 0 };
    cell.add_body(base);
    let mut parent = None;
    for (k, (place, turned, axis)) in rows.iter().enumerate() {
        let frame = Isometry3::from_parts(
            Translation3::new(place[0], place[1], place[2]),
            UnitQuaternion::from_euler_angles(turned[0], turned[1], turned[2]),
        );
        let axis = Unit::new_normalize(Vector3::from(*axis));
        let mut joint = Joint::revolute(&format!("j{}", k + 1), parent, frame, axis);
        joint.kind = crate::model::JointKind::Revolute;
        joint.limits = Limits {
            position: Some((-6.3, 6.3)),
            ..Limits::default()
        };
        parent = Some(cell.add_joint(joint));
    }
    cell.add_body(Body::link("flange", ball, 5, Isometry3::identity(), None));
    cell
}

pub(crate) fn tool() -> Frame {
    Frame {
        link: "flange".into(),
        link_from_frame: Isometry3::new(
            Vector3::new(0.02, 0.05, 0.15),
            Vector3::new(0.3, 0.2, 0.1),
        ),
    }
}

pub(super) fn arm(cell: &Cell) -> Arm {
    Arm::new(cell, &[0, 1, 2, 3, 4, 5], &tool()).unwrap()
}

pub(super) fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.unit()
}

pub(super) fn configuration(random: &mut Random) -> Vector6<f64> {
    Vector6::from_fn(|_, _| between(random, -2.5, 2.5))
}

/// A random curve from a configuration: lines and arcs, with and without turning.
pub(super) fn curve(random: &mut Random, from: &Pose, longest: f64, turn: f64) -> PoseCurve {
    let mut vector = |size: f64| random.direction().into_inner() * (size * random.unit());
    let turned = UnitQuaternion::from_scaled_axis(vector(turn));
    let to = Pose {
        rotation: turned.to_rotation_matrix().matrix() * from.rotation,
        translation: from.translation + vector(longest),
    };
    let via = 0.5 * (from.translation + to.translation) + vector(0.3 * longest);
    if random.unit() < 0.3 {
        PoseCurve::arc(from, &via, &to).unwrap_or(PoseCurve::line(from, &to).unwrap())
    } else {
        PoseCurve::line(from, &to).unwrap()
    }
}

/// Follows the solution in small steps by Newton's method; `visit` sees each.
fn dense(
    arm: &Arm,
    curve: &PoseCurve,
    start: &Vector6<f64>,
    steps: usize,
    visit: &mut dyn FnMut(f64, &Vector6<f64>),
) {
    let mut q = *start;
    for k in 0..=steps {
        let s = k as f64 / steps as f64;
        q = reach(arm, &curve.at(s), &q, 20).expect("the dense twin follows");
        visit(s, &q);
    }
}

#[test]
fn curves_end_where_they_should() {
    let mut random = Random(1);
    let mut seen = 0;
    for (_, cell) in arms() {
        let arm = arm(&cell);
        let from = arm.at(&configuration(&mut random)).tool;
        let via = from.translation + Vector3::new(0.1, 0.1, 0.0);
        let to = Pose {
            translation: from.translation + Vector3::new(0.2, 0.0, 0.0),
            ..arm.at(&configuration(&mut random)).tool
        };
        let Ok(arc) = PoseCurve::arc(&from, &via, &to) else {
            continue;
        };
        for (s, there) in [(0.0, from.translation), (0.5, via), (1.0, to.translation)] {
            assert!((arc.at(s).translation - there).norm() < 1e-12, "{s}");
        }
        assert!((arc.at(1.0).rotation - to.rotation).norm() < 1e-12);
        assert!((arc.length() - 0.1 * std::f64::consts::PI).abs() < 1e-12);
        // The derivative is that of the curve.
        let step = 1e-6;
        let moved = arc.at(0.3 + step).translation - arc.at(0.3 - step).translation;
        assert!((moved / (2.0 * step) - arc.twist(0.3).0).norm() < 1e-8);
        seen += 1;
    }
    assert!(seen > 0);
}

/// How random lines ended.
#[derive(Debug, Default)]
struct DenseLines {
    /// Lines that keep away from singularities.
    away: usize,
    /// Those of them that are certified.
    certified: usize,
    /// Solutions that were found in the tubes.
    samples: usize,
}

/// So many random lines of each arm, with so many solutions of each that is certified.
fn dense_lines(lines: usize, steps: usize) -> DenseLines {
    let mut random = Random(2);
    let mut found = DenseLines::default();
    for (name, cell) in arms() {
        let arm = arm(&cell);
        for _ in 0..lines {
            let q0 = configuration(&mut random);
            let at = arm.at(&q0);
            let curve = curve(&mut random, &at.tool, 0.5, 0.8);
            let followed = follow_curve(&arm, &curve, &q0, &[1e-12; SIX], PoseError::default());
            // How near to a singularity the dense twin comes.
            let mut q = q0;
            let mut least = f64::INFINITY;
            for k in 0..=200 {
                let Some(next) = reach(&arm, &curve.at(k as f64 / 200.0), &q, 20) else {
                    least = 0.0;
                    break;
                };
                if (next - q).amax() > 0.3 {
                    least = 0.0;
                    break;
                }
                q = next;
                let s = arm.jacobian(&arm.at(&q)).svd(false, false).singular_values;
                least = least.min(s.min());
            }
            let Ok(pieces) = followed else {
                found.away += usize::from(least > 0.03);
                continue;
            };
            found.certified += usize::from(least > 0.03);
            found.away += usize::from(least > 0.03);
            let mut piece = 0;
            dense(&arm, &curve, &q0, steps, &mut |s, q| {
                while s > pieces[piece].to {
                    piece += 1;
                }
                let p = &pieces[piece];
                let u = (s - p.from) / (p.to - p.from);
                found.samples += 1;
                for k in 0..SIX {
                    let off = (value(&p.joints[k], u) - q[k]).abs();
                    assert!(
                        off <= p.off[k],
                        "{name}, joint {k}, {s}: {off} of {}",
                        p.off[k]
                    );
                }
            });
        }
    }
    assert!(20 * found.certified >= 19 * found.away, "{found:?}");
    found
}

#[test]
fn solutions_found_densely_lie_in_the_tubes() {
    let found = dense_lines(70, 1000);
    assert!(found.samples > 100_000 && found.away > 80, "{found:?}");
}

/// The same for more.
/// `cargo test --release -p clearance-proof --lib -- --ignored --nocapture ten_thousand_lines`;
/// the figures stand in docs/benchmarks.md.
#[test]
#[ignore = "takes half a minute: ten thousand lines, and solutions of each"]
#[expect(clippy::print_stdout, reason = "the figure for the docs")]
fn ten_thousand_lines_are_certified_and_their_solutions_lie_in_the_tubes() {
    let found = dense_lines(3334, 300);
    println!("{found:?}");
    assert!(found.samples > 1_000_000 && found.away > 3000, "{found:?}");
}

#[test]
fn solutions_of_poses_near_the_curve_lie_in_the_tube() {
    let mut random = Random(3);
    let error = PoseError {
        position: 1e-3,
        turn: 2e-3,
    };
    let (mut used, mut certified) = (0.0_f64, 0);
    for (_, cell) in arms() {
        let arm = arm(&cell);
        for _ in 0..40 {
            let q0 = configuration(&mut random);
            let curve = curve(&mut random, &arm.at(&q0).tool, 0.3, 0.3);
            let Ok(pieces) = follow_curve(&arm, &curve, &q0, &[1e-12; SIX], error) else {
                continue;
            };
            certified += 1;
            for p in &pieces {
                for _ in 0..200 {
                    let u = random.unit();
                    let nominal = curve.at(p.from + u * (p.to - p.from));
                    let mut unit = || random.direction().into_inner();
                    let turned = UnitQuaternion::from_scaled_axis(unit() * error.turn);
                    let near = Pose {
                        rotation: turned.to_rotation_matrix().matrix() * nominal.rotation,
                        translation: nominal.translation + unit() * error.position,
                    };
                    let middle = Vector6::from_fn(|k, _| value(&p.joints[k], u));
                    let q = reach(&arm, &near, &middle, 20).unwrap();
                    for k in 0..SIX {
                        let share = (q[k] - middle[k]).abs() / p.off[k];
                        assert!(share <= 1.0, "{k}: {share}");
                        used = used.max(share);
                    }
                }
            }
        }
    }
    assert!(certified > 20, "{certified}");
    assert!(used > 0.5, "the tube is far too wide: {used} of it is used");
}

#[test]
fn a_box_in_which_the_jacobian_changes_too_much_is_refused() {
    for (name, cell) in arms() {
        let arm = arm(&cell);
        let q = Vector6::new(0.3, -1.0, 1.2, 0.4, 0.8, 0.2);
        let pose = arm.at(&q).tool;
        let off = solution_enclosure(&arm, &pose, &q).unwrap_or_else(|| panic!("{name}"));
        assert!(off.iter().all(|&x| x < 1e-9), "{name}: {off:?}");
        // A pose elsewhere has no solution in a small box.
        let mut elsewhere = pose;
        elsewhere.translation.x += 1e-3;
        let near = solution_enclosure(&arm, &elsewhere, &q);
        assert!(
            near.is_none_or(|off| off.iter().any(|&x| x > 1e-4)),
            "{name}"
        );
        let (f, _) = pose_error(&pose, &elsewhere);
        assert!((f[0] + 1e-3).abs() < 1e-12);
    }
}

#[test]
fn a_line_through_a_singularity_is_refused_with_its_place() {
    let (_, cell) = arms().remove(0);
    let arm = arm(&cell);
    // The wrist stretches where joint 5 passes zero; the tool turns about it.
    let bare = Frame {
        link_from_frame: Isometry3::identity(),
        ..tool()
    };
    let arm_bare = Arm::new(&cell, &[0, 1, 2, 3, 4, 5], &bare).unwrap();
    let q0 = Vector6::new(0.1, 0.2, 0.3, 0.5, -0.3, 0.0);
    let mut q1 = q0;
    q1[3] += 0.02;
    q1[4] = 0.3;
    let curve = PoseCurve::line(&arm_bare.at(&q0).tool, &arm_bare.at(&q1).tool).unwrap();
    match follow_curve(&arm_bare, &curve, &q0, &[1e-12; SIX], PoseError::default()) {
        Err(lost) => {
            assert!(lost.at > 0.3 && lost.at < 0.7, "{lost:?}");
            assert!(matches!(lost.why, LostReason::Singular { .. }), "{lost:?}");
        }
        // A curve that passes beside the singularity may be certified, but then its end is not the
        // stated one.
        Ok(pieces) => {
            let end = pieces.last().unwrap();
            let off = (value(&end.joints[4], 1.0) - q1[4]).abs();
            assert!(off > 0.1, "{off}");
        }
    }
    // Out of reach.
    let mut far = arm.at(&q0).tool;
    far.translation.x += 3.0;
    let line = PoseCurve::line(&arm.at(&q0).tool, &far).unwrap();
    let lost = follow_curve(&arm, &line, &q0, &[1e-12; SIX], PoseError::default()).unwrap_err();
    assert!(
        !matches!(lost.why, LostReason::Limit { .. } | LostReason::TooWide),
        "{lost:?}"
    );
}

#[test]
fn a_limit_on_the_way_is_refused_with_the_joint() {
    let (_, mut cell) = arms().remove(1);
    let q0 = Vector6::new(0.3, -1.0, 1.2, 0.4, 0.8, 0.2);
    let from = arm(&cell).at(&q0).tool;
    let mut to = from;
    to.translation.z += 0.25;
    let curve = PoseCurve::line(&from, &to).unwrap();
    let free = follow_curve(
        &arm(&cell),
        &curve,
        &q0,
        &[1e-12; SIX],
        PoseError::default(),
    )
    .unwrap();
    let end = value(&free.last().unwrap().joints[2], 1.0);
    let middle = 0.5 * (q0[2] + end);
    let sorted = if end > q0[2] {
        (-6.0, middle)
    } else {
        (middle, 6.0)
    };
    cell.joints[2].limits.position = Some(sorted);
    let lost = follow_curve(
        &arm(&cell),
        &curve,
        &q0,
        &[1e-12; SIX],
        PoseError::default(),
    )
    .unwrap_err();
    let LostReason::Limit { joint, .. } = &lost.why else {
        panic!("{lost:?}")
    };
    assert_eq!(joint, "j3");
    assert!(lost.at > 0.2 && lost.at < 0.8, "{lost:?}");
}

/// With samples at the ends only, where the error vanishes, all rests on the bound of what happens
/// between them: for chords on the slopes at the ends, for cubics with the right slopes on the
/// fourth derivative.
#[test]
fn what_happens_between_samples_is_bounded() {
    let mut random = Random(7);
    for of_cubics in [false, true] {
        let (mut certified, mut used) = (0, 0.0_f64);
        for (name, cell) in arms() {
            let arm = arm(&cell);
            for _ in 0..60 {
                let q0 = configuration(&mut random);
                let curve = curve(&mut random, &arm.at(&q0).tool, 0.3, 0.3);
                let h = [0.0625, 0.125, 0.25][random.below(3)];
                let Some(q1) = reach(&arm, &curve.at(h), &q0, 20) else {
                    continue;
                };
                let joints: [Polynomial; SIX] = if of_cubics {
                    match cubics(&arm, &curve, [0.0, h], &NewtonPoint::at(&arm, &q0)) {
                        Ok((joints, _)) => joints,
                        Err(()) => continue,
                    }
                } else {
                    std::array::from_fn(|k| [q0[k], q1[k] - q0[k], 0.0, 0.0, 0.0, 0.0])
                };
                for steps in [1, 2] {
                    let asked = PieceToProve {
                        arm: &arm,
                        curve: &curve,
                        span: [0.0, h],
                        joints: &joints,
                        error: PoseError::default(),
                    };
                    let test = PieceTest::new(&asked, steps);
                    let Some(off) = test.and_then(|t| t.narrowest_box()) else {
                        continue;
                    };
                    certified += 1;
                    for n in 0..=40 {
                        let s = f64::from(n) / 40.0;
                        let middle = Vector6::from_fn(|k, _| value(&joints[k], s));
                        let q = reach(&arm, &curve.at(h * s), &middle, 20).unwrap();
                        for k in 0..SIX {
                            let share = (q[k] - middle[k]).abs() / off[k];
                            assert!(share <= 1.0, "{name} {steps} {k} {s}: {share}");
                            used = used.max(share);
                        }
                    }
                }
            }
        }
        assert!(certified > 50, "{certified}");
        // The tubes are not so wide that a bound that lacks something would go unseen.
        assert!(used > 0.05, "{of_cubics} {used}");
    }
}
