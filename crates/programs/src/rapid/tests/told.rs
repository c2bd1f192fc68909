//! What other tasks hand over before a wait ends, and loops that wait by a function.

use super::*;
use crate::testing::own_ways;

const DATA_HERE: &str = "CONST jointtarget side:=[[90,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n\
    RECORD order robtarget at; num kind; ENDRECORD\nRECORD pair order first; order second; ENDRECORD\n\
    ALIAS order task1;\nPERS order cur:=[PLACE,1];\nPERS task1 other:=[PLACE,1];\nPERS order all{2}:=[[PLACE,1],[PLACE,1]];\n\
    PERS pair both:=[[PLACE,1],[PLACE,1]];\n\
    PERS num job:=1;\nPERS bool go:=TRUE;\n\
    FUNC bool seen(num k)\nVAR bool r;\nr:=go;\nk:=k+1;\nRETURN r;\nENDFUNC\n";

const PLACE: &str = "[[500,0,600],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]";

const SIDE: &str = "MoveAbsJ side,v100,fine,t;";

/// How many ways lead through a program; `None`: something is unknown.
fn found(body: &str) -> Option<usize> {
    let data = DATA_HERE.replace("PLACE", PLACE);
    let body = body
        .replace("SIDE", SIDE)
        .replace("CHOICE", "IF job=1 THEN\nSIDE\nENDIF");
    let text = module(
        &data,
        &format!("MoveAbsJ j,v100,fine,t;\n{}", body.replace("SIDE", SIDE)),
    );
    let reading = read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], Some("work"));
    let found = reading.unwrap_or_else(|e| panic!("{e}")).ways;
    let unknown = found.iter().any(|way| !way.unknown.is_empty());
    (!unknown).then_some(own_ways(&found))
}

/// What is not taught of a record is told as a number of its own is; what is taught of it stays.
#[test]
fn a_wait_brings_what_is_not_taught_of_a_record() {
    for number in ["cur.kind", "other.kind", "all{2}.kind", "both.second.kind"] {
        let choice = format!("IF {number}=1 THEN\nSIDE\nENDIF");
        assert_eq!(
            found(&format!("WaitUntil go;\n{choice}")),
            Some(2),
            "{number}"
        );
        assert_eq!(
            found(&format!("WaitDI di1,1;\n{choice}")),
            Some(1),
            "{number}"
        );
        let set = format!("WaitUntil go;\n{number}:=1;\n{choice}");
        assert_eq!(found(&set), Some(1), "{number}");
    }
    for point in ["cur.at", "other.at", "all{2}.at", "both.second.at"] {
        let moves = format!("WaitUntil go;\nMoveJ {point},v100,fine,t;");
        assert_eq!(found(&moves), Some(1), "{point}");
    }
}

/// The manual's loop for a semaphore is the wait of that name.
#[test]
fn a_semaphore_is_waited_for() {
    for wait in [
        "WHILE TestAndSet(go)=FALSE DO\nWaitTime 0.1;\nENDWHILE",
        "WHILE NOT TestAndSet(go) DO\nWaitTime 0.1;\nENDWHILE",
        "WaitTestAndSet go;",
    ] {
        assert_eq!(found(&format!("{wait}\nSIDE")), Some(1), "{wait}");
        assert_eq!(found(&format!("{wait}\nCHOICE")), Some(2), "{wait}");
    }
}

/// A function in the condition of a wait may have variables of its own.
#[test]
fn what_a_function_declares_for_itself_is_not_set_by_the_loop_that_asks_it() {
    for wait in [
        "WHILE NOT seen(1) DO\nWaitTime 0.1;\nENDWHILE",
        "WaitUntil seen(1);",
    ] {
        assert_eq!(found(&format!("{wait}\nCHOICE")), Some(2), "{wait}");
    }
}
