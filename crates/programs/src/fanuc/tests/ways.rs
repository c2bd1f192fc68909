//! Ways that join: loops without an end, and conditions on which nothing of the motion depends.

use super::*;
use crate::lines::testing::{BESIDE_THE_FOOT, ROUND_THE_FOOT};
use crate::{Bounds, testing};

/// The same with another name, and with programs of these lines beside it.
pub(super) fn read_with(body: &str, programs: &[(&str, &str)]) -> Vec<MoveProgram> {
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
pub(super) fn pairs(ways: &[MoveProgram]) -> std::collections::BTreeSet<(String, String)> {
    let mut found = std::collections::BTreeSet::new();
    for way in ways {
        assert!(way.unknown.is_empty(), "{:?}", way.unknown);
        let labels = way.moves.iter().map(|m| m.label.clone());
        let labels: Vec<String> = labels.collect();
        found.extend(labels.windows(2).map(|w| (w[0].clone(), w[1].clone())));
    }
    found
}

pub(super) const PICK: (&str, &str) = ("PICK", "J P[2] 20% FINE");
pub(super) const PLACE: (&str, &str) = ("PLACE", "J P[3] 20% FINE");
pub(super) const FRAMES: &str = "UFRAME_NUM=1\n";

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
    let looped = |n: usize| {
        let asks: String = (2..2 + n).map(asks).collect();
        format!("LBL[1]\nJ P[1] 50% FINE\n{asks}JMP LBL[1]")
    };
    let parted = reading(&looped(2));
    assert!(parted.join, "{:?}", parted.ways);
    // Few ways are followed to their ends, and join where there are too many.
    for (asks, join) in [(2, false), (9, true)] {
        let text = listing(&format!("{FRAMES}{}", looped(asks)));
        let bounds = Bounds::default();
        let files: &[(&str, &str)] = &[];
        let (cell, bytes) = (arm("fanuc"), text.as_bytes());
        let reading = testing::read_beside(&cell, "A.LS", bytes, files, None, bounds).unwrap();
        assert_eq!(reading.join, join, "{asks}");
        let unknown = reading.ways.iter().any(|way| !way.unknown.is_empty());
        assert!(reading.ways.len() > 1 && !unknown, "{:?}", reading.ways);
    }
}

#[test]
fn what_only_the_call_says_is_set_by_nothing_else() {
    let chosen = ("CHOSEN", "IF AR[1]=2,JMP LBL[2]\nJ P[2] 20% FINE\nLBL[2]");
    let ways = |call: &str| {
        let body =
            format!("{FRAMES}R[1]=1\nLBL[1]\nJ P[1] 50% FINE\n{call}\nWAIT DI[1]=ON\nJMP LBL[1]");
        read_with(&body, &[chosen])
    };
    let of_call = ("P[1]".to_owned(), "P[2]".to_owned());
    let stays = ("P[1]".to_owned(), "P[1]".to_owned());
    assert_eq!(pairs(&ways("CALL CHOSEN(1)")).len(), 2);
    assert!(!pairs(&ways("CALL CHOSEN(1)")).contains(&stays));
    let told = pairs(&ways("CALL CHOSEN(R[1])"));
    assert!(told.contains(&of_call) && told.contains(&stays), "{told:?}");
}

/// Ways that end where another one went on, and add no motion, are not counted.
#[test]
fn ways_that_add_no_motion_are_not_counted() {
    let alarms: String = (1..=70)
        .map(|k| format!("IF DI[{k}]=OFF,UALM[{k}]\n"))
        .collect();
    let blocks: String = (1..=40)
        .map(|k| format!("IF (DI[{k}]=OFF) THEN\nDO[1]=ON\nENDIF\n"))
        .collect();
    let parts = "FOR R[1]=1 TO 22\nIF DI[1]=OFF,UALM[1]\nJ P[2] 50% FINE\nIF DI[2]=OFF,UALM[2]\n\
                 J P[3] 50% FINE\nIF DI[3]=OFF,UALM[3]\nENDFOR\n";
    for body in [&alarms, &blocks, parts] {
        let ways = read_with(
            &format!("{FRAMES}J P[1] 50% FINE\n{body}J P[2] 50% FINE"),
            &[],
        );
        assert_eq!(ways.len(), 1, "{ways:?}");
        assert!(ways[0].unknown.is_empty(), "{:?}", ways[0].unknown);
    }
}

/// A loop that is counted by a register and a jump: the count is a part of the state.
#[test]
fn ways_join_in_loops_that_are_counted_by_jumps() {
    let body = format!(
        "{FRAMES}R[1]=0\nJ P[1] 100% FINE\nLBL[1]\nIF DI[2]=OFF,UALM[2]\nJ P[2] 100% FINE\nJ P[3] 100% FINE\n\
         R[1]=R[1]+1\nIF R[1]<12,JMP LBL[1]"
    );
    let ways = read_with(&body, &[]);
    assert_eq!((ways.len(), ways[0].moves.len()), (1, 25), "{ways:?}");
    assert!(ways[0].unknown.is_empty(), "{:?}", ways[0].unknown);
}

