//! The one place where input files are opened: regular files only, and none without end.

use std::fs::{File, FileType};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::foreign::foreign;
use super::{ImportError, Problem, names};

/// Bytes that a cell file, a URDF, an SRDF, or a file of events or joint limits may have: 64 MiB.
pub(crate) const MOST_TEXT: u64 = 64 << 20;
/// Bytes that a program may have: 512 MiB, millions of waypoints.
pub(crate) const MOST_PROGRAM: u64 = 512 << 20;
/// Bytes that a mesh may have: 2 GiB, more than the triangles that are read of any.
pub(crate) const MOST_MESH: u64 = 2 << 30;
/// Bytes that a point cloud may have: 8 GiB.
pub(crate) const MOST_CLOUD: u64 = 8 << 30;
/// Entries of a folder among which a file of nearly the same name is looked for: a list may name
/// thousands that are not there.
const MOST_ENTRIES: usize = 1000;

/// The bytes of a file of at most `most` bytes, or why they cannot be had.
///
/// Pipes, devices and sockets are refused before they are opened: they may never end, or hang until
/// somebody writes, and they cannot be read a second time (a program's bytes are hashed as well).
/// Links to regular files are followed.
pub(crate) fn read_bytes(file: &Path, most: u64) -> Result<Vec<u8>, ImportError> {
    let (opened, length) = open_up_to(file, most)?;
    let mut bytes = Vec::with_capacity(length as usize);
    // A file may grow while it is read, and some of the system state no size.
    opened
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| unreadable(file, &e))?;
    if bytes.len() as u64 > most {
        return Err(too_large(file, most));
    }
    Ok(bytes)
}

/// Opens a regular file of at most `most` bytes, and tells its size.
pub(crate) fn open_up_to(file: &Path, most: u64) -> Result<(File, u64), ImportError> {
    let opened = open(file)?;
    let about = opened.metadata().map_err(|e| unreadable(file, &e))?;
    match about.len() {
        length if length > most => Err(too_large(file, most)),
        length => Ok((opened, length)),
    }
}

fn too_large(file: &Path, most: u64) -> ImportError {
    let cause = format!("it has more than {} MiB", most >> 20);
    let remedy = "that is the most that is read: split it, or leave out what is not needed";
    let remedy = remedy.to_owned();
    ImportError::file(file, Problem::Unreadable { cause, remedy })
}

/// Opens a regular file, to be read as a stream.
pub(crate) fn open(file: &Path) -> Result<File, ImportError> {
    let strange = |kind: FileType| {
        let (what, remedy) = stranger(file, kind)?;
        let cause = format!("it is {what}");
        Some(ImportError::file(
            file,
            Problem::Unreadable { cause, remedy },
        ))
    };
    let about = std::fs::metadata(file).map_err(|e| unreadable(file, &e))?;
    if let Some(error) = strange(about.file_type()) {
        return Err(error);
    }
    let opened = File::open(file).map_err(|e| unreadable(file, &e))?;
    // The file that is open now may not be the one that was looked at.
    let about = opened.metadata().map_err(|e| unreadable(file, &e))?;
    match strange(about.file_type()) {
        Some(error) => Err(error),
        None => Ok(opened),
    }
}

/// The error for a file that the system does not give.
pub(crate) fn unreadable(file: &Path, e: &std::io::Error) -> ImportError {
    let remedy = match e.kind() {
        std::io::ErrorKind::NotFound => whereabouts(file),
        std::io::ErrorKind::PermissionDenied => "check its permissions".to_owned(),
        _ => "check the file".to_owned(),
    };
    let cause = e.to_string().to_lowercase();
    ImportError::file(file, Problem::Unreadable { cause, remedy })
}

/// The text of a file that must be one, or what it is instead; an error names the line at which it
/// stops being text.
pub(crate) fn utf8<'a>(file: &Path, bytes: &'a [u8]) -> Result<&'a str, ImportError> {
    if let Some(problem) = foreign(bytes) {
        return Err(ImportError::file(file, problem));
    }
    let problem = |cause: &str| Problem::Syntax {
        cause: cause.to_owned(),
        remedy: "save it as UTF-8".to_owned(),
    };
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(ImportError::file(file, problem("the text is UTF-16")));
    }
    std::str::from_utf8(bytes).map_err(|e| {
        let before = &bytes[..e.valid_up_to()];
        let line = 1 + before.iter().filter(|b| **b == b'\n').count();
        ImportError::at(file, line, None, problem("the text is not UTF-8"))
    })
}

/// The kind of a file that is not a regular one, and the remedy.
fn stranger(file: &Path, kind: FileType) -> Option<(&'static str, String)> {
    if kind.is_file() {
        return None;
    }
    if kind.is_dir() {
        let cell = file.join("cell.toml");
        let remedy = if cell.is_file() {
            format!("name a file, such as `{}`", cell.display())
        } else {
            "name a file".to_owned()
        };
        return Some(("a folder", remedy));
    }
    let save = "write its content to a file first, and name that file".to_owned();
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some(("a pipe, not a file", save));
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some(("a device, not a file", save));
        }
        if kind.is_socket() {
            return Some(("a socket, not a file", save));
        }
    }
    Some(("not a regular file", save))
}

