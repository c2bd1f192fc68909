use clearance_formats::controller::ControllerFile;
use clearance_formats::{ImportError, LoadedCell};
use clearance_proof::model::moves::{
    Branch, Configuration, MoveKind, MoveProgram, Speed, Target, Zone,
};
use nalgebra::{Isometry3, Vector3};

use crate::block::testing::{arm, read_beside, said, short};

mod basis;
mod begins;
mod doubts;
mod files;
mod mutants;
mod order;
mod readings;
mod shared;
mod start;
mod statements;
mod upright;
mod waits;
mod ways;
mod words;

const LIST: &str = "&ACCESS RVP\r\nDEFDAT a PUBLIC\r\nEXT BAS (BAS_COMMAND :IN,REAL :IN )\r\n\
DECL E6POS XP1={X 500.0,Y 0.0,Z 600.0,A 180.0,B 0.0,C 180.0,S 2,T 35,E1 0.0,E2 0.0,E3 0.0,E4 0.0,E5 0.0,E6 0.0}\r\n\
DECL E6POS XP2={X 500,Y 100,Z 600,A 90,B 30,C 0,S 6,T 'B10010'}\r\n\
DECL FDAT FP1={TOOL_NO 1,BASE_NO 2,IPO_FRAME #BASE,POINT2[] \" \"}\r\n\
DECL FDAT FP2={TOOL_NO 1,BASE_NO 0,IPO_FRAME #BASE,POINT2[] \" \"}\r\nDECL FDAT FTCP={TOOL_NO 1,BASE_NO 0,IPO_FRAME #TCP}\r\n\
DECL PDAT PPDAT1={VEL 100.0,ACC 100.0,APO_DIST 50.0}\r\nDECL LDAT LCPDAT1={VEL 2.0,ACC 100.0,APO_DIST 30.0,APO_FAC 50.0}\r\n\
DECL INT N=3\r\nDECL REAL H[2]\r\nH[1]=10.0\r\nH[2]=20.0\r\nENDDAT\r\n";

const CONFIG: &str = "DEFDAT $CONFIG PUBLIC\nDECL FRAME TOOL_DATA[16]\nTOOL_DATA[1]={X 0.0,Y 0.0,Z 100.0,A 0.0,B 0.0,C 0.0}\n\
DECL FRAME BASE_DATA[32]\nBASE_DATA[2]={X 100.0,Y 200.0,Z 300.0,A 90.0,B 0.0,C 0.0}\n\
DECL E6AXIS XHOME={A1 0.0,A2 -90.0,A3 90.0,A4 0.0,A5 0.0,A6 0.0}\nENDDAT\n";

/// The arm with its controller's own data.
fn cell() -> LoadedCell {
    let mut cell = arm("krl");
    said(&mut cell).files.push(ControllerFile {
        path: "R1/System/$config.dat".into(),
        bytes: CONFIG.as_bytes().into(),
    });
    cell
}

fn ways_in(cell: &LoadedCell, text: &str) -> Result<Vec<MoveProgram>, ImportError> {
    Ok(read_beside(cell, "a.src", text.as_bytes(), &[("a.dat", LIST)], None)?.ways)
}

fn program(body: &str) -> String {
    format!("&ACCESS RVP\n&REL 1\nDEF a( )\n{body}\nEND\n")
}

/// With tool 1 in the world.
fn set(body: &str) -> String {
    program(&format!("$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\n{body}"))
}

fn only(text: &str) -> MoveProgram {
    let ways = ways_in(&cell(), text).unwrap_or_else(|e| panic!("{e}"));
    let [way] = <[_; 1]>::try_from(ways).unwrap_or_else(|w| panic!("{w:?}"));
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    way
}

fn known(body: &str) -> MoveProgram {
    only(&set(body))
}

fn reason(body: &str) -> String {
    let ways = ways_in(&cell(), &set(body)).unwrap_or_else(|e| panic!("{e}"));
    let first = ways.iter().find_map(|w| w.unknown.first());
    let first = first.unwrap_or_else(|| panic!("{body} is known: {ways:?}"));
    assert!(first.place.line.is_some());
    first.reason.clone()
}

