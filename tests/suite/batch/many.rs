//! Programs from one file: the answers of the same programs from files of their own, and what is
//! kept of them.

use std::io::Write;

use super::*;

/// One long table of all programs in the library, each by the name of its file; the broken ones
/// have a value that is none.
fn long_table(site: &Site) -> Vec<(String, Vec<String>)> {
    let mut programs = Vec::new();
    for folder in 0..3 {
        for k in 0..10 {
            let file = format!("library/{folder}/{k:02}.csv");
            if !site.path(&file).exists() {
                continue;
            }
            let rows = site
                .read(&file)
                .lines()
                .skip(1)
                .map(str::to_owned)
                .collect();
            programs.push((format!("{folder}-{k:02}"), rows));
        }
    }
    programs
}

fn write(site: &Site, programs: &[(String, Vec<String>)]) {
    let mut text = format!("program,{HEADER}");
    for (id, rows) in programs {
        for row in rows {
            // A row with a value too few would spoil the file, not the program.
            let row = match row.split(',').count() {
                7 => row.clone(),
                _ => format!("{row},x"),
            };
            text += &format!("{id},{row}\n");
        }
    }
    fs::write(site.path("plans.csv"), text).unwrap();
}

/// An answer without its name, its lines, and what follows from them.
fn plain(mut line: Value) -> Value {
    let map = line.as_object_mut().unwrap();
    for key in ["program", "lines", "hash", "line_hash", "error", "error_at"] {
        map.remove(key);
    }
    line
}

#[test]
fn a_file_of_many_has_the_answers_of_single_files() {
    let site = Site::new(23);
    let programs = long_table(&site);
    assert_eq!(programs.len(), 23);
    write(&site, &programs);
    site.batch("library --results single.jsonl --minimum");
    site.batch("plans.csv --results many.jsonl --minimum --threads 2 --report text=text.txt --report sarif=s.json");
    let (single, many) = (site.lines("single.jsonl"), site.lines("many.jsonl"));
    assert_eq!(many.len(), 23);
    for ((name, a), (named, b)) in single.into_iter().zip(many) {
        let id = name
            .replace("library/", "")
            .replace('/', "-")
            .replace(".csv", "");
        assert_eq!(named, format!("plans.csv#{id}"));
        assert_eq!(plain(a), plain(b), "{named}");
    }
    // Findings name the program and the line of the one table.
    let sarif = site.read("s.json");
    assert!(
        sarif.contains("plans.csv%230-02") && sarif.contains("startLine"),
        "{sarif}"
    );
    assert!(site.read("text.txt").contains("plans.csv#0-02"));

    // Parts are read from the same file, and are the whole.
    for k in 1..=3 {
        site.run(&format!(
            "batch --cell cell.toml plans.csv --minimum --shard {k}/3 --results part{k}.jsonl"
        ));
    }
    site.run("merge part1.jsonl part2.jsonl part3.jsonl --results joined.jsonl");
    assert_eq!(site.read("joined.jsonl"), site.read("many.jsonl"));
    // One by its name.
    let one = site.run("check --cell cell.toml --minimum plans.csv#0-03 --report json=one.json");
    let one_verdict = serde_json::from_str::<Value>(&site.read("one.json")).unwrap();
    let same = site
        .lines("many.jsonl")
        .into_iter()
        .find(|(n, _)| n == "plans.csv#0-03");
    assert_eq!(
        one_verdict["programs"][0]["verdict"],
        same.unwrap().1["verdict"],
        "{}",
        errors(&one)
    );
}

#[test]
fn only_programs_whose_rows_changed_are_verified_again() {
    let site = Site::new(21);
    let mut programs = long_table(&site);
    write(&site, &programs);
    site.batch("plans.csv --results r.jsonl");
    let before = site.read("r.jsonl");
    let again = site.batch("plans.csv --results r.jsonl --resume");
    // Two programs could not be read, and are tried again.
    let said = errors(&again);
    assert!(
        said.contains("19 of 21 programs are done and unchanged"),
        "{said}"
    );
    assert_eq!(site.read("r.jsonl"), before);
    fs::copy(site.path("r.jsonl"), site.path("old.jsonl")).unwrap();

    // The last program's last joint value: no other one moves.
    let last = programs.last_mut().unwrap().1.last_mut().unwrap();
    let cut = last.rfind(',').unwrap();
    *last = format!("{},0.123", &last[..cut]);
    write(&site, &programs);
    site.batch("plans.csv --baseline old.jsonl --results new.jsonl");
    for (name, line) in site.lines("new.jsonl") {
        let checked = line["baseline"]["checked"] != Value::Bool(false);
        let could = line["verdict"] != "unverified";
        assert_eq!(
            checked && could,
            name == "plans.csv#2-00",
            "{name}: {}",
            line["baseline"]
        );
    }
    // Another unit is another program, though no byte of its rows changed.
    let bare: Vec<String> = (1..=6).map(|k| format!("joint_{k}")).collect();
    let stated = bare.join("[rad],") + "[deg]";
    site.edit("plans.csv", &bare.join(","), &stated);
    let said = errors(&site.batch("plans.csv --results r.jsonl --resume"));
    assert!(
        said.contains(" 0 of 21 programs are done and unchanged"),
        "{said}"
    );
}

