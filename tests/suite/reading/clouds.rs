//! Point clouds in a cell: what they hit, what they do not show, and what is refused.

use super::{Shop, arm, codes};

/// Points of a wall at 45°, 5 mm apart, which the arm sweeps; or elsewhere.
fn wall(x: f64, y: f64) -> String {
    let mut text = String::from("x y z\n");
    for k in 0..400 {
        let (along, up) = (f64::from(k % 20), f64::from(k / 20));
        text += &format!("{} {} {}\n", x + 0.005 * along, y, 0.005 * up);
    }
    text + "nan 0 0\n"
}

const SCAN: &str =
    "[[obstacle]]\nname = \"scan\"\ncloud = \"scan.xyz\"\nradius = \"4mm\"\nunit = \"m\"\n";

#[test]
fn a_cloud_is_met_and_what_it_does_not_show_is_said() {
    let shop = Shop::new(&arm(), SCAN);
    shop.put("scan.xyz", &wall(0.5, 0.5));
    let (code, report) = shop.check();
    assert_eq!((code, report["verdict"].as_str()), (1, Some("collision")));
    let contact = &report["programs"][0]["first_contact"];
    assert_eq!(
        (contact["a"].as_str(), contact["b"].as_str()),
        (Some("arm"), Some("scan"))
    );
    assert!(
        codes(&report["unchecked"]).contains(&"unseen-space"),
        "{report:#}"
    );
    assert!(
        codes(&report["notes"]).contains(&"cloud-file"),
        "{report:#}"
    );
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("400 points as balls of radius 4.000 mm; 1 entry is no place, and left out"),
        "{notes}"
    );
    // Elsewhere it is not met. Its radius counts: the arm ends at 1 m from the axis.
    shop.put("scan.xyz", &wall(-0.9, -0.9));
    assert_eq!(shop.check().0, 0);
    shop.put("scan.xyz", "0 1.007 0\n");
    assert_eq!(shop.check().0, 0);
    let cell = std::fs::read_to_string(shop.path().join("cell.toml")).unwrap();
    shop.put("cell.toml", &cell.replace("4mm", "8mm"));
    assert_eq!(shop.check().0, 1);
    // Its unit counts, and its pose.
    shop.put("scan.xyz", "0 1007 0\n");
    shop.put(
        "cell.toml",
        &cell.replace("4mm", "8mm").replace("\"m\"", "\"mm\""),
    );
    assert_eq!(shop.check().0, 1);
    shop.put(
        "cell.toml",
        &(cell.replace("4mm", "8mm").replace("\"m\"", "\"mm\"") + "pose = { xyz = [0, 0, 0.5] }\n"),
    );
    assert_eq!(shop.check().0, 0);
}

#[test]
fn clouds_are_drawn_packed_attached_and_certified() {
    let shop = Shop::new(&arm(), SCAN);
    shop.put("scan.xyz", &wall(-0.9, -0.9));
    let (code, _, err) =
        shop.run("check --cell cell.toml p.csv --report html=r.html --certificate proof");
    assert_eq!(code, 0, "{err}");
    // The other checker says the same of the same balls: none of them may be larger.
    let (mut geometry, certificate) =
        clearance_recheck::files::read(&shop.path().join("proof")).unwrap();
    let check = |geometry: &_| {
        clearance_recheck::walk::check(geometry, &certificate, &mut |_, _| ()).is_ok()
    };
    assert!(check(&geometry));
    let scan = geometry.bodies.iter().position(|b| b.name == "scan");
    let mut parts = geometry.parts.iter_mut();
    let part = parts.find(|part| Some(part.body) == scan).unwrap();
    part.radius *= 400;
    assert!(!check(&geometry));
    let (_, out, _) = shop.run("inspect --cell cell.toml");
    assert!(out.contains("cloud"), "{out}");
    let (code, _, err) = shop.run("pack --cell cell.toml -o cell.pack");
    assert_eq!(code, 0, "{err}");
    std::fs::remove_file(shop.path().join("scan.xyz")).unwrap();
    let (code, out, err) = shop.run("check --cell cell.pack p.csv");
    assert_eq!(code, 0, "{out}{err}");
    let carried = SCAN.replace("[[obstacle]]", "[[attach]]\nparent = \"arm\"");
    let shop = Shop::new(
        &arm(),
        &(carried
            + "pose = { xyz = [1.05, 0, 0] }\n[[obstacle]]\nname = \"block\"\nbox = [0.05, 0.05, 0.3]\npose = { xyz = [0, 1.08, 0] }\n"),
    );
    shop.put("scan.xyz", &wall(0.0, 0.0));
    let (code, out, err) = shop.run("check --cell cell.toml p.csv");
    assert!(
        code == 1 && out.contains("scan against block"),
        "{out}{err}"
    );
}

/// Every line of it says file, line and remedy.
#[test]
fn what_is_not_said_of_a_cloud_is_an_error() {
    let shop = Shop::new(&arm(), SCAN);
    let cell = std::fs::read_to_string(shop.path().join("cell.toml")).unwrap();
    for (from, to, points, said) in [
        (
            "radius = \"4mm\"\n",
            "",
            "0 0 9\n",
            "a point cloud needs a `radius`, and there is none; add `radius = …`",
        ),
        (
            "unit = \"m\"\n",
            "",
            "0 0 9\n",
            "does not say in which unit its coordinates are; add `unit = \"m\"`",
        ),
        (
            "unit = \"m\"",
            "unit = \"m\"\nsolid = true",
            "0 0 9\n",
            "`solid` says nothing of a point cloud",
        ),
        (
            "unit = \"m\"",
            "scale = 0.001",
            "0 0 9\n",
            "`scale` belongs to `mesh`, not to `cloud`; write `unit = \"mm\"`",
        ),
        (
            "cloud = \"scan.xyz\"",
            "sphere = 1",
            "0 0 9\n",
            "`radius` belongs to `cloud`, not to `sphere`",
        ),
        ("", "", "0 0 9\n0 0\n", "scan.xyz:2: 2 columns"),
        ("", "", "# nothing\n", "the cloud has no points"),
        ("", "", "1e8 0 0\n", "check `unit`"),
    ] {
        shop.put("cell.toml", &cell.replacen(from, to, 1));
        shop.put("scan.xyz", points);
        let (code, out, err) = shop.run("check --cell cell.toml p.csv");
        assert!(
            code == 2 && (out.clone() + &err).contains(said),
            "{said}: {out}{err}"
        );
    }
}
