//! Runs whose answer is not whole: their exit codes and their reports say so.

use super::*;

/// A project whose moving link `cam` has visual geometry only: a question that stays open.
fn unsettled() -> Project {
    let project = Project::new();
    let cam = r#"<link name="cam"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
  <joint name="on" type="fixed"><parent link="arm"/><child link="cam"/></joint>
</robot>"#;
    project.write("bench.urdf", URDF.replace("</robot>", cam));
    project
}

fn read(project: &Project, file: &str) -> String {
    fs::read_to_string(project.path().join(file)).unwrap()
}

/// All reports of one run, each in a file.
const REPORTS: &str = "--report junit=z.xml --report sarif=z.sarif --report github=z.gh --report markdown=z.md --report json=z.json";

/// Whether all of them show something that fails.
fn all_are_red(project: &Project, what: &str) {
    let junit = read(project, "z.xml");
    let red = junit.contains("<error") || junit.contains("<failure");
    assert!(
        red && !junit.contains("failures=\"0\" errors=\"0\""),
        "{what}: {junit}"
    );
    let sarif = read(project, "z.sarif");
    assert!(sarif.contains("\"level\": \"error\","), "{what}: {sarif}");
    let github = read(project, "z.gh");
    assert!(
        github.lines().any(|l| l.starts_with("::error ")),
        "{what}: {github}"
    );
    let markdown = read(project, "z.md");
    assert!(markdown.contains("❌"), "{what}: {markdown}");
}

/// A contact is the worse verdict; where it does not count, the open question does.
#[test]
fn an_open_question_never_passes_behind_a_contact_that_does_not_count() {
    let project = unsettled();
    for program in ["away.csv", "hit.csv"] {
        for list in ["limit", "unverified", "suspicious,limit"] {
            // Alone, `unverified` means the usual list.
            let usual = list == "unverified" && program == "hit.csv";
            let code = if usual || list.contains("suspicious") {
                1
            } else {
                2
            };
            for command in ["check", "batch"] {
                let line =
                    format!("{command} --cell cell.toml --fail-on {list} {REPORTS} {program}");
                project.run(&line).code(code);
                all_are_red(&project, &line);
            }
        }
    }
    // Results of shards say so too, and those that a run goes on with.
    let batch = "batch --cell cell.toml hit.csv --results r.jsonl --fail-on limit";
    project.run(batch).code(2);
    project.run(&format!("{batch} --resume")).code(2);
    project.run("merge r.jsonl --fail-on limit").code(2);
    // Where it is settled, a contact that does not count passes as before.
    let settled = "batch --cell cell.toml hit.csv --visual-as-collision --fail-on limit";
    project.run(settled).code(0);
}

/// Whoever cannot keep a report hears of it, and of the contact too.
#[cfg(unix)]
#[test]
fn a_report_that_cannot_be_written_does_not_hide_what_was_found() {
    let project = Project::new();
    for (line, code) in [
        (
            "check --cell cell.toml hit.csv --report json=gone/x.json",
            1,
        ),
        (
            "check --cell cell.toml away.csv --report json=gone/x.json",
            2,
        ),
        ("check --cell cell.toml hit.csv --report text=/dev/full", 1),
        ("batch --cell cell.toml hit.csv --report text=/dev/full", 1),
        ("batch --cell cell.toml away.csv --report text=/dev/full", 2),
    ] {
        project
            .run(line)
            .code(code)
            .stderr(contains("cannot be written"));
    }
    project
        .run("batch --cell cell.toml hit.csv --results r.jsonl")
        .code(1);
    project
        .run("merge r.jsonl --report json=gone/x.json")
        .code(1)
        .stderr(contains("cannot be written"));
    // A batch looks at the places first.
    let line = "batch --cell cell.toml hit.csv --results new.jsonl --report json=gone/x.json";
    project
        .run(line)
        .code(2)
        .stderr(contains("make the folder gone first"));
    assert!(!project.path().join("new.jsonl").exists());
}

