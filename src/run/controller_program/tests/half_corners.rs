//! Corners at the first and the last point of a program, and what is taken or left there.

use super::*;
use crate::findings::Severity;

/// The bar turns to three angles; `zones` are those of its moves, and a part stands beside its end
/// at the angle of waypoint `beside`.
fn turned(zones: [&str; 3], beside: usize, event: &str) -> Outcome {
    let angles = [0.0, -0.5, -1.0];
    let moves: Vec<String> = (angles.iter().zip(zones).enumerate())
        .map(|(k, (angle, zone))| {
            format!(
                r#"{{"move": "joint", "to": {{"joints": [{angle}]}}, "tool": "tip", "zone": "{zone}", "file": "way.src", "line": {}}}"#,
                k + 5
            )
        })
        .collect();
    let program = format!(
        r#"{{"clearance_motion": 1, "units": {{"length": "m", "angle": "rad"}}, "joints": ["turn"],
        "tools": {{"tip": {{"link": "tool0", "pose": {{"xyz": [1, 0, 0]}}}}}}, "moves": [{}]}}"#,
        moves.join(", ")
    );
    let [x, y] = [f64::cos, f64::sin].map(|f| 1.04 * f(angles[beside]));
    let part =
        format!("[[obstacle]]\nname = \"part\"\nsphere = 0.01\npose = {{ xyz = [{x}, {y}, 0] }}\n");
    verified_with(event, &format!("{CELL}{part}"), "a.motion.json", &program)
}

const TAKE: &str = "attach = \"part\"\nto = \"tool0\"\n";

/// The arm may come by the point at a distance, and then it takes the part otherwise than the motion
/// through the point does.
#[test]
fn what_is_taken_at_a_first_point_that_is_passed_is_undecided() {
    for (at, zone, verdict) in [
        ("1", "stop", Verdict::Clear),
        ("1", "unknown", Verdict::Undecided),
        ("1.4", "unknown", Verdict::Undecided),
        // Behind the half of the way that the corner may take.
        ("1.6", "unknown", Verdict::Clear),
    ] {
        let event = format!("[[event]]\nwaypoint = {at}\n{TAKE}");
        let answer = turned([zone, "stop", "stop"], 0, &event);
        let program = &answer.programs[0];
        assert_eq!(answer.verdict, verdict, "{at} {zone}: {:?}", program.error);
        if verdict == Verdict::Undecided {
            let error = program.error.as_deref().unwrap();
            assert!(error.contains("corner at way.src:5 is not"), "{error}");
            assert!(
                error.contains("a.motion.events.toml:1 takes or leaves"),
                "{error}"
            );
            assert!(
                error.contains("`start`") && error.contains("stop there"),
                "{error}"
            );
        }
    }
    // Where it is on the link is stated.
    let stated = "pose = { xyz = [1.04, 0, 0] }\n";
    let event = format!("[[event]]\nwaypoint = 1\n{TAKE}{stated}");
    let answer = turned(["unknown", "stop", "stop"], 0, &event);
    assert_eq!(answer.verdict, Verdict::Clear);
}

#[test]
fn what_is_taken_or_left_at_a_last_point_that_is_passed_is_undecided() {
    let held = format!("[[event]]\nwaypoint = 1\n{TAKE}\n[[event]]\n");
    for (at, zone, verdict) in [
        ("3", "stop", Verdict::Clear),
        ("3", "unknown", Verdict::Undecided),
        ("2.6", "unknown", Verdict::Undecided),
        ("2.4", "unknown", Verdict::Clear),
    ] {
        let event = format!("{held}waypoint = {at}\nrelease = \"part\"\n");
        let answer = turned(["stop", "stop", zone], 0, &event);
        let program = &answer.programs[0];
        assert_eq!(answer.verdict, verdict, "{at} {zone}: {:?}", program.error);
        if verdict == Verdict::Undecided {
            let error = program.error.as_deref().unwrap();
            assert!(error.contains("corner at way.src:7 is not"), "{error}");
            assert!(!error.contains("`start`"), "{error}");
        }
    }
    let event = format!("[[event]]\nwaypoint = 3\n{TAKE}");
    let answer = turned(["stop", "stop", "unknown"], 2, &event);
    assert_eq!(answer.verdict, Verdict::Undecided);
}

/// What follows is not part of the program, nor is the corner before it; a program that comes back
/// to the point was checked there.
#[test]
fn a_last_point_that_is_passed_is_told() {
    let told = |answer: &Outcome| {
        let mut said = answer.programs[0].unchecked.iter();
        let last = said.find(|d| d.subject == "corner at the last point")?;
        assert_eq!(last.code, Code::RoundedCorners);
        assert_eq!(last.severity, Severity::Unchecked);
        last.place.as_ref()?.line
    };
    let passed = turned(["stop", "stop", "unknown"], 0, "");
    assert_eq!((passed.verdict, told(&passed)), (Verdict::Clear, Some(7)));
    assert_eq!(told(&turned(["stop", "unknown", "stop"], 0, "")), None);
    let script = |tail: &str| {
        let text = format!(
            "set_tcp(p[1,0,0,0,0,0])\nmovej([0])\nwhile True:\n movej([0.3], r=0.01)\n movej([-0.3], r=0.01)\n{tail}"
        );
        verified(CELL, "a.script", &text)
    };
    for (tail, line) in [("end\n", None), (" break\nend\n", Some(5))] {
        let answer = script(tail);
        assert_eq!(
            answer.verdict,
            Verdict::Clear,
            "{:?}",
            answer.programs[0].error
        );
        assert_eq!(told(&answer), line, "{tail}");
    }
}
