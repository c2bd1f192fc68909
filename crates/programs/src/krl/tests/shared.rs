//! What called programs and other tasks do to a program that looks straight.

use super::*;
use crate::testing::own_ways;

/// How many ways lead through a program with these others in its file; `None`: something is unknown.
fn known_ways(body: &str, others: &str) -> Option<usize> {
    let found = ways_in(&cell(), &format!("{}\n{others}", set(body)));
    let found = found.unwrap_or_else(|e| panic!("{e}"));
    let unknown = found.iter().any(|way| !way.unknown.is_empty());
    (!unknown).then_some(own_ways(&found))
}

#[test]
fn a_return_behind_a_call_leaves_the_program() {
    let others = "DEF OVER()\nIF $IN[1] THEN\nTELL()\nRETURN\nENDIF\nLIN XP2\nEND\nDEF TELL()\n$OUT[1]=TRUE\nEND\n";
    assert_eq!(known_ways("PTP XP1\nOVER()\nLIN XP1", others), Some(2));
    let others = "DEF OVER()\nIF SHORT() THEN\nRETURN\nENDIF\nLIN XP2\nEND\nDEFFCT BOOL SHORT()\nRETURN $IN[1]\nENDFCT\n";
    assert_eq!(known_ways("PTP XP1\nOVER()\nLIN XP1", others), Some(2));
}

/// Lists of data belong to all tasks of the controller, and so does what is computed of them.
#[test]
fn what_is_computed_of_lists_may_change_too() {
    let others = "DEFFCT BOOL RDY()\nRETURN N==1\nENDFCT\nDEF HAND()\nWAIT FOR N==1\nEND\n";
    // After a wait it is not known, whatever the list says.
    for waits in [
        "IF $IN[1] THEN\nHAND()\nENDIF",
        "HAND()",
        "WAIT FOR N<>1",
        "WHILE N<>1\nWAIT SEC 0.1\nENDWHILE",
        "WHILE NOT RDY()\nWAIT SEC 0.1\nENDWHILE",
        "WHILE RDY()\nWAIT SEC 0.1\nENDWHILE",
        "REPEAT\nWAIT SEC 0.1\nUNTIL RDY()",
    ] {
        let body = format!("PTP XP1\n{waits}\nIF N==1 THEN\nLIN XP2\nENDIF");
        let found = known_ways(&body, others);
        assert!(found.is_some_and(|ways| ways > 1), "{found:?}: {waits}");
    }
}

/// Whether a controller looks again at a bound that changes is not known.
#[test]
fn bounds_that_change_within_their_loop_are_not_known() {
    let loops = |body: &str| format!("FOR M=1 TO N\nLIN XP1\n{body}\nENDFOR");
    let declared = |body: &str| {
        let others = "DEF PICK(A:IN)\nDECL INT A\nA=A+1\nEND\nDEF LEND(A:OUT)\nDECL INT A\nA=A+1\nEND\n\
            DEF OWN()\nDECL INT N\nN=5\nEND\n";
        // What nobody calls here, somebody else may call before.
        let sets = if body == "SETS()" {
            "DEF SETS()\nN=5\nEND\n"
        } else {
            ""
        };
        let text = set(&loops(body)).replace("\n$TOOL", "\nDECL INT M\n$TOOL");
        let text = format!("{text}\n{others}{sets}");
        let found = ways_in(&cell(), &text).unwrap_or_else(|e| panic!("{e}"));
        found[0].unknown.first().map(|why| why.reason.clone())
    };
    assert_eq!(declared("$OUT[1]=TRUE"), None);
    // What is handed by value, and a variable of its own that is called so, are not the bound.
    for body in ["PICK(N)", "OWN()"] {
        assert_eq!(declared(body), None, "{body}");
    }
    for body in ["LEND(N)", "SETS()"] {
        assert!(declared(body).is_some(), "{body}");
    }
    // One variable may have two names, the bound or what is set.
    let handed = |others: &str| {
        let text = format!("{}\n{others}", set("N=3\nPTP XP1\nBOTH(N)"));
        let found = ways_in(&cell(), &text).unwrap_or_else(|e| panic!("{e}"));
        found[0].unknown.first().map(|why| why.reason.clone())
    };
    let both = |bound: &str, body: &str| {
        format!(
            "DEF BOTH(A:OUT)\nDECL INT A,I\nFOR I=1 TO {bound}\n{body}\nENDFOR\nEND\n\
             DEF USED()\nN=N-1\nEND\nDEF ON(B:OUT)\nDECL INT B\nB=B-1\nEND\n\
             DEF OTHER(A:OUT)\nDECL INT A\nA=1\nEND\n"
        )
    };
    for (bound, body) in [
        ("N", "A=A-1"),
        ("A", "N=N-1"),
        ("A", "USED()"),
        ("N", "ON(A)"),
        ("A", "FOR N=1 TO 2\nENDFOR"),
    ] {
        let told = handed(&both(bound, body)).unwrap_or_default();
        assert!(told.contains("changes within it"), "{bound} {body}: {told}");
    }
    for (bound, body) in [
        ("A", "LIN XP1"),
        ("N", "H[1]=A"),
        ("N", "OTHER(I)"),
        ("3", "A=A-1"),
    ] {
        let told = handed(&both(bound, body)).unwrap_or_default();
        assert!(
            !told.contains("changes within it"),
            "{bound} {body}: {told}"
        );
    }
    let told = declared("N=N-1").expect("the bound changes");
    assert!(told.contains("changes within it"), "{told}");
}

