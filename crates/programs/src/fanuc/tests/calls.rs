//! Calls of programs that registers name or the cell calls still, and what stands in headers and names.

use super::*;

#[test]
fn a_program_that_a_register_names_is_not_followed() {
    let moves = listing("J P[1] 50% FINE").replace("PROG  A", "PROG  MOVE_IT");
    let mut cell = arm("fanuc");
    said(&mut cell).still = vec!["SR".into(), "S*".into(), "*".into()];
    for call in [
        "SR[1]='MOVE_IT'\nCALL SR[1]",
        "CALL SR[R[1]]",
        "CALL SR [1]",
        "CALL AR[1]",
        "IF DI[1]=ON,CALL SR[1]",
        "RUN SR[1]",
        "CALL",
    ] {
        let ways = ways_in(&cell, &listing(call), &[("MOVE_IT.LS", &moves)]);
        let told = &ways[0].unknown;
        assert!(!told.is_empty(), "{call}");
        assert!(!told[0].reason.contains("still ="), "{call}: {told:?}");
    }
    // Nothing but arguments stands behind a program that the cell calls still.
    let told = |body: &str| ways_in(&cell, &listing(body), &[]).remove(0).unknown;
    for body in [
        "CALL SGRIP(1) UTOOL_NUM=2",
        "CALL SGRIP(1) R[1]=(2)",
        "CALL SGRIP UTOOL_NUM=2",
        "CALL SGRIP(1",
    ] {
        assert!(!told(body).is_empty(), "{body}");
    }
    for body in [
        "CALL SGRIP",
        "CALL SGRIP('a)',AR[1:b)],(2))",
        "CALL SGRIP()",
    ] {
        assert_eq!(told(body), [], "{body}");
    }
}

#[test]
fn singularities_matter_to_straight_moves_alone() {
    let with = |body: &str, files: &[(&str, &str)]| {
        let on = |text: &str| {
            text.replace(
                "/MN",
                "/APPL\n  ENABLE_SINGULARITY_AVOIDANCE   : TRUE;\n/MN",
            )
        };
        let files: Vec<_> = files
            .iter()
            .map(|(n, body)| (*n, on(&listing(body)).replace("PROG  A", "PROG  B")))
            .collect();
        let files: Vec<_> = files.iter().map(|(n, t)| (*n, &**t)).collect();
        ways_in(&arm("fanuc"), &on(&listing(body)), &files)
            .remove(0)
            .unknown
    };
    assert_eq!(with("J P[1] 50% FINE\nCALL B", &[("B.LS", "DO[1]=ON")]), []);
    let told = with("J P[1] 50% FINE\nL P[5] 5mm/sec FINE", &[]);
    assert!(told[0].reason.contains("set ENABLE_SINGULARITY_AVOIDANCE"));
    let told = with("CALL B", &[("B.LS", "C P[5] P[5] 5mm/sec FINE")]);
    assert!(told[0].reason.contains("singularities"));
}

#[test]
fn a_name_with_timeout_is_no_time_that_is_out() {
    let way = known("J P[1] 50% FINE\nWAIT DI[3:TIMEOUT RST]=ON\nJ P[1] 50% FINE");
    assert_eq!(way.moves.len(), 2);
    let told = reason(&listing("Arc Start[1]"));
    assert!(told.contains("still = [\"Arc\"]"), "{told}");
}
