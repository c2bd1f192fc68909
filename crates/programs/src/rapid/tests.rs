use clearance_formats::controller::{ControllerFile, Coupling};
use clearance_formats::{ImportError, LoadedCell};
use clearance_proof::model::moves::{
    ArcTurning, Branch, Configuration, Frame, MoveKind, MoveProgram, Speed, Target, Zone,
};
use nalgebra::{Isometry3, Vector3};

use super::builtin::COMPUTED;
use crate::block::testing::{arm, read_beside, said, short};

mod begins;
mod counters;
mod doubts;
mod elements;
mod elsewhere;
mod exported;
mod flow;
mod mutants;
mod quaternions;
mod readings;
mod rounds;
mod shared;
mod still;
mod told;
mod waits;
mod ways;

fn ways_in(cell: &LoadedCell, text: &str) -> Result<Vec<MoveProgram>, ImportError> {
    Ok(read_beside(cell, "a.mod", text.as_bytes(), &[], None)?.ways)
}

fn ways(text: &str) -> Vec<MoveProgram> {
    ways_in(&arm("rapid"), text).unwrap_or_else(|e| panic!("{e}"))
}

/// A module whose `main` is this: it runs again and again.
fn cycle(data: &str, body: &str) -> String {
    module(data, body).replace("PROC work()", "PROC main()")
}

/// A module whose only routine is this.
fn module(data: &str, body: &str) -> String {
    format!("MODULE m\n{DATA}{data}\nPROC work()\n{body}\nENDPROC\nENDMODULE\n")
}

const DATA: &str = "CONST robtarget p:=[[500,0,600],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\
    CONST robtarget r:=[[500,100,600],[0.5,0.5,0.5,0.5],[-1,1,-2,3],[9E9,9E9,9E9,9E9,9E9,9E9]];\
    CONST jointtarget j:=[[10,-20,30,40,50,60],[9E9,9E9,9E9,9E9,9E9,9E9]];\
    PERS tooldata t:=[TRUE,[[0,0,100],[1,0,0,0]],[1,[0,0,1],[1,0,0,0],0,0,0]];\
    PERS wobjdata w:=[FALSE,TRUE,\"\",[[100,200,300],[1,0,0,0]],[[0,0,0],[0.707106781,0,0,0.707106781]]];\n";

/// The only way through such a module, which has nothing unknown.
fn known(data: &str, body: &str) -> MoveProgram {
    let [way] = <[_; 1]>::try_from(ways(&module(data, body))).unwrap_or_else(|w| panic!("{w:?}"));
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    way
}

/// The first reason of a module, with its line counted from the body.
fn reason(data: &str, body: &str) -> String {
    let ways = ways(&module(data, body));
    let first = ways.iter().find_map(|w| w.unknown.first());
    let first = first.unwrap_or_else(|| panic!("{body} is known: {ways:?}"));
    assert!(first.place.line.is_some());
    first.reason.clone()
}

fn pose(target: &Target) -> (&Frame, &Isometry3<f64>, &Branch) {
    match target {
        Target::Pose {
            frame,
            frame_from_tool,
            branch,
        } => (frame, frame_from_tool, branch),
        Target::Joints(_) => panic!("a pose is needed"),
    }
}

