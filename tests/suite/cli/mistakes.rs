//! Mistakes that people make: exit code 2, and a text that says what to do.

use std::fs;

use super::*;

/// A slip on the command line is told as what it is.
#[test]
fn what_is_no_program_says_what_it_is() {
    let project = Project::new();
    project.write("moves.json", "{\"clearance_motion\": 1, \"moves\": []}");
    project.write("blanks.csv", "time turn slide\n0 0 0\n1 0 0\n");
    for (program, said) in [
        ("20mm", "--minimum-pairs=20mm"),
        ("-", "clearance batch -"),
        ("moves.json", "end its name in `.motion.json`"),
        (
            "blanks.csv",
            "blanks.csv:1: the columns are separated by blanks",
        ),
    ] {
        project
            .run(&format!("check {program}"))
            .code(2)
            .stderr(contains(said));
    }
}

/// Regression: these options were passed over.
#[test]
fn options_that_would_have_no_effect_are_refused() {
    let project = Project::new();
    for (line, said) in [
        (
            "tree --cell cell.toml --scale 1000",
            "--scale belongs to a mesh file",
        ),
        (
            "batch --cell cell.toml away.csv --html-pages all --report html=-",
            "--html-pages belongs to a page in a file",
        ),
        ("inspect --format json --report html=a.html", "'--report"),
        ("distance --joints --at [0]", "'--at"),
    ] {
        project.run(line).code(2).stderr(contains(said));
    }
}

/// Everything that is wrong with the input: exit code 2, nothing checked, and a text that says what
/// to do.
#[test]
fn what_cannot_be_verified_says_why() {
    type Damage = fn(&Project);
    let cases: [(&str, Damage, &str, &[&str]); 12] = [
        (
            "missing mesh",
            |b| fs::remove_file(b.path().join("arm.stl")).unwrap(),
            "away.csv",
            &["bench.urdf:4", "`arm.stl` was not found", "tried"],
        ),
        (
            "missing urdf",
            |b| fs::remove_file(b.path().join("bench.urdf")).unwrap(),
            "away.csv",
            &["cell.toml:3", "`bench.urdf` was not found"],
        ),
        (
            "joint typo",
            |b| b.write("p.csv", "time,turn,slied\n0,0,0\n1,0,0\n"),
            "p.csv",
            &["p.csv:1", "slied", "`slide`"],
        ),
        (
            "degrees",
            |b| b.write("p.csv", "time,turn,slide\n0,0,0\n1,90,0\n"),
            "p.csv",
            &["p.csv", "degrees", "turn[deg]"],
        ),
        (
            "empty program",
            |b| b.write("p.csv", ""),
            "p.csv",
            &["p.csv", "empty"],
        ),
        (
            "header only",
            |b| b.write("p.csv", "time,turn,slide\n"),
            "p.csv",
            &["p.csv:1", "the program is empty"],
        ),
        (
            "folder as program",
            |b| fs::create_dir(b.path().join("p.csv")).unwrap(),
            "p.csv",
            &["p.csv", "directory"],
        ),
        (
            "no such program",
            |_| (),
            "gone.csv",
            &["gone.csv", "check the path"],
        ),
        (
            "unknown cell key",
            |b| b.write("cell.toml", format!("{CELL}\n[check]\nclearence = 1\n")),
            "away.csv",
            &["cell.toml:11:1", "clearence", "did you mean `clearance`"],
        ),
        (
            "folder as cell",
            |b| {
                fs::remove_file(b.path().join("cell.toml")).unwrap();
                fs::create_dir(b.path().join("cell.toml")).unwrap();
            },
            "away.csv",
            &["cell.toml", "folder"],
        ),
        (
            "1000x obstacle",
            |b| b.write("block.stl", box_stl([-500.0; 3], [500.0; 3])),
            "away.csv",
            &[
                "cell.toml:6:8: `block`: suspicious scale",
                "1000.0 m long",
                "`scale = 0.001`",
            ],
        ),
        (
            "1000x link",
            |b| b.write("arm.stl", box_stl([0.0, -30.0, -30.0], [500.0, 30.0, 30.0])),
            "away.csv",
            &[
                "`arm`",
                "suspicious scale",
                "`scale=\"0.001 0.001 0.001\"` at its `<mesh>`",
            ],
        ),
    ];
    for (name, damage, program, words) in cases {
        let project = Project::new();
        damage(&project);
        let assert = project.check(program);
        let output = assert.get_output().clone();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {text}");
        assert!(text.starts_with("UNVERIFIED"), "{name}: {text}");
        for word in words {
            assert!(text.contains(word), "{name}: no {word:?} in {text}");
        }
        // Nobody can take it for a verdict in JSON either.
        let report = project.json(program);
        assert_eq!(report["verdict"], "unverified", "{name}");
        assert_eq!(report["programs"][0]["verdict"], "unverified", "{name}");
    }
}

