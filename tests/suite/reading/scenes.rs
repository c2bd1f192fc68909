//! Scenes of MoveIt as obstacles of a cell.

use super::{Shop, arm, cuboid, joint, link};

/// A post at 45°, which the arm sweeps; the object is half a metre off, and its shape brings it
/// there.
const POST: &str =
    "(scene)\n* post\n0.6 0.1 0\n0 0 0 1\n1\nbox\n0.1 0.1 1\n0 0.5 0\n0 0 0 1\n0 0 0 0\n0\n.\n";

#[test]
fn what_stands_in_a_scene_is_met() {
    let shop = Shop::new(&arm(), "[world]\nscene = \"kitchen.scene\"\n");
    shop.put("kitchen.scene", POST);
    let (code, out, err) = shop.run("check --cell cell.toml p.csv");
    assert!(code == 1 && out.contains("arm against post"), "{out}{err}");
    // Elsewhere it is not met: by its own pose, and by that of the scene.
    shop.put(
        "kitchen.scene",
        &POST.replace("0.6 0.1 0\n", "-0.6 -1.1 0\n"),
    );
    assert_eq!(shop.run("check --cell cell.toml p.csv").0, 0);
    shop.put("kitchen.scene", POST);
    let cell = std::fs::read_to_string(shop.path().join("cell.toml")).unwrap();
    shop.put("cell.toml", &(cell + "pose = { xyz = [-1.2, -1.2, 0] }\n"));
    let (code, out, err) = shop.run("check --cell cell.toml p.csv");
    assert_eq!(code, 0, "{out}{err}");
    // Content that is not understood is never left out.
    shop.put(
        "kitchen.scene",
        &POST.replace("box\n0.1 0.1 1", "plane\n0 0 1 0"),
    );
    let (code, out, err) = shop.run("check --cell cell.toml p.csv");
    assert!(
        code == 2 && (out + &err).contains("kitchen.scene:6"),
        "an endless plane"
    );
}

/// A post that the arm sweeps, and a rod that it carries: with it the arm reaches a wall that it
/// misses alone.
const MESSAGE: &str = "world:\n  collision_objects:\n  - id: post\n    primitives: [{type: 1, dimensions: [0.1, 0.1, 1]}]\n    primitive_poses: [{position: {x: 0.6, y: 0.6, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}]\n";
const CARRIED: &str = "robot_state:\n  attached_collision_objects:\n  - link_name: arm\n    object:\n      id: rod\n      header: {frame_id: arm}\n      pose: {position: {x: 1, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}\n      primitives: [{type: 1, dimensions: [0.6, 0.02, 0.02]}]\n      primitive_poses: [{position: {x: 0.3, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}]\n    touch_links: [base]\n";
const WALL: &str =
    "[[obstacle]]\nname = \"wall\"\nbox = [0.1, 0.1, 1]\npose = { xyz = [0, 1.4, 0] }\n";

fn matrix(names: &str, rows: &[&str], defaults: &str) -> String {
    let rows: String = rows
        .iter()
        .map(|row| format!("  - enabled: [{row}]\n"))
        .collect();
    format!(
        "allowed_collision_matrix:\n  entry_names: [{names}]\n  entry_values:\n{rows}{defaults}"
    )
}

