//! The work that range-of-motion hulls save: the same programs with and without them.
//!
//! `cargo bench --bench hulls -- [--repeats N] DATA WORKLOADS`: real robots and programs (what
//! `CLEARANCE_REAL_DATA` names), and the folder of the reference workloads. Times are those that
//! the report tells, the shortest of N runs (default 15), in turns.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

#[allow(dead_code)] // the same door as in the tests, of which this uses a part
#[path = "../tests/suite/real_cases/door.rs"]
mod door;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use clearance::findings::ProgramOutcome;
use clearance::run::{
    CacheFolder, Job, NoProgress, Prepared, RobotProgram, Verifier, least_possible, prepare,
};
use door::CellFile;
use serde_json::Value;

#[derive(Parser)]
struct Options {
    /// Real robots, cells and programs
    data: PathBuf,
    /// Reference workloads
    workloads: PathBuf,
    /// Runs of every program; the shortest counts
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..))]
    repeats: u64,
    /// Given by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let data = options.data.canonicalize().unwrap_or(options.data.clone());
    println!(
        "| cell | program | verdict | pairs → left by hulls | tests without → with hulls | ms without → with | saved |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut limits = Vec::new();
    let dual = dual_arms(&data);
    let plans = programs(&data.join("programs/o2ac_saved_plans"));
    limits.push(cell("two UR5e", &dual.job(plans), options.repeats));
    let folder = options.workloads.join("C");
    let job = Job::new(
        folder.join("cell.toml"),
        programs(&folder.join("trajectories")),
    );
    limits.push(cell("Talos", &job, options.repeats));
    let (rail, carry) = car_seats(&data);
    limits.push(cell("car seats", &rail.job(vec![carry]), options.repeats));
    println!("\n{}", limits.join("\n"));
    ExitCode::SUCCESS
}

/// Prints a line per program; a line about the cell within its limits.
fn cell(name: &str, job: &Job, repeats: u64) -> String {
    let mut job = job.clone();
    job.cell.cache = CacheFolder::Default;
    let prepared = prepare(&job.cell, &NoProgress).unwrap_or_else(|e| panic!("{e}"));
    let with = Verifier::new(&job, &prepared).unwrap_or_else(|e| panic!("{e}"));
    let without = with.clone().without_hulls();
    let mut sums = [0.0; 2];
    for program in &job.programs {
        let alone = [RobotProgram::alone(program)];
        let mut best: [Option<ProgramOutcome>; 2] = [None, None];
        for _ in 0..repeats {
            for (verifier, best) in [&without, &with].into_iter().zip(&mut best) {
                let answer = verifier.verify_together(&alone, &|_| ());
                let seconds = |a: &ProgramOutcome| a.statistics.check_seconds;
                if best.as_ref().is_none_or(|b| seconds(&answer) < seconds(b)) {
                    *best = Some(answer);
                }
            }
        }
        let [Some(without), Some(with)] = best else {
            continue;
        };
        assert_eq!(without.verdict, with.verdict);
        let (x, y) = (without.statistics, with.statistics);
        let ms = [x, y].map(|s| s.check_seconds * 1e3);
        sums = [sums[0] + ms[0], sums[1] + ms[1]];
        let stem = program.file_stem().unwrap_or_default().to_string_lossy();
        let verdict = format!("{:?}", with.verdict).to_lowercase();
        println!(
            "| {name} | {stem} | {verdict} | {} → {} | {} → {} | {:.2} → {:.2} | {:.0} % |",
            x.pairs,
            x.pairs.saturating_sub(y.unreachable),
            x.distance_tests,
            y.distance_tests,
            ms[0],
            ms[1],
            100.0 * (1.0 - ms[1] / ms[0])
        );
    }
    println!(
        "| {name} | all | | | | {:.1} → {:.1} | {:.0} % |",
        sums[0],
        sums[1],
        100.0 * (1.0 - sums[1] / sums[0])
    );
    within_limits(name, &prepared)
}

/// Pairs that are proved unreachable in the whole cell within its joint limits, and how long the
/// proof takes.
fn within_limits(name: &str, prepared: &Prepared) -> String {
    let start = std::time::Instant::now();
    let least = least_possible(prepared, prepared.loaded.settings.clearance.unwrap_or(0.0));
    let seconds = start.elapsed().as_secs_f64();
    let unreachable = least.iter().flatten().count();
    format!(
        "{name}: {} pairs checked, {unreachable} of them unreachable within the joint limits ({seconds:.1} s to prove it)",
        least.len()
    )
}

/// Both arms at home where the program does not move them.
fn dual_arms(data: &Path) -> CellFile {
    let states = read_json(&data.join("robots/o2ac_dual_ur5e_cell/group_states.json"));
    let home: Vec<(String, f64)> = ["a_bot/home", "b_bot/home"]
        .iter()
        .flat_map(|state| states[*state].as_object().into_iter().flatten())
        .map(|(name, value)| (name.clone(), number(value)))
        .collect();
    let mut file = CellFile::robot(data, "o2ac_dual_ur5e_cell", &home);
    for side in ["left", "right"] {
        let finger = |part| format!("b_bot_robotiq_85_{side}_finger_{part}");
        file.allow(&finger("link"), &finger("tip_link"));
    }
    file
}

/// The robot on its rail: to the first seat, on to the car; the seat comes along from Pick on and
/// stays at Place.
fn car_seats(data: &Path) -> (CellFile, PathBuf) {
    let seats = data.join("cells/car_seat_seats");
    let mut file = CellFile::robot(data, "sia20d_car_seat_cell_tesseract", &[]);
    file.obstacles(&read_json(&seats.join("scene.json"))["objects"], &seats);
    let program = data.join("programs/car_seat_sia20d/home_pick1_place1_line.csv");
    let program = std::fs::read_to_string(&program).unwrap_or_else(|e| panic!("{e}"));
    let program = file.beside("home_pick1_place1.csv", &program);
    let mut events = String::new();
    for (waypoint, what) in [
        (2, "attach = \"world::seat_1_*\"\nto = \"end_effector\""),
        (4, "release = \"world::seat_1_*\""),
    ] {
        let _ = writeln!(events, "[[event]]\nwaypoint = {waypoint}\n{what}");
    }
    file.beside("home_pick1_place1.events.toml", &events);
    (file, program)
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| file.extension().is_some_and(|e| e == "csv"))
        .collect();
    files.sort();
    files
}

fn read_json(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}
