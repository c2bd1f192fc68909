//! An interval of a program in which events leave no pair of bodies to compare is never clear,
//! whatever is compared elsewhere.

use serde_json::Value;

use super::{POST, Shop, all_reports, arm, codes};

/// The arm, the post, and two seconds of motion with these events; a second post that a pair may be
/// left with.
fn shop(events: &str) -> Shop {
    let second = POST
        .replace("post", "second")
        .replace("-0.8, -0.8, 0", "0, -2, 0");
    let shop = Shop::new(&arm(), &format!("{POST}{second}"));
    shop.put("p.csv", "time,turn\n0,0\n4,1.5707963267948966\n");
    shop.put("p.events.toml", events);
    shop
}

fn allow(from: f64, b: &str, until: &str) -> String {
    format!("[[event]]\nat = {from:?}\nallow = [\"*\", \"{b}\"]\n{until}")
}

#[test]
fn an_interval_without_a_pair_is_never_clear() {
    for (events, interval, pairs) in [
        // In the middle, at the beginning, to the end, of two events together, and at the last
        // instant only.
        (
            allow(1.0, "*", "until = 2\n"),
            "from 1.000 s to 2.000 s",
            [2, 0, 2].as_slice(),
        ),
        (
            allow(0.0, "*", "until = 2\n"),
            "from 0.000 s to 2.000 s",
            &[0, 2],
        ),
        (allow(3.0, "*", ""), "from 3.000 s to 4.000 s", &[2, 0]),
        (
            allow(1.0, "post", "until = 3\n") + &allow(2.0, "second", ""),
            "from 2.000 s to 3.000 s",
            &[2, 1, 0, 1],
        ),
        (allow(4.0, "*", ""), "at 4.000 s", &[2, 0]),
    ] {
        let shop = shop(&events);
        let (code, report) = shop.check();
        assert_eq!(
            (code, &report["verdict"]),
            (2, &Value::from("unverified")),
            "{report:#}"
        );
        let program = &report["programs"][0];
        assert_eq!(program["verdict"], "unverified");
        let phases = program["timeline"]["phases"].as_array().unwrap();
        let counted: Vec<u64> = phases.iter().filter_map(|p| p["pairs"].as_u64()).collect();
        assert_eq!(counted, pairs, "{events}");
        assert_eq!(codes(&program["notices"]), ["nothing-checked"]);
        let notice = program["notices"][0].to_string();
        // When, whose doing, and what can be done.
        for said in [
            interval,
            "p.events.toml:1",
            "name the two bodies that are meant",
        ] {
            assert!(notice.contains(said), "{said}: {notice}");
        }
        let said = all_reports(&shop, "check --cell cell.toml p.csv");
        assert!(said.contains("UNVERIFIED p.csv"), "{said}");
        assert!(said.contains("errors=\"1\""), "{said}");
        assert!(!said.contains("pairs more than"), "{said}");
        assert!(
            said.contains("guarantee: up to 2 pairs, as events"),
            "{said}"
        );
        for no in ["CLEAR  ", "\"verdict\": \"clear\"", "\"verdict\":\"clear\""] {
            assert!(!said.contains(no), "{no}");
        }
        assert_eq!(shop.run("batch --cell cell.toml p.csv").0, 2);
    }
}

/// Some pair is compared at every instant, though never the same one: clear, and no more pairs are
/// claimed than hold.
#[test]
fn intervals_with_fewer_pairs_are_clear_and_told_as_such() {
    let events = allow(1.0, "post", "until = 2\n") + &allow(2.0, "second", "until = 3\n");
    let shop = shop(&events);
    let (code, report) = shop.check();
    assert_eq!(
        (code, &report["verdict"]),
        (0, &Value::from("clear")),
        "{report:#}"
    );
    let (_, said, _) = shop.run("check --cell cell.toml p.csv");
    let last = "1 to 2 pairs more than 0 mm apart at every instant";
    assert!(said.trim_end().ends_with(last), "{said}");
}

/// Several programs say the same once, and briefly where it is repeated.
#[test]
fn what_leaves_the_question_open_is_said_once() {
    let allowed = format!("{POST}[[allow]]\na = \"*\"\nb = \"*\"\nreason = \"quiet\"\n");
    let shop = Shop::new(&arm(), &allowed);
    shop.put("q.csv", "time,turn\n0,0\n1,1\n");
    let (code, said, errors) = shop.run("check --cell cell.toml p.csv q.csv");
    assert_eq!(code, 2);
    let why = "every pair of bodies is allowed to touch";
    assert_eq!(said.matches(why).count(), 1, "{said}");
    assert_eq!(
        said.matches("not everything is settled: see the notice about cell.toml (nothing-checked)")
            .count(),
        2,
        "{said}"
    );
    assert_eq!(errors.matches("error:").count(), 1, "{errors}");
    assert!(errors.len() < 150, "{errors}");
    let (_, _, errors) = shop.run("distance --cell cell.toml --at [0] --at [1]");
    assert_eq!(errors.matches("error:").count(), 1, "{errors}");
    let (_, said, errors) = shop.run("compare --cell cell.toml p.csv");
    assert_eq!(said.matches("see the notice").count(), 1, "{said}");
    assert_eq!(errors.matches("error:").count(), 1, "{errors}");
}
