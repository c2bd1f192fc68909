//! Output for CI servers: reports that hold to their schemas, exit codes by choice, and the recipes
//! of docs/ci.md.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use junit::junit_is_well_formed;
use serde_json::Value;
use tempfile::TempDir;

mod docs;
mod junit;
#[cfg(unix)]
mod watch;

/// A copy of the example arm, its cell and its programs; trees are kept there too.
struct Workshop {
    folder: TempDir,
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to)
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

const PROGRAMS: &str = "trajectories/arm6";

impl Workshop {
    fn new() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = TempDir::new().unwrap();
        for part in ["robots/arm6", PROGRAMS] {
            copy(&root.join(part), &folder.path().join(part));
        }
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self, args: &[&str]) -> Output {
        assert_cmd::Command::cargo_bin("clearance")
            .unwrap()
            .current_dir(self.path())
            .env("XDG_CACHE_HOME", self.path().join("cache"))
            .args(args)
            .output()
            .unwrap()
    }

    fn check(&self, args: &[&str]) -> Output {
        let cell = ["check", "--cell", "robots/arm6/cell.toml"];
        self.run(&[&cell, args].concat())
    }

    /// One run over programs of every kind, with a report of each format: name of the format and
    /// its text.
    fn reports(&self, more: &[&str]) -> BTreeMap<&'static str, String> {
        let formats = ["json", "junit", "sarif", "github", "markdown"];
        let wanted: Vec<String> = formats
            .iter()
            .flat_map(|f| ["--report".to_owned(), format!("{f}={f}.out")])
            .collect();
        let programs = [
            "swing_through_guard.csv",
            "pick_place.csv",
            "beyond_limit.csv",
            "near_miss.csv",
            "gone.csv",
        ]
        .map(|p| format!("{PROGRAMS}/{p}"));
        let mut args: Vec<&str> = wanted.iter().chain(&programs).map(String::as_str).collect();
        args.extend(["--warn", "5mm"]);
        args.extend(more);
        let output = self.check(&args);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        formats
            .iter()
            .map(|&f| {
                let text = fs::read_to_string(self.path().join(format!("{f}.out"))).unwrap();
                (f, text)
            })
            .collect()
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_json_report_holds_to_the_published_schema() {
    let shop = Workshop::new();
    let schema: Value = serde_json::from_str(&stdout(&shop.run(&["schema"]))).unwrap();
    let oracle = jsonschema::draft202012::new(&schema).unwrap();
    let report = |output: &Output| serde_json::from_slice::<Value>(&output.stdout).unwrap();
    let good = |report: &Value| {
        let wrong: Vec<String> = oracle.iter_errors(report).map(|e| e.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    };
    let full: Value = serde_json::from_str(&shop.reports(&["--all", "--minimum"])["json"]).unwrap();
    good(&full);
    let broken_cell = ["check", "--cell", "gone.toml", "p.csv", "--report", "json"];
    good(&report(&shop.run(&broken_cell)));
    // A oracle that nods at everything would be none.
    for (pointer, wrong) in [
        ("/required_clearance", Value::from("1mm")),
        ("/verdict", Value::from("fine")),
        ("/programs/0/first_contact/kind", Value::from("bump")),
        (
            "/programs/0/first_contact/point_a",
            serde_json::json!([0.0]),
        ),
        ("/programs/3/near_misses/0/entered", Value::Null),
        ("/programs", Value::Null),
    ] {
        let mut changed = full.clone();
        *changed.pointer_mut(pointer).expect(pointer) = wrong;
        assert!(!oracle.is_valid(&changed), "{pointer}");
    }

    let schema: Value =
        serde_json::from_str(&stdout(&shop.run(&["schema", "inspection"]))).unwrap();
    let inspect = [
        "inspect",
        "--cell",
        "robots/arm6/cell.toml",
        "--format",
        "json",
    ];
    let inspection = report(&shop.run(&inspect));
    assert!(jsonschema::draft202012::is_valid(&schema, &inspection));
    assert!(!jsonschema::draft202012::is_valid(&schema, &full));

    let schema: Value = serde_json::from_str(&stdout(&shop.run(&["schema", "tree"]))).unwrap();
    let mesh = "robots/arm6/meshes/gripper.stl";
    let ranked = ["--shape", "ranked", "--leaf-radius", "2cm", "--json"];
    for options in [&ranked[4..], &ranked[..]] {
        let trees = report(&shop.run(&[&["tree", mesh][..], options].concat()));
        assert!(jsonschema::draft202012::is_valid(&schema, &trees));
    }
    assert!(!jsonschema::draft202012::is_valid(&schema, &inspection));
}

#[test]
fn sarif_points_at_the_line_of_the_waypoint() {
    let shop = Workshop::new();
    let log: Value = serde_json::from_str(&shop.reports(&[])["sarif"]).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let facts: Vec<(String, String, String, Option<u64>)> = run["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| {
            let rule = &rules[r["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(r["ruleId"], rule["id"]);
            let place = &r["locations"][0]["physicalLocation"];
            let text = |v: &Value| v.as_str().unwrap().to_owned();
            let file = text(&place["artifactLocation"]["uri"]);
            let line = place["region"]["startLine"].as_u64();
            (text(&r["ruleId"]), text(&r["level"]), file, line)
        })
        .collect();
    let expected = [
        ("contact", "error", "swing_through_guard.csv", Some(3)),
        ("limit", "error", "beyond_limit.csv", Some(3)),
        ("near-miss", "warning", "near_miss.csv", Some(4)),
        ("near-miss", "warning", "near_miss.csv", Some(4)),
        ("unverified", "error", "gone.csv", None),
    ]
    .map(|(rule, level, file, line)| {
        (
            rule.to_owned(),
            level.to_owned(),
            format!("{PROGRAMS}/{file}"),
            line,
        )
    });
    assert_eq!(facts, expected);
}

/// An alert that was seen yesterday must be the same one today, although lines above it were added
/// and times shifted.
#[test]
fn fingerprints_outlive_edits_elsewhere_and_differ_between_findings() {
    let shop = Workshop::new();
    let prints = || -> Vec<String> {
        let log: Value = serde_json::from_str(&shop.reports(&["--all"])["sarif"]).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        results
            .iter()
            .map(|r| {
                r["partialFingerprints"]["clearanceFinding/v1"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    };
    let before = prints();
    let mut different = before.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), before.len());
    let file = shop.path().join(PROGRAMS).join("swing_through_guard.csv");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("# a note\n# and another\n{text}")).unwrap();
    assert_eq!(prints(), before);
}

#[test]
fn github_annotations_are_one_command_a_line() {
    let shop = Workshop::new();
    let text = &shop.reports(&[])["github"];
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5);
    let start = "::error file=trajectories/arm6/swing_through_guard.csv,line=3,title=clearance%3A contact::gripper against";
    assert!(lines[0].starts_with(start), "{}", lines[0]);
    assert!(lines[0].contains("27 %25): 0.991 mm"), "{}", lines[0]);
    assert_eq!(
        lines.iter().filter(|l| l.starts_with("::warning ")).count(),
        2
    );
}

#[test]
fn the_markdown_summary_lists_the_failing_programs_first() {
    let shop = Workshop::new();
    let text = &shop.reports(&[])["markdown"];
    assert!(text.starts_with("## clearance: 1 collision, 1 limit, 1 unverified, 2 clear\n"));
    let rows: Vec<&str> = text.lines().filter(|l| l.starts_with("| ")).collect();
    let signs: Vec<&str> = rows
        .iter()
        .skip(1)
        .map(|r| &r[2..r[2..].find(' ').unwrap() + 2])
        .collect();
    assert_eq!(signs, ["❌", "❌", "❌", "✅", "⚠️"]);
    assert!(
        rows[1].contains("swing\\_through\\_guard.csv | collision | line 3: gripper against guard")
    );
}

/// File names may hold anything but a slash; reports must stay what they are.
#[cfg(unix)]
#[test]
fn no_file_name_breaks_a_report() {
    use std::os::unix::ffi::OsStrExt;
    let shop = Workshop::new();
    let names: [&[u8]; 3] = [
        b"]]> & \"q\" <b>|%0A,:.csv",
        b"\x01\x1b[31m\t\r\n::error::x.csv",
        b"\xff\xfe.csv",
    ];
    let hit = shop.path().join(PROGRAMS).join("swing_through_guard.csv");
    let mut command = assert_cmd::Command::cargo_bin("clearance").unwrap();
    command
        .current_dir(shop.path())
        .env("XDG_CACHE_HOME", shop.path().join("cache"))
        .args(["check", "--cell", "robots/arm6/cell.toml"]);
    for format in ["junit", "sarif", "github", "markdown", "json"] {
        command
            .arg("--report")
            .arg(format!("{format}={format}.out"));
    }
    for name in names {
        let name = std::ffi::OsStr::from_bytes(name);
        fs::copy(&hit, shop.path().join(name)).unwrap();
        command.arg(name);
    }
    assert_eq!(command.output().unwrap().status.code(), Some(1));
    let read = |f: &str| fs::read_to_string(shop.path().join(format!("{f}.out"))).unwrap();
    let xml = read("junit");
    let document = junit_is_well_formed(&xml);
    let cases: Vec<&str> = document
        .descendants()
        .filter(|n| n.has_tag_name("testcase"))
        .filter_map(|n| n.attribute("name"))
        .collect();
    assert_eq!(cases[0].as_bytes(), names[0]);
    assert_eq!(cases[1], r"\x01\x1b[31m\t\r\n::error::x.csv");
    let log: Value = serde_json::from_str(&read("sarif")).unwrap();
    let uri = &log["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]
        ["uri"];
    assert_eq!(uri, "%01%1B%5B31m%09%0D%0A%3A%3Aerror%3A%3Ax.csv");
    let github = read("github");
    assert_eq!(github.lines().count(), 3);
    assert!(github.lines().all(|l| l.starts_with("::error file=")));
    assert_eq!(
        read("markdown")
            .lines()
            .filter(|l| l.starts_with("| ❌"))
            .count(),
        3
    );
    let json: Value = serde_json::from_str(&read("json")).unwrap();
    assert_eq!(json["programs"].as_array().unwrap().len(), 3);
}

#[test]
fn fail_on_chooses_what_counts() {
    let shop = Workshop::new();
    let program = |name: &str| format!("{PROGRAMS}/{name}.csv");
    for (name, more, code) in [
        ("swing_through_guard", "--fail-on limit", 0),
        ("swing_through_guard", "--fail-on near-miss --warn 5mm", 1),
        ("beyond_limit", "--fail-on collision,unverified", 0),
        ("beyond_limit", "--fail-on limit", 1),
        ("near_miss", "--warn 5mm", 0),
        ("near_miss", "--warn 5mm --fail-on near-miss", 1),
        ("near_miss", "--warn 3mm --fail-on near-miss", 0),
        ("gone", "--fail-on collision,limit", 2),
        ("gone", "--fail-on unverified", 2),
        ("gone", "--fail-on suspicious", 2),
        ("pick_place", "--fail-on near-miss", 2),
    ] {
        let file = program(name);
        let mut args: Vec<&str> = more.split(' ').collect();
        args.push(&file);
        let output = shop.check(&args);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{name} {more}: {output:?}"
        );
    }
    let idle = shop.check(&["--fail-on", "near-miss", &program("pick_place")]);
    let message = String::from_utf8(idle.stderr).unwrap();
    assert!(message.contains("no pair has a warn distance"), "{message}");
}

/// A shell completes, and a manual explains, the options that the command line knows.
#[test]
fn completions_and_man_pages_know_the_options() {
    let shop = Workshop::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = shop.run(&["generate", "completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        let text = stdout(&output);
        for word in ["check", "inspect", "fail-on", "watch"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    let page = stdout(&shop.run(&["generate", "man"]));
    assert!(page.contains(".TH clearance 1"), "{page}");
    let output = shop.run(&["generate", "man", "--dir", "man/pages"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let check = fs::read_to_string(shop.path().join("man/pages/clearance-check.1")).unwrap();
    assert!(
        check.contains("fail\\-on") && check.contains("warn"),
        "{check}"
    );
}

#[test]
fn colour_is_where_it_was_asked_for() {
    let shop = Workshop::new();
    let program = format!("{PROGRAMS}/pick_place.csv");
    let colored = |args: &[&str]| {
        let output = shop.check(&[args, &[&program]].concat());
        stdout(&output).contains('\x1b')
    };
    assert!(!colored(&[]));
    assert!(colored(&["--color", "always"]));
    assert!(!colored(&["--color", "never"]));
    // A file is not a terminal.
    assert!(!colored(&["--color", "always", "--report", "text=out.txt"]));
    let file = fs::read_to_string(shop.path().join("out.txt")).unwrap();
    assert!(
        file.starts_with("CLEAR") && !file.contains('\x1b'),
        "{file}"
    );
}
