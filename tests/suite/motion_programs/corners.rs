//! Corners that a controller may round, from the file to the verdict.

use std::process::Command;

use serde_json::Value;

/// Two slides or hinges carry a ball round a corner; a peg stands inside of it, where the way
/// through the taught points does not come. The ball can be lifted.
struct Table {
    folder: tempfile::TempDir,
}

impl Table {
    /// A ball on a chain of two joints, and a program through three points of which the second is
    /// rounded. A joint is its type, its axis and the link that it moves to.
    fn new(joints: [&str; 2], points: [[f64; 2]; 3]) -> Self {
        let table = Table {
            folder: tempfile::tempdir().unwrap(),
        };
        let limit = r#"<limit lower="-3" upper="3" velocity="1" effort="1"/>"#;
        let urdf = format!(
            r#"<robot name="table"><link name="base"/><link name="middle"/><link name="end"/><link name="lifted"/><link name="ball"><collision>
            <geometry><sphere radius="0.01"/></geometry></collision></link>
            <joint name="x" {}<parent link="base"/><child link="middle"/>{limit}</joint>
            <joint name="y" {}<parent link="middle"/><child link="end"/>{limit}</joint>
            <joint name="lift" type="prismatic"><axis xyz="0 0 1"/><parent link="end"/><child link="lifted"/>{limit}</joint>
            <joint name="tip" type="fixed"><origin xyz="0.5 0 0"/><parent link="lifted"/><child link="ball"/></joint></robot>"#,
            joints[0], joints[1],
        );
        table.write("table.urdf", &urdf);
        let slides = if joints[0].contains("prismatic") {
            r#"["x", "y"]"#
        } else {
            "[]"
        };
        let moves = (points.iter().zip(["stop", "unknown", "stop"]).enumerate())
            .map(|(k, ([x, y], zone))| {
                let line = 10 * (k + 1);
                format!(
                    r#"{{"move": "joint", "to": {{"joints": [{x}, {y}]}}, "tool": "tip", "zone": "{zone}", "label": "p{k}", "file": "way.src", "line": {line}}}"#
                )
            })
            .collect::<Vec<_>>()
            .join(", ");
        let program = format!(
            r#"{{"clearance_motion": 1, "units": {{"length": "m", "angle": "rad"}}, "joints": ["x", "y"], "slides": {slides},
            "tools": {{"tip": {{"link": "ball", "pose": {{"xyz": [0, 0, 0]}}}}}}, "moves": [{moves}]}}"#
        );
        std::fs::create_dir(table.folder.path().join("library")).unwrap();
        table.write("library/corner.motion.json", &program);
        table
    }

    /// The ball goes along x from (0, 0) to (1, 0), then along y to (1, 1).
    fn sliding() -> Self {
        Table::new(
            [
                r#"type="prismatic"><axis xyz="1 0 0"/>"#,
                r#"type="prismatic"><axis xyz="0 1 0"/>"#,
            ],
            [[-0.5, 0.0], [0.5, 0.0], [0.5, 1.0]],
        )
    }

    /// Two links of half a metre. What lies within the rounded corner reaches 0.28 m beyond the box
    /// around the path.
    fn turning() -> Self {
        Table::new(
            [
                r#"type="revolute"><axis xyz="0 0 1"/>"#,
                r#"type="revolute"><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>"#,
            ],
            [[2.35, 2.0], [-0.19, 1.94], [0.96, -2.38]],
        )
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn peg(&self, [x, y]: [f64; 2]) {
        self.pegs(&[("peg", [x, y, 0.0])]);
    }

    fn pegs(&self, pegs: &[(&str, [f64; 3])]) {
        let mut cell = "[[robot]]\nurdf = \"table.urdf\"\n".to_owned();
        for (name, [x, y, z]) in pegs {
            cell += &format!(
                "[[obstacle]]\nname = \"{name}\"\nsphere = 0.02\npose = {{ xyz = [{x}, {y}, {z}] }}\n"
            );
        }
        self.write("cell.toml", &cell);
    }

    /// Adds to the cell file.
    fn also(&self, more: &str) {
        let cell = std::fs::read_to_string(self.folder.path().join("cell.toml")).unwrap();
        self.write("cell.toml", &format!("{cell}{more}"));
    }

    /// The ball and the peg `side` have a threshold that they come to within a picometre, where the
    /// ball passes it 50 mm beside its centre: at 20 mm that stays undecided.
    fn undecided_beside(&self, at: [f64; 2], others: &[(&str, [f64; 3])]) {
        let mut pegs = others.to_vec();
        pegs.push(("side", [at[0], at[1], 0.0]));
        self.pegs(&pegs);
        self.also("[[pair]]\na = \"ball\"\nb = \"side\"\nclearance = 0.019999999999\n");
    }

    fn events(&self, text: &str) {
        self.write("library/corner.motion.events.toml", text);
    }

    fn run(&self, words: &str) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_clearance"))
            .args(words.split_whitespace())
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap(), said)
    }

    fn batch(&self, words: &str) -> String {
        let words = format!("batch --cell cell.toml --no-cache --quiet library {words}");
        let said = self.run(&words).1;
        // The last line has the verdict.
        said.lines().last().unwrap_or_default().to_owned()
    }

    /// The answer as JSON, for the only program.
    fn check(&self, words: &str) -> Value {
        let words = format!(
            "check --cell cell.toml --no-cache --report json library/corner.motion.json {words}"
        );
        let said: Value = serde_json::from_str(&self.run(&words).1).unwrap();
        said["programs"][0].clone()
    }
}

