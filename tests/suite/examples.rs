//! The example programs in `trajectories/` get the answers that their `expected.toml` states. Those
//! were found without this crate: by dense sampling and bisection with an independent distance
//! library on the same meshes.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde::Deserialize;
use serde_json::Value;

/// One `expected.toml`. What the keys mean is said in `trajectories/arm6/expected.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    cell: PathBuf,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    program: String,
    verdict: String,
    exit: i32,
    clearance: Option<String>,
    interpolation: Option<String>,
    #[serde(default)]
    pairs: Vec<[String; 2]>,
    first_contact: Option<Bracket>,
    minimum: Option<Minimum>,
    depth: Option<Depth>,
    #[serde(default)]
    limits: Vec<Limit>,
}

/// Seconds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bracket {
    earliest: f64,
    latest: f64,
}

/// Metres.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Minimum {
    at_least: f64,
    at_most: f64,
    pair: [String; 2],
}

/// Metres.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Depth {
    at_least: f64,
    at_most: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    joint: String,
    what: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sorted(mut pair: [String; 2]) -> [String; 2] {
    pair.sort();
    pair
}

fn pair_of(contact: &Value) -> [String; 2] {
    sorted(["a", "b"].map(|key| contact[key].as_str().expect("a body name").to_owned()))
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}

/// A check that answers in JSON, with everything said but its programs.
fn checking(cell: &Path) -> Command {
    let mut command = Command::cargo_bin("clearance").expect("the binary");
    command
        .args("check --no-cache --quiet --report json --cell".split(' '))
        .arg(cell);
    command
}

/// Exit code and JSON report of one run.
fn check(cell: &Path, program: &Path, clearance: Option<&str>, minimum: bool) -> (i32, Value) {
    let mut command = checking(cell);
    command.arg(program);
    if let Some(clearance) = clearance {
        command.args(["--clearance", clearance]);
    }
    if minimum {
        command.arg("--minimum");
    }
    let output = command.output().expect("a run");
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        panic!(
            "{}: no JSON report: {e}\n{}",
            program.display(),
            String::from_utf8_lossy(&output.stderr)
        )
    });
    (output.status.code().expect("an exit code"), report)
}

/// Everything about one case that is not as expected, one sentence each.
fn differences(case: &Case, exit: i32, report: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut expect = |right: bool, what: String| {
        if !right {
            wrong.push(what);
        }
    };
    let program = &report["programs"][0];
    expect(
        exit == case.exit,
        format!("exit code {exit}, not {}", case.exit),
    );
    for verdict in [&report["verdict"], &program["verdict"]] {
        expect(
            *verdict == case.verdict.as_str(),
            format!("verdict {verdict}, not {}", case.verdict),
        );
    }
    if let Some(law) = &case.interpolation {
        let got = &program["interpolation"];
        expect(got == law.as_str(), format!("path law {got}, not {law}"));
    }
    let limits = program["limits"].as_array().cloned().unwrap_or_default();
    let found: Vec<String> = limits
        .iter()
        .map(|l| {
            format!(
                "{} {}",
                l["joint"].as_str().unwrap_or("?"),
                l["what"].as_str().unwrap_or("?")
            )
        })
        .collect();
    let stated: Vec<String> = case
        .limits
        .iter()
        .map(|l| format!("{} {}", l.joint, l.what))
        .collect();
    expect(found == stated, format!("limits {found:?}, not {stated:?}"));

    let contact = &program["first_contact"];
    if case.pairs.is_empty() {
        expect(contact.is_null(), format!("a contact: {contact}"));
    } else if contact.is_null() {
        expect(false, "no contact".to_owned());
    } else {
        let pair = pair_of(contact);
        expect(
            case.pairs.iter().any(|p| sorted(p.clone()) == pair),
            format!("contact of {pair:?}, not of {:?}", case.pairs),
        );
        let (free_until, time) = (number(&contact["free_until"]), number(&contact["time"]));
        let Bracket { earliest, latest } =
            case.first_contact.as_ref().expect("a bracket beside pairs");
        // The truth lies in both brackets, and the report's is no wider than what such a resolution
        // leaves open.
        expect(
            free_until <= *latest && time >= *earliest,
            format!("first contact in {free_until} … {time}, not in {earliest} … {latest}"),
        );
        expect(
            time - free_until <= 0.01,
            format!("a wide bracket: {free_until} … {time}"),
        );
    }
    if let Some(Depth { at_least, at_most }) = case.depth {
        let depth = number(&program["first_contact"]["depth"]);
        expect(
            (at_least..=at_most).contains(&depth),
            format!("a depth of {depth}, not in {at_least} … {at_most}"),
        );
    }
    if let Some(minimum) = &case.minimum {
        let got = &program["minimum_clearance"];
        let (lower, distance) = (number(&got["lower_bound"]), number(&got["distance"]));
        expect(
            lower <= minimum.at_most && distance >= minimum.at_least && distance <= minimum.at_most,
            format!(
                "least clearance in {lower} … {distance}, not in {} … {}",
                minimum.at_least, minimum.at_most
            ),
        );
        let pair = pair_of(got);
        expect(
            pair == sorted(minimum.pair.clone()),
            format!("least clearance of {pair:?}, not of {:?}", minimum.pair),
        );
    }
    wrong
}

