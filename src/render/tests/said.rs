//! Text besides findings: things that are not checked, do not count, or became worse.

use super::*;
use crate::render::BatchText;

fn about(severity: Severity, code: Code, subject: &str) -> Diagnostic {
    Diagnostic {
        severity,
        ..Diagnostic::note(code, subject, "why")
    }
}

#[test]
fn what_is_not_checked_is_no_note() {
    let mut p = program("pick.csv", Verdict::Clear);
    p.unchecked = vec![
        about(Severity::Note, Code::RestingJoints, "joints"),
        about(Severity::Unchecked, Code::LateStart, "the way there"),
        about(Severity::Open, Code::LateStart, "a mode"),
    ];
    let page = text(&outcome(vec![p.clone()]), &Style::default());
    for line in [
        "note: joints (why)",
        "not checked: the way there (why)",
        "not settled: a mode (why)",
    ] {
        assert!(page.lines().any(|l| l == line), "{line}: {page}");
    }
    assert_eq!(p.left_out().count(), 2);
    // Notes, of which a report shows a few, hide nothing else.
    p.unchecked.reverse();
    for k in 0..9 {
        let name = format!("joint {k}");
        let note = about(Severity::Note, Code::RestingJoints, &name);
        p.unchecked.insert(0, note);
    }
    let page = text(&outcome(vec![p]), &Style::default());
    assert!(page.contains("not settled: a mode"), "{page}");
}

/// Regression: one program that is unverified took what holds of the others out of the last line.
#[test]
fn the_guarantee_says_what_holds_of_which_programs() {
    let mut refused = program("refused.csv", Verdict::Unverified);
    refused.interpolation = None;
    let open = program("open.csv", Verdict::Unverified);
    let clear = program("clear.csv", Verdict::Clear);
    for (programs, expected) in [
        (
            vec![clear.clone()],
            ": proved to stay farther apart than the threshold.",
        ),
        (
            vec![clear.clone(), open.clone()],
            ": clear is proved; of what is unverified only a part was checked",
        ),
        (
            vec![clear, refused],
            ": clear is proved to stay farther apart than the threshold; nothing is proved of what is unverified.",
        ),
        (
            vec![open],
            ": part of the cell was checked, and the result is not settled.",
        ),
    ] {
        let page = text(&outcome(programs), &Style::default()).replace("\n  ", " ");
        let line = page.lines().find(|line| line.starts_with("guarantee: "));
        assert!(
            line.is_some_and(|line| line.contains(expected)),
            "{expected}: {page}"
        );
    }
}

/// A batch says of the first what thousands have alike.
#[test]
fn notices_of_a_batch_are_said_once() {
    let noticed = |name: &str, verdict: Verdict, message: &str| {
        let mut p = program(name, verdict);
        let place = Location::at(std::path::Path::new(name), 7, None);
        p.notices = vec![Diagnostic::notice(Code::RoundedCorners, name, message).at(place)];
        p
    };
    let header = outcome(vec![]);
    let mut report = BatchText::new(&header, &Style::default(), 5);
    let mut said = |p: ProgramOutcome| report.program(&p);
    assert!(said(noticed("a.mod", Verdict::Clear, "wide")).contains("wide"));
    assert_eq!(said(noticed("b.mod", Verdict::Clear, "wide")), "");
    assert!(said(noticed("c.mod", Verdict::Clear, "other")).contains("other"));
    assert!(said(noticed("d.mod", Verdict::Collision, "wide")).contains("d.mod"));
    let end = report.finish(&[], &FailOn::default());
    assert!(
        end.contains("notices as above: 1 more program, clear"),
        "{end}"
    );
}

#[test]
fn what_does_not_count_is_said() {
    let limit = LimitViolation {
        joint: "pan".into(),
        what: LimitKind::Velocity,
        time: 0.0,
        value: 2.0,
        limit: 1.0,
        segment: None,
        way: None,
    };
    let nothing = FailOn {
        collision: false,
        limit: false,
        ..FailOn::default()
    };
    let said = |verdict: Verdict, fail_on: &FailOn| {
        let mut p = program("pick.csv", verdict);
        if verdict == Verdict::Clear {
            p.limits = vec![limit.clone()];
        }
        let o = outcome(vec![p]);
        let page = crate::render::text_of_run(&o, &Style::default(), fail_on);
        // It stands before the verdict, which is the last line.
        let before_last = page.lines().rev().nth(1).unwrap().to_owned();
        let mut batch = BatchText::new(&o, &Style::default(), 8);
        batch.program(&o.programs[0]);
        let of_batch = batch.finish(&[], fail_on);
        assert!(of_batch.contains(&before_last), "{of_batch}: {before_last}");
        before_last
    };
    for (verdict, told) in [
        (
            Verdict::Collision,
            "exit code: a collision does not count here: --fail-on does not name `collision`",
        ),
        (Verdict::Possible, "a possible collision does not count"),
        (Verdict::Undecided, "an undecided program does not count"),
        (
            Verdict::Clear,
            "a violated limit does not count here: --fail-on does not name `limit`",
        ),
    ] {
        let line = said(verdict, &nothing);
        assert!(line.contains(told), "{line}");
        let usual = said(verdict, &FailOn::default());
        assert!(!usual.contains("exit code"), "{usual}");
    }
}

