//! Programs of moves on arms, against poses that are solved one by one, and in cells with something
//! beside the way.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};

use super::*;
use crate::ProofError;
use crate::check::Checker;
use crate::check::bisection::CheckOptions;
use crate::geometry::pose::Pose;
use crate::geometry::random::Random;
use crate::model::moves::{Branch, Configuration, ConfigurationRange, Speed, Target};
use crate::model::{Body, Form};
use crate::motion::tool_line::tests::{arms, tool};
use crate::motion::tool_line::{InverseKinematics, reach, turn_between};
use crate::numeric::polynomial::value;
use crate::report::Verdict;

mod arcs;
mod cells;
mod corners;
mod early;
mod grips;
mod half_corners;
mod leads;
mod near;
mod own_model;
mod rest;
mod sums;
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
        goes_round: false,
        turn_lead: 0.0,
        model_difference: Default::default(),
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

fn for_cell(program: &MoveProgram, cell: &Cell) -> Result<CellMoves, ProofError> {
    CellMoves::new(program, cell, 0.1)
}

fn verdict(cell: &Cell, trajectory: &Trajectory) -> Verdict {
    let checker = Checker::new(cell.clone());
    checker
        .check(trajectory, 0.0, &CheckOptions::default())
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
        for_cell(&program(vec![only]), cell).unwrap().durations_s[0]
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
    let moves = CellMoves::new(&program(moves), &cell, 0.0).unwrap();
    assert_eq!(moves.ends.len(), 4);
    let arm = arm(&cell);
    let curve = PoseCurve::line(&a, &b).unwrap();
    let mut q = Vector6::from(HERE);
    for (segment, span) in moves.trajectory.segments.iter().zip(&moves.spans) {
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
    // The end is reached by the joint values that `ends` tell, and segments join.
    for (k, q) in moves.ends[3].q.iter().enumerate() {
        let last = moves.trajectory.segments.last().unwrap();
        assert!((last.position(k, 1.0) - q).abs() < 1e-9);
    }
    for pair in moves.trajectory.segments.windows(2) {
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
    let inverse = InverseKinematics::new(&arm);
    let end = shifted(&here(&cell), [0.0, 0.1, 0.0]);
    let (mut kept, mut refused) = (0, 0);
    for q in inverse.solutions(&arm, &end).all {
        let stated = Target::Joints(q.iter().copied().collect());
        let moves = for_cell(
            &program(vec![step(MoveKind::Linear, stated, Zone::Stop, "b")]),
            &cell,
        );
        match moves {
            Ok(_) => kept += 1,
            Err(e) => {
                assert!(e.to_string().contains("another configuration"), "{e}");
                assert!(e.to_string().contains(":7: "), "{e}");
                refused += 1;
            }
        }
    }
    assert!(kept == 1 && refused >= 3, "{kept} {refused}");
    let front = inverse.in_front(&arm, &Vector6::from(HERE)).unwrap();
    for wanted in [front, !front] {
        let branch = Branch::Configuration(Configuration {
            in_front: Some(wanted),
            ..Configuration::default()
        });
        let moves = vec![step(MoveKind::Linear, at(&end, branch), Zone::Stop, "b")];
        assert_eq!(for_cell(&program(moves), &cell).is_ok(), wanted == front);
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
        for_cell(&program, &cell)
    };
    let moves = first(Target::Joints(HERE.to_vec())).unwrap();
    assert!(moves.from_first_target);
    assert_eq!(moves.ends.len(), 2);
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
        let moves = for_cell(&program, &cell).unwrap();
        assert_eq!(verdict(&cell, &moves.trajectory), expected, "{gap}");
    }
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
    let nowhere = ConfigurationRange {
        joint: 0,
        from: 9.0,
        to: 9.1,
    };
    let unreached = Branch::Configuration(Configuration {
        ranges: vec![nowhere],
        ..Configuration::default()
    });
    let cases = [
        // What it may have meant is told: the solutions that there are.
        (
            MoveKind::Joint,
            at(&here(&cell), unreached),
            "[17.2 -57.3 68.8 22.9 45.8 11.5]",
        ),
        (
            MoveKind::Linear,
            at(&turned, Branch::Continued),
            "nearly 180°",
        ),
        // Regression: it was said to come near a singularity, and points between were asked for.
        (
            MoveKind::Linear,
            at(&far, Branch::Continued),
            "m from the arm's first joint",
        ),
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
        let error =
            for_cell(&program(vec![step(kind, target, Zone::Stop, "b")]), &cell).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.to_string().contains(":7: "), "{error}");
    }
}

/// Catches a tube that does not hold a turn of the tool's axis together with a turn about it.
#[test]
fn the_usual_tube_holds_two_turns_at_once() {
    let about = |axis: Vector3<f64>, angle: f64| UnitQuaternion::from_scaled_axis(axis * angle);
    for swing in (0..=175).step_by(5).map(f64::from) {
        for roll in (-175..=175).step_by(5).map(f64::from) {
            let law = |share: f64| {
                about(Vector3::y(), share * swing.to_radians())
                    * about(Vector3::x(), share * roll.to_radians())
            };
            let turn = law(1.0).angle();
            let tube = CellMoves::orientation_tube(CellMoves::USUAL_TUBE, turn);
            for share in (1..20).map(|k| f64::from(k) / 20.0) {
                let even = law(1.0).powf(share);
                let off = even.angle_to(&law(share));
                assert!(
                    off <= tube + 1e-6,
                    "{swing}, {roll}, {share}: {off}, {tube}"
                );
            }
        }
    }
    // Who says that a controller turns evenly is believed.
    assert_eq!(CellMoves::orientation_tube(0.0, 2.0), 0.0);
    assert_eq!(CellMoves::orientation_tube(0.05, 2.0), 0.1);
}
