//! Numbers and patterns of a cell that can be read, and can hardly be meant: each hid a contact.

use super::{POST, Shop, arm, codes, cuboid, joint, link};

const SLIDE: &str = "<joint name='rail' type='prismatic'><parent link='ground'/><child link='base'/><axis xyz='1 0 0'/>\
                     <limit LIMITS velocity='9' effort='1'/></joint>\n";

/// The arm on a slide with these limits.
fn on_a_slide(limits: &str) -> String {
    link("ground", "") + &arm() + &SLIDE.replace("LIMITS", limits)
}

/// Exit code, and the codes of notices of the cell.
fn found(robot: &str, cell: &str) -> (i32, Vec<String>) {
    let (code, report) = Shop::new(robot, cell).check();
    let codes = codes(&report["notices"]);
    (code, codes.into_iter().map(str::to_owned).collect())
}

/// A value in millimetres puts the whole robot where nothing is.
#[test]
fn a_slide_that_rests_far_away_leaves_the_question_open() {
    for limits in ["", "lower='0' upper='3'"] {
        let robot = on_a_slide(limits);
        let at = |value: &str| {
            found(
                &robot,
                &format!("joints = {{ rail = {value} }}\n{POST}[check]\nlimits = false\n"),
            )
        };
        assert_eq!(at("0.5").0, 0, "{limits}");
        let (code, codes) = at("500");
        assert_eq!(
            (code, codes.contains(&"suspicious-place".to_owned())),
            (2, true),
            "{limits}: {codes:?}"
        );
        // Who writes the unit means it.
        assert!(at("\"500mm\"").0 == 0, "{limits}");
    }
}

/// Poses in millimetres beside a robot on a slide without limits, and beside a turntable, whose one
/// joint has no reach.
#[test]
fn places_are_looked_at_beside_slides_without_limits_and_turntables() {
    let far = POST.replace("[-0.8, -0.8, 0]", "[0, 1500, 300]");
    let (code, codes) = found(&on_a_slide(""), &far);
    assert_eq!(
        (code, &codes[..]),
        (0, &["suspicious-place".to_owned()][..])
    );
    let fence = POST.replace("[0.1, 0.1, 1]", "[3200, 100, 2000]");
    let fence = fence.replace("[-0.8, -0.8, 0]", "[0, 1600, 500]");
    let (code, codes) = found(&arm(), &fence);
    assert_eq!(
        (code, &codes[..]),
        (
            2,
            &["suspicious-scale", "suspicious-place"].map(str::to_owned)[..]
        ),
        "{codes:?}"
    );
    let part = format!(
        "{POST}[[attach]]\nname = \"part\"\nparent = \"arm\"\nbox = [0.1, 0.1, 0.1]\npose = {{ xyz = [0, 500, 0] }}\n"
    );
    let (code, codes) = found(&arm(), &part);
    assert_eq!(
        (code, &codes[..]),
        (2, &["suspicious-place".to_owned()][..]),
        "{codes:?}"
    );
}

/// What a URDF has beside its arm is an obstacle.
#[test]
fn what_a_urdf_has_far_beside_its_arm_is_told() {
    let table = link("table", &cuboid("collision", "1 1 0.1", ""))
        + "<joint name='t' type='fixed'><parent link='base'/><child link='table'/><origin xyz='0 1500 300'/></joint>\n";
    let (code, codes) = found(&(arm() + &table), POST);
    assert_eq!(
        (code, &codes[..]),
        (2, &["suspicious-place".to_owned()][..]),
        "{codes:?}"
    );
}

/// Exit code where an event happens on the way.
fn with_event(robot: &str, cell: &str, event: &str) -> i32 {
    let shop = Shop::new(robot, cell);
    shop.put("p.events.toml", &format!("[[event]]\nat = 0.5\n{event}\n"));
    shop.check().0
}

