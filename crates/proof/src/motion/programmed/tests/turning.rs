//! Corners of a tool that turns on its way.

use super::super::strips::MOST_BETWEEN;
use super::super::tool_hull::turned_within;
use super::*;
use crate::model::moves::ArcTurning;
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

/// The law of an arc along which the tool turns is beside an even turn, and that much more is
/// allowed for. Catches a bound that is found and not added.
#[test]
fn a_tool_that_turns_along_its_arc_is_known_less_exactly() {
    let cell = ur();
    let a = here(&cell);
    let tilted = |by: [f64; 3], angle: f64| Pose {
        rotation: rotation(&Vector3::x(), angle) * a.rotation,
        ..shifted(&a, by)
    };
    let (via, b) = (
        tilted([0.02, 0.01, 0.0], 0.015),
        tilted([0.03, 0.03, 0.0], 0.03),
    );
    let has_tubes = |turning: ArcTurning| {
        let via = at(&via, Branch::Continued);
        let kind = MoveKind::Circular { via, turning };
        let arc = step(kind, at(&b, Branch::Continued), Zone::Stop, "b");
        let moves = CellMoves::new(&program(vec![arc]), &cell, 0.0).unwrap();
        moves
            .trajectory
            .segments
            .iter()
            .any(|s| !s.tool_tubes().is_empty())
    };
    assert!(!has_tubes(ArcTurning::Still) && has_tubes(ArcTurning::Along));
}
