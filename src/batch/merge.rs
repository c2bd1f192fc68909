//! Results of several runs as one.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use super::alike::Alike;
use super::names::in_order;
use super::record::{BUILD, BatchExtent, Brief, Footer, ResultHeader};
use super::result_file::{LinePlace, WANTED, read_results};
use super::results::{ResultLines, ResultTarget, Results, assemble};
use super::run::differs;
use super::{Shard, identity};
use crate::error::Error;
use crate::findings::Tally;

/// Joins result files, in the order of the programs' names. Returns with them what is missing:
/// parts of a batch, or the rest of a run that did not come to its end. `results` is the file to
/// write; `None`: none is kept.
///
/// # Errors
/// When a file cannot be read, when the files answer different questions, or when they contradict
/// each other.
pub fn merge(files: &[PathBuf], results: Option<&Path>) -> Result<(Results, Vec<String>), Error> {
    let mut merging = Merging::default();
    for file in files {
        merging.take_in(file)?;
    }
    merging.finish(results)
}

/// What was read of the files so far.
#[derive(Default)]
struct Merging<'f> {
    /// The first file, and what all of them answer.
    first: Option<(&'f Path, ResultHeader)>,
    /// The files, in the order in which they were taken in.
    sources: Vec<(&'f Path, File)>,
    batches: Vec<Batch>,
    lines: Vec<ResultLine>,
    /// By name of the program: which of these lines is about it.
    numbers: HashMap<String, usize>,
    missing: Vec<String>,
    /// Programs that the files say are gone.
    gone: Vec<String>,
}

impl<'f> Merging<'f> {
    fn take_in(&mut self, file: &'f Path) -> Result<(), Error> {
        let content = read_results(file, &WANTED)?;
        let shown = file.display();
        if content.header.build != BUILD {
            return Err(Error::unusable(format!(
                "{shown} was made by another build of clearance; join it with that one, or continue it with \
                 `batch --resume`, which verifies its programs again"
            )));
        }
        // Nothing is known of the program, not even which one it is.
        if let Some(why) = content.damaged.first() {
            return Err(Error::Unusable(why.clone()));
        }
        match &mut self.first {
            None => self.first = Some((file, content.header.clone())),
            Some((other, header)) => {
                if let Some(why) = differs(&content.header, header) {
                    return Err(Error::unusable(format!(
                        "{shown} and {} do not belong together: {why}",
                        other.display()
                    )));
                }
                header.add_remarks(&content.header);
            }
        }
        match content.footer {
            Some(footer) if footer.finished.programs != content.programs.len() => {
                self.missing.push(format!(
                    "{shown} says that it has {} programs and has {}: lines were taken out of it, or put in",
                    footer.finished.programs,
                    content.programs.len()
                ))
            }
            Some(footer) => self.gone.extend(footer.gone),
            None => self.missing.push(format!(
                "{shown} is of a run that did not come to its end; continue it with --resume"
            )),
        }
        let source = self.sources.len();
        self.sources.push((file, content.file));
        let batch = enter(&mut self.batches, &content.header.batch, file)?;
        for (name, (place, brief)) in content.programs {
            let line = ResultLine {
                source,
                place,
                brief,
            };
            let number = self.line(name, line)?;
            self.batches[batch].lines.push(number);
        }
        Ok(())
    }

    /// The number of a line, which other files may have as well.
    fn line(&mut self, name: String, line: ResultLine) -> Result<usize, Error> {
        let Some(&number) = self.numbers.get(&name) else {
            self.numbers.insert(name, self.lines.len());
            self.lines.push(line);
            return Ok(self.lines.len() - 1);
        };
        let known = &self.lines[number];
        if !known.brief.says_the_same(&line.brief) {
            let file = |line: &ResultLine| self.sources[line.source].0.display();
            return Err(Error::unusable(format!(
                "{name} has different results in {} and {}: it changed between the runs; verify it again",
                file(known),
                file(&line)
            )));
        }
        Ok(number)
    }

    fn finish(mut self, results: Option<&Path>) -> Result<(Results, Vec<String>), Error> {
        let Some((_, mut header)) = self.first else {
            return Err(Error::usage("name at least one result file"));
        };
        let mut tally = Tally::default();
        let mut longest_name = 0;
        for line in &self.lines {
            line.brief.count(&mut tally);
            longest_name = longest_name.max(line.brief.name_width());
        }
        let numbers = self.numbers.iter();
        let mut sorted: Vec<(&String, usize)> = numbers.map(|(name, &k)| (name, k)).collect();
        sorted.sort_by(|(a, _), (b, _)| in_order(a.as_ref(), b.as_ref()));
        for batch in &self.batches {
            self.missing.extend(batch.missing_parts());
        }
        // Where parts are missing, programs are.
        if self.missing.is_empty() {
            let lacks = self.batches.iter().filter_map(|batch| batch.lacks(&sorted));
            self.missing.extend(lacks);
        }
        header.batch = BatchExtent {
            programs: self.lines.len(),
            names: identity::names(sorted.iter().map(|(name, _)| name)),
            shard: None,
        };
        self.gone.retain(|name| !self.numbers.contains_key(name));
        self.gone.sort_by(|a, b| in_order(a.as_ref(), b.as_ref()));
        self.gone.dedup();
        let footer = Footer {
            finished: tally,
            gone: self.gone,
        };
        let order = sorted.iter().map(|&(_, number)| {
            let line = &self.lines[number];
            (line.source, line.place)
        });
        let lines = ResultLines {
            order: order.collect(),
            sources: self.sources.into_iter().map(|(_, file)| file).collect(),
            alike: Alike::default(),
            longest_name,
        };
        // A file that says it is finished must be: what is incomplete is shown, not written.
        let target = ResultTarget::open(results.filter(|_| self.missing.is_empty()))?;
        Ok((assemble(target, header, lines, footer)?, self.missing))
    }
}

struct ResultLine {
    source: usize,
    place: LinePlace,
    brief: Brief,
}

/// A batch, and what the files have of it.
struct Batch {
    extent: BatchExtent,
    /// The part that each file is about; `None`: all of it.
    shards: Vec<Option<Shard>>,
    /// Numbers of the lines in these files.
    lines: Vec<usize>,
}

/// Takes note of a batch and of the part of it that a file is about. The number of the batch.
fn enter(batches: &mut Vec<Batch>, extent: &BatchExtent, file: &Path) -> Result<usize, Error> {
    let shard =
        match &extent.shard {
            Some(text) => Some(Shard::parse(text).map_err(|e| {
                Error::unusable(format!("{}:1: shard `{text}`: {e}", file.display()))
            })?),
            None => None,
        };
    let known = batches
        .iter()
        .position(|batch| batch.extent.names == extent.names);
    let at = known.unwrap_or_else(|| {
        batches.push(Batch {
            extent: extent.clone(),
            shards: Vec::new(),
            lines: Vec::new(),
        });
        batches.len() - 1
    });
    batches[at].shards.push(shard);
    Ok(at)
}

impl Batch {
    /// Parts that no file is about. Shards of different splits do not add up.
    fn missing_parts(&self) -> Vec<String> {
        if self.shards.iter().any(Option::is_none) {
            return Vec::new();
        }
        let present: Vec<Shard> = self.shards.iter().copied().flatten().collect();
        let splits: BTreeSet<usize> = present.iter().map(Shard::parts).collect();
        let gaps = splits.iter().map(|&n| {
            let is_there = |k| present.iter().any(|s| s.part() == k && s.parts() == n);
            let absent = (1..=n).filter(|&k| !is_there(k));
            absent.map(|k| format!("{k}/{n}")).collect::<Vec<_>>()
        });
        let gaps: Vec<Vec<String>> = gaps.collect();
        if gaps.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let programs = self.extent.programs;
        let of_parts = |absent: &Vec<String>| {
            let parts = absent.join(", ");
            format!("the results of shard {parts} are missing (batch of {programs} programs)")
        };
        gaps.iter().map(of_parts).collect()
    }

    /// What is wrong where all parts are there by what the files say of themselves, and their
    /// programs are not those of the batch. `sorted` are all programs in order, with the numbers of
    /// their lines.
    fn lacks(&self, sorted: &[(&String, usize)]) -> Option<String> {
        let own: HashSet<usize> = self.lines.iter().copied().collect();
        let names = sorted.iter().filter(|(_, number)| own.contains(number));
        let same = identity::names(names.map(|(name, _)| name)) == self.extent.names;
        (!same).then(|| {
            format!(
                "the batch has {} programs, and its files hold {} others: lines of one part stand in the file of another part",
                self.extent.programs,
                own.len()
            )
        })
    }
}
