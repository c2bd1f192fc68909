//! Programs of moves, from the file to the verdict.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use std::process::Command;

use clearance::findings::{Code, Outcome, Severity, Verdict};
use clearance::run::{CacheFolder, CellJob, Job, NoProgress, convert, run};
use serde_json::{Value, json};

use crate::common::real_data;

mod carried;
mod corners;
mod narrow;

const ABOVE: [f64; 6] = [0.3640, 0.6405, -0.0345, 0.0, 0.9648, 0.0640];
const PLACE: [f64; 6] = [0.3640, 0.9298, 0.0181, 0.0, 0.6229, 0.0640];
const TOO_LOW: [f64; 6] = [0.3640, 0.9994, -0.0006, 0.0, 0.5720, 0.0640];
const BESIDE: [f64; 6] = [0.3340, 0.6405, -0.0345, 0.0, 0.9648, 0.0640];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn motion(joints: &[String], moves: &[Value]) -> Value {
    json!({
        "clearance_motion": 1,
        "units": {"length": "mm", "angle": "rad"},
        "joints": joints,
        "frames": {},
        "tools": {"tip": {"link": "tool0", "pose": {"xyz": [0, 0, 100]}}},
        "moves": moves,
    })
}

fn step(kind: &str, to: &[f64], zone: &Value, label: &str, line: usize) -> Value {
    json!({"move": kind, "to": {"joints": to}, "tool": "tip", "zone": zone, "label": label, "file": "way.src", "line": line})
}

fn arm6(moves: &[Value]) -> Value {
    let joints: Vec<String> = (1..=6).map(|k| format!("joint_{k}")).collect();
    motion(&joints, moves)
}

fn ask(program: &Value, set: impl Fn(&mut Job)) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.motion.json");
    std::fs::write(&file, program.to_string()).unwrap();
    let mut job = Job::new(root().join("robots/arm6/cell.toml"), vec![file]);
    job.cell.cache = CacheFolder::Off;
    set(&mut job);
    run(&job, &NoProgress)
}

