//! Certificates of programs with events.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use clearance_recheck::files::{Geometry, read};
use clearance_recheck::numbers::sha256;
use clearance_recheck::statement::statement;

use super::{certified, ours, valid};

/// The examples with events, with the exit code of the check.
pub(super) const EVENTS: [(&str, i32); 3] = [
    ("take_and_insert.csv", 0),
    ("grasp_not_declared.csv", 1),
    ("carried_too_low.csv", 1),
];

/// Writes the certificate of each of them.
pub(super) fn with_events(folder: &Path) -> Vec<PathBuf> {
    let made = EVENTS.map(|(program, expected)| {
        let file = folder.join(format!("{program}.cert"));
        let program = ours(&format!("trajectories/scara_events/{program}"));
        let program = program.display().to_string();
        let (code, said) = certified("robots/scara/pick.toml", &[&program], &file);
        assert_eq!(code, expected, "{program}: {said}");
        file
    });
    made.to_vec()
}

/// Who carries the pin when, and what it may touch when, is part of what is proved and said.
#[test]
fn the_examples_with_events_have_valid_certificates() {
    let folder = tempfile::tempdir().unwrap();
    for (file, (_, code)) in with_events(folder.path()).iter().zip(EVENTS) {
        let (geometry, certificate) = read(file).unwrap();
        valid(&geometry, &certificate).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        assert_eq!(certificate.contact.is_some(), code == 1);
        let said = statement(&geometry, &certificate);
        let carried = "body \"pin\": 176 triangles (solid), moves with \"roll_joint\", in segments 3 to 10 (0.950000000 to 2.800000000 s, both included)";
        for words in [
            "body \"pin\": 176 triangles (solid), stands still, in segments 0 to 2 (0.000000000 to 0.950000000 s, both included)\n",
            &format!("{carried}; begins where it was, within two nanometres\n"),
            "body \"pin\": 176 triangles (solid), stands still, in segments 11 to 16 (2.800000000 to 4.400000000 s, both included); begins",
            "  \"nest\" and \"pin\": more than 0.0002 m, in segments 3 to 10 (",
            ": resting in its pocket\", in segments 3 to 5 (0.950000000 to 1.050000000 s, both included)",
            ".events.toml (SHA-256 ",
        ] {
            assert!(said.contains(words), "{words}: {said}");
        }
        // A pair that is not checked all the time has a gap in its strip.
        let mut explain = Command::cargo_bin("clearance").unwrap();
        explain.args(["certificate", "explain"]).arg(file);
        let explained = explain.assert().code(code).get_output().stdout.clone();
        let explained = String::from_utf8_lossy(&explained).into_owned();
        let strip = |line: &&str| line.ends_with("nest and pin") && line.contains("  [   ");
        assert_eq!(explained.lines().filter(strip).count(), 1, "{explained}");
        // Without a line of them the file says less than it has to.
        let bytes = std::fs::read(file.with_extension("geometry")).unwrap();
        assert!(Geometry::read(&bytes).is_ok());
        for line in ["check ", "leave ", "during "] {
            let of = bytes
                .windows(line.len())
                .rposition(|w| w == line.as_bytes());
            let of = of.unwrap();
            let end = of + bytes[of..].iter().position(|&b| b == b'\n').unwrap() + 1;
            let without = [&bytes[..of], &bytes[end..]].concat();
            assert!(Geometry::read(&without).is_err(), "{line}");
        }
    }
}

/// The certificate with another digit in what its geometry file says of events: in a line that says
/// which segments, or who carries a body from when on.
pub(super) fn other_events(from: &Path, (word, which): (usize, usize), to: &Path) -> PathBuf {
    let mut geometry = std::fs::read(from.with_extension("geometry")).unwrap();
    let was = sha256(&geometry);
    let line = [&b"\nchange "[..], b"\nduring "][which % 2];
    let lines = (0..geometry.len()).filter(|&k| geometry[k..].starts_with(line));
    let start = lines.clone().nth((word + which) % lines.count()).unwrap() + line.len();
    let end = start + geometry[start..].iter().position(|&b| b == b'\n').unwrap();
    let digits: Vec<usize> = (start..end)
        .filter(|&k| geometry[k].is_ascii_digit())
        .collect();
    let digit = digits[(word + which) % digits.len()];
    geometry[digit] = b'0' + (geometry[digit] - b'0' + 1) % 10;
    let (certificate, beside) = (to.with_extension("cert"), to.with_extension("geometry"));
    std::fs::write(&beside, &geometry).unwrap();
    let mut bytes = std::fs::read(from).unwrap();
    let head = bytes
        .windows(was.len())
        .position(|w| w == was.as_bytes())
        .unwrap();
    let end = head + bytes[head..].iter().position(|&b| b == b'\n').unwrap();
    let name = beside.file_name().unwrap().to_str().unwrap();
    bytes.splice(
        head..end,
        format!("{} {name}", sha256(&geometry)).into_bytes(),
    );
    std::fs::write(&certificate, bytes).unwrap();
    certificate
}