/// A program that is checked alone begins in the modes, and with the interrupts, of whoever calls it.
#[test]
fn a_program_alone_begins_as_its_callers_leave_it() {
    let contradicted = |main: &str| {
        let text = format!(
            "DEF a()\n{main}\nSUB1()\nEND\nDEF SUB1()\n$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\nPTP XP1\nLIN XP2\nEND\n\
             DEF ESC()\nBRAKE\nPTP XP2\nEND\nDEF QUIET()\n$OUT[1]=TRUE\nEND\nDEF MOVED()\n$BASE=BASE_DATA[2]\nEND\n"
        );
        let files = [("a.dat", LIST)];
        let reading = read_beside(&cell(), "a.src", text.as_bytes(), &files, Some("sub1"));
        reading.unwrap().assumed.iter().any(|a| a.contradicted)
    };
    assert!(!contradicted("$OUT[2]=TRUE"));
    assert!(contradicted("$ORI_TYPE=#JOINT"));
    assert!(contradicted("$IPO_MODE=#TCP"));
    assert!(!contradicted("$IPO_MODE=#BASE"));
    assert!(contradicted("INTERRUPT DECL 3 WHEN $IN[1] DO ESC()"));
    assert!(!contradicted("INTERRUPT DECL 3 WHEN $IN[1] DO QUIET()"));
    assert!(!contradicted(
        "INTERRUPT DECL 3 WHEN $IN[1] DO $OUT[3]=TRUE"
    ));
    assert!(contradicted("INTERRUPT DECL 3 WHEN $IN[1] DO MOVED()"));
    assert!(contradicted("INTERRUPT DECL 3 WHEN $IN[1] DO XP1=XP2"));
}

/// What a program that calls this one sets is not what the list says.
#[test]
fn what_callers_set_is_not_known_at_a_start() {
    let ways = |first: &str, others: &str| {
        let text = format!(
            "{}\n{others}",
            set(&format!("PTP XP1\n{first}\nIF N==1 THEN\nLIN XP2\nENDIF"))
        );
        let found = ways_in(&cell(), &text).unwrap_or_else(|e| panic!("{e}"));
        let unknown = found.iter().any(|way| !way.unknown.is_empty());
        (!unknown).then_some(own_ways(&found))
    };
    assert_eq!(ways("", ""), Some(1));
    for others in [
        "DEF MAIN1()\nN=2\nEND\n",
        "DEF MAIN1()\nSETS(N)\nEND\nDEF SETS(A:OUT)\nDECL INT A\nA=2\nEND\n",
        "DEF MAIN1()\nFOR N=1 TO 2\nENDFOR\nEND\n",
    ] {
        assert_eq!(ways("", others), Some(2), "{others}");
        assert_eq!(ways("N=1", others), Some(1), "{others}");
    }
    for others in [
        "DEF MAIN1()\nDECL INT N\nN=2\nEND\n",
        "DEF MAIN1()\nREADS(N)\nEND\nDEF READS(A:OUT)\nDECL INT A\nH[1]=A\nEND\n",
        "DEF MAIN1()\nSETS(N)\nEND\nDEF SETS(A:IN)\nDECL INT A\nA=2\nEND\n",
    ] {
        assert_eq!(ways("", others), Some(1), "{others}");
    }
}

/// A routine whose rest only waits and sets outputs may be left early.
#[test]
fn a_return_before_what_only_waits_has_one_way() {
    let others = "DEF GRIP()\nIF $IN[1] THEN\nRETURN\nENDIF\n$OUT[1]=TRUE\nWAIT FOR $IN[2]\nEND\n";
    assert_eq!(known_ways("PTP XP1\nGRIP()\nLIN XP1", others), Some(1));
    let looped = "LOOP\nPTP XP1\nGRIP()\nENDLOOP";
    assert_eq!(
        known_ways(looped, &others.replace("$IN[1]", "N==1")),
        Some(1)
    );
}

