//! Where the arm may be when a move begins, and zones that overlap.

use super::corners::turned;
use super::*;
use crate::motion::tool_line::choose_solution;

/// A joint move to a pose behind a rounded line: from wherever in the corner it begins, the solution
/// that is taken is the nearest one. Joint values are followed along the line, and each is asked by
/// itself. Regression: only the tip and the other end of the line were asked, between which the joints
/// do not go straight.
#[test]
fn a_pose_behind_a_rounded_line_is_the_nearest_from_wherever_the_arm_is() {
    let cell = ur();
    let arm = arm(&cell);
    let inverse = InverseKinematics::new(&arm);
    let mut random = Random(66);
    let (mut taken, mut left_open, mut only_within) = (0, 0, 0);
    for _ in 0..700 {
        let q = Vector6::from(HERE) + 1.2 * Vector6::from_fn(|_, _| random.signed());
        let from = arm.at(&q).tool;
        let by = [0; 3].map(|_| 0.3 * random.signed());
        let to = turned(
            &shifted(&from, by),
            random.vector().normalize(),
            1.5 * random.signed(),
        );
        let pose = arm.at(&Vector6::from_fn(|_, _| 3.1 * random.signed())).tool;
        let radius = 0.05 + 0.1 * random.unit();
        let way = |zone: Zone, then: Option<Branch>| {
            let line = step(MoveKind::Linear, at(&to, Branch::Continued), zone, "b");
            let then = then.map(|branch| step(MoveKind::Joint, at(&pose, branch), Zone::Stop, "c"));
            let program = MoveProgram {
                start: Some(q.as_slice().to_vec()),
                ..program([line].into_iter().chain(then).collect())
            };
            CellMoves::new(&program, &cell, 0.0)
        };
        let Ok(line) = way(Zone::Stop, None) else {
            continue;
        };
        let Ok(stops) = way(Zone::Stop, Some(Branch::NearestToStart)) else {
            continue;
        };
        let length = Vector3::from(by).norm();
        let begins = 1.0 - (radius / length).clamp(0.5, 1.0);
        let chosen = Vector6::from_column_slice(&stops.ends[2].q);
        let from_there = |share: f64| {
            let k = line.spans.iter().position(|span| share <= span.to).unwrap();
            let (segment, span) = (&line.trajectory.segments[k], &line.spans[k]);
            let s = (share - span.from) / (span.to - span.from);
            let near = Vector6::from_fn(|joint, _| segment.position(joint, s));
            let branch = Branch::NearestToStart;
            let found = choose_solution(&arm, &inverse, &pose, &branch, Some(&near));
            found.is_ok_and(|found| (found.q - chosen).amax() < 1e-6)
        };
        let shares = (0..=40).map(|k| begins + (1.0 - begins) * f64::from(k) / 40.0);
        let all = shares.into_iter().all(from_there);
        only_within += usize::from(!all && from_there(0.0) && from_there(1.0));
        match way(Zone::Ball(radius), Some(Branch::NearestToStart)) {
            Ok(found) => {
                assert!(
                    all,
                    "{q:?} {by:?}: another one is nearer from within the corner"
                );
                assert_eq!(found.ends[2].q, stops.ends[2].q);
                taken += 1;
            }
            Err(error) => {
                let said = error.to_string();
                left_open += usize::from(said.contains("depends on where it is by then"));
            }
        }
    }
    assert!(
        taken > 50 && left_open > 20 && only_within > 0,
        "{taken} taken, {left_open} left open, {only_within} only from within"
    );
}

/// Behind a point that stands twice the corner is that of the move before it.
#[test]
fn a_point_that_stands_twice_does_not_hide_the_corner() {
    let cell = ur();
    let last_at = |value: f64| {
        let mut q = HERE;
        q[5] = value;
        q
    };
    // From 3.2 rad it is 2.2 rad away, and from half way there (1.7 rad) a turn back is nearer.
    let far = last_at(3.2);
    let pose = arm(&cell).at(&Vector6::from(last_at(5.4))).tool;
    let told = |points: &[[f64; 6]]| {
        let mut moves: Vec<Move> = (points.iter())
            .map(|q| {
                step(
                    MoveKind::Joint,
                    Target::Joints(q.to_vec()),
                    Zone::Unknown,
                    "q",
                )
            })
            .collect();
        moves.push(step(
            MoveKind::Joint,
            at(&pose, Branch::NearestToStart),
            Zone::Stop,
            "p",
        ));
        for_cell(&program(moves), &cell)
            .map(|_| ())
            .map_err(|e| e.to_string())
    };
    for points in [&[far][..], &[far, far]] {
        let said = told(points).unwrap_err();
        assert!(said.contains("depends on where it is by then"), "{said}");
    }
}

