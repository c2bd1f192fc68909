//! Several programs on one clock: what is found points at the file of the program that it is about.

use super::*;

/// Two beams far from one another, and a post that only the right one can reach.
fn two_robots() -> Site {
    let site = Site::new(0.5);
    let robot = |name: &str, y: f64| {
        format!(
            "[[robot]]\nname = \"{name}\"\nurdf = \"robot.urdf\"\nbase = {{ xyz = [0, {y:?}, 0] }}\n"
        )
    };
    let post = "[[obstacle]]\nname = \"post\"\nbox = [0.1, 0.1, 1]\npose = { xyz = [0, 5.4, 0] }\n";
    site.write(
        "cell.toml",
        &(robot("left", 0.0) + &robot("right", 5.0) + post),
    );
    site.write("p/l.csv", "time,turn\n0,0\n1,0.5\n2,1\n");
    site
}

const CHECK: &str = "check --cell cell.toml --program left=p/l.csv --program right=p/r.csv";

/// File and line of every SARIF result, and the GitHub annotations of errors.
fn places(site: &Site, code: i32) -> (Vec<(String, Option<u64>)>, Vec<String>) {
    let report = |format: &str| text(&site.run(&format!("{CHECK} --report {format}"), code));
    let sarif: Value = serde_json::from_str(&report("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap().iter();
    let places = results.map(|result| {
        let place = &result["locations"][0]["physicalLocation"];
        let file = place["artifactLocation"]["uri"].as_str().unwrap();
        (file.to_owned(), place["region"]["startLine"].as_u64())
    });
    let github = report("github");
    let errors = github.lines().filter(|l| l.starts_with("::error "));
    (places.collect(), errors.map(str::to_owned).collect())
}

#[test]
fn findings_and_errors_name_the_file_of_their_program() {
    let site = two_robots();
    for (case, right, line, code) in [
        ("contact", "time,turn\n0,0\n1,0.2\n2,1.5\n", Some(3), 1),
        ("limit", "time,turn\n0,0\n1,-9.5\n2,-8\n", None, 1),
        ("error", "time,turn\n0,0\n1,zero\n2,0\n", Some(3), 2),
    ] {
        site.write("p/r.csv", right);
        let (sarif, github) = places(&site, code);
        assert!(!sarif.is_empty() && !github.is_empty(), "{case}");
        for (file, at) in &sarif {
            assert_eq!(file, "p/r.csv", "{case}: {sarif:?}");
            assert!(line.is_none() || *at == line, "{case}: {sarif:?}");
        }
        for annotation in &github {
            let begin = annotation.starts_with("::error file=p/r.csv,");
            assert!(begin, "{case}: {annotation}");
        }
    }
}
