//! Real jobs, whose right answers are known.

use std::path::{Path, PathBuf};

use clearance_formats::controller::Controller as Said;
use clearance_formats::{LoadOptions, LoadedCell, load_robot};
use clearance_proof::model::moves::{MoveKind, MoveProgram, Target};
use nalgebra::Isometry3;

use crate::lines::testing::{arm, said};
use crate::{Bounds, ControlledArm, Options};

fn native() -> PathBuf {
    let data = std::env::var_os("CLEARANCE_REAL_DATA").expect("CLEARANCE_REAL_DATA");
    PathBuf::from(data).join("native")
}

/// Pulses for a degree of the MA2010, as its controller reported them.
const MA2010: [f64; 6] = [
    1341.3801, 1907.6741, 1592.8889, 1022.8622, 980.2393, 454.7542,
];

/// The arm that moves these jobs, with these tools at its bare flange.
fn cell(tools: &[&str]) -> LoadedCell {
    let urdf = native().join("robots/motoman_ma2010/motoman_ma2010.urdf");
    let mut cell =
        load_robot(&urdf, &[], &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut told: Said = said(&mut arm("inform")).clone();
    for (k, joint) in told.joints.iter_mut().enumerate() {
        joint.name = format!("joint_{}_{}", k + 1, ["s", "l", "u", "r", "b", "t"][k]);
        joint.pulses = Some(MA2010[k]);
    }
    told.base.as_mut().unwrap().link = "base".into();
    told.flange.as_mut().unwrap().link = "tool0".into();
    told.tools = tools
        .iter()
        .map(|t| ((*t).to_owned(), Isometry3::identity()))
        .collect();
    cell.robots[0].controller = Some(told);
    cell
}

fn ways(cell: &LoadedCell, file: &str) -> Vec<MoveProgram> {
    let path = native().join("inform").join(file);
    let bytes = std::fs::read(&path).unwrap();
    let options = Options {
        routine: None,
        bounds: Bounds::default(),
        read_neighbour: &|path: &Path| clearance_formats::program::read(path),
        orientation_tube: 0.1,
    };
    let controller = ControlledArm::of(cell, None).unwrap();
    crate::read(&path, &bytes, &controller, &options)
        .unwrap_or_else(|e| panic!("{e}"))
        .ways
}

/// Joint values that are expected, by the names of positions.
fn expected(file: &str, part: &str) -> Vec<(String, Vec<f64>)> {
    let text = std::fs::read_to_string(native().join("expected.json")).unwrap();
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let points = all[format!("inform/{file}")][part]
        .as_array()
        .unwrap()
        .clone();
    let numbers = |q: &serde_json::Value| {
        q.as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect()
    };
    points
        .iter()
        .map(|p| (p["to"].as_str().unwrap().to_owned(), numbers(&p["q"])))
        .collect()
}

fn is_at(step: &clearance_proof::model::moves::Move, right: &[f64]) {
    let Target::Joints(q) = &step.target else {
        panic!("joint values");
    };
    // The numbers have seven digits.
    let near = q.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-7);
    assert!(
        near && q.len() == right.len(),
        "{}: {q:?} {right:?}",
        step.label
    );
}

#[test]
#[ignore = "needs CLEARANCE_REAL_DATA"]
fn real_jobs_reach_their_taught_points_and_need_their_tools() {
    let right = expected("R1-MOVE.JBI", "waypoints");
    let known = ways(&cell(&["0"]), "R1-MOVE.JBI").remove(0);
    assert!(known.unknown.is_empty(), "{:?}", known.unknown);
    let open = ways(&cell(&[]), "R1-MOVE.JBI").remove(0);
    assert!(open.unknown[0].reason.contains("TOOL 0") && open.unknown[0].place.line == Some(19));
    for way in [known, open] {
        assert_eq!(way.moves.len(), 6);
        for (step, (name, right)) in way.moves.iter().zip(&right) {
            assert_eq!((&step.label, &step.kind), (name, &MoveKind::Linear));
            is_at(step, right);
        }
    }
    let right = expected("WIRE-CUT_R1.JBI", "waypoints");
    let way = ways(&cell(&["0", "3"]), "WIRE-CUT_R1.JBI").remove(0);
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    let order = [
        "P00100", "C00000", "C00001", "C00002", "C00003", "C00004", "P00100", "C00005",
    ];
    assert_eq!(way.moves.len(), order.len());
    for (step, name) in way.moves.iter().zip(order) {
        is_at(step, &right.iter().find(|r| r.0 == name).unwrap().1);
    }
    assert!(!ways(&cell(&["3"]), "WIRE-CUT_R1.JBI")[0].unknown.is_empty());
}

#[test]
#[ignore = "needs CLEARANCE_REAL_DATA"]
fn real_jobs_of_several_arms_are_not_known() {
    let cell = cell(&["0", "1"]);
    for (file, says) in [("R1-R2-S1.JBI", "ST1"), ("PSTART-SAMPLE.JBI", "same time")] {
        let ways = ways(&cell, file);
        assert!(ways.iter().all(|w| !w.unknown.is_empty()), "{file}");
        assert!(
            ways[0].unknown[0].reason.contains(says),
            "{:?}",
            ways[0].unknown
        );
        assert!(ways[0].unknown[0].place.line.is_some());
    }
}
