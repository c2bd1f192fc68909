//! xacro as a user meets it: expanded where the name of the file says so, refused everywhere else,
//! and part of what a cell is.

use std::fs;

use super::{POST, Shop, arm, cuboid};

const OPEN: &str = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n";

#[test]
fn xacro_in_other_files_is_refused_wherever_it_is_named() {
    let macros = "<xacro:macro name='hand'><link name='hand'/></xacro:macro>\n";
    let shop = Shop::new(&(macros.to_owned() + &arm()), POST);
    let robot = fs::read_to_string(shop.path().join("r.urdf")).unwrap();
    let refused = |shop: &Shop, args: &str, place: &str| {
        let (code, out, err) = shop.run(args);
        assert_eq!(code, 2, "{out}{err}");
        let said = out + &err;
        assert!(said.contains(place) && said.contains("xacro"), "{said}");
        assert!(
            said.contains("end the name of the file in `.xacro`"),
            "{said}"
        );
    };
    refused(&shop, "check --cell cell.toml p.csv", "r.urdf:2");
    refused(&shop, "check --robot r.urdf p.csv", "r.urdf:2");
    refused(&shop, "inspect --robot r.urdf", "r.urdf:2");
    // Only a declaration that nobody uses is left behind by expanding.
    let expanded = robot
        .replace(macros, "")
        .replace("<robot name='r'>\n", OPEN);
    shop.put("r.urdf", &expanded);
    assert_eq!(shop.run("check --cell cell.toml p.csv").0, 0);

    shop.put("r.srdf", &format!("{OPEN}<xacro:pairs/>\n</robot>\n"));
    refused(
        &shop,
        "check --robot r.urdf --srdf r.srdf p.csv",
        "r.srdf:2",
    );
}

/// A robot whose hand reaches the post only if it is as long as an argument says, in a file that
/// another one includes.
fn shop() -> Shop {
    let shop = Shop::new(&arm(), "");
    let hand = cuboid("collision", "${length} 0.1 0.1", "xyz='${length/2} 0 0'");
    shop.put(
        "hand.xacro",
        &format!(
            "{OPEN}<xacro:macro name='hand' params='length'><link name='hand'>{hand}</link>\n\
             <joint name='mount' type='fixed'><parent link='arm'/><child link='hand'/><origin xyz='1 0 0'/></joint></xacro:macro></robot>"
        ),
    );
    shop.put(
        "r.urdf.xacro",
        &format!(
            "{OPEN}<xacro:arg name='length' default='0.1'/><xacro:include filename='hand.xacro'/>\n{}<xacro:hand length='$(arg length)'/></robot>",
            arm()
        ),
    );
    shop.put(
        "cell.toml",
        "[[robot]]\nurdf = \"r.urdf.xacro\"\n[[obstacle]]\nname = \"post\"\nbox = [0.1, 0.1, 1]\npose = { xyz = [1.1, 1.1, 0] }\n",
    );
    shop
}

fn with_length(shop: &Shop, length: &str) {
    let cell = fs::read_to_string(shop.path().join("cell.toml")).unwrap();
    let cell = cell.replace(
        ".xacro\"\n",
        &format!(".xacro\"\nxacro_args = {{ {length} }}\n"),
    );
    shop.put("long.toml", &cell);
}

#[test]
fn a_file_of_macros_is_a_robot_and_its_arguments_count() {
    let shop = shop();
    let (code, out, err) = shop.run("check --cell cell.toml p.csv");
    assert_eq!(code, 0, "{out}{err}");
    with_length(&shop, "length = 0.8");
    let (code, out, err) = shop.run("check --cell long.toml p.csv");
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("hand against post"), "{out}");

    // The short form.
    shop.put("post.obj", "v 1.05 1.05 0\nv 1.15 1.05 0\nv 1.05 1.15 0\nv 1.1 1.1 0.2\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    let short = "check --robot r.urdf.xacro --obstacle post.obj p.csv";
    assert_eq!(shop.run(short).0, 0);
    assert_eq!(shop.run(&format!("{short} --xacro-arg length=0.8")).0, 1);

    // An argument that nobody asks for was meant for something.
    with_length(&shop, "lenght = 0.8");
    for line in [
        "check --cell long.toml p.csv".to_owned(),
        format!("{short} --xacro-arg lenght=0.8"),
    ] {
        let (code, out, err) = shop.run(&line);
        assert_eq!(code, 2, "{out}{err}");
        assert!((out + &err).contains("did you mean `length`?"));
    }
    let (code, out, err) = shop.run("check --cell cell.toml --xacro-arg length=0.8 p.csv");
    assert_eq!(code, 2, "{out}{err}");
}

/// Results of before are found again when what a file of macros includes has changed, or an
/// argument.
#[test]
fn included_files_and_arguments_are_part_of_a_cells_identity() {
    let shop = shop();
    let hash = |cell: &str| {
        let (code, out, err) = shop.run(&format!("batch --cell {cell} --results r.jsonl p.csv"));
        assert!(code < 2, "{out}{err}");
        let results = fs::read_to_string(shop.path().join("r.jsonl")).unwrap();
        fs::remove_file(shop.path().join("r.jsonl")).unwrap();
        let head: serde_json::Value =
            serde_json::from_str(results.lines().next().unwrap()).unwrap();
        head["cell_hash"].as_str().unwrap().to_owned()
    };
    let first = hash("cell.toml");
    assert_eq!(first, hash("cell.toml"));
    with_length(&shop, "length = 0.2");
    assert_ne!(first, hash("long.toml"), "the argument counts for nothing");
    with_length(&shop, "length = \"0.1\"");
    assert_eq!(first, hash("long.toml"), "the same as the default");
    let hand = fs::read_to_string(shop.path().join("hand.xacro")).unwrap();
    shop.put("hand.xacro", &hand.replace("xyz='1 0 0'", "xyz='1.5 0 0'"));
    assert_ne!(
        first,
        hash("cell.toml"),
        "the included file counts for nothing"
    );
}
