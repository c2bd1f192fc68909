use crate::findings::*;

use super::{Style, json, text};

mod attack;
mod audit;
mod depth;
mod inspection;
mod layout;
mod said;
mod timeline;

fn contact() -> Contact {
    Contact {
        time: 3.2104,
        free_until: 3.2098,
        until: None,
        segment: 4,
        fraction: 0.37,
        a: "arm/forearm_link".into(),
        b: "table".into(),
        kind: ContactKind::Contact,
        feature: None,
        exact_time: None,
        distance: 0.0041,
        point_a: [0.512, -0.0331, 0.8041],
        point_b: [0.512, -0.0331, 0.8],
        normal: [0.0, 0.0, 1.0],
        joints: [
            ("elbow".into(), 1.5),
            ("lift".into(), 0.25),
            ("pan".into(), -0.1),
            ("rest".into(), 0.0),
        ]
        .into(),
        depth: Some(0.0),
        depth_time: Some(3.2104),
        spheres: None,
        in_corner: false,
        errors: None,
        delays: vec![],
    }
}

fn program(name: &str, verdict: Verdict) -> ProgramOutcome {
    ProgramOutcome {
        program: name.into(),
        files: vec![],
        hash: None,
        verdict,
        interpolation: Some("linear".into()),
        duration: Some(12.4),
        timed: Some(true),
        waypoints: Some(9),
        joints: vec!["pan".into(), "lift".into(), "elbow".into()],
        moves: Vec::new(),
        unsettled: false,
        lines: (2..11).collect(),
        first_contact: None,
        contacts: vec![],
        near_misses: vec![],
        minimum_clearance: None,
        pair_minimums: vec![],
        others_farther_than: None,
        minimum_by_class: vec![],
        margin: None,
        audit: None,
        limits: vec![],
        full_turns: vec![],
        notices: vec![],
        unchecked: vec![],
        narrow_joint_ranges: false,
        timeline: None,
        sampled: None,
        coarseness: None,
        refused: false,
        given_up_after: None,
        error: None,
        error_at: None,
        statistics: Statistics::default(),
        baseline: None,
    }
}

fn outcome(programs: Vec<ProgramOutcome>) -> Outcome {
    Outcome {
        schema: SCHEMA,
        tool: "clearance".into(),
        version: "0.1.0".into(),
        cell: "cell.toml".into(),
        required_clearance: 0.005,
        warn: None,
        uncertainty: Vec::new(),
        resolution: 0.0001,
        method: "bisection".into(),
        shape: "sphere-tree".into(),
        verdict: programs
            .iter()
            .map(|p| p.verdict)
            .max()
            .unwrap_or(Verdict::Unverified),
        bodies: 24,
        pairs: 1231,
        own_thresholds: 0,
        least_own_threshold: None,
        allowed_pairs: 0,
        warn_pairs: 0,
        sliding_joints: vec!["lift".into()],
        notices: vec![],
        unchecked: vec![Diagnostic {
            subject: "arm/tool0".into(),
            message: "no collision geometry".into(),
            place: None,
            severity: Severity::Unchecked,
            code: Code::SurfaceOnly,
        }],
        notes: vec![],
        error: None,
        error_at: None,
        programs,
        timing: Timing::default(),
    }
}

fn participant(name: &str, moves: &[&str]) -> Participant {
    Participant {
        program: name.into(),
        robot: None,
        offset: 0.0,
        duration: 4.0,
        estimated: false,
        waypoints: 3,
        delay: None,
        at: None,
        moves: moves.iter().map(|&m| m.into()).collect(),
        lines: vec![(0.0, 2), (2.0, 3), (4.0, 5)],
    }
}

fn plain(programs: Vec<ProgramOutcome>) -> String {
    text(&outcome(programs), &Style::default())
}

#[test]
fn clear() {
    insta::assert_snapshot!(plain(vec![program("pick.csv", Verdict::Clear)]));
}

#[test]
fn collision() {
    let mut p = program("pick.csv", Verdict::Collision);
    p.first_contact = Some(contact());
    insta::assert_snapshot!(plain(vec![p]));
}

