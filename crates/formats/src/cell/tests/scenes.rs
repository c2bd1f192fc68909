//! What scenes of MoveIt allow.

use clearance_proof::model::{Allowance, AllowedBy, Cell};
use clearance_proof::report::{Code, Severity};

use super::{ARM, ROBOT};
use crate::{LoadOptions, load_cell};

/// The cell of the arm with an SRDF, further lines, and other files.
fn cell_with(files: &[(&str, &str)], lines: &str) -> Cell {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    put("arm.urdf", ARM);
    put(
        "arm.srdf",
        r#"<robot name="arm"><disable_collisions link1="base" link2="jaw" reason="Never"/>
        <disable_collisions link1="jaw2" link2="tool0" reason="Never"/>
        <disable_collisions link1="base" link2="jaw2" reason="Never"/></robot>"#,
    );
    for (name, text) in files {
        put(name, text);
    }
    put("cell.toml", &format!("{ROBOT}srdf = \"arm.srdf\"\n{lines}"));
    let loaded = load_cell(&dir.path().join("cell.toml"), &LoadOptions::default());
    loaded.unwrap().cell
}

fn pairs(cell: &Cell, by: impl Fn(&AllowedBy) -> bool) -> Vec<String> {
    let allowed = cell.allowed.iter().filter(|a| by(&a.by));
    allowed
        .map(|Allowance { a, b, .. }| format!("{a} {b}"))
        .collect()
}

fn of_srdf(cell: &Cell) -> Vec<String> {
    pairs(cell, |by| matches!(by, AllowedBy::Srdf(_)))
}

fn is_said(cell: &Cell, what: &str) -> bool {
    cell.notes.iter().any(|note| note.message.contains(what))
}

/// A scene whose matrix has two names.
fn matrix(a: &str, b: &str, allowed: bool) -> String {
    format!(
        "world: {{collision_objects: []}}\nallowed_collision_matrix:\n  entry_names: [{a}, {b}]\n  entry_values: \
         [{{enabled: [false, {allowed}]}}, {{enabled: [{allowed}, false]}}]\n"
    )
}

/// In MoveIt the matrix of a message takes the place of the SRDF: what it does not allow is
/// checked, whatever the SRDF says.
#[test]
fn a_matrix_takes_back_what_the_srdf_allows() {
    let scene = "world: {collision_objects: []}\nallowed_collision_matrix:\n  entry_names: [tool0, jaw, jaw2]\n  entry_values:\n  \
         - enabled: [false, true, false]\n  - enabled: [true, false, false]\n  - enabled: [false, false, false]\n  \
         default_entry_names: [base]\n  default_entry_values: [true]\n";
    assert_eq!(
        of_srdf(&cell_with(&[], "")),
        ["base jaw", "jaw2 tool0", "base jaw2"]
    );
    let with = cell_with(&[("k.yaml", scene)], "[world]\nscene = \"k.yaml\"\n");
    assert_eq!(of_srdf(&with), ["base jaw", "base jaw2"]);
    assert!(
        is_said(
            &with,
            "that the SRDF allows; they are checked: `jaw2` – `tool0`"
        ),
        "{:?}",
        with.notes
    );
}

/// Regression: a pair of which the matrix says nothing stayed as the SRDF has it. MoveIt checks it.
#[test]
fn of_what_a_matrix_says_nothing_is_checked() {
    let scene = matrix("base", "jaw", true);
    let with = cell_with(&[("k.yaml", &scene)], "[world]\nscene = \"k.yaml\"\n");
    assert_eq!(of_srdf(&with), ["base jaw"]);
    assert!(is_said(&with, "`jaw2` – `tool0`"), "{:?}", with.notes);
    // A scene without a matrix says nothing of pairs.
    let empty = "world: {collision_objects: []}\n";
    let with = cell_with(&[("k.yaml", empty)], "[world]\nscene = \"k.yaml\"\n");
    assert_eq!(of_srdf(&with).len(), 3);
}

