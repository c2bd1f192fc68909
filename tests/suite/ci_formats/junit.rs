//! JUnit reports, as CI servers read them.

use super::*;

/// The attributes and children that the JUnit schema of Jenkins' xUnit plugin (junit-10.xsd) allows
/// in the elements that we write.
const JUNIT: [(&str, &[&str], &[&str]); 8] = [
    (
        "testsuites",
        &["name", "time", "tests", "failures", "errors"],
        &["testsuite"],
    ),
    (
        "testsuite",
        &["name", "tests", "failures", "errors", "skipped", "time"],
        &["properties", "testcase"],
    ),
    ("properties", &[], &["property"]),
    ("property", &["name", "value"], &[]),
    (
        "testcase",
        &["name", "classname", "time"],
        &["failure", "error", "system-out"],
    ),
    ("failure", &["type", "message"], &[]),
    ("error", &["type", "message"], &[]),
    ("system-out", &[], &[]),
];

pub(super) fn junit_is_well_formed(text: &str) -> roxmltree::Document<'_> {
    let document = roxmltree::Document::parse(text).unwrap();
    for node in document
        .root_element()
        .descendants()
        .filter(|n| n.is_element())
    {
        let name = node.tag_name().name();
        let (_, attributes, children) = JUNIT.iter().find(|e| e.0 == name).expect(name);
        for attribute in node.attributes() {
            assert!(
                attributes.contains(&attribute.name()),
                "{name}: {attribute:?}"
            );
        }
        for child in node.children().filter(|n| n.is_element()) {
            let child = child.tag_name().name();
            assert!(children.contains(&child), "{child} in {name}");
        }
    }
    // Counts are sums of what is there.
    for element in ["testsuites", "testsuite"] {
        for node in document.descendants().filter(|n| n.has_tag_name(element)) {
            let inside = |tag| node.descendants().filter(|n| n.has_tag_name(tag)).count();
            for (counted, tag) in [
                ("tests", "testcase"),
                ("failures", "failure"),
                ("errors", "error"),
            ] {
                let stated = node.attribute(counted).unwrap();
                assert_eq!(stated, inside(tag).to_string(), "{counted}");
            }
        }
    }
    document
}

#[test]
fn junit_has_a_case_for_every_program_and_says_what_was_found() {
    let shop = Workshop::new();
    let text = &shop.reports(&["--minimum"])["junit"];
    let document = junit_is_well_formed(text);
    let cases: Vec<_> = document
        .descendants()
        .filter(|n| n.has_tag_name("testcase"))
        .collect();
    let fates: Vec<&str> = cases
        .iter()
        .map(|c| c.first_element_child().map_or("", |n| n.tag_name().name()))
        .collect();
    assert_eq!(fates, ["failure", "", "failure", "system-out", "error"]);
    let failure = cases[0].first_element_child().unwrap();
    let message = failure.attribute("message").unwrap();
    let (who, close) = message.split_once("%): ").unwrap();
    assert!(who.contains("swing_through_guard.csv:3: contact: gripper against guard at "));
    assert!(close.starts_with("0.991 mm"), "{message}");
    assert!(failure.text().unwrap().contains("threshold 1 mm"));
    assert_eq!(failure.attribute("type"), Some("collision"));
    let error = cases[4].first_element_child().unwrap();
    assert!(
        error
            .attribute("message")
            .unwrap()
            .contains("gone.csv: cannot be read")
    );
    let property = |case: usize, name: &str| {
        let suite = cases[case].parent().unwrap();
        let found = suite
            .descendants()
            .find(|n| n.attribute("name") == Some(name))?;
        found.attribute("value").map(str::to_owned)
    };
    assert_eq!(property(0, "threshold_m").as_deref(), Some("0.001"));
    let number = |case, name| property(case, name).unwrap().parse::<f64>().unwrap();
    let (least, bound) = (
        number(3, "minimum_clearance_m"),
        number(3, "minimum_clearance_lower_bound_m"),
    );
    assert!(
        bound <= least && (0.003..0.0031).contains(&least),
        "{bound} {least}"
    );
    // The near miss, at a close look, is not nearer than the lower bound that is proved.
    assert!((bound..0.0031).contains(&number(3, "near_miss_distance_m")));
    assert_eq!(property(4, "minimum_clearance_m"), None);
}

#[test]
fn a_run_without_an_answer_is_no_green_report() {
    let shop = Workshop::new();
    let args = ["check", "--cell", "gone.toml", "p.csv", "--report", "junit"];
    let output = shop.run(&args);
    assert_eq!(output.status.code(), Some(2));
    let text = stdout(&output);
    let document = junit_is_well_formed(&text);
    assert_eq!(document.root_element().attribute("errors"), Some("1"));
    let sarif = shop.run(&["check", "--cell", "gone.toml", "p.csv", "--report", "sarif"]);
    let log: Value = serde_json::from_slice(&sarif.stdout).unwrap();
    assert_eq!(
        log["runs"][0]["invocations"][0]["executionSuccessful"],
        false
    );
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 1);
}

/// Who reads no other report sees that a body is not checked.
#[test]
fn junit_says_what_is_not_checked() {
    let shop = Workshop::new();
    let cell = shop.path().join("robots/arm6/cell.toml");
    let property = || {
        let program = format!("{PROGRAMS}/pick_place.csv");
        let args = [
            "check",
            "--cell",
            "robots/arm6/cell.toml",
            &program,
            "--report",
            "junit",
        ];
        let text = stdout(&shop.run(&args));
        let document = junit_is_well_formed(&text);
        let mut all = document.descendants();
        let found = all.find(|n| n.attribute("name") == Some("not_checked"));
        found.and_then(|n| n.attribute("value").map(str::to_owned))
    };
    assert_eq!(property(), None);
    let open = "solid v\nfacet normal 0 0 1\nouter loop\nvertex 3 3 3\nvertex 4 3 3\nvertex 3 4 3\nendloop\nendfacet\nendsolid v\n";
    fs::write(shop.path().join("robots/arm6/sheet.stl"), open).unwrap();
    let text = fs::read_to_string(&cell).unwrap();
    let sheets = (0..7)
        .map(|k| format!("[[obstacle]]\nname = \"sheet{k}\"\nmesh = \"sheet.stl\"\nscale = 1\n"));
    fs::write(&cell, text + "\n" + &sheets.collect::<String>()).unwrap();
    let said = property().unwrap();
    assert_eq!(said, "sheet0, sheet1, sheet2, sheet3, sheet4 and 2 more");
}
