//! The conductor: a job from files to outcome. Threads live here; results come in the order of the programs.

mod audit;
mod certificates;
mod check;
mod compare;
mod configurations;
mod convert;
mod corners;
mod curves;
mod delays;
mod depth;
mod draft;
mod events;
pub mod export;
mod extent;
mod inspect;
mod job;
pub mod limits;
mod load;
mod margin;
mod motion;
mod native;
mod opened;
mod pack;
mod prepare;
mod replay;
mod scenes;
mod self_test;
mod serve;
mod suspicious;
mod trees;
mod uncertainty;
mod uncovered;
mod unreachable;
mod up_axis;
mod verifier;

use std::time::Instant;

use rayon::prelude::*;

pub use certificates::Certifier;
pub use compare::{CompareOptions, compare};
pub use configurations::Configurations;
pub use convert::{convert, convert_native, needs_cell};
pub use draft::{DraftJob, complete};
pub use events::{Events, ProgressEvent, Silence};
pub use extent::{Suspicion, bounds, reach};
pub use inspect::inspect;
pub use job::{CacheFolder, CellJob, CellSource, Job, RobotProgram, Settings};
pub use load::Fetched;
pub use opened::OpenedProgram;
pub use pack::{Packed, pack};
pub use prepare::{Prepared, prepare};
pub use replay::{CellPicture, Picture, cell_picture, picture, replay, run_with_picture, stage};
use scenes::{Scenes, warn_distances};
pub use self_test::{SelfTest, SelfTestRecord, Suite};
pub use serve::{Line, Pump, Served, Service, next_line, program_of_line};
pub use trees::{SphereKind, TreeKind, TreeRequest, TreeSource};
pub use unreachable::least_possible;
pub use verifier::Verifier;

use clearance_formats::ImportError;
use clearance_proof::model::JointKind;

use crate::error::Error;
use crate::findings::{
    Code, Diagnostic, Outcome, ProgramOutcome, SCHEMA, Severity, Timing, Verdict,
};

/// Verifies every program of a job. Whatever is wrong with the input is part of the answer.
pub fn run(job: &Job, events: &dyn Events) -> Outcome {
    with_threads(job.cell.threads, || verify(job, events))
}

/// Runs with so many threads; with all cores where none are given, or where they cannot be had.
pub(crate) fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    match threads.map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build()) {
        Some(Ok(pool)) => pool.install(work),
        _ => work(),
    }
}

/// Verifies every program of a job in a cell that has been prepared for it.
pub fn run_in(job: &Job, prepared: &Prepared, events: &dyn Events) -> Outcome {
    with_threads(job.cell.threads, || verify_in(job, prepared, events))
}

/// The answer to a job whose cell could not be read.
pub fn refuse(job: &Job, error: &ImportError) -> Outcome {
    refused(job, None, &Error::Input(error.clone()))
}

fn verify(job: &Job, events: &dyn Events) -> Outcome {
    match prepare(&job.cell, events) {
        Ok(prepared) => verify_in(job, &prepared, events),
        Err(error) => refuse(job, &error),
    }
}

fn verify_in(job: &Job, prepared: &Prepared, events: &dyn Events) -> Outcome {
    let verifier = match Verifier::new(job, prepared) {
        Ok(verifier) => verifier,
        Err(error) => return refused(job, Some(prepared), &error),
    };
    let checks = job.checks();
    if checks.is_empty() {
        return refused(
            job,
            Some(prepared),
            &Error::usage("there is no program to verify"),
        );
    }

    let start = Instant::now();
    let programs: Vec<ProgramOutcome> = checks
        .par_iter()
        .enumerate()
        .map(|(index, programs)| {
            let progress = |fraction| events.event(&ProgressEvent::Program { index, fraction });
            let outcome = verifier.together(programs, &progress);
            events.event(&ProgressEvent::ProgramDone {
                index,
                outcome: &outcome,
            });
            outcome
        })
        .collect();
    let mut outcome = verifier.report_header();
    // No program has been given a verdict that is better than the worst one.
    outcome.verdict = programs
        .iter()
        .map(|p| p.verdict)
        .max()
        .unwrap_or(Verdict::Unverified);
    outcome.programs = programs;
    outcome.timing.check_seconds = start.elapsed().as_secs_f64();
    outcome
}

