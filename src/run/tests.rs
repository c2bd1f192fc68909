use crate::findings::{Code, Diagnostic, Outcome, ProgramOutcome, Severity, Timing, Verdict};
use std::path::PathBuf;
use std::sync::Mutex;

use super::*;

/// A job on one of the examples, with trees in memory only.
fn example(programs: &[&str]) -> Job {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("trajectories/arm6");
    let mut job = Job::new(
        root.join("robots/arm6/cell.toml"),
        programs.iter().map(|p| folder.join(p)).collect(),
    );
    job.cell.cache = CacheFolder::Off;
    job
}

/// Everything but the clock.
fn timeless(mut outcome: Outcome) -> Outcome {
    outcome.timing = Timing::default();
    for program in &mut outcome.programs {
        program.statistics.check_seconds = 0.0;
    }
    outcome
}

#[test]
fn the_answer_does_not_depend_on_threads() {
    let programs = [
        "pick_place.csv",
        "place_too_low.csv",
        "gone.csv",
        "swing_through_guard.csv",
        "beyond_limit.csv",
    ];
    let mut job = example(&programs);
    job.cell.threads = Some(1);
    let alone = timeless(run(&job, &NoProgress));
    job.cell.threads = Some(4);
    assert_eq!(timeless(run(&job, &NoProgress)), alone);

    let verdicts: Vec<Verdict> = alone.programs.iter().map(|p| p.verdict).collect();
    use Verdict::*;
    assert_eq!(verdicts, [Clear, Collision, Unverified, Collision, Clear]);
    assert_eq!(alone.verdict, Collision);
    for (outcome, name) in alone.programs.iter().zip(programs) {
        assert!(
            outcome.program.ends_with(name),
            "{} {name}",
            outcome.program
        );
    }
    assert_eq!(alone.programs[4].limits.len(), 1);
}

#[derive(Default)]
struct Ledger {
    done: Mutex<Vec<usize>>,
    trees: Mutex<Vec<(usize, usize)>>,
    shares: Mutex<Vec<f64>>,
}

impl ProgressListener for Ledger {
    fn event(&self, event: &ProgressEvent) {
        match *event {
            ProgressEvent::Loading => {}
            ProgressEvent::Trees { done, total } => self.trees.lock().unwrap().push((done, total)),
            ProgressEvent::Program { fraction, .. } => self.shares.lock().unwrap().push(fraction),
            ProgressEvent::ProgramDone { index, outcome } => {
                assert!(outcome.program.ends_with(".csv"));
                self.done.lock().unwrap().push(index);
            }
        }
    }
}

#[test]
fn events_tell_of_every_tree_and_every_program() {
    let ledger = Ledger::default();
    let outcome = run(&example(&["pick_place.csv", "gone.csv"]), &ledger);
    assert_eq!(outcome.bodies, 15);
    let mut done = ledger.done.into_inner().unwrap();
    done.sort_unstable();
    assert_eq!(done, [0, 1]);
    let mut trees: Vec<usize> = ledger
        .trees
        .into_inner()
        .unwrap()
        .iter()
        .map(|t| t.0)
        .collect();
    trees.sort_unstable();
    assert_eq!(trees, (1..=16).collect::<Vec<_>>()); // the base has two shapes
    let shares = ledger.shares.into_inner().unwrap();
    assert!(
        !shares.is_empty() && shares.iter().all(|s| (0.0..=1.0).contains(s)),
        "{shares:?}"
    );
}

/// Catches an answer about a long program that depends on who helps to search it.
#[test]
fn neither_does_that_about_one_long_program() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.csv");
    let mut text = String::from("time,joint_1,joint_2,joint_3,joint_4,joint_5,joint_6\n");
    for k in 0..700 {
        let swing = (0.02 * f64::from(k)).sin();
        let dip = if k > 600 {
            0.01 * f64::from(k - 600)
        } else {
            0.0
        };
        let values = [swing, dip, 0.3 * swing, 0.0, 1.2 - 0.2 * swing, 0.0];
        let values = values.map(|q| q.to_string()).join(",");
        text += &format!("{},{values}\n", 0.1 * f64::from(k));
    }
    std::fs::write(&file, text).unwrap();
    for all in [false, true] {
        let mut job = example(&[]);
        job.programs = vec![file.clone()];
        job.all = all;
        job.cell.threads = Some(1);
        let alone = timeless(run(&job, &NoProgress));
        assert_eq!(alone.programs[0].waypoints, Some(700), "{alone:?}");
        assert_eq!(alone.verdict, Verdict::Collision);
        assert!(alone.programs[0].first_contact.as_ref().unwrap().segment > 600);
        job.cell.threads = Some(4);
        assert_eq!(alone, timeless(run(&job, &NoProgress)));
    }
}

/// Something open in the cell: clear is not proved any more, and the program says so; contacts stay
/// contacts.
#[test]
fn what_stays_open_in_the_cell_is_never_clear() {
    let job = example(&["pick_place.csv", "place_too_low.csv"]);
    let mut prepared = prepare(&job.cell, &NoProgress).unwrap();
    prepared.unchecked.push(Diagnostic {
        subject: "hose".into(),
        message: "its shape is not known".into(),
        place: None,
        severity: Severity::Open,
        code: Code::NothingChecked,
    });
    let verifier = Verifier::new(&job, &prepared).unwrap();
    let answers: Vec<ProgramOutcome> = job
        .programs
        .iter()
        .map(|file| verifier.verify_file(file, &|_| ()))
        .collect();
    assert_eq!(answers[0].verdict, Verdict::Unverified);
    assert!(
        answers[0]
            .error
            .as_ref()
            .is_some_and(|e| e.contains("hose (nothing-checked)"))
    );
    assert_eq!(answers[1].verdict, Verdict::Collision);
}

/// A fault of the check itself is neither a verdict nor the end of the run.
#[test]
fn a_check_that_breaks_off_is_unverified() {
    let job = example(&["pick_place.csv"]);
    let prepared = prepare(&job.cell, &NoProgress).unwrap();
    let verifier = Verifier::new(&job, &prepared).unwrap();
    let broken = |_: f64| panic!("this panic is part of a test");
    assert!(super::panics::catch_panic(|| broken(0.0)).is_err());
    let answer = verifier.verify_file(&job.programs[0], &broken);
    assert_eq!(answer.verdict, Verdict::Unverified);
    assert!(answer.error.is_some_and(|e| e.contains("internal error")));
}

#[test]
fn a_run_without_an_answer_says_why() {
    let no_programs = run(&example(&[]), &NoProgress);
    assert_eq!(no_programs.verdict, Verdict::Unverified);
    assert!(no_programs.error.is_some());

    let mut coarse = example(&["pick_place.csv"]);
    coarse.resolution = Some(0.0);
    let outcome = run(&coarse, &NoProgress);
    assert_eq!(outcome.verdict, Verdict::Unverified);
    assert!(
        outcome
            .error
            .as_ref()
            .is_some_and(|e| e.contains("resolution"))
    );
    assert_eq!(outcome.programs[0].error, outcome.error);
}
