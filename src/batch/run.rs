//! A batch from its list of programs to its results.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clearance_methods::Method;
use clearance_proof::check::SpareThreads;
use clearance_proof::check::swept_boxes::PartCovers;

use super::baseline::{Baseline, BaselineComparison};
use super::certificates::Certificates;
use super::names::shown;
use super::program_files::ProgramsByFile;
use super::record::{AnswerOptions, BUILD, BatchExtent, Earlier, RESULTS, Record, ResultHeader};
use super::result_file::{LinePlace, READ, ResultFileContent, few, is_finished, read_results};
use super::results::{KeptResults, ResultTarget, Results, Store};
use super::stdin_programs::StdinPrograms;
use super::{Shard, identity, name, record};
use crate::error::Error;
use crate::findings::{Audit, Code, Outcome, ProgramOutcome, Tally, Versus};
use crate::run::{
    Job, MinimumScope, OpenedProgram, ProgressListener, Settings, Verifier, hash_of, prepare,
    refuse, refused, with_threads,
};

/// A batch to be verified.
#[derive(Debug, Clone)]
pub struct BatchJob {
    /// The cell, the question, and every program of the batch as [`collect`](super::collect) lists
    /// them.
    pub job: Job,
    /// Programs that came on standard input: those of the job by that name are meant.
    pub given: Option<Arc<StdinPrograms>>,
    /// Which part of the programs; `None`: all.
    pub shard: Option<Shard>,
    /// File for the results.
    pub results: Option<PathBuf>,
    /// Keep what that file has already and what is unchanged.
    pub resume: bool,
    /// Result file of an earlier run to compare with.
    pub baseline: Option<PathBuf>,
    /// Put the seconds of each check into the results, which are then different every time.
    pub timings: bool,
    /// Folder for certificates of the programs that are clear.
    pub certificates: Option<PathBuf>,
}

/// Hears how a run goes. Called from many threads at once.
pub trait BatchListener: ProgressListener {
    /// The cell is made of these files, or a program reads them beside its own.
    ///
    /// # Errors
    /// When the run must not go on with them.
    fn reads(&self, _files: &[PathBuf]) -> Result<(), Error> {
        Ok(())
    }
    /// The cell is ready: so many programs, of which some are done already. `news` is what the user
    /// should know of that.
    fn begin(&self, programs: usize, done: &Tally, news: &[String]);
    /// One more is done.
    fn done(&self, outcome: &ProgramOutcome);
}

/// Why there are no results.
#[derive(Debug)]
pub enum Failure {
    /// The cell or the settings cannot be used: an answer without answers, which reports can show.
    Refused(Box<Outcome>),
    /// Something else.
    Stopped(Error),
}

impl From<Error> for Failure {
    fn from(why: Error) -> Self {
        Failure::Stopped(why)
    }
}

/// Verifies a batch.
///
/// # Errors
/// When the cell cannot be used, or results cannot be read or written. A program that cannot be
/// used is not an error.
pub fn run(batch: &BatchJob, listener: &dyn BatchListener) -> Result<Results, Failure> {
    let all = batch.job.programs.iter().enumerate();
    let mine = all.filter(|(i, _)| batch.shard.is_none_or(|s| s.has(*i)));
    let programs: Vec<&Path> = mine.map(|(_, p)| p.as_path()).collect();
    with_threads(batch.job.cell.threads, || {
        verify(batch, &programs, listener)
    })
}

