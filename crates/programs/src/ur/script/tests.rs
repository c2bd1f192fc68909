use std::path::Path;

use nalgebra::Vector3;

use clearance_formats::{ImportError, LoadedCell};
use clearance_proof::model::moves::{Branch, MoveKind, MoveProgram, Speed, Target, Zone};
use clearance_proof::report::Location;

use super::lex::{ScriptTokenKind, tokens};
use crate::testing::{arm, said, still};
use crate::{Bounds, ControlledArm, Options};

mod doubts;
mod flow;
mod lines;
mod mutants;
mod pairs;
mod unread;

fn read_in(cell: &LoadedCell, text: &str) -> Result<Vec<MoveProgram>, ImportError> {
    let nothing = |file: &Path| panic!("{} is not needed", file.display());
    let options = Options {
        routine: None,
        bounds: Bounds {
            steps: 10_000,
            // Ways join, however few they are.
            whole_ways: 0,
            ..Bounds::default()
        },
        read_neighbour: &nothing,
        orientation_tube: 0.1,
    };
    let controller = ControlledArm::of(cell, None).unwrap();
    let file = Path::new("a.script");
    Ok(super::read(file, text.as_bytes(), &controller, &options)?.ways)
}

fn read(text: &str) -> Vec<MoveProgram> {
    read_in(&arm(), text).unwrap_or_else(|e| panic!("{e}"))
}

/// The only way through a program, which has nothing unknown.
fn known(text: &str) -> MoveProgram {
    let [way] = <[_; 1]>::try_from(read(text)).unwrap();
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    way
}

/// The moves of a way in a few letters: `J` and the first joint value, `L` and z of the pose.
fn short(way: &MoveProgram) -> Vec<String> {
    let number = |target: &Target| match target {
        Target::Joints(q) => q[0],
        Target::Pose {
            frame_from_tool, ..
        } => frame_from_tool.translation.z,
    };
    // What is computed counts as rounded.
    let number = |target: &Target| (number(target) * 1e12).round() / 1e12;
    let letter = |kind: &MoveKind| match kind {
        MoveKind::Joint => "J".to_owned(),
        MoveKind::Linear => "L".to_owned(),
        MoveKind::Circular { via, .. } => format!("C{} ", number(via)),
    };
    (way.moves.iter())
        .map(|m| format!("{}{}", letter(&m.kind), number(&m.target)))
        .collect()
}

/// The first reason of a program that has one way.
fn reason(text: &str) -> (Option<usize>, String) {
    let ways = read(text);
    let first = &ways[0].unknown[0];
    (first.place.line, first.reason.clone())
}

/// The way from the start to the first point is one like any other: a corner that is larger than it
/// is not known, and in joint space one that is larger than half of it.
#[test]
fn the_first_corner_fits_the_way_from_the_start() {
    // Stretched out along x; the flange moves by 1.33 m for a radian of the first joint, more or
    // less.
    let from = [0.0, 0.0, 0.0, 0.0, 0.5, 0.0];
    let mut cell = arm();
    cell.robots[0].start = from.into_iter().enumerate().collect();
    let reasons = |cell: &LoadedCell, first: &str| -> Vec<String> {
        let text = format!("set_tcp(p[0,0,0,0,0,0])\n{first}\nmovej([2.0,0,0,0,0.5,0])\n");
        let ways = read_in(cell, &text).unwrap();
        ways[0].unknown.iter().map(|u| u.reason.clone()).collect()
    };
    for (first, says) in [
        ("movej([0.2,0,0,0,0.5,0], r=0.1)", None),
        (
            "movej([0.2,0,0,0,0.5,0], r=0.2)",
            Some("more than half of the way"),
        ),
        ("movej([0.2,0,0,0,0.5,0], r=0.4)", Some("overlap on 0.2")),
    ] {
        let found = reasons(&cell, first);
        match says {
            None => assert!(found.is_empty(), "{found:?}"),
            Some(says) => assert!(found.iter().any(|r| r.contains(says)), "{found:?}"),
        }
        // Without a start the way there is no part of the program.
        assert!(reasons(&arm(), first).is_empty());
    }
}

