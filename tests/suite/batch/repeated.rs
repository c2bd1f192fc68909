//! Equal runs give equal files, whatever is asked and whatever machine they are on.

use super::*;

/// Regression: how long it took to build what a method looks at stood in the results.
#[test]
fn results_of_every_method_have_no_durations() {
    let site = Site::new(2);
    for method in ["--method sampling", "--shape raw"] {
        let run = |name: &str, more: &str| {
            let line = format!(
                "batch --cell cell.toml library {method} {more} --results {name}.jsonl --report json={name}.json"
            );
            let output = site.run(&line);
            assert!(
                site.path(&format!("{name}.json")).exists(),
                "{}",
                errors(&output)
            );
            site.read(&format!("{name}.jsonl")) + &site.read(&format!("{name}.json"))
        };
        let first = run("first", "");
        assert!(
            first.contains("\"build_seconds\":0.0,"),
            "{method}: {first}"
        );
        assert_eq!(first, run("second", ""), "{method}");
        let timed = run("timed", "--timings");
        assert!(
            !timed.contains("\"build_seconds\":0.0,"),
            "{method}: {timed}"
        );
    }
}

/// Regression: that the tree cache could not be used stood in the first line of the results, with the
/// random name of a temporary file.
#[test]
fn the_state_of_the_tree_cache_is_no_part_of_the_results() {
    let site = Site::new(2);
    site.run("batch --cell cell.toml library --results kept.jsonl");
    fs::write(site.path("blocked"), "").unwrap();
    let mut process = site.process("batch --cell cell.toml library --results not_kept.jsonl");
    let output = process
        .env("XDG_CACHE_HOME", site.path("blocked"))
        .output()
        .unwrap();
    assert_eq!(site.read("kept.jsonl"), site.read("not_kept.jsonl"));
    assert!(
        errors(&output).contains("trees are not kept"),
        "{}",
        errors(&output)
    );
    assert!(
        !errors(&output).contains(".unfinished-"),
        "{}",
        errors(&output)
    );
}
