//! Sums of what is left of one move of the tool and what is done of the next one.

use super::*;
use crate::model::moves::ArcTurning;

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
    let tip = Vector6::from_iterator(moves.stations[2].q.iter().copied());
    let at_tip = flange.at(&tip).tool.translation;
    // The tool does not turn, so its flange goes as its point does.
    let needle = at_tip + left + done - Vector3::new(0.0, 0.0, 0.01);
    let mut beside = cell.clone();
    plate(&mut beside, "needle", [0.0002; 3], needle);
    let on_the_way = verdict(&beside, &moves.trajectory);
    assert_eq!(on_the_way, Verdict::Clear);
    assert!(strips.iter().any(|s| verdict(&beside, s) != Verdict::Clear));
}
