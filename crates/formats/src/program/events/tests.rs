//! Events files against a small cell: what is read, and what is refused with its line.

mod units;

use std::path::{Path, PathBuf};

use clearance_proof::model::{Body, Column, Joint, Limits, Mimic, Quantity, Robot, Waypoint};
use nalgebra::{Isometry3, Vector3};

use super::*;
use crate::files::MOST_TEXT;

/// Two robots with a finger and a thumb that follows it; a link `hand` each, an obstacle `part` and
/// one `fixture`.
fn cell() -> Cell {
    let mut cell = Cell::default();
    for (robot, name) in ["left", "right"].iter().enumerate() {
        cell.robots.push(Robot {
            name: (*name).into(),
            urdf: "robot.urdf".into(),
            world_from_base: Isometry3::identity(),
        });
        let first = cell.joints.len();
        for joint in ["finger", "thumb"] {
            cell.joints.push(Joint {
                name: joint.into(),
                robot,
                parent: None,
                parent_from_joint: Isometry3::identity(),
                axis: Vector3::z_axis(),
                kind: JointKind::Prismatic,
                limits: Limits::default(),
                mimic: (joint == "thumb").then_some(Mimic {
                    source: first,
                    multiplier: 1.0,
                    offset: 0.0,
                }),
            });
            cell.rest.push(0.0);
        }
        cell.bodies
            .push(body(&format!("{name}/hand"), Role::Link { robot }));
    }
    cell.bodies.push(body("part_1", Role::Obstacle));
    cell.bodies.push(body("part_2", Role::Obstacle));
    cell.bodies.push(body("fixture", Role::Obstacle));
    cell
}

fn body(name: &str, role: Role) -> Body {
    Body {
        name: name.into(),
        role,
        joint: None,
        joint_from_body: Isometry3::identity(),
        parent: None,
        shapes: vec![],
    }
}

/// Waypoints at 0, 1 and 4 s.
fn program(timed: bool) -> Program {
    let times = if timed {
        [0.0, 1.0, 4.0]
    } else {
        [0.0, 1.0, 2.0]
    };
    Program {
        source: "p.csv".into(),
        columns: vec![Column {
            joint: "x".into(),
            line: Some(1),
            quantity: Quantity::Unstated,
        }],
        waypoints: times
            .iter()
            .map(|&time| Waypoint::new(time, &[0.0][..], 2))
            .collect(),
        timed,
        ..Program::default()
    }
}

fn parse(text: &str, program: Option<&Program>) -> Result<Vec<Event>, String> {
    let text = TomlText::new(Path::new("p.events.toml"), text.into()).unwrap();
    let read = super::read(&text, program, Some("right"), &cell());
    read.map(|read| read.timeline.events)
        .map_err(|e| e.to_string())
}

#[test]
fn every_kind_of_event() {
    let text = "[[event]]\nwaypoint = 2.5\nrelease = \"part_1\"\n\
        [[event]]\nat = \"500ms\"\nattach = \"part_*\"\nto = \"left/hand\"\ntouch = [\"fix*\"]\n\
        [[event]]\nat = 0.5\nmove = \"finger\"\nvalue = \"12mm\"\nduration = \"250ms\"\n\
        [[event]]\nwaypoint = 1\nallow = [\"part_1\", \"fixture\"]\nuntil_waypoint = 3\nreason = \"rests\"\n\
        [[event]]\nat = 4\nattach = \"part_2\"\nto = \"right/hand\"\npose = { xyz = [0, 0, 0.1] }\n";
    let events = parse(text, Some(&program(true))).unwrap();
    let seen: Vec<(f64, usize)> = events.iter().map(|e| (e.time, e.line)).collect();
    // By time; those of one instant as they stand in the file.
    assert_eq!(seen, [(0.0, 14), (0.5, 4), (0.5, 9), (2.5, 1), (4.0, 19)]);
    let expected = [
        EventChange::Allow {
            a: "part_1".into(),
            b: "fixture".into(),
            until: Some(4.0),
            reason: "rests".into(),
        },
        EventChange::Attach {
            bodies: vec![2, 3],
            link: 0,
            link_from_body: None,
            touch: vec!["fix*".into()],
        },
        // The bare name is that of the program's robot.
        EventChange::Move {
            joint: 2,
            value: 0.012,
            duration: 0.25,
        },
        EventChange::Release { bodies: vec![2] },
        EventChange::Attach {
            bodies: vec![3],
            link: 1,
            link_from_body: Some(Isometry3::translation(0.0, 0.0, 0.1)),
            touch: vec![],
        },
    ];
    for (event, expected) in events.iter().zip(expected) {
        assert_eq!(event.change, expected);
    }
}

