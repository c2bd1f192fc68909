//! Any program as a program of moves.

use std::path::Path as FilePath;

use clearance_formats::program::motion::write;
use clearance_formats::program::read;
use clearance_proof::model::moves::{Frame, Move, MoveKind, MoveProgram, Speed, Target, Zone};
use clearance_proof::model::{Cell, JointKind, Program, Quantity, RigidError};
use clearance_proof::report::Location;
use nalgebra::Isometry3;

use super::load::parse;
use super::motion::{StartOf, set_start};
use super::taught::Taught;
use super::{CellJob, Job, native};
use crate::error::Error;
use crate::findings::Severity;

/// Whether a program is in the language of a controller: what it says depends on the cell.
///
/// # Errors
/// When it cannot be read.
pub fn needs_cell(file: &FilePath) -> Result<bool, Error> {
    let bytes = read(file)?;
    Ok(clearance_programs::recognise(&bytes, file).is_some())
}

/// The text of a program of moves that says what a way through a controller's program says: the
/// only one, or the one with this number, counted from 1. What of its motion is not known is listed
/// in it, so that it is never taken for all of the motion.
///
/// # Errors
/// When it cannot be read, or has no such way.
pub fn convert_native(job: &Job, way: Option<usize>) -> Result<String, Error> {
    let loaded = job.cell.load()?;
    let [file] = &job.programs[..] else {
        return Err(Error::usage("one program is converted at a time"));
    };
    let bytes = read(file)?;
    let reading = native::ways(file, &bytes, None, job, &loaded, &read);
    let reading = reading
        .ok_or_else(|| Error::usage(format!("{}: in no controller's language", file.display())));
    let ways = reading??.ways;
    let chosen = match (way, &ways[..]) {
        (None, [only]) => only,
        (None, _) => {
            let names = ways.iter().enumerate();
            let names: Vec<String> = names
                .map(|(k, way)| format!("  {} where {}", k + 1, way.name))
                .collect();
            return Err(Error::usage(format!(
                "{}: {} ways lead through it; choose one with --way:\n{}",
                file.display(),
                ways.len(),
                names.join("\n")
            )));
        }
        (Some(k), _) => (ways.get(k.wrapping_sub(1))).ok_or_else(|| {
            Error::usage(format!("--way {k}: {} ways lead through it", ways.len()))
        })?,
    };
    Ok(write(chosen, &native::slides(chosen, &loaded.cell)))
}

/// The text of a program of moves that says what a table, a message or a program of moves says.
/// `cell` tells which joints of a table slide whose columns do not say so.
///
/// # Errors
/// When the program or the cell cannot be read, or when the program has no routine and one is asked
/// for, or says more than moves can: velocities at its waypoints, what the robot carries.
pub fn convert(
    file: &FilePath,
    routine: Option<&str>,
    cell: Option<&CellJob>,
) -> Result<String, Error> {
    let loaded = cell.map(CellJob::load).transpose()?;
    let bytes = read(file)?;
    match parse(file, &bytes, routine)? {
        Taught::Moves(motion) => Ok(write(&motion.program, &motion.slides)),
        Taught::Waypoints(mut program) => {
            state_as_columns(&mut program, loaded.as_ref().map(|l| &l.cell))?;
            if program.waypoints.iter().any(|w| w.velocities.is_some()) {
                return Err(Error::usage(format!(
                    "{}: its waypoints have velocities, so between them it does not go straight as moves do; check it as it is",
                    file.display()
                )));
            }
            let slides_in = |cell: &Cell, joint: &str| {
                let mut named = cell.joints_named(joint).into_iter();
                named.any(|joint| cell.joints[joint].kind == JointKind::Prismatic)
            };
            let slides = program
                .columns
                .iter()
                .filter(|column| match column.quantity {
                    Quantity::Length => true,
                    Quantity::Angle => false,
                    Quantity::Unstated | Quantity::Message => {
                        (loaded.as_ref()).is_some_and(|l| slides_in(&l.cell, &column.joint))
                    }
                });
            let slides: Vec<String> = slides.map(|c| c.joint.clone()).collect();
            Ok(write(&moves(&program), &slides))
        }
    }
}

/// What a message states before its trajectory becomes columns that stay: moves say where all
/// joints are.
///
/// # Errors
/// When it cannot be said so.
fn state_as_columns(program: &mut Program, cell: Option<&Cell>) -> Result<(), Error> {
    let Some(start) = &program.start else {
        return Ok(());
    };
    let file = program.source.display().to_string();
    let refuse = |why: &str| Err(Error::usage(format!("{file}: {why}")));
    if !start.carried.is_empty() {
        return refuse(
            "the robot carries something by `trajectory_start`, which a program of moves cannot say; check it as it is",
        );
    }
    if start.joints.is_empty() {
        return Ok(());
    }
    let Some(cell) = cell else {
        return refuse(
            "`trajectory_start` states joints that the trajectory does not move; name the cell (--cell): it tells which of them it has",
        );
    };
    let of = StartOf {
        robot: None,
        together: false,
    };
    let said = set_start(program, cell, of)?;
    match said.iter().find(|said| said.severity == Severity::Open) {
        Some(open) => refuse(&open.message),
        None => Ok(()),
    }
}

fn moves(program: &Program) -> MoveProgram {
    let first = program.waypoints.iter().take(1).map(|w| (w, None));
    let pairs = program.waypoints.windows(2);
    let others = pairs.map(|w| (&w[1], program.timed.then(|| w[1].time - w[0].time)));
    let step = |(to, duration): (&clearance_proof::model::Waypoint, Option<f64>)| Move {
        kind: MoveKind::Joint,
        target: Target::Joints(to.positions.to_vec()),
        tool: Frame {
            link: String::new(),
            link_from_frame: Isometry3::identity(),
        },
        zone: Zone::Stop,
        speed: duration.map_or(Speed::Unknown, Speed::Duration),
        label: String::new(),
        routine: String::new(),
        place: Location::at(&program.source, to.line, None),
    };
    MoveProgram {
        source: program.source.clone(),
        name: String::new(),
        robot: None,
        joints: program.columns.iter().map(|c| c.joint.clone()).collect(),
        start: None,
        beside_model: RigidError::default(),
        moves: first.chain(others).map(step).collect(),
        unknown: Vec::new(),
        passed_over: Vec::new(),
    }
}
