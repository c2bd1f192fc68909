//! A program as it was read.

use clearance_formats::program::motion::ImportedMoves;
use clearance_proof::model::Program;

/// A program as it was read.
#[derive(Debug, Clone)]
pub(super) enum Taught {
    /// Joint values, one set after the other.
    Waypoints(Program),
    /// Moves, whose joint values are found once the robot is known.
    Moves(Box<ImportedMoves>),
}
