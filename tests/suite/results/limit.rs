//! `--time-limit`: what there was no time for is undecided.

use super::*;

#[test]
fn without_any_time_nothing_is_decided() {
    let site = Site::new(0.5);
    let check = "check --cell cell.toml p/under.csv p/away.csv";
    site.run(check, 0);
    for more in [
        "",
        "--all",
        "--minimum",
        "--warn 1m",
        "--audit-allowed",
        "--all --minimum --warn 1m --audit-allowed",
        "--method sampling",
        "--clearance 0 --method intersection",
        "--shape ranked",
    ] {
        let json = site.json(&format!("{check} --time-limit 1ns {more}"), 1);
        assert_eq!(json["verdict"], "undecided", "{more}");
        for program in json["programs"].as_array().unwrap() {
            assert_eq!(program["verdict"], "undecided", "{more}");
            assert_eq!(program["given_up_after"], 1e-9, "{more}");
            let why = program["error"].as_str().unwrap();
            assert!(why.contains("time limit"), "{more}: {why}");
            assert!(program["audit"].is_null(), "{more}");
            let bound = &program["minimum_clearance"]["lower_bound"];
            assert!(bound.is_null() || *bound == 0.0, "{more}: {bound}");
        }
    }
    let line = format!("{check} --time-limit 1ns --report");
    let junit = text(&site.run(&format!("{line} junit"), 1));
    assert!(junit.contains("failures=\"2\" errors=\"0\""), "{junit}");
    assert!(junit.contains("time limit"), "{junit}");
    let github = text(&site.run(&format!("{line} github"), 1));
    assert_eq!(
        github.matches("::error file=").count(),
        github.lines().count()
    );
    assert!(github.contains("time limit"), "{github}");
    let sarif = text(&site.run(&format!("{line} sarif"), 1));
    assert!(!sarif.contains("\"ruleId\": \"unverified\""), "{sarif}");
    assert!(text(&site.run(&format!("{line} text"), 1)).contains("time limit"));
    let told = text(&site.run("check --cell cell.toml p/away.csv --time-limit 1ns", 1));
    // Far apart, and not looked at: nobody has tried to tell them from the threshold.
    assert!(told.contains("no time was left to look closer"), "{told}");
    assert!(!told.contains("not separable"), "{told}");
    // Nobody means a check that may take no time.
    for none in ["0", "0s", "0ms", "1e-12s", "-1s"] {
        let wrong = site.run(&format!("{check} --time-limit {none}"), 2);
        let said = errors(&wrong);
        assert!(said.contains("must be above 0"), "{none}: {said}");
    }
}

/// Farther away than any clock tells.
#[test]
fn an_endless_limit_is_none_for_every_method() {
    let site = Site::new(0.5);
    let check = "check --cell cell.toml p/away.csv --time-limit 10000000000000000000s";
    for method in ["bisection", "sampling", "intersection"] {
        let sampled = method == "sampling";
        let json = site.json(
            &format!("{check} --clearance 0 --method {method}"),
            if sampled { 2 } else { 0 },
        );
        let program = &json["programs"][0];
        let why = program["error"].as_str().unwrap_or_default();
        assert_eq!(
            why.starts_with("sampled, not proved"),
            sampled,
            "{method}: {program}"
        );
        assert!(program["given_up_after"].is_null(), "{method}: {program}");
    }
}

/// With time enough the answers are the same, byte for byte.
#[test]
fn with_time_enough_nothing_changes() {
    let site = Site::new(BARELY_M);
    let batch = "batch --cell cell.toml p --minimum --all --warn 1m --report json --results";
    let without = text(&site.run(&format!("{batch} a.jsonl"), 1));
    let with = text(&site.run(&format!("{batch} b.jsonl --time-limit 1000000s"), 1));
    assert_eq!(without, with);
    assert_eq!(site.read("a.jsonl"), site.read("b.jsonl"));
}

/// A program for which there was no time is verified again, and not taken over.
#[test]
fn resume_checks_given_up_programs_again() {
    let site = Site::new(0.5);
    let batch = "batch --cell cell.toml p";
    site.run(&format!("{batch} --results whole.jsonl"), 0);
    let none = site.run(&format!("{batch} --results r.jsonl --time-limit 1ns"), 1);
    assert!(text(&none).contains("2 undecided"), "{}", text(&none));
    let against = format!("{batch} --baseline r.jsonl --results b.jsonl");
    site.run(&against, 0);
    for line in &site.lines("b.jsonl")[1..3] {
        assert_eq!(line["baseline"]["checked"], true);
        assert_eq!(line["baseline"]["change"], "newly-fixed");
    }
    let resumed = site.run(&format!("{batch} --results r.jsonl --resume"), 0);
    assert!(errors(&resumed).contains("0 of 2 programs are done"));
    assert_eq!(site.read("r.jsonl"), site.read("whole.jsonl"));
}
