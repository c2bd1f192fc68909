//! Answers of an earlier run that are taken over, and the boxes that this rests on.

use std::fs;
use std::path::Path;

use clearance::run::{CacheFolder, Job, NoProgress, Verifier, prepare};
use clearance_formats::program::load;
use clearance_proof::model::{Form, Trajectory, Uncertainty};
use serde_json::Value;

use super::{Site, errors, motion, text};
use crate::common::Random;

/// Every vertex of every moving body, at many instants, lies in the box that is stored for the
/// body.
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
        let prepared = prepare(&job.cell, &NoProgress).unwrap();
        let verifier = Verifier::new(&job, &prepared).unwrap();
        let (scene, cell) = (verifier.scene(), &prepared.loaded.cell);
        for program in programs {
            let program = load(&root.join(format!("trajectories/{robot}/{program}"))).unwrap();
            let (trajectory, _) = Trajectory::for_cell(&program, cell, None).unwrap();
            let boxes = scene.swept_boxes(&trajectory);
            let movers = scene.moving_bodies();
            assert_eq!(boxes.len(), movers.len());
            let mut q = Vec::new();
            for (held, &id) in boxes.iter().zip(&movers) {
                let mut least = [f64::INFINITY; 3];
                let mut greatest = [f64::NEG_INFINITY; 3];
                for segment in &trajectory.segments {
                    for k in 0..=24 {
                        segment.configuration(f64::from(k) / 24.0, &mut q);
                        let poses = cell.forward(&q);
                        for shape in &cell.bodies[id].shapes {
                            let Form::Mesh { mesh, .. } = &shape.form else {
                                continue;
                            };
                            let pose = cell.body_pose(&poses, id) * shape.body_from_shape;
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
                    assert!(held.min[axis] <= least[axis], "{name}: {held:?} {least:?}");
                    assert!(
                        held.max[axis] >= greatest[axis],
                        "{name}: {held:?} {greatest:?}"
                    );
                    if least[axis].is_finite() {
                        let spare =
                            (least[axis] - held.min[axis]).max(held.max[axis] - greatest[axis]);
                        looseness = looseness.max(spare);
                    }
                }
            }
        }
    }
    // Boxes that hold everything would be true and of no use.
    assert!(looseness < 0.08, "{looseness} m");
}

/// Where the base may be off by a centimetre, every box reaches a centimetre farther.
#[test]
fn swept_boxes_grow_by_the_errors_that_are_allowed_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut job = Job::new(root.join("robots/arm6/cell.toml"), Vec::new());
    job.cell.cache = CacheFolder::Off;
    let mut prepared = prepare(&job.cell, &NoProgress).unwrap();
    let program = load(&root.join("trajectories/arm6/pick_place.csv")).unwrap();
    let (trajectory, _) = Trajectory::for_cell(&program, &prepared.loaded.cell, None).unwrap();
    let before = Verifier::new(&job, &prepared)
        .unwrap()
        .scene()
        .swept_boxes(&trajectory);
    let mut errors = Uncertainty::none(&prepared.loaded.cell);
    errors.base[0].shift_m = 0.01;
    prepared.loaded.cell.uncertainty = Some(errors);
    let after = Verifier::new(&job, &prepared)
        .unwrap()
        .scene()
        .swept_boxes(&trajectory);
    assert!(!before.is_empty());
    for (small, large) in before.iter().zip(&after) {
        let grown = small.grown(0.01 - 1e-9);
        for axis in 0..3 {
            assert!(large.min[axis] <= grown.min[axis], "{small:?} {large:?}");
            assert!(large.max[axis] >= grown.max[axis], "{small:?} {large:?}");
        }
    }
}

/// The answer in a program's line, as far as it is the same however it was found.
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

/// Obstacles are moved, turned, taken away and put up at random. A program that is not verified
/// again has the answer that verifying it gives.
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

