//! Requests that cannot be met, and their messages.

use std::path::Path;

use assert_cmd::Command;
use clearance::findings::Verdict;
use clearance::run::Job;

use super::{Lab, named, one, two};

#[test]
fn what_cannot_be_is_said_with_its_line() {
    let lab = Lab::new();
    let cell = "[[robot]]\nurdf = \"robot.urdf\"\n[[obstacle]]\nname = \"part\"\nsphere = 0.01\npose = { xyz = [3, 0, 0] }\n";
    let table = "time,turn\n0,0\n1,0\n";
    for (events, line, said) in [
        (
            "[[event]]\nat = 0.5\nrelease = \"part\"",
            1,
            "is not carried",
        ),
        (
            "[[event]]\nat = 0.5\nattach = \"part\"\nto = \"base\"",
            1,
            "does not move",
        ),
        (
            "\n[[event]]\nat = 1.5\nattach = \"part\"\nto = \"hand\"",
            2,
            "outside of the motion",
        ),
        (
            "[[event]]\nat = 0.5\nmove = \"turn\"\nvalue = 1\nduration = 0.1",
            1,
            "moved by",
        ),
        (
            "[[event]]\nat = 0\nmove = \"lift\"\nvalue = 1\nduration = 0.6\n[[event]]\nat = 0.5\nmove = \"lift\"\nvalue = 0\nduration = 0.1",
            6,
            "still on its way",
        ),
    ] {
        lab.write("p.events.toml", events);
        let answer = lab.ask(cell, "p", table);
        let error = answer.error.unwrap_or_else(|| panic!("{events}"));
        assert_eq!(answer.verdict, Verdict::Unverified);
        assert!(
            error.contains(&format!("p.events.toml:{line}: ")) && error.contains(said),
            "{error}"
        );
    }
    // Programs that cannot share a clock.
    let timed = lab.write("timed.csv", "time,turn\n0,0\n1,1\n");
    let untimed = lab.write("untimed.csv", "turn\n0\n1\n");
    let wrong = lab.write("wrong.csv", "time,right/turn\n0,0\n1,1\n");
    for (programs, said) in [
        (
            [named("left", &timed, 0.0), named("right", &untimed, 0.0)],
            "untimed.csv:1: the program has no times",
        ),
        (
            [named("left", &timed, 0.0), named("left", &timed, 0.0)],
            "is moved by",
        ),
        (
            [named("left", &timed, 0.0), named("middle", &timed, 0.0)],
            "no robot `middle`; its robots are `left`, `right`",
        ),
        (
            [named("left", &wrong, 0.0), named("right", &timed, 0.0)],
            "`right/turn` belongs to `right`",
        ),
    ] {
        let error = lab.together(&two(1.15), &programs, None).error.unwrap();
        assert!(error.contains(said), "{error}");
    }
}

/// Otherwise the program would be checked without its events, and be `clear`.
#[test]
fn events_that_nobody_reads_are_refused() {
    let lab = Lab::new();
    let cell = "[[robot]]\nurdf = \"robot.urdf\"\n[[obstacle]]\nname = \"part\"\nsphere = 0.01\npose = { xyz = [3, 0, 0] }\n";
    let table = "time,turn\n0,0\n1,0\n";
    assert_eq!(lab.ask(cell, "q", table).verdict, Verdict::Clear);
    lab.write(
        "q.csv.events.toml",
        "[[event]]\nat = 0.5\nattach = \"part\"\nto = \"hand\"\n",
    );
    let answer = lab.ask(cell, "q", table);
    let error = answer.error.unwrap();
    assert_eq!(answer.verdict, Verdict::Unverified);
    for part in ["q.csv.events.toml", "nobody reads", "q.events.toml"] {
        assert!(error.contains(part), "{error}");
    }
}

/// Otherwise the part would be carried where nothing can touch it, and the program be `clear`.
#[test]
fn poses_that_can_hardly_be_meant_settle_nothing() {
    let lab = Lab::new();
    let cell = "[[robot]]\nurdf = \"robot.urdf\"\n[[obstacle]]\nname = \"part\"\nsphere = 0.01\npose = { xyz = [3, 0, 0] }\n";
    let table = "time,turn\n0,0\n1,0\n";
    for (pose, code) in [
        ("xyz = [0, 300, 300]", Some("suspicious-place")),
        ("rpy = [0, 0, 90]", Some("suspicious-rpy")),
        ("xyz = [0, 0.3, \"300mm\"], rpy = [0, 0, \"90deg\"]", None),
    ] {
        lab.write(
            "p.events.toml",
            &format!(
                "[[event]]\nat = 0.5\nattach = \"part\"\nto = \"hand\"\npose = {{ {pose} }}\n"
            ),
        );
        let answer = lab.ask(cell, "p", table);
        let open = (answer.notices.iter().chain(&answer.unchecked)).filter(|said| said.is_open());
        let codes: Vec<&str> = open.map(|said| said.code.as_str()).collect();
        assert_eq!(codes, Vec::from_iter(code), "{pose}");
        let settled = answer.verdict == Verdict::Clear;
        assert_eq!(settled, code.is_none(), "{pose}: {:?}", answer.error);
    }
}

