//! Tells the program by a digest which sources it is built of. A result file has it: an answer of an
//! earlier build is found again, since nobody can say which changes leave it as it was.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// What answers depend on.
const PARTS: [&str; 4] = ["Cargo.lock", "Cargo.toml", "crates", "src"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for part in PARTS {
        println!("cargo::rerun-if-changed={part}");
        collect(&root.join(part), part, &mut files)?;
    }
    files.sort();
    let mut digest = blake3::Hasher::new();
    for (name, file) in files {
        let bytes = fs::read(file)?;
        for part in [name.as_bytes(), &bytes] {
            digest.update(&(part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    }
    let digest = digest.finalize().to_hex();
    println!("cargo::rustc-env=CLEARANCE_SOURCES={}", &digest[..32]);
    Ok(())
}

/// The files at and below a path, each with its name from the root on: the same on every system.
fn collect(path: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    if path.is_file() {
        files.push((name.to_owned(), path.to_owned()));
        return Ok(());
    }
    // Whoever packs the sources may leave out a part that this program is not built of.
    if !path.is_dir() || name.ends_with("/target") {
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        collect(&entry.path(), &name, files)?;
    }
    Ok(())
}
