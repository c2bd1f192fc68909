//! Every report says how deep contacts get.

use super::*;
use crate::render::{github, junit, markdown, sarif};

fn outcome_of(contact: Contact) -> Outcome {
    let mut p = program("pick.csv", Verdict::Collision);
    p.first_contact = Some(contact);
    outcome(vec![p])
}

#[test]
fn every_report_says_how_deep_and_when() {
    let outcome = outcome_of(Contact {
        depth: Some(0.027_049),
        depth_time: Some(6.0),
        ..contact()
    });
    let sentence =
        "4.1 mm apart when it is found; the surfaces cross, at least 27.04 mm deep at 6.000 s";
    let fail_on = FailOn::default();
    for (format, text) in [
        ("text", text(&outcome, &Style::default())),
        ("junit", junit(&outcome, &fail_on)),
        ("sarif", sarif(&outcome, &fail_on)),
        ("github", github(&outcome, &fail_on)),
        ("markdown", markdown(&outcome, &fail_on)),
    ] {
        assert!(text.contains(sentence), "{format}: {text}");
    }
    // The instant of the contact stands before the other one.
    let found =
        "arm/forearm_link against table at 3.210 s (segment 5: waypoint 5 → 6, 37 %): 4.1 mm";
    let shown = junit(&outcome, &fail_on);
    assert!(shown.contains(found), "{shown}");
    let properties = junit(&outcome, &fail_on);
    assert!(properties.contains(r#"name="contact_depth_m" value="0.027049""#));
    assert!(properties.contains(r#"name="contact_depth_time" value="6""#));
    assert!(json(&outcome).contains(r#""depth": 0.027049"#));
}

#[test]
fn what_is_not_known_is_not_0() {
    let close = |distance, depth: Option<f64>, kind| {
        let outcome = outcome_of(Contact {
            distance,
            depth,
            depth_time: depth.map(|_| 4.0),
            kind,
            ..contact()
        });
        let text = text(&outcome, &Style::default());
        let line = text.lines().find(|l| l.contains("how close")).unwrap();
        line.trim_start()["how close  ".len()..].to_owned()
    };
    use ContactKind::{Contact as Touch, Inside, Unresolved};
    let unknown = "the surfaces touch or cross; how deep is not known";
    assert_eq!(close(0.0, None, Touch), unknown);
    assert_eq!(close(0.0, Some(0.0), Touch), "the surfaces touch or cross");
    let deep = "the surfaces cross, at least 3 mm deep at 4.000 s";
    assert_eq!(close(0.0, Some(0.003), Touch), deep);
    assert_eq!(close(0.002, Some(0.0), Touch), "2 mm apart");
    let inside = "one is wholly inside the other, at least 3 mm deep at 4.000 s";
    assert_eq!(close(0.0, Some(0.003), Inside), inside);
    assert!(close(0.005, None, Unresolved).ends_with("at 0.1 mm"));
}

/// Where the time was spent, the resolution is not to blame.
#[test]
fn a_pair_that_was_not_looked_at_is_not_called_close() {
    let mut outcome = outcome_of(Contact {
        distance: 0.7,
        kind: ContactKind::Unresolved,
        ..contact()
    });
    outcome.programs[0].given_up_after = Some(1.0);
    let text = text(&outcome, &Style::default());
    assert!(
        text.contains("700 mm apart there; no time was left to look closer"),
        "{text}"
    );
    assert!(!text.contains("separable"), "{text}");
}

/// Closest points belong to bodies that are apart. Where surfaces cross there is one place; a
/// second one beside it would look like a gap.
#[test]
fn crossing_surfaces_have_a_place_and_no_closest_points() {
    let place = |distance: f64| {
        let outcome = outcome_of(Contact {
            distance,
            depth: Some(0.003),
            depth_time: Some(4.0),
            point_a: [0.1, 0.2, 0.3],
            point_b: [0.5, 0.2, 0.3],
            ..contact()
        });
        let text = text(&outcome, &Style::default());
        let line = text.lines().find(|l| l.contains("  where ")).unwrap();
        line.trim_start()["where".len()..].trim_start().to_owned()
    };
    let Contact { a, b, .. } = contact();
    let world = "(world, x y z in mm)";
    assert_eq!(place(0.0), format!("[100.0, 200.0, 300.0] {world}"));
    let place_text = format!("[100.0, 200.0, 300.0] on {a}, [500.0, 200.0, 300.0] on {b} {world}");
    assert_eq!(place(0.002), place_text);
}

/// Two classes and more are told; a gripper's own distance hides no other one.
#[test]
fn least_clearances_are_told_by_class() {
    let mut p = program("pick.csv", Verdict::Clear);
    let least = |a: &str, b: &str, distance: f64| MinimumClearance {
        distance,
        lower_bound: distance - 0.0001,
        time: 7.25,
        a: a.into(),
        b: b.into(),
        delays: Vec::new(),
    };
    p.minimum_clearance = Some(least("gripper", "part", 0.007));
    let classes = [
        (
            PairClass::RobotCell,
            least("arm/forearm_link", "table", 0.2),
        ),
        (PairClass::WithinRobot, least("gripper", "part", 0.007)),
    ];
    p.minimum_by_class = classes
        .map(|(class, least)| ClassMinimum { class, least })
        .to_vec();
    let outcome = outcome(vec![p]);
    let shown = text(&outcome, &Style::default());
    let line =
        "robot-cell arm/forearm_link – table  200 mm at 7.250 s, proved never below 199.9 mm";
    assert!(shown.contains(line), "{shown}");
    let fail_on = FailOn::default();
    let shown = markdown(&outcome, &fail_on);
    assert!(
        shown.contains("robot-cell 200 mm, within-robot 7 mm"),
        "{shown}"
    );
    let shown = junit(&outcome, &fail_on);
    assert!(
        shown.contains(r#"name="minimum_clearance_robot_cell_m" value="0.2""#),
        "{shown}"
    );
    let shown = json(&outcome);
    assert!(shown.contains(r#""class": "robot-cell""#), "{shown}");
}
