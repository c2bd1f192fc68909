//! Any program as a program of moves.

use std::path::PathBuf;

use clearance_formats::program::motion::{ImportedMoves, write};
use clearance_formats::program::{many, read, refuse_mixed_units};
use clearance_proof::model::moves::{Frame, Move, MoveKind, MoveProgram, Speed, Target, Zone};
use clearance_proof::model::{
    Cell, CellTrajectory, JointKind, Program, Quantity, RigidError, Robot, Waypoint,
};
use clearance_proof::report::Location;
use nalgebra::Isometry3;

use super::load::{Fetched, fetch, parse, passed_over, waypoints};
use super::motion::{StartOf, qualify, set_start};
use super::taught::Taught;
use super::{CellJob, Job, controller_program};
use crate::error::Error;
use crate::findings::{Code, Diagnostic, Severity};

/// A program of moves as text.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted {
    /// The file.
    pub text: String,
    /// What whoever converts it must know beside it.
    pub said: Vec<String>,
}

/// Whether the program of a job is in the language of a controller: what it says depends on the
/// cell.
///
/// # Errors
/// When it cannot be read.
pub fn needs_cell(job: &Job) -> Result<bool, Error> {
    let file = only(job)?;
    if is_one_of_many(job)? {
        return Ok(false);
    }
    let bytes = read(file)?;
    Ok(clearance_programs::recognise(&bytes, file).is_some())
}

fn only(job: &Job) -> Result<&PathBuf, Error> {
    match &job.programs[..] {
        [file] => Ok(file),
        _ => Err(Error::usage(
            "one program is converted at a time: name one file",
        )),
    }
}

/// Whether the program stands in a file of many, or is such a file.
fn is_one_of_many(job: &Job) -> Result<bool, Error> {
    let file = only(job)?;
    if let Some(both) = many::shadowed(file) {
        return Err(both.into());
    }
    Ok(many::place(file).is_some() || many::names(file, &job.layout)?.is_some())
}

/// A program of moves that says what a way through a controller's program says: the only one, or
/// the one with this number, counted from 1. What of its motion is not known is listed in it, so
/// that it is never taken for all of the motion; and so is what is taken for granted.
///
/// # Errors
/// When it cannot be read, or has no such way.
pub fn convert_controller_program(job: &Job, way: Option<usize>) -> Result<Converted, Error> {
    let loaded = job.cell.load()?;
    let file = only(job)?;
    let bytes = read(file)?;
    let reading = controller_program::ways(file, &bytes, None, job, &loaded, &read);
    let reading = reading.ok_or_else(|| {
        Error::usage(format!(
            "{}: no controller's program; --way and --routine are for these",
            file.display()
        ))
    });
    let reading = reading??;
    if reading.join {
        return Err(Error::usage(format!(
            "{}: ways through it part and join again, so that none of them is written to its end; verify the program itself",
            file.display()
        )));
    }
    let ways = &reading.ways;
    let chosen = match (way, &ways[..]) {
        (None, [only]) => only,
        (None, _) => {
            return Err(Error::SeveralWays {
                file: file.to_path_buf(),
                ways: ways.iter().map(|way| way.name.clone()).collect(),
            });
        }
        (Some(k), _) => (ways.get(k.wrapping_sub(1))).ok_or_else(|| {
            let (file, count) = (file.display(), ways.len());
            Error::usage(format!(
                "{file}: --way {k}, but there are {count} ways; give 1 to {count}"
            ))
        })?,
    };
    Ok(Converted {
        text: write(&controller_program::moves(chosen, &reading, &loaded.cell)),
        said: shown(controller_program::remarks(&reading, chosen)).collect(),
    })
}

