//! `merge` of files that are not what they say, as tools that join or copy lines leave them.

use std::fs;

use super::{Site, errors, text};

/// The lines of a file, its header among them.
fn lines(site: &Site, name: &str) -> Vec<String> {
    let text = site.read(name);
    text.split_inclusive('\n').map(str::to_owned).collect()
}

fn write(site: &Site, name: &str, parts: &[&[String]]) {
    fs::write(site.path(name), parts.concat().concat()).unwrap();
}

/// Regression: the first part with the lines of the second one was taken for the first one, so a
/// program that nobody had looked at was not missed.
#[test]
fn lines_of_another_part_are_told() {
    let site = Site::new(6);
    for k in 1..=2 {
        site.run(&format!(
            "batch --cell cell.toml library --shard {k}/2 --results part{k}.jsonl"
        ));
    }
    let [one, two] = ["part1.jsonl", "part2.jsonl"].map(|name| lines(&site, name));
    write(&site, "odd.jsonl", &[&one[..1], &two[1..]]);
    let joined = site.run("merge odd.jsonl part2.jsonl --results joined.jsonl");
    assert_eq!(joined.status.code(), Some(1));
    let told = "the batch has 6 programs, and its files hold 3 others";
    assert!(text(&joined).contains(told), "{}", text(&joined));
    assert!(!site.path("joined.jsonl").exists());
}

/// Regression: of two runs that a version-control system had joined line by line the last line of a
/// program counted.
#[test]
fn two_runs_in_one_file_are_refused() {
    let site = Site::new(3);
    let batch = "batch --cell cell.toml library --results";
    site.run(&format!("{batch} old.jsonl"));
    site.edit("library/0/00.csv", "\n0", "\n0.0");
    site.run(&format!("{batch} new.jsonl"));
    let [old, new] = ["old.jsonl", "new.jsonl"].map(|name| lines(&site, name));
    assert_ne!(old[1], new[1], "the program has another hash");
    let last = new.len() - 1;
    for (parts, says) in [
        (
            [&new[..last], &old[1..2], &new[last..]],
            "another result of library/0/00.csv",
        ),
        ([&new[..], &old[1..], &[]], "behind the end of a run"),
    ] {
        write(&site, "both.jsonl", &parts);
        let joined = site.run("merge both.jsonl");
        assert_eq!(joined.status.code(), Some(2));
        assert!(errors(&joined).contains(says), "{}", errors(&joined));
    }
    // The same line twice says nothing else.
    write(&site, "twice.jsonl", &[&new[..2], &new[1..]]);
    let joined = site.run("merge twice.jsonl");
    assert_eq!(text(&joined), text(&site.run("merge new.jsonl")));
}

/// Regression: what the first file had noticed of the cell was taken for what all had.
#[test]
fn remarks_of_all_parts_are_joined() {
    let site = Site::new(2);
    let named = "urdf = \"robot.urdf\"\n";
    site.edit("cell.toml", named, &format!("{named}srdf = \"arm.srdf\"\n"));
    for (k, robot) in [(1, "another"), (2, "arm6")] {
        let srdf = format!("<robot name=\"{robot}\"/>");
        fs::write(site.path("arm.srdf"), srdf).unwrap();
        site.run(&format!(
            "batch --cell cell.toml library --shard {k}/2 --results part{k}.jsonl"
        ));
    }
    let of = |files: &str| {
        let joined = site.run(&format!("merge {files} --fail-on suspicious"));
        assert!(text(&joined).contains("another"), "{}", text(&joined));
        joined.status.code()
    };
    assert_eq!(of("part1.jsonl part2.jsonl"), Some(1));
    assert_eq!(of("part2.jsonl part1.jsonl"), Some(1));
}
