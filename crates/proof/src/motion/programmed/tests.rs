//! Programs of moves on arms, against poses that are solved one by one, and in cells with something
//! beside the way.

use nalgebra::{Isometry3, Translation3, Vector3, Vector6};

use super::*;
use crate::ProofError;
use crate::check::Checker;
use crate::check::bisection::CheckOptions;
use crate::geometry::random::Random;
use crate::model::moves::{Configuration, Speed};
use crate::model::{Body, Form};
use crate::motion::tool_line::tests::{arms, tool};
use crate::motion::tool_line::{reach, turn_between};
use crate::numeric::polynomial::value;
use crate::report::Verdict;

mod rest;
mod turning;

const HERE: [f64; 6] = [0.3, -1.0, 1.2, 0.4, 0.8, 0.2];

fn step(kind: MoveKind, target: Target, zone: Zone, label: &str) -> Move {
    Move {
        kind,
        target,
        tool: tool(),
        zone,
        speed: Speed::Unknown,
        label: label.to_owned(),
        routine: String::new(),
        place: Location {
            file: "test".to_owned(),
            line: Some(7),
            column: None,
        },
    }
}

fn program(moves: Vec<Move>) -> MoveProgram {
    MoveProgram {
        source: "test".into(),
        name: String::new(),
        robot: None,
        joints: (1..=6).map(|k| format!("j{k}")).collect(),
        start: Some(HERE.to_vec()),
        moves,
        beside_model: Default::default(),
        unknown: Vec::new(),
        passed_over: Vec::new(),
    }
}

fn world() -> Frame {
    Frame {
        link: "base".to_owned(),
        link_from_frame: Isometry3::identity(),
    }
}

fn at(pose: &Pose, branch: Branch) -> Target {
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(pose.rotation);
    Target::Pose {
        frame: world(),
        frame_from_tool: Isometry3::from_parts(
            Translation3::from(pose.translation),
            nalgebra::UnitQuaternion::from_rotation_matrix(&rotation),
        ),
        branch,
    }
}

fn arm(cell: &Cell) -> Arm {
    Arm::new(cell, &[0, 1, 2, 3, 4, 5], &tool()).unwrap()
}

fn ur() -> Cell {
    arms().remove(1).1
}

fn here(cell: &Cell) -> Pose {
    arm(cell).at(&Vector6::from(HERE)).tool
}

fn shifted(pose: &Pose, by: [f64; 3]) -> Pose {
    Pose {
        translation: pose.translation + Vector3::from(by),
        ..*pose
    }
}

fn lay(program: &MoveProgram, cell: &Cell) -> Result<CellMoves, ProofError> {
    CellMoves::new(program, cell, Assumptions::default())
}

fn verdict(cell: &Cell, path: &Path) -> Verdict {
    let checker = Checker::new(cell.clone());
    checker
        .check(path, 0.0, &CheckOptions::default())
        .unwrap()
        .verdict
}

/// The way over the speed, where there is one: of the tool's point, of the slowest joint by its own
/// greatest speed, of the joint that turns farthest.
#[test]
fn durations_are_those_of_the_stated_speeds() {
    let mut cell = ur();
    let b = shifted(&here(&cell), [0.03, 0.0, -0.04]);
    let mut q = HERE;
    (q[0], q[3]) = (q[0] + 0.5, q[3] - 0.2);
    let seconds = |cell: &Cell, kind: MoveKind, target: Target, speed: Speed| {
        let mut only = step(kind, target, Zone::Stop, "b");
        only.speed = speed;
        lay(&program(vec![only]), cell).unwrap().durations_s[0]
    };
    let line = || at(&b, Branch::Continued);
    let joints = || Target::Joints(q.to_vec());
    let near = |found: Option<f64>, expected: f64| {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-9, "{found}, {expected}");
    };
    near(
        seconds(&cell, MoveKind::Linear, line(), Speed::Tool(0.1)),
        0.5,
    );
    near(
        seconds(&cell, MoveKind::Linear, line(), Speed::Duration(7.0)),
        7.0,
    );
    near(
        seconds(&cell, MoveKind::Joint, joints(), Speed::Joint(0.25)),
        2.0,
    );
    assert_eq!(
        seconds(&cell, MoveKind::Joint, joints(), Speed::Unknown),
        None
    );
    // Two joints move, and one of them may be slow.
    cell.joints[0].limits.velocity = Some(1.0);
    cell.joints[3].limits.velocity = None;
    assert_eq!(
        seconds(&cell, MoveKind::Joint, joints(), Speed::Share(0.5)),
        None
    );
    cell.joints[3].limits.velocity = Some(0.1);
    near(
        seconds(&cell, MoveKind::Joint, joints(), Speed::Share(0.5)),
        4.0,
    );
    // Where only the tool turns, the speed of its point says nothing.
    let turned = PoseCurve::line(&here(&cell), &here(&cell)).unwrap();
    let turned = turned.turned(&Vector3::new(0.0, 0.0, 0.1)).at(0.0);
    let turned = at(&turned, Branch::Continued);
    assert_eq!(
        seconds(&cell, MoveKind::Linear, turned, Speed::Tool(0.1)),
        None
    );
}

