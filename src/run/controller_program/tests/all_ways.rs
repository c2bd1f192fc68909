//! An answer holds for all ways through a program, whichever of them it tells of.
//!
//! Regression: of ways with the same verdict the first one was told, and what was wrong on the others
//! was lost: limits that they violate (exit code 0), near misses, and what they come nearer to.

use super::*;
use crate::findings::{Diagnostic, FailOn, ProgramOutcome, Severity};
use crate::run::MinimumScope;
use crate::run::controller_program::all_ways::{WayAnswer, take_in};

/// A program with these two moves on its two ways.
fn branches(first: &str, second: &str) -> String {
    format!("movej([0])\nif get_digital_in(1):\n  {first}\nelse:\n  {second}\nend\n")
}

/// Both orders of the ways, each asked for everything.
fn both_orders(one: &str, other: &str, cell: &str) -> [Outcome; 2] {
    [branches(one, other), branches(other, one)].map(|program| {
        verified_by("", cell, "a.script", &program, |job| Job {
            minimum: Some(MinimumScope::Classes),
            minimum_pairs: Some(10.0),
            warn: Some(0.1),
            ..job
        })
    })
}

#[test]
fn limits_of_all_ways_are_told() {
    let outcomes = both_orders("movej([1])", "movej([-3.1])", CELL);
    for outcome in &outcomes {
        let program = &outcome.programs[0];
        assert_eq!(program.verdict, Verdict::Clear);
        let [limit] = &program.limits[..] else {
            panic!("{:?}", program.limits);
        };
        assert!((limit.value + 3.1).abs() < 1e-9, "{limit:?}");
        assert!(FailOn::default().found(program, outcome));
    }
    // Both ways leave the limits: of each joint the worst is told, with its way if it is another one.
    let outcomes = both_orders("movej([-3.05])", "movej([-3.1])", CELL);
    for (outcome, way) in outcomes.iter().zip([Some("digital"), None]) {
        let [limit] = &outcome.programs[0].limits[..] else {
            panic!("{:?}", outcome.programs[0].limits);
        };
        assert!((limit.value + 3.1).abs() < 1e-9, "{limit:?}");
        let said = limit.way.as_deref();
        assert_eq!(said.is_some(), way.is_some(), "{said:?}");
        assert_eq!(limit.segment.is_none(), way.is_some());
    }
    // A way with a worse verdict is told, and limits of the other one with it.
    for outcome in both_orders("movej([2])", "movej([-3.1])", CELL) {
        let program = &outcome.programs[0];
        assert_eq!(program.verdict, Verdict::Collision);
        let [limit] = &program.limits[..] else {
            panic!("{:?}", program.limits);
        };
        assert!(limit.way.is_some(), "{limit:?}");
    }
}

#[test]
fn near_misses_and_least_distances_are_those_of_all_ways() {
    // At 1.45 rad the bar is 0.1 m from the post, less both radii.
    for outcome in both_orders("movej([1])", "movej([1.45])", CELL) {
        let program = &outcome.programs[0];
        assert_eq!(program.verdict, Verdict::Clear);
        assert_eq!(program.near_misses.len(), 1);
        let least = program.minimum_clearance.as_ref().unwrap();
        let alone = verified_by("", CELL, "a.script", "movej([0])\nmovej([1.45])\n", |job| {
            Job {
                minimum: Some(MinimumScope::Classes),
                minimum_pairs: Some(10.0),
                ..job
            }
        });
        let alone = &alone.programs[0];
        assert_eq!(Some(least), alone.minimum_clearance.as_ref());
        assert_eq!(program.minimum_by_class, alone.minimum_by_class);
        assert_eq!(program.pair_minimums, alone.pair_minimums);
    }
    // The nearest bodies are other ones on each way: both are told, with what is proved on both, and that
    // both come near.
    let cell = format!(
        "{CELL}[[obstacle]]\nname = \"pin\"\nsphere = 0.05\npose = {{ xyz = [0, -0.9, 0] }}\n"
    );
    for outcome in both_orders("movej([-1.42])", "movej([1.45])", &cell) {
        let program = &outcome.programs[0];
        let near: std::collections::BTreeSet<&str> =
            program.near_misses.iter().map(|m| &*m.b).collect();
        assert_eq!(Vec::from_iter(near), ["pin", "post"]);
        let pairs: Vec<&str> = program.pair_minimums.iter().map(|p| &*p.b).collect();
        assert_eq!(pairs, ["post", "pin"], "{:?}", program.pair_minimums);
        for pair in &program.pair_minimums {
            assert!(
                pair.lower_bound <= pair.distance && pair.distance < 0.3,
                "{pair:?}"
            );
        }
    }
}

/// A contact on one way may be one that does not count; what is not known of the other way still does.
#[test]
fn what_is_not_settled_on_one_way_is_not_settled() {
    for outcome in both_orders("movej([2])", "servoj([2])", CELL) {
        let program = &outcome.programs[0];
        assert_eq!(program.verdict, Verdict::Collision);
        assert!(FailOn::unanswered(program), "{program:?}");
        assert!(program.error.is_some());
    }
}

/// Regression: a remark of another way was dropped where the way that is told has one of that kind about
/// the same thing, whatever the two say.
#[test]
fn remarks_that_say_something_else_on_another_way_are_told() {
    let saying = |message: &str, severity| ProgramOutcome {
        unchecked: vec![Diagnostic {
            subject: "digital output 1".into(),
            message: message.into(),
            place: None,
            severity,
            code: Code::Way,
        }],
        ..ProgramOutcome::unknown()
    };
    let mut told = saying("it is on", Severity::Note);
    let others = [("it is on", "a"), ("it is off", "b"), ("it is off", "c")];
    let others = others.map(|(message, name)| WayAnswer {
        name,
        answer: saying(message, Severity::Unchecked),
    });
    take_in(&mut told, others.into());
    let messages: Vec<_> = told.left_out().map(|d| &*d.message).collect();
    assert_eq!(messages, ["it is on", "it is off (on the way where b)"]);
}