/// Where a file that is not there may be: a pattern that stands for nothing, a path of
/// Windows, a folder that is not there either, or a file of nearly the same name.
fn whereabouts(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    if let Some(sentence) = backslashes(&file.to_string_lossy()) {
        return sentence;
    }
    let text = file.to_string_lossy();
    if is_address(&text) {
        return "addresses are not read: download the file, and name it".to_owned();
    }
    for quote in ['"', '\''] {
        let inside = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote));
        if let Some(inside) = inside {
            return format!("write the name without the quotes: `{inside}`");
        }
    }
    if file.symlink_metadata().is_ok() {
        return "it is a link, and what it leads to is gone".to_owned();
    }
    if name.contains(['*', '?']) {
        // The command line has looked for what it matches.
        let matches = glob::glob(&text).is_ok_and(|mut found| found.any(|file| file.is_ok()));
        let remedy = if matches {
            "patterns mean nothing in a list or a request: name the files there"
        } else {
            "no file matches this pattern: check the path"
        };
        return remedy.to_owned();
    }
    if let Some((program, time)) = text.rsplit_once('@')
        && Path::new(program).is_file()
    {
        return format!(
            "behind the `@` of `--program` stands a time with its unit, as in `{program}@1.5s`; `{time}` is none"
        );
    }
    let folder = folder_of(file);
    if !folder.is_dir() {
        return format!("check the path: there is no folder {}", folder.display());
    }
    match near(file) {
        Some(near) => format!("did you mean `{}`?", near.display()),
        None => "check the path".to_owned(),
    }
}

/// What lies in the folder of a file that is not there, and has nearly its name.
pub(crate) fn near(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_string_lossy();
    let entries = std::fs::read_dir(folder_of(file)).ok()?;
    let mut there: Vec<String> = entries
        .take(MOST_ENTRIES)
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .collect();
    there.sort();
    let near = names::nearest(&name, there.iter().map(String::as_str))?;
    Some(file.with_file_name(near))
}

/// Whether a name is one of the network, and not of a file.
pub(crate) fn is_address(name: &str) -> bool {
    let schemes = ["http://", "https://", "ftp://"];
    schemes.iter().any(|scheme| name.starts_with(scheme))
}

/// The folder that a file is in: `.` where its path names none.
pub fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The remedy for a path with backslashes where they separate nothing.
pub(crate) fn backslashes(path: &str) -> Option<String> {
    (cfg!(not(windows)) && path.contains('\\')).then(|| {
        let turned = path.replace('\\', "/");
        format!("`\\` does not separate folders here: write `{turned}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(file: &Path) -> String {
        read_bytes(file, 100).unwrap_err().to_string()
    }

    #[test]
    fn a_file_named_without_a_folder_is_in_the_current_one() {
        let folder = |file: &'static str| folder_of(Path::new(file));
        assert_eq!(folder("a.csv"), Path::new("."));
        assert_eq!(folder("d/a.csv"), Path::new("d"));
        assert_eq!(folder("/a.csv"), Path::new("/"));
    }

    #[test]
    fn only_regular_files_are_read_and_none_beyond_its_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("small"), [b'x'; 100]).unwrap();
        std::fs::write(path("large"), [b'x'; 101]).unwrap();
        assert_eq!(read_bytes(&path("small"), 100).unwrap().len(), 100);
        assert!(refused(&path("large")).contains("more than 0 MiB; that is the most"));
        assert!(refused(dir.path()).contains("it is a folder; name a file"));
        assert!(refused(&path("smal")).contains("did you mean"));
        let none = refused(&path("small@3x"));
        assert!(none.contains("small@1.5s`; `3x` is none"), "{none}");
        let address = refused(Path::new("https://example.org/p.csv"));
        assert!(
            address.ends_with("addresses are not read: download the file, and name it"),
            "{address}"
        );
        assert!(refused(&path("x*")).ends_with("no file matches this pattern: check the path"));
        assert!(refused(&path("s*l")).contains("patterns mean nothing in a list or a request"));
        for quoted in ["\"real/pick.csv\"", "'real/pick.csv'"] {
            let said = refused(Path::new(quoted));
            let remedy = "write the name without the quotes: `real/pick.csv`";
            assert!(said.ends_with(remedy), "{said}");
        }
    }

    /// Each of these would hang, or fill the memory.
    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_unopened() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe.csv");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|s| s.success()), "mkfifo is missing");
        let link = dir.path().join("link.csv");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for pipe in [&pipe, &link] {
            let said = refused(pipe);
            assert!(
                said.contains("it is a pipe, not a file; write its content"),
                "{said}"
            );
        }
        assert!(refused(Path::new("/dev/zero")).contains("it is a device"));
        // Links to files are files.
        std::fs::write(dir.path().join("file"), "x").unwrap();
        let link = dir.path().join("to_file");
        std::os::unix::fs::symlink(dir.path().join("file"), &link).unwrap();
        assert_eq!(read_bytes(&link, 100).unwrap(), b"x");
    }

    #[cfg(not(windows))]
    #[test]
    fn backslashes_are_explained() {
        let said = refused(Path::new(r"cells\left\cell.toml"));
        assert!(said.contains("write `cells/left/cell.toml`"), "{said}");
    }
}