/// Regression: the defaults of the matrix of one robot took out contacts with a body that the cell
/// file adds, and with another robot.
#[test]
fn defaults_of_a_matrix_are_about_its_own_robot() {
    let defaults = "world: {collision_objects: []}\nallowed_collision_matrix:\n  entry_names: []\n  entry_values: []\n  \
                    default_entry_names: [jaw, part]\n  default_entry_values: [true, true]\n";
    let allowed = |robots: &str| {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        put("arm.urdf", ARM);
        put(
            "other.urdf",
            &ARM.replace("jaw", "claw")
                .replace("base", "foot")
                .replace("tool0", "flange"),
        );
        put("k.yaml", defaults);
        put(
            "cell.toml",
            &format!("{robots}[world]\nscene = \"k.yaml\"\n"),
        );
        let loaded = load_cell(&dir.path().join("cell.toml"), &LoadOptions::default());
        let cell = loaded.unwrap().cell;
        pairs(&cell, |by| matches!(by, AllowedBy::Scene(..)))
    };
    let one = "[[robot]]\nname = \"a\"\nurdf = \"arm.urdf\"\n";
    let own = ["a/base a/jaw", "a/jaw a/jaw2", "a/jaw a/tool0"];
    assert_eq!(allowed(one), own);
    let free = "[[free]]\nname = \"part\"\nbox = [0.1, 0.1, 0.1]\n";
    assert_eq!(allowed(&format!("{one}{free}")), own);
    let other = "[[robot]]\nname = \"b\"\nurdf = \"other.urdf\"\n";
    assert_eq!(allowed(&format!("{one}{other}")), own);
}

/// Regression: links of many arms have the same names, and the matrix of another arm allowed pairs
/// without a word.
#[test]
fn a_scene_of_another_robot_that_allows_pairs_is_told() {
    let allows = matrix("tool0", "jaw", true);
    let nothing = "world: {collision_objects: []}\n";
    let carries = "world: {collision_objects: []}\nrobot_state:\n  attached_collision_objects:\n  - link_name: tool0\n    \
                   object: {id: rod, header: {frame_id: tool0}, primitives: [{type: 2, dimensions: [0.1]}], primitive_poses: [{position: {x: 0, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}]}\n    \
                   touch_links: [jaw]\n";
    for (named, scene, told) in [
        ("robot_model_name: panda\n", &*allows, true),
        ("robot_model_name: panda\n", carries, true),
        ("robot_model_name: arm\n", &*allows, false),
        ("robot_model_name: ''\n", &*allows, false),
        ("", &*allows, false),
        ("robot_model_name: panda\n", nothing, false),
    ] {
        let text = format!("{named}{scene}");
        let cell = cell_with(&[("k.yaml", &text)], "[world]\nscene = \"k.yaml\"\n");
        let notices = cell.notices.iter().filter(|n| n.code == Code::OtherRobot);
        let notices: Vec<_> = notices.collect();
        assert_eq!(notices.len(), usize::from(told), "{text}: {notices:?}");
        for said in notices {
            assert!(said.subject.ends_with("k.yaml:1"), "{said:?}");
            assert_eq!(said.severity, Severity::Notice);
            assert!(said.message.contains("`panda`") && said.message.contains("`arm`"));
        }
    }
}

/// Regression: what one scene allows and another one wants checked was not checked.
#[test]
fn what_two_scenes_say_otherwise_is_checked() {
    let files = [
        ("yes.yaml", &*matrix("tool0", "jaw", true)),
        ("no.yaml", &*matrix("tool0", "jaw", false)),
    ];
    let allowed = |scenes: &str| {
        let cell = cell_with(&files, &format!("[world]\nscene = [{scenes}]\n"));
        let said = is_said(&cell, "that of another scene");
        (
            pairs(&cell, |by| matches!(by, AllowedBy::Scene(..))).len(),
            said,
        )
    };
    assert_eq!(allowed("\"yes.yaml\""), (1, false));
    assert_eq!(allowed("\"yes.yaml\", \"no.yaml\""), (0, true));
    assert_eq!(allowed("\"no.yaml\", \"yes.yaml\""), (0, true));
}

