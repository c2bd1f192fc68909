//! Files that are something else than what they are named as: recognised by their first bytes, and
//! called what they are.

use super::Problem;

/// The problem of bytes that no reader here takes: a pointer that Git LFS left, an archive, a
/// picture, a document, a web page.
pub(crate) fn foreign(bytes: &[u8]) -> Option<Problem> {
    let (what, remedy) = known(bytes)?;
    Some(Problem::Syntax {
        cause: format!("this is {what}"),
        remedy: remedy.to_owned(),
    })
}

fn known(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    let unpack = "unpack it, and name the file inside";
    if starts(b"version https://git-lfs.github.com/") {
        let what = "a Git LFS pointer, which stands for a file that was not fetched";
        return Some((what, "run `git lfs pull` in its repository"));
    }
    if starts(b"PK\x03\x04") && WORKBOOKS.iter().any(|name| holds(bytes, name)) {
        return Some((
            "a workbook of a spreadsheet program",
            "save it as CSV there, and name the new file",
        ));
    }
    if starts(b"PK\x03\x04") || starts(b"PK\x05\x06") {
        return Some((
            "a zip archive",
            "unpack it (`unzip`), and name the file inside",
        ));
    }
    if starts(b"\x1f\x8b") {
        return Some((
            "a gzip-compressed file",
            "unpack it (`gunzip -c FILE > NEW_FILE`), and name the new file",
        ));
    }
    if starts(b"7z\xbc\xaf\x27\x1c") || starts(b"\xfd7zXZ\0") || starts(b"BZh91AY&SY") {
        return Some(("a compressed file", unpack));
    }
    if starts(b"\x89PNG\r\n\x1a\n") {
        return Some(("a PNG picture", PICTURE));
    }
    if starts(b"\xff\xd8\xff") {
        return Some(("a JPEG picture", PICTURE));
    }
    if starts(b"%PDF-") {
        return Some(("a PDF document", "name the data file that it describes"));
    }
    is_page(bytes).then_some((
        "a web page (HTML)",
        "download the file itself: on GitHub by the button `Raw`",
    ))
}

/// What the archives of workbooks (.xlsx, .ods) have in them.
const WORKBOOKS: [&[u8]; 2] = [b"xl/workbook", b"opendocument.spreadsheet"];

fn holds(bytes: &[u8], name: &[u8]) -> bool {
    bytes.windows(name.len()).any(|part| part == name)
}

const PICTURE: &str = "name the file that has the data; a picture has none that can be checked";

fn is_page(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.trim_ascii_start();
    [&b"<!doctype html"[..], b"<html"].iter().any(|tag| {
        let found = start.get(..tag.len());
        found.is_some_and(|s| s.eq_ignore_ascii_case(tag))
    })
}

/// Files for the tests of all readers, each with what its error must say.
#[cfg(test)]
pub(crate) const SAMPLES: [(&[u8], &str); 10] = [
    (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n",
        "a Git LFS pointer, which stands for a file that was not fetched; run `git lfs pull`",
    ),
    (b"PK\x03\x04\x14\0\0\0", "a zip archive; unpack it"),
    (
        b"PK\x03\x04\x14\0\0\0[Content_Types].xml\0PK\x03\x04xl/workbook.xml",
        "a workbook of a spreadsheet program; save it as CSV",
    ),
    (
        b"PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.spreadsheetPK",
        "a workbook of a spreadsheet program; save it as CSV",
    ),
    (b"\x1f\x8b\x08\0\0\0\0\0", "a gzip-compressed"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", "a PNG picture; "),
    (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG picture; "),
    (b"%PDF-1.7\n%", "a PDF document; "),
    (
        b"\n<!DOCTYPE html>\n<html lang=\"en\">",
        "a web page (HTML); download the file itself",
    ),
    (b"<HTML><body></body></HTML>", "a web page (HTML); "),
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::SAMPLES;
    use crate::{ImportError, LoadOptions, LoadedCell, mesh, parse_cell, parse_robot, program};

    /// Whatever a file is named as, it is called what it is.
    #[test]
    fn every_reader_says_what_a_file_is() {
        for (bytes, said) in SAMPLES {
            let options = LoadOptions::default();
            let read = |name: &str, error: Option<ImportError>| {
                let error = error.map_or("read".to_owned(), |e| e.to_string());
                assert!(
                    error.contains(said) && error.starts_with(name),
                    "{name}: {error}"
                );
            };
            for name in ["m.stl", "m.obj", "m.dae", "m.ply", "m.wrl"] {
                read(name, mesh::parse(bytes, Path::new(name)).err());
            }
            for name in ["p.csv", "p.json", "p.yaml", "p.txt"] {
                read(name, program::parse(Path::new(name), bytes).err());
            }
            read(
                "r.urdf",
                parse_robot(Path::new("r.urdf"), bytes, &options).err(),
            );
            read(
                "c.toml",
                parse_cell(Path::new("c.toml"), bytes, &options).err(),
            );
            let mut loaded = LoadedCell::default();
            let (srdf, limits) = (Path::new("r.srdf"), Path::new("l.yaml"));
            read(
                "r.srdf",
                crate::srdf::parse(srdf, bytes, &mut loaded, 0).err(),
            );
            read(
                "l.yaml",
                crate::joint_limits::parse(limits, bytes, &mut loaded.cell, 0).err(),
            );
            let events = Path::new("e.toml");
            read(
                "e.toml",
                program::events::parse(events, bytes, None, None, &loaded.cell).err(),
            );
        }
    }
}
