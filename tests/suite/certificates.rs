//! Certificates from the command line: every `clear` and every first contact of the examples has a
//! valid one, and what is not covered is refused.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use clearance_recheck::files::{Certificate, Geometry, read};
use clearance_recheck::statement::statement;
use clearance_recheck::walk::check;

mod agree;
mod batch;
mod codes;
mod earlier;
mod errors;
mod events;
mod handed_over;
mod names;
mod notes;

use errors::with_errors;
use events::{EVENTS, other_events, with_events};
use handed_over::taken_while_off;

fn ours(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// Exit code and standard error of a check that asks for a certificate.
fn certified(cell: &str, words: &[&str], certificate: &Path) -> (i32, String) {
    let (code, _, said) = reported(cell, words, certificate);
    (code, said)
}

/// Exit code, report and standard error of one.
fn reported(cell: &str, words: &[&str], certificate: &Path) -> (i32, serde_json::Value, String) {
    let mut command = Command::cargo_bin("clearance").expect("the binary");
    command.args("check --no-cache --quiet --report json --cell".split(' '));
    command.arg(ours(cell)).args(words);
    command.arg("--certificate").arg(certificate);
    let output = command.output().expect("a run");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code().expect("an exit code"), report, said)
}

fn valid(
    geometry: &Geometry,
    certificate: &Certificate,
) -> Result<u64, clearance_recheck::Invalid> {
    check(geometry, certificate, &mut |_, _| ())
}

/// The examples that are `clear`, with how they are asked: folder of the cell, folder of the
/// program, options.
const CLEAR: [(&str, &str, &[&str]); 12] = [
    ("arm6", "arm6/pick_place.csv", &[]),
    ("arm6", "arm6/near_miss.csv", &["--clearance", "0"]),
    ("arm6", "arm6/beyond_limit.csv", &[]),
    ("arm6", "arm6/too_fast.csv", &[]),
    ("arm6", "arm6/smooth.yaml", &[]),
    ("arm6", "arm6/degrees.csv", &[]),
    ("scara", "scara/insert_pin.csv", &[]),
    ("scara", "scara/insert_pin_quintic.json", &[]),
    ("scara", "scara/degrees.csv", &[]),
    ("scara", "scara/beyond_stroke.csv", &[]),
    ("arm6", "arm6/pick_place.csv", &["--clearance", "14.8mm"]),
    ("two_arms", "two_arms/visit.csv", &[]),
];

/// Writes the certificate of each of them.
fn examples(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for (number, (cell, program, words)) in CLEAR.iter().enumerate() {
        let file = folder.join(format!("{number}.cert"));
        let cell = format!("robots/{cell}/cell.toml");
        let program = ours(&format!("trajectories/{program}"))
            .display()
            .to_string();
        let words: Vec<&str> = if cell.contains("two_arms") {
            // On one clock: the left arm works, the right one stands.
            vec!["--program"]
        } else {
            words.to_vec()
        };
        let program = if cell.contains("two_arms") {
            format!("left={program}")
        } else {
            program
        };
        let words = [&words[..], &[program.as_str()]].concat();
        let (code, said) = certified(&cell, &words, &file);
        assert!(file.exists(), "{program}: exit code {code}, {said}");
        files.push(file);
    }
    files
}

/// Those with a contact, likewise.
const CONTACTS: [(&str, &str, &[&str]); 11] = [
    ("arm6", "arm6/place_too_low.csv", &[]),
    ("arm6", "arm6/swing_through_guard.csv", &[]),
    (
        "arm6",
        "arm6/swing_through_guard.csv",
        &["--clearance", "0"],
    ),
    ("arm6", "arm6/near_miss.csv", &["--clearance", "5mm"]),
    ("arm6", "arm6/cubic_dips.yaml", &[]),
    ("arm6", "arm6/folds_onto_itself.csv", &[]),
    ("arm6", "arm6/shortcut.csv", &[]),
    ("scara", "scara/misses_the_hole.csv", &[]),
    ("scara", "scara/onto_its_foot.csv", &[]),
    ("scara", "scara/swing_past_divider.csv", &[]),
    ("scara", "scara/too_deep.csv", &[]),
];

