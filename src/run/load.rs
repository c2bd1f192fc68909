//! Reads a program, whatever it is written in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clearance_formats::program::motion;
use clearance_formats::program::sequence;
use clearance_formats::program::{events, many};
use clearance_formats::{ImportError, LoadedCell, Problem, program};
use clearance_proof::model::{Cell, Program};

use super::taught::Taught;
use super::{Job, RobotProgram, controller_program};
use crate::findings::{Code, Diagnostic, Location};

/// A program as its file holds it.
#[derive(Debug, Clone)]
pub enum Fetched {
    /// The bytes of a file of its own.
    Bytes(Vec<u8>),
    /// The program as a file of many holds it.
    Program(Box<Program>),
}

/// Gets a program from its file, or from a file of many.
///
/// # Errors
/// When it cannot be read.
pub(super) fn fetch(file: &Path, job: &Job, cell: &Cell) -> Result<Fetched, ImportError> {
    // What is wrong with it comes before what else its name may mean.
    if let Some(error) = events::unread(file).filter(|_| file.symlink_metadata().is_ok()) {
        return Err(error);
    }
    if let Some(both) = many::shadowed(file) {
        return Err(both);
    }
    match many::place(file) {
        Some(place) => {
            let program = many::one(&place, &job.layout, cell)?;
            Ok(Fetched::Program(Box::new(program)))
        }
        // A long table of text, whose name does not tell what it is.
        None if many::names(file, &job.layout)?.is_some() => {
            let place = many::ProgramInFile {
                file: file.to_owned(),
                id: None,
            };
            let program = many::one(&place, &job.layout, cell)?;
            Ok(Fetched::Program(Box::new(program)))
        }
        None => program::read(file).map(Fetched::Bytes),
    }
}

/// Remarks about columns that are not joints, once for each file of many.
pub(super) fn passed_over(job: &Job, cell: &Cell) -> Vec<Diagnostic> {
    let mut said = Vec::new();
    let mut seen: Vec<(PathBuf, Option<String>)> = Vec::new();
    let together = job.together.iter().map(|p| &p.file);
    for program in job.programs.iter().chain(together) {
        let text = program.to_str();
        // A batch has very many of them one after the other.
        let again = |(file, whole): &(PathBuf, Option<String>)| {
            let rest = text.and_then(|text| text.strip_prefix(file.to_str()?));
            whole.is_none() && rest.is_some_and(|rest| rest.starts_with('#'))
        };
        if seen.last().is_some_and(again) {
            continue;
        }
        let Some(place) = many::place(program) else {
            continue;
        };
        let key = (place.file.clone(), place.whole());
        if seen.contains(&key) {
            continue;
        }
        // Whatever is wrong with it is said of its programs.
        if let Ok(members) = many::members(&key.0, key.1.as_deref(), &job.layout, cell)
            && !members.passed_over.is_empty()
        {
            let message = format!(
                "columns that are not joints are not used: {}",
                members.passed_over.join(", ")
            );
            let subject = key.0.display().to_string();
            let of_file = Diagnostic::note(Code::PassedOver, subject, message);
            said.push(of_file.at(Location::file(&key.0)));
        }
        seen.push(key);
    }
    said
}

/// Reads a file; of a program of a controller the only way through it.
///
/// # Errors
/// When it cannot be read, or is not a program.
pub(super) fn load(
    named: &RobotProgram,
    job: &Job,
    loaded: &LoadedCell,
) -> Result<Taught, ImportError> {
    let (file, cell) = (&named.file, &loaded.cell);
    let bytes = match fetch(file, job, cell)? {
        Fetched::Bytes(bytes) => bytes,
        Fetched::Program(program) => return waypoints(file, *program, job),
    };
    let robot = named.robot.as_deref();
    match controller_program::ways(file, &bytes, robot, job, loaded, &program::read) {
        Some(reading) => controller_program::only(file, &reading?, cell),
        None => parse(
            file,
            &bytes,
            job.routine.as_deref(),
            &loaded.planning_tips(robot),
        ),
    }
}

/// A program that is in no language of a controller, once it is read.
///
/// # Errors
/// When a routine of it is asked for: it has none.
pub(super) fn waypoints(file: &Path, program: Program, job: &Job) -> Result<Taught, ImportError> {
    without_routine(file, job.routine.as_deref())?;
    Ok(Taught::Waypoints(program))
}

/// Refuses the name of a routine for a program that has no routines.
fn without_routine(file: &Path, routine: Option<&str>) -> Result<(), ImportError> {
    let Some(routine) = routine else {
        return Ok(());
    };
    Err(ImportError::file(
        file,
        Problem::Syntax {
            cause: format!("the routine `{routine}` is asked for, and the program has no routines"),
            remedy: "only programs of controllers have them; leave the routine out".into(),
        },
    ))
}

/// Parses the bytes of a program that is in no language of a controller. `tips` are those of
/// [`LoadedCell::planning_tips`].
///
/// # Errors
/// When they are not a program, or a routine of it is asked for.
pub(super) fn parse(
    file: &Path,
    bytes: &[u8],
    routine: Option<&str>,
    tips: &BTreeMap<String, String>,
) -> Result<Taught, ImportError> {
    if let Some(error) = events::unread(file) {
        return Err(error);
    }
    let taught = if motion::is_motion(file) {
        Taught::Moves(Box::new(motion::parse(file, bytes)?))
    } else if let Some(moves) = sequence::read(file, bytes, tips) {
        Taught::Moves(Box::new(moves?))
    } else {
        match program::parse(file, bytes) {
            Ok(program) => Taught::Waypoints(program),
            // An error without a line says less than the name of the file does.
            Err(error) if error.place.line.is_none() => {
                return Err(clearance_programs::misnamed(file, bytes).unwrap_or(error));
            }
            Err(error) => return Err(error),
        }
    };
    without_routine(file, routine)?;
    Ok(taught)
}
