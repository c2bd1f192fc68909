//! The streams of the output: results on standard output, errors on standard error, and no
//! characters that act on either.

use super::*;

/// Characters that act on a terminal or a log reader rather than show, said independently of the
/// code under test.
fn acts(c: char) -> bool {
    matches!(u32::from(c), 0..=9 | 0xb..=0x1f | 0x7f..=0x9f | 0x61c | 0x200e | 0x200f | 0x2028..=0x202e | 0x2066..=0x2069)
}

/// Fails where a text holds what acts, or a line that GitHub takes for a command that is not one of
/// ours.
fn harmless(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    assert!(!text.chars().any(acts), "{what}: {text:?}");
    assert!(!text.contains("##["), "{what}: {text}");
    for line in text.lines().filter(|l| l.trim_start().starts_with("::")) {
        let ours = line.starts_with("::error file=") || line.starts_with("::warning file=");
        assert!(
            ours && line.contains(",title=clearance%3A "),
            "{what}: {line}"
        );
    }
}

/// The binary in the folder of a project, with words that may hold anything.
fn run(project: &Project, words: &[&str]) -> std::process::Output {
    let mut command = Command::cargo_bin("clearance").unwrap();
    command
        .current_dir(project.path())
        .env("XDG_CACHE_HOME", project.path().join("cache"))
        .args(words);
    command.output().unwrap()
}

/// A link, a joint and files whose names hold commands, colours, other directions of writing and
/// line ends.
#[cfg(unix)]
#[test]
fn no_name_acts_through_any_command() {
    let project = Project::new();
    // Characters that XML 1.0 lets a name hold.
    let link = "hand&#10;::error file=x::boo&#x202e;&#x9b;##[error]";
    project.write(
        "bench.urdf",
        URDF.replace("\"hand\"", &format!("\"{link}\"")),
    );
    let evil = "\n::error file=x::\x1b[31mhit\x07\u{202e}.csv";
    let typo = "\n::error file=x::\x1b[31mtypo\u{9b}.csv";
    let hit = "time,turn,slide\n0,0,0\n1,0.5,0\n3,1.5,0\n";
    project.write(evil, hit);
    project.write(
        typo,
        "time,\"turn\n::error file=x::\x1b[2Jboo\u{2066}\",slide\n0,0,0\n1,0,0\n",
    );
    for format in ["text", "json", "junit", "sarif", "github", "markdown"] {
        let words = [
            "check",
            "--cell",
            "cell.toml",
            "--report",
            format,
            "--all",
            "--minimum",
            evil,
            typo,
        ];
        let output = run(&project, &words);
        assert_eq!(output.status.code(), Some(1), "{format}");
        harmless(format, &output.stdout);
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(told.contains("boo"), "{format}: {told}");
        harmless(format, &output.stderr);
        assert!(output.stderr.starts_with(b"error: "), "{format}");
    }
    let narrow = |words: &[&str]| {
        let mut command = Command::cargo_bin("clearance").unwrap();
        command
            .current_dir(project.path())
            .env("COLUMNS", "40")
            .args(words);
        command.output().unwrap()
    };
    harmless(
        "narrow",
        &narrow(&["check", "--no-cache", "--cell", "cell.toml", evil, typo]).stdout,
    );
    for words in [
        vec!["inspect", "--cell", "cell.toml", "--pairs"],
        vec!["inspect", "--cell", "cell.toml", "--format", "json"],
        vec!["batch", "--cell", "cell.toml", "."],
        vec!["compare", "--cell", "cell.toml", "--quiet", typo],
        vec![
            "distance",
            "--cell",
            "cell.toml",
            "--at",
            "{\"turn\u{9b}\\u001b\u{202e}\": 1}",
        ],
        vec!["tree", "--cell", "cell.toml"],
        vec!["check", "--cell", "\n::error::\x1b[31m.toml", evil],
        vec!["check", "--\n::error::\x1b[31m", evil],
        vec!["merge", "\n::error::\x1b[31m.jsonl"],
        vec!["tree", "\n::error::\x1b[31m.stl"],
        vec!["check", "--report", "\n::error::\x1b[31m", evil],
    ] {
        let output = run(&project, &words);
        harmless(&format!("{words:?} out"), &output.stdout);
        harmless(&format!("{words:?} err"), &output.stderr);
        assert!(
            !output.stdout.is_empty() || !output.stderr.is_empty(),
            "{words:?}"
        );
    }
}

