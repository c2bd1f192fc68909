//! What a wait brings that another task ends.

use super::*;
use crate::testing::own_ways;

/// How many ways lead through a program; `None`: something is unknown.
fn found(body: &str) -> Option<usize> {
    let ways = ways_of(body);
    let unknown = ways.iter().any(|way| !way.unknown.is_empty());
    (!unknown).then_some(own_ways(&ways))
}

fn ways_of(body: &str) -> Vec<MoveProgram> {
    let list = LIST.replace(
        "ENDDAT",
        "ENUM KINDS LEFT,RIGHT\r\nDECL KINDS KIND=#LEFT\r\nSTRUC ORDER INT NR,BOOL OK\r\n\
         DECL ORDER ASKED={NR 0,OK FALSE}\r\nDECL INT JOB=1\r\nDECL INT CNT=1\r\nDECL INT K=1\r\nDECL REAL UP=50\r\n\
         DECL BOOL GO=TRUE\r\nDECL BOOL STOPIT=FALSE\r\n\
         STRUC PART E6POS P,INT N\r\nDECL PART CUR={P {X 500,Y 50,Z 600,A 180,B 0,C 180},N 1}\r\n\
         DECL E6POS PTS[3]\r\nPTS[1]={X 500,Y 10,Z 600,A 180,B 0,C 180}\r\nPTS[2]={X 500,Y 20,Z 600,A 180,B 0,C 180}\r\n\
         PTS[3]={X 500,Y 30,Z 600,A 180,B 0,C 180}\r\nDECL E6POS FEW[2]\r\nFEW[1]={X 500,Y 10,Z 600,A 180,B 0,C 180}\r\nENDDAT",
    );
    let text = set(&format!("PTP XP1\n{body}"));
    let text = text.replace("\n$TOOL", "\nDECL INT M\nDECL BOOL SEEN\n$TOOL");
    let lends = "DEF LENT(A:OUT)\nDECL INT A\nFOR N=2 TO A\nLIN XP2\nENDFOR\nEND\n\
        DEFFCT INT ASKS()\nRETURN N\nENDFCT\n";
    let files = [("a.dat", &*list)];
    let text = format!("{text}{lends}");
    read_beside(&cell(), "a.src", text.as_bytes(), &files, None)
        .unwrap_or_else(|e| panic!("{e}"))
        .ways
}

const CHOICE: &str = "IF JOB==1 THEN\nLIN XP2\nENDIF";

/// A handshake takes what it reads back, before the wait or when it is done.
#[test]
fn a_wait_brings_what_the_program_sets_as_well() {
    for body in [
        "WAIT FOR GO\nCHOICE\nJOB=0\nGO=FALSE",
        "JOB=0\nGO=FALSE\nWAIT FOR GO\nCHOICE",
        "JOB=0\nREPEAT\nWAIT SEC 0.1\nUNTIL GO\nSWITCH JOB\nCASE 1\nLIN XP2\nENDSWITCH",
        "WAIT FOR GO\nIF KIND==#LEFT THEN\nLIN XP2\nENDIF",
        "WAIT FOR GO\nIF ASKED.NR==1 THEN\nLIN XP2\nENDIF",
        "WAIT FOR GO\nIF H[1]>5 THEN\nLIN XP2\nENDIF",
        // These are waits, however they are written.
        "LOOP\nIF GO THEN\nEXIT\nENDIF\nWAIT SEC 0.1\nENDLOOP\nCHOICE",
        "LOOP\nIF GO THEN\nEXIT\nENDIF\nENDLOOP\nCHOICE",
        "AGAIN:\nIF NOT GO THEN\nWAIT SEC 0.1\nGOTO AGAIN\nENDIF\nCHOICE",
        "SEEN=FALSE\nWHILE NOT SEEN\nIF GO THEN\nSEEN=TRUE\nENDIF\nWAIT SEC 0.1\nENDWHILE\nCHOICE",
        "FOR M=1 TO 2\nIF GO THEN\nGOTO DONE\nENDIF\nWAIT SEC 0.1\nENDFOR\nDONE:\nCHOICE",
    ] {
        let ways = found(&body.replace("CHOICE", CHOICE));
        assert!(ways.is_none_or(|ways| ways > 1), "{ways:?}: {body}");
    }
    for body in [
        "WAIT FOR GO\nCHOICE\nJOB=0\nGO=FALSE",
        "JOB=0\nGO=FALSE\nWAIT FOR GO\nCHOICE",
        "LOOP\nIF GO THEN\nEXIT\nENDIF\nWAIT SEC 0.1\nENDLOOP\nCHOICE",
    ] {
        let ways = found(&body.replace("CHOICE", CHOICE));
        assert!(ways.is_some_and(|ways| ways > 1), "{ways:?}: {body}");
    }
}

/// A loop that only asks is a wait, also where what it asks for is not known from the start, as a
/// program leaves it that takes it back: what comes with it is not what the files say.
#[test]
fn a_loop_that_asks_for_what_is_not_known_brings_the_rest() {
    for waits in [
        "LOOP\nIF GO THEN\nEXIT\nENDIF\nWAIT SEC 0.1\nENDLOOP",
        "AGAIN:\nIF NOT GO THEN\nWAIT SEC 0.1\nGOTO AGAIN\nENDIF",
        "FOR M=1 TO 2\nIF GO THEN\nGOTO DONE\nENDIF\nWAIT SEC 0.1\nENDFOR\nDONE:",
    ] {
        let ways = ways_of(&format!("{waits}\nLIN PTS[JOB]\nGO=FALSE"));
        for y in [10, 20, 30] {
            let point = format!("L(500 {y} 600)");
            let mut all = ways.iter().map(short);
            assert!(all.any(|way| way.contains(&point)), "{waits}: {ways:?}");
        }
    }
}