/// Every pair that a message allows is out, with its line; everything else is in.
#[test]
fn allowed_pairs_of_a_message_are_out_with_their_line() {
    let shop = Shop::new(&arm(), "[world]\nscene = \"kitchen.yaml\"\n");
    let check = |matrix: &str| {
        shop.put("kitchen.yaml", &format!("{MESSAGE}{matrix}"));
        let (code, out, err) = shop.run("check --cell cell.toml p.csv");
        let (_, seen, _) = shop.run("inspect --cell cell.toml --pairs");
        (code, out + &err, seen)
    };
    let (code, said, _) = check("");
    assert!(code == 1 && said.contains("arm against post"), "{said}");
    let yes = matrix("arm, post", &["false, true", "true, false"], "");
    let (code, said, seen) = check(&yes);
    // No other pair moves: base and post stand still.
    assert!(code == 2 && said.contains("nothing-checked"), "{said}");
    assert!(
        seen.contains("allowed by the scene kitchen.yaml:")
            && seen.contains("allowed_collision_matrix"),
        "{seen}"
    );
    let no = matrix("arm, post", &["false, false", "false, false"], "");
    assert_eq!(check(&no).0, 1);
    // One direction, or a default against the matrix: it is checked, and said.
    let half = matrix("arm, post", &["false, true", "false, false"], "");
    let (code, _, seen) = check(&half);
    assert!(
        code == 1
            && seen.contains("in one place and not in another; they are checked: `arm` – `post`"),
        "{seen}"
    );
    let default = "  default_entry_names: [post]\n  default_entry_values: [true]\n";
    assert_eq!(check(&matrix("", &[], default)).0, 2);
    assert_eq!(
        check(&matrix(
            "arm, post",
            &["false, false", "false, false"],
            default
        ))
        .0,
        1
    );
    // Names of nobody are said.
    let stale = matrix("arm, shelf", &["false, true", "true, false"], "");
    let (code, _, seen) = check(&stale);
    assert!(
        code == 1 && seen.contains("neither the robot nor the scene has: `shelf`"),
        "{seen}"
    );
    // A change of a scene is not the scene.
    let (_, said, _) = check("is_diff: true\n");
    assert!(said.contains("is_diff"), "{said}");
}

/// A body that the robot carries goes with its link, may touch the bodies that the scene names, and
/// loses that permission once it is put down.
#[test]
fn what_a_message_attaches_is_carried() {
    let shop = Shop::new(
        &arm(),
        &format!("{WALL}[world]\nscene = \"kitchen.yaml\"\n"),
    );
    let world = "world:\n  collision_objects: []\n";
    let check = |carried: &str| {
        shop.put("kitchen.yaml", &format!("{world}{carried}"));
        let (code, out, err) = shop.run("check --cell cell.toml p.csv");
        (code, out + &err)
    };
    assert_eq!(check("").0, 0);
    let (code, said) = check(CARRIED);
    assert!(code == 1 && said.contains("wall against rod"), "{said}");
    let (_, seen, _) = shop.run("inspect --cell cell.toml --pairs");
    assert!(
        seen.contains("allowed by the scene kitchen.yaml:12: touch_links of `rod`"),
        "{seen}"
    );
    // A link that nobody has, and a frame that is not the link's.
    let (code, said) = check(
        &CARRIED
            .replace("link_name: arm", "link_name: hand")
            .replace("frame_id: arm", "frame_id: hand"),
    );
    assert!(
        code == 2 && said.contains("unknown link `hand`") && said.contains("kitchen.yaml:"),
        "{said}"
    );
    let (code, said) = check(&CARRIED.replace("frame_id: arm", "frame_id: base"));
    assert!(
        code == 2 && said.contains("state its pose in the frame of `arm`"),
        "{said}"
    );
}

/// MoveIt asks touch links about links only: an object of that name stays checked, and is told.
#[test]
fn touch_links_allow_no_contact_with_an_object() {
    let shop = Shop::new(&arm(), "[world]\nscene = \"kitchen.yaml\"\n");
    let wall = "world:\n  collision_objects:\n  - id: wall\n    primitives: [{type: 1, dimensions: [0.1, 0.1, 1]}]\n    primitive_poses: [{position: {x: 0, y: 1.4, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}]\n";
    let carried = CARRIED.replace("touch_links: [base]", "touch_links: [base, wall]");
    shop.put("kitchen.yaml", &format!("{wall}{carried}"));
    let (code, out, err) = shop.run("check --cell cell.toml p.csv");
    assert!(code == 1 && out.contains("wall against rod"), "{out}{err}");
    let note =
        "touch links are links of the robot: contacts with these are not allowed by that: `wall`";
    assert!(out.contains(note), "{out}{err}");
}

