//! Jobs that a controller may run with another motion than the first one that comes to mind.

use super::*;

pub(super) const WITH_P: &str = "///TOOL 1
///POSTYPE PULSE
///PULSE
C00000=10000,40000,45000,32000,45000,30000
P00001=11000,40000,45000,32000,45000,30000
P00002=12000,40000,45000,32000,45000,30000
";

#[test]
fn what_something_else_ends_is_told() {
    for (body, says) in [
        (
            "WAIT LB000=1 T=1.00\nMOVJ C001 VJ=1.0",
            "waits for a variable",
        ),
        ("WAIT IN#(1)=B[1]\nMOVJ C001 VJ=1.0", "waits for a variable"),
    ] {
        let told = reason(&job(LIST, body));
        assert!(told.contains(says), "{body}: {told}");
    }
    assert_eq!(
        known("WAIT IN#(1)=ON T=1.00\nMOVJ C001 VJ=1.0").moves.len(),
        1
    );
}

#[test]
fn what_a_job_changes_is_another_one_at_its_next_start() {
    let other = job(WITH_P, "SET P001 P002").replace("NAME A", "NAME B");
    for (body, says) in [
        ("MOVJ P001 VJ=1.0\nSET P001 P002", "P001 is changed in line"),
        ("MOVJ P001 VJ=1.0\nADD P001 P002", "next start"),
        ("MOVJ P001 VJ=1.0\nGETS P001 $PX000", "next start"),
        (
            "MOVJ P001 VJ=1.0\nSET B000 1\nSET P[B000] P002",
            "next start",
        ),
        ("MOVJ P001 VJ=1.0\nCALL JOB:B", "of B.JBI"),
    ] {
        let ways = ways_in(&arm("inform"), &job(WITH_P, body), &[("B.JBI", &other)]);
        let told = ways.iter().find_map(|w| w.unknown.first());
        let told = told.unwrap_or_else(|| panic!("it is known: {body}"));
        assert!(told.reason.contains(says), "{body}: {}", told.reason);
    }
    let ways = |body: &str| ways_in(&arm("inform"), &job(WITH_P, body), &[]).remove(0);
    for body in [
        "SET P001 P002\nMOVJ P001 VJ=1.0",
        "MOVJ P001 VJ=1.0\nSET P003 P001",
    ] {
        let way = ways(body);
        assert!(way.unknown.is_empty(), "{body}: {:?}", way.unknown);
        assert_eq!(way.moves.len(), 1);
    }
}

#[test]
fn poses_in_the_base_frame_need_the_place_of_the_carriage() {
    let list = LIST.replace("POSTYPE USER", "POSTYPE BASE");
    let mut cell = arm("inform");
    said(&mut cell).still = vec!["BS1".into()];
    let on_carriage = |list: &str| {
        let text = job(list, "MOVJ C003 VJ=1.0").replace("RB1\n", "RB1,BS1\n");
        ways_in(&cell, &text, &[]).remove(0).unknown
    };
    let told = on_carriage(&list);
    assert!(
        told.len() == 1 && told[0].reason.contains("carriage"),
        "{told:?}"
    );
    assert_eq!(
        on_carriage(&LIST.replace("POSTYPE USER", "POSTYPE ROBOT")),
        []
    );
    let alone = ways_in(&cell, &job(&list, "MOVJ C003 VJ=1.0"), &[]).remove(0);
    assert_eq!(alone.unknown, []);
}

#[test]
fn what_is_stated_in_two_ways_is_told() {
    for k in 3..6 {
        let mut numbers = ["0"; 6];
        numbers[k] = "1";
        let list = LIST.replace("0,0,0,0,0,0", &numbers.join(","));
        let told = reason(&job(&list, "MOVJ C003 VJ=1.0"));
        assert!(told.contains("half a turn"), "{told}");
    }
    for (body, says) in [
        ("*A MOVJ C001 VJ=1.0", "more than a label"),
        ("CLEAR P001 ALL\nMOVJ C001 VJ=1.0", "CLEAR"),
    ] {
        let told = reason(&job(LIST, body));
        assert!(told.contains(says), "{body}: {told}");
    }
    let way = known(
        "CLEAR B000 ALL\nMOVJ C000 VJ=1.0\nMOVL C001 V=1.0 PL=0 CR=5.0\nMOVL C000 V=1.0 PL=0",
    );
    let zones: Vec<_> = way.moves.iter().map(|m| m.zone).collect();
    assert_eq!(zones, [Zone::Unknown, Zone::Unknown, Zone::Stop]);
}

#[test]
fn fractions_have_seven_digits() {
    // In 32 bits ten times .1 is more than 1.
    let body = "SET R000 0\n*L\nMOVJ C000 VJ=1.0\nADD R000 0.1\nJUMP *L IF R000<1";
    let mut moves: Vec<usize> = ways(body).iter().map(|w| w.moves.len()).collect();
    moves.sort_unstable();
    assert_eq!(moves, [10, 11]);
    assert_eq!(known(&body.replace("0.1\n", "0.25\n")).moves.len(), 4);
}

