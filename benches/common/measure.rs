//! Programs of a folder, a clock, and a median.
#![allow(dead_code)] // everyone uses a part of it

use std::path::{Path as FilePath, PathBuf};

/// The programs of a folder, by name.
pub fn programs(folder: &FilePath) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let known = |file: &PathBuf| {
        let extension = file.extension().unwrap_or_default();
        ["csv", "json", "yaml"]
            .iter()
            .any(|known| extension == *known)
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(known)
        .collect();
    files.sort();
    Ok(files)
}

/// Name of a file without folder and extension.
pub fn stem(file: &FilePath) -> String {
    file.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Milliseconds that this thread worked. A check runs on one thread; what else the machine does is
/// not counted.
pub fn milliseconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = cpu_time::ThreadTime::now();
    let result = work();
    (start.elapsed().as_secs_f64() * 1e3, result)
}

/// Milliseconds that all threads of this process worked.
pub fn milliseconds_of_all<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = cpu_time::ProcessTime::now();
    let result = work();
    (start.elapsed().as_secs_f64() * 1e3, result)
}

/// The middle value; between the two middle ones when their number is even.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
    }
}