/// Writes the certificate of each of them; with it, what the report says.
fn contacts(folder: &Path) -> Vec<(PathBuf, serde_json::Value)> {
    let all = CONTACTS.iter().enumerate();
    let made = all.map(|(number, (cell, program, words))| {
        let file = folder.join(format!("contact {number}.cert"));
        let program = ours(&format!("trajectories/{program}"))
            .display()
            .to_string();
        let words = [*words, &[program.as_str()]].concat();
        let (code, report, said) = reported(&format!("robots/{cell}/cell.toml"), &words, &file);
        assert!(
            code == 1 && file.exists(),
            "{program}: exit code {code}, {said}"
        );
        (file, report["programs"][0]["first_contact"].clone())
    });
    made.collect()
}

/// Everything before `free_until` is covered, and the contact is that of the report.
#[test]
fn every_first_contact_of_the_examples_has_a_valid_certificate() {
    let folder = tempfile::tempdir().unwrap();
    for (file, reported) in contacts(folder.path()) {
        let (geometry, certificate) = read(&file).unwrap();
        let cells =
            valid(&geometry, &certificate).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let contact = certificate.contact.as_ref().expect("a contact");
        let said = statement(&geometry, &certificate);
        let seconds = |after: &str| {
            let words = said.split(after).nth(1).unwrap_or_else(|| panic!("{said}"));
            words.split(' ').next().unwrap().parse::<f64>().unwrap()
        };
        let [free, at] = [seconds("every instant before "), seconds("CONTACT: at ")];
        let number = |key: &str| reported[key].as_f64().unwrap();
        assert!(
            (free - number("free_until")).abs() < 1e-8,
            "{free}: {reported}"
        );
        assert!((at - number("time")).abs() < 1e-8, "{at}: {reported}");
        let mut bodies = contact.points.map(|on| {
            let body = geometry.parts[on.part].body;
            geometry.bodies[body].name.clone()
        });
        bodies.sort();
        let mut expected = ["a", "b"].map(|key| reported[key].as_str().unwrap().to_owned());
        expected.sort();
        assert_eq!(bodies, expected);
        assert!(
            cells > 10 && said.contains("Nothing is said about the time"),
            "{cells}: {said}"
        );
    }
}

/// Catches a contact that is believed: later ones, other triangles and other points of them are
/// refused.
#[test]
fn a_contact_that_is_not_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (file, _) in contacts(folder.path()).into_iter().step_by(3) {
        let (geometry, whole) = read(&file).unwrap();
        let refused = |change: &dyn Fn(&mut clearance_recheck::files::FirstContact)| {
            let mut changed = whole.clone();
            change(changed.contact.as_mut().unwrap());
            valid(&geometry, &changed).is_err()
        };
        assert!(!refused(&|_| ()));
        // A thousandth of a segment before anything is near enough, and as much after the contact.
        assert!(refused(&|c| c.time = c.free_until - (1 << 30)));
        assert!(refused(&|c| {
            c.time += 1 << 30;
            c.free_until = c.time;
        }));
        assert!(refused(&|c| c.free_until += 1 << 32));
        assert!(refused(&|c| c.points.swap(0, 1)));
        assert!(refused(&|c| c.points[0].triangle = usize::MAX));
        assert!(refused(&|c| c.points[1].weights = [-1, 1]));
        assert!(refused(&|c| c.points[1].weights = [1 << 40, 1]));
        assert!(refused(&|c| c.time = u64::MAX));
        let mut whole = whole.clone();
        whole.contact = None;
        assert!(
            valid(&geometry, &whole).is_err(),
            "free without the contact"
        );
    }
}

