//! Programs that one controller reads otherwise than another one.

use super::*;
use crate::testing::own_ways;

const SIDE: &str = "CONST jointtarget side:=[[90,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n\
    VAR num n;\nVAR num m;\nVAR robtarget q;\n";

/// How many ways lead through these statements and a choice behind them, and whether all is known.
fn ways_of(data: &str, body: &str, condition: &str) -> usize {
    let body = format!(
        "MoveAbsJ j,v100,fine,t;\n{body}\nIF {condition} THEN\nMoveAbsJ side,v100,fine,t;\nELSE\n\
         MoveAbsJ j,v100,z10,t;\nENDIF\nMoveAbsJ j,v100,fine,t;"
    );
    let found = ways(&module(&format!("{SIDE}{data}"), &body));
    assert!(found.iter().all(|way| way.unknown.is_empty()), "{found:?}");
    own_ways(&found)
}

/// Regression: a loop that only sets `ConfL\Off` came back to where it was, and the line behind it
/// was held to what its target states.
#[test]
fn a_loop_may_let_lines_go() {
    let branches = |first: &str| -> Vec<Branch> {
        let body = format!("{first}MoveL p,v100,fine,t;");
        let found = ways(&module("", &body));
        let moves = found.iter().filter_map(|way| way.moves.first());
        moves.map(|step| pose(&step.target).2.clone()).collect()
    };
    let found = branches("WHILE DInput(di1)=0 DO\nConfL\\Off;\nENDWHILE\n");
    assert!(found.contains(&Branch::Continued), "{found:?}");
    // Behind a first move it says nothing, and rounds stay as they are.
    let way = known(
        "",
        "MoveAbsJ j,v100,fine,t;\nWHILE TRUE DO\nConfL\\Off;\nMoveAbsJ j,v100,fine,t;\nConfL\\On;\nENDWHILE",
    );
    assert!(way.moves.len() <= 3, "{}", way.moves.len());
}

/// Regression: numbers that built-in functions compute, and whole numbers beyond 2^24, were taken for
/// exact.
#[test]
fn what_functions_compute_is_rounded() {
    let start = "q:=[[0.1,0,0],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n";
    let offs = format!("{start}q:=Offs(Offs(q,2.1,0,0),0.8,0,0);");
    for (body, condition) in [
        ("", "Distance([0,0,0],[4.2,5.6,0])>=7"),
        ("", "VectMagn([4.2,5.6,0])>=7"),
        ("", "DotProd([0.1,0,0],[10,0,0])=1"),
        (&offs, "q.trans.x>=3"),
        ("q:=RelTool(p,0,0,100);", "q.trans.z>=500"),
        ("", "Sin(90)=1"),
        ("", "ATan2(1,1)=45"),
        ("n:=4097*4097;\nm:=4096*4098;\nn:=n-m;", "n=1"),
        (
            "n:=0;\nFOR i FROM 0 TO 20 STEP 1.9 DO\nIF i=19 n:=1;\nENDFOR",
            "n=1",
        ),
    ] {
        assert_eq!(ways_of("", body, condition), 2, "{body} {condition}");
    }
    for (body, condition) in [
        ("", "Distance([0,0,0],[3,4,0])>=5"),
        ("q:=Offs(p,10,0,-20);", "q.trans.x=510 AND q.trans.z=580"),
        ("", "Abs(-0.25)=0.25 AND Sqrt(2.25)=1.5"),
        ("", "Cos(0)=1 AND Pow(2,3)=8"),
        ("", "ATan2(0,-1)>0"),
    ] {
        assert_eq!(ways_of("", body, condition), 1, "{body} {condition}");
    }
}

/// Regression: the sign was always taken before `DIV` and `MOD`.
#[test]
fn a_sign_before_a_whole_quotient_is_read_in_two_ways() {
    for condition in ["-n DIV 2=2", "-n MOD 4=1", "-n*3 DIV 2=7"] {
        assert_eq!(ways_of("", "n:=-5;", condition), 2, "{condition}");
    }
    for condition in ["(-n) DIV 2=2", "-(n+7)=-2", "3-n=8", "7 DIV 2-n=8"] {
        assert_eq!(ways_of("", "n:=-5;", condition), 1, "{condition}");
    }
}

