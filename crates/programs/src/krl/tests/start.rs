//! Where a program begins: its data list, its modes, its first point.

use super::*;

/// Status and turn bind no line, not even the first one.
#[test]
fn a_first_line_states_no_configuration() {
    let way = known("LIN XP1\nPTP XP1");
    assert_eq!(pose(&way.moves[0].target).1, &Branch::Continued);
    assert!(matches!(
        pose(&way.moves[1].target).1,
        Branch::Configuration(_)
    ));
}

/// Controllers take capitals and small letters for the same: a list is the program's own however
/// its name is written. One that is there and cannot be read is not one that is not there.
#[test]
fn the_list_of_a_program_is_found_however_it_is_written() {
    let folder = std::env::temp_dir().join(format!("clearance-krl-{}", std::process::id()));
    let text = set("PTP XP9");
    let list = "DEFDAT prog\nDECL E6AXIS XP9={A1 1,A2 -90,A3 90,A4 0,A5 5,A6 0}\nENDDAT\n";
    let config = "DEFDAT $CONFIG PUBLIC\nDECL GLOBAL E6AXIS XP9={A1 2,A2 -90,A3 90,A4 0,A5 5,A6 0}\nENDDAT\n";
    let read_neighbour = |path: &std::path::Path| {
        std::fs::read(path).map_err(|e| {
            let (cause, remedy) = (e.to_string(), String::new());
            ImportError::file(
                path,
                clearance_formats::Problem::Unreadable { cause, remedy },
            )
        })
    };
    let read = |files: &[(&str, Option<&str>)]| {
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            match text {
                Some(text) => std::fs::write(folder.join(name), text).unwrap(),
                None => std::fs::create_dir(folder.join(name)).unwrap(),
            }
        }
        let cell = arm("krl");
        let controller = crate::ControlledArm::of(&cell, None).unwrap();
        let options = crate::Options {
            routine: None,
            bounds: crate::Bounds::default(),
            read_neighbour: &read_neighbour,
            orientation_tube: 0.1,
        };
        let read = crate::read(
            &folder.join("prog.src"),
            text.as_bytes(),
            &controller,
            &options,
        );
        _ = std::fs::remove_dir_all(&folder);
        let first = |way: &MoveProgram| short(way);
        read.map(|reading| first(&reading.ways[0]))
    };
    let own = "J[1 -90 90 0 5 0]";
    for name in ["prog.dat", "prog.DAT", "Prog.Dat", "PROG.dat", "pRoG.dAt"] {
        let found = read(&[(name, Some(list)), ("$Config.dat", Some(config))]);
        assert_eq!(found.unwrap(), own, "{name}");
    }
    assert_eq!(
        read(&[("$Config.dat", Some(config))]).unwrap(),
        "J[2 -90 90 0 5 0]"
    );
    let told = read(&[("prog.dat", None), ("$config.dat", Some(config))]);
    assert!(told.unwrap_err().to_string().contains("prog.dat"));
    let told = read(&[("$config.dat", None)]);
    assert!(told.unwrap_err().to_string().contains("$config.dat"));
    // Where the folder tells them apart there may be two.
    if !cfg!(any(windows, target_os = "macos")) {
        let other = list.replace("A1 1", "A1 3");
        let told = read(&[("prog.dat", Some(list)), ("PROG.DAT", Some(&other))]);
        assert!(told.unwrap_err().to_string().contains("which of the two"));
    }
}

/// A routine that is seen in its own file only does not stand for the file of its name.
#[test]
fn a_local_routine_does_not_hide_the_file_of_its_name() {
    let at = |a1: &str| format!("PTP {{A1 {a1},A2 -90,A3 90,A4 0,A5 5,A6 0}}\n");
    let helper = format!("DEF helper( )\nsub( )\nEND\nDEF sub( )\n{}END\n", at("2"));
    let sub = format!("DEF sub( )\n{}END\n", at("3"));
    let files = [("helper.src", &*helper), ("sub.src", &*sub)];
    for (body, way) in [
        ("helper( )\nsub( )\n", [2, 3]),
        ("sub( )\nhelper( )\n", [3, 2]),
    ] {
        let main = set(body);
        let reading = read_beside(&cell(), "a.src", main.as_bytes(), &files, None).unwrap();
        let unknown = &reading.ways[0].unknown;
        assert!(unknown.is_empty(), "{unknown:?}");
        let expected = way.map(|a1| format!("J[{a1} -90 90 0 5 0]")).join(" ");
        assert_eq!(short(&reading.ways[0]), expected);
    }
}

/// A program that nobody calls begins as the controller does; one that is called, as it was left.
#[test]
fn modes_that_a_program_does_not_set_are_told() {
    let assumed = |body: &str| {
        let text = set(body);
        let files = [("a.dat", LIST)];
        let reading = read_beside(&cell(), "a.src", text.as_bytes(), &files, None);
        reading.unwrap().assumed
    };
    let told = |body: &str| -> String {
        let all = assumed(body).into_iter();
        all.map(|taken| taken.message).collect()
    };
    let modes = ["$IPO_MODE=#BASE", "$ORI_TYPE=#VAR", "$CIRC_TYPE=#BASE"];
    for (body, right) in [
        ("PTP XP1\nCIRC XP2,XP1", &modes[..]),
        ("PTP XP1\nLIN XP2", &modes[..2]),
        ("PTP XP1\nPTP XP2", &modes[..1]),
        ("PTP XHOME", &[]),
        ("$ORI_TYPE=#VAR\nPTP XP1\nLIN XP2", &modes[..1]),
    ] {
        let told = told(body);
        for mode in modes {
            assert_eq!(told.contains(mode), right.contains(&mode), "{body}: {told}");
        }
    }
    let init = "BAS(#INITMOV,0)\n$TOOL=TOOL_DATA[1]\n$BASE=$NULLFRAME\nPTP XP1\nLIN XP2";
    assert_eq!(assumed(init), []);
}

/// Bases lie in `$WORLD`: one that the cell file states on another link is told as that.
#[test]
fn a_base_on_another_link_is_told() {
    let mut cell = arm("krl");
    said(&mut cell)
        .tools
        .insert("1".into(), Isometry3::identity());
    let frame = clearance_proof::model::moves::Frame {
        link: "link_1".into(),
        link_from_frame: Isometry3::identity(),
    };
    said(&mut cell).frames.insert("5".into(), frame);
    let text = program(
        "$TOOL=TOOL_DATA[1]\n$BASE=BASE_DATA[5]\nPTP {X 500,Y 0,Z 600,A 0,B 180,C 0,S 2,T 2}",
    );
    let told = &ways_in(&cell, &text).unwrap()[0].unknown[0].reason;
    for says in ["link `link_1`", "state it on `base`", "this point"] {
        assert!(told.contains(says), "{told}");
    }
}
