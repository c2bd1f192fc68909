//! Instructions by their form, and macros whose words begin like one.

use super::*;

/// Regression: a macro whose first word is that of an instruction was passed over as that
/// instruction.
#[test]
fn macros_that_begin_like_an_instruction_are_macros() {
    let text = |line: &str| listing(&format!("J P[1] 50% FINE\n{line}\nJ P[1] 50% FINE"));
    let mut cell = arm("fanuc");
    for line in [
        "UNLOCK TOOL 2",
        "COL GUARD ADJUSTMENT POSE",
        "UNLOCK TOOL(1,2)",
        "LOCK PREG 2",
        "PRINT LABEL",
        "PAYLOAD IDENT",
        "MESSAGE HOME",
        "UALM RESET",
        "OVERRIDE LOW",
        "OVERRIDE(50)",
        "COL DETECT HOME",
        "RSR ENABLE",
        "TC_ONLINE STOP",
        "WAIT AT HOME",
        "WAIT AT HOME(1)",
        "IF DI[1]=ON,WAIT AT HOME",
    ] {
        said(&mut cell).still.clear();
        let told = |cell: &LoadedCell| {
            let ways = ways_in(cell, &text(line), &[]);
            ways.into_iter().flat_map(|way| way.unknown).next()
        };
        let reason = told(&cell).unwrap_or_else(|| panic!("{line}")).reason;
        assert!(reason.contains("if it is a macro that"), "{line}: {reason}");
        // The cell may say so of them.
        let named = line.rsplit(',').next().filter(|_| line.starts_with("IF"));
        said(&mut cell).still = vec![named.unwrap_or(line).into()];
        assert_eq!(told(&cell), None, "{line}");
    }
    for line in ["SKIP CONDITION AT HOME", "WAIT DI[1]=ON DO[1]=ON"] {
        said(&mut cell).still = vec!["*".into()];
        let way = ways_in(&cell, &text(line), &[]).remove(0);
        assert_eq!(way.unknown.len(), 1, "{line}");
    }
    for line in [
        "OVERRIDE=R[1]%",
        "PAYLOAD[GP1:2]",
        "MESSAGE[at home]",
        "UALM[R[1]]",
        "COL DETECT OFF",
        "COL GUARD ADJUST R[1]",
        "LINEAR_MAX_SPEED=100",
        "JOINT_MAX_SPEED[2]=50",
        "LOCK PREG",
        "UNLOCK VREG",
        "RSR[1]=ENABLE",
        "TC_ONLINE (DI[1:a] AND !M[2:b)c])",
        "TC_ONLINE (ON)",
        "TC_ONLINE ENABLE",
        "$WAITTMOUT=(R[1])",
        "SKIP CONDITION RI[1]=ON+ OR ERR_NUM=12",
        "WAIT (!F[1] OR (TIMER[1]>=R[2]))",
    ] {
        assert_eq!(known(&format!("{line}\nJ P[1] 50% FINE")).moves.len(), 1);
    }
}

/// The same of what may run while the arm moves.
#[test]
fn macros_may_run_while_the_arm_moves_only_if_they_are_still() {
    for line in [
        "WAIT AT HOME",
        "END OF CYCLE",
        "PAUSE ROBOT",
        "UNLOCK TOOL 2",
    ] {
        let text = listing(&format!("J P[1] 50% FINE TB .5sec,{line}"));
        assert!(
            reason(&text).contains("could change how it moves"),
            "{line}"
        );
        let mut cell = arm("fanuc");
        said(&mut cell).still = vec![line.into()];
        // Words that the controller keeps for itself are no macros.
        let is_still = ways_in(&cell, &text, &[]).remove(0).unknown.is_empty();
        assert_eq!(is_still, !line.starts_with("END"), "{line}");
    }
}

/// What ends a mode that the program has not begun does nothing.
#[test]
fn ends_of_modes_that_are_not_begun_are_passed_over() {
    for line in ["Weave End", "WEAVE END", "Track End", "SOFTFLOAT END"] {
        let way = known(&format!("{line}\nJ P[1] 50% FINE"));
        assert_eq!(way.passed_over, [(line.to_owned(), 1)]);
    }
    for line in [
        "Weave End[1]",
        "Weave Sine[1]",
        "Track TAST[1]",
        "SOFTFLOAT[1]",
    ] {
        assert!(!reason(&listing(&format!("{line}\nWeave End"))).is_empty());
    }
}

/// They only make the corner smaller, and half of both moves counts for it.
#[test]
fn straight_parts_beside_corners_are_passed_over() {
    for option in [
        "AP_LD50",
        "AP_LD50mm",
        "RT_LD 75",
        "RT_LDR[1]",
        "AP_LDR[2:near]mm",
        "AP_LDAR[1]",
        "AP_LD20 RT_LD15 ACC50",
    ] {
        let line = |option: &str| {
            known(&format!(
                "R[1]=5\nUFRAME_NUM=1\nUTOOL_NUM=2\nL P[2] 50mm/sec CNT85 {option}"
            ))
        };
        assert_eq!(line(option).moves, line("").moves, "{option}");
    }
    for line in [
        "J P[1] 50% CNT85 AP_LD50",
        "L P[2] 50mm/sec CNT85 AP_LDX",
        "L P[2] 50mm/sec CNT85 AP_LD",
    ] {
        let body = format!("UFRAME_NUM=1\nUTOOL_NUM=2\n{line}");
        assert!(!reason(&listing(&body)).is_empty(), "{line}");
    }
}

#[test]
fn positions_of_a_remote_tcp_are_told() {
    let text = listing("UFRAME_NUM=1\nUTOOL_NUM=2\nL P[2] 50mm/sec FINE");
    let remote = text.replace("\tX =", "\tRX =");
    assert_ne!(text, remote);
    let told = reason(&remote);
    assert!(told.contains("remote TCP"), "{told}");
}

#[test]
fn functions_of_texts_have_no_brackets() {
    for value in [
        "STRLEN SR[1]",
        "FINDSTR SR[1],SR[2]",
        "SUBSTR SR[1],R[2],R[3]",
        "(STRLEN SR[R[1]:name]+1)",
    ] {
        let ways = ways_in(
            &arm("fanuc"),
            &listing(&format!(
                "R[1]={value}\nIF R[1]=2,JMP LBL[1]\nJ P[1] 50% FINE\nLBL[1]"
            )),
            &[],
        );
        assert_eq!(ways.len(), 2, "{value}: {ways:?}");
        assert!(ways.iter().all(|way| way.unknown.is_empty()), "{ways:?}");
    }
    assert!(!reason(&listing("R[1]=FINDSTR SR[1]")).is_empty());
}

/// It was taken for the dashes below lines of P-SPS.
#[test]
fn lines_without_a_statement_are_passed() {
    let text = listing("J P[1] 50% FINE\nJ P[1] 50% FINE");
    let empty = text.replace("   2:J", " ;\n   2:J");
    assert_ne!(text, empty);
    let moves = |text: &str| ways_in(&arm("fanuc"), text, &[]).remove(0).moves.len();
    assert_eq!(moves(&empty), moves(&text));
}
