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

/// Regression: a mode that was set behind a block that moves counted as set at the start.
#[test]
fn modes_that_are_set_behind_a_block_that_moves_are_not_those_of_the_start() {
    let lines = "PTP XP1\nLIN XP2";
    for block in [
        format!("FOR K=1 TO 2\n{lines}\nENDFOR"),
        format!("IF $IN[1] THEN\n{lines}\nENDIF"),
        format!("SWITCH N\nCASE 3\n{lines}\nENDSWITCH"),
        format!("REPEAT\n{lines}\nUNTIL TRUE"),
        format!("WHILE $IN[1]\n{lines}\nENDWHILE"),
        format!("LOOP\n{lines}\nIF $IN[1] THEN\nEXIT\nENDIF\nENDLOOP"),
        "IF $IN[1] THEN\nMOVED()\nENDIF".to_owned(),
        "K=MOVES()".to_owned(),
    ] {
        let sub = format!("{block}\n{MODES_SET}");
        assert!(is_contradicted("$ORI_TYPE=#CONSTANT", &sub), "{block}");
        let sub = format!("{MODES_SET}\n{block}");
        assert!(!is_contradicted("$ORI_TYPE=#CONSTANT", &sub), "{block}");
    }
    let sub = format!("IF $IN[1] THEN\nGOTO OVER\nENDIF\n{MODES_SET}\nOVER:\n{lines}");
    assert!(is_contradicted("$ORI_TYPE=#CONSTANT", &sub));
    // The first value of a variable is computed before.
    let sub = format!("{MODES_SET}\n{lines}");
    let text = called("$ORI_TYPE=#CONSTANT", &sub).replace("INT K\n", "INT K=MOVES()\n");
    assert!(assumed(&text, LIST).iter().any(|a| a.contradicted));
    // These move nothing.
    for first in [
        "IF $IN[1] THEN\n$OUT[2]=TRUE\nENDIF",
        "FOR K=1 TO 2\n$OUT[K]=TRUE\nENDFOR",
        "INTERRUPT DECL 3 WHEN $IN[1] DO QUIET()\nINTERRUPT ON 3",
    ] {
        let sub = format!("{first}\n{MODES_SET}\n{lines}");
        assert!(!is_contradicted("$ORI_TYPE=#CONSTANT", &sub), "{first}");
    }
}

/// Regression: `$IPO_MODE` was asked only where there are lines.
#[test]
fn the_tool_may_stand_for_joint_moves_to_poses() {
    let points = "PTP XP1\nPTP XP2";
    assert!(is_contradicted("$IPO_MODE=#TCP", points));
    assert!(!is_contradicted("$ORI_TYPE=#CONSTANT", points));
    assert!(!is_contradicted("$IPO_MODE=#TCP", "PTP XHOME"));
}