fn pose(target: &Target) -> (&Isometry3<f64>, &Branch) {
    match target {
        Target::Pose {
            frame_from_tool,
            branch,
            ..
        } => (frame_from_tool, branch),
        Target::Joints(_) => panic!("a pose is needed"),
    }
}

#[test]
fn inline_forms_of_both_kinds_are_read_from_their_executable_lines() {
    let old = program(
        ";FOLD PTP HOME Vel=100 %\n$BWDSTART=FALSE\nPDAT_ACT=PPDAT1\nFDAT_ACT=FP2\nBAS(#PTP_PARAMS,100)\n$H_POS=XHOME\nPTP XHOME\n;ENDFOLD\n\
         ;FOLD LIN P1 CONT Vel=2 m/s;%{PE}\n$BWDSTART=FALSE\nLDAT_ACT=LCPDAT1\nFDAT_ACT=FP1\nBAS(#CP_PARAMS,2)\nLIN XP1 C_DIS C_DIS\n;ENDFOLD\n\
         ;FOLD PTP P2 CONT\nPDAT_ACT=PPDAT1\nFDAT_ACT=FP2\nBAS(#PTP_PARAMS,50)\nSET_CD_PARAMS (0)\nPTP XP2 C_DIS\n;ENDFOLD",
    );
    let new = program(
        "SPTP XHOME WITH $VEL_AXIS[1] = SVEL_JOINT(100.0), $TOOL = STOOL2(FP2), $BASE = SBASE(FP2.BASE_NO)\n\
         SLIN XP1 C_DIS WITH $VEL = SVEL_CP(2.0, , LCPDAT1)\n",
    );
    let way = only(&old);
    assert_eq!(
        short(&way),
        "J[0 -90 90 0 0 0] L(100 700 900) J(500 100 600)"
    );
    let zones: Vec<_> = way.moves.iter().map(|m| m.zone).collect();
    assert_eq!(zones, [Zone::Stop, Zone::Ball(0.03), Zone::Unknown]);
    let speeds: Vec<_> = way.moves.iter().map(|m| m.speed).collect();
    assert_eq!(
        speeds,
        [Speed::Share(1.0), Speed::Tool(2.0), Speed::Share(0.5)]
    );
    assert_eq!(way.moves[1].label, "XP1");
    assert_eq!(way.moves[1].tool.link_from_frame.translation.z, 0.1);
    let new = new.replace("LCPDAT1)", "LCPDAT1), $TOOL = STOOL2(FP1), $BASE = SBASE(FP1.BASE_NO), $IPO_MODE = SIPO_MODE(FP1.IPO_FRAME)");
    let way = only(&new);
    assert_eq!(short(&way), "J[0 -90 90 0 0 0] L(100 700 900)");
    assert_eq!(way.moves[1].zone, Zone::Unknown);
    // The text of a fold moves nothing.
    let way = only(&program(
        ";FOLD PTP P1 Vel=100 % PDAT1 Tool[1] Base[2]\n;ENDFOLD",
    ));
    assert!(way.moves.is_empty());
}

#[test]
fn a_turns_about_z_b_about_y_and_c_about_x() {
    let way = known("LIN XP2\nLIN {X 1,Y 2,Z 3,A 10,B 20,C 30}");
    let turned = pose(&way.moves[0].target).0.rotation;
    let b = 30.0_f64.to_radians();
    // A of 90 degrees turns x to y; then B lowers x.
    let x = turned * Vector3::x();
    assert!((x - Vector3::new(0.0, b.cos(), -b.sin())).norm() < 1e-12);
    let turned = pose(&way.moves[1].target).0.rotation.to_rotation_matrix();
    let one = |axis: Vector3<f64>, angle: f64| nalgebra::Rotation3::new(axis * angle.to_radians());
    let right = one(Vector3::z(), 10.0) * one(Vector3::y(), 20.0) * one(Vector3::x(), 30.0);
    assert!((turned.matrix() - right.matrix()).norm() < 1e-12);
}