#[test]
fn moves_have_targets_tools_corners_speeds_labels_and_lines() {
    let way = known(
        "def main():\n  set_tcp(p[0, 0, 0.1, 0, 0, 0])\n  global Home_p = p[0.5, 0.1, 0.3, 0, 3.1, 0]\n  \
         movej(get_inverse_kin(Home_p, qnear=[0, -1, 1, 0, 1, 0]), a=1, v=1)\n  movel(p[0.5, 0.1, 0.35, 0, 3.1, 0], v=0.2, r=0.01)\n  \
         movej([0.1, -1, 1, 0, 1, 0], t=2, r=0.02)\n  movec(p[0.5, 0, 0.2, 0, 0, 0], p[0.6, 0, 0.5, 0, 0, 0])\nend\n",
    );
    assert_eq!(short(&way), ["J0.3", "L0.35", "J0.1", "C0.2 0.5"]);
    let [first, second, third, fourth] = &way.moves[..] else {
        panic!("four moves");
    };
    assert_eq!(first.label, "Home");
    assert_eq!(first.place.line, Some(4));
    let Target::Pose { frame, branch, .. } = &first.target else {
        panic!("a pose");
    };
    assert_eq!(frame.link, "base");
    assert_eq!(
        *branch,
        Branch::NearestTo(vec![0.0, -1.0, 1.0, 0.0, 1.0, 0.0])
    );
    assert_eq!(first.tool.link, "tool0");
    let tool = first.tool.link_from_frame.translation.vector;
    assert_eq!(tool, Vector3::new(0.0, 0.0, 0.1));
    // From a line to a joint move the corner stays within its radius.
    assert_eq!((first.zone, second.zone), (Zone::Stop, Zone::Radius(0.01)));
    assert_eq!(
        (first.speed, second.speed, third.speed),
        (Speed::Joint(1.0), Speed::Tool(0.2), Speed::Duration(2.0))
    );
    // In joint space a radius says how far the corner goes at least.
    assert_eq!((third.zone, fourth.zone), (Zone::Ball(0.02), Zone::Stop));
}

#[test]
fn values_are_followed_through_functions_lists_and_loops() {
    let way = known(
        "def main():\n  set_tcp(p[0,0,0,0,0,0])\n  z = [0.1, 0.2, 0.3]\n  def raised(k, by=0.5):\n    local here = z[k]\n    \
         return p[0.4, 0, here + by, 0, 0, 0]\n  end\n  k = 0\n  while (True):\n    if k == 2:\n      k = k + 1\n      continue\n    \
         elif k >= length(z):\n      break\n    end\n    movel(raised(k))\n    k = k + 1\n    z[1] = -0.25\n  end\n  \
         movel(pose_trans(raised(0, by=0), p[0, 0, 1, 0, 0, 0]))\nend\n",
    );
    assert_eq!(short(&way), ["L0.6", "L0.25", "L1.1"]);
}

#[test]
fn elements_of_a_matrix_have_two_numbers() {
    let way = known(
        "set_tcp(p[0,0,0,0,0,0])\nm = [[0.1, 0.2], [0.3, 0.4]]\nm[0, 1] = 0.5\nmovel(p[0, 0, m[1,0], 0, 0, 0])\n\
         movel(p[0, 0, m[0][1], 0, 0, 0])\n",
    );
    assert_eq!(short(&way), ["L0.3", "L0.5"]);
}

