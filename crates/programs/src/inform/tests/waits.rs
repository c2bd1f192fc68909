//! Jobs that wait for variables.

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