fn all_cases_of(robot: &str) {
    let folder = root().join("trajectories").join(robot);
    let text = std::fs::read_to_string(folder.join("expected.toml")).expect("expected.toml");
    let expected: Expected = toml::from_str(&text).expect("the keys of an expected.toml");
    let cell = folder.join(&expected.cell);
    let mut wrong = Vec::new();
    for case in &expected.case {
        let program = folder.join(&case.program);
        let (exit, report) = check(
            &cell,
            &program,
            case.clearance.as_deref(),
            case.minimum.is_some(),
        );
        for what in differences(case, exit, &report) {
            wrong.push(format!("{robot}/{}: {what}", case.program));
        }
    }
    // No program without an expectation.
    for entry in std::fs::read_dir(&folder).expect("the folder of programs") {
        let name = entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("a plain name");
        // Events stand beside their program.
        let name = name.replace(".events.toml", ".csv");
        if name != "expected.toml" && !expected.case.iter().any(|c| c.program == name) {
            wrong.push(format!(
                "{robot}/{name}: expected.toml says nothing about it"
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn six_axis_arm() {
    all_cases_of("arm6");
}

#[test]
fn scara_with_events() {
    all_cases_of("scara_events");
}

#[test]
fn scara() {
    all_cases_of("scara");
}

/// The two programs past a thin sheet are there because sampling misses the sheet, and the default
/// does not.
#[test]
fn a_hundred_samples_a_segment_miss_what_the_default_finds() {
    for (robot, name, sheet, segment) in [
        ("arm6", "swing_through_guard.csv", "guard", 1),
        ("scara", "swing_past_divider.csv", "divider", 1),
    ] {
        let cell = root().join("robots").join(robot).join("cell.toml");
        let program = root().join("trajectories").join(robot).join(name);
        let (_, report) = check(&cell, &program, None, false);
        let contact = &report["programs"][0]["first_contact"];
        assert_eq!(contact["b"], sheet);
        assert_eq!(contact["segment"], segment);

        // The same program, cut into a hundred pieces a segment: every single waypoint is clear on
        // its own.
        let text = std::fs::read_to_string(&program).expect("a program");
        let mut lines = text.lines();
        let header = lines.next().expect("a header");
        let rows: Vec<Vec<f64>> = lines
            .map(|l| l.split(',').map(|x| x.parse().expect("a number")).collect())
            .collect();
        let folder = tempfile::tempdir().expect("a folder");
        let mut samples = Vec::new();
        for pair in rows.windows(2) {
            for k in 0..=100 {
                let u = f64::from(k) / 100.0;
                let at: Vec<f64> = pair[0]
                    .iter()
                    .zip(&pair[1])
                    .map(|(a, b)| a + u * (b - a))
                    .collect();
                samples.push(at);
            }
        }
        // Standing still at a sample for a second: a program of its own for each.
        let mut command = checking(&cell);
        for (i, q) in samples.iter().enumerate() {
            let row = q[1..]
                .iter()
                .map(f64::to_string)
                .collect::<Vec<_>>()
                .join(",");
            let file = folder.path().join(format!("{i:04}.csv"));
            std::fs::write(&file, format!("{header}\n0,{row}\n1,{row}\n")).expect("a file");
            command.arg(file);
        }
        let output = command.output().expect("a run");
        let report: Value = serde_json::from_slice(&output.stdout).expect("a JSON report");
        assert_eq!(
            report["verdict"], "clear",
            "{name}: a sample hits something"
        );
        assert_eq!(
            report["programs"].as_array().map(Vec::len),
            Some(samples.len())
        );
    }
}