#[test]
fn status_and_turn_choose_for_joint_moves_only() {
    let way = known("PTP XP2\nLIN XP1");
    let Branch::Configuration(Configuration {
        in_front,
        elbow_up,
        ranges,
    }) = pose(&way.moves[0].target).1
    else {
        panic!("a configuration");
    };
    // 6 is 110, and the turn is 10010: joints 2 and 5 are negative.
    assert_eq!((*in_front, *elbow_up), (Some(true), Some(true)));
    let negative: Vec<bool> = ranges.iter().map(|r| r.to < 0.1).collect();
    assert_eq!(negative, [false, true, false, false, true, false]);
    assert_eq!(*pose(&way.moves[1].target).1, Branch::Continued);
    // Regression: the nearest joint values were taken. A controller keeps the status of the arm, and
    // takes the turns by its own limits.
    for more in ["", ",S 6", ",T 18"] {
        let told = reason(&format!(
            "PTP XP2\nPTP {{X 500,Y 0,Z 600,A 0,B 90,C 0{more}}}"
        ));
        assert!(told.contains("without status and turn"), "{more}: {told}");
    }
}

#[test]
fn partial_aggregates_keep_what_they_do_not_state() {
    let way = known(
        "PTP XHOME\nPTP {A1 15, A6 -30}\nPTP_REL {A2 5}\nLIN XP1\nLIN {Z 650}\nLIN_REL {X 10,Y -5}\nLIN_REL {Z 20} #TOOL\nPTP {AXIS: A1 1,A2 2,A3 3,A4 4,A5 5,A6 6}",
    );
    assert_eq!(
        short(&way),
        "J[0 -90 90 0 0 0] J[15 -90 90 0 0 -30] J[15 -85 90 0 0 -30] L(500 0 600) L(500 0 650) L(510 -5 650) L(510 -5 630) J[1 2 3 4 5 6]"
    );
    for (body, says) in [
        ("LIN {Z 5}", "nothing is stated for X"),
        ("LIN XP1\nPTP {A1 5}", "nothing is stated for A2"),
        (
            "LIN XP1\n$BASE=BASE_DATA[2]\nLIN {Z 5}",
            "nothing is stated for X",
        ),
        ("LIN_REL {Z 5}", "from where"),
        ("LIN XP1\nLIN_REL {A 5}", "turns the tool in its base"),
        ("XP1={Z 5}\nLIN XP1", "states nothing for"),
        (
            "LIN {X 500,Y 0,Z 600,A 0,B 180,C 0}\nLIN {A 30}",
            "where B was ±90° or beyond",
        ),
        (
            "LIN {X 500,Y 0,Z 600,A 0,B -90,C 0}\nLIN {A 30}",
            "where B was ±90° or beyond",
        ),
    ] {
        let told = reason(body);
        assert!(told.contains(says), "{body}: {told}");
    }
    known("LIN {X 500,Y 0,Z 600,A 0,B 80,C 0}\nLIN {A 30}");
    known("LIN {X 500,Y 0,Z 600,A 0,B 180,C 0}\nLIN {Z 650}");
    known("LIN {X 500,Y 0,Z 600,A 0,B 180,C 0}\nLIN {A 30,B 180,C 0}");
}

#[test]
fn values_are_followed_through_routines_frames_and_loops() {
    let text = set(
        "DECL INT i\nDECL E6POS q\nDECL FRAME f\nq=XP1\nq.Z=q.Z+H[2]\nLIN q\nLIN XP1:{X 0,Y 0,Z 100,A 0,B 0,C 0}\n\
         FOR i=1 TO N\n sub(i*10,q)\n LIN q\nENDFOR\nFOR i=4 TO 1 STEP -2\n q.Y=i\n LIN q\nENDFOR\n\
         i=0\nWHILE i<2\n i=i+1\nENDWHILE\nREPEAT\n i=i+1\nUNTIL i>=5\nq.X=i\nLIN q\n\
         LOOP\n i=i-1\n IF i==2 THEN\n  EXIT\n ENDIF\nENDLOOP\nSWITCH 2\nCASE 1,2\n q.X=7/2\nDEFAULT\n q.X=0\nENDSWITCH\nLIN q\n\
         GOTO there\nLIN XP1\nthere:\nq.X=half(7.0)\nLIN q\nTRIGGER WHEN DISTANCE=0 DELAY=0 DO $OUT[1]=TRUE\nCIRC XP1,q\nRETURN\nLIN XP1",
    ) + "DEF sub(h :IN,p :OUT)\nREAL h\nE6POS p\np.X=400+h\nh=0\nEND\nDEFFCT REAL half(x :IN)\nREAL x\nRETURN x/2\nENDFCT\n";
    // The declarations stand after assignments only by the test's prefix.
    let text = text.replace("$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\n", "");
    let text = text.replace("q=XP1\n", "$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\nq=XP1\n");
    assert_eq!(
        short(&only(&text)),
        "L(500 0 620) L(500 0 500) L(410 0 620) L(420 0 620) L(430 0 620) L(430 4 620) L(430 2 620) L(5 2 620) L(3 2 620) \
         L(3.5 2 620) C(500 0 600)(3.5 2 620)"
    );
}

