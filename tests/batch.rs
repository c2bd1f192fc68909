//! `batch` and `merge` as a user runs them: the same bytes whatever the threads, nothing lost when killed, shards that add
//! up, and answers of an earlier run that are taken over only where they hold.

#[path = "common/mod.rs"]
mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use clearance::engines::reach::{moving, swept};
use clearance::import::program::load;
use clearance::model::kinematics::{body_pose, forward};
use clearance::model::{Form, Path as Motion};
use clearance::verify::{CacheFolder, Job, Silence, Verifier, prepare};
use common::Random;

/// A folder with the example cell and a library of programs in it.
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
fn a_killed_run_loses_nothing_that_was_finished() {
    let site = Site::new(400);
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
        said.contains("of 400 programs are done and unchanged"),
        "{said}"
    );
    assert_eq!(site.read("killed.jsonl"), site.read("whole.jsonl"));
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
    // A damaged line that is not the last one is an error with its place.
    fs::write(
        site.path("torn.jsonl"),
        whole.replacen("\"verdict\"", "\"verd", 1),
    )
    .unwrap();
    let refused = site.run("batch --cell cell.toml library --results torn.jsonl --resume");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        errors(&refused).contains("torn.jsonl:2:"),
        "{}",
        errors(&refused)
    );
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
        errors(&refused).contains("options differ (clearance)"),
        "{}",
        errors(&refused)
    );
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

