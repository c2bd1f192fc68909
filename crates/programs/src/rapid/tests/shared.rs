//! What other routines, other modules and other tasks do to a program that looks straight.

use super::*;
use crate::testing::own_ways;

const SIDE: &str = "CONST jointtarget side:=[[90,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n";

/// How many ways lead through a `main` of these statements; `None`: something is unknown.
fn known_ways(data: &str, body: &str) -> Option<usize> {
    let text = cycle(
        &format!("{SIDE}{data}"),
        &format!("MoveAbsJ j,v100,fine,t;\n{body}\nEXIT;"),
    );
    let found = ways(&text);
    let unknown = found.iter().any(|way| !way.unknown.is_empty());
    (!unknown).then_some(own_ways(&found))
}

/// Whether a way leads to `side`; all is known.
fn goes_aside(data: &str, body: &str) -> bool {
    let text = cycle(
        &format!("{SIDE}{data}"),
        &format!("MoveAbsJ j,v100,fine,t;\n{body}\nEXIT;"),
    );
    let found = ways(&text);
    assert!(
        found.iter().all(|way| way.unknown.is_empty()),
        "{body}: {found:?}"
    );
    let goes = |way: &MoveProgram| way.moves.iter().any(|step| step.label == "side");
    found.iter().any(goes)
}

/// A `RETURN` leaves its routine, also where it stands behind a call of another one.
#[test]
fn a_return_behind_a_call_leaves_the_routine() {
    let over = |condition: &str, first: &str| {
        format!(
            "PROC over()\nIF {condition} THEN\n{first}\nRETURN;\nENDIF\nMoveAbsJ side,v100,fine,t;\nENDPROC\n\
             PROC tell()\nTPWrite \"x\";\nENDPROC\nFUNC bool short()\nRETURN di1=1;\nENDFUNC\n"
        )
    };
    for (condition, first) in [("di1=1", ""), ("di1=1", "tell;"), ("short()", "")] {
        assert_eq!(
            known_ways(&over(condition, first), "over;\nMoveL p,v100,fine,t;"),
            Some(2),
            "{condition} {first}"
        );
    }
    // One of a routine that is called comes back.
    let called = "PROC tell()\nIF di2=1 RETURN;\nTPWrite \"x\";\nENDPROC\n";
    let found = known_ways(called, "IF di1=1 THEN\ntell;\nENDIF\nMoveL p,v100,fine,t;");
    assert_eq!(found, Some(1));
}

/// A routine that is called sees the local routines of its own module.
#[test]
fn local_routines_are_those_of_the_module_that_calls_them() {
    let list = "<?xml version=\"1.0\"?>\n<Program>\n<Module>a.mod</Module>\n<Module>b.mod</Module>\n</Program>";
    let step = |what: &str| format!("LOCAL PROC step1()\n{what}\nENDPROC\n");
    let moves = "MoveAbsJ side,v100,fine,t;";
    for (own, other, count) in [
        ("TPWrite \"x\";", moves, 2),
        (moves, "TPWrite \"x\";", 1),
        ("TPWrite \"x\";", "TPWrite \"y\";", 1),
    ] {
        let body =
            "MoveAbsJ j,v100,fine,t;\nIF di1=1 THEN\nfetch;\nENDIF\nMoveL p,v100,fine,t;\nEXIT;";
        let data = format!("{}{SIDE}{}", "", step(own));
        let a = cycle(&data, body).replace("MODULE m", "MODULE a");
        let b = format!(
            "MODULE b\nPROC fetch()\nstep1;\nENDPROC\n{}ENDMODULE",
            step(other)
        );
        let files = [("a.pgf", list), ("a.mod", &*a), ("b.mod", &*b)];
        let reading = read_beside(&arm("rapid"), "a.pgf", list.as_bytes(), &files, None).unwrap();
        assert_eq!(reading.ways.len(), count, "{own} {other}");
    }
    // What an error handler does is judged in its own module, too.
    let guarded = |own: &str, other: &str| {
        let a = cycle(
            &format!("{SIDE}{}", step(own)),
            "MoveAbsJ j,v100,fine,t;\nfetch;\nEXIT;",
        );
        let a = a.replace("MODULE m", "MODULE a");
        let b = format!(
            "MODULE b\nPROC fetch()\nTPWrite \"z\";\nERROR\nstep1;\nRAISE;\nENDPROC\n{}ENDMODULE",
            step(other)
        );
        let files = [("a.pgf", list), ("a.mod", &*a), ("b.mod", &*b)];
        let reading = read_beside(&arm("rapid"), "a.pgf", list.as_bytes(), &files, None).unwrap();
        reading.ways.iter().all(|way| way.unknown.is_empty())
    };
    assert!(!guarded("TPWrite \"x\";", moves));
    assert!(guarded(moves, "TPWrite \"x\";"));
}