#[test]
fn jobs_that_go_on_for_ever_have_an_end() {
    // No move of it states where the arm stands, so every round compares all of them.
    let body = "SET D000 0\nMOVJ C000 VJ=1.0 PL=0\n*A\nIMOV P001 V=1.0 RF\nINC D000\nSPEED V=D000\nJUMP *A";
    assert!(reason(&job(LIST, body)).contains("so much was computed"));
    let lines = "'\n".repeat(1000);
    let body =
        format!("SET D000 0\n*A\nINC D000\nSPEED V=D000\nIFTHENEXP D000<0\n{lines}ENDIF\nJUMP *A");
    assert!(reason(&job(LIST, &body)).contains("so much was computed"));
}

#[test]
fn a_tool_passes_the_point_in_between_of_an_arc_as_it_is_taught() {
    let list = LIST.replace("///TOOL 2\n", "");
    let arc = "MOVC C000 V=50.0\nMOVC C001 V=50.0\nMOVC C002 V=50.0 PL=0";
    let told = |list: &str| {
        ways_in(&arm("inform"), &job(list, arc), &[])
            .remove(0)
            .unknown
    };
    assert_eq!(told(&list), []);
    let turned = list.replace(
        "C00001=11000,40000,45000,32000,45000,30000",
        "C00001=11000,40000,45000,32000,45000,40000",
    );
    let told = told(&turned);
    assert!(
        told.len() == 1 && told[0].reason.contains("point in between"),
        "{told:?}"
    );
}

#[test]
fn arcs_are_whole_where_a_job_goes_on_elsewhere() {
    let list = LIST.replace("///TOOL 2\n", "");
    let other = job(&list, "MOVC C001 V=50.0\nMOVC C002 V=50.0").replace("NAME A", "NAME B");
    for body in [
        "MOVC C000 V=50.0\nMOVC C001 V=50.0\nJUMP *A\n*A\nMOVC C002 V=50.0 PL=0",
        "MOVC C000 V=50.0\nCALL JOB:B",
    ] {
        let ways = ways_in(&arm("inform"), &job(&list, body), &[("B.JBI", &other)]);
        let told = &ways[0].unknown;
        assert!(
            told.iter()
                .any(|t| t.reason.contains("three MOVC in a row")),
            "{body}: {told:?}"
        );
    }
}

#[test]
fn a_line_is_one_instruction() {
    for first in ["DOUT OT#(1) ON", "TIMER T=1.00", "WAIT IN#(1)=ON T=1.00"] {
        for behind in ["JUMP *A", "CALL JOB:B", "SET B000 1", "MOVJ C000 VJ=1.0"] {
            let told = reason(&job(
                LIST,
                &format!("{first} {behind}\n*A\nMOVJ C000 VJ=1.0"),
            ));
            assert!(
                told.contains("is not understood"),
                "{first} {behind}: {told}"
            );
        }
    }
    assert_eq!(known("MSG \"CALL JUMP\"\nMOVJ C000 VJ=1.0").moves.len(), 1);
}

#[test]
fn variables_of_a_job_are_its_own() {
    let own = |list: &str, body: &str| {
        job(list, body).replace("RB1\n", "RB1\n///LVARS 1,0,0,0,0,0,0,0\n")
    };
    let text = own(
        LIST,
        "SET LB000 1\nMOVJ C[LB000] VJ=1.0\nCALL JOB:B\nMOVJ C[LB000] VJ=1.0",
    );
    let way = |other: &str| {
        let other = own(LIST, other).replace("NAME A", "NAME B");
        ways_in(&arm("inform"), &text, &[("B.JBI", &other)]).remove(0)
    };
    let called = way("SET LB000 0\nMOVJ C[LB000] VJ=1.0");
    assert_eq!(called.unknown, []);
    assert_eq!(
        short(&called),
        "J[11 20 30 40 50 60] J[10 20 30 40 50 60] J[11 20 30 40 50 60]"
    );
    let told = way("MOVJ C[LB000] VJ=1.0").unknown;
    assert!(told[0].reason.contains("has not set `LB000`"), "{told:?}");
}

/// Catches a line whose configuration is taken for certain, although nothing says that it is bound
/// by it.
#[test]
fn the_configuration_of_a_first_line_is_taken_for_granted() {
    let assumed = |body: &str| {
        let reading = read_beside(&arm("inform"), "A.JBI", &job(LIST, body), &[]);
        reading.unwrap().assumed
    };
    let [taken] = &assumed("MOVL C00003 V=250.0 PL=0")[..] else {
        panic!("a line goes first");
    };
    assert!(taken.message.contains("may not be bound"), "{taken:?}");
    for bound in [
        "MOVJ C00003 VJ=25.00 PL=0\nMOVL C00003 V=250.0 PL=0",
        "MOVL C00000 V=250.0 PL=0",
    ] {
        assert_eq!(assumed(bound), [], "{bound}");
    }
}

