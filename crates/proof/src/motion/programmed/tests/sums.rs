//! Sums of what is left of one move of the tool and what is done of the next one.

use super::corners::{lies_in, turned};
use super::*;
use crate::model::Joint;
use crate::model::moves::ArcTurning;
use crate::motion::joint_poses::rotation;
use crate::motion::programmed::bulges::two_turns_deviation;
use crate::motion::programmed::strips::CELLS;

/// Two arcs of a chord of 160 mm bulge by 30 mm to the same side of their corner: half of what is
/// left of the one and half of what is done of the other is beside the triangle by what both bulge
/// together. A needle stands where the flange, a ball of 10 mm, then just meets it.
#[test]
fn a_needle_that_a_sum_of_two_arcs_meets_is_found() {
    let cell = ur();
    let a = shifted(&here(&cell), [0.0, -0.1, 0.0]);
    let (b, c) = (shifted(&a, [0.0, 0.16, 0.0]), shifted(&a, [0.0, 0.32, 0.0]));
    let via = |from: &Pose| shifted(from, [0.0, 0.08, -0.03]);
    let arc = |from: &Pose, to: &Pose, zone| {
        let kind = MoveKind::Circular {
            via: at(&via(from), Branch::Continued),
            turning: ArcTurning::Still,
        };
        step(kind, at(to, Branch::Continued), zone, "arc")
    };
    let moves = vec![
        step(MoveKind::Linear, at(&a, Branch::Continued), Zone::Stop, "a"),
        arc(&a, &b, Zone::Unknown),
        arc(&b, &c, Zone::Stop),
    ];
    let moves = CellMoves::new(&program(moves), &cell, 0.0).unwrap();
    let [corner] = &moves.corners[..] else {
        panic!("{}", moves.corners.len())
    };
    assert_eq!(corner.shares, [0.5, 0.5]);
    let strips = corner.strips(64, &[]).unwrap();
    assert!(strips.iter().all(|s| verdict(&cell, s) == Verdict::Clear));
    let curve = |from: &Pose, to: &Pose| PoseCurve::arc(from, &via(from).translation, to).unwrap();
    let left = curve(&a, &b).at(0.75).translation - b.translation;
    let done = curve(&b, &c).at(0.25).translation - b.translation;
    let flange = Frame {
        link_from_frame: Isometry3::identity(),
        ..tool()
    };
    let flange = Arm::new(&cell, &[0, 1, 2, 3, 4, 5], &flange).unwrap();
    let tip = Vector6::from_iterator(moves.ends[2].q.iter().copied());
    let at_tip = flange.at(&tip).tool.translation;
    // The tool does not turn, so its flange goes as its point does.
    let needle = at_tip + left + done - Vector3::new(0.0, 0.0, 0.01);
    let mut beside = cell.clone();
    plate(&mut beside, "needle", [0.0002; 3], needle);
    let on_the_way = verdict(&beside, &moves.trajectory);
    assert_eq!(on_the_way, Verdict::Clear);
    assert!(strips.iter().any(|s| verdict(&beside, s) != Verdict::Clear));
}

/// The turn from the identity to an orientation, as a vector, and back.
fn turn(angles: &Vector3<f64>) -> Pose {
    Pose {
        rotation: rotation(&angles.normalize(), angles.norm()),
        ..Pose::identity()
    }
}

/// What is left of one turn, and then what is done of the next one, or the other way round: no
/// farther from what lies between them than the bound, and some nearly as far.
#[test]
fn one_turn_after_the_other_is_near_those_between() {
    let mut random = Random(3);
    let mut most = 0.0_f64;
    for _ in 0..400 {
        let [left, done] = [(); 2].map(|()| *random.direction() * (0.02 + 1.4 * random.unit()));
        let [e, x] = [turn(&left), turn(&done)];
        let bound = two_turns_deviation(&Pose::identity(), [&e, &x]);
        for n in 0..=20 {
            let lambda = [1.0, 0.9, random.unit()][n % 3];
            let t = n as f64 / 20.0;
            let on = |angles: &Vector3<f64>| turn(&(angles * lambda));
            let between = PoseCurve::line(&on(&left), &on(&done)).unwrap().at(t);
            let part = |angles: &Vector3<f64>, share: f64| match share * lambda {
                0.0 => Pose::identity().rotation,
                share => turn(&(angles * share)).rotation,
            };
            let (a, b) = (part(&left, 1.0 - t), part(&done, t));
            for sum in [a * b, b * a] {
                let off = turn_between(&between.rotation, &sum).1;
                assert!(off <= bound + 1e-9, "{off} {bound}: {left} {done} {t}");
                most = most.max(off / bound);
            }
        }
    }
    assert!(most > 0.9, "{most}");
}

