//! What an earlier run has left where a certificate is to be written.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

use super::{certified, ours};

#[test]
fn a_run_without_a_certificate_leaves_none_of_an_earlier_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let run = |program: &Path| {
        let program = program.display().to_string();
        certified("robots/arm6/cell.toml", &[&program], &file).0
    };
    let missing = folder.path().join("missing.csv");
    assert_eq!(run(&ours("trajectories/arm6/pick_place.csv")), 0);
    assert!(file.exists());
    assert_eq!(run(&missing), 2);
    assert!(!file.exists(), "it is of another run");
    // A command line that cannot be read has touched no file.
    let good = ours("trajectories/arm6/pick_place.csv")
        .display()
        .to_string();
    assert_eq!(run(Path::new(&good)), 0);
    let words = [good.as_str(), "--clearance", "wide"];
    assert_eq!(certified("robots/arm6/cell.toml", &words, &file).0, 2);
    assert!(file.exists());
    fs::write(&file, "something else").unwrap();
    assert_eq!(run(&missing), 2);
    assert_eq!(fs::read_to_string(&file).unwrap(), "something else");
}

/// The report says that there is no answer: the certificate beside it must not say that there is
/// one.
#[test]
fn a_certificate_does_not_stay_beside_a_report_without_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let good = ours("trajectories/arm6/pick_place.csv");
    let program = good.display().to_string();
    let cell = ours("robots/arm6/cell.toml").display().to_string();
    let other = ours("trajectories/arm6/near_miss.csv")
        .display()
        .to_string();
    let run = |words: &str| {
        let mut command = Command::cargo_bin("clearance").unwrap();
        command.current_dir(folder.path());
        command.args(format!("check --certificate a.cert {words}").split_whitespace());
        command.assert().code(2);
    };
    for (words, goes) in [
        // There is no cell in the folder, and no program in the last line.
        (program.clone(), false),
        (format!("{program} --report json=a.json"), true),
        // It is of one program, and of a proof.
        (
            format!("--cell {cell} {program} {other} --report json=a.json"),
            true,
        ),
        (
            format!("--cell {cell} {program} --shape grid --report json=a.json"),
            true,
        ),
        (
            format!(
                "--cell {} --report json=a.json",
                ours("robots/arm6/cell.toml").display()
            ),
            true,
        ),
    ] {
        assert_eq!(certified("robots/arm6/cell.toml", &[&program], &file).0, 0);
        run(&words);
        assert_eq!(file.exists(), !goes, "{words}");
    }
    let report = fs::read_to_string(folder.path().join("a.json")).unwrap();
    assert!(report.contains("\"verdict\": \"unverified\""), "{report}");
}