#[test]
fn a_peg_inside_a_rounded_corner_is_never_clear_nor_taken_over_from_a_cell_without_it() {
    for (table, inside) in [
        (Table::sliding(), [0.8, 0.2]),
        (Table::turning(), [0.269, 0.839]),
    ] {
        table.peg([1.5, -0.5]);
        let first = table.batch("--results old.jsonl");
        assert!(first.starts_with("CLEAR"), "{first}");
        table.peg(inside);
        for words in ["", "--baseline old.jsonl --results new.jsonl"] {
            let said = table.batch(words);
            assert!(said.starts_with("POSSIBLE"), "{words}: {said}");
        }
    }
    let table = Table::sliding();
    table.peg([0.8, 0.2]);
    let exact = table.batch("--corners exact --results exact.jsonl");
    assert!(exact.starts_with("CLEAR"), "{exact}");
    // A result that --corners exact has proved does not answer the question about corners.
    let resumed = table.batch("--results exact.jsonl --resume");
    assert!(resumed.starts_with("POSSIBLE"), "{resumed}");
}

#[test]
fn every_report_says_what_is_possible_in_a_corner() {
    let table = Table::sliding();
    table.peg([0.8, 0.2]);
    let (code, text) = table.run(
        "check --cell cell.toml --no-cache library/corner.motion.json --report junit=j.xml --report sarif=s.json \
         --report markdown=m.md --report html=h.html --report json=a.json --report text",
    );
    assert_eq!(code, 1);
    assert!(text.starts_with("POSSIBLE"), "{text}");
    assert!(
        text.contains("in the rounded corner at the end of the joint move to `p1` (way.src:20)"),
        "{text}"
    );
    assert!(text.contains("ball against peg"), "{text}");
    assert!(text.contains("in the hull of the corner"), "{text}");
    let read = |name: &str| std::fs::read_to_string(table.folder.path().join(name)).unwrap();
    assert!(read("j.xml").contains("<failure type=\"possible\""));
    let sarif: Value = serde_json::from_str(&read("s.json")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "possible", "{result}");
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 20, "{result}");
    assert!(read("m.md").contains("1 possible"), "{}", read("m.md"));
    assert!(read("h.html").contains("\"in_corner\":true"));
    let json: Value = serde_json::from_str(&read("a.json")).unwrap();
    let program = &json["programs"][0];
    assert_eq!(program["verdict"], "possible");
    assert!(program["error"].is_null(), "{program}");
    let contact = &program["first_contact"];
    assert_eq!(
        (&contact["kind"], &contact["in_corner"]),
        (&"possible".into(), &true.into())
    );
    assert_eq!(
        (&contact["segment"], &contact["time"]),
        (&0.into(), &1.0.into())
    );
    assert_eq!(
        (&contact["free_until"], &contact["until"]),
        (&0.5.into(), &1.5.into())
    );
}