/// A block around the whole robot touches none of its surfaces, and is contact all the same, as soon
/// as it comes there or counts as solid.
#[test]
fn what_is_now_inside_of_a_solid_is_verified_again() {
    let site = Site::new(2);
    let cell = site.read("cell.toml");
    let block = |more: &str| {
        format!("{cell}\n[[obstacle]]\nname = \"block\"\nbox = [12, 12, 12]\n{more}\n")
    };
    let inside = block("");
    for (before, now) in [
        (block("pose = { xyz = [100, 0, 0] }"), &inside),
        (block("solid = false"), &inside),
        (cell.clone(), &inside),
        (inside.clone(), &block("solid = false")),
    ] {
        fs::write(site.path("cell.toml"), before).unwrap();
        site.run("batch --cell cell.toml library --results old.jsonl");
        fs::write(site.path("cell.toml"), now).unwrap();
        site.run("batch --cell cell.toml library --baseline old.jsonl --results new.jsonl");
        site.run("batch --cell cell.toml library --results full.jsonl");
        let (new, full) = (site.lines("new.jsonl"), site.lines("full.jsonl"));
        for ((name, new), (_, full)) in new.iter().zip(&full) {
            assert_eq!(answer(new), answer(full), "{name}");
        }
        assert_eq!(new.len(), 2);
        let in_block = full.iter().all(|(_, l)| l["verdict"] == "collision");
        assert_eq!(in_block, *now == inside);
    }
}

/// A changed tool, another option or another program is verified again; nothing at all is if
/// nothing changed.
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
    let cell = site.read("cell.toml");
    for (more, said) in [
        ("", "the cell is the same"),
        (
            "[[allow]]\na = \"bin\"\nb = \"table\"\n",
            "what the cell says of pairs that stand still differs",
        ),
    ] {
        fs::write(site.path("cell.toml"), format!("{cell}\n{more}")).unwrap();
        let run = site.run("batch --cell cell.toml library --minimum --baseline old.jsonl");
        assert!(errors(&run).contains(said), "{}", errors(&run));
    }
    fs::write(site.path("cell.toml"), cell).unwrap();
    assert_eq!(checked(""), 11);
    assert_eq!(checked("--minimum --clearance 2mm"), 11);
    fs::write(site.path("library/0/05.csv"), motion(&mut Random(99))).unwrap();
    assert_eq!(checked("--minimum"), 1);
    // Far away, and therefore of no concern even for the least clearance.
    let far =
        "\n[[obstacle]]\nname = \"far\"\nsphere = 0.1\npose = { xyz = [\"9m\", \"9m\", 1] }\n";
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

/// What a baseline lacks would look new, and not newly broken.
#[test]
fn a_baseline_that_is_no_whole_run_is_told() {
    let site = Site::new(4);
    site.run("batch --cell cell.toml library --results old.jsonl");
    let whole = site.read("old.jsonl");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let against = || errors(&site.run("batch --cell cell.toml library --baseline old.jsonl"));
    assert!(!against().contains("count as new"));
    fs::write(site.path("old.jsonl"), lines[..3].concat()).unwrap();
    assert!(
        against().contains("did not come to its end"),
        "{}",
        against()
    );
    site.run("batch --cell cell.toml library --shard 1/2 --results part.jsonl");
    fs::rename(site.path("part.jsonl"), site.path("old.jsonl")).unwrap();
    assert!(against().contains("of shard 1/2 alone"), "{}", against());
}

/// Answers of another build are found again: nobody can say whether it would find the same.
#[test]
fn answers_of_another_build_are_found_again() {
    let site = Site::new(3);
    site.run("batch --cell cell.toml library --results old.jsonl");
    let key = "\"build\":\"";
    let whole = site.read("old.jsonl");
    let at = whole.find(key).unwrap() + key.len();
    let other = format!("{}{}{}", &whole[..at], "0".repeat(32), &whole[at + 32..]);
    let told = |command: &str| {
        fs::write(site.path("old.jsonl"), &other).unwrap();
        errors(&site.run(command))
    };
    for command in [
        "batch --cell cell.toml library --baseline old.jsonl",
        "batch --cell cell.toml library --results old.jsonl --resume",
        "merge old.jsonl",
    ] {
        let said = told(command);
        assert!(
            said.contains("another build of clearance"),
            "{command}: {said}"
        );
    }
}

