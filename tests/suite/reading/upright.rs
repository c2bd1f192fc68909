//! Which way is up in a COLLADA mesh.

use std::fs;

use serde_json::Value;

use super::{POST, Shop, arm, codes, cuboid, joint, link};

/// A sheet of 0.4 x 0.02 x 1 m as COLLADA, its long side along y as it is written: along z when it
/// is turned.
fn sheet(up: &str) -> String {
    let corners = (0..8).map(|k| {
        let at = |axis: usize, half: f64| if k >> axis & 1 == 0 { -half } else { half };
        format!("{} {} {}", at(0, 0.2), at(1, 0.5) + 0.5, at(2, 0.01))
    });
    let faces = "0 4 6 0 6 2 1 3 7 1 7 5 0 1 5 0 5 4 2 6 7 2 7 3 0 2 3 0 3 1 4 5 7 4 7 6";
    format!(
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset><up_axis>{up}</up_axis></asset>\
         <library_geometries><geometry id='g'><mesh><source id='p'><float_array id='pa' count='24'>{}</float_array><technique_common>\
         <accessor source='#pa' count='8' stride='3'><param name='X' type='float'/><param name='Y' type='float'/><param name='Z' \
         type='float'/></accessor></technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>\
         <triangles count='12'><input semantic='VERTEX' source='#v' offset='0'/><p>{faces}</p></triangles></mesh></geometry>\
         </library_geometries><library_visual_scenes><visual_scene id='s'><node><instance_geometry url='#g'/></node></visual_scene>\
         </library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>",
        corners.collect::<Vec<_>>().join(" ")
    )
}

/// A robot whose arm is that sheet; the base is a cube that the sheet touches at y = 0 as it is
/// written, `below` or beside.
fn sheeted(base: &str, cell: &str) -> Shop {
    let mesh = "<collision><geometry><mesh filename='arm.dae'/></geometry></collision>";
    let robot =
        link("base", base) + &link("arm", mesh) + &joint("turn", "revolute", "base", "arm", "");
    let shop = Shop::new(&robot, cell);
    shop.put("arm.dae", &sheet("Y_UP"));
    shop
}

#[test]
fn a_y_up_mesh_of_a_urdf_is_read_as_ros_reads_it_and_geometry_has_its_say() {
    // As it is written the sheet reaches from y = 0 to 1; turned, from z = 0 to 1.
    let beside = cuboid("collision", "0.4 0.1 0.1", "xyz='0 -0.06 0.5'");
    let below = cuboid("collision", "0.4 0.1 0.1", "xyz='0 1.1 0'");
    let above = cuboid("collision", "0.4 0.02 0.1", "xyz='0 0 1.06'");
    let post =
        "[[obstacle]]\nname = \"post\"\nbox = [0.1, 0.1, 0.1]\npose = { xyz = [-0.8, 0, 0] }\n";

    // Not turned it fits, and hits the post 0.8 m away: turned it stood upright and never did.
    let shop = sheeted(&below, post);
    let (code, report) = shop.check();
    assert_eq!(
        (code, &report["verdict"]),
        (1, &Value::from("collision")),
        "{report:#}"
    );
    assert_eq!(codes(&report["notices"]), ["up-axis"]);
    let (_, text, _) = shop.run("check --cell cell.toml p.csv");
    let first: Vec<&str> = text.split_whitespace().take(60).collect();
    let first = first.join(" ");
    assert!(
        first.contains("up-axis: arm: the mesh states Y_UP") && first.contains("this fits"),
        "{text}"
    );

    // Turned it fits: what it is read as is not believed.
    let far = post.replace("-0.8, 0, 0", "0, -3, 0");
    let shop = sheeted(&above, &far);
    let (code, report) = shop.check();
    assert_eq!(
        (code, &report["verdict"]),
        (2, &Value::from("unverified")),
        "{report:#}"
    );
    let short = report["programs"][0]["error"].as_str().unwrap();
    assert!(short.contains("arm (up-axis)"), "{short}");
    let notices = report["notices"].as_array().unwrap();
    let mut why = notices.iter().filter_map(|n| n["message"].as_str());
    assert!(
        why.any(|why| why.contains("`dae_up_axis = \"apply\"`")),
        "{notices:?}"
    );
    let (code, _, _) = shop.run("check --robot r.urdf p.csv --report json=j");
    let report: Value =
        serde_json::from_str(&fs::read_to_string(shop.path().join("j")).unwrap()).unwrap();
    assert!(
        codes(&report["notices"]).contains(&"up-axis") && code != 0,
        "{report:#}"
    );

    // The key says which, and nothing more is asked.
    for (key, verdict) in [("ignore", "collision"), ("apply", "clear")] {
        let shop = sheeted(&beside, post);
        let cell = fs::read_to_string(shop.path().join("cell.toml")).unwrap();
        let keyed = cell.replace(
            "r.urdf\"\n",
            &format!("r.urdf\"\ndae_up_axis = \"{key}\"\n"),
        );
        shop.put("cell.toml", &keyed);
        let (_, report) = shop.check();
        assert_eq!(report["verdict"], verdict, "{key}: {report:#}");
        assert!(codes(&report["notices"]).is_empty());
    }
    let shop = sheeted(&beside, "dae_up_axis = \"yes\"\n");
    assert!(
        shop.run("check --cell cell.toml p.csv")
            .1
            .contains("cell.toml:3")
    );
}