/// Regression: any event settled every wrong place whose notice did not name one body alone.
#[test]
fn events_settle_only_the_places_of_obstacles_that_they_bring() {
    let allow = "allow = [\"arm\", \"post\"]\nreason = \"r\"";
    let rail = format!("joints = {{ rail = 500 }}\n{POST}[check]\nlimits = false\n");
    assert_eq!(with_event(&on_a_slide(""), &rail, allow), 2);
    let table = link("table", &cuboid("collision", "1 1 0.1", ""))
        + "<joint name='t' type='fixed'><parent link='base'/><child link='table'/><origin xyz='0 1500 300'/></joint>\n";
    let far = format!(
        "{POST}{}",
        POST.replace("post", "pile").replace("-0.8, -0.8", "900, 0")
    );
    assert_eq!(with_event(&(arm() + &table), &far, allow), 2);
    // Two links far away from what carries them.
    let loose = [("left", "5"), ("right", "-5")].map(|(name, y)| {
        let origin = format!("xyz='900 {y} 0'");
        link(name, &cuboid("collision", "0.1 0.1 0.1", &origin))
            + &joint(
                &format!("to_{name}"),
                "revolute",
                "arm",
                name,
                "<origin xyz='1.2 0 0'/>",
            )
    });
    assert_eq!(with_event(&(arm() + &loose.concat()), POST, allow), 2);
    // An obstacle that waits far away until an event brings it, and another event.
    assert_eq!(with_event(&arm(), &far, allow), 2);
    let bring = "attach = \"pile\"\nto = \"arm\"\n";
    assert_ne!(with_event(&arm(), &far, bring), 0);
    let place = "pose = { xyz = [1.1, 0, 0.5] }\ntouch = [\"arm\"]";
    assert_eq!(with_event(&arm(), &far, &format!("{bring}{place}")), 0);
}

/// A bare `rpy` of 180 turns a robot by some other angle.
#[test]
fn angles_of_poses_beyond_a_turn_leave_the_question_open() {
    let with = |rpy: &str| found(&arm(), &format!("base = {{ rpy = [0, 0, {rpy}] }}\n{POST}"));
    let (code, codes) = with("180");
    assert_eq!((code, &codes[..]), (2, &["suspicious-rpy".to_owned()][..]));
    assert!(with("\"180rad\"").1.is_empty());
}

/// An angle in degrees turns what a joint carries; whole turns beside quarters in radians do not.
#[test]
fn angles_of_a_urdf_beyond_a_turn_leave_the_question_open() {
    let with = |rpy: &str| {
        let tool = joint(
            "wrist",
            "revolute",
            "arm",
            "tool",
            &format!("<origin xyz='1.2 0 0' rpy='{rpy}'/>"),
        );
        let cube = cuboid("collision", "0.1 0.1 0.1", "xyz='0.1 0 0'");
        found(&(arm() + &link("tool", &cube) + &tool), POST)
    };
    let told = vec!["suspicious-rpy".to_owned()];
    assert_eq!(with("0 0 90"), (2, told.clone()));
    assert_eq!(with("0 -180 0"), (2, told.clone()));
    assert_eq!(with("7.854 0 -9.42478"), (0, told));
    assert_eq!(with("0 0 -6.2832"), (0, vec![]));
}

/// Limits in degrees are left by nothing, and tell no program in degrees.
#[test]
fn limits_of_a_urdf_in_degrees_leave_the_question_open() {
    let with = |limits: &str| found(&arm().replace("lower='-3' upper='3'", limits), POST);
    let told = vec!["suspicious-limits".to_owned()];
    assert_eq!(with("lower='-170' upper='170'"), (2, told.clone()));
    assert_eq!(with("lower='0' upper='30'"), (2, told));
    // Seven turns of a wrist; no limits at all; a wrist that turns often beside joints that do not.
    assert_eq!(with("lower='-24' upper='24'"), (0, vec![]));
    assert_eq!(with("lower='-1e4' upper='1e4'"), (0, vec![]));
    let wrist = joint(
        "wrist",
        "revolute",
        "arm",
        "tool",
        "<origin xyz='1.2 0 0'/>",
    )
    .replace("lower='-3' upper='3'", "lower='-40' upper='40'");
    let cube = cuboid("collision", "0.1 0.1 0.1", "xyz='0.1 0 0'");
    let two = arm() + &link("tool", &cube) + &wrist;
    assert_eq!(found(&two, POST), (0, vec![]));
}

