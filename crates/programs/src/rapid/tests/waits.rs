//! Waits for what other tasks set, and guards before them.

use super::*;
use crate::testing::{ONE_SIDED, own_ways};

const DATA_HERE: &str = "CONST jointtarget side:=[[90,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n\
    PERS num job:=JOB;\nPERS bool busy:=BUSY;\nPERS bool dry:=FALSE;\n";

/// How many ways lead through a `main` of these statements that runs again and again; `None`:
/// something is unknown.
fn rounds(data: &str, body: &str) -> Option<usize> {
    counted_rounds(data, body, own_ways)
}

fn counted_rounds(data: &str, body: &str, count: fn(&[MoveProgram]) -> usize) -> Option<usize> {
    let found = ways(&cycle(
        &format!("{DATA_HERE}{data}")
            .replace("JOB", "0")
            .replace("BUSY", "FALSE"),
        &format!("MoveAbsJ j,v100,fine,t;\n{body}\nMoveAbsJ j,v100,fine,t;"),
    ));
    let unknown = found.iter().any(|way| !way.unknown.is_empty());
    (!unknown).then_some(count(&found))
}

const SIDE: &str = "MoveAbsJ side,v100,fine,t;";

/// What a wait asked for may be anything behind it, whatever the files say, and every case is
/// followed.
#[test]
fn what_was_waited_for_takes_every_way() {
    let test = "TEST job\nCASE 1:\nSIDE\nCASE 2:\nMoveAbsJ side,v100,z10,t;\nENDTEST"
        .replace("SIDE", SIDE);
    for wait in [
        "WaitUntil job>0;",
        "WaitUntil job>=0;",
        "WHILE job=0 DO\nWaitTime 0.1;\nENDWHILE",
    ] {
        assert!(rounds("", &format!("{wait}\n{test}")) > Some(2), "{wait}");
        let hands_back = format!("{wait}\n{test}\njob:=0;");
        assert!(rounds("", &hands_back) > Some(2), "{wait}");
    }
    // A wait that the values of the program itself end, or do not end, says nothing of other tasks.
    assert_eq!(rounds("VAR bool b;\n", "b:=busy;\nWaitUntil b;"), None);
    assert_eq!(
        rounds("", "WHILE busy DO\nWaitTime 0.1;\nENDWHILE"),
        Some(1)
    );
    assert_eq!(
        rounds("", "WHILE NOT busy DO\nWaitTime 0.1;\nENDWHILE"),
        Some(1)
    );
    assert!(rounds("", &format!("WHILE busy DO\n{SIDE}\nENDWHILE")) > Some(1));
    // The next round finds what a wait has brought.
    let late =
        "MoveAbsJ [[job,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,t;\nWaitUntil job>=0;";
    assert_eq!(rounds("", late), None);
}

/// Who says that a wait is over may say how the program goes on: numbers for which conditions ask and
/// that the program does not set itself.
#[test]
fn a_wait_brings_what_the_program_does_not_set() {
    let test = format!("TEST job\nCASE 1:\n{SIDE}\nDEFAULT:\nWaitTime 0.1;\nENDTEST");
    for wait in [
        "busy:=FALSE;\nWaitUntil busy;",
        "WaitUntil NOT busy;",
        "WHILE busy DO\nWaitTime 0.1;\nENDWHILE",
        "IF di1=1 WaitUntil busy;",
    ] {
        let found = rounds("", &format!("{wait}\n{test}"));
        assert!(found > Some(1), "{found:?}: {wait}");
        // Alone too, where no later round finds another value.
        let body = DATA_HERE.replace("JOB", "0").replace("BUSY", "FALSE");
        let found = ways(&module(
            &body,
            &format!("MoveAbsJ j,v100,fine,t;\n{wait}\n{test}"),
        ));
        assert!(found.len() > 1, "{wait}");
    }
    // Without such a wait it has the value of the file; both answers are followed all the same.
    assert!(rounds("", &format!("WaitTime 0.1;\n{test}")) > Some(1));
}

