//! Routines that the cell calls still, and instructions of the controller that it cannot.

use super::*;

/// Regression: patterns of `still` let instructions pass that move the arm, turn its guidance over
/// or set what the next move goes to.
#[test]
fn patterns_mean_no_instructions_of_the_controller() {
    let mut cell = arm("rapid");
    let only = |cell: &LoadedCell, line: &str| {
        let body = format!("MoveAbsJ j,v100,fine,t;\n{line}");
        ways_in(cell, &module("VAR triggdata e;", &body))
            .unwrap()
            .remove(0)
    };
    said(&mut cell).still = vec!["*".into()];
    for line in [
        "SetDataVal \"r\",p;",
        "SetAllDataVal \"robtarget\",p;",
        "SetLeadThrough \\On;",
        "StepBwdPath 30,1;",
        "FCCalib t;",
        "CSSActTCP t;",
        "IndReset e,2;",
        "LoadId e,e,t;",
        "ManLoadIdProc;",
        "ClearPath;",
    ] {
        let way = only(&cell, line);
        assert_eq!(way.unknown.len(), 1, "{line}: {way:?}");
        assert!(!way.unknown[0].reason.contains("`still`"), "{way:?}");
    }
    // What only begins like one may be a routine that is not at hand: its full name counts.
    for name in ["FCPressNew", "SyncMoveOff", "IndexTable", "EGMSetupLTAPP"] {
        said(&mut cell).still = vec!["*".into()];
        let way = only(&cell, &format!("{name};"));
        assert_eq!(way.unknown.len(), 1, "{name}: {way:?}");
        let reason = &way.unknown[0].reason;
        assert!(
            reason.contains("name it in `still` by its full name"),
            "{reason}"
        );
        said(&mut cell).still = vec![name.to_uppercase()];
        assert_eq!(only(&cell, &format!("{name};")).unknown, [], "{name}");
    }
    // A routine at hand is followed.
    said(&mut cell).still = vec!["*".into()];
    let text = module("VAR triggdata e;", "SyncPlc;").replace(
        "ENDMODULE",
        "PROC SyncPlc()\nMoveAbsJ j,v100,fine,t;\nENDPROC\nENDMODULE",
    );
    let way = ways_in(&cell, &text).unwrap().remove(0);
    assert_eq!((way.moves.len(), way.unknown.len()), (1, 0), "{way:?}");
}