/// A bare name of a link is that of the program's robot, as it is of a joint.
#[test]
fn links_that_carry_need_no_robot_where_it_is_plain() {
    let text = "[[event]]\nat = 1\nattach = \"part_1\"\nto = \"hand\"\n";
    let text = TomlText::new(Path::new("p.events.toml"), text.into()).unwrap();
    let to = |robot: Option<&str>, cell: &Cell| {
        let read = super::read(&text, Some(&program(true)), robot, cell);
        match &read.map_err(|e| e.to_string())?.timeline.events[0].change {
            EventChange::Attach { link, .. } => Ok(*link),
            other => Err(format!("{other:?}")),
        }
    };
    let two = cell();
    assert_eq!(to(Some("left"), &two), Ok(0));
    assert_eq!(to(Some("right"), &two), Ok(1));
    let unclear = to(None, &two).unwrap_err();
    assert!(unclear.contains("several robots"), "{unclear}");
    let mut one = cell();
    one.bodies[0].name = "left/arm".into();
    assert_eq!(to(None, &one), Ok(1));
    // An attachment that is called so may be meant, too.
    one.bodies.push(body("hand", Role::Attached));
    for robot in [Some("right"), None] {
        let unclear = to(robot, &one).unwrap_err();
        assert!(
            unclear.starts_with("p.events.toml:4:6: ") && unclear.contains("write `right/hand`"),
            "{unclear}"
        );
    }
    // The program's own robot has no such link.
    assert_eq!(to(Some("left"), &one), Ok(5));
    one.bodies.pop();
    one.bodies[1].name = "right/arm".into();
    let unknown = to(None, &one).unwrap_err();
    assert!(unknown.contains("unknown body `hand`"), "{unknown}");
}

