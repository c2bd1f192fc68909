//! Tables whose times have no unit, and in which everything moves so slowly that milliseconds may
//! be meant: of a program on a clock of its own that hides speeds, beside others it decides who is
//! where.

use clearance_proof::model::{Cell, Joint, JointId, JointKind, Waypoint};

use super::part::ProgramPart;
use crate::findings::{Code, Diagnostic, Location, Severity};
use crate::run::Job;

/// A program in milliseconds whose fastest joint drives five times as fast as it can looks so slow.
const SLOWEST: f64 = 1.0 / 200.0;
/// Limits above these, rad/s and m/s, are often placeholders: everything would look slow.
const FASTEST_RAD_S: f64 = std::f64::consts::TAU;
const FASTEST_M_S: f64 = 2.0;
/// In milliseconds the steps are whole numbers, 1 or more; a table that is sampled more often has
/// seconds.
const LEAST_STEP: f64 = 1.0;
const LEAST_WAYPOINTS: usize = 3;
/// Who moves less on the whole stands, and has no speed: radians and metres.
const LEAST_TURN_RAD: f64 = 0.1;
const LEAST_SLIDE_M: f64 = 0.05;

/// What is to be said of programs whose times may be milliseconds. `by_time`: events have times, in
/// seconds.
pub(super) fn suspicious_times(
    parts: &[ProgramPart],
    cell: &Cell,
    job: &Job,
    by_time: bool,
) -> Vec<Diagnostic> {
    // Where each may be anywhere while the others move, nothing depends on times.
    let together = parts.len() > 1 && job.any_delay != Some(f64::INFINITY);
    let severity = if together || by_time {
        Severity::Open
    } else {
        Severity::Notice
    };
    let bare = parts.iter().filter(|part| part.program.bare_times);
    bare.filter_map(|part| {
        let program = &part.program;
        let share = share_of_limits(&program.waypoints, cell, &part.for_cell.columns)?;
        let why = format!(
            "its times have no unit and are read as seconds; then no joint ever exceeds 1/{:.0} of its speed limit: state \
             the unit in the header, `time[ms]` for milliseconds, `time[s]` if it is as slow as that",
            (1.0 / share).floor()
        );
        let file = &program.source;
        let line = program.columns.first().and_then(|column| column.line);
        Some(Diagnostic {
            severity,
            ..Diagnostic::notice(Code::SuspiciousTimes, file.display().to_string(), why)
                .at(Location::at(file, line, None))
        })
    })
    .collect()
}

/// The greatest speed that any joint has, as a share of what it can; `None`: the times may well be
/// seconds.
fn share_of_limits(waypoints: &[Waypoint], cell: &Cell, columns: &[JointId]) -> Option<f64> {
    let steps = || waypoints.iter().zip(waypoints.iter().skip(1));
    if waypoints.len() < LEAST_WAYPOINTS || steps().any(|(a, b)| b.time - a.time < LEAST_STEP) {
        return None;
    }
    let mut share = 0.0f64;
    let (mut turned, mut slid) = (0.0, 0.0);
    for (column, &joint) in columns.iter().enumerate() {
        let joint = &cell.joints[joint];
        let fastest = can(joint);
        for (a, b) in steps() {
            let way = (b.positions[column] - a.positions[column]).abs();
            share = share.max(way / (b.time - a.time) / fastest);
            match joint.kind {
                _ if joint.limits.velocity.is_none() => {}
                JointKind::Prismatic => slid += way,
                JointKind::Revolute | JointKind::Continuous => turned += way,
            }
        }
    }
    let moves = turned >= LEAST_TURN_RAD || slid >= LEAST_SLIDE_M;
    (moves && share < SLOWEST).then_some(share)
}

/// How fast a joint can be, rad/s or m/s.
fn can(joint: &Joint) -> f64 {
    let usual = match joint.kind {
        JointKind::Prismatic => FASTEST_M_S,
        JointKind::Revolute | JointKind::Continuous => FASTEST_RAD_S,
    };
    joint
        .limits
        .velocity
        .map_or(usual, |stated| stated.min(usual))
}

#[cfg(test)]
mod tests {
    use clearance_proof::model::Limits;
    use nalgebra::{Isometry3, Vector3};

    use super::*;

    /// The share of a joint that is at these values at these times.
    fn share(velocity: Option<f64>, rows: &[(f64, f64)]) -> Option<f64> {
        let cell = Cell {
            joints: vec![Joint {
                name: "turn".into(),
                robot: 0,
                parent: None,
                parent_from_joint: Isometry3::identity(),
                axis: Vector3::z_axis(),
                kind: JointKind::Revolute,
                limits: Limits {
                    velocity,
                    ..Limits::default()
                },
                mimic: None,
            }],
            ..Cell::default()
        };
        let waypoint = |&(time, q): &(f64, f64)| Waypoint::new(time, &[q][..], 2);
        let waypoints: Vec<Waypoint> = rows.iter().map(waypoint).collect();
        share_of_limits(&waypoints, &cell, &[0])
    }

    #[test]
    fn milliseconds_read_as_seconds_are_told_from_slow_programs() {
        let in_ms = [(0.0, 0.0), (1000.0, 1.0), (1500.0, 1.0)];
        assert_eq!(share(Some(2.0), &in_ms), Some(0.0005));
        // A placeholder counts as a usual limit.
        let usual = share(Some(100.0), &in_ms).unwrap();
        assert!((usual * 1e3 * FASTEST_RAD_S - 1.0).abs() < 1e-12, "{usual}");
        // No limit; too few waypoints; sampled more often; it stands; 1/100 of the limit.
        assert_eq!(share(None, &in_ms), None);
        assert_eq!(share(Some(2.0), &in_ms[..2]), None);
        let often = [(0.0, 0.0), (0.5, 0.0005), (1000.0, 1.0)];
        assert_eq!(share(Some(2.0), &often), None);
        let still = [(0.0, 0.0), (1000.0, 0.05), (1500.0, 0.05)];
        assert_eq!(share(Some(2.0), &still), None);
        let slow = [(0.0, 0.0), (50.0, 1.0), (60.0, 1.0)];
        assert_eq!(share(Some(2.0), &slow), None);
    }
}