/// A program was renamed and its events were not: it would be checked without them.
#[test]
fn events_of_no_program_are_told() {
    let lab = tempfile::tempdir().unwrap();
    let folder = lab.path();
    let arm = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cell = arm.join("robots/arm6/cell.toml");
    let text = std::fs::read(arm.join("trajectories/arm6/pick_place.csv")).unwrap();
    std::fs::write(folder.join("pick_v2.csv"), text).unwrap();
    let ask = |command: &str, what: &[&str]| {
        let mut asked = Command::cargo_bin("clearance").unwrap();
        asked.args([command, "--quiet", "--no-cache", "--cell"]);
        let ended = asked
            .arg(&cell)
            .args(what)
            .current_dir(folder)
            .output()
            .unwrap();
        let said = [ended.stdout, ended.stderr].concat();
        (ended.status.code(), String::from_utf8(said).unwrap())
    };
    let all = [
        ("check", "pick_v2.csv"),
        ("check", "*.csv"),
        ("batch", "."),
        ("batch", "*.csv"),
    ];
    for (command, what) in all {
        assert_eq!(ask(command, &[what]).0, Some(0), "{command} {what}");
    }
    std::fs::write(folder.join("pick.events.toml"), "").unwrap();
    for (command, what) in all {
        let (code, said) = ask(command, &[what]);
        assert_eq!(code, Some(2), "{command} {what}: {said}");
        let told = said.contains("pick.events.toml: nobody reads these events");
        assert!(told, "{command} {what}: {said}");
    }
    // The user says which ones are meant.
    let named = ["pick_v2.csv", "--events", "pick.events.toml"];
    assert_eq!(ask("check", &named).0, Some(0));
}

/// Whose events they are decides when they happen: what depends on two programs is refused with its
/// line.
#[test]
fn events_of_two_programs_about_one_body_are_refused_with_any_delay() {
    let lab = Lab::new();
    let cell = format!(
        "{}[[obstacle]]\nname = \"part\"\nsphere = 0.01\npose = {{ xyz = [0, 0, 3] }}\n\
         [[obstacle]]\nname = \"box\"\nsphere = 0.01\npose = {{ xyz = [0, 0, 4] }}\n\
         [[attach]]\nname = \"grip\"\nparent = \"left/hand\"\nsphere = 0.01\npose = {{ xyz = [0, 0, 0.2] }}\n",
        two(1.6)
    );
    let table = "time,turn,lift\n0,1.5,0\n2,1.6,0\n";
    let files = [lab.write("l.csv", table), lab.write("r.csv", table)];
    let take =
        |what: &str, to: &str| format!("\n[[event]]\nat = 1\nattach = \"{what}\"\nto = \"{to}\"\n");
    let ask = |left: &str, right: &str, change: &dyn Fn(&mut Job)| {
        lab.write("l.events.toml", left);
        lab.write("r.events.toml", right);
        let cell = lab.write("cell.toml", &cell);
        let mut job = Job::new(cell, Vec::new());
        job.together = vec![
            named("left", &files[0], 0.0),
            named("right", &files[1], 0.0),
        ];
        job.any_delay = Some(0.5);
        change(&mut job);
        one(&mut job)
    };
    let nothing = |_: &mut Job| ();
    let own = take("part", "left/hand");
    let regrip = take("grip", "left/fore");
    assert_eq!(ask(&own, "", &nothing).error, None);
    assert_eq!(ask(&own, &take("box", "right/hand"), &nothing).error, None);
    let jaw = "\n[[event]]\nat = 1\nmove = \"left/jaw_joint\"\nvalue = 0.01\nduration = 0.1\n";
    let release = "[[event]]\nat = 1.5\nrelease = \"part\"\n";
    for (left, right, said) in [
        (
            own.as_str(),
            take("part", "right/hand"),
            &[
                "l.events.toml:2: ",
                "`part` is taken or put down by events of two programs, also in ",
                "r.events.toml:2: who holds it",
            ][..],
        ),
        (
            &own,
            release.to_owned(),
            &["l.events.toml:2: ", "also in ", "r.events.toml:1"],
        ),
        // A body that is given to another one goes with it.
        (
            &regrip,
            take("box", "grip"),
            &[
                "r.events.toml:2: ",
                "`grip` is taken or put down by events of two programs, also in ",
            ],
        ),
        (
            "",
            take("part", "left/hand"),
            &[
                "r.events.toml:2: ",
                "`left/hand` is moved by ",
                "l.csv",
                "where `part` is then would depend on the delay",
            ],
        ),
        (
            jaw,
            jaw.to_owned(),
            &["events.toml:2: ", "`left/jaw_joint` is "],
        ),
    ] {
        let answer = ask(left, &right, &nothing);
        assert_eq!(answer.verdict, Verdict::Unverified);
        let error = answer.error.unwrap();
        for part in said {
            assert!(error.contains(part), "{error}");
        }
    }
    let file = lab.write("all.toml", &own);
    let error = ask("", "", &|job| job.events = Some(file.clone()))
        .error
        .unwrap();
    assert!(
        error.contains("all.toml:2: ") && error.contains("leave out --events"),
        "{error}"
    );
    let error = ask("", "", &|job| job.audit_allowed = true).error.unwrap();
    assert!(error.contains("leave out --audit-allowed"), "{error}");
}
