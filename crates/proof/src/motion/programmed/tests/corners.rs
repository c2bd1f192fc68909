//! Corners that a controller may round, and what stands inside them.

use super::*;

/// The move behind the corner is 0.18 m long, the one before it 0.2 m.
#[test]
fn a_zone_that_holds_a_whole_move_is_seen() {
    let cell = ur();
    let (a, b) = (here(&cell), shifted(&here(&cell), [0.0, 0.2, 0.0]));
    let c = shifted(&b, [0.15, 0.0, -0.1]);
    assert!((a.translation - b.translation).norm() > 0.199);
    for (zone, holds) in [
        (Zone::Ball(0.179), false),
        (Zone::Ball(0.181), true),
        (Zone::Ball(0.3), true),
        (Zone::Radius(0.3), false),
        (Zone::Unknown, false),
    ] {
        let moves = vec![
            step(MoveKind::Linear, at(&b, Branch::Continued), zone, "b"),
            step(MoveKind::Linear, at(&c, Branch::Continued), Zone::Stop, "c"),
        ];
        let moves = for_cell(&program(moves), &cell).unwrap();
        assert_eq!(moves.corners[0].holds_a_move, holds, "{zone:?}");
    }
}

/// Corners whose tool hardly turns.
#[test]
fn strips_cover_the_hull_of_a_corner() {
    let cell = ur();
    let (a, b) = (here(&cell), shifted(&here(&cell), [0.0, 0.2, 0.0]));
    let c = shifted(&b, [0.15, 0.0, -0.1]);
    for (zone, radius, most) in [
        (Zone::Radius(0.04), 0.04, 0.5),
        (Zone::Unknown, f64::INFINITY, 0.5),
        (Zone::Radius(0.15), 0.15, 0.5),
        (Zone::Ball(0.15), 0.15, 1.0),
    ] {
        points_lie_in_strips(&[a, b, turned(&c, Vector3::y(), 0.02)], zone, |length| {
            (radius / length).min(most)
        });
    }
}

/// Corners whose tool turns far on a short way: strips are as wide in orientation as the hull is
/// there.
#[test]
fn strips_cover_the_hull_of_a_corner_of_a_tool_that_turns() {
    let cell = ur();
    let (a, b) = (here(&cell), shifted(&here(&cell), [0.0, 0.03, 0.0]));
    let b = turned(&b, Vector3::x(), 0.3);
    for (axis, by) in [
        (Vector3::x(), 0.4),
        (Vector3::y(), 0.4),
        (Vector3::z(), 0.5),
    ] {
        let c = turned(&shifted(&b, [0.02, 0.0, -0.02]), axis, by);
        points_lie_in_strips(&[a, b, c], Zone::Unknown, |_| 0.5);
    }
}

pub(super) fn turned(pose: &Pose, axis: Vector3<f64>, by: f64) -> Pose {
    Pose {
        rotation: crate::motion::joint_poses::rotation(&axis, by) * pose.rotation,
        ..*pose
    }
}

/// Points of the hull of a corner at `b` between lines from `a` and to `c`, solved one by one, lie
/// in its strips. `share` is what the corner takes of a line of some length.
fn points_lie_in_strips([a, b, c]: &[Pose; 3], zone: Zone, share: impl Fn(f64) -> f64) {
    let cell = ur();
    let arm = arm(&cell);
    let mut random = Random(9);
    let moves = vec![
        step(MoveKind::Linear, at(b, Branch::Continued), zone, "b"),
        step(MoveKind::Linear, at(c, Branch::Continued), Zone::Stop, "c"),
    ];
    // Another law of turning would leave room for what is too narrow.
    let moves = CellMoves::new(&program(moves), &cell, 0.0).unwrap();
    let [corner] = &moves.corners[..] else {
        panic!("{:?}", moves.corners.len())
    };
    assert_eq!(corner.sized, !matches!(zone, Zone::Unknown));
    assert!(!corner.holds_a_move);
    // Wide strips leave joint values uncertain: then they are refused.
    let mut counts = [4, 8, 16, 32, 64, 128, 256].into_iter();
    let (count, strips) = counts
        .find_map(|n| Some((n, corner.strips(n, &[]).ok()?)))
        .unwrap();
    let toward = |end: &Pose| {
        let length = (end.translation - b.translation).norm();
        PoseCurve::line(b, end).unwrap().at(share(length))
    };
    let (e, x) = (toward(a), toward(c));
    let tip = Vector6::from_iterator(moves.ends[1].q.iter().copied());
    for n in 0..300 {
        // Every third point is where two strips meet.
        let mut lambda = random.unit();
        if n % 3 == 0 {
            lambda = (lambda * count as f64).round() / count as f64;
        }
        let t = random.unit();
        let on = |end: &Pose| PoseCurve::line(b, end).unwrap().at(lambda);
        let pose = PoseCurve::line(&on(&e), &on(&x)).unwrap().at(t);
        let q = reach(&arm, &pose, &tip, 30).unwrap();
        let covered = lies_in(&strips, q.as_slice());
        assert!(covered, "{lambda} {t}");
    }
}

