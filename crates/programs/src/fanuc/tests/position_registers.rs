//! Position registers: their numbers, sums, names, and lists that hold other axes too.

use super::*;

const LIST: &str = "[*POSREG*]$POSREG  Storage: CMOS  Access: RW  : ARRAY[1,100] OF Position Reg\n    [1,1] = 'UP'\n  Group: 1   Config: N U T, 0, 0, 0\n  X:  0.000   Y:  0.000   Z:  50.000\n  W:  0.000   P:  0.000   R:  0.000\n    [1,2] = 'BENT'   Group: 1\n  J1 = 0.000 deg   J2 = 0.000 deg   J3 = 0.000 deg \n  J4 = 0.000 deg   J5 = -90.000 deg   J6 = 0.000 deg \n    [1,6] = 'RAIL'\n  Group: 1   Config: N U T, 0, 0, 0\n  X:  450.000   Y:  .000   Z:  50.000\n  W:  180.000   P:  0.000   R:  0.000\n  EXT1:    40.492 mm  \n    [1,8] = '' Uninitialized\n";

fn read_listed(body: &str) -> MoveProgram {
    read_listed_in(arm("fanuc"), body).remove(0)
}

fn read_listed_in(mut cell: LoadedCell, body: &str) -> Vec<MoveProgram> {
    said(&mut cell).files = vec![ControllerFile {
        path: "POSREG.VA".into(),
        bytes: LIST.as_bytes().into(),
    }];
    let body = format!("UFRAME_NUM=1\nUTOOL_NUM=2\n{body}");
    ways_in(&cell, &listing(&body), &[])
}

#[test]
fn numbers_of_position_registers_are_followed() {
    for (body, moves) in [
        // P[2] is 500, 100, 0.5 in the frame at 100, 200, 300.
        ("PR[3]=P[2]\nPR[3,3]=50\nJ PR[3] 50% FINE", "J(600 300 350)"),
        (
            "PR[3]=P[2]\nPR[3,3:lift]=PR[3,3]+50\nJ PR[3:a] 50% FINE",
            "J(600 300 350.5)",
        ),
        (
            "R[1]=3\nR[2]=2\nPR[3]=P[2]\nPR[R[1],2]=R[2]*10\nJ PR[3] 50% FINE",
            "J(600 220 300.5)",
        ),
        (
            "PR[5]=LPOS\nPR[5]=PR[5]-PR[5]\nPR[5,1]=25\nJ P[2] 50% FINE Offset,PR[5]",
            "J(625 300 300.5)",
        ),
        (
            "PR[5]=LPOS\nPR[5,1]=1\nPR[5,2]=2\nPR[5,3]=3\nPR[5,4]=0\nPR[5,5]=0\nPR[5,6]=0\nJ P[2] 50% FINE Offset,PR[5]",
            "J(601 302 303.5)",
        ),
        (
            "PR[4]=P[2]\nPR[4]=PR[4]-PR[4]\nPR[4,1]=10\nPR[7]=PR[4]+PR[4]\nJ P[2] 50% FINE Offset,PR[7]",
            "J(620 300 300.5)",
        ),
        (
            "PR[4:home, safe]=P[1]\nJ PR[4:home, safe] 50% FINE",
            "J[10 20 -10 40 -50 60]",
        ),
        (
            "PR[3]=P[2]\nPR[GP1:3,3]=50\nJ PR[3] 50% FINE",
            "J(600 300 350)",
        ),
        // The configuration is that of the first summand, or of what is set.
        (
            "PR[3]=P[2]\nPR[3]=PR[3]+PR[1]\nJ PR[3] 50% FINE",
            "J(600 300 350.5)",
        ),
        (
            "PR[3]=P[2]\nPR[4]=PR[3]-PR[3]\nPR[4,3]=50\nPR[5]=PR[3]+PR[4]\nJ PR[5] 50% FINE",
            "J(600 300 350.5)",
        ),
    ] {
        let way = read_listed(body);
        assert!(way.unknown.is_empty(), "{body}: {:?}", way.unknown);
        assert_eq!(short(&way), moves, "{body}");
    }
}