#[test]
fn with_all_a_collision_does_not_hide_what_is_possible_in_a_corner() {
    let table = Table::sliding();
    table.pegs(&[("late", [1.0, 0.9, 0.0]), ("peg", [0.8, 0.2, 0.0])]);
    let program = table.check("--all");
    assert_eq!(program["verdict"], "collision");
    assert_eq!(program["first_contact"]["b"], "late");
    let found = program["contacts"].as_array().unwrap();
    let kinds: Vec<_> = found.iter().map(|c| (&c["b"], &c["kind"])).collect();
    let expected = [
        (&Value::from("peg"), &Value::from("possible")),
        (&Value::from("late"), &Value::from("contact")),
    ];
    assert_eq!(kinds, expected, "{program}");
}

/// Regression: a corner that is open made `possible`, which says that the way through the taught
/// points is proved clear, of one that is undecided, and told the corner's `free_until`.
#[test]
fn an_open_corner_does_not_hide_that_the_way_is_undecided() {
    let table = Table::sliding();
    let peg = [("peg", [0.8, 0.2, 0.0])];
    for (side, first, free_until) in [
        ([0.3, -0.05], 0.3, 0.3),
        // After the corner, which is open from 0.5 on.
        ([1.05, 0.8], 1.8, 0.5),
    ] {
        table.undecided_beside(side, &peg);
        let exact = table.check("--resolution 20mm --corners exact");
        assert_eq!(exact["verdict"], "undecided", "{exact}");
        let program = table.check("--resolution 20mm --all");
        assert_eq!(program["verdict"], "undecided", "{program}");
        let contact = &program["first_contact"];
        assert_eq!(
            (&contact["b"], &contact["kind"]),
            (&"side".into(), &"unresolved".into())
        );
        let number = |key: &str| contact[key].as_f64().unwrap();
        assert!((number("time") - first).abs() < 0.05, "{program}");
        assert!(number("free_until") <= free_until, "{program}");
        let found = program["contacts"].as_array().unwrap();
        assert!(found.iter().any(|c| c["b"] == "peg"), "{program}");
    }
}

/// Regression: whatever an event did, `possible` of the phase behind it hid that the one before it is
/// undecided.
#[test]
fn an_event_does_not_hide_that_the_way_is_undecided() {
    let table = Table::sliding();
    let pegs = [("late", [1.05, 0.8, 0.0]), ("far", [1.5, -0.5, 0.0])];
    table.undecided_beside([0.3, -0.05], &pegs);
    table.also("[uncertainty]\nobstacle = { late = { xyz = \"21mm\" } }\n");
    let allow = "[[event]]\nwaypoint = 2\nallow = [\"ball\", \"far\"]\nreason = \"test\"\n";
    for events in ["", allow] {
        table.events(events);
        let program = table.check("--resolution 20mm --corners exact --all");
        assert_eq!(program["verdict"], "undecided", "{events}: {program}");
        assert_eq!(program["first_contact"]["b"], "side", "{events}: {program}");
        let found = program["contacts"].as_array().unwrap();
        let late = |c: &Value| (&c["b"], &c["kind"]) == (&"late".into(), &"possible".into());
        assert!(found.iter().any(late), "{events}: {program}");
    }
}

