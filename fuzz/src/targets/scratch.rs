//! Files that an input is written to, in memory where the system has such a place.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;

/// A folder of this name, the same in every call of a process.
pub fn folder(name: &str) -> PathBuf {
    static ROOT: OnceLock<TempDir> = OnceLock::new();
    let root = ROOT.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() {
            TempDir::new_in(memory)
        } else {
            TempDir::new()
        };
        place.expect("a temporary folder")
    });
    let folder = root.path().join(name);
    std::fs::create_dir_all(&folder).expect("a folder in the temporary one");
    folder
}