#[test]
fn numbers_of_what_may_be_joint_values_stay_unknown() {
    for body in [
        // Which configuration counts, or what is the whole of one.
        "PR[3]=P[2]\nPR[4]=PR[3]-PR[3]\nPR[5]=PR[4]+PR[3]\nJ PR[5] 50% FINE",
        "PR[3]=P[2]\nPR[3]=PR[3]-PR[1]\nJ PR[3] 50% FINE",
        // Joint values, or nobody knows which.
        "PR[3]=P[1]\nPR[3,3]=50\nJ PR[3] 50% FINE",
        "PR[3]=P[1]\nPR[3]=PR[3]-PR[3]\nJ P[2] 50% FINE Offset,PR[3]",
        "PR[3]=JPOS\nPR[3]=PR[3]-PR[3]\nJ P[2] 50% FINE Offset,PR[3]",
        "PR[8]=PR[8]-PR[8]\nJ P[2] 50% FINE Offset,PR[8]",
        "PR[3]=P[2]\nPR[3,R[9]]=5\nJ PR[3] 50% FINE",
        "PR[3]=P[2]\nPR[3,1]=R[9]\nJ PR[3] 50% FINE",
        "PR[3]=P[2]\nPR[3,7]=5\nJ PR[3] 50% FINE",
        "PR[5]=LPOS\nPR[5,1]=1\nJ P[2] 50% FINE Offset,PR[5]",
        "PR[3]=P[2]\nPR[3]=PR[3]+PR[2]\nJ PR[3] 50% FINE",
        // The list is that of another start.
        "J P[2] 50% FINE Offset,PR[1]\nPR[1,3]=PR[1,3]+50\nJ P[2] 50% FINE Offset,PR[1]",
        "PR[3]=P[2]\nPR[3,3]=5 UTOOL_NUM=1\nJ PR[3] 50% FINE",
    ] {
        assert!(!read_listed(body).unknown.is_empty(), "{body}");
    }
    // What a list holds is rounded: no condition is decided by it.
    let body = "PR[3]=P[2]\nIF PR[3,1]<500,JMP LBL[1]\nJ P[1] 50% FINE\nLBL[1]\nJ P[2] 50% FINE";
    let mut cell = arm("fanuc");
    said(&mut cell).files.clear();
    assert_eq!(ways_in(&cell, &listing(body), &[]).len(), 2);
}

/// Regression: post-processors begin programs so, and it was not known whether `PR[9]` holds joint values.
#[test]
fn a_frame_of_six_numbers_that_the_program_states_is_known() {
    let set = |numbers: &[usize]| -> String {
        let values = [100, 0, 50, 0, 0, 0];
        let lines = numbers
            .iter()
            .map(|&k| format!("PR[9,{k}]={}\n", values[k - 1]));
        lines.collect()
    };
    let all = set(&[1, 2, 3, 4, 5, 6]);
    let go = "J P[2] 50% FINE";
    for (body, moves) in [
        (format!("{all}UFRAME[1]=PR[9]\n{go}"), "J(600 100 50.5)"),
        // The same register for one after the other.
        (
            format!(
                "{all}UTOOL[2]=PR[9]\n{}PR[9,1]=0\nUFRAME[1]=PR[9]\n{go}",
                set(&[6, 5])
            ),
            "J(500 100 50.5)",
        ),
        (
            format!("WAIT R[1]=1\n{all}UFRAME[1]=PR[9]\n{go}"),
            "J(600 100 50.5)",
        ),
    ] {
        let way = read_listed(&body);
        assert!(way.unknown.is_empty(), "{body}: {:?}", way.unknown);
        assert_eq!(short(&way), moves, "{body}");
    }
    for body in [
        format!("{}UFRAME[1]=PR[9]\n{go}", set(&[1, 2, 3, 4, 5])),
        format!("{all}PR[9,1]=R[9]\nUFRAME[1]=PR[9]\n{go}"),
        format!("{all}PR[9,R[9]]=5\nUFRAME[1]=PR[9]\n{go}"),
        format!("{all}WAIT R[1]=1\nUFRAME[1]=PR[9]\n{go}"),
        format!("PR[9]=JPOS\n{all}UFRAME[1]=PR[9]\n{go}"),
        format!("PR[9]=P[1]\n{all}UFRAME[1]=PR[9]\n{go}"),
        // A move takes joint values too.
        format!("{all}J PR[9] 50% FINE"),
        format!("{all}PR[3]=PR[9]\nJ PR[3] 50% FINE"),
        format!("{all}{go} Offset,PR[9]"),
    ] {
        assert!(!read_listed(&body).unknown.is_empty(), "{body}");
    }
    // The second one of the list holds joint values.
    let bent = all.replace("PR[9,", "PR[2,");
    let way = read_listed(&format!("{bent}UFRAME[1]=PR[2]\n{go}"));
    assert!(!way.unknown.is_empty());
}

