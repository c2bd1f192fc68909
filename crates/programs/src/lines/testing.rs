//! An arm and a reader for tests of both languages, and programs with one word changed.

use std::path::Path;

use nalgebra::{Isometry3, Vector3};

use clearance_formats::ImportError;
use clearance_proof::model::Cell;
use clearance_proof::model::controller::{Controller as Said, ControllerJoint, Coupling};
use clearance_proof::model::moves::{Frame, Move, MoveKind, MoveProgram, Target};
use clearance_proof::report::Location;

pub(crate) use crate::testing::said;
use crate::testing::{self, six_joints};
use crate::{Bounds, Reading};

/// Pulses for a degree of each joint; all different.
pub(crate) const PULSES: [f64; 6] = [1000.0, 2000.0, 1500.0, 800.0, 900.0, 500.0];

/// An arm of six joints without shapes, whose cell says how a controller of that language counts.
pub(crate) fn arm(dialect: &str) -> Cell {
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
        place: Location::file(Path::new("cell.toml")),
        dialect: dialect.into(),
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
        files: Vec::new(),
        still: Vec::new(),
        not_modelled: Default::default(),
        points: Vec::new(),
        books_difference: true,
        home: None,
    });
    cell
}

/// Reads a program beside which these files lie.
pub(crate) fn read_beside(
    cell: &Cell,
    file: &str,
    text: &str,
    files: &[(&str, &str)],
) -> Result<Reading, ImportError> {
    let bounds = Bounds {
        steps: 20_000,
        work: 200_000,
        ..Bounds::default()
    };
    testing::read_beside(cell, (file, text.as_bytes()), files, None, bounds)
}

/// A target in a few letters: joint values in degrees, or the position in millimetres, of the link
/// of the frame.
pub(crate) fn target(target: &Target) -> String {
    let number = |x: f64| {
        let x = (x * 1e4).round() / 1e4;
        if x == 0.0 { 0.0 } else { x }.to_string()
    };
    match target {
        Target::Joints(q) => {
            let all: Vec<_> = q.iter().map(|q| number(q.to_degrees())).collect();
            format!("[{}]", all.join(" "))
        }
        Target::Pose {
            frame,
            frame_from_tool,
            ..
        } => {
            let p = (frame.link_from_frame * frame_from_tool).translation.vector * 1e3;
            format!("({} {} {})", number(p.x), number(p.y), number(p.z))
        }
    }
}

/// The moves of a way in a few letters.
pub(crate) fn short(way: &MoveProgram) -> String {
    let one = |step: &Move| match &step.kind {
        MoveKind::Joint => format!("J{}", target(&step.target)),
        MoveKind::Linear => format!("L{}", target(&step.target)),
        MoveKind::Circular { via, .. } => format!("C{}{}", target(via), target(&step.target)),
    };
    way.moves.iter().map(one).collect::<Vec<_>>().join(" ")
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

/// A program with one word changed.
pub(crate) struct Mutant {
    pub(crate) done: &'static str,
    /// The word as it was.
    pub(crate) word: String,
    /// Its line, from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// Every word deleted, doubled, renamed (a number: changed by one), and swapped with the next one.
pub(crate) fn mutants(text: &str) -> Vec<Mutant> {
    let mut all: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let word = |c: char| c.is_alphanumeric() || "_.".contains(c);
        let end = if word(c) {
            text[at..].find(|c| !word(c)).map_or(text.len(), |k| at + k)
        } else {
            at + c.len_utf8()
        };
        if !c.is_whitespace() {
            all.push((at, end));
        }
        at = end;
    }
    let mut mutants = Vec::new();
    for (k, &(start, end)) in all.iter().enumerate() {
        let word = &text[start..end];
        let line = 1 + text[..start].matches('\n').count();
        let mut add = |done, new: String| {
            let text = format!("{}{new}", &text[..start]);
            let word = word.to_owned();
            mutants.push(Mutant {
                done,
                word,
                line,
                text,
            });
        };
        let rest = &text[end..];
        add("deleted", rest.to_owned());
        add("doubled", format!("{word} {word}{rest}"));
        match word.parse::<f64>() {
            Ok(number) => add("renamed", format!("{}{rest}", number + 1.0)),
            Err(_) => add("renamed", format!("{word}X{rest}")),
        }
        if let Some(&(from, to)) = all.get(k + 1) {
            let other = &text[from..to];
            add(
                "swapped",
                format!("{other}{}{word}{}", &text[end..from], &text[to..]),
            );
        }
    }
    mutants
}

/// Reads a mutant: nothing panics, every error and every reason has a line. Answers its ways, if
/// all is known of them.
pub(crate) fn judged(
    cell: &Cell,
    file: &str,
    mutant: &Mutant,
    files: &[(&str, &str)],
) -> Option<Vec<MoveProgram>> {
    let reading = read_beside(cell, file, &mutant.text, files).ok()?;
    for unknown in reading.ways.iter().flat_map(|w| &w.unknown) {
        let told = (&mutant.word, mutant.done, mutant.line);
        assert!(unknown.place.line.is_some(), "{unknown:?} of {told:?}");
        assert!(!unknown.reason.is_empty());
    }
    let known = reading.ways.iter().all(|w| w.unknown.is_empty());
    known.then_some(reading.ways)
}
