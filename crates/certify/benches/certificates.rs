//! Certificates: their size, what they cost to make, and what they cost to check.
//!
//! `cargo bench -p clearance-certify --bench certificates -- [--each] [--repeats N] FOLDER...`,
//! folders as for the bench `reference`. Times are those of the thread, the shortest of N runs,
//! models and geometry loaded; what all certificates in a cell have in common is made on several
//! threads, and has the time of all of them. Each workload has two rows: of what is `clear`, and of first
//! contacts. Exit code 1 when an answer has no certificate, or one that is not valid.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clearance_certify::{AboutGeometry, Maker, ReportedContact, geometry};
use clearance_formats::{LoadOptions, load_cell, program};
use clearance_proof::bvh::SphereTree;
use clearance_proof::check::bisection::CheckOptions;
use clearance_proof::check::scene::Scene;
use clearance_proof::model::Trajectory;
use clearance_proof::pairs::PairTable;
use clearance_proof::report::{ContactKind, Verdict};
use clearance_recheck::files::{Certificate, Geometry};
use clearance_recheck::numbers::sha256;
use clearance_recheck::walk::check as recheck;

#[path = "../../../benches/common/measure.rs"]
mod measure;
use measure::{median, milliseconds, milliseconds_of_all, programs};

fn main() -> ExitCode {
    let (mut folders, mut repeats, mut each) = (Vec::new(), 3, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--bench" => {}
            "--each" => each = true,
            "--repeats" => repeats = words.next().and_then(|n| n.parse().ok()).unwrap_or(1),
            folder => folders.push(PathBuf::from(folder)),
        }
    }
    let mut jobs: Vec<_> = folders
        .iter()
        .map(|folder| (folder.join("cell.toml"), folder.join("trajectories")))
        .collect();
    if jobs.is_empty() {
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for name in ["arm6", "scara"] {
            let cell = ours.join(format!("robots/{name}/cell.toml"));
            jobs.push((cell, ours.join(format!("trajectories/{name}"))));
        }
    }
    println!(
        "| workload | answers | check: median ms | certificate: kB, of it the motion | kB per second of motion | cells | making / check | \
         checking / check | geometry: kB, ms to make, to read, to prepare |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut right = true;
    for (cell, folder) in jobs {
        match workload(&cell, &folder, repeats, each) {
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

/// Of one kind of answers, those figures of which the table has medians.
#[derive(Default)]
struct Figures([Vec<f64>; 7]);

impl Figures {
    fn add(&mut self, values: [f64; 7]) {
        for (all, value) in self.0.iter_mut().zip(values) {
            all.push(value);
        }
    }

    fn row(&self) -> String {
        let [ms, kb, motion, rate, cells, making, checking] = self.0.each_ref().map(|f| median(f));
        format!(
            "{ms:.2} | {kb:.1}, {motion:.1} | {rate:.1} | {cells:.0} | {making:.1} | {checking:.1}"
        )
    }
}

/// Whether every `clear` and every first contact is valid.
fn workload(cell: &Path, folder: &Path, repeats: u64, each: bool) -> Result<bool, String> {
    let loaded = load_cell(cell, &LoadOptions::default()).map_err(|e| e.to_string())?;
    let (cell, settings) = (loaded.cell, loaded.settings);
    let trees: Vec<Vec<Arc<SphereTree>>> = (cell.bodies.iter())
        .map(|b| {
            b.shapes
                .iter()
                .map(|s| Arc::new(SphereTree::of(&s.form)))
                .collect()
        })
        .collect();
    let pairs = PairTable::new(&cell);
    let clearance = settings.clearance.unwrap_or(0.0);
    let scene = Scene::new(&cell, &trees, &pairs, clearance);
    let mut question = CheckOptions::default();
    question.resolution = settings.resolution.unwrap_or(question.resolution);
    let making = || geometry(&cell, &trees, &pairs, clearance);
    let (making_geometry, bytes) = milliseconds_of_all(making);
    let bytes = bytes.map_err(|e| e.to_string())?;
    let hash = sha256(&bytes);
    let (reading, read) = milliseconds(|| Geometry::read(&bytes));
    let read = read.map_err(|e| e.to_string())?;
    let (preparing, maker) = milliseconds_of_all(|| Maker::new(read.clone()));
    let mut all = true;
    let (mut clear, mut contacts, mut inside) = (Figures::default(), Figures::default(), 0);
    for file in programs(folder)? {
        let program = program::load(&file).map_err(|e| e.to_string())?;
        let found = Trajectory::for_cell(&program, &cell, None);
        let (trajectory, _) = found.map_err(|e| e.to_string())?;
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        let once = || scene.check(&trajectory, &question, &|_| ());
        let (ms, result) = least(repeats, once);
        let body = |name: &String| cell.bodies.iter().position(|b| b.name == *name);
        let (contact, figures) = match (result.verdict, &result.first_contact) {
            (Verdict::Clear, _) => (None, &mut clear),
            (Verdict::Collision, Some(contact)) if contact.kind == ContactKind::Contact => {
                let (Some(a), Some(b)) = (body(&contact.a), body(&contact.b)) else {
                    return Err(format!("{id}: no body {} or {}", contact.a, contact.b));
                };
                let contact = ReportedContact {
                    free_until: contact.free_until,
                    time: contact.time,
                    bodies: [a, b],
                };
                (Some(contact), &mut contacts)
            }
            _ => {
                inside += 1;
                continue;
            }
        };
        let about = AboutGeometry {
            sha256: &hash,
            name: "geometry",
        };
        let once = || maker.certificate(about, &trajectory, contact.as_ref(), &[]);
        let (making, made) = least(repeats, once);
        let made = match made {
            Ok(made) => made,
            Err(error) => {
                println!("{id}: {error}");
                all = false;
                continue;
            }
        };
        let certificate = Certificate::read(&made.bytes, |_| Ok(read.kinds()));
        let certificate = certificate.map_err(|e| e.to_string())?;
        let once = || recheck(&read, &certificate, &mut |_, _| ());
        let (checking, answer) = least(repeats, once);
        if let Err(error) = answer {
            println!("{id}: {error}");
            all = false;
        }
        let kb = made.bytes.len() as f64 / 1e3;
        if each {
            println!(
                "{id}: check {ms:.2} ms, making {making:.2} ms, checking {checking:.2} ms, {kb:.1} kB, {} cells",
                made.cells
            );
        }
        figures.add([
            ms,
            kb,
            made.motion_bytes as f64 / 1e3,
            kb / trajectory.duration().max(1e-9),
            made.cells as f64,
            making / ms,
            checking / ms,
        ]);
    }
    let name = folder.parent().unwrap_or(folder).display();
    for (what, figures) in [("clear", &clear), ("contacts", &contacts)] {
        println!(
            "| {name} | {} {what} | {} | {:.0}, {making_geometry:.0}, {reading:.0}, {preparing:.0} |",
            figures.0[0].len(),
            figures.row(),
            bytes.len() as f64 / 1e3,
        );
    }
    println!("{name}: {inside} other answers");
    Ok(all)
}
