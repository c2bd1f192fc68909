//! `clearance self-test`: all suites pass, and the record says what was asked.

use assert_cmd::Command;
use serde_json::Value;

/// Catches a suite that asks nothing, one whose scenes are all of one kind, and questions that
/// differ from run to run.
#[test]
fn the_program_passes_its_own_test_and_says_what_it_asked() {
    let folder = tempfile::tempdir().unwrap();
    let mut suites = Vec::new();
    for run in ["first", "second"] {
        let report = folder.path().join(run);
        let mut command = Command::cargo_bin("clearance").unwrap();
        command.args("self-test --quiet --seed 7 --scenes 60 --report".split(' '));
        let said = command.arg(&report).assert().success();
        let said = String::from_utf8_lossy(&said.get_output().stdout).into_owned();
        assert!(said.contains("all passed"), "{said}");
        let file = std::fs::read_dir(&report).unwrap().next().unwrap().unwrap();
        let record: Value = serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
        assert_eq!(record["passed"], true);
        assert_eq!(record["version"], env!("CARGO_PKG_VERSION"));
        for hash in ["program_sha256", "examples_sha256"] {
            assert_eq!(record[hash].as_str().unwrap().len(), 64, "{record}");
        }
        let all = record["suites"].as_array().unwrap().clone();
        let count = |name: &str, what: &str| {
            let suite = all.iter().find(|s| s["name"] == name).expect(name);
            suite[what].as_u64().unwrap()
        };
        for name in ["examples", "closed forms", "random scenes"] {
            let (clear, collision) = (count(name, "clear"), count(name, "collision"));
            assert!(clear >= 5 && collision >= 5, "{name}: {said}");
        }
        let clear = count("closed forms", "clear") + count("random scenes", "clear");
        assert_eq!(count("certificates", "clear"), clear, "{said}");
        suites.push(all);
    }
    assert_eq!(suites[0], suites[1]);
}
