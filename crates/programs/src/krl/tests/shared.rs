//! What called programs and other tasks do to a program that looks straight.

use super::*;

/// How many ways lead through a program with these others in its file; `None`: something is unknown.
fn known_ways(body: &str, others: &str) -> Option<usize> {
    let found = ways_in(&cell(), &format!("{}\n{others}", set(body)));
    let found = found.unwrap_or_else(|e| panic!("{e}"));
    let unknown = found.iter().any(|way| !way.unknown.is_empty());
    (!unknown).then_some(found.len())
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
    for body in [
        "WHILE N<>1\nWAIT SEC 0.1\nENDWHILE\nLIN XP2",
        "WHILE NOT RDY()\nWAIT SEC 0.1\nENDWHILE\nLIN XP2",
        "LOOP\nH[1]=N\nSWITCH N\nCASE 1\nLIN XP2\nDEFAULT\nWAIT SEC 0.1\nENDSWITCH\nENDLOOP",
        "LOOP\nSWITCH N\nCASE 1\nLIN XP2\nCASE 3\nWAIT SEC 0.1\nCASE 4\nWAIT SEC 0.2\nENDSWITCH\nENDLOOP",
    ] {
        assert_eq!(
            known_ways(&format!("PTP XP1\n{body}"), others),
            None,
            "{body}"
        );
    }
    let body = "PTP XP1\nIF $IN[1] THEN\nHAND()\nENDIF\nIF N==1 THEN\nLIN XP2\nENDIF";
    let found = known_ways(body, others);
    assert!(found.is_none_or(|ways| ways > 1), "{found:?}");
}

/// Whether a controller looks again at a bound that changes is not known.
#[test]
fn bounds_that_change_within_their_loop_are_not_known() {
    let loops = |body: &str| format!("FOR M=1 TO N\nLIN XP1\n{body}\nENDFOR");
    let declared = |body: &str| {
        let others = "DEF PICK(A:IN)\nDECL INT A\nA=A+1\nEND\nDEF LEND(A:OUT)\nDECL INT A\nA=A+1\nEND\n\
            DEF OWN()\nDECL INT N\nN=5\nEND\nDEF SETS()\nN=5\nEND\n";
        let text = set(&loops(body)).replace("\n$TOOL", "\nDECL INT M\n$TOOL");
        let text = format!("{text}\n{others}");
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