fn verify(
    batch: &BatchJob,
    programs: &[&Path],
    listener: &dyn BatchListener,
) -> Result<Results, Failure> {
    let job = &batch.job;
    // From here on nobody else writes it: what is read of it stays true.
    let target = ResultTarget::open(batch.results.as_deref())?;
    let older = match &batch.results {
        Some(file) => older(file, batch)?,
        None => Older::Nothing,
    };
    let baseline = batch.baseline.as_deref().map(Baseline::read).transpose()?;
    let prepared =
        prepare(&job.cell, listener).map_err(|e| Failure::Refused(Box::new(refuse(job, &e))))?;
    listener.reads(&prepared.loaded.files)?;
    let verifier = Verifier::new(job, &prepared)
        .map_err(|e| Failure::Refused(Box::new(refused(job, Some(&prepared), &e))))?
        .helped_by(&SpareThreads::of(rayon::current_num_threads()));
    let certificates = (batch.certificates.as_deref())
        .map(|folder| Certificates::begin(folder, &verifier))
        .transpose()?;
    let header = header(batch, &verifier, baseline.as_ref().map(|b| &b.earlier));

    // Of this machine, and so not in the header of the results.
    let trees = prepared.notes.iter().filter(|n| n.code == Code::TreeCache);
    let mut news: Vec<String> = trees
        .map(|note| format!("{}: {}", note.subject, note.message))
        .collect();
    let kept = kept(batch, programs, &header, older, &verifier, &mut news);
    let baseline = baseline.map(|b| b.against(&header, &mut news));
    let todo = (0..programs.len()).filter(|&i| !kept.places[i].is_known());
    let todo = ProgramsByFile::new(programs, batch.given.as_deref(), todo);
    listener.begin(programs.len(), &kept.tally, &news);
    let store = Store::begin(target, header, kept)?;
    let earlier = baseline.as_ref().map(|against| EarlierRun {
        against,
        covers: PartCovers::new(verifier.scene()),
    });
    todo.open(&verifier, &|index, opened| {
        let program = programs[index];
        let beside: Vec<PathBuf> = opened.others().map(|(file, _)| file.to_owned()).collect();
        if !beside.is_empty() {
            listener.reads(&beside)?;
        }
        let known = KnownProgram::of(program, &opened, &verifier, earlier.as_ref())?;
        let record = match (known.carried(), &certificates) {
            (Some(carried), _) => carried,
            (None, None) => {
                let outcome = verifier.verify_and_drop(opened, &|_| ());
                known.record(outcome, batch.timings)
            }
            // The certificate below needs the opened program again, so it is kept.
            (None, Some(certificates)) => {
                let outcome = verifier.verify_opened(&opened, &|_| ());
                let record = known.record(outcome, batch.timings);
                certificates.put(index, program, &opened, &record.outcome)?;
                record
            }
        };
        store.put(index, &record)?;
        listener.done(&record.outcome);
        Ok::<(), Error>(())
    })?;
    let gone = match &baseline {
        // All programs of the batch, not only this part: a program of another part is not gone.
        Some(old) => old.gone(job.programs.iter().map(|p| name(p))),
        None => Vec::new(),
    };
    let mut results = store.finish(gone)?;
    if let Some(certificates) = certificates {
        results.uncertified = certificates.finish()?;
    }
    results.prepared = Some(prepared);
    Ok(results)
}

/// The earlier content of the result file.
enum Older {
    /// Nothing that counts.
    Nothing,
    /// A file of ours whose first line is damaged: why.
    Damaged(String),
    /// Results.
    Results(Box<ResultFileContent>),
}

/// Reads what is in the result file. Nothing that was finished is written over by mistake.
fn older(file: &Path, batch: &BatchJob) -> Result<Older, Error> {
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    if batch.baseline.as_deref().is_some_and(|b| same(b, file)) {
        return Err(Error::usage(format!(
            "{} is both the baseline and the result file; name another file for the results",
            file.display()
        )));
    }
    if std::fs::metadata(file).is_ok_and(|m| m.len() == 0) {
        return Ok(Older::Nothing);
    }
    // A finished file may be written over; its content does not matter.
    if !batch.resume && is_finished(file, &READ)? {
        return Ok(Older::Nothing);
    }
    match read_results(file, &READ) {
        Err(Error::Damaged(why)) if batch.resume => Ok(Older::Damaged(why)),
        Err(why) => Err(why),
        Ok(old) if old.footer.is_none() && !batch.resume => Err(Error::unusable(format!(
            "{} holds {} results of a run that did not come to its end; continue it with --resume, or remove the file",
            file.display(),
            old.programs.len()
        ))),
        Ok(old) if batch.resume => {
            // A file without programs has nothing to lose, so any part may go on in it.
            if let Some(now) = batch.shard.filter(|_| !old.programs.is_empty()) {
                now.goes_on_in(file, old.header.batch.shard.as_deref())?;
            }
            Ok(Older::Results(Box::new(old)))
        }
        Ok(_) => Ok(Older::Nothing),
    }
}

