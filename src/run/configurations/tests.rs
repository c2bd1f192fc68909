//! Configurations that are read and asked about.

use clearance_proof::geometry::random::Random;

use super::*;
use crate::run::{CellJob, Job, NoProgress, prepare};

fn arm() -> Prepared {
    let cell = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/arm6/cell.toml");
    prepare(&CellJob::file(cell), &NoProgress).unwrap()
}

/// Catches: a pair left out because another one is nearer though its own threshold is larger; a
/// bound that is none.
#[test]
fn the_nearest_pair_and_all_contacts_are_those_of_a_look_at_every_pair() {
    let prepared = arm();
    let settings =
        Settings::of(&Job::new("", Vec::new()), Some(&prepared.loaded.settings)).unwrap();
    let mut configurations = Configurations::new(&prepared, settings);
    let scene = configurations.scene.clone();
    let mut random = Random(11);
    let mut seen = [0; 2];
    for case in 0..150 {
        let values: Vec<f64> = (0..configurations.order.len())
            .map(|_| 2.0 * random.signed())
            .collect();
        let text = serde_json::to_string(&values).unwrap();
        let answer = configurations.answer(case, &text);
        let mut snapshot = configurations.snapshot.clone();
        let all: Vec<f64> = (0..scene.pairs.len())
            .map(|pair| {
                let found = scene.pair_distance(pair, &mut snapshot, f64::INFINITY, &mut 0);
                found.unwrap().distance
            })
            .collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let inside = answer
            .contacts
            .iter()
            .any(|c| c.kind == crate::findings::ContactKind::Inside);
        let nearest = answer.nearest.unwrap();
        assert!(
            inside || (nearest.distance - least).abs() < 1e-9,
            "{text}: {nearest:?}, {least}"
        );
        let touching = (0..all.len()).filter(|&p| all[p] <= scene.pairs[p].clearance);
        for pair in touching.clone() {
            let name = |body: usize| &scene.cell.bodies[body].name;
            let (a, b) = (name(scene.pairs[pair].a), name(scene.pairs[pair].b));
            assert!(
                answer.contacts.iter().any(|c| (&c.a, &c.b) == (a, b)),
                "{text}: {a}, {b}"
            );
        }
        let expected = touching.count() > 0 || inside;
        assert_eq!(answer.verdict == Verdict::Collision, expected, "{text}");
        seen[usize::from(expected)] += 1;
    }
    assert!(seen[0] > 20 && seen[1] > 20, "{seen:?}");
}

/// Contacts with their points, but for surfaces that cross: they have many points in common,
/// and any of them is told.
fn located(contacts: &[PairDistance]) -> Vec<PairDistance> {
    let nowhere = [0.0; 3];
    let crossing = |c: &PairDistance| PairDistance {
        point_a: nowhere,
        point_b: nowhere,
        ..c.clone()
    };
    let told = contacts.iter().map(|c| match c.distance {
        0.0 => crossing(c),
        _ => c.clone(),
    });
    told.collect()
}

/// Catches a range that hides what is in it, a tolerance that tells too much, a contact that a
/// range or a table hides, and a table that is used outside of the limits.
#[test]
fn ranges_tolerances_and_tables_keep_their_promises() {
    let prepared = arm();
    let settings =
        Settings::of(&Job::new("", Vec::new()), Some(&prepared.loaded.settings)).unwrap();
    let mut plain = Configurations::new(&prepared, settings);
    let mut tables = Configurations::new(&prepared, settings).with_tables();
    assert!(
        tables.known.iter().any(|&d| d > 0.0),
        "no pair is known to stay apart"
    );
    let ranges = [
        (0.0, 0.02, 0.0),
        (0.0, 0.2, 0.3),
        (0.05, f64::INFINITY, 0.0),
        (0.0, f64::INFINITY, 0.1),
    ];
    let mut ranged: Vec<(DistanceRange, Configurations)> = ranges
        .into_iter()
        .map(|(min, max, tolerance)| {
            let range = DistanceRange {
                min,
                max,
                tolerance,
            };
            (
                range,
                Configurations::new(&prepared, settings)
                    .in_range(range)
                    .unwrap(),
            )
        })
        .collect();
    let mut random = Random(165);
    let mut seen = [0; 3];
    for case in 0..120 {
        let reach = [0.7, 2.0, 6.0][case % 3];
        let values: Vec<f64> = (0..plain.order.len())
            .map(|_| reach * random.signed())
            .collect();
        let text = serde_json::to_string(&values).unwrap();
        let truth = plain.answer(case, &text);
        let by_tables = tables.answer(case, &text);
        let contacts = located(&by_tables.contacts);
        assert_eq!(contacts, located(&truth.contacts), "{text}");
        assert_eq!(by_tables.verdict, truth.verdict, "{text}");
        let [told, expected] = [&by_tables, &truth].map(|a| a.nearest.as_ref().unwrap());
        assert_eq!(told.distance, expected.distance, "{text}");
        seen[usize::from(truth.beyond_limits.is_empty())] += 1;
        let nearest = truth.nearest.as_ref().unwrap();
        for (range, configurations) in &mut ranged {
            let answer = configurations.answer(case, &text);
            let what = format!("{text}: {range:?}: {answer:?}, {nearest:?}");
            let [told, expected] = [&answer.contacts, &truth.contacts].map(|c| located(c));
            assert_eq!(told, expected, "{what}");
            assert_eq!(answer.verdict, truth.verdict, "{what}");
            let at_least = answer.at_least.unwrap();
            assert!(at_least <= nearest.distance + 1e-9, "{what}");
            let expected = nearest.distance.min(range.max) * (1.0 - range.tolerance);
            if nearest.distance > range.min {
                assert!(at_least >= expected - 1e-6, "{what}");
            }
            match &answer.nearest {
                Some(told) => assert!(told.distance >= nearest.distance - 1e-9, "{what}"),
                None => {
                    assert!(nearest.distance >= expected - 1e-6, "{what}");
                    seen[2] += 1;
                }
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 10), "{seen:?}");
}

#[test]
fn a_line_that_is_no_configuration_is_answered_by_what_would_be() {
    let prepared = arm();
    let settings =
        Settings::of(&Job::new("", Vec::new()), Some(&prepared.loaded.settings)).unwrap();
    let mut configurations = Configurations::new(&prepared, settings);
    for (text, words) in [
        ("{", "write an object"),
        ("3", "write an object"),
        ("[1, 2]", "the order is joint_1, joint_2"),
        (r#"{"joint_1": "a"}"#, "is not a number"),
        (r#"{"joint_9": 1}"#, "joint_9"),
        // Which of the two is meant, nobody knows.
        (r#"{"joint_1": 1, "joint_1": 0}"#, "are the same joint"),
    ] {
        let answer = configurations.answer(7, text);
        assert_eq!(
            (answer.line, answer.verdict),
            (7, Verdict::Unverified),
            "{text}"
        );
        let error = answer.error.unwrap_or_default();
        assert!(error.contains(words), "{text}: {error}");
    }
    let beyond = configurations.answer(1, r#"{"joint_1": 6}"#);
    assert_eq!(beyond.beyond_limits, ["joint_1"]);
}
