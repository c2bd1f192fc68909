//! Remarks beside the answer, and which of them leave the question open.

use clearance_formats::ImportError;
use clearance_formats::program::motion::Assumption;

use super::*;
use crate::findings::{Diagnostic, FailOn, Location, Severity};
use crate::run::controller_program::{taught, ways};
use crate::run::taught::Taught;

/// A program of moves for the bar, with more of its fields.
fn moves(to: f64, more: &str) -> String {
    format!(
        r#"{{"clearance_motion": 1, "units": {{"length": "m", "angle": "rad"}}, "joints": ["turn"],
        "tools": {{"tip": {{"link": "tool0", "pose": {{"xyz": [1, 0, 0]}}}}}}, {more}
        "moves": [{{"move": "joint", "to": {{"joints": [0]}}, "tool": "tip", "zone": "stop"}},
        {{"move": "joint", "to": {{"joints": [0.1]}}, "tool": "tip", "zone": "stop"}},
        {{"move": "joint", "to": {{"joints": [{to}]}}, "tool": "tip", "zone": "stop"}}]}}"#
    )
}

/// A script says how it states degrees; a table's remedies are none there.
#[test]
fn degrees_of_a_script_are_told_with_their_remedy() {
    let answer = verified(CELL, "a.script", "movej([0])\nmovej([90])\n");
    assert_eq!(answer.verdict, Verdict::Unverified);
    let error = answer.programs[0].error.as_deref().unwrap();
    assert!(
        error.contains("a.script:2: joint values look like degrees"),
        "{error}"
    );
    assert!(
        error.contains("URScript takes radians: write `d2r(90)` for 90 degrees"),
        "{error}"
    );
}

/// Regression: a program that took minutes to be read was not stopped by `--time-limit`.
#[test]
fn a_program_that_takes_long_to_be_read_is_given_up() {
    let least = std::time::Duration::from_nanos(1);
    let program = "movej([0])\nmovej([1])\n";
    let answer = verified_by("", CELL, "a.script", program, |job| Job {
        time_limit: Some(least),
        ..job
    });
    assert_eq!(answer.verdict, Verdict::Unverified);
    let found = &answer.programs[0];
    let error = found.error.as_deref().unwrap_or_default();
    assert!(
        error.contains("the time limit was spent while the program was read"),
        "{error}"
    );
    assert_eq!(found.given_up_after, Some(least.as_secs_f64()));
}

/// Where another routine leaves a mode otherwise, nobody knows which way is driven.
#[test]
fn a_start_that_the_files_contradict_leaves_the_question_open() {
    let assumed = |contradicted: bool| {
        format!(r#""assumed": [{{"message": "in a mode", "contradicted": {contradicted}}}],"#)
    };
    let answer = |to, contradicted| {
        let program = moves(to, &assumed(contradicted));
        verified(CELL, "a.motion.json", &program)
    };
    let told = |answer: &Outcome| {
        let mut said = answer.programs[0].unchecked.iter();
        said.find(|d| d.message == "in a mode").map(|d| d.severity)
    };
    let (taken, contradicted) = (answer(0.5, false), answer(0.5, true));
    assert_eq!(
        taken.verdict,
        Verdict::Clear,
        "{:?}",
        taken.programs[0].error
    );
    assert_eq!(told(&taken), Some(Severity::Unchecked));
    assert_eq!(contradicted.verdict, Verdict::Unverified);
    assert_eq!(told(&contradicted), Some(Severity::Open));
    let hit = answer(2.0, true);
    assert_eq!(hit.verdict, Verdict::Collision);
    assert!(hit.programs[0].unsettled);
}

/// As in a program of a controller, each way of which is asked about.
#[test]
fn a_way_keeps_of_what_is_taken_for_granted_what_is_contradicted() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("bar.urdf"), URDF).unwrap();
    fs::write(at("cell.toml"), CELL).unwrap();
    let job = Job::new(at("cell.toml"), vec![]);
    let loaded = job.cell.load().unwrap();
    let none = |_: &std::path::Path| -> Result<Vec<u8>, ImportError> { Ok(Vec::new()) };
    let reading = ways(&at("a.script"), b"movej([0])\n", None, &job, &loaded, &none);
    let mut reading = reading.unwrap().unwrap();
    reading.assumed = [true, false]
        .map(|contradicted| Assumption {
            place: Location::file(std::path::Path::new("a.script")),
            message: String::new(),
            contradicted,
        })
        .to_vec();
    let way = taught(&reading.ways[0], &reading, &loaded.cell).unwrap();
    let Taught::Moves(way) = way else {
        panic!("a program of a controller has moves");
    };
    assert_eq!(way.assumed, reading.assumed[..1]);
}

#[test]
fn notices_of_a_program_stand_by_themselves() {
    let suspicious = FailOn {
        suspicious: true,
        ..FailOn::default()
    };
    let run = verified(CELL, "a.motion.json", &moves(0.5, ""));
    for (severity, is_notice) in [
        (Severity::Note, false),
        (Severity::Unchecked, false),
        (Severity::Notice, true),
        (Severity::Open, false),
    ] {
        let mut program = run.programs[0].clone();
        let others = program.unchecked.len();
        program.add_remarks([Diagnostic {
            severity,
            ..Diagnostic::note(Code::RecordingGap, "p", "m")
        }]);
        assert_eq!(program.notices.len(), usize::from(is_notice));
        assert_eq!(program.unchecked.len(), others + usize::from(!is_notice));
        assert_eq!(suspicious.found(&program, &run), is_notice);
    }
}
