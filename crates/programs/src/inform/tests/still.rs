//! Jobs and instructions that keep the arm still.

use super::*;

/// What the cell says of a job does not count where the job is at hand.
#[test]
fn jobs_at_hand_are_followed_whatever_the_cell_says() {
    let mut cell = arm("inform");
    said(&mut cell).still = vec!["GRIP_*".into()];
    let other = job(LIST, "MOVJ C001 VJ=1.0 PL=0").replace("NAME A", "NAME GRIP_B");
    let other = [("GRIP_B.JBI", &*other)];
    for (name, moves) in [("GRIP_B", 2), ("GRIP_C", 1)] {
        let text = job(LIST, &format!("MOVJ C000 VJ=1.0 PL=0\nCALL JOB:{name}"));
        let way = ways_in(&cell, &text, &other).remove(0);
        assert_eq!((way.moves.len(), way.unknown.len()), (moves, 0), "{way:?}");
    }
}

/// A gripper job that is at hand, keeps the arm still and branches makes no further ways; what it
/// writes is not known afterwards.
#[test]
fn still_jobs_that_branch_are_passed_over() {
    let mut cell = arm("inform");
    said(&mut cell).still = vec!["GRIP_*".into(), "HAND".into()];
    let read = |text: &str, body: &str, more: &str| {
        let one = job("", body).replace("NAME A", "NAME GRIP_B");
        let other = job(LIST, more).replace("NAME A", "NAME OTHER");
        let files = [("GRIP_B.JBI", &*one), ("OTHER.JBI", &*other)];
        ways_in(&cell, &job(LIST, text), &files)
    };
    let calls = "MOVJ C000 VJ=1.0 PL=0\nCALL JOB:GRIP_B\n".repeat(8);
    let counts = "SET B001 0\nWHILEEXP IN#(1)=OFF\nINC B001\nTIMER T=0.1\nENDWHILE";
    for (body, more) in [
        (
            "DOUT OT#(1) ON\nIFTHENEXP IN#(1)=ON\nHAND 1 ON\nELSE\nDOUT OT#(2) OFF\nENDIF",
            "",
        ),
        (
            "WAIT IN#(1)=ON T=2.00\nJUMP *ERR IF IN#(1)=OFF\nRET\n*ERR\nMSG \"no\"\nPAUSE",
            "",
        ),
        (
            "CALL JOB:OTHER IF IN#(1)=ON\nCALL JOB:GRIP_C IF IN#(2)=ON",
            "DOUT OT#(1) ON",
        ),
        (counts, ""),
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
    // Variables that it writes, or what it calls does, are not known, whatever they were.
    let asks = "SET B001 1\nMOVJ C000 VJ=1.0 PL=0\nCALL JOB:GRIP_B\nJUMP *E IF B001=1\nMOVJ C001 VJ=1.0 PL=0\n*E";
    assert_eq!(read(asks, counts, "").len(), 2);
    assert_eq!(
        read(asks, "CALL JOB:OTHER IF IN#(1)=ON", "SET B001 2").len(),
        2
    );
    // Where its value is known, both answers are followed all the same.
    let is_known = |body: &str| {
        let ways = read(asks, body, "");
        ways.iter()
            .all(|way| way.name.contains("something else may set it"))
    };
    assert!(is_known("RET IF IN#(1)=ON\nSET LB001 2") && !is_known(counts));
    // One without branches is followed, and its variables are known.
    assert_eq!(read(asks, "SET B001 1", "").len(), 1);
    // All else is followed.
    let calls = "MOVJ C000 VJ=1.0 PL=0\nCALL JOB:GRIP_B\nMOVJ C001 VJ=1.0 PL=0";
    for (body, more) in [
        ("RET IF IN#(1)=ON\nCALL JOB:OTHER", "MOVJ C000 VJ=1.0 PL=0"),
        ("RET IF IN#(1)=ON\nIMOV P001 V=10.0", ""),
        ("RET IF IN#(1)=ON\nSET B[LB000] 1", ""),
        ("RET IF IN#(1)=ON\nSFTON P001", ""),
        ("RET IF IN#(1)=ON\nPSTART JOB:OTHER SUB1", ""),
        ("RET IF IN#(1)=ON\nJUMP JOB:OTHER", ""),
        ("RET IF IN#(1)=ON\nJUMP *NO", ""),
        ("RET IF IN#(1)=ON\nABORT", ""),
        ("RET IF IN#(1)=ON\nHAND 1 ON MOVJ C000", ""),
        ("RET IF IN#(1)=ON\nHAND 1 B001", ""),
        ("RET IF IN#(1)=ON\nCALL JOB:MISSING", ""),
        ("RET IF IN#(1)=ON\nWAIT B003=1", ""),
    ] {
        let ways = read(calls, body, more);
        let passed = |way: &MoveProgram| way.passed_over.contains(&("CALL GRIP_B".into(), 1));
        assert!(!ways.iter().any(passed), "{body}: {ways:?}");
    }
    let ways = read(calls, "RET IF IN#(1)=ON\nSET P001 P002", "");
    assert_eq!(ways.len(), 2);
}

/// What ends a weaving that the job has not begun does nothing.
#[test]
fn the_end_of_a_weaving_that_is_not_begun_is_passed_over() {
    let text = |lines: &str| job(LIST, &format!("{lines}\nMOVJ C000 VJ=1.0 PL=0"));
    let way = ways_in(&arm("inform"), &text("WVOF"), &[]).remove(0);
    assert_eq!((way.moves.len(), way.unknown.len()), (1, 0), "{way:?}");
    assert!(reason(&text("WVON WEV#(1)\nWVOF")).contains("`WVON` may change"));
}

/// Instructions that are known to change the motion cannot be called still, and others can.
#[test]
fn instructions_that_keep_the_arm_still_are_named_in_the_cell() {
    let text = |line: &str| job(LIST, &format!("MOVJ C000 VJ=1.0 PL=0\n{line}"));
    let told = reason(&text("HAND 1 ON"));
    assert!(told.contains("write `still = [\"HAND\"]`"), "{told}");
    let mut cell = arm("inform");
    said(&mut cell).still = vec!["*".into()];
    let unknown = |line: &str| ways_in(&cell, &text(line), &[]).remove(0).unknown;
    assert_eq!(unknown("HAND 1 ON"), []);
    for line in [
        "MOVS C001 V=10.0",
        "WVON WEV#(1)",
        "COMARCON CA#(1)",
        "SFTON P001",
        "SETTOOL TL#(1) P001",
        "FOR I000=1 TO 3",
        "PSTART JOB:B SUB1",
        "SVSPOTMOV GUN#(1) PRESSCL#(1) WTM=1 WST=1",
        "SYSTART CV#(1) STP=1.0",
        "CVSHIFT CV#(1)",
        // What stands behind one that is still is not.
        "HAND 1 ON MOVJ C00001",
        "HAND 1 ON C00001",
        "HAND 1 ON BP001",
        "HAND 1 ON P[B000]",
        "HAND 1 ON JUMP *A IF IN#(1)=ON",
        "HAND 1 ON *A",
        "HAND 1 ON CALL JOB:B",
    ] {
        let [why] = &unknown(line)[..] else {
            panic!("{line}: {:?}", unknown(line));
        };
        assert!(!why.reason.contains("`still"), "{line}: {why:?}");
    }
}

/// An instruction that keeps the arm still may write its answer into the variables that it names:
/// those of the controller that compute, and those that the cell calls still.
#[test]
fn variables_that_an_instruction_may_set_are_not_known_afterwards() {
    let mut cell = arm("inform");
    said(&mut cell).still = vec!["VISREAD".into()];
    let ways = |line: &str| {
        let body = format!(
            "SET B000 0\nSET LB001 0\nSET I001 0\n{line}\nJUMP *A IF B000=0\nMOVJ C001 VJ=1.0\n*A\n\
             JUMP *B IF LB001=0\nMOVJ C001 VJ=1.0\n*B\nMOVJ C000 VJ=1.0"
        );
        let ways = ways_in(&cell, &job(LIST, &body), &[]);
        let is_known = |of: &str| {
            let asked = format!(" {of}=0 is");
            !ways.iter().any(|way| way.name.contains(&asked))
        };
        ["B000", "LB001"].map(is_known)
    };
    // Whether B000 is known, of which both answers are followed all the same, and LB001.
    for (line, known) in [
        ("MSG B000", [true, true]),
        ("NOT B000 B000", [false, true]),
        ("OR B000 B001", [false, true]),
        ("XOR B000 B001", [false, true]),
        ("SIN LB001 R000", [true, false]),
        ("VISREAD 1", [true, true]),
        ("VISREAD B002", [true, true]),
        ("VISREAD 1 B000", [false, true]),
        ("VISREAD (B000,LB001)", [false, false]),
        ("VISREAD B[I001]", [false, true]),
    ] {
        assert_eq!(ways(line), known, "{line}");
    }
}
