//! Text of a file, whatever its encoding: UTF-8, or else CP-1252 as controllers under Windows
//! write.

use std::path::Path;

use clearance_formats::{ImportError, Problem};

/// The characters for bytes 0x80 to 0x9f in CP-1252; five of these bytes have none.
const HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text.
pub(crate) fn decode(mut bytes: &[u8]) -> String {
    // The mark of UTF-8 may stand before a text that is not.
    while let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        bytes = rest;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes
            .iter()
            .map(|&byte| match byte {
                0x80..=0x9f => HIGH[usize::from(byte) - 0x80],
                _ => char::from(byte),
            })
            .collect(),
    }
}

/// That a text does not follow its language.
pub(crate) fn syntax(
    file: &Path,
    line: usize,
    column: usize,
    cause: String,
    remedy: &str,
) -> ImportError {
    let remedy = remedy.to_owned();
    let problem = Problem::Syntax { cause, remedy };
    ImportError::at(file, line, Some(column), problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_are_read() {
        assert_eq!(decode("! größer".as_bytes()), "! größer");
        assert_eq!(decode(b"! gr\xf6\xdfer \x80"), "! größer €");
        assert_eq!(decode(b"\xef\xbb\xbfMODULE"), "MODULE");
        // Some editors put the mark of UTF-8 before anything.
        assert_eq!(decode(b"\xef\xbb\xbf/PROG caf\xe9"), "/PROG café");
    }
}
