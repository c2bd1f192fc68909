//! The binary as a user runs it: exit codes, and messages that say what to do.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;
use tempfile::TempDir;

mod answers;
mod budgets;
mod commands;
mod default_cell;
mod init;
mod inputs;
mod methods;
mod mistakes;
mod output;
mod outputs;
mod own_meshes;
mod paths;
mod proposed;
mod serve;
mod slips;

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

/// A folder with a small robot: an arm that turns about z over a base, a hand that slides out of
/// the arm, and a block in the way at 90°.
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

/// A box on the hand instead of the ball: both methods find the same contact, the default one with
/// the exact time in its bracket.
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
    // The hand passes below the block by 0.1 m at turn = 0.9 or so; a wide threshold makes that
    // contact.
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
    let unchecked = |by: &str| contains(format!("not checked: joint limits ({by})"));
    project
        .check("--no-limits beyond.csv")
        .code(0)
        .stdout(unchecked("--no-limits"));
    project.write("cell.toml", format!("{CELL}\n[check]\nlimits = false\n"));
    project
        .check("beyond.csv")
        .code(0)
        .stdout(unchecked("`limits = false` in the cell file"));
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
        .check("--report json=no/such/folder/x.json away.csv")
        .code(2)
        .stderr(contains("cannot be written"));
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

/// Contacts lie in near misses, and so does what would be a contact if the warn distance were the
/// threshold.
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
