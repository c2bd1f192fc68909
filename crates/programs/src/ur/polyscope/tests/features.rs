//! Points that go along with a feature.

use super::*;

/// A cell that says where the feature `Plane_1` is now.
fn with_feature(link: &str, now: &Isometry3<f64>) -> LoadedCell {
    let mut cell = still(&[]);
    let frame = Frame {
        link: link.into(),
        link_from_frame: *now,
    };
    said(&mut cell).frames.insert("Plane_1".into(), frame);
    cell
}

/// Where a feature was is stated as a rotation vector in radians; where it is now counts from the
/// base of the controller. By hand.
#[test]
fn a_feature_that_was_turned_by_a_quarter_takes_its_points_along() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let home = point("Home", HOME, "", -0.6127).replace(
        "<BaseToFeature pose=\"0, 0, 0, 0, 0, 0\"",
        &format!("<BaseToFeature pose=\"0, 0, 0, 0, 0, {quarter}\""),
    );
    let text = program(&moves("MoveJ", &home).replace("Joint_0_name", "Plane_1"));
    let taught = nominal().flange(&HOME) * nalgebra::Translation3::new(0.0, 0.0, 0.1);
    let first = |cell: &LoadedCell, text: &str| {
        let reading = read_in(cell, text.as_bytes()).unwrap();
        let way = &reading.ways[0];
        let Target::Pose {
            frame_from_tool, ..
        } = &way
            .moves
            .first()
            .unwrap_or_else(|| panic!("{:?}", way.unknown))
            .target
        else {
            panic!("a pose");
        };
        frame_from_tool.translation.vector
    };
    let (is, was) = (
        first(&with_feature("base", &Isometry3::identity()), &text),
        taught.translation.vector,
    );
    let right = nalgebra::Vector3::new(was.y, -was.x, was.z);
    assert!((is - right).norm() < 1e-12, "{is} {right}");
    // A base of the controller that is not the link's frame: poses count from it, and so does the
    // feature.
    let base = Isometry3::new(
        nalgebra::Vector3::new(0.3, 0.2, 0.1),
        nalgebra::Vector3::z() * 0.7,
    );
    let now = Isometry3::translation(0.0, 0.0, 0.5);
    let mut cell = with_feature("base", &(base * now));
    said(&mut cell).base = Some(Frame {
        link: "base".into(),
        link_from_frame: base,
    });
    let line = format!(
        "<Script type=\"Line\"><expression>{}</expression></Script>",
        spelled("v=p[0.1,0.2,0.3,0,0,0]")
    );
    let tool = "<Script type=\"Line\"><expression>".to_owned()
        + &spelled("set_tcp(p[0,0,0,0,0,0])")
        + "</expression></Script>";
    let variable = "<Waypoint type=\"Variable\" name=\"V\"><motionParameters/><variable name=\"v\"/></Waypoint>";
    let text = program(&(tool + &line + &moves("MoveL", variable)));
    let is = first(&cell, &text.replace("Joint_0_name", "Plane_1"));
    assert!(
        (is - nalgebra::Vector3::new(0.1, 0.2, 0.8)).norm() < 1e-12,
        "{is}"
    );
}

