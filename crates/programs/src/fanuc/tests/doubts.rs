//! Programs that a controller may run with another motion than the first one that comes to mind.

use super::*;

#[test]
fn what_something_else_ends_is_told() {
    for (body, says) in [
        (
            "R[1]=0\nWAIT R[R[1]]<>0\nJ P[1] 50% FINE",
            "waits for a register",
        ),
        (
            "WAIT R[1]=PR[1,3]\nJ P[1] 50% FINE",
            "or a position register",
        ),
        ("WAIT ERR_NUM=1,CALL X\nJ P[1] 50% FINE", "action of WAIT"),
        (
            "WAIT DI[1]=ON TIMEOUT;LBL[1]\nLBL[1]\nJ P[1] 50% FINE",
            "TIMEOUT leads",
        ),
    ] {
        let told = reason(&listing(body));
        assert!(told.contains(says), "{body}: {told}");
    }
}

#[test]
fn a_line_is_one_statement() {
    for behind in ["DO[1]=ON", "WAIT .5(sec)", "OVERRIDE=50%", "MESSAGE[a]"] {
        for other in ["J P[1] 50% FINE", "CALL B", "JMP LBL[1]", "; UTOOL_NUM=2"] {
            let told = reason(&listing(&format!("{behind} {other}")));
            assert!(
                told.contains("another statement stands behind"),
                "{behind}: {told}"
            );
        }
        let text = listing(&format!("{behind} ; 5:J P[1] 50% FINE"));
        let error = read_beside(&arm("fanuc"), "A.LS", &text, &[]).unwrap_err();
        assert!(error.to_string().contains("several statements"), "{error}");
    }
    assert_eq!(
        known("!up; and down\nMESSAGE[J P[1]]\nJ P[1] 50% FINE")
            .moves
            .len(),
        1
    );
    for wait in [
        "R[1]=.5\nWAIT R[1]",
        "WAIT TIMER[1]>5",
        "GO[1]=PR[1,2]",
        "DO[R[1]]=(ON)",
    ] {
        assert_eq!(
            known(&format!("{wait}\nJ P[1] 50% FINE")).moves.len(),
            1,
            "{wait}"
        );
    }
}

#[test]
fn blocks_end_where_they_end() {
    let body = |inner: &str| {
        format!(
            "R[1]=1\nIF (R[1]=1) THEN\nIF (R[1]=2) THEN\n{inner}\nENDIF\nJ P[1] 50% FINE\nENDIF"
        )
    };
    for inner in [
        "IF DI[1]=ON,CALL GOTHEN",
        "IF R[2:IF THEN]=1,JMP LBL[3:THEN up]",
        "SELECT R[2]=1,JMP LBL[1]\nELSE ,JMP LBL[1]\nLBL[1]",
    ] {
        assert_eq!(known(&body(inner)).moves.len(), 1, "{inner}");
    }
    let body = "R[1]=1\nIF (R[1]=2) THEN\nIF (R[1]=3) THEN x\nENDIF\nELSE\nJ P[1] 50% FINE\nENDIF";
    assert_eq!(known(body).moves.len(), 1);
}

#[test]
fn numbers_that_never_change_in_a_loop_are_told() {
    let other = listing("J P[AR[1]] 50% FINE").replace("PROG  A", "PROG  B");
    let told = |body: &str| {
        let ways = ways_in(&arm("fanuc"), &listing(body), &[("B.LS", &other)]);
        let first = ways.iter().find_map(|w| w.unknown.first());
        first.map(|u| u.reason.clone())
    };
    for body in [
        "R[1]=1\nLBL[1]\nJ P[R[1]] 50% FINE\nJMP LBL[1]",
        "R[1]=1\nLBL[1]\nJ P[1] 50% FINE\nJMP LBL[R[1]]\nLBL[2]\nJ P[2] 50% FINE\nJMP LBL[1]",
        "UFRAME_NUM=1\nR[1]=1\nLBL[1]\nCALL B(R[1])\nJMP LBL[1]",
        "R[2]=0\nLBL[1]\nJ P[1] 50% FINE\nFOR R[1]=1 TO R[2]\nJ P[3] 50% FINE\nENDFOR\nJMP LBL[1]",
    ] {
        let told = told(body).unwrap_or_default();
        assert!(told.contains("no end"), "{body}: {told}");
    }
    for body in [
        "LBL[1]\nFOR R[1]=1 TO 2\nJ P[1] 50% FINE\nENDFOR\nJMP LBL[1]",
        "LBL[2]\nR[1]=1\nLBL[1]\nJ P[1] 50% FINE\nR[1]=R[1]+1\nIF R[1]<3,JMP LBL[1]\nJMP LBL[2]",
        "LBL[1]\nCALL B(1)\nIF (DI[R[1]]=ON AND PR[R[1],2]>0),JMP LBL[1]\nR[2]=(-R[1])\nJMP LBL[1]",
    ] {
        assert_eq!(told(body), None, "{body}");
    }
}

