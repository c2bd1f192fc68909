//! `clearance init`: the file loads, and nothing in it hides a contact.

use super::*;

/// The bench with a post that the arm turns through, and the block in world coordinates.
fn bench() -> Project {
    let project = Project::new();
    fs::remove_file(project.path().join("cell.toml")).unwrap();
    let post = box_stl([-0.02, -0.02, 0.28], [0.02, 0.02, 0.32]);
    project.write("post.stl", post);
    project.write(
        "block.stl",
        box_stl([-0.05, 0.55, 0.25], [0.05, 0.65, 0.35]),
    );
    project
}

/// The same with the post as a part of the robot.
fn drawn_bench() -> Project {
    let project = bench();
    let post = r#"<link name="post"><collision><origin xyz="0 0 0.3"/><geometry><box size="0.04 0.04 0.04"/></geometry></collision></link>
        <joint name="f" type="fixed"><parent link="base"/><child link="post"/></joint></robot>"#;
    project.write("bench.urdf", URDF.replace("</robot>", post));
    project
}

fn cell(project: &Project) -> String {
    fs::read_to_string(project.path().join("cell.toml")).unwrap()
}

/// Takes the `# ` from the lines that follow one with this text, up to an empty line.
fn agree(text: &str, heading: &str) -> String {
    let mut agreed = false;
    let line = |line: &str| {
        let was = agreed && !line.is_empty();
        agreed = was || line.contains(heading);
        if was {
            line.trim_start_matches("# ").to_owned() + "\n"
        } else {
            line.to_owned() + "\n"
        }
    };
    text.lines().map(line).collect()
}

#[test]
fn what_touches_is_proposed_and_never_allowed() {
    let project = drawn_bench();
    project
        .run("init bench.urdf block.stl away.csv hit.csv")
        .code(0)
        .stdout(contains("cell.toml is written: 1 robot, 1 obstacle"))
        .stdout(contains(
            "obstacles  every mesh became an obstacle; move tools and workpieces to [[attach]]",
        ))
        .stdout(contains(
            "looked     at the cell at rest and along 2 programs\n",
        ))
        .stdout(contains(
            "overlap    arm and post touch at rest and all the time in 2 programs, ",
        ))
        .stdout(contains(
            "contact    hand and block touch for a part of the time in 1 of 2 programs, ",
        ));
    let text = cell(&project);
    assert!(
        !text.lines().any(|line| line.starts_with("[[allow]]")),
        "{text}"
    );
    assert!(
        text.contains(
            "# [[allow]]\n# a = \"arm\"\n# b = \"post\"\n# reason = \"they touch at rest and"
        ),
        "{text}"
    );
    assert!(!text.contains("b = \"block\""), "{text}");
    project.run("inspect").code(0);
    // The post is hit for as long as nobody has agreed.
    project
        .run("check away.csv")
        .code(1)
        .stdout(contains("arm against post"));
    project.write("cell.toml", agree(&text, "Only if they are meant to:"));
    project.run("check away.csv").code(0);
    project
        .run("check hit.csv")
        .code(1)
        .stdout(contains("hand against block"));
}

/// Regression: an arm that stands in an obstacle whose pose nobody has stated, two arms in one place
/// and links that only the posture at rest brings together were proposed as allowances.
#[test]
fn what_may_be_a_crash_is_not_proposed() {
    let project = bench();
    project
        .run("init bench.urdf post.stl away.csv")
        .code(0)
        .stdout(contains("overlap    arm and post touch at rest"))
        .stdout(contains("`pose` of post is not stated yet; place it first"));
    let nothing = |project: &Project| {
        let text = cell(project);
        assert!(!text.contains("[[allow]]"), "{text}");
    };
    nothing(&project);
    project.write("twin.urdf", URDF);
    project
        .run("init bench.urdf twin.urdf --force")
        .code(0)
        .stdout(contains(
            "`base` of the two robots is not stated yet; place them first",
        ));
    nothing(&project);
    // A stand at the end of the arm, as long as it does not turn.
    let stand = r#"<link name="stand"><collision><origin xyz="0.6 0 0.3"/><geometry><box size="0.04 0.04 0.04"/></geometry></collision></link>
        <joint name="f" type="fixed"><parent link="base"/><child link="stand"/></joint></robot>"#;
    project.write("bench.urdf", URDF.replace("</robot>", stand));
    project
        .run("init bench.urdf --force")
        .code(0)
        .stdout(contains("contact    hand and stand touch at rest"));
    nothing(&project);
}