#[test]
fn moves_have_targets_tools_zones_speeds_labels_and_lines() {
    let way = known(
        "",
        "MoveAbsJ j\\NoEOffs,v100,fine,t;\nMoveJ p,v200\\T:=3,z50,t\\WObj:=w;\nMoveL r\\ID:=7,[150,500,0,0],z10,tool0\\WObj:=wobj0;\n\
         MoveC p,r,v1000\\V:=250,[FALSE,2,4,4,0,0,0],t;\nMoveL p,vmax,fine\\Inpos:=inpos20,t;",
    );
    assert_eq!(
        short(&way),
        "J[10 -20 30 40 50 60] J(100 700 900) L(500 100 600) C(500 0 600)(500 100 600) L(500 0 600)"
    );
    // Its tool turns along with the arc.
    let turns = |kind: &MoveKind| match kind {
        MoveKind::Circular { turning, .. } => Some(*turning),
        _ => None,
    };
    assert_eq!(turns(&way.moves[3].kind), Some(ArcTurning::Along));
    let labels: Vec<_> = way
        .moves
        .iter()
        .map(|m| (&*m.label, m.place.line))
        .collect();
    assert_eq!(labels[0], ("j", Some(5)));
    assert_eq!(labels[3], ("r", Some(8)));
    let zones: Vec<_> = way.moves.iter().map(|m| m.zone).collect();
    let radius = Zone::Radius;
    assert_eq!(
        zones,
        [
            Zone::Stop,
            Zone::Ball(0.075),
            radius(0.015),
            radius(0.004),
            Zone::Stop
        ]
    );
    let speeds: Vec<_> = way.moves.iter().map(|m| m.speed).collect();
    let tool = Speed::Tool;
    assert_eq!(
        speeds,
        [
            tool(0.1),
            Speed::Duration(3.0),
            tool(0.15),
            tool(0.25),
            Speed::Unknown
        ]
    );
    assert_eq!(way.moves[0].tool.link, "tool0");
    assert_eq!(way.moves[0].tool.link_from_frame.translation.z, 0.1);
    assert_eq!(way.moves[2].tool.link_from_frame.translation.z, 0.0);
    // The real part of a quaternion stands first: this one is half a turn about y.
    let (frame, target, _) = pose(&way.moves[1].target);
    assert!((target.rotation * Vector3::z() + Vector3::z()).norm() < 1e-9);
    assert!((target.rotation * Vector3::y() - Vector3::y()).norm() < 1e-9);
    assert_eq!(frame.link, "base");
    let x = frame.link_from_frame * Vector3::x();
    assert!((x - Vector3::y()).norm() < 1e-8);
}

