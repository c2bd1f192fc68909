//! Tools and user frames of the controller's own lists.

use clearance_formats::controller::ControllerFile;
use clearance_formats::{ImportError, LoadedCell};
use clearance_proof::model::moves::{MoveProgram, Target};
use nalgebra::Vector3;

use super::{LIST, job};
use crate::lines::testing::{arm, read_beside, said};

const TOOLS: &str = "//TOOL 0
///NAME
0.000,0.000,0.000,0.0000,0.0000,0.0000
0.000,0.000,0.000
0.000
//TOOL 2
///NAME GRIPPER
10.000,20.000,197.000,0.0000,0.0000,90.0000
1.000,2.000,60.000
3.500
0.100,0.100,0.010
";

const FRAMES: &str = "//UFRAME 1
///NAME TABLE
///TOOL 2
///GROUP 1,0,0,0
///PULSE
////RORG C000=1,2,3,4,5,6
////RXX C001=1,2,3,4,5,6
////RXY C002=1,2,3,4,5,6
////BUSER 950.000,0.000,50.000,0.0000,0.0000,90.0000
";

/// An arm whose controller says where its base and flange are, and has these files beside.
fn arm_with(files: &[(&str, &str)]) -> LoadedCell {
    let mut cell = arm("inform");
    let told = said(&mut cell);
    told.tools.clear();
    told.frames.clear();
    told.files = (files.iter())
        .map(|(path, text)| ControllerFile {
            path: path.into(),
            bytes: text.as_bytes().into(),
        })
        .collect();
    cell
}

fn read(cell: &LoadedCell) -> Result<MoveProgram, ImportError> {
    let text = job(LIST, "MOVJ C003 VJ=10.0");
    Ok(read_beside(cell, "A.JBI", &text, &[])?.ways.remove(0))
}

#[test]
fn a_list_of_variables_is_told() {
    for list in [
        "//VAR\n///SHARE 9,9\n///B\n1,0\n",
        "//VARNAME\n///B\n0000 1,0,A\n",
    ] {
        let error = read(&arm_with(&[("VAR.DAT", list)]))
            .unwrap_err()
            .to_string();
        assert!(error.contains("VAR.DAT:1: "), "{error}");
        assert!(
            error.contains("list of variables, whose values are not read"),
            "{error}"
        );
    }
}

#[test]
fn tools_and_user_frames_come_from_the_lists_of_the_controller() {
    let lists = [("TOOL.CND", TOOLS), ("UFRAME.CND", FRAMES)];
    let mut cell = arm_with(&lists);
    let way = read(&cell).unwrap();
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    let Target::Pose { frame, .. } = &way.moves[0].target else {
        panic!("a pose");
    };
    let tool = &way.moves[0].tool.link_from_frame;
    assert_eq!(tool.translation.vector, Vector3::new(0.01, 0.02, 0.197));
    let table = &frame.link_from_frame;
    assert_eq!(table.translation.vector, Vector3::new(0.95, 0.0, 0.05));
    // Both are turned by a quarter about z.
    for pose in [tool, table] {
        let x = pose.rotation * Vector3::x();
        assert!((x - Vector3::y()).norm() < 1e-9, "{x}");
    }
    // The cell's own settings go before the lists.
    *said(&mut cell) = {
        let mut own = said(&mut arm("inform")).clone();
        own.files = said(&mut cell).files.clone();
        own
    };
    let way = read(&cell).unwrap();
    assert_eq!(way.moves[0].tool.link_from_frame.translation.z, 0.2);
}

#[test]
fn what_the_lists_lack_is_not_known() {
    let other_group = FRAMES.replace("///GROUP 1,0", "///GROUP 0,1");
    let other_number = FRAMES.replace("//UFRAME 1", "//UFRAME 11");
    for (files, says) in [
        (vec![("TOOL.CND", TOOLS)], "UFRAME.CND"),
        (vec![("UFRAME.CND", FRAMES)], "TOOL.CND"),
        (vec![("T", TOOLS), ("U", &other_group)], "other groups"),
        (vec![("T", TOOLS), ("U", &other_number)], "USER 1"),
    ] {
        let way = read(&arm_with(&files)).unwrap();
        assert!(way.moves.is_empty(), "{says}");
        assert!(way.unknown[0].reason.contains(says), "{:?}", way.unknown);
    }
}

