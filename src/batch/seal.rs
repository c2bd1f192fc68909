//! A line of a result file ends with a hash of itself, so that damage is noticed, and a line of
//! another run likewise.
//!
//! This does not protect from somebody who means it: everybody can make such a hash. It keeps what
//! a disk, an editor or a version-control system did to a file from passing for an answer.

/// Name of the field; it is the last one of every line.
const FIELD: &str = ",\"line_hash\":\"";
/// Hexadecimal digits of the hash.
const DIGITS: usize = 32;

/// A value as a line with its hash. `run` tells the run: its key; nothing for the header itself,
/// which has the key in it.
pub(super) fn sealed(value: &impl serde::Serialize, run: &str) -> std::io::Result<Vec<u8>> {
    // Most lines fit: to grow step by step takes longer than to write them.
    let mut text = Vec::with_capacity(1000);
    serde_json::to_writer(&mut text, value)?;
    // Lines are objects with at least one field.
    text.pop();
    let hash = hash(&mut text, run);
    text.extend_from_slice(FIELD.as_bytes());
    text.extend_from_slice(hash.as_bytes());
    text.extend_from_slice(b"\"}\n");
    Ok(text)
}

/// Whether a line, with its line break, is as it was written in this run.
pub(super) fn is_whole(line: &[u8], run: &str) -> bool {
    let tail = FIELD.len() + DIGITS + b"\"}\n".len();
    let Some(at) = line.len().checked_sub(tail) else {
        return false;
    };
    let (text, seal) = line.split_at(at);
    let hash = hash(&mut text.to_vec(), run);
    let expected = [FIELD.as_bytes(), hash.as_bytes(), b"\"}\n"].concat();
    seal == expected
}

/// The hash of a text and of the run. The text is as it was afterwards: the run stands behind it for
/// a moment, since to hash one piece is faster than several.
fn hash(text: &mut Vec<u8>, run: &str) -> String {
    let length = text.len();
    text.extend_from_slice(run.as_bytes());
    text.extend_from_slice(&(run.len() as u64).to_le_bytes());
    text.extend_from_slice(b"clearance line");
    let hash = blake3::hash(text).to_hex()[..DIGITS].to_owned();
    text.truncate(length);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_change_of_a_line_is_noticed() {
        let line = sealed(&json!({"program": "a.csv", "verdict": "clear"}), "key").unwrap();
        let read: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(read["program"], "a.csv");
        assert!(is_whole(&line, "key"));
        // Keys are of one length.
        assert!(!is_whole(&line, "kez") && !is_whole(&line, ""));
        for at in 0..line.len() {
            let mut damaged = line.clone();
            damaged[at] ^= 1;
            assert!(!is_whole(&damaged, "key"), "byte {at}");
            assert!(!is_whole(&line[..at], "key"), "length {at}");
            assert!(!is_whole(&line[at + 1..], "key"), "from {at} on");
        }
        assert!(!is_whole(b"{\"program\":\"a.csv\"}\n", "key"));
    }
}