/// What a first cell file must have, so that nobody has to look it up: arguments of xacro, states of
/// the SRDF, the controller of the programs.
#[test]
fn what_the_files_say_stands_in_the_cell_file() {
    let project = bench();
    let xacro = URDF
        .replace("<robot name=\"bench\">", "<robot name=\"bench\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><xacro:arg name=\"r\" default=\"9\"/>")
        .replace("radius=\"0.05\"", "radius=\"$(arg r)\"");
    project.write("b.urdf.xacro", xacro);
    project.write(
        "b.srdf",
        "<robot name=\"bench\"><group_state name=\"home\" group=\"arm\"><joint name=\"turn\" value=\"0\"/></group_state></robot>",
    );
    project.write("p.mod", "MODULE m\nPROC main()\nENDPROC\nENDMODULE\n");
    project.run("init b.urdf.xacro b.srdf p.mod --xacro-arg r=0.05");
    let text = cell(&project);
    for line in [
        "\nxacro_args = { \"r\" = \"0.05\" }\n",
        "\n# state = [\"arm/home\"]",
        "\n# [robot.controller]\n# dialect = \"rapid\"\n# joints = [\"turn\", \"slide\"]",
        "# [[attach]]",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    project.run("inspect").code(0);
}

/// Regression: several links were told as one, whose name no link had.
#[test]
fn links_are_told_one_by_one() {
    let project = bench();
    project.write("bench.urdf", URDF.replace("collision>", "visual>"));
    project
        .run("init bench.urdf block.stl post.stl")
        .stdout(contains("unchecked  arm has <visual> geometry only"));
    let text = cell(&project);
    assert_eq!(text.matches("# [[unchecked]]").count(), 3, "{text}");
}

/// Deep enough that it shows, and no deeper than it is: the post reaches 20 mm into the arm.
#[test]
fn depths_are_proved() {
    let project = drawn_bench();
    project.run("init bench.urdf").code(0);
    let text = cell(&project);
    let (_, deep) = text.split_once("touch at rest, ").unwrap();
    let (deep, _) = deep.split_once(" mm deep or deeper").unwrap();
    let deep: f64 = deep.parse().unwrap();
    assert!((5.0..=40.0).contains(&deep), "{deep}");
}

#[test]
fn a_file_is_written_over_only_by_force() {
    let project = bench();
    project.write("cell.toml", "mine");
    project.run("init bench.urdf").code(2).stderr(contains(
        "cell.toml is there already and is not written over",
    ));
    assert_eq!(cell(&project), "mine");
    project.run("init bench.urdf --force").code(0);
    assert!(cell(&project).contains("bench.urdf"));
    // A cell that cannot be made leaves the old one.
    project
        .run("init gone.urdf --force")
        .code(2)
        .stderr(contains("gone.urdf"));
    assert!(cell(&project).contains("bench.urdf"));
    project
        .run("init post.stl -o other.toml")
        .code(2)
        .stderr(contains("no robot is given"));
    assert!(!project.path().join("other.toml").exists());
}

/// Nobody can know the unit: it is said, and the cell is not verified before it is stated.
#[test]
fn units_are_asked_for() {
    let project = bench();
    project.write(
        "table.stl",
        box_stl([-400.0, -300.0, -50.0], [400.0, 300.0, -20.0]),
    );
    project
        .run("init bench.urdf table.stl post.stl away.csv")
        .code(0)
        .stdout(contains(
            "unit?      table: suspicious scale: it is 800.0 m long",
        ))
        .stdout(contains("overlap    arm and post"));
    let text = cell(&project);
    assert!(text.contains("\n# scale = 0.001\n"), "{text}");
    project
        .run("check away.csv")
        .code(2)
        .stdout(contains("suspicious scale"));
    project.write(
        "cell.toml",
        text.replace("# scale = 0.001", "scale = 0.001"),
    );
    project.run("inspect").code(0);
    project
        .run("check away.csv")
        .code(1)
        .stdout(contains("arm against post"));
    project
        .run("init bench.urdf table.stl --mesh-unit mm --force")
        .code(0);
    assert!(cell(&project).contains("\nscale = 0.001\n"));
    project.run("inspect").code(0);
    for wrong in ["furlong", "0.001", "2mm", ".5m", "e3m", "1"] {
        project
            .run(&format!("init bench.urdf --mesh-unit {wrong} --force"))
            .code(2)
            .stderr(contains("not a unit of length"));
    }
}

/// A table in metres that is taken for one in millimetres is a grain of 0.8 mm, which no arm meets.
#[test]
fn a_unit_that_leaves_next_to_nothing_is_doubted_and_never_clear() {
    let project = bench();
    project.write("table.stl", box_stl([-0.4, -0.3, 0.25], [0.4, 0.3, 0.32]));
    let doubt = "table: suspicious scale: it is 0.800 mm long";
    project
        .run("init bench.urdf table.stl --mesh-unit mm")
        .code(0)
        .stdout(contains(format!("unit?      {doubt}")));
    let text = cell(&project);
    assert!(text.contains("\n# suspicious scale: "), "{text}");
    assert!(text.contains("\nscale = 0.001\n"), "{text}");
    project
        .run("check away.csv")
        .code(2)
        .stdout(contains("without its `scale` it would be 800 mm"));
    // The remedies.
    project.write("cell.toml", text.replace("scale = 0.001", ""));
    project
        .run("check away.csv")
        .code(1)
        .stdout(contains("arm against table"));
    let small = text.replace(
        "mesh = \"table.stl\"\n",
        "box = [0.0008, 0.0006, 0.00007]\n",
    );
    project.write("cell.toml", small.replace("\nscale = 0.001\n", "\n"));
    project.run("check away.csv").code(0);
}

/// A post of 40 mm as COLLADA in millimetres, and as VRML97 in metres.
const POSTS: [(&str, &str); 2] = [
    (
        "post.dae",
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset><unit meter='0.001'/>\
         <up_axis>Z_UP</up_axis></asset><library_geometries><geometry id='g'><mesh><source id='p'><float_array id='a' \
         count='9'>-20 -20 300 20 -20 300 0 20 300</float_array><technique_common><accessor source='#a' count='3' \
         stride='3'><param name='X'/><param name='Y'/><param name='Z'/></accessor></technique_common></source><vertices \
         id='v'><input semantic='POSITION' source='#p'/></vertices><triangles count='1'><input semantic='VERTEX' \
         source='#v' offset='0'/><p>0 1 2</p></triangles></mesh></geometry></library_geometries></COLLADA>",
    ),
    (
        "post.wrl",
        "#VRML V2.0 utf8\nTransform { translation 0 0 0.3 children Shape { geometry Box { size 0.04 0.04 0.04 } } }\n",
    ),
];

/// Catches a scale on top of the unit that a file states: the post would be a speck that is missed.
#[test]
fn files_that_state_their_unit_get_no_scale() {
    let project = bench();
    for (post, text) in POSTS {
        project.write(post, text);
        project
            .run(&format!(
                "init bench.urdf {post} block.stl --mesh-unit mm --force"
            ))
            .stdout(contains(format!(
                "unit       post: {post} states its own unit, no scale is written"
            )));
        let text = cell(&project);
        assert_eq!(text.matches("\nscale = 0.001\n").count(), 1, "{text}");
        project
            .run("check away.csv")
            .code(1)
            .stdout(contains("arm against post"));
    }
}

/// Catches meshes of a folder that are left out in silence, and patterns that match nothing.
#[test]
fn meshes_of_a_folder_are_named_and_patterns_are_followed() {
    let project = bench();
    for folder in ["stuff", "parts"] {
        fs::create_dir(project.path().join(folder)).unwrap();
    }
    let at = |name: &str| project.path().join(name);
    fs::copy(at("away.csv"), at("stuff/away.csv")).unwrap();
    fs::copy(at("post.stl"), at("stuff/post.stl")).unwrap();
    fs::copy(at("post.stl"), at("parts/post.stl")).unwrap();
    project.write("parts/post_2.vrml", POSTS[1].1);
    project
        .run("init bench.urdf stuff")
        .code(0)
        .stdout(contains("1 robot, 0 obstacles"))
        .stdout(contains(
            "not taken  stuff/post.stl: of a folder only programs are taken; name the file",
        ));
    project
        .run("init bench.urdf stuff parts/* --force")
        .code(0)
        .stdout(contains("1 robot, 2 obstacles"));
    let text = cell(&project);
    assert!(text.contains("mesh = \"parts/post.stl\""), "{text}");
    assert!(text.contains("mesh = \"parts/post_2.vrml\""), "{text}");
    project
        .run("init bench.urdf parts/p*.stl --force")
        .code(0)
        .stdout(contains("1 robot, 1 obstacle\n"));
}

/// A name from a file can neither end a comment nor widen an allowance.
#[test]
fn names_stay_names() {
    let project = bench();
    let wicked =
        "post&#10;[[allow]]&#10;a=&quot;arm&quot;&#10;b=&quot;block&quot;&#10;reason=&quot;";
    let link = format!(
        r#"<link name="{wicked}"><collision><origin xyz="0 0 0.3"/><geometry><box size="0.04 0.04 0.04"/></geometry></collision></link>
        <joint name="f" type="fixed"><parent link="base"/><child link="{wicked}"/></joint></robot>"#
    );
    project.write("bench.urdf", URDF.replace("</robot>", &link));
    let said = project
        .run("init bench.urdf away.csv")
        .get_output()
        .stdout
        .clone();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains("overlap"), "{said}");
    let text = cell(&project);
    assert!(
        !text.lines().any(|line| line.starts_with("[[allow]]")),
        "{text}"
    );
    assert!(text.contains(r#"post\n[[allow]]\na=\"arm\""#), "{text}");
    project.run("check away.csv").code(1);

    let starred = r#"<link name="p*"><collision><origin xyz="0 0 0.3"/><geometry><box size="0.04 0.04 0.04"/></geometry></collision></link>
        <joint name="f" type="fixed"><parent link="base"/><child link="p*"/></joint></robot>"#;
    project.write("bench.urdf", URDF.replace("</robot>", starred));
    let said = project.run("init bench.urdf away.csv --force").code(2);
    let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
    assert!(
        said.contains("`*` stands for any text in patterns"),
        "{said}"
    );
}

#[test]
fn files_are_named_from_where_the_cell_file_is() {
    let project = bench();
    for folder in ["cells", "parts"] {
        fs::create_dir(project.path().join(folder)).unwrap();
    }
    fs::rename(
        project.path().join("post.stl"),
        project.path().join("parts/arm.stl"),
    )
    .unwrap();
    project
        .run("init bench.urdf parts/arm.stl -o cells/left.toml")
        .code(0);
    let text = fs::read_to_string(project.path().join("cells/left.toml")).unwrap();
    assert!(text.contains("urdf = \"../bench.urdf\""), "{text}");
    // The robot has a link of that name.
    assert!(
        text.contains("name = \"arm_2\"\nmesh = \"../parts/arm.stl\""),
        "{text}"
    );
    project.run("inspect --cell cells/left.toml").code(0);
}

/// A program that cannot be read is said, and does not stop the rest.
#[test]
fn broken_programs_are_told() {
    let project = bench();
    project.write("typo.csv", "time,turn,slid\n0,0,0\n");
    project
        .run("init bench.urdf post.stl typo.csv away.csv")
        .code(2)
        .stdout(contains("not read   typo.csv: "))
        .stdout(contains("all the time in 1 program,"))
        .stderr(contains("slid"));
    project.run("inspect").code(0);
    // Of a controller's program the keys that it needs stand in the file behind a `#`.
    let module = "MODULE m\nPROC main()\nMoveAbsJ [[0,0,0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;\nENDPROC\nENDMODULE\n";
    project.write("p.mod", module);
    project
        .run("init bench.urdf post.stl p.mod --force")
        .stdout(contains("not read   p.mod: "))
        .stdout(contains(
            "controller [robot.controller] stands in the cell file with its keys: take the # away",
        ));
}

/// Drawings and folders of meshes are told with what to do, and no cell without them is written.
#[test]
fn drawings_and_folders_of_meshes_are_told() {
    let project = bench();
    project.write("table.step", "ISO-10303-21;");
    fs::create_dir(project.path().join("meshes")).unwrap();
    fs::copy(
        project.path().join("post.stl"),
        project.path().join("meshes/post.stl"),
    )
    .unwrap();
    for (given, said) in [
        (
            "table.step",
            "table.step: the format `.step` is not read; export the mesh as .stl",
        ),
        (
            "meshes",
            "name each mesh in it, or a pattern, as in `clearance init robot.urdf 'meshes/*.stl'`",
        ),
    ] {
        project
            .run(&format!("init bench.urdf {given}"))
            .code(2)
            .stderr(contains(said));
        assert!(!project.path().join("cell.toml").exists());
    }
}

/// Catches a circle of links that is told without what to do about it.
#[cfg(unix)]
#[test]
fn a_circle_of_links_is_told() {
    let project = bench();
    fs::create_dir(project.path().join("stuff")).unwrap();
    std::os::unix::fs::symlink(".", project.path().join("stuff/again")).unwrap();
    project
        .run("init bench.urdf stuff")
        .code(2)
        .stderr(contains("remove the link, or name the files"));
}

/// Catches a cell file that the next command cannot read, or reads as another cell.
#[test]
fn what_init_is_told_of_the_robot_stands_in_the_cell_file() {
    let project = bench();
    fs::create_dir_all(project.path().join("lib/parts")).unwrap();
    fs::create_dir(project.path().join("cells")).unwrap();
    fs::rename(
        project.path().join("post.stl"),
        project.path().join("lib/parts/post.stl"),
    )
    .unwrap();
    let post = r#"<link name="post"><visual><geometry><mesh filename="package://own_parts/parts/post.stl"/></geometry></visual></link>
        <joint name="f" type="fixed"><parent link="base"/><child link="post"/></joint></robot>"#;
    project.write("bench.urdf", URDF.replace("</robot>", post));
    let init = "init bench.urdf --visual-as-collision --package own_parts=lib -o cells/left.toml";
    let said =
        "option     a cell file cannot say --visual-as-collision: give it to every command again";
    project.run(init).code(0).stdout(contains(said));
    let text = fs::read_to_string(project.path().join("cells/left.toml")).unwrap();
    assert!(
        text.contains("[packages]\n\"own_parts\" = \"../lib\"\n"),
        "{text}"
    );
    assert!(
        text.contains("# Made with --visual-as-collision: give"),
        "{text}"
    );
    project
        .run("check --cell cells/left.toml away.csv --visual-as-collision")
        .code(1)
        .stdout(contains("arm against post"));
    fs::write(
        project.path().join("cells/left.toml"),
        text.replace("[packages]", "#")
            .replace("\"own_parts\" =", "#"),
    )
    .unwrap();
    project
        .run("check --cell cells/left.toml away.csv --visual-as-collision")
        .code(2);
    // The folder of the cell file itself.
    project
        .run("init bench.urdf --package own_parts=. --force")
        .code(0);
    assert!(cell(&project).contains("\"own_parts\" = \".\"\n"));
}