/// Whether some segment of these strips has these joint values.
pub(super) fn lies_in(strips: &[Trajectory], q: &[f64]) -> bool {
    let mut segments = strips.iter().flat_map(|strip| &strip.segments);
    segments.any(|segment| {
        (0..=400).any(|n| {
            let s = f64::from(n) / 400.0;
            // Between the 401 instants joints go less than this.
            let near = |k: usize| {
                let c = &segment.joints.of(k);
                let step = c[1..].iter().map(|x| x.abs()).sum::<f64>() / 400.0;
                (value(c, s) - q[k]).abs() <= segment.taken_over()[k] + step
            };
            (0..q.len()).all(near)
        })
    })
}

/// What is left of the one move and what is done of the other one, added in space and in joint
/// values: with one line and one joint move both leave the flat triangles by centimetres.
#[test]
fn sums_of_a_line_and_a_joint_move_lie_in_the_strips() {
    let cell = ur();
    let arm = arm(&cell);
    let start = here(&cell);
    let b = shifted(&start, [0.0, 0.2, 0.05]);
    let turns = [1.2, -0.35, 0.6, -0.2, 0.15, -0.9];
    let mut random = Random(5);
    let zone = Zone::Unknown;
    for line_first in [true, false] {
        let line = |to: &Pose, zone| step(MoveKind::Linear, at(to, Branch::Continued), zone, "l");
        let joint = |q: Vec<f64>, zone| step(MoveKind::Joint, Target::Joints(q), zone, "j");
        let to = |q: &[f64]| -> Vec<f64> { q.iter().zip(turns).map(|(q, t)| q + t).collect() };
        let moves = if line_first {
            let alone = for_cell(&program(vec![line(&b, Zone::Stop)]), &cell).unwrap();
            let end = to(&alone.ends[1].q);
            vec![line(&b, zone), joint(end, Zone::Stop)]
        } else {
            let alone = for_cell(&program(vec![line(&start, Zone::Stop)]), &cell).unwrap();
            let tip = to(&alone.ends[0].q);
            let at_tip = arm.at(&Vector6::from_iterator(tip.iter().copied())).tool;
            let end = shifted(&at_tip, [0.03, -0.15, 0.08]);
            vec![joint(tip, zone), line(&end, Zone::Stop)]
        };
        let moves = CellMoves::new(&program(moves), &cell, 0.0).unwrap();
        let corner = &moves.corners[0];
        // So many that none is as wide as a sum is beside the flat triangles.
        let strips = corner.strips(512, &[]).unwrap();
        let q = |k: usize| Vector6::from_iterator(moves.ends[k].q.iter().copied());
        let tip = q(1);
        let at_tip = arm.at(&tip).tool;
        let (on_line, on_joints, [of_line, of_joints]) = if line_first {
            (q(0), q(2), corner.shares)
        } else {
            (q(2), q(0), [corner.shares[1], corner.shares[0]])
        };
        let line = PoseCurve::line(&at_tip, &arm.at(&on_line).tool).unwrap();
        let mut farthest = 0.0_f64;
        for _ in 0..40 {
            let (a, t) = (random.unit(), random.unit());
            let (a, b) = (a * t, (1.0 - a) * t);
            let by_joints = tip + (on_joints - tip) * (b * of_joints);
            let (own, done) = (arm.at(&by_joints).tool, line.at(a * of_line));
            let in_space = Pose {
                translation: own.translation + done.translation - at_tip.translation,
                rotation: done.rotation * at_tip.rotation.transpose() * own.rotation,
            };
            let in_space = reach(&arm, &in_space, &by_joints, 30).unwrap();
            assert!(
                lies_in(&strips, in_space.as_slice()),
                "{line_first} in space {a} {b}"
            );
            let in_joints = reach(&arm, &done, &tip, 30).unwrap() + by_joints - tip;
            assert!(
                lies_in(&strips, in_joints.as_slice()),
                "{line_first} in joints {a} {b}"
            );
            let end = tip + (on_joints - tip) * of_joints;
            let chord = PoseCurve::line(&at_tip, &arm.at(&end).tool).unwrap();
            let beside = (own.translation - chord.at(b).translation).norm();
            farthest = farthest.max(beside);
        }
        assert!(farthest > 5e-3, "{farthest}: nothing is tested");
    }
}