#[test]
fn poses_compute_as_the_controller_does() {
    // A quarter turn about x, then a step along the turned z, which is −y.
    let way = known(
        "set_tcp(p[0,0,0,0,0,0])\nmovel(pose_trans(p[0,0,1,d2r(90),0,0], p[0,0,0.5,0,0,0]))\nmovel(pose_inv(p[1,2,3,0,0,0]))\n\
         r = rpy2rotvec([0.1, 0.2, 0.3])\nb = rotvec2rpy(r)\nmovel(p[b[0], b[1], b[2], 0, 0, 0])\n\
         movel(interpolate_pose(p[0,0,0,0,0,0], p[0,0,1,0,0,0], 0.25))\nmovel(pose_add(p[0,0,1,0,0,0], p[0,0,0.5,0,0,0]))\n",
    );
    let Target::Pose {
        frame_from_tool, ..
    } = &way.moves[0].target
    else {
        panic!("a pose");
    };
    let right = Vector3::new(0.0, -0.5, 1.0);
    assert!((frame_from_tool.translation.vector - right).norm() < 1e-12);
    assert_eq!(short(&way)[1], "L-3");
    assert!(short(&way)[2].starts_with("L0.3") || short(&way)[2].starts_with("L0.29999"));
    assert_eq!(short(&way)[3..], ["L0.25", "L1.5"]);
}

#[test]
fn what_could_move_the_arm_and_is_not_understood_is_told_with_its_line() {
    for (line, program, says) in [
        (
            2,
            "movej([0,0,0,0,0,0])\nservoj([0,0,0,0,0,0])\n",
            "`servoj` could move the arm",
        ),
        (
            1,
            "movel(p[0,0,0,0,0,0])\n",
            "which tool counts is not known",
        ),
        (
            2,
            "set_tcp(p[0,0,0,0,0,0])\nmovel(get_actual_tcp_pose())\n",
            "known to the controller only",
        ),
        (1, "movej([0,0,0])\n", "there are 3 joint values"),
        (1, "movej(q)\n", "`q` has no value here"),
        (
            2,
            "set_tcp(p[0,0,0,0,0,0])\nmovec(p[0,0,0,0,0,0],p[0,0,1,0,0,0],mode=1)\n",
            "mode=1",
        ),
        (1, "movej([0,0,0,0,0,0], x=1)\n", "no parameter for `1`"),
        (1, "x = 1/2\nmovej([x,0,0,0,0,0])\n", "whole numbers"),
        (
            3,
            "set_tcp(p[0,0,0,0,0,0])\nmovel(p[0,0,0,0,0,0], r=0.1)\nmovel(p[0,0,0.1,0,0,0], r=0.05)\n",
            "overlap",
        ),
        (
            2,
            "set_tcp(p[0,0,0,0,0,0])\nmovej([0,0,0,0,0,0], r=0.1)\nmovej([0.1,0,0,0,0,0])\n",
            "more than half of the way",
        ),
        (
            4,
            "thread t():\n  movej([0,0,0,0,0,0])\nend\nrun t()\n",
            "the thread `t` could move",
        ),
        (
            2,
            "x = [1]\ny = x[1]\nmovej([y,0,0,0,0,0])\n",
            "no element 1 in a list of 1",
        ),
    ] {
        let (at, reason) = reason(program);
        assert!(reason.contains(says), "{reason}");
        // A value that is not a target is told where the target is needed.
        assert!(
            at == Some(line) || says == "whole numbers",
            "{program}: {at:?}"
        );
    }
    // Nothing is written down after it.
    let ways = read("movej([1,0,0,0,0,0])\nforce_mode(1)\nmovej([2,0,0,0,0,0])\n");
    assert_eq!(short(&ways[0]), ["J1"]);
}

#[test]
fn a_program_that_is_no_urscript_is_refused_with_its_line() {
    for (program, says) in [
        ("def a():\n  movej([0,0,0,0,0,0]\nend\n", "a.script:3:1"),
        ("movej([0,0,0,0,0,0])\nx = 0x1f\n", "a.script:2:5"),
        ("if True:\n  x = 1\n", "`end` is needed"),
        ("x = \"open\n", "not closed"),
        ("x = 1\nend\n", "a.script:2:1"),
        ("x = 1 y = 2\n", "should end here"),
        ("def a():\nend\ndef b():\nend\n", "`a`, `b`; name the one"),
        ("def a(x):\nend\n", "has parameters"),
    ] {
        let error = read_in(&arm(), program).unwrap_err().to_string();
        assert!(error.contains(says), "{program}: {error}");
    }
    let deep = "x = ".to_owned() + &"(".repeat(5000);
    assert!(
        read_in(&arm(), &deep)
            .unwrap_err()
            .to_string()
            .contains("too deep")
    );
}

