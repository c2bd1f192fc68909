//! Variables that only choose what is shown, set or waited for, and those that choose more.

use super::*;

const SIDE: &str = "CONST jointtarget side:=[[90,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n";

/// All ways through a `main` of these statements behind a move.
fn rounds(data: &str, body: &str) -> Vec<MoveProgram> {
    let body = format!("MoveAbsJ j,v100,fine,t;\n{body}");
    ways(&cycle(&format!("{SIDE}{data}"), &body))
}

/// A count of parts is followed for as many rounds as it takes to come back, if anything depends on
/// it. Catches rounds that are followed for what is only shown.
#[test]
fn a_count_that_only_shows_something_does_not_lengthen_the_motion() {
    let data = "PERS num n:=17;\nPERS num all:=5;\nVAR num half:=0;\n\
                PROC full()\nSetDO do1,1;\nWaitDI di1,1;\nSetDO do1,0;\nn:=0;\nENDPROC\n";
    for choice in [
        "IF n>=1000 THEN\nSetDO do1,1;\nWaitDI di1,1;\nSetDO do1,0;\nn:=0;\nENDIF",
        "IF n>=1000 full;",
        "IF di2=1 THEN\nIF n>=1000 THEN\nfull;\nELSE\nTPWrite \"n\"\\Num:=n;\nENDIF\nENDIF",
        "TEST n\nCASE 10,20:\nTPWrite \"some\";\nCASE 1000:\nfull;\nDEFAULT:\nhalf:=n/2;\nENDTEST",
    ] {
        let body = format!("MoveAbsJ side,v100,fine,t;\nn:=n+1;\nIncr all;\n{choice}");
        let found = rounds(data, &body);
        assert_eq!(found.len(), 1, "{choice}");
        let way = &found[0];
        assert!(way.unknown.is_empty(), "{choice}: {:?}", way.unknown);
        let (j, side) = ("J[10 -20 30 40 50 60]", "J[90 0 0 0 90 0]");
        assert_eq!(short(way), format!("{j} {side} {j}"), "{choice}");
    }
}

/// Where what is chosen moves, leads elsewhere or changes what counts, the count is followed: the
/// arm goes aside in the third round. Catches a choice that is taken for one of signals.
#[test]
fn a_count_that_chooses_a_way_is_followed() {
    let data = |routine: &str| {
        format!("VAR num n:=0;\nVAR num k:=0;\nVAR num l:=0;\nPROC lift()\n{routine}\nENDPROC\n")
    };
    let aside = "MoveAbsJ side,v100,fine,t;";
    for (routine, choice) in [
        ("", format!("IF n>=3 THEN\nn:=0;\n{aside}\nENDIF")),
        (aside, "IF n>=3 THEN\nn:=0;\nlift;\nENDIF".to_owned()),
        ("", format!("IF n>=3 k:=1;\nIF k=1 {aside}")),
        ("", format!("IF n>=3 l:=1;\nk:=2*l;\nIF k=2 {aside}")),
        ("k:=1;", format!("IF n>=3 lift;\nIF k=1 {aside}")),
        (
            "",
            format!("TEST n\nCASE 3:\nIncr k;\nENDTEST\nIF k=1 {aside}\nIF k>1 k:=1;"),
        ),
        ("", format!("IF n<3 GOTO on;\n{aside}\non:")),
        (&format!("IF n<3 RETURN;\n{aside}"), "lift;".to_owned()),
        (
            &format!("IF n<3 THEN\nTPWrite \"x\";\nRETURN;\nENDIF\n{aside}"),
            "lift;".to_owned(),
        ),
    ] {
        let found = rounds(&data(routine), &format!("n:=n+1;\nIF n>5 n:=0;\n{choice}"));
        let goes_aside = |way: &MoveProgram| short(way).contains("J[90 0 0 0 90 0]");
        let known = found.iter().all(|way| way.unknown.is_empty());
        assert!(
            known && found.iter().any(goes_aside),
            "{routine} | {choice}"
        );
    }
}

