//! Names that would act on a terminal, a log reader or a page, through every report.

use super::super::{github, inspection_json, inspection_text, junit, markdown, sarif, trees_text};
use super::*;
use crate::findings::Diagnostic;

/// Text that a name may hold: colours, a bell, line ends, other directions of writing, C1, a
/// command of CI servers, markup.
const EVIL: &str = "\n::error file=x::\x1b[31mboo\x07\r\u{202e}\u{2066}\u{9b}\u{2028}##[error]<b>|`[x](http://e.g/)`";

fn evil(name: &str) -> String {
    format!("{name}{EVIL}")
}

/// An outcome in which every string that comes from files is such a name.
fn attacked() -> Outcome {
    let mut hit = program(&evil("p.csv"), Verdict::Collision);
    let touch = Contact {
        a: evil("link"),
        b: evil("table"),
        joints: [(evil("joint"), 1.0)].into(),
        feature: Some(ContactFeature::EdgeEdge),
        ..contact()
    };
    hit.contacts = vec![touch.clone()];
    hit.first_contact = Some(touch);
    hit.joints = vec![evil("joint")];
    hit.limits = vec![LimitViolation {
        joint: evil("joint"),
        what: LimitKind::Position,
        time: 1.0,
        value: 2.0,
        limit: 1.0,
        segment: Some(1),
        way: None,
    }];
    hit.unchecked = hit_notes();
    hit.minimum_clearance = Some(MinimumClearance {
        distance: 0.01,
        lower_bound: 0.009,
        time: 1.0,
        a: evil("link"),
        b: evil("table"),
        delays: Vec::new(),
    });
    let mut broken = unverified(&evil("q.csv"));
    broken.error_at = Some(Location {
        file: evil("q.csv"),
        line: Some(1),
        column: None,
    });
    let mut o = outcome(vec![hit, broken]);
    o.cell = evil("cell.toml");
    o.unchecked = hit_notes();
    o.notes = hit_notes();
    o
}

fn hit_notes() -> Vec<Diagnostic> {
    vec![Diagnostic {
        subject: evil("mesh"),
        message: evil("why"),
        ..outcome(vec![]).unchecked.remove(0)
    }]
}

/// Characters that act rather than show, said independently of the code under test.
fn acts(c: char) -> bool {
    matches!(u32::from(c), 0..=8 | 0xb..=0x1f | 0x7f..=0x9f | 0x61c | 0x200e | 0x200f | 0x2028..=0x202e | 0x2066..=0x2069)
}

/// Fails where a text holds what acts, or a line in it is a command that is not ours.
fn harmless(what: &str, text: &str) {
    assert!(!text.chars().any(acts), "{what}: {text:?}");
    assert!(!text.contains("##["), "{what}: {text}");
    for line in text.lines() {
        let start = line.trim_start();
        assert!(
            !start.starts_with("::") || what == "github",
            "{what}: {line}"
        );
    }
}

#[test]
fn no_name_acts_on_who_reads_a_report() {
    let fail_on = FailOn::default();
    let (o, one) = (attacked(), {
        let mut one = attacked();
        one.programs.truncate(1);
        one
    });
    for o in [&o, &one] {
        for width in [None, Some(40), Some(80)] {
            let style = Style {
                color: false,
                width,
            };
            harmless("text", &text(o, &style));
            harmless("conclusion", &super::super::conclusion(o, &style));
        }
        harmless("json", &json(o));
        harmless("junit", &junit(o, &fail_on));
        harmless("sarif", &sarif(o, &fail_on));
        harmless("markdown", &markdown(o, &fail_on));
        harmless("github", &github(o, &fail_on));
    }
    // Every line of the annotations is one of ours: as many as there are findings.
    let lines = github(&o, &fail_on);
    assert_eq!(lines.lines().count(), 3, "{lines}");
    for line in lines.lines() {
        assert!(line.starts_with("::error file="), "{line}");
        assert!(line.contains(",title=clearance%3A "), "{line}");
    }
    // The values of the JSON report are what they were.
    let back: Outcome = serde_json::from_str(&json(&o)).unwrap();
    assert_eq!(back.cell, o.cell);
    assert_eq!(back.programs[0].contacts, o.programs[0].contacts);
}

#[test]
fn a_name_is_text_to_markdown_and_html() {
    let page = markdown(&attacked(), &FailOn::default());
    assert!(
        !page.contains("<b>") && page.contains("&lt;b&gt;"),
        "{page}"
    );
    assert!(!page.contains("://") && !page.contains("[x]"), "{page}");
    // A row is a line, and no name adds a column to it.
    let rows = page.lines().filter(|l| l.starts_with('|'));
    for row in rows {
        let bars = row.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 5, "{row}");
    }
}

#[test]
fn junit_stays_xml() {
    let page = junit(&attacked(), &FailOn::default());
    let xml = roxmltree::Document::parse(&page).unwrap();
    let cases = xml.descendants().filter(|n| n.has_tag_name("testcase"));
    let names: Vec<&str> = cases.filter_map(|n| n.attribute("name")).collect();
    assert_eq!(names.len(), 2, "{page}");
    assert!(
        names[0].starts_with("p.csv\\n::error file=x::\\x1b[31mboo\\x07\\r\\u{202e}"),
        "{names:?}"
    );
}

#[test]
fn no_name_acts_on_who_inspects_a_cell() {
    let shown = |name: &str| {
        Inspection {
        cell: format!("{EVIL}{name}"),
        ..serde_json::from_value(serde_json::json!({
            "schema": 3, "tool": "clearance", "version": "0", "cell": "", "reach": 1.0,
            "bodies": [{"name": evil("link"), "role": "link", "joint": evil("joint"), "size": [1.0, 1.0, 1.0], "shapes": []}],
            "joints": [{"name": evil("joint"), "kind": "revolute", "rest": 0.0}],
            "pairs": [{"a": evil("a"), "b": evil("b"), "checked": true, "required_clearance": 0.0}],
            "idle_allowances": [], "impossible": [{"code": "mesh-file", "severity": "note", "subject": evil("x"), "message": evil("y")}],
            "unchecked": [{"code": "mesh-file", "severity": "note", "subject": evil("x"), "message": evil("y")}], "notes": [{"code": "mesh-file", "severity": "note", "subject": evil("x"), "message": evil("y")}],
        }))
        .unwrap()
    }
    };
    let shown = shown("cell.toml");
    harmless("inspect", &inspection_text(&shown, true));
    harmless("inspect json", &inspection_json(&shown));
    let trees = TreeReport {
        source: EVIL.to_owned(),
        ..serde_json::from_value(serde_json::json!({
            "schema": 3, "tool": "clearance", "version": "0", "source": "", "shape": "greedy", "trees": [],
            "unchecked": [], "notes": [{"code": "mesh-file", "severity": "note", "subject": evil("x"), "message": evil("y")}],
        }))
        .unwrap()
    };
    harmless("tree", &trees_text(&trees));
}
