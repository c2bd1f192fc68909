//! Statements that run while the arm moves.

use super::*;

/// A move with lines of P-SPS below it, then the other statements of the body.
fn with_block(block: &[&str], body: &[&str]) -> String {
    let block: String = (block.iter().zip(1..))
        .map(|(line, k)| format!("      {k}:  {line} ;\n"))
        .collect();
    let body: String = (body.iter().zip(2..))
        .map(|(line, k)| format!("   {k}:{line} ;\n"))
        .collect();
    let first = "   1:J P[1] 100% CNT0 ACC100 TB    .10sec,P-SPS    ;\n";
    format!("{HEAD}/MN\n{first}{block}       ------ ;\n{body}/POS\n{POSITIONS}/END\n")
}

const UNMOVED: &str = "/PROG  MAKRO1\n/ATTR\nDEFAULT_GROUP = *,*,*,*,*;\n/MN\n   1:  DO[3]=ON ;\n   2:  R[7]=5 ;\n/POS\n/END\n";

#[test]
fn lines_of_p_sps_run_while_the_arm_moves() {
    let block = [
        "TC_ONLINE (ON)",
        "DO[23]=OFF",
        "IF (DO[12] AND !DI[3]),CALL MAKRO1",
        "!a comment",
        "LBL[1]",
        "WAIT (DI[9])",
        "WAIT (DI[9]) TIMEOUT ,LBL[1]",
        "PS +10mm -0.1sec DO[4]=ON",
        "IF (F[1]),JMP LBL[1]",
        "SELECT R[1:a,b]=1,CALL MAKRO1",
    ];
    let text = with_block(&block, &["J P[1] 50% FINE"]);
    let ways = ways_in(&arm("fanuc"), &text, &[("MAKRO1.LS", UNMOVED)]);
    // Its conditions make no further ways, for nothing of the path depends on them.
    let [way] = <[_; 1]>::try_from(ways).unwrap_or_else(|w| panic!("{w:?}"));
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    assert_eq!(short(&way), "J[10 20 -10 40 -50 60] J[10 20 -10 40 -50 60]");
    assert_eq!(way.moves[1].place.line, Some(18));
}

#[test]
fn what_runs_while_the_arm_moves_neither_moves_it_nor_changes_how_it_moves() {
    let of = |line: &str, body: &[&str]| {
        let text = with_block(&[line], body);
        let moving = listing("J P[1] 50% FINE").replace("/PROG  A", "/PROG  M");
        let ways = ways_in(
            &arm("fanuc"),
            &text,
            &[("MAKRO1.LS", UNMOVED), ("M.LS", &moving)],
        );
        let first = ways.iter().find_map(|w| w.unknown.first());
        let first = first.unwrap_or_else(|| panic!("it is known: {text}"));
        (first.place.line.unwrap(), first.reason.clone())
    };
    let (line, reason) = of("UFRAME_NUM=2", &[]);
    assert_eq!(line, 7);
    assert!(reason.contains("could change how it moves"), "{reason}");
    for (line, told) in [
        ("CALL M", "moves the arm"),
        // What stands behind the comma in the name is no comment.
        ("SELECT R[1:a,!b]=1,CALL M", "moves the arm"),
        ("IF (DI[1]),CALL M", "moves the arm"),
        ("SELECT R[1]=1,CALL M", "moves the arm"),
        ("J P[1] 50% FINE", "moves the arm"),
        ("CALL OTHER", "there is no `OTHER.LS`"),
        ("PR[R[1]]=LPOS", "which position register"),
        ("OFFSET CONDITION PR[1]", "could change how it moves"),
        ("WKZ_NUM=1", "another language"),
        ("PS 10 DO[1]=ON", "when PS runs"),
        ("IF (DI[1]),JMP LBL[3]", "leads out of these lines"),
        ("WAIT DI[1]=ON TIMEOUT,LBL[3]", "leads out of these lines"),
        ("CALL MAKRO1 ELSE,CALL M", "is not understood"),
    ] {
        let (_, reason) = of(line, &[]);
        assert!(reason.contains(told), "{line}: {reason}");
    }
    // The register that such a line writes is not known afterwards, whichever way the line is
    // called.
    for line in [
        "R[7]=1",
        "CALL MAKRO1",
        "IF (DI[1]),R[7]=1",
        "FOR R[7]=1 TO 3",
    ] {
        let body = ["UTOOL_NUM=1", "UFRAME_NUM=R[7]", "L P[5] 10mm/sec FINE"];
        let (_, reason) = of(line, &body);
        assert!(
            reason.contains("written while the arm moves"),
            "{line}: {reason}"
        );
    }
    for body in [
        &["J PR[3] 50% FINE"][..],
        &["PR[3]=P[1]", "J PR[3] 50% FINE"],
    ] {
        let (_, reason) = of("PR[3]=P[1]", body);
        assert!(reason.contains("written while the arm moves"), "{reason}");
    }
}