#[test]
fn lines_carry_what_their_joint_curves_are_off_and_moves_join() {
    let cell = ur();
    let (a, b) = (here(&cell), shifted(&here(&cell), [0.05, 0.1, -0.2]));
    let joints = Target::Joints(vec![0.4, -1.1, 1.3, 0.4, 0.8, 0.2]);
    let moves = vec![
        step(MoveKind::Linear, at(&b, Branch::Continued), Zone::Stop, "b"),
        step(MoveKind::Joint, joints, Zone::Stop, "c"),
        step(
            MoveKind::Linear,
            at(&a, Branch::NearestToStart),
            Zone::Stop,
            "a",
        ),
    ];
    let assumed = Assumptions {
        orientation_tube: 0.0,
    };
    let laid = CellMoves::new(&program(moves), &cell, assumed).unwrap();
    assert_eq!(laid.stations.len(), 4);
    let arm = arm(&cell);
    let curve = PoseCurve::line(&a, &b).unwrap();
    let mut q = Vector6::from(HERE);
    for (segment, span) in laid.path.segments.iter().zip(&laid.spans) {
        if span.segment > 0 {
            break;
        }
        for n in 0..=20 {
            let s = f64::from(n) / 20.0;
            q = reach(&arm, &curve.at(span.at(s)), &q, 20).unwrap();
            for k in 0..6 {
                let off = (value(&segment.joints.of(k), s) - q[k]).abs();
                assert!(off <= segment.taken_over()[k], "{k} {s}: {off}");
                assert!(segment.taken_over()[k] < 1e-4);
            }
        }
    }
    // The end is reached by the joint values that the stations tell, and segments join.
    for (k, q) in laid.stations[3].q.iter().enumerate() {
        let last = laid.path.segments.last().unwrap();
        assert!((last.position(k, 1.0) - q).abs() < 1e-9);
    }
    for pair in laid.path.segments.windows(2) {
        assert_eq!(pair[0].end, pair[1].start);
        for k in 0..6 {
            assert!((pair[0].position(k, 1.0) - pair[1].position(k, 0.0)).abs() < 1e-9);
        }
    }
}

#[test]
fn another_branch_than_the_one_to_which_the_line_leads_is_refused() {
    let cell = ur();
    let arm = arm(&cell);
    let arrangement = Arrangement::new(&arm);
    let end = shifted(&here(&cell), [0.0, 0.1, 0.0]);
    let (mut kept, mut refused) = (0, 0);
    for q in arrangement.solutions(&arm, &end).all {
        let stated = Target::Joints(q.iter().copied().collect());
        let laid = lay(
            &program(vec![step(MoveKind::Linear, stated, Zone::Stop, "b")]),
            &cell,
        );
        match laid {
            Ok(_) => kept += 1,
            Err(e) => {
                assert!(e.to_string().contains("another configuration"), "{e}");
                assert!(e.to_string().contains(":7: "), "{e}");
                refused += 1;
            }
        }
    }
    assert!(kept == 1 && refused >= 3, "{kept} {refused}");
    let front = arrangement.in_front(&arm, &Vector6::from(HERE)).unwrap();
    for wanted in [front, !front] {
        let branch = Branch::Configuration(Configuration {
            in_front: Some(wanted),
            ..Configuration::default()
        });
        let moves = vec![step(MoveKind::Linear, at(&end, branch), Zone::Stop, "b")];
        assert_eq!(lay(&program(moves), &cell).is_ok(), wanted == front);
    }
}

