//! Programs with stamps of one clock that run together.

use super::{Shop, arm};

/// Two arms side by side that meet where both point at each other.
fn shop() -> Shop {
    let shop = Shop::new(&arm(), "");
    let robot = |name: &str, base: &str| {
        format!(
            "[[robot]]\nname = \"{name}\"\nurdf = \"r.urdf\"\nbase = {{ xyz = [{base}, 0, 0] }}\n"
        )
    };
    shop.put("two.toml", &(robot("left", "0") + &robot("right", "1.8")));
    shop
}

/// From aside to where the other arm may come, and back within two seconds, from a stamp on.
fn swing(stamp: u32, aside: f64, towards: f64) -> String {
    format!(
        "header: {{stamp: {{sec: {stamp}, nanosec: 0}}}}\njoint_names: [turn]\npoints:\n\
         - {{positions: [{aside}], time_from_start: 0}}\n\
         - {{positions: [{towards}], time_from_start: 1}}\n\
         - {{positions: [{aside}], time_from_start: 2}}\n"
    )
}

/// Recorded four seconds apart they never meet; begun together they do, and the other way round.
#[test]
fn programs_with_stamps_say_how_far_apart_they_begin_or_are_asked() {
    let shop = shop();
    let run = |left: u32, right: u32, offset: &str, more: &str| {
        shop.put("l.yaml", &swing(left, 1.5, 0.1));
        shop.put("r.yaml", &swing(right, 1.5, 3.0));
        let command = format!(
            "check --cell two.toml --program left=l.yaml --program right=r.yaml{offset}{more}"
        );
        let (code, out, err) = shop.run(&command);
        (code, out + &err)
    };
    for (left, right, offset, expected) in [
        (0, 0, "", 1),
        (100, 100, "", 1),
        (100, 104, "", 1),
        (100, 104, "@4s", 0),
        (100, 104, "@0s", 1),
        (100, 0, "@4s", 0),
    ] {
        let (code, said) = run(left, right, offset, "");
        assert_eq!(code, expected, "{left} {right} {offset}: {said}");
    }
    // Aside all the time: what is asked decides.
    let asked = |offset: &str, more: &str| {
        shop.put("l.yaml", &swing(100, 1.5, 1.2));
        shop.put("r.yaml", &swing(104, 1.5, 1.6));
        let command = format!(
            "check --cell two.toml --program left=l.yaml --program right=r.yaml{offset}{more}"
        );
        let (code, out, err) = shop.run(&command);
        (code, out + &err)
    };
    let (code, said) = asked("", "");
    assert!(
        code == 2 && said.contains("begins 4 s after l.yaml") && said.contains("right=r.yaml@4s"),
        "{said}"
    );
    assert_eq!(asked("@4s", "").0, 0);
    assert_eq!(asked("@0s", "").0, 0);
    assert_eq!(asked("", " --any-delay 500ms").0, 2);
    assert_eq!(asked("", " --any-delay 5s").0, 0);
    // The offset of a third one says nothing about these two.
    let cell = std::fs::read_to_string(shop.path().join("two.toml")).unwrap();
    let far = "[[robot]]\nname = \"far\"\nurdf = \"r.urdf\"\nbase = { xyz = [0, 4, 0] }\n";
    shop.put("two.toml", &format!("{cell}{far}"));
    shop.put("f.yaml", &swing(90, 0.0, 0.1));
    let first = "--program far=f.yaml@0s --program left=l.yaml";
    for (offset, expected) in [("", 2), ("@4s", 0)] {
        let (code, out, err) = shop.run(&format!(
            "check --cell two.toml {first} --program right=r.yaml{offset}"
        ));
        assert_eq!(code, expected, "{out}{err}");
    }
    // Each is within five seconds of the first one, and the others are eight apart.
    shop.put("f.yaml", &swing(100, 0.0, 0.1));
    shop.put("l.yaml", &swing(96, 1.5, 1.2));
    for (delay, expected) in [("5s", 2), ("9s", 0)] {
        let (code, out, err) = shop.run(&format!(
            "check --cell two.toml --program far=f.yaml --program left=l.yaml --program right=r.yaml --any-delay {delay}"
        ));
        assert_eq!(code, expected, "{delay}: {out}{err}");
    }
}
