//! Programs as people write them, good and broken.

mod ros;

use std::path::Path;

use clearance_proof::model::Quantity;
use proptest::prelude::*;

use super::*;
use ros::{ROS2, display};

fn read(name: &str, text: &str) -> Result<Program, ImportError> {
    parse(Path::new(name), text.as_bytes())
}

fn good(name: &str, text: &str) -> Program {
    read(name, text).unwrap_or_else(|e| panic!("{e}"))
}

/// Asserts that the error starts with a place and contains some words.
#[track_caller]
fn refuses(name: &str, text: &str, place: &str, words: &[&str]) {
    let message = read(name, text).unwrap_err().to_string();
    assert!(message.starts_with(place), "`{message}` is not at {place}");
    for word in words {
        assert!(message.contains(word), "`{message}` lacks `{word}`");
    }
}

#[test]
fn a_table_with_units_comments_and_spaces() {
    let p = good(
        "a.CSV",
        "\u{feff}# taught by hand\r\n\r\n time[ms] , shoulder [deg], rail[mm],elbow\r\n0, 180, 250, 0.5\r\n  # half way\r\n\r\n500,-90,0,\"1e-3\"\r\n",
    );
    assert!(p.timed);
    let names: Vec<_> = p
        .columns
        .iter()
        .map(|c| (c.joint.as_ref(), c.line, c.quantity))
        .collect();
    assert_eq!(
        names,
        [
            ("shoulder", Some(3), Quantity::Angle),
            ("rail", Some(3), Quantity::Length),
            ("elbow", Some(3), Quantity::Unstated)
        ]
    );
    assert_eq!(*p.waypoints[0].positions, [std::f64::consts::PI, 0.25, 0.5]);
    assert_eq!((p.waypoints[0].time, p.waypoints[0].line), (0.0, 4));
    assert_eq!(
        *p.waypoints[1].positions,
        [-std::f64::consts::FRAC_PI_2, 0.0, 1e-3]
    );
    assert_eq!((p.waypoints[1].time, p.waypoints[1].line), (0.5, 7));
}

#[test]
fn times_without_a_unit_are_known() {
    for (header, bare) in [("time,a", true), ("time[s],a", false), ("a,b", false)] {
        let program = good("a.csv", &format!("{header}\n0,1\n1,1\n"));
        assert_eq!(program.bare_times, bare, "{header}");
    }
    assert!(!good("a.json", &display("[2,1]")).bare_times);
}

#[test]
fn without_times_waypoints_are_numbered() {
    let p = good("a.csv", "a\n0.5\n0.6\n\n0.7");
    assert!(!p.timed);
    let rows: Vec<_> = p
        .waypoints
        .iter()
        .map(|w| (w.time, w.positions[0], w.line))
        .collect();
    assert_eq!(rows, [(0.0, 0.5, 2), (1.0, 0.6, 3), (2.0, 0.7, 5)]);
}

/// Regression: a separator within a quoted name was taken for one of the header's.
#[test]
fn a_quoted_name_may_hold_other_separators() {
    for (text, name) in [
        ("time,\"a;b\",c\n0,1,2\n", "a;b"),
        ("\u{feff}\"a,b\";time;c\n1;0;2\n", "a,b"),
        ("time\t\"say \"\"a,b;c\"\"\"\tc\n0\t1\t2\n", "say \"a,b;c\""),
    ] {
        let p = good("a.csv", text);
        assert_eq!(
            (p.columns[0].joint.as_ref(), p.waypoints[0].positions[0]),
            (name, 1.0),
            "{text}"
        );
    }
    refuses("a.csv", "time,a\"x;y\"\n0,1\n", "a.csv:1", &["mixes"]);
}

#[test]
fn other_separators_and_line_ends() {
    for text in [
        "time;a;b\n0;1;2\n1;3;4\n",
        "time\ta\tb\n0\t1\t2\n1\t3\t4",
        "a,time,b\r1,0,2\r3,1,4\r",
        // The reader takes the row with the blank in front for one that is passed over.
        "a,time,b\r1,0,2\n # taught\r3,1,4\r",
        "a,time,b\r\n1,0,2\r\n3,1,4\r\n# taught\r\n#\r\r\n#\r",
    ] {
        let p = good("a.csv", text);
        assert_eq!(*p.waypoints[1].positions, [3.0, 4.0], "{text:?}");
        let line = 3 + usize::from(text.contains(" #"));
        assert_eq!((p.waypoints[1].time, p.waypoints[1].line), (1.0, line));
    }
}