/// What the values of the program have answered since two ways parted is asked by the one alone: a
/// loop that goes there, and asks for what never changes, is followed as a whole.
#[test]
fn ways_that_have_asked_since_they_parted_do_not_join() {
    let body = format!(
        "{FRAMES}R[1]=1\nLBL[1]\nJ P[1] 50% FINE\nIF DI[3]=ON,UALM[1]\nIF DI[1]=ON,JMP LBL[3]\nJ P[R[1]] 50% FINE\n\
         IF DI[2]=ON,JMP LBL[8]\nLBL[3]\nJ P[1] 50% FINE\nJMP LBL[1]\nLBL[8]\nEND"
    );
    let ways = read_with(&body, &[]);
    let mut reasons = ways.iter().flat_map(|way| &way.unknown);
    assert!(reasons.any(|u| u.reason.contains("no end")), "{ways:?}");
}

/// A register that the program sets to several values in a loop is its own affair, where it bounds
/// another loop; one that it only sets back may be written by something else.
#[test]
fn registers_that_a_loop_sets_to_several_values_are_its_own() {
    let several = "R[5]=2\nJ P[2] 50% FINE\nR[5]=1\nTIMES";
    let set_back = "R[5]=1\nDO[1]=ON\nWAIT DI[1]=ON\nTIMES";
    let copied = "R[5]=2\nJ P[2] 50% FINE\nR[5]=R[6]\nTIMES";
    for (asks, own) in [(several, true), (set_back, false), (copied, false)] {
        let body = format!("{FRAMES}R[6]=1\nR[5]=1\nJ P[1] 100% FINE\nLBL[9]\n{asks}\nJMP LBL[9]");
        let times = "FOR R[7]=1 TO R[5]\nJ P[3] 50% FINE\nENDFOR";
        let body = body.replace("TIMES", times);
        let ways = read_with(&body, &[]);
        let mut reasons = ways.iter().flat_map(|way| &way.unknown);
        let told = reasons.any(|u| u.reason.contains("no end"));
        assert_eq!(told, !own, "{asks}: {ways:?}");
        assert!(own || ways.iter().any(|w| !w.unknown.is_empty()));
    }
}

/// The same point from another line is the same state.
#[test]
fn lines_that_come_to_the_same_point_join() {
    let calls: String = (1..=8)
        .map(|k| format!("IF DI[{k}]=ON,CALL S{k}\n"))
        .collect();
    let body = format!("{FRAMES}J P[1] 50% FINE\nLBL[1]\n{calls}JMP LBL[1]");
    let subs: Vec<(String, String)> = (1..=8)
        .map(|k| {
            (
                format!("S{k}"),
                format!("J P[{}] {k}0% FINE\nJ P[1] {k}0% FINE", 2 + k % 2),
            )
        })
        .collect();
    let subs: Vec<(&str, &str)> = subs.iter().map(|(n, b)| (&**n, &**b)).collect();
    let ways = read_with(&body, &subs);
    let all = pairs(&ways);
    for (a, b) in [
        ("P[1]", "P[2]"),
        ("P[1]", "P[3]"),
        ("P[2]", "P[1]"),
        ("P[3]", "P[1]"),
    ] {
        assert!(
            all.contains(&(a.to_owned(), b.to_owned())),
            "{a} {b} {all:?}"
        );
    }
}

/// Loops within loops: a way ends where it comes back to a state of its own.
#[test]
fn loops_in_called_programs_of_a_main_loop_end_where_they_come_back() {
    let inner = "LBL[1]\nIF DI[1]=OFF,JMP LBL[9]\nJ P[2] 50% FINE\nIF DI[2]=OFF,JMP LBL[2]\nJ P[3] 50% FINE\nLBL[2]\n\
                 IF DI[3]=OFF,JMP LBL[1]\nJ P[1] 20% FINE\nJMP LBL[1]\nLBL[9]";
    let body = format!("{FRAMES}LBL[1]\nJ P[1] 50% FINE\nCALL INNER\nJMP LBL[1]");
    let ways = read_with(&body, &[("INNER", inner)]);
    let all = pairs(&ways);
    let points = ["P[1]", "P[2]", "P[3]"];
    for (a, b) in [(0, 1), (1, 2), (1, 1), (2, 1), (2, 0), (1, 0), (0, 0)] {
        let told = (points[a].to_owned(), points[b].to_owned());
        assert!(all.contains(&told), "{told:?} {all:?}");
    }
}

