//! Where programs begin: `trajectory_start` of a message, and `start` of the cell.

use super::{Shop, arm, cuboid, link};

/// A post that the arm meets between -3 and 0 rad.
const NEAR: &str =
    "[[obstacle]]\nname = \"post\"\nbox = [0.1, 0.1, 1]\npose = { xyz = [-0.6, -0.6, 0] }\n";

/// The arm, and a flap on it that no program moves: upright (1.5708) it would meet a bar above.
fn shop() -> Shop {
    let flap = link(
        "flap",
        &cuboid("collision", "0.3 0.02 0.02", "xyz='0.15 0 0'"),
    ) + "<joint name='flap' type='revolute'><parent link='arm'/><child link='flap'/><origin xyz='0.8 0 0.1'/><axis xyz='0 -1 0'/>\
           <limit lower='-3' upper='3' velocity='9' effort='1'/></joint>";
    let bar =
        "[[obstacle]]\nname = \"bar\"\nbox = [0.1, 0.1, 0.1]\npose = { xyz = [0, 0.8, 0.35] }\n";
    let shop = Shop::new(&(arm() + &flap), bar);
    shop.put("flat.yaml", &message("", ""));
    shop
}

/// A quarter turn of `turn`, from 0 s or later, with this before it.
fn message(start: &str, from: &str) -> String {
    let from = if from.is_empty() { "0" } else { from };
    format!(
        "{start}trajectory:\n- joint_trajectory:\n    joint_names: [turn]\n    points:\n    - {{positions: [0], time_from_start: {from}}}\n    - {{positions: [1.5707963], time_from_start: 5}}\n"
    )
}

fn state(values: &str) -> String {
    format!("trajectory_start:\n  joint_state:\n{values}\n")
}

#[test]
fn joints_that_do_not_move_are_where_the_message_says() {
    let shop = shop();
    let check = |start: &str, from: &str| {
        shop.put("p.yaml", &message(start, from));
        let (code, out, err) = shop.run("check --cell cell.toml p.yaml");
        (code, out + &err)
    };
    assert_eq!(check("", "").0, 0);
    let up = state("    name: [turn, flap]\n    position: [0, 1.5707963]");
    let (code, said) = check(&up, "");
    assert!(code == 1 && said.contains("flap against bar"), "{said}");
    // The cell's own value counts no more.
    let flat = state("    name: [flap]\n    position: [0]");
    shop.put(
        "up.toml",
        &(std::fs::read_to_string(shop.path().join("cell.toml")).unwrap())
            .replace("r.urdf\"\n", "r.urdf\"\njoints = { flap = 1.5707963 }\n"),
    );
    shop.put("p.yaml", &message(&flat, ""));
    assert_eq!(shop.run("check --cell up.toml flat.yaml").0, 1);
    assert_eq!(shop.run("check --cell up.toml p.yaml").0, 0);

    // It begins elsewhere than the trajectory.
    let elsewhere = state("    name: [turn, flap]\n    position: [0.5, 0]");
    let (code, said) = check(&elsewhere, "");
    assert!(
        code == 2 && said.contains("but the trajectory begins at 0") && said.contains("p.yaml:4"),
        "{said}"
    );
    let near = state("    name: [turn, flap]\n    position: [0.005, 0]");
    assert_eq!(check(&near, "").0, 0);
    // A body that the robot carries and the cell does not know.
    let carries = "trajectory_start:\n  attached_collision_objects:\n  - link_name: arm\n    object: {id: beam}\n";
    let (code, said) = check(carries, "");
    assert!(
        code == 2 && said.contains("carried-object") && said.contains("`beam`"),
        "{said}"
    );
    // A joint of nobody, and a base elsewhere.
    let (code, said) = check(&state("    name: [nobody]\n    position: [1]"), "");
    assert!(code == 0 && said.contains("`nobody`"), "{said}");
    let base = "trajectory_start:\n  multi_dof_joint_state:\n    joint_names: [v]\n    transforms:\n    - {translation: {x: 0, y: 1, z: 0}, rotation: {x: 0, y: 0, z: 0, w: 1}}\n";
    let (code, said) = check(base, "");
    assert!(
        code == 2 && said.contains("multi_dof_joint_state"),
        "{said}"
    );
    let (code, said) = check(&base.replace("y: 1", "y: one"), "");
    assert!(
        code == 2 && said.contains("`y` of a `translation`"),
        "{said}"
    );
}

