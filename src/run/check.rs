//! One program against a prepared cell.

use std::time::Instant;

use clearance_formats::ImportError;
use clearance_proof::check::TimeLimit;
use clearance_proof::model::{Cell, Phase, Schedule};

use super::answer::ProgramQuestion;
use super::delays::delayable;
use super::motion::Motion;
use super::panics::catch_panic;
use super::prepare::Prepared;
use super::scenes::Scenes;
use super::taught::Taught;
use super::{Job, RobotProgram, Settings};
use crate::error::Error;
use crate::findings::{Code, Diagnostic, ProgramOutcome, Verdict};

/// A program about which nothing is known yet.
pub(super) fn unverified(programs: &[RobotProgram], error: Option<&Error>) -> ProgramOutcome {
    let files = programs.iter().map(|p| match p.file.to_str() {
        // Faster: a batch has very many of them.
        Some(text) => text.to_owned(),
        None => p.file.display().to_string(),
    });
    ProgramOutcome {
        program: match programs {
            [alone] => alone.to_string(),
            _ => {
                let names: Vec<String> = programs.iter().map(RobotProgram::to_string).collect();
                names.join(" + ")
            }
        },
        files: files.collect(),
        error: error.map(Error::to_string),
        ..ProgramOutcome::unknown()
    }
}

/// How programs are read, and who hears of it.
pub(super) struct Hooks<'h> {
    /// Reads one.
    pub(super) load: &'h dyn Fn(&RobotProgram) -> Result<Taught, ImportError>,
    /// Is told the share of the check that is done, 0 … 1.
    pub(super) progress: &'h dyn Fn(f64),
}

/// A cell that is ready, and what is asked of every program in it.
pub(super) struct ReadyCell<'c> {
    pub(super) prepared: &'c Prepared,
    pub(super) scenes: &'c Scenes<'c>,
    pub(super) job: &'c Job,
    pub(super) settings: &'c Settings,
}

/// Reads a program (or several that run together), lays it onto the cell, and checks it. Whatever
/// goes wrong stays within this question.
pub(super) fn checked_or_error(
    programs: &[RobotProgram],
    ready: &ReadyCell,
    hooks: &Hooks,
    time_limit: &TimeLimit,
) -> ProgramOutcome {
    let greatest = std::cell::Cell::new(0.0_f64);
    // It never falls, although some programs are looked at twice; the last step is the answer.
    let progress = |share: f64| {
        let share = share.min(0.999);
        if share > greatest.get() {
            greatest.set(share);
            (hooks.progress)(share);
        }
    };
    let hooks = Hooks {
        progress: &progress,
        ..*hooks
    };
    let checked = |programs: &[RobotProgram]| {
        catch_panic(|| verified(programs, ready, &hooks, time_limit)).flatten()
    };
    match checked(programs) {
        Ok(Checked {
            outcome,
            can_be_narrowed: true,
        }) if is_open(&outcome) && !time_limit.is_limited() => {
            let narrow: Vec<RobotProgram> = programs.iter().map(|p| p.narrowed(true)).collect();
            let again = checked(&narrow).map(|again| again.outcome);
            second_look(outcome, again)
        }
        Ok(Checked { outcome, .. }) => outcome,
        Err(error) => ProgramOutcome {
            error_at: error.place(),
            refused: error.is_refusal(),
            ..unverified(programs, Some(&error))
        },
    }
}

/// The answer of a program that was left open, after a second look with narrower ranges of the
/// joints. The work of both counts. A time limit would not end the search for these ranges, so with
/// one there is no second look.
fn second_look(mut first: ProgramOutcome, again: Result<ProgramOutcome, Error>) -> ProgramOutcome {
    match again {
        Ok(mut again) => {
            let decides = !is_open(&again);
            let (kept, other) = if decides {
                again.narrow_joint_ranges = true;
                (&mut again, &first)
            } else {
                (&mut first, &again)
            };
            kept.statistics.add_work(&other.statistics);
            kept.statistics.check_seconds += other.statistics.check_seconds;
            if decides {
                return again;
            }
        }
        Err(error) => first.add_remarks([Diagnostic::note(
            Code::ToolOrientation,
            "second look".to_owned(),
            format!("with narrower ranges of the joints it ended with: {error}"),
        )]),
    }
    first
}

