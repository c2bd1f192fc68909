//! Points of which a script has both the pose and the joint values.

use super::*;
use crate::Reading;

const HOME: [f64; 6] = [0.1, -1.2, 1.4, -1.7, -1.5, 0.3];

/// The two variables of a point whose pose lies so far above the place of the tool, which is
/// `tool` along z from the flange.
fn pair(tool: f64, above: f64) -> [String; 2] {
    let tool = nalgebra::Translation3::new(0.0, 0.0, tool);
    let mut pose = crate::testing::nominal().flange(&HOME) * tool;
    pose.translation.z += above;
    let numbers = super::super::super::poses::numbers(&pose);
    [
        format!("global Home_p = p{numbers:?}\n"),
        format!("global Home_q = {HOME:?}\n"),
    ]
}

const TOOL: &str = "set_tcp(p[0,0,0.1,0,0,0])\n";
const GO: &str = "movej(get_inverse_kin(Home_p, qnear=Home_q))\n";

fn reading(text: &str) -> Result<Reading, ImportError> {
    let cell = arm();
    let controller = ControlledArm::of(&cell, None).unwrap();
    let options = Options {
        routine: None,
        bounds: Bounds::default(),
        read_neighbour: &|_| panic!("nothing is needed"),
        orientation_tube: 0.1,
    };
    let file = Path::new("a.script");
    super::super::read(file, text.as_bytes(), &controller, &options)
}

/// How far each point lies beside the model, metres.
fn off(text: &str) -> Vec<f64> {
    let points = reading(text)
        .unwrap_or_else(|e| panic!("{e}"))
        .point_differences;
    points.iter().map(|c| c.distance_m).collect()
}

fn refusal(text: &str) -> String {
    reading(text).map_or_else(|e| e.to_string(), |_| String::new())
}

#[test]
fn poses_and_joint_values_of_a_point_must_agree() {
    let of = |above: f64| format!("{TOOL}{}{GO}", pair(0.1, above).concat());
    let points = reading(&of(0.001)).unwrap().point_differences;
    assert_eq!((points.len(), points[0].label.as_str()), (1, "Home"));
    assert!((points[0].distance_m - 0.001).abs() < 1e-9);
    let error = refusal(&of(0.02));
    assert!(
        error.contains("a.script:2: joint values and pose of `Home` are 20.00 mm"),
        "{error}"
    );
}

/// A script of one function and a call of it, points in a function of their own, a tool that is
/// set again or held by a variable: all of that is one program with the same points.
#[test]
fn points_are_compared_wherever_they_and_the_tool_stand() {
    let forms: [fn([String; 2]) -> String; 7] = [
        |[p, q]| format!("def m():\n{TOOL}{p}{q}{GO}end\n"),
        |[p, q]| format!("def m():\n{TOOL}{p}{q}{GO}end\nm()\n"),
        |[p, q]| format!("def m():\ndef pts():\n{p}{q}end\n{TOOL}pts()\n{GO}end\nm()\n"),
        |[p, q]| format!("{TOOL}{p}{q}{GO}{TOOL}{GO}"),
        |[p, q]| format!("{TOOL}{p}{q}{q}{p}{GO}"),
        |[p, q]| format!("t = p[0,0,0.1,0,0,0]\nset_tcp(t)\n{p}{q}{GO}"),
        |[p, q]| format!("def use(t):\nset_tcp(t)\nend\n{p}{q}use(p[0,0,0.1,0,0,0])\n{GO}"),
    ];
    for form in forms {
        let text = form(pair(0.1, 0.001));
        let found = off(&text);
        assert!(
            found.len() == 1 && (found[0] - 0.001).abs() < 1e-9,
            "{text}: {found:?}"
        );
        let text = form(pair(0.1, 0.02));
        assert!(refusal(&text).contains("are 20.00 mm"), "{text}");
    }
}

