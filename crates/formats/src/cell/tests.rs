//! Cell files, whole and broken.

mod bodies;
mod controllers;
mod scenes;

use clearance_proof::model::{AllowedBy, Cell, Form};
use nalgebra::{Point3, Vector3};

use super::*;

const ARM: &str = r#"<robot name="arm"><link name="base"/><link name="tool0"/><link name="jaw"/><link name="jaw2"/>
    <joint name="turn" type="revolute"><parent link="base"/><child link="tool0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
    <joint name="grip" type="prismatic"><parent link="tool0"/><child link="jaw"/>
    <limit lower="0" upper="0.1" velocity="1" effort="1"/></joint>
    <joint name="grip2" type="prismatic"><parent link="tool0"/><child link="jaw2"/><mimic joint="grip" multiplier="-1"/>
    <limit lower="-0.1" upper="0" velocity="1" effort="1"/></joint></robot>"#;

const ROBOT: &str = "[[robot]]\nurdf = \"arm.urdf\"\n";

pub(super) fn load(text: &str) -> Result<Cell, ImportError> {
    load_whole(text).map(|loaded| loaded.cell)
}

/// The cell with what its files say besides.
fn load_whole(text: &str) -> Result<LoadedCell, ImportError> {
    loaded_of(ARM, text)
}

/// The cell with another robot.
fn load_of(arm: &str, text: &str) -> Result<Cell, ImportError> {
    loaded_of(arm, text).map(|loaded| loaded.cell)
}

fn loaded_of(arm: &str, text: &str) -> Result<LoadedCell, ImportError> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("arm.urdf"), arm).unwrap();
    let file = dir.path().join("cell.toml");
    std::fs::write(&file, text).unwrap();
    load_cell(&file, &LoadOptions::default())
}

#[test]
fn all_that_a_cell_file_states_is_in_the_cell() {
    let loaded = load_whole(
        r#"
        [[robot]]
        name = "left"
        urdf = "arm.urdf"
        base = { xyz = [0, 0, "800mm"], rpy = [0, 0, "180deg"] }
        joints = { grip = "20mm", turn = "45deg" }
        [[robot]]
        name = "right"
        urdf = "arm.urdf"
        [[attach]]
        name = "cup"
        parent = "left/tool0"
        cylinder = { radius = 0.02, length = "10cm" }
        pose = { xyz = [0.1, 0, 0], quat = [0, 0, 0, 1] }
        touch = ["left/jaw*", "table"]
        [[attach]]
        name = "part"
        parent = "cup"
        sphere = "1cm"
        [[obstacle]]
        name = "table"
        box = [1, 2, 0.1]
        solid = false
        [[obstacle]]
        name = "post"
        capsule = { radius = 0.1, length = 0 }
        [[obstacle]]
        name = "hat"
        cone = { radius = "10cm", length = 0.3 }
        [packages]
        mine = "somewhere"
        [check]
        clearance = "5mm"
        resolution = 0.0005
        limits = true
        [[allow]]
        a = "left/base"
        b = "table"
        reason = "bolted"
        [[pair]]
        a = "*/tool0"
        b = "post"
        clearance = "50mm"
        "#,
    )
    .unwrap();
    let cell = &loaded.cell;
    let notes = cell.notes.iter().map(|note| note.message.as_str());
    let notes: Vec<&str> = notes.collect();
    assert!(
        matches!(notes[..], [unused] if unused.contains("the package `mine` is stated")),
        "{notes:?}"
    );
    assert_eq!(
        cell.robots
            .iter()
            .map(|r| r.name.as_str())
            .collect::<Vec<_>>(),
        ["left", "right"]
    );
    assert_eq!(
        cell.rest,
        [std::f64::consts::FRAC_PI_4, 0.02, -0.02, 0.0, 0.0, 0.0]
    );
    assert_eq!(cell.joints[3].robot, 1);
    let poses = cell.forward(&[0.0; 6]);
    let at = |name: &str| cell.body_pose(&poses, cell.body(name).unwrap()) * Point3::origin();
    assert!((at("left/base") - Point3::new(0.0, 0.0, 0.8)).norm() < 1e-15);
    assert!((at("part") - Point3::new(-0.1, 0.0, 0.8)).norm() < 1e-15);
    let part = &cell.bodies[cell.body("part").unwrap()];
    assert_eq!(
        (part.role, part.joint, part.parent),
        (Role::Attached, Some(0), cell.body("cup"))
    );
    let table = &cell.bodies[cell.body("table").unwrap()];
    assert_eq!(
        (table.role, table.joint, table.shapes[0].solid),
        (Role::Obstacle, None, Some(false))
    );
    assert_eq!(
        table.shapes[0].form,
        Form::Box {
            size: Vector3::new(1.0, 2.0, 0.1)
        }
    );
    let hat = &cell.bodies[cell.body("hat").unwrap()];
    assert_eq!(
        hat.shapes[0].form,
        Form::Cone {
            radius: 0.1,
            length: 0.3
        }
    );
    let settings = CheckSettings {
        clearance: Some(0.005),
        warn: None,
        resolution: Some(0.0005),
        limits: Some(true),
    };
    assert_eq!(loaded.settings, settings);
    let allowed: Vec<_> = cell
        .allowed
        .iter()
        .map(|p| (p.a.as_str(), p.b.as_str(), &p.by))
        .collect();
    assert_eq!(
        allowed,
        [
            ("left/base", "table", &AllowedBy::Cell),
            ("cup", "left/jaw*", &AllowedBy::Touch),
            ("cup", "table", &AllowedBy::Touch)
        ]
    );
    assert_eq!(cell.thresholds[0].clearance, 0.05);
}

