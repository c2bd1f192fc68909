//! Corners of a tool that turns on its way, by so much that its orientation is known loosely.

use super::super::corners::{MOST_BETWEEN, turned_within};
use super::*;
use crate::motion::joint_poses::rotation;

/// A strip's orientations, sampled: where both ends turn, what lies between turns farther.
#[test]
fn orientations_of_a_strip_are_near_those_of_its_middle() {
    let mut random = Random(32);
    let b = Pose::identity();
    let (mut most, mut beyond_the_ends) = (0.0_f64, 0.0_f64);
    for _ in 0..300 {
        let angle = 0.2 + 2.4 * random.unit();
        let [e, x] = [(); 2].map(|()| Pose {
            rotation: rotation(&random.direction(), angle),
            ..b
        });
        let at = |lambda: f64, t: f64| {
            let on = |end: &Pose| PoseCurve::line(&b, end).unwrap().at(lambda);
            PoseCurve::line(&on(&e), &on(&x)).unwrap().at(t).rotation
        };
        let half = 0.05;
        let middle = half + (1.0 - 2.0 * half) * random.unit();
        let on = |end: &Pose| PoseCurve::line(&b, end).unwrap().at(middle).rotation;
        let between = turn_between(&on(&e), &on(&x)).1;
        if between + 2.0 * half * angle > MOST_BETWEEN {
            continue;
        }
        for n in 0..=10 {
            let t = f64::from(n) / 10.0;
            for lambda in [middle - half, middle + half] {
                let off = turn_between(&at(middle, t), &at(lambda, t)).1;
                let share = off / turned_within(half, [angle; 2]);
                assert!(share <= 1.0 + 1e-9, "{share}");
                most = most.max(share);
                beyond_the_ends = beyond_the_ends.max(off / (half * angle));
            }
        }
    }
    assert!(
        most > 0.95 && beyond_the_ends > 1.01,
        "{most}, {beyond_the_ends}"
    );
}

/// Points of the hull of a corner, with the orientation anywhere in its tube, lie in few strips.
#[test]
fn strips_of_a_turning_tool_cover_its_hull() {
    let cell = ur();
    let arm = arm(&cell);
    let (a, mut b) = (here(&cell), shifted(&here(&cell), [0.0, 0.15, 0.0]));
    b.rotation = rotation(&Vector3::z_axis(), 0.6) * b.rotation;
    let c = shifted(&b, [0.1, 0.0, -0.1]);
    let moves = vec![
        step(
            MoveKind::Linear,
            at(&b, Branch::Continued),
            Zone::Radius(0.05),
            "b",
        ),
        step(MoveKind::Linear, at(&c, Branch::Continued), Zone::Stop, "c"),
    ];
    let laid = lay(&program(moves), &cell).unwrap();
    let corner = &laid.corners[0];
    let strips = corner.strips(8, &[]).unwrap();
    let on = |end: &Pose| {
        let line = PoseCurve::line(&b, end).unwrap();
        line.at((0.05 / line.length()).min(0.5))
    };
    let (e, x) = (on(&a), on(&c));
    let tip = Vector6::from_iterator(laid.stations[1].q.iter().copied());
    let (mut random, mut used) = (Random(31), 0.0_f64);
    for case in 0..300 {
        let (lambda, t) = (random.unit(), random.unit());
        let on = |end: &Pose| PoseCurve::line(&b, end).unwrap().at(lambda);
        let mut pose = PoseCurve::line(&on(&e), &on(&x)).unwrap().at(t);
        let by = 0.06 * [1.0, random.unit()][case % 2];
        pose.rotation = rotation(&random.direction(), by) * pose.rotation;
        let q = reach(&arm, &pose, &tip, 30).unwrap();
        // How much of a strip's width is used, of the one in which it is least.
        let share = |segment: &crate::model::Segment| {
            let at = |n: u32| {
                let s = f64::from(n) / 200.0;
                let off = (0..6).map(|k| {
                    let c = &segment.joints.of(k);
                    let step = c[1..].iter().map(|x| x.abs()).sum::<f64>() / 200.0;
                    ((value(c, s) - q[k]).abs() - step) / segment.taken_over()[k]
                });
                off.fold(0.0, f64::max)
            };
            (0..=200).map(at).fold(f64::INFINITY, f64::min)
        };
        let least = strips.iter().flat_map(|s| &s.path.segments).map(share);
        let least = least.fold(f64::INFINITY, f64::min);
        assert!(least <= 1.0, "{lambda} {t}: {least}");
        used = used.max(least);
    }
    assert!(used > 0.4, "{used}");
}