/// Where the base stands is what the cell says; a message that moves it is not passed over.
#[test]
fn a_base_that_a_scene_moves_is_refused() {
    let cell = format!("{WALL}[world]\nscene = \"kitchen.yaml\"\n");
    let shop = Shop::new(&arm(), &cell);
    let state = |x: &str| {
        format!(
            "world:\n  collision_objects: []\nrobot_state:\n  multi_dof_joint_state:\n    joint_names: [virtual_joint]\n    transforms:\n    - translation: {{x: {x}, y: 0, z: 0}}\n      rotation: {{x: 0, y: 0, z: 0, w: 1}}\n"
        )
    };
    shop.put("kitchen.yaml", &state("0"));
    assert_eq!(shop.run("check --cell cell.toml p.csv").0, 0);
    shop.put("kitchen.yaml", &state("0.9"));
    let (code, out, err) = shop.run("check --cell cell.toml p.csv");
    let said = "a base that `multi_dof_joint_state` of `robot_state` moves";
    assert!(code == 2 && (out + &err).contains(said), "{err}");
}

/// A touch that a scene allows to a carried body holds while it is carried: the rod sticks in the
/// hand, and stays there when it is let go.
#[test]
fn what_is_released_may_no_longer_touch() {
    let hand = link(
        "hand",
        &cuboid("collision", "0.5 0.02 0.02", "xyz='0.25 0 0'"),
    ) + &joint(
        "wrist",
        "revolute",
        "arm",
        "hand",
        "<origin xyz='1.1 0 0'/>",
    );
    let shop = Shop::new(&(arm() + &hand), "[world]\nscene = \"kitchen.yaml\"\n");
    let sticks = (CARRIED.replace("position: {x: 1,", "position: {x: 1.2,"))
        .replace("touch_links: [base]", "touch_links: [hand]");
    let scene = format!("world:\n  collision_objects: []\n{sticks}");
    shop.put("kitchen.yaml", &scene);
    shop.put("p.csv", "time,turn,wrist\n0,0,0\n1,1.5,0\n");
    let (code, out, err) = shop.run("check --cell cell.toml p.csv");
    assert_eq!(code, 0, "{out}{err}");
    shop.put("kitchen.yaml", &scene.replace("[hand]", "[]"));
    let (code, out, err) = shop.run("check --cell cell.toml p.csv");
    assert!(code == 1 && out.contains("hand against rod"), "{out}{err}");
    shop.put("kitchen.yaml", &scene);
    shop.put("p.events.toml", "[[event]]\nat = 0.5\nrelease = \"rod\"\n");
    let (code, report) = shop.check();
    let contact = &report["programs"][0]["first_contact"];
    assert_eq!(code, 1, "{report:#}");
    assert_eq!(
        (contact["a"].as_str(), contact["b"].as_str()),
        (Some("hand"), Some("rod"))
    );
    assert_eq!(contact["time"].as_f64(), Some(0.5), "{contact:#}");
}

/// A scene on the command line is beside what the cell has, for every command; a pack does not take
/// it.
#[test]
fn a_scene_on_the_command_line_stands_in_the_cell() {
    let shop = Shop::new(&arm(), WALL);
    shop.put("kitchen.yaml", &format!("{MESSAGE}{CARRIED}"));
    assert_eq!(shop.run("check --cell cell.toml p.csv").0, 0);
    let (code, out, err) = shop.run("check --cell cell.toml --scene kitchen.yaml p.csv --all");
    assert!(
        code == 1 && out.contains("arm against post") && out.contains("wall – rod"),
        "{out}{err}"
    );
    let (code, out, err) = shop.run("check --robot r.urdf --scene kitchen.yaml p.csv");
    assert!(code == 1 && out.contains("against post"), "{out}{err}");
    let (_, out, _) = shop.run("inspect --cell cell.toml --scene kitchen.yaml");
    assert!(out.contains("rod") && out.contains("post"), "{out}");
    let (code, _, err) = shop.run("batch --cell cell.toml --scene kitchen.yaml p.csv");
    assert_eq!(code, 1, "{err}");
    let (code, _, err) = shop.run("pack --cell cell.toml --scene kitchen.yaml -o cell.pack");
    assert!(code == 2 && err.contains("in place of --scene"), "{err}");
}
