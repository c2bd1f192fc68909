//! Messages of ROS, as YAML and JSON.

use super::*;

pub(super) const ROS2: &str = "header: {stamp: {sec: 0, nanosec: 0}, frame_id: ''}
joint_names: ['a', b]
points:
  - positions: [0.0, 1]
    velocities: [0.0, 0.5]
    accelerations: []
    effort: []
    time_from_start: {sec: 0, nanosec: 0}
  - positions: [1e-05, -2.5]
    velocities:
      - 1.0
      - 2.0
    accelerations: []
    time_from_start:
      sec: 1
      nanosec: 250000000
";

#[test]
fn ros_2_yaml() {
    let p = good("t.yaml", ROS2);
    assert!(p.timed);
    assert_eq!(&*p.columns[1].joint, "b");
    assert_eq!(
        (p.columns[0].line, p.columns[1].quantity),
        (Some(2), Quantity::Message)
    );
    assert_eq!((p.waypoints[0].line, p.waypoints[1].line), (4, 9));
    assert_eq!(p.waypoints[1].time, 1.25);
    assert_eq!(*p.waypoints[1].positions, [1e-5, -2.5]);
    assert_eq!(p.waypoints[1].velocities, Some([1.0, 2.0].into()));
    assert_eq!(p.waypoints[1].accelerations, None);
}

#[test]
fn ros_1_echo_ends_with_dashes() {
    let text = "header: \n  seq: 0\n  stamp: \n    secs: 0\n    nsecs: 0\n  frame_id: ''\njoint_names: \n  - a\npoints: \n  - \n    positions: [0.5]\n    velocities: []\n    accelerations: []\n    effort: []\n    time_from_start: \n      secs: 3\n      nsecs: 500000000\n---\n";
    for name in ["t.yml", "t.txt", "t"] {
        let p = good(name, text);
        assert_eq!(
            (p.waypoints[0].time, p.waypoints[0].line),
            (3.5, 11),
            "{name}"
        );
    }
    refuses(
        "t.yaml",
        &format!("{text}{text}"),
        "t.yaml:19",
        &["second document"],
    );
}

#[test]
fn json_with_tabs_and_escapes() {
    let text = "{\n\t\"joint_names\":[\"a\\/b\", \"\\u00e9\"],\n\t\"points\": [\n\t\t{\"positions\":[1,2E-1],\n\t\t\"time_from_start\":0},\n\t\t{\"positions\":[-0.5,3],\"time_from_start\":0.5}]}";
    for name in ["t.json", "t.dat"] {
        let p = good(name, text);
        assert_eq!(&*p.columns[0].joint, "a/b");
        assert_eq!(&*p.columns[1].joint, "é");
        assert_eq!(*p.waypoints[0].positions, [1.0, 0.2]);
        assert_eq!((p.waypoints[0].line, p.waypoints[1].line), (4, 6));
    }
}

