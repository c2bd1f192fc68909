//! Real robots, cells and programs, and outcomes that other projects assert: every verdict and distance is held to them.
//!
//! The data are not part of this repository: `CLEARANCE_REAL_DATA` names their folder. Without it these tests say that they
//! were left out.

#![allow(clippy::print_stderr)] // says what was left out, and how long the rest took

mod common;

#[path = "real_cases/asserted.rs"]
mod asserted;
#[path = "real_cases/door.rs"]
mod door;
#[path = "real_cases/exact.rs"]
mod exact;
#[path = "real_cases/planning.rs"]
mod planning;
#[path = "real_cases/programs.rs"]
mod programs;
#[path = "real_cases/timeline.rs"]
mod timeline;
#[path = "real_cases/unreachable.rs"]
mod unreachable;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder of the data; says so if there is none.
fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("CLEARANCE_REAL_DATA").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("left out: CLEARANCE_REAL_DATA is not set");
    }
    // Cell files are written elsewhere: their paths must not depend on where they stand.
    folder.map(|f| f.canonicalize().unwrap())
}

fn read_json(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// The JSON files of a folder, by name.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    files
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

fn triple(value: &Value) -> [f64; 3] {
    [0, 1, 2].map(|k| number(&value[k]))
}

/// Joint names and values of an object, by name.
fn joints(value: &Value) -> Vec<(String, f64)> {
    let object = value
        .as_object()
        .unwrap_or_else(|| panic!("no joints: {value}"));
    object
        .iter()
        .map(|(name, v)| (name.clone(), number(v)))
        .collect()
}