#[test]
fn what_could_move_the_arm_and_is_not_understood_is_told() {
    for (body, says) in [
        ("RSI_MOVECORR()", "`RSI_MOVECORR` is in no file"),
        ("ret=RSI_ON(#ABSOLUTE)", "the function `RSI_ON`"),
        ("PTP $POS_ACT", "only the controller knows"),
        ("PTP XP9", "`XP9` is declared in no file"),
        (
            "N=5 B_AND 4 B_OR 3\nPTP {A1 N,A2 0,A3 0,A4 0,A5 0,A6 0}",
            "a mixture of B_AND, B_OR and B_EXOR is not computed",
        ),
        ("$TOOL=TOOL_DATA[5]\nLIN XP1", "states nothing for"),
        ("$BASE=BASE_DATA[k]\nLIN XP1", "`k` is declared in no file"),
        ("$IPO_MODE=#TCP\nLIN XP1", "the tool stands still"),
        (
            "FDAT_ACT=FTCP\nBAS(#PTP_PARAMS,100)\nPTP XP1",
            "the tool stands still",
        ),
        // The data of the move say so, although the move does not set the mode.
        (
            "SLIN XP1 WITH $TOOL=STOOL2(FTCP), $BASE=SBASE(FTCP)",
            "the tool stands still",
        ),
        ("$ORI_TYPE=#JOINT\nLIN XP1", "$ORI_TYPE"),
        ("CIRC XP1,XP2,CA 90", "ends by its angle"),
        ("SPLINE\nSPL XP1\nENDSPLINE", "`SPLINE` block"),
        (
            "INTERRUPT DECL 3 WHEN $IN[1]==TRUE DO stop_it()",
            "interrupt that runs `stop_it`",
        ),
        ("BRAKE", "`BRAKE` stops"),
        ("WAIT FOR lost()", "the function `lost`"),
        ("$=_DATA[2]", "$ is set"),
        ("$CONVEYOR=TRUE", "$CONVEYOR is set"),
        ("BAS(#EX_BASE,1)", "`BAS` sets"),
        ("LIN {X 1,Y 2,Z 3,A 0,B 0,C 0,E1 5}", "external axis E1"),
        ("DECL INT k", "`k`"),
        ("q=5", "a `$config.dat`, a module) in `files`"),
        (
            "XP1.Z=N/2\nLIN XP1\nXP1.Z=$ANIN[1]\nLIN XP1",
            "only the controller knows",
        ),
        ("PTP XP1:XP2", "status"),
        ("FOR N=1 TO $IN[1]\nLIN XP1\nENDFOR", "how often"),
    ] {
        if body.starts_with("DECL") {
            assert!(ways_in(&cell(), &set(body)).is_ok_and(|w| w[0].unknown.is_empty()));
            continue;
        }
        let told = reason(body);
        assert!(told.contains(says), "{body}: {told}");
    }
    known(
        "GLOBAL INTERRUPT DECL 3 WHEN $STOPMESS==TRUE DO IR_STOPM ( )\nINTERRUPT ON 3\nBAS (#INITMOV,0 )\n$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\nWAIT SEC 0.5\n$OUT[3]=TRUE\nLIN XP1",
    );
    // Without a tool a line is not known, and joint values are.
    let ways = ways_in(&cell(), &program("PTP XHOME\nLIN XP1")).unwrap();
    assert_eq!(short(&ways[0]), "J[0 -90 90 0 0 0]");
    assert!(
        ways[0].unknown[0].reason.contains("has not set $BASE"),
        "{:?}",
        ways[0].unknown
    );
    let mut silent = cell();
    said(&mut silent).joints.clear();
    let ways = ways_in(&silent, &program("PTP XHOME")).unwrap();
    assert!(ways[0].unknown[0].reason.contains("counts its joints"));
}

