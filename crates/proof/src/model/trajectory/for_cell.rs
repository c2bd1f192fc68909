//! From names in a program to polynomials of the cell's joints.

use std::sync::Arc;

use smallvec::SmallVec;

use super::columns::resolve;
use super::followers::check_followers;
use super::{Polynomial, Polynomials, Segment, Trajectory, measured};
use crate::ProofError;
use crate::model::{Cell, Interpolation, JointId, JointKind, Program, Quantity, Waypoint};
use crate::report::{Code, Diagnostic, Location, Severity};

/// A full turn, radians.
const FULL_TURN_RAD: f64 = std::f64::consts::TAU;
/// A step that differs from whole turns by less than this may come from a wrapped value, radians.
const NEARLY_RAD: f64 = 0.2;

/// The trajectory of a program in a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct CellTrajectory {
    /// The motion; joints that the program does not name stand where the cell says.
    pub trajectory: Arc<Trajectory>,
    /// The joint of every column of the program.
    pub columns: Vec<JointId>,
    /// Turning joints that make whole turns from one waypoint to the next.
    pub full_turns: Vec<JointFullTurn>,
    /// Facts about the program that a reader must know.
    pub remarks: Vec<Diagnostic>,
}

/// A turning joint that makes about one or more whole turns from one waypoint to the next. Values
/// are never wrapped: the turn is checked as it is written, but often it is a slip of the software
/// that wrote the program.
#[derive(Debug, Clone, PartialEq)]
pub struct JointFullTurn {
    /// Joint.
    pub joint: JointId,
    /// Value at the first waypoint, radians.
    pub from: f64,
    /// Value at the second waypoint, radians.
    pub to: f64,
    /// How many turns that is, rounded; negative where the joint turns back.
    pub turns: f64,
    /// Line of the second waypoint.
    pub line: usize,
}

impl Trajectory {
    /// Makes the trajectory of a program in a cell. Remarks list what the program leaves open to
    /// the cell (joints that it does not name).
    ///
    /// The law is the one that belongs to the fields, unless `interpolation` asks for another:
    /// positions only → linear, with velocities → cubic, with accelerations → quintic. Every
    /// waypoint has to carry the fields of the law.
    ///
    /// **Degrees.** A program is refused as being in degrees when a turning joint whose unit is not
    /// stated is more than 25 rad from zero, or one with limits is more than a full turn beyond
    /// them, and every turning joint's value taken as degrees is within its limits. Messages state
    /// their unit by definition: for them only the limits count.
    pub fn for_cell(
        program: &Program,
        cell: &Cell,
        interpolation: Option<Interpolation>,
    ) -> Result<(Trajectory, Vec<Diagnostic>), ProofError> {
        let mut for_cell = CellTrajectory::new(program, cell, interpolation)?;
        let resting = cell.resting(
            &for_cell.columns,
            &format!("joints that {} does not name", program.source.display()),
        );
        let of_file = resting.map(|said| said.at(Location::file(&program.source)));
        for_cell.remarks.extend(of_file);
        Ok((Arc::unwrap_or_clone(for_cell.trajectory), for_cell.remarks))
    }
}

