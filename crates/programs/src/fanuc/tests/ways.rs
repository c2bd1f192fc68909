//! Ways that join: loops without an end, and conditions on which nothing of the motion depends.

use super::*;

/// The same with another name, and with programs of these lines beside it.
fn read_with(body: &str, programs: &[(&str, &str)]) -> Vec<MoveProgram> {
    let texts: Vec<(String, String)> = programs
        .iter()
        .map(|(name, body)| {
            let text = listing(body).replace("PROG  A", &format!("PROG  {name}"));
            (format!("{name}.LS"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(n, t)| (&**n, &**t)).collect();
    ways_in(&arm("fanuc"), &listing(body), &files)
}

/// Each pair of moves, one after the other, that stands on any way.
fn pairs(ways: &[MoveProgram]) -> std::collections::BTreeSet<(String, String)> {
    let mut found = std::collections::BTreeSet::new();
    for way in ways {
        assert!(way.unknown.is_empty(), "{:?}", way.unknown);
        let labels = way.moves.iter().map(|m| m.label.clone());
        let labels: Vec<String> = labels.collect();
        found.extend(labels.windows(2).map(|w| (w[0].clone(), w[1].clone())));
    }
    found
}

const PICK: (&str, &str) = ("PICK", "J P[2] 20% FINE");
const PLACE: (&str, &str) = ("PLACE", "J P[3] 20% FINE");
const FRAMES: &str = "UFRAME_NUM=1\n";

#[test]
fn main_loops_that_ask_for_signals_end_where_they_come_back() {
    for (end, rest) in [("FINE", "IF DI[3]=ON,CALL HOME\n"), ("CNT100", "")] {
        let body = format!(
            "{FRAMES}LBL[1]\nJ P[1] 50% {end}\nIF DI[1]=ON,CALL PICK\nIF DI[2]=ON,CALL PLACE\n{rest}JMP LBL[1]"
        );
        let ways = read_with(&body, &[PICK, PLACE, ("HOME", "J P[1] 20% CNT50")]);
        assert!(ways.len() <= 32, "{}", ways.len());
        // Every move follows on every one that it can follow on.
        let all = pairs(&ways);
        let told = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let points = ["P[1]", "P[2]", "P[3]"];
        for (a, b) in [(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (0, 0)] {
            assert!(all.contains(&told(points[a], points[b])), "{a} {b} {all:?}");
        }
        assert!(ways.iter().all(|w| w.goes_round));
    }
    // A way on which a register chooses, and never changes, is told as before.
    let told = read_with(
        &format!(
            "{FRAMES}R[1]=0\nLBL[1]\nJ P[1] 50% FINE\nIF DI[1]=ON,CALL PICK\nIF R[1]=1,CALL PLACE\nJMP LBL[1]"
        ),
        &[PICK, PLACE],
    );
    let reasons = told.iter().flat_map(|w| &w.unknown);
    assert!(reasons.into_iter().any(|u| u.reason.contains("no end")));
}

/// At a corner that is rounded it matters where the arm comes from.
#[test]
fn ways_that_come_to_a_corner_from_elsewhere_do_not_join() {
    let body = format!(
        "{FRAMES}UTOOL_NUM=1\nJ P[1] 50% FINE\nIF DI[1]=ON,CALL THERE\nJ P[3] 50% CNT100\nJ P[3] 50% CNT100\nIF DI[2]=ON,UALM[1]\nJ P[1] 60% FINE"
    );
    let ways = read_with(&body, &[("THERE", "J P[5] 50% CNT100")]);
    assert!(ways.iter().all(|w| w.unknown.is_empty()), "{ways:?}");
    let ends = |w: &&MoveProgram| w.moves.last().is_some_and(|m| m.speed == Speed::Share(0.6));
    // From P[1] and from P[5], whatever DI[2] is.
    assert_eq!(ways.iter().filter(ends).count(), 2, "{ways:?}");
}

#[test]
fn conditions_that_the_motion_does_not_depend_on_make_no_ways() {
    let alarms: String = (1..=9)
        .map(|k| format!("IF DI[{k}]=OFF,UALM[{k}]\n"))
        .collect();
    let body =
        format!("{FRAMES}J P[1] 50% FINE\n{alarms}J P[3] 30% CNT10\n{alarms}J P[1] 50% FINE");
    let ways = read_with(&body, &[]);
    assert_eq!(ways.len(), 1, "{ways:?}");
    assert_eq!(ways[0].moves.len(), 3);
    assert!(!ways[0].goes_round);
    // In programs that are called, in blocks, and in loops that try again.
    let grip = format!("{alarms}IF (DI[10]) THEN\nDO[1]=ON\nELSE\nDO[2]=ON\nENDIF");
    let tries: String = (1..=9)
        .map(|k| format!("LBL[{k}]\nDO[{k}]=ON\nWAIT DI[{k}]=ON TIMEOUT,LBL[9{k}]\nJMP LBL[8{k}]\nLBL[9{k}]\nUALM[1]\nJMP LBL[{k}]\nLBL[8{k}]\n"))
        .collect();
    let body = format!("J P[1] 50% FINE\nCALL GRIP\n{tries}J P[1] 50% FINE");
    let ways = read_with(&body, &[("GRIP", &grip)]);
    let whole = ways.iter().filter(|w| w.moves.len() == 2);
    assert_eq!((whole.count(), ways.len()), (1, 2), "{ways:?}");
    // A register that a later move needs is another one on each way.
    let body = "R[1]=1\nIF DI[1]=ON,R[1]=2\nJ P[R[1]] 50% FINE";
    assert_eq!(read_with(&format!("{FRAMES}{body}"), &[]).len(), 2);
}

/// A line comes to one of the postures that a configuration may mean by where it came from.
#[test]
fn ways_that_come_to_a_configuration_by_a_line_do_not_join() {
    let body = format!(
        "{FRAMES}J P[1] 50% FINE\nIF DI[1]=ON,JMP LBL[1]\nJ P[2] 50% FINE\nLBL[1]\nL P[3] 100mm/sec FINE\n\
         IF DI[2]=ON,DO[1]=ON\nJ P[1] 50% FINE"
    );
    let mut told: Vec<String> = Vec::new();
    for way in read_with(&body, &[]) {
        assert!(way.unknown.is_empty(), "{:?}", way.unknown);
        let labels: Vec<&str> = way.moves.iter().map(|m| &*m.label).collect();
        told.push(labels.join(" "));
    }
    told.sort();
    assert_eq!(told, ["P[1] P[2] P[3] P[1]", "P[1] P[3] P[1]"]);
}

/// Where a loop comes back, other groups stand as they did, too: one that moves in neither branch does
/// from the one to the other.
#[test]
fn a_loop_comes_back_with_all_groups() {
    let gun = |number: u32, mm: u32| {
        POSITIONS[..POSITIONS.find("};").unwrap()].replace("P[1]", &format!("P[{number}]"))
            + &format!("   GP2:\n\tUF : 0, UT : 1,\n\tJ1= {mm}.000  mm\n}};\n")
    };
    let mut cell = arm("fanuc");
    said(&mut cell).still = vec!["GP2".into()];
    for (other, moves) in [(10, false), (80, true)] {
        let positions = gun(7, 10) + &gun(8, other);
        let body = "JMP LBL[3]\nLBL[1]\nIF DI[1]=OFF,JMP LBL[2]\nJ P[7] 50% FINE\nJMP LBL[3]\nLBL[2]\nJ P[8] 50% FINE\n\
                    LBL[3]\nJ P[1] 50% FINE\nJMP LBL[1]";
        let text = listing(body)
            .replace("1,*,*,*,*", "1,1,*,*,*")
            .replace("/POS\n", &format!("/POS\n{positions}"));
        let ways = ways_in(&cell, &text, &[]);
        let mut reasons = ways.iter().flat_map(|w| &w.unknown);
        let told = reasons.any(|u| u.reason.contains("moves at the same time"));
        assert_eq!(told, moves, "{ways:?}");
    }
}

/// Behind very many moves that move nothing it is not known how the arm passes its point: ways do not
/// join there.
#[test]
fn ways_do_not_join_where_a_corner_is_not_certain() {
    let many = "J P[1] 50% CNT100\n".repeat(70);
    let body = format!(
        "{FRAMES}J P[2] 50% FINE\nIF DI[1]=ON,JMP LBL[1]\nJ P[3] 50% FINE\nLBL[1]\n{many}IF DI[2]=ON,DO[1]=ON\nJ P[2] 50% FINE"
    );
    let ways = read_with(&body, &[]);
    let ends: Vec<&str> = ways
        .iter()
        .map(|w| &*w.moves.last().unwrap().label)
        .collect();
    assert_eq!(ends, ["P[2]"; 2]);
}

/// Where all ways are one motion, it can run beside other programs; where a loop goes on as another
/// round did, it cannot.
#[test]
fn ways_of_one_motion_are_one_and_those_that_go_on_elsewhere_are_not() {
    let reading = |body: &str| {
        let text = listing(&format!("{FRAMES}{body}"));
        read_beside(&arm("fanuc"), "A.LS", &text, &[]).unwrap()
    };
    for body in [
        "J P[1] 50% FINE\nIF DI[1]=OFF,UALM[1]\nIF DI[2]=OFF,UALM[2]\nJ P[3] 30% FINE",
        "LBL[1]\nJ P[1] 50% FINE\nIF DI[1]=OFF,UALM[1]\nJ P[3] 30% FINE\nJMP LBL[1]",
    ] {
        let one = reading(body);
        assert_eq!((one.ways.len(), one.join), (1, false), "{body}");
    }
    let asks = |k: usize| format!("IF DI[{k}]=ON,JMP LBL[{k}]\nJ P[3] 30% FINE\nLBL[{k}]\n");
    let loops = format!("LBL[1]\nJ P[1] 50% FINE\n{}{}JMP LBL[1]", asks(2), asks(3));
    let parted = reading(&loops);
    assert!(parted.join, "{:?}", parted.ways);
}

#[test]
fn what_only_the_call_says_is_set_by_nothing_else() {
    let chosen = ("CHOSEN", "IF AR[1]=2,JMP LBL[2]\nJ P[2] 20% FINE\nLBL[2]");
    let ways = |call: &str| {
        let body =
            format!("{FRAMES}R[1]=1\nLBL[1]\nJ P[1] 50% FINE\n{call}\nWAIT DI[1]=ON\nJMP LBL[1]");
        read_with(&body, &[chosen])
    };
    let told = ways("CALL CHOSEN(1)").remove(0);
    assert!(told.unknown.is_empty(), "{:?}", told.unknown);
    let told = ways("CALL CHOSEN(R[1])").remove(0);
    assert!(told.unknown[0].reason.contains("no end"));
}

#[test]
fn a_loop_whose_counter_never_comes_back_is_told() {
    let text = listing("R[1]=0\nLBL[1]\nJ P[1] 50% FINE\nR[1]=R[1]+1\nJMP LBL[1]");
    let bounds = crate::Bounds {
        steps: 1_000_000,
        ..crate::Bounds::default()
    };
    let cell = arm("fanuc");
    let read = crate::testing::read_beside(&cell, "A.LS", text.as_bytes(), &[], None, bounds);
    let reason = read.unwrap().ways[0].unknown[0].reason.clone();
    let (made, remedy) = (
        "100001 moves are made",
        "set it anew at the start of the loop",
    );
    assert!(reason.contains(made) && reason.contains(remedy), "{reason}");
}
