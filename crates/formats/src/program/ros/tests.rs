//! What a message states is read, or it is refused: nothing of it is passed over.

use std::path::Path;

use super::read_yaml;

/// Why a message is refused.
#[track_caller]
fn refused(text: &str) -> String {
    let read = read_yaml(Path::new("t.yaml"), text);
    read.expect_err(text).to_string()
}

/// Indented by so much.
fn inner(text: &str, by: usize) -> String {
    let lines = text.lines().map(|l| format!("{:by$}{l}\n", ""));
    lines.collect()
}

const TRAJECTORY: &str = "joint_names: [a]\npoints:\n- {positions: [0], time_from_start: 0}\n- {positions: [1], time_from_start: 1}\n";

fn display(state: &str) -> String {
    format!(
        "trajectory:\n- joint_trajectory:\n{}trajectory_start:\n{}",
        inner(TRAJECTORY, 4),
        inner(state, 2)
    )
}

/// Catches a trajectory that is passed over because another one stands beside it.
#[test]
fn a_message_has_its_trajectory_in_one_form() {
    let below = |key: &str| format!("{key}:\n{}", inner(TRAJECTORY, 2));
    let (joint, robot) = (below("joint_trajectory"), below("trajectory"));
    for (text, place, first, second) in [
        (
            format!("{joint}{robot}"),
            "t.yaml:7",
            "joint_trajectory",
            "trajectory",
        ),
        (
            format!("{TRAJECTORY}{joint}"),
            "t.yaml:6",
            "joint_names",
            "joint_trajectory",
        ),
        (
            format!("points: []\n{robot}"),
            "t.yaml:3",
            "points",
            "trajectory",
        ),
    ] {
        let said = refused(&text);
        let told = format!("`{first}` and `{second}` stand beside each other");
        assert!(said.starts_with(place) && said.contains(&told), "{said}");
    }
}

/// Catches a state that is passed over for a slip in its keys or in its place.
#[test]
fn a_start_state_with_a_slip_is_refused() {
    let good = "joint_state: {name: [b], position: [0.5], header: {}, velocity: [], effort: []}\n\
        multi_dof_joint_state: {header: {}, joint_names: [v], twist: [], wrench: [], transforms: [{translation: {x: 0, y: 0, z: 0}, rotation: {x: 0, y: 0, z: 0, w: 1}}]}\n\
        attached_collision_objects: []\nis_diff: false\n";
    let read = read_yaml(Path::new("t.yaml"), &display(good)).unwrap();
    assert_eq!(read.start.unwrap().joints, [("b".to_owned(), 0.5)]);

    for (slip, told) in [
        (
            "joint_state: {names: [b], positions: [0.5]}",
            "`names` in `joint_state`",
        ),
        (
            "jointstate: {name: [b], position: [0.5]}",
            "`jointstate` in `trajectory_start`",
        ),
        (
            "joint_state: [{name: [b], position: [0.5]}]",
            "`joint_state` is a list",
        ),
        (
            "- joint_state: {name: [b], position: [0.5]}",
            "`trajectory_start` is a list",
        ),
        (
            "multi_dof_joint_state: [1]",
            "`multi_dof_joint_state` is a list",
        ),
        (
            "multi_dof_joint_state: {transform: [1]}",
            "`transform` in `multi_dof_joint_state`",
        ),
        (
            "multi_dof_joint_state: {transforms: [{translations: {x: 1}}]}",
            "`translations` in `transforms`",
        ),
        (
            "multi_dof_joint_state: {transforms: [{translation: {X: 1}}]}",
            "`X` in `translation`",
        ),
    ] {
        let said = refused(&display(slip));
        assert!(said.contains(told) && said.starts_with("t.yaml:"), "{said}");
    }
}