/// A variable of a module that is always set before it is read is none that one round hands to the
/// next: where answers are open, it does not make more ways.
#[test]
fn what_is_set_before_it_is_read_does_not_multiply_ways() {
    let choice = "MoveAbsJ j,v100,fine,t;\nn:=GInput(gi1);\nIF n=1 THEN\nMoveAbsJ side,v100,fine,t;\n\
                  ELSEIF n=2 THEN\nMoveL p,v100,fine,t;\nENDIF\nMoveAbsJ j,v100,fine,t;";
    let count = |data: &str, body: &str| {
        let found = rounds(data, body);
        assert!(found.iter().all(|way| way.unknown.is_empty()), "{data}");
        found.len()
    };
    let within = format!("PROC go()\nVAR num n;\n{choice}\nENDPROC\n");
    let within = count(&within, "go;");
    let data = "VAR num n:=0;\n";
    assert_eq!(count(data, choice), within);
    // In a routine that is called, which comes back in two ways.
    let routine = |choice: &str| {
        format!(
            "{data}PROC ask()\nIF di3=1 THEN\nn:=1;\nRETURN;\nENDIF\nn:=GInput(gi1);\nENDPROC\n\
                 PROC go()\n{choice}\nENDPROC\n"
        )
    };
    let called = choice.replace("n:=GInput(gi1);", "ask;");
    let local = "PROC go()\nVAR num n;\nIF di3=1 THEN\nn:=1;\nELSE\nn:=GInput(gi1);\nENDIF\n";
    let local = format!(
        "{local}{}\nENDPROC\n",
        choice.replace("n:=GInput(gi1);", "")
    );
    assert_eq!(count(&routine(&called), "go;"), count(&local, "go;"));
}

/// One that may be read before it is set hands on from one round to the next: the arm goes aside in
/// the round behind the one that says so. Catches what counts as set on one way only.
#[test]
fn what_may_be_read_first_is_handed_to_the_next_round() {
    let data = "VAR num n:=0;\nPROC set()\nIF di2=1 RETURN;\nn:=0;\nENDPROC\n\
                PROC own()\nVAR num n;\nn:=0;\nENDPROC\nVAR num list{2}:=[0,0];\n";
    let aside = "IF n=1 MoveAbsJ side,v100,fine,t;\n";
    let last = "MoveAbsJ j,v100,fine,t;\nn:=0;\nIF di1=1 n:=1;";
    for first in [
        "",
        "IF di2=1 n:=0;\n",
        "IF di2=1 THEN\nn:=0;\nELSEIF di3=1 THEN\nn:=0;\nENDIF\n",
        "TEST GInput(gi1)\nCASE 1:\nn:=0;\nENDTEST\n",
        "WHILE di2=1 DO\nn:=0;\nENDWHILE\n",
        "FOR i FROM 1 TO GInput(gi1) DO\nn:=0;\nENDFOR\n",
        "set;\n",
        "own;\n",
    ] {
        let found = rounds(data, &format!("{first}{aside}{last}"));
        let goes_aside = |way: &MoveProgram| short(way).contains("J[90 0 0 0 90 0]");
        let told = found.iter().any(|way| !way.unknown.is_empty());
        assert!(told || found.iter().any(goes_aside), "{first}");
    }
}

/// A variable of its own that a routine sets is none of the module's that it calls another one to
/// read. Catches the caller's own name that counts as set in the routine that is called.
#[test]
fn a_variable_of_a_caller_is_not_that_of_the_module() {
    for own in ["PROC a()\nVAR num x;", "PROC a(\\num x)"] {
        let data = format!(
            "VAR num x:=0;\nVAR num f:=0;\n{own}\nx:=5;\nIF di2=1 THEN\nf:=1;\nb;\nENDIF\nENDPROC\n\
             PROC b()\nIF x=1 MoveAbsJ side,v100,fine,t;\nENDPROC\n"
        );
        let found = rounds(&data, "f:=0;\na;\nIF f=0 THEN\nx:=1;\nELSE\nx:=0;\nENDIF");
        let goes_aside = |way: &MoveProgram| short(way).contains("J[90 0 0 0 90 0]");
        let told = found.iter().any(|way| !way.unknown.is_empty());
        assert!(told || found.iter().any(goes_aside), "{own} {found:?}");
    }
}