/// What the cell leaves open of the places of a scene's objects.
fn two_places(lines: &str) -> Vec<String> {
    let post = "id: post, primitives: [{type: 1, dimensions: [1, 1, 1]}], primitive_poses: [{position: [0, 9, 0], orientation: [0, 0, 0, 1]}]";
    let held = post.replace("post", "held, header: {frame_id: jaw}");
    let files = [
        (
            "k.yaml",
            &*format!("world: {{collision_objects: [{{{post}}}]}}\n"),
        ),
        (
            "held.yaml",
            &*format!(
                "world: {{}}\nrobot_state: {{attached_collision_objects: [{{link_name: jaw, object: {{{held}}}}}]}}\n"
            ),
        ),
        (
            "k.scene",
            "k\n* pin\n1\nsphere\n0.1\n0 9 0\n0 0 0 1\n0 0 0 0\n.\n",
        ),
        (
            "k.wrl",
            "#VRML V2.0 utf8\nShape { geometry Box { size 1 1 1 } }\n",
        ),
    ];
    let cell = cell_with(&files, lines);
    let open = cell.notices.iter();
    let open = open.filter(|said| said.severity == Severity::Open);
    open.map(|said| said.message.clone()).collect()
}

/// Regression: the robot went with its `base` and the scene stayed, without a word. In MoveIt both
/// have one frame.
#[test]
fn a_scene_beside_a_robot_with_a_base_has_two_places() {
    let base = "base = { xyz = [2, 0, 0] }\n";
    for scene in ["k.yaml", "k.scene"] {
        let world = format!("[world]\nscene = \"{scene}\"\n");
        let said = two_places(&format!("{base}{world}"));
        assert!(
            said.len() == 1 && said[0].contains("two places") && said[0].contains("[world]"),
            "{said:?}"
        );
        for one_place in [
            world.clone(),
            format!("base = {{ xyz = [0, 0, 0] }}\n{world}"),
            format!("{base}{world}pose = {{ xyz = [0, 0, 0] }}\n"),
        ] {
            assert_eq!(two_places(&one_place), [""; 0], "{one_place}");
        }
    }
    // What a link carries goes with it; a file of VRML is of no robot.
    for scene in ["held.yaml", "k.wrl"] {
        let said = two_places(&format!("{base}[world]\nscene = \"{scene}\"\n"));
        assert_eq!(said, [""; 0], "{scene}");
    }
    // The robot that the scene means has no base, another one has.
    let two = |of: &str| {
        let named = "name = \"one\"\n[[robot]]\nname = \"two\"\nurdf = \"arm.urdf\"\nbase = { xyz = [0, 5, 0] }\n";
        two_places(&format!("{named}[world]\nscene = \"k.yaml\"\n{of}")).len()
    };
    assert_eq!(
        [two("robot = \"one\"\n"), two("robot = \"two\"\n"), two("")],
        [0, 1, 1]
    );
}

/// Regression: a link `world` above the root of the robot was passed over, and the objects stood
/// 1 m lower than in MoveIt, which takes the frame of the link.
#[test]
fn a_link_called_world_leaves_the_frame_of_a_scene_open() {
    let open = |links: [&str; 2], frame: &str, lines: &str| {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        let [root, link] = links;
        put(
            "arm.urdf",
            &format!(
                "<robot name='r'><link name='{root}'/><link name='{link}'/><joint name='f' type='fixed'>\
                 <origin xyz='0 0 1'/><parent link='{root}'/><child link='{link}'/></joint></robot>"
            ),
        );
        let pin = "primitives: [{type: 2, dimensions: [1]}], primitive_poses: [{position: [0, 9, 0], orientation: [0, 0, 0, 1]}]";
        put(
            "w.yaml",
            &format!(
                "world: {{collision_objects: [{{id: pin, header: {{frame_id: '{frame}'}}, {pin}}}]}}\n"
            ),
        );
        put(
            "cell.toml",
            &format!("{ROBOT}[world]\nscene = \"w.yaml\"\n{lines}"),
        );
        let loaded = load_cell(&dir.path().join("cell.toml"), &LoadOptions::default());
        let notices = loaded.unwrap().cell.notices;
        notices
            .iter()
            .filter(|said| said.message.contains("two places"))
            .count()
    };
    let above = ["floor", "world"];
    assert_eq!(open(above, "world", ""), 1);
    assert_eq!(open(above, "/world", ""), 1);
    assert_eq!(open(above, "", ""), 0);
    assert_eq!(open(above, "world", "pose = { xyz = [0, 0, 1] }\n"), 0);
    assert_eq!(open(["world", "base"], "world", ""), 0);
}
