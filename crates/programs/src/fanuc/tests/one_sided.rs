//! Conditions about registers that have the same answer each time.

use super::ways::{FRAMES, PICK, PLACE, pairs, read_with};
use super::*;

/// Whether P[3] follows on P[1] on a way through the program, and all ways are known.
fn reaches_other(body: &str) -> bool {
    let ways = read_with(&format!("{FRAMES}{body}"), &[PICK, PLACE]);
    pairs(&ways).contains(&("P[1]".into(), "P[3]".into()))
}

/// What the program itself never answers is answered by something else.
#[test]
fn both_answers_are_followed_where_the_program_has_one() {
    for body in [
        // A loop that polls and gives up.
        "R[5]=0\nJ P[1] 50% FINE\nR[6]=0\nLBL[2]\nIF R[5]=1,JMP LBL[3]\nR[6]=R[6]+1\nIF R[6]>20,JMP LBL[9]\nWAIT .10(sec)\n\
         JMP LBL[2]\nLBL[3]\nJ P[3] 50% FINE\nEND\nLBL[9]\nJ P[2] 50% FINE",
        "R[5]=0\nJ P[1] 50% FINE\nFOR R[6]=1 TO 20\nWAIT .10(sec)\nIF R[5]=1,JMP LBL[3]\nENDFOR\nEND\nLBL[3]\nJ P[3] 50% FINE",
        // One that has no end.
        "R[5]=0\nJ P[1] 50% FINE\nLBL[2]\nIF R[5]=1,JMP LBL[3]\nWAIT .10(sec)\nJMP LBL[2]\nLBL[3]\nJ P[3] 50% FINE",
        "R[1]=0\nLBL[1]\nDO[1]=ON\nIF R[1]=0,JMP LBL[1]\nJ P[1] 50% FINE\nJ P[3] 50% FINE",
        // The number of a job that comes with it.
        "R[1]=0\nJ P[1] 50% FINE\nLBL[2]\nIF R[5]=1,JMP LBL[3]\nWAIT .10(sec)\nJMP LBL[2]\nLBL[3]\nIF R[1]=1,JMP LBL[4]\n\
         J P[2] 50% FINE\nEND\nLBL[4]\nJ P[3] 50% FINE",
        // Main loops.
        "R[1]=0\nLBL[1]\nJ P[1] 50% FINE\nIF R[1]=1,CALL PLACE\nJMP LBL[1]",
        "R[1]=0\nLBL[1]\nJ P[1] 50% FINE\nIF (R[1]=1) THEN\nJ P[3] 50% FINE\nENDIF\nR[1]=0\nJMP LBL[1]",
        "R[1]=0\nLBL[1]\nJ P[1] 50% FINE\nSELECT R[1]=1,CALL PICK\n=2,CALL PLACE\nJMP LBL[1]",
        "R[1]=0\nLBL[1]\nJ P[1] 50% FINE\nIF R[1]=0,JMP LBL[2]\nJ P[3] 50% FINE\nLBL[2]\nJMP LBL[1]",
        // The program acknowledges: other values of its own never lead there.
        "LBL[1]\nR[1]=0\nDO[1]=ON\nWAIT DI[1]=ON\nIF R[1]=1,CALL PLACE\nR[1]=99\nWAIT DI[1]=OFF\nJ P[1] 50% FINE\nJMP LBL[1]",
        // Only what is behind the one leads to the other.
        "R[1]=0\nR[2]=0\nJ P[1] 50% FINE\nIF R[1]=0,JMP LBL[9]\nIF R[2]=1,CALL PLACE\nLBL[9]",
        // A part of a condition that has both.
        "R[9]=0\nJ P[2] 50% FINE\nFOR R[1]=1 TO 3\nJ P[2] 50% FINE\nJ P[1] 50% FINE\nIF R[9]=1 OR R[1]=3,JMP LBL[3]\n\
         JMP LBL[4]\nLBL[3]\nIF R[1]<3,JMP LBL[9]\nLBL[4]\nENDFOR\nEND\nLBL[9]\nJ P[3] 50% FINE",
        "R[9]=0\nJ P[2] 50% FINE\nFOR R[1]=1 TO 3\nJ P[2] 50% FINE\nJ P[1] 50% FINE\nIF (!(R[9]=1 OR R[1]=3)) THEN\n\
         JMP LBL[4]\nENDIF\nIF R[1]<3,JMP LBL[9]\nLBL[4]\nENDFOR\nEND\nLBL[9]\nJ P[3] 50% FINE",
        // By an argument, and by a copy.
        "R[1]=0\nJ P[1] 50% FINE\nR[2]=R[1]\nIF R[2]=1,CALL PLACE",
    ] {
        assert!(reaches_other(body), "{body}");
    }
    let by_argument = ("BY", "IF AR[1]=1,CALL PLACE");
    let body = format!("{FRAMES}R[1]=0\nJ P[1] 50% FINE\nCALL BY(R[1])");
    let ways = read_with(&body, &[by_argument, PLACE]);
    assert!(pairs(&ways).contains(&("P[1]".into(), "P[3]".into())));
}

