//! The ways of Windows with files and their names, on any system: lines that end in CR LF, folders
//! with blanks and umlauts, and paths longer than the 260 characters that were once its limit.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// The folder of the examples.
fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Copies a folder; its text files get the ends of lines that Windows gives them.
fn copied(from: &Path, to: &Path) -> usize {
    fs::create_dir_all(to).unwrap();
    let mut turned = 0;
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|e| (e.path(), e.file_name())).unwrap();
        if path.is_dir() {
            turned += copied(&path, &to.join(name));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8(bytes.clone()).ok();
        // A binary STL is not a text.
        let text = text.filter(|text| !text.contains('\0'));
        let bytes = text.map_or(bytes, |text| {
            turned += 1;
            text.replace("\r\n", "\n")
                .replace('\n', "\r\n")
                .into_bytes()
        });
        fs::write(to.join(name), bytes).unwrap();
    }
    turned
}

/// Verdict, and the first contact without the names of files, of each program.
fn answers(folder: &Path, programs: &str) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearance"));
    let output = (command.current_dir(folder))
        .args([
            "check",
            "--cell",
            "robots/arm6/cell.toml",
            "--no-cache",
            "--report",
            "json=-",
            "--quiet",
            programs,
        ])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    let programs = report["programs"].as_array().expect("programs");
    let answer = |p: &Value| {
        let contact = &p["first_contact"];
        serde_json::json!([
            p["verdict"],
            contact["time"],
            contact["a"],
            contact["b"],
            contact["line"],
            p["limits"]
        ])
    };
    programs.iter().map(answer).collect()
}

/// The pattern reaches the program as it is: no shell of Windows expands it.
#[test]
fn lines_of_windows_long_paths_and_odd_names_change_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let mut deep = scratch.path().join("Zelle für Prüfung");
    while deep.as_os_str().len() < 320 {
        deep.push("a folder with a long name, made by a wizard");
    }
    let there = examples();
    let mut turned = 0;
    for part in ["robots/arm6", "trajectories/arm6"] {
        turned += copied(&there.join(part), &deep.join(part));
    }
    assert!(turned > 10, "{turned} text files");
    let pattern = "trajectories/arm6/*l*.csv";
    let (as_they_are, on_windows) = (answers(&there, pattern), answers(&deep, pattern));
    assert!(as_they_are.len() > 3, "{as_they_are:?}");
    assert_eq!(as_they_are, on_windows);
}

/// Elsewhere a backslash separates nothing, and the error says so; on Windows it is a path like any
/// other.
#[test]
fn backslashes_are_paths_or_explained() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearance"));
    let output = (command.current_dir(examples()))
        .args([
            "check",
            "--cell",
            r"robots\arm6\cell.toml",
            "--quiet",
            r"trajectories\arm6\pick_place.csv",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    if cfg!(windows) {
        assert_eq!(output.status.code(), Some(0), "{said}")
    } else {
        assert!(
            output.status.code() == Some(2) && said.contains("write `robots/arm6/cell.toml`"),
            "{said}"
        )
    }
}