#[test]
fn lines_of_json_are_a_batch() {
    let site = Site::new(9);
    let programs = long_table(&site);
    let mut lines = String::new();
    for (id, rows) in &programs {
        let numbers = rows.iter().map(|row| {
            let row = row.split(',').map(|x| x.parse::<f64>().unwrap());
            row.collect::<Vec<f64>>()
        });
        let numbers: Vec<Vec<f64>> = numbers.collect();
        let times: Vec<f64> = numbers.iter().map(|row| row[0]).collect();
        let positions: Vec<&[f64]> = numbers.iter().map(|row| &row[1..]).collect();
        let joints: Vec<String> = (1..=6).map(|k| format!("joint_{k}")).collect();
        let line =
            serde_json::json!({"id": id, "joints": joints, "times": times, "positions": positions});
        lines += &format!("{line}\n\n");
    }
    let run = |input: &str, line: &str| {
        let mut process = site.process(&format!("batch --cell cell.toml - {line}"));
        process
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = process.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        child.wait_with_output().unwrap()
    };
    let found = run(&lines, "--results lines.jsonl");
    assert_eq!(found.status.code(), Some(1), "{}", errors(&found));
    site.batch("library --results single.jsonl");
    let (single, many) = (site.lines("single.jsonl"), site.lines("lines.jsonl"));
    assert_eq!(single.len(), many.len());
    for ((_, a), (named, b)) in single.into_iter().zip(many) {
        assert!(programs.iter().any(|(id, _)| *id == named), "{named}");
        assert_eq!(plain(a)["verdict"], plain(b)["verdict"], "{named}");
    }
    // Programs that are read again give the same bytes, and a bad line is an answer.
    let before = site.read("lines.jsonl");
    let again = run(&lines, "--results lines.jsonl --resume");
    assert!(
        errors(&again).contains("8 of 9 programs are done and unchanged"),
        "{}",
        errors(&again)
    );
    assert_eq!(site.read("lines.jsonl"), before);
    // Files that are called like them are none of their events.
    let allow = "[[event]]\nat = 0\nallow = [\"*\", \"*\"]\n";
    for (id, _) in &programs {
        fs::write(site.path(&format!("{id}.events.toml")), allow).unwrap();
    }
    run(&lines, "--results named.jsonl");
    assert_eq!(site.read("named.jsonl"), before);
    let bad = run(
        &format!("{lines}{{\"id\": \"odd\", \"minimum\": true}}\nnonsense\n"),
        "--results bad.jsonl",
    );
    let said = errors(&bad);
    assert!(
        said.contains("standard input:19: `minimum` is asked by one line of a batch"),
        "{said}"
    );
    assert!(said.contains("standard input:20: "), "{said}");
    assert_eq!(site.lines("bad.jsonl").len(), 11);
    let twice = run(&lines.repeat(2), "");
    assert_eq!(twice.status.code(), Some(2));
    assert!(
        errors(&twice).contains("have the same id"),
        "{}",
        errors(&twice)
    );
}

#[test]
fn what_is_wrong_with_a_file_of_many_is_said_of_it() {
    let site = Site::new(0);
    for (text, said) in [
        (
            "program,time,joint_1\na,0,0\nb,0,0\na,1,0\n",
            "plans.csv:4: program `a` comes back here",
        ),
        (
            "program,time,joint_1,elbow\na,0,0,0\n",
            "`elbow`; these joints have no column",
        ),
        // It stands for no program, and must not vanish among others.
        (
            "program,time,joint_1\n",
            "plans.csv: there is no program in it",
        ),
    ] {
        fs::write(site.path("plans.csv"), text).unwrap();
        let output = site.run("batch --cell cell.toml plans.csv");
        assert_eq!(output.status.code(), Some(2), "{}", text);
        assert!(errors(&output).contains(said), "{}", errors(&output));
    }
    fs::write(site.path("plans.csv"), "program,time,joint_1\n").unwrap();
    fs::write(site.path("alone.csv"), "time,joint_1\n0,0\n1,0.1\n").unwrap();
    for line in [
        "batch --cell cell.toml .",
        "check --cell cell.toml plans.csv alone.csv",
    ] {
        let output = site.run(line);
        assert_ne!(output.status.code(), Some(0), "{line}");
        assert!(errors(&output).contains("no program in it"), "{line}");
    }
    // Escapes in an id do nothing on a terminal.
    fs::write(
        site.path("plans.csv"),
        "program,time,joint_1\n\u{1b}[2Ja,0,x\n",
    )
    .unwrap();
    let output = site.run("batch --cell cell.toml plans.csv");
    let all = format!("{}{}", text(&output), errors(&output));
    assert!(all.contains("[2Ja") && !all.contains('\u{1b}'), "{all}");
}

