//! Input that is read, and input that is refused: files without end, numbers without bounds, names
//! that are slips.

use super::*;

/// The output of a run, on either stream; the run must end with this code.
fn said(run: assert_cmd::assert::Assert, code: i32) -> String {
    let run = run.code(code);
    let output = run.get_output();
    let [out, err] =
        [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b).into_owned());
    out + &err
}

/// Holds a text to what must stand in it.
fn holds(text: &str, pieces: &[&str]) {
    for piece in pieces {
        assert!(text.contains(piece), "`{piece}` is not in: {text}");
    }
}

/// A message of the project's two joints with velocities: (time, position of `turn`, its velocity).
fn message(rows: [(&str, &str, &str); 2]) -> String {
    let points = rows.map(|(time, q, v)| {
        format!(r#"{{"positions":[{q},0],"velocities":[{v},0],"time_from_start":{time}}}"#)
    });
    format!(
        r#"{{"joint_names":["turn","slide"],"points":[{}]}}"#,
        points.join(",")
    )
}

/// Some of these ran for ever; others were proved with numbers that say nothing.
#[test]
fn numbers_that_cannot_be_computed_with_are_refused_by_line() {
    let project = Project::new();
    for (name, text, cause) in [
        (
            "a.json",
            message([("0", "0", "1e100"), ("1", "1", "-1e100")]),
            "gets beyond 1e12 rad",
        ),
        (
            "b.json",
            message([("0", "0", "0"), ("1", "1e100", "0")]),
            "gets beyond 1e12 rad",
        ),
        (
            "c.json",
            message([("0", "0", "0"), ("1e-310", "1", "0")]),
            "step of time",
        ),
        (
            "d.json",
            message([("0", "0", "0"), ("1e300", "1", "0")]),
            "state another unit",
        ),
        (
            "e.csv",
            "time,turn[rad],slide\n0,0,0\n1,1e9,0\n".into(),
            "e.csv:3: joint `turn` goes through 1e9 rad",
        ),
    ] {
        project.write(name, text);
        holds(&said(project.check(name), 2), &["UNVERIFIED", cause]);
    }
    project.write(
        "away.events.toml",
        "[[event]]\nat = 0.5\nmove = \"slide\"\nvalue = 1e100\nduration = 1\n",
    );
    holds(
        &said(project.check("away.csv"), 2),
        &["UNVERIFIED", "away.events.toml:1"],
    );
}

/// Each of these hung the run.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_read() {
    let project = Project::new();
    let pipe = |name: &str| {
        let made = std::process::Command::new("mkfifo")
            .arg(project.path().join(name))
            .status();
        assert!(made.is_ok_and(|s| s.success()), "mkfifo is missing");
    };
    pipe("pipe.csv");
    let is_pipe = "it is a pipe, not a file";
    holds(&said(project.check("pipe.csv"), 2), &[is_pipe]);
    let batch = project.run("batch --cell cell.toml . --quiet");
    holds(&said(batch, 1), &[is_pipe]);
    for results in [
        "merge pipe.csv",
        "batch --cell cell.toml away.csv --baseline pipe.csv --quiet",
    ] {
        let refused = said(project.run(results), 2);
        holds(&refused, &["pipe.csv is not a result file"]);
    }
    // An events file that cannot be read was taken for none, and the program was clear.
    pipe("away.events.toml");
    holds(
        &said(project.check("away.csv"), 2),
        &["away.events.toml", is_pipe],
    );
    std::fs::remove_file(project.path().join("away.events.toml")).unwrap();
    std::os::unix::fs::symlink("nowhere", project.path().join("away.events.toml")).unwrap();
    holds(
        &said(project.check("away.csv"), 2),
        &["away.events.toml: cannot be read"],
    );
    // The mesh of a link.
    std::fs::remove_file(project.path().join("arm.stl")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", project.path().join("arm.stl")).unwrap();
    holds(
        &said(project.check("hit.csv"), 2),
        &["arm.stl: cannot be read: it is a device"],
    );
}

#[test]
fn a_mesh_error_names_who_refers_to_it() {
    let project = Project::new();
    project.write(
        "arm.stl",
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    );
    let pointer = "arm.stl: this is a Git LFS pointer";
    let by = "it is the mesh of link `arm` in bench.urdf:4:";
    holds(
        &said(project.check("hit.csv"), 2),
        &[pointer, "`git lfs pull`", by],
    );
}

#[test]
fn quoted_patterns_work_in_check_as_in_batch() {
    let project = Project::new();
    holds(&said(project.check("a*.csv --quiet"), 0), &["away.csv"]);
    let none = "no file matches this pattern: check the path";
    holds(&said(project.check("nothing*.csv"), 2), &[none]);
    // Nothing is said to match nothing that may match.
    holds(
        &said(project.check("n/**.csv"), 2),
        &["`n/**.csv` is not a pattern"],
    );
    project.write("list.txt", "a*.csv\n");
    holds(
        &said(project.run("batch --cell cell.toml --list list.txt"), 2),
        &["a*.csv", "patterns mean nothing in a list or a request"],
    );
    project.write("list.txt", ".\n");
    let folder = &said(project.run("batch --cell cell.toml --list list.txt"), 2);
    assert!(!folder.contains("*.csv"), "{folder}");
}

/// Reports could not tell them apart; and a dead link is told as what it is.
#[cfg(unix)]
#[test]
fn names_that_are_shown_alike_are_refused_by_check_too() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let project = Project::new();
    let text = fs::read_to_string(project.path().join("away.csv")).unwrap();
    fs::create_dir(project.path().join("n")).unwrap();
    let names = [&b"n/x\xfe.csv"[..], b"n/x\xff.csv"].map(OsStr::from_bytes);
    for name in names {
        fs::write(project.path().join(name), &text).unwrap();
    }
    holds(&said(project.check("n/*.csv"), 2), &["is not text"]);
    let alike = ["are both shown as"];
    holds(&said(project.check("n/**"), 2), &alike);
    let mut command = Command::cargo_bin("clearance").unwrap();
    command.args(["check", "--cell", "cell.toml", "--no-cache"]);
    command.args(names).current_dir(project.path());
    holds(&said(command.assert(), 2), &alike);
    std::os::unix::fs::symlink("nowhere", project.path().join("dead.csv")).unwrap();
    holds(
        &said(project.check("dead.csv"), 2),
        &["it is a link, and what it leads to is gone"],
    );
}

