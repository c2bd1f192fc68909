//! The gain from wide instructions: the same checks with 4, 8 and 16 node pairs at a time.
//!
//! `cargo bench --bench lanes -- [--repeats N] WORKLOADS`: the folder of the reference workloads.
//! Four lanes are one register of every x86-64 and aarch64 machine; what the machine does not have
//! is left out by the engine, and makes no difference here. Times are those of the checking thread,
//! of every program the shortest of N runs (default 15), in turns.
#![allow(missing_docs, clippy::print_stdout)]

mod common;

use std::path::PathBuf;

use clap::Parser;
use common::{Workload, mean, median, milliseconds, programs};

#[derive(Parser)]
struct Options {
    /// Folder of workloads, each with cell.toml and trajectories/
    workloads: PathBuf,
    /// Runs of every program; the shortest counts
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..))]
    repeats: u64,
    /// Given by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

const LANES: [usize; 3] = [4, 8, 16];

fn main() -> Result<(), String> {
    let options = Options::parse();
    println!("| workload | 4 lanes: median / mean ms | 8 lanes | 16 lanes | 4 / 16: mean |");
    println!("|---|---|---|---|---|");
    for name in ["A", "B", "C"] {
        let folder = options.workloads.join(name);
        let workload = Workload::file(folder.join("cell.toml"))?;
        let mut scene = workload.scene();
        let mut times = LANES.map(|_| Vec::new());
        for file in programs(&folder.join("trajectories"))? {
            let trajectory = workload.trajectory(&file)?;
            let mut best = LANES.map(|_| f64::INFINITY);
            let mut work = Vec::new();
            for _ in 0..options.repeats {
                for (lanes, best) in LANES.into_iter().zip(&mut best) {
                    scene.lanes = lanes;
                    let (ms, result) =
                        milliseconds(|| scene.check(&trajectory, &workload.options(), &|_| ()));
                    *best = best.min(ms);
                    work.push((result.verdict, result.statistics.distance_tests));
                }
            }
            assert!(
                work.iter().all(|w| *w == work[0]),
                "answers differ: {work:?}"
            );
            for (all, ms) in times.iter_mut().zip(best) {
                all.push(ms);
            }
        }
        let [four, eight, sixteen] = times
            .each_ref()
            .map(|t| format!("{:.3} / {:.3}", median(t), mean(t)));
        let ratio = mean(&times[0]) / mean(&times[2]);
        println!("| {name} | {four} | {eight} | {sixteen} | {ratio:.2} |");
    }
    Ok(())
}