/// XML Schema knows no duration below nothing.
#[test]
fn a_run_without_programs_took_no_time() {
    let cases = crate::render::junit(&outcome(vec![]), &FailOn::default());
    assert!(cases.contains(r#"time="0.000""#), "{cases}");
}

#[test]
fn what_became_worse_since_the_baseline_is_in_every_report() {
    let clear = program("pick.csv", Verdict::Clear);
    let mut p = program("pick.csv", Verdict::Collision);
    p.first_contact = Some(contact());
    p.baseline = Some(Versus::new(Some(&clear), &p, true));
    let o = outcome(vec![p]);
    let fail_on = FailOn::default();
    let markdown = crate::render::markdown(&o, &fail_on);
    assert!(
        markdown.contains("Against the baseline: 1 newly broken."),
        "{markdown}"
    );
    for page in [
        markdown,
        crate::render::github(&o, &fail_on),
        crate::render::sarif(&o, &fail_on),
        crate::render::junit(&o, &fail_on),
    ] {
        assert!(page.contains("(newly broken: it was clear)"), "{page}");
    }
    let json: serde_json::Value = serde_json::from_str(&json(&o)).unwrap();
    assert_eq!(json["programs"][0]["baseline"]["change"], "newly-broken");
}

#[test]
fn the_turn_of_a_tool_is_named_where_it_takes_room() {
    let mut possible = contact();
    possible.kind = ContactKind::Possible;
    possible.errors = Some(ErrorShares {
        joint: 0.02,
        ..ErrorShares::default()
    });
    let mut p = program("pick.mod", Verdict::Possible);
    p.first_contact = Some(possible);
    let said = |p: &ProgramOutcome| text(&outcome(vec![p.clone()]), &Style::default());
    assert!(!said(&p).contains("--orientation-tube"), "{}", said(&p));
    p.unchecked = vec![about(Severity::Note, Code::ToolOrientation, "tool")];
    assert!(said(&p).contains("see --orientation-tube"), "{}", said(&p));
    // Without a budget such a pair is undecided.
    let first = p.first_contact.as_mut().unwrap();
    (first.kind, first.errors) = (ContactKind::Unresolved, None);
    assert!(
        said(&p).contains("(see --orientation-tube)"),
        "{}",
        said(&p)
    );
    p.unchecked.clear();
    assert!(!said(&p).contains("--orientation-tube"), "{}", said(&p));
}

/// What stands for the moves of a controller's program is not how it is driven.
#[test]
fn a_proof_about_moves_names_them() {
    let mut p = program("pick.mod", Verdict::Clear);
    p.interpolation = Some("cubic".into());
    p.moves = vec![MoveFact {
        kind: "linear".into(),
        to: "p1".into(),
        routine: String::new(),
        file: None,
        line: None,
    }];
    let page = text(&outcome(vec![p.clone()]), &Style::default());
    assert!(
        page.contains("every instant of the moves, threshold"),
        "{page}"
    );
    let page = text(
        &outcome(vec![p, program("a.csv", Verdict::Clear)]),
        &Style::default(),
    );
    assert!(
        page.contains("every instant of the linear path or the moves,"),
        "{page}"
    );
}

/// Nothing found is nothing proved.
#[test]
fn bodies_without_a_depth_are_not_said_to_keep_apart() {
    let draft = Draft {
        overlaps: vec![Overlap {
            a: "a".into(),
            b: "b".into(),
            depth: Some(0.0),
            at_rest: true,
            in_all_postures: true,
            unplaced: None,
            throughout: 0,
            partly: 0,
        }],
        ..Draft::default()
    };
    for page in [
        crate::render::draft_text(&draft, "cell.toml"),
        crate::render::draft_toml(&draft),
    ] {
        assert!(
            page.contains("how deep is not proved: they may cross"),
            "{page}"
        );
        assert!(!page.contains("do not overlap"), "{page}");
    }
}

/// Regression: a cell that leaves the question open, and a contact beside it: the rest was called proved.
#[test]
fn of_what_is_not_settled_beside_a_contact_nothing_is_called_proved() {
    let told = |unsettled: bool| {
        let mut p = program("a.csv", Verdict::Collision);
        p.unsettled = unsettled;
        p.timed = Some(true);
        text(&outcome(vec![p]), &Style::default())
    };
    let settled = told(false);
    assert!(settled.contains("is proved free"), "{settled}");
    let open = told(true);
    assert!(!open.contains("everything before"), "{open}");
    assert!(
        open.contains("of programs that are not settled nothing is proved"),
        "{open}"
    );
}
