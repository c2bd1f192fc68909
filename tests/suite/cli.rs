//! The binary as a user runs it: exit codes, and messages that say what to do.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;
use tempfile::TempDir;

mod budgets;
mod default_cell;
mod init;
mod inputs;
mod methods;
mod output;
mod paths;
mod serve;

/// A box as ASCII STL, from its least and greatest corner.
fn box_stl(lo: [f64; 3], hi: [f64; 3]) -> String {
    let corner = |k: usize| {
        [0, 1, 2].map(|axis| {
            if k >> axis & 1 == 0 {
                lo[axis]
            } else {
                hi[axis]
            }
        })
    };
    let faces = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let mut text = "solid box\n".to_owned();
    for [a, b, c, d] in faces {
        for triangle in [[a, b, c], [a, c, d]] {
            text += "facet normal 0 0 0\nouter loop\n";
            for [x, y, z] in triangle.map(corner) {
                writeln!(text, "vertex {x} {y} {z}").unwrap();
            }
            text += "endloop\nendfacet\n";
        }
    }
    text + "endsolid box\n"
}

/// A folder with a small robot: an arm that turns about z over a base, a hand that slides out of the arm, and a block in
/// the way at 90°.
struct Project {
    folder: TempDir,
}

const URDF: &str = r#"<?xml version="1.0"?>
<robot name="bench">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="arm"><collision><geometry><mesh filename="arm.stl"/></geometry></collision></link>
  <link name="hand"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <link name="tip"/>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
    <limit lower="-3.1" upper="3.1" velocity="2" effort="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="arm"/><child link="hand"/><origin xyz="0.6 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.2" velocity="1" effort="1"/>
  </joint>
  <joint name="end" type="fixed"><parent link="hand"/><child link="tip"/></joint>
</robot>
"#;

const CELL: &str = r#"
[[robot]]
urdf = "bench.urdf"

[[obstacle]]
name = "block"
mesh = "block.stl"
pose = { xyz = [0, 0.6, 0.3] }
"#;