/// Shapes and places that nobody reads: the arm would run through what they state.
#[test]
fn parts_that_stand_where_nobody_reads_them_leave_the_question_open() {
    let told = (2, vec!["misplaced-element".to_owned()]);
    let shape = "<geometry><box size='1 0.1 0.1'/></geometry>";
    let piece = format!("<collision>{shape}</collision>");
    let foreign = |name: &str| format!("<{name}>{piece}</{name}>");
    let in_arm =
        |more: &str| arm().replace("<link name='arm'>", &format!("<link name='arm'>{more}"));
    for more in [
        shape.to_owned(),
        "<box size='1 1 1'/>".to_owned(),
        format!("<![CDATA[{piece}]]>"),
        "<pose>0 0 0.5 0 0 0</pose>".to_owned(),
        "<origin xyz='0 0 0.5'/>".to_owned(),
        format!("<inertial>{piece}</inertial>"),
    ]
    .into_iter()
    .chain(["collide", "set", "group", "sensor", "material"].map(foreign))
    {
        assert_eq!(found(&in_arm(&more), POST), told, "{more}");
    }
    // Of other programs, and coarser shapes beside the link's own.
    for more in ["gazebo", "drake:proximity", "self_collision_checking"]
        .map(foreign)
        .into_iter()
        .chain(["<origin xyz='0 0 0' rpy='0 0 0.0'/>".to_owned()])
    {
        assert_eq!(found(&in_arm(&more), POST), (0, vec![]), "{more}");
    }
    let bare = arm().replace(
        &cuboid("collision", "1 0.1 0.1", "xyz='0.5 0 0'"),
        &foreign("self_collision_checking"),
    );
    assert!(found(&bare, POST).1.contains(&told.1[0]));
    for (of_joint, instead) in [
        (
            "<axis xyz='0 0 1'/>",
            "<axis xyz='0 0 1'/><origin>0 0 0.5</origin>",
        ),
        (
            "<axis xyz='0 0 1'/>",
            "<axis xyz='0 0 1'/><position xyz='0 0 0.5'/>",
        ),
        (
            "<axis xyz='0 0 1'/>",
            "<origin xyz='0 0 0'><axis xyz='0 0 1'/></origin>",
        ),
        (
            "<parent link='base'/>",
            "<parent link='base'><origin xyz='0 0 0.5'/></parent>",
        ),
        ("<parent", "<collision/><parent"),
    ] {
        let robot = arm().replace(of_joint, instead);
        assert!(found(&robot, POST).1.contains(&told.1[0]), "{instead}");
    }
    for more in [
        piece.clone(),
        foreign("group_of_links"),
        foreign("group"),
        "<mesh filename='a.stl'/>".to_owned(),
    ] {
        assert_eq!(found(&(arm() + &more), POST), told, "{more}");
    }
}

/// Neighbours are not checked; who states a distance of two of them by name wants it kept.
#[test]
fn neighbours_that_a_pair_names_are_checked() {
    // A gripper that its slide drives into the arm.
    let robot = arm()
        + &link(
            "gripper",
            &cuboid("collision", "0.3 0.3 0.1", "xyz='0.5 0 -0.4'"),
        )
        + "<joint name='z' type='prismatic'><parent link='arm'/><child link='gripper'/><axis xyz='0 0 1'/>\
           <limit lower='-0.2' upper='0.4' velocity='9' effort='1'/></joint>\n";
    let check = |pair: &str| {
        let shop = Shop::new(&robot, &format!("{POST}{pair}"));
        shop.put("p.csv", "time,turn,z\n0,0,0\n1,0,0.4\n");
        let (code, report) = shop.check();
        let codes: Vec<String> = codes(&report["notices"])
            .into_iter()
            .map(str::to_owned)
            .collect();
        (code, codes)
    };
    let pair = |a: &str| format!("[[pair]]\na = \"{a}\"\nb = \"gripper\"\nclearance = \"20mm\"\n");
    assert_eq!(check("").0, 0);
    assert_eq!(check(&pair("arm")).0, 1);
    // By a pattern nothing is checked that would not be otherwise, and that is said.
    assert_eq!(check(&pair("ar*")), (0, vec!["idle-pair".to_owned()]));
}

