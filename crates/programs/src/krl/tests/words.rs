//! What programs of makers and of their inline forms write.

use super::*;

#[test]
fn data_of_inline_forms_that_no_file_declares_are_told() {
    let remedy = "declared in no file that was read; data stand in the `.dat` beside the program, or in a `$config.dat`";
    for (body, name) in [
        (
            "PDAT_ACT=PPDAT1\nFDAT_ACT=FLOST\nBAS(#PTP_PARAMS,100)\nPTP XHOME",
            "`FLOST`",
        ),
        (
            "SPTP XHOME WITH $TOOL = STOOL2(FLOST), $BASE = SBASE(FLOST.BASE_NO), $IPO_MODE = SIPO_MODE(FLOST.IPO_FRAME)",
            "`FLOST`",
        ),
        ("SLIN XP1 WITH $ORI_TYPE = SORI_TYP(LLOST)", "`LLOST`"),
        (
            "LIN XP1\n$IPO_MODE=SIPO_MODE(FLOST.IPO_FRAME)\nLIN XP1",
            "`FLOST`",
        ),
    ] {
        let told = reason(body);
        assert!(
            told.contains(name) && told.contains(remedy),
            "{body}: {told}"
        );
        assert!(!told.contains("#TCP"), "{body}: {told}");
    }
    // Of data that are there, what they say counts.
    let told = reason("FDAT_ACT=FTCP\nBAS(#PTP_PARAMS,100)\nPTP XHOME");
    assert!(told.contains("#TCP"), "{told}");
}

/// Regression: post-processors begin programs with these, and they were refused.
#[test]
fn the_first_lines_of_post_processors_are_read() {
    let way = only(&program(
        "FDAT_ACT=FP1\nBAS (#FRAMES)\nPTP $AXIS_ACT ; skip BCO quickly\nPTP XHOME\nSPTP $AXIS_ACT\nLIN XP1",
    ));
    assert_eq!(short(&way), "J[0 -90 90 0 0 0] L(100 700 900)");
    let told = reason("FDAT_ACT=FLOST\nBAS(#FRAMES)\nPTP XP1");
    assert!(told.contains("`FLOST`"), "{told}");
    let told = reason("FDAT_ACT=FTCP\nBAS(#FRAMES)\nPTP XP1");
    assert!(told.contains("#TCP"), "{told}");
    // A move that would be rounded stops there; elsewhere the place counts.
    for body in [
        "LIN XP1 C_DIS\nPTP $AXIS_ACT\nLIN XP2",
        "LIN $AXIS_ACT",
        "PTP_REL $AXIS_ACT",
        "DECL E6AXIS Q\nQ=$AXIS_ACT\nPTP Q",
        "PTP $AXIS_ACT.A1",
    ] {
        let told = reason(body);
        assert!(told.contains("only the controller knows"), "{body}: {told}");
    }
}

#[test]
fn functions_may_answer_lists() {
    let text = set("DECL CHAR T[8]\nT[]=TXT(3)\nLIN XP1")
        + "DEFFCT CHAR[128] TXT(K:IN)\nDECL INT K\nDECL CHAR S[128]\nS[]=\"a\"\nRETURN S[]\nENDFCT\n\
           GLOBAL DEFFCT REAL[3] THREE( )\nDECL REAL R[3]\nR[1]=5\nRETURN R[]\nENDFCT\n\
           DEFFCT REAL[2,2] MATRIX( )\nDECL REAL R[2,2]\nRETURN R[]\nENDFCT\n";
    assert_eq!(only(&text).moves.len(), 1);
}

#[test]
fn arguments_of_what_stands_still_may_be_left_out() {
    let call = "MsgShow(N,\"x\",H[],,,103)\nLIN XP1";
    let mut cell = cell();
    said(&mut cell).still = vec!["MsgShow".into(), "MsgAsk".into()];
    let told = |body: &str| {
        let ways = ways_in(&cell, &set(body)).unwrap_or_else(|e| panic!("{e}"));
        let unknown = ways[0].unknown.first();
        (ways[0].moves.len(), unknown.map(|u| u.reason.clone()))
    };
    assert_eq!(told(call), (1, None));
    assert_eq!(told("N=MsgAsk(N,,\"x\")\nLIN XP1"), (1, None));
    // What it is handed is not known afterwards, and what moves the arm is not passed over.
    let (_, after) = told(&call.replace("LIN XP1", "FOR N=1 TO N\nLIN XP1\nENDFOR"));
    assert!(after.is_some_and(|why| why.contains("how often")));
    for body in [
        "MsgShow(N,lost(),,1)\nLIN XP1",
        "MsgLost(N,,1)\nLIN XP1",
        "sub(1,)\nLIN XP1",
    ] {
        assert!(told(body).1.is_some(), "{body}");
    }
}