#[test]
fn stale_names_and_odd_values_are_noted() {
    let text = format!(
        "{ROBOT}joints = {{ turn = 1.5 }}\n[[allow]]\na = \"tabel\"\nb = \"base\"\n\
         [[obstacle]]\nname = \"table\"\nsphere = 1\n"
    );
    let cell = load(&text).unwrap();
    let notes: Vec<_> = cell
        .notes
        .iter()
        .map(|n| format!("{} {}", n.subject, n.message))
        .collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("turn") && notes[0].contains("outside its limits"));
    assert!(notes[1].contains("cell.toml:5:5") && notes[1].contains("did you mean `table`?"));
    assert_eq!(cell.rest[0], 1.5);
}

#[test]
fn errors_say_where_and_what_would_be_right() {
    let attach = "[[attach]]\nname = \"x\"\nparent = \"tool0\"\n";
    let obstacle = "[[obstacle]]\nname = \"x\"\n";
    for (rest, line, column, text) in [
        (
            "nmae = \"x\"\n",
            3,
            1,
            "unknown key `nmae`; in [[robot]], did you mean `name`?",
        ),
        ("colour = 1\n", 3, 1, "known are `name`, `urdf`"),
        (
            "# [robot.controller]   # as it counts\n# [0, 1]\ndialect = \"rapid\"\n",
            5,
            1,
            "`[robot.controller]` above it stands behind a `#`: take that away",
        ),
        (
            "xyz = [0, 0, 0]\n",
            3,
            1,
            "in [[robot]], `xyz` is a part of the pose: `base = { xyz = […] }`",
        ),
        (
            "joints = { trun = 1 }\n",
            3,
            12,
            "unknown joint `trun`; did you mean `turn`?",
        ),
        ("joints = { grip2 = 1 }\n", 3, 12, "set `grip`"),
        (
            "joints = { turn = \"5mm\" }\n",
            3,
            19,
            "unknown unit `mm` of angle",
        ),
        ("joints = { turn = nan }\n", 3, 19, "finite number"),
        (
            "[[pair]]\na = \"bsae\"\nb = \"*\"\nclearance = 0\n",
            4,
            5,
            "unknown body `bsae`; did you mean `base`?",
        ),
        ("srdf = \"gone.srdf\"\n", 3, 8, "`gone.srdf` was not found"),
        ("base = { xyz = [1, 2] }\n", 3, 16, "a list of 3 numbers"),
        ("base = { quat = [1, 1, 0, 0] }\n", 3, 17, "has length 1"),
        (
            "base = { quat = [0, 0, 0, 1], rpy = [0, 0, 0] }\n",
            3,
            31,
            "both `rpy` and `quat`",
        ),
        ("base = [1, 2, 3]\n", 3, 8, "a pose is a table"),
        ("[[robot]]\nurdf = \"arm.urdf\"\n", 1, 1, "has no `name`"),
        (
            "[check]\nclearence = 1\n",
            4,
            1,
            "did you mean `clearance`?",
        ),
        ("[check]\nclearance = -1\n", 4, 13, "0 or more"),
        (
            "[check]\nclearance = \"5 furlongs\"\n",
            4,
            13,
            "unknown unit `furlongs`",
        ),
        ("[check]\nresolution = 0\n", 4, 14, "above 0"),
        ("[check]\nlimits = \"yes\"\n", 4, 10, "true or false"),
        ("[[check]]\nlimits = true\n", 3, 1, "write [check], once"),
        ("[obstacle]\nname = \"x\"\n", 3, 2, "write [[obstacle]]"),
        (obstacle, 3, 1, "no geometry"),
        (
            &format!("{obstacle}sphere = 1\nbox = [1, 1, 1]\n"),
            0,
            0,
            "both `",
        ),
        (
            &format!("{obstacle}sphere = 1\nscale = 2\n"),
            6,
            1,
            "`scale` belongs to `mesh`",
        ),
        (
            &format!("{obstacle}mesh = \"x.stl\"\n"),
            5,
            8,
            "`x.stl` was not found; tried",
        ),
        (&format!("{obstacle}mesh = \".\"\n"), 5, 8, "it is a folder"),
        (
            &format!("{obstacle}mesh = \"https://example.org/t.stl\"\n"),
            5,
            8,
            "the address `https://example.org/t.stl` is not supported; download the file",
        ),
        (
            &format!("{obstacle}mesh = \"arm.urdf\"\nscale = 0\n"),
            6,
            9,
            "scale of 0",
        ),
        (
            &format!("{obstacle}cylinder = {{ radius = 1 }}\n"),
            5,
            12,
            "has no `length`",
        ),
        (&format!("{obstacle}box = [1, 0, 1]\n"), 5, 11, "above 0"),
        (
            &format!("{obstacle}sphere = 1\n{obstacle}sphere = 1\n"),
            7,
            8,
            "a second body is called `x`",
        ),
        (
            "[[obstacle]]\nname = \"base\"\nsphere = 1\n",
            4,
            8,
            "a second body is called `base`",
        ),
        (
            "[[obstacle]]\nname = \"a*\"\nsphere = 1\n",
            4,
            8,
            "patterns",
        ),
        (
            "[[attach]]\nname = \"x\"\nparent = \"tool\"\nsphere = 1\n",
            5,
            10,
            "unknown link `tool`; did you mean `tool0`?",
        ),
        (
            &format!("{attach}sphere = 1\ntouch = \"base\"\n"),
            7,
            9,
            "square brackets",
        ),
        ("[[allow]]\na = \"base\"\n", 3, 1, "has no `b`"),
        (
            "[[pair]]\na = \"base\"\nb = \"base\"\n",
            3,
            1,
            "has no `clearance`",
        ),
        (
            "[check]\nclearance = \"5mm\"\nwarn = \"5mm\"\n",
            5,
            8,
            "above `clearance`",
        ),
        (
            "[[pair]]\na = \"base\"\nb = \"base\"\nclearance = 0.02\nwarn = 0.01\n",
            7,
            8,
            "above `clearance`",
        ),
        ("robots = 1\n[x", 4, 3, ""),
    ] {
        let error = load(&format!("{ROBOT}{rest}")).expect_err(rest);
        assert!(error.to_string().contains(text), "{rest}: {error}");
        if line > 0 {
            assert_eq!(
                (error.place.line, error.place.column),
                (Some(line), Some(column)),
                "{rest}: {error}"
            );
        }
    }
    let error = load("").unwrap_err().to_string();
    assert!(
        error.contains("no robot") && error.contains("[[robot]]"),
        "{error}"
    );
    let error = load("[[robot]]\nurdf = \"amr.urdf\"\n")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cell.toml:2:8") && error.contains("was not found"),
        "{error}"
    );
    let twice = "[[robot]]\nname = \"a\"\nurdf = \"arm.urdf\"\n[[robot]]\nname = \"a\"\nurdf = \"arm.urdf\"\n";
    assert!(
        load(twice)
            .unwrap_err()
            .to_string()
            .contains("a name of its own")
    );
}

