//! Programs and macros that keep the arm still.

use super::*;

/// What the cell says of a program does not count where its listing is at hand.
#[test]
fn programs_at_hand_are_followed_whatever_the_cell_says() {
    let mut cell = arm("fanuc");
    said(&mut cell).still = vec!["GRIP_*".into()];
    let other = listing("J P[3] 50% FINE").replace("/PROG  A", "/PROG  GRIP_B");
    let other = [("GRIP_B.LS", &*other)];
    let way = ways_in(
        &cell,
        &listing("UFRAME_NUM=1\nJ P[1] 50% FINE\nCALL GRIP_B(R[1])"),
        &other,
    )
    .remove(0);
    assert_eq!((way.moves.len(), way.unknown.len()), (2, 0), "{way:?}");
    let way = ways_in(
        &cell,
        &listing("J P[1] 50% FINE\nCALL GRIP_C(R[1])"),
        &other,
    )
    .remove(0);
    assert_eq!((way.moves.len(), way.unknown.len()), (1, 0), "{way:?}");
    // It runs while the arm moves.
    let text = listing("J P[1] 50% FINE\nJ P[1] 50% CNT100 TB .5sec,CALL GRIP_B");
    let way = ways_in(&cell, &text, &other).remove(0);
    assert!(
        way.unknown[0].reason.contains("it moves the arm"),
        "{:?}",
        way.unknown
    );
    // What it changes is not known at the next start.
    let other = listing("PR[1]=P[2]").replace("/PROG  A", "/PROG  GRIP_B");
    let text = listing("J PR[1] 50% FINE\nCALL GRIP_B");
    let way = ways_in(&cell, &text, &[("GRIP_B.LS", &other)]).remove(0);
    assert!(
        way.unknown[0].reason.contains("is changed in line"),
        "{:?}",
        way.unknown
    );
}