/// A joint corner: its tip and both sides are free, and a peg stands where a rounded motion goes.
#[test]
fn a_peg_inside_a_rounded_corner_is_found_and_the_polyline_misses_it() {
    let mut cell = ur();
    let (mut q1, mut q2) = (HERE, HERE);
    q1[0] += 0.4;
    q2[0] += 0.4;
    q2[1] += 0.4;
    let moves = |zone| {
        vec![
            step(MoveKind::Joint, Target::Joints(q1.to_vec()), zone, "b"),
            step(
                MoveKind::Joint,
                Target::Joints(q2.to_vec()),
                Zone::Stop,
                "c",
            ),
        ]
    };
    // Halfway between E and X, where the zone is half of both moves.
    let mut inside = q1;
    inside[0] -= 0.1;
    inside[1] += 0.1;
    let flange = Frame {
        link_from_frame: Isometry3::identity(),
        ..tool()
    };
    let centre = Arm::new(&cell, &[0, 1, 2, 3, 4, 5], &flange).unwrap();
    let peg = centre.at(&Vector6::from(inside)).tool.translation;
    plate(&mut cell, "peg", [0.01, 0.01, 0.01], peg);
    let exact = for_cell(&program(moves(Zone::Stop)), &cell).unwrap();
    assert!(exact.corners.is_empty());
    assert_eq!(verdict(&cell, &exact.trajectory), Verdict::Clear);
    let rounded = for_cell(&program(moves(Zone::Unknown)), &cell).unwrap();
    assert_eq!(verdict(&cell, &rounded.trajectory), Verdict::Clear);
    let [corner] = &rounded.corners[..] else {
        panic!("{}", rounded.corners.len())
    };
    let strips = corner.strips(16, &[]).unwrap();
    assert!(strips.iter().any(|s| verdict(&cell, s) != Verdict::Clear));
    // Without the peg every strip is proved: strips are no wider than they must be.
    let free = ur();
    assert!(strips.iter().all(|s| verdict(&free, s) == Verdict::Clear));
    // A zone that ends before the peg does not reach it.
    let small = for_cell(&program(moves(Zone::Radius(0.01))), &cell).unwrap();
    let strips = small.corners[0].strips(16, &[]).unwrap();
    assert!(strips.iter().all(|s| verdict(&cell, s) == Verdict::Clear));
}

/// Which configuration is the nearest is asked where the arm is, and that may be on its way round a
/// corner.
#[test]
fn the_nearest_configuration_is_that_from_all_of_a_corner() {
    let cell = ur();
    let turned = |by: f64| {
        let mut q = HERE;
        q[5] += by;
        q
    };
    let goes = |zone: Zone, to: f64| {
        let pose = arm(&cell).at(&Vector6::from(turned(to))).tool;
        let moves = vec![
            step(
                MoveKind::Joint,
                Target::Joints(turned(3.0).to_vec()),
                zone,
                "a",
            ),
            step(
                MoveKind::Joint,
                at(&pose, Branch::NearestToStart),
                Zone::Stop,
                "b",
            ),
        ];
        for_cell(&program(moves), &cell)
    };
    // A third of a turn from the tip of the corner, and more than half of one from where it begins.
    assert!(goes(Zone::Stop, 4.8).is_ok());
    let error = goes(Zone::Unknown, 4.8).unwrap_err().to_string();
    assert!(error.contains("a corner that it rounds"), "{error}");
    assert!(goes(Zone::Unknown, 3.3).is_ok());
}