/// Regression: before a later contact all was said to be free, the open corner too.
#[test]
fn all_is_free_only_until_the_first_open_corner() {
    let table = Table::sliding();
    table.pegs(&[("late", [1.0, 0.9, 0.0]), ("peg", [0.8, 0.2, 0.0])]);
    let program = table.check("");
    assert_eq!(program["verdict"], "collision", "{program}");
    let contact = &program["first_contact"];
    assert_eq!(
        (&contact["b"], &contact["free_until"]),
        (&"late".into(), &0.5.into())
    );
    // What errors may do comes before the tip of the corner, and after where it begins.
    table.pegs(&[("peg", [0.8, 0.2, 0.0]), ("side", [0.8, -0.05, 0.0])]);
    table.also("[uncertainty]\nobstacle = { side = { xyz = \"21mm\" } }\n");
    let program = table.check("");
    assert_eq!(program["verdict"], "possible", "{program}");
    let contact = &program["first_contact"];
    assert_eq!(
        (&contact["b"], &contact["free_until"]),
        (&"side".into(), &0.5.into())
    );
    assert!(contact["in_corner"].is_null(), "{program}");
}

/// Regression: a limit that was spent was not told where it was spent in corners, and a corner that
/// nobody had looked at was `possible`, or hid a collision of the way.
#[test]
fn a_corner_for_which_there_is_no_time_is_undecided() {
    let limits = "1ns 5us 20us 50us 100us 200us 500us 1ms 2ms 5ms 10ms";
    for (table, peg, whole) in [
        (Table::turning(), [1.5, -0.5], "clear"),
        (Table::sliding(), [1.0, 0.9], "collision"),
    ] {
        table.peg(peg);
        assert_eq!(table.check("")["verdict"], whole);
        let mut given_up = 0;
        for limit in limits.split(' ') {
            let program = table.check(&format!("--time-limit {limit}"));
            if program["given_up_after"].is_null() {
                assert_eq!(program["verdict"], whole, "{limit}: {program}");
                continue;
            }
            given_up += 1;
            let error = program["error"].as_str().unwrap();
            assert!(error.contains("time limit"), "{limit}: {program}");
            let verdict = program["verdict"].as_str().unwrap();
            let found = verdict == "undecided" || verdict == whole && whole == "collision";
            assert!(found, "{limit}: {program}");
        }
        assert!(given_up > 0);
    }
}

/// Events cut the motion into phases, in each of which the corner is proved that may be passed
/// then.
#[test]
fn corners_are_proved_between_events() {
    let table = Table::sliding();
    table.pegs(&[("peg", [0.8, 0.2, 0.0]), ("far", [1.5, -0.5, 0.0])]);
    let allow = |from: f64, until: f64| {
        table.events(&format!(
            "[[event]]\nwaypoint = {from}\nallow = [\"ball\", \"peg\"]\nuntil_waypoint = {until}\nreason = \"test\"\n"
        ));
    };
    // The corner is passed from waypoint 1.5 to 2.5.
    for (from, until, verdict) in [
        (1.0, 3.0, "clear"),
        (1.4, 2.6, "clear"),
        (1.6, 3.0, "possible"),
        (1.0, 2.4, "possible"),
        (2.6, 3.0, "possible"),
    ] {
        allow(from, until);
        let program = table.check("");
        assert_eq!(program["verdict"], verdict, "{from} {until}: {program}");
    }
    table.pegs(&[("peg", [1.5, 0.5, 0.0]), ("far", [1.5, -0.5, 0.0])]);
    assert_eq!(table.check("")["verdict"], "clear");
}