/// The folder is made by the run, which must not ask for it first.
#[test]
fn reports_may_lie_in_the_folder_of_the_certificates() {
    for (programs, code) in [("away.csv hit.csv", 1), ("nope/*.csv", 2)] {
        let project = Project::new();
        let line = format!(
            "batch --cell cell.toml {programs} --certificates certs --report json=certs/report.json"
        );
        project.run(&line).code(code);
        let json: Value = serde_json::from_str(&read(&project, "certs/report.json")).unwrap();
        let verdict = ["collision", "unverified"][code as usize - 1];
        assert_eq!(json["verdict"], verdict);
        let made = project.path().join("certs/certificates.txt").exists();
        assert_eq!(made, code == 1);
    }
}

/// Reports of an earlier run would be taken for those of one that ends without an answer.
#[test]
fn a_run_without_an_answer_says_so_in_its_reports() {
    let project = Project::new();
    fs::create_dir(project.path().join("nocell")).unwrap();
    project.write("nocell/cell.csv", "");
    for line in [
        "batch --cell cell.toml",
        "batch --cell cell.toml nope/*.csv",
        "batch --cell cell.toml away.csv --list gone.txt",
        "batch --cell cell.toml away.csv --baseline gone.jsonl",
        "batch --cell cell.toml away.csv --results cell.toml",
        "batch --cell bench.urdf away.csv",
        "check --cell bench.urdf away.csv",
        "check --cell cell.toml",
        "check --cell cell.toml n/**.csv",
        "check --cell cell.toml away.csv --shape grid",
        "check --cell cell.toml away.csv hit.csv --events e.toml",
        "check --cell cell.toml away.csv --any-delay 1s",
        "check --cell cell.toml away.csv 5mm",
        "check --cell cell.toml away.csv --spheres ball.txt",
        "check --cell cell.toml away.csv --certificate away.csv",
        "check --cell cell.toml away.csv --certificate block.stl",
        "batch --cell cell.toml away.csv --shape grid",
        "merge away.csv --results block.stl",
        "merge gone.jsonl",
    ] {
        project.check(&format!("away.csv {REPORTS}")).code(0);
        let output = project
            .run(&format!("{line} {REPORTS}"))
            .code(2)
            .get_output()
            .clone();
        all_are_red(&project, line);
        let json: Value = serde_json::from_str(&read(&project, "z.json")).unwrap();
        assert_eq!(json["verdict"], "unverified", "{line}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.matches("error: ").count(), 1, "{line}: {said}");
        // Where nobody asks for a report, nothing but the message is said.
        project.run(line).code(2).stdout(is_empty());
    }
    // A certificate in the place of a report.
    project.check(&format!("away.csv {REPORTS}")).code(0);
    let line = format!("check --cell cell.toml away.csv --certificate z.json {REPORTS}");
    project.run(&line).code(2);
    all_are_red(&project, &line);
    // Without a cell in the folder.
    for command in ["check", "batch"] {
        let mut run = Command::cargo_bin("clearance").unwrap();
        run.current_dir(project.path().join("nocell"));
        run.args([command, "cell.csv", "--report", "junit=z.xml"]);
        run.assert().code(2).stderr(contains("no cell given"));
        let junit = read(&project, "nocell/z.xml");
        assert!(junit.contains("<error"), "{junit}");
    }
    // What it would have read is not written over either.
    for (line, file) in [
        (
            "batch --cell cell.toml nope/*.csv away.csv --report json=away.csv",
            "away.csv",
        ),
        (
            "batch --cell cell.toml nope/*.csv --report json=block.stl",
            "block.stl",
        ),
        (
            "check --cell cell.toml n/**.csv a*.csv --report json=away.csv",
            "away.csv",
        ),
        ("merge cell.toml --report json=cell.toml", "cell.toml"),
    ] {
        let before = read(&project, file);
        project
            .run(line)
            .code(2)
            .stderr(contains("this file is read"));
        assert_eq!(read(&project, file), before, "{line}");
    }
}

/// What is to make a run fail and was not looked for is not absent.
#[test]
fn findings_that_nobody_looks_for_are_told_in_the_reports() {
    let project = Project::new();
    project.write("free.toml", format!("{CELL}\n[check]\nlimits = false\n"));
    for (options, why) in [
        (
            "--cell cell.toml --fail-on near-miss",
            "no pair has a warn distance",
        ),
        (
            "--cell free.toml --fail-on collision,limit",
            "`limits = false` in the cell file",
        ),
        (
            "--cell cell.toml --no-limits --fail-on limit,collision",
            "(--no-limits)",
        ),
    ] {
        for (program, code) in [("away.csv", 2), ("hit.csv", 1)] {
            for command in ["check", "batch --results r.jsonl"] {
                let line = format!("{command} {options} {program} {REPORTS}");
                project.run(&line).code(code).stderr(contains(why));
                all_are_red(&project, &line);
            }
            if options.contains("near-miss") {
                let line = format!("merge r.jsonl --fail-on near-miss {REPORTS}");
                project.run(&line).code(code).stderr(contains(why));
                all_are_red(&project, &line);
            }
        }
    }
    // Nobody names limits there.
    project.run("check --cell free.toml away.csv").code(0);
    project
        .run("check --cell free.toml --fail-on collision away.csv")
        .code(0);
}

/// A page that was made when the program hit something must not stay when it is clear.
#[test]
fn pages_of_an_earlier_run_do_not_stay() {
    let project = Project::new();
    let pages = || {
        let entries = fs::read_dir(project.path().join("b_pages")).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let batch = "batch --cell cell.toml away.csv hit.csv --report html=b.html";
    project.run(batch).code(1);
    assert_eq!(pages(), ["000002_hit.csv.html"]);
    project.write("b_pages/mine_000002.html", "");
    project.run(&format!("{batch} --html-pages all")).code(1);
    assert_eq!(pages().len(), 3);
    project.write("hit.csv", read(&project, "away.csv"));
    project.run(batch).code(0);
    assert_eq!(pages(), ["mine_000002.html"]);
    // A name like that of a page does not make one.
    project.write("b_pages/20261126_minutes.html", "<!doctype html>\n<html>");
    project.run(batch).code(0);
    assert_eq!(pages(), ["20261126_minutes.html", "mine_000002.html"]);
}

/// The list says that there is no answer; a page beside it would say another thing.
#[test]
fn a_run_without_an_answer_leaves_no_pages_of_an_earlier_run() {
    let project = Project::new();
    project.write("broken.toml", CELL.replace("block.stl", "gone.stl"));
    for line in [
        "nope/*.csv --cell cell.toml",
        "hit.csv --cell broken.toml",
        "hit.csv --cell cell.toml --results cell.toml",
    ] {
        project
            .run("batch --cell cell.toml hit.csv --report html=b.html")
            .code(1);
        let page = project.path().join("b_pages/000001_hit.csv.html");
        assert!(page.exists());
        project
            .run(&format!("batch {line} --report html=b.html"))
            .code(2);
        assert!(!page.exists(), "{line}");
    }
}

/// One mistake in the cell is one annotation, at its line.
#[test]
fn a_stale_allowance_is_told_once_and_with_its_line() {
    let project = Project::new();
    let allow = "[[allow]]\na = \"arm\"\nb = \"ghost\"\n";
    project.write("cell.toml", format!("{CELL}\n{allow}"));
    project.write("also.csv", read(&project, "away.csv"));
    let output = project.check("away.csv also.csv --audit-allowed --report github");
    let said = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let stale: Vec<&str> = said
        .lines()
        .filter(|l| l.contains("stale-allowance"))
        .collect();
    assert_eq!(stale.len(), 1, "{said}");
    assert!(stale[0].contains("file=cell.toml,line=12,col=5,"), "{said}");
}

/// The other part would be lost.
#[test]
fn a_part_is_not_resumed_in_the_file_of_another_one() {
    let project = Project::new();
    let batch = "batch --cell cell.toml away.csv hit.csv --results r.jsonl --resume";
    let first = project
        .run(&format!("{batch} --shard 1/2"))
        .get_output()
        .status
        .code();
    assert_eq!(first, Some(0));
    let before = read(&project, "r.jsonl");
    for other in ["2/2", "1/3"] {
        let other = project.run(&format!("{batch} --shard {other}"));
        other.code(2).stderr(contains("holds results of shard 1/2"));
        assert_eq!(read(&project, "r.jsonl"), before);
    }
    // The same part, and the whole, have room for what is there.
    project.run(&format!("{batch} --shard 1/2")).code(0);
    project.run(batch).code(1);
    project
        .run(&format!("{batch} --shard 1/2"))
        .code(2)
        .stderr(contains("the whole batch"));
    // One part of one is the whole.
    project.run(&format!("{batch} --shard 1/1")).code(1);
    project.run(batch).code(1);
}
