//! Other methods and shapes than the default, as a user meets them.

use super::*;

/// Samplers prove nothing, and their report does not sound as if they did.
#[test]
fn a_sampler_says_what_it_looked_at() {
    let project = Project::new();
    project
        .check("--method sampling --step 1deg hit.csv")
        .code(1)
        .stdout(contains("COLLISION").and(contains("instants of the linear path")))
        .stdout(contains("nothing is proved about what lies between"))
        .stdout(contains("proved free").not());
    project
        .check("--method sampling --step 1deg away.csv")
        .code(2)
        .stdout(contains("sampled, not proved").and(contains("59 instants")));
}

/// A contact that a shape without triangles reports may not be one: the report says by how much.
#[test]
fn a_coarse_shape_says_how_coarse() {
    let project = Project::new();
    let line = "--shape ranked --leaf-radius 20mm hit.csv";
    project
        .check(line)
        .code(1)
        .stdout(contains("may be up to").and(contains("farther apart than the threshold")));
    let coarse = |line: &str| project.json(line)["programs"][0]["coarseness"].as_f64();
    let coarseness = coarse(line).expect("a coarseness");
    assert!(coarseness > 0.03 && coarseness <= 0.08, "{coarseness}");
    assert_eq!(coarse("--shape octree hit.csv"), None);
    assert_eq!(coarse("hit.csv"), None);
}

#[test]
fn a_leaf_radius_is_taken_where_it_means_something() {
    let project = Project::new();
    for (line, code) in [
        ("--shape greedy --leaf-radius 5mm hit.csv", 1),
        ("--shape greedy --leaf-radius 5mm away.csv", 0),
        ("--shape octree --leaf-radius 5mm away.csv", 0),
        ("--shape octree --leaf-radius 300mm hit.csv", 1),
    ] {
        project.check(line).code(code);
    }
    let memory = |line: &str| {
        let report = project.json(line);
        let work = &report["programs"][0]["statistics"]["work"];
        work["memory_bytes"].as_u64().expect("a size")
    };
    for shape in ["greedy", "octree"] {
        let [coarse, fine] = ["50mm", "5mm"]
            .map(|radius| memory(&format!("--shape {shape} --leaf-radius {radius} away.csv")));
        assert!(fine > 3 * coarse, "{shape}: {fine} bytes, coarser {coarse}");
    }
    for shape in ["sphere-tree", "raw"] {
        project
            .check(&format!("--shape {shape} --leaf-radius 5mm away.csv"))
            .code(2)
            .stderr(contains("`--shape ranked`, `greedy` or `octree`"));
    }
    project
        .check("--shape greedy --leaf-radius 1um away.csv")
        .code(2)
        .stdout(contains("`--leaf-radius 0.").and(contains("fits")));
}

/// A ball has no features, and a clearance no first touch: these pairs go by bisection, and the
/// comparison says so.
#[test]
fn features_fall_back_pair_by_pair() {
    let project = Project::new();
    let compare = |more: &str| format!("compare --cell cell.toml --quiet {more}");
    project
        .run(&compare("away.csv"))
        .code(0)
        .stdout(contains("intersection  sphere-tree  clear"))
        .stdout(contains("with a ball or a capsule"));
    let output = project
        .run(&compare("--clearance 1mm --format json hit.csv"))
        .code(1);
    let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let methods = report["programs"][0]["methods"].as_array().unwrap();
    for method in methods {
        let told = method["fallback"].as_str().unwrap_or_default();
        let features = method["method"] == "intersection";
        assert_eq!(
            told.contains("with a threshold above 0"),
            features,
            "{method}"
        );
        assert_eq!(method["verdict"], "collision", "{method}");
    }
}