/// Regression: modes that inline forms of a caller set were not seen.
#[test]
fn modes_that_inline_forms_set_are_those_of_the_start() {
    let list = LIST.replace(
        "ENDDAT",
        "DECL LDAT LOLD={VEL 2.0,ACC 100.0,ORI_TYP #CONSTANT}\r\nDECL LDAT LVAR={VEL 2.0,ORI_TYP #VAR,CIRC_TYP #BASE}\r\n\
         DECL LDAT LARC={VEL 2.0,ORI_TYP #VAR,CIRC_TYP #PATH}\r\nENDDAT",
    );
    let contradicted = |main: &str, sub: &str| {
        let assumed = assumed(&called(main, sub), &list);
        assumed.iter().any(|a| a.contradicted)
    };
    let form = |line: &str, frames: &str, command: &str| {
        format!("LDAT_ACT={line}\nFDAT_ACT={frames}\nBAS({command},1.0)")
    };
    let lines = "PTP XP1\nLIN XP2";
    let arc = "PTP XP1\nCIRC XP2,XP1";
    for (main, sub, right) in [
        (form("LOLD", "FP2", "#CP_PARAMS"), lines, true),
        (form("LOLD", "FP2", "#CP_DAT"), lines, true),
        (form("LVAR", "FP2", "#CP_PARAMS"), lines, false),
        (form("LCPDAT1", "FP2", "#CP_PARAMS"), lines, false),
        // These take no such data.
        (form("LOLD", "FP2", "#PTP_PARAMS"), lines, false),
        (form("LARC", "FP2", "#CP_PARAMS"), lines, false),
        (form("LARC", "FP2", "#CP_PARAMS"), arc, true),
        (form("LVAR", "FTCP", "#PTP_PARAMS"), lines, true),
        (form("LVAR", "FTCP", "#FRAMES"), lines, true),
        (form("LVAR", "FTCP", "#CP_DAT"), lines, false),
        (
            form("LVAR", "FP2", "#CP_PARAMS") + "\nLVAR.ORI_TYP=#JOINT",
            lines,
            true,
        ),
        // Which data count is not said here.
        ("BAS(#CP_PARAMS,1.0)".to_owned(), lines, true),
        ("SETS($ORI_TYPE)".to_owned(), lines, true),
        (
            "TRIGGER WHEN DISTANCE=0 DELAY=0 DO $ORI_TYPE=#JOINT".to_owned(),
            lines,
            true,
        ),
    ] {
        assert_eq!(contradicted(&main, sub), right, "{main}\n{sub}");
        let init = format!("BAS(#INITMOV,0)\n$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\n{sub}");
        assert!(!contradicted(&main, &init), "{main}");
    }
}

/// Regression: what a program itself leaves for its next start did not count.
#[test]
fn a_program_begins_in_the_modes_that_it_leaves() {
    let lines = "PTP XP1\nLIN XP2";
    assert!(is_contradicted(
        "",
        &format!("{lines}\n$ORI_TYPE=#CONSTANT")
    ));
    assert!(is_contradicted(
        "",
        &format!("{lines}\nIF $IN[1] THEN\n$ORI_TYPE=#JOINT\nENDIF")
    ));
    assert!(is_contradicted("", &format!("{lines}\nSETS($ORI_TYPE)")));
    let back = format!("{lines}\n$ORI_TYPE=#CONSTANT\n$OUT[1]=TRUE\n$ORI_TYPE=#VAR");
    assert!(!is_contradicted("", &back));
    let first = format!("{MODES_SET}\n{lines}\n$ORI_TYPE=#CONSTANT");
    assert!(!is_contradicted("", &first));
}

/// Regression: interrupts of callers that the reader does not follow were passed over.
#[test]
fn interrupts_of_callers_that_are_not_followed_count() {
    let lines = format!("{MODES_SET}\nPTP XP1\nLIN XP2");
    for declared in [
        "INTERRUPT WITH BRAKE DECL 21 WHEN $IN[1] DO QUIET()",
        "GLOBAL INTERRUPT WITH BRAKE DECL 21 WHEN $IN[1] DO QUIET()",
        "INTERRUPT DECL 21 WHEN MOVES()==1 DO QUIET()",
        "INTERRUPT DECL MOVES() WHEN $IN[1] DO QUIET()",
        "INTERRUPT DECL 21 WHEN $IN[1] DO $OUT[1]=MOVES()==1",
    ] {
        assert!(is_contradicted(declared, &lines), "{declared}");
    }
}

/// Regression: an interrupt that is declared in no file was switched on as if that did nothing.
#[test]
fn interrupts_that_no_file_declares_are_not_passed_over() {
    let lines = format!("{MODES_SET}\nPTP XP1\nLIN XP2");
    let told = |main: &str, on: &str| is_contradicted(main, &format!("{on}\n{lines}"));
    let quiet = "INTERRUPT DECL 21 WHEN $IN[1] DO QUIET()";
    for on in [
        "INTERRUPT ON 21",
        "INTERRUPT ENABLE 21",
        "INTERRUPT ON",
        "INTERRUPT ON N",
    ] {
        assert!(told("", on), "{on}");
    }
    assert!(told(quiet, "INTERRUPT ON 22"));
    assert!(told(quiet, "IF $IN[1] THEN\nINTERRUPT ON 22\nENDIF"));
    for on in [
        "INTERRUPT ON 21",
        "INTERRUPT ON",
        "INTERRUPT OFF 22",
        "INTERRUPT DISABLE",
    ] {
        assert!(!told(quiet, on), "{on}");
    }
    assert!(!told("", &format!("{quiet}\nINTERRUPT ON 21")));
    assert!(!told(
        "",
        "INTERRUPT DECL N WHEN $IN[1] DO QUIET()\nINTERRUPT ON N"
    ));
    let told = reason("INTERRUPT OFF go()\nLIN XP1");
    assert!(told.contains("which interrupt is switched"), "{told}");
}

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

