//! What a run writes is none of the files that it reads.

use super::*;

/// Every file of a run, with what is in it.
fn contents(project: &Project) -> Vec<(String, Vec<u8>)> {
    let files = [
        "cell.toml",
        "bench.urdf",
        "block.stl",
        "away.csv",
        "pp.geometry",
    ];
    let read = |name: &str| std::fs::read(project.path().join(name)).unwrap();
    files.map(|name| (name.to_owned(), read(name))).to_vec()
}

#[test]
fn no_output_takes_the_place_of_an_input() {
    let project = Project::new();
    let clear = std::fs::read(project.path().join("away.csv")).unwrap();
    project.write("pp.geometry", clear);
    let whole = contents(&project);
    let check = "check --no-cache --quiet --cell cell.toml";
    let batch = "batch --no-cache --quiet --cell cell.toml";
    for line in [
        format!("{check} away.csv --certificate away.csv"),
        format!("{check} pp.geometry --certificate pp.cert"),
        format!("{check} away.csv --report json=away.csv"),
        format!("{check} away.csv --report json=./cell.toml"),
        format!("{check} away.csv --report json=bench.urdf"),
        format!("{check} away.csv --report junit=block.stl --certificate a.cert"),
        format!("{check} away.csv --report html=block.stl"),
        format!("{batch} away.csv --report json=away.csv"),
        format!("{batch} away.csv --report json=block.stl"),
        format!("{batch} away.csv --report parquet=cell.toml"),
    ] {
        let said = contains("this file is read");
        project.run(&line).code(2).stderr(said);
        assert!(contents(&project) == whole, "{line}");
    }
    let line = format!("{check} away.csv --certificate a.cert --report json=a.geometry");
    project.run(&line).code(2).stderr(contains("two things"));
    // What is there and is not read is written anew.
    for _ in 0..2 {
        let line = format!("{check} away.csv --certificate a.cert --report json=a.json");
        project.run(&line).code(0);
    }
    assert!(contents(&project) == whole);
}
