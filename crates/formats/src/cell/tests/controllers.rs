//! Statements of cells about controllers, and where programs begin.

use super::*;
use clearance_proof::report::Code;

const SAID: &str = r#"start = "home"
[robot.controller]
dialect = "fanuc"
joints = ["grip", { joint = "turn", sign = -1, offset = "90deg", pulses = 1000, with = { grip = 2 } }]
base = { link = "base", xyz = [0, 0, 1] }
flange = "tool0"
frames = { 1 = { xyz = [1, 0, 0] }, 2 = { link = "tool0" } }
tools = { 1 = { xyz = [0, 0, "100mm"] } }
files = ["arm.urdf"]
still = ["GRIP_*"]
home = { grip = "50mm", turn = "10deg" }
"#;

#[test]
fn what_is_said_of_a_controller() {
    let loaded = load_whole(&format!("{ROBOT}{SAID}")).unwrap();
    let said = loaded.robots[0].controller.as_ref().unwrap();
    let joints: Vec<_> = said
        .joints
        .iter()
        .map(|j| (j.name.as_str(), j.sign, j.pulses))
        .collect();
    assert_eq!(joints, [("grip", 1.0, None), ("turn", -1.0, Some(1000.0))]);
    assert_eq!(said.joints[1].offset, 90f64.to_radians());
    assert_eq!(
        (
            said.joints[1].coupled[0].joint,
            said.joints[1].coupled[0].factor
        ),
        (0, 2.0)
    );
    assert_eq!(
        said.frames["1"].link_from_frame.translation.vector,
        Vector3::new(1.0, 0.0, 1.0)
    );
    assert_eq!(
        (
            said.frames["1"].link.as_str(),
            said.frames["2"].link.as_str()
        ),
        ("base", "tool0")
    );
    assert_eq!(said.tools["1"].translation.z, 0.1);
    assert_eq!(said.files[0].bytes[..], *ARM.as_bytes());
    assert_eq!(said.home, Some(vec![0.05, 10f64.to_radians()]));
    let values = said.home.clone().unwrap();
    let joints = &loaded.cell.joints;
    let joint = |name: &str| joints.iter().position(|j| j.name == name).unwrap();
    assert_eq!(
        loaded.robots[0].start,
        [(joint("grip"), values[0]), (joint("turn"), values[1])]
    );
}

/// A folder of a controller's backup with these files, and the names of those that the cell takes.
fn taken(names: &[&str], files: &str) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, name).unwrap();
    }
    std::fs::write(folder.path().join("arm.urdf"), ARM).unwrap();
    let cell = folder.path().join("cell.toml");
    let text = format!("{ROBOT}[robot.controller]\ndialect = \"rapid\"\nfiles = {files}\n");
    std::fs::write(&cell, text).unwrap();
    let loaded = load_cell(&cell, &LoadOptions::default()).map_err(|e| e.to_string())?;
    let controller = loaded.robots[0].controller.as_ref().unwrap();
    let inside = |file: &Path| file.strip_prefix(folder.path()).unwrap().to_owned();
    let taken = controller.files.iter().map(|file| {
        assert!(loaded.files.contains(&file.path));
        assert_eq!(*file.bytes, *std::fs::read(&file.path).unwrap());
        inside(&file.path).display().to_string()
    });
    Ok(taken.collect())
}