/// Nobody knows whether the lines of an earlier move still run.
#[test]
fn registers_written_while_the_arm_moves_are_not_known_again() {
    let body = [
        "UTOOL_NUM=1",
        "R[7]=1",
        "UFRAME_NUM=R[7]",
        "L P[5] 10mm/sec FINE",
    ];
    let reason = |line: &str, first: &str| {
        let text = with_block(&[line], &body).replace("TB    .10sec,P-SPS", first);
        let own =
            "/PROG  OWN\n/ATTR\nDEFAULT_GROUP = *,*,*,*,*;\n/MN\n   1:  R[AR[1]]=5 ;\n/POS\n/END\n";
        let beside = [("MAKRO1.LS", UNMOVED), ("OWN.LS", own)];
        let ways = ways_in(&arm("fanuc"), &text, &beside);
        let first = ways.iter().find_map(|w| w.unknown.first());
        first.map(|u| u.reason.clone()).unwrap_or_default()
    };
    let block = "TB .10sec,P-SPS";
    for (line, first) in [
        ("R[7]=1", block),
        // Which one it is, is known when it runs.
        ("R[R[2]]=1", block),
        ("CALL OWN(7)", block),
        // Another action behind the block hides it not.
        ("R[7]=1", "TB .10sec,P-SPS TA .20sec,DO[1]=ON"),
        ("DO[1]=ON", "TB .10sec,P-SPS TA .20sec,CALL MAKRO1"),
    ] {
        let reason = reason(line, first);
        assert!(
            reason.contains("written while the arm moves"),
            "{line}: {reason}"
        );
    }
    assert_eq!(reason("R[8]=1", block), "");
    // A signal's jump would not be one of the block.
    assert!(reason("DO[1]=ON", "TB .10sec,P-SPS TA .20sec,JMP LBL[1]").contains("leads out"));
}

#[test]
fn actions_of_moves_are_read() {
    let way = known("J P[1] 50% FINE TA .50sec,DO[1]=ON\nJ P[1] 50% CNT100 DB 20mm,DO[2]=(DI[1])");
    assert_eq!(way.moves.len(), 2);
    assert!(
        reason(&listing("J P[1] 50% FINE TB .5sec,UTOOL_NUM=2")).contains("while the arm moves")
    );
    assert!(reason(&listing("J P[1] 50% FINE TB .5mm,DO[1]=ON")).contains("when TB runs"));
    // A label after the time is out, with the word or without.
    let ways = ways_in(
        &arm("fanuc"),
        &listing("WAIT DI[1]=ON TIMEOUT,LBL[1]\nJ P[1] 50% FINE\nLBL[1]"),
        &[],
    );
    assert_eq!(ways.iter().map(|w| w.moves.len()).sum::<usize>(), 1);
}

#[test]
fn lines_below_a_move_that_is_a_remark_belong_to_it() {
    let whole = with_block(&["DO[1]=ON", "LBL[1]", "JMP LBL[7]"], &["J P[1] 50% FINE"]);
    assert!(!ways_in(&arm("fanuc"), &whole, &[])[0].unknown.is_empty());
    let remark = whole.replace("1:J P[1]", "1:  //J P[1]");
    assert_ne!(whole, remark);
    let [way] = <[_; 1]>::try_from(ways_in(&arm("fanuc"), &remark, &[])).unwrap();
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    let lines: Vec<_> = way.moves.iter().map(|m| m.place.line).collect();
    assert_eq!(lines.len(), 1);
    // Its label is none of the program, and what has no end is cut off.
    let label = remark.replace("2:J P[1] 50% FINE", "2:JMP LBL[1]");
    assert!(!ways_in(&arm("fanuc"), &label, &[])[0].unknown.is_empty());
    let cut = remark.replace("       ------ ;\n", "");
    assert!(read_beside(&arm("fanuc"), "A.LS", &cut, &[]).is_err());
    // Without lines below it the program goes on, and a remark of anything else has none.
    let none = remark.replace(
        "      1:  DO[1]=ON ;\n      2:  LBL[1] ;\n      3:  JMP LBL[7] ;\n",
        "",
    );
    assert_eq!(ways_in(&arm("fanuc"), &none, &[])[0].moves.len(), 1);
    let other = remark.replace("//J P[1]", "//CALL A");
    assert!(read_beside(&arm("fanuc"), "A.LS", &other, &[]).is_err());
}

#[test]
fn lines_of_p_sps_begin_and_end() {
    let whole = with_block(&["DO[1]=ON"], &["J P[1] 50% FINE"]);
    let cut = whole.replace("       ------ ;\n", "");
    let lone = whole.replace("CNT0 ACC100 TB    .10sec,P-SPS", "CNT0");
    let read = |text: &str| read_beside(&arm("fanuc"), "A.LS", text, &[]);
    assert!(read(&whole).is_ok() && read(&lone).is_err());
    // Without its end the next move would be one of its lines.
    assert!(read(&cut).is_err());
    // An empty statement without its `;`, and one that is not empty.
    let empty = whole.replace("DO[1]=ON ;", " \n      2:  DO[1]=ON ;");
    assert_eq!(read(&empty).unwrap().ways[0].moves.len(), 2);
    assert!(read(&whole.replace("DO[1]=ON ;", "DO[1]=ON\n      2:  DO[1]=ON ;")).is_err());
    // Below a comment or a move that only looks like one, it is not a block.
    for other in ["!P-SPS", "CALL X('P-SPS')", "J P[1:P-SPS] 100% FINE"] {
        let text = whole.replace("J P[1] 100% CNT0 ACC100 TB    .10sec,P-SPS", other);
        let unknown = |file: crate::Reading| file.ways.iter().all(|w| !w.unknown.is_empty());
        assert!(read(&text).map_or(true, unknown), "{other}");
    }
    // Other options may follow, and count.
    let offset = whole.replace("P-SPS", "P-SPS Offset,PR[1]");
    let ways = ways_in(&arm("fanuc"), &offset, &[]);
    assert!(ways[0].unknown[0].reason.contains("PR[1]"));
    // No lines: the program goes on.
    for end in ["", "       ------ ;\n"] {
        let none = whole.replace("      1:  DO[1]=ON ;\n       ------ ;\n", end);
        assert_eq!(read(&none).unwrap().ways[0].moves.len(), 2);
    }
}