pub(super) fn header(
    batch: &BatchJob,
    verifier: &Verifier,
    earlier: Option<&Earlier>,
) -> ResultHeader {
    let about = verifier.report_header();
    let [tool, version] = [&about.tool, &about.version].map(String::clone);
    let identity = identity::Identity::of(verifier);
    let options = answer_options(batch, verifier.settings());
    let names = batch.job.programs.iter().map(|p| shown(p));
    ResultHeader {
        results: RESULTS,
        tool,
        version,
        build: BUILD.to_owned(),
        key: identity::key(&options, &identity.cell_hash),
        cell_hash: identity.cell_hash,
        options,
        batch: BatchExtent {
            programs: batch.job.programs.len(),
            names: identity::names(names),
            shard: batch.shard.map(|s| s.to_string()),
        },
        baseline: earlier.cloned(),
        about: record::about(about),
        moving_hash: identity.moving_hash,
        moving: identity.moving,
        standing: identity.standing,
    }
}

/// The question about every program. A new option does not compile until somebody has thought about
/// it here.
fn answer_options(batch: &BatchJob, settings: &Settings) -> AnswerOptions {
    let Job {
        cell: _,       // What was read is in the hash of the cell.
        programs: _,   // By name and hash, one by one.
        together: _,   // Not of a batch.
        any_delay: _,  // Likewise.
        events: _,     // In the hash of each program.
        layout: _,     // Likewise: what it makes of the columns.
        clearance: _,  // As they hold, after the cell file: in the settings.
        warn: _,       // Likewise.
        resolution: _, // Likewise.
        limits: _,     // Likewise.
        all,
        minimum: _, // With the next one.
        minimum_pairs,
        margin,
        audit_allowed,
        interpolation,
        routine,
        orientation_tube,
        exact_corners,
        method: _,     // In the settings.
        time_limit: _, // Where it was spent the answer says so, and is not kept.
        ideal: _,      // Not of a batch.
    } = &batch.job;
    let &Settings {
        clearance,
        warn,
        resolution,
        limits,
        method,
        time_limit: _, // See above.
    } = settings;
    let Method {
        time,
        backend: _,     // In words, with the radius.
        leaf_radius: _, // Likewise.
        ranks: _,       // Likewise.
        divided: _,     // Likewise.
    } = method;
    let least = batch.job.minimum_scope();
    AnswerOptions {
        required_clearance: clearance,
        warn,
        resolution,
        limits,
        all: *all,
        minimum: least.is_some(),
        minimum_overall: least == Some(MinimumScope::Overall),
        minimum_pairs: *minimum_pairs,
        margin: *margin,
        audit_allowed: *audit_allowed,
        interpolation: interpolation.map(|interpolation| interpolation.as_str().to_owned()),
        routine: routine.clone(),
        orientation_tube: *orientation_tube,
        exact_corners: *exact_corners,
        method: time.to_string(),
        shape: method.backend_in_words(),
        timings: batch.timings,
    }
}

/// Lines of the older file that still hold: the same question about the same cell, a program whose
/// bytes are the same, and an answer for which no time was lacking.
fn kept(
    batch: &BatchJob,
    programs: &[&Path],
    header: &ResultHeader,
    older: Older,
    verifier: &Verifier,
    news: &mut Vec<String>,
) -> KeptResults {
    let mut kept = KeptResults {
        places: vec![LinePlace::default(); programs.len()],
        tally: Tally::default(),
        longest_name: 0,
        file: None,
    };
    let file = batch.results.as_deref().unwrap_or(Path::new("")).display();
    let old = match older {
        Older::Nothing => return kept,
        Older::Damaged(why) => {
            news.push(why);
            return kept;
        }
        Older::Results(old) => old,
    };
    news.extend(few(&old.damaged));
    if let Some(why) = differs(&old.header, header) {
        news.push(format!("{file}: {why}: every program is verified again"));
        return kept;
    }
    let known: Vec<AtomicBool> = programs.iter().map(|_| AtomicBool::new(false)).collect();
    let listed = (0..programs.len()).filter(|&i| old.programs.contains_key(&name(programs[i])));
    let same = |index: usize, opened: &OpenedProgram| {
        let program = programs[index];
        let (_, brief) = old.programs.get(&name(program))?;
        let hash = hash_of(opened)?;
        Some(brief.hash.as_deref() == Some(hash.as_str()) && brief.given_up_after.is_none())
    };
    let looked = ProgramsByFile::new(programs, batch.given.as_deref(), listed).open(
        verifier,
        &|index, opened| {
            known[index].store(same(index, &opened) == Some(true), Ordering::Relaxed);
            Ok(())
        },
    );
    // It changes while it is read: nothing of it is known.
    if looked.is_err() {
        return kept;
    }
    for ((place, program), _) in kept
        .places
        .iter_mut()
        .zip(programs)
        .zip(known)
        .filter(|(_, k)| k.load(Ordering::Relaxed))
    {
        if let Some((at, brief)) = old.programs.get(&name(program)) {
            *place = *at;
            brief.count(&mut kept.tally);
            kept.longest_name = kept.longest_name.max(brief.name_width());
        }
    }
    news.push(format!(
        "{file}: {} of {} programs are done and unchanged",
        kept.tally.programs,
        programs.len()
    ));
    kept.file = Some(old.file);
    kept
}