#[test]
fn files_that_cannot_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let options = LoadOptions::default();
    let folder = load_cell(dir.path(), &options).unwrap_err().to_string();
    assert!(folder.contains("it is a folder"), "{folder}");
    let gone = load_cell(&dir.path().join("x.toml"), &options)
        .unwrap_err()
        .to_string();
    assert!(
        gone.contains("cannot be read") && gone.contains("check the path"),
        "{gone}"
    );
    let binary = dir.path().join("b.toml");
    std::fs::write(&binary, b"a = 1\nb = \"\xff\"").unwrap();
    let error = load_cell(&binary, &options).unwrap_err();
    assert_eq!(error.place.line, Some(2));
    assert!(error.to_string().contains("UTF-8"), "{error}");
}

/// In what an SRDF allows it would stand for any link.
#[test]
fn links_have_no_names_that_are_patterns() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("arm.urdf"),
        ARM.replace("\"jaw\"", "\"jaw*\""),
    )
    .unwrap();
    let file = dir.path().join("cell.toml");
    std::fs::write(&file, ROBOT).unwrap();
    let error = load_cell(&file, &LoadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`*` stands for any text in patterns"),
        "{error}"
    );
}

/// The examples that come with the program load, and nothing in them goes unchecked or unanswered.
#[test]
fn the_examples_load() {
    let robots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robots");
    let mut cells = 0;
    for entry in std::fs::read_dir(robots).unwrap() {
        let file = entry.unwrap().path().join("cell.toml");
        if file.is_file() {
            let loaded = load_cell(&file, &LoadOptions::default());
            let cell = loaded.unwrap_or_else(|e| panic!("{e}")).cell;
            assert_eq!(cell.unchecked, []);
            // Remarks on meshes are in order; stale names and ignored limits would not be.
            let odd = cell.notes.iter().find(|n| !n.subject.contains("/meshes/"));
            assert_eq!(odd, None);
            cells += 1;
        }
    }
    assert!(cells >= 2, "{cells} cells");
}

