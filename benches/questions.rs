//! The cost of questions beside the check that they cannot do without, by counts and by time.
//!
//! `cargo bench --bench questions -- [--repeats N] [--each] FOLDER...`, each folder with
//! `cell.toml` and `trajectories/*.csv`. Without a folder: our own arm6.
//!
//! - `--minimum`: the check whose threshold is the least distance less the resolution, which nobody
//!   can do without.
//! - `--minimum`, classes: the check in which the threshold of every class of pairs is the lower
//!   bound that is proved for it. Programs that hit something are left out: there it ends at the
//!   first contact.
//! - `--minimum-pairs=50mm`: the check with that distance as threshold, and `--all`.
//!
//! Each question with all that the command does for it: the check itself is a part of it.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

mod common;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use clearance_proof::check::bisection::{CheckOptions, CheckResult};
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Trajectory;
use common::{Workload, mean, median, milliseconds, ours, programs, stem};

/// Pairs that come nearer than this are asked for one by one, metres.
const WITHIN: f64 = 0.05;

#[derive(Parser)]
struct Options {
    /// Folders of workloads
    folders: Vec<PathBuf>,
    /// Runs of every question; the shortest counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    repeats: u64,
    /// Print every trajectory
    #[arg(long)]
    each: bool,
    /// Leave out pairs one by one
    #[arg(long)]
    no_pairs: bool,
    /// Given by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut jobs: Vec<_> = (options.folders.iter())
        .map(|folder| (folder.join("cell.toml"), folder.join("trajectories")))
        .collect();
    if jobs.is_empty() {
        jobs.push((ours("robots/arm6/cell.toml"), ours("trajectories/arm6")));
    }
    for (cell, folder) in jobs {
        if let Err(problem) = workload(&cell, &folder, &options) {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// A question, timed.
struct Asked {
    tests: f64,
    ms: f64,
    result: CheckResult,
}

fn ask(scene: &Scene, trajectory: &Trajectory, question: &CheckOptions, repeats: u64) -> Asked {
    let once = || milliseconds(|| scene.check(trajectory, question, &|_| ()));
    let (mut ms, result) = once();
    for _ in 1..repeats {
        ms = ms.min(once().0);
    }
    let work = result.statistics;
    let tests = (work.distance_tests + work.triangle_tests).max(1) as f64;
    Asked { tests, ms, result }
}

/// Ratios of one question over all trajectories.
#[derive(Default)]
struct Ratios {
    tests: Vec<f64>,
    ms: Vec<f64>,
}

impl Ratios {
    fn add(&mut self, question: &Asked, proof: &Asked) {
        self.tests.push(question.tests / proof.tests);
        self.ms.push(question.ms / proof.ms);
    }

    fn say(&self, name: &str, what: &str) {
        println!(
            "| {name} | {what} | {:.2} | {:.2} | {:.2} | {:.2} |",
            median(&self.tests),
            mean(&self.tests),
            median(&self.ms),
            mean(&self.ms)
        );
    }
}

fn workload(cell: &Path, folder: &Path, options: &Options) -> Result<(), String> {
    let workload = Workload::file(cell)?;
    let scene = workload.scene();
    let resolution = workload.settings.resolution;
    let [mut overall, mut least, mut classes, mut pairs] = [(); 4].map(|()| Ratios::default());
    for file in programs(folder)? {
        let trajectory = workload.trajectory(&file)?;
        let plain = workload.options();
        let minimum = CheckOptions {
            minimum: true,
            minimum_by_class: true,
            ..plain
        };
        let question = ask(&scene, &trajectory, &minimum, options.repeats);
        let Some(found) = &question.result.minimum else {
            continue;
        };
        let nearest = CheckOptions {
            minimum: true,
            minimum_by_class: false,
            ..plain
        };
        let nearest = ask(&scene, &trajectory, &nearest, options.repeats);
        let close = workload.scene_at((found.distance - resolution).max(0.0));
        let proof = ask(&close, &trajectory, &plain, options.repeats);
        if found.lower_bound > 0.0 {
            let mut proved = workload.scene();
            for pair in &mut proved.pairs {
                let class = proved.cell.pair_class(pair.a, pair.b);
                let mut classes = question.result.minimum_by_class.iter();
                let known = classes.find(|known| Some(known.class) == class);
                pair.clearance = known.map_or(found.lower_bound, |k| k.least.lower_bound);
            }
            let proof = ask(&proved, &trajectory, &plain, options.repeats);
            classes.add(&question, &proof);
        }
        least.add(&question, &proof);
        overall.add(&nearest, &proof);
        if options.each {
            let work = question.result.statistics;
            println!(
                "{:16} least {:9.3} mm, proved {:9.3} mm: {:9} tests, {:7} triangle pairs, {:8.3} ms; the check: {:9} tests, {:8.3} ms: {:6.2} × tests, {:6.2} × ms",
                stem(&file),
                1e3 * found.distance,
                1e3 * found.lower_bound,
                work.distance_tests,
                work.triangle_tests,
                question.ms,
                proof.tests,
                proof.ms,
                question.tests / proof.tests,
                question.ms / proof.ms
            );
            for class in &question.result.minimum_by_class {
                println!(
                    "    {} {:.3} mm, proved {:.3} mm",
                    class.class.as_str(),
                    1e3 * class.least.distance,
                    1e3 * class.least.lower_bound
                );
            }
        }
        if options.no_pairs {
            continue;
        }
        let minimum_pairs = CheckOptions {
            minimum_pairs: Some(WITHIN),
            ..minimum
        };
        let all = CheckOptions { all: true, ..plain };
        let question = ask(&scene, &trajectory, &minimum_pairs, options.repeats);
        let proof = ask(
            &workload.scene_at(WITHIN),
            &trajectory,
            &all,
            options.repeats,
        );
        pairs.add(&question, &proof);
        if options.each {
            println!(
                "    {} pairs: {:9} tests, {:8.3} ms; the check with --all: {:9} tests, {:8.3} ms: {:6.2} × tests, {:6.2} × ms",
                question.result.pair_minimums.len(),
                question.tests,
                question.ms,
                proof.tests,
                proof.ms,
                question.tests / proof.tests,
                question.ms / proof.ms
            );
        }
    }
    let name = cell.parent().unwrap_or(cell).display().to_string();
    println!("| workload | question | tests × median | mean | ms × median | mean |");
    println!("|---|---|---|---|---|---|");
    overall.say(&name, "`--minimum=overall`");
    least.say(&name, "`--minimum`");
    classes.say(&name, "`--minimum`, classes");
    if !options.no_pairs {
        pairs.say(&name, "`--minimum-pairs`");
    }
    Ok(())
}
