//! Results of several runs as one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::alike::Alike;
use super::names::in_order;
use super::record::{BUILD, Brief, Extent, Footer, ResultHeader};
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
    let mut first: Option<(&Path, ResultHeader)> = None;
    let mut batches: Vec<(Extent, Vec<Option<Shard>>)> = Vec::new();
    let mut lines: HashMap<String, ResultLine> = HashMap::new();
    let mut missing = Vec::new();
    let mut gone = Vec::new();
    let mut sources = Vec::new();
    for (source, file) in files.iter().enumerate() {
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
        match &first {
            None => first = Some((file, content.header.clone())),
            Some((other, header)) => {
                if let Some(why) = differs(&content.header, header) {
                    return Err(Error::unusable(format!(
                        "{shown} and {} do not belong together: {why}",
                        other.display()
                    )));
                }
            }
        }
        match content.footer {
            Some(footer) if footer.finished.programs != content.programs.len() => {
                missing.push(format!(
                    "{shown} says that it has {} programs and has {}: lines were taken out of it, or put in",
                    footer.finished.programs,
                    content.programs.len()
                ))
            }
            Some(footer) => gone.extend(footer.gone),
            None => missing.push(format!(
                "{shown} is of a run that did not come to its end; continue it with --resume"
            )),
        }
        enter(&mut batches, &content.header.batch, file)?;
        sources.push(content.file);
        for (name, (place, brief)) in content.programs {
            let line = ResultLine {
                source,
                place,
                brief,
            };
            match lines.get(&name) {
                None => {
                    lines.insert(name, line);
                }
                Some(known) if known.says_the_same(&line) => {}
                Some(known) => {
                    return Err(Error::unusable(format!(
                        "{name} has different results in {} and {shown}: it changed between the runs; verify it again",
                        files[known.source].display()
                    )));
                }
            }
        }
    }
    let Some((_, mut header)) = first else {
        return Err(Error::usage("name at least one result file"));
    };
    for (batch, shards) in &batches {
        missing.extend(missing_parts(batch, shards));
    }
    let mut tally = Tally::default();
    let mut longest_name = 0;
    for line in lines.values() {
        line.brief.count(&mut tally);
        longest_name = longest_name.max(line.brief.name_width());
    }
    let mut sorted: Vec<(&String, &ResultLine)> = lines.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| in_order(a.as_ref(), b.as_ref()));
    header.batch = Extent {
        programs: lines.len(),
        names: identity::names(sorted.iter().map(|(name, _)| name)),
        shard: None,
    };
    gone.retain(|name| !lines.contains_key(name));
    gone.sort_by(|a, b| in_order(a.as_ref(), b.as_ref()));
    gone.dedup();
    let footer = Footer {
        finished: tally,
        gone,
    };
    let lines = ResultLines {
        sources,
        order: sorted.iter().map(|(_, l)| (l.source, l.place)).collect(),
        alike: Alike::default(),
        longest_name,
    };
    // A file that says it is finished must be: what is incomplete is shown, not written.
    let target = ResultTarget::open(results.filter(|_| missing.is_empty()))?;
    Ok((assemble(target, header, lines, footer)?, missing))
}

struct ResultLine {
    source: usize,
    place: LinePlace,
    brief: Brief,
}

impl ResultLine {
    fn says_the_same(&self, other: &ResultLine) -> bool {
        (&self.brief.hash, self.brief.verdict) == (&other.brief.hash, other.brief.verdict)
    }
}

/// Takes note of a batch and of the part of it that a file is about.
fn enter(
    batches: &mut Vec<(Extent, Vec<Option<Shard>>)>,
    extent: &Extent,
    file: &Path,
) -> Result<(), Error> {
    let shard =
        match &extent.shard {
            Some(text) => Some(Shard::parse(text).map_err(|e| {
                Error::unusable(format!("{}:1: shard `{text}`: {e}", file.display()))
            })?),
            None => None,
        };
    match batches.iter_mut().find(|(e, _)| e.names == extent.names) {
        Some((_, shards)) => shards.push(shard),
        None => batches.push((extent.clone(), vec![shard])),
    }
    Ok(())
}

/// Parts of a batch that no file is about. Shards of different splits do not add up.
fn missing_parts(batch: &Extent, shards: &[Option<Shard>]) -> Vec<String> {
    if shards.iter().any(Option::is_none) {
        return Vec::new();
    }
    let present: Vec<Shard> = shards.iter().copied().flatten().collect();
    let splits: std::collections::BTreeSet<usize> = present.iter().map(Shard::parts).collect();
    let gaps = splits.iter().map(|&n| {
        let absent = (1..=n).filter(|&k| !present.iter().any(|s| s.part() == k && s.parts() == n));
        (n, absent.map(|k| format!("{k}/{n}")).collect::<Vec<_>>())
    });
    let gaps: Vec<(usize, Vec<String>)> = gaps.collect();
    if gaps.iter().any(|(_, absent)| absent.is_empty()) {
        return Vec::new();
    }
    gaps.into_iter()
        .map(|(_, absent)| {
            format!(
                "of the batch of {} programs the results of shard {} are missing",
                batch.programs,
                absent.join(", ")
            )
        })
        .collect()
}