/// The object stands in the scene's frame, and its shape in the object's: both turned, so that the
/// order counts.
#[test]
fn what_stands_in_a_scene_is_placed_by_all_three_frames() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    put("arm.urdf", ARM);
    let half = "0.7071067811865476";
    put(
        "k.scene",
        &format!(
            "k\n* pin\n1 0 0\n0 0 {half} {half}\n1\nsphere\n0.1\n2 0 0\n0 0 0 1\n0 0 0 0\n0\n.\n"
        ),
    );
    put(
        "cell.toml",
        &format!(
            "{ROBOT}[world]\nscene = \"k.scene\"\npose = {{ xyz = [0, 0, 5], rpy = [\"90deg\", 0, 0] }}\n"
        ),
    );
    let loaded = load_cell(&dir.path().join("cell.toml"), &LoadOptions::default()).unwrap();
    let cell = &loaded.cell;
    let pin = &cell.bodies[cell.body("pin").unwrap()];
    let at = pin.joint_from_body * pin.shapes[0].body_from_shape * Point3::origin();
    // In the object 2 along x, in the scene (1, 2, 0), turned about x by a quarter and raised by 5.
    assert!((at - Point3::new(1.0, 0.0, 7.0)).norm() < 1e-9, "{at}");
    assert!(loaded.files.iter().any(|f| f.ends_with("k.scene")));
}

/// Regression: a sheet that is drawn from both sides, and a bin that a sheet divides, were called
/// solid and were not full.
#[test]
fn what_cannot_be_full_is_not_called_solid() {
    let sheet = "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nf 1 2 3\nf 1 3 4\nf 2 1 4\nf 2 4 3\n";
    // Corners 1 to 12: x 0, 1, 2, then y 0, 1, then z 0, 1.
    let corners = (0..12).map(|v| format!("v {} {} {}\n", v / 4, v / 2 % 2, v % 2));
    let corners = corners.collect::<String>();
    let bin = "f 1 3 7 5\nf 5 7 11 9\nf 1 5 6 2\nf 5 9 10 6\nf 9 11 12 10\nf 11 7 8 12\nf 7 3 4 8\nf 3 1 2 4\n";
    let dir = tempfile::tempdir().unwrap();
    let read_from = |file: &str, mesh: &str| {
        std::fs::write(dir.path().join(file), mesh).unwrap();
        let text = format!("[[free]]\nname = \"o\"\nmesh = \"{file}\"\nsolid = true\n");
        std::fs::write(dir.path().join("cell.toml"), text).unwrap();
        let loaded = load_cell(&dir.path().join("cell.toml"), &LoadOptions::default());
        loaded.map(|_| ()).map_err(|why| why.to_string())
    };
    let read = |mesh: &str| read_from("m.obj", mesh);
    assert_eq!(read(&format!("{corners}{bin}")), Ok(()));
    // Round shapes of VRML97 whose walls have both sides.
    for (form, is_closed) in [
        ("Cylinder { }", true),
        ("Cylinder { top FALSE }", false),
        ("Cylinder { top FALSE bottom FALSE }", false),
        ("Cone { }", true),
        ("Cone { bottom FALSE }", false),
    ] {
        let shape =
            format!("#VRML V2.0 utf8\nTransform {{ children Shape {{ geometry {form} }} }}\n");
        let read = read_from("m.wrl", &shape);
        assert_eq!(read.is_ok(), is_closed, "{form}");
        assert!(
            read.err().is_none_or(|why| why.contains("both sides")),
            "{form}"
        );
    }
    // By another name of the same file.
    std::fs::create_dir(dir.path().join("x")).unwrap();
    let first = "[[free]]\nname = \"a\"\nmesh = \"m.wrl\"\n";
    let second = first
        .replace("\"a\"", "\"b\"")
        .replace("m.wrl", "x/../m.wrl");
    std::fs::write(
        dir.path().join("cell.toml"),
        format!("{first}{second}solid = true\n"),
    )
    .unwrap();
    let loaded = load_cell(&dir.path().join("cell.toml"), &LoadOptions::default());
    let why = loaded.map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("both sides"), "{why}");
    for (mesh, words) in [
        (sheet.to_owned(), "encloses nothing"),
        (
            format!("{corners}{bin}f 5 7 8 6\n"),
            "how full it is cannot be told",
        ),
    ] {
        let error = read(&mesh).unwrap_err();
        assert!(
            error.contains("cell.toml:4") && error.contains(words),
            "{error}"
        );
    }
}
