//! A program as it was read.

use clearance_formats::program::motion::{Assumption, ImportedMoves};
use clearance_proof::model::Program;

use crate::findings::{Code, Diagnostic, Severity};

/// A program as it was read.
#[derive(Debug, Clone)]
pub(super) enum Taught {
    /// Joint values, one set after the other.
    Waypoints(Program),
    /// Moves, whose joint values are found once the robot is known.
    Moves(Box<ImportedMoves>),
}

/// Says what a program takes for granted. Where the files show that it may be otherwise, nobody
/// knows which motion is driven.
pub(super) fn taken_for_granted(assumed: &Assumption) -> Diagnostic {
    Diagnostic {
        code: Code::LateStart,
        place: Some(assumed.place.clone()),
        severity: if assumed.contradicted {
            Severity::Open
        } else {
            Severity::Unchecked
        },
        subject: "start of the program".to_owned(),
        message: assumed.message.clone(),
    }
}
