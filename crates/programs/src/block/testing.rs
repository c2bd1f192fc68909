//! An arm and a reader for tests of both languages.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use nalgebra::{Isometry3, Vector3};

use clearance_formats::controller::{Controller as Said, ControllerJoint};
use clearance_formats::{ImportError, LoadedCell};
use clearance_proof::model::moves::{Branch, Frame, Move, MoveKind, MoveProgram, Target, Zone};

use crate::testing::mutants::Mutant;
pub(crate) use crate::testing::said;
use crate::testing::{self, controller, six_joints};
use crate::{Bounds, Reading};

/// An arm of six joints without shapes, whose cell says how a controller of that language counts.
pub(crate) fn arm(dialect: &str) -> LoadedCell {
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
        joints: (0..6).map(joint).collect(),
        base: Some(Frame {
            link: "base".into(),
            link_from_frame: Isometry3::identity(),
        }),
        ..controller(dialect)
    });
    cell
}

/// Reads a program beside which these files lie.
pub(crate) fn read_beside(
    cell: &LoadedCell,
    file: &str,
    bytes: &[u8],
    files: &[(&str, &str)],
    routine: Option<&str>,
) -> Result<Reading, ImportError> {
    let bounds = Bounds {
        steps: 2_000,
        // An eighth of it for whole ways, each of 500 at least.
        work: 64_000,
        ways: 16,
        whole_ways: 16,
        ..Bounds::default()
    };
    testing::read_beside(cell, file, bytes, files, routine, bounds)
}

/// The moves of a way in a few letters.
pub(crate) fn short(way: &MoveProgram) -> String {
    testing::short(way, 1e6)
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

/// A program with one word changed, in every way.
pub(crate) fn mutants(text: &str, comment: char) -> Vec<Mutant> {
    testing::mutants::mutants(text, &words(text, comment))
}

/// Each move with all that says how it leads to its end: since joint values were stated and the
/// motion past them was settled. (One that is made again where the arm stands is one.)
pub(crate) fn steps_in(ways: &[MoveProgram]) -> BTreeSet<String> {
    let states = |step: &Move| {
        let branch = match &step.target {
            Target::Joints(_) => return true,
            Target::Pose { branch, .. } => branch,
        };
        step.kind == MoveKind::Joint && matches!(branch, Branch::Configuration(_))
    };
    // Text of a motion is long, and there are many.
    let number = |step: &Move| {
        let mut number = DefaultHasher::new();
        format!("{:?}", (&step.kind, &step.target, &step.tool)).hash(&mut number);
        number.finish()
    };
    let mut found = BTreeSet::new();
    for way in ways {
        let mut moves: Vec<(&Move, String)> = Vec::new();
        for step in &way.moves {
            let motion = format!("{:x} {:?}", number(step), step.zone);
            if moves.last().is_none_or(|(_, last)| *last != motion) {
                moves.push((step, motion));
            }
        }
        for (k, (step, _)) in moves.iter().enumerate() {
            let settles =
                |s: &usize| states(moves[*s].0) && (moves[*s].0.zone == Zone::Stop || s + 1 < k);
            let from = (0..k).rev().find(settles).unwrap_or(0);
            let before: Vec<&str> = moves[from..k].iter().map(|(_, motion)| &**motion).collect();
            // Its zone counts where another move follows.
            found.insert(format!(
                "line {:?} {} {:x} {:?} behind {before:?}",
                step.place.line,
                step.label,
                number(step),
                step.speed
            ));
        }
    }
    found
}

/// Reads a mutant. Answers its ways, if it is a program.
pub(crate) fn judged(
    cell: &LoadedCell,
    file: &str,
    mutant: &Mutant,
    files: &[(&str, &str)],
) -> Option<Vec<MoveProgram>> {
    let reading = read_beside(cell, file, mutant.text.as_bytes(), files, None);
    testing::mutants::judged(mutant, reading)
}

/// The parts of a motion that can be compared with the original: kinds, targets with their frames
/// and branches, tools and zones, but no places.
pub(crate) fn motion(ways: &[MoveProgram]) -> Vec<Vec<crate::value::Value>> {
    ways.iter().map(|w| super::arm::values(&w.moves)).collect()
}