/// Two lines that turn the tool about different axes. Catches a corner that forgets how far their
/// sums are from what lies between: its strips are narrower than that.
#[test]
fn one_turn_after_the_other_lies_in_the_strips() {
    let cell = ur();
    let (a, b) = (here(&cell), shifted(&here(&cell), [0.0, 0.03, 0.0]));
    let b = turned(&b, Vector3::x(), 0.5);
    let c = turned(&shifted(&b, [0.02, 0.0, -0.02]), Vector3::y(), 0.5);
    let line = |to: &Pose, zone| step(MoveKind::Linear, at(to, Branch::Continued), zone, "l");
    let moves = program(vec![line(&b, Zone::Unknown), line(&c, Zone::Stop)]);
    let moves = CellMoves::new(&moves, &cell, 0.0).unwrap();
    let strips = moves.corners[0].strips(256, &[]).unwrap();
    let tip = Vector6::from_iterator(moves.ends[1].q.iter().copied());
    let (left, done) = (
        PoseCurve::line(&b, &a).unwrap(),
        PoseCurve::line(&b, &c).unwrap(),
    );
    let mut random = Random(12);
    for n in 0..60 {
        let (lambda, t) = (random.unit(), random.unit());
        let (u, v) = (left.at(0.5 * lambda * (1.0 - t)), done.at(0.5 * lambda * t));
        let [first, then] =
            [[&u, &v], [&v, &u]][n % 2].map(|p| p.rotation * b.rotation.transpose());
        let sum = Pose {
            translation: u.translation + v.translation - b.translation,
            rotation: then * first * b.rotation,
        };
        let q = reach(&arm(&cell), &sum, &tip, 30).unwrap();
        assert!(lies_in(&strips, q.as_slice()), "{lambda} {t}");
    }
}

/// The arm, and a slide `j7` beside it.
fn with_slide() -> Cell {
    let mut cell = ur();
    let slide = Joint::prismatic("j7", None, Isometry3::identity(), Vector3::x_axis());
    cell.joints.push(slide);
    cell.rest.push(0.0);
    cell
}

/// A slide that the program moves beside the arm, in a joint move, may be anywhere on its way in
/// the corner, wherever a sum of that move and of a line is. Catches hulls that leave it at the
/// corner's tip, or tie it to the arm; and one order of the two turns that is forgotten.
#[test]
fn a_slide_beside_the_arm_is_anywhere_on_its_way_in_the_corner() {
    let cell = with_slide();
    let joints = |more: f64, slide: f64, zone| {
        let mut q = HERE.to_vec();
        (q[0], q[3]) = (q[0] + more, q[3] - more);
        q.push(slide);
        step(MoveKind::Joint, Target::Joints(q), zone, "j")
    };
    let mut random = Random(8);
    for slide_first in [true, false] {
        let tip = here(&cell);
        let mut way = program(vec![]);
        way.joints.push("j7".to_owned());
        let end = shifted(&turned(&tip, Vector3::x(), 0.6), [0.05, 0.0, 0.05]);
        let line = |to: &Pose, zone| step(MoveKind::Linear, at(to, Branch::Continued), zone, "l");
        let (first, last) = if slide_first {
            way.start = Some([&HERE[..], &[0.0]].concat());
            way.start.as_mut().unwrap()[0] -= 0.4;
            way.moves = vec![joints(0.0, 0.4, Zone::Unknown), line(&end, Zone::Stop)];
            (0, 2)
        } else {
            let from = Vector6::from(HERE);
            let from = reach(&arm(&cell), &end, &from, 30).unwrap();
            way.start = Some([from.as_slice(), &[0.0]].concat());
            way.moves = vec![line(&tip, Zone::Unknown), joints(0.4, 0.4, Zone::Stop)];
            (2, 0)
        };
        let moves = CellMoves::new(&way, &cell, 0.0).unwrap();
        let corner = &moves.corners[0];
        let strips = corner.strips(128, &[]).unwrap();
        let q = |k: usize| &moves.ends[k].q;
        let arm_at = |q: &[f64]| Vector6::from_iterator(q[..6].iter().copied());
        let shares = corner.shares;
        let (of_joints, of_line) = if slide_first {
            (shares[0], shares[1])
        } else {
            (shares[1], shares[0])
        };
        let at_tip = arm(&cell).at(&arm_at(q(1))).tool;
        let line = PoseCurve::line(&at_tip, &arm(&cell).at(&arm_at(q(last))).tool).unwrap();
        for n in 0..60 {
            let b = random.unit();
            let a = (1.0 - b) * random.unit();
            let mixed: Vec<f64> = (0..7)
                .map(|k| q(1)[k] + (q(first)[k] - q(1)[k]) * b * of_joints)
                .collect();
            let (own, done) = (arm(&cell).at(&arm_at(&mixed)).tool, line.at(a * of_line));
            let [last, before] = [[&done, &own], [&own, &done]][n % 2];
            let sum = Pose {
                translation: own.translation + done.translation - at_tip.translation,
                rotation: last.rotation * at_tip.rotation.transpose() * before.rotation,
            };
            let slide = q(1)[6] + (q(first)[6] - q(1)[6]) * random.unit() * of_joints;
            let in_space = reach(&arm(&cell), &sum, &arm_at(&mixed), 30).unwrap();
            let by_line = reach(&arm(&cell), &done, &arm_at(q(1)), 30).unwrap() - arm_at(q(1));
            for found in [in_space, arm_at(&mixed) + by_line] {
                let all = [found.as_slice(), &[slide]].concat();
                assert!(lies_in(&strips, &all), "{slide_first}: {a} {b} {slide}");
            }
        }
    }
}