/// Numbers that overflow, as fuzzing found, decide nothing.
#[test]
fn numbers_that_overflow_are_not_known() {
    for text in [
        "set_tcp(p[0, 0, 0.1, 1e308, 0, 0])\nmovej([0,0,0,0,0,0])\n",
        "set_tcp(p[0,0,0,0,0,0])\nmovel(p[0, 0, 1e200, 0, 0, 0])\n",
        "set_tcp(p[0,0,0,0,0,0])\nt = pose_trans(p[1e5, 0, 0, 0, 0, 0], p[1e6, 0, 0, 0, 0, 0])\nmovel(t)\n",
    ] {
        let (line, reason) = reason(text);
        assert!(
            line.is_some() && reason.contains("cannot be right"),
            "{text}: {reason}"
        );
    }
    // A comparison would not hold, whatever the number is.
    let (_, reason) = reason(
        "if rotvec2rpy([1e308, 0, 0])[0] > 0:\n  movej([1,0,0,0,0,0])\nend\nx = rotvec2rpy([1e308, 0, 0])[0]\nmovej([x,0,0,0,0,0])\n",
    );
    assert!(reason.contains("not a finite number"), "{reason}");
}

#[test]
fn what_can_be_read_in_two_ways_is_not_known() {
    for condition in ["True or True and False", "not 1 == 2"] {
        let ways = read(&format!(
            "if {condition}:\n  movej([1,0,0,0,0,0])\nend\nmovej([2,0,0,0,0,0])\n"
        ));
        assert_eq!(ways.len(), 2, "{condition}");
    }
    let ways = read("if (True or True) and not (1 == 2):\n  movej([1,0,0,0,0,0])\nend\n");
    assert_eq!(short(&ways[0]), ["J1"]);
    assert_eq!(ways.len(), 1);
}

/// A line to what inverse kinematics give is one of the tool that counts, by whichever tool the
/// joint values were found.
#[test]
fn a_line_to_joint_values_is_one_of_the_active_tool() {
    let program = "set_tcp(p[0,0,0,0,0,0])\nq = get_inverse_kin(p[0.5,0,0.3,0,0,0], tcp=p[0,0,0.1,0,0,0])\nmovel(q)\n";
    // The flange stands 0.1 m below the pose, and so does the active tool.
    let way = known(program);
    assert_eq!(short(&way), ["L0.2"]);
    let tool = way.moves[0].tool.link_from_frame.translation.vector;
    assert_eq!(tool, Vector3::zeros());
}

#[test]
fn joints_of_a_gripper_are_left_out() {
    let mut loaded = arm();
    let mut finger = loaded.cell.joints[0].clone();
    finger.name = "finger".into();
    loaded.cell.add_joint(finger);
    let options = Options {
        routine: None,
        bounds: Bounds::default(),
        read_neighbour: &|_| panic!("nothing is needed"),
        orientation_tube: 0.1,
    };
    let controller = ControlledArm::of(&loaded, None).unwrap();
    let text = b"movej([1,0,0,0,0,0])\n";
    let reading = crate::read(Path::new("a.script"), text, &controller, &options).unwrap();
    assert_eq!(
        (reading.ways[0].joints.len(), reading.ways[0].moves.len()),
        (6, 1)
    );
}

#[test]
fn halt_ends_the_program_even_within_a_function() {
    let way =
        known("def stop():\n  halt\nend\nmovej([0,0,0,0,0,0])\nstop()\nmovej([1,0,0,0,0,0])\n");
    assert_eq!(short(&way), ["J0"]);
}

