//! The hash of a program: what tells an answer about it from one about another program of its name.

use std::path::Path;

use blake3::Hash;
use clearance_proof::model::{Column, Program, Quantity, StartState, Waypoint};

use super::digest::Digest;
use super::{Fetched, OpenedProgram, OtherFile};

/// Hash of programs that run together, or of one; `None` as for [`hash_of`].
pub(super) fn hash_of_all(opened: &[OpenedProgram]) -> Option<String> {
    let each: Option<Vec<String>> = opened.iter().map(hash_of).collect();
    each.map(|hashes| hashes.join(" "))
}

/// Hash of what a program says: of its bytes, of those of its events where it has any (in the file
/// beside it, or in the one that is named in its place), and of the files that it took besides,
/// such as programs that it calls: of their names, of what is in them, and of those that were
/// looked for and are not there. `None`: one of all these is there and cannot be read.
pub(crate) fn hash_of(opened: &OpenedProgram) -> Option<String> {
    let own = match opened.fetched()? {
        Fetched::Bytes(bytes) => blake3::hash(bytes),
        // Of a file of many it is the program alone that counts, and in which rows it stands.
        Fetched::Program(program) => hash_of_member(program),
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
    let folder = opened.named.file.parent().unwrap_or(Path::new(""));
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

/// Everything that a program of a file of many says, with the rows in which it says it: reports
/// name them.
fn hash_of_member(program: &Program) -> Hash {
    let Program {
        source: _, // Its name: answers are found by it.
        columns,
        waypoints,
        timed,
        bare_times,
        in_degrees,
        start,
        begins_with_state,
        stamp_ns: _, // For programs that run together.
    } = program;
    let mut digest = Digest::new("program");
    digest.count(columns.len());
    for Column {
        joint,
        line,
        quantity,
    } in columns
    {
        digest.text(joint);
        digest.option(line.as_ref(), |digest, line| digest.count(*line));
        digest.count(match quantity {
            Quantity::Unstated => 0,
            Quantity::Message => 1,
            Quantity::Angle => 2,
            Quantity::Length => 3,
            Quantity::Measured => 4,
        });
    }
    digest.flag(*timed);
    digest.flag(*bare_times);
    digest.flag(*in_degrees);
    digest.flag(*begins_with_state);
    digest.count(waypoints.len());
    for Waypoint {
        time,
        positions,
        velocities,
        accelerations,
        line,
    } in waypoints
    {
        digest.number(*time);
        digest.numbers(positions);
        digest.option(velocities.as_ref(), |d, v| d.numbers(v));
        digest.option(accelerations.as_ref(), |d, a| d.numbers(a));
        digest.count(*line);
    }
    digest.option(start.as_ref(), |digest, start| {
        let StartState {
            joints,
            carried,
            line,
        } = start;
        digest.count(joints.len());
        for (name, value) in joints {
            digest.text(name);
            digest.number(*value);
        }
        digest.count(carried.len());
        for (name, link) in carried {
            digest.text(name);
            digest.option(link.as_ref(), |digest, link| digest.text(link));
        }
        digest.option(line.as_ref(), |digest, line| digest.count(*line));
    });
    digest.finish()
}
