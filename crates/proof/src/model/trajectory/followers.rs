//! Joints that follow another one (`mimic`), where a program names them: what it states has to obey
//! their law.

use crate::ProofError;
use crate::model::{Cell, Interpolation, JointKind, Program, Quantity, Waypoint};
use crate::report::{Code, Diagnostic, Location, Severity};

/// A mimic joint that the program names must say what its law says, at every waypoint: its position,
/// and with cubic and quintic paths its velocity and acceleration, since controllers interpolate
/// the values of the program.
pub(super) fn check_followers(
    program: &Program,
    cell: &Cell,
    columns: &[usize],
    interpolation: Interpolation,
    remarks: &mut Vec<Diagnostic>,
) -> Result<(), ProofError> {
    for (column, &joint) in columns.iter().enumerate() {
        let Some(mimic) = cell.joints[joint].mimic else {
            continue;
        };
        let name = &program.columns[column].joint;
        let kind = cell.joints[joint].kind;
        let source = cell.joint_label(mimic.source);
        let source_column = columns.iter().position(|&j| j == mimic.source);
        let measured = program.columns[column].quantity == Quantity::Measured;
        let remedy = || match source_column {
            _ if measured => left_out(program, cell, columns, column),
            Some(_) => format!("give it that value, or leave `{name}` out of the program"),
            None => format!("name `{source}` in the program in place of `{name}`"),
        };
        let refused = |line: usize, problem: String| {
            Err(ProofError::Program {
                file: program.source.clone(),
                line: Some(line),
                problem,
                remedy: remedy(),
            })
        };
        for (number, w) in program.waypoints.iter().enumerate() {
            let q = source_column.map_or(cell.rest[mimic.source], |c| w.positions[c]);
            let due = mimic.multiplier * q + mimic.offset;
            let is = w.positions[column];
            if (is - due).abs() > Program::SAME_VALUE {
                let differ = must_be(kind, [due, is], "");
                let problem = format!("`{name}` follows `{source}` and {differ}");
                return refused(w.line, problem);
            }
            let longest = longest_beside(&program.waypoints, number);
            for rate in rates(w, interpolation) {
                let due = mimic.multiplier * source_column.map_or(0.0, |c| rate.values[c]);
                let is = rate.values[column];
                if (is - due).abs() * rate.reach(longest) > Program::SAME_VALUE {
                    let differ = must_be(kind, [due, is], rate.per);
                    let problem = format!(
                        "`{name}` follows `{source}`, and its {} {differ}",
                        rate.what
                    );
                    return refused(w.line, problem);
                }
            }
        }
        remarks.push(Diagnostic {
            subject: name.to_string(),
            message: format!(
                "follows `{source}`; its values in the program agree with that law at every waypoint"
            ),
            place: Some(Location::at(&program.source, program.columns[column].line, None)),
            severity: Severity::Note,
            code: Code::FollowingJoint,
        });
    }
    Ok(())
}

/// The remedy where a joint that follows was measured elsewhere than its law puts it: nobody can
/// give it another value.
fn left_out(program: &Program, cell: &Cell, columns: &[usize], column: usize) -> String {
    let name = &program.columns[column].joint;
    let named = program.columns.iter().zip(columns);
    let leads = named.filter(|(_, joint)| cell.joints[**joint].mimic.is_none());
    let leads: Vec<&str> = leads.map(|(column, _)| &*column.joint).collect();
    let source = cell.joints[columns[column]].mimic.map(|mimic| mimic.source);
    let moves = (program.waypoints.windows(2))
        .any(|w| (w[1].positions[column] - w[0].positions[column]).abs() > Program::SAME_VALUE);
    match source.filter(|source| !columns.contains(source)) {
        Some(source) if moves => format!(
            "record `{}`, which it follows: without it the motion of both would be lost",
            cell.joint_label(source)
        ),
        Some(source) => format!(
            "leave `{name}` out: name the joints that lead by `--joint-columns`, with `{}`; where it was not recorded, the cell \
             file has to state where it stands",
            cell.joint_label(source)
        ),
        None => format!(
            "leave `{name}` out, which follows in any case: `--joint-columns {}`",
            leads.join(",")
        ),
    }
}

/// "must be … here, but is …", with the difference where both are shown alike.
fn must_be(kind: JointKind, [due, is]: [f64; 2], per: &str) -> String {
    let texts = [due, is].map(|value| kind.show(value) + per);
    let unit = match kind {
        JointKind::Prismatic => "m",
        JointKind::Revolute | JointKind::Continuous => "rad",
    };
    let difference = if texts[0] == texts[1] {
        format!(" (a difference of {:.1e} {unit}{per})", (is - due).abs())
    } else {
        String::new()
    };
    let [due, is] = texts;
    format!("must be {due} here, but is {is}{difference}")
}

/// The velocities or accelerations of a waypoint.
struct WaypointRates<'w> {
    values: &'w [f64],
    what: &'static str,
    per: &'static str,
    /// Power of the seconds.
    order: i32,
    /// The greatest value of the polynomial that the path multiplies them by, in a segment of 1 s.
    most: f64,
}

impl WaypointRates<'_> {
    /// How far the path is off, for each unit that a rate is off, in a segment of so many seconds.
    fn reach(&self, seconds: f64) -> f64 {
        self.most * seconds.powi(self.order)
    }
}

/// The velocities and accelerations of a waypoint, as far as its path uses them. The polynomials
/// are those of [`interpolate_column`](super::for_cell): s − 2s² + s³ (at most 4/27), s − 6s³ + 8s⁴ − 3s⁵ (16/81) and
/// ½s²(1 − s)³ (0.01728) at the beginning of a segment, and the same mirrored at its end.
fn rates(waypoint: &Waypoint, interpolation: Interpolation) -> Vec<WaypointRates<'_>> {
    let velocities = |most| {
        let values = waypoint.velocities.as_deref()?;
        Some(WaypointRates {
            values,
            what: "velocity",
            per: "/s",
            order: 1,
            most,
        })
    };
    let accelerations = |most| {
        let values = waypoint.accelerations.as_deref()?;
        Some(WaypointRates {
            values,
            what: "acceleration",
            per: "/s²",
            order: 2,
            most,
        })
    };
    let used = match interpolation {
        Interpolation::Linear => [None, None],
        Interpolation::Cubic => [velocities(0.1482), None],
        Interpolation::Quintic => [velocities(0.1976), accelerations(0.0173)],
    };
    used.into_iter().flatten().collect()
}

/// Time of the longer segment that begins or ends at a waypoint, seconds.
fn longest_beside(waypoints: &[Waypoint], number: usize) -> f64 {
    let beside = &waypoints[number.saturating_sub(1)..waypoints.len().min(number + 2)];
    let times = beside.windows(2).map(|w| w[1].time - w[0].time);
    times.fold(0.0, f64::max)
}