/// One file of events holds for all programs of a table. Catches a run that looks for it once and
/// takes what it found then for ever, and one that looks for it under the name of a program.
#[test]
fn events_beside_a_file_of_many_come_and_go() {
    let site = Site::new(11);
    write(&site, &long_table(&site));
    let run = |options: &str| site.run(&format!("batch --cell cell.toml plans.csv {options}"));
    run("--results without.jsonl");
    let without = site.read("without.jsonl");
    let verdicts = |file: &str, verdict: &str| {
        let lines = site.lines(file).into_iter();
        lines.filter(|(_, l)| l["verdict"] == verdict).count()
    };
    assert!(verdicts("without.jsonl", "collision") > 0);

    // Everything may touch everything: nothing that was found before holds.
    let allow = "[[event]]\nat = 0\nallow = [\"*\", \"*\"]\n";
    fs::write(site.path("plans.csv.events.toml"), allow).unwrap();
    fs::copy(site.path("without.jsonl"), site.path("r.jsonl")).unwrap();
    let said = errors(&run("--results r.jsonl --resume"));
    assert!(
        said.contains(" 0 of 11 programs are done and unchanged"),
        "{said}"
    );
    assert_eq!(verdicts("r.jsonl", "collision"), 0, "{said}");
    assert!(site.read("r.jsonl").contains("plans.csv.events.toml:1"));
    run("--results fresh.jsonl");
    assert_eq!(site.read("r.jsonl"), site.read("fresh.jsonl"));
    let said = errors(&run("--results r.jsonl --resume"));
    assert!(
        said.contains(" 10 of 11 programs are done and unchanged"),
        "{said}"
    );

    // Under a name that nobody reads it makes all of them unverified.
    let wrong = site.path("plans.event.toml");
    fs::rename(site.path("plans.csv.events.toml"), &wrong).unwrap();
    let said = errors(&run("--results r.jsonl --resume"));
    assert!(
        said.contains("those of plans.csv#0-00 stand in plans.csv.events.toml"),
        "{said}"
    );
    assert_eq!(verdicts("r.jsonl", "unverified"), 11, "{said}");

    // Under the name of one program, which need not be the first, it makes that one unverified.
    let of_one = site.path("plans.csv#0-03.events.toml");
    fs::rename(&wrong, &of_one).unwrap();
    let said = errors(&run("--results r.jsonl --resume"));
    assert!(
        said.contains("those of plans.csv#0-03 stand in plans.csv.events.toml"),
        "{said}"
    );
    // A row of the table is one already.
    assert_eq!(verdicts("r.jsonl", "unverified"), 2, "{said}");
    // Where no program is called so, they are told beside the programs.
    let of_none = site.path("plans.csv#none.events.toml");
    fs::rename(&of_one, &of_none).unwrap();
    let output = run("--results r.jsonl --resume");
    let said = errors(&output);
    assert!(
        said.contains("plans.csv#none.events.toml: nobody reads these events"),
        "{said}"
    );
    assert_eq!(verdicts("r.jsonl", "unverified"), 2, "{said}");
    fs::remove_file(&of_none).unwrap();
    run("--results r.jsonl --resume");
    assert_eq!(site.read("r.jsonl"), without);
}

/// The file would be checked in the place of the program, or the program in that of the file.
#[test]
fn a_name_that_a_file_and_a_program_have_is_refused_by_every_command() {
    let site = Site::new(3);
    write(&site, &long_table(&site));
    fs::copy(site.path("plans.csv"), site.path("plans.csv#0-00")).unwrap();
    for words in ["check plans.csv#0-00", "check plans.csv", "batch plans.csv"] {
        let output = site.run(&format!("{words} --cell cell.toml"));
        let said = format!("{}{}", text(&output), errors(&output));
        assert!(
            said.contains("plans.csv#0-00 is a file, and may be"),
            "{said}"
        );
        assert_eq!(output.status.code(), Some(2), "{words}");
    }
}

