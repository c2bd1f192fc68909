//! Certificates: their size, what they cost to make, and what they cost to check.
//!
//! `cargo bench --bench certificates -- [--repeats N] FOLDER...`, folders as for the bench `reference`. Times are those of the
//! thread, the shortest of N runs, models and geometry loaded. Exit code 1 when a `clear` has no certificate, or one that is not valid.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

mod common;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clearance::findings::Verdict;
use clearance_certify::{certificate_in, geometry};
use clearance_proof::check::bisection::check;
use clearance_recheck::files::{Certificate, Geometry};
use clearance_recheck::walk::{Tape, Walk};
use common::{Workload, median, milliseconds, ours, programs, stem};

#[derive(Parser)]
struct Options {
    /// Folders of workloads
    folders: Vec<PathBuf>,
    /// Runs of everything; the shortest counts
    #[arg(long, default_value_t = 3)]
    repeats: u64,
    /// Every program
    #[arg(long)]
    each: bool,
    /// Given by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut jobs: Vec<_> = options
        .folders
        .iter()
        .map(|folder| (folder.join("cell.toml"), folder.join("trajectories")))
        .collect();
    if jobs.is_empty() {
        for name in ["arm6", "scara"] {
            let cell = ours(&format!("robots/{name}/cell.toml"));
            jobs.push((cell, ours(&format!("trajectories/{name}"))));
        }
    }
    println!(
        "| workload | clear | check: median ms | certificate: kB, of it the motion | kB per second of motion | cells | making / check | \
         checking / check | geometry: kB, ms to make, ms to read |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut right = true;
    for (cell, folder) in jobs {
        match workload(cell, folder, &options) {
            Ok(all) => right &= all,
            Err(problem) => {
                eprintln!("{problem}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::from(u8::from(!right))
}

fn least<T>(repeats: u64, work: impl Fn() -> T) -> (f64, T) {
    let (mut ms, result) = milliseconds(&work);
    for _ in 1..repeats {
        ms = ms.min(milliseconds(&work).0);
    }
    (ms, result)
}

/// Whether every `clear` is valid.
fn workload(cell: PathBuf, folder: PathBuf, options: &Options) -> Result<bool, String> {
    let workload = Workload::file(&cell)?;
    let scene = workload.scene();
    let prepared = &workload.prepared;
    let clearance = workload.settings.clearance;
    let made = || geometry(&prepared.cell, &prepared.pairs, clearance);
    let (making_geometry, bytes) = milliseconds(made);
    let bytes = bytes.map_err(|e| e.to_string())?;
    let (reading, read) = milliseconds(|| Geometry::read(&bytes));
    let read = read?;
    let mut all = true;
    let mut figures = [const { Vec::new() }; 7];
    for file in programs(&folder)? {
        let path = workload.path(&file)?;
        let id = stem(&file);
        let once = || check(&scene, &path, &workload.options(), &|_| ());
        let (ms, result) = least(options.repeats, once);
        if result.verdict != Verdict::Clear {
            continue;
        }
        let once = || certificate_in(&read, "", "geometry", &path, &[]);
        let (making, made) = least(options.repeats, once);
        let made = match made {
            Ok(made) => made,
            Err(error) => {
                println!("{id}: {error}");
                all = false;
                continue;
            }
        };
        let certificate = Certificate::read(&made.bytes, |_| Ok(read.joints.len()))?;
        let once = || {
            let mut walk = Walk::new(&read, &certificate.segments);
            let mut tape = Tape {
                left: &certificate.proof,
            };
            walk.run(certificate.segments.len(), &mut tape)
        };
        let (checking, answer) = least(options.repeats, once);
        if let Err(error) = answer {
            println!("{id}: {error}");
            all = false;
        }
        let kb = made.bytes.len() as f64 / 1e3;
        if options.each {
            println!("{id}: check {ms:.2} ms, making {making:.2} ms, checking {checking:.2} ms, {kb:.1} kB, {} cells", made.cells);
        }
        let values = [
            ms,
            kb,
            made.motion_bytes as f64 / 1e3,
            kb / path.duration().max(1e-9),
            made.cells as f64,
            making / ms,
            checking / ms,
        ];
        for (all, value) in figures.iter_mut().zip(values) {
            all.push(value);
        }
    }
    let [ms, kb, motion, rate, cells, making, checking] = figures.each_ref().map(|f| median(f));
    println!(
        "| {} | {} | {ms:.2} | {kb:.1}, {motion:.1} | {rate:.1} | {cells:.0} | {making:.1} | {checking:.1} | {:.0}, {making_geometry:.0}, {reading:.0} |",
        folder.parent().unwrap_or(&folder).display(),
        figures[0].len(),
        bytes.len() as f64 / 1e3,
    );
    Ok(all)
}
