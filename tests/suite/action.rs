//! The check of `action.yml`, run as a runner does it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Run {
    output: Output,
    summary: String,
    exit_code: String,
}

fn check(folder: &Path, inputs: &[(&str, &str)]) -> Run {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let at = |name: &str| -> PathBuf { folder.join(name) };
    let output = Command::new("bash")
        .arg(top.join(".github/action/check.sh"))
        .current_dir(top)
        .env("CLEARANCE", env!("CARGO_BIN_EXE_clearance"))
        .env("TREES", at("trees"))
        .env("CELL", "robots/arm6/cell.toml")
        .env("GITHUB_STEP_SUMMARY", at("summary.md"))
        .env("GITHUB_OUTPUT", at("output"))
        .envs(inputs.iter().copied())
        .output()
        .unwrap();
    let read = |name: &str| std::fs::read_to_string(at(name)).unwrap_or_default();
    Run {
        output,
        summary: read("summary.md"),
        exit_code: read("output"),
    }
}

#[test]
fn action_annotates_summarises_and_fails() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("report.json");
    let reports = format!("  json={}\n", json.display());
    let run = check(
        folder.path(),
        &[
            (
                "PROGRAMS",
                "\n trajectories/arm6/pick_place.csv\n trajectories/arm6/place*.csv \n",
            ),
            ("REPORTS", &reports),
        ],
    );
    assert_eq!(run.output.status.code(), Some(1));
    assert_eq!(run.exit_code, "exit-code=1\n");
    let said = String::from_utf8(run.output.stdout).unwrap();
    assert!(
        said.contains("::error file=trajectories/arm6/place_too_low.csv,line=10"),
        "{said}"
    );
    assert!(
        run.summary
            .starts_with("## clearance: 1 collision, 1 clear"),
        "{}",
        run.summary
    );
    assert!(json.exists());
    assert!(!folder.path().join("summary.md.clearance").exists());
}

#[test]
fn action_passes_what_is_clear_and_takes_options() {
    let folder = tempfile::tempdir().unwrap();
    let clear = [("PROGRAMS", "trajectories/arm6/pick_place.csv")];
    let run = check(folder.path(), &clear);
    assert_eq!(
        (run.output.status.code(), run.exit_code.as_str()),
        (Some(0), "exit-code=0\n")
    );
    let strict = check(
        folder.path(),
        &[clear[0], ("OPTIONS", "--clearance 50mm --no-limits")],
    );
    assert_eq!(strict.output.status.code(), Some(1));
    // As YAML gives them where they stand on several lines.
    let lines = "--no-limits\n--clearance 50mm\n";
    let strict = check(folder.path(), &[clear[0], ("OPTIONS", lines)]);
    assert_eq!(strict.output.status.code(), Some(1));
}

/// Regression: options that ask for the help made the step green, and a program that does not start
/// had the code of a finding.
#[test]
fn action_that_checks_nothing_fails() {
    let collides = ("PROGRAMS", "trajectories/arm6/place_too_low.csv");
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    std::fs::write(&other, "#!/bin/sh\nexit 1\n").unwrap();
    for more in [
        ("OPTIONS", "--no-limits -h"),
        ("OPTIONS", "--help"),
        ("CLEARANCE", other.to_str().unwrap()),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let run = check(folder.path(), &[collides, more]);
        assert_eq!(run.output.status.code(), Some(2), "{more:?}");
        assert_eq!(run.exit_code, "exit-code=2\n", "{more:?}");
        let said = String::from_utf8(run.output.stderr).unwrap();
        assert!(said.contains("nothing was checked"), "{said}");
    }
}

/// Where a workflow has left out the pattern, the reports are written all the same.
#[test]
fn action_without_programs_says_so_in_its_reports() {
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("report.xml");
    let reports = format!("junit={}", junit.display());
    let run = check(folder.path(), &[("PROGRAMS", ""), ("REPORTS", &reports)]);
    assert_eq!(run.output.status.code(), Some(2));
    let said = std::fs::read_to_string(junit).unwrap();
    assert!(said.contains("<error") && said.contains("no program given"));
    assert!(run.summary.contains("no program given"), "{}", run.summary);
}

/// The program in the cache is that of these very sources.
#[test]
fn the_digest_of_the_sources_changes_with_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let digest = || {
        let mut command = Command::new("bash");
        command.arg(top.join(".github/action/source.sh"));
        let output = command.arg(folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.trim().len() == 40 && text.lines().count() == 1,
            "{text}"
        );
        text
    };
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("Cargo.lock", "");
    write("src/a file.rs", "fn main() {}");
    let first = digest();
    assert_eq!(digest(), first);
    write("target/debug/made.rs", "");
    assert_eq!(digest(), first, "what was built is no source");
    let mut seen = vec![first];
    for (name, text) in [
        ("src/a file.rs", "fn main() { }"),
        ("Cargo.lock", "[[package]]"),
        ("crates/proof/src/lib.rs", ""),
    ] {
        write(name, text);
        let now = digest();
        assert!(!seen.contains(&now), "{name}");
        seen.push(now);
    }
}

#[test]
fn inputs_of_the_action_are_never_run() {
    let folder = tempfile::tempdir().unwrap();
    let trap = folder.path().join("trap");
    let evil = format!("$(touch {0}) `touch {0}` ; touch {0} #.csv", trap.display());
    let run = check(
        folder.path(),
        &[("PROGRAMS", &evil), ("OPTIONS", "$(touch trap)")],
    );
    assert_eq!(run.output.status.code(), Some(2));
    assert!(!trap.exists());
}

#[test]
fn no_program_of_the_action_is_an_option() {
    let folder = tempfile::tempdir().unwrap();
    let clear = "trajectories/arm6/beyond_limit.csv";
    let run = check(
        folder.path(),
        &[("PROGRAMS", &format!("--no-limits\n{clear}"))],
    );
    assert_eq!(run.output.status.code(), Some(2));
    let said = String::from_utf8(run.output.stderr).unwrap();
    assert!(said.contains("`--no-limits` does not exist"), "{said}");
    // The summary of the job tells it.
    assert!(run.summary.contains("❌"), "{}", run.summary);
}