/// The audit of allowed pairs is taken over only where nothing of the cell changed: a post that
/// everything may touch is in no pair, so nothing else would show that it now stands in the way.
#[test]
fn an_audit_is_taken_over_only_in_the_same_cell() {
    let site = Site::new(3);
    let cell = site.read("cell.toml");
    let post = |x: f64| {
        let allow = "[[allow]]\na = \"*\"\nb = \"post\"\nreason = \"foam\"\n";
        let post = format!(
            "[[obstacle]]\nname = \"post\"\nsphere = 0.15\npose = {{ xyz = [{x}, 0, 1.2] }}\n"
        );
        fs::write(site.path("cell.toml"), format!("{cell}\n{post}\n{allow}")).unwrap();
    };
    let run = |options: &str| {
        let line = "batch --cell cell.toml library --audit-allowed --results";
        site.run(&format!("{line} {options}"));
    };
    let audits = |file: &str| -> Vec<Value> {
        let lines = site.lines(file).into_iter();
        lines.map(|(_, line)| line["audit"].clone()).collect()
    };
    // One program may be broken: there is nothing to take over of it.
    let checked = |value: bool| {
        let lines = site.lines("new.jsonl").into_iter();
        let whole = lines.filter(|l| l.1["verdict"] != "unverified");
        whole
            .filter(|l| l.1["baseline"]["checked"] == value)
            .count()
    };
    post(1.9);
    run("old.jsonl");
    run("new.jsonl --baseline old.jsonl");
    assert_eq!(checked(true), 0);
    assert!(checked(false) > 0);
    assert_eq!(audits("new.jsonl"), audits("old.jsonl"));
    post(0.35);
    run("new.jsonl --baseline old.jsonl");
    run("fresh.jsonl");
    assert_eq!(checked(false), 0);
    assert!(checked(true) > 0);
    assert_eq!(audits("new.jsonl"), audits("fresh.jsonl"));
    assert_ne!(audits("new.jsonl"), audits("old.jsonl"));
}

/// Swept boxes are those of bodies as they are without events. A program with events is verified
/// again however far away something has moved, one without is not.
#[test]
fn programs_with_events_are_verified_again_in_another_cell() {
    let site = Site::new(2);
    let events = "[[event]]\nwaypoint = 1\nallow = [\"gripper\", \"lamp\"]\n";
    fs::write(site.path("library/0/01.events.toml"), events).unwrap();
    site.run("batch --cell cell.toml library --results old.jsonl");
    let far =
        "\n[[obstacle]]\nname = \"far\"\nsphere = 0.1\npose = { xyz = [\"9m\", \"9m\", 1] }\n";
    let cell = site.read("cell.toml");
    fs::write(site.path("cell.toml"), cell + far).unwrap();
    site.run("batch --cell cell.toml library --baseline old.jsonl --results new.jsonl");
    let checked: Vec<Value> = (site.lines("new.jsonl").into_iter())
        .map(|(_, line)| line["baseline"]["checked"].clone())
        .collect();
    assert_eq!(checked, [false, true]);
    for (_, line) in site.lines("new.jsonl") {
        assert_ne!(line["verdict"], "unverified", "{line}");
    }
}

/// A cell of one arm (a bar that turns over a ball, and a small block on it) in `arm.toml`, what is
/// added to it, and three programs.
fn arm(site: &Site, more: &str) {
    let link = |name: &str, at: &str, shape: &str| {
        format!(
            "<link name=\"{name}\"><collision><origin xyz=\"{at}\"/><geometry>{shape}</geometry></collision></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, at: &str, axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/><origin xyz=\"{at}\"/>\
             <axis xyz=\"{axis}\"/><limit lower=\"-3\" upper=\"3\" velocity=\"5\" effort=\"1\"/></joint>"
        )
    };
    let urdf = [
        link("base", "0 0 0", "<sphere radius=\"0.05\"/>"),
        link("bar", "0.5 0 0", "<box size=\"1 0.02 0.02\"/>"),
        joint("j1", "base", "bar", "0 0 0.2", "0 0 1"),
        link("block", "0 0 0.1", "<box size=\"0.02 0.02 0.02\"/>"),
        joint("j2", "bar", "block", "0.1 0 0", "0 1 0"),
    ];
    let urdf = format!("<robot name=\"arm\">{}</robot>", urdf.concat());
    fs::write(site.path("arm.urdf"), urdf).unwrap();
    fs::write(
        site.path("arm.toml"),
        format!("[[robot]]\nurdf = \"arm.urdf\"\n{more}"),
    )
    .unwrap();
    fs::create_dir_all(site.path("p")).unwrap();
    for k in 1..=3 {
        let program = format!("time,j1\n0,0\n1,-{k}\n");
        fs::write(site.path(&format!("p/{k}.csv")), program).unwrap();
    }
}

