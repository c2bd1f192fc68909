//! What routines set that the program itself does not run.

use super::*;
use crate::testing::own_ways;

const SIDE: &str = "CONST jointtarget side:=[[90,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n";

/// How many ways lead through a routine of these statements, with others beside it; `None`: something
/// is unknown.
fn ways_of(data: &str, body: &str, routine: &str) -> Option<usize> {
    let text = module(&format!("{SIDE}{data}"), body).replace("work", routine);
    let reading = read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], Some(routine));
    let ways = reading.unwrap_or_else(|e| panic!("{e}")).ways;
    let unknown = ways.iter().any(|way| !way.unknown.is_empty());
    (!unknown).then_some(own_ways(&ways))
}

const CHOICE: &str = "MoveAbsJ j,v100,fine,t;\nFIRST\nIF n=1 THEN\nMoveAbsJ side,v100,fine,t;\nELSE\n\
    MoveAbsJ j,v100,z10,t;\nENDIF\nMoveAbsJ j,v100,fine,t;";

/// A routine that is checked alone starts where its callers have brought its data.
#[test]
fn what_callers_set_is_not_known_at_a_start() {
    let main = |first: &str| format!("PROC main()\n{first}\nwork;\nENDPROC\n");
    let of = |data: &str, first: &str| ways_of(data, &CHOICE.replace("FIRST", first), "work");
    let handed = "PROC sets(INOUT num k)\nk:=2;\nENDPROC\nPROC both(INOUT num k)\nsets k;\nENDPROC\n\
        PROC reads(INOUT num k)\nTPWrite \"x\"\\Num:=k;\nENDPROC\n";
    let called = "PROC called(num k)\nn:=k;\nENDPROC\n";
    for keeps in ["VAR", "PERS"] {
        let data = |first: &str| format!("{keeps} num n:=1;\n{handed}{}", main(first));
        for first in ["n:=2;", "sets n;", "both n;", "Incr n;", "IF di1=1 n:=2;"] {
            assert_eq!(of(&data(first), ""), Some(2), "{keeps} {first}");
            assert_eq!(of(&data(first), "n:=1;"), Some(1), "{keeps} {first}");
        }
        // These set another variable, or none.
        for first in [
            "",
            "VAR num n;\nn:=2;",
            "reads n;",
            "FOR n FROM 1 TO 2 DO\nENDFOR",
        ] {
            assert_eq!(of(&data(first), ""), Some(1), "{keeps} {first}");
        }
        // A routine that both call is handed something else by the other one.
        let late = format!("{}\ncalled 1;", CHOICE.replace("FIRST", ""));
        // Where something else may have set it, the call sets it back.
        let kept = if keeps == "PERS" { 2 } else { 1 };
        for (first, count) in [("", kept), ("called 2;", 2), ("%\"called\"% 2;", 2)] {
            let data = format!("{}{called}", data(first));
            assert_eq!(
                ways_of(&data, &late, "work"),
                Some(count),
                "{keeps} {first}"
            );
            assert_eq!(of(&data, "called 1;"), Some(1), "{keeps} {first}");
        }
    }
    assert_eq!(of("CONST num n:=1;\n", ""), Some(1));
    // Moves read what they are handed.
    assert_eq!(
        of(
            &format!("VAR num n:=1;\n{}", main("MoveAbsJ j,v100,fine,t;")),
            ""
        ),
        Some(1)
    );
    // The reason says who sets it, and where.
    let data = "PERS num n:=1;\nPROC main()\nn:=2;\nwork;\nENDPROC\n";
    let body = "MoveAbsJ [[n,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,t;";
    let text = module(data, body);
    let reading = read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], Some("work"));
    let told = reading.unwrap().ways[0].unknown[0].reason.clone();
    let says = "`main` sets `n` (line 5), and what it holds when `work` starts is not known";
    assert!(told.contains(says), "{told}");
}

/// `main` finds in persistent data what routines left that it does not call; in the others what a
/// routine left that may run at a start. A start by hand gives these their first values.
#[test]
fn what_main_does_not_reach_sets_persistent_data() {
    let select = |arguments: &str| format!("PROC select({arguments})\nn:=2;\nENDPROC\n");
    let body = format!("{}\nEXIT;", CHOICE.replace("FIRST", ""));
    for (keeps, arguments, count) in [
        ("PERS", "", 2),
        ("PERS", "num k", 2),
        ("VAR", "", 2),
        ("VAR", "num k", 1),
    ] {
        let data = format!("{keeps} num n:=1;\n");
        assert_eq!(ways_of(&data, &body, "main"), Some(1), "{keeps}");
        let data = format!("{data}{}", select(arguments));
        assert_eq!(ways_of(&data, &body, "main"), Some(count), "{keeps}");
    }
}

/// A routine that nothing calls may run as an event routine: what it leaves behind is told.
#[test]
fn routines_that_events_may_run_are_told() {
    let told = |others: &str, body: &str| -> Vec<String> {
        let text = cycle(others, body);
        let reading = read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], None);
        let assumed = reading.unwrap_or_else(|e| panic!("{e}")).assumed;
        assert!(assumed.iter().all(|a| !a.contradicted));
        assumed.into_iter().map(|a| a.message).collect()
    };
    let shift = "PROC shift()\nPDispSet [[0,0,9],[1,0,0,0]];\nENDPROC\n";
    let [message] = &told(shift, "MoveAbsJ j,v100,fine,t;")[..] else {
        panic!("it is not told");
    };
    assert!(
        message.contains("`shift`") && message.contains("PDISPSET"),
        "{message}"
    );
    let by = format!("{shift}PROC power()\nshift;\nENDPROC\n");
    let [message] = &told(&by, "MoveAbsJ j,v100,fine,t;")[..] else {
        panic!("it is not told");
    };
    assert!(message.contains("`power`"), "{message}");
    assert_eq!(
        told(
            "PROC shift()\nPDispOff;\nENDPROC\n",
            "MoveAbsJ j,v100,fine,t;"
        )
        .len(),
        0
    );
}

/// Some instructions set variables whose names stand in no statement, or beside others that they
/// only read; an interrupt sets them whenever it comes.
#[test]
fn what_unread_instructions_of_callers_set_is_not_known() {
    let data = |first: &str| {
        format!(
            "PERS num n:=1;\nPERS bool b:=FALSE;\nVAR intnum i1;\nPROC sets(INOUT num k)\nk:=2;\nENDPROC\n\
             PROC main()\n{first}\nwork;\nENDPROC\n"
        )
    };
    let of = |first: &str, asks: &str| {
        let body = CHOICE.replace("FIRST", "").replace("n=1", asks);
        ways_of(&data(first), &body, "work")
    };
    for first in [
        "SetDataVal \"N\",2;",
        "SetAllDataVal \"num\"\\Object:=\"n\",2;",
        "%\"sets\"% n;",
        "CONNECT i1 WITH late;\nENDPROC\nTRAP late\nn:=2;\nENDTRAP\nPROC more()",
    ] {
        assert_eq!(of(first, "n=1"), Some(2), "{first}");
    }
    assert_eq!(of("SetDataVal \"m\",2;", "n=1"), Some(1));
    assert_eq!(of("SetAllDataVal \"bool\",TRUE;", "n=1"), Some(1));
    // It may be the tool of the moves as well.
    assert_eq!(of("SetDataVal NumToStr(n,0),2;", "n=1"), None);
    let waits = "WaitWObj w\\MaxTime:=1\\TimeFlag:=b;";
    assert_eq!(of(waits, "b"), Some(2));
    assert_eq!(of(waits, "n=1"), Some(1));
}