/// With --audit-allowed the results list what hid a contact, and count the rest; the last lines say where to look.
#[test]
fn a_library_is_audited_in_brief() {
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
    // An answer that is taken over says nothing about allowed pairs.
    let refused = site.run(&format!("{line} --audit-allowed --baseline r.jsonl"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        errors(&refused).contains("--baseline"),
        "{}",
        errors(&refused)
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
        ("library --results notes.jsonl", "no result file"),
        ("library --results notes.jsonl --resume", "no result file"),
        ("library --baseline notes.jsonl", "no result file"),
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

/// Every vertex of every moving body, at many instants, lies in the box that is stored for the body.
#[test]
fn swept_boxes_hold_the_moving_bodies() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut looseness: f64 = 0.0;
    for (robot, programs) in [
        ("arm6", ["pick_place.csv", "cubic_dips.yaml", "smooth.yaml"]),
        (
            "scara",
            [
                "insert_pin.csv",
                "insert_pin_quintic.json",
                "swing_past_divider.csv",
            ],
        ),
    ] {
        let mut job = Job::new(root.join(format!("robots/{robot}/cell.toml")), Vec::new());
        job.cell.cache = CacheFolder::Off;
        let prepared = prepare(&job.cell, &Silence).unwrap();
        let verifier = Verifier::new(&job, &prepared).unwrap();
        let (scene, cell) = (verifier.scene(), &prepared.cell);
        for program in programs {
            let program = load(&root.join(format!("trajectories/{robot}/{program}"))).unwrap();
            let (path, _) = Motion::lay(&program, cell, None).unwrap();
            let boxes = swept(scene, &path);
            let movers = moving(scene);
            assert_eq!(boxes.len(), movers.len());
            let mut q = Vec::new();
            for (held, &id) in boxes.iter().zip(&movers) {
                let mut least = [f64::INFINITY; 3];
                let mut greatest = [f64::NEG_INFINITY; 3];
                for segment in &path.segments {
                    for k in 0..=24 {
                        segment.configuration(f64::from(k) / 24.0, &mut q);
                        let poses = forward(cell, &q);
                        for shape in &cell.bodies[id].shapes {
                            let Form::Mesh { mesh, .. } = &shape.form else {
                                continue;
                            };
                            let pose = body_pose(cell, &poses, id) * shape.body_from_shape;
                            for vertex in &mesh.vertices {
                                let at = pose * vertex;
                                for axis in 0..3 {
                                    least[axis] = least[axis].min(at[axis]);
                                    greatest[axis] = greatest[axis].max(at[axis]);
                                }
                            }
                        }
                    }
                }
                let name = &cell.bodies[id].name;
                for axis in 0..3 {
                    assert!(held.low[axis] <= least[axis], "{name}: {held:?} {least:?}");
                    assert!(
                        held.high[axis] >= greatest[axis],
                        "{name}: {held:?} {greatest:?}"
                    );
                    if least[axis].is_finite() {
                        let spare =
                            (least[axis] - held.low[axis]).max(held.high[axis] - greatest[axis]);
                        looseness = looseness.max(spare);
                    }
                }
            }
        }
    }
    // Boxes that hold everything would be true and of no use.
    assert!(looseness < 0.08, "{looseness} m");
}

/// What a program's line says of its answer, as far as it is the same however it was found.
fn answer(line: &Value) -> (Value, Value, Value, usize) {
    let contact = &line["first_contact"];
    let limits = line["limits"].as_array().map_or(0, Vec::len);
    (
        line["verdict"].clone(),
        contact["a"].clone(),
        contact["b"].clone(),
        limits,
    )
}

/// Obstacles are moved, turned, taken away and put up at random. A program that is not verified again has the answer that
/// verifying it gives.
#[test]
fn answers_that_are_taken_over_hold() {
    let site = Site::new(40);
    site.run("batch --cell cell.toml library --results old.jsonl");
    let before = site.read("cell.toml");
    let places = [
        ("lamp", "xyz = [0.10, 0.45, 1.75]", [0.10, 0.45, 1.75]),
        (
            "guard",
            "xyz = [0.2048, -0.5627, 0.920]",
            [0.2048, -0.5627, 0.920],
        ),
        ("fixture", "xyz = [0.42, 0.16, 0.80]", [0.42, 0.16, 0.80]),
        ("bin", "xyz = [0.33, -0.22, 0.80]", [0.33, -0.22, 0.80]),
    ];
    let mut random = Random(17);
    let (mut taken_over, mut broken, mut fixed) = (0, 0, 0);
    for round in 0..14 {
        let mut cell = before.clone();
        if round % 7 == 6 {
            // Something new, somewhere over the table.
            let [x, y, z] = [0.5, 0.5, 0.4].map(|spread| spread * random.signed());
            cell += &format!(
                "\n[[obstacle]]\nname = \"new\"\nbox = [0.05, 0.08, 0.1]\npose = {{ xyz = [{}, {y}, {}] }}\n",
                x + 0.2,
                z + 1.2
            );
        } else {
            let (name, from, at) = places[round % 4];
            let far = random.spread(0.001, 0.5);
            let to: Vec<String> = at
                .iter()
                .map(|x| format!("{:.4}", x + far * random.signed()))
                .collect();
            assert!(cell.contains(from), "{name}");
            cell = cell.replace(from, &format!("xyz = [{}]", to.join(", ")));
        }
        fs::write(site.path("cell.toml"), cell).unwrap();
        let said =
            site.run("batch --cell cell.toml library --baseline old.jsonl --results new.jsonl");
        site.run("batch --cell cell.toml library --results full.jsonl");
        let old = site.lines("old.jsonl");
        let new = site.lines("new.jsonl");
        let full = site.lines("full.jsonl");
        assert_eq!(new.len(), full.len());
        for (((name, new), (_, full)), (_, old)) in new.iter().zip(&full).zip(&old) {
            assert_eq!(answer(new), answer(full), "round {round}: {name}");
            assert_eq!(new["lines"], full["lines"]);
            let versus = &new["baseline"];
            let good = |line: &Value| line["verdict"] == "clear" && answer(line).3 == 0;
            let change = match (good(old), good(full)) {
                (true, false) => "newly-broken",
                (false, true) => "newly-fixed",
                _ if old["verdict"] != full["verdict"] => "verdict",
                _ => "none",
            };
            assert_eq!(versus["change"], change, "round {round}: {name}");
            taken_over += usize::from(versus["checked"] == false);
            broken += usize::from(change == "newly-broken");
            fixed += usize::from(change == "newly-fixed");
        }
        assert!(
            text(&said).contains("against the baseline"),
            "{}",
            text(&said)
        );
    }
    // The test is worth something: much was taken over, and the moves mattered.
    assert!(taken_over > 100, "{taken_over} taken over");
    assert!(broken > 3 && fixed > 3, "{broken} broken, {fixed} fixed");
}

/// A changed tool, another option or another program is verified again; nothing at all is if nothing changed.
#[test]
fn only_what_a_change_can_concern_is_verified_again() {
    let site = Site::new(12);
    site.run("batch --cell cell.toml library --minimum --results old.jsonl");
    // One program is broken: there is nothing to take over of it.
    let checked = |options: &str| {
        site.run(&format!(
            "batch --cell cell.toml library --baseline old.jsonl --results new.jsonl {options}"
        ));
        let lines = site.lines("new.jsonl");
        let checked = lines.iter().filter(|l| l.1["baseline"]["checked"] == true);
        checked.filter(|l| l.1["verdict"] != "unverified").count()
    };
    assert_eq!(checked("--minimum"), 0);
    assert_eq!(checked(""), 11);
    assert_eq!(checked("--minimum --clearance 2mm"), 11);
    fs::write(site.path("library/0/05.csv"), motion(&mut Random(99))).unwrap();
    assert_eq!(checked("--minimum"), 1);
    // Far away, and therefore of no concern even for the least clearance.
    let far = "\n[[obstacle]]\nname = \"far\"\nsphere = 0.1\npose = { xyz = [9, 9, 1] }\n";
    let cell = site.read("cell.toml");
    fs::write(site.path("cell.toml"), cell.clone() + far).unwrap();
    assert_eq!(checked("--minimum"), 1);
    let lines = site.lines("new.jsonl");
    for (_, line) in &lines {
        assert_eq!(
            line["minimum_clearance"].is_object(),
            line["verdict"] != "unverified"
        );
    }
    site.edit(
        "cell.toml",
        "parent = \"arm/tool0\"",
        "parent = \"arm/tool0\"\npose = { xyz = [0, 0, 0.001] }",
    );
    assert_eq!(checked("--minimum"), 11);

    // Programs that come and go.
    fs::write(site.path("cell.toml"), cell).unwrap();
    fs::write(site.path("library/new.csv"), motion(&mut Random(5))).unwrap();
    fs::remove_file(site.path("library/0/01.csv")).unwrap();
    let said = site.run("batch --cell cell.toml library --minimum --baseline old.jsonl");
    assert!(text(&said).contains("1 new"), "{}", text(&said));
    assert!(
        text(&said).contains("gone: library/0/01.csv"),
        "{}",
        text(&said)
    );
}