/// Another task may set a persistent variable, and so change what is computed of it: a loop or a
/// wait that never ends by the values of the files is no end of the program.
#[test]
fn what_is_computed_of_persistent_variables_may_change_too() {
    let data = "CONST jointtarget two{1,2}:=[[[[10,-20,30,40,50,60],[9E9,9E9,9E9,9E9,9E9,9E9]],[[90,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]]]];\n\
        PERS bool ready:=FALSE;\nPERS num job:=0;\nPERS num set:=1;\nVAR bool b;\nVAR num n;\n\
        CONST jointtarget pts{2}:=[[[10,-20,30,40,50,60],[9E9,9E9,9E9,9E9,9E9,9E9]],[[90,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]]];\n\
        FUNC bool isready()\nRETURN ready;\nENDFUNC\nFUNC bool either()\nRETURN di1=1 OR ready;\nENDFUNC\n\
        FUNC bool says()\nIF job=1 THEN\nRETURN TRUE;\nENDIF\nRETURN FALSE;\nENDFUNC\n\
        PROC poll(PERS bool f)\nWHILE NOT f DO\nWaitTime 0.1;\nENDWHILE\nENDPROC\n\
        PROC run(num k)\nIF k=1 THEN\nMoveAbsJ side,v100,fine,t;\nELSE\nWaitTime 0.1;\nENDIF\nENDPROC\n\
        PROC waits(PERS bool f)\nWaitUntil f;\nENDPROC\n";
    let moves = "MoveAbsJ side,v100,fine,t;";
    for body in [
        "WHILE TRUE DO\nMoveAbsJ pts{job+1},v100,fine,t;\nENDWHILE",
        "WHILE TRUE DO\nMoveAbsJ two{set,job+2},v100,fine,t;\nENDWHILE",
        // One call answers otherwise than the other, and each the same in every round.
        "WHILE TRUE DO\nrun job;\nrun set;\nENDWHILE",
        "WHILE TRUE DO\nFOR i FROM set TO job+2 DO\nMoveAbsJ pts{i},v100,fine,t;\nENDFOR\nENDWHILE",
        "WHILE TRUE DO\nFOR i FROM 1 TO set DO\nMoveAbsJ pts{i},v100,fine,t;\nENDFOR\nENDWHILE",
    ] {
        assert_eq!(known_ways(data, body), None, "{body}");
    }
    // Conditions have both answers.
    for body in [
        "b:=ready;\nWHILE NOT b DO\nWaitTime 0.1;\nb:=ready;\nENDWHILE\nSIDE",
        "lbl:\nb:=ready;\nWaitTime 0.1;\nIF NOT b GOTO lbl;\nSIDE",
        "WHILE TRUE DO\nn:=job;\nTEST n\nCASE 1:\nSIDE\nDEFAULT:\nWaitTime 0.1;\nENDTEST\nENDWHILE",
        "WHILE TRUE DO\nrun job;\nENDWHILE",
        "WHILE TRUE DO\nrun (job+0);\nENDWHILE",
        "WHILE TRUE DO\nb:=(job=1);\nIF b THEN\nSIDE\nENDIF\nENDWHILE",
        "WHILE TRUE DO\nTEST job\nCASE 5:\nWaitTime 0.2;\nCASE 0:\nWaitTime 0.1;\nCASE 1:\nSIDE\nENDTEST\nENDWHILE",
        "WHILE TRUE DO\nIF job=1 THEN\nSIDE\nELSEIF job=0 THEN\nWaitTime 0.1;\nENDIF\nENDWHILE",
        "WHILE TRUE DO\nIF job=0 b:=TRUE; IF job=1 SIDE\nENDWHILE",
        "WHILE NOT ready DO\nMoveAbsJ j,v100,fine,t;\nENDWHILE\nSIDE",
        // A loop that gives up.
        "n:=0;\nWHILE (NOT ready) AND n<20 DO\nWaitTime 0.1;\nn:=n+1;\nENDWHILE\nIF ready THEN\nSIDE\nENDIF",
        // A guard, and what comes with the answer.
        "IF NOT ready THEN\nTPWrite \"x\";\nWaitUntil ready;\nENDIF\nIF job=1 THEN\nSIDE\nENDIF",
        "FOR i FROM 1 TO 2 DO\nlb:\nIF NOT ready THEN\nWaitTime 0.1;\nGOTO lb;\nENDIF\nENDFOR\nIF job=1 THEN\nSIDE\nENDIF",
    ] {
        assert!(goes_aside(data, &body.replace("SIDE", moves)), "{body}");
    }
    // What has just been set is what it is.
    let body = "job:=0;\nn:=job;\nIF n=1 THEN\nSIDE\nENDIF".replace("SIDE", moves);
    assert!(!goes_aside(data, &body));
    // A wait, however long it is by the values of the files, leaves the variable unknown: both ways
    // are gone.
    for body in [
        "waits ready;\nIF ready THEN\nSIDE\nENDIF",
        "WaitUntil isready();\nIF ready THEN\nSIDE\nENDIF",
        "WaitUntil says();\nIF job=1 THEN\nSIDE\nENDIF",
        "WaitUntil NOT ready;\nIF ready THEN\nSIDE\nENDIF",
        "WaitUntil NOT ready OR job=1\\MaxTime:=5\\TimeFlag:=b;\nIF ready THEN\nSIDE\nENDIF",
        "poll ready;\nIF ready THEN\nSIDE\nENDIF",
        "WHILE ready DO\nWaitTime 0.1;\nENDWHILE\nIF ready THEN\nSIDE\nENDIF",
        "WaitUntil ready OR di1=1;\nIF ready THEN\nSIDE\nENDIF\nMoveL p,v100,fine,t;",
        "WHILE NOT ready AND di1=0 DO\nWaitTime 0.1;\nENDWHILE\nIF ready THEN\nSIDE\nENDIF\nMoveL p,v100,fine,t;",
        "IF di1=1 THEN\nWaitUntil ready;\nENDIF\nIF ready THEN\nSIDE\nENDIF\nMoveL p,v100,fine,t;",
        "IF di1=1 THEN\nWaitUntil isready();\nENDIF\nIF ready THEN\nSIDE\nENDIF\nMoveL p,v100,fine,t;",
        "IF di1=1 THEN\nWHILE NOT ready DO\nWaitTime 0.1;\nENDWHILE\nENDIF\nIF ready THEN\nSIDE\nENDIF\nMoveL p,v100,fine,t;",
    ] {
        let body = body.replace("SIDE", moves);
        let found = known_ways(data, &body);
        assert!(found.is_none_or(|ways| ways > 1), "{found:?}: {body}");
    }
    // What only texts and outputs depend on has no answer that counts; nor does a function make
    // another variable of the program unknown.
    for body in [
        "WHILE TRUE DO\nIF ready THEN\nTPWrite \"x\";\nENDIF\nSIDE\nMoveL p,v100,fine,t;\nENDWHILE",
        "n:=job+1;\nWaitUntil either();\nMoveAbsJ pts{n},v100,fine,t;",
    ] {
        let body = body.replace("SIDE", moves);
        assert_eq!(known_ways(data, &body), Some(1), "{body}");
    }
    // A counter of the program's own is no variable of other tasks, whatever others are called.
    let counts = "n:=0;\nWHILE n<2 DO\nMoveL p,v100,fine,t;\nn:=n+1;\nENDWHILE";
    assert_eq!(
        known_ways("PERS num job:=0;\nVAR num n;\n", counts),
        Some(1)
    );
}