/// Regression: functions were asked first, and then the index of what is set.
#[test]
fn what_a_function_sets_beside_what_is_asked_for_is_not_certain() {
    let data = "VAR num a{3}:=[0,0,0];\nVAR num b{3}:=[0,0,0];\nFUNC num f()\nn:=n+1;\nRETURN 5;\nENDFUNC\n\
        FUNC num h(num k)\nVAR num i;\ni:=k;\nRETURN 5;\nENDFUNC\nFUNC num g(INOUT num k)\nk:=k+1;\nRETURN 5;\nENDFUNC\n";
    for (body, condition) in [
        ("n:=1;\na{n}:=f();", "a{2}=5"),
        ("n:=1;\na{n}:=g(n);", "a{2}=5"),
        ("n:=1;\nm:=n+f();", "m=6"),
        ("n:=1;\nm:=f()+n;", "m=7"),
    ] {
        assert_eq!(ways_of(data, body, condition), 2, "{body}");
    }
    for (body, condition) in [
        ("n:=1;\nm:=1;\na{m}:=f();", "a{1}=5"),
        ("n:=1;\na{n}:=h(n);", "a{1}=5"),
        ("n:=1;\nm:=1;\na{m}:=g(n);", "a{1}=5"),
        ("n:=1;\nm:=f();\nm:=m+n;", "m=7"),
    ] {
        assert_eq!(ways_of(data, body, condition), 1, "{body}");
    }
}

/// Regression: what an event routine leaves in a `VAR` was not looked at.
#[test]
fn a_routine_that_nothing_calls_may_run_at_a_start() {
    let ways_of = |others: &str, first: &str| {
        let body = format!(
            "MoveAbsJ j,v100,fine,t;\n{first}IF n=1 MoveAbsJ side,v100,fine,t;\nMoveAbsJ j,v100,fine,t;"
        );
        let found = ways(&cycle(&format!("{SIDE}{others}"), &body));
        assert!(found.iter().all(|way| way.unknown.is_empty()), "{found:?}");
        found.len()
    };
    let sets = "PROC sets()\nn:=1;\nENDPROC\n";
    let calls = "PROC calls()\nsets;\nENDPROC\n";
    assert_eq!(ways_of(sets, ""), 2);
    assert_eq!(ways_of(&format!("{sets}{calls}"), ""), 2);
    assert_eq!(ways_of(sets, "n:=0;\n"), 1);
    // It needs an argument, or sets another variable.
    for others in [
        "PROC sets(num k)\nn:=k;\nENDPROC\n",
        "PROC sets()\nm:=1;\nENDPROC\n",
        "",
    ] {
        assert_eq!(ways_of(others, ""), 1, "{others}");
    }
}

/// Regression: indices, bounds, records and other names of types were not among what a wait brings.
#[test]
fn a_wait_brings_what_chooses_in_any_way() {
    let data = "ALIAS num jobnr;\nRECORD order\nnum nr;\nbool ok;\nENDRECORD\nPERS bool go:=FALSE;\n\
        PERS jobnr job:=0;\nPERS num k:=1;\nPERS order o:=[0,TRUE];\nVAR num a{2}:=[1,2];\n";
    for condition in ["job=1", "o.nr=1", "a{k}=2"] {
        assert_eq!(ways_of(data, "WaitUntil go;", condition), 2, "{condition}");
        assert_eq!(ways_of(data, "", condition), 1, "{condition}");
    }
}

/// Warnings, logs, servo settings and the like are passed over.
#[test]
fn what_only_sets_servos_and_logs_moves_nothing() {
    for line in [
        "CornerPathWarning FALSE;",
        "MotionProcessModeSet OPTIMAL_CYCLE_TIME_MODE;",
        "PathResol 100;",
        "SpyStart \"HOME:/spy.log\";\nSpyStop;",
        "TuneServo MHA160R1,1,110\\Type:=TUNE_KP;\nTuneReset;",
        "SaveCfgData \"HOME:/eio.cfg\",EIO_DOMAIN;",
        "ClearIOBuff ch;",
        "CorrClear;",
    ] {
        let way = known(
            "VAR iodev ch;\n",
            &format!("{line}\nMoveAbsJ j,v100,fine,t;"),
        );
        assert_eq!(way.moves.len(), 1, "{line}");
    }
    let read = "VAR num n:=0;\nVAR num k:=1;\n";
    let asks = "ReadCfgData \"/EIO/a\",\"b\",n;\nIF n=0 THEN\nMoveAbsJ j,v100,fine,t;\nENDIF";
    assert_eq!(ways(&module(read, asks)).len(), 2);
    for line in [
        "HollowWristReset;",
        "WaitSyncTask sync1,tasks;",
        "CorrCon id;",
    ] {
        assert!(reason("", &format!("{line}\nMoveAbsJ j,v100,fine,t;")).contains("is not read"));
    }
}