/// Lines of programs that are alike are not read again for the text report; those that are merged
/// are. Catches programs that are taken for others.
#[test]
fn a_report_in_brief_says_what_one_of_every_line_says() {
    let site = Site::new(40);
    // A law of its own, a joint that rests, a limit, a whole turn.
    let more = [
        (
            "smooth.csv",
            "time,joint_1,joint_1.velocity\n0,0,0\n2,0.1,0\n",
        ),
        ("rests.csv", "time,joint_1\n0,0\n2,0.1\n"),
        ("rests too.csv", "time,joint_1\n0,0\n2,0.2\n"),
        ("fast.csv", "time,joint_1\n0,0\n0.001,0.5\n"),
        ("turn.csv", "time,joint_6\n0,0\n9,6.2\n"),
    ];
    for (name, text) in more {
        fs::write(site.path(&format!("library/{name}")), text).unwrap();
    }
    for options in [
        "",
        "--warn 50mm",
        "--audit-allowed",
        "--minimum",
        "--margin",
    ] {
        let whole = site.batch(&format!("library --results r.jsonl {options}"));
        let merged = site.run("merge r.jsonl");
        assert_eq!(text(&whole), text(&merged), "{options}");
        fs::copy(site.path("r.jsonl"), site.path("old.jsonl")).unwrap();
    }
    site.edit("cell.toml", "[0.33, -0.22, 0.80]", "[0.34, -0.22, 0.80]");
    let compared = site.batch("library --results r.jsonl --margin --baseline old.jsonl");
    assert!(text(&compared).contains("against the baseline"));
    assert_eq!(text(&compared), text(&site.run("merge r.jsonl")));
}

/// More programs than are read at a time for the text report. Catches one that is left out or
/// stands elsewhere, where two threads read.
#[test]
fn a_report_in_brief_says_every_program_in_order() {
    const MANY: usize = 2100;
    let site = Site::new(1);
    let rows: String = (0..MANY).map(|k| format!("{k},0,x\n")).collect();
    let table = format!("program,time,joint_1\n{rows}");
    fs::write(site.path("plans.csv"), table).unwrap();
    let output = site.run("batch --cell cell.toml plans.csv --threads 2");
    let said = text(&output);
    let heads = said
        .lines()
        .filter(|line| line.starts_with("UNVERIFIED plans.csv#"));
    let expected = (0..MANY).map(|k| format!("UNVERIFIED plans.csv#{k}"));
    assert!(heads.eq(expected), "{said}");
}

/// Catches a move that is in neither of two tables, where both halves of its program are clear.
#[test]
fn a_program_that_two_tables_divide_is_not_clear() {
    let site = Site::new(1);
    let header = HEADER.replace("time,", "program,");
    let row = |id: u32, q: f64| format!("{id},{q},-0.3,0.3,0,1.2,0\n");
    let table = |rows: &[(u32, f64)]| {
        let rows = rows.iter().map(|&(id, q)| row(id, q));
        header.clone() + &rows.collect::<String>()
    };
    fs::create_dir(site.path("parts")).unwrap();
    let parts = ["parts/plans_1.csv", "parts/plans_2.csv"];
    let halves = [
        table(&[(4, 0.0), (4, 0.1), (5, 0.1)]),
        table(&[(5, 0.2), (5, 0.3)]),
    ];
    for (part, text) in parts.iter().zip(&halves) {
        fs::write(site.path(part), text).unwrap();
    }
    let output = site.run("batch --cell cell.toml parts");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let said = text(&output);
    for head in [
        "UNVERIFIED parts/plans_1.csv#5",
        "UNVERIFIED parts/plans_2.csv#5",
    ] {
        assert!(said.contains(head), "{said}");
    }
    assert!(said.contains("3 programs: 1 clear, 2 unverified"), "{said}");
    for part in parts {
        let output = site.run(&format!("check --cell cell.toml {part}#5"));
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    }
    // Two programs by their ids.
    fs::write(site.path(parts[1]), halves[1].replace("\n5,", "\n6,")).unwrap();
    let output = site.run("batch --cell cell.toml parts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

/// Regression: where the folder of temporary files is full, nothing named it. A limit of the size of
/// files stands for that.
#[cfg(unix)]
#[test]
fn a_full_folder_of_temporary_files_is_named() {
    let site = Site::new(1);
    fs::create_dir(site.path("small")).unwrap();
    let line =
        serde_json::json!({"id": "p", "joints": ["joint_1"], "times": [0.0], "positions": [[0.0]]});
    fs::write(site.path("lines"), format!("{line}\n")).unwrap();
    let shell = "trap '' XFSZ; ulimit -f 0; exec \"$0\" batch --cell cell.toml - < lines";
    let output = Process::new("sh")
        .args(["-c", shell, env!("CARGO_BIN_EXE_clearance")])
        .current_dir(site.folder.path())
        .env("TMPDIR", site.path("small"))
        .output()
        .unwrap();
    let said = errors(&output);
    let folder = format!("temporary files in {}", site.path("small").display());
    assert!(
        said.contains(&folder) && said.contains("set TMPDIR to a folder with room"),
        "{said}"
    );
    assert_ne!(output.status.code(), Some(0));
}