/// Regression: sensors, frames of the arm and axes that a caller leaves on were not seen.
#[test]
fn what_callers_leave_on_is_not_off() {
    let lines = format!("{MODES_SET}\nPTP XP1\nLIN XP2");
    for main in [
        "RSI_ON(#RELATIVE)",
        "ST_ON1(1,2)",
        "$ROBROOT={X 100,Y 0,Z 0,A 0,B 0,C 0}",
        "$WORLD=$NULLFRAME",
        "$SPL_ORI_JOINT_AUTO=#ON",
        "$TECH[1].MODE=#CYCLE",
        "ASYPTP {E1 1000}",
        "RSI_ON(#RELATIVE)\nQUIET()\nRSI_OFF()",
    ] {
        assert!(is_contradicted(main, &lines), "{main}");
    }
    for main in [
        "RSI_ON(#RELATIVE)\nRSI_OFF()",
        "$SPL_ORI_JOINT_AUTO=#OFF",
        "$TECH[1].MODE=#CYCLE\n$TECH[1].MODE=#OFF",
        "ASYSTOP",
        "$OUT[1]=TRUE",
    ] {
        assert!(!is_contradicted(main, &lines), "{main}");
    }
}

/// Regression: what a submit program moves, and modes that lists state, were passed over.
#[test]
fn submit_programs_and_lists_count_at_a_start() {
    let contradicted = |path: &str, text: &str, body: &str| {
        let mut cell = cell();
        said(&mut cell).files.push(ControllerFile {
            path: path.into(),
            bytes: text.as_bytes().into(),
        });
        let text = set(body);
        let files = [("a.dat", LIST)];
        let read = read_beside(&cell, "a.src", text.as_bytes(), &files, None).unwrap();
        read.assumed.iter().any(|a| a.contradicted)
    };
    let lines = format!("{MODES_SET}\nPTP XP1\nLIN XP2");
    for (does, right) in [
        ("ASYPTP {E1 1000}", true),
        ("$ROBROOT={X 1,Y 0,Z 0,A 0,B 0,C 0}", true),
        // It comes at any time, however soon it is over.
        ("RSI_ON(#RELATIVE)\nRSI_OFF()", true),
        ("$OUT[1]=TRUE", false),
    ] {
        let submit = format!("DEF sps()\nLOOP\n{does}\nENDLOOP\nEND\n");
        assert_eq!(contradicted("R1/sps.sub", &submit, &lines), right, "{does}");
    }
    let custom = |line: &str, body: &str| {
        let list = format!("DEFDAT $CUSTOM PUBLIC\n{line}\nENDDAT\n");
        contradicted("R1/Mada/$custom.dat", &list, body)
    };
    assert!(custom("$SPL_ORI_JOINT_AUTO=#ON", &lines));
    assert!(!custom("$SPL_ORI_JOINT_AUTO=#OFF", &lines));
    assert!(!custom("$SPL_ORI_JOINT_AUTO=#ON", "PTP XHOME"));
    assert!(custom("$IPO_MODE=#TCP", "PTP XP1"));
    assert!(!custom("$IPO_MODE=#BASE", "PTP XP1"));
    assert!(!custom("$IPO_MODE=#TCP", &lines));
    // Where the arm stands is what these lists are for.
    assert!(!custom("$ROBROOT={X 0,Y 0,Z 500,A 0,B 0,C 0}", &lines));
}
