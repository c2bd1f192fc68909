//! Budgets of error on programs of real cells: whether any error within a budget touches in what is
//! clear for it, and what a budget costs.
//!
//! `cargo bench --bench errors -- [--errors N] [--repeats N] FOLDER...`, each folder with
//! `cell.toml` and `trajectories/*.csv`, or `CELL.toml=FOLDER` with the programs in it. Without a
//! folder: our own examples of arm6 and scara.
//!
//! - The budget is a share of the usual one (1 mm and 0.1° for every base, tool and obstacle, 0.05°
//!   and 0.5 mm for joints): the greatest of a few for which the program is clear. Each error is
//!   constant in a run over the whole motion, those of joints may change from waypoint to waypoint;
//!   half of them bring a pair of bodies together.
//! - Cost: the check of the program with 0.05° and 0.5 mm for joints over the check without.
//!
//! Exit code 1 when an error touches.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

mod common;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::{Cell, Trajectory, Uncertainty};
use common::random_errors::{Random, budget_of, touching as touch};
use common::{Workload, median, milliseconds, ours, programs, stem};

#[derive(Parser)]
struct Options {
    /// Folders of workloads
    folders: Vec<String>,
    /// Errors for each program that is clear
    #[arg(long, default_value_t = 100)]
    errors: usize,
    /// Runs of every check; the shortest counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    repeats: u64,
    /// Print every program
    #[arg(long)]
    each: bool,
    /// Given by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut jobs: Vec<(PathBuf, PathBuf)> = (options.folders.iter())
        .map(|named| match named.split_once('=') {
            Some((cell, folder)) => (cell.into(), folder.into()),
            None => {
                let folder = Path::new(named);
                (folder.join("cell.toml"), folder.join("trajectories"))
            }
        })
        .collect();
    if jobs.is_empty() {
        let own = |name: &str| {
            let cell = ours(&format!("robots/{name}/cell.toml"));
            (cell, ours(&format!("trajectories/{name}")))
        };
        jobs.extend(["arm6", "scara"].map(own));
    }
    println!(
        "| cell | programs | clear with a budget | errors | of these touch | with a joint budget / without: median | most |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut any = false;
    for (cell, folder) in jobs {
        match workload(&cell, &folder, &options) {
            Ok(touching) => any |= touching,
            Err(problem) => {
                eprintln!("{problem}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::from(u8::from(any))
}

/// One cell with its programs; whether an error touched.
fn workload(cell: &Path, folder: &Path, options: &Options) -> Result<bool, String> {
    let workload = Workload::file(cell)?;
    let mut r = Random(17);
    let (mut read, mut clear, mut errors, mut touching) = (0, 0, 0, 0);
    let mut costs = Vec::new();
    for file in programs(folder)? {
        // Events, and messages that are refused on purpose, are not what is asked about.
        let Ok(trajectory) = workload.trajectory(&file) else {
            continue;
        };
        read += 1;
        let cost = cost(&workload, &trajectory, options.repeats);
        costs.push(cost);
        let said = match budget_of(&workload, &trajectory) {
            None => "not clear with a budget".to_owned(),
            Some((share, budget)) => {
                let those = touch(&workload, &trajectory, &budget, (options.errors, &mut r));
                clear += 1;
                errors += options.errors;
                touching += those;
                let all = options.errors;
                format!("{share} times the usual budget, {those} of {all} touch")
            }
        };
        if options.each {
            eprintln!("  {:30} {said}; joint budget {cost:.2}", stem(&file));
        }
    }
    let most = costs.iter().copied().fold(0.0, f64::max);
    println!(
        "| {} | {read} | {clear} | {errors} | {touching} | {:.2} | {most:.2} |",
        cell.parent().unwrap_or(cell).display(),
        median(&costs),
    );
    Ok(touching > 0)
}

/// The check with a joint budget over the check without, in time.
fn cost(workload: &Workload, trajectory: &Trajectory, repeats: u64) -> f64 {
    let usual = Uncertainty::usual(&workload.prepared.loaded.cell);
    let of_joints = Uncertainty {
        joint: usual.joint,
        ..Uncertainty::none(&workload.prepared.loaded.cell)
    };
    let cell = Cell {
        uncertainty: Some(of_joints),
        ..workload.prepared.loaded.cell.clone()
    };
    let with = Scene::new(
        &cell,
        &workload.prepared.trees,
        &workload.prepared.pairs,
        workload.settings.clearance,
    );
    let without = workload.scene();
    let mut best = [f64::INFINITY; 2];
    for _ in 0..repeats {
        for (scene, best) in [&with, &without].into_iter().zip(&mut best) {
            let (ms, _) = milliseconds(|| scene.check(trajectory, &workload.options(), &|_| ()));
            *best = best.min(ms);
        }
    }
    best[0] / best[1]
}