/// Whether a program is neither proved nor in contact: more exact ranges of the joints may tell.
fn is_open(outcome: &ProgramOutcome) -> bool {
    matches!(outcome.verdict, Verdict::Undecided | Verdict::Possible)
}

/// A program's answer.
struct Checked {
    outcome: ProgramOutcome,
    /// Whether some more work would tell more exactly where the joints are.
    can_be_narrowed: bool,
}

fn verified(
    programs: &[RobotProgram],
    &ReadyCell {
        prepared,
        scenes,
        job,
        settings,
    }: &ReadyCell,
    hooks: &Hooks,
    time_limit: &TimeLimit,
) -> Result<Checked, Error> {
    // Threads that have no program left may help to search this one.
    let _at_work = scenes.contact.threads.work();
    let motion = Motion::read(programs, job, hooks.load, &prepared.loaded)?;
    // Errors of the arm that the program itself shows are allowed for, as well as those that the
    // cell states.
    let more = motion
        .more_errors(&prepared.loaded.cell)
        .filter(|_| !job.ideal);
    let own_cell = more.map(|errors| Cell {
        uncertainty: Some(errors),
        ..prepared.loaded.cell.clone()
    });
    let cell = own_cell.as_ref().unwrap_or(&prepared.loaded.cell);
    let own_scenes = (own_cell.as_ref())
        .map(|cell| scenes.again(cell, &prepared.trees, &prepared.pairs, settings));
    let scenes = own_scenes.as_ref().unwrap_or(scenes);
    let limited = (time_limit.is_limited()).then(|| scenes.within(time_limit));
    let scenes = limited.as_ref().unwrap_or(scenes);
    let delayed = match job.any_delay {
        Some(_) => {
            refuse_errors_with_delays(cell)?;
            Some(delayable(job, &motion, cell)?)
        }
        None => None,
    };
    let start = Instant::now();
    let schedule = schedule_of(&motion, cell, delayed.is_some())?;
    let question = ProgramQuestion {
        job,
        settings,
        prepared,
        cell,
        scenes,
        motion: &motion,
        schedule: schedule.as_ref(),
        time_limit,
    };
    let mut outcome =
        question.answer(delayed.as_ref(), hooks.progress, unverified(programs, None))?;
    outcome.statistics.check_seconds = start.elapsed().as_secs_f64();
    Ok(Checked {
        outcome,
        can_be_narrowed: motion.can_be_narrowed(job),
    })
}

fn refuse_errors_with_delays(cell: &Cell) -> Result<(), Error> {
    if cell.allowed_errors().is_none() {
        return Ok(());
    }
    Err(Error::usage(
        "--any-delay does not allow for errors (those of [uncertainty], or a difference between the arm and its model that a \
         program shows): check the delays in a cell file without [uncertainty] and with `model_difference = \"reported\"`, and \
         the errors without --any-delay",
    ))
}

/// What events make of the motion; `None`: nothing changes the cell.
fn schedule_of(motion: &Motion, cell: &Cell, delays: bool) -> Result<Option<Schedule>, Error> {
    if motion.timeline.cuts().is_empty() {
        return Ok(None);
    }
    let (trajectory, timeline) = (&motion.trajectory, &motion.timeline);
    if !delays {
        return Ok(Some(Schedule::new(cell, trajectory, timeline)?));
    }
    let mut schedule = Schedule::that_waits(cell, trajectory, timeline)?;
    // A program that is late waits for the events at its start.
    if motion.starts_with_an_event() {
        let before = Phase::before(cell, trajectory);
        schedule.phases.insert(0, before);
    }
    Ok(Some(schedule))
}