/// Why answers of one file are none of the other; `None`: they are.
pub(super) fn differs(old: &ResultHeader, new: &ResultHeader) -> Option<String> {
    let baseline = |h: &ResultHeader| h.baseline.as_ref().map(|b| b.hash.clone());
    match () {
        () if old.version != new.version => {
            Some(format!("made by version {} of clearance", old.version))
        }
        () if old.build != new.build => Some("made by another build of clearance".to_owned()),
        () if old.options != new.options => Some(format!(
            "the options differ ({})",
            different_fields(&old.options, &new.options)
        )),
        () if old.cell_hash != new.cell_hash => Some("the cell differs".to_owned()),
        () if old.key != new.key => Some("the question differs".to_owned()),
        () if baseline(old) != baseline(new) => Some("the baseline differs".to_owned()),
        () => None,
    }
}

/// Names of the options that differ.
fn different_fields(old: &AnswerOptions, new: &AnswerOptions) -> String {
    let fields = |q| match serde_json::to_value(q) {
        Ok(serde_json::Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    };
    let (old, new) = (fields(old), fields(new));
    let mut names: Vec<&str> = old
        .keys()
        .chain(new.keys())
        .map(String::as_str)
        .filter(|name| old.get(*name) != new.get(*name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}

/// An earlier run that programs are compared with.
struct EarlierRun<'r> {
    against: &'r BaselineComparison,
    covers: PartCovers<'r>,
}

/// What is known of a program before it is verified.
struct KnownProgram<'r> {
    hash: Option<String>,
    /// What the earlier run says of it.
    old: Option<Record>,
    /// The earlier run, if its answer still holds.
    holds: Option<&'r BaselineComparison>,
    compared: bool,
}

impl<'r> KnownProgram<'r> {
    fn of(
        program: &Path,
        opened: &OpenedProgram,
        verifier: &Verifier,
        earlier: Option<&EarlierRun<'r>>,
    ) -> Result<Self, Error> {
        let hash = hash_of(opened);
        let mut known = KnownProgram {
            hash,
            old: None,
            holds: None,
            compared: earlier.is_some(),
        };
        if let Some(EarlierRun { against, covers }) = earlier {
            let swept = || {
                let boxes = covers.swept_boxes(&*verifier.trajectory_of(opened)?);
                Some(boxes.iter().map(identity::corners).collect())
            };
            known.old = against.record(&name(program))?;
            let hash = known.hash.as_deref();
            let holds = |old: &Record| against.holds(old, hash, &swept);
            known.holds = known.old.as_ref().is_some_and(holds).then_some(*against);
        }
        Ok(known)
    }

    /// The record of the earlier run, if its answer still holds.
    fn carried(&self) -> Option<Record> {
        Some(self.holds?.carried(self.old.as_ref()?))
    }

    /// The record of an answer that was found now.
    fn record(self, mut outcome: ProgramOutcome, timings: bool) -> Record {
        if !timings {
            outcome.forget_durations();
        }
        // A batch of thousands has no room for what hid nothing.
        outcome.audit = outcome.audit.map(Audit::shortened);
        let old = self.old.as_ref().map(|o| &o.outcome);
        outcome.baseline = (self.compared).then(|| Versus::new(old, &outcome, true));
        Record {
            hash: self.hash,
            ..Record::new(outcome)
        }
    }
}