#[test]
fn configurations_are_quadrants_and_sides() {
    let way = known(
        "",
        "MoveJ r,v100,fine,t;\nMoveL p,v100,fine,t;\nConfJ\\Off;\nMoveJ p,v100,fine,t;",
    );
    let Branch::Configuration(Configuration {
        in_front,
        elbow_up,
        ranges,
    }) = pose(&way.moves[0].target).2
    else {
        panic!("a configuration");
    };
    assert_eq!((*in_front, *elbow_up), (Some(true), Some(false)));
    let found: Vec<_> = (ranges.iter())
        .map(|r| {
            (
                r.joint,
                r.from.to_degrees().round(),
                r.to.to_degrees().round(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (0, -90.0, 0.0),
            (3, 90.0, 180.0),
            (5, -180.0, -90.0),
            (4, -36000.0, 0.0)
        ]
    );
    // A line leads on; without a configuration the nearest is chosen.
    assert_eq!(*pose(&way.moves[1].target).2, Branch::Continued);
    assert_eq!(*pose(&way.moves[2].target).2, Branch::NearestToStart);
    // Where joint 3 goes along with joint 2, the fourth number says nothing.
    let mut led = arm("rapid");
    said(&mut led).joints[2].coupled = vec![Coupling {
        joint: 1,
        factor: -1.0,
    }];
    let ways = ways_in(&led, &module("", "MoveJ r,v100,fine,t;")).unwrap();
    let Branch::Configuration(found) = pose(&ways[0].moves[0].target).2 else {
        panic!("a configuration");
    };
    assert_eq!((found.in_front, found.ranges.len()), (None, 3));
    // A joint that is counted the other way round.
    let mut turned = arm("rapid");
    said(&mut turned).joints[3].sign = -1.0;
    let ways = ways_in(&turned, &module("", "MoveJ r,v100,fine,t;")).unwrap();
    let Branch::Configuration(found) = pose(&ways[0].moves[0].target).2 else {
        panic!("a configuration");
    };
    let range = found.ranges[1];
    assert_eq!(
        (
            range.from.to_degrees().round(),
            range.to.to_degrees().round()
        ),
        (-180.0, -90.0)
    );
}

#[test]
fn offsets_are_along_the_frame_and_tool_offsets_along_the_tool() {
    // `r` turns x to y, y to z and z to x.
    let way = known(
        "",
        "MoveL Offs(r,1,2,3),v100,fine,t;\nMoveL RelTool(r,1,2,3),v100,fine,t;\nMoveL RelTool(p,0,0,10\\Rz:=90),v100,fine,t\\WObj:=w;\n\
         MoveL Offs(Offs(p,0,0,5),0,0,-5),v100,fine,t;\nMoveL RelTool(p,0,0,0\\Rx:=90\\Ry:=90),v100,fine,t;",
    );
    assert_eq!(
        short(&way),
        "L(501 102 603) L(503 101 602) L(100 700 890) L(500 0 600) L(500 0 600)"
    );
    // First about x, then about the new y, which is z by then.
    let turned = pose(&way.moves[4].target).1.rotation;
    let p = pose(&way.moves[3].target).1.rotation;
    let inner = p.inverse() * turned;
    assert!((inner * Vector3::y() - Vector3::z()).norm() < 1e-9);
    assert!((inner * Vector3::x() - Vector3::y()).norm() < 1e-9);
    let label = &way.moves[1].label;
    assert_eq!(label, "r");
}

#[test]
fn values_are_followed_through_routines_records_lists_and_loops() {
    let data = "RECORD part\n robtarget at;\n num high;\nENDRECORD\nVAR part parts{2};\nVAR num n;\nCONST num stepped:=10*2;\n\
        PROC fill(INOUT part one, num high \\ switch low)\n one.at:=p;\n one.high:=high;\n IF Present(low) one.high:=-high;\n n:=n+1;\nENDPROC\n\
        FUNC robtarget above(part one, \\num more)\n VAR num up:=5;\n IF Present(more) THEN\n up:=more;\n ENDIF\n RETURN Offs(one.at,0,0,one.high+up);\nENDFUNC\n\
        PROC at(robtarget q, PERS tooldata tool, \\PERS wobjdata wobj)\n MoveL q,v100,fine,tool\\WObj?wobj;\nENDPROC\n";
    let way = known(
        data,
        "MoveAbsJ j,v100,fine,t;\nn:=0;\nfill parts{1}, 100;\nfill parts{2}, stepped \\low;\nat above(parts{1}), t;\nat above(parts{2}\\more:=1), t \\wobj:=w;\n\
         parts{2}.at.trans.x := n;\nat parts{2}.at, t;\n\
         FOR i FROM 1 TO 3 DO\n TEST i\n CASE 1,3: at Offs(p,0,0,i), t;\n DEFAULT: at Offs(p,0,i,0), t;\n ENDTEST\nENDFOR\n\
         FOR i FROM 10 TO 4 STEP -3 DO at Offs(p,i,0,0), t; ENDFOR\n\
         n:=0;\nagain:\nn:=n+1;\nIF n<3 GOTO again;\nWHILE n>1 DO\n n:=n-1;\n at Offs(p,0,0,-n), t;\nENDWHILE\n\
         IF n=2 THEN\n at r, t;\nELSEIF NOT (n=3) AND TRUE THEN\n at p, t;\nELSE\n at r, t;\nENDIF\nRETURN;\nMoveL r,v100,fine,t;",
    );
    assert_eq!(
        short(&way),
        "J[10 -20 30 40 50 60] L(500 0 705) L(100 700 881) L(2 0 600) L(500 0 601) L(500 2 600) L(500 0 603) L(510 0 600) L(507 0 600) L(504 0 600) \
         L(500 0 598) L(500 0 599) L(500 0 600)"
    );
}

#[test]
fn poses_and_numbers_compute() {
    let data = "CONST pose a:=[[0,0,100],[0.707106781,0.707106781,0,0]];\nVAR pose b;\nVAR robtarget q;\nVAR pos v;\n";
    let way = known(
        data,
        "b:=PoseMult(a,[[0,0,50],[1,0,0,0]]);\nq:=p;\nq.trans:=b.trans;\nMoveL q,v100,fine,t;\n\
         b:=PoseMult(PoseInv(a),a);\nq.trans:=b.trans+[1,2,3]*2-[0,0,1];\nMoveL q,v100,fine,t;\n\
         q.trans:=PoseVect(a,[0,0,10]);\nMoveL q,v100,fine,t;\nv:=[1,0,0]*[0,1,0];\n\
         q.trans:=[Round(100*Sin(30)),7 DIV 2,7 MOD 4];\nMoveL q,v100,fine,t;\n\
         q.rot:=OrientZYX(90,0,0);\nq.trans:=[v.z,Distance([3,0,0],[0,4,0]),Abs(-2.5)];\nIncr q.trans.x;\nMoveL q,v100,fine,t;",
    );
    assert_eq!(
        short(&way),
        "L(0 -50 100) L(2 4 5) L(0 -10 100) L(50 3 3) L(2 5 2.5)"
    );
    let x = pose(&way.moves[4].target).1.rotation * Vector3::x();
    assert!((x - Vector3::y()).norm() < 1e-9);
}

#[test]
fn what_could_move_the_arm_and_is_not_understood_is_told() {
    let go = "MoveL p,v100,fine,t;";
    for (body, says) in [
        ("SearchL di1,p,r,v100,t;", "`SearchL` is not read"),
        ("MoveL CRobT(),v100,fine,t;", "only the controller knows"),
        ("MoveLSync p,v100,fine,t,\"x\";", "not read"),
        ("MoveL p,v100,fine,t\\Corr;", "`\\corr` changes"),
        ("MoveL p,v100,fine,u;", "`u` is declared in no module"),
        (
            "MoveL p,v100,fine,t\\WObj:=u;",
            "`u` is declared in no module",
        ),
        ("MoveL s,v100,fine,t;", "`s` is declared in no module"),
        ("MoveL p,v100,t;", "has 4 arguments, and 3"),
        ("MoveL j,v100,fine,t;", "a robtarget has 4 parts"),
        ("MoveAbsJ p,v100,fine,t;", "a jointtarget has 2 parts"),
        ("PDispSet a;", "`PDispSet` is not read"),
        ("%\"x\"+\"y\"%;", "decided at run time"),
        ("CONNECT i WITH trap1;", "an interrupt runs `trap1`"),
        ("SingArea\\Wrist;\nMoveL p,v100,fine,t;", "`SingArea`"),
        (
            "CirPathMode\\ObjectFrame;\nMoveC p,r,v100,fine,t;",
            "CirPathMode",
        ),
        (
            "FOR i FROM 1 TO DInput(d) DO MoveL p,v100,fine,t; ENDFOR",
            "how often",
        ),
        ("ExitCycle;", "not read"),
        ("other;", "`other` is not read"),
        ("x:=5;", "`x` is set, and nothing declares it in the files"),
        ("MoveL Other(p),v100,fine,t;", "the function `Other`"),
        (
            "MoveL [[0,0,0],[1,1,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,t;",
            "its length is not 1",
        ),
        (
            "MoveAbsJ [[0,0,0,0,0,0],[5,9E9,9E9,9E9,9E9,9E9]],v100,fine,t;",
            "external axis a goes to 5",
        ),
        (
            "MoveL p,v100,fine,[FALSE,[[0,0,0],[1,0,0,0]],load0];",
            "this tool stands still",
        ),
        (
            "MoveL p,v100,fine,t\\WObj:=[TRUE,TRUE,\"\",[[0,0,0],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];",
            "the arm holds",
        ),
        (
            "MoveL p,v100,fine,t\\WObj:=[FALSE,FALSE,\"m\",[[0,0,0],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];",
            "another mechanism",
        ),
        ("IF TRUE <SMT>", "not complete"),
        (
            "n:=0;\nWHILE TRUE DO n:=n+1; MoveL Offs(p,0,0,n),v100,fine,t; ENDWHILE",
            "followed",
        ),
        ("work;", "calls within calls"),
    ] {
        let told = reason("VAR num n;\n", &format!("{body}\n{go}"));
        assert!(told.contains(says), "{body}: {told}");
    }
    // The statements of an error handler count, unless they only tell somebody.
    let handler =
        |does: &str| format!("PROC one()\nMoveL p,v100,fine,t;\nERROR\n{does}\nENDPROC\n");
    assert!(
        reason(&handler("MoveL r,v100,fine,t;\nTRYNEXT;"), "one;")
            .contains("error handler of `one`")
    );
    assert!(reason(&handler("TRYNEXT;"), "one;").contains("error handler"));
    known(&handler("TPWrite \"x\";\nRAISE;"), "one;");
    for raise in ["RAISE 5;", "IF di1=1 RAISE;", "TRYNEXT;"] {
        let told = reason("", &format!("{raise}\nMoveL p,v100,fine,t;"));
        assert!(told.contains("into an error handler"), "{raise}: {told}");
    }
    // An instruction that is passed over may ask a function that moves.
    let asks = "FUNC num seek()\nMoveL r,v100,fine,t;\nRETURN 1;\nENDFUNC\n";
    let way = known(asks, "MoveL p,v100,fine,t;\nTPWrite \"x\"\\Num:=seek();");
    assert_eq!(short(&way), "L(500 0 600) L(500 100 600)");
    let told = reason(asks, "IF FALSE AND seek()=1 MoveL p,v100,fine,t;");
    assert!(told.contains("calls this function"), "{told}");
    let told = reason("", "WaitUntil Lost(p);");
    assert!(told.contains("the function `Lost`"), "{told}");
    // The cell has to say how joints are counted, and where `wobj0` lies.
    let mut silent = arm("rapid");
    said(&mut silent).joints.clear();
    let ways = ways_in(&silent, &module("", go)).unwrap();
    assert!(ways[0].unknown[0].reason.contains("counts its joints"));
    let other = ways_in(&arm("krl"), &module("", go)).unwrap_err();
    assert!(
        other.to_string().contains("the cell's controller is `krl`"),
        "{other}"
    );
    let mut lost = arm("rapid");
    said(&mut lost).base = None;
    let ways = ways_in(
        &lost,
        &module("", "MoveAbsJ j,v100,fine,t;\nMoveL p,v100,fine,t;"),
    )
    .unwrap();
    assert_eq!(ways[0].moves.len(), 1);
    assert!(ways[0].unknown[0].reason.contains("where `wobj0` lies"));
}

#[test]
fn the_example_of_the_page_reads_as_the_page_says() {
    let page = include_str!("../../../../docs/programs/rapid.md");
    let (_, rest) = page.split_once("```rapid\n").unwrap();
    let (text, rest) = rest.split_once("```").unwrap();
    let (_, rest) = rest.split_once("```text\n").unwrap();
    let (said, _) = rest.split_once("\n```").unwrap();
    let [way] = <[_; 1]>::try_from(ways(text)).unwrap();
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    assert_eq!(
        short(&way)
            .replace(") L", ")\nL")
            .replace("] J", "]\nJ")
            .replace(") J", ")\nJ"),
        said
    );
}

#[test]
#[ignore = "reads programs that are not part of this repository: CLEARANCE_REAL_DATA"]
fn real_programs_answer_as_the_inventory_says() {
    let root = std::env::var("CLEARANCE_REAL_DATA").expect("CLEARANCE_REAL_DATA names a folder");
    let root = std::path::Path::new(&root).join("native/rapid");
    let cell = arm("rapid");
    let mut seen = 0;
    for (file, routine, right) in [
        (
            "sorting_line/IRB_1200/T_ROB1/CalibData.mod",
            None,
            "no motion",
        ),
        ("sorting_line/IRB_1200/T_ROB1/Module1.mod", None, "20 moves"),
        (
            "abb_motion_program_exec/motion_program_exec.mod",
            Some("motion_program_main"),
            "unverified",
        ),
        ("intellij_rapid/Comments.mod", None, "no motion"),
        ("intellij_rapid/Fields.mod", None, "refused"),
        ("intellij_rapid/IfStatements.mod", None, "unverified"),
        ("intellij_rapid/Modules.mod", None, "refused"),
        ("intellij_rapid/Routines.mod", None, "refused"),
    ] {
        let path = root.join(file);
        // Some of them are brought by hand.
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        seen += 1;
        let read_neighbour = |path: &std::path::Path| {
            let unreadable = |e: std::io::Error| {
                let (cause, remedy) = (e.to_string(), String::new());
                ImportError::file(
                    path,
                    clearance_formats::Problem::Unreadable { cause, remedy },
                )
            };
            std::fs::read(path).map_err(unreadable)
        };
        let options = crate::Options {
            routine,
            bounds: crate::Bounds::default(),
            read_neighbour: &read_neighbour,
            orientation_tube: 0.1,
        };
        let controller = crate::ControlledArm::of(&cell, None).unwrap();
        let found = match crate::read(&path, &bytes, &controller, &options) {
            Err(error) => {
                assert!(error.place.line.is_some(), "{error}");
                "refused".to_owned()
            }
            Ok(reading) if reading.ways.iter().any(|w| !w.unknown.is_empty()) => {
                let first = reading.ways.iter().find_map(|w| w.unknown.first());
                assert!(right == "unverified", "{file}: {first:?}");
                "unverified".into()
            }
            Ok(reading) => match reading.ways.iter().map(|w| w.moves.len()).max() {
                Some(0) | None => "no motion".into(),
                Some(n) => format!("{n} moves"),
            },
        };
        assert_eq!(found, right, "{file}");
    }
    assert!(seen > 0);
    // Where the controller's world lies has to be said.
    let module = root.join("sorting_line/IRB_1200/T_ROB1/Module1.mod");
    if let Ok(text) = std::fs::read_to_string(module) {
        let mut lost = arm("rapid");
        said(&mut lost).base = None;
        let ways = ways_in(&lost, &text).unwrap();
        assert!(ways[0].unknown[0].reason.contains("smc_gripper") || ways[0].moves.len() == 1);
        let right = [0.0, 0.0, 0.0, 0.0, 90.0_f64.to_radians(), 0.0];
        assert_eq!(ways[0].moves[0].target, Target::Joints(right.to_vec()));
        assert_eq!(ways[0].moves[0].kind, MoveKind::Joint);
    }
}

#[test]
fn functions_with_too_few_or_too_many_arguments_are_not_understood() {
    for name in COMPUTED {
        for arguments in ["", "1,1,1,1,1"] {
            // It is told, and nothing panics.
            reason("", &format!("reg1:={name}({arguments});"));
        }
    }
}

/// What the cell says by a pattern does not mean instructions that fit it, nor what it says by their
/// names.
#[test]
fn instructions_that_move_are_never_still() {
    let mut cell = arm("rapid");
    let names = [
        "Trigg*",
        "Move*",
        "Conf*",
        "Sing*",
        "SearchL",
        "PDisp*",
        "StopMove",
        "CallByVar",
        "CSS*",
        "Nut*",
        "Calib*",
        "Arc*",
    ];
    said(&mut cell).still = names.map(str::to_owned).to_vec();
    let only = |body: &str| {
        let ways = ways_in(&cell, &module("VAR triggdata e;", body)).unwrap();
        let [way] = <[_; 1]>::try_from(ways).unwrap_or_else(|w| panic!("{w:?}"));
        way
    };
    let way = only(
        "MoveAbsJ j,v100,fine,t;\nTriggCheckSetup e;\nTriggJ r,v100,e,fine,t;\nMoveL p,v100,fine,t;",
    );
    assert_eq!((way.moves.len(), way.unknown.len()), (3, 0), "{way:?}");
    assert_eq!(way.passed_over, [("triggchecksetup".into(), 1)]);
    let way = only("MoveAbsJ j,v100,fine,t;\nConfJ\\Off;\nMoveJ r,v100,fine,t;");
    assert!(
        !matches!(pose(&way.moves[1].target).2, Branch::Configuration(_)),
        "{way:?}"
    );
    let way = only("MoveAbsJ j,v100,fine,t;\nSingArea\\Wrist;\nMoveL p,v100,fine,t;");
    assert!(way.unknown[0].reason.contains("`SingArea`"), "{way:?}");
    for line in [
        "SearchL e,p,p,v100,t;",
        "PDispSet p;",
        "StopMove;",
        "CallByVar \"sub\",1;",
        "MoveLSync p,v100,fine,t,\"sub\";",
        "TriggLIOs p,v100,fine,t;",
        "CSSAct t;",
        "CSSForceOffsetAct;",
        "CSSDeactMoveL p,v100,t;",
        "NutL p,v100,e,z10,t;",
        "NutJ p,v100,e,z10,t;",
        "CalibL p,v100,e,z10,t;",
        "CalibJ p,v100,e,z10,t;",
        "ArcL p,v100,e,e,z10,t;",
        "ArcL1Start p,v100,e,e,z10,t;",
        "ArcC2 p,p,v100,e,e,z10,t;",
        "ArcC2End p,p,v100,e,e,z10,t;",
    ] {
        let way = only(&format!("MoveAbsJ j,v100,fine,t;\n{line}"));
        assert_eq!(way.unknown.len(), 1, "{line}: {way:?}");
        assert!(!way.unknown[0].reason.contains("`still`"), "{way:?}");
    }
    // One that only sets what the torch does may be.
    assert_eq!(only("MoveAbsJ j,v100,fine,t;\nArcRefresh;").unknown, []);
}
