//! Ways that join.

use super::*;
use crate::block::testing::steps_in;
use crate::{Bounds, Reading, testing};

const HOME: &str = "PTP {A1 0,A2 -90,A3 90,A4 0,A5 5,A6 0}\n";
const ASIDE: &str = "PTP {A1 30,A2 -90,A3 90,A4 0,A5 5,A6 0}\n";

/// A program of which so many ways are followed to their ends.
fn reading(text: &str, whole_ways: usize) -> Reading {
    let bounds = Bounds {
        whole_ways,
        ..Bounds::default()
    };
    let beside = [("a.dat", LIST)];
    let read = testing::read_beside(&cell(), "a.src", text.as_bytes(), &beside, None, bounds);
    read.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// With variables, tool 1 in the world, and these routines behind it.
fn work(body: &str, routines: &str) -> String {
    let set =
        format!("DECL INT M,K,L[2],I\n$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\nM=0\n{HOME}{body}");
    program(&set) + routines
}

fn known_ways(reading: Reading) -> Vec<MoveProgram> {
    for way in &reading.ways {
        assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    }
    reading.ways
}

/// A line so far to the side and up.
fn line(aside: &str, up: &str) -> String {
    format!("LIN {{X 500,Y 10*{aside},Z 600+{up},A 180,B 0,C 180}}\n")
}

/// Programs with more ways than are followed whole.
#[test]
fn many_conditions_one_after_another_have_few_ways() {
    let visit = |k: usize| {
        let (down, up) = (line("1", "0"), line("1", "50"));
        format!("IF $IN[{k}] THEN\n{ASIDE}{down}{up}{HOME}ENDIF\n")
    };
    let visits = |count: usize| -> String { (1..=count).map(visit).collect() };
    let (seven, twenty) = [7, 20]
        .map(|k| format!("LOOP\n{}ENDLOOP", visits(k)))
        .into();
    let checks: String = (1..=7)
        .map(|k| format!("IF NOT $IN[{k}] THEN\n{HOME}HALT\nENDIF\n"))
        .collect();
    let checks = format!("{ASIDE}{checks}{}", line("1", "0"));
    let eight: String = (1..=8)
        .map(|k| {
            format!(
                "PTP XP1\n{}IF NOT $IN[9] THEN\n{HOME}ENDIF\n",
                line(&k.to_string(), "5")
            )
        })
        .collect();
    let eight = format!("LOOP\n{eight}ENDLOOP");
    let guard = format!("DEF guard()\nIF NOT $IN[1] THEN\n{HOME}WAIT FOR $IN[1]\nENDIF\nEND\n");
    let guarded: String = (1..=20)
        .map(|k| format!("guard()\n{}{ASIDE}", line(&k.to_string(), "0")))
        .collect();
    let (one, other) = (line("1", "0"), line("2", "0"));
    let pallet = format!(
        "K=1\nLOOP\n{HOME}SWITCH M\nCASE 1\n{one}CASE 2\n{other}DEFAULT\n{ASIDE}ENDSWITCH\nM=$ANIN[1]\n\
         IF $IN[1] THEN\nPTP XP1\n{}{HOME}K=K+1\nIF K>6 THEN\nK=1\nENDIF\nENDIF\nENDLOOP",
        line("K", "0")
    );
    for (body, routines) in [
        (&seven, ""),
        (&twenty, ""),
        (&checks, ""),
        (&eight, ""),
        (&guarded, &*guard),
        (&pallet, ""),
    ] {
        let found = reading(&work(body, routines), 64);
        assert!(
            found.join && found.ways.len() <= 128,
            "{}\n{body}",
            found.ways.len()
        );
        known_ways(found);
    }
}

/// Few ways are followed to their ends.
#[test]
fn few_ways_do_not_join() {
    let point = line("1", "0");
    let body = format!("IF $IN[1] THEN\n{point}{HOME}ENDIF\nIF $IN[2] THEN\n{ASIDE}ENDIF\n{point}");
    let text = work(&body, "");
    let (whole, joined) = (reading(&text, 64), reading(&text, 0));
    assert_eq!((whole.ways.len(), whole.join), (4, false));
    assert_eq!((joined.ways.len(), joined.join), (2, true));
    assert_eq!(steps_in(&whole.ways), steps_in(&joined.ways));
}

/// All that the rest of a way depends on tells ways apart. Behind each of these conditions everything
/// else is the same.
#[test]
fn ways_that_differ_do_not_join() {
    let meet = format!("IF $IN[2] THEN\n{ASIDE}ENDIF\n{HOME}IF $IN[3] THEN\n{ASIDE}ENDIF\n");
    let by = |name: &str| line("1", name);
    let put = format!("DEF put(X :IN)\nDECL INT X\n{meet}{}END\n", by("X"));
    let fill = format!("DEF fill(X :OUT)\nDECL INT X\n{meet}X=50\nEND\n");
    let more = format!("DEFFCT INT more(X :OUT)\nDECL INT X\nX=0\n{meet}RETURN 1\nENDFCT\n");
    let twice = format!("DEF twice()\n{meet}END\n");
    let choose = "IF $IN[1] THEN\nM=50\nENDIF\n";
    let list = format!(
        "L[1]=0\nL[2]=0\nK=1\nIF $IN[1] THEN\nK=2\nENDIF\nfill(L[K])\n{}",
        line("L[1]", "L[2]")
    );
    for (body, routines) in [
        // A variable, and what a routine was handed.
        (format!("{choose}MEET{}", by("M")), ""),
        (format!("{choose}put(M)"), &*put),
        // The element that a routine sets.
        (list, &fill),
        // From where a routine was called.
        (
            format!(
                "IF $IN[1] THEN\ntwice()\n{}ELSE\ntwice()\n{}ENDIF",
                by("1"),
                by("2")
            ),
            &twice,
        ),
        // What was computed before a function was called.
        (
            format!("{choose}K=M+0\nM=0\nK=K+more(I)\n{}", by("K")),
            &more,
        ),
        // The round of a loop, its last one, and its step.
        (format!("FOR I=1 TO 3\nMEETENDFOR\n{}", by("1")), ""),
        (
            format!(
                "M=1\nIF $IN[1] THEN\nM=2\nENDIF\nK=M\nFOR I=1 TO K\nM=0\nMEET{}ENDFOR\n{}",
                by("I"),
                by("9")
            ),
            "",
        ),
        (
            format!(
                "M=1\nIF $IN[1] THEN\nM=2\nENDIF\nK=M\nFOR I=1 TO 3 STEP K\nM=0\nMEET{}ENDFOR\n{}",
                by("I"),
                by("9")
            ),
            "",
        ),
        // A tool, a zone, a speed, and where a relative move begins.
        (
            format!("IF $IN[1] THEN\n$TOOL=$NULLFRAME\nENDIF\nMEET{}", by("1")),
            "",
        ),
        (
            format!(
                "$APO.CDIS=10\nIF $IN[1] THEN\n$APO.CDIS=20\nENDIF\nMEETLIN XP1 C_DIS\n{}",
                by("1")
            ),
            "",
        ),
        (
            format!(
                "$VEL.CP=1\nIF $IN[1] THEN\n$VEL.CP=2\nENDIF\nMEET{}",
                by("1")
            ),
            "",
        ),
        (
            format!(
                "BAS(#VEL_PTP,50)\nIF $IN[1] THEN\nBAS(#VEL_PTP,20)\nENDIF\nMEETPTP XP1\n{}",
                by("1")
            ),
            "",
        ),
        (
            format!(
                "BAS(#VEL_CP,1)\nIF $IN[1] THEN\nBAS(#VEL_CP,2)\nENDIF\nMEET{}",
                by("1")
            ),
            "",
        ),
        // How the arm came there.
        (
            format!(
                "IF $IN[1] THEN\n{ASIDE}ENDIF\nLIN XP1 C_DIS\nIF $IN[2] THEN\n$OUT[1]=TRUE\nENDIF\nIF $IN[3] THEN\n{}ENDIF\n{}",
                by("1"),
                by("2")
            ),
            "",
        ),
    ] {
        let text = work(&body.replace("MEET", &meet), routines);
        let (whole, joined) = (reading(&text, 5_000), reading(&text, 0));
        let whole = known_ways(whole);
        assert!(whole.len() > 3, "{text}");
        assert_eq!(steps_in(&whole), steps_in(&known_ways(joined)), "{text}");
    }
}

/// A loop of lines alone comes back where the arm stands as it did, which a wrist that turns on does
/// not.
#[test]
fn a_loop_of_lines_comes_back_if_the_arm_stands_the_same() {
    // Only the last joint turns between them.
    let lines = |turned: &[usize]| -> String {
        let line = |c: &usize| format!("LIN {{X 519.282032,Y 0,Z 850,A 0,B 30,C {c}}}\n");
        turned.iter().map(line).collect()
    };
    for (round, same) in [
        (lines(&[0, 60]), true),
        (lines(&[0, 60, 120, 180, 240, 300]), false),
    ] {
        for looped in [
            format!("LOOP\n{round}ENDLOOP"),
            format!("WHILE $IN[1]\n{round}ENDWHILE\n{}", lines(&[0])),
            format!("REPEAT\n{round}UNTIL $IN[1]\n{}", lines(&[0])),
        ] {
            let start =
                "$TOOL=$NULLFRAME\n$BASE=$NULLFRAME\nPTP {A1 0,A2 0,A3 0,A4 0,A5 30,A6 0}\n";
            let ways = ways_in(&cell(), &program(&format!("{start}{looped}"))).unwrap();
            let moves: usize = ways.iter().map(|way| way.moves.len()).sum();
            assert!(moves < 80, "{looped}: {moves}");
            let unknown: Vec<_> = ways.iter().flat_map(|way| &way.unknown).collect();
            assert_eq!(unknown.is_empty(), same, "{looped}: {unknown:?}");
        }
    }
}

/// Regression: a loop within a `FOR` that sets the counter of the `FOR` back was taken to be where it was
/// after each round, so that what more rounds of the `FOR` do was not followed.
#[test]
fn a_loop_that_changes_the_counter_around_it_does_not_come_back() {
    let text = |changes: &str| {
        set(&format!(
            "X=0\nPTP XHOME\nFOR I=1 TO 3\nX=X+10\nH={{A1 0,A2 -60,A3 60,A4 0,A5 60,A6 0}}\nH.A1=X\nPTP H\nWHILE $IN[1]\n{changes}PTP {{A1 5}}\n\
             PTP XHOME\nENDWHILE\nENDFOR"
        ))
        .replace("\n$TOOL", "\nDECL INT I\nDECL REAL X\nDECL E6AXIS H\n$TOOL")
    };
    let told = |changes: &str| {
        let ways = ways_in(&cell(), &text(changes)).unwrap_or_else(|e| panic!("{e}"));
        ways.iter()
            .flat_map(|way| &way.unknown)
            .next()
            .map(|u| u.reason.clone())
    };
    // Without it the loop comes back, and the program is known.
    assert_eq!(told(""), None);
    assert!(told("I=I-1\n").is_some());
}

/// Regression: ways joined that differ in what the counter of a later loop is computed of, and the
/// further rounds of one of them were not followed.
#[test]
fn ways_that_differ_in_what_a_counter_is_computed_of_do_not_join() {
    let body = "IF $IN[1] THEN\nPTP XP1\nPTP XHOME\nK=2\nENDIF\nIF $IN[2] THEN\nPTP XP1\nPTP XHOME\nENDIF\n\
        FOR I=1 TO 3\nPTP {A1 30,A2 -90,A3 90,A4 0,A5 5,A6 0}\nPTP XHOME\nI=I+K\nENDFOR";
    let text = work(&format!("K=0\n{body}"), "");
    for whole_ways in [5_000, 0] {
        let ways = known_ways(reading(&text, whole_ways));
        let rounds = |way: &MoveProgram| {
            let aside = |step: &&clearance_proof::model::moves::Move| matches!(&step.target, Target::Joints(q) if q[0] > 0.5);
            way.moves.iter().filter(aside).count()
        };
        assert_eq!(ways.iter().map(rounds).max(), Some(3), "{whole_ways}");
    }
}
