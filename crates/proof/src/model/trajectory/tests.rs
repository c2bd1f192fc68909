//! Programs for a small cell, and what their trajectories do.

use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;

use super::*;
use crate::model::*;

mod measured;
mod numbers;

fn joint(name: &str, robot: usize, kind: JointKind, position: Option<(f64, f64)>) -> Joint {
    Joint {
        name: name.into(),
        robot,
        parent: None,
        parent_from_joint: Isometry3::identity(),
        axis: Vector3::z_axis(),
        kind,
        limits: Limits {
            acceleration: None,
            position,
            velocity: None,
        },
        mimic: None,
    }
}

/// shoulder (±π), elbow (±π), spin (continuous), rail (slides), finger (slides), thumb (mimics
/// finger: −2·q + 0.1).
fn cell() -> Cell {
    let half_turn = Some((-std::f64::consts::PI, std::f64::consts::PI));
    let mut joints = vec![
        joint("shoulder", 0, JointKind::Revolute, half_turn),
        joint("elbow", 0, JointKind::Revolute, half_turn),
        joint("spin", 0, JointKind::Continuous, None),
        joint("rail", 0, JointKind::Prismatic, Some((0.0, 2.0))),
        joint("finger", 0, JointKind::Prismatic, None),
        joint("thumb", 0, JointKind::Prismatic, None),
    ];
    joints[5].mimic = Some(Mimic {
        source: 4,
        multiplier: -2.0,
        offset: 0.1,
    });
    Cell {
        robots: vec![Robot {
            name: "arm".into(),
            urdf: "arm.urdf".into(),
            world_from_base: Isometry3::identity(),
        }],
        joints,
        rest: vec![0.1, 0.2, 0.3, 0.4, 0.02, 0.06],
        ..Cell::default()
    }
}

fn program(names: &[&str], rows: &[(f64, &[f64])]) -> Program {
    Program {
        source: "p.csv".into(),
        columns: names
            .iter()
            .map(|n| Column {
                joint: (*n).into(),
                line: Some(1),
                quantity: Quantity::Unstated,
            })
            .collect(),
        waypoints: rows
            .iter()
            .enumerate()
            .map(|(i, (time, positions))| Waypoint::new(*time, *positions, i + 2))
            .collect(),
        timed: true,
        ..Program::default()
    }
}

/// `spin` in radians, with velocities where they are given: (time, position, velocity).
fn spinning(rows: &[(f64, f64, Option<f64>)]) -> Program {
    let positions: Vec<(f64, [f64; 1])> = rows.iter().map(|r| (r.0, [r.1])).collect();
    let positions: Vec<(f64, &[f64])> = positions.iter().map(|r| (r.0, &r.1[..])).collect();
    let mut program = program(&["spin"], &positions);
    program.columns[0].quantity = Quantity::Angle;
    for (waypoint, row) in program.waypoints.iter_mut().zip(rows) {
        waypoint.velocities = row.2.map(|v| Box::from([v]));
    }
    program
}

/// A joint is found by its name in any order; an error about a fixed joint says that it is fixed.
#[test]
fn names_of_joints_are_looked_up() {
    let mut cell = cell();
    cell.fixed.push((0, "flange".into()));
    for name in ["flange", "arm/flange"] {
        let said = CellTrajectory::new(&program(&[name], &[(0.0, &[0.0])]), &cell, None);
        let said = said.unwrap_err().to_string();
        assert!(
            said.contains("is fixed in the URDF; leave it out"),
            "{said}"
        );
    }
    assert!(!cell.is_fixed("other/flange") && !cell.is_fixed("elbow"));
    assert_eq!(cell.joints_named("arm/elbow")[..], [1]);
    assert_eq!(cell.joints_named("elbow")[..], [1]);
    assert!(cell.joints_named("leg/elbow").is_empty());
}

