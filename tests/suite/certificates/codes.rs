//! Exit codes of runs with certificates, and of what explains them.

use std::fs;

use assert_cmd::Command;
use clearance_recheck::files::read;

use super::{certified, ours, rounded};

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
