use clearance_formats::LoadedCell;
use clearance_formats::controller::ControllerFile;
use clearance_proof::model::moves::{Branch, MoveProgram, Speed, Target, Zone};

use crate::lines::testing::{arm, judged, motion, mutants, read_beside, said, short};

mod calls;
mod doubts;
mod forms;
mod groups;
mod one_sided;
mod position_registers;
mod still;
mod unread;
mod waits;
mod ways;
mod while_moving;

const POSITIONS: &str = "P[1]{
   GP1:
\tUF : 0, UT : 1,
\tJ1= 10.000 deg,\tJ2= 20.000 deg,\tJ3= -30.000 deg,
\tJ4= 40.000 deg,\tJ5= -50.000 deg,\tJ6= 60.000 deg
};
P[2:\"over; part\"]{
   GP1:
\tUF : 1, UT : 2,\t\tCONFIG : 'N U T, 0, 0, 0',
\tX = 500.000  mm,\tY = 100.000  mm,\tZ = .500  mm,
\tW = 180.000 deg,\tP = 0.000 deg,\tR = 90.000 deg
};
P[3]{
   GP1:
\tUF : 1, UT : 1,\t\tCONFIG : 'F D B, 0, 0, 0',
\tX = 600.000  mm,\tY = 0.000  mm,\tZ = 0.000  mm,
\tW = 90.000 deg,\tP = 0.000 deg,\tR = 0.000 deg
};
P[4]{
   GP1:
\tUF : 1, UT : 1,\t\tCONFIG : 'N U T, 0, 0, 0',
\tX = 700.000  mm,\tY = 0.000  mm,\tZ = 0.000  mm,
\tW = ******** deg,\tP = 0.000 deg,\tR = 0.000 deg
};
P[5]{
   GP1:
\tUF : F, UT : F,\t\tCONFIG : 'N U T, 0, 0, 0',
\tX = 800.000  mm,\tY = 0.000  mm,\tZ = 0.000  mm,
\tW = 0.000 deg,\tP = 0.000 deg,\tR = 0.000 deg
};
";

const HEAD: &str = "/PROG  A\n/ATTR\nCOMMENT = \"\";\nDEFAULT_GROUP\t= 1,*,*,*,*;\n";

fn listing(body: &str) -> String {
    let lines: String = (body.lines().zip(1..))
        .map(|(line, k)| match line.strip_prefix('>') {
            Some(more) => format!("    :  {more} ;\n"),
            None => format!("{k:4}:{line} ;\n"),
        })
        .collect();
    format!("{HEAD}/MN\n{lines}/POS\n{POSITIONS}/END\n")
}

fn ways_in(cell: &LoadedCell, text: &str, files: &[(&str, &str)]) -> Vec<MoveProgram> {
    read_beside(cell, "A.LS", text, files)
        .unwrap_or_else(|e| panic!("{e}"))
        .ways
}

/// The only way through a program, of which all is known.
fn known(body: &str) -> MoveProgram {
    let ways = ways_in(&arm("fanuc"), &listing(body), &[]);
    let [way] = <[_; 1]>::try_from(ways).unwrap_or_else(|w| panic!("{w:?}"));
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    way
}

fn reason(text: &str) -> String {
    let ways = ways_in(&arm("fanuc"), text, &[]);
    let first = ways.iter().find_map(|w| w.unknown.first());
    let first = first.unwrap_or_else(|| panic!("it is known: {text}"));
    assert!(first.place.line.is_some());
    first.reason.clone()
}

/// Texts that differ in a letter of Windows differ.
#[test]
fn letters_of_windows_are_not_all_the_same() {
    let mut bytes = Vec::new();
    for letter in *b"\xfc\xf6" {
        bytes.extend_from_slice(b"   1:  CALL S('s");
        bytes.push(letter);
        bytes.extend_from_slice(b"d') ;\n");
    }
    let text = [HEAD.as_bytes(), b"/MN\n", &bytes, b"/POS\n/END\n"].concat();
    let read = super::listing::parse("A.LS".as_ref(), &text).unwrap_or_else(|e| panic!("{e}"));
    let lines: Vec<&str> = read.lines.iter().map(|l| &*l.text).collect();
    assert_eq!(lines, ["CALL S('süd')", "CALL S('söd')"]);
}

