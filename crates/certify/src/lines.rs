//! Lines of both files.

use std::fmt::Write;

use crate::CertifyError;

/// A number that may be missing: −1.
pub(crate) fn index(which: Option<usize>) -> String {
    which.map_or("-1".to_owned(), |k| k.to_string())
}

/// Numbers with a blank between them.
pub(crate) fn numbers(all: &[i64]) -> String {
    let mut text = String::new();
    for x in all {
        let gap = if text.is_empty() { "" } else { " " };
        write!(text, "{gap}{x}").unwrap_or(());
    }
    text
}

/// A name as the rest of a line, which is read as it is: two names stay two.
pub(crate) fn name_line(name: &str) -> Result<&str, CertifyError> {
    if name.contains('\n') {
        let why = format!(
            "the name {name:?} has a line break, and the file has a name in one line; give it another one"
        );
        return Err(CertifyError::NotCovered(why));
    }
    Ok(name)
}

/// A text from outside as the rest of a line.
pub(crate) fn one_line(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { '?' } else { c });
    plain.collect()
}

/// Adds a line.
pub(crate) fn line(file: &mut Vec<u8>, text: &str) {
    file.extend(text.as_bytes());
    file.push(b'\n');
}
