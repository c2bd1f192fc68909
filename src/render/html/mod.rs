//! The report to look at: one page in one file that needs no network and no server.
//!
//! The page is `assets/page.html` with style, scripts and data put in. The scripts are plain
//! JavaScript and WebGL of our own, so that building needs nothing but cargo.

mod data;
mod decimate;
mod thin;

use serde_json::{Value, json};

use super::inspection::inspection_text;
use super::printable;
use super::text::{Style, text};
use crate::findings::{CellPose, DrawnCell, Inspection, Outcome, Replay};

const PAGE: &str = include_str!("assets/page.html");
/// How the title of each page ends.
const SIGN: &str = " – clearance";
const STYLE: &str = include_str!("assets/style.css");
/// In the order in which they need each other.
const SCRIPTS: [&str; 19] = [
    include_str!("assets/tools.js"),
    include_str!("assets/bidi.js"),
    include_str!("assets/motion.js"),
    include_str!("assets/mesh.js"),
    include_str!("assets/shaders.js"),
    include_str!("assets/space.js"),
    include_str!("assets/gestures.js"),
    include_str!("assets/marks.js"),
    include_str!("assets/view.js"),
    include_str!("assets/plot.js"),
    include_str!("assets/tables.js"),
    include_str!("assets/list.js"),
    include_str!("assets/player.js"),
    include_str!("assets/proved.js"),
    include_str!("assets/summary.js"),
    include_str!("assets/options.js"),
    include_str!("assets/jog.js"),
    include_str!("assets/cell.js"),
    include_str!("assets/main.js"),
];

/// A cell made ready to be shown, once for any number of pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenery(Value);

impl Scenery {
    /// Simplifies what is shown of large meshes.
    pub fn new(cell: &DrawnCell) -> Self {
        Scenery(data::model(cell))
    }
}

/// The page of a run; `list` is the address of the list that leads to it, if there is one.
/// `replays` has one entry per program of the outcome, or none where there is no picture. Several
/// programs stand in a list to choose from.
pub fn html(
    outcome: &Outcome,
    scenery: Option<&Scenery>,
    replays: &[Option<Replay>],
    list: Option<&str>,
) -> String {
    let none = std::iter::repeat(&None);
    let programs = outcome.programs.iter().zip(replays.iter().chain(none));
    let programs: Vec<Value> = programs
        .map(|(program, replay)| {
            replay
                .as_ref()
                .map_or(Value::Null, |r| data::replay(r, program))
        })
        .collect();
    page(
        outcome,
        &json!({
            "report": outcome,
            "model": scenery.map(|s| &s.0),
            "programs": programs,
            "rows": data::rows(outcome, &[]),
            "list": list,
            "budgets": data::budgets_of_error(outcome),
        }),
    )
}

/// A list of many programs that opens a page for each. `pages` has one entry per program of the
/// outcome: its page, seen from the list, with `/` between folders.
pub fn html_list(outcome: &Outcome, pages: &[Option<String>]) -> String {
    let summary = Outcome {
        programs: Vec::new(),
        ..outcome.clone()
    };
    page(
        outcome,
        &json!({
            "report": summary,
            "model": null,
            "programs": [],
            "rows": data::rows(outcome, pages),
            "budgets": data::budgets_of_error(outcome),
        }),
    )
}

/// The page of a cell without any program: its bodies, where its robots may stand, its joints and
/// pairs.
pub fn html_cell(
    outcome: &Outcome,
    inspection: &Inspection,
    scenery: &Scenery,
    poses: &[CellPose],
) -> String {
    let poses = poses.iter();
    let poses = poses.map(|p| json!({ "name": p.name, "joints": p.joints }));
    let data = json!({
        "report": outcome,
        "model": scenery.0,
        "programs": [],
        "rows": [],
        "cell": { "inspection": inspection, "poses": poses.collect::<Vec<_>>() },
    });
    let title = format!("{}{SIGN}", inspection.cell);
    filled(&title, &inspection_text(inspection, true), &data)
}

