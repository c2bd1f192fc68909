//! Programs that wait for registers.

use super::ways::{FRAMES, PICK, PLACE, pairs, read_with};
use super::*;

/// A main loop that waits for a job in a register, serves it and acknowledges it.
#[test]
fn jobs_that_something_else_sets_are_all_followed() {
    let polls = "LBL[2:wait]\n! for a job\nWAIT   .10(sec)\nIF R[5]=0,JMP LBL[2]";
    let cases = ["WAIT R[5:job]<>0", polls].map(|waits| ["", "R[1]=R[1]+1\n"].map(|n| (waits, n)));
    for (waits, count) in cases.into_iter().flatten() {
        let body = format!(
            "{FRAMES}R[1]=0\nR[5]=0\nLBL[1]\nJ P[1] 50% FINE\n{waits}\nSELECT R[5]=1,CALL PICK\n=2,CALL PLACE\n{count}R[5]=0\nJMP LBL[1]"
        );
        let ways = read_with(&body, &[PICK, PLACE]);
        let all = pairs(&ways);
        let points = ["P[1]", "P[2]", "P[3]"];
        for (a, b) in [(0, 1), (0, 2), (1, 0), (2, 0), (0, 0)] {
            let told = (points[a].to_owned(), points[b].to_owned());
            assert!(all.contains(&told), "{told:?} {all:?}");
        }
        assert!(ways.iter().all(|way| way.goes_round));
    }
}

/// What something else sets is set at any time, and other registers may be set with it.
#[test]
fn what_may_be_set_with_a_register_that_is_waited_for_is_not_known() {
    let waits = ("WAITS", "WAIT R[5]<>0");
    let sets = ("SETS", "R[5]=0");
    for body in [
        // The same register: behind the program's own value, and before it waits.
        "R[5]=0\nWAIT R[5]<>0\nIF R[5]=2,CALL PLACE",
        "WAIT R[5]<>0\nR[5]=0\nIF R[5]=2,CALL PLACE",
        "R[5]=0\nIF R[5]=2,CALL PLACE\nWAIT R[5]<>0",
        "CALL WAITS\nCALL SETS\nIF R[5]=2,CALL PLACE",
        "R[5]=0\nIF DI[1]=ON,WAIT R[5]=2\nIF R[5]=2,CALL PLACE",
        "R[5]=0\nWAIT R[5]<>0 TIMEOUT,LBL[2]\nLBL[2]\nIF R[5]=2,CALL PLACE",
        "LBL[2]\nWAIT 1.00(sec)\nIF R[5]=0,JMP LBL[2]\nR[5]=0\nIF R[5]=2,CALL PLACE",
        "R[6]=0\nLBL[2]\nWAIT 1.00(sec)\nIF R[5]=0,JMP LBL[2]\nIF R[6]=2,CALL PLACE",
        // Another one.
        "R[6]=0\nWAIT R[5]<>0\nIF R[6]=2,CALL PLACE",
        "R[6]=0\nWAIT (R[5]<>0 OR DI[1]=ON)\nIF R[6]=2,CALL PLACE",
        "R[6]=0\nCALL WAITS\nIF R[6]=2,CALL PLACE",
    ] {
        let body = format!("{FRAMES}J P[1] 50% FINE\n{body}\nJ P[1] 50% FINE");
        let ways = read_with(&body, &[PLACE, waits, sets]);
        assert!(
            ways.iter().all(|way| way.unknown.is_empty()),
            "{body}: {ways:?}"
        );
        let mut moves = ways.iter().flat_map(|way| &way.moves);
        assert!(moves.any(|m| m.label == "P[3]"), "{body}: {ways:?}");
    }
    // A position that such a register chooses, and how often a loop is run.
    for body in [
        "R[5]=1\nWAIT R[5]<>0\nJ P[R[5]] 50% FINE",
        "R[6]=1\nWAIT R[5]<>0\nJ P[R[6]] 50% FINE",
        "R[6]=2\nFOR R[7]=1 TO R[6]\nWAIT R[5]<>0\nJ P[1] 50% FINE\nENDFOR",
    ] {
        let ways = read_with(&format!("{FRAMES}{body}"), &[]);
        assert!(
            ways.iter().any(|way| !way.unknown.is_empty()),
            "{body}: {ways:?}"
        );
    }
}

/// Nobody sets the counter of a loop that runs.
#[test]
fn counters_of_loops_stay_known_behind_a_wait() {
    let waits = ("WAITS", "WAIT R[5]<>0");
    let inner = "FOR R[7]=1 TO 2\nWAIT R[5]<>0\nJ P[R[7]] 50% FINE\nENDFOR";
    for (body, count) in [
        (
            "FOR R[6]=1 TO 3\nJ P[R[6]] 50% FINE\nWAIT R[5]<>0\nENDFOR",
            3,
        ),
        ("FOR R[6]=1 TO 3\nJ P[R[6]] 50% FINE\nCALL WAITS\nENDFOR", 3),
        (
            &*format!("FOR R[6]=1 TO 3\nJ P[R[6]] 50% FINE\n{inner}\nENDFOR"),
            9,
        ),
    ] {
        let ways = read_with(&format!("{FRAMES}{body}"), &[waits]);
        assert!(ways[0].unknown.is_empty(), "{body}: {ways:?}");
        assert_eq!((ways.len(), ways[0].moves.len()), (1, count), "{body}");
    }
    // One that was left by a jump does not run.
    let left = "FOR R[6]=1 TO 3\nJ P[1] 50% FINE\nJMP LBL[1]\nENDFOR\nLBL[1]\nWAIT R[5]<>0\nIF R[6]=2,CALL PLACE";
    let all = pairs(&read_with(&format!("{FRAMES}{left}"), &[PLACE]));
    assert!(all.contains(&("P[1]".into(), "P[3]".into())), "{all:?}");
}

/// A program that waits for a register is followed, whatever the cell says of it: what comes with the
/// register is not known behind it.
#[test]
fn a_still_program_that_polls_a_register_is_followed() {
    for body in [
        "WAIT R[5]<>0",
        "LBL[1]\nWAIT .10(sec)\nIF R[5]=0,JMP LBL[1]",
    ] {
        let mut cell = arm("fanuc");
        said(&mut cell).still = vec!["WPLC".into()];
        let called = listing(body).replace("PROG  A", "PROG  WPLC");
        let text = listing(&format!("{FRAMES}PR[3]=P[1]\nCALL WPLC\nJ PR[3] 50% FINE"));
        let ways = ways_in(&cell, &text, &[("WPLC.LS", &*called)]);
        let mut told = ways.iter().flat_map(|way| &way.unknown);
        assert!(told.any(|u| u.reason.contains("PR[3]")), "{body}: {ways:?}");
    }
}