/// Whether an argument was given, and how long a list is, does not depend on what these hold.
#[test]
fn arguments_that_were_given_do_not_depend_on_their_values() {
    let go = "PROC go(jointtarget at\\PERS wobjdata wo)\nIF Present(wo) THEN\nMoveAbsJ at,v100,fine,t\\WObj:=wo;\n\
         ELSE\nMoveAbsJ at,v100,fine,t;\nENDIF\nENDPROC\n";
    assert_eq!(rounds(go, "go side\\wo:=w;\ngo j;"), Some(1));
    let list = "PERS num list{2}:=[1,2];\n";
    let each = format!("FOR i FROM 1 TO Dim(list,1) DO\n{SIDE}\nENDFOR");
    assert_eq!(rounds(list, &each), Some(1));
    let asks = format!("IF list{{1}}=1 THEN\n{SIDE}\nENDIF");
    let text = format!("{DATA_HERE}{list}")
        .replace("JOB", "0")
        .replace("BUSY", "FALSE");
    let found = ways(&cycle(&text, &format!("MoveAbsJ j,v100,fine,t;\n{asks}")));
    assert!(found.iter().any(|way| way.name.contains(ONE_SIDED)));
}

/// Whether a routine is left early does not matter if its rest only waits and sets outputs.
#[test]
fn a_return_before_what_only_waits_has_one_way() {
    let grip = |guard: &str, rest: &str| {
        format!("VAR num n;\nPROC grip()\nIF {guard} RETURN;\nSetDO do1,1;\n{rest}\nENDPROC\n")
    };
    for guard in ["dry", "di1=1"] {
        let data = grip(guard, "WaitDI di2,1;");
        assert_eq!(
            rounds(&data, "grip;\ngrip;\ngrip;\ngrip;\ngrip;\ngrip;\ngrip;"),
            Some(1),
            "{guard}"
        );
        // Variables that are set on the way count, and so do moves and waits.
        let asks = format!("n:=0;\ngrip;\nIF n=1 THEN\n{SIDE}\nENDIF");
        let all = |data: &str, body: &str| counted_rounds(data, body, <[_]>::len);
        let counts = all(&grip(guard, "n:=1;"), &asks);
        assert!(counts.is_none_or(|ways| ways > 1), "{guard} {counts:?}");
        let moves = all(&grip(guard, SIDE), "grip;");
        assert!(moves.is_none_or(|ways| ways > 1), "{guard} {moves:?}");
        let asks = format!("grip;\nIF job=1 THEN\n{SIDE}\nENDIF");
        let waits = all(&grip(guard, "WaitUntil job>=0;"), &asks);
        assert!(waits.is_none_or(|ways| ways > 1), "{guard} {waits:?}");
    }
}

/// A routine with an error handler that goes on may call others that move nothing and set nothing
/// that counts.
#[test]
fn handlers_that_go_on_may_guard_calls_that_move_nothing() {
    let grip = |called: &str| {
        format!(
            "VAR num n;\nPROC grip()\ntell \"a\";\nWaitDI di2,1\\MaxTime:=3;\nERROR\nRETRY;\nENDPROC\n\
             PROC tell(string s)\n{called}\nENDPROC\n"
        )
    };
    let asks = format!("n:=0;\ngrip;\nIF n=1 THEN\n{SIDE}\nENDIF");
    assert_eq!(rounds(&grip("TPWrite s;"), &asks), Some(1));
    assert_eq!(rounds(&grip(SIDE), &asks), None);
    assert_eq!(rounds(&grip("n:=1;"), &asks), None);
}