#[test]
fn joints_are_counted_as_the_cell_says() {
    for body in [
        "J P[1] 50% FINE",
        "UFRAME_NUM=1\nUTOOL_NUM=1\nJ P[3] 50% FINE",
    ] {
        let mut cell = arm("fanuc");
        said(&mut cell).joints.clear();
        let told = ways_in(&cell, &listing(body), &[]).remove(0).unknown;
        assert!(told[0].reason.contains("counts its joints"), "{told:?}");
        let mut other = arm("fanuc");
        said(&mut other).dialect = "rapid".into();
        let refused = read_beside(&other, "A.LS", &listing(body), &[]).err();
        let why = refused.map(|e| e.to_string()).unwrap_or_default();
        assert!(why.contains("the cell's controller is `rapid`"), "{why}");
    }
}

#[test]
fn turns_other_than_none_belong_to_joints_that_are_not_known() {
    let text = listing("UFRAME_NUM=1\nUTOOL_NUM=1\nJ P[3] 50% FINE")
        .replace("D B, 0, 0, 0", "D B, 0, 1, 0");
    assert!(reason(&text).contains("$TURN_AXIS"));
}

/// The controller's own list says which axes they belong to.
#[test]
fn turns_belong_to_the_axes_that_the_controller_names() {
    let list = |axes: [u32; 3]| {
        let [a, b, c] = axes;
        let field = |group: u32| {
            format!(
                "     Field: $SCR_GRP[{group}].$TURN_AXIS  ARRAY[3] OF INTEGER\n      [1] = {a}\n      [2] = {b}\n      [3] = {c}\n"
            )
        };
        format!(
            "[*SYSTEM*]$SCR_GRP  Storage: CMOS  Access: RW  : ARRAY[8] OF SCR_GRP_T\n{}     Field: $SCR_GRP[1].$M_POS_ENB Access: RW: BOOLEAN = FALSE\n{}",
            field(1),
            field(2).replace(&format!("[1] = {a}"), "[1] = 2")
        )
    };
    let ranges = |axes: [u32; 3], turns: &str| {
        let mut cell = arm("fanuc");
        said(&mut cell).files.push(ControllerFile {
            path: "SYMOTN.VA".into(),
            bytes: list(axes).as_bytes().into(),
        });
        let text = listing("UFRAME_NUM=1\nUTOOL_NUM=1\nJ P[3] 50% FINE")
            .replace("D B, 0, 0, 0", &format!("D B, {turns}"));
        let way = ways_in(&cell, &text, &[]).remove(0);
        if let Some(unknown) = way.unknown.first() {
            return Err(unknown.reason.clone());
        }
        let Target::Pose {
            branch: Branch::Configuration(found),
            ..
        } = &way.moves[0].target
        else {
            panic!("{way:?}");
        };
        // Without that of the wrist, which comes first.
        let found = found.ranges.iter().skip(1);
        let degrees = |x: f64| (x.to_degrees() / 10.0).round() * 10.0;
        Ok(found
            .map(|r| (r.joint, degrees(r.from), degrees(r.to)))
            .collect::<Vec<_>>())
    };
    let all = |axes: [u32; 3]| ranges(axes, "0, 1, -1").unwrap();
    assert_eq!(
        all([1, 4, 6]),
        [(0, -180.0, 180.0), (3, 180.0, 540.0), (5, -540.0, -180.0)]
    );
    assert_eq!(
        all([1, 5, 4]),
        [(0, -180.0, 180.0), (4, 180.0, 540.0), (3, -540.0, -180.0)]
    );
    // A number that belongs to no axis is 0.
    assert!(ranges([4, 0, 6], "0, 0, 1").is_ok());
    assert!(ranges([4, 0, 6], "0, 1, 0").is_err());
}