/// Whatever the command, what is wrong with the input stands on standard error.
#[test]
fn input_errors_go_to_standard_error_in_every_command() {
    let project = Project::new();
    project.write("typo.csv", "time,turn,slied\n0,0,0\n1,0,0\n");
    project.write("broken.toml", CELL.replace("block.stl", "gone.stl"));
    for (line, said) in [
        ("check --cell cell.toml typo.csv", "typo.csv:1"),
        (
            "check --cell cell.toml --report json away.csv typo.csv",
            "typo.csv:1",
        ),
        (
            "check --cell cell.toml --report junit=out.xml typo.csv",
            "typo.csv:1",
        ),
        ("check --cell broken.toml away.csv", "gone.stl"),
        ("batch --cell cell.toml typo.csv away.csv", "typo.csv:1"),
        ("batch --cell broken.toml away.csv", "gone.stl"),
        ("inspect --cell broken.toml", "gone.stl"),
        ("distance --cell cell.toml --at [1]", "configuration 1: "),
        (
            "distance --cell cell.toml --at [90,0]",
            "convert them (90 degrees are 1.5708 rad)",
        ),
        ("distance --cell broken.toml --at [1,0]", "gone.stl"),
        ("compare --cell cell.toml --quiet typo.csv", "typo.csv:1"),
        ("compare --cell broken.toml --quiet away.csv", "gone.stl"),
        ("tree gone.stl", "gone.stl"),
        ("tree --cell broken.toml", "gone.stl"),
        ("merge gone.jsonl", "gone.jsonl"),
        ("cache --cache-dir cell.toml clear", "cell.toml"),
    ] {
        let output = project.run(line).get_output().clone();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {errors}");
        let told: Vec<&str> = errors
            .lines()
            .filter(|l| l.starts_with("error: "))
            .collect();
        assert!(told.iter().any(|l| l.contains(said)), "{line}: {errors}");
        let again: std::collections::BTreeSet<_> = told.iter().collect();
        assert_eq!(again.len(), told.len(), "said twice: {errors}");
    }
}

/// With twenty of them the rest is counted.
#[test]
fn many_input_errors_are_bounded() {
    let project = Project::new();
    let names: Vec<String> = (0..25).map(|k| format!("gone{k}.csv")).collect();
    let output = project.check(&names.join(" ")).get_output().clone();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors.lines().count(), 21, "{errors}");
    assert!(errors.ends_with("error: … and 5 more\n"), "{errors}");
}

#[test]
fn who_sends_all_reports_to_files_reads_the_verdict_on_standard_error() {
    let project = Project::new();
    let all = "--report json=out.json --report text=out.txt";
    for (command, file, said) in [
        (
            "check --cell cell.toml",
            "hit.csv",
            "COLLISION  hit.csv: hand against block at ",
        ),
        (
            "check --cell cell.toml",
            "away.csv",
            "CLEAR      away.csv: 3 pairs more than 0 mm apart at every instant\n",
        ),
        (
            "batch --cell cell.toml",
            "away.csv hit.csv",
            "COLLISION  2 programs: 1 clear, 1 collision; it is hit.csv\n",
        ),
    ] {
        let output = project
            .run(&format!("{command} {all} {file}"))
            .get_output()
            .clone();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.starts_with(said), "{errors}");
        assert_eq!(
            (errors.lines().count(), output.stdout.len()),
            (1, 0),
            "{errors}"
        );
        // The text report ends with the same line.
        let text = fs::read_to_string(project.path().join("out.txt")).unwrap();
        assert_eq!(text.lines().last(), errors.lines().last());
        let quiet = project.run(&format!("{command} --quiet {all} {file}"));
        quiet.stderr(is_empty());
    }
    // Somebody reads standard output: nothing more is said.
    project
        .check("--report json away.csv")
        .code(0)
        .stderr(is_empty());
}

#[test]
fn lines_are_as_wide_as_columns_says_and_whole_without_it() {
    let project = Project::new();
    let wide = |columns: Option<&str>, line: &str| {
        let mut command = Command::cargo_bin("clearance").unwrap();
        command
            .current_dir(project.path())
            .args(line.split_whitespace());
        match columns {
            Some(n) => command.env("COLUMNS", n),
            None => command.env_remove("COLUMNS"),
        };
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        text.lines().map(|l| l.chars().count()).max().unwrap()
    };
    let check = "check --no-cache --cell cell.toml hit.csv";
    assert!(wide(None, check) > 110);
    assert!(wide(Some("60"), check) <= 60);
    assert!(wide(Some("nonsense"), check) > 110);
}

/// A VRML file of a closed block and an open sheet: what lies in the block is seen, and nobody is
/// told that it is not.
#[test]
fn a_mesh_with_a_closed_piece_is_not_called_surface_only() {
    let project = Project::new();
    let sheet = "Shape { geometry IndexedFaceSet { coord Coordinate { point [1 1 1, 1.1 1 1, 1 1.1 1] } coordIndex [0 1 2 -1] } }";
    let block = "Shape { geometry Box { size 0.1 0.1 0.1 } }";
    project.write("cell.toml", CELL.replace("block.stl", "block.wrl"));
    project.write("block.wrl", format!("#VRML V2.0 utf8\n{block}\n{sheet}\n"));
    let partly =
        contains("not checked: block (partly surface only: some pieces of its mesh are not closed");
    project
        .run("inspect --cell cell.toml")
        .code(0)
        .stdout(partly);
    project.write("block.wrl", format!("#VRML V2.0 utf8\n{sheet}\n"));
    let only = contains("not checked: block (surface only: its mesh is not closed");
    project.run("inspect --cell cell.toml").code(0).stdout(only);
}
