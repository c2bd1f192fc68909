//! Budgets of error: what is proved for them, what is only possible, and how much larger they may
//! be.

use super::*;

/// The ball of the hand (radius 0.05, 0.6 from the axis) stops 5 mm before the block's face x =
/// 0.05, 0.67 from the base.
fn project(uncertainty: &str) -> Project {
    let project = Project::new();
    let stop = (0.105_f64 / 0.6).acos();
    project.write(
        "near.csv",
        format!("time,turn,slide\n0,0.5,0\n1,{stop},0\n"),
    );
    project.write(
        "cell.toml",
        format!("{CELL}\n[uncertainty]\n{uncertainty}\n"),
    );
    project
}

#[test]
fn what_a_base_may_be_off_decides_between_clear_and_possible() {
    // 3 mm and 0.1° at 0.67 m: 4.2 mm of 5 mm. With 0.2° 5.3 mm.
    project(r#"base = { xyz = "3mm", angle = "0.1deg" }"#)
        .check("near.csv")
        .code(0)
        .stdout(predicate::str::starts_with("CLEAR"))
        .stdout(contains("for every error within base 3 mm and 0.1°"));
    let project = project(r#"base = { xyz = "3mm", angle = "0.2deg" }"#);
    project
        .check("near.csv")
        .code(1)
        .stdout(predicate::str::starts_with("POSSIBLE"))
        .stdout(contains("hand against block"))
        .stdout(contains("errors may take"))
        .stdout(contains("base 5."));
    let report = project.json("near.csv");
    let first = &report["programs"][0]["first_contact"];
    assert_eq!(report["verdict"], "possible");
    assert_eq!(first["kind"], "possible");
    let base = first["errors"]["base"].as_f64().unwrap();
    let distance = first["distance"].as_f64().unwrap();
    assert!((0.0052..0.0056).contains(&base), "{base}");
    assert!((distance - base).abs() < 3e-4, "{distance} {base}");
    assert_eq!(report["uncertainty"][0]["kind"], "base");
    // A pair of one robot is not touched by it.
    let all = project.json("--all near.csv");
    for contact in all["programs"][0]["contacts"].as_array().unwrap() {
        assert_eq!((&contact["a"], &contact["b"]), (&first["a"], &first["b"]));
    }
}

#[test]
fn every_report_knows_what_is_possible() {
    let project = project(r#"base = { xyz = "6mm" }"#);
    let line = "near.csv --report junit=j.xml --report sarif=s.json --report markdown=m.md --report html=h.html --report github";
    project
        .check(line)
        .code(1)
        .stdout(contains("::error"))
        .stdout(contains("possible"));
    let read = |name: &str| fs::read_to_string(project.path().join(name)).unwrap();
    assert!(
        read("j.xml").contains("<failure type=\"possible\""),
        "{}",
        read("j.xml")
    );
    assert!(
        read("s.json").contains("\"ruleId\": \"possible\""),
        "{}",
        read("s.json")
    );
    assert!(read("m.md").contains("1 possible"), "{}", read("m.md"));
    assert!(read("h.html").contains("\"kind\":\"possible\""));
    project.check("near.csv --fail-on limit").code(0);
}

#[test]
fn contact_of_the_ideal_motion_stays_a_collision() {
    let report = project(r#"base = { xyz = "6mm" }"#).json("hit.csv");
    assert_eq!(report["verdict"], "collision");
    let plain = Project::new().json("hit.csv");
    let first = |report: &Value| report["programs"][0]["first_contact"].clone();
    let (report, plain) = (first(&report), first(&plain));
    for same in ["a", "b", "kind"] {
        assert_eq!(report[same], plain[same]);
    }
    // The searches begin at different places: each says that the first contact is between its two
    // times.
    let time = |contact: &Value, key: &str| contact[key].as_f64().unwrap();
    assert!(time(&report, "free_until") <= time(&plain, "time"));
    assert!(time(&plain, "free_until") <= time(&report, "time"));
}

/// The hand stops 5 mm before the block, and passes through a post on its way.
#[test]
fn with_all_a_collision_does_not_hide_what_errors_may_do() {
    let budget = |base: &str| {
        let project = project(&format!("base = {{ xyz = \"{base}\" }}"));
        let post =
            "[[obstacle]]\nname = \"post\"\nsphere = 0.02\npose = { xyz = [0.42, 0.42, 0.3] }\n";
        let cell = fs::read_to_string(project.path().join("cell.toml")).unwrap();
        project.write(
            "cell.toml",
            cell.replace("[uncertainty]", &format!("{post}[uncertainty]")),
        );
        project
    };
    for (base, more) in [("6mm", true), ("1mm", false)] {
        let report = budget(base).json("--all near.csv");
        let program = &report["programs"][0];
        assert_eq!(program["verdict"], "collision");
        assert_eq!(program["first_contact"]["kind"], "contact");
        let found = program["contacts"].as_array().unwrap().iter();
        let kinds: Vec<_> = found
            .map(|c| (c["b"].as_str().unwrap(), c["kind"].as_str().unwrap()))
            .collect();
        let hand: Vec<_> = kinds.iter().filter(|(b, _)| *b == "block").collect();
        assert!(kinds.contains(&("post", "contact")), "{kinds:?}");
        assert!(!kinds.contains(&("post", "possible")), "{kinds:?}");
        assert_eq!(
            hand,
            if more {
                vec![&("block", "possible")]
            } else {
                vec![]
            },
            "{kinds:?}"
        );
    }
}

/// Regression: `clear` for a budget, and a margin of 0.99 times that budget.
#[test]
fn a_margin_is_not_below_the_budget_that_is_proved() {
    let mut clear = 0;
    for micrometres in (4960..5020).step_by(3) {
        let project = project(&format!("base = {{ xyz = \"{micrometres}um\" }}"));
        let report = project.json("--margin near.csv");
        if report["verdict"] == "clear" {
            clear += 1;
            let times = report["programs"][0]["margin"]["times"].as_f64().unwrap();
            assert!(times >= 1.0, "{micrometres}: {times}");
        }
    }
    assert!(
        clear > 0 && clear < 20,
        "{clear}: none of them is at the edge"
    );
}

#[test]
fn a_margin_says_how_much_larger_errors_may_be() {
    let project = project(r#"base = { xyz = "3mm", angle = "0.1deg" }"#);
    let report = project.json("--margin near.csv");
    let margin = &report["programs"][0]["margin"];
    // 5 mm of 4.17 mm, to two percent below.
    let times = margin["times"].as_f64().unwrap();
    assert!((1.15..1.21).contains(&times), "{margin}");
    let by_class = margin["by_class"].as_array().unwrap();
    let of = |class: &str| by_class.iter().find(|c| c["class"] == class).unwrap();
    assert_eq!(of("robot-cell")["limit"]["b"], "block");
    assert_eq!(of("within-robot")["unlimited"], true);
    project
        .check("--margin near.csv")
        .stdout(contains("margin     1.1"))
        .stdout(contains("hand – block uses 4.171 mm of 5 mm"));
    // Without a budget it is asked about the default one.
    project.write("cell.toml", CELL);
    let report = project.json("--margin near.csv");
    let margin = &report["programs"][0]["margin"];
    assert!(margin["budget"].as_array().unwrap().len() >= 3, "{margin}");
    assert_eq!(report["verdict"], "clear");
}

#[test]
fn what_does_not_know_of_errors_is_refused() {
    let project = project(r#"base = { xyz = "3mm" }"#);
    project
        .check("near.csv --method sampling")
        .code(2)
        .stdout(contains("default method only"));
    project
        .check("near.csv --margin --method sampling")
        .code(2)
        .stdout(contains("--margin"));
}

#[test]
fn a_batch_counts_what_is_possible() {
    let project = project(r#"base = { xyz = "6mm" }"#);
    fs::create_dir(project.path().join("library")).unwrap();
    for name in ["near.csv", "away.csv"] {
        fs::rename(
            project.path().join(name),
            project.path().join("library").join(name),
        )
        .unwrap();
    }
    project
        .run("batch --cell cell.toml library --quiet --margin --results r.jsonl")
        .code(1)
        .stdout(contains("1 clear, 1 possible"))
        .stdout(contains("margin"));
    // A larger budget is another question.
    let budget = r#"base = { xyz = "1mm" }"#;
    project.write("cell.toml", format!("{CELL}\n[uncertainty]\n{budget}\n"));
    project
        .run("batch --cell cell.toml library --quiet --margin --results r.jsonl --resume")
        .code(0)
        .stdout(contains("2 clear"));
}

#[test]
fn a_comparison_says_that_it_is_about_the_ideal_motion() {
    let said = |uncertainty: &str| {
        let assert = project(uncertainty).run("compare --cell cell.toml --quiet near.csv");
        let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        text.contains("All answers are about the ideal motion")
    };
    assert!(said(r#"base = { xyz = "6mm" }"#));
    assert!(!said(""));
}
