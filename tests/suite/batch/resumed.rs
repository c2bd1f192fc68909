//! Runs that are killed and go on, and what they do again.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clearance::batch::{BatchJob, BatchListener, Failure};
use clearance::findings::{ProgramOutcome, Tally};
use clearance::run::{CacheFolder, Job, ProgressEvent, ProgressListener};
use serde_json::Value;

use super::{HEADER, Site, errors, kept, motion, text};
use crate::common::Random;

/// Starts a run, kills it when some results are there, and says how many there were.
fn killed(site: &Site, line: &str, file: &str, after: usize) -> usize {
    let mut child = site
        .process(&format!("batch --cell cell.toml {line}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let done = || {
        let text = fs::read(site.path(file)).unwrap_or_default();
        text.iter().filter(|&&b| b == b'\n').count()
    };
    while done() <= after {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing happens");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let text = site.read(file);
    assert!(
        !text.contains("{\"finished\""),
        "it was over before it was killed"
    );
    text.lines().count() - 1
}

#[test]
fn a_killed_run_keeps_what_was_finished() {
    let site = Site::new(900);
    site.batch("library --results whole.jsonl");
    let done = killed(
        &site,
        "library --threads 1 --results killed.jsonl",
        "killed.jsonl",
        20,
    );

    // Without --resume nothing that was finished is written over.
    let refused = site.run("batch --cell cell.toml library --results killed.jsonl");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        errors(&refused).contains("--resume"),
        "{}",
        errors(&refused)
    );

    // It is killed again on the way.
    let more = killed(
        &site,
        "library --threads 1 --results killed.jsonl --resume",
        "killed.jsonl",
        done + 20,
    );
    assert!(more > done);
    let resumed = site.batch("library --results killed.jsonl --resume");
    // Programs that could not be read have no hash: they are tried again.
    let said = errors(&resumed);
    assert!(
        said.contains("of 900 programs are done and unchanged"),
        "{said}"
    );
    assert_eq!(site.read("killed.jsonl"), site.read("whole.jsonl"));
}

/// Waits until the line of each program is in the file, and only then lets the next one begin.
struct Patient {
    file: PathBuf,
    programs: AtomicUsize,
}

impl ProgressListener for Patient {
    fn event(&self, _: &ProgressEvent) {}
}

impl BatchListener for Patient {
    fn begin(&self, _: usize, _: &Tally, _: &[String]) {}

    fn done(&self, outcome: &ProgramOutcome) {
        let line = format!("{{\"program\":\"{}\",", outcome.program);
        let there = || fs::read_to_string(&self.file).is_ok_and(|text| text.contains(&line));
        let begun = Instant::now();
        while !there() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it waits");
            std::thread::sleep(Duration::from_millis(1));
        }
        self.programs.fetch_add(1, Ordering::Relaxed);
    }
}

/// A batch of two programs on one thread, with results.
fn two_programs(site: &Site) -> BatchJob {
    let programs = ["library/0/00.csv", "library/0/01.csv"].map(|name| site.path(name));
    let mut job = Job::new(site.path("cell.toml"), programs.to_vec());
    job.cell.cache = CacheFolder::Off;
    job.cell.threads = Some(1);
    BatchJob {
        job,
        given: None,
        shard: None,
        results: Some(site.path("r.jsonl")),
        resume: false,
        baseline: None,
        timings: false,
        certificates: None,
    }
}

/// Lines are written together where programs are quick; that of a slow one must not wait for the
/// next.
#[test]
fn a_line_does_not_wait_until_the_next_program_is_done() {
    let site = Site::new(2);
    let batch = two_programs(&site);
    let watch = Patient {
        file: site.path("r.jsonl"),
        programs: AtomicUsize::new(0),
    };
    clearance::batch::run(&batch, &watch).unwrap();
    assert_eq!(watch.programs.into_inner(), 2);
}

/// Removes the result file when the first program is done, and perhaps puts another one there.
struct Meddler {
    file: PathBuf,
    other: Option<&'static str>,
    programs: AtomicUsize,
}

impl ProgressListener for Meddler {
    fn event(&self, _: &ProgressEvent) {}
}

impl BatchListener for Meddler {
    fn begin(&self, _: usize, _: &Tally, _: &[String]) {}

    fn done(&self, _: &ProgramOutcome) {
        if self.programs.fetch_add(1, Ordering::Relaxed) == 0 {
            fs::remove_file(&self.file).unwrap();
            if let Some(other) = self.other {
                fs::write(&self.file, other).unwrap();
            }
        }
    }
}

