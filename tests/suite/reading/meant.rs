//! Numbers and patterns of a cell that can be read, and can hardly be meant: each hid a contact.

use super::{POST, Shop, arm, codes, cuboid, link};

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

/// A bare `rpy` of 180 turns a robot by some other angle.
#[test]
fn angles_of_poses_beyond_a_turn_leave_the_question_open() {
    let with = |rpy: &str| found(&arm(), &format!("base = {{ rpy = [0, 0, {rpy}] }}\n{POST}"));
    let (code, codes) = with("180");
    assert_eq!((code, &codes[..]), (2, &["suspicious-rpy".to_owned()][..]));
    assert!(with("\"180rad\"").1.is_empty());
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
