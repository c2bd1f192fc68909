//! Scenes of MoveIt as obstacles of a cell.

use super::{Shop, arm};

/// A post at 45°, which the arm sweeps; the object is half a metre off, and its shape brings it there.
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
    // What is not understood is never left out.
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

/// A message allows contacts that the cell does not: they count, and that is said.
#[test]
fn allowed_pairs_of_a_message_are_not_taken_over_in_silence() {
    let shop = Shop::new(&arm(), "[world]\nscene = \"kitchen.yaml\"\n");
    shop.put(
        "kitchen.yaml",
        "allowed_collision_matrix: {entry_names: [arm, post], entry_values: [{enabled: [false, true]}, {enabled: [true, false]}]}\n\
         world:\n  collision_objects:\n  - id: post\n    primitives: [{type: 1, dimensions: [0.1, 0.1, 1]}]\n    primitive_poses: [{position: {x: 0.6, y: 0.6, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}]\n",
    );
    let (code, out, err) = shop.run("check --cell cell.toml p.csv");
    assert!(code == 1 && out.contains("arm against post"), "{out}{err}");
    let (_, out, err) = shop.run("inspect --cell cell.toml");
    assert!(
        (out + &err).contains("2 entries allow contacts"),
        "not said"
    );
}
