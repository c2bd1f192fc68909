//! Certificates of a batch: one file for each program, whatever the programs are called.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use clearance_recheck::files::read;

use super::{ours, valid};

/// Exit code and standard error of a batch in `folder`, whose certificates go into `certs` there.
fn batch(folder: &Path, cell: &str, programs: &str) -> (i32, String) {
    let mut command = Command::cargo_bin("clearance").expect("the binary");
    command.current_dir(folder);
    command.args("batch --no-cache --quiet --report json --certificates certs --cell".split(' '));
    let output = command
        .arg(ours(cell))
        .arg(programs)
        .output()
        .expect("a run");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().expect("an exit code"), said)
}

/// What the list says of each program; each certificate is valid.
fn listed(folder: &Path) -> Vec<(String, String)> {
    let folder = folder.join("certs");
    let list = fs::read_to_string(folder.join("certificates.txt")).unwrap();
    let lines = list.lines().map(|line| line.split_once('\t').expect(line));
    let lines = lines.map(|(program, certificate)| {
        let (geometry, read) = read(&folder.join(certificate)).expect(program);
        assert!(valid(&geometry, &read).is_ok(), "{program}");
        (program.to_owned(), certificate.to_owned())
    });
    lines.collect()
}

fn put(program: &str, at: &Path) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::copy(ours(&format!("trajectories/{program}")), at).unwrap();
}

/// These two names have hashes that begin with the same 32 bits: as much as there was in the name of
/// a certificate.
#[test]
fn programs_of_one_file_name_have_a_certificate_each() {
    let folder = tempfile::tempdir().unwrap();
    let of = |number: &str| folder.path().join("p").join(number).join("a.csv");
    put("arm6/pick_place.csv", &of("073042"));
    put("arm6/near_miss.csv", &of("193273"));
    let (code, said) = batch(folder.path(), "robots/arm6/cell.toml", "p");
    assert_eq!(code, 0, "{said}");
    let all = listed(folder.path());
    let files: BTreeSet<&String> = all.iter().map(|(_, certificate)| certificate).collect();
    assert_eq!((all.len(), files.len()), (2, 2), "{all:?}");
}

/// Catches a certificate whose name is longer than a system takes, or one that a line of the list
/// cannot name.
#[test]
#[cfg(unix)]
fn a_long_or_odd_name_does_not_end_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let long = "é".repeat(120);
    for name in [long.as_str(), "take  it", "take\nit", "ta<k>e: \"it\"?"] {
        let program = folder.path().join("p").join(format!("{name}.csv"));
        put("scara_events/take_and_insert.csv", &program);
        let events = program.with_extension("events.toml");
        put("scara_events/take_and_insert.events.toml", &events);
    }
    let (code, said) = batch(folder.path(), "robots/scara/pick.toml", "p");
    assert_eq!(code, 0, "{said}");
    assert_eq!(listed(folder.path()).len(), 4);
}
