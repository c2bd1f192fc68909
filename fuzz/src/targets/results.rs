//! Result files: joined, resumed, compared with. An input is the text of a result file when it
//! begins with `{`; else it is a list of damages to a true one, which is made when the process
//! starts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clearance::batch::{BatchJob, BatchListener, Results, merge, run};
use clearance::findings::{Outcome, ProgramOutcome, Tally};
use clearance::run::{CacheFolder, CellJob, Job, ProgressEvent, ProgressListener};

use super::scratch;
use super::source::Source;

struct Nobody;

impl ProgressListener for Nobody {
    fn event(&self, _: &ProgressEvent) {}
}

impl BatchListener for Nobody {
    fn begin(&self, _: usize, _: &Tally, _: &[String]) {}
    fn done(&self, _: &ProgramOutcome) {}
}

/// Three programs in the cell of `fuzz/cell`: one is clear, one hits something, one cannot be read.
fn batch() -> BatchJob {
    let cell = Path::new(super::super::FUZZ).join("cell");
    let programs = ["clear.csv", "hits.csv", "unreadable.csv"];
    let programs = programs
        .map(|name| cell.join("programs").join(name))
        .to_vec();
    let file = cell.join("cell.toml");
    BatchJob {
        job: Job {
            cell: CellJob {
                cache: CacheFolder::Off,
                ..CellJob::file(file.clone())
            },
            ..Job::new(file, programs)
        },
        given: None,
        shard: None,
        results: None,
        resume: false,
        baseline: None,
        timings: false,
        certificates: None,
    }
}

/// The answers, without what differs from run to run.
fn answers(outcome: &Outcome) -> Vec<(String, String, Option<f64>)> {
    let programs = outcome.programs.iter();
    programs
        .map(|p| {
            let first = p.first_contact.as_ref().map(|c| c.free_until);
            (p.program.clone(), format!("{:?}", p.verdict), first)
        })
        .collect()
}

struct Truth {
    bytes: Vec<u8>,
    answers: Vec<(String, String, Option<f64>)>,
}

/// The files and answers of a run that nobody disturbs.
fn truth() -> &'static Truth {
    static TRUTH: OnceLock<Truth> = OnceLock::new();
    TRUTH.get_or_init(|| {
        let file = scratch::folder("results").join("true.jsonl");
        let batch = BatchJob {
            results: Some(file.clone()),
            ..batch()
        };
        let results = run(&batch, &Nobody).expect("results");
        Truth {
            answers: answers(&results.outcome().expect("an outcome")),
            bytes: fs::read(file).expect("a result file"),
        }
    })
}

/// The result file that an input stands for.
fn file(data: &[u8]) -> Vec<u8> {
    if data.first() == Some(&b'{') {
        return data.to_vec();
    }
    let mut bytes = truth().bytes.clone();
    let s = &mut Source(data);
    while !s.0.is_empty() && bytes.len() < 1 << 20 {
        let place = |s: &mut Source, length: usize| {
            usize::from(u16::from_le_bytes([s.byte(), s.byte()])) % (length + 1)
        };
        let at = place(s, bytes.len());
        let length = bytes.len();
        match s.below(7) {
            0 => bytes.truncate(at),
            1 => bytes[at.min(length - 1)] = s.byte(),
            2 => drop(bytes.drain(at..(at + s.below(64)).min(length))),
            3 => {
                let from = place(s, length);
                let copy = bytes[from..(from + s.below(256)).min(length)].to_vec();
                bytes.splice(at..at, copy);
            }
            // A line out, or again.
            4 | 5 => {
                let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
                let from = at % lines.len();
                let line = lines.remove(from);
                if s.flag() {
                    lines.insert(s.below(lines.len() + 1), line);
                    lines.insert(s.below(lines.len() + 1), line);
                }
                bytes = lines.concat();
            }
            _ => {
                let count = s.below(40).min(s.0.len());
                let (text, rest) = s.0.split_at(count);
                bytes.splice(at..at, text.iter().copied());
                s.0 = rest;
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

fn looked_through(results: &Results) -> Option<Outcome> {
    let _ = results.longest_name();
    let _ = results.records().count();
    results.outcome().ok()
}

/// Joins the file with itself, and with the true one.
pub fn results(data: &[u8]) -> bool {
    let bytes = file(data);
    let folder = scratch::folder("results");
    let [one, two]: [PathBuf; 2] = ["one.jsonl", "two.jsonl"].map(|name| folder.join(name));
    fs::write(&one, &bytes).expect("a file in the scratch folder");
    fs::write(&two, &truth().bytes).expect("a file in the scratch folder");
    let alone = merge(std::slice::from_ref(&one), None);
    let both = merge(&[two, one], None);
    if let Ok((results, missing)) = &both
        && let Some(outcome) = looked_through(results)
    {
        assert!(outcome.programs.len() >= 3 || !missing.is_empty());
    }
    match alone {
        Ok((results, _)) => looked_through(&results).is_some(),
        Err(_) => false,
    }
}

/// Goes on with the file, or compares with it where the first byte is odd.
pub fn resume(data: &[u8]) -> bool {
    let (first, rest) = data.split_first().unwrap_or((&0, &[]));
    let path = scratch::folder("results").join("resumed.jsonl");
    fs::write(&path, file(rest)).expect("a file in the scratch folder");
    let resume = first % 2 == 0;
    let batch = BatchJob {
        results: resume.then(|| path.clone()),
        resume,
        baseline: (!resume).then(|| path.clone()),
        ..batch()
    };
    let Ok(results) = run(&batch, &Nobody) else {
        return false;
    };
    let outcome = results.outcome().expect("lines that are kept are whole");
    // Damaged lines are verified again, and all others are as they were written.
    assert_eq!(answers(&outcome), truth().answers);
    true
}