/// `main` starts anew whenever it has ended: what it asks of persistent variables has another answer
/// in a later round.
#[test]
fn rounds_ask_for_what_other_tasks_set() {
    let body = "IF job=1 THEN\nMoveAbsJ side,v100,fine,t;\nENDIF";
    assert!(goes_aside("PERS num job:=0;\n", body));
    assert!(!goes_aside("CONST num job:=0;\n", body));
    assert!(!goes_aside("VAR num job:=0;\n", body));
}

/// Behind a condition of which both answers are followed, the way on which less is known goes on for
/// both.
#[test]
fn many_such_conditions_have_few_ways() {
    let data: String = (1..=30)
        .map(|k| format!("PERS bool f{k}:=FALSE;\n"))
        .collect();
    for asks in ["IF FLAG THEN", "IF NOT FLAG THEN\nTPWrite \"x\";\nELSE"] {
        let ask = |k: usize| {
            let asks = asks.replace("FLAG", &format!("f{k}"));
            format!("{asks}\nMoveAbsJ side,v100,fine,t;\nENDIF\nMoveAbsJ j,v100,fine,t;\n")
        };
        let body: String = (1..=30).map(ask).collect();
        assert!(goes_aside(&data, &body), "{asks}");
    }
}

/// What a routine that is checked alone may find: displaced points, a connected interrupt.
#[test]
fn a_routine_alone_begins_as_its_callers_leave_it() {
    let contradicted = |data: &str| {
        let text = module(data, "MoveAbsJ j,v100,fine,t;");
        let reading = read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], Some("work"));
        reading.unwrap().assumed.iter().any(|a| a.contradicted)
    };
    let main = |body: &str| {
        format!(
            "VAR intnum i1;\nPROC main()\n{body}\nwork;\nENDPROC\nTRAP esc\nStopMove;\nENDTRAP\n"
        )
    };
    assert!(!contradicted(&main("")));
    assert!(!contradicted(&main(
        "PDispSet [[0,300,0],[1,0,0,0]];\nPDispOff;"
    )));
    for body in [
        "PDispSet [[0,300,0],[1,0,0,0]];",
        "EOffsSet [1,0,0,0,0,0];",
        "SoftAct 1,20;",
        "CONNECT i1 WITH esc;\nISignalDI di1,1,i1;",
    ] {
        assert!(contradicted(&main(body)), "{body}");
    }
}

