//! Tables whose header says degrees, and whose values are so small that radians may be meant: the
//! arm that is checked then hardly moves, and stands somewhere else.

use clearance_proof::model::{Cell, JointKind, Quantity};

use super::part::ProgramPart;
use crate::findings::{Code, Diagnostic, Location};

/// Radians of an arm lie within a turn, but for what is rounded up.
const LARGEST: f64 = std::f64::consts::TAU + 0.01;
/// Smaller values are next to nothing in radians too.
const LEAST: f64 = 0.2;
/// Fewer joints are an axis or two, which may turn by a few degrees.
const LEAST_JOINTS: usize = 3;

/// What is to be said of tables in degrees that look like radians.
pub(super) fn radians_as_degrees(parts: &[ProgramPart], cell: &Cell) -> Vec<Diagnostic> {
    let in_degrees = parts.iter().filter(|part| part.program.in_degrees);
    in_degrees
        .filter_map(|part| {
            let program = &part.program;
            let columns = program.columns.iter().zip(&part.for_cell.columns);
            let turning = columns.enumerate().filter(|(_, (column, joint))| {
                let turns = cell.joints[**joint].kind != JointKind::Prismatic;
                turns && column.quantity == Quantity::Angle
            });
            let turning: Vec<usize> = turning.map(|(at, _)| at).collect();
            let values = program.waypoints.iter().flat_map(|waypoint| {
                let values = turning.iter().map(move |&at| waypoint.positions[at]);
                values.map(|value| value.to_degrees().abs())
            });
            let largest = values.fold(0.0, f64::max);
            let first = program.columns.get(*turning.first()?)?;
            if turning.len() < LEAST_JOINTS || !(LEAST..=LARGEST).contains(&largest) {
                return None;
            }
            let why = format!(
                "its header says degrees, and no value of its {} turning joints is beyond {largest:.3}: they look like radians, and \
                 as degrees the arm hardly moves; if they are radians, write `{}[rad]`, and so of the others",
                turning.len(),
                first.joint
            );
            let file = &program.source;
            let said = Diagnostic::notice(Code::SuspiciousAngles, file.display().to_string(), why);
            Some(said.at(Location::at(file, first.line, None)))
        })
        .collect()
}