#[test]
fn without_times_waypoints_count() {
    let text = "[[event]]\nwaypoint = 2\nmove = \"left/finger\"\nvalue = 0.01\nduration = 0.5\n";
    let events = parse(text, Some(&program(false))).unwrap();
    assert_eq!(events[0].time, 1.0);
    let text = text.replace("waypoint", "at");
    let error = parse(&text, Some(&program(false))).unwrap_err();
    assert!(
        error.starts_with("p.events.toml:2:1: the program has no times"),
        "{error}"
    );
    // Of several programs nobody knows whose waypoint is meant.
    let error = parse("[[event]]\nwaypoint = 2\nrelease = \"part_1\"", None).unwrap_err();
    assert!(error.contains("whose waypoint"), "{error}");
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_place() {
    let program = program(true);
    for (text, place, said) in [
        ("[[event]]\nat = 1", "1:", "the event does nothing"),
        (
            "[[event]]\nrelease = \"part_1\"",
            "1:",
            "the event has no time",
        ),
        (
            "[[event]]\nat = 1\nwaypoint = 1\nrelease = \"part_1\"",
            "3:",
            "both `at` and `waypoint`",
        ),
        (
            "[[event]]\nat = 1\nattach = \"part_2\"\nrelease = \"part_1\"",
            "4:",
            "both",
        ),
        (
            "[[event]]\nat = 1\nrelease = \"part_3\"",
            "3:",
            "did you mean `part_1`?",
        ),
        (
            "[[event]]\nat = 1\nrelease = \"left/hand\"",
            "3:",
            "belongs to its robot",
        ),
        (
            "[[event]]\nat = 1\nrelease = \"part_1\"\nto = \"left/hand\"",
            "4:",
            "`to` does not belong to `release`",
        ),
        (
            "[[event]]\nat = 1\nattach = \"part_1\"",
            "1:",
            "has no `to`",
        ),
        (
            "[[event]]\nat = 1\nattach = \"part_1\"\nto = \"fixture\"",
            "4:",
            "an obstacle does not move",
        ),
        (
            "[[event]]\nat = 1\nattach = \"part_*\"\nto = \"left/hand\"\npose = {}",
            "5:",
            "several bodies at once",
        ),
        (
            "[[event]]\nat = 1\nmove = \"thumb\"\nvalue = 1\nduration = 1",
            "3:",
            "follows `right/finger`",
        ),
        (
            "[[event]]\nat = 1\nmove = \"finger\"\nvalue = 1\nduration = 0",
            "5:",
            "above 0",
        ),
        ("[[event]]\nat = 1\nallow = [\"part_1\"]", "3:", "two names"),
        (
            "[[event]]\nat = 1\nallow = [\"part_1\", \"fixture\"]\nuntil = 0.5",
            "1:",
            "ends before it begins",
        ),
        (
            "[[event]]\nwaypoint = 4\nrelease = \"part_1\"",
            "2:",
            "waypoints 1 to 3",
        ),
        (
            "[[event]]\nwaypoint = 0\nrelease = \"part_1\"",
            "2:",
            "waypoints 1 to 3",
        ),
        ("[[evnt]]\nat = 1", "1:", "did you mean `event`?"),
        (
            "[[event]]\nat = 1\nrelaese = \"part_1\"",
            "3:",
            "did you mean `release`?",
        ),
    ] {
        let error = parse(text, Some(&program)).unwrap_err();
        assert!(
            error.starts_with(&format!("p.events.toml:{place}")) && error.contains(said),
            "{text}\n{error}"
        );
    }
}

/// Events under a name that nobody reads are found; those of a neighbour are not meant.
#[test]
fn events_of_another_name_are_told() {
    for (files, program, found) in [
        (
            "pick.csv pick.csv.events.toml",
            "pick.csv",
            "pick.csv.events.toml",
        ),
        ("pick.csv pick.event.toml", "pick.csv", "pick.event.toml"),
        (
            "plans.csv plans.events.toml",
            "plans.csv#17",
            "plans.events.toml",
        ),
        (
            "pick.motion.json pick.events.toml",
            "pick.motion.json",
            "pick.events.toml",
        ),
        (
            "plans.csv plans.csv#17.events.toml plans.csv.events.toml",
            "plans.csv#18",
            "",
        ),
        (
            "plans.csv plans.csv#17.events.toml",
            "plans.csv#17",
            "plans.csv#17.events.toml",
        ),
        (
            "plans.pq plans.pq#17.event.toml",
            "plans.pq#17",
            "plans.pq#17.event.toml",
        ),
        // The right ones are there, or these are those of another program.
        (
            "pick.csv pick.events.toml pick.csv.events.toml",
            "pick.csv",
            "",
        ),
        ("plans.csv plans.json plans.events.toml", "plans.csv#17", ""),
        // These are no programs, and the last one has many.
        (
            "plans.parquet plans.log plans.csv~ plans.xlsx plans.report.json plans.events.toml",
            "plans.parquet#17",
            "plans.events.toml",
        ),
        (
            "a.table.parquet a.table.csv a.table.events.toml",
            "a.table.parquet#17",
            "a.table.events.toml",
        ),
        (
            "a.summary.parquet a.summary.csv a.summary.events.toml",
            "a.summary.parquet#17",
            "a.summary.events.toml",
        ),
        (
            "a.report.parquet a.report.json a.report.events.toml",
            "a.report.parquet#17",
            "a.report.events.toml",
        ),
        (
            "pick.motion.json pick.log pick.events.toml",
            "pick.motion.json",
            "pick.events.toml",
        ),
        (
            "pick.motion.json pick.csv pick.events.toml",
            "pick.motion.json",
            "",
        ),
        ("pick.csv place.events.toml", "pick.csv", ""),
        ("pick.csv", "pick.csv", ""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path(), files);
        let told = misnamed(&folder.path().join(program));
        let place = told.as_ref().map(|error| Path::new(&error.place.file));
        let name = place.and_then(Path::file_name).unwrap_or_default();
        assert_eq!(name, found, "{files}: {told:?}");
        let own = format!("{}", sidecar(Path::new(program)).display());
        assert!(told.is_none_or(|e| e.to_string().contains(&own)), "{files}");
    }
}

/// Writes files by their names: tables of one program and of many, a trajectory, a report.
fn written(folder: &Path, files: &str) {
    for file in files.split(' ') {
        let text = match file {
            _ if file.ends_with(".report.json") => r#"{"verdict": "clear", "programs": []}"#,
            _ if file.ends_with(".motion.json") => include_str!("../motion/example.motion.json"),
            _ if file.ends_with(".json") => {
                r#"{"joint_names": ["a"], "points": [{"positions": [0.0], "time_from_start": {"sec": 0, "nanosec": 0}},
                {"positions": [1.0], "time_from_start": {"sec": 1, "nanosec": 0}}]}"#
            }
            _ if file.ends_with(".table.csv") => "program,time,a\nx,0,0\nx,1,0\n",
            _ if file.ends_with(".summary.csv") => "cell,result\nleft,good\n",
            _ if file.ends_with(".csv") => "time,a\n0,0\n1,0\n",
            _ => "",
        };
        std::fs::write(folder.join(file), text).unwrap();
    }
}