impl Project {
    fn new() -> Self {
        let project = Project {
            folder: TempDir::new().unwrap(),
        };
        project.write("bench.urdf", URDF);
        project.write("arm.stl", box_stl([0.0, -0.03, -0.03], [0.5, 0.03, 0.03]));
        project.write("block.stl", box_stl([-0.05; 3], [0.05; 3]));
        project.write("cell.toml", CELL);
        project.write("away.csv", "time,turn,slide\n0,0,0\n1,-1,0.1\n");
        project.write("hit.csv", "time,turn,slide\n0,0,0\n1,0.5,0\n3,1.5,0\n");
        project
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// The binary in the folder; trees are kept there too.
    fn run(&self, line: &str) -> assert_cmd::assert::Assert {
        let mut command = Command::cargo_bin("clearance").unwrap();
        command
            .current_dir(self.path())
            .env("XDG_CACHE_HOME", self.path().join("cache"));
        command.args(line.split_whitespace()).assert()
    }

    fn check(&self, line: &str) -> assert_cmd::assert::Assert {
        self.run(&format!("check --cell cell.toml {line}"))
    }

    fn json(&self, line: &str) -> Value {
        let assert = self.check(&format!("--report json {line}"));
        serde_json::from_slice(&assert.get_output().stdout).unwrap()
    }
}

#[test]
fn a_clear_program() {
    let project = Project::new();
    project
        .check("away.csv")
        .code(0)
        .stderr(is_empty())
        .stdout(predicate::str::starts_with("CLEAR"))
        .stdout(contains("guarantee: 3 pairs of 4 bodies, every instant of the linear path, threshold 0 mm, resolution 0.1 mm"));
}

#[test]
fn a_collision_says_when_who_where_and_how_close() {
    let project = Project::new();
    project
        .check("hit.csv")
        .code(1)
        .stdout(predicate::str::starts_with("COLLISION  hit.csv   at "))
        .stdout(contains("segment 2: waypoint 2 → 3"))
        .stdout(contains("hand against block"))
        .stdout(contains("joints     turn "))
        .stdout(contains("slide 0 mm"))
        .stdout(contains("line       hit.csv:3 → hit.csv:4"));
}

/// The ball (radius 0.05, its centre at 0.6 from the axis) meets the block's face x = 0.05.
#[test]
fn the_json_report_brackets_the_first_contact() {
    let project = Project::new();
    let report = project.json("hit.csv");
    let contact = &report["programs"][0]["first_contact"];
    let turn = (0.1f64 / 0.6).acos(); // straight ahead of the face; its height is 0.6·sin = 0.592, within the block
    let truth = 1.0 + 2.0 * (turn - 0.5);
    let (free, found) = (
        contact["free_until"].as_f64().unwrap(),
        contact["time"].as_f64().unwrap(),
    );
    assert!(free <= truth && truth <= found, "{free} {truth} {found}");
    assert!(found - free < 2e-3, "{free} {found}");
    assert_eq!(
        (report["verdict"].as_str(), report["schema"].as_u64()),
        (Some("collision"), Some(3))
    );
    assert_eq!(
        (contact["a"].as_str(), contact["segment"].as_u64()),
        (Some("hand"), Some(1))
    );
    assert_eq!(report["sliding_joints"][0], "slide");
}

/// A box on the hand instead of the ball: both methods find the same contact, the default one with the exact time in its bracket.
#[test]
fn the_intersection_method_tells_kind_and_exact_time() {
    let project = Project::new();
    // A ball has no features: its pairs go by bisection, and that is said.
    project
        .check("--method intersection hit.csv")
        .code(1)
        .stdout(contains("are checked by bisection").and(contains("with a ball or a capsule")));
    project
        .check("--method intersection away.csv")
        .code(0)
        .stdout(contains("are checked by bisection"));
    project
        .check("--method intersection --shape raw hit.csv")
        .code(2)
        .stderr(contains("leave out `--shape raw`"));
    let ball = r#"<sphere radius="0.05"/>"#;
    project.write(
        "bench.urdf",
        URDF.replace(ball, r#"<box size="0.1 0.08 0.06"/>"#),
    );
    let contact = |line: &str| project.json(line)["programs"][0]["first_contact"].clone();
    let exact = contact("--method intersection hit.csv");
    let bracket = contact("hit.csv");
    let number = |contact: &Value, name: &str| contact[name].as_f64().unwrap();
    let time = number(&exact, "time");
    assert!(number(&bracket, "free_until") <= time && time <= number(&bracket, "time"));
    assert!((number(&bracket, "exact_time") - time).abs() < 1e-9);
    assert_eq!(number(&exact, "exact_time"), time);
    for contact in [&exact, &bracket] {
        assert!(contact["feature"].is_string(), "{contact}");
    }
    project
        .check("hit.csv")
        .code(1)
        .stdout(contains("  first      "));
}

#[test]
fn several_programs_in_the_order_given_and_a_broken_one_stops_no_other() {
    let project = Project::new();
    project.write("typo.csv", "time,turn,slid\n0,0,0\n1,0,0\n");
    let report = project.json("away.csv typo.csv missing.csv hit.csv away.csv");
    let verdicts: Vec<_> = report["programs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(
        verdicts,
        ["clear", "unverified", "unverified", "collision", "clear"]
    );
    project
        .check("away.csv hit.csv typo.csv")
        .code(1)
        .stdout(contains("3 programs: 1 clear, 1 unverified, 1 collision"));
    project.check("away.csv typo.csv").code(2);
}

#[test]
fn command_line_before_cell_file_before_default() {
    let project = Project::new();
    // The hand passes below the block by 0.1 m at turn = 0.9 or so; a wide threshold makes that contact.
    project.write("near.csv", "turn,slide\n0,0\n1.1,0\n");
    project.check("near.csv").code(0);
    project
        .check("--clearance 300mm near.csv")
        .code(1)
        .stdout(contains("threshold 300 mm"));
    project.write(
        "cell.toml",
        format!("{CELL}\n[check]\nclearance = \"300mm\"\nresolution = \"1mm\"\n"),
    );
    project
        .check("near.csv")
        .code(1)
        .stdout(contains("threshold 300 mm, resolution 1 mm"));
    project
        .check("--clearance 0.5mm --resolution 2mm near.csv")
        .code(0)
        .stdout(contains("threshold 0.5 mm, resolution 2 mm"));
}

#[test]
fn limits_and_how_to_switch_them_off() {
    let project = Project::new();
    project.write("beyond.csv", "time,turn,slide\n0,0,0\n5,-1,0.25\n");
    project.check("beyond.csv").code(1).stdout(contains(
        "position of slide is 250 mm at 5.000 s, its limit is 200 mm",
    ));
    project.check("--no-limits beyond.csv").code(0);
}

#[test]
fn reports_go_where_they_are_sent() {
    let project = Project::new();
    project
        .check("--report json=out.json --report text=- hit.csv")
        .code(1)
        .stdout(contains("COLLISION"));
    let report: Value =
        serde_json::from_slice(&fs::read(project.path().join("out.json")).unwrap()).unwrap();
    assert_eq!(report["verdict"], "collision");
    project
        .check("--report json --report text hit.csv")
        .code(2)
        .stderr(contains("two reports go to standard output"));
    project
        .check("--report pdf hit.csv")
        .code(2)
        .stderr(contains(
            "known are `text`, `json`, `junit`, `sarif`, `github`, `markdown`",
        ));
    project
        .check("--report json=no/such/folder/x.json hit.csv")
        .code(2)
        .stderr(contains("cannot be written"));
}

/// Everything that is wrong with the input: exit code 2, nothing checked, and a text that says what to do.
#[test]
fn what_cannot_be_verified_says_why() {
    type Damage = fn(&Project);
    let cases: [(&str, Damage, &str, &[&str]); 12] = [
        (
            "missing mesh",
            |b| fs::remove_file(b.path().join("arm.stl")).unwrap(),
            "away.csv",
            &["bench.urdf:4", "`arm.stl` was not found", "tried"],
        ),
        (
            "missing urdf",
            |b| fs::remove_file(b.path().join("bench.urdf")).unwrap(),
            "away.csv",
            &["cell.toml:3", "`bench.urdf` was not found"],
        ),
        (
            "joint typo",
            |b| b.write("p.csv", "time,turn,slied\n0,0,0\n1,0,0\n"),
            "p.csv",
            &["p.csv:1", "slied", "`slide`"],
        ),
        (
            "degrees",
            |b| b.write("p.csv", "time,turn,slide\n0,0,0\n1,90,0\n"),
            "p.csv",
            &["p.csv", "degrees", "turn[deg]"],
        ),
        (
            "empty program",
            |b| b.write("p.csv", ""),
            "p.csv",
            &["p.csv", "empty"],
        ),
        (
            "header only",
            |b| b.write("p.csv", "time,turn,slide\n"),
            "p.csv",
            &["p.csv:1", "the program is empty"],
        ),
        (
            "folder as program",
            |b| fs::create_dir(b.path().join("p.csv")).unwrap(),
            "p.csv",
            &["p.csv", "directory"],
        ),
        (
            "no such program",
            |_| (),
            "gone.csv",
            &["gone.csv", "check the path"],
        ),
        (
            "unknown cell key",
            |b| b.write("cell.toml", format!("{CELL}\n[check]\nclearence = 1\n")),
            "away.csv",
            &["cell.toml:11:1", "clearence", "did you mean `clearance`"],
        ),
        (
            "folder as cell",
            |b| {
                fs::remove_file(b.path().join("cell.toml")).unwrap();
                fs::create_dir(b.path().join("cell.toml")).unwrap();
            },
            "away.csv",
            &["cell.toml", "folder"],
        ),
        (
            "1000x obstacle",
            |b| b.write("block.stl", box_stl([-500.0; 3], [500.0; 3])),
            "away.csv",
            &[
                "`block`",
                "suspicious scale",
                "1000.0 m long",
                "`scale = 0.001`",
            ],
        ),
        (
            "1000x link",
            |b| b.write("arm.stl", box_stl([0.0, -30.0, -30.0], [500.0, 30.0, 30.0])),
            "away.csv",
            &["`arm`", "suspicious scale", "`scale = 0.001`"],
        ),
    ];
    for (name, damage, program, words) in cases {
        let project = Project::new();
        damage(&project);
        let assert = project.check(program);
        let output = assert.get_output().clone();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {text}");
        assert!(text.starts_with("UNVERIFIED"), "{name}: {text}");
        for word in words {
            assert!(text.contains(word), "{name}: no {word:?} in {text}");
        }
        // Nobody can take it for a verdict in JSON either.
        let report = project.json(program);
        assert_eq!(report["verdict"], "unverified", "{name}");
        assert_eq!(report["programs"][0]["verdict"], "unverified", "{name}");
    }
}

/// Whoever states the scale has meant it.
#[test]
fn a_large_part_with_a_stated_scale_is_checked_and_noticed() {
    let project = Project::new();
    project.write(
        "block.stl",
        box_stl([-500.0, -500.0, -800.0], [500.0, 500.0, -300.0]),
    );
    project.write(
        "cell.toml",
        CELL.replace("mesh = \"block.stl\"", "mesh = \"block.stl\"\nscale = 1"),
    );
    project
        .check("away.csv")
        .code(0)
        .stdout(contains("suspicious-scale: block"));
    project.write(
        "cell.toml",
        CELL.replace(
            "mesh = \"block.stl\"",
            "mesh = \"block.stl\"\nscale = 0.001",
        ),
    );
    project
        .check("away.csv")
        .code(0)
        .stdout(contains("suspicious").not());
}

#[test]
fn wrong_usage_is_code_2_and_says_what_is_known() {
    let project = Project::new();
    for (line, words) in [
        ("", "Usage"),
        ("chekc", "check"),
        ("check --cell cell.toml", "no program given"),
        (
            "check --cell cell.toml --robot bench.urdf away.csv",
            "cannot be used with",
        ),
        (
            "check --cell cell.toml --clearence 1 away.csv",
            "--clearance",
        ),
        (
            "check --cell cell.toml --clearance 5furlong away.csv",
            "furlong",
        ),
        (
            "check --cell cell.toml --clearance -1mm away.csv",
            "from 0 on",
        ),
        ("check --cell cell.toml --resolution 0 away.csv", "above 0"),
        (
            "check --cell cell.toml --method magic away.csv",
            "bisection",
        ),
        (
            "check --cell cell.toml --shape cube away.csv",
            "sphere-tree",
        ),
        ("check --cell cell.toml --threads 0 away.csv", "1..=1024"),
        (
            "check --cell cell.toml --package ur away.csv",
            "ur_description=../ur_description",
        ),
    ] {
        project
            .run(line)
            .code(2)
            .stdout(is_empty())
            .stderr(contains(words));
    }
    project.run("--help").code(0).stdout(contains("Exit codes"));
    project
        .run("check --help")
        .code(0)
        .stdout(contains("--clearance"));
    project
        .run("--version")
        .code(0)
        .stdout(contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_short_form_needs_no_cell_file() {
    let project = Project::new();
    project.write("wall.stl", box_stl([-0.05, 0.55, 0.25], [0.05, 0.65, 0.35]));
    let line = "check --robot bench.urdf --obstacle wall.stl";
    project
        .run(&format!("{line} hit.csv"))
        .code(1)
        .stdout(contains("hand against wall"));
    project.run(&format!("{line} away.csv")).code(0);
    project.run("check --robot bench.urdf hit.csv").code(0);
}

#[test]
fn inspect_shows_the_cell() {
    let project = Project::new();
    project
        .run("inspect --cell cell.toml --pairs --unreachable")
        .code(0)
        .stdout(contains(
            "block  obstacle  (fixed)     100.0 × 100.0 × 100.0",
        ))
        .stdout(contains("turn   revolute"))
        .stdout(contains(
            "3 pairs checked (2 unreachable within the joint limits), 3 not (2 adjacent, 1 fixed to world)",
        ))
        .stdout(contains("not checked: both fixed to the world"));
    // That is proved only when it is asked for.
    project
        .run("inspect --cell cell.toml --pairs")
        .code(0)
        .stdout(contains(
            "3 pairs checked, 3 not (2 adjacent, 1 fixed to world)",
        ));
    let assert = project
        .run("inspect --cell cell.toml --format json")
        .code(0);
    let facts: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(facts["bodies"][0]["name"], "base");
    assert_eq!(facts["pairs"].as_array().unwrap().len(), 6);
    project.write("arm.stl", box_stl([0.0, -30.0, -30.0], [500.0, 30.0, 30.0]));
    project
        .run("inspect --cell cell.toml")
        .code(2)
        .stdout(contains("WARNING: arm (suspicious scale"));
    project
        .run("inspect --cell gone.toml")
        .code(2)
        .stderr(contains("gone.toml"));
}

#[test]
fn the_cache_can_be_found_listed_and_cleared() {
    let project = Project::new();
    project.check("away.csv").code(0);
    project.run("cache path").code(0).stdout(contains("cache"));
    project
        .run("cache list")
        .code(0)
        .stdout(contains("triangles"))
        .stdout(contains("trees,"));
    project
        .run("cache clear")
        .code(0)
        .stdout(contains("removed"));
    project
        .run("cache list")
        .code(0)
        .stdout(contains("0 trees"));
    project.check("--no-cache away.csv").code(0);
    project
        .run("cache list")
        .code(0)
        .stdout(contains("0 trees"));
    project.check("--cache-dir here away.csv").code(0);
    assert!(fs::read_dir(project.path().join("here")).unwrap().count() > 0);
}

/// `clearance inspect … | head -1`: whoever closes the pipe has read enough.
#[test]
fn a_closed_pipe_is_no_error() {
    let project = Project::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("clearance"))
        .args(["check", "--cell", "cell.toml", "--no-cache", "hit.csv"])
        .current_dir(project.path())
        .stdout(writer)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// What people get wrong on the command line: the message names the fix.
#[test]
fn mistakes_on_the_command_line_are_met_with_the_fix() {
    let project = Project::new();
    for (line, message) in [
        ("check cell.toml away.csv", "`--cell cell.toml`"),
        (
            "inspect cell.toml",
            "tip: name the file by its option: `--cell cell.toml`",
        ),
        ("check --cell bench.urdf away.csv", "`--robot bench.urdf`"),
        ("check --robot cell.toml away.csv", "`--cell cell.toml`"),
        (
            "check --robot bench.urdf --xacro-arg side away.csv",
            "name=value",
        ),
        (
            "check --cell cell.toml --clearance 5 mm away.csv",
            "as in `--clearance 5mm`",
        ),
        (
            "check --cell cell.toml --clearance 5mmm away.csv",
            "did you mean `mm`?",
        ),
        (
            "check --cell cell.toml --warn 0 away.csv",
            "must be above 0",
        ),
        (
            "check --cell cell.toml --report junt=x away.csv",
            "did you mean `junit`?",
        ),
        (
            "check --cell cell.toml --fail-on near_miss away.csv",
            "did you mean `near-miss`?",
        ),
    ] {
        project
            .run(line)
            .code(2)
            .stdout(is_empty())
            .stderr(contains(message));
    }
    for (line, message) in [
        (
            "check --cell . away.csv",
            "name a file, such as `./cell.toml`",
        ),
        (
            "check --cell cell.tmol away.csv",
            "did you mean `cell.toml`?",
        ),
        (
            "check --cell cell.toml awya.csv",
            "did you mean `away.csv`?",
        ),
        (
            "check --cell cell.toml *.cvs",
            "no file matches this pattern",
        ),
        (
            "check --cell cell.toml gone/away.csv",
            "there is no folder gone",
        ),
        (
            "check --cell cell.toml --clearance 9mm --warn 5mm away.csv",
            "give a warn distance above the clearance",
        ),
    ] {
        project.run(line).code(2).stdout(contains(message));
    }
}

/// Near misses per pair: a warn distance for all, one of its own, and pairs that are not watched.
#[test]
fn near_misses_of_pairs() {
    let project = Project::new();
    project.write("near.csv", "time,turn,slide\n0,0,0\n1,1.3,0\n2,0,0\n");
    let misses = |report: &Value| -> Vec<(String, String)> {
        let list = report["programs"][0]["near_misses"].as_array();
        let text = |v: &Value| v.as_str().unwrap().to_owned();
        list.into_iter()
            .flatten()
            .map(|m| (text(&m["a"]), text(&m["b"])))
            .collect()
    };
    assert!(misses(&project.json("near.csv")).is_empty());
    let report = project.json("--warn 100mm near.csv");
    assert_eq!(report["verdict"], "clear");
    assert_eq!(
        (&report["warn"], &report["warn_pairs"]),
        (&0.1.into(), &3.into())
    );
    let found = misses(&report);
    assert!(
        found.contains(&("hand".into(), "block".into())),
        "{found:?}"
    );
    project
        .check("--warn 100mm near.csv")
        .code(0)
        .stdout(contains(
            "near miss  hand – block: nearer than 100 mm from ",
        ))
        .stdout(contains("near misses below 100 mm"));

    let pair = "[[pair]]\na = \"hand\"\nb = \"block\"\nclearance = \"2mm\"\n";
    project.write("cell.toml", format!("{CELL}\n{pair}warn = \"100mm\"\n"));
    let report = project.json("near.csv");
    assert_eq!(misses(&report), [("hand".to_owned(), "block".to_owned())]);
    assert_eq!(report["warn_pairs"], 1);

    let wide = pair.replace("2mm", "20mm");
    project.write("cell.toml", format!("{CELL}\n{wide}"));
    let report = project.json("--warn 10mm near.csv");
    assert_eq!(report["warn_pairs"], 2);
    let note = report["notes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|n| n["subject"] == "hand – block");
    assert!(
        note.unwrap()["message"]
            .as_str()
            .unwrap()
            .contains("not watched for near misses")
    );
}

/// Contacts lie in near misses, and so does what would be a contact if the warn distance were the threshold.
#[test]
fn contact_intervals_lie_in_near_misses() {
    let project = Project::new();
    project.write("through.csv", "time,turn,slide\n0,0,0\n1,2.5,0\n2,0,0.1\n");
    let near = project.json("--clearance 1mm --warn 20mm --all through.csv");
    let near = &near["programs"][0];
    let misses = near["near_misses"].as_array().unwrap();
    let contacts = near["contacts"].as_array().unwrap();
    assert!(contacts.len() >= 2, "{contacts:?}");
    let number = |v: &Value, key: &str| v[key].as_f64().unwrap();
    for contact in contacts {
        let around = misses.iter().filter(|m| {
            (&m["a"], &m["b"]) == (&contact["a"], &contact["b"])
                && number(m, "entered") <= number(contact, "free_until")
                && number(contact, "until") <= number(m, "left")
        });
        assert_eq!(around.count(), 1, "{contact}");
    }
    let wider = project.json("--clearance 20mm --all through.csv");
    let wider = wider["programs"][0]["contacts"].as_array().unwrap();
    assert!(wider.len() >= misses.len() && !misses.is_empty());
    for contact in wider {
        let around = misses.iter().any(|m| {
            (&m["a"], &m["b"]) == (&contact["a"], &contact["b"])
                && number(m, "entered") <= number(contact, "free_until")
                && number(contact, "until") <= number(m, "left")
        });
        assert!(around, "{contact}");
    }
}

/// Single configurations, one line each: the first contact that `check` reports has the distance that it says, and a line
/// that is none does not stop the others.
#[test]
fn distance_answers_every_line() {
    let cell = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/arm6/cell.toml");
    let program = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/trajectories/arm6/swing_through_guard.csv"
    );
    let clearance = || Command::cargo_bin("clearance").unwrap();
    let report = clearance()
        .args("check --no-cache --quiet --report json --cell".split(' '))
        .args([cell, program])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let contact = &report["programs"][0]["first_contact"];
    let answer = clearance()
        .args(["distance", "--no-cache", "--quiet", "--cell", cell])
        .write_stdin(format!("{{}}\n\nnonsense\n{}\n", contact["joints"]))
        .assert()
        .code(1);
    let lines: Vec<Value> = String::from_utf8_lossy(&answer.get_output().stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let said: Vec<_> = lines
        .iter()
        .map(|l| (l["line"].clone(), l["verdict"].clone()))
        .collect();
    let expected = [(1, "clear"), (3, "unverified"), (4, "collision")];
    assert_eq!(
        said,
        expected.map(|(line, verdict)| (line.into(), verdict.into()))
    );
    let nearest = &lines[2]["contacts"][0];
    assert_eq!(
        (&nearest["a"], &nearest["b"]),
        (&contact["a"], &contact["b"])
    );
    let [here, there] = [nearest, contact].map(|c| c["distance"].as_f64().unwrap());
    assert!((here - there).abs() < 1e-9, "{here} {there}");

    clearance()
        .args(["distance", "--no-cache", "--quiet", "--cell", cell])
        .args(["--at", "[1]"])
        .assert()
        .code(2)
        .stdout(contains("1 values for 6 joints"));
}

#[test]
fn trees_are_measured_proved_and_shown() {
    let project = Project::new();
    let ranked = |more: &str| format!("tree arm.stl --shape ranked --leaf-radius 30mm {more}");
    project
        .run(&ranked(""))
        .code(0)
        .stdout(contains("arm.stl: 12 triangles").and(contains("cover proved")));
    let output = project.run(&ranked("--json --export spheres.obj")).code(0);
    let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let levels = report["trees"][0]["levels"].as_array().unwrap();
    let last = levels.last().unwrap();
    assert_eq!(last["nominal_radius"], 0.03);
    assert!(last["greatest_radius"].as_f64().unwrap() <= 0.03);
    assert_eq!(report["trees"][0]["covered"], true);
    // What was written is a mesh of as many small spheres, which can be read again.
    let spheres = last["spheres"].as_u64().unwrap();
    assert!(spheres > 10);
    project
        .run("tree spheres.obj")
        .code(0)
        .stdout(contains("sphere-tree").and(contains("cover proved")));
    let faces = |file: &str| {
        let text = fs::read_to_string(project.path().join(file)).unwrap();
        text.lines().filter(|l| l.starts_with("f ")).count() as u64
    };
    assert_eq!(faces("spheres.obj"), 80 * spheres);
    project.run(&ranked("--export one.obj --level 1")).code(0);
    assert_eq!(faces("one.obj"), 80);
    // Every shape of a cell, balls and boxes too.
    project
        .run("tree --cell cell.toml --shape ranked --resolution 20mm --export cell.ply --quiet")
        .code(0)
        .stdout(
            contains("hand: 1 triangle, and 50.00 mm around").and(contains("every one is proved")),
        );
    project.run("tree cell.ply").code(0);

    for (line, message) in [
        ("tree gone.stl", "gone.stl"),
        ("tree arm.stl --leaf-radius 5mm", "add `--shape ranked`"),
        ("tree arm.stl --shape ranked --ratio 1", "from 1.2 to 16"),
        ("tree arm.stl --export a.stl", "written as .obj or .ply"),
        ("tree arm.stl --export a.obj --level 99", "no level 99"),
        ("tree arm.stl --level 1", "--export"),
        ("tree arm.stl --cell cell.toml", "cannot be used with"),
        ("tree arm.stl --shape ranked --leaf-radius 1um", "mm` fits"),
    ] {
        project.run(line).code(2).stderr(contains(message));
    }
}
