//! What recordings of measured values leave open or let suspect: values that a driver has wrapped,
//! and gaps.

use std::f64::consts::PI;

use crate::model::{Cell, Column, JointId, JointKind, Program, Quantity, Waypoint};
use crate::report::{Code, Diagnostic, Location, Severity};

/// A gap is longer than this, seconds, and than so many times the usual interval.
const GAP_S: f64 = 1.0;
const GAP_INTERVALS: f64 = 20.0;

/// Facts about the recording that a reader must know.
pub(super) fn remarks(program: &Program, cell: &Cell, columns: &[JointId]) -> Vec<Diagnostic> {
    let is_measured = |column: &Column| column.quantity == Quantity::Measured;
    if !program.columns.iter().any(is_measured) {
        return Vec::new();
    }
    let mut remarks = may_be_wrapped(program, cell, columns);
    remarks.extend(gap(program));
    remarks
}

/// The longest interval between two measurements, where it is far longer than usual: what was done
/// in it is not known.
fn gap(program: &Program) -> Option<Diagnostic> {
    let waypoints = &program.waypoints;
    let after = waypoints.iter().skip(1);
    let step = |(before, after): (&Waypoint, &Waypoint)| after.time - before.time;
    let mut intervals: Vec<f64> = waypoints.iter().zip(after.clone()).map(step).collect();
    let longest = waypoints.iter().zip(after);
    let (before, after) = longest.max_by(|&a, &b| step(a).total_cmp(&step(b)))?;
    let length_s = after.time - before.time;
    let middle = (intervals.len() - 1) / 2;
    let (_, usual_s, _) = intervals.select_nth_unstable_by(middle, f64::total_cmp);
    if length_s <= GAP_S || length_s <= GAP_INTERVALS * *usual_s {
        return None;
    }
    Some(Diagnostic {
        subject: message_of(program, after),
        message: format!(
            "nothing was recorded for {length_s:.3} s (from {:.3} s on), where one measurement usually comes {usual_s:.3} s after \
             another: the motion is taken for a straight line of the joints there",
            before.time
        ),
        place: Some(Location::at(&program.source, after.line, None)),
        severity: Severity::Notice,
        code: Code::RecordingGap,
    })
}

/// Recordings have no lines: it is the message that is counted.
fn message_of(program: &Program, waypoint: &Waypoint) -> String {
    format!("{}, message {}", program.source.display(), waypoint.line)
}

/// Open questions about steps of more than half a turn between two measurements: the joint may have
/// gone the other way round. One is told for each joint.
fn may_be_wrapped(program: &Program, cell: &Cell, columns: &[JointId]) -> Vec<Diagnostic> {
    let mut open = Vec::new();
    for (column, &joint) in columns.iter().enumerate() {
        if cell.joints[joint].kind != JointKind::Continuous
            || program.columns[column].quantity != Quantity::Measured
        {
            continue;
        }
        let is_far = |[before, after]: &[&Waypoint; 2]| {
            (after.positions[column] - before.positions[column]).abs() > PI
        };
        let steps = program
            .waypoints
            .iter()
            .zip(program.waypoints.iter().skip(1));
        let Some([before, after]) = steps.map(|(before, after)| [before, after]).find(is_far)
        else {
            continue;
        };
        let shown = |q: f64| cell.joints[joint].kind.show(q);
        open.push(Diagnostic {
            subject: message_of(program, after),
            message: format!(
                "`{}` goes from {} to {} between two measurements: it may have turned the other way round, if its driver wraps \
                 values at half a turn; record values that are not wrapped",
                cell.joint_label(joint),
                shown(before.positions[column]),
                shown(after.positions[column]),
            ),
            place: Some(Location::at(&program.source, after.line, None)),
            severity: Severity::Open,
            code: Code::FullTurn,
        });
    }
    open
}
