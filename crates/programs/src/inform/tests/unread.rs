//! Variables that nobody reads.

use super::*;

/// A main loop that counts, with a job that moves elsewhere beside it and others.
fn counting(count: &str, jobs: &[(&str, &str)]) -> Vec<MoveProgram> {
    let body = format!(
        "SET B000 0\nSET B001 0\nSET I000 0\n*A\nMOVJ C00000 VJ=50.00 PL=0\nMOVJ C00001 VJ=50.00 PL=0\n{count}\nJUMP *A"
    );
    let other = [("OTHER", "MOVJ C00002 VJ=20.00 PL=0")];
    let texts: Vec<(String, String)> = (jobs.iter().chain(&other))
        .map(|(name, body)| {
            let text = job(LIST, body).replace("//NAME A", &format!("//NAME {name}"));
            (format!("{name}.JBI"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(n, t)| (&**n, &**t)).collect();
    ways_in(&arm("inform"), &job(LIST, &body), &files)
}

fn is_known(ways: &[MoveProgram]) -> bool {
    ways.iter().all(|way| way.unknown.is_empty())
}

fn goes_elsewhere(ways: &[MoveProgram]) -> bool {
    let mut moves = ways.iter().flat_map(|way| &way.moves);
    moves.any(|step| step.label == "C00002")
}

/// A count for those who look at the pendant is another one in every round, and the loop comes back.
#[test]
fn variables_that_nobody_reads_keep_no_loop_from_coming_back() {
    let count = ("COUNT", "INC B000\nJUMP *E IF B000<100\nSET B000 0\n*E");
    for body in [
        "INC B000",
        "INC I000\nADD D001 I000\nDOUT OG#(1) B000\nINC B000",
        "INC B000\nIFTHENEXP B000>=100\nSET B000 0\nENDIF",
        "INC B000\nJUMP *B IF B000<100\nSET B000 0\n*B",
        "INC B000\nJUMP *A IF B000<B003\nSET B000 0",
        "IFTHENEXP IN#(1)=ON\nINC B000\nELSE\nINC B001\nENDIF\nSET B002 B000\nADD B002 B001",
        "INC LB000\nSET LB001 LB000\nDIV LB001 2",
        "CALL JOB:COUNT",
    ] {
        let ways = counting(body, &[count]);
        assert!(is_known(&ways), "{body}: {ways:?}");
        assert_eq!(ways.len(), 1, "{body}: {ways:?}");
        assert!(ways[0].goes_round && ways[0].moves.len() < 8, "{body}");
    }
}

/// Wherever something depends on the count, the round in which it matters is followed.
#[test]
fn variables_that_anything_reads_are_followed() {
    let count = ("COUNT", "INC B000\nCALL JOB:OTHER IF B000=3");
    for body in [
        "INC B000\nCALL JOB:OTHER IF B000=3",
        "INC B000\nIFTHENEXP B000=3\nCALL JOB:OTHER\nENDIF",
        "INC B000\nIFTHENEXP B000<3\nSET B001 5\nELSE\nCALL JOB:OTHER\nENDIF",
        "INC B000\nIFTHENEXP B000<3\nSET B001 5\nELSEIFEXP B000=3\nCALL JOB:OTHER\nENDIF",
        "INC B000\nJUMP *B IF B000<3\nCALL JOB:OTHER\n*B",
        "INC B000\nWHILEEXP B000=3\nCALL JOB:OTHER\nINC B000\nENDWHILE",
        "CALL JOB:COUNT",
        // By another variable, what it is computed of and when it is set.
        "INC B000\nSET B001 B000\nCALL JOB:OTHER IF B001=3",
        "INC B000\nIFTHENEXP B000=3\nSET B001 1\nENDIF\nCALL JOB:OTHER IF B001=1",
        "INC B000\nJUMP *B IF B000<3\nSET B001 1\n*B\nCALL JOB:OTHER IF B001=1",
        // By a number that is itself in a variable.
        "INC B000\nSET B001 0\nCALL JOB:OTHER IF B[B001]=3",
    ] {
        let ways = counting(body, &[count]);
        assert!(goes_elsewhere(&ways), "{body}: {ways:?}");
    }
    for body in [
        "MOVJ C00000 VJ=I000 PL=0",
        "MOVL C00000 V=I000 PL=0",
        "MOVJ C00000 VJ=50.00 PL=I000",
        "MOVJ C00000 VJ=50.00 CR=I000",
        "MOVJ P[I000] VJ=50.00",
        "SET P001 P[I000]",
        "TIMER T=I000",
        "SPEED VJ=I000",
        "DIV B001 I000",
        "SET I[B001] 0",
        "SET I001 I000\nMOVJ C00000 VJ=I001 PL=0",
        "IFTHENEXP IN#(1)=ON\nDOUT OT#(1) ON\nELSEIFEXP I000=3\nDOUT OT#(1) OFF\nENDIF",
    ] {
        let ways = counting(&format!("INC I000\n{body}"), &[]);
        assert!(!is_known(&ways), "{body}: {ways:?}");
    }
}

/// What stands in a branch that nothing depends on is understood all the same.
#[test]
fn what_is_not_understood_is_told_also_where_nothing_depends_on_it() {
    for body in [
        "IFTHENEXP B000>5 now\nSET B001 1\nENDIF",
        "IFTHENEXP B000>NOBODY\nSET B001 1\nENDIF",
        "JUMP *B IF B000<5\n*C MOVJ C00002 VJ=50.00\n*B",
        "SET B001 NOBODY",
    ] {
        let ways = counting(&format!("INC B000\n{body}"), &[]);
        assert!(!is_known(&ways), "{body}: {ways:?}");
    }
}