/// Says so when pairs are not watched for near misses although others are.
fn unwatched(prepared: &Prepared, settings: &Settings) -> Option<Diagnostic> {
    settings.warn?;
    let warn = warn_distances(&prepared.pairs, settings);
    let pairs = prepared.pairs.checked.iter().zip(&warn);
    let mut without = pairs.filter(|(_, warn)| warn.is_none()).map(|(p, _)| p);
    let first = without.next()?;
    let name = |body: usize| prepared.cell.bodies[body].name.as_str();
    let more = match without.count() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    Some(Diagnostic {
        subject: format!("{} – {}{more}", name(first.a), name(first.b)),
        message: "not watched for near misses: the pair's own clearance is not below the warn distance; give its [[pair]] a \
              `warn`"
            .to_owned(),
        place: None,
severity: Severity::Note,
        code: Code::UnwatchedPair,
    })
}

/// The answer when the question cannot even be asked.
pub(crate) fn refused(job: &Job, prepared: Option<&Prepared>, error: &Error) -> Outcome {
    let checks = job.checks();
    Outcome {
        programs: checks
            .iter()
            .map(|programs| check::unverified(programs, Some(error)))
            .collect(),
        error: Some(error.to_string()),
        error_at: error.place(),
        ..unanswered(job, prepared)
    }
}

/// A report without an answer. Settings that cannot be meant are those that hold where nobody says otherwise.
fn unanswered(job: &Job, prepared: Option<&Prepared>) -> Outcome {
    let settings = Settings::of(job, prepared.map(|p| &p.cell)).unwrap_or(Settings {
        clearance: 0.0,
        resolution: Settings::RESOLUTION_M,
        warn: None,
        limits: true,
        method: job.method,
        time_limit: job.time_limit,
    });
    described(job, prepared, &settings)
}

/// Everything but the answer.
fn described(job: &Job, prepared: Option<&Prepared>, settings: &Settings) -> Outcome {
    let mut outcome = Outcome {
        schema: SCHEMA,
        tool: "clearance".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cell: job.cell.source.name(),
        required_clearance: settings.clearance,
        warn: settings.warn,
        uncertainty: Vec::new(),
        resolution: settings.resolution,
        method: settings.method.time.as_str().to_owned(),
        shape: settings.method.backend.as_str().to_owned(),
        verdict: Verdict::Unverified,
        bodies: 0,
        pairs: 0,
        own_thresholds: 0,
        warn_pairs: 0,
        sliding_joints: Vec::new(),
        notices: Vec::new(),
        unchecked: Vec::new(),
        notes: Vec::new(),
        error: None,
        error_at: None,
        programs: Vec::new(),
        timing: Timing::default(),
    };
    outcome.notes.extend(job.cell.default_cell());
    if let Some(prepared) = prepared {
        let cell = &prepared.cell;
        let sliding =
            (0..cell.joints.len()).filter(|&j| cell.joints[j].kind == JointKind::Prismatic);
        outcome.sliding_joints = sliding.map(|j| cell.joint_label(j)).collect();
        outcome.uncertainty = uncertainty::told(cell);
        outcome.bodies = cell.bodies.iter().filter(|b| !b.shapes.is_empty()).count();
        outcome.pairs = prepared.pairs.checked.len();
        outcome.own_thresholds = prepared
            .pairs
            .checked
            .iter()
            .filter(|p| p.clearance.is_some())
            .count();
        let watched = warn_distances(&prepared.pairs, settings);
        outcome.warn_pairs = watched.iter().flatten().count();
        outcome.notices = prepared.notices.clone();
        let wide = suspicious::wide_clearance(cell, settings.clearance);
        outcome.notices.extend(wide);
        outcome.unchecked = prepared.unchecked.clone();
        outcome.notes.extend(prepared.notes.iter().cloned());
        outcome.notes.extend(unwatched(prepared, settings));
        outcome.notes.extend(load::passed_over(job, cell));
        outcome.timing.load_seconds = prepared.load_seconds;
        outcome.timing.tree_seconds = prepared.tree_seconds;
    }
    outcome
}

#[cfg(test)]
mod tests;