/// Regression: the end of a job that has cleared the stack led back to the job that called it.
#[test]
fn a_job_that_clears_the_stack_is_not_followed() {
    let other = job(LIST, "CLEAR STACK\nMOVJ C001 VJ=1.0").replace("NAME A", "NAME B");
    let ways = ways_in(
        &arm("inform"),
        &job(LIST, "CALL JOB:B\nMOVJ C000 VJ=1.0"),
        &[("B.JBI", &other)],
    );
    let told = ways.iter().find_map(|way| way.unknown.first());
    assert!(
        told.is_some_and(|why| why.reason.contains("`CLEAR STACK` in a job")),
        "{ways:?}"
    );
    // Where nobody has called, there is nothing to come back to.
    assert_eq!(known("CLEAR STACK\nMOVJ C001 VJ=1.0").moves.len(), 1);
}

/// Jobs that jump to themselves or to one another go round for ever, as the lines of one do. Catches
/// jumps that are taken for calls, and rings that end before the arm is back at their first point.
#[test]
fn jobs_that_jump_to_one_another_go_round() {
    let points =
        "///TOOL 1\n///POSTYPE PULSE\n///PULSE\nC00000=15000,40000,45000,32000,45000,30000\n";
    let other = |body: &str| job(points, body).replace("NAME A", "NAME B");
    let b = other("MOVJ C000 VJ=1.0 PL=0\nJUMP JOB:A");
    for (body, moves) in [
        (
            "MOVJ C000 VJ=1.0 PL=0\nMOVJ C001 VJ=1.0 PL=0\nJUMP JOB:A",
            3,
        ),
        ("MOVJ C001 VJ=1.0 PL=0\nJUMP JOB:B", 3),
    ] {
        let text = job(LIST, &format!("SET B001 0\n{body}"));
        let ways = ways_in(&arm("inform"), &text, &[("B.JBI", &b)]);
        let [way] = &ways[..] else {
            panic!("{body}: {ways:?}");
        };
        assert!(way.unknown.is_empty(), "{body}: {:?}", way.unknown);
        assert!(
            way.goes_round && way.moves.len() >= moves,
            "{body}: {way:?}"
        );
    }
    // A job that only jumps on leaves all as it was, and the next one is another job.
    let text = job(LIST, "MOVJ C001 VJ=1.0 PL=0\nJUMP JOB:B");
    let on = other("JUMP JOB:C");
    let last = other("MOVJ C000 VJ=1.0 PL=0").replace("NAME B", "NAME C");
    let ways = ways_in(&arm("inform"), &text, &[("B.JBI", &on), ("C.JBI", &last)]);
    assert_eq!((ways[0].moves.len(), ways[0].goes_round), (2, false));
    // Each round is another one.
    let text = job(LIST, "SET D000 0\nJUMP JOB:B");
    let counts = other("MOVJ C000 VJ=1.0 PL=0\nINC D000\nRET IF D000=1000000\nJUMP JOB:B");
    let way = ways_in(&arm("inform"), &text, &[("B.JBI", &counts)]).remove(0);
    assert!(!way.unknown.is_empty(), "{way:?}");
}

/// What EXPRESS computes is not known, and a text is nothing that a move depends on.
#[test]
fn expressions_and_texts_lose_no_more_than_their_variables() {
    let all = ways(
        "WAIT IN#(1)=ON T=1.00\nWAIT IN#(1)=ON T=I005\nCWAIT\nSET S000 \"MOVJ C001\"\nSET LS001 S000\nSET B001 1\nSET B000 EXPRESS (B001 + 1) * 2\nIFTHENEXP B000=4\nMOVJ C001 VJ=50.00 PL=0\nENDIF\nMOVJ C003 VJ=50.00 PL=0",
    );
    assert!(all.iter().all(|way| way.unknown.is_empty()), "{all:?}");
    let labels = |way: &MoveProgram| {
        way.moves
            .iter()
            .map(|m| m.label.clone())
            .collect::<Vec<_>>()
    };
    let mut all: Vec<_> = all.iter().map(labels).collect();
    all.sort();
    assert_eq!(all, [vec!["C001", "C003"], vec!["C003"]]);
}

/// Nothing stands behind the time of a wait.
#[test]
fn what_stands_behind_the_time_of_a_wait_is_not_understood() {
    for more in ["B000", "FOO", "*A"] {
        let told = reason(&job(
            LIST,
            &format!("WAIT IN#(1)=ON T=1.00 {more}\nMOVJ C003 VJ=1.0"),
        ));
        assert!(told.contains("not understood"), "{told}");
    }
}
