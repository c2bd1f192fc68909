//! Certificates from the command line: every `clear` of the examples has a valid one, and what is not covered is refused.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use clearance_recheck::files::{Certificate, Geometry, read};
use clearance_recheck::statement::statement;
use clearance_recheck::walk::check;

fn ours(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// Exit code and standard error of a check that asks for a certificate.
fn certified(cell: &str, words: &[&str], certificate: &Path) -> (i32, String) {
    let mut command = Command::cargo_bin("clearance").expect("the binary");
    command.args("check --no-cache --quiet --report json --cell".split(' '));
    command.arg(ours(cell)).args(words);
    command.arg("--certificate").arg(certificate);
    let output = command.output().expect("a run");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().expect("an exit code"), said)
}

fn valid(
    geometry: &Geometry,
    certificate: &Certificate,
) -> Result<u64, clearance_recheck::Invalid> {
    check(geometry, certificate, &mut |_, _| ())
}

/// The examples that are `clear`, with how they are asked: folder of the cell, folder of the program, options.
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

#[test]
fn what_certificates_do_not_cover_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let program = |name: &str| ours(&format!("trajectories/{name}")).display().to_string();
    let (good, bad) = (program("arm6/pick_place.csv"), program("arm6/shortcut.csv"));
    let events = program("scara_events/take_and_insert.csv");
    for (cell, words, code, why) in [
        (
            "arm6/cell.toml",
            vec![bad.as_str()],
            2,
            "certificates of `clear` only",
        ),
        (
            "arm6/cell.toml",
            vec![&good, &bad],
            2,
            "belongs to one program",
        ),
        (
            "scara/pick.toml",
            vec![&events],
            2,
            "events change what moves",
        ),
    ] {
        let (exit, said) = certified(&format!("robots/{cell}"), &words, &file);
        assert_eq!(exit, code, "{said}");
        assert!(said.contains(why), "{said}");
        assert!(!file.exists() && !folder.path().join("a.geometry").exists());
    }
}

/// The way through the taught points may be certified; what a controller makes of the corners is another curve.
#[test]
fn rounded_corners_have_no_certificate_but_the_way_through_the_points_has() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let program = folder.path().join("a.motion.json");
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
    let program = program.display().to_string();
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

/// One of each clear program of a folder, all valid, and the list says which program has which.
#[test]
fn a_batch_has_a_certificate_of_each_clear_program() {
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
    let mut clear = 0;
    for line in list.lines() {
        let (program, certificate) = line.split_once('\t').expect(line);
        if certificate == "none: not clear" {
            continue;
        }
        clear += 1;
        let (geometry, certificate) = read(&certificates.join(certificate)).expect(line);
        assert!(valid(&geometry, &certificate).is_ok(), "{program}");
        let file = program.rsplit('/').next().unwrap();
        assert!(
            certificate.notes.iter().any(|note| note.contains(file)),
            "{line}"
        );
    }
    assert!(clear >= 4 && list.lines().count() > clear, "{list}");
    // Certificates of before must not look like those of this run.
    let (code, said) = batch("robots/scara/cell.toml", "trajectories/scara");
    assert!(code == 2 && said.contains("is not empty"), "{code}: {said}");
    // Where one is missing, the exit code says so.
    std::fs::remove_dir_all(&certificates).unwrap();
    let (code, said) = batch("robots/scara/pick.toml", "trajectories/scara_events");
    assert!(
        code == 2 && said.contains("events change what moves"),
        "{code}: {said}"
    );
}

/// Fifty certificates, half of them of thresholds between, and what was done to some of them.
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
    let whole = files.len();
    for number in 0..50 - whole {
        let from = &files[number % whole];
        let mut bytes = std::fs::read(from).unwrap();
        // In the proof, which stands last.
        let at = bytes.len() - 6 - (number + 1) * 7 % 60;
        bytes[at] = bytes[at].wrapping_add(1 + number as u8 % 3);
        let file = folder.path().join(format!("changed {number}.cert"));
        std::fs::write(&file, bytes).unwrap();
        files.push(file);
    }
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