/// Read as metres, a part in inches or centimetres is out of reach, and no program would hit it.
#[test]
fn a_part_that_is_large_without_its_scale_is_never_clear() {
    let project = Project::new();
    project.write("block.stl", box_stl([5.0; 3], [25.0; 3]));
    project
        .check("away.csv")
        .code(2)
        .stdout(contains("suspicious-scale: block"))
        .stdout(contains("if in inches, `scale = 0.0254` (508 mm)"));
    let stated = CELL.replace("mesh = \"block.stl\"", "mesh = \"block.stl\"\nscale = 1");
    project.write("cell.toml", stated);
    project.check("away.csv").code(0);
}

/// Whoever states the scale has meant it.
#[test]
fn a_large_part_with_a_stated_scale_is_checked_and_noticed() {
    let project = Project::new();
    project.write(
        "block.stl",
        box_stl([-500.0, -500.0, -800.0], [500.0, 500.0, -3.0]),
    );
    project.write(
        "cell.toml",
        CELL.replace("mesh = \"block.stl\"", "mesh = \"block.stl\"\nscale = 1"),
    );
    project
        .check("away.csv")
        .code(0)
        .stdout(contains("suspicious-scale: block"));
    project.write(
        "cell.toml",
        CELL.replace(
            "mesh = \"block.stl\"",
            "mesh = \"block.stl\"\nscale = 0.001",
        ),
    );
    project
        .check("away.csv")
        .code(0)
        .stdout(contains("suspicious").not());
}

#[test]
fn wrong_usage_is_code_2_and_says_what_is_known() {
    let project = Project::new();
    for (line, words) in [
        ("", "Usage"),
        ("chekc", "check"),
        ("check --cell cell.toml", "no program given"),
        (
            "check --cell cell.toml --robot bench.urdf away.csv",
            "cannot be used with",
        ),
        (
            "check --cell cell.toml --clearence 1 away.csv",
            "--clearance",
        ),
        (
            "check --cell cell.toml --clearance 5furlong away.csv",
            "furlong",
        ),
        (
            "check --cell cell.toml --clearance -1mm away.csv",
            "from 0 on",
        ),
        ("check --cell cell.toml --resolution 0 away.csv", "above 0"),
        (
            "check --cell cell.toml --method magic away.csv",
            "bisection",
        ),
        (
            "check --cell cell.toml --shape cube away.csv",
            "sphere-tree",
        ),
        ("check --cell cell.toml --threads 0 away.csv", "1..=1024"),
        (
            "check --cell cell.toml --package ur away.csv",
            "ur_description=../ur_description",
        ),
    ] {
        project
            .run(line)
            .code(2)
            .stdout(is_empty())
            .stderr(contains(words));
    }
    project.run("--help").code(0).stdout(contains("Exit codes"));
    project
        .run("check --help")
        .code(0)
        .stdout(contains("--clearance"));
    project
        .run("--version")
        .code(0)
        .stdout(contains(env!("CARGO_PKG_VERSION")));
}

/// `clearance inspect … | head -1`: whoever closes the pipe has read enough.
#[test]
fn a_closed_pipe_is_no_error() {
    let project = Project::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("clearance"))
        .args(["check", "--cell", "cell.toml", "--no-cache", "hit.csv"])
        .current_dir(project.path())
        .stdout(writer)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Mistakes that people make on the command line: the message names the fix.