/// A program for another robot than the cell has must not move this one.
#[test]
fn the_robot_of_a_program_is_one_of_the_cell() {
    let stop = json!("stop");
    let mut program = arm6(&[
        step("joint", &ABOVE, &stop, "above", 3),
        step("joint", &BESIDE, &stop, "beside", 4),
    ]);
    program["robot"] = json!("arm");
    assert_eq!(ask(&program, |_| ()).verdict, Verdict::Clear);
    program["robot"] = json!("left");
    let found = ask(&program, |_| ());
    let said = found.programs[0].error.clone().unwrap_or_default();
    assert_eq!(found.verdict, Verdict::Unverified, "{said}");
    let expected = "the cell has no robot `left`; its robots are `arm`";
    assert!(said.contains(expected), "{said}");
    // In a cell of both: joints of the one, and a program for the other.
    let joints: Vec<String> = (1..=6).map(|k| format!("right/joint_{k}")).collect();
    let mut program = motion(&joints, &[step("joint", &ABOVE, &stop, "above", 3)]);
    program["start"] = json!(BESIDE);
    program["robot"] = json!("left");
    let found = ask(&program, |job| {
        job.cell.source = CellJob::file(root().join("robots/two_arms/cell.toml")).source;
    });
    let said = found.programs[0].error.clone().unwrap_or_default();
    let expected = "`right/joint_1` is no joint of `left`, which the program is for";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn a_share_of_the_speed_is_at_most_all_of_it() {
    let mut one = step("joint", &ABOVE, &json!("stop"), "above", 3);
    one["speed"] = json!({"share": 7});
    let said = ask(&arm6(&[one]), |_| ()).programs[0].error.clone();
    let said = said.unwrap_or_default();
    assert!(said.contains("give a number from 0 to 1"), "{said}");
}

#[test]
fn straight_moves_are_proved_and_a_contact_is_told_by_its_move() {
    let stop = json!("stop");
    let program = |place: &[f64]| {
        arm6(&[
            step("joint", &ABOVE, &stop, "above", 3),
            step("linear", place, &stop, "place", 5),
            step("linear", &ABOVE, &stop, "above", 6),
        ])
    };
    let free = ask(&program(&PLACE), |_| ());
    assert_eq!(free.verdict, Verdict::Clear, "{:?}", free.programs[0].error);
    let one = &free.programs[0];
    assert_eq!(one.waypoints, Some(3));
    assert_eq!(one.moves[0].to, "place");
    let said = |code| one.unchecked.iter().find(|d| d.code == code);
    let start = said(Code::LateStart).unwrap();
    assert_eq!(start.severity, Severity::Unchecked);
    assert!(
        !start.message.contains("nor the corner"),
        "{}",
        start.message
    );
    assert!(said(Code::ToolOrientation).is_none(), "it does not turn");

    let low = ask(&program(&TOO_LOW), |_| ());
    assert_eq!(low.verdict, Verdict::Collision);
    let one = &low.programs[0];
    let contact = one.first_contact.as_ref().unwrap();
    assert_eq!(contact.segment, 0);
    assert!(
        contact.fraction > 0.7 && contact.time == contact.fraction,
        "{contact:?}"
    );
    let move_of_it = &one.moves[contact.segment];
    assert_eq!(
        (move_of_it.kind.as_str(), move_of_it.line),
        ("linear", Some(5))
    );
}

#[test]
fn a_rounded_corner_is_proved_or_leaves_the_program_open() {
    let program = |zone: &Value, tip: &[f64]| {
        arm6(&[
            step("joint", &BESIDE, &json!("stop"), "beside", 1),
            step("linear", &ABOVE, zone, "above", 2),
            step("linear", tip, &json!("stop"), "place", 3),
        ])
    };
    // A corner at the first point lies on a way that is not known.
    let mut first = program(&json!("stop"), &PLACE);
    first["moves"][0]["zone"] = json!({"radius": 5});
    let first = ask(&first, |_| ());
    let said = first.programs[0].unchecked.iter();
    let said: Vec<_> = said.filter(|d| d.code == Code::LateStart).collect();
    assert!(said[0].message.contains("nor the corner there"), "{said:?}");
    let small = program(&json!({"radius": 5}), &PLACE);
    let proved = ask(&small, |_| ());
    assert_eq!(
        proved.verdict,
        Verdict::Clear,
        "{:?}",
        proved.programs[0].error
    );
    let note = |outcome: &Outcome| {
        let said = outcome.programs[0].unchecked.iter();
        said.clone()
            .find(|d| d.code == Code::RoundedCorners)
            .cloned()
    };
    assert_eq!(note(&proved).unwrap().severity, Severity::Note);
    let turned = &proved.programs[0].unchecked;
    assert!(turned.iter().any(|d| d.code == Code::ToolOrientation));
    let exact = ask(&small, |job| job.exact_corners = true);
    assert_eq!(exact.verdict, Verdict::Clear);
    assert_eq!(note(&exact).unwrap().severity, Severity::Unchecked);
    // A ball that holds a whole move is nothing that every controller drives.
    let wide = ask(&program(&json!({"ball": 500}), &PLACE), |_| ());
    let notices: Vec<Code> = wide.programs[0].notices.iter().map(|d| d.code).collect();
    assert_eq!(notices, [Code::RoundedCorners]);
}

/// Regression: degrees in a program that has radians led far round, into something.
#[test]
fn degrees_of_moves_are_recognised() {
    let stop = json!("stop");
    let degrees = PLACE.map(|x: f64| x.to_degrees().round());
    let moves = [
        step("joint", &ABOVE, &stop, "above", 3),
        step("joint", &degrees, &stop, "place", 4),
    ];
    let outcome = ask(&arm6(&moves), |_| ());
    assert_eq!(outcome.verdict, Verdict::Unverified);
    let said = outcome.programs[0].error.clone().unwrap();
    assert!(said.contains("look like degrees"), "{said}");
    assert!(
        said.contains("way.src:4: ") && said.contains("`\"angle\": \"deg\"`"),
        "{said}"
    );
}

#[test]
fn a_line_that_ends_elsewhere_is_unverified_with_its_move() {
    let stop = json!("stop");
    let mut flipped = PLACE;
    flipped[3] += std::f64::consts::PI;
    flipped[4] = -flipped[4];
    flipped[5] -= std::f64::consts::PI;
    let outcome = ask(
        &arm6(&[
            step("joint", &ABOVE, &stop, "above", 3),
            step("linear", &flipped, &stop, "place", 5),
        ]),
        |_| (),
    );
    assert_eq!(outcome.verdict, Verdict::Unverified);
    let error = outcome.programs[0].error.clone().unwrap();
    assert!(
        error.contains("way.src:5:") && error.contains("linear move to `place`"),
        "{error}"
    );
    assert!(error.contains("another configuration"), "{error}");
}

#[test]
fn a_table_becomes_moves_with_the_same_answer() {
    for (table, expected) in [
        ("pick_place.csv", Verdict::Clear),
        ("place_too_low.csv", Verdict::Collision),
    ] {
        let file = root().join("trajectories/arm6").join(table);
        let text = convert(&Job::new("", vec![file.clone()]), None);
        let text = text.unwrap().text;
        let moves = ask(&serde_json::from_str(&text).unwrap(), |_| ());
        let job = Job {
            cell: CellJob {
                cache: CacheFolder::Off,
                ..CellJob::file(root().join("robots/arm6/cell.toml"))
            },
            ..Job::new("", vec![file])
        };
        let before = run(&job, &NoProgress);
        assert_eq!((moves.verdict, before.verdict), (expected, expected));
        let place = |o: &Outcome| {
            let first = o.programs[0].first_contact.clone();
            first.map(|c| (c.a, c.b, c.segment, c.fraction))
        };
        assert_eq!(place(&moves), place(&before));
    }
    let cubic = root().join("trajectories/arm6/cubic_dips.yaml");
    assert!(convert(&Job::new("", vec![cubic]), None).is_err());
}

/// Catches a slide of a table that is converted as a joint that turns, and one whose values are
/// stated as angles that is taken to be in metres.
#[test]
fn the_cell_tells_which_joints_of_a_table_slide() {
    let table = root().join("trajectories/scara/beyond_stroke.csv");
    let text = std::fs::read_to_string(&table).unwrap();
    let text = text.replace("quill_joint", "quill_joint[rad]");
    let cell = CellJob {
        cache: CacheFolder::Off,
        ..CellJob::file(root().join("robots/scara/cell.toml"))
    };
    let folder = tempfile::tempdir().unwrap();
    let angles = folder.path().join("angles.csv");
    std::fs::write(&angles, text).unwrap();
    let converted = |table: &Path, cell| convert(&Job::new("", vec![table.to_owned()]), cell);
    let verdict = |name: &str, table: &Path, cell_of_convert| {
        let file = folder.path().join(format!("{name}.motion.json"));
        let text = converted(table, cell_of_convert).unwrap().text;
        std::fs::write(&file, text).unwrap();
        let job = Job {
            cell: cell.clone(),
            ..Job::new("", vec![file])
        };
        let program = run(&job, &NoProgress).programs.remove(0);
        (program.verdict, program.limits.len(), program.error)
    };
    let with = verdict("with", &table, Some(&cell));
    assert_eq!(with, (Verdict::Clear, 1, None));
    for (verdict, _, error) in [
        verdict("without", &table, None),
        verdict("angles", &angles, None),
    ] {
        assert_eq!(verdict, Verdict::Unverified);
        assert!(error.unwrap().contains("`quill_joint` slides"));
    }
    let refused = converted(&angles, Some(&cell)).unwrap_err().to_string();
    assert!(refused.contains("`quill_joint` slides"), "{refused}");
}

#[test]
fn the_command_line_tells_of_moves() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("low.motion.json");
    let stop = json!("stop");
    let program = arm6(&[
        step("joint", &ABOVE, &stop, "above", 3),
        step("linear", &TOO_LOW, &stop, "place_3", 41),
    ]);
    std::fs::write(&file, program.to_string()).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_clearance"))
        .args(["check", "--no-cache", "--cell"])
        .arg(root().join("robots/arm6/cell.toml"))
        .arg(&file)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(
        text.contains("in the linear move to `place_3` (way.src:41), "),
        "{text}{}",
        String::from_utf8_lossy(&run.stderr)
    );
    assert_eq!(run.status.code(), Some(1));
    let run = Command::new(env!("CARGO_BIN_EXE_clearance"))
        .args(["check", "--no-cache", "--report", "github", "--cell"])
        .arg(root().join("robots/arm6/cell.toml"))
        .arg(&file)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(text.contains("file=way.src,line=41,"), "{text}");
    // A line of a file that is not named is none of this file.
    let text = format!("{program:#}").replace("\"file\": \"way.src\",", "");
    std::fs::write(&file, &text).unwrap();
    let is_second = |line: &str| line.contains("\"place_3\"");
    let label = text.lines().position(is_second).unwrap();
    let before = text.lines().take(label);
    let begins = before.collect::<Vec<_>>();
    let begins = begins.iter().rposition(|line| line.trim() == "{").unwrap() + 1;
    let run = Command::new(env!("CARGO_BIN_EXE_clearance"))
        .args(["check", "--no-cache", "--report", "github", "--cell"])
        .arg(root().join("robots/arm6/cell.toml"))
        .arg(&file)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(
        told.contains(&format!("low.motion.json,line={begins},")),
        "{told}"
    );
    assert!(told.contains("`place_3, line 41`"), "{told}");
}

