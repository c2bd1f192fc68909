//! Files of joint limits, and what is refused of them.

use clearance_proof::model::JointKind;

use super::*;
use crate::{LoadOptions, load_robot};

const URDF: &str = r#"<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
    <joint name="turn" type="revolute"><parent link="a"/><child link="b"/><limit lower="-2" upper="2" velocity="3" effort="1" acceleration="20"/></joint>
    <joint name="slide" type="prismatic"><parent link="b"/><child link="c"/><limit lower="0" upper="1" velocity="0.5" effort="1"/></joint></robot>"#;

fn load(yaml: &str) -> Result<Cell, ImportError> {
    load_whole(yaml).map(|loaded| loaded.cell)
}

fn load_whole(yaml: &str) -> Result<LoadedCell, ImportError> {
    load_of(URDF, yaml)
}

fn load_of(urdf: &str, yaml: &str) -> Result<LoadedCell, ImportError> {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    std::fs::write(at("r.urdf"), urdf).unwrap();
    std::fs::write(at("joint_limits.yaml"), yaml).unwrap();
    let options = LoadOptions {
        joint_limits: Some(at("joint_limits.yaml")),
        ..LoadOptions::default()
    };
    load_robot(&at("r.urdf"), &[], &options)
}

#[test]
fn the_tighter_limit_counts() {
    let loaded = load_whole(
        "default_velocity_scaling_factor: 0.1\njoint_limits:\n  turn:\n    has_velocity_limits: true\n    max_velocity: 2.5\n    \
         has_acceleration_limits: true\n    max_acceleration: 30\n  slide:\n    has_position_limits: true\n    min_position: 0.1\n    \
         max_position: 4\n    has_velocity_limits: false\n    max_velocity: 0\n    has_acceleration_limits: true\n    \
         max_acceleration: 1.5\n    has_jerk_limits: false\n  gone:\n    has_velocity_limits: true\n    max_velocity: 1\n",
    )
    .unwrap();
    let cell = &loaded.cell;
    let limits = |position, velocity, acceleration| Limits {
        position: Some(position),
        velocity: Some(velocity),
        acceleration: Some(acceleration),
    };
    assert_eq!(cell.joints[0].limits, limits((-2.0, 2.0), 2.5, 20.0));
    assert_eq!(cell.joints[1].limits, limits((0.1, 1.0), 0.5, 1.5));
    // At rest a joint stays within its limits.
    assert_eq!(cell.rest, [0.0, 0.1]);
    let noted = |words: &str| cell.notes.iter().any(|n| n.message.contains(words));
    assert!(noted("no movable joint `gone`"), "{:?}", cell.notes);
    assert!(
        noted("wider than the urdf's, which count: turn, slide"),
        "{:?}",
        cell.notes
    );
    assert_eq!(loaded.files.len(), 2);
}

#[test]
fn limits_that_do_not_count_are_told() {
    let cell = load(
        "joint_limits:\n  turn:\n    max_velocity: 1\n    min_position: -1\n    max_position: 1\n    \
         has_acceleration_limits: false\n    max_acceleration: 1\n",
    )
    .unwrap();
    assert_eq!(cell.joints[0].limits.velocity, Some(3.0));
    let idle = cell.notes.iter().filter(|n| n.code == Code::MissingLimits);
    let told: Vec<&str> = idle.map(|n| n.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "`min_position` of `turn` does not count: write `has_position_limits: true`, or false",
            "`max_velocity` of `turn` does not count: write `has_velocity_limits: true`, or false",
        ]
    );
}

#[test]
fn ros_2_puts_it_deeper() {
    let cell = load("/**:\n  ros__parameters:\n    robot_description_planning:\n      joint_limits:\n        slide:\n          has_acceleration_limits: true\n          max_acceleration: 2\n").unwrap();
    assert_eq!(cell.joints[1].limits.acceleration, Some(2.0));
    assert_eq!(cell.joints[0].limits.acceleration, Some(20.0));
    // Below the name of a node, too, which may be in a group.
    let below = |around: &str| {
        format!(
            "{around}: {{ros__parameters: {{robot_description_planning: {{joint_limits: {{slide: \
                 {{has_acceleration_limits: true, max_acceleration: 2}}}}}}}}}}"
        )
    };
    for around in [
        below("move_group"),
        format!("cell: {{{}}}", below("move_group")),
    ] {
        let cell = load(&around).unwrap();
        assert_eq!(cell.joints[1].limits.acceleration, Some(2.0), "{around}");
    }
    // Elsewhere it is told where it stands.
    for around in [
        "gripper",
        "ros__parameters: {plan",
        "move_group: {robot_description_planning",
    ] {
        let close = "}".repeat(around.matches('{').count());
        let text = format!("{around}: {{joint_limits: {{slide: {{}}}}}}{close}");
        let said = load(&text).unwrap_err().to_string();
        assert!(
            said.contains("`joint_limits` stands below `"),
            "{text}: {said}"
        );
    }
}

