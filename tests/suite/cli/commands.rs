//! Commands beside the check: cell, cache, distances, trees.

use super::*;

#[test]
fn inspect_shows_the_cell() {
    let project = Project::new();
    project
        .run("inspect --cell cell.toml --pairs --unreachable")
        .code(0)
        .stdout(contains(
            "block  obstacle  (fixed)     100.0 × 100.0 × 100.0",
        ))
        .stdout(contains("turn   revolute"))
        .stdout(contains(
            "3 pairs checked (2 unreachable within the joint limits), 3 not (2 adjacent, 1 fixed to world)",
        ))
        .stdout(contains("not checked: both fixed to the world"));
    // That is proved only when it is asked for.
    project
        .run("inspect --cell cell.toml --pairs")
        .code(0)
        .stdout(contains(
            "3 pairs checked, 3 not (2 adjacent, 1 fixed to world)",
        ));
    let assert = project
        .run("inspect --cell cell.toml --format json")
        .code(0);
    let facts: Value = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(facts["bodies"][0]["name"], "base");
    assert_eq!(facts["pairs"].as_array().unwrap().len(), 6);
    project.write("arm.stl", box_stl([0.0, -30.0, -30.0], [500.0, 30.0, 30.0]));
    project
        .run("inspect --cell cell.toml")
        .code(2)
        .stdout(contains("WARNING: arm (suspicious scale"));
    project
        .run("inspect --cell gone.toml")
        .code(2)
        .stderr(contains("gone.toml"));
}

#[test]
fn the_cache_can_be_found_listed_and_cleared() {
    let project = Project::new();
    project.check("away.csv").code(0);
    project.run("cache path").code(0).stdout(contains("cache"));
    project
        .run("cache list")
        .code(0)
        .stdout(contains("triangles"))
        .stdout(contains("trees,"));
    project
        .run("cache clear")
        .code(0)
        .stdout(contains("removed"));
    project
        .run("cache list")
        .code(0)
        .stdout(contains("0 trees"));
    project.check("--no-cache away.csv").code(0);
    project
        .run("cache list")
        .code(0)
        .stdout(contains("0 trees"));
    project.check("--cache-dir here away.csv").code(0);
    assert!(fs::read_dir(project.path().join("here")).unwrap().count() > 0);
}

/// A ball in the middle of another one: no direction leads from the one to the other, whatever
/// looks for the nearest points. Every method and every shape sees them touch, and ends.
#[test]
fn balls_about_one_centre_touch() {
    let lab = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(lab.path().join(name), text).unwrap();
    put(
        "r.urdf",
        "<robot name='r'><link name='base'/><link name='tip'><collision><geometry><sphere radius='0.01'/></geometry></collision></link>\
         <joint name='x' type='prismatic'><parent link='base'/><child link='tip'/><axis xyz='1 0 0'/><limit lower='-9' upper='9' velocity='9' effort='1'/></joint></robot>",
    );
    put(
        "cell.toml",
        "[[robot]]\nurdf = 'r.urdf'\n[[obstacle]]\nname = 'ball'\nsphere = 0.1\npose = { xyz = [0.3, 0, 0] }\n",
    );
    put("p.csv", "time,x\n0,0.3\n1,0.3\n");
    let said = |words: &str| {
        let mut asked = Command::cargo_bin("clearance").unwrap();
        asked
            .args(words.split(' '))
            .args(["--no-cache", "--quiet", "--cell", "cell.toml"]);
        let ended = asked.current_dir(lab.path()).assert().code(1);
        let report: Value = serde_json::from_slice(&ended.get_output().stdout).unwrap();
        report
    };
    let at = said("distance --at {\"x\":0.3}");
    assert_eq!(
        (&at["verdict"], &at["nearest"]["distance"]),
        (&"collision".into(), &0.0.into())
    );
    for more in [
        "",
        " --method sampling",
        " --method intersection",
        " --method sampling --shape grid",
        " --method sampling --shape octree",
    ] {
        let report = said(&format!("check p.csv --report json{more}"));
        let first = &report["programs"][0]["first_contact"];
        assert_eq!(
            (first["time"].as_f64(), first["distance"].as_f64()),
            (Some(0.0), Some(0.0)),
            "{more}"
        );
    }
}