#[test]
fn a_name_without_end_is_cut_in_the_message() {
    let project = Project::new();
    let name = "x".repeat(1 << 20);
    project.write("long.csv", format!("time,{name}\n0,0\n"));
    let said = said(project.check("long.csv"), 2);
    assert!(said.len() < 20_000, "{} bytes", said.len());
    assert!(said.contains("bytes in all"), "{said}");
}

/// Ten thousand things that stand in the cell: their pairs are counted, not listed.
#[test]
fn thousands_of_obstacles_are_checked_and_inspected() {
    let project = Project::new();
    let cell = fs::read_to_string(project.path().join("cell.toml")).unwrap();
    let more: String = (0..300)
        .map(|i| {
            format!(
                "[[obstacle]]\nname = \"far{i}\"\nsphere = 0.01\npose = {{ xyz = [{i}, 0, 9] }}\n"
            )
        })
        .collect();
    project.write("cell.toml", cell + "\n" + &more);
    let found = project
        .run("inspect --cell cell.toml --format json --quiet")
        .code(0);
    let found: Value = serde_json::from_slice(&found.get_output().stdout).unwrap();
    let listed = found["pairs"].as_array().unwrap().len();
    assert!(listed < 1000, "{listed}");
    let standing = found["standing_pairs"].as_u64().unwrap();
    assert_eq!(standing, 302 * 301 / 2);
    holds(
        &said(project.run("inspect --cell cell.toml"), 0),
        &["45451 fixed to world"],
    );
}

/// What is asked of programs that cannot have it is not passed over: a table has no routines, and no
/// ways through it.
#[test]
fn a_routine_of_a_program_without_routines_is_refused() {
    let project = Project::new();
    let refused = "the routine `main` is asked for, and the program has no routines";
    let one = project.check("--routine main away.csv");
    holds(&said(one, 2), &["UNVERIFIED", "away.csv", refused]);
    // Beside others, as a program of many in one table, and in a batch.
    project.write(
        "many.csv",
        "program,time,turn,slide\na,0,0,0\na,1,-1,0\nb,0,0,0\nb,1,-1,0\n",
    );
    for line in [
        "check --routine main away.csv hit.csv",
        "check --routine main many.csv",
        "batch --routine main away.csv",
        "batch --routine main many.csv",
        "convert --routine main away.csv",
    ] {
        let line = line.replacen(' ', " --cell cell.toml ", 1);
        holds(&said(project.run(&line), 2), &[refused]);
    }
    holds(
        &said(project.run("convert --cell cell.toml --way 2 away.csv"), 2),
        &["--way 2", "leave it out"],
    );
    project.check("away.csv").code(0);
}