#[test]
fn tables_that_cannot_be_meant() {
    let csv = |text, place, words: &[&str]| refuses("p.csv", text, place, words);
    csv("", "p.csv: ", &["the file is empty", "expected"]);
    csv("# nothing\n", "p.csv: ", &["no header"]);
    csv("time,a\n", "p.csv:1: ", &["program is empty"]);
    csv("time\n0\n", "p.csv:1: ", &["names no joint"]);
    csv(
        "time,a,b\n0,1,2\n\n1,2\n",
        "p.csv:4: ",
        &["2 values where the header has 3 columns"],
    );
    csv("time,a\n0,1,5\n", "p.csv:2: ", &["decimal commas"]);
    csv(
        "time;a\n0;1,5\n",
        "p.csv:2:2: ",
        &["`a` is `1,5`", "decimal commas"],
    );
    csv(
        "time,a\n0,nan\n",
        "p.csv:2:2: ",
        &["`a` is `nan`", "finite"],
    );
    csv("time,a\n0,1\n1,-inf\n", "p.csv:3:2: ", &["finite"]);
    // Finite as it stands there, and not in radians.
    csv(
        "time,a[deg]\n0,1e308\n",
        "p.csv:2:2: ",
        &["`a` is `1e308`", "finite"],
    );
    csv("time,a\n0,1\n1,\n", "p.csv:3:2: ", &["`a` is missing"]);
    csv(
        "time,a\n0,90deg\n",
        "p.csv:2:2: ",
        &["units go into the header"],
    );
    csv(
        "time,a\n0,1\n1,2\n1,3\n",
        "p.csv:4:1: ",
        &["times must increase", "line 3"],
    );
    csv(
        "time,a\n2,1\n1,2\n",
        "p.csv:3:1: ",
        &["times must increase"],
    );
    csv(
        "# x\ntime,a,b,a\n",
        "p.csv:2:4: ",
        &["`a` occurs twice (columns 2 and 4)"],
    );
    csv("time,a,Time\n", "p.csv:1:3: ", &["`time` occurs twice"]);
    csv("a[deg],a[rad]\n1,2", "p.csv:1:2: ", &["occurs twice"]);
    csv(
        "time,a[furlong]\n",
        "p.csv:1:2: ",
        &["unknown unit of a joint `furlong`", "deg"],
    );
    csv(
        "time[deg],a\n",
        "p.csv:1:1: ",
        &["unknown unit of time `deg`", "ms"],
    );
    csv(
        "time,a[ms]\n",
        "p.csv:1:2: ",
        &["unknown unit of a joint `ms`", "call it `time[ms]`"],
    );
    csv("time,a[deg\n", "p.csv:1:2: ", &["not closed"]);
    csv("time,a (deg)\n", "p.csv:1:2: ", &["write `a[deg]`"]);
    csv("time,,a\n", "p.csv:1:2: ", &["no name"]);
    csv("time,[deg]\n", "p.csv:1:2: ", &["no name"]);
    csv(
        "0,1,2\n1,2,3\n",
        "p.csv:1:1: ",
        &["number 0 in place of a name"],
    );
    csv(
        "time,a,vel:a\n",
        "p.csv:1:3: ",
        &["not supported", "ROS trajectory"],
    );
    csv("time;a,b\n", "p.csv:1: ", &["mixes"]);
    csv(
        "time,a\n#\"x\" y\n0,1\n1,\"-0.7\"5\n",
        "p.csv:4: ",
        &["text stands behind a closing quote"],
    );
    csv(
        "time,a\n0,1\n1,\"2\n2,3\n",
        "p.csv:3: ",
        &["quote is not closed"],
    );
    // A comment ends with a line feed only, and the row behind it would be part of it.
    for (text, place) in [
        ("time,a\n0,0\n# x\r0.5,1\n1,0\n", "p.csv:3: "),
        ("# x\rtime,a\r0,0\r1,0\r", "p.csv:1: "),
        ("\u{feff}#x\rtime,b\ntime,a\n0,0\n", "p.csv:1: "),
        ("time,a\r0,0\r\r#\r0.5,1\r1,0", "p.csv:4: "),
    ] {
        let said = ["a carriage return without a line feed", "comment", "save"];
        csv(text, place, &said);
    }
    csv(
        "time,a\n # it's,\"open\n0,1\n1,2\n",
        "p.csv:2: ",
        &["quote is not closed"],
    );
}

