//! Programs of moves on the way to the motion that is checked, and what reports say of them.

use std::sync::Arc;

use clearance_formats::LoadedCell;
use clearance_formats::program::motion::ImportedMoves;
use clearance_proof::model::moves::{MoveKind, MoveProgram};
use clearance_proof::model::{
    CellTrajectory, Column, JointId, JointKind, MotionPlace, Program, Quantity, Segment, Waypoint,
};
use clearance_proof::motion::programmed::{CellMoves, HalfCorner, MovedJoint};

use super::Motion;
use super::beside_model::BesideModel;
use super::first_target;
use super::part::ProgramPart;
use super::robot::robot_of;
use super::wrong::wrong;
use crate::error::Error;
use crate::findings::{Code, Diagnostic, Location, MoveFact, Severity};
use crate::run::taught::taken_for_granted;
use crate::run::{Job, RobotProgram};

impl ProgramPart {
    /// A program of moves on the cell.
    pub(super) fn of_moves(
        named: &RobotProgram,
        loaded: &LoadedCell,
        job: &Job,
        file: ImportedMoves,
    ) -> Result<Self, Error> {
        let cell = &loaded.cell;
        let ImportedMoves {
            mut program,
            unproved,
            assumed,
            slides,
            in_radians,
        } = file;
        let source = program.source.clone();
        let fail = |problem: String, remedy: &str| wrong(&source, 1, problem, remedy.to_owned());
        if job.interpolation.is_some() {
            let problem = "moves say themselves how they go".to_owned();
            return Err(fail(problem, "leave out --interpolation"));
        }
        if let Some(robot) = &named.robot {
            if program.robot.as_ref().is_some_and(|r| r != robot) {
                let problem = format!("it is a program for another robot than `{robot}`");
                return Err(fail(problem, "name the robot that the file names"));
            }
            program.robot = Some(robot.clone());
        }
        start_of_cell(&mut program, loaded);
        let laid = if named.narrow {
            CellMoves::with_narrow_ranges
        } else {
            CellMoves::new
        };
        let for_cell = laid(&program, cell, job.orientation_tube)?;
        for (name, &joint) in program.joints.iter().zip(&for_cell.columns) {
            let slide = cell.joints[joint].kind == JointKind::Prismatic;
            if let Some(slides) = &slides
                && slide != slides.contains(name)
            {
                let problem = format!(
                    "`{name}` {}, and its values are stated as {}",
                    if slide { "slides" } else { "turns" },
                    if slide { "angles" } else { "lengths" }
                );
                return Err(fail(
                    problem,
                    "name the joints that slide, and no others, in `slides`",
                ));
            }
        }
        let beside_model = BesideModel::of(&program, loaded);
        let mut said: Vec<Diagnostic> = (beside_model.iter())
            .map(|beside| beside.remark(cell))
            .collect();
        said.extend(assumed.iter().map(taken_for_granted));
        if unproved {
            said.extend(first_target::notice(&program, &for_cell, loaded));
        }
        let line = |k: usize| for_cell.stations[k].place.line.unwrap_or(1);
        for (segment, span) in for_cell.trajectory.segments.iter().zip(&for_cell.spans) {
            if let Some((problem, remedy)) = segment.unusable(cell, false) {
                let to = (span.segment + 1).min(for_cell.stations.len() - 1);
                return Err(wrong(&source, line(to), problem, remedy));
            }
        }
        let column = |joint: &JointId| Column {
            joint: cell.joint_label(*joint).into(),
            line: Some(1),
            quantity: Quantity::Message,
        };
        let waypoint = |k: usize| Waypoint {
            time: k as f64,
            positions: for_cell.stations[k].q.as_slice().into(),
            velocities: None,
            accelerations: None,
            line: line(k),
        };
        let waypoints = Program {
            source,
            columns: for_cell.columns.iter().map(column).collect(),
            waypoints: (0..for_cell.stations.len()).map(waypoint).collect(),
            timed: false,
            start: None,
            begins_with_state: false,
            bare_times: false,
            stamp_ns: None,
        };
        if in_radians {
            waypoints.refuse_degrees(cell, &for_cell.columns)?;
        }
        Ok(ProgramPart {
            named: named.clone(),
            program: waypoints,
            taught: for_cell.columns.len(),
            for_cell: CellTrajectory {
                trajectory: Arc::new(for_cell.trajectory.clone()),
                columns: for_cell.columns.clone(),
                full_turns: Vec::new(),
                remarks: remarks(&program, &for_cell, job)
                    .into_iter()
                    .chain(said)
                    .collect(),
            },
            joints: for_cell.columns.clone(),
            moves: Some(Box::new(for_cell)),
            estimated: false,
            beside_model,
        })
    }

