//! In what a program begins: modes, interrupts, and what lasts that others have switched on.

use super::*;
use crate::Assumption;

/// What is taken for granted where `sub1` begins.
fn assumed(text: &str, list: &str) -> Vec<Assumption> {
    let files = [("a.dat", list)];
    let read = read_beside(&cell(), "a.src", text.as_bytes(), &files, Some("sub1"));
    read.unwrap_or_else(|e| panic!("{e}\n{text}")).assumed
}

/// A program that does `main` and calls `sub1`, which does this.
fn called(main: &str, sub: &str) -> String {
    format!(
        "DEF a()\n{main}\nSUB1()\nEND\n\
         DEF SUB1()\nDECL INT K\n$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\n{sub}\nEND\n\
         DEF MOVED()\nPTP XP1\nLIN XP2\nEND\nDEF QUIET()\n$OUT[1]=TRUE\nEND\n\
         DEFFCT INT MOVES()\n$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\nPTP XP1\nLIN XP2\nRETURN 1\nENDFCT\nDEF SETS(A:OUT)\nA=1\nEND\n"
    )
}

fn is_contradicted(main: &str, sub: &str) -> bool {
    let assumed = assumed(&called(main, sub), LIST);
    assumed.iter().any(|a| a.contradicted)
}

const MODES_SET: &str = "$IPO_MODE=#BASE\n$ORI_TYPE=#VAR\n$CIRC_TYPE=#BASE";

/// Regression: the corner of a joint move was measured at the bare flange where the tool is not known.
#[test]
fn a_corner_in_millimetres_needs_the_tool() {
    let axes = "PTP {A1 0,A2 -90,A3 90,A4 0,A5 5,A6 0}";
    let unknown = |text: String| {
        let ways = ways_in(&cell(), &program(&text)).unwrap_or_else(|e| panic!("{e}"));
        ways[0].unknown.first().map(|why| why.reason.clone())
    };
    for tool in ["", "$TOOL=TOOL_DATA[7]"] {
        let moves = |zone: &str| format!("{tool}\n$APO.CDIS=400\n{axes}\n{axes} {zone}\n{axes}");
        let told = unknown(moves("C_DIS")).unwrap_or_default();
        assert!(told.contains("counts at the tool"), "{told}");
        assert_eq!(unknown(moves("")), None);
        // Half of both curves counts there, whatever the tool.
        assert_eq!(unknown(moves("C_PTP")), None);
        assert_eq!(unknown(moves("C_DIS").replace("400", "0")), None);
    }
    // The second of its two moves has a tool that is not known.
    let moves = |tool: &str| {
        format!("$TOOL=TOOL_DATA[1]\n$APO.CDIS=400\n{axes} C_DIS\n$TOOL=TOOL_DATA[{tool}]\n{axes}")
    };
    assert_eq!(unknown(moves("1")), None);
    assert!(unknown(moves("7")).is_some());
}