/// The robot is somewhere before the first point, and the message does not say where all of it is.
#[test]
fn a_start_of_some_joints_is_refused_where_it_counts() {
    let shop = shop();
    let start = state("    name: [turn]\n    position: [0]");
    let both = |from: &str| {
        let text =
            message(&start, from).replace("joint_names: [turn]", "joint_names: [turn, flap]");
        text.replace("positions: [0]", "positions: [0, 0]")
            .replace("positions: [1.5707963]", "positions: [0.1, 0]")
    };
    for (from, code) in [("0", 0), ("1", 2)] {
        shop.put("p.yaml", &both(from));
        let (found, out, err) = shop.run("check --cell cell.toml p.yaml");
        assert_eq!(found, code, "{out}{err}");
        let told = "has values of some joints of the trajectory, and not of all";
        assert_eq!(out.contains(told), code == 2, "{out}{err}");
    }
}

/// A joint that the message states and an event moves begins where the message says. Catches one
/// that begins at the cell's value, and one that stays where it begins.
#[test]
fn an_event_begins_where_the_state_has_its_joint() {
    let shop = shop();
    let check = |flap: &str, at: &str, value: &str| {
        let stated = state(&format!(
            "    name: [turn, flap]\n    position: [0, {flap}]"
        ));
        shop.put("p.yaml", &message(&stated, ""));
        // Later than the arm, so that the flap is under the bar.
        shop.put(
            "p.events.toml",
            &format!("[[event]]\nat = {at}\nmove = \"flap\"\nvalue = {value}\nduration = 0.2\n"),
        );
        let (code, out, err) = shop.run("check --cell cell.toml p.yaml --all");
        (code, out + &err)
    };
    // It goes up.
    let (code, said) = check("0", "4.8", "1.5707963");
    assert!(code == 1 && said.contains("flap against bar"), "{said}");
    // It stands up by the message, and comes down only when it is under the bar; the cell has it
    // lying.
    let (code, said) = check("1.5707963", "4.8", "0.8");
    assert!(code == 1 && said.contains("flap against bar"), "{said}");
    // It lies, and goes farther down.
    let (code, said) = check("0", "4.8", "-0.5");
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("does not name: flap"), "{said}");
    // Before the first event, and after: a flap that the cell has upright and the message lying.
    let up = std::fs::read_to_string(shop.path().join("cell.toml")).unwrap();
    let up = up.replace("r.urdf\"\n", "r.urdf\"\njoints = { flap = 1.5707963 }\n");
    shop.put("up.toml", &up);
    let (code, out, err) = shop.run("check --cell up.toml p.yaml");
    assert_eq!(code, 0, "{out}{err}");

    // An event cannot move a joint that the trajectory itself moves.
    let event = "[[event]]\nat = 1\nmove = \"turn\"\nvalue = 1.5707963\nduration = 1\n";
    shop.put("p.events.toml", event);
    let (code, out, err) = shop.run("check --cell cell.toml p.yaml");
    let said = out + &err;
    assert!(code == 2 && said.contains("`turn` is moved by"), "{said}");
}

/// The way from the state to a first point that comes later is checked: it sweeps the post.
#[test]
fn the_way_from_the_state_to_the_first_point_is_checked() {
    let shop = Shop::new(&arm(), NEAR);
    let from = state("    name: [turn]\n    position: [-3]");
    shop.put("p.yaml", &message(&from, "1"));
    let (code, out, err) = shop.run("check --cell cell.toml p.yaml");
    assert!(code == 1 && out.contains("arm against post"), "{out}{err}");
    shop.put("p.yaml", &message("", "1"));
    let (code, out, _) = shop.run("check --cell cell.toml p.yaml");
    assert!(
        code == 0 && out.contains("how the robot gets there"),
        "{out}"
    );
}

/// A file of moves that does not say where it begins comes from where the cell says.
#[test]
fn a_file_of_moves_begins_where_the_cell_says() {
    let shop = Shop::new(&arm(), NEAR);
    let moves = "{ \"clearance_motion\": 1, \"units\": { \"length\": \"m\", \"angle\": \"rad\" }, \"joints\": [\"turn\"], \"moves\": [{ \"move\": \"joint\", \"to\": { \"joints\": [0] }, \"zone\": \"stop\" }, { \"move\": \"joint\", \"to\": { \"joints\": [1] }, \"zone\": \"stop\" }] }";
    shop.put("p.motion.json", moves);
    let (code, out, err) = shop.run("check --cell cell.toml p.motion.json");
    assert!(
        code == 0 && out.contains("way to the first target"),
        "{out}{err}"
    );
    let cell = std::fs::read_to_string(shop.path().join("cell.toml")).unwrap();
    let cell = cell.replace("r.urdf\"\n", "r.urdf\"\nstart = { turn = -3 }\n");
    shop.put("cell.toml", &cell);
    let (code, out, err) = shop.run("check --cell cell.toml p.motion.json");
    assert!(code == 1 && out.contains("arm against post"), "{out}{err}");
}
