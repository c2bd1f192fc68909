//! Statements and values that are valid, and were refused or not known.

use super::*;

/// The first axis of the only move.
fn axis(body: &str) -> f64 {
    let way = known(&format!(
        "N=3\n{body}\nPTP {{A1 N,A2 0,A3 0,A4 0,A5 0,A6 0}}"
    ));
    match &way.moves[0].target {
        Target::Joints(joints) => joints[0].to_degrees().round(),
        Target::Pose { .. } => panic!("joint values are needed"),
    }
}

fn not_known(body: &str) -> String {
    reason(&format!("{body}\nPTP {{A1 N,A2 0,A3 0,A4 0,A5 0,A6 0}}"))
}

#[test]
fn bits_of_whole_numbers_are_computed() {
    for (value, right) in [
        ("B_NOT 10", -11.0),
        ("B_NOT -11", 10.0),
        ("B_NOT 'HF'", -16.0),
        ("B_NOT 10+1", -10.0),
        ("B_NOT (N+7)", -11.0),
        ("5 B_AND 3", 1.0),
        ("5 B_OR 3", 7.0),
        ("5 B_EXOR 3", 6.0),
        ("-2 B_AND 7", 6.0),
        ("N+4 B_AND 3+1", 4.0),
        ("31 B_AND 15 B_AND 6", 6.0),
        ("(12 B_OR 3) B_AND 6", 6.0),
        // The result is a whole number, and so is its half.
        ("(N B_AND 3)/2", 1.0),
    ] {
        assert_eq!(axis(&format!("N={value}")), right, "{value}");
    }
    let way = known("N=3\nIF (N B_AND 1)==1 THEN\nLIN XP1\nENDIF");
    assert_eq!(way.moves.len(), 1);
    for (value, says) in [
        ("5 B_AND 3 B_OR 8", "a mixture of B_AND"),
        ("5 B_OR 3 B_AND 8", "a mixture of B_AND"),
        ("5.5 B_AND 3", "whole numbers of 32 bits"),
        ("5.0 B_AND 3", "whole numbers of 32 bits"),
        ("H[1] B_AND 3", "whole numbers of 32 bits"),
        ("B_NOT 'HFFFFFFFF'", "whole number beyond 32 bits"),
        ("B_NOT TRUE", "whole numbers of 32 bits"),
        ("$ANIN[1] B_AND 3", "only the controller knows"),
    ] {
        let told = not_known(&format!("N={value}"));
        assert!(told.contains(says), "{value}: {told}");
    }
    let text = set("N=B_NOT\nLIN XP1");
    assert!(ways_in(&cell(), &text).is_err());
}

#[test]
fn messages_that_are_confirmed_and_errors_that_are_cleared_move_nothing() {
    for body in ["CONFIRM 5", "CONFIRM N", "CONFIRM (5)", "ERR_CLEAR($ERR)"] {
        assert_eq!(known(&format!("{body}\nLIN XP1")).moves.len(), 1, "{body}");
    }
    let told = not_known("ERR_CLEAR(N)");
    assert!(told.contains("only the controller knows"), "{told}");
    let told = reason("CONFIRM lost()\nLIN XP1");
    assert!(told.contains("a function in which message"), "{told}");
    // What raises an error leads elsewhere.
    let told = reason("ERR_RAISE(N)\nLIN XP1");
    assert!(told.contains("is in no file"), "{told}");
    // These words are names where they are set.
    let way = known("INT ASYSTOP,CONFIRM,DIGIN\nASYSTOP=1\nCONFIRM=2\nDIGIN=3\nLIN XP1");
    assert_eq!(way.moves.len(), 1);
}

#[test]
fn interrupts_that_set_a_variable_are_told() {
    for condition in ["$IN[1]", "$IN[1]==TRUE"] {
        let told = not_known(&format!(
            "GLOBAL INTERRUPT DECL 10 WHEN {condition} DO N=5\nINTERRUPT ON 10"
        ));
        assert!(told.contains("an interrupt sets `N`"), "{told}");
    }
    for (set, says) in [
        ("H[2]=5", "an interrupt sets `H`"),
        ("$BASE=BASE_DATA[2]", "an interrupt sets `$BASE`"),
        ("N=lost()", "a function in what an interrupt sets"),
        ("H[lost()]=1", "a function in what an interrupt sets"),
    ] {
        let told = reason(&format!("INTERRUPT DECL 10 WHEN $IN[1] DO {set}\nLIN XP1"));
        assert!(told.contains(says), "{set}: {told}");
    }
    let way = known("INTERRUPT DECL 10 WHEN $IN[1] DO $OUT[3]=TRUE\nINTERRUPT ON 10\nLIN XP1");
    assert_eq!(way.moves.len(), 1);
    // From then on it is not what it was.
    let ways = ways_in(
        &cell(),
        &set("INTERRUPT DECL 10 WHEN $IN[1] DO N=5\nIF N==3 THEN\nLIN XP1\nENDIF"),
    )
    .unwrap();
    assert_eq!(ways.len(), 2);
}

