//! What a certificate says of the run that it comes from.

use clearance_recheck::files::read;

use super::{certified, ours, rounded};

/// The notes of the certificate of a program.
fn notes(cell: &str, words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let (_, said) = certified(cell, words, &file);
    let (_, certificate) = read(&file).unwrap_or_else(|e| panic!("{e}: {said}"));
    certificate.notes.join("\n")
}

/// Another motion of the same file has the same inputs, so what chose this one has to be said.
#[test]
fn options_that_choose_the_motion_are_notes_of_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let program = rounded(folder.path()).display().to_string();
    let cell = "robots/arm6/cell.toml";
    let words = [&program, "--corners", "exact", "--orientation-tube", "0.2"];
    let said = notes(cell, &words);
    for note in [
        "options: --corners exact --orientation-tube 0.2",
        "1 corner: the way through them is not proved, as --corners exact asks",
    ] {
        assert!(said.contains(note), "{note}: {said}");
    }
    let left = ours("trajectories/two_arms/visit.csv");
    let left = format!("left={}@1.5s", left.display());
    let said = notes("robots/two_arms/cell.toml", &["--program", &left]);
    assert!(said.contains(&format!("run as: {left}")), "{said}");
    let plain = ours("trajectories/arm6/pick_place.csv");
    let said = notes(cell, &[&plain.display().to_string()]);
    assert!(!said.contains("options:"), "{said}");
}

#[test]
fn a_motion_beyond_its_limits_is_told_by_its_certificate() {
    let program = ours("trajectories/arm6/beyond_limit.csv");
    let said = notes("robots/arm6/cell.toml", &[&program.display().to_string()]);
    assert!(said.contains("this motion is beyond limits of "), "{said}");
}
