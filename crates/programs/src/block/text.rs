//! Text of a file, whatever its encoding: UTF-8, or else CP-1252 as controllers under Windows
//! write, or Shift-JIS as Japanese ones do.

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
        Err(_) => {
            let pairs = shift_jis(bytes).unwrap_or_default();
            let is_second = |k: usize| pairs.binary_search(&k).is_ok();
            let letter = |(k, &byte): (usize, &u8)| match byte {
                0x80..=0x9f => HIGH[usize::from(byte) - 0x80],
                // A bracket that is half of a character closes nothing: it is shown in its wide form.
                b'!'..=b'~' if !byte.is_ascii_alphanumeric() && is_second(k) => {
                    char::from_u32(0xff00 + u32::from(byte) - 0x20).unwrap_or('?')
                }
                _ => char::from(byte),
            };
            bytes.iter().enumerate().map(letter).collect()
        }
    }
}

/// The places of second bytes of characters of Shift-JIS, in order; none: the text is not written in
/// it. European letters may look like first bytes from E0 on (`ü` and the next sign), so most of them
/// have to be below, where CP-1252 has quotes and dashes.
fn shift_jis(bytes: &[u8]) -> Option<Vec<usize>> {
    let (mut seconds, mut below) = (Vec::new(), 0);
    let mut k = 0;
    while let Some(&byte) = bytes.get(k) {
        match byte {
            0x81..=0x9f | 0xe0..=0xfc => {
                k += 1;
                let second = bytes.get(k)?;
                if !matches!(second, 0x40..=0x7e | 0x80..=0xfc) {
                    return None;
                }
                below += usize::from(byte <= 0x9f);
                seconds.push(k);
            }
            // Letters of half the width have one byte.
            0x80 | 0xa0 | 0xfd..=0xff => return None,
            _ => {}
        }
        k += 1;
    }
    (2 * below > seconds.len()).then_some(seconds)
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
        // A second byte may be that of a bracket: `ゾ` in Shift-JIS, but not `ü` in CP-1252.
        assert_eq!(decode(b"P[1:\x83]\x81[\x83\x93]"), "P[1:ƒ］\u{81}［ƒ“]");
        assert_eq!(decode(b"P[1:men\xfc]"), "P[1:menü]");
        assert_eq!(decode(b"\x84a\x93, P[1:men\xfc]"), "„a“, P[1:menü]");
        // Some editors put the mark of UTF-8 before anything.
        assert_eq!(decode(b"\xef\xbb\xbf/PROG caf\xe9"), "/PROG café");
    }
}