#[test]
fn a_start_state_in_another_place_is_refused() {
    let state = "joint_state: {name: [b], position: [0.5]}\n";
    let start = format!("trajectory_start:\n{}", inner(state, 2));
    let joint = format!("joint_trajectory:\n{}", inner(TRAJECTORY, 2));
    let both = format!("{start}{joint}");
    let in_list = both.replace('\n', "\n  ");
    let plan = format!("trajectory:\n{}", inner(&both, 2));
    // A plan within a message, and one that is the message.
    for text in [&both, &plan] {
        let read = read_yaml(Path::new("t.yaml"), text).unwrap();
        assert_eq!(read.start.unwrap().joints, [("b".to_owned(), 0.5)]);
    }
    for (text, told) in [
        (format!("trajectory:\n- {in_list}\n"), "within the list"),
        (
            format!(
                "joint_trajectory:\n{}",
                inner(&format!("{start}{TRAJECTORY}"), 2)
            ),
            "under `joint_trajectory`",
        ),
        (format!("{plan}{start}"), "a second `trajectory_start`"),
        (
            format!("{state}{joint}"),
            "`joint_state` beside a trajectory",
        ),
        (
            format!(
                "{joint}{}",
                start.replace("trajectory_start", "trajectory_strat")
            ),
            "`trajectory_strat` beside a trajectory",
        ),
        (
            format!(
                "{joint}{}",
                start.replace("trajectory_start", "start_state")
            ),
            "`start_state` beside a trajectory",
        ),
    ] {
        let said = refused(&text);
        assert!(said.contains(told) && said.starts_with("t.yaml:"), "{said}");
    }
}

/// A request and a scene have such keys too: they are no trajectories, and told to be none.
#[test]
fn a_message_without_a_trajectory_is_told_to_be_none() {
    let said = refused("start_state: {joint_state: {name: [], position: []}}\ngroup_name: arm\n");
    assert!(said.contains("holds no trajectory"), "{said}");
}

/// Catches a carried object whose link is not read.
#[test]
fn a_carried_object_has_its_link() {
    let of = |entry: &str| {
        let state = format!("attached_collision_objects: [{entry}]");
        let program = read_yaml(Path::new("t.yaml"), &display(&state)).unwrap();
        program.start.unwrap().carried
    };
    let on = |link: &str| Some(link.to_owned());
    assert_eq!(
        of("{link_name: l3, object: {id: part}}"),
        [("part".to_owned(), on("l3"))]
    );
    assert_eq!(of("{object: {id: part}}"), [("part".to_owned(), None)]);
    assert_eq!(
        of("{link_name: l3, object: {}}"),
        [("an object without a name".to_owned(), on("l3"))]
    );
}

/// Catches a step from the state to the first point that nobody checks because it is small.
#[test]
fn a_state_a_little_beside_the_first_point_is_a_waypoint() {
    let read = |q: &str| {
        let state = format!("joint_state:\n  name: [a]\n  position: [{q}]\n");
        read_yaml(Path::new("t.yaml"), &display(&state)).unwrap()
    };
    let there = read("0");
    assert_eq!((there.waypoints.len(), there.begins_with_state), (2, false));
    let beside = read("-0.009");
    let places: Vec<(f64, f64)> = (beside.waypoints.iter())
        .map(|w| (w.time, w.positions[0]))
        .collect();
    assert_eq!(places, [(0.0, -0.009), (0.0, 0.0), (1.0, 1.0)]);
    assert!(beside.begins_with_state);
}

/// In ROS a trajectory begins at the stamp of its header, and at once if that is 0.
#[test]
fn the_stamp_of_a_trajectory_is_kept() {
    for (header, stamp) in [
        ("", None),
        ("header: {stamp: {sec: 0, nanosec: 0}}\n", None),
        (
            "header: {stamp: {sec: 4, nanosec: 5}}\n",
            Some(4_000_000_005),
        ),
        (
            "header: {stamp: {secs: 4, nsecs: 5}}\n",
            Some(4_000_000_005),
        ),
    ] {
        let program = read_yaml(Path::new("t.yaml"), &format!("{header}{TRAJECTORY}")).unwrap();
        assert_eq!(program.stamp_ns, stamp, "{header}");
    }
    let twice = format!("header: {{stamp: {{sec: 0, secs: 4}}}}\n{TRAJECTORY}");
    let said = read_yaml(Path::new("t.yaml"), &twice)
        .unwrap_err()
        .to_string();
    assert!(said.contains("a key of ROS 1 and one of ROS 2"), "{said}");
}

