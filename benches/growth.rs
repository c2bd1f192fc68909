//! How time and work grow with what is asked: triangles, waypoints, other questions, resolution,
//! pairs, threads. Tables in Markdown.
//!
//! `cargo bench --bench growth -- [TABLE...]` with the tables `triangles`, `waypoints`,
//! `questions`, `resolution`, `pairs`, `threads`, `trees`; default: all. Times are those of the
//! checking thread, the shortest of a few runs.
#![allow(missing_docs, clippy::print_stdout)]

mod common;

use std::time::Instant;

use clearance::cache::Cache;
use clearance::run::{CacheFolder, Job, NoProgress, run};
use clearance_proof::bvh::{Node, SphereTree};
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::check::scene::Scene;
use clearance_proof::geometry::mesh::Mesh;
use clearance_proof::model::Trajectory;
use common::scenes::{BALL, RESOLUTION, arm_over, balls, joined, sweep, terrain};
use common::{Timed, Workload, median, ours, timed};

/// Height of the flange over the ground's highest point where nothing is hit, metres.
const OVER: f64 = 0.006;
/// The same where a hill is hit on the way.
const INTO: f64 = -0.004;

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let tables: [(&str, fn()); 7] = [
        ("triangles", triangles),
        ("waypoints", waypoints),
        ("questions", questions),
        ("resolution", resolution),
        ("pairs", pairs),
        ("threads", threads),
        ("trees", trees),
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
        minimum_by_class: minimum,
        minimum_pairs: None,
    }
}

/// A table whose rows follow each other in one quantity; the last columns compare a row with the
/// one before.
struct Table {
    before: Option<[f64; 2]>,
    /// Whether every row is a scene of its own, so that its first check is worth telling.
    first: bool,
}

impl Table {
    fn new(quantity: &str, first: bool) -> Self {
        let (head, line) = if first {
            (" first check, ms |", "---|")
        } else {
            ("", "")
        };
        println!(
            "| {quantity} | verdict | ms |{head} intervals | tests | triangle pairs | ms × | tests × |"
        );
        println!("|---|---|---|{line}---|---|---|---|---|");
        let before = None;
        Self { before, first }
    }

    fn row(&mut self, label: &str, scene: &Scene, trajectory: &Trajectory, options: &CheckOptions) {
        let Timed {
            first_ms,
            ms,
            result,
        } = timed(scene, trajectory, options);
        let work = result.statistics;
        let now = [ms, work.distance_tests as f64];
        let times = match self.before {
            Some(before) => [0, 1].map(|k| match before[k] {
                0.0 => String::new(),
                before => format!("{:.2}", now[k] / before),
            }),
            None => [String::new(), String::new()],
        };
        let first = if self.first {
            format!(" {first_ms:.1} |")
        } else {
            String::new()
        };
        println!(
            "| {label} | {} | {ms:.3} |{first} {} | {} | {} | {} | {} |",
            format!("{:?}", result.verdict).to_lowercase(),
            work.intervals,
            work.distance_tests,
            work.triangle_tests,
            times[0],
            times[1]
        );
        self.before = Some(now);
    }
}

/// The least distance of a motion as it is attained, metres.
fn least(workload: &Workload, trajectory: &Trajectory, resolution: f64) -> f64 {
    let scene = workload.scene();
    let result = scene.check(trajectory, &options(resolution, true), &|_| ());
    result.minimum.map_or(f64::INFINITY, |m| m.distance)
}

fn triangles() {
    for (name, ground) in [
        ("terrain", terrain as fn(usize) -> Mesh),
        ("balls", |n| joined(&balls(n / BALL))),
    ] {
        let cells: Vec<(Workload, usize)> = [1_000, 10_000, 100_000, 1_000_000]
            .into_iter()
            .map(|n| {
                let ground = ground(n);
                (
                    arm_over(std::slice::from_ref(&ground)),
                    ground.triangles.len(),
                )
            })
            .collect();
        let mut table = Table::new(
            &format!("clear over {name}: triangles (least distance)"),
            true,
        );
        for (workload, n) in &cells {
            let trajectory = sweep(workload, OVER, 1, 1);
            let label = format!(
                "{n} ({:.1} mm)",
                least(workload, &trajectory, RESOLUTION) * 1e3
            );
            let plain = options(RESOLUTION, false);
            table.row(&label, &workload.scene(), &trajectory, &plain);
        }
        println!();
        // Between balls that are fewer or smaller the arm finds another contact, or none: another
        // question.
        if name == "balls" {
            continue;
        }
        let mut table = Table::new("first contact with terrain: triangles", true);
        for (workload, n) in &cells {
            let trajectory = sweep(workload, INTO, 1, 1);
            let plain = options(RESOLUTION, false);
            table.row(&n.to_string(), &workload.scene(), &trajectory, &plain);
        }
        println!();
    }
}

fn waypoints() {
    more_waypoints("", OVER, &options(RESOLUTION, false));
}