/// A slide beside the arm goes round a corner of two joint moves by a zone of its own. Catches one
/// that is tied to the arm, and an arm that is not tied to itself.
#[test]
fn between_joint_moves_a_slide_beside_the_arm_is_not_tied_to_it() {
    let cell = with_slide();
    let mut way = program(vec![]);
    way.joints.push("j7".to_owned());
    way.start = Some([&HERE[..], &[0.0]].concat());
    let to = |first: f64, second: f64, slide: f64, zone| {
        let mut q = HERE.to_vec();
        (q[0], q[1]) = (q[0] + first, q[1] + second);
        q.push(slide);
        step(MoveKind::Joint, Target::Joints(q), zone, "j")
    };
    way.moves = vec![
        to(0.4, 0.0, 0.4, Zone::Unknown),
        to(0.4, 0.4, 0.4, Zone::Stop),
    ];
    let corner_of = |way: &MoveProgram| {
        let moves = CellMoves::new(way, &cell, 0.0).unwrap();
        moves.corners[0].strips(64, &[]).unwrap()
    };
    let strips = corner_of(&way);
    let q = |first: f64, second: f64, slide: f64| {
        let mut q = HERE.to_vec();
        (q[0], q[1]) = (q[0] + first, q[1] + second);
        q.push(slide);
        q
    };
    // The slide is still on its way, or there already, while the arm is anywhere in its triangle.
    for slide in [0.2, 0.3, 0.4] {
        for [first, second] in [[0.2, 0.0], [0.4, 0.0], [0.4, 0.2], [0.3, 0.1], [0.35, 0.05]] {
            let at = q(first, second, slide);
            assert!(lies_in(&strips, &at), "{first} {second} {slide}");
        }
    }
    assert!(
        !lies_in(&strips, &q(0.3, 0.2, 0.3)),
        "outside of the triangle"
    );
    assert!(!lies_in(&strips, &q(0.4, 0.0, 0.1)), "before the corner");
    // What a standing tool is held against moves with all joints: they are tied.
    for step in &mut way.moves {
        step.tool = world();
    }
    assert!(!lies_in(&corner_of(&way), &q(0.4, 0.2, 0.2)));
}

/// On a line whose tool may be off an even turn the joints are off too, and so are sums of their
/// values. Catches a triangle in joint space that forgets it.
#[test]
fn sums_in_joint_values_hold_what_the_orientation_may_be_off() {
    let cell = ur();
    let arm = arm(&cell);
    let (a, tip) = (here(&cell), shifted(&here(&cell), [0.0, 0.05, 0.02]));
    let tip = turned(&tip, Vector3::x(), 0.3);
    let alone = step(
        MoveKind::Linear,
        at(&tip, Branch::Continued),
        Zone::Stop,
        "l",
    );
    let alone = CellMoves::new(&program(vec![alone]), &cell, 0.1).unwrap();
    let mut end = alone.ends[1].q.clone();
    for (q, by) in end.iter_mut().zip([0.5, -0.2, 0.3, -0.2, 0.15, -0.4]) {
        *q += by;
    }
    let moves = vec![
        step(
            MoveKind::Linear,
            at(&tip, Branch::Continued),
            Zone::Unknown,
            "l",
        ),
        step(MoveKind::Joint, Target::Joints(end), Zone::Stop, "j"),
    ];
    let moves = CellMoves::new(&program(moves), &cell, 0.1).unwrap();
    let corner = &moves.corners[0];
    let strip = |n: u32| {
        let middle = (f64::from(n) + 0.5) / 64.0;
        corner.hulls[0].strip([middle, 1.0 / 128.0], CELLS, &[])
    };
    let joints: Vec<Trajectory> = (0..64).flat_map(|n| strip(n).unwrap()).collect();
    let q = |k: usize| Vector6::from_iterator(moves.ends[k].q.iter().copied());
    let way = PoseCurve::line(&tip, &a).unwrap();
    let tube = CellMoves::orientation_tube(0.1, way.turn);
    let mut random = Random(4);
    for _ in 0..60 {
        let (lambda, t) = (random.unit(), random.unit());
        let on_line = way.at(0.5 * lambda * (1.0 - t));
        let off = turned(&on_line, *random.direction(), 0.999 * tube);
        let by_line = reach(&arm, &off, &q(1), 30).unwrap() - q(1);
        let by_joints = (q(2) - q(1)) * (0.5 * lambda * t);
        let sum = q(1) + by_line + by_joints;
        assert!(lies_in(&joints, sum.as_slice()), "{lambda} {t}");
    }
}