#[test]
fn an_extended_axis_in_a_list_concerns_its_register_alone() {
    let way = read_listed("J P[2] 50% FINE Offset,PR[1]");
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    let way = read_listed("J PR[6] 50% FINE");
    assert!(
        way.unknown[0].reason.contains("extended axis"),
        "{:?}",
        way.unknown
    );
    let way = read_listed("PR[6]=P[1]\nJ PR[6] 50% FINE");
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
}

/// Who sets the register for which a program waits hands over positions with it: a camera, say.
#[test]
fn position_registers_are_not_known_behind_a_wait_for_a_register() {
    let still = || {
        let mut cell = arm("fanuc");
        said(&mut cell).still = vec!["PR[1]".into(), "PR[2]".into(), "PR[3]".into()];
        cell
    };
    for body in [
        "WAIT R[5]=1\nJ PR[2] 50% FINE",
        "WAIT R[5]=1\nJ P[2] 50% FINE Offset,PR[1]",
        "PR[3]=P[1]\nWAIT R[5]<>0\nJ PR[3] 50% FINE",
        "PR[3]=P[2]\nWAIT R[5]<>0\nPR[3,3]=50\nJ PR[3] 50% FINE",
        "OFFSET CONDITION PR[1]\nWAIT R[5]<>0\nJ P[2] 50% FINE Offset",
        "LBL[2]\nWAIT .10(sec)\nIF R[5]=0,JMP LBL[2]\nJ PR[2] 50% FINE",
    ] {
        // A pattern for programs does not mean them.
        let mut cell = arm("fanuc");
        said(&mut cell).still = vec!["P*".into()];
        let ways = read_listed_in(cell, body);
        let told: Vec<_> = (ways.iter().flat_map(|way| &way.unknown))
            .map(|u| &*u.reason)
            .collect();
        assert!(
            told.iter()
                .any(|told| told.contains("write `still = [\"PR[")),
            "{body}: {told:?}"
        );
        // Nothing else sets them.
        for way in read_listed_in(still(), body) {
            assert!(way.unknown.is_empty(), "{body}: {:?}", way.unknown);
        }
    }
    for body in [
        "WAIT DI[1]=ON\nJ PR[2] 50% FINE",
        "WAIT R[5]=1\nPR[3]=P[1]\nJ PR[3] 50% FINE",
        "WAIT R[5]=1\nJ P[2] 50% FINE",
    ] {
        let way = read_listed(body);
        assert!(way.unknown.is_empty(), "{body}: {:?}", way.unknown);
    }
}

/// Wherever the arm is: six zeros, with which programs begin an offset.
#[test]
fn a_position_less_itself_is_zero() {
    let offset = "PR[3]=LPOS-LPOS\nPR[3,3]=50\nL P[2] 50mm/sec FINE Offset,PR[3]";
    let written = offset.replace(
        "LPOS-LPOS",
        "LPOS\nPR[3,1]=0\nPR[3,2]=0\nPR[3,4]=0\nPR[3,5]=0\nPR[3,6]=0",
    );
    let way = read_listed(offset);
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    assert_eq!(way.moves[0].target, read_listed(&written).moves[0].target);
    let way = read_listed("PR[3]=JPOS-JPOS\nJ PR[3] 50% FINE");
    assert_eq!(way.unknown, []);
    let Target::Joints(values) = &way.moves[0].target else {
        panic!("joint values");
    };
    assert!(values.iter().all(|value| *value == 0.0), "{values:?}");
    // Which joint such a number is, is not read; and other differences are not known.
    for body in [
        "PR[3]=JPOS-JPOS\nPR[3,3]=50\nJ PR[3] 50% FINE",
        "PR[3]=LPOS-JPOS\nPR[3,3]=50\nL P[2] 50mm/sec FINE Offset,PR[3]",
        "PR[3]=LPOS-LPOS+PR[1]\nL P[2] 50mm/sec FINE Offset,PR[3]",
    ] {
        assert!(!read_listed(body).unknown.is_empty(), "{body}");
    }
}
