//! Where a diagnostic points: the file and line that it is about, in every report.

use std::fs;

use serde_json::Value;

use super::{POST, Shop, arm, cuboid, joint, link};

const CELL: &str = r#"
[[obstacle]]
name = "post"
box = [0.1, 0.1, 1]
pose = { xyz = [-0.8, -0.8, 0] }

[[obstacle]]
name = "pillar"
cylinder = { radius = 0.1, length = 1 }
pose = { xyz = [900, 0, 0] }

[[obstacle]]
name = "sign"
box = [0.1, 0.1, 0.1]
pose = { xyz = [0, -0.9, 0.8], rpy = [0, 0, 90] }

[[attach]]
name = "speck"
parent = "arm"
box = [0.0004, 0.0004, 0.0004]
pose = { xyz = [0.99, 0, 0.2] }

[[allow]]
a = "arm"
b = "pst"

[[pair]]
a = "base"
b = "post"
clearance = 0.01

[[unchecked]]
link = "lamp"
reason = "a lamp"
"#;

fn shop() -> Shop {
    let robot = arm()
        + &link("lamp", &cuboid("visual", "0.1 0.1 0.1", ""))
        + &joint("lamp", "revolute", "arm", "lamp", "")
        + &link("camera", &cuboid("visual", "0.1 0.1 0.1", ""))
        + "<joint name='look' type='revolute'><parent link='arm'/><child link='camera'/><axis xyz='0 0 1'/>\
           <mimic joint='turn'/><limit lower='-4' upper='4' velocity='9' effort='1'/></joint>\n";
    let shop = Shop::new(&robot, CELL);
    shop.put(
        "p.csv",
        "time,turn,look\n1,-3,-3\n2,-2.9,-2.9\n9,3.3831853,3.3831853\n",
    );
    shop.put(
        "p.events.toml",
        "[[event]]\nat = 2\nattach = \"sign\"\nto = \"arm\"\npose = { xyz = [0.9, 0, 0.5] }\n",
    );
    shop
}

/// Every diagnostic of a report.
fn diagnostics(report: &Value) -> Vec<&Value> {
    let lists = |of: &'static str| {
        let of_programs = report["programs"].as_array().into_iter().flatten();
        let of_programs = of_programs.map(move |p| &p[of]);
        std::iter::once(&report[of]).chain(of_programs)
    };
    let all = ["notices", "unchecked", "notes"]
        .into_iter()
        .flat_map(lists);
    all.filter_map(Value::as_array).flatten().collect()
}

/// The text of the line that a place names.
fn line(shop: &Shop, place: &Value) -> String {
    let text = fs::read_to_string(shop.path().join(place["file"].as_str().unwrap())).unwrap();
    let number = place["line"].as_u64().unwrap() as usize;
    text.lines().nth(number - 1).unwrap().to_owned()
}

/// The file and what stands on the line that the diagnostics of each code point at.
const PLACES: [(&str, &str, &str); 13] = [
    ("suspicious-place", "cell.toml", "name = \"pillar\""),
    ("suspicious-rpy", "cell.toml", "rpy = [0, 0, 90]"),
    ("suspicious-scale", "cell.toml", "name = \"speck\""),
    ("unchecked-link", "r.urdf", "<link name='camera'>"),
    ("accepted", "cell.toml", "link = \"lamp\""),
    ("larger-shape", "cell.toml", "name = \"pillar\""),
    ("stale-name", "cell.toml", "b = \"pst\""),
    ("idle-pair", "cell.toml", "[[pair]]"),
    ("late-start", "p.csv", "1,-3,-3"),
    ("following-joint", "p.csv", "time,turn,look"),
    ("full-turn", "p.csv", "9,3.3831853,3.3831853"),
    ("moved-by-event", "p.events.toml", "[[event]]"),
    ("resting-joints", "p.csv", ""),
];

#[test]
fn diagnostics_point_at_the_line_that_they_are_about() {
    let shop = shop();
    let (_, report) = shop.json("check --cell cell.toml p.csv");
    for (code, file, text) in PLACES {
        let found = diagnostics(&report);
        let about: Vec<&&Value> = found.iter().filter(|d| d["code"] == code).collect();
        assert!(!about.is_empty(), "{code}: {report:#}");
        for diagnostic in about {
            let place = &diagnostic["place"];
            assert_eq!(place["file"], file, "{diagnostic:#}");
            if !text.is_empty() {
                let line = line(&shop, place);
                assert!(line.contains(text), "{diagnostic:#}: {line}");
            }
        }
    }
}

#[test]
fn other_reports_point_there_too() {
    let shop = shop();
    let run = |format: &str| {
        shop.run(&format!("check --cell cell.toml p.csv --report {format}"))
            .1
    };
    let log: Value = serde_json::from_str(&run("sarif")).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let (github, text) = (run("github"), run("text"));
    for code in [
        "suspicious-place",
        "suspicious-scale",
        "suspicious-rpy",
        "unchecked-link",
    ] {
        let (_, file, on_line) = PLACES.iter().find(|p| p.0 == code).unwrap();
        let result = results.iter().find(|r| r["ruleId"] == code).unwrap();
        let at = &result["locations"][0]["physicalLocation"];
        let number = &at["region"]["startLine"];
        let place = serde_json::json!({"file": at["artifactLocation"]["uri"], "line": number});
        assert_eq!(place["file"], *file);
        assert!(line(&shop, &place).contains(on_line), "{result:#}");
        let title = format!("file={file},line={number},");
        let said = github
            .lines()
            .any(|l| l.contains(&title) && l.contains(code));
        assert!(said, "{title}: {github}");
        assert!(text.contains(&format!("{file}:{number}")), "{text}");
    }
}

/// A notice about several links is a sentence about several.
#[test]
fn notices_about_several_links_say_so() {
    let camera = link("camera", &cuboid("visual", "0.1 0.1 0.1", ""))
        + &joint("mount", "fixed", "base", "camera", "");
    let lamp = camera.replace("camera", "lamp").replace("mount", "mount_2");
    for (robot, begins) in [
        (
            arm() + &camera,
            "stands still and has <visual> geometry only",
        ),
        (
            arm() + &camera + &lamp,
            "stand still and have <visual> geometry only",
        ),
    ] {
        let (code, report) = Shop::new(&robot, POST).check();
        let said = report["notices"][0]["message"].as_str().unwrap();
        assert!(code == 2 && said.starts_with(begins), "{said}");
    }
}