/// The spheres that meet: in text, in JSON, as a mesh, and in the page.
#[test]
fn ranked_covers_list_the_spheres_that_meet() {
    let project = Project::new();
    let line = "--method sampling --shape ranked --leaf-radius 10mm --all hit.csv";
    project
        .check(&format!("{line} --spheres met.ply --report html=page.html"))
        .code(1);
    project.check(line).code(1).stdout(
        contains("sphere of hand")
            .and(contains("spheres of block"))
            .and(contains("rank ").and(contains("radius "))),
    );
    let report = project.json(line);
    let contact = &report["programs"][0]["contacts"][0];
    let spheres = &contact["spheres"];
    let distance = |p: &Value, q: &Value| {
        let d = (0..3).map(|k| p[k].as_f64().unwrap() - q[k].as_f64().unwrap());
        d.map(|d| d * d).sum::<f64>().sqrt()
    };
    let radius = |s: &Value| s["radius"].as_f64().unwrap();
    let sides = ["a", "b"].map(|side| spheres[side].as_array().unwrap());
    for (k, (mine, theirs)) in [(sides[0], sides[1]), (sides[1], sides[0])]
        .into_iter()
        .enumerate()
    {
        assert_eq!(spheres["count"][k].as_u64(), Some(mine.len() as u64));
        assert!(!mine.is_empty());
        for s in mine {
            // Each of them meets one of the other body: that is what makes it part of the answer.
            let meets =
                |t: &Value| distance(&s["center"], &t["center"]) <= radius(s) + radius(t) + 1e-9;
            assert!(theirs.iter().any(meets), "{s}");
            assert!(s["rank"].as_u64().unwrap() >= 1);
        }
    }
    // The mesh has them all, 42 corners each.
    let mesh = fs::read_to_string(project.path().join("met.ply")).unwrap();
    let corners = 42 * (sides[0].len() + sides[1].len());
    assert!(
        mesh.contains(&format!("element vertex {corners}\n")),
        "{corners}"
    );
    let page = fs::read_to_string(project.path().join("page.html")).unwrap();
    assert!(page.contains(r#""spheres":{"a":[{"center""#));
    project
        .check("--method sampling --all --spheres met.obj hit.csv")
        .code(1)
        .stderr(contains("no spheres to write"));
}

/// Ranks by a ratio or a number, cells cut, equal or overlapping; a radius that nobody has to
/// choose.
#[test]
fn ranks_of_covers_are_chosen() {
    let project = Project::new();
    // Without a radius: what the resolution takes would be far too many.
    project
        .check("--method sampling --shape ranked hit.csv")
        .code(1)
        .stdout(contains("farther apart than the threshold"));
    let ranks = |line: &str| {
        let line =
            format!("--method sampling --shape ranked --leaf-radius 10mm --all {line} hit.csv");
        let report = project.json(&line);
        let contact = &report["programs"][0]["contacts"][0];
        let most = |side: &str| {
            let spheres = contact["spheres"][side].as_array().unwrap().iter();
            spheres.map(|s| s["rank"].as_u64().unwrap()).max().unwrap()
        };
        most("a").max(most("b"))
    };
    let [few, many] = ["--ratio 8", "--ratio 1.3"].map(ranks);
    assert!(few < many, "{few} {many}");
    assert_eq!(ranks("--ranks 3"), 3);
    for kind in ["equal", "overlapping"] {
        let line = format!("--shape ranked --leaf-radius 10mm --cells {kind}");
        project.check(&format!("{line} hit.csv")).code(1);
        project.check(&format!("{line} away.csv")).code(0);
    }
    for (line, words) in [
        ("--ratio 2", "add `--shape ranked`"),
        ("--shape octree --ranks 3", "add `--shape ranked`"),
        ("--shape ranked --ranks 1", "write a number from 2 to 40"),
        ("--cubes all", "use it with `--shape octree`"),
    ] {
        project
            .check(&format!("{line} hit.csv"))
            .code(2)
            .stderr(contains(words));
    }
    project
        .run("compare --cell cell.toml --quiet --ranks 3 --leaf-radius 20mm hit.csv")
        .code(1);
    project
        .run("tree arm.stl --shape ranked --leaf-radius 20mm --cells equal")
        .code(0)
        .stdout(contains("proved"));
}

/// Moving bodies against moving bodies by cubes too, and the least clearance by them.
/// The nearest of all pairs is the same; nothing is told of classes.
#[test]
fn the_least_clearance_of_all_pairs_alone() {
    let project = Project::new();
    let program = |option: &str| {
        let mut report = project.json(&format!("{option} away.csv"));
        report["programs"][0].take()
    };
    let [all, overall] = ["--minimum", "--minimum=overall"].map(program);
    assert!(all["minimum_by_class"].is_array() && overall["minimum_by_class"].is_null());
    let [all, overall] = [all, overall].map(|mut program| program["minimum_clearance"].take());
    assert_eq!((&all["a"], &all["b"]), (&overall["a"], &overall["b"]));
    let number = |least: &Value, name: &str| least[name].as_f64().unwrap();
    let bound = number(&overall, "lower_bound");
    assert!(bound <= number(&all, "distance") && bound > number(&all, "distance") - 4e-4);
    let wrong = project.run("check --cell cell.toml --minimum=pairs away.csv");
    wrong.code(2).stderr(contains("overall"));
}

#[test]
fn octrees_divide_what_moves_and_tell_the_least_clearance() {
    let project = Project::new();
    for (program, code) in [("hit.csv", 1), ("away.csv", 0)] {
        for which in ["standing", "all"] {
            project
                .check(&format!("--shape octree --cubes {which} {program}"))
                .code(code);
        }
    }
    let least = |line: &str| {
        let report = project.json(&format!("--minimum {line} away.csv"));
        let least = &report["programs"][0]["minimum_clearance"];
        ["distance", "lower_bound"].map(|name| least[name].as_f64().unwrap())
    };
    let [expected, _] = least("");
    for shape in ["octree", "octree --cubes all", "greedy"] {
        let [distance, bound] = least(&format!("--shape {shape}"));
        assert!(
            (distance - expected).abs() < 2e-4,
            "{shape}: {distance}, {expected}"
        );
        assert!(
            bound <= expected && bound > expected - 4e-4,
            "{shape}: {bound}, {expected}"
        );
    }
}

/// Ranges, tolerances and tables of `clearance distance`.
#[test]
fn distances_are_told_in_a_range() {
    let project = Project::new();
    let answer = |more: &str| -> Value {
        let line = format!("distance --cell cell.toml --quiet --at {{\"turn\":0}} {more}");
        let output = project.run(&line).code(0);
        serde_json::from_slice(&output.get_output().stdout).unwrap()
    };
    let truth = answer("");
    let distance = truth["nearest"]["distance"].as_f64().unwrap();
    assert_eq!(answer("--tables"), truth);
    // Nothing is as near as a tenth of it.
    let far = answer(&format!("--max {}", distance / 10.0));
    assert!(
        far.get("nearest").is_none() && far["verdict"] == "clear",
        "{far}"
    );
    assert!(
        (far["at_least"].as_f64().unwrap() - distance / 10.0).abs() < 1e-9,
        "{far}"
    );
    let rough = answer("--tolerance 0.3");
    let at_least = rough["at_least"].as_f64().unwrap();
    assert!(
        at_least <= distance + 1e-9 && at_least >= 0.7 * distance - 1e-9,
        "{rough}"
    );
    let first = answer(&format!("--min {}", 10.0 * distance));
    assert!(
        first["nearest"]["distance"].as_f64().unwrap() >= distance - 1e-9,
        "{first}"
    );
    for (line, words) in [
        ("--tolerance 1", "write a share"),
        ("--min 2 --max 1", "`--min` is above `--max`"),
    ] {
        project
            .run(&format!("distance --cell cell.toml --quiet {line}"))
            .code(2)
            .stderr(contains(words));
    }
}

/// Tables say what stays apart within the limits, not where a value is past its limit by less than
/// reports allow for printed digits: a follower makes metres of that.
#[test]
fn tables_hold_within_the_limits_to_the_last_digit() {
    let ball = r#"<collision><geometry><sphere radius="0.1"/></geometry></collision>"#;
    let slide = |name: &str, child: &str, upper: f64, more: &str| {
        format!(
            r#"<link name="{child}">{}</link>
            <joint name="{name}" type="prismatic"><axis xyz="1 0 0"/><parent link="base"/><child link="{child}"/>
            <limit lower="0" upper="{upper}" velocity="1" effort="1"/>{more}</joint>"#,
            if child == "knob" { "" } else { ball }
        )
    };
    let robot = |slides: String| {
        format!(
            r#"<robot name="r"><link name="base"/><link name="post">{ball}</link>
            <joint name="f" type="fixed"><origin xyz="1 0 0"/><parent link="base"/><child link="post"/></joint>{slides}</robot>"#
        )
    };
    let project = Project::new();
    let follows = r#"<mimic joint="lead" multiplier="1000"/>"#;
    let follower = slide("slide", "ball", 5.0, follows);
    project.write(
        "follower.urdf",
        robot(slide("lead", "knob", 0.000_799_5, "") + &follower),
    );
    project.write("slide.urdf", robot(slide("slide", "ball", 0.799_999_5, "")));
    for (file, joint, within, past) in [
        ("follower", "lead", 0.000_799_5, 0.000_800_4),
        ("slide", "slide", 0.799_999_5, 0.800_000_3),
    ] {
        for (at, code, verdict) in [(within, 0, "clear"), (past, 1, "collision")] {
            for tables in ["", "--tables"] {
                let line = format!(
                    "distance --robot {file}.urdf --no-cache --quiet --max 10mm --at {{\"{joint}\":{at}}} {tables}"
                );
                let output = project.run(&line).code(code);
                let answer: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
                assert_eq!(answer["verdict"], verdict, "{line}: {answer}");
            }
        }
    }
}

/// A body whose poses are given, without a robot: a box of 0.1 m that slides along x and turns by
/// 90° about z meets a wall with its edge. Values between rows go linearly.
#[test]
fn poses_of_free_bodies_are_a_program() {
    let project = Project::new();
    project.write(
        "free.toml",
        r#"
[[free]]
name = "part"
box = [0.1, 0.1, 0.1]

[[free]]
name = "other"
box = [0.1, 0.1, 0.1]
pose = { xyz = [0, 5, 0] }

[[obstacle]]
name = "wall"
box = [0.1, 1, 1]
pose = { xyz = [1, 0, 0] }
"#,
    );
    // Straight: the faces meet when x = 0.95 - 0.05. Turned by 45° its edge reaches 0.0707 ahead.
    let straight = "time,part/x,part/y,part/z,part/roll[deg],part/pitch[deg],part/yaw[deg]\n0,0,0,0,0,0,0\n10,1,0,0,0,0,0\n";
    let turned = straight.replace(",0,0,0\n", ",0,0,45\n");
    let beside = straight.replace("10,1", "10,0.89");
    for (name, text) in [
        ("straight.csv", straight),
        ("turned.csv", &turned),
        ("beside.csv", &beside),
    ] {
        project.write(name, text);
    }
    let check = |line: &str| {
        project.run(&format!(
            "check --cell free.toml --quiet --report json {line}"
        ))
    };
    for (program, time) in [
        ("straight.csv", 9.0),
        ("turned.csv", 10.0 * (0.95 - 0.05 * 2f64.sqrt())),
    ] {
        for method in ["bisection", "intersection"] {
            let output = check(&format!("--method {method} {program}")).code(1);
            let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
            let first = &report["programs"][0]["first_contact"];
            assert_eq!(
                (first["a"].as_str(), first["b"].as_str()),
                (Some("part"), Some("wall"))
            );
            assert!(
                (first["time"].as_f64().unwrap() - time).abs() < 2e-3,
                "{program}: {first}"
            );
        }
    }
    check("beside.csv").code(0);
    // Two that move meet each other as well.
    project.write(
        "both.csv",
        "time,part/x,part/y,other/y\n0,0,0,5\n10,0,2.4,2.6\n",
    );
    check("both.csv").code(0);
    project.write(
        "both.csv",
        "time,part/x,part/y,other/y\n0,0,0,5\n10,0,2.5,2.5\n",
    );
    check("both.csv").code(1);
}

/// A refusal is not an answer, and not an answer that stayed open either.
#[test]
fn compare_tells_refused_from_unverified() {
    let project = Project::new();
    let compare = |more: &str| format!("compare --cell cell.toml --quiet {more}");
    let output = project
        .run(&compare("--leaf-radius 1um --format json away.csv"))
        .code(0);
    let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let methods = report["programs"][0]["methods"].as_array().unwrap();
    for method in methods {
        let refused = ["ranked", "greedy"].contains(&method["shape"].as_str().unwrap());
        assert_eq!(method["refused"] == true, refused, "{method}");
    }
    // A program that no way can read was not refused by any.
    project
        .run(&compare("gone.csv"))
        .code(2)
        .stdout(contains("unverified").and(contains("refused").not()));
}

/// Every way gets to the end of the examples, and by how much work: a grid that looks into the
/// cells of somebody else's threshold, or a baseline without boxes, would take hundreds of times as
/// much.
#[test]
fn every_way_gets_to_the_end_of_the_examples() {
    let project = Project::new();
    let root = env!("CARGO_MANIFEST_DIR");
    let compare = |robot: &str, programs: &str| -> Value {
        let line = format!(
            "compare --cell {root}/robots/{robot}/cell.toml --quiet --time-limit 600s --format json {programs}"
        );
        let output = project.run(&line).code(1);
        serde_json::from_slice(&output.get_output().stdout).unwrap()
    };
    let arm = format!("{root}/trajectories/arm6/place_too_low.csv");
    let scara = format!("{root}/trajectories/scara/swing_past_divider.csv");
    for (robot, program, most) in [("arm6", arm, 300.0), ("scara", scara, 10.0)] {
        let report = compare(robot, &program);
        let program = &report["programs"][0];
        assert!(program["contradictions"].as_array().unwrap().is_empty());
        for method in program["methods"].as_array().unwrap() {
            assert_eq!(method["verdict"], "collision", "{method}");
            if method["shape"] == "grid" {
                let tests = method["statistics"]["triangle_tests"].as_f64().unwrap();
                let pairs = method["statistics"]["pairs"].as_f64().unwrap();
                let work = &method["statistics"]["work"];
                let instants = work["interference_queries"].as_f64().unwrap() / pairs;
                assert!(
                    tests / instants < most,
                    "{robot}: {tests} in {instants} instants"
                );
            }
        }
    }
}
