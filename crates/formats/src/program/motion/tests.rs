//! Programs of moves: read, written, refused.

use std::path::Path;

use super::*;

const EXAMPLE: &str = include_str!("example.motion.json");

fn read(text: &str) -> Result<ImportedMoves, ImportError> {
    parse(Path::new("a.motion.json"), text.as_bytes())
}

#[test]
fn the_example_is_read_and_what_is_written_reads_back() {
    let motion = read(EXAMPLE).unwrap();
    let program = &motion.program;
    assert_eq!(program.moves.len(), 2);
    let Target::Joints(q) = &program.moves[0].target else {
        panic!("{:?}", program.moves[0].target)
    };
    assert!((q[1] + std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    let Target::Pose {
        frame_from_tool,
        branch,
        ..
    } = &program.moves[1].target
    else {
        panic!("{:?}", program.moves[1].target)
    };
    assert_eq!(
        frame_from_tool.translation.vector,
        Vector3::new(0.45, 0.15, 0.3)
    );
    assert_eq!(*branch, Branch::Continued);
    assert_eq!(program.moves[0].zone, Zone::Radius(0.02));
    assert_eq!(program.moves[1].speed, Speed::Tool(0.25));
    assert_eq!(program.moves[1].label, "place, line 41");
    let lines = program.moves.iter().map(|m| m.place.line);
    assert_eq!(lines.collect::<Vec<_>>(), [Some(6), Some(7)]);
    let mut again = read(&write(&motion)).unwrap();
    // Half a unit in the last place may go where a quaternion is made of unit length.
    for (a, b) in program.moves.iter().zip(&mut again.program.moves) {
        let close = |x: &Isometry3<f64>, y: &Isometry3<f64>| {
            (x.to_homogeneous() - y.to_homogeneous()).amax() < 1e-15
        };
        assert!(close(&a.tool.link_from_frame, &b.tool.link_from_frame));
        b.tool.link_from_frame = a.tool.link_from_frame;
        if let (
            Target::Pose {
                frame_from_tool: x,
                frame: f,
                ..
            },
            Target::Pose {
                frame_from_tool: y,
                frame: g,
                ..
            },
        ) = (&a.target, &mut b.target)
        {
            assert!(close(x, y) && close(&f.link_from_frame, &g.link_from_frame));
            (*y, g.link_from_frame) = (*x, f.link_from_frame);
        }
    }
    // The example has degrees; what is written has radians.
    assert_eq!((motion.in_radians, again.in_radians), (false, true));
    again.in_radians = motion.in_radians;
    assert_eq!(motion, again);
}

/// Catches a line of another file that is told as one of this file.
#[test]
fn a_move_stands_in_its_own_file_or_in_the_one_that_is_named() {
    let place = |text: &str| {
        let step = read(text).unwrap().program.moves.remove(1);
        (step.place.to_string(), step.label)
    };
    let named = EXAMPLE.replace("\"line\": 41", "\"file\": \"pick.src\", \"line\": 41");
    assert_eq!(place(&named), ("pick.src:41".into(), "place".into()));
    let again = write(&read(&named).unwrap());
    assert_eq!(place(&again), ("pick.src:41".into(), "place".into()));
    let bare = EXAMPLE.replace(", \"line\": 41", "");
    assert_eq!(place(&bare), ("a.motion.json:7".into(), "place".into()));
    let no_name = EXAMPLE.replace("\"label\": \"place\", ", "");
    assert_eq!(place(&no_name).1, "line 41");
    // Brackets and quotes of a text, and other lists, are nothing to count.
    let texts = EXAMPLE
        .replacen("\"units\"", "\"name\": \"a \\\"[{ moves\", \"units\"", 1)
        .replacen(
            "\"moves\": [",
            "\"unknown\": [\n{\"reason\": \"\\\\\"}],\n\"moves\": [",
            1,
        );
    assert_eq!(place(&texts).0, "a.motion.json:9");
}

#[test]
fn a_program_that_goes_round_is_written_so() {
    let text = EXAMPLE.replacen("\"moves\"", "\"goes_round\": true, \"moves\"", 1);
    for (text, goes_round) in [(EXAMPLE, false), (&text, true)] {
        let motion = read(text).unwrap();
        assert_eq!(motion.program.goes_round, goes_round);
        assert_eq!(
            read(&write(&motion)).unwrap().program.goes_round,
            goes_round
        );
    }
}

#[test]
fn an_arc_says_how_the_tool_turns() {
    let arc = |turning: &str| {
        let via = r#""via": {"pose": {"xyz": [1, 2, 3]}, "frame": "base"}"#;
        let kind = format!(r#""move": "circular", {turning} {via}"#);
        EXAMPLE.replace(r#""move": "linear""#, &kind)
    };
    for (text, right) in [
        ("", ArcTurning::Still),
        (r#""turning": "still","#, ArcTurning::Still),
        (r#""turning": "along","#, ArcTurning::Along),
    ] {
        let motion = read(&arc(text)).unwrap();
        let again = read(&write(&motion)).unwrap();
        for program in [&motion.program, &again.program] {
            let MoveKind::Circular { turning, .. } = program.moves[1].kind else {
                panic!("{:?}", program.moves[1].kind)
            };
            assert_eq!(turning, right);
        }
    }
    let line = EXAMPLE.replace(
        r#""move": "linear""#,
        r#""move": "linear", "turning": "along""#,
    );
    let told = read(&line).unwrap_err().to_string();
    assert!(told.contains("only an arc has a `turning`"), "{told}");
}

#[test]
fn every_value_has_its_unit() {
    let slide = EXAMPLE
        .replace("-90, 0]}", "-90, 30]}")
        .replace("\"units\"", "\"slides\": [\"wrist_3_joint\"], \"units\"");
    let motion = read(&slide).unwrap();
    let Target::Joints(q) = &motion.program.moves[0].target else {
        panic!()
    };
    assert!((q[5] - 0.030).abs() < 1e-15, "{q:?}");
    let radians = EXAMPLE
        .replace("\"deg\"", "\"rad\"")
        .replace("\"mm\"", "\"m\"");
    let Target::Joints(q) = &read(&radians).unwrap().program.moves[0].target else {
        panic!()
    };
    assert_eq!(q[1], -90.0);
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_remedy() {
    let cases = [
        (
            "\"move\": \"linear\"",
            "\"move\": \"lin\"",
            "unknown word `lin`",
        ),
        ("\"units\"", "\"unit\"", "unknown key `unit`"),
        (
            "\"clearance_motion\": 1",
            "\"clearance_motion\": 2",
            "version 2",
        ),
        (
            "\"tool\": \"gripper\"",
            "\"tool\": \"welder\"",
            "no tool `welder`",
        ),
        (
            ", \"branch\": \"continued\"",
            "",
            "which of the arm's configurations",
        ),
        (
            "[0, -90, 90, -90, -90, 0]",
            "[0, -90]",
            "2 values for 6 joints",
        ),
        (
            "\"zone\": \"stop\"",
            "\"zone\": {\"radius\": -1}",
            "radius is -1",
        ),
        ("\"zone\": \"stop\", ", "", "the key `zone` is missing"),
        (
            "\"rpy\": [180, 0, -90]",
            "\"rpy\": [180, 0, -90], \"rotvec\": [0, 0, 0]",
            "stated twice",
        ),
        // Which of two tools of one name counts is not told.
        (
            "\"tools\":  { ",
            "\"tools\":  { \"gripper\": {\"link\": \"tool0\", \"pose\": {\"xyz\": [0, 0, 1]}}, ",
            "`gripper` is stated twice",
        ),
        (
            "\"rpy\": [180, 0, -90]",
            "\"quaternion\": {\"w\": 2, \"x\": 0, \"y\": 0, \"z\": 0}",
            "length 1",
        ),
    ];
    for (from, to, expected) in cases {
        assert!(EXAMPLE.contains(from), "{from}");
        let error = read(&EXAMPLE.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(expected), "{from}: {error}");
        assert!(error.contains("a.motion.json"), "{error}");
    }
}

#[test]
fn the_schema_knows_every_field_of_the_example() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    let example: serde_json::Value = serde_json::from_str(EXAMPLE).unwrap();
    for key in example.as_object().unwrap().keys() {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
}