/// A mesh with z up asks nothing; of one that the cell file names the question stays open until it is
/// answered.
#[test]
fn the_up_axis_of_a_body_of_the_cell_file_leaves_the_question_open() {
    let shop = sheeted(
        &cuboid("collision", "0.4 0.1 0.1", "xyz='0 -0.06 0.5'"),
        POST,
    );
    shop.put("arm.dae", &sheet("Z_UP"));
    assert!(codes(&shop.check().1["notices"]).is_empty());

    let obstacle =
        "[[obstacle]]\nname = \"sheet\"\nmesh = \"arm.dae\"\npose = { xyz = [1.3, 0, 0] }\n";
    let shop = Shop::new(&arm(), obstacle);
    shop.put("arm.dae", &sheet("Y_UP"));
    let (code, report) = shop.check();
    assert_eq!(
        (code, &report["verdict"]),
        (2, &Value::from("unverified")),
        "{report:#}"
    );
    assert_eq!(codes(&report["notices"]), ["up-axis"]);
    let short = report["programs"][0]["error"].as_str().unwrap();
    assert!(short.contains("sheet (up-axis)"), "{short}");
    shop.put(
        "cell.toml",
        &format!("[[robot]]\nurdf = \"r.urdf\"\n{obstacle}dae_up_axis = \"apply\"\n"),
    );
    let (_, report) = shop.check();
    assert_eq!(report["verdict"], "clear", "{report:#}");
    assert!(codes(&report["notices"]).is_empty(), "{report:#}");
    assert!(
        report["notes"].to_string().contains("turned to Z_UP"),
        "{report:#}"
    );
    let (_, said, _) = shop.run("inspect --cell cell.toml --format json");
    let inspection: Value = serde_json::from_str(&said).unwrap();
    let bodies = inspection["bodies"].as_array().unwrap();
    let sheet = bodies.iter().find(|b| b["name"] == "sheet").unwrap();
    assert!(
        (sheet["size"][2].as_f64().unwrap() - 1.0).abs() < 1e-9,
        "{sheet:#}"
    );
}

/// Catches a mesh of which only the first reading is told: one link keeps it as it is written, the
/// obstacle of the same file is turned.
#[test]
fn both_readings_of_one_file_are_told() {
    let told = |shop: &Shop| -> Vec<String> {
        let (_, report) = shop.check();
        let notes = report["notes"].as_array().unwrap();
        let of_mesh = notes.iter().filter(|n| n["code"] == "mesh-file");
        let mut said: Vec<String> = of_mesh
            .map(|n| n["message"].as_str().unwrap().to_owned())
            .collect();
        said.sort();
        said
    };
    let both = |said: &[String]| {
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains("not turned"), "{said:?}");
        assert!(said[1].contains("turned to Z_UP"), "{said:?}");
    };
    let beside = cuboid("collision", "0.4 0.1 0.1", "xyz='0 -0.06 0.5'");
    let obstacle =
        "[[obstacle]]\nname = \"sheet\"\nmesh = \"arm.dae\"\npose = { xyz = [5, 0, 0] }\n";
    both(&told(&sheeted(&beside, obstacle)));
    // What is only held against the reading that is used is not told.
    let alone = told(&sheeted(&beside, POST));
    assert!(
        matches!(&alone[..], [said] if said.contains("not turned")),
        "{alone:?}"
    );
    // Two robots by two rules.
    let shop = sheeted(&beside, "");
    let robot = |name: &str, rule: &str, x: f64| {
        format!(
            "[[robot]]\nname = \"{name}\"\nurdf = \"r.urdf\"\ndae_up_axis = \"{rule}\"\nbase = {{ xyz = [{x}, 0, 0] }}\n"
        )
    };
    shop.put(
        "cell.toml",
        &(robot("a", "ignore", 0.0) + &robot("b", "apply", 5.0)),
    );
    shop.put("p.csv", "time,a/turn,b/turn\n0,0,0\n1,0.1,0.1\n");
    both(&told(&shop));
}

/// Catches plates whose corners are where they were after the turn, and which stand across it.
#[test]
fn plates_on_the_corners_of_a_cube_are_asked_about() {
    let shop = sheeted(&cuboid("collision", "0.4 0.1 0.1", "xyz='0 -3 0.5'"), POST);
    let corners = (0..8).map(|k| {
        let at = |axis: usize| if k >> axis & 1 == 0 { -0.5 } else { 0.5 };
        format!("{} {} {}", at(0), at(1), at(2))
    });
    let numbers = corners.collect::<Vec<_>>().join(" ");
    let sheet = sheet("Y_UP");
    let (start, rest) = sheet.split_once("count='24'>").unwrap();
    let (_, rest) = rest.split_once("</float_array>").unwrap();
    let cube = format!("{start}count='24'>{numbers}</float_array>{rest}");
    shop.put("arm.dae", &cube);
    assert!(!codes(&shop.check().1["notices"]).contains(&"up-axis"));
    let (start, rest) = cube.split_once("<p>").unwrap();
    let (_, rest) = rest.split_once("</p>").unwrap();
    let plates = format!("{start}<p>0 4 6 0 6 2 1 3 7 1 7 5</p>{rest}");
    let ends = plates.replace(
        "<p>0 4 6 0 6 2 1 3 7 1 7 5</p>",
        "<p>0 1 5 0 5 4 2 6 7 2 7 3</p>",
    );
    // Across x they stay where they are; across y they come to stand across z.
    for (text, asked) in [(plates, false), (ends, true)] {
        shop.put("arm.dae", &text.replace("count='12'", "count='4'"));
        let (_, report) = shop.check();
        let found = codes(&report["notices"]).contains(&"up-axis");
        assert_eq!(found, asked, "{report:#}");
    }
}
