//! The same question by every method: the answers side by side.

use std::time::Duration;

use clearance_formats::LoadedCell;
use clearance_methods::Method;
use clearance_methods::backends::BackendKind;
use clearance_methods::ranked::CoverRanks;
use clearance_methods::sampling::SamplingStep;
use clearance_proof::model::Cell;

use super::{Job, Prepared, ProgressEvent, ProgressListener, RobotProgram, Settings, Verifier};
use crate::error::Error;
use crate::findings::{Comparison, MethodAnswer, ProgramComparison, SCHEMA};

/// How the methods are used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompareOptions {
    /// From one instant to the next, for samplers.
    pub step: SamplingStep,
    /// Radius of the smallest parts of the shapes that have them, metres; `None`: as in `check`.
    pub leaf_radius: Option<f64>,
    /// The ranks of ranked covers.
    pub ranks: CoverRanks,
    /// A check by another method than the default one is given up after this time.
    pub time_limit: Duration,
}

/// Answers every program of a job with every method, one after the other on one thread, so that times
/// can be compared. Another method than the default one is given up when it takes longer than the time
/// limit. The default method has no limit: its answer is the one that counts.
///
/// # Errors
/// When the settings are not usable.
pub fn compare(
    job: &Job,
    prepared: &Prepared,
    options: &CompareOptions,
    listener: &dyn ProgressListener,
) -> Result<Comparison, Error> {
    let settings = Settings::of(job, Some(&prepared.loaded.settings))?;
    // Only the default method allows for errors: all of them are asked about the ideal motion.
    let uncertainty = prepared.loaded.cell.uncertainty.as_ref();
    let allows = uncertainty.is_some_and(|uncertainty| !uncertainty.is_none());
    let prepared = &Prepared {
        loaded: LoadedCell {
            cell: Cell {
                uncertainty: None,
                ..prepared.loaded.cell.clone()
            },
            ..prepared.loaded.clone()
        },
        ..prepared.clone()
    };
    let jobs: Vec<(Method, Job)> = Method::all(options.step)
        .into_iter()
        .map(|method| {
            let method = Method {
                leaf_radius: options
                    .leaf_radius
                    .filter(|_| method.backend.has_leaf_radius()),
                ranks: match method.backend {
                    BackendKind::Ranked => options.ranks,
                    _ => CoverRanks::default(),
                },
                ..method
            };
            // Limits are the same for all: they are `check`'s to tell.
            let job = Job {
                method,
                limits: Some(false),
                time_limit: (!method.is_default()).then_some(options.time_limit),
                ideal: true,
                ..job.clone()
            };
            (method, job)
        })
        .collect();
    let verifiers = jobs
        .iter()
        .map(|(method, job)| Ok((method, Verifier::new(job, prepared)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    let checks = job.checks().into_iter().enumerate();
    let programs = checks
        .map(|(index, programs)| program(index, &programs, &verifiers, listener))
        .collect();
    Ok(Comparison {
        schema: SCHEMA,
        tool: "clearance".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cell: job.cell.source.name(),
        required_clearance: settings.clearance,
        resolution: settings.resolution,
        step: options.step.to_string(),
        ideal_motion_only: allows,
        programs,
    })
}

fn program(
    index: usize,
    programs: &[RobotProgram],
    verifiers: &[(&Method, Verifier)],
    listener: &dyn ProgressListener,
) -> ProgramComparison {
    let mut timed = None;
    let mut methods = Vec::with_capacity(verifiers.len());
    for (k, (method, verifier)) in verifiers.iter().enumerate() {
        let progress = |share: f64| {
            let fraction = (k as f64 + share) / verifiers.len() as f64;
            listener.event(&ProgressEvent::Program { index, fraction });
        };
        let outcome = verifier.verify_together(programs, &progress);
        timed = timed.or(outcome.timed);
        methods.push(MethodAnswer {
            method: method.time.as_str().to_owned(),
            shape: method.backend.as_str().to_owned(),
            promise: method.promise(),
            verdict: outcome.verdict,
            first_contact: outcome.first_contact,
            statistics: outcome.statistics,
            refused: outcome.refused,
            coarseness: outcome.coarseness,
            fallback: method.fallback(verifier.scene()),
            error: outcome.error,
        });
    }
    let names: Vec<String> = programs.iter().map(RobotProgram::to_string).collect();
    ProgramComparison {
        program: names.join(" + "),
        timed,
        contradictions: ProgramComparison::contradictions(&methods),
        methods,
    }
}
