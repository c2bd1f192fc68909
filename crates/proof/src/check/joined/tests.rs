//! How the answers of phases are joined.

mod oracle;

use super::*;
use crate::model::{Cell, Interpolation, Trajectory};
use crate::report::{ClassMinimum, PairClass};

fn contact(a: &str, from: f64, until: f64, kind: ContactKind) -> Contact {
    Contact {
        time: from + 0.01,
        free_until: from,
        until: Some(until),
        segment: 0,
        fraction: 0.0,
        a: a.into(),
        b: "b".into(),
        kind,
        feature: None,
        exact_time: None,
        distance: 0.0,
        point_a: [0.0; 3],
        point_b: [0.0; 3],
        normal: [0.0; 3],
        joints: Default::default(),
        depth: None,
        depth_time: None,
        spheres: None,
        in_corner: false,
        errors: None,
        delays: vec![],
    }
}

#[test]
fn intervals_are_joined_across_events() {
    use ContactKind::{Contact as Touch, Unresolved};
    let joined = joined_contacts(vec![
        contact("x", 0.5, 1.0, Unresolved),
        contact("y", 0.7, 1.0, Touch),
        contact("x", 1.0, 1.5, Touch),
        contact("x", 1.6, 1.7, Touch),
    ]);
    let seen: Vec<_> = joined
        .iter()
        .map(|c| (c.a.as_str(), c.free_until, c.time, c.until, c.kind))
        .collect();
    assert_eq!(
        seen,
        [
            ("x", 0.5, 1.01, Some(1.5), Touch),
            ("y", 0.7, 0.71, Some(1.0), Touch),
            ("x", 1.6, 1.61, Some(1.7), Touch),
        ]
    );
}

/// An open interval before a contact: everything up to it is proved free, and no more.
#[test]
fn free_until_is_the_earliest_open_interval() {
    let result = |verdict, first: Contact| CheckResult {
        first_contact: Some(first),
        ..CheckResult::new(verdict)
    };
    let open = result(
        Verdict::Undecided,
        contact("x", 0.5, 1.0, ContactKind::Unresolved),
    );
    let hit = result(
        Verdict::Collision,
        contact("y", 1.2, 1.3, ContactKind::Contact),
    );
    // A result after the first contact changes nothing about it.
    let later = result(
        Verdict::Undecided,
        contact("z", 2.0, 2.1, ContactKind::Unresolved),
    );
    for phases in [vec![open.clone(), hit.clone()], vec![open, hit, later]] {
        let joined = joined(phases, true);
        let first = joined.first_contact.unwrap();
        assert_eq!(
            (
                joined.verdict,
                first.a.as_str(),
                first.free_until,
                first.time
            ),
            (Verdict::Collision, "y", 0.5, 1.21)
        );
    }
}

/// Regression: any event made `possible`, which says that the ideal motion is proved clear, of a
/// motion that is undecided elsewhere.
#[test]
fn a_motion_that_is_undecided_in_some_phase_is_not_possible() {
    use ContactKind::{Possible, Unresolved};
    let result = |verdict, first: Contact| CheckResult {
        first_contact: Some(first),
        ..CheckResult::new(verdict)
    };
    let possible = |from| result(Verdict::Possible, contact("x", from, from + 0.1, Possible));
    let open = |from| {
        let first = contact("y", from, from + 0.1, Unresolved);
        result(Verdict::Undecided, first)
    };
    let clear = || CheckResult::new(Verdict::Clear);
    for (phases, free_until) in [
        (vec![possible(0.5), open(1.5)], 0.5),
        (vec![open(0.5), possible(1.5)], 0.5),
        (
            vec![clear(), possible(0.5), clear(), open(1.5), possible(2.5)],
            0.5,
        ),
    ] {
        let joined = joined(phases, true);
        let first = joined.first_contact.unwrap();
        assert_eq!(
            (joined.verdict, first.kind, first.a.as_str()),
            (Verdict::Undecided, Unresolved, "y")
        );
        assert_eq!(first.free_until, free_until);
    }
    let phases = vec![clear(), possible(0.5), clear()];
    assert_eq!(joined(phases, true).verdict, Verdict::Possible);
    // What only was sampled is not proved clear either.
    let of_parts = Verdict::of_parts(Verdict::Possible, Verdict::Unverified);
    assert_eq!(of_parts, Verdict::Undecided);
}

/// The answer about a motion of these phases.
fn joined(phases: Vec<CheckResult>, in_time: bool) -> CheckResult {
    let trajectory = Trajectory {
        segments: Vec::new(),
        interpolation: Interpolation::Linear,
        timed: true,
    };
    let phase = Phase::whole(&Cell::default(), &trajectory);
    let mut answers = JoinedAnswers::default();
    for result in phases {
        answers.add_phase(&phase, result, Vec::new());
    }
    answers.finish(in_time).0
}

/// The least distances that a phase reports: overall, of one class, of one pair, of all others.
fn least(class: PairClass, a: &str, distance: f64, lower_bound: f64, others: f64) -> CheckResult {
    let least = MinimumClearance {
        distance,
        lower_bound,
        time: distance,
        a: a.into(),
        b: "b".into(),
        delays: Vec::new(),
    };
    CheckResult {
        minimum: Some(least.clone()),
        minimum_by_class: vec![ClassMinimum {
            class,
            least: least.clone(),
        }],
        pair_minimums: vec![least],
        others_farther_than: Some(others),
        ..CheckResult::new(Verdict::Clear)
    }
}

/// Catches a bound that rises when a phase ends, and one that is kept when there was no time for
/// the next one.
#[test]
fn what_is_proved_of_least_distances_never_rises_from_phase_to_phase() {
    use PairClass::{RobotCell, Tool};
    let phases = [
        least(Tool, "x", 0.3, 0.29, 0.5),
        least(Tool, "x", 0.4, 0.25, 0.6),
        least(RobotCell, "y", 0.2, 0.19, 0.4),
        least(Tool, "x", 0.6, 0.59, 0.5),
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
        let all = order.map(|k| phases[k].clone()).to_vec();
        let joined = joined(all.clone(), true);
        let told = |m: &MinimumClearance| (m.a.clone(), m.distance, m.lower_bound);
        assert_eq!(
            joined.minimum.as_ref().map(told),
            Some(("y".into(), 0.2, 0.19))
        );
        let classes = joined.minimum_by_class.iter();
        let classes: Vec<_> = classes.map(|c| (c.class, told(&c.least))).collect();
        assert_eq!(
            classes,
            [
                (RobotCell, ("y".into(), 0.2, 0.19)),
                (Tool, ("x".into(), 0.3, 0.25))
            ]
        );
        let mut pairs: Vec<_> = joined.pair_minimums.iter().map(told).collect();
        pairs.sort_by(|x, y| x.0.cmp(&y.0));
        assert_eq!(pairs, [("x".into(), 0.3, 0.25), ("y".into(), 0.2, 0.19)]);
        assert_eq!(joined.others_farther_than, Some(0.4));

        let joined = super::tests::joined(all, false);
        let classes = joined.minimum_by_class.iter().map(|c| &c.least);
        let listed = classes.chain(&joined.minimum).chain(&joined.pair_minimums);
        assert!(listed.into_iter().all(|least| least.lower_bound == 0.0));
        assert_eq!(joined.others_farther_than, None);
    }
}
