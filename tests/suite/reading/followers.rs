//! Joints that follow another one (`mimic`): what a program, a second program and errors say of
//! them.

use super::{POST, Shop, arm};

/// A lamp on the arm, which turns as `turn` does.
const LAMP: &str = "<link name='lamp'><collision><geometry><sphere radius='0.05'/></geometry></collision></link>\
    <joint name='nod' type='revolute'><parent link='arm'/><child link='lamp'/><axis xyz='0 0 1'/>\
    <limit lower='-9' upper='9' velocity='99' effort='1'/><mimic joint='turn'/></joint>";

fn shop() -> Shop {
    Shop::new(&(arm() + LAMP), POST)
}

/// Regression: positions obey at both waypoints, and what the controller drives between them is the
/// cubic of the stated velocities.
#[test]
fn velocities_of_a_follower_are_those_of_its_law() {
    let shop = shop();
    let path = |velocity: f64| {
        let first =
            format!("{{positions: [0, 0], velocities: [0, {velocity}], time_from_start: 0}}");
        let last = "{positions: [1, 1], velocities: [0, 0], time_from_start: 1}";
        let text = format!("joint_names: [turn, nod]\npoints:\n- {first}\n- {last}\n");
        shop.put("p.yaml", &text);
        shop.run("check --cell cell.toml p.yaml")
    };
    let (code, text, _) = path(0.0);
    assert_eq!(code, 0, "{text}");
    let (code, _, error) = path(6.0);
    assert_eq!(code, 2, "{error}");
    assert!(
        error.contains("p.yaml:3:") && error.contains("its velocity must be 0°/s here"),
        "{error}"
    );
}

/// Regression: the follower of one program was compared with where its leader rests, though another
/// program moves that.
#[test]
fn a_follower_is_not_held_while_another_program_moves_its_leader() {
    let shop = shop();
    shop.put("hold.csv", "time,nod\n0,0\n1,0\n");
    let both = "check --cell cell.toml --program p.csv --program hold.csv";
    let (code, _, error) = shop.run(both);
    assert_eq!(code, 2, "{error}");
    assert!(
        error.contains("hold.csv:1: `nod` follows a joint that p.csv moves"),
        "{error}"
    );
    // One that moves neither may run beside.
    let (code, text, _) = shop.run("check --cell cell.toml hold.csv");
    assert_eq!(code, 0, "{text}");
}

/// Regression: the one value for all turning joints gave nothing to one that follows a sliding
/// joint.
#[test]
fn one_error_for_all_turning_joints_means_followers_too() {
    let slide = "<joint name='turn' type='prismatic'>";
    let robot = (arm() + LAMP).replace("<joint name='turn' type='revolute'>", slide);
    assert!(robot.contains(slide));
    let lamp = "<geometry><box size='1 0.1 0.1'/></geometry>";
    let robot = robot.replace("<geometry><sphere radius='0.05'/></geometry>", lamp);
    // 5 mm beyond the end of the lamp, which 1 degree moves sideways by 8.7 mm.
    let post = "[[obstacle]]\nname = \"post\"\nbox = [0.1, 0.1, 0.1]\npose = { xyz = [0.45, 0.105, 0] }\n\
                [[allow]]\na = \"arm\"\nb = \"post\"\nreason = \"the lamp is meant\"\n";
    for (errors, code) in [("", 0), ("[uncertainty]\njoint = \"1deg\"\n", 1)] {
        let shop = Shop::new(&robot, &format!("{post}{errors}"));
        shop.put("p.csv", "time,turn\n0,0\n1,0\n");
        let (got, report) = shop.json("check --cell cell.toml p.csv");
        assert_eq!(got, code, "{report:#}");
        let kind = &report["programs"][0]["first_contact"]["kind"];
        assert_eq!(kind == "possible", code == 1, "{report:#}");
    }
}

/// Regression: what a joint in the middle of a chain is off by itself went no further down.
#[test]
fn errors_go_down_a_chain_of_followers() {
    let joint = |kind: &str, name: &str, follows: &str| {
        format!(
            "<joint name='{name}' type='{kind}'><parent link='base'/><child link='of_{name}'/><axis xyz='0 0 1'/>\
             <limit lower='-5' upper='5' effort='1' velocity='10'/>{follows}</joint>"
        )
    };
    let ball =
        "<collision><origin xyz='1 0 0'/><geometry><sphere radius='0.05'/></geometry></collision>";
    let robot = format!(
        "<link name='base'/><link name='of_lead'/><link name='of_middle'/><link name='of_last'>{ball}</link>{}{}{}",
        joint("prismatic", "lead", ""),
        // Followers may stand before what they follow.
        joint(
            "revolute",
            "last",
            "<mimic joint='middle' multiplier='-5'/>"
        ),
        joint("revolute", "middle", "<mimic joint='lead'/>"),
    );
    // 60 mm beside the ball, which 0.1 rad moves by 100 mm.
    let post = "[[obstacle]]\nname = \"post\"\nsphere = 0.05\npose = { xyz = [1, 0.16, 0] }\n[uncertainty]\n";
    for (errors, code) in [
        ("joint = { middle = \"0.02rad\" }", 1),
        ("joint = \"0.02rad\"", 1),
        ("joint = { middle = \"0.008rad\", last = \"0.025rad\" }", 1),
        ("joint = { middle = \"0.008rad\" }", 0),
        ("joint = { last = \"0.025rad\" }", 0),
        ("joint = \"0.01rad\"", 0),
    ] {
        let shop = Shop::new(&robot, &format!("{post}{errors}\n"));
        shop.put("p.csv", "time,lead[m]\n0,0\n1,0.0001\n");
        let (got, report) = shop.json("check --cell cell.toml p.csv");
        assert_eq!(got, code, "{errors}: {report:#}");
    }
}