    /// Where a place of its trajectory is among its waypoints: its segments are the ways between
    /// them.
    pub(super) fn between_waypoints(&self, place: MotionPlace) -> MotionPlace {
        let spans = self.moves.as_ref().map(|m| &m.spans);
        match spans.and_then(|spans| spans.get(place.segment)) {
            Some(span) => MotionPlace::new(span.segment, span.at(place.share)),
            None => place,
        }
    }
}

impl Motion {
    /// Whether any of its programs is one of moves.
    pub fn has_moves(&self) -> bool {
        self.parts.iter().any(|p| p.moves.is_some())
    }

    /// Whether the ranges of joints on moves whose tool turns could be made narrower.
    pub fn can_be_narrowed(&self, job: &Job) -> bool {
        job.orientation_tube > 0.0
            && self.parts.iter().any(|part| {
                let turns = |moves: &CellMoves| moves.greatest_turn > 1e-9;
                !part.named.narrow && part.moves.as_deref().is_some_and(turns)
            })
    }

    /// Whether there are corners that may be rounded.
    pub fn has_corners(&self) -> bool {
        let mut for_cell = self.parts.iter().filter_map(|p| p.moves.as_ref());
        for_cell.any(|for_cell| !for_cell.corners.is_empty())
    }

    /// The joints that events move, and where they may be from one time to another.
    pub fn moved_by_events(&self, [from, to]: [f64; 2]) -> Vec<MovedJoint> {
        let mut found = Vec::with_capacity(self.by_events.len());
        for &(joint, ref trajectory) in &self.by_events {
            let segments = &trajectory.segments;
            let meets = |s: &&Segment| s.start <= to && from <= s.end;
            let ends = segments
                .iter()
                .filter(meets)
                .flat_map(|s| [(s, 0.0), (s, 1.0)]);
            // It stands before its first move and after its last one.
            let before = segments.first().filter(|s| from < s.start);
            let after = segments.last().filter(|s| s.end < to);
            let ends = ends
                .chain(before.map(|s| (s, 0.0)))
                .chain(after.map(|s| (s, 1.0)));
            let mut range = [f64::INFINITY, f64::NEG_INFINITY];
            for (segment, share) in ends {
                // Events move joints in straight lines.
                let value = segment.position(joint, share);
                range = [range[0].min(value), range[1].max(value)];
            }
            let [least, greatest] = range;
            found.push(MovedJoint {
                joint,
                least,
                greatest,
            });
        }
        found
    }

    /// The moves of the only program, for the report.
    pub fn moves(&self) -> Vec<MoveFact> {
        let [
            ProgramPart {
                moves: Some(for_cell),
                ..
            },
        ] = &self.parts[..]
        else {
            return Vec::new();
        };
        let own = self.parts[0].program.source.display().to_string();
        let ends = for_cell.stations.iter().skip(1);
        let fact =
            |(end, kind): (&clearance_proof::motion::programmed::Station, &MoveKind)| MoveFact {
                kind: match kind {
                    MoveKind::Joint => "joint",
                    MoveKind::Linear => "linear",
                    MoveKind::Circular { .. } => "circular",
                }
                .to_owned(),
                to: end.label.clone(),
                routine: end.routine.clone(),
                file: Some(&end.place.file).filter(|file| **file != own).cloned(),
                line: end.place.line,
            };
        ends.zip(&for_cell.kinds).map(fact).collect()
    }
}

/// Where a file of moves does not say where it begins, the cell may: for each of its joints, or not
/// at all.
fn start_of_cell(program: &mut MoveProgram, loaded: &LoadedCell) {
    if program.start.is_some() {
        return;
    }
    let cell = &loaded.cell;
    let Some(robot) = robot_of(program, cell) else {
        return;
    };
    let of = |name: &String| {
        let mut start = loaded.robots[robot].start.iter();
        let found =
            start.find(|(j, _)| cell.joints[*j].name == *name || cell.joint_label(*j) == *name);
        found.map(|(_, value)| *value)
    };
    program.start = program.joints.iter().map(of).collect();
}