/// Single configurations, one line each: the first contact that `check` reports has the distance
/// that it says, and a line that is none does not stop the others.
#[test]
fn distance_answers_every_line() {
    let cell = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/arm6/cell.toml");
    let program = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/trajectories/arm6/swing_through_guard.csv"
    );
    let clearance = || Command::cargo_bin("clearance").unwrap();
    let report = clearance()
        .args("check --no-cache --quiet --report json --cell".split(' '))
        .args([cell, program])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let contact = &report["programs"][0]["first_contact"];
    let answer = clearance()
        .args(["distance", "--no-cache", "--quiet", "--cell", cell])
        .write_stdin(
            [
                b"{}\n\nnonsense\n",
                contact["joints"].to_string().as_bytes(),
                b"\n\xff\n{}\n",
                // More than is read of one line.
                &vec![b'['; 17 << 20],
                b"\n{}\n",
            ]
            .concat(),
        )
        .assert()
        .code(1);
    let lines: Vec<Value> = String::from_utf8_lossy(&answer.get_output().stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let said: Vec<_> = lines
        .iter()
        .map(|l| (l["line"].clone(), l["verdict"].clone()))
        .collect();
    let expected = [
        (1, "clear"),
        (3, "unverified"),
        (4, "collision"),
        (5, "unverified"),
        (6, "clear"),
        (7, "unverified"),
        (8, "clear"),
    ];
    assert_eq!(
        said,
        expected.map(|(line, verdict)| (line.into(), verdict.into()))
    );
    let nearest = &lines[2]["contacts"][0];
    assert_eq!(
        (&nearest["a"], &nearest["b"]),
        (&contact["a"], &contact["b"])
    );
    let [here, there] = [nearest, contact].map(|c| c["distance"].as_f64().unwrap());
    assert!((here - there).abs() < 1e-9, "{here} {there}");

    clearance()
        .args(["distance", "--no-cache", "--quiet", "--cell", cell])
        .args(["--at", "[1]"])
        .assert()
        .code(2)
        .stdout(contains("1 values for 6 joints"));

    // Where surfaces meet there is no direction from one point to the other.
    let crossing = clearance()
        .args(["distance", "--no-cache", "--quiet", "--cell", cell])
        .args(["--at", r#"{"joint_2": 1.8}"#])
        .output()
        .unwrap();
    let crossing: Value = serde_json::from_slice(&crossing.stdout).unwrap();
    assert_eq!(crossing["nearest"]["distance"], 0.0);
    assert_eq!(crossing["nearest"].get("normal"), None);
    assert_eq!(
        lines[0]["nearest"]["normal"].as_array().map(Vec::len),
        Some(3)
    );
}

#[test]
fn trees_are_measured_proved_and_shown() {
    let project = Project::new();
    let ranked = |more: &str| format!("tree arm.stl --shape ranked --leaf-radius 30mm {more}");
    project
        .run(&ranked(""))
        .code(0)
        .stdout(contains("arm.stl: 12 triangles").and(contains("cover proved")));
    let output = project.run(&ranked("--json --export spheres.obj")).code(0);
    let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let levels = report["trees"][0]["levels"].as_array().unwrap();
    let last = levels.last().unwrap();
    assert_eq!(last["nominal_radius"], 0.03);
    assert!(last["greatest_radius"].as_f64().unwrap() <= 0.03);
    assert_eq!(report["trees"][0]["covered"], true);
    // The file that was written is a mesh of as many small spheres, which can be read again.
    let spheres = last["spheres"].as_u64().unwrap();
    assert!(spheres > 10);
    project
        .run("tree spheres.obj")
        .code(0)
        .stdout(contains("sphere-tree").and(contains("cover proved")));
    let faces = |file: &str| {
        let text = fs::read_to_string(project.path().join(file)).unwrap();
        text.lines().filter(|l| l.starts_with("f ")).count() as u64
    };
    assert_eq!(faces("spheres.obj"), 80 * spheres);
    project.run(&ranked("--export one.obj --level 1")).code(0);
    assert_eq!(faces("one.obj"), 80);
    // Every shape of a cell, balls and boxes too.
    project
        .run("tree --cell cell.toml --shape ranked --resolution 20mm --export cell.ply --quiet")
        .code(0)
        .stdout(
            contains("hand: 1 triangle, and 50.00 mm around").and(contains("every one is proved")),
        );
    project.run("tree cell.ply").code(0);

    for (line, message) in [
        ("tree gone.stl", "gone.stl"),
        ("tree arm.stl --leaf-radius 5mm", "add `--shape ranked`"),
        ("tree arm.stl --shape ranked --ratio 1", "from 1.2 to 16"),
        ("tree arm.stl --export a.stl", "written as .obj or .ply"),
        ("tree arm.stl --export a.obj --level 99", "no level 99"),
        ("tree arm.stl --level 1", "--export"),
        ("tree arm.stl --cell cell.toml", "cannot be used with"),
        ("tree arm.stl --shape ranked --leaf-radius 1um", "mm` fits"),
    ] {
        project.run(line).code(2).stderr(contains(message));
    }
}

/// A converted program whose events stay behind is another one.
#[test]
fn convert_says_which_events_it_leaves_behind() {
    let project = Project::new();
    project.write("away.csv", "turn[rad],slide[m]\n0,0\n-1,0.1\n");
    let plain = project.run("convert --cell cell.toml away.csv");
    let plain = plain.code(0).stderr(is_empty());
    let plain = plain.get_output().stdout.clone();
    project.write("away.events.toml", "");
    let noted = project.run("convert --cell cell.toml away.csv").code(0);
    let noted =
        noted.stderr(contains("those of away.events.toml").and(contains("`waypoint` for `at`")));
    assert_eq!(noted.get_output().stdout, plain);
}

#[test]
fn octrees_are_measured_proved_and_shown() {
    let project = Project::new();
    project
        .run("tree arm.stl --shape octree --leaf-radius 20mm --export cubes.ply")
        .code(0)
        .stdout(
            contains("arm.stl: octree, leaf radius 20.00 mm").and(contains("every cube proved")),
        );
    // The cubes stand around the part, and reach no farther than one of them beyond it.
    let shown = fs::read_to_string(project.path().join("cubes.ply")).unwrap();
    let xs = shown.lines().filter_map(|line| {
        let mut numbers = line.split(' ').map(str::parse::<f64>);
        let x = numbers.next()?.ok()?;
        (numbers.count() == 2).then_some(x)
    });
    let (least, most) = xs.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| {
        (least.min(x), most.max(x))
    });
    assert!(
        (-0.024..=0.0).contains(&least) && (0.5..=0.524).contains(&most),
        "{least} {most}"
    );
    project.run("tree cubes.ply").code(0);
    let output = project
        .run("tree --cell cell.toml --shape octree --json --quiet")
        .code(0);
    let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    // The base is rigid to no one but the arm, which it does not touch; nothing but these two
    // stands still.
    let mut names: Vec<&str> = report["trees"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tree| tree["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["base", "block"]);
    for tree in report["trees"].as_array().unwrap() {
        assert_eq!(tree["covered"], true);
        let level = |k: usize| &tree["cubes"][k];
        assert_eq!(
            (
                level(0)["mixed"].as_u64(),
                level(7)["edge"].as_f64().is_some()
            ),
            (Some(1), true)
        );
        let black: u64 = (0..8).map(|k| level(k)["black"].as_u64().unwrap()).sum();
        assert!(black > 100, "{black}");
    }
    // Without its last face the block is a surface, and has no inside.
    let text = fs::read_to_string(project.path().join("block.stl")).unwrap();
    let open = text.rsplit_once("facet normal").unwrap().0.to_owned() + "endsolid box\n";
    project.write("open.stl", open);
    project
        .run("tree open.stl --shape octree")
        .code(0)
        .stdout(contains("its surface is open and has no inside"));
    for (line, message) in [
        (
            "tree arm.stl --shape octree --ratio 2",
            "add `--shape ranked`",
        ),
        (
            "tree arm.stl --shape octree --level 99 --export x.ply",
            "level 1 has the largest cubes",
        ),
        (
            "tree arm.stl --leaf-radius 1mm",
            "`--shape ranked`, `greedy` or `octree`",
        ),
    ] {
        project.run(line).code(2).stderr(contains(message));
    }
}

#[test]
fn greedy_trees_are_measured_proved_and_shown() {
    let project = Project::new();
    project
        .run("tree arm.stl --shape greedy --leaf-radius 20mm --export tiles.ply")
        .code(0)
        .stdout(contains("arm.stl: greedy, leaf radius 20.00 mm").and(contains("cover proved")));
    project.run("tree tiles.ply").code(0);
    let output = project
        .run("tree --cell cell.toml --shape greedy --json --quiet")
        .code(0);
    let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(report["shape"], "greedy");
    for tree in report["trees"].as_array().unwrap() {
        assert_eq!(tree["covered"], true);
        let levels = tree["levels"].as_array().unwrap();
        let least = |k: usize| levels[k]["greatest_radius"].as_f64().unwrap();
        // The core of a ball is a point.
        assert!(levels.len() == 1 || least(levels.len() - 1) <= least(0) / 16.0);
    }
    for (line, message) in [
        (
            "tree arm.stl --shape greedy --ratio 2",
            "add `--shape ranked`",
        ),
        (
            "tree arm.stl --shape greedy --resolution 1mm",
            "add `--shape ranked`",
        ),
        ("tree arm.stl --shape greedy --leaf-radius 1um", "fits"),
    ] {
        project.run(line).code(2).stderr(contains(message));
    }
}

#[test]
fn what_a_word_of_a_report_means_can_be_asked() {
    let project = Project::new();
    let said = |line: &str| {
        let output = project.run(line).code(0);
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let list = said("explain");
    for word in list.lines() {
        let text = said(&format!("explain {word}"));
        assert!(text.starts_with(&format!("{word}\n\n")), "{text}");
    }
    assert!(list.contains("unknown-motion\n") && list.contains("undecided\n"));
    assert!(said("explain unknown-motion").contains("- Rewrite the statement."));
    // What reports print beside verdicts has sections.
    for (word, heading) in [
        ("LIMIT", "Limits"),
        ("near-miss", "Near misses"),
        ("notice", "Notices"),
        ("note", "Notes"),
    ] {
        let text = said(&format!("explain {word}"));
        assert!(text.starts_with(&format!("{heading}\n\n")), "{text}");
    }
    project
        .run("explain unknown-moton")
        .code(2)
        .stderr(contains("did you mean `unknown-motion`?"));
}