#[test]
fn the_page_shows_the_example_that_the_reader_is_tested_with() {
    let page = std::fs::read_to_string(root().join("docs/formats.md")).unwrap();
    let example = root().join("crates/formats/src/program/motion/example.motion.json");
    assert!(page.contains(&std::fs::read_to_string(example).unwrap()));
}

/// The straight moves of a laboratory's UR10e; their converter is this test.
#[test]
#[ignore = "needs CLEARANCE_REAL_DATA"]
fn real_straight_moves_of_a_laboratory_are_certified() {
    let data = real_data().join("native");
    let names = [
        "shoulder_pan",
        "shoulder_lift",
        "elbow",
        "wrist_1",
        "wrist_2",
        "wrist_3",
    ];
    let joints: Vec<String> = names.iter().map(|n| format!("{n}_joint")).collect();
    let (mut straight, mut certified, mut compared) = (0, 0, 0);
    let (mut refused, mut loose) = (Vec::new(), Vec::new());
    let expected = std::fs::read_to_string(data.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    for list in [
        "A21",
        "B21",
        "blue-to-disp",
        "blue",
        "calib",
        "disp",
        "dlid",
    ] {
        let text = std::fs::read_to_string(data.join(format!("ur/robotlab/{list}.jsonl"))).unwrap();
        // Each straight move for itself, after all before it: one that is refused does not hide the
        // others.
        let mut moves: Vec<Value> = Vec::new();
        // A joint move to a pose ends at the solution nearest to where it starts, which is that of
        // the point's stored joint values as well; what is expected there was found by Newton's
        // method and is another one, and so are the lines behind it.
        let mut same_branch = true;
        // Joint values, degrees, where the move before ends.
        let mut start = Vec::new();
        for (n, line) in text.lines().enumerate() {
            let line: Value = serde_json::from_str(line).unwrap();
            let linear = line["type"] == "MoveLin" && line["in_joint_space"] != true;
            let to = match line["type"].as_str().unwrap() {
                "MoveJoint" => {
                    let q = line["joints"].as_array().unwrap();
                    json!({"joints": q})
                }
                "MoveLin" => json!({
                    "pose": {"xyz": line["xyz"], "rpy": line["rpy"]}, "frame": "base",
                    "branch": if linear { "continued" } else { "nearest" }
                }),
                _ => continue,
            };
            let kind = if linear { "linear" } else { "joint" };
            moves.push(json!({
                "move": kind, "to": to, "tool": "tcp", "zone": "stop", "file": "list", "line": n + 1, "label": line["name"]
            }));
            if !linear {
                same_branch &= line["type"] == "MoveJoint";
                let end = for_cell(&data, &laboratory(&joints, &moves), 0.0).unwrap();
                start = end.iter().map(|q| q.to_degrees()).collect();
                continue;
            }
            straight += 1;
            match for_cell(&data, &laboratory(&joints, &moves), 0.0) {
                // Each move ends where an independent program found it to end.
                Ok(end) => {
                    certified += 1;
                    let alone = [
                        json!({"move": "joint", "to": {"joints": start}, "tool": "tcp", "zone": "stop", "file": "list", "line": n}),
                        moves[moves.len() - 1].clone(),
                    ];
                    if let Err(why) = for_cell(&data, &laboratory(&joints, &alone), 0.1) {
                        assert!(why.contains("known too loosely"), "{why}");
                        loose.push(format!("{list}:{}", n + 1));
                    }
                    start = end.iter().map(|q| q.to_degrees()).collect();
                    let right = &expected[format!("ur/robotlab/{list}.jsonl")]["waypoints"];
                    let right = right.as_array().unwrap().iter();
                    for right in right.filter(|w| same_branch && w["line"] == n + 1) {
                        let right: Vec<f64> = serde_json::from_value(right["q"].clone()).unwrap();
                        let turns = end.iter().zip(&right).map(|(a, b)| (a - b) / TAU);
                        let off = turns.map(|t| (t - t.round()).abs() * TAU);
                        assert!(
                            off.clone().all(|off| off < 1e-4),
                            "{list}:{}: {end:?}",
                            n + 1
                        );
                        compared += 1;
                    }
                }
                Err(why) => {
                    refused.push(format!("{list}:{}: {why}", n + 1));
                    moves.pop();
                }
            }
        }
    }
    assert!(compared > 90, "{compared}");
    assert!(
        straight > 100 && 20 * certified >= 19 * straight,
        "{certified} of {straight}, not {refused:#?}"
    );
    // With the usual tube: eight begin or end 2.5° from where the wrist is singular, and the tool
    // may be off by 2.9° or 5.5°, so a singularity lies in the tube. The two of `calib` turn by 90°.
    assert_eq!(
        loose,
        [
            "blue-to-disp:4",
            "blue-to-disp:9",
            "blue-to-disp:22",
            "blue-to-disp:27",
            "blue:11",
            "blue:17",
            "blue:22",
            "blue:28",
            "calib:4",
            "calib:14"
        ]
    );
}

/// Moves of the laboratory's robot, in its frame and with its tool.
fn laboratory(joints: &[String], moves: &[Value]) -> Value {
    let mut program = motion(joints, moves);
    program["units"]["angle"] = json!("deg");
    program["frames"] = json!({"base": {"link": "base", "pose": {"xyz": [0, 0, 0]}}});
    let third = 120.0_f64 / 3.0_f64.sqrt();
    program["tools"] = json!({"tcp": {"link": "tool0", "pose": {"xyz": [0, 0, 0], "rotvec": [third, third, -third]}}});
    program
}

/// Where a program ends, if the robot can follow it with orientations that are known to this share
/// of the angle turned.
fn for_cell(data: &Path, program: &Value, orientation_tube: f64) -> Result<Vec<f64>, String> {
    use clearance_formats::program::motion::parse;
    use clearance_formats::{LoadOptions, load_robot};
    use clearance_proof::motion::programmed::CellMoves;
    let read = parse(Path::new("a.motion.json"), program.to_string().as_bytes());
    let read = read.map_err(|e| e.to_string())?;
    let urdf = data.join("robots/ur10e/ur10e.urdf");
    let loaded = load_robot(&urdf, &[], &LoadOptions::default()).map_err(|e| e.to_string())?;
    let for_cell = CellMoves::new(&read.program, &loaded.cell, orientation_tube);
    let for_cell = for_cell.map_err(|e| e.to_string())?;
    Ok(for_cell.ends.last().unwrap().q.clone())
}

/// Regression: a request of MoveIt names all joints of the robot at its start, those that follow others
/// too, and was refused.
#[test]
fn stated_values_of_joints_that_follow_are_held_against_their_law() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let joint = |name: &str, links: [&str; 2], more: &str| {
        format!(
            r#"<joint name="{name}" type="prismatic"><parent link="{}"/><child link="{}"/><axis xyz="1 0 0"/>
            <limit lower="-1" upper="1" velocity="1" effort="1"/>{more}</joint>"#,
            links[0], links[1]
        )
    };
    let shape = r#"<collision><geometry><sphere radius="0.01"/></geometry></collision>"#;
    let urdf = format!(
        r#"<robot name="r"><link name="a"/><link name="b">{shape}</link><link name="f"/><link name="g"/>{}{}{}</robot>"#,
        joint("j", ["a", "b"], ""),
        joint("left", ["b", "f"], ""),
        joint(
            "right",
            ["b", "g"],
            r#"<mimic joint="left" multiplier="-1" offset="0.1"/>"#
        ),
    );
    write("r.urdf", &urdf);
    let cell = "[[robot]]\nurdf = \"r.urdf\"\n[[obstacle]]\nname = \"post\"\nsphere = 0.01\npose = { xyz = [0.9, 0, 0] }\n";
    let cell = write("cell.toml", cell);
    for (right, verdict) in [
        ("0.08", Verdict::Clear),
        ("0.0800005", Verdict::Clear),
        ("0.08001", Verdict::Unverified),
        ("-0.02", Verdict::Unverified),
    ] {
        let text = format!(
            "items:\n- req:\n    planner_id: PTP\n    start_state: {{joint_state: {{name: [right, j, left], position: [{right}, 0, 0.02]}}}}\n    \
             goal_constraints:\n    - joint_constraints: [{{joint_name: j, position: 0.5}}]\n  blend_radius: 0.0\n"
        );
        let mut job = Job::new(&cell, vec![write("request.yaml", &text)]);
        job.cell.cache = CacheFolder::Off;
        let program = run(&job, &NoProgress).programs.remove(0);
        assert_eq!(program.verdict, verdict, "{right}: {:?}", program.error);
        if verdict == Verdict::Unverified {
            assert!(program.error.unwrap().contains("`right` follows"));
        }
    }
}