#[test]
fn the_third_joint_counts_from_the_horizontal() {
    let way = known("J P[1] 50% FINE");
    // q3 = J3 + J2.
    assert_eq!(short(&way), "J[10 20 -10 40 -50 60]");
    assert_eq!(
        (way.moves[0].zone, way.moves[0].speed),
        (Zone::Stop, Speed::Share(0.5))
    );
    assert_eq!(
        (&*way.moves[0].label, way.moves[0].place.line),
        ("P[1]", Some(6))
    );
    assert_eq!(way.moves[0].tool.link_from_frame.translation.z, 0.1);
}

#[test]
fn poses_have_frames_tools_and_configurations() {
    let way = known(
        "UFRAME_NUM=1\nJ P[3] 100% CNT100\nL P[3:name] 500mm/sec FINE\nUTOOL_NUM=2\nL P[2] 20.0sec CNT0\nL P[5] 1cm/min CNT50",
    );
    let zones: Vec<_> = way.moves.iter().map(|m| m.zone).collect();
    assert_eq!(
        zones,
        [Zone::Unknown, Zone::Stop, Zone::Unknown, Zone::Unknown]
    );
    assert_eq!(
        short(&way),
        "J(700 200 300) L(700 200 300) L(600 300 300.5) L(900 200 300)"
    );
    let Target::Pose {
        frame_from_tool,
        branch: Branch::Configuration(c),
        ..
    } = &way.moves[0].target
    else {
        panic!("a pose");
    };
    // W turns about x.
    assert!(
        (frame_from_tool.rotation * nalgebra::Vector3::y() - nalgebra::Vector3::z()).norm() < 1e-9
    );
    assert_eq!((c.in_front, c.elbow_up), (Some(false), Some(false)));
    let ranges: Vec<_> = (c.ranges.iter())
        .map(|r| {
            (
                r.joint,
                r.from.to_degrees().round(),
                r.to.to_degrees().round(),
            )
        })
        .collect();
    assert_eq!(
        ranges,
        [
            (4, 0.0, 36000.0),
            (0, -180.0, 180.0),
            (3, -180.0, 180.0),
            (5, -180.0, 180.0)
        ]
    );
    let tools: Vec<_> = way
        .moves
        .iter()
        .map(|m| m.tool.link_from_frame.translation.z)
        .collect();
    assert_eq!(tools, [0.1, 0.1, 0.2, 0.2]);
}

#[test]
fn increments_and_offsets_are_added() {
    let way = known("J P[1] 50% FINE\nJ P[1] 50% FINE INC");
    assert_eq!(
        short(&way),
        "J[10 20 -10 40 -50 60] J[20 40 -20 80 -100 120]"
    );
    let mut cell = arm("fanuc");
    let registers = "[*POSREG*]$POSREG  Storage: CMOS  Access: RW  : ARRAY[1,100] OF Position Reg\n    [1,1] = 'UP'\n  Group: 1   Config: N U T, 0, 0, 0\n  X:  0.000   Y:  0.000   Z:  50.000\n  W:  0.000   P:  0.000   R:  0.000\n    [1,2] = '' Uninitialized\n";
    said(&mut cell).files = vec![ControllerFile {
        path: "POSREG.VA".into(),
        bytes: registers.as_bytes().into(),
    }];
    let text = listing(
        "J P[2] 50% FINE Offset,PR[1:UP]\nL P[2] 50mm/sec FINE Tool_Offset,PR[1]\nOFFSET CONDITION PR[1]\nL P[2] 50mm/sec FINE Offset\nL PR[1] 50mm/sec FINE INC",
    );
    let way = ways_in(
        &cell,
        &text.replace("   1:", "   0:UFRAME_NUM=1 ;\n   0:UTOOL_NUM=2 ;\n   1:"),
        &[],
    )
    .remove(0);
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    assert_eq!(
        short(&way),
        "J(600 300 350.5) L(600 300 250.5) L(600 300 350.5) L(600 300 400.5)"
    );
    assert!(reason(&text).contains("PR[1]"));
}