#[test]
fn every_clear_of_the_examples_has_a_valid_certificate() {
    let folder = tempfile::tempdir().unwrap();
    for file in examples(folder.path()) {
        let (geometry, certificate) = read(&file).unwrap();
        let cells =
            valid(&geometry, &certificate).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let said = statement(&geometry, &certificate);
        assert!(
            cells > 10 && said.contains("more than 0.0"),
            "{cells} cells\n{said}"
        );
        assert!(
            said.contains("pairs that are not checked: ") && said.contains("cell.toml (SHA-256 ")
        );
        let mut explain = Command::cargo_bin("clearance").unwrap();
        let explained = explain
            .args(["certificate", "explain"])
            .arg(&file)
            .assert()
            .success();
        let explained = String::from_utf8_lossy(&explained.get_output().stdout).into_owned();
        assert!(
            explained.starts_with(&format!("valid: {cells} cells")) && explained.contains(&said)
        );
    }
}

#[test]
fn a_certificate_belongs_to_its_geometry_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let program = ours("trajectories/scara/insert_pin.csv")
        .display()
        .to_string();
    certified("robots/scara/cell.toml", &[&program], &file);
    assert!(read(&file).is_ok());
    let beside = folder.path().join("a.geometry");
    let mut bytes = std::fs::read(&beside).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&beside, bytes).unwrap();
    let error = read(&file).unwrap_err().to_string();
    assert!(error.contains("is not the geometry file"), "{error}");
}

/// Certificates of two programs of one table say of which one they are, and names that differ in
/// their endings only have a geometry file each.
#[test]
fn a_certificate_of_a_table_says_of_which_program_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(ours("trajectories/scara/insert_pin.csv")).unwrap();
    let (header, rows) = text.split_once('\n').expect("a heading");
    let mut table = format!("program,{header}\n");
    for name in ["p", "q"] {
        let rows = rows.lines().map(|row| format!("{name},{row}\n"));
        table.extend(rows);
    }
    let file = folder.path().join("many.csv");
    std::fs::write(&file, table).unwrap();
    let certificate = |name: &str| folder.path().join(format!("run.{name}"));
    for name in ["p", "q"] {
        let program = format!("{}#{name}", file.display());
        let (code, said) = certified("robots/scara/cell.toml", &[&program], &certificate(name));
        assert_eq!(code, 0, "{said}");
    }
    for name in ["p", "q"] {
        let (geometry, certificate) = read(&certificate(name)).expect(name);
        assert!(valid(&geometry, &certificate).is_ok(), "{name}");
        let program = format!("many.csv#{name}");
        let notes = &certificate.notes;
        assert!(
            notes.iter().any(|note| note.ends_with(&program)),
            "{notes:?}"
        );
    }
}

#[test]
fn what_certificates_do_not_cover_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let program = |name: &str| ours(&format!("trajectories/{name}")).display().to_string();
    let good = program("arm6/pick_place.csv");
    let bad = program("arm6/shortcut.csv");
    // The base of the arm stands in a closed box, and nothing touches it.
    let urdf = ours("robots/arm6/robot.urdf").display().to_string();
    let around = folder.path().join("around.toml");
    let text = format!(
        "[[robot]]\nname = \"arm\"\nurdf = {urdf:?}\n[[obstacle]]\nname = \"hall\"\nbox = [20, 20, 20]\n[check]\nclearance = \"1mm\"\n"
    );
    std::fs::write(&around, text).unwrap();
    let around = around.display().to_string();
    for (cell, words, code, why) in [
        (
            around.as_str(),
            vec![good.as_str()],
            1,
            "certificates of contacts are about surfaces that meet",
        ),
        (
            "arm6/cell.toml",
            vec![&good, &bad],
            2,
            "belongs to one program",
        ),
    ] {
        let cell = if cell == around {
            cell.to_owned()
        } else {
            format!("robots/{cell}")
        };
        let (exit, said) = certified(&cell, &words, &file);
        assert_eq!(exit, code, "{said}");
        assert!(said.contains(why), "{said}");
        assert!(!file.exists() && !folder.path().join("a.geometry").exists());
    }
}