/// What is not taught of a structure is told as a number of its own is; what is taught of it stays.
#[test]
fn a_wait_brings_what_is_not_taught_of_a_structure() {
    let choice = "IF CUR.N==1 THEN\nLIN XP2\nENDIF";
    assert_eq!(found(&format!("WAIT FOR GO\n{choice}")), Some(2));
    assert_eq!(found(&format!("WAIT FOR $IN[1]\n{choice}")), Some(1));
    assert_eq!(found("WAIT FOR GO\nLIN CUR.P"), Some(1));
}

/// Each element that a wait may lead to is a way of its own.
#[test]
fn each_element_is_a_way_of_its_own() {
    assert_eq!(
        found("WAIT FOR GO\nLIN PTS[JOB]\nLIN PTS[JOB]:{X 0,Y 0,Z 10,A 0,B 0,C 0}"),
        Some(3)
    );
    assert_eq!(found("WAIT FOR GO\nJOB=2\nLIN PTS[JOB]"), Some(1));
    // Points that are not in the list are not known, nor is a place that is no whole number.
    assert_eq!(found("WAIT FOR GO\nLIN FEW[JOB]"), None);
    assert_eq!(found("WAIT FOR GO\nLIN PTS[UP]"), None);
}

/// How far a loop counts, which element is meant and where a move leads is not known then.
#[test]
fn what_a_wait_brings_leads_moves_elsewhere() {
    for body in [
        "LIN_REL {Z H[JOB]}",
        "FOR M=1 TO CNT\nLIN XP2\nLIN XP1\nENDFOR",
        "LIN_REL {Z UP}",
    ] {
        assert_eq!(found(&format!("WAIT FOR GO\n{body}")), None, "{body}");
        assert_eq!(found(body), Some(1), "{body}");
        let set = format!("WAIT FOR GO\nJOB=1\nCNT=2\nUP=3.0\nH[1]=1\nH[2]=1\n{body}");
        let ways = found(&set);
        assert!(ways == Some(1) || body.contains("H["), "{ways:?}: {body}");
    }
}

/// What is taught, what the program sets behind the wait, its own variables and the counters of its
/// loops are what they are.
#[test]
fn ordinary_handshakes_stay_determined() {
    for body in [
        "WAIT FOR GO\nLIN XP2\nGO=FALSE",
        "M=1\nWAIT FOR GO\nIF M==1 THEN\nLIN XP2\nENDIF",
        "WAIT FOR GO\nJOB=1\nCHOICE",
        "FOR K=1 TO 2\nWAIT FOR GO\nLIN_REL {Z 10*K}\nENDFOR",
        "FOR M=1 TO 3\nWAIT FOR GO\nGO=FALSE\nLIN XP2\nLIN XP1\nENDFOR",
        "M=JOB\nWAIT FOR GO\nIF M==1 THEN\nLIN XP2\nENDIF",
        "WAIT FOR $IN[1]\nCHOICE",
        "WAIT FOR $IN[1]\nFOR M=1 TO CNT\nLIN_REL {Z UP}\nENDFOR",
        "JOB=0\n$OUT[1]=TRUE\nWAIT FOR $IN[1]\nJOB=1\nCHOICE",
        "K=1\nWHILE K<=2\nLIN XP2\nLIN XP1\nK=K+1\nENDWHILE",
        // A search, and a flag that the program reads while it waits for nothing.
        "FOR K=1 TO 2\nIF H[K]>15 THEN\nM=K\nENDIF\nWAIT SEC 0.1\nENDFOR\nLIN_REL {Z 5*M}",
        "FOR M=1 TO 2\nIF STOPIT THEN\n$OUT[1]=TRUE\nENDIF\nWAIT SEC 0.1\nENDFOR\nCHOICE",
        "K=0\nLOOP\nK=K+1\nIF K>CNT THEN\nEXIT\nENDIF\nENDLOOP\nLIN_REL {Z UP}",
    ] {
        let ways = found(&body.replace("CHOICE", CHOICE));
        assert_eq!(ways, Some(1), "{body}");
    }
}

/// Whether the counter already holds its first value where the end is worked out is not known.
#[test]
fn a_loop_does_not_count_to_its_own_counter() {
    for body in [
        "N=0\nFOR N=2 TO N\nLIN XP2\nENDFOR",
        "N=1\nFOR M=1 TO 3 STEP M\nLIN XP2\nENDFOR",
        "N=0\nLENT(N)",
        "N=0\nFOR N=2 TO ASKS()\nLIN XP2\nENDFOR",
    ] {
        assert_eq!(found(body), None, "{body}");
    }
    assert_eq!(
        found("K=2\nFOR N=1 TO K\nLIN XP2\nLIN XP1\nENDFOR"),
        Some(1)
    );
    assert_eq!(
        found("N=1\nFOR N=N TO 2\nLIN XP2\nLIN XP1\nENDFOR"),
        Some(1)
    );
}
