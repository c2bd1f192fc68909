//! The look of the text report: its last line, its notes, the width of its lines.

use super::super::conclusion;
use super::*;
use crate::findings::Diagnostic;

fn last(page: &str) -> &str {
    page.lines().last().unwrap_or_default()
}

#[test]
fn the_last_line_says_what_came_out() {
    assert_eq!(
        last(&plain(vec![program("pick.csv", Verdict::Clear)])),
        "CLEAR      pick.csv: 1,231 pairs more than 5 mm apart at every instant"
    );
    let mut hit = program("place.csv", Verdict::Collision);
    hit.first_contact = Some(Contact {
        depth: Some(0.027_04),
        depth_time: Some(6.0),
        ..contact()
    });
    assert_eq!(
        last(&plain(vec![hit.clone()])),
        "COLLISION  place.csv: arm/forearm_link against table at 3.210 s, 4.1 mm apart when it is found; the surfaces cross, \
         at least 27.04 mm deep at 6.000 s"
    );
    assert_eq!(
        last(&plain(vec![beyond_limits("pick.csv")])),
        "LIMIT      pick.csv: 2 limits violated; nothing is hit: 1,231 pairs more than 5 mm apart at every instant"
    );
    assert_eq!(
        last(&plain(vec![unverified("pick.csv")])),
        "UNVERIFIED pick.csv: pick.csv:1:6: unknown joint `elbw`; did you mean `elbow`?"
    );
    let many = vec![
        program("pick.csv", Verdict::Clear),
        hit,
        unverified("typo.csv"),
        program("put.csv", Verdict::Clear),
    ];
    assert_eq!(
        last(&plain(many.clone())),
        "COLLISION  4 programs: 2 clear, 1 unverified, 1 collision; it is place.csv"
    );
    assert_eq!(
        conclusion(&outcome(many), &Style::default()).trim_end(),
        "COLLISION  4 programs: 2 clear, 1 unverified, 1 collision; it is place.csv"
    );
    assert_eq!(last(&plain(vec![])), "UNVERIFIED no program");
    let mut refused = outcome(vec![unverified("a.csv")]);
    refused.error = Some("cell.toml:3: no such mesh".into());
    assert_eq!(
        last(&text(&refused, &Style::default())),
        "UNVERIFIED cell.toml: cell.toml:3: no such mesh"
    );
}

/// How deep it gets is said wherever a contact is.
#[test]
fn a_contact_says_how_deep_it_gets_and_when() {
    let mut p = program("place.csv", Verdict::Collision);
    let deep = Contact {
        distance: 0.0,
        depth: Some(0.027_04),
        depth_time: Some(6.0),
        ..contact()
    };
    p.first_contact = Some(deep.clone());
    p.contacts = vec![deep];
    let o = outcome(vec![p]);
    let fail_on = FailOn::default();
    let sentence = "the surfaces cross, at least 27.04 mm deep at 6.000 s";
    for report in [
        text(&o, &Style::default()),
        super::super::junit(&o, &fail_on),
        super::super::sarif(&o, &fail_on),
        super::super::github(&o, &fail_on),
        super::super::markdown(&o, &fail_on),
    ] {
        assert!(report.contains(sentence), "{report}");
    }
}

/// A report about no pair at all must not read like a proof.
#[test]
fn nothing_is_proved_about_no_pair() {
    let mut o = outcome(vec![program("pick.csv", Verdict::Clear)]);
    o.pairs = 0;
    let page = text(&o, &Style::default());
    assert!(
        !page.contains("0 pairs") && !page.contains("proved"),
        "{page}"
    );
    assert!(
        page.contains("guarantee: none, because no pair of bodies was checked."),
        "{page}"
    );
    assert!(last(&page).ends_with("no pair was checked"), "{page}");
    let fail_on = FailOn::default();
    for page in [
        super::super::markdown(&o, &fail_on),
        super::super::junit(&o, &fail_on),
    ] {
        assert!(
            !page.contains("0 pairs") && !page.contains("proved"),
            "{page}"
        );
    }
}