/// The way through the taught points may be certified; what a controller makes of the corners is
/// another curve.
#[test]
fn rounded_corners_have_no_certificate_but_the_way_through_the_points_has() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let program = rounded(folder.path()).display().to_string();
    let (exit, said) = certified("robots/arm6/cell.toml", &[&program], &file);
    assert_eq!(exit, 2, "{said}");
    assert!(said.contains("corners of it may be rounded"), "{said}");
    assert!(!file.exists());
    let words = [program.as_str(), "--corners", "exact"];
    let (exit, said) = certified("robots/arm6/cell.toml", &words, &file);
    assert_eq!(exit, 0, "{said}");
    let (geometry, certificate) = read(&file).unwrap();
    assert!(valid(&geometry, &certificate).is_ok());
}

/// A program for the arm whose corners may be rounded.
fn rounded(folder: &Path) -> PathBuf {
    let program = folder.join("a.motion.json");
    let to = |first: f64, line: usize| {
        format!(
            r#"{{"move": "joint", "to": {{"joints": [{first}, 0.6405, -0.0345, 0.0, 0.9648, 0.064]}}, "tool": "tip", "zone": {{"radius": 5}}, "line": {line}}}"#
        )
    };
    let moves = [to(0.364, 1), to(0.334, 2), to(0.364, 3)].join(", ");
    let text = format!(
        r#"{{"clearance_motion": 1, "units": {{"length": "mm", "angle": "rad"}},
            "joints": ["joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6"],
            "tools": {{"tip": {{"link": "tool0", "pose": {{"xyz": [0, 0, 100]}}}}}}, "moves": [{moves}]}}"#
    );
    std::fs::write(&program, text).unwrap();
    program
}

/// One of each program of a folder that is clear or has a contact, all valid, and the list says
/// which program has which.
#[test]
fn a_batch_has_a_certificate_of_each_program() {
    let folder = tempfile::tempdir().unwrap();
    let certificates = folder.path().join("certificates");
    let batch = |cell: &str, programs: &str| {
        let mut command = Command::cargo_bin("clearance").expect("the binary");
        command.args("batch --no-cache --quiet --report json --cell".split(' '));
        command.arg(ours(cell)).arg(ours(programs));
        command.arg("--certificates").arg(&certificates);
        let output = command.output().expect("a run");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().expect("an exit code"), said)
    };
    let (code, said) = batch("robots/scara/cell.toml", "trajectories/scara");
    assert!(code < 2, "{said}");
    let list = std::fs::read_to_string(certificates.join("certificates.txt")).unwrap();
    let (mut clear, mut contacts) = (0, 0);
    for line in list.lines() {
        let (program, certificate) = line.split_once('\t').expect(line);
        let (geometry, certificate) = read(&certificates.join(certificate)).expect(line);
        match certificate.contact {
            None => clear += 1,
            Some(_) => contacts += 1,
        }
        assert!(valid(&geometry, &certificate).is_ok(), "{program}");
        let file = program.rsplit('/').next().unwrap();
        assert!(
            certificate.notes.iter().any(|note| note.contains(file)),
            "{line}"
        );
    }
    assert!(clear >= 4 && contacts >= 4, "{list}");
    // Certificates of before must not look like those of this run.
    let (code, said) = batch("robots/scara/cell.toml", "trajectories/scara");
    assert!(code == 2 && said.contains("is not empty"), "{code}: {said}");
    // Programs with events have a geometry file of their own each.
    std::fs::remove_dir_all(&certificates).unwrap();
    let (code, said) = batch("robots/scara/pick.toml", "trajectories/scara_events");
    assert_eq!(code, 1, "{said}");
    let list = std::fs::read_to_string(certificates.join("certificates.txt")).unwrap();
    assert_eq!(list.lines().count(), EVENTS.len());
    for line in list.lines() {
        let (_, name) = line.split_once('\t').expect(line);
        let (geometry, certificate) = read(&certificates.join(name)).expect(line);
        assert_eq!(
            certificate.geometry_file,
            name.replace(".cert", ".geometry")
        );
        assert!(valid(&geometry, &certificate).is_ok(), "{line}");
    }
    // Where one is missing, the exit code says so.
    std::fs::remove_dir_all(&certificates).unwrap();
    let program = rounded(folder.path());
    let (code, said) = batch("robots/arm6/cell.toml", &program.display().to_string());
    assert!(
        code == 2 && said.contains("corners of it may be rounded"),
        "{code}: {said}"
    );
}

