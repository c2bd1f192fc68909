//! `batch` and `merge` as a user runs them: the same bytes whatever the threads, nothing lost when
//! killed, shards that add up, and answers of an earlier run that are taken over only where they
//! hold.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::Random;

mod baseline;
mod called;
mod joined;
mod many;
mod packages;
mod repeated;
mod resumed;
mod workers;

/// A folder with the example cell and a folder of programs in it.
struct Site {
    folder: TempDir,
}

const HEADER: &str = "time,joint_1,joint_2,joint_3,joint_4,joint_5,joint_6\n";

impl Site {
    /// So many programs; some hit something, and the third one in every ten is broken.
    fn new(programs: usize) -> Self {
        let site = Site {
            folder: tempfile::tempdir().unwrap(),
        };
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/arm6");
        fs::create_dir(site.path("meshes")).unwrap();
        for file in ["cell.toml", "robot.urdf"] {
            fs::copy(example.join(file), site.path(file)).unwrap();
        }
        for mesh in fs::read_dir(example.join("meshes")).unwrap() {
            let mesh = mesh.unwrap();
            fs::copy(mesh.path(), site.path("meshes").join(mesh.file_name())).unwrap();
        }
        let mut random = Random(6);
        for k in 0..programs {
            let folder = site.path(&format!("library/{}", k / 10));
            fs::create_dir_all(&folder).unwrap();
            let text = match k % 10 {
                2 => format!("{HEADER}0,0,0,0,0,0\n"),
                _ => motion(&mut random),
            };
            fs::write(folder.join(format!("{:02}.csv", k % 10)), text).unwrap();
        }
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn process(&self, line: &str) -> Process {
        let mut process = Process::new(env!("CARGO_BIN_EXE_clearance"));
        process
            .current_dir(self.folder.path())
            .env("XDG_CACHE_HOME", self.path("cache"))
            .args(line.split_whitespace());
        process
    }

    fn run(&self, line: &str) -> Output {
        self.process(line).output().unwrap()
    }

    /// `batch` on the library. Its exit code is 1: programs hit something.
    fn batch(&self, line: &str) -> Output {
        let output = self.run(&format!("batch --cell cell.toml {line}"));
        assert_eq!(output.status.code(), Some(1), "{line}: {}", errors(&output));
        output
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} has no {from}");
        fs::write(self.path(name), text.replacen(from, to, 1)).unwrap();
    }