/// A program of moves that says what a table, a message or a program of moves says. `cell` tells
/// which joints of a table slide whose columns do not say so, and is asked what a check would ask:
/// of a file in which every number has its unit nobody can ask any more.
///
/// # Errors
/// When the program or the cell cannot be read, or when the program has no routine and one is asked
/// for, or says more than moves can: velocities at its waypoints, what the robot carries. When a
/// check would refuse its values; without a cell, when a column without a unit has values that may
/// be degrees.
pub fn convert(job: &Job, cell: Option<&CellJob>) -> Result<Converted, Error> {
    let file = only(job)?;
    let loaded = cell.map(CellJob::load).transpose()?;
    let cell = loaded.as_ref().map(|loaded| &loaded.cell);
    let routine = job.routine.as_deref();
    let tips = loaded
        .as_ref()
        .map(|loaded| loaded.planning_tips(None))
        .unwrap_or_default();
    let mut said = Vec::new();
    let taught = match cell {
        Some(cell) => {
            said.extend(shown(passed_over(job, cell)));
            match fetch(file, job, cell)? {
                Fetched::Bytes(bytes) => parse(file, &bytes, routine, &tips)?,
                Fetched::Program(program) => waypoints(file, *program, job)?,
            }
        }
        None if is_one_of_many(job)? => {
            return Err(Error::usage(format!(
                "{}: the cell tells which columns of a file of many programs are joints; name it (--cell)",
                file.display()
            )));
        }
        None => parse(file, &read(file)?, routine, &tips)?,
    };
    let mut program = match taught {
        Taught::Moves(mut motion) => {
            if let (None, Some(cell)) = (&motion.slides, cell) {
                motion.slides = Some(controller_program::slides(&motion.program, cell));
            }
            let text = write(&motion);
            return Ok(Converted { text, said });
        }
        Taught::Waypoints(program) => program,
    };
    said.extend(shown(state_as_columns(&mut program, cell)?));
    if program.waypoints.iter().any(|w| w.velocities.is_some()) {
        return Err(Error::usage(format!(
            "{}: its waypoints have velocities, so between them it does not go straight as moves do; check it as it is",
            file.display()
        )));
    }
    match cell {
        Some(cell) => said.extend(shown(held_to(cell, &mut program)?)),
        None => said.extend(without_units(&program)?),
    }
    said.extend(unjudged_speeds(&program));
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
            Quantity::Unstated | Quantity::Message | Quantity::Measured => {
                cell.is_some_and(|cell| slides_in(cell, &column.joint))
            }
        });
    let motion = ImportedMoves {
        in_radians: true,
        slides: Some(slides.map(|column| column.joint.to_string()).collect()),
        program: moves(&program),
        unproved: false,
        assumed: Vec::new(),
    };
    let text = write(&motion);
    Ok(Converted { text, said })
}

/// Asks of a program what a check would ask, and leaves out columns of joints that follow others:
/// their values are those of the law, and moves do not name them.
///
/// # Errors
/// When a check would refuse it.
fn held_to(cell: &Cell, program: &mut Program) -> Result<Vec<Diagnostic>, Error> {
    let mut follows = vec![true; program.columns.len()];
    let mut said = Vec::new();
    for meant in meanings(program, cell) {
        let for_cell = CellTrajectory::new(&meant, cell, None)?;
        refuse_mixed_units(&meant, &for_cell.columns, cell)?;
        for (follows, &joint) in follows.iter_mut().zip(&for_cell.columns) {
            *follows &= cell.joints[joint].mimic.is_some();
        }
        let new = for_cell.remarks.into_iter();
        said.extend(new.filter(|remark| remark.code != Code::LateStart));
    }
    for at in (0..follows.len()).rev().filter(|&at| follows[at]) {
        program.columns.remove(at);
        for waypoint in &mut program.waypoints {
            waypoint.change_columns(|values, _| {
                values.remove(at);
            });
        }
    }
    Ok(said)
}