/// Certificates of a body in a cup: with the ray of the seed, and with other rays.
fn in_a_cup(folder: &Path) -> Vec<PathBuf> {
    let seed = std::fs::read(ours("fuzz/seeds/certificate/in_a_cup")).unwrap();
    let head = b"clearance-certificate";
    let at = seed.windows(head.len()).position(|w| w == head).unwrap();
    std::fs::write(folder.join("c.geometry"), &seed[..at]).unwrap();
    let rays = [
        None,
        Some([0; 3]),
        Some([1, 1, 0]),
        Some([0, 0, 1]),
        Some([3, 5, -9]),
    ];
    let files = rays.iter().enumerate().map(|(number, ray)| {
        let mut bytes = seed[at..].to_vec();
        let end = bytes.len() - b"end\n".len();
        if let Some(ray) = ray {
            bytes[end - 3..end].copy_from_slice(&ray.map(|x: i8| x as u8));
        }
        let file = folder.join(format!("cup {number}.cert"));
        std::fs::write(&file, bytes).unwrap();
        file
    });
    files.collect()
}

/// More than sixty certificates, some of thresholds between, some of contacts and some with events, and what
/// was done to some of them.
#[test]
#[ignore = "needs python3; .ci/run asks for it"]
fn the_second_checker_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = examples(folder.path());
    for number in 0..10 {
        let file = folder.path().join(format!("more {number}.cert"));
        let program = ours("trajectories/scara/insert_pin.csv")
            .display()
            .to_string();
        let clearance = format!("{}um", 10 * number);
        certified(
            "robots/scara/cell.toml",
            &[&program, "--clearance", &clearance],
            &file,
        );
        files.push(file);
    }
    files.extend(contacts(folder.path()).into_iter().map(|(file, _)| file));
    files.extend(with_errors(folder.path()));
    files.extend(with_events(folder.path()));
    let whole = files.len();
    for number in 0..64 - whole {
        let from = &files[number % whole];
        let mut bytes = std::fs::read(from).unwrap();
        // In the proof, which stands last.
        let at = bytes.len() - 6 - (number + 1) * 7 % 60;
        bytes[at] = bytes[at].wrapping_add(1 + number as u8 % 3);
        // Or in what it says of its contact.
        if let Some(line) = bytes.windows(8).rposition(|w| w == b"contact ")
            && number % 2 == 0
        {
            let end = line + bytes[line..].iter().position(|&b| b == b'\n').unwrap();
            let digit = (line..end).rev().filter(|&k| bytes[k].is_ascii_digit());
            let digit = digit.step_by(5).nth(number % 7).unwrap();
            bytes[digit] = b'0' + (bytes[digit] - b'0' + 3) % 10;
        }
        let file = folder.path().join(format!("changed {number}.cert"));
        std::fs::write(&file, bytes).unwrap();
        files.push(file);
    }
    for (number, from) in files[whole - EVENTS.len()..whole]
        .to_vec()
        .iter()
        .enumerate()
    {
        for k in 0..4 {
            let name = format!("changed events {number} {k}");
            files.push(other_events(from, (number, k), &folder.path().join(name)));
        }
    }
    files.extend(taken_while_off(folder.path()));
    files.extend(in_a_cup(folder.path()));
    let (mut agree, mut refused) = (0, 0);
    for file in &files {
        let ours_says =
            read(file).and_then(|(geometry, certificate)| valid(&geometry, &certificate));
        let python = Command::new("python3")
            .arg(ours("tests/recheck.py"))
            .arg(file)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&python.stdout);
        assert_eq!(
            python.status.success(),
            ours_says.is_ok(),
            "{ours_says:?}: {said}"
        );
        agree += usize::from(ours_says.is_ok());
        refused += usize::from(ours_says.is_err());
    }
    assert!(
        agree >= whole && refused > 10,
        "{agree} valid, {refused} refused"
    );
}
