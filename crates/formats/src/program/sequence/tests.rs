use std::collections::BTreeMap;
use std::path::Path;

use clearance_proof::model::moves::{MoveKind, MoveProgram, Target};

use super::super::motion::{self, ImportedMoves};
use super::read;
use crate::{ImportError, Location};

const JOINTS: [&str; 6] = ["j1", "j2", "j3", "j4", "j5", "j6"];

fn joint_goal(values: [f64; 6]) -> String {
    let each = JOINTS.iter().zip(values).map(|(name, value)| {
        format!("{{joint_name: {name}, position: {value}, tolerance_above: 0.0, weight: 1.0}}")
    });
    format!(
        "{{joint_constraints: [{}]}}",
        each.collect::<Vec<_>>().join(", ")
    )
}

/// The tool turned by 90° about x.
fn pose_goal(place: [f64; 3], offset: f64) -> String {
    let [x, y, z] = place;
    format!(
        "{{position_constraints: [{{header: {{frame_id: base}}, link_name: tcp, target_point_offset: {{x: 0, y: 0, z: {offset}}}, \
         constraint_region: {{primitives: [{{type: 2, dimensions: [0.001]}}], \
         primitive_poses: [{{position: {{x: {x}, y: {y}, z: {z}}}, orientation: {{w: 1}}}}]}}}}], \
         orientation_constraints: [{{header: {{frame_id: base}}, link_name: tcp, orientation: {{x: 0.7071067811865476, y: 0, z: 0, w: 0.7071067811865476}}}}]}}"
    )
}

fn arc(name: &str, place: [f64; 3]) -> String {
    let [x, y, z] = place;
    format!(
        "path_constraints: {{name: {name}, position_constraints: [{{header: {{frame_id: base}}, link_name: tcp, \
         constraint_region: {{primitive_poses: [{{position: {{x: {x}, y: {y}, z: {z}}}}}]}}}}]}}"
    )
}

fn item(planner: &str, goal: &str, more: &str, radius: f64) -> String {
    let more = if more.is_empty() {
        String::new()
    } else {
        format!(", {more}")
    };
    format!(
        "- req: {{group_name: arm, planner_id: {planner}, pipeline_id: pilz_industrial_motion_planner, \
         max_velocity_scaling_factor: 0.1, goal_constraints: [{goal}]{more}}}\n  blend_radius: {radius}\n"
    )
}

const START: &str =
    "start_state: {joint_state: {name: [j1, j2, j3, j4, j5, j6], position: [0, 0, 0, 0, 1, 0]}}";

fn sequence(items: &[String]) -> String {
    format!("items:\n{}", items.concat())
}

fn program(text: &str) -> MoveProgram {
    with_tips(text, &[])
}

/// A text, of a robot whose planning groups are not known.
fn read_alone(text: &str) -> Option<Result<ImportedMoves, ImportError>> {
    read(Path::new("a.yaml"), text.as_bytes(), &BTreeMap::new())
}

/// A program for a robot whose planning groups end at these links.
fn with_tips(text: &str, tips: &[[&str; 2]]) -> MoveProgram {
    let tips = tips
        .iter()
        .map(|[group, tip]| (group.to_string(), tip.to_string()));
    let tips: BTreeMap<String, String> = tips.collect();
    let found = read(Path::new("a.yaml"), text.as_bytes(), &tips).expect("a sequence");
    found.unwrap_or_else(|e| panic!("{e}")).program
}