/// The programs that may be meant: where several robots have a joint of its names, that of each of
/// them.
fn meanings(program: &Program, cell: &Cell) -> Vec<Program> {
    let joints = |program: &Program| {
        let columns = program.columns.iter();
        let joints = columns.map(|column| cell.joints_named(&column.joint).len());
        joints.collect::<Vec<usize>>()
    };
    if joints(program).iter().all(|&joints| joints <= 1) {
        return vec![program.clone()];
    }
    let of_robot = |robot: &Robot| {
        let mut own = program.clone();
        qualify(&mut own, &robot.name, cell).ok()?;
        joints(&own)
            .iter()
            .all(|&joints| joints == 1)
            .then_some(own)
    };
    let found: Vec<Program> = cell.robots.iter().filter_map(of_robot).collect();
    if found.is_empty() {
        // The check says what is wrong with its names.
        vec![program.clone()]
    } else {
        found
    }
}

/// What nobody can ask without the cell: whether values without a unit are degrees, or lengths.
///
/// # Errors
/// When they may well be.
fn without_units(program: &Program) -> Result<Option<String>, Error> {
    let columns = program.columns.iter().enumerate();
    let open = columns.filter(|(_, column)| column.quantity == Quantity::Unstated);
    let open: Vec<(usize, &str)> = open.map(|(at, c)| (at, &*c.joint)).collect();
    let file = program.source.display();
    for waypoint in &program.waypoints {
        let far =
            |&&(at, _): &&(usize, &str)| waypoint.positions[at].abs() > Program::MANY_TURNS_RAD;
        if let Some((at, name)) = open.iter().find(far) {
            return Err(Error::usage(format!(
                "{file}:{}: `{name}` is {} here, without a unit, and may be meant in degrees; write `{name}[deg]` in the header if so, \
                 its true unit if not, or name the cell (--cell)",
                waypoint.line, waypoint.positions[*at]
            )));
        }
    }
    let names: Vec<String> = open.iter().map(|(_, name)| format!("`{name}`")).collect();
    let note = || {
        format!(
            "{file}: columns without a unit are taken as radians: {}; with the cell (--cell) it is asked whether that can be meant",
            names.join(", ")
        )
    };
    Ok((!names.is_empty()).then(note))
}

/// Moves have no times: what a table says of them is no longer held against limits.
fn unjudged_speeds(program: &Program) -> Option<String> {
    program.timed.then(|| {
        format!(
            "{}: its times stay as durations of moves, which are for estimates only: in a program of moves speeds are not held \
             against limits; check the program as it is for that",
            program.source.display()
        )
    })
}

fn shown(said: Vec<Diagnostic>) -> impl Iterator<Item = String> {
    let line = |Diagnostic {
                    subject, message, ..
                }| format!("{subject}: {message}");
    said.into_iter().map(line)
}

/// What a message states before its trajectory becomes columns that stay: moves say where all
/// joints are. Says what of it could not be used.
///
/// # Errors
/// When it cannot be said so.
fn state_as_columns(program: &mut Program, cell: Option<&Cell>) -> Result<Vec<Diagnostic>, Error> {
    let Some(start) = &program.start else {
        return Ok(Vec::new());
    };
    let file = program.source.display().to_string();
    let refuse = |why: &str| Err(Error::usage(format!("{file}: {why}")));
    if !start.carried.is_empty() {
        return refuse(
            "the robot carries something by `trajectory_start`, which a program of moves cannot say; check it as it is",
        );
    }
    if start.joints.is_empty() {
        return Ok(Vec::new());
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
        None => Ok(said),
    }
}

fn moves(program: &Program) -> MoveProgram {
    let first = program.waypoints.iter().take(1).map(|w| (w, None));
    let pairs = program.waypoints.windows(2);
    let others = pairs.map(|w| (&w[1], program.timed.then(|| w[1].time - w[0].time)));
    let step = |(to, duration): (&Waypoint, Option<f64>)| Move {
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
        joints: program
            .columns
            .iter()
            .map(|c| c.joint.to_string())
            .collect(),
        start: None,
        model_difference: RigidError::default(),
        moves: first.chain(others).map(step).collect(),
        goes_round: false,
        turn_lead: 0.0,
        unknown: Vec::new(),
        passed_over: Vec::new(),
    }
}