#[test]
fn flow_is_followed() {
    let way = known(
        "R[1]=0\nLBL[1:again]\nR[1]=R[1]+1\nJ P[1] 50% FINE\nIF R[1]<2,JMP LBL[1]\nR[1]=2\nIF (R[1]=2 AND !(R[1]>2)) THEN\nL P[2] 50mm/sec FINE\nELSE\nL P[3] 50mm/sec FINE\nENDIF\n\
         FOR R[2]=1 TO 2\nL P[3] 50mm/sec FINE\nENDFOR\nR[1]=2\nSELECT R[1]=1,JMP LBL[1]\n       =2,JMP LBL[2]\n       ELSE,CALL NOWHERE\nJ P[2] 50% FINE\nLBL[2]\nJ P[1] 50% FINE\nEND\nJ P[2] 50% FINE",
    );
    let labels: Vec<_> = way.moves.iter().map(|m| &*m.label).collect();
    assert_eq!(labels, ["P[1]", "P[1]", "P[2]", "P[3]", "P[3]", "P[1]"]);
    // An inner loop that is left does not go on at the end of the outer one.
    let way = known(
        "FOR R[1]=1 TO 2\nFOR R[2]=1 TO 9\nJ P[1] 50% FINE\nJMP LBL[1]\nENDFOR\nLBL[1]\nENDFOR",
    );
    assert_eq!(way.moves.len(), 2);
    assert!(!way.goes_round);
    assert!(known("LBL[1]\nJ P[1] 50% CNT50\nJ P[2] 50% CNT50\nJMP LBL[1]").goes_round);
    let text =
        listing("IF DI[1]=ON,JMP LBL[1]\nJ P[1] 50% FINE\nLBL[1]\nCALL B(3)\nJ P[2] 50% FINE");
    let called = listing("R[3]=AR[1]\nIF R[3]<>3,JMP LBL[1]\nJ P[3] 50% FINE\nLBL[1]")
        .replace("/PROG  A", "/PROG  B");
    let ways = ways_in(&arm("fanuc"), &text, &[("B.LS", &called)]);
    let told: Vec<_> = ways
        .iter()
        .map(|w| (w.moves.len(), w.unknown.len()))
        .collect();
    // The second one ends where the first one went on.
    assert_eq!(told, [(2, 0), (2, 0)]);
    assert!(reason(&text).contains("no `B.LS`"));
}

#[test]
fn what_is_not_known_is_told() {
    for (body, says) in [
        ("J P[4] 50% FINE", "never taught"),
        ("J P[9] 50% FINE", "not in the program"),
        ("UTOOL_NUM=1\nL P[2] 50mm/sec FINE", "the controller stops"),
        ("J P[5] 50% FINE", "does not say which"),
        ("J PR[1] 50% FINE", "PR[1]"),
        ("PR[1]=LPOS\nJ PR[1] 50% FINE", "where the arm is"),
        ("L P[2] 50mm/sec FINE Skip,LBL[1]", "Skip"),
        ("L P[2] 50mm/sec FINE Wjnt", "Wjnt"),
        ("L P[2] 50mm/sec FINE COORD", "COORD"),
        ("L P[2] 50mm/sec FINE SPIN", "SPIN"),
        ("L P[2] 50mm/sec", "how the move ends"),
        ("A P[2] 50mm/sec FINE", "arc"),
        ("BENUTZER_NUM=1\nJ P[1] 50% FINE", "another language"),
        ("$SCR.$X=1", "not understood"),
        ("RUN B", "same time"),
        ("JMP LBL[7]", "no label"),
    ] {
        let found = reason(&listing(body));
        assert!(found.contains(says), "{body}: {found}");
    }
}

#[test]
fn no_mutant_panics_or_passes_for_the_original() {
    let cell = arm("fanuc");
    let text = listing(
        "UFRAME_NUM=1\nUTOOL_NUM=1\nR[1]=0\nLBL[1]\nJ P[1] 50% FINE\nL P[3] 100mm/sec CNT50\nR[1]=R[1]+1\nDO[1]=ON\nIF R[1]<2,JMP LBL[1]\nL P[3] 100mm/sec FINE\nUTOOL_NUM=2\nL P[2] 100mm/sec FINE\nUTOOL_NUM=1\nJ P[1] 100% FINE",
    );
    let right = ways_in(&cell, &text, &[]);
    assert!(
        right.len() == 1 && right[0].unknown.is_empty(),
        "{:?}",
        right[0].unknown
    );
    let original = motion(&right);
    let counts = [
        "J",
        "L",
        "UFRAME_NUM",
        "UTOOL_NUM",
        "CONFIG",
        "FINE",
        "CNT50",
        "DEFAULT_GROUP",
        "UF",
        "UT",
    ];
    let (mut open, mut same, mut other) = (0, 0, 0);
    for mutant in mutants(&text) {
        let Some(ways) = judged(&cell, "A.LS", &mutant, &[]) else {
            open += 1;
            continue;
        };
        let equal = motion(&ways) == original;
        if equal {
            same += 1
        } else {
            other += 1
        }
        // Nothing goes to the positions from P[4] on.
        let used = mutant.line < 39;
        let named = used && counts.contains(&&*mutant.word) && mutant.done == "renamed";
        assert!(
            !named,
            "{} renamed in line {} is known",
            mutant.word, mutant.line
        );
    }
    assert!(
        open > 200 && same > 10 && other > 20,
        "{open} {same} {other}"
    );
}