/// As RobotStudio writes them. A file counts once, whichever patterns match it, in the order of the
/// names.
#[test]
fn files_of_a_controller_may_be_patterns() {
    let names = [
        "B/PROGMOD/main.mod",
        "B/PROGMOD/LIB.MOD",
        "B/SYSMOD/user.sys",
        "B/a[1].mod",
    ];
    let of = |files: &str| taken(&names, files);
    let all = [
        "B/PROGMOD/LIB.MOD",
        "B/PROGMOD/main.mod",
        "B/SYSMOD/user.sys",
    ]
    .map(str::to_owned);
    let found = of("[\"B/PROGMOD/*.mod\", \"B/SYSMOD/*.sys\"]").unwrap();
    assert_eq!(found, all);
    let found = of("[\"B/*/LIB.mod\", \"B/**/m*\", \"B/*MOD/*\"]").unwrap();
    assert_eq!(found, all);
    // A file of that name is no pattern.
    assert_eq!(of("[\"B/a[1].mod\"]").unwrap(), ["B/a[1].mod"]);
    let said = of("[\"B/SYSMOD/*.mod\"]").unwrap_err();
    for words in [
        "cell.toml:5:10: `B/SYSMOD/*.mod` was not found",
        "no file matches this pattern",
    ] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn groups_that_are_left_out_are_told() {
    let with = |said: &str| load_whole(&format!("{ROBOT}{SAID}not_modelled = {said}\n"));
    let loaded = with(r#"{ GP2 = "a gun, drawn open" }"#).unwrap();
    let said = loaded.robots[0].controller.as_ref().unwrap();
    assert_eq!(said.not_modelled["GP2"], "a gun, drawn open");
    let told = loaded
        .cell
        .unchecked
        .iter()
        .find(|u| u.code == Code::Accepted)
        .unwrap();
    assert!(told.subject.ends_with("GP2") && told.message.ends_with(": a gun, drawn open"));
    assert!(
        told.place
            .as_ref()
            .is_some_and(|place| place.line.is_some())
    );
    for (wrong, says) in [
        (r#"{ GP1 = "the arm" }"#, "beside the arm's"),
        (r#"{ gun = "open" }"#, "beside the arm's"),
        (r#"{ GP2 = "" }"#, "GP2"),
        (r#"["GP2"]"#, "not_modelled"),
    ] {
        let error = with(wrong).unwrap_err().to_string();
        assert!(error.contains(says), "{wrong}: {error}");
    }
    let other = SAID.replace("fanuc", "krl");
    let error = load(&format!(
        "{ROBOT}{other}not_modelled = {{ GP2 = \"a gun\" }}\n"
    ))
    .unwrap_err();
    assert!(
        error.to_string().contains("only programs of `fanuc`"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_meant_of_a_controller() {
    for (from, to, says) in [
        (
            "\"fanuc\"",
            "\"basic\"",
            "write one of ur, rapid, krl, fanuc, inform",
        ),
        (
            "[\"grip\"",
            "[\"grup\"",
            "unknown joint `grup`; did you mean `grip`?",
        ),
        ("[\"grip\"", "[\"grip2\"", "unknown joint `grip2`"),
        ("[\"grip\"", "[\"turn\"", "each joint stands once"),
        ("sign = -1", "sign = 2", "write 1 or -1"),
        ("pulses = 1000", "pulses = -1", "how many pulses"),
        ("{ grip = 2 }", "{ turn = 2 }", "unknown joint `turn`"),
        (
            "\"tool0\"\nframes",
            "\"tool1\"\nframes",
            "unknown link `tool1`",
        ),
        ("base = { link", "# base = { link", "`1` is on no link"),
        ("turn = \"10deg\" }", "}", "no value for `turn`"),
        ("\"home\"", "\"hme\"", "unknown state of the SRDF `hme`"),
        (
            "[robot.controller]\ndialect",
            "[robot.other]\ndialect",
            "other",
        ),
    ] {
        assert!(SAID.contains(from), "{from}");
        let error = load(&format!("{ROBOT}{}", SAID.replacen(from, to, 1)))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(says) && error.contains("cell.toml:"),
            "{error}"
        );
    }
}

const TWO_ARMS: &str = r#"<robot name="arm">
    <group name="left"/><group name="right"/>
    <group_state name="home" group="left"><joint name="turn" value="0.5"/></group_state>
    <group_state name="home" group="right"><joint name="grip" value="0.02"/></group_state>
    <group_state name="open" group="right"><joint name="grip" value="0.1"/></group_state>
    <group_state name="pair" group="right"><joint name="grip" value="0.1"/><joint name="grip2" value="-0.1"/></group_state>
    <group_state name="odd" group="right"><joint name="grip" value="0.1"/><joint name="grip2" value="-0.05"/></group_state>
    <group_state name="half" group="left"><joint name="grip2" value="-0.1"/></group_state>
    <group_state name="far" group="right"><joint name="grip" value="0.3"/></group_state>
    <group_state name="same" group="left"><joint name="turn" value="0.5"/></group_state>
    <group_state name="same" group="left"><joint name="turn" value="0.7"/></group_state></robot>"#;

/// A cell beside an SRDF with states of two groups, and a program that ends at 0.25 rad.
fn load_with_states(text: &str) -> Result<LoadedCell, ImportError> {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    put("arm.urdf", ARM);
    put("arm.srdf", TWO_ARMS);
    put("before.csv", "turn[deg]\n0\n30\n");
    put("moves.motion.json", "{}");
    put("cell.toml", &format!("{ROBOT}srdf = \"arm.srdf\"\n{text}"));
    load_cell(&dir.path().join("cell.toml"), &LoadOptions::default())
}

#[test]
fn states_of_the_srdf_are_values_of_joints_that_do_not_move() {
    let rest = |text: &str| load_with_states(text).unwrap().cell.rest;
    // turn, grip, and grip2, which follows grip.
    assert_eq!(rest("state = \"left/home\""), [0.5, 0.0, 0.0]);
    assert_eq!(rest("state = \"right/home\""), [0.0, 0.02, -0.02]);
    assert_eq!(rest("state = \"open\""), [0.0, 0.1, -0.1]);
    assert_eq!(rest("state = [\"left/home\", \"open\"]"), [0.5, 0.1, -0.1]);
    let both = "state = [\"left/home\", \"open\"]\njoints = { grip = \"50mm\" }";
    assert_eq!(rest(both), [0.5, 0.05, -0.05]);
    let far = load_with_states("state = \"far\"").unwrap();
    assert!(
        far.cell
            .notes
            .iter()
            .any(|n| n.code == clearance_proof::report::Code::RestOutsideLimits)
    );
    for (text, says) in [
        (
            "state = \"home\"",
            "several groups have a state of this name: write one of `left/home`, `right/home`",
        ),
        (
            "state = \"left/open\"",
            "unknown state of the SRDF `left/open`",
        ),
        ("state = \"opne\"", "did you mean `open`?"),
        (
            "state = [\"right/home\", \"open\"]",
            "the states before it give `grip` another value",
        ),
        ("start = \"home\"", "several groups"),
        (
            "state = \"left/same\"",
            "`left/same` stands more than once in the SRDF: keep one of them",
        ),
        (
            "state = \"same\"",
            "`left/same` stands more than once in the SRDF: keep one of them",
        ),
        (
            "state = \"nowhere near\"",
            "known are `home`, `open`, `pair`, `odd`, `half`, `far`, `same`, `left/home`, `right/home`, `right/open`, `right/pair`, `right/odd`, `left/half`, `right/far`, `left/same`",
        ),
        (
            "start = { after = \"moves.motion.json\" }",
            "the end of a CSV file",
        ),
        ("start = { after = \"gone.csv\" }", "was not found"),
        ("start = { trun = 1 }", "did you mean `turn`?"),
    ] {
        let error = load_with_states(text).unwrap_err().to_string();
        assert!(
            error.contains(says) && error.contains("cell.toml:4"),
            "{error}"
        );
    }
}

/// Regression: what a state says of a joint that follows another one was dropped, so a gripper was
/// checked closed that the state has open.
#[test]
fn a_state_that_has_a_follower_elsewhere_is_refused() {
    let rest = |text: &str| load_with_states(text).map(|loaded| loaded.cell.rest);
    assert_eq!(rest("state = \"pair\"").unwrap(), [0.0, 0.1, -0.1]);
    for (text, says) in [
        (
            "state = \"odd\"",
            "has `grip2` at -50 mm, but it follows `grip` to -100 mm",
        ),
        (
            "state = \"half\"",
            "has `grip2` at -100 mm, but it follows `grip` to 0 mm",
        ),
        ("start = \"odd\"", "follows `grip` to -100 mm"),
    ] {
        let error = rest(text).unwrap_err().to_string();
        assert!(
            error.contains(says) && error.contains("cell.toml:4"),
            "{error}"
        );
    }
    // Another state has it, or the cell file.
    let two = "state = [\"half\", \"open\"]";
    assert_eq!(rest(two).unwrap(), [0.0, 0.1, -0.1]);
    let stated = "state = \"odd\"\njoints = { grip = \"50mm\" }";
    assert_eq!(rest(stated).unwrap(), [0.0, 0.05, -0.05]);
}

#[test]
fn programs_begin_at_a_state_at_joint_values_or_where_another_one_ends() {
    let start = |text: &str| load_with_states(text).unwrap().robots[0].start.clone();
    assert_eq!(start("start = \"left/home\""), [(0, 0.5)]);
    assert_eq!(start("start = \"right/home\""), [(1, 0.02)]);
    assert_eq!(
        start("start = { turn = \"90deg\" }"),
        [(0, std::f64::consts::FRAC_PI_2)]
    );
    let after = "state = \"open\"\nstart = { after = \"before.csv\" }";
    assert_eq!(start(after), [(0, 30f64.to_radians()), (1, 0.1)]);
    let loaded = load_with_states(after).unwrap();
    assert!(loaded.files.iter().any(|f| f.ends_with("before.csv")));
}

/// Where the program before leaves the robot: what a check would ask about that program is asked,
/// and nothing that it says is passed over.
#[test]
fn a_program_before_is_read_like_any_other() {
    let after = |file: &str, text: &str, more: Option<(&str, &str)>| {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        put("arm.urdf", ARM);
        put(file, text);
        if let Some((name, text)) = more {
            put(name, text);
        }
        put(
            "cell.toml",
            &format!("{ROBOT}start = {{ after = \"{file}\" }}"),
        );
        let loaded = load_cell(&dir.path().join("cell.toml"), &LoadOptions::default());
        loaded.map(|loaded| loaded.robots[0].start.clone())
    };
    assert_eq!(
        after(
            "a.csv",
            "grip,grip2,turn\n0.1,-0.1,0.5\n0.05,-0.05,1\n",
            None
        )
        .unwrap(),
        [(0, 1.0), (1, 0.05)]
    );
    let message = "joint_names: [turn]\npoints: [{positions: [0], time_from_start: {sec: 0}}, {positions: [1], time_from_start: {sec: 1}}]";
    let stated = |joints: &str, values: &str| {
        let start = format!(
            "trajectory_start: {{joint_state: {{name: [{joints}], position: [{values}]}}}}\n"
        );
        let points = message.replace('\n', "\n    ");
        format!("{start}trajectory:\n  - joint_trajectory:\n    {points}")
    };
    assert_eq!(
        after("a.yaml", &stated("turn, grip", "0, 0.07"), None).unwrap(),
        [(0, 1.0), (1, 0.07)]
    );
    // It moves what stands behind this robot in the cell file, too.
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("arm.urdf"), ARM).unwrap();
    let both = "left/turn,right/turn,part/x\n0,0,0\n0.5,0.7,0.1\n";
    std::fs::write(dir.path().join("both.csv"), both).unwrap();
    let robot = |name: &str, more: &str| format!("{ROBOT}name = \"{name}\"\n{more}\n");
    let text = robot("left", "start = { after = \"both.csv\" }")
        + &robot("right", "start = { after = \"both.csv\" }")
        + "[[free]]\nname = \"part\"\nsphere = 0.1\n";
    let file = dir.path().join("cell.toml");
    std::fs::write(&file, text).unwrap();
    let loaded = load_cell(&file, &LoadOptions::default()).unwrap();
    assert_eq!(loaded.robots[0].start[0], (0, 0.5));
    assert!(
        loaded.robots[1]
            .start
            .iter()
            .any(|&(_, value)| value == 0.7)
    );
    for (file, text, more, says) in [
        ("a.csv", "turn,gripp\n0,0\n1,0\n", None, "gripp"),
        (
            "a.csv",
            "turn\n0\n1\n",
            Some(("a.events.toml", "")),
            "has events",
        ),
        (
            "a.csv",
            "turn\n0\n1\n",
            Some(("a.csv.events.toml", "")),
            "has events",
        ),
        ("a.csv", "grip,grip2\n0.1,0.1\n0.05,0.05\n", None, "grip2"),
        ("a.csv", "turn\n0\n50\n", None, "degrees"),
        (
            "a.csv",
            "program,time,turn\na,0,0\na,1,1\n",
            None,
            "many programs",
        ),
        ("a.csv", "grip[rad]\n0\n0.1\n", None, "grip"),
    ] {
        let error = after(file, text, more).unwrap_err().to_string();
        assert!(
            error.contains(says) && error.contains("cell.toml:3"),
            "{text}: {error}"
        );
    }
}

/// Catches degrees that are taken for radians in silence, wherever a cell file has angles.
#[test]
fn angles_that_can_hardly_be_radians_are_told() {
    let told = |text: &str| -> Vec<String> {
        let cell = load_of(ENDLESS, text).unwrap();
        let rpy = cell
            .notices
            .iter()
            .filter(|n| n.code == Code::SuspiciousRpy);
        rpy.map(|n| {
            let line = n.place.as_ref().and_then(|p| p.line).unwrap();
            format!("{line}: {}", n.message)
        })
        .collect()
    };
    let robot = "[[robot]]\nurdf = \"arm.urdf\"\n";
    let controller = "[robot.controller]\ndialect = \"krl\"\nbase = \"base\"\n";
    for (said, line) in [
        ("base = { rpy = [0, 0, 90] }", 3),
        ("base = { rpy = [0, 0, \"90\"] }", 3),
        ("base = { rpy = [0, \" -90.0 \", \"1deg\"] }", 3),
        ("joints = { turn = 90 }", 3),
        ("joints = { turn = \"90\" }", 3),
        ("start = { turn = 90 }", 3),
        (
            &format!("{controller}flange = {{ link = \"tool0\", rpy = [0, 0, 90] }}"),
            6,
        ),
        (
            &format!("{controller}tools = {{ 1 = {{ rpy = [0, 90, 0] }} }}"),
            6,
        ),
        (
            &format!("{controller}frames = {{ 1 = {{ rpy = [0, 0, \"180\"] }} }}"),
            6,
        ),
        (
            &format!("{controller}joints = [{{ joint = \"turn\", offset = 90 }}]"),
            6,
        ),
        (
            &format!("{controller}joints = [\"turn\"]\nhome = {{ turn = -90 }}"),
            7,
        ),
        (
            &format!(
                "{controller}points = [{{ joints = [90], xyz = [1, 0, 0], rpy = [0, 0, 90] }}]"
            ),
            6,
        ),
    ] {
        let found = told(&format!("{robot}{said}\n"));
        assert_eq!(found.len(), 1, "{said}: {found:?}");
        assert!(found[0].starts_with(&format!("{line}: ")), "{found:?}");
        assert!(
            found[0].contains("90 rad") || found[0].contains("180 rad"),
            "{found:?}"
        );
        assert!(
            ["90", "-90", "180", "-180"].iter().any(|x| {
                found[0].ends_with(&format!(
                    "write \"{x}deg\" for degrees, \"{x}rad\" for radians"
                ))
            }),
            "{found:?}"
        );
    }
    // With a unit, or within a turn, it is meant so.
    for said in [
        "base = { rpy = [0, 0, \"90rad\"] }",
        "base = { rpy = [0, 0, \"90deg\"] }\njoints = { turn = \"90deg\" }",
        "joints = { turn = 6.28 }",
        "joints = { turn = \"90rad\" }",
        &format!("{controller}tools = {{ 1 = {{ rpy = [0, 3.14, 0] }} }}"),
    ] {
        assert_eq!(told(&format!("{robot}{said}\n")), [""; 0], "{said}");
    }
}

/// A joint without a range, so that no limit tells of degrees.
const ENDLESS: &str = r#"<robot name="arm"><link name="base"/><link name="tool0"/>
    <joint name="turn" type="continuous"><parent link="base"/><child link="tool0"/><axis xyz="0 0 1"/></joint></robot>"#;