#[test]
fn what_meets_what_is_told() {
    let words = |feature, exact_time, timed| {
        let mut p = program("pick.csv", Verdict::Collision);
        p.timed = Some(timed);
        p.first_contact = Some(Contact {
            feature,
            exact_time,
            ..contact()
        });
        let page = plain(vec![p]);
        let line = page.lines().find(|l| l.starts_with("  first "));
        line.map(|l| l.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
    };
    let meeting = |feature| words(Some(feature), Some(3.210_000_4), true);
    assert_eq!(
        meeting(ContactFeature::VertexFace).as_deref(),
        Some("a vertex of arm/forearm_link on a face of table, at 3.210000 s")
    );
    assert_eq!(
        meeting(ContactFeature::FaceVertex).as_deref(),
        Some("a vertex of table on a face of arm/forearm_link, at 3.210000 s")
    );
    assert_eq!(
        words(Some(ContactFeature::EdgeEdge), Some(4.5), false).as_deref(),
        Some("an edge of arm/forearm_link on an edge of table")
    );
    assert_eq!(words(None, None, true), None);
}

#[test]
fn inside_at_the_start_of_a_program_without_times() {
    let mut p = program("pick.csv", Verdict::Collision);
    p.timed = Some(false);
    p.duration = Some(8.0);
    p.first_contact = Some(Contact {
        time: 0.0,
        free_until: 0.0,
        segment: 0,
        fraction: 0.0,
        kind: ContactKind::Inside,
        distance: 0.0,
        ..contact()
    });
    insta::assert_snapshot!(plain(vec![p]));
}

#[test]
fn undecided() {
    let mut p = program("pick.csv", Verdict::Undecided);
    p.first_contact = Some(Contact {
        kind: ContactKind::Unresolved,
        distance: 0.005_034_2,
        ..contact()
    });
    insta::assert_snapshot!(plain(vec![p]));
}

fn unverified(name: &str) -> ProgramOutcome {
    ProgramOutcome {
        interpolation: None,
        duration: None,
        timed: None,
        waypoints: None,
        error: Some(format!(
            "{name}:1:6: unknown joint `elbw`; did you mean `elbow`?"
        )),
        ..program(name, Verdict::Unverified)
    }
}

#[test]
fn a_broken_program() {
    insta::assert_snapshot!(plain(vec![unverified("pick.csv")]));
}

#[test]
fn a_broken_cell_is_told_once() {
    let error =
        "cell.toml:3:8: `base.stl` was not found; tried base.stl; check the path".to_owned();
    let broken = |name| ProgramOutcome {
        error: Some(error.clone()),
        ..unverified(name)
    };
    let mut o = outcome(vec![broken("a.csv"), broken("b.csv")]);
    o.error = Some(error.clone());
    insta::assert_snapshot!(text(&o, &Style::default()));
}

fn beyond_limits(name: &str) -> ProgramOutcome {
    let mut p = program(name, Verdict::Clear);
    p.limits = vec![
        LimitViolation {
            joint: "elbow".into(),
            what: LimitKind::Position,
            time: 5.0,
            value: 3.3,
            limit: 3.1,
            segment: Some(3),
            way: None,
        },
        LimitViolation {
            joint: "lift".into(),
            what: LimitKind::Velocity,
            time: 6.5,
            value: 0.31,
            limit: 0.25,
            segment: Some(5),
            way: None,
        },
    ];
    p
}

#[test]
fn limits() {
    insta::assert_snapshot!(plain(vec![beyond_limits("pick.csv")]));
}

/// Two equal numbers would explain nothing.
#[test]
fn a_limit_and_what_is_just_beyond_it_are_told_apart() {
    let mut p = beyond_limits("pick.csv");
    p.limits.truncate(1);
    p.limits[0].limit = 1.0;
    p.limits[0].value = 1.00001;
    let said = plain(vec![p]);
    assert!(said.contains("57.296352471°"), "{said}");
    assert!(said.contains("its limit is 57.295779513°"), "{said}");
}

#[test]
fn all_contacts() {
    let mut p = program("pick.csv", Verdict::Collision);
    p.first_contact = Some(contact());
    p.contacts = vec![
        Contact {
            until: Some(3.41),
            ..contact()
        },
        Contact {
            free_until: 9.2,
            b: "fence".into(),
            distance: 0.0,
            ..contact()
        },
    ];
    insta::assert_snapshot!(plain(vec![p]));
}

#[test]
fn minimum() {
    let mut p = program("pick.csv", Verdict::Clear);
    let least = |b: &str, distance: f64| MinimumClearance {
        distance,
        lower_bound: distance - 0.00009,
        time: 7.25,
        a: "arm/forearm_link".into(),
        b: b.into(),
        delays: Vec::new(),
    };
    p.minimum_clearance = Some(least("table", 0.066_812_3));
    p.pair_minimums = (0..9)
        .map(|k| {
            least(
                ["table", "fence", "post"][k.min(2)],
                0.0668123 + 0.1 * k as f64,
            )
        })
        .collect();
    insta::assert_snapshot!(plain(vec![p]));
}

/// `--any-delay --minimum`: a least clearance that some delay takes says which, of the nearest
/// pair, of a class and of others.
#[test]
fn least_clearances_over_delays_say_which_delay_takes_them() {
    let mut p = program("left=a.csv + right=b.csv", Verdict::Clear);
    p.timeline = Some(TimelineFacts {
        programs: vec![
            participant("a.csv", &["left/wrist"]),
            participant("b.csv", &["right/wrist"]),
        ],
        ..TimelineFacts::default()
    });
    let least = |b: &str, delays: [f64; 2]| MinimumClearance {
        distance: 0.02,
        lower_bound: 0.019,
        time: 7.25,
        a: "left/wrist".into(),
        b: b.into(),
        delays: delays.to_vec(),
    };
    let nearest = least("right/wrist", [0.0, 0.6]);
    p.minimum_clearance = Some(nearest.clone());
    p.minimum_by_class = vec![ClassMinimum {
        class: PairClass::RobotCell,
        least: least("table", [0.4, 0.0]),
    }];
    p.pair_minimums = vec![nearest, least("fence", [0.0, 0.0])];
    let told = plain(vec![p]);
    for line in [
        "left/wrist – right/wrist  20 mm at 7.250 s, b.csv started 0.600 s late, proved never below 19 mm",
        "left/wrist – table  20 mm at 7.250 s, a.csv started 0.400 s late, proved never below 19 mm",
        "left/wrist – fence  20 mm at 7.250 s, proved never below 19 mm",
    ] {
        assert!(told.contains(line), "{told}");
    }
}

/// A batch: one line each, then the counts.
#[test]
fn many_programs() {
    let mut hit = program("place.csv", Verdict::Collision);
    hit.first_contact = Some(contact());
    let programs = vec![
        program("pick.csv", Verdict::Clear),
        hit,
        beyond_limits("a_long_name.csv"),
        unverified("typo.csv"),
    ];
    let mut o = outcome(programs);
    o.own_thresholds = 40;
    o.unchecked = (0..12)
        .map(|k| Diagnostic {
            subject: format!("frame_{k}"),
            message: "no collision geometry".into(),
            place: None,
            severity: Severity::Unchecked,
            code: Code::SurfaceOnly,
        })
        .collect();
    o.notes = vec![Diagnostic {
        subject: "arm.srdf:7".into(),
        message: "stale name `gone`".into(),
        place: None,
        severity: Severity::Note,
        code: Code::StaleName,
    }];
    insta::assert_snapshot!(text(&o, &Style::default()));
}

#[test]
fn colour_only_when_asked() {
    let o = outcome(vec![program("pick.csv", Verdict::Clear)]);
    let style = |color| Style {
        color,
        ..Style::default()
    };
    assert!(!text(&o, &style(false)).contains('\x1b'));
    let colored = text(&o, &style(true));
    assert!(
        colored.starts_with("\x1b[1;32mCLEAR     \x1b[0m pick.csv"),
        "{colored}"
    );
    let last = colored.lines().last().unwrap();
    assert!(
        last.starts_with("\x1b[1;32mCLEAR     \x1b[0m pick.csv: "),
        "{last}"
    );
    assert_eq!(colored.matches("\x1b[0m").count(), 2);
}

#[test]
fn json_has_the_fields_of_schema_3_and_reads_back() {
    let mut p = program("pick.csv", Verdict::Collision);
    p.first_contact = Some(contact());
    let original = outcome(vec![p, unverified("typo.csv")]);
    let bytes = json(&original);
    insta::assert_snapshot!(bytes);
    let mut back: Outcome = serde_json::from_str(&bytes).unwrap();
    for (p, q) in back.programs.iter_mut().zip(&original.programs) {
        p.lines = q.lines.clone(); // not part of the JSON report
    }
    assert_eq!(back, original);
}

/// A whole turn is a finding with its line, and makes nothing fail.
#[test]
fn a_full_turn_warns() {
    let mut p = program("spin.csv", Verdict::Clear);
    p.full_turns = vec![FullTurn {
        joint: "wrist".into(),
        from: 3.1,
        to: -3.1,
        turns: -1.0,
        at: Location {
            file: "spin.csv".into(),
            line: Some(7),
            column: None,
        },
    }];
    let shown = super::github(&outcome(vec![p]), &FailOn::default());
    assert!(
        shown.starts_with("::warning file=spin.csv,line=7,title=clearance%3A full-turn::")
            && shown.contains("wrist goes from 177.62° to -177.62°, about a full turn"),
        "{shown}"
    );
}

/// Facts that must be known before a verdict is believed stand in the first lines of every report.
#[test]
fn notices_come_first_everywhere() {
    let mut o = outcome(vec![program("pick.csv", Verdict::Clear)]);
    o.notices = vec![Diagnostic {
        subject: "lamp".into(),
        message: "it is 99 m away".into(),
        place: None,
        severity: Severity::Notice,
        code: Code::SuspiciousPlace,
    }];
    let said = "suspicious-place: lamp: it is 99 m away";
    let second = |text: &str| text.lines().nth(1).map(str::to_owned).unwrap_or_default();
    let first = text(&o, &Style::default());
    assert!(second(&first).contains(said), "{first}");

    let suspicious = FailOn {
        suspicious: true,
        ..FailOn::default()
    };
    for (fail_on, word, failures) in [
        (FailOn::default(), "warning", "failures=\"0\""),
        (suspicious, "error", "failures=\"1\""),
    ] {
        let page = super::markdown(&o, &fail_on);
        let place = page.find("suspicious-place: lamp").unwrap_or(usize::MAX);
        assert!(place < page.find("Cell ").unwrap_or(0), "{page}");
        let cases = super::junit(&o, &fail_on);
        assert!(
            cases.contains("suspicious-place: lamp: it is 99 m"),
            "{cases}"
        );
        assert!(cases.contains(failures), "{cases}");
        let log = super::github(&o, &fail_on);
        assert!(
            log.starts_with(&format!("::{word} file=cell.toml")),
            "{log}"
        );
        let sarif: serde_json::Value = serde_json::from_str(&super::sarif(&o, &fail_on)).unwrap();
        let result = &sarif["runs"][0]["results"][0];
        assert_eq!(result["ruleId"], "suspicious-place");
        assert_eq!(result["level"], word);
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        let rule = &sarif["runs"][0]["tool"]["driver"]["rules"][index];
        assert_eq!(rule["id"], "suspicious-place");
    }
    // Several programs have it in front of them; a notice of one program stands under that one.
    let mut p = program("place.csv", Verdict::Clear);
    p.notices = o.notices.clone();
    let mut two = outcome(vec![program("pick.csv", Verdict::Clear), p.clone()]);
    let lines = text(&two, &Style::default());
    assert!(lines.lines().nth(2).unwrap().contains(said), "{lines}");
    (two.notices, two.programs[1].notices) = (p.notices, Vec::new());
    let lines = text(&two, &Style::default());
    assert!(lines.lines().next().unwrap().contains(said), "{lines}");
    let page = super::BatchText::new(&two, &Style::default(), 9).program(&two.programs[0]);
    assert!(page.lines().next().unwrap().contains(said), "{page}");
}