/// A corner between lines of two tools is in neither tool's space.
#[test]
fn a_corner_at_which_the_tool_changes_is_refused() {
    let cell = ur();
    let a = here(&cell);
    let goes = |zone: Zone, longer: f64| {
        let line = |by: [f64; 3], zone| {
            let target = at(&shifted(&a, by), Branch::Continued);
            step(MoveKind::Linear, target, zone, "a")
        };
        let mut moves = vec![
            line([0.02, 0.0, 0.0], zone),
            line([0.02, 0.02, 0.0], Zone::Stop),
        ];
        moves[1].tool.link_from_frame.translation.z += longer;
        for_cell(&program(moves), &cell)
    };
    let error = goes(Zone::Ball(0.005), 0.01).unwrap_err().to_string();
    assert!(error.contains("the tool changes"), "{error}");
    assert!(goes(Zone::Ball(0.005), 0.0).is_ok());
    assert!(goes(Zone::Stop, 0.01).is_ok());
}

/// Joint values of random joint moves, and places of the tool on the way between them.
fn joint_way(cell: &Cell, [from, to]: [&[f64; 6]; 2], u: f64) -> Vector3<f64> {
    let q = std::array::from_fn::<f64, 6, _>(|k| from[k] + u * (to[k] - from[k]));
    arm(cell).at(&Vector6::from(q)).tool.translation
}

/// Half of a joint move by the way of the tool, or by how far its ends are apart.
fn half(cell: &Cell, ends: [&[f64; 6]; 2]) -> f64 {
    let place = |n: usize| joint_way(cell, ends, n as f64 / 1000.0);
    let steps: Vec<f64> = (0..1000)
        .map(|n| (place(n + 1) - place(n)).norm())
        .collect();
    let whole: f64 = steps.iter().sum();
    let mut passed = 0.0;
    let by_way = steps.iter().position(|step| {
        passed += step;
        passed > 0.5 * whole
    });
    let apart = (place(1000) - place(0)).norm();
    let is_near = |n: &usize| (place(*n) - place(0)).norm() <= 0.5 * apart;
    let by_distance = (0..1000).rev().find(is_near);
    by_way.max(by_distance).unwrap_or(1000) as f64 / 1000.0
}

/// The tool may enter the ball of a zone long before half of the joints' way is done, and the
/// triangle of the corner has to begin there.
#[test]
fn a_corner_of_joint_moves_begins_where_the_tool_enters_its_ball() {
    let cell = ur();
    let mut random = Random(5);
    let mut near = |q: &[f64; 6], by: f64| q.map(|q| q + by * (2.0 * random.unit() - 1.0));
    let (mut early, mut far) = (0, 0);
    for _ in 0..200 {
        let b = near(&HERE, 0.5);
        let c = near(&b, 0.8);
        let radius = {
            let [at, from, to] = [&b, &HERE, &c].map(|q| joint_way(&cell, [q, q], 0.0));
            0.48 * (from - at).norm().min((to - at).norm())
        };
        for zone in [Zone::Radius(radius), Zone::Ball(radius)] {
            let joints =
                |q: &[f64; 6], zone| step(MoveKind::Joint, Target::Joints(q.to_vec()), zone, "q");
            let moves = program(vec![joints(&b, zone), joints(&c, Zone::Stop)]);
            let moves = for_cell(&moves, &cell).unwrap();
            let shares = moves.corners[0].shares;
            for (share, end) in shares.into_iter().zip([&HERE, &c]) {
                let tip = joint_way(&cell, [&b, end], 0.0);
                let inside = |radius: f64| {
                    let mut shares = (1..1000).rev().map(|n| f64::from(n) / 1000.0);
                    let is_in = |u: &f64| (joint_way(&cell, [&b, end], *u) - tip).norm() <= radius;
                    shares.find(is_in).unwrap_or(0.0)
                };
                // No less than the ball, and no more, unless half of some way is more.
                let (least, most) = (inside(radius), inside(radius + 0.006));
                let most = match zone {
                    Zone::Ball(_) => most.max(half(&cell, [&b, end])),
                    _ => most,
                };
                assert!(share >= least, "{zone:?}: {share} {least}");
                assert!(share <= most.max(0.5) + 0.02, "{zone:?}: {share} {most}");
                early += usize::from(least > 0.5);
                if matches!(zone, Zone::Ball(_)) {
                    assert!(share >= 0.5, "{share}");
                } else {
                    far += usize::from(share < 0.49);
                }
            }
        }
    }
    assert!(early > 20 && far > 20, "{early} {far}");
    // More than the whole way is the whole way, by a ball; by a radius it is half.
    let short = near(&HERE, 0.02);
    for (zone, least, most) in [
        (Zone::Ball(1.0), 1.0, 1.0),
        (Zone::Radius(1.0), 0.5, 0.6),
        (Zone::Unknown, 0.5, 0.6),
    ] {
        let joints =
            |q: &[f64; 6], zone| step(MoveKind::Joint, Target::Joints(q.to_vec()), zone, "q");
        let moves = program(vec![joints(&short, zone), joints(&HERE, Zone::Stop)]);
        let [to, from] = for_cell(&moves, &cell).unwrap().corners[0].shares;
        assert!(
            to >= least && to <= most && from >= least && from <= most,
            "{zone:?}: {to} {from}"
        );
    }
}

