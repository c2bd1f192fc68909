use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use clearance_formats::{ImportError, LoadedCell};
use clearance_proof::model::moves::{Branch, Frame, MoveKind, Target, Zone};
use nalgebra::Isometry3;

use crate::testing::{arm, nominal, said, still};
use crate::{Bounds, ControlledArm, Options, Reading};

mod features;
mod nodes;
mod old;

type Reader = fn(&Path, &[u8], &ControlledArm, &Options) -> Result<Reading, ImportError>;

fn read_by(reader: Reader, cell: &LoadedCell, bytes: &[u8]) -> Result<Reading, ImportError> {
    let nothing = |file: &Path| panic!("{} is not needed", file.display());
    let options = Options {
        routine: None,
        bounds: Bounds {
            steps: 10_000,
            ..Bounds::default()
        },
        read_neighbour: &nothing,
        orientation_tube: 0.1,
    };
    let controller = ControlledArm::of(cell, None).unwrap();
    reader(Path::new("a.urp"), bytes, &controller, &options)
}

fn read_in(cell: &LoadedCell, bytes: &[u8]) -> Result<Reading, ImportError> {
    read_by(super::read, cell, bytes)
}

/// With all that is said of any program.
fn whole_reading(cell: &LoadedCell, text: &str) -> Reading {
    read_by(crate::read, cell, text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

fn read(text: &str) -> Reading {
    read_in(&arm(), text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

/// One character a tag, as PolyScope stores it.
fn spelled(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let c = match c {
            '<' => "&lt;".to_owned(),
            c => c.to_string(),
        };
        _ = write!(out, "<ExpressionChar character=\"{c}\"/>");
    }
    out
}

fn numbers(list: [f64; 6]) -> String {
    list.map(|x| x.to_string()).join(", ")
}

fn kinematics(tag: &str, a2: f64) -> String {
    let mut chain = nominal();
    chain.a[1] = a2;
    format!(
        "<{tag} status=\"LINEARIZED\"><deltaTheta value=\"{}\"/><a value=\"{}\"/><d value=\"{}\"/><alpha value=\"{}\"/></{tag}>",
        numbers(chain.theta),
        numbers(chain.a),
        numbers(chain.d),
        numbers(chain.alpha)
    )
}

const HOME: [f64; 6] = [0.1, -1.2, 1.4, -1.7, -1.5, 0.3];

fn point(name: &str, joints: [f64; 6], more: &str, a2: f64) -> String {
    format!(
        "<Waypoint type=\"Fixed\" name=\"{name}\"><motionParameters{more}/><position><JointAngles angles=\"{}\"/>\
         <TCPOffset pose=\"0, 0, 0.1, 0, 0, 0\"/>{}</position><BaseToFeature pose=\"0, 0, 0, 0, 0, 0\"/></Waypoint>",
        numbers(joints),
        kinematics("Kinematics", a2)
    )
}

fn moves(kind: &str, inside: &str) -> String {
    format!(
        "<Move motionType=\"{kind}\" speed=\"0.2\" acceleration=\"1\" useActiveTCP=\"true\" positionType=\"CartesianPose\">\
         <feature class=\"GeomFeatureReference\" referencedName=\"Joint_0_name\"/><children>{inside}</children></Move>"
    )
}

fn program(main: &str) -> String {
    format!(
        "<URProgram name=\"a\">\n{}\n<children>\n<SpecialSequence type=\"BeforeStart\"><children>\n\
         <Assignment valueSource=\"Expression\"><variable name=\"n\"><initializeExpression/></variable><expression>{}</expression></Assignment>\n\
         </children></SpecialSequence>\n<MainProgram runOnlyOnce=\"true\"><children>\n{main}\n</children></MainProgram>\n</children></URProgram>",
        kinematics("kinematics", -0.6127),
        spelled("0.25"),
    )
}

/// A variable that is named elsewhere.
const N: &str = "<ExpressionVariable><ProgramVariable reference=\"../../../../../../SpecialSequence/children/Assignment/variable\"/></ExpressionVariable>";

#[test]
fn points_variables_and_references_become_moves() {
    let home = point("Home", HOME, "", -0.6127);
    let line = format!(
        "<Script type=\"Line\"><expression><ExpressionWaypoint><Waypoint reference=\"../../../../Move/children/Waypoint\"/></ExpressionWaypoint>{}{N}</expression></Script>",
        spelled("[2]=")
    );
    let text = program(&format!(
        "{}\n{line}\n{}",
        moves("MoveJ", &home),
        moves("MoveL", &home)
    ));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for bytes in [text.as_bytes(), &packed] {
        let reading = read_in(&arm(), bytes).unwrap_or_else(|e| panic!("{e}"));
        let [way] = &reading.ways[..] else {
            panic!("one way");
        };
        assert!(way.unknown.is_empty(), "{:?}", way.unknown);
        let [first, second] = &way.moves[..] else {
            panic!("two moves");
        };
        let of = |target: &Target| match target {
            Target::Pose {
                frame_from_tool,
                branch,
                ..
            } => (*frame_from_tool, branch.clone()),
            Target::Joints(_) => panic!("a pose"),
        };
        let (pose, branch) = of(&first.target);
        let taught = nominal().flange(&HOME) * nalgebra::Translation3::new(0.0, 0.0, 0.1);
        assert!((pose.translation.vector - taught.translation.vector).norm() < 1e-12);
        assert!(pose.rotation.angle_to(&taught.rotation) < 1e-12);
        assert_eq!(branch, Branch::NearestTo(HOME.to_vec()));
        // The script line has put it elsewhere before the second move.
        let (pose, branch) = of(&second.target);
        assert!((pose.translation.z - 0.25).abs() < 1e-12 && taught.translation.z != 0.25);
        assert_eq!(
            (branch, second.kind.clone()),
            (Branch::Continued, MoveKind::Linear)
        );
        assert_eq!((first.place.line, second.place.line), (Some(8), Some(10)));
        assert_eq!(first.tool.link_from_frame.translation.z, 0.1);
        assert_eq!(reading.point_differences.len(), 1);
        assert!(reading.point_differences[0].distance_m < 1e-9);
    }
}

#[test]
fn conditions_loops_switches_and_corners() {
    let at = |k: f64| [k, -1.2, 1.4, -1.7, -1.5, 0.3];
    let to = |name: &str, k: f64| {
        moves(
            "MoveL",
            &point(name, at(k), " blendRadius=\"0.01\"", -0.6127),
        )
    };
    let condition = |kind: &str, text: &str, inside: &str| {
        format!(
            "<If type=\"{kind}\" checkContinuously=\"false\"><expression>{}</expression><children>{inside}</children></If>",
            spelled(text)
        )
    };
    let switch = format!(
        "<Switch><expression>{}</expression><children><Case caseValue=\"1\"><children>{}</children></Case>\
         <Case caseValue=\"2\"><children>{}</children></Case></children></Switch>",
        spelled("4*n+1"),
        to("No", 0.9),
        to("Second", 0.2)
    );
    let repeat = format!(
        "<Loop type=\"Counting\" count=\"2\"><children>{}{}</children></Loop>",
        to("A", 0.3),
        to("B", 0.4)
    );
    let text = program(
        &[
            condition("If", "n>1", &to("No2", 0.8)),
            condition("ElseIf", "n≟0.25", &to("First", 0.1)),
            condition("Else", "", &to("No3", 0.7)),
            switch,
            repeat,
            "<Popup/><Wait/><Halt/>".into(),
            to("After", 0.6),
        ]
        .concat(),
    );
    let reading = read(&text);
    let [way] = &reading.ways[..] else {
        panic!(
            "one way: {:?}",
            reading.ways.iter().map(|w| &w.name).collect::<Vec<_>>()
        );
    };
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    let labels: Vec<_> = way.moves.iter().map(|m| m.label.as_str()).collect();
    assert_eq!(labels, ["First", "Second", "A", "B", "A", "B"]);
    assert!(way.moves.iter().all(|m| m.zone == Zone::Ball(0.01)));
}

#[test]
fn points_in_a_condition_in_a_move_belong_to_the_move() {
    let at = |k: f64| point("P", [k, -1.2, 1.4, -1.7, -1.5, 0.3], "", -0.6127);
    let arm = |kind: &str, text: &str, inside: &str| {
        format!(
            "<If type=\"{kind}\" checkContinuously=\"false\"><expression>{}</expression><children>{inside}</children></If>",
            spelled(text)
        )
    };
    let inside = arm("If", "n>1", "<Halt/>") + &arm("Else", "", &at(0.2));
    let reading = read(&program(&moves("MoveL", &inside)));
    assert!(
        reading.ways[0].unknown.is_empty(),
        "{:?}",
        reading.ways[0].unknown
    );
    assert_eq!(reading.ways[0].moves[0].kind, MoveKind::Linear);
    // Outside of a move a point says nothing of how to get there.
    let reading = read(&program(&at(0.2)));
    assert!(
        reading.ways[0].unknown[0]
            .reason
            .contains("outside of a move")
    );
}

#[test]
fn all_lists_of_nodes_count() {
    let home = point("Home", HOME, "", -0.6127);
    let twice = moves("MoveJ", &format!("{home}</children><children>{home}"));
    let reading = read_in(&arm(), program(&twice).as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(reading.ways[0].moves.len(), 2);
}

#[test]
fn kinematics_that_cannot_be_read_are_not_those_of_the_model() {
    let home = point("Home", HOME, "", -0.6127);
    let own = kinematics("Kinematics", -0.6127);
    let text = program(&moves("MoveJ", &home)).replace(&own, "");
    let damaged = text.replacen("-0.6127", "x", 1);
    assert_ne!(text, damaged);
    let of = |text: &str| read_in(&arm(), text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(of(&text).ways[0].unknown, []);
    let told = &of(&damaged).ways[0].unknown;
    assert!(
        told[0].reason.contains("kinematics of the file"),
        "{told:?}"
    );
}

#[test]
fn what_is_not_understood_is_told_with_its_line() {
    let home = || point("Home", HOME, "", -0.6127);
    let cap = "<Contributed strategyURCapName=\"Gripper_Cap\" strategyProgramNodeType=\"Grip\"/>";
    for (main, line, says) in [
        (
            format!("{}\n<Force/>", moves("MoveJ", &home())),
            9,
            "node `Force`",
        ),
        (
            moves("MoveJ", &home()).replace("useActiveTCP=\"true\"", "useActiveTCP=\"false\""),
            8,
            "tool of its own",
        ),
        (
            moves("MoveJ", &home()).replace("useActiveTCP=\"true\"", "useActiveTCP=\"0\""),
            8,
            "tool of its own",
        ),
        (
            moves("MoveJ", &home()).replace("CartesianPose", "Relative"),
            8,
            "points of the kind `Relative`",
        ),
        (
            moves(
                "MoveJ",
                &point("Home", HOME, " blendRadius=\"-0.1\"", -0.6127),
            ),
            8,
            "not a number of metres",
        ),
        (
            moves("MoveJ", &home()).replace("speed=", "blendRadius=\"NaN\" speed="),
            8,
            "not a number of metres",
        ),
        (
            moves("MoveJ", &home().replace("Fixed", "Relative")),
            8,
            "kind `Relative`",
        ),
        (
            moves("MoveJ", &point("Home", HOME, " pathBlend=\"1\"", -0.6127)),
            8,
            "`pathBlend`",
        ),
        (
            moves("MoveJ", &home()).replace("Joint_0_name", "Plane_1"),
            8,
            "write `frames = { Plane_1 = ",
        ),
        (
            moves("MoveJ", &home()).replace("Joint_0_name", "Plane_1_var"),
            8,
            "a program may change it",
        ),
        (
            moves(
                "MoveJ",
                &home().replace(
                    "<BaseToFeature pose=\"0, 0,",
                    "<BaseToFeature pose=\"0.1, 0,",
                ),
            ),
            8,
            "the move is in the base",
        ),
        (
            moves("MoveJ", &point("Home", HOME, "", -0.5)),
            8,
            "two arms",
        ),
        (
            moves("MoveJ", &(home() + &point("Home", [0.0; 6], "", -0.6127))),
            8,
            "two different points",
        ),
        (
            format!(
                "<Loop type=\"While\" checkContinuously=\"true\"><expression/><children>{}</children></Loop>",
                moves("MoveJ", &home())
            ),
            8,
            "checked all the time",
        ),
        (cap.to_owned(), 8, "still = [\"Gripper_Cap\"]"),
        // A subprogram is a function to the controller: what it ends is not the whole program.
        (
            format!(
                "<CallSubProgram><subprogram><children><Script type=\"Line\"><expression>{}</expression></Script></children></subprogram></CallSubProgram>",
                spelled("return")
            ),
            8,
            "in a subprogram",
        ),
        (
            cap.replace("/>", "><children><Folder/></children></Contributed>"),
            8,
            "nodes within a node of a URCap",
        ),
        (
            format!(
                "<Script type=\"Line\"><expression>{}</expression></Script>",
                spelled("servoj(1)")
            ),
            8,
            "servoj",
        ),
        (
            format!(
                "<Script type=\"Line\"><expression>{}</expression></Script>",
                spelled("end")
            ),
            8,
            "a name is needed",
        ),
    ] {
        let reading = read(&program(&main));
        let first = &reading.ways[0].unknown;
        let first = first
            .first()
            .unwrap_or_else(|| panic!("{says}: nothing unknown"));
        assert!(first.reason.contains(says), "{}", first.reason);
        assert_eq!(first.place.line, Some(line), "{says}");
    }
    let cell = still(&["Gripper_Cap"]);
    let reading = read_in(&cell, program(cap).as_bytes()).unwrap();
    assert!(reading.ways[0].unknown.is_empty());
}

#[test]
fn a_model_of_another_arm_is_refused_with_both_poses() {
    let text = program(&moves("MoveJ", &point("Home", HOME, "", -0.425))).replace(
        &kinematics("kinematics", -0.6127),
        &kinematics("kinematics", -0.425),
    );
    let error = read_in(&arm(), text.as_bytes()).unwrap_err().to_string();
    assert!(
        error.contains("a.urp:8")
            && error.contains("`Home` are 18")
            && error.contains("the robot's model has ("),
        "{error}"
    );
}

#[test]
fn damaged_files_are_refused() {
    for bytes in [
        &b"\x1f\x8b\x08\0damaged"[..],
        b"<URProgram",
        b"<other/>",
        b"\x1f\x8b",
    ] {
        assert!(read_in(&arm(), bytes).is_err());
    }
}

/// The first reason of a program.
fn told(main: &str) -> String {
    let found = read(&program(main));
    let first = found.ways.iter().find_map(|w| w.unknown.first());
    first.map(|u| u.reason.clone()).unwrap_or_default()
}

#[test]
fn what_a_node_says_besides_is_not_left_out() {
    let taught = point("A", HOME, "", nominal().a[1]);
    let plain = moves("MoveJ", &taught);
    assert_eq!(told(&plain), "");
    let until = taught.replace(
        "</Waypoint>",
        "<children><Until type=\"ToolContact\"/></children></Waypoint>",
    );
    for (main, says) in [
        (moves("MoveJ", &until), "`Until`"),
        (
            plain.replace("<Move ", "<Move suppressed=\"true\" "),
            "suppressed",
        ),
        (
            format!(
                "<If type=\"If\" suppressed=\"true\"><expression/><children>{plain}</children></If>"
            ),
            "suppressed",
        ),
        // A function that is called sets what the loop counts with.
        (
            format!(
                "<Script type=\"File\"><cachedContents>def skip():\n  global n = 5\nend\n</cachedContents></Script><Loop type=\"Counting\" count=\"3\"><variable name=\"n\"/><children>{plain}<Script type=\"Line\"><expression>{}</expression></Script></children></Loop>",
                spelled("skip()")
            ),
            "own variable",
        ),
        (plain.replace("<Move ", "<Move tcpName=\"a\" "), "`tcpName`"),
        (plain.replace("<feature ", "<tcp/><feature "), "`tcp`"),
        (
            format!("<Loop type=\"Counting\" count=\"NaN\"><children>{plain}</children></Loop>"),
            "how often",
        ),
    ] {
        let told = told(&main);
        assert!(told.contains(says), "{main}: {told}");
    }
}