/// Two balls that overlap on a line: a controller may leave out a point between them.
#[test]
fn balls_that_overlap_are_refused() {
    let cell = ur();
    let tip = here(&cell);
    let told = |radii: [f64; 2], kind: &MoveKind| {
        let target = |k: f64| at(&shifted(&tip, [0.0, 0.1 * k, 0.0]), Branch::Continued);
        let last = shifted(&tip, [0.0, 0.1, 0.1]);
        let mut moves = vec![
            step(
                MoveKind::Linear,
                at(&shifted(&tip, [0.0, 0.0, 0.1]), Branch::Continued),
                Zone::Stop,
                "z",
            ),
            step(MoveKind::Linear, target(0.0), Zone::Ball(radii[0]), "a"),
            step(MoveKind::Linear, target(1.0), Zone::Ball(radii[1]), "b"),
            step(
                MoveKind::Linear,
                at(&last, Branch::Continued),
                Zone::Stop,
                "c",
            ),
        ];
        moves[2].kind = kind.clone();
        if *kind == MoveKind::Joint {
            let end = reach(
                &arm(&cell),
                &shifted(&tip, [0.0, 0.1, 0.0]),
                &Vector6::from(HERE),
                30,
            );
            moves[2].target = Target::Joints(end.unwrap().as_slice().to_vec());
        }
        match for_cell(&program(moves), &cell) {
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        }
    };
    for kind in [MoveKind::Linear, MoveKind::Joint] {
        assert_eq!(told([0.03, 0.06], &kind), None);
        let said = told([0.06, 0.05], &kind).unwrap_or_default();
        assert!(said.contains("overlap"), "{said}");
    }
    // On a line they may touch.
    assert_eq!(told([0.04, 0.06], &MoveKind::Linear), None);
    assert!(told([0.04, 0.0601], &MoveKind::Linear).is_some());
}

/// Regression: where a point stands twice, or nearly so, a controller may take the zone of either, and
/// only the last one was asked about.
#[test]
fn balls_that_overlap_are_refused_where_a_point_stands_twice() {
    let cell = ur();
    let tip = here(&cell);
    let told = |first: &[(f64, Zone)], second: &[Zone]| {
        let line = |y: f64, zone: Zone| {
            let target = at(&shifted(&tip, [0.0, y, 0.0]), Branch::Continued);
            step(MoveKind::Linear, target, zone, "p")
        };
        let up = |y: f64| {
            let target = at(&shifted(&tip, [0.0, y, 0.1]), Branch::Continued);
            step(MoveKind::Linear, target, Zone::Stop, "up")
        };
        let mut moves = vec![up(0.0)];
        moves.extend(first.iter().map(|&(y, zone)| line(y, zone)));
        moves.extend(second.iter().map(|&zone| line(0.1, zone)));
        moves.push(up(0.1));
        let read = for_cell(&program(moves), &cell);
        read.err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    let (small, ball) = (Zone::Ball(0.01), Zone::Ball(0.06));
    let radius = Zone::Radius(0.01);
    assert_eq!(told(&[(0.0, small), (0.0, radius)], &[ball, radius]), "");
    // A stop among them is one.
    assert_eq!(told(&[(0.0, ball), (0.0, Zone::Stop)], &[ball]), "");
    for (first, second) in [
        (vec![(0.0, ball), (0.0, radius)], vec![ball]),
        (vec![(0.0, radius), (0.0, ball)], vec![ball]),
        (vec![(0.0, ball), (0.0, Zone::Unknown)], vec![ball]),
        (vec![(0.0, ball)], vec![radius, ball]),
        (vec![(0.0, ball), (5e-7, radius)], vec![ball]),
    ] {
        let said = told(&first, &second);
        assert!(said.contains("overlap"), "{first:?} {second:?}: {said}");
    }
}