/// Patterns of allowances that take an obstacle, or the other robot, out of the check.
#[test]
fn allowances_that_leave_nothing_of_a_body_are_told() {
    let allow = |a: &str, b: &str| {
        format!("[[allow]]\na = \"{a}\"\nb = \"{b}\"\nreason = \"they touch\"\n")
    };
    let told = |cell: &str| {
        let shop = Shop::new(&arm(), cell);
        let (_, report) = shop.json("check --cell cell.toml p.csv");
        report["notices"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|n| n["code"] == "nothing-checked")
            .map(|n| n["subject"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let other = POST
        .replace("post", "wall")
        .replace("-0.8, -0.8", "0.9, 0.9");
    let both = format!("{POST}{other}");
    assert_eq!(told(&(both.clone() + &allow("*", "p*"))), ["post"]);
    // One by one is how it is meant.
    assert!(told(&(both + &allow("arm", "post"))).is_empty());
    let robots = format!(
        "name = \"left\"\n[[robot]]\nname = \"right\"\nurdf = \"r.urdf\"\nbase = {{ xyz = [0, 2, 0] }}\n{POST}"
    );
    let shop = |more: &str| told(&format!("{robots}{more}"));
    assert!(shop("").is_empty());
    assert_eq!(
        shop(&allow("left/*", "right/*")),
        ["left/base, right/base", "`left` and `right`"]
    );
}

/// A robot in millimetres stands far beyond a cell in metres, and hits nothing there.
#[test]
fn a_urdf_in_millimetres_leaves_the_question_open() {
    let arm = |mm: f64| {
        let size = format!("{0} {1} {1}", mm, 0.1 * mm);
        let piece = |name: &str| {
            let above = format!("xyz='0 0 {mm}'");
            link(name, &cuboid("collision", &size, &above))
        };
        piece("base")
            + &piece("upper")
            + &piece("fore")
            + &joint("turn", "revolute", "base", "upper", "")
            + &joint(
                "elbow",
                "revolute",
                "upper",
                "fore",
                &format!("<origin xyz='{mm} 0 {mm}'/>"),
            )
    };
    let scale = vec!["suspicious-scale".to_owned()];
    assert_eq!(found(&arm(1.0), POST).0, 0);
    let (code, codes) = found(&arm(1000.0), POST);
    assert_eq!((code, &codes), (2, &scale));
    // It is meant.
    let meant = format!("urdf_unit = \"m\"\n{POST}");
    assert_eq!(found(&arm(1000.0), &meant).0, 0);
    let other = format!("urdf_unit = \"mm\"\n{POST}");
    let shop = Shop::new(&arm(1000.0), &other);
    let (_, _, error) = shop.run("inspect --cell cell.toml");
    assert!(error.contains("a URDF is in metres"), "{error}");
}

/// Patterns of `touch` take a part out of the check as those of `[[allow]]` do.
#[test]
fn a_touch_of_everything_is_told() {
    let part = |touch: &str| {
        format!(
            "{POST}[[attach]]\nname = \"part\"\nparent = \"arm\"\nbox = [0.1, 0.1, 0.1]\npose = {{ xyz = [0.9, 0, 0.1] }}\ntouch = [\"{touch}\"]\n"
        )
    };
    let told = vec!["nothing-checked".to_owned()];
    assert_eq!(found(&arm(), &part("*")), (0, told));
    assert_eq!(found(&arm(), &part("base")), (0, vec![]));
    let shop = Shop::new(
        &arm(),
        &format!(
            "{POST}{}",
            POST.replace("post", "part")
                .replace("-0.8, -0.8", "0.8, 0.8")
        ),
    );
    shop.put(
        "p.events.toml",
        "[[event]]\nat = 0.5\nattach = \"part\"\nto = \"arm\"\npose = { xyz = [0.9, 0, 0.1] }\ntouch = [\"*\"]\n",
    );
    let (code, report) = shop.check();
    let notices = &report["programs"][0]["notices"];
    assert_eq!(
        (code, codes(notices)),
        (0, vec!["nothing-checked"]),
        "{report:#}"
    );
    let said = notices.to_string();
    assert!(
        said.contains("part of the program") && said.contains("patterns of `touch` of events"),
        "{said}"
    );
}

/// One column in degrees that is read as radians is another motion.
#[test]
fn a_header_with_a_unit_for_some_turning_joints_only_is_refused() {
    let wrist = joint(
        "wrist",
        "revolute",
        "arm",
        "tool",
        "<origin xyz='1.2 0 0'/>",
    );
    let cube = cuboid("collision", "0.1 0.1 0.1", "");
    let shop = Shop::new(&(arm() + &link("tool", &cube) + &wrist), POST);
    for (header, code) in [
        ("time,turn[deg],wrist", 2),
        ("time,turn,wrist[rad]", 2),
        ("time,turn[deg],wrist[rad]", 0),
        ("time,turn,wrist", 0),
    ] {
        shop.put("p.csv", &format!("{header}\n0,0,0\n1,1,1\n"));
        let (got, said, _) = shop.run("check --cell cell.toml p.csv");
        assert_eq!(got, code, "{header}: {said}");
        let name = if header.contains("turn,") {
            "turn"
        } else {
            "wrist"
        };
        let remedy = format!("p.csv:1: `{name}` has no unit");
        assert!(code == 0 || said.contains(&remedy), "{said}");
    }
    // Poses of the tool.
    shop.put("p.csv", "x,y,z,rx,ry,rz\n0,0,0,0,0,0\n");
    let (_, said, _) = shop.run("check --cell cell.toml p.csv");
    assert!(said.contains("poses of the tool are not read"), "{said}");
}

/// Of a robot that stands 800 m away not only the table is told.
#[test]
fn a_base_in_millimetres_is_named() {
    let cell = format!("base = {{ xyz = [0, 0, 800] }}\n{POST}");
    let shop = Shop::new(&arm(), &cell);
    let (code, said, _) = shop.run("check --cell cell.toml p.csv");
    assert!(
        code == 2 && said.contains("look at its `base` too"),
        "{said}"
    );
}

/// Regression: the box around all shapes of a link hid one that is next to nothing, or far away.
#[test]
fn a_shape_beside_others_is_judged_by_itself() {
    let cuboid_at = |xyz: &str| cuboid("collision", "0.1 0.1 0.1", &format!("xyz='{xyz}'"));
    let hand = |second: &str| {
        let shapes = cuboid("collision", "0.05 0.05 0.02", "") + second;
        let joint = joint("j", "fixed", "arm", "hand", "<origin xyz='1.05 0 0'/>");
        arm() + &link("hand", &shapes) + &joint
    };
    let seen = |robot: &str, size: f64| {
        let shop = Shop::new(robot, POST);
        let corners = format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\n");
        shop.put("t.obj", &(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"));
        let (code, report) = shop.check();
        let messages = report["notices"].as_array().into_iter().flatten();
        let messages = messages.map(|n| format!("{}: {}", n["code"], n["message"]));
        (code, messages.collect::<Vec<_>>())
    };
    let mesh = |scale: &str| {
        format!("<collision><geometry><mesh filename='t.obj' {scale}/></geometry></collision>")
    };
    let scaled = mesh("scale='0.001 0.001 0.001'");
    // In metres; drawn in millimetres, as a screw is; far away; the same of what stands.
    let far_base = arm().replacen(
        "</collision>",
        &format!("</collision>{}", cuboid_at("0 0 500")),
        1,
    );
    for (robot, size, expected, said) in [
        (hand(&mesh("")), 0.3, 0, ""),
        (hand(&scaled), 8.0, 0, ""),
        (
            hand(&scaled),
            0.3,
            2,
            "suspicious-scale of its 2 shapes number 2 (`t.obj`) is 0.300 mm long",
        ),
        (
            hand(&cuboid_at("0 0 5")),
            1.0,
            0,
            "suspicious-place of its 2 shapes number 2 (a box) is 4.9 m away",
        ),
        (
            hand(&cuboid_at("0 0 500")),
            1.0,
            2,
            "suspicious-place of its 2 shapes number 2 (a box) is 499.9 m away",
        ),
        (
            far_base,
            1.0,
            2,
            "suspicious-place of its 2 shapes number 2 (a box) stands at least",
        ),
    ] {
        let (code, messages) = seen(&robot, size);
        assert_eq!(code, expected, "{said}: {messages:?}");
        match said.split_once(' ') {
            None => assert!(messages.is_empty(), "{messages:?}"),
            Some((kind, said)) => assert!(
                messages.len() == 1 && messages[0].contains(kind) && messages[0].contains(said),
                "{said}: {messages:?}"
            ),
        }
    }
}
