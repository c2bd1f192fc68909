//! A job from files to its outcome: results come in the order of the programs.

use std::time::Instant;

use clearance_proof::check::SpareThreads;
use rayon::prelude::*;

use super::prepare::{Prepared, prepare};
use super::program_hash::hash_of;
use super::report_header::{refuse, refused};
use super::threads::with_threads;
use super::{Job, ProgressEvent, ProgressListener, Verifier, tables};
use crate::error::Error;
use crate::findings::{Outcome, ProgramOutcome, Verdict};

/// Verifies every program of a job. Whatever is wrong with the input is part of the answer.
pub fn run(job: &Job, listener: &dyn ProgressListener) -> Outcome {
    with_threads(job.cell.threads, || verify(job, listener))
}

/// Verifies every program of a job in a cell that has been prepared for it.
pub fn run_in(job: &Job, prepared: &Prepared, listener: &dyn ProgressListener) -> Outcome {
    with_threads(job.cell.threads, || verify_in(job, prepared, listener))
}

fn verify(job: &Job, listener: &dyn ProgressListener) -> Outcome {
    match prepare(&job.cell, listener) {
        Ok(prepared) => verify_in(job, &prepared, listener),
        Err(error) => refuse(job, &error),
    }
}

fn verify_in(job: &Job, prepared: &Prepared, listener: &dyn ProgressListener) -> Outcome {
    let verifier = match Verifier::new(job, prepared) {
        Ok(verifier) => verifier.helped_by(&SpareThreads::of(rayon::current_num_threads())),
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
    let progress =
        |index: usize| move |fraction| listener.event(&ProgressEvent::Program { index, fraction });
    let told = |index: usize, outcome: ProgramOutcome| {
        listener.event(&ProgressEvent::ProgramDone {
            index,
            outcome: &outcome,
        });
        outcome
    };
    let answered = tables::answers(&checks, &verifier, &|index, opened| {
        let hash = hash_of(opened);
        let answer = verifier.verify_opened(opened, &progress(index));
        told(index, ProgramOutcome { hash, ..answer })
    });
    let programs: Vec<ProgramOutcome> = checks
        .par_iter()
        .enumerate()
        .map(|(index, programs)| match answered.get(&index) {
            Some(answer) => answer.clone(),
            None => told(index, verifier.verify_together(programs, &progress(index))),
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