#[test]
#[ignore = "needs CLEARANCE_REAL_DATA"]
fn real_listings_answer_as_is_known() {
    let data = std::env::var_os("CLEARANCE_REAL_DATA").expect("CLEARANCE_REAL_DATA");
    let native = std::path::PathBuf::from(data).join("native");
    let read = |robot: &str, base: &str, tip: &str, file: &str| {
        let urdf = native.join(format!("robots/{robot}/{robot}.urdf"));
        let options = clearance_formats::LoadOptions::default();
        let mut loaded =
            clearance_formats::load_robot(&urdf, &[], &options).unwrap_or_else(|e| panic!("{e}"));
        let mut told = said(&mut arm("fanuc")).clone();
        told.base.as_mut().unwrap().link = base.into();
        told.flange.as_mut().unwrap().link = tip.into();
        told.tools = [("1".to_owned(), nalgebra::Isometry3::identity())].into();
        let mut bottom = told.base.clone().unwrap();
        bottom.link = "base_link".into();
        told.frames = [("1".to_owned(), bottom)].into();
        for (joint, own) in told.joints.iter_mut().zip(&loaded.cell.joints) {
            joint.name.clone_from(&own.name);
        }
        loaded.robots[0].controller = Some(told);
        let text = std::fs::read_to_string(native.join("fanuc/rpi").join(file)).unwrap();
        (ways_in(&loaded, &text, &[]).remove(0), loaded)
    };
    let (way, cell) = read("fanuc_m900ia_350_standin", "base", "tool0", "TMPA.LS");
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    let text = std::fs::read_to_string(native.join("expected.json")).unwrap();
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let right = all["fanuc/rpi/TMPA.LS"]["waypoints"].as_array().unwrap();
    let controller = crate::ControlledArm::of(&cell, None).unwrap();
    assert_eq!(way.moves.len(), right.len());
    for (step, right) in way.moves.iter().zip(right) {
        let q: Vec<f64> = right["q"]
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect();
        match &step.target {
            Target::Joints(own) => assert!(
                own.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-6),
                "{own:?}"
            ),
            Target::Pose {
                frame,
                frame_from_tool,
                branch: Branch::Configuration(c),
            } => {
                let pose = controller.pose(&q, &step.tool, frame).unwrap();
                let off = (pose.translation.vector - frame_from_tool.translation.vector).norm();
                assert!(
                    off < 1e-5 && pose.rotation.angle_to(&frame_from_tool.rotation) < 1e-5,
                    "{off}"
                );
                assert!(
                    c.ranges
                        .iter()
                        .all(|r| (r.from..r.to).contains(&q[r.joint])),
                    "{c:?} {q:?}"
                );
            }
            Target::Pose { .. } => panic!("a configuration"),
        }
    }
    let (way, _) = read("fanuc_m710ic_70", "wbase", "fanuc_flange", "EXAMPLE.LS");
    // Where the arc ends, another configuration is stated; whoever lays the motion finds that. And
    // the tool has turned all it turns at the point in between.
    assert_eq!((way.moves.len(), way.unknown.len()), (5, 1));
    assert!(way.unknown[0].reason.contains("point in between"));
    let (way, _) = read(
        "fanuc_m710ic_70",
        "wbase",
        "fanuc_flange",
        "EXAMPLE_COOR.LS",
    );
    assert!(!way.unknown.is_empty());
}

