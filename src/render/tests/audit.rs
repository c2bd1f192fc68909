use super::{outcome, plain, program};
use crate::findings::*;
use crate::render::{github, json, markdown};

/// In results of a batch the audit lists what hid a contact, and counts the rest as it did before.
#[test]
fn an_audit_is_shortened() {
    let mut p = audited();
    let long = p.audit.clone().unwrap();
    let short = long.clone().shortened();
    assert_eq!(short.allowances, long.allowances[..2]);
    for effect in [
        AllowanceEffect::Hid,
        AllowanceEffect::Standing,
        AllowanceEffect::Nothing,
        AllowanceEffect::Idle,
        AllowanceEffect::Stale,
    ] {
        assert_eq!(short.count(effect), long.count(effect), "{effect:?}");
    }
    assert_eq!(short.clone().shortened(), short);
    let line = |text: String| {
        text.lines()
            .find(|l| l.contains("audit"))
            .map(str::to_owned)
    };
    let before = line(plain(vec![p.clone()]));
    p.audit = Some(short);
    assert!(before.is_some());
    assert_eq!(line(plain(vec![p])), before);
}

fn audited() -> ProgramOutcome {
    let allowed = |a: &str, b: &str, touches, contacts| AuditedPair {
        a: a.into(),
        b: b.into(),
        required_clearance: 0.005,
        touches,
        contacts,
    };
    let meeting = |entered: f64, distance: f64, depth| AllowedContact {
        entered,
        left: entered + 1.0,
        kind: ContactKind::Contact,
        distance,
        depth,
        time: entered + 0.5,
        segment: 2,
        fraction: 0.5,
    };
    let allowance = |by, line, effect, pairs| AuditedAllowance {
        a: "arm/*".into(),
        b: "table".into(),
        by,
        at: Location {
            file: "arm.srdf".into(),
            line,
            column: None,
        },
        reason: "Never".into(),
        effect,
        why: None,
        missing: vec![],
        pairs,
    };
    use AllowanceEffect::*;
    use AllowanceSource::*;
    let mut p = program("pick.csv", Verdict::Clear);
    let stale = AuditedAllowance {
        missing: vec!["gone".into()],
        ..allowance(Srdf, Some(7), Stale, vec![])
    };
    p.audit = Some(Audit {
        unlisted: None,
        allowances: vec![
            allowance(
                Srdf,
                None,
                Hid,
                vec![
                    allowed(
                        "arm/a",
                        "table",
                        Touches::Here,
                        vec![meeting(3.0, 0.0, Some(0.0123)), meeting(5.0, 0.002, None)],
                    ),
                    allowed(
                        "arm/b",
                        "table",
                        Touches::Fixed,
                        vec![meeting(0.0, 0.0, None)],
                    ),
                ],
            ),
            allowance(
                Allow,
                None,
                Standing,
                vec![allowed(
                    "arm/c",
                    "table",
                    Touches::Always,
                    vec![meeting(0.0, 0.0, None)],
                )],
            ),
            allowance(
                Touch,
                None,
                Nothing,
                vec![allowed("arm/d", "table", Touches::Never, vec![])],
            ),
            allowance(Event, Some(3), Idle, vec![]),
            stale.clone(),
            stale,
        ],
    });
    p
}

#[test]
fn an_audit() {
    insta::assert_snapshot!(plain(vec![audited()]));
}

/// The audit is told, and makes nothing fail.
#[test]
fn an_audit_warns() {
    let o = outcome(vec![audited()]);
    let text = github(&o, &FailOn::default());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines.iter().all(|l| l.starts_with("::warning file=")),
        "{text}"
    );
    assert!(
        lines[0].contains("file=pick.csv,line=4,title=clearance%3A hidden-contact"),
        "{text}"
    );
    assert!(
        lines[2].contains("file=arm.srdf,line=7,title=clearance%3A stale-allowance"),
        "{text}"
    );
    let page = markdown(&o, &FailOn::default());
    assert!(
        page.contains("⚠️") && page.contains("12.3 mm deep"),
        "{page}"
    );
    let mut back: Outcome = serde_json::from_str(&json(&o)).unwrap();
    back.programs[0].lines = o.programs[0].lines.clone();
    assert_eq!(back, o);
}
