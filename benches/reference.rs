//! Reference workloads: time per trajectory, work counts, and agreement with what is known about
//! them.
//!
//! `cargo bench --bench reference -- [--json] [--repeats N] FOLDER...`, each folder with
//! `cell.toml`, `trajectories/*.csv`, and `truth.json` where the truth is known. Without a folder:
//! our own arm6. Times are those of the checking thread, the shortest of N runs (default 5), models
//! loaded. Exit code 1 when an answer disagrees.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

mod common;

use std::path::{Path as FilePath, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use clearance::findings::Verdict;
use clearance_proof::check::bisection::CheckResult;
use common::{Workload, mean, median, milliseconds, ours, programs, stem};
use serde_json::{Value, json};

#[derive(Parser)]
struct Options {
    /// Folders of workloads
    folders: Vec<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Runs of every trajectory; the shortest counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    repeats: u64,
    /// Given by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut jobs: Vec<_> = options
        .folders
        .iter()
        .map(|folder| {
            (
                folder.join("cell.toml"),
                folder.join("trajectories"),
                folder.clone(),
            )
        })
        .collect();
    if jobs.is_empty() {
        let programs = ours("trajectories/arm6");
        jobs.push((ours("robots/arm6/cell.toml"), programs.clone(), programs));
    }
    let mut answers = Vec::new();
    let mut right = true;
    for (cell, programs, folder) in jobs {
        match workload(&cell, &programs, &folder, &options) {
            Ok((answer, agrees)) => {
                answers.push(answer);
                right &= agrees;
            }
            Err(problem) => {
                eprintln!("{problem}");
                return ExitCode::from(2);
            }
        }
    }
    if options.json {
        println!("{}", Value::from(answers));
    }
    ExitCode::from(u8::from(!right))
}

/// Runs one workload; whether everything agreed.
fn workload(
    cell: &FilePath,
    folder: &FilePath,
    truth: &FilePath,
    options: &Options,
) -> Result<(Value, bool), String> {
    let workload = Workload::file(cell)?;
    let scene = workload.scene();
    let truth = truth_of(&truth.join("truth.json"))?;
    let name = folder.parent().filter(|_| folder.ends_with("trajectories"));
    let name = name.unwrap_or(folder).display().to_string();
    let say = |line: String| {
        if !options.json {
            println!("{line}");
        }
    };
    say(format!(
        "{name}: {} pairs of bodies, {} of shapes, threshold {} mm, resolution {} mm",
        scene.pairs.len(),
        scene.part_pairs.len(),
        workload.settings.clearance * 1e3,
        workload.settings.resolution * 1e3,
    ));
    let (mut results, mut times, mut wrong) = (Vec::new(), Vec::new(), 0);
    let mut verdicts = [0; 5];
    let mut counts = [const { Vec::new() }; 3];
    for file in programs(folder)? {
        let id = stem(&file);
        let trajectory = workload.trajectory(&file)?;
        let once = || milliseconds(|| scene.check(&trajectory, &workload.options(), &|_| ()));
        let (mut ms, result) = once();
        for _ in 1..options.repeats {
            ms = ms.min(once().0);
        }
        let agrees = match &truth {
            Some(truth) => match truth.get(&id) {
                Some(known) => Some(agreement(known, &result, workload.settings.clearance)),
                None => return Err(format!("truth.json does not know {id}")),
            },
            None => None,
        };
        wrong += usize::from(matches!(agrees, Some(Err(_))));
        verdicts[result.verdict as usize] += 1;
        let work = result.statistics;
        let work = [work.intervals, work.distance_tests, work.triangle_tests];
        say(format!(
            "  {id:22} {:10} {ms:9.3} ms  {:6} intervals {:8} tests {:7} triangle pairs  {}",
            format!("{:?}", result.verdict).to_lowercase(),
            work[0],
            work[1],
            work[2],
            match &agrees {
                None => "",
                Some(Ok(())) => "agrees",
                Some(Err(why)) => why,
            }
        ));
        times.push(ms);
        for (all, count) in counts.iter_mut().zip(work) {
            all.push(count as f64);
        }
        let contact = result.first_contact.as_ref();
        results.push(json!({
            "id": id, "ms": ms, "verdict": result.verdict,
            "time": contact.map(|c| c.time), "free_until": contact.map(|c| c.free_until),
            "intervals": work[0], "distance_tests": work[1], "triangle_tests": work[2],
            "agrees": agrees.as_ref().map(Result::is_ok),
            "disagreement": agrees.and_then(Result::err),
        }));
    }
    let [clear, unverified, undecided, possible, collision] = verdicts;
    say(format!(
        "  median {:.3} ms, mean {:.3} ms, worst {:.3} ms; mean work {:.0} intervals, {:.0} tests, {:.0} triangle pairs",
        median(&times),
        mean(&times),
        times.iter().copied().fold(0.0, f64::max),
        mean(&counts[0]),
        mean(&counts[1]),
        mean(&counts[2]),
    ));
    say(format!(
        "  {clear} clear, {collision} collision, {} other{}",
        unverified + undecided + possible,
        match (&truth, wrong) {
            (None, _) => String::new(),
            (_, 0) => "; all agree with the truth".to_owned(),
            (_, n) => format!("; {n} DISAGREE with the truth"),
        }
    ));
    let answer = json!({
        "workload": name, "pairs": scene.pairs.len(), "median_ms": median(&times), "mean_ms": mean(&times),
        "results": results,
    });
    Ok((answer, wrong == 0))
}

fn truth_of(file: &FilePath) -> Result<Option<Value>, String> {
    match std::fs::read(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| format!("{}: {e}", file.display())),
        Err(_) => Ok(None),
    }
}