/// Catches a run that says that all is well, and whose results are in no file.
#[test]
fn results_of_a_file_that_was_removed_are_in_a_file() {
    let site = Site::new(2);
    let run = |other: Option<&'static str>| {
        let batch = two_programs(&site);
        let watch = Meddler {
            file: site.path("r.jsonl"),
            other,
            programs: AtomicUsize::new(0),
        };
        clearance::batch::run(&batch, &watch)
    };
    drop(run(None).unwrap());
    assert_eq!(site.lines("r.jsonl").len(), 2);
    assert!(site.read("r.jsonl").contains("{\"finished\""));
    fs::remove_file(site.path("r.jsonl")).unwrap();
    // The file of somebody else is not replaced.
    let Err(Failure::Stopped(why)) = run(Some("theirs")) else {
        panic!("it says that there are results");
    };
    let said = why.to_string();
    assert!(said.contains("these results are in no file"), "{said}");
    assert_eq!(site.read("r.jsonl"), "theirs");
}

#[test]
fn a_torn_line_is_passed_over() {
    let site = Site::new(20);
    site.batch("library --results whole.jsonl");
    let whole = site.read("whole.jsonl");
    let ends: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at + 1).collect();
    for cut in [
        ends[0],
        ends[4] + 1,
        ends[9] - 1,
        ends[12] + 300,
        ends[20] + 5,
    ] {
        fs::write(site.path("torn.jsonl"), &whole[..cut]).unwrap();
        let refused = site.run("batch --cell cell.toml library --results torn.jsonl");
        assert_eq!(refused.status.code(), Some(2), "cut at {cut}");
        assert_eq!(site.read("torn.jsonl"), whole[..cut]);
        let joined = site.run("merge torn.jsonl");
        assert_ne!(joined.status.code(), Some(0));
        assert!(
            text(&joined).contains("did not come to its end"),
            "{}",
            text(&joined)
        );
        site.batch("library --results torn.jsonl --resume");
        assert_eq!(site.read("torn.jsonl"), whole, "cut at {cut}");
    }
    // A damaged line that is not the last one is verified again, and told with its place.
    fs::write(
        site.path("torn.jsonl"),
        whole.replacen("\"verdict\"", "\"verd", 1),
    )
    .unwrap();
    let resumed = site.batch("library --results torn.jsonl --resume");
    assert!(
        errors(&resumed).contains("torn.jsonl:2:"),
        "{}",
        errors(&resumed)
    );
    assert_eq!(site.read("torn.jsonl"), whole);
}

#[test]
fn what_has_changed_is_done_again() {
    let site = Site::new(12);
    site.batch("library --results r.jsonl");
    let resume =
        |options: &str| site.batch(&format!("library --results r.jsonl --resume {options}"));
    // The broken programs can be read, and so they are kept too.
    assert_eq!(kept(&resume("")), 12);
    assert_eq!(kept(&resume("--threads 1 --no-cache")), 12);

    let program = "library/0/05.csv";
    fs::write(site.path(program), motion(&mut Random(99))).unwrap();
    assert_eq!(kept(&resume("")), 11);
    assert_eq!(kept(&resume("--clearance 2mm")), 0);
    assert_eq!(kept(&resume("--clearance 2mm")), 12);
    assert_eq!(kept(&resume("")), 0);

    // So are programs whose events come, change, and go.
    let events = "library/0/05.events.toml";
    for bin in ["gripper", "lamp"] {
        let allow = format!("[[event]]\nwaypoint = 1\nallow = [\"bin\", \"{bin}\"]\n");
        fs::write(site.path(events), allow).unwrap();
        assert_eq!(kept(&resume("")), 11);
        assert_eq!(kept(&resume("")), 12);
    }
    fs::remove_file(site.path(events)).unwrap();
    assert_eq!(kept(&resume("")), 11);
    // Under a name that nobody reads they make it unverified, every time.
    let misnamed = "library/0/05.csv.events.toml";
    fs::write(site.path(misnamed), "").unwrap();
    assert_eq!(kept(&resume("")), 11);
    assert_eq!(kept(&resume("")), 11);
    fs::remove_file(site.path(misnamed)).unwrap();
    assert_eq!(kept(&resume("")), 11);
    assert_eq!(kept(&resume("")), 12);

    // A comment changes no answer, a moved obstacle or another mesh does.
    fs::write(
        site.path("cell.toml"),
        site.read("cell.toml") + "# nothing\n",
    )
    .unwrap();
    assert_eq!(kept(&resume("")), 12);
    site.edit("cell.toml", "[0.33, -0.22, 0.80]", "[0.34, -0.22, 0.80]");
    assert_eq!(kept(&resume("")), 0);
    // So may what is said of two bodies that stand still: events can make one of them move.
    let said = site.read("cell.toml") + "[[allow]]\na = \"bin\"\nb = \"table\"\n";
    fs::write(site.path("cell.toml"), said).unwrap();
    assert_eq!(kept(&resume("")), 0);
    assert_eq!(kept(&resume("")), 12);
    let more = "v 0 0 0.01\nv 0.01 0 0.01\nv 0 0.01 0.01\nf -3 -2 -1\n";
    fs::write(
        site.path("meshes/bin.obj"),
        site.read("meshes/bin.obj") + more,
    )
    .unwrap();
    assert_eq!(kept(&resume("")), 0);

    // Programs that come and go.
    fs::write(site.path("library/new.csv"), motion(&mut Random(5))).unwrap();
    fs::remove_file(site.path("library/0/01.csv")).unwrap();
    assert_eq!(kept(&resume("")), 11);
    assert_eq!(site.lines("r.jsonl").len(), 12);
    site.batch("library --results fresh.jsonl");
    assert_eq!(site.read("r.jsonl"), site.read("fresh.jsonl"));
}

