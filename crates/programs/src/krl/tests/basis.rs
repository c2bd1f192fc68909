//! What archives of a controller have beside its programs: `bas.src`, the handler of a stop, submit
//! programs; and the corrections of tools and bases that `BAS` applies.

use super::*;

const SWITCHES: &str = "DECL CIRC_TYPE DEF_CIRC_TYP=#BASE\nBOOL TOOL_CORR_ON=FALSE\nBOOL TOOL_CORR_W_ON=FALSE\n\
BOOL BASE_CORR_ON=FALSE\nBOOL M_BAS_COR_ON=FALSE\nFRAME TOOL_CORR={X 0,Y 0,Z 0,A 0,B 0,C 0}\nFRAME TOOL_CORR_W={X 0,Y 0,Z 0,A 0,B 0,C 0}\n\
FRAME BASE_CORR={X 0,Y 0,Z 0,A 0,B 0,C 0}\nFRAME M_BASE_CORR={X 0,Y 0,Z 0,A 0,B 0,C 0}\n";

/// A line of an inline form in base 2 with tool 1.
const FORM: &str = "LDAT_ACT=LCPDAT1\nFDAT_ACT=FP1\nBAS(#CP_PARAMS,2)\nLIN XP1";
/// The same as the newer forms write it.
const NEW_FORM: &str = "SLIN XP1 WITH $VEL = SVEL_CP(2.0, , LCPDAT1), $TOOL = STOOL2(FP1), $BASE = SBASE(FP1.BASE_NO), $IPO_MODE = SIPO_MODE(FP1.IPO_FRAME)";
const HOME: &str = "PDAT_ACT=PPDAT1\nFDAT_ACT=FP2\nBAS(#PTP_PARAMS,100)\nPTP XHOME\n";

/// Files of an archive beside the program, with these lines in `$config.dat`.
fn read(body: &str, declared: &str, files: &[(&str, &str)]) -> Vec<MoveProgram> {
    let mut cell = arm("krl");
    let config = CONFIG.replace("ENDDAT", &format!("{declared}ENDDAT"));
    let files = [("R1/System/$config.dat", &*config)]
        .into_iter()
        .chain(files.iter().copied());
    for (path, text) in files {
        said(&mut cell).files.push(ControllerFile {
            path: path.into(),
            bytes: text.as_bytes().into(),
        });
    }
    ways_in(&cell, &program(body)).unwrap_or_else(|e| panic!("{e}"))
}

/// Why the only way is not known, else its last pose (mm) and the place of its tool.
fn line(ways: &[MoveProgram]) -> Result<[f64; 6], String> {
    let [way] = ways else {
        panic!("{ways:?}");
    };
    if let Some(unknown) = way.unknown.first() {
        return Err(unknown.reason.clone());
    }
    let last = way.moves.last().unwrap();
    let Target::Pose {
        frame,
        frame_from_tool,
        ..
    } = &last.target
    else {
        panic!("{last:?}");
    };
    let at = (frame.link_from_frame * frame_from_tool).translation;
    let tool = last.tool.link_from_frame.translation;
    Ok([at.x, at.y, at.z, tool.x, tool.y, tool.z].map(|x| (1e6 * x).round() / 1e3))
}

/// Regression: the shift was taken for variables that nobody reads, and the moves without it were proved.
#[test]
fn tools_and_bases_have_the_corrections_that_are_on() {
    for form in [FORM, NEW_FORM] {
        let asked = |set: &str| line(&read(&format!("{set}{HOME}{form}"), SWITCHES, &[]));
        let plain = [100.0, 700.0, 900.0, 0.0, 0.0, 100.0];
        assert_eq!(asked(""), Ok(plain));
        let frame =
            |name: &str, x: f64, z: f64| format!("{name}={{X {x},Y 0,Z {z},A 0,B 0,C 0}}\n");
        for (set, right) in [
            (frame("BASE_CORR", 0.0, -250.0), plain),
            (
                frame("BASE_CORR", 0.0, -250.0) + "BASE_CORR_ON=TRUE\n",
                [100.0, 700.0, 650.0, 0.0, 0.0, 100.0],
            ),
            // Behind base 2, whose x is y of the world.
            (
                frame("M_BASE_CORR", 10.0, 0.0) + "M_BAS_COR_ON=TRUE\n",
                [100.0, 710.0, 900.0, 0.0, 0.0, 100.0],
            ),
            (
                frame("TOOL_CORR", 5.0, 20.0) + "TOOL_CORR_ON=TRUE\n",
                [100.0, 700.0, 900.0, 5.0, 0.0, 120.0],
            ),
            (
                frame("TOOL_CORR_W", 0.0, 7.0) + "TOOL_CORR_W_ON=TRUE\n",
                [100.0, 700.0, 900.0, 0.0, 0.0, 107.0],
            ),
            (
                frame("BASE_CORR", 0.0, -250.0) + "BASE_CORR_ON=TRUE\nBAS(#INITMOV,0)\n",
                plain,
            ),
        ] {
            assert_eq!(asked(&set), Ok(right), "{set}");
        }
        // Which of the two nobody knows, or what stands in no file.
        let ways = read(&format!("BASE_CORR_ON=$IN[1]\n{HOME}{form}"), SWITCHES, &[]);
        assert!(ways.iter().any(|way| !way.unknown.is_empty()), "{ways:?}");
        let ways = read(&format!("BASE_CORR_ON=TRUE\n{HOME}{form}"), "", &[]);
        assert!(line(&ways).is_err());
        let sets = "INTERRUPT DECL 3 WHEN $IN[1]==TRUE DO BASE_CORR_ON=TRUE\nINTERRUPT ON 3\n";
        let ways = read(&format!("{sets}{HOME}{form}"), SWITCHES, &[]);
        assert!(line(&ways).is_err());
    }
}