fn problem(program: &Program) -> String {
    Trajectory::for_cell(program, &cell(), None)
        .unwrap_err()
        .to_string()
}

#[test]
fn straight_lines_rest_and_mimic() {
    let p = program(
        &["finger", "elbow"],
        &[
            (0.0, &[0.0, 1.0]),
            (2.0, &[0.05, -1.0]),
            (3.0, &[0.05, 0.0]),
        ],
    );
    let (trajectory, remarks) = Trajectory::for_cell(&p, &cell(), None).unwrap();
    assert_eq!(trajectory.interpolation, Interpolation::Linear);
    assert_eq!(trajectory.duration(), 3.0);
    let mut q = vec![9.0];
    trajectory.segments[0].configuration(0.5, &mut q);
    assert_eq!(q, vec![0.1, 0.0, 0.3, 0.4, 0.025, 0.05]);
    assert_eq!(trajectory.locate(-1.0), MotionInstant::START);
    assert_eq!(trajectory.locate(1.0), MotionInstant::new(0, 0.5));
    assert_eq!(trajectory.locate(2.0), MotionInstant::new(1, 0.0));
    assert_eq!(trajectory.locate(9.0), MotionInstant::new(1, 1.0));
    assert_eq!(remarks.len(), 1);
    assert_eq!(
        remarks[0].message,
        "kept at the cell's values: shoulder = 5.73°, spin = 17.19°, rail = 400 mm"
    );
    assert!(!remarks[0].is_open());
}

#[test]
fn one_waypoint_stands_still() {
    let mut p = program(&["elbow"], &[(0.5, &[1.0])]);
    p.waypoints[0].velocities = Some([3.0].into());
    let (trajectory, remarks) = Trajectory::for_cell(&p, &cell(), None).unwrap();
    assert_eq!(trajectory.segments.len(), 1);
    assert_eq!(trajectory.duration(), 0.0);
    assert_eq!(trajectory.locate(0.5), MotionInstant::START);
    assert_eq!(trajectory.segments[0].position(1, 1.0), 1.0);
    assert!(
        remarks
            .iter()
            .any(|r| r.message.contains("starts at 0.5 s"))
    );
}

#[test]
fn names_that_do_not_fit() {
    assert_eq!(
        problem(&program(&["elbw"], &[(0.0, &[0.0])])),
        "p.csv:1: unknown joint `elbw`; did you mean `elbow`?"
    );
    let far = problem(&program(&["zzzzzzzz"], &[(0.0, &[0.0])]));
    assert!(far.contains("the cell's movable joints are") && far.contains("`shoulder`"));
    assert!(
        problem(&program(&["elbow", "arm/elbow"], &[(0.0, &[0.0, 0.0])]))
            .contains("are the same joint")
    );
    let mut slides = program(&["rail"], &[(0.0, &[0.0])]);
    slides.columns[0].quantity = Quantity::Angle;
    assert!(problem(&slides).contains("slides, but its unit is an angle"));
    slides.columns[0] = Column {
        joint: "elbow".into(),
        line: Some(1),
        quantity: Quantity::Length,
    };
    assert!(problem(&slides).contains("turns, but its unit is a length"));
}

/// Catches degrees that are taken for radians because the unit is to be left out, and a column of
/// times that is to be called as a joint.
#[test]
fn units_in_names_and_other_names_for_the_time_are_told() {
    let said = |name: &str, quantity| {
        let mut one = program(&[name], &[(0.0, &[0.0])]);
        one.columns[0].quantity = quantity;
        problem(&one)
    };
    for (name, remedy) in [
        ("elbow_deg", "write `elbow[deg]`"),
        ("elbow deg", "write `elbow[deg]`"),
        ("arm/elbow-degrees", "write `arm/elbow[deg]`"),
        ("rail_mm", "write `rail[mm]`"),
        ("rail MM", "write `rail[mm]`"),
        (
            "t",
            "call it `time`; `time[ms]` where they are milliseconds",
        ),
        ("Timestamp", "call it `time`"),
        ("time_ms", "call it `time[ms]`"),
    ] {
        let csv = said(name, Quantity::Unstated);
        assert!(csv.contains(remedy), "{name}: {csv}");
        assert!(!csv.contains("did you mean"), "{name}: {csv}");
    }
    for (name, remedy) in [
        ("elbow[deg]", "name it `elbow`, and convert its values"),
        ("rail_mm", "radians and metres, whatever the name says"),
        ("elbm", "did you mean `elbow`?"),
        ("t", "the cell's movable joints are"),
    ] {
        let message = said(name, Quantity::Message);
        assert!(message.contains(remedy), "{name}: {message}");
    }
}