#[test]
fn the_type_of_a_function_is_the_one_that_is_declared() {
    let half = |kind: &str| {
        set("LIN {X F(7)/2,Y 0,Z 0,A 0,B 0,C 0}")
            + &format!("DEFFCT {kind} F(x :IN)\nINT x\nRETURN x\nENDFCT\n")
    };
    assert_eq!(short(&only(&half("REAL"))), "L(3.5 0 0)");
    assert_eq!(short(&only(&half("INT"))), "L(3 0 0)");
}

#[test]
fn elements_of_lists_in_structures_are_held() {
    let types =
        "STRUC IN2 REAL V[2,2]\nSTRUC ST2 INT A,B, REAL RR[3], IN2 W, CHAR T[8]\nDECL ST2 S[2],U\n";
    let move_to = |x: &str| format!("LIN {{X {x},Y 0,Z 0,A 0,B 0,C 0}}");
    for (body, x, right) in [
        ("S[2].RR[3]=2.5", "S[2].RR[3]", "L(2.5 0 0)"),
        ("S[2].RR[3]=7\nS[2].RR[1]=1", "S[2].RR[3]/2", "L(3.5 0 0)"),
        ("S[1].W.V[1,2]=4", "S[1].W.V[1,2]", "L(4 0 0)"),
        ("U={A 1,B 2}\nU.RR[2]=6", "U.RR[2]", "L(6 0 0)"),
        ("U.RR[2]=6\nS[1]=U", "S[1].RR[2]", "L(6 0 0)"),
        ("U.T[]=\"abc\"\nU.RR[1]=1", "U.RR[1]", "L(1 0 0)"),
    ] {
        let way = known(&format!("{types}{body}\n{}", move_to(x)));
        assert_eq!(short(&way), right, "{body}");
    }
    for (body, x, says) in [
        (
            "S[2].RR[3]=2.5",
            "S[2].RR[2]",
            "nothing has been stated for RR",
        ),
        (
            "S[2].RR[3]=2.5",
            "S[1].RR[3]",
            "nothing has been stated for RR",
        ),
        (
            "U.RR[2]=6\nU={A 1,B 2}",
            "U.RR[2]",
            "the last assignment states nothing for RR",
        ),
        ("U.RR[$ANIN[1]]=6\n", "U.RR[2]", "only the controller knows"),
        ("U.RR[4]=6", "U.RR[1]", "element 4 of a list of 3"),
    ] {
        let told = reason(&format!("{types}{body}\n{}", move_to(x)));
        assert!(told.contains(says), "{body}: {told}");
    }
    // Neither structures within themselves nor long lists fill the memory.
    for types in [
        "STRUC ME REAL V[2], ME M, ME N\nDECL ME U\n",
        "STRUC ME REAL V[1000000],W[1000000],X[1000000]\nDECL ME U\n",
        "STRUC ME REAL V[N]\nDECL ME U\n",
    ] {
        reason(&format!("{types}{}", move_to("U.W[1]").replace('W', "V")));
    }
}

/// A loop that waits at a point comes back to where it was.
#[test]
fn a_loop_that_waits_at_a_point_with_a_zone_comes_back() {
    let axes = |a1: &str| format!("PTP {{A1 {a1},A2 -90,A3 90,A4 0,A5 5,A6 0}}");
    let (home, at) = (axes("0"), axes("30"));
    let body = format!("{home}\nWHILE $IN[1]==FALSE\n{at} C_PTP\nENDWHILE\n{home}");
    let found = ways_in(&cell(), &set(&body)).unwrap_or_else(|e| panic!("{e}"));
    assert!(found.iter().all(|way| way.unknown.is_empty()));
    assert!((2..5).contains(&found.len()), "{}", found.len());
}