/// A controller has 32 bits: half a turn may come out to either side, and large whole numbers may be
/// others.
#[test]
fn half_turns_and_large_whole_numbers_are_not_certain() {
    let pose = "VAR pose s:=[[0,0,0],[0,0.70710678,0.70710678,0]];\nVAR num n:=16777217;\n";
    let two = |body: &str| known_ways(pose, &format!("{body}\nMoveL p,v100,fine,t;"));
    let moves = "THEN\nMoveAbsJ side,v100,fine,t;\nENDIF";
    assert_eq!(two(&format!("IF EulerZYX(\\X,s.rot)>0 {moves}")), Some(2));
    assert_eq!(two(&format!("IF n MOD 2=1 {moves}")), Some(2));
    assert_eq!(two(&format!("IF n DIV 2=8388608 {moves}")), Some(2));
    assert_eq!(two(&format!("IF 16777216 MOD 2=0 {moves}")), Some(1));
}

/// The zone of the orientation is larger than that of the tool's point in all zones that are
/// predefined but the smallest.
#[test]
fn zones_of_the_orientation_are_told_apart_from_those_of_the_point() {
    let lead = |zone: &str| {
        let way = known(
            "",
            &format!("MoveAbsJ j,v100,fine,t;\nMoveL p,v100,{zone},t;\nMoveL r,v100,fine,t;"),
        );
        way.turn_lead
    };
    assert_eq!(lead("fine"), 0.0);
    assert!((lead("z100") - 0.5 / 3.0).abs() < 1e-12);
    assert_eq!(lead("[FALSE,10,10,10,1,10,1]"), 0.0);
    assert_eq!(lead("[FALSE,10,5,5,0.5,5,0.5]"), 0.0);
    assert!((lead("[FALSE,1,100,100,10,100,10]") - 0.495).abs() < 1e-12);
}

/// Regression: whether a program has one answer was asked of whole conditions, so that a flag of
/// another task beside a counter was never followed.
#[test]
fn a_part_of_a_condition_that_has_one_answer_is_followed_with_the_other() {
    for (body, right) in [
        (
            "FOR i FROM 1 TO 3 DO\nMoveAbsJ a,v100,fine,t;\nMoveAbsJ j,v100,fine,t;\nIF stop OR i=3 THEN\nRETURN;\nENDIF\nENDFOR",
            2,
        ),
        (
            "WHILE n<3 AND NOT stop DO\nMoveAbsJ a,v100,fine,t;\nMoveAbsJ j,v100,fine,t;\nn:=n+1;\nENDWHILE",
            1,
        ),
        (
            "WHILE NOT (n=3 OR stop) DO\nMoveAbsJ a,v100,fine,t;\nMoveAbsJ j,v100,fine,t;\nn:=n+1;\nENDWHILE",
            1,
        ),
        // Nobody else sets these.
        (
            "WHILE n<3 AND NOT own DO\nMoveAbsJ a,v100,fine,t;\nMoveAbsJ j,v100,fine,t;\nn:=n+1;\nENDWHILE",
            7,
        ),
    ] {
        let data = "CONST jointtarget a:=[[-60,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\nPERS bool stop:=FALSE;\nVAR bool own:=FALSE;\nVAR num n:=0;\n";
        let ways = ways(&module(
            data,
            &format!("n:=0;\n{body}\nMoveAbsJ j,v100,fine,t;"),
        ));
        assert!(ways.iter().all(|way| way.unknown.is_empty()), "{ways:?}");
        let shortest = ways.iter().map(|way| way.moves.len()).min();
        assert_eq!(shortest, Some(right), "{body}");
    }
}