fn page(outcome: &Outcome, data: &Value) -> String {
    let title = match &outcome.programs[..] {
        [program] => format!("{}{SIGN}", program.program),
        programs => format!("{} programs{SIGN}", programs.len()),
    };
    filled(&title, &text(outcome, &Style::default()), data)
}

/// Whether a file that begins so is a page of ours: whoever removes old ones must not take another
/// file for one, whatever it is called.
pub fn is_page(start: &str) -> bool {
    let head = PAGE.split_once("{{TITLE}}").map_or(PAGE, |(head, _)| head);
    let title = start.strip_prefix(head);
    let title = title.and_then(|rest| rest.split_once("</title>"));
    title.is_some_and(|(title, _)| title.ends_with(SIGN))
}

fn filled(title: &str, plain: &str, data: &Value) -> String {
    let parts = [
        ("TITLE", escaped(&printable::printable(title))),
        ("STYLE", STYLE.to_owned()),
        ("PLAIN", escaped(plain)),
        ("DATA", harmless(&printable::json(data.to_string()))),
        ("SCRIPT", SCRIPTS.join("\n")),
    ];
    // Each place is filled once, left to right, so that nothing that was put in is looked at again.
    let mut page = String::new();
    let mut rest = PAGE;
    for (name, content) in parts {
        if let Some((before, after)) = rest.split_once(&format!("{{{{{name}}}}}")) {
            page.push_str(before);
            page.push_str(&content);
            rest = after;
        }
    }
    page + rest
}

