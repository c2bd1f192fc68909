//! The hash of a program: what tells an answer about it from one about another program of its name.

use std::path::Path;

use super::identity;
use crate::run::{Fetched, OpenedProgram, OtherFile, Verifier};

/// The hash of a program as its files are now; `None`: they cannot be read.
pub(crate) fn hash_now(verifier: &Verifier, program: &Path) -> Option<String> {
    hash_of(program, &verifier.open(program))
}

/// Hash of what a program says: of its bytes, of those of its events where it has any (in the file
/// beside it, or in the one that is named in its place), and of the files that it took besides,
/// such as programs that it calls: of their names, of what is in them, and of those that were
/// looked for and are not there. `None`: one of all these is there and cannot be read.
pub(super) fn hash_of(program: &Path, opened: &OpenedProgram) -> Option<String> {
    let own = match opened.fetched()? {
        Fetched::Bytes(bytes) => blake3::hash(bytes),
        // Of a file of many it is the program alone that counts, and in which rows it stands.
        Fetched::Program(program) => identity::program(program),
    };
    let events = opened.events()?;
    let mut others = opened.others().peekable();
    // So it is with most programs of a table.
    if events.is_none() && others.peek().is_none() {
        return Some(own.to_hex().as_str().to_owned());
    }
    // A hash of hashes: all have one length, so that none runs into the next.
    let mut hashes = Vec::from(own.as_bytes());
    let mut part = |what: &[u8], bytes: Option<&[u8]>| {
        hashes.extend_from_slice(blake3::hash(what).as_bytes());
        hashes.push(u8::from(bytes.is_some()));
        hashes.extend_from_slice(blake3::hash(bytes.unwrap_or_default()).as_bytes());
    };
    part(b"events", events);
    let folder = program.parent().unwrap_or(Path::new(""));
    for (path, file) in others {
        // Elsewhere the same folder is as good.
        let name = path.strip_prefix(folder).unwrap_or(path);
        let bytes = match file {
            OtherFile::Read(bytes) => Some(bytes),
            OtherFile::Missing => None,
            OtherFile::Unreadable => return None,
        };
        part(name.to_string_lossy().as_bytes(), bytes);
    }
    Some(blake3::hash(&hashes).to_hex().as_str().to_owned())
}
