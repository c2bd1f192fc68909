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
        "N=go() B_AND 3 B_OR 1",
        "WAIT FOR lost()==0 OR $IN[2]",
        "IF $IN[1] AND (go()==1) THEN\nENDIF",
        "INTERRUPT DECL go() WHEN $IN[1] DO z()",
    ] {
        let told = reason(&format!("{body}\n{go}"));
        assert!(told.contains("function"), "{body}: {told}");
    }
    let trigger = "TRIGGER WHEN PATH=go() DELAY=0 DO $OUT[1]=TRUE\nLIN XP1";
    let told = reason(&format!("{trigger}\n{go}"));
    assert!(told.contains("this trigger could move the arm"), "{told}");
    for body in [
        "$OUT[go()]=TRUE",
        "N=STRLEN(go())",
        "N=go() B_AND 3",
        // Regression: what was handed to functions that compute ran twice.
        "N=ABS(go())",
    ] {
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
    assert_eq!(way.moves[0].zone, Zone::Ball(0.03));
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
    let told = &ways.ways[0].unknown[0].reason;
    assert!(told.contains("without status and turn"), "{told}");
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
    // A base with a joint device, and one beside it.
    let text = program("FDAT_ACT=FP1\nBAS(#PTP_PARAMS,1)\nLIN XP1");
    for (index, refused) in [
        ("JOINT_DEVICE_INDEX[2]=1", true),
        ("JOINT_DEVICE_INDEX[3]=1", false),
    ] {
        let device =
            format!("DECL INT JOINT_DEVICE_INDEX[32]\nJOINT_DEVICE_INDEX[2]=0\n{index}\nENDDAT");
        let mut cell = arm("krl");
        said(&mut cell).files.push(ControllerFile {
            path: "R1/System/$config.dat".into(),
            bytes: CONFIG.replace("ENDDAT", &device).as_bytes().into(),
        });
        let told = &ways_in(&cell, &text).unwrap()[0].unknown;
        let found = told.iter().any(|u| u.reason.contains("joint device"));
        assert_eq!(found, refused, "{index}: {told:?}");
    }
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

/// A move by an angle that a program computes.
const TURN: &str = "PTP {A1 N,A2 -90,A3 90,A4 0,A5 30,A6 0}";

#[test]
fn what_a_program_changes_in_its_list_is_another_one_at_its_next_start() {
    for body in [
        "LIN XP1\nXP1=XP2",
        "LIN XP1\nXP1.Z=XP1.Z+5",
        "PTP {A1 H[2],A2 -90,A3 90,A4 0,A5 30,A6 0}\nH[2]=7",
        // Which one is set is not known.
        "PTP {A1 H[2],A2 -90,A3 90,A4 0,A5 30,A6 0}\nH[$ANIN[1]]=7",
    ] {
        let told = reason(body);
        assert!(told.contains("at the next start"), "{body}: {told}");
    }
    // A number that is not known has both answers.
    for body in [
        "LIN XP1\nN=N+1\nIF N==5 THEN\nLIN XP2\nENDIF",
        "LIN XP1\nIF N==4 THEN\nLIN XP2\nENDIF\nsub(N)\nEND\nDEF sub(p :OUT)\nINT p\np=4",
    ] {
        assert_eq!(ways_in(&cell(), &set(body)).unwrap().len(), 2, "{body}");
    }
    // What decides about it is changed itself.
    let told = reason("LIN XP1\nIF N==4 THEN\nXP1=XP2\nENDIF\nN=4");
    assert!(told.contains("at the next start"), "{told}");
    for (body, moves) in [
        ("XP2=XP1\nLIN XP2\nXP2.Z=5", 1),
        ("PTP {A1 H[2],A2 -90,A3 90,A4 0,A5 30,A6 0}\nH[1]=7", 1),
        // Only its height is another one, and that is set.
        ("XP1.Z=700\nLIN XP1\nXP1.Z=750\nLIN XP1", 2),
        ("N=0\nWHILE N<2\nLIN XP1\nN=N+1\nENDWHILE", 2),
        ("LIN XP1\nN=3", 1),
    ] {
        assert_eq!(known(body).moves.len(), moves, "{body}");
    }
}

/// What the program itself never answers is answered by something else.
#[test]
fn both_answers_are_followed_where_the_program_has_one() {
    let goes_there = |body: &str| {
        let text = set(body).replacen("\n$TOOL", "\nDECL INT M\n$TOOL", 1);
        let ways = ways_in(&cell(), &text).unwrap_or_else(|e| panic!("{e}"));
        assert!(
            ways.iter().all(|way| way.unknown.is_empty()),
            "{body}: {ways:?}"
        );
        let goes = |way: &MoveProgram| way.moves.iter().any(|step| step.label == "XP2");
        ways.iter().any(goes)
    };
    for rest in [
        "IF N==1 THEN\nLIN XP2\nENDIF",
        "SWITCH N\nCASE 1\nLIN XP2\nENDSWITCH",
        "SWITCH N\nCASE 1\nLIN XP2\nCASE 3\nWAIT SEC 0.1\nCASE 4\nWAIT SEC 0.2\nENDSWITCH",
        "H[1]=N\nSWITCH N\nCASE 1\nLIN XP2\nDEFAULT\nWAIT SEC 0.1\nENDSWITCH",
        "M=N\nIF M==1 THEN\nLIN XP2\nENDIF",
        "sub()",
    ] {
        let sub = "DEF sub()\nIF N==1 THEN\nLIN XP2\nENDIF";
        let looped = format!("LOOP\nPTP XHOME\n{rest}\nENDLOOP\nEND\n{sub}");
        let jumps = format!("up:\nPTP XHOME\n{rest}\nGOTO up\nEND\n{sub}");
        for body in [looped, jumps, format!("PTP XHOME\n{rest}\nEND\n{sub}")] {
            assert!(goes_there(&body), "{body}");
        }
    }
    for body in [
        // Loops that poll, and give up.
        "PTP XHOME\nH[1]=0\nWHILE N<>1 AND H[1]<20\nWAIT SEC 0.1\nH[1]=H[1]+1\nENDWHILE\nIF N==1 THEN\nLIN XP2\nENDIF",
        "PTP XHOME\nIF N<>1 THEN\nWAIT FOR N==1\nENDIF\nIF H[1]==77 THEN\nLIN XP2\nENDIF",
        "PTP XHOME\nWHILE N<>1\nPTP XHOME\nENDWHILE\nLIN XP2",
    ] {
        assert!(goes_there(body), "{body}");
    }
    let just_set = "PTP XHOME\nN=3\nIF N==1 THEN\nLIN XP2\nENDIF";
    assert!(!goes_there(just_set));
}

/// A loop whose motion depends on a number that never changes.
#[test]
fn loops_in_which_an_answer_never_changes_are_told() {
    let told = reason("INT X\nLOOP\nPTP XHOME\nFOR X=1 TO N\nLIN XP2\nENDFOR\nENDLOOP");
    assert!(told.contains("no end"), "{told}");
    // Nobody else has the variables of a routine.
    let own = "INT I\nI=0\nLOOP\nPTP XHOME\nIF I==1 THEN\nLIN XP2\nENDIF\nENDLOOP";
    let text = format!("&ACCESS RVP\n&REL 1\nDEF a( )\n{own}\nEND\n");
    let text = text.replace("I=0\n", "I=0\n$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\n");
    assert!(only(&text).moves.len() < 4);
}

#[test]
fn whole_numbers_are_not_rounded_by_a_guess() {
    let body = |rest: &str| format!("{rest}\n{TURN}");
    for to in ["2.6", "0.3/0.1", "3 STEP 1.5"] {
        let told = reason(&format!("FOR N=1 TO {to}\n{TURN}\nENDFOR"));
        assert!(told.contains("rounded"), "{to}: {told}");
    }
    for (body, says) in [
        ("FOR X=0 TO 1 STEP 0.1\nLIN XP1", "rounded"),
        ("FOR X=1 TO 2\nLIN XP1\nX=X+0.5", "in fractions"),
    ] {
        let told = reason(&format!("REAL X\n{body}\nENDFOR"));
        assert!(told.contains(says), "{body}: {told}");
    }
    assert_eq!(
        known(&format!("FOR N=1 TO 6/2\n{TURN}\nENDFOR"))
            .moves
            .len(),
        3
    );
    let told = reason(&(body("sub(N)") + "\nEND\nDEF sub(p :OUT)\nREAL p\np=20.6"));
    assert!(told.contains("another type of number"), "{told}");
    let told = reason(&(body("H[1]=2.5\nsub(H[1])") + "\nEND\nDEF sub(p :OUT)\nINT p\np=p*10"));
    assert!(told.contains("another type of number"), "{told}");
    let switch = "H[1]=0.1+0.2\nSWITCH H[1]\nCASE 0.3\nLIN XP1\nENDSWITCH\nLIN XP2";
    assert_eq!(ways_in(&cell(), &set(switch)).unwrap().len(), 2);
}

#[test]
fn whole_numbers_have_an_end() {
    for body in [
        "N=100000*100000/1000000000",
        "N=3000000000.0\nN=N-2999999990",
    ] {
        let told = reason(&format!("{body}\n{TURN}"));
        assert!(told.contains("32 bits"), "{body}: {told}");
    }
    let way = known(&format!("H[1]=2147483.0*1000\nN=10\n{TURN}"));
    assert_eq!(way.moves.len(), 1);
}

#[test]
fn outputs_that_are_computed_on_the_way_move_nothing() {
    let way = known("ANOUT ON CHANNEL_1=0.5*$VEL_ACT DELAY=0.1\nLIN XP1\nANOUT OFF CHANNEL_1");
    assert_eq!(way.moves.len(), 1);
    let told = reason("ANOUT ON CHANNEL_1=lost()\nLIN XP1");
    assert!(told.contains("a function in what an output"), "{told}");
}

#[test]
fn inputs_that_set_a_variable_on_the_way_leave_it_open() {
    let told = reason("ANIN ON H[1]=2*SENSOR_1+1\nLIN XP1\nANIN OFF SENSOR_1");
    assert!(told.contains("`ANIN ON` sets a variable while"), "{told}");
    let told = reason("DIGIN ON N=1*$DIGIN1\nLIN XP1\nDIGIN OFF $DIGIN1");
    assert!(told.contains("`DIGIN ON` sets a variable while"), "{told}");
    assert_eq!(known("DIGIN OFF N\nLIN XP1").moves.len(), 1);
    assert_eq!(known("ANIN OFF SENSOR_1\nLIN XP1").moves.len(), 1);
}

#[test]
fn a_file_counts_whatever_its_name_does_otherwise() {
    let file = (
        "MsgNotify.src",
        "DEF MsgNotify(n :IN)\nINT n\nLIN XP1\nEND\n",
    );
    let text = set("MsgNotify(1)\nLIN XP2");
    let read = |files: &[(&str, &str)]| {
        let files = [&[("a.dat", LIST)], files].concat();
        read_beside(&cell(), "a.src", text.as_bytes(), &files, None)
            .unwrap()
            .ways
            .remove(0)
    };
    assert_eq!(read(&[]).moves.len(), 1);
    let way = read(&[file]);
    assert!(way.moves.len() == 2 || !way.unknown.is_empty(), "{way:?}");
}

#[test]
fn a_loop_is_left_only_from_within() {
    for body in [
        "EXIT\nLIN XP1",
        "LOOP\nsub()\nENDLOOP\nEND\nDEF sub()\nEXIT",
    ] {
        let told = reason(body);
        assert!(told.contains("leaves a loop"), "{body}: {told}");
    }
    assert_eq!(known("LOOP\nEXIT\nENDLOOP\nLIN XP1").moves.len(), 1);
}

#[test]
fn lists_that_contradict_each_other_are_told() {
    let mut cell = cell();
    let frame = said(&mut cell).base.clone().unwrap();
    said(&mut cell).frames.insert("2".into(), frame);
    let other = CONFIG
        .replace("$CONFIG", "$CONFIG2")
        .replace("X 100.0", "X 105.0");
    said(&mut cell).files.push(ControllerFile {
        path: "R1/System/$config2.dat".into(),
        bytes: other.as_bytes().into(),
    });
    let ways = ways_in(&cell, &program("BAS(#TOOL,1)\nBAS(#BASE,2)\nLIN XP1")).unwrap();
    assert!(
        ways[0].unknown[0].reason.contains("several modules"),
        "{ways:?}"
    );
}

#[test]
fn a_trigger_may_set_what_a_list_keeps() {
    let mut cell = cell();
    let list = CONFIG.replace(
        "DECL E6AXIS XHOME",
        "DECL E6AXIS $H_POS={A1 0.0,A2 -90.0,A3 90.0,A4 0.0,A5 0.0,A6 0.0}\nDECL E6AXIS XHOME",
    );
    said(&mut cell).files[0].bytes = list.as_bytes().into();
    let body = "TRIGGER WHEN DISTANCE=1 DELAY=0 DO $H_POS=XHOME\nLIN XP1\n$H_POS=XHOME\nPTP $H_POS";
    let ways = ways_in(&cell, &set(body)).unwrap();
    assert!(ways[0].unknown[0].reason.contains("trigger"), "{ways:?}");
}

/// Around joint moves half of both curves counts, and what the tool does within its zone.
#[test]
fn zones_at_joint_moves_are_no_less_than_stated() {
    let way = known(
        "$APO.CDIS=30\nLIN XP1 C_DIS\nPTP XP2 C_DIS\nLIN XP1 C_DIS\nLIN XP2 C_DIS\nLIN XP1\nPTP XHOME C_PTP\nPTP XP1",
    );
    let zones: Vec<Zone> = way.moves.iter().map(|step| step.zone).collect();
    let (ball, radius) = (Zone::Ball(0.03), Zone::Radius(0.03));
    assert_eq!(
        zones,
        [
            ball,
            ball,
            radius,
            radius,
            Zone::Stop,
            Zone::Unknown,
            Zone::Stop
        ]
    );
}

#[test]
fn lists_are_as_long_as_a_list_can_be() {
    // Without a bound on each length, the first of these would take all memory.
    for lengths in ["1000000000000,0", "0", "1000,1001", "1,1,1,1"] {
        let text = format!("DECL INT A[{lengths}]\nA[1]=1\nLIN XP1");
        let told = reason(&text);
        assert!(told.contains("cannot have"), "{lengths}: {told}");
    }
}
