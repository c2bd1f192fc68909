//! Programs of which the motion is another one than a first look says.

use super::*;

#[test]
fn what_inline_forms_read_counts_although_nobody_hands_it_over() {
    // Bases 0, 2, then 4, which nothing states.
    let round = "FP1.BASE_NO=FP1.BASE_NO+2\nFDAT_ACT=FP1\nBAS(#CP_PARAMS,1)\nLIN XP1\nFDAT_ACT=FP2\nBAS(#PTP_PARAMS,100)\nPTP XHOME\n";
    let text = format!("PTP XHOME\nFP1.BASE_NO=-2\nLOOP\n{round}ENDLOOP");
    let ways = ways_in(&cell(), &program(&text)).unwrap();
    assert!(!ways[0].unknown.is_empty());
    let told =
        reason("INTERRUPT DECL 3 WHEN $IN[1] DO sub()\nLIN XP1\nEND\nDEF sub()\nBASE_DATA[2].X=9");
    assert!(told.contains("interrupt"), "{told}");
}

#[test]
fn a_base_that_the_program_has_made_unknown_is_not_that_of_the_cell() {
    let mut cell = cell();
    let frame = clearance_proof::model::moves::Frame {
        link: "base".into(),
        link_from_frame: Isometry3::identity(),
    };
    said(&mut cell).frames.insert("2".into(), frame);
    for set in ["BASE_DATA[2]=$POS_ACT", "BASE_DATA[$ANIN[1]]=$NULLFRAME"] {
        let text = format!("{set}\nBAS(#TOOL,1)\nBAS(#BASE,2)\nLIN XP1");
        let ways = ways_in(&cell, &program(&text)).unwrap();
        assert!(!ways[0].unknown.is_empty(), "{set}");
    }
}

#[test]
fn functions_run_wherever_they_stand() {
    let go = "END\nDEFFCT INT go()\nLIN XP1\nRETURN 1\nENDFCT\nDEF z()";
    for body in [
        "IF go()==1 AND TRUE THEN\nENDIF",
        "N=go() B_AND 3",
        "WAIT FOR lost()==0 OR $IN[2]",
        "IF $IN[1] AND (go()==1) THEN\nENDIF",
        "TRIGGER WHEN PATH=go() DELAY=0 DO $OUT[1]=TRUE\nLIN XP1",
        "INTERRUPT DECL go() WHEN $IN[1] DO z()",
    ] {
        let told = reason(&format!("{body}\n{go}"));
        assert!(told.contains("function"), "{body}: {told}");
    }
    for body in ["$OUT[go()]=TRUE", "N=STRLEN(go())"] {
        assert_eq!(known(&format!("{body}\n{go}")).moves.len(), 1, "{body}");
    }
    // What a function sets before it answers counts for the move that it answers.
    let text = set("LIN get()") + "DEFFCT E6POS get()\n$BASE=BASE_DATA[2]\nRETURN XP1\nENDFCT\n";
    assert_eq!(short(&only(&text)), "L(100 700 900)");
}

#[test]
fn triggers_come_when_they_come() {
    for (body, sub) in [
        ("sub()", "LIN XP2"),
        ("N=2", ""),
        ("$BASE=BASE_DATA[2]", ""),
    ] {
        let text = format!(
            "TRIGGER WHEN DISTANCE=1 DELAY=0 DO {body}\nLIN XP1\nPTP {{A1 N,A2 0,A3 0,A4 0,A5 0,A6 0}}\nEND\nDEF sub()\n{sub}"
        );
        let told = reason(&text);
        assert!(told.contains("trigger"), "{body}: {told}");
    }
    let quiet = known("TRIGGER WHEN DISTANCE=1 DELAY=0 DO $OUT[1]=TRUE\nLIN XP1");
    assert_eq!(quiet.moves.len(), 1);
}

#[test]
fn what_is_handed_over_may_come_back_changed() {
    let axes = "PTP {A1 N,A2 0,A3 0,A4 0,A5 0,A6 0}";
    let told = reason(&format!(
        "INTERRUPT DECL 3 WHEN $IN[1] DO sub(N)\n{axes}\nEND\nDEF sub(p :OUT)\nINT p\np=30"
    ));
    assert!(told.contains("the interrupt that runs `sub`"), "{told}");
    let told = reason(
        "put(H[$ANIN[1]])\nLIN XP1:{X 0,Y H[1],Z 0,A 0,B 0,C 0}\nEND\nDEF put(p :OUT)\nREAL p\np=30",
    );
    assert!(told.contains("only the controller knows"), "{told}");
    let told = reason("setit($ROBROOT)\nLIN XP1\nEND\nDEF setit(p :OUT)\nFRAME p\np.X=100");
    assert!(told.contains("$ROBROOT"), "{told}");
    let told = reason(&format!("CCLOSE(1,N)\n{axes}"));
    assert!(told.contains("only the controller knows"), "{told}");
}

