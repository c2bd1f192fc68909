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

/// Regression: of reports that cannot be written one was named, and what an earlier run had left in
/// their places looked like this run's.
#[test]
#[cfg(unix)]
fn reports_that_cannot_be_written_are_named_and_leave_no_older_ones() {
    let project = Project::new();
    let files = ["r.json", "r.xml", "r.md", "r.html"];
    let reports =
        "--report json=r.json --report junit=r.xml --report markdown=r.md --report html=r.html";
    let check = |program: &str| format!("check --no-cache --cell cell.toml {program} {reports}");
    project.run(&check("away.csv")).code(0);
    let there = || files.map(|file| project.path().join(file).exists());
    assert_eq!(there(), [true; 4]);
    let program = env!("CARGO_BIN_EXE_clearance");
    let line = format!(
        "trap '' XFSZ; ulimit -f 0; exec {program} {}",
        check("hit.csv")
    );
    let run = std::process::Command::new("sh")
        .args(["-c", &line])
        .current_dir(project.path())
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1));
    let said = String::from_utf8_lossy(&run.stderr);
    for file in files {
        assert!(said.contains(&format!("error: {file}")), "{file}: {said}");
    }
    assert_eq!(there(), [false; 4]);
}

/// Other commands write files too.
#[test]
fn no_command_writes_over_what_it_reads() {
    let project = Project::new();
    project
        .run("batch --no-cache --cell cell.toml away.csv --results r.jsonl")
        .code(0);
    project
        .run("batch --no-cache --cell cell.toml away.csv --clearance 1mm --results open.jsonl")
        .code(0);
    let open = std::fs::read_to_string(project.path().join("open.jsonl")).unwrap();
    let last = open.trim_end().rfind('\n').unwrap();
    project.write("open.jsonl", &open[..=last]);
    project.write("part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let names = [
        "cell.toml",
        "bench.urdf",
        "arm.stl",
        "away.csv",
        "r.jsonl",
        "open.jsonl",
        "part.obj",
    ];
    let read = || names.map(|name| std::fs::read(project.path().join(name)).unwrap());
    let whole = read();
    for (line, why) in [
        ("merge r.jsonl --results away.csv", "is not a result file"),
        (
            "merge r.jsonl --results open.jsonl",
            "did not come to its end",
        ),
        ("merge r.jsonl --report json=r.jsonl", "this file is read"),
        ("merge r.jsonl --results ./r.jsonl", "this file is read"),
        (
            "merge r.jsonl --results m.jsonl --report json=m.jsonl",
            "two things",
        ),
        (
            "batch --cell cell.toml away.csv --results m.jsonl --report json=./m.jsonl",
            "two things",
        ),
        (
            "batch --cell cell.toml away.csv --results r.jsonl --report json=./r.jsonl",
            "two things",
        ),
        (
            "check --cell cell.toml away.csv --report json=a.json --report junit=./a.json",
            "two things",
        ),
        (
            "inspect --cell cell.toml --report html=cell.toml",
            "this file is read",
        ),
        (
            "inspect --cell cell.toml --report html=arm.stl",
            "this file is read",
        ),
        ("tree part.obj --export part.obj", "this file is read"),
        (
            "pack --cell cell.toml --output cell.toml",
            "this file is read",
        ),
        (
            "pack --cell cell.toml --output bench.urdf",
            "this file is read",
        ),
        ("init bench.urdf -o bench.urdf --force", "this file is read"),
        ("init bench.urdf -o arm.stl --force", "this file is read"),
        (
            "init bench.urdf away.csv -o away.csv --force",
            "this file is read",
        ),
    ] {
        project.run(line).code(2).stderr(contains(why));
        assert!(read() == whole, "{line}");
    }
    for new in ["m.jsonl", "a.json"] {
        assert!(!project.path().join(new).exists(), "{new}");
    }
    // A cell file may be made anew.
    project.run("init bench.urdf -o cell.toml --force").code(0);
}

/// A pipe takes the pack, and a link stays one.
#[cfg(unix)]
#[test]
fn a_pack_goes_where_its_name_leads() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::process::Command;

    let project = Project::new();
    let at = |name: &str| project.path().join(name);
    let pack = "pack --quiet --cell cell.toml --output";
    project.run(&format!("{pack} plain.pack")).code(0);
    let whole = std::fs::read(at("plain.pack")).unwrap();

    project.write("real.pack", "old");
    symlink("real.pack", at("link.pack")).unwrap();
    project.run(&format!("{pack} link.pack")).code(0);
    assert!(at("link.pack").is_symlink());
    assert!(std::fs::read(at("real.pack")).unwrap() == whole);

    let made = Command::new("mkfifo").arg(at("pipe")).status().unwrap();
    assert!(made.success());
    let taken = std::fs::File::create(at("taken")).unwrap();
    let mut reader = Command::new("cat");
    let mut reader = reader.arg(at("pipe")).stdout(taken).spawn().unwrap();
    let run = project.run(&format!("{pack} pipe"));
    let is_pipe = std::fs::metadata(at("pipe")).unwrap().file_type().is_fifo();
    if !is_pipe || !run.get_output().status.success() {
        // Nobody will write to it any more.
        reader.kill().unwrap();
    }
    reader.wait().unwrap();
    assert!(is_pipe);
    run.code(0);
    assert!(std::fs::read(at("taken")).unwrap() == whole);

    let missing = project.run(&format!("{pack} gone/cell.pack"));
    missing.code(2).stderr(contains("gone/cell.pack"));
}

/// A file of before is not taken for what was joined now, and what cannot be used is told so that it
/// fits.
#[test]
fn joined_results_that_are_not_written_are_told() {
    let project = Project::new();
    let batch = "batch --no-cache --quiet --cell cell.toml away.csv also.csv --results";
    project.write(
        "also.csv",
        std::fs::read(project.path().join("away.csv")).unwrap(),
    );
    for part in [1, 2] {
        let line = format!("{batch} s{part}.jsonl --shard {part}/2");
        project.run(&line).code(0);
    }
    let all = || std::fs::read_to_string(project.path().join("all.jsonl")).unwrap();
    project
        .run("merge s1.jsonl s2.jsonl --results all.jsonl")
        .code(0);
    let whole = all();
    project
        .run("merge s1.jsonl --results all.jsonl --report junit=z.xml")
        .code(2)
        .stderr(contains("shard 2/2 are missing"))
        .stderr(contains("; all.jsonl is not written"));
    let junit = std::fs::read_to_string(project.path().join("z.xml")).unwrap();
    assert!(junit.contains("all.jsonl is not written"), "{junit}");
    assert_eq!(all(), whole);

    let older = whole.replacen("{\"results\":3,", "{\"results\":1,", 1);
    let damaged = whole.replacen("\"programs\":2", "\"programs\":x", 1);
    assert!(older != whole && damaged != whole);
    for (text, why) in [(older, "older than schema 3"), (damaged, "is damaged")] {
        project.write("all.jsonl", &text);
        project
            .run("merge s1.jsonl s2.jsonl --results all.jsonl")
            .code(2)
            .stderr(contains(why))
            .stderr(contains("is not replaced; remove it, or name another"))
            .stderr(contains("verif").not());
        assert_eq!(all(), text);
    }
}