/// A stage of a plan in which nothing moves is none; a message of nothing else is refused.
#[test]
fn a_trajectory_of_nothing_is_passed_over_among_others() {
    let nothing = "- joint_trajectory: {joint_names: [], points: []}\n";
    let plan = format!("- joint_trajectory:\n{}", inner(TRAJECTORY, 4));
    let text = format!("trajectory:\n{nothing}{plan}{nothing}");
    let program = read_yaml(Path::new("t.yaml"), &text).unwrap();
    assert_eq!(program.waypoints.len(), 2);
    for text in [
        format!("trajectory:\n{nothing}"),
        format!("trajectory:\n{nothing}{nothing}"),
    ] {
        let said = refused(&text);
        assert!(
            said.contains("is empty") || said.contains("no trajectory"),
            "{said}"
        );
    }
}

/// Regression: an object that the state before lets go counted as carried, and a scene of the goal
/// did not count.
#[test]
fn what_a_state_lets_go_is_told() {
    let with = |operation: &str| {
        let state = format!(
            "trajectory_start: {{is_diff: true, attached_collision_objects: [{{link_name: hand, object: {{id: part{operation}}}}}]}}\n"
        );
        let text = format!("joint_trajectory:\n{}{state}", inner(TRAJECTORY, 4));
        read_yaml(Path::new("t.yaml"), &text).map_err(|e| e.to_string())
    };
    for add in ["", ", operation: 0", ", operation: \"\\0\""] {
        assert!(with(add).is_ok(), "{add}: {:?}", with(add));
    }
    for other in ["1", "2", "3", "REMOVE", "\"\\x01\""] {
        let said = with(&format!(", operation: {other}")).unwrap_err();
        assert!(said.contains("of `part` in `trajectory_start`"), "{said}");
    }
    let scene =
        "planning_options: {planning_scene_diff: {world: {collision_objects: [{id: post}]}}}\n";
    for text in [
        format!(
            "trajectory:\n  joint_trajectory:\n{}{scene}",
            inner(TRAJECTORY, 4)
        ),
        format!(
            "goal:\n  trajectory:\n    joint_trajectory:\n{}  {scene}",
            inner(TRAJECTORY, 6)
        ),
    ] {
        let said = read_yaml(Path::new("t.yaml"), &text)
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("`collision_objects` of the goal's scene"),
            "{said}"
        );
    }
}

/// Regression: a second trajectory under a key that nobody reads was passed over.
#[test]
fn a_trajectory_that_is_not_read_is_told() {
    let other = inner(TRAJECTORY, 4);
    for key in ["planned", "robot_trajectory"] {
        for text in [
            format!("{TRAJECTORY}{key}:\n{other}"),
            format!(
                "joint_trajectory:\n{other}goal:\n  {key}:\n{}",
                inner(TRAJECTORY, 4 + 2)
            ),
            format!(
                "trajectory:\n- joint_trajectory:\n{other}{key}:\n- joint_trajectory:\n{other}"
            ),
        ] {
            let said = read_yaml(Path::new("t.yaml"), &text)
                .unwrap_err()
                .to_string();
            let told =
                said.contains("another trajectory under") && said.contains("where it is not read");
            assert!(told, "{text}: {said}");
        }
    }
    let base = "base: {joint_names: [world], points: [{transforms: [{}], time_from_start: 1}]}\n";
    let said = read_yaml(Path::new("t.yaml"), &format!("{TRAJECTORY}{base}")).unwrap_err();
    assert!(said.to_string().contains("under `base`"), "{said}");
    // Points of other things are none.
    let polygon = "polygon: {points: [{x: 1, y: 2}]}\nnothing: {joint_names: [], points: []}\n";
    assert!(read_yaml(Path::new("t.yaml"), &format!("{TRAJECTORY}{polygon}")).is_ok());
}