#[test]
fn a_start_that_is_not_known_is_taken_from_the_first_target_and_said() {
    let cell = ur();
    let next = at(&shifted(&here(&cell), [0.0, 0.1, 0.0]), Branch::Continued);
    let first = |target| {
        let moves = vec![
            step(MoveKind::Joint, target, Zone::Stop, "a"),
            step(MoveKind::Linear, next.clone(), Zone::Stop, "b"),
        ];
        let mut program = program(moves);
        program.start = None;
        lay(&program, &cell)
    };
    let laid = first(Target::Joints(HERE.to_vec())).unwrap();
    assert!(laid.from_first_target);
    assert_eq!(laid.stations.len(), 2);
    let near = Branch::NearestTo(HERE.map(|x| x + 0.01).to_vec());
    assert!(first(at(&here(&cell), near)).unwrap().from_first_target);
    let error = first(at(&here(&cell), Branch::NearestToStart)).unwrap_err();
    assert!(
        error.to_string().contains("where the arm is before"),
        "{error}"
    );
}

fn plate(cell: &mut Cell, name: &str, size: [f64; 3], place: Vector3<f64>) {
    let form = Form::Box {
        size: Vector3::from(size),
    };
    let place = Isometry3::from_parts(Translation3::from(place), Default::default());
    cell.add_body(Body::obstacle(name, form, place));
}

/// The flange is a ball of 10 mm; the line of its centre is straight, as the tool does not turn.
#[test]
fn a_thin_plate_beside_a_line_is_found_where_it_touches_and_nowhere_else() {
    let cell = ur();
    let (a, b) = (here(&cell), shifted(&here(&cell), [0.0, 0.3, -0.1]));
    let moves = vec![step(
        MoveKind::Linear,
        at(&b, Branch::Continued),
        Zone::Stop,
        "b",
    )];
    let program = program(moves);
    let flange = Frame {
        link_from_frame: Isometry3::identity(),
        ..tool()
    };
    let centre = Arm::new(&cell, &[0, 1, 2, 3, 4, 5], &flange).unwrap();
    let start = centre.at(&Vector6::from(HERE)).tool.translation;
    let middle = start + 0.5 * (b.translation - a.translation);
    let aside = Vector3::new(1.0, 0.0, 0.0);
    for (gap, expected) in [(0.0002, Verdict::Clear), (-0.0002, Verdict::Collision)] {
        let mut cell = cell.clone();
        let place = middle + aside * (0.010 + 0.0005 + gap);
        plate(&mut cell, "plate", [0.001, 0.02, 0.02], place);
        let laid = lay(&program, &cell).unwrap();
        assert_eq!(verdict(&cell, &laid.path), expected, "{gap}");
    }
}

/// The move behind the corner is 0.18 m long, the one before it 0.2 m.
#[test]
fn a_zone_that_holds_a_whole_move_is_told() {
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
        let laid = lay(&program(moves), &cell).unwrap();
        assert_eq!(laid.corners[0].holds_a_move, holds, "{zone:?}");
    }
}