impl CellTrajectory {
    /// The same as [`Trajectory::for_cell`], but nothing is said about joints that the program does
    /// not name: others may move them.
    pub fn new(
        program: &Program,
        cell: &Cell,
        interpolation: Option<Interpolation>,
    ) -> Result<Self, ProofError> {
        let fail = |line: usize, problem: String, remedy: String| ProofError::Program {
            file: program.source.clone(),
            line: Some(line),
            problem,
            remedy,
        };
        let columns = resolve(program, cell)?;
        if let Some(w) = program.waypoints.iter().find(|w| {
            w.positions.len() != columns.len()
                || [&w.velocities, &w.accelerations]
                    .into_iter()
                    .flatten()
                    .any(|v| v.len() != columns.len())
        }) {
            return Err(fail(
                w.line,
                "the waypoint has another number of values than the program has joints".into(),
                format!("give {} values", columns.len()),
            ));
        }
        let interpolation = interpolation_of(program, interpolation)?;
        program.refuse_degrees(cell, &columns)?;
        let mut remarks = Vec::new();
        check_followers(program, cell, &columns, interpolation, &mut remarks)?;
        let full_turns = full_turns(program, cell, &columns);
        remarks.extend(
            full_turns
                .iter()
                .map(|turn| full_turn_notice(turn, program, cell)),
        );
        remarks.extend(measured::remarks(program, cell, &columns));

        let waypoints = &program.waypoints;
        let Some(last) = waypoints.len().checked_sub(1) else {
            return Err(fail(
                1,
                "the program has no waypoint".into(),
                "give at least one".into(),
            ));
        };
        // A single waypoint is a segment from itself to itself.
        let mut segments = Vec::with_capacity(last.max(1));
        for k in 0..last.max(1) {
            let (from, to) = (&waypoints[k], &waypoints[(k + 1).min(last)]);
            let segment = segment(cell, interpolation, [from, to], &columns);
            if let Some((problem, remedy)) = segment.unusable(cell, program.timed) {
                return Err(fail(to.line, problem, remedy));
            }
            segments.push(segment);
        }
        if program.timed && program.waypoints[0].time > 0.0 {
            remarks.push(Diagnostic {
                subject: "way to the first waypoint".into(),
                message: format!(
                    "the program starts at {} s; how the robot gets there before is not part of it",
                    program.waypoints[0].time
                ),
                place: Some(Location::at(
                    &program.source,
                    program.waypoints[0].line,
                    None,
                )),
                severity: Severity::Unchecked,
                code: Code::LateStart,
            });
        }
        let trajectory = Trajectory {
            segments,
            interpolation,
            timed: program.timed,
        };
        Ok(CellTrajectory {
            trajectory: Arc::new(trajectory),
            columns,
            full_turns,
            remarks,
        })
    }
}

/// The motion between two waypoints, whether or not its numbers can be computed with. `columns` are
/// the joints of the waypoints' values; all others rest or follow.
pub fn segment(
    cell: &Cell,
    interpolation: Interpolation,
    [from, to]: [&Waypoint; 2],
    columns: &[JointId],
) -> Segment {
    let follows = cell.joints.iter().any(|joint| joint.mimic.is_some());
    let joints = match interpolation {
        Interpolation::Linear if !follows => straight(cell, [from, to], columns),
        _ => curved(cell, interpolation, [from, to], columns),
    };
    let mut segment = Segment {
        start: from.time,
        end: to.time,
        joints,
        errors: None,
    };
    segment.take_over_mimics(cell);
    segment
}

/// The straight lines of joints of which none follows another one: most programs have nothing else.
fn straight(cell: &Cell, [from, to]: [&Waypoint; 2], columns: &[JointId]) -> Polynomials {
    let mut lines: Vec<[f64; 2]> = cell.rest.iter().map(|&q| [q, 0.0]).collect();
    for (column, &joint) in columns.iter().enumerate() {
        let start = from.positions[column];
        lines[joint] = [start, to.positions[column] - start];
    }
    Polynomials::straight(lines)
}

fn curved(
    cell: &Cell,
    interpolation: Interpolation,
    [from, to]: [&Waypoint; 2],
    columns: &[JointId],
) -> Polynomials {
    let mut joints: Vec<Polynomial> = cell.rest.iter().map(|&q| constant(q)).collect();
    for (column, &joint) in columns.iter().enumerate() {
        joints[joint] = interpolate_column(interpolation, from, to, column);
    }
    for (id, joint) in cell.joints.iter().enumerate() {
        if let Some(mimic) = joint.mimic {
            let mut c = joints[mimic.source].map(|x| mimic.multiplier * x);
            c[0] += mimic.offset;
            joints[id] = c;
        }
    }
    joints.into()
}

fn constant(q: f64) -> Polynomial {
    [q, 0.0, 0.0, 0.0, 0.0, 0.0]
}