/// Events that are there and cannot be read are not absent ones: the program is looked at again, and
/// is `unverified`.
#[test]
fn nothing_is_kept_where_events_cannot_be_read() {
    let site = Site::new(10);
    site.batch("library --results old.jsonl");
    let clear = |(_, line): &(String, Value)| line["verdict"] == "clear";
    let lines = site.lines("old.jsonl");
    let name = &lines
        .iter()
        .find(|line| clear(line))
        .expect("one is clear")
        .0;
    let verdict = |file: &str| {
        let lines = site.lines(file).into_iter();
        let mut own = lines.filter(|(program, _)| program == name);
        own.next().expect("a line").1["verdict"].clone()
    };
    let events = site.path(name).with_extension("events.toml");
    let again = |programs: &str| {
        fs::copy(site.path("old.jsonl"), site.path("r.jsonl")).unwrap();
        let resumed = site.batch(&format!("{programs} --results r.jsonl --resume"));
        assert_eq!(kept(&resumed), 9, "{programs}");
        assert_eq!(verdict("r.jsonl"), "unverified", "{programs}");
        let _ = fs::remove_file(site.path("new.jsonl"));
        site.batch(&format!(
            "{programs} --results new.jsonl --baseline old.jsonl"
        ));
        assert_eq!(verdict("new.jsonl"), "unverified", "{programs}");
    };
    fs::create_dir(&events).unwrap();
    again("library");
    fs::remove_dir(&events).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("gone.toml", &events).unwrap();
        // In a folder that is looked through a broken link ends the batch.
        let names: Vec<&str> = lines.iter().map(|(name, _)| name.as_str()).collect();
        again(&names.join(" "));
    }
}

struct Quiet;

impl ProgressListener for Quiet {
    fn event(&self, _: &ProgressEvent) {}
}

impl BatchListener for Quiet {
    fn begin(&self, _: usize, _: &Tally, _: &[String]) {}

    fn done(&self, _: &ProgramOutcome) {}
}

/// The same of events that are named.
#[test]
fn nothing_is_kept_where_named_events_cannot_be_read() {
    let site = Site::new(1);
    let still = format!("{HEADER}0,0,-0.3,0.3,0,1.2,0\n");
    fs::write(site.path("library/0/00.csv"), still).unwrap();
    let verdict_with = |events: Option<&str>, resume: bool| {
        let mut job = Job::new(site.path("cell.toml"), vec![site.path("library/0/00.csv")]);
        job.cell.cache = CacheFolder::Off;
        job.events = events.map(|name| site.path(name));
        let batch = BatchJob {
            job,
            given: None,
            shard: None,
            results: Some(site.path("r.jsonl")),
            resume,
            baseline: None,
            timings: false,
            certificates: None,
        };
        clearance::batch::run(&batch, &Quiet).unwrap();
        site.lines("r.jsonl")[0].1["verdict"].clone()
    };
    assert_eq!(verdict_with(None, false), "clear");
    assert_eq!(verdict_with(Some("gone.toml"), true), "unverified");
}

#[test]
fn files_of_an_older_schema_are_refused_and_left_alone() {
    let site = Site::new(3);
    site.run("batch --cell cell.toml library --results old.jsonl");
    let new = site.read("old.jsonl");
    // As schema 1 wrote it.
    let old = new
        .replacen("{\"results\":3,", "{\"results\":1,", 1)
        .replacen("\"schema\":3,", "\"schema\":1,", 1)
        .replace("\"required_clearance\":", "\"clearance\":");
    assert!(old.contains("\"results\":1") && old.contains("\"schema\":1"));
    fs::write(site.path("old.jsonl"), &old).unwrap();
    for command in [
        "merge old.jsonl",
        "merge old.jsonl --results joined.jsonl",
        "batch --cell cell.toml library --results old.jsonl --resume",
        "batch --cell cell.toml library --results old.jsonl",
        "batch --cell cell.toml library --results next.jsonl --baseline old.jsonl",
    ] {
        let refused = site.run(command);
        assert_eq!(refused.status.code(), Some(2), "{command}");
        let said = errors(&refused);
        assert!(
            said.contains("old.jsonl:1: this result file is of schema 1, older than schema 3")
                && said.contains("verify its programs again, with `batch --results`"),
            "{command}: {said}"
        );
        assert_eq!(site.read("old.jsonl"), old, "{command}");
        assert!(!site.path("joined.jsonl").exists(), "{command}");
    }

    let newer = new.replacen("{\"results\":3,", "{\"results\":4,", 1);
    fs::write(site.path("old.jsonl"), newer).unwrap();
    let said = errors(&site.run("merge old.jsonl"));
    assert!(said.contains("of schema 4, newer than schema 3"), "{said}");
}
