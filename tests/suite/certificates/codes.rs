//! Exit codes of runs with certificates, of what explains them, and of both checkers.

use std::fs;

use assert_cmd::Command;
use clearance_recheck::files::read;

use super::agree::{once_refused, once_taken, python};
use super::{certified, ours, rounded, valid};

/// Who asks for a certificate hears of a collision as before: 2 would say that nothing worse was
/// found.
#[test]
fn a_missing_certificate_does_not_hide_what_was_found() {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("p");
    fs::create_dir(&programs).unwrap();
    // Clear, with corners that may be rounded, so without a certificate.
    rounded(&programs);
    let run = |certificates: &str| {
        let mut command = Command::cargo_bin("clearance").expect("the binary");
        command.args("batch --no-cache --quiet --report json --cell".split(' '));
        command.arg(ours("robots/arm6/cell.toml")).arg(&programs);
        command.arg("--certificates");
        let output = command.arg(folder.path().join(certificates)).output();
        let output = output.expect("a run");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("corners of it may be rounded"), "{said}");
        output.status.code()
    };
    assert_eq!(run("one"), Some(2));
    let hit = ours("trajectories/arm6/swing_through_guard.csv");
    fs::copy(hit, programs.join("hit.csv")).unwrap();
    assert_eq!(run("two"), Some(1));
}

/// Its help says that 0 is clear; and of the time behind the contact nothing is said.
#[test]
fn the_explanation_of_a_contact_ends_as_a_contact_does() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let program = ours("trajectories/arm6/swing_through_guard.csv");
    let program = program.display().to_string();
    let (code, said) = certified("robots/arm6/cell.toml", &[&program], &file);
    assert_eq!(code, 1, "{said}");
    let mut explain = Command::cargo_bin("clearance").unwrap();
    explain.args(["certificate", "explain"]).arg(&file);
    let explained = explain.assert().code(1).get_output().stdout.clone();
    let explained = String::from_utf8_lossy(&explained).into_owned();
    let mut help = Command::cargo_bin("clearance").unwrap();
    let help = help.args(["certificate", "explain", "--help"]).output();
    let help = String::from_utf8(help.unwrap().stdout).unwrap();
    assert!(
        help.contains("1  the certificate is valid, and says that there is a contact"),
        "{help}"
    );
    assert!(!help.contains("--fail-on"), "{help}");
    let (_, certificate) = read(&file).unwrap();
    let free_until = certificate.contact.unwrap().free_until as f64 / 2f64.powi(40);
    let share = free_until / certificate.segments.len() as f64;
    let strips = explained
        .lines()
        .filter_map(|line| line.strip_prefix("  ["));
    let mut count = 0;
    for strip in strips {
        count += 1;
        let (strip, _) = strip.split_once(']').unwrap();
        let (before, behind) = strip.split_at((share * strip.len() as f64).ceil() as usize);
        assert!(!before.contains(' ') && behind.trim().is_empty(), "{strip}");
        assert!(!behind.is_empty());
    }
    assert!(count > 10, "{explained}");
}

/// Faces in the plane of a ray, and a bound for the middle that is less than those of the corners.
#[test]
#[ignore = "needs python3; .ci/run asks for it"]
fn what_is_true_is_refused_by_neither_checker() {
    let folder = tempfile::tempdir().unwrap();
    for file in once_refused(folder.path()) {
        let (geometry, certificate) = read(&file).unwrap();
        valid(&geometry, &certificate).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let (takes, said) = python(&file);
        assert!(takes, "{said}");
    }
}

/// What says two things, or nothing, or what two readers may read as two things.
#[test]
#[ignore = "needs python3; .ci/run asks for it"]
fn what_is_open_is_refused_by_both_checkers() {
    let folder = tempfile::tempdir().unwrap();
    for file in once_taken(folder.path()) {
        let ours = read(&file).and_then(|(geometry, certificate)| valid(&geometry, &certificate));
        assert!(ours.is_err(), "{}", file.display());
        let (takes, said) = python(&file);
        assert!(
            !takes && said.contains("invalid: "),
            "{}: {said}",
            file.display()
        );
    }
    let mut alone = Command::new("python3");
    alone.arg(ours("tests/recheck.py")).assert().code(2);
}