/// Text that stands between tags.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// JSON that cannot end the element it stands in: these characters occur only within strings, where
/// they may be written so.
fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Code, Diagnostic, Severity};

    fn outcome(programs: &[&str]) -> Outcome {
        let programs = programs.iter().map(|name| {
            json!({
                "program": name, "verdict": "clear",
                "statistics": { "intervals": 0, "distance_tests": 0, "triangle_tests": 0, "pairs": 0, "check_seconds": 0.0 },
            })
        });
        serde_json::from_value(json!({
            "schema": 3, "tool": "clearance", "version": "0", "cell": "c", "required_clearance": 0.0, "resolution": 1.0,
            "method": "m", "shape": "s", "verdict": "clear", "unchecked": [], "programs": programs.collect::<Vec<_>>(),
            "timing": { "load_seconds": 0.0, "tree_seconds": 0.0, "check_seconds": 0.0 },
        }))
        .unwrap()
    }

    /// The data element of a page, as a browser would find it.
    fn data(page: &str) -> Value {
        let (_, from) = page
            .split_once(r#"<script type="application/json" id="data">"#)
            .unwrap();
        let (data, _) = from.split_once("</script").unwrap();
        serde_json::from_str(data).unwrap()
    }

    #[test]
    fn a_page_is_known_by_its_head() {
        let page = html(&outcome(&["</title> a.csv"]), None, &[None], None);
        assert!(is_page(&page) && is_page(&html_list(&outcome(&[]), &[])));
        let other = page.replace(SIGN, "");
        for other in ["", "<html>minutes</html>", &other, &page[1..]] {
            assert!(!is_page(other), "{other}");
        }
    }

    /// Names from files neither end an element nor become one, and come out as they went in.
    #[test]
    fn names_are_only_names() {
        let wicked = "</script><img src=x onerror=alert(1)>&amp;{{SCRIPT}}\u{2028}\"'<!--.csv";
        let plain = html(&outcome(&["good.csv"]), None, &[None], None);
        let list = html_list(&outcome(&[wicked]), &[Some("a/</script>.html".into())]);
        for page in [html(&outcome(&[wicked]), None, &[None], None), list] {
            assert_eq!(data(&page)["rows"][0]["program"], wicked);
            for tag in ["<script", "</script", "<img", "<!--", "<style"] {
                let count = |page: &str| page.matches(tag).count();
                assert_eq!(count(&page), count(&plain), "{tag}");
            }
        }
    }

    /// A character that turns the direction of writing acts nowhere in the file, not even for
    /// somebody who reads its source; the name stays the same.
    #[test]
    fn what_acts_is_written_out() {
        let name = "gripper\u{202e}\u{7}\u{85}\u{2066}.csv";
        for page in [
            html(&outcome(&[name]), None, &[None], None),
            html_list(&outcome(&[name]), &[None]),
        ] {
            let acts =
                |c: &char| c.is_control() && *c != '\n' || ['\u{202e}', '\u{2066}'].contains(c);
            assert_eq!(page.chars().find(acts), None);
            assert!(
                page.contains(r"<title>gripper\u{202e}\x07\u{85}\u{2066}.csv – clearance</title>")
            );
            assert_eq!(data(&page)["rows"][0]["program"], name);
        }
    }

    /// A page without an answer has no words of proof, not even where a browser without scripts
    /// shows it.
    #[test]
    fn an_unverified_page_proves_nothing() {
        let mut outcome = outcome(&["a.csv"]);
        outcome.verdict = crate::findings::Verdict::Unverified;
        outcome.programs[0].verdict = outcome.verdict;
        outcome.programs[0].error = Some("a.csv:3: not a number".into());
        for page in [
            html(&outcome, None, &[None], None),
            html_list(&outcome, &[None]),
        ] {
            let page = page.to_lowercase();
            for said in ["clear is proved", "0 pairs of"] {
                assert!(!page.contains(said), "{said}");
            }
        }
    }

    /// Regression: a page that was proved for errors of the cell file did not say for which.
    #[test]
    fn a_page_names_the_errors_that_its_answer_allows_for() {
        let mut outcome = outcome(&["a.csv"]);
        let page = html(&outcome, None, &[None], None);
        assert_eq!(data(&page)["budgets"], Value::Null);
        outcome.uncertainty =
            serde_json::from_value(json!([{ "kind": "base", "name": "arm", "shift": 0.001 }]))
                .unwrap();
        for page in [
            html(&outcome, None, &[None], None),
            html_list(&outcome, &[None]),
        ] {
            assert_eq!(data(&page)["budgets"], "base of arm 1 mm");
        }
    }

    #[test]
    fn every_place_is_filled_and_nothing_is_fetched() {
        let page = html(&outcome(&["a.csv", "b.csv"]), None, &[None, None], None);
        assert!(!page.contains("{{"));
        assert!(page.contains("<title>2 programs – clearance</title>"));
        // `url(#…)` names an element of the page itself.
        let page = page.replace("url(#inside)", "");
        for fetched in ["src=", "href=", "@import", "url(", "fetch("] {
            assert!(!page.contains(fetched), "{fetched}");
        }
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn the_list_names_pages_and_keeps_each_row_short() {
        let page = html_list(
            &outcome(&["a.csv", "b.csv"]),
            &[None, Some("b.html".into())],
        );
        let data = data(&page);
        assert_eq!(data["rows"][0]["page"], Value::Null);
        assert_eq!(data["rows"][1]["page"], "b.html");
        assert_eq!(data["report"]["programs"], json!([]));
    }

    /// Notices of a program are there in words, and their number, and what keeps it open.
    #[test]
    fn rows_say_the_notices_of_their_programs() {
        let mut outcome = outcome(&["a.csv", "b.csv", "c.csv"]);
        let notice = |words: &str| Diagnostic::notice(Code::SuspiciousTimes, "a.csv", words);
        outcome.programs[0].notices = vec![notice("milliseconds"), notice("others")];
        outcome.programs[1].unchecked = vec![Diagnostic {
            severity: Severity::Open,
            ..notice("open")
        }];
        outcome.programs[2].unchecked = vec![Diagnostic::note(Code::LateStart, "c.csv", "late")];
        let data = data(&html_list(&outcome, &[None, None, None]));
        let said = [0, 1, 2].map(|k| data["rows"][k]["said"].clone());
        let expected = [
            json!("suspicious-times: milliseconds (and 1 more)"),
            json!("suspicious-times: open"),
            Value::Null,
        ];
        assert_eq!(said, expected);
    }
}
