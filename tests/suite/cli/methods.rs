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

/// What a shape without triangles calls contact may be none: the report says by how much.
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

/// A ball has no features, and a clearance no first touch: that method is no answer, and not one that stayed open either.
#[test]
fn compare_tells_refused_from_unverified() {
    let project = Project::new();
    let compare = |more: &str| format!("compare --cell cell.toml --quiet {more}");
    project
        .run(&compare("away.csv"))
        .code(0)
        .stdout(contains("intersection  sphere-tree  refused"))
        .stdout(contains(
            "intersection / sphere-tree: --method intersection knows",
        ));
    let output = project
        .run(&compare("--clearance 1mm --format json away.csv"))
        .code(0);
    let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let methods = report["programs"][0]["methods"].as_array().unwrap();
    for method in methods {
        let refused = method["method"] == "intersection";
        assert_eq!(method["refused"] == true, refused, "{method}");
        assert_eq!(
            method.get("coarseness").is_some(),
            method["shape"] == "ranked",
            "{method}"
        );
    }
    // What no way can read was not refused by any.
    project
        .run(&compare("gone.csv"))
        .code(2)
        .stdout(contains("unverified").and(contains("refused").not()));
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
    // The base is rigid to no one but the arm, which it does not touch; nothing but these two stands still.
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