/// Regression: what changes is far from all programs, but it makes or takes the only pair there is,
/// or with `--minimum` the only one of its class.
#[test]
fn where_the_last_pair_goes_or_the_first_one_comes_all_is_verified_again() {
    let site = Site::new(0);
    let idle = "[[allow]]\na = \"block\"\nb = \"base\"\nreason = \"test\"\n";
    let far = "[[obstacle]]\nname = \"far\"\nsphere = \"1cm\"\npose = { xyz = [1.2, 1.2, 0.2] }\n";
    let farther = far.replace("far", "farther").replace("1.2", "1.3");
    let allow = |a: &str| format!("[[allow]]\na = \"{a}\"\nb = \"far\"\nreason = \"test\"\n");
    let allowed = format!("{idle}{far}{}{}", allow("bar"), allow("block"));
    let none = idle.to_owned();
    let one = format!("{idle}{far}");
    let two = format!("{one}{farther}");
    for (old, new, words, taken_over) in [
        (&one, &none, "", false),
        (&one, &allowed, "", false),
        (&none, &one, "", false),
        (&one, &two, "", true),
        (&String::new(), &far.to_owned(), "", true),
        (&String::new(), &far.to_owned(), "--minimum", false),
        (&far.to_owned(), &String::new(), "--minimum", false),
        (
            &far.to_owned(),
            &format!("{far}{farther}"),
            "--minimum",
            true,
        ),
    ] {
        let batch = format!("batch --cell arm.toml p {words} --results");
        arm(&site, old);
        site.run(&format!("{batch} old.jsonl"));
        arm(&site, new);
        let full = site.run(&format!("{batch} full.jsonl"));
        let said = site.run(&format!("{batch} new.jsonl --baseline old.jsonl"));
        assert_eq!(
            said.status.code(),
            full.status.code(),
            "{old}→{new} {words}"
        );
        let lines = site.lines("new.jsonl");
        assert_eq!(lines.len(), 3);
        for ((_, new_line), (_, full_line)) in lines.iter().zip(site.lines("full.jsonl")) {
            let context = format!("{old}→{new} {words}");
            assert_eq!(new_line["verdict"], full_line["verdict"], "{context}");
            let classes = |line: &Value| {
                let found = line["minimum_by_class"].as_array().into_iter().flatten();
                found.map(|c| c["class"].clone()).collect::<Vec<_>>()
            };
            assert_eq!(classes(new_line), classes(&full_line), "{context}");
            assert_eq!(new_line["baseline"]["checked"], !taken_over, "{context}");
        }
    }
}

/// Coarse shapes are found in contact from farther away than their boxes are apart: what was said
/// of a wall is not said of it elsewhere.
#[test]
fn answers_of_coarse_shapes_are_not_taken_over() {
    let site = Site {
        folder: tempfile::tempdir().unwrap(),
    };
    let cube = r#"<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>"#;
    let robot = format!(
        r#"<robot name="r"><link name="base">{cube}</link><link name="s">{cube}</link>
        <joint name="j" type="prismatic"><parent link="base"/><child link="s"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" effort="1" velocity="9"/></joint></robot>"#
    );
    fs::write(site.path("r.urdf"), robot).unwrap();
    fs::create_dir(site.path("library")).unwrap();
    fs::write(site.path("library/s.csv"), "time,j[m]\n0,0\n1,0.05\n").unwrap();
    let cell = |x: f64| {
        let text = format!(
            "[[robot]]\nurdf = \"r.urdf\"\n[[obstacle]]\nname = \"wall\"\nbox = [0.1, 0.5, 0.5]\n\
             pose = {{ xyz = [{x}, 0, 0] }}\n[check]\nclearance = \"1mm\"\n"
        );
        fs::write(site.path("cell.toml"), text).unwrap();
    };
    let ask = "batch --cell cell.toml library --shape ranked --leaf-radius 20mm --no-cache";
    for [before, now] in [[0.62, 3.5], [3.5, 0.62]] {
        cell(before);
        site.run(&format!("{ask} --results old.jsonl"));
        cell(now);
        site.run(&format!("{ask} --baseline old.jsonl --results new.jsonl"));
        site.run(&format!("{ask} --results full.jsonl"));
        let [old, new, full] = ["old", "new", "full"].map(|name| {
            let lines = site.lines(&format!("{name}.jsonl"));
            lines[0].1["verdict"].clone()
        });
        assert!(new == full && old != full, "{old} {new} {full}");
    }
}