#[test]
fn the_example_of_the_page_has_the_moves_that_it_tells() {
    let page = include_str!("../../../../docs/programs/fanuc.md");
    let example = page
        .split("```tp\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let mut cell = arm("fanuc");
    let registers = "[*POSREG*]$POSREG  Storage: CMOS  Access: RW  : ARRAY[1,100] OF Position Reg\n    [1,1] = 'UP'\n  Group: 1   Config: N U T, 0, 0, 0\n  X:  0.000   Y:  0.000   Z:  50.000\n  W:  0.000   P:  0.000   R:  0.000\n";
    said(&mut cell).files = vec![ControllerFile {
        path: "POSREG.VA".into(),
        bytes: registers.as_bytes().into(),
    }];
    let way = ways_in(&cell, example, &[]).remove(0);
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    assert_eq!(
        short(&way),
        "J[0 0 0 0 -90 0] L(600 200 350) L(600 200 400)"
    );
}

/// A statement of a megabyte must not use up the stack.
#[test]
fn statements_are_not_nested_without_end() {
    for (begin, again, middle, close) in [
        ("R[1]=", "(", "1", ")"),
        ("R[1]=", "R[", "1", "]"),
        ("R[1]=", "!", "1", ""),
        ("", "IF R[1]=1,", "DO[1]=ON", ""),
    ] {
        let of_depth = |deep: usize| {
            let [again, close] = [again, close].map(|sign| sign.repeat(deep));
            let text = listing(&format!("R[1]=1\n{begin}{again}{middle}{close}"));
            read_beside(&arm("fanuc"), "A.LS", &text, &[])
        };
        assert!(of_depth(20).is_ok(), "{again}");
        let refused = of_depth(200_000).err().map(|e| e.to_string());
        let refused = refused.unwrap_or_default();
        assert!(refused.contains("nested more deeply"), "{again}: {refused}");
    }
    // Signs may stand in comments as often as anybody likes, and what is quoted closes nothing.
    for again in ["-", "('))'+"] {
        let body = format!("!{0}\nR[1]={0}1", again.repeat(200_000));
        let told = reason(&listing(&body));
        assert!(told.contains("nested more deeply"), "{again}: {told}");
    }
}

#[test]
fn groups_that_are_not_modelled_may_move() {
    let text = listing("J P[1] 50% FINE\nJ P[6] 50% FINE").replace("1,*,*,*,*", "1,1,*,*,*");
    let gun = |number: u32, mm: u32| {
        POSITIONS[..POSITIONS.find("};").unwrap()].replace("P[1]", &format!("P[{number}]"))
            + &format!("   GP2:\n\tUF : 0, UT : 1,\n\tJ1= {mm}.000  mm\n}};\n")
    };
    let text = text.replace(
        "/POS\nP[1]{",
        &format!("/POS\n{}P[9]{{", gun(1, 10) + &gun(6, 80)),
    );
    let mut cell = arm("fanuc");
    let reasons = |cell: &LoadedCell| {
        let ways = ways_in(cell, &text, &[]);
        ways[0]
            .unknown
            .iter()
            .map(|u| u.reason.clone())
            .collect::<Vec<_>>()
    };
    assert!(reasons(&cell)[0].contains("still = [\"GP2\"]"));
    said(&mut cell).still = vec!["GP2".into()];
    assert!(reasons(&cell)[0].contains("moves at the same time; if the cell has"));
    let by_register = listing("PR[1]=P[1]\nJ PR[1] 50% FINE").replace("1,*,*,*,*", "1,1,*,*,*");
    let told = ways_in(&cell, &by_register, &[]).remove(0).unknown;
    assert!(
        told[0].reason.contains("where PR[1] has group 2"),
        "{told:?}"
    );
    let mut left_out = |group: &str| {
        said(&mut cell).still.clear();
        said(&mut cell).not_modelled = [(group.to_owned(), "a gun".to_owned())].into();
        reasons(&cell)
    };
    assert!(!left_out("GP3").is_empty());
    assert_eq!(left_out("GP2"), Vec::<String>::new());
}

/// Second bytes of Japanese letters may be those of brackets.
#[test]
fn names_in_shift_jis_are_read() {
    let text = listing("R[1:NAME]=1\nJ P[1:NAME] 50% FINE").replace("P[1]{", "P[1:\"NAME\"]{");
    let parts: Vec<&[u8]> = text.split("NAME").map(str::as_bytes).collect();
    let bytes = parts.join(&b"\x83]\x81[\x83\x93"[..]);
    let read = super::listing::parse("A.LS".as_ref(), &bytes).unwrap_or_else(|e| panic!("{e}"));
    assert!(read.points.contains_key(&1) && read.lines[0].text.ends_with("]=1"));
    assert_eq!(read.lines[0].text.matches(']').count(), 1);
}

#[test]
fn positions_with_an_extended_axis_are_told_as_such() {
    let text = listing("J P[1] 50% FINE")
        .replace("J6= 60.000 deg", "J6= 60.000 deg,\n\tE1=   100.000  mm");
    assert!(
        reason(&text).contains("is an extended axis"),
        "{}",
        reason(&text)
    );
}
