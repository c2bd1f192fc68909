//! Registers that nobody reads.

use super::ways::{FRAMES, read_with};
use super::*;

const OTHER: (&str, &str) = ("OTHER", "J P[3] 20% FINE");

/// A main loop that counts, with these programs beside it.
fn counting(count: &str, programs: &[(&str, &str)]) -> Vec<MoveProgram> {
    let body = format!(
        "{FRAMES}R[1]=0\nR[2]=0\nLBL[1]\nJ P[1] 50% FINE\nJ P[2] 50% FINE\n{count}\nJMP LBL[1]"
    );
    read_with(&body, &[programs, &[OTHER]].concat())
}

fn is_known(ways: &[MoveProgram]) -> bool {
    ways.iter().all(|way| way.unknown.is_empty())
}

/// A count for those who look at the pendant is another one in every round, and the loop comes back.
#[test]
fn registers_that_nobody_reads_keep_no_loop_from_coming_back() {
    let count = ("COUNT", "R[1:parts]=R[1:parts]+1\nIF R[1]>=1000,R[1]=0");
    for body in [
        "R[1]=R[1]+1",
        "R[1]=R[1]+1\nGO[1]=R[1]\nDO[1]=(R[1]>5)",
        "R[1]=R[1]+1\nR[2]=R[1] MOD 10\nR[3]=(R[1]+R[2])*2",
        "R[1]=R[1]+1\nIF R[1]>=1000,R[1]=0",
        "R[1]=R[1]+1\nIF R[1]<1000,JMP LBL[2]\n! anew\nR[1]=0\nLBL[2]",
        "R[1]=R[1]+1\nIF R[1]<1000,JMP LBL[1]\nR[1]=0",
        "IF (DI[1]=ON) THEN\nR[1]=R[1]+1\nELSE\nR[2]=R[2]+1\nENDIF\nR[3]=R[1]+R[2]",
        "IF (R[1]>5) THEN\nIF R[1]>7,R[2]=1\nIF (DI[1]) THEN\nR[2]=R[2]+1\nENDIF\nENDIF\nR[1]=R[1]+1",
        "CALL COUNT",
    ] {
        let ways = counting(body, &[count]);
        assert!(is_known(&ways), "{body}: {ways:?}");
        assert_eq!(ways.len(), 1, "{body}: {ways:?}");
        assert!(ways[0].goes_round && ways[0].moves.len() < 8, "{body}");
    }
}

/// Wherever something depends on the count, the round in which it matters is followed.
#[test]
fn registers_that_anything_reads_are_followed() {
    let chosen = ("CHOSEN", "IF AR[1]=3,CALL OTHER");
    let count = ("COUNT", "R[1]=R[1]+1\nIF R[1]=3,CALL OTHER");
    for body in [
        "R[1]=R[1]+1\nIF R[1]=3,CALL OTHER",
        "R[1]=R[1]+1\nIF (R[1]=3) THEN\nCALL OTHER\nENDIF",
        "R[1]=R[1]+1\nIF (R[1]<3) THEN\nR[2]=5\nELSE\nCALL OTHER\nENDIF",
        "R[1]=R[1]+1\nIF R[1]<3,JMP LBL[2]\nCALL OTHER\nLBL[2]",
        "R[1]=R[1]+1\nSELECT R[1]=3,CALL OTHER",
        "R[1]=R[1]+1\nCALL CHOSEN(R[1])",
        "CALL COUNT",
        // By another register, what it is computed of and when it is set.
        "R[1]=R[1]+1\nR[2]=R[1]*2\nIF R[2]=6,CALL OTHER",
        "R[1]=R[1]+1\nIF R[1]=3,R[2]=1\nIF R[2]=1,CALL OTHER",
        "R[1]=R[1]+1\nIF R[1]<3,JMP LBL[2]\nR[2]=1\nLBL[2]\nIF R[2]=1,CALL OTHER",
        "R[1]=R[1]+1\nIF (R[1]=3) THEN\nIF R[3]=R[3],R[2]=1\nENDIF\nIF R[2]=1,CALL OTHER",
        // By a number that is itself in a register.
        "R[1]=R[1]+1\nR[2]=1\nIF R[R[2]]=3,CALL OTHER",
        "R[1]=R[1]+1\nJ P[R[1]] 50% FINE",
        "R[1]=R[1]+1\nIF R[1]>3,JMP LBL[1]\nR[2]=R[1]\nJ P[R[2]] 50% FINE",
    ] {
        let ways = counting(body, &[chosen, count]);
        let mut moves = ways.iter().flat_map(|way| &way.moves);
        assert!(moves.any(|m| m.label == "P[3]"), "{body}: {ways:?}");
    }
    for body in [
        "J P[1] R[1]% FINE",
        "J P[1] 50% CNT R[1]",
        "J P[1] 50% FINE TB .10sec,GO[1]=R[1]",
        "OVERRIDE=R[1]%",
        "WAIT R[1]",
        "PR[1,3]=R[1]",
        "R[2]=1/R[1]",
        "FOR R[2]=1 TO R[1]\nENDFOR",
        "R[R[2]]=0",
        "UALM[R[1]]",
        "CALL SHOW",
        "IF R[1]=3,R[2]=1\nOVERRIDE=R[2]%",
    ] {
        let show = ("SHOW", "OVERRIDE=R[1]%");
        let ways = counting(&format!("R[1]=R[1]+1\n{body}"), &[show]);
        assert!(!is_known(&ways), "{body}: {ways:?}");
    }
}

/// A register that is set while the arm moves, and that the program asks for.
#[test]
fn a_statement_beside_a_move_counts_as_one_that_reads() {
    let ways = counting(
        "J P[1] 50% FINE TB .10sec,R[1]=R[1]+1\nIF R[1]=3,CALL OTHER",
        &[],
    );
    let mut moves = ways.iter().flat_map(|way| &way.moves);
    assert!(moves.any(|m| m.label == "P[3]"), "{ways:?}");
}

/// What stands in a branch that nothing depends on is understood all the same.
#[test]
fn what_is_not_understood_is_told_also_where_nothing_depends_on_it() {
    for body in [
        "IF R[1]>5,R[2]=1 now",
        "IF R[1]>NOBODY,R[2]=1",
        "IF (R[1]>5) THEN\nLBL[3] J P[3] 50% FINE\nENDIF",
        "IF R[1]<5,JMP LBL[2]\nLBL[3] J P[3] 50% FINE\nLBL[2]",
        "IF R[1]>=0,JMP LBL[2]\nR[2]=0\nJ P[3] 50% FINE\nLBL[2]\nR[1]=NOBODY",
    ] {
        let ways = counting(&format!("R[1]=R[1]+1\n{body}"), &[]);
        assert!(!is_known(&ways), "{body}: {ways:?}");
    }
}
