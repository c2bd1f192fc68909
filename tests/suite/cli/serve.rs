//! `clearance serve`: lines in, lines out, and the same answers as `check`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use super::*;

impl Project {
    fn serve(&self, options: &str) -> Child {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("clearance"));
        command
            .current_dir(self.path())
            .env("XDG_CACHE_HOME", self.path().join("cache"))
            .args(["serve", "--stdin", "--cell", "cell.toml"])
            .args(options.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// All answers to an input, as text, and the exit code.
    fn served(&self, options: &str, input: &str) -> (Vec<String>, i32) {
        let mut process = self.serve(options);
        let mut stdin = process.stdin.take().unwrap();
        let input = input.to_owned();
        let feeder = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = process.wait_with_output().unwrap();
        let _ = feeder.join();
        let text = String::from_utf8(output.stdout).unwrap();
        (
            text.lines().map(str::to_owned).collect(),
            output.status.code().unwrap(),
        )
    }
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

const INLINE: &str =
    r#""joints":["turn","slide"],"times":[0,1,3],"positions":[[0,0],[0.5,0],[1.5,0]]"#;

/// JSON without the blanks and line breaks between its words.
fn minified(json: &str) -> String {
    let (mut out, mut within, mut escaped) = (String::new(), false, false);
    for c in json.chars() {
        if within {
            (within, escaped) = (c != '"' || escaped, c == '\\' && !escaped);
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            within = c == '"';
        }
        out.push(c);
    }
    out
}

/// The only program of a JSON report of `check`, as it is written there, without the time it took.
fn checked(project: &Project, line: &str) -> String {
    let run = project.check(&format!("--report json {line}"));
    let report = minified(&String::from_utf8_lossy(&run.get_output().stdout));
    let (_, rest) = report.split_once(r#""programs":["#).unwrap();
    let (program, _) = rest.rsplit_once(r#"],"timing""#).unwrap();
    let (before, after) = program.split_once(r#","check_seconds":"#).unwrap();
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || "+-.eE".contains(c));
    format!("{before}{rest}")
}

/// Byte for byte what `check` says, for files and for arrays, whatever is asked.
#[test]
fn outcomes_are_those_of_check() {
    let project = Project::new();
    // The same motion as a file that is called as the line is.
    let message = r#"{"joint_names":["turn","slide"],"points":[
        {"positions":[0,0],"time_from_start":0},{"positions":[0.5,0],"time_from_start":1},{"positions":[1.5,0],"time_from_start":3}]}"#;
    project.write("same.json", message);
    for (asked, options) in [
        ("", ""),
        (r#","all":true,"minimum":true"#, "--all --minimum"),
        (r#","minimum":"overall""#, "--minimum=overall"),
        (
            r#","clearance":"20mm","resolution":0.001"#,
            "--clearance 20mm --resolution 1mm",
        ),
        (
            r#","warn":"300mm","limits":false"#,
            "--warn 300mm --no-limits",
        ),
    ] {
        let input = format!(
            "{{\"id\":\"same.json\",{INLINE}{asked}}}\n{{\"id\":7,\"file\":\"hit.csv\"{asked}}}\n{{\"file\":\"away.csv\"{asked}}}\n"
        );
        let (answers, code) = project.served("", &input);
        assert_eq!(code, 1);
        let start = [
            r#"{"line":1,"id":"same.json","verdict":"collision","outcome":"#,
            r#"{"line":2,"id":7,"verdict":"collision","outcome":"#,
            r#"{"line":3,"verdict":"clear","outcome":"#,
        ];
        for ((answer, start), file) in
            answers
                .iter()
                .zip(start)
                .zip(["same.json", "hit.csv", "away.csv"])
        {
            let outcome = answer
                .strip_prefix(start)
                .unwrap_or_else(|| panic!("{answer}"));
            let outcome = outcome.strip_suffix('}').unwrap();
            assert_eq!(
                outcome,
                checked(&project, &format!("{options} {file}")),
                "{asked}"
            );
        }
        assert_eq!(answers.len(), 3);
        // Each option that a line may ask for can also be asked for on the command line, for all
        // lines.
        let plain = input.replace(asked, "");
        assert_eq!(
            project
                .served(options, if asked.is_empty() { &input } else { &plain })
                .0,
            answers
        );
    }
}

/// An `id` is a name, not a file: what stands in the folder under that name is none of its events.
#[test]
fn files_that_are_called_like_a_line_are_none_of_its_events() {
    let project = Project::new();
    let allow = "[[event]]\nat = 0\nallow = [\"hand\", \"block\"]\n";
    project.write("pick.events.toml", allow);
    project.write("place.csv.events.toml", allow);
    for id in ["pick", "place.csv"] {
        let (answers, code) = project.served("", &format!("{{\"id\":\"{id}\",{INLINE}}}\n"));
        let verdict = &parsed(&answers[0])["verdict"];
        assert_eq!((verdict.as_str(), code), (Some("collision"), 1), "{id}");
    }
}

#[test]
fn a_bad_line_is_answered_and_is_not_the_end() {
    let project = Project::new();
    let bad = [
        (
            "nonsense",
            "column 2: this word is not known; texts stand in double quotes; a line is",
        ),
        (r#"{"id":"a","positions":[[0,0]]}"#, "there are no `joints`"),
        (
            r#"{"id":"b","joints":["turn"],"positions":[[0],[0,1]]}"#,
            "row 2 has 2 numbers",
        ),
        (
            r#"{"id":"c","joints":["turn","slide"],"times":[1,1],"positions":[[0,0],[0,0]]}"#,
            "increase",
        ),
        (r#"{"id":"d","fiel":"away.csv"}"#, "unknown key `fiel`"),
        (
            r#"{"id":"e","file":"away.csv","joints":["turn"]}"#,
            "give one of the two",
        ),
        (
            r#"{"id":"f","file":"away.csv","clearance":"5furlong"}"#,
            "furlong",
        ),
        (
            r#"{"id":"g","file":"away.csv","clearance":-1}"#,
            "a length from 0 on",
        ),
        (
            r#"{"id":"h","file":"away.csv","warn":"1mm","clearance":"2mm"}"#,
            "warn distance",
        ),
        (r#"{"id":["i"],"file":"away.csv"}"#, "`id` is neither"),
        (
            r#"{"id":123456789012345678901234567890,"file":"away.csv"}"#,
            "`id` has more digits than a number keeps",
        ),
        (
            r#"{"id":"j","file":"away.csv","time_limit":-1}"#,
            "time from 1 ns",
        ),
        (
            r#"{"id":"k","file":"away.csv","time_limit":"0s"}"#,
            "time from 1 ns",
        ),
        (
            r#"{"id":"l","joints":["turn"],"positions":[0]}"#,
            "the number `0` stands where a list belongs",
        ),
        (
            r#"{"id":"m","file":"away.csv","interpolation":"Cubic"}"#,
            "unknown word `Cubic`, expected one of `linear`, `cubic`, `quintic`",
        ),
        (
            r#"{"id":"n","file":"away.csv","warn":"1mm","clearance":"2mm"}"#,
            "`warn` is 0.001 m and the clearance 0.002 m",
        ),
        (r#"{"id":"o","file":""}"#, "`file` is empty: name"),
        ("[1,2]", "a line is"),
        // Regression: values were taken by their position.
        (
            r#" ["x","away.csv",null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null]"#,
            "the line is an array",
        ),
        ("", ""),
    ];
    let mut input = String::new();
    for (line, _) in bad {
        input += &format!("{line}\r\n{{\"file\":\"away.csv\"}}\n");
    }
    // A file that is none is answered as `check` does, and the last line needs no end.
    input += r#"{"file":"gone.csv"}"#;
    let (answers, code) = project.served("", &input);
    assert_eq!(code, 2);
    assert_eq!(answers.len(), 2 * bad.len() - 1 + 1);
    let answers: Vec<Value> = answers.iter().map(|line| parsed(line)).collect();
    let mut answers = answers.into_iter();
    for (line, cause) in bad {
        if !line.is_empty() {
            let answer = answers.next().unwrap();
            assert_eq!(answer["verdict"], "unverified", "{line}");
            assert!(answer["outcome"].is_null(), "{line}");
            let error = answer["error"].as_str().unwrap();
            assert!(error.contains(cause), "{line}: {error}");
            if let Ok(Value::Object(said)) = serde_json::from_str::<Value>(line) {
                assert_eq!(Some(&answer["id"]), said.get("id"));
            }
        }
        assert_eq!(answers.next().unwrap()["verdict"], "clear", "after {line}");
    }
    let gone = answers.next().unwrap();
    assert_eq!(gone["outcome"]["verdict"], "unverified");
    assert!(
        gone["outcome"]["error"]
            .as_str()
            .unwrap()
            .contains("gone.csv")
    );
}

#[test]
fn the_exit_code_is_the_worst_answer() {
    let project = Project::new();
    for (input, expected) in [
        ("{\"file\":\"away.csv\"}\n", 0),
        ("{\"file\":\"away.csv\"}\n{\"file\":\"hit.csv\"}\nx\n", 1),
        ("{\"file\":\"away.csv\"}\nx\n", 2),
        ("\n\n", 2),
    ] {
        assert_eq!(project.served("", input).1, expected, "{input}");
    }
    project
        .run("serve --cell cell.toml")
        .code(2)
        .stderr(contains("--stdin"));
    project
        .run("serve --stdin --cell gone.toml")
        .code(2)
        .stderr(contains("gone.toml"));
}

/// A planner asks, waits for the answer, and asks again.
#[test]
fn each_answer_comes_before_the_next_question() {
    let project = Project::new();
    let mut process = project.serve("");
    let mut stdin = process.stdin.take().unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    for (file, verdict) in [
        ("away.csv", "clear"),
        ("hit.csv", "collision"),
        ("away.csv", "clear"),
    ] {
        writeln!(stdin, "{{\"file\":\"{file}\"}}").unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(parsed(&answer)["verdict"], verdict);
    }
    drop(stdin);
    assert_eq!(process.wait().unwrap().code(), Some(1));
}

/// Who reads the answers goes away: the process ends, without a word, although its input stays
/// open.
#[test]
fn a_closed_pipe_ends_it() {
    let project = Project::new();
    let mut process = project.serve("");
    let mut stdin = process.stdin.take().unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    writeln!(stdin, "{{\"file\":\"away.csv\"}}").unwrap();
    stdout.read_line(&mut String::new()).unwrap();
    drop(stdout);
    // It learns of it by its next answer. A process that another test is just starting may hold the
    // pipe open for a moment: so lines are sent until nobody reads them.
    while writeln!(stdin, "{{\"file\":\"away.csv\"}}").is_ok() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    drop(stdin);
}

/// All lines are answered once, whatever the order.
#[test]
fn as_ready_answers_every_line_once() {
    let project = Project::new();
    let input: String = (0..40)
        .map(|k| {
            format!(
                "{{\"id\":{k},\"file\":\"{}.csv\"}}\n",
                ["away", "hit"][k % 2]
            )
        })
        .collect();
    let (ordered, _) = project.served("--threads 2", &input);
    let (mut ready, code) = project.served("--threads 2 --as-ready", &input);
    assert_eq!(code, 1);
    ready.sort_by_key(|line| parsed(line)["line"].as_u64());
    assert_eq!(ready, ordered);
}

/// Notices that must be seen before an answer is believed, and links that nobody checks, are about
/// the cell: they are printed once, even with `--quiet`.
#[test]
fn what_is_to_be_seen_of_the_cell_is_said_on_standard_error() {
    let project = Project::new();
    let far =
        "\n[[obstacle]]\nname = \"far\"\nbox = [0.1, 0.1, 0.1]\npose = { xyz = [\"20m\", 0, 0] }\n";
    let limits = "\n[check]\nlimits = false\n";
    project.write("cell.toml", format!("{CELL}{far}{limits}"));
    for (command, line, answer) in [
        (
            "serve --stdin",
            "{\"id\":1,\"file\":\"away.csv\"}\n",
            "\"clear\"",
        ),
        ("distance", "[0,0]\n", "\"nearest\""),
    ] {
        let mut tool = Command::cargo_bin("clearance").unwrap();
        let assert = tool
            .current_dir(project.path())
            .args(command.split(' '))
            .args("--quiet --no-cache --cell cell.toml".split(' '))
            .write_stdin(line)
            .assert();
        assert
            .code(0)
            .stdout(contains(answer))
            .stderr(contains("notice: far"))
            .stderr(contains("unchecked: joint limits"));
    }
}

/// What a run over this input says: answers, what stands on standard error, and the exit code.
fn talk(project: &Project, command: &str, input: &str) -> (String, String, i32) {
    let mut tool = Command::cargo_bin("clearance").unwrap();
    let assert = tool
        .current_dir(project.path())
        .args(command.split(' '))
        .args("--quiet --no-cache --cell cell.toml".split(' '))
        .write_stdin(input)
        .assert();
    let output = assert.get_output();
    let [out, err] = [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b).into());
    (out, err, output.status.code().unwrap())
}

/// Catches a threshold in the wrong unit that only a check tells.
#[test]
fn a_threshold_that_can_hardly_be_meant_is_told() {
    let project = Project::new();
    for (command, line) in [
        ("serve --stdin --clearance 5", "{\"file\":\"away.csv\"}\n"),
        ("distance --clearance 5", "[0,0]\n"),
    ] {
        let (_, err, _) = talk(&project, command, line);
        assert!(
            err.contains("suspicious-clearance") && err.contains("`5mm`"),
            "{command}: {err}"
        );
    }
}

/// Catches an exit code that nobody explains.
#[test]
fn no_line_at_all_is_told() {
    let project = Project::new();
    for (command, said) in [
        ("serve --stdin", "error: no line came on standard input: "),
        ("distance", "error: no configuration was given: "),
    ] {
        for input in ["", "\n \n"] {
            let (out, err, code) = talk(&project, command, input);
            assert_eq!((out.as_str(), code), ("", 2), "{command}");
            assert!(err.starts_with(said), "{command}: {err}");
        }
    }
}

/// Windows programs put a byte-order mark in front of what they send.
#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    let project = Project::new();
    let line = format!("{{{INLINE}}}\n");
    for (command, line) in [
        ("serve --stdin", "{\"file\":\"away.csv\"}\n"),
        ("distance", "[0,0]\n"),
        ("batch - --report json", &line),
    ] {
        let plain = talk(&project, command, line);
        let marked = talk(&project, command, &format!("\u{feff}{line}"));
        assert_ne!(plain.2, 2, "{command}: {}", plain.1);
        if command.starts_with("batch") {
            assert_eq!(marked.2, plain.2, "{}", marked.1);
        } else {
            assert_eq!(marked, plain, "{command}");
        }
        // In front of another line it is a mistake.
        let second = talk(&project, command, &format!("{line}\u{feff}{line}"));
        assert_ne!(second.2, 0, "{command}");
    }
}

/// Whoever sends lines may have no command line: the remedy is a key of the line.
#[test]
fn remedies_are_keys_of_the_line() {
    let project = Project::new();
    let line = format!("{{{INLINE},\"interpolation\":\"cubic\"}}\n");
    let (out, ..) = talk(&project, "serve --stdin", &line);
    assert!(out.contains(r#"`\"interpolation\": \"linear\"`"#), "{out}");
    assert!(!out.contains("--interpolation"), "{out}");
    let line = r#"{"joints":["turn[deg]"],"positions":[[0],[90]]}"#;
    let (out, ..) = talk(&project, "serve --stdin", line);
    assert!(
        out.contains("name it `turn`, and convert its values"),
        "{out}"
    );
}

/// Catches degrees that are taken for radians, and the library's own words.
#[test]
fn configurations_are_refused_in_plain_words() {
    let project = Project::new();
    for (line, said) in [
        (
            r#"{"turn[deg]":90}"#,
            "name it `turn`, and convert its values",
        ),
        (
            "{turn: 1}",
            "this is not JSON: column 2: a key is not in double quotes",
        ),
    ] {
        let (_, err, code) = talk(&project, "distance", line);
        assert_eq!(code, 2, "{line}");
        assert!(err.contains(said), "{line}: {err}");
    }
}