#[test]
fn mistakes_on_the_command_line_are_met_with_the_fix() {
    let project = Project::new();
    fs::create_dir(project.path().join("folder")).unwrap();
    for (line, message) in [
        ("check cell.toml away.csv", "`--cell cell.toml`"),
        (
            "inspect cell.toml",
            "tip: name the file by its option: `--cell cell.toml`",
        ),
        ("check --cell bench.urdf away.csv", "`--robot bench.urdf`"),
        ("check --robot cell.toml away.csv", "`--cell cell.toml`"),
        (
            "check --robot bench.urdf --xacro-arg side away.csv",
            "name=value",
        ),
        (
            "check --cell cell.toml --clearance 5 mm away.csv",
            "as in `--clearance 5mm`",
        ),
        (
            "check --cell cell.toml --clearance 5mmm away.csv",
            "did you mean `mm`?",
        ),
        (
            "check --cell cell.toml --resolution 0 away.csv",
            "must be above 0; the default is 0.1mm",
        ),
        (
            "check --cell cell.toml --warn 0 away.csv",
            "must be above 0; leave the option out to list no near misses",
        ),
        (
            "check --cell cell.toml --minimum-pairs=0 away.csv",
            "must be above 0; the default is 50mm",
        ),
        (
            "check --cell cell.toml --leaf-radius 0 away.csv",
            "must be above 0; write one such as `5mm`",
        ),
        (
            "compare --cell cell.toml --time-limit 0 away.csv",
            "must be above 0; write one such as `10s`",
        ),
        (
            "check --cell cell.toml --obstacle arm.stl away.csv",
            "tip: --obstacle goes with --robot; a cell file has it as [[obstacle]]",
        ),
        (
            "check --obstacle=arm.stl away.csv",
            "tip: --obstacle goes with --robot; a cell file has it as [[obstacle]]",
        ),
        (
            "pack --cell cell.toml -o gone/cell.pack",
            "gone/cell.pack cannot be written: No such file or directory (os error 2); make the folder gone first",
        ),
        (
            "pack --cell cell.toml -o folder",
            "it is a folder: name a file in it",
        ),
        (
            "init bench.urdf -o gone/cell.toml",
            "gone/cell.toml cannot be written: No such file or directory (os error 2); make the folder gone first",
        ),
        (
            "init bench.urdf gone.stl --force",
            "gone.stl cannot be read: No such file or directory (os error 2); check the name on the command line",
        ),
        (
            "init bench.urdf ./bench.urdf --force",
            "bench.urdf and ./bench.urdf would be robots of the same name; name each robot once",
        ),
        (
            "batch --cell cell.toml away.csv --baseline cell.toml",
            "is not a result file of `clearance batch`; name a file that `batch --results` has written",
        ),
        (
            "batch --cell cell.toml away.csv --baseline gone.jsonl",
            "os error 2); name a file that `batch --results` has written",
        ),
        (
            "merge gone.jsonl",
            "os error 2); name a file that `batch --results` has written",
        ),
        (
            "check --cell cell.toml --report junt=x away.csv",
            "did you mean `junit`?",
        ),
        (
            "check --cell cell.toml --fail-on near_miss away.csv",
            "did you mean `near-miss`?",
        ),
    ] {
        project
            .run(line)
            .code(2)
            .stdout(is_empty())
            .stderr(contains(message));
    }
    for (line, message) in [
        (
            "check --cell . away.csv",
            "name a file, such as `./cell.toml`",
        ),
        (
            "check --cell cell.tmol away.csv",
            "did you mean `cell.toml`?",
        ),
        (
            "check --cell cell.toml awya.csv",
            "did you mean `away.csv`?",
        ),
        (
            "check --cell cell.toml *.cvs",
            "no file matches this pattern: check the path",
        ),
        (
            "check --cell cell.toml gone/away.csv",
            "there is no folder gone",
        ),
        (
            "check --cell cell.toml --clearance 9mm --warn 5mm away.csv",
            "the warn distance of --warn is 0.005 m and the clearance 0.009 m; near misses lie between the two, so give a warn distance above the clearance",
        ),
        (
            "check --cell cell.toml bench.urdf",
            "this is a robot, not a program; a robot is named by `--robot`",
        ),
    ] {
        project.run(line).code(2).stdout(contains(message));
    }
}

/// Regression: a shell that put such a name onto the command line had the help in place of a check,
/// and success.
#[test]
fn a_name_that_begins_like_the_option_for_help_is_no_success() {
    let project = Project::new();
    let hit = fs::read_to_string(project.path().join("hit.csv"));
    project.write("-hit.csv", hit.unwrap());
    for command in ["check", "batch"] {
        for name in ["-hit.csv", "-Vhit.csv"] {
            let line = format!("{command} --cell cell.toml away.csv {name}");
            project.run(&line).code(2);
        }
        let line = format!("{command} --cell cell.toml away.csv -hit.csv");
        project
            .run(&line)
            .code(2)
            .stderr(contains("write `./-hit.csv` if it is a file"));
        project
            .run(&format!("{command} --cell cell.toml away.csv -- -hit.csv"))
            .code(1);
        project.run(&format!("{command} -h")).code(0);
        project.run(&format!("{command} --help")).code(0);
    }
}