/// Points of a corner's hull, solved one by one, lie in its strips.
#[test]
fn strips_cover_the_hull_of_a_corner() {
    let cell = ur();
    let arm = arm(&cell);
    let (a, b) = (here(&cell), shifted(&here(&cell), [0.0, 0.2, 0.0]));
    let mut c = shifted(&b, [0.15, 0.0, -0.1]);
    c.rotation = crate::motion::joint_poses::rotation(&Vector3::y_axis(), 0.02) * c.rotation;
    let mut random = Random(9);
    for (zone, radius, most) in [
        (Zone::Radius(0.04), 0.04, 0.5),
        (Zone::Unknown, f64::INFINITY, 0.5),
        (Zone::Radius(0.15), 0.15, 0.5),
        (Zone::Ball(0.15), 0.15, 1.0),
    ] {
        let moves = vec![
            step(MoveKind::Linear, at(&b, Branch::Continued), zone, "b"),
            step(MoveKind::Linear, at(&c, Branch::Continued), Zone::Stop, "c"),
        ];
        let laid = lay(&program(moves), &cell).unwrap();
        let [corner] = &laid.corners[..] else {
            panic!("{:?}", laid.corners.len())
        };
        assert_eq!(corner.sized, radius.is_finite());
        assert!(!corner.holds_a_move);
        // Wide strips leave joint values uncertain: then they are refused.
        let mut counts = [16, 32, 64, 128, 256].into_iter();
        let strips = counts.find_map(|n| corner.strips(n, &[]).ok()).unwrap();
        let toward = |end: &Pose| {
            let length = (end.translation - b.translation).norm();
            let share = (radius / length).min(most);
            PoseCurve::line(&b, end).unwrap().at(share)
        };
        let (e, x) = (toward(&a), toward(&c));
        let tip = Vector6::from_iterator(laid.stations[1].q.iter().copied());
        for _ in 0..300 {
            let (lambda, t) = (random.unit(), random.unit());
            let on = |end: &Pose| PoseCurve::line(&b, end).unwrap().at(lambda);
            let pose = PoseCurve::line(&on(&e), &on(&x)).unwrap().at(t);
            let q = reach(&arm, &pose, &tip, 30).unwrap();
            let covered = strips.iter().flat_map(|s| &s.path.segments).any(|segment| {
                (0..=400).any(|n| {
                    let s = f64::from(n) / 400.0;
                    // Between the 401 instants joints go less than this.
                    let near = |k: usize| {
                        let c = &segment.joints.of(k);
                        let step = c[1..].iter().map(|x| x.abs()).sum::<f64>() / 400.0;
                        (value(c, s) - q[k]).abs() <= segment.taken_over()[k] + step
                    };
                    (0..6).all(near)
                })
            });
            assert!(covered, "{lambda} {t}");
        }
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
    let exact = lay(&program(moves(Zone::Stop)), &cell).unwrap();
    assert!(exact.corners.is_empty());
    assert_eq!(verdict(&cell, &exact.path), Verdict::Clear);
    let rounded = lay(&program(moves(Zone::Unknown)), &cell).unwrap();
    assert_eq!(verdict(&cell, &rounded.path), Verdict::Clear);
    let [corner] = &rounded.corners[..] else {
        panic!("{}", rounded.corners.len())
    };
    let strips = corner.strips(16, &[]).unwrap();
    assert!(
        strips
            .iter()
            .any(|s| verdict(&cell, &s.path) != Verdict::Clear)
    );
    // Without the peg every strip is proved: strips are no wider than they must be.
    let free = ur();
    assert!(
        strips
            .iter()
            .all(|s| verdict(&free, &s.path) == Verdict::Clear)
    );
    // A zone that ends before the peg does not reach it.
    let small = lay(&program(moves(Zone::Radius(0.01))), &cell).unwrap();
    let strips = small.corners[0].strips(16, &[]).unwrap();
    assert!(
        strips
            .iter()
            .all(|s| verdict(&cell, &s.path) == Verdict::Clear)
    );
}

#[test]
fn what_is_not_known_of_a_program_is_refused_with_its_line() {
    let cell = ur();
    let turned = Pose {
        rotation: crate::motion::joint_poses::rotation(&Vector3::z_axis(), 3.1)
            * here(&cell).rotation,
        ..here(&cell)
    };
    assert!(turn_between(&here(&cell).rotation, &turned.rotation).1 > 3.0);
    let far = shifted(&here(&cell), [5.0, 0.0, 0.0]);
    let cases = [
        (
            MoveKind::Linear,
            at(&turned, Branch::Continued),
            "nearly 180°",
        ),
        (MoveKind::Linear, at(&far, Branch::Continued), "of the way"),
        (
            MoveKind::Joint,
            at(&far, Branch::NearestToStart),
            "out of reach",
        ),
        (
            MoveKind::Joint,
            at(&here(&cell), Branch::Continued),
            "none is",
        ),
        (
            MoveKind::Joint,
            Target::Joints(vec![0.0; 5]),
            "5 joint values",
        ),
        (
            MoveKind::Joint,
            Target::Joints(vec![f64::NAN; 6]),
            "too large",
        ),
    ];
    for (kind, target, expected) in cases {
        let error = lay(&program(vec![step(kind, target, Zone::Stop, "b")]), &cell).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.to_string().contains(":7: "), "{error}");
    }
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
                Target::Joints(turned(1.2).to_vec()),
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
        lay(&program(moves), &cell)
    };
    // Nearly half a turn from the tip of the corner, and more than that from where it begins.
    assert!(goes(Zone::Stop, 4.1).is_ok());
    let told = goes(Zone::Unknown, 4.1).unwrap_err().to_string();
    assert!(told.contains("a corner that it rounds"), "{told}");
    assert!(goes(Zone::Unknown, 3.5).is_ok());
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
        lay(&program(moves), &cell)
    };
    let told = goes(Zone::Ball(0.005), 0.01).unwrap_err().to_string();
    assert!(told.contains("the tool changes"), "{told}");
    assert!(goes(Zone::Ball(0.005), 0.0).is_ok());
    assert!(goes(Zone::Stop, 0.01).is_ok());
}