fn remarks(program: &MoveProgram, for_cell: &CellMoves, job: &Job) -> Vec<Diagnostic> {
    let mut said = Vec::new();
    let mut say = |code, severity, place: Option<Location>, subject: String, message: String| {
        said.push(Diagnostic {
            code,
            place,
            severity,
            subject,
            message,
        });
    };
    if for_cell.from_first_target {
        // Half of this corner lies on a way that is not known, so it is not checked.
        let rounded = |corner: &HalfCorner| corner.share > 0.0;
        let corner = if for_cell.first_corner.as_ref().is_some_and(rounded) {
            ", nor the corner there, which the controller may round"
        } else {
            ""
        };
        let message = format!(
            "the way to the program's first point is not checked{corner}; `start` (in the cell file, or in a file of moves) \
             says where the arm comes from"
        );
        let subject = "way to the first target".to_owned();
        let first = for_cell.stations.first().map(|s| s.place.clone());
        say(
            Code::LateStart,
            Severity::Unchecked,
            first,
            subject,
            message,
        );
    }
    let sized = for_cell.corners.iter().filter(|c| c.sized).count();
    let count = match for_cell.corners.len() {
        1 => "1 corner".to_owned(),
        n => format!("{n} corners"),
    };
    let first = for_cell.corners.first().map(|c| c.place.clone());
    match (for_cell.corners.len(), job.exact_corners) {
        (0, _) => {}
        (_, true) => say(
            Code::RoundedCorners,
            Severity::Unchecked,
            first,
            count,
            "the way through them is not proved, as --corners exact asks: only the way through the taught points is".to_owned(),
        ),
        (all, false) => {
            let model = match (sized, all - sized) {
                (_, 0) => "hull of the stated zones".to_owned(),
                (0, _) => "hull of half of both moves, as no zone is stated".to_owned(),
                (_, n) => format!("hull of the stated zones; of half of both moves at {n} of them, where none is stated"),
            };
            let message = format!("{model}; findings, margins and least clearances are those of the way through the taught points");
            say(Code::RoundedCorners, Severity::Note, first, count, message);
        }
    }
    // One remark for all such corners: a program may have hundreds.
    let beyond = for_cell.corners.iter().filter(|corner| corner.holds_a_move);
    let beyond: Vec<_> = beyond.collect();
    if let Some(first) = beyond.first() {
        let message = "its zone reaches beyond the other end of a move: a controller may refuse it, or pass without rounding".to_owned();
        let label = match first.label.as_str() {
            "" => "corner".to_owned(),
            label => format!("corner at `{label}`"),
        };
        let subject = match beyond.len() - 1 {
            0 => label,
            more => format!("{label} and {more} more"),
        };
        let place = Some(first.place.clone());
        say(
            Code::RoundedCorners,
            Severity::Notice,
            place,
            subject,
            message,
        );
    }
    let last = for_cell.last_corner.as_ref();
    // One that the program comes back to was checked before.
    if let Some(corner) = last.filter(|corner| corner.share > 0.0 && !program.goes_round) {
        let message = "the program does not stop there, and what follows is not part of it: the corner between its last move and \
                       whatever follows, which the controller may round, is not checked"
            .to_owned();
        let subject = "corner at the last point".to_owned();
        let place = for_cell.stations.get(corner.station);
        say(
            Code::RoundedCorners,
            Severity::Unchecked,
            place.map(|station| station.place.clone()),
            subject,
            message,
        );
    }
    if for_cell.greatest_turn > 1e-9 {
        let message = match job.orientation_tube {
            0.0 => "on the way the tool is taken to turn at an even pace about one axis".to_owned(),
            share => {
                let tube = CellMoves::orientation_tube(share, for_cell.greatest_turn);
                format!(
                    "on the way the tool may be off an even turn about one axis by {:.3}° at most ({:.0} % of the greatest turn)",
                    tube.to_degrees(),
                    100.0 * tube / for_cell.greatest_turn
                )
            }
        };
        let subject = "orientation of the tool".to_owned();
        say(
            Code::ToolOrientation,
            Severity::Note,
            None,
            subject,
            message,
        );
    }
    said
}
