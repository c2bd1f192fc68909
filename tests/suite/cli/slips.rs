//! Slips of a first day, and what is said of them: the remedy stands in the message.

use super::*;

/// What is done to the project; the program.
type Slip = (
    &'static str,
    fn(&Project),
    &'static str,
    &'static [&'static str],
);

#[test]
fn slips_of_a_first_day_are_told_with_their_remedy() {
    let cases: [Slip; 14] = [
        (
            "word of an option",
            |_| (),
            "--minimum overall",
            &["write it with its option, as in `--minimum=overall`"],
        ),
        (
            "backslashes",
            |b| {
                b.write(
                    "cell.toml",
                    CELL.replace("block.stl", "C:\\Users\\block.stl"),
                )
            },
            "away.csv",
            &["cell.toml:7", "begins an escape: write paths with `/`"],
        ),
        (
            "a tab in a path",
            |b| b.write("cell.toml", CELL.replace("block.stl", "C:\\tools.stl")),
            "away.csv",
            &["write paths with `/`"],
        ),
        (
            "decimal comma",
            |b| b.write("cell.toml", CELL.replace("[0, 0.6, 0.3]", "[0, 0,6, 0.3]")),
            "away.csv",
            &["a decimal number has a point and not a comma"],
        ),
        (
            "a decimal without its zero",
            |b| b.write("cell.toml", CELL.replace("[0, 0.6, 0.3]", "[0, .6, 0.3]")),
            "away.csv",
            &["cell.toml:", "write `0.1`, `1.0`, `1`"],
        ),
        (
            "a decimal without its end",
            |b| b.write("cell.toml", CELL.replace("[0, 0.6, 0.3]", "[0, 1., 0.3]")),
            "away.csv",
            &["write `0.1`, `1.0`, `1`"],
        ),
        (
            "a comma that is missing",
            |b| b.write("cell.toml", CELL.replace("[0, 0.6, 0.3]", "[0, 0.6 0.3]")),
            "away.csv",
            &["have a comma between them"],
        ),
        (
            "a line of Excel",
            |b| b.write("away.csv", "sep=;\ntime;turn;slide\n0;0;0\n"),
            "away.csv",
            &["the first line is one of Excel: remove it"],
        ),
        (
            "a separator at the end",
            |b| b.write("away.csv", "time,turn,slide,\n0,0,0,\n"),
            "away.csv",
            &["the lines end with a separator"],
        ),
        (
            "rows of separators",
            |b| b.write("away.csv", "time,turn,slide\n0,0,0\n1,0,0\n,,\n"),
            "away.csv",
            &["away.csv:4", "the row is empty; remove it"],
        ),
        (
            "a column of words",
            |b| b.write("away.csv", "time,turn,slide,comment\n0,0,0,home\n"),
            "away.csv",
            &["if `comment` is not a joint, remove the column"],
        ),
        (
            "a list of names",
            |b| b.write("all.txt", "away.csv\nhit.csv\n"),
            "all.txt",
            &["a list of names", "`--list`"],
        ),
        (
            "lines of JSON",
            |b| b.write("all.jsonl", "{\"a\": 1}\n{\"a\": 2}\n"),
            "all.jsonl",
            &["lines of JSON", "`serve`"],
        ),
        (
            "no program of a robot",
            |b| b.write("p.nc", "G0 X0 Y0\nG1 X1\n"),
            "p.nc",
            &["a program of ABB, FANUC, KUKA, Universal Robots or Yaskawa"],
        ),
    ];
    for (name, slip, program, words) in cases {
        let project = Project::new();
        slip(&project);
        let output = project.check(program).code(2).get_output().clone();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        for word in words {
            assert!(text.contains(word), "{name}: no {word:?} in {text}");
        }
    }
}

/// A file where a format belongs is the file of that format.
#[test]
fn a_report_without_its_format_is_told() {
    Project::new()
        .check("--report out.html away.csv")
        .code(2)
        .stderr(contains("write `html=out.html`"));
}

/// A package that lies nowhere: not everybody has a cell file.
#[test]
fn a_missing_package_is_told_with_the_option_too() {
    let project = Project::new();
    project.write(
        "bench.urdf",
        URDF.replace("arm.stl", "package://bench/arm.stl"),
    );
    project
        .run("check --robot bench.urdf away.csv")
        .code(2)
        .stdout(contains("or `--package bench=FOLDER`"));
}