#[test]
fn a_condition_of_a_called_program_may_not_outlive_it() {
    let other = listing("OFFSET CONDITION PR[1]").replace("PROG  A", "PROG  B");
    let body = "UFRAME_NUM=1\nUTOOL_NUM=1\nCALL B\nJ P[3] 50% FINE Offset";
    let told = ways_in(&with_lists(), &listing(body), &[("B.LS", &other)])
        .remove(0)
        .unknown;
    assert!(told[0].reason.contains("CONDITION"), "{told:?}");
}

#[test]
fn lists_that_contradict_each_other_are_refused() {
    let mut cell = with_lists();
    let of = |cell: &LoadedCell| read_beside(cell, "A.LS", &listing("J P[1] 50% FINE"), &[]);
    let mut again = said(&mut cell).files[0].clone();
    said(&mut cell).files.push(again.clone());
    assert!(of(&cell).is_ok());
    let text = String::from_utf8_lossy(&again.bytes).replace("600.000", "601.000");
    again.bytes = text.as_bytes().into();
    said(&mut cell).files[1] = again;
    let error = of(&cell).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(
        error.contains("another list says something else"),
        "{error}"
    );
}

#[test]
fn branches_within_branches_and_calls_without_end_are_refused() {
    let deep = 100_000;
    for (body, says) in [
        (
            format!("R[1]=1\n{}DO[1]=ON", "SELECT R[1]=1,".repeat(deep)),
            "SELECT",
        ),
        (
            format!("J P[1] 100% FINE TB .1sec,{}DO[1]=ON", "ELSE,".repeat(deep)),
            "SELECT",
        ),
        (
            format!(
                "J P[1] 100% FINE TB .1sec,{}DO[1]=ON",
                "SELECT R[1]=1,".repeat(deep)
            ),
            "SELECT",
        ),
    ] {
        assert!(reason(&listing(&body)).contains(says));
    }
    let files: Vec<(String, String)> = (0..2000)
        .map(|k| {
            let text =
                listing(&format!("CALL B{}", k + 1)).replace("PROG  A", &format!("PROG  B{k}"));
            (format!("B{k}.LS"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    let text = listing("J P[1] 100% FINE TB .1sec,CALL B0");
    let told = ways_in(&arm("fanuc"), &text, &files).remove(0).unknown;
    assert!(
        told.iter().any(|u| u.reason.contains("calls within calls")),
        "{told:?}"
    );
}

#[test]
fn many_registers_cost_what_they_cost() {
    let sets: String = (2..3000).map(|k| format!("R[{k}]=1\n")).collect();
    let body = format!("{sets}R[1]=0\nLBL[1]\nR[1]=R[1]+1\nOVERRIDE=R[R[2]]%\nJMP LBL[1]");
    assert!(reason(&listing(&body)).contains("so much was computed"));
}

#[test]
fn a_time_that_is_out_leads_to_its_label_with_a_space_too() {
    for comma in [",", " ,", " , "] {
        let body = format!("WAIT DI[1]=ON TIMEOUT{comma}LBL[1]\nJ P[1] 50% FINE\nLBL[1]");
        let ways = ways_in(&arm("fanuc"), &listing(&body), &[]);
        let moves: Vec<_> = ways.iter().map(|w| w.moves.len()).collect();
        assert_eq!(moves, [0, 1], "{comma:?}");
    }
}

/// A cell whose lists have `PR[1]`, and a user frame 3.
fn with_lists() -> LoadedCell {
    let mut cell = arm("fanuc");
    let registers = "[*POSREG*]$POSREG  Storage: CMOS  Access: RW  : ARRAY[1,100] OF Position Reg\n    [1,1] = 'UP'\n  Group: 1   Config: N U T, 0, 0, 0\n  X:  600.000   Y:  0.000   Z:  50.000\n  W:  0.000   P:  0.000   R:  0.000\n";
    let said = said(&mut cell);
    said.files = vec![ControllerFile {
        path: "POSREG.VA".into(),
        bytes: registers.as_bytes().into(),
    }];
    let frame = said.frames["1"].clone();
    said.frames.insert("3".into(), frame);
    cell
}

#[test]
fn what_a_program_changes_is_another_one_at_its_next_start() {
    let frames = "UFRAME_NUM=1\nUTOOL_NUM=1\n";
    let other = listing("PR[1]=P[3]").replace("PROG  A", "PROG  B");
    for (body, says) in [
        ("J PR[1] 50% FINE\nPR[1]=P[3]", "line 9 of A.LS"),
        ("J PR[1] 50% FINE\nPR[1,3]=10", "PR[1] is changed"),
        (
            "J PR[1] 50% FINE\nR[1]=1\nPR[R[1],3]=10",
            "PR[1] is changed",
        ),
        ("J PR[1] 50% FINE\nCALL B", "of B.LS"),
        // What is in it depends on the start before.
        (
            "IF DI[1]=ON,JMP LBL[1]\nPR[1]=P[3]\nLBL[1]\nJ PR[1] 50% FINE",
            "PR[1] is changed",
        ),
        (
            "UFRAME_NUM=3\nJ P[5] 50% FINE\nUFRAME[3]=PR[2]",
            "UFRAME[3] is changed",
        ),
        (
            "UTOOL_NUM=2\nJ P[5] 50% FINE\nUTOOL[2]=PR[2]",
            "UTOOL[2] is changed",
        ),
    ] {
        let text = listing(&format!("{frames}{body}"));
        let ways = ways_in(&with_lists(), &text, &[("B.LS", &other)]);
        let told = ways.iter().find_map(|w| w.unknown.first());
        let told = told.unwrap_or_else(|| panic!("it is known: {body}"));
        assert!(told.reason.contains(says), "{body}: {}", told.reason);
    }
    for body in [
        "PR[1]=P[3]\nJ PR[1] 50% FINE\nPR[1]=P[2]",
        "J PR[1] 50% FINE\nPR[2]=PR[1]\nIF PR[1,2]=5,JMP LBL[1]\nLBL[1]",
    ] {
        let text = listing(&format!("{frames}{body}"));
        let ways = ways_in(&with_lists(), &text, &[]);
        let told: Vec<_> = ways.iter().flat_map(|w| &w.unknown).collect();
        assert!(told.is_empty(), "{body}: {told:?}");
    }
}

#[test]
fn fractions_have_seven_digits() {
    // In 32 bits ten times .1 is more than 1.
    let body = "R[1]=0\nLBL[1]\nJ P[1] 50% FINE\nR[1]=R[1]+.1\nIF R[1]<1,JMP LBL[1]";
    let ways = ways_in(&arm("fanuc"), &listing(body), &[]);
    let mut moves: Vec<usize> = ways.iter().map(|w| w.moves.len()).collect();
    moves.sort_unstable();
    assert_eq!(moves, [10, 11], "{ways:?}");
    let quarters = body.replace(".1\n", ".25\n");
    assert_eq!(known(&quarters).moves.len(), 4);
}

#[test]
fn a_counting_loop_that_is_left_by_a_jump_begins_anew() {
    let way = known("LBL[1]\nFOR R[1]=1 TO 5\nJ P[1] 100% FINE\nJMP LBL[1]\nENDFOR");
    assert!(way.moves.len() < 10, "{}", way.moves.len());
}

#[test]
fn long_listings_that_go_on_for_ever_have_an_end() {
    // Each round searches a thousand lines for its ENDIF.
    let lines = "!\n".repeat(1000);
    let body = format!(
        "R[1]=0\nLBL[1]\nR[1]=R[1]+1\nOVERRIDE=R[1]%\nIF R[1]<0 THEN\n{lines}ENDIF\nJMP LBL[1]"
    );
    assert!(reason(&listing(&body)).contains("so much was computed"));
}

/// The listing of a body, with an arc of half a circle from P[6] by P[7] to P[8] in it, on which
/// the tool turns by 40°; at P[7] it stands as said.
fn with_arc(body: &str, between: f64) -> String {
    let points = [(6, 600, 0, 0.0), (7, 650, 50, between), (8, 700, 0, 40.0)];
    let points = points.map(|(number, x, y, turned)| {
        format!(
            "P[{number}]{{\n   GP1:\n\tUF : 1, UT : 1,\tCONFIG : 'N U T, 0, 0, 0',\n\tX = {x} mm, Y = {y} mm, Z = 400 mm,\n\tW = 180 deg, P = 0 deg, R = {turned} deg\n}};\n"
        )
    });
    listing(body).replace("/POS\n", &format!("/POS\n{}", points.concat()))
}

#[test]
fn a_tool_passes_the_point_in_between_of_an_arc_as_it_is_taught() {
    let arc = "L P[6] 100mm/sec FINE\nC P[7] P[8] 100mm/sec FINE";
    for even in [17.0, 20.0, 23.0] {
        let way = ways_in(&arm("fanuc"), &with_arc(arc, even), &[]).remove(0);
        assert!(way.unknown.is_empty(), "{even}: {:?}", way.unknown);
        assert_eq!(way.moves.len(), 2);
    }
    for beside in [0.0, 15.0, 25.0, -160.0] {
        let told = reason(&with_arc(arc, beside));
        assert!(told.contains("point in between"), "{beside}: {told}");
    }
    let told = reason(&with_arc("C P[7] P[8] 100mm/sec FINE", 20.0));
    assert!(told.contains("where the arm is before"), "{told}");
    // From joint values, too.
    let told = reason(&with_arc(
        "J P[1] 50% FINE\nC P[7] P[8] 100mm/sec FINE",
        20.0,
    ));
    assert!(told.contains("point in between"), "{told}");
    for offset in ["Offset", "Tool_Offset"] {
        let body = format!("UFRAME_NUM=1\nUTOOL_NUM=1\nPR[1]=P[5]\n{arc} {offset},PR[1]");
        let told = reason(&with_arc(&body, 20.0));
        assert!(told.contains("an arc with an offset"), "{told}");
    }
}

#[test]
fn what_is_computed_first_is_certain_within_parentheses_only() {
    let ways = |set: &str, asked: &str| {
        let body = format!("R[1]=1\n{set}\nIF {asked},JMP LBL[1]\nJ P[1] 50% FINE\nLBL[1]");
        ways_in(&arm("fanuc"), &listing(&body), &[]).len()
    };
    for (set, asked, count) in [
        ("R[2]=1+2*3", "R[2]=7", 2),
        ("R[2]=(1+2*3)", "R[2]=7", 1),
        ("R[2]=2*3-1", "R[2]=5", 2),
        ("R[2]=6*4/3", "R[2]=8", 1),
        ("R[2]=1+2-3", "R[2]=0", 1),
        ("", "R[1]=1 OR R[1]=2 AND R[1]=3", 2),
        ("", "(R[1]=1 OR R[1]=2 AND R[1]=3)", 1),
        ("", "R[1]=1 OR R[1]=2 OR R[1]=3", 1),
    ] {
        assert_eq!(ways(set, asked), count, "{set} {asked}");
    }
    let told = reason(&listing(
        "FOR R[1]=1 TO 2\nJ P[1] 50% FINE\nR[1]=R[1]+.5\nENDFOR",
    ));
    assert!(told.contains("counts in fractions"), "{told}");
}

/// Lines that decide where a program goes on are read to their end, on the branch that is not taken
/// as well.
#[test]
fn nothing_stands_behind_an_else() {
    for line in ["ELSEIF (R[1]=2) THEN", "ELSE IF (R[1]=3) THEN", "ENDIF 1"] {
        for value in [1, 2] {
            let body = format!(
                "R[1]={value}\nIF (R[1]=1) THEN\nJ P[1] 50% FINE\n{line}\nJ P[2] 50% FINE\nENDIF"
            );
            let told = reason(&listing(&body));
            assert!(
                told.contains("is not understood"),
                "{line}, {value}: {told}"
            );
        }
    }
}

/// Whether a controller looks at the register that bounds a loop once or each time is not known.
#[test]
fn the_bound_of_a_loop_stays_what_it_is() {
    let body = |set: &str| {
        listing(&format!(
            "R[2]=2\nR[3]=1\nFOR R[1]=1 TO R[2]\nJ P[1] 50% FINE\n{set}\nENDFOR"
        ))
    };
    assert_eq!(ways_in(&arm("fanuc"), &body("R[3]=5"), &[])[0].unknown, []);
    let told = reason(&body("R[2]=3"));
    assert!(told.contains("bounds this loop changes"), "{told}");
}

#[test]
fn a_process_that_follows_a_conveyor_is_told() {
    let with = |value: &str| {
        let process = format!("/APPL\nPAINT_PROCESS ;\n  TRACKING_PROCESS : {value} ;\n/MN");
        listing("J P[1] 50% FINE").replace("/MN", &process)
    };
    assert!(reason(&with("yes")).contains("conveyor"));
    assert_eq!(
        ways_in(&arm("fanuc"), &with("no"), &[])[0].unknown,
        [],
        "no"
    );
}

#[test]
fn what_only_waits_or_switches_beside_a_move_is_read() {
    let way = known("$WAITTMOUT=500\nJ P[1] 50% FINE TIME BEFORE .5sec,DO[1]=ON");
    assert_eq!(way.moves.len(), 1);
    let told = reason(&listing("J P[1] 50% FINE TIME 5sec,DO[1]=ON"));
    assert!(told.contains("when TIME runs"), "{told}");
}

/// Catches a line whose configuration is taken for certain, although nothing says that it is bound
/// by it.
#[test]
fn the_configuration_of_a_first_line_is_taken_for_granted() {
    let assumed = |body: &str| {
        let reading = read_beside(&arm("fanuc"), "A.LS", &listing(body), &[]);
        reading.unwrap().assumed
    };
    let [taken] = &assumed("L P[2] 250mm/sec FINE\nL P[2] 100mm/sec FINE")[..] else {
        panic!("a line goes first");
    };
    assert!(taken.message.contains("may not be bound"), "{taken:?}");
    assert!(!taken.contradicted && taken.place.line == Some(6));
    for bound in [
        "J P[2] 50% FINE\nL P[2] 250mm/sec FINE",
        "L P[1] 250mm/sec FINE",
    ] {
        assert_eq!(assumed(bound), [], "{bound}");
    }
}

/// Lists have three decimals, few of which 32 bits hold: a sum of them is a position all the same.
#[test]
fn sums_of_what_lists_hold_are_known() {
    let frames = "UFRAME_NUM=1\nUTOOL_NUM=1\n";
    let mut cell = with_lists();
    let lists = String::from_utf8(said(&mut cell).files[0].bytes.to_vec()).unwrap();
    let lists = lists
        .replace("600.000", "600.115")
        .replace("50.000", "300.275");
    said(&mut cell).files[0].bytes = lists.into_bytes().into();
    for (body, height) in [
        (
            "PR[2]=PR[1]\nPR[2,3]=PR[2,3]+50.1\nJ PR[2] 50% FINE",
            0.350375,
        ),
        (
            "PR[2]=PR[1]\nPR[2,3]=PR[1,3]-.1\nJ PR[2] 50% FINE",
            0.300175,
        ),
    ] {
        let ways = ways_in(&cell, &listing(&format!("{frames}{body}")), &[]);
        let [way] = &ways[..] else {
            panic!("{body}: {ways:?}");
        };
        assert!(way.unknown.is_empty(), "{body}: {:?}", way.unknown);
        let Target::Pose {
            frame_from_tool, ..
        } = &way.moves[0].target
        else {
            panic!("{body}: a pose");
        };
        let z = frame_from_tool.translation.z;
        assert!((z - height).abs() < 1e-9, "{body}: {z}");
    }
}

/// What a function computes is not known, and neither is the edge of a signal.
#[test]
fn functions_and_edges_lose_no_more_than_their_values() {
    for asked in [
        "R[1]=SQRT[R[2]]\nR[3]=ABS[R[1]]+ATAN2[R[1],R[2]]\nIF R[3]>5,JMP LBL[1]",
        "IF DI[1]=ON+,JMP LBL[1]",
        "IF (DI[1]=OFF- AND R[5]=0),JMP LBL[1]",
    ] {
        let body =
            format!("UFRAME_NUM=1\nUTOOL_NUM=1\n{asked}\nJ P[1] 50% FINE\nLBL[1]\nJ P[1] 20% FINE");
        let all = ways_in(&arm("fanuc"), &listing(&body), &[]);
        assert!(
            all.iter().all(|way| way.unknown.is_empty()),
            "{asked}: {all:?}"
        );
        let mut moves: Vec<usize> = all.iter().map(|way| way.moves.len()).collect();
        moves.sort_unstable();
        assert_eq!(moves, [1, 2], "{asked}");
    }
}