/// Catches events of a program that was renamed, and those whose letters are of another size.
#[test]
fn events_of_no_program_are_told() {
    for (files, unread_files) in [
        ("pick_v2.csv pick.events.toml", "pick.events.toml"),
        ("pick.csv Pick.events.toml", "Pick.events.toml"),
        ("pick.csv pick.events.TOML", "pick.events.TOML"),
        ("pick.csv pick.events.tml", "pick.events.tml"),
        ("pick.csv place.event.toml", "place.event.toml"),
        // A report and a copy of the program that was renamed.
        (
            "pick_v2.csv pick.html pick.csv~ pick.bak pick.events.toml",
            "pick.events.toml",
        ),
        (
            "a.csv c.events.toml b.events.toml cell.toml",
            "b.events.toml c.events.toml",
        ),
        // Nobody reads those of one program in a file of many; it tells of them, if there is one.
        ("plans.table.csv plans.table.csv#x.events.toml", ""),
        (
            "plans.table.csv plans.table.csv#y.events.toml",
            "plans.table.csv#y.events.toml",
        ),
        (
            "plans.csv plans.csv#17.events.toml",
            "plans.csv#17.events.toml",
        ),
        (
            "run.mcap run.mcap#plan.events.toml",
            "run.mcap#plan.events.toml",
        ),
        // A report reads none.
        (
            "pick_v2.csv pick.report.json pick.report.events.toml",
            "pick.report.events.toml",
        ),
        // They are read, or the program beside them tells of them.
        ("pick.csv pick.events.toml", ""),
        ("pick.motion.json pick.motion.events.toml", ""),
        ("plans.csv plans.csv.events.toml", ""),
        ("plans.table.csv plans.table.events.toml", ""),
        ("plans.table.csv plans.table.csv.events.toml", ""),
        ("plans.parquet plans.parquet.events.toml", ""),
        ("pick.csv pick.event.toml", ""),
        ("pick.csv events.toml cell.toml", ""),
        // Of editors and systems.
        ("pick.csv .#old.events.toml ._pick.events.toml", ""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path(), files);
        let told = unread_in(folder.path());
        let name = |file: &PathBuf| file.file_name().unwrap().to_string_lossy().into_owned();
        let names: Vec<String> = told.iter().map(name).collect();
        assert_eq!(names.join(" "), unread_files, "{files}");
        let error = |file: &PathBuf| unread(file).unwrap().to_string();
        for file in &told {
            let of_many = ["#", "table"];
            let remedy = if of_many
                .iter()
                .any(|word| file.to_string_lossy().contains(word))
            {
                "; name it "
            } else {
                "; rename the file"
            };
            assert!(error(file).contains(remedy), "{}", error(file));
        }
    }
    assert!(unread(Path::new("pick.csv")).is_none());
    let folder = tempfile::tempdir().unwrap();
    for file in ["pick.csv", "pick.events.toml"] {
        std::fs::write(folder.path().join(file), "").unwrap();
    }
    let named = unread(&folder.path().join("pick.events.toml")).unwrap();
    assert!(named.to_string().contains("; name the program"), "{named}");
    assert!(unread_in(Path::new("/nowhere")).is_empty());
}

