//! Jobs that wait for variables.

use super::doubts::WITH_P;
use super::*;

fn labels(ways: &[MoveProgram]) -> Vec<Vec<&str>> {
    let of = |way: &'_ MoveProgram| way.unknown.is_empty();
    assert!(ways.iter().all(of), "{ways:?}");
    let labels = ways.iter().map(|way| way.moves.iter().map(|m| &*m.label));
    labels.map(Iterator::collect).collect()
}

/// A main loop that waits for a number in a variable, serves it and acknowledges it.
#[test]
fn jobs_that_something_else_asks_for_are_all_followed() {
    let jumps = "*B\nTIMER T=0.10\nJUMP *B IF B005=0";
    let whiles = "WHILEEXP B005=0\nTIMER T=0.10\nENDWHILE";
    let cases = ["WAIT B005<>0", jumps, whiles].map(|waits| ["", "INC I000\n"].map(|n| (waits, n)));
    for (waits, count) in cases.into_iter().flatten() {
        let body = format!(
            "SET I000 0\nSET B005 0\n*A\nMOVJ C00000 VJ=50.00 PL=0\n{waits}\nIFTHENEXP B005=1\nMOVJ C00001 VJ=50.00 PL=0\n\
             ELSEIFEXP B005=2\nMOVJ C00002 VJ=50.00 PL=0\nENDIF\n{count}SET B005 0\nJUMP *A"
        );
        let ways = ways(&body);
        let all = labels(&ways);
        let follows = |a: &str, b: &str| all.iter().any(|way| way.windows(2).any(|w| w == [a, b]));
        for other in ["C00001", "C00002", "C00000"] {
            assert!(
                follows("C00000", other) && follows(other, "C00000"),
                "{all:?}"
            );
        }
        assert!(ways.iter().all(|way| way.goes_round));
    }
}

/// What something else sets is set at any time, and other variables may be set with it.
#[test]
fn what_may_be_set_with_a_variable_that_is_waited_for_is_not_known() {
    let moves = "IFTHENEXP B00X=2\nMOVJ C00002 VJ=50.00 PL=0\nENDIF";
    for (body, asked) in [
        ("SET B005 0\nWAIT B005<>0\nASK", "B005"),
        ("WAIT B005<>0\nSET B005 0\nASK", "B005"),
        ("SET B005 0\nASK\nWAIT B005<>0 T=1.00", "B005"),
        ("SET B006 0\nWAIT B005<>0\nASK", "B006"),
        ("SET B006 0\nWAIT B005<>B007\nASK", "B006"),
        (
            "*B\nTIMER T=0.10\nJUMP *B IF B005=0\nSET B005 0\nASK",
            "B005",
        ),
        (
            "SET B006 0\nWHILEEXP B005=0\nTIMER T=0.10\nENDWHILE\nASK",
            "B006",
        ),
    ] {
        let body = body.replace("ASK", &moves.replace("B00X", asked));
        let ways = ways(&format!(
            "MOVJ C00000 VJ=50.00 PL=0\n{body}\nMOVJ C00000 VJ=50.00 PL=0"
        ));
        let all = labels(&ways);
        assert!(
            all.iter().any(|way| way.contains(&"C00002")),
            "{body}: {ways:?}"
        );
    }
    // Nothing else sets a variable of the job itself.
    let own = ways(
        "SET LB006 0\nWAIT B005<>0\nMOVJ C00001 VJ=50.00 PL=0\nIFTHENEXP LB006=2\nMOVJ C00002 VJ=50.00 PL=0\nENDIF",
    );
    assert_eq!(labels(&own), [["C00001"]]);
}

/// Who sets the variable for which a job waits hands over positions with it.
#[test]
fn position_variables_are_not_known_behind_a_wait_for_a_variable() {
    let read = |still: &[&str], body: &str| {
        let mut cell = arm("inform");
        said(&mut cell).still = still.iter().map(|name| (*name).into()).collect();
        let ways = ways_in(&cell, &job(WITH_P, body), &[]);
        let unknown = ways.into_iter().flat_map(|way| way.unknown);
        unknown.map(|u| u.reason).collect::<Vec<String>>()
    };
    let goes = "MOVJ P001 VJ=10.0 PL=0";
    for wait in [
        "WAIT B005=1\n",
        "SET P001 P002\nWAIT B005=1\n",
        "*B\nTIMER T=0.10\nJUMP *B IF B005=0\n",
    ] {
        let body = format!("{wait}{goes}");
        // A pattern for jobs does not mean it.
        let told = read(&["P*"], &body);
        assert!(
            told.iter()
                .any(|told| told.contains("`still = [\"P001\"]`")),
            "{body}: {told:?}"
        );
        let told = read(&["P001"], &body);
        assert!(told.is_empty(), "{body}: {told:?}");
    }
    for wait in ["WAIT IN#(1)=ON\n", "WAIT B005=1\nSET P001 P002\n"] {
        let told = read(&["P002"], &format!("{wait}{goes}"));
        assert!(told.is_empty(), "{wait}: {told:?}");
    }
}