/// A point was taught with one of the tools that the program moves with, and where a name has
/// several values, one of these is that of the joint values. Of those that may be meant the worst
/// one counts.
#[test]
fn points_that_may_be_taught_in_several_ways_count_with_the_worst() {
    let other = "set_tcp(p[0,0,0.3,0,0,0])\n";
    let [p, q] = pair(0.1, 0.001);
    let text = format!("{other}movej([0,0,0,0,0,0])\n{TOOL}{p}{q}{GO}");
    let found = off(&text);
    assert!((found[0] - 0.001).abs() < 1e-9, "{found:?}");
    let beside = "set_tcp(p[0,0,0.104,0,0,0])\n";
    let text = format!("{beside}movej([0,0,0,0,0,0])\n{TOOL}{p}{q}{GO}");
    let found = off(&text);
    assert!(found.len() == 1 && found[0] > 0.0025, "{found:?}");
    // None of the tools is that of the point.
    let [p, q] = pair(0.2, 0.0);
    let text = format!("{other}movej([0,0,0,0,0,0])\n{TOOL}{p}{q}{GO}");
    assert!(
        refusal(&text).contains("are 100.00 mm"),
        "{}",
        refusal(&text)
    );
    // A first value that is never taught.
    let [p, q] = pair(0.1, 0.001);
    let first = "global Home_p = p[0,0,0,0,0,0]\n";
    let found = off(&format!("{TOOL}{first}{p}{q}{GO}"));
    assert!(
        found.len() == 1 && (found[0] - 0.001).abs() < 1e-9,
        "{found:?}"
    );
    let [p, _] = pair(0.1, 0.02);
    assert!(refusal(&format!("{TOOL}{first}{p}{q}{GO}")).contains("apart"));
}

/// A tool that is set and never moved with, or only where the program does not come by, may be that
/// of a point. What a point may be taught with that is not known says nothing against the robot.
#[test]
fn points_of_tools_that_nothing_moves_with_are_not_refused() {
    let [p, q] = pair(0.2, 0.001);
    let later = "set_tcp(p[0,0,0.2,0,0,0])\n";
    let go = "movej(Home_q)\n";
    for text in [
        format!("{TOOL}{p}{q}{go}mode = 1\nif mode == 2:\n  {later}  {go}end\n"),
        format!("{TOOL}{p}{q}{go}{later}"),
        format!("{TOOL}{p}{q}{later}{TOOL}{go}"),
        format!("{later}{TOOL}{p}{q}{go}"),
        format!("t = p[0,0,0.2,0,0,0]\nset_tcp(t)\n{TOOL}{p}{q}{go}"),
        format!("{TOOL}{p}{q}{go}def never():\n  {later}end\nif 1 > 2:\n  never()\nend\n"),
    ] {
        let found = reading(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(found.assumed.is_empty(), "{text}: {:?}", found.assumed);
        let [home] = &found.point_differences[..] else {
            panic!("{text}: {:?}", found.point_differences);
        };
        assert!((home.distance_m - 0.001).abs() < 1e-9, "{text}: {home:?}");
    }
    // Functions that nothing calls set no tool.
    let text = format!("{TOOL}{p}{q}{go}def never():\n  {later}end\n");
    assert!(refusal(&text).contains("apart"), "{}", refusal(&text));
    for unknown in [
        "set_tcp(get_tcp_offset())\n",
        "mode = 1\nif mode == 2:\n  set_tcp(get_tcp_offset())\nend\n",
        "set_tcp(\"TCP_2\")\n",
        "set_tcp(tool_from_urcap)\n",
    ] {
        let text = format!("{TOOL}{p}{q}{go}{unknown}{go}");
        let found = reading(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(
            found.point_differences.is_empty(),
            "{text}: {:?}",
            found.point_differences
        );
        let [told] = &found.assumed[..] else {
            panic!("{text}: {:?}", found.assumed);
        };
        assert!(told.message.contains("`Home`"), "{}", told.message);
        assert!(told.message.contains("not compared"), "{}", told.message);
        assert_eq!(told.place.line, Some(2), "{text}");
        // What fits a tool that is known counts.
        let [p, q] = pair(0.1, 0.001);
        let found = off(&format!("{TOOL}{p}{q}{go}{unknown}{go}"));
        assert!((found[0] - 0.001).abs() < 1e-9, "{text}: {found:?}");
    }
}
