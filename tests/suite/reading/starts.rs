//! Where programs begin: `trajectory_start` of a message, and `start` of the cell.

use super::{Shop, arm, cuboid, joint, link};

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
    let all = "    name: [nobody, turn, flap]\n    position: [1, 0, 0]";
    let (code, said) = check(&state(all), "");
    assert!(code == 0 && said.contains("`nobody`"), "{said}");
    // It may be the flap, of which nothing is said.
    let (code, said) = check(&state("    name: [Flap]\n    position: [1.5707963]"), "");
    assert!(code == 2 && said.contains("`Flap`"), "{said}");
    let base = "trajectory_start:\n  multi_dof_joint_state:\n    joint_names: [v]\n    transforms:\n    - {translation: {x: 0, y: 1, z: 0}, rotation: {x: 0, y: 0, z: 0, w: 1}}\n";
    let (code, said) = check(base, "");
    assert!(
        code == 2 && said.contains("multi_dof_joint_state"),
        "{said}"
    );
    let (code, said) = check(&base.replace("y: 1", "y: one"), "");
    assert!(
        code == 2 && said.contains("a number of a `translation`"),
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

/// The shop with two such robots, far from each other, and a third one of another kind.
fn shop_of_three() -> Shop {
    let shop = shop();
    let lift = link("o", "") + &link("up", "") + &joint("lift", "revolute", "o", "up", "");
    shop.put("o.urdf", &format!("<robot name='o'>\n{lift}</robot>\n"));
    let cell = std::fs::read_to_string(shop.path().join("cell.toml")).unwrap();
    let robots = "[[robot]]\nname = \"left\"\nurdf = \"r.urdf\"\n[[robot]]\nname = \"right\"\nurdf = \"r.urdf\"\nbase = { xyz = [0, -9, 0] }\n[[robot]]\nname = \"third\"\nurdf = \"o.urdf\"\nbase = { xyz = [9, 9, 0] }\n";
    shop.put(
        "three.toml",
        &cell.replace("[[robot]]\nurdf = \"r.urdf\"\n", robots),
    );
    shop
}

/// Catches a state that is dropped because two robots have such joints, and one that is not held
/// against the first point because it has other names.
#[test]
fn bare_names_of_a_state_are_those_of_the_robot() {
    let shop = shop_of_three();
    let (bare, left) = ("[turn, flap]", "[left/turn, left/flap]");
    let check = |robot: &str, moves: &str, names: &str, values: &str, from: &str| {
        let start = state(&format!("    name: {names}\n    position: {values}"));
        let text = message(&start, from)
            .replace("joint_names: [turn]", &format!("joint_names: [{moves}]"));
        shop.put("p.yaml", &text);
        let program = match robot {
            "" => "p.yaml".to_owned(),
            robot => format!("--program {robot}=p.yaml"),
        };
        let (code, out, err) = shop.run(&format!("check --cell three.toml {program}"));
        (code, out + &err)
    };
    let up = "[0, 1.5707963]";
    // Under the bar stands the left robot; the right one is far.
    for (robot, moves, names) in [
        ("left", "turn", bare),
        ("left", "left/turn", bare),
        ("left", "turn", left),
        ("", "left/turn", left),
    ] {
        let (code, said) = check(robot, moves, names, up, "0");
        assert!(
            code == 1 && said.contains("left/flap against bar"),
            "{robot} {moves} {names}: {said}"
        );
        assert_eq!(check(robot, moves, names, "[0, 0]", "0").0, 0);
    }
    assert_eq!(check("right", "turn", bare, up, "0").0, 0);
    // Whose they are is not said.
    let (code, said) = check("", "left/turn", bare, up, "0");
    assert!(
        code == 2 && said.contains("`flap` (`left/flap` or `right/flap`)"),
        "{said}"
    );
    let (code, said) = check("left", "turn", "[lift]", "[0.1]", "0");
    assert!(
        code == 2 && said.contains("only `third/lift` is there"),
        "{said}"
    );
    let both = "[left/flap, flap]";
    let (code, said) = check("left", "turn", both, "[0, 0.1]", "0");
    assert!(code == 2 && said.contains("two values"), "{said}");
    // Two names of one joint: it begins elsewhere, or earlier.
    for names in [left, "[turn, flap]"] {
        let moves = if names == left { "turn" } else { "left/turn" };
        let (code, said) = check("left", moves, names, "[0.5, 0]", "0");
        assert!(
            code == 2 && said.contains("is 0.5 in") && said.contains("p.yaml:2"),
            "{said}"
        );
        let (code, said) = check("left", moves, names, "[0, 0]", "1");
        assert!(code == 2 && said.contains("under another name"), "{said}");
    }
}

/// Catches a body that counts as carried because it has the name, wherever it is.
#[test]
fn what_a_state_says_is_carried_hangs_on_that_link() {
    let shop = shop_of_three();
    let of = |of: &str| std::fs::read_to_string(shop.path().join(of)).unwrap();
    let (one, three) = (of("cell.toml"), of("three.toml"));
    let beam = |key: &str| {
        format!(
            "{key}\nname = \"beam\"\nbox = [0.01, 0.01, 0.01]\npose = {{ xyz = [0.9, 0, 0.3] }}\n"
        )
    };
    let on = |link: &str| beam("[[attach]]") + &format!("parent = \"{link}\"\ntouch = [\"*\"]\n");
    let check = |cell: &str, link: &str, program: &str| {
        let carries = format!(
            "trajectory_start:\n  attached_collision_objects:\n  - object: {{id: beam}}\n{link}"
        );
        shop.put("c.toml", cell);
        shop.put("p.yaml", &message(&carries, ""));
        let (code, out, err) = shop.run(&format!("check --cell c.toml {program}"));
        (code, out + &err)
    };
    let arm = "    link_name: arm\n";
    let (code, said) = check(&(one.clone() + &on("arm")), arm, "p.yaml");
    assert_eq!(code, 0, "{said}");
    let standing = beam("[[obstacle]]").replace("[0.9, 0, 0.3]", "[-3, 0, 0]");
    for (cell, link, told) in [
        (standing.clone(), arm, "in the cell it stands still"),
        (on("flap"), arm, "in the cell `flap` carries it"),
        (on("arm"), "", "without the `link_name`"),
        (on("arm"), "    link_name: leg\n", "no link of that name"),
    ] {
        let (code, said) = check(&(one.clone() + &cell), link, "p.yaml");
        assert!(
            code == 2 && said.contains(told) && said.contains("carried-object"),
            "{said}"
        );
    }
    // An event attaches it when the program begins, to that link or to another one, or later.
    let off = "[[event]]\nat = 0\nrelease = \"beam\"\n";
    let event = |at: &str, to: &str| {
        format!("[[event]]\nat = {at}\nattach = \"beam\"\nto = \"{to}\"\ntouch = [\"*\"]\n")
    };
    let stands = one.clone() + &standing;
    for (cell, events, expected) in [
        (stands.clone(), event("0", "arm"), 0),
        (stands.clone(), event("0", "flap"), 2),
        (stands, event("1", "arm"), 2),
        (one.clone() + &on("arm"), off.to_owned(), 0),
    ] {
        shop.put("p.events.toml", &events);
        let (code, said) = check(&cell, arm, "p.yaml");
        assert_eq!(code, expected, "{events}{said}");
    }
    std::fs::remove_file(shop.path().join("p.events.toml")).unwrap();
    let on_right = three + &on("right/arm");
    for (link, robot, expected) in [
        (arm, "left", 2),
        ("    link_name: left/arm\n", "right", 2),
        (arm, "right", 0),
        ("    link_name: right/arm\n", "left", 0),
    ] {
        let (code, said) = check(&on_right, link, &format!("--program {robot}=p.yaml"));
        assert_eq!(code, expected, "{link} {robot}: {said}");
    }
}

/// Catches a conversion that leaves behind what the message says of other joints.
#[test]
fn a_state_stays_in_a_converted_program() {
    let shop = shop();
    let up = state("    name: [turn, flap]\n    position: [0, 1.5707963]");
    shop.put("p.yaml", &message(&up, ""));
    let (code, text, err) = shop.run("convert --cell cell.toml p.yaml");
    assert_eq!(code, 0, "{err}");
    shop.put("p.motion.json", &text);
    let (code, out, err) = shop.run("check --cell cell.toml p.motion.json");
    assert!(code == 1 && out.contains("flap against bar"), "{out}{err}");

    let [cell, away] = ["cell.toml", "other.toml"].map(|name| shop.path().join(name));
    std::fs::rename(&cell, &away).unwrap();
    let (code, out, err) = shop.run("convert p.yaml");
    assert!(
        code != 0 && out.is_empty() && err.contains("--cell"),
        "{out}{err}"
    );
    // Without other joints nothing is lost.
    shop.put(
        "p.yaml",
        &message(&state("    name: [turn]\n    position: [0]"), ""),
    );
    assert_eq!(shop.run("convert p.yaml").0, 0);
    std::fs::rename(&away, &cell).unwrap();
    let carries = "trajectory_start:\n  attached_collision_objects:\n  - link_name: arm\n    object: {id: beam}\n";
    shop.put("p.yaml", &message(carries, ""));
    let (code, out, err) = shop.run("convert --cell cell.toml p.yaml");
    assert!(
        code != 0 && out.is_empty() && err.contains("carries"),
        "{out}{err}"
    );
}

/// Catches a value of a joint that follows another one which is dropped unseen.
#[test]
fn a_state_agrees_with_joints_that_follow() {
    let shop = shop();
    let urdf = std::fs::read_to_string(shop.path().join("r.urdf")).unwrap();
    let tip = "<link name='tip'/><joint name='tip' type='revolute'><parent link='flap'/><child link='tip'/><axis xyz='0 -1 0'/>\
         <limit lower='-3' upper='3' velocity='9' effort='1'/><mimic joint='flap' multiplier='-2' offset='0.1'/></joint></robot>";
    shop.put("r.urdf", &urdf.replace("</robot>", tip));
    for (names, values, expected) in [
        ("[flap, tip]", "[0.1, -0.1]", 0),
        ("[tip, flap]", "[-0.095, 0.1]", 2),
        // It tells where the flap is.
        ("[tip]", "[0.1]", 0),
        ("[tip]", "[-0.1]", 0),
        ("[flap, tip]", "[0.1, 0.1]", 2),
    ] {
        let start = state(&format!("    name: {names}\n    position: {values}"));
        shop.put("p.yaml", &message(&start, ""));
        let (code, out, err) = shop.run("check --cell cell.toml p.yaml");
        let told = (out.clone() + &err).contains("contradicts the robot: `tip`");
        assert!(
            code == expected && told == (code == 2),
            "{names} {values}: {out}{err}"
        );
    }
}

/// The robot is 9 mrad beside the first point, where the arm touches the post.
#[test]
fn a_small_step_from_the_state_is_checked() {
    let post =
        "[[obstacle]]\nname = \"post\"\nbox = [0.1, 0.1, 1]\npose = { xyz = [0.8, -0.105, 0] }\n";
    let shop = Shop::new(&arm(), post);
    for (q, expected) in [("0", 0), ("-0.009", 1)] {
        let from = state(&format!("    name: [turn]\n    position: [{q}]"));
        shop.put("p.yaml", &message(&from, ""));
        let (code, out, err) = shop.run("check --cell cell.toml p.yaml");
        assert_eq!(code, expected, "{q}: {out}{err}");
    }
    // Number 1 is the state or the first point.
    let shop = self::shop();
    let event = "[[event]]\nwaypoint = 2\nmove = \"flap\"\nvalue = 0.1\nduration = 1\n";
    shop.put("p.events.toml", event);
    for (from, expected) in [("0", 0), ("-0.009", 2)] {
        let from = state(&format!("    name: [turn]\n    position: [{from}]"));
        let text = message(&from, "");
        let text = text.replace(
            "    - {positions: [1.57",
            "    - {positions: [0.1], time_from_start: 2}\n    - {positions: [1.57",
        );
        shop.put("p.yaml", &text);
        let (code, out, err) = shop.run("check --cell cell.toml p.yaml");
        assert_eq!(code, expected, "{out}{err}");
        let told = "either may be meant by number 1";
        assert_eq!(out.contains(told), expected == 2, "{out}{err}");
    }
}

/// A finger that follows another one tells where both are.
#[test]
fn a_follower_in_the_state_tells_where_its_leader_is() {
    let finger = |name: &str, y: &str, law: &str| {
        link(name, &cuboid("collision", "0.02 0.02 0.02", "xyz='0 0 0'"))
            + &format!(
                "<joint name='{name}' type='prismatic'><parent link='arm'/><child link='{name}'/><origin xyz='1.1 {y} 0'/>\
                 <axis xyz='0 1 0'/>{law}<limit lower='-1' upper='1' velocity='9' effort='1'/></joint>"
            )
    };
    let robot = arm() + &finger("f1", "0.2", "") + &finger("f2", "-0.2", "<mimic joint='f1'/>");
    // Where the first finger is when it is 9 mm out; the arm stands still.
    let post =
        "[[obstacle]]\nname = \"post\"\nbox = [0.1, 0.01, 1]\npose = { xyz = [1.1, 0.22, 0] }\n";
    let shop = Shop::new(&robot, post);
    for (stated, values, expected) in [
        ("f1", "0", 0),
        ("f1", "0.009", 1),
        ("f2", "0.009", 1),
        ("f1, f2", "0.0, 0.009", 2),
    ] {
        let text = message(
            &state(&format!("    name: [{stated}]\n    position: [{values}]")),
            "",
        );
        let text = text.replace("1.5707963", "0");
        shop.put("p.yaml", &text);
        let (code, out, err) = shop.run("check --cell cell.toml p.yaml");
        assert_eq!(code, expected, "{stated} {values}: {out}{err}");
    }
}

/// A state of the SRDF with a name that the robot does not have leaves a joint where it is.
#[test]
fn a_state_of_the_srdf_with_a_misspelt_joint_is_refused() {
    let shop = shop();
    let cell = std::fs::read_to_string(shop.path().join("cell.toml")).unwrap();
    let srdf = |joint: &str| {
        let text = format!(
            "<robot name='r'><group name='g'><joint name='flap'/></group><group_state name='up' group='g'>\
             <joint name='turn' value='0'/><joint name='{joint}' value='1.5707963'/></group_state></robot>"
        );
        shop.put("r.srdf", &text);
    };
    let run = |more: &str| {
        let robot = format!("r.urdf\"\nsrdf = \"r.srdf\"\nstate = \"up\"\n{more}");
        shop.put("up.toml", &cell.replace("r.urdf\"\n", &robot));
        let (code, out, err) = shop.run("check --cell up.toml flat.yaml");
        (code, out + &err)
    };
    srdf("flap");
    assert_eq!(run("").0, 1);
    srdf("Flap");
    let (code, said) = run("");
    assert!(
        code == 2 && said.contains("`Flap`") && said.contains("`flap`"),
        "{said}"
    );
    assert_eq!(run("joints = { flap = 1.5707963 }\n").0, 1);
}