/// The polynomial of one column between two waypoints; formulas in the module above.
fn interpolate_column(
    interpolation: Interpolation,
    from: &Waypoint,
    to: &Waypoint,
    column: usize,
) -> Polynomial {
    let (p0, p1) = (from.positions[column], to.positions[column]);
    let d = p1 - p0;
    let linear = [p0, d, 0.0, 0.0, 0.0, 0.0];
    let duration = to.time - from.time;
    // One waypoint, or the joint of two trajectories: no time passes, velocities mean nothing.
    if duration <= 0.0 || interpolation == Interpolation::Linear {
        return linear;
    }
    let (Some(v0), Some(v1)) = (&from.velocities, &to.velocities) else {
        return linear;
    };
    let (m0, m1) = (v0[column] * duration, v1[column] * duration);
    if interpolation == Interpolation::Cubic {
        return [p0, m0, 3.0 * d - 2.0 * m0 - m1, m0 + m1 - 2.0 * d, 0.0, 0.0];
    }
    let (Some(a0), Some(a1)) = (&from.accelerations, &to.accelerations) else {
        return linear;
    };
    let square = duration * duration;
    let (b0, b1) = (a0[column] * square, a1[column] * square);
    [
        p0,
        m0,
        0.5 * b0,
        10.0 * d - 6.0 * m0 - 4.0 * m1 - 0.5 * (3.0 * b0 - b1),
        7.0 * m1 + 8.0 * m0 - 15.0 * d + 0.5 * (3.0 * b0 - 2.0 * b1),
        6.0 * d - 3.0 * (m0 + m1) - 0.5 * (b0 - b1),
    ]
}

/// The law that belongs to the fields, or the one asked for if every waypoint carries what it
/// needs.
fn interpolation_of(
    program: &Program,
    asked: Option<Interpolation>,
) -> Result<Interpolation, ProofError> {
    let any = |has: fn(&Waypoint) -> bool| program.waypoints.iter().any(has);
    let interpolation = asked.unwrap_or_else(|| {
        if any(|w| w.accelerations.is_some()) {
            Interpolation::Quintic
        } else if any(|w| w.velocities.is_some()) {
            Interpolation::Cubic
        } else {
            Interpolation::Linear
        }
    });
    if interpolation == Interpolation::Linear {
        return Ok(interpolation);
    }
    let fail = |line: usize, problem: String| ProofError::Program {
        file: program.source.clone(),
        line: Some(line),
        problem,
        remedy: "state them at every waypoint, or ask for --interpolation linear".into(),
    };
    if !program.timed {
        let line = program.waypoints.first().map_or(1, |w| w.line);
        return Err(ProofError::Program {
            file: program.source.clone(),
            line: Some(line),
            problem: format!("{} interpolation needs times", interpolation.as_str()),
            remedy: "add times, or ask for --interpolation linear".into(),
        });
    }
    for (number, w) in program.waypoints.iter().enumerate() {
        let missing = if w.velocities.is_none() {
            "velocities"
        } else if interpolation == Interpolation::Quintic && w.accelerations.is_none() {
            "accelerations"
        } else {
            continue;
        };
        return Err(fail(
            w.line,
            format!(
                "{} interpolation needs {missing}, and waypoint {} has none",
                interpolation.as_str(),
                number + 1
            ),
        ));
    }
    Ok(interpolation)
}