#[test]
fn files_that_are_no_programs() {
    for (name, bytes) in [
        ("m.stl", b"solid x\nfacet normal 0 0 0\n".as_slice()),
        ("m.bin", &[1, 2, 0, 3]),
        ("m.txt", b"hello"),
        ("m.csv", b"\xff\xfe\x00"),
        ("m.bag", b"#ROSBAG V2.0\n\x00"),
        ("m.csv", b"time,a\n0,\xff\n"),
    ] {
        let error = parse(Path::new(name), bytes).unwrap_err().to_string();
        assert!(error.starts_with(name) && error.contains("; "), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(
        load(folder.path())
            .unwrap_err()
            .to_string()
            .contains("directory")
    );
    let missing = load(&folder.path().join("no.csv")).unwrap_err().to_string();
    assert!(missing.contains("no.csv: cannot be read"), "{missing}");
    std::fs::write(folder.path().join("table"), "time,a\n0,1\n").unwrap();
    assert_eq!(
        load(&folder.path().join("table")).unwrap().waypoints.len(),
        1
    );
}

#[test]
fn long_programs_are_read_in_full() {
    let (points, joints) = (5000, 12);
    let list = |i: usize| {
        (0..joints)
            .map(|j| format!("{}", (i * j) as f64 * 1e-4))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let names = (0..joints)
        .map(|j| format!("\"j{j}\""))
        .collect::<Vec<_>>()
        .join(", ");
    let mut yaml = format!("joint_names: [{names}]\npoints:\n");
    let mut json = format!("{{\"joint_names\": [{names}], \"points\": [\n");
    for i in 0..points {
        let q = list(i);
        yaml += &format!(
            "- positions: [{q}]\n  velocities: [{q}]\n  accelerations: [{q}]\n  time_from_start: {{sec: {i}, nanosec: 5}}\n"
        );
        let comma = if i + 1 < points { "," } else { "" };
        json += &format!(
            "{{\"positions\": [{q}], \"velocities\": [{q}], \"accelerations\": [{q}], \"time_from_start\": {i}}}{comma}\n"
        );
    }
    json += "]}";
    for (name, text, line) in [
        ("t.yaml", &yaml, 3 + 4 * (points - 1)),
        ("t.json", &json, 2 + points - 1),
    ] {
        let p = good(name, text);
        assert_eq!(p.waypoints.len(), points);
        let last = &p.waypoints[points - 1];
        assert_eq!(last.line, line, "{name}");
        assert_eq!(
            last.accelerations.as_ref().unwrap()[11],
            (4999 * 11) as f64 * 1e-4
        );
    }
}

#[test]
fn a_small_file_cannot_grow_large() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for i in 1..12 {
        let refs = vec![format!("*a{}", i - 1); 9].join(", ");
        bomb += &format!("a{i}: &a{i} [{refs}]\n");
    }
    bomb += "joint_names: [a]\npoints: []\n";
    assert!(read("t.yaml", &bomb).is_err());
    assert!(read("t.yaml", &"[".repeat(100_000)).is_err());
    assert!(read("t.json", &"[".repeat(100_000)).is_err());
    assert!(
        read(
            "t.json",
            &format!("{}1{}", "{\"a\":".repeat(5_000), "}".repeat(5_000))
        )
        .is_err()
    );
}

/// The properties that a program must always have, whatever the text was.
fn assert_sound(p: &Program) {
    assert!(!p.columns.is_empty() && !p.waypoints.is_empty());
    for w in &p.waypoints {
        assert!(w.time.is_finite() && w.line >= 1);
        for values in [
            Some(&w.positions[..]),
            w.velocities.as_deref(),
            w.accelerations.as_deref(),
        ]
        .into_iter()
        .flatten()
        {
            assert_eq!(values.len(), p.columns.len());
            assert!(values.iter().all(|v| v.is_finite()));
        }
    }
    assert!(p.waypoints.windows(2).all(|w| w[0].time <= w[1].time));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Truncated, spliced and damaged programs: an answer or an error, never a panic and never an
    /// unsound program.
    #[test]
    fn damaged_programs_never_panic(
        which in 0..5_usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>(), 0..24_usize), 0..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let display = display("[2,1]");
        let (name, text) = [
            ("p.csv", "time[ms],a[deg],b\n0,1,2\n# c\n10,3,4\n20,-5e1,6\n"),
            ("p.yaml", ROS2),
            ("p.json", display.as_str()),
            ("p", ROS2),
            ("p.txt", "time;a;b\n0;1;2\n1;\"3\";4\n"),
        ][which];
        let mut bytes = text.as_bytes().to_vec();
        for (index, kind, byte, length) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = index.index(bytes.len());
            let end = (at + length).min(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, b"\"'[]{},;:-#&*!|>%\n\t .eE01"[byte as usize % 25]),
                2 => drop(bytes.drain(at..end)),
                _ => {
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        match parse(Path::new(name), &bytes) {
            Ok(program) => assert_sound(&program),
            Err(error) => prop_assert!(error.to_string().starts_with(name)),
        }
    }
}
