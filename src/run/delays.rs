//! `--any-delay`: the question as the proof takes it, and its answer as reports tell it.

use clearance_proof::check::bisection::CheckResult;
use clearance_proof::check::delay::{DelayOptions, DelayableProgram, DelayedPrograms, WholeCell};
use clearance_proof::model::Cell;

use super::motion::Motion;
use super::uncovered::nothing_checked_at;
use super::{Job, MinimumScope};
use crate::error::Error;
use crate::findings::{Diagnostic, MinimumClearance, Verdict};

/// The programs of a run, each with its own events.
///
/// # Errors
/// When the question makes no sense, or when events make bodies depend on more than one program.
pub(super) fn delayable(job: &Job, motion: &Motion, cell: &Cell) -> Result<DelayedPrograms, Error> {
    if motion.parts.len() < 2 {
        return Err(Error::usage(
            "--any-delay is about several programs; give one for each robot with --program",
        ));
    }
    if job.audit_allowed {
        return Err(Error::usage(
            "--any-delay does not say what allowed pairs do; leave out --audit-allowed",
        ));
    }
    if let (true, Some(first)) = (motion.by_program.is_empty(), motion.timeline.events.first()) {
        return Err(first
            .error(
                "with --any-delay every event belongs to one program, whose delay it shares",
                "put the events of each program into a file beside it, and leave out --events",
            )
            .into());
    }
    let programs = motion.parts.iter().enumerate();
    let programs = programs.map(|(k, part)| DelayableProgram {
        name: part.program.source.display().to_string(),
        track: part.track(),
        timeline: motion.by_program.get(k).cloned().unwrap_or_default(),
    });
    Ok(DelayedPrograms::new(programs.collect(), cell)?)
}

/// The question about delays.
pub(super) struct DelayQuestion<'q> {
    pub job: &'q Job,
    pub motion: &'q Motion,
    /// Whether there are any.
    pub events: bool,
    pub whole: WholeCell<'q>,
    /// Metres.
    pub resolution: f64,
}

/// The answer about delays, beside the part that the check's result takes in.
pub(super) struct DelayAnswer {
    /// Where some delay leaves no pair to compare.
    pub unpaired: Option<Diagnostic>,
    /// Why the least clearance stays open.
    pub least_open: Option<String>,
    /// The times of all programs at the first contact, where it takes a delay.
    pub times: Option<Vec<f64>>,
}

/// Asks for every delay up to so many seconds, and takes the answer into what was found without
/// delay.
///
/// # Errors
/// When the events of two programs together ask for what cannot be.
pub(super) fn over_delays(
    programs: &DelayedPrograms,
    question: &DelayQuestion,
    delay_s: f64,
    found: &mut CheckResult,
    progress: &dyn Fn(f64),
) -> Result<DelayAnswer, Error> {
    let DelayQuestion { job, whole, .. } = question;
    let (cell, time_limit) = (whole.scene.cell, &whole.scene.time_limit);
    // A contact that needs no delay does not say what comes before it at other delays.
    let touches = found.verdict == Verdict::Collision;
    let known = found.first_contact.iter().filter(|_| touches);
    let options = DelayOptions {
        delay_s,
        resolution: question.resolution,
        all: job.all,
        span: question.motion.span(),
        until: known.map(|c| c.time).fold(f64::INFINITY, f64::min),
        minimum: job.minimum_scope().is_some(),
        most_boxes: DelayOptions::MOST_BOXES,
    };
    let unpaired = if question.events {
        programs.unpaired(cell, options)?
    } else {
        None
    };
    let known: Vec<MinimumClearance> = (found.pair_minimums.iter().cloned())
        .chain(found.minimum_by_class.iter().map(|c| c.least.clone()))
        .chain(found.minimum.clone())
        .collect();
    let delayed = programs.search(whole, options, &known, progress)?;
    let unsearched = delayed.minimum_given_up() && !time_limit.was_exceeded();
    found.merge_delayed_minimums(&delayed, job.minimum_pairs, time_limit.was_exceeded());
    if job.minimum_scope() != Some(MinimumScope::Classes) {
        // These are of the pairs that depend on the delay alone, and nobody asks for them.
        found.minimum_by_class.clear();
    }
    Ok(DelayAnswer {
        unpaired: unpaired.as_ref().map(nothing_checked_at),
        least_open: unsearched.then(|| open_minimum(DelayOptions::MOST_BOXES)),
        times: found.merge_delays(delayed, cell),
    })
}

/// The message where least distances over delays were left before they were followed to the
/// resolution.
fn open_minimum(boxes: u64) -> String {
    format!(
        "the least clearance over all delays stays open: after {boxes} boxes of times it is only known to lie between the two \
         lengths that are told; ask for a smaller --any-delay, a coarser --resolution, or leave out --minimum"
    )
}
