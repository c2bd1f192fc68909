//! In what routines begin: modes, and what lasts that others have switched on.

use super::*;
use crate::Assumption;

fn assumed(text: &str, routine: Option<&str>) -> Vec<Assumption> {
    let read = read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], routine);
    read.unwrap_or_else(|e| panic!("{e}\n{text}")).assumed
}

/// Whether it is known that the routine `work` does not begin as is taken, where `main` does this.
fn is_contradicted(main: &str, work: &str) -> bool {
    let data = format!(
        "VAR num n;\nPROC main()\n{main}\nwork;\nENDPROC\nPROC moved()\nMoveAbsJ j,v100,fine,t;\nENDPROC\n\
         FUNC num moves()\nMoveAbsJ j,v100,fine,t;\nRETURN 1;\nENDFUNC\nPROC quiet()\nSetDO do1,1;\nENDPROC\n"
    );
    let assumed = assumed(&module(&data, work), Some("work"));
    assumed.iter().any(|a| a.contradicted)
}

/// Regression: a mode that was set behind a block that moves counted as set at the start.
#[test]
fn modes_that_are_set_behind_a_block_that_moves_are_not_those_of_the_start() {
    let lines = "MoveAbsJ j,v100,fine,t;\nMoveJ p,v100,fine,t;\nMoveL Offs(p,20,0,0),v100,fine,t;";
    let first = "SingArea\\Off;\nConfJ\\On;";
    let main = "SingArea\\Wrist;\nConfJ\\Off;";
    for block in [
        format!("FOR i FROM 1 TO 2 DO\n{lines}\nENDFOR"),
        format!("IF di1=1 THEN\n{lines}\nENDIF"),
        format!("WHILE di1=1 DO\n{lines}\nENDWHILE"),
        format!("TEST n\nCASE 0:\n{lines}\nENDTEST"),
    ] {
        assert!(
            is_contradicted(main, &format!("{block}\n{first}")),
            "{block}"
        );
        assert!(
            !is_contradicted(main, &format!("{first}\n{block}")),
            "{block}"
        );
    }
    for before in [
        "IF di1=1 THEN\nmoved;\nENDIF",
        "n:=moves();",
        "IF di1=1 THEN\nGOTO over;\nENDIF",
    ] {
        let work = format!("{before}\n{first}\nover:\n{lines}");
        assert!(is_contradicted(main, &work), "{before}");
    }
    for before in [
        "IF di1=1 THEN\nSetDO do1,1;\nENDIF",
        "FOR i FROM 1 TO 2 DO\nWaitTime 1;\nENDFOR",
    ] {
        let work = format!("{before}\n{first}\n{lines}");
        assert!(!is_contradicted(main, &work), "{before}");
    }
}

/// Regression: axes that turn by themselves, and forces and sensors of some kinds, were not seen.
#[test]
fn axes_that_callers_let_turn_are_not_still() {
    for main in [
        "IndCMove ROB_1,6,10;",
        "IndAMove ROB_1,6\\ToAbsNum:=90,10;",
        "IndDMove ROB_1,6,90,10;",
        "IndRMove ROB_1,6\\ToRelNum:=90\\Short,10;",
        "IndCMove ROB_1,6,10;\nquiet;\nIndReset ROB_1,6;",
        "CSSActTCP t;",
        "SetLeadThrough\\On;",
        "FCPress1LStart p,v100\\Fx:=100,50,z30,t;",
    ] {
        assert!(is_contradicted(main, "MoveAbsJ j,v100,fine,t;"), "{main}");
    }
    let back = "IndCMove ROB_1,6,10;\nIndReset ROB_1,6;";
    assert!(!is_contradicted(back, "MoveAbsJ j,v100,fine,t;"));
}

/// Regression: a routine that may run as an event routine and leaves modes otherwise was not named.
#[test]
fn modes_that_event_routines_may_leave_are_told() {
    let told = |event: &str, body: &str| -> Vec<String> {
        let event = format!("PROC power()\n{event}\nENDPROC\n");
        let assumed = assumed(&cycle(&event, body), None);
        assert!(assumed.iter().all(|a| !a.contradicted));
        assumed.into_iter().map(|a| a.message).collect()
    };
    let joint = "MoveAbsJ j,v100,fine,t;\nMoveJ p,v100,fine,t;";
    let line = "MoveAbsJ j,v100,fine,t;\nMoveL Offs(p,20,0,0),v100,fine,t;";
    for (event, body, name) in [
        ("ConfJ\\Off;", joint, "CONFJ"),
        ("SingArea\\Wrist;", line, "SINGAREA"),
    ] {
        let [message] = &told(event, body)[..] else {
            panic!("{event} is not told");
        };
        assert!(
            message.contains("`power`") && message.contains(name),
            "{message}"
        );
        let set = format!("ConfJ\\On;\nSingArea\\Off;\n{body}");
        assert_eq!(told(event, &set).len(), 0, "{event}");
    }
    // These change nothing of the moves.
    for (event, body) in [
        ("ConfJ\\Off;", "MoveAbsJ j,v100,fine,t;"),
        ("SingArea\\Wrist;", "MoveAbsJ j,v100,fine,t;"),
        ("SingArea\\Wrist;\nSingArea\\Off;", line),
        ("ConfJ\\On;", joint),
    ] {
        assert_eq!(told(event, body).len(), 0, "{event} {body}");
    }
}