/// A link to a program leads past the events that stand beside the program itself.
#[cfg(unix)]
#[test]
fn events_behind_a_link_are_told() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("real")).unwrap();
    std::fs::create_dir(at("links")).unwrap();
    for (program, events) in [
        ("pick.csv", "pick.events.toml"),
        ("t.parquet", "t.parquet.events.toml"),
    ] {
        let link = at("links").join(program);
        let named = match program {
            "t.parquet" => at("links").join("t.parquet#7"),
            _ => link.clone(),
        };
        std::fs::write(at("real").join(program), "").unwrap();
        symlink(at("real").join(program), &link).unwrap();
        assert!(misnamed(&named).is_none());
        std::fs::write(at("real").join(events), "").unwrap();
        let told = misnamed(&named).unwrap().to_string();
        assert!(told.contains("is a link to the program"), "{told}");
        assert!(any_beside(&named));
        // A link to a link in a folder without events; and one whose own neighbour is the events,
        // behind which the way goes on.
        let first = at("links").join("x").join(program);
        let second = at("middle").join(program);
        std::fs::create_dir_all(first.parent().unwrap()).unwrap();
        std::fs::create_dir_all(second.parent().unwrap()).unwrap();
        symlink(at("real").join(program), &second).unwrap();
        symlink(Path::new("../../middle").join(program), &first).unwrap();
        let named_first = match program {
            "t.parquet" => first.with_file_name("t.parquet#7"),
            _ => first.clone(),
        };
        assert!(misnamed(&named_first).is_some());
        std::fs::rename(at("real").join(events), at("middle").join(events)).unwrap();
        assert!(misnamed(&named_first).is_some());
        std::fs::rename(at("middle").join(events), at("real").join(events)).unwrap();
        // The folder may be a link, and the events may be linked as well.
        symlink(at("real"), at("folder")).unwrap();
        assert!(misnamed(&at("folder").join(program)).is_none());
        std::fs::remove_file(at("folder")).unwrap();
        symlink(at("real").join(events), at("links").join(events)).unwrap();
        assert!(misnamed(&named).is_none());
    }
}

/// What is there and cannot be read is no absence.
#[test]
fn events_that_cannot_be_read_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("pick.csv");
    let events = sidecar(&program);
    assert_eq!(sidecar_bytes(&program).unwrap(), None);
    std::fs::write(&events, "# none").unwrap();
    assert_eq!(sidecar_bytes(&program).unwrap().unwrap(), b"# none");
    let large = std::fs::File::create(&events).unwrap();
    large.set_len(MOST_TEXT + 1).unwrap();
    let told = || {
        let said = sidecar_bytes(&program).unwrap_err().to_string();
        assert!(said.starts_with(&events.display().to_string()), "{said}");
        assert!(said.contains("; "), "{said}");
    };
    told();
    std::fs::remove_file(&events).unwrap();
    std::fs::create_dir(&events).unwrap();
    told();
    std::fs::remove_dir(&events).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("gone.toml", &events).unwrap();
        told();
    }
}
