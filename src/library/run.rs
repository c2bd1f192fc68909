//! A library from its list of programs to its results.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::baseline::Baseline;
use super::record::{Earlier, Extent, Header, Question, RESULTS, Record};
use super::results::{Place, Results, Store, held, is_busy};
use super::{Shard, identity, name, record};
use crate::engines::reach::swept;
use crate::findings::{Audit, Outcome, ProgramOutcome, Tally, Versus};
use crate::import::program::events::sidecar;
use crate::import::program::read;
use crate::verify::{Events, Job, Verifier, prepare, refuse, refused, with_threads};

/// A library to be verified.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The cell, the question, and every program of the library as [`collect`](super::collect) lists them.
    pub job: Job,
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
}

/// Hears how a run goes. Called from many threads at once.
pub trait Watch: Events {
    /// The cell is ready: so many programs, of which some are done already. `news` is what the user should know of that.
    fn begin(&self, programs: usize, done: &Tally, news: &[String]);
    /// One more is done.
    fn done(&self, outcome: &ProgramOutcome);
}

/// Why there are no results.
#[derive(Debug)]
pub enum Failure {
    /// The cell or the settings are no good: an answer without answers, which reports can show.
    Refused(Box<Outcome>),
    /// Something else, in one sentence.
    Stopped(String),
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Failure::Stopped(why)
    }
}

/// Verifies a library.
///
/// # Errors
/// When the cell cannot be used, or results cannot be read or written. A program that is no good is no error.
pub fn run(batch: &Batch, watch: &dyn Watch) -> Result<Results, Failure> {
    let all = batch.job.programs.iter().enumerate();
    let mine = all.filter(|(i, _)| batch.shard.is_none_or(|s| s.has(*i)));
    let programs: Vec<&Path> = mine.map(|(_, p)| p.as_path()).collect();
    with_threads(batch.job.cell.threads, || verify(batch, &programs, watch))
}

fn verify(batch: &Batch, programs: &[&Path], watch: &dyn Watch) -> Result<Results, Failure> {
    let job = &batch.job;
    if let Some(file) = &batch.results {
        may_be_written(file, batch)?;
    }
    let baseline = batch.baseline.as_deref().map(Baseline::read).transpose()?;
    let prepared =
        prepare(&job.cell, watch).map_err(|e| Failure::Refused(Box::new(refuse(job, &e))))?;
    let verifier = Verifier::new(job, &prepared)
        .map_err(|e| Failure::Refused(Box::new(refused(job, Some(&prepared), e))))?;
    let header = header(batch, &verifier, baseline.as_ref().map(|b| &b.earlier));

    let mut news = Vec::new();
    let (kept, tally) = kept(batch, programs, &header, &mut news)?;
    let baseline = baseline.map(|b| b.against(&header, &mut news));
    let todo: Vec<usize> = (0..programs.len())
        .filter(|&i| !kept[i].is_known())
        .collect();
    watch.begin(programs.len(), &tally, &news);
    let store = Store::begin(batch.results.as_deref(), header, kept, tally)?;
    todo.into_par_iter().try_for_each(|index| {
        let record = verified(programs[index], &verifier, baseline.as_ref(), batch.timings)?;
        store.put(index, &record)?;
        watch.done(&record.outcome);
        Ok::<(), String>(())
    })?;
    let gone = match &baseline {
        // Not only this part of the library: what another part has is not gone.
        Some(old) => old.gone(job.programs.iter().map(|p| name(p))),
        None => Vec::new(),
    };
    Ok(store.finish(gone)?)
}

/// Nothing that was finished is written over by mistake.
fn may_be_written(file: &Path, batch: &Batch) -> Result<(), String> {
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    if batch.baseline.as_deref().is_some_and(|b| same(b, file)) {
        return Err(format!(
            "{} is both the baseline and the result file; name another file for the results",
            file.display()
        ));
    }
    if !file.exists() {
        return Ok(());
    }
    is_busy(file)?;
    if std::fs::metadata(file).is_ok_and(|m| m.len() == 0) {
        return Ok(());
    }
    match held(file) {
        Err(why) => Err(why),
        Ok(old) if old.footer.is_none() && !batch.resume => Err(format!(
            "{} holds {} results of a run that did not come to its end; continue it with --resume, or remove the file",
            file.display(),
            old.programs.len()
        )),
        Ok(_) => Ok(()),
    }
}