impl Program {
    /// Refuses numbers that can only be meant as degrees; the rule is stated at
    /// [`Trajectory::for_cell`]. `columns` are the joints of its columns.
    ///
    /// # Errors
    /// With the line of the first of them.
    pub fn refuse_degrees(&self, cell: &Cell, columns: &[JointId]) -> Result<(), ProofError> {
        let is_turning = |&(column, &joint): &(usize, &usize)| {
            cell.joints[joint].kind != JointKind::Prismatic
                && self.columns[column].quantity != Quantity::Angle
        };
        let turning = columns.iter().enumerate().filter(is_turning);
        let ranges = turning.clone().map(|(column, &joint)| {
            let stated = self.columns[column].quantity != Quantity::Unstated;
            (column, cell.joints[joint].range_in_radians(stated))
        });
        let ranges: SmallVec<[_; 8]> = ranges.collect();
        let suspect = self.waypoints.iter().find_map(|w| {
            let found = ranges
                .iter()
                .find(|&&(column, range)| range.is_left_by(w.positions[column]));
            found.map(|&(column, _)| (w.line, column, w.positions[column]))
        });
        let Some((line, column, q)) = suspect else {
            return Ok(());
        };
        let fits = |w: &Waypoint| {
            let mut turning = turning.clone();
            turning.all(|(column, &joint)| cell.joints[joint].fits_as_degrees(w.positions[column]))
        };
        if !self.waypoints.iter().all(fits) {
            return Ok(());
        }
        let name = &self.columns[column].joint;
        let remedy = match self.columns[column].quantity {
            // Nothing can state another unit there.
            Quantity::Message | Quantity::Measured => format!(
                "these values are taken as radians: convert them ({q} degrees are {:.4} rad)",
                q.to_radians()
            ),
            _ => format!(
                "write `{name}[deg]` in the header if they are degrees, `{name}[rad]` if not"
            ),
        };
        Err(ProofError::Program {
            file: self.source.clone(),
            line: Some(line),
            problem: format!(
                "joint values look like degrees: `{name}` is {q} rad here, and all turning joints fit when taken as degrees"
            ),
            remedy,
        })
    }
}

impl Cell {
    /// One remark with all joints that keep the cell's value because none of `moved` is one of
    /// them.
    pub fn resting(&self, moved: &[JointId], which: &str) -> Option<Diagnostic> {
        let mut rests: Vec<bool> = self.joints.iter().map(|j| j.mimic.is_none()).collect();
        moved.iter().for_each(|&joint| rests[joint] = false);
        let resting: Vec<String> = (0..self.joints.len())
            .filter(|&joint| rests[joint])
            .map(|joint| {
                let value = self.joints[joint].kind.show(self.rest[joint]);
                format!("{} = {value}", self.joint_label(joint))
            })
            .collect();
        (!resting.is_empty()).then(|| Diagnostic {
            subject: which.to_owned(),
            message: format!("kept at the cell's values: {}", resting.join(", ")),
            place: None,
            severity: Severity::Note,
            code: Code::RestingJoints,
        })
    }
}

/// Turning joints that make whole turns from one waypoint to the next.
fn full_turns(program: &Program, cell: &Cell, columns: &[JointId]) -> Vec<JointFullTurn> {
    let mut found = Vec::new();
    for pair in program.waypoints.windows(2) {
        let values = pair[0].positions.iter().zip(&pair[1].positions);
        for (&joint, (&from, &to)) in columns.iter().zip(values) {
            // Most steps are far from a whole turn.
            if (to - from).abs() < FULL_TURN_RAD / 2.0 - NEARLY_RAD {
                continue;
            }
            let turns = ((to - from) / FULL_TURN_RAD).round();
            if cell.joints[joint].kind != JointKind::Prismatic
                && turns != 0.0
                && (to - from - turns * FULL_TURN_RAD).abs() < NEARLY_RAD
            {
                found.push(JointFullTurn {
                    joint,
                    from,
                    to,
                    turns,
                    line: pair[1].line,
                });
            }
        }
    }
    found
}

/// The notice about a whole turn.
fn full_turn_notice(turn: &JointFullTurn, program: &Program, cell: &Cell) -> Diagnostic {
    Diagnostic {
        subject: format!("{}:{}", program.source.display(), turn.line),
        message: format!(
            "`{}` goes from {} to {}, about {} in one segment: checked as it is written, nothing is wrapped",
            cell.joint_label(turn.joint),
            cell.joints[turn.joint].kind.show(turn.from),
            cell.joints[turn.joint].kind.show(turn.to),
            match turn.turns.abs() {
                1.0 => "a full turn".to_owned(),
                n => format!("{n} full turns"),
            },
        ),
        place: Some(Location::at(&program.source, turn.line, None)),
        severity: Severity::Note,
        code: Code::FullTurn,
    }
}