/// An interrupt that a caller declares counts as one of the program itself does: routines that are
/// in no file, and variables that are handed to one.
#[test]
fn interrupts_of_callers_are_judged_as_its_own() {
    let contradicted = |runs: &str| {
        let text = format!(
            "DEF a()\nINTERRUPT DECL 3 WHEN $IN[1]==FALSE DO {runs}\nINTERRUPT ON 3\nSUB1()\nEND\n\
             DEF SUB1()\nPTP XP1\nN=1\nIF N==5 THEN\nPTP XP2\nENDIF\nEND\n\
             DEF FAR()\nGO_ASIDE()\nEND\nDEF SETS(B:OUT)\nDECL REAL B\nB=5\nEND\n\
             DEF CHOOSES()\nSWITCH LIFT()\nCASE 1\n$OUT[1]=TRUE\nENDSWITCH\nEND\n\
             DEFFCT INT LIFT()\nPTP XP2\nRETURN 1\nENDFCT\nDEF QUIET()\n$OUT[1]=TRUE\nEND\n"
        );
        let files = [("a.dat", LIST)];
        let reading = read_beside(&cell(), "a.src", text.as_bytes(), &files, Some("sub1"));
        reading.unwrap().assumed.iter().any(|a| a.contradicted)
    };
    for runs in ["RETRACT()", "FAR()", "SETS(N)", "CHOOSES()", "N=5"] {
        assert!(contradicted(runs), "{runs}");
    }
    for runs in ["QUIET()", "SETS(H[1])", "$OUT[3]=TRUE", "H[2]=1"] {
        assert!(!contradicted(runs), "{runs}");
    }
}

/// What a statement that is not followed sets is set all the same.
#[test]
fn what_unread_statements_of_callers_set_is_not_known() {
    let ways = |main: &str| {
        let body = "PTP XP1\nIF N==1 THEN\nLIN XP2\nENDIF";
        known_ways(body, &format!("DEF MAIN1()\n{main}\nEND\n"))
    };
    for main in [
        "ANIN ON N=10.0*$ANIN[1]",
        "DIGIN ON N=2*$DIGIN1+1",
        "TRIGGER WHEN DISTANCE=0 DELAY=0 DO N=2",
        "TRIGGER WHEN DISTANCE=0 DELAY=FAR(1) DO N=2",
        "TRIGGER WHEN DISTANCE=0 DELAY=FAR(N) DO $OUT[1]=TRUE",
        "INTERRUPT DECL 3 WHEN $IN[1] DO N=2",
        "INTERRUPT WITH BRAKE DECL 3 WHEN $IN[1] DO N=2",
        "INTERRUPT DECL 3 WHEN FAR(N) DO $OUT[1]=TRUE",
        "SPLINE\nSPL XP1\nTRIGGER WHEN PATH=0 DELAY=0 DO N=2\nENDSPLINE",
        "SPLINE\nSPL XP1\nTRIGGER WHEN PATH=0 DELAY=0 DO FAR(H[1],N)\nENDSPLINE",
    ] {
        assert_eq!(ways(main), Some(2), "{main}");
    }
    for main in [
        "ANIN ON H[1]=10.0*N",
        "ANIN OFF N",
        "TRIGGER WHEN DISTANCE=N DELAY=0 DO H[1]=2",
        "INTERRUPT WITH BRAKE DECL 3 WHEN N==1 DO H[1]=N",
        "SPLINE\nSPL XP2\nTRIGGER WHEN PATH=N DELAY=0 DO H[1]=2\nENDSPLINE",
    ] {
        assert_eq!(ways(main), Some(1), "{main}");
    }
}

/// What a wait brings is what it is through a copy, a parameter or a function, too.
#[test]
fn a_wait_brings_what_is_asked_for_by_another_name() {
    let list = LIST.replace("ENDDAT", "DECL BOOL GO=FALSE\r\nENDDAT");
    let ways = |body: &str| {
        let others = "DEF RUN(K:IN)\nDECL INT K\nIF K==1 THEN\nLIN XP2\nENDIF\nEND\n\
            DEFFCT INT JOB()\nRETURN N\nENDFCT\n";
        let text = set(&format!("PTP XP1\nWAIT FOR GO\n{body}"));
        let text = format!("{}{others}", text.replace("\n$TOOL", "\nDECL INT M\n$TOOL"));
        let files = [("a.dat", &*list)];
        let found = read_beside(&cell(), "a.src", text.as_bytes(), &files, None)
            .unwrap()
            .ways;
        let unknown = found.iter().any(|way| !way.unknown.is_empty());
        (!unknown).then_some(own_ways(&found))
    };
    for body in [
        "SWITCH N\nCASE 1\nLIN XP2\nENDSWITCH",
        "M=N\nSWITCH M\nCASE 1\nLIN XP2\nENDSWITCH",
        "RUN(N)",
        "IF JOB()==1 THEN\nLIN XP2\nENDIF",
    ] {
        assert_eq!(ways(body), Some(2), "{body}");
    }
    assert_eq!(ways("H[1]=N\nM=2\nRUN(M)"), Some(1));
}
