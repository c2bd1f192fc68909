//! Several programs on one clock, and events.

use super::*;

/// Regression: the joined list of names was given as the file.
#[test]
fn findings_of_several_programs_name_the_file_that_moves_the_body() {
    let mut p = program("left=a.csv + right=b.csv", Verdict::Collision);
    p.files = vec!["a.csv".into(), "b.csv".into()];
    p.lines = vec![];
    let right = Participant {
        delay: Some(1.5),
        ..participant("b.csv", &["right/wrist", "right_joint"])
    };
    p.timeline = Some(TimelineFacts {
        programs: vec![participant("a.csv", &["left/wrist"]), right],
        ..TimelineFacts::default()
    });
    p.first_contact = Some(Contact {
        a: "table".into(),
        b: "right/wrist".into(),
        delays: vec![0.0, 1.5],
        ..contact()
    });
    p.limits = vec![LimitViolation {
        joint: "right_joint".into(),
        what: LimitKind::Velocity,
        time: 3.2,
        value: 2.0,
        limit: 1.0,
        segment: Some(1),
        way: None,
    }];
    let shown = super::super::github(&outcome(vec![p.clone()]), &FailOn::default());
    let starts: Vec<&str> = shown
        .lines()
        .map(|l| &l[..l.find(",title").unwrap()])
        .collect();
    // The contact is found 1.5 s later than b.csv alone would be there; a limit is passed on the
    // nominal clock.
    assert_eq!(
        starts,
        ["::error file=b.csv,line=2", "::error file=b.csv,line=3"]
    );
    assert!(shown.contains("b.csv started 1.500 s late"), "{shown}");
    // Without `--all` nobody else lists it; with it every contact has delays of its own.
    p.contacts = vec![Contact {
        time: 4.0,
        delays: vec![0.25, 0.0],
        ..p.first_contact.clone().unwrap()
    }];
    let page = text(&outcome(vec![p.clone()]), &Style::default());
    let line = page.lines().find(|l| l.contains("  contact ")).unwrap();
    assert!(
        line.contains(
            "table – right/wrist  first at 4.000 s, a.csv started 0.250 s late: 4.1 mm apart"
        ),
        "{line}"
    );
    p.contacts.clear();
    p.first_contact = Some(contact());
    p.limits = vec![];
    let shown = super::super::sarif(&outcome(vec![p.clone()]), &FailOn::default());
    assert!(
        shown.contains("\"uri\": \"a.csv\"") && !shown.contains("left="),
        "{shown}"
    );
    p.timeline = None;
    p.first_contact = None;
    p.error = Some("something".into());
    let shown = super::super::github(&outcome(vec![p]), &FailOn::default());
    assert!(shown.starts_with("::error file=a.csv,title"), "{shown}");
}

/// Regression: the cell's pairs were counted, whatever events made of them.
#[test]
fn the_guarantee_counts_the_pairs_of_every_phase() {
    let phase = |from: f64, pairs: usize| PhaseFact {
        from,
        until: from + 1.0,
        pairs,
        own_thresholds: 3,
    };
    let mut p = program("pick.csv", Verdict::Clear);
    p.timeline = Some(TimelineFacts {
        phases: vec![phase(0.0, 1230), phase(1.0, 1228)],
        ..TimelineFacts::default()
    });
    let page = plain(vec![p.clone()]);
    assert!(
        page.contains("guarantee: 1,228 to 1,230 pairs, as events change them, of 24 bodies"),
        "{page}"
    );
    assert!(
        page.contains("(3 pairs with a threshold of their own)"),
        "{page}"
    );
    // Another program without events has the cell's pairs.
    let page = plain(vec![p, program("place.csv", Verdict::Clear)]);
    assert!(
        page.contains("guarantee: 1,228 to 1,231 pairs, as events"),
        "{page}"
    );
    let page = plain(vec![program("place.csv", Verdict::Clear)]);
    assert!(
        page.contains("guarantee: 1,231 pairs of 24 bodies"),
        "{page}"
    );
}

/// Regression: with `--any-delay` the list of near misses was told as a complete one.
#[test]
fn near_misses_of_any_delay_are_said_to_be_those_without_delay() {
    let mut p = program("left=a.csv + right=b.csv", Verdict::Clear);
    p.near_misses = vec![NearMiss {
        a: "left/wrist".into(),
        b: "right/wrist".into(),
        warn: 0.1,
        entered: 1.0,
        left: 2.0,
        distance: 0.05,
        time: 1.5,
        segment: 0,
        fraction: 0.5,
    }];
    let report = |p: &ProgramOutcome| {
        let outcome = Outcome {
            warn_pairs: 3,
            ..outcome(vec![p.clone()])
        };
        let github = super::super::github(&outcome, &FailOn::default());
        text(&outcome, &Style::default()) + &github
    };
    let only = "other delays are not searched for near misses";
    let plain = report(&p);
    assert!(!plain.contains("delay"), "{plain}");
    p.timeline = Some(TimelineFacts {
        any_delay: Some(1.9),
        ..TimelineFacts::default()
    });
    let page = report(&p);
    assert_eq!(page.matches("50 mm at 1.500 s, without delay").count(), 2);
    assert!(page.contains(&format!("without delay only: {only}")));
    assert!(page.contains("near misses of 3 pairs (without delay only)"));
    p.near_misses.clear();
    assert!(report(&p).contains(&format!("near miss  none without delay: {only}")));
}

/// Regression: a program that starts a tenth of a millisecond late was told to be 0.000 s late.
#[test]
fn a_small_delay_is_told() {
    let mut p = program("a.csv + b.csv", Verdict::Collision);
    p.timeline = Some(TimelineFacts {
        programs: vec![participant("a.csv", &[]), participant("b.csv", &[])],
        any_delay: Some(1.0),
        ..TimelineFacts::default()
    });
    p.contacts = vec![Contact {
        delays: vec![0.0, 0.00012],
        ..contact()
    }];
    let page = plain(vec![p]);
    assert!(page.contains("b.csv started 0.00012 s late"), "{page}");
}
