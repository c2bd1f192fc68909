//! Waypoints as PolyScope 3 stores them.

use super::*;

/// A waypoint that was taught with a tool of 0.1 m.
fn old(joints: [f64; 6], flange: Isometry3<f64>, feature: &Isometry3<f64>) -> String {
    let pose = flange * nalgebra::Translation3::new(0.0, 0.0, 0.1);
    let shown = |pose: &Isometry3<f64>| numbers(crate::ur::poses::numbers(pose));
    format!(
        "<Waypoint type=\"Fixed\" name=\"Home\" kinematicsFlags=\"3\"><motionParameters/><position joints=\"{}\" pose=\"{}\"/>\
         <poseInFeatureCoordinates pose=\"{}\"/><outputFlangePose pose=\"{}\"/></Waypoint>",
        numbers(joints),
        shown(&pose),
        shown(&(feature.inverse() * pose)),
        shown(&flange)
    )
}

#[test]
fn waypoints_of_polyscope_3_have_their_values_as_attributes() {
    let flange = nominal().flange(&HOME);
    let base = Isometry3::identity();
    let home = old(HOME, flange, &base);
    let plain = |kind: &str, home: &str| {
        let text = moves(kind, home).replace(" positionType=\"CartesianPose\"", "");
        text.replace(
            "<feature class=\"GeomFeatureReference\" referencedName=\"Joint_0_name\"/>",
            "",
        )
    };
    let line = moves("MoveL", &home).replace(" positionType=\"CartesianPose\"", "");
    let reading = read(&program(&(plain("MoveJ", &home) + &line)));
    let now = read(&program(
        &(moves("MoveJ", &point("Home", HOME, "", -0.6127))
            + &moves("MoveL", &point("Home", HOME, "", -0.6127))),
    ));
    let (way, other) = (&reading.ways[0], &now.ways[0]);
    assert!(way.unknown.is_empty(), "{:?}", way.unknown);
    assert_eq!((way.moves.len(), other.moves.len()), (2, 2));
    let at = |target: &Target| match target {
        Target::Pose {
            frame_from_tool,
            branch,
            ..
        } => (*frame_from_tool, branch.clone()),
        Target::Joints(_) => panic!("a pose"),
    };
    for (own, other) in way.moves.iter().zip(&other.moves) {
        let ((pose, branch), (same, its)) = (at(&own.target), at(&other.target));
        assert!((pose.translation.vector - same.translation.vector).norm() < 1e-9);
        assert!(pose.rotation.angle_to(&same.rotation) < 1e-6);
        assert_eq!((branch, &own.kind), (its, &other.kind));
    }
    let tool = way.moves[0].tool.link_from_frame.translation.z;
    assert!((tool - 0.1).abs() < 1e-9);
    let reason = |main: &str| {
        let reading = read_in(&arm(), program(main).as_bytes()).unwrap();
        let first = reading.ways[0].unknown.first();
        first.map_or_else(String::new, |u| u.reason.clone())
    };
    // Lines have a feature, and so has a joint move to a point that was taught in one.
    assert!(reason(&plain("MoveL", &home)).contains("feature is not found"));
    let turned = old(HOME, flange, &Isometry3::rotation(nalgebra::Vector3::z()));
    assert!(reason(&plain("MoveJ", &turned)).contains("feature is not found"));
    let elsewhere = old([0.2, -1.2, 1.4, -1.7, -1.5, 0.3], flange, &base);
    let told = reason(&plain("MoveJ", &elsewhere));
    assert!(told.contains("which of them counts"), "{told}");
    let start = home.find("<outputFlangePose").unwrap();
    let without = home[..start].to_owned() + "</Waypoint>";
    let told = reason(&plain("MoveJ", &without));
    assert!(told.contains("with which tool"), "{told}");
}