#[test]
fn open_conditions_make_ways_and_loops_come_back() {
    let ways = ways_in(
        &cell(),
        &set("PTP XHOME\nIF $IN[1] THEN\n$OUT[1]=TRUE\nENDIF\nWAIT FOR $IN[2]\nIF $IN[3] THEN\nLIN XP1\nELSE\nLIN XP2\nENDIF\nLOOP\nN=N+1\nPTP XHOME\nENDLOOP"),
    )
    .unwrap();
    let told: Vec<_> = ways.iter().map(|w| (&*w.name, short(w))).collect();
    assert_eq!(told.len(), 2);
    assert_eq!(told[0].0, "a; line 11: $in[3] is true");
    assert!(
        told[1]
            .1
            .starts_with("J[0 -90 90 0 0 0] L(500 100 600) J[0 -90 90 0 0 0]")
    );
    assert!(ways.iter().all(|w| w.unknown.is_empty()), "{ways:?}");
    assert!(ways.iter().all(|w| w.goes_round));
    // Comparisons come after AND: who writes both without parentheses may mean either.
    let ways = ways_in(
        &cell(),
        &set(
            "IF N==3 AND N==4 THEN\nLIN XP1\nENDIF\nN=3\nIF (N==3) AND NOT (N==4) THEN\nLIN XP2\nENDIF",
        ),
    )
    .unwrap();
    assert_eq!(ways.len(), 2);
}

#[test]
fn what_no_controller_selects_is_refused_with_line_and_column() {
    for (text, line, column) in [
        ("DEF a( )\nPTP\nEND\n", 2, 4),
        ("DEF a( )\nIF TRUE\nEND\n", 2, 8),
        ("DEF a( )\nPTP {A1 0\nEND\n", 2, 10),
        ("DEF a( )\nPTP XP1 C_DISX\nEND\n", 2, 9),
        ("DEF a( )\nLOOP\nEND\n", 3, 1),
        ("DEF a( )\nx='B2'\nEND\n", 2, 3),
        ("DEF a\nEND\n", 1, 6),
        ("DEF a( )\nPTP XP1\n", 3, 1),
    ] {
        let error = ways_in(&cell(), text).unwrap_err();
        assert_eq!(
            (error.place.line, error.place.column),
            (Some(line), Some(column)),
            "{error}"
        );
    }
}

#[test]
fn the_example_of_the_page_reads_as_the_page_says() {
    let page = include_str!("../../../../docs/programs/krl.md");
    let (_, rest) = page.split_once("```krl\n").unwrap();
    let (text, rest) = rest.split_once("```").unwrap();
    let (_, rest) = rest.split_once("```text\n").unwrap();
    let (right, _) = rest.split_once("\n```").unwrap();
    let way = only(text);
    let lines = short(&way)
        .replace(") L", ")\nL")
        .replace("] J", "]\nJ")
        .replace("] L", "]\nL")
        .replace(") J", ")\nJ");
    assert_eq!(lines, right);
}

#[test]
#[ignore = "reads programs that are not part of this repository: CLEARANCE_REAL_DATA"]
fn real_programs_answer_as_the_inventory_says() {
    let root = std::env::var("CLEARANCE_REAL_DATA").expect("CLEARANCE_REAL_DATA names a folder");
    let root = std::path::Path::new(&root).join("native/krl");
    for (file, moves) in [("ros_rsi.src", 1), ("schunk/example.src", 0)] {
        // They are brought by hand.
        let Ok(bytes) = std::fs::read(root.join(file)) else {
            continue;
        };
        let ways = read_beside(&arm("krl"), file, &bytes, &[], None)
            .unwrap()
            .ways;
        assert_eq!(ways[0].moves.len(), moves, "{file}");
        assert!(ways.iter().all(|w| !w.unknown.is_empty()), "{file}");
        if moves == 1 {
            let right = [0.0, -90.0, 90.0, 0.0, 90.0, 0.0].map(f64::to_radians);
            assert_eq!(ways[0].moves[0].target, Target::Joints(right.to_vec()));
        }
    }
}