#[test]
fn what_the_program_answers_both_ways_or_has_just_set_is_its_own() {
    for body in [
        // Set where no time passes before it is asked for.
        "J P[1] 50% FINE\nR[1]=0\nIF R[1]=1,CALL PLACE\nJ P[2] 50% FINE",
        "J P[1] 50% FINE\nR[1]=0\nR[2]=R[1]\nSELECT R[2]=1,CALL PLACE\nELSE,CALL PICK",
        // A count.
        "R[1]=0\nLBL[1]\nJ P[1] 50% FINE\nR[1]=R[1]+1\nIF R[1]<3,JMP LBL[1]\nJ P[2] 50% FINE",
    ] {
        assert!(!reaches_other(body), "{body}");
        assert_eq!(
            read_with(&format!("{FRAMES}{body}"), &[PICK, PLACE]).len(),
            1,
            "{body}"
        );
    }
    // The counter of a loop that runs, whatever it is asked for.
    let body = format!(
        "{FRAMES}FOR R[1]=1 TO 3\nJ P[1] 50% FINE\nIF R[1]>5,CALL PLACE\nCALL BY\nENDFOR\nJ P[2] 50% FINE"
    );
    let by = ("BY", "J P[1] 50% FINE\nIF R[1]=0,CALL PLACE");
    let ways = read_with(&body, &[by, PLACE]);
    assert_eq!((ways.len(), ways[0].moves.len()), (1, 7), "{ways:?}");
    assert!(ways[0].unknown.is_empty(), "{ways:?}");
    // A register of which the cell says so.
    let mut cell = arm("fanuc");
    let body = "R[1]=0\nJ P[1] 50% FINE\nIF R[1]=1,JMP LBL[1]\nWAIT R[2]=1\nIF R[1]=1,JMP LBL[1]\nJ P[1] 40% FINE\nLBL[1]";
    assert!(ways_in(&cell, &listing(body), &[]).len() > 1);
    said(&mut cell).still = vec!["R[1]".into()];
    assert_eq!(ways_in(&cell, &listing(body), &[]).len(), 1);
    // Not so where a loop asks again.
    let polls = "J P[1] 50% FINE\nR[1]=0\nLBL[1]\nIF R[1]=0,JMP LBL[1]\nJ P[3] 50% FINE";
    assert!(reaches_other(polls));
}

/// On the way of the other answer the register holds something else.
#[test]
fn with_the_other_answer_the_value_is_not_known() {
    let body = "UFRAME_NUM=1\nR[1]=1\nJ P[1] 50% FINE\nIF R[1]=2,JMP LBL[2]\nJ P[R[1]] 50% FINE\nEND\nLBL[2]\nJ P[R[1]] 50% FINE";
    let ways = ways_in(&arm("fanuc"), &listing(body), &[]);
    let told: Vec<bool> = ways.iter().map(|w| w.unknown.is_empty()).collect();
    assert_eq!(told, [false, true], "{ways:?}");
    let first = &ways[0].unknown[0];
    assert_eq!(first.place.line, Some(13), "{first:?}");
}

/// Behind a condition of which both answers are followed, the way on which less is known goes on for
/// both.
#[test]
fn many_such_conditions_have_few_ways() {
    for asks in ["R[K]=1,CALL PLACE", "R[K]=0,JMP LBL[K]\nCALL PLACE\nLBL[K]"] {
        let all = |number: usize| -> String {
            let of = |k: usize| {
                format!(
                    "IF {}\nJ P[1] 50% FINE\n",
                    asks.replace('K', &k.to_string())
                )
            };
            (1..=number).map(of).collect()
        };
        let sets: String = (1..=30).map(|k| format!("R[{k}]=0\n")).collect();
        let body = format!("{FRAMES}{sets}J P[1] 50% FINE\n{}", all(30));
        let ways = read_with(&body, &[PLACE]);
        assert!(pairs(&ways).contains(&("P[1]".into(), "P[3]".into())));
    }
}
