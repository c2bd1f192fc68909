//! An answer that stays undecided is a failure everywhere.

use super::*;

const CHECK: &str = "check --cell cell.toml p/under.csv p/away.csv";

#[test]
fn in_every_report_of_a_check() {
    let site = Site::new(BARELY_M);
    let json = site.json(CHECK, 1);
    assert_eq!(json["verdict"], "undecided");
    let verdicts: Vec<&Value> = (0..2).map(|k| &json["programs"][k]["verdict"]).collect();
    assert_eq!(verdicts, ["undecided", "clear"]);
    let first = &json["programs"][0]["first_contact"];
    assert_eq!(first["kind"], "unresolved");
    assert!(first["distance"].as_f64().unwrap() > 1e-3);
    assert_eq!(first["free_until"], 0.0);
    assert!(json["programs"][0]["error"].is_null());

    let report = |format: &str| text(&site.run(&format!("{CHECK} --report {format}"), 1));
    let junit = report("junit");
    assert!(junit.contains("failures=\"1\" errors=\"0\""), "{junit}");
    assert_eq!(junit.matches("<failure").count(), 1, "{junit}");
    let sarif: Value = serde_json::from_str(&report("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{sarif}");
    assert_eq!(
        (&results[0]["ruleId"], &results[0]["level"]),
        (&Value::from("unresolved"), &Value::from("error"))
    );
    let github = report("github");
    assert!(github.starts_with("::error file=p/under.csv"), "{github}");
    assert!(github.contains("unresolved"), "{github}");
    let markdown = report("markdown");
    let row = markdown.lines().find(|l| l.contains("under.csv"));
    assert!(row.unwrap().contains("undecided"), "{markdown}");
    let text = report("text");
    assert!(text.contains("UNDECIDED  p/under.csv"), "{text}");
    // Whoever does not want to hear of it has to say so.
    site.run(&format!("{CHECK} --fail-on limit,unverified"), 0);
    site.run(&format!("{CHECK} --fail-on collision"), 1);
}

/// A little higher or lower, and it is one or the other.
#[test]
fn only_where_no_bound_can_tell() {
    for (gap, verdict, code) in [(1.2e-3, "clear", 0), (0.99e-3, "collision", 1)] {
        let site = Site::new(gap);
        assert_eq!(site.json(CHECK, code)["verdict"], verdict, "{gap}");
    }
}

#[test]
fn in_a_batch_its_results_and_what_becomes_of_them() {
    let site = Site::new(BARELY_M);
    let batch = "batch --cell cell.toml p";
    let json = site.json(&format!("{batch} --results r.jsonl"), 1);
    assert_eq!(json["verdict"], "undecided");
    let check = |file: &str| {
        let lines = site.lines(file);
        let [_, away, under, footer] = &lines[..] else {
            panic!("{lines:?}");
        };
        assert_eq!(
            (&away["verdict"], &under["verdict"]),
            (&Value::from("clear"), &Value::from("undecided"))
        );
        assert_eq!(under["first_contact"]["kind"], "unresolved");
        let tally = &footer["finished"];
        for (word, count) in [
            ("programs", 2),
            ("clear", 1),
            ("limit", 0),
            ("unverified", 0),
            ("undecided", 1),
            ("collision", 0),
        ] {
            assert_eq!(tally[word], count, "{file}: {word}");
        }
    };
    check("r.jsonl");
    let before = site.read("r.jsonl");

    let resumed = site.run(&format!("{batch} --results r.jsonl --resume"), 1);
    assert!(errors(&resumed).contains("2 of 2 programs are done"));
    assert!(text(&resumed).contains("1 undecided"), "{}", text(&resumed));
    assert_eq!(site.read("r.jsonl"), before);

    let merged = site.json("merge r.jsonl --results m.jsonl", 1);
    assert_eq!(merged["verdict"], "undecided");
    check("m.jsonl");
    let junit = text(&site.run("merge r.jsonl --report junit", 1));
    assert!(junit.contains("failures=\"1\" errors=\"0\""), "{junit}");

    // Taken over from an earlier run it is what it was, and no better.
    let line = format!("{batch} --baseline r.jsonl --results b.jsonl");
    assert_eq!(site.json(&line, 1)["verdict"], "undecided");
    check("b.jsonl");
    let versus = &site.lines("b.jsonl")[2]["baseline"];
    assert_eq!(
        (&versus["checked"], &versus["change"], &versus["verdict"]),
        (
            &Value::from(false),
            &Value::from("none"),
            &Value::from("undecided")
        )
    );
    // With the plate higher it is mended; where it was higher before, it is broken now.
    site.write("cell.toml", &cell(2e-3));
    site.run(&format!("{line} --report text=x.txt"), 0);
    assert_eq!(
        site.lines("b.jsonl")[2]["baseline"]["change"],
        "newly-fixed"
    );
    site.write("cell.toml", &cell(BARELY_M));
    site.run(&format!("{batch} --baseline b.jsonl --results c.jsonl"), 1);
    assert_eq!(
        site.lines("c.jsonl")[2]["baseline"]["change"],
        "newly-broken"
    );
}

/// A frame without geometry moves: an event attaches a body to it, and yesterday's answer holds no
/// more.
#[test]
fn a_frame_that_moved_is_another_cell() {
    let site = Site::new(0.5);
    let ball = "[[obstacle]]\nname = \"ball\"\nsphere = 0.05\npose = { xyz = [-3, 3, 0] }\n";
    site.write("cell.toml", &(cell(0.5) + ball));
    let event = "[[event]]\nat = 0\nattach = \"ball\"\nto = \"tip\"\npose = { xyz = [0, 0, 0.3] }\ntouch = [\"beam\"]\n";
    site.write("p/under.events.toml", event);
    let batch = "batch --cell cell.toml p --results r.jsonl";
    site.run(batch, 0);
    site.run(&format!("{batch} --resume"), 0);
    // Half a metre higher the ball is within the plate.
    site.write(
        "robot.urdf",
        &URDF.replace("<origin xyz=\"0.6 0 0\"/>", "<origin xyz=\"0.6 0 0.3\"/>"),
    );
    let resumed = site.run(&format!("{batch} --resume"), 1);
    assert!(
        errors(&resumed).contains("the cell differs"),
        "{}",
        errors(&resumed)
    );
    let line = "batch --cell cell.toml p --baseline r.jsonl";
    site.write("robot.urdf", URDF);
    site.run(batch, 0);
    site.write(
        "robot.urdf",
        &URDF.replace("<origin xyz=\"0.6 0 0\"/>", "<origin xyz=\"0.6 0 0.3\"/>"),
    );
    site.run(line, 1);
}