/// What the cell says by a pattern does not mean instructions that fit it.
#[test]
fn instructions_that_move_are_never_still() {
    let mut cell = cell();
    said(&mut cell).still = ["LIN*", "P*", "BAS", "RSI_*", "MOVE_*", "INTERRUPT*"]
        .map(str::to_owned)
        .to_vec();
    let moves = "LIN XP1\nPTP XP1\nLIN_UNIT_OFF()\nLIN_REL {Z 10}";
    let way = ways_in(&cell, &set(moves)).unwrap().remove(0);
    assert_eq!((way.moves.len(), way.unknown.len()), (3, 0), "{way:?}");
    for line in [
        "RSI_MOVECORR()",
        "MOVE_EMI()",
        "BAS(#EX_BASE,1)",
        "INTERRUPT DECL 3 WHEN $IN[1]==TRUE DO lost()",
    ] {
        let way = ways_in(&cell, &set(&format!("{line}\nLIN XP1")))
            .unwrap()
            .remove(0);
        assert_eq!(way.unknown.len(), 1, "{line}: {way:?}");
        let names_still = way.unknown[0].reason.contains("`still`");
        // The routine that the interrupt runs may be.
        assert_eq!(names_still, line.contains("lost"), "{way:?}");
    }
}

/// What is valid and not read is told where it is reached, and nowhere else.
#[test]
fn statements_that_are_not_followed_count_where_they_are_reached() {
    for (body, says) in [
        (
            "PTP_SPLINE\nSPTP XP1\nENDSPLINE C_SPL",
            "`PTP_SPLINE` block",
        ),
        (
            "INTERRUPT WITH BRAKE DECL 21 WHEN $IN[1]==TRUE DO stop_it()",
            "`INTERRUPT WITH BRAKE` stops",
        ),
        ("ON_ERROR_PROCEED", "`ON_ERROR_PROCEED` lets"),
        ("ASYPTP {E1 10}", "`ASYPTP` moves or stops external axes"),
        ("ASYCONT {E1 10}", "`ASYCONT` moves or stops external axes"),
        ("ASYSTOP", "`ASYSTOP` moves or stops external axes"),
        ("ASYCANCEL 1", "`ASYCANCEL` moves or stops external axes"),
        ("STOP WHEN PATH=50 IF $IN[1]", "`STOP` bends or stops"),
        ("CONST_VEL START=50 ONSTART", "`CONST_VEL` bends or stops"),
        ("CONST_VEL END=-50.0", "`CONST_VEL` bends or stops"),
        ("TIME_BLOCK START", "`TIME_BLOCK` bends or stops"),
        ("TIME_BLOCK PART=40.0", "`TIME_BLOCK` bends or stops"),
        ("TIME_BLOCK END=3.0", "`TIME_BLOCK` bends or stops"),
    ] {
        let told = reason(body);
        assert!(told.contains(says), "{body}: {told}");
        known(&format!("LIN XP1\nRETURN\n{body}"));
    }
}

/// A position that is made of another one states no external axes. Where the arm has none, they stay
/// at 0.
#[test]
fn positions_that_are_composed_leave_absent_axes_at_0() {
    let made = "XP1=XP2:{X 0,Y 0,Z -20,A 0,B 0,C 0}\nLIN XP1";
    assert_eq!(known(made).moves.len(), 1);
    let told = reason(&format!("XP1.E1=5\n{made}"));
    assert!(told.contains("states nothing for E1"), "{told}");
}

/// A trigger that could move the arm is not listed among what cannot.
#[test]
fn triggers_that_could_move_are_not_passed_over() {
    let text = set("TRIGGER WHEN DISTANCE=0 DELAY=0 DO sub(1.0)\nLIN XP1");
    let moves = format!("{text}DEF sub(x:IN)\nLIN_REL {{Z 10}}\nEND\n");
    let way = ways_in(&cell(), &moves).unwrap().remove(0);
    assert_eq!((way.unknown.len(), &way.passed_over[..]), (1, &[][..]));
    let way = only(&moves.replace("LIN_REL {Z 10}", "$OUT[1]=TRUE"));
    assert_eq!(way.passed_over, [("sub".into(), 1)]);
}
