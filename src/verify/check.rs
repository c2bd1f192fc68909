//! One program against a prepared cell.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path as FilePath;
use std::time::Instant;

use super::limits::violations;
use super::prepare::{Prepared, reported};
use super::{Job, Scenes, Settings};
use crate::engines::bisection::{CheckOptions, check, near_misses};
use crate::findings::{FilePlace, ProgramOutcome, Statistics, Verdict};
use crate::import::ImportError;
use crate::model::{Path, PathError, Program, Remark};

/// A program about which nothing is known yet.
pub(super) fn unverified(file: &FilePath, error: Option<String>) -> ProgramOutcome {
    ProgramOutcome {
        program: file.display().to_string(),
        verdict: Verdict::Unverified,
        interpolation: None,
        duration: None,
        timed: None,
        waypoints: None,
        joints: Vec::new(),
        lines: Vec::new(),
        first_contact: None,
        contacts: Vec::new(),
        near_misses: Vec::new(),
        minimum_clearance: None,
        pair_minimums: Vec::new(),
        limits: Vec::new(),
        unchecked: Vec::new(),
        error,
        error_at: None,
        statistics: Statistics::default(),
    }
}

/// How one program is read, and who looks on.
pub(super) struct Hooks<'h> {
    /// Reads it.
    pub(super) load: &'h dyn Fn() -> Result<Program, ImportError>,
    /// Is shown its path before the check.
    pub(super) laid: &'h dyn Fn(&Path),
    /// Is told the share of the check that is done, 0 … 1.
    pub(super) progress: &'h dyn Fn(f64),
}

/// Reads a program, lays it onto the cell, and checks it. Whatever goes wrong stays within this program.
pub(super) fn program(
    file: &FilePath,
    prepared: &Prepared,
    scenes: &Scenes,
    (job, settings): (&Job, &Settings),
    hooks: &Hooks,
) -> ProgramOutcome {
    let attempt = || verified(file, prepared, scenes, (job, settings), hooks);
    // A fault of ours in one program must neither stop the others nor pass for a verdict.
    match catch_unwind(AssertUnwindSafe(attempt)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(trouble)) => ProgramOutcome {
            error_at: trouble.at,
            ..unverified(file, Some(trouble.error))
        },
        Err(_) => unverified(
            file,
            Some(
                "internal error: the check broke off; please report it with this program and cell"
                    .to_owned(),
            ),
        ),
    }
}

/// Why a program cannot be checked.
struct Trouble {
    error: String,
    at: Option<FilePlace>,
}

impl Trouble {
    fn import(error: &ImportError) -> Self {
        Self {
            error: error.to_string(),
            at: Some(place(error)),
        }
    }

    fn path(error: &PathError) -> Self {
        Self {
            error: error.to_string(),
            at: Some(FilePlace {
                file: error.file.display().to_string(),
                line: Some(error.line),
                column: None,
            }),
        }
    }
}

/// Where an input is wrong, as reports say it.
pub(super) fn place(error: &ImportError) -> FilePlace {
    FilePlace {
        file: error.place.file.display().to_string(),
        line: error.place.line,
        column: error.place.column,
    }
}

fn verified(
    file: &FilePath,
    prepared: &Prepared,
    scenes: &Scenes,
    (job, settings): (&Job, &Settings),
    hooks: &Hooks,
) -> Result<ProgramOutcome, Trouble> {
    let program = (hooks.load)().map_err(|e| Trouble::import(&e))?;
    let (path, remarks) =
        Path::lay(&program, &prepared.cell, job.interpolation).map_err(|e| Trouble::path(&e))?;
    (hooks.laid)(&path);
    let progress = hooks.progress;
    let options = CheckOptions {
        resolution: settings.resolution,
        all: job.all,
        minimum: job.minimum,
    };
    let start = Instant::now();
    // Near misses are a search of their own, over the same motion.
    let searches = 1.0 + f64::from(u8::from(scenes.near.is_some()));
    let found = check(&scenes.contact, &path, &options, &|share| {
        progress(share / searches)
    });
    let mut statistics = found.statistics;
    let near = scenes.near.as_ref().map(|scene| {
        let (near, work) = near_misses(scene, &path, settings.resolution, &|share| {
            progress((1.0 + share) / searches);
        });
        statistics.intervals += work.intervals;
        statistics.distance_tests += work.distance_tests;
        statistics.triangle_tests += work.triangle_tests;
        near
    });
    let limits = match settings.limits {
        true => violations(&prepared.cell, &path),
        false => Vec::new(),
    };
    let open = || {
        prepared
            .unchecked
            .iter()
            .chain(&prepared.notes)
            .chain(&remarks)
            .filter(|r| r.open)
    };
    Ok(ProgramOutcome {
        verdict: match open().next() {
            Some(_) => found.verdict.max(Verdict::Unverified),
            None => found.verdict,
        },
        interpolation: Some(path.interpolation.word().to_owned()),
        duration: Some(path.duration()),
        timed: Some(path.timed),
        waypoints: Some(program.waypoints.len()),
        joints: program
            .columns
            .iter()
            .map(|c| label(prepared, &c.joint))
            .collect(),
        lines: program.waypoints.iter().map(|w| w.line).collect(),
        first_contact: found.first_contact,
        contacts: found.contacts,
        near_misses: near.unwrap_or_default(),
        minimum_clearance: found.minimum,
        pair_minimums: found.pair_minimums,
        limits,
        unchecked: reported(&remarks),
        error: open()
            .next()
            .map(|first| open_question(first, open().count())),
        statistics: Statistics {
            check_seconds: start.elapsed().as_secs_f64(),
            ..statistics
        },
        ..unverified(file, None)
    })
}

/// The joint's name in reports; programs may also say `robot/joint` where `joint` would do.
fn label(prepared: &Prepared, name: &str) -> String {
    match prepared.cell.joints_named(name)[..] {
        [joint] => prepared.cell.joint_label(joint),
        _ => name.to_owned(),
    }
}

fn open_question(first: &Remark, n: usize) -> String {
    let more = match n {
        1 => String::new(),
        _ => format!(" (and {} more)", n - 1),
    };
    format!(
        "the question stays open: {}: {}{more}",
        first.what, first.why
    )
}
