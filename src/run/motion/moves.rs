//! Programs of moves on the way to the motion that is checked.

use std::path::PathBuf;
use std::sync::Arc;

use clearance_formats::LoadedCell;
use clearance_formats::program::motion::{ImportedMoves, is_motion};
use clearance_proof::ProofError;
use clearance_proof::model::moves::{MoveKind, MoveProgram};
use clearance_proof::model::{
    Cell, CellTrajectory, Column, JointId, JointKind, MotionInstant, Program, Quantity, Segment,
    Waypoint,
};
use clearance_proof::motion::programmed::{CellMoves, MoveEnd, MovedJoint};

use super::Motion;
use super::bare_tool::ProgramTool;
use super::first_target;
use super::followers::leave_out_followers;
use super::model_difference::ModelDifference;
use super::move_remarks::remarks;
use super::part::ProgramPart;
use super::robot::robot_of;
use super::wrong::wrong;
use crate::error::Error;
use crate::findings::{Diagnostic, MoveFact};
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
        leave_out_followers(&mut program, cell);
        start_of_cell(&mut program, loaded);
        let laid = if named.narrow {
            CellMoves::with_narrow_ranges
        } else {
            CellMoves::new
        };
        let for_cell = laid(&program, cell, job.orientation_tube)?;
        if let Some(slides) = &slides
            && let Some(problem) = stated_otherwise(slides, &program, &for_cell, cell)
        {
            let remedy = "name the joints that slide, and no others, in `slides`";
            return Err(fail(problem, remedy));
        }
        let model_difference = ModelDifference::of(&program, &for_cell, loaded, job);
        let mut said: Vec<Diagnostic> = (model_difference.iter())
            .map(|difference| difference.remark(cell))
            .collect();
        said.extend(assumed.iter().map(taken_for_granted));
        if unproved {
            said.extend(first_target::notice(&program, &for_cell, loaded));
            said.extend(first_target::order_of_joints(&program, loaded));
            said.extend(first_target::unusual(&program, loaded));
        }
        for (segment, span) in for_cell.trajectory.segments.iter().zip(&for_cell.spans) {
            if let Some((problem, remedy)) = segment.unusable(cell, false) {
                let to = (span.segment + 1).min(for_cell.ends.len() - 1);
                let place = &for_cell.ends[to].place;
                return Err(wrong(place.file.as_ref(), place.line, problem, remedy));
            }
        }
        let waypoints = waypoints(source, &for_cell, cell);
        if in_radians {
            let checked = waypoints.refuse_degrees(cell, &for_cell.columns);
            checked.map_err(|error| of_its_move(error, &for_cell.ends))?;
        }
        Ok(ProgramPart {
            named: named.clone(),
            program: waypoints,
            taught: for_cell.columns.len(),
            for_cell: CellTrajectory {
                trajectory: Arc::new(for_cell.trajectory.clone()),
                columns: for_cell.columns.clone(),
                full_turns: Vec::new(),
                remarks: remarks(&program, &for_cell, job).chain(said).collect(),
            },
            joints: for_cell.columns.clone(),
            moves: Some(Box::new(for_cell)),
            tool: ProgramTool::of(&program, cell),
            estimated: false,
            model_difference,
        })
    }

    /// Where an instant of its trajectory is among its waypoints: its segments are the ways between
    /// them.
    pub(super) fn between_waypoints(&self, instant: MotionInstant) -> MotionInstant {
        let spans = self.moves.as_ref().map(|m| &m.spans);
        match spans.and_then(|spans| spans.get(instant.segment)) {
            Some(span) => MotionInstant::new(span.segment, span.at(instant.fraction)),
            None => instant,
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
        let ends = for_cell.ends.iter().skip(1);
        let fact = |(end, kind): (&MoveEnd, &MoveKind)| MoveFact {
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

/// Of a joint that slides whose values are stated as angles, or the other way round.
fn stated_otherwise(
    slides: &[String],
    program: &MoveProgram,
    for_cell: &CellMoves,
    cell: &Cell,
) -> Option<String> {
    let mut joints = program.joints.iter().zip(&for_cell.columns);
    joints.find_map(|(name, &joint)| {
        let slide = cell.joints[joint].kind == JointKind::Prismatic;
        let (does, stated) = if slide {
            ("slides", "angles")
        } else {
            ("turns", "lengths")
        };
        (slide != slides.contains(name))
            .then(|| format!("`{name}` {does}, and its values are stated as {stated}"))
    })
}

/// The error for degrees at a waypoint, with the file in which its move stands, and how that file
/// states degrees.
fn of_its_move(mut error: ProofError, ends: &[MoveEnd]) -> ProofError {
    let ProofError::Program {
        file, line, remedy, ..
    } = &mut error
    else {
        return error;
    };
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    let extension = extension.to_lowercase();
    match &*extension {
        "script" | "urscript" => {
            *remedy = "URScript takes radians: write `d2r(90)` for 90 degrees".to_owned()
        }
        _ if is_motion(file) => {
            *remedy = "write `\"angle\": \"deg\"` in `units`, or convert them".to_owned()
        }
        _ => (),
    }
    if let Some(end) = ends.iter().find(|end| end.place.line == *line) {
        *file = PathBuf::from(&end.place.file);
    }
    error
}

/// The ends of moves as waypoints; their times are their numbers.
fn waypoints(source: PathBuf, for_cell: &CellMoves, cell: &Cell) -> Program {
    let column = |joint: &JointId| Column {
        joint: cell.joint_label(*joint).into(),
        line: Some(1),
        quantity: Quantity::Message,
    };
    let ends = for_cell.ends.iter().enumerate();
    let waypoint = |(k, end): (usize, &MoveEnd)| {
        Waypoint::new(k as f64, end.q.as_slice(), end.place.line.unwrap_or(1))
    };
    Program {
        source,
        columns: for_cell.columns.iter().map(column).collect(),
        waypoints: ends.map(waypoint).collect(),
        ..Program::default()
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
