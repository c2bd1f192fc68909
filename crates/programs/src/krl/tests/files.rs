//! Files beside a program, and those of the controller.

use super::*;

#[test]
fn other_programs_are_found_by_their_names() {
    let main = set("PTP XHOME\nsub( )");
    let sub = "DEF Sub( )\nLIN XS\nEND\n";
    let list = "DEFDAT Sub\nDECL POS XS={X 1,Y 2,Z 3,A 0,B 0,C 0}\nENDDAT\n";
    let files = [
        ("R1/sub.src", sub),
        ("R1/sub.dat", list),
        ("R1/$config.dat", CONFIG),
    ];
    let reading = read_beside(&arm("krl"), "R1/a.src", main.as_bytes(), &files, None).unwrap();
    assert!(
        reading.ways[0].unknown.is_empty(),
        "{:?}",
        reading.ways[0].unknown
    );
    assert_eq!(short(&reading.ways[0]), "J[0 -90 90 0 0 0] L(1 2 3)");
    assert_eq!(reading.ways[0].moves[1].place.file, "R1/sub.src");
    // Without the controller's own data, what the cell says of tools and bases counts.
    let mut told = arm("krl");
    said(&mut told)
        .tools
        .insert("1".into(), Isometry3::translation(0.0, 0.0, 0.25));
    let main = main.replace("PTP XHOME\n", "");
    let reading = read_beside(&told, "R1/a.src", main.as_bytes(), &files[..2], None).unwrap();
    assert!(
        reading.ways[0].unknown.is_empty(),
        "{:?}",
        reading.ways[0].unknown
    );
    assert_eq!(
        reading.ways[0].moves[0].tool.link_from_frame.translation.z,
        0.25
    );
    let reading = read_beside(&arm("krl"), "R1/a.src", main.as_bytes(), &files[..2], None).unwrap();
    let told = &reading.ways[0].unknown[0].reason;
    assert!(told.contains("TOOL_DATA[1] is known neither"), "{told}");
}

/// Catches tools and bases that nobody sees because their file has another name.
#[test]
fn the_controllers_own_list_is_known_by_its_name_too() {
    let main = set("PTP XHOME");
    let list = CONFIG.replace("$CONFIG", "Other");
    for (name, text) in [("config.dat", CONFIG), ("$config.dat", &list)] {
        let mut cell = arm("krl");
        said(&mut cell).files.push(ControllerFile {
            path: name.into(),
            bytes: text.as_bytes().into(),
        });
        let [way] = &ways_in(&cell, &main).unwrap()[..] else {
            panic!("one way")
        };
        assert!(way.unknown.is_empty(), "{name}: {:?}", way.unknown);
        assert_eq!(short(way), "J[0 -90 90 0 0 0]", "{name}");
    }
}

/// A cell names the files of a project, and the program among them.
#[test]
fn the_program_may_be_among_the_files_by_another_path() {
    let folder = std::env::temp_dir().join(format!("clearance-krl-{}", std::process::id()));
    let at = |name: &str| folder.join(name);
    std::fs::create_dir_all(at("sub")).unwrap();
    let main = set("PTP XHOME");
    std::fs::write(at("a.src"), &main).unwrap();
    let mut cell = cell();
    said(&mut cell).files.push(ControllerFile {
        path: at("a.src"),
        bytes: main.as_bytes().into(),
    });
    for path in ["a.src", "sub/../a.src"] {
        let path = at(path).display().to_string();
        let read = read_beside(&cell, &path, main.as_bytes(), &[], None);
        assert_eq!(read.unwrap().ways.len(), 1, "{path}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