#[test]
fn two_robots_need_their_names() {
    let mut two = cell();
    two.robots.push(Robot {
        name: "other".into(),
        urdf: "o.urdf".into(),
        world_from_base: Isometry3::identity(),
    });
    two.joints
        .push(joint("elbow", 1, JointKind::Revolute, None));
    two.joints.push(joint("only", 1, JointKind::Revolute, None));
    two.rest.extend([0.0, 0.0]);
    let bare = Trajectory::for_cell(&program(&["elbow"], &[(0.0, &[1.0])]), &two, None)
        .unwrap_err()
        .to_string();
    assert_eq!(
        bare,
        "p.csv:1: joint `elbow` belongs to several robots; write `arm/elbow` or `other/elbow`"
    );
    let (trajectory, _) = Trajectory::for_cell(
        &program(&["other/elbow", "only"], &[(0.0, &[1.0, 2.0])]),
        &two,
        None,
    )
    .unwrap();
    assert_eq!(trajectory.segments[0].position(6, 0.0), 1.0);
    assert_eq!(trajectory.segments[0].position(7, 0.0), 2.0);
}

/// Regression: the remedy named what was refused just now.
#[test]
fn a_joint_that_is_called_as_another_one_in_full_is_told_apart() {
    let mut two = cell();
    two.robots.push(Robot {
        name: "other".into(),
        urdf: "o.urdf".into(),
        world_from_base: Isometry3::identity(),
    });
    let double = joint("arm/elbow", 1, JointKind::Revolute, None);
    two.joints.push(double);
    two.rest.push(0.0);
    let said = |name: &str, cell: &Cell| {
        let made = Trajectory::for_cell(&program(&[name], &[(0.0, &[1.0])]), cell, None);
        made.map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(
        said("arm/elbow", &two).unwrap_err(),
        "p.csv:1: joint `arm/elbow` belongs to several robots; write `other/arm/elbow`, or give robot `arm` another name"
    );
    assert_eq!(said("other/arm/elbow", &two), Ok(()));
    two.robots[0].name = "first".into();
    assert_eq!(said("first/elbow", &two), Ok(()));
    assert_eq!(said("arm/elbow", &two), Ok(()));
}

#[test]
fn mimic_joints_may_be_named_when_they_obey() {
    let good = program(
        &["finger", "thumb"],
        &[(0.0, &[0.0, 0.1]), (1.0, &[0.05, 0.0])],
    );
    let (_, remarks) = Trajectory::for_cell(&good, &cell(), None).unwrap();
    assert!(
        remarks
            .iter()
            .any(|r| r.subject == "thumb" && r.message.contains("follows `finger`"))
    );
    let bad = program(
        &["finger", "thumb"],
        &[(0.0, &[0.0, 0.1]), (1.0, &[0.05, 0.05])],
    );
    assert!(problem(&bad).starts_with("p.csv:3: `thumb` follows `finger` and must be 0"));
    assert!(
        problem(&program(&["thumb"], &[(0.0, &[0.5])])).contains("name `finger` in the program")
    );
}

/// Regression: only positions were compared, and controllers interpolate what the program states.
/// Regression: the remedy was to change what was recorded.
#[test]
fn measured_joints_that_follow_are_to_be_left_out() {
    let said = |names: &[&str], row: &[f64]| {
        let mut measured = program(names, &[(0.0, row)]);
        let columns = measured.columns.iter_mut();
        columns.for_each(|column| column.quantity = Quantity::Measured);
        let made = Trajectory::for_cell(&measured, &cell(), None);
        made.unwrap_err().to_string()
    };
    let with_leader = said(&["elbow", "thumb", "finger"], &[0.0, 0.10001, 0.0]);
    let remedy = "; leave `thumb` out, which follows in any case: `--joint-columns elbow,finger`";
    assert!(with_leader.ends_with(remedy), "{with_leader}");
    let alone = said(&["elbow", "thumb"], &[0.0, 0.5]);
    let remedy = "; leave `thumb` out: name the joints that lead by `--joint-columns`, with `finger`; where it was not recorded, \
                  the cell file has to state where it stands";
    assert!(alone.ends_with(remedy), "{alone}");
    let mut opens = program(&["thumb"], &[(0.0, &[0.5]), (1.0, &[0.6])]);
    opens.columns[0].quantity = Quantity::Measured;
    let said = Trajectory::for_cell(&opens, &cell(), None).unwrap_err();
    assert!(said.to_string().contains("record `finger`"), "{said}");
}

#[test]
fn mimic_joints_obey_in_velocity_and_acceleration_too() {
    let names = ["finger", "thumb"];
    let mut path = program(&names, &[(0.0, &[0.0, 0.1]), (2.0, &[0.05, 0.0])]);
    let mut state = |velocity: f64, acceleration: Option<f64>| {
        for w in &mut path.waypoints {
            w.velocities = Some([0.3, velocity].into());
            w.accelerations = acceleration.map(|a| [0.4, a].into());
        }
        Trajectory::for_cell(&path, &cell(), None).map_err(|e| e.to_string())
    };
    assert_eq!(state(-0.6, None).err(), None);
    assert_eq!(state(-0.6, Some(-0.8)).err(), None);
    // Six decimals, times two: a cubic of 2 s is off by 4/27 · 2 s · 1.5e-6 m/s at most.
    assert_eq!(state(-0.6 + 1.5e-6, None).err(), None);
    assert_eq!(state(-0.6 + 1.5e-6, Some(-0.8 + 2e-6)).err(), None);
    let refused = state(-0.6 + 4e-6, None).unwrap_err();
    assert!(
        refused.contains("(a difference of 4.0e-6 m/s)"),
        "{refused}"
    );
    let refused = state(-0.5, None).unwrap_err();
    let due = "`thumb` follows `finger`, and its velocity must be -600 mm/s here, but is -500 mm/s";
    assert!(refused.contains(due), "{refused}");
    let refused = state(-0.6, Some(0.8)).unwrap_err();
    assert!(
        refused.contains("its acceleration must be -800 mm/s²"),
        "{refused}"
    );
    // Straight lines use neither.
    let straight = Trajectory::for_cell(&path, &cell(), Some(Interpolation::Linear));
    assert!(straight.is_ok());
    // A follower by itself: what it follows stands.
    let mut alone = program(&["thumb"], &[(0.0, &[0.06]), (1.0, &[0.06])]);
    for w in &mut alone.waypoints {
        w.velocities = Some([6.0].into());
    }
    assert!(problem(&alone).contains("its velocity must be 0"));
}

#[test]
fn degrees_are_recognised_and_radians_are_not_mistaken() {
    let degrees = program(
        &["shoulder", "elbow"],
        &[(0.0, &[0.0, 5.0]), (1.0, &[-90.0, 45.0])],
    );
    assert!(
        problem(&degrees).starts_with("p.csv:3: joint values look like degrees: `shoulder` is -90")
    );
    assert!(problem(&degrees).contains("write `shoulder[deg]`"));
    // A continuous joint: beyond 25 rad unless the unit is stated, and never in a message.
    let mut spin = program(&["spin"], &[(0.0, &[0.0]), (1.0, &[30.0])]);
    assert!(problem(&spin).contains("`spin[rad]` if not"));
    for quantity in [Quantity::Angle, Quantity::Message] {
        spin.columns[0].quantity = quantity;
        assert!(Trajectory::for_cell(&spin, &cell(), None).is_ok());
    }
    let mut message = degrees.clone();
    message
        .columns
        .iter_mut()
        .for_each(|c| c.quantity = Quantity::Message);
    assert!(
        problem(&message).contains("taken as radians: convert them (-90 degrees are -1.5708 rad)")
    );
    for fine in [
        // Multi-turn below 25 rad; a limit that is merely violated; a slide in millimetres by
        // mistake is not an angle; values that are out of limits as degrees too.
        program(&["spin"], &[(0.0, &[-24.9]), (1.0, &[24.9])]),
        program(&["shoulder"], &[(0.0, &[5.0])]),
        program(&["rail"], &[(0.0, &[500.0])]),
        program(&["shoulder", "elbow"], &[(0.0, &[90.0, 1000.0])]),
    ] {
        assert!(
            Trajectory::for_cell(&fine, &cell(), None).is_ok(),
            "{fine:?}"
        );
    }
}

#[test]
fn the_interpolation_belongs_to_the_fields() {
    let mut p = program(&["elbow"], &[(0.0, &[0.0]), (1.0, &[1.0])]);
    let interpolation_of = |p: &Program, interpolation| {
        Trajectory::for_cell(p, &cell(), interpolation)
            .map(|(trajectory, _)| trajectory.interpolation)
    };
    let text =
        |p: &Program, interpolation| interpolation_of(p, interpolation).unwrap_err().to_string();
    assert_eq!(interpolation_of(&p, None), Ok(Interpolation::Linear));
    assert!(text(&p, Some(Interpolation::Cubic)).contains("needs velocities, and waypoint 1"));
    p.waypoints[0].velocities = Some([0.0].into());
    assert!(
        text(&p, None).starts_with("p.csv:3: cubic interpolation needs velocities, and waypoint 2")
    );
    p.waypoints[1].velocities = Some([0.0].into());
    assert_eq!(interpolation_of(&p, None), Ok(Interpolation::Cubic));
    assert_eq!(
        interpolation_of(&p, Some(Interpolation::Linear)),
        Ok(Interpolation::Linear)
    );
    assert!(text(&p, Some(Interpolation::Quintic)).contains("needs accelerations"));
    p.waypoints
        .iter_mut()
        .for_each(|w| w.accelerations = Some([0.0].into()));
    assert_eq!(interpolation_of(&p, None), Ok(Interpolation::Quintic));
    assert_eq!(
        interpolation_of(&p, Some(Interpolation::Cubic)),
        Ok(Interpolation::Cubic)
    );
    p.timed = false;
    assert!(text(&p, None).contains("needs times"));
    assert_eq!(
        interpolation_of(&p, Some(Interpolation::Linear)),
        Ok(Interpolation::Linear)
    );
}

/// n-th derivative of c by s, at s.
fn derivative(c: &Polynomial, order: u32, s: f64) -> f64 {
    (0..6u32)
        .filter(|k| *k >= order)
        .map(|k| {
            let falling: u32 = (0..order).map(|i| k - i).product();
            f64::from(falling) * c[k as usize] * s.powi((k - order) as i32)
        })
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The defining property of each interpolation: it meets positions, velocities and
    /// accelerations at both ends.
    #[test]
    fn interpolations_meet_their_waypoints(
        p in prop::array::uniform2(-3.0..3.0_f64),
        v in prop::array::uniform2(-5.0..5.0_f64),
        a in prop::array::uniform2(-9.0..9.0_f64),
        start in 0.0..100.0_f64,
        duration in 0.001..20.0_f64,
    ) {
        let mut program = program(&["elbow"], &[(start, &[p[0]]), (start + duration, &[p[1]])]);
        for (i, w) in program.waypoints.iter_mut().enumerate() {
            w.velocities = Some([v[i]].into());
            w.accelerations = Some([a[i]].into());
        }
        for (interpolation, orders) in [(Interpolation::Linear, 0), (Interpolation::Cubic, 1), (Interpolation::Quintic, 2)] {
            let (trajectory, _) = Trajectory::for_cell(&program, &cell(), Some(interpolation)).unwrap();
            let segment = &trajectory.segments[0];
            let t = segment.duration();
            let c = &segment.joints.of(1);
            let size: f64 = c.iter().map(|x| x.abs()).sum();
            for (i, s) in [0.0, 1.0].into_iter().enumerate() {
                prop_assert!((segment.position(1, s) - p[i]).abs() <= 1e-13 * size);
                if orders >= 1 {
                    prop_assert!((derivative(c, 1, s) - v[i] * t).abs() <= 1e-12 * size);
                }
                if orders >= 2 {
                    prop_assert!((derivative(c, 2, s) - a[i] * t * t).abs() <= 1e-11 * size);
                }
            }
        }
    }
}

/// A continuous joint that goes from 3.1 to −3.1 rad turns all the way back; the report says so,
/// with the line.
#[test]
fn nothing_is_wrapped_and_whole_turns_are_remarked() {
    let p = program(
        &["spin", "rail"],
        &[(0.0, &[3.1, 0.0]), (1.0, &[-3.1, 1.0])],
    );
    let (trajectory, remarks) = Trajectory::for_cell(&p, &cell(), None).unwrap();
    let made = CellTrajectory::new(&p, &cell(), None).unwrap();
    let turns: Vec<_> = made.full_turns.iter().map(|t| (t.turns, t.line)).collect();
    assert_eq!(turns, [(-1.0, 3)]);
    assert!(trajectory.segments[0].position(2, 0.5).abs() < 1e-15);
    let said: Vec<_> = remarks.iter().filter(|r| r.subject == "p.csv:3").collect();
    assert!(
        said.len() == 1 && said[0].message.contains("about a full turn") && !said[0].is_open(),
        "{remarks:?}"
    );
    // Half a turn, and a rail that goes 6.2 m, are nothing special.
    let p = program(&["spin", "rail"], &[(0.0, &[3.1, 0.0]), (1.0, &[0.0, 6.2])]);
    let (_, remarks) = Trajectory::for_cell(&p, &cell(), None).unwrap();
    assert!(
        remarks.iter().all(|r| r.subject != "p.csv:3"),
        "{remarks:?}"
    );
}

/// Catches a name that means another joint in a program than where many names are looked up.
#[test]
fn names_mean_the_same_one_by_one_and_all_at_once() {
    let mut cell = cell();
    let robot = |name: &str| Robot {
        name: name.into(),
        ..cell.robots[0].clone()
    };
    cell.robots = vec![robot("left"), robot("right"), robot(""), robot("left/a")];
    let of = |name, robot| joint(name, robot, JointKind::Revolute, None);
    cell.joints = vec![
        of("a", 0),
        of("a", 1),
        of("b", 1),
        of("c", 2),
        of("a/b", 0),
        of("b", 3),
        of("left/c", 2),
        of("d", 9),
    ];
    let names = JointNames::new(&cell);
    let parts = ["", "a", "b", "c", "d", "left", "right", "left/a", "a/b"];
    let mut meant = 0;
    for first in parts {
        for second in parts {
            for name in [first.to_owned(), format!("{first}/{second}")] {
                let found = cell.joints_named(&name);
                assert_eq!(found[..], *names.get(&name), "{name}");
                meant += found.len();
            }
        }
    }
    assert!(meant > 50, "{meant}");
}