/// What a wait brings is what it is through a copy, a parameter or a function, too.
#[test]
fn a_wait_brings_what_is_asked_for_by_another_name() {
    let data = format!(
        "{}VAR num own;\nPROC run(num n)\nTEST n\nCASE 1:\nSIDE\nENDTEST\nENDPROC\nFUNC num get()\nRETURN job;\nENDFUNC\n\
         FUNC num same(num k)\nRETURN k;\nENDFUNC\n\
         PROC late()\nVAR num k:=same(job);\nIF k=1 THEN\nSIDE\nENDIF\nENDPROC\n",
        DATA_HERE.replace("JOB", "2").replace("BUSY", "FALSE")
    )
    .replace("SIDE", SIDE);
    let of = |body: &str| {
        let body =
            format!("MoveAbsJ j,v100,fine,t;\nWaitUntil busy;\n{body}").replace("SIDE", SIDE);
        let text = module(&data, &body);
        let reading = read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], Some("work"));
        let found = reading.unwrap_or_else(|e| panic!("{e}")).ways;
        let unknown = found.iter().any(|way| !way.unknown.is_empty());
        (!unknown).then_some(own_ways(&found))
    };
    for body in [
        "own:=job;\nTEST own\nCASE 1:\nSIDE\nENDTEST",
        "own:=job+1;\nIF own=2 THEN\nSIDE\nENDIF",
        "run job;",
        "IF get()=1 THEN\nSIDE\nENDIF",
        "late;",
    ] {
        assert_eq!(of(body), Some(2), "{body}");
    }
    assert_eq!(of("own:=2;\nrun own;"), Some(1));
}

/// A handshake takes what it reads back, and others may hand over values of any type.
#[test]
fn a_wait_brings_what_the_program_sets_as_well() {
    let data = format!(
        "{}ALIAS num number;\nPERS number other:=0;\nPERS byte small:=0;\nPERS pos off:=[0,0,0];\nVAR num n:=0;\n",
        DATA_HERE.replace("JOB", "1").replace("BUSY", "FALSE")
    );
    let of = |body: &str| {
        let body = format!("MoveAbsJ j,v100,fine,t;\n{body}").replace("SIDE", SIDE);
        let found = ways(&module(&data, &body));
        let unknown = found.iter().any(|way| !way.unknown.is_empty());
        (!unknown).then_some(own_ways(&found))
    };
    for body in [
        "job:=0;\nbusy:=FALSE;\nWaitUntil busy;\nIF job=1 THEN\nSIDE\nENDIF",
        "WaitUntil busy;\nIF job=1 THEN\nSIDE\nENDIF\njob:=0;\nbusy:=FALSE;",
        "job:=0;\nWaitUntil busy;\nIF job=1 THEN\nSIDE\nENDIF\nEXIT;",
        "WaitUntil busy;\nIF other=1 THEN\nSIDE\nENDIF",
        "WaitUntil busy;\nIF small=1 THEN\nSIDE\nENDIF",
        "WaitUntil busy;\nIF off.x>1 THEN\nSIDE\nENDIF",
    ] {
        let found = of(body);
        assert!(found.is_some_and(|ways| ways > 1), "{found:?}: {body}");
    }
    // Where a move leads is not known then.
    let moves = "MoveAbsJ [[job,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,t;";
    assert_eq!(of(&format!("job:=n;\nWaitUntil busy;\n{moves}")), None);
    assert_eq!(of(&format!("WaitUntil busy;\njob:=2;\n{moves}")), Some(1));
    // Behind the wait the program's own values are what they are, and so are tools.
    for body in [
        "WaitUntil busy;\nSIDE",
        "n:=1;\nWaitUntil busy;\nIF n=1 THEN\nSIDE\nENDIF",
        "WaitUntil busy;\njob:=1;\nIF job=1 THEN\nSIDE\nENDIF",
        "FOR i FROM 1 TO 2 DO\nWaitUntil busy;\nSIDE\nbusy:=FALSE;\nENDFOR",
        "WaitDI di1,1;\nIF job=1 THEN\nSIDE\nENDIF",
    ] {
        assert_eq!(of(body), Some(1), "{body}");
    }
    // A main with a handshake and its reset is known, both ways.
    let handshake = "WaitUntil busy;\nIF job=1 THEN\nSIDE\nENDIF\njob:=0;\nbusy:=FALSE;";
    let found = rounds("", &handshake.replace("SIDE", SIDE));
    assert!(found.is_some_and(|ways| ways > 1), "{found:?}");
    let counts = format!("FOR i FROM 2 TO i DO\n{SIDE}\nENDFOR");
    assert_eq!(rounds("VAR num i:=3;\n", &counts), None);
}