/// A gripper program that is at hand, keeps the arm still and branches makes no further ways; what it
/// writes is not known afterwards.
#[test]
fn still_programs_that_branch_are_passed_over() {
    let mut cell = arm("fanuc");
    said(&mut cell).still = vec!["GRIP_*".into()];
    let grip = |name: &str, body: &str| {
        listing(body)
            .replace("/PROG  A", &format!("/PROG  {name}"))
            .replace("1,*,*,*,*", "*,*,*,*,*")
    };
    let read = |text: &str, body: &str, more: &str| {
        let (one, other) = (grip("GRIP_B", body), grip("OTHER", more));
        let files = [("GRIP_B.LS", &*one), ("OTHER.LS", &*other)];
        ways_in(&cell, &listing(text), &files)
    };
    let calls = "J P[1] 50% FINE\nCALL GRIP_B\n".repeat(8);
    let waits = "DO[1]=ON\nLBL[1]\nIF DI[1]=ON,JMP LBL[2]\nWAIT .10(sec)\nR[9]=R[9]+1\n\
                 IF R[9]>10,JMP LBL[3]\nJMP LBL[1]\nLBL[3]\nUALM[1]\nLBL[2]";
    for (body, more) in [
        (
            "DO[1]=ON\nIF (DI[1]=ON) THEN\nDO[2]=ON\nELSE\nDO[2]=OFF\nENDIF",
            "",
        ),
        (waits, ""),
        ("WAIT DI[1]=ON TIMEOUT,LBL[1]\nEND\nLBL[1]\nPAUSE", ""),
        (
            "SELECT R[3]=1,CALL OTHER\n=2,CALL GRIP_C\nELSE,JMP LBL[4]\nLBL[4]",
            "DO[1]=ON",
        ),
        ("FOR R[4]=1 TO R[5]\nDO[1]=PULSE,0.5sec\nENDFOR", ""),
    ] {
        let ways = read(&calls, body, more);
        assert_eq!(
            (ways.len(), ways[0].moves.len()),
            (1, 8),
            "{body}: {ways:?}"
        );
        assert_eq!(ways[0].unknown, [], "{body}");
        assert!(ways[0].passed_over.contains(&("CALL GRIP_B".into(), 8)));
    }
    // Registers that it writes, or what it calls does, are not known, whatever they were.
    let asks =
        "R[9]=1\nJ P[1] 50% FINE\nCALL GRIP_B\nIF R[9]=1,JMP LBL[1]\nJ P[1] 50% FINE\nLBL[1]";
    assert_eq!(read(asks, waits, "").len(), 2);
    assert_eq!(read(asks, "IF DI[1]=ON,CALL OTHER", "R[9:a]=2").len(), 2);
    // Where its value is known, both answers are followed all the same.
    let is_known = |body: &str, more: &str| {
        let ways = read(asks, body, more);
        ways.iter()
            .all(|way| way.name.contains("something else may set it"))
    };
    assert!(is_known("IF DI[1]=ON,R[8]=2", ""));
    assert!(!is_known(waits, "") && !is_known("IF DI[1]=ON,CALL OTHER", "R[9:a]=2"));
    // One without branches is followed, and its registers are known.
    assert_eq!(read(asks, "DO[1]=ON\nR[9]=1", "").len(), 1);
    // All else is followed.
    let calls = "J P[1] 50% FINE\nCALL GRIP_B\nJ P[1] 50% FINE";
    for (body, more) in [
        ("IF DI[1]=ON,JMP LBL[1]\nJ P[1] 50% FINE\nLBL[1]", ""),
        ("IF DI[1]=ON,CALL OTHER", "J P[1] 50% FINE"),
        ("IF DI[1]=ON,CALL OTHER", "UTOOL_NUM=2"),
        ("IF DI[1]=ON,CALL MISSING", ""),
        ("IF DI[1]=ON,UFRAME_NUM=2", ""),
        ("IF DI[1]=ON,PR[1]=P[1]", ""),
        ("IF DI[1]=ON,OFFSET CONDITION PR[1]", ""),
        ("IF DI[1]=ON,R[R[1]]=2", ""),
        ("IF DI[1]=ON,JMP LBL[7]", ""),
        ("IF DI[1]=ON,JMP LBL[R[1]]", ""),
        ("IF DI[1]=ON,RUN OTHER", ""),
        ("IF DI[1]=ON,ABORT", ""),
        ("IF DI[1]=ON,DO[1]=ON JMP LBL[1]\nLBL[1]", ""),
        ("IF (DI[1:a,b]=ON),CALL OTHER", "J P[1] 50% FINE"),
        ("SELECT R[3]=1,CALL OTHER", "J P[1] 50% FINE"),
        ("WAIT DI[1]=ON TIMEOUT,LBL[7]", ""),
        ("IF DI[1]=ON,JMP LBL[1]\nWAIT R[5]=1\nLBL[1]", ""),
    ] {
        let ways = read(calls, body, more);
        let passed = |way: &MoveProgram| way.passed_over.contains(&("CALL GRIP_B".into(), 1));
        assert!(!ways.iter().any(passed), "{body}: {ways:?}");
    }
}

/// Macros may be called still by the cell, and statements that are known to change the motion not.
#[test]
fn macros_that_keep_the_arm_still_are_named_in_the_cell() {
    let text = listing("J P[1] 50% FINE\nOpen Gripper 1\nJ P[1] 50% FINE");
    let mut cell = arm("fanuc");
    let way = ways_in(&cell, &text, &[]).remove(0);
    let says = "registers, positions, tools), write";
    assert!(way.unknown[0].reason.contains(says), "{:?}", way.unknown);
    for still in ["Open Gripper 1", "Open*", "*"] {
        said(&mut cell).still = vec![still.into()];
        let way = ways_in(&cell, &text, &[]).remove(0);
        assert_eq!(
            (way.moves.len(), way.unknown.len()),
            (2, 0),
            "{still}: {way:?}"
        );
    }
    for line in [
        "RUN B",
        "Weave Sine[1]",
        "$MNUTOOLNUM[1]=2",
        "FORCE CTRL[1]",
        "SIMULTANEOUS GP1",
        "INDEPENDENT GP1",
        "TRACK TAST[1]",
        "Track DPM[1]",
        "AVC TRACK",
        "Touch Start",
        "Search Start",
        "VOFFSET CONDITION VR[1]",
    ] {
        let way = ways_in(&cell, &text.replace("Open Gripper 1", line), &[]).remove(0);
        assert_eq!(way.unknown.len(), 1, "{line}");
        assert!(
            !way.unknown[0].reason.contains("`still"),
            "{:?}",
            way.unknown
        );
    }
}