/// Regression: the controller's default for arcs was read and not used.
#[test]
fn arcs_turn_as_the_controller_is_set() {
    let arc = format!(
        "BAS(#INITMOV,0)\nBAS(#TOOL,1)\nBAS(#BASE,2)\n{HOME}BAS(#TOOL,1)\nBAS(#BASE,2)\nLIN XP1\nCIRC {{X 520,Y 50,Z 620}},XP2"
    );
    let asked = |set: &str| line(&read(&arc, set, &[]));
    assert!(asked("").is_ok() && asked(SWITCHES).is_ok());
    let path = SWITCHES.replace("DEF_CIRC_TYP=#BASE", "DEF_CIRC_TYP=#PATH");
    let reason = asked(&path).unwrap_err();
    assert!(reason.contains("$CIRC_TYPE"), "{reason}");
    // Data of a move that do not say it: versions of `BAS` set the mode anew, or leave it.
    let arc = format!(
        "$CIRC_TYPE=#BASE\n{HOME}LDAT_ACT=LCPDAT1\nFDAT_ACT=FP1\nBAS(#CP_PARAMS,2)\nLIN XP1\nCIRC {{X 520,Y 50,Z 620}},XP2"
    );
    assert!(line(&read(&arc, SWITCHES, &[])).is_ok());
    let reason = line(&read(&arc, &path, &[])).unwrap_err();
    assert!(reason.contains("$CIRC_TYPE"), "{reason}");
}

/// The routines of KUKA's own package, shortened.
fn basis(more: &str) -> String {
    let empty =
        ["PTP_DAT", "VEL_CP", "TOOL", "OUT_SYNC"].map(|name| format!("DEF {name}( )\nEND\n"));
    format!(
        "&COMMENT BASIS package\nDEF BAS(CMD :IN,PAR :IN )\nDECL BAS_COMMAND CMD\nREAL PAR\nSWITCH CMD\nCASE #INITMOV\nINITMOV( )\n\
         CASE #CP_PARAMS\nCP_DAT( )\nFRAMES( )\nENDSWITCH\nEND\nDEF INITMOV( )\n$ORI_TYPE=#VAR\nEND\n\
         DEF CP_DAT( )\nON_ERROR_PROCEED\n$ORI_TYPE=LDAT_ACT.ORI_TYP\nIF $ERR.NUMBER<>0 THEN\n$ORI_TYPE=#VAR\nERR_CLEAR($ERR)\nENDIF\nEND\n\
         DEF FRAMES( )\nON_ERROR_PROCEED\nINTERRUPT ON 3\nIF $ERR.NUMBER==1430 THEN\nGLOBAL INTERRUPT DECL 3 WHEN $STOPMESS==TRUE DO IR_STOPM ()\nENDIF\n\
         IF FDAT_ACT.BASE_NO>16 THEN\nEB_ABS_BASE(1,FDAT_ACT.BASE_NO)\nELSE\nBASE(FDAT_ACT.BASE_NO)\nENDIF\nEND\n\
         DEF EB_ABS_BASE(MACH_IDX :IN,BASE_NO :IN)\nINT MACH_IDX,BASE_NO\n\
         $BASE=EB_ABS(MACHINE_DEF[MACH_IDX].ROOT,MACHINE_DEF[MACH_IDX].NAME[],BASE_DATA[BASE_NO]:M_BASE_CORR,CONV_PART_NBR[MACH_IDX])\nEND\n\
         GLOBAL DEFFCT FRAME STOOL(TOOL_NO :IN)\nINT TOOL_NO\nDECL FRAME RET_TOOL\nRET_TOOL=TOOL_CORR_W:TOOL_DATA[TOOL_NO]\nRETURN RET_TOOL\nENDFCT\n\
         GLOBAL DEFFCT FRAME STOOL2(FSP :IN)\nDECL FDAT FSP\nDECL FRAME RET_TOOL\nRET_TOOL = STOOL(FSP.TOOL_NO)\nRETURN RET_TOOL\nENDFCT\n\
         GLOBAL DEF setFixedBaseIfLinked()\n$BASE=$NULLFRAME\nLIN_REL {{X 0}}\nEND\n\
         DEF BASE(BASE_NO :IN)\nINT BASE_NO\nIF BASE_NO==0 THEN\n$BASE=$WORLD\nELSE\n$BASE=BASE_CORR:BASE_DATA[BASE_NO]\nENDIF\n{more}END\n{}",
        empty.concat()
    )
}

