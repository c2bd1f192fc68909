//! An arm and a reader for tests of both languages, and programs with one word changed.

use std::path::Path;

use nalgebra::{Isometry3, Vector3};

use clearance_formats::controller::{Controller as Said, ControllerJoint, Coupling};
use clearance_formats::{ImportError, LoadedCell};
use clearance_proof::model::moves::{Frame, Move, MoveProgram};
use clearance_proof::report::Location;

use crate::testing::mutants::Mutant;
pub(crate) use crate::testing::said;
use crate::testing::{self, controller, six_joints};
use crate::{Bounds, Reading};

/// Pulses for a degree of each joint; all different.
pub(crate) const PULSES: [f64; 6] = [1000.0, 2000.0, 1500.0, 800.0, 900.0, 500.0];

/// Steps that lead the tool once round the foot of the arm and back, millimetres; it begins at
/// (800, 0, 1000).
pub(crate) const ROUND_THE_FOOT: [[i32; 3]; 7] = [
    [0, 0, -500],
    [0, 750, 0],
    [-1500, 0, 0],
    [0, -1500, 0],
    [1500, 0, 0],
    [0, 750, 0],
    [0, 0, 500],
];

/// The same, past one side of it and back.
pub(crate) const BESIDE_THE_FOOT: [[i32; 3]; 6] = [
    [0, 0, -500],
    [0, 750, 0],
    [-1500, 0, 0],
    [1500, 0, 0],
    [0, -750, 0],
    [0, 0, 500],
];

/// An arm of six joints without shapes, whose cell says how a controller of that language counts.
pub(crate) fn arm(dialect: &str) -> LoadedCell {
    let axes = [
        Vector3::z_axis(),
        Vector3::y_axis(),
        -Vector3::y_axis(),
        -Vector3::x_axis(),
        -Vector3::y_axis(),
        -Vector3::x_axis(),
    ];
    let at = [
        [0.0, 0.0, 0.4],
        [0.1, 0.0, 0.0],
        [0.0, 0.0, 0.6],
        [0.2, 0.0, 0.1],
        [0.5, 0.0, 0.0],
        [0.1, 0.0, 0.0],
    ];
    let mut cell = six_joints(axes, at, "flange");
    let coupled = |k: usize| match (dialect, k) {
        ("fanuc", 2) => vec![Coupling {
            joint: 1,
            factor: 1.0,
        }],
        _ => Vec::new(),
    };
    let joint = |k: usize| ControllerJoint {
        name: format!("joint_{}", k + 1),
        sign: 1.0,
        offset: 0.0,
        pulses: (dialect == "inform").then_some(PULSES[k]),
        coupled: coupled(k),
    };
    let link = |link: &str| Frame {
        link: link.into(),
        link_from_frame: Isometry3::identity(),
    };
    let mut table = link("base");
    table.link_from_frame = Isometry3::translation(0.1, 0.2, 0.3);
    cell.robots[0].controller = Some(Said {
        joints: (0..6).map(joint).collect(),
        base: Some(link("base")),
        flange: Some(link("flange")),
        frames: [("1".to_owned(), table)].into(),
        tools: [
            ("0".to_owned(), Isometry3::identity()),
            ("1".to_owned(), Isometry3::translation(0.0, 0.0, 0.1)),
            ("2".to_owned(), Isometry3::translation(0.0, 0.0, 0.2)),
        ]
        .into(),
        ..controller(dialect)
    });
    cell
}

/// Reads a program beside which these files lie. Its ways join, however few they are.
pub(crate) fn read_beside(
    cell: &LoadedCell,
    file: &str,
    text: &str,
    files: &[(&str, &str)],
) -> Result<Reading, ImportError> {
    let bounds = Bounds {
        steps: 20_000,
        work: 200_000,
        whole_ways: 0,
        ..Bounds::default()
    };
    testing::read_beside(cell, file, text.as_bytes(), files, None, bounds)
}

/// The moves of a way in a few letters.
pub(crate) fn short(way: &MoveProgram) -> String {
    testing::short(way, 1e4)
}

/// Moves without lines and labels, to be held against each other.
pub(crate) fn motion(ways: &[MoveProgram]) -> Vec<Vec<Move>> {
    let bare = |step: &Move| Move {
        label: String::new(),
        routine: String::new(),
        place: Location::file(Path::new("")),
        ..step.clone()
    };
    let mut all: Vec<Vec<Move>> = Vec::new();
    for way in ways {
        let moves: Vec<_> = way.moves.iter().map(bare).collect();
        if !all.contains(&moves) {
            all.push(moves);
        }
    }
    all
}

/// A program with one word changed, in every way.
pub(crate) fn mutants(text: &str) -> Vec<Mutant> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let word = |c: char| c.is_alphanumeric() || "_.".contains(c);
        let end = if word(c) {
            text[at..].find(|c| !word(c)).map_or(text.len(), |k| at + k)
        } else {
            at + c.len_utf8()
        };
        if !c.is_whitespace() {
            words.push((at, end));
        }
        at = end;
    }
    testing::mutants::mutants(text, &words)
}

/// Reads a mutant. Answers its ways, if all is known of them.
pub(crate) fn judged(
    cell: &LoadedCell,
    file: &str,
    mutant: &Mutant,
    files: &[(&str, &str)],
) -> Option<Vec<MoveProgram>> {
    let reading = read_beside(cell, file, &mutant.text, files);
    let ways = testing::mutants::judged(mutant, reading)?;
    ways.iter().all(|w| w.unknown.is_empty()).then_some(ways)
}