#[test]
fn a_note_about_a_line_of_the_program_names_the_line() {
    for place in ["a.script:12", "a.script:12:4"] {
        let mut p = program("a.script", Verdict::Clear);
        p.unchecked = vec![Diagnostic {
            subject: place.into(),
            message: "it could move the arm".into(),
            severity: Severity::Note,
            ..outcome(vec![]).unchecked.remove(0)
        }];
        let page = text(&outcome(vec![p]), &Style::default());
        assert!(
            page.contains("note: line 12 of the program (it could move the arm)"),
            "{page}"
        );
    }
}

#[test]
fn notes_are_said_once_a_run_and_five_of_them_at_most() {
    let noted = |name: &str| {
        let mut p = program(name, Verdict::Clear);
        p.unchecked = vec![Diagnostic {
            subject: format!("joints that {name} does not name"),
            message: "kept at the cell's values: finger = 4 mm".into(),
            severity: Severity::Note,
            ..outcome(vec![]).unchecked.remove(0)
        }];
        p
    };
    let mut o = outcome(vec![noted("a.csv"), noted("b.csv"), noted("c.csv")]);
    o.notes = (0..9)
        .map(|k| Diagnostic {
            subject: format!("mesh_{k}.obj"),
            message: format!("{k} polygons cut into triangles"),
            ..o.unchecked[0].clone()
        })
        .collect();
    let page = text(&o, &Style::default());
    let notes: Vec<&str> = (page.lines())
        .filter(|l| l.starts_with("note:") || l.starts_with("note in "))
        .collect();
    assert_eq!(notes.len(), 5, "{page}");
    assert_eq!(
        notes[0],
        "note in 3 programs: joints that the program does not name (kept at the cell's values: finger = 4 mm)"
    );
    assert!(
        page.contains("\n… and 5 more (`clearance inspect` lists all)\n"),
        "{page}"
    );
}

#[test]
fn no_line_is_wider_than_asked() {
    let mut p = program("pick.csv", Verdict::Collision);
    p.first_contact = Some(contact());
    p.minimum_clearance = Some(MinimumClearance {
        distance: 0.066_812_3,
        lower_bound: 0.066,
        time: 7.25,
        a: "arm/forearm_link".into(),
        b: "table".into(),
        delays: Vec::new(),
    });
    let o = outcome(vec![p]);
    let whole = text(&o, &Style::default());
    assert!(whole.lines().any(|l| l.chars().count() > 100));
    for width in [60, 100] {
        let style = Style {
            color: true,
            width: Some(width),
        };
        let page = text(&o, &style)
            .replace("\x1b[1;31m", "")
            .replace("\x1b[0m", "");
        assert!(page.lines().all(|l| l.chars().count() <= width), "{page}");
        let words = |page: &str| {
            page.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&page), words(&whole));
    }
}

/// A bound that is rounded down to nothing is not worth saying.
#[test]
fn an_unreachable_pair_is_never_said_to_come_to_nothing() {
    let said = |least: f64| {
        let inspection: Inspection = serde_json::from_value(serde_json::json!({
            "schema": 3, "tool": "clearance", "version": "0", "cell": "c", "reach": 1.0, "bodies": [], "joints": [],
            "pairs": [{"a": "x", "b": "y", "checked": true, "required_clearance": 0.0, "least_possible": least}],
            "idle_allowances": [], "impossible": [], "unchecked": [], "notes": [],
        }))
        .unwrap();
        super::super::inspection_text(&inspection, true)
    };
    let page = said(1e-13);
    assert!(
        page.contains("unreachable, always more than 0 mm apart"),
        "{page}"
    );
    assert!(!page.contains("never nearer than 0 mm"), "{page}");
    let page = said(0.123_45);
    assert!(
        page.contains("unreachable, never nearer than 123.4 mm"),
        "{page}"
    );
}