/// As the controller makes it:
/// `pose_trans(Plane_1, pose_trans(inverse of Plane_1 as it was, point))`.
#[test]
fn points_go_along_with_their_feature() {
    let then = crate::ur::poses::transform(&[0.1, 0.2, 0.3, 0.0, 0.0, 0.5]).unwrap();
    let moved = crate::ur::poses::transform(&[0.11, 0.18, 0.3, 0.02, 0.0, 0.4]).unwrap();
    let home = point("Home", HOME, "", -0.6127).replace(
        "<BaseToFeature pose=\"0, 0, 0, 0, 0, 0\"",
        "<BaseToFeature pose=\"0.1, 0.2, 0.3, 0, 0, 0.5\"",
    );
    let variable = "<Waypoint type=\"Variable\" name=\"V\"><motionParameters/><variable name=\"v\"/></Waypoint>";
    let line = format!(
        "<Script type=\"Line\"><expression>{}</expression></Script>",
        spelled("v=p[0.01,0.02,0.03,0,0,0]")
    );
    let main = line.clone() + &moves("MoveJ", &home) + &moves("MoveL", variable);
    let text = program(&main.replace("Joint_0_name", "Plane_1"));
    let taught = nominal().flange(&HOME) * nalgebra::Translation3::new(0.0, 0.0, 0.1);
    for now in [then, moved] {
        let reading = read_in(&with_feature("base", &now), text.as_bytes()).unwrap();
        let way = &reading.ways[0];
        assert!(way.unknown.is_empty(), "{:?}", way.unknown);
        let right = [
            now * then.inverse() * taught,
            now * Isometry3::translation(0.01, 0.02, 0.03),
        ];
        for (step, right) in way.moves.iter().zip(right) {
            let Target::Pose {
                frame_from_tool, ..
            } = &step.target
            else {
                panic!("a pose");
            };
            let off = (frame_from_tool.translation.vector - right.translation.vector).norm();
            assert!(off < 1e-12, "{off}");
            assert!(frame_from_tool.rotation.angle_to(&right.rotation) < 1e-12);
        }
        let [first, second] = &way.moves[..] else {
            panic!("two moves");
        };
        let Target::Pose { branch, .. } = &first.target else {
            panic!("a pose");
        };
        assert_eq!(*branch, Branch::NearestTo(HOME.to_vec()));
        assert_eq!((first.label.as_str(), second.label.as_str()), ("Home", "v"));
    }
    let reason = |cell: &LoadedCell, text: &str| {
        let reading = read_in(cell, text.as_bytes()).unwrap();
        reading.ways[0].unknown[0].reason.clone()
    };
    let other = reason(&with_feature("tool0", &then), &text);
    assert!(other.contains("on the link `tool0`"), "{other}");
    let start = text.find("<BaseToFeature").unwrap();
    let length = text[start..].find("/>").unwrap() + 2;
    let unsaid = text.replace(&text[start..start + length], "");
    let unsaid = reason(&with_feature("base", &then), &unsaid);
    assert!(
        unsaid.contains("where the feature was when `Home`"),
        "{unsaid}"
    );
    // Joint values do not depend on it.
    let joints = moves("MoveJ", &home).replace("CartesianPose", "JointAngles");
    let joints = program(&joints.replace("Joint_0_name", "Plane_1"));
    let reading = read_in(&arm(), joints.as_bytes()).unwrap();
    assert_eq!(
        reading.ways[0].moves[0].target,
        Target::Joints(HOME.to_vec())
    );
}

/// A waypoint that is a feature: a variable that the installation sets, and that scripts may set.
#[test]
fn a_feature_is_a_waypoint() {
    let way = |cell: &LoadedCell, main: &str| {
        let mut reading = read_in(cell, program(main).as_bytes()).unwrap();
        reading.ways.remove(0)
    };
    let line = |text: &str| {
        let text = spelled(text);
        format!("<Script type=\"Line\"><expression>{text}</expression></Script>")
    };
    let to = moves(
        "MoveL",
        "<Waypoint type=\"Variable\" name=\"W\"><motionParameters/><variable featureName=\"Plane_1\"/></Waypoint>",
    );
    let main = line("set_tcp(p[0,0,0,0,0,0])") + &to;
    let now = crate::ur::poses::transform(&[0.1, 0.2, 0.3, 0.0, 3.0, 0.5]).unwrap();
    let placed = with_feature("base", &now);
    let z = |way: &clearance_proof::model::moves::MoveProgram| match &way.moves[0].target {
        Target::Pose {
            frame_from_tool, ..
        } => frame_from_tool.translation.z,
        Target::Joints(_) => panic!("a pose"),
    };
    let read = way(&placed, &main);
    assert!(read.unknown.is_empty(), "{:?}", read.unknown);
    assert!((z(&read) - 0.3).abs() < 1e-12);
    let set = line("Plane_1=p[0.1,0.2,0.7,0,3,0]") + &main;
    let read = way(&placed, &set);
    assert!((z(&read) - 0.7).abs() < 1e-12, "{read:?}");
    let told = way(&still(&[]), &main).unknown[0].reason.clone();
    assert!(told.contains("frames = { Plane_1 = "), "{told}");
    // A point of the program may have the same variable.
    let both = point("Plane", HOME, "", -0.6127);
    let both = main.replace("\"Plane_1\"", "\"Plane_p\"") + &moves("MoveJ", &both);
    let told = way(&placed, &both).unknown[0].reason.clone();
    assert!(told.contains("a variable of a point too"), "{told}");
    let told = way(&placed, &main.replace("Joint_0_name", "Plane_1"));
    assert!(
        told.unknown[0].reason.contains("in another one"),
        "{told:?}"
    );
}

/// Regression: the tool as a feature was asked for as a frame that stands in the base. It goes along with
/// the arm.
#[test]
fn the_tool_is_no_feature_that_stands() {
    let home = point("Home", HOME, "", -0.6127);
    let text = program(&moves("MoveJ", &home).replace("Joint_0_name", "Joint_6_name"));
    let mut cell = with_feature("base", &Isometry3::identity());
    let frame = said(&mut cell).frames["Plane_1"].clone();
    said(&mut cell).frames.insert("Joint_6_name".into(), frame);
    let reading = read_in(&cell, text.as_bytes()).unwrap();
    let unknown = &reading.ways[0].unknown;
    let told = |reason: &str| reason.contains("goes along with the arm");
    assert!(
        unknown.first().is_some_and(|u| told(&u.reason)),
        "{unknown:?}"
    );
}