/// Regression: a user frame was taken in the robot frame whatever frame its `BASICFRM` names.
#[test]
fn a_user_frame_counts_from_the_frame_that_the_list_names() {
    let from = |basic: &str| {
        let of_base = FRAMES.replace(
            "///PULSE",
            "///BASICFRM 1,16,0\n///BASEP 0.000,0.000\n///PULSE",
        );
        let of_other = of_base.replace("//UFRAME 1", "//UFRAME 7").replace(
            "950.000,0.000,50.000,0.0000,0.0000,90.0000",
            "0.000,100.000,0.000,0.0000,0.0000,0.0000",
        );
        of_base.replace("BASICFRM 1,16,0", &format!("BASICFRM {basic}")) + &of_other
    };
    let lists = |frames: &str| arm_with(&[("T", TOOLS), ("U", frames)]);
    let place = |cell: &LoadedCell| {
        let way = read(cell).unwrap();
        assert!(way.unknown.is_empty(), "{:?}", way.unknown);
        match &way.moves[0].target {
            Target::Pose { frame, .. } => frame.link_from_frame.translation.vector,
            other => panic!("{other:?}"),
        }
    };
    let alone = Vector3::new(0.95, 0.0, 0.05);
    assert_eq!(place(&lists(&from("1,16,0"))), alone);
    let beside = Vector3::new(0.95, 0.1, 0.05);
    assert_eq!(place(&lists(&from("1,19,7"))), beside);
    // The cell's own frame goes before that of the list also as the one from which others count.
    let mut cell = lists(&from("1,19,7"));
    let own = said(&mut arm("inform")).frames["1"].clone();
    let at = own.link_from_frame.translation.vector;
    said(&mut cell).frames.insert("7".to_owned(), own);
    assert_ne!(at, Vector3::new(0.0, 0.1, 0.0));
    assert_ne!(place(&cell), beside);
    for (frames, says) in [
        (from("1,20,1"), "counts from another frame than"),
        (from("2,16,0"), "counts from another frame than"),
        (
            from("1,19,8"),
            "USER 8, from which USER 1 counts, is in no job",
        ),
        (from("1,19,1"), "USER 1 counts from itself"),
        (
            from("1,16,0").replace("BASEP 0.000", "BASEP 12.000"),
            "a base axis stood at 12.000",
        ),
        (
            from("1,16,0").replace("///PULSE", "///SHIFT 1"),
            "`///SHIFT 1`, which is not read",
        ),
    ] {
        let way = read(&lists(&frames)).unwrap();
        assert!(way.moves.is_empty(), "{says}");
        let reason = &way.unknown[0].reason;
        assert!(reason.contains(says), "{reason}");
    }
}

/// Regression: a listed user frame was taken in the robot frame also where the arm is on a
/// carriage, from whose foot it counts.
#[test]
fn user_frames_of_the_list_need_the_place_of_the_carriage() {
    let mut cell = arm_with(&[("T", TOOLS), ("U", FRAMES)]);
    said(&mut cell).still = vec!["BS1".into()];
    let text = job(LIST, "MOVJ C003 VJ=10.0").replace("RB1\n", "RB1,BS1\n");
    let on_carriage = |cell: &LoadedCell| {
        read_beside(cell, "A.JBI", &text, &[])
            .unwrap()
            .ways
            .remove(0)
    };
    let way = on_carriage(&cell);
    assert!(way.moves.is_empty());
    let reason = &way.unknown[0].reason;
    assert!(reason.contains("from the foot of the carriage"), "{reason}");
    // The cell says from which link its own frames count.
    let own = said(&mut arm("inform")).frames.clone();
    said(&mut cell).frames = own;
    assert_eq!(on_carriage(&cell).unknown, []);
}

#[test]
fn damaged_lists_are_refused_by_line() {
    for (text, line, says) in [
        (TOOLS.replace("197.000,", ""), 8, "is not understood"),
        (TOOLS.replace("//TOOL 2", "//TOOL 0"), 6, "is there twice"),
        (
            TOOLS.replace("//TOOL 2", "//TOOL B"),
            6,
            "is not understood",
        ),
        (
            TOOLS.replace("//TOOL 2", "//WEAV 2"),
            6,
            "is not understood",
        ),
        ("//TOOL 1\n///NAME A\n".to_owned(), 1, "has no pose"),
        (FRAMES.replace("////BUSER", "////USER"), 1, "has no pose"),
        (FRAMES.replace("950.000", "95O.000"), 9, "is not understood"),
        (FRAMES.replace("GROUP 1", "GROUP A"), 4, "is not understood"),
        ("a job\n".to_owned(), 1, "is not understood"),
        (String::new(), 1, "neither tools nor user frames"),
    ] {
        let refused = read(&arm_with(&[("X.CND", &text)])).unwrap_err();
        assert_eq!(refused.place.line, Some(line), "{text}");
        assert!(refused.to_string().contains(says), "{refused}");
    }
}