#[test]
fn data_of_moves_say_how_they_are_made() {
    let told = reason(
        "LDAT_ACT=LCPDAT1\nLDAT_ACT.ORI_TYP=#JOINT\nFDAT_ACT=FP2\nBAS(#CP_PARAMS,2)\nLIN XP1",
    );
    assert!(told.contains("$ORI_TYPE"), "{told}");
    let way = known("$APO.CDIS=5\nLDAT_ACT=LCPDAT1\nBAS(#CP_DAT)\nLIN XP1 C_DIS");
    assert_eq!(way.moves[0].zone, Zone::Radius(0.03));
    let half = "DEFFCT INT half(x :IN)\nINT x\nRETURN x/2.0\nENDFCT\n";
    let ways = ways_in(
        &cell(),
        &(set("LIN XP1:{X half(3),Y 0,Z 0,A 0,B 0,C 0}") + half),
    )
    .unwrap();
    assert!(ways[0].unknown[0].reason.contains("rounded"));
    let way = known("LIN XP2\n$APO.CDIS=5\nFP2.BASE_NO=0\nPTP XP1");
    assert!(matches!(
        pose(&way.moves[1].target).1,
        Branch::Configuration(_)
    ));
    // A frame has no status, nor a turn.
    let data = LIST.replace("DECL INT N=3", "DECL INT N=3\r\nDECL FRAME F");
    let text = set("F=XP1\nPTP F");
    let ways = read_beside(&cell(), "a.src", text.as_bytes(), &[("a.dat", &data)], None).unwrap();
    assert_eq!(
        pose(&ways.ways[0].moves[0].target).1,
        &Branch::NearestToStart
    );
    let told = reason("PTP {X 500,Y 0,Z 600,A 0,B 90,C 0,S 6,T 2}");
    assert!(told.contains("contradict"), "{told}");
    let told = reason(
        "LIN XP1\nSCIRC {X 500,Y 50,Z 600,A 0,B 0,C 180},{X 500,Y 100,Z 600,A 178,B 0,C 180}",
    );
    assert!(told.contains("the long way round"), "{told}");
    // From joint values, too, and where it starts in another base.
    let arc = "SCIRC {X 500,Y 50,Z 600,A -170,B 0,C 180},{X 500,Y 100,Z 600,A 2,B 0,C 180}";
    for start in ["PTP XHOME", "LIN XP1\n$BASE=BASE_DATA[2]"] {
        let told = reason(&format!("{start}\n{arc}"));
        assert!(told.contains("the long way round"), "{start}: {told}");
    }
    let way = known(
        "PTP XHOME\nSCIRC {X 500,Y 50,Z 600,A 2,B 0,C 180},{X 500,Y 100,Z 600,A 2,B 0,C 180}",
    );
    assert_eq!(way.moves.len(), 2);
    let told = reason("BAS(#INITMOV,0)\nLIN XP1");
    assert!(told.contains("INITMOV"), "{told}");
    let told = reason("$BASE=$ROBROOT_C\nLIN XP1");
    assert!(told.contains("only the controller knows"), "{told}");
}

#[test]
fn bases_of_external_kinematics_and_programs_beside_are_not_read() {
    let machine = "DECL MACHINE_FRAME_T MACHINE_FRAME_DAT[32]\nMACHINE_FRAME_DAT[2]={MACH_DEF_INDEX 2}\nENDDAT";
    let config = CONFIG.replace("ENDDAT", machine);
    let mut cell = arm("krl");
    for (path, text) in [
        ("R1/System/$config.dat", &*config),
        ("R1/sps.sub", "DEF sps()\nLOOP\nMODE=2\nENDLOOP\nEND\n"),
    ] {
        said(&mut cell).files.push(ControllerFile {
            path: path.into(),
            bytes: text.as_bytes().into(),
        });
    }
    let text = program("FDAT_ACT=FP1\nBAS(#PTP_PARAMS,1)\nLIN XP1");
    let told = &ways_in(&cell, &text).unwrap()[0].unknown;
    assert!(
        told.iter().any(|u| u.reason.contains("external kinematic")),
        "{told:?}"
    );
    let list = LIST.replace("DECL INT N=3", "DECL GLOBAL INT MODE=1\r\nDECL INT N=3");
    let text = set("IF MODE==1 THEN\nLIN XP1\nENDIF");
    let found = read_beside(&cell, "a.src", text.as_bytes(), &[("a.dat", &list)], None).unwrap();
    let told = &found.ways[0].unknown;
    assert!(
        told.iter().any(|u| u.reason.contains("runs beside")),
        "{told:?}"
    );
}

#[test]
fn lines_and_statements_are_what_they_look_like() {
    let cr = ways_in(&cell(), &set("LIN XP1 ; home\rLIN XP2"));
    assert!(cr.is_err_and(|e| e.to_string().contains("carriage return")));
    let long = ways_in(&cell(), &set(&format!("N=1{}", "+1".repeat(300_000))));
    assert!(long.is_err_and(|e| e.to_string().contains("a shorter statement")));
    let deep = format!(
        "N=1{}\nPTP {{A1 N,A2 0,A3 0,A4 0,A5 0,A6 0}}",
        "+1".repeat(1500)
    );
    assert_eq!(known(&deep).moves.len(), 1);
    let list = LIST.replace(
        "DECL REAL H[2]",
        "DECL REAL G[100000,100000]\r\nDECL REAL H[2]",
    );
    let text = set("G[1,1]=2\nLIN {X G[1,1]}");
    let found = read_beside(&cell(), "a.src", text.as_bytes(), &[("a.dat", &list)], None).unwrap();
    assert!(found.ways[0].unknown[0].reason.contains("elements"));
    // Blocks in calls within calls: the stack of any thread holds what is followed.
    for (begin, end) in [("IF TRUE THEN\n", "ENDIF\n"), ("LOOP\n", "ENDLOOP\n")] {
        let blocks = begin.repeat(90) + "sub()\n" + &end.repeat(90);
        let text = set("sub()\nLIN XP1") + &format!("DEF sub()\n{blocks}END\n");
        let deep = &ways_in(&cell(), &text).unwrap()[0].unknown;
        assert!(deep[0].reason.contains("so many blocks"), "{deep:?}");
    }
}