/// Beside a joint move half of both moves counts for a ball, whichever of the two comes first; a
/// radius is what it says.
#[test]
fn a_ball_beside_a_joint_move_takes_half_of_both() {
    let cell = ur();
    let b = shifted(&here(&cell), [0.0, 0.2, 0.0]);
    let line = |zone| step(MoveKind::Linear, at(&b, Branch::Continued), zone, "b");
    let mut q = HERE;
    q[0] += 0.9;
    let joints = |zone| step(MoveKind::Joint, Target::Joints(q.to_vec()), zone, "q");
    let back = step(
        MoveKind::Linear,
        at(
            &shifted(&arm(&cell).at(&Vector6::from(q)).tool, [0.0, 0.0, -0.1]),
            Branch::Continued,
        ),
        Zone::Stop,
        "c",
    );
    let shares = |moves: Vec<Move>| for_cell(&program(moves), &cell).unwrap().corners[0].shares;
    let found = shares(vec![line(Zone::Ball(0.001)), joints(Zone::Stop)]);
    let half = |found: [f64; 2]| found.iter().all(|share| (0.5..0.53).contains(share));
    assert!(half(found), "{found:?}");
    let found = shares(vec![joints(Zone::Ball(0.001)), back]);
    assert!(half(found), "{found:?}");
    let found = shares(vec![line(Zone::Radius(0.001)), joints(Zone::Stop)]);
    assert!(found.iter().all(|&share| share < 0.02), "{found:?}");
}

/// A controller that leaves out a move that moves nothing rounds the corner between its neighbours.
#[test]
fn a_point_that_stands_twice_has_the_corner_of_one() {
    let cell = ur();
    let with = |by: [f64; 2]| {
        let mut q = HERE;
        (q[0], q[3]) = (q[0] + by[0], q[3] + by[1]);
        q
    };
    let (b, c) = (with([0.5, 0.1]), with([0.7, -0.9]));
    let corners = |points: &[([f64; 6], Zone)]| {
        let moves = points
            .iter()
            .map(|(q, zone)| step(MoveKind::Joint, Target::Joints(q.to_vec()), *zone, "q"));
        for_cell(&program(moves.collect()), &cell).unwrap().corners
    };
    let (open, stop) = (Zone::Unknown, Zone::Stop);
    let [once] = &corners(&[(b, open), (c, stop)])[..] else {
        panic!("one corner");
    };
    for points in [
        vec![(b, open), (b, open), (c, stop)],
        vec![(b, open), (b, open), (b, open), (c, stop)],
    ] {
        let found = corners(&points);
        let [twice] = &found[..] else {
            panic!("{}", found.len());
        };
        assert_eq!((twice.tip, twice.next), (1, points.len() - 1));
        assert_eq!(twice.shares, once.shares);
        let ends = |corner: &Corner| -> Vec<_> {
            let strips = corner.strips(4, &[]).unwrap();
            strips
                .iter()
                .map(|s| s.segments[0].position(3, 1.0))
                .collect()
        };
        assert_eq!(ends(twice), ends(once));
    }
    // Each zone that is stated there, once.
    let found = corners(&[(b, Zone::Ball(0.01)), (b, open), (b, open), (c, stop)]);
    let sized: Vec<bool> = found.iter().map(|corner| corner.sized).collect();
    assert_eq!(sized, [true, false]);
    // A stop is a stop; so is the start, and the end.
    for points in [
        vec![(b, open), (b, stop), (c, stop)],
        vec![(b, stop), (b, open), (c, stop)],
        vec![(HERE, open), (b, stop)],
        vec![(b, open), (b, open)],
    ] {
        assert!(corners(&points).is_empty(), "{points:?}");
    }
}
