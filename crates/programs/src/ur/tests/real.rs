//! Real programs of Universal Robots, whose right answers are known.

use std::path::{Path, PathBuf};

use clearance_formats::controller::Controller as Said;
use clearance_formats::{LoadOptions, LoadedCell, load_robot};
use clearance_proof::model::Joint;
use clearance_proof::model::moves::{MoveKind, MoveProgram, Target};

use crate::{Bounds, ControlledArm, Options, Reading, testing};

fn native() -> PathBuf {
    let data = std::env::var_os("CLEARANCE_REAL_DATA").expect("CLEARANCE_REAL_DATA");
    PathBuf::from(data).join("native")
}

fn cell(still: &[&str]) -> LoadedCell {
    let urdf = native().join("robots/ur10e/ur10e.urdf");
    let mut cell =
        load_robot(&urdf, &[], &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let said = testing::still(still).robots.remove(0).controller;
    cell.robots[0].controller = said.map(|said: Said| said);
    cell
}

fn read(cell: &LoadedCell, file: &Path) -> Result<Reading, String> {
    let bytes = std::fs::read(file).unwrap();
    let options = Options {
        routine: None,
        bounds: Bounds::default(),
        read_neighbour: &testing::on_disk,
        orientation_tube: 0.1,
    };
    let controller = ControlledArm::of(cell, None).unwrap();
    crate::read(file, &bytes, &controller, &options).map_err(|e| e.to_string())
}

/// Holds the moves against the joint values that an independent program found with the nominal
/// model.
fn is_pick_and_place(way: &MoveProgram, loaded: &LoadedCell) {
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    let text = std::fs::read_to_string(native().join("expected.json")).unwrap();
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let right = &all["ur/rparak/PickAndPlace_App_Final.urp"]["trace_nominal_urdf"];
    let right = right.as_array().unwrap();
    assert_eq!((way.moves.len(), right.len()), (20, 20));
    let controller = ControlledArm::of(loaded, None).unwrap();
    let names: Vec<&str> = loaded
        .cell
        .joints
        .iter()
        .map(|j: &Joint| j.name.as_str())
        .collect();
    assert_eq!(names, way.joints);
    for (step, right) in way.moves.iter().zip(right) {
        let joints: Vec<f64> = right["q"]
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect();
        let Target::Pose {
            frame,
            frame_from_tool,
            ..
        } = &step.target
        else {
            panic!("a pose");
        };
        let pose = controller.pose(&joints, &step.tool, frame).unwrap();
        let off = (pose.translation.vector - frame_from_tool.translation.vector).norm();
        // The joint values have seven digits.
        assert!(
            off < 1e-6 && pose.rotation.angle_to(&frame_from_tool.rotation) < 1e-6,
            "{} {off}",
            step.label
        );
        let kind = if step.kind == MoveKind::Joint {
            "movej"
        } else {
            "movel"
        };
        assert_eq!(right["move"], kind);
        let to = right["to"].as_str().unwrap().split('[').next();
        assert_eq!(to, Some(step.label.as_str()));
    }
}

#[test]
#[ignore = "needs CLEARANCE_REAL_DATA"]
fn real_pick_and_place_has_the_twenty_moves_that_are_known() {
    let cell = cell(&["Robotiq_Grippers"]);
    let reading = read(
        &cell,
        &native().join("ur/rparak/PickAndPlace_App_Final.urp"),
    )
    .unwrap();
    let [way] = &reading.ways[..] else {
        panic!("{} ways", reading.ways.len());
    };
    is_pick_and_place(way, &cell);
    // This arm lies so far beside its nominal model, and no farther.
    let off: Vec<(f64, f64)> = (reading.point_differences.iter())
        .map(|c| (c.distance_m * 1e3, c.angle_rad.to_degrees()))
        .collect();
    let worst = off.iter().fold(0.0_f64, |w, o| w.max(o.0));
    assert!((0.803..0.805).contains(&worst), "{off:?}");
    assert!(off.iter().all(|o| (0.30..0.312).contains(&o.1)), "{off:?}");
}

#[test]
#[ignore = "needs CLEARANCE_REAL_DATA, and CLEARANCE_URSCRIPT: the same program as it was exported, from its repository"]
fn fetched_pick_and_place_is_the_same_as_a_script() {
    let cell = cell(&["rq_*", "gripper_*", "reset_and_activate"]);
    let file = std::env::var_os("CLEARANCE_URSCRIPT").expect("CLEARANCE_URSCRIPT");
    let reading = read(&cell, Path::new(&file)).unwrap();
    let [way] = &reading.ways[..] else {
        panic!("{} ways", reading.ways.len());
    };
    is_pick_and_place(way, &cell);
    assert_eq!(reading.point_differences.len(), 3);
}

#[test]
#[ignore = "needs CLEARANCE_REAL_DATA"]
fn real_programs_that_cannot_be_known_say_why() {
    let cell = cell(&[]);
    for (file, says) in [
        ("dmg-mori-robot-control.urp", "two arms"),
        ("followerUR10e.urp", ""),
        ("rtde_control_loop.urp", ""),
        // Nothing in the cell says that the gripper keeps the arm still.
        ("../rparak/PickAndPlace_App_Final.urp", "Robotiq_Grippers"),
    ] {
        let reading = read(&cell, &native().join("ur/universal_robots").join(file)).unwrap();
        let open = reading.ways.iter().filter_map(|way| way.unknown.first());
        let open: Vec<_> = open.collect();
        assert!(!open.is_empty(), "{file} is taken for known");
        for first in open {
            assert!(first.reason.contains(says), "{}", first.reason);
            assert!(first.place.line.is_some(), "{file}");
        }
    }
    let reading = read(
        &cell,
        &native().join("ur/universal_robots/socket_hmi_example.urp"),
    )
    .unwrap();
    assert!(
        reading
            .ways
            .iter()
            .all(|w| w.moves.is_empty() && w.unknown.is_empty()),
        "{:?}",
        reading.ways
    );
}
