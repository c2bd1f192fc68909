//! Limits that a file states count, or it is told that they do not.

use serde_json::Value;

use super::{POST, Shop, arm, codes};

/// A range of a continuous joint, which only a file of joint limits can state.
#[test]
fn a_range_of_a_continuous_joint_counts() {
    let shop = Shop::new(
        &arm().replace("revolute", "continuous"),
        &format!("joint_limits = \"joint_limits.yaml\"\n{POST}"),
    );
    let limits = |most: f64| {
        let range = format!("has_position_limits: true, min_position: -1, max_position: {most}");
        shop.put(
            "joint_limits.yaml",
            &format!("joint_limits:\n  turn: {{{range}}}\n"),
        );
        shop.check()
    };
    // The program turns by 1.57 rad.
    let (code, report) = limits(2.0);
    assert_eq!((code, &report["verdict"]), (0, &Value::from("clear")));
    let (code, report) = limits(1.0);
    let found = &report["programs"][0]["limits"][0];
    assert_eq!(
        (code, &found["joint"]),
        (1, &Value::from("turn")),
        "{report:#}"
    );
    assert_eq!(found["limit"], 1.0);
}

/// A joint that follows another one out of a range of its own: no finding, but told.
#[test]
fn a_follower_beyond_its_limits_is_told() {
    let follower = "<link name='b'/><joint name='back' type='revolute'><parent link='base'/><child link='b'/>\
                    <axis xyz='0 0 1'/><limit lower='LOWER' upper='1' velocity='9' effort='1'/>\
                    <mimic joint='turn' multiplier='-1'/></joint>";
    for (lower, beyond) in [("-1", true), ("-2", false)] {
        let shop = Shop::new(&(arm() + &follower.replace("LOWER", lower)), POST);
        let (code, report) = shop.check();
        assert_eq!(
            (code, &report["verdict"]),
            (0, &Value::from("clear")),
            "{report:#}"
        );
        let program = &report["programs"][0];
        let told = codes(&program["unchecked"]).contains(&"follower-limits");
        assert_eq!(told, beyond, "{report:#}");
        let (_, text, _) = shop.run("check --cell cell.toml p.csv");
        let said = "`back` follows `turn` to -90°, its own limit is -57.3°";
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words.contains(said), beyond, "{text}");
    }
    let shop = Shop::new(&(arm() + &follower.replace("LOWER", "-1")), POST);
    let (_, report) = shop.json("check --cell cell.toml p.csv --no-limits");
    let unchecked = codes(&report["programs"][0]["unchecked"]);
    assert!(!unchecked.contains(&"follower-limits"), "{report:#}");
}
