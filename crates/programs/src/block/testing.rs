//! An arm and a reader for tests of both languages.

use std::path::Path;

use nalgebra::{Isometry3, Vector3};

use clearance_formats::ImportError;
use clearance_proof::model::Cell;
use clearance_proof::model::controller::{Controller as Said, ControllerJoint};
use clearance_proof::model::moves::{Frame, MoveKind, MoveProgram, Target};
use clearance_proof::report::Location;

pub(crate) use crate::testing::said;
use crate::testing::{self, six_joints};
use crate::{Bounds, Reading};

/// An arm of six joints without shapes, whose cell says how a controller of that language counts.
pub(crate) fn arm(dialect: &str) -> Cell {
    let axes = [
        Vector3::z_axis(),
        Vector3::y_axis(),
        Vector3::y_axis(),
        Vector3::x_axis(),
        Vector3::y_axis(),
        Vector3::x_axis(),
    ];
    let at = [
        [0.0, 0.0, 0.4],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.45],
        [0.2, 0.0, 0.04],
        [0.25, 0.0, 0.0],
        [0.08, 0.0, 0.0],
    ];
    let mut cell = six_joints(axes, at, "tool0");
    let joint = |k: usize| ControllerJoint {
        name: format!("joint_{}", k + 1),
        sign: 1.0,
        offset: 0.0,
        pulses: None,
        coupled: Vec::new(),
    };
    cell.robots[0].controller = Some(Said {
        place: Location::file(Path::new("cell.toml")),
        dialect: dialect.into(),
        joints: (0..6).map(joint).collect(),
        base: Some(Frame {
            link: "base".into(),
            link_from_frame: Isometry3::identity(),
        }),
        flange: None,
        frames: Default::default(),
        tools: Default::default(),
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
    bytes: &[u8],
    files: &[(&str, &str)],
    routine: Option<&str>,
) -> Result<Reading, ImportError> {
    let bounds = Bounds {
        steps: 2_000,
        work: 8_000,
        ways: 16,
        ..Bounds::default()
    };
    testing::read_beside(cell, (file, bytes), files, routine, bounds)
}

/// The moves of a way in a few letters: `J`, `L` or `C`, and the first joint value in degrees or
/// the position in millimetres.
pub(crate) fn short(way: &MoveProgram) -> String {
    let number = |x: f64| {
        let x = (x * 1e6).round() / 1e6;
        if x == 0.0 { 0.0 } else { x }.to_string()
    };
    let target = |target: &Target| match target {
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
    };
    let one = |step: &clearance_proof::model::moves::Move| match &step.kind {
        MoveKind::Joint => format!("J{}", target(&step.target)),
        MoveKind::Linear => format!("L{}", target(&step.target)),
        MoveKind::Circular { via, .. } => format!("C{}{}", target(via), target(&step.target)),
    };
    way.moves.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Words, numbers, texts and signs of a program, with where they begin and end; not by the reader's
/// own rules.
pub(crate) fn words(text: &str, comment: char) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(c) = text[rest..].chars().next() {
        let end = match c {
            _ if c == comment => text[rest..].find('\n').map_or(text.len(), |k| rest + k),
            '"' => text[rest + 1..]
                .find('"')
                .map_or(text.len(), |k| rest + k + 2),
            _ if c.is_alphanumeric() || "_$#".contains(c) => {
                let stop = |c: char| !(c.is_alphanumeric() || "_$#".contains(c));
                let mut end = text[rest..].find(stop).map_or(text.len(), |k| rest + k);
                // A number goes on behind its point.
                if c.is_ascii_digit() && text[end..].starts_with('.') {
                    let digits = |c: char| !c.is_ascii_digit();
                    end = text[end + 1..]
                        .find(digits)
                        .map_or(text.len(), |k| end + 1 + k);
                }
                end
            }
            ':' if text[rest..].starts_with(":=") => rest + 2,
            _ => rest + c.len_utf8(),
        };
        if c != comment && !c.is_whitespace() {
            found.push((rest, end));
        }
        rest = end;
    }
    found
}

/// A program with one word changed: what was done, where, and the new text.
pub(crate) struct Mutant {
    pub(crate) done: &'static str,
    /// The word as it was.
    pub(crate) word: String,
    /// Where it begins.
    pub(crate) at: usize,
    pub(crate) text: String,
}

/// Every word deleted, doubled, renamed, and swapped with the next one and with the one after.
pub(crate) fn mutants(text: &str, comment: char) -> Vec<Mutant> {
    let all = words(text, comment);
    let mut mutants = Vec::new();
    for (k, &(start, end)) in all.iter().enumerate() {
        let word = &text[start..end];
        let mut add = |done, new: String| {
            mutants.push(Mutant {
                done,
                word: word.to_owned(),
                at: start,
                text: new,
            });
        };
        let put = |new: &str| format!("{}{new}{}", &text[..start], &text[end..]);
        add("deleted", put(""));
        add("doubled", put(&format!("{word} {word}")));
        match word.parse::<f64>() {
            Ok(number) => add("renamed", put(&(number + 1.0).to_string())),
            Err(_) => add("renamed", put(&format!("{word}x"))),
        }
        for (done, by) in [("swapped", 1), ("swapped far", 2)] {
            if let Some(&(from, to)) = all.get(k + by) {
                let (between, other) = (&text[end..from], &text[from..to]);
                add(
                    done,
                    format!("{}{other}{between}{word}{}", &text[..start], &text[to..]),
                );
            }
        }
    }
    mutants
}

/// Reads a mutant: nothing panics, every error and every reason has a line. Answers its ways, if it
/// is one.
pub(crate) fn judged(
    cell: &Cell,
    file: &str,
    mutant: &Mutant,
    files: &[(&str, &str)],
) -> Option<Vec<MoveProgram>> {
    let told = || format!("`{}` {} in\n{}", mutant.word, mutant.done, mutant.text);
    match read_beside(cell, file, mutant.text.as_bytes(), files, None) {
        Ok(reading) => {
            for unknown in reading.ways.iter().flat_map(|w| &w.unknown) {
                assert!(unknown.place.line.is_some(), "{unknown:?} of {}", told());
                assert!(!unknown.reason.is_empty());
            }
            Some(reading.ways)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// The parts of a motion that can be compared with the original: kinds, targets with their frames
/// and branches, tools and zones, but no places.
pub(crate) fn motion(ways: &[MoveProgram]) -> Vec<Vec<crate::value::Value>> {
    ways.iter().map(|w| super::arm::values(&w.moves)).collect()
}