/// The peg is where the ball comes only when it is lifted, and only an event lifts it.
#[test]
fn a_corner_is_proved_with_the_joints_where_events_have_moved_them() {
    let table = Table::sliding();
    table.pegs(&[("peg", [0.8, 0.2, 0.3])]);
    let lift = |at: f64, duration: f64, value: f64| {
        table.events(&format!(
            "[[event]]\nwaypoint = {at}\nmove = \"lift\"\nvalue = {value}\nduration = {duration}\n"
        ));
    };
    assert_eq!(table.check("")["verdict"], "clear");
    for (at, duration, value, verdict) in [
        // Before the corner, there to stay.
        (1.0, 0.2, 0.3, "possible"),
        // On its way through that height.
        (1.0, 2.0, 0.6, "possible"),
        (2.4, 0.1, 0.6, "possible"),
        // Beside it, or after the corner.
        (1.0, 0.2, 0.2, "clear"),
        (2.6, 0.2, 0.3, "clear"),
    ] {
        lift(at, duration, value);
        let program = table.check("");
        assert_eq!(
            program["verdict"], verdict,
            "{at} {duration} {value}: {program}"
        );
    }
}

#[test]
fn what_is_taken_or_left_inside_a_corner_leaves_it_open() {
    let table = Table::sliding();
    table.pegs(&[("part", [0.5, 0.03, 0.0]), ("far", [1.5, -0.5, 0.0])]);
    let take = |at: f64, release: f64| {
        table.events(&format!(
            "[[event]]\nwaypoint = {at}\nattach = \"part\"\nto = \"ball\"\n\n[[event]]\nwaypoint = {release}\nrelease = \"part\"\n"
        ));
    };
    // The part goes along: it reaches what the ball alone passes by.
    take(1.3, 2.7);
    let program = table.check("");
    assert_eq!(program["verdict"], "clear", "{program}");
    table.pegs(&[("part", [0.5, 0.03, 0.0]), ("wall", [1.1, 0.33, 0.0])]);
    assert_eq!(table.check("")["verdict"], "possible");
    take(1.3, 2.2);
    let program = table.check("");
    assert_eq!(program["verdict"], "undecided", "{program}");
    let error = program["error"].as_str().unwrap();
    assert!(
        error.contains("corner.motion.events.toml:6") && error.contains("takes or leaves"),
        "{error}"
    );
}

/// A loop passes corners that stand on one line: those that differ are proved each by itself, in one
/// program and in several. Catches a corner that is taken for another one that was proved before.
#[test]
fn corners_of_one_line_are_told_apart() {
    let table = Table::sliding();
    // From the left and up, round the point (0.5, y).
    let corner = |y: f64| {
        let moves = [
            ([-0.5, y], "stop"),
            ([0.5, y], "unknown"),
            ([0.5, y + 1.0], "stop"),
        ];
        let step = |([x, y], zone): ([f64; 2], &str)| {
            format!(
                r#"{{"move": "joint", "to": {{"joints": [{x}, {y}]}}, "tool": "tip", "zone": "{zone}", "file": "way.src", "line": 20}}"#
            )
        };
        moves.map(step).join(", ")
    };
    let write = |name: &str, corners: &[f64]| {
        let moves: Vec<String> = corners.iter().map(|&y| corner(y)).collect();
        let program = format!(
            r#"{{"clearance_motion": 1, "units": {{"length": "m", "angle": "rad"}}, "joints": ["x", "y"], "slides": ["x", "y"],
            "tools": {{"tip": {{"link": "ball", "pose": {{"xyz": [0, 0, 0]}}}}}}, "moves": [{}]}}"#,
            moves.join(", ")
        );
        table.write(&format!("library/{name}.motion.json"), &program);
    };
    let verdicts = |table: &Table| {
        let words = "check --cell cell.toml --no-cache --threads 1 --report json library/a.motion.json library/b.motion.json";
        let said: Value = serde_json::from_str(&table.run(words).1).unwrap();
        let verdict = |k: usize| said["programs"][k]["verdict"].as_str().unwrap().to_owned();
        [verdict(0), verdict(1)]
    };
    // Within the corner at y = 1.5 only.
    table.peg([0.8, 1.7]);
    for (first, second, expected) in [
        (&[0.0, 0.0][..], &[0.0][..], ["clear", "clear"]),
        (&[0.0, 1.5], &[0.0], ["possible", "clear"]),
        (&[0.0, 0.0], &[0.0, 0.0, 1.5], ["clear", "possible"]),
        (&[1.5, 0.0], &[1.5], ["possible", "possible"]),
    ] {
        write("a", first);
        write("b", second);
        assert_eq!(verdicts(&table), expected, "{first:?}, {second:?}");
    }
}