#[test]
fn a_sequence_is_the_program_of_moves_that_says_the_same() {
    let goal = |y: f64| pose_goal([0.4, y, 0.3], 0.0);
    let text = sequence(&[
        item(
            "PTP",
            &joint_goal([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
            START,
            0.0,
        ),
        item("LIN", &goal(0.0), "", 0.0),
        item("LIN", &goal(0.2), "", 0.15),
        item("CIRC", &goal(0.4), &arc("interim", [0.5, 0.3, 0.3]), 0.0),
        item("CIRC", &goal(0.0), &arc("center", [0.3, 0.2, 0.3]), 0.0),
    ]);
    let own = program(&text);
    assert!(own.unknown.is_empty(), "{:?}", own.unknown);
    let pose = |y: f64| {
        format!(
            r#"{{"pose": {{"xyz": [0.4, {y}, 0.3], "rotvec": [1.5707963267948966, 0, 0]}}, "frame": "base", "branch": "continued"}}"#
        )
    };
    let point = |[x, y, z]: [f64; 3]| {
        format!(r#"{{"pose": {{"xyz": [{x}, {y}, {z}]}}, "frame": "base", "branch": "continued"}}"#)
    };
    // Half way round the shorter arc about (0.3, 0.2, 0.3).
    let middle = [0.3 + (0.01f64 + 0.04).sqrt(), 0.2, 0.3];
    let same = format!(
        r#"{{"clearance_motion": 1, "units": {{"length": "m", "angle": "rad"}}, "joints": ["j1", "j2", "j3", "j4", "j5", "j6"],
        "start": [0, 0, 0, 0, 1, 0], "frames": {{"base": {{"link": "base", "pose": {{"xyz": [0, 0, 0]}}}}}},
        "tools": {{"tcp": {{"link": "tcp", "pose": {{"xyz": [0, 0, 0]}}}}}},
        "moves": [
          {{"move": "joint", "to": {{"joints": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}}, "zone": "stop", "speed": {{"share": 0.1}}}},
          {{"move": "linear", "to": {}, "tool": "tcp", "zone": "stop"}},
          {{"move": "linear", "to": {}, "tool": "tcp", "zone": {{"ball": 0.15}}}},
          {{"move": "circular", "via": {}, "to": {}, "tool": "tcp", "zone": "stop"}},
          {{"move": "circular", "via": {}, "to": {}, "tool": "tcp", "zone": "stop"}}]}}"#,
        pose(0.0),
        pose(0.2),
        point([0.5, 0.3, 0.3]),
        pose(0.4),
        point(middle),
        pose(0.0),
    );
    let same = motion::parse(Path::new("a.motion.json"), same.as_bytes()).unwrap();
    let same = same.program;
    assert_eq!((&own.joints, &own.start), (&same.joints, &same.start));
    assert_eq!(own.moves.len(), same.moves.len());
    for (k, (a, b)) in own.moves.iter().zip(&same.moves).enumerate() {
        assert_eq!(
            (a.zone, a.speed, &a.tool),
            (b.zone, b.speed, &b.tool),
            "{k}"
        );
        assert!(near(&a.target, &b.target), "{k}: {a:?} {b:?}");
        match (&a.kind, &b.kind) {
            (MoveKind::Circular { via: a, .. }, MoveKind::Circular { via: b, .. }) => {
                assert!(near(a, b), "{k}: {a:?} {b:?}");
            }
            (a, b) => assert_eq!(a, b, "{k}"),
        }
        assert_eq!(a.place.line, Some(2 + 2 * k));
    }
    // The same as JSON, in the goal of an action.
    let json: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    let json = serde_json::json!({"request": json, "planning_options": {}});
    let json = serde_json::to_string(&json).unwrap().replace(',', ",\t");
    let again = program(&json);
    assert_eq!((again.joints, again.start), (own.joints, own.start));
    for (a, b) in again.moves.iter().zip(&own.moves) {
        assert_eq!((&a.kind, &a.target, a.zone), (&b.kind, &b.target, b.zone));
    }
}

fn near(a: &Target, b: &Target) -> bool {
    match (a, b) {
        (Target::Joints(a), Target::Joints(b)) => a == b,
        (
            Target::Pose {
                frame: f,
                frame_from_tool: a,
                branch,
            },
            Target::Pose {
                frame: g,
                frame_from_tool: b,
                branch: other,
            },
        ) => {
            let off = (a.translation.vector - b.translation.vector).norm();
            f == g && branch == other && off < 1e-12 && a.rotation.angle_to(&b.rotation) < 1e-12
        }
        _ => false,
    }
}

/// Goals name their joints; the order in which they do means nothing.
#[test]
fn goals_are_those_of_their_names() {
    let goal = joint_goal([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    let list = goal
        .trim_start_matches("{joint_constraints: [")
        .trim_end_matches("]}");
    let mut each: Vec<&str> = list
        .split("}, ")
        .map(|one| one.trim_end_matches('}'))
        .collect();
    each.reverse();
    let reversed = format!("{{joint_constraints: [{}}}]}}", each.join("}, "));
    assert_ne!(goal, reversed);
    let own = program(&sequence(&[item("PTP", &reversed, START, 0.0)]));
    assert!(own.unknown.is_empty(), "{:?}", own.unknown);
    assert_eq!(own.joints, JOINTS);
    let right = Target::Joints(vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    assert_eq!(own.moves[0].target, right);
}

/// The point at the offset is at the position; the tool's y there is up. So it is for the point of an
/// arc, else the link would go round another circle.
#[test]
fn an_offset_is_in_the_frame_of_the_link() {
    let goal = |x: f64, y: f64, offset: f64| pose_goal([x, y, 0.3], offset);
    let moves = |offset: f64| {
        // The tool's z is -y of the base: there the point at the offset is.
        let at = |x: f64, y: f64| goal(x, y - offset, offset);
        let arc = |name: &str, x: f64, y: f64| arc(name, [x, y - offset, 0.3]);
        program(&sequence(&[
            item("PTP", &joint_goal([0.0; 6]), START, 0.0),
            item("LIN", &goal(0.3, 0.0, 0.0), "", 0.0),
            item("LIN", &at(0.4, 0.0), "", 0.0),
            item("CIRC", &at(0.6, 0.0), &arc("interim", 0.5, 0.1), 0.0),
            item("CIRC", &at(0.5, 0.1), &arc("center", 0.5, 0.0), 0.0),
        ]))
    };
    let (own, same) = (moves(0.1), moves(0.0));
    assert!(own.unknown.is_empty(), "{:?}", own.unknown);
    for (a, b) in own.moves.iter().zip(&same.moves).skip(1) {
        assert!(near(&a.target, &b.target), "{a:?} {b:?}");
        if let (MoveKind::Circular { via: a, .. }, MoveKind::Circular { via: b, .. }) =
            (&a.kind, &b.kind)
        {
            assert!(near(a, b), "{a:?} {b:?}");
        }
    }
    assert_eq!(own.moves.len(), 5);
}

/// The planner blends about the tip of the group. Where the tool turns, a corner of another link is
/// another one: a pin between the two was hit and said to be clear.
#[test]
fn blends_of_a_tool_that_turns_are_about_the_tip() {
    let goal = |y: f64| pose_goal([0.4, y, 0.3], 0.0);
    let turned = goal(0.4).replace(
        "{x: 0.7071067811865476, y: 0, z: 0,",
        "{x: 0, y: 0.7071067811865476, z: 0,",
    );
    let asked = |second: &str, third: &str, tips: &[[&str; 2]]| {
        let text = sequence(&[
            item("PTP", &joint_goal([0.0; 6]), START, 0.0),
            item("LIN", &goal(0.0), "", 0.0),
            item("LIN", second, "", 0.05),
            item("LIN", third, "", 0.0),
        ]);
        let unknown = with_tips(&text, tips).unknown;
        let line = |at: &Location| at.line.unwrap();
        unknown.first().map(|u| (line(&u.place), u.reason.clone()))
    };
    assert_eq!(asked(&goal(0.2), &goal(0.3), &[]), None);
    for (second, third) in [(&turned, &goal(0.3)), (&goal(0.2), &turned)] {
        assert_eq!(asked(second, third, &[["hand", "x"], ["arm", "tcp"]]), None);
        for (tips, says) in [
            (&[][..], "name an SRDF"),
            (&[["hand", "tcp"]], "name an SRDF"),
            (&[["arm", "tool0"]], "the tip of `arm`, which is `tool0`"),
        ] {
            let (line, reason) = asked(second, third, tips).expect(says);
            assert!(line == 6 && reason.contains(says), "{line} {reason}");
        }
    }
    // From joint values nobody knows here how the tool is turned.
    let text = sequence(&[
        item("PTP", &joint_goal([0.0; 6]), START, 0.0),
        item("LIN", &goal(0.0), "", 0.05),
        item("LIN", &goal(0.2), "", 0.0),
    ]);
    assert!(with_tips(&text, &[]).unknown[0].reason.contains("an SRDF"));
    assert!(with_tips(&text, &[["arm", "tcp"]]).unknown.is_empty());
}

#[test]
fn what_is_not_known_of_a_sequence_is_told_with_its_line() {
    let joints = joint_goal([0.0; 6]);
    let pose = |y: f64| pose_goal([0.4, y, 0.3], 0.0);
    let ptp = || item("PTP", &joints, START, 0.0);
    let lin = |y: f64, r: f64| item("LIN", &pose(y), "", r);
    let at_offset = || item("LIN", &pose_goal([0.4, 0.2, 0.3], 0.1), "", 0.0);
    let turned = item("LIN", &pose(0.1), "", 0.0).replace(
        "{x: 0.7071067811865476, y: 0, z: 0,",
        "{x: 0, y: 0.7071067811865476, z: 0,",
    );
    for (items, line, says) in [
        (
            vec![ptp(), item("PTP", &pose(0.0), "", 0.0)],
            4,
            "`PTP` to a pose",
        ),
        (
            vec![ptp(), at_offset()],
            4,
            "`target_point_offset` where the tool may turn",
        ),
        (
            vec![ptp(), turned, at_offset()],
            6,
            "`target_point_offset` where the tool may turn",
        ),
        (
            vec![ptp(), item("LIN", &joints, "", 0.0)],
            4,
            "`LIN` to joint values",
        ),
        (
            vec![ptp(), item("RRTConnect", &joints, "", 0.0)],
            4,
            "`RRTConnect`",
        ),
        (vec![ptp(), ptp()], 4, "only the first item"),
        (
            vec![item("PTP", &joints, START, 0.1), lin(0.0, 0.0)],
            2,
            "a blend with a `PTP`",
        ),
        (
            vec![ptp(), lin(0.0, 0.1), item("PTP", &joints, "", 0.0)],
            4,
            "a blend with a `PTP`",
        ),
        (vec![ptp(), lin(0.0, 0.1)], 4, "the last item"),
        (
            vec![ptp(), item("CIRC", &pose(0.0), "", 0.0)],
            4,
            "a `CIRC` needs one position",
        ),
        (
            vec![
                ptp(),
                item("CIRC", &pose(0.0), &arc("center", [0.3, 0.2, 0.3]), 0.0),
            ],
            4,
            "whose start is stated as joint values",
        ),
        (
            vec![
                ptp(),
                lin(0.0, 0.0),
                item("CIRC", &pose(0.4), &arc("center", [0.4, 0.2, 0.3]), 0.0),
            ],
            6,
            "half a circle",
        ),
        (
            vec![
                ptp(),
                lin(0.0, 0.0),
                item("CIRC", &pose(0.4), &arc("center", [0.4, 0.1, 0.3]), 0.0),
            ],
            6,
            "not as far from its start",
        ),
        (
            vec![ptp(), item("LIN", &pose(0.0), &arc("", [0.0; 3]), 0.0)],
            4,
            "with path constraints",
        ),
        (
            vec![ptp(), lin(0.0, 0.0).replace("arm,", "hand,")],
            4,
            "several planning groups",
        ),
        (
            vec![ptp(), lin(0.0, 0.0).replace("pilz_industrial", "other")],
            4,
            "pipeline",
        ),
        (
            vec![
                ptp(),
                lin(0.0, 0.0).replace("frame_id: base", "frame_id: ''"),
            ],
            4,
            "frame is not stated",
        ),
        (vec![ptp(), lin(0.0, -0.1)], 4, "below 0"),
        (
            vec![ptp(), item("PTP", &joints.replace("j6", "j7"), "", 0.0)],
            4,
            "other joints",
        ),
        (
            vec![ptp().replace(
                "start_state: {",
                "start_state: {attached_collision_objects: [{link_name: tcp}], ",
            )],
            2,
            "attached_collision_objects",
        ),
        // Regression: of later items only the joints were looked at.
        (
            vec![
                ptp(),
                item(
                    "LIN",
                    &pose(0.0),
                    "start_state: {is_diff: true, attached_collision_objects: [{link_name: tcp}]}",
                    0.0,
                ),
            ],
            4,
            "attached_collision_objects",
        ),
    ] {
        let own = program(&sequence(&items));
        let unknown = own
            .unknown
            .first()
            .unwrap_or_else(|| panic!("{says}: nothing unknown"));
        assert!(unknown.reason.contains(says), "{says}: {}", unknown.reason);
        assert_eq!(unknown.place.line, Some(line), "{says}");
    }
}

/// Regression: a scene that the goal of an action states was passed over.
#[test]
fn a_scene_of_the_goal_is_told() {
    let item = item("PTP", &joint_goal([0.0; 6]), START, 0.0);
    let with = |diff: &str| {
        let items = item.replace('\n', "\n  ");
        let text = format!(
            "request:\n  items:\n  {items}\nplanning_options: {{planning_scene_diff: {diff}}}\n"
        );
        program(&text).unknown
    };
    let empty = "{is_diff: true, object_types: [], robot_state: {is_diff: true, joint_state: {name: []}}, world: {collision_objects: []}}";
    assert_eq!(with(empty), []);
    for misspelt in [
        "{wrold: {collision_objects: [{id: post}]}}",
        "{world: {collision_object: [{id: post}]}}",
    ] {
        let text = format!(
            "request:\n  items:\n  {}\nplanning_options: {{planning_scene_diff: {misspelt}}}\n",
            item.replace('\n', "\n  ")
        );
        for text in [
            text.replace("planning_options", "planing_options"),
            text.replace("planning_scene_diff", "planning_scene_dif"),
            text,
        ] {
            let error = read_alone(&text).expect("a sequence");
            let error = error.expect_err(misspelt).to_string();
            assert!(error.contains("unknown key"), "{error}");
        }
    }
    for (diff, says) in [
        (
            "{world: {collision_objects: [{id: post}]}}",
            "collision_objects",
        ),
        (
            "{robot_state: {attached_collision_objects: [{link_name: tcp}]}}",
            "attached_collision_objects",
        ),
        (
            "{allowed_collision_matrix: {entry_names: [a]}}",
            "entry_names",
        ),
        (
            "{allowed_collision_matrix: {default_entry_names: [a]}}",
            "default_entry_names",
        ),
        ("{world: {octomap: {octomap: {data: [1]}}}}", "data"),
        ("{robot_state: {joint_state: {name: [a]}}}", "name"),
        (
            "{robot_state: {multi_dof_joint_state: {joint_names: [a]}}}",
            "joint_names",
        ),
        (
            "{link_padding: [{link_name: a, padding: 0.1}]}",
            "link_padding",
        ),
        ("{link_scale: [{link_name: a, scale: 2}]}", "link_scale"),
    ] {
        let unknown = with(diff);
        assert!(unknown[0].reason.contains(says), "{says}: {unknown:?}");
    }
}

/// Regression: keys that no message has were passed over, with what they were to say.
#[test]
fn a_misspelt_key_is_refused() {
    let items = || {
        vec![
            item("PTP", &joint_goal([0.0; 6]), START, 0.0),
            item("LIN", &pose_goal([0.4, 0.0, 0.3], 0.0), "", 0.0),
            item(
                "CIRC",
                &pose_goal([0.4, 0.4, 0.3], 0.0),
                &arc("interim", [0.5, 0.3, 0.3]),
                0.0,
            ),
        ]
    };
    assert_eq!(program(&sequence(&items())).unknown, []);
    for (right, wrong) in [
        ("blend_radius", "blend_raduis"),
        ("target_point_offset", "target_point_ofset"),
        ("start_state", "start_State"),
        ("joint_state", "joint_states"),
        ("{name: [", "{names: [], name: ["),
        ("path_constraints", "path_constraint"),
        ("primitive_poses", "primitive_pose"),
        ("tolerance_above", "tolerance"),
        ("constraint_region", "region"),
        ("frame_id", "frame"),
        ("z: 0, w: 0.7", "z: 0, W: 0.7"),
    ] {
        let text = sequence(&items()).replacen(right, wrong, 1);
        let error = read_alone(&text);
        // One of the words by which a sequence is known is left elsewhere.
        let error = error.expect("a sequence").expect_err(wrong).to_string();
        let wrong = match wrong {
            "z: 0, W: 0.7" => "W",
            "{names: [], name: [" => "names",
            other => other,
        };
        assert!(
            error.contains(&format!("unknown key `{wrong}`")),
            "{wrong}: {error}"
        );
    }
}

/// Regression: a start of all joints, of which the goals move a planning group only, was refused.
#[test]
fn joints_beside_the_planning_group_stay_at_the_start() {
    let start = START
        .replace("j6]", "j6, grip]")
        .replace("1, 0]", "1, 0, 0.04]");
    let goal = joint_goal([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    let own = program(&sequence(&[item("PTP", &goal, &start, 0.0)]));
    assert_eq!(own.unknown, []);
    let right = Target::Joints(vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.04]);
    assert_eq!(own.moves[0].target, right);
    // The base stands where the cell has it.
    let base = "multi_dof_joint_state: {joint_names: [world], transforms: [{translation: {x: X}}]}";
    let with = |x: &str| {
        let start = start.replacen("{joint", &format!("{{{}, joint", base.replace('X', x)), 1);
        let text = sequence(&[item("PTP", &goal, &start, 0.0)]);
        read_alone(&text).expect("a sequence")
    };
    assert_eq!(with("0").unwrap().program.unknown, []);
    let said = with("1").unwrap_err().to_string();
    assert!(said.contains("a base that"), "{said}");
    // A joint that nothing says where it is.
    let other = goal.replacen("j6", "j7", 1);
    let own = program(&sequence(&[item("PTP", &other, &start, 0.0)]));
    let said = &own.unknown[0].reason;
    assert!(said.contains("`j7` has no value before it"), "{said}");
    // Where goals name other joints, the state between them is not known.
    let fewer = goal.replacen(
        "{joint_name: j1, position: 0.1, tolerance_above: 0.0, weight: 1.0}, ",
        "",
        1,
    );
    assert_ne!(fewer, goal);
    let own = program(&sequence(&[
        item("PTP", &goal, &start, 0.0),
        item("PTP", &fewer, "", 0.0),
    ]));
    assert!(
        own.unknown[0].reason.contains("other joints"),
        "{:?}",
        own.unknown
    );
}

#[test]
fn a_broken_sequence_is_refused_with_its_line() {
    let joints = joint_goal([0.0; 6]);
    for (text, says) in [
        (
            sequence(&[item(
                "PTP",
                &joints.replace("position: 0", "position: x"),
                START,
                0.0,
            )]),
            "a.yaml:2",
        ),
        (
            sequence(&[item(
                "PTP",
                &joints,
                &START.replace("0, 1, 0]", "1, 0]"),
                0.0,
            )]),
            "6 names and 5 positions",
        ),
        (
            sequence(&[item(
                "LIN",
                &pose_goal([0.4, 0.0, 0.3], 0.0).replace("0.7071067811865476", "0.9"),
                START,
                0.0,
            )]),
            "length 1",
        ),
        (
            sequence(&[item("LIN", &pose_goal([0.4, 0.0, 0.3], 0.0), "", 0.0)]),
            "no joint is named",
        ),
    ] {
        let error = read_alone(&text).expect("a sequence");
        let error = error.expect_err(says).to_string();
        assert!(error.contains(says), "{says}: {error}");
    }
    // Other messages are not for this reader.
    for text in [
        "items: []",
        "items: [{req: {}}]",
        "a,b\n1,2\n",
        "{\"items\": 1}",
    ] {
        assert!(read_alone(text).is_none());
    }
}