/// The threshold of `truth.json`, metres.
const TRUTH_THRESHOLD: f64 = 1e-3;
/// Least distances this close to the threshold may go either way, metres.
const EITHER_WAY: f64 = 6e-4;
/// Before `t_within_1mm` the distance is proved to be larger than this, metres.
const PROVED_BEFORE: f64 = 5e-4;
/// Times in `truth.json` are exact to this, seconds.
const TIME: f64 = 1e-9;

/// Whether an answer agrees with the truth: the verdict, and the first contact in its bracket.
fn agreement(truth: &Value, result: &CheckResult, clearance: f64) -> Result<(), String> {
    if (clearance - TRUTH_THRESHOLD).abs() > 1e-12 {
        return Err(format!(
            "the truth is about 1 mm, not {} mm",
            clearance * 1e3
        ));
    }
    let number = |key: &str| truth[key].as_f64();
    let either_way = number("min_clearance").is_some_and(|c| (c - clearance).abs() <= EITHER_WAY);
    let clear = truth["verdict"] == "clear";
    match result.verdict {
        _ if either_way => {}
        Verdict::Clear if clear => {}
        Verdict::Collision if !clear => {}
        verdict => {
            return Err(format!(
                "{verdict:?} where the truth is {}",
                truth["verdict"]
            ));
        }
    }
    if result.verdict != Verdict::Collision {
        return Ok(());
    }
    let contact = result.first_contact.as_ref().ok_or("no contact is given")?;
    if contact.distance > clearance {
        return Err(format!("the contact is {} m apart", contact.distance));
    }
    if contact.free_until > contact.time {
        return Err("the contact is before free_until".to_owned());
    }
    if let Some(within) = number("t_within_1mm") {
        if contact.free_until > within + TIME {
            return Err(format!(
                "free until {}, within 1 mm at {within}",
                contact.free_until
            ));
        }
        if contact.time < within - TIME && contact.distance <= PROVED_BEFORE {
            return Err(format!(
                "{} m apart at {}, but over 0.5 mm before {within}",
                contact.distance, contact.time
            ));
        }
    }
    match number("t_contact") {
        Some(touch) if contact.time > touch + TIME => Err(format!(
            "contact at {}, first touch at {touch}",
            contact.time
        )),
        _ => Ok(()),
    }
}