pub(super) fn display(second_start: &str) -> String {
    format!(
        "{{\"model_id\":\"m\",\"trajectory\":[
 {{\"joint_trajectory\":{{\"joint_names\":[\"a\",\"b\"],\"points\":[
  {{\"positions\":[0,0],\"time_from_start\":{{\"secs\":0,\"nsecs\":0}}}},
  {{\"positions\":[1,2],\"time_from_start\":{{\"secs\":2,\"nsecs\":0}}}}]}},
  \"multi_dof_joint_trajectory\":{{\"joint_names\":[],\"points\":[]}}}},
 {{\"joint_trajectory\":{{\"joint_names\":[\"b\",\"a\"],\"points\":[
  {{\"positions\":{second_start},\"time_from_start\":{{\"secs\":0,\"nsecs\":0}}}},
  {{\"positions\":[5,4],\"time_from_start\":{{\"secs\":1,\"nsecs\":0}}}}]}}}}]}}"
    )
}

#[test]
pub(super) fn display_trajectories_are_joined() {
    let p = good("d.json", &display("[2,1]"));
    let rows: Vec<_> = p
        .waypoints
        .iter()
        .map(|w| (w.time, w.positions.to_vec(), w.line))
        .collect();
    assert_eq!(
        rows,
        [
            (0.0, vec![0.0, 0.0], 3),
            (2.0, vec![1.0, 2.0], 4),
            (2.0, vec![1.0, 2.0], 7),
            (3.0, vec![4.0, 5.0], 8)
        ]
    );
    refuses(
        "d.json",
        &display("[2.02,1]"),
        "d.json:7: ",
        &["`b` at the start", "2.02", "ended at 2"],
    );
    let other = display("[2,1]").replace("[\"b\",\"a\"]", "[\"b\",\"c\"]");
    refuses("d.json", &other, "d.json:6", &["other joints"]);
}

#[test]
fn goals_and_robot_trajectories() {
    let nested = |wrap: &str| {
        let indented: String = ROS2.lines().map(|l| format!("    {l}\n")).collect();
        format!("{wrap}\n{indented}")
    };
    assert_eq!(
        good("t.yaml", &nested("joint_trajectory:")).waypoints[1].line,
        10
    );
    assert_eq!(good("t.yaml", &nested("trajectory:")).waypoints.len(), 2);
    let moving = format!(
        "{}multi_dof_joint_trajectory: {{joint_names: [base], points: [{{}}]}}\n",
        nested("joint_trajectory:")
    );
    refuses(
        "t.yaml",
        &moving,
        "t.yaml:18",
        &["`multi_dof_joint_trajectory`", "not supported"],
    );
    // The goal of a controller of ROS 2.
    let goal = format!(
        "{}multi_dof_trajectory: {{joint_names: [base], points: [{{}}]}}\n",
        nested("trajectory:")
    );
    let told = ["`multi_dof_trajectory`", "not supported"];
    refuses("t.yaml", &goal, "t.yaml:18", &told);
}

#[test]
fn messages_that_cannot_be_meant() {
    let edit = |from: &str, to: &str| {
        assert!(ROS2.contains(from));
        ROS2.replacen(from, to, 1)
    };
    let yaml = |text: &str, place, words: &[&str]| refuses("t.yaml", text, place, words);
    yaml(
        &edit("velocities: [0.0, 0.5]", "velocities: []"),
        "t.yaml:9",
        &["point 2 has velocities and point 1 has none"],
    );
    yaml(
        &edit("velocities: [0.0, 0.5]", "velocities: [0.0]"),
        "t.yaml:5",
        &["1 velocities for 2 joints"],
    );
    yaml(
        &edit("velocities: [0.0, 0.5]", "velocity: [0.0, 0.5]"),
        "t.yaml:5",
        &["unknown key of a point `velocity`"],
    );
    yaml(
        &edit("positions: [0.0, 1]", "positions: [0.0, 1, 2]"),
        "t.yaml:4",
        &["3 positions for 2 joints"],
    );
    yaml(
        &edit("positions: [0.0, 1]", "positions: []"),
        "t.yaml:4",
        &["no positions"],
    );
    yaml(
        &edit("positions: [0.0, 1]", "positions: [0.0, .nan]"),
        "t.yaml:4",
        &["positions of point 1", "finite"],
    );
    yaml(
        &edit("positions: [0.0, 1]", "positions: [0.0, one]"),
        "t.yaml:4:22",
        &["the text `one`"],
    );
    yaml(
        &edit("      sec: 1\n", "      sec: 0\n").replace("250000000", "0"),
        "t.yaml:15",
        &["must increase"],
    );
    yaml(
        &edit("      sec: 1\n", "      sec: -1\n"),
        "t.yaml:15",
        &["from 0 up"],
    );
    yaml(
        &edit("250000000", "2500000000"),
        "t.yaml:15",
        &["below 1000000000"],
    );
    yaml(
        &edit("      nanosec", "      nanoseconds"),
        "t.yaml:16",
        &["`nanoseconds`"],
    );
    // Regression: the last of two counted.
    for twice in ["{sec: 1, secs: 0}", "{sec: 0, nsecs: 5, nanosec: 7}"] {
        yaml(
            &edit("{sec: 0, nanosec: 0}\n", &format!("{twice}\n")),
            "t.yaml:",
            &["a key of ROS 1 and one of ROS 2"],
        );
    }
    yaml(
        &edit("    time_from_start: {sec: 0, nanosec: 0}\n", ""),
        "t.yaml:4",
        &["no time_from_start"],
    );
    yaml(
        &edit("accelerations: []", "accelerations: [1, 2]")
            .replace("velocities: [0.0, 0.5]", "velocities: []"),
        "t.yaml:4",
        &["accelerations but no velocities"],
    );
    yaml(&edit("['a', b]", "[a, a]"), "t.yaml:2", &["occurs twice"]);
    yaml(
        &edit("['a', b]", "[]"),
        "t.yaml:1",
        &["`joint_names` is empty"],
    );
    yaml(
        &edit("joint_names: ['a', b]\n", ""),
        "t.yaml:1",
        &["`joint_names` is missing"],
    );
    yaml(
        "joint_names: [a]\npoints: []\n",
        "t.yaml:1",
        &["program is empty"],
    );
    yaml("joint_names: [a]\n", "t.yaml:1", &["`points` is missing"]);
    yaml(
        "joint_names: [a]\npoints:\n- '...'\n",
        "t.yaml:3",
        &["`ros2 topic echo --full-length`"],
    );
    yaml("trajectory: []\n", "t.yaml:1", &["no trajectory"]);
    yaml("- 1\n- 2\n", "t.yaml:1", &["a list stands where a message"]);
    yaml(
        "robot: ur5e\n",
        "t.yaml:1",
        &["holds no trajectory", "JointTrajectory"],
    );
    yaml("---\n", "t.yaml: ", &["empty"]);
    yaml("joint_names: [a\npoints: {", "t.yaml:", &[]);
    yaml(
        "joint_names: [a]\njoint_names: [b]\npoints: []",
        "t.yaml:2",
        &["`joint_names` is there twice; correct the text"],
    );
    yaml(
        "joint_names: [x, y]\npoints: []",
        "t.yaml:1",
        &[
            "true or false stands where a joint name should be",
            "in quotes",
        ],
    );
    refuses(
        "t.json",
        "{\"joint_names\": [\"a\"],\n \"points\": [NaN]}",
        "t.json:2:",
        &["not JSON"],
    );
    refuses(
        "t.json",
        "{\"joint_names\": [\"a\"]",
        "t.json:1:",
        &["not JSON"],
    );
}

/// `010` is 8 where messages of ROS are written, and 10 to readers of YAML 1.2: an arm would be
/// somewhere else.
#[test]
fn a_number_that_has_two_values_is_refused() {
    for (from, to, word) in [
        ("[0.0, 1]", "[0.0, 010]", "010"),
        ("- 2.0", "- -012", "-012"),
        ("sec: 1\n", "sec: 012\n", "012"),
    ] {
        assert!(ROS2.contains(from));
        let text = ROS2.replace(from, to);
        let error = parse(Path::new("t.yaml"), text.as_bytes()).unwrap_err();
        let said = error.to_string();
        assert!(
            said.contains(&format!("`{word}` is to the base of 8")),
            "{said}"
        );
        let line = 1 + text[..text.find(word).unwrap()].matches('\n').count();
        assert_eq!(error.place.line, Some(line), "{said}");
    }
    // Regression: a line that ends in another way hid all numbers below it.
    let hidden = format!("# x\r{}", ROS2.replace("[0.0, 1]", "[0.0, 010]"));
    for text in [hidden, ROS2.replace('\n', "\r")] {
        let error = parse(Path::new("t.yaml"), text.as_bytes()).unwrap_err();
        assert!(
            error.to_string().contains("a carriage return without"),
            "{error}"
        );
        assert_eq!(error.place.line, Some(1));
    }
    let dos = ROS2.replace('\n', "\r\n");
    assert!(parse(Path::new("t.yaml"), dos.as_bytes()).is_ok());
    // One value to both, or no number at all.
    for (from, to) in [
        ("[0.0, 1]", "[0.0, 01] # 010"),
        ("[0.0, 1]", "[00, 1.010]"),
        ("['a', b]", "['010', b]"),
        ("- 2.0", "- 08"),
    ] {
        assert!(ROS2.contains(from));
        let text = ROS2.replace(from, to);
        assert!(parse(Path::new("t.yaml"), text.as_bytes()).is_ok(), "{to}");
    }
}