/// Regression: an archive as a whole made every program unverified, since KUKA's own text was followed.
#[test]
fn the_package_of_inline_forms_is_known() {
    let asked = |bas: &str, path: &str| {
        let files = [(path, bas)];
        line(&read(&format!("{HOME}{FORM}"), SWITCHES, &files))
    };
    let own = "KRC/R1/System/bas.src";
    assert_eq!(
        asked(&basis(""), own),
        Ok([100.0, 700.0, 900.0, 0.0, 0.0, 100.0])
    );
    // What a plant has changed of it is followed.
    for more in [
        "$BASE.Z=-250\n",
        "$BASE={X 0,Y 0,Z -250,A 0,B 0,C 0}\n",
        "$BASE=BASE_DATA[2]\n",
        "BASE_DATA[2]={X 0,Y 0,Z -250,A 0,B 0,C 0}\n",
        "BASE_CORR_ON=TRUE\n",
        "SHIFT($BASE)\n",
        "$BASE=MY_FRAME\n",
        "$TOOL=$NULLFRAME:XP9\n",
        "PTP XHOME\n",
        "RSI_ON()\n",
        "INTERRUPT DECL 4 WHEN $IN[1] DO SHIFTED()\n",
        "setFixedBaseIfLinked()\n",
    ] {
        assert!(asked(&basis(more), own).is_err(), "{more}");
    }
    assert!(asked(&basis(""), "KRC/R1/Program/mine.src").is_err());
    let tool = basis("").replace("RET_TOOL = STOOL(FSP.TOOL_NO)", "RET_TOOL=XP9");
    assert!(asked(&tool, own).is_err());
    // Others of its routines are followed where a program calls them.
    let whole = basis("");
    let files = [(own, &*whole)];
    let called = read(
        &format!("{HOME}{FORM}\nsetFixedBaseIfLinked()"),
        SWITCHES,
        &files,
    );
    assert!(line(&called).unwrap_err().contains("relative move"));
}

/// Regression: counters of another file, of the same name as the program's, and errors of the submit
/// interpreter made programs unverified.
#[test]
fn what_the_handler_of_a_stop_and_submit_programs_keep_for_themselves_counts_not() {
    let init = "INTERRUPT DECL 3 WHEN $STOPMESS==TRUE DO IR_STOPM()\nINTERRUPT ON 3\n";
    let handler = "DEF IR_STOPM()\nINTERRUPT OFF 3\nIF $STOPMESS==TRUE THEN\nBRAKE\nP00(#EXT_ERR,#PGNO_GET)\nENDIF\nINTERRUPT ON 3\nEND\n";
    let p00 = "DEF P00(A :IN,B :IN)\nINT A,B\nREPEAT\nI=I+1\nUNTIL (I>MAXERR) OR FOUND\nEND\n";
    let list = |word: &str| {
        format!(
            "DEFDAT P00 PUBLIC\n{word}INT I=0\nDECL INT MAXERR=3\nDECL BOOL FOUND=FALSE\nENDDAT\n"
        )
    };
    let body = format!("{init}FOR I=1 TO 2\n{HOME}ENDFOR\n{FORM}");
    let body = format!("DECL INT I\n{body}");
    let asked = |word: &str, submit: &str| {
        let list = list(word);
        let files = [
            ("KRC/R1/System/ir_stopm.src", handler),
            ("KRC/R1/TP/p00.src", p00),
            ("KRC/R1/TP/p00.dat", &*list),
            ("KRC/R1/System/sps.sub", submit),
        ];
        line(&read(&body, SWITCHES, &files))
    };
    let submit = "DEF SPS( )\nLOOP\nERR_CLEAR($ERR)\nENDLOOP\nEND\n";
    let right = Ok([100.0, 700.0, 900.0, 0.0, 0.0, 100.0]);
    assert_eq!(asked("DECL ", submit), right);
    // Flags that it sets are not known to the program anyway.
    let flag = submit.replace("ERR_CLEAR($ERR)", "$FLAG[3]=$IN[4]");
    assert_eq!(asked("DECL ", &flag), right);
    assert!(
        asked(
            "DECL ",
            &submit.replace("ERR_CLEAR($ERR)", "BASE_CORR_ON=TRUE")
        )
        .is_err()
    );
}