/// A question about a motion that goes on, and about one that is cut finer.
fn more_waypoints(question: &str, height: f64, options: &CheckOptions) {
    let workload = arm_over(&[terrain(10_000)]);
    let scene = workload.scene();
    for (name, finer) in [("longer motion", false), ("same motion, cut finer", true)] {
        let mut table = Table::new(&format!("{question}{name}: waypoints"), false);
        for times in [1, 10, 100] {
            let [passes, cuts] = if finer { [1, times] } else { [times, 1] };
            let trajectory = sweep(&workload, height, passes, cuts);
            let label = (trajectory.segments.len() + 1).to_string();
            table.row(&label, &scene, &trajectory, options);
        }
        println!();
    }
}

/// Questions beside the check: all contacts where the arm touches, the least distance where it does
/// not.
fn questions() {
    let all = CheckOptions {
        all: true,
        ..options(RESOLUTION, false)
    };
    let minimum = options(RESOLUTION, true);
    for (question, height, options) in [("`--all`, ", INTO, all), ("`--minimum`, ", OVER, minimum)]
    {
        let mut table = Table::new(&format!("{question}terrain: triangles"), true);
        for n in [1_000, 10_000, 100_000, 1_000_000] {
            let ground = terrain(n);
            let label = ground.triangles.len().to_string();
            let workload = arm_over(&[ground]);
            let trajectory = sweep(&workload, height, 1, 1);
            table.row(&label, &workload.scene(), &trajectory, &options);
        }
        println!();
        more_waypoints(question, height, &options);
    }
}

fn resolution() {
    let workload = arm_over(&[terrain(10_000)]);
    let scene = workload.scene();
    let over = sweep(&workload, OVER, 1, 1);
    let into = sweep(&workload, INTO, 1, 1);
    let least = least(&workload, &over, 1e-6);
    for (name, trajectory, kissing, minimum) in [
        ("clear: ε", &over, false, false),
        ("first contact: ε", &into, false, false),
        (
            "threshold ε/2 under the least distance: ε",
            &over,
            true,
            false,
        ),
        ("`--minimum`: ε", &over, false, true),
    ] {
        let mut table = Table::new(name, false);
        for (label, resolution) in [
            ("10 mm", 1e-2),
            ("1 mm", 1e-3),
            ("0.1 mm", 1e-4),
            ("0.01 mm", 1e-5),
        ] {
            let options = options(resolution, minimum);
            if kissing {
                let close = workload.scene_at(least - resolution / 2.0);
                table.row(label, &close, trajectory, &options);
            } else {
                table.row(label, &scene, trajectory, &options);
            }
        }
        println!();
    }
}

fn pairs() {
    let mut table = Table::new("obstacles (pairs)", true);
    for n in [1, 10, 100, 1_000] {
        let workload = arm_over(&balls(n));
        let scene = workload.scene();
        let trajectory = sweep(&workload, OVER, 1, 1);
        let label = format!("{n} ({})", scene.pairs.len());
        table.row(&label, &scene, &trajectory, &options(RESOLUTION, false));
    }
    println!();
}

/// A batch of programs on one and on two threads; both ways in turns, because the machine's pace
/// changes. What the processors were busy tells what two threads cost each other from what the
/// machine did not give them.
fn threads() {
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
        let start = cpu_time::ProcessTime::now();
        let wall = run(&job, &NoProgress).timing.check_seconds;
        [wall, start.elapsed().as_secs_f64()]
    };
    let rounds: Vec<[[f64; 2]; 2]> = (0..ROUNDS).map(|_| [seconds(1), seconds(2)]).collect();
    let middle =
        |what: &dyn Fn(&[[f64; 2]; 2]) -> f64| median(&rounds.iter().map(what).collect::<Vec<_>>());
    println!(
        "| programs | 1 thread, s | processor, s | 2 threads, s | processors, s | times as fast |"
    );
    println!("|---|---|---|---|---|---|");
    println!(
        "| {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} |",
        COPIES * programs.len(),
        middle(&|r| r[0][0]),
        middle(&|r| r[0][1]),
        middle(&|r| r[1][0]),
        middle(&|r| r[1][1]),
        middle(&|r| r[0][0] / r[1][0])
    );
}

/// Wall-clock times, on all cores, and the size of the tree with its triangles.
fn trees() {
    println!("| triangles | build, s | from the cache, s | bytes a triangle |");
    println!("|---|---|---|---|");
    for n in [10_000, 100_000, 1_000_000] {
        let mesh = terrain(n);
        let folder = tempfile::tempdir().expect("a folder for trees");
        let cache = || Cache::open(Some(folder.path()));
        let tree = cache().tree(&mesh, 0.0);
        let best = |work: &dyn Fn()| {
            let seconds = (0..5).map(|_| {
                let start = Instant::now();
                work();
                start.elapsed().as_secs_f64()
            });
            seconds.fold(f64::INFINITY, f64::min)
        };
        let built = best(&|| drop(SphereTree::new(&mesh, 0.0)));
        let fetched = best(&|| drop(cache().tree(&mesh, 0.0)));
        let bytes = size_of::<Node>() * tree.nodes.len()
            + size_of_val(&tree.vertices[..])
            + size_of_val(&tree.triangles[..]);
        println!(
            "| {} | {built:.3} | {fetched:.4} | {:.0} |",
            tree.triangles.len(),
            bytes as f64 / tree.triangles.len() as f64
        );
    }
}
