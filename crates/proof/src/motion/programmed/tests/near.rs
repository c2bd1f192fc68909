//! Points that may be one for a controller, orientations ahead of the tool's point, and zones of
//! which nothing is known.

use super::corners::{lies_in, turned};
use super::*;

/// Numbers of 32 bits: points that differ less are one for a controller, which then rounds the corner
/// between the moves before and behind. Catches corners that are looked at one way only.
#[test]
fn points_that_may_be_one_have_the_corner_of_one_and_those_of_two() {
    let cell = ur();
    let by = |first: f64, fourth: f64| {
        let mut q = HERE;
        (q[0], q[3]) = (q[0] + first, q[3] + fourth);
        q
    };
    let corners = |apart: f64| -> Vec<[usize; 2]> {
        let points = [by(0.5, 0.1), by(0.5 + apart, 0.1), by(0.7, -0.9)];
        let zones = [Zone::Unknown, Zone::Unknown, Zone::Stop];
        let moves = points.iter().zip(zones);
        let moves =
            moves.map(|(q, zone)| step(MoveKind::Joint, Target::Joints(q.to_vec()), zone, "q"));
        let found = for_cell(&program(moves.collect()), &cell).unwrap().corners;
        found.iter().map(|c| [c.tip, c.next]).collect()
    };
    assert_eq!(corners(0.0), [[1, 2]]);
    assert_eq!(corners(2e-6), [[1, 1], [1, 2], [2, 2]]);
    assert_eq!(corners(1e-3), [[1, 1], [2, 2]]);
}

/// The orientation may have gone on while the tool's point is still at the tip. Catches strips in
/// which it is where the point is.
#[test]
fn an_orientation_that_is_ahead_of_the_point_lies_in_the_strips() {
    let cell = ur();
    let tip = here(&cell);
    let a = shifted(&tip, [0.0, -0.1, 0.0]);
    let c = shifted(&turned(&tip, Vector3::x(), 0.1), [0.0, 0.08, 0.08]);
    let from = reach(&arm(&cell), &a, &Vector6::from(HERE), 30).unwrap();
    let corner = |turn_lead: f64| {
        let moves = vec![
            step(
                MoveKind::Linear,
                at(&tip, Branch::Continued),
                Zone::Unknown,
                "b",
            ),
            step(MoveKind::Linear, at(&c, Branch::Continued), Zone::Stop, "c"),
        ];
        let way = MoveProgram {
            start: Some(from.as_slice().to_vec()),
            turn_lead,
            ..program(moves)
        };
        let moves = CellMoves::new(&way, &cell, 0.0).unwrap();
        moves.corners[0].strips(256, &[]).unwrap()
    };
    // Half of the turn of the second move is in the corner, and half of that may be done at the tip.
    let ahead = |share: f64| {
        let pose = turned(&tip, Vector3::x(), share * 0.5 * 0.1);
        reach(&arm(&cell), &pose, &Vector6::from(HERE), 30).unwrap()
    };
    assert!(!lies_in(&corner(0.0), ahead(0.45).as_slice()));
    let strips = corner(0.5);
    assert!(lies_in(&strips, ahead(0.45).as_slice()));
    assert!(!lies_in(&strips, ahead(2.5).as_slice()));
}

/// Half of a joint move is half of the joints' way or of the tool's, whichever is longer, also where
/// the size of the zone is not known.
#[test]
fn a_zone_of_unknown_size_takes_half_of_the_way_of_the_tool() {
    let cell = ur();
    // The wrist moves the tool by little, and the base by much.
    let mut random = Random(6);
    let mut longer = 0;
    for _ in 0..50 {
        let mut near = |q: &[f64; 6], by: f64| q.map(|q| q + by * (2.0 * random.unit() - 1.0));
        let b = near(&HERE, 0.8);
        let c = near(&b, 0.8);
        let shares = |zone: Zone| {
            let joints =
                |q: &[f64; 6], zone| step(MoveKind::Joint, Target::Joints(q.to_vec()), zone, "q");
            let moves = program(vec![joints(&b, zone), joints(&c, Zone::Stop)]);
            for_cell(&moves, &cell).unwrap().corners[0].shares
        };
        for (share, end) in shares(Zone::Unknown).into_iter().zip([&HERE, &c]) {
            let place = |u: f64| {
                let q = Vector6::from_fn(|k, _| b[k] + u * (end[k] - b[k]));
                arm(&cell).at(&q).tool.translation
            };
            let step = |n: usize| (place((n + 1) as f64 / 500.0) - place(n as f64 / 500.0)).norm();
            let whole: f64 = (0..500).map(step).sum();
            let within = (share * 500.0).round() as usize;
            let passed: f64 = (0..within).map(step).sum();
            assert!(passed >= 0.495 * whole, "{share}: {passed} of {whole}");
            longer += usize::from(share > 0.52);
        }
        // A small ball takes half, too.
        let [ball, unknown] = [Zone::Ball(1e-4), Zone::Unknown].map(shares);
        assert_eq!(ball, unknown);
    }
    assert!(longer > 10, "{longer}");
}
