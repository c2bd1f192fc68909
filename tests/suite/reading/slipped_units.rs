//! Lengths in another unit than the one that is read: what they leave of a body, or where they put
//! it, is hit by nothing.

use serde_json::Value;

use super::{POST, Shop, arm, cuboid, joint, link};

/// Exit code, and code and message of each notice, and of what keeps a program open.
fn seen(shop: &Shop) -> (i32, Vec<String>) {
    let (code, report) = shop.check();
    let program = &report["programs"][0];
    let lists = [
        &report["notices"],
        &program["notices"],
        &program["unchecked"],
    ];
    let all = lists.into_iter().filter_map(Value::as_array).flatten();
    let told = all.filter(|said| said["severity"] == "notice" || said["severity"] == "open");
    let said = told.map(|n| format!("{}: {}", n["code"].as_str().unwrap(), n["message"]));
    (code, said.collect())
}

/// A tetrahedron of that size, in the unit of the file.
fn put_mesh(shop: &Shop, size: f64) {
    let corners = format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\n");
    shop.put("t.obj", &(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"));
}

/// Regression: meshes in millimetres with `scale = 1e-6` were `clear`, because they would not fit the
/// robot without a scale either.
#[test]
fn meshes_in_millimetres_that_are_scaled_twice_are_never_clear() {
    let obstacle =
        "[[obstacle]]\nname = \"table\"\nmesh = \"t.obj\"\npose = { xyz = [0.5, 0.5, -0.3] }\n";
    let tool = "[[attach]]\nname = \"tool\"\nparent = \"arm\"\nmesh = \"t.obj\"\npose = { xyz = [1, 0, 0] }\n";
    for (body, size) in [(obstacle, 1200.0), (tool, 150.0)] {
        let with = |scale: &str| {
            let shop = Shop::new(&arm(), &format!("{POST}{body}scale = {scale}\n"));
            put_mesh(&shop, size);
            seen(&shop)
        };
        let (code, said) = with("1e-6");
        let remedy = "by that of a file in millimetres, 0.001, ";
        assert_eq!(code, 2, "{said:?}");
        assert!(said.iter().any(|s| s.contains(remedy)), "{said:?}");
        // The table stands in the way of the arm.
        let (code, said) = with("0.001");
        assert_eq!(
            (code, said.len()),
            (i32::from(size > 1000.0), 0),
            "{said:?}"
        );
    }
    // One <collision> of a link, beside another.
    let hand = |scale: &str| {
        let mesh = format!(
            "<collision><geometry><mesh filename='t.obj' scale='{scale} {scale} {scale}'/></geometry></collision>"
        );
        let shapes = cuboid("collision", "0.05 0.05 0.02", "") + &mesh;
        let joint = joint("j", "fixed", "arm", "hand", "<origin xyz='1.05 0 0'/>");
        let shop = Shop::new(&(arm() + &link("hand", &shapes) + &joint), POST);
        put_mesh(&shop, 300.0);
        seen(&shop)
    };
    let (code, said) = hand("1e-6");
    assert_eq!((code, said.len()), (2, 1), "{said:?}");
    assert!(said[0].contains("0.001, 300 mm"), "{said:?}");
    assert_eq!(hand("0.001"), (0, vec![]));
}

/// Regression: a tool whose pose is 5 m, where 5 mm were meant, was told twice and `clear`.
#[test]
fn tools_metres_away_from_their_link_are_never_clear() {
    let flange = arm()
        + &link("flange", "")
        + &joint("f", "fixed", "arm", "flange", "<origin xyz='1 0 0'/>");
    let part = |parent: &str, x: f64| {
        let cell = format!(
            "{POST}[[attach]]\nname = \"part\"\nparent = \"{parent}\"\nbox = [0.1, 0.1, 0.1]\npose = {{ xyz = [{x}, 0, 0] }}\n"
        );
        seen(&Shop::new(&flange, &cell))
    };
    for (parent, code) in [("flange", 2), ("arm", 2), ("base", 0)] {
        let (got, said) = part(parent, 5.0);
        assert_eq!((got, said.len()), (code, 1), "{parent}: {said:?}");
        let expected = format!("away from `{parent}`, which carries it");
        assert!(said[0].contains(&expected), "{said:?}");
    }
    // A quarter of the reach away; on the link.
    assert_eq!(part("flange", 0.9).0, 0);
    assert_eq!(part("flange", 0.1), (0, vec![]));
    let by_event = |x: f64| {
        let shop = Shop::new(&flange, &format!("{POST}{}", POST.replace("post", "part")));
        shop.put(
            "p.events.toml",
            &format!("[[event]]\nat = 0.5\nattach = \"part\"\nto = \"flange\"\npose = {{ xyz = [{x}, 0, 0] }}\n"),
        );
        seen(&shop)
    };
    let (code, said) = by_event(5.0);
    assert_eq!((code, said.len()), (2, 1), "{said:?}");
    assert!(said[0].contains("away from `flange`"), "{said:?}");
}

/// Regression: radians under a header in degrees let the arm hardly move, and nothing was said.
#[test]
fn radians_under_a_header_in_degrees_are_told() {
    let wrist = |name: &str, parent: &str| {
        let cube = cuboid("collision", "0.1 0.1 0.1", "xyz='0.2 0 0'");
        link(name, &cube)
            + &joint(
                &format!("to_{name}"),
                "revolute",
                parent,
                name,
                "<origin xyz='1.2 0 0'/>",
            )
    };
    let shop = Shop::new(&(arm() + &wrist("a", "arm") + &wrist("b", "a")), POST);
    let with = |unit: &str, rows: &str| {
        shop.put(
            "p.csv",
            &format!("time[s],turn{unit},to_a{unit},to_b{unit}\n{rows}"),
        );
        let (_, said) = seen(&shop);
        let about: Vec<String> = said
            .into_iter()
            .filter(|s| s.starts_with("suspicious-angles"))
            .collect();
        about
    };
    let radians = "0,0,1.5708,-1.5708\n1,0.5,1.2,-1.5708\n";
    let said = with("[deg]", radians);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("is beyond 1.571") && said[0].contains("write `turn[rad]`"),
        "{said:?}"
    );
    assert_eq!(with("[rad]", radians), Vec::<String>::new());
    // Degrees; next to nothing; a whole turn in radians is rounded up.
    assert_eq!(
        with("[deg]", "0,0,90,-90\n1,5,80,-90\n"),
        Vec::<String>::new()
    );
    assert_eq!(
        with("[deg]", "0,0,0,0\n1,0.1,0.1,0\n"),
        Vec::<String>::new()
    );
    assert_eq!(with("[deg]", "0,0,0,0\n1,6.2832,0,0\n").len(), 1);
    // Two joints are no arm.
    let shop = Shop::new(&(arm() + &wrist("a", "arm")), POST);
    shop.put("p.csv", "time[s],turn[deg],to_a[deg]\n0,0,1.5\n1,0.5,1.2\n");
    assert_eq!(seen(&shop).1, Vec::<String>::new());
}

/// Regression: a table that was to stand 20 mm lower stood 20 m lower, and everything was clear.
#[test]
fn places_without_a_unit_that_would_be_near_in_millimetres_are_never_clear() {
    let table = |xyz: &str| {
        format!(
            "{POST}[[obstacle]]\nname = \"table\"\nbox = [1, 1, 0.02]\npose = {{ xyz = [{xyz}] }}\n"
        )
    };
    let of = |cell: &str| {
        let shop = Shop::new(&arm(), cell);
        shop.put("s.scene", SHELF);
        let (code, said) = seen(&shop);
        let is_far = |said: &String| said.starts_with("suspicious-place: ");
        (code, said.iter().any(is_far), said)
    };
    for (cell, open) in [
        // In millimetres the arm would hit it, or nearly so.
        (table("0, 0, -20"), true),
        (table("0, 0, \"-20\""), true),
        (table("0, 0, \"-20m\""), false),
        (table("10, 8, 6"), true),
        // As far as walls of a room are.
        (table("0, 5.9, 0"), false),
        // There in either unit.
        (table("9, \"30m\", 0"), false),
        // The robot itself, and a scene.
        (format!("base = {{ xyz = [0, 0, 20] }}\n{POST}"), true),
        (format!("base = {{ xyz = [0, 0, \"20m\"] }}\n{POST}"), false),
        (
            format!("{POST}[world]\nscene = \"s.scene\"\npose = {{ xyz = [0, 0, 12] }}\n"),
            true,
        ),
        (
            format!("{POST}[world]\nscene = \"s.scene\"\npose = {{ xyz = [0, 0, \"12m\"] }}\n"),
            false,
        ),
    ] {
        let (code, told, said) = of(&cell);
        assert_eq!(
            (code, told),
            (if open { 2 } else { 0 }, true),
            "{cell}: {said:?}"
        );
    }
    assert_eq!(of(&table("0, 0, \"-20mm\"")).0, 1);
}

/// A part of it would be in the way.
const SHELF: &str =
    "(scene)\n* shelf\n0.6 0 0\n0 0 0 1\n1\nbox\n0.1 0.1 1\n0 0 0\n0 0 0 1\n0 0 0 0\n0\n.\n";
