//! The cell file of the folder is the cell where none is named, and the report says so first.

use super::*;

const SAID: &str = "cell: cell.toml (no --cell was given: this file of the folder is the cell)\n";

#[test]
fn a_cell_file_in_the_folder_is_the_cell() {
    let project = Project::new();
    let named = project.check("hit.csv").code(1);
    let found = project.run("check hit.csv").code(1);
    let text = |run: &assert_cmd::assert::Assert| {
        String::from_utf8_lossy(&run.get_output().stdout).into_owned()
    };
    assert_eq!(text(&found), SAID.to_owned() + &text(&named));
    project
        .run("batch hit.csv away.csv")
        .code(1)
        .stdout(predicate::str::starts_with(SAID));
    project
        .run("inspect")
        .code(0)
        .stdout(predicate::str::starts_with(
            "cell.toml (no --cell was given",
        ));
    project
        .run("distance --at [0,0]")
        .code(0)
        .stderr(contains("cell.toml: no --cell was given"));
    let run = project.run("check --report json hit.csv");
    let report: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    assert_eq!(report["cell"], "cell.toml");
    assert_eq!(report["notes"][0]["code"], "default-cell");
}

#[test]
fn it_is_said_too_where_the_cell_cannot_be_read() {
    let project = Project::new();
    project.write("cell.toml", "[[robot]]\nurdf = \"gone.urdf\"\n");
    project
        .run("check hit.csv")
        .code(2)
        .stdout(predicate::str::starts_with(SAID))
        .stdout(contains("gone.urdf"));
}

/// Whoever names a robot or a cell means that one.
#[test]
fn it_is_never_the_cell_where_another_one_is_named() {
    let project = Project::new();
    // The block, which only the cell file has, is what `hit.csv` hits.
    project
        .run("check --robot bench.urdf hit.csv")
        .code(0)
        .stdout(predicate::str::starts_with("CLEAR"));
    let without = CELL.split("[[obstacle]]").next().unwrap();
    project.write("other.toml", without);
    project
        .run("check --cell other.toml hit.csv")
        .code(0)
        .stdout(predicate::str::starts_with("CLEAR"));
    // An obstacle without a robot is a slip, not a part of the cell.
    project.run("check --obstacle block.stl hit.csv").code(2);
}

#[test]
fn without_one_the_cell_must_be_named() {
    let project = Project::new();
    fs::rename(
        project.path().join("cell.toml"),
        project.path().join("other.toml"),
    )
    .unwrap();
    project.run("check hit.csv").code(2).stderr(contains(
        "no cell given, and no cell.toml in this folder: name its file, as in `--cell cell.toml`",
    ));
    project
        .run("tree")
        .code(2)
        .stderr(contains("or a mesh file"));
    fs::create_dir(project.path().join("cell.toml")).unwrap();
    project
        .run("check hit.csv")
        .code(2)
        .stderr(contains("no cell given"));
}

/// Results of a run do not depend on how its cell was named.
#[test]
fn results_are_continued_however_the_cell_is_named() {
    let project = Project::new();
    project
        .run("batch hit.csv away.csv --results r.jsonl")
        .code(1);
    project
        .run("batch --cell cell.toml hit.csv away.csv --results r.jsonl --resume")
        .code(1)
        .stderr(contains("2 of 2 programs are done and unchanged"));
}
