//! `check --watch` as a process: files are edited under it, and what it prints is read.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::*;

/// Long enough for a busy machine; nothing waits so long unless it fails.
const PATIENCE: Duration = Duration::from_secs(120);

struct Watched {
    process: Child,
    lines: Receiver<String>,
}

impl Watched {
    fn start(shop: &Workshop, programs: &[&str]) -> Self {
        // One pipe for both outputs, so that lines come in their order; `exec` so that the process
        // is the program itself.
        let mut process = Command::new("sh")
            .current_dir(shop.path())
            .env("XDG_CACHE_HOME", shop.path().join("cache"))
            .args(["-c", "exec \"$0\" \"$@\" 2>&1"])
            .arg(assert_cmd::cargo::cargo_bin("clearance"))
            .args(["check", "--cell", "robots/arm6/cell.toml", "--watch"])
            .args(programs)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let pipe = process.stdout.take().unwrap();
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { process, lines }
    }

    /// Reads until a line begins like this, which must not take for ever, and gives it.
    fn wait_for(&self, start: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("no line starts with `{start}`"));
            if line.starts_with(start) {
                return line;
            }
        }
    }

    /// The next verdict; then files are watched again.
    fn verdict(&self, expected: &str) {
        let first = loop {
            let line = self.lines.recv_timeout(PATIENCE).expect(expected);
            let words = ["CLEAR", "COLLISION", "UNVERIFIED"];
            if words.iter().any(|w| line.starts_with(w)) {
                break line;
            }
        };
        assert!(first.starts_with(expected), "{first}");
        self.wait_for("watching ");
    }
}