/// Regression: the answer for a corner was kept for the same corner with joints elsewhere, where only
/// events move them: with the ball lifted to the peg it was `clear`, if another program, or this one
/// before, passed it with the ball down.
#[test]
fn an_answer_for_a_corner_holds_for_joints_where_they_were() {
    let table = Table::sliding();
    table.pegs(&[("peg", [0.8, 0.2, 0.3])]);
    let corner = r#"{"move": "joint", "to": {"joints": [-0.5, 0]}, "tool": "tip", "zone": "stop", "line": 10},
        {"move": "joint", "to": {"joints": [0.5, 0]}, "tool": "tip", "zone": "unknown", "line": 20},
        {"move": "joint", "to": {"joints": [0.5, 1]}, "tool": "tip", "zone": "stop", "line": 30}"#;
    let write = |name: &str, moves: &str, lifted_at: Option<usize>| {
        let program = format!(
            r#"{{"clearance_motion": 1, "units": {{"length": "m", "angle": "rad"}}, "joints": ["x", "y"], "slides": ["x", "y"],
            "tools": {{"tip": {{"link": "ball", "pose": {{"xyz": [0, 0, 0]}}}}}}, "moves": [{moves}]}}"#
        );
        table.write(&format!("library/{name}.motion.json"), &program);
        if let Some(at) = lifted_at {
            let event = format!(
                "[[event]]\nwaypoint = {at}\nmove = \"lift\"\nvalue = 0.3\nduration = 0.1\n"
            );
            table.write(&format!("library/{name}.motion.events.toml"), &event);
        }
    };
    write("down", corner, None);
    write("lifted", corner, Some(1));
    write("twice", &format!("{corner}, {corner}"), Some(4));
    for (programs, expected) in [
        (&["lifted"][..], &["possible"][..]),
        (&["twice"], &["possible"]),
        (&["down", "lifted"], &["clear", "possible"]),
        (&["lifted", "down"], &["possible", "clear"]),
    ] {
        let files: Vec<String> = (programs.iter())
            .map(|name| format!("library/{name}.motion.json"))
            .collect();
        let words = format!(
            "check --cell cell.toml --no-cache --threads 1 --report json {}",
            files.join(" ")
        );
        let said: Value = serde_json::from_str(&table.run(&words).1).unwrap();
        let verdicts = said["programs"].as_array().unwrap().iter();
        let verdicts: Vec<&str> = verdicts.map(|p| p["verdict"].as_str().unwrap()).collect();
        assert_eq!(verdicts, expected, "{programs:?}");
    }
}

/// Regression: strips of a corner that a sampler had looked at made the program `undecided`, as if they
/// had been given up, and the report called clear proved.
#[test]
fn a_sampler_says_nothing_of_corners() {
    let table = Table::sliding();
    table.peg([0.8, 0.2]);
    let program = table.check("--method sampling");
    assert_eq!(program["verdict"], "unverified", "{program}");
    let error = program["error"].as_str().unwrap();
    assert!(error.contains("sampled, not proved"), "{error}");
    let words = "check --cell cell.toml --no-cache --method sampling library/corner.motion.json";
    let (exit, said) = table.run(words);
    assert_eq!(exit, 2, "{said}");
    assert!(!said.contains("proved;"), "{said}");
}