#[test]
fn the_example_of_the_docs_has_the_moves_that_it_says() {
    let page = include_str!("../../../../../docs/programs/ur.md");
    let (_, rest) = page.split_once("```urscript\n").unwrap();
    let (program, _) = rest.split_once("```").unwrap();
    let way = known(program);
    let labels: Vec<_> = way.moves.iter().map(|m| m.label.as_str()).collect();
    assert_eq!(labels, ["Home", "Part", "Part", "Part", "Part"]);
    assert_eq!(
        (way.moves[1].zone, way.moves[2].zone),
        (Zone::Ball(0.02), Zone::Stop)
    );
    // The tool points down: 100 mm and 50 mm against its z are above the part.
    let heights: Vec<f64> = short(&way)[1..]
        .iter()
        .map(|m| m[1..].parse().unwrap())
        .collect();
    assert!(
        (heights[0] - 0.35).abs() < 1e-6 && (heights[2] - 0.3).abs() < 1e-6,
        "{heights:?}"
    );
}

#[test]
fn moves_know_the_function_that_they_stand_in() {
    let text = "def main():\n  set_tcp(p[0,0,0,0,0,0])\n  def place():\n    movej([0.1,0,0,0,0,0])\n  end\n  movej([0,0,0,0,0,0])\n  place()\n  \
                movej([0.2,0,0,0,0,0])\nend\n";
    let program = known(text);
    let routines: Vec<&str> = program.moves.iter().map(|m| m.routine.as_str()).collect();
    assert_eq!(routines, ["main", "place", "main"]);
}

#[test]
fn doubts_are_told_where_a_program_can_be_run_in_two_ways() {
    let tcp = "set_tcp(p[0,0,0,0,0,0])\nmovel(p[0.4,0,0.2,0,0,0])\n";
    for (text, says) in [
        (
            "z = 0.5\ndef outer():\n local z = 0.1\n def inner():\n  z = 0.3\n end\n inner()\n movel(p[0.4,0,z,0,0,0])\nend\nouter()\n",
            "function around",
        ),
        (
            "def acc():\n movel(p[0.4,0.1,0.2,0,0,0])\n return 1\nend\nmovel(p[0.4,0.2,0.2,0,0,0], a=acc())\n",
            "more than to compute",
        ),
        (
            "def go():\n movel(p[0.4,0.1,0.2,0,0,0])\n return True\nend\nok = False and go()\nmovel(p[0.4,0.2,0.2,0,0,0])\n",
            "on the right of",
        ),
        (
            "movel(p[0.4,0.3,0.2,0,0,0], r=0.05)\nstopl(2)\nmovel(p[0.7,0.3,0.2,0,0,0])\n",
            "round a corner",
        ),
        (
            "movej([0,0,0,0,0,6])\nreset_revolution_counter()\nmovej([0,0,0,0,0,6.1])\n",
            "reset_revolution_counter",
        ),
        (
            "def f(h=z):\n return h\nend\nz = 0.3\nmovel(p[0.4,0,f(),0,0,0])\n",
            "no plain value",
        ),
    ] {
        let (line, told) = reason(&format!("{tcp}{text}"));
        assert!(line.is_some() && told.contains(says), "{text}: {told}");
    }
    // Corners are measured with the tool that goes round them.
    let text = "set_tcp(p[0,0,0,0,0,0])\nmovel(p[0.4,0,0.6,0,0,0])\nset_tcp(p[0,0,0.2,0,0,0])\nmovel(p[0.4,0,0.81,0,0,0], r=0.1)\nmovel(p[0.4,0.5,0.81,0,0,0])\n";
    assert!(reason(text).1.contains("overlap on 0.01"));
    let long = format!("x = 1{}\n", "+1".repeat(300_000));
    assert!(super::statements(Path::new("a.script"), &long, 1).is_err());
}
