//! Programs as they come: one line of JSON each, from a planner that keeps this process and its
//! cell.

mod lines;
mod pump;
mod request;

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use clearance_proof::check::SpareThreads;
use clearance_proof::model::Program;
pub use lines::{Line, next_line, without_mark};
pub use pump::{Pump, Served};
use request::{ProgramSource, Request};

use super::{Job, Prepared, Verifier};
use crate::error::Error;
use crate::findings::{Outcome, ProgramOutcome, ServedAnswer, Verdict};

/// The program of a line that asks nothing of its own: of a batch, where the question is the same
/// for all.
///
/// # Errors
/// When it is none, or asks something.
pub fn program_of_line(text: &str, number: usize) -> Result<Program, Error> {
    let request = Request::read(text, number)?;
    if let Some(key) = request.asks() {
        return Err(Error::usage(format!(
            "`{key}` is asked by one line of a batch: ask it on the command line, for all, or use `clearance serve`"
        )));
    }
    match request.source()? {
        ProgramSource::Program(program) => Ok(*program),
        ProgramSource::File(file) => Err(Error::usage(format!(
            "a line of a batch has its program in it: name {} as an argument",
            file.display()
        ))),
    }
}

/// A message in which a key of the line stands for the option of the command line that does the
/// same: whoever sends lines may have no command line.
fn by_keys(message: &str) -> String {
    message
        .replace(
            "ask for --interpolation linear",
            "give `\"interpolation\": \"linear\"`",
        )
        .replace("the warn distance of --warn is", "`warn` is")
}

/// So many different sets of options keep what was prepared for them.
const KEPT: usize = 16;

/// Answers lines in one cell, from as many threads as there are.
#[derive(Debug)]
pub struct Service<'p> {
    job: Job,
    prepared: &'p Prepared,
    timings: bool,
    threads: SpareThreads,
    header: Outcome,
    /// Verifiers by what is asked, the last one used at the end.
    known: Mutex<Vec<(Job, Arc<Verifier<'p>>)>>,
}

impl<'p> Service<'p> {
    /// Gets ready; `job` says what is asked where a line does not. With `timings` answers say how
    /// long their checks took.
    ///
    /// # Errors
    /// When the settings, or the size of a body, are not usable.
    pub fn new(job: Job, prepared: &'p Prepared, timings: bool) -> Result<Self, Error> {
        let all = job.cell.threads.unwrap_or_else(rayon::current_num_threads);
        let threads = SpareThreads::of(all);
        let verifier = Verifier::owning(job.clone(), prepared)?.helped_by(&threads);
        Ok(Self {
            header: verifier.report_header(),
            known: Mutex::new(vec![(job.clone(), Arc::new(verifier))]),
            job,
            prepared,
            timings,
            threads,
        })
    }

    /// The cell, and the question wherever a line asks nothing else.
    pub fn report_header(&self) -> &Outcome {
        &self.header
    }

    /// Answers one line.
    pub fn answer(&self, number: usize, line: &Line) -> ServedAnswer {
        let mut answer = ServedAnswer {
            line: number,
            id: None,
            verdict: Verdict::Unverified,
            outcome: None,
            error: None,
        };
        let outcome = match line {
            Line::Broken(why) => Err(Error::Usage(why.clone())),
            Line::Text(text) => {
                // Whoever waits for this answer must know it, whatever else is wrong with the line.
                let whole: Result<Value, _> = serde_json::from_str(text);
                let id = whole.as_ref().ok().and_then(|value| value.get("id"));
                answer.id = id.cloned();
                Request::read(text, number).and_then(|request| self.outcome(request))
            }
        };
        match outcome {
            Ok(outcome) => {
                answer.verdict = outcome.verdict;
                answer.outcome = Some(Box::new(outcome));
            }
            Err(error) => answer.error = Some(by_keys(&error.to_string())),
        }
        answer
    }

    fn outcome(&self, request: Request) -> Result<ProgramOutcome, Error> {
        let source = request.source()?;
        let verifier = self.verifier(request.job(&self.job)?)?;
        let mut outcome = match &source {
            ProgramSource::File(file) => verifier.verify_file(file, &|_| ()),
            ProgramSource::Program(program) => verifier.verify_program(program, &|_| ()),
        };
        if !self.timings {
            outcome.forget_durations();
        }
        outcome.error = outcome.error.map(|why| by_keys(&why));
        Ok(outcome)
    }

    fn verifier(&self, job: Job) -> Result<Arc<Verifier<'p>>, Error> {
        // Nothing is left half done in there that a panic elsewhere could have broken.
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let last = |known: &mut Vec<(Job, Arc<Verifier<'p>>)>| {
            let at = known.iter().position(|(asked, _)| *asked == job)?;
            let found = known.remove(at);
            let verifier = found.1.clone();
            known.push(found);
            Some(verifier)
        };
        if let Some(verifier) = last(&mut known()) {
            return Ok(verifier);
        }
        // Others may go on meanwhile; should two threads prepare the same, the answers are the
        // same.
        let verifier = Verifier::owning(job.clone(), self.prepared)?.helped_by(&self.threads);
        let verifier = Arc::new(verifier);
        let mut known = known();
        known.push((job, verifier.clone()));
        if known.len() > KEPT {
            known.remove(0);
        }
        Ok(verifier)
    }
}
