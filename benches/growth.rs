//! How time and work grow with what is asked: triangles, waypoints, resolution, pairs, threads. Tables in Markdown.
//!
//! `cargo bench --bench growth -- [TABLE...]` with the tables `triangles`, `waypoints`, `resolution`, `pairs`, `threads`;
//! default: all. Times are those of the checking thread, the shortest of a few runs.
#![allow(missing_docs, clippy::print_stdout)]

mod common;

use clearance::engines::bisection::{CheckOptions, CheckResult, check};
use clearance::engines::scene::Scene;
use clearance::model::Path;
use clearance::verify::{CacheFolder, Job, Silence, run};
use common::scenes::{BALL, CLEARANCE, RESOLUTION, arm_over, balls, joined, sweep, terrain};
use common::{Workload, median, ours, timed};

/// Height of the flange over the ground's highest point where nothing is hit, metres.
const OVER: f64 = 0.006;
/// The same where a hill is hit on the way.
const INTO: f64 = -0.004;

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let tables: [(&str, fn()); 5] = [
        ("triangles", triangles),
        ("waypoints", waypoints),
        ("resolution", resolution),
        ("pairs", pairs),
        ("threads", threads),
    ];
    for (name, table) in tables {
        if asked.is_empty() || asked.iter().any(|a| a == name) {
            table();
        }
    }
}

fn options(resolution: f64, minimum: bool) -> CheckOptions {
    CheckOptions {
        resolution,
        all: false,
        minimum,
    }
}

/// A table whose rows follow each other in one quantity; the last columns compare a row with the one before.
struct Table {
    before: Option<[f64; 2]>,
}

impl Table {
    fn new(quantity: &str) -> Self {
        println!(
            "| {quantity} | verdict | ms | intervals | tests | triangle pairs | time × | tests × |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        Self { before: None }
    }

    fn row(&mut self, label: &str, scene: &Scene, path: &Path, options: &CheckOptions) {
        let (ms, result) = timed(scene, path, options);
        let CheckResult {
            verdict,
            statistics: work,
            ..
        } = result;
        let now = [ms, work.distance_tests as f64];
        let times = match self.before {
            Some(before) => [0, 1].map(|k| format!("{:.2}", now[k] / before[k])),
            None => [String::new(), String::new()],
        };
        println!(
            "| {label} | {} | {ms:.3} | {} | {} | {} | {} | {} |",
            format!("{verdict:?}").to_lowercase(),
            work.intervals,
            work.distance_tests,
            work.triangle_tests,
            times[0],
            times[1]
        );
        self.before = Some(now);
    }
}

fn least(workload: &Workload, path: &Path) -> f64 {
    let result = check(&workload.scene(), path, &options(RESOLUTION, true), &|_| ());
    result.minimum.map_or(f64::INFINITY, |m| m.distance)
}

fn triangles() {
    println!("\n#### Triangles of the cell\n");
    for (name, ground) in [
        (
            "terrain",
            Box::new(|n: usize| terrain(n)) as Box<dyn Fn(usize) -> _>,
        ),
        ("balls", Box::new(|n: usize| joined(&balls(n / BALL)))),
    ] {
        let mut table = Table::new(&format!("{name}: triangles (least distance)"));
        for n in [1_000, 10_000, 100_000, 1_000_000] {
            let ground = ground(n);
            let workload = arm_over(std::slice::from_ref(&ground));
            let path = sweep(&workload, OVER, 1, 1);
            let label = format!(
                "{} ({:.1} mm)",
                ground.triangles.len(),
                least(&workload, &path) * 1e3
            );
            table.row(
                &label,
                &workload.scene(),
                &path,
                &options(RESOLUTION, false),
            );
        }
        println!();
    }
}

fn waypoints() {
    println!("\n#### Waypoints\n");
    let workload = arm_over(&[terrain(10_000)]);
    let scene = workload.scene();
    let plain = options(RESOLUTION, false);
    let mut table = Table::new("longer motion: waypoints");
    for passes in [1, 10, 100] {
        let path = sweep(&workload, OVER, passes, 1);
        table.row(
            &(path.segments.len() + 1).to_string(),
            &scene,
            &path,
            &plain,
        );
    }
    println!();
    let mut table = Table::new("same motion, cut finer: waypoints");
    for cuts in [1, 10, 100] {
        let path = sweep(&workload, OVER, 1, cuts);
        table.row(
            &(path.segments.len() + 1).to_string(),
            &scene,
            &path,
            &plain,
        );
    }
    println!();
}

fn resolution() {
    println!("\n#### Resolution\n");
    let workload = arm_over(&[terrain(10_000)]);
    let scene = workload.scene();
    let over = sweep(&workload, OVER, 1, 1);
    let into = sweep(&workload, INTO, 1, 1);
    let finest = options(1e-6, true);
    let nearest = check(&scene, &over, &finest, &|_| ()).minimum;
    let kissing = workload.scene_at(nearest.map_or(CLEARANCE, |m| m.lower_bound));
    for (name, scene, path, minimum) in [
        ("far enough", &scene, &over, false),
        ("first contact", &scene, &into, false),
        (
            "threshold = least distance − 1 µm at most",
            &kissing,
            &over,
            false,
        ),
        ("`--minimum`", &scene, &over, true),
    ] {
        let mut table = Table::new(&format!("{name}: ε"));
        for (label, resolution) in [
            ("10 mm", 1e-2),
            ("1 mm", 1e-3),
            ("0.1 mm", 1e-4),
            ("0.01 mm", 1e-5),
        ] {
            table.row(label, scene, path, &options(resolution, minimum));
        }
        println!();
    }
}

fn pairs() {
    println!("\n#### Pairs of bodies\n");
    let mut table = Table::new("obstacles (pairs)");
    for n in [1, 10, 100, 1_000] {
        let workload = arm_over(&balls(n));
        let scene = workload.scene();
        let path = sweep(&workload, OVER, 1, 1);
        let label = format!("{n} ({})", scene.pairs.len());
        table.row(&label, &scene, &path, &options(RESOLUTION, false));
    }
    println!();
}

/// A library of programs on one and on two threads; both ways in turns, because the machine's pace changes.
fn threads() {
    println!("\n#### Threads\n");
    const COPIES: usize = 400;
    const ROUNDS: usize = 7;
    let programs = ["pick_place", "smooth", "near_miss", "cubic_dips", "degrees"];
    let files = programs.map(|p| {
        let csv = ours(&format!("trajectories/arm6/{p}.csv"));
        if csv.exists() {
            csv
        } else {
            csv.with_extension("yaml")
        }
    });
    let mut job = Job::new(ours("robots/arm6/cell.toml"), Vec::new());
    for _ in 0..COPIES {
        job.programs.extend(files.iter().cloned());
    }
    job.cell.cache = CacheFolder::Off;
    let mut seconds = |threads: usize| {
        job.cell.threads = Some(threads);
        run(&job, &Silence).timing.check_seconds
    };
    let rounds: Vec<[f64; 2]> = (0..ROUNDS).map(|_| [seconds(1), seconds(2)]).collect();
    let column = |k: usize| median(&rounds.iter().map(|r| r[k]).collect::<Vec<_>>());
    let ratios: Vec<f64> = rounds.iter().map(|r| r[0] / r[1]).collect();
    println!("| programs | 1 thread, s | 2 threads, s | times as fast |");
    println!("|---|---|---|---|");
    println!(
        "| {} | {:.3} | {:.3} | {:.2} |",
        COPIES * programs.len(),
        column(0),
        column(1),
        median(&ratios)
    );
}
