//! Ways that join.

use super::*;
use crate::block::testing::steps_in;
use crate::{Bounds, Reading, testing};

const POINTS: &str = "CONST jointtarget a:=[[-60,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n\
    CONST jointtarget b:=[[60,0,0,0,90,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n\
    VAR num m;\nVAR num n;\nVAR num list{2};\nVAR num k;\nPERS bool kept:=FALSE;\nPERS num count:=1;\n\
    VAR tooldata tool;\nVAR wobjdata object;\n\
    VAR speeddata speed:=[100,500,5000,1000];\n\
    VAR zonedata zone:=[FALSE,10,10,10,1,10,1];\n\
    CONST zonedata turning:=[FALSE,10,40,40,4,40,4];\n";

/// A program with these routines beside it, of which so many ways are followed to their ends.
fn reading(text: &str, whole_ways: usize) -> Reading {
    let bounds = Bounds {
        whole_ways,
        ..Bounds::default()
    };
    let read = testing::read_beside(&arm("rapid"), "a.mod", text.as_bytes(), &[], None, bounds);
    read.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn work(body: &str, routines: &str) -> String {
    module(POINTS, body).replace("ENDMODULE", &format!("{routines}\nENDMODULE"))
}

/// The ways of a program that has nothing unknown.
fn known_ways(reading: Reading) -> Vec<MoveProgram> {
    for way in &reading.ways {
        assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    }
    reading.ways
}

/// What one way has just set, something else may have set since on another one that comes to the
/// same place with the same value.
#[test]
fn a_way_that_has_just_set_a_value_is_not_joined_by_one_that_has_not() {
    let set_again = "count:=0;\nMoveAbsJ a,v100,fine,t;\nIF di1=1 count:=0;\n\
                     IF count=5 MoveAbsJ b,v100,fine,t;\nMoveL p,v100,fine,t;";
    for whole_ways in [64, 0] {
        let ways = reading(&work(set_again, ""), whole_ways).ways;
        let goes = |way: &MoveProgram| way.moves.iter().any(|step| step.label == "b");
        assert!(ways.iter().any(goes), "{whole_ways}: {ways:?}");
    }
}

/// Programs with more ways than are followed whole.
#[test]
fn many_conditions_one_after_another_have_few_ways() {
    let visit = |k: usize| {
        format!(
            "IF di{k}=1 THEN\nMoveAbsJ b,v100,z10,t;\nMoveL p,v100,fine,t;\nMoveAbsJ b,v100,z10,t;\nMoveAbsJ a,v100,fine,t;\nENDIF\n"
        )
    };
    let visits = |count: usize| -> String { (1..=count).map(visit).collect() };
    let home = "MoveAbsJ a,v100,fine,t;\n";
    let seven = format!("{home}WHILE TRUE DO\n{}ENDWHILE", visits(7));
    let twenty = format!("{home}WHILE TRUE DO\n{}ENDWHILE", visits(20));
    let checks: String = (1..=7)
        .map(|k| format!("IF di{k}=0 THEN\nMoveAbsJ a,v100,fine,t;\nStop;\nENDIF\n"))
        .collect();
    let checks = format!("{home}MoveAbsJ b,v100,fine,t;\n{checks}MoveL p,v100,fine,t;");
    let sensor = "IF di9=0 THEN\nMoveAbsJ a,v100,fine,t;\nENDIF\n";
    let eight: String = (1..=8)
        .map(|k| {
            format!(
                "MoveJ Offs(p,0,{k},0),v100,z10,t;\nMoveL Offs(p,0,{k},9),v100,fine,t;\n{sensor}"
            )
        })
        .collect();
    let eight = format!("{home}WHILE TRUE DO\n{eight}ENDWHILE");
    let guard =
        "PROC guard()\nIF di1=0 THEN\nMoveAbsJ a,v100,fine,t;\nWaitDI di1,1;\nENDIF\nENDPROC";
    let guarded: String = (1..=20)
        .map(|k| format!("guard;\nMoveJ Offs(p,0,{k},0),v100,z10,t;\n"))
        .collect();
    let pallet = "k:=1;\nWHILE TRUE DO\nMoveAbsJ a,v100,fine,t;\nTEST m\nCASE 1:\nMoveL p,v100,fine,t;\nCASE 2:\n\
                  MoveL r,v100,fine,t;\nDEFAULT:\nMoveAbsJ b,v100,fine,t;\nENDTEST\n\
                  m:=GInput(gi1);\nIF di1=1 THEN\nMoveJ Offs(p,0,10*k,0),v100,fine,t;\nk:=k+1;\nIF k>6 THEN\nk:=1;\nENDIF\nENDIF\nENDWHILE";
    for (body, routines) in [
        (&*seven, ""),
        (&twenty, ""),
        (&checks, ""),
        (&eight, ""),
        (&guarded, guard),
        (pallet, ""),
    ] {
        let found = reading(&work(body, routines), 64);
        assert!(
            found.join && found.ways.len() <= 128,
            "{}\n{body}",
            found.ways.len()
        );
        known_ways(found);
        // As `main`, which starts anew.
        let text = work(body, routines).replace("PROC work()", "PROC main()");
        known_ways(reading(&text, 64));
    }
}

/// Few ways are followed to their ends.
#[test]
fn few_ways_do_not_join() {
    let body = "MoveAbsJ a,v100,fine,t;\nIF di1=1 THEN\nMoveL p,v100,fine,t;\nMoveAbsJ a,v100,fine,t;\nENDIF\n\
                IF di2=1 THEN\nMoveAbsJ b,v100,fine,t;\nENDIF\nMoveL p,v100,fine,t;";
    let text = work(body, "");
    let (whole, joined) = (reading(&text, 64), reading(&text, 0));
    assert_eq!((whole.ways.len(), whole.join), (4, false));
    assert_eq!((joined.ways.len(), joined.join), (2, true));
    assert_eq!(steps_in(&whole.ways), steps_in(&joined.ways));
}

/// All that the rest of a way depends on tells ways apart. Behind each of these conditions everything
/// else is the same.
#[test]
fn ways_that_differ_do_not_join() {
    let meet = "IF di2=1 THEN\nMoveAbsJ b,v100,fine,t;\nENDIF\nMoveAbsJ a,v100,fine,t;\nIF di3=1 THEN\nMoveAbsJ b,v100,fine,t;\nENDIF\n";
    let put = format!("PROC put(num x)\nm:=0;\n{meet}MoveL Offs(p,0,0,x),v100,fine,t;\nENDPROC");
    let fill = format!("PROC fill(INOUT num x)\nk:=1;\n{meet}x:=50;\nENDPROC");
    let copy = format!(
        "PROC copy(num x)\nVAR num y:=x;\nx:=0;\nm:=0;\n{meet}MoveL Offs(p,0,0,y),v100,fine,t;\nENDPROC"
    );
    let fixed = format!(
        "PROC fixed()\nCONST num y:=m;\nm:=0;\n{meet}MoveL Offs(p,0,0,y),v100,fine,t;\nENDPROC"
    );
    let twice = format!("PROC twice()\n{meet}ENDPROC");
    for (body, routines) in [
        // A variable of a module, and one of the routine.
        (
            "m:=0;\nIF di1=1 m:=50;\nMEETMoveL Offs(p,0,0,m),v100,fine,t;",
            "",
        ),
        // What a routine was handed, and what it made of it.
        ("m:=0;\nIF di1=1 m:=50;\nput m;", &*put),
        ("m:=0;\nIF di1=1 m:=50;\ncopy m;", &copy),
        ("m:=0;\nIF di1=1 m:=50;\nfixed;", &fixed),
        // The element that a routine sets.
        (
            "list:=[0,0];\nk:=1;\nIF di1=1 k:=2;\nfill list{k};\nMoveL Offs(p,0,list{1},list{2}),v100,fine,t;",
            &fill,
        ),
        // From where a routine was called.
        (
            "IF di1=1 THEN\ntwice;\nMoveL p,v100,fine,t;\nELSE\ntwice;\nMoveL r,v100,fine,t;\nENDIF",
            &twice,
        ),
        // The round of a loop, its last one, its step, and what its counter hides.
        ("FOR i FROM 1 TO 3 DO\nMEETENDFOR\nMoveL p,v100,fine,t;", ""),
        (
            "m:=1;\nIF di1=1 m:=2;\nFOR i FROM 1 TO m DO\nm:=0;\nMEETMoveL Offs(p,0,i,0),v100,fine,t;\nENDFOR\nMoveL r,v100,fine,t;",
            "",
        ),
        (
            "m:=1;\nIF di1=1 m:=2;\nFOR i FROM 1 TO 3 STEP m DO\nm:=0;\nMEETMoveL Offs(p,0,i,0),v100,fine,t;\nENDFOR\nMoveL r,v100,fine,t;",
            "",
        ),
        (
            "m:=0;\nIF di1=1 m:=50;\nFOR m FROM 1 TO 2 DO\nMEETENDFOR\nMoveL Offs(p,0,0,m),v100,fine,t;",
            "",
        ),
        (
            "VAR num q:=0;\nIF di1=1 q:=50;\nFOR q FROM 1 TO 2 DO\nMEETENDFOR\nMoveL Offs(p,0,0,q),v100,fine,t;",
            "",
        ),
        // Modes, speeds, and how the arm came there.
        (
            "MoveAbsJ a,v100,fine,t;\nIF di1=1 THEN\nMoveL r,v100,fine,t;\nELSE\nMoveL p,v100,fine,t;\nENDIF\n\
          FOR i FROM 1 TO 300 DO\nMoveL Offs(p,0,i,0),v100,fine,t;\nENDFOR\nIF di2=1 THEN\nMoveL r,v100,fine,t;\nENDIF\nMoveL p,v100,fine,t;",
            "",
        ),
        ("IF di1=1 ConfJ\\Off;\nMEETMoveJ r,v100,fine,t;", ""),
        (
            "speed:=v100;\nIF di1=1 speed.v_tcp:=200;\nMEETMoveL p,speed,fine,t;",
            "",
        ),
        (
            "MoveAbsJ a,v100,fine,t;\nIF di1=1 THEN\nMoveAbsJ b,v100,fine,t;\nENDIF\nMoveL p,v100,z50,t;\nIF di2=1 SetDO do1,1;\n\
          IF di3=1 THEN\nMoveL r,v100,fine,t;\nENDIF\nMoveL Offs(p,0,0,9),v100,fine,t;",
            "",
        ),
        // A tool and a frame.
        (
            "tool:=t;\nIF di1=1 tool.tframe.trans.z:=80;\nMEETMoveL p,v100,fine,tool;",
            "",
        ),
        (
            "object:=w;\nIF di1=1 object.uframe.trans.z:=80;\nMEETMoveL p,v100,fine,t\\WObj:=object;",
            "",
        ),
    ] {
        let text = work(&body.replace("MEET", meet), routines);
        let (whole, joined) = (reading(&text, 5_000), reading(&text, 0));
        let whole = known_ways(whole);
        assert!(whole.len() > 3, "{text}");
        assert_eq!(steps_in(&whole), steps_in(&known_ways(joined)), "{text}");
    }
}

/// What a zone lets the orientation lead by counts on the way that goes on out of it.
#[test]
fn the_lead_of_a_zone_counts_on_the_way_that_goes_on() {
    // Both zones are of one radius, so that ways join in them.
    let to = "MoveAbsJ a,v100,fine,t;\nMoveL p,v100,zone,t;\nzone:=turning;\n\
              IF di2=1 SetDO do1,1;\nIF di3=1 THEN\nMoveAbsJ b,v100,fine,t;\nENDIF\nMoveL r,v100,fine,t;";
    let plain = "zone:=[FALSE,40,40,40,4,40,4];\n";
    for aside in ["", "MoveAbsJ b,v100,fine,t;\n"] {
        let text = format!("IF di1=1 THEN\n{plain}ELSE\n{aside}zone:=turning;\nENDIF\n{to}");
        let whole = reading(&work(&text, ""), 64);
        let most = whole
            .ways
            .iter()
            .map(|way| way.turn_lead)
            .fold(0.0, f64::max);
        assert_eq!(most, 0.375);
        let joined = reading(&work(&text, ""), 0);
        assert!(joined.ways.iter().all(|way| way.turn_lead == most));
        assert_eq!(steps_in(&whole.ways), steps_in(&joined.ways));
    }
}

/// What is asked of a `PERS` since two ways parted is asked by the one alone: a loop that goes there,
/// and asks for what never changes, is followed as a whole.
#[test]
fn ways_that_have_asked_since_they_parted_do_not_join() {
    let body = |asks: &str| {
        format!(
            "WHILE TRUE DO\nMoveAbsJ a,v100,fine,t;\nIF di3=1 THEN\nMoveAbsJ b,v100,fine,t;\nENDIF\n\
             IF di1=1 GOTO l1;\nFOR k FROM 1 TO {asks} DO\nMoveL r,v100,fine,t;\nENDFOR\nIF di2=1 EXIT;\nl1:\nMoveL p,v100,fine,t;\nENDWHILE"
        )
    };
    for (asks, told) in [("count", true), ("m", false)] {
        let text = work(&format!("m:=2;\n{}", body(asks)), "");
        for whole_ways in [5_000, 0] {
            let ways = reading(&text, whole_ways).ways;
            let mut reasons = ways.iter().flat_map(|way| &way.unknown);
            let has = reasons.any(|u| u.reason.contains("no end"));
            assert_eq!(has, told, "{asks} {whole_ways}: {ways:?}");
        }
    }
}

/// `main` starts anew in the state in which it has ended.
#[test]
fn rounds_of_main_join() {
    let visit =
        |k: usize| format!("IF di{k}=1 THEN\nMoveL Offs(p,0,10*m,{k}),v100,z10,t;\nENDIF\n");
    let visits: String = (1..=4).map(visit).collect();
    for body in [
        format!("MoveAbsJ a,v100,fine,t;\n{visits}"),
        format!(
            "IF m=0 THEN\nMoveAbsJ b,v100,fine,t;\nENDIF\nm:=0;\nIF di9=1 m:=1;\n{visits}MoveAbsJ a,v100,fine,t;\n"
        ),
    ] {
        let text = cycle(POINTS, &body);
        let (whole, joined) = (reading(&text, 5_000), reading(&text, 0));
        let (whole, joined) = (known_ways(whole), known_ways(joined));
        assert_eq!(steps_in(&whole), steps_in(&joined), "{text}");
    }
    // By the file a `PERS` has the same answer in each round: both are followed.
    let text = cycle(
        POINTS,
        &format!("MoveAbsJ a,v100,fine,t;\nIF kept THEN\nMoveAbsJ b,v100,fine,t;\nENDIF\n{visits}"),
    );
    for whole_ways in [5_000, 0] {
        let ways = reading(&text, whole_ways).ways;
        assert!(ways.iter().all(|way| way.unknown.is_empty()), "{ways:?}");
        let goes = |way: &MoveProgram| way.moves.iter().any(|step| step.label == "b");
        assert!(ways.iter().any(goes), "{whole_ways}");
    }
    // Not so where it says how often something is done.
    let text = cycle(
        POINTS,
        &format!(
            "MoveAbsJ a,v100,fine,t;\nFOR i FROM 1 TO count DO\nMoveAbsJ b,v100,fine,t;\nENDFOR\n{visits}"
        ),
    );
    for whole_ways in [5_000, 0] {
        let ways = reading(&text, whole_ways).ways;
        let mut reasons = ways.iter().flat_map(|way| &way.unknown);
        assert!(
            reasons.any(|u| u.reason.contains("starts anew")),
            "{whole_ways}"
        );
    }
}

/// Regression: what a loop that only waits asks for was in no state of loops and joins, so that ways
/// which open it were taken for ways that had been followed.
#[test]
fn what_a_wait_asks_for_is_where_a_loop_has_to_come_back_to() {
    let round = "MoveAbsJ a,v100,fine,t;\n";
    for (body, gate) in [
        (
            format!("WHILE di1=1 DO\n{round}m:=m+1;\nENDWHILE"),
            "WHILE m<3 DO\nWaitTime 1;\nENDWHILE",
        ),
        (
            format!("WHILE di1=1 DO\n{round}Incr c;\nENDWHILE"),
            "WHILE c<3 DO\nWaitTime 1;\nENDWHILE",
        ),
        (
            format!("again:\n{round}m:=m+1;\nIF di1=1 GOTO again;"),
            "WHILE m<3 DO\nWaitTime 1;\nENDWHILE",
        ),
        (
            format!("WHILE di1=1 DO\n{round}m:=m+1;\nENDWHILE"),
            "n:=10*m;\nWHILE n<30 DO\nTPWrite \"few\";\nWaitTime 1;\nENDWHILE",
        ),
    ] {
        let ways = reading(
            &work(
                &format!("VAR num c:=0;\nm:=0;\n{round}{body}\n{gate}\nMoveAbsJ b,v100,fine,t;"),
                "",
            ),
            100,
        )
        .ways;
        let goes = |way: &MoveProgram| way.moves.iter().any(|step| step.label == "b");
        let told = |way: &MoveProgram| !way.unknown.is_empty();
        assert!(ways.iter().any(|way| goes(way) || told(way)), "{body}");
    }
    // Where ways join: one waits for ever, and the other goes on.
    let visits: String = (2..=5)
        .map(|k| format!("IF di{k}=1 THEN\nMoveAbsJ b,v100,fine,t;\n{round}ENDIF\n"))
        .collect();
    let text = work(
        &format!(
            "n:=0;\nm:=0;\n{round}IF di1=1 THEN\nMoveAbsJ b,v100,fine,t;\n{round}n:=1;\nENDIF\n{visits}\
            m:=n+1;\nWHILE m>1 DO\nWaitTime 1;\nENDWHILE\nMoveAbsJ j,v100,fine,t;"
        ),
        "",
    );
    for whole_ways in [5_000, 0] {
        let ways = reading(&text, whole_ways).ways;
        let goes = |way: &MoveProgram| way.moves.iter().any(|step| step.label == "j");
        assert!(ways.iter().any(goes), "{whole_ways}");
    }
}
