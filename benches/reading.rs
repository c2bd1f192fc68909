//! Programs of controllers: 1,000 of 1,000 lines each, read, and checked. Reading should cost less
//! than checking.
//!
//!     cargo bench --bench reading
#![allow(missing_docs, dead_code, clippy::print_stdout)]

#[path = "../tests/suite/dialects/export.rs"]
mod export;

use std::path::Path;
use std::time::{Duration, Instant};

use clearance::findings::Verdict;
use clearance::run::{CellJob, Job, NoProgress, Verifier, prepare};
use clearance_programs::{Bounds, ControlledArm, Options};
use export::{Dialect, Step, Writer, controller_text, dialects};

/// Programs of each of the five dialects.
const PROGRAMS: usize = 200;
/// Moves of a program: with what a dialect needs besides, about 1,000 lines.
const MOVES: usize = 990;

/// Joint moves over the table of the example, and a straight one in ten; each program a little
/// elsewhere.
fn steps(program: usize, lines: usize) -> Vec<Step> {
    let near = |k: usize| {
        let at = (k % 37) as f64 * 0.2 + program as f64 * 0.01;
        [15.0 + at, 30.0 + 0.1 * at, -2.0, 0.0, 55.279, 3.667]
    };
    let step = |k: usize| match k % 10 {
        9 => Step::Linear(near(k)),
        _ => Step::Joint(near(k)),
    };
    (0..lines).map(step).collect()
}

struct Times {
    lines: usize,
    read: Duration,
    checked: Duration,
    clear: usize,
}

fn measured(dialect: &Dialect) -> Times {
    let folder = tempfile::tempdir().expect("a folder");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/arm6");
    let text = std::fs::read_to_string(example.join("cell.toml")).expect("the example");
    let text = text
        .replace("mesh = \"", &format!("mesh = \"{}/", example.display()))
        .replace("urdf = \"", &format!("urdf = \"{}/", example.display()));
    let controller = format!("{}\n\n[[attach]]", controller_text(dialect));
    let file = folder.path().join("cell.toml");
    std::fs::write(&file, text.replacen("[[attach]]", &controller, 1)).expect("a cell");
    let prepared = prepare(&CellJob::file(&file), &NoProgress).expect("the cell");
    let job = Job::new(file, Vec::new());
    let verifier = Verifier::new(&job, &prepared).expect("the cell");
    let controller = ControlledArm::of(&prepared.loaded, None).expect("the controller");
    let options = Options {
        routine: None,
        bounds: Bounds::default(),
        read_neighbour: &clearance_formats::program::read,
        orientation_tube: 0.1,
    };
    // A listing of FANUC has six lines for a point.
    let moves = match dialect.name {
        "fanuc" => MOVES / 7,
        "inform" => MOVES / 2,
        _ => MOVES,
    };
    let mut times = Times {
        lines: 0,
        read: Duration::ZERO,
        checked: Duration::ZERO,
        clear: 0,
    };
    for program in 0..PROGRAMS {
        let text = (dialect.write)(&Writer {
            axes: &dialect.axes,
            cell: &prepared.loaded.cell,
            steps: &steps(program, moves),
        });
        times.lines += text.lines().count();
        let file = folder.path().join(dialect.file);
        std::fs::write(&file, &text).expect("a program");
        let begun = Instant::now();
        let bytes = std::fs::read(&file).expect("the program");
        let reading = clearance_programs::read(&file, &bytes, &controller, &options);
        times.read += begun.elapsed();
        assert!(reading.is_ok_and(|r| r.ways.iter().all(|w| w.unknown.is_empty())));
        let begun = Instant::now();
        let outcome = verifier.verify_file(&file, &|_| ());
        // It reads once more.
        times.checked += begun.elapsed();
        times.clear += usize::from(outcome.verdict == Verdict::Clear);
        assert_ne!(outcome.verdict, Verdict::Unverified, "{:?}", outcome.error);
    }
    times.checked = times.checked.saturating_sub(times.read);
    times
}

fn main() {
    println!("| dialect | programs | lines | clear | read, ms | checked, ms | read / checked |");
    println!("|---|---|---|---|---|---|---|");
    let (mut read, mut checked) = (Duration::ZERO, Duration::ZERO);
    for dialect in dialects() {
        let times = measured(&dialect);
        row(dialect.name, PROGRAMS, &times);
        read += times.read;
        checked += times.checked;
    }
    let all = 5 * PROGRAMS;
    println!(
        "| all | {all} | | | {:.0} | {:.0} | {:.3} |",
        ms(read),
        ms(checked),
        ms(read) / ms(checked)
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn row(name: &str, programs: usize, times: &Times) {
    let (read, checked) = (ms(times.read), ms(times.checked));
    println!(
        "| {name} | {programs} | {} | {} | {read:.0} | {checked:.0} | {:.3} |",
        times.lines,
        times.clear,
        read / checked
    );
}