#[test]
fn a_loop_whose_counter_never_comes_back_is_told() {
    let text = listing("R[1]=0\nLBL[1]\nJ P[1] R[1]% FINE\nR[1]=R[1]+1\nJMP LBL[1]");
    let bounds = Bounds::default();
    let cell = arm("fanuc");
    let read = testing::read_beside(&cell, "A.LS", text.as_bytes(), &[], None, bounds);
    let reason = read.unwrap().ways[0].unknown[0].reason.clone();
    let (made, remedy) = (
        "100001 moves are made",
        "set it anew at the start of the loop",
    );
    assert!(reason.contains(made) && reason.contains(remedy), "{reason}");
}

/// A wrist that turns on leaves the configuration that its points state, which is seen where the motion
/// is laid.
#[test]
fn a_loop_of_lines_comes_back() {
    // Only the last joint turns between them.
    let position = |(number, turned): (usize, usize)| {
        format!(
            "P[{number}]{{\n   GP1:\n\tUF : 0, UT : 0,\t\tCONFIG : 'N U T, 0, 0, 0',\n\
             \tX = 886.6025 mm,\tY = 0 mm,\tZ = 1050 mm,\n\tW = {turned} deg,\tP = 30 deg,\tR = 0 deg\n}};\n"
        )
    };
    let start =
        POSITIONS[..POSITIONS.find("P[2:").unwrap()].replace("UF : 0, UT : 1", "UF : 0, UT : 0");
    let start = ["10", "20", "-30", "40", "60"]
        .into_iter()
        .fold(start, |text, number| {
            text.replacen(&format!("= {number}.000 deg"), "= 0 deg", 1)
        });
    let start = start.replace("-50.000", "-30.000");
    let positions: String = [(2, 0), (3, 60)].map(position).concat();
    let looped = |points: &[usize], end: &str| {
        let line = |k: &usize| format!("L P[{k}] 9mm/sec {end}\n");
        let lines: String = points.iter().map(line).collect();
        let text = listing(&format!(
            "UFRAME_NUM=0\nUTOOL_NUM=0\nJ P[1] 50% FINE\nLBL[1]\n{lines}IF DI[1]=ON,JMP LBL[1]\nL P[2] 9mm/sec FINE"
        ));
        ways_in(
            &arm("fanuc"),
            &text.replace(POSITIONS, &(start.clone() + &positions)),
            &[],
        )
    };
    for end in ["FINE", "CNT50"] {
        let ways = looped(&[2, 3], end);
        let moves: usize = ways.iter().map(|way| way.moves.len()).sum();
        assert!(moves < 30, "{moves}");
        assert!(ways.iter().all(|way| way.unknown.is_empty()), "{ways:?}");
    }
}

/// Incremental moves state no configuration: a loop of them that leads round the foot of the arm comes
/// back to its pose with the first joint a turn further.
#[test]
fn a_loop_of_increments_comes_back_if_the_arm_stands_the_same() {
    // The tool points down all the time.
    let start = "P[1]{\n   GP1:\n\tUF : 0, UT : 0,\n\tJ1= 0 deg,\tJ2= 0 deg,\tJ3= 0 deg,\n\
                 \tJ4= 0 deg,\tJ5= -90 deg,\tJ6= 0 deg\n};\n";
    let pose = |number: usize, [x, y, z, about_y]: [i32; 4]| {
        format!(
            "P[{number}]{{\n   GP1:\n\tUF : 0, UT : 0,\t\tCONFIG : 'N U T, 0, 0, 0',\n\
             \tX = {x} mm,\tY = {y} mm,\tZ = {z} mm,\n\tW = 0 deg,\tP = {about_y} deg,\tR = 0 deg\n}};\n"
        )
    };
    let read = |steps: &[[i32; 3]]| {
        let mut positions = start.to_owned() + &pose(2, [800, 0, 1000, 90]);
        let mut lines = String::new();
        for (&[x, y, z], number) in steps.iter().zip(3..) {
            positions += &pose(number, [x, y, z, 0]);
            lines += &format!("L P[{number}] 9mm/sec FINE INC\n");
        }
        let body = format!(
            "UFRAME_NUM=0\nUTOOL_NUM=0\nJ P[1] 50% FINE\nL P[2] 9mm/sec FINE\nLBL[1]\n{lines}JMP LBL[1]"
        );
        let text = listing(&body).replace(POSITIONS, &positions);
        let [way] = <[_; 1]>::try_from(ways_in(&arm("fanuc"), &text, &[])).unwrap();
        assert!(way.goes_round && way.moves.len() < 30, "{way:?}");
        way.unknown.first().map(|first| first.reason.clone())
    };
    assert_eq!(read(&BESIDE_THE_FOOT), None);
    let told = read(&ROUND_THE_FOOT).unwrap_or_default();
    assert!(told.contains("does not stand as it did"), "{told}");
}
