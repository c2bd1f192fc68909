//! Whole checks from files to reports. An input is five texts with lines `====` between them:
//! options (a letter each), cell file, URDF, program, events.

use std::fs;
use std::path::Path;

use clearance::findings::{FailOn, Outcome, Verdict};
use clearance::render;
use clearance::run::{CacheFolder, CellJob, Job, MinimumScope, NoProgress, inspect, run};
use clearance_formats::{LoadedCell, program};

use super::scratch;

/// More than this, radians or metres, and a check may take as long as it likes.
const FAR: f64 = 10.0;

/// Whether the work of a check has a bound that a fuzzer can wait for.
fn is_short(folder: &Path, job: &Job) -> bool {
    let Ok(program) = program::load(&job.programs[0]) else {
        return true;
    };
    let near = |x: &f64| x.abs() <= FAR;
    let short = program.waypoints.len() <= 20
        && program.waypoints.iter().all(|w| {
            let speeds = w.velocities.iter().chain(&w.accelerations).flatten();
            w.positions.iter().chain(speeds).all(near) && w.time.abs() <= 1e3
        });
    let Ok(LoadedCell { cell, .. }) = job.cell.load() else {
        return true;
    };
    let events = folder.join("program.events.toml");
    let moves = fs::read_to_string(events).unwrap_or_default();
    let words = moves.split(|c: char| c == '=' || c == ',' || c.is_whitespace());
    short
        && cell.bodies.len() <= 30
        && clearance::run::reach(&cell) <= FAR
        && cell.rest.iter().all(near)
        && words
            .filter_map(|w| w.parse::<f64>().ok())
            .all(|x| near(&x))
}

/// The conditions that every report about an outcome must meet.
fn reported(outcome: &Outcome) {
    let fail_on = FailOn::default();
    let text = render::json(outcome);
    let back: Outcome = serde_json::from_str(&text).expect("a report that can be read back");
    assert_eq!(render::json(&back), text);
    let texts = [
        render::junit(outcome, &fail_on),
        render::sarif(outcome, &fail_on),
        render::markdown(outcome, &fail_on),
        render::text(outcome, &render::Style::default()),
        render::html(outcome, None, &[], None),
    ];
    assert!(texts.iter().all(|text| !text.is_empty()));
    assert!(!outcome.programs.is_empty() || outcome.error.is_some());
    for program in &outcome.programs {
        let error = program.error.as_deref().unwrap_or_default();
        assert!(!error.contains("internal error"), "{error}");
        assert_eq!(
            program.error.is_some(),
            program.verdict == Verdict::Unverified
        );
        if program.verdict == Verdict::Clear {
            assert!(program.first_contact.is_none() && program.contacts.is_empty());
            assert!(outcome.pairs > 0, "clear, but nothing was checked");
        }
    }
}

/// Five files, checked and reported. Says whether they could be verified.
pub fn files(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let mut parts = text.split("\n====\n");
    let mut part = || parts.next().unwrap_or_default();
    let options = part();
    let has = |letter: char| options.contains(letter);
    let folder = scratch::folder("files");
    let ending = match (has('j'), has('y')) {
        (true, _) => "json",
        (_, true) => "yaml",
        _ => "csv",
    };
    for old in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let _ = fs::remove_file(old.path());
    }
    let program = folder.join("program").with_extension(ending);
    for (file, text) in [
        (folder.join("cell.toml"), part()),
        (folder.join("robot.urdf"), part()),
        (program.clone(), part()),
        (folder.join("program.events.toml"), part()),
    ] {
        if !text.is_empty() {
            fs::write(file, text).expect("a file in the scratch folder");
        }
    }
    let job = Job {
        cell: CellJob {
            cache: CacheFolder::Off,
            visual_as_collision: has('v'),
            ..CellJob::file(folder.join("cell.toml"))
        },
        resolution: Some(2e-3),
        all: has('a'),
        minimum: has('m').then_some(MinimumScope::Classes),
        audit_allowed: has('u'),
        warn: has('w').then_some(0.1),
        ..Job::new(folder.join("cell.toml"), vec![program])
    };
    if !is_short(&folder, &job) {
        return false;
    }
    if has('i')
        && let Ok(inspection) = inspect(&job.cell, true, &NoProgress)
    {
        assert!(!render::inspection_text(&inspection, true).is_empty());
    }
    let outcome = run(&job, &NoProgress);
    reported(&outcome);
    outcome.verdict != Verdict::Unverified
}
