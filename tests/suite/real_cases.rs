//! Real robots, cells and programs, and outcomes that other projects assert: every verdict and
//! distance is held to them.
//!
//! The data are not part of this repository: `CLEARANCE_REAL_DATA` names their folder, and
//! `cargo test --test suite -- --ignored` runs these tests.

#![allow(clippy::print_stderr)] // says what was left out, and how long the rest took

mod asserted;
mod door;
mod exact;
mod planning;
mod programs;
mod timeline;
mod unreachable;

use std::path::{Path, PathBuf};

use serde_json::Value;

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
