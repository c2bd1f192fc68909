//! What scenes of MoveIt allow.

use clearance_proof::model::{Allowance, AllowedBy, Cell};

use super::{ARM, ROBOT};
use crate::{LoadOptions, load_cell};

/// The cell of the arm with an SRDF, further lines, and other files.
fn cell_with(files: &[(&str, &str)], lines: &str) -> Cell {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    put("arm.urdf", ARM);
    put(
        "arm.srdf",
        r#"<robot name="arm"><disable_collisions link1="base" link2="jaw" reason="Never"/>
        <disable_collisions link1="jaw2" link2="tool0" reason="Never"/>
        <disable_collisions link1="base" link2="jaw2" reason="Never"/></robot>"#,
    );
    for (name, text) in files {
        put(name, text);
    }
    put("cell.toml", &format!("{ROBOT}srdf = \"arm.srdf\"\n{lines}"));
    let loaded = load_cell(&dir.path().join("cell.toml"), &LoadOptions::default());
    loaded.unwrap().cell
}

fn pairs(cell: &Cell, by: impl Fn(&AllowedBy) -> bool) -> Vec<String> {
    let allowed = cell.allowed.iter().filter(|a| by(&a.by));
    allowed
        .map(|Allowance { a, b, .. }| format!("{a} {b}"))
        .collect()
}

fn of_srdf(cell: &Cell) -> Vec<String> {
    pairs(cell, |by| matches!(by, AllowedBy::Srdf(_)))
}

fn is_said(cell: &Cell, what: &str) -> bool {
    cell.notes.iter().any(|note| note.message.contains(what))
}

/// A scene whose matrix has two names.
fn matrix(a: &str, b: &str, allowed: bool) -> String {
    format!(
        "world: {{collision_objects: []}}\nallowed_collision_matrix:\n  entry_names: [{a}, {b}]\n  entry_values: \
         [{{enabled: [false, {allowed}]}}, {{enabled: [{allowed}, false]}}]\n"
    )
}

/// In MoveIt the matrix of a message takes the place of the SRDF: what it does not allow is
/// checked, whatever the SRDF says.
#[test]
fn a_matrix_takes_back_what_the_srdf_allows() {
    let scene = "world: {collision_objects: []}\nallowed_collision_matrix:\n  entry_names: [tool0, jaw, jaw2]\n  entry_values:\n  \
         - enabled: [false, true, false]\n  - enabled: [true, false, false]\n  - enabled: [false, false, false]\n  \
         default_entry_names: [base]\n  default_entry_values: [true]\n";
    assert_eq!(
        of_srdf(&cell_with(&[], "")),
        ["base jaw", "jaw2 tool0", "base jaw2"]
    );
    let with = cell_with(&[("k.yaml", scene)], "[world]\nscene = \"k.yaml\"\n");
    assert_eq!(of_srdf(&with), ["base jaw", "base jaw2"]);
    assert!(
        is_said(
            &with,
            "that the SRDF allows; they are checked: `jaw2` – `tool0`"
        ),
        "{:?}",
        with.notes
    );
}

/// Regression: a pair of which the matrix says nothing stayed as the SRDF has it. MoveIt checks it.
#[test]
fn of_what_a_matrix_says_nothing_is_checked() {
    let scene = matrix("base", "jaw", true);
    let with = cell_with(&[("k.yaml", &scene)], "[world]\nscene = \"k.yaml\"\n");
    assert_eq!(of_srdf(&with), ["base jaw"]);
    assert!(is_said(&with, "`jaw2` – `tool0`"), "{:?}", with.notes);
    // A scene without a matrix says nothing of pairs.
    let empty = "world: {collision_objects: []}\n";
    let with = cell_with(&[("k.yaml", empty)], "[world]\nscene = \"k.yaml\"\n");
    assert_eq!(of_srdf(&with).len(), 3);
}

/// Regression: what one scene allows and another one wants checked was not checked.
#[test]
fn what_two_scenes_say_otherwise_is_checked() {
    let files = [
        ("yes.yaml", &*matrix("tool0", "jaw", true)),
        ("no.yaml", &*matrix("tool0", "jaw", false)),
    ];
    let allowed = |scenes: &str| {
        let cell = cell_with(&files, &format!("[world]\nscene = [{scenes}]\n"));
        let said = is_said(&cell, "that of another scene");
        (
            pairs(&cell, |by| matches!(by, AllowedBy::Scene(..))).len(),
            said,
        )
    };
    assert_eq!(allowed("\"yes.yaml\""), (1, false));
    assert_eq!(allowed("\"yes.yaml\", \"no.yaml\""), (0, true));
    assert_eq!(allowed("\"no.yaml\", \"yes.yaml\""), (0, true));
}
