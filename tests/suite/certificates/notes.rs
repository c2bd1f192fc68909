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

/// Of a table of many programs the file is an input.
#[test]
fn the_table_of_a_program_is_an_input_of_its_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    let names = "joint_1,joint_2,joint_3,joint_4,joint_5,joint_6";
    let rows = "a,0,0,-0.3,0.3,0,1.2,0\na,1,0.1,-0.3,0.3,0,1.2,0\nb,0,0,-0.3,0.3,0,1.2,0\n";
    std::fs::write(&file, format!("program,time,{names}\n{rows}")).unwrap();
    let name = format!("{}#a", file.display());
    let said = notes("robots/arm6/cell.toml", &[&name]);
    let input = said.lines().find(|line| line.contains("t.csv")).unwrap();
    let expected = format!("input {} (SHA-256 ", file.display());
    assert!(
        input.starts_with(&expected) && !input.contains("not read"),
        "{said}"
    );
}