/// Functions that say when a trigger comes are judged as what it runs is.
#[test]
fn functions_that_say_when_a_trigger_comes_may_be_still() {
    let body = "TRIGGER WHEN PATH=ArcGetPath(#ON,N) DELAY=ArcGetDelay(#GAS,N) DO ArcMainNG(#GAS,N) PRIO=-1\nLIN XP1";
    for (still, missing) in [
        (vec!["ArcMainNG", "ArcGetPath"], "`ArcGetDelay`"),
        (vec!["ArcMainNG", "ArcGetDelay"], "`ArcGetPath`"),
        (vec!["ArcGet*"], "`ArcMainNG`"),
        (vec!["Arc*"], ""),
    ] {
        let mut cell = cell();
        said(&mut cell).still = still.into_iter().map(Into::into).collect();
        let ways = ways_in(&cell, &set(body)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(ways[0].moves.len(), 1);
        let told: Vec<_> = ways[0].unknown.iter().map(|u| &*u.reason).collect();
        let says = format!("{missing} is in no file that was read; name its file in `files`");
        match missing {
            "" => assert!(told.is_empty(), "{told:?}"),
            _ => assert!(told.len() == 1 && told[0].contains(&says), "{told:?}"),
        }
    }
    // One that is in a file and moves is none that keeps still.
    let moves = "DEFFCT REAL WHEN1()\nLIN XP2\nRETURN 1.0\nENDFCT\n";
    let text = set("TRIGGER WHEN DISTANCE=0 DELAY=WHEN1() DO $OUT[1]=TRUE\nLIN XP1") + moves;
    let ways = ways_in(&cell(), &text).unwrap_or_else(|e| panic!("{e}"));
    assert!(
        ways[0].unknown[0]
            .reason
            .contains("this trigger could move")
    );
}

/// What a routine of the program declares for itself is gone when it comes back, whatever else has
/// that name.
#[test]
fn variables_of_what_an_interrupt_runs_are_its_own() {
    let runs = |declares: &str| {
        let text = set(
            "INTERRUPT DECL 5 WHEN $IN[1] DO BLINK(M)\nN=1\nFOR N=1 TO 2\nLIN XP2\nLIN XP1\nENDFOR",
        );
        let text = text.replace("\n$TOOL", "\nDECL INT M\n$TOOL");
        let blink = format!(
            "DEF BLINK(K:IN)\nDECL INT K{declares}\nFOR N=1 TO 3\n$OUT[1]=TRUE\nENDFOR\nEND\n"
        );
        let ways = ways_in(&cell(), &(text + &blink)).unwrap_or_else(|e| panic!("{e}"));
        ways[0].unknown.is_empty()
    };
    assert!(runs(",N"));
    // Regression: a counter of the program's own loop was none of what it depends on.
    assert!(!runs(""));
}

/// A call may leave out arguments: the parameters then hold nothing.
#[test]
fn arguments_may_be_left_out() {
    let spot = "DEF USERSPOT(CMD:IN,S:IN)\nDECL INT CMD,S\nIF CMD==1 THEN\n$OUT[1]=TRUE\nELSE\nLIN XP2\n\
        IF S==1 THEN\nLIN XP1\nENDIF\nENDIF\nEND\n";
    let ways = |call: &str| {
        let ways = ways_in(&cell(), &(set(&format!("{call}\nLIN XP1")) + spot));
        let ways = ways.unwrap_or_else(|e| panic!("{e}"));
        let known = ways.iter().all(|way| way.unknown.is_empty());
        known.then_some(ways.len())
    };
    assert_eq!(ways("USERSPOT(1)"), Some(1));
    assert_eq!(ways("USERSPOT(2)"), Some(2));
    assert_eq!(ways("USERSPOT(2,)"), Some(2));
    assert_eq!(ways("USERSPOT(2,1)"), Some(1));
    assert_eq!(ways("USERSPOT(1,2,3)"), None);
}

/// The controller's own handler of a stop may be among the files: the arm stands by then.
#[test]
fn the_handler_of_a_stop_only_stops() {
    let unknown = |more: &str| {
        let text =
            set("INTERRUPT DECL 3 WHEN $STOPMESS==TRUE DO IR_STOPM()\nINTERRUPT ON 3\nLIN XP1");
        let handler = format!(
            "DEF IR_STOPM()\nINTERRUPT OFF 3\nIF $STOPMESS==TRUE THEN\nBRAKE\nP00(#EXT_ERR,#PGNO_GET)\n\
             REPEAT\nHALT\nUNTIL $STOPMESS==FALSE\n{more}\nENDIF\nINTERRUPT ON 3\nEND\n"
        );
        let ways = ways_in(&cell(), &(text + &handler)).unwrap_or_else(|e| panic!("{e}"));
        !ways[0].unknown.is_empty()
    };
    assert!(!unknown(""));
    for more in [
        "LIN XP2",
        "RESUME",
        "BAS(#TOOL,1)",
        "$BASE=$NULLFRAME",
        "RSI_ON()",
    ] {
        assert!(unknown(more), "{more}");
    }
}

/// A program that is handed something may be checked alone: what that is is not known.
#[test]
fn a_program_with_parameters_may_be_checked_alone() {
    let ways = |direction: &str| {
        let text =
            set("IF M==1 THEN\nLIN XP2\nENDIF\nLIN XP1").replace("\n$TOOL", "\nDECL INT M\n$TOOL");
        let text = text.replace("DEF a( )", &format!("DEF a(M{direction})"));
        ways_in(&cell(), &text).unwrap_or_else(|e| panic!("{e}"))
    };
    let found = ways(":IN");
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|way| way.unknown.is_empty()), "{found:?}");
    let found = ways(":OUT");
    assert!(
        found[0].unknown[0]
            .reason
            .contains("check the program that calls it"),
        "{found:?}"
    );
}