#[test]
fn errors_say_where_and_what_would_be_right() {
    for (yaml, words) in [
        ("turn:\n  max_velocity: 1\n", "has no `joint_limits`"),
        (
            "joint_limits:\n  turn: {}\n---\njoint_limits:\n  turn: {}\n",
            ":4: a second document begins here",
        ),
        ("joint_limits: 3\n", ":1:15: `joint_limits` is the number 3"),
        (
            "joint_limits:\n  turn: fast\n",
            "joint `turn` is the text `fast`",
        ),
        (
            "joint_limits:\n  turn:\n    max_velocty: 1\n",
            ":3:5: unknown key `max_velocty`; did you mean `max_velocity`?",
        ),
        (
            "joint_limits:\n  turn:\n    has_velocity_limits: true\n",
            "`max_velocity` of `turn` is missing",
        ),
        (
            "joint_limits:\n  turn:\n    has_velocity_limits: 1\n",
            "write true or false",
        ),
        (
            "joint_limits:\n  turn:\n    has_acceleration_limits: true\n    max_acceleration: 0\n",
            ":4:23: `max_acceleration` of `turn` is the number 0; write a number above 0, or `has_acceleration_limits: false`",
        ),
        (
            "joint_limits:\n  turn:\n    has_velocity_limits: true\n    max_velocity: .nan\n",
            "write a number",
        ),
        (
            "joint_limits:\n  turn:\n    has_position_limits: true\n    min_position: 1\n    max_position: 0\n",
            "exchange them",
        ),
        (
            "joint_limits:\n  turn:\n    has_position_limits: true\n    min_position: 3\n    max_position: 4\n",
            "outside of the urdf's",
        ),
        ("joint_limits: [\n", "joint_limits.yaml:"),
    ] {
        let error = load(yaml).unwrap_err().to_string();
        assert!(error.contains(words), "{yaml}: {error}");
    }
}

/// Catches a section of which nobody hears that it does not count.
#[test]
fn a_second_section_is_refused() {
    let limits = |most: f64| {
        format!("joint_limits:\n  turn: {{has_velocity_limits: true, max_velocity: {most}}}\n")
    };
    let below = |text: &str| text.replace("\n", "\n  ").trim_end().to_owned();
    for around in ["robot_description_planning", "/**", "move_group"] {
        let both = format!("{}{around}:\n  {}\n", limits(2.5), below(&limits(0.1)));
        let error = load(&both).unwrap_err().to_string();
        assert!(error.contains(":4:"), "{both}{error}");
        assert!(error.contains("a second `joint_limits`"), "{both}{error}");
    }
    let deep = |around: &str| format!("{around}:\n  {}\n", below(&limits(0.1)));
    let both = deep("/**") + &deep("robot_description_planning");
    let error = load(&both).unwrap_err().to_string();
    assert!(error.contains("a second `joint_limits`"), "{error}");
}

/// A URDF cannot give a continuous joint a range; this file can.
#[test]
fn a_continuous_joint_gets_a_range() {
    let (yaml, kind) = (
        "joint_limits:\n  turn: {has_position_limits: true, min_position: 1, max_position: 2}\n",
        "continuous",
    );
    let cell = load_of(&URDF.replace("revolute", kind), yaml).unwrap().cell;
    assert_eq!(cell.joints[0].kind, JointKind::Continuous);
    assert_eq!(cell.joints[0].limits.position, Some((1.0, 2.0)));
    // At rest it stays within, as any other joint.
    assert_eq!(cell.rest[0], 1.0);
}

/// As makers' files of ROS have it.
#[test]
fn angles_may_have_tags() {
    let cell = load(
        "# !degrees is read\njoint_limits:\n  turn:\n    has_velocity_limits: true\n    max_velocity:  !degrees 90.0   # !degrees\n    \
         has_position_limits: true\n    min_position: !degrees  -45\n    max_position: !radians\n      1.5\n    \
         has_acceleration_limits: true\n    max_acceleration: 2\n  \
         slide: {has_velocity_limits: true, max_velocity: 0.25}\n",
    )
    .unwrap();
    let pi = std::f64::consts::PI;
    let limits = &cell.joints[0].limits;
    let close = |one: f64, other: f64| (one - other).abs() < 1e-12;
    assert!(close(limits.velocity.unwrap(), pi / 2.0), "{limits:?}");
    let (lower, upper) = limits.position.unwrap();
    assert!(close(lower, -pi / 4.0) && upper == 1.5, "{limits:?}");
    assert_eq!(limits.acceleration, Some(2.0));
    assert_eq!(cell.joints[1].limits.velocity, Some(0.25));
    let flow = load("joint_limits: {turn: {has_velocity_limits: true, max_velocity: !degrees 90}}");
    let velocity = flow.unwrap().joints[0].limits.velocity.unwrap();
    assert!(close(velocity, pi / 2.0));
}

/// Catches degrees that are read as radians: behind a tag that is passed over.
#[test]
fn tags_that_are_not_of_a_number_are_refused() {
    let turn = |value: &str| {
        format!(
            "joint_limits:\n  turn:\n    has_velocity_limits: true\n    max_velocity: {value}\n"
        )
    };
    let slide = turn("!degrees 10").replace("turn", "slide");
    let alias = turn("&fast !degrees 10") + "    max_jerk: *fast\n";
    for (yaml, words) in [
        (turn("!degrees '10'"), ":4"),
        (
            turn("!degrees ten"),
            ":4: behind a tag such as `!degrees` stands no number",
        ),
        (turn("!degrees"), "stands no number"),
        (turn("!degrees [10]"), ":4"),
        (turn("!<!degrees> 10"), ":4"),
        (turn("!grad 10"), ":4"),
        (turn("!!degrees 10"), ":4"),
        (slide, "the joint slides"),
        (alias, "an alias, in a file with tags"),
    ] {
        let said = load(&yaml).err().map_or(String::new(), |e| e.to_string());
        assert!(said.contains(words), "{yaml}: {said}");
    }
}