fn header(batch: &Batch, verifier: &Verifier, earlier: Option<&Earlier>) -> Header {
    let (job, settings) = (&batch.job, verifier.settings());
    let about = verifier.question();
    let identity = identity::Identity::of(verifier);
    let question = Question {
        clearance: settings.clearance,
        warn: settings.warn,
        resolution: settings.resolution,
        limits: settings.limits,
        all: job.all,
        minimum: job.minimum,
        audit_allowed: job.audit_allowed,
        interpolation: job.interpolation.map(|law| law.word().to_owned()),
        method: settings.way.method.to_string(),
        shape: settings.way.shape_in_words(),
        timings: batch.timings,
    };
    let names: Vec<String> = job.programs.iter().map(|p| name(p)).collect();
    Header {
        results: RESULTS,
        tool: about.tool.clone(),
        version: about.version.clone(),
        key: identity::key(&question, &identity.cell_hash),
        cell_hash: identity.cell_hash,
        question,
        library: Extent {
            programs: names.len(),
            names: identity::names(names.iter().map(String::as_str)),
            shard: batch.shard.map(|s| s.to_string()),
        },
        baseline: earlier.cloned(),
        about: record::about(&about),
        moving_hash: identity.moving_hash,
        moving: identity.moving,
        standing: identity.standing,
    }
}

/// Lines of the older file that still hold: the same question about the same cell, and a program whose bytes are the same.
fn kept(
    batch: &Batch,
    programs: &[&Path],
    header: &Header,
    news: &mut Vec<String>,
) -> Result<(Vec<Place>, Tally), String> {
    let mut places = vec![Place::default(); programs.len()];
    let mut tally = Tally::default();
    let file = match &batch.results {
        Some(file) if batch.resume && std::fs::metadata(file).is_ok_and(|m| m.len() > 0) => file,
        _ => return Ok((places, tally)),
    };
    let old = held(file)?;
    if let Some(why) = differs(&old.header, header) {
        news.push(format!(
            "{}: {why}: every program is verified again",
            file.display()
        ));
        return Ok((places, tally));
    }
    let known: Vec<bool> = programs
        .par_iter()
        .map(|program| {
            let (_, brief) = old.programs.get(&name(program))?;
            let bytes = read(program).ok()?;
            Some(brief.hash.as_deref() == Some(hash_of(program, &bytes).as_str()))
        })
        .map(|same| same == Some(true))
        .collect();
    for ((place, program), _) in places
        .iter_mut()
        .zip(programs)
        .zip(known)
        .filter(|(_, k)| *k)
    {
        if let Some((at, brief)) = old.programs.get(&name(program)) {
            *place = *at;
            brief.count(&mut tally);
        }
    }
    news.push(format!(
        "{}: {} of {} programs are done and unchanged",
        file.display(),
        tally.programs,
        programs.len()
    ));
    Ok((places, tally))
}

/// Why answers of one file are none of the other; `None`: they are.
pub(super) fn differs(old: &Header, new: &Header) -> Option<String> {
    let baseline = |h: &Header| h.baseline.as_ref().map(|b| b.hash.clone());
    match () {
        () if old.version != new.version => {
            Some(format!("made by version {} of clearance", old.version))
        }
        () if old.question != new.question => Some(format!(
            "the options differ ({})",
            different_fields(&old.question, &new.question)
        )),
        () if old.cell_hash != new.cell_hash => Some("the cell differs".to_owned()),
        () if old.key != new.key => Some("the question differs".to_owned()),
        () if baseline(old) != baseline(new) => Some("the baseline differs".to_owned()),
        () => None,
    }
}

/// Names of the options that differ.
fn different_fields(old: &Question, new: &Question) -> String {
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

/// Hash of what a program says: of its bytes, and of those of its events where it has any.
fn hash_of(program: &Path, bytes: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(bytes);
    if let Ok(events) = std::fs::read(sidecar(program)) {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(&events);
    }
    hasher.finalize().to_hex().to_string()
}

/// Verifies one program, unless the earlier answer still holds.
fn verified(
    program: &Path,
    verifier: &Verifier,
    baseline: Option<&super::baseline::Against>,
    timings: bool,
) -> Result<Record, String> {
    let bytes = read(program);
    let hash = bytes.as_ref().ok().map(|b| hash_of(program, b));
    let old = match baseline {
        Some(baseline) => baseline.record(&name(program))?,
        None => None,
    };
    if let (Some(baseline), Some(old)) = (baseline, &old)
        && baseline.holds(old, hash.as_deref())
    {
        return Ok(baseline.carried(old));
    }
    let reach = OnceCell::new();
    let laid = |path: &crate::model::Path| {
        let boxes = swept(verifier.scene(), path);
        let _ = reach.set(boxes.iter().map(identity::corners).collect());
    };
    let mut outcome = verifier.program_in(program, &bytes, &laid, &|_| ());
    if !timings {
        outcome.statistics.check_seconds = 0.0;
    }
    // A library of thousands has no room for what hid nothing.
    outcome.audit = outcome.audit.map(Audit::shortened);
    let versus = baseline.map(|_| Versus::new(old.as_ref().map(|o| &o.outcome), &outcome, true));
    Ok(Record {
        hash,
        reach: reach.into_inner(),
        baseline: versus,
        ..Record::new(outcome)
    })
}