    /// Lines of programs, by name.
    fn lines(&self, name: &str) -> Vec<(String, Value)> {
        let text = self.read(name);
        let values = text.lines().map(|l| serde_json::from_str(l).unwrap());
        values
            .filter_map(|v: Value| Some((v["program"].as_str()?.to_owned(), v)))
            .collect()
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A few waypoints around those of the pick-and-place example, high or low over the table.
fn motion(random: &mut Random) -> String {
    const OVER: [[f64; 6]; 5] = [
        [0.0, -0.3, 0.3, 0.0, 1.2, 0.0],
        [-0.588, 0.4604, 0.2355, 0.0, 0.8749, 0.012],
        [-0.588, 0.8391, 0.2762, 0.0, 0.4555, 0.012],
        [0.364, 0.6405, -0.0345, 0.0, 0.9648, 0.064],
        [0.364, 0.7809, 0.0264, 0.0, 0.7635, 0.064],
    ];
    let mut text = HEADER.to_owned();
    let count = 3 + random.below(4);
    let first = random.below(OVER.len());
    for k in 0..count {
        let near = OVER[(first + k) % OVER.len()];
        let joints: Vec<String> = near
            .iter()
            .map(|q| format!("{:.5}", q + 0.15 * random.signed()))
            .collect();
        text += &format!("{},{}\n", k * 2, joints.join(","));
    }
    text
}

#[test]
fn results_are_the_same_bytes_whatever_the_threads() {
    let site = Site::new(20);
    let one = site.batch("library --threads 1 --minimum --results one.jsonl");
    let two = site.batch("library --threads 2 --minimum --results two.jsonl");
    assert_eq!(site.read("one.jsonl"), site.read("two.jsonl"));
    assert_eq!(text(&one), text(&two));
    let json = |threads| {
        let line = format!("library --threads {threads} --report json");
        text(&site.batch(&line))
    };
    let report = json(1);
    assert_eq!(report, json(2));
    assert!(!report.contains("check_seconds\": 0.00"), "{report}");

    let lines = site.lines("one.jsonl");
    assert_eq!(lines.len(), 20);
    assert!(lines.is_sorted_by(|a, b| a.0 < b.0));
    let count = |verdict| lines.iter().filter(|l| l.1["verdict"] == verdict).count();
    assert_eq!(count("unverified"), 2);
    assert!(
        count("clear") >= 3 && count("collision") >= 3,
        "not worth testing: {} clear",
        count("clear")
    );
}

/// The answers are those of `check`, program by program.
#[test]
fn batch_says_what_check_says() {
    let site = Site::new(10);
    let batch: Value = serde_json::from_slice(&site.batch("library --report json").stdout).unwrap();
    let names: Vec<String> = (0..10).map(|k| format!("library/0/{k:02}.csv")).collect();
    let check = site.run(&format!(
        "check --cell cell.toml --report json {}",
        names.join(" ")
    ));
    let mut check: Value = serde_json::from_slice(&check.stdout).unwrap();
    for program in check["programs"].as_array_mut().unwrap() {
        let statistics = program["statistics"].as_object_mut().unwrap();
        statistics.remove("check_seconds");
    }
    check["timing"] = batch["timing"].clone();
    assert_eq!(batch, check);
}

#[test]
fn shards_add_up_to_the_whole() {
    let site = Site::new(23);
    let whole = site.batch("library --results whole.jsonl");
    for k in 1..=3 {
        site.run(&format!(
            "batch --cell cell.toml library --shard {k}/3 --results part{k}.jsonl"
        ));
    }
    let sizes: Vec<usize> = (1..=3)
        .map(|k| site.lines(&format!("part{k}.jsonl")).len())
        .collect();
    assert_eq!(sizes, [8, 8, 7]);
    let joined = site.run("merge part3.jsonl part1.jsonl part2.jsonl --results joined.jsonl");
    assert_eq!(joined.status.code(), Some(1));
    assert_eq!(site.read("joined.jsonl"), site.read("whole.jsonl"));
    assert_eq!(text(&joined), text(&whole));

    // A part that is missing is said, and nothing is written that looks complete.
    let partial = site.run("merge part3.jsonl part1.jsonl --results partial.jsonl");
    assert_eq!(partial.status.code(), Some(1));
    assert!(
        text(&partial).contains("shard 2/3 are missing"),
        "{}",
        text(&partial)
    );
    assert!(!site.path("partial.jsonl").exists());

    // So is a line that somebody took out.
    let part = site.read("part2.jsonl");
    let line = part.lines().nth(3).unwrap().to_owned() + "\n";
    fs::write(site.path("part2.jsonl"), part.replace(&line, "")).unwrap();
    let partial = site.run("merge part3.jsonl part1.jsonl part2.jsonl");
    assert!(
        text(&partial).contains("says that it has 8 programs and has 7"),
        "{}",
        text(&partial)
    );

    // Parts that were asked something else do not belong together.
    site.run("batch --cell cell.toml library --shard 2/3 --clearance 2mm --results other.jsonl");
    let refused = site.run("merge part1.jsonl other.jsonl part3.jsonl");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        errors(&refused).contains("options differ (required_clearance)"),
        "{}",
        errors(&refused)
    );
}

/// It fails and says what to do: no answer is no success. Nothing is missing all the same.
#[test]
fn a_part_without_a_program_says_so() {
    let site = Site::new(2);
    site.run("batch --cell cell.toml library --results whole.jsonl");
    let part = |k: usize, more: &str| {
        site.run(&format!(
            "batch --cell cell.toml library --shard {k}/3 --results part{k}.jsonl {more}"
        ))
    };
    part(1, "");
    part(2, "");
    let why = "part 3/3 has no program: the batch has 2 programs for 3 parts; take at most 2 parts";
    let empty = part(3, "");
    assert_eq!(empty.status.code(), Some(2));
    assert!(text(&empty).contains(why), "{}", text(&empty));
    let junit = part(3, "--report junit=part3.xml --resume");
    assert!(
        errors(&junit).contains(&format!("error: {why}")),
        "{}",
        errors(&junit)
    );
    assert!(site.read("part3.xml").contains(why));
    let joined = site.run("merge part1.jsonl part2.jsonl part3.jsonl --results joined.jsonl");
    assert_eq!(joined.status.code(), Some(0), "{}", text(&joined));
    assert_eq!(site.read("joined.jsonl"), site.read("whole.jsonl"));
    // It counts as a part.
    let partial = text(&site.run("merge part1.jsonl part2.jsonl"));
    assert!(partial.contains("shard 3/3 are missing"), "{partial}");
}

/// How many programs a resumed run kept.
fn kept(output: &Output) -> usize {
    let said = errors(output);
    match said.split_once(": ").map(|(_, rest)| rest) {
        Some(rest) if rest.contains("done and unchanged") => {
            rest.split(' ').next().unwrap().parse().unwrap()
        }
        _ => 0,
    }
}

/// With --audit-allowed the results list what hid a contact, and count the rest; the last lines say
/// where to look.
#[test]
fn a_batch_is_audited_in_brief() {
    let site = Site::new(0);
    let root = env!("CARGO_MANIFEST_DIR");
    let cell = format!("--cell {root}/robots/scara/pick.toml");
    let programs = ["carried_too_low", "grasp_not_declared", "take_and_insert"]
        .map(|name| format!("{root}/trajectories/scara_events/{name}.csv"))
        .join(" ");
    let json = |command: &str| -> Value {
        let output = site.run(&format!("{command} {cell} {programs} --report json"));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", errors(&output)))
    };
    let brief = json("batch --audit-allowed --results r.jsonl");
    let whole = json("check --audit-allowed");
    let mut hid = 0;
    for k in 0..3 {
        let (brief, whole) = (
            &brief["programs"][k]["audit"],
            &whole["programs"][k]["audit"],
        );
        let all = whole["allowances"].as_array().unwrap();
        let effect = |e: &str| all.iter().filter(|a| a["effect"] == e).count();
        for what in ["nothing", "idle", "stale"] {
            assert_eq!(brief["unlisted"][what], effect(what), "{brief:?}");
        }
        let mut left = all.clone();
        left.retain(|a| a["effect"] == "hid" || a["effect"] == "standing");
        let mut never = all.iter().filter(|a| a["effect"] == "nothing");
        let mut pairs: usize = never
            .by_ref()
            .map(|a| a["pairs"].as_array().unwrap().len())
            .sum();
        for allowance in &mut left {
            let touching = allowance["pairs"].as_array_mut().unwrap();
            let before = touching.len();
            touching.retain(|pair| pair["touches"] != "never");
            pairs += before - touching.len();
        }
        assert_eq!(brief["allowances"], Value::Array(left));
        assert_eq!(brief["unlisted"]["pairs"], pairs);
        hid += effect("hid");
    }
    assert!(hid > 0);
    let line = format!("batch {cell} {programs} --results r.jsonl --resume");
    let resumed = site.run(&format!("{line} --audit-allowed"));
    assert_eq!(kept(&resumed), 3);
    let said = text(&resumed);
    assert!(
        said.contains("in some of 3 programs:\n")
            && said.contains("finger_left – pin: in 3 programs, the first is "),
        "{said}"
    );
    let without = errors(&site.run(&line));
    assert!(
        without.contains("the options differ (audit_allowed)"),
        "{without}"
    );
}

#[test]
fn whatever_cannot_be_asked_is_code_2_and_leaves_results_alone() {
    let site = Site::new(10);
    fs::create_dir(site.path("empty")).unwrap();
    fs::write(site.path("notes.jsonl"), "my notes\n").unwrap();
    for (line, said) in [
        ("empty", "no program matched `empty`"),
        ("library/*.yaml", "no program matched `library/*.yaml`"),
        ("gone", "`gone` does not exist"),
        ("- ", "standard input is empty"),
        ("library --shard 0/3", "K/N"),
        ("library --results notes.jsonl", "is not a result file"),
        (
            "library --results notes.jsonl --resume",
            "is not a result file",
        ),
        ("library --baseline notes.jsonl", "is not a result file"),
        ("library --resume", "--results"),
    ] {
        let output = site
            .process(&format!("batch --cell cell.toml {line}"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(
            errors(&output).contains(said),
            "{line}: {}",
            errors(&output)
        );
    }
    assert_eq!(site.read("notes.jsonl"), "my notes\n");

    site.batch("library --results r.jsonl");
    let before = site.read("r.jsonl");
    site.edit("cell.toml", "gripper.stl", "gone.stl");
    let refused = site.run("batch --cell cell.toml library --results r.jsonl");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused).contains("gone.stl"), "{}", text(&refused));
    assert_eq!(site.read("r.jsonl"), before);
}

#[test]
fn a_list_on_standard_input_may_have_broken_entries() {
    let site = Site::new(2);
    fs::write(
        site.path("list.txt"),
        "library/0/01.csv\ngone.csv\n\nlibrary\n",
    )
    .unwrap();
    let list = fs::File::open(site.path("list.txt")).unwrap();
    let output = site
        .process("batch --cell cell.toml - --report json")
        .stdin(list)
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let answers: Vec<(&str, bool)> = report["programs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| (p["program"].as_str().unwrap(), p["verdict"] == "unverified"))
        .collect();
    assert_eq!(
        answers,
        [
            ("gone.csv", true),
            ("library", true),
            ("library/0/01.csv", false)
        ]
    );
}