impl Watched {
    /// The verdict over all programs; then files are watched again.
    fn sums_up(&self, expected: &str) {
        let mut last = String::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect(expected);
            if line.starts_with("watching ") {
                break;
            }
            let words = ["CLEAR", "COLLISION", "UNVERIFIED"];
            if words.iter().any(|word| line.starts_with(word)) {
                last = line;
            }
        }
        assert!(last.starts_with(expected), "{last}");
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a program takes from a file beside it is as good as its own.
#[test]
fn an_edit_of_a_data_list_is_checked() {
    let shop = Workshop::new();
    let cell = shop.path().join("robots/arm6/cell.toml");
    let text = fs::read_to_string(&cell).unwrap();
    let controller = "urdf = \"robot.urdf\"\ncontroller = { dialect = \"krl\", joints = [\"joint_1\", \"joint_2\", \"joint_3\", \"joint_4\", \"joint_5\", \"joint_6\"] }";
    fs::write(&cell, text.replacen("urdf = \"robot.urdf\"", controller, 1)).unwrap();
    fs::write(
        shop.path().join("pick.src"),
        "DEF pick()\nPTP XA\nPTP XB\nEND\n",
    )
    .unwrap();
    let above = "{A1 20.856,A2 36.698,A3 -1.977,A4 0.0,A5 55.279,A6 3.667}";
    let too_low = "{A1 20.856,A2 57.261,A3 -0.034,A4 0.0,A5 32.773,A6 3.667}";
    let data =
        |end: &str| format!("DEFDAT pick\nDECL E6AXIS XA={above}\nDECL E6AXIS XB={end}\nENDDAT\n");
    fs::write(shop.path().join("pick.dat"), data(above)).unwrap();
    let watched = Watched::start(&shop, &["pick.src"]);
    watched.verdict("CLEAR");
    fs::write(shop.path().join("pick.dat"), data(too_low)).unwrap();
    assert_eq!(watched.wait_for("changed: "), "changed: pick.dat");
    watched.verdict("COLLISION");
}

/// What a pattern of the cell file matches may be another file by and by, at first none.
#[test]
fn a_file_that_a_pattern_of_the_cell_matches_is_seen_as_it_appears_and_goes_away() {
    let shop = Workshop::new();
    let cell = shop.path().join("robots/arm6/cell.toml");
    let text = fs::read_to_string(&cell).unwrap();
    let controller = "urdf = \"robot.urdf\"\ncontroller = { dialect = \"krl\", joints = [\"joint_1\", \"joint_2\", \"joint_3\", \"joint_4\", \"joint_5\", \"joint_6\"], files = [\"../../lib/**/*.src\"] }";
    fs::write(&cell, text.replacen("urdf = \"robot.urdf\"", controller, 1)).unwrap();
    let above = "{A1 20.856,A2 36.698,A3 -1.977,A4 0.0,A5 55.279,A6 3.667}";
    let too_low = "{A1 20.856,A2 57.261,A3 -0.034,A4 0.0,A5 32.773,A6 3.667}";
    fs::write(
        shop.path().join("pick.src"),
        format!("DEF pick()\nPTP {above}\nlower()\nEND\n"),
    )
    .unwrap();
    let lower = shop.path().join("lib/R1/deep/lower.src");
    let watched = Watched::start(&shop, &["pick.src"]);
    watched.verdict("UNVERIFIED");
    fs::create_dir_all(lower.parent().unwrap()).unwrap();
    fs::write(&lower, format!("DEF lower()\nPTP {above}\nEND\n")).unwrap();
    watched.verdict("CLEAR");
    let other = lower.with_file_name("other.src");
    fs::write(&other, "DEF other()\nEND\n").unwrap();
    let said = watched.wait_for("changed: ");
    assert_eq!(said, "changed: which files of the cell match");
    watched.verdict("CLEAR");
    fs::write(&lower, format!("DEF lower()\nPTP {too_low}\nEND\n")).unwrap();
    watched.verdict("COLLISION");
    fs::remove_file(&lower).unwrap();
    watched.verdict("UNVERIFIED");
}

#[test]
fn an_edit_is_checked_and_a_broken_file_survived() {
    let shop = Workshop::new();
    let program = shop.path().join("mine.csv");
    let example = |name: &str| fs::read(shop.path().join(PROGRAMS).join(name)).unwrap();
    fs::write(&program, example("pick_place.csv")).unwrap();
    let mut watched = Watched::start(&shop, &["mine.csv"]);
    watched.verdict("CLEAR");

    fs::write(&program, example("place_too_low.csv")).unwrap();
    assert_eq!(watched.wait_for("changed: "), "changed: mine.csv");
    watched.verdict("COLLISION");

    // Half written.
    fs::write(&program, b"time,joint_1\n0,").unwrap();
    watched.verdict("UNVERIFIED");

    // As many editors save: a new file in the place of the old one.
    let new = shop.path().join("mine.csv.new");
    fs::write(&new, example("pick_place.csv")).unwrap();
    fs::rename(&new, &program).unwrap();
    watched.verdict("CLEAR");

    // The cell, broken and whole again, with the table raised into the gripper's way.
    let cell = shop.path().join("robots/arm6/cell.toml");
    let text = fs::read_to_string(&cell).unwrap();
    fs::write(&cell, &text[..text.len() / 2]).unwrap();
    watched.verdict("UNVERIFIED");
    let raised = text.replace("xyz = [0.42, 0.16, 0.80]", "xyz = [0.42, 0.16, 0.85]");
    assert_ne!(raised, text);
    fs::write(&cell, raised).unwrap();
    watched.verdict("COLLISION");
    fs::write(&cell, &text).unwrap();
    watched.verdict("CLEAR");

    // A mesh that is gone, and comes back.
    let mesh = shop.path().join("robots/arm6/meshes/gripper.stl");
    let bytes = fs::read(&mesh).unwrap();
    fs::remove_file(&mesh).unwrap();
    watched.verdict("UNVERIFIED");
    fs::write(&mesh, bytes).unwrap();
    watched.verdict("CLEAR");

    // Ended from outside. Not by an interrupt: a shell that runs these tests in its background has
    // it ignored, for good.
    let pid = watched.process.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(sent.success());
    assert_eq!(watched.process.wait().unwrap().signal(), Some(15));
}

/// Regression: a change of the cell between the look that saw another change and the next look was lost,
/// and CLEAR was said with the old cell from then on. A terminal that is held stretches that time.
#[test]
fn a_change_of_the_cell_between_two_looks_is_seen() {
    let shop = Workshop::new();
    let program = shop.path().join("mine.csv");
    fs::copy(shop.path().join(PROGRAMS).join("pick_place.csv"), &program).unwrap();
    let (mut said, held) = std::io::pipe().unwrap();
    let mut filler = held.try_clone().unwrap();
    let mut process = Command::new(assert_cmd::cargo::cargo_bin("clearance"))
        .current_dir(shop.path())
        .env("XDG_CACHE_HOME", shop.path().join("cache"))
        .args(["check", "--cell", "robots/arm6/cell.toml"])
        .args(["--watch", "--quiet", "mine.csv"])
        .stdout(Stdio::piped())
        .stderr(held)
        .spawn()
        .unwrap();
    let (sender, lines) = channel();
    let pipe = process.stdout.take().unwrap();
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let watched = Watched { process, lines };
    watched.wait_for("CLEAR");
    let mut byte = [0];
    while byte != *b"\n" {
        said.read_exact(&mut byte).unwrap();
    }
    // More than any pipe holds: whoever says something waits until it is read.
    let more = std::thread::spawn(move || filler.write_all(&[b'.'; 1 << 20]));
    std::thread::sleep(Duration::from_millis(500));
    let mut text = fs::read(&program).unwrap();
    text.push(b'\n');
    fs::write(&program, text).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let cell = shop.path().join("robots/arm6/cell.toml");
    let text = fs::read_to_string(&cell).unwrap();
    let raised = text.replace("xyz = [0.42, 0.16, 0.80]", "xyz = [0.42, 0.16, 0.85]");
    assert_ne!(raised, text);
    fs::write(&cell, raised).unwrap();
    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    more.join().unwrap().unwrap();
    watched.wait_for("COLLISION");
}

/// Nobody reads on: the watch is over, with the last exit code.
#[test]
fn a_closed_pipe_ends_the_watch() {
    let shop = Workshop::new();
    let program = shop.path().join("mine.csv");
    fs::copy(shop.path().join(PROGRAMS).join("pick_place.csv"), &program).unwrap();
    let mut process = Command::new(assert_cmd::cargo::cargo_bin("clearance"))
        .current_dir(shop.path())
        .args(["check", "--cell", "robots/arm6/cell.toml", "--no-cache"])
        .args(["--watch", "mine.csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(process.stdout.take());
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

/// Regression: which programs there are was asked once, and with it whether events stand beside them
/// that nobody reads.
#[test]
fn programs_and_events_that_come_later_are_seen() {
    let shop = Workshop::new();
    let folder = shop.path().join("mine");
    fs::create_dir(&folder).unwrap();
    let example = |name: &str| fs::read_to_string(shop.path().join(PROGRAMS).join(name)).unwrap();
    let (clear, collides) = (example("pick_place.csv"), example("place_too_low.csv"));
    // As a table of many programs.
    let rows = |id: &str, text: &str| {
        let rows = text
            .lines()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        rows.map(|row| format!("{id},{row}\n")).collect::<String>()
    };
    let titles = clear.lines().find(|line| line.starts_with("time")).unwrap();
    let table = format!("program,{titles}\n{}", rows("a", &clear));
    fs::write(folder.join("many.csv"), &table).unwrap();
    fs::write(folder.join("p1.csv"), &clear).unwrap();
    let watched = Watched::start(&shop, &["mine/p*.csv", "mine/many.csv"]);
    watched.sums_up("CLEAR");
    fs::write(folder.join("p2.csv"), &collides).unwrap();
    assert_eq!(
        watched.wait_for("changed: "),
        "changed: which programs match"
    );
    watched.sums_up("COLLISION");
    fs::remove_file(folder.join("p2.csv")).unwrap();
    watched.sums_up("CLEAR");
    fs::write(
        folder.join("many.csv"),
        format!("{table}{}", rows("b", &collides)),
    )
    .unwrap();
    assert_eq!(watched.wait_for("changed: "), "changed: mine/many.csv");
    watched.sums_up("COLLISION");
    fs::write(folder.join("many.csv"), &table).unwrap();
    watched.sums_up("CLEAR");

    // Events under names that nobody reads, also beside what a program is a link to.
    let unread = |events: &str| {
        fs::write(shop.path().join(events), "[[event]]\n").unwrap();
        loop {
            let line = watched.lines.recv_timeout(PATIENCE).expect(events);
            assert!(!line.starts_with("CLEAR"), "{events}: {line}");
            if line.contains("nobody reads these events") {
                break;
            }
        }
        watched.wait_for("watching ");
        fs::remove_file(shop.path().join(events)).unwrap();
        watched.sums_up("CLEAR");
    };
    unread("mine/old.events.toml");
    unread("mine/p1.event.toml");
    fs::write(shop.path().join("real.csv"), &clear).unwrap();
    std::os::unix::fs::symlink("../real.csv", folder.join("p3.csv")).unwrap();
    watched.sums_up("CLEAR");
    unread("real.events.toml");
}
