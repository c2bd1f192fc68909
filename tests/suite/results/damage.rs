//! Lines that are not as they were written are neither believed nor a reason to give up.

use super::*;

const BATCH: &str = "batch --cell cell.toml p --results r.jsonl";

#[test]
fn a_damaged_line_is_verified_again() {
    let site = Site::new(BARELY_M);
    site.run(BATCH, 1);
    let whole = site.read("r.jsonl");
    for (from, to, done) in [
        // An answer that somebody made better.
        ("\"verdict\":\"undecided\"", "\"verdict\":\"clear\"", 1),
        // Another program's name.
        ("p/away.csv", "p/under.csv", 1),
        // No JSON any more.
        ("{\"program\"", "{\"prog", 1),
        // Two lines in one, and a footer that counts them otherwise.
        (
            "\"}\n{\"program\":\"p/under",
            "\"}{\"program\":\"p/under",
            0,
        ),
        ("\"undecided\":1", "\"undecided\":0", 2),
        // The fields for a brief reading are all there, and a field that a report needs is not.
        ("\"distance_tests\":", "\"distance_testz\":", 1),
        // The first line.
        ("\"results\":3", "\"results\":3 ", 0),
        ("{\"results\"", "?\"results\"", 0),
        ("\"all\":false", "\"all\":true", 0),
    ] {
        assert!(whole.contains(from), "{from}");
        site.write("r.jsonl", &whole.replacen(from, to, 1));
        // Nothing is joined that is not whole.
        let refused = site.process("merge r.jsonl").output().unwrap();
        assert_ne!(refused.status.code(), Some(0), "{from}");
        let said = errors(&refused) + &text(&refused);
        assert!(said.contains("r.jsonl"), "{said}");
        let resumed = site.run(&format!("{BATCH} --resume"), 1);
        let said = errors(&resumed);
        assert!(said.contains("is damaged"), "{from}: {said}");
        match done {
            0 if said.contains("of 2 programs") => {
                assert!(said.contains("0 of 2 programs are done"), "{from}: {said}");
            }
            0 => {}
            n => assert!(
                said.contains(&format!("{n} of 2 programs are done")),
                "{from}: {said}"
            ),
        }
        assert_eq!(site.read("r.jsonl"), whole, "{from}");
    }
    // As an earlier run to compare with: the damaged program is verified.
    let damaged = whole.replacen("\"verdict\":\"undecided\"", "\"verdict\":\"clear\"", 1);
    site.write("old.jsonl", &damaged);
    let compared = site.run(&format!("{BATCH} --baseline old.jsonl"), 1);
    let said = errors(&compared);
    assert!(said.contains("old.jsonl:3: this line is damaged"), "{said}");
    assert!(said.contains("its program counts as new"), "{said}");
    assert_eq!(site.lines("r.jsonl")[2]["baseline"]["change"], "new");
}

/// Lines of another run, well formed and with a hash, are not answers of this one.
#[test]
fn lines_of_another_run_are_not_believed() {
    let site = Site::new(BARELY_M);
    site.run(BATCH, 1);
    let whole = site.read("r.jsonl");
    site.write("cell.toml", &cell(0.5));
    site.run("batch --cell cell.toml p --results far.jsonl", 0);
    site.write("cell.toml", &cell(BARELY_M));
    let line = |text: &str, k: usize| text.lines().nth(k).unwrap().to_owned();
    let mixed = whole.replace(&line(&whole, 2), &line(&site.read("far.jsonl"), 2));
    assert_ne!(mixed, whole);
    site.write("r.jsonl", &mixed);
    let resumed = site.run(&format!("{BATCH} --resume"), 1);
    assert!(errors(&resumed).contains("1 of 2 programs are done"));
    assert_eq!(site.read("r.jsonl"), whole);
}

/// A file from before lines had hashes: everything is verified again, nothing is joined.
#[test]
fn files_of_before_are_verified_again() {
    let site = Site::new(BARELY_M);
    site.run(BATCH, 1);
    let whole = site.read("r.jsonl");
    let old: String = whole
        .lines()
        .map(|line| {
            let mut value: Value = serde_json::from_str(line).unwrap();
            let fields = value.as_object_mut().unwrap();
            fields.remove("line_hash");
            fields.remove("build");
            format!("{value}\n")
        })
        .collect();
    site.write("r.jsonl", &old);
    let refused = site.run("merge r.jsonl", 2);
    assert!(
        errors(&refused).contains("--resume"),
        "{}",
        errors(&refused)
    );
    let resumed = site.run(&format!("{BATCH} --resume"), 1);
    assert!(
        errors(&resumed).contains("every program is verified again"),
        "{}",
        errors(&resumed)
    );
    assert_eq!(site.read("r.jsonl"), whole);
    // It can still be compared with.
    site.write("old.jsonl", &old);
    site.run(&format!("{BATCH} --baseline old.jsonl"), 1);
    let versus = &site.lines("r.jsonl")[2]["baseline"];
    assert_eq!(
        (&versus["checked"], &versus["verdict"]),
        (&Value::from(true), &Value::from("undecided"))
    );
}
