//! Conditions about variables of all jobs that have the same answer each time.

use super::*;

/// How often C002 is on a way through the job; all ways are known.
fn reaches_other(body: &str) -> bool {
    let ways = ways(&format!("MOVJ C000 VJ=1.0 PL=0\n{body}"));
    assert!(
        ways.iter().all(|way| way.unknown.is_empty()),
        "{body}: {ways:?}"
    );
    let goes = |way: &MoveProgram| way.moves.iter().any(|step| step.label == "C002");
    ways.iter().any(goes)
}

/// What the job itself never answers is answered by something else.
#[test]
fn both_answers_are_followed_where_the_job_has_one() {
    for body in [
        // Loops that poll, and give up.
        "SET B005 0\nSET B006 0\n*W\nJUMP *OUT IF B005=1\nINC B006\nJUMP *E IF B006>20\nTIMER T=0.10\nJUMP *W\n*OUT\n\
         MOVJ C002 VJ=1.0 PL=0\n*E",
        "SET B005 0\nSET B006 0\nWHILEEXP B005=0 AND B006<20\nTIMER T=0.10\nINC B006\nENDWHILE\nIFTHENEXP B005=1\n\
         MOVJ C002 VJ=1.0 PL=0\nENDIF",
        "SET B000 0\nTIMER T=0.10\n*L\nDOUT OT#(1) ON\nJUMP *L IF B000=0\nMOVJ C002 VJ=1.0 PL=0",
        "SET B000 0\nWHILEEXP B000=0\nDOUT OT#(1) ON\nENDWHILE\nMOVJ C002 VJ=1.0 PL=0",
        // A part of a condition that has both.
        "SET B009 0\nSET LB001 0\n*L\nMOVJ C001 VJ=1.0 PL=0\nINC LB001\nJUMP *X IF B009=1 OR LB001=3\nJUMP *L\n*X\n\
         JUMP *E IF LB001=3\nMOVJ C002 VJ=1.0 PL=0\n*E",
        // Main loops, also by a variable of the job itself.
        "SET B001 0\n*A\nMOVJ C001 VJ=1.0 PL=0\nIFTHENEXP B001=1\nMOVJ C002 VJ=1.0 PL=0\nENDIF\nSET B001 0\nJUMP *A",
        "SET B001 0\n*A\nMOVJ C001 VJ=1.0 PL=0\nSET LB000 B001\nIFTHENEXP LB000=1\nMOVJ C002 VJ=1.0 PL=0\nENDIF\nJUMP *A",
    ] {
        assert!(reaches_other(body), "{body}");
    }
    for body in [
        "SET B005 0\nIFTHENEXP B005=1\nMOVJ C002 VJ=1.0 PL=0\nENDIF\nMOVJ C001 VJ=1.0 PL=0",
        "SET LB005 0\nMOVJ C001 VJ=1.0 PL=0\nIFTHENEXP LB005=1\nMOVJ C002 VJ=1.0 PL=0\nENDIF",
    ] {
        assert!(!reaches_other(body), "{body}");
    }
}

/// The cell may say that nothing else sets a variable.
#[test]
fn a_variable_that_nothing_else_sets_is_the_jobs_own() {
    let body = "SET B000 0\nMOVJ C000 VJ=1.0 PL=0\nJUMP *E IF B000=1\nWAIT B005=1\nJUMP *E IF B000=1\nMOVJ C001 VJ=1.0 PL=0\n*E";
    let mut cell = arm("inform");
    let ways = |cell: &LoadedCell| ways_in(cell, &job(LIST, body), &[]).len();
    assert!(ways(&cell) > 1);
    said(&mut cell).still = vec!["B000".into()];
    assert_eq!(ways(&cell), 1);
}

/// On the way of the other answer the variable holds something else.
#[test]
fn with_the_other_answer_the_value_is_not_known() {
    let ways = ways(
        "SET B000 1\nMOVJ C000 VJ=1.0 PL=0\nJUMP *E IF B000=2\nMOVJ C[B000] VJ=1.0 PL=0\nRET\n*E\nMOVJ C[B000] VJ=1.0 PL=0",
    );
    let told: Vec<bool> = ways.iter().map(|way| way.unknown.is_empty()).collect();
    assert_eq!(told, [false, true], "{ways:?}");
}
